/* Numbers for people. In: a number, of bytes with the unit. Out: text. */
#include "xprofd/base/bytes_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Puts commas between groups of three digits of the whole part. */
static void with_commas(char *out, size_t capacity, const char *number)
{
    size_t whole = strcspn(number, ".");
    size_t at = 0;
    for (size_t i = 0; number[i] && at + 2 < capacity; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = number[i];
    }
    out[at] = '\0';
}

void xpd_bytes_text(char out[48], int64_t bytes, bool in_gib)
{
    /* Rounded half up in integers, as the page does with toFixed; printf would round ties to even.
     */
    const char *sign = bytes < 0 ? "-" : "";
    uint64_t size = bytes < 0 ? (uint64_t)0 - (uint64_t)bytes : (uint64_t)bytes;
    uint64_t unit = UINT64_C(1) << (in_gib ? 30 : 20);
    uint64_t scale = in_gib ? 100 : 10;
    uint64_t whole = size / unit;
    uint64_t part = ((size % unit) * scale + unit / 2) / unit;
    if (part == scale) {
        whole++;
        part = 0;
    }
    char number[32], grouped[40];
    snprintf(number, sizeof number, "%" PRIu64 ".%0*" PRIu64, whole, in_gib ? 2 : 1, part);
    with_commas(grouped, sizeof grouped, number);
    snprintf(out, 48, "%s%s %s", sign, grouped, in_gib ? "GiB" : "MiB");
}

void xpd_number_text(char out[32], uint64_t value)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, value);
    with_commas(out, 32, number);
}
