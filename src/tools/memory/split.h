/* The peak of a space taken apart (memory/held.h), as answers show it. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_SPLIT_H
#define XPROFD_SRC_TOOLS_MEMORY_SPLIT_H

#include "../common/common.h"
#include "xprofd/memory/held.h"

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
