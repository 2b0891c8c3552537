/* One derived row while it grows: spans of one meaning that follow each other become one. */
#ifndef XPROFD_TRACE_DERIVE_BUILDER_H
#define XPROFD_TRACE_DERIVE_BUILDER_H

#include "xprofd/base/vec.h"
#include "xprofd/trace/derived.h"

#define XPD_SCOPES_MAX 256 /* levels of one row; deeper scopes are left out and counted */

struct xpd_drawn { /* an event to be */
    int64_t start_ps, end_ps;
    uint64_t event; /* the first measured one */
    uint32_t name;  /* index in derived->name */
    uint32_t pair;  /* number of its pair + 1; 0 = none */
    uint32_t order; /* in its row, as made; set when the row is frozen */
};

struct xpd_span { /* what is given to a builder */
    int64_t start_ps, end_ps;
    uint64_t event;
    uint32_t group;
    int64_t scope_id; /* -1 = none (GPU) */
};

struct xpd_builder {
    XPD_VEC(struct xpd_drawn) drawn;
    XPD_VEC(struct xpd_open_level {
        size_t drawn;
        int64_t scope_id;
        uint32_t group;
    })
    open;                             /* by level */
    struct xpd_builder *dependent[3]; /* closed with this row */
    bool gpu;
};

void xpd_builder_fini(struct xpd_builder *row);
/* `count` nested names, outermost first; deeper levels that were open are closed. */
void xpd_builder_stack(struct xpd_builder *row, const uint32_t *name, uint32_t count,
                       const struct xpd_span *span);
/* The same with a scope id for each level. */
void xpd_builder_stack_scoped(struct xpd_builder *row, const uint32_t *name, const int64_t *scope,
                              uint32_t count, const struct xpd_span *span);
void xpd_builder_one(struct xpd_builder *row, uint32_t name, const struct xpd_span *span);
void xpd_builder_close(struct xpd_builder *row);
static inline bool xpd_builder_failed(const struct xpd_builder *row)
{
    return row->drawn.failed || row->open.failed;
}

#endif
