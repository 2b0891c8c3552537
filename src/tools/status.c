/* /api/v1/status: who answers, how much it holds, which tools there are. */
#include "common/sidebar.h"
#include "xprofd/base/build.h"

#define XPD_STATUS_STORE_FIELDS(FIELD)                                                             \
    FIELD(INT, memory_bytes, "that runs take")                                                     \
    FIELD(INT, memory_limit_bytes, "limit of that memory")                                         \
    FIELD(COUNT, runs_loaded, "")                                                                  \
    FIELD(COUNT, runs_held, "number of these in use now")                                          \
    FIELD(INT, loads, "loads since the start")                                                     \
    FIELD(INT, evictions, "runs removed for others")
XPD_RECORD(xpd_status_store, XPD_STATUS_STORE_FIELDS)

#define XPD_STATUS_FIELDS(FIELD)                                                                   \
    FIELD(STRING, name, "xprofd")                                                                  \
    FIELD(STRING, version, "")                                                                     \
    FIELD(STRING, build, "commit, processor, kind of link")                                        \
    FIELD(COUNT, api, "version of the API")                                                        \
    FIELD(STRING, root, "folder served")                                                           \
    FIELD(INT, generation, "generation of the list of runs")                                       \
    FIELD(OBJECT(xpd_status_store), store, "")                                                     \
    FIELD(LIST(xpd_tool_state), tools, "of the page")
XPD_RECORD(xpd_status, XPD_STATUS_FIELDS)

static int status(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct xpd_status *out = XPD_NEW(ctx->arena, struct xpd_status);
    struct xpd_status_store *store = XPD_NEW(ctx->arena, struct xpd_status_store);
    struct xpd_tool_state *tool =
        XPD_NEW_ARRAY(ctx->arena, struct xpd_tool_state, XPD_SIDEBAR_TOOLS);
    struct xpd_store_stats stats;
    if (!out || !store || !tool)
        return xpd_tools_no_memory(err);
    xpd_store_stats(ctx->store, &stats);
    xpd_sidebar_of(tool, NULL);
    *store = (struct xpd_status_store){
        .memory_bytes = (int64_t)stats.memory_bytes,
        .memory_limit_bytes = (int64_t)stats.memory_limit_bytes,
        .runs_loaded = stats.runs_loaded,
        .runs_held = stats.runs_held,
        .loads = (int64_t)stats.loads,
        .evictions = (int64_t)stats.evictions,
    };
    *out = (struct xpd_status){
        .name = "xprofd",
        .version = xpd_version(),
        .build = xpd_build(),
        .api = 1,
        .root = ctx->catalog->root,
        .generation = (int64_t)ctx->catalog->generation,
        .store = store,
        .tools = {tool, XPD_SIDEBAR_TOOLS},
    };
    *answer = out;
    return XPD_OK;
}

const struct xpd_tool xpd_tool_status = {
    .route = "/api/v1/status",
    .title = "The program: version, memory use, tools.",
    .needs = XPD_NEEDS_CATALOG,
    .answer = xpd_status_record,
    .make = status,
};
