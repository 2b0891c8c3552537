/* /api/v1/input/steps: what the program waited for in each step, and what its loaders and devices
 * did meanwhile; and /api/v1/input/lanes: when, in a few steps. */
#include "input_found.h"
#include "xprofd/answer/write.h"

#define ROWS_USUAL 1000
#define ROWS_MAX   100000
#define LANES_MAX  3 /* steps of one answer of lanes */

#define XPD_INPUT_STEP_FIELDS(FIELD)                                                               \
    FIELD(SIGNED, number, "of the step; with `bars` of the slowest in the bar")                    \
    FIELD(COUNT, steps, "number of steps in the bar: 1 without `bars`")                            \
    FIELD(SIGNED, start_ps, "host-aligned")                                                        \
    FIELD(INT, duration_ps, "sum of the parts up to `other_ps`")                                   \
    FIELD(INT, wait_ps, "for a batch")                                                             \
    FIELD(INT, load_ps, "by the program itself")                                                   \
    FIELD(INT, preprocess_ps, "likewise")                                                          \
    FIELD(INT, transfer_ps, "to the device")                                                       \
    FIELD(INT, launch_ps, "")                                                                      \
    FIELD(INT, result_ps, "fetches a result, and waits for it")                                    \
    FIELD(INT, compute_ps, "no event with a class, while a device works")                          \
    FIELD(INT, other_ps, "none of these: unknown")                                                 \
    FIELD(INT, loader_load_ps, "by all loaders together, during the step")                         \
    FIELD(INT, loader_preprocess_ps, "likewise")                                                   \
    FIELD(INT, loader_full_ps, "loaders wait for room in their queue")                             \
    FIELD(INT, loader_most_ps, "load and preprocess of the busiest loader")                        \
    FIELD(MAYBE(INT), busy_ps, "time in which some device works; null: none was recorded")         \
    FIELD(MAYBE(INT), idle_input_ps, "all devices idle while the program waits for input")         \
    FIELD(INT, infeed_ps, "chips wait in infeed, mean")
XPD_RECORD(xpd_input_step_row, XPD_INPUT_STEP_FIELDS)

#define XPD_INPUT_STEPS_FIELDS(FIELD)                                                              \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(STRING, host, "host of these threads")                                                   \
    FIELD(WORD(XPD_INPUT_STEPS_WORDS), steps_are, "as in input/verdict")                           \
    FIELD(MAYBE(STRING), why_none, "why there are no steps; null: there are steps")                \
    FIELD(COUNT, total, "steps requested")                                                         \
    FIELD(COUNT, loaders, "threads that load or preprocess")                                       \
    FIELD(COUNT, offset, "of the first row")                                                       \
    FIELD(COUNT, left_out, "rows not listed")                                                      \
    FIELD(INLINE(xpd_input_step_row), rows, "")
XPD_RECORD(xpd_input_steps_answer, XPD_INPUT_STEPS_FIELDS)

static struct xpd_input_step_row row_of(const struct xpd_input_found *found, uint32_t i)
{
    const struct xpd_input_run *in = found->input;
    const struct xpd_input_step *step = &in->step[i];
    return (struct xpd_input_step_row){
        .number = step->number,
        .steps = 1,
        .start_ps = xpd_tools_at(&found->call, step->from_ps),
        .duration_ps = step->to_ps - step->from_ps,
        .wait_ps = step->part_ps[XPD_INPUT_WAIT],
        .load_ps = step->part_ps[XPD_INPUT_LOAD],
        .preprocess_ps = step->part_ps[XPD_INPUT_PREPROCESS],
        .transfer_ps = step->part_ps[XPD_INPUT_TRANSFER],
        .launch_ps = step->part_ps[XPD_INPUT_LAUNCH],
        .result_ps = step->part_ps[XPD_INPUT_RESULT],
        .compute_ps = step->part_ps[XPD_INPUT_COMPUTE],
        .other_ps = step->part_ps[XPD_INPUT_OTHER],
        .loader_load_ps = step->load_ps,
        .loader_preprocess_ps = step->preprocess_ps,
        .loader_full_ps = step->full_ps,
        .loader_most_ps = step->most_ps,
        .busy_ps = in->devices ? step->busy_ps : -1,
        .idle_input_ps = in->devices ? step->idle_input_ps : -1,
        .infeed_ps = step->infeed_ps,
    };
}

/* The slowest of [first, end). */
static struct xpd_input_step_row slowest(const struct xpd_input_found *found, uint32_t first,
                                         uint32_t end)
{
    const struct xpd_input_step *step = found->input->step;
    uint32_t most = first;
    for (uint32_t i = first + 1; i < end; i++)
        if (step[i].to_ps - step[i].from_ps > step[most].to_ps - step[most].from_ps)
            most = i;
    struct xpd_input_step_row row = row_of(found, most);
    row.steps = end - first;
    return row;
}

static int make_rows(struct xpd_input_steps_answer *out, const struct xpd_input_found *found,
                     struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = found->ctx;
    uint32_t total = found->input->step_count;
    uint32_t bars = (uint32_t)xpd_param_int(ctx, &xpd_tool_input_steps, "bars");
    uint32_t each = bars > 0 && total > bars ? (total + bars - 1) / bars : 1;
    uint32_t rows = (total + each - 1) / each;
    uint32_t offset = (uint32_t)xpd_param_int(ctx, &xpd_tool_input_steps, "offset");
    uint32_t limit = (uint32_t)xpd_param_int(ctx, &xpd_tool_input_steps, "limit");
    offset = offset < rows ? offset : rows;
    uint32_t n = rows - offset < limit ? rows - offset : limit;
    struct xpd_input_step_row *row = XPD_NEW_ARRAY(ctx->arena, struct xpd_input_step_row, n);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = (offset + i) * each, end = first + each < total ? first + each : total;
        row[i] = slowest(found, first, end);
    }
    out->total = total;
    out->offset = offset;
    out->left_out = rows - n;
    out->rows.at = row;
    out->rows.n = n;
    return XPD_OK;
}

static int fill_steps(struct xpd_input_found *found, void *answer, struct xpd_err *err)
{
    struct xpd_input_steps_answer *out = answer;
    out->base_ps = found->call.base_ps;
    out->host = xpd_tools_host_name(&found->call);
    out->steps_are = xpd_input_steps_word(found->input->what);
    out->why_none = found->input->why_none;
    out->loaders = found->input->loaders;
    return make_rows(out, found, err);
}

XPD_MAKE_BY(xpd_input_answer, steps, xpd_input_steps_answer_record, fill_steps)

static void steps_text(struct xpd_strbuf *out, const void *answer)
{
    const struct xpd_input_steps_answer *a = answer;
    if (a->why_none) {
        xpd_strbuf_printf(out, "No steps: %s\n", a->why_none);
        return;
    }
    xpd_answer_table(out, xpd_record_table(xpd_input_steps_answer_record(), "rows"), a,
                     "number duration_ps wait_ps load_ps preprocess_ps transfer_ps launch_ps "
                     "result_ps compute_ps other_ps loader_load_ps loader_preprocess_ps busy_ps "
                     "idle_input_ps");
    if (a->left_out > 0)
        xpd_strbuf_printf(out, "%" PRIu32 " more\n", a->left_out);
}

static const struct xpd_param_spec steps_params[] = {
    XPD_INPUT_PARAMS,
    {.name = "bars",
     .type = XPD_PARAM_INT,
     .max = 10000,
     .help =
         "at most this many rows, each for the slowest of several steps; 0: a row for each step"},
    {.name = "offset", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first row"},
    XPD_PARAM_LIMIT(ROWS_USUAL, ROWS_MAX, "rows"),
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_input_steps = {
    .route = "/api/v1/input/steps",
    .title = "Waits of the program in each step, and the work of its loaders meanwhile.",
    .needs = XPD_NEEDS_RUN,
    .params = steps_params,
    .about = "Each moment of a step is in one part of the program. A loader works ahead: its times "
             "are from work during the step, which may be for a later step.",
    .answer = xpd_input_steps_answer_record,
    .make = steps,
    .text = steps_text,
    .file_name = "input_steps.csv",
    XPD_IN_REPORT("", {155, XPD_EACH_HOST, "bars=200&limit=200", "what the program waited for"},
                  {270, XPD_EACH_HOST, "limit=1000", NULL}),
};

/* ---- lanes ---- */

#define XPD_INPUT_PIECE_FIELDS(FIELD)                                                              \
    FIELD(INDEX, lane, "")                                                                         \
    FIELD(WORD(XPD_INPUT_CLASS_WORDS), class, "")                                                  \
    FIELD(SIGNED, start_ps, "host-aligned")                                                        \
    FIELD(INT, duration_ps, "")
XPD_RECORD(xpd_input_piece_row, XPD_INPUT_PIECE_FIELDS)

#define XPD_INPUT_LANE_FIELDS(FIELD)                                                               \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(WORD(XPD_INPUT_ROLE_WORDS), role, "")                                                    \
    FIELD(MAYBE(INDEX), row, "of trace/rows; null: all devices")
XPD_RECORD(xpd_input_lane_row, XPD_INPUT_LANE_FIELDS)

#define XPD_INPUT_LANES_FIELDS(FIELD)                                                              \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(SIGNED, from_ps, "of the first step")                                                    \
    FIELD(SIGNED, to_ps, "of the last step")                                                       \
    FIELD(COLUMNS(xpd_input_step_row), steps, "the step and its neighbours")                       \
    FIELD(LIST(xpd_input_lane_row), lanes, "the program, loaders, then the devices")               \
    FIELD(COLUMNS(xpd_input_piece_row), pieces,                                                    \
          "by lane, then time; a piece narrower than a pixel is part of the wider one before it")
XPD_RECORD(xpd_input_lanes_answer, XPD_INPUT_LANES_FIELDS)

/* The step and its neighbours, of all steps of the host. */
static int choose(struct xpd_step_numbers *chosen, uint32_t *count,
                  const struct xpd_input_found *all, struct xpd_err *err)
{
    const struct xpd_input_run *in = all->input;
    int64_t number = xpd_param_int(all->ctx, &xpd_tool_input_lanes, "step");
    for (uint32_t i = 0; i < in->step_count; i++) {
        if (in->step[i].number != number)
            continue;
        for (uint32_t k = i > 0 ? i - 1 : 0; k <= i + 1 && k < in->step_count; k++)
            chosen[(*count)++] = (struct xpd_step_numbers){in->step[k].number, in->step[k].number};
        return XPD_OK;
    }
    return xpd_fail(err, XPD_ENOTFOUND, "step", XPD_NO_OFFSET, "there is no step %" PRId64, number);
}

/* Pieces in order, those below a pixel swallowed by the one before them in the lane. */
static uint32_t draw(struct xpd_input_piece_row *out, const struct xpd_input_found *found,
                     int64_t pixel_ps, uint32_t device)
{
    const struct xpd_input_run *in = found->input;
    uint32_t n = 0;
    for (size_t i = 0; i < in->piece_count; i++) {
        const struct xpd_input_piece *piece = &in->piece[i];
        uint32_t lane = piece->thread == XPD_NO_INDEX ? device : piece->thread;
        struct xpd_input_piece_row *last = n > 0 ? &out[n - 1] : NULL;
        int64_t start_ps = xpd_tools_at(&found->call, piece->from_ps);
        int64_t end_ps = xpd_tools_at(&found->call, piece->to_ps);
        bool near = last && last->lane == lane &&
                    start_ps - (last->start_ps + last->duration_ps) < pixel_ps;
        if (near && (piece->to_ps - piece->from_ps < pixel_ps)) {
            last->duration_ps = end_ps - last->start_ps;
            continue;
        }
        out[n++] = (struct xpd_input_piece_row){lane, xpd_input_class_word(piece->class), start_ps,
                                                end_ps - start_ps};
    }
    return n;
}

static int fill_lanes(struct xpd_input_lanes_answer *out, const struct xpd_input_found *found,
                      struct xpd_err *err)
{
    struct xpd_arena *arena = found->ctx->arena;
    const struct xpd_input_run *in = found->input;
    int64_t px = xpd_param_int(found->ctx, &xpd_tool_input_lanes, "px");
    int64_t pixel_ps = (in->sum.to_ps - in->sum.from_ps) / px;
    struct xpd_input_lane_row *lane =
        XPD_NEW_ARRAY(arena, struct xpd_input_lane_row, (size_t)in->thread_count + 1);
    struct xpd_input_step_row *step =
        XPD_NEW_ARRAY(arena, struct xpd_input_step_row, in->step_count);
    struct xpd_input_piece_row *piece =
        XPD_NEW_ARRAY(arena, struct xpd_input_piece_row, in->piece_count);
    if (!lane || !step || !piece)
        return xpd_tools_no_memory(err);
    for (uint32_t t = 0; t < in->thread_count && in->thread[t].role <= XPD_INPUT_LOADER; t++)
        lane[out->lanes.n++] =
            (struct xpd_input_lane_row){xpd_input_thread_name(found, t),
                                        xpd_input_role_word(in->thread[t].role), in->thread[t].row};
    uint32_t device = out->lanes.n;
    if (in->devices)
        lane[out->lanes.n++] = (struct xpd_input_lane_row){
            XPD_STR("devices"), xpd_input_role_word(XPD_INPUT_DEVICE), XPD_NO_INDEX};
    for (uint32_t s = 0; s < in->step_count; s++)
        step[s] = row_of(found, s);
    out->base_ps = found->call.base_ps;
    out->from_ps = xpd_tools_at(&found->call, in->sum.from_ps);
    out->to_ps = xpd_tools_at(&found->call, in->sum.to_ps);
    out->steps.at = step;
    out->steps.n = in->step_count;
    out->lanes.at = lane;
    out->pieces.at = piece;
    out->pieces.n = draw(piece, found, pixel_ps > 0 ? pixel_ps : 1, device);
    return XPD_OK;
}

static int fill_lanes_answer(struct xpd_input_found *found, void *answer, struct xpd_err *err)
{
    struct xpd_input_lanes_answer *out = answer;
    struct xpd_step_numbers chosen[LANES_MAX];
    uint32_t count = 0;
    int rc = choose(chosen, &count, found, err);
    if (rc == XPD_OK)
        rc = xpd_input_found_pieces(found, chosen, count, err);
    return rc == XPD_OK ? fill_lanes(out, found, err) : rc;
}

XPD_MAKE_BY(xpd_input_answer, lanes, xpd_input_lanes_answer_record, fill_lanes_answer)

static const struct xpd_param_spec lanes_params[] = {
    XPD_INPUT_PARAMS,
    {.name = "step",
     .type = XPD_PARAM_INT,
     .required = true,
     .min = INT64_MIN,
     .max = INT64_MAX,
     .help = "number of the step in the middle"},
    XPD_TRACE_PARAM_PX(10000, "pixels that show the steps"),
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_input_lanes = {
    .route = "/api/v1/input/lanes",
    .title = "Timeline of the program and its loaders in a step and its neighbours.",
    .needs = XPD_NEEDS_RUN,
    .params = lanes_params,
    .answer = xpd_input_lanes_answer_record,
    .make = lanes,
    .file_name = "input_lanes.csv",
    XPD_IN_REPORT(
        "px", {265, XPD_EACH_INPUT_STEP, "step={number}&px=900", "what the program waited for"}),
};
