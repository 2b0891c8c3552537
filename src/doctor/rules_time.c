/* Findings of time in steps: T01 exposed waits, T02 an idle chip, T03 a chip that delays the
 * others, T04 gaps between launches, T12 waiting for input. In: measurements of the program and
 * its steps. Out: findings with upper bounds of the saving of an execution or step.
 *
 * Where a chip runs one operation at a time its waits are operations: the dones of asynchronous
 * pairs, and collectives that are not asynchronous. Elsewhere (streams) they are the chip's
 * steps without compute, by the union of intervals. Each idle moment is in one of T02, T04 and
 * T12. */
#include "doctor_internal.h"

#include "xprofd/base/checked.h"

enum kind { HOST_COPIES, COLLECTIVES, OTHERS, KINDS };
static const char *const kind_words[KINDS] = {"copies to and from host memory", "collectives",
                                              "transfers inside the device's memory"};

static bool wait_of(const struct xpd_dx *dx, uint32_t i, enum kind *kind)
{
    uint32_t start = xpd_hlo_start_of(dx->hlo, i);
    struct xpd_str opcode = xpd_dx_opcode(dx, i);
    bool collective = xpd_op_group_of(dx->hlo, i) == XPD_OP_COLLECTIVE;
    if (start == XPD_NO_INDEX && (!collective || xpd_str_ends(opcode, "-start")))
        return false;
    bool host = start != XPD_NO_INDEX && xpd_shape_on_host(dx->hlo->instructions.shape[start]);
    *kind = host ? HOST_COPIES : collective ? COLLECTIVES : OTHERS;
    return true;
}

bool xpd_dx_is_wait(const struct xpd_dx *dx, uint32_t instruction)
{
    enum kind kind;
    return wait_of(dx, instruction, &kind);
}

/* Nearly all computing runs beside transfers already: to start them earlier hides nothing more. */
static bool all_is_hidden(const struct xpd_doctor_time *t)
{
    return t->compute_ps > 0 && (double)t->hidden_ps >= 0.99 * (double)t->compute_ps;
}

/* Advice by the kind of wait. */
static void advise(struct xpd_dx *dx, struct xpd_finding *f, enum kind kind)
{
    const struct xpd_mem_space *space = dx->mem ? xpd_mem_main_space(dx->mem) : NULL;
    int64_t free_bytes =
        space && dx->in->capacity_bytes > 0 ? dx->in->capacity_bytes - space->peak_bytes : -1;
    const char *earlier = all_is_hidden(dx->time) ? "" : ", or start the copies earlier";
    if (kind == COLLECTIVES)
        xpd_dx_advice(dx, f,
                      "Start them earlier or split them so that compute hides them (latency hiding "
                      "scheduler, collective matmul), send fewer bytes, or shard differently.");
    else if (kind == OTHERS)
        xpd_dx_advice(dx, f, "Start them earlier: larger prefetch depth, or fuse what waits.");
    else if (free_bytes > 0)
        xpd_dx_advice(dx, f,
                      "Keep more arrays on the device (%s of its memory are free at the peak), "
                      "move fewer bytes (16-bit types halve them)%s.",
                      xpd_dx_bytes(dx, free_bytes), earlier);
    else
        xpd_dx_advice(dx, f,
                      "Keep more arrays on the device, move fewer bytes (16-bit types halve "
                      "them)%s.",
                      earlier);
}

static void say_waits(struct xpd_dx *dx, enum kind kind, struct xpd_finding_op *wait,
                      uint32_t count)
{
    const struct xpd_doctor_ops *ops = dx->time->ops;
    int64_t sum_ps, runs = (int64_t)ops->runs;
    sum_ps = xpd_dx_sum_ops(wait, count, &sum_ps);
    if (count == 0 || (double)sum_ps < dx->t->wait_share * (double)ops->all_ps)
        return;
    struct xpd_finding *f =
        xpd_dx_find_time(dx, dx->t->wait_warn_share, sum_ps / runs, ops->all_ps / runs);
    bool hidden = kind == HOST_COPIES && all_is_hidden(dx->time);
    xpd_dx_claim(
        dx, f,
        "A chip spends %s of the %s that the operations of a run take (%s) waiting for %s: %s. In "
        "%s this is %s of %s, by the %s's clock.%s",
        xpd_dx_each(dx, sum_ps), xpd_dx_each(dx, ops->all_ps),
        xpd_dx_percent(dx, sum_ps, ops->all_ps), kind_words[kind], xpd_dx_names(dx, wait, count),
        xpd_dx_in_all(dx), xpd_dx_time_text(dx, sum_ps), xpd_dx_time_text(dx, ops->all_ps),
        ops->clock,
        hidden
            ? " Starting them earlier does not help: all compute already overlaps with transfers."
            : "");
    advise(dx, f, kind);
    xpd_dx_number(f, "waited_ps", sum_ps, "ps");
    xpd_dx_number(f, "operations_ps", ops->all_ps, "ps");
    xpd_dx_number(f, "runs", runs, "count");
    xpd_dx_number(f, "waits", count, "count");
    xpd_dx_ops(dx, f, wait, count);
}

static void waits_of_operations(struct xpd_dx *dx)
{
    uint32_t all = dx->hlo->instructions.count;
    const int64_t *self_ps = dx->time->ops->self_ps;
    for (enum kind want = HOST_COPIES; want < KINDS; want++) {
        struct xpd_finding_op *wait = XPD_NEW_ARRAY(dx->arena, struct xpd_finding_op, all);
        uint32_t count = 0;
        for (uint32_t i = 0; wait && i < all; i++) {
            enum kind kind;
            if (self_ps[i] > 0 && wait_of(dx, i, &kind) && kind == want)
                wait[count++] = (struct xpd_finding_op){i, self_ps[i], self_ps[i]};
        }
        if (wait)
            say_waits(dx, want, wait, count);
    }
}

static const char *step(const struct xpd_dx *dx)
{
    return dx->time->steps_are_runs ? "run" : "step";
}

/* "mean of 40 steps on 4 chips, device's clock" */
static const char *in_steps(struct xpd_dx *dx)
{
    const struct xpd_doctor_time *t = dx->time;
    bool device = t->steps_clock && strcmp(t->steps_clock, "device") == 0;
    const char *text =
        xpd_arena_printf(dx->arena, "mean of %" PRIu64 " %s%s on %s, %s", t->steps, step(dx),
                         t->steps == 1 ? "" : "s", xpd_dx_devices(dx, t->chips),
                         device ? "by the device's clock" : "host-aligned clock");
    return text ? text : "";
}

/* A finding about steps; where nothing marked them, about runs of the program. */
static struct xpd_finding *find_step(struct xpd_dx *dx, double warn_share, int64_t saving_ps,
                                     int64_t of_ps)
{
    struct xpd_finding *f = xpd_dx_find_time(dx, warn_share, saving_ps, of_ps);
    f->is_run = dx->time->steps_are_runs;
    return f;
}

static void say_exposed(struct xpd_dx *dx, enum kind kind, int64_t exposed_ps)
{
    const struct xpd_doctor_time *t = dx->time;
    int64_t steps = (int64_t)t->steps;
    if ((double)exposed_ps < dx->t->wait_share * (double)t->steps_ps || exposed_ps <= 0)
        return;
    struct xpd_finding *f =
        find_step(dx, dx->t->wait_warn_share, exposed_ps / steps, t->steps_ps / steps);
    xpd_dx_claim(dx, f, "In a %s of %s, the %s spends %s (%s) on %s without computing (%s).",
                 step(dx), xpd_dx_time_text(dx, f->of_ps), xpd_dx_chip(dx),
                 xpd_dx_time_text(dx, f->saving_ps), xpd_dx_percent(dx, exposed_ps, t->steps_ps),
                 kind == COLLECTIVES ? "collectives" : "copies of memory", in_steps(dx));
    advise(dx, f, kind);
    xpd_dx_number(f, "exposed_ps", exposed_ps, "ps");
    xpd_dx_number(f, "steps_ps", t->steps_ps, "ps");
    xpd_dx_number(f, "steps", steps, "count");
    f->place = kind == COLLECTIVES ? XPD_STR("collectives") : XPD_STR("copies");
}

void xpd_rule_waits(struct xpd_dx *dx)
{
    const struct xpd_doctor_time *t = dx->time;
    if (t->one_at_a_time && t->ops && t->ops->runs > 0) {
        if (t->ops->all_ps > 0)
            waits_of_operations(dx);
    } else if (xpd_dx_has_steps(dx)) {
        say_exposed(dx, COLLECTIVES, t->comm_exposed_ps);
        say_exposed(dx, HOST_COPIES, t->copy_exposed_ps);
    }
}

/* ---- idle time ---- */

/* Sum of the times from the start of a step to that of the next. */
static int64_t whole_ps(const struct xpd_doctor_time *t)
{
    int64_t all_ps = t->steps_ps;
    xpd_grow_i64(&all_ps, t->gap_ps);
    return all_ps;
}

/* What is idle of that: within steps and between them. */
static int64_t idle_in_all(const struct xpd_doctor_time *t)
{
    int64_t idle_ps = t->idle_ps;
    xpd_grow_i64(&idle_ps, t->gap_idle_ps);
    return idle_ps;
}

static int64_t known(int64_t ps)
{
    return ps > 0 ? ps : 0;
}

/* Where one gap between steps is most of them all: it may be none that comes again. */
static const char *longest(struct xpd_dx *dx)
{
    const struct xpd_doctor_time *t = dx->time;
    const char *text = t->longest_gap_ps > t->gap_idle_ps / 2
                           ? xpd_arena_printf(dx->arena, " (one gap alone takes %s)",
                                              xpd_dx_time_text(dx, t->longest_gap_ps))
                           : "";
    return text ? text : "";
}

/* Idle time that other findings are about. */
static const char *left_out(struct xpd_dx *dx)
{
    int64_t short_ps = known(dx->time->short_gaps_ps), input_ps = known(dx->time->input_ps);
    const char *of = short_ps > 0 && input_ps > 0 ? "gaps between launches (T04) and waits for "
                                                    "input (T12)"
                     : short_ps > 0               ? "gaps between launches (T04)"
                                                  : "waits for input (T12)";
    const char *text = short_ps > 0 || input_ps > 0
                           ? xpd_arena_printf(dx->arena,
                                              ", which includes %s that the saving "
                                              "leaves out",
                                              of)
                           : "";
    return text ? text : "";
}

void xpd_rule_idle(struct xpd_dx *dx)
{
    const struct xpd_doctor_time *t = dx->time;
    if (!xpd_dx_has_steps(dx))
        return;
    int64_t steps = (int64_t)t->steps, idle_ps = idle_in_all(t), all_ps = whole_ps(t);
    int64_t apart_ps = known(t->short_gaps_ps);
    xpd_grow_i64(&apart_ps, known(t->input_ps));
    int64_t rest_ps = idle_ps > apart_ps ? idle_ps - apart_ps : 0;
    if (all_ps <= 0 || (double)rest_ps < dx->t->idle_time_share * (double)all_ps)
        return;
    struct xpd_finding *f =
        find_step(dx, dx->t->idle_time_warn_share, rest_ps / steps, all_ps / steps);
    xpd_dx_claim(dx, f,
                 "From the start of one %s to the next (%s), the %s is idle for %s (%s): %s "
                 "inside it, %s after it%s%s (%s).",
                 step(dx), xpd_dx_time_text(dx, f->of_ps), xpd_dx_chip(dx),
                 xpd_dx_time_text(dx, idle_ps / steps), xpd_dx_percent(dx, idle_ps, all_ps),
                 xpd_dx_time_text(dx, t->idle_ps / steps),
                 xpd_dx_time_text(dx, t->gap_idle_ps / steps), longest(dx), left_out(dx),
                 in_steps(dx));
    xpd_dx_number(f, "idle_ps", t->idle_ps, "ps");
    xpd_dx_number(f, "between_steps_ps", t->gap_idle_ps, "ps");
    xpd_dx_number(f, "in_other_findings_ps", apart_ps, "ps");
    xpd_dx_number(f, "steps", steps, "count");
    f->place = XPD_STR("steps");
}

void xpd_rule_launches(struct xpd_dx *dx)
{
    const struct xpd_doctor_time *t = dx->time;
    if (t->threads || !xpd_dx_has_steps(dx))
        return; /* threads of a pool are woken, not launched */
    if (t->short_gaps_ps < 0) {
        xpd_dx_not_judged(dx, "the gaps of the chips are not known");
        return;
    }
    int64_t steps = (int64_t)t->steps, all_ps = whole_ps(t);
    if (all_ps <= 0 || (double)t->short_gaps_ps < dx->t->launch_share * (double)all_ps)
        return;
    struct xpd_finding *f =
        find_step(dx, dx->t->launch_warn_share, t->short_gaps_ps / steps, all_ps / steps);
    f->confidence = XPD_DOCTOR_LIKELY;
    xpd_dx_claim(dx, f,
                 "From the start of one %s to the next (%s), the chip is idle %" PRId64
                 " times for less than %g µs, %s in total (%s): the next operation had not been "
                 "launched yet, or takes that long to start (%s).",
                 step(dx), xpd_dx_time_text(dx, f->of_ps), t->short_gaps / steps,
                 dx->t->launch_gap_us, xpd_dx_time_text(dx, f->saving_ps),
                 xpd_dx_percent(dx, t->short_gaps_ps, all_ps), in_steps(dx));
    xpd_dx_number(f, "gaps", t->short_gaps, "count");
    xpd_dx_number(f, "gaps_ps", t->short_gaps_ps, "ps");
    xpd_dx_number(f, "steps", steps, "count");
    f->place = XPD_STR("launches");
}

/* ---- chips and input ---- */

void xpd_rule_straggler(struct xpd_dx *dx)
{
    const struct xpd_doctor_time *t = dx->time;
    if (t->straggler_ps < 0 || t->common_steps <= 0)
        return; /* with one chip, no other waits for it */
    if ((double)t->straggler_ps < dx->t->straggler_share * (double)t->common_ps)
        return;
    struct xpd_finding *f =
        find_step(dx, 2 * dx->t->straggler_share, t->straggler_ps / t->common_steps,
                  t->common_ps / t->common_steps);
    f->confidence = XPD_DOCTOR_LIKELY;
    xpd_dx_claim(dx, f,
                 "%.*s works %s longer in a step than the median chip (%s of a step of %s, mean of "
                 "the %" PRId64 " steps that all %" PRIu32 " chips have): the others wait for it.",
                 (int)(t->straggler.size < 120 ? t->straggler.size : 120), t->straggler.data,
                 xpd_dx_time_text(dx, f->saving_ps),
                 xpd_dx_percent(dx, t->straggler_ps, t->common_ps), xpd_dx_time_text(dx, f->of_ps),
                 t->common_steps, t->chips);
    xpd_dx_number(f, "more_work_ps", t->straggler_ps, "ps");
    xpd_dx_number(f, "steps", t->common_steps, "count");
    f->place = XPD_STR("chips");
}

/* ": 75.7 ms while the host waits in loader.py:49 next" */
static const char *in_calls(struct xpd_dx *dx)
{
    const struct xpd_doctor_time *t = dx->time;
    const char *text =
        t->input_ps <= 0
            ? ""
            : xpd_arena_printf(dx->arena, ": %s while the host waits in %.*s",
                               xpd_dx_time_text(dx, t->input_ps / (int64_t)t->steps),
                               (int)(t->input.size < 120 ? t->input.size : 120), t->input.data);
    return text ? text : "";
}

static const char *in_infeed(struct xpd_dx *dx)
{
    const struct xpd_doctor_time *t = dx->time;
    const char *text =
        t->infeed_ps <= 0
            ? ""
            : xpd_arena_printf(dx->arena, "%s %s in infeed and outfeed",
                               t->input_ps > 0 ? "," : ":",
                               xpd_dx_time_text(dx, t->infeed_ps / (int64_t)t->steps));
    return text ? text : "";
}

/* Whether the chips are idle for long enough to wait for input. Where they are not, the rule finds
 * nothing, whatever was not recorded: Input says "no" there. */
static bool idle_enough(const struct xpd_dx *dx, int64_t all_ps)
{
    int64_t idle_ps = idle_in_all(dx->time) - known(dx->time->short_gaps_ps);
    return (double)idle_ps >= dx->t->idle_time_share * (double)all_ps;
}

void xpd_rule_input(struct xpd_dx *dx)
{
    const struct xpd_doctor_time *t = dx->time;
    if (!xpd_dx_has_steps(dx))
        return;
    int64_t steps = (int64_t)t->steps, all_ps = whole_ps(t), wait_ps = known(t->input_ps);
    if (t->input_ps < 0 && t->infeed_ps <= 0) {
        if (idle_enough(dx, all_ps))
            xpd_dx_not_judged(dx, t->no_input ? t->no_input : "no call for input was recorded");
        return;
    }
    xpd_grow_i64(&wait_ps, known(t->infeed_ps));
    if (all_ps <= 0 || (double)wait_ps < dx->t->idle_time_share * (double)all_ps)
        return;
    struct xpd_finding *f =
        find_step(dx, dx->t->idle_time_warn_share, wait_ps / steps, all_ps / steps);
    f->confidence = XPD_DOCTOR_LIKELY;
    xpd_dx_claim(dx, f,
                 "From the start of one %s to the next (%s), the %s computes nothing for %s (%s) "
                 "because it waits for input%s%s (%s).",
                 step(dx), xpd_dx_time_text(dx, f->of_ps), xpd_dx_chip(dx),
                 xpd_dx_time_text(dx, f->saving_ps), xpd_dx_percent(dx, wait_ps, all_ps),
                 in_calls(dx), in_infeed(dx), in_steps(dx));
    xpd_dx_number(f, "waiting_ps", known(t->input_ps), "ps");
    xpd_dx_number(f, "infeed_ps", known(t->infeed_ps), "ps");
    xpd_dx_number(f, "steps", steps, "count");
    f->place = XPD_STR("input");
}
