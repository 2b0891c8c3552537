/* The values of a literal.
 *
 * In: a LiteralProto taken apart. Out: each value as XLA prints it, by the order of its indices.
 * There is one field for each type; the bytes are read in place. */
#include "print_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 2 };

/* Position of the index-th element in order of indices. */
static uint64_t place_of(const struct xpd_values *values, uint64_t index)
{
    if (!values->shape)
        return index;
    uint64_t place = 0;
    for (uint32_t d = values->shape->rank; d-- > 0;) {
        uint64_t size = (uint64_t)values->shape->dims[d];
        place += index % size * values->stride[d];
        index /= size;
    }
    return place;
}

static void put_real(struct xpd_strbuf *out, double value, bool negative_nan, int short_digits,
                     int digits, bool is_float)
{
    char text[64];
    if (isnan(value)) {
        xpd_strbuf_puts(out, negative_nan ? "-nan" : "nan");
        return;
    }
    if (isinf(value)) {
        xpd_strbuf_puts(out, value > 0 ? "inf" : "-inf");
        return;
    }
    snprintf(text, sizeof text, "%.*g", short_digits, value);
    double back = is_float ? (double)strtof(text, NULL) : strtod(text, NULL);
    if (digits != short_digits && back != value)
        snprintf(text, sizeof text, "%.*g", digits, value);
    xpd_strbuf_puts(out, text);
}

static double small_real(const struct xpd_value_kind *kind, uint32_t bits, bool *negative)
{
    uint32_t exponent_mask = (1u << kind->exponent_bits) - 1;
    uint32_t mantissa_mask = (1u << kind->mantissa_bits) - 1;
    uint32_t mantissa = bits & mantissa_mask;
    uint32_t exponent = (bits >> kind->mantissa_bits) & exponent_mask;
    if (kind->special == 'e') {
        *negative = false;
        return exponent == exponent_mask ? NAN : ldexp(1.0, (int)exponent - kind->bias);
    }
    *negative = (bits >> (kind->mantissa_bits + kind->exponent_bits)) & 1;
    if (kind->special == 'i' && exponent == exponent_mask)
        return mantissa ? NAN : *negative ? -INFINITY : INFINITY;
    if (kind->special == 'n' && exponent == exponent_mask && mantissa == mantissa_mask)
        return NAN;
    if (kind->special == 'z' && *negative && exponent == 0 && mantissa == 0)
        return NAN;
    double value =
        exponent ? ldexp(1.0 + (double)mantissa / (mantissa_mask + 1.0), (int)exponent - kind->bias)
                 : ldexp((double)mantissa / (mantissa_mask + 1.0), 1 - kind->bias);
    return *negative ? -value : value;
}

/* nan(0x1): the mantissa of a NaN that is not the usual one, whose mantissa is its first bit. */
static void put_payload(struct xpd_strbuf *out, uint64_t bits, int mantissa_bits)
{
    uint64_t mantissa = bits & (((uint64_t)1 << mantissa_bits) - 1);
    if (mantissa != (uint64_t)1 << (mantissa_bits - 1))
        xpd_strbuf_printf(out, "(0x%llx)", (unsigned long long)mantissa);
}

static void put_part(struct xpd_strbuf *out, const struct xpd_value_kind *kind, const uint8_t *at)
{
    uint64_t bits = 0;
    memcpy(&bits, at, kind->bytes); /* both are little endian, as the machines this runs on */
    if (kind->bytes == 4) {
        float value;
        memcpy(&value, at, 4);
        put_real(out, (double)value, at[3] & 128, kind->short_digits, kind->digits, true);
        if (isnan(value))
            put_payload(out, bits, 23);
    } else {
        double value;
        memcpy(&value, at, 8);
        put_real(out, value, at[7] & 128, kind->short_digits, kind->digits, false);
        if (isnan(value))
            put_payload(out, bits, 52);
    }
}

static void put_bytes(struct xpd_strbuf *out, const struct xpd_value_kind *kind, const uint8_t *at)
{
    uint32_t bits = at[0];
    bool negative;
    if (kind->bytes == 2)
        bits |= (uint32_t)at[1] << 8;
    switch (kind->how) {
    case XPD_VALUE_INT_BYTES: { /* of a type below a byte, its own bits of the byte */
        uint32_t above = 32 - xpd_type_bits(kind->type);
        xpd_strbuf_i64(out, (int32_t)(bits << above) >> above);
        break;
    }
    case XPD_VALUE_UINT_BYTES:
        xpd_strbuf_u64(out, bits & ((1u << xpd_type_bits(kind->type)) - 1));
        break;
    default: {
        double value = small_real(kind, bits, &negative);
        put_real(out, value, negative, kind->short_digits, kind->digits, false);
        if (isnan(value) && kind->special == 'i')
            put_payload(out, bits, kind->mantissa_bits);
    }
    }
}

bool xpd_value_is_there(const struct xpd_values *values, uint64_t index)
{
    index = place_of(values, index);
    if (!values->kind || index >= values->count)
        return false;
    switch (values->kind->how) {
    case XPD_VALUE_BOOL_VARINT:
    case XPD_VALUE_INT_VARINT:
    case XPD_VALUE_UINT_VARINT: return values->integer != NULL;
    default: return values->bytes != NULL;
    }
}

static bool is_descending(const struct xpd_shape *shape, const struct xpd_layout *layout)
{
    for (uint32_t i = 0; i < shape->rank; i++)
        if (layout->minor_to_major[i] != (int64_t)shape->rank - 1 - i)
            return false;
    return true;
}

/* Values are in the order of the literal's layout, whose first dimension varies fastest. */
static void find_places(struct xpd_print *p, const struct xpd_shape *shape,
                        const struct xpd_raw *literal, struct xpd_values *values)
{
    const struct xpd_field *of = xpd_raw_last(literal, 1);
    const struct xpd_layout *layout =
        of && of->wire_type == LENGTH ? xpd_print_shape_of(p->printer, of)->layout : NULL;
    if (!layout || layout->minor_to_major_count != shape->rank || shape->rank == 0 ||
        is_descending(shape, layout))
        return;
    uint64_t *stride = XPD_NEW_ARRAY(&p->printer->scratch, uint64_t, shape->rank), step = 1;
    for (uint32_t i = 0; stride && i < shape->rank; i++) {
        int64_t d = layout->minor_to_major[i];
        if (d < 0 || d >= (int64_t)shape->rank || stride[d] != 0 || shape->dims[d] <= 0 ||
            step == 0)
            return; /* not an order of the dimensions, or nothing to place */
        stride[d] = step;
        if (__builtin_mul_overflow(step, (uint64_t)shape->dims[d], &step))
            step = 0;
    }
    values->shape = stride ? shape : NULL;
    values->stride = stride;
}

uint64_t xpd_values_of(const struct xpd_shape *shape)
{
    uint64_t count = 1;
    for (uint32_t d = 0; d < shape->rank; d++)
        if (shape->dims[d] < 0 || __builtin_mul_overflow(count, (uint64_t)shape->dims[d], &count))
            return UINT64_MAX;
    return count;
}

/* For a value that is not there. */
void xpd_put_missing(struct xpd_strbuf *out, const struct xpd_values *values,
                     const struct xpd_shape *shape)
{
    xpd_strbuf_putc(out, '?');
    uint64_t all = xpd_values_of(shape);
    if (!values->kind)
        return;
    xpd_strbuf_printf(out, " /*literal cut short: %llu of ", (unsigned long long)values->count);
    if (all == UINT64_MAX)
        xpd_strbuf_puts(out, "more than 2^64");
    else
        xpd_strbuf_u64(out, all);
    xpd_strbuf_puts(out, " values*/");
}

void xpd_put_value(struct xpd_strbuf *out, const struct xpd_values *values, uint64_t index,
                   const struct xpd_shape *shape)
{
    const struct xpd_value_kind *kind = values->kind;
    bool scalar = shape->rank == 0;
    if (!xpd_value_is_there(values, index)) {
        xpd_put_missing(out, values, shape);
        return;
    }
    index = place_of(values, index);
    switch (kind->how) {
    case XPD_VALUE_BOOL_VARINT:
        xpd_strbuf_puts(out, scalar ? (values->integer[index] ? "true" : "false")
                                    : (values->integer[index] ? "1" : "0"));
        return;
    case XPD_VALUE_INT_VARINT:
        xpd_strbuf_i64(out,
                       kind->bytes == 4 ? (int32_t)values->integer[index] : values->integer[index]);
        return;
    case XPD_VALUE_UINT_VARINT:
        xpd_strbuf_u64(out, kind->bytes == 4 ? (uint32_t)values->integer[index]
                                             : (uint64_t)values->integer[index]);
        return;
    case XPD_VALUE_REAL_BYTES:
        if (kind->complex) {
            xpd_strbuf_putc(out, '(');
            put_part(out, kind, values->bytes + index * 2 * kind->bytes);
            xpd_strbuf_puts(out, ", ");
            put_part(out, kind, values->bytes + (index * 2 + 1) * kind->bytes);
            xpd_strbuf_putc(out, ')');
        } else
            put_part(out, kind, values->bytes + index * kind->bytes);
        return;
    default: put_bytes(out, kind, values->bytes + index * kind->bytes);
    }
}

/* All bytes of a field: one packed piece in place, else the pieces and loose numbers joined. */
static const uint8_t *join_bytes(struct xpd_arena *scratch, const struct xpd_raw *raw,
                                 uint32_t number, uint32_t loose_bytes, uint64_t *size)
{
    const struct xpd_field *only = xpd_raw_last(raw, number);
    *size = 0;
    if (!only)
        return NULL;
    if (xpd_raw_count(raw, number) == 1 && only->wire_type == LENGTH) {
        *size = only->size;
        return only->bytes;
    }
    uint64_t total = 0;
    for (uint32_t i = 0; i < raw->count; i++)
        if (raw->field[i].number == number)
            total += raw->field[i].wire_type == LENGTH ? raw->field[i].size : loose_bytes;
    uint8_t *out = xpd_arena_bytes(scratch, (size_t)total);
    for (uint32_t i = 0; out && i < raw->count; i++) {
        const struct xpd_field *field = &raw->field[i];
        if (field->number != number)
            continue;
        if (field->wire_type == LENGTH && field->size)
            memcpy(out + *size, field->bytes, (size_t)field->size);
        else if (field->wire_type != LENGTH)
            memcpy(out + *size, &field->value, loose_bytes);
        *size += field->wire_type == LENGTH ? field->size : loose_bytes;
    }
    return out;
}

struct xpd_values xpd_read_values(struct xpd_print *p, const struct xpd_shape *shape,
                                  const struct xpd_raw *literal)
{
    struct xpd_values values = {0};
    int32_t type = shape->type;
    values.kind = xpd_value_kind_of(type);
    if (!values.kind)
        return values;
    find_places(p, shape, literal, &values);
    if (values.kind->how <= XPD_VALUE_BOOL_VARINT) {
        struct xpd_raw_ints ints = xpd_raw_ints(&p->printer->scratch, literal, values.kind->field);
        values.integer = ints.at;
        values.count = ints.count;
        return values;
    }
    uint64_t size, one = values.kind->bytes * (values.kind->complex ? 2u : 1u);
    values.bytes =
        join_bytes(&p->printer->scratch, literal, values.kind->field, values.kind->bytes, &size);
    values.count = values.bytes ? size / one : 0;
    return values;
}
