/* Hash map from 64-bit keys (ids of the file, any value) to 32-bit indexes. */
#ifndef XPROFD_BASE_MAP64_H
#define XPROFD_BASE_MAP64_H

#include <stdbool.h>
#include <stdint.h>

struct xpd_map64 {
    uint64_t *key;
    uint32_t *value; /* value + 1; 0 = empty slot */
    uint32_t count, slot_count;
    bool failed; /* sticky: out of memory */
};

#define XPD_NO_INDEX UINT32_MAX

/* Reserves room for a number of keys, so that adding them does not rehash; false (and `failed`)
 * when out of memory. */
bool xpd_map64_reserve(struct xpd_map64 *map, uint32_t count);
void xpd_map64_fini(struct xpd_map64 *map); /* legal on a zeroed map */
/* Sets or overwrites. Returns the previous value or XPD_NO_INDEX. */
uint32_t xpd_map64_put(struct xpd_map64 *map, uint64_t key, uint32_t value);
uint32_t xpd_map64_get(const struct xpd_map64 *map, uint64_t key); /* XPD_NO_INDEX if absent */

#endif
