/* Positions in HLO text. In: one. Out: the position after an item, each byte read once (a missing
 * end is reported, so that the caller decides how much text to take); or a warning with its line
 * and column. Lines are counted from the last warning, so any number of warnings costs one pass
 * over the text; of each code only the first is written out. */
#include "parse_internal.h"

#include <stdarg.h>
#include <stdio.h>

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

/* ---- lines, and warnings about them ---- */

static void line_of(struct xpd_parse *p, const char *at, uint64_t *line, uint64_t *column)
{
    if (at < p->counted) { /* rare: reported after the whole text is read */
        p->counted = p->start;
        p->line = 1;
    }
    const char *begin = p->counted;
    for (const char *next; (next = memchr(begin, '\n', (size_t)(at - begin))); begin = next + 1)
        p->line++;
    p->counted = begin;
    *line = p->line;
    *column = (uint64_t)(at - begin) + 1;
}

static bool is_known(const struct xpd_warnings *list, const char *code)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->item[i].code, code) == 0)
            return true;
    return false;
}

void xpd_parse_warn(struct xpd_parse *p, const char *at, enum xpd_severity severity,
                    const char *code, const char *fmt, ...)
{
    char text[400] = "";
    uint64_t line = 0, column = 0, offset = (uint64_t)(at - p->start);
    if (!p->warnings)
        return;
    if (!is_known(p->warnings, code) && p->warnings->count < XPD_WARNINGS_MAX) {
        va_list args;
        va_start(args, fmt);
        vsnprintf(text, sizeof text, fmt, args);
        va_end(args);
        line_of(p, at, &line, &column);
    }
    xpd_warn(p->warnings, severity, code, offset, "%s%sline %llu, column %llu: %s", p->name,
             p->name[0] ? ", " : "", (unsigned long long)line, (unsigned long long)column, text);
}

void xpd_parse_open_line(struct xpd_parse *p)
{
    const char *newline = p->scan.at < p->text_end
                              ? memchr(p->scan.at, '\n', (size_t)(p->text_end - p->scan.at))
                              : NULL;
    p->scan.end = newline ? newline : p->text_end;
}

void xpd_parse_next_line(struct xpd_parse *p)
{
    p->scan.at = p->scan.end < p->text_end ? p->scan.end + 1 : p->text_end;
    p->scan.end = p->text_end;
}
