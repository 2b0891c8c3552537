/* In: an event. Out: what its name's other runs look like. Two passes over the depths that can hold
 * it: the first for the extremes, which the bins of the second need. */
#include "xprofd/trace/same.h"

#include "xprofd/base/checked.h"
#include "xprofd/base/vec.h"

#include <math.h>
#include <stdlib.h>

struct pass {
    const struct xpd_view *view;
    const struct xpd_event *event;
    struct xpd_same *out;
    uint8_t *same; /* by name of the view */
    struct xpd_same_chip *by_process;
    XPD_VEC(int64_t) value; /* while there are at most XPD_TOTALS_EXACT */
    uint64_t *bin;          /* XPD_DURATION_BINS */
};

static bool flag_names(struct pass *pass, struct xpd_arena *arena)
{
    const struct xpd_view *view = pass->view;
    const struct xpd_event_name *own = xpd_view_name(view, pass->event->name);
    struct xpd_str caption = xpd_view_caption(view, pass->event->name);
    struct xpd_str program = xpd_view_text(view, pass->event->name, own->program);
    uint32_t count = xpd_view_names(view);
    pass->same = XPD_NEW_ARRAY(arena, uint8_t, count);
    pass->by_process = XPD_NEW_ARRAY(arena, struct xpd_same_chip, view->trace->process_count);
    pass->bin = XPD_NEW_ARRAY(arena, uint64_t, XPD_DURATION_BINS);
    if (!pass->same || !pass->by_process || !pass->bin)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct xpd_event_name *name = xpd_view_name(view, i);
        pass->same[i] = xpd_str_eq(xpd_view_text(view, i, name->program), program) &&
                        xpd_str_eq(xpd_view_caption(view, i), caption);
    }
    return true;
}

static void keep_slowest(struct xpd_same *out, const struct xpd_event *event, int64_t ps)
{
    uint32_t at = out->slowest_count;
    if (at == XPD_SAME_SLOWEST) {
        if (ps <= out->slowest_ps[at - 1])
            return;
        at--;
    } else {
        out->slowest_count++;
    }
    for (; at > 0 && out->slowest_ps[at - 1] < ps; at--) {
        out->slowest_ps[at] = out->slowest_ps[at - 1];
        out->slowest[at] = out->slowest[at - 1];
    }
    out->slowest_ps[at] = ps;
    out->slowest[at] = *event;
}

static void take(struct pass *pass, const struct xpd_event *event)
{
    struct xpd_same *out = pass->out;
    struct xpd_same_chip *chip = &pass->by_process[xpd_view_process(pass->view, event->row)];
    int64_t ps = xpd_event_ps(pass->view, event, out->clock);
    out->min_ps = out->count == 0 || ps < out->min_ps ? ps : out->min_ps;
    out->max_ps = out->count == 0 || ps > out->max_ps ? ps : out->max_ps;
    chip->min_ps = chip->count == 0 || ps < chip->min_ps ? ps : chip->min_ps;
    chip->max_ps = chip->count == 0 || ps > chip->max_ps ? ps : chip->max_ps;
    out->count++;
    chip->count++;
    xpd_grow_i64(&out->total_ps, ps);
    xpd_grow_i64(&chip->total_ps, ps);
    keep_slowest(out, event, ps);
    pass->bin[xpd_duration_bin(ps)]++;
    if (out->count <= XPD_TOTALS_EXACT)
        XPD_PUSH(&pass->value, ps);
}

static void find_all(struct pass *pass)
{
    const struct xpd_view *view = pass->view;
    enum xpd_row_kind kind = xpd_view_row(view, pass->event->row)->kind;
    for (uint32_t r = 0; r < xpd_view_rows(view); r++) {
        const struct xpd_trace_row *row = xpd_view_row(view, r);
        if (row->kind != kind)
            continue;
        for (uint32_t d = 0; d < row->depth_count; d++) {
            const struct xpd_depth *depth = xpd_view_depth(view, r, d);
            for (uint32_t i = 0; i < depth->count; i++)
                if (pass->same[depth->name[i]]) {
                    struct xpd_event event = xpd_view_event_at(view, r, d, i);
                    take(pass, &event);
                }
        }
    }
}

static int64_t of_rank(const struct pass *pass, size_t rank)
{
    const struct xpd_same *out = pass->out;
    if (out->exact)
        return xpd_select_i64(pass->value.at, pass->value.count, rank);
    uint64_t sum = 0;
    uint32_t bin = 0;
    while (bin + 1 < XPD_DURATION_BINS && (sum += pass->bin[bin]) <= rank)
        bin++;
    int64_t ps = xpd_duration_of_bin(bin);
    ps = ps < out->min_ps ? out->min_ps : ps;
    return ps > out->max_ps ? out->max_ps : ps;
}

/* Edges from least to most: equal steps, or equal factors when the most is 100 times the least.
 * Steps below a picosecond fall together. */
static void lay_bins(struct xpd_same *out)
{
    double low = (double)out->min_ps, high = (double)out->max_ps;
    out->log_bins = out->min_ps > 0 && high / low >= 100;
    out->bins = 0;
    out->bin_from_ps[0] = out->min_ps;
    for (uint32_t i = 1; i < XPD_SAME_BINS; i++) {
        double part = (double)i / XPD_SAME_BINS;
        double at = out->log_bins ? low * pow(high / low, part) : low + (high - low) * part;
        int64_t edge = at >= high ? out->max_ps : (int64_t)llround(at);
        if (edge > out->bin_from_ps[out->bins] && edge < out->max_ps)
            out->bin_from_ps[++out->bins] = edge;
    }
    out->bin_from_ps[++out->bins] = out->max_ps;
}

static void count_bin(struct xpd_same *out, int64_t ps, uint64_t count)
{
    uint32_t low = 0, high = out->bins - 1; /* the last bin that begins at or before */
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (out->bin_from_ps[middle] <= ps)
            low = middle;
        else
            high = middle - 1;
    }
    out->bin_count[low] += count;
}

static void fill_bins(const struct pass *pass)
{
    struct xpd_same *out = pass->out;
    lay_bins(out);
    for (size_t i = 0; out->exact && i < pass->value.count; i++)
        count_bin(out, pass->value.at[i], 1);
    for (uint32_t i = 0; !out->exact && i < XPD_DURATION_BINS; i++)
        if (pass->bin[i] > 0)
            count_bin(out, xpd_duration_of_bin(i), pass->bin[i]);
}

static void take_chips(struct pass *pass)
{
    struct xpd_same *out = pass->out;
    out->chip = pass->by_process;
    for (uint32_t p = 0; p < pass->view->trace->process_count; p++)
        if (pass->by_process[p].count > 0) {
            pass->by_process[p].process = p;
            out->chip[out->chip_count++] = pass->by_process[p];
        }
}

int xpd_same_of(struct xpd_same *out, const struct xpd_view *view, const struct xpd_event *event,
                enum xpd_clock clock, struct xpd_arena *arena, struct xpd_err *err)
{
    struct pass pass = {.view = view, .event = event, .out = out};
    *out = (struct xpd_same){.clock = clock};
    bool fine = flag_names(&pass, arena);
    if (fine) {
        if (xpd_view_device_ps(view, event) < 0)
            out->clock = XPD_CLOCK_HOST;
        find_all(&pass);
        fine = !pass.value.failed;
    }
    if (fine) {
        out->exact = out->count <= XPD_TOTALS_EXACT;
        out->p50_ps = of_rank(&pass, xpd_rank_of(0.50, (size_t)out->count));
        out->p99_ps = of_rank(&pass, xpd_rank_of(0.99, (size_t)out->count));
        fill_bins(&pass);
        take_chips(&pass);
    }
    XPD_VEC_FINI(&pass.value);
    return fine ? XPD_OK : xpd_no_memory(err, NULL, "for this answer");
}
