/* /api/v1/graph/list: a computation in program order, a page of rows, with what each uses and who
 * uses it as rows: for lists with dependency lanes. */
#include "graph_rows.h"

#define COUNT_DEFAULT 100
#define COUNT_MAX     2000
#define NEAR_MAX      32 /* operand and user rows of one row */

#define XPD_GRAPH_LIST_ROW_FIELDS(FIELD)                                                           \
    XPD_OP_IX(FIELD)                                                                               \
    XPD_OP_ID(FIELD)                                                                               \
    XPD_OP_NAME(FIELD)                                                                             \
    XPD_OP_OPCODE(FIELD)                                                                           \
    XPD_OP_KIND(FIELD)                                                                             \
    XPD_OP_OP_NAME(FIELD)                                                                          \
    XPD_OP_LABEL(FIELD)                                                                            \
    XPD_OP_SHAPE(FIELD)                                                                            \
    XPD_OP_BYTES(FIELD)                                                                            \
    XPD_OP_SPACE(FIELD)                                                                            \
    XPD_OP_GROUP(FIELD)                                                                            \
    XPD_OP_CYCLES(FIELD)                                                                           \
    XPD_OP_LINE(FIELD)                                                                             \
    XPD_OP_IS_ROOT(FIELD)                                                                          \
    XPD_OP_COLLECTIVE(FIELD)                                                                       \
    FIELD(COUNT, operands, "how many")                                                             \
    FIELD(COUNT, users, "how many")                                                                \
    FIELD(VALUES(INDEX), operand_rows, "rows of this computation, at most `rows_limit`")           \
    FIELD(VALUES(INDEX), user_rows, "rows of this computation, at most `rows_limit`")
XPD_RECORD(xpd_graph_list_row, XPD_GRAPH_LIST_ROW_FIELDS)

#define XPD_GRAPH_LIST_FIELDS(FIELD)                                                               \
    FIELD(TEXT, computation, "its name")                                                           \
    FIELD(COUNT, total, "rows of the computation")                                                 \
    FIELD(COUNT, from, "number of the first row here")                                             \
    FIELD(COUNT, rows_limit, "of `operand_rows` and `user_rows`")                                  \
    FIELD(INLINE(xpd_graph_list_row), rows, "")
XPD_RECORD(xpd_graph_list, XPD_GRAPH_LIST_FIELDS)

static const struct xpd_param_spec params[] = {
    {.name = "computation", .type = XPD_PARAM_TEXT, .help = "its name; default: the entry"},
    {.name = "from",
     .type = XPD_PARAM_INT,
     .max = UINT32_MAX,
     .help = "first row, counted from 0 in program order"},
    XPD_GRAPH_COUNT_PARAM(COUNT_DEFAULT, COUNT_MAX),
    {.name = "node",
     .type = XPD_PARAM_TEXT,
     .help = "an instruction, instead of both: the page with it in the middle"},
    XPD_PARAM_FORMAT,
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

struct numbers {
    uint32_t *at, n;
};

static struct numbers rows_of(const struct page *page, const uint32_t *near, uint32_t count)
{
    uint32_t most = count < NEAR_MAX ? count : NEAR_MAX;
    struct numbers rows = {XPD_NEW_ARRAY(page->ask->ctx->arena, uint32_t, most), 0};
    for (uint32_t k = 0; rows.at && k < count && rows.n < most; k++) {
        int64_t row = row_of(page, near[k]);
        if (row >= 0)
            rows.at[rows.n++] = (uint32_t)row;
    }
    return rows;
}

static void put_near(const struct page *page, struct xpd_graph_list_row *row, uint32_t i)
{
    const struct xpd_graph_index *index = page->ask->index;
    const struct xpd_hlo_instructions *all = &page->ask->hlo->instructions;
    row->operands = all->operand_first[i + 1] - all->operand_first[i];
    row->users = xpd_index_users(index, i);
    struct numbers operands = rows_of(page, all->operand + all->operand_first[i], row->operands);
    struct numbers users = rows_of(page, index->user + index->user_first[i], row->users);
    row->operand_rows.at = operands.at;
    row->operand_rows.n = operands.n;
    row->user_rows.at = users.at;
    row->user_rows.n = users.n;
}

static int choose(struct xpd_graph_ask *ask, struct page *page, struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_graph_list;
    int64_t from = xpd_param_int(ask->ctx, tool, "from");
    int64_t count = xpd_param_int(ask->ctx, tool, "count");
    uint32_t node = XPD_NO_INDEX;
    bool around = xpd_param_has(ask->ctx, "node");
    int rc = around ? xpd_graph_find(ask, "node", &node, err)
                    : xpd_graph_pick_computation(ask->ctx, &page->computation, err);
    if (rc != XPD_OK)
        return rc;
    if (around) {
        page->computation = ask->hlo->instructions.computation[node];
        from = row_of(page, node) - count / 2;
    }
    int64_t total = ask->index->order_size[page->computation];
    from = from < 0 ? 0 : from > total ? total : from;
    page->from = (uint32_t)from;
    page->count = (uint32_t)(count < total - from ? count : total - from);
    page->at = ask->index->order + ask->index->order_first[page->computation] + from;
    return XPD_OK;
}

static int fill(struct xpd_graph_ask *ask, void *answer, struct xpd_err *err)
{
    struct xpd_graph_list *to = answer;
    struct page page = {.ask = ask};
    int rc = choose(ask, &page, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_graph_list_row *row =
        xpd_graph_rows(ask, xpd_graph_list_row_record(), page.at, page.count);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < page.count; i++)
        put_near(&page, &row[i], page.at[i]);
    to->computation = xpd_hlo_text(ask->hlo, ask->hlo->computations.name[page.computation]);
    to->total = ask->index->order_size[page.computation];
    to->from = page.from;
    to->rows_limit = NEAR_MAX;
    to->rows.at = row;
    to->rows.n = page.count;
    return XPD_OK;
}

XPD_MAKE_BY(xpd_graph_answer, list, xpd_graph_list_record, fill)

const struct xpd_tool xpd_tool_graph_list = {
    .route = "/api/v1/graph/list",
    .title = "A computation in program order, with operands and users as rows.",
    .about = XPD_GRAPH_NOT_FOUND,
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .answer = xpd_graph_list_record,
    .make = list,
    .not_found = xpd_graph_nearest,
    .file_name = "instructions.csv"};
