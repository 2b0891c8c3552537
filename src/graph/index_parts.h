/* The parts that index.c puts together. */
#ifndef XPROFD_SRC_GRAPH_INDEX_PARTS_H
#define XPROFD_SRC_GRAPH_INDEX_PARTS_H

#include "xprofd/base/vec.h"
#include "xprofd/graph/index.h"

/* index_text.c: lines, program order, control predecessors, small constants, trivial computations:
 * data that only the module's bytes have. */
bool xpd_index_make_text(struct xpd_graph_index *index, struct xpd_arena *arena,
                         struct xpd_hlo_printer *printer);

/* An array of at most one element. */
static inline bool xpd_shape_is_scalar_like(const struct xpd_shape *shape)
{
    if (shape->type == XPD_TYPE_TUPLE || shape->type == XPD_TYPE_TOKEN ||
        shape->type == XPD_TYPE_OPAQUE)
        return false;
    for (uint32_t k = 0; k < shape->rank; k++)
        if (shape->dims[k] != 1)
            return false;
    return true;
}

#endif
