/* Stats of events by their place in the trace: of one, of many in pieces, in any order, beyond a
 * piece, beyond what is read at all. */
#include "core_space.h"

#include "xprofd/trace/event_stat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { UINT = 3, INT = 4 };
enum { S_SIZE = 1, S_TEXT, S_WHO };
enum { EVENTS = 5 };
static const char *const wanted[] = {"number", "who", "not there"};
/* Bytes of text beside the numbers: a piece is 256 KiB, 1 MiB is the most. */
static const size_t beside[EVENTS] = {10, 300000, 10, (1 << 20) + 1, 900000};

static struct core_trace load(struct pbw *w)
{
    size_t plane = core_plane(w, "/host:CPU"), line = pbw_begin(w, 3);
    char *text = malloc((1 << 20) + 2);
    pbw_str(w, 2, "thread");
    for (uint64_t i = 0; i < EVENTS; i++) {
        memset(text, 'x', beside[i]);
        text[beside[i]] = '\0';
        size_t event = pbw_begin(w, 4);
        pbw_uint(w, 1, 1);
        pbw_uint(w, 2, i * 100);
        pbw_uint(w, 3, 50);
        core_stat(w, S_SIZE, i % 2 ? INT : UINT, 1000 + i);
        core_stat_text(w, S_TEXT, text);
        core_stat_text(w, S_WHO, i % 2 ? "odd" : "even");
        pbw_end(w, event);
    }
    pbw_end(w, line);
    core_name(w, 5, S_SIZE, "number");
    core_name(w, 5, S_TEXT, "text");
    core_name(w, 5, S_WHO, "who");
    core_name(w, 4, 1, "one");
    pbw_end(w, plane);
    free(text);
    return core_load(w->data, w->len, 1);
}

static void check(struct xpd_event_reader *reader, uint32_t i)
{
    const struct xpd_trace *trace = reader->trace;
    const struct xpd_event_said *said = xpd_event_reader_at(reader, &trace->depth[0], i);
    uint64_t value = 0;
    if (beside[i] > 1 << 20) {
        assert_null(said);
        return;
    }
    assert_non_null(said);
    assert_true(xpd_said_integer(said, 0, &value));
    assert_int_equal(value, 1000 + i);
    assert_false(xpd_said_integer(said, 1, &value)); /* a text */
    assert_false(xpd_said_integer(said, 2, &value));
    struct xpd_str who =
        xpd_said_text(&said->stat[1], &trace->tables[reader->plane], &trace->names);
    assert_true(xpd_str_eq(who, xpd_str_of(i % 2 ? "odd" : "even")));
}

static void in_any_order(void **state)
{
    static const uint32_t order[] = {0, 1, 2, 3, 4, 2, 0, 4, 1, 3, 0};
    struct pbw w = {0};
    struct core_trace core = load(&w);
    struct xpd_event_reader reader;
    (void)state;
    assert_true(xpd_event_reader_init(&reader, core.trace, wanted, 3));
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        check(&reader, order[i]);
    xpd_event_reader_fini(&reader);
    core_free(&core);
    pbw_free(&w);
}

static void of_one(void **state)
{
    struct pbw w = {0};
    struct core_trace core = load(&w);
    uint64_t value = 0;
    (void)state;
    assert_true(xpd_event_stat(core.trace, 0, "number", &value));
    assert_int_equal(value, 1000);
    assert_true(xpd_event_stat(core.trace, 2, "number", &value));
    assert_int_equal(value, 1002);
    assert_false(xpd_event_stat(core.trace, 2, "who", &value));
    assert_false(xpd_event_stat(core.trace, 2, "not there", &value));
    assert_false(xpd_event_stat(core.trace, EVENTS, "number", &value));
    core_free(&core);
    pbw_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_any_order),
        cmocka_unit_test(of_one),
    };
    return cmocka_run_group_tests_name("trace_event_stat", tests, NULL, NULL);
}
