/* Rows of a space's buffers and what each saves, made once. In: a space. Out: columns. */
#include "table_buffers.h"
#include "xprofd/base/checked.h"

#include <stdlib.h>

static bool is_nameless(const struct xpd_hlo *hlo, uint32_t buffer)
{
    uint32_t instruction = hlo->buffers.instruction[buffer];
    return instruction == XPD_NO_INDEX || hlo->instructions.name[instruction] == 0;
}

static bool list_nameless(struct xpd_all_rows *all, const struct xpd_hlo *hlo,
                          struct xpd_arena *arena)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < all->count; i++)
        n += is_nameless(hlo, all->row[i].buffer);
    uint32_t *row = XPD_NEW_ROOM(arena, uint32_t, n);
    for (uint32_t i = 0; row && i < all->count; i++)
        if (is_nameless(hlo, all->row[i].buffer))
            row[all->nameless_count++] = i;
    all->nameless = row;
    return row != NULL;
}

/* The columns beside the rows. */
static bool make_columns(struct xpd_all_rows *all, const struct xpd_hlo *hlo,
                         struct xpd_arena *arena)
{
    uint32_t *instruction = XPD_NEW_ROOM(arena, uint32_t, all->count);
    uint32_t *buffer = XPD_NEW_ROOM(arena, uint32_t, all->count);
    int64_t *size = XPD_NEW_ROOM(arena, int64_t, all->count);
    if (!instruction || !buffer || !size)
        return false;
    all->can_be_summed = all->bytes < INT64_MAX;
    for (uint32_t i = 0; i < all->count; i++) {
        const struct xpd_buffer_row *row = &all->row[i];
        uint32_t own = hlo->buffers.instruction[row->buffer];
        instruction[i] = own == XPD_NO_INDEX ? hlo->instructions.count : own;
        buffer[i] = row->buffer;
        size[i] = row->size_bytes;
        all->can_be_summed &= row->size_bytes >= 0;
    }
    all->instruction = instruction;
    all->buffer = buffer;
    all->size_bytes = size;
    return list_nameless(all, hlo, arena);
}

static int make_rows(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                     uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    struct xpd_all_rows *all = table;
    const struct xpd_mem *mem = ctx->mem;
    uint32_t count = ctx->hlo->buffers.count, n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += xpd_tools_color_of(mem, i) == ctx->color;
    struct xpd_buffer_row *row = XPD_NEW_ARRAY(arena, struct xpd_buffer_row, n);
    if (!row)
        return xpd_tools_no_memory(err);
    all->row = row;
    for (uint32_t i = 0; i < count; i++) {
        const struct xpd_mem_buffer *buffer = &mem->buffer[i];
        if (xpd_tools_color_of(mem, i) != ctx->color)
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
    return make_columns(all, ctx->hlo, arena) ? XPD_OK : xpd_tools_no_memory(err);
}

const struct xpd_all_rows *xpd_table_rows(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_ROWS, 0, true, sizeof(struct xpd_all_rows), make_rows, err);
}

/* ---- shapes ---- */

#define SHAPES_LOG2 11
#define SHAPES      (1 << SHAPES_LOG2)

struct known_shape { /* a newer one takes the place of an older one */
    struct xpd_shape shape;
    uint32_t text; /* + 1, 0 = none yet */
};

bool xpd_is_same_shape(const struct xpd_shape *a, const struct xpd_shape *b)
{
    return a->dims == b->dims && a->layout == b->layout && a->type == b->type &&
           a->rank == b->rank && a->dynamic == b->dynamic && a->element == b->element &&
           a->element_count == b->element_count;
}

static uint32_t put_shape(struct xpd_names *names, struct known_shape *known,
                          const struct xpd_shape *shape)
{
    struct known_shape *at = &known[xpd_shape_hash(shape) >> (64 - SHAPES_LOG2)];
    if (at->text == 0 || !xpd_is_same_shape(&at->shape, shape)) {
        xpd_strbuf_clear(&names->scratch);
        xpd_shape_text(&names->scratch, shape, true);
        at->shape = *shape;
        at->text =
            1 + xpd_names_put(names, (struct xpd_str){names->scratch.data, names->scratch.size});
    }
    return at->text - 1;
}

static bool put_shapes(struct xpd_row_shapes *shapes, struct xpd_names *names,
                       const struct xpd_all_rows *all, const struct xpd_mem *mem,
                       struct xpd_arena *arena)
{
    struct known_shape *known = calloc(SHAPES, sizeof *known);
    uint32_t *text_of = XPD_NEW_ROOM(arena, uint32_t, all->count);
    for (uint32_t i = 0; known && text_of && i < all->count; i++)
        text_of[i] = put_shape(names, known, mem->buffer[all->row[i].buffer].shape);
    uint32_t count = names->table.count;
    struct xpd_str *text = XPD_NEW_ARRAY(arena, struct xpd_str, count);
    bool ok = known && text_of && text && !names->table.failed && !names->scratch.failed;
    if (ok)
        memcpy(text, names->table.text, count * sizeof *text);
    free(known);
    *shapes = (struct xpd_row_shapes){text_of, text, count};
    return ok;
}

static int make_shapes(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                       uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    const struct xpd_all_rows *all = xpd_table_rows(ctx, err);
    if (!all)
        return XPD_ENOMEM;
    struct xpd_names names;
    xpd_names_init(&names, arena);
    bool ok = put_shapes(table, &names, all, ctx->mem, arena);
    xpd_names_fini(&names);
    return ok ? XPD_OK : xpd_tools_no_memory(err);
}

const struct xpd_row_shapes *xpd_table_row_shapes(const struct xpd_tool_ctx *ctx,
                                                  struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_SHAPES, 0, true, sizeof(struct xpd_row_shapes), make_shapes,
                     err);
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
        saving[i] = xpd_tools_saving_of(ctx->mem, ctx->space, i, arena);
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
