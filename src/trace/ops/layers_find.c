/* What repeats in a program. In: its operations, with times. Out: ways to see it as layers, the
 * best first. */
#include "layers_parts.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

struct finding {
    const struct xpd_ran_ops *in;
    struct xpd_arena *arena;
    const uint32_t *op_of; /* by instruction */
    XPD_VEC(struct xpd_layers_repeat) repeat;
    bool failed;
};

static const struct xpd_op *op_at(const struct finding *f, uint32_t op)
{
    return &f->in->runs->times->op[f->in->program->first_op + op];
}

static void push(struct finding *f, struct xpd_layers_repeat repeat)
{
    if (repeat.count >= 2)
        XPD_PUSH(&f->repeat, repeat);
}

/* ---- scopes that differ only by a number ---- */

struct scopes {
    struct xpd_intern keys, members;
    XPD_VEC(struct xpd_layers_repeat) of; /* by key */
    struct xpd_strbuf text, key, member;
};

static void meet_scope(struct scopes *scopes, int64_t self_ps)
{
    uint32_t before = scopes->keys.count, members = scopes->members.count;
    xpd_name_id id = xpd_intern_put(&scopes->keys, scopes->key.data, scopes->key.size);
    if (scopes->keys.count > before)
        XPD_PUSH(&scopes->of,
                 ((struct xpd_layers_repeat){.name = xpd_intern_get(&scopes->keys, id)}));
    xpd_intern_put(&scopes->members, scopes->member.data, scopes->member.size);
    if (scopes->of.failed || id == 0)
        return;
    struct xpd_layers_repeat *repeat = &scopes->of.at[id - 1];
    repeat->count += scopes->members.count > members; /* a member's text says its key */
    xpd_grow_i64(&repeat->self_ps, self_ps);
}

static void find_scopes(struct finding *f)
{
    struct scopes scopes = {0};
    struct xpd_layers_path path;
    xpd_intern_init(&scopes.keys, f->arena);
    xpd_intern_init(&scopes.members, f->arena);
    for (uint32_t o = 0; o < f->in->program->op_count; o++) {
        if (f->in->instruction[o] == XPD_NO_INDEX)
            continue;
        xpd_layers_path_of(&path, &scopes.text, f->in->hlo, f->in->instruction[o]);
        for (uint32_t k = 0; k < path.count; k++) {
            xpd_strbuf_clear(&scopes.key);
            if (!xpd_scope_fold(&scopes.key, path.part[k]))
                continue;
            xpd_strbuf_clear(&scopes.key);
            xpd_strbuf_clear(&scopes.member);
            xpd_layers_put_path(&scopes.key, &path, k + 1, true);
            xpd_layers_put_path(&scopes.member, &path, k + 1, false);
            meet_scope(&scopes, op_at(f, o)->sums.self_ps);
        }
    }
    for (size_t i = 0; i < scopes.of.count; i++)
        push(f, scopes.of.at[i]);
    f->failed |= scopes.keys.failed || scopes.members.failed || scopes.of.failed ||
                 scopes.text.failed || scopes.key.failed || scopes.member.failed;
    xpd_intern_fini(&scopes.keys);
    xpd_intern_fini(&scopes.members);
    XPD_VEC_FINI(&scopes.of);
    xpd_strbuf_fini(&scopes.text);
    xpd_strbuf_fini(&scopes.key);
    xpd_strbuf_fini(&scopes.member);
}

/* ---- turns of loops ---- */

/* The operation that begins a turn: the first of the body that ran. One that is several events
 * (kernels) is as many times what the one with the fewest is once. */
static bool find_turn(struct finding *f, struct xpd_layers_repeat *repeat)
{
    const struct xpd_hlo *hlo = f->in->hlo;
    uint32_t body = xpd_layers_body_of(hlo, repeat->loop);
    if (body == XPD_NO_INDEX)
        return false;
    uint32_t *order = XPD_NEW_ARRAY(f->arena, uint32_t, hlo->computations.instruction_count[body]);
    f->failed |= !order;
    uint32_t n = order ? xpd_layers_order(order, hlo, body, f->op_of) : 0;
    uint64_t least = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t count = op_at(f, order[i])->sums.count;
        least = least == 0 || count < least ? count : least;
    }
    if (n == 0)
        return false;
    repeat->turn_op = order[0];
    repeat->turn_each = (uint32_t)((op_at(f, order[0])->sums.count + least / 2) / least);
    return true;
}

static int64_t body_self_ps(struct finding *f, uint32_t loop)
{
    const struct xpd_hlo *hlo = f->in->hlo;
    bool *inside = calloc((size_t)hlo->computations.count + 1, sizeof *inside);
    int64_t sum_ps = 0;
    f->failed |= !inside || !xpd_layers_loop_body(inside, hlo, loop);
    for (uint32_t o = 0; inside && o < f->in->program->op_count; o++) {
        uint32_t i = f->in->instruction[o];
        if (i != XPD_NO_INDEX && inside[hlo->instructions.computation[i]])
            xpd_grow_i64(&sum_ps, op_at(f, o)->sums.self_ps);
    }
    free(inside);
    return sum_ps;
}

struct turns {                                /* of all loops, in one pass */
    uint32_t *loop_begun_by, *loop_turned_by; /* by op: in `repeat`, XPD_NO_INDEX */
    uint32_t *seen;                           /* by loop: since it began */
    uint32_t loops;
};

static void count_turns(struct finding *f, struct xpd_layers_repeat *repeat, struct turns *turns)
{
    const struct xpd_ran_ops *in = f->in;
    for (uint32_t d = 0; d < in->runs->device_count; d++)
        for (uint32_t s = in->spans->first[d]; s < in->spans->first[d + 1]; s++) {
            const struct xpd_op_device_runs *device = &in->runs->device[d];
            uint32_t i, end;
            memset(turns->seen, 0, turns->loops * sizeof *turns->seen);
            xpd_op_runs_range(device, in->spans->span[s].from_ps, in->spans->span[s].to_ps, &i,
                              &end);
            for (; i < end; i++) {
                uint32_t o = xpd_op_run_op(device, i) - in->program->first_op;
                if (o >= in->program->op_count)
                    continue;
                uint32_t begun = turns->loop_begun_by[o], turned = turns->loop_turned_by[o];
                if (begun != XPD_NO_INDEX)
                    turns->seen[begun] = 0;
                if (turned == XPD_NO_INDEX)
                    continue;
                uint32_t turn = turns->seen[turned]++ / repeat[turned].turn_each + 1;
                repeat[turned].count = turn > repeat[turned].count ? turn : repeat[turned].count;
            }
        }
}

static void find_loops(struct finding *f)
{
    const struct xpd_ran_ops *in = f->in;
    const struct xpd_hlo *hlo = in->hlo;
    XPD_VEC(struct xpd_layers_repeat) loop = {0};
    uint32_t ops = in->program->op_count;
    for (uint32_t i = 0; i < hlo->instructions.count; i++) {
        struct xpd_layers_repeat one = {.kind = XPD_LAYERS_LOOP, .loop = i};
        if (!xpd_layers_is(hlo, i, "while") || !find_turn(f, &one))
            continue;
        one.name = xpd_hlo_text(hlo, hlo->instructions.name[i]);
        one.self_ps = body_self_ps(f, i);
        XPD_PUSH(&loop, one);
    }
    struct turns turns = {XPD_NEW_ARRAY(f->arena, uint32_t, ops),
                          XPD_NEW_ARRAY(f->arena, uint32_t, ops),
                          XPD_NEW_ARRAY(f->arena, uint32_t, loop.count), (uint32_t)loop.count};
    f->failed |= loop.failed || !turns.loop_begun_by || !turns.loop_turned_by || !turns.seen;
    for (uint32_t o = 0; !f->failed && o < ops; o++)
        turns.loop_begun_by[o] = turns.loop_turned_by[o] = XPD_NO_INDEX;
    for (uint32_t l = 0; !f->failed && l < loop.count; l++) {
        uint32_t begins = f->op_of[loop.at[l].loop];
        if (begins != XPD_NO_INDEX)
            turns.loop_begun_by[begins] = l;
        turns.loop_turned_by[loop.at[l].turn_op] = l;
    }
    if (!f->failed && loop.count > 0)
        count_turns(f, loop.at, &turns);
    for (uint32_t l = 0; l < loop.count; l++)
        push(f, loop.at[l]);
    XPD_VEC_FINI(&loop);
}

/* ---- runs of operations that repeat back to back ---- */

static uint32_t busiest_computation(const struct finding *f)
{
    const struct xpd_hlo *hlo = f->in->hlo;
    int64_t *sum_ps = XPD_NEW_ARRAY(f->arena, int64_t, hlo->computations.count);
    uint32_t most = 0;
    for (uint32_t o = 0; sum_ps && o < f->in->program->op_count; o++)
        if (f->in->instruction[o] != XPD_NO_INDEX)
            xpd_grow_i64(&sum_ps[hlo->instructions.computation[f->in->instruction[o]]],
                         op_at(f, o)->sums.self_ps);
    for (uint32_t c = 0; sum_ps && c < hlo->computations.count; c++)
        most = sum_ps[c] > sum_ps[most] ? c : most;
    return sum_ps && hlo->computations.count > 0 ? most : XPD_NO_INDEX;
}

/* Equal for operations of one opcode and shape. */
static uint32_t kind_of(struct xpd_intern *kinds, struct xpd_strbuf *text,
                        const struct xpd_hlo *hlo, uint32_t instruction)
{
    struct xpd_str opcode = xpd_hlo_text(hlo, hlo->instructions.opcode[instruction]);
    xpd_strbuf_clear(text);
    xpd_strbuf_add(text, opcode.data, opcode.size);
    xpd_strbuf_putc(text, ' ');
    xpd_shape_text(text, hlo->instructions.shape[instruction], false);
    return xpd_intern_put(kinds, text->data, text->size);
}

/* The stretches in which kinds are equal to those `period` later; the one with most time. */
static void try_period(struct xpd_layers_repeat *best, const uint32_t *kind,
                       const int64_t *before_ps, uint32_t count, uint32_t period)
{
    for (uint32_t i = 0, start; i + period < count; i++) {
        for (start = i; i + period < count && kind[i] == kind[i + period]; i++)
            ;
        uint32_t turns = (i - start) / period + 1;
        int64_t self_ps = before_ps[start + turns * period] - before_ps[start];
        if (turns < 2 || self_ps / 10 * 9 <= best->self_ps) /* many turns before few longer ones */
            continue;
        best->self_ps = self_ps;
        best->first = start;
        best->period = period;
        best->count = turns;
    }
}

static const char *find_sequence(struct finding *f)
{
    const struct xpd_hlo *hlo = f->in->hlo;
    struct xpd_layers_repeat best = {.kind = XPD_LAYERS_SEQUENCE,
                                     .computation = busiest_computation(f)};
    struct xpd_intern kinds;
    struct xpd_strbuf text = {0};
    if (best.computation == XPD_NO_INDEX)
        return "the program has no operations";
    uint32_t room = hlo->computations.instruction_count[best.computation];
    uint32_t *op = XPD_NEW_ARRAY(f->arena, uint32_t, room);
    uint32_t *kind = XPD_NEW_ARRAY(f->arena, uint32_t, room);
    int64_t *before_ps = XPD_NEW_ARRAY(f->arena, int64_t, (size_t)room + 1);
    f->failed |= !op || !kind || !before_ps;
    if (f->failed)
        return NULL;
    uint32_t n = xpd_layers_order(op, hlo, best.computation, f->op_of);
    if (n > XPD_LAYERS_OPS_MAX)
        return "no scope repeats with another number and no loop turns twice; more than 20,000 "
               "operations run one after another, too many to search for repeats";
    xpd_intern_init(&kinds, f->arena);
    for (uint32_t i = 0; i < n; i++) {
        kind[i] = kind_of(&kinds, &text, hlo, f->in->instruction[op[i]]);
        before_ps[i + 1] = before_ps[i];
        xpd_grow_i64(&before_ps[i + 1], op_at(f, op[i])->sums.self_ps);
    }
    for (uint32_t period = 2; period <= n / 2; period++)
        try_period(&best, kind, before_ps, n, period);
    f->failed |= kinds.failed || text.failed;
    xpd_intern_fini(&kinds);
    xpd_strbuf_fini(&text);
    if (best.count >= 2)
        best.name = xpd_hlo_text(hlo, hlo->instructions.name[f->in->instruction[op[best.first]]]);
    push(f, best);
    return "no scope repeats with another number, no loop turns twice, and no run of operations "
           "repeats";
}

/* ---- the best first ---- */

static int by_worth(const void *a, const void *b, void *ctx)
{
    const struct xpd_layers_repeat *x = a, *y = b;
    int64_t most_ps = *(const int64_t *)ctx;
    bool x_near = x->self_ps >= most_ps / 10 * 9, y_near = y->self_ps >= most_ps / 10 * 9;
    if (x_near != y_near)
        return x_near ? -1 : 1;
    if (x_near && x->count != y->count)
        return x->count > y->count ? -1 : 1;
    if (x->self_ps != y->self_ps)
        return x->self_ps > y->self_ps ? -1 : 1;
    return xpd_str_order(x->name, y->name);
}

bool xpd_layers_find(struct xpd_layers_repeat **out, uint32_t *count, const char **why_none,
                     const struct xpd_ran_ops *in, struct xpd_arena *arena)
{
    struct finding f = {.in = in, .arena = arena, .op_of = xpd_layers_ops(in, arena)};
    int64_t most_ps = 0;
    *why_none = NULL;
    *count = 0;
    if (!f.op_of)
        return false;
    find_scopes(&f);
    find_loops(&f);
    if (f.repeat.count == 0)
        *why_none = find_sequence(&f);
    for (size_t i = 0; i < f.repeat.count; i++)
        most_ps = f.repeat.at[i].self_ps > most_ps ? f.repeat.at[i].self_ps : most_ps;
    if (f.repeat.count > 1)
        qsort_r(f.repeat.at, f.repeat.count, sizeof *f.repeat.at, by_worth, &most_ps);
    *out = XPD_COPY_VEC(arena, &f.repeat);
    *count = (uint32_t)f.repeat.count;
    bool fine = *out && !f.failed && !f.repeat.failed;
    XPD_VEC_FINI(&f.repeat);
    if (*count > 0)
        *why_none = NULL;
    return fine;
}
