/* /api/v1/trace/steps: the steps of every process and what its device did in each; or what the
 * pixels of a window can show of those of one lane, a device or a thread. */
#include "../tables/measured.h"
#include "overlap_kept.h"
#include "step_times.h"
#include "steps_chips.h"
#include "trace_common.h"
#include "xprofd/answer/write.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/map64.h"
#include "xprofd/base/order.h"
#include "xprofd/trace/totals.h"
#include <stdlib.h>

/* Step times of a run. In: the derived steps of a host. Out: one duration a step, sorted. */

struct one { /* of one step on one process */
    int64_t number, duration_ps;
};

static int by_number(const void *a, const void *b)
{
    const struct one *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->duration_ps < y->duration_ps) - (x->duration_ps > y->duration_ps);
}

static bool is_device(const struct xpd_view *view, const struct xpd_step *step)
{
    return xpd_trace_computes(view->trace, step->process);
}

/* The steps of devices, of the host when no device has any. */
static uint32_t collect(const struct xpd_view *view, struct one *all)
{
    const struct xpd_derived *derived = view->derived;
    uint32_t count = 0;
    bool devices = false;
    for (uint32_t i = 0; i < derived->step_count; i++)
        devices |= is_device(view, &derived->step[i]);
    for (uint32_t i = 0; i < derived->step_count; i++) {
        const struct xpd_step *step = &derived->step[i];
        if (devices && !is_device(view, step))
            continue;
        int64_t device_ps = devices ? xpd_step_device_ps(view, step) : -1;
        all[count++] =
            (struct one){step->number, device_ps >= 0 ? device_ps : step->end_ps - step->start_ps};
    }
    return count;
}

static int find_exposed(struct xpd_step_times *out, const struct xpd_trace_call *call,
                        struct xpd_err *err)
{
    const struct xpd_view *view = &call->view;
    const struct xpd_steps_kept *kept = NULL;
    int64_t exposed_ps = 0, all_ps = 0;
    int rc = xpd_tools_trace_steps(&kept, call, XPD_CLOCK_DEVICE, err);
    for (uint32_t i = 0; rc == XPD_OK && i < view->derived->step_count; i++) {
        if (!is_device(view, &view->derived->step[i]))
            continue;
        xpd_grow_i64(&exposed_ps, kept->overlap[i].comm_exposed_ps);
        xpd_grow_i64(&all_ps, kept->overlap[i].length_ps);
    }
    out->exposed_comm = all_ps > 0 ? (double)exposed_ps / (double)all_ps : -1;
    return rc;
}

static int measure(struct xpd_step_times *out, const struct xpd_trace_call *call,
                   struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = call->ctx;
    const struct xpd_view *view = &call->view;
    struct one *all = XPD_NEW_ARRAY(ctx->arena, struct one, view->derived->step_count);
    out->duration_ps = XPD_NEW_ARRAY(ctx->arena, int64_t, view->derived->step_count);
    if (!all || !out->duration_ps)
        return xpd_tools_no_memory(err);
    uint32_t count = collect(view, all);
    if (count > 1)
        qsort(all, count, sizeof *all, by_number);
    for (uint32_t i = 0; i < count; i++) /* the longest of a number comes first */
        if (i == 0 || all[i].number != all[i - 1].number)
            out->duration_ps[out->count++] = all[i].duration_ps;
    if (out->count > 1)
        qsort(out->duration_ps, out->count, sizeof *out->duration_ps, xpd_order_i64);
    if (out->count < XPD_STEPS_JUDGED)
        out->why_not = xpd_arena_printf(
            ctx->arena, "the recording has %" PRIu32 " marked step%s; step times need at least 5",
            out->count, out->count == 1 ? "" : "s");
    return find_exposed(out, call, err);
}

int xpd_step_times_of(struct xpd_step_times *out, const struct xpd_tool_ctx *ctx,
                      struct xpd_err *err)
{
    struct xpd_trace_call call = {.ctx = ctx};
    *out = (struct xpd_step_times){.why_not = xpd_measured_never(ctx->run, ctx->module)};
    if (out->why_not)
        return XPD_OK;
    call.host = xpd_measured_host(ctx->run, ctx->module);
    if (call.host == XPD_NO_INDEX) {
        out->why_not = "the host that holds this program has no events";
        return XPD_OK;
    }
    int rc = xpd_store_trace(ctx->store, ctx->run, call.host, ctx->wait_ms, &call.view.trace,
                             ctx->state, err);
    if (rc == XPD_OK)
        rc = xpd_store_derived(ctx->store, ctx->run, call.host, ctx->wait_ms, &call.view.derived,
                               ctx->state, err);
    return rc == XPD_OK ? measure(out, &call, err) : rc;
}

int64_t xpd_step_quantile(const struct xpd_step_times *times, double quantile)
{
    return times->duration_ps[xpd_rank_of(quantile, times->count)];
}

#define STEPS_MAX 20000 /* of one answer, all processes together */

#define XPD_STEPS_LANE_FIELDS(FIELD)                                                               \
    FIELD(COUNT, process, "of trace/rows")                                                         \
    FIELD(MAYBE(INDEX), row, "the thread that marked the steps; null: steps of a device")          \
    FIELD(COUNT, steps, "in the whole trace")                                                      \
    FIELD(MAYBE(STRING), compute_unknown, "why their compute time is unknown")
XPD_RECORD(xpd_steps_lane, XPD_STEPS_LANE_FIELDS)

#define XPD_STEPS_ROW_FIELDS(FIELD)                                                                \
    FIELD(COUNT, process, "of trace/rows")                                                         \
    FIELD(TEXT, device, "its name, or that of a host: \"/device:TPU:0\"")                          \
    FIELD(MAYBE(INDEX), row, "the thread that marked it; null: a step of a device")                \
    FIELD(SIGNED, number, "the same step has the same number on every chip of every host")         \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(INT, event, "the event of the step")                                                     \
    FIELD(SIGNED, start_ps, "host-aligned start, for drawing")                                     \
    FIELD(SIGNED, end_ps, "likewise")                                                              \
    FIELD(WORD(XPD_CLOCK_WORDS), clock_of, "clock of its duration: `clock`; for a host, host")     \
    FIELD(INT, duration_ps, "by that clock")                                                       \
    FIELD(MAYBE(INT), device_ps,                                                                   \
          "duration by the device's clock, from the step's event or from its first to its last "   \
          "operation")                                                                             \
    FIELD(MAYBE(SIGNED), drift_ps,                                                                 \
          "host-aligned duration minus `device_ps`: clock drift, not time of the program")         \
    XPD_OVERLAP_FIELDS(FIELD, MAYBE(INT))
XPD_RECORD(xpd_steps_row, XPD_STEPS_ROW_FIELDS)

#define XPD_STEPS_MARK_FIELDS(FIELD)                                                               \
    FIELD(COUNT, count, "number of steps in the mark; a step that fills a cell is its own mark")   \
    FIELD(SIGNED, number, "number of the first step")                                              \
    FIELD(SIGNED, last, "number of the last step")                                                 \
    FIELD(TEXT, name, "of the first")                                                              \
    FIELD(INT, event, "of the first")                                                              \
    FIELD(SIGNED, start_ps, "of the first")                                                        \
    FIELD(SIGNED, end_ps, "end of the last step")                                                  \
    FIELD(MAYBE(INT), duration_ps, "of one step, by its clock; null for several")
XPD_RECORD(xpd_steps_mark, XPD_STEPS_MARK_FIELDS)

#define XPD_STEPS_MARKS_FIELDS(FIELD)                                                              \
    FIELD(INT, cell_ps, "time of a pixel")                                                         \
    FIELD(SIGNED, from_ps, "of the window")                                                        \
    FIELD(SIGNED, to_ps, "of the window")                                                          \
    FIELD(MAYBE(INDEX), process, "process of the lane: the first requested one")                   \
    FIELD(MAYBE(INDEX), row, "its thread")                                                         \
    FIELD(INLINE(xpd_steps_mark), rows, "at most two for each pixel")
XPD_RECORD(xpd_steps_marks, XPD_STEPS_MARKS_FIELDS)

#define XPD_STEPS_ANSWER_FIELDS(FIELD)                                                             \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(WORD(XPD_CLOCK_WORDS), clock, "of durations and their parts, of all chips")              \
    FIELD(MAYBE(STRING), why_host, "why the clock is the host's; null: it is the device's")        \
    FIELD(COUNT, total, "steps requested")                                                         \
    FIELD(MAYBE(STRING), why_none, "why the trace has no steps; null: it has")                     \
    FIELD(COLUMNS(xpd_steps_lane), lanes, "devices and threads with steps")                        \
    FIELD(COUNT, offset, "of the first step listed")                                               \
    FIELD(COUNT, left_out, "steps not listed")                                                     \
    FIELD(INLINE(xpd_steps_row), steps, "the steps listed; none with `px`")                        \
    FIELD(MAYBE(OBJECT(xpd_steps_chips)), chips,                                                   \
          "comparison of the chips, by `clock`; null with `px` and with overlap=0")                \
    FIELD(MAYBE(OBJECT(xpd_steps_marks)), marks, "with `px`: marks for that many pixels")
XPD_RECORD(xpd_steps_answer, XPD_STEPS_ANSWER_FIELDS)

struct answer {
    const struct xpd_trace_call *call;
    const struct xpd_steps_kept *kept;
    struct xpd_steps_lane *lane;
    uint32_t lanes;
    uint32_t *at; /* the steps asked about, indexes in derived->step */
    uint32_t total, first, n;
};

static const struct xpd_step *step_of(const struct answer *answer, uint32_t i)
{
    return &answer->call->view.derived->step[answer->at[answer->first + i]];
}

static bool computes(const struct answer *answer, const struct xpd_step *step)
{
    return xpd_trace_computes(answer->call->view.trace, step->process);
}

static const struct xpd_overlap *overlap_of(const struct answer *answer, uint32_t i)
{
    return &answer->kept->overlap[answer->at[answer->first + i]];
}

static bool by_device(const struct answer *answer, const struct xpd_step *step)
{
    return answer->kept->clock == XPD_CLOCK_DEVICE && computes(answer, step);
}

static int64_t device_ps(const struct answer *answer, const struct xpd_step *step)
{
    return answer->kept->device_ps[step - answer->call->view.derived->step];
}

static int64_t length_of(const struct answer *answer, const struct xpd_step *step)
{
    return by_device(answer, step) ? device_ps(answer, step) : step->end_ps - step->start_ps;
}

/* The chips side by side, over all their steps, regardless of the part listed. */
static int make_chips(struct xpd_steps_answer *out, const struct answer *answer,
                      struct xpd_err *err)
{
    const struct xpd_trace_call *call = answer->call;
    const struct xpd_derived *derived = call->view.derived;
    uint32_t count = 0;
    struct xpd_steps_chips *chips = XPD_NEW(call->ctx->arena, struct xpd_steps_chips);
    struct xpd_measured_step *at =
        XPD_NEW_ARRAY(call->ctx->arena, struct xpd_measured_step, derived->step_count);
    if (!at || !chips)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < derived->step_count; i++)
        if (computes(answer, &derived->step[i]))
            at[count++] = (struct xpd_measured_step){&derived->step[i], &answer->kept->overlap[i]};
    out->chips = chips;
    return xpd_steps_chips_make(chips, call, at, count, err);
}

static struct xpd_str name_of(const struct answer *answer, const struct xpd_step *step)
{
    return xpd_intern_get(&answer->call->view.derived->names, step->name);
}

static struct xpd_steps_row row_of(const struct answer *a, uint32_t i)
{
    const struct xpd_step *step = step_of(a, i);
    int64_t own_ps = device_ps(a, step);
    return (struct xpd_steps_row){
        .process = step->process,
        .device = xpd_tools_process_name(&a->call->view, step->process),
        .row = step->thread,
        .number = step->number,
        .name = name_of(a, step),
        .event = (int64_t)step->event,
        .start_ps = xpd_tools_at(a->call, step->start_ps),
        .end_ps = xpd_tools_at(a->call, step->end_ps),
        .clock_of = by_device(a, step) ? "device" : "host",
        .duration_ps = length_of(a, step),
        .device_ps = own_ps,
        .drift_ps = own_ps < 0 ? XPD_UNKNOWN : step->end_ps - step->start_ps - own_ps,
        .compute_ps = -1,
        .overlapped_comm_ps = -1,
        .exposed_comm_ps = -1,
        .overlapped_copy_ps = -1,
        .exposed_copy_ps = -1,
        .idle_ps = -1,
    };
}

/* A process that only launches work has no such measurement: it stays unknown. */
static void fill_overlap(struct xpd_steps_row *row, const struct xpd_overlap *o)
{
    row->compute_ps = o->compute_ps;
    row->overlapped_comm_ps = o->comm_overlapped_ps;
    row->exposed_comm_ps = o->comm_exposed_ps;
    row->overlapped_copy_ps = o->copy_overlapped_ps;
    row->exposed_copy_ps = o->copy_exposed_ps;
    row->idle_ps = o->idle_ps;
}

static int make_list(struct xpd_steps_answer *out, const struct answer *a, struct xpd_err *err)
{
    struct xpd_steps_row *row = XPD_NEW_ARRAY(a->call->ctx->arena, struct xpd_steps_row, a->n);
    bool overlap = xpd_param_int(a->call->ctx, &xpd_tool_trace_steps, "overlap") != 0;
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < a->n; i++) {
        row[i] = row_of(a, i);
        if (overlap && computes(a, step_of(a, i)))
            fill_overlap(&row[i], overlap_of(a, i));
    }
    out->offset = a->first;
    out->left_out = a->total - a->n;
    out->steps.at = row;
    out->steps.n = a->n;
    return overlap ? make_chips(out, a, err) : XPD_OK;
}

/* ---- pixels ---- */

/* What of the steps asked about lies on the first lane of them. */
static uint32_t keep_lane(struct answer *answer)
{
    const struct xpd_step *first = answer->total > 0 ? step_of(answer, 0) : NULL;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < answer->total; i++) {
        const struct xpd_step *step = step_of(answer, i);
        if (step->process == first->process && step->thread == first->thread)
            answer->at[kept++] = answer->at[i];
    }
    return kept;
}

static struct xpd_steps_mark mark_of(const struct answer *answer, const struct xpd_step_mark *mark)
{
    const struct xpd_step *step = answer->call->view.derived->step;
    return (struct xpd_steps_mark){
        .count = mark->count,
        .number = step[mark->step].number,
        .last = step[mark->last].number,
        .name = name_of(answer, &step[mark->step]),
        .event = (int64_t)step[mark->step].event,
        .start_ps = xpd_tools_at(answer->call, mark->start_ps),
        .end_ps = xpd_tools_at(answer->call, mark->end_ps),
        .duration_ps = mark->count == 1 ? length_of(answer, &step[mark->step]) : -1,
    };
}

static int make_marks(struct xpd_steps_answer *out, struct answer *answer,
                      struct xpd_time_range range, struct xpd_err *err)
{
    const struct xpd_trace_call *call = answer->call;
    struct xpd_arena *arena = call->ctx->arena;
    uint32_t px = (uint32_t)xpd_param_int(call->ctx, &xpd_tool_trace_steps, "px");
    uint32_t count = keep_lane(answer);
    int64_t cell_ps = xpd_tools_trace_columns(call, &range, px);
    struct xpd_steps_marks *marks = XPD_NEW(arena, struct xpd_steps_marks);
    struct xpd_step_mark *mark = XPD_NEW_ARRAY(arena, struct xpd_step_mark, count);
    if (!mark || !marks)
        return xpd_tools_no_memory(err);
    uint32_t n =
        xpd_step_marks(call->view.derived, answer->at, count, range.from_ps, cell_ps, mark);
    struct xpd_steps_mark *row = XPD_NEW_ARRAY(arena, struct xpd_steps_mark, n);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++)
        row[i] = mark_of(answer, &mark[i]);
    *marks = (struct xpd_steps_marks){
        .cell_ps = cell_ps,
        .from_ps = xpd_tools_at(call, range.from_ps),
        .to_ps = xpd_tools_at(call, range.to_ps),
        .process = count > 0 ? step_of(answer, 0)->process : XPD_NO_INDEX,
        .row = count > 0 ? step_of(answer, 0)->thread : XPD_NO_INDEX,
        .rows = {row, n},
    };
    out->marks = marks;
    return XPD_OK;
}

/* ---- which steps ---- */

static int by_lane(const void *a, const void *b)
{
    const struct xpd_steps_lane *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* The lanes of all steps, regardless of the request. */
static int find_lanes(struct answer *answer, struct xpd_err *err)
{
    const struct xpd_trace *trace = answer->call->view.trace;
    const struct xpd_derived *derived = answer->call->view.derived;
    struct xpd_map64 lane_of = {0};
    answer->lane = XPD_NEW_ARRAY(answer->call->ctx->arena, struct xpd_steps_lane,
                                 (size_t)trace->row_count + trace->process_count);
    for (uint32_t i = 0; answer->lane && i < derived->step_count; i++) {
        const struct xpd_step *step = &derived->step[i];
        uint64_t key = (uint64_t)step->process << 32 | step->thread;
        uint32_t at = xpd_map64_get(&lane_of, key);
        if (at == XPD_NO_INDEX) {
            at = answer->lanes++;
            xpd_map64_put(&lane_of, key, at);
            answer->lane[at] = (struct xpd_steps_lane){
                step->process, step->thread, 0, xpd_trace_computes_not(trace, step->process)};
        }
        answer->lane[at].steps++;
    }
    bool failed = lane_of.failed || !answer->lane;
    xpd_map64_fini(&lane_of);
    if (!failed && answer->lanes > 1)
        qsort(answer->lane, answer->lanes, sizeof *answer->lane, by_lane);
    return failed ? xpd_tools_no_memory(err) : XPD_OK;
}

/* A step that ends where the window begins is not in it, unless it takes no time. */
static bool touches(const struct xpd_step *step, const struct xpd_time_range *range)
{
    if (step->start_ps == step->end_ps)
        return step->start_ps >= range->from_ps && step->start_ps <= range->to_ps;
    return step->end_ps > range->from_ps && step->start_ps < range->to_ps;
}

static int choose(struct answer *answer, const struct xpd_time_range *range, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = answer->call->ctx;
    const struct xpd_derived *derived = answer->call->view.derived;
    bool of_process = xpd_param_has(ctx, "process"), of_row = xpd_param_has(ctx, "row");
    int64_t process = xpd_param_int(ctx, &xpd_tool_trace_steps, "process");
    int64_t thread = xpd_param_int(ctx, &xpd_tool_trace_steps, "row");
    answer->at = XPD_NEW_ARRAY(ctx->arena, uint32_t, derived->step_count);
    if (!answer->at)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < derived->step_count; i++) {
        const struct xpd_step *step = &derived->step[i];
        if ((!of_process || step->process == process) && (!of_row || step->thread == thread) &&
            touches(step, range))
            answer->at[answer->total++] = i;
    }
    uint32_t first = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_steps, "offset");
    uint32_t limit = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_steps, "limit");
    answer->first = first < answer->total ? first : answer->total;
    answer->n = answer->total - answer->first < limit ? answer->total - answer->first : limit;
    return XPD_OK;
}

static int make(struct xpd_steps_answer *out, struct answer *answer, struct xpd_time_range range,
                struct xpd_err *err)
{
    out->base_ps = answer->call->base_ps;
    out->clock = xpd_clock_word(answer->kept->clock);
    out->why_host = answer->kept->why_host;
    out->total = answer->total;
    if (answer->lanes == 0)
        out->why_none = "the profile has no line of steps, no steps that the framework marked, and "
                        "no line of programs on a device";
    out->lanes.at = answer->lane;
    out->lanes.n = answer->lanes;
    if (!xpd_param_has(answer->call->ctx, "px"))
        return make_list(out, answer, err);
    answer->first = 0;
    return make_marks(out, answer, range, err);
}

static int steps(const struct xpd_tool_ctx *ctx, const void **made, struct xpd_err *err)
{
    struct xpd_steps_answer *out = XPD_NEW(ctx->arena, struct xpd_steps_answer);
    struct xpd_trace_call call;
    struct xpd_time_range range;
    struct answer answer = {.call = &call};
    int rc = out ? xpd_tools_trace(ctx, XPD_WANT_DERIVED, &call, err) : xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_range(&call, &range, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_steps(&answer.kept, &call, xpd_tools_clock(ctx), err);
    if (rc == XPD_OK)
        rc = find_lanes(&answer, err);
    if (rc == XPD_OK)
        rc = choose(&answer, &range, err);
    if (rc == XPD_OK)
        rc = make(out, &answer, range, err);
    *made = out;
    return rc;
}

static bool of_several(const struct xpd_steps_answer *a)
{
    for (uint32_t i = 1; i < a->lanes.n; i++)
        if (a->lanes.at[i].process != a->lanes.at[0].process)
            return true;
    return false;
}

static void text(struct xpd_strbuf *out, const void *answer)
{
    const struct xpd_steps_answer *a = answer;
    if (a->why_none)
        xpd_strbuf_printf(out, "There are no steps in this trace (%s); --by=device needs none.\n",
                          a->why_none);
    else if (a->steps.n == 0)
        xpd_strbuf_puts(out, "No step is in this part of the trace.\n");
    else
        xpd_answer_table(out, xpd_record_table(xpd_steps_answer_record(), "steps"), a,
                         of_several(a) ? "device duration_ps " XPD_OVERLAP_COLUMNS " name"
                                       : "duration_ps " XPD_OVERLAP_COLUMNS " name");
    for (uint32_t i = 0; i < a->lanes.n; i++)
        if (a->lanes.at[i].compute_unknown) {
            xpd_strbuf_printf(out, "unknown: %s\n", a->lanes.at[i].compute_unknown);
            break;
        }
    if (a->left_out > 0)
        xpd_strbuf_printf(out, "%" PRIu32 " more\n", a->left_out);
    if (a->steps.n > 0)
        xpd_strbuf_printf(out, "clock: %s\n", a->clock);
}

static const struct xpd_param_spec params[] = {
    {.name = "overlap",
     .type = XPD_PARAM_INT,
     .max = 1,
     .fallback = 1,
     .help = "1 (default): includes compute, communication, copies and idle time; 0: steps only"},
    XPD_TRACE_PARAM_CLOCK,
    XPD_PARAM_FORMAT,
    {.name = "process",
     .type = XPD_PARAM_INT,
     .max = UINT32_MAX,
     .help = "only the steps of this process"},
    {.name = "row", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "only steps of this thread"},
    XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,
    XPD_TRACE_PARAM_PX(16384, "what so many pixels can show of one device or thread, no list"),
    {.name = "offset", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first step"},
    XPD_PARAM_LIMIT(STEPS_MAX, STEPS_MAX, "steps, default and at most 20,000"),
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_steps = {
    .route = "/api/v1/trace/steps",
    .title = "Steps of every process: compute, communication hidden or not, copies, idle time.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .about =
        "Where the profile has no line of steps, step k of a device is the k-th run of the main "
        "program. If runs with different numbers overlap at least twice as much by the profile's "
        "clock, one capture started some runs later: the numbers are shifted to match, and "
        "`warnings` of `trace/rows` say by how many. The parts of a step are unions of intervals "
        "inside it, on its clock; they are null for a process whose work cannot be told apart.",
    .answer = xpd_steps_answer_record,
    .make = steps,
    .text = text,
    .file_name = "steps.csv",
    .table = "steps",
    XPD_IN_REPORT("px window", {135, XPD_EACH_HOST, "", "the steps of the trace"},
                  {135, XPD_EACH_LANE, "process={process}&row={row}&px=16384", NULL},
                  {310, XPD_EACH_LANE, "process={process}&row={row}&limit=20000", NULL}),
};
