/* What the peak would be without one buffer, and without all buffers equal to it. */
#include "../tables/table_equal.h"
#include "card_parts.h"

#define EQUAL_MAX 4096 /* counted in the saving */
#define LIST_MAX  256  /* named */

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

XPD_RECORD_TABLE(xpd_buffer_equal, XPD_BUFFER_EQUAL_FIELDS)

/* Unknown rather than a sum over some of them. */
static const struct xpd_buffer_equal *equal_of(const struct xpd_card *card,
                                               const struct xpd_equals *equals)
{
    const struct xpd_mem_space *space = card->space;
    struct xpd_arena *arena = card->ctx->arena;
    uint32_t group = equals->group[card->index];
    const uint32_t *list = equals->member + equals->first[group];
    uint32_t total = equals->first[group + 1] - equals->first[group], step = space->peak_step;
    uint32_t n = total < EQUAL_MAX ? total : EQUAL_MAX;
    int64_t without = space->peak_bytes;
    int64_t saving = n ? xpd_saving(card->ctx->mem, space, list, n, &without, &step, arena) : 0;
    struct xpd_buffer_equal *out = XPD_NEW(arena, struct xpd_buffer_equal);
    if (out)
        *out = (struct xpd_buffer_equal){.count = total,
                                         .buffers = {list, n < LIST_MAX ? n : LIST_MAX},
                                         .saving_bytes = n == total ? saving : -1,
                                         .peak_without_bytes = n == total ? without : -1};
    return out;
}

int xpd_card_saving(struct xpd_card *card, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = card->ctx;
    const struct xpd_mem_space *space = card->space;
    const struct xpd_equals *equals = xpd_table_equals(ctx, err);
    struct xpd_buffer_answer *out = card->out;
    if (!equals)
        return XPD_ENOMEM;
    out->peak_without_bytes = space->peak_bytes;
    out->peak_without_step = space->peak_step;
    out->saving_bytes = xpd_saving(ctx->mem, space, &card->index, 1, &out->peak_without_bytes,
                                   &out->peak_without_step, ctx->arena);
    out->share_of_peak =
        space->peak_bytes > 0 ? (double)held_at_peak(card) / (double)space->peak_bytes : 0.0;
    out->equal = equal_of(card, equals);
    return XPD_OK;
}
