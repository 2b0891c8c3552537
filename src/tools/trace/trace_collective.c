/* /api/v1/trace/collective: one collective on all chips: who came last, who waited how long. */
#include "trace_common.h"
#include "xprofd/trace/join.h"
#include "xprofd/trace/peers.h"

#define XPD_COLLECTIVE_CHIP_FIELDS(FIELD)                                                          \
    FIELD(COUNT, process, "of trace/rows")                                                         \
    FIELD(SIGNED, device, "its number")                                                            \
    FIELD(INT, event, "its event")                                                                 \
    FIELD(COUNT, row, "row of the event")                                                          \
    FIELD(COUNT, depth, "likewise")                                                                \
    FIELD(SIGNED, start_ps, "of the event")                                                        \
    FIELD(SIGNED, end_ps, "likewise")                                                              \
    FIELD(SIGNED, wait_ps,                                                                         \
          "wait for the last chip to begin; more than the event's own time where the clocks of "   \
          "two chips differ")
XPD_RECORD(xpd_collective_chip, XPD_COLLECTIVE_CHIP_FIELDS)

#define XPD_COLLECTIVE_ANSWER_FIELDS(FIELD)                                                        \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(WORD("host"), clock, "of all times")                                                     \
    FIELD(MAYBE(WORD("profile")), hosts_clock,                                                     \
          "clock by which chips of several hosts are compared; null: one host")                    \
    FIELD(COUNT, apart, "number of chips left out, on hosts whose times cannot be compared")       \
    FIELD(COLUMNS(xpd_collective_chip), chips, "the chips that took part")                         \
    FIELD(INT, skew_start_ps, "between the first and the last to begin")                           \
    FIELD(INT, skew_end_ps, "between the first and the last to end")                               \
    FIELD(MAYBE(INDEX), straggler, "process that began last; null with one chip")
XPD_RECORD(xpd_collective_answer, XPD_COLLECTIVE_ANSWER_FIELDS)

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

static struct xpd_collective_chip chip_of(const struct xpd_trace_call *call,
                                          const struct xpd_peer *peer, int64_t last_start_ps)
{
    return (struct xpd_collective_chip){
        .process = peer->process,
        .device = call->view.trace->process[peer->process].device,
        .event = (int64_t)peer->event.number,
        .row = peer->event.row,
        .depth = peer->event.depth,
        .start_ps = xpd_tools_at(call, peer->event.start_ps),
        .end_ps = xpd_tools_at(call, end_of(&peer->event)),
        .wait_ps = last_start_ps - peer->event.start_ps,
    };
}

static int fill(struct xpd_collective_answer *out, const struct xpd_trace_call *call,
                const struct xpd_peer *peer, uint32_t n, struct xpd_err *err)
{
    uint32_t last = 0, first = 0, first_end = 0, last_end = 0;
    struct xpd_collective_chip *chip =
        XPD_NEW_ARRAY(call->ctx->arena, struct xpd_collective_chip, n);
    if (!chip)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 1; i < n; i++) {
        last = peer[i].event.start_ps > peer[last].event.start_ps ? i : last;
        first = peer[i].event.start_ps < peer[first].event.start_ps ? i : first;
        last_end = end_of(&peer[i].event) > end_of(&peer[last_end].event) ? i : last_end;
        first_end = end_of(&peer[i].event) < end_of(&peer[first_end].event) ? i : first_end;
    }
    for (uint32_t i = 0; i < n; i++)
        chip[i] = chip_of(call, &peer[i], peer[last].event.start_ps);
    out->base_ps = call->base_ps;
    out->clock = "host";
    out->hosts_clock = several_hosts(call, peer, n) ? "profile" : NULL;
    out->chips.at = chip;
    out->chips.n = n;
    out->skew_start_ps = peer[last].event.start_ps - peer[first].event.start_ps;
    out->skew_end_ps = end_of(&peer[last_end].event) - end_of(&peer[first_end].event);
    out->straggler = n > 1 ? peer[last].process : XPD_NO_INDEX;
    return XPD_OK;
}

static int collective(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct xpd_collective_answer *out = XPD_NEW(ctx->arena, struct xpd_collective_answer);
    struct xpd_trace_call call;
    struct xpd_event event;
    struct xpd_peer *peer;
    uint32_t count;
    int rc = out ? xpd_tools_trace(ctx, 0, &call, err) : xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_event(&call, &event, err);
    if (rc == XPD_OK && xpd_view_name(&call.view, event.name)->group != XPD_OP_COLLECTIVE)
        rc = xpd_fail(err, XPD_ENOTFOUND, "event", XPD_NO_OFFSET,
                      "event %" PRIu64 " is not a collective", event.number);
    if (rc == XPD_OK)
        rc = xpd_peers_of(&call.view, &event, ctx->arena, &peer, &count, err);
    if (rc != XPD_OK)
        return rc;
    out->apart = take_out(call.view.trace, peer, &count);
    *answer = out;
    return fill(out, &call, peer, count, err);
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
    .answer = xpd_collective_answer_record,
    .make = collective,
};
