/* /api/v1/trace/steps: the steps of every process and what its device did in each; or what the
 * pixels of a window can show of those of one lane, a device or a thread. */
#include "overlap_kept.h"
#include "steps_chips.h"
#include "trace_common.h"
#include "xprofd/base/map64.h"

#define STEPS_MAX 20000 /* of one answer, all processes together */

struct lane { /* steps of one device or one thread */
    uint32_t process, thread, steps;
};
struct answer {
    const struct xpd_trace_call *call;
    const struct xpd_steps_kept *kept;
    struct lane *lane;
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

/* Nobody measured it of a process that only launches work: null. */
static void put_part(struct xpd_jsonw *w, const struct answer *answer, uint32_t i, int64_t ps)
{
    if (computes(answer, step_of(answer, i)))
        xpd_json_i64(w, ps);
    else
        xpd_json_null(w);
}

static void write_overlap(struct xpd_jsonw *w, const struct answer *a)
{
    uint32_t n = a->n;
    XPD_COLUMN(w, "compute", n, put_part(w, a, row, overlap_of(a, row)->compute_ps));
    XPD_COLUMN(w, "overlapped_comm", n,
               put_part(w, a, row, overlap_of(a, row)->comm_overlapped_ps));
    XPD_COLUMN(w, "exposed_comm", n, put_part(w, a, row, overlap_of(a, row)->comm_exposed_ps));
    XPD_COLUMN(w, "overlapped_copy", n,
               put_part(w, a, row, overlap_of(a, row)->copy_overlapped_ps));
    XPD_COLUMN(w, "exposed_copy", n, put_part(w, a, row, overlap_of(a, row)->copy_exposed_ps));
    XPD_COLUMN(w, "idle", n, put_part(w, a, row, overlap_of(a, row)->idle_ps));
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

static void put_drift(struct xpd_jsonw *w, const struct answer *answer, const struct xpd_step *step)
{
    int64_t own_ps = device_ps(answer, step);
    if (own_ps < 0)
        xpd_json_null(w);
    else
        xpd_json_i64(w, step->end_ps - step->start_ps - own_ps);
}

/* The chips side by side, over all their steps, whatever part of them is listed. */
static int write_chips(struct xpd_jsonw *w, const struct answer *answer, struct xpd_err *err)
{
    const struct xpd_trace_call *call = answer->call;
    const struct xpd_derived *derived = call->view.derived;
    uint32_t count = 0;
    struct xpd_measured_step *at =
        XPD_NEW_ARRAY(call->ctx->arena, struct xpd_measured_step, derived->step_count);
    if (!at)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < derived->step_count; i++)
        if (computes(answer, &derived->step[i]))
            at[count++] = (struct xpd_measured_step){&derived->step[i], &answer->kept->overlap[i]};
    return xpd_steps_chips(w, call, at, count, err);
}

static void put_name(struct xpd_jsonw *w, const struct answer *answer, const struct xpd_step *step)
{
    xpd_json_str(w, xpd_intern_get(&answer->call->view.derived->names, step->name));
}

static void put_row(struct xpd_jsonw *w, uint32_t row)
{
    if (row == XPD_NO_INDEX)
        xpd_json_null(w);
    else
        xpd_json_u64(w, row);
}

static int write_list(struct xpd_jsonw *w, const struct answer *a, struct xpd_err *err)
{
    const struct xpd_trace_call *call = a->call;
    uint32_t n = a->n;
    XPD_COLUMN(w, "process", n, xpd_json_u64(w, step_of(a, row)->process));
    XPD_COLUMN(w, "row", n, put_row(w, step_of(a, row)->thread));
    XPD_COLUMN(w, "number", n, xpd_json_i64(w, step_of(a, row)->number));
    XPD_COLUMN(w, "name", n, put_name(w, a, step_of(a, row)));
    XPD_COLUMN(w, "event", n, xpd_json_u64(w, step_of(a, row)->event));
    XPD_COLUMN(w, "start", n, xpd_json_i64(w, xpd_tools_at(call, step_of(a, row)->start_ps)));
    XPD_COLUMN(w, "end", n, xpd_json_i64(w, xpd_tools_at(call, step_of(a, row)->end_ps)));
    XPD_COLUMN(w, "clock_of", n,
               xpd_json_text(w, by_device(a, step_of(a, row)) ? "device" : "host"));
    XPD_COLUMN(w, "duration", n, xpd_json_i64(w, length_of(a, step_of(a, row))));
    XPD_COLUMN(w, "device", n, xpd_json_i64(w, device_ps(a, step_of(a, row))));
    XPD_COLUMN(w, "drift", n, put_drift(w, a, step_of(a, row)));
    if (xpd_param_int(call->ctx, &xpd_tool_trace_steps, "overlap") == 0)
        return XPD_OK;
    write_overlap(w, a);
    return write_chips(w, a, err);
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

static void put_duration(struct xpd_jsonw *w, const struct answer *answer,
                         const struct xpd_step_mark *mark)
{
    if (mark->count == 1)
        xpd_json_i64(w, length_of(answer, &answer->call->view.derived->step[mark->step]));
    else
        xpd_json_null(w);
}

static int write_marks(struct xpd_jsonw *w, struct answer *answer, struct xpd_time_range range,
                       struct xpd_err *err)
{
    const struct xpd_trace_call *call = answer->call;
    const struct xpd_step *step = call->view.derived->step;
    uint32_t px = (uint32_t)xpd_param_int(call->ctx, &xpd_tool_trace_steps, "px");
    uint32_t count = keep_lane(answer);
    const struct xpd_step *first = count > 0 ? step_of(answer, 0) : NULL;
    int64_t cell_ps = xpd_tools_trace_columns(call, &range, px);
    struct xpd_step_mark *mark = XPD_NEW_ARRAY(call->ctx->arena, struct xpd_step_mark, count);
    if (!mark)
        return xpd_tools_no_memory(err);
    uint32_t n =
        xpd_step_marks(call->view.derived, answer->at, count, range.from_ps, cell_ps, mark);
    xpd_json_key(w, "marks");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    xpd_json_ki64(w, "cell", cell_ps);
    xpd_json_ki64(w, "from", xpd_tools_at(call, range.from_ps));
    xpd_json_ki64(w, "to", xpd_tools_at(call, range.to_ps));
    xpd_tools_kindex(w, "process", first ? first->process : XPD_NO_INDEX);
    xpd_tools_kindex(w, "row", first ? first->thread : XPD_NO_INDEX);
    XPD_COLUMN(w, "count", n, xpd_json_u64(w, mark[row].count));
    XPD_COLUMN(w, "number", n, xpd_json_i64(w, step[mark[row].step].number));
    XPD_COLUMN(w, "last", n, xpd_json_i64(w, step[mark[row].last].number));
    XPD_COLUMN(w, "name", n, put_name(w, answer, &step[mark[row].step]));
    XPD_COLUMN(w, "event", n, xpd_json_u64(w, step[mark[row].step].event));
    XPD_COLUMN(w, "start", n, xpd_json_i64(w, xpd_tools_at(call, mark[row].start_ps)));
    XPD_COLUMN(w, "end", n, xpd_json_i64(w, xpd_tools_at(call, mark[row].end_ps)));
    XPD_COLUMN(w, "duration", n, put_duration(w, answer, &mark[row]));
    xpd_json_obj_end(w);
    return XPD_OK;
}

/* ---- which steps ---- */

static int by_lane(const void *a, const void *b)
{
    const struct lane *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

/* The lanes of all steps, whatever was asked for. */
static int find_lanes(struct answer *answer, struct xpd_err *err)
{
    const struct xpd_trace *trace = answer->call->view.trace;
    const struct xpd_derived *derived = answer->call->view.derived;
    struct xpd_map64 lane_of = {0};
    answer->lane = XPD_NEW_ARRAY(answer->call->ctx->arena, struct lane,
                                 (size_t)trace->row_count + trace->process_count);
    for (uint32_t i = 0; answer->lane && i < derived->step_count; i++) {
        const struct xpd_step *step = &derived->step[i];
        uint64_t key = (uint64_t)step->process << 32 | step->thread;
        uint32_t at = xpd_map64_get(&lane_of, key);
        if (at == XPD_NO_INDEX) {
            at = answer->lanes++;
            xpd_map64_put(&lane_of, key, at);
            answer->lane[at] = (struct lane){step->process, step->thread, 0};
        }
        answer->lane[at].steps++;
    }
    bool failed = lane_of.failed || !answer->lane;
    xpd_map64_fini(&lane_of);
    if (!failed && answer->lanes > 1)
        qsort(answer->lane, answer->lanes, sizeof *answer->lane, by_lane);
    return failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static void write_lanes(struct xpd_jsonw *w, const struct answer *answer)
{
    const struct lane *at = answer->lane;
    xpd_json_key(w, "lanes");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", answer->lanes);
    XPD_COLUMN(w, "process", answer->lanes, xpd_json_u64(w, at[row].process));
    XPD_COLUMN(w, "row", answer->lanes, put_row(w, at[row].thread));
    XPD_COLUMN(w, "steps", answer->lanes, xpd_json_u64(w, at[row].steps));
    XPD_COLUMN(w, "compute_unknown", answer->lanes,
               xpd_json_text(w, xpd_trace_computes_not(answer->call->view.trace, at[row].process)));
    xpd_json_obj_end(w);
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

static int write(struct xpd_jsonw *w, struct answer *answer, struct xpd_time_range range,
                 struct xpd_err *err)
{
    bool pixels = xpd_param_has(answer->call->ctx, "px");
    int rc;
    xpd_json_obj(w);
    xpd_tools_base(w, answer->call);
    xpd_json_ktext(w, "clock", xpd_clock_word(answer->kept->clock));
    xpd_json_ku64(w, "total", answer->total);
    write_lanes(w, answer);
    if (pixels) {
        answer->first = 0;
        rc = write_marks(w, answer, range, err);
    } else {
        xpd_json_ku64(w, "n", answer->n);
        xpd_json_ku64(w, "offset", answer->first);
        xpd_json_ku64(w, "left_out", answer->total - answer->n);
        rc = write_list(w, answer, err);
    }
    xpd_json_obj_end(w);
    return rc;
}

static int steps(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_trace_call call;
    struct xpd_time_range range;
    struct answer answer = {.call = &call};
    int rc = xpd_tools_trace(ctx, XPD_WANT_DERIVED, &call, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_range(&call, &range, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_steps(&answer.kept, &call, xpd_tools_clock(ctx), err);
    if (rc == XPD_OK)
        rc = find_lanes(&answer, err);
    if (rc == XPD_OK)
        rc = choose(&answer, &range, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    return write(&w, &answer, range, err);
}

static const struct xpd_param_spec params[] = {
    {.name = "overlap",
     .type = XPD_PARAM_INT,
     .max = 1,
     .fallback = 1,
     .help = "1 (default): compute, communication, copies and idle time too; 0: steps only"},
    XPD_TRACE_PARAM_CLOCK,
    {.name = "process", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "only its steps"},
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
    .run = steps,
};
