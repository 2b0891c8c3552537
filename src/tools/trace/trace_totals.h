/* The totals of a trace, in order, as what writes them needs them. */
#ifndef XPD_TOOLS_TRACE_TOTALS_H
#define XPD_TOOLS_TRACE_TOTALS_H

#include "trace_common.h"
#include "xprofd/trace/totals.h"

/* by enum xpd_totals_by, those that can be asked for */
#define XPD_TOTALS_GROUPS "name category module step chip row"

struct xpd_totals_answer {
    const struct xpd_trace_call *call;
    struct xpd_totals_ask ask;
    struct xpd_totals totals;
    uint32_t *order; /* groups that have events, sorted */
    uint32_t count, offset, shown;
};

enum xpd_totals_sort { /* in the order of the words */
                       XPD_ORDER_SELF,
                       XPD_ORDER_TOTAL,
                       XPD_ORDER_COUNT,
                       XPD_ORDER_MEAN,
                       XPD_ORDER_MIN,
                       XPD_ORDER_P50,
                       XPD_ORDER_P99,
                       XPD_ORDER_MAX,
                       XPD_ORDER_HOST,
                       XPD_ORDER_DEVICE,
                       XPD_ORDER_FLOPS,
                       XPD_ORDER_BYTES,
                       XPD_ORDER_FIRST
};

/* ---- the answer ---- */

#define XPD_TRACE_TOTAL_FIELDS(FIELD)                                                              \
    FIELD(TEXT, key, "name of the group, \"\": events in no group")                                \
    FIELD(MAYBE(INDEX), id, "number of the name, step, process or row")                            \
    FIELD(TEXT, program, "by name: its module, \"\" none")                                         \
    FIELD(TEXT, category, "by name: \"\" none")                                                    \
    FIELD(MAYBE(WORD(XPD_GROUP_WORDS)), group, "by name, category: kind of work")                  \
    FIELD(BOOL, wait, "by name: a wait, without work")                                             \
    FIELD(INT, count, "events")                                                                    \
    FIELD(WORD(XPD_CLOCK_WORDS), clock, "of the row's times")                                      \
    FIELD(INT, total_ps, "")                                                                       \
    FIELD(INT, self_ps, "total minus nested time")                                                 \
    FIELD(REAL, mean_ps, "total of one event")                                                     \
    FIELD(INT, min_ps, "")                                                                         \
    FIELD(INT, p50_ps, "")                                                                         \
    FIELD(INT, p99_ps, "")                                                                         \
    FIELD(INT, max_ps, "")                                                                         \
    FIELD(BOOL, exact, "the percentiles are exact; else within `percentile_error`")                \
    FIELD(INT, host_total_ps, "host-aligned")                                                      \
    FIELD(MAYBE(INT), device_total_ps, "by the device's clock; null: no event has a device time")  \
    FIELD(INT, device_count, "number of events with a device time")                                \
    FIELD(MAYBE(REAL), flops_per_s, "")                                                            \
    FIELD(MAYBE(REAL), bytes_per_s, "")                                                            \
    FIELD(INT, first_event, "")
XPD_RECORD_TYPE(xpd_trace_total, XPD_TRACE_TOTAL_FIELDS)

#define XPD_TRACE_TOTALS_ALL_FIELDS(FIELD)                                                         \
    FIELD(INT, count, "events")                                                                    \
    FIELD(INT, total_ps, "")                                                                       \
    FIELD(INT, self_ps, "")                                                                        \
    FIELD(INT, host_total_ps, "host-aligned")                                                      \
    FIELD(MAYBE(INT), device_total_ps, "by the device's clock; null: no event has a device time")  \
    FIELD(INT, device_count, "number of events with a device time")                                \
    FIELD(INT, busy_ps, "union of the events of each row, host-aligned, added up")
XPD_RECORD_TYPE(xpd_trace_totals_all, XPD_TRACE_TOTALS_ALL_FIELDS)

#define XPD_TRACE_TOTALS_FIELDS(FIELD)                                                             \
    FIELD(WORD(XPD_TOTALS_GROUPS), by, "")                                                         \
    FIELD(WORD(XPD_CLOCK_WORDS), clock, "of all times except those marked with another")           \
    FIELD(STRING, host, "host of the events; ALL: several hosts")                                  \
    FIELD(LIST(xpd_trace_of_host), hosts, "of the run")                                            \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(SIGNED, from_ps, "of the range")                                                         \
    FIELD(SIGNED, to_ps, "of the range")                                                           \
    FIELD(BOOL, clip, "events are cut at its edges")                                               \
    FIELD(VALUES(INDEX), of_rows, "rows of trace/rows that were added up")                         \
    FIELD(COUNT, all_n, "groups")                                                                  \
    FIELD(COUNT, left_out, "groups that are not listed")                                           \
    FIELD(REAL, percentile_error, "of percentiles that are not exact, at most")                    \
    FIELD(INT, nesting_unchecked, "events nested too deep to be checked")                          \
    FIELD(COLUMNS(xpd_trace_total), rows, "the groups")                                            \
    FIELD(OBJECT(xpd_trace_totals_all), all, "of all groups, listed or not")
XPD_RECORD_TYPE(xpd_trace_totals, XPD_TRACE_TOTALS_FIELDS)

/* "1.234 ms": three decimals in the unit that fits. */
void xpd_totals_text_time(struct xpd_strbuf *out, double ps);

#endif
