/* Buffers of a module that match an item of an error text. */
#ifndef XPROFD_MEMORY_OOM_MATCH_H
#define XPROFD_MEMORY_OOM_MATCH_H

#include "xprofd/memory/memory.h"
#include "xprofd/memory/oom_text.h"

enum xpd_oom_reasons {                    /* what of the item fits the buffer; also its rank */
                       XPD_OOM_SIZE = 1,  /* the printed size, within its rounding */
                       XPD_OOM_SHAPE = 2, /* type and dimensions */
                       XPD_OOM_OP_NAME = 4,
                       XPD_OOM_INSTRUCTION = 8
};

/* Writes at most `capacity` buffers of that memory space (color < 0: of any) that match best: all
 * with the same, highest set of reasons, in order of buffers. Size alone counts only if the text
 * has nothing else. Returns the total number; *reasons (may be NULL) gets the reasons. */
uint32_t xpd_oom_item_buffers(const struct xpd_mem *mem, const struct xpd_oom_item *item,
                              int64_t color, uint32_t *out, uint32_t capacity, uint32_t *reasons);

#endif
