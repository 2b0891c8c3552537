/* Text as JSON has it. In: any bytes. Out: a string between quotes that is valid UTF-8 and safe
 * inside a page, what is not UTF-8 replaced by U+FFFD. */
#include "text.h"

/* What a byte needs: nothing, an escape, or a look at the UTF-8 sequence it begins. */
enum { PLAIN = 0, ESCAPE = 1, WIDE = 2 };

/* clang-format off */
#define E8  ESCAPE, ESCAPE, ESCAPE, ESCAPE, ESCAPE, ESCAPE, ESCAPE, ESCAPE
#define W8  WIDE, WIDE, WIDE, WIDE, WIDE, WIDE, WIDE, WIDE
#define W64 W8, W8, W8, W8, W8, W8, W8, W8
static const uint8_t class_of[256] = {
    E8, E8, E8, E8,
    ['"'] = ESCAPE, ['\\'] = ESCAPE, ['<'] = ESCAPE, ['>'] = ESCAPE, ['&'] = ESCAPE,
    [0x7F] = ESCAPE, [0x80] = W64, W64,
};
/* clang-format on */

/* First byte at or behind `at` that cannot be copied as it is. */
static inline const uint8_t *skip_plain(const uint8_t *at, const uint8_t *stop)
{
    while (stop - at >= 8 &&
           (class_of[at[0]] | class_of[at[1]] | class_of[at[2]] | class_of[at[3]] |
            class_of[at[4]] | class_of[at[5]] | class_of[at[6]] | class_of[at[7]]) == PLAIN)
        at += 8;
    while (at < stop && class_of[*at] == PLAIN)
        at++;
    return at;
}

/* Length of the valid UTF-8 sequence at `at`, a byte of 0x80 or more. For an invalid one *valid is
 * false, and the length is that of what one U+FFFD stands for: the longest start of a sequence that
 * could have become valid, at least one byte. (Table 3-7 of the Unicode Standard.) */
static size_t sequence(const uint8_t *at, const uint8_t *stop, bool *valid)
{
    uint8_t lead = at[0], low = 0x80, high = 0xBF;
    size_t length = 0;
    if (lead >= 0xC2 && lead <= 0xDF)
        length = 2;
    else if (lead >= 0xE0 && lead <= 0xEF)
        length = 3;
    else if (lead >= 0xF0 && lead <= 0xF4)
        length = 4;
    *valid = false;
    if (length == 0)
        return 1;
    if (lead == 0xE0)
        low = 0xA0; /* shorter forms exist */
    else if (lead == 0xED)
        high = 0x9F; /* surrogates */
    else if (lead == 0xF0)
        low = 0x90; /* shorter forms exist */
    else if (lead == 0xF4)
        high = 0x8F; /* beyond U+10FFFF */
    for (size_t i = 1; i < length; i++, low = 0x80, high = 0xBF)
        if (at + i == stop || at[i] < low || at[i] > high)
            return i;
    *valid = true;
    return length;
}

bool xpd_json_is_plain(const char *text, size_t size)
{
    const uint8_t *at = (const uint8_t *)text;
    return size == 0 || skip_plain(at, at + size) == at + size;
}

static void escape(struct xpd_strbuf *out, uint8_t byte)
{
    static const char hex[] = "0123456789abcdef";
    if (byte == '"' || byte == '\\') {
        const char two[2] = {'\\', (char)byte};
        xpd_strbuf_add(out, two, sizeof two);
    } else {
        const char six[6] = {'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]};
        xpd_strbuf_add(out, six, sizeof six);
    }
}

void xpd_json_quote(struct xpd_strbuf *out, const char *text, size_t size)
{
    const uint8_t *at = (const uint8_t *)text, *stop = at + size, *run = at;
    /* The least it takes, so that a limit is only hit by what really does not fit. */
    if (size > SIZE_MAX - 2 || !xpd_strbuf_reserve(out, size + 2))
        return;
    xpd_strbuf_putc(out, '"');
    while ((at = skip_plain(at, stop)) != stop) {
        bool valid = false;
        size_t length = class_of[*at] == WIDE ? sequence(at, stop, &valid) : 1;
        bool c1 = valid && at[0] == 0xC2 && at[1] < 0xA0; /* control characters U+0080 to U+009F */
        if (valid && !c1) {
            at += length;
            continue;
        }
        xpd_strbuf_add(out, run, (size_t)(at - run));
        if (c1)
            escape(out, at[1]);
        else if (class_of[*at] == WIDE)
            xpd_strbuf_add(out, "\xEF\xBF\xBD", 3);
        else
            escape(out, *at);
        at += length;
        run = at;
    }
    xpd_strbuf_add(out, run, (size_t)(at - run));
    xpd_strbuf_putc(out, '"');
}
