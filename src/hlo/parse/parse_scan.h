/* Scans of HLO text: blanks with comments, names, numbers, the end of text in braces. Private to
 * src/hlo. */
#ifndef XPROFD_SRC_HLO_SCAN_H
#define XPROFD_SRC_HLO_SCAN_H

#include "../text/text_scan.h"

enum { XPD_SCAN_RANK = 64 }; /* dimensions of a shape, axes of a mesh */

/* What a name may hold. XLA's own names have letters, digits and "_.-"; the rest is tolerated. */
static inline bool xpd_scan_in_name(char c)
{
    static const bool ends_name[256] = {
        [' '] = true, ['\t'] = true, ['\r'] = true, ['\n'] = true, [','] = true,
        ['('] = true, [')'] = true,  ['{'] = true,  ['}'] = true,  ['['] = true,
        [']'] = true, ['='] = true,  ['"'] = true,  ['\0'] = true};
    return !ends_name[(unsigned char)c];
}

static inline bool xpd_scan_more(const struct xpd_text_scan *scan)
{
    return scan->at < scan->end;
}

static inline char xpd_scan_peek(const struct xpd_text_scan *scan)
{
    return scan->at < scan->end ? *scan->at : '\0';
}

static inline struct xpd_str xpd_scan_rest(const struct xpd_text_scan *scan)
{
    return (struct xpd_str){scan->at, (size_t)(scan->end - scan->at)};
}

/* A comment of either kind at `at`; one without an end goes to the end of its line. */
void xpd_scan_comment(struct xpd_text_scan *scan);

static inline bool xpd_scan_at_comment(const struct xpd_text_scan *scan)
{
    return scan->end - scan->at >= 2 && scan->at[0] == '/' &&
           (scan->at[1] == '*' || scan->at[1] == '/');
}

/* Blanks and comments, not the end of a line. */
static inline void xpd_scan_blank(struct xpd_text_scan *scan)
{
    for (;;) {
        while (scan->at < scan->end && (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\r'))
            scan->at++;
        if (!xpd_scan_at_comment(scan))
            return;
        xpd_scan_comment(scan);
    }
}

/* Blanks, comments and ends of lines. */
static inline void xpd_scan_space(struct xpd_text_scan *scan)
{
    for (;;) {
        xpd_scan_blank(scan);
        if (xpd_scan_peek(scan) != '\n' || !xpd_scan_more(scan))
            return;
        scan->at++;
    }
}

/* Consumes `c` after blanks, comments and, inside braces, line ends. */
static inline bool xpd_scan_take(struct xpd_text_scan *scan, char c)
{
    if (scan->at < scan->end && *scan->at == c) {
        scan->at++;
        return true;
    }
    xpd_scan_space(scan);
    if (scan->at >= scan->end || *scan->at != c)
        return false;
    scan->at++;
    return true;
}

/* Consumes the word if it is here, whatever follows. */
static inline bool xpd_scan_word(struct xpd_text_scan *scan, struct xpd_str word)
{
    xpd_scan_space(scan);
    if ((size_t)(scan->end - scan->at) < word.size || memcmp(scan->at, word.data, word.size) != 0)
        return false;
    scan->at += word.size;
    return true;
}

/* The name here, without its %; "" if there is none. A name never begins with a slash, as planes of
 * profiles and comments do. */
static inline struct xpd_str xpd_scan_name(struct xpd_text_scan *scan)
{
    if (scan->at < scan->end && *scan->at == '%')
        scan->at++;
    struct xpd_str name = {scan->at, 0};
    if (xpd_scan_peek(scan) == '/')
        return name;
    const char *at = scan->at;
    while (at < scan->end && xpd_scan_in_name(*at))
        at++;
    scan->at = at;
    name.size = (size_t)(at - name.data);
    return name;
}

/* A decimal number with or without a sign; false when there is none or it does not fit. */
static inline bool xpd_scan_int(struct xpd_text_scan *scan, int64_t *value)
{
    enum { FIT_ALWAYS = 18 }; /* digits */
    if (scan->at < scan->end && !(*scan->at >= '0' && *scan->at <= '9') && *scan->at != '-')
        xpd_scan_space(scan);
    const char *at = scan->at;
    bool negative = at < scan->end && *at == '-';
    at += negative;
    const char *digits = at;
    uint64_t sum = 0, limit = (uint64_t)INT64_MAX + (negative ? 1 : 0);
    bool fits = true;
    for (; at < scan->end && *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        fits = fits && (at - digits < FIT_ALWAYS || sum <= (limit - digit) / 10);
        sum = fits ? sum * 10 + digit : sum;
    }
    if (at == digits || !fits)
        return false;
    scan->at = at;
    *value = negative ? (int64_t)(0 - sum) : (int64_t)sum;
    return true;
}

/* Steps over a quoted text at `at`; to the end when its last quote is missing. */
void xpd_scan_quoted(struct xpd_text_scan *scan);
/* Skips the text in (), [] or {} at `at`: braces of that kind and quoted texts in it are
 * respected, as XLA does; a dictionary may hold odd ones of the others. False: it does not
 * end before `end`, or before the line does when `in_line`; then `at` is where it was. */
bool xpd_scan_braces(struct xpd_text_scan *scan, bool in_line);

#endif
