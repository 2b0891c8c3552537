/* Findings of time: T01 waits that nothing hides, T02 a chip that does nothing. In: what was
 * measured of the program. Out: findings with what a run or a step would win at most.
 *
 * Where a chip runs one operation at a time its waits are operations: the dones of asynchronous
 * pairs, and collectives that are not asynchronous. Elsewhere (streams) they are what the chip does
 * beside no computing, by the union of intervals in its steps. */
#include "internal.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

enum kind { HOST_COPIES, COLLECTIVES, OTHERS, KINDS };
static const char *const kind_words[KINDS] = {"copies to and from host memory", "collectives",
                                              "transfers inside the device's memory"};

struct wait { /* of one instruction */
    uint32_t instruction;
    int64_t self_ps;
};

static int longest_first(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;
    if (x->self_ps != y->self_ps)
        return x->self_ps < y->self_ps ? 1 : -1;
    return (x->instruction > y->instruction) - (x->instruction < y->instruction);
}

/* A wait: the done of a pair, or a collective that ends before the next operation begins. */
static bool is_wait(const struct xpd_dx *dx, uint32_t i, enum kind *kind)
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

static const char *each(struct xpd_dx *dx, int64_t sum_ps)
{
    return xpd_dx_time_text(dx, sum_ps / (int64_t)dx->time->runs);
}

/* A CPU is no chip: threads of the host stand for each of its devices. */
static const char *chip_word(const struct xpd_dx *dx)
{
    return strcmp(dx->in->platform, "cpu") == 0 ? "CPU" : "chip";
}

static const char *device_word(const struct xpd_dx *dx)
{
    return strcmp(dx->in->platform, "cpu") == 0 ? "CPU device" : "chip";
}

static const char *in_all(struct xpd_dx *dx)
{
    const struct xpd_doctor_time *t = dx->time;
    const char *text =
        xpd_arena_printf(dx->arena, "%" PRIu64 " run%s on %" PRIu32 " chip%s", t->runs,
                         t->runs == 1 ? "" : "s", t->chips, t->chips == 1 ? "" : "s");
    return text ? text : "";
}

/* "%copy-done.4 194.4 ms, %copy-done.2 194.1 ms and 4 more" */
static const char *names_of(struct xpd_dx *dx, const struct wait *wait, uint32_t count)
{
    struct xpd_strbuf text = {0};
    for (uint32_t k = 0; k < count && k < 3; k++) {
        struct xpd_str name =
            xpd_hlo_text(dx->hlo, dx->hlo->instructions.name[wait[k].instruction]);
        xpd_strbuf_printf(&text, "%s%%%.*s %s", k ? ", " : "",
                          (int)(name.size < 120 ? name.size : 120), name.data,
                          each(dx, wait[k].self_ps));
    }
    if (count > 3)
        xpd_strbuf_printf(&text, " and %" PRIu32 " more", count - 3);
    const char *copy =
        text.failed ? NULL : xpd_arena_strndup(dx->arena, text.data ? text.data : "", text.size);
    xpd_strbuf_fini(&text);
    dx->arena->failed |= !copy;
    return copy ? copy : "";
}

/* What would change it, by what is waited for. */
static void advise(struct xpd_dx *dx, struct xpd_finding *f, enum kind kind)
{
    const struct xpd_mem_space *space = xpd_mem_main_space(dx->mem);
    int64_t free_bytes =
        space && dx->in->capacity_bytes > 0 ? dx->in->capacity_bytes - space->peak_bytes : -1;
    if (kind == COLLECTIVES)
        xpd_dx_advice(dx, f,
                      "Start them earlier or split them so that work hides them (latency hiding "
                      "scheduler, collective matmul), send fewer bytes, or shard differently.");
    else if (kind == OTHERS)
        xpd_dx_advice(dx, f, "Start them earlier: larger prefetch depth, or fuse what waits.");
    else if (free_bytes > 0)
        xpd_dx_advice(
            dx, f,
            "Keep more arrays on the device (%s of its memory are free at the peak), move "
            "fewer bytes (16-bit types halve them), or start the copies earlier.",
            xpd_dx_bytes(dx, free_bytes));
    else
        xpd_dx_advice(dx, f,
                      "Keep more arrays on the device, move fewer bytes (16-bit types halve them), "
                      "or start the copies earlier.");
}

static struct xpd_finding *find_share(struct xpd_dx *dx, double warn_share, int64_t saving_ps,
                                      int64_t of_ps)
{
    double share = (double)saving_ps / (double)of_ps;
    struct xpd_finding *f = xpd_dx_find(dx, share >= warn_share ? XPD_DOCTOR_WARN : XPD_DOCTOR_INFO,
                                        XPD_DOCTOR_FACT, 0);
    f->saving_ps = saving_ps;
    f->of_ps = of_ps;
    f->share = share;
    f->place = XPD_STR("run");
    xpd_dx_number(f, "share", (int64_t)(share * 1000 + 0.5), "permille");
    return f;
}

static void say_waits(struct xpd_dx *dx, enum kind kind, struct wait *wait, uint32_t count)
{
    const struct xpd_doctor_time *t = dx->time;
    int64_t sum_ps = 0, runs = (int64_t)t->runs;
    for (uint32_t k = 0; k < count; k++)
        xpd_grow_i64(&sum_ps, wait[k].self_ps);
    if (count == 0 || (double)sum_ps < dx->t->wait_share * (double)t->ops_ps)
        return;
    qsort(wait, count, sizeof *wait, longest_first);
    struct xpd_finding *f = find_share(dx, dx->t->wait_warn_share, sum_ps / runs, t->ops_ps / runs);
    xpd_dx_claim(dx, f,
                 "A chip waits %s of the %s that the operations of a run take (%s) for %s: %s. In "
                 "%s it is %s of %s, by the %s's clock.",
                 each(dx, sum_ps), each(dx, t->ops_ps), xpd_dx_percent(dx, sum_ps, t->ops_ps),
                 kind_words[kind], names_of(dx, wait, count), in_all(dx),
                 xpd_dx_time_text(dx, sum_ps), xpd_dx_time_text(dx, t->ops_ps), t->clock);
    advise(dx, f, kind);
    xpd_dx_number(f, "waited_ps", sum_ps, "ps");
    xpd_dx_number(f, "operations_ps", t->ops_ps, "ps");
    xpd_dx_number(f, "runs", runs, "count");
    xpd_dx_number(f, "waits", count, "count");
    f->is_run = true;
    f->instruction = wait[0].instruction;
    f->place = xpd_hlo_text(dx->hlo, dx->hlo->instructions.opcode[wait[0].instruction]);
}

static void waits_of_operations(struct xpd_dx *dx)
{
    uint32_t all = dx->hlo->instructions.count;
    for (enum kind want = HOST_COPIES; want < KINDS; want++) {
        struct wait *wait = XPD_NEW_ARRAY(dx->arena, struct wait, all);
        uint32_t count = 0;
        for (uint32_t i = 0; wait && i < all; i++) {
            enum kind kind;
            if (dx->time->self_ps[i] > 0 && is_wait(dx, i, &kind) && kind == want)
                wait[count++] = (struct wait){i, dx->time->self_ps[i]};
        }
        if (wait)
            say_waits(dx, want, wait, count);
    }
}

static void say_exposed(struct xpd_dx *dx, enum kind kind, int64_t exposed_ps)
{
    const struct xpd_doctor_time *t = dx->time;
    int64_t steps = (int64_t)t->steps;
    if ((double)exposed_ps < dx->t->wait_share * (double)t->steps_ps || exposed_ps <= 0)
        return;
    struct xpd_finding *f =
        find_share(dx, dx->t->wait_warn_share, exposed_ps / steps, t->steps_ps / steps);
    xpd_dx_claim(dx, f,
                 "Of a step of %s the %s spends %s (%s) on %s without computing (mean of "
                 "%" PRIu64 " steps on %" PRIu32 " %s%s, host-aligned clock).",
                 xpd_dx_time_text(dx, f->of_ps), chip_word(dx), xpd_dx_time_text(dx, f->saving_ps),
                 xpd_dx_percent(dx, exposed_ps, t->steps_ps),
                 kind == COLLECTIVES ? "collectives" : "copies of memory", t->steps, t->chips,
                 device_word(dx), t->chips == 1 ? "" : "s");
    advise(dx, f, kind);
    xpd_dx_number(f, "exposed_ps", exposed_ps, "ps");
    xpd_dx_number(f, "steps_ps", t->steps_ps, "ps");
    xpd_dx_number(f, "steps", steps, "count");
    f->place = XPD_STR(kind == COLLECTIVES ? "collectives" : "copies");
}

void xpd_rule_waits(struct xpd_dx *dx)
{
    if (dx->time->one_at_a_time && dx->time->runs > 0) {
        if (dx->time->ops_ps > 0)
            waits_of_operations(dx);
    } else if (dx->time->steps > 0 && dx->time->steps_ps > 0) {
        say_exposed(dx, COLLECTIVES, dx->time->comm_exposed_ps);
        say_exposed(dx, HOST_COPIES, dx->time->copy_exposed_ps);
    } else {
        xpd_dx_not_judged(dx, "no step of a chip was recorded");
    }
}

void xpd_rule_idle(struct xpd_dx *dx)
{
    const struct xpd_doctor_time *t = dx->time;
    if (t->steps == 0) {
        xpd_dx_not_judged(dx, "no step of a chip was recorded");
        return;
    }
    int64_t steps = (int64_t)t->steps, idle_ps = t->idle_ps, all_ps = t->steps_ps;
    xpd_grow_i64(&idle_ps, t->gap_ps);
    xpd_grow_i64(&all_ps, t->gap_ps);
    if (all_ps <= 0 || (double)idle_ps < dx->t->idle_time_share * (double)all_ps)
        return;
    struct xpd_finding *f =
        find_share(dx, dx->t->idle_time_warn_share, idle_ps / steps, all_ps / steps);
    xpd_dx_claim(dx, f,
                 "From one step to the next, %s, the %s does nothing for %s (%s): %s within "
                 "steps, %s between them (mean of %" PRIu64 " steps on %" PRIu32
                 " %s%s, host-aligned clock).",
                 xpd_dx_time_text(dx, f->of_ps), chip_word(dx), xpd_dx_time_text(dx, f->saving_ps),
                 xpd_dx_percent(dx, idle_ps, all_ps), xpd_dx_time_text(dx, t->idle_ps / steps),
                 xpd_dx_time_text(dx, t->gap_ps / steps), t->steps, t->chips, device_word(dx),
                 t->chips == 1 ? "" : "s");
    xpd_dx_number(f, "idle_ps", t->idle_ps, "ps");
    xpd_dx_number(f, "between_steps_ps", t->gap_ps, "ps");
    xpd_dx_number(f, "steps", steps, "count");
    f->place = XPD_STR("steps");
}
