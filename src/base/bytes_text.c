/* Numbers for people. In: a number, of bytes with the unit. Out: text. */
#include "xprofd/base/bytes_text.h"

#include <inttypes.h>
#include <stdbool.h>
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

static const struct unit units[] = {
    {"B", 0, 0, 1}, {"KiB", 10, 1, 10}, {"MiB", 20, 1, 10}, {"GiB", 30, 2, 100}};
enum { IN_B, IN_KIB, IN_MIB, IN_GIB };

static bool reads_as_zero(uint64_t size, const struct unit *unit)
{
    return unit->shift > 0 && size >> unit->shift == 0 &&
           size * unit->scale < UINT64_C(1) << (unit->shift - 1);
}

/* The unit for a size alone: GiB from ten GiB on. */
static int own_unit(uint64_t size)
{
    return size < 1024                 ? IN_B
           : size < 1048576            ? IN_KIB
           : size < UINT64_C(10) << 30 ? IN_MIB
                                       : IN_GIB;
}

/* In that unit; a size that would read as zero gets its own unit. */
static void text_in(char out[48], int64_t bytes, int in)
{
    /* Rounded half up in integers, as the page does with toFixed; printf would round ties to even.
     */
    const char *sign = bytes < 0 ? "-" : "";
    uint64_t size = bytes < 0 ? (uint64_t)0 - (uint64_t)bytes : (uint64_t)bytes;
    if (reads_as_zero(size, &units[in]))
        in = own_unit(size);
    const struct unit *of = &units[in];
    uint64_t unit = UINT64_C(1) << of->shift;
    uint64_t whole = size / unit;
    uint64_t part = ((size % unit) * of->scale + unit / 2) / unit;
    if (part >= of->scale) {
        whole++;
        part = 0;
    }
    char number[32], grouped[40];
    if (of->digits == 0)
        snprintf(number, sizeof number, "%" PRIu64, size);
    else
        snprintf(number, sizeof number, "%" PRIu64 ".%0*" PRIu64, whole, (int)of->digits, part);
    with_commas(grouped, sizeof grouped, number);
    snprintf(out, 48, "%s%s %s", sign, grouped, of->word);
}

void xpd_bytes_text(char out[48], int64_t bytes, int64_t page_bytes)
{
    text_in(out, bytes, page_bytes > 0 ? own_unit((uint64_t)page_bytes) : IN_MIB);
}

void xpd_bytes_text_own(char out[48], int64_t bytes)
{
    uint64_t size = bytes < 0 ? (uint64_t)0 - (uint64_t)bytes : (uint64_t)bytes;
    text_in(out, bytes, own_unit(size));
}

void xpd_number_text(char out[32], uint64_t value)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, value);
    with_commas(out, 32, number);
}
