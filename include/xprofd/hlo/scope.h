/* Scopes: the parts of the path in op_name, with repeated scopes folded: layer_0, layer_1, ...
 * layer_5 become layer_*, six times. Text is borrowed. */
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

/* Whether `path` begins with `prefix`, by whole parts; a "*" in the prefix matches itself or a
 * number. */
bool xpd_scope_below(struct xpd_str path, struct xpd_str prefix);

/* The pass of an operation by JAX's markers: jvp(...) forward, transpose(...)
 * backward, rematted_computation recomputed for the backward pass. NONE: not
 * differentiated. */
enum xpd_phase {
    XPD_PHASE_NONE,
    XPD_PHASE_FORWARD,
    XPD_PHASE_BACKWARD,
    XPD_PHASE_RECOMPUTE,
    XPD_PHASE_COUNT
};
#define XPD_PHASE_WORDS "forward backward recompute"
const char *xpd_phase_word(enum xpd_phase phase); /* NULL for NONE */
enum xpd_phase xpd_scope_phase(struct xpd_str op_name);
/* Appends the scope without these marks, without the leading jit(...) and without the operation at
 * its end, so that the passes of a layer are in one scope:
 * jit(f)/transpose(jvp(block_1))/attention/dot_general is block_1/attention, and so is
 * jit(f)/transpose(jvp(block_1))/jvp(block_1)/checkpoint/attention/dot_general: a scope repeated
 * only by a marker counts once. */
void xpd_scope_plain(struct xpd_strbuf *out, struct xpd_str op_name);

#endif
