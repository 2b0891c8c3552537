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

struct unit {
    const char *word;
    uint32_t shift, digits;
    uint64_t scale; /* 10 to the digits */
};

static void text_in(char out[48], int64_t bytes, const struct unit *in)
{
    /* Rounded half up in integers, as the page does with toFixed; printf would round ties to even.
     */
    const char *sign = bytes < 0 ? "-" : "";
    uint64_t size = bytes < 0 ? (uint64_t)0 - (uint64_t)bytes : (uint64_t)bytes;
    uint64_t unit = UINT64_C(1) << in->shift;
    uint64_t whole = size / unit;
    uint64_t part = ((size % unit) * in->scale + unit / 2) / unit;
    if (part >= in->scale) {
        whole++;
        part = 0;
    }
    char number[32], grouped[40];
    if (in->digits == 0)
        snprintf(number, sizeof number, "%" PRIu64, size);
    else
        snprintf(number, sizeof number, "%" PRIu64 ".%0*" PRIu64, whole, (int)in->digits, part);
    with_commas(grouped, sizeof grouped, number);
    snprintf(out, 48, "%s%s %s", sign, grouped, in->word);
}

static const struct unit in_b = {"B", 0, 0, 1}, in_kib = {"KiB", 10, 1, 10},
                         in_mib = {"MiB", 20, 1, 10}, in_gib = {"GiB", 30, 2, 100};

void xpd_bytes_text(char out[48], int64_t bytes, bool gib)
{
    text_in(out, bytes, gib ? &in_gib : &in_mib);
}

void xpd_bytes_text_of_page(char out[48], int64_t bytes, int64_t peak_bytes)
{
    const struct unit *unit = &in_mib;
    if (peak_bytes >= INT64_C(10) << 30)
        unit = &in_gib;
    else if (peak_bytes > 0 && peak_bytes < 1024)
        unit = &in_b;
    else if (peak_bytes > 0 && peak_bytes * 10 < INT64_C(1) << 20)
        unit = &in_kib;
    text_in(out, bytes, unit);
}

void xpd_number_text(char out[32], uint64_t value)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, value);
    with_commas(out, 32, number);
}
