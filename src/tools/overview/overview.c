/* /api/v1/overview: where the time of a step goes and what would make it shorter, in one answer. */
#include "overview.h"

#include "xprofd/base/order.h"
#include "xprofd/base/threads.h"
#include "xprofd/trace/totals.h"

XPD_RECORD_TABLE(xpd_overview_step, XPD_OVERVIEW_STEP_FIELDS)
XPD_RECORD_TABLE(xpd_overview_verdict, XPD_OVERVIEW_VERDICT_FIELDS)
XPD_RECORD_TABLE(xpd_overview_loss, XPD_OVERVIEW_LOSS_FIELDS)
XPD_RECORD_TABLE(xpd_overview_win, XPD_OVERVIEW_WIN_FIELDS)
XPD_RECORD_TABLE(xpd_overview_chip, XPD_OVERVIEW_CHIP_FIELDS)
XPD_RECORD_TABLE(xpd_overview_rate, XPD_OVERVIEW_RATE_FIELDS)
XPD_RECORD_TABLE(xpd_overview_memory, XPD_OVERVIEW_MEMORY_FIELDS)
XPD_RECORD_TABLE(xpd_overview_mark, XPD_OVERVIEW_MARK_FIELDS)
XPD_RECORD_TABLE(xpd_overview_missing, XPD_OVERVIEW_MISSING_FIELDS)
XPD_RECORD_TABLE(xpd_overview_capture, XPD_OVERVIEW_CAPTURE_FIELDS)
XPD_RECORD_TABLE(xpd_overview_fact, XPD_OVERVIEW_FACT_FIELDS)
XPD_RECORD_TABLE(xpd_overview_program, XPD_OVERVIEW_PROGRAM_FIELDS)
XPD_RECORD_TABLE(xpd_overview, XPD_OVERVIEW_FIELDS)

/* ---- which steps ---- */

static int choose(struct xpd_overviewing *o, struct xpd_err *err)
{
    struct xpd_str chip = xpd_param_text(o->ctx, "chip");
    int64_t number = xpd_param_int(o->ctx, &xpd_tool_overview, "step");
    o->chip = XPD_NO_INDEX;
    if (chip.size > 0 && !xpd_str_eq(chip, XPD_STR("mean"))) {
        o->chip = xpd_run_lane_of(&o->steps, chip);
        if (o->chip == XPD_NO_INDEX)
            return xpd_fail(err, XPD_ENOTFOUND, "chip", XPD_NO_OFFSET,
                            "no chip \"%.80s\" has steps; there are %" PRIu32,
                            xpd_arena_strndup(o->ctx->arena, chip.data, chip.size),
                            o->steps.lane_count);
    }
    for (uint32_t i = 0; xpd_param_has(o->ctx, "step") && i < o->steps.step_count; i++)
        if (o->steps.step[i].number == number)
            o->selected = &o->steps.step[i];
    if (xpd_param_has(o->ctx, "step") && !o->selected)
        return xpd_fail(err, XPD_ENOTFOUND, "step", XPD_NO_OFFSET,
                        "there is no step %" PRId64 "; they are %" PRId64 " to %" PRId64, number,
                        o->steps.step[0].number, o->steps.step[o->steps.step_count - 1].number);
    return XPD_OK;
}

/* Of the chip asked about. */
static bool is_of_chip(const struct xpd_overviewing *o, uint32_t cell)
{
    return o->chip == XPD_NO_INDEX || o->steps.cell[cell].lane == o->chip;
}

static void add_up(struct xpd_overviewing *o)
{
    uint32_t first = o->selected ? o->selected->first : 0, gaps = 0;
    uint32_t end = o->selected ? first + o->selected->count : o->steps.cell_count;
    double gap_ps = 0, gap_idle_ps = 0;
    for (uint32_t i = first; i < end; i++) {
        const struct xpd_step_cell *cell = o->steps.cell[i].of;
        if (!is_of_chip(o, i))
            continue;
        o->cells++;
        xpd_grow_i64(&o->total_ps, cell->span.duration_ps);
        for (uint32_t p = 0; p < XPD_PART_COUNT; p++)
            xpd_grow_i64(&o->part_ps[p], cell->parts.ps[p]);
        xpd_grow_i64(&o->unnamed_ps, cell->parts.unnamed_ps);
        xpd_grow_i64(&o->hidden_ps, cell->hidden_ps);
        if (cell->gap_ps >= 0) {
            gap_ps += (double)cell->gap_ps;
            gap_idle_ps += (double)cell->gap_idle_ps;
            gaps++;
        }
    }
    o->gap_ps = gaps > 0 ? gap_ps / gaps : -1;
    o->gap_idle_ps = gaps > 0 ? gap_idle_ps / gaps : -1;
}

/* ---- the answer ---- */

/* How far apart the steps asked about are. */
struct spread {
    int64_t *sorted_ps; /* durations on the chips asked about */
    uint32_t n, steps, outliers;
    int64_t p50_ps;
};

static void count_outliers(struct spread *out, const struct xpd_overviewing *o)
{
    for (uint32_t k = 0; k < o->steps.step_count; k++) {
        const struct xpd_run_step *step = &o->steps.step[k];
        int64_t sum_ps = 0;
        uint32_t n = 0;
        for (uint32_t i = step->first; i < step->first + step->count; i++)
            if (is_of_chip(o, i)) {
                xpd_grow_i64(&sum_ps, o->steps.cell[i].of->span.duration_ps);
                n++;
            }
        if (n == 0 || (o->selected && o->selected != step))
            continue;
        out->steps++;
        out->outliers += !o->selected && xpd_is_outlier(sum_ps / n, out->p50_ps);
    }
}

static bool find_spread(struct spread *out, const struct xpd_overviewing *o)
{
    const struct xpd_run_steps *all = &o->steps;
    uint32_t first = o->selected ? o->selected->first : 0;
    uint32_t end = o->selected ? first + o->selected->count : all->cell_count;
    if (!o->selected && o->chip == XPD_NO_INDEX) {
        *out = (struct spread){all->sorted_ps, all->cell_count, all->step_count, all->outliers,
                               all->p50_ps};
        return true;
    }
    *out = (struct spread){.sorted_ps = XPD_NEW_ARRAY(o->ctx->arena, int64_t, o->cells)};
    if (!out->sorted_ps)
        return false;
    for (uint32_t i = first; i < end; i++)
        if (is_of_chip(o, i))
            out->sorted_ps[out->n++] = o->steps.cell[i].of->span.duration_ps;
    qsort(out->sorted_ps, out->n, sizeof *out->sorted_ps, xpd_order_i64);
    out->p50_ps = out->sorted_ps[xpd_rank_of(0.5, out->n)];
    count_outliers(out, o);
    return true;
}

static const char *no_spread(const struct xpd_overviewing *o, const struct spread *spread)
{
    uint32_t n = spread->n;
    if (spread->steps == 1)
        return xpd_arena_printf(o->ctx->arena, "one %s: no spread", xpd_overview_unit(o));
    if (n < 100)
        return xpd_arena_printf(o->ctx->arena, "%" PRIu32 " %ss are too few for p99", n,
                                xpd_overview_unit(o));
    return NULL;
}

/* Where the two clocks tell the steps apart: what each says. */
#define CLOCKS_APART 0.05

static const char *clocks(const struct xpd_overviewing *o)
{
    const struct xpd_run_steps *steps = &o->steps;
    int64_t least_ps = INT64_MAX, most_ps = 0;
    bool apart = false;
    for (uint32_t i = 0; steps->clock == XPD_CLOCK_DEVICE && i < steps->cell_count; i++) {
        const struct xpd_split_span *span = &steps->cell[i].of->span;
        int64_t host_ps = span->to_ps - span->from_ps;
        double differs = (double)host_ps - (double)span->duration_ps;
        apart |= differs > CLOCKS_APART * (double)span->duration_ps ||
                 -differs > CLOCKS_APART * (double)span->duration_ps;
        least_ps = host_ps < least_ps ? host_ps : least_ps;
        most_ps = host_ps > most_ps ? host_ps : most_ps;
    }
    if (!apart)
        return NULL;
    return xpd_arena_printf(
        o->ctx->arena,
        "the host-aligned clock jumps: it shows steps of %s to %s, the chips' own "
        "clocks %s to %s",
        xpd_overview_time(o, (double)least_ps), xpd_overview_time(o, (double)most_ps),
        xpd_overview_time(o, (double)steps->sorted_ps[0]),
        xpd_overview_time(o, (double)steps->sorted_ps[steps->cell_count - 1]));
}

static const char *overlap(const struct xpd_overviewing *o)
{
    const struct xpd_run_steps *steps = &o->steps;
    if (steps->overlapping == 0)
        return NULL;
    return xpd_arena_printf(o->ctx->arena,
                            "%" PRIu32 " of %" PRIu32 " %ss begin before another one on the same "
                            "chip ends: what runs in both is counted in both",
                            steps->overlapping, steps->cell_count, xpd_overview_unit(o));
}

static int put_step(struct xpd_overviewing *o, struct xpd_err *err)
{
    const struct xpd_run_steps *steps = &o->steps;
    struct xpd_overview_step *step = XPD_NEW(o->ctx->arena, struct xpd_overview_step);
    struct spread spread;
    if (!step || !find_spread(&spread, o))
        return xpd_tools_no_memory(err);
    uint32_t n = spread.n;
    *step = (struct xpd_overview_step){
        .what = xpd_step_what_word(steps->what),
        .unit = xpd_overview_unit(o),
        .sentence = xpd_steps_sentence(steps, o->ctx->arena),
        .steps = steps->step_count,
        .count = o->cells,
        .total_ps = o->total_ps,
        .mean_ps = xpd_overview_mean(o, o->total_ps),
        .min_ps = spread.sorted_ps[0],
        .p50_ps = spread.p50_ps,
        .p99_ps = n < 100 ? -1 : spread.sorted_ps[xpd_rank_of(0.99, n)],
        .max_ps = spread.sorted_ps[n - 1],
        .no_spread = no_spread(o, &spread),
        .outliers = spread.outliers,
        .clocks = clocks(o),
        .overlap = overlap(o),
        .gap_ps = o->gap_ps,
        .gap_idle_ps = o->gap_idle_ps,
        .selected = o->selected ? o->selected->number : XPD_UNKNOWN,
        .chip = o->chip,
    };
    o->out.step = step;
    return XPD_OK;
}

static void put_hosts(struct xpd_overviewing *o)
{
    const struct xpd_run *run = o->ctx->run;
    const char **host = XPD_NEW_ARRAY(o->ctx->arena, const char *, run->host_count);
    for (uint32_t i = 0; host && i < o->steps.host_count; i++)
        host[i] = run->host[o->steps.host[i]].name;
    o->out.hosts.at = host;
    o->out.hosts.n = host ? o->steps.host_count : 0;
}

static int put_steps(struct xpd_overviewing *o, struct xpd_err *err)
{
    add_up(o);
    if (o->cells == 0)
        return xpd_fail(err, XPD_ENOTFOUND, "step", XPD_NO_OFFSET,
                        "this chip does not have that step");
    o->out.known = true;
    o->out.clock = xpd_clock_word(o->steps.clock);
    o->out.why_host = o->steps.why_host;
    o->out.side_by_side = o->steps.side_by_side;
    int rc = put_step(o, err);
    if (rc == XPD_OK)
        rc = xpd_step_ops_make(o, err);
    if (rc == XPD_OK)
        rc = xpd_overview_losses(o, err);
    if (rc == XPD_OK)
        rc = xpd_overview_wins(o, err);
    if (rc == XPD_OK)
        rc = xpd_overview_rates(o, err);
    return rc == XPD_OK ? xpd_overview_chips(o, err) : rc;
}

/* ---- parts ---- */

enum { STEPS, INPUT, PARTS }; /* what is made of them needs both; neither needs the other */

struct making {
    struct xpd_overviewing *o;
    int rc[PARTS];
    struct xpd_err err[PARTS];
    struct xpd_arena arena; /* of INPUT: that of the call belongs to one thread */
    struct xpd_load_state state;
};

static int make_input(struct making *making)
{
    struct xpd_tool_ctx ctx = *making->o->ctx;
    ctx.arena = &making->arena;
    ctx.state = ctx.state ? &making->state : NULL;
    return xpd_overview_input(making->o, &ctx, &making->err[INPUT]);
}

static void make_part(void *context, uint32_t part, uint32_t thread)
{
    struct making *making = context;
    struct xpd_overviewing *o = making->o;
    (void)thread;
    if (part == INPUT)
        making->rc[INPUT] = make_input(making);
    else if (!o->steps.why_not)
        making->rc[STEPS] = put_steps(o, &making->err[STEPS]);
}

static int put_parts(struct xpd_overviewing *o, struct xpd_err *err)
{
    struct making making = {.o = o};
    xpd_arena_init(&making.arena, o->ctx->arena->budget_bytes);
    xpd_threads_each(0, PARTS, make_part, &making);
    o->ctx->arena->failed |= making.arena.failed;
    xpd_arena_fini(&making.arena);
    int failed = making.rc[STEPS] != XPD_OK ? STEPS : INPUT; /* as one thread would say it */
    if (making.rc[failed] != XPD_OK && err)
        *err = making.err[failed];
    if (making.rc[failed] != XPD_OK && failed == INPUT && o->ctx->state)
        *o->ctx->state = making.state;
    return making.rc[failed];
}

/* As the profile names it; else the chip that its plane describes; else what it is at least. */
static const char *device_of(const struct xpd_tool_ctx *ctx)
{
    struct xpd_peaks peaks;
    const char *platform = ctx->run->platform;
    if (ctx->run->device_type[0])
        return ctx->run->device_type;
    xpd_explain_peaks(ctx, &peaks);
    return peaks.device[0]                ? peaks.device
           : strcmp(platform, "gpu") == 0 ? "GPU"
           : strcmp(platform, "cpu") == 0 ? "CPU"
                                          : "";
}

static int overview(const struct xpd_tool_ctx *ctx, const void **made, struct xpd_err *err)
{
    struct xpd_overviewing *o = XPD_NEW(ctx->arena, struct xpd_overviewing);
    if (!o)
        return xpd_tools_no_memory(err);
    o->ctx = ctx;
    *made = &o->out;
    o->out.device = device_of(ctx);
    o->out.chips_sentence = "";
    o->has_peaks = xpd_explain_peaks_typed(ctx, &o->peaks);
    o->out.peaks = o->has_peaks ? &o->peaks : NULL;
    int rc = xpd_run_steps_of(&o->steps, ctx, xpd_tools_clock(ctx), err);
    if (rc != XPD_OK)
        return rc;
    put_hosts(o);
    o->out.reason = o->steps.why_not;
    if (!o->steps.why_not)
        rc = choose(o, err);
    if (rc == XPD_OK)
        rc = put_parts(o, err);
    if (rc == XPD_OK)
        rc = xpd_overview_judge(o, err);
    if (rc == XPD_OK)
        rc = xpd_overview_run(o, err);
    XPD_VEC_FINI(&o->op);
    return rc;
}

static void text_verdicts(struct xpd_strbuf *out, const struct xpd_overview *a)
{
    for (uint32_t i = 0; i < a->verdicts.n; i++) {
        const struct xpd_overview_verdict *v = &a->verdicts.at[i];
        xpd_strbuf_printf(out, "  %-14s %-12s %s\n", v->kind,
                          strcmp(v->says, "unknown") == 0 ? "cannot tell" : v->says, v->text);
    }
}

#define WINS_SHOWN 12

static void text_wins(struct xpd_strbuf *out, const struct xpd_overview *a)
{
    struct xpd_overview some = *a;
    some.wins.n = a->wins.n < WINS_SHOWN ? a->wins.n : WINS_SHOWN;
    xpd_answer_table(out, xpd_record_table(xpd_overview_record(), "wins"), &some,
                     "mean_ps win_ps at_most bound roofline_share name");
    if (a->ops > some.wins.n)
        xpd_strbuf_printf(out, "%" PRIu32 " more: xprofd ops\n", a->ops - some.wins.n);
}

/* What is not known of the rows, and what is to be known of the steps. */
static void text_doubts(struct xpd_strbuf *out, const struct xpd_overview *a)
{
    for (uint32_t i = 0; i < a->losses.n; i++)
        if (a->losses.at[i].why && a->losses.at[i].total_ps > 0)
            xpd_strbuf_printf(out, "%s: %s\n", a->losses.at[i].label, a->losses.at[i].why);
    if (a->step->clocks)
        xpd_strbuf_printf(out, "clocks: %s\n", a->step->clocks);
    if (a->step->overlap)
        xpd_strbuf_printf(out, "overlap: %s\n", a->step->overlap);
    if (a->capture && a->capture->damage)
        xpd_strbuf_printf(out, "not complete: %s\n", a->capture->damage);
    if (a->capture && a->capture->lost)
        xpd_strbuf_printf(out, "recording: %s\n", a->capture->lost);
}

static void text(struct xpd_strbuf *out, const void *answer)
{
    const struct xpd_overview *a = answer;
    bool whole = !a->capture || a->capture->complete;
    xpd_strbuf_printf(out, "%s [%s]\n%s\n", a->headline, a->verdict, a->detail);
    if (a->steps_apart)
        xpd_strbuf_printf(out, "%s\n", a->steps_apart);
    xpd_strbuf_puts(out, "\n");
    text_verdicts(out, a);
    if (a->losses.n > 0) {
        xpd_strbuf_printf(out, "\nWhere a mean %s goes, %s clock%s:\n", a->step->unit, a->clock,
                          !whole       ? ", of what is there; no sum: the file is not complete"
                          : a->adds_up ? "; the rows add up to it"
                                       : "; THE ROWS DO NOT ADD UP");
        xpd_answer_table(out, xpd_record_table(xpd_overview_record(), "losses"), a,
                         "mean_ps share ops label");
        text_doubts(out, a);
        if (a->wins.n > 0) {
            xpd_strbuf_puts(out, "\nTime it could save:\n");
            text_wins(out, a);
        }
        xpd_strbuf_printf(out, "\n%s\n", a->chips_sentence);
    }
    if (a->programs.n > 0) {
        xpd_strbuf_puts(out, "\nPrograms:\n");
        xpd_answer_table(out, xpd_record_table(xpd_overview_record(), "programs"), a,
                         "self_ps share runs executions peak_bytes name");
    }
}

static const struct xpd_param_spec params[] = {
    {.name = "step",
     .type = XPD_PARAM_INT,
     .min = INT64_MIN,
     .max = INT64_MAX,
     .help = "only the step of this number; default: the mean of all"},
    XPD_PROGRAM_PARAM,
    XPD_CHIP_PARAM("only this chip, its number or name in `chips`; default: the mean of all"),
    XPD_TRACE_PARAM_CLOCK,
    {.name = "module",
     .type = XPD_PARAM_TEXT,
     .help = "program whose memory to show; default: the largest peak"},
    XPD_PEAKS_PARAMS,
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_overview = {
    .route = "/api/v1/overview",
    .title = "Where the time of a step goes, and what would shorten it.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .about = "`trace/stepsplit` defines steps and their parts. Compute is compared with the "
             "roofline: time above it is a loss of the operation's bound; operations with unknown "
             "work have their own row. The rows of `losses` add up to the steps exactly.",
    .answer = xpd_overview_record,
    .make = overview,
    .text = text,
    .file_name = "overview.csv",
    XPD_IN_REPORT("", {115, XPD_EACH_MEASURED, "", "where a step goes"},
                  {115, XPD_EACH_HOST, "", NULL}),
};
