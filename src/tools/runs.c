/* /api/v1/runs: every run under the root, newest name first, and what the scan did. */
#include "common/sidebar.h"

#define RUNS_MAX  20000 /* listed; the rest is counted */
#define FOUND_MAX 100

#define XPD_RUNS_SCAN_FIELDS(FIELD)                                                                \
    FIELD(INT, took_ms, "how long the scan took")                                                  \
    FIELD(COUNT, folders, "folders read")                                                          \
    FIELD(COUNT, files, "files seen")                                                              \
    FIELD(COUNT, links_skipped, "symbolic links that lead back or out of the root")                \
    FIELD(COUNT, unreadable_folders, "")                                                           \
    FIELD(MAYBE(STRING), limit, "the limit that the scan stopped at, and the option that raises it")
XPD_RECORD(xpd_runs_scan, XPD_RUNS_SCAN_FIELDS)

#define XPD_RUNS_ROW_FIELDS(FIELD)                                                                 \
    FIELD(STRING, id, "the parameter `run` of other routes")                                       \
    FIELD(STRING, folder, "`id` without its last part; \"\" at the top")                           \
    FIELD(STRING, name, "the last part of `id`")                                                   \
    FIELD(STRING, label, "the shortest suffix of `id` that is unique")                             \
    FIELD(MAYBE(STRING), lead, "of a dump: `id` of the profile of the same experiment")            \
    FIELD(WORD(XPD_RUN_KINDS), kind, "")                                                           \
    FIELD(INT, mtime_ms, "time of the newest file, since 1970")                                    \
    FIELD(INT, size_bytes, "of all files")                                                         \
    FIELD(TEXT, fingerprint, "16 hexadecimal digits; changes when a file of the run does")         \
    FIELD(VALUES(STRING), hosts, "names of the hosts")                                             \
    FIELD(MAYBE(STRING), problem, "why a file cannot be opened")
XPD_RECORD(xpd_runs_row, XPD_RUNS_ROW_FIELDS)

#define XPD_FOUND_FILE_FIELDS(FIELD)                                                               \
    FIELD(STRING, name, "path below the root")                                                     \
    FIELD(STRING, what, "kind of file, and why it does not open")
const struct xpd_record *xpd_found_file_record(void);
XPD_RECORD_TABLE(xpd_found_file, XPD_FOUND_FILE_FIELDS)

#define XPD_LOOKED_FOR_FIELDS(FIELD)                                                               \
    FIELD(STRING, pattern, "of file names")                                                        \
    FIELD(INT, count, "inputs it matched")
XPD_RECORD(xpd_looked_for, XPD_LOOKED_FOR_FIELDS)

#define XPD_SAMPLE_ROW_FIELDS(FIELD)                                                               \
    FIELD(STRING, id, "value for `run`")                                                           \
    FIELD(STRING, title, "")                                                                       \
    FIELD(STRING, shows, "one sentence")                                                           \
    FIELD(INT, size_bytes, "")
XPD_RECORD(xpd_sample_row, XPD_SAMPLE_ROW_FIELDS)

#define XPD_RUNS_FIELDS(FIELD)                                                                     \
    FIELD(INT, generation, "of the list; the parameter `since`")                                   \
    FIELD(BOOL, unchanged, "`since` equals `generation`, so the lists below are empty")            \
    FIELD(STRING, root, "the scanned folder, as given on the command line")                        \
    FIELD(MAYBE(STRING), root_problem, "why it cannot be read")                                    \
    FIELD(OBJECT(xpd_runs_scan), scan, "")                                                         \
    FIELD(INLINE(xpd_runs_row), runs, "newest name first")                                         \
    FIELD(COUNT, left_out, "runs beyond the first 20,000")                                         \
    FIELD(LIST(xpd_found_file), found, "files similar to a profile that do not open, at most 100") \
    FIELD(LIST(xpd_looked_for), looked_for, "file patterns that the scan accepts")                 \
    FIELD(LIST(xpd_sample_row), samples, "profiles built into the program; not in the list of runs")
XPD_RECORD(xpd_runs, XPD_RUNS_FIELDS)

static const char *problem_of(const struct xpd_run_entry *run)
{
    for (uint32_t i = 0; i < run->input_count; i++)
        if (run->input[i].problem)
            return run->input[i].problem;
    return run->emptied ? xpd_run_no_files(run) : NULL;
}

static void fill_row(struct xpd_runs_row *row, const struct xpd_run_entry *run,
                     struct xpd_arena *arena)
{
    const char **host = XPD_NEW_ARRAY(arena, const char *, run->input_count);
    uint32_t hosts = 0;
    for (uint32_t i = 0; host && i < run->input_count; i++)
        if (run->input[i].host && run->input[i].host[0])
            host[hosts++] = run->input[i].host;
    *row = (struct xpd_runs_row){.id = run->id,
                                 .folder = run->folder,
                                 .name = run->name,
                                 .label = run->label,
                                 .lead = run->lead,
                                 .kind = xpd_run_kind_word(run->kind),
                                 .mtime_ms = run->mtime_ms,
                                 .size_bytes = (int64_t)run->size_bytes,
                                 .fingerprint = xpd_tools_fingerprint(arena, run),
                                 .hosts = {host, hosts},
                                 .problem = problem_of(run)};
}

static void fill_runs(struct xpd_runs *out, const struct xpd_catalog *catalog,
                      struct xpd_arena *arena)
{
    uint32_t n = catalog->run_count < RUNS_MAX ? catalog->run_count : RUNS_MAX;
    struct xpd_runs_row *row = XPD_NEW_ARRAY(arena, struct xpd_runs_row, n);
    for (uint32_t i = 0; row && i < n; i++)
        fill_row(&row[i], &catalog->run[i], arena);
    out->runs.at = row;
    out->runs.n = n;
    out->left_out = catalog->run_count - n;
    out->found.at = catalog->found;
    out->found.n = catalog->found_count < FOUND_MAX ? catalog->found_count : FOUND_MAX;
}

/* Profiles in the program: opened like runs, by id, and never among them. */
static void fill_samples(struct xpd_runs *out, const struct xpd_store *store,
                         struct xpd_arena *arena)
{
    uint32_t count;
    const struct xpd_sample *sample = xpd_store_samples(store, &count);
    struct xpd_sample_row *row = XPD_NEW_ARRAY(arena, struct xpd_sample_row, count);
    for (uint32_t i = 0; row && i < count; i++)
        row[i] = (struct xpd_sample_row){xpd_arena_printf(arena, "sample:%s", sample[i].name),
                                         sample[i].title, sample[i].shows,
                                         (int64_t)sample[i].file_bytes};
    out->samples.at = row;
    out->samples.n = count;
}

/* The patterns the scan takes, with how many inputs each gave: the empty page shows them. */
static void fill_looked_for(struct xpd_runs *out, const struct xpd_catalog *catalog,
                            struct xpd_arena *arena)
{
    static const char *const patterns[] = {
        "*.xplane.pb", "*.xplane.pb.gz", "*.hlo_proto.pb", "*.hlo_proto.pb.gz",
        "*.hlo.pb",    "*.hlo.pb.gz",    "*.hlo",          "*after_optimizations.txt",
        "*.prof"};
    enum { PATTERNS = sizeof patterns / sizeof *patterns };
    struct xpd_looked_for *row = XPD_NEW_ARRAY(arena, struct xpd_looked_for, PATTERNS);
    for (uint32_t k = 0; row && k < PATTERNS; k++) {
        row[k].pattern = patterns[k];
        for (uint32_t i = 0; i < catalog->run_count; i++)
            for (uint32_t j = 0; j < catalog->run[i].input_count; j++)
                row[k].count +=
                    xpd_str_ends(xpd_str_of(catalog->run[i].input[j].name), patterns[k] + 1);
    }
    out->looked_for.at = row;
    out->looked_for.n = PATTERNS;
}

static int runs(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    const struct xpd_catalog *catalog = ctx->catalog;
    struct xpd_runs *out = XPD_NEW(ctx->arena, struct xpd_runs);
    struct xpd_runs_scan *scan = XPD_NEW(ctx->arena, struct xpd_runs_scan);
    uint64_t since;
    if (!out || !scan)
        return xpd_tools_no_memory(err);
    *answer = out;
    out->generation = (int64_t)catalog->generation;
    out->root = catalog->root;
    out->root_problem = catalog->root_problem;
    out->unchanged =
        xpd_str_to_u64(xpd_param_text(ctx, "since"), &since) && since == catalog->generation;
    *scan = (struct xpd_runs_scan){catalog->scan_ms,
                                   catalog->folder_count,
                                   catalog->file_count,
                                   catalog->links_skipped,
                                   catalog->unreadable_folders,
                                   catalog->stopped_at_limit ? catalog->limit_text : NULL};
    out->scan = scan;
    if (out->unchanged)
        return XPD_OK;
    fill_runs(out, catalog, ctx->arena);
    fill_looked_for(out, catalog, ctx->arena);
    fill_samples(out, ctx->store, ctx->arena);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    {.name = "since",
     .type = XPD_PARAM_INT,
     .max = INT64_MAX,
     .help = "generation that the client has; the answer is short if nothing changed"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_runs = {
    .route = "/api/v1/runs",
    .title = "Every run under the root, newest name first.",
    .needs = XPD_NEEDS_CATALOG,
    .params = params,
    .answer = xpd_runs_record,
    .make = runs,
};
