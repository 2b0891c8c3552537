/* What is said of a module whose memory nobody assigned: a dump from before or after that pass of
 * the compiler. */
#include "xprofd/base/bytes_text.h"
#include "xprofd/base/error.h"
#include "xprofd/memory/memory.h"

#include <inttypes.h>
#include <stdio.h>

/* Kernels may name scratch memory of their own: known, but no peak. */
static const struct xpd_hlo_scoped *largest_scoped(const struct xpd_hlo *hlo)
{
    const struct xpd_hlo_scoped *largest = NULL;
    for (uint32_t i = 0; i < hlo->scoped_count; i++)
        if (hlo->scoped[i].size_bytes > (largest ? largest->size_bytes : 0))
            largest = &hlo->scoped[i];
    return largest;
}

int xpd_mem_no_assignment(const struct xpd_hlo *hlo, const char *where, struct xpd_err *err)
{
    const struct xpd_hlo_scoped *scoped = largest_scoped(hlo);
    char also[200] = "", size[48];
    if (scoped) {
        xpd_bytes_text_of_page(size, scoped->size_bytes, scoped->size_bytes);
        struct xpd_str name = xpd_hlo_text(hlo, hlo->instructions.name[scoped->instruction]);
        snprintf(also, sizeof also,
                 ". It names at most %s of scratch memory (space %" PRId64 ") for one kernel: %.*s",
                 size, scoped->memory_space, (int)(name.size < 80 ? name.size : 80), name.data);
    }
    return xpd_fail(
        err, XPD_ENOTFOUND, where, XPD_NO_OFFSET,
        "this module has no buffer assignment, so its memory is unknown; a profile of the "
        "compiled program, XLA's *after_optimizations.hlo.pb dump, or the *-buffer-assignment.txt "
        "beside a module's text has one%s",
        also);
}
