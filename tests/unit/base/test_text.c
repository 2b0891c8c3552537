/* Numbers, sizes and markup as text. */
#include "xprofd/base/bytes_text.h"
#include "xprofd/base/markup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void numbers(void **state)
{
    (void)state;
    char text[32];
    xpd_number_text(text, 0);
    assert_string_equal(text, "0");
    xpd_number_text(text, 999);
    assert_string_equal(text, "999");
    xpd_number_text(text, 4194304);
    assert_string_equal(text, "4,194,304");
    xpd_number_text(text, UINT64_MAX);
    assert_string_equal(text, "18,446,744,073,709,551,615");
}

static void sizes(void **state)
{
    (void)state;
    char text[48];
    xpd_bytes_text(text, INT64_C(6226) << 20, 0);
    assert_string_equal(text, "6,226.0 MiB");
    xpd_bytes_text(text, -(INT64_C(3) << 29), INT64_C(10) << 30);
    assert_string_equal(text, "-1.50 GiB");
    xpd_bytes_text(text, (1 << 20) - 1, 0); /* rounded up into the next whole */
    assert_string_equal(text, "1.0 MiB");
    xpd_bytes_text(text, INT64_MIN, INT64_C(10) << 30);
    assert_string_equal(text, "-8,589,934,592.00 GiB");
}

static void nothing_is_markup(void **state)
{
    (void)state;
    struct xpd_strbuf out = {0};
    xpd_markup_put(&out, XPD_STR("<a href=\"x\">&amp;'</a>"));
    assert_string_equal(out.data, "&lt;a href=&quot;x&quot;&gt;&amp;amp;'&lt;/a&gt;");
    xpd_strbuf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(sizes),
        cmocka_unit_test(nothing_is_markup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
