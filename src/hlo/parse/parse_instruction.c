/* Instructions: "ROOT %name = shape opcode(operands), attributes".
 *
 * In: one line. Out: an HloInstructionProto in body and its entry in the columns that the order
 * needs. A folded start ("slice-start") becomes an async-start; its computation is made after the
 * surrounding one. */
#include "parse_internal.h"

#include "../load/load_internal.h"

enum { NAME = 1, OPCODE = 2, PARAMETER_NUMBER = 9, ID = 35, OPERANDS = 36, CALLED = 38 };

/* The wrapped opcode of "slice-start"; XPD_FOLD_NONE for a plain opcode of XLA. */
static enum xpd_fold fold_of(struct xpd_str opcode, struct xpd_str *inner)
{
    static const struct {
        struct xpd_str ending;
        enum xpd_fold fold;
    } endings[] = {{{"-start", 6}, XPD_FOLD_START},
                   {{"-update", 7}, XPD_FOLD_UPDATE},
                   {{"-done", 5}, XPD_FOLD_DONE}};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        struct xpd_str ending = endings[i].ending;
        if (opcode.size < ending.size)
            continue;
        *inner = (struct xpd_str){opcode.data, opcode.size - ending.size};
        if (memcmp(opcode.data + inner->size, ending.data, ending.size) != 0)
            continue;
        bool own = xpd_hlo_is_opcode(opcode) || !xpd_hlo_is_opcode(*inner);
        return own ? XPD_FOLD_NONE : endings[i].fold;
    }
    return XPD_FOLD_NONE;
}

/* ---- operands ---- */

/* "%a", "a", "f32[2]{0} %a", "(f32[2], s32[]) %a"; a '?' means an unknown one. */
static bool read_operand(struct xpd_parse *p, struct xpd_text_scan *scan)
{
    bool shaped = xpd_scan_peek(scan) == '(';
    if (!shaped && xpd_scan_peek(scan) != '%') {
        struct xpd_text_scan ahead = *scan;
        (void)xpd_scan_name(&ahead);
        char behind = xpd_scan_peek(&ahead);
        shaped = behind == '[' || behind == '(';
    }
    if (shaped) {
        if (!xpd_parse_skip_shape(scan))
            return false;
        xpd_scan_blank(scan);
    }
    struct xpd_str name = xpd_scan_name(scan);
    if (name.size == 0)
        return false;
    if (xpd_str_eq(name, XPD_STR("?")))
        XPD_PUSH(&p->operand, XPD_PARSE_NO_ID);
    else
        XPD_PUSH(&p->operand, xpd_parse_instruction_id(p, name));
    return true;
}

static bool read_operands(struct xpd_parse *p, struct xpd_parse_line *line)
{
    for (;;) {
        xpd_scan_blank(&p->scan);
        if (xpd_scan_peek(&p->scan) == ')')
            break;
        if (!read_operand(p, &p->scan))
            return false;
        line->operand_count++;
        xpd_scan_blank(&p->scan);
        if (xpd_scan_peek(&p->scan) != ',')
            break;
        p->scan.at++;
    }
    if (line->operand_count != 0) {
        size_t begin = xpd_out_begin(line->own, OPERANDS);
        for (uint32_t i = 0; i < line->operand_count && !p->operand.failed; i++)
            xpd_out_varint(line->own, p->operand.at[line->operand_first + i]);
        xpd_out_end(line->own, begin);
    }
    return xpd_scan_take(&p->scan, ')');
}

static bool read_parameter(struct xpd_parse *p, struct xpd_parse_line *line)
{
    struct xpd_parameter parameter = {.id = line->id, .shape = line->shape};
    if (!xpd_scan_int(&p->scan, &parameter.number) || !xpd_scan_take(&p->scan, ')'))
        return false;
    xpd_out_int(line->own, PARAMETER_NUMBER, parameter.number);
    XPD_PUSH(&p->parameter, parameter);
    return true;
}

/* A literal that is not shown, or not understood, is missing. */
static bool read_constant(struct xpd_parse *p, struct xpd_parse_line *line)
{
    enum { LITERAL = 8 };
    struct xpd_text_scan value = p->scan,
                         shape = {line->shape.data, line->shape.data + line->shape.size};
    p->scan.at--; /* the parenthesis */
    if (!xpd_scan_braces(&p->scan, true))
        return false;
    value.end = p->scan.at - 1;
    xpd_scan_space(&value);
    size_t kept = line->own->size;
    struct xpd_text_scan whole = value;
    if (!xpd_scan_word(&whole, XPD_STR("{...}")) &&
        !xpd_parse_literal(p, &shape, &value, line->own, LITERAL, 0)) {
        if (!line->own->failed)
            line->own->size = kept;
        xpd_parse_warn(p, value.at, XPD_WARNING, "hlo_text_literal",
                       "the value of the constant \"%.*s\" is not understood and left out",
                       (int)(line->name.size < 80 ? line->name.size : 80), line->name.data);
    }
    return true;
}

static bool read_parentheses(struct xpd_parse *p, struct xpd_parse_line *line)
{
    if (xpd_scan_peek(&p->scan) != '(')
        return false;
    p->scan.at++;
    if (xpd_str_eq(line->opcode, XPD_STR("constant")))
        return read_constant(p, line);
    if (xpd_str_eq(line->opcode, XPD_STR("parameter")))
        return read_parameter(p, line);
    return read_operands(p, line);
}

/* ---- the line ---- */

static void put_opcode(struct xpd_parse_line *line)
{
    static const struct xpd_str async[] = {
        {"", 0}, {"async-start", 11}, {"async-update", 12}, {"async-done", 10}};
    xpd_out_text(line->own, OPCODE, line->folded ? async[line->folded] : line->opcode);
}

static void put_called(struct xpd_parse *p, struct xpd_strbuf *out, uint32_t first, uint32_t count)
{
    if (count == 0 || p->called.failed)
        return;
    size_t begin = xpd_out_begin(out, CALLED);
    for (uint32_t i = 0; i < count; i++)
        xpd_out_varint(out, p->called.at[first + i]);
    xpd_out_end(out, begin);
}

static void end_instruction(struct xpd_parse *p, const struct xpd_parse_line *line, uint64_t at)
{
    struct xpd_parsed_instruction parsed = {.at = at,
                                            .size = (uint32_t)(p->body.size - at),
                                            .id = line->id,
                                            .operand_first = line->operand_first,
                                            .operand_count = line->operand_count,
                                            .control_count = line->control_count,
                                            .called_first = line->called_first,
                                            .called_count = line->called_count};
    if (line->id != XPD_PARSE_NO_ID && !p->instruction_of.failed)
        p->instruction_of.at[line->id - 1] = (uint32_t)p->instruction.count;
    XPD_PUSH(&p->instruction, parsed);
}

/* "ROOT %name = "; false: no instruction begins here. */
static bool read_name(struct xpd_parse *p, struct xpd_parse_line *line, bool *is_root)
{
    line->name = xpd_scan_name(&p->scan);
    xpd_scan_blank(&p->scan);
    *is_root = false;
    if (xpd_str_eq(line->name, XPD_STR("ROOT")) && xpd_scan_peek(&p->scan) != '=') {
        *is_root = true;
        line->name = xpd_scan_name(&p->scan);
        xpd_scan_blank(&p->scan);
    }
    if (line->name.size == 0 || xpd_scan_peek(&p->scan) != '=')
        return false;
    p->scan.at++;
    xpd_scan_blank(&p->scan);
    return true;
}

/* What the start wraps becomes a computation when this one is done; its own part is what is said in
 * `wrapped` from bytes_at on. */
static void fold_start(struct xpd_parse *p, struct xpd_parse_line *line, uint64_t shape_at,
                       uint32_t shape_size, size_t bytes_at)
{
    put_called(p, &p->wrapped, line->inner_first, line->inner_count);
    struct xpd_folded folded = {.name = line->name,
                                .opcode = line->opcode,
                                .thread = xpd_arena_str(&p->scratch, line->thread),
                                .computation = xpd_parse_new_computation_id(p),
                                .bytes_at = bytes_at,
                                .bytes_size = p->wrapped.size - bytes_at,
                                .shape_at = shape_at,
                                .shape_size = shape_size,
                                .called_first = line->inner_first,
                                .called_count = line->inner_count};
    line->called_first = (uint32_t)p->called.count;
    line->called_count = 1;
    XPD_PUSH(&p->called, folded.computation);
    XPD_PUSH(&p->folded, folded);
}

static void begin_fold(struct xpd_parse *p, struct xpd_parse_line *line)
{
    struct xpd_str inner;
    line->own = line->out = &p->body;
    line->folded = (uint8_t)fold_of(line->opcode, &inner);
    if (line->folded == XPD_FOLD_NONE)
        return;
    put_opcode(line);
    if (line->folded == XPD_FOLD_START) {
        line->opcode = inner;
        line->out = &p->wrapped;
    }
}

static bool read_line(struct xpd_parse *p, struct xpd_parse_line *line, bool *is_root)
{
    size_t wrapped = p->wrapped.size;
    if (!read_name(p, line, is_root))
        return false;
    xpd_out_text(&p->body, NAME, line->name);
    uint64_t shape_at = p->body.size;
    line->shape.data = p->scan.at;
    if (!xpd_parse_instruction_shape(p))
        return false;
    line->shape.size = (size_t)(p->scan.at - line->shape.data);
    uint32_t shape_size = (uint32_t)(p->body.size - shape_at);
    xpd_scan_blank(&p->scan);
    line->opcode = xpd_scan_name(&p->scan);
    begin_fold(p, line);
    if (line->folded == XPD_FOLD_NONE)
        put_opcode(line);
    line->id = xpd_parse_define_instruction(p, line->name);
    xpd_out_int(&p->body, ID, line->id);
    if (line->opcode.size == 0 || !read_parentheses(p, line))
        return false;
    line->called_first = line->inner_first = (uint32_t)p->called.count;
    xpd_parse_attributes(p, line);
    if (line->folded == XPD_FOLD_START) {
        line->inner_count = line->called_count;
        fold_start(p, line, shape_at, shape_size, wrapped);
    }
    put_called(p, &p->body, line->called_first, line->called_count);
    return true;
}

bool xpd_parse_instruction(struct xpd_parse *p, struct xpd_parsed_computation *computation)
{
    struct xpd_parse_line line;
    size_t body = p->body.size, wrapped = p->wrapped.size, operand = p->operand.count;
    size_t called = p->called.count, folded = p->folded.count;
    bool is_root;
    memset(&line, 0, sizeof line);
    line.operand_first = (uint32_t)operand;
    if (!read_line(p, &line, &is_root)) {
        if (!p->body.failed)
            p->body.size = body;
        if (!p->wrapped.failed)
            p->wrapped.size = wrapped;
        p->operand.count = operand;
        p->called.count = called;
        p->folded.count = folded;
        return false;
    }
    if (is_root) {
        if (computation->root != XPD_PARSE_NO_ID)
            xpd_parse_warn(p, line.name.data, XPD_WARNING, "hlo_text_root_twice",
                           "a second instruction of its computation is marked ROOT; the last one "
                           "counts");
        computation->root = line.id;
        computation->root_shape = line.shape;
    }
    computation->last = line.id;
    computation->last_shape = line.shape;
    end_instruction(p, &line, body);
    return true;
}
