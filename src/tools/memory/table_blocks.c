/* See table_blocks.h. In: rows that are held. Out: one line a block, largest first.
 *
 * Rows without a buffer are a block of their own, the one behind the last. */
#include "table_blocks.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

#define BLOCKS_WRITTEN 256

XPD_RECORD_TABLE(xpd_held_blocks_row, XPD_HELD_BLOCKS_ROW_FIELDS)
XPD_RECORD_TABLE(xpd_held_blocks_rest, XPD_HELD_BLOCKS_REST_FIELDS)
XPD_RECORD_TABLE(xpd_held_blocks_list, XPD_HELD_BLOCKS_LIST_FIELDS)

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    return xpd_mem_blocks(ctx->mem, arena, table) ? XPD_OK : xpd_tools_no_memory(err);
}

const struct xpd_blocks *xpd_table_blocks(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_BLOCKS, 0, false, sizeof(struct xpd_blocks), make, err);
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
    uint32_t instruction = xpd_tools_instruction(ctx->mem, at->largest->buffer);
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
