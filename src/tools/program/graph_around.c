/* /api/v1/graph/around: what lies around an instruction, or the instructions of a computation, as
 * columns to draw. */
#include "graph_view.h"
#include "xprofd/graph/graph.h"

#define RADIUS_DEFAULT 1
#define USERS_DEFAULT  16
#define LIMIT_DEFAULT  300
#define LIST_MAX       256 /* of expand, more and keep */

static const struct xpd_param_spec params[] = {
    {.name = "node", .type = XPD_PARAM_TEXT, .help = "an instruction: id or name"},
    {.name = "computation",
     .type = XPD_PARAM_TEXT,
     .help = "a computation, instead of `node`: its instructions in program order"},
    {.name = "radius",
     .type = XPD_PARAM_INT,
     .max = XPD_VIEW_RADIUS_MAX,
     .fallback = RADIUS_DEFAULT,
     .help = "steps from the node, 0 to 10, default 1"},
    {.name = "merge",
     .type = XPD_PARAM_INT,
     .max = 1,
     .help = "1: a fusion is one node, except those of `expand`"},
    {.name = "all",
     .type = XPD_PARAM_INT,
     .max = 1,
     .help = "1: nothing is folded; XProf's nodes and edges"},
    {.name = "users",
     .type = XPD_PARAM_INT,
     .min = 1,
     .max = XPD_VIEW_USERS_MAX,
     .fallback = USERS_DEFAULT,
     .help =
         "users of one instruction that are followed, the nearest first; 1 to 4096, default 16"},
    XPD_PARAM_LIMIT(LIMIT_DEFAULT, XPD_VIEW_NODES_MAX, "nodes, 1 to 5000, default 300"),
    {.name = "far",
     .type = XPD_PARAM_INT,
     .max = UINT32_MAX,
     .fallback = XPD_VIEW_FAR_LINES,
     .help = "edges over more lines become stubs; default 300, 0: no stubs"},
    {.name = "expand",
     .type = XPD_PARAM_TEXT,
     .help =
         "`ix,ix`: show the bodies of these (fusion, while, call, ...); `center`: that of `node`"},
    {.name = "more",
     .type = XPD_PARAM_TEXT,
     .help = "`ix:n,...`: follow n users and operands of this instruction"},
    {.name = "keep", .type = XPD_PARAM_TEXT, .help = "`ix:ix,...`: draw this edge at any distance"},
    {0}};

/* ---- lists of a query ---- */

struct numbers {
    uint32_t *at; /* two for each entry; the second is 0 without a colon */
    uint32_t count;
};

static int bad_list(struct xpd_err *err, const char *name, struct xpd_str text)
{
    return xpd_fail(err, XPD_EINVAL, name, XPD_NO_OFFSET,
                    "%s must be at most %d instruction numbers, not \"%.*s\"", name, LIST_MAX,
                    (int)(text.size < 40 ? text.size : 40), text.data);
}

/* `pairs`: each entry has two numbers. The first is an instruction of the module. */
static int read_list(const struct xpd_tool_ctx *ctx, const char *name, bool pairs,
                     struct numbers *out, struct xpd_err *err)
{
    struct xpd_str text = xpd_param_text(ctx, name), rest = text;
    *out = (struct numbers){XPD_NEW_ARRAY(ctx->arena, uint32_t, 2 * LIST_MAX), 0};
    if (!out->at)
        return xpd_tools_no_memory(err);
    while (rest.size > 0) {
        uint32_t *entry = &out->at[2 * out->count];
        if (out->count++ == LIST_MAX || !xpd_str_take_u32(&rest, &entry[0]) ||
            entry[0] >= ctx->hlo->instructions.count ||
            (pairs && !(xpd_str_take_char(&rest, ':') && xpd_str_take_u32(&rest, &entry[1]))) ||
            (rest.size > 0 && !xpd_str_take_char(&rest, ',')))
            return bad_list(err, name, text);
    }
    return XPD_OK;
}

/* `expand`: a list, or the word `center`, which needs no number. */
static int read_expand(const struct xpd_tool_ctx *ctx, uint32_t center, struct numbers *out,
                       struct xpd_err *err)
{
    if (!xpd_str_eq(xpd_param_text(ctx, "expand"), XPD_STR("center")))
        return read_list(ctx, "expand", false, out, err);
    *out = (struct numbers){XPD_NEW_ARRAY(ctx->arena, uint32_t, 2 * LIST_MAX), 0};
    if (!out->at)
        return xpd_tools_no_memory(err);
    if (center != XPD_NO_INDEX)
        out->at[2 * out->count++] = center;
    return XPD_OK;
}

static int read_options(const struct xpd_tool_ctx *ctx, uint32_t center,
                        struct xpd_view_options *options, struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_graph_around;
    struct numbers expand, more, keep;
    int rc = read_expand(ctx, center, &expand, err);
    if (rc == XPD_OK)
        rc = read_list(ctx, "more", true, &more, err);
    if (rc == XPD_OK)
        rc = read_list(ctx, "keep", true, &keep, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t *bodies = XPD_NEW_ARRAY(ctx->arena, uint32_t, LIST_MAX);
    struct xpd_view_more *caps = XPD_NEW_ARRAY(ctx->arena, struct xpd_view_more, LIST_MAX);
    struct xpd_view_keep *kept = XPD_NEW_ARRAY(ctx->arena, struct xpd_view_keep, LIST_MAX);
    if (!bodies || !caps || !kept)
        return xpd_tools_no_memory(err);
    for (uint32_t k = 0; k < LIST_MAX; k++) {
        uint32_t cap = more.at[2 * k + 1];
        bodies[k] = expand.at[2 * k];
        caps[k] = (struct xpd_view_more){more.at[2 * k],
                                         cap < XPD_VIEW_USERS_MAX ? cap : XPD_VIEW_USERS_MAX};
        kept[k] = (struct xpd_view_keep){keep.at[2 * k], keep.at[2 * k + 1]};
    }
    *options = (struct xpd_view_options){.radius = (uint32_t)xpd_param_int(ctx, tool, "radius"),
                                         .merge_fusions = xpd_param_int(ctx, tool, "merge") != 0,
                                         .users = (uint32_t)xpd_param_int(ctx, tool, "users"),
                                         .limit = (uint32_t)xpd_param_int(ctx, tool, "limit"),
                                         .far_lines = (uint32_t)xpd_param_int(ctx, tool, "far"),
                                         .expand = bodies,
                                         .more = caps,
                                         .keep = kept,
                                         .expand_count = expand.count,
                                         .more_count = more.count,
                                         .keep_count = keep.count};
    return XPD_OK;
}

/* ---- the picture ---- */

static int make_all(struct xpd_graph_ask *ask, uint32_t instruction, uint32_t computation,
                    const struct xpd_view_options *options, struct xpd_graph_view *view,
                    struct xpd_err *err)
{
    struct xpd_graph_options all = {options->radius, options->merge_fusions};
    struct xpd_graph *graph = NULL;
    int rc = xpd_graph_make(&graph, ask->index, instruction, computation, &all, err);
    if (rc == XPD_OK)
        rc = xpd_view_of_graph(view, ask->ctx->arena, graph, options->limit, err);
    xpd_graph_free(graph);
    return rc;
}

static int around(struct xpd_graph_ask *ask, void *answer, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = ask->ctx;
    struct xpd_view_options options = {0};
    struct xpd_graph_view view;
    uint32_t instruction = XPD_NO_INDEX, computation = XPD_NO_INDEX;
    bool all = xpd_param_int(ctx, &xpd_tool_graph_around, "all") != 0;
    int rc = xpd_param_has(ctx, "node") ? xpd_graph_find(ask, "node", &instruction, err)
                                        : xpd_graph_pick_computation(ctx, &computation, err);
    if (rc == XPD_OK)
        rc = read_options(ctx, instruction, &options, err);
    if (rc == XPD_OK && all)
        rc = make_all(ask, instruction, computation, &options, &view, err);
    else if (rc == XPD_OK)
        rc = xpd_view_make(&view, ctx->arena, ask->index, instruction, computation, &options, err);
    if (rc == XPD_OK)
        xpd_around_fill(answer, ask, &view, &options, all);
    return rc;
}

XPD_MAKE_BY(xpd_graph_answer, make, xpd_around_record, around)

const struct xpd_tool xpd_tool_graph_around = {
    .route = "/api/v1/graph/around",
    .title = "The neighbours of an instruction, or the instructions of a computation, for drawing.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .about = XPD_GRAPH_NOT_FOUND,
    .answer = xpd_around_record,
    .make = make,
    .not_found = xpd_graph_nearest,
    XPD_IN_REPORT("", {135, XPD_EACH_ENTRY, "computation={computation}&merge=1&limit=300",
                       "the graph of the entry computation"}),
};
