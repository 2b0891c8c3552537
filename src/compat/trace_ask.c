/* The query of trace_viewer@ (trace.md 5.4): a window, one event, or the beginning of a name. */
#include "trace_answer.h"

#include <math.h>
#include <stdlib.h>

#define RESOLUTION_DEFAULT 8000

static bool number_param(const struct xpd_tool_ctx *ctx, const char *name, double *value)
{
    struct xpd_str text = xpd_param_text(ctx, name);
    char copy[64], *end;
    if (text.size == 0 || text.size >= sizeof copy)
        return false;
    memcpy(copy, text.data, text.size);
    copy[text.size] = 0;
    *value = strtod(copy, &end);
    return *end == 0 && isfinite(*value);
}

/* XProf answers none that has a number it cannot read. */
static int check_numbers(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    static const char *const names[] = {"start_time_ms", "end_time_ms", "duration_ms",
                                        "resolution"};
    double value;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (xpd_param_has(ctx, names[i]) && !number_param(ctx, names[i], &value))
            return xpd_fail(err, XPD_EINVAL, names[i], XPD_NO_OFFSET, "%s= is not a number",
                            names[i]);
    return XPD_OK;
}

static bool flag_param(const struct xpd_tool_ctx *ctx, const char *name)
{
    struct xpd_str text = xpd_param_text(ctx, name);
    return xpd_str_eq(text, XPD_STR("true")) || xpd_str_eq(text, XPD_STR("1"));
}

/* Milliseconds to picoseconds as XProf rounds them, kept inside the range. */
static int64_t to_ps(double ms)
{
    double ps = round(ms * 1e9);
    if (ps >= 9.2e18)
        return INT64_MAX;
    return ps <= 0 ? 0 : (int64_t)ps;
}

void xpd_answer_bounds(const struct xpd_compat_trace *trace, int64_t *first_ps, int64_t *end_ps)
{
    bool any = false;
    *first_ps = *end_ps = 0;
    for (uint32_t i = 0; i < trace->host_count; i++) {
        const struct xpd_xprof *xprof = trace->host[i].xprof;
        if (xprof->event_count == 0)
            continue;
        if (!any || xprof->first_ps < *first_ps)
            *first_ps = xprof->first_ps;
        if (!any || xprof->end_ps > *end_ps)
            *end_ps = xprof->end_ps;
        any = true;
    }
}

void xpd_answer_window(const struct xpd_trace_answer *answer, struct xpd_xprof_query *query)
{
    const struct xpd_tool_ctx *ctx = answer->trace->ctx;
    double start_ms, end_ms, resolution;
    int64_t first_ps, last_ps;
    bool has_start = number_param(ctx, "start_time_ms", &start_ms);
    bool has_end = number_param(ctx, "end_time_ms", &end_ms);
    query->full_dma = answer->full_dma;
    if (answer->mode == XPD_TRACE_EVENT) { /* no need to look further than where it begins */
        query->full_dma = true;            /* XProf hides nothing that is asked for by name */
        query->windowed = true;
        query->from_ps = query->to_ps = answer->start_ps;
    }
    if (answer->mode != XPD_TRACE_WINDOW)
        return;
    query->dma_anywhere = answer->full_dma;
    xpd_answer_bounds(answer->trace, &first_ps, &last_ps);
    query->windowed = has_start || has_end;
    query->from_ps = has_start ? to_ps(start_ms) : first_ps;
    query->to_ps = has_end && to_ps(end_ms) > 0 ? to_ps(end_ms) : last_ps;
    if (query->to_ps < query->from_ps)
        query->to_ps = query->from_ps;
    if (!number_param(ctx, "resolution", &resolution))
        resolution = RESOLUTION_DEFAULT;
    /* the window inside the trace, and as many cells as a whole number says */
    int64_t begin_ps = query->from_ps > first_ps ? query->from_ps : first_ps;
    int64_t end_ps = query->to_ps < last_ps ? query->to_ps : last_ps;
    double cell_ps = ((double)end_ps - (double)begin_ps) / floor(resolution) + 0.5;
    if (resolution >= 1 && cell_ps > 0)
        query->resolution_ps = cell_ps < 9e18 ? (int64_t)cell_ps : INT64_MAX;
}

int xpd_answer_params(struct xpd_trace_answer *answer, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = answer->trace->ctx;
    double start_ms = 0, duration_ms = 0;
    int rc = check_numbers(ctx, err);
    if (rc != XPD_OK)
        return rc;
    answer->full_dma = flag_param(ctx, "full_dma");
    if (xpd_param_text(ctx, "event_name").size > 0) {
        answer->mode = XPD_TRACE_EVENT;
        answer->with_args = true;
        answer->name = xpd_param_text(ctx, "event_name");
        (void)number_param(ctx, "start_time_ms", &start_ms);
        (void)number_param(ctx, "duration_ms", &duration_ms);
        answer->start_ps = to_ps(start_ms);
        answer->duration_ps = to_ps(duration_ms);
        (void)xpd_str_to_u64(xpd_param_text(ctx, "unique_id"), &answer->serial);
    } else if (xpd_param_text(ctx, "search_prefix").size > 0) {
        answer->mode = XPD_TRACE_SEARCH;
        answer->with_args = flag_param(ctx, "search_metadata");
        answer->name = xpd_param_text(ctx, "search_prefix");
    }
    return XPD_OK;
}

bool xpd_answer_wants(const struct xpd_trace_answer *answer, const struct xpd_xprof_event *event)
{
    switch (answer->mode) {
    case XPD_TRACE_EVENT:
        return event->start_ps == answer->start_ps && event->serial == answer->serial &&
               (event->duration_ps == answer->duration_ps ||
                (event->duration_ps == 0 && answer->duration_ps == 1)) &&
               xpd_str_eq(event->name, answer->name);
    case XPD_TRACE_SEARCH:
        return event->name.size >= answer->name.size &&
               (answer->name.size == 0 ||
                memcmp(event->name.data, answer->name.data, answer->name.size) == 0);
    default: return true;
    }
}
