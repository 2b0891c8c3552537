/* What is held at the steps of a changed program (`plan=`, as memory/whatif reads it). */
#ifndef XPROFD_SRC_TOOLS_MEMORY_WHATIF_CHANGED_H
#define XPROFD_SRC_TOOLS_MEMORY_WHATIF_CHANGED_H

#include "../common/common.h"
#include "xprofd/base/vec.h"
#include "xprofd/memory/held.h"
#include "xprofd/memory/plan.h"

struct xpd_changed_less { /* of one storage */
    uint32_t from, to, next;
    int64_t bytes;
    int64_t parts; /* of its data 1 / parts is left; 1: all of it, or nothing at all */
};
struct xpd_changed {
    const struct xpd_tool_ctx *ctx;
    struct xpd_plan plan;
    uint32_t *first; /* by storage, as the plan counts them: place in `less` + 1 */
    XPD_VEC(struct xpd_changed_less) less;
    uint32_t *stays; /* by tenancy: until when an input stays; 0 = as it was */
};
struct xpd_changed_row {
    struct xpd_held held; /* with its sizes in the changed program; 0 bytes: gone */
    int64_t now_bytes;    /* 0: held only in the changed program */
};
struct xpd_changed_rows {
    struct xpd_changed_row *at; /* in program order, inputs that stay longer last */
    uint32_t count;
    int64_t now_bytes, bytes; /* sums */
};

/* Reads the plan of the call. Call _fini regardless of the result. XPD_EINVAL where addresses
 * overlap, as rows then do not add up to the curve. */
int xpd_changed_make(struct xpd_changed *c, const struct xpd_tool_ctx *ctx, struct xpd_err *err);
int xpd_changed_at(struct xpd_changed_rows *rows, const struct xpd_changed *c, uint32_t step,
                   struct xpd_err *err);
void xpd_changed_fini(struct xpd_changed *c);

/* xpd_held_at, of the changed program where the call has a plan: rows that are gone are left out,
 * and the sums are those of the rows. */
int xpd_tools_held(struct xpd_held_list *list, const struct xpd_tool_ctx *ctx, uint32_t step,
                   struct xpd_err *err);
#define XPD_PARAM_PLAN                                                                             \
    {                                                                                              \
        .name = "plan", .type = XPD_PARAM_TEXT, .max = 65536,                                      \
        .help = "plan as in memory/whatif, to answer for the changed program; default none"        \
    }

#endif
