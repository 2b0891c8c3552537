/* What is drawn of single boxes of a picture, beside where they are: the samples of counters, the
 * waits of asynchronous operations, the exact times of wide boxes. All in the order of boxes, in
 * the arena; NULL: no memory. */
#ifndef XPROFD_TRACE_PICTURE_BOXES_H
#define XPROFD_TRACE_PICTURE_BOXES_H

#include "xprofd/trace/async.h"
#include "xprofd/trace/picture.h"

struct xpd_box_samples { /* of a counter */
    uint32_t box;
    int64_t at_ps;            /* the first one */
    double last, least, most; /* NaN: unknown */
};
const struct xpd_box_samples *xpd_picture_samples(const struct xpd_picture *picture,
                                                  struct xpd_arena *arena, uint32_t *count);

struct xpd_box_wait { /* of one event of a row of asynchronous operations */
    uint32_t box;
    struct xpd_async_pair pair;
};
const struct xpd_box_wait *xpd_picture_waits(const struct xpd_picture *picture,
                                             struct xpd_arena *arena, uint32_t *count);

/* Of boxes of one event with room for a time written on them: columns. None where times are not
 * rounded, that is where a quantum is 1 ps. */
struct xpd_box_times {
    int64_t *box, *beyond_ps, *duration_ps; /* beyond: the start, from the drawn one */
    uint32_t count;
};
/* False: no memory. */
bool xpd_picture_times(struct xpd_box_times *out, const struct xpd_picture *picture,
                       struct xpd_arena *arena);

#endif
