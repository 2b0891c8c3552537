/* Bisection against looking at each place in turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "xprofd/base/bisect.h"

#define MOST 9

static uint32_t in_turn(const int *value, uint32_t low, uint32_t count, int wanted)
{
    while (low < count && value[low] < wanted)
        low++;
    return low;
}

/* Every sorted list of up to nine values out of 0, 1, 2, every start and every value looked for. */
static void as_in_turn(void **state)
{
    (void)state;
    for (uint32_t zeros = 0; zeros <= MOST; zeros++)
        for (uint32_t ones = 0; zeros + ones <= MOST; ones++) {
            int value[MOST];
            for (uint32_t i = 0; i < MOST; i++)
                value[i] = i < zeros ? 0 : i < zeros + ones ? 1 : 2;
            for (uint32_t count = 0; count <= MOST; count++)
                for (uint32_t from = 0; from <= count; from++)
                    for (int wanted = -1; wanted <= 3; wanted++) {
                        uint32_t low = from;
                        XPD_BISECT(low, count, middle, value[middle] < wanted);
                        assert_int_equal(low, in_turn(value, from, count, wanted));
                    }
        }
}

/* Places beyond half of what the type holds: their sum would not fit. */
static void large_places(void **state)
{
    (void)state;
    uint32_t low = UINT32_MAX - 5;
    XPD_BISECT(low, UINT32_MAX, middle, middle < UINT32_MAX - 2);
    assert_int_equal(low, UINT32_MAX - 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_in_turn),
                                       cmocka_unit_test(large_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
