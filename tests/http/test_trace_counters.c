/* Counters of a window: signed samples, what several in one box add up to, and what held before the
 * window. Worked out by hand. */
#include "answer.h"

#include "tempfile.h"
#include "xspace_parts.h"

enum { QUEUE = 1, LOAD };

static void put_sample(struct pbw *w, uint64_t name, uint64_t at_ps, int64_t value)
{
    size_t event = xsp_event(w, name, at_ps, 0);
    xsp_stat_int(w, 1, value);
    pbw_end(w, event);
}

/* "queue" has four samples of which one is below zero, "load" one in the middle. */
static char *serve(struct server_process *server)
{
    struct pbw w = {0};
    size_t plane = xsp_plane(&w, "/host:CPU"), line = xsp_line(&w, 1, "_counters_", 0);
    put_sample(&w, QUEUE, 0, 10);
    put_sample(&w, QUEUE, 1000000, -30);
    put_sample(&w, QUEUE, 1000001, 20);
    put_sample(&w, QUEUE, 9000000, 40);
    put_sample(&w, LOAD, 5000000, -7);
    pbw_end(&w, line);
    xsp_event_name(&w, QUEUE, "queue");
    xsp_event_name(&w, LOAD, "load");
    xsp_stat_name(&w, 1, "value");
    pbw_end(&w, plane);
    char *path = temp_file(w.data, w.len, ".xplane.pb");
    pbw_free(&w);
    server_serve(server, path, NULL, NULL);
    return path;
}

static void is_list(const struct answer *answer, const char *path, const int64_t *want, size_t n)
{
    assert_int_equal(xpd_json_count(find(answer, path)), n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(item(answer, path, i), want[i]);
}

/* Ten pixels: both samples around 1 us are one box, with its extremes and what the last one left.
 */
static void samples_of_a_window(void **state)
{
    static const int64_t at[] = {0, 1000000, 9000000, 5000000}, value[] = {10, 20, 40, -7},
                         least[] = {10, -30, 40, -7}, most[] = {10, 20, 40, -7};
    struct server_process server;
    (void)state;
    char *path = serve(&server);
    struct answer answer = ask_trace(&server, "window", "&px=10");
    is_list(&answer, "counters.at", at, 4);
    is_list(&answer, "counters.value", value, 4);
    is_list(&answer, "counters.least", least, 4);
    is_list(&answer, "counters.most", most, 4);
    is_list(&answer, "held.row", NULL, 0);
    done(&answer);
    server_stop(&server);
    temp_remove(path);
}

/* A window between two samples has none, and says what the first of them left; a sample right at
 * its start is one of its own. */
static void what_held_before(void **state)
{
    static const int64_t rows[] = {0, 1}, at[] = {1000001, 5000000}, value[] = {20, -7},
                         load_at[] = {1000001}, load_value[] = {20};
    struct server_process server;
    (void)state;
    char *path = serve(&server);
    struct answer answer = ask_trace(&server, "window", "&from=6000000&to=8000000&px=100");
    assert_int_equal(number(&answer, "counters.n"), 0);
    is_list(&answer, "held.row", rows, 2);
    is_list(&answer, "held.at", at, 2);
    is_list(&answer, "held.value", value, 2);
    done(&answer);
    answer = ask_trace(&server, "window", "&from=5000000&to=8000000&px=100");
    assert_int_equal(number(&answer, "counters.n"), 1);
    is_list(&answer, "held.at", load_at, 1);
    is_list(&answer, "held.value", load_value, 1);
    done(&answer);
    server_stop(&server);
    temp_remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_of_a_window),
        cmocka_unit_test(what_held_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
