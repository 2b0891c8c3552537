/* Compute against communication, step by step and collective by collective. In: a view with derived
 * rows. Out: times. */
#include "overlap_work.h"

#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"

#include <stdlib.h>

/* Between the first and the last cut in the range the sums are known; its ends are looked at. */
static void measure(struct xpd_overlapping *o, uint32_t process, struct xpd_time_range range,
                    struct xpd_overlap *out)
{
    const struct xpd_overlap_cut *cut = o->table->cut;
    if (!cut) {
        xpd_overlap_measure(o, process, range, out);
        return;
    }
    uint32_t first = o->table->cut_first[process], last = o->table->cut_first[process + 1];
    uint32_t end = last;
    XPD_BISECT(first, last, at, cut[at].at_ps < range.from_ps);
    last = first;
    XPD_BISECT(last, end, at, cut[at].at_ps <= range.to_ps);
    if (last - first < 2) {
        xpd_overlap_measure(o, process, range, out);
        return;
    }
    struct xpd_overlap piece = {0};
    xpd_overlap_measure(o, process, (struct xpd_time_range){range.from_ps, cut[first].at_ps}, out);
    xpd_overlap_add(out, &cut[last - 1].before, 1);
    xpd_overlap_add(out, &cut[first].before, -1);
    xpd_overlap_measure(o, process, (struct xpd_time_range){cut[last - 1].at_ps, range.to_ps},
                        &piece);
    xpd_overlap_add(out, &piece, 1);
}

/* One step; by the device's clock its events are those of the step on the other one. */
static void measure_step(struct xpd_overlapping *o, const struct xpd_overlap_device *device,
                         const struct xpd_step *step, struct xpd_overlap *out)
{
    struct xpd_time_range range = {step->start_ps, step->end_ps};
    bool known =
        device && device->known[step->process] && xpd_step_device_range(o->view, step, &o->window);
    o->device = known ? device : NULL;
    if (known)
        xpd_overlap_measure(o, step->process, range, out);
    else
        measure(o, step->process, range, out);
    o->device = NULL;
}

int xpd_overlap_of(const struct xpd_view *view, const struct xpd_overlap_table *table,
                   const struct xpd_overlap_device *device, uint32_t first, uint32_t count,
                   struct xpd_overlap *out, struct xpd_err *err)
{
    struct xpd_overlapping o = {.view = view, .table = table};
    bool fine = true;
    for (uint32_t i = 0; fine && i < count; i++) {
        const struct xpd_step *step = &view->derived->step[first + i];
        out[i] = (struct xpd_overlap){.step = first + i};
        measure_step(&o, device, step, &out[i]);
        fine = !xpd_overlap_failed(&o);
    }
    xpd_overlap_close(&o);
    return fine ? XPD_OK : xpd_no_memory(err, NULL, "for the steps");
}

int xpd_overlap_in(const struct xpd_view *view, const struct xpd_overlap_table *table,
                   uint32_t process, struct xpd_time_range range, struct xpd_overlap *out,
                   struct xpd_err *err)
{
    struct xpd_overlapping o = {.view = view, .table = table};
    *out = (struct xpd_overlap){.step = XPD_NO_INDEX};
    measure(&o, process, range, out);
    bool fine = !xpd_overlap_failed(&o);
    xpd_overlap_close(&o);
    return fine ? XPD_OK : xpd_no_memory(err, NULL, "for this range");
}

/* ---- one collective ---- */

static int by_start(const void *a, const void *b)
{
    const struct xpd_overlap_named *x = a, *y = b;
    return (x->at.start_ps > y->at.start_ps) - (x->at.start_ps < y->at.start_ps);
}

static int by_name(const void *a, const void *b)
{
    const struct xpd_overlap_named *x = a, *y = b;
    return x->name != y->name ? (x->name < y->name ? -1 : 1) : by_start(a, b);
}

static int by_exposed(const void *a, const void *b)
{
    const struct xpd_overlap_collective *x = a, *y = b;
    if (x->exposed_ps != y->exposed_ps)
        return x->exposed_ps < y->exposed_ps ? 1 : -1;
    return (x->name > y->name) - (x->name < y->name);
}

/* Executions of one name are consecutive. */
static uint32_t add_up(const struct xpd_overlapping *o, struct xpd_overlap_collective *out)
{
    uint32_t n = 0;
    for (size_t i = 0; i < o->each.count; i++) {
        const struct xpd_interval *at = &o->each.at[i].at;
        int64_t long_ps = at->end_ps - at->start_ps;
        int64_t exposed_ps = long_ps - xpd_intervals_inside(&o->compute, at->start_ps, at->end_ps);
        if (n == 0 || out[n - 1].name != o->each.at[i].name)
            out[n++] = (struct xpd_overlap_collective){.name = o->each.at[i].name};
        struct xpd_overlap_collective *one = &out[n - 1];
        one->count++;
        xpd_grow_i64(&one->total_ps, long_ps);
        xpd_grow_i64(&one->exposed_ps, exposed_ps);
        one->most_ps = exposed_ps > one->most_ps ? exposed_ps : one->most_ps;
    }
    return n;
}

int xpd_overlap_collectives(const struct xpd_view *view, const struct xpd_overlap_table *table,
                            uint32_t process, struct xpd_time_range range,
                            struct xpd_overlap_collective **out, uint32_t *count,
                            struct xpd_err *err)
{
    struct xpd_overlapping o = {.view = view, .table = table};
    *count = 0;
    xpd_overlap_collect(&o, process, range);
    xpd_intervals_join(&o.compute);
    if (o.each.count > 0)
        qsort(o.each.at, o.each.count, sizeof *o.each.at, by_name);
    *out = calloc(o.each.count + 1, sizeof **out);
    bool fine = *out && !xpd_overlap_failed(&o);
    if (fine)
        *count = add_up(&o, *out);
    if (*count > 1)
        qsort(*out, *count, sizeof **out, by_exposed);
    xpd_overlap_close(&o);
    if (fine)
        return XPD_OK;
    free(*out);
    *out = NULL;
    return xpd_no_memory(err, NULL, "for the collectives");
}
