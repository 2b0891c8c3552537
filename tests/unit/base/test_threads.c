/* Items of work over threads: each once, in order where one thread has them all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "xprofd/base/threads.h"

enum { MOST = 1000 };

struct seen {
    uint32_t calls[MOST];                /* by item: one thread has it */
    uint32_t of_thread[XPD_THREADS_MAX]; /* items */
    uint32_t last[XPD_THREADS_MAX];      /* the item that the thread had last */
};

/* cmocka's own checks belong to the thread of the test: these count. */
static void see(void *context, uint32_t item, uint32_t thread)
{
    struct seen *seen = context;
    if (item >= MOST || thread >= XPD_THREADS_MAX)
        return;
    seen->calls[item] += seen->of_thread[thread] == 0 || item > seen->last[thread];
    seen->of_thread[thread]++;
    seen->last[thread] = item;
}

static void check(uint32_t threads, uint32_t count, uint32_t most_threads)
{
    struct seen seen = {0};
    xpd_threads_each(threads, count, see, &seen);
    uint32_t all = 0;
    for (uint32_t i = 0; i < MOST; i++)
        assert_int_equal(seen.calls[i], i < count);
    for (uint32_t t = 0; t < XPD_THREADS_MAX; t++) {
        assert_true(t < most_threads || seen.of_thread[t] == 0);
        all += seen.of_thread[t];
    }
    assert_int_equal(all, count);
}

static void each_item_once(void **state)
{
    (void)state;
    check(1, MOST, 1);
    check(2, MOST, 2);
    check(XPD_THREADS_MAX, MOST, XPD_THREADS_MAX);
    check(0, MOST, xpd_threads_count(0));
    check(100, MOST, XPD_THREADS_MAX);
}

static void no_more_threads_than_items(void **state)
{
    (void)state;
    check(4, 0, 1);
    check(4, 1, 1);
    check(4, 3, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_item_once),
        cmocka_unit_test(no_more_threads_than_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
