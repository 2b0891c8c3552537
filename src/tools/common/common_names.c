/* The text table of an answer. In: texts, buffers, shapes. Out: one index per distinct text.
 *
 * Most rows repeat the shapes and words of others, so what was put last is found by its address: a
 * direct-mapped table, in which a newer entry simply takes the place of an older one. */
#include "common.h"

#define MEMO_SIZE 2048 /* a power of two */

struct xpd_name_memo {
    const void *at; /* first byte of a text, or a shape; NULL = empty */
    size_t size;    /* of the text, 0 for a shape */
    uint32_t index; /* in the answer's table */
};

void xpd_names_init(struct xpd_names *names, struct xpd_arena *arena)
{
    memset(names, 0, sizeof *names);
    xpd_intern_init(&names->table, arena);
}

void xpd_names_fini(struct xpd_names *names)
{
    xpd_intern_fini(&names->table);
    xpd_strbuf_fini(&names->scratch);
}

uint32_t xpd_names_put(struct xpd_names *names, struct xpd_str text)
{
    return text.size == 0 ? 0 : xpd_intern_put(&names->table, text.data, text.size);
}

/* The place of an address in the memo, NULL without memory for one. */
static struct xpd_name_memo *place_of(struct xpd_names *names, const void *at, size_t size)
{
    if (!names->memo && names->table.arena)
        names->memo = XPD_NEW_ARRAY(names->table.arena, struct xpd_name_memo, MEMO_SIZE);
    if (!names->memo)
        return NULL;
    uint64_t mixed = ((uint64_t)(uintptr_t)at + size) * UINT64_C(0x9e3779b97f4a7c15);
    return &names->memo[mixed >> 53];
}
_Static_assert(MEMO_SIZE == 1 << 11, "place_of takes the upper 11 bits");

uint32_t xpd_names_kept(struct xpd_names *names, struct xpd_str text)
{
    if (text.size == 0)
        return 0;
    struct xpd_name_memo *memo = place_of(names, text.data, text.size);
    if (memo && memo->at == text.data && memo->size == text.size)
        return memo->index;
    uint32_t index = xpd_names_put(names, text);
    if (memo)
        *memo = (struct xpd_name_memo){text.data, text.size, index};
    return index;
}

uint32_t xpd_names_word(struct xpd_names *names, const char *constant)
{
    return xpd_names_kept(names, xpd_str_of(constant));
}

static uint32_t put_scratch(struct xpd_names *names)
{
    if (names->scratch.failed)
        names->table.failed = true;
    return xpd_names_put(names, (struct xpd_str){names->scratch.data, names->scratch.size});
}

uint32_t xpd_names_buffer(struct xpd_names *names, const struct xpd_mem *mem, uint32_t buffer)
{
    if (buffer == XPD_NO_INDEX)
        return 0;
    const struct xpd_hlo_buffers *buffers = &mem->hlo->buffers;
    if (buffers->index_first[buffer] == buffers->index_first[buffer + 1]) {
        struct xpd_str name = xpd_hlo_instruction_name(mem->hlo, buffers->instruction[buffer]);
        if (name.size > 0)
            return xpd_names_put(names, name);
    }
    xpd_strbuf_clear(&names->scratch);
    xpd_mem_buffer_name(&names->scratch, mem, buffer);
    return put_scratch(names);
}

uint32_t xpd_names_shape(struct xpd_names *names, const struct xpd_shape *shape)
{
    if (!shape)
        return 0;
    struct xpd_name_memo *memo = place_of(names, shape, 0);
    if (memo && memo->at == shape && memo->size == 0)
        return memo->index;
    xpd_strbuf_clear(&names->scratch);
    xpd_shape_text(&names->scratch, shape, false);
    uint32_t index = put_scratch(names);
    if (memo)
        *memo = (struct xpd_name_memo){shape, 0, index};
    return index;
}

uint32_t xpd_names_buffer_shape(struct xpd_names *names, const struct xpd_mem *mem, uint32_t buffer)
{
    return buffer == XPD_NO_INDEX ? 0 : xpd_names_shape(names, mem->buffer[buffer].shape);
}

/* ---- texts of declared answers ---- */

#define SHAPES 1024 /* a power of two */

struct xpd_shape_memo {
    const struct xpd_shape *shape; /* NULL = empty */
    struct xpd_str text;
};

XPD_RECORD_TABLE(xpd_bytes_sum, XPD_BYTES_SUM_FIELDS)

void xpd_texts_fini(struct xpd_texts *texts)
{
    xpd_strbuf_fini(&texts->scratch);
}

struct xpd_str xpd_texts_buffer(struct xpd_texts *texts, const struct xpd_mem *mem, uint32_t buffer)
{
    if (buffer == XPD_NO_INDEX)
        return XPD_STR("");
    const struct xpd_hlo_buffers *buffers = &mem->hlo->buffers;
    if (buffers->index_first[buffer] == buffers->index_first[buffer + 1]) {
        struct xpd_str name = xpd_hlo_instruction_name(mem->hlo, buffers->instruction[buffer]);
        if (name.size > 0)
            return name;
    }
    xpd_mem_buffer_name(&texts->scratch, mem, buffer);
    return xpd_strbuf_keep(&texts->scratch, texts->arena);
}

static struct xpd_str shape_text(struct xpd_texts *texts, const struct xpd_shape *shape)
{
    if (!shape)
        return XPD_STR("");
    if (!texts->memo)
        texts->memo = XPD_NEW_ARRAY(texts->arena, struct xpd_shape_memo, SHAPES);
    if (!texts->memo)
        return XPD_STR("");
    struct xpd_shape_memo *memo =
        &texts->memo[((uintptr_t)shape * UINT64_C(0x9e3779b97f4a7c15)) >> 54];
    if (memo->shape != shape) {
        xpd_shape_text(&texts->scratch, shape, false);
        *memo = (struct xpd_shape_memo){shape, xpd_strbuf_keep(&texts->scratch, texts->arena)};
    }
    return memo->text;
}
_Static_assert(SHAPES == 1 << 10, "shape_text takes the upper 10 bits");

struct xpd_str xpd_texts_buffer_shape(struct xpd_texts *texts, const struct xpd_mem *mem,
                                      uint32_t buffer)
{
    return buffer == XPD_NO_INDEX ? XPD_STR("") : shape_text(texts, mem->buffer[buffer].shape);
}

void xpd_names_write(struct xpd_names *names, struct xpd_jsonw *w)
{
    uint32_t count = names->table.count ? names->table.count : 1;
    if (names->table.failed)
        w->out->failed = true; /* indexes without their text are no answer */
    XPD_COLUMN(w, "names", count, xpd_json_str(w, xpd_intern_get(&names->table, row)));
}
