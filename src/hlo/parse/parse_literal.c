/* Values of constants: "5", "{1, 2}", "{ { 1, 2 }, { 3, 4 } }", "( {1}, 2 )".
 *
 * In: the text and that of the shape. Out: a LiteralProto with the values in the order of their
 * indices. Braces only repeat the dimensions of the shape, so they are skipped. */
#include "parse_internal.h"

#include "../text/value_kinds.h"

#include <math.h>
#include <stdlib.h>

enum { LITERAL_SHAPE = 1, LITERAL_TUPLE = 10 };

struct real {
    double value;
    float single; /* read as such: not rounded twice */
    bool is_nan, negative;
    uint64_t payload; /* of a NaN: its mantissa, 0 = the usual one */
};

/* "nan", "-nan", "nan(0x1)" after an optional sign. */
static bool read_nan(struct xpd_text_scan *scan, struct real *real)
{
    struct xpd_text_scan ahead = *scan;
    real->negative = xpd_scan_peek(&ahead) == '-';
    ahead.at += real->negative;
    if (!xpd_str_starts(xpd_scan_rest(&ahead), "nan"))
        return false;
    ahead.at += 3;
    real->is_nan = true;
    real->value = NAN;
    if (xpd_str_starts(xpd_scan_rest(&ahead), "(0x")) {
        ahead.at += 3;
        while (xpd_scan_more(&ahead) && *ahead.at != ')') {
            char c = *ahead.at++;
            uint64_t digit = c >= '0' && c <= '9' ? (uint64_t)(c - '0') : (uint64_t)((c | 32) - 87);
            if (digit > 15)
                return false;
            real->payload = real->payload << 4 | digit;
        }
        if (!xpd_scan_take(&ahead, ')'))
            return false;
    }
    scan->at = ahead.at;
    return true;
}

static bool read_real(struct xpd_text_scan *scan, struct real *real, bool single)
{
    char text[64], *end;
    size_t n = 0;
    *real = (struct real){0};
    if (read_nan(scan, real))
        return true;
    while (n + 1 < sizeof text && scan->at + n < scan->end && scan->at[n] != ',' &&
           scan->at[n] != ' ' && scan->at[n] != '}' && scan->at[n] != ')') {
        text[n] = scan->at[n];
        n++;
    }
    text[n] = '\0';
    if (single)
        real->single = strtof(text, &end);
    else
        real->value = strtod(text, &end);
    real->value = single ? (double)real->single : real->value;
    real->is_nan = isnan(real->value); /* "nAn" by another hand */
    real->negative = real->is_nan && signbit(real->value) != 0;
    if (n == 0 || end != text + n)
        return false;
    scan->at += n;
    return true;
}

bool xpd_parse_real(struct xpd_text_scan *scan, double *value)
{
    struct real real;
    xpd_scan_space(scan);
    bool good = read_real(scan, &real, false);
    *value = real.value;
    return good;
}

/* ---- small floating point types ---- */

static uint32_t finite_bits(const struct xpd_value_kind *kind, double value)
{
    uint32_t exponent_mask = (1u << kind->exponent_bits) - 1;
    int exponent;
    double part = frexp(value, &exponent); /* in [0.5, 1) */
    int biased = exponent - 1 + kind->bias;
    if (value == 0)
        return 0;
    if (biased < 1) /* below the smallest exponent: no leading one */
        return (uint32_t)rint(ldexp(value, kind->bias - 1 + kind->mantissa_bits));
    double mantissa = rint(ldexp(2 * part - 1, kind->mantissa_bits));
    uint64_t bits = ((uint64_t)biased << kind->mantissa_bits) + (uint64_t)mantissa;
    uint64_t most = ((uint64_t)exponent_mask + 1) << kind->mantissa_bits;
    return bits < most ? (uint32_t)bits : (uint32_t)most - 1;
}

static uint32_t nan_bits(const struct xpd_value_kind *kind, const struct real *real)
{
    uint32_t exponent_mask = (1u << kind->exponent_bits) - 1;
    uint32_t mantissa_mask = (1u << kind->mantissa_bits) - 1;
    switch (kind->special) {
    case 'i': {
        uint32_t payload = (uint32_t)real->payload & mantissa_mask;
        if (payload == 0)
            payload = 1u << (kind->mantissa_bits - 1);
        return exponent_mask << kind->mantissa_bits | payload;
    }
    case 'n': return exponent_mask << kind->mantissa_bits | mantissa_mask;
    case 'e': return exponent_mask;
    default: return 0; /* 'z': the sign is what tells it */
    }
}

/* A power of two, of which two digits are shown: the nearest one that the type has. */
static uint32_t power_bits(const struct xpd_value_kind *kind, double value)
{
    double exponent = value > 0 ? rint(log2(value)) + kind->bias : 0;
    double most = (double)((1u << kind->exponent_bits) - 2);
    return (uint32_t)fmax(0, fmin(exponent, most));
}

static uint32_t small_bits(const struct xpd_value_kind *kind, const struct real *real)
{
    bool negative = real->is_nan ? real->negative : signbit(real->value) != 0;
    double value = fabs(real->value);
    uint32_t bits;
    if (real->is_nan && kind->special == 'z')
        return 1u << (kind->exponent_bits + kind->mantissa_bits);
    if (real->is_nan)
        bits = nan_bits(kind, real);
    else if (kind->special == 'e')
        return power_bits(kind, value);
    else if (isinf(value))
        bits = ((1u << kind->exponent_bits) - 1) << kind->mantissa_bits;
    else
        bits = finite_bits(kind, value);
    if (negative && kind->special != 'e')
        bits |= 1u << (kind->exponent_bits + kind->mantissa_bits);
    return bits;
}

/* ---- one value ---- */

static bool put_real(struct xpd_text_scan *scan, const struct xpd_value_kind *kind,
                     struct xpd_strbuf *out)
{
    struct real real;
    uint64_t bits = 0;
    xpd_scan_space(scan);
    if (!read_real(scan, &real, kind->bytes == 4))
        return false;
    if (real.is_nan) {
        uint32_t mantissa = kind->bytes == 4 ? 23 : 52, all = kind->bytes == 4 ? 8 : 11;
        uint64_t payload = real.payload ? real.payload : UINT64_C(1) << (mantissa - 1);
        bits = ((UINT64_C(1) << all) - 1) << mantissa | (payload & ((UINT64_C(1) << mantissa) - 1));
        bits |= real.negative ? UINT64_C(1) << (mantissa + all) : 0;
    } else if (kind->bytes == 4) {
        memcpy(&bits, &real.single, 4); /* both are little endian, as the machines this runs on */
    } else {
        memcpy(&bits, &real.value, 8);
    }
    xpd_strbuf_add(out, &bits, kind->bytes);
    return true;
}

static bool put_bool(struct xpd_text_scan *scan, struct xpd_strbuf *out)
{
    int64_t number;
    if (xpd_scan_word(scan, XPD_STR("true")))
        number = 1;
    else if (xpd_scan_word(scan, XPD_STR("false")))
        number = 0;
    else if (!xpd_scan_int(scan, &number))
        return false;
    xpd_out_varint(out, number != 0);
    return true;
}

/* Up to 2^64 - 1, which no signed number holds. */
static bool read_integer(struct xpd_text_scan *scan, int64_t *number)
{
    uint64_t large;
    if (xpd_scan_int(scan, number))
        return true;
    struct xpd_str digits = {scan->at, 0};
    while (scan->at + digits.size < scan->end && scan->at[digits.size] >= '0' &&
           scan->at[digits.size] <= '9')
        digits.size++;
    if (!xpd_str_to_u64(digits, &large))
        return false;
    scan->at += digits.size;
    *number = (int64_t)large;
    return true;
}

static bool put_one(struct xpd_text_scan *scan, const struct xpd_value_kind *kind,
                    struct xpd_strbuf *out)
{
    int64_t number;
    struct real real;
    switch (kind->how) {
    case XPD_VALUE_BOOL_VARINT: return put_bool(scan, out);
    case XPD_VALUE_REAL_BYTES:
        if (!kind->complex)
            return put_real(scan, kind, out);
        return xpd_scan_take(scan, '(') && put_real(scan, kind, out) && xpd_scan_take(scan, ',') &&
               put_real(scan, kind, out) && xpd_scan_take(scan, ')');
    case XPD_VALUE_SMALL_REAL: {
        xpd_scan_space(scan);
        if (!read_real(scan, &real, false))
            return false;
        uint32_t bits = small_bits(kind, &real);
        xpd_strbuf_add(out, &bits, kind->bytes);
        return true;
    }
    default: break;
    }
    if (!read_integer(scan, &number))
        return false;
    if (kind->how == XPD_VALUE_INT_VARINT || kind->how == XPD_VALUE_UINT_VARINT)
        xpd_out_varint(out, (uint64_t)number);
    else
        xpd_strbuf_add(out, &number, kind->bytes);
    return true;
}

/* ---- arrays and tuples ---- */

/* All values up to the end of the array; `scalar`: one. A '?' stands where a literal was cut short.
 */
static bool put_values(struct xpd_text_scan *scan, const struct xpd_value_kind *kind, bool scalar,
                       struct xpd_strbuf *out)
{
    uint32_t depth = 0;
    if (scalar)
        return xpd_scan_take(scan, '?') || put_one(scan, kind, out);
    do {
        xpd_scan_space(scan);
        char c = xpd_scan_peek(scan);
        if (!xpd_scan_more(scan))
            return false;
        if (c == '{') {
            depth++;
        } else if (c == '}') {
            if (depth == 0)
                return false;
            depth--;
        } else if (c != ',' && c != '?') {
            if (!put_one(scan, kind, out))
                return false;
            continue;
        }
        scan->at++;
    } while (depth > 0);
    return true;
}

static void put_array_shape(const struct xpd_array *array, struct xpd_strbuf *out)
{
    enum { TYPE = 2, DIMS = 3, LAYOUT = 5, MINOR = 1 };
    size_t shape = xpd_out_begin(out, LITERAL_SHAPE);
    xpd_out_int(out, TYPE, array->type);
    size_t list = xpd_out_begin(out, DIMS);
    for (uint32_t i = 0; i < array->rank; i++)
        xpd_out_varint(out, (uint64_t)array->dims[i]);
    xpd_out_end(out, list);
    size_t layout = xpd_out_begin(out, LAYOUT);
    list = xpd_out_begin(out, MINOR);
    for (uint32_t i = array->rank; i > 0; i--)
        xpd_out_varint(out, i - 1);
    xpd_out_end(out, list);
    xpd_out_end(out, layout);
    xpd_out_end(out, shape);
}

static bool put_array(struct xpd_parse *p, struct xpd_text_scan *shape, struct xpd_text_scan *value,
                      struct xpd_strbuf *out)
{
    struct xpd_array array = {.type = 0};
    xpd_strbuf_clear(&p->line_text);
    if (!xpd_parse_shape(shape, &p->line_text, 1, &array))
        return false;
    const struct xpd_value_kind *kind = xpd_value_kind_of(array.type);
    if (!kind)
        return false;
    put_array_shape(&array, out);
    size_t begin = xpd_out_begin(out, kind->field);
    bool good = put_values(value, kind, array.rank == 0, out);
    xpd_out_end(out, begin);
    return good;
}

static bool put_tuple(struct xpd_parse *p, struct xpd_text_scan *shape, struct xpd_text_scan *value,
                      struct xpd_strbuf *out, int depth)
{
    struct xpd_text_scan whole = *shape;
    if (!xpd_parse_bare_shape(&whole, out, LITERAL_SHAPE) || !xpd_scan_take(shape, '(') ||
        !xpd_scan_take(value, '('))
        return false;
    while (!xpd_scan_take(shape, ')')) {
        if (!xpd_parse_literal(p, shape, value, out, LITERAL_TUPLE, depth + 1))
            return false;
        (void)xpd_scan_take(shape, ',');
        (void)xpd_scan_take(value, ',');
    }
    return xpd_scan_take(value, ')');
}

bool xpd_parse_literal(struct xpd_parse *p, struct xpd_text_scan *shape,
                       struct xpd_text_scan *value, struct xpd_strbuf *out, uint32_t field,
                       int depth)
{
    if (depth >= XPD_HLO_TEXT_DEPTH)
        return false;
    size_t begin = xpd_out_begin(out, field);
    xpd_scan_space(shape);
    bool good = xpd_scan_peek(shape) == '(' ? put_tuple(p, shape, value, out, depth)
                                            : put_array(p, shape, value, out);
    xpd_out_end(out, begin);
    return good;
}

/* f32[2]{0} {1, 2} of a custom call. */
bool xpd_read_literal_attribute(struct xpd_parse *p, struct xpd_parse_line *line,
                                struct xpd_text_scan value, const struct xpd_parse_row *row)
{
    struct xpd_text_scan shape = value;
    if (!xpd_parse_skip_shape(&value))
        return false;
    shape.end = value.at;
    xpd_scan_space(&value);
    return xpd_parse_literal(p, &shape, &value, line->out, row->field, 0);
}
