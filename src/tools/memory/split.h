/* The peak of a space taken apart: classes, padding of each, what is set aside beside it. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_SPLIT_H
#define XPROFD_SRC_TOOLS_MEMORY_SPLIT_H

#include "../common/common.h"
#include "xprofd/memory/held.h"

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

#define XPD_SPLIT_PADDING_FIELDS(FIELD)                                                            \
    FIELD(INT, argument_bytes, "")                                                                 \
    FIELD(INT, output_bytes, "")                                                                   \
    FIELD(INT, constant_bytes, "")                                                                 \
    FIELD(INT, temp_bytes, "")
XPD_RECORD_TYPE(xpd_split_padding, XPD_SPLIT_PADDING_FIELDS)

#define XPD_SPLIT_FIELDS(FIELD)                                                                    \
    FIELD(INT, argument_bytes, "arguments")                                                        \
    FIELD(INT, output_bytes, "outputs that are not written into arguments")                        \
    FIELD(INT, alias_bytes, "outputs written into arguments: in `argument_bytes`")                 \
    FIELD(INT, constant_bytes, "constants")                                                        \
    FIELD(INT, thread_local_bytes, "not included in reserved")                                     \
    FIELD(MAYBE(INT), temp_bytes, "temporaries live at the peak; null without a heap trace")       \
    FIELD(INT, untraced_bytes, "in the heap without events: in `fragmentation_bytes`")             \
    FIELD(MAYBE(INT), fragmentation_bytes, "reserved minus the peak")                              \
    FIELD(OBJECT(xpd_split_padding), padding, "padding in each part")
XPD_RECORD_TYPE(xpd_summary_split, XPD_SPLIT_FIELDS)
/* NULL without memory. */
const struct xpd_summary_split *xpd_peak_split_answer(const struct xpd_peak_split *split,
                                                      struct xpd_arena *arena);

#endif
