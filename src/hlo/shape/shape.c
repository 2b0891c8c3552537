/* Element types, sizes without padding, and sub-shapes.
 *
 * In: frozen shapes with unchecked numbers of the file. Out: bytes, checked. The table follows
 * PrimitiveType of xla_data; a type added later prints as t<number> and has no size. */
#include "xprofd/hlo/shape.h"

#include "xprofd/base/checked.h"
#include <stdio.h>

static const struct {
    const char *name;
    uint8_t bits, xprof_bits; /* XProf gives types below a byte a whole one */
} type_table[] = {
    [0] = {"invalid", 0, 0},     [1] = {"pred", 8, 8},        [2] = {"s8", 8, 8},
    [3] = {"s16", 16, 16},       [4] = {"s32", 32, 32},       [5] = {"s64", 64, 64},
    [6] = {"u8", 8, 8},          [7] = {"u16", 16, 16},       [8] = {"u32", 32, 32},
    [9] = {"u64", 64, 64},       [10] = {"f16", 16, 16},      [11] = {"f32", 32, 32},
    [12] = {"f64", 64, 64},      [13] = {"tuple", 0, 0},      [14] = {"opaque", 0, 0},
    [15] = {"c64", 64, 64},      [16] = {"bf16", 16, 16},     [17] = {"token", 0, 0},
    [18] = {"c128", 128, 128},   [19] = {"f8e5m2", 8, 8},     [20] = {"f8e4m3fn", 8, 8},
    [21] = {"s4", 4, 8},         [22] = {"u4", 4, 8},         [23] = {"f8e4m3b11fnuz", 8, 8},
    [24] = {"f8e5m2fnuz", 8, 8}, [25] = {"f8e4m3fnuz", 8, 8}, [26] = {"s2", 2, 8},
    [27] = {"u2", 2, 8},         [28] = {"f8e4m3", 8, 8},     [29] = {"f8e3m4", 8, 8},
    [30] = {"s1", 1, 8},         [31] = {"u1", 1, 8},         [32] = {"f4e2m1fn", 4, 8},
    [33] = {"f8e8m0fnu", 8, 8},  [34] = {"buffer", 0, 0},     [35] = {"f6e3m2fn", 6, 8},
    [36] = {"f6e2m3fn", 6, 8},
};

static bool known_type(int32_t type)
{
    return type >= 0 && (size_t)type < sizeof type_table / sizeof type_table[0];
}

const char *xpd_type_name(int32_t type, char scratch[16])
{
    if (known_type(type))
        return type_table[type].name;
    snprintf(scratch, 16, "t%d", type);
    return scratch;
}

int32_t xpd_type_of(struct xpd_str name)
{
    for (int32_t type = 1; known_type(type) && name.size != 0; type++) {
        const char *known = type_table[type].name;
        if (known[0] == name.data[0] && xpd_str_eq(name, xpd_str_of(known)))
            return type;
    }
    return 0;
}

uint32_t xpd_type_bits(int32_t type)
{
    return known_type(type) ? type_table[type].bits : 0;
}

/* Product of the dimensions; 0 when one of them is 0 or no bound is known for it. */
static int64_t element_count(const struct xpd_shape *shape, bool *overflow)
{
    for (uint32_t i = 0; i < shape->rank; i++)
        if (shape->dims[i] <= 0)
            return 0;
    int64_t count = 1;
    for (uint32_t i = 0; i < shape->rank; i++)
        count = xpd_mul_i64(count, shape->dims[i], overflow);
    return count;
}

/* ceil(count * bits / 8) without leaving 64 bits on the way. */
static int64_t bits_to_bytes(int64_t count, int64_t bits, bool *overflow)
{
    if (bits <= 0)
        return 0;
    if (bits % 8 == 0)
        return xpd_mul_i64(count, bits / 8, overflow);
    int64_t rest_bits = xpd_mul_i64(count % 8, bits, overflow);
    return xpd_add_i64(xpd_mul_i64(count / 8, bits, overflow), rest_bits / 8 + (rest_bits % 8 != 0),
                       overflow);
}

static int64_t unpadded_bytes(const struct xpd_shape *shape, bool as_xprof, bool *overflow)
{
    switch (shape->type) {
    case XPD_TYPE_TUPLE: return 8 * (int64_t)shape->element_count;
    case XPD_TYPE_OPAQUE: return 8;
    case XPD_TYPE_TOKEN: return 0;
    case XPD_TYPE_BUFFER:
        /* A buffer of a buffer does not exist; one level keeps this free of recursion. */
        if (shape->element_count == 0 || shape->element[0].type == XPD_TYPE_BUFFER)
            return 0;
        return unpadded_bytes(&shape->element[0], as_xprof, overflow);
    }
    if (!known_type(shape->type))
        return 0;
    int64_t bits = shape->layout ? shape->layout->element_size_bits : 0;
    if (bits == 0)
        bits = as_xprof ? type_table[shape->type].xprof_bits : type_table[shape->type].bits;
    return bits_to_bytes(element_count(shape, overflow), bits, overflow);
}

int64_t xpd_shape_unpadded_bytes(const struct xpd_shape *shape, bool *overflow)
{
    bool ignored = false;
    return unpadded_bytes(shape, false, overflow ? overflow : &ignored);
}

int64_t xpd_shape_unpadded_bytes_xprof(const struct xpd_shape *shape, bool *overflow)
{
    bool ignored = false;
    return unpadded_bytes(shape, true, overflow ? overflow : &ignored);
}

const struct xpd_shape *xpd_shape_at(const struct xpd_shape *shape, const int64_t *index,
                                     uint32_t index_count)
{
    for (uint32_t i = 0; i < index_count; i++) {
        if (shape->type != XPD_TYPE_TUPLE || index[i] < 0 || index[i] >= shape->element_count)
            return NULL;
        shape = &shape->element[index[i]];
    }
    return shape;
}

const struct xpd_shape *xpd_shape_at_xprof(const struct xpd_shape *shape, const int64_t *index,
                                           uint32_t index_count)
{
    if (index_count == 0)
        return shape;
    int64_t last = index[index_count - 1];
    bool inside = last >= 0 && last < shape->element_count;
    return inside ? &shape->element[last] : shape;
}

int64_t xpd_shape_elements(const struct xpd_shape *shape)
{
    bool overflow = false;
    int64_t elements = 1;
    if (shape->element_count > 0) {
        elements = 0;
        for (uint32_t i = 0; i < shape->element_count; i++)
            if (shape->element[i].element_count == 0) /* nested tuples are not counted twice deep */
                xpd_grow_i64(&elements, xpd_shape_elements(&shape->element[i]));
        return elements;
    }
    if (xpd_type_bits(shape->type) == 0)
        return 0;
    for (uint32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] <= 0)
            return 0;
        elements = xpd_mul_i64(elements, shape->dims[i], &overflow);
    }
    return elements;
}

static bool on_host(const struct xpd_shape *shape, int depth)
{
    if (!shape || depth > 8)
        return false;
    for (uint32_t i = 0; i < shape->element_count; i++)
        if (on_host(&shape->element[i], depth + 1))
            return true;
    return shape->layout && shape->layout->memory_space == XPD_SPACE_HOST;
}

bool xpd_shape_on_host(const struct xpd_shape *shape)
{
    return on_host(shape, 0);
}
