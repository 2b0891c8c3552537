/* How rules of time make findings. In: sums over runs or steps. Out: savings, shares, operations.
 */
#include "doctor_internal.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

struct xpd_finding *xpd_dx_find_time(struct xpd_dx *dx, double warn_share, int64_t saving_ps,
                                     int64_t of_ps)
{
    double share = of_ps > 0 ? (double)saving_ps / (double)of_ps : 0;
    struct xpd_finding *f = xpd_dx_find(dx, share >= warn_share ? XPD_DOCTOR_WARN : XPD_DOCTOR_INFO,
                                        XPD_DOCTOR_FACT, 0);
    f->saving_ps = saving_ps;
    f->of_ps = of_ps;
    f->share = share;
    f->place = XPD_STR("run");
    xpd_dx_number(f, "share", (int64_t)(share * 1000 + 0.5), "permille");
    return f;
}

const char *xpd_dx_each(struct xpd_dx *dx, int64_t sum_ps)
{
    return xpd_dx_time_text(dx, sum_ps / (int64_t)dx->time->ops->runs);
}

const char *xpd_dx_in_all(struct xpd_dx *dx)
{
    const struct xpd_doctor_time *t = dx->time;
    const char *text =
        xpd_arena_printf(dx->arena, "%" PRIu64 " run%s on %s", t->ops->runs,
                         t->ops->runs == 1 ? "" : "s", xpd_dx_devices(dx, t->ops->chips));
    return text ? text : "";
}

const char *xpd_dx_chip(const struct xpd_dx *dx)
{
    return dx->time->threads ? "CPU" : "chip";
}

void xpd_doctor_put_devices(struct xpd_strbuf *out, const struct xpd_doctor_time *time,
                            uint32_t count)
{
    if (time->threads && count == 1)
        xpd_strbuf_puts(out, "the CPU");
    else
        xpd_strbuf_printf(out, "%" PRIu32 " %s%s", count, time->threads ? "CPU" : "chip",
                          count == 1 ? "" : "s");
}

const char *xpd_dx_devices(struct xpd_dx *dx, uint32_t count)
{
    struct xpd_strbuf text = {0};
    xpd_doctor_put_devices(&text, dx->time, count);
    const char *kept = xpd_strbuf_keep(&text, dx->arena).data;
    xpd_strbuf_fini(&text);
    return kept ? kept : "";
}

static int most_to_win_first(const void *a, const void *b)
{
    const struct xpd_finding_op *x = a, *y = b;
    if (x->saving_ps != y->saving_ps)
        return x->saving_ps < y->saving_ps ? 1 : -1;
    return (x->instruction > y->instruction) - (x->instruction < y->instruction);
}

int64_t xpd_dx_sum_ops(struct xpd_finding_op *op, uint32_t count, int64_t *self_ps)
{
    int64_t saving_ps = 0;
    *self_ps = 0;
    for (uint32_t i = 0; i < count; i++) {
        xpd_grow_i64(&saving_ps, op[i].saving_ps);
        xpd_grow_i64(self_ps, op[i].self_ps);
    }
    if (count > 1)
        qsort(op, count, sizeof *op, most_to_win_first);
    return saving_ps;
}

const char *xpd_dx_names(struct xpd_dx *dx, const struct xpd_finding_op *op, uint32_t count)
{
    struct xpd_strbuf text = {0};
    for (uint32_t k = 0; k < count && k < 3; k++) {
        struct xpd_str name = xpd_hlo_text(dx->hlo, dx->hlo->instructions.name[op[k].instruction]);
        xpd_strbuf_printf(&text, "%s%%%.*s %s", k ? ", " : "",
                          (int)(name.size < 120 ? name.size : 120), name.data,
                          xpd_dx_each(dx, op[k].self_ps));
    }
    if (count > 3)
        xpd_strbuf_printf(&text, " and %" PRIu32 " more", count - 3);
    struct xpd_str kept = xpd_strbuf_keep(&text, dx->arena);
    xpd_strbuf_fini(&text);
    return kept.data ? kept.data : "";
}

void xpd_dx_ops(struct xpd_dx *dx, struct xpd_finding *f, struct xpd_finding_op *op, uint32_t count)
{
    int64_t runs = (int64_t)dx->time->ops->runs;
    for (uint32_t i = 0; i < count; i++) {
        op[i].self_ps /= runs;
        op[i].saving_ps /= runs;
    }
    f->op = op;
    f->op_count = count;
    f->is_run = true;
    f->instruction = op[0].instruction;
    f->place = xpd_hlo_text(dx->hlo, dx->hlo->instructions.opcode[op[0].instruction]);
}

bool xpd_dx_has_ops(struct xpd_dx *dx)
{
    const struct xpd_doctor_ops *ops = dx->time->ops;
    if (!ops)
        xpd_dx_not_judged(dx, dx->time->no_ops ? dx->time->no_ops : "no operation has times");
    else if (ops->runs == 0)
        xpd_dx_not_judged(dx, "the number of runs of the program is unknown");
    return ops && ops->runs > 0 && ops->all_ps > 0;
}

bool xpd_dx_has_steps(struct xpd_dx *dx)
{
    const struct xpd_doctor_time *t = dx->time;
    if (t->steps == 0)
        xpd_dx_not_judged(dx, t->no_steps ? t->no_steps : "no step of a chip was recorded");
    else if (t->steps_doubt)
        xpd_dx_not_judged(dx, t->steps_doubt);
    return t->steps > 0 && !t->steps_doubt;
}
