/* A computation in program order, summed up by pixel: a minimap of a whole program.
 *
 * The order is that of the text (the schedule, if there is one). The width of an instruction is the
 * compiler's estimate of its cycles; without estimates for the computation, each has width 1. Pure
 * functions of the index. */
#ifndef XPROFD_GRAPH_ORDER_H
#define XPROFD_GRAPH_ORDER_H

#include "xprofd/graph/index.h"
#include "xprofd/hlo/source_info.h"

#define XPD_ORDER_PIXELS_MAX 4096

struct xpd_order_pixel {
    uint32_t first, last; /* instructions in it, or the one that spans it */
    uint8_t group;        /* enum xpd_op_group that takes most of it */
    int64_t width;        /* cycles in it; instructions when they count alike */
};

struct xpd_order {
    const struct xpd_graph_index *index;
    uint32_t computation, pixels;
    bool by_cycles;
    int64_t total;  /* cycles, or instructions */
    int64_t *start; /* by place in the computation, one more than there are */
    struct xpd_order_pixel *pixel;
};

/* `cycles` by instruction, negative = unknown. XPD_ENOMEM. */
int xpd_graph_order(struct xpd_order *order, struct xpd_arena *arena,
                    const struct xpd_graph_index *index, const int64_t *cycles,
                    uint32_t computation, uint32_t pixels, struct xpd_err *err);
/* The pixel in which an instruction begins; for an instruction of a called computation, that of its
 * caller. XPD_NO_INDEX if this computation does not reach it. */
uint32_t xpd_order_pixel_of(const struct xpd_order *order, uint32_t instruction);

#endif
