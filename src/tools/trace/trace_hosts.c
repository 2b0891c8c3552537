/* Which hosts a question is about, and what is said of their clocks. In: a query. Out: a host of
 * the run, or all that have events. */
#include "../common/sidebar.h"
#include "trace_common.h"

#include "xprofd/trace/join.h"

int xpd_tools_trace_host(const struct xpd_tool_ctx *ctx, uint32_t *host, struct xpd_err *err)
{
    int rc = xpd_tools_host_called(ctx->run, xpd_param_text(ctx, "host"), host, err);
    if (rc == XPD_OK && *host == XPD_NO_INDEX)
        return xpd_fail(err, XPD_ENOTFOUND, "host", XPD_NO_OFFSET, "run %s: %s",
                        ctx->run->entry->id, xpd_sidebar_trace_reason(ctx->run));
    return rc;
}

const char *xpd_tools_host_name(const struct xpd_trace_call *call)
{
    return call->view.trace->part ? "ALL" : call->ctx->run->host[call->host].name;
}

uint32_t xpd_tools_process_host(const struct xpd_trace_call *call, uint32_t process)
{
    const struct xpd_trace *trace = call->view.trace;
    if (!trace->part)
        return call->host;
    const struct xpd_trace_host *part = xpd_part_of_process(trace, process);
    return xpd_tools_part_host(call->ctx->run, (uint32_t)(part - trace->part));
}

struct xpd_str xpd_tools_process_name(const struct xpd_view *view, uint32_t process)
{
    return xpd_intern_get(&view->trace->names, view->trace->process[process].name);
}

struct xpd_str xpd_tools_plane_name(const struct xpd_view *view, uint32_t process)
{
    const struct xpd_trace *trace = view->trace;
    if (!trace->part)
        return xpd_tools_process_name(view, process);
    const struct xpd_trace_host *part = xpd_part_of_process(trace, process);
    return xpd_intern_get(&part->trace->names,
                          part->trace->process[process - part->first_process].name);
}

/* ---- clocks ---- */

/* What the host's own clock says, from the axis' 0 (of hosts none of which is placed by it: from
 * the first host); false when it says nothing. */
static bool clock_offset(const struct xpd_trace *trace, const struct xpd_trace_host *part,
                         int64_t *ns)
{
    int64_t own = xpd_trace_zero_ns(part->trace);
    int64_t zero =
        trace->profile_start_ns ? trace->profile_start_ns : xpd_trace_zero_ns(trace->part[0].trace);
    *ns = own - zero;
    return own > 0 && zero > 0;
}

/* In the unit that has at most three digits before the point. */
static void put_offset(struct xpd_strbuf *out, double ps)
{
    static const struct {
        double ps;
        const char *word;
    } unit[] = {{1e12, "s"}, {1e9, "ms"}, {1e6, "µs"}, {1e3, "ns"}, {1, "ps"}};
    double size = ps < 0 ? -ps : ps;
    size_t i = 0;
    while (i + 1 < sizeof unit / sizeof unit[0] && size < unit[i].ps)
        i++;
    if (ps == 0)
        xpd_strbuf_puts(out, "+0 ms");
    else
        xpd_strbuf_printf(out, "%+.3f %s", ps / unit[i].ps, unit[i].word);
}

void xpd_tools_put_placed(struct xpd_strbuf *out, const struct xpd_trace *trace, uint32_t part)
{
    const struct xpd_trace_host *at = &trace->part[part];
    int64_t ns;
    if (at->placed == XPD_PLACED_CLOCK) {
        put_offset(out, (double)at->shift_ps);
        xpd_strbuf_puts(out, " by the profile's clock");
        return;
    }
    if (at->placed == XPD_PLACED_NO_CLOCK)
        xpd_strbuf_puts(out, "its file has no start time: starts aligned, moved by ");
    else
        xpd_strbuf_puts(out, "its clock does not overlap the others: starts aligned, moved by ");
    put_offset(out, (double)at->shift_ps);
    if (at->placed == XPD_PLACED_APART && clock_offset(trace, at, &ns)) {
        xpd_strbuf_puts(out, ", its clock says ");
        put_offset(out, (double)ns * 1e3);
    }
}

XPD_RECORD_TABLE(xpd_trace_of_host, XPD_TRACE_OF_HOST_FIELDS)

static void fill_placed(struct xpd_trace_of_host *out, const struct xpd_trace *trace, uint32_t part,
                        struct xpd_arena *arena)
{
    struct xpd_strbuf said = {0};
    const struct xpd_trace_host *at = &trace->part[part];
    int64_t ns;
    out->shift_ps = at->shift_ps;
    out->placed = xpd_placed_word(at->placed);
    if (clock_offset(trace, at, &ns))
        out->clock_offset_ns = ns;
    xpd_tools_put_placed(&said, trace, part);
    out->said = xpd_strbuf_keep(&said, arena);
    xpd_strbuf_fini(&said);
}

const struct xpd_trace_of_host *xpd_tools_hosts(const struct xpd_trace_call *call)
{
    const struct xpd_run *run = call->ctx->run;
    struct xpd_trace_of_host *out =
        XPD_NEW_ARRAY(call->ctx->arena, struct xpd_trace_of_host, run->host_count);
    uint32_t part = 0;
    for (uint32_t i = 0; out && i < run->host_count; i++) {
        const struct xpd_host *host = &run->host[i];
        out[i] = (struct xpd_trace_of_host){
            .name = host->name,
            .has_events = xpd_host_has_events(host),
            .error = host->error.code == XPD_OK ? NULL : host->error.text,
            .shift_ps = XPD_UNKNOWN,
            .clock_offset_ns = XPD_UNKNOWN,
        };
        if (out[i].has_events && call->view.trace->part)
            fill_placed(&out[i], call->view.trace, part++, call->ctx->arena);
    }
    return out;
}
