/* /api/v1/graph/search: instructions by name, opcode, op_name, source or shape. */
#include "graph_rows.h"
#include "xprofd/graph/search.h"
#include "xprofd/match/match.h"

#include <time.h>

#define COUNT_DEFAULT 100
#define COUNT_MAX     1000

static const struct xpd_param_spec params[] = {
    {.name = "q", .type = XPD_PARAM_TEXT, .help = "what to look for; letters of either case"},
    {.name = "field",
     .type = XPD_PARAM_ENUM,
     .words = "all name opcode op_name source shape",
     .help =
         "where: `name`, `opcode`, `op_name`, `source` (`file:line`), `shape` (without layout), "
         "or `all` (default)"},
    {.name = "regex",
     .type = XPD_PARAM_INT,
     .max = 1,
     .help = "1: `q` is a regular expression (PCRE2, 256 bytes at most)"},
    {.name = "count",
     .type = XPD_PARAM_INT,
     .min = 1,
     .max = COUNT_MAX,
     .fallback = COUNT_DEFAULT,
     .help = "rows, 1 to 1000, default 100"},
    {.name = "after", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "matches to skip"},
    {0}};

static bool test(void *self, struct xpd_str text)
{
    return xpd_match_test(self, text) != XPD_MATCH_NONE;
}

static uint32_t fields_of(struct xpd_str word)
{
    static const char *const words[] = {"name", "opcode", "op_name", "source", "shape"};
    for (uint32_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (xpd_str_eq(word, xpd_str_of(words[k])))
            return UINT32_C(1) << k;
    return XPD_FIND_ALL;
}

static void start_match(struct xpd_match *match, const struct xpd_tool_ctx *ctx)
{
    struct xpd_str q = xpd_param_text(ctx, "q");
    if (xpd_param_int(ctx, &xpd_tool_graph_search, "regex") != 0)
        xpd_match_init_regex(match, q);
    else
        xpd_match_init(match, q);
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void put_found(struct xpd_graph_ask *ask, const struct xpd_found *found,
                      const struct xpd_match *match, double ms)
{
    struct xpd_jsonw *w = &ask->w;
    char room[XPD_MATCH_NOTE_MAX];
    xpd_json_obj(w);
    xpd_json_ku64(w, "total", found->total);
    xpd_json_ku64(w, "n", found->count);
    xpd_graph_columns(ask, "name opcode op_name shape bytes line cycles group computation",
                      found->instruction, found->count);
    xpd_json_kdouble(w, "ms", ms);
    xpd_json_ktext(w, "problem", xpd_match_note(match, room));
    xpd_json_obj_end(w);
}

static int run(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_graph_search;
    struct xpd_graph_ask ask;
    struct xpd_found found;
    struct xpd_match match;
    int rc = xpd_graph_ask_init(&ask, ctx, out, err);
    if (rc == XPD_OK) {
        double start =
            now_ms(); /* of the search, not of the tables that the first question makes */
        start_match(&match, ctx);
        rc =
            xpd_graph_search(&found, ctx->arena, ask.index, fields_of(xpd_param_text(ctx, "field")),
                             (uint32_t)xpd_param_int(ctx, tool, "after"),
                             (uint32_t)xpd_param_int(ctx, tool, "count"), test, &match, err);
        if (rc == XPD_OK)
            put_found(&ask, &found, &match, now_ms() - start);
        xpd_match_fini(&match);
    }
    xpd_graph_ask_fini(&ask);
    return rc;
}

const struct xpd_tool xpd_tool_graph_search = {
    .route = "/api/v1/graph/search",
    .title = "Instructions of a module by name, opcode, op_name, source or shape.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .run = run};
