/* The trace routes on a captured CPU profile and, where it is there, on a real TPU profile: shapes,
 * totals that agree with each other, refusals. The numbers of the analysis are tested by hand in
 * tests/unit/trace; those of the TPU profile are XProf's (hlo_stats) and the reference's. */
#include "answer.h"
#include "common.h"

#include <unistd.h>

#define LOGDIR "testdata/cpu_mlp_train/logdir"
#define API    "/api/v1/trace/"
#define RUN    "run=2025_03_11_19_41_39"

static struct server_process cpu_server, tpu_server;
static bool has_tpu;

static int start(void **state)
{
    (void)state;
    const char *shared = getenv("XPD_SHARED");
    char path[512];
    server_serve(&cpu_server, source_path(LOGDIR), NULL, NULL);
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
    if (has_tpu)
        server_stop(&tpu_server);
    return 0;
}

static void rows_add_up(void **state)
{
    (void)state;
    struct answer answer = ask(&cpu_server, API "rows?run=run0", 200);
    size_t rows = xpd_json_count(find(&answer, "rows.row"));
    assert_int_equal(number(&answer, "rows.n"), rows);
    static const char *const column[] = {"process",  "id",       "caption",        "kind",
                                         "derived",  "how",      "depths",         "events",
                                         "first_ps", "end_ps",   "busy_ps",        "hidden",
                                         "cut",      "overflow", "device_busy_ps", "device_clock"};
    for (size_t i = 0; i < sizeof column / sizeof *column; i++) {
        char path[64];
        snprintf(path, sizeof path, "rows.%s", column[i]);
        assert_int_equal(xpd_json_count(find(&answer, path)), rows);
    }
    int64_t measured = 0;
    for (size_t i = 0; i < rows; i++)
        if (!truth(&answer, "rows.derived", i))
            measured += item(&answer, "rows.events", i);
    assert_int_equal(measured, number(&answer, "event_count"));
    assert_int_equal(sum(&answer, "processes.event_count"), measured);
    assert_int_equal(number(&answer, "first_ps"), 0);
    done(&answer);
}

/* However coarse, a window's boxes stand for all its events, and times add up. */
static void windows_agree(void **state)
{
    (void)state;
    int64_t events = -1;
    for (int px = 10; px <= 10000; px *= 10) {
        char target[128];
        snprintf(target, sizeof target, API "window?run=run0&px=%d", px);
        struct answer answer = ask(&cpu_server, target, 200);
        int64_t boxes = number(&answer, "box.n"), merged = number(&answer, "merged.n");
        int64_t all = boxes - merged + sum(&answer, "merged.count");
        assert_int_equal(all, number(&answer, "events_in_view"));
        assert_true(events < 0 || events == all);
        events = all;
        assert_int_equal(sum(&answer, "depths.boxes"), boxes);
        assert_int_equal(xpd_json_count(find(&answer, "box.start")), boxes);
        for (int64_t i = 0; i < boxes; i++)
            assert_in_range(item(&answer, "box.name", (size_t)i), 0,
                            number(&answer, "names.n") - 1);
        done(&answer);
    }
}

/* An event of a window, asked for by the number the window gives it, starts where it was drawn. */
static void window_then_event(void **state)
{
    (void)state;
    struct answer window =
        ask(&cpu_server, API "window?run=run0&rows=0&px=16384&to=2000000000", 200);
    int64_t quantum = number(&window, "quantum_ps");
    char target[128];
    snprintf(target, sizeof target, API "event?run=run0&event=%lld",
             (long long)item(&window, "depths.first_event", 0));
    struct answer event = ask(&cpu_server, target, 200);
    int64_t start = number(&event, "start_ps");
    assert_in_range(start - item(&window, "box.start", 0) * quantum, 0, quantum - 1);
    assert_int_equal(number(&event, "row"), 0);
    assert_non_null(xpd_json_to_text(find(&event, "caption")));
    done(&event);
    done(&window);
}

static void groups_add_up(void **state)
{
    (void)state;
    static const char *const by[] = {"name", "category", "module", "step", "chip", "row"};
    int64_t count = -1, self = -1;
    for (size_t i = 0; i < 6; i++) {
        char target[128];
        snprintf(target, sizeof target, API "totals?run=run0&by=%s&limit=100000", by[i]);
        struct answer answer = ask(&cpu_server, target, 200);
        assert_int_equal(sum(&answer, "rows.count"), number(&answer, "all.count"));
        assert_int_equal(sum(&answer, "rows.self_ps"), number(&answer, "all.self_ps"));
        assert_true(count < 0 || count == number(&answer, "all.count"));
        assert_true(self < 0 || self == number(&answer, "all.self_ps"));
        count = number(&answer, "all.count");
        self = number(&answer, "all.self_ps");
        done(&answer);
    }
}

static void search_counts(void **state)
{
    (void)state;
    struct answer answer =
        ask(&cpu_server, API "search?run=run0&q=^(dot|train)$&regex=1&px=20&limit=5", 200);
    assert_int_equal(sum(&answer, "by_name.count"), number(&answer, "count"));
    assert_int_equal(sum(&answer, "by_name.total_ps"), number(&answer, "total_ps"));
    assert_int_equal(number(&answer, "hits.n"), 5);
    assert_int_equal(xpd_json_count(find(&answer, "columns")), 20);
    for (size_t i = 1; i < 5; i++)
        assert_true(item(&answer, "hits.start_ps", i) >= item(&answer, "hits.start_ps", i - 1));
    done(&answer);
    answer = ask(&cpu_server, API "search?run=run0&q=NO%20such%20name", 200);
    assert_int_equal(number(&answer, "count"), 0);
    done(&answer);
}

/* Counted by an independent reader of the file (a few lines of Python: every XStat as "name=value",
 * letters of either case, links left out, internal events left out). */
static void search_in_args(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        int64_t count;
        bool tpu;
    } each[] = {
        {API "search?run=run0&args=2&q=device_ordinal%3D0", 324, false},
        {API "search?run=run0&args=2&q=hlo_op%3Ddot", 18, false},
        {API "search?run=run0&args=2&q=17", 330, false},
        {API "search?run=run0&args=2&q=RUN_ID%3D", 324, false},
        {API "search?run=run0&args=2&q=^device_ordinal%3D0$&regex=1", 324, false},
        {API "search?run=run0&args=2&q=RUN_ID%3D&case=1", 0, false},
        {API "search?" RUN "&args=2&q=queue_id%3D", 1242, true},
        {API "search?" RUN "&args=2&q=run_id%3D1", 186, true},
        {API "search?" RUN "&args=2&q=all_reduce_unique_id", 12, true},
        {API "search?" RUN "&args=2&q=device_ordinal%3D2", 206, true},
        {API "search?" RUN "&args=2&q=S(5)", 5400, true},
    };
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        if (each[i].tpu && !has_tpu)
            continue;
        struct answer answer = ask(each[i].tpu ? &tpu_server : &cpu_server, each[i].target, 200);
        if (number(&answer, "count") != each[i].count)
            fail_msg("%s: %lld", each[i].target, (long long)number(&answer, "count"));
        assert_int_equal(sum(&answer, "by_name.count"), each[i].count);
        done(&answer);
    }
    struct answer answer = ask(&cpu_server, API "search?run=run0&args=2&q=device_ordinal%3D0", 200);
    for (size_t i = 0; i < xpd_json_count(find(&answer, "by_name.single")); i++)
        assert_true(truth(&answer, "by_name.single", i));
    done(&answer);
}

/* The 400 runs of jit_f last 673 to 982 ms host-aligned and 783.75645 to 784.38564 ms by the
 * device: from the first to the last operation, by a few lines of Python over the file. */
static void steps_by_the_device(void **state)
{
    (void)state;
    if (!has_tpu)
        skip();
    struct answer answer = ask(&tpu_server, API "steps?" RUN "&overlap=0", 200);
    int64_t least = INT64_MAX, most = 0;
    assert_int_equal(number(&answer, "n"), 400);
    for (size_t i = 0; i < 400; i++) {
        int64_t device = item(&answer, "device_ps", i);
        least = device < least ? device : least;
        most = device > most ? device : most;
    }
    assert_int_equal(least, INT64_C(783756450000));
    assert_int_equal(most, INT64_C(784385640000));
    done(&answer);
}

/* Of a run whose threads marked steps: a window and pixels take numbers, and are refused otherwise.
 */
static void steps_of_a_window(void **state)
{
    (void)state;
    struct answer all = ask(&cpu_server, API "steps?run=run0", 200);
    struct answer marks = ask(&cpu_server, API "steps?run=run0&px=100", 200);
    int64_t n = number(&all, "n"), of_lane = item(&all, "lanes.steps", 0);
    assert_true(n > 0);
    assert_int_equal(number(&all, "total"), n);
    assert_int_equal(sum(&all, "lanes.steps"), n);
    assert_int_equal(sum(&marks, "marks.count"), of_lane);
    done(&marks);
    done(&all);
    static const char *const bad[] = {"px=0", "px=16385", "from=5&to=4", "row=-1", "process=x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char target[96];
        snprintf(target, sizeof target, API "steps?run=run0&%s", bad[i]);
        struct answer answer = ask(&cpu_server, target, 400);
        done(&answer);
    }
    struct answer none = ask(&cpu_server, API "steps?run=run0&process=4000000&px=10", 200);
    assert_int_equal(number(&none, "marks.n"), 0);
    done(&none);
}

static bool is_text(const struct xpd_json *json, const char *text)
{
    const char *said = xpd_json_to_text(json);
    return said && strcmp(said, text) == 0;
}

/* Copies to and from host memory of chip 0: the device durations of their 600 dones, and how many
 * of them are hidden, by a few lines of Python over the file (start and done by the operand). */
static void waits_of_copies(void **state)
{
    (void)state;
    if (!has_tpu)
        skip();
    struct answer rows = ask(&tpu_server, API "rows?" RUN, 200);
    const struct xpd_json *kind = find(&rows, "rows.kind");
    char target[160] = "";
    for (size_t i = 0; i < xpd_json_count(kind) && !target[0]; i++)
        if (is_text(xpd_json_item(kind, i), "offload"))
            snprintf(target, sizeof target, API "window?" RUN "&px=16384&rows=%lld",
                     (long long)item(&rows, "rows.row", i));
    assert_true(target[0]);
    done(&rows);
    struct answer answer = ask(&tpu_server, target, 200);
    assert_int_equal(number(&answer, "waits.n"), 600);
    assert_int_equal(sum(&answer, "waits.wait_ps"), INT64_C(76009515471250));
    const struct xpd_json *hidden = find(&answer, "waits.hidden");
    int fully = 0, partly = 0;
    for (size_t i = 0; i < 600; i++) {
        fully += is_text(xpd_json_item(hidden, i), "fully");
        partly += is_text(xpd_json_item(hidden, i), "partly");
    }
    assert_int_equal(fully, 200);
    assert_int_equal(partly, 200);
    done(&answer);
}

static void other_routes(void **state)
{
    (void)state;
    struct answer answer = ask(&cpu_server, API "flame?run=run0", 200);
    size_t nodes = xpd_json_count(find(&answer, "parent"));
    int64_t parent; /* null of an outermost one */
    assert_true(nodes > 0);
    for (size_t i = 0; i < nodes; i++)
        if (xpd_json_to_i64(xpd_json_item(find(&answer, "parent"), i), &parent))
            assert_true(parent < (int64_t)i);
    done(&answer);
    answer = ask(&cpu_server, API "overview?run=run0&px=50", 200);
    assert_int_equal(number(&answer, "columns"), 50);
    assert_true(xpd_json_count(find(&answer, "lanes")) > 0);
    done(&answer);
    answer = ask(&cpu_server, API "steps?run=run0", 200);
    assert_int_equal(xpd_json_count(find(&answer, "idle_ps")), number(&answer, "n"));
    done(&answer);
    answer = ask(&cpu_server, API "flows?run=run0", 200);
    assert_int_equal(xpd_json_count(find(&answer, "arrows.flow")), number(&answer, "arrows.n"));
    done(&answer);
    answer = ask(&cpu_server, API "near?run=run0&event=0&dir=previous", 200);
    assert_null(xpd_json_to_text(find(&answer, "found")));
    done(&answer);
    answer = ask(&cpu_server, API "same?run=run0&event=0", 200);
    assert_int_equal(sum(&answer, "bins.count"), number(&answer, "count"));
    assert_int_equal(sum(&answer, "by_chip.count"), number(&answer, "count"));
    done(&answer);
}

static bool touches(const struct answer *arrows, const char *start, const char *duration, size_t i,
                    int64_t from_ps, int64_t to_ps)
{
    int64_t start_ps = item(arrows, start, i);
    return start_ps <= to_ps && start_ps + item(arrows, duration, i) >= from_ps;
}

/* Arrows of a window are those of all that begin or end in it. */
static void arrows_of_a_window(void **state)
{
    (void)state;
    struct answer all = ask(&cpu_server, API "flows?run=run0&limit=20000", 200);
    size_t count = xpd_json_count(find(&all, "arrows.flow")), seen = 0;
    for (int64_t from_ps = 0; from_ps < 40000000000; from_ps += 1700000000) {
        char target[200];
        int64_t to_ps = from_ps + 900000000;
        snprintf(target, sizeof target, API "flows?run=run0&limit=20000&from=%lld&to=%lld",
                 (long long)from_ps, (long long)to_ps);
        struct answer window = ask(&cpu_server, target, 200);
        size_t at = 0, n = xpd_json_count(find(&window, "arrows.flow"));
        for (size_t i = 0; i < count; i++) {
            if (!touches(&all, "arrows.from_start_ps", "arrows.from_duration_ps", i, from_ps,
                         to_ps) &&
                !touches(&all, "arrows.to_start_ps", "arrows.to_duration_ps", i, from_ps, to_ps))
                continue;
            assert_true(at < n);
            assert_int_equal(item(&window, "arrows.to_event", at),
                             item(&all, "arrows.to_event", i));
            at++;
        }
        assert_int_equal(at, n);
        seen += n;
        done(&window);
    }
    assert_true(seen > 100);
    done(&all);
}

/* Streamed: no length, chunks, one JSON object whose events are those of the window. */
static void export_is_json(void **state)
{
    (void)state;
    struct answer window = ask(&cpu_server, API "window?run=run0&from=0&to=1000000000", 200);
    static const char request[] = "GET " API "export?run=run0&from=0&to=1000000000 HTTP/1.0\r\n"
                                  "Host: 127.0.0.1\r\n\r\n"; /* 1.0: without chunks */
    struct http_reply reply = http_raw("127.0.0.1", cpu_server.port, request, sizeof request - 1);
    assert_int_equal(reply.status, 200);
    assert_string_equal(http_header(&reply, "Content-Length"), "");
    assert_string_equal(http_header(&reply, "Content-Disposition"), "attachment");
    struct xpd_json *json = xpd_json_parse((struct xpd_str){reply.body, reply.size});
    assert_non_null(json);
    const struct xpd_json *events = xpd_json_member(json, "traceEvents");
    int64_t slices = 0;
    for (size_t i = 0; i < xpd_json_count(events); i++) {
        const struct xpd_json *event = xpd_json_item(events, i);
        const char *phase = xpd_json_to_text(xpd_json_member(event, "ph"));
        assert_non_null(phase);
        assert_non_null(xpd_json_member(event, "pid"));
        slices += strcmp(phase, "X") == 0 || strcmp(phase, "b") == 0;
    }
    /* an event that only touches the edge is drawn but not exported */
    assert_in_range(number(&window, "events_in_view") - slices, 0, 8);
    xpd_json_free(json);
    http_reply_free(&reply);
    done(&window);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *target;
        int status;
    } bad[] = {
        {"rows?run=nothing", 404},
        {"rows?run=run0&host=nobody", 404},
        {"rows?run=run0&derived=2", 400},
        {"window?run=run0&rows=1-", 400},
        {"window?run=run0&rows=5-1", 400},
        {"window?run=run0&rows=,", 400},
        {"window?run=run0&rows=99999999999", 400},
        {"window?run=run0&rows=9999", 404},
        {"window?run=run0&px=0", 400},
        {"window?run=run0&px=99999", 400},
        {"window?run=run0&from=5&to=1", 400},
        {"window?run=run0&from=x", 400},
        {"event?run=run0", 400},
        {"event?run=run0&event=-1", 400},
        {"event?run=run0&event=999999999", 404},
        {"event?run=run0&event=9223372036854775807", 404},
        {"near?run=run0&event=0&dir=up", 400},
        {"same?run=run0&event=1e3", 400},
        {"totals?run=run0&by=nothing", 400},
        {"totals?run=run0&limit=0", 400},
        {"totals?run=run0&clock=wall", 400},
        {"search?run=run0", 400},
        {"search?run=run0&q=", 400},
        {"collective?run=run0&event=0", 404},
        {"flows?run=run0&limit=999999", 400},
        {"export?run=run0&rows=x", 400},
        {"export?run=run0&host=nobody", 404},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char target[160];
        snprintf(target, sizeof target, API "%s", bad[i].target);
        struct answer answer = ask(&cpu_server, target, bad[i].status);
        assert_non_null(xpd_json_to_text(find(&answer, "error.message")));
        done(&answer);
    }
}

/* A range far outside of the trace is empty, not an error; nor is one as wide as numbers go. */
static void far_ranges(void **state)
{
    (void)state;
    struct answer answer =
        ask(&cpu_server, API "window?run=run0&from=900000000000000&to=900000000001000", 200);
    assert_int_equal(number(&answer, "box.n"), 0);
    done(&answer);
    answer = ask(&cpu_server,
                 API "window?run=run0&from=-9223372036854775808&to=9223372036854775807", 200);
    struct answer whole = ask(&cpu_server, API "rows?run=run0&derived=0", 200);
    assert_int_equal(number(&answer, "events_in_view"),
                     number(&whole, "event_count") - number(&whole, "hidden_count"));
    done(&whole);
    done(&answer);
    answer = ask(&cpu_server, API "totals?run=run0&from=5&to=5", 200);
    done(&answer);
}

/* ---- the real TPU profile ---- */

static void tpu_totals(void **state)
{
    (void)state;
    if (!has_tpu)
        skip();
    /* XProf's hlo_stats: copy-done.4 of jit_f ran 400 times, 77773215.73125 us, all of it its own
     */
    struct answer answer = ask(&tpu_server, API "totals?" RUN "&limit=1&sort=self", 200);
    assert_string_equal(xpd_json_to_text(xpd_json_item(find(&answer, "rows.key"), 0)),
                        "copy-done.4");
    assert_int_equal(item(&answer, "rows.count", 0), 400);
    assert_int_equal(item(&answer, "rows.self_ps", 0), INT64_C(77773215731250));
    assert_int_equal(item(&answer, "rows.total_ps", 0), INT64_C(77773215731250));
    done(&answer);
    answer = ask(&tpu_server, API "rows?" RUN, 200); /* reference V26 */
    assert_int_equal(number(&answer, "event_count") - number(&answer, "hidden_count"), 25817);
    assert_int_equal(number(&answer, "hidden_count"), 906);
    assert_int_equal(number(&answer, "processes.n"), 5);
    done(&answer);
}

/* What is written on a box is what the event says, however far one is from it: the whole run of
 * 97.6 s, in which a pixel is 0.1 s, and a part of it. */
static void tpu_exact_boxes(void **state)
{
    static const char *const part[] = {"px=1200", "px=1200&from=19000000000000&to=25000000000000"};
    (void)state;
    if (!has_tpu)
        skip();
    int64_t checked = 0;
    for (size_t p = 0; p < 2; p++) {
        char target[160];
        snprintf(target, sizeof target, API "window?" RUN "&rows=0-8&%s", part[p]);
        struct answer window = ask(&tpu_server, target, 200);
        size_t n = (size_t)number(&window, "exact.n"), box = 0, merged = 0, e = 0;
        size_t merged_n = (size_t)number(&window, "merged.n");
        size_t depths = (size_t)number(&window, "depths.n");
        int64_t q = number(&window, "quantum_ps"), next_merged = item(&window, "merged.at", 0);
        assert_true(q > 1 && n > 0);
        for (size_t d = 0; d < depths; d++) {
            int64_t start = number(&window, "from_ps"),
                    event = item(&window, "depths.first_event", d);
            for (int64_t i = 0; i < item(&window, "depths.boxes", d); i++, box++) {
                int64_t count = 1;
                start += item(&window, "box.start", box) * q;
                if (merged < merged_n && (int64_t)box == next_merged) {
                    count = item(&window, "merged.count", merged++);
                    if (merged < merged_n)
                        next_merged += item(&window, "merged.at", merged);
                }
                if (e < n && item(&window, "exact.box", e) == (int64_t)box) {
                    snprintf(target, sizeof target, API "event?" RUN "&event=%lld",
                             (long long)event);
                    struct answer one = ask(&tpu_server, target, 200);
                    assert_int_equal(count, 1);
                    assert_int_equal(start + item(&window, "exact.beyond_ps", e),
                                     number(&one, "start_ps"));
                    assert_int_equal(item(&window, "exact.duration_ps", e),
                                     number(&one, "duration_ps"));
                    done(&one);
                    e++;
                    checked++;
                }
                event += count;
            }
        }
        assert_int_equal(e, n);
        done(&window);
    }
    assert_true(checked > 20);
}

static int64_t to_integer(const struct xpd_json *decimal)
{
    assert_non_null(decimal);
    return strtoll(xpd_json_to_text(decimal), NULL, 10);
}

/* The same execution on all chips, by their own clocks as the file's stats say them. */
static void tpu_chips_device_clock(void **state)
{
    (void)state;
    if (!has_tpu)
        skip();
    struct answer answer = ask(&tpu_server, API "event?" RUN "&event=2430", 200);
    assert_int_equal(number(&answer, "chips.n"), 4);
    int64_t first = INT64_MAX, last = 0;
    for (uint32_t i = 0; i < 4; i++) {
        int64_t start = to_integer(xpd_json_item(find(&answer, "chips.device_start_ps"), i));
        first = start < first ? start : first;
        last = start > last ? start : last;
        char target[160];
        snprintf(target, sizeof target, API "event?" RUN "&event=%lld",
                 (long long)item(&answer, "chips.event", i));
        struct answer one = ask(&tpu_server, target, 200);
        assert_int_equal(to_integer(find(&one, "device_start_ps")), start);
        done(&one);
    }
    /* Of the picture design/mock/trace.png, made from the file by other code: 0.565 ms. */
    assert_int_equal((last - first + 500000) / 1000000, 565);
    done(&answer);
}

/* Reference 3.9: the first all-reduce starts within 2.6 us on all chips; TPU:2 comes last. */
static void tpu_collective(void **state)
{
    (void)state;
    if (!has_tpu)
        skip();
    struct answer hit = ask(&tpu_server, API "search?" RUN "&q=all-reduce&rows=1&limit=1", 200);
    char target[160];
    snprintf(target, sizeof target, API "collective?" RUN "&event=%lld",
             (long long)item(&hit, "hits.event", 0));
    struct answer answer = ask(&tpu_server, target, 200);
    assert_int_equal(number(&answer, "chips.n"), 4);
    assert_int_equal(number(&answer, "skew_start_ps"), 2610250);
    assert_int_equal(number(&answer, "straggler"), 2);
    /* Row of the operations of each chip, as the file has its lines; the op is at the top of it. */
    static const int64_t row[] = {1, 5, 8, 11}, wait_ps[] = {2610250, 1661328, 0, 1369672};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(item(&answer, "chips.row", i), row[i]);
        assert_int_equal(item(&answer, "chips.depth", i), 0);
        assert_int_equal(item(&answer, "chips.wait_ps", i), wait_ps[i]);
    }
    done(&answer);
    done(&hit);
}

/* Features A6, on the clock of the chip: all 100 x 24.05 ms of compute of TPU:0 run beside
 * transfers. */
static void tpu_overlap(void **state)
{
    (void)state;
    if (!has_tpu)
        skip();
    struct answer answer = ask(&tpu_server, API "steps?" RUN, 200);
    int64_t hidden = 0, exposed = 0;
    for (size_t i = 0; i < (size_t)number(&answer, "n"); i++)
        if (item(&answer, "process", i) == 0) {
            hidden += item(&answer, "overlapped_copy_ps", i);
            exposed += item(&answer, "exposed_copy_ps", i);
        }
    assert_int_equal((hidden + 500000000) / 1000000000, 2405);
    assert_int_equal((exposed + 500000000) / 1000000000, 76010);
    done(&answer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_add_up),
        cmocka_unit_test(windows_agree),
        cmocka_unit_test(window_then_event),
        cmocka_unit_test(groups_add_up),
        cmocka_unit_test(search_counts),
        cmocka_unit_test(search_in_args),
        cmocka_unit_test(waits_of_copies),
        cmocka_unit_test(steps_of_a_window),
        cmocka_unit_test(steps_by_the_device),
        cmocka_unit_test(other_routes),
        cmocka_unit_test(arrows_of_a_window),
        cmocka_unit_test(export_is_json),
        cmocka_unit_test(refusals),
        cmocka_unit_test(far_ranges),
        cmocka_unit_test(tpu_totals),
        cmocka_unit_test(tpu_collective),
        cmocka_unit_test(tpu_chips_device_clock),
        cmocka_unit_test(tpu_exact_boxes),
        cmocka_unit_test(tpu_overlap),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
