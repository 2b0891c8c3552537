/* See gpu_steps.h. A sample belongs to the last event that starts before it, on any stream; at the
 * start of an event it comes first. */
#include "xprofd/compat/gpu_steps.h"
#include "xprofd/base/bisect.h"

#include <stdlib.h>

struct begin {
    int64_t start_ps;
    uint64_t number;
};

static int by_start(const void *a, const void *b)
{
    const struct begin *x = a, *y = b;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static uint64_t first_of(const struct xpd_derived *derived, const struct xpd_trace_row *row)
{
    return derived->depth[row->first_depth].first_event;
}

static void read_steps(const struct xpd_derived *derived, const struct xpd_trace_row *row,
                       struct begin *begin, int64_t *end_ps)
{
    size_t count = 0;
    for (uint32_t d = 0; d < row->depth_count; d++) {
        const struct xpd_depth *depth = &derived->depth[row->first_depth + d];
        for (uint32_t i = 0; i < depth->count; i++, count++) {
            begin[count] = (struct begin){xpd_depth_start(depth, i),
                                          depth->first_event - first_of(derived, row) + i};
            end_ps[begin[count].number] = xpd_depth_end(depth, i);
        }
    }
    qsort(begin, count, sizeof *begin, by_start);
}

/* Number that begin before a time; samples belong to the last of them. */
static uint64_t begun_before(const struct begin *begin, uint64_t count, int64_t at_ps)
{
    uint64_t behind = 0;
    XPD_BISECT(behind, count, middle, begin[middle].start_ps < at_ps);
    return behind;
}

static void add_samples(const struct xpd_trace *trace, const struct xpd_trace_row *row,
                        const struct begin *begin, uint64_t count, int64_t *end_ps)
{
    for (uint32_t d = 0; d < row->depth_count; d++) {
        const struct xpd_depth *depth = &trace->depth[row->first_depth + d];
        for (uint32_t i = 0; i < depth->count; i++) {
            int64_t at_ps = xpd_depth_start(depth, i);
            uint64_t behind = begun_before(begin, count, at_ps);
            if (behind > 0 && end_ps[begin[behind - 1].number] < at_ps)
                end_ps[begin[behind - 1].number] = at_ps;
        }
    }
}

static bool open_steps(const struct xpd_derived *derived, const struct xpd_trace_row *steps,
                       struct begin **begin, int64_t **end_ps)
{
    *begin = malloc((steps->event_count + 1) * sizeof **begin);
    *end_ps = malloc((steps->event_count + 1) * sizeof **end_ps);
    if (*begin && *end_ps) {
        read_steps(derived, steps, *begin, *end_ps);
        return true;
    }
    free(*begin);
    free(*end_ps);
    *begin = NULL;
    *end_ps = NULL;
    return false;
}

bool xpd_gpu_step_ends(const struct xpd_derived *derived, uint32_t row, int64_t **end_ps)
{
    const struct xpd_trace *trace = derived->trace;
    const struct xpd_trace_row *steps = &derived->row[row];
    const struct xpd_trace_process *process = &trace->process[steps->process];
    struct begin *begin = NULL;
    *end_ps = NULL;
    for (uint32_t r = process->first_row; r < process->first_row + process->row_count; r++) {
        if (trace->row[r].kind != XPD_ROW_COUNTER || steps->event_count == 0)
            continue;
        if (!begin && !open_steps(derived, steps, &begin, end_ps))
            return false;
        add_samples(trace, &trace->row[r], begin, steps->event_count, *end_ps);
    }
    free(begin);
    return true;
}

bool xpd_gpu_sample_groups(const struct xpd_derived *derived, uint32_t row,
                           const struct xpd_depth *samples, uint32_t *group)
{
    const struct xpd_trace_row *steps = &derived->row[row];
    struct begin *begin;
    int64_t *end_ps;
    if (!open_steps(derived, steps, &begin, &end_ps))
        return false;
    for (uint32_t i = 0; i < samples->count; i++) {
        uint64_t behind = begun_before(begin, steps->event_count, samples->start_ps[i]);
        uint64_t event = behind ? first_of(derived, steps) + begin[behind - 1].number : 0;
        group[i] = behind ? xpd_derived_fact_of(derived, event).group : XPD_NO_GROUP;
    }
    free(begin);
    free(end_ps);
    return true;
}
