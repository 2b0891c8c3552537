/* The longer scans of HLO text. In: a position in the text. Out:
 * the position after the item. Each reads a byte once and reports
 * a missing end, so that the caller decides how much text to
 * take. */
#include "parse_scan.h"

void xpd_scan_comment(struct xpd_text_scan *scan)
{
    bool line = scan->at[1] == '/';
    struct xpd_str rest = xpd_scan_rest(scan);
    const char *newline = memchr(rest.data, '\n', rest.size);
    struct xpd_str first = {rest.data, newline ? (size_t)(newline - rest.data) : rest.size};
    size_t end = line ? SIZE_MAX : xpd_str_find(first, XPD_STR("*/"), false);
    scan->at += end == SIZE_MAX ? first.size : end + 2;
}

/* The end of the quoted text that begins at `at`. */
static const char *behind_quoted(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\' && at + 1 < end)
            at++;
    return at < end ? at + 1 : end;
}

void xpd_scan_quoted(struct xpd_text_scan *scan)
{
    scan->at = behind_quoted(scan->at, scan->end);
}

bool xpd_scan_braces(struct xpd_text_scan *scan, bool in_line)
{
    static const bool counts[256] = {['"'] = true, ['\n'] = true, ['('] = true, [')'] = true,
                                     ['['] = true, [']'] = true,  ['{'] = true, ['}'] = true};
    const char *at = scan->at, *end = scan->end;
    const char open = *at, close = open == '(' ? ')' : open == '[' ? ']' : '}';
    uint64_t depth = 0;
    for (;;) {
        while (at < end && !counts[(unsigned char)*at])
            at++;
        if (at == end)
            break;
        char c = *at;
        if (c == '"') {
            at = behind_quoted(at, end);
            continue;
        }
        if (c == '\n' && in_line)
            break;
        at++;
        if (c == open)
            depth++;
        if (c == close && --depth == 0) {
            scan->at = at;
            return true;
        }
    }
    return false;
}
