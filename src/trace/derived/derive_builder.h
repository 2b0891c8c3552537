/* One derived row while it grows: spans of one meaning that follow each other become one. */
#ifndef XPROFD_TRACE_DERIVE_BUILDER_H
#define XPROFD_TRACE_DERIVE_BUILDER_H

#include "xprofd/base/vec.h"
#include "xprofd/trace/derived.h"

#define XPD_SCOPES_MAX 256 /* levels of one row; deeper scopes are left out and counted */

struct xpd_drawn { /* an event to be */
    int64_t start_ps, end_ps;
    uint32_t depth, index; /* the first measured one, which starts when it does */
    uint32_t name;         /* index in derived->name */
    uint32_t pair;         /* number of its pair + 1; 0 = none */
    uint32_t order;        /* in its row, as made */
};

struct xpd_drawn_own { /* what only some have; `order`: which */
    uint32_t order;
    int64_t duration_ps;
};
struct xpd_drawn_pair {
    uint32_t order, pair;
};

/* Drawn events in the order in which they begin, nine bytes each: a row may have as many as the
 * file has events. */
struct xpd_sheet {
    const struct xpd_depth *depth; /* measured: those that events of the row may begin in */
    uint32_t depth_count;
    XPD_VEC(uint32_t) index, name;
    XPD_VEC(uint8_t) near; /* which of `depth`; of more than 256, in `far` */
    XPD_VEC(uint32_t) far;
    XPD_VEC(struct xpd_drawn_own) own; /* those that do not end with their measured event */
    XPD_VEC(struct xpd_drawn_pair) pair;
};
/* The events of a settled sheet, one after another. */
struct xpd_sheet_reader {
    const struct xpd_sheet *sheet;
    size_t at, own, pair;
};
bool xpd_sheet_next(struct xpd_sheet_reader *reader, struct xpd_drawn *out);
static inline uint64_t xpd_drawn_event(const struct xpd_sheet *sheet, const struct xpd_drawn *drawn)
{
    return sheet->depth[drawn->depth].first_event + drawn->index;
}

struct xpd_span { /* what is given to a builder */
    int64_t start_ps, end_ps;
    const struct xpd_depth *depth; /* of the measured event */
    uint32_t index, group;
    int64_t scope_id; /* -1 = none (GPU) */
};

struct xpd_builder {
    struct xpd_sheet sheet;
    XPD_VEC(struct xpd_open_level {
        struct xpd_drawn drawn;
        int64_t scope_id;
        uint32_t group;
    })
    open;                             /* by level */
    struct xpd_builder *dependent[3]; /* closed with this row */
    bool gpu;
};

/* Before it draws: its events are those of `count` measured depths. */
void xpd_builder_from(struct xpd_builder *row, const struct xpd_depth *depth, uint32_t count);
/* ... those of a process. */
void xpd_builder_from_process(struct xpd_builder *row, const struct xpd_trace *trace,
                              uint32_t process);
void xpd_builder_fini(struct xpd_builder *row);
/* An event that is no span: from the start of a measured one to a time. */
void xpd_builder_draw(struct xpd_builder *row, const struct xpd_depth *depth, uint32_t index,
                      int64_t end_ps, uint32_t name, uint32_t pair);
/* `count` nested names, outermost first; deeper levels that were open are closed. */
void xpd_builder_stack(struct xpd_builder *row, const uint32_t *name, uint32_t count,
                       const struct xpd_span *span);
/* The same with a scope id for each level. */
void xpd_builder_stack_scoped(struct xpd_builder *row, const uint32_t *name, const int64_t *scope,
                              uint32_t count, const struct xpd_span *span);
void xpd_builder_one(struct xpd_builder *row, uint32_t name, const struct xpd_span *span);
void xpd_builder_close(struct xpd_builder *row);
/* Closes open spans; nothing is drawn after that. */
void xpd_builder_settle(struct xpd_builder *row);
bool xpd_builder_failed(const struct xpd_builder *row);

#endif
