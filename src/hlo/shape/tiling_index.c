/* The linear index inside a tiled array (formula A1's other half).
 *
 * In: a shape and a logical index. Out: the element's offset. Index and dims go through the same
 * steps: into physical order, then through each tile, which splits the last dims into the number of
 * the tile and the place in it. */
#include "xprofd/hlo/tiling.h"

#include "xprofd/base/checked.h"

struct place {
    int64_t dim[XPD_TILED_DIMS], at[XPD_TILED_DIMS]; /* most major first */
    uint32_t count;
};

static bool into_physical(struct place *out, const struct xpd_shape *shape, const int64_t *index)
{
    const struct xpd_layout *layout = shape->layout;
    uint32_t seen = 0;
    if (!layout || shape->element_count > 0 || layout->split_count > 0 ||
        shape->rank > XPD_TILING_DIMS || layout->minor_to_major_count != shape->rank)
        return false;
    out->count = shape->rank;
    for (uint32_t i = 0; i < shape->rank; i++) {
        int64_t logical = layout->minor_to_major[i];
        if (logical < 0 || logical >= shape->rank || (seen >> logical & 1U) ||
            shape->dims[logical] < 0)
            return false;
        seen |= 1U << logical;
        out->dim[shape->rank - 1 - i] = shape->dims[logical];
        out->at[shape->rank - 1 - i] = index ? index[logical] : 0;
    }
    return true;
}

static bool through_tile(struct place *now, const struct xpd_tile *tile)
{
    struct place next = {.count = 0};
    uint32_t front = tile->count > now->count ? tile->count - now->count : 0;
    uint32_t rest = now->count + front - tile->count;
    if (tile->count > XPD_TILED_DIMS || rest + 2 * tile->count > XPD_TILED_DIMS)
        return false;
    for (uint32_t i = 0; i < rest; i++, next.count++) {
        next.dim[i] = now->dim[i];
        next.at[i] = now->at[i];
    }
    for (uint32_t i = 0; i < tile->count; i++) {
        int64_t size = i < front ? 1 : now->dim[rest + i - front];
        int64_t at = i < front ? 0 : now->at[rest + i - front];
        int64_t by = tile->dims[i];
        if (by <= 0)
            return false;
        next.dim[rest + i] = size / by + (size % by != 0);
        next.at[rest + i] = at / by;
        next.dim[rest + tile->count + i] = by;
        next.at[rest + tile->count + i] = at % by;
    }
    next.count = rest + 2 * tile->count;
    *now = next;
    return true;
}

static bool through_tiles(struct place *now, const struct xpd_shape *shape, uint32_t tiles)
{
    if (tiles > shape->layout->tile_count)
        return false;
    for (uint32_t i = 0; i < tiles; i++)
        if (!through_tile(now, &shape->layout->tile[i]))
            return false;
    return true;
}

bool xpd_tiling_dims(const struct xpd_shape *shape, uint32_t tiles, int64_t dims[XPD_TILED_DIMS],
                     uint32_t *count)
{
    struct place now = {.count = 0};
    if (!into_physical(&now, shape, NULL) || !through_tiles(&now, shape, tiles))
        return false;
    for (uint32_t i = 0; i < now.count; i++)
        dims[i] = now.dim[i];
    *count = now.count;
    return true;
}

bool xpd_tiling_offset(const struct xpd_shape *shape, const int64_t *index, int64_t *offset)
{
    struct place now = {.count = 0};
    bool overflow = false;
    *offset = 0;
    if (!into_physical(&now, shape, index) ||
        !through_tiles(&now, shape, shape->layout->tile_count))
        return false;
    for (uint32_t i = 0; i < now.count; i++) {
        if (now.at[i] < 0 || now.at[i] >= now.dim[i])
            return false;
        *offset = xpd_add_i64(xpd_mul_i64(*offset, now.dim[i], &overflow), now.at[i], &overflow);
    }
    return !overflow;
}
