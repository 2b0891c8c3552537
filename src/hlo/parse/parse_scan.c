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

void xpd_scan_quoted(struct xpd_text_scan *scan)
{
    const char *at = scan->at + 1;
    for (; at < scan->end && *at != '"'; at++)
        if (*at == '\\' && at + 1 < scan->end)
            at++;
    scan->at = at < scan->end ? at + 1 : scan->end;
}

bool xpd_scan_braces(struct xpd_text_scan *scan, bool in_line)
{
    const char *from = scan->at;
    const char open = *from, close = open == '(' ? ')' : open == '[' ? ']' : '}';
    uint64_t depth = 0;
    while (scan->at < scan->end) {
        char c = *scan->at;
        if (c == '"') {
            xpd_scan_quoted(scan);
            continue;
        }
        if (c == '\n' && in_line)
            break;
        if (c == open)
            depth++;
        if (c == close && --depth == 0) {
            scan->at++;
            return true;
        }
        scan->at++;
    }
    scan->at = from;
    return false;
}
