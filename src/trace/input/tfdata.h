/* Stages of tf.data. */
#ifndef XPROFD_SRC_TRACE_INPUT_TFDATA_H
#define XPROFD_SRC_TRACE_INPUT_TFDATA_H

#include "input_spans.h"

/* Fills out->tf and what belongs to it, of calls that begin in the steps. False: no memory. */
bool input_tf_data(struct xpd_input_run *out, const struct xpd_view *view,
                   const struct input_name *name, const struct input_spans *spans,
                   struct xpd_arena *arena);

#endif
