/* Sorts many records in place. qsort would take as much memory again, and sorted indexes would
 * leave the records scattered. A record is 24 bytes and begins with a 64-bit key. */
#ifndef XPROFD_BASE_BUCKETS_H
#define XPROFD_BASE_BUCKETS_H

#include <stddef.h>
#include <stdint.h>

enum { XPD_BUCKETS = 1024, XPD_RECORD_BYTES = 24 };

/* By key. `order`, as for qsort, goes by key first and decides between equal ones. Uses several
 * threads. */
void xpd_buckets_sort(void *records, size_t count, int (*order)(const void *, const void *));
/* Puts records in order of their buckets (0 to XPD_BUCKETS - 1), those of one bucket in any order;
 * end[b] is then behind the last record of bucket b. */
void xpd_buckets_split(void *records, size_t count, uint32_t (*bucket_of)(const void *record),
                       size_t end[XPD_BUCKETS]);

#endif
