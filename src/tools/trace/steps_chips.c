/* The chips of a run as a table. In: the chips, compared (trace/step_chips.h). Out: rows, and the
 * straggler in words, or why there is none. */
#include "steps_chips.h"

XPD_RECORD_TABLE(xpd_steps_chip, XPD_STEPS_CHIP_FIELDS)
XPD_RECORD_TABLE(xpd_steps_chips, XPD_STEPS_CHIPS_FIELDS)

#define AHEAD_SHOWN 5e-5 /* less reads as 0.00 % */

static const char *why_of(const struct xpd_step_chips *chips, const struct xpd_trace_call *call)
{
    struct xpd_arena *arena = call->ctx->arena;
    if (chips->count == 0)
        return "no chip has steps, so there is nothing to compare";
    if (chips->count < 2)
        return "only one chip has steps, so there is nothing to compare";
    if (!chips->most)
        return xpd_arena_printf(arena, "only %" PRIu32 " step%s on all chips; comparing needs %d",
                                chips->common, chips->common == 1 ? " is" : "s are",
                                XPD_CHIPS_STEPS_LEAST);
    if (chips->ahead < AHEAD_SHOWN)
        return "all chips work equally long";
    struct xpd_str name = xpd_tools_process_name(&call->view, chips->most->process);
    return xpd_arena_printf(
        arena,
        "%.*s works %.2f %% longer than the median chip, and longest in %" PRIu32 " of %" PRIu32
        " steps",
        (int)(name.size < 200 ? name.size : 200), name.data, chips->ahead * 100,
        chips->most->most_work, chips->common);
}

static struct xpd_steps_chip sums_of(const struct xpd_step_chip *chip, uint32_t common)
{
    return (struct xpd_steps_chip){
        .process = chip->process,
        .steps = chip->steps,
        .duration_ps = chip->length_ps,
        .work_ps = xpd_step_chip_work_ps(chip),
        .compute_ps = chip->compute_ps,
        .exposed_comm_ps = chip->exposed_comm_ps,
        .exposed_copy_ps = chip->exposed_copy_ps,
        .idle_ps = chip->idle_ps,
        .most_work = chip->most_work,
        .came_last = chip->came_last,
        .skew_ps = common > 0 ? chip->late_ps / common : 0,
    };
}

int xpd_steps_chips_make(struct xpd_steps_chips *out, const struct xpd_trace_call *call,
                         struct xpd_measured_step *at, uint32_t count, struct xpd_err *err)
{
    struct xpd_step_chips chips;
    struct xpd_arena *arena = call->ctx->arena;
    int rc = xpd_step_chips_make(&chips, call->view.trace->process_count, at, count, arena, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_steps_chip *row = XPD_NEW_ARRAY(arena, struct xpd_steps_chip, chips.count);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < chips.count; i++)
        row[i] = sums_of(&chips.at[i], chips.common);
    out->common = chips.common;
    out->straggler = chips.straggles ? chips.most->process : XPD_NO_INDEX;
    out->why = why_of(&chips, call);
    out->rows.at = row;
    out->rows.n = chips.count;
    return XPD_OK;
}
