/* The frame of a SARIF 2.1.0 document: one run of one tool, results with places. */
#ifndef XPROFD_SRC_TOOLS_DOCTOR_SARIF_H
#define XPROFD_SRC_TOOLS_DOCTOR_SARIF_H

#include "../common/common.h"

/* Opens the document inside "driver", where the caller may add "rules"; then _results opens the
 * list, the caller writes one object for each, and _end closes everything. */
void xpd_sarif_begin(struct xpd_jsonw *w);
void xpd_sarif_results(struct xpd_jsonw *w);
void xpd_sarif_end(struct xpd_jsonw *w);

/* Fields of a result. */
void xpd_sarif_message(struct xpd_jsonw *w, struct xpd_str text);
/* In a location: a line of a file; 0 = the file as a whole. */
void xpd_sarif_place(struct xpd_jsonw *w, struct xpd_str file, int64_t line);

#endif
