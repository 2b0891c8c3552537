/* Parts of layers as a tree. In: operations with their place and time. Out: parts in order, each
 * before those in it, with the time of each layer; a layer that lacks a part has no cell there. */
#include "layers_parts.h"
#include "xprofd/base/checked.h"
#include <stdlib.h>

/* Where an operation stands: in the model's code by its op name, in the program by its computation.
 * In: a program. Out: parts of scopes, orders, loops. */

bool xpd_layers_is(const struct xpd_hlo *hlo, uint32_t instruction, const char *opcode)
{
    return xpd_str_eq(xpd_hlo_text(hlo, hlo->instructions.opcode[instruction]), xpd_str_of(opcode));
}

/* ---- scopes ---- */

/* The last part of an op name is the operation. One without any, and what only passes on another's
 * value, is called by its opcode. */
static struct xpd_str operation(const struct xpd_hlo *hlo, uint32_t instruction,
                                struct xpd_str op_name)
{
    bool own = hlo->instructions.op_name[instruction] != 0;
    struct xpd_str rest = op_name, part, last = XPD_STR("");
    while ((own || xpd_layers_is(hlo, instruction, "fusion")) && xpd_scope_next_part(&rest, &part))
        last = part;
    return last.size > 0 ? last : xpd_hlo_text(hlo, hlo->instructions.opcode[instruction]);
}

void xpd_layers_path_of(struct xpd_layers_path *path, struct xpd_strbuf *text,
                        const struct xpd_hlo *hlo, uint32_t instruction)
{
    struct xpd_str op_name = xpd_hlo_text(hlo, xpd_scope_name_of(hlo, instruction));
    xpd_strbuf_clear(text);
    xpd_scope_plain(text, op_name);
    struct xpd_str rest = {text->data ? text->data : "", text->size};
    path->count = 0;
    path->op = operation(hlo, instruction, op_name);
    path->phase = xpd_scope_phase(op_name);
    while (path->count < XPD_LAYERS_PARTS_MAX &&
           xpd_scope_next_part(&rest, &path->part[path->count]))
        path->count++;
    if (rest.size > 0 && path->count > 0) { /* the rest belongs to the last */
        struct xpd_str *last = &path->part[path->count - 1];
        last->size = (size_t)(rest.data + rest.size - last->data);
    }
}

void xpd_layers_put_path(struct xpd_strbuf *out, const struct xpd_layers_path *path, uint32_t count,
                         bool fold)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            xpd_strbuf_putc(out, '/');
        if (!fold || !xpd_scope_fold(out, path->part[i]))
            xpd_strbuf_add(out, path->part[i].data, path->part[i].size);
    }
}

/* ---- the program ---- */

uint32_t *xpd_layers_ops(const struct xpd_ran_ops *in, struct xpd_arena *arena)
{
    uint32_t count = in->hlo->instructions.count;
    uint32_t *op = XPD_NEW_ARRAY(arena, uint32_t, count);
    for (uint32_t i = 0; op && i < count; i++)
        op[i] = XPD_NO_INDEX;
    for (uint32_t o = 0; op && o < in->program->op_count; o++)
        if (in->instruction[o] != XPD_NO_INDEX)
            op[in->instruction[o]] = o;
    return op;
}

uint32_t xpd_layers_order(uint32_t *out, const struct xpd_hlo *hlo, uint32_t computation,
                          const uint32_t *op_of)
{
    const struct xpd_hlo_computations *all = &hlo->computations;
    uint32_t from = all->schedule_first[computation], to = all->schedule_first[computation + 1];
    uint32_t first = all->first[computation], n = 0;
    bool scheduled = to > from;
    uint32_t count = scheduled ? to - from : all->instruction_count[computation];
    for (uint32_t i = 0; i < count && n < all->instruction_count[computation]; i++) {
        uint32_t at = scheduled ? all->schedule[from + i] : first + i;
        if (at != XPD_NO_INDEX && op_of[at] != XPD_NO_INDEX)
            out[n++] = op_of[at];
    }
    return n;
}

uint32_t xpd_layers_body_of(const struct xpd_hlo *hlo, uint32_t loop)
{
    uint32_t first = hlo->instructions.called_first[loop];
    uint32_t body = first < hlo->instructions.called_first[loop + 1]
                        ? hlo->instructions.called[first]
                        : XPD_NO_INDEX;
    return body < hlo->computations.count ? body : XPD_NO_INDEX;
}

bool xpd_layers_loop_body(bool *inside, const struct xpd_hlo *hlo, uint32_t loop)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    XPD_VEC(uint32_t) open = {0}; /* instructions whose calls are to be followed */
    XPD_PUSH(&open, loop);
    while (open.count > 0 && !open.failed) {
        uint32_t at = open.at[--open.count];
        for (uint32_t k = all->called_first[at]; k < all->called_first[at + 1]; k++) {
            uint32_t c = all->called[k];
            if (c >= hlo->computations.count || inside[c])
                continue;
            inside[c] = true;
            for (uint32_t i = 0; i < hlo->computations.instruction_count[c]; i++) {
                uint32_t in = hlo->computations.first[c] + i;
                if (all->called_first[in] < all->called_first[in + 1])
                    XPD_PUSH(&open, in);
            }
        }
    }
    bool fine = !open.failed;
    XPD_VEC_FINI(&open);
    return fine;
}

void xpd_layers_tree_init(struct xpd_layers_tree *tree, struct xpd_arena *arena)
{
    *tree = (struct xpd_layers_tree){0};
    xpd_intern_init(&tree->names, arena);
}

void xpd_layers_tree_fini(struct xpd_layers_tree *tree)
{
    xpd_intern_fini(&tree->names);
    XPD_VEC_FINI(&tree->node);
    XPD_VEC_FINI(&tree->met);
    xpd_map64_fini(&tree->node_of);
    xpd_map64_fini(&tree->met_of);
}

bool xpd_layers_tree_failed(const struct xpd_layers_tree *tree)
{
    return tree->names.failed || tree->node.failed || tree->met.failed || tree->node_of.failed ||
           tree->met_of.failed;
}

uint32_t xpd_layers_node_put(struct xpd_layers_tree *tree, uint32_t parent,
                             enum xpd_layers_part_kind kind, struct xpd_str name,
                             enum xpd_phase phase, uint32_t salt)
{
    xpd_name_id id = xpd_intern_put(&tree->names, name.data, name.size);
    uint32_t key[5] = {parent, kind, id, phase, salt};
    uint64_t hash = xpd_hash(key, sizeof key);
    uint32_t at = xpd_map64_get(&tree->node_of, hash);
    if (at != XPD_NO_INDEX)
        return at;
    struct xpd_layers_node node = {
        .part = {.kind = kind,
                 .name = xpd_intern_get(&tree->names, id),
                 .phase = phase,
                 .parent = parent,
                 .depth = parent == XPD_NO_INDEX ? 0 : tree->node.at[parent].part.depth + 1}};
    at = (uint32_t)tree->node.count;
    XPD_PUSH(&tree->node, node);
    xpd_map64_put(&tree->node_of, hash, at);
    return xpd_layers_tree_failed(tree) ? 0 : at;
}

void xpd_layers_node_add(struct xpd_layers_tree *tree, uint32_t node, uint32_t layer,
                         enum xpd_op_group group, int64_t self_ps)
{
    for (; node != XPD_NO_INDEX; node = tree->node.at[node].part.parent) {
        struct xpd_layers_node *at = &tree->node.at[node];
        uint64_t key = (uint64_t)node << 32 | layer;
        uint32_t met = xpd_map64_get(&tree->met_of, key);
        if (met == XPD_NO_INDEX) {
            struct xpd_layers_met one = {.node = node, .layer = layer};
            met = (uint32_t)tree->met.count;
            XPD_PUSH(&tree->met, one);
            xpd_map64_put(&tree->met_of, key, met);
        }
        if (xpd_layers_tree_failed(tree))
            return;
        xpd_grow_i64(&at->part.self_ps, self_ps);
        xpd_grow_i64(&at->group_ps[group], self_ps);
        xpd_grow_i64(&tree->met.at[met].self_ps, self_ps);
        tree->met.at[met].ops++;
    }
}

/* ---- order: passes as they run, then most time first ---- */

static uint32_t pass_of(const struct xpd_layers_part *part)
{
    static const uint32_t order[XPD_PHASE_COUNT] = {[XPD_PHASE_FORWARD] = 0,
                                                    [XPD_PHASE_RECOMPUTE] = 1,
                                                    [XPD_PHASE_BACKWARD] = 2,
                                                    [XPD_PHASE_NONE] = 3};
    return part->kind == XPD_LAYERS_PHASE ? order[part->phase] : 0;
}

static int by_parent(const void *a, const void *b, void *ctx)
{
    const struct xpd_layers_tree *tree = ctx;
    uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const struct xpd_layers_part *x = &tree->node.at[i].part, *y = &tree->node.at[k].part;
    if (x->parent != y->parent) /* the root, which has none, last */
        return x->parent < y->parent ? -1 : 1;
    if (pass_of(x) != pass_of(y))
        return pass_of(x) < pass_of(y) ? -1 : 1;
    if (x->self_ps != y->self_ps)
        return x->self_ps > y->self_ps ? -1 : 1;
    int order = xpd_str_order(x->name, y->name);
    return order != 0 ? order : (i > k) - (i < k);
}

/* place[node] = where it comes; nodes of a parent stand together in `order`. */
static bool place_nodes(const struct xpd_layers_tree *tree, const uint32_t *order, uint32_t *place,
                        struct xpd_arena *arena)
{
    uint32_t count = (uint32_t)tree->node.count, open = 0, next = 0;
    uint32_t *end = XPD_NEW_ARRAY(arena, uint32_t, count); /* of its children, in `order` */
    uint32_t *first = XPD_NEW_ARRAY(arena, uint32_t, count);
    uint32_t *stack = XPD_NEW_ARRAY(arena, uint32_t, count);
    if (!end || !first || !stack)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t parent = tree->node.at[order[i]].part.parent;
        if (parent == XPD_NO_INDEX)
            continue;
        first[parent] = end[parent] == 0 ? i : first[parent];
        end[parent] = i + 1;
    }
    stack[open++] = 0;
    while (open > 0) {
        uint32_t node = stack[--open];
        place[node] = next++;
        for (uint32_t i = end[node]; i > first[node]; i--)
            stack[open++] = order[i - 1];
    }
    return true;
}

static enum xpd_op_group largest(const int64_t *group_ps)
{
    enum xpd_op_group most = XPD_OP_NONE;
    for (uint32_t g = 0; g < XPD_OP_GROUP_COUNT; g++)
        most = group_ps[g] > group_ps[most] ? (enum xpd_op_group)g : most;
    return most;
}

static int by_place(const void *a, const void *b)
{
    const struct xpd_layers_met *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->layer > y->layer) - (x->layer < y->layer);
}

static bool freeze_cells(struct xpd_layers_tree *tree, struct xpd_layers *out,
                         const uint32_t *place, struct xpd_arena *arena)
{
    size_t count = tree->met.count;
    out->cell = XPD_NEW_ARRAY(arena, struct xpd_layers_cell, count);
    if (!out->cell)
        return false;
    for (size_t i = 0; i < count; i++)
        tree->met.at[i].node = place[tree->met.at[i].node];
    if (count > 1)
        qsort(tree->met.at, count, sizeof *tree->met.at, by_place);
    for (size_t i = 0; i < count; i++) {
        const struct xpd_layers_met *met = &tree->met.at[i];
        struct xpd_layers_part *part = &out->part[met->node];
        part->first_cell = part->cell_count++ == 0 ? (uint32_t)i : part->first_cell;
        out->cell[i] = (struct xpd_layers_cell){met->layer, met->ops, met->self_ps};
    }
    out->cell_count = (uint32_t)count;
    return true;
}

uint32_t *xpd_layers_tree_freeze(struct xpd_layers_tree *tree, struct xpd_layers *out,
                                 struct xpd_arena *arena)
{
    uint32_t count = (uint32_t)tree->node.count;
    uint32_t *order = XPD_NEW_ARRAY(arena, uint32_t, count);
    uint32_t *place = XPD_NEW_ARRAY(arena, uint32_t, count);
    out->part = XPD_NEW_ARRAY(arena, struct xpd_layers_part, count);
    if (xpd_layers_tree_failed(tree) || !order || !place || !out->part)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    if (count > 1)
        qsort_r(order, count, sizeof *order, by_parent, tree);
    if (!place_nodes(tree, order, place, arena))
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        struct xpd_layers_part *part = &out->part[place[i]];
        *part = tree->node.at[i].part;
        part->group = largest(tree->node.at[i].group_ps);
        part->parent = part->parent == XPD_NO_INDEX ? XPD_NO_INDEX : place[part->parent];
    }
    out->part_count = count;
    return freeze_cells(tree, out, place, arena) ? place : NULL;
}
