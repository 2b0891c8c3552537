/* /api/v1/trace/overlap: what each device did in a range of time: compute, communication and copies
 * hidden under it or not, nothing. */
#include "overlap_kept.h"
#include "xprofd/answer/write.h"
#include "xprofd/base/vec.h"

#include <stdlib.h>

#define ROWS_MAX 20000 /* rows of an answer */

#define XPD_OVERLAP_ROW_FIELDS(FIELD)                                                              \
    FIELD(COUNT, process, "of trace/rows")                                                         \
    FIELD(TEXT, name, "of the process")                                                            \
    FIELD(SIGNED, device, "its number")                                                            \
    XPD_OVERLAP_FIELDS(FIELD, INT)                                                                 \
    FIELD(MAYBE(REAL), exposed_comm_share, "of all communication; null: there is none")            \
    FIELD(MAYBE(REAL), exposed_copy_share, "of all copies; null: there is none")
XPD_RECORD(xpd_overlap_row, XPD_OVERLAP_ROW_FIELDS)

#define XPD_OVERLAP_OP_FIELDS(FIELD)                                                               \
    FIELD(COUNT, process, "of trace/rows")                                                         \
    FIELD(TEXT, name, "of the operation; of an asynchronous one its start")                        \
    FIELD(SIGNED, device, "its number")                                                            \
    FIELD(INT, count, "executions, each from start to done, cut at the range")                     \
    FIELD(INT, total_ps, "of all executions")                                                      \
    FIELD(INT, exposed_ps, "of it outside of the device's compute")                                \
    FIELD(MAYBE(REAL), exposed_share, "of its total")                                              \
    FIELD(INT, most_exposed_ps, "in the worst execution")
XPD_RECORD(xpd_overlap_op, XPD_OVERLAP_OP_FIELDS)

#define XPD_OVERLAP_ANSWER_FIELDS(FIELD)                                                           \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(WORD("host"), clock, "of all times")                                                     \
    FIELD(SIGNED, from_ps, "start of the range")                                                   \
    FIELD(SIGNED, to_ps, "its end")                                                                \
    FIELD(STRING, host, "whose trace this is")                                                     \
    FIELD(MAYBE(STRING), compute_unknown, "why nothing is listed; null where something computes")  \
    FIELD(MAYBE(COLUMNS(xpd_overlap_row)), devices,                                                \
          "the devices, and hosts whose threads ran the operations; null by collective")           \
    FIELD(COUNT, left_out, "rows beyond the limit")                                                \
    FIELD(MAYBE(COLUMNS(xpd_overlap_op)), collectives,                                             \
          "each collective of each device, most exposed first; null by device")
XPD_RECORD(xpd_overlap_answer, XPD_OVERLAP_ANSWER_FIELDS)

struct collective {
    uint32_t process;
    struct xpd_overlap_collective of;
};
struct collectives {
    XPD_VEC(struct collective) at;
};

/* Why there is no row at all: hosts stand for everything else that may be in the file. */
static const char *compute_unknown(const struct xpd_trace *trace)
{
    const char *why = "the trace has no process";
    for (uint32_t p = trace->process_count; p-- > 0;) {
        if (xpd_trace_computes(trace, p))
            return NULL;
        if (trace->process[p].kind == XPD_PROCESS_HOST || p == 0)
            why = xpd_trace_computes_not(trace, p);
    }
    return why;
}

/* -1: there is nothing to share. */
static double share(int64_t part_ps, int64_t rest_ps)
{
    return part_ps + rest_ps > 0 ? (double)part_ps / ((double)part_ps + (double)rest_ps) : -1;
}

/* One row a device. */
static int by_device(struct xpd_overlap_answer *out, const struct xpd_trace_call *call,
                     const struct xpd_overlap_table *table, const struct xpd_time_range *range,
                     struct xpd_err *err)
{
    const struct xpd_trace *trace = call->view.trace;
    struct xpd_overlap_row *at =
        XPD_NEW_ARRAY(call->ctx->arena, struct xpd_overlap_row, trace->process_count);
    uint32_t limit = (uint32_t)xpd_param_int(call->ctx, &xpd_tool_trace_overlap, "limit"), n = 0;
    int rc = at ? XPD_OK : xpd_tools_no_memory(err);
    for (uint32_t p = 0; p < trace->process_count && rc == XPD_OK; p++) {
        struct xpd_overlap of;
        if (!xpd_trace_computes(trace, p))
            continue;
        if (n == limit) {
            out->left_out++;
            continue;
        }
        rc = xpd_overlap_in(&call->view, table, p, *range, &of, err);
        if (rc == XPD_OK)
            at[n++] = (struct xpd_overlap_row){p,
                                               xpd_tools_process_name(&call->view, p),
                                               trace->process[p].device,
                                               XPD_OVERLAP_OF(of),
                                               share(of.comm_exposed_ps, of.comm_overlapped_ps),
                                               share(of.copy_exposed_ps, of.copy_overlapped_ps)};
    }
    out->devices.at = at;
    out->devices.n = n;
    return rc;
}

static int by_exposed(const void *a, const void *b)
{
    const struct collective *x = a, *y = b;
    if (x->of.exposed_ps != y->of.exposed_ps)
        return x->of.exposed_ps < y->of.exposed_ps ? 1 : -1;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->of.name > y->of.name) - (x->of.name < y->of.name);
}

static int collect(struct collectives *all, const struct xpd_trace_call *call,
                   const struct xpd_overlap_table *table, const struct xpd_time_range *range,
                   struct xpd_err *err)
{
    const struct xpd_trace *trace = call->view.trace;
    int rc = XPD_OK;
    for (uint32_t p = 0; p < trace->process_count && rc == XPD_OK; p++) {
        struct xpd_overlap_collective *of = NULL;
        uint32_t n = 0;
        if (xpd_trace_computes(trace, p))
            rc = xpd_overlap_collectives(&call->view, table, p, *range, &of, &n, err);
        for (uint32_t i = 0; i < n; i++) {
            struct collective one = {p, of[i]};
            XPD_PUSH(&all->at, one);
        }
        free(of);
    }
    if (rc == XPD_OK && all->at.failed)
        rc = xpd_tools_no_memory(err);
    if (rc == XPD_OK && all->at.count > 1)
        qsort(all->at.at, all->at.count, sizeof *all->at.at, by_exposed);
    return rc;
}

/* One row a collective of a device, most exposed first. */
static int by_collective(struct xpd_overlap_answer *out, const struct xpd_trace_call *call,
                         const struct xpd_overlap_table *table, const struct xpd_time_range *range,
                         struct xpd_err *err)
{
    struct collectives all = {0};
    int rc = collect(&all, call, table, range, err);
    uint32_t limit = (uint32_t)xpd_param_int(call->ctx, &xpd_tool_trace_overlap, "limit");
    uint32_t n = all.at.count < limit ? (uint32_t)all.at.count : limit;
    struct xpd_overlap_op *at = XPD_NEW_ARRAY(call->ctx->arena, struct xpd_overlap_op, n);
    if (rc == XPD_OK && !at)
        rc = xpd_tools_no_memory(err);
    for (uint32_t i = 0; rc == XPD_OK && i < n; i++) {
        const struct xpd_overlap_collective *of = &all.at.at[i].of;
        uint32_t p = all.at.at[i].process;
        at[i] = (struct xpd_overlap_op){.process = p,
                                        .name = xpd_view_caption(&call->view, of->name),
                                        .device = call->view.trace->process[p].device,
                                        .count = (int64_t)of->count,
                                        .total_ps = of->total_ps,
                                        .exposed_ps = of->exposed_ps,
                                        .exposed_share =
                                            share(of->exposed_ps, of->total_ps - of->exposed_ps),
                                        .most_exposed_ps = of->most_ps};
    }
    out->left_out = (uint32_t)all.at.count - n;
    out->collectives.at = at;
    out->collectives.n = n;
    XPD_VEC_FINI(&all.at);
    return rc;
}

static int overlap(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct xpd_overlap_answer *out = XPD_NEW(ctx->arena, struct xpd_overlap_answer);
    struct xpd_trace_call call;
    struct xpd_time_range range;
    const struct xpd_overlap_table *table;
    int rc = out ? xpd_tools_trace(ctx, XPD_WANT_DERIVED, &call, err) : xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_range(&call, &range, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_overlap(&table, &call, err);
    if (rc != XPD_OK)
        return rc;
    out->base_ps = call.base_ps;
    out->clock = "host";
    out->from_ps = xpd_tools_at(&call, range.from_ps);
    out->to_ps = xpd_tools_at(&call, range.to_ps);
    out->host = xpd_tools_host_name(&call);
    out->compute_unknown = compute_unknown(call.view.trace);
    *answer = out;
    return xpd_param_word(ctx, &xpd_tool_trace_overlap, "by") == 1
               ? by_collective(out, &call, table, &range, err)
               : by_device(out, &call, table, &range, err);
}

static void text(struct xpd_strbuf *out, const void *answer)
{
    const struct xpd_overlap_answer *a = answer;
    const struct xpd_record *record = xpd_overlap_answer_record();
    if (a->compute_unknown)
        xpd_strbuf_printf(out, "unknown: %s\n", a->compute_unknown);
    else if (a->collectives.n > 0)
        xpd_answer_table(out, xpd_record_table(record, "collectives"), a,
                         "exposed_ps total_ps exposed_share count most_exposed_ps device name");
    else if (a->collectives.at)
        xpd_strbuf_puts(out, "No device of this trace ran a collective in this time.\n");
    else
        xpd_answer_table(out, xpd_record_table(record, "devices"), a,
                         XPD_OVERLAP_COLUMNS " exposed_comm_share exposed_copy_share name");
    if (a->left_out > 0)
        xpd_strbuf_printf(out, "%" PRIu32 " more\n", a->left_out);
}

static const struct xpd_param_spec params[] = {
    XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,
    {.name = "by",
     .type = XPD_PARAM_ENUM,
     .words = "device collective",
     .help = "a row a device, or a row for each collective operation of each device"},
    XPD_PARAM_FORMAT,
    XPD_PARAM_LIMIT(ROWS_MAX, ROWS_MAX, "rows"),
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_overlap = {
    .route = "/api/v1/trace/overlap",
    .title = "Compute, communication and copies, hidden or exposed, of each device in a range.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .about =
        "Hosts are no rows, but one without chips whose threads ran the operations. Operations "
        "are those of a TPU's line of operations, of a GPU's streams (kernels; NCCL's and those "
        "of a collective communicate, memory copies and memsets are copies) and of a CPU's "
        "threads; derived rows count nowhere. Where collectives run side by side their exposed "
        "times add up to more than `exposed_comm_ps`, which counts a moment once.",
    .answer = xpd_overlap_answer_record,
    .make = overlap,
    .text = text,
    .file_name = "overlap.csv",
};
