/* The totals of a trace, in order, as what writes them needs them. */
#ifndef XPD_TOOLS_TRACE_TOTALS_H
#define XPD_TOOLS_TRACE_TOTALS_H

#include "trace_common.h"
#include "xprofd/trace/totals.h"

struct xpd_totals_answer {
    const struct xpd_trace_call *call;
    struct xpd_totals_ask ask;
    struct xpd_str by_word; /* of ask.by */
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

/* trace_totals_words.c. What is unknown is negative; XPD_ORDER_FIRST is the number of the first
 * event, negative, so that the first is the largest. */
double xpd_totals_value(const struct xpd_total *total, enum xpd_totals_sort sort);
/* What a group is called. */
struct xpd_str xpd_totals_key_text(const struct xpd_totals_answer *answer,
                                   const struct xpd_total *total);
/* By name: its category, or the program it is of; else empty. */
struct xpd_str xpd_totals_name_text(const struct xpd_totals_answer *answer,
                                    const struct xpd_total *total, bool category);
/* By name: it waits and does no work. */
bool xpd_totals_waits(const struct xpd_totals_answer *answer, const struct xpd_total *total);
/* The word of the op group of its name; NULL = it is of no name. */
const char *xpd_totals_group_word(const struct xpd_totals_answer *answer,
                                  const struct xpd_total *total);

/* trace_totals_text.c */
void xpd_totals_write_csv(struct xpd_tool_result *out, const struct xpd_totals_answer *answer);
void xpd_totals_write_text(struct xpd_tool_result *out, const struct xpd_totals_answer *answer);
/* "1.234 ms": three decimals in the unit that fits. */
void xpd_totals_text_time(struct xpd_strbuf *out, double ps);

#endif
