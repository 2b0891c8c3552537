/* Asks the tools what the plan says and puts the answers into a report. */
#ifndef XPROFD_SRC_TOOLS_FILE_REPORT_RECORD_H
#define XPROFD_SRC_TOOLS_FILE_REPORT_RECORD_H

#include "xprofd/base/map64.h"
#include "xprofd/base/vec.h"
#include "xprofd/export/report.h"
#include "xprofd/tools/report_file.h"

struct xpd_report_base;

struct xpd_report_line {
    const struct xpd_tool *tool;
    int when;
    enum xpd_each each;
    const char *route; /* without /api/v1/ */
    const char *query, *holds;
    uint64_t held;     /* answers in the report, also those that say why there is no answer */
    uint64_t left_out; /* for which there was no room */
};

struct xpd_report_plan { /* what the tools declare, in the order in which it is asked */
    XPD_VEC(struct xpd_report_line) lines;
    struct xpd_arena arena;
};

/* Whether a line is about two programs. */
static inline bool xpd_line_compares(const struct xpd_report_line *line)
{
    return line->each == XPD_EACH_PAIR || line->each == XPD_EACH_PAGE ||
           line->each == XPD_EACH_TEXT;
}

/* Whether a line is about the events of a run, and not about a program. */
static inline bool xpd_line_of_trace(const struct xpd_report_line *line)
{
    return line->each >= XPD_EACH_HOST && line->each < XPD_EACH_MODULE;
}

struct xpd_recorder {
    const struct xpd_report_of
        *profile;                       /* that is asked: of a report with a baseline, one of two */
    const struct xpd_report_base *base; /* NULL = none */
    bool of_base;                       /* the baseline is asked */
    const struct xpd_report_want *want;
    struct xpd_report_text *report;
    struct xpd_arena arena; /* of one answer */
    uint32_t default_module;
    struct xpd_report_plan plan;
    struct xpd_map64 asked;  /* hashes of the questions so far */
    struct xpd_strbuf alone; /* xpd_report_base_alone */
};

/* XPD_ENOMEM. */
int xpd_report_plan_make(struct xpd_report_plan *plan, struct xpd_err *err);
void xpd_report_plan_fini(struct xpd_report_plan *plan);

/* Everything the plan names, as far as there is room. XPD_OK also when something was left out. */
int xpd_record(struct xpd_recorder *recorder, struct xpd_err *err);

#endif
