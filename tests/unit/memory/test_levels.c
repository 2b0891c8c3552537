/* Levels of shown instructions, by hand: nothing of the curve is lost between them. */
#include "mem_test.h"

#include "xprofd/memory/levels.h"

#include <stdlib.h>

/* Six instructions op.1 ... op.6 in file order (index = number - 1); op.1 and op.6 have no event.
 */
static void open_six(struct mem_case *c, const char *events)
{
    struct hb hb;
    hb_init(&hb, "six");
    for (int64_t id = 1; id <= 6; id++)
        hb_buffer(&hb, id, 100 * id, 10, 0);
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 4096}, "2@0 3@200 4@500 5@900");
    hb_trace(&hb, events);
    mem_open_builder(c, &hb);
}

static void check(const struct xpd_mem_level *level, int64_t bytes, uint32_t step)
{
    assert_int_equal(level->bytes, bytes);
    assert_int_equal(level->step, step);
}

/* Live after each step: 200, 500, 300, 800, 500, 0. */
#define EVENTS "A2 A3 F2 A5 F3 F5"

static void test_all_shown(void **state)
{
    struct mem_case c;
    (void)state;
    open_six(&c, EVENTS);
    const struct xpd_mem_space *space = mem_space(&c, 0);
    const bool shown[] = {true, true, true, true, true, true};
    int64_t resident = space->totals.resident;
    struct xpd_mem_level *level = xpd_mem_levels(c.mem, space, shown, &c.arena);
    assert_non_null(level);
    check(&level[0], resident, XPD_NO_STEP); /* before all */
    check(&level[1], resident + 200, 0);
    check(&level[2], resident + 500, 1);
    check(&level[3], resident + 300, 2); /* no event: what is left of op.3's steps */
    check(&level[4], resident + 800, 3);
    check(&level[5], resident, 5);
    assert_int_equal(level[4].bytes, space->peak_bytes);
    mem_close(&c);
}

/* op.2's and op.3's steps fall to op.4, the tail to the last shown one. */
static void test_some_shown(void **state)
{
    struct mem_case c;
    (void)state;
    open_six(&c, EVENTS);
    const struct xpd_mem_space *space = mem_space(&c, 0);
    const bool first[] = {true, false, false, true, false, false};
    struct xpd_mem_level *level = xpd_mem_levels(c.mem, space, first, &c.arena);
    int64_t resident = space->totals.resident;
    assert_int_equal(level[1].bytes, -1);
    assert_int_equal(level[4].bytes, -1);
    check(&level[0], resident, XPD_NO_STEP);
    check(&level[3], resident + 800, 3); /* op.4's 500 at step 1, and all behind it */
    assert_int_equal(level[3].bytes, space->peak_bytes);
    const bool none[] = {false, false, false, false, false, false};
    level = xpd_mem_levels(c.mem, space, none, &c.arena);
    for (int i = 0; i < 6; i++)
        assert_int_equal(level[i].bytes, -1);
    mem_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_shown),
        cmocka_unit_test(test_some_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
