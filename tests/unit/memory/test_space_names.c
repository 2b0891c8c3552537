/* Names of memory spaces: by platform, numbers where a platform has no word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "xprofd/memory/memory.h"

static void by_platform(void **state)
{
    static const struct {
        const char *platform;
        int64_t color;
        const char *name;
    } all[] = {{"tpu", 0, "HBM"},
               {"tpu", 1, "VMEM"},
               {"tpu", 3, "CMEM"},
               {"tpu", 5, "Host"},
               {"tpu", 11, "space 11"},
               {"gpu", 0, "Device memory"},
               {"gpu", 1, "Collective memory"}, /* not VMEM */
               {"gpu", 3, "space 3"},           /* not CMEM */
               {"gpu", 5, "Host"},
               {"cpu", 0, "Host RAM"},
               {"cpu", 1, "space 1"},
               {"", 0, "space 0"},
               {NULL, 1, "space 1"},
               {"tpu", -7, "space -7"},
               {"tpu", INT64_MIN, "space (negative)"},
               {"gpu", INT64_MAX, "space (huge)"}};
    char scratch[24];
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_string_equal(xpd_space_name(all[i].platform, all[i].color, scratch), all[i].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_platform)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
