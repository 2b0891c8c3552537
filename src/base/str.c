/* Borrowed text: comparison, search, numbers, hash.
 *
 * In: a pointer and a length, any bytes. Out: plain values; nothing is copied or allocated, and no
 * function looks beyond the length it was given. */
#define _GNU_SOURCE 1 /* memmem */
#include "xprofd/base/str.h"

bool xpd_str_ends(struct xpd_str text, const char *suffix)
{
    size_t size = strlen(suffix);
    return size <= text.size &&
           (size == 0 || memcmp(text.data + (text.size - size), suffix, size) == 0);
}

bool xpd_str_starts(struct xpd_str text, const char *prefix)
{
    size_t size = strlen(prefix);
    return size <= text.size && (size == 0 || memcmp(text.data, prefix, size) == 0);
}

static inline unsigned char fold(char c)
{
    unsigned char byte = (unsigned char)c;
    return byte >= 'A' && byte <= 'Z' ? (unsigned char)(byte | 0x20) : byte;
}

static size_t find_folded(struct xpd_str text, struct xpd_str needle)
{
    unsigned char first = fold(needle.data[0]);
    size_t last = text.size - needle.size;
    for (size_t at = 0; at <= last; at++) {
        if (fold(text.data[at]) != first)
            continue;
        size_t i = 1;
        while (i < needle.size && fold(text.data[at + i]) == fold(needle.data[i]))
            i++;
        if (i == needle.size)
            return at;
    }
    return SIZE_MAX;
}

int xpd_str_compare_row(const void *key, const void *row)
{
    const struct xpd_str *text = key;
    const char *name = *(const char *const *)row;
    for (size_t i = 0; i < text->size; i++) /* a few letters tell: no length is needed */
        if (text->data[i] != name[i] || name[i] == '\0')
            return (unsigned char)text->data[i] < (unsigned char)name[i] ? -1 : 1;
    return name[text->size] == '\0' ? 0 : -1;
}

size_t xpd_str_find(struct xpd_str text, struct xpd_str needle, bool fold_case)
{
    if (needle.size == 0)
        return 0;
    if (needle.size > text.size)
        return SIZE_MAX;
    if (fold_case)
        return find_folded(text, needle);
    const char *hit = memmem(text.data, text.size, needle.data, needle.size);
    return hit ? (size_t)(hit - text.data) : SIZE_MAX;
}

bool xpd_str_to_u64(struct xpd_str text, uint64_t *value)
{
    uint64_t number = 0;
    if (text.size == 0)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        unsigned digit = (unsigned)(unsigned char)text.data[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(number, UINT64_C(10), &number) ||
            __builtin_add_overflow(number, (uint64_t)digit, &number))
            return false;
    }
    *value = number;
    return true;
}

bool xpd_str_take_u32(struct xpd_str *text, uint32_t *value)
{
    uint64_t number = 0;
    size_t digits = 0;
    for (; digits < text->size && text->data[digits] >= '0' && text->data[digits] <= '9'; digits++)
        number = number < UINT32_MAX ? number * 10 + (uint64_t)(text->data[digits] - '0') : number;
    if (digits == 0)
        return false;
    *text = (struct xpd_str){text->data + digits, text->size - digits};
    *value = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
    return true;
}

bool xpd_str_take_char(struct xpd_str *text, char c)
{
    bool is = text->size > 0 && text->data[0] == c;
    if (is)
        *text = (struct xpd_str){text->data + 1, text->size - 1};
    return is;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct xpd_str xpd_str_trim(struct xpd_str text)
{
    while (text.size > 0 && is_blank(text.data[0]))
        text = (struct xpd_str){text.data + 1, text.size - 1};
    while (text.size > 0 && is_blank(text.data[text.size - 1]))
        text.size--;
    return text;
}

struct xpd_str xpd_str_after_last(struct xpd_str text, char mark)
{
    for (size_t i = text.size; i > 0; i--)
        if (text.data[i - 1] == mark)
            return (struct xpd_str){text.data + i, text.size - i};
    return text;
}

const char *xpd_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool xpd_str_to_i64(struct xpd_str text, int64_t *value)
{
    bool negative = text.size != 0 && text.data[0] == '-';
    if (negative)
        text = (struct xpd_str){text.data + 1, text.size - 1};
    uint64_t size;
    if (!xpd_str_to_u64(text, &size) || size > (uint64_t)INT64_MAX + negative)
        return false;
    *value = !negative ? (int64_t)size : size == 0 ? 0 : -(int64_t)(size - 1) - 1;
    return true;
}

/* Digits at the start: their number, and their count. False when it does not fit. */
static bool leading_digits(struct xpd_str text, uint64_t *value, size_t *count)
{
    *count = 0;
    while (*count < text.size && text.data[*count] >= '0' && text.data[*count] <= '9')
        ++*count;
    *value = 0;
    return *count == 0 || xpd_str_to_u64((struct xpd_str){text.data, *count}, value);
}

/* The power of two of the unit, -1 = unknown unit. */
static int unit_shift(struct xpd_str unit)
{
    static const char letters[] = "KMGT";
    if (unit.size == 0)
        return 0;
    const char *letter = strchr(letters, unit.data[0] & ~0x20);
    struct xpd_str rest = {unit.data + 1, unit.size - 1};
    bool fine = rest.size == 0 || (rest.size == 1 && (rest.data[0] | 0x20) == 'b') ||
                (rest.size == 2 && (rest.data[0] | 0x20) == 'i' && (rest.data[1] | 0x20) == 'b');
    if (!fine || !letter || !*letter)
        return -1;
    return 10 * (int)(letter - letters + 1);
}

bool xpd_str_to_bytes(struct xpd_str text, int64_t *bytes)
{
    enum { FRACTION_DIGITS = 15 };
    uint64_t whole, part = 0, scale = 1;
    size_t digits, more = 0;
    if (!leading_digits(text, &whole, &digits) || digits == 0)
        return false;
    struct xpd_str rest = {text.data + digits, text.size - digits};
    if (rest.size != 0 && rest.data[0] == '.') {
        rest = (struct xpd_str){rest.data + 1, rest.size - 1};
        if (!leading_digits(rest, &part, &more) || more > FRACTION_DIGITS)
            return false;
        rest = (struct xpd_str){rest.data + more, rest.size - more};
    }
    for (size_t i = 0; i < more; i++)
        scale *= 10;
    int shift = unit_shift(rest);
    if (shift < 0 || whole > (uint64_t)INT64_MAX >> shift)
        return false;
    uint64_t fraction = (uint64_t)((double)part / (double)scale * (double)(UINT64_C(1) << shift));
    whole = (whole << shift) + fraction;
    *bytes = (int64_t)whole;
    return whole <= INT64_MAX;
}

/* ---- hash: 8 bytes at a time, each mixed by a 64x64 -> 128 bit product folded together ---- */

__extension__ typedef unsigned __int128 wide;

static inline uint64_t mix(uint64_t a, uint64_t b)
{
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t load8(const unsigned char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* 1 to 7 bytes; the reads overlap, which is harmless since the size is hashed too. */
static inline uint64_t load_short(const unsigned char *at, size_t size)
{
    if (size >= 4) {
        uint32_t low, high;
        memcpy(&low, at, sizeof low);
        memcpy(&high, at + size - 4, sizeof high);
        return (uint64_t)high << 32 | low;
    }
    return (uint64_t)at[0] << 16 | (uint64_t)at[size / 2] << 8 | at[size - 1];
}

uint64_t xpd_hash(const void *bytes, size_t size)
{
    const uint64_t k0 = UINT64_C(0xa0761d6478bd642f), k1 = UINT64_C(0xe7037ed1a0b428db);
    const unsigned char *at = bytes;
    uint64_t state = mix((uint64_t)size ^ k0, k1);
    if (size >= 8) {
        const unsigned char *last = at + (size - 8);
        for (; at < last; at += 8)
            state = mix(load8(at) ^ k1, state ^ k0);
        state = mix(load8(last) ^ k1, state ^ k0);
    } else if (size != 0) {
        state = mix(load_short(at, size) ^ k1, state ^ k0);
    }
    return mix(state ^ k0, k1);
}
