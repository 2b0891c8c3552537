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

int xpd_card_saving(struct xpd_jsonw *w, struct xpd_card *card, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = card->ctx;
    const struct xpd_mem_space *space = card->space;
    const struct xpd_equals *equals = xpd_table_equals(ctx, err);
    if (!equals)
        return XPD_ENOMEM;
    uint32_t group = equals->group[card->index];
    const uint32_t *list = equals->member + equals->first[group];
    int64_t without = space->peak_bytes;
    uint32_t step = space->peak_step, total = equals->first[group + 1] - equals->first[group];
    int64_t saving = xpd_saving(ctx->mem, space, &card->index, 1, &without, &step, ctx->arena);
    xpd_json_ki64(w, "saving_bytes", saving);
    xpd_json_ki64(w, "peak_without_bytes", without);
    xpd_tools_kindex(w, "peak_without_step", step);
    xpd_json_kdouble(w, "share_of_peak",
                     space->peak_bytes > 0 ? (double)held_at_peak(card) / (double)space->peak_bytes
                                           : 0.0);
    uint32_t n = total < EQUAL_MAX ? total : EQUAL_MAX;
    saving = n ? xpd_saving(ctx->mem, space, list, n, &without, &step, ctx->arena) : 0;
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
