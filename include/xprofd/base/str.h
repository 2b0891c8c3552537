/* A borrowed piece of text with its length; may hold any bytes, NUL included. */
#ifndef XPROFD_BASE_STR_H
#define XPROFD_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct xpd_str {
    const char *data;
    size_t size;
};

/* For literals only: the "" makes a pointer, whose sizeof would be wrong, a compile error. */
#define XPD_STR(literal) ((struct xpd_str){"" literal, sizeof("" literal) - 1})

static inline struct xpd_str xpd_str_of(const char *text)
{
    return (struct xpd_str){text ? text : "", text ? strlen(text) : 0};
}

static inline bool xpd_str_eq(struct xpd_str a, struct xpd_str b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Compares bytes; a prefix comes first: negative, 0, positive. */
static inline int xpd_str_order(struct xpd_str a, struct xpd_str b)
{
    size_t shared = a.size < b.size ? a.size : b.size;
    int order = shared ? memcmp(a.data, b.data, shared) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

bool xpd_str_ends(struct xpd_str text, const char *suffix);
bool xpd_str_starts(struct xpd_str text, const char *prefix);
/* For bsearch: a struct xpd_str against rows that begin with a const char * and are sorted by it.
 */
int xpd_str_compare_row(const void *key, const void *row);
/* First position of `needle`, or SIZE_MAX. fold_case folds ASCII letters only. */
size_t xpd_str_find(struct xpd_str text, struct xpd_str needle, bool fold_case);
/* Trims blanks, tabs and line ends at both ends. */
struct xpd_str xpd_str_trim(struct xpd_str text);
/* The text after the last `mark`; the whole text if there is none. */
struct xpd_str xpd_str_after_last(struct xpd_str text, char mark);
/* The name of a file or folder in its path. */
const char *xpd_last_part(const char *path);
/* The whole text must be a decimal number that fits; false otherwise. */
bool xpd_str_to_i64(struct xpd_str text, int64_t *value);
bool xpd_str_to_u64(struct xpd_str text, uint64_t *value);
/* Takes the leading digits off *text; larger numbers become UINT32_MAX. False: no
 * digits. */
bool xpd_str_take_u32(struct xpd_str *text, uint32_t *value);
/* Takes c off *text if that begins with it. */
bool xpd_str_take_char(struct xpd_str *text, char c);
/* "512", "64K", "1.5GiB": a number of bytes; K, M, G and T are powers of 1024, in either case,
 * alone or with B or iB behind. False for anything else and from 2^63 on. */
bool xpd_str_to_bytes(struct xpd_str text, int64_t *bytes);
/* 64-bit hash, the same on every run. */
uint64_t xpd_hash(const void *bytes, size_t size);

#endif
