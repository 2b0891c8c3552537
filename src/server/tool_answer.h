/* From a tool and a query to an answer, through the cache of answers. */
#ifndef XPROFD_SRC_SERVER_TOOL_ANSWER_H
#define XPROFD_SRC_SERVER_TOOL_ANSWER_H

#include "query.h"
#include "router.h"

/* 202 if its data is not ready within headers->wait_ms. */
void xpd_answer_tool(const struct xpd_site *site, const struct xpd_tool *tool,
                     const struct xpd_query *query, const struct xpd_request_headers *headers,
                     struct xpd_response *out);

#endif
