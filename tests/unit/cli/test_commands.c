/* The table of commands, sizes and numbers of options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "xprofd/cli/command.h"

static void test_table(void **state)
{
    (void)state;
    uint32_t count;
    const struct xpd_command *const *commands = xpd_commands(&count);
    assert_true(count >= 1);
    for (uint32_t i = 0; i < count; i++) {
        assert_ptr_equal(xpd_command_find(commands[i]->name), commands[i]);
        assert_true(strlen(commands[i]->help) > 0 && strlen(commands[i]->help) < 100);
        assert_non_null(commands[i]->run);
    }
    assert_string_equal(xpd_command_find("serve")->name, "serve");
    assert_null(xpd_command_find(""));
    assert_null(xpd_command_find("Serve"));
}

static void expect_size(const char *text, int64_t wanted)
{
    int64_t bytes = -1;
    assert_true(xpd_cli_size(text, &bytes));
    assert_int_equal(bytes, wanted);
}

static void test_sizes(void **state)
{
    (void)state;
    expect_size("0", 0);
    expect_size("512", 512);
    expect_size("64K", 65536);
    expect_size("64k", 65536);
    expect_size("1.5G", INT64_C(1610612736));
    expect_size("16GiB", INT64_C(17179869184));
    expect_size("16GB", INT64_C(17179869184));
    expect_size("2T", INT64_C(2199023255552));
    static const char *const bad[] = {
        "", "-1", "K", "1KK", "1X", "1Kx", "1 K", "nan", "inf", "9999999999999T", "0x10", "+1"};
    int64_t bytes;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (xpd_cli_size(bad[i], &bytes))
            fail_msg("should be refused: %s", bad[i]);
}

static void test_numbers(void **state)
{
    (void)state;
    int64_t value;
    assert_true(xpd_cli_number("65535", 0, 65535, &value));
    assert_int_equal(value, 65535);
    assert_false(xpd_cli_number("65536", 0, 65535, &value));
    assert_false(xpd_cli_number("-1", 0, 65535, &value));
    assert_false(xpd_cli_number("1x", 0, 65535, &value));
    assert_false(xpd_cli_number("", 0, 65535, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
