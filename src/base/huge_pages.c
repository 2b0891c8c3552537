/* In: a piece of memory. Out: advice to the system; nothing where it knows no such advice. */
#include "xprofd/base/huge_pages.h"

#include <stdint.h>
#include <sys/mman.h>

void xpd_prefer_huge_pages(void *at, size_t size_bytes)
{
#ifdef MADV_HUGEPAGE
    enum { HUGE_PAGE = 2 << 20 };
    if (size_bytes < (size_t)2 * HUGE_PAGE)
        return;
    size_t before = (size_t)(0 - (uintptr_t)at) & (HUGE_PAGE - 1);
    size_t whole = (size_bytes - before) & ~(size_t)(HUGE_PAGE - 1);
    (void)madvise((unsigned char *)at + before, whole, MADV_HUGEPAGE);
#else
    (void)at;
    (void)size_bytes;
#endif
}
