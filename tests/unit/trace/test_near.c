/* The event before or after another one: by hand. */
#include "core_space.h"
#include "xprofd/trace/near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Depth 0: op1 at 0, op1 at 100, op2 at 200. Depth 1: op2 at 10, op1 at 30, op3 at 110. */
static const struct core_event nested[] = {{0, 100, 1},  {10, 10, 2},  {30, 10, 1},
                                           {100, 50, 1}, {110, 10, 3}, {200, 5, 2}};

struct host { /* with one thread */
    struct pbw w;
    struct core_trace core;
    struct xpd_view view;
    struct xpd_event event[6]; /* as in `nested` */
};

static int host_open(void **state)
{
    struct host *host = calloc(1, sizeof *host);
    size_t plane = core_plane(&host->w, "/host:CPU");
    core_line(&host->w, 3, "thread", nested, 6);
    core_names(&host->w, 3);
    pbw_end(&host->w, plane);
    host->core = core_load(host->w.data, host->w.len, 1);
    host->view.trace = host->core.trace;
    for (uint64_t i = 0; i < 6; i++) {
        struct xpd_event event;
        assert_true(xpd_view_event(&host->view, i, &event));
        for (int k = 0; k < 6; k++)
            if (nested[k].start_ps == event.start_ps)
                host->event[k] = event;
    }
    *state = host;
    return 0;
}

static int host_close(void **state)
{
    struct host *host = *state;
    core_free(&host->core);
    pbw_free(&host->w);
    free(host);
    return 0;
}

typedef bool search_fn(const struct xpd_view *view, const struct xpd_event *event,
                       enum xpd_near near, struct xpd_event *found);

/* Where the nearest one starts; -1: none. */
static int64_t start_of(const struct host *host, search_fn *search, int event, enum xpd_near near)
{
    struct xpd_event found;
    return search(&host->view, &host->event[event], near, &found) ? found.start_ps : -1;
}

static void on_the_same_depth(void **state)
{
    assert_int_equal(start_of(*state, xpd_near_in_row, 0, XPD_NEAR_NEXT), 100);
    assert_int_equal(start_of(*state, xpd_near_in_row, 0, XPD_NEAR_PREVIOUS), -1);
    assert_int_equal(start_of(*state, xpd_near_in_row, 3, XPD_NEAR_PREVIOUS), 0);
    assert_int_equal(start_of(*state, xpd_near_in_row, 5, XPD_NEAR_NEXT), -1);
    assert_int_equal(start_of(*state, xpd_near_in_row, 2, XPD_NEAR_FIRST), 10);
    assert_int_equal(start_of(*state, xpd_near_in_row, 2, XPD_NEAR_LAST), 110);
}

/* op1 inside of op1 comes between them. */
static void of_its_name_on_any_depth(void **state)
{
    assert_int_equal(start_of(*state, xpd_near_of_name, 0, XPD_NEAR_NEXT), 30);
    assert_int_equal(start_of(*state, xpd_near_of_name, 2, XPD_NEAR_NEXT), 100);
    assert_int_equal(start_of(*state, xpd_near_of_name, 3, XPD_NEAR_PREVIOUS), 30);
    assert_int_equal(start_of(*state, xpd_near_of_name, 2, XPD_NEAR_PREVIOUS), 0);
    assert_int_equal(start_of(*state, xpd_near_of_name, 0, XPD_NEAR_PREVIOUS), -1);
    assert_int_equal(start_of(*state, xpd_near_of_name, 3, XPD_NEAR_FIRST), 0);
    assert_int_equal(start_of(*state, xpd_near_of_name, 1, XPD_NEAR_LAST), 200);
    assert_int_equal(start_of(*state, xpd_near_of_name, 4, XPD_NEAR_NEXT), -1);
}

static int64_t start_of_op(const struct host *host, int event, const char *instruction,
                           bool forward)
{
    struct xpd_arena arena = {0};
    struct xpd_event found;
    bool any = false;
    assert_int_equal(xpd_near_of_instruction(&host->view, &host->event[event],
                                             xpd_str_of(instruction), forward, &arena, &found, &any,
                                             NULL),
                     XPD_OK);
    xpd_arena_fini(&arena);
    return any ? found.start_ps : -1;
}

static void of_another_instruction(void **state)
{
    assert_int_equal(start_of_op(*state, 0, "op3", true), 110);
    assert_int_equal(start_of_op(*state, 0, "op3", false), -1);
    assert_int_equal(start_of_op(*state, 3, "op2", false), 10);
    assert_int_equal(start_of_op(*state, 3, "op2", true), 200);
    assert_int_equal(start_of_op(*state, 5, "op2", false), 10); /* not itself */
    assert_int_equal(start_of_op(*state, 0, "op9", true), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_the_same_depth),
        cmocka_unit_test(of_its_name_on_any_depth),
        cmocka_unit_test(of_another_instruction),
    };
    return cmocka_run_group_tests(tests, host_open, host_close);
}
