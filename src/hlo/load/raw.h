/* The fields of a small message by number, for printing data that is not in the columns. Private to
 * src/hlo. Sub-messages are parsed on demand; bytes are borrowed. A damaged message has the fields
 * before the damage. */
#ifndef XPROFD_SRC_HLO_RAW_H
#define XPROFD_SRC_HLO_RAW_H

#include "xprofd/base/arena.h"
#include "xprofd/wire/cursor.h"

struct xpd_raw {
    const struct xpd_field *field;
    uint32_t count;
    uint64_t seen[2]; /* bit n: there is a field n; numbers from 127 on share the last bit */
};

struct xpd_raw_ints {
    const int64_t *at;
    uint32_t count;
};

struct xpd_raw xpd_raw_read(struct xpd_arena *arena, const void *bytes, size_t size);
/* From fields that were read before. */
struct xpd_raw xpd_raw_of(const struct xpd_field *field, uint32_t count);
const struct xpd_field *xpd_raw_find_last(const struct xpd_raw *raw, uint32_t number);

/* False: not there, which is the most frequent case. */
static inline bool xpd_raw_may_have(const struct xpd_raw *raw, uint32_t number)
{
    uint32_t bit = number < 127 ? number : 127;
    return raw->seen[bit / 64] >> (bit % 64) & 1;
}

/* The last field of that number, or NULL: in protobuf the last one counts. */
static inline const struct xpd_field *xpd_raw_last(const struct xpd_raw *raw, uint32_t number)
{
    return xpd_raw_may_have(raw, number) ? xpd_raw_find_last(raw, number) : NULL;
}

static inline bool xpd_raw_has(const struct xpd_raw *raw, uint32_t number)
{
    return xpd_raw_last(raw, number) != NULL;
}

int64_t xpd_raw_int(const struct xpd_raw *raw, uint32_t number, int64_t otherwise);
struct xpd_str xpd_raw_text(const struct xpd_raw *raw, uint32_t number);
/* Empty if there is none. */
struct xpd_raw xpd_raw_message(struct xpd_arena *arena, const struct xpd_raw *raw, uint32_t number);
/* All of a repeated integer, packed or not; unpacked floats and doubles by their bits. */
struct xpd_raw_ints xpd_raw_ints(struct xpd_arena *arena, const struct xpd_raw *raw,
                                 uint32_t number);
/* Walks the messages of a repeated field: *at starts at 0. */
bool xpd_raw_each(struct xpd_arena *arena, const struct xpd_raw *raw, uint32_t number, uint32_t *at,
                  struct xpd_raw *message);
uint32_t xpd_raw_count(const struct xpd_raw *raw, uint32_t number);

#endif
