/* From names of files to runs.
 *
 * In: one folder's candidates. Out: at most one run. A folder with *.xplane.pb is a profile, one
 * with HloProtos only a dump; each folder that XProf lists as a session is a run, even an empty
 * one. To open another input format, give its name a class here. */
#include "scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *ending;
    enum xpd_name_class name_class;
} endings[] = {
    /* first match wins */
    {"NO_MODULE.hlo_proto.pb", XPD_NAME_CACHE},
    {".op_stats.pb", XPD_NAME_CACHE},
    {".op_stats_v2.pb", XPD_NAME_CACHE},
    {".dcn_collective_stats.pb", XPD_NAME_CACHE},
    {".smart_suggestion.pb", XPD_NAME_CACHE},
    {".cached_tools.json", XPD_NAME_CACHE},
    {"cache_version.txt", XPD_NAME_CACHE},
    {"memory-usage-report.pb", XPD_NAME_OTHER}, /* XLA writes these beside its dumps */
    {"compile_options.pb", XPD_NAME_OTHER},
    {"topology.pb", XPD_NAME_OTHER},
    {".xplane.pb", XPD_NAME_XPLANE},
    {".hlo_proto.pb", XPD_NAME_HLO_PROTO},
    {".hlo.pb", XPD_NAME_HLO_DUMP},
    {".xplane.riegeli", XPD_NAME_NEAR},
    {".SSTABLE", XPD_NAME_NEAR},
    {"trace.json", XPD_NAME_NEAR},
    {".pftrace", XPD_NAME_NEAR},
    {".perfetto-trace", XPD_NAME_NEAR},
    {".prof", XPD_NAME_HEAP},
    {".pprof", XPD_NAME_HEAP},
    {".pb", XPD_NAME_NEAR},
    {"after_optimizations.txt", XPD_NAME_NEAR},
    {"buffer-assignment.txt", XPD_NAME_NEAR},
    {".hlo", XPD_NAME_NEAR},
    {".tar", XPD_NAME_NEAR},
    {".tgz", XPD_NAME_NEAR},
    {".zip", XPD_NAME_NEAR},
};

static struct xpd_str without_gz(struct xpd_str name)
{
    if (name.size > 3 && xpd_str_ends(name, ".gz"))
        name.size -= 3;
    return name;
}

enum xpd_name_class xpd_name_classify(struct xpd_str name)
{
    if (xpd_str_eq(name, XPD_STR("error.txt")))
        return XPD_NAME_ERROR_TEXT;
    struct xpd_str plain = without_gz(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (xpd_str_ends(plain, endings[i].ending))
            return endings[i].name_class;
    if (xpd_str_find(name, XPD_STR("tfevents"), false) != SIZE_MAX)
        return XPD_NAME_NEAR;
    return XPD_NAME_OTHER;
}

/* Name without .xplane.pb, .hlo_proto.pb, .hlo.pb and .gz. */
static struct xpd_str name_stem(struct xpd_str name)
{
    static const char *const ending[] = {".xplane.pb", ".hlo_proto.pb", ".hlo.pb"};
    struct xpd_str plain = without_gz(name);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (plain.size > strlen(ending[i]) && xpd_str_ends(plain, ending[i])) {
            plain.size -= strlen(ending[i]);
            return plain;
        }
    return plain;
}

/* gzip, or a first field of a message. What is empty or may not be read counts: its name says what
 * it was meant to be. */
bool xpd_scan_begins_as_pprof(int folder_fd, const char *name)
{
    uint8_t head[2] = {0};
    int fd = openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd >= 0 ? pread(fd, head, sizeof head, 0) : -1;
    if (fd >= 0)
        close(fd);
    return got < (ssize_t)sizeof head || (head[0] == 0x1F && head[1] == 0x8B) || head[0] == 0x0A;
}

const char *xpd_file_problem(int folder_fd, const char *name, uint64_t size_bytes)
{
    if (faccessat(folder_fd, name, R_OK, 0) != 0 && errno != ENOENT)
        return "The file cannot be read: permission denied.";
    if (size_bytes == 0)
        return "The file has 0 bytes: the profiler leaves one behind when writing fails, most "
               "often "
               "because the profile passed 2 GB. Profile fewer steps, or set "
               "python_tracer_level=0.";
    return NULL;
}

/* ---- which dump of a module ---- */

/* XLA writes a module once per stage. The one with the buffer assignment is after_optimizations;
 * the others are better than nothing when a compilation broke off. */
static int stage_rank(struct xpd_str name)
{
    static const struct {
        const char *text;
        int rank;
    } stage[] = {
        {"after_optimizations_before_buffer_assignment", 3},
        {"after_optimizations_after_buffer_assignment", 5},
        {"before_optimizations", 2},
        {"oom_intermediate", 4},
        {"after_codegen", 6},
        {"after_optimizations", 9},
    };
    if (xpd_str_ends(without_gz(name), ".hlo_proto.pb"))
        return 10;
    for (size_t i = 0; i < sizeof stage / sizeof *stage; i++)
        if (xpd_str_find(name, xpd_str_of(stage[i].text), false) != SIZE_MAX)
            return stage[i].rank;
    return 1;
}

/* What the dumps of one module have in common: "module_0012.jit_f", or what stands before the
 * stage. */
static struct xpd_str module_part(struct xpd_str name)
{
    if (xpd_str_starts(name, "module_")) {
        size_t dots = 0;
        for (size_t i = 0; i < name.size; i++)
            if (name.data[i] == '.' && ++dots == 2)
                return (struct xpd_str){name.data, i};
    }
    static const char *const stage[] = {".after_optimizations", ".after_codegen",
                                        ".before_optimizations", ".oom_intermediate"};
    struct xpd_str stem = name_stem(name);
    for (size_t i = 0; i < sizeof stage / sizeof *stage; i++) {
        size_t at = xpd_str_find(stem, xpd_str_of(stage[i]), false);
        if (at != SIZE_MAX)
            stem.size = at;
    }
    return stem;
}

static int by_module(const void *a, const void *b)
{
    const struct xpd_scan_file *x = a, *y = b;
    struct xpd_str s = module_part(xpd_str_of(x->name)), t = module_part(xpd_str_of(y->name));
    int order = xpd_str_order(s, t);
    if (order == 0)
        order = stage_rank(xpd_str_of(y->name)) - stage_rank(xpd_str_of(x->name));
    return order ? order : strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
    const struct xpd_scan_file *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Keeps the best dump of each module, in order of names. */
static size_t pick_stages(struct xpd_scan_file *file, size_t count)
{
    size_t kept = 0;
    if (count > 1)
        qsort(file, count, sizeof *file, by_module);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || !xpd_str_eq(module_part(xpd_str_of(file[i].name)),
                                  module_part(xpd_str_of(file[kept - 1].name))))
            file[kept++] = file[i];
    if (kept > 1)
        qsort(file, kept, sizeof *file, by_name);
    return kept;
}

/* ---- ids ---- */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Length of what stands before "plugins/profile/" in front of the last part, SIZE_MAX = not there.
 * The root's own name counts, so that a run has one id from wherever it is looked at. */
static size_t session_prefix(const struct xpd_folder_scan *scan, const char *relative)
{
    static const char mark[] = "plugins/profile/";
    const size_t mark_size = sizeof mark - 1;
    size_t length = strlen(last_part(relative)), size = strlen(relative);
    if (length == 0)
        return SIZE_MAX;
    size_t before = size - length; /* ends with "/" or is 0 */
    struct xpd_str root = xpd_str_of(scan->real_root);
    if (before >= mark_size && memcmp(relative + before - mark_size, mark, mark_size) == 0 &&
        (before == mark_size || relative[before - mark_size - 1] == '/'))
        return before - mark_size;
    if (before == 0 && xpd_str_ends(root, "/plugins/profile"))
        return 0;
    if (strncmp(relative, "profile/", 8) == 0 && before == 8 && xpd_str_ends(root, "/plugins"))
        return 0;
    return SIZE_MAX;
}

/* Is this folder one that XProf would call a run: <any>/plugins/profile/<session>? */
static bool is_session_folder(const struct xpd_folder_scan *scan, const char *relative)
{
    return session_prefix(scan, relative) != SIZE_MAX;
}

static const char *run_id(struct xpd_folder_scan *scan, const char *relative)
{
    size_t prefix = session_prefix(scan, relative);
    if (relative[0] == '\0')
        return last_part(scan->real_root)[0] ? last_part(scan->real_root) : "root";
    if (prefix == SIZE_MAX)
        return relative;
    return xpd_arena_printf(&scan->catalog->arena, "%.*s%s", (int)prefix, relative,
                            last_part(relative));
}

/* ---- runs ---- */

static uint64_t fingerprint(const struct xpd_run_entry *run)
{
    uint64_t hash = xpd_hash(run->id, strlen(run->id));
    for (uint32_t i = 0; i < run->input_count; i++) {
        const struct xpd_input *input = &run->input[i];
        uint64_t part[7] = {hash,
                            xpd_hash(input->path, strlen(input->path)),
                            input->identity.device,
                            input->identity.inode,
                            input->identity.size_bytes,
                            (uint64_t)input->identity.mtime_ns,
                            input->problem != NULL};
        hash = xpd_hash(part, sizeof part);
    }
    return hash;
}

static void add_input(struct xpd_folder_scan *scan, struct xpd_run_entry *run,
                      const struct xpd_scan_file *file)
{
    struct xpd_str stem = name_stem(xpd_str_of(file->name));
    struct xpd_input *input = &run->input[run->input_count++];
    bool xplane = file->name_class == XPD_NAME_XPLANE;
    static const enum xpd_input_format format[] = {
        [XPD_NAME_XPLANE] = XPD_INPUT_XPLANE,         [XPD_NAME_HLO_PROTO] = XPD_INPUT_HLO_PROTO,
        [XPD_NAME_HLO_DUMP] = XPD_INPUT_HLO_PROTO,    [XPD_NAME_HEAP] = XPD_INPUT_HEAP,
        [XPD_NAME_ERROR_TEXT] = XPD_INPUT_ERROR_TEXT,
    };
    *input = (struct xpd_input){
        .path = file->path,
        .name = file->name,
        .host = xplane ? xpd_arena_strndup(&scan->catalog->arena, stem.data, stem.size) : "",
        .format = format[file->name_class],
        .identity = file->identity,
        .problem = file->problem,
    };
    scan->failed |= !input->host;
    run->size_bytes += file->identity.size_bytes;
    int64_t mtime_ms = file->identity.mtime_ns / 1000000;
    run->mtime_ms = mtime_ms > run->mtime_ms ? mtime_ms : run->mtime_ms;
}

static void add_run(struct xpd_folder_scan *scan, struct xpd_run_entry *run)
{
    run->fingerprint = scan->failed ? 0 : fingerprint(run);
    XPD_PUSH(&scan->run, *run);
    scan->failed |= scan->run.failed;
}

/* The pprof files of a folder: a run of their own beside what else is there, since they say nothing
 * of a program or of times. Files are in order of names; who reads them sorts them by step. */
static uint32_t add_heaps(struct xpd_folder_scan *scan, struct xpd_scan_folder *folder)
{
    struct xpd_arena *arena = &scan->catalog->arena;
    struct xpd_scan_file *file = XPD_NEW_ARRAY(arena, struct xpd_scan_file, folder->file.count);
    uint32_t heaps = 0;
    bool alone = true;
    for (size_t i = 0; file && i < folder->file.count; i++)
        if (folder->file.at[i].name_class == XPD_NAME_HEAP)
            file[heaps++] = folder->file.at[i];
        else
            alone &= folder->file.at[i].name_class == XPD_NAME_ERROR_TEXT;
    if (heaps == 0) {
        scan->failed |= !file;
        return 0;
    }
    const char *id = run_id(scan, folder->relative);
    alone &= !is_session_folder(scan, folder->relative);
    struct xpd_run_entry run = {
        .id = alone || !id ? id : xpd_arena_printf(arena, "%s (heap files)", id),
        .kind = XPD_RUN_HEAP,
        .input = XPD_NEW_ARRAY(arena, struct xpd_input, heaps),
    };
    scan->failed |= !run.id || !run.input;
    if (scan->failed)
        return 0;
    if (heaps > 1)
        qsort(file, heaps, sizeof *file, by_name);
    for (uint32_t i = 0; i < heaps; i++)
        add_input(scan, &run, &file[i]);
    add_run(scan, &run);
    return heaps;
}

bool xpd_scan_add_folder(struct xpd_folder_scan *scan, struct xpd_scan_folder *folder)
{
    struct xpd_arena *arena = &scan->catalog->arena;
    size_t count = folder->file.count, xplanes = 0, hlos = 0;
    bool has_heaps = add_heaps(scan, folder) > 0;
    const struct xpd_scan_file *error_text = folder->error_above;
    struct xpd_scan_file *sorted = XPD_NEW_ARRAY(arena, struct xpd_scan_file, count);
    if (!sorted) {
        scan->failed = true;
        return false;
    }
    for (size_t i = 0; i < count; i++)
        if (folder->file.at[i].name_class == XPD_NAME_XPLANE)
            sorted[xplanes++] = folder->file.at[i];
    for (size_t i = 0; i < count; i++) {
        const struct xpd_scan_file *file = &folder->file.at[i];
        if (file->name_class == XPD_NAME_ERROR_TEXT)
            error_text = file;
        else if (file->name_class != XPD_NAME_XPLANE && file->name_class != XPD_NAME_HEAP)
            sorted[xplanes + hlos++] = *file;
    }
    bool session = is_session_folder(scan, folder->relative);
    if (xplanes + hlos == 0 && !session)
        return has_heaps;
    if (xplanes > 1)
        qsort(sorted, xplanes, sizeof *sorted, by_name);
    hlos = pick_stages(sorted + xplanes, hlos);
    struct xpd_run_entry run = {
        .id = run_id(scan, folder->relative),
        .kind = xplanes != 0 || hlos == 0 ? XPD_RUN_PROFILE : XPD_RUN_DUMP,
        .input = XPD_NEW_ARRAY(arena, struct xpd_input, xplanes + hlos + 1),
    };
    scan->failed |= !run.id || !run.input;
    if (scan->failed)
        return false;
    for (size_t i = 0; i < xplanes + hlos; i++)
        add_input(scan, &run, &sorted[i]);
    if (run.kind == XPD_RUN_DUMP && error_text)
        add_input(scan, &run, error_text);
    if (run.input_count == 0)
        run.mtime_ms = folder->mtime_ns / 1000000;
    else
        xpd_scan_drop_near(scan, folder->relative);
    add_run(scan, &run);
    return run.input_count != 0;
}

void xpd_scan_add_file(struct xpd_folder_scan *scan, struct xpd_scan_file *file)
{
    struct xpd_arena *arena = &scan->catalog->arena;
    struct xpd_str stem = name_stem(xpd_str_of(file->name));
    struct xpd_run_entry run = {
        .id = xpd_arena_strndup(arena, stem.data, stem.size),
        .kind = file->name_class == XPD_NAME_HEAP ? XPD_RUN_HEAP : XPD_RUN_FILE,
        .input = XPD_NEW_ARRAY(arena, struct xpd_input, 1),
    };
    scan->failed |= !run.id || !run.input;
    if (scan->failed)
        return;
    add_input(scan, &run, file);
    add_run(scan, &run);
}
