/* /api/v1/input/stages and /api/v1/input/threads: where the time of the input goes. */
#include "input_found.h"
#include "xprofd/answer/write.h"

#define XPD_INPUT_STAGE_FIELDS(FIELD)                                                              \
    FIELD(WORD(XPD_INPUT_CLASS_WORDS), class, "")                                                  \
    FIELD(TEXT, thread, "the first thread of its pool; `devices`: all of them")                    \
    FIELD(WORD("program loader device runtime"), role, "of the thread")                            \
    FIELD(MAYBE(INDEX), row, "of the thread in trace/rows")                                        \
    FIELD(MAYBE(INDEX), parent, "the stage that contains this call; null: this is a stage")        \
    FIELD(MAYBE(TEXT), name,                                                                       \
          "the event that decided the class, or the inner call; null: no event")                   \
    FIELD(MAYBE(TEXT), source, "file and line, for a Python frame")                                \
    FIELD(INT, count, "number of these events that touch the steps")                               \
    FIELD(INT, total_ps, "in all steps; parallel threads add up")                                  \
    FIELD(INT, mean_ps, "a step")                                                                  \
    FIELD(REAL, share, "of the steps")                                                             \
    FIELD(MAYBE(INT), p50_ps, "of a step; null for inner calls")                                   \
    FIELD(MAYBE(INT), most_ps, "in one step")                                                      \
    FIELD(MAYBE(SIGNED), most_step, "which")
XPD_RECORD(xpd_input_stage_row, XPD_INPUT_STAGE_FIELDS)

#define XPD_INPUT_STAGES_FIELDS(FIELD)                                                             \
    FIELD(STRING, host, "host of these threads")                                                   \
    FIELD(MAYBE(STRING), why_none, "why there are no steps; null: there are steps")                \
    FIELD(COUNT, steps, "")                                                                        \
    FIELD(INT, length_ps, "all steps")                                                             \
    FIELD(INLINE(xpd_input_stage_row), rows,                                                       \
          "most time first; inner calls with at least 1 % of the time follow their stage")
XPD_RECORD(xpd_input_stages_answer, XPD_INPUT_STAGES_FIELDS)

static struct xpd_input_stage_row stage_row(const struct xpd_input_found *found, uint32_t i)
{
    const struct xpd_input_run *in = found->input;
    const struct xpd_input_stage *at = &in->stage[i];
    bool device = at->thread == XPD_NO_INDEX;
    return (struct xpd_input_stage_row){
        .class = xpd_input_class_word(at->class),
        .thread = xpd_input_thread_name(found, at->thread),
        .role = device ? "device" : xpd_input_role_word(in->thread[at->thread].role),
        .row = device ? XPD_NO_INDEX : in->thread[at->thread].row,
        .parent = at->parent,
        .name = xpd_input_name(found, at->name),
        .source = xpd_input_source(found, at->name),
        .count = (int64_t)at->count,
        .total_ps = at->total_ps,
        .mean_ps = at->total_ps / (in->step_count > 0 ? in->step_count : 1),
        .share = in->length_ps > 0 ? (double)at->total_ps / (double)in->length_ps : 0,
        .p50_ps = at->p50_ps,
        .most_ps = at->most_ps,
        .most_step = at->most_ps < 0 ? XPD_UNKNOWN : at->most_step,
    };
}

static int fill_stages(struct xpd_input_found *found, void *answer, struct xpd_err *err)
{
    struct xpd_input_stages_answer *out = answer;
    uint32_t n = found->input->stage_count;
    struct xpd_input_stage_row *row =
        XPD_NEW_ARRAY(found->ctx->arena, struct xpd_input_stage_row, n);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++)
        row[i] = stage_row(found, i);
    out->host = xpd_tools_host_name(&found->call);
    out->why_none = found->input->why_none;
    out->steps = found->input->step_count;
    out->length_ps = found->input->length_ps;
    out->rows.at = row;
    out->rows.n = n;
    return XPD_OK;
}

XPD_MAKE_BY(xpd_input_answer, stages, xpd_input_stages_answer_record, fill_stages)

static void stages_text(struct xpd_strbuf *out, const void *answer)
{
    const struct xpd_input_stages_answer *a = answer;
    if (a->why_none)
        xpd_strbuf_printf(out, "No steps: %s\n", a->why_none);
    else
        xpd_answer_table(out, xpd_record_table(xpd_input_stages_answer_record(), "rows"), a,
                         "class role mean_ps p50_ps most_ps most_step share count name");
}

static const struct xpd_param_spec params[] = {
    XPD_INPUT_PARAMS,
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_input_stages = {
    .route = "/api/v1/input/stages",
    .title = "Time of the program, loaders and devices in the steps, by class and thread.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .about = "Shares are of the time of the steps. Threads run in parallel, so their shares do not "
             "add up to 100 %. The shares of the program alone, with its compute, do.",
    .answer = xpd_input_stages_answer_record,
    .make = stages,
    .text = stages_text,
    .file_name = "input_stages.csv",
    XPD_IN_REPORT("", {155, XPD_EACH_HOST, "", "what the program waited for"}),
};

/* ---- threads ---- */

#define XPD_INPUT_THREAD_FIELDS(FIELD)                                                             \
    FIELD(TEXT, name, "of an unnamed thread, its longest call")                                    \
    FIELD(WORD(XPD_INPUT_ROLE_WORDS), role, "")                                                    \
    FIELD(INDEX, row, "of trace/rows")                                                             \
    FIELD(INT, busy_ps, "under any event, in the steps")                                           \
    FIELD(REAL, busy_share, "of the steps")                                                        \
    FIELD(MAYBE(INT), wait_ps, "waits for a batch; null from here on: neither program nor loader") \
    FIELD(MAYBE(INT), load_ps, "")                                                                 \
    FIELD(MAYBE(INT), preprocess_ps, "")                                                           \
    FIELD(MAYBE(INT), transfer_ps, "")                                                             \
    FIELD(MAYBE(INT), full_ps, "waits for room in its queue")                                      \
    FIELD(MAYBE(INT), rest_ps, "other waits, or passing data on")
XPD_RECORD(xpd_input_thread_row, XPD_INPUT_THREAD_FIELDS)

#define XPD_INPUT_THREADS_FIELDS(FIELD)                                                            \
    FIELD(STRING, host, "host of these threads")                                                   \
    FIELD(MAYBE(STRING), why_none, "why there are no steps; null: there are steps")                \
    FIELD(INT, length_ps, "all steps")                                                             \
    FIELD(INLINE(xpd_input_thread_row), rows, "the program, loaders, then other threads")
XPD_RECORD(xpd_input_threads_answer, XPD_INPUT_THREADS_FIELDS)

static struct xpd_input_thread_row thread_row(const struct xpd_input_found *found, uint32_t t)
{
    const struct xpd_input_run *in = found->input;
    const struct xpd_input_thread *at = &in->thread[t];
    bool known = at->role <= XPD_INPUT_LOADER;
    return (struct xpd_input_thread_row){
        .name = xpd_input_thread_name(found, t),
        .role = xpd_input_role_word(at->role),
        .row = at->row,
        .busy_ps = at->busy_ps,
        .busy_share = in->length_ps > 0 ? (double)at->busy_ps / (double)in->length_ps : 0,
        .wait_ps = known ? at->ps[XPD_INPUT_WAIT] : -1,
        .load_ps = known ? at->ps[XPD_INPUT_LOAD] : -1,
        .preprocess_ps = known ? at->ps[XPD_INPUT_PREPROCESS] : -1,
        .transfer_ps = known ? at->ps[XPD_INPUT_TRANSFER] : -1,
        .full_ps = known ? at->ps[XPD_INPUT_FULL] : -1,
        .rest_ps = known ? at->ps[XPD_INPUT_REST] : -1,
    };
}

static int fill_threads(struct xpd_input_found *found, void *answer, struct xpd_err *err)
{
    struct xpd_input_threads_answer *out = answer;
    uint32_t n = found->input->thread_count;
    struct xpd_input_thread_row *row =
        XPD_NEW_ARRAY(found->ctx->arena, struct xpd_input_thread_row, n);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t t = 0; t < n; t++)
        row[t] = thread_row(found, t);
    out->host = xpd_tools_host_name(&found->call);
    out->why_none = found->input->why_none;
    out->length_ps = found->input->length_ps;
    out->rows.at = row;
    out->rows.n = n;
    return XPD_OK;
}

XPD_MAKE_BY(xpd_input_answer, threads, xpd_input_threads_answer_record, fill_threads)

static void threads_text(struct xpd_strbuf *out, const void *answer)
{
    const struct xpd_input_threads_answer *a = answer;
    if (a->why_none)
        xpd_strbuf_printf(out, "No steps: %s\n", a->why_none);
    else
        xpd_answer_table(out, xpd_record_table(xpd_input_threads_answer_record(), "rows"), a,
                         "role busy_ps busy_share wait_ps load_ps preprocess_ps full_ps name");
}

const struct xpd_tool xpd_tool_input_threads = {
    .route = "/api/v1/input/threads",
    .title = "The threads of a host during the steps: waits, and work on input.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_input_threads_answer_record,
    .make = threads,
    .text = threads_text,
    .file_name = "input_threads.csv",
    XPD_IN_REPORT("", {265, XPD_EACH_HOST, "", "what the program waited for"}),
};
