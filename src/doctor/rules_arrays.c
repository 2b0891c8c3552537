/* Arrays of a known kind: D15 constants, D16 the same array in two layouts, D18 optimizer state,
 * D21 square attention. In: the rows at the peak. Out: findings. */
#include "doctor_internal.h"

#include "xprofd/base/checked.h"

void xpd_rule_constants(struct xpd_dx *dx)
{
    struct xpd_dx_set set;
    int64_t largest = 0;
    if (!xpd_dx_set_init(dx, &set))
        return;
    for (uint32_t i = 0; i < dx->held.resident_count; i++)
        if (dx->held.at[i].mem_class == XPD_CLASS_CONSTANT) {
            xpd_dx_set_add(dx, &set, i);
            largest = dx->held.at[i].size_bytes > largest ? dx->held.at[i].size_bytes : largest;
        }
    if (set.count == 0 ||
        ((double)largest < dx->t->constant_bytes && !xpd_dx_worth(dx, &set, dx->t->constant_share)))
        return;
    struct xpd_finding *f =
        xpd_dx_find_set(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_FACT, &set, XPD_ACTION_DROP);
    uint32_t first = f->buffer_count ? f->buffer[0] : XPD_NO_INDEX;
    xpd_dx_claim(dx, f,
                 "%s of constants are baked into the program (%" PRIu32
                 "): a closed-over array? The largest is %s %s, %s.",
                 xpd_dx_bytes(dx, set.bytes), set.count, xpd_dx_name(dx, first),
                 xpd_dx_shape(dx, first, false), xpd_dx_bytes(dx, largest));
    xpd_dx_number(f, "constants", set.count, "count");
    xpd_dx_number(f, "largest_bytes", largest, "bytes");
}

static bool same_order(const struct xpd_shape *a, const struct xpd_shape *b)
{
    const struct xpd_layout *x = a->layout, *y = b->layout;
    return !x || !y || x->minor_to_major_count != y->minor_to_major_count ||
           memcmp(x->minor_to_major, y->minor_to_major,
                  x->minor_to_major_count * sizeof *x->minor_to_major) == 0;
}

/* A copy keeps the dimensions and changes their order in memory; a transpose the other way. */
static bool is_relayout(const struct xpd_dx *dx, uint32_t instruction, const struct xpd_shape *to,
                        const struct xpd_shape *from)
{
    uint32_t root = xpd_dx_root(dx, instruction);
    if (to->type != from->type || to->rank != from->rank || to->rank < 2)
        return false;
    if (xpd_dx_is(dx, root, "copy"))
        return xpd_dx_same_dims(to, from) && !same_order(to, from);
    if (!xpd_dx_is(dx, root, "transpose"))
        return false;
    bool overflow = false;
    return xpd_shape_unpadded_bytes(to, &overflow) == xpd_shape_unpadded_bytes(from, &overflow) &&
           !overflow;
}

void xpd_rule_relayout(struct xpd_dx *dx)
{
    struct xpd_dx_set set;
    uint32_t of = XPD_NO_INDEX;
    if (!xpd_dx_set_init(dx, &set))
        return;
    for (uint32_t i = dx->held.resident_count; i < dx->held.count; i++) {
        const struct xpd_held *row = &dx->held.at[i];
        uint32_t instruction = xpd_dx_instruction(dx, row);
        struct xpd_dx_origin o;
        if (instruction == XPD_NO_INDEX || !xpd_dx_big(dx, row->size_bytes))
            continue;
        xpd_dx_trace(dx, instruction, false, &o);
        uint32_t from = o.moved && !o.converted
                            ? xpd_dx_row_of(dx, xpd_dx_buffer_of(dx, o.instruction, o.element))
                            : XPD_NO_INDEX;
        if (from == XPD_NO_INDEX || from == i ||
            !is_relayout(dx, instruction, xpd_dx_shape_of(dx, row),
                         xpd_dx_shape_of(dx, &dx->held.at[from])))
            continue;
        of = of == XPD_NO_INDEX ? from : of;
        xpd_dx_set_add(dx, &set, i);
    }
    if (set.count == 0 || set.bytes < xpd_dx_share(dx, dx->t->relayout_share))
        return;
    struct xpd_finding *f =
        xpd_dx_find_set(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_FACT, &set, XPD_ACTION_DROP);
    uint32_t first = dx->held.at[set.row[0]].buffer;
    xpd_dx_claim(
        dx, f,
        "%" PRIu32 " array%s held twice in different layouts (%s of copies): %s %s is %s %s "
        "again.",
        set.count, set.count == 1 ? " is" : "s are", xpd_dx_bytes(dx, set.bytes),
        xpd_dx_name(dx, first), xpd_dx_shape(dx, first, true),
        xpd_dx_name(dx, dx->held.at[of].buffer), xpd_dx_shape(dx, dx->held.at[of].buffer, true));
    xpd_dx_number(f, "copies", set.count, "count");
}

/* Words of an argument's path: mu of "state.mu['w']", not of "multiply". */
static bool has_word(struct xpd_str name, const char *word)
{
    struct xpd_str want = xpd_str_of(word);
    for (size_t at = 0; at + want.size <= name.size; at++) {
        struct xpd_str rest = {name.data + at, name.size - at};
        size_t hit = xpd_str_find(rest, want, true);
        if (hit == SIZE_MAX)
            return false;
        at += hit;
        char before = at > 0 ? name.data[at - 1] : '.';
        char after = at + want.size < name.size ? name.data[at + want.size] : '.';
        bool letter = (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z');
        bool goes_on = (after >= 'a' && after <= 'z') || (after >= 'A' && after <= 'Z');
        if (!letter && !goes_on)
            return true;
    }
    return false;
}

static bool is_optimizer(struct xpd_str name)
{
    return xpd_dx_is_state_name(name) || has_word(name, "mu") || has_word(name, "nu");
}

struct tree { /* arguments below one name: params, m, v */
    struct xpd_str name;
    uint64_t shapes; /* of all, in any order */
    uint32_t count;
    int64_t bytes;
};

static struct xpd_str tree_name(struct xpd_str name)
{
    size_t end = 0;
    while (end < name.size && name.data[end] != '[' && name.data[end] != '.')
        end++;
    return (struct xpd_str){name.data, end < name.size ? end : 0};
}

#define TREES 32

static uint32_t list_trees(struct xpd_dx *dx, struct tree *tree)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < dx->held.resident_count; i++) {
        const struct xpd_held *row = &dx->held.at[i];
        struct xpd_str name = tree_name(xpd_dx_op_name(dx, xpd_dx_instruction(dx, row)));
        uint32_t at = 0;
        if (row->mem_class != XPD_CLASS_PARAMETER || name.size == 0)
            continue;
        while (at < count && !xpd_str_eq(tree[at].name, name))
            at++;
        if (at == TREES)
            continue;
        if (at == count)
            tree[count++] = (struct tree){.name = name};
        const struct xpd_shape *shape = xpd_dx_shape_of(dx, row);
        tree[at].shapes += xpd_hash(shape->dims, shape->rank * sizeof *shape->dims) | 1;
        tree[at].count++;
        xpd_grow_i64(&tree[at].bytes, row->size_bytes);
    }
    return count;
}

/* Trees of arguments with the same shapes: one is the model, the others its state. The model is the
 * one called so, else the first. */
static bool is_state_tree(const struct tree *tree, uint32_t count, struct xpd_str name)
{
    uint32_t at = 0, model = XPD_NO_INDEX, alike = 0;
    while (at < count && !xpd_str_eq(tree[at].name, name))
        at++;
    if (at == count || tree[at].count < 2)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (tree[i].shapes != tree[at].shapes || tree[i].count != tree[at].count)
            continue;
        alike++;
        bool named = xpd_dx_has(tree[i].name, "param") || xpd_dx_has(tree[i].name, "weight");
        if (model == XPD_NO_INDEX || (named && !xpd_dx_has(tree[model].name, "param") &&
                                      !xpd_dx_has(tree[model].name, "weight")))
            model = i;
    }
    return alike >= 3 && at != model;
}

void xpd_rule_optimizer(struct xpd_dx *dx)
{
    struct tree tree[TREES] = {{{0}, 0, 0, 0}};
    struct xpd_dx_set set;
    uint32_t trees = list_trees(dx, tree), by_shape = 0;
    if (!xpd_dx_set_init(dx, &set))
        return;
    for (uint32_t i = 0; i < dx->held.resident_count; i++) {
        const struct xpd_held *row = &dx->held.at[i];
        struct xpd_str name = xpd_dx_op_name(dx, xpd_dx_instruction(dx, row));
        if (row->mem_class != XPD_CLASS_PARAMETER)
            continue;
        bool shape = is_state_tree(tree, trees, tree_name(name));
        if (!shape && !is_optimizer(name))
            continue;
        by_shape += shape;
        xpd_dx_set_add(dx, &set, i);
    }
    if (!xpd_dx_worth(dx, &set, dx->t->optimizer_share))
        return;
    struct xpd_finding *f =
        xpd_dx_find_set(dx, XPD_DOCTOR_INFO, by_shape ? XPD_DOCTOR_HINT : XPD_DOCTOR_LIKELY, &set,
                        XPD_ACTION_HALVE);
    xpd_dx_claim(dx, f,
                 "Optimizer state is %s of the peak: %" PRIu32
                 " arguments, %s%s. The saving assumes types half as wide.",
                 xpd_dx_percent(dx, set.bytes, dx->peak_bytes), set.count,
                 xpd_dx_bytes(dx, set.bytes),
                 by_shape ? ", recognised by shapes that repeat the model's" : "");
    xpd_dx_number(f, "arguments", set.count, "count");
    xpd_dx_number(f, "share", xpd_dx_permille(dx, set.bytes), "permille");
}

static bool is_square(const struct xpd_dx *dx, const struct xpd_shape *shape)
{
    uint32_t r = shape->rank;
    double side = dx->t->square_side;
    if (r < 2 || (double)shape->dims[r - 1] < side)
        return false;
    return shape->dims[r - 1] == shape->dims[r - 2] ||
           (r > 2 && shape->dims[r - 1] == shape->dims[r - 3]);
}

static bool is_attention(const struct xpd_dx *dx, const struct xpd_held *row)
{
    static const char *const word[] = {"attn", "attention", "softmax", "logits", "mask", "qk"};
    uint32_t instruction = xpd_dx_instruction(dx, row);
    struct xpd_str name = xpd_dx_op_name(dx, instruction);
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (xpd_dx_has(name, word[i]))
            return true;
    uint32_t rank = xpd_dx_shape_of(dx, row)->rank;
    return rank > 2 && xpd_dx_is(dx, xpd_dx_root(dx, instruction), "dot");
}

void xpd_rule_square(struct xpd_dx *dx)
{
    struct xpd_dx_set set;
    if (!xpd_dx_set_init(dx, &set))
        return;
    for (uint32_t i = 0; i < dx->held.count; i++) {
        const struct xpd_held *row = &dx->held.at[i];
        const struct xpd_shape *shape = xpd_dx_shape_of(dx, row);
        char scratch[16];
        bool type = xpd_dx_is_float(shape->type) ||
                    strcmp(xpd_type_name(shape->type, scratch), "pred") == 0;
        if (row->mem_class != XPD_CLASS_PARAMETER && row->buffer != XPD_NO_INDEX && type &&
            is_square(dx, shape) && is_attention(dx, row))
            xpd_dx_set_add(dx, &set, i);
    }
    if (!xpd_dx_worth(dx, &set, dx->t->square_share))
        return;
    struct xpd_finding *f =
        xpd_dx_find_set(dx, XPD_DOCTOR_WARN, XPD_DOCTOR_LIKELY, &set, XPD_ACTION_DROP);
    xpd_dx_claim(dx, f,
                 "Square attention buffers are stored in full: %" PRIu32 " of them, %s (%s of the "
                 "peak), e.g. %s %s.",
                 set.count, xpd_dx_bytes(dx, set.bytes),
                 xpd_dx_percent(dx, set.bytes, dx->peak_bytes), xpd_dx_name(dx, f->buffer[0]),
                 xpd_dx_shape(dx, f->buffer[0], false));
    xpd_dx_number(f, "buffers", set.count, "count");
    xpd_dx_number(f, "share", xpd_dx_permille(dx, set.bytes), "permille");
}
