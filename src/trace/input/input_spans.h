/* Which steps there are, whose, and when the devices were busy. */
#ifndef XPROFD_SRC_TRACE_INPUT_SPANS_H
#define XPROFD_SRC_TRACE_INPUT_SPANS_H

#include "../steps/intervals.h"
#include "facts.h"

struct input_spans {
    enum xpd_input_steps what;
    const char *why_none;
    uint32_t program;           /* row, XPD_NO_INDEX: none */
    uint32_t mark;              /* name of the marks; XPD_NO_INDEX: none */
    uint32_t launch;            /* name of the launches that `program` is known by; likewise */
    struct xpd_input_given *at; /* disjoint, ascending; malloc'ed */
    size_t count, capacity;
    bool failed;
};
/* All steps: marks, those given, or launches. */
bool input_spans_find(struct input_spans *out, const struct xpd_input_ask *ask,
                      const struct input_name *name);
/* Each from the end of the one before; the first one, of which no beginning is known, is gone. */
void input_spans_stretch(struct input_spans *spans);
/* Between them, with the numbers of those behind. False: no memory. */
bool input_spans_between(struct input_spans *out, const struct input_spans *spans);
void input_spans_keep(struct input_spans *spans, const struct xpd_step_numbers *chosen,
                      uint32_t count);
/* From the first to the last; there is one. */
static inline struct xpd_time_range input_spans_range(const struct input_spans *spans)
{
    return (struct xpd_time_range){spans->at[0].from_ps, spans->at[spans->count - 1].to_ps};
}
/* The first span that ends behind `at_ps`. */
size_t input_spans_after(const struct input_spans *spans, int64_t at_ps);

/* When in the range any device of the host was busy: chips, or threads that ran operations. Joined,
 * added to `out`. */
int input_busy(struct xpd_intervals *out, const struct xpd_view *view,
               const struct xpd_overlap_table *table, struct xpd_time_range range,
               struct xpd_err *err);
/* When a thread beside the program fetched from an iterator. Joined. False: no memory. */
bool input_fetches(struct xpd_intervals *out, const struct xpd_view *view,
                   const struct input_name *name, uint32_t program);
/* What of `a` is not in `b`; both joined. */
bool input_without(struct xpd_intervals *out, const struct xpd_intervals *a,
                   const struct xpd_intervals *b);

#endif
