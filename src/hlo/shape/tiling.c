/* Formula A1: what a tiled array occupies, dimension by dimension.
 *
 * In: an array shape with a layout. Out: bytes, and the padding that each dimension causes. The
 * physical order runs from most major to most minor; a tile takes the last dimensions of it.
 * Only the first tile pads anything but the innermost counts, so only it is explained by
 * dimension; later tiles, the tail and the ones in front of a long tile add the difference to
 * tiled_bytes. A '*' (or -1) entry folds its dimension into the next minor one, which then
 * carries the padding of both: its own padded_size stays its size, its cost is that of the
 * folded whole. */
#include "xprofd/hlo/tiling.h"

#include "xprofd/base/checked.h"

enum { MAX_CURRENT = 64 }; /* dims after tiling: each tile adds its own */

struct physical {
    int64_t dim[MAX_CURRENT]; /* most major first */
    uint32_t count;
};

static bool is_fold(int64_t entry)
{
    return entry == -1 || entry == XPD_DIM_UNBOUNDED;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* The piece of a split dimension that the largest part holds. */
static int64_t split_size(const struct xpd_layout *layout, int64_t dimension, int64_t size)
{
    for (uint32_t i = 0; i < layout->split_count; i++) {
        const struct xpd_split *split = &layout->split[i];
        if (split->dimension != dimension || split->count == 0)
            continue;
        int64_t largest = 0, before = 0;
        for (uint32_t k = 0; k < split->count; k++) {
            int64_t at = split->indices[k];
            if (at < before || at > size)
                return size; /* not a split of this dimension */
            largest = at - before > largest ? at - before : largest;
            before = at;
        }
        return size - before > largest ? size - before : largest;
    }
    return size;
}

static bool physical_dims(const struct xpd_shape *shape, const int64_t *minor_to_major,
                          struct physical *out)
{
    uint32_t seen = 0;
    out->count = shape->rank;
    for (uint32_t i = 0; i < shape->rank; i++) {
        int64_t logical = minor_to_major[i];
        if (logical < 0 || logical >= shape->rank || (seen >> logical & 1u))
            return false;
        seen |= 1u << logical;
        int64_t size = split_size(shape->layout, logical, shape->dims[logical]);
        if (size < 0)
            return false;
        out->dim[shape->rank - 1 - i] = size;
    }
    return true;
}

/* Replaces the last dims by counts and tile. */
static bool apply_tile(struct physical *now, const struct xpd_tile *tile, bool *overflow)
{
    int64_t last[MAX_CURRENT];
    uint32_t count = 0, front = tile->count > now->count ? tile->count - now->count : 0;
    uint32_t rest = now->count + front - tile->count;
    if (tile->count > MAX_CURRENT || rest + 2 * tile->count > MAX_CURRENT)
        return false;
    int64_t folded = 1;
    for (uint32_t i = 0; i < tile->count; i++) {
        int64_t size = i < front ? 1 : now->dim[rest + i - front];
        size = xpd_mul_i64(size, folded, overflow);
        folded = 1;
        if (is_fold(tile->dims[i])) {
            folded = size;
            continue;
        }
        if (tile->dims[i] <= 0)
            return false;
        last[count++] = ceil_div(size, tile->dims[i]);
    }
    if (folded != 1) /* nothing more minor to fold into */
        return false;
    for (uint32_t i = 0; i < tile->count; i++)
        if (!is_fold(tile->dims[i]))
            last[count++] = tile->dims[i];
    memcpy(now->dim + rest, last, count * sizeof *last);
    now->count = rest + count;
    return true;
}

static int64_t product(const int64_t *dims, uint32_t count, bool *overflow)
{
    for (uint32_t i = 0; i < count; i++)
        if (dims[i] == 0)
            return 0;
    int64_t result = 1;
    for (uint32_t i = 0; i < count; i++)
        result = xpd_mul_i64(result, dims[i], overflow);
    return result;
}

static int64_t to_bytes(int64_t elements, int64_t bits, bool *overflow)
{
    if (bits % 8 == 0)
        return xpd_mul_i64(elements, bits / 8, overflow);
    int64_t rest = xpd_mul_i64(elements % 8, bits, overflow);
    return xpd_add_i64(xpd_mul_i64(elements / 8, bits, overflow), ceil_div(rest, 8), overflow);
}

static int64_t element_bits(const struct xpd_shape *shape)
{
    int64_t bits = shape->layout->element_size_bits;
    return bits != 0 ? bits : xpd_type_bits(shape->type);
}

static bool explainable(const struct xpd_shape *shape)
{
    return shape->layout && shape->rank <= XPD_TILING_DIMS && shape->element_count == 0 &&
           shape->layout->minor_to_major_count == shape->rank && element_bits(shape) > 0 &&
           element_bits(shape) <= 1 << 16;
}

/* Bytes with the given order; false when they cannot be computed. */
static bool tiled_bytes(const struct xpd_shape *shape, const int64_t *minor_to_major,
                        int64_t *bytes)
{
    struct physical now;
    bool overflow = false;
    if (!physical_dims(shape, minor_to_major, &now))
        return false;
    for (uint32_t i = 0; i < shape->layout->tile_count; i++)
        if (!apply_tile(&now, &shape->layout->tile[i], &overflow) || overflow)
            return false;
    int64_t elements = product(now.dim, now.count, &overflow);
    int64_t tail = shape->layout->tail_padding_elements;
    if (tail > 1)
        elements = xpd_mul_i64(ceil_div(elements, tail), tail, &overflow);
    *bytes = to_bytes(elements, element_bits(shape), &overflow);
    return !overflow;
}

bool xpd_tiling_bytes(const struct xpd_shape *shape, int64_t *bytes)
{
    return explainable(shape) && tiled_bytes(shape, shape->layout->minor_to_major, bytes);
}

/* One group of dimensions that share an entry of the first tile: one dimension, or a folded chain
 * that ends in `minor`. */
static int64_t padded_group(int64_t size, int64_t tile)
{
    int64_t count = ceil_div(size, tile), padded;
    return __builtin_mul_overflow(count, tile, &padded) ? INT64_MAX : padded;
}

/* Product over dims, those from position `padded_below` on (more minor) with their padding. */
static int64_t elements_padded_to(const int64_t *plain, const int64_t *padded, uint32_t count,
                                  uint32_t padded_minor, bool *overflow)
{
    int64_t mixed[XPD_TILING_DIMS];
    for (uint32_t i = 0; i < count; i++)
        mixed[i] = i < padded_minor ? padded[i] : plain[i];
    return product(mixed, count, overflow);
}

/* Fills size, tile, padded size; plain[] and padded[] get the sizes that count for the cost, minor
 * first: a folded dimension counts within its receiver. */
static void describe_dims(struct xpd_tiling *out, const struct xpd_shape *shape,
                          const struct physical *physical, int64_t *plain, int64_t *padded,
                          bool *overflow)
{
    const struct xpd_layout *layout = shape->layout;
    const struct xpd_tile none = {0}, *tile = layout->tile_count ? &layout->tile[0] : &none;
    uint32_t receiver = 0;
    for (uint32_t i = 0; i < shape->rank; i++) {
        struct xpd_tiled_dim *dim = &out->dim[i];
        int64_t size = physical->dim[shape->rank - 1 - i];
        int64_t entry = i < tile->count ? tile->dims[tile->count - 1 - i] : 1;
        dim->dimension = (uint32_t)layout->minor_to_major[i];
        dim->size = shape->dims[dim->dimension];
        dim->tile = is_fold(entry) ? 1 : entry;
        plain[i] = padded[i] = size;
        if (is_fold(entry)) {
            plain[receiver] = xpd_mul_i64(plain[receiver], size, overflow);
            plain[i] = padded[i] = 1;
        } else {
            receiver = i;
        }
        padded[receiver] = padded_group(plain[receiver], out->dim[receiver].tile);
        dim->padded_size = padded[i];
    }
    for (uint32_t i = 0; i < shape->rank; i++) {
        bool folds = i < tile->count && is_fold(tile->dims[tile->count - 1 - i]);
        bool receives =
            i + 1 < shape->rank && i + 1 < tile->count && is_fold(tile->dims[tile->count - 2 - i]);
        out->dim[i].padded_size = folds || receives ? out->dim[i].size : padded[i];
    }
}

void xpd_tiling_of(struct xpd_tiling *out, const struct xpd_shape *shape)
{
    *out = (struct xpd_tiling){0};
    struct physical physical = {0};
    bool overflow = false;
    if (!explainable(shape) || !physical_dims(shape, shape->layout->minor_to_major, &physical) ||
        !tiled_bytes(shape, shape->layout->minor_to_major, &out->tiled_bytes))
        return;
    int64_t plain[XPD_TILING_DIMS] = {0}, padded[XPD_TILING_DIMS] = {0};
    int64_t bits = element_bits(shape);
    out->dim_count = shape->rank;
    describe_dims(out, shape, &physical, plain, padded, &overflow);
    int64_t before =
        to_bytes(elements_padded_to(plain, padded, shape->rank, 0, &overflow), bits, &overflow);
    for (uint32_t i = 0; i < shape->rank; i++) {
        int64_t after = to_bytes(elements_padded_to(plain, padded, shape->rank, i + 1, &overflow),
                                 bits, &overflow);
        out->dim[i].cost_bytes = after - before;
        before = after;
    }
    out->unpadded_bytes = xpd_shape_unpadded_bytes(shape, &overflow);
    out->known = !overflow;
}

/* ---- other orders ---- */

enum { ORDERS_RANK = 5 };

/* The next permutation in lexicographic order; false after the last. */
static bool next_order(int64_t *order, uint32_t count)
{
    uint32_t i = count;
    while (i > 1 && order[i - 2] >= order[i - 1])
        i--;
    if (i <= 1)
        return false;
    uint32_t k = count - 1;
    while (order[k] <= order[i - 2])
        k--;
    int64_t swap = order[i - 2];
    order[i - 2] = order[k];
    order[k] = swap;
    for (uint32_t a = i - 1, b = count - 1; a < b; a++, b--) {
        swap = order[a];
        order[a] = order[b];
        order[b] = swap;
    }
    return true;
}

/* Keeps out[] sorted by bytes, the earlier of equals first, the dearest dropped when it is full. */
static uint32_t insert_choice(struct xpd_order_choice *out, uint32_t count, uint32_t capacity,
                              const struct xpd_order_choice *choice)
{
    uint32_t at = count;
    while (at > 0 && out[at - 1].tiled_bytes > choice->tiled_bytes)
        at--;
    if (at == capacity)
        return count;
    uint32_t kept = count < capacity ? count : capacity - 1;
    for (uint32_t i = kept; i > at; i--)
        out[i] = out[i - 1];
    out[at] = *choice;
    return kept + 1;
}

uint32_t xpd_tiling_orders(const struct xpd_shape *shape, struct xpd_order_choice *out,
                           uint32_t capacity)
{
    if (!explainable(shape) || shape->rank < 2 || shape->rank > ORDERS_RANK || capacity == 0)
        return 0;
    uint32_t count = 0;
    struct xpd_order_choice choice = {{0}, 0};
    for (uint32_t i = 0; i < shape->rank; i++)
        choice.minor_to_major[i] = i;
    do {
        bool own = true;
        for (uint32_t i = 0; i < shape->rank; i++)
            own = own && choice.minor_to_major[i] == shape->layout->minor_to_major[i];
        if (!own && tiled_bytes(shape, choice.minor_to_major, &choice.tiled_bytes))
            count = insert_choice(out, count, capacity, &choice);
    } while (next_order(choice.minor_to_major, shape->rank));
    return count;
}
