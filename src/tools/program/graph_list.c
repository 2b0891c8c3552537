/* /api/v1/graph/list: a computation in program order, a page of rows, with what each uses and who
 * uses it as rows: for lists with dependency lanes. */
#include "graph_rows.h"

#define COUNT_DEFAULT 100
#define COUNT_MAX     2000
#define NEAR_MAX      32 /* operand and user rows of one row */

static const struct xpd_param_spec params[] = {
    {.name = "computation", .type = XPD_PARAM_TEXT, .help = "its name; default: the entry"},
    {.name = "from",
     .type = XPD_PARAM_INT,
     .max = UINT32_MAX,
     .help = "first row, counted from 0 in program order; default 0"},
    {.name = "count",
     .type = XPD_PARAM_INT,
     .min = 1,
     .max = COUNT_MAX,
     .fallback = COUNT_DEFAULT,
     .help = "rows, 1 to 2000, default 100"},
    {.name = "node",
     .type = XPD_PARAM_TEXT,
     .help = "instead of both: the page that holds this instruction, in its middle"},
    {0}};

struct page {
    struct xpd_graph_ask *ask;
    uint32_t computation, from, count;
    const uint32_t *at; /* instructions */
};

/* The row of an instruction of this computation, -1 for those of others. */
static int64_t row_of(const struct page *page, uint32_t i)
{
    const struct xpd_graph_index *index = page->ask->index;
    if (i == XPD_NO_INDEX || index->hlo->instructions.computation[i] != page->computation ||
        index->place[i] == XPD_NO_INDEX)
        return -1;
    return (int64_t)index->place[i] - index->order_first[page->computation];
}

static void put_rows(const struct page *page, const uint32_t *near, uint32_t count)
{
    struct xpd_jsonw *w = &page->ask->w;
    xpd_json_arr(w);
    for (uint32_t k = 0, put = 0; k < count && put < NEAR_MAX; k++) {
        int64_t row = row_of(page, near[k]);
        if (row >= 0)
            xpd_json_i64(w, row);
        put += row >= 0;
    }
    xpd_json_arr_end(w);
}

static void put_page(const struct page *page)
{
    struct xpd_graph_ask *ask = page->ask;
    struct xpd_jsonw *w = &ask->w;
    const struct xpd_graph_index *index = ask->index;
    const struct xpd_hlo_instructions *ins = &ask->hlo->instructions;
    const uint32_t *at = page->at;
    uint32_t n = page->count;
    xpd_json_obj(w);
    xpd_json_kstr(w, "computation",
                  xpd_hlo_text(ask->hlo, ask->hlo->computations.name[page->computation]));
    xpd_json_ku64(w, "total", index->order_size[page->computation]);
    xpd_json_ku64(w, "from", page->from);
    xpd_json_ku64(w, "n", n);
    xpd_json_ku64(w, "rows_limit", NEAR_MAX);
    xpd_graph_columns(
        ask,
        "name opcode kind op_name label shape bytes space group cycles line is_root collective", at,
        n);
    XPD_COLUMN(w, "operands", n,
               xpd_json_u64(w, ins->operand_first[at[row] + 1] - ins->operand_first[at[row]]));
    XPD_COLUMN(w, "users", n, xpd_json_u64(w, xpd_index_users(index, at[row])));
    XPD_COLUMN(w, "operand_rows", n,
               put_rows(page, ins->operand + ins->operand_first[at[row]],
                        ins->operand_first[at[row] + 1] - ins->operand_first[at[row]]));
    XPD_COLUMN(
        w, "user_rows", n,
        put_rows(page, index->user + index->user_first[at[row]], xpd_index_users(index, at[row])));
    xpd_json_obj_end(w);
}

static int choose(struct xpd_graph_ask *ask, struct page *page, struct xpd_tool_result *out,
                  bool *found, struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_graph_list;
    int64_t from = xpd_param_int(ask->ctx, tool, "from");
    int64_t count = xpd_param_int(ask->ctx, tool, "count");
    uint32_t node;
    *found = true;
    if (xpd_param_has(ask->ctx, "node")) {
        *found = xpd_graph_find(ask, "node", &node, out);
        if (!*found)
            return XPD_OK;
        page->computation = ask->hlo->instructions.computation[node];
        from = row_of(page, node) - count / 2;
    } else {
        int rc = xpd_graph_pick_computation(ask->ctx, &page->computation, err);
        if (rc != XPD_OK)
            return rc;
    }
    int64_t total = ask->index->order_size[page->computation];
    from = from < 0 ? 0 : from > total ? total : from;
    page->from = (uint32_t)from;
    page->count = (uint32_t)(count < total - from ? count : total - from);
    page->at = ask->index->order + ask->index->order_first[page->computation] + from;
    return XPD_OK;
}

static int run(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_graph_ask ask;
    struct page page = {.ask = &ask};
    bool found = false;
    int rc = xpd_graph_ask_init(&ask, ctx, out, err);
    if (rc == XPD_OK)
        rc = choose(&ask, &page, out, &found, err);
    if (rc == XPD_OK && found)
        put_page(&page);
    xpd_graph_ask_fini(&ask);
    return rc;
}

const struct xpd_tool xpd_tool_graph_list = {
    .route = "/api/v1/graph/list",
    .title = "A computation in program order, with what uses what by rows.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .run = run};
