/* Asks the tools what report_plan.def says and puts the answers into a report. */
#ifndef XPROFD_SRC_TOOLS_FILE_REPORT_RECORD_H
#define XPROFD_SRC_TOOLS_FILE_REPORT_RECORD_H

#include "report_plan.h"
#include "xprofd/base/map64.h"
#include "xprofd/export/report.h"
#include "xprofd/tools/report_file.h"

struct xpd_report_base;

struct xpd_report_tally { /* of one line of the plan */
    uint64_t held;        /* answers in the report, also those that say why there is no answer */
    uint64_t left_out;    /* for which there was no room */
};

struct xpd_recorder {
    const struct xpd_report_of
        *profile;                       /* that is asked: of a report with a baseline, one of two */
    const struct xpd_report_base *base; /* NULL = none */
    bool of_base;                       /* the baseline is asked */
    const struct xpd_report_want *want;
    struct xpd_report_text *report;
    struct xpd_arena arena; /* of one answer */
    uint32_t default_module;
    struct xpd_report_tally *tally; /* by line of the plan */
    struct xpd_map64 asked;         /* hashes of the questions so far */
    struct xpd_strbuf alone;        /* xpd_report_base_alone */
};

/* Everything the plan names, as far as there is room. XPD_OK also when something was left out. */
int xpd_record(struct xpd_recorder *recorder, struct xpd_err *err);

#endif
