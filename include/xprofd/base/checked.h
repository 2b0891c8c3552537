/* Checked 64-bit arithmetic. Every size that comes from a file goes through these: a sum that does
 * not fit saturates at INT64_MAX and sets *overflow, and the caller turns that into a warning. */
#ifndef XPROFD_BASE_CHECKED_H
#define XPROFD_BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

static inline int64_t xpd_add_i64(int64_t a, int64_t b, bool *overflow)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum)) {
        *overflow = true;
        return b < 0 ? INT64_MIN : INT64_MAX;
    }
    return sum;
}

static inline int64_t xpd_mul_i64(int64_t a, int64_t b, bool *overflow)
{
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product)) {
        *overflow = true;
        return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
    }
    return product;
}

/* *sum += value, saturating instead of wrapping: for sums of sizes that a reader has already warned
 * about. */
static inline void xpd_grow_i64(int64_t *sum, int64_t value)
{
    bool overflow = false;
    *sum = xpd_add_i64(*sum, value, &overflow);
}

/* The product, saturating in the same way. */
static inline int64_t xpd_times_i64(int64_t a, int64_t b)
{
    bool overflow = false;
    return xpd_mul_i64(a, b, &overflow);
}

#endif
