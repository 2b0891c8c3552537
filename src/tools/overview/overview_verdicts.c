/* What binds a step: five verdicts, a headline, a badge. In: parts, losses and gaps of the steps
 * asked about. Out: sentences that page and command line show alike. */
#include "overview.h"

#include <ctype.h>
#include <string.h>

enum verdict { COMMUNICATION, MEMORY, COMPUTE, HOST, INPUT, VERDICTS };
/* The one table of limits: shares of a step from which on the answer is yes. */
static const struct {
    const char *kind, *badge;
    double limit;
} verdict[VERDICTS] = {
    {"communication", "communication bound", 0.20},
    {"memory", "memory bound", 0.50},
    {"compute", "compute bound", 0.50},
    {"host", "host bound", 0.10},
    {"input", "input bound", XPD_INPUT_BOUND},
};

struct told {
    int64_t ps;          /* of all steps, for certain */
    int64_t possible_ps; /* beside it: what is not judged */
    const char *missing; /* it cannot be told at all; NULL = it can */
    const char *none;    /* what to say of 0; NULL = "0 %" */
};

static const char *percent(const struct xpd_overviewing *o, double share)
{
    if (share > 0 && share < 0.0005)
        return "under 0.1 %";
    return xpd_arena_printf(o->ctx->arena, "%.*f %%", share == 0 ? 0 : 1, share * 100);
}

static const char *words(const struct xpd_overviewing *o, const struct told *told, bool unknown)
{
    double share = xpd_overview_share(o, told->ps);
    if (told->missing)
        return told->missing;
    if (unknown)
        return xpd_arena_printf(o->ctx->arena, "%s at least", percent(o, share));
    if (told->ps == 0 && told->none)
        return told->none;
    return xpd_arena_printf(o->ctx->arena, "%s of a %s", percent(o, share), xpd_overview_unit(o));
}

static struct xpd_overview_verdict verdict_of(const struct xpd_overviewing *o, enum verdict kind,
                                              const struct told *told)
{
    double share = xpd_overview_share(o, told->ps), limit = verdict[kind].limit;
    double possible = share + xpd_overview_share(o, told->possible_ps);
    bool unknown = told->missing || (share < limit && possible >= limit);
    return (struct xpd_overview_verdict){
        .kind = verdict[kind].kind,
        .says = unknown          ? "unknown"
                : share >= limit ? "yes"
                                 : "no",
        .share = told->missing ? -1 : share,
        .limit = limit,
        .mean_ps = told->missing ? -1 : xpd_overview_mean(o, told->ps),
        .text = words(o, told, unknown),
    };
}

/* ---- what is told of each ---- */

static struct told communication(const struct xpd_overviewing *o)
{
    struct told told = {.none = "none waited for"};
    told.ps = o->part_ps[XPD_PART_COPY_IN] + o->part_ps[XPD_PART_COPY_OUT] +
              o->part_ps[XPD_PART_COLLECTIVE];
    if (o->steps.side_by_side) /* on a TPU those that are left stay on the chip */
        told.ps += o->part_ps[XPD_PART_COPY];
    return told;
}

static bool has_roof(const struct xpd_step_op *op, bool compute)
{
    return op->ideal_ps >= 0 && !op->latency && op->roof &&
           (strcmp(op->roof, "compute") == 0) == compute;
}

static struct told bound_by(const struct xpd_overviewing *o, bool compute)
{
    struct told told = {.possible_ps = o->unnamed_ps};
    if (!compute && !o->steps.side_by_side) /* a TPU waits for its own memories */
        told.ps = o->part_ps[XPD_PART_COPY];
    for (size_t i = 0; i < o->op.count; i++) {
        const struct xpd_step_op *op = &o->op.at[i];
        if (has_roof(op, compute))
            told.ps += op->time_ps;
        else if (has_roof(op, !compute) && (compute ? o->memory_wrong : o->compute_wrong))
            told.possible_ps += op->time_ps; /* by the right peak it may be bound by this one */
        else if (op->part >= XPD_PART_COMPUTE && op->ideal_ps < 0)
            told.possible_ps += op->time_ps;
    }
    if (!o->has_peaks)
        told.missing = "peaks not known";
    else if (compute ? o->compute_wrong : o->memory_wrong)
        told.missing = "the peak is exceeded, so it is wrong";
    return told;
}

/* A step that the host marks also has what the host does in it while no chip runs. */
static bool idles(const struct xpd_overviewing *o)
{
    return o->steps.what == XPD_STEPS_MARKED &&
           xpd_overview_share(o, o->part_ps[XPD_PART_IDLE]) >= verdict[HOST].limit;
}

/* A gap beside a step: ", 5.8 %", ", 2.8 times a step"; "" where it is next to nothing. */
static const char *beside_step(const struct xpd_overviewing *o, double share)
{
    const char *text = share < 0.0005 ? ""
                       : share < 1    ? xpd_arena_printf(o->ctx->arena, ", %s", percent(o, share))
                                      : xpd_arena_printf(o->ctx->arena, ", %.1f times a %s", share,
                                                         xpd_overview_unit(o));
    return text ? text : "";
}

static struct xpd_overview_verdict host(const struct xpd_overviewing *o)
{
    double mean_ps = xpd_overview_mean(o, o->total_ps);
    double share = mean_ps > 0 ? o->gap_idle_ps / mean_ps : 0;
    struct xpd_overview_verdict out = {.kind = verdict[HOST].kind,
                                       .limit = verdict[HOST].limit,
                                       .says = "unknown",
                                       .share = -1,
                                       .mean_ps = -1};
    if (o->steps.overlapping > 0) {
        out.text = xpd_arena_printf(o->ctx->arena, "%ss of a chip overlap", xpd_overview_unit(o));
        return out;
    }
    if (idles(o) && xpd_overview_share(o, o->part_ps[XPD_PART_IDLE]) >= share) {
        out.says = "yes";
        out.share = xpd_overview_share(o, o->part_ps[XPD_PART_IDLE]);
        out.mean_ps = xpd_overview_mean(o, o->part_ps[XPD_PART_IDLE]);
        out.text = xpd_arena_printf(o->ctx->arena, "idle for %s of a %s", percent(o, out.share),
                                    xpd_overview_unit(o));
        return out;
    }
    if (o->steps.what == XPD_STEPS_WINDOWS || o->gap_ps < 0) {
        out.text = o->steps.what == XPD_STEPS_WINDOWS
                       ? "the profile has no steps"
                       : xpd_arena_printf(o->ctx->arena, "no gap between %ss was measured",
                                          xpd_overview_unit(o));
        return out;
    }
    out.says = share >= out.limit ? "yes" : "no";
    out.share = share;
    out.mean_ps = o->gap_idle_ps;
    out.text = xpd_arena_printf(
        o->ctx->arena, "%s %sbetween %ss%s", xpd_overview_time(o, o->gap_idle_ps),
        o->gap_idle_ps < o->gap_ps ? "idle " : "", xpd_overview_unit(o), beside_step(o, share));
    return out;
}

/* "82.1 % of a step", of several hosts ", host1": the program's own steps, where it marks any.
 * Launches are no steps. */
static const char *input_words(const struct xpd_overviewing *o, const struct xpd_input_of_hosts *of)
{
    bool several = o->steps.host_count > 1;
    const char *of_what = of->steps == XPD_INPUT_LAUNCHES ? "the time between launches"
                          : of->steps == XPD_INPUT_GIVEN && o->steps.what != XPD_STEPS_WINDOWS
                              ? xpd_arena_printf(o->ctx->arena, "a %s", xpd_overview_unit(o))
                              : "a step";
    if (of->host == XPD_NO_INDEX)
        return "no events";
    if (of->why_not)
        return o->selected ? "Input does not have this step" : "nothing marks steps of the program";
    if (of->verdict.says == XPD_INPUT_UNKNOWN)
        return "no input calls recorded";
    return xpd_arena_printf(o->ctx->arena, "%s of %s%s%s", percent(o, of->verdict.share),
                            of_what ? of_what : "a step", several ? ", " : "",
                            several ? o->ctx->run->host[of->host].name : "");
}

/* Steps of Input are those of the program, these are of the chips: where their lengths differ, or
 * there are none of chips, a reader must see why. */
static void compare_steps(struct xpd_overviewing *o, const struct xpd_input_of_hosts *of)
{
    double here_ps = xpd_overview_mean(o, o->total_ps), there_ps = of->verdict.step_ps;
    if (of->why_not || o->steps.asked != XPD_NO_INDEX)
        return;
    if (!o->out.step) {
        o->out.steps_apart = xpd_arena_printf(
            o->ctx->arena, "Input has %" PRIu32 " step%s of %s on average: %s.", of->step_count,
            of->step_count == 1 ? "" : "s", xpd_overview_time(o, there_ps),
            xpd_input_step_reach(of->steps, of->step_count));
        return;
    }
    if (o->selected || o->chip != XPD_NO_INDEX || o->steps.what == XPD_STEPS_WINDOWS ||
        !xpd_input_steps_apart(here_ps, there_ps))
        return;
    o->out.steps_apart = xpd_arena_printf(
        o->ctx->arena, "A step of Input takes %s: %s. A %s here takes %s%s.",
        xpd_overview_time(o, there_ps), xpd_input_step_reach(of->steps, of->step_count),
        xpd_overview_unit(o), xpd_overview_time(o, here_ps),
        o->steps.lane_count > 1 ? ": the mean of each chip's own time" : "");
}

int xpd_overview_input(struct xpd_overviewing *o, const struct xpd_tool_ctx *ctx,
                       struct xpd_err *err)
{
    uint32_t *host = XPD_NEW_ARRAY(ctx->arena, uint32_t, o->steps.host_count), hosts = 0;
    if (!host)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < o->steps.host_count; i++)
        if (xpd_host_has_events(&ctx->run->host[o->steps.host[i]]))
            host[hosts++] = o->steps.host[i];
    return xpd_input_of_hosts(&o->input, ctx, host, hosts,
                              o->selected ? &o->selected->number : NULL, err);
}

/* What Input says of the host that waits most: by the program's thread, or by the chips' infeed. */
static struct xpd_overview_verdict input_verdict(struct xpd_overviewing *o)
{
    static const char *const says[] = {"no", "partly", "yes", "unknown"};
    const struct xpd_input_of_hosts *of = &o->input;
    const struct xpd_input_verdict *v = &of->verdict;
    bool known = !of->why_not && v->says != XPD_INPUT_UNKNOWN;
    compare_steps(o, of);
    return (struct xpd_overview_verdict){
        .kind = verdict[INPUT].kind,
        .limit = verdict[INPUT].limit,
        .says = says[known ? v->says : XPD_INPUT_UNKNOWN],
        .share = known ? v->share : -1,
        .mean_ps = known ? v->step_ps - v->free_ps : -1,
        .text = input_words(o, of),
        .host = of->host == XPD_NO_INDEX ? NULL : o->ctx->run->host[of->host].name,
    };
}

/* ---- the headline ---- */

struct claim {               /* a share that may be the largest */
    const char *kind, *also; /* of losses, with a second one or none */
    const char *words;       /* "97 % of a step ..." */
};
static const struct claim claims[] = {
    {"copies_in", "copies_out", "waits for host copies"},
    {"copies", NULL, "waits for copies"},
    {"collectives", NULL, "waits for collectives"},
    {"infeed", NULL, "waits for input"},
    {"waits", NULL, "waits"},
    {"idle", NULL, "runs nothing"},
    {"memory_loss", NULL, "is lost to memory bandwidth"},
    {"compute_loss", NULL, "is lost in compute-bound operations"},
    {"latency", NULL, "goes into small kernels"},
    {"not_judged", NULL, "is compute without a known roofline"},
    {"roofline", NULL, "runs at the roofline"},
};

static int64_t loss_ps(const struct xpd_overviewing *o, const char *kind)
{
    for (uint32_t i = 0; kind && i < o->out.losses.n; i++)
        if (strcmp(o->out.losses.at[i].kind, kind) == 0)
            return o->out.losses.at[i].total_ps;
    return 0;
}

static const struct claim *largest(const struct xpd_overviewing *o, int64_t *ps)
{
    const struct claim *most = &claims[0];
    *ps = -1;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        int64_t of_ps = loss_ps(o, claims[i].kind) + loss_ps(o, claims[i].also);
        if (of_ps > *ps) {
            *ps = of_ps;
            most = &claims[i];
        }
    }
    return most;
}

#define NAMED_WHOLE 40 /* characters: of a longer path the sentence has the last two parts */

static void name_it(struct xpd_strbuf *text, struct xpd_str name)
{
    size_t from = name.size, parts = 0;
    while (name.size > NAMED_WHOLE && from > 0 && parts < 2)
        parts += name.data[--from] == '/';
    if (parts == 2 && from > 0)
        xpd_strbuf_puts(text, "…");
    else
        from = 0;
    xpd_strbuf_add(text, name.data + from, name.size - from);
}

/* The operations behind it, most time first: ": a, b, c and 2 more"; "" without any. */
static const char *behind(const struct xpd_overviewing *o, const struct claim *claim)
{
    enum { NAMED = 3 };
    const struct xpd_step_op *top[NAMED] = {NULL};
    uint32_t n = 0;
    for (size_t i = 0; i < o->op.count; i++) {
        const struct xpd_step_op *op = &o->op.at[i];
        const char *kind = xpd_overview_loss_of(op);
        if (op->time_ps <= 0 ||
            (strcmp(kind, claim->kind) != 0 && (!claim->also || strcmp(kind, claim->also) != 0)))
            continue;
        n++;
        for (int k = 0; k < NAMED; k++)
            if (!top[k] || op->time_ps > top[k]->time_ps) {
                for (int j = NAMED - 1; j > k; j--)
                    top[j] = top[j - 1];
                top[k] = op;
                break;
            }
    }
    struct xpd_strbuf text = {0};
    for (uint32_t k = 0; k < NAMED && top[k]; k++) {
        xpd_strbuf_puts(&text, k == 0 ? ": " : ", ");
        name_it(&text, top[k]->name);
    }
    if (n > NAMED)
        xpd_strbuf_printf(&text, " and %" PRIu32 " more", n - NAMED);
    struct xpd_str kept = xpd_strbuf_keep(&text, o->ctx->arena);
    xpd_strbuf_fini(&text);
    return kept.data ? kept.data : "";
}

/* Whether waiting for input explains at least half of the time in which nothing runs. */
static bool waits_for_input(const struct xpd_overview_verdict *at)
{
    return strcmp(at[INPUT].says, "yes") == 0 && 2 * at[INPUT].mean_ps >= at[HOST].mean_ps;
}

static const char *badge_of(const struct xpd_overview_verdict *at)
{
    const char *badge = NULL;
    double most = -1;
    bool unknown = false;
    for (int k = 0; k < VERDICTS; k++) {
        if (k == HOST && waits_for_input(at))
            continue;
        if (strcmp(at[k].says, "yes") == 0 && at[k].share > most) {
            most = at[k].share;
            badge = verdict[k].badge;
        }
        unknown |= k < INPUT && strcmp(at[k].says, "unknown") == 0;
    }
    return badge ? badge : unknown ? "cannot tell what bounds it" : "nothing bounds it";
}

/* Of compute, what ran while copies or collectives were in flight. */
static const char *beside(const struct xpd_overviewing *o, int64_t compute_ps)
{
    double share = compute_ps > 0 ? (double)o->hidden_ps / (double)compute_ps : 0;
    if (share < 0.01)
        return "";
    return share >= 0.99
               ? ", all of which already overlaps with copies and collectives"
               : xpd_arena_printf(o->ctx->arena,
                                  ", %.0f %% of which overlaps with copies and collectives",
                                  share * 100);
}

/* A share that rests on a wrong peak for the most part. */
static const char *by_wrong_peak(const struct xpd_overviewing *o, const struct claim *claim)
{
    bool roofline = strcmp(claim->kind, "roofline") == 0;
    int64_t all_ps = 0, wrong_ps = 0;
    for (size_t i = 0; i < o->op.count; i++) {
        const struct xpd_step_op *op = &o->op.at[i];
        if (op->ideal_ps < 0 || !op->roof ||
            (!roofline && strcmp(xpd_overview_loss_of(op), claim->kind) != 0))
            continue;
        xpd_grow_i64(&all_ps, op->ideal_ps);
        if (has_roof(op, true) ? o->compute_wrong : has_roof(op, false) && o->memory_wrong)
            xpd_grow_i64(&wrong_ps, op->ideal_ps);
    }
    return wrong_ps > all_ps / 2 ? "; operations exceed the peak that this uses" : "";
}

/* The gap after a step is more than any part of one: no step is long, they are far apart. */
static bool say_gap(struct xpd_overviewing *o, int64_t most_ps)
{
    double step_ps = xpd_overview_mean(o, o->total_ps);
    double idle_ps = xpd_overview_mean(o, o->part_ps[XPD_PART_IDLE]) + o->gap_idle_ps;
    if (o->steps.overlapping > 0 || o->steps.what == XPD_STEPS_WINDOWS ||
        o->gap_idle_ps <= xpd_overview_mean(o, most_ps))
        return false;
    const char *unit = xpd_overview_unit(o);
    o->out.headline =
        xpd_arena_printf(o->ctx->arena, "Nothing runs for %.0f %% of the time from %s to %s",
                         idle_ps / (step_ps + o->gap_ps) * 100, unit, unit);
    double others_ps = o->gap_ps - o->gap_idle_ps;
    o->out.detail = xpd_arena_printf(
        o->ctx->arena, "%s of %s, %s of it between %ss%s%s", xpd_overview_time(o, idle_ps),
        xpd_overview_time(o, step_ps + o->gap_ps), xpd_overview_time(o, o->gap_idle_ps), unit,
        others_ps > 0 ? ", where other work runs for " : "",
        others_ps > 0 ? xpd_overview_time(o, others_ps) : "");
    return true;
}

/* "Step", at the beginning of a sentence. */
static const char *unit_first(const struct xpd_overviewing *o)
{
    const char *unit = xpd_overview_unit(o);
    const char *kept = xpd_arena_printf(o->ctx->arena, "%c%s", unit[0] - 'a' + 'A', unit + 1);
    return kept ? kept : "";
}

#define ALONE 0.5 /* of all steps together */

/* " Step 0 alone takes ...": it compiled a program, for example, and the mean is mostly its own. */
static const char *alone(const struct xpd_overviewing *o)
{
    const struct xpd_run_steps *steps = &o->steps;
    const struct xpd_run_step *longest = &steps->step[0];
    int64_t all_ps = 0;
    if (o->selected || steps->step_count < 3 || steps->what == XPD_STEPS_WINDOWS)
        return "";
    for (uint32_t i = 0; i < steps->step_count; i++) {
        xpd_grow_i64(&all_ps, steps->step[i].mean_ps);
        if (steps->step[i].mean_ps > longest->mean_ps)
            longest = &steps->step[i];
    }
    if ((double)longest->mean_ps <= ALONE * (double)all_ps)
        return "";
    return xpd_arena_printf(
        o->ctx->arena,
        " %s %" PRId64 " alone takes %s of the %s of all %ss, so the mean says little about the "
        "others (median %s).",
        unit_first(o), longest->number, xpd_overview_time(o, (double)longest->mean_ps),
        xpd_overview_time(o, (double)all_ps), xpd_overview_unit(o),
        xpd_overview_time(o, (double)steps->p50_ps));
}

#define OUTSIDE 0.05 /* of the compute */

/* " 26 % of the compute ... ran outside of these steps": what the mean of the steps does not hold.
 */
static const char *outside(const struct xpd_overviewing *o)
{
    int64_t compute_ps, outside_ps;
    if (o->selected || o->steps.what == XPD_STEPS_WINDOWS || o->steps.asked != XPD_NO_INDEX)
        return "";
    xpd_overview_outside(o, &compute_ps, &outside_ps);
    if ((double)outside_ps <= OUTSIDE * (double)compute_ps)
        return "";
    return xpd_arena_printf(
        o->ctx->arena, " %.0f %% of the compute (%s of %s) ran outside of these %ss%s.",
        (double)outside_ps / (double)compute_ps * 100, xpd_overview_time(o, (double)outside_ps),
        xpd_overview_time(o, (double)compute_ps), xpd_overview_unit(o),
        o->steps.what == XPD_STEPS_MARKED && o->steps.clock == XPD_CLOCK_HOST
            ? ": work that a step starts may still run after its mark has ended"
            : "");
}

static void say(struct xpd_overviewing *o, const struct xpd_overview_verdict *at)
{
    struct xpd_arena *arena = o->ctx->arena;
    int64_t most_ps, compute_ps = 0;
    const struct claim *most = largest(o, &most_ps);
    const char *unit = xpd_overview_unit(o);
    for (uint32_t p = XPD_PART_COMPUTE; p < XPD_PART_COUNT; p++)
        xpd_grow_i64(&compute_ps, o->part_ps[p]);
    if (!say_gap(o, most_ps)) {
        o->out.headline =
            xpd_arena_printf(arena, "%.0f %% of a %s %s%s", xpd_overview_share(o, most_ps) * 100,
                             unit, most->words, by_wrong_peak(o, most));
        o->out.detail = xpd_arena_printf(
            arena, "%s of %s%s", xpd_overview_time(o, xpd_overview_mean(o, most_ps)),
            xpd_overview_time(o, xpd_overview_mean(o, o->total_ps)), behind(o, most));
    }
    o->out.detail = xpd_arena_printf(
        arena, "%s. Compute takes %s%s. %ss: %s.%s%s", o->out.detail ? o->out.detail : "",
        xpd_overview_time(o, xpd_overview_mean(o, compute_ps)), beside(o, compute_ps),
        unit_first(o), o->out.step->sentence, alone(o), outside(o));
    o->out.verdict = badge_of(at);
}

/* Not one answer; that of input comes after. */
static void say_nothing(struct xpd_overviewing *o, struct xpd_overview_verdict *at)
{
    const char *unit = xpd_overview_unit(o);
    bool steps = !o->steps.why_not;
    for (int k = 0; k < VERDICTS; k++)
        at[k] = (struct xpd_overview_verdict){
            .kind = verdict[k].kind,
            .says = "unknown",
            .share = -1,
            .limit = verdict[k].limit,
            .mean_ps = -1,
            .text = o->steps.host_count == 0 ? "no events" : "no operations were recorded"};
    o->out.headline = !steps ? "It is unknown where the time goes"
                             : xpd_arena_printf(o->ctx->arena,
                                                "It is unknown what a %s spends its time on", unit);
    o->out.detail =
        !steps ? xpd_arena_printf(o->ctx->arena, "%c%s.", toupper(o->steps.why_not[0]),
                                  o->steps.why_not + 1)
               : xpd_arena_printf(o->ctx->arena, "No operation was recorded in %ss of %s. %ss: %s.",
                                  unit, xpd_overview_time(o, xpd_overview_mean(o, o->total_ps)),
                                  unit_first(o), o->out.step->sentence);
    o->out.verdict = "cannot tell what bounds it";
}

/* The one thing that is known of a step. */
static void say_input(struct xpd_overviewing *o, const struct xpd_overview_verdict *at)
{
    if (strcmp(at[INPUT].says, "yes") != 0)
        return;
    o->out.headline =
        xpd_arena_printf(o->ctx->arena, "%.0f %% of a step goes into input; the rest is unknown",
                         at[INPUT].share * 100);
    o->out.verdict = badge_of(at);
}

int xpd_overview_judge(struct xpd_overviewing *o, struct xpd_err *err)
{
    struct xpd_overview_verdict *at =
        XPD_NEW_ARRAY(o->ctx->arena, struct xpd_overview_verdict, VERDICTS);
    if (!at)
        return xpd_tools_no_memory(err);
    o->out.verdicts.at = at;
    o->out.verdicts.n = VERDICTS;
    if (o->steps.why_not || o->steps.nothing) {
        say_nothing(o, at);
        at[INPUT] = input_verdict(o);
        say_input(o, at);
        return XPD_OK;
    }
    struct told told = communication(o);
    at[COMMUNICATION] = verdict_of(o, COMMUNICATION, &told);
    told = bound_by(o, false);
    at[MEMORY] = verdict_of(o, MEMORY, &told);
    told = bound_by(o, true);
    at[COMPUTE] = verdict_of(o, COMPUTE, &told);
    at[HOST] = host(o);
    at[INPUT] = input_verdict(o);
    say(o, at);
    return XPD_OK;
}
