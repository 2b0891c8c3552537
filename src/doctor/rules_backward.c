/* Held for later: D08 many equal buffers, D09 results that wait for the backward pass, D24 what is
 * already computed twice. In: the rows at the peak and their groups. Out: findings. */
#include "doctor_internal.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

struct group {
    uint32_t id, count, first_row;
    int64_t bytes;
};

static int by_bytes(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x->first_row > y->first_row) - (x->first_row < y->first_row);
}

/* Groups of rows, the largest first. `keep` (may be NULL): only those rows. */
static struct group *groups_of(struct xpd_dx *dx, const bool *keep, uint32_t *count)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < dx->held.count; i++)
        most = dx->group_of_row[i] > most ? dx->group_of_row[i] : most;
    struct group *list = XPD_NEW_ARRAY(dx->arena, struct group, (size_t)most + 1);
    *count = 0;
    for (uint32_t i = 0; list && i < dx->held.count; i++) {
        struct group *g = &list[dx->group_of_row[i]];
        if (keep && !keep[i])
            continue;
        if (g->count++ == 0)
            g->first_row = i;
        g->id = dx->group_of_row[i];
        xpd_grow_i64(&g->bytes, dx->held.at[i].size_bytes);
    }
    for (uint32_t i = 0; list && i <= most; i++)
        if (list[i].count > 0)
            list[(*count)++] = list[i];
    if (*count > 1)
        qsort(list, *count, sizeof *list, by_bytes);
    return list;
}

static void take_group(struct xpd_dx *dx, struct xpd_dx_set *set, uint32_t id)
{
    for (uint32_t i = 0; i < dx->held.count; i++)
        if (dx->group_of_row[i] == id)
            xpd_dx_set_add(dx, set, i);
}

void xpd_rule_equal(struct xpd_dx *dx)
{
    uint32_t n, told = 0;
    bool *keep = XPD_NEW_ARRAY(dx->arena, bool, dx->held.count);
    for (uint32_t i = 0; keep && i < dx->held.count; i++)
        keep[i] = dx->held.at[i].mem_class == XPD_CLASS_TEMPORARY &&
                  dx->held.at[i].buffer != XPD_NO_INDEX;
    struct group *g = keep ? groups_of(dx, keep, &n) : NULL;
    for (uint32_t k = 0; g && k < n && told < XPD_DX_GROUPS; k++) {
        struct xpd_dx_set set;
        if (g[k].count < (uint32_t)dx->t->equal_count ||
            g[k].bytes < xpd_dx_share(dx, dx->t->equal_share) || !xpd_dx_set_init(dx, &set))
            continue;
        take_group(dx, &set, g[k].id);
        struct xpd_finding *f =
            xpd_dx_find_set(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_FACT, &set, XPD_ACTION_DROP);
        xpd_dx_claim(dx, f, "%" PRIu32 " equal buffers %s (%s each, %s, %s of the peak) from %.*s.",
                     set.count, xpd_dx_shape(dx, f->buffer[0], false),
                     xpd_dx_bytes_own(dx, dx->held.at[set.row[0]].size_bytes),
                     xpd_dx_bytes_own(dx, set.bytes), xpd_dx_percent(dx, set.bytes, dx->peak_bytes),
                     (int)(f->place.size < 160 ? f->place.size : 160), f->place.data);
        xpd_dx_number(f, "buffers", set.count, "count");
        xpd_dx_number(f, "share", xpd_dx_permille(dx, set.bytes), "permille");
        told++;
    }
}

/* Made by the forward pass and read by the backward one, by the marks JAX leaves. */
static bool is_saved(const struct xpd_dx *dx, uint32_t buffer, bool *by_name)
{
    uint32_t user[64];
    struct xpd_str name = xpd_dx_op_name(dx, dx->mem->buffer[buffer].instruction);
    *by_name = xpd_dx_has(name, "jvp(") || xpd_dx_has(name, "transpose(");
    if (!xpd_dx_has(name, "jvp(") || xpd_dx_has(name, "transpose("))
        return false;
    uint32_t count = xpd_users_of(dx->mem, buffer, user, 64);
    for (uint32_t i = 0; i < count && i < 64; i++)
        if (xpd_dx_has(xpd_dx_op_name(dx, user[i]), "transpose("))
            return true;
    return false;
}

struct waits {
    bool *row, *named;
    uint32_t from, to; /* the longest stretch seen */
};

static bool find_waiting(struct xpd_dx *dx, struct waits *w)
{
    w->row = XPD_NEW_ARRAY(dx->arena, bool, dx->held.count);
    w->named = XPD_NEW_ARRAY(dx->arena, bool, dx->held.count);
    uint32_t least = xpd_dx_steps(dx, dx->t->idle_share);
    uint32_t hint = xpd_dx_steps(dx, dx->t->idle_hint_share);
    for (uint32_t i = dx->held.resident_count; w->row && w->named && i < dx->held.count; i++) {
        const struct xpd_held *row = &dx->held.at[i];
        struct xpd_use_span span;
        bool by_name;
        if (row->buffer == XPD_NO_INDEX || (double)row->size_bytes < dx->t->big_bytes)
            continue;
        xpd_uses_of(dx->mem, dx->space, row->buffer, &span);
        if (span.idle_from == XPD_NO_STEP || span.idle_to - span.idle_from < least)
            continue;
        w->named[i] = is_saved(dx, row->buffer, &by_name);
        w->row[i] = w->named[i] || (!by_name && span.idle_to - span.idle_from >= hint);
    }
    return w->row && w->named;
}

static void say_saved(struct xpd_dx *dx, const struct waits *w, const struct group *g)
{
    struct xpd_dx_set set;
    uint32_t from = XPD_NO_STEP, to = 0;
    if (!xpd_dx_set_init(dx, &set))
        return;
    take_group(dx, &set,
               g->id); /* also the one in use at the peak: it would be computed again too */
    for (uint32_t k = 0; k < set.count; k++) {
        struct xpd_use_span span;
        if (!w->row[set.row[k]])
            continue;
        xpd_uses_of(dx->mem, dx->space, dx->held.at[set.row[k]].buffer, &span);
        from = span.idle_from < from ? span.idle_from : from;
        to = span.idle_to > to ? span.idle_to : to;
    }
    bool named = w->named[g->first_row];
    struct xpd_finding *f =
        xpd_dx_find(dx, XPD_DOCTOR_WARN, named ? XPD_DOCTOR_LIKELY : XPD_DOCTOR_HINT, g->bytes);
    xpd_dx_rows(dx, f, &set);
    xpd_dx_save(dx, f, XPD_ACTION_RECOMPUTE, 0);
    xpd_dx_claim(dx, f,
                 "%s of %s sit unused across the peak, from step %" PRIu32 " to %" PRIu32
                 "%s: %" PRIu32 " of %" PRIu32 " %s from %.*s.",
                 xpd_dx_bytes(dx, g->bytes), named ? "forward results" : "intermediate results",
                 from, to, named ? ", until the backward pass reads them" : "", g->count, set.count,
                 xpd_dx_shape(dx, f->buffer[0], false),
                 (int)(f->place.size < 160 ? f->place.size : 160), f->place.data);
    xpd_dx_number(f, "waiting", g->count, "count");
    xpd_dx_number(f, "group", set.count, "count");
    xpd_dx_number(f, "waiting_bytes", g->bytes, "bytes");
    xpd_dx_number(f, "from_step", from, "step");
    xpd_dx_number(f, "to_step", to, "step");
}

void xpd_rule_saved(struct xpd_dx *dx)
{
    struct waits w = {0};
    uint32_t n, told = 0;
    if (dx->space->step_count == 0 || dx->space->live_is_union || !find_waiting(dx, &w))
        return;
    struct group *g = groups_of(dx, w.row, &n);
    for (uint32_t k = 0; g && k < n && told < XPD_DX_GROUPS; k++) {
        if (g[k].bytes < xpd_dx_share(dx, dx->t->saved_share))
            continue;
        say_saved(dx, &w, &g[k]);
        told++;
    }
}

void xpd_rule_remat(struct xpd_dx *dx)
{
    const struct xpd_hlo_instructions *ins = &dx->hlo->instructions;
    uint32_t count = 0, entry = 0;
    int64_t bytes = 0;
    uint32_t *marked = XPD_NEW_ARRAY(dx->arena, uint32_t, ins->count);
    for (uint32_t i = 0; marked && i < ins->count; i++) {
        if (!xpd_dx_has(xpd_hlo_text(dx->hlo, ins->name[i]), ".remat") &&
            !xpd_dx_has(xpd_hlo_text(dx->hlo, ins->op_name[i]), "rematted_computation"))
            continue;
        marked[count++] = i;
        entry += dx->buffers_of.first[i + 1] > dx->buffers_of.first[i];
        for (uint32_t k = dx->buffers_of.first[i]; k < dx->buffers_of.first[i + 1]; k++)
            xpd_grow_i64(&bytes, dx->mem->buffer[dx->buffers_of.at[k]].size_bytes);
    }
    if (count == 0)
        return;
    struct xpd_finding *f = xpd_dx_find(dx, XPD_DOCTOR_INFO, XPD_DOCTOR_FACT, bytes);
    xpd_dx_claim(dx, f,
                 "%" PRIu32 " instructions are already computed twice (%" PRIu32
                 " with results of their own, %s in all): marked .remat or rematted_computation.",
                 count, entry, xpd_dx_bytes(dx, bytes));
    xpd_dx_number(f, "instructions", count, "count");
    xpd_dx_number(f, "with_buffers", entry, "count");
    f->place = XPD_STR("remat");
    f->timed = marked;
    f->timed_count = count;
}
