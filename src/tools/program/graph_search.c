/* /api/v1/graph/search: instructions by name, opcode, op_name, source or shape. */
#include "graph_rows.h"
#include "xprofd/graph/search.h"
#include "xprofd/match/match.h"

#include <time.h>

#define COUNT_DEFAULT 100
#define COUNT_MAX     1000

#define XPD_GRAPH_FOUND_FIELDS(FIELD)                                                              \
    XPD_OP_IX(FIELD)                                                                               \
    XPD_OP_ID(FIELD)                                                                               \
    XPD_OP_NAME(FIELD)                                                                             \
    XPD_OP_OPCODE(FIELD)                                                                           \
    XPD_OP_OP_NAME(FIELD)                                                                          \
    XPD_OP_SHAPE(FIELD)                                                                            \
    XPD_OP_BYTES(FIELD)                                                                            \
    XPD_OP_LINE(FIELD)                                                                             \
    XPD_OP_CYCLES(FIELD)                                                                           \
    XPD_OP_GROUP(FIELD)                                                                            \
    XPD_OP_COMPUTATION(FIELD)
XPD_RECORD(xpd_graph_found, XPD_GRAPH_FOUND_FIELDS)

#define XPD_GRAPH_SEARCH_FIELDS(FIELD)                                                             \
    FIELD(COUNT, total, "matches, listed or not")                                                  \
    FIELD(INLINE(xpd_graph_found), rows, "")                                                       \
    FIELD(REAL, took_ms, "")                                                                       \
    FIELD(STRING, problem,                                                                         \
          "why a pattern is taken as plain text, or which limit it reached and how many texts "    \
          "were not checked; else \"\"")
XPD_RECORD(xpd_graph_search, XPD_GRAPH_SEARCH_FIELDS)

static const struct xpd_param_spec params[] = {
    {.name = "q",
     .type = XPD_PARAM_TEXT,
     .help = "text to search for, ignoring case; empty finds all"},
    {.name = "field",
     .type = XPD_PARAM_ENUM,
     .words = "all name opcode op_name source shape",
     .help = "where to look; `source` is `file:line`, `shape` is without layout"},
    {.name = "regex",
     .type = XPD_PARAM_INT,
     .max = 1,
     .help = "1: `q` is a regular expression, as `filter` of memory/buffers"},
    XPD_GRAPH_COUNT_PARAM(COUNT_DEFAULT, COUNT_MAX),
    {.name = "after", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "matches to skip"},
    XPD_PARAM_FORMAT,
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

static int put_rows(struct xpd_graph_search *to, struct xpd_graph_ask *ask,
                    const struct xpd_found *found, struct xpd_err *err)
{
    struct xpd_graph_found *row =
        xpd_graph_rows(ask, xpd_graph_found_record(), found->instruction, found->count);
    if (!row)
        return xpd_tools_no_memory(err);
    to->total = found->total;
    to->rows.at = row;
    to->rows.n = found->count;
    return XPD_OK;
}

static int fill(struct xpd_graph_ask *ask, void *answer, struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_graph_search;
    const struct xpd_tool_ctx *ctx = ask->ctx;
    struct xpd_graph_search *to = answer;
    struct xpd_found found;
    struct xpd_match match;
    char note[XPD_MATCH_NOTE_MAX];
    double start = now_ms(); /* of the search, not of the tables that the first question makes */
    start_match(&match, ctx);
    int rc =
        xpd_graph_search(&found, ctx->arena, ask->index, fields_of(xpd_param_text(ctx, "field")),
                         (uint32_t)xpd_param_int(ctx, tool, "after"),
                         (uint32_t)xpd_param_int(ctx, tool, "count"), test, &match, err);
    const char *problem = xpd_match_note(&match, note);
    to->took_ms = now_ms() - start;
    to->problem = xpd_arena_strndup(ctx->arena, problem, strlen(problem));
    xpd_match_fini(&match);
    return rc == XPD_OK ? put_rows(to, ask, &found, err) : rc;
}

XPD_MAKE_BY(xpd_graph_answer, search, xpd_graph_search_record, fill)

const struct xpd_tool xpd_tool_graph_search = {
    .route = "/api/v1/graph/search",
    .title = "Instructions of a module by name, opcode, op_name, source or shape.",
    .about = "In the order of the text.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .answer = xpd_graph_search_record,
    .make = search,
    .file_name = "instructions.csv"};
