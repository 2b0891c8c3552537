/* The baseline of a report: a second profile whose programs are compared with those of the first.
 */
#ifndef XPROFD_SRC_TOOLS_FILE_REPORT_BASE_H
#define XPROFD_SRC_TOOLS_FILE_REPORT_BASE_H

#include "xprofd/tools/report_file.h"

struct xpd_report_base {
    struct xpd_report_of before, after; /* one store; the baseline, and the profile itself */
    uint32_t *pair; /* by program of `after`; XPD_NO_INDEX = it has no partner */
    uint32_t *back; /* by program of `before`, the other way */
    uint32_t opens; /* program of `after` at whose comparison the page opens */
};

/* `module` is the wanted program of the profile. XPD_ENOTFOUND when none of the wanted programs has
 * a partner. Close it in any case. */
int xpd_report_base_open(struct xpd_report_base *base, const struct xpd_report_of *profile,
                         const struct xpd_report_of *before, const struct xpd_report_want *want,
                         uint32_t module, struct xpd_err *err);
void xpd_report_base_close(struct xpd_report_base *base);
/* Adds what is worth a line of its own on a terminal: that nothing differs, or that the workloads
 * do. The page says both by itself. */
void xpd_report_base_result(struct xpd_strbuf *out, const struct xpd_report_base *base,
                            const struct xpd_report_want *want);
/* Adds a line on the programs that have no partner, if there are any. */
void xpd_report_base_alone(struct xpd_strbuf *out, const struct xpd_report_base *base,
                           const struct xpd_report_want *want);

#endif
