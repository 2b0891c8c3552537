/* /api/v1/trace/stepsplit: what each step is made of, chip by chip or as the mean of chips. */
#include "../steps/run_steps.h"
#include "xprofd/answer/write.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/vec.h"

#define ROWS_DEFAULT 20000
#define ROWS_MAX     400000
#define PX_MAX       16384

#define XPD_STEPSPLIT_CHIP_FIELDS(FIELD)                                                           \
    FIELD(STRING, name, "TPU:0; of a host that computes itself its name")                          \
    FIELD(STRING, host, "")                                                                        \
    FIELD(INDEX, process, "of trace/rows, for the same hosts")                                     \
    FIELD(COUNT, steps, "")
XPD_RECORD(xpd_stepsplit_chip, XPD_STEPSPLIT_CHIP_FIELDS)

#define XPD_STEPSPLIT_ROW_FIELDS(FIELD)                                                            \
    FIELD(SIGNED, number, "of the step")                                                           \
    FIELD(MAYBE(INDEX), chip, "index in `chips`; null: the mean of all chips with the step")       \
    FIELD(MAYBE(STRING), chip_name, "its name, of several hosts with that of its host")            \
    FIELD(COUNT, steps, "steps in this row; if more than 1, the row shows the longest")            \
    FIELD(SIGNED, start_ps, "host-aligned start for drawing, on the first chip that has the step") \
    FIELD(SIGNED, end_ps, "likewise")                                                              \
    FIELD(INT, duration_ps, "by `clock`; sum of all parts below except the gap")                   \
    FIELD(INT, idle_ps, "idle time")                                                               \
    FIELD(INT, copies_in_ps, "waits for copies from host memory")                                  \
    FIELD(INT, copies_out_ps, "waits for copies to host memory")                                   \
    FIELD(INT, copies_ps, "waits for copies that stay on the chip, or whose direction is unknown") \
    FIELD(INT, collectives_ps, "waits for collectives, and synchronous collectives")               \
    FIELD(INT, infeed_ps, "infeed, outfeed, transfers to and from the host")                       \
    FIELD(INT, waits_ps, "other waits: semaphores, barriers")                                      \
    FIELD(INT, none_ps, "compute without a known group; the next fields are compute by group")     \
    FIELD(INT, matmul_ps, "")                                                                      \
    FIELD(INT, elem_ps, "")                                                                        \
    FIELD(INT, reduce_ps, "")                                                                      \
    FIELD(INT, move_ps, "")                                                                        \
    FIELD(INT, control_ps, "")                                                                     \
    FIELD(INT, host_ps, "")                                                                        \
    FIELD(INT, custom_ps, "")                                                                      \
    FIELD(MAYBE(INT), gap_ps,                                                                      \
          "from its end to the start of the next step on the same chip; null: it is the last, "    \
          "they overlap, or the chip lacks a step in between")                                     \
    FIELD(INDEX, slowest, "index in `chips` of the slowest chip")                                  \
    FIELD(INT, slowest_ps, "time of the slowest chip")                                             \
    FIELD(INDEX, fastest, "")                                                                      \
    FIELD(INT, fastest_ps, "")                                                                     \
    FIELD(BOOL, outlier, "its mean differs from p50 by more than 5 %")
XPD_RECORD(xpd_stepsplit_row, XPD_STEPSPLIT_ROW_FIELDS)

#define XPD_STEPSPLIT_FIELDS(FIELD)                                                                \
    FIELD(BOOL, known, "the trace has steps, executions of a program, or at least a duration")     \
    FIELD(MAYBE(STRING), reason, "why not")                                                        \
    FIELD(MAYBE(WORD("device host")), clock, "clock of durations and parts")                       \
    FIELD(MAYBE(STRING), why_host, "why the clock is the host's; null: it is the device's")        \
    FIELD(BOOL, side_by_side, "parts are unions of intervals: a moment counts once")               \
    FIELD(MAYBE(WORD("markers runs windows")), what, "definition of a step")                       \
    FIELD(MAYBE(STRING), sentence, "the same in words")                                            \
    FIELD(WORD("mean slowest one all"), of,                                                        \
          "what a row is: the mean of chips, the slowest, the "                                    \
          "chip that was asked for, or each chip by itself")                                       \
    FIELD(COUNT, total, "different steps")                                                         \
    FIELD(COUNT, a_column, "largest number of steps in a row")                                     \
    FIELD(COUNT, left_out, "rows beyond the limit")                                                \
    FIELD(MAYBE(INT), p50_ps, "of all steps of all chips, nearest rank")                           \
    FIELD(COUNT, outliers, "steps whose mean differs from p50 by more than 5 %")                   \
    FIELD(LIST(xpd_stepsplit_chip), chips, "")                                                     \
    FIELD(COLUMNS(xpd_stepsplit_row), steps, "")
XPD_RECORD(xpd_stepsplit, XPD_STEPSPLIT_FIELDS)

enum of { OF_MEAN, OF_SLOWEST, OF_ONE, OF_ALL };
static const char *const of_word[] = {"mean", "slowest", "one", "all"};

struct split_answer {
    const struct xpd_tool_ctx *ctx;
    struct xpd_run_steps steps;
    enum of of;
    uint32_t lane; /* OF_ONE */
    XPD_VEC(struct xpd_stepsplit_row) row;
    struct xpd_stepsplit out;
};

static const struct xpd_step_cell *cell_at(const struct split_answer *a, uint32_t cell)
{
    return a->steps.cell[cell].of;
}

static void put_parts(struct xpd_stepsplit_row *row, const int64_t *ps)
{
    const int64_t *group = ps + XPD_PART_COMPUTE;
    row->idle_ps = ps[XPD_PART_IDLE];
    row->copies_in_ps = ps[XPD_PART_COPY_IN];
    row->copies_out_ps = ps[XPD_PART_COPY_OUT];
    row->copies_ps = ps[XPD_PART_COPY];
    row->collectives_ps = ps[XPD_PART_COLLECTIVE];
    row->infeed_ps = ps[XPD_PART_INFEED];
    row->waits_ps = ps[XPD_PART_WAIT];
    row->none_ps = group[XPD_OP_NONE];
    row->matmul_ps = group[XPD_OP_MATMUL];
    row->elem_ps = group[XPD_OP_ELEMENTWISE];
    row->reduce_ps = group[XPD_OP_REDUCE];
    row->move_ps = group[XPD_OP_MOVE];
    row->control_ps = group[XPD_OP_CONTROL];
    row->host_ps = group[XPD_OP_HOST];
    row->custom_ps = group[XPD_OP_CUSTOM];
}

static struct xpd_stepsplit_row row_of(const struct split_answer *a,
                                       const struct xpd_run_step *step, uint32_t at)
{
    const struct xpd_step_cell *cell = cell_at(a, at);
    int64_t moved_ps = a->steps.lane[a->steps.cell[at].lane].moved_ps - a->steps.base_ps;
    return (struct xpd_stepsplit_row){
        .number = step->number,
        .chip = XPD_NO_INDEX,
        .steps = 1,
        .start_ps = cell->span.from_ps + moved_ps,
        .end_ps = cell->span.to_ps + moved_ps,
        .duration_ps = cell->span.duration_ps,
        .gap_ps = cell->gap_ps,
        .slowest = a->steps.cell[step->slowest].lane,
        .slowest_ps = cell_at(a, step->slowest)->span.duration_ps,
        .fastest = a->steps.cell[step->fastest].lane,
        .fastest_ps = cell_at(a, step->fastest)->span.duration_ps,
        .outlier = xpd_is_outlier(step->mean_ps, a->steps.p50_ps),
    };
}

static void put_cell(struct split_answer *a, const struct xpd_run_step *step, uint32_t at)
{
    struct xpd_stepsplit_row row = row_of(a, step, at);
    row.chip = a->steps.cell[at].lane;
    row.chip_name = a->steps.lane[row.chip].whole;
    put_parts(&row, cell_at(a, at)->parts.ps);
    XPD_PUSH(&a->row, row);
}

/* Parts are rounded so that they add up to the mean. */
static void put_mean(struct split_answer *a, const struct xpd_run_step *step)
{
    struct xpd_stepsplit_row row = row_of(a, step, step->first);
    int64_t mean[XPD_PART_COUNT], sum_ps = 0, given_ps = 0, gap_ps = 0, gaps = 0;
    for (uint32_t p = XPD_PART_COUNT; p-- > 0;) { /* idle takes what rounding leaves */
        for (uint32_t i = step->first; i < step->first + step->count; i++)
            xpd_grow_i64(&sum_ps, cell_at(a, i)->parts.ps[p]);
        mean[p] = sum_ps / step->count - given_ps;
        given_ps += mean[p];
    }
    for (uint32_t i = step->first; i < step->first + step->count; i++)
        if (cell_at(a, i)->gap_ps >= 0) {
            xpd_grow_i64(&gap_ps, cell_at(a, i)->gap_ps);
            gaps++;
        }
    row.duration_ps = step->mean_ps;
    row.gap_ps = gaps > 0 ? gap_ps / gaps : -1;
    put_parts(&row, mean);
    XPD_PUSH(&a->row, row);
}

static void put_step(struct split_answer *a, const struct xpd_run_step *step)
{
    if (a->of == OF_MEAN)
        put_mean(a, step);
    else if (a->of == OF_SLOWEST)
        put_cell(a, step, step->slowest);
    for (uint32_t i = step->first; a->of >= OF_ONE && i < step->first + step->count; i++)
        if (a->of == OF_ALL || a->steps.cell[i].lane == a->lane)
            put_cell(a, step, i);
}

/* Of each column the longest row. */
static void fold(struct split_answer *a, uint32_t each)
{
    size_t n = 0;
    for (size_t i = 0; i < a->row.count; i += each) {
        size_t end = i + each < a->row.count ? i + each : a->row.count, most = i;
        for (size_t k = i; k < end; k++)
            if (a->row.at[k].duration_ps > a->row.at[most].duration_ps)
                most = k;
        a->row.at[n] = a->row.at[most];
        a->row.at[n++].steps = (uint32_t)(end - i);
    }
    a->row.count = n;
}

static int put_rows(struct split_answer *a, struct xpd_err *err)
{
    uint32_t px = xpd_param_has(a->ctx, "px")
                      ? (uint32_t)xpd_param_int(a->ctx, &xpd_tool_trace_stepsplit, "px")
                      : UINT32_MAX;
    uint32_t limit = (uint32_t)xpd_param_int(a->ctx, &xpd_tool_trace_stepsplit, "limit");
    a->out.a_column = 1;
    for (uint32_t i = 0; i < a->steps.step_count; i++)
        put_step(a, &a->steps.step[i]);
    if (!a->row.failed && a->of != OF_ALL && a->row.count > px) {
        a->out.a_column = (uint32_t)((a->row.count + px - 1) / px);
        fold(a, a->out.a_column);
    }
    uint32_t n = a->row.count < limit ? (uint32_t)a->row.count : limit;
    a->out.left_out = (uint32_t)a->row.count - n;
    a->row.count = n;
    a->out.steps.at = XPD_COPY_VEC(a->ctx->arena, &a->row);
    a->out.steps.n = n;
    return a->row.failed || !a->out.steps.at ? xpd_tools_no_memory(err) : XPD_OK;
}

static int put_chips(struct split_answer *a, struct xpd_err *err)
{
    const struct xpd_run_steps *steps = &a->steps;
    struct xpd_stepsplit_chip *chip =
        XPD_NEW_ARRAY(a->ctx->arena, struct xpd_stepsplit_chip, steps->lane_count);
    if (!chip)
        return xpd_tools_no_memory(err);
    for (uint32_t l = 0; l < steps->lane_count; l++)
        chip[l] = (struct xpd_stepsplit_chip){steps->lane[l].name,
                                              a->ctx->run->host[steps->lane[l].host].name,
                                              steps->lane[l].process, steps->lane[l].of->count};
    a->out.chips.at = chip;
    a->out.chips.n = steps->lane_count;
    return XPD_OK;
}

static int choose(struct split_answer *a, struct xpd_err *err)
{
    struct xpd_str chip = xpd_param_text(a->ctx, "chip");
    int word = chip.size > 0 ? xpd_word_index("mean slowest one all", chip) : OF_MEAN;
    a->of = word < 0 || word == OF_ONE ? OF_ONE : (enum of)word;
    if (a->of == OF_ONE)
        a->lane = xpd_run_lane_of(&a->steps, chip);
    if (a->of == OF_ONE && a->lane == XPD_NO_INDEX && a->steps.lane_count > 0)
        return xpd_fail(err, XPD_EINVAL, "chip", XPD_NO_OFFSET,
                        "chip takes mean, slowest, all, a number below %" PRIu32
                        " or a name such as %s",
                        a->steps.lane_count, a->steps.lane[0].name);
    return XPD_OK;
}

static int stepsplit(const struct xpd_tool_ctx *ctx, const void **made, struct xpd_err *err)
{
    struct split_answer *a = XPD_NEW(ctx->arena, struct split_answer);
    if (!a)
        return xpd_tools_no_memory(err);
    a->ctx = ctx;
    *made = &a->out;
    int rc = xpd_run_steps_of(&a->steps, ctx, xpd_tools_clock(ctx), err);
    if (rc == XPD_OK)
        rc = choose(a, err);
    if (rc != XPD_OK)
        return rc;
    a->out.of = of_word[a->of];
    a->out.reason = a->steps.why_not;
    a->out.known = !a->steps.why_not;
    a->out.p50_ps = -1;
    if (!a->out.known)
        return XPD_OK;
    a->out.clock = xpd_clock_word(a->steps.clock);
    a->out.why_host = a->steps.why_host;
    a->out.side_by_side = a->steps.side_by_side;
    a->out.what = xpd_step_what_word(a->steps.what);
    a->out.sentence = xpd_steps_sentence(&a->steps, ctx->arena);
    a->out.total = a->steps.step_count;
    a->out.p50_ps = a->steps.p50_ps;
    a->out.outliers = a->steps.outliers;
    rc = put_chips(a, err);
    if (rc == XPD_OK)
        rc = put_rows(a, err);
    XPD_VEC_FINI(&a->row);
    return rc;
}

static void text(struct xpd_strbuf *out, const void *answer)
{
    const struct xpd_stepsplit *a = answer;
    if (!a->known) {
        xpd_strbuf_printf(out, "No steps: %s.\n", a->reason);
        return;
    }
    xpd_strbuf_printf(out, "%s; clock: %s%s; %s\n\n", a->sentence, a->clock,
                      a->side_by_side ? ", union of intervals" : "",
                      strcmp(a->of, "mean") == 0      ? "mean of chips"
                      : strcmp(a->of, "slowest") == 0 ? "slowest chip of each step"
                      : strcmp(a->of, "all") == 0     ? "each chip"
                                                      : "one chip");
    xpd_answer_table(out, xpd_record_table(xpd_stepsplit_record(), "steps"), a,
                     "number chip_name? duration_ps idle_ps copies_in_ps copies_out_ps copies_ps "
                     "collectives_ps infeed_ps waits_ps matmul_ps elem_ps reduce_ps move_ps "
                     "control_ps custom_ps none_ps gap_ps fastest_ps slowest_ps");
    if (a->left_out > 0)
        xpd_strbuf_printf(out, "%" PRIu32 " more\n", a->left_out);
}

static const struct xpd_param_spec params[] = {
    XPD_PROGRAM_PARAM,
    XPD_CHIP_PARAM("mean (default), slowest, all (a row for each chip), or one chip: its number or "
                   "name in `chips`"),
    XPD_TRACE_PARAM_CLOCK,
    XPD_TRACE_PARAM_PX(PX_MAX,
                       "rows at most: each is the longest of as many steps as a column has"),
    XPD_PARAM_FORMAT,
    XPD_PARAM_LIMIT(ROWS_DEFAULT, ROWS_MAX, "rows, default 20,000"),
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_stepsplit = {
    .route = "/api/v1/trace/stepsplit",
    .title = "The parts of each step: compute by group, waits by kind and direction, idle time.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .about = "A step is what the framework marked, else an execution of the program with most "
             "time, else one of 100 equal windows of the trace. Its operations are those that "
             "begin in it. If a chip runs one operation at a time, parts are self times by the "
             "device's clock. Otherwise compute and waits are the unions of intervals that "
             "`trace/steps` shows, divided among operations by their self times. Without `host` "
             "the answer covers all hosts, and matches steps by their number.",
    .answer = xpd_stepsplit_record,
    .make = stepsplit,
    .text = text,
    .file_name = "stepsplit.csv",
    XPD_IN_REPORT("px", {115, XPD_EACH_HOST, "chip=mean&px=900", "the steps and their parts"},
                  {280, XPD_EACH_HOST, "chip=mean", NULL}),
};
