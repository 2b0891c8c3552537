/* What the peak would be without one buffer, and without all buffers equal to it. */
#include "card_parts.h"

#define EQUAL_MAX 4096 /* counted in the saving */
#define LIST_MAX  256  /* named */

static bool same_dims(const struct xpd_shape *a, const struct xpd_shape *b)
{
    return a->type == b->type && a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

/* Equal but for numbers: layer_0/mul and layer_12/mul. */
static bool same_but_numbers(struct xpd_str a, struct xpd_str b)
{
    size_t i = 0, j = 0;
    if (a.data == b.data && a.size == b.size)
        return true;
    while (i < a.size && j < b.size) {
        bool digit_a = a.data[i] >= '0' && a.data[i] <= '9';
        bool digit_b = b.data[j] >= '0' && b.data[j] <= '9';
        if (digit_a && digit_b) {
            while (i < a.size && a.data[i] >= '0' && a.data[i] <= '9')
                i++;
            while (j < b.size && b.data[j] >= '0' && b.data[j] <= '9')
                j++;
        } else if (a.data[i++] != b.data[j++]) {
            return false;
        }
    }
    return i == a.size && j == b.size;
}

static uint32_t find_equal(const struct xpd_card *card, uint32_t *list, uint32_t *total)
{
    const struct xpd_mem *mem = card->ctx->mem;
    struct xpd_str path = xpd_tools_op_name(mem->hlo, card->buffer->instruction);
    uint32_t n = 0;
    *total = 0;
    for (uint32_t i = 0; i < mem->hlo->buffers.count; i++) {
        const struct xpd_mem_buffer *other = &mem->buffer[i];
        if (other->size_bytes != card->buffer->size_bytes ||
            other->mem_class != card->buffer->mem_class ||
            (other->shape != card->buffer->shape &&
             !same_dims(other->shape, card->buffer->shape)) ||
            xpd_tools_color_of(mem, i) != card->space->color ||
            !same_but_numbers(xpd_tools_op_name(mem->hlo, other->instruction), path))
            continue;
        if (n < EQUAL_MAX)
            list[n++] = i;
        ++*total;
    }
    return n;
}

/* What the buffer's storage holds at the peak; residents hold their allocation. */
static int64_t held_at_peak(const struct xpd_card *card)
{
    const struct xpd_mem_space *space = card->space;
    struct xpd_held row;
    if (card->buffer->mem_class != XPD_CLASS_TEMPORARY)
        return card->buffer->allocation != XPD_NO_INDEX &&
                       xpd_held_resident(&row, card->ctx->mem, space, card->buffer->allocation)
                   ? row.size_bytes
                   : 0;
    for (uint32_t at = card->tenancy; at < space->tenancy_count;
         at = space->tenancy[at].next_of_buffer) {
        const struct xpd_tenancy *tenancy = &space->tenancy[at];
        if (!(tenancy->flags & XPD_TENANCY_UNTRACED) && tenancy->start_step <= space->peak_step &&
            space->peak_step < tenancy->end_step)
            return tenancy->size_bytes;
    }
    return 0;
}

int xpd_card_saving(struct xpd_jsonw *w, struct xpd_card *card, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = card->ctx;
    const struct xpd_mem_space *space = card->space;
    uint32_t *list = XPD_NEW_ARRAY(ctx->arena, uint32_t, EQUAL_MAX);
    if (!list)
        return xpd_tools_no_memory(err);
    int64_t without = space->peak_bytes;
    uint32_t step = space->peak_step, total;
    int64_t saving =
        xpd_tools_saving(ctx->mem, space, &card->index, 1, &without, &step, ctx->arena);
    xpd_json_ki64(w, "saving_bytes", saving);
    xpd_json_ki64(w, "peak_without_bytes", without);
    xpd_tools_kindex(w, "peak_without_step", step);
    xpd_json_kdouble(w, "share_of_peak",
                     space->peak_bytes > 0 ? (double)held_at_peak(card) / (double)space->peak_bytes
                                           : 0.0);
    uint32_t n = find_equal(card, list, &total);
    saving = n ? xpd_tools_saving(ctx->mem, space, list, n, &without, &step, ctx->arena) : 0;
    xpd_json_key(w, "equal");
    xpd_json_obj(w);
    xpd_json_ku64(w, "count", total);
    xpd_json_col_u32(w, "buffers", list, n < LIST_MAX ? n : LIST_MAX);
    /* unknown rather than a sum over some of them */
    xpd_tools_kknown(w, "saving_bytes", n == total ? saving : -1);
    xpd_tools_kknown(w, "peak_without_bytes", n == total ? without : -1);
    xpd_json_obj_end(w);
    return XPD_OK;
}
