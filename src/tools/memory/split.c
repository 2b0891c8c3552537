/* The peak taken apart. In: a space and what it holds at its peak. Out: the numbers of the
 * headline's bar. */
#include "split.h"

void xpd_peak_split_of(struct xpd_peak_split *out, const struct xpd_mem_space *space,
                       const struct xpd_held_list *peak)
{
    const struct xpd_mem_totals *totals = &space->totals;
    *out = (struct xpd_peak_split){.argument = totals->argument,
                                   .output = totals->output - totals->alias,
                                   .alias = totals->alias,
                                   .constant = totals->constant,
                                   .temp = xpd_mem_peak_temp(space),
                                   .thread_local_ = totals->thread_local_,
                                   .untraced = totals->untraced,
                                   .fragmentation = xpd_mem_fragmentation(space)};
    for (uint32_t i = 0; i < peak->count; i++)
        out->padding[peak->at[i].mem_class] += xpd_held_padding(&peak->at[i]);
    /* Overlapping rows count shared bytes twice; the curve does not. */
    out->padding[XPD_CLASS_TEMPORARY] -= peak->listed_bytes - peak->bytes;
    if (out->padding[XPD_CLASS_TEMPORARY] < 0)
        out->padding[XPD_CLASS_TEMPORARY] = 0;
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
