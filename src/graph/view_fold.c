/* Who stands for whom in the folded picture, and who is next to whom then. In: the links of the
 * index. Out: nodes beside a node. Chains of a file may lead in circles: each way has an end. */
#include "view_parts.h"
#include "xprofd/graph/view.h"

/* Texts of a node: the operands that are lines in it, the path of a parameter. In: an instruction.
 * Out: text. */

enum { LINES_MAX = 32 };

/* The constant that a parameter of a fusion always is, XPD_NO_INDEX = none. */
static uint32_t bound_constant(const struct xpd_graph_index *index, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    uint32_t fusion = index->fusion_of[ins->computation[i]];
    if (index->op[i] != XPD_GOP_PARAMETER || fusion == XPD_NO_INDEX)
        return XPD_NO_INDEX;
    uint32_t operand = xpd_index_operand(index, fusion, ins->parameter_number[i]);
    return operand != XPD_NO_INDEX && index->op[operand] == XPD_GOP_CONSTANT ? operand
                                                                             : XPD_NO_INDEX;
}

static uint32_t constant_of(const struct xpd_graph_index *index, uint32_t i)
{
    if (index->op[i] == XPD_GOP_CONSTANT)
        return i;
    uint32_t spread = xpd_index_broadcast_of(index, i);
    return spread != XPD_NO_INDEX ? spread : bound_constant(index, i);
}

static void put_value(struct xpd_strbuf *out, const struct xpd_graph_index *index, uint32_t operand,
                      uint32_t constant)
{
    struct xpd_str value = index->value[constant];
    struct xpd_str name = xpd_hlo_text(index->hlo, index->hlo->instructions.name[constant]);
    xpd_shape_text(out, index->hlo->instructions.shape[operand], false);
    xpd_strbuf_putc(out, ' ');
    if (value.size == 0)
        value = name;
    xpd_strbuf_add(out, value.data, value.size);
}

static void put_element(struct xpd_strbuf *out, const struct xpd_graph_index *index, uint32_t i)
{
    uint32_t from = xpd_index_operand(index, i, 0);
    struct xpd_str name = from != XPD_NO_INDEX
                              ? xpd_hlo_text(index->hlo, index->hlo->instructions.name[from])
                              : XPD_STR("?");
    xpd_strbuf_printf(out, "tuple-element %lld of ",
                      (long long)index->hlo->instructions.tuple_index[i]);
    xpd_strbuf_add(out, name.data, name.size);
    xpd_strbuf_putc(out, ' ');
    xpd_shape_text(out, index->hlo->instructions.shape[i], true);
}

/* False if the operand has its own node. */
static bool put_line(struct xpd_strbuf *out, const struct xpd_graph_index *index, uint32_t operand,
                     uint32_t number, bool elements)
{
    uint32_t constant = operand != XPD_NO_INDEX ? constant_of(index, operand) : XPD_NO_INDEX;
    bool element = operand != XPD_NO_INDEX && constant == XPD_NO_INDEX && elements &&
                   index->op[operand] == XPD_GOP_ELEMENT;
    if (operand != XPD_NO_INDEX && constant == XPD_NO_INDEX && !element)
        return false;
    xpd_strbuf_clear(out);
    xpd_strbuf_printf(out, "operand %u = ", number);
    if (operand == XPD_NO_INDEX)
        xpd_strbuf_puts(out, "not in the profile");
    else if (element)
        put_element(out, index, operand);
    else
        put_value(out, index, operand, constant);
    return true;
}

uint32_t xpd_view_lines(const struct xpd_graph_index *index, uint32_t instruction, bool elements,
                        void (*put)(void *to, struct xpd_str line), void *to)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    uint32_t first = ins->operand_first[instruction], end = ins->operand_first[instruction + 1];
    struct xpd_strbuf line = {0};
    uint32_t count = 0;
    for (uint32_t k = first; k < end; k++)
        if (put_line(&line, index, ins->operand[k], k - first, elements) && count++ < LINES_MAX)
            put(to, (struct xpd_str){line.data ? line.data : "", line.size});
    xpd_strbuf_fini(&line);
    return count;
}

/* params['blocks'][0]['up'] as params.blocks[0].up: a key that is a name follows a point, a number
 * stays in brackets. */
static bool is_key(const char *text, size_t size)
{
    for (size_t k = 0; k < size; k++)
        if (!(text[k] == '_' || text[k] == '-' || (text[k] >= '0' && text[k] <= '9') ||
              (text[k] >= 'a' && text[k] <= 'z') || (text[k] >= 'A' && text[k] <= 'Z')))
            return false;
    return size > 0;
}

void xpd_view_parameter_path(struct xpd_strbuf *out, const struct xpd_graph_index *index,
                             uint32_t instruction)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    struct xpd_str name = xpd_hlo_text(index->hlo, ins->op_name[instruction]);
    if (index->op[instruction] != XPD_GOP_PARAMETER ||
        ins->computation[instruction] != index->hlo->entry)
        return;
    for (size_t at = 0; at < name.size;) {
        const char *text = name.data + at;
        size_t left = name.size - at;
        bool opens = left > 3 && text[0] == '[' && (text[1] == '\'' || text[1] == '"');
        const char *end = opens ? memchr(text + 2, text[1], left - 3) : NULL;
        if (end && end[1] == ']' && is_key(text + 2, (size_t)(end - text) - 2)) {
            if (at > 0)
                xpd_strbuf_putc(out, '.');
            xpd_strbuf_add(out, text + 2, (size_t)(end - text) - 2);
            at += (size_t)(end - text) + 2;
        } else {
            xpd_strbuf_putc(out, *text);
            at++;
        }
    }
}

enum { HOPS_MAX = 4096 };

static bool is_drawn_body(const struct xpd_view_work *w, uint32_t computation)
{
    return computation != XPD_NO_INDEX && w->draws[computation];
}

static uint32_t body_of(const struct xpd_view_work *w, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &w->index->hlo->instructions;
    uint32_t first = ins->called_first[i];
    return w->index->op[i] == XPD_GOP_FUSION && first < ins->called_first[i + 1]
               ? ins->called[first]
               : XPD_NO_INDEX;
}

/* ---- one step ---- */

/* The member of a tuple that an element takes, when the tuple is put together in sight. */
static uint32_t member_of(const struct xpd_view_work *w, uint32_t tuple, int64_t element)
{
    return w->index->op[tuple] == XPD_GOP_TUPLE && tuple != w->self
               ? xpd_index_operand(w->index, tuple, element)
               : XPD_NO_INDEX;
}

/* Out of a drawn body, or into one; `i` itself when it is neither. */
static uint32_t through_body(const struct xpd_view_work *w, uint32_t i)
{
    const struct xpd_hlo *hlo = w->index->hlo;
    uint32_t computation = hlo->instructions.computation[i], body = body_of(w, i);
    if (w->index->op[i] == XPD_GOP_PARAMETER && is_drawn_body(w, computation))
        return xpd_index_operand(w->index, w->index->fusion_of[computation],
                                 hlo->instructions.parameter_number[i]);
    if (is_drawn_body(w, body) && w->index->fusion_of[body] == i)
        return hlo->computations.root[body];
    return i;
}

/* An equal slice: the first of those, the centre left out. */
static uint32_t first_slice(const struct xpd_view_work *w, uint32_t i)
{
    uint32_t first = w->index->fold[i];
    if (first == w->self)
        first = w->index->slice_next[first];
    return first;
}

uint32_t xpd_view_stands_for(const struct xpd_view_work *w, uint32_t i, bool inside,
                             int64_t *element)
{
    const struct xpd_graph_index *index = w->index;
    int64_t taken = -1;
    for (uint32_t hops = 0; i != XPD_NO_INDEX && hops < HOPS_MAX; hops++) {
        uint32_t member = taken >= 0 ? member_of(w, i, taken) : XPD_NO_INDEX;
        if (member != XPD_NO_INDEX) {
            taken = -1;
            i = member;
            continue;
        }
        uint32_t next = inside ? through_body(w, i) : i;
        if (next == i && i != w->self && index->fold[i] != XPD_NO_INDEX) {
            uint8_t op = index->op[i];
            next = op == XPD_GOP_SLICE || op == XPD_GOP_START ? first_slice(w, i) : index->fold[i];
            if (op == XPD_GOP_ELEMENT)
                taken = index->hlo->instructions.tuple_index[i];
        }
        if (next == i)
            break;
        i = next;
    }
    *element = taken;
    return i;
}

bool xpd_view_is_line(const struct xpd_view_work *w, uint32_t i)
{
    const struct xpd_hlo *hlo = w->index->hlo;
    if (i == w->self || hlo->computations.root[hlo->instructions.computation[i]] == i)
        return false;
    return w->index->op[i] == XPD_GOP_CONSTANT ||
           xpd_index_broadcast_of(w->index, i) != XPD_NO_INDEX;
}

uint32_t xpd_view_next_member(const struct xpd_view_work *w, uint32_t first, uint32_t i)
{
    const struct xpd_graph_index *index = w->index;
    if (index->pair[i] != XPD_NO_INDEX)
        return index->pair[i];
    if (first == w->self)
        return XPD_NO_INDEX;
    uint32_t start =
        index->op[i] == XPD_GOP_DONE && index->fold[i] != XPD_NO_INDEX ? index->fold[i] : i;
    uint32_t next = index->slice_next[start];
    return next != XPD_NO_INDEX && next == w->self ? index->slice_next[next] : next;
}

/* ---- operands ---- */

static void add_operands_of(struct xpd_view_work *w, uint32_t node, uint32_t i, uint32_t from,
                            bool inside)
{
    const struct xpd_hlo_instructions *ins = &w->index->hlo->instructions;
    uint32_t first = ins->operand_first[i];
    for (uint32_t k = first + from; k < ins->operand_first[i + 1]; k++) {
        struct xpd_view_near near = {.value = ins->operand[k], .operand = k - first};
        if (near.value == XPD_NO_INDEX || xpd_view_is_line(w, near.value))
            continue;
        near.node = xpd_view_stands_for(w, near.value, inside, &near.element);
        if (near.node != XPD_NO_INDEX && near.node != node && !xpd_view_is_line(w, near.node))
            XPD_PUSH(&w->near, near);
    }
}

/* Equal slices have the same operand except for their offsets, so those of the first count. */
uint32_t xpd_view_operands(struct xpd_view_work *w, uint32_t i, bool inside)
{
    uint32_t done = w->index->pair[i];
    w->near.count = 0;
    add_operands_of(w, i, i, 0, inside);
    if (done != XPD_NO_INDEX)
        add_operands_of(w, i, done, 1, inside);
    return (uint32_t)w->near.count;
}

/* ---- users ---- */

static bool take(struct xpd_view_work *w, uint32_t i)
{
    bool first = w->stamp[i] != w->stamp_now;
    w->stamp[i] = w->stamp_now;
    return first;
}

static bool is_passed(const struct xpd_view_work *w, uint32_t i)
{
    uint8_t op = w->index->op[i];
    return i != w->self && (op == XPD_GOP_ELEMENT || op == XPD_GOP_BITCAST) &&
           w->index->fold[i] != XPD_NO_INDEX;
}

/* Elements taken out of `tuple` where `value` went in use the value itself. */
static void pass_tuple(struct xpd_view_work *w, uint32_t tuple, uint32_t value)
{
    const struct xpd_graph_index *index = w->index;
    for (uint32_t k = index->user_first[tuple]; k < index->user_first[tuple + 1]; k++) {
        uint32_t user = index->user[k];
        if (index->op[user] == XPD_GOP_ELEMENT && user != w->self &&
            xpd_index_operand(index, tuple, index->hlo->instructions.tuple_index[user]) == value &&
            take(w, user))
            XPD_PUSH(&w->stack, user);
    }
}

static void add_user(struct xpd_view_work *w, uint32_t node, uint32_t value, uint32_t user)
{
    struct xpd_view_near near = {.value = value};
    if (w->index->op[user] == XPD_GOP_TUPLE && user != w->self)
        pass_tuple(w, user, value);
    near.node = xpd_view_stands_for(w, user, false, &near.element);
    if (near.node != XPD_NO_INDEX && near.node != node && take(w, near.node))
        XPD_PUSH(&w->near, near);
}

static void add_users_of(struct xpd_view_work *w, uint32_t node, uint32_t value)
{
    const struct xpd_graph_index *index = w->index;
    for (uint32_t k = index->user_first[value]; k < index->user_first[value + 1]; k++) {
        uint32_t user = index->user[k];
        bool passed = is_passed(w, user);
        if (passed && index->op[user] == XPD_GOP_ELEMENT &&
            member_of(w, value, index->hlo->instructions.tuple_index[user]) != XPD_NO_INDEX)
            continue; /* it uses what went into the tuple */
        if (!passed)
            add_user(w, node, value, user);
        else if (take(w, user))
            XPD_PUSH(&w->stack, user);
    }
}

uint32_t xpd_view_users(struct xpd_view_work *w, uint32_t i)
{
    w->near.count = w->stack.count = 0;
    w->stamp_now++;
    for (uint32_t member = i; member != XPD_NO_INDEX; member = xpd_view_next_member(w, i, member))
        add_users_of(w, i, member);
    while (w->stack.count > 0)
        add_users_of(w, i, w->stack.at[--w->stack.count]);
    return (uint32_t)w->near.count;
}
