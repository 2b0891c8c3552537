/* What a report holds, as a table; report_plan.def is the one list. */
#ifndef XPROFD_SRC_TOOLS_FILE_REPORT_PLAN_H
#define XPROFD_SRC_TOOLS_FILE_REPORT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

enum xpd_each {
    XPD_EACH_RUN,
    XPD_EACH_HEAP,      /* a folder of heap files */
    XPD_EACH_HEAP_FILE, /* each file of it */
    XPD_EACH_HEAP_LINE, /* the 200 lines that hold most in the last one */
    XPD_EACH_HOST,      /* without the parameter, and with each host when there are several */
    XPD_EACH_LANE, /* the same for each device or thread with steps, at most 64, where one answer
                      does not list all steps of the trace */
    XPD_EACH_MEASURED, /* the run, where events were measured; of a baseline too */
    /* the rows of another answer (rows_of in report_plan.c), without a host and with each: */
    XPD_EACH_OP,         /* the 200 operations of most time */
    XPD_EACH_INPUT_STEP, /* the bars of Input: each step, or the slowest of several */
    XPD_EACH_LAYER,      /* the layers of a model */
    XPD_EACH_ALLOCATOR,  /* allocators of the runtime */
    XPD_EACH_MODULE,     /* programs, the default one first, then by peak */
    XPD_EACH_ENTRY,      /* the entry computation of each program */
    XPD_EACH_SPACE,      /* memory spaces of each program, the main one first */
    XPD_EACH_PAIR,       /* the same, of a report with a baseline only */
    XPD_EACH_PAGE,       /* XPD_EACH_PAIR, page by page from {offset} on, at most 100 */
    XPD_EACH_TEXT,       /* XPD_EACH_PAGE of the main space only: a text has none;
                            without {offset} one page */
    XPD_EACH_PEAK,    /* the peak of each space; its {step} is left out when it has no heap trace */
    XPD_EACH_NEAR,    /* the other peaks within 10 % of it, at most 16 */
    XPD_EACH_TILE,    /* windows of 4,096 steps, each half way into the one before, at most 64 */
    XPD_EACH_STEP,    /* every step, of programs of at most 1,000 */
    XPD_EACH_LARGEST, /* the 200 largest buffers at the peak */
    XPD_EACH_TENANT,  /* those of them that lie in the heap */
    XPD_EACH_LEAF,    /* the categories of the report that hold something at the peak */
    XPD_EACH_GROUP,   /* the op groups that do */
    XPD_EACH_BUFFER   /* the first 2,000 buffers of the program that lie in the space */
};

struct xpd_ask {
    int turn;
    enum xpd_each each;
    const char *route, *query, *any, *holds;
};

/* Whether a line is about two programs. */
static inline bool xpd_ask_compares(const struct xpd_ask *ask)
{
    return ask->each == XPD_EACH_PAIR || ask->each == XPD_EACH_PAGE || ask->each == XPD_EACH_TEXT;
}

/* Whether a line is about the events of a run, and not about a program. */
static inline bool xpd_ask_of_trace(const struct xpd_ask *ask)
{
    return ask->each >= XPD_EACH_HOST && ask->each < XPD_EACH_MODULE;
}

const struct xpd_ask *xpd_report_plan(uint32_t *count);

#endif
