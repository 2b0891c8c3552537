/* Types of MLIR bytecode: those of the builtin dialect by their encoding, others as their text.
 * Source: MLIR's BuiltinDialectBytecode, whose numbers are kept for good. In: an entry. Out: text.
 * A type may hold attributes and an attribute types: with kernel_attributes.c it is one grammar. */
#include "kernel_internal.h"

#include "xprofd/base/checked.h"

enum {
    T_INTEGER = 0, /* bits << 2 | 0 signless, 1 signed, 2 unsigned */
    T_INDEX,
    T_FUNCTION, /* inputs, results */
    T_BF16,
    T_F16,
    T_F32,
    T_F64,
    T_F80,
    T_F128,
    T_COMPLEX,
    T_MEMREF,       /* shape, element, layout */
    T_MEMREF_SPACE, /* memory space, shape, element, layout */
    T_NONE,
    T_TENSOR,          /* shape, element */
    T_TENSOR_ENCODING, /* encoding, shape, element */
    T_TUPLE,
    T_UNRANKED_MEMREF,
    T_UNRANKED_MEMREF_SPACE,
    T_UNRANKED_TENSOR,
    T_VECTOR, /* shape, element */
};

/* The encoded bytes of a builtin type after its number. */
static bool builtin(const struct xpd_mlir *m, uint64_t index, struct xpd_mlir_bytes *from,
                    uint64_t *code)
{
    if (index >= m->type_count || !m->type[index].encoded ||
        !xpd_str_eq(m->type[index].dialect, XPD_STR("builtin")))
        return false;
    *from = m->type[index].bytes;
    *code = xpd_mlir_int(from);
    return !from->failed;
}

struct xpd_mlir_number xpd_mlir_number_of(const struct xpd_mlir *m, uint64_t type)
{
    struct xpd_mlir_bytes from;
    uint64_t code, width;
    if (!builtin(m, type, &from, &code))
        return (struct xpd_mlir_number){0, 0};
    switch (code) {
    case T_INTEGER:
        width = xpd_mlir_int(&from);
        return from.failed || width >> 2 > 64
                   ? (struct xpd_mlir_number){0, 0}
                   : (struct xpd_mlir_number){(uint32_t)(width >> 2), (width & 3) == 2 ? 'u' : 'i'};
    case T_INDEX: return (struct xpd_mlir_number){64, 'x'};
    case T_BF16: return (struct xpd_mlir_number){16, 'b'};
    case T_F16: return (struct xpd_mlir_number){16, 'f'};
    case T_F32: return (struct xpd_mlir_number){32, 'f'};
    case T_F64: return (struct xpd_mlir_number){64, 'f'};
    default: return (struct xpd_mlir_number){0, 0};
    }
}

static bool take_shape(const struct xpd_mlir *m, struct xpd_mlir_bytes *from,
                       struct xpd_mlir_shape *shape)
{
    bool overflow = false;
    *shape = (struct xpd_mlir_shape){.rank = xpd_mlir_count(from), .count = 1};
    int64_t *dims = XPD_NEW_ARRAY(m->arena, int64_t, (size_t)shape->rank + 1);
    int64_t count = 1;
    for (uint32_t d = 0; dims && d < shape->rank; d++) {
        dims[d] = xpd_mlir_signed(from);
        overflow = overflow || dims[d] < 0;
        count = overflow ? 0 : xpd_mul_i64(count, dims[d], &overflow);
    }
    shape->dims = dims;
    shape->count = overflow ? UINT64_MAX : (uint64_t)count;
    shape->element = xpd_mlir_int(from);
    return dims && !from->failed;
}

bool xpd_mlir_shape_of(const struct xpd_mlir *m, uint64_t type, struct xpd_mlir_shape *shape)
{
    struct xpd_mlir_bytes from;
    uint64_t code;
    if (!builtin(m, type, &from, &code) ||
        (code != T_TENSOR && code != T_TENSOR_ENCODING && code != T_VECTOR))
        return false;
    if (code == T_TENSOR_ENCODING)
        (void)xpd_mlir_int(&from);
    return take_shape(m, &from, shape);
}

static void put_shape(struct xpd_strbuf *out, struct xpd_mlir *m,
                      const struct xpd_mlir_shape *shape, int depth)
{
    for (uint32_t d = 0; d < shape->rank; d++)
        if (shape->dims[d] < 0)
            xpd_strbuf_puts(out, "?x");
        else
            xpd_strbuf_printf(out, "%lldx", (long long)shape->dims[d]);
    xpd_mlir_put_type(out, m, shape->element, depth + 1);
}

/* MLIR does not print the identity layout. */
static bool is_identity(const struct xpd_mlir *m, uint64_t layout, uint32_t rank)
{
    struct xpd_strbuf map = {0};
    if (layout >= m->attribute_count || m->attribute[layout].encoded)
        return false;
    const struct xpd_mlir_bytes *text = &m->attribute[layout].bytes;
    xpd_strbuf_puts(&map, "affine_map<(");
    for (uint32_t side = 0; side < 2; side++) {
        for (uint32_t d = 0; d < rank; d++)
            xpd_strbuf_printf(&map, "%sd%u", d ? ", " : "", d);
        xpd_strbuf_puts(&map, side ? ")>" : ") -> (");
    }
    size_t size = (size_t)(text->end - text->at);
    bool same = !map.failed && size == map.size + 1 && memcmp(text->at, map.data, size) == 0;
    xpd_strbuf_fini(&map);
    return same;
}

static void put_memref(struct xpd_strbuf *out, struct xpd_mlir *m, struct xpd_mlir_bytes *from,
                       bool has_space, int depth)
{
    struct xpd_mlir_shape shape;
    uint64_t space = has_space ? xpd_mlir_int(from) : 0;
    if (!take_shape(m, from, &shape))
        return;
    uint64_t layout = xpd_mlir_int(from);
    xpd_strbuf_puts(out, "memref<");
    put_shape(out, m, &shape, depth);
    if (!is_identity(m, layout, shape.rank)) {
        xpd_strbuf_puts(out, ", ");
        xpd_mlir_put_attribute(out, m, layout, depth + 1, false);
    }
    if (has_space) {
        xpd_strbuf_puts(out, ", ");
        xpd_mlir_put_attribute(out, m, space, depth + 1, true);
    }
    xpd_strbuf_putc(out, '>');
}

/* "i32, f32"; returns how many. */
static uint32_t put_list(struct xpd_strbuf *out, struct xpd_mlir *m, struct xpd_mlir_bytes *from,
                         int depth)
{
    uint32_t count = xpd_mlir_count(from);
    for (uint32_t i = 0; i < count && !from->failed; i++) {
        xpd_strbuf_puts(out, i ? ", " : "");
        xpd_mlir_put_type(out, m, xpd_mlir_int(from), depth + 1);
    }
    return count;
}

static void put_function(struct xpd_strbuf *out, struct xpd_mlir *m, struct xpd_mlir_bytes *from,
                         int depth)
{
    xpd_strbuf_putc(out, '(');
    (void)put_list(out, m, from, depth);
    xpd_strbuf_puts(out, ") -> ");
    struct xpd_mlir_bytes ahead = *from;
    bool one = xpd_mlir_count(&ahead) == 1;
    xpd_strbuf_puts(out, one ? "" : "(");
    (void)put_list(out, m, from, depth);
    xpd_strbuf_puts(out, one ? "" : ")");
}

static void put_integer(struct xpd_strbuf *out, struct xpd_mlir_bytes *from)
{
    static const char *const sign[] = {"i", "si", "ui", "?"};
    uint64_t width = xpd_mlir_int(from);
    xpd_strbuf_printf(out, "%s%llu", sign[width & 3], (unsigned long long)(width >> 2));
}

/* False for an unknown number. */
static bool put_builtin(struct xpd_strbuf *out, struct xpd_mlir *m, struct xpd_mlir_bytes *from,
                        uint64_t code, int depth)
{
    static const char *const word[] = {
        [T_INDEX] = "index", [T_BF16] = "bf16", [T_F16] = "f16",   [T_F32] = "f32",
        [T_F64] = "f64",     [T_F80] = "f80",   [T_F128] = "f128", [T_NONE] = "none"};
    struct xpd_mlir_shape shape;
    uint64_t encoding = 0;
    if (code < sizeof word / sizeof *word && word[code]) {
        xpd_strbuf_puts(out, word[code]);
        return true;
    }
    switch (code) {
    case T_INTEGER: put_integer(out, from); return true;
    case T_FUNCTION: put_function(out, m, from, depth); return true;
    case T_MEMREF:
    case T_MEMREF_SPACE: put_memref(out, m, from, code == T_MEMREF_SPACE, depth); return true;
    case T_TENSOR_ENCODING: encoding = xpd_mlir_int(from); /* fall through */
    case T_TENSOR:
    case T_VECTOR:
        if (!take_shape(m, from, &shape))
            return true;
        xpd_strbuf_puts(out, code == T_VECTOR ? "vector<" : "tensor<");
        put_shape(out, m, &shape, depth);
        if (code == T_TENSOR_ENCODING) {
            xpd_strbuf_puts(out, ", ");
            xpd_mlir_put_attribute(out, m, encoding, depth + 1, false);
        }
        xpd_strbuf_putc(out, '>');
        return true;
    case T_COMPLEX:
    case T_TUPLE:
        xpd_strbuf_puts(out, code == T_TUPLE ? "tuple<" : "complex<");
        if (code == T_TUPLE)
            (void)put_list(out, m, from, depth);
        else
            xpd_mlir_put_type(out, m, xpd_mlir_int(from), depth + 1);
        xpd_strbuf_putc(out, '>');
        return true;
    default: return false;
    }
}

void xpd_mlir_put_type(struct xpd_strbuf *out, struct xpd_mlir *m, uint64_t index, int depth)
{
    struct xpd_mlir_bytes from;
    uint64_t code;
    m->full = m->full || out->size > m->text_most;
    if (m->full || depth > XPD_MLIR_DEPTH) {
        xpd_strbuf_puts(out, m->full ? "" : "!...");
        m->cut = true;
        return;
    }
    size_t before = out->size;
    if (builtin(m, index, &from, &code) && put_builtin(out, m, &from, code, depth) && !from.failed)
        return;
    if (before < out->size)
        out->size = before; /* half of a type */
    xpd_mlir_put_entry(out, m, index < m->type_count ? &m->type[index] : NULL, "!");
}
