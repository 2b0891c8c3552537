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

void xpd_peak_split_write(struct xpd_jsonw *w, const struct xpd_peak_split *split)
{
    xpd_json_key(w, "split");
    xpd_json_obj(w);
    xpd_json_ki64(w, "argument_bytes", split->argument);
    xpd_json_ki64(w, "output_bytes", split->output);
    xpd_json_ki64(w, "alias_bytes", split->alias);
    xpd_json_ki64(w, "constant_bytes", split->constant);
    xpd_json_ki64(w, "thread_local_bytes", split->thread_local_);
    xpd_tools_kknown(w, "temp_bytes", split->temp);
    xpd_json_ki64(w, "untraced_bytes", split->untraced);
    xpd_tools_kknown(w, "fragmentation_bytes", split->fragmentation);
    xpd_json_key(w, "padding");
    xpd_json_obj(w);
    xpd_json_ki64(w, "argument_bytes", split->padding[XPD_CLASS_PARAMETER]);
    xpd_json_ki64(w, "output_bytes", split->padding[XPD_CLASS_OUTPUT]);
    xpd_json_ki64(w, "constant_bytes", split->padding[XPD_CLASS_CONSTANT]);
    xpd_json_ki64(w, "temp_bytes", split->padding[XPD_CLASS_TEMPORARY]);
    xpd_json_obj_end(w);
    xpd_json_obj_end(w);
}
