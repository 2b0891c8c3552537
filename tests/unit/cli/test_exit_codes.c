/* Which failure ends the program with which code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../src/cli/profile_args.h"
#include "xprofd/cli/exit_codes.h"

static void each_failure_has_its_code(void **state)
{
    (void)state;
    static const struct {
        int code, exit;
    } wanted[] = {
        {XPD_OK, 0},     {XPD_EINVAL, 2},   {XPD_ENOTFOUND, 3}, {XPD_EFORMAT, 3}, {XPD_EIO, 3},
        {XPD_ELIMIT, 3}, {XPD_ECHANGED, 3}, {XPD_ENOMEM, 5},    {XPD_EBUSY, 5},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_int_equal(xpd_cli_exit_code(wanted[i].code), wanted[i].exit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_failure_has_its_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
