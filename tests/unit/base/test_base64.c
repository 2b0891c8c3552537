/* The vectors of RFC 4648, both ways, and what is not base64. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "xprofd/base/base64.h"

#include <string.h>

static const char *const pair[][2] = {
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
    {"\xFF\xEF", "/+8="},
};

static void as_the_rfc_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        struct xpd_strbuf out = {0};
        xpd_base64_add(&out, pair[i][0], strlen(pair[i][0]));
        assert_int_equal(out.size, strlen(pair[i][1]));
        assert_int_equal(out.size, xpd_base64_size(strlen(pair[i][0])));
        assert_true(out.size == 0 || memcmp(out.data, pair[i][1], out.size) == 0);
        xpd_strbuf_fini(&out);
    }
}

static void back_with_and_without_padding(void **state)
{
    uint8_t bytes[16];
    size_t size;
    (void)state;
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        struct xpd_str text = xpd_str_of(pair[i][1]);
        for (int bare = 0; bare < 2; bare++) {
            assert_true(xpd_base64_read(bytes, &size, text));
            assert_int_equal(size, strlen(pair[i][0]));
            assert_memory_equal(bytes, pair[i][0], size);
            while (text.size > 0 && text.data[text.size - 1] == '=')
                text.size--;
        }
    }
}

static void other_letters_are_refused(void **state)
{
    uint8_t bytes[16];
    size_t size;
    (void)state;
    assert_false(xpd_base64_read(bytes, &size, XPD_STR("Zm9v\n")));
    assert_false(xpd_base64_read(bytes, &size, XPD_STR("Zg==Zg==")));
    assert_false(xpd_base64_read(bytes, &size, XPD_STR("Zm-_")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_rfc_says),
                                       cmocka_unit_test(back_with_and_without_padding),
                                       cmocka_unit_test(other_letters_are_refused)};
    return cmocka_run_group_tests_name("base_base64", tests, NULL, NULL);
}
