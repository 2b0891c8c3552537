/* Which chip holds the others up. In: the steps of all chips, measured. Out: sums for each chip
 * over the steps that all of them have, and the straggler, or why there is none.
 *
 * Chips wait for each other in collectives, so that all take about as long for a step: what tells
 * them apart is their own work, the step without what it waits for others and without idle time. */
#include "steps_chips.h"
#include "xprofd/base/checked.h"

XPD_RECORD_TABLE(xpd_steps_chip, XPD_STEPS_CHIP_FIELDS)
XPD_RECORD_TABLE(xpd_steps_chips, XPD_STEPS_CHIPS_FIELDS)

#define STEPS_LEAST 5    /* common steps: fewer say nothing */
#define AHEAD_LEAST 0.01 /* of the median chip's work */

struct chip {
    uint32_t process, steps; /* all its steps; the sums are of the common ones */
    uint32_t came_last, most_work;
    int64_t length_ps, compute_ps, comm_ps, copy_ps, idle_ps, late_ps;
};
struct chips {
    const struct xpd_trace_call *call;
    struct chip *at;
    uint32_t count, common; /* steps of all chips */
};

static int64_t work_of(const struct xpd_overlap *o)
{
    return o->length_ps - o->comm_exposed_ps - o->idle_ps;
}

static int64_t work_of_chip(const struct chip *chip)
{
    return chip->length_ps - chip->comm_ps - chip->idle_ps;
}

static int by_number(const void *a, const void *b)
{
    const struct xpd_step *x = ((const struct xpd_measured_step *)a)->step;
    const struct xpd_step *y = ((const struct xpd_measured_step *)b)->step;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->process != y->process ? (x->process < y->process ? -1 : 1)
                                    : (x->start_ps > y->start_ps) - (x->start_ps < y->start_ps);
}

static struct chip *chip_of(struct chips *chips, uint32_t process)
{
    for (uint32_t i = 0; i < chips->count; i++)
        if (chips->at[i].process == process)
            return &chips->at[i];
    chips->at[chips->count] = (struct chip){.process = process};
    return &chips->at[chips->count++];
}

/* One step that each chip has once. */
static void add_step(struct chips *chips, const struct xpd_measured_step *at)
{
    const struct xpd_measured_step *last = at, *most = at;
    int64_t first_ps = INT64_MAX;
    for (uint32_t i = 0; i < chips->count; i++) {
        first_ps = at[i].step->start_ps < first_ps ? at[i].step->start_ps : first_ps;
        last = at[i].step->end_ps > last->step->end_ps ? &at[i] : last;
        most = work_of(at[i].overlap) > work_of(most->overlap) ? &at[i] : most;
    }
    for (uint32_t i = 0; i < chips->count; i++) {
        struct chip *chip = chip_of(chips, at[i].step->process);
        const struct xpd_overlap *o = at[i].overlap;
        xpd_grow_i64(&chip->length_ps, o->length_ps);
        xpd_grow_i64(&chip->compute_ps, o->compute_ps);
        xpd_grow_i64(&chip->comm_ps, o->comm_exposed_ps);
        xpd_grow_i64(&chip->copy_ps, o->copy_exposed_ps);
        xpd_grow_i64(&chip->idle_ps, o->idle_ps);
        xpd_grow_i64(&chip->late_ps, at[i].step->start_ps - first_ps);
        chip->came_last += &at[i] == last;
        chip->most_work += &at[i] == most;
    }
    chips->common++;
}

static void add_all(struct chips *chips, struct xpd_measured_step *at, uint32_t count)
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
    int64_t x = work_of_chip(a), y = work_of_chip(b);
    return (x > y) - (x < y);
}

/* The straggler, NULL = none; *why in either case. */
static const struct chip *find_straggler(struct chips *chips, const char **why)
{
    struct xpd_arena *arena = chips->call->ctx->arena;
    if (chips->count < 2 || chips->common < STEPS_LEAST) {
        *why = chips->count == 0 ? "no chip has steps, so there is nothing to compare"
               : chips->count < 2
                   ? "only one chip has steps, so there is nothing to compare"
                   : xpd_arena_printf(arena,
                                      "only %" PRIu32 " steps are on all chips; comparing needs %d",
                                      chips->common, STEPS_LEAST);
        return NULL;
    }
    struct chip *sorted = XPD_NEW_ARRAY(arena, struct chip, chips->count);
    if (!sorted) {
        *why = "not enough memory to compare the chips";
        return NULL;
    }
    memcpy(sorted, chips->at, chips->count * sizeof *sorted);
    qsort(sorted, chips->count, sizeof *sorted, by_work);
    const struct chip *most = &sorted[chips->count - 1];
    int64_t median_ps = work_of_chip(&sorted[(chips->count - 1) / 2]);
    double ahead = median_ps > 0 ? (double)work_of_chip(most) / (double)median_ps - 1 : 0;
    struct xpd_str name = xpd_tools_process_name(&chips->call->view, most->process);
    *why =
        xpd_arena_printf(arena,
                         "%.*s works %.2f %% longer than the median chip, and longest in %" PRIu32
                         " of %" PRIu32 " steps",
                         (int)(name.size < 200 ? name.size : 200), name.data, ahead * 100,
                         most->most_work, chips->common);
    return ahead >= AHEAD_LEAST && most->most_work * 2 > chips->common ? most : NULL;
}

static struct xpd_steps_chip sums_of(const struct chip *chip, uint32_t common)
{
    return (struct xpd_steps_chip){
        .process = chip->process,
        .steps = chip->steps,
        .duration_ps = chip->length_ps,
        .work_ps = work_of_chip(chip),
        .compute_ps = chip->compute_ps,
        .exposed_comm_ps = chip->comm_ps,
        .exposed_copy_ps = chip->copy_ps,
        .idle_ps = chip->idle_ps,
        .most_work = chip->most_work,
        .came_last = chip->came_last,
        .skew_ps = common > 0 ? chip->late_ps / common : 0,
    };
}

int xpd_steps_chips_make(struct xpd_steps_chips *out, const struct xpd_trace_call *call,
                         struct xpd_measured_step *at, uint32_t count, struct xpd_err *err)
{
    uint32_t most = call->view.trace->process_count;
    struct chips chips = {.call = call};
    chips.at = XPD_NEW_ARRAY(call->ctx->arena, struct chip, most);
    struct xpd_steps_chip *row = XPD_NEW_ARRAY(call->ctx->arena, struct xpd_steps_chip, most);
    if (!chips.at || !row)
        return xpd_tools_no_memory(err);
    add_all(&chips, at, count);
    const struct chip *straggler = find_straggler(&chips, &out->why);
    for (uint32_t i = 0; i < chips.count; i++)
        row[i] = sums_of(&chips.at[i], chips.common);
    out->common = chips.common;
    out->straggler = straggler ? straggler->process : XPD_NO_INDEX;
    out->rows.at = row;
    out->rows.n = chips.count;
    return XPD_OK;
}
