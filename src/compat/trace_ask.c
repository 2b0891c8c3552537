/* The query of trace_viewer@: a window, one event, or the beginning of a name. */
#include "compat.h"
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
    while (end > copy && (*end == ' ' || *end == '\t' || *end == '\n'))
        end++;
    return end > copy && *end == 0;
}

/* XProf answers none that has a number it cannot read. */
static int check_numbers(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    static const char *const names[] = {"start_time_ms", "end_time_ms", "duration_ms", "unique_id",
                                        "resolution"};
    double value;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (xpd_param_has(ctx, names[i]) && !number_param(ctx, names[i], &value))
            return xpd_fail(err, XPD_EINVAL, names[i], XPD_NO_OFFSET, "%s= is not a number",
                            names[i]);
    return XPD_OK;
}

/* Milliseconds to picoseconds. XProf takes them for unsigned: what is negative, or no number, is
 * behind everything. It rounds the times of an event, and cuts those of a window. */
static int64_t to_ps(double ms, bool rounded)
{
    double ps = rounded ? round(ms * 1e9) : trunc(ms * 1e9);
    return ps >= 0 && ps < 9.2e18 ? (int64_t)ps : INT64_MAX;
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

/* XProf's window for one host: an end of 0 means none; an end before the start becomes the start;
 * then the start moves to the first event and the end to the last. */
static void clamp(const struct xpd_xprof *xprof, struct xpd_xprof_query *query)
{
    if (query->to_ps < query->from_ps)
        query->to_ps = query->from_ps;
    if (query->to_ps > xprof->end_ps)
        query->to_ps = xprof->end_ps;
    if (query->from_ps < xprof->first_ps)
        query->from_ps = xprof->first_ps;
    if (query->to_ps < query->from_ps)
        query->to_ps = query->from_ps;
    query->instant = query->from_ps == query->to_ps;
}

/* The number of cells, an integer. */
static int64_t cell_of(const struct xpd_xprof *xprof, const struct xpd_xprof_query *query,
                       double resolution)
{
    int64_t from_ps = query->windowed ? query->from_ps : xprof->first_ps;
    int64_t to_ps = query->windowed ? query->to_ps : xprof->end_ps;
    double cell_ps = ((double)to_ps - (double)from_ps) / floor(resolution) + 0.5;
    if (!(resolution >= 1) || cell_ps < 1)
        return 0;
    return cell_ps < 9e18 ? (int64_t)cell_ps : INT64_MAX;
}

static int window_of(struct xpd_trace_answer *answer, struct xpd_compat_host *host,
                     struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = answer->trace->ctx;
    struct xpd_xprof_query *query = &host->query;
    double start_ms, end_ms, resolution;
    bool has_start = number_param(ctx, "start_time_ms", &start_ms);
    bool has_end = number_param(ctx, "end_time_ms", &end_ms);
    if (!number_param(ctx, "resolution", &resolution))
        resolution = RESOLUTION_DEFAULT;
    query->dma_anywhere = answer->full_dma;
    query->from_ps = has_start ? to_ps(start_ms, false) : 0;
    query->to_ps = has_end ? to_ps(end_ms, false) : 0;
    query->windowed = (query->from_ps | query->to_ps) != 0;
    if (query->windowed)
        clamp(host->xprof, query);
    if (!query->instant)
        query->resolution_ps = cell_of(host->xprof, query, resolution);
    return xpd_compat_need_levels(answer->trace, host, err);
}

int xpd_answer_window(struct xpd_trace_answer *answer, struct xpd_err *err)
{
    int rc = XPD_OK;
    for (uint32_t i = 0; i < answer->trace->host_count && rc == XPD_OK; i++) {
        struct xpd_compat_host *host = &answer->trace->host[i];
        host->query = (struct xpd_xprof_query){.full_dma = answer->full_dma};
        if (answer->mode == XPD_TRACE_EVENT) { /* no need to look further than where it begins */
            host->query.full_dma = true;       /* XProf hides nothing that is requested by name */
            host->query.windowed = true;
            host->query.from_ps = host->query.to_ps = answer->start_ps;
        }
        if (answer->mode == XPD_TRACE_WINDOW)
            rc = window_of(answer, host, err);
    }
    return rc;
}

int xpd_answer_params(struct xpd_trace_answer *answer, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = answer->trace->ctx;
    double start_ms = 0, duration_ms = 0;
    int rc = check_numbers(ctx, err);
    if (rc != XPD_OK)
        return rc;
    answer->full_dma = xpd_compat_flag(ctx, "full_dma");
    if (xpd_param_text(ctx, "event_name").size > 0) {
        answer->mode = XPD_TRACE_EVENT;
        answer->with_args = true;
        answer->name = xpd_param_text(ctx, "event_name");
        (void)number_param(ctx, "start_time_ms", &start_ms);
        (void)number_param(ctx, "duration_ms", &duration_ms);
        answer->start_ps = to_ps(start_ms, true);
        answer->duration_ps = to_ps(duration_ms, true);
        (void)xpd_str_to_u64(xpd_param_text(ctx, "unique_id"), &answer->serial);
    } else if (xpd_param_text(ctx, "search_prefix").size > 0) {
        answer->mode = XPD_TRACE_SEARCH;
        answer->with_args = xpd_compat_flag(ctx, "search_metadata");
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
        return !event->unfound && event->name.size >= answer->name.size &&
               (answer->name.size == 0 ||
                memcmp(event->name.data, answer->name.data, answer->name.size) == 0);
    default: return true;
    }
}
