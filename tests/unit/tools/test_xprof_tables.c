/* XProf's tables of steps: a request holds what it answers, not the events of the profile. */
#include "tool_call.h"

#include "xspace_gen.h"

enum { EVENTS = 60000, BUDGET = 1 << 20 };
static const char *const tables[] = {"overview_page", "input_pipeline_analyzer"};

/* While steps are made, an event takes 16 bytes: all events together would fill the budget. */
static void tables_of(enum xsg_shape shape)
{
    struct one_run made;
    struct answer whole, answer;
    make_run(&made);
    assert_true(xsg_write(made.file, shape, EVENTS));
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct xpd_store *store = open_store(made.root);
        request_budget_bytes = BUDGET;
        ask_ok(&answer, store, "/data", "run=run&tag=%s", tables[i]);
        request_budget_bytes = 0;
        ask_ok(&whole, store, "/data", "run=run&tag=%s", tables[i]);
        assert_int_equal(answer.size, whole.size);
        assert_memory_equal(answer.body, whole.body, whole.size);
        answer_free(&answer);
        answer_free(&whole);
        xpd_store_close(store);
    }
    remove_run(&made);
}

static void of_chips(void **state)
{
    (void)state;
    tables_of(XSG_FAT);
}

static void of_threads(void **state)
{
    (void)state;
    tables_of(XSG_PYTHON);
}

static void of_streams(void **state)
{
    (void)state;
    tables_of(XSG_GPU);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_chips),
        cmocka_unit_test(of_threads),
        cmocka_unit_test(of_streams),
    };
    return cmocka_run_group_tests_name("tools_xprof_tables", tests, NULL, NULL);
}
