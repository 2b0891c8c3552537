/* Totals in pieces: which events of which depth are one piece of work, what a thread adds up while
 * it takes pieces, and the loops. */
#ifndef XPD_TRACE_TOTALS_WORK_H
#define XPD_TRACE_TOTALS_WORK_H

#include "totals_key.h"

/* How an event finds what it is added to: by its name (names become groups at the end), by its row,
 * or by a grouping that looks at its time. */
enum xpd_totals_mode { XPD_TOTALS_NAMES, XPD_TOTALS_ROWS, XPD_TOTALS_TIMES };
static inline enum xpd_totals_mode xpd_totals_mode(enum xpd_totals_by by)
{
    if (by == XPD_BY_NAME || by == XPD_BY_CATEGORY)
        return XPD_TOTALS_NAMES;
    return by == XPD_BY_CHIP || by == XPD_BY_ROW ? XPD_TOTALS_ROWS : XPD_TOTALS_TIMES;
}

/* Events [first, end) of a depth, or the busy time of a row. Pieces are numbered in the order of
 * the rows asked for; where one begins, no event before it holds one of the depth below. */
struct xpd_totals_piece {
    uint32_t row, depth; /* depth XPD_NO_INDEX: busy time */
    uint32_t first, end;
    uint32_t group; /* with XPD_TOTALS_ROWS */
};
struct xpd_totals_plan {
    const struct xpd_totals_ask *ask;
    XPD_VEC(struct xpd_totals_piece) piece;
    uint64_t events;
};
/* Fills `plan`; the groups of rows are made in `grouping`. Adds to *busy_ps what is known of whole
 * rows. False: out of memory. */
bool xpd_totals_plan(struct xpd_totals_plan *plan, const struct xpd_totals_ask *ask,
                     struct xpd_grouping *grouping, int64_t *busy_ps);
uint32_t xpd_totals_threads(const struct xpd_totals_plan *plan);

/* Whole numbers wide enough for any sum: what is added in another order is the same. */
__extension__ typedef unsigned __int128 xpd_work_sum;
struct xpd_totals_work {
    xpd_work_sum flops, bytes;
};
/* Of one execution, close together: names are large and events name them at random. Unknown counts
 * as nothing here; whether a group knows any is seen at its end. */
struct xpd_name_work {
    uint64_t flops, bytes;
};
static inline struct xpd_name_work xpd_name_work_of(const struct xpd_event_name *name)
{
    if (name->half)
        return (struct xpd_name_work){0};
    return (struct xpd_name_work){name->flops > 0 ? (uint64_t)name->flops : 0,
                                  name->bytes > 0 ? (uint64_t)name->bytes : 0};
}

struct xpd_tally { /* one line of the cache */
    uint64_t count, device_count;
    int64_t total_ps, self_ps, min_ps, max_ps, host_ps, device_ps;
};
/* Where the first event of a tally stands: the number of its piece, then its index. */
struct xpd_totals_worker {
    struct xpd_totals_plan *plan;
    enum xpd_totals_mode mode;
    struct xpd_tally *tally;      /* by name or group */
    uint64_t *first;              /* of each tally: piece << 32 | index in the depth */
    struct xpd_totals_work *work; /* of each tally; with XPD_TOTALS_NAMES what was not done, as
                              events were cut: NULL until then */
    const struct xpd_name_work *work_of_name; /* NULL: none has any */
    uint32_t room;
    XPD_VEC(uint32_t) met;        /* tallies with events */
    struct xpd_grouping grouping; /* with XPD_TOTALS_TIMES: of this thread */
    struct xpd_nesting nesting;
    int64_t busy_ps;
    int64_t bound_ps; /* no sum of the tallies is above it */
    bool failed, started;
};
/* totals_worker.c */
bool xpd_totals_worker_init(struct xpd_totals_worker *worker, struct xpd_totals_plan *plan,
                            uint32_t room, const struct xpd_name_work *work_of_name);
void xpd_totals_worker_fini(struct xpd_totals_worker *worker);
/* Groups by time are found on the way: room for a new one. False: out of memory, or no group. */
bool xpd_totals_make_room(struct xpd_totals_worker *worker, uint32_t slot);
/* totals_work.c: whether all that is known of a depth's durations stands in its columns. */
bool xpd_totals_in_columns(const struct xpd_view *view, const struct xpd_depth *depth);
/* Whether an event of a piece is cut at the range. */
bool xpd_totals_is_cut(const struct xpd_totals_ask *ask, const struct xpd_depth *depth,
                       const struct xpd_totals_piece *piece);
void xpd_totals_add_piece(struct xpd_totals_worker *worker, const struct xpd_totals_piece *piece);
/* totals_names.c: a piece by name, whole events, all known from the columns; sums do not overflow.
 * `child`: the depth below, NULL = none. `place`: of `first` above, with index 0. */
void xpd_totals_add_names(struct xpd_totals_worker *worker, const struct xpd_totals_piece *piece,
                          const struct xpd_depth *depth, const struct xpd_depth *child,
                          uint64_t place);
/* totals_runs.c: the same by group, not with XPD_TOTALS_NAMES. */
void xpd_totals_add_runs(struct xpd_totals_worker *worker, const struct xpd_totals_piece *piece,
                         const struct xpd_depth *depth, const struct xpd_depth *child,
                         uint64_t place);
/* totals_groups.c: fills the groups of out->grouping, and their sum, with what the workers of one
 * plan added up. False: out of memory. */
bool xpd_totals_groups(struct xpd_totals *out, struct xpd_totals_worker *worker, uint32_t threads);
/* totals_busy.c: the union of the events of a row within the range. */
int64_t xpd_totals_busy(const struct xpd_totals_ask *ask, uint32_t row, bool *failed);

#endif
