/* What a budget file may say. */
#include "doctor_test.h"

#include "xprofd/doctor/budget.h"

static void reads(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    struct xpd_budget budget;
    struct xpd_err err = {0};
    static const char good[] =
        "# c\r\n[jit_*]  # glob\r\npeak_bytes.HBM <= 14.5GiB\n"
        "growth.VMEM<=2%\n\n[other]\n  doctor no warn\ndoctor.D06 <= 64MiB # x";
    assert_int_equal(xpd_budget_read(&budget, xpd_str_of(good), "f", &arena, &err), XPD_OK);
    assert_int_equal(budget.section_count, 2);
    assert_int_equal(budget.limit_count, 4);
    assert_true(xpd_str_eq(budget.section[0].pattern, XPD_STR("jit_*")));
    assert_int_equal(budget.section[1].first, 2);
    assert_int_equal(budget.section[1].count, 2);
    assert_int_equal(budget.limit[0].bytes, INT64_C(15569256448)); /* 14.5 * 2^30 */
    assert_true(xpd_str_eq(budget.limit[0].space, XPD_STR("HBM")));
    assert_true(budget.limit[1].share > 0.0199 && budget.limit[1].share < 0.0201);
    assert_int_equal(budget.limit[2].severity, 1);
    assert_int_equal(budget.limit[2].line, 7);
    assert_int_equal(budget.limit[3].bytes, 64 * MIB);
    assert_true(xpd_str_eq(budget.limit[3].rule, XPD_STR("D06")));
    xpd_arena_fini(&arena);
}

static void times(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    struct xpd_budget budget;
    struct xpd_err err = {0};
    assert_int_equal(
        xpd_budget_read(&budget,
                        xpd_str_of("[a]\nstep_time.p50 <= 190ms +-5%\nstep_time.max<=1.5s\n"
                                   "step_time.p90 <= 20us  +-0.5%#x\nexposed_comm <= 12%"),
                        "f", &arena, &err),
        XPD_OK);
    assert_int_equal(budget.limit_count, 4);
    assert_int_equal(budget.limit[0].time_ps, INT64_C(190000000000));
    assert_true(budget.limit[0].band > 0.0499 && budget.limit[0].band < 0.0501);
    assert_true(xpd_str_eq(budget.limit[0].value, XPD_STR("190ms"))); /* what --update replaces */
    assert_true(budget.limit[0].quantile == 0.5 && budget.limit[1].quantile == 1);
    assert_int_equal(budget.limit[1].time_ps, INT64_C(1500000000000));
    assert_true(budget.limit[1].band == 0);
    assert_int_equal(budget.limit[2].time_ps, 20000000);
    assert_true(budget.limit[3].share > 0.119 && budget.limit[3].share < 0.121);
    assert_int_equal(xpd_budget_read(&budget,
                                     xpd_str_of("[a]\nstep_ms <= 190 +-5%\nexposed_ms<=1.5us\n"
                                                "idle_share <= 10%"),
                                     "f", &arena, &err),
                     XPD_OK);
    assert_int_equal(budget.limit[0].measure, XPD_MEASURE_STEP_TIME);
    assert_int_equal(budget.limit[0].time_ps, INT64_C(190000000000));
    assert_true(budget.limit[0].quantile == 0.5);
    assert_int_equal(budget.limit[1].time_ps, 1500000);
    assert_true(budget.limit[2].share > 0.0999 && budget.limit[2].share < 0.1001);
    assert_int_equal(
        xpd_budget_read(&budget, xpd_str_of("[a]\nstep_time.p50 <= 190"), "f", &arena, &err),
        XPD_EINVAL);
    xpd_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads), cmocka_unit_test(times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
