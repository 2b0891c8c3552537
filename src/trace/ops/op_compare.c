/* Operations of two programs, paired. In: executions in some steps of each. Out: groups, pairs,
 * times of a mean step that add up. */
#include "xprofd/trace/op_compare.h"

#include "layers_parts.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/order.h"

#include <stdlib.h>

struct member {            /* an operation that ran */
    uint32_t group, exact; /* exact: equal for equal scopes with their numbers */
    uint32_t place, op;    /* place: in its program */
};
struct comparing {
    struct xpd_op_compare *out;
    struct xpd_arena *arena;
    struct xpd_intern keys, exact;
    XPD_VEC(struct xpd_op_kin) group;
    XPD_VEC(struct xpd_op_pair) pair;
    XPD_VEC(struct member) member[2];
    struct xpd_strbuf text, key, shape;
};

/* ---- times of a mean step ---- */

/* Each gets what its part of the running sum adds to the rounded one. */
static bool take_means(struct comparing *c, const struct xpd_ran_ops *in, int side)
{
    uint32_t ops = in->program->op_count;
    int64_t *self_ps = XPD_NEW_ARRAY(c->arena, int64_t, ops);
    int64_t *mean_ps = XPD_NEW_ARRAY(c->arena, int64_t, ops);
    uint64_t *count = XPD_NEW_ARRAY(c->arena, uint64_t, ops);
    int64_t sum_ps = 0, given_ps = 0;
    if (!self_ps || !mean_ps || !count)
        return false;
    xpd_ran_sums(in, count, self_ps);
    for (uint32_t o = 0; o < ops; o++) {
        xpd_grow_i64(&sum_ps, self_ps[o]);
        mean_ps[o] = sum_ps / in->spans->count - given_ps;
        given_ps += mean_ps[o];
        c->out->ops[side] += count[o] > 0;
    }
    c->out->mean_ps[side] = given_ps;
    c->out->op_mean_ps[side] = mean_ps;
    c->out->op_count[side] = count;
    return true;
}

/* ---- groups ---- */

static struct xpd_str kept(struct comparing *c, const struct xpd_strbuf *text)
{
    return xpd_arena_str(c->arena, (struct xpd_str){text->data ? text->data : "", text->size});
}

/* "fusion.12" without its number. */
static struct xpd_str bare_name(struct xpd_str name)
{
    size_t end = name.size;
    while (end > 0 && name.data[end - 1] >= '0' && name.data[end - 1] <= '9')
        end--;
    return end > 1 && end < name.size && name.data[end - 1] == '.'
               ? (struct xpd_str){name.data, end - 1}
               : name;
}

struct seen { /* an operation, as its group is known by */
    struct xpd_layers_path path;
    struct xpd_str opcode;
};

static void look(struct comparing *c, const struct xpd_ran_ops *in, uint32_t op, struct seen *seen)
{
    uint32_t i = in->instruction[op];
    const struct xpd_op_times *times = in->runs->times;
    seen->path.count = 0;
    seen->path.phase = XPD_PHASE_NONE;
    xpd_strbuf_clear(&c->shape);
    if (i == XPD_NO_INDEX) {
        seen->opcode =
            bare_name(xpd_intern_get(&times->names, times->op[in->program->first_op + op].name));
        return;
    }
    xpd_layers_path_of(&seen->path, &c->text, in->hlo, i);
    seen->opcode = xpd_hlo_text(in->hlo, in->hlo->instructions.opcode[i]);
    xpd_shape_text(&c->shape, in->hlo->instructions.shape[i], false);
}

/* A program that is not differentiated has no marks: what it does is another's forward pass. */
static int pass_of(const struct seen *seen)
{
    return seen->path.phase == XPD_PHASE_NONE ? XPD_PHASE_FORWARD : (int)seen->path.phase;
}

static uint32_t group_of(struct comparing *c, const struct seen *seen, bool hlo)
{
    xpd_strbuf_clear(&c->key);
    xpd_layers_put_path(&c->key, &seen->path, seen->path.count, true);
    size_t scope = c->key.size;
    xpd_strbuf_printf(&c->key, "|%d%d|", pass_of(seen), hlo);
    xpd_strbuf_add(&c->key, seen->opcode.data, seen->opcode.size);
    xpd_strbuf_putc(&c->key, '|');
    xpd_strbuf_add(&c->key, c->shape.data, c->shape.size);
    uint32_t before = c->keys.count;
    xpd_name_id id = xpd_intern_put(&c->keys, c->key.data ? c->key.data : "", c->key.size);
    if (c->keys.count > before) {
        c->key.size = scope;
        struct xpd_op_kin group = {.scope = kept(c, &c->key),
                                   .phase = seen->path.phase,
                                   .opcode = xpd_arena_str(c->arena, seen->opcode),
                                   .shape = kept(c, &c->shape)};
        XPD_PUSH(&c->group, group);
    }
    return id > 0 ? id - 1 : 0;
}

static void add_side(struct comparing *c, const struct xpd_ran_ops *in, int side)
{
    struct seen seen;
    for (uint32_t o = 0; o < in->program->op_count; o++) {
        if (c->out->op_count[side][o] == 0)
            continue;
        look(c, in, o, &seen);
        struct member member = {.op = o, .place = in->instruction[o]};
        member.group = group_of(c, &seen, member.place != XPD_NO_INDEX);
        xpd_strbuf_clear(&c->key);
        xpd_strbuf_printf(&c->key, "%u|", member.group);
        xpd_layers_put_path(&c->key, &seen.path, seen.path.count, false);
        member.exact = xpd_intern_put(&c->exact, c->key.data ? c->key.data : "", c->key.size);
        XPD_PUSH(&c->member[side], member);
        if (c->group.failed || c->keys.failed)
            return;
        c->group.at[member.group].ops[side]++;
        c->group.at[member.group].mean_ps[side] += c->out->op_mean_ps[side][o];
    }
}

/* ---- pairs ---- */

static int by_exact(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->exact != y->exact)
        return XPD_ORDER(x->exact, y->exact);
    return x->place != y->place ? XPD_ORDER(x->place, y->place) : XPD_ORDER(x->op, y->op);
}

static int by_group(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->group != y->group)
        return XPD_ORDER(x->group, y->group);
    return x->place != y->place ? XPD_ORDER(x->place, y->place) : XPD_ORDER(x->op, y->op);
}

static uint32_t key_of(const struct member *member, bool exact)
{
    return exact ? member->exact : member->group;
}

/* Pairs members of one key in their order. `alone`: what has none becomes a pair without a
 * partner; else it stays in `member`. */
static void pair_up(struct comparing *c, bool exact, bool alone)
{
    size_t at[2] = {0, 0}, left[2] = {0, 0};
    for (int s = 0; s < 2; s++)
        if (c->member[s].count > 1)
            qsort(c->member[s].at, c->member[s].count, sizeof *c->member[s].at,
                  exact ? by_exact : by_group);
    while (at[0] < c->member[0].count || at[1] < c->member[1].count) {
        const struct member *x = at[0] < c->member[0].count ? &c->member[0].at[at[0]] : NULL;
        const struct member *y = at[1] < c->member[1].count ? &c->member[1].at[at[1]] : NULL;
        bool both = x && y && key_of(x, exact) == key_of(y, exact);
        int side = both ? 0 : !y || (x && key_of(x, exact) < key_of(y, exact)) ? 0 : 1;
        const struct member *one = side == 0 ? x : y;
        struct xpd_op_pair pair = {{XPD_NO_INDEX, XPD_NO_INDEX}, one->group};
        if (both || side == 0)
            pair.op[0] = x->op;
        if (both || side == 1)
            pair.op[1] = y->op;
        if (both || alone)
            XPD_PUSH(&c->pair, pair);
        else
            c->member[side].at[left[side]++] = *one;
        if (!both && alone)
            c->out->unpaired[side]++;
        at[0] += both || side == 0;
        at[1] += both || side == 1;
    }
    c->member[0].count = left[0];
    c->member[1].count = left[1];
}

static int by_pair(const void *a, const void *b)
{
    const struct xpd_op_pair *x = a, *y = b;
    if (x->group != y->group)
        return XPD_ORDER(x->group, y->group);
    return x->op[0] != y->op[0] ? XPD_ORDER(x->op[0], y->op[0]) : XPD_ORDER(x->op[1], y->op[1]);
}

static bool keep(struct comparing *c)
{
    struct xpd_op_compare *out = c->out;
    if (c->pair.count > 1)
        qsort(c->pair.at, c->pair.count, sizeof *c->pair.at, by_pair);
    out->group = XPD_COPY_VEC(c->arena, &c->group);
    out->group_count = (uint32_t)c->group.count;
    out->pair = XPD_COPY_VEC(c->arena, &c->pair);
    out->pair_count = (uint32_t)c->pair.count;
    return out->group && out->pair && !c->group.failed && !c->pair.failed && !c->member[0].failed &&
           !c->member[1].failed && !c->keys.failed && !c->exact.failed && !c->text.failed &&
           !c->key.failed && !c->shape.failed;
}

bool xpd_op_compare_make(struct xpd_op_compare *out, const struct xpd_ran_ops side[2],
                         struct xpd_arena *arena)
{
    struct comparing c = {.out = out, .arena = arena};
    *out = (struct xpd_op_compare){0};
    xpd_intern_init(&c.keys, arena);
    xpd_intern_init(&c.exact, arena);
    bool fine = true;
    for (int s = 0; fine && s < 2; s++) {
        fine = take_means(&c, &side[s], s);
        if (fine)
            add_side(&c, &side[s], s);
    }
    if (fine) {
        pair_up(&c, true, false);
        pair_up(&c, false, true);
        fine = keep(&c);
    }
    xpd_intern_fini(&c.keys);
    xpd_intern_fini(&c.exact);
    XPD_VEC_FINI(&c.group);
    XPD_VEC_FINI(&c.pair);
    XPD_VEC_FINI(&c.member[0]);
    XPD_VEC_FINI(&c.member[1]);
    xpd_strbuf_fini(&c.text);
    xpd_strbuf_fini(&c.key);
    xpd_strbuf_fini(&c.shape);
    return fine;
}
