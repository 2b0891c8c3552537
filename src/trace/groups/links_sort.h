/* The order of links in the forest of causes. */
#ifndef XPROFD_TRACE_GROUPS_LINKS_SORT_H
#define XPROFD_TRACE_GROUPS_LINKS_SORT_H

#include "groups_forest.h"

/* Negative, 0 or positive: 0 = of one context. Ends and nodes do not count. */
int xpd_links_order(const struct xpd_link *a, const struct xpd_link *b);
/* By context, ends that follow first; links without a node come last. In place. */
void xpd_links_sort(struct xpd_link *link, size_t count);

#endif
