/* /api/v1/loading: how far the files of a run are, one row a file, and the memory it takes. Never
 * waits and starts nothing, so that a page can ask beside the question it waits for. */
#include "common/common.h"

#include <unistd.h>

#define FILES_MAX 1024

static const char *const run_word[] = {"not_loaded", "waits", "loading", "loaded"};
static const char *const file_word[] = {"waits", "reading", "read", "unreadable", "left_out"};

/* What the process takes of the machine's memory now; -1 where nobody says. */
static int64_t resident_bytes(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return -1;
    int got = fscanf(file, "%*u %llu", &pages);
    fclose(file);
    return got == 1 ? (int64_t)pages * sysconf(_SC_PAGESIZE) : -1;
}

static void write_files(struct xpd_jsonw *w, const struct xpd_run_progress *run)
{
    const struct xpd_file_progress *file = run->file;
    uint32_t n = run->file_count < FILES_MAX ? run->file_count : FILES_MAX;
    xpd_json_key(w, "files");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    xpd_json_ku64(w, "left_out", run->file_count - n);
    XPD_COLUMN(w, "name", n, xpd_json_text(w, file[row].name));
    XPD_COLUMN(w, "host", n, xpd_json_text(w, file[row].host));
    XPD_COLUMN(w, "size_bytes", n, xpd_json_u64(w, file[row].size_bytes));
    XPD_COLUMN(w, "done_bytes", n, xpd_json_u64(w, file[row].done_bytes));
    XPD_COLUMN(w, "state", n, xpd_json_text(w, file_word[file[row].state]));
    XPD_COLUMN(w, "events", n,
               file[row].counted ? xpd_json_u64(w, file[row].events) : xpd_json_null(w));
    XPD_COLUMN(w, "modules", n,
               file[row].counted ? xpd_json_u64(w, file[row].modules) : xpd_json_null(w));
    XPD_COLUMN(w, "events_done_bytes", n, xpd_json_u64(w, file[row].events_done_bytes));
    XPD_COLUMN(w, "events_total_bytes", n, xpd_json_u64(w, file[row].events_total_bytes));
    XPD_COLUMN(w, "events_read", n, xpd_json_bool(w, file[row].events_read));
    xpd_json_obj_end(w);
}

static int loading(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_run_progress run;
    struct xpd_store_stats stats;
    struct xpd_jsonw w;
    struct xpd_str id = xpd_param_text(ctx, "run");
    if (id.size == 0)
        return xpd_fail(err, XPD_EINVAL, "run", XPD_NO_OFFSET, "run= is missing");
    int rc = xpd_store_progress(ctx->store, id, xpd_param_text(ctx, "only"), ctx->arena, &run, err);
    if (rc != XPD_OK)
        return rc;
    xpd_store_stats(ctx->store, &stats);
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_json_ktext(&w, "state", run_word[run.state]);
    xpd_json_ktext(&w, "what", run.what[0] ? run.what : NULL);
    xpd_json_ku64(&w, "memory_bytes", stats.memory_bytes);
    xpd_json_ku64(&w, "memory_limit_bytes", stats.memory_limit_bytes);
    xpd_tools_kknown(&w, "resident_bytes", resident_bytes());
    write_files(&w, &run);
    xpd_json_obj_end(&w);
    return XPD_OK;
}

const struct xpd_tool xpd_tool_loading = {
    .route = "/api/v1/loading",
    .title = "How far the files of a run are, one row a file, and the memory in use; starts "
             "nothing.",
    .needs = XPD_NEEDS_NOTHING,
    .run = loading,
};
