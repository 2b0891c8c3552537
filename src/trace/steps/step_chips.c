/* Which chip holds the others up. In: the steps of all chips, measured. Out: sums for each chip
 * over the steps that all of them have, and whether one is a straggler. */
#include "xprofd/trace/step_chips.h"

#include "xprofd/base/checked.h"
#include "xprofd/base/order.h"

#include <stdlib.h>

#define AHEAD_LEAST 0.01 /* of the median chip's work */

static int64_t work_of(const struct xpd_overlap *o)
{
    return o->length_ps - o->comm_exposed_ps - o->idle_ps;
}

static int by_number(const void *a, const void *b)
{
    const struct xpd_step *x = ((const struct xpd_measured_step *)a)->step;
    const struct xpd_step *y = ((const struct xpd_measured_step *)b)->step;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->process != y->process ? (x->process < y->process ? -1 : 1)
                                    : XPD_ORDER(x->start_ps, y->start_ps);
}

static struct xpd_step_chip *chip_of(struct xpd_step_chips *chips, uint32_t process)
{
    for (uint32_t i = 0; i < chips->count; i++)
        if (chips->at[i].process == process)
            return &chips->at[i];
    chips->at[chips->count] = (struct xpd_step_chip){.process = process};
    return &chips->at[chips->count++];
}

/* One step that each chip has once. */
static void add_step(struct xpd_step_chips *chips, const struct xpd_measured_step *at)
{
    const struct xpd_measured_step *last = at, *most = at;
    int64_t first_ps = INT64_MAX;
    for (uint32_t i = 0; i < chips->count; i++) {
        first_ps = at[i].step->start_ps < first_ps ? at[i].step->start_ps : first_ps;
        last = at[i].step->end_ps > last->step->end_ps ? &at[i] : last;
        most = work_of(at[i].overlap) > work_of(most->overlap) ? &at[i] : most;
    }
    for (uint32_t i = 0; i < chips->count; i++) {
        struct xpd_step_chip *chip = chip_of(chips, at[i].step->process);
        const struct xpd_overlap *o = at[i].overlap;
        xpd_grow_i64(&chip->length_ps, o->length_ps);
        xpd_grow_i64(&chip->compute_ps, o->compute_ps);
        xpd_grow_i64(&chip->exposed_comm_ps, o->comm_exposed_ps);
        xpd_grow_i64(&chip->exposed_copy_ps, o->copy_exposed_ps);
        xpd_grow_i64(&chip->idle_ps, o->idle_ps);
        xpd_grow_i64(&chip->late_ps, at[i].step->start_ps - first_ps);
        chip->came_last += &at[i] == last;
        chip->most_work += &at[i] == most;
    }
    chips->common++;
}

static void add_all(struct xpd_step_chips *chips, struct xpd_measured_step *at, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        chip_of(chips, at[i].step->process)->steps++;
    if (count > 1)
        qsort(at, count, sizeof *at, by_number);
    for (uint32_t i = 0, end; i < count; i = end) {
        bool once = true;
        for (end = i + 1; end < count && at[end].step->number == at[i].step->number; end++)
            once &= at[end].step->process != at[end - 1].step->process;
        if (once && end - i == chips->count)
            add_step(chips, &at[i]);
    }
}

static int by_work(const void *a, const void *b)
{
    int64_t x = xpd_step_chip_work_ps(a), y = xpd_step_chip_work_ps(b);
    return XPD_ORDER(x, y);
}

static void compare(struct xpd_step_chips *chips, struct xpd_step_chip *sorted)
{
    memcpy(sorted, chips->at, chips->count * sizeof *sorted);
    qsort(sorted, chips->count, sizeof *sorted, by_work);
    const struct xpd_step_chip *most = &sorted[chips->count - 1];
    int64_t median_ps = xpd_step_chip_work_ps(&sorted[(chips->count - 1) / 2]);
    int64_t most_ps = xpd_step_chip_work_ps(most);
    chips->most = most;
    chips->median_work_ps = median_ps;
    chips->ahead = median_ps > 0 ? (double)most_ps / (double)median_ps - 1 : 0;
    chips->straggles = chips->ahead >= AHEAD_LEAST && most->most_work * 2 > chips->common;
}

int xpd_step_chips_make(struct xpd_step_chips *out, uint32_t process_count,
                        struct xpd_measured_step *at, uint32_t count, struct xpd_arena *arena,
                        struct xpd_err *err)
{
    struct xpd_step_chip *sorted = XPD_NEW_ARRAY(arena, struct xpd_step_chip, process_count);
    *out = (struct xpd_step_chips){.at = XPD_NEW_ARRAY(arena, struct xpd_step_chip, process_count)};
    if (!out->at || !sorted)
        return xpd_no_memory(err, NULL, "for the steps");
    add_all(out, at, count);
    if (out->count >= 2 && out->common >= XPD_CHIPS_STEPS_LEAST)
        compare(out, sorted);
    return XPD_OK;
}
