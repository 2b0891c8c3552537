/* Small pieces of the text: names, escaped text, dictionaries, lists of numbers, shapes of fields.
 */
#include "print_internal.h"

enum { LENGTH = 2 };

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_type_name(struct xpd_str text)
{
    int32_t type = xpd_type_of(text);
    return type != 0 && type != XPD_TYPE_TUPLE && type != XPD_TYPE_BUFFER;
}

/* XLA lets a name have letters, digits, '_', '.' and '-' only, be no type, and begin with a letter
 * or one '_'; a file written by XLA has no others. */
static void put_clean(struct xpd_strbuf *out, struct xpd_str text)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        bool fits = is_letter(c) || (i != 0 && ((c >= '0' && c <= '9') || c == '.' || c == '-'));
        if (i == 0 && xpd_str_starts(text, "__"))
            c = 'a';
        xpd_strbuf_putc(out, fits ? c : '_');
    }
    if (is_type_name(text))
        xpd_strbuf_putc(out, '_');
}

void xpd_print_clean_name(struct xpd_strbuf *out, struct xpd_str text, uint32_t flags)
{
    if (flags & XPD_PRINT_XPROF)
        put_clean(out, text);
    else
        xpd_strbuf_add(out, text.data, text.size);
}

void xpd_print_name(struct xpd_print *p, xpd_name_id name)
{
    if (p->flags & XPD_PRINT_PERCENT)
        xpd_strbuf_putc(p->out, '%');
    xpd_print_clean_name(p->out, xpd_hlo_text(p->hlo, name), p->flags);
}

static size_t escape(uint8_t c, char out[4])
{
    static const char special[] = "\n\r\t\"'\\", letter[] = "nrt\"'\\";
    const char *at = memchr(special, c, sizeof special - 1);
    out[0] = '\\';
    if (at) {
        out[1] = letter[at - special];
        return 2;
    }
    out[1] = (char)('0' + (c >> 6));
    out[2] = (char)('0' + (c >> 3 & 7));
    out[3] = (char)('0' + (c & 7));
    return 4;
}

static inline bool is_plain(uint8_t c)
{
    static const bool odd[256] = {['"'] = true, ['\''] = true, ['\\'] = true};
    return c >= 32 && c < 127 && !odd[c];
}

void xpd_print_escaped(struct xpd_strbuf *out, struct xpd_str text)
{
    for (size_t i = 0, from; i < text.size;) {
        for (from = i; i < text.size && is_plain((uint8_t)text.data[i]);)
            i++;
        xpd_strbuf_add(out, text.data + from, i - from);
        if (i < text.size) {
            char escaped[4];
            xpd_strbuf_add(out, escaped, escape((uint8_t)text.data[i++], escaped));
        }
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Whether the whole text is one balanced {...} with proper strings, blanks around it aside. */
static bool is_dictionary(struct xpd_str text)
{
    uint32_t depth = 0;
    bool quoted = false;
    while (text.size && is_blank(text.data[0]))
        text = (struct xpd_str){text.data + 1, text.size - 1};
    while (text.size && is_blank(text.data[text.size - 1]))
        text.size--;
    if (text.size == 0 || text.data[0] != '{')
        return false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (quoted) {
            if (c == '\\')
                i++;
            else if (c == '"')
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{') {
            depth++;
        } else if (c == '}' && --depth == 0) {
            return i == text.size - 1;
        }
    }
    return false;
}

void xpd_print_dictionary(struct xpd_strbuf *out, struct xpd_str text)
{
    if (is_dictionary(text)) {
        xpd_strbuf_add(out, text.data, text.size);
        return;
    }
    xpd_strbuf_putc(out, '"');
    xpd_print_escaped(out, text);
    xpd_strbuf_putc(out, '"');
}

void xpd_print_ints(struct xpd_strbuf *out, struct xpd_raw_ints ints)
{
    for (uint32_t i = 0; i < ints.count; i++) {
        if (i != 0)
            xpd_strbuf_putc(out, ',');
        xpd_strbuf_i64(out, ints.at[i]);
    }
}

void xpd_print_shape(struct xpd_print *p, const struct xpd_raw *raw, uint32_t number)
{
    const struct xpd_field *field = xpd_raw_last(raw, number);
    if (field && field->wire_type == LENGTH)
        xpd_shape_text(p->out, xpd_print_shape_of(p->printer, field), true);
}
