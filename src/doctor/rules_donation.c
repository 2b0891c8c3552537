/* Donation: D06 missed, D07 asked for in vain, D25 inputs that are read only at the start. In:
 * arguments, outputs and the alias table of the module. Out: findings. */
#include "doctor_internal.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

struct end { /* an argument or an output that may pair */
    uint32_t row;
    uint64_t key; /* type and dimensions */
    int64_t bytes;
};

static int by_key(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static uint64_t key_of(const struct xpd_shape *shape)
{
    uint64_t hash = xpd_hash(shape->dims, shape->rank * sizeof *shape->dims);
    return hash ^ ((uint64_t)(uint32_t)shape->type << 8 | shape->rank);
}

static bool is_aliased(const struct xpd_hlo *hlo, const struct xpd_hlo_allocation *a)
{
    if (a->flags & (XPD_ALLOC_LIVE_OUT | XPD_ALLOC_PARAMETER_ALIASED))
        return true;
    for (uint32_t i = 0; i < hlo->alias_count; i++) {
        const struct xpd_hlo_alias *alias = &hlo->alias[i];
        if (alias->parameter_number == a->parameter_number &&
            alias->parameter_index_count == a->parameter_index_count &&
            (a->parameter_index_count == 0 ||
             memcmp(alias->parameter_index, a->parameter_index,
                    a->parameter_index_count * sizeof *a->parameter_index) == 0))
            return true;
    }
    return false;
}

/* Arguments that are not donated, or outputs with memory of their own. */
static struct end *list_ends(struct xpd_dx *dx, bool outputs, uint32_t *count)
{
    struct end *list = XPD_NEW_ARRAY(dx->arena, struct end, dx->held.resident_count);
    *count = 0;
    for (uint32_t i = 0; list && i < dx->held.resident_count; i++) {
        const struct xpd_held *row = &dx->held.at[i];
        const struct xpd_hlo_allocation *a = &dx->hlo->allocation[row->allocation];
        bool argument = (a->flags & XPD_ALLOC_PARAMETER) != 0;
        if (row->buffer == XPD_NO_INDEX || row->size_bytes < 1 ||
            (outputs ? argument || !(a->flags & XPD_ALLOC_LIVE_OUT)
                     : !argument || is_aliased(dx->hlo, a)))
            continue;
        const struct xpd_shape *shape = xpd_dx_shape_of(dx, row);
        if (shape->type == XPD_TYPE_TUPLE)
            continue;
        list[(*count)++] = (struct end){i, key_of(shape), row->size_bytes};
    }
    if (*count > 1)
        qsort(list, *count, sizeof *list, by_key);
    return list;
}

/* "params['w']", as the program calls an argument; else its name. */
static const char *path_of(struct xpd_dx *dx, uint32_t buffer)
{
    struct xpd_str path = xpd_dx_op_name(dx, dx->mem->buffer[buffer].instruction);
    const char *text = path.size > 0 ? xpd_arena_strndup(dx->arena, path.data, path.size) : NULL;
    return text ? text : xpd_dx_name(dx, buffer);
}

void xpd_rule_missed_donation(struct xpd_dx *dx)
{
    uint32_t n_in, n_out, at = 0;
    struct xpd_dx_set in, out;
    struct end *argument = list_ends(dx, false, &n_in);
    struct end *output = list_ends(dx, true, &n_out);
    if (!argument || !output || !xpd_dx_set_init(dx, &in) || !xpd_dx_set_init(dx, &out))
        return;
    for (uint32_t i = 0; i < n_out; i++) { /* both are sorted alike: a merge */
        while (at < n_in &&
               by_key(&argument[at], &(struct end){0, output[i].key, output[i].bytes}) < 0)
            at++;
        if (at == n_in || argument[at].key != output[i].key ||
            argument[at].bytes != output[i].bytes)
            continue;
        xpd_dx_set_add(dx, &in, argument[at++].row);
        xpd_dx_set_add(dx, &out, output[i].row);
    }
    if (!xpd_dx_worth(dx, &out, dx->t->donation_share))
        return;
    struct xpd_finding *f = xpd_dx_find(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_LIKELY, out.bytes);
    xpd_dx_rows(dx, f, &in); /* the place is that of the largest argument */
    f->listed = f->buffer;
    f->listed_count = f->buffer_count;
    uint32_t where = f->instruction;
    struct xpd_str place = f->place;
    xpd_dx_rows(dx, f, &out);
    struct xpd_source_info info; /* arguments rarely have a line; what computes the new value has */
    if (where != XPD_NO_INDEX && (xpd_source_of(dx->hlo, where, &info), info.file.size > 0))
        f->instruction = where;
    f->place = place;
    xpd_dx_save(dx, f, XPD_ACTION_DONATE, 0);
    xpd_dx_claim(dx, f,
                 "%" PRIu32 " argument%s (%s) ha%s the type and shape of an output and %s not "
                 "donated: the old and the new copy are both held. The largest is %s %s.",
                 in.count, in.count == 1 ? "" : "s", xpd_dx_bytes(dx, in.bytes),
                 in.count == 1 ? "s" : "ve", in.count == 1 ? "is" : "are",
                 path_of(dx, dx->held.at[in.row[0]].buffer),
                 xpd_dx_shape(dx, dx->held.at[in.row[0]].buffer, false));
    xpd_dx_number(f, "arguments", in.count, "count");
    xpd_dx_number(f, "output_bytes", out.bytes, "bytes");
}

/* The row of an argument by number and index. */
static uint32_t argument_row(const struct xpd_dx *dx, int64_t number, const int64_t *index,
                             uint32_t count)
{
    for (uint32_t i = 0; i < dx->held.resident_count; i++) {
        const struct xpd_hlo_allocation *a = &dx->hlo->allocation[dx->held.at[i].allocation];
        if ((a->flags & XPD_ALLOC_PARAMETER) && a->parameter_number == number &&
            a->parameter_index_count == count &&
            (count == 0 || memcmp(a->parameter_index, index, count * sizeof *index) == 0))
            return i;
    }
    return XPD_NO_INDEX;
}

void xpd_rule_unused_donation(struct xpd_dx *dx)
{
    struct xpd_dx_set set;
    bool *seen = XPD_NEW_ARRAY(dx->arena, bool, dx->held.count);
    if (!seen || !xpd_dx_set_init(dx, &set))
        return;
    for (uint32_t i = 0; i < dx->hlo->donor_count + dx->hlo->alias_count; i++) {
        bool donor = i < dx->hlo->donor_count;
        const struct xpd_hlo_alias *alias =
            donor ? NULL : &dx->hlo->alias[i - dx->hlo->donor_count];
        const struct xpd_hlo_donor *d = donor ? &dx->hlo->donor[i] : NULL;
        uint32_t row = donor ? argument_row(dx, d->parameter_number, d->parameter_index,
                                            d->parameter_index_count)
                             : argument_row(dx, alias->parameter_number, alias->parameter_index,
                                            alias->parameter_index_count);
        if (row == XPD_NO_INDEX || seen[row])
            continue;
        const struct xpd_hlo_allocation *a = &dx->hlo->allocation[dx->held.at[row].allocation];
        bool used = donor
                        ? is_aliased(dx->hlo, a)
                        : alias->kind != 1 ||
                              (a->flags & (XPD_ALLOC_LIVE_OUT | XPD_ALLOC_PARAMETER_ALIASED)) != 0;
        if (used)
            continue;
        seen[row] = true;
        xpd_dx_set_add(dx, &set, row);
    }
    if (set.count == 0 || set.bytes < xpd_dx_share(dx, dx->t->donation_share))
        return;
    struct xpd_finding *f = xpd_dx_find(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_FACT, set.bytes);
    xpd_dx_rows(dx, f, &set);
    uint32_t largest = f->buffer_count ? f->buffer[0] : XPD_NO_INDEX;
    xpd_dx_claim(dx, f,
                 "%" PRIu32 " argument%s (%s) %s donated, but no output took %s: none has the type "
                 "and shape of %s %s.",
                 set.count, set.count == 1 ? "" : "s", xpd_dx_bytes(dx, set.bytes),
                 set.count == 1 ? "was" : "were", set.count == 1 ? "it" : "them",
                 xpd_dx_name(dx, largest), xpd_dx_shape(dx, largest, false));
    xpd_dx_number(f, "arguments", set.count, "count");
}

void xpd_rule_early_inputs(struct xpd_dx *dx)
{
    struct xpd_dx_set set;
    uint32_t unused = 0, early = xpd_dx_steps(dx, dx->t->early_share);
    if (dx->space->step_count == 0 || !xpd_dx_set_init(dx, &set))
        return;
    for (uint32_t i = 0; i < dx->held.resident_count; i++) {
        const struct xpd_held *row = &dx->held.at[i];
        const struct xpd_hlo_allocation *a = &dx->hlo->allocation[row->allocation];
        struct xpd_use_span span;
        if (row->buffer == XPD_NO_INDEX || !(a->flags & XPD_ALLOC_PARAMETER) ||
            is_aliased(dx->hlo, a) || !xpd_dx_big(dx, row->size_bytes))
            continue;
        xpd_uses_of(dx->mem, dx->space, row->buffer, &span);
        if (span.use_count > 0 && (span.last_step == XPD_NO_STEP || span.last_step >= early))
            continue;
        unused += span.use_count == 0;
        xpd_dx_set_add(dx, &set, i);
    }
    if (set.count == 0)
        return;
    struct xpd_finding *f =
        xpd_dx_find_set(dx, XPD_DOCTOR_INFO, XPD_DOCTOR_FACT, &set, XPD_ACTION_DROP);
    xpd_dx_claim(dx, f,
                 "%s of arguments (%" PRIu32 ") %s but stay until the end because they are not "
                 "donated. The largest is %s %s.",
                 xpd_dx_bytes(dx, set.bytes), set.count,
                 unused == set.count ? "are never read" : "are read only at the start",
                 xpd_dx_name(dx, f->buffer[0]), xpd_dx_shape(dx, f->buffer[0], false));
    xpd_dx_number(f, "never_read", unused, "count");
    xpd_dx_number(f, "arguments", set.count, "count");
}
