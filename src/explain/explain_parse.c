/* One instruction of HLO text. In: text. Out: its parts, borrowed from the text.
 *
 * Operands and attributes are cut at the commas of their own level; brackets and quotes inside are
 * passed over, so a config of any content is one attribute. */
#include "explain_scan.h"

#include "xprofd/base/vec.h"

static int refuse(struct xpd_err *err, const struct xpd_scan *scan, const struct xpd_hlo_line *line,
                  const char *what)
{
    if (scan->arena->failed)
        return xpd_no_memory(err, "text", "to explain this text");
    return xpd_fail(
        err, XPD_EFORMAT, "text", (uint64_t)(scan->at - line->text.data),
        "This is not an HLO instruction: %s. An instruction looks like `%%name = f32[8,128]{1,0} "
        "add(%%a, %%b)`.",
        what);
}

/* Moves past a piece that ends at a comma or at `end` of the same level, not taking either. */
static void pass_piece(struct xpd_scan *scan, char end)
{
    for (int level = 0; scan->at < scan->end; scan->at++) {
        char c = *scan->at;
        if (c == '"') {
            for (scan->at++; scan->at < scan->end && *scan->at != '"'; scan->at++)
                scan->at += *scan->at == '\\' && scan->at + 1 < scan->end;
            if (scan->at >= scan->end)
                return;
            continue;
        }
        if (level == 0 && (c == ',' || c == end))
            return;
        level += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
        level = level < 0 ? 0 : level;
    }
}

static struct xpd_str trimmed(struct xpd_str text)
{
    while (text.size && (text.data[text.size - 1] == ' ' || text.data[text.size - 1] == '\n' ||
                         text.data[text.size - 1] == '\r' || text.data[text.size - 1] == '\t'))
        text.size--;
    return text;
}

static struct xpd_line_operand read_operand(struct xpd_scan *scan, struct xpd_str text)
{
    struct xpd_scan inner = {text.data, text.data + text.size, scan->arena};
    struct xpd_line_operand operand = {.text = text};
    operand.shape = xpd_scan_shape(&inner, NULL);
    xpd_scan_blanks(&inner);
    xpd_scan_take(&inner, '%');
    const char *from = inner.at;
    inner.at = inner.end;
    operand.name = trimmed(xpd_scan_since(&inner, from));
    return operand;
}

static int read_operands(struct xpd_scan *scan, struct xpd_hlo_line *line, struct xpd_err *err)
{
    XPD_VEC(struct xpd_line_operand) all = {0};
    const char *from = scan->at;
    bool is_constant = xpd_str_eq(line->opcode, XPD_STR("constant"));
    while (scan->at < scan->end && xpd_scan_peek(scan) != ')') {
        xpd_scan_blanks(scan);
        const char *start = scan->at;
        pass_piece(scan, ')');
        struct xpd_str piece = trimmed(xpd_scan_since(scan, start));
        if (piece.size && !is_constant)
            XPD_PUSH(&all, read_operand(scan, piece));
        xpd_scan_take(scan, ',');
    }
    line->operands_text = xpd_scan_since(scan, from);
    line->operand = XPD_COPY_VEC(scan->arena, &all);
    line->operand_count = line->operand ? (uint32_t)all.count : 0;
    XPD_VEC_FINI(&all);
    return xpd_scan_take(scan, ')')
               ? XPD_OK
               : refuse(err, scan, line, "the `)` after its operands is missing");
}

static void read_attributes(struct xpd_scan *scan, struct xpd_hlo_line *line)
{
    XPD_VEC(struct xpd_line_attribute) all = {0};
    for (xpd_scan_blanks(scan); xpd_scan_take(scan, ','); xpd_scan_blanks(scan)) {
        xpd_scan_blanks(scan);
        const char *start = scan->at;
        struct xpd_line_attribute attribute = {.key = xpd_scan_word(scan), .value = XPD_STR("")};
        if (xpd_scan_take(scan, '=')) {
            const char *from = scan->at;
            pass_piece(scan, '\n');
            attribute.value = trimmed(xpd_scan_since(scan, from));
        } else {
            pass_piece(scan, '\n');
        }
        attribute.text = trimmed(xpd_scan_since(scan, start));
        if (attribute.key.size)
            XPD_PUSH(&all, attribute);
    }
    line->attribute = XPD_COPY_VEC(scan->arena, &all);
    line->attribute_count = line->attribute ? (uint32_t)all.count : 0;
    XPD_VEC_FINI(&all);
}

int xpd_line_parse(struct xpd_hlo_line *out, struct xpd_arena *arena, struct xpd_str text,
                   struct xpd_err *err)
{
    struct xpd_scan scan = {text.data, text.data + text.size, arena};
    *out = (struct xpd_hlo_line){.text = text};
    if (text.size > XPD_LINE_BYTES_MOST)
        return xpd_fail(err, XPD_ELIMIT, "text", XPD_NO_OFFSET,
                        "The text has %zu bytes; the limit for one instruction is %d.", text.size,
                        XPD_LINE_BYTES_MOST);
    xpd_scan_blanks(&scan);
    if (scan.end - scan.at > 5 && memcmp(scan.at, "ROOT ", 5) == 0) {
        out->is_root = true;
        scan.at += 5;
        xpd_scan_blanks(&scan);
    }
    xpd_scan_take(&scan, '%');
    out->name = xpd_scan_word(&scan);
    if (out->name.size == 0)
        return refuse(err, &scan, out, "it does not begin with a name");
    xpd_scan_blanks(&scan);
    if (!xpd_scan_take(&scan, '='))
        return refuse(err, &scan, out, "`=` does not follow the name");
    xpd_scan_blanks(&scan);
    const char *shape = scan.at;
    out->shape = xpd_scan_shape(&scan, out);
    if (!out->shape)
        return refuse(err, &scan, out, "a shape does not follow `=`");
    out->shape_text = xpd_scan_since(&scan, shape);
    xpd_scan_blanks(&scan);
    out->opcode = xpd_scan_word(&scan);
    if (out->opcode.size == 0 || !xpd_scan_take(&scan, '('))
        return refuse(err, &scan, out, "an operation with `(` does not follow the shape");
    int rc = read_operands(&scan, out, err);
    if (rc == XPD_OK)
        read_attributes(&scan, out);
    return rc == XPD_OK && arena->failed ? xpd_no_memory(err, "text", "to explain this text") : rc;
}

struct xpd_str xpd_line_attribute(const struct xpd_hlo_line *line, const char *key)
{
    for (uint32_t i = 0; i < line->attribute_count; i++)
        if (xpd_str_eq(line->attribute[i].key, xpd_str_of(key)))
            return line->attribute[i].value;
    return XPD_STR("");
}
