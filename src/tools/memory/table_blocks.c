/* See table_blocks.h. In: rows that are held. Out: one line a block, largest first.
 *
 * Rows without a buffer are a block of their own, the one behind the last. */
#include "table_blocks.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

#define BLOCKS_WRITTEN 256

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

static void write_sums(struct xpd_jsonw *w, const struct xpd_held_blocks *blocks, uint32_t from,
                       uint32_t to)
{
    struct xpd_held_block sum = {0};
    for (uint32_t i = from; i < to; i++) {
        const struct xpd_held_block *at = &blocks->at[i];
        sum.count += at->count;
        sum.unlisted_count += at->unlisted_count;
        xpd_grow_i64(&sum.bytes, at->bytes);
        xpd_grow_i64(&sum.unlisted_bytes, at->unlisted_bytes);
        xpd_grow_i64(&sum.unlisted_unpadded_bytes, at->unlisted_unpadded_bytes);
    }
    xpd_json_key(w, "left_out");
    xpd_json_obj(w);
    xpd_json_ku64(w, "blocks", to - from);
    xpd_json_ku64(w, "count", sum.count);
    xpd_json_ki64(w, "bytes", sum.bytes);
    xpd_json_ku64(w, "unlisted_count", sum.unlisted_count);
    xpd_json_ki64(w, "unlisted_bytes", sum.unlisted_bytes);
    xpd_json_ki64(w, "unlisted_unpadded_bytes", sum.unlisted_unpadded_bytes);
    xpd_json_obj_end(w);
}

static struct xpd_str text_of(const struct xpd_str *text, const struct xpd_held_blocks *blocks,
                              uint32_t i)
{
    uint32_t block = blocks->at[i].block;
    return block < blocks->all->count ? text[block] : XPD_STR("");
}

static uint32_t group_of(struct xpd_names *names, const struct xpd_tool_ctx *ctx,
                         const struct xpd_held *row)
{
    const struct xpd_words *words = xpd_table_words_made(ctx);
    uint32_t instruction = xpd_tools_instruction(ctx->mem, row->buffer);
    return xpd_names_word(names, xpd_op_group_word(xpd_words_group(words, ctx->hlo, instruction)));
}

void xpd_held_blocks_write(struct xpd_jsonw *w, const struct xpd_held_blocks *blocks,
                           struct xpd_names *names, const struct xpd_tool_ctx *ctx)
{
    const struct xpd_held_block *at = blocks->at;
    uint32_t n = blocks->written;
    xpd_json_key(w, "blocks");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "shape", n,
               xpd_json_u64(w, xpd_names_kept(names, text_of(blocks->all->shape, blocks, row))));
    XPD_COLUMN(w, "scope", n,
               xpd_json_u64(w, xpd_names_kept(names, text_of(blocks->all->scope, blocks, row))));
    XPD_COLUMN(
        w, "class", n,
        xpd_json_u64(w, xpd_names_word(names, xpd_mem_class_word(at[row].largest->mem_class))));
    XPD_COLUMN(w, "group", n, xpd_json_u64(w, group_of(names, ctx, at[row].largest)));
    XPD_COLUMN(w, "largest_bytes", n, xpd_json_i64(w, at[row].largest->size_bytes));
    XPD_COLUMN(w, "count", n, xpd_json_u64(w, at[row].count));
    XPD_COLUMN(w, "bytes", n, xpd_json_i64(w, at[row].bytes));
    XPD_COLUMN(w, "unlisted_count", n, xpd_json_u64(w, at[row].unlisted_count));
    XPD_COLUMN(w, "unlisted_bytes", n, xpd_json_i64(w, at[row].unlisted_bytes));
    XPD_COLUMN(w, "unlisted_unpadded_bytes", n, xpd_json_i64(w, at[row].unlisted_unpadded_bytes));
    write_sums(w, blocks, n, blocks->count);
    xpd_json_obj_end(w);
}
