/* Base64: letters of bytes, and bytes of letters. */
#include "xprofd/base/base64.h"

size_t xpd_base64_size(size_t size)
{
    return size / 3 * 4 + (size % 3 ? 4 : 0);
}

void xpd_base64_add(struct xpd_strbuf *out, const void *bytes, size_t size)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t group = 0, n = size - i < 3 ? (uint32_t)(size - i) : 3;
        for (uint32_t k = 0; k < 3; k++)
            group = group << 8 | (k < n ? at[i + k] : 0);
        char four[4] = {digit[group >> 18 & 63], digit[group >> 12 & 63],
                        n > 1 ? digit[group >> 6 & 63] : '=', n > 2 ? digit[group & 63] : '='};
        xpd_strbuf_add(out, four, sizeof four);
    }
}

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool xpd_base64_read(uint8_t *out, size_t *size, struct xpd_str text)
{
    uint32_t bits = 0, have = 0;
    *size = 0;
    while (text.size && text.data[text.size - 1] == '=')
        text.size--;
    for (size_t i = 0; i < text.size; i++) {
        int digit = digit_of(text.data[i]);
        if (digit < 0)
            return false;
        bits = bits << 6 | (uint32_t)digit;
        have += 6;
        if (have >= 8)
            out[(*size)++] = (uint8_t)(bits >> (have -= 8));
    }
    return true;
}
