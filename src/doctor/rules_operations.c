/* Findings of time in operations: T05 bound by memory, T06 matrix
 * products far from the peak, T07 copies that change a layout, T08
 * recomputation, T09 small operations. In: self times and rooflines.
 * Out: findings with upper bounds of the saving. An executed operation
 * is in at most one class, waits are in none (T01), so the savings add
 * up. */
#include "doctor_internal.h"

#include "xprofd/base/checked.h"

enum op_class { NONE, RELAYOUT, AGAIN, SMALL, MATMUL, MEMORY };

#define MEMORY_LEAST 0.05 /* of the memory's rate: below that something else holds it back */

static bool is_wrapper(const struct xpd_dx *dx, uint32_t i)
{
    return xpd_dx_is(dx, i, "while") || xpd_dx_is(dx, i, "conditional") ||
           xpd_dx_is(dx, i, "call") || xpd_str_ends(xpd_dx_opcode(dx, i), "-start");
}

static bool is_again(const struct xpd_dx *dx, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &dx->hlo->instructions;
    return xpd_dx_has(xpd_hlo_text(dx->hlo, ins->name[i]), ".remat") ||
           xpd_dx_has(xpd_hlo_text(dx->hlo, ins->op_name[i]), "rematted_computation");
}

/* What of its self time an operation reaches its roofline with; 1 where none is known. */
static double reach(const struct xpd_doctor_ops *ops, uint32_t i)
{
    return ops->lost_ps[i] < 0 ? 1 : 1 - (double)ops->lost_ps[i] / (double)ops->self_ps[i];
}

static bool is_small(const struct xpd_dx *dx, uint32_t i)
{
    const struct xpd_doctor_ops *ops = dx->time->ops;
    return !dx->time->threads && ops->count[i] > 0 &&
           (double)ops->self_ps[i] / (double)ops->count[i] < dx->t->small_op_us * 1e6 &&
           (ops->lost_ps[i] < 0 || reach(ops, i) < 0.5);
}

static bool is_bound(const struct xpd_doctor_ops *ops, uint32_t i, const char *by)
{
    return ops->bound[i] && strcmp(ops->bound[i], by) == 0;
}

static enum op_class class_of(const struct xpd_dx *dx, uint32_t i)
{
    const struct xpd_doctor_ops *ops = dx->time->ops;
    if (ops->self_ps[i] <= 0 || xpd_dx_is_wait(dx, i) || is_wrapper(dx, i))
        return NONE;
    if (ops->relayout[i])
        return RELAYOUT;
    if (is_again(dx, i))
        return AGAIN;
    if (is_small(dx, i))
        return SMALL;
    if (is_bound(ops, i, "compute") && ops->costs && ops->costs->matmul[i] != XPD_NO_INDEX &&
        reach(ops, i) < dx->t->matmul_reach)
        return MATMUL;
    bool memory = is_bound(ops, i, "HBM") || is_bound(ops, i, "VMEM") || is_bound(ops, i, "CMEM");
    if (memory && reach(ops, i) < dx->t->memory_reach && reach(ops, i) >= MEMORY_LEAST)
        return MEMORY;
    return NONE;
}

struct class_ops {
    struct xpd_finding_op *at;
    uint32_t count;
    int64_t self_ps, saving_ps; /* over all runs */
    uint64_t executions;
};

/* The operations of a class, most to win first. Useless work saves all of its time, other work the
 * time beyond its roofline. False: not worth a finding. */
static bool gather(struct xpd_dx *dx, enum op_class want, struct class_ops *out)
{
    const struct xpd_doctor_ops *ops = dx->time->ops;
    uint32_t all = dx->hlo->instructions.count;
    bool whole = want == RELAYOUT || want == AGAIN;
    *out = (struct class_ops){.at = XPD_NEW_ARRAY(dx->arena, struct xpd_finding_op, all)};
    for (uint32_t i = 0; out->at && i < all; i++) {
        if (class_of(dx, i) != want)
            continue;
        int64_t self_ps = ops->self_ps[i], lost_ps = ops->lost_ps[i];
        out->executions += ops->count[i];
        out->at[out->count++] =
            (struct xpd_finding_op){i, self_ps, whole || lost_ps < 0 ? self_ps : lost_ps};
    }
    out->saving_ps = xpd_dx_sum_ops(out->at, out->count, &out->self_ps);
    return out->count > 0 && (double)out->saving_ps >= dx->t->lost_share * (double)ops->all_ps;
}

static struct xpd_finding *find(struct xpd_dx *dx, const struct class_ops *of)
{
    const struct xpd_doctor_ops *ops = dx->time->ops;
    int64_t runs = (int64_t)ops->runs;
    struct xpd_finding *f =
        xpd_dx_find_time(dx, dx->t->lost_warn_share, of->saving_ps / runs, ops->all_ps / runs);
    xpd_dx_number(f, "operations", of->count, "count");
    xpd_dx_number(f, "self_ps", of->self_ps, "ps");
    xpd_dx_number(f, "to_win_ps", of->saving_ps, "ps");
    xpd_dx_number(f, "runs", runs, "count");
    return f;
}

/* "80 to 83 %", "24 %" */
static const char *reaches(struct xpd_dx *dx, const struct class_ops *of)
{
    double least = 1, most = 0;
    for (uint32_t i = 0; i < of->count; i++) {
        double one = reach(dx->time->ops, of->at[i].instruction);
        least = one < least ? one : least;
        most = one > most ? one : most;
    }
    const char *text =
        most * 100 - least * 100 < 1
            ? xpd_arena_printf(dx->arena, "%.0f %%", most * 100)
            : xpd_arena_printf(dx->arena, "%.0f to %.0f %%", least * 100, most * 100);
    return text ? text : "";
}

static bool has_rooflines(struct xpd_dx *dx)
{
    if (!xpd_dx_has_ops(dx))
        return false;
    if (dx->time->ops->no_peaks)
        xpd_dx_not_judged(dx, dx->time->ops->no_peaks);
    return !dx->time->ops->no_peaks;
}

static const char *operations(uint32_t count)
{
    return count == 1 ? "operation" : "operations";
}

static bool is_wrong(struct xpd_dx *dx, bool wrong)
{
    if (wrong)
        xpd_dx_not_judged(dx, "an operation is faster than the peak (T13), so the loss of others "
                              "against it is unknown");
    return wrong;
}

void xpd_rule_memory_bound(struct xpd_dx *dx)
{
    struct class_ops of;
    if (!has_rooflines(dx))
        return;
    if (is_wrong(dx, dx->time->ops->memory_wrong) || !gather(dx, MEMORY, &of))
        return;
    struct xpd_finding *f = find(dx, &of);
    xpd_dx_claim(dx, f,
                 "%" PRIu32 " %s bound by memory reach%s %s of its rate and take%s %s of a run, %s "
                 "more than at that rate: %s (%s).",
                 of.count, operations(of.count), of.count == 1 ? "es" : "", reaches(dx, &of),
                 of.count == 1 ? "s" : "", xpd_dx_each(dx, of.self_ps),
                 xpd_dx_each(dx, of.saving_ps), xpd_dx_names(dx, of.at, of.count),
                 xpd_dx_in_all(dx));
    xpd_dx_ops(dx, f, of.at, of.count);
}

/* ---- matrix products ---- */

struct side {
    const char *name;
    int64_t size, tiled;
};

static double fill(const struct side *side)
{
    return side->tiled > 0 ? (double)side->size / (double)side->tiled : 1;
}

/* The dimension that fills its tiles worst. */
static struct side worst_side(const struct xpd_doctor_ops *ops, const struct xpd_matmul *m)
{
    const struct {
        const char *name;
        int64_t size;
        uint32_t tile;
    } sides[] = {{"m", m->m, ops->tile_m}, {"n", m->n, ops->tile_n}, {"k", m->k, ops->tile_k}};
    struct side worst = {.name = ""};
    for (size_t i = 0; i < 3; i++) {
        int64_t tile = sides[i].tile, size = sides[i].size;
        if (tile == 0 || size <= 0 || size > INT64_MAX - tile)
            continue;
        struct side one = {sides[i].name, size, (size + tile - 1) / tile * tile};
        if (fill(&one) < fill(&worst))
            worst = one;
    }
    return worst;
}

/* Which products do not fill the tiles, and by which dimension the one with most to win. */
static const char *say_sides(struct xpd_dx *dx, const struct class_ops *of)
{
    const struct xpd_doctor_ops *ops = dx->time->ops;
    uint32_t unfilled = 0, first = XPD_NO_INDEX;
    for (uint32_t i = 0; i < of->count; i++) {
        const struct xpd_matmul *m =
            &ops->costs->matmuls[ops->costs->matmul[of->at[i].instruction]];
        struct side side = worst_side(ops, m);
        if (fill(&side) >= dx->t->tile_fill)
            continue;
        unfilled++;
        first = first == XPD_NO_INDEX ? i : first;
    }
    if (ops->tile_m == 0)
        return "";
    if (unfilled == 0)
        return " The dimensions fill the tiles of the matrix units: look for other reasons "
               "(32-bit types, layouts, the kernel).";
    uint32_t i = of->at[first].instruction;
    const struct xpd_matmul *m = &ops->costs->matmuls[ops->costs->matmul[i]];
    struct side side = worst_side(ops, m);
    struct xpd_str name = xpd_hlo_text(dx->hlo, dx->hlo->instructions.name[i]);
    const char *text = xpd_arena_printf(
        dx->arena,
        " %" PRIu32 " of them %s not fill the tiles of the matrix units: in %%%.*s (m %" PRId64
        ", n %" PRId64 ", k %" PRId64 "), %s = %" PRId64 " takes the space of %" PRId64 ".",
        unfilled, unfilled == 1 ? "does" : "do", (int)(name.size < 120 ? name.size : 120),
        name.data, m->m, m->n, m->k, side.name, side.size, side.tiled);
    return text ? text : "";
}

void xpd_rule_low_matmul(struct xpd_dx *dx)
{
    struct class_ops of;
    if (!has_rooflines(dx) || is_wrong(dx, dx->time->ops->compute_wrong) ||
        !gather(dx, MATMUL, &of))
        return;
    struct xpd_finding *f = find(dx, &of);
    xpd_dx_claim(dx, f,
                 "%" PRIu32 " matrix product%s reach%s %s of the matrix units' peak and take%s %s "
                 "of a run, %s more than at the peak: %s (%s).%s",
                 of.count, of.count == 1 ? "" : "s", of.count == 1 ? "es" : "", reaches(dx, &of),
                 of.count == 1 ? "s" : "", xpd_dx_each(dx, of.self_ps),
                 xpd_dx_each(dx, of.saving_ps), xpd_dx_names(dx, of.at, of.count),
                 xpd_dx_in_all(dx), say_sides(dx, &of));
    xpd_dx_ops(dx, f, of.at, of.count);
}

/* ---- work that a run could do without ---- */

void xpd_rule_layout_copies(struct xpd_dx *dx)
{
    struct class_ops of;
    if (!xpd_dx_has_ops(dx) || !gather(dx, RELAYOUT, &of))
        return;
    struct xpd_finding *f = find(dx, &of);
    xpd_dx_claim(dx, f,
                 "%" PRIu32 " %s only change%s the layout of an array, %s of a run: %s (%s).",
                 of.count, operations(of.count), of.count == 1 ? "s" : "",
                 xpd_dx_each(dx, of.self_ps), xpd_dx_names(dx, of.at, of.count), xpd_dx_in_all(dx));
    xpd_dx_ops(dx, f, of.at, of.count);
}

void xpd_rule_recomputation(struct xpd_dx *dx)
{
    const struct xpd_mem_space *space = dx->mem ? xpd_mem_main_space(dx->mem) : NULL;
    struct class_ops of;
    if (!xpd_dx_has_ops(dx) || !gather(dx, AGAIN, &of))
        return;
    struct xpd_finding *f = find(dx, &of);
    f->confidence = XPD_DOCTOR_LIKELY;
    f->severity = XPD_DOCTOR_INFO; /* it was chosen, for memory */
    xpd_dx_claim(dx, f,
                 "%" PRIu32 " %s repeat%s earlier computations, %s of a run: %s "
                 "(%s).",
                 of.count, operations(of.count), of.count == 1 ? "s" : "",
                 xpd_dx_each(dx, of.self_ps), xpd_dx_names(dx, of.at, of.count), xpd_dx_in_all(dx));
    int64_t free_bytes =
        space && dx->in->capacity_bytes > 0 ? dx->in->capacity_bytes - space->peak_bytes : -1;
    if (free_bytes > 0)
        xpd_dx_advice(dx, f,
                      "%s of the device's memory are free at the peak: save more results with a "
                      "checkpoint policy, the most expensive ones first.",
                      xpd_dx_bytes(dx, free_bytes));
    xpd_dx_ops(dx, f, of.at, of.count);
}

void xpd_rule_small_operations(struct xpd_dx *dx)
{
    struct class_ops of;
    if (dx->time->threads || !xpd_dx_has_ops(dx) || !gather(dx, SMALL, &of))
        return;
    uint64_t runs = dx->time->ops->runs;
    if ((double)of.executions < dx->t->small_ops * (double)runs)
        return;
    struct xpd_finding *f = find(dx, &of);
    f->confidence = XPD_DOCTOR_LIKELY;
    xpd_dx_claim(dx, f,
                 "A run executes %" PRIu64 " operations of less than %g µs each, %s in total; "
                 "their work accounts for %s of that: %s (%s).",
                 of.executions / runs, dx->t->small_op_us, xpd_dx_each(dx, of.self_ps),
                 xpd_dx_each(dx, of.self_ps - of.saving_ps), xpd_dx_names(dx, of.at, of.count),
                 xpd_dx_in_all(dx));
    xpd_dx_number(f, "executions", (int64_t)of.executions, "count");
    xpd_dx_ops(dx, f, of.at, of.count);
}
