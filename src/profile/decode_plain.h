/* An event as nearly all are: fields in the order that writers have them, stats that tell by their
 * first bytes that they are not wanted. Only events.c includes this: it is the inner part of a loop
 * over 25 million events a gigabyte, where a call costs as much as a field.
 *
 * Branches that always go the same way cost nothing, a jump by the tag would cost as much as all
 * the rest. A tag and its number are loaded at once, the head of a stat too. What is not plain goes
 * to xpd_decode_any. */
#ifndef XPD_PROFILE_DECODE_PLAIN_H
#define XPD_PROFILE_DECODE_PLAIN_H

#include "decode.h"

#include "xprofd/wire/cursor.h"

enum { SLACK = 16 }; /* bytes that may be read behind an event */

#define ALWAYS inline __attribute__((always_inline))
#define RARE   __attribute__((noinline, cold))

static ALWAYS uint64_t load_word(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* The bits of `word` under `mask`, moved together. One instruction (BMI2) where the processor has
 * it and does not take it apart into hundreds, as the first two Zen do. Written as assembler, since
 * a function that may use it cannot be inlined into one that may not. */
static ALWAYS uint64_t gather(uint64_t word, uint64_t mask)
{
#ifdef __x86_64__
    uint64_t bits;
    __asm__("pext %2, %1, %0" : "=r"(bits) : "r"(word), "r"(mask));
    return bits;
#else
    (void)mask;
    return word; /* never called: has_gather is false */
#endif
}

static inline bool has_gather(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("znver1") &&
           !__builtin_cpu_is("znver2");
#else
    return false;
#endif
}

/* A number of eight to ten bytes behind the tag at `at`; NULL = no number. */
static RARE const uint8_t *wide_number(const uint8_t *at, uint64_t *value)
{
    const uint8_t *end = at + 11;
    at++;
    return xpd_varint(&at, end, value) ? at : NULL;
}

/* The number behind the tag of one byte at `at`; returns where it ends, NULL = no number. Eight
 * bytes at once: the first one behind the tag without its high bit tells the length. */
static ALWAYS const uint8_t *number_behind_tag(const uint8_t *at, uint64_t *value, bool pext)
{
    uint64_t word = load_word(at), stop = ~word & UINT64_C(0x8080808080808000);
    if (__builtin_expect(stop == 0, 0))
        return wide_number(at, value);
    word &= stop ^ (stop - 1);
    if (pext) {
        *value = gather(word, UINT64_C(0x7f7f7f7f7f7f7f00));
        return at + ((unsigned)__builtin_ctzll(stop) >> 3) + 1;
    }
    word = (word & UINT64_C(0x7f7f7f7f7f7f7f00)) >> 8;
    /* Groups of 7 bits move together: pairs become 14, those 28, those 56. */
    word -= (word & UINT64_C(0x007f007f007f007f) << 8) >> 1;
    word -= 3 * ((word & UINT64_C(0x00003fff00003fff) << 16) >> 2);
    *value = (uint32_t)word | word >> 32 << 28;
    return at + ((unsigned)__builtin_ctzll(stop) >> 3) + 1;
}

static ALWAYS bool is_wanted(const struct xpd_decode *decode, uint64_t id)
{
    return id < 128 ? (decode->wanted_bits[id >> 6] >> (id & 63)) & 1 : decode->wanted_high;
}

/* Behind a stat of 128 bytes and more, or one that does not begin with a short id, if it can be
 * told that nothing of it is wanted; else NULL. */
static RARE const uint8_t *skip_odd_stat(const struct xpd_decode *decode, const uint8_t *at,
                                         const uint8_t *end)
{
    uint64_t size, id;
    if (*at++ != TAG_STAT || !xpd_varint(&at, end, &size) || size > (uint64_t)(end - at))
        return NULL;
    const uint8_t *stat_end = at + size;
    if (!decode->any_wanted)
        return stat_end;
    if (size < 2 || *at++ != TAG_METADATA || !xpd_varint(&at, stat_end, &id) ||
        is_wanted(decode, id))
        return NULL;
    return stat_end;
}

/* Stats from `at` to `end`. Of those wanted only {device_duration_ps, number} is taken, the one
 * stat that most device events have. */
static ALWAYS bool read_stats(const struct xpd_decode *decode, const uint8_t *at,
                              const uint8_t *end, struct xpd_wire_event *event, bool pext)
{
    while (at < end) {
        uint32_t head = (uint32_t)load_word(at); /* tag, size, tag of the id, id */
        const uint8_t *stat_end = at + 2 + (head >> 8 & 0x7F);
        if ((head & 0x80FF80FF) != (TAG_METADATA << 16 | TAG_STAT) || stat_end - at < 4 ||
            stat_end > end) {
            if (!(at = skip_odd_stat(decode, at, end)))
                return false;
            continue;
        }
        uint32_t id = head >> 24;
        if (is_wanted(decode, id)) {
            if (id != decode->device_id ||
                (at[4] != (3 << 3 | VARINT) && at[4] != (4 << 3 | VARINT)) ||
                number_behind_tag(at + 4, &event->device_ps, pext) != stat_end)
                return false;
            event->has_device = true;
        }
        at = stat_end;
    }
    return at == end;
}

/* False: xpd_decode_any says what this is. SLACK bytes behind `end` may be read. */
static ALWAYS bool read_plain(const struct xpd_decode *decode, const uint8_t *at,
                              const uint8_t *end, struct xpd_wire_event *event, bool pext)
{
    *event = (struct xpd_wire_event){0};
    if (at < end && *at == TAG_METADATA) {
        uint32_t low = at[1], more = low >> 7, high = at[2]; /* short ids, without a branch */
        event->metadata_id = (low & 0x7F) | (high << 7 & (0 - more));
        if (!(more & high >> 7))
            at += 2 + more;
        else if (!(at = number_behind_tag(at, &event->metadata_id, pext)))
            return false;
    }
    if (at < end && *at == TAG_OFFSET && !(at = number_behind_tag(at, &event->offset_ps, pext)))
        return false;
    if (at < end && *at == TAG_DURATION && !(at = number_behind_tag(at, &event->duration_ps, pext)))
        return false;
    return read_stats(decode, at, end, event, pext);
}

#endif
