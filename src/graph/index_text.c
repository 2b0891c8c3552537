/* Data that only the module's bytes have: lines and order of the text, control predecessors, small
 * constants, trivial computations. In: a printer. Out: tables. */
#include "index_parts.h"

enum { VALUE_ELEMENTS = 8, VALUE_MAX = 64 }; /* of a constant that is shown as a value */
#define TEXT_FLAGS (XPD_PRINT_LONG | XPD_PRINT_METADATA)

struct text {
    struct xpd_graph_index *index;
    struct xpd_arena *arena;
    struct xpd_hlo_printer *printer;
    struct xpd_strbuf scratch;
    XPD_VEC(uint32_t) control;
    uint32_t *control_first;
    struct xpd_str *value;
    uint32_t *line, *place, *head_line, *order_first, *order_size, *computation;
    XPD_VEC(uint32_t) order;
    bool names_break; /* a name of the module holds a line break */
};

static uint32_t breaks_in(const char *text, size_t size)
{
    uint32_t n = 0;
    const char *end = text + size;
    while (size && (text = memchr(text, '\n', (size_t)(end - text))) != NULL) {
        n++;
        if (++text == end)
            break;
    }
    return n;
}

static bool any_name_breaks(const struct xpd_hlo *hlo)
{
    for (uint32_t id = 0; id < hlo->names.count; id++) {
        struct xpd_str text = xpd_hlo_text(hlo, id);
        if (text.size && memchr(text.data, '\n', text.size))
            return true;
    }
    return false;
}

/* ---- by instruction ---- */

static void read_value(struct text *t, uint32_t i)
{
    if (t->index->op[i] != XPD_GOP_CONSTANT)
        return;
    xpd_strbuf_clear(&t->scratch);
    if (!xpd_hlo_print_value(t->printer, i, VALUE_ELEMENTS, false, &t->scratch) ||
        t->scratch.size > VALUE_MAX)
        return;
    const char *kept =
        xpd_arena_strndup(t->arena, t->scratch.data ? t->scratch.data : "", t->scratch.size);
    t->value[i] = (struct xpd_str){kept, kept ? t->scratch.size : 0};
}

static void read_all(struct text *t)
{
    uint32_t n = t->index->hlo->instructions.count;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *before;
        uint32_t count = xpd_hlo_control_predecessors(t->printer, i, &before);
        t->control_first[i] = (uint32_t)t->control.count;
        for (uint32_t k = 0; k < count; k++)
            XPD_PUSH(&t->control, before[k]);
        read_value(t, i);
    }
    t->control_first[n] = (uint32_t)t->control.count;
}

/* ---- lines ---- */

/* Lines an instruction takes: one, unless a text in it holds line breaks. */
static uint32_t lines_of(struct text *t, uint32_t i)
{
    if (!t->names_break && !xpd_hlo_may_break(t->printer, i))
        return 1;
    xpd_strbuf_clear(&t->scratch);
    xpd_hlo_print_instruction(t->printer, i, TEXT_FLAGS, &t->scratch);
    return 1 + breaks_in(t->scratch.data, t->scratch.size);
}

static uint32_t head_lines(struct text *t, uint32_t computation)
{
    if (!t->names_break)
        return 1;
    xpd_strbuf_clear(&t->scratch);
    xpd_hlo_print_head(t->printer, computation, TEXT_FLAGS, &t->scratch);
    return breaks_in(t->scratch.data, t->scratch.size);
}

static void number_computation(struct text *t, uint32_t computation, uint32_t *line)
{
    const uint32_t *instruction;
    uint32_t count;
    t->head_line[computation] = *line;
    *line += head_lines(t, computation);
    xpd_hlo_instruction_order(t->printer, computation, &instruction, &count);
    t->order_first[computation] = (uint32_t)t->order.count;
    for (uint32_t k = 0; k < count; k++)
        if (instruction[k] != XPD_NO_INDEX)
            XPD_PUSH(&t->order, instruction[k]);
    t->order_size[computation] = (uint32_t)t->order.count - t->order_first[computation];
    for (uint32_t k = t->order_first[computation]; k < t->order.count; k++) {
        uint32_t i = t->order.at[k];
        if (t->place[i] == XPD_NO_INDEX) { /* a schedule may name one twice: its first line */
            t->place[i] = k;
            t->line[i] = *line;
        }
        *line += lines_of(t, i);
    }
    struct xpd_str thread =
        xpd_hlo_text(t->index->hlo, t->index->hlo->computations.execution_thread[computation]);
    *line += 2 + breaks_in(thread.data, thread.size); /* the closing brace and an empty line */
}

static void number_lines(struct text *t)
{
    const uint32_t *computation;
    uint32_t count = xpd_hlo_print_order(t->printer, &computation);
    xpd_strbuf_clear(&t->scratch);
    xpd_hlo_print_header(t->printer, TEXT_FLAGS, &t->scratch);
    uint32_t line = 1 + breaks_in(t->scratch.data, t->scratch.size);
    for (uint32_t k = 0; k < count; k++) {
        t->computation[k] = computation[k];
        number_computation(t, computation[k], &line);
    }
    t->index->computation_count = count;
    t->index->line_count = line - 1;
}

/* ---- computations of two scalars ---- */

static const char *trivial_name(struct xpd_str opcode, struct xpd_str direction)
{
    static const char *const names[][2] = {
        {"add", "add"}, {"multiply", "multiply"}, {"minimum", "min"}, {"maximum", "max"},
        {"xor", "xor"}, {"and", "and"},           {"or", "or"}};
    static const char *const compared[][2] = {{"LE", "less-or-equal"}, {"GE", "greater-or-equal"},
                                              {"GT", "greater-than"},  {"LT", "less-than"},
                                              {"EQ", "equal-to"},      {"NE", "not-equal-to"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (xpd_str_eq(opcode, xpd_str_of(names[i][0])))
            return names[i][1];
    if (!xpd_str_eq(opcode, XPD_STR("compare")))
        return NULL;
    for (size_t i = 0; i < sizeof compared / sizeof compared[0]; i++)
        if (xpd_str_eq(direction, xpd_str_of(compared[i][0])))
            return compared[i][1];
    return NULL;
}

static bool is_scalar_parameter(const struct xpd_graph_index *index, uint32_t i)
{
    return i != XPD_NO_INDEX && index->op[i] == XPD_GOP_PARAMETER &&
           xpd_shape_is_scalar_like(index->hlo->instructions.shape[i]);
}

static const char *trivial(const struct text *t, uint32_t computation)
{
    const struct xpd_graph_index *index = t->index;
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    uint32_t root = index->hlo->computations.root[computation];
    if (index->hlo->computations.instruction_count[computation] != 3 || root == XPD_NO_INDEX ||
        ins->operand_first[root + 1] - ins->operand_first[root] != 2)
        return NULL;
    uint32_t a = xpd_index_operand(index, root, 0), b = xpd_index_operand(index, root, 1);
    if (a == b || !is_scalar_parameter(index, a) || !is_scalar_parameter(index, b) ||
        !xpd_shape_is_scalar_like(ins->shape[root]))
        return NULL;
    int64_t first = ins->parameter_number[a], second = ins->parameter_number[b];
    bool reversed = first == 1 && second == 0;
    if (!reversed && (first != 0 || second != 1))
        return NULL;
    struct xpd_str opcode = xpd_hlo_text(index->hlo, ins->opcode[root]);
    struct xpd_str direction = xpd_hlo_direction(t->printer, root);
    if (reversed && xpd_str_eq(opcode, XPD_STR("compare")) &&
        !xpd_str_eq(direction, XPD_STR("EQ")) && !xpd_str_eq(direction, XPD_STR("NE")))
        return NULL;
    return trivial_name(opcode, direction);
}

/* ---- putting together ---- */

static bool make_room(struct text *t)
{
    uint32_t n = t->index->hlo->instructions.count, c = t->index->hlo->computations.count;
    t->control_first = XPD_NEW_ARRAY(t->arena, uint32_t, (size_t)n + 1);
    t->value = XPD_NEW_ARRAY(t->arena, struct xpd_str, n);
    t->line = XPD_NEW_ARRAY(t->arena, uint32_t, n);
    t->place = XPD_NEW_ARRAY(t->arena, uint32_t, n);
    t->head_line = XPD_NEW_ARRAY(t->arena, uint32_t, c);
    t->order_first = XPD_NEW_ARRAY(t->arena, uint32_t, c);
    t->order_size = XPD_NEW_ARRAY(t->arena, uint32_t, c);
    t->computation = XPD_NEW_ARRAY(t->arena, uint32_t, c);
    if (t->arena->failed)
        return false;
    for (uint32_t i = 0; i < n; i++)
        t->place[i] = XPD_NO_INDEX;
    return true;
}

static bool put_together(struct text *t)
{
    struct xpd_graph_index *index = t->index;
    const char **trivials = XPD_NEW_ARRAY(t->arena, const char *, index->hlo->computations.count);
    for (uint32_t c = 0; trivials && c < index->hlo->computations.count; c++)
        trivials[c] = trivial(t, c);
    index->trivial = trivials;
    index->control_first = t->control_first;
    index->control = XPD_COPY_VEC(t->arena, &t->control);
    index->value = t->value;
    index->line = t->line;
    index->place = t->place;
    index->order = XPD_COPY_VEC(t->arena, &t->order);
    index->order_count = (uint32_t)t->order.count;
    index->head_line = t->head_line;
    index->order_first = t->order_first;
    index->order_size = t->order_size;
    index->computation = t->computation;
    return !t->control.failed && !t->order.failed && !t->scratch.failed && !t->arena->failed;
}

bool xpd_index_make_text(struct xpd_graph_index *index, struct xpd_arena *arena,
                         struct xpd_hlo_printer *printer)
{
    struct text t = {.index = index, .arena = arena, .printer = printer};
    bool ok = make_room(&t);
    if (ok) {
        t.names_break = any_name_breaks(index->hlo);
        read_all(&t);
        number_lines(&t);
        ok = put_together(&t);
    }
    XPD_VEC_FINI(&t.control);
    XPD_VEC_FINI(&t.order);
    xpd_strbuf_fini(&t.scratch);
    return ok;
}
