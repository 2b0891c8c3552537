/* The peak taken apart. In: its parts. Out: the numbers of the headline's bar. */
#include "split.h"

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
