/* Rows of operations of chips, depth by depth: what is read of them for the times of instructions
 * (op_times.c) and for their executions (op_row_runs.c) alike, so that both agree. */
#ifndef XPD_TRACE_OP_ROWS_H
#define XPD_TRACE_OP_ROWS_H

#include "../totals/totals_loop.h"
#include "op_times.h"

struct xpd_op_reader {
    const struct xpd_trace *trace;
    bool host_clock; /* as struct xpd_op_times has it */
    struct xpd_view view;
    struct xpd_totals_ask ask;
    struct xpd_totals_plan plan;
    struct xpd_totals_worker worker; /* only for how often the file is looked into */
};
/* It points into itself and stays where it is. */
void xpd_op_reader_init(struct xpd_op_reader *rows, const struct xpd_trace *trace, bool host_clock);

struct xpd_op_depth { /* of a row of operations; its events [first, end) are read in order */
    const struct xpd_op_reader *rows;
    const struct xpd_depth *depth, *above, *child; /* NULL: none */
    uint32_t first, end;
    struct xpd_totals_loop loop;
    uint32_t up, below; /* how far `above` and `child` are read */
};
typedef void xpd_op_depth_fn(void *user, struct xpd_op_depth *at);
/* All depths of a process of a TPU, in order. Returns the pairs whose nesting nothing tells. */
uint64_t xpd_op_reader_each(struct xpd_op_reader *rows, uint32_t process, xpd_op_depth_fn *fn,
                            void *user);

/* Whether [start_ps, start_ps + host_ps) is drawn inside an event of `above`; *up moves on. */
static inline bool xpd_op_is_nested(const struct xpd_depth *above, uint32_t *up, int64_t start_ps,
                                    int64_t host_ps)
{
    if (!above || above->count == 0)
        return false;
    while (*up + 1 < above->count && above->start_ps[*up + 1] <= start_ps)
        ++*up;
    uint64_t lead_ps = (uint64_t)start_ps - (uint64_t)above->start_ps[*up];
    return above->start_ps[*up] <= start_ps &&
           lead_ps + (uint64_t)host_ps <= (uint64_t)above->duration_ps[*up];
}

/* Time of the executions nested in event i. To be asked for each event, in order. */
static inline int64_t xpd_op_inside_ps(struct xpd_op_depth *at, uint32_t i)
{
    const struct xpd_totals_asked asked = {&at->rows->ask,
                                           0}; /* measured: the columns say it all */
    return at->child ? xpd_totals_inside_ps(&at->loop, i, &at->below, true, &asked) : 0;
}

#endif
