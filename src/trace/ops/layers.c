/* Comparison of layers. In: a program's executions in some steps, and a way to divide it into
 * layers. Out: time by part and layer; time outside of layers; sums that close. */
#include "layers_parts.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

#define BY_TURN (XPD_NO_INDEX - 1) /* its layer is told by turns of the loop */

struct making {
    struct xpd_layers *out;
    const struct xpd_ran_ops *in;
    const struct xpd_layers_repeat *repeat;
    struct xpd_arena *arena;
    bool together; /* passes are not parts */
    uint32_t *layer_of_op;
    uint32_t *inside_from; /* by op: parts of its scope that lead to its layer */
    uint32_t turns;        /* of a loop; else 1 */
    int64_t *self_ps;      /* by op and turn */
    uint32_t *ran;         /* likewise: executions, stays at the largest number */
    struct xpd_layers_tree tree;
    struct xpd_strbuf text;
    bool failed;
};

static uint32_t ops_of(const struct making *m)
{
    return m->in->program->op_count;
}

/* ---- which operation is in which layer ---- */

/* Numbers within names count as numbers: block_2 comes before block_10. */
static int natural(struct xpd_str a, struct xpd_str b)
{
    size_t i = 0, k = 0;
    while (i < a.size && k < b.size) {
        uint64_t x = 0, y = 0;
        size_t i_end = i, k_end = k;
        for (; i_end < a.size && a.data[i_end] >= '0' && a.data[i_end] <= '9'; i_end++)
            x = x * 10 + (uint64_t)(a.data[i_end] - '0');
        for (; k_end < b.size && b.data[k_end] >= '0' && b.data[k_end] <= '9'; k_end++)
            y = y * 10 + (uint64_t)(b.data[k_end] - '0');
        if (i_end > i && k_end > k && x != y)
            return x < y ? -1 : 1;
        if (i_end == i || k_end == k) {
            if (a.data[i] != b.data[k])
                return (unsigned char)a.data[i] < (unsigned char)b.data[k] ? -1 : 1;
            i_end = i + 1;
            k_end = k + 1;
        }
        i = i_end;
        k = k_end;
    }
    return (a.size - i > b.size - k) - (a.size - i < b.size - k);
}

static int by_nature(const void *a, const void *b, void *ctx)
{
    const struct xpd_str *name = ctx;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    int order = natural(name[i], name[k]);
    return order != 0 ? order : xpd_str_order(name[i], name[k]);
}

/* What all members begin with: the scopes around those that are numbered. */
static size_t shared_bytes(struct xpd_str name)
{
    size_t at = 0, slash = 0;
    for (; at < name.size && name.data[at] != '*'; at++)
        slash = name.data[at] == '/' ? at + 1 : slash;
    return slash;
}

static bool sort_layers(struct making *m, const struct xpd_intern *members)
{
    uint32_t count = members->count - 1; /* 0 is "" */
    size_t shared = shared_bytes(m->repeat->name);
    uint32_t *order = XPD_NEW_ARRAY(m->arena, uint32_t, count);
    uint32_t *place = XPD_NEW_ARRAY(m->arena, uint32_t, (size_t)count + 1);
    m->out->layer = XPD_NEW_ARRAY(m->arena, struct xpd_str, count);
    if (!order || !place || !m->out->layer)
        return false;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i + 1;
    if (count > 1)
        qsort_r(order, count, sizeof *order, by_nature, members->text);
    for (uint32_t i = 0; i < count; i++) {
        place[order[i]] = i;
        struct xpd_str name = xpd_intern_get(members, order[i]);
        m->out->layer[i] = (struct xpd_str){name.data + shared, name.size - shared};
    }
    for (uint32_t o = 0; o < ops_of(m); o++)
        if (m->layer_of_op[o] != XPD_NO_INDEX)
            m->layer_of_op[o] = place[m->layer_of_op[o]];
    m->out->layer_count = count;
    return true;
}

static bool place_scopes(struct making *m)
{
    struct xpd_intern members;
    struct xpd_strbuf key = {0};
    struct xpd_layers_path path;
    xpd_intern_init(&members, m->arena);
    for (uint32_t o = 0; o < ops_of(m); o++) {
        if (m->in->instruction[o] == XPD_NO_INDEX)
            continue;
        xpd_layers_path_of(&path, &m->text, m->in->hlo, m->in->instruction[o]);
        for (uint32_t k = 0; k < path.count; k++) {
            xpd_strbuf_clear(&key);
            xpd_layers_put_path(&key, &path, k + 1, true);
            if (!xpd_str_eq((struct xpd_str){key.data, key.size}, m->repeat->name) ||
                !xpd_scope_fold(&key, path.part[k]))
                continue;
            xpd_strbuf_clear(&key);
            xpd_layers_put_path(&key, &path, k + 1, false);
            m->layer_of_op[o] = xpd_intern_put(&members, key.data, key.size);
            m->inside_from[o] = k + 1;
            break;
        }
    }
    bool fine = !members.failed && !key.failed && sort_layers(m, &members);
    xpd_intern_fini(&members);
    xpd_strbuf_fini(&key);
    return fine;
}

/* "0", "1", ... */
static bool number_layers(struct making *m, uint32_t count)
{
    m->out->layer = XPD_NEW_ARRAY(m->arena, struct xpd_str, count);
    for (uint32_t i = 0; m->out->layer && i < count; i++) {
        const char *text = xpd_arena_printf(m->arena, "%u", i);
        m->out->layer[i] = xpd_str_of(text ? text : "");
    }
    m->out->layer_count = count;
    return m->out->layer && !m->arena->failed;
}

/* How many parts the scopes of all operations in layers begin with alike. */
static uint32_t common_parts(struct making *m)
{
    struct xpd_layers_path first = {0}, path;
    struct xpd_strbuf kept = {0};
    uint32_t common = XPD_NO_INDEX;
    for (uint32_t o = 0; o < ops_of(m); o++) {
        if (m->layer_of_op[o] == XPD_NO_INDEX)
            continue;
        xpd_layers_path_of(&path, common == XPD_NO_INDEX ? &kept : &m->text, m->in->hlo,
                           m->in->instruction[o]);
        if (path.count == 0)
            continue;
        if (common == XPD_NO_INDEX) {
            first = path;
            common = path.count;
        }
        uint32_t same = 0;
        while (same < common && same < path.count && xpd_str_eq(first.part[same], path.part[same]))
            same++;
        common = same;
    }
    m->failed |= kept.failed;
    xpd_strbuf_fini(&kept);
    return common == XPD_NO_INDEX ? 0 : common;
}

static bool place_turns(struct making *m)
{
    const struct xpd_hlo *hlo = m->in->hlo;
    bool *inside = XPD_NEW_ARRAY(m->arena, bool, hlo->computations.count);
    if (!inside || !xpd_layers_loop_body(inside, hlo, m->repeat->loop))
        return false;
    for (uint32_t o = 0; o < ops_of(m); o++) {
        uint32_t i = m->in->instruction[o];
        if (i != XPD_NO_INDEX && inside[hlo->instructions.computation[i]])
            m->layer_of_op[o] = BY_TURN;
    }
    uint32_t common = common_parts(m);
    for (uint32_t o = 0; o < ops_of(m); o++)
        m->inside_from[o] = common;
    m->turns = m->repeat->count;
    return number_layers(m, m->repeat->count);
}

static bool place_sequence(struct making *m)
{
    const struct xpd_hlo *hlo = m->in->hlo;
    const struct xpd_layers_repeat *repeat = m->repeat;
    uint32_t *op_of = xpd_layers_ops(m->in, m->arena);
    uint32_t *order =
        XPD_NEW_ARRAY(m->arena, uint32_t, hlo->computations.instruction_count[repeat->computation]);
    if (!op_of || !order)
        return false;
    xpd_layers_order(order, hlo, repeat->computation, op_of);
    for (uint32_t i = 0; i < repeat->count * repeat->period; i++) {
        uint32_t o = order[repeat->first + i];
        m->layer_of_op[o] = i / repeat->period;
        m->inside_from[o] = i % repeat->period; /* its place: names differ from turn to turn */
    }
    return number_layers(m, repeat->count);
}

/* ---- going through the executions ---- */

typedef void each_run(void *user, uint32_t op, uint32_t layer, uint32_t step, int64_t self_ps);

/* Calls `each` for the program's executions in the spans; layer XPD_NO_INDEX: outside. */
static void go_through(const struct xpd_ran_ops *in, const struct xpd_layers_repeat *repeat,
                       const uint32_t *layer_of_op, each_run *each, void *user)
{
    const struct xpd_op_program *program = in->program;
    bool turns = repeat->kind == XPD_LAYERS_LOOP;
    for (uint32_t d = 0; d < in->runs->device_count; d++)
        for (uint32_t s = in->spans->first[d]; s < in->spans->first[d + 1]; s++) {
            const struct xpd_op_device_runs *device = &in->runs->device[d];
            const struct xpd_step_span *span = &in->spans->span[s];
            uint32_t i, end, hint = 0, seen = 0, turn = 0;
            xpd_op_runs_range(device, span->from_ps, span->to_ps, &i, &end);
            for (; i < end; i++) {
                uint32_t o = xpd_op_run_op(device, i) - program->first_op;
                if (o >= program->op_count)
                    continue;
                if (turns && in->instruction[o] == repeat->loop)
                    seen = turn = 0;
                if (turns && o == repeat->turn_op)
                    turn = seen++ / repeat->turn_each;
                uint32_t layer = layer_of_op[o] == BY_TURN ? turn : layer_of_op[o];
                each(user, o, layer, span->step, xpd_op_run_self_ps(device, i, &hint));
            }
        }
}

static void add_run(void *user, uint32_t op, uint32_t layer, uint32_t step, int64_t self_ps)
{
    struct making *m = user;
    struct xpd_layers *out = m->out;
    size_t at = (size_t)op * m->turns;
    if (m->layer_of_op[op] == BY_TURN)
        at += layer;
    xpd_grow_i64(&m->self_ps[at], self_ps);
    m->ran[at] += m->ran[at] < UINT32_MAX;
    xpd_grow_i64(&out->all.self_ps, self_ps);
    xpd_grow_i64(&out->all.step_ps[step], self_ps);
    if (layer != XPD_NO_INDEX) {
        xpd_grow_i64(&out->layer_step_ps[(size_t)layer * out->steps + step], self_ps);
        return;
    }
    xpd_grow_i64(&out->outside.self_ps, self_ps);
    xpd_grow_i64(&out->outside.step_ps[step], self_ps);
}

/* ---- parts ---- */

/* An operation of a sequence is known by its place: names differ from layer to layer. */
static uint32_t node_in_sequence(struct making *m, uint32_t op)
{
    const struct xpd_hlo *hlo = m->in->hlo;
    uint32_t i = m->in->instruction[op];
    struct xpd_str opcode = xpd_hlo_text(hlo, hlo->instructions.opcode[i]);
    xpd_strbuf_clear(&m->text);
    xpd_strbuf_add(&m->text, opcode.data, opcode.size);
    xpd_strbuf_putc(&m->text, ' ');
    xpd_shape_text(&m->text, hlo->instructions.shape[i], false);
    return xpd_layers_node_put(&m->tree, 0, XPD_LAYERS_OP,
                               (struct xpd_str){m->text.data, m->text.size}, XPD_PHASE_NONE,
                               m->inside_from[op]);
}

/* `marked`: passes are told; *phase is the operation's own. */
static uint32_t node_of(struct making *m, uint32_t op, bool marked, enum xpd_phase *phase)
{
    struct xpd_layers_path path;
    uint32_t node = 0, first = m->inside_from[op];
    *phase = XPD_PHASE_NONE;
    if (m->repeat->kind == XPD_LAYERS_SEQUENCE)
        return node_in_sequence(m, op);
    xpd_layers_path_of(&path, &m->text, m->in->hlo, m->in->instruction[op]);
    *phase = marked ? path.phase : XPD_PHASE_NONE;
    if (marked && !m->together) {
        const char *word = xpd_phase_word(path.phase);
        node = xpd_layers_node_put(&m->tree, node, XPD_LAYERS_PHASE,
                                   xpd_str_of(word ? word : "other"), path.phase, 0);
    } else {
        path.phase = XPD_PHASE_NONE;
    }
    uint32_t end =
        path.count > first + XPD_LAYERS_PATH_MAX ? first + XPD_LAYERS_PATH_MAX : path.count;
    for (uint32_t k = first; k < end; k++)
        node = xpd_layers_node_put(&m->tree, node, XPD_LAYERS_PART, path.part[k], path.phase, 0);
    return xpd_layers_node_put(&m->tree, node, XPD_LAYERS_OP, path.op, path.phase, 0);
}

static bool any_phase(struct making *m)
{
    struct xpd_layers_path path;
    for (uint32_t o = 0; o < ops_of(m); o++) {
        if (m->layer_of_op[o] == XPD_NO_INDEX)
            continue;
        xpd_layers_path_of(&path, &m->text, m->in->hlo, m->in->instruction[o]);
        if (path.phase != XPD_PHASE_NONE)
            return true;
    }
    return false;
}

struct bars {
    int64_t *ps; /* by layer, phase, group */
};

static int64_t *bar_at(const struct bars *bars, uint32_t layer, uint32_t phase, uint32_t group)
{
    return &bars->ps[((size_t)layer * XPD_PHASE_COUNT + phase) * XPD_OP_GROUP_COUNT + group];
}

static void add_parts(struct making *m, const struct bars *bars, uint32_t *part_of_op)
{
    bool marked = m->repeat->kind != XPD_LAYERS_SEQUENCE && any_phase(m);
    xpd_layers_node_put(&m->tree, XPD_NO_INDEX, XPD_LAYERS_ALL, XPD_STR(""), XPD_PHASE_NONE, 0);
    for (uint32_t o = 0; o < ops_of(m); o++) {
        bool by_turn = m->layer_of_op[o] == BY_TURN, met = false;
        enum xpd_phase phase = XPD_PHASE_NONE;
        part_of_op[o] = XPD_NO_INDEX;
        for (uint32_t t = 0; t < (by_turn ? m->turns : 1); t++) {
            size_t at = (size_t)o * m->turns + t;
            if (m->ran[at] == 0)
                continue;
            m->out->all.ops += !met;
            met = true;
            if (m->layer_of_op[o] == XPD_NO_INDEX) {
                m->out->outside.ops++;
                break;
            }
            uint32_t layer = by_turn ? t : m->layer_of_op[o];
            enum xpd_op_group group = xpd_op_group_of(m->in->hlo, m->in->instruction[o]);
            if (part_of_op[o] == XPD_NO_INDEX)
                part_of_op[o] = node_of(m, o, marked, &phase);
            xpd_layers_node_add(&m->tree, part_of_op[o], layer, group, m->self_ps[at]);
            if (xpd_layers_tree_failed(&m->tree))
                return;
            xpd_grow_i64(bar_at(bars, layer, phase, group), m->self_ps[at]);
        }
    }
}

static bool put_bars(struct making *m, const struct bars *bars)
{
    static const enum xpd_phase order[] = {XPD_PHASE_FORWARD, XPD_PHASE_RECOMPUTE,
                                           XPD_PHASE_BACKWARD, XPD_PHASE_NONE};
    XPD_VEC(struct xpd_layers_bar) bar = {0};
    for (uint32_t layer = 0; layer < m->out->layer_count; layer++)
        for (uint32_t p = 0; p < XPD_PHASE_COUNT; p++)
            for (uint32_t g = 0; g < XPD_OP_GROUP_COUNT; g++) {
                struct xpd_layers_bar one = {layer, order[p], (enum xpd_op_group)g,
                                             *bar_at(bars, layer, order[p], g)};
                if (one.self_ps > 0)
                    XPD_PUSH(&bar, one);
            }
    m->out->bar = XPD_COPY_VEC(m->arena, &bar);
    m->out->bar_count = (uint32_t)bar.count;
    bool fine = m->out->bar && !bar.failed;
    XPD_VEC_FINI(&bar);
    return fine;
}

/* ---- outside of layers ---- */

#define OUTSIDE_NAMES 3

static bool name_outside(struct making *m)
{
    struct xpd_intern names;
    struct xpd_layers_path path;
    struct xpd_strbuf text = {0};
    int64_t *self_ps = XPD_NEW_ARRAY(m->arena, int64_t, (size_t)ops_of(m) + 1);
    xpd_intern_init(&names, m->arena);
    for (uint32_t o = 0; self_ps && o < ops_of(m); o++) {
        uint32_t i = m->in->instruction[o];
        if (m->layer_of_op[o] != XPD_NO_INDEX || i == XPD_NO_INDEX)
            continue;
        xpd_layers_path_of(&path, &m->text, m->in->hlo, i);
        struct xpd_str name = path.count > 0 ? path.part[0] : path.op;
        xpd_grow_i64(&self_ps[xpd_intern_put(&names, name.data, name.size)],
                     m->self_ps[(size_t)o * m->turns]);
    }
    for (uint32_t k = 0; self_ps && k < OUTSIDE_NAMES; k++) {
        uint32_t most = 0;
        for (uint32_t n = 1; n < names.count; n++)
            most = self_ps[n] > self_ps[most] ? n : most;
        if (self_ps[most] == 0)
            break;
        self_ps[most] = 0;
        struct xpd_str name = xpd_intern_get(&names, most);
        xpd_strbuf_puts(&text, k > 0 ? ", " : "");
        xpd_strbuf_add(&text, name.data, name.size);
    }
    m->out->outside_names =
        xpd_arena_str(m->arena, (struct xpd_str){text.data ? text.data : "", text.size});
    bool fine = self_ps && !names.failed && !text.failed;
    xpd_intern_fini(&names);
    xpd_strbuf_fini(&text);
    return fine;
}

/* ---- all ---- */

static bool make_room(struct making *m)
{
    struct xpd_layers *out = m->out;
    size_t cells = (size_t)ops_of(m) * m->turns;
    out->steps = m->in->spans->step_count > 0 ? m->in->spans->step_count : 1;
    m->self_ps = XPD_NEW_ARRAY(m->arena, int64_t, cells);
    m->ran = XPD_NEW_ARRAY(m->arena, uint32_t, cells);
    out->layer_step_ps = XPD_NEW_ARRAY(m->arena, int64_t, (size_t)out->layer_count * out->steps);
    out->all.step_ps = XPD_NEW_ARRAY(m->arena, int64_t, out->steps);
    out->outside.step_ps = XPD_NEW_ARRAY(m->arena, int64_t, out->steps);
    return m->self_ps && m->ran && out->layer_step_ps && out->all.step_ps && out->outside.step_ps;
}

static bool place_ops(struct making *m)
{
    m->layer_of_op = XPD_NEW_ARRAY(m->arena, uint32_t, ops_of(m));
    m->inside_from = XPD_NEW_ARRAY(m->arena, uint32_t, ops_of(m));
    if (!m->layer_of_op || !m->inside_from)
        return false;
    for (uint32_t o = 0; o < ops_of(m); o++)
        m->layer_of_op[o] = XPD_NO_INDEX;
    m->out->layer_of_op = m->layer_of_op;
    if (m->repeat->kind == XPD_LAYERS_SCOPE)
        return place_scopes(m);
    return m->repeat->kind == XPD_LAYERS_LOOP ? place_turns(m) : place_sequence(m);
}

static bool add_up(struct making *m)
{
    struct bars bars = {XPD_NEW_ARRAY(
        m->arena, int64_t, (size_t)m->out->layer_count * XPD_PHASE_COUNT * XPD_OP_GROUP_COUNT)};
    uint32_t *part_of_op = XPD_NEW_ARRAY(m->arena, uint32_t, ops_of(m));
    if (!bars.ps || !part_of_op)
        return false;
    go_through(m->in, m->repeat, m->layer_of_op, add_run, m);
    add_parts(m, &bars, part_of_op);
    const uint32_t *place = xpd_layers_tree_freeze(&m->tree, m->out, m->arena);
    for (uint32_t o = 0; place && o < ops_of(m); o++)
        part_of_op[o] = part_of_op[o] == XPD_NO_INDEX ? XPD_NO_INDEX : place[part_of_op[o]];
    m->out->part_of_op = part_of_op;
    return place && put_bars(m, &bars) && name_outside(m);
}

int xpd_layers_make(struct xpd_layers *out, const struct xpd_ran_ops *in,
                    const struct xpd_layers_repeat *repeat, bool together, struct xpd_arena *arena,
                    struct xpd_err *err)
{
    struct making m = {
        .out = out, .in = in, .repeat = repeat, .arena = arena, .together = together, .turns = 1};
    *out = (struct xpd_layers){0};
    if (repeat->count > XPD_LAYERS_MAX)
        return xpd_fail(err, XPD_ELIMIT, "repeat", XPD_NO_OFFSET,
                        "%.*s has %u layers; at most %d are laid side by side",
                        (int)repeat->name.size, repeat->name.data, repeat->count, XPD_LAYERS_MAX);
    xpd_layers_tree_init(&m.tree, arena);
    bool fine = place_ops(&m) && make_room(&m) && add_up(&m) && !m.failed && !m.text.failed;
    xpd_layers_tree_fini(&m.tree);
    xpd_strbuf_fini(&m.text);
    return fine ? XPD_OK : xpd_no_memory(err, NULL, "to lay these layers side by side");
}

/* ---- one cell ---- */

struct cell {
    const struct xpd_layers *layers;
    uint32_t part, layer;
    int64_t *step_ps;
    struct xpd_layers_op *op; /* by op of the program */
};

static bool is_in(const struct xpd_layers *layers, uint32_t part, uint32_t around)
{
    while (part != XPD_NO_INDEX && part > around) /* a part stands behind those around it */
        part = layers->part[part].parent;
    return part == around;
}

static void add_to_cell(void *user, uint32_t op, uint32_t layer, uint32_t step, int64_t self_ps)
{
    struct cell *cell = user;
    if (layer != cell->layer || cell->layers->part_of_op[op] == XPD_NO_INDEX ||
        !is_in(cell->layers, cell->layers->part_of_op[op], cell->part))
        return;
    xpd_grow_i64(&cell->step_ps[step], self_ps);
    xpd_grow_i64(&cell->op[op].self_ps, self_ps);
    cell->op[op].count++;
}

static int by_time(const void *a, const void *b)
{
    const struct xpd_layers_op *x = a, *y = b;
    if (x->self_ps != y->self_ps)
        return x->self_ps > y->self_ps ? -1 : 1;
    return (x->op > y->op) - (x->op < y->op);
}

bool xpd_layers_cell_of(const struct xpd_layers *layers, const struct xpd_ran_ops *in,
                        const struct xpd_layers_repeat *repeat, uint32_t part, uint32_t layer,
                        int64_t *step_ps, struct xpd_layers_op **op, uint32_t *op_count,
                        struct xpd_arena *arena)
{
    uint32_t ops = in->program->op_count, n = 0;
    struct cell cell = {layers, part, layer, step_ps,
                        XPD_NEW_ARRAY(arena, struct xpd_layers_op, ops)};
    *op = cell.op;
    *op_count = 0;
    if (!cell.op)
        return false;
    go_through(in, repeat, layers->layer_of_op, add_to_cell, &cell);
    for (uint32_t o = 0; o < ops; o++)
        if (cell.op[o].count > 0)
            cell.op[n++] = (struct xpd_layers_op){o, cell.op[o].count, cell.op[o].self_ps};
    if (n > 1)
        qsort(cell.op, n, sizeof *cell.op, by_time);
    *op_count = n;
    return true;
}
