/* The groups of events (the step of each) in XProf's numbering; derived->groups of a derived trace.
 * Groups are made by src/trace/groups*.c. */
#ifndef XPROFD_TRACE_EVENT_GROUPS_H
#define XPROFD_TRACE_EVENT_GROUPS_H

#include "xprofd/trace/derived.h"

struct xpd_group_line { /* the grouping events of one device process, by start */
    uint32_t row, count;
    bool steps;                               /* a row Steps whose groups are known */
    bool merged;                              /* some Steps events are one, or gone */
    uint64_t *member;                         /* merged: all events of the row by start, ... */
    uint32_t *member_first, *member_end;      /* ... and which of them each step is of */
    int64_t *start_ps, *end_ps, *last_end_ps; /* last_end_ps: largest end so far */
    uint64_t *event;
    uint32_t *group;
};
struct xpd_group_region { /* XProf's event over a task of a thread pool, which others nest in */
    uint32_t row, group;
    int64_t start_ps, end_ps;
};
struct xpd_event_groups {
    struct xpd_group_line *line;     /* by process; count 0 = none */
    uint32_t **of_row;               /* by row: group of each of its events, or NULL */
    uint64_t *row_event;             /* by row: number of its first event */
    uint32_t known;                  /* groups below were made here; others only the file knows */
    struct xpd_group_region *region; /* by row, start, longest first */
    uint32_t region_count;
    uint64_t *eager_where; /* places in the file of events run op by op, ascending */
    uint32_t eager_count;
    /* Groups that are connected: one << 32 | one that its events reach, and the other way round;
       each ascending. A batch of a model server is reached by the requests in it. */
    uint64_t *below, *above;
    uint32_t pair_count;
    bool own_roots; /* some event is marked as a root of its own kind (_r = -1) */
    bool none;      /* TensorFlow's loop operations: XProf groups nothing */
    bool from_file; /* the file already has groups: each event has its own */
};

/* The groups that a group's events reach, or that reach it (`up`): pairs [first, end), of which the
 * low 32 bits count. */
void xpd_groups_near(const struct xpd_event_groups *groups, bool up, uint32_t group,
                     uint32_t *first, uint32_t *end);
uint32_t xpd_groups_of(const struct xpd_event_groups *groups, const struct xpd_trace *trace,
                       uint64_t event);
/* The same of a measured event whose place is known: no search. */
uint32_t xpd_groups_at(const struct xpd_event_groups *groups, const struct xpd_trace *trace,
                       const struct xpd_depth *depth, uint32_t index);
/* Of a region, XPD_NO_GROUP when there is none like it. */
uint32_t xpd_groups_of_region(const struct xpd_event_groups *groups, uint32_t row, int64_t start_ps,
                              int64_t end_ps);
/* The first event behind it, at most `end`, that may be of another group. */
uint32_t xpd_groups_reach(const struct xpd_event_groups *groups, const struct xpd_trace *trace,
                          const struct xpd_depth *depth, uint32_t index, uint32_t end);
/* The first grouping event that does not end before a time; line->count: none. */
uint32_t xpd_group_line_first(const struct xpd_group_line *line, int64_t start_ps);
/* Of a span of a device process. */
uint32_t xpd_group_line_of(const struct xpd_group_line *line, int64_t start_ps, int64_t end_ps);
/* Position of a grouping event in the line; XPD_NO_INDEX. */
uint32_t xpd_group_line_place(const struct xpd_group_line *line, uint64_t event, int64_t start_ps);
/* The first grouping event that ends behind the start, when it holds the span; XPD_NO_INDEX. */
uint32_t xpd_group_line_holder(const struct xpd_group_line *line, int64_t start_ps, int64_t end_ps);
#endif
