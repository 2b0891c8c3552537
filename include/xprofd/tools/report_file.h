/* The page with its answers in one HTML file (docs/REPORT.md), for the command line and for the
 * page itself: the same run asked the same way gives the same bytes. */
#ifndef XPROFD_TOOLS_REPORT_FILE_H
#define XPROFD_TOOLS_REPORT_FILE_H

#include "xprofd/export/report.h"
#include "xprofd/tools/tool.h"

#define XPD_REPORT_LIMIT_BYTES (INT64_C(8) << 20) /* of a file, where nothing else is asked for */

struct xpd_report_of { /* a held run */
    struct xpd_store *store;
    const struct xpd_run *run;
};

struct xpd_report_want {
    const char *module, *space; /* the only one; NULL = all of them */
    const char *base_module;    /* program of the baseline; NULL = the one xprofd diff would take */
    int64_t hbm_bytes;          /* capacity that overrides what is known; -1 = none */
    uint64_t limit_bytes;       /* of the whole file */
};

/* What a person should be told beside the file: lines, each with its line feed. */
struct xpd_report_told {
    struct xpd_strbuf base;     /* of the comparison; empty without a baseline */
    struct xpd_strbuf left_out; /* one sentence, without line feed; empty = the file holds all */
};
void xpd_report_told_fini(struct xpd_report_told *told);

/* Appends the file to `html`. `before` NULL = no baseline. XPD_ELIMIT when not even the page fits
 * into the limit. Both runs stay held by the caller. */
int xpd_report_file_make(const struct xpd_report_of *of, const struct xpd_report_of *before,
                         const struct xpd_report_want *want, const struct xpd_report_page *page,
                         struct xpd_strbuf *html, struct xpd_report_told *told,
                         struct xpd_err *err);

#endif
