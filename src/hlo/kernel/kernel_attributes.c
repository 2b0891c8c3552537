/* Attributes of MLIR bytecode: those of the builtin dialect by their encoding, others as their
 * text. Source: MLIR's BuiltinDialectBytecode, whose numbers are kept for good. In: an entry. Out:
 * text. */
#include "kernel_internal.h"

enum {
    A_ARRAY = 0,
    A_DICTIONARY, /* pairs of a name and a value */
    A_STRING,
    A_TYPED_STRING,
    A_SYMBOL,
    A_NESTED_SYMBOL,
    A_TYPE,
    A_UNIT,
    A_INTEGER,          /* type, value */
    A_FLOAT,            /* type, value */
    A_DENSE_ARRAY = 17, /* type, how many, bytes */
    A_DENSE = 18,       /* type, bytes */
};
enum { LISTED_MOST = 100 }; /* elements; more are printed as one string of hexadecimal digits */

static bool builtin(const struct xpd_mlir *m, uint64_t index, struct xpd_mlir_bytes *from,
                    uint64_t *code)
{
    if (index >= m->attribute_count || !m->attribute[index].encoded ||
        !xpd_str_eq(m->attribute[index].dialect, XPD_STR("builtin")))
        return false;
    *from = m->attribute[index].bytes;
    *code = xpd_mlir_int(from);
    return !from->failed;
}

/* ---- names and strings ---- */

static struct xpd_str string_of(const struct xpd_mlir *m, uint64_t attribute)
{
    struct xpd_mlir_bytes from;
    uint64_t code;
    if (!builtin(m, attribute, &from, &code) || code != A_STRING)
        return XPD_STR("");
    return xpd_mlir_string(m, xpd_mlir_int(&from));
}

static void put_quoted(struct xpd_strbuf *out, struct xpd_str text)
{
    xpd_strbuf_putc(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '\\')
            xpd_strbuf_puts(out, "\\\\");
        else if (c >= 32 && c < 127 && c != '"')
            xpd_strbuf_putc(out, (char)c);
        else
            xpd_strbuf_printf(out, "\\%02X", c);
    }
    xpd_strbuf_putc(out, '"');
}

static void put_name(struct xpd_strbuf *out, struct xpd_str name)
{
    bool bare = name.size > 0;
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        bare = bare && (letter || (i > 0 && ((c >= '0' && c <= '9') || c == '.' || c == '$')));
    }
    if (bare)
        xpd_mlir_put(out, name);
    else
        put_quoted(out, name);
}

/* ---- dictionaries ---- */

static bool is_unit(const struct xpd_mlir *m, uint64_t attribute)
{
    struct xpd_mlir_bytes from;
    uint64_t code;
    return builtin(m, attribute, &from, &code) && code == A_UNIT;
}

void xpd_mlir_put_dictionary(struct xpd_strbuf *out, struct xpd_mlir *m, uint64_t index, int depth,
                             const char *before, const char *without)
{
    struct xpd_mlir_bytes from;
    uint64_t code;
    uint32_t shown = 0;
    if (!builtin(m, index, &from, &code) || code != A_DICTIONARY) {
        xpd_strbuf_puts(out, before);
        xpd_mlir_put_attribute(out, m, index, depth, false);
        return;
    }
    uint32_t count = xpd_mlir_count(&from);
    for (uint32_t i = 0; i < count && !from.failed && !m->full; i++) {
        struct xpd_str name = string_of(m, xpd_mlir_int(&from));
        uint64_t value = xpd_mlir_int(&from);
        if (without && xpd_str_eq(name, xpd_str_of(without)))
            continue;
        xpd_strbuf_puts(out, shown ? ", " : before);
        if (shown++ == 0)
            xpd_strbuf_putc(out, '{');
        put_name(out, name);
        if (is_unit(m, value))
            continue;
        xpd_strbuf_puts(out, " = ");
        xpd_mlir_put_attribute(out, m, value, depth + 1, false);
    }
    if (shown)
        xpd_strbuf_putc(out, '}');
    m->cut = m->cut || from.failed;
}

struct xpd_str xpd_mlir_member(const struct xpd_mlir *m, uint64_t dictionary, const char *name)
{
    struct xpd_mlir_bytes from;
    uint64_t code;
    if (!builtin(m, dictionary, &from, &code) || code != A_DICTIONARY)
        return XPD_STR("");
    for (uint32_t i = xpd_mlir_count(&from); i > 0 && !from.failed; i--) {
        struct xpd_str key = string_of(m, xpd_mlir_int(&from));
        uint64_t value = xpd_mlir_int(&from);
        if (xpd_str_eq(key, xpd_str_of(name)))
            return string_of(m, value);
    }
    return XPD_STR("");
}

/* ---- numbers ---- */

/* Bits of a number alone: a byte up to 8 bits, else a signed varint. */
static uint64_t take_bits(struct xpd_mlir_bytes *from, uint32_t bits)
{
    if (bits > 8)
        return (uint64_t)xpd_mlir_signed(from);
    from->failed = from->failed || from->at == from->end;
    return from->failed ? 0 : *from->at++;
}

static bool put_scalar(struct xpd_strbuf *out, struct xpd_mlir *m, struct xpd_mlir_bytes *from,
                       int depth, bool elide)
{
    uint64_t type = xpd_mlir_int(from);
    struct xpd_mlir_number number = xpd_mlir_number_of(m, type);
    if (number.bits == 0)
        return false;
    xpd_mlir_put_number(out, number, take_bits(from, number.bits));
    bool boolean = number.bits == 1 && number.kind != 'x';
    if (boolean || (elide && number.bits == 64 && number.kind != 'x' && number.kind != 'u'))
        return true;
    xpd_strbuf_puts(out, " : ");
    xpd_mlir_put_type(out, m, type, depth + 1);
    return true;
}

static struct xpd_mlir_bytes take_blob(struct xpd_mlir_bytes *from)
{
    uint64_t size = xpd_mlir_int(from);
    if (from->failed || size > (uint64_t)(from->end - from->at)) {
        from->failed = true;
        return (struct xpd_mlir_bytes){from->end, from->end, true};
    }
    struct xpd_mlir_bytes blob = {from->at, from->at + size, false};
    from->at += size;
    return blob;
}

static uint64_t number_at(const struct xpd_mlir_bytes *blob, uint64_t index, uint32_t bytes)
{
    uint64_t bits = 0;
    for (uint32_t b = 0; b < bytes; b++)
        bits |= (uint64_t)blob->at[index * bytes + b] << (8 * b);
    return bits;
}

static bool put_dense_array(struct xpd_strbuf *out, struct xpd_mlir *m, struct xpd_mlir_bytes *from,
                            int depth)
{
    uint64_t type = xpd_mlir_int(from), count = xpd_mlir_int(from);
    struct xpd_mlir_number number = xpd_mlir_number_of(m, type);
    struct xpd_mlir_bytes blob = take_blob(from);
    uint32_t bytes = (number.bits + 7) / 8;
    if (number.bits == 0 || from->failed || count > (uint64_t)(blob.end - blob.at) / bytes)
        return false;
    xpd_strbuf_puts(out, "array<");
    xpd_mlir_put_type(out, m, type, depth + 1);
    for (uint64_t i = 0; i < count && out->size <= m->text_most; i++) {
        xpd_strbuf_puts(out, i ? ", " : ": ");
        xpd_mlir_put_number(out, number, number_at(&blob, i, bytes));
    }
    xpd_strbuf_putc(out, '>');
    return true;
}

struct dense {
    struct xpd_mlir_bytes blob;
    struct xpd_mlir_number number;
    const struct xpd_mlir_shape *shape;
    uint64_t next;
};

static void put_nested(struct xpd_strbuf *out, struct dense *dense, uint32_t depth)
{
    if (depth == dense->shape->rank) {
        xpd_mlir_put_number(out, dense->number,
                            number_at(&dense->blob, dense->next++, dense->number.bits / 8));
        return;
    }
    xpd_strbuf_putc(out, '[');
    for (int64_t i = 0; i < dense->shape->dims[depth]; i++) {
        xpd_strbuf_puts(out, i ? ", " : "");
        put_nested(out, dense, depth + 1);
    }
    xpd_strbuf_putc(out, ']');
}

static void put_hexadecimal(struct xpd_strbuf *out, const struct xpd_mlir *m,
                            const struct xpd_mlir_bytes *blob)
{
    xpd_strbuf_puts(out, "\"0x");
    for (const uint8_t *at = blob->at; at < blob->end && out->size <= m->text_most; at++)
        xpd_strbuf_printf(out, "%02X", *at);
    xpd_strbuf_putc(out, '"');
}

/* Bits packed to bytes only when all are equal: others are left as unknown. */
static bool put_dense(struct xpd_strbuf *out, struct xpd_mlir *m, struct xpd_mlir_bytes *from,
                      int depth)
{
    uint64_t type = xpd_mlir_int(from);
    struct xpd_mlir_shape shape;
    struct dense dense = {.blob = take_blob(from), .shape = &shape};
    if (from->failed || !xpd_mlir_shape_of(m, type, &shape))
        return false;
    dense.number = xpd_mlir_number_of(m, shape.element);
    uint64_t size = (uint64_t)(dense.blob.end - dense.blob.at);
    uint32_t bytes = (dense.number.bits + 7) / 8;
    if (dense.number.bits == 0 || shape.rank > XPD_MLIR_DEPTH ||
        (size != bytes && (dense.number.bits % 8 || shape.count == UINT64_MAX ||
                           shape.count != size / bytes || size % bytes)))
        return false;
    xpd_strbuf_puts(out, "dense<");
    if (size == bytes)
        xpd_mlir_put_number(out, dense.number, number_at(&dense.blob, 0, bytes));
    else if (shape.count > LISTED_MOST)
        put_hexadecimal(out, m, &dense.blob);
    else if (shape.count > 0)
        put_nested(out, &dense, 0);
    xpd_strbuf_puts(out, "> : ");
    xpd_mlir_put_type(out, m, type, depth + 1);
    return true;
}

/* ---- all ---- */

static void put_array(struct xpd_strbuf *out, struct xpd_mlir *m, struct xpd_mlir_bytes *from,
                      int depth)
{
    uint32_t count = xpd_mlir_count(from);
    xpd_strbuf_putc(out, '[');
    for (uint32_t i = 0; i < count && !from->failed && !m->full; i++) {
        xpd_strbuf_puts(out, i ? ", " : "");
        xpd_mlir_put_attribute(out, m, xpd_mlir_int(from), depth + 1, true);
    }
    xpd_strbuf_putc(out, ']');
}

static void put_symbol(struct xpd_strbuf *out, const struct xpd_mlir *m, uint64_t attribute)
{
    xpd_strbuf_putc(out, '@');
    put_name(out, string_of(m, attribute));
}

/* False for an unknown number. */
static bool put_builtin(struct xpd_strbuf *out, struct xpd_mlir *m, struct xpd_mlir_bytes *from,
                        uint64_t code, int depth, bool elide)
{
    switch (code) {
    case A_ARRAY: put_array(out, m, from, depth); return true;
    case A_STRING: put_quoted(out, xpd_mlir_string(m, xpd_mlir_int(from))); return true;
    case A_TYPED_STRING:
        put_quoted(out, xpd_mlir_string(m, xpd_mlir_int(from)));
        xpd_strbuf_puts(out, " : ");
        xpd_mlir_put_type(out, m, xpd_mlir_int(from), depth + 1);
        return true;
    case A_SYMBOL: put_symbol(out, m, xpd_mlir_int(from)); return true;
    case A_NESTED_SYMBOL:
        put_symbol(out, m, xpd_mlir_int(from));
        for (uint32_t i = xpd_mlir_count(from); i > 0 && !from->failed && !m->full; i--) {
            xpd_strbuf_puts(out, "::");
            xpd_mlir_put_attribute(out, m, xpd_mlir_int(from), depth + 1, false);
        }
        return true;
    case A_TYPE: xpd_mlir_put_type(out, m, xpd_mlir_int(from), depth + 1); return true;
    case A_UNIT: xpd_strbuf_puts(out, "unit"); return true;
    case A_INTEGER:
    case A_FLOAT: return put_scalar(out, m, from, depth, elide);
    case A_DENSE_ARRAY: return put_dense_array(out, m, from, depth);
    case A_DENSE: return put_dense(out, m, from, depth);
    default: return false;
    }
}

void xpd_mlir_put_attribute(struct xpd_strbuf *out, struct xpd_mlir *m, uint64_t index, int depth,
                            bool elide)
{
    struct xpd_mlir_bytes from;
    uint64_t code;
    m->full = m->full || out->size > m->text_most;
    if (m->full || depth > XPD_MLIR_DEPTH) {
        xpd_strbuf_puts(out, m->full ? "" : "#...");
        m->cut = true;
        return;
    }
    size_t before = out->size;
    if (builtin(m, index, &from, &code)) {
        if (code == A_DICTIONARY) {
            xpd_mlir_put_dictionary(out, m, index, depth, "", NULL);
            if (out->size == before)
                xpd_strbuf_puts(out, "{}");
            return;
        }
        if (put_builtin(out, m, &from, code, depth, elide) && !from.failed)
            return;
        out->size = before; /* half of an attribute */
    }
    xpd_mlir_put_entry(out, m, index < m->attribute_count ? &m->attribute[index] : NULL, "#");
}
