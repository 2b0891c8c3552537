/* The catalog: one scan's result, immutable and counted.
 *
 * In: the root as the user gave it. Out: runs in the order XProf lists them (ids descending as
 * strings), and when there are none a reason: what was found instead. A scan never fails because of
 * files, only when out of memory. */
#include "scan.h"

#include "xprofd/profile/xspace.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NAMES_MOST          8                    /* runs named in a message */
#define SNIFF_INFLATE_BYTES ((uint64_t)64 << 20) /* of a .gz that is looked at for its kind */

static int64_t now_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static const char *what_is(const struct xpd_near *near)
{
    struct xpd_source *source;
    if (!near->path)
        return "This link leads outside the opened folder, or to nothing; open its target instead.";
    struct xpd_str name = xpd_str_of(near->relative);
    if (xpd_str_ends(name, ".zip") || xpd_str_ends(name, ".tar") || xpd_str_ends(name, ".tgz") ||
        xpd_str_ends(name, ".tar.gz"))
        return "This is an archive: open it by itself (xprofd FILE); xprofd reads it without "
               "unpacking to disk.";
    if (xpd_str_find(name, XPD_STR("tfevents"), false) != SIZE_MAX)
        return "This is a TensorBoard event file; profiles are in plugins/profile beside it.";
    struct xpd_err err = {0};
    if (xpd_source_open(&source, near->path, SNIFF_INFLATE_BYTES, &err) != XPD_OK)
        return err.code == XPD_ELIMIT
                   ? "This is a large compressed file without the name of a profile."
                   : "This file cannot be read.";
    enum xpd_file_kind kind = xpd_file_kind_of(source);
    xpd_source_close(source);
    switch (kind) {
    case XPD_FILE_XSPACE:
        return "This looks like a profile (XSpace) under another name: give this file itself, or "
               "call it <host>.xplane.pb.";
    case XPD_FILE_HLO_PROTO:
    case XPD_FILE_HLO_MODULE:
        return "This looks like an HloProto under another name: give this file itself, or call it "
               "<module>.hlo_proto.pb.";
    case XPD_FILE_PPROF:
        return "This looks like a pprof profile under another name: give this file itself, or call "
               "it <name>.prof.";
    case XPD_FILE_HLO_TEXT:
        return "This is an HLO module in text: give this file itself, or call it <module>.hlo.";
    default: return xpd_file_kind_advice(kind);
    }
}

static int descending(const void *a, const void *b)
{
    const struct xpd_run_entry *x = a, *y = b;
    int order = strcmp(y->id, x->id);
    return order ? order
                 : (x->input_count && y->input_count ? strcmp(x->input[0].path, y->input[0].path)
                                                     : (int)(y->input_count > x->input_count));
}

static void split_id(struct xpd_catalog *catalog, struct xpd_run_entry *run)
{
    const char *slash = strrchr(run->id, '/');
    run->name = slash ? slash + 1 : run->id;
    run->folder =
        slash ? xpd_arena_strndup(&catalog->arena, run->id, (size_t)(slash - run->id)) : "";
}

/* Sorts runs, makes ids unique, describes similar files. */
static void finish_scan(struct xpd_folder_scan *scan)
{
    struct xpd_catalog *catalog = scan->catalog;
    size_t count = scan->run.count;
    catalog->run = XPD_NEW_ARRAY(&catalog->arena, struct xpd_run_entry, count);
    if (!catalog->run || scan->failed) {
        scan->failed = true;
        return;
    }
    if (count > 1)
        qsort(scan->run.at, count, sizeof *scan->run.at, descending);
    uint32_t same = 1;
    for (size_t i = 0; i < count; i++) {
        struct xpd_run_entry run = scan->run.at[i];
        same = i > 0 && strcmp(run.id, scan->run.at[i - 1].id) == 0 ? same + 1 : 1;
        if (same > 1)
            run.id = xpd_arena_printf(&catalog->arena, "%s (%u)", run.id, same);
        if (run.id)
            split_id(catalog, &run);
        scan->failed |= !run.id || !run.folder;
        catalog->run[i] = run;
    }
    catalog->run_count = (uint32_t)count;
    scan->failed = scan->failed || !xpd_name_runs(catalog);
    catalog->found = XPD_NEW_ARRAY(&catalog->arena, struct xpd_found_file, scan->near_count);
    scan->failed |= !catalog->found;
    for (uint32_t i = 0; i < scan->near_count && catalog->found; i++)
        catalog->found[catalog->found_count++] = (struct xpd_found_file){
            .name = scan->near[i].relative,
            .what = what_is(&scan->near[i]),
        };
}

/* ---- the root ---- */

static const char *root_errno(int error)
{
    switch (error) {
    case ENOENT: return "This path does not exist.";
    case EACCES: return "There is no permission to read this path.";
    case ELOOP: return "This path is a loop of links.";
    case ENOTDIR: return "A part of this path is not a folder.";
    default: return "This path cannot be opened.";
    }
}

/* A file named by the user is opened, whatever its name. */
static void scan_file(struct xpd_folder_scan *scan)
{
    struct xpd_catalog *catalog = scan->catalog;
    const char *path = scan->real_root;
    struct xpd_scan_file file = {.name = xpd_last_part(path), .path = path};
    catalog->file_count = 1;
    if (!xpd_identity_of(path, &file.identity)) {
        catalog->root_problem = root_errno(errno);
        return;
    }
    file.name_class = xpd_name_classify(xpd_str_of(file.name));
    file.problem = xpd_file_problem(AT_FDCWD, path, file.identity.size_bytes);
    bool named = file.name_class == XPD_NAME_XPLANE || file.name_class == XPD_NAME_HLO_PROTO ||
                 file.name_class == XPD_NAME_HLO_DUMP;
    if (file.name_class == XPD_NAME_HLO_TEXT && xpd_str_ends(xpd_str_of(file.name), ".gz"))
        named = true; /* a compressed file is identified by its name */
    if (!named) {
        struct xpd_near near = {.relative = file.name, .path = path};
        struct xpd_source *source;
        enum xpd_file_kind kind = XPD_FILE_UNKNOWN;
        if (xpd_source_open(&source, path, SNIFF_INFLATE_BYTES, NULL) == XPD_OK) {
            kind = xpd_file_kind_of(source);
            xpd_source_close(source);
        }
        if (kind == XPD_FILE_XSPACE)
            file.name_class = XPD_NAME_XPLANE;
        else if (kind == XPD_FILE_HLO_PROTO || kind == XPD_FILE_HLO_MODULE)
            file.name_class = XPD_NAME_HLO_PROTO;
        else if (kind == XPD_FILE_PPROF ||
                 (kind == XPD_FILE_UNKNOWN && file.problem == NULL &&
                  file.name_class == XPD_NAME_HEAP && xpd_scan_begins_as_pprof(AT_FDCWD, path)))
            file.name_class = XPD_NAME_HEAP; /* errors are reported when it is read */
        else if (kind == XPD_FILE_HLO_TEXT)
            file.name_class = XPD_NAME_HLO_TEXT;
        else {
            catalog->root_problem = file.problem ? file.problem : what_is(&near);
            xpd_scan_add_near(scan, file.name, path);
            return;
        }
    }
    xpd_scan_add_file(scan, &file);
}

static void scan_root(struct xpd_folder_scan *scan, const char *root)
{
    struct xpd_catalog *catalog = scan->catalog;
    struct stat st;
    char *real = realpath(root, NULL);
    if (!real || stat(real, &st) != 0) {
        catalog->root_problem = root_errno(errno);
        free(real);
        return;
    }
    scan->real_root = xpd_arena_strndup(&catalog->arena, real, strlen(real));
    free(real);
    if (!scan->real_root) {
        scan->failed = true;
        return;
    }
    if (S_ISDIR(st.st_mode)) {
        int fd = open(scan->real_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
            catalog->root_problem = root_errno(errno);
        else
            xpd_scan_tree(scan, fd);
    } else if (S_ISREG(st.st_mode) && xpd_archive_is(scan->real_root)) {
        xpd_scan_archive(scan);
    } else if (S_ISREG(st.st_mode)) {
        scan_file(scan);
    } else {
        catalog->root_problem = "This is neither a file nor a folder.";
    }
}

int xpd_catalog_scan(struct xpd_catalog **out, const char *root,
                     const struct xpd_scan_limits *limits, uint64_t generation, struct xpd_err *err)
{
    int64_t started = now_ms();
    *out = NULL;
    struct xpd_catalog *catalog = calloc(1, sizeof *catalog);
    struct xpd_folder_scan scan = {.catalog = catalog};
    if (!catalog)
        return xpd_no_memory(err, root, "for a scan");
    if (limits)
        scan.limit = *limits;
    if (scan.limit.max_depth == 0)
        scan.limit.max_depth = 12;
    if (scan.limit.max_folders == 0)
        scan.limit.max_folders = 20000;
    if (scan.limit.max_files == 0)
        scan.limit.max_files = 200000;
    xpd_arena_init(&catalog->arena, 0);
    atomic_init(&catalog->holders, 1);
    catalog->generation = generation;
    catalog->root = xpd_arena_strndup(&catalog->arena, root, strlen(root));
    scan.failed = !catalog->root;
    if (!scan.failed)
        scan_root(&scan, root);
    finish_scan(&scan);
    XPD_VEC_FINI(&scan.run);
    catalog->scan_ms = now_ms() - started;
    if (scan.failed) {
        xpd_catalog_release(catalog);
        return xpd_no_memory(err, root, "for the list of profiles");
    }
    *out = catalog;
    return XPD_OK;
}

struct xpd_catalog *xpd_catalog_hold(struct xpd_catalog *catalog)
{
    atomic_fetch_add_explicit(&catalog->holders, 1, memory_order_relaxed);
    return catalog;
}

void xpd_catalog_release(struct xpd_catalog *catalog)
{
    if (!catalog || atomic_fetch_sub_explicit(&catalog->holders, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < XPD_PASTES_MAX; i++)
        xpd_paste_release(catalog->paste[i]);
    xpd_arena_fini(&catalog->arena);
    free(catalog);
}

const struct xpd_run_entry *xpd_catalog_find(const struct xpd_catalog *catalog, struct xpd_str id)
{
    for (uint32_t i = 0; i < catalog->run_count; i++)
        if (xpd_str_eq(id, xpd_str_of(catalog->run[i].id)))
            return &catalog->run[i];
    return NULL;
}

const char *xpd_run_no_files(const struct xpd_run_entry *run)
{
    if (run->input_count > 0)
        return NULL;
    return run->emptied ? "The files of this run were deleted or moved while xprofd was running; "
                          "only its folder is left."
                        : "This run's folder holds no *.xplane.pb and no HLO: the profiler may "
                          "have failed before writing.";
}

void xpd_catalog_names(const struct xpd_catalog *catalog, struct xpd_str like, char *out,
                       size_t room)
{
    size_t used = 0;
    uint32_t named = 0;
    out[0] = '\0';
    for (int others = 0; others < 2; others++)
        for (uint32_t i = 0; i < catalog->run_count; i++) {
            const char *id = catalog->run[i].id;
            if ((like.size > 0 && xpd_str_find(xpd_str_of(id), like, true) != SIZE_MAX) == others)
                continue;
            bool fits = named < NAMES_MOST && strlen(id) + sizeof ", , ..." <= room - used;
            int n = snprintf(out + used, room - used, "%s%s", named ? ", " : "", fits ? id : "...");
            if (n < 0 || !fits)
                return;
            used += (size_t)n;
            named++;
        }
}

/* ---- one of its files ---- */

int xpd_input_open(const struct xpd_input *input, uint64_t inflate_limit_bytes,
                   const struct xpd_source_watch *watch, struct xpd_source **out,
                   struct xpd_err *err)
{
    *out = NULL;
    if (input->bytes && input->format == XPD_INPUT_HLO_TEXT)
        return xpd_source_open_memory(out, input->bytes, input->identity.size_bytes, input->name,
                                      err);
    if (input->bytes)
        return xpd_source_open_packed(out, input->bytes, input->identity.size_bytes, input->name,
                                      inflate_limit_bytes, err);
    if (input->entry)
        return xpd_archive_open(out, input->path, input->archive, input->entry, inflate_limit_bytes,
                                watch, err);
    int rc = xpd_source_open_watched(out, input->path, inflate_limit_bytes, watch, err);
    if (rc == XPD_ENOTFOUND)
        return xpd_fail(err, XPD_ECHANGED, input->name, XPD_NO_OFFSET,
                        "The file is no longer where it was; open the run again.");
    if (rc != XPD_OK || xpd_identity_eq(xpd_source_identity(*out), &input->identity))
        return rc;
    xpd_source_close(*out);
    *out = NULL;
    return xpd_fail(err, XPD_ECHANGED, input->name, XPD_NO_OFFSET,
                    "The file has changed since it was found; open the run again.");
}
