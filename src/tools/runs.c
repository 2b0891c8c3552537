/* /api/v1/runs: every run under the root, newest name first, and what the scan did. */
#include "common/rail.h"

#include <stdio.h>

#define RUNS_MAX  20000 /* listed; the rest is counted */
#define FOUND_MAX 100

static const char *problem_of(const struct xpd_run_entry *run)
{
    for (uint32_t i = 0; i < run->input_count; i++)
        if (run->input[i].problem)
            return run->input[i].problem;
    return run->emptied ? xpd_run_no_files(run) : NULL;
}

static void hosts_of(struct xpd_jsonw *w, const struct xpd_run_entry *run)
{
    xpd_json_arr(w);
    for (uint32_t i = 0; i < run->input_count; i++)
        if (run->input[i].host && run->input[i].host[0])
            xpd_json_text(w, run->input[i].host);
    xpd_json_arr_end(w);
}

static void write_scan(struct xpd_jsonw *w, const struct xpd_catalog *catalog)
{
    xpd_json_key(w, "scan");
    xpd_json_obj(w);
    xpd_json_ki64(w, "ms", catalog->scan_ms);
    xpd_json_ku64(w, "folders", catalog->folder_count);
    xpd_json_ku64(w, "files", catalog->file_count);
    xpd_json_ku64(w, "links_skipped", catalog->links_skipped);
    xpd_json_ku64(w, "unreadable_folders", catalog->unreadable_folders);
    xpd_json_ktext(w, "limit", catalog->stopped_at_limit ? catalog->limit_text : NULL);
    xpd_json_obj_end(w);
}

static void write_runs(struct xpd_jsonw *w, const struct xpd_catalog *catalog)
{
    const struct xpd_run_entry *run = catalog->run;
    uint32_t n = catalog->run_count < RUNS_MAX ? catalog->run_count : RUNS_MAX;
    xpd_json_ku64(w, "n", n);
    xpd_json_ku64(w, "left_out", catalog->run_count - n);
    XPD_COLUMN(w, "id", n, xpd_json_text(w, run[row].id));
    XPD_COLUMN(w, "folder", n, xpd_json_text(w, run[row].folder));
    XPD_COLUMN(w, "name", n, xpd_json_text(w, run[row].name));
    XPD_COLUMN(w, "label", n, xpd_json_text(w, run[row].label));
    XPD_COLUMN(w, "lead", n, xpd_json_text(w, run[row].lead));
    XPD_COLUMN(w, "kind", n, xpd_json_text(w, xpd_run_kind_word(run[row].kind)));
    XPD_COLUMN(w, "mtime_ms", n, xpd_json_i64(w, run[row].mtime_ms));
    XPD_COLUMN(w, "size_bytes", n, xpd_json_u64(w, run[row].size_bytes));
    XPD_COLUMN(w, "fingerprint", n, xpd_tools_fingerprint(w, &run[row]));
    XPD_COLUMN(w, "hosts", n, hosts_of(w, &run[row]));
    XPD_COLUMN(w, "problem", n, xpd_json_text(w, problem_of(&run[row])));
}

static void write_found(struct xpd_jsonw *w, const struct xpd_catalog *catalog)
{
    uint32_t n = catalog->found_count < FOUND_MAX ? catalog->found_count : FOUND_MAX;
    xpd_json_key(w, "found");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < n; i++) {
        xpd_json_obj(w);
        xpd_json_ktext(w, "name", catalog->found[i].name);
        xpd_json_ktext(w, "what", catalog->found[i].what);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
}

/* Profiles in the program: opened like runs, by id, and never among them. */
static void write_samples(struct xpd_jsonw *w, const struct xpd_store *store)
{
    uint32_t count;
    const struct xpd_sample *sample = xpd_store_samples(store, &count);
    xpd_json_key(w, "samples");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < count; i++) {
        char id[96];
        snprintf(id, sizeof id, "sample:%s", sample[i].name);
        xpd_json_obj(w);
        xpd_json_ktext(w, "id", id);
        xpd_json_ktext(w, "title", sample[i].title);
        xpd_json_ktext(w, "shows", sample[i].shows);
        xpd_json_ku64(w, "size_bytes", sample[i].file_bytes);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
}

/* The patterns the scan takes, with how many inputs each gave: the empty page shows them. */
static void write_looked_for(struct xpd_jsonw *w, const struct xpd_catalog *catalog)
{
    static const struct {
        const char *pattern, *ending;
    } looked_for[] = {
        {"*.xplane.pb", ".xplane.pb"},
        {"*.xplane.pb.gz", ".xplane.pb.gz"},
        {"*.hlo_proto.pb", ".hlo_proto.pb"},
        {"*.hlo_proto.pb.gz", ".hlo_proto.pb.gz"},
        {"*.hlo.pb", ".hlo.pb"},
        {"*.hlo.pb.gz", ".hlo.pb.gz"},
        {"*after_optimizations.txt", "after_optimizations.txt"},
        {"*.hlo", ".hlo"},
        {"*.prof", ".prof"},
    };
    enum { PATTERNS = sizeof looked_for / sizeof *looked_for };
    uint64_t count[PATTERNS] = {0};
    for (uint32_t i = 0; i < catalog->run_count; i++)
        for (uint32_t j = 0; j < catalog->run[i].input_count; j++)
            for (size_t k = 0; k < PATTERNS; k++)
                count[k] +=
                    xpd_str_ends(xpd_str_of(catalog->run[i].input[j].name), looked_for[k].ending);
    xpd_json_key(w, "looked_for");
    xpd_json_arr(w);
    for (size_t k = 0; k < PATTERNS; k++) {
        xpd_json_obj(w);
        xpd_json_ktext(w, "pattern", looked_for[k].pattern);
        xpd_json_ku64(w, "count", count[k]);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
}

static int runs(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    (void)err;
    const struct xpd_catalog *catalog = ctx->catalog;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_json_ku64(&w, "generation", catalog->generation);
    uint64_t since;
    if (xpd_str_to_u64(xpd_param_text(ctx, "since"), &since) && since == catalog->generation) {
        xpd_json_kbool(&w, "unchanged", true);
    } else {
        xpd_json_ktext(&w, "root", catalog->root);
        xpd_json_ktext(&w, "root_problem", catalog->root_problem);
        write_scan(&w, catalog);
        write_runs(&w, catalog);
        write_found(&w, catalog);
        write_looked_for(&w, catalog);
        write_samples(&w, ctx->store);
    }
    xpd_json_obj_end(&w);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    {.name = "since",
     .type = XPD_PARAM_INT,
     .max = INT64_MAX,
     .help = "generation a client has; the answer is short when nothing changed"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_runs = {
    .route = "/api/v1/runs",
    .title = "Every run under the root, newest name first.",
    .needs = XPD_NEEDS_CATALOG,
    .params = params,
    .run = runs,
};
