/* The peak of a space taken apart: classes, padding of each, what is set aside beside it. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_SPLIT_H
#define XPROFD_SRC_TOOLS_MEMORY_SPLIT_H

#include "../common/common.h"
#include "xprofd/tools/held.h"

struct xpd_peak_split {       /* argument + output + constant + temp = peak */
    int64_t argument, output; /* output: not written into arguments */
    int64_t alias;            /* outputs written into arguments: counted in argument */
    int64_t constant, temp;   /* temp: live at the peak; -1 = unknown */
    int64_t thread_local_;    /* beside what is reserved */
    int64_t fragmentation;    /* reserved - peak; -1 = unknown */
    int64_t untraced;         /* in the heap without events: counted in fragmentation */
    int64_t padding[XPD_CLASS_COUNT];
};

/* `peak` is the list of what is held at the peak step. */
void xpd_peak_split_of(struct xpd_peak_split *out, const struct xpd_mem_space *space,
                       const struct xpd_held_list *peak);
void xpd_peak_split_write(struct xpd_jsonw *w,
                          const struct xpd_peak_split *split); /* "split":{...} */

#endif
