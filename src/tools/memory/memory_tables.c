/* Uses of each buffer, walked once. In: a space. Out: columns by buffer. */
#include "table_blocks.h"
#include "table_buffers.h"
#include "table_facts.h"
#include "table_steps.h"
#include "table_uses.h"
#include "xprofd/base/checked.h"
#include <stdlib.h>

/* See table_blocks.h. In: rows that are held. Out: one line a block, largest first.
 *
 * Rows without a buffer are a block of their own, the one behind the last. */

#define BLOCKS_WRITTEN 256

XPD_RECORD_TABLE(xpd_held_blocks_row, XPD_HELD_BLOCKS_ROW_FIELDS)
XPD_RECORD_TABLE(xpd_held_blocks_rest, XPD_HELD_BLOCKS_REST_FIELDS)
XPD_RECORD_TABLE(xpd_held_blocks_list, XPD_HELD_BLOCKS_LIST_FIELDS)

static int make_blocks(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                       uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    return xpd_mem_blocks(ctx->mem, arena, table) ? XPD_OK : xpd_tools_no_memory(err);
}

const struct xpd_blocks *xpd_table_blocks(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_BLOCKS, 0, false, sizeof(struct xpd_blocks), make_blocks, err);
}

int xpd_held_blocks_begin(struct xpd_held_blocks *blocks, const struct xpd_tool_ctx *ctx,
                          struct xpd_err *err)
{
    *blocks = (struct xpd_held_blocks){.all = xpd_table_blocks(ctx, err)};
    if (!blocks->all)
        return xpd_table_status(blocks->all, err);
    blocks->at = XPD_NEW_ARRAY(ctx->arena, struct xpd_held_block, blocks->all->count + 1);
    blocks->place = XPD_NEW_ARRAY(ctx->arena, uint32_t, blocks->all->count + 1);
    return blocks->at && blocks->place ? XPD_OK : xpd_tools_no_memory(err);
}

static uint32_t block_of(const struct xpd_held_blocks *blocks, const struct xpd_held *row)
{
    return row->buffer == XPD_NO_INDEX ? blocks->all->count : blocks->all->of_buffer[row->buffer];
}

void xpd_held_blocks_add(struct xpd_held_blocks *blocks, const struct xpd_held *row, bool listed)
{
    uint32_t block = block_of(blocks, row);
    if (blocks->place[block] == 0) {
        blocks->at[blocks->count] = (struct xpd_held_block){.block = block, .largest = row};
        blocks->place[block] = ++blocks->count;
    }
    struct xpd_held_block *at = &blocks->at[blocks->place[block] - 1];
    at->count++;
    xpd_grow_i64(&at->bytes, row->size_bytes);
    if (row->size_bytes > at->largest->size_bytes)
        at->largest = row;
    if (listed)
        return;
    at->unlisted_count++;
    xpd_grow_i64(&at->unlisted_bytes, row->size_bytes);
    xpd_grow_i64(&at->unlisted_unpadded_bytes, row->unpadded_bytes);
}

static int by_bytes(const void *a, const void *b)
{
    const struct xpd_held_block *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x->block < y->block ? -1 : x->block > y->block;
}

void xpd_held_blocks_end(struct xpd_held_blocks *blocks)
{
    if (blocks->count > 1)
        qsort(blocks->at, blocks->count, sizeof *blocks->at, by_bytes);
    blocks->written = blocks->count < BLOCKS_WRITTEN ? blocks->count : BLOCKS_WRITTEN;
    for (uint32_t i = 0; i < blocks->count; i++)
        blocks->place[blocks->at[i].block] = i < blocks->written ? i + 1 : 0;
}

uint32_t xpd_held_block_of(const struct xpd_held_blocks *blocks, const struct xpd_held *row)
{
    uint32_t place = blocks->place[block_of(blocks, row)];
    return place == 0 ? XPD_NO_INDEX : place - 1;
}

static struct xpd_held_blocks_rest rest_of(const struct xpd_held_blocks *blocks)
{
    struct xpd_held_blocks_rest rest = {.blocks = blocks->count - blocks->written};
    for (uint32_t i = blocks->written; i < blocks->count; i++) {
        const struct xpd_held_block *at = &blocks->at[i];
        rest.count += at->count;
        rest.unlisted_count += at->unlisted_count;
        xpd_grow_i64(&rest.size_bytes, at->bytes);
        xpd_grow_i64(&rest.unlisted_bytes, at->unlisted_bytes);
        xpd_grow_i64(&rest.unlisted_unpadded_bytes, at->unlisted_unpadded_bytes);
    }
    return rest;
}

static struct xpd_held_blocks_row row_of(const struct xpd_held_blocks *blocks, uint32_t i,
                                         const struct xpd_tool_ctx *ctx)
{
    const struct xpd_held_block *at = &blocks->at[i];
    bool named = at->block < blocks->all->count;
    uint32_t instruction = xpd_mem_instruction(ctx->mem, at->largest->buffer);
    enum xpd_op_group group = xpd_words_group(xpd_table_words_made(ctx), ctx->hlo, instruction);
    return (struct xpd_held_blocks_row){
        .shape = named ? blocks->all->shape[at->block] : XPD_STR(""),
        .scope = named ? blocks->all->scope[at->block] : XPD_STR(""),
        .class = xpd_str_of(xpd_mem_class_word(at->largest->mem_class)),
        .group = xpd_str_of(xpd_op_group_word(group)),
        .largest_bytes = at->largest->size_bytes,
        .count = at->count,
        .size_bytes = at->bytes,
        .unlisted_count = at->unlisted_count,
        .unlisted_bytes = at->unlisted_bytes,
        .unlisted_unpadded_bytes = at->unlisted_unpadded_bytes,
    };
}

const struct xpd_held_blocks_list *xpd_held_blocks_fill(const struct xpd_held_blocks *blocks,
                                                        const struct xpd_tool_ctx *ctx)
{
    struct made {
        struct xpd_held_blocks_list list;
        struct xpd_held_blocks_rest rest;
        struct xpd_held_blocks_row row[BLOCKS_WRITTEN];
    } *made = XPD_NEW(ctx->arena, struct made);
    if (!made)
        return NULL;
    for (uint32_t i = 0; i < blocks->written; i++)
        made->row[i] = row_of(blocks, i, ctx);
    made->rest = rest_of(blocks);
    made->list.rows.at = made->row;
    made->list.rows.n = blocks->written;
    made->list.left_out = &made->rest;
    return &made->list;
}

/* Rows of a space's buffers and what each saves, made once. In: a space. Out: columns. */

static int make_rows(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                     uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    struct xpd_all_rows *all = table;
    const struct xpd_mem *mem = ctx->mem;
    uint32_t count = ctx->hlo->buffers.count, n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += xpd_mem_color_of(mem, i) == ctx->color;
    struct xpd_buffer_row *row = XPD_NEW_ARRAY(arena, struct xpd_buffer_row, n);
    if (!row)
        return xpd_tools_no_memory(err);
    all->row = row;
    for (uint32_t i = 0; i < count; i++) {
        const struct xpd_mem_buffer *buffer = &mem->buffer[i];
        if (xpd_mem_color_of(mem, i) != ctx->color)
            continue;
        row[all->count++] =
            (struct xpd_buffer_row){.buffer = i,
                                    .held = XPD_NO_INDEX,
                                    .mem_class = (enum xpd_mem_class)buffer->mem_class,
                                    .size_bytes = buffer->size_bytes,
                                    .unpadded_bytes = buffer->unpadded_bytes};
        xpd_grow_i64(&all->bytes, buffer->size_bytes);
        xpd_grow_i64(&all->unpadded_bytes, buffer->unpadded_bytes);
    }
    return XPD_OK;
}

const struct xpd_all_rows *xpd_table_rows(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_ROWS, 0, true, sizeof(struct xpd_all_rows), make_rows, err);
}

/* ---- savings ---- */

static int make_savings(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                        uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    struct xpd_savings *savings = table;
    uint32_t count = ctx->hlo->buffers.count;
    int64_t *saving = XPD_NEW_ARRAY(arena, int64_t, count);
    if (!saving)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < count; i++)
        saving[i] = xpd_saving_of(ctx->mem, ctx->space, i, arena);
    savings->by_buffer = saving;
    return XPD_OK;
}

const struct xpd_savings *xpd_table_savings(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_SAVING, 0, true, sizeof(struct xpd_savings), make_savings, err);
}

const struct xpd_savings *xpd_table_savings_made(const struct xpd_tool_ctx *ctx)
{
    return xpd_table_made(ctx, XPD_TABLE_SAVING, 0, true);
}

/* The facts of the headline, made once. In: a space. Out: struct xpd_facts. */

#define SAVINGS_MAX 5

/* The likeliest first; each is a rule of XProf: docs/XPROF-DIFFERENCES.md. */
static const char *peak_reason(const struct xpd_mem_space *space,
                               const struct xpd_xprof_memory *xprof)
{
    if (xprof->error_text)
        return "XProf fails on this heap trace";
    if (space->live_is_union)
        return "XProf adds up nested slices; here overlapping bytes count once";
    if (space->lane_count > 1)
        return "XProf reads only one of the several heap traces of this memory space";
    for (uint32_t i = 0; i < space->tenancy_count; i++)
        if (space->tenancy[i].size_bytes != space->tenancy[i].listed_bytes)
            return "XProf counts shared storage by its first value, not its largest";
    return "XProf leaves out allocations whose buffers have no size";
}

/* The lists are for the compatible routes, which ask for themselves. */
static void keep_numbers(struct xpd_xprof_memory *xprof, struct xpd_arena *arena)
{
    if (xprof->error_text)
        xprof->error_text = xpd_arena_strndup(arena, xprof->error_text, strlen(xprof->error_text));
    xprof->heap_bytes = xprof->unpadded_heap_bytes = NULL;
    xprof->instruction_name = NULL;
    xprof->bar = NULL;
    xprof->by_size = xprof->indefinite = NULL;
    xprof->span = NULL;
    xprof->block = NULL;
    xprof->bar_count = xprof->span_count = xprof->block_count = xprof->indefinite_count = 0;
    xprof->point_count = 0;
}

XPD_RECORD_TABLE(xpd_split_padding, XPD_SPLIT_PADDING_FIELDS)
XPD_RECORD_TABLE(xpd_summary_split, XPD_SPLIT_FIELDS)

const struct xpd_summary_split *xpd_peak_split_answer(const struct xpd_peak_split *split,
                                                      struct xpd_arena *arena)
{
    struct xpd_summary_split *out = XPD_NEW(arena, struct xpd_summary_split);
    struct xpd_split_padding *padding = XPD_NEW(arena, struct xpd_split_padding);
    if (!out || !padding)
        return NULL;
    *padding = (struct xpd_split_padding){
        split->padding[XPD_CLASS_PARAMETER], split->padding[XPD_CLASS_OUTPUT],
        split->padding[XPD_CLASS_CONSTANT], split->padding[XPD_CLASS_TEMPORARY]};
    *out = (struct xpd_summary_split){split->argument, split->output,        split->alias,
                                      split->constant, split->thread_local_, split->temp,
                                      split->untraced, split->fragmentation, padding};
    return out;
}

XPD_RECORD_TABLE(xpd_saving_row, XPD_SAVING_ROW_FIELDS)

/* The buffers whose absence would lower the peak most. */
static void find_savings(struct xpd_facts *facts, struct xpd_arena *arena,
                         const struct xpd_tool_ctx *ctx, const struct xpd_held_list *peak)
{
    struct {
        uint32_t row;
        int64_t saving;
    } best[SAVINGS_MAX];
    uint32_t n = 0;
    for (uint32_t i = 0; i < peak->count; i++) {
        const struct xpd_held *row = &peak->at[i];
        /* nothing saves more than it holds */
        if (row->buffer == XPD_NO_INDEX ||
            (n == SAVINGS_MAX && row->size_bytes <= best[n - 1].saving))
            continue;
        int64_t saving = xpd_held_saving(row, ctx->mem, ctx->space, ctx->arena);
        if (n == SAVINGS_MAX && saving <= best[n - 1].saving)
            continue;
        uint32_t at = n < SAVINGS_MAX ? n++ : n - 1;
        for (; at > 0 && best[at - 1].saving < saving; at--)
            best[at] = best[at - 1];
        best[at].row = i;
        best[at].saving = saving;
    }
    struct xpd_saving_row *out = XPD_NEW_ARRAY(arena, struct xpd_saving_row, n);
    struct xpd_strbuf text = {0};
    for (uint32_t i = 0; out && i < n; i++) {
        const struct xpd_held *row = &peak->at[best[i].row];
        out[i].buffer = row->buffer;
        xpd_mem_buffer_name(&text, ctx->mem, row->buffer);
        out[i].name = xpd_strbuf_keep(&text, arena);
        xpd_shape_text(&text, ctx->mem->buffer[row->buffer].shape, false);
        out[i].shape = xpd_strbuf_keep(&text, arena);
        out[i].size_bytes = row->size_bytes;
        out[i].saving_bytes = best[i].saving;
    }
    arena->failed |= text.failed;
    xpd_strbuf_fini(&text);
    facts->saving = out;
    facts->saving_count = n;
}

static int describe_peak(struct xpd_facts *facts, struct xpd_arena *arena,
                         const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct xpd_held_list peak;
    int rc = xpd_held_at(&peak, ctx->mem, ctx->space, ctx->space->peak_step, ctx->arena, err);
    if (rc != XPD_OK)
        return rc;
    xpd_peak_split_of(&facts->split, ctx->space, &peak);
    rc = xpd_largest_of(&facts->largest, arena, ctx, &peak, err);
    if (rc == XPD_OK)
        find_savings(facts, arena, ctx, &peak);
    return rc == XPD_OK && arena->failed ? xpd_tools_no_memory(err) : rc;
}

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    struct xpd_facts *facts = table;
    struct xpd_arena scratch;
    xpd_arena_init(&scratch, arena->budget_bytes);
    int rc =
        xpd_xprof_memory(&facts->xprof, ctx->mem, ctx->color, XPD_XPROF_SMALL_BYTES, &scratch, err);
    if (rc == XPD_OK) {
        keep_numbers(&facts->xprof, arena);
        facts->peak_reason = peak_reason(ctx->space, &facts->xprof);
        xpd_mem_jax_analysis(ctx->mem, ctx->run->platform, &facts->jax);
        if (ctx->space->step_count > 0)
            facts->near_peak_count =
                xpd_near_peaks(ctx->space, 0.10, facts->near_peak, XPD_FACTS_PEAKS);
    }
    xpd_arena_fini(&scratch);
    return rc == XPD_OK ? describe_peak(facts, arena, ctx, err) : rc;
}

const struct xpd_facts *xpd_table_facts(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_FACTS, 0, true, sizeof(struct xpd_facts), make, err);
}

/* See table_steps.h. In: a space. Out: tables of memory/. */

static int make_tops(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                     uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    return xpd_step_tops_make(table, ctx->space, arena, ctx->arena) ? XPD_OK
                                                                    : xpd_tools_no_memory(err);
}

static int make_flow(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                     uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    return xpd_flow_make(table, ctx->space, arena, ctx->arena) ? XPD_OK : xpd_tools_no_memory(err);
}

const struct xpd_step_tops *xpd_table_tops(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_TOPS, 0, true, sizeof(struct xpd_step_tops), make_tops, err);
}

const struct xpd_flow *xpd_table_flow(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_FLOW, 0, true, sizeof(struct xpd_flow), make_flow, err);
}

struct xpd_use_steps xpd_use_steps_of(const struct xpd_tool_ctx *ctx,
                                      const struct xpd_uses_table *made, uint32_t buffer)
{
    struct xpd_use_span span = {.first_step = XPD_NO_STEP, .last_step = XPD_NO_STEP};
    if (made && buffer != XPD_NO_INDEX)
        return made->by_buffer[buffer];
    if (buffer != XPD_NO_INDEX)
        xpd_uses_of(ctx->mem, ctx->space, buffer, &span);
    return (struct xpd_use_steps){span.first_step, span.last_step};
}

static int make_uses(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                     uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    struct xpd_uses_table *uses = table;
    const struct xpd_all_rows *all = xpd_table_rows(ctx, err);
    uint32_t count = ctx->hlo->buffers.count;
    struct xpd_use_steps *use = all ? XPD_NEW_ROOM(arena, struct xpd_use_steps, count) : NULL;
    if (!use)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < count; i++)
        use[i] = (struct xpd_use_steps){XPD_NO_STEP, XPD_NO_STEP};
    for (uint32_t i = 0; i < all->count; i++)
        use[all->row[i].buffer] = xpd_use_steps_of(ctx, NULL, all->row[i].buffer);
    uses->by_buffer = use;
    return XPD_OK;
}

const struct xpd_uses_table *xpd_table_uses(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_USES, 0, true, sizeof(struct xpd_uses_table), make_uses, err);
}

const struct xpd_uses_table *xpd_table_uses_made(const struct xpd_tool_ctx *ctx)
{
    return xpd_table_made(ctx, XPD_TABLE_USES, 0, true);
}
