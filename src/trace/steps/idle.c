/* Idle time by its reason. In: what a chip did, the host's events. Out: sums over its gaps. */
#include "xprofd/trace/idle.h"

#include "overlap_work.h"
#include "xprofd/base/checked.h"

/* ---- waits for input ---- */

enum input_kind { NO_INPUT, FETCHES, PYTHON_NEXT };

static enum input_kind kind_of(struct xpd_str caption)
{
    static const char *const fetches[] = {"IteratorGetNext", "InfeedEnqueue", "InputPipeline"};
    for (size_t i = 0; i < sizeof fetches / sizeof *fetches; i++)
        if (xpd_str_find(caption, xpd_str_of(fetches[i]), false) != SIZE_MAX)
            return FETCHES;
    bool python = caption.size > 0 && caption.data[0] == '$';
    return python && (xpd_str_ends(caption, " next") || xpd_str_ends(caption, " __next__"))
               ? PYTHON_NEXT
               : NO_INPUT;
}

static bool marks_steps(const struct xpd_view *view, uint32_t row)
{
    for (uint32_t i = 0; i < view->derived->step_count; i++)
        if (view->derived->step[i].thread == row)
            return true;
    return false;
}

struct looking {
    const struct xpd_view *view;
    const uint8_t *kind; /* by name of the trace */
    int64_t *time_ps;    /* likewise */
    struct xpd_intervals found;
};

static void look_at(struct looking *l, uint32_t row)
{
    const struct xpd_trace_row *of = xpd_view_row(l->view, row);
    bool python = marks_steps(l->view, row);
    for (uint32_t d = 0; d < of->depth_count; d++) {
        const struct xpd_depth *depth = xpd_view_depth(l->view, row, d);
        for (uint32_t i = 0; i < depth->count; i++) {
            uint8_t kind = l->kind[depth->name[i]];
            if (kind == NO_INPUT || (kind == PYTHON_NEXT && !python))
                continue;
            int64_t start_ps = depth->start_ps[i], end_ps = start_ps + depth->duration_ps[i];
            xpd_intervals_put(&l->found, INT64_MIN, INT64_MAX, start_ps, end_ps);
            xpd_grow_i64(&l->time_ps[depth->name[i]], depth->duration_ps[i]);
        }
    }
}

static bool keep(struct xpd_input_waits *out, const struct looking *l, struct xpd_arena *arena)
{
    size_t count = l->found.count;
    int64_t *start_ps = XPD_NEW_ARRAY(arena, int64_t, count);
    int64_t *end_ps = XPD_NEW_ARRAY(arena, int64_t, count), most_ps = 0;
    if (!start_ps || !end_ps || l->found.failed)
        return false;
    for (size_t i = 0; i < count; i++) {
        start_ps[i] = l->found.at[i].start_ps;
        end_ps[i] = l->found.at[i].end_ps;
    }
    *out = (struct xpd_input_waits){start_ps, end_ps, (uint32_t)count, XPD_NO_INDEX};
    for (uint32_t n = 0; n < l->view->trace->name_count; n++)
        if (l->time_ps[n] > most_ps) {
            most_ps = l->time_ps[n];
            out->name = n;
        }
    return true;
}

int xpd_input_find(struct xpd_input_waits *out, const struct xpd_view *view,
                   struct xpd_arena *arena, struct xpd_err *err)
{
    const struct xpd_trace *trace = view->trace;
    uint8_t *kind = XPD_NEW_ARRAY(arena, uint8_t, trace->name_count);
    int64_t *time_ps = XPD_NEW_ARRAY(arena, int64_t, trace->name_count);
    struct looking l = {.view = view, .kind = kind, .time_ps = time_ps};
    bool any = false;
    for (uint32_t n = 0; kind && n < trace->name_count; n++) {
        kind[n] = (uint8_t)kind_of(xpd_view_caption(view, n));
        any |= kind[n] != NO_INPUT;
    }
    for (uint32_t row = 0; kind && time_ps && any && row < trace->row_count; row++)
        if (trace->process[trace->row[row].process].kind == XPD_PROCESS_HOST)
            look_at(&l, row);
    xpd_intervals_join(&l.found);
    bool ok = kind && time_ps && keep(out, &l, arena);
    XPD_VEC_FINI(&l.found);
    return ok ? XPD_OK
              : xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for waits for input");
}

/* ---- gaps ---- */

/* What of [from_ps, to_ps) lies in the waits; `at`: the first that may, moved along. */
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
    const struct xpd_intervals *part[] = {&chip.compute, &chip.comm, &chip.copy};
    uint32_t at = 0;
    *out = (struct xpd_idle){0};
    xpd_overlap_collect(&chip, process, range);
    for (size_t p = 0; p < sizeof part / sizeof part[0]; p++)
        for (size_t i = 0; i < part[p]->count; i++)
            XPD_PUSH(&busy, part[p]->at[i]);
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
    return failed ? xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for the idle time")
                  : XPD_OK;
}
