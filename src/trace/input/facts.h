/* Facts from the names of a host's events, and from the events nested in them. */
#ifndef XPROFD_SRC_TRACE_INPUT_FACTS_H
#define XPROFD_SRC_TRACE_INPUT_FACTS_H

#include "rules.h"

/* By name of the trace, in the arena. NULL: no memory. */
struct input_name *input_facts(const struct xpd_view *view, const struct xpd_input_rules *rules,
                               struct xpd_arena *arena);
/* What the file calls it: of a stage of tf.data the whole path, where people read the last part. */
struct xpd_str input_full_name(const struct xpd_view *view, uint32_t name);
/* A thread of a host: no chip, no counter. */
bool input_is_thread(const struct xpd_view *view, uint32_t row);

#endif
