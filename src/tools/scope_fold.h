/* Repeated scopes: layer_0, layer_1, ... layer_5 are layer_*, six times. */
#ifndef XPROFD_SRC_TOOLS_SCOPE_FOLD_H
#define XPROFD_SRC_TOOLS_SCOPE_FOLD_H

#include "common.h"

/* The name with its last number as "*": transpose(jvp(layer_3)) is transpose(jvp(layer_*)). Only a
 * number at the end counts, closing brackets after it aside: conv2d and f32_sum keep theirs. False
 * (and nothing written) when there is none. */
bool xpd_scope_fold(struct xpd_strbuf *out, struct xpd_str name);

/* Whether `path` begins with the whole parts of `prefix`; a "*" in the prefix stands for itself or
 * for a number. */
bool xpd_scope_below(struct xpd_str path, struct xpd_str prefix);

#endif
