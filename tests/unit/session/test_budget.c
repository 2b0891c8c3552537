/* Default memory limit from made-up /proc and /sys trees. */
#include "session/session_budget.h"
#include "session_test.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define GIB (UINT64_C(1) << 30)

static void test_budget(void **state)
{
    (void)state;
    char *root = st_folder();
    assert_int_equal(xpd_budget_default(root), UINT64_C(64) << 20);
    st_text(root, "proc/meminfo", "MemFree: 5 kB\nMemTotal:       33554432 kB\n");
    assert_int_equal(xpd_budget_default(root), 16 * GIB);

    /* v2: the least limit on the way up counts */
    st_text(root, "proc/self/cgroup", "0::/a/b\n");
    st_text(root, "sys/fs/cgroup/a/b/memory.max", "max\n");
    assert_int_equal(xpd_budget_default(root), 16 * GIB);
    st_text(root, "sys/fs/cgroup/a/memory.max", "4294967296\n");
    assert_int_equal(xpd_budget_default(root), GIB / 2 * 5);
    st_text(root, "sys/fs/cgroup/a/b/memory.max", "1073741824\n");
    assert_int_equal(xpd_budget_default(root), GIB / 8 * 5);

    /* in a container with its own namespace the group is "/" */
    st_text(root, "proc/self/cgroup", "0::/\n");
    st_text(root, "sys/fs/cgroup/memory.max", "2147483648\n");
    assert_int_equal(xpd_budget_default(root), GIB / 4 * 5);

    /* v1; about 2^63 means none */
    st_text(root, "sys/fs/cgroup/memory.max", "max\n");
    st_text(root, "proc/self/cgroup", "7:cpu,cpuacct:/x\n5:hugetlb,memory:/x\n");
    st_text(root, "sys/fs/cgroup/memory/x/memory.limit_in_bytes", "9223372036854771712\n");
    assert_int_equal(xpd_budget_default(root), 16 * GIB);
    st_text(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "8589934592\n");
    assert_int_equal(xpd_budget_default(root), 5 * GIB);

    /* never less than 64 MiB */
    st_text(root, "sys/fs/cgroup/memory/x/memory.limit_in_bytes", "1000\n");
    assert_int_equal(xpd_budget_default(root), UINT64_C(64) << 20);
    st_remove(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_budget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
