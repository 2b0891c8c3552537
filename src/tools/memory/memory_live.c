/* /api/v1/memory/live: what is held after one step. The rows, the folded small ones and the rest
 * add up to the curve, and so do the blocks that all of them make. */
#include "../tables/table_words.h"
#include "table_blocks.h"
#include "table_buffers.h"
#include "whatif_changed.h"
#include "xprofd/base/checked.h"
#include "xprofd/memory/held.h"

#define ROWS_DEFAULT 4096
#define ROWS_MAX     16384

#define XPD_MEMORY_LIVE_ROW_FIELDS(FIELD)                                                          \
    FIELD(NAME, name, "of the buffer")                                                             \
    FIELD(NAME, shape, "without layout")                                                           \
    FIELD(NAME, class, "parameter, output, thread_local, constant, temporary")                     \
    FIELD(NAME, group, "kind of the operation that produces it")                                   \
    FIELD(INT, size_bytes, "held at this step")                                                    \
    FIELD(INT, unpadded_bytes, "without padding; with `plan`: halves and shares of what is left")  \
    FIELD(MAYBE(INT), saving_bytes, "how far the peak falls without it; null with `plan`")         \
    FIELD(MAYBE(INDEX), start_step, "held from here on")                                           \
    FIELD(MAYBE(INDEX), end_step, "up to, not including, this one")                                \
    FIELD(MAYBE(INT), offset_bytes, "address in the heap; null for residents")                     \
    FIELD(MAYBE(INDEX), buffer, "null: an allocation without a logical buffer")                    \
    FIELD(MAYBE(INDEX), tenancy, "null for residents")                                             \
    FIELD(MAYBE(INDEX), block, "place in `blocks`; null beyond those listed")
XPD_RECORD(xpd_memory_live_row, XPD_MEMORY_LIVE_ROW_FIELDS)

#define XPD_MEMORY_LIVE_SUM_FIELDS(FIELD)                                                          \
    FIELD(COUNT, count, "how many")                                                                \
    FIELD(INT, size_bytes, "sum of their sizes")                                                   \
    FIELD(INT, unpadded_bytes, "without padding")
XPD_RECORD(xpd_memory_live_sum, XPD_MEMORY_LIVE_SUM_FIELDS)

#define XPD_MEMORY_LIVE_FIELDS(FIELD)                                                              \
    FIELD(MAYBE(INDEX), step, "null without a heap trace: residents only")                         \
    FIELD(COUNT, count, "rows of everything held")                                                 \
    FIELD(INT, live_bytes, "the value of the curve; with `plan` that of the changed program")      \
    FIELD(INT, total_unpadded_bytes, "of all, without padding")                                    \
    FIELD(                                                                                         \
        INT, overlap_bytes,                                                                        \
        "bytes held by several rows at once; only in spaces whose bytes are a union (VMEM, CMEM)") \
    FIELD(INT, fold_bytes, "smaller rows are in `small`")                                          \
    FIELD(OBJECT(xpd_bytes_sum), untraced,                                                         \
          "buffers in the heap without events; in no row and not in `live_bytes`")                 \
    FIELD(INLINE(xpd_memory_live_row), rows, "the buffers held")                                   \
    FIELD(OBJECT(xpd_memory_live_sum), small, "sum of rows smaller than `fold_bytes`")             \
    FIELD(OBJECT(xpd_memory_live_sum), rest, "sum of rows beyond `limit`")                         \
    FIELD(OBJECT(xpd_held_blocks_list), blocks,                                                    \
          "everything held, folded or not, by shape and scope, the largest first")
XPD_RECORD(xpd_memory_live, XPD_MEMORY_LIVE_FIELDS)

static void add(struct xpd_memory_live_sum *sum, const struct xpd_held *row)
{
    sum->count++;
    xpd_grow_i64(&sum->size_bytes, row->size_bytes);
    xpd_grow_i64(&sum->unpadded_bytes, row->unpadded_bytes);
}

/* Descending, ties in program order: the place in the list is in the last member. */
struct sortable {
    int64_t key;
    uint32_t row;
};

static int descending(const void *a, const void *b)
{
    const struct sortable *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? 1 : -1;
    return x->row < y->row ? -1 : x->row > y->row;
}

struct live {
    struct xpd_held_list held;
    uint32_t step;
    bool planned; /* of a changed program: what a row would save on top is not computed here */
    int64_t fold_bytes;
    struct xpd_held *row; /* chosen, in the order asked for */
    uint32_t count;
    struct xpd_memory_live_sum small, rest;
    struct xpd_bytes_sum untraced;
    struct xpd_held_blocks blocks;
    struct xpd_memory_live out;
};

static void leave_out(struct live *live, struct xpd_memory_live_sum *sum,
                      const struct xpd_held *row)
{
    add(sum, row);
    xpd_held_blocks_add(&live->blocks, row, false);
}

static int choose(const struct xpd_tool_ctx *ctx, struct live *live, uint32_t limit,
                  struct xpd_err *err)
{
    struct xpd_str order = xpd_param_text(ctx, "order");
    bool by_size = xpd_str_eq(order, XPD_STR("size"));
    bool by_padding = xpd_str_eq(order, XPD_STR("padding"));
    struct sortable *big = XPD_NEW_ARRAY(ctx->arena, struct sortable, live->held.count);
    uint32_t n = 0;
    if (!big)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < live->held.count; i++) {
        const struct xpd_held *row = &live->held.at[i];
        if (row->size_bytes < live->fold_bytes)
            leave_out(live, &live->small, row);
        else
            big[n++] = (struct sortable){by_size      ? row->size_bytes
                                         : by_padding ? xpd_held_padding(row)
                                                      : 0,
                                         i};
    }
    if (by_size || by_padding)
        qsort(big, n, sizeof *big, descending);
    live->count = n < limit ? n : limit;
    live->row = XPD_NEW_ARRAY(ctx->arena, struct xpd_held, live->count);
    if (!live->row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_held *row = &live->held.at[big[i].row];
        if (i >= live->count) {
            leave_out(live, &live->rest, row);
            continue;
        }
        live->row[i] = *row;
        xpd_held_blocks_add(&live->blocks, row, true);
    }
    xpd_held_blocks_end(&live->blocks);
    return XPD_OK;
}

static int64_t saving_of(const struct xpd_tool_ctx *ctx, const struct xpd_savings *savings,
                         const struct xpd_held *row)
{
    return savings && row->buffer != XPD_NO_INDEX
               ? savings->by_buffer[row->buffer]
               : xpd_held_saving(row, ctx->mem, ctx->space, ctx->arena);
}

static void fill_rows(struct live *live, const struct xpd_tool_ctx *ctx,
                      struct xpd_memory_live_row *to)
{
    const struct xpd_words *words = xpd_table_words_made(ctx);
    const struct xpd_savings *savings = xpd_table_savings_made(ctx);
    struct xpd_texts texts = {.arena = ctx->arena};
    for (uint32_t i = 0; i < live->count; i++) {
        const struct xpd_held *row = &live->row[i];
        uint32_t instruction = xpd_mem_instruction(ctx->mem, row->buffer);
        enum xpd_op_group group = xpd_words_group(words, ctx->hlo, instruction);
        to[i] = (struct xpd_memory_live_row){
            .name = xpd_texts_buffer(&texts, ctx->mem, row->buffer),
            .shape = xpd_texts_buffer_shape(&texts, ctx->mem, row->buffer),
            .class = xpd_str_of(xpd_mem_class_word(row->mem_class)),
            .group = xpd_str_of(xpd_op_group_word(group)),
            .size_bytes = row->size_bytes,
            .unpadded_bytes = row->unpadded_bytes,
            .saving_bytes = live->planned ? -1 : saving_of(ctx, savings, row),
            .start_step = row->start,
            .end_step = row->end,
            .offset_bytes = row->tenancy == XPD_NO_INDEX ? -1 : row->offset_bytes,
            .buffer = row->buffer,
            .tenancy = row->tenancy,
            .block = xpd_held_block_of(&live->blocks, row),
        };
    }
    xpd_texts_fini(&texts);
}

/* What has no row is a row of a CSV, so that it adds up. */
static uint32_t add_sum(struct xpd_memory_live_row *to, const char *name,
                        const struct xpd_memory_live_sum *sum)
{
    if (sum->count == 0)
        return 0;
    *to = (struct xpd_memory_live_row){.name = xpd_str_of(name),
                                       .size_bytes = sum->size_bytes,
                                       .unpadded_bytes = sum->unpadded_bytes,
                                       .saving_bytes = -1,
                                       .start_step = XPD_NO_INDEX,
                                       .end_step = XPD_NO_INDEX,
                                       .offset_bytes = -1,
                                       .buffer = XPD_NO_INDEX,
                                       .tenancy = XPD_NO_INDEX,
                                       .block = XPD_NO_INDEX};
    return 1;
}

static int fill(struct live *live, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    const struct xpd_held_list *held = &live->held;
    struct xpd_memory_live_row *row =
        XPD_NEW_ARRAY(ctx->arena, struct xpd_memory_live_row, live->count + 2);
    if (!row)
        return xpd_tools_no_memory(err);
    fill_rows(live, ctx, row);
    uint32_t n = live->count;
    if (xpd_tools_csv(ctx)) {
        n += add_sum(&row[n], "(small)", &live->small);
        n += add_sum(&row[n], "(rest)", &live->rest);
    }
    live->untraced = (struct xpd_bytes_sum){held->untraced_count, held->untraced_bytes};
    live->out = (struct xpd_memory_live){
        .step = live->step,
        .count = held->count,
        .live_bytes = held->bytes,
        .total_unpadded_bytes = held->unpadded_bytes,
        .overlap_bytes = held->listed_bytes - held->bytes,
        .fold_bytes = live->fold_bytes,
        .untraced = &live->untraced,
        .rows = {row, n},
        .small = &live->small,
        .rest = &live->rest,
        .blocks = xpd_held_blocks_fill(&live->blocks, ctx),
    };
    return live->out.blocks ? XPD_OK : xpd_tools_no_memory(err);
}

static int live_tool(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_memory_live;
    struct live *live = XPD_NEW(ctx->arena, struct live);
    if (!live)
        return xpd_tools_no_memory(err);
    live->fold_bytes = xpd_param_has(ctx, "fold_bytes") ? xpd_param_int(ctx, tool, "fold_bytes")
                                                        : xpd_mem_fold_bytes(ctx->space);
    live->planned = xpd_param_has(ctx, "plan");
    int rc = xpd_tools_step(ctx, "step", &live->step, err);
    if (rc == XPD_OK)
        rc = xpd_tools_held(&live->held, ctx, live->step, err);
    if (rc == XPD_OK)
        rc = xpd_held_blocks_begin(&live->blocks, ctx, err);
    if (rc == XPD_OK)
        rc = choose(ctx, live, (uint32_t)xpd_param_int(ctx, tool, "limit"), err);
    if (rc == XPD_OK)
        rc = fill(live, ctx, err);
    *out = &live->out;
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "step", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "default: the peak"},
    {.name = "order",
     .type = XPD_PARAM_ENUM,
     .words = "program size padding",
     .help = "residents by allocation, then by start; or the largest first"},
    {.name = "fold_bytes",
     .type = XPD_PARAM_SIZE,
     .max = INT64_MAX,
     .help = "smaller rows are summed in `small`; default the summary's `fold_bytes`"},
    XPD_PARAM_LIMIT(ROWS_DEFAULT, ROWS_MAX, "rows; what is over is summed up in `rest`"),
    XPD_PARAM_PLAN,
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_live = {
    .route = "/api/v1/memory/live",
    .title = "The buffers held after one step, residents first.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .about = "Rows + `small` + `rest` - `overlap_bytes` = `live_bytes`; all blocks - "
             "`overlap_bytes` also equal it. With `plan` the rows are those of the changed "
             "program, without removed buffers. Start, end and address stay those of the present "
             "program, because the packing of the changed heap is unknown; only the end of an "
             "input that stays longer changes. `plan` does not work in spaces whose bytes are a "
             "union of addresses. A CSV has one more row each for `small` and `rest`.",
    .answer = xpd_memory_live_record,
    .make = live_tool,
    .file_name = "live.csv",
    XPD_IN_REPORT("",
                  {125, XPD_EACH_PEAK, "step={step}&fold_bytes={fold}",
                   "the buffers at the peaks, and at every step of a program of at most 1,000"},
                  {220, XPD_EACH_NEAR, "step={step}&fold_bytes={fold}", NULL},
                  {225, XPD_EACH_PEAK, "step={step}&order=size|padding&fold_bytes={fold}", NULL},
                  {310, XPD_EACH_STEP, "step={step}&fold_bytes={fold}", NULL}),
};
