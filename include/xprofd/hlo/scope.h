/* Scopes: the path that op_name is, its parts, and repeated ones: layer_0, layer_1, ... layer_5 are
 * layer_*, six times. Text is borrowed. */
#ifndef XPROFD_HLO_SCOPE_H
#define XPROFD_HLO_SCOPE_H

#include "xprofd/base/str.h"
#include "xprofd/base/strbuf.h"

/* The path without its leading jit(...) parts. */
struct xpd_str xpd_scope_path(struct xpd_str op_name);
/* Takes the next part of a path off *rest; slashes inside parentheses do not count. False at the
 * end. */
bool xpd_scope_next_part(struct xpd_str *rest, struct xpd_str *part);

/* The name with its last number as "*": transpose(jvp(layer_3)) is transpose(jvp(layer_*)). Only a
 * number at the end counts, closing brackets after it aside: conv2d and f32_sum keep theirs. False
 * (and nothing written) when there is none. */
bool xpd_scope_fold(struct xpd_strbuf *out, struct xpd_str name);

/* Whether `path` begins with the whole parts of `prefix`; a "*" in the prefix stands for itself or
 * for a number. */
bool xpd_scope_below(struct xpd_str path, struct xpd_str prefix);

#endif
