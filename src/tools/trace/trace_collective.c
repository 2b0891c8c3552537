/* /api/v1/trace/collective: one collective on all chips: who came last, who waited how long. */
#include "trace_common.h"
#include "xprofd/trace/join.h"
#include "xprofd/trace/peers.h"

static int64_t end_of(const struct xpd_event *event)
{
    return event->start_ps + event->duration_ps;
}

/* Who came late is a question of clocks: chips of hosts whose times cannot be compared with the
 * event's are taken out. Returns how many. */
static uint32_t take_out(const struct xpd_trace *trace, struct xpd_peer *peer, uint32_t *n)
{
    uint32_t kept = 0, all = *n;
    for (uint32_t i = 0; i < all; i++)
        if (xpd_trace_comparable(trace, peer[0].process, peer[i].process))
            peer[kept++] = peer[i];
    *n = kept;
    return all - kept;
}

static bool several_hosts(const struct xpd_trace_call *call, const struct xpd_peer *peer,
                          uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (xpd_tools_process_host(call, peer[i].process) !=
            xpd_tools_process_host(call, peer[0].process))
            return true;
    return false;
}

static void write(struct xpd_jsonw *w, const struct xpd_trace_call *call,
                  const struct xpd_peer *peer, uint32_t n, uint32_t apart)
{
    const struct xpd_trace_process *process = call->view.trace->process;
    uint32_t last = 0, first = 0, first_end = 0, last_end = 0;
    for (uint32_t i = 1; i < n; i++) {
        last = peer[i].event.start_ps > peer[last].event.start_ps ? i : last;
        first = peer[i].event.start_ps < peer[first].event.start_ps ? i : first;
        last_end = end_of(&peer[i].event) > end_of(&peer[last_end].event) ? i : last_end;
        first_end = end_of(&peer[i].event) < end_of(&peer[first_end].event) ? i : first_end;
    }
    xpd_json_obj(w);
    xpd_tools_base(w, call);
    xpd_json_ktext(w, "clock", "host");
    xpd_json_ktext(w, "hosts_clock", several_hosts(call, peer, n) ? "profile" : NULL);
    xpd_json_ku64(w, "apart", apart);
    xpd_json_key(w, "chips");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "process", n, xpd_json_u64(w, peer[row].process));
    XPD_COLUMN(w, "device", n, xpd_json_i64(w, process[peer[row].process].device));
    XPD_COLUMN(w, "event", n, xpd_json_u64(w, peer[row].event.number));
    XPD_COLUMN(w, "row", n, xpd_json_u64(w, peer[row].event.row));
    XPD_COLUMN(w, "depth", n, xpd_json_u64(w, peer[row].event.depth));
    XPD_COLUMN(w, "start", n, xpd_json_i64(w, xpd_tools_at(call, peer[row].event.start_ps)));
    XPD_COLUMN(w, "end", n, xpd_json_i64(w, xpd_tools_at(call, end_of(&peer[row].event))));
    XPD_COLUMN(w, "wait", n, xpd_json_i64(w, peer[last].event.start_ps - peer[row].event.start_ps));
    xpd_json_obj_end(w);
    xpd_json_ki64(w, "skew_start", peer[last].event.start_ps - peer[first].event.start_ps);
    xpd_json_ki64(w, "skew_end", end_of(&peer[last_end].event) - end_of(&peer[first_end].event));
    xpd_json_key(w, "straggler");
    if (n > 1)
        xpd_json_u64(w, peer[last].process);
    else
        xpd_json_null(w);
    xpd_json_obj_end(w);
}

static int collective(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                      struct xpd_err *err)
{
    struct xpd_trace_call call;
    struct xpd_event event;
    struct xpd_peer *peer;
    uint32_t count;
    int rc = xpd_tools_trace(ctx, 0, &call, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_event(&call, &event, err);
    if (rc == XPD_OK && xpd_view_name(&call.view, event.name)->group != XPD_OP_COLLECTIVE)
        rc = xpd_fail(err, XPD_ENOTFOUND, "event", XPD_NO_OFFSET,
                      "event %" PRIu64 " is not a collective", event.number);
    if (rc == XPD_OK)
        rc = xpd_peers_of(&call.view, &event, ctx->arena, &peer, &count, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t apart = take_out(call.view.trace, peer, &count);
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    write(&w, &call, peer, count, apart);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    XPD_TRACE_PARAM_EVENT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_collective = {
    .route = "/api/v1/trace/collective",
    .title = "One collective on all chips: when each began and ended, who came last.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .run = collective,
};
