/* /api/v1/trace/steps: the steps of every process and what its device did in each. */
#include "overlap_kept.h"
#include "steps_chips.h"
#include "trace_common.h"

#define STEPS_MAX 20000 /* of one answer, all processes together */

struct answer {
    const struct xpd_trace_call *call;
    enum xpd_clock clock;
    uint32_t first, n;
    struct xpd_overlap *overlap; /* NULL: not asked for */
    int64_t *device_ps;          /* -1 = unknown */
};

static bool computes(const struct answer *answer, uint32_t i)
{
    const struct xpd_view *view = &answer->call->view;
    uint32_t process = view->derived->step[answer->first + i].process;
    return xpd_trace_computes(view->trace, process);
}

/* Nobody measured it of a process that only launches work: null. */
static void put_part(struct xpd_jsonw *w, const struct answer *answer, uint32_t i, int64_t ps)
{
    if (computes(answer, i))
        xpd_json_i64(w, ps);
    else
        xpd_json_null(w);
}

static void write_overlap(struct xpd_jsonw *w, const struct answer *answer)
{
    const struct xpd_overlap *at = answer->overlap;
    uint32_t n = answer->n;
    XPD_COLUMN(w, "compute", n, put_part(w, answer, row, at[row].compute_ps));
    XPD_COLUMN(w, "overlapped_comm", n, put_part(w, answer, row, at[row].comm_overlapped_ps));
    XPD_COLUMN(w, "exposed_comm", n, put_part(w, answer, row, at[row].comm_exposed_ps));
    XPD_COLUMN(w, "overlapped_copy", n, put_part(w, answer, row, at[row].copy_overlapped_ps));
    XPD_COLUMN(w, "exposed_copy", n, put_part(w, answer, row, at[row].copy_exposed_ps));
    XPD_COLUMN(w, "idle", n, put_part(w, answer, row, at[row].idle_ps));
}

static bool by_device(const struct answer *answer, uint32_t i)
{
    return answer->clock == XPD_CLOCK_DEVICE && computes(answer, i);
}

static int64_t length_of(const struct answer *answer, uint32_t i)
{
    const struct xpd_step *step = &answer->call->view.derived->step[answer->first + i];
    return by_device(answer, i) ? answer->device_ps[i] : step->end_ps - step->start_ps;
}

static void put_drift(struct xpd_jsonw *w, const struct answer *answer, uint32_t i)
{
    const struct xpd_step *step = &answer->call->view.derived->step[answer->first + i];
    if (answer->device_ps[i] < 0)
        xpd_json_null(w);
    else
        xpd_json_i64(w, step->end_ps - step->start_ps - answer->device_ps[i]);
}

/* The chips side by side. */
static int write_chips(struct xpd_jsonw *w, const struct answer *answer, struct xpd_err *err)
{
    const struct xpd_trace_call *call = answer->call;
    uint32_t count = 0;
    struct xpd_measured_step *at =
        XPD_NEW_ARRAY(call->ctx->arena, struct xpd_measured_step, answer->n);
    if (!at)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < answer->n; i++)
        if (computes(answer, i))
            at[count++] = (struct xpd_measured_step){&call->view.derived->step[answer->first + i],
                                                     &answer->overlap[i]};
    return xpd_steps_chips(w, call, at, count, err);
}

static int write(struct xpd_jsonw *w, const struct answer *answer, struct xpd_err *err)
{
    const struct xpd_trace_call *call = answer->call;
    const struct xpd_derived *derived = call->view.derived;
    const struct xpd_step *step = derived->step + answer->first;
    uint32_t n = answer->n;
    xpd_json_obj(w);
    xpd_tools_base(w, call);
    xpd_json_ktext(w, "clock", xpd_clock_word(answer->clock));
    xpd_json_ku64(w, "n", n);
    xpd_json_ku64(w, "offset", answer->first);
    xpd_json_ku64(w, "left_out", derived->step_count - n);
    XPD_COLUMN(w, "process", n, xpd_json_u64(w, step[row].process));
    XPD_COLUMN(w, "number", n, xpd_json_i64(w, step[row].number));
    XPD_COLUMN(w, "name", n, xpd_json_str(w, xpd_intern_get(&derived->names, step[row].name)));
    XPD_COLUMN(w, "event", n, xpd_json_u64(w, step[row].event));
    XPD_COLUMN(w, "start", n, xpd_json_i64(w, xpd_tools_at(call, step[row].start_ps)));
    XPD_COLUMN(w, "end", n, xpd_json_i64(w, xpd_tools_at(call, step[row].end_ps)));
    XPD_COLUMN(w, "clock_of", n, xpd_json_text(w, by_device(answer, row) ? "device" : "host"));
    XPD_COLUMN(w, "duration", n, xpd_json_i64(w, length_of(answer, row)));
    XPD_COLUMN(w, "device", n, xpd_json_i64(w, answer->device_ps[row]));
    XPD_COLUMN(w, "drift", n, put_drift(w, answer, row));
    int rc = XPD_OK;
    if (answer->overlap) {
        write_overlap(w, answer);
        rc = write_chips(w, answer, err);
    }
    xpd_json_obj_end(w);
    return rc;
}

/* By the device's clock when it is known of every step of every chip. */
static void find_clock(struct answer *answer)
{
    const struct xpd_view *view = &answer->call->view;
    bool all = true, any = false;
    for (uint32_t i = 0; i < answer->n; i++) {
        answer->device_ps[i] = xpd_step_device_ps(view, &view->derived->step[answer->first + i]);
        any |= computes(answer, i);
        all &= !computes(answer, i) || answer->device_ps[i] >= 0;
    }
    if (!all || !any)
        answer->clock = XPD_CLOCK_HOST;
}

static int measure(struct answer *answer, struct xpd_err *err)
{
    const struct xpd_trace_call *call = answer->call;
    const struct xpd_overlap_table *table = NULL;
    const struct xpd_overlap_device *device = NULL;
    answer->overlap = XPD_NEW_ARRAY(call->ctx->arena, struct xpd_overlap, answer->n);
    int rc =
        answer->overlap ? xpd_tools_trace_overlap(&table, call, err) : xpd_tools_no_memory(err);
    if (rc == XPD_OK && answer->clock == XPD_CLOCK_DEVICE)
        rc = xpd_tools_trace_overlap_device(&device, call, err);
    if (rc == XPD_OK)
        rc = xpd_overlap_of(&call->view, table, device, answer->first, answer->n, answer->overlap,
                            err);
    for (uint32_t i = 0; rc == XPD_OK && i < answer->n; i++)
        if (by_device(answer, i) && answer->overlap[i].clock != XPD_CLOCK_DEVICE) {
            answer->clock = XPD_CLOCK_HOST; /* some work of a chip has no time on its own clock */
            return xpd_overlap_of(&call->view, table, NULL, answer->first, answer->n,
                                  answer->overlap, err);
        }
    return rc;
}

static int steps(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_trace_call call;
    struct answer answer = {.call = &call, .clock = xpd_tools_clock(ctx)};
    int rc = xpd_tools_trace(ctx, XPD_WANT_DERIVED, &call, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t count = call.view.derived->step_count;
    uint32_t first = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_steps, "offset");
    uint32_t limit = (uint32_t)xpd_param_int(ctx, &xpd_tool_trace_steps, "limit");
    first = first < count ? first : count;
    answer.first = first;
    answer.n = count - first < limit ? count - first : limit;
    answer.device_ps = XPD_NEW_ARRAY(ctx->arena, int64_t, answer.n);
    if (!answer.device_ps)
        return xpd_tools_no_memory(err);
    find_clock(&answer);
    if (xpd_param_int(ctx, &xpd_tool_trace_steps, "overlap") != 0)
        rc = measure(&answer, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    return write(&w, &answer, err);
}

static const struct xpd_param_spec params[] = {
    {.name = "overlap",
     .type = XPD_PARAM_INT,
     .max = 1,
     .fallback = 1,
     .help = "1 (default): compute, communication, copies and idle time too; 0: steps only"},
    XPD_TRACE_PARAM_CLOCK,
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
