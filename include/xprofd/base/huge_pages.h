/* Fewer page faults for large pieces of memory. */
#ifndef XPROFD_BASE_HUGE_PAGES_H
#define XPROFD_BASE_HUGE_PAGES_H

#include <stddef.h>

/* Asks the system for huge pages inside [at, at + size_bytes), where whole ones fit: filling the
 * piece then takes hundreds of page faults less. This is only advice, so nothing is returned. The
 * ends stay in small pages; a piece that is never filled may hold up to a huge page more than was
 * touched, so a small one is left as it is. */
void xpd_prefer_huge_pages(void *at, size_t size_bytes);

#endif
