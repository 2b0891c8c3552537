/* What follows from the declarations of tools and their answers: the reference, the page's types,
 * the OpenAPI document. */
#ifndef XPROFD_TOOLS_API_H
#define XPROFD_TOOLS_API_H

#include "xprofd/tools/tool.h"

/* The section of docs/API.md of a tool whose answer is described: title, `about`, a table of
 * parameters, a table of fields. */
void xpd_api_section(struct xpd_strbuf *out, const struct xpd_tool *tool);
/* web/src/api/answers.ts: an interface for each record, and the answer of each route. */
void xpd_api_types(struct xpd_strbuf *out);
/* web/src/api/sidebar.ts: the tools of the sidebar. */
void xpd_api_sidebar(struct xpd_strbuf *out);
/* web/src/views.ts: the views of those that the page loads later. */
void xpd_api_views(struct xpd_strbuf *out);
/* OpenAPI 3.1, of all routes; those whose answer is not described yet say only that it is JSON. */
void xpd_api_openapi(struct xpd_strbuf *out);

/* "TraceOpsRow" of "xpd_trace_ops_row". */
void xpd_api_type_name(char out[80], const char *tag);
/* Calls `each` once for each record that answers of tools are made of, those inside of others
 * first. */
void xpd_api_each_record(void (*each)(void *self, const struct xpd_record *record), void *self);

#endif
