/* Section 5 of the trace's issue, item by item: a profile of each kind is served, and what the
 * trace answers is all that is known. The table has the words of the cases. Expected values
 * are worked out by hand from what each case writes. */
#include "answer.h"

#include "tempfile.h"
#include "xspace_parts.h"

#define PS_LIMIT      (INT64_C(1) << 61) /* 26 days, as docs/API.md says */
#define WRAPS(offset) ((uint64_t)(offset))
#define TWO_TO_63     (UINT64_C(1) << 63)
#define TEN_MILLION   10000000
#define CROWD         6000

/* ---- what is asked ---- */

static void has_events(const struct server_process *server, int64_t count)
{
    struct answer rows = ask_trace(server, "rows", "");
    assert_int_equal(number(&rows, "event_count"), count);
    done(&rows);
}

/* The n-th event, in the order of rows, depths and time. */
static void event_is(const struct server_process *server, int64_t number_of, int64_t start,
                     int64_t duration, const char *caption)
{
    char more[64];
    snprintf(more, sizeof more, "&event=%lld", (long long)number_of);
    struct answer event = ask_trace(server, "event", more);
    if (number(&event, "start_ps") != start || number(&event, "duration_ps") != duration)
        fail_msg("event %lld: %lld + %lld, not %lld + %lld", (long long)number_of,
                 (long long)number(&event, "start_ps"), (long long)number(&event, "duration_ps"),
                 (long long)start, (long long)duration);
    if (caption)
        assert_string_equal(xpd_json_to_text(find(&event, "caption")), caption);
    done(&event);
}

/* A warning of the rows (the page's banner) whose text begins like this; NULL: there is none at
 * all. */
static void warned(const struct server_process *server, const char *code, const char *text)
{
    struct answer rows = ask_trace(server, "rows", "");
    const struct xpd_json *all = find(&rows, "warnings");
    bool found = false;
    for (size_t i = 0; i < xpd_json_count(all); i++) {
        const struct xpd_json *item_at = xpd_json_item(all, i);
        const char *is = xpd_json_to_text(xpd_json_member(item_at, "code"));
        const char *says = xpd_json_to_text(xpd_json_member(item_at, "text"));
        if (!code)
            fail_msg("a warning where nothing is wrong: %s: %s", is, says);
        if (strcmp(is, code) == 0 && (!text || strncmp(says, text, strlen(text)) == 0))
            found = true;
    }
    if (code && !found)
        fail_msg("no warning %s: %s", code, text ? text : "");
    done(&rows);
}

/* ---- profiles ---- */

static void two_events(struct pbw *w, int64_t line_ns, uint64_t offset, uint64_t duration)
{
    size_t plane = xsp_plane(w, "/host:CPU"), line = xsp_line(w, 1, "main", line_ns);
    xsp_put_event(w, 1, offset, duration);
    xsp_put_event(w, 2, 0, 10);
    pbw_end(w, line);
    xsp_event_name(w, 1, "odd");
    xsp_event_name(w, 2, "plain");
    pbw_end(w, plane);
}

static void negative_time(struct pbw *w)
{
    two_events(w, 1000, WRAPS(-5000), 10);
}
static void check_negative_time(const struct server_process *server)
{
    has_events(server, 2);
    event_is(server, 0, 0, 10, "odd");
    event_is(server, 1, 5000, 10, "plain");
    warned(server, NULL, NULL); /* before its line, but a time */
}

static void negative_duration(struct pbw *w)
{
    two_events(w, 0, 7, WRAPS(-3));
}
static void check_negative_duration(const struct server_process *server)
{
    has_events(server, 2);
    event_is(server, 0, 0, 10, "plain");
    event_is(server, 1, 7, 0, "odd");
    warned(server, "odd_times", "1 event");
}

static void zero(struct pbw *w)
{
    two_events(w, 0, 0, 0);
}
static void check_zero(const struct server_process *server)
{
    has_events(server, 2);
    event_is(server, 0, 0, 10, "plain"); /* of two at one time the longer holds the other */
    event_is(server, 1, 0, 0, "odd");
    warned(server, NULL, NULL);
}

/* Nanoseconds times 1,000 do not fit 64 bits: the line lies at the limit, not at a wrapped time. */
static void wrapped_line(struct pbw *w)
{
    two_events(w, 0, 0, 10);
    size_t plane = xsp_plane(w, "/host:other"), line = xsp_line(w, 1, "late", INT64_MAX);
    xsp_put_event(w, 1, 5, 10);
    pbw_end(w, line);
    xsp_event_name(w, 1, "late");
    pbw_end(w, plane);
}
static void check_wrapped_line(const struct server_process *server)
{
    has_events(server, 3);
    event_is(server, 2, PS_LIMIT, 0, "late");
    warned(server, "odd_times", "1 event");
}

/* An offset that wraps when the line's time is added. */
static void wrapped_offset(struct pbw *w)
{
    two_events(w, 1000, INT64_MAX, 10);
}
static void check_wrapped_offset(const struct server_process *server)
{
    has_events(server, 2);
    event_is(server, 0, 0, 10, "plain");
    event_is(server, 1, PS_LIMIT - 1000000, 0, "odd");
    warned(server, "odd_times", "1 event");
}

static void time_of_2_63(struct pbw *w)
{
    two_events(w, 0, TWO_TO_63, 10);
}
static void check_time_of_2_63(const struct server_process *server)
{
    has_events(server, 2);
    /* As int64 it is far below zero: at the limit there; the axis begins with what is no stray. */
    event_is(server, 0, -PS_LIMIT, 10, "odd");
    event_is(server, 1, 0, 10, "plain");
    warned(server, "odd_times", "1 event");
}

static void duration_of_2_63(struct pbw *w)
{
    two_events(w, 0, 20, TWO_TO_63);
}
static void check_duration_of_2_63(const struct server_process *server)
{
    event_is(server, 1, 20, 0, "odd"); /* negative as int64 */
    warned(server, "odd_times", "1 event");
}

static void duration_below_2_63(struct pbw *w)
{
    two_events(w, 0, 20, INT64_MAX);
}
static void check_duration_below_2_63(const struct server_process *server)
{
    event_is(server, 1, 20, PS_LIMIT - 20, "odd");
    warned(server, "odd_times", "1 event");
}

static void out_of_order(struct pbw *w)
{
    static const uint64_t start[] = {300, 100, 0, 200, 100};
    size_t plane = xsp_plane(w, "/host:CPU"), line = xsp_line(w, 1, "main", 0);
    for (uint64_t i = 0; i < 5; i++)
        xsp_put_event(w, i + 1, start[i], 50 + i);
    pbw_end(w, line);
    for (uint64_t i = 0; i < 5; i++)
        xsp_event_name(w, i + 1, (const char *[]){"a", "b", "c", "d", "e"}[i]);
    pbw_end(w, plane);
}
static void check_out_of_order(const struct server_process *server)
{
    has_events(server, 5);
    event_is(server, 0, 0, 52, "c");
    event_is(server, 1, 100, 54, "e"); /* the longer of two at one time */
    event_is(server, 2, 200, 53, "d");
    event_is(server, 3, 300, 50, "a");
    event_is(server, 4, 100, 51, "b");
    warned(server, NULL, NULL);
}

static void missing_metadata(struct pbw *w)
{
    size_t plane = xsp_plane(w, "/host:CPU"), line = xsp_line(w, 1, "main", 0);
    size_t event = xsp_event(w, 42, 0, 10);
    xsp_stat_int(w, 77, 5);
    xsp_stat_ref(w, 77, 78);
    pbw_end(w, event);
    xsp_put_event(w, 1, 20, 10);
    pbw_end(w, line);
    xsp_event_name(w, 1, "known");
    pbw_end(w, plane);
}
static void check_missing_metadata(const struct server_process *server)
{
    has_events(server, 2);
    event_is(server, 0, 0, 10, NULL);
    event_is(server, 1, 20, 10, "known");
    warned(server, "unknown_events", "1 event");
}

/* Two bytes each; the last one has an event. */
static void ten_million_lines(struct pbw *w)
{
    size_t plane = xsp_plane(w, "/host:CPU");
    static unsigned char lines[20000];
    for (size_t i = 0; i < sizeof lines; i += 2)
        lines[i] = 0x1a; /* field 3, of no bytes */
    for (int i = 0; i < TEN_MILLION / 10000; i++)
        pbw_raw(w, lines, sizeof lines);
    size_t line = xsp_line(w, 1, "last", 0);
    xsp_put_event(w, 1, 0, 10);
    pbw_end(w, line);
    xsp_event_name(w, 1, "here");
    pbw_end(w, plane);
}
static void check_ten_million_lines(const struct server_process *server)
{
    has_events(server, 1);
    event_is(server, 0, 0, 10, "here");
}

static void ids_zero_and_negative(struct pbw *w)
{
    size_t plane = xsp_plane(w, "/host:CPU"), line = xsp_line(w, 1, "main", 0);
    xsp_put_event(w, 0, 0, 10);
    xsp_put_event(w, WRAPS(-1), 20, 10);
    xsp_put_event(w, WRAPS(INT64_MIN), 40, 10);
    pbw_end(w, line);
    xsp_event_name(w, 0, "zero");
    xsp_event_name(w, WRAPS(-1), "minus one");
    xsp_event_name(w, WRAPS(INT64_MIN), "the least");
    pbw_end(w, plane);
}
static void check_ids_zero_and_negative(const struct server_process *server)
{
    has_events(server, 3);
    event_is(server, 0, 0, 10, "zero");
    event_is(server, 1, 20, 10, "minus one");
    event_is(server, 2, 40, 10, "the least");
    warned(server, NULL, NULL);
}

/* A stat whose value is its own name, and two that name each other. */
static void refs_in_a_cycle(struct pbw *w)
{
    size_t plane = xsp_plane(w, "/host:CPU"), line = xsp_line(w, 1, "main", 0);
    size_t event = xsp_event(w, 1, 0, 10);
    xsp_stat_ref(w, 5, 5);
    xsp_stat_ref(w, 6, 7);
    xsp_stat_ref(w, 7, 6);
    pbw_end(w, event);
    pbw_end(w, line);
    xsp_event_name(w, 1, "op");
    xsp_stat_name(w, 5, "self");
    xsp_stat_name(w, 6, "egg");
    xsp_stat_name(w, 7, "hen");
    pbw_end(w, plane);
}
static void check_refs_in_a_cycle(const struct server_process *server)
{
    static const char *const want[][2] = {{"self", "self"}, {"egg", "hen"}, {"hen", "egg"}};
    struct answer event = ask_trace(server, "event", "&event=0");
    const struct xpd_json *stats = find(&event, "stats");
    assert_int_equal(xpd_json_count(stats), 3);
    for (size_t i = 0; i < 3; i++) {
        const struct xpd_json *stat = xpd_json_item(stats, i);
        assert_string_equal(xpd_json_to_text(xpd_json_member(stat, "name")), want[i][0]);
        assert_string_equal(xpd_json_to_text(xpd_json_member(stat, "value")), want[i][1]);
    }
    done(&event);
}

/* One context: half of the events make it, the other half take it. */
static void flows_of_thousands(struct pbw *w)
{
    size_t plane = xsp_plane(w, "/host:CPU"), line = xsp_line(w, 1, "main", 0);
    for (uint64_t i = 0; i < CROWD; i++) {
        size_t event = xsp_event(w, 1, i * 10, 5);
        xsp_stat_int(w, i % 2 ? 3 : 1, 2);
        xsp_stat_int(w, i % 2 ? 4 : 2, 77);
        pbw_end(w, event);
    }
    pbw_end(w, line);
    xsp_event_name(w, 1, "end");
    xsp_stat_name(w, 1, "_pt");
    xsp_stat_name(w, 2, "_p");
    xsp_stat_name(w, 3, "_ct");
    xsp_stat_name(w, 4, "_c");
    pbw_end(w, plane);
}
static void check_flows_of_thousands(const struct server_process *server)
{
    has_events(server, CROWD);
    /* The last that takes: listed first on its side, behind 499 others; 2,500 of each are left out.
     */
    struct answer flows = ask_trace(server, "flows", "&event=5999");
    const struct xpd_json *flow = xpd_json_item(find(&flows, "flows"), 0);
    const struct xpd_json *in = xpd_json_member(flow, "in"), *out = xpd_json_member(flow, "out");
    int64_t value;
    assert_int_equal(xpd_json_count(in), 500);
    assert_int_equal(xpd_json_count(out), 500);
    assert_true(xpd_json_to_i64(xpd_json_member(xpd_json_item(in, 0), "event"), &value));
    assert_int_equal(value, 5999);
    assert_true(xpd_json_to_i64(xpd_json_member(xpd_json_item(in, 1), "event"), &value));
    assert_int_equal(value, 1);
    assert_true(xpd_json_to_i64(xpd_json_member(flow, "left_out"), &value));
    assert_int_equal(value, 5000);
    done(&flows);
    /* No 9 million arrows: each that takes has one, from the last that made before it. */
    flows = ask_trace(server, "flows", "&limit=20000");
    assert_int_equal(number(&flows, "arrows.n"), CROWD / 2);
    assert_int_equal(number(&flows, "arrows.left_out"), 0);
    assert_int_equal(item(&flows, "arrows.from_event", 7), 14);
    assert_int_equal(item(&flows, "arrows.to_event", 7), 15);
    done(&flows);
}

/* ---- the table ---- */

static const struct {
    const char *words;
    void (*build)(struct pbw *w);
    void (*check)(const struct server_process *server);
} each[] = {
    {"negative times", negative_time, check_negative_time},
    {"negative durations", negative_duration, check_negative_duration},
    {"zero times and durations", zero, check_zero},
    {"wrapped times, by the line's", wrapped_line, check_wrapped_line},
    {"wrapped times, by the offset", wrapped_offset, check_wrapped_offset},
    {"2^63 times", time_of_2_63, check_time_of_2_63},
    {"2^63 durations", duration_of_2_63, check_duration_of_2_63},
    {"2^63 - 1 durations", duration_below_2_63, check_duration_below_2_63},
    {"events out of order", out_of_order, check_out_of_order},
    {"missing metadata", missing_metadata, check_missing_metadata},
    {"10 million lines", ten_million_lines, check_ten_million_lines},
    {"metadata ids 0 and negative", ids_zero_and_negative, check_ids_zero_and_negative},
    {"ref stats in a cycle", refs_in_a_cycle, check_refs_in_a_cycle},
    {"flows with thousands of ends", flows_of_thousands, check_flows_of_thousands},
};

static void table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        struct server_process server;
        struct pbw w = {0};
        print_message("  %s\n", each[i].words);
        each[i].build(&w);
        char *path = temp_file(w.data, w.len, ".xplane.pb");
        server_serve(&server, path, NULL, NULL);
        each[i].check(&server);
        server_stop(&server);
        temp_remove(path);
        pbw_free(&w);
    }
}

/* "a plane of over 4 GiB": 4 GiB and a bit of an unknown field, a hole in the file, stand between
 * two lines of one plane. */
static void plane_over_4_gib(void **state)
{
    (void)state;
    static const uint64_t hole = (UINT64_C(4) << 30) + 4096;
    struct server_process server;
    struct pbw before = {0}, after = {0}, head = {0};
    pbw_str(&before, 2, "/host:CPU");
    size_t line = xsp_line(&before, 1, "first", 0);
    xsp_put_event(&before, 1, 0, 10);
    pbw_end(&before, line);
    pbw_raw(&before, "\x7a\x80\xa0\x80\x80\x10", 6); /* field 15 of 4 GiB + 4,096 bytes */
    line = xsp_line(&after, 2, "second", 0);
    size_t event = xsp_event(&after, 1, 100, 10);
    xsp_stat_int(&after, 1, 42);
    pbw_end(&after, event);
    pbw_end(&after, line);
    xsp_event_name(&after, 1, "op");
    xsp_stat_name(&after, 1, "answer");
    uint64_t size = before.len + hole + after.len;
    pbw_raw(&head, "\x0a", 1);
    for (; size >= 0x80; size >>= 7)
        pbw_raw(&head, &(uint8_t){(uint8_t)(size | 0x80)}, 1);
    pbw_raw(&head, &(uint8_t){(uint8_t)size}, 1);
    pbw_raw(&head, before.data, before.len);
    char *path = temp_file(head.data, head.len, ".xplane.pb");
    temp_write_at(path, head.len + hole, after.data, after.len);
    server_serve(&server, path, NULL, NULL);
    has_events(&server, 2);
    event_is(&server, 0, 0, 10, "op");
    event_is(&server, 1, 100, 10, "op");
    /* Its stats are read from behind the 4 GiB. */
    struct answer answer = ask_trace(&server, "event", "&event=1");
    assert_int_equal(xpd_json_count(find(&answer, "stats")), 1);
    done(&answer);
    server_stop(&server);
    temp_remove(path);
    pbw_free(&before);
    pbw_free(&after);
    pbw_free(&head);
}

/* What the page shows on top, whatever it shows below. */
static void has_banner(const struct server_process *server, size_t size)
{
    char want[64];
    struct answer runs = ask(server, "/api/v1/runs", 200);
    const char *id = xpd_json_to_text(xpd_json_item(find(&runs, "id"), 0));
    char target[512];
    snprintf(target, sizeof target, "/api/v1/run?run=%s", id);
    struct answer run = ask(server, target, 200);
    const struct xpd_json *warning = xpd_json_item(find(&run, "warnings"), 0);
    assert_string_equal(xpd_json_to_text(xpd_json_member(warning, "code")), "file_cut");
    assert_string_equal(xpd_json_to_text(xpd_json_member(warning, "severity")), "error");
    snprintf(want, sizeof want, "it has %zu bytes", size);
    assert_non_null(strstr(xpd_json_to_text(xpd_json_member(warning, "text")), want));
    done(&run);
    done(&runs);
}

/* "a file cut inside a line (all complete lines and events before the cut are shown, with a
 * banner)": at each byte of the second line. */
static void cut_inside_a_line(void **state)
{
    (void)state;
    struct pbw w = {0};
    size_t end_of[4], count = 0;
    size_t plane = xsp_plane(&w, "/host:CPU");
    xsp_event_name(&w, 1, "op");
    size_t line = xsp_line(&w, 1, "whole", 0);
    xsp_put_event(&w, 1, 0, 10);
    xsp_put_event(&w, 1, 20, 10);
    pbw_end(&w, line);
    size_t first_line_end = w.len;
    line = xsp_line(&w, 2, "cut", 0);
    end_of[count++] = w.len;
    for (uint64_t i = 0; i < 3; i++) {
        xsp_put_event(&w, 1, 100 + 20 * i, 10);
        end_of[count++] = w.len;
    }
    pbw_end(&w, line);
    pbw_end(&w, plane);
    /* pbw puts the lengths of the line and the plane in when they end: all moves by their bytes. */
    size_t moved = w.len - end_of[3];
    assert_true(first_line_end < end_of[0]);
    for (size_t size = end_of[0] + moved; size < w.len; size++) {
        struct server_process server;
        int64_t whole = 2;
        for (size_t i = 1; i < 4; i++)
            whole += size >= end_of[i] + moved;
        char *path = temp_file(w.data, size, ".xplane.pb");
        server_serve(&server, path, NULL, NULL);
        has_events(&server, whole);
        event_is(&server, 1, 20, 10, "op");
        if (whole > 2)
            event_is(&server, 2, 100, 10, "op");
        if (whole > 2) /* a line without a whole event has no row */
            warned(&server, "rows_cut", "1 row ends early");
        has_banner(&server, size);
        server_stop(&server);
        temp_remove(path);
    }
    pbw_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table),
        cmocka_unit_test(plane_over_4_gib),
        cmocka_unit_test(cut_inside_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
