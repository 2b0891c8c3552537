/* Idle time by its reason. In: what a chip did, the host's events. Out: sums over its gaps. */
#include "xprofd/trace/idle.h"

#include "overlap_work.h"
#include "xprofd/base/checked.h"

/* Part of [from_ps, to_ps) in the waits; `at`: the first candidate, moved along. */
static int64_t waits_in(const struct xpd_input_waits *input, uint32_t *at, int64_t from_ps,
                        int64_t to_ps)
{
    int64_t sum_ps = 0;
    while (*at < input->count && input->end_ps[*at] <= from_ps)
        ++*at;
    for (uint32_t i = *at; i < input->count && input->start_ps[i] < to_ps; i++) {
        int64_t start_ps = input->start_ps[i] > from_ps ? input->start_ps[i] : from_ps;
        int64_t end_ps = input->end_ps[i] < to_ps ? input->end_ps[i] : to_ps;
        xpd_grow_i64(&sum_ps, end_ps - start_ps);
    }
    return sum_ps;
}

int xpd_idle_of(struct xpd_idle *out, const struct xpd_view *view,
                const struct xpd_overlap_table *table, uint32_t process,
                struct xpd_time_range range, int64_t short_ps, const struct xpd_input_waits *input,
                struct xpd_err *err)
{
    struct xpd_overlapping chip = {.view = view, .table = table};
    struct xpd_intervals busy = {0};
    uint32_t at = 0;
    *out = (struct xpd_idle){0};
    xpd_overlap_collect(&chip, process, range);
    xpd_intervals_add(&busy, &chip.compute);
    xpd_intervals_add(&busy, &chip.comm);
    xpd_intervals_add(&busy, &chip.copy);
    xpd_intervals_join(&busy);
    for (size_t i = 0; i <= busy.count; i++) {
        int64_t from_ps = i > 0 ? busy.at[i - 1].end_ps : range.from_ps;
        int64_t to_ps = i < busy.count ? busy.at[i].start_ps : range.to_ps;
        if (to_ps <= from_ps)
            continue;
        if (to_ps - from_ps < short_ps) {
            out->short_count++;
            xpd_grow_i64(&out->short_ps, to_ps - from_ps);
        } else {
            xpd_grow_i64(&out->input_ps, waits_in(input, &at, from_ps, to_ps));
        }
    }
    bool failed = busy.failed || xpd_overlap_failed(&chip);
    XPD_VEC_FINI(&busy);
    xpd_overlap_close(&chip);
    return failed ? xpd_no_memory(err, NULL, "for the idle time") : XPD_OK;
}
