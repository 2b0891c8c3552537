/* Least significant digit first, between two pairs of arrays.
 *
 * In: keys, values. Out: the same, sorted. All digits are counted in one pass; a digit that is the
 * same in all keys (high bytes of addresses, low ones of aligned ones) is passed over. */
#include "xprofd/base/radix.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS = 8, VALUES = 256 };

static bool is_sorted(const uint64_t *key, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (key[i - 1] > key[i])
            return false;
    return true;
}

static void count_digits(uint32_t place[DIGITS][VALUES], const uint64_t *key, uint32_t count)
{
    memset(place, 0, DIGITS * sizeof *place);
    for (uint32_t i = 0; i < count; i++)
        for (unsigned d = 0; d < DIGITS; d++)
            place[d][key[i] >> (8 * d) & (VALUES - 1)]++;
}

/* How many come before each value of the digit, in place of how many have it. */
static void add_up(uint32_t *place)
{
    uint32_t before = 0;
    for (unsigned v = 0; v < VALUES; v++) {
        uint32_t own = place[v];
        place[v] = before;
        before += own;
    }
}

struct columns {
    uint64_t *key;
    uint32_t *value; /* or NULL */
};

static void move(const struct columns *to, const struct columns *from, uint32_t *place,
                 unsigned shift, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = place[from->key[i] >> shift & (VALUES - 1)]++;
        to->key[at] = from->key[i];
        if (to->value)
            to->value[at] = from->value[i];
    }
}

bool xpd_radix_sort_u64(uint64_t *key, uint32_t *value, uint32_t count)
{
    if (is_sorted(key, count))
        return true;
    uint32_t place[DIGITS][VALUES];
    struct columns own = {key, value}, other = {malloc(count * sizeof *key), NULL};
    if (value)
        other.value = malloc(count * sizeof *value);
    bool ok = other.key && (other.value || !value);
    struct columns from = own, to = other;
    if (ok)
        count_digits(place, key, count);
    for (unsigned d = 0; ok && d < DIGITS; d++) {
        if (place[d][key[0] >> (8 * d) & (VALUES - 1)] == count)
            continue;
        add_up(place[d]);
        move(&to, &from, place[d], 8 * d, count);
        struct columns swap = from;
        from = to;
        to = swap;
    }
    if (ok && from.key != key) {
        memcpy(key, from.key, count * sizeof *key);
        if (value)
            memcpy(value, from.value, count * sizeof *value);
    }
    free(other.key);
    free(other.value);
    return ok;
}

bool xpd_radix_sort_u32(uint32_t *key, uint32_t *value, uint32_t count)
{
    uint32_t i = 1;
    while (i < count && key[i - 1] <= key[i])
        i++;
    if (i >= count)
        return true;
    uint32_t *other_key = malloc(count * sizeof *key), *other_value = malloc(count * sizeof *value);
    bool ok = other_key && other_value;
    for (unsigned shift = 0; ok && shift < 32; shift += 8) {
        uint32_t place[VALUES] = {0};
        for (i = 0; i < count; i++)
            place[key[i] >> shift & (VALUES - 1)]++;
        if (place[key[0] >> shift & (VALUES - 1)] == count)
            continue;
        add_up(place);
        for (i = 0; i < count; i++) {
            uint32_t to = place[key[i] >> shift & (VALUES - 1)]++;
            other_key[to] = key[i];
            other_value[to] = value[i];
        }
        memcpy(key, other_key, count * sizeof *key);
        memcpy(value, other_value, count * sizeof *value);
    }
    free(other_key);
    free(other_value);
    return ok;
}
