/* Text from a file or an argument on its way to a terminal, which would obey control characters. */
#include "profile_args.h"

/* Length of the UTF-8 sequence at the front, 0 when it is none: broken, overlong, a surrogate, or
 * above U+10FFFF. */
static size_t sequence(const unsigned char *at, size_t left)
{
    size_t size = at[0] < 0x80                    ? 1
                  : at[0] >= 0xc2 && at[0] < 0xe0 ? 2
                  : at[0] >= 0xe0 && at[0] < 0xf0 ? 3
                  : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                                  : 0;
    if (size > left)
        return 0;
    for (size_t i = 1; i < size; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    if (size == 3 && ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f)))
        return 0;
    if (size == 4 && ((at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f)))
        return 0;
    return size;
}

/* C0, DEL and C1 (U+0080 to U+009F). */
static bool is_control(const unsigned char *at, size_t size)
{
    return (size == 1 && (at[0] < 0x20 || at[0] == 0x7f)) ||
           (size == 2 && at[0] == 0xc2 && at[1] < 0xa0);
}

size_t xpd_cli_put(FILE *out, struct xpd_str text, size_t limit)
{
    const unsigned char *at = (const unsigned char *)text.data;
    size_t written = 0;
    for (size_t i = 0; i < text.size && written < limit; written++) {
        size_t size = sequence(at + i, text.size - i);
        if (size == 0 || is_control(at + i, size))
            fputc('?', out);
        else
            fwrite(at + i, 1, size, out);
        i += size ? size : 1;
    }
    return written;
}
