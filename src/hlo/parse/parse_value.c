/* The end and the contents of a value: text in quotes, lists of numbers, keys with
 * values. In: the text after "key=". Out: its pieces. A value is one line of text,
 * except unescaped ones (configs, frontend attributes), which may have line breaks
 * inside braces. The search for a missing brace reads the whole text once, then never
 * again. */
#include "parse_internal.h"

bool xpd_parse_next_key(struct xpd_parse *p, struct xpd_str *key)
{
    xpd_scan_blank(&p->scan);
    if (xpd_scan_peek(&p->scan) != ',')
        return false;
    p->scan.at++;
    xpd_scan_blank(&p->scan);
    *key = xpd_scan_name(&p->scan);
    if (key->size == 0 || xpd_scan_peek(&p->scan) != '=')
        return false;
    p->scan.at++;
    return true;
}

struct xpd_text_scan xpd_parse_value(struct xpd_parse *p, bool may_break)
{
    struct xpd_text_scan value = {p->scan.at, p->scan.at};
    while (p->scan.at < p->scan.end) {
        char c = *p->scan.at;
        if (c == ',')
            break;
        if (c == '"') {
            xpd_scan_quoted(&p->scan);
        } else if (c != '{' && c != '[' && c != '(') {
            p->scan.at++;
        } else if (!xpd_scan_braces(&p->scan, true)) {
            struct xpd_text_scan whole = {p->scan.at, p->text_end};
            if (may_break && !p->in_one_line && xpd_scan_braces(&whole, false)) {
                p->scan.at = whole.at;
                xpd_parse_open_line(p);
                continue;
            }
            p->in_one_line = p->in_one_line || may_break;
            xpd_parse_warn(p, p->scan.at, XPD_WARNING, "hlo_text_brace",
                           "what is opened here is not closed; the rest of the line is left out");
            p->scan.at = p->scan.end;
            value.end = value.at;
            return value;
        }
    }
    value.end = p->scan.at;
    while (value.end > value.at &&
           (value.end[-1] == ' ' || value.end[-1] == '\r' || value.end[-1] == '\t'))
        value.end--;
    return value;
}

static int from_octal(const char *at, const char *end)
{
    int value = 0;
    if (end - at < 3)
        return -1;
    for (int i = 0; i < 3; i++) {
        if (at[i] < '0' || at[i] > '7')
            return -1;
        value = value * 8 + (at[i] - '0');
    }
    return value < 256 ? value : -1;
}

static int from_hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 32);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* After a backslash: one byte, and the number of bytes read. */
static size_t unescape(const char *at, const char *end, char *byte)
{
    static const char letter[] = "nrt\"'\\abfv", means[] = "\n\r\t\"'\\\a\b\f\v";
    const char *found = memchr(letter, *at, sizeof letter - 1);
    int octal = from_octal(at, end);
    *byte = *at;
    if (found) {
        *byte = means[found - letter];
    } else if (octal >= 0) {
        *byte = (char)octal;
        return 3;
    } else if (*at == 'x' && end - at >= 3 && from_hex(at[1]) >= 0 && from_hex(at[2]) >= 0) {
        *byte = (char)(from_hex(at[1]) * 16 + from_hex(at[2]));
        return 3;
    }
    return 1;
}

struct xpd_str xpd_parse_text(struct xpd_parse *p, struct xpd_text_scan value)
{
    struct xpd_str text = {value.at, (size_t)(value.end - value.at)};
    if (text.size == 0 || text.data[0] != '"')
        return text;
    text.data++;
    text.size--;
    if (text.size != 0 && text.data[text.size - 1] == '"')
        text.size--;
    if (!memchr(text.data, '\\', text.size))
        return text;
    xpd_strbuf_clear(&p->decoded);
    const char *at = text.data, *end = at + text.size;
    while (at < end) {
        const char *slash = memchr(at, '\\', (size_t)(end - at));
        if (!slash || slash + 1 == end) {
            xpd_strbuf_add(&p->decoded, at, (size_t)(end - at));
            break;
        }
        char byte;
        xpd_strbuf_add(&p->decoded, at, (size_t)(slash - at));
        at = slash + 1;
        at += unescape(at, end, &byte);
        xpd_strbuf_putc(&p->decoded, byte);
    }
    return (struct xpd_str){p->decoded.data, p->decoded.size};
}

bool xpd_parse_list(struct xpd_text_scan *value, struct xpd_strbuf *out, uint32_t field)
{
    int64_t number;
    if (!xpd_scan_take(value, '{'))
        return false;
    if (xpd_scan_take(value, '}'))
        return true;
    size_t begin = xpd_out_begin(out, field);
    do {
        if (!xpd_scan_int(value, &number))
            return false;
        xpd_out_varint(out, (uint64_t)number);
    } while (xpd_scan_take(value, ','));
    xpd_out_end(out, begin);
    return xpd_scan_take(value, '}');
}

bool xpd_parse_pair(struct xpd_text_scan *scan, struct xpd_str *key, struct xpd_text_scan *value)
{
    while (xpd_scan_more(scan) && (*scan->at == ' ' || *scan->at == ',' || *scan->at == '{' ||
                                   *scan->at == '}' || *scan->at == '\n'))
        scan->at++;
    *key = xpd_scan_name(scan);
    if (key->size == 0 || !xpd_scan_more(scan) || *scan->at != '=')
        return false;
    value->at = ++scan->at;
    while (xpd_scan_more(scan) && *scan->at != ' ' && *scan->at != ',' && *scan->at != '}') {
        char c = *scan->at;
        if (c == '"')
            xpd_scan_quoted(scan);
        else if ((c != '{' && c != '[' && c != '(') || !xpd_scan_braces(scan, false))
            scan->at++;
    }
    value->end = scan->at;
    return true;
}
