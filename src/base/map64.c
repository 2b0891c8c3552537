/* Map from 64-bit keys to 32-bit indexes.
 *
 * In: keys of any shape; ids are often (computation << 32 | n), so a key is mixed until each of its
 * bits reaches each bit of the slot. Out: the index. Invariants: slot_count is 0 or a power of two,
 * at least twice the count; linear probing; nothing is ever removed. */
#include "xprofd/base/map64.h"

#include <stdlib.h>

/* Finalizer of MurmurHash3, a bijection: different keys never share all their bits. */
static inline uint64_t mix(uint64_t key)
{
    key ^= key >> 33;
    key *= UINT64_C(0xff51afd7ed558ccd);
    key ^= key >> 33;
    key *= UINT64_C(0xc4ceb9fe1a85ec53);
    return key ^ (key >> 33);
}

/* The slot of the key, or the empty one where it belongs. */
static inline uint32_t probe(const uint64_t *keys, const uint32_t *values, uint32_t slot_count,
                             uint64_t key)
{
    uint32_t at = (uint32_t)mix(key) & (slot_count - 1);
    while (values[at] != 0 && keys[at] != key)
        at = (at + 1) & (slot_count - 1);
    return at;
}

static bool resize(struct xpd_map64 *map, uint32_t slot_count)
{
    uint64_t *key = malloc(slot_count * sizeof *key);
    uint32_t *value = calloc(slot_count, sizeof *value);
    if (!key || !value) {
        free(key);
        free(value);
        return false;
    }
    for (uint32_t i = 0; i < map->slot_count; i++) {
        if (map->value[i] == 0)
            continue;
        uint32_t at = probe(key, value, slot_count, map->key[i]);
        key[at] = map->key[i];
        value[at] = map->value[i];
    }
    free(map->key);
    free(map->value);
    map->key = key;
    map->value = value;
    map->slot_count = slot_count;
    return true;
}

bool xpd_map64_reserve(struct xpd_map64 *map, uint32_t count)
{
    if (map->slot_count != 0 && count <= map->slot_count / 2)
        return true;
    uint32_t slot_count = map->slot_count ? map->slot_count : 32;
    while (slot_count / 2 < count) {
        if (slot_count > UINT32_MAX / 2) {
            map->failed = true;
            return false;
        }
        slot_count *= 2;
    }
    if (!resize(map, slot_count))
        map->failed = true;
    return !map->failed;
}

void xpd_map64_fini(struct xpd_map64 *map)
{
    free(map->key);
    free(map->value);
    *map = (struct xpd_map64){0};
}

uint32_t xpd_map64_put(struct xpd_map64 *map, uint64_t key, uint32_t value)
{
    /* XPD_NO_INDEX would look like an empty slot: no caller has that many things. */
    if (value == XPD_NO_INDEX) {
        map->failed = true;
        return XPD_NO_INDEX;
    }
    if (map->count >= map->slot_count / 2 && !xpd_map64_reserve(map, map->count + 1))
        return XPD_NO_INDEX;
    uint32_t at = probe(map->key, map->value, map->slot_count, key);
    uint32_t before = map->value[at];
    if (before == 0) {
        map->key[at] = key;
        map->count++;
    }
    map->value[at] = value + 1;
    return before - 1; /* 0 wraps to XPD_NO_INDEX */
}

uint32_t xpd_map64_get(const struct xpd_map64 *map, uint64_t key)
{
    if (map->slot_count == 0)
        return XPD_NO_INDEX;
    return map->value[probe(map->key, map->value, map->slot_count, key)] - 1;
}
