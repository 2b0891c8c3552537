/* Steps of chips as spans of their host's time. In: the table of steps. Out: disjoint spans.
 *
 * By the host's clock a step ends where the last of its chips ends. A chip's own clock says how
 * long steps and gaps are, and the host-aligned times of a single step can jump: there steps keep
 * their lengths and distances, means of the chips, and all of them are placed together, where half
 * of them would end later and half earlier. */
#include "xprofd/base/checked.h"
#include "xprofd/trace/input.h"

#include <stdlib.h>

struct on_chip { /* a step of one chip */
    const struct xpd_step_cell *cell;
    uint32_t lane, turn; /* turn: how many steps of its number the chip had before */
};
struct joined { /* the same step on all chips */
    int64_t number, length_ps;
    int64_t gap_ps;              /* to the next one; -1 = unknown */
    struct xpd_time_range first; /* host-aligned, on the first chip */
    struct xpd_time_range all;   /* from the first chip that begins to the last one that ends */
    int64_t late_ps;             /* `first` ends so much after it is placed */
};

static int by_chip(const void *a, const void *b)
{
    const struct on_chip *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->cell->number != y->cell->number)
        return x->cell->number < y->cell->number ? -1 : 1;
    return (x->cell > y->cell) - (x->cell < y->cell);
}

static int by_step(const void *a, const void *b)
{
    const struct on_chip *x = a, *y = b;
    if (x->cell->number != y->cell->number)
        return x->cell->number < y->cell->number ? -1 : 1;
    if (x->turn != y->turn)
        return x->turn < y->turn ? -1 : 1;
    return (x->lane > y->lane) - (x->lane < y->lane);
}

static int by_time(const void *a, const void *b)
{
    const struct joined *x = a, *y = b;
    return (x->first.to_ps > y->first.to_ps) - (x->first.to_ps < y->first.to_ps);
}

static int by_last_end(const void *a, const void *b)
{
    const struct joined *x = a, *y = b;
    return (x->all.to_ps > y->all.to_ps) - (x->all.to_ps < y->all.to_ps);
}

static int by_lateness(const void *a, const void *b)
{
    const struct joined *x = a, *y = b;
    return (x->late_ps > y->late_ps) - (x->late_ps < y->late_ps);
}

/* By number; those of a number that comes again are told apart by their order. */
static void sort_steps(struct on_chip *step, uint32_t count)
{
    qsort(step, count, sizeof *step, by_chip);
    for (uint32_t i = 1; i < count; i++)
        if (step[i].lane == step[i - 1].lane && step[i].cell->number == step[i - 1].cell->number)
            step[i].turn = step[i - 1].turn + 1;
    qsort(step, count, sizeof *step, by_step);
}

/* The mean of the chips, as trace/stepsplit has it. */
static struct joined join(const struct on_chip *step, uint32_t count)
{
    int64_t length_ps = 0, gap_ps = 0, gaps = 0;
    struct xpd_time_range first = {step->cell->span.from_ps, step->cell->span.to_ps}, all = first;
    for (uint32_t i = 0; i < count; i++) {
        const struct xpd_split_span *span = &step[i].cell->span;
        xpd_grow_i64(&length_ps, span->duration_ps);
        all.from_ps = span->from_ps < all.from_ps ? span->from_ps : all.from_ps;
        all.to_ps = span->to_ps > all.to_ps ? span->to_ps : all.to_ps;
        if (step[i].cell->gap_ps < 0)
            continue;
        xpd_grow_i64(&gap_ps, step[i].cell->gap_ps);
        gaps++;
    }
    return (struct joined){.number = step->cell->number,
                           .length_ps = length_ps / count,
                           .gap_ps = gaps > 0 ? gap_ps / gaps : -1,
                           .first = first,
                           .all = all};
}

static uint32_t join_all(struct joined *out, const struct on_chip *step, uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count; end++)
            if (step[end].cell->number != step[i].cell->number || step[end].turn != step[i].turn)
                break;
        out[n++] = join(&step[i], end - i);
    }
    return n;
}

/* The host's clock: where they are. */
static void take(struct xpd_input_periods *out, struct joined *step, uint32_t count)
{
    qsort(step, count, sizeof *step, by_last_end);
    for (uint32_t i = 0; i < count; i++) {
        int64_t from_ps = i > 0 ? step[i - 1].all.to_ps : step[i].all.from_ps;
        if (step[i].all.to_ps > from_ps)
            out->step[out->count++] =
                (struct xpd_input_given){step[i].number, from_ps, step[i].all.to_ps};
    }
}

/* A chip's clock: one after another from 0 on. Steps that overlap have no gap: there the host's
 * clock tells. */
static void place(struct xpd_input_periods *out, struct joined *step, uint32_t count)
{
    int64_t at_ps = 0, end_ps = 0;
    qsort(step, count, sizeof *step, by_time);
    for (uint32_t i = 0; i < count; i++) {
        xpd_grow_i64(&at_ps, step[i].length_ps);
        step[i].late_ps = step[i].first.to_ps - at_ps;
        if (at_ps > end_ps)
            out->step[out->count++] = (struct xpd_input_given){step[i].number, end_ps, at_ps};
        end_ps = at_ps > end_ps ? at_ps : end_ps;
        if (i + 1 < count)
            xpd_grow_i64(&at_ps, step[i].gap_ps >= 0
                                     ? step[i].gap_ps
                                     : step[i + 1].first.from_ps - step[i].first.to_ps);
    }
    qsort(step, count, sizeof *step, by_lateness);
    for (uint32_t i = 0; i < out->count; i++) {
        xpd_grow_i64(&out->step[i].from_ps, step[count / 2].late_ps);
        xpd_grow_i64(&out->step[i].to_ps, step[count / 2].late_ps);
    }
}

int xpd_input_periods_of(struct xpd_input_periods *out, const struct xpd_step_table *table,
                         struct xpd_arena *arena, struct xpd_err *err)
{
    *out = (struct xpd_input_periods){0};
    if (table->what == XPD_STEPS_WINDOWS || table->cells == 0)
        return XPD_OK;
    struct on_chip *all = XPD_NEW_ARRAY(arena, struct on_chip, table->cells);
    struct joined *step = XPD_NEW_ARRAY(arena, struct joined, table->cells);
    out->step = XPD_NEW_ARRAY(arena, struct xpd_input_given, table->cells);
    uint32_t count = 0;
    if (!all || !step || !out->step)
        return xpd_no_memory(err, NULL, "for the steps");
    for (uint32_t l = 0; l < table->lane_count; l++)
        for (uint32_t i = 0; i < table->lane[l].count; i++)
            all[count++] = (struct on_chip){&table->lane[l].cell[i], l, 0};
    sort_steps(all, count);
    count = join_all(step, all, count);
    (table->clock == XPD_CLOCK_HOST ? take : place)(out, step, count);
    return XPD_OK;
}
