/* The bytes that a tiled array occupies, with the reason.
 *
 * Formula A1: physical dims = dims ordered by reversed minor_to_major; each tile of length k takes
 * the last k dims (ones in front when there are fewer), splits them into ceil(d/t) counts, and the
 * tile itself becomes the new last dims; elements = product, rounded up to the tail padding; bytes
 * = ceil(elements * bits / 8). A -1 or '*' tile entry folds that dimension into the next minor one.
 */
#ifndef XPROFD_HLO_TILING_H
#define XPROFD_HLO_TILING_H

#include "xprofd/hlo/shape.h"

#define XPD_TILING_DIMS 16 /* arrays of a higher rank are not explained (none seen above 8) */

struct xpd_tiled_dim {
    uint32_t dimension;  /* logical number */
    int64_t size;        /* logical */
    int64_t padded_size; /* rounded up by the first tile (or split) */
    int64_t tile;        /* entry of the first tile that covers it, 1 = not tiled */
    int64_t cost_bytes;  /* padding this dimension causes alone: padded_size instead of size here,
                            the  dims more minor than it padded already, those more major not yet */
};

struct xpd_tiling {
    bool known; /* false: no array, no layout, too many dims, overflow: nothing below holds */
    int64_t unpadded_bytes;
    int64_t tiled_bytes; /* A1 */
    uint32_t dim_count;  /* from most minor to most major */
    struct xpd_tiled_dim dim[XPD_TILING_DIMS];
};

struct xpd_order_choice {
    int64_t minor_to_major[XPD_TILING_DIMS];
    int64_t tiled_bytes;
};

/* The tiling of the array; out->known is false if it cannot be determined. */
void xpd_tiling_of(struct xpd_tiling *out, const struct xpd_shape *shape);
/* Its tiled_bytes alone, which takes a third of the time; false if they cannot be determined. */
bool xpd_tiling_bytes(const struct xpd_shape *shape, int64_t *bytes);
/* The other dimension orders with the same tiles, cheapest first, for rank <= 5; returns how many
 * were written (at most `capacity`). The order of the shape itself is not among them. */
uint32_t xpd_tiling_orders(const struct xpd_shape *shape, struct xpd_order_choice *out,
                           uint32_t capacity);

#define XPD_TILED_DIMS 64 /* dims after tiling: each tile adds its own */
/* The physical dims, most major first, after the first `tiles` tiles (0: only in physical order).
 * False when the layout has no such tile or cannot be followed ('*' entries, a contradiction). */
bool xpd_tiling_dims(const struct xpd_shape *shape, uint32_t tiles, int64_t dims[XPD_TILED_DIMS],
                     uint32_t *count);
/* Position of the element at a logical index, in elements from the start of the array. The index
 * may be in the padding. False as above, or outside of the padded array. */
bool xpd_tiling_offset(const struct xpd_shape *shape, const int64_t *index, int64_t *offset);

#endif
