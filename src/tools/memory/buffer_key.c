/* What rows of the buffer table are sorted by. In: a row and a key. Out: a number, or a text. */
#include "buffer_key.h"

#include "table_uses.h"

/* Unknown steps stand last in either direction. */
static int64_t step_key(uint32_t step, bool descending)
{
    return step != XPD_NO_STEP ? step : descending ? INT64_MIN : INT64_MAX;
}

static int64_t use_key(const struct xpd_buffer_table *table, enum xpd_buffer_key key,
                       bool descending, const struct xpd_buffer_row *row)
{
    struct xpd_use_steps use = xpd_use_steps_of(table->ctx, table->uses, row->buffer);
    return step_key(key == XPD_SORT_FIRST_USE ? use.first : use.last, descending);
}

static int64_t life_key(const struct xpd_buffer_table *table, enum xpd_buffer_key key,
                        bool descending, const struct xpd_buffer_row *row)
{
    struct xpd_buffer_life life = xpd_buffer_row_life(table, row);
    int64_t unknown = step_key(XPD_NO_STEP, descending);
    if (key == XPD_SORT_OFFSET)
        return life.offset_bytes >= 0 ? life.offset_bytes : unknown;
    if (life.start == XPD_NO_STEP)
        return unknown;
    return key == XPD_SORT_START ? (int64_t)life.start
           : key == XPD_SORT_END ? (int64_t)life.end
                                 : (int64_t)life.end - life.start;
}

int64_t xpd_buffer_number(const struct xpd_buffer_table *table, enum xpd_buffer_key key,
                          bool descending, const struct xpd_buffer_row *row)
{
    const struct xpd_hlo *hlo = table->ctx->hlo;
    switch (key) {
    case XPD_SORT_SAVING: return xpd_buffer_row_saving(table, row);
    case XPD_SORT_SIZE: return row->size_bytes;
    case XPD_SORT_PADDING: return xpd_buffer_row_padding(row);
    case XPD_SORT_START:
    case XPD_SORT_END:
    case XPD_SORT_LIFE:
    case XPD_SORT_OFFSET: return life_key(table, key, descending, row);
    case XPD_SORT_FIRST_USE:
    case XPD_SORT_LAST_USE: return use_key(table, key, descending, row);
    case XPD_SORT_ID: return row->buffer == XPD_NO_INDEX ? INT64_MIN : hlo->buffers.id[row->buffer];
    default: return 0;
    }
}

static struct xpd_str copy(struct xpd_arena *arena, const struct xpd_strbuf *text)
{
    const char *kept = text->size ? xpd_arena_strndup(arena, text->data, text->size) : NULL;
    return kept ? (struct xpd_str){kept, text->size} : XPD_STR("");
}

struct xpd_str xpd_buffer_text(const struct xpd_buffer_table *table, enum xpd_buffer_key key,
                               const struct xpd_buffer_row *row, struct xpd_strbuf *scratch)
{
    const struct xpd_tool_ctx *ctx = table->ctx;
    uint32_t instruction = xpd_mem_instruction(ctx->mem, row->buffer);
    char type[16];
    xpd_strbuf_clear(scratch);
    switch (key) {
    case XPD_SORT_NAME: xpd_mem_buffer_name(scratch, ctx->mem, row->buffer); break;
    case XPD_SORT_SHAPE:
        if (row->buffer != XPD_NO_INDEX)
            xpd_shape_text(scratch, ctx->mem->buffer[row->buffer].shape, false);
        break;
    case XPD_SORT_SOURCE: xpd_source_put_of(scratch, ctx->hlo, instruction); break;
    case XPD_SORT_CLASS: return xpd_str_of(xpd_mem_class_word(row->mem_class));
    case XPD_SORT_DTYPE:
        xpd_strbuf_puts(scratch, xpd_mem_dtype(ctx->mem, row->buffer, type));
        break;
    case XPD_SORT_OPCODE: return xpd_hlo_opcode(ctx->hlo, instruction);
    case XPD_SORT_SCOPE: return xpd_scope_path(xpd_hlo_scope_name(ctx->hlo, instruction));
    default: break;
    }
    return copy(ctx->arena, scratch);
}

bool xpd_buffer_key_is_text(enum xpd_buffer_key key)
{
    switch (key) {
    case XPD_SORT_NAME:
    case XPD_SORT_SHAPE:
    case XPD_SORT_CLASS:
    case XPD_SORT_DTYPE:
    case XPD_SORT_OPCODE:
    case XPD_SORT_SCOPE:
    case XPD_SORT_SOURCE: return true;
    default: return false;
    }
}

/* The way the page sorts on the first click: texts up, numbers down. */
bool xpd_buffer_key_sorts_down(enum xpd_buffer_key key)
{
    return !xpd_buffer_key_is_text(key);
}
