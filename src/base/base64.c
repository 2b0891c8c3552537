/* Base64. In: bytes. Out: letters, appended. */
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
