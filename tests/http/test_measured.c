/* The join of a trace and a program over HTTP: on a captured CPU profile (the durations of one
 * instruction are also counted by the totals of the trace), on programs that never ran, and, where
 * it is there, on a TPU profile with XProf's numbers (hlo_stats). */
#include "answer.h"

#include <unistd.h>

#define CURVE "/api/v1/memory/curve?"
#define TIMES "/api/v1/graph/times?"

static struct server_process cpu_server, aot_server, tpu_server;
static bool has_tpu;

static int start(void **state)
{
    (void)state;
    const char *shared = getenv("XPD_SHARED");
    char path[512];
    server_serve(&cpu_server, source_path("testdata/cpu_mlp_train/logdir"), NULL, NULL);
    server_serve(&aot_server, source_path("testdata/tpu_scan_layers/logdir"), NULL, NULL);
    snprintf(path, sizeof path, "%s/data/tpu-v6e-offload/logdir", shared ? shared : "");
    has_tpu = shared && access(path, R_OK) == 0;
    if (has_tpu)
        server_serve(&tpu_server, path, NULL, NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    server_stop(&cpu_server);
    server_stop(&aot_server);
    if (has_tpu)
        server_stop(&tpu_server);
    return 0;
}

static bool is_text(const struct answer *answer, const char *path, const char *wanted)
{
    const char *text = xpd_json_to_text(find(answer, path));
    return text && strcmp(text, wanted) == 0;
}

static const char *name_at(const struct answer *answer, const char *path, size_t index)
{
    const char *text = xpd_json_to_text(xpd_json_item(find(answer, path), index));
    assert_non_null(text);
    return text;
}

/* The same instruction by its name among all events of the trace. */
static void agrees_with_totals(void **state)
{
    (void)state;
    struct answer times = ask(&cpu_server, TIMES "module=jit_train_step&shares=1", 200);
    assert_true(is_text(&times, "clock", "host"));
    assert_int_equal(number(&times, "not_joined"), 0);
    assert_int_equal(xpd_json_count(find(&times, "ix")), number(&times, "n"));
    assert_int_equal(sum(&times, "shares.total_ps"), sum(&times, "total_ps"));
    assert_int_equal(sum(&times, "shares.count"), sum(&times, "count"));
    struct answer totals = ask(&cpu_server, "/api/v1/trace/totals?limit=1000", 200);
    size_t found = 0;
    for (size_t i = 0; i < (size_t)number(&times, "n"); i++) {
        const char *name = name_at(&times, "name", i);
        for (size_t k = 0; k < (size_t)number(&totals, "rows.n"); k++)
            if (strcmp(name, name_at(&totals, "rows.key", k)) == 0) {
                assert_int_equal(item(&times, "total_ps", i), item(&totals, "rows.total_ps", k));
                assert_int_equal(item(&times, "count", i), item(&totals, "rows.count", k));
                found++;
            }
    }
    assert_int_equal(found, number(&times, "n"));
    done(&totals);
    done(&times);
}

static void one_instruction(void **state)
{
    (void)state;
    struct answer all = ask(&cpu_server, TIMES "module=jit_train_step", 200);
    char target[256];
    snprintf(target, sizeof target, TIMES "module=jit_train_step&instruction=%%25%s",
             name_at(&all, "name", 3));
    struct answer one = ask(&cpu_server, target, 200);
    assert_int_equal(number(&one, "n"), 1);
    assert_int_equal(item(&one, "total_ps", 0), item(&all, "total_ps", 3));
    done(&one);
    done(&all);
    one = ask(&cpu_server, TIMES "module=jit_train_step&instruction=no.such", 404);
    done(&one);
}

static void says_why_not(void **state)
{
    (void)state;
    struct answer aot = ask(&aot_server, TIMES, 200);
    assert_true(
        is_text(&aot, "reason",
                "nothing was measured: the profile has no events; the program was compiled ahead "
                "of time or captured without a trace"));
    done(&aot);
    struct answer idle = ask(&cpu_server, TIMES "module=jit_stage", 200);
    assert_true(is_text(&idle, "reason", "this program did not run during the trace"));
    done(&idle);
}

/* The peak is the same as on every axis (places: tests/browser/memory_axis); a program without
 * times says why and shows heap events. */
static void memory_over_time(void **state)
{
    (void)state;
    struct answer curve = ask(&cpu_server, CURVE "module=jit_train_step&axis=time", 200);
    struct answer events = ask(&cpu_server, CURVE "module=jit_train_step", 200);
    struct answer times = ask(&cpu_server, TIMES "module=jit_train_step", 200);
    assert_true(is_text(&curve, "axis", "time"));
    assert_true(is_text(&curve, "unit", "ns"));
    assert_true(is_text(&curve, "clock", "host"));
    size_t n = (size_t)number(&curve, "n");
    assert_int_equal(number(&curve, "measured"), number(&times, "n"));
    int64_t highest = 0, wanted = 0;
    for (size_t i = 0; i < n; i++)
        highest = item(&curve, "max_bytes", i) > highest ? item(&curve, "max_bytes", i) : highest;
    for (size_t i = 0; i < (size_t)number(&events, "n"); i++)
        wanted = item(&events, "max_bytes", i) > wanted ? item(&events, "max_bytes", i) : wanted;
    assert_int_equal(highest, wanted);
    assert_null(xpd_json_to_text(find(&events, "axes.time")));
    done(&times);
    done(&events);
    done(&curve);
    struct answer idle = ask(&cpu_server, CURVE "module=jit_stage&axis=time", 200);
    assert_true(is_text(&idle, "axis", "event"));
    assert_non_null(xpd_json_to_text(find(&idle, "axes.time")));
    done(&idle);
}

/* hlo_stats: copy-done.4 400 times, 77,773,215.73125 us. */
static void tpu_numbers(void **state)
{
    (void)state;
    if (!has_tpu)
        skip();
    struct answer one =
        ask(&tpu_server, TIMES "module=jit_f&instruction=copy-done.4&shares=1", 200);
    assert_true(is_text(&one, "clock", "device"));
    assert_int_equal(number(&one, "runs"), 400);
    assert_int_equal(item(&one, "count", 0), 400);
    assert_int_equal(item(&one, "total_ps", 0), 77773215731250);
    assert_int_equal(item(&one, "devices", 0), 4);
    assert_int_equal(number(&one, "shares.n"), 4);
    done(&one);
}

/* Both halves of an asynchronous pair say what the chip waits: all the time of its done. */
static void tpu_waits(void **state)
{
    (void)state;
    if (!has_tpu)
        skip();
    struct answer start = ask(&tpu_server, TIMES "module=jit_f&instruction=copy-start.4", 200);
    struct answer end = ask(&tpu_server, TIMES "module=jit_f&instruction=copy-done.4", 200);
    struct answer other =
        ask(&tpu_server, TIMES "module=jit_f&instruction=broadcast_add_fusion", 200);
    assert_int_equal(item(&start, "wait_total_ps", 0), 77773215731250);
    assert_int_equal(item(&end, "wait_total_ps", 0), item(&end, "total_ps", 0));
    assert_string_equal(name_at(&start, "done", 0), "copy-done.4");
    assert_null(xpd_json_to_text(xpd_json_item(find(&other, "done"), 0)));
    done(&start);
    done(&end);
    done(&other);
    struct answer all = ask(&tpu_server, TIMES "module=jit_f", 200);
    assert_int_equal(sum(&all, "heaviest.self_ps"), number(&all, "all_self_ps"));
    assert_int_equal(sum(&all, "self_ps"), number(&all, "all_self_ps"));
    done(&all);
}

/* The track's highest value is the program's peak, and a window finds it again at its step. */
static void tpu_memory_track(void **state)
{
    (void)state;
    if (!has_tpu)
        skip();
    struct answer peak = ask(&tpu_server, "/api/v1/memory/summary?module=jit_f", 200);
    struct answer whole = ask(&tpu_server, "/api/v1/trace/memory?px=500", 200);
    const struct xpd_json *tracks = find(&whole, "tracks");
    int64_t wanted = number(&peak, "peak.held_bytes"), most = 0;
    assert_int_equal(xpd_json_count(tracks), 4);
    for (size_t k = 0; k < 4; k++) {
        const struct xpd_json *track = xpd_json_item(tracks, k);
        const struct xpd_json *columns = xpd_json_member(track, "most_here_bytes");
        int64_t value, highest = 0;
        assert_true(xpd_json_to_i64(xpd_json_member(track, "most_bytes"), &most));
        assert_int_equal(most, wanted);
        assert_true(xpd_json_count(columns) <= 500);
        for (size_t i = 0; i < xpd_json_count(columns); i++)
            if (xpd_json_to_i64(xpd_json_item(columns, i), &value) && value > highest)
                highest = value;
        assert_int_equal(highest, wanted);
    }
    done(&whole);
    done(&peak);
}

/* Behind the trace and beside it there is nothing, and that is no error. */
static void memory_track_refusals(void **state)
{
    (void)state;
    static const char *const target[] = {"px=1", "from=97619626463000&to=9223372036854775807",
                                         "from=-9223372036854775807&to=-9223372036854775806",
                                         "from=5&to=5"};
    struct answer none = ask(&cpu_server, "/api/v1/trace/memory?", 200);
    assert_int_equal(xpd_json_count(find(&none, "tracks")), 0); /* no chip */
    done(&none);
    for (size_t i = 0; has_tpu && i < sizeof target / sizeof *target; i++) {
        char text[160];
        snprintf(text, sizeof text, "/api/v1/trace/memory?%s", target[i]);
        struct answer answer = ask(&tpu_server, text, 200);
        assert_int_equal(xpd_json_count(find(&answer, "tracks")), 4);
        done(&answer);
    }
    struct answer wrong = ask(&cpu_server, "/api/v1/trace/memory?from=9&to=3", 400);
    done(&wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_totals), cmocka_unit_test(one_instruction),
        cmocka_unit_test(says_why_not),       cmocka_unit_test(memory_over_time),
        cmocka_unit_test(tpu_numbers),        cmocka_unit_test(tpu_waits),
        cmocka_unit_test(tpu_memory_track),   cmocka_unit_test(memory_track_refusals),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
