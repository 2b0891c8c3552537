/* What the files of Overview share: the steps asked about, added up. */
#ifndef XPROFD_SRC_TOOLS_OVERVIEW_OVERVIEW_H
#define XPROFD_SRC_TOOLS_OVERVIEW_OVERVIEW_H

#include "../input/input_found.h"
#include "../steps/run_steps.h"
#include "overview_answer.h"

#include "xprofd/base/checked.h"
#include "xprofd/base/time_text.h"
#include "xprofd/base/vec.h"
#include "xprofd/ops/step_ops.h"

struct xpd_overviewing {
    const struct xpd_tool_ctx *ctx;
    struct xpd_run_steps steps;
    const struct xpd_run_step *selected; /* NULL: all */
    uint32_t chip;                       /* lane, XPD_NO_INDEX = all */
    struct xpd_peaks peaks;
    bool has_peaks;
    bool memory_wrong, compute_wrong; /* an operation is faster than that peak */

    /* Of the steps asked about, on the chips asked about. */
    uint32_t cells;
    int64_t total_ps, part_ps[XPD_PART_COUNT], unnamed_ps, hidden_ps;
    double gap_ps, gap_idle_ps; /* mean; -1 = unknown */
    XPD_VEC(struct xpd_step_op) op;
    struct xpd_input_of_hosts input;

    struct xpd_overview out;
};

/* "784.1 ms" of the request's arena. */
static inline const char *xpd_overview_time(const struct xpd_overviewing *o, double ps)
{
    char text[XPD_TIME_TEXT_BYTES];
    const char *kept = xpd_arena_printf(o->ctx->arena, "%s", xpd_time_text(text, ps));
    return kept ? kept : "";
}
static inline double xpd_overview_mean(const struct xpd_overviewing *o, int64_t total_ps)
{
    return o->cells > 0 ? (double)total_ps / o->cells : 0;
}
static inline double xpd_overview_share(const struct xpd_overviewing *o, int64_t total_ps)
{
    return o->total_ps > 0 ? (double)total_ps / (double)o->total_ps : 0;
}
/* "step"; "run" where runs are found by their operations, "window" where nothing tells steps. */
static inline const char *xpd_overview_unit(const struct xpd_overviewing *o)
{
    if (o->steps.what == XPD_STEPS_WINDOWS)
        return "window";
    return o->steps.lane_count > 0 && o->steps.lane[0].table->by_times ? "run" : "step";
}

/* Of all chips, or of the one asked about: compute in the whole recording, and in none of its
 * steps. */
static inline void xpd_overview_outside(const struct xpd_overviewing *o, int64_t *compute_ps,
                                        int64_t *outside_ps)
{
    *compute_ps = *outside_ps = 0;
    for (uint32_t l = 0; l < o->steps.lane_count; l++)
        if (o->chip == XPD_NO_INDEX || o->chip == l) {
            xpd_grow_i64(compute_ps, o->steps.lane[l].of->compute_ps);
            xpd_grow_i64(outside_ps, o->steps.lane[l].of->outside_ps);
        }
}

/* overview_step_ops.c: the operations of the steps asked about, judged. */
int xpd_step_ops_make(struct xpd_overviewing *o, struct xpd_err *err);
/* overview_losses.c */
int xpd_overview_losses(struct xpd_overviewing *o, struct xpd_err *err);
/* Which row of the losses it stands in: its `kind`. */
const char *xpd_overview_loss_of(const struct xpd_step_op *op);
int xpd_overview_wins(struct xpd_overviewing *o, struct xpd_err *err);
/* overview_verdicts.c: fills `input`, and nothing else of *o changes: a thread may do it beside
 * others. `ctx` is its own. */
int xpd_overview_input(struct xpd_overviewing *o, const struct xpd_tool_ctx *ctx,
                       struct xpd_err *err);
/* After the losses and the input. */
int xpd_overview_judge(struct xpd_overviewing *o, struct xpd_err *err);
/* overview_rates.c */
int xpd_overview_rates(struct xpd_overviewing *o, struct xpd_err *err);
/* overview_chips.c */
int xpd_overview_chips(struct xpd_overviewing *o, struct xpd_err *err);
/* overview_run.c: what the run is, regardless of its steps. */
int xpd_overview_run(struct xpd_overviewing *o, struct xpd_err *err);

#endif
