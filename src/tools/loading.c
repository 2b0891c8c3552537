/* /api/v1/loading: how far the files of a run are, one row a file, and the memory it takes. Never
 * waits and starts nothing, so that a page can ask beside the question it waits for. */
#include "common/common.h"

#include <unistd.h>

#define FILES_MAX 1024

#define XPD_LOADING_FILE_FIELDS(FIELD)                                                             \
    FIELD(STRING, name, "")                                                                        \
    FIELD(STRING, host, "\"\" unknown")                                                            \
    FIELD(INT, size_bytes, "on the disk")                                                          \
    FIELD(INT, done_bytes, "bytes read to find its contents")                                      \
    FIELD(WORD("waits reading read unreadable left_out"), state, "")                               \
    FIELD(MAYBE(INT), events, "counted so far")                                                    \
    FIELD(MAYBE(INT), modules, "likewise")                                                         \
    FIELD(INT, events_done_bytes, "read for its events")                                           \
    FIELD(INT, events_total_bytes, "to be read for its events; 0: not requested")                  \
    FIELD(BOOL, events_read, "")
XPD_RECORD(xpd_loading_file, XPD_LOADING_FILE_FIELDS)

#define XPD_LOADING_FILES_FIELDS(FIELD)                                                            \
    FIELD(COUNT, left_out, "files not listed")                                                     \
    FIELD(INLINE(xpd_loading_file), rows, "")
XPD_RECORD(xpd_loading_files, XPD_LOADING_FILES_FIELDS)

#define XPD_LOADING_FIELDS(FIELD)                                                                  \
    FIELD(WORD("not_loaded waits loading loaded"), state, "of the run")                            \
    FIELD(MAYBE(TEXT), what, "what is being read")                                                 \
    FIELD(INT, memory_bytes, "that runs take")                                                     \
    FIELD(INT, memory_limit_bytes, "limit of that memory")                                         \
    FIELD(MAYBE(INT), resident_bytes, "resident memory of the process")                            \
    FIELD(OBJECT(xpd_loading_files), files, "")
XPD_RECORD(xpd_loading, XPD_LOADING_FIELDS)

static const char *const run_word[] = {"not_loaded", "waits", "loading", "loaded"};
static const char *const file_word[] = {"waits", "reading", "read", "unreadable", "left_out"};

/* What the process takes of the machine's memory now; -1 = unknown. */
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

static int fill_files(struct xpd_loading *out, const struct xpd_run_progress *run,
                      struct xpd_arena *arena, struct xpd_err *err)
{
    uint32_t n = run->file_count < FILES_MAX ? run->file_count : FILES_MAX;
    struct xpd_loading_files *files = XPD_NEW(arena, struct xpd_loading_files);
    struct xpd_loading_file *to = XPD_NEW_ARRAY(arena, struct xpd_loading_file, n);
    if (!files || !to)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_file_progress *file = &run->file[i];
        to[i] = (struct xpd_loading_file){
            .name = file->name,
            .host = file->host,
            .size_bytes = (int64_t)file->size_bytes,
            .done_bytes = (int64_t)file->done_bytes,
            .state = file_word[file->state],
            .events = file->counted ? (int64_t)file->events : -1,
            .modules = file->counted ? (int64_t)file->modules : -1,
            .events_done_bytes = (int64_t)file->events_done_bytes,
            .events_total_bytes = (int64_t)file->events_total_bytes,
            .events_read = file->events_read,
        };
    }
    *files = (struct xpd_loading_files){run->file_count - n, {to, n}};
    out->files = files;
    return XPD_OK;
}

static int loading(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct xpd_loading *out = XPD_NEW(ctx->arena, struct xpd_loading);
    struct xpd_run_progress *run = XPD_NEW(ctx->arena, struct xpd_run_progress);
    struct xpd_store_stats stats;
    struct xpd_str id = xpd_param_text(ctx, "run");
    if (!out || !run)
        return xpd_tools_no_memory(err);
    if (id.size == 0)
        return xpd_fail(err, XPD_EINVAL, "run", XPD_NO_OFFSET, "run= is missing");
    int rc = xpd_store_progress(ctx->store, id, xpd_param_text(ctx, "only"), ctx->arena, run, err);
    if (rc != XPD_OK)
        return rc;
    xpd_store_stats(ctx->store, &stats);
    *out = (struct xpd_loading){
        .state = run_word[run->state],
        .what = run->what[0] ? xpd_str_of(run->what) : (struct xpd_str){0},
        .memory_bytes = (int64_t)stats.memory_bytes,
        .memory_limit_bytes = (int64_t)stats.memory_limit_bytes,
        .resident_bytes = resident_bytes(),
    };
    *answer = out;
    return fill_files(out, run, ctx->arena, err);
}

const struct xpd_tool xpd_tool_loading = {
    .route = "/api/v1/loading",
    .title = "Loading progress of the files of a run, one row a file, and the memory in use. Loads "
             "nothing.",
    .needs = XPD_NEEDS_NOTHING,
    .answer = xpd_loading_record,
    .make = loading,
};
