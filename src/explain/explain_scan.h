/* A position in a text, and the small steps that the parsers of this folder share. */
#ifndef XPROFD_SRC_EXPLAIN_SCAN_H
#define XPROFD_SRC_EXPLAIN_SCAN_H

#include "xprofd/base/arena.h"
#include "xprofd/base/str.h"
#include "xprofd/explain/line.h"

struct xpd_scan {
    const char *at, *end;
    struct xpd_arena *arena;
};

static inline char xpd_scan_peek(const struct xpd_scan *scan)
{
    return scan->at < scan->end ? *scan->at : '\0';
}

static inline bool xpd_scan_take(struct xpd_scan *scan, char c)
{
    if (xpd_scan_peek(scan) != c || scan->at >= scan->end)
        return false;
    scan->at++;
    return true;
}

/* Blanks and comments like the index marks in tuples. */
static inline void xpd_scan_blanks(struct xpd_scan *scan)
{
    while (scan->at < scan->end) {
        if (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\n' || *scan->at == '\r') {
            scan->at++;
        } else if (scan->end - scan->at >= 2 && scan->at[0] == '/' && scan->at[1] == '*') {
            struct xpd_str rest = {scan->at, (size_t)(scan->end - scan->at)};
            size_t close = xpd_str_find(rest, XPD_STR("*/"), false);
            scan->at = close == SIZE_MAX ? scan->end : scan->at + close + 2;
        } else {
            return;
        }
    }
}

/* A decimal number with an optional sign; false when there is none or it does not fit. */
static inline bool xpd_scan_int(struct xpd_scan *scan, int64_t *value)
{
    const char *from = scan->at;
    if (xpd_scan_peek(scan) == '-')
        scan->at++;
    while (xpd_scan_peek(scan) >= '0' && xpd_scan_peek(scan) <= '9')
        scan->at++;
    return xpd_str_to_i64((struct xpd_str){from, (size_t)(scan->at - from)}, value);
}

static inline struct xpd_str xpd_scan_since(const struct xpd_scan *scan, const char *from)
{
    return (struct xpd_str){from, (size_t)(scan->at - from)};
}

static inline bool xpd_scan_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

/* Letters, digits, '_', '-', '.': names, opcodes, keys. */
static inline struct xpd_str xpd_scan_word(struct xpd_scan *scan)
{
    const char *from = scan->at;
    while (xpd_scan_is_word(xpd_scan_peek(scan)))
        scan->at++;
    return xpd_scan_since(scan, from);
}

/* explain_parse_shape.c: the shape at the position; NULL, the position unmoved, when there is none.
 * With `line`, its *_text get the places of the parts. */
const struct xpd_shape *xpd_scan_shape(struct xpd_scan *scan, struct xpd_hlo_line *line);

#endif
