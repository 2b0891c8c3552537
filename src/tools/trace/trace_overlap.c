/* /api/v1/trace/overlap: what each device did in a range of time: compute, communication and copies
 * hidden under it or not, nothing. */
#include "../tables/tools_tables.h"
#include "overlap_kept.h"
#include "xprofd/answer/write.h"
#include "xprofd/base/vec.h"
#include <stdlib.h>

/* Tables of overlap beside the run: of any range, and of the steps. In: a host's trace with derived
 * rows. Out: frozen tables. */

static int view_of(struct xpd_view *view, const struct xpd_tool_ctx *ctx, uint32_t detail,
                   struct xpd_err *err)
{
    uint32_t host = xpd_trace_detail_host(ctx, detail);
    *view = (struct xpd_view){0};
    int rc =
        xpd_store_trace(ctx->store, ctx->run, host, ctx->wait_ms, &view->trace, ctx->state, err);
    if (rc == XPD_OK)
        rc = xpd_store_derived(ctx->store, ctx->run, host, ctx->wait_ms, &view->derived, ctx->state,
                               err);
    return rc;
}

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    struct xpd_view view;
    int rc = view_of(&view, ctx, detail, err);
    return rc == XPD_OK ? xpd_overlap_table_make(table, &view, arena, err) : rc;
}

static int make_roles(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                      uint32_t detail, struct xpd_err *err)
{
    struct xpd_view view;
    int rc = view_of(&view, ctx, detail, err);
    return rc == XPD_OK ? xpd_overlap_roles_make(table, &view, arena, err) : rc;
}

static int make_device(void *device, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                       uint32_t detail, struct xpd_err *err)
{
    struct xpd_view view;
    int rc = view_of(&view, ctx, detail, err);
    return rc == XPD_OK ? xpd_overlap_device_make(device, &view, arena, err) : rc;
}

int xpd_tools_trace_overlap(const struct xpd_overlap_table **out, const struct xpd_trace_call *call,
                            struct xpd_err *err)
{
    struct xpd_tool_ctx of_run = *call->ctx;
    of_run.module = XPD_NO_INDEX;
    *out = xpd_table(&of_run, XPD_TABLE_OVERLAP, xpd_trace_detail(call), false, sizeof **out, make,
                     err);
    return xpd_table_status(*out, err);
}

int xpd_tools_trace_roles(const struct xpd_overlap_table **out, const struct xpd_trace_call *call,
                          struct xpd_err *err)
{
    struct xpd_tool_ctx of_run = *call->ctx;
    of_run.module = XPD_NO_INDEX;
    *out = xpd_table(&of_run, XPD_TABLE_OVERLAP_ROLES, xpd_trace_detail(call), false, sizeof **out,
                     make_roles, err);
    return xpd_table_status(*out, err);
}

/* When its work ran by the chips' own clocks: made by itself, since only steps ask for it. */
static int device_overlap(const struct xpd_overlap_device **out, const struct xpd_trace_call *call,
                          struct xpd_err *err)
{
    struct xpd_tool_ctx of_run = *call->ctx;
    of_run.module = XPD_NO_INDEX;
    *out = xpd_table(&of_run, XPD_TABLE_OVERLAP_DEVICE, xpd_trace_detail(call), false, sizeof **out,
                     make_device, err);
    return xpd_table_status(*out, err);
}

/* ---- the steps ---- */

static bool computes(const struct xpd_view *view, uint32_t step)
{
    return xpd_trace_computes(view->trace, view->derived->step[step].process);
}

/* By the device's clock when it is known of every step of every chip. */
static enum xpd_clock find_clock(const struct xpd_view *view, int64_t *device_ps)
{
    bool all = true, any = false;
    for (uint32_t i = 0; i < view->derived->step_count; i++) {
        device_ps[i] = xpd_step_device_ps(view, &view->derived->step[i]);
        any |= computes(view, i);
        all &= !computes(view, i) || device_ps[i] >= 0;
    }
    return all && any ? XPD_CLOCK_DEVICE : XPD_CLOCK_HOST;
}

static const char *why_host(const struct xpd_view *view, bool asked)
{
    if (asked)
        return "asked for";
    for (uint32_t i = 0; i < view->derived->step_count; i++)
        if (computes(view, i) &&
            view->trace->process[view->derived->step[i].process].kind != XPD_PROCESS_HOST)
            return "not all steps and work of the chips have times on the chips' own clocks";
    return "no chip has steps, and threads have no clock of their own";
}

static int measure(struct xpd_overlap *overlap, const struct xpd_trace_call *call,
                   const struct xpd_overlap_device *device, struct xpd_err *err)
{
    const struct xpd_overlap_table *table;
    int rc = xpd_tools_trace_roles(&table, call, err);
    for (uint32_t p = 0, first, end; rc == XPD_OK && p < call->view.trace->process_count; p++) {
        xpd_steps_of(call->view.derived, p, &first, &end);
        if (first < end && computes(&call->view, first))
            rc = xpd_overlap_of(&call->view, table, device, first, end - first, overlap + first,
                                err);
    }
    return rc;
}

static bool all_by_device(const struct xpd_view *view, const struct xpd_overlap *overlap)
{
    for (uint32_t i = 0; i < view->derived->step_count; i++)
        if (computes(view, i) && overlap[i].clock != XPD_CLOCK_DEVICE)
            return false;
    return true;
}

static int make_steps(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                      uint32_t detail, struct xpd_err *err)
{
    struct xpd_steps_kept *kept = table;
    struct xpd_trace_call call = {.ctx = ctx, .host = xpd_trace_detail_host(ctx, detail / 2)};
    const struct xpd_overlap_device *device = NULL;
    int rc = view_of(&call.view, ctx, detail / 2, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t count = call.view.derived->step_count;
    int64_t *device_ps = XPD_NEW_ARRAY(arena, int64_t, count);
    struct xpd_overlap *overlap = XPD_NEW_ARRAY(arena, struct xpd_overlap, count);
    if (!device_ps || !overlap)
        return xpd_tools_no_memory(err);
    enum xpd_clock known = find_clock(&call.view, device_ps);
    kept->clock = detail % 2 ? XPD_CLOCK_HOST : known;
    if (kept->clock == XPD_CLOCK_DEVICE)
        rc = device_overlap(&device, &call, err);
    if (rc == XPD_OK)
        rc = measure(overlap, &call, device, err);
    if (rc == XPD_OK && device && !all_by_device(&call.view, overlap)) {
        kept->clock = XPD_CLOCK_HOST; /* some work of a chip has no time on its own clock */
        rc = measure(overlap, &call, NULL, err);
    }
    kept->why_host = kept->clock == XPD_CLOCK_HOST ? why_host(&call.view, detail % 2) : NULL;
    kept->device_ps = device_ps;
    kept->overlap = overlap;
    return rc;
}

int xpd_tools_trace_steps(const struct xpd_steps_kept **out, const struct xpd_trace_call *call,
                          enum xpd_clock clock, struct xpd_err *err)
{
    struct xpd_tool_ctx of_run = *call->ctx;
    of_run.module = XPD_NO_INDEX;
    uint32_t detail = xpd_trace_detail(call) * 2 + (clock == XPD_CLOCK_HOST);
    *out = xpd_table(&of_run, XPD_TABLE_STEPS, detail, false, sizeof **out, make_steps, err);
    return xpd_table_status(*out, err);
}

#define ROWS_MAX 20000 /* rows of an answer */

#define XPD_OVERLAP_ROW_FIELDS(FIELD)                                                              \
    FIELD(COUNT, process, "of trace/rows")                                                         \
    FIELD(TEXT, name, "of the process")                                                            \
    FIELD(SIGNED, device, "its number")                                                            \
    XPD_OVERLAP_FIELDS(FIELD, INT)                                                                 \
    FIELD(MAYBE(REAL), exposed_comm_share, "of all communication; null: none")                     \
    FIELD(MAYBE(REAL), exposed_copy_share, "of all copies; null: none")
XPD_RECORD(xpd_overlap_row, XPD_OVERLAP_ROW_FIELDS)

#define XPD_OVERLAP_OP_FIELDS(FIELD)                                                               \
    FIELD(COUNT, process, "of trace/rows")                                                         \
    FIELD(TEXT, name, "name of the operation; for an asynchronous one, its start")                 \
    FIELD(SIGNED, device, "its number")                                                            \
    FIELD(INT, count, "executions, each from start to done, cut at the range")                     \
    FIELD(INT, total_ps, "of all executions")                                                      \
    FIELD(INT, exposed_ps, "the part that the device's compute does not overlap")                  \
    FIELD(MAYBE(REAL), exposed_share, "of its total")                                              \
    FIELD(INT, most_exposed_ps, "in the worst execution")
XPD_RECORD(xpd_overlap_op, XPD_OVERLAP_OP_FIELDS)

#define XPD_OVERLAP_ANSWER_FIELDS(FIELD)                                                           \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(WORD("host"), clock, "of all times")                                                     \
    FIELD(SIGNED, from_ps, "start of the range")                                                   \
    FIELD(SIGNED, to_ps, "its end")                                                                \
    FIELD(STRING, host, "host of the trace")                                                       \
    FIELD(MAYBE(STRING), compute_unknown, "why nothing is listed; null: compute is known")         \
    FIELD(MAYBE(COLUMNS(xpd_overlap_row)), devices,                                                \
          "the devices, and hosts whose threads ran the operations; null by collective")           \
    FIELD(COUNT, lone_halves,                                                                      \
          "starts and dones of collectives in the whole trace without their other half")           \
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
    out->lone_halves = table->lone_halves;
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
    if (a->devices.n > 0 || a->collectives.n > 0)
        xpd_strbuf_printf(out, "clock: %s\n", a->clock);
    if (a->lone_halves > 0)
        xpd_strbuf_printf(out,
                          "%" PRIu32 " of the starts and dones of collectives in the trace have no "
                          "other half: no communication is counted for them\n",
                          a->lone_halves);
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
        "A host has no row, unless it has no chips and its threads ran the operations. Operations "
        "are those of a TPU's line of operations, of a GPU's streams (kernels; those of NCCL or of "
        "a collective count as communication, memory copies and memsets as copies) and of a CPU's "
        "threads; derived rows do not count. If collectives run in parallel, their exposed times "
        "add up to more than `exposed_comm_ps`, which counts each moment once.",
    .answer = xpd_overlap_answer_record,
    .make = overlap,
    .text = text,
    .file_name = "overlap.csv",
    XPD_IN_REPORT("", {140, XPD_EACH_HOST, "", "what the devices did in the whole trace"}),
};
