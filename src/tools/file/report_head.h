/* What a report says of itself. */
#ifndef XPROFD_SRC_TOOLS_FILE_REPORT_HEAD_H
#define XPROFD_SRC_TOOLS_FILE_REPORT_HEAD_H

#include "report_record.h"

/* Members of a JSON object, without braces (docs/REPORT.md); less than XPD_REPORT_HEAD bytes. */
void xpd_report_head(struct xpd_strbuf *out, const struct xpd_recorder *recorder,
                     uint64_t limit_bytes);
/* One sentence on what was left out, or nothing: "left out for the limit: 12 of 200 ...". */
void xpd_report_left_out(struct xpd_strbuf *out, const struct xpd_recorder *recorder);

#endif
