/* Which code is the user's own: rules over names, each a table. */
#include "xprofd/heap/heap.h"

#include <string.h>

/* Parts of a path that libraries lie below, of Python, Go, C++, Rust and Node. Of Go's own packages
 * a build with -trimpath keeps only "runtime/proc.go": those are known by the name of the function
 * below. */
static const char *const library_path[] = {
    "/site-packages/", "/dist-packages/",   "/lib/python3.", "/pkg/mod/",
    "/go/src/",        "/vendor/",          "/usr/include/", "/usr/lib/",
    "/sysdeps/",       "/.cargo/registry/", "/rustc/",       "/bazel-out/",
    "/external/",      "importlib/",        "<frozen ",      "node_modules/",
};

static bool has_part(struct xpd_str text, const char *const *part, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (xpd_str_find(text, xpd_str_of(part[i]), false) != SIZE_MAX)
            return true;
    return false;
}

/* "runtime.mallocgc", "net/http.(*conn).serve": a package of Go's own has no dot in the first part
 * of its path, and is not main. In files that end in .go and .s alone. */
static bool is_go_standard(const struct xpd_heap_frame *frame)
{
    bool go = xpd_str_ends(frame->file, ".go") || xpd_str_ends(frame->file, ".s");
    if (!go || xpd_str_starts(frame->function, "main."))
        return false;
    struct xpd_str file = frame->file;
    if (file.size > 0 && (file.data[0] == '/' || file.data[0] == '.'))
        return false; /* a path of the machine: the table judges it */
    for (size_t i = 0; i < file.size && file.data[i] != '/'; i++)
        if (file.data[i] == '.')
            return false;
    return true;
}

bool xpd_heap_is_library(const struct xpd_heap_frame *frame)
{
    if (!frame->has_line)
        return true; /* no source: no line can be the user's own */
    if (frame->file.data[0] == '<' || xpd_str_starts(frame->file, "node:"))
        return true;
    return has_part(frame->file, library_path, sizeof library_path / sizeof *library_path) ||
           is_go_standard(frame);
}
