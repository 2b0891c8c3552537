/* Sizes as people read them: rounding worked out by hand, and the unit of a page by its peak. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "xprofd/base/bytes_text.h"

#define MIB (INT64_C(1) << 20)
#define GIB (INT64_C(1) << 30)

static void says(int64_t bytes, int64_t peak, const char *wanted)
{
    char text[48];
    xpd_bytes_text(text, bytes, peak);
    assert_string_equal(text, wanted);
}

static void unit_by_peak(void **state)
{
    (void)state;
    says(44, 44, "44 B");
    says(1023, 1023, "1,023 B");
    says(0, 1023, "0 B");
    says(10244, 1024, "10.0 KiB");
    says(10240 + 51, 10244, "10.0 KiB"); /* 51 / 1024 = 0.0498 */
    says(10240 + 52, 10244, "10.1 KiB"); /* 52 / 1024 = 0.0508 */
    says(164557, 164557, "160.7 KiB");
    says(MIB - 1, MIB - 1, "1,024.0 KiB");
    says(MIB, MIB, "1.0 MiB");
    says(MIB * 5 / 2, 3 * MIB, "2.5 MiB");
    says(0, 0, "0 B");
    says(512, MIB, "512 B"); /* never zero for what is not zero */
    says(512, 20 * GIB, "512 B");
    says(52428, MIB, "51.2 KiB"); /* below 0.05 MiB */
    says(52429, MIB, "0.1 MiB");
    says(-512, MIB, "-512 B");
    says(5 * MIB, 20 * GIB, "5.0 MiB");
    says(6 * MIB, 20 * GIB, "0.01 GiB");
    says(MIB, -1, "1.0 MiB");
    says(10 * GIB - 1, 10 * GIB - 1, "10,240.0 MiB");
    says(10 * GIB, 10 * GIB, "10.00 GiB");
}

static void by_hand(void **state)
{
    (void)state;
    char text[48];
    xpd_bytes_text(text, INT64_C(6528761856), 0);
    assert_string_equal(text, "6,226.3 MiB");
    xpd_bytes_text(text, INT64_C(24590436352), INT64_C(10) << 30); /* 22.9016... */
    assert_string_equal(text, "22.90 GiB");
    xpd_bytes_text(text, MIB - 1, 0); /* rounds up to a whole */
    assert_string_equal(text, "1.0 MiB");
    xpd_bytes_text(text, INT64_MIN, INT64_C(10) << 30);
    assert_string_equal(text, "-8,589,934,592.00 GiB");
}

static void size_is(int64_t bytes, int64_t page_bytes, const char *expected)
{
    char text[48];
    xpd_bytes_text(text, bytes, page_bytes);
    assert_string_equal(text, expected);
}

static void sizes_as_text(void **state)
{
    (void)state;
    size_is(0, 0, "0 B");
    size_is(INT64_C(3072) << 20, 0, "3,072.0 MiB");
    size_is((INT64_C(1) << 20) + 52429, 0, "1.1 MiB");
    size_is((INT64_C(1000) << 20) - 1, 0, "1,000.0 MiB");
    size_is(INT64_C(1234567) << 20, 0, "1,234,567.0 MiB");
    size_is(INT64_C(24588718080), 10 * GIB, "22.90 GiB");
    size_is(-(INT64_C(5) << 30), 10 * GIB, "-5.00 GiB");
    size_is(INT64_MAX, 10 * GIB, "8,589,934,592.00 GiB");
    size_is(INT64_MIN, 0, "-8,796,093,022,208.0 MiB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(unit_by_peak), cmocka_unit_test(by_hand),
                                       cmocka_unit_test(sizes_as_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
