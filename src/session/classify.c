/* From names of files to runs.
 *
 * In: one folder's candidates. Out: at most one run. A folder with *.xplane.pb is a profile, one
 * with HloProtos only a dump; each folder that XProf lists as a session is a run, even an empty
 * one. To open another input format, give its name a class here. */
#include "dump_names.h"

#include "xprofd/hlo/parse.h"
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
    {"buffer-assignment.txt", XPD_NAME_ASSIGNMENT_TEXT},
    {"live-range.txt", XPD_NAME_LIVE_RANGE_TEXT},
    {".tar", XPD_NAME_NEAR},
    {".tgz", XPD_NAME_NEAR},
    {".zip", XPD_NAME_NEAR},
};

enum xpd_name_class xpd_name_classify(struct xpd_str name)
{
    if (xpd_str_eq(name, XPD_STR("error.txt")))
        return XPD_NAME_ERROR_TEXT;
    struct xpd_str plain = xpd_dump_plain(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (xpd_str_ends(plain, endings[i].ending))
            return endings[i].name_class;
    if (xpd_dump_is_module_text(name))
        return XPD_NAME_HLO_TEXT;
    if (xpd_str_find(name, XPD_STR("tfevents"), false) != SIZE_MAX)
        return XPD_NAME_NEAR;
    if (xpd_str_ends(name, ".txt") && !xpd_dump_is_numbered(name))
        return XPD_NAME_TEXT; /* a dump has ten others of each program */
    return XPD_NAME_OTHER;
}

bool xpd_name_is_input(enum xpd_name_class name_class)
{
    return name_class != XPD_NAME_OTHER && name_class != XPD_NAME_CACHE &&
           name_class != XPD_NAME_NEAR && name_class != XPD_NAME_TEXT;
}

bool xpd_file_is_module_text(int folder_fd, const char *name)
{
    char head[512];
    int fd = openat(folder_fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    ssize_t size = fd >= 0 ? read(fd, head, sizeof head) : -1;
    if (fd >= 0)
        close(fd);
    return size > 0 && xpd_hlo_text_is_module((struct xpd_str){head, (size_t)size});
}

/* gzip, or a field that such files begin with: type, sample, or as Go writes them mapping, time,
 * duration, period type, period. An empty or unreadable file also counts, by its name. */
bool xpd_scan_begins_as_pprof(int folder_fd, const char *name)
{
    static const uint8_t first[] = {0x0A, 0x12, 0x1A, 0x48, 0x50, 0x5A, 0x60};
    uint8_t head[2] = {0};
    int fd = openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd >= 0 ? pread(fd, head, sizeof head, 0) : -1;
    if (fd >= 0)
        close(fd);
    return got < (ssize_t)sizeof head || (head[0] == 0x1F && head[1] == 0x8B) ||
           memchr(first, head[0], sizeof first) != NULL;
}

const char *xpd_file_problem(int folder_fd, const char *name, uint64_t size_bytes)
{
    if (faccessat(folder_fd, name, R_OK, 0) != 0 && errno != ENOENT)
        return "The file cannot be read: permission denied.";
    if (size_bytes == 0)
        return "The file has 0 bytes: the profiler writes one when saving fails, most often "
               "because the profile exceeds 2 GB. Profile fewer steps, or set "
               "python_tracer_level=0.";
    return NULL;
}

/* ---- ids ---- */

/* Length of the text before "plugins/profile/" and the last part, SIZE_MAX = not there. The root's
 * own name counts, so that a run has the same id from any root. */
static size_t session_prefix(const struct xpd_folder_scan *scan, const char *relative)
{
    static const char mark[] = "plugins/profile/";
    const size_t mark_size = sizeof mark - 1;
    size_t length = strlen(xpd_last_part(relative)), size = strlen(relative);
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
        return xpd_last_part(scan->real_root)[0] ? xpd_last_part(scan->real_root) : "root";
    if (prefix == SIZE_MAX)
        return relative;
    return xpd_arena_printf(&scan->catalog->arena, "%.*s%s", (int)prefix, relative,
                            xpd_last_part(relative));
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

static enum xpd_input_format format_of(enum xpd_name_class class)
{
    switch (class) {
    case XPD_NAME_XPLANE: return XPD_INPUT_XPLANE;
    case XPD_NAME_HEAP: return XPD_INPUT_HEAP;
    case XPD_NAME_HLO_TEXT:
    case XPD_NAME_TEXT: return XPD_INPUT_HLO_TEXT;
    case XPD_NAME_ASSIGNMENT_TEXT:
    case XPD_NAME_LIVE_RANGE_TEXT: return XPD_INPUT_REPORT_TEXT;
    case XPD_NAME_ERROR_TEXT: return XPD_INPUT_ERROR_TEXT;
    default: return XPD_INPUT_HLO_PROTO;
    }
}

static struct xpd_input *add_input(struct xpd_folder_scan *scan, struct xpd_run_entry *run,
                                   const struct xpd_scan_file *file)
{
    struct xpd_str stem = xpd_dump_stem(xpd_str_of(file->name));
    struct xpd_input *input = &run->input[run->input_count++];
    bool xplane = file->name_class == XPD_NAME_XPLANE;
    *input = (struct xpd_input){
        .path = file->path,
        .name = file->name,
        .host = xplane ? xpd_arena_strndup(&scan->catalog->arena, stem.data, stem.size) : "",
        .format = format_of(file->name_class),
        .identity = file->identity,
        .problem = file->problem,
        .entry = file->entry,
        .archive = file->archive,
    };
    scan->failed |= !input->host;
    run->size_bytes += file->identity.size_bytes;
    int64_t mtime_ms = file->identity.mtime_ns / 1000000;
    run->mtime_ms = mtime_ms > run->mtime_ms ? mtime_ms : run->mtime_ms;
    return input;
}

/* A module in text, and the reports that belong to it. */
static void add_text(struct xpd_folder_scan *scan, struct xpd_run_entry *run,
                     const struct xpd_scan_file *file, const struct xpd_scan_file *report,
                     size_t reports)
{
    struct xpd_str name = xpd_str_of(file->name);
    struct xpd_input *input = add_input(scan, run, file);
    const struct xpd_scan_file *found =
        xpd_dump_report(report, reports, name, XPD_NAME_ASSIGNMENT_TEXT);
    if (found)
        input->assignment = add_input(scan, run, found);
    found = xpd_dump_report(report, reports, name, XPD_NAME_LIVE_RANGE_TEXT);
    if (found)
        input->live_range = add_input(scan, run, found);
}

static void add_run(struct xpd_folder_scan *scan, struct xpd_run_entry *run)
{
    run->fingerprint = scan->failed ? 0 : fingerprint(run);
    XPD_PUSH(&scan->run, *run);
    scan->failed |= scan->run.failed;
}

static int by_name(const void *a, const void *b)
{
    const struct xpd_scan_file *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* The pprof files of a folder: a separate run beside others, because they have no program and no
 * times. Files are in order of names; the reader sorts them by step. */
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

struct sorted { /* a folder's files by kind; each group is consecutive */
    struct xpd_scan_file *xplane, *hlo, *report;
    size_t xplanes, hlos, reports;
    const struct xpd_scan_file *error_text;
};

static bool is_report(enum xpd_name_class class)
{
    return class == XPD_NAME_ASSIGNMENT_TEXT || class == XPD_NAME_LIVE_RANGE_TEXT;
}

/* A host's file and its packed copy (gzip -k) are one host: the first by name is the plain one. */
static size_t without_copies(struct xpd_scan_file *file, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || !xpd_str_eq(xpd_dump_stem(xpd_str_of(file[kept - 1].name)),
                                     xpd_dump_stem(xpd_str_of(file[i].name))))
            file[kept++] = file[i];
    return kept;
}

/* Text dumps beside a profile add nothing: it holds its programs. */
static bool sort_files(struct xpd_folder_scan *scan, const struct xpd_scan_folder *folder,
                       struct sorted *sorted)
{
    size_t count = folder->file.count;
    struct xpd_scan_file *room =
        XPD_NEW_ARRAY(&scan->catalog->arena, struct xpd_scan_file, 3 * count);
    *sorted = (struct sorted){.xplane = room, .error_text = folder->error_above};
    if (!room)
        return false;
    sorted->hlo = room + count;
    sorted->report = room + 2 * count;
    for (size_t i = 0; i < count; i++)
        if (folder->file.at[i].name_class == XPD_NAME_XPLANE)
            sorted->xplane[sorted->xplanes++] = folder->file.at[i];
    for (size_t i = 0; i < count; i++) {
        const struct xpd_scan_file *file = &folder->file.at[i];
        bool text = file->name_class == XPD_NAME_HLO_TEXT || file->name_class == XPD_NAME_TEXT;
        if (file->name_class == XPD_NAME_ERROR_TEXT)
            sorted->error_text = file;
        else if (is_report(file->name_class))
            sorted->report[sorted->reports++] = *file;
        else if (file->name_class != XPD_NAME_XPLANE && file->name_class != XPD_NAME_HEAP &&
                 (!text || sorted->xplanes == 0))
            sorted->hlo[sorted->hlos++] = *file;
    }
    if (sorted->xplanes > 1)
        qsort(sorted->xplane, sorted->xplanes, sizeof *sorted->xplane, by_name);
    sorted->xplanes = without_copies(sorted->xplane, sorted->xplanes);
    sorted->hlos = xpd_dump_pick(sorted->hlo, sorted->hlos);
    xpd_dump_sort(sorted->report, sorted->reports);
    return true;
}

static void add_inputs(struct xpd_folder_scan *scan, struct xpd_run_entry *run,
                       const struct sorted *sorted)
{
    for (size_t i = 0; i < sorted->xplanes; i++)
        add_input(scan, run, &sorted->xplane[i]);
    for (size_t i = 0; i < sorted->hlos; i++) {
        const struct xpd_scan_file *file = &sorted->hlo[i];
        if (format_of(file->name_class) == XPD_INPUT_HLO_TEXT)
            add_text(scan, run, file, sorted->report, sorted->reports);
        else
            add_input(scan, run, file);
    }
    if (run->kind == XPD_RUN_DUMP && sorted->error_text)
        add_input(scan, run, sorted->error_text);
}

bool xpd_scan_add_folder(struct xpd_folder_scan *scan, struct xpd_scan_folder *folder)
{
    bool has_heaps = add_heaps(scan, folder) > 0;
    struct sorted sorted;
    if (!sort_files(scan, folder, &sorted)) {
        scan->failed = true;
        return false;
    }
    size_t programs = sorted.xplanes + sorted.hlos;
    if (programs == 0 && !is_session_folder(scan, folder->relative))
        return has_heaps;
    struct xpd_run_entry run = {
        .id = run_id(scan, folder->relative),
        .kind = sorted.xplanes != 0 || sorted.hlos == 0 ? XPD_RUN_PROFILE : XPD_RUN_DUMP,
        .input =
            XPD_NEW_ARRAY(&scan->catalog->arena, struct xpd_input, programs + 2 * sorted.hlos + 1),
    };
    scan->failed |= !run.id || !run.input;
    if (scan->failed)
        return false;
    add_inputs(scan, &run, &sorted);
    if (run.input_count == 0)
        run.mtime_ms = folder->mtime_ns / 1000000;
    else
        xpd_scan_drop_near(scan, folder->relative);
    add_run(scan, &run);
    return run.input_count != 0;
}

/* The report beside a file that was named by itself, as XLA calls it. */
static void add_beside(struct xpd_folder_scan *scan, struct xpd_run_entry *run,
                       const struct xpd_scan_file *file, const char *report,
                       enum xpd_name_class class, const struct xpd_input **out)
{
    struct xpd_arena *arena = &scan->catalog->arena;
    struct xpd_str path = xpd_dump_stem(xpd_str_of(file->path));
    struct xpd_scan_file beside = {
        .path = xpd_arena_printf(arena, "%.*s-%s.txt", (int)path.size, path.data, report),
        .name_class = class};
    scan->failed |= !beside.path;
    if (!beside.path || !xpd_identity_of(beside.path, &beside.identity))
        return;
    beside.name = xpd_last_part(beside.path);
    beside.problem = xpd_file_problem(AT_FDCWD, beside.path, beside.identity.size_bytes);
    *out = add_input(scan, run, &beside);
}

void xpd_scan_add_file(struct xpd_folder_scan *scan, struct xpd_scan_file *file)
{
    struct xpd_arena *arena = &scan->catalog->arena;
    struct xpd_str stem = xpd_dump_stem(xpd_str_of(file->name));
    struct xpd_run_entry run = {
        .id = xpd_arena_strndup(arena, stem.data, stem.size),
        .kind = file->name_class == XPD_NAME_HEAP ? XPD_RUN_HEAP : XPD_RUN_FILE,
        .input = XPD_NEW_ARRAY(arena, struct xpd_input, 3),
    };
    scan->failed |= !run.id || !run.input;
    if (scan->failed)
        return;
    struct xpd_input *input = add_input(scan, &run, file);
    if (input->format == XPD_INPUT_HLO_TEXT) {
        add_beside(scan, &run, file, "buffer-assignment", XPD_NAME_ASSIGNMENT_TEXT,
                   &input->assignment);
        add_beside(scan, &run, file, "live-range", XPD_NAME_LIVE_RANGE_TEXT, &input->live_range);
    }
    add_run(scan, &run);
}
