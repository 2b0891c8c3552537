/* Radix sort: stable, by digits of eight bits; time grows with the count, not with n log n. */
#ifndef XPROFD_BASE_RADIX_H
#define XPROFD_BASE_RADIX_H

#include <stdbool.h>
#include <stdint.h>

/* Sorts keys in ascending order together with the values, which may be NULL; equal keys keep their
 * order. Digits common to all keys cost nothing. Sorted input needs no memory. False when out of
 * memory; nothing is sorted then. */
bool xpd_radix_sort_u64(uint64_t *key, uint32_t *value, uint32_t count);

/* The same for 32-bit keys; values must not be NULL. */
bool xpd_radix_sort_u32(uint32_t *key, uint32_t *value, uint32_t count);

/* A signed key as one that sorts the same way, and back. */
static inline uint64_t xpd_radix_key(int64_t value)
{
    return (uint64_t)value ^ UINT64_C(1) << 63;
}
static inline int64_t xpd_radix_value(uint64_t key)
{
    return (int64_t)(key ^ UINT64_C(1) << 63);
}

#endif
