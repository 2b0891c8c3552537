/* Comparators for qsort. Each function compares two plain numbers, ascending. */
#ifndef XPROFD_BASE_ORDER_H
#define XPROFD_BASE_ORDER_H

#include <stdint.h>

/* -1, 0 or 1, of two numbers of one type: for comparators of structs. */
#define XPD_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static inline int xpd_order_i64(const void *a, const void *b)
{
    return XPD_ORDER(*(const int64_t *)a, *(const int64_t *)b);
}

static inline int xpd_order_u64(const void *a, const void *b)
{
    return XPD_ORDER(*(const uint64_t *)a, *(const uint64_t *)b);
}

static inline int xpd_order_u32(const void *a, const void *b)
{
    return XPD_ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

#endif
