/* Small steps through attribute text: numbers and lists of numbers. Private to src/hlo. */
#ifndef XPROFD_SRC_HLO_TEXT_SCAN_H
#define XPROFD_SRC_HLO_TEXT_SCAN_H

#include "xprofd/base/str.h"

struct xpd_text_scan {
    const char *at, *end;
};

static inline bool xpd_text_take(struct xpd_text_scan *scan, char c)
{
    while (scan->at < scan->end && *scan->at == ' ')
        scan->at++;
    if (scan->at >= scan->end || *scan->at != c)
        return false;
    scan->at++;
    return true;
}

static inline bool xpd_text_take_word(struct xpd_text_scan *scan, struct xpd_str word)
{
    while (scan->at < scan->end && *scan->at == ' ')
        scan->at++;
    if ((size_t)(scan->end - scan->at) < word.size || memcmp(scan->at, word.data, word.size) != 0)
        return false;
    scan->at += word.size;
    return true;
}

static inline bool xpd_text_int(struct xpd_text_scan *scan, int64_t *value)
{
    while (scan->at < scan->end && *scan->at == ' ')
        scan->at++;
    struct xpd_str digits = {scan->at, 0};
    while (scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9')
        scan->at++;
    digits.size = (size_t)(scan->at - digits.data);
    return xpd_str_to_i64(digits, value);
}

/* Numbers between commas up to `end`, which is taken. */
static inline bool xpd_text_ints(struct xpd_text_scan *scan, char end, int64_t *out,
                                 uint32_t capacity, uint32_t *count)
{
    *count = 0;
    if (xpd_text_take(scan, end))
        return true;
    while (*count < capacity && xpd_text_int(scan, &out[*count])) {
        ++*count;
        if (xpd_text_take(scan, end))
            return true;
        if (!xpd_text_take(scan, ','))
            return false;
    }
    return false;
}

#endif
