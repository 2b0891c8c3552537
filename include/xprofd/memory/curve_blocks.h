/* A curve in blocks of steps, each with its extremes. A search for peaks reads the blocks, and
 * steps only where it must. A whole block can be raised at once. */
#ifndef XPROFD_MEMORY_CURVE_BLOCKS_H
#define XPROFD_MEMORY_CURVE_BLOCKS_H

#include "xprofd/memory/query.h"

#define XPD_CURVE_BLOCK 256u /* steps */

struct xpd_curve_blocks {
    uint32_t steps, count;
    const int64_t **bytes;     /* by block: its steps, without `raised` */
    int64_t *raised;           /* by block: added to all its steps */
    int64_t *lowest, *highest; /* by block, `raised` included */
};

/* Makes blocks, not raised, of an array that must outlive them; the caller sets or measures their
 * extremes. False: out of memory. */
bool xpd_curve_blocks_init(struct xpd_curve_blocks *curve, const int64_t *bytes, uint32_t steps,
                           struct xpd_arena *arena);
/* Steps of a block: fewer in the last one. */
static inline uint32_t xpd_curve_block_steps(const struct xpd_curve_blocks *curve, uint32_t block)
{
    uint32_t rest = curve->steps - block * XPD_CURVE_BLOCK;
    return rest < XPD_CURVE_BLOCK ? rest : XPD_CURVE_BLOCK;
}
/* Computes the extremes of a block from its steps. */
void xpd_curve_block_measure(struct xpd_curve_blocks *curve, uint32_t block);
/* Bytes after a step; saturating. */
int64_t xpd_curve_at(const struct xpd_curve_blocks *curve, uint32_t step);
/* The first step of a block with this number of bytes; its last step if saturation hides it. */
uint32_t xpd_curve_block_find(const struct xpd_curve_blocks *curve, uint32_t block, int64_t bytes);

/* Maxima of a curve that a valley of at least `share` of the highest point separates, highest first
 * (earlier first among equals). Returns how many there are, writes at most `capacity`. */
uint32_t xpd_curve_peaks(const struct xpd_curve_blocks *curve, double share,
                         struct xpd_near_peak *out, uint32_t capacity);

#endif
