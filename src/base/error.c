/* Error records.
 *
 * In: a code, a place and a format. Out: a filled record; nothing is allocated, and both texts end
 * at a character boundary. The arguments may point into the record itself, so texts are put
 * together aside and copied last. */
#include "xprofd/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Length of text[0 .. size) without the UTF-8 sequence that its end cuts through. */
static size_t whole_characters(const char *text, size_t size)
{
    size_t lead = size;
    while (lead > 0 && size - lead < 3 && ((unsigned char)text[lead - 1] & 0xC0) == 0x80)
        lead--;
    if (lead == 0)
        return size;
    unsigned char c = (unsigned char)text[lead - 1];
    size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
    return length > size - (lead - 1) ? lead - 1 : size;
}

/* `size` is what the text wanted to be, which may be more than fits. */
static void copy_cut(char *to, size_t capacity, const char *text, size_t size)
{
    if (size >= capacity)
        size = whole_characters(text, capacity - 1);
    memcpy(to, text, size);
    to[size] = '\0';
}

int xpd_fail(struct xpd_err *err, int code, const char *where, uint64_t offset, const char *fmt,
             ...)
{
    if (!err)
        return code;
    char text[sizeof err->text], place[sizeof err->where];
    va_list args;
    va_start(args, fmt);
    int size = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (!where)
        where = "";
    copy_cut(place, sizeof place, where, strlen(where));
    copy_cut(err->text, sizeof err->text, text, size < 0 ? 0 : (size_t)size);
    memcpy(err->where, place, sizeof place);
    err->code = code;
    err->offset = offset;
    return code;
}

int xpd_no_memory(struct xpd_err *err, const char *where, const char *fmt, ...)
{
    char rest[sizeof err->text];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(rest, sizeof rest, fmt, args);
    va_end(args);
    return xpd_fail(err, XPD_ENOMEM, where, XPD_NO_OFFSET, "not enough memory %s", rest);
}

const char *xpd_code_word(int code)
{
    static const char *const word[XPD_CODE_COUNT] = {
        [XPD_OK] = "ok",
        [XPD_EINVAL] = "invalid_argument",
        [XPD_ENOTFOUND] = "not_found",
        [XPD_EFORMAT] = "bad_format",
        [XPD_ELIMIT] = "limit",
        [XPD_ENOMEM] = "no_memory",
        [XPD_EIO] = "io",
        [XPD_ECHANGED] = "changed",
        [XPD_EBUSY] = "busy",
        [XPD_EWRITE] = "not_written",
        [XPD_EINTERNAL] = "internal",
    };
    return code >= 0 && code < XPD_CODE_COUNT ? word[code] : "internal";
}
