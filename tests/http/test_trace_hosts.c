/* Several hosts of one run in every route of the trace: offsets worked out by hand from what is
 * written here, answers for all of them against those for each alone, and a real capture put as two
 * hosts whose clocks disagree. */
#include "answer.h"

#include "xspace_parts.h"
#include <unistd.h>

#define T0       INT64_C(1795230414168421774)
#define LATER_NS 12300000 /* of the second host: 12.3 ms */
#define LATER_PS (INT64_C(12300000) * 1000)
#define RUN_NS   20000000 /* a run of the program: 20 ms */

enum { MODULE = 1, OP, REDUCE, ALLOC };

/* ---- two profiles ---- */

static void put_start(struct pbw *w, int64_t start_ns)
{
    size_t plane = xsp_plane(w, "Task Environment"), stat;
    xsp_stat_name(w, 1, "profile_start_time");
    stat = pbw_begin(w, 6);
    pbw_uint(w, 1, 1);
    pbw_uint(w, 3, (uint64_t)start_ns);
    pbw_end(w, stat);
    pbw_end(w, plane);
}

/* Three runs of jit_f, each 20 ms; in each 10 ms of fusion.1, then an all-reduce. */
static void put_chip(struct pbw *w, const char *name)
{
    const uint64_t run_ps = (uint64_t)RUN_NS * 1000;
    size_t plane = xsp_plane(w, name), line = xsp_line(w, 1, "XLA Modules", 0);
    for (uint64_t i = 0; i < 3; i++)
        xsp_put_event(w, MODULE, i * run_ps, run_ps - 1000);
    pbw_end(w, line);
    line = xsp_line(w, 2, "XLA Ops", 0);
    for (uint64_t i = 0; i < 3; i++) {
        xsp_put_event(w, OP, i * run_ps, run_ps / 2);
        xsp_put_event(w, REDUCE, i * run_ps + run_ps / 2, run_ps / 2 - 1000);
    }
    pbw_end(w, line);
    xsp_event_name(w, MODULE, "jit_f(7)");
    xsp_event_name(w, OP, "fusion.1");
    xsp_event_name(w, REDUCE, "all-reduce.2");
    pbw_end(w, plane);
}

static void put_thread(struct pbw *w, const char *note, int64_t bytes)
{
    size_t plane = xsp_plane(w, "/host:CPU"), line = xsp_line(w, 1, "main", 0), event;
    event = xsp_event(w, OP, 5000, 1000000);
    xsp_stat_text(w, 1, note);
    pbw_end(w, event);
    event = xsp_event(w, ALLOC, 2000000, 0);
    xsp_stat_text(w, 2, "0");
    xsp_stat_int(w, 3, bytes);
    pbw_end(w, event);
    pbw_end(w, line);
    xsp_event_name(w, OP, "launch");
    xsp_event_name(w, ALLOC, "MemoryAllocation");
    xsp_stat_name(w, 1, "note");
    xsp_stat_name(w, 2, "allocator_name");
    xsp_stat_name(w, 3, "bytes_allocated");
    pbw_end(w, plane);
}

static void write_file(const char *folder, const char *name, const struct pbw *w)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    if (w->len > 0) /* an empty one has no bytes to point at */
        assert_int_equal(fwrite(w->data, 1, w->len, file), w->len);
    assert_int_equal(fclose(file), 0);
}

static void write_host(const char *folder, const char *name, int64_t start_ns, const char *note,
                       int64_t bytes)
{
    struct pbw w = {0};
    put_chip(&w, "/device:TPU:0");
    put_thread(&w, note, bytes);
    if (start_ns > 0)
        put_start(&w, start_ns);
    write_file(folder, name, &w);
    pbw_free(&w);
}

struct two {
    struct server_process server;
    char folder[64], *names[2];
};

static void open_two(struct two *two, int64_t second_ns)
{
    static char a[] = "a.xplane.pb", b[] = "b.xplane.pb";
    *two = (struct two){.folder = "/tmp/xprofd_hosts_XXXXXX", .names = {a, b}};
    assert_non_null(mkdtemp(two->folder));
    write_host(two->folder, a, T0, "of the first", 111);
    write_host(two->folder, b, second_ns, "of the second", 222);
    server_serve(&two->server, two->folder, NULL, NULL);
}

static void close_two(struct two *two)
{
    char path[128];
    server_stop(&two->server);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", two->folder, two->names[i]);
        unlink(path);
    }
    rmdir(two->folder);
}

static const char *text_at(const struct answer *answer, const char *path, size_t index)
{
    const char *text = xpd_json_to_text(xpd_json_item(find(answer, path), index));
    assert_non_null(text);
    return text;
}

static const char *host_word(const struct answer *answer, size_t host, const char *key)
{
    const struct xpd_json *at = xpd_json_member(xpd_json_item(find(answer, "hosts"), host), key);
    const char *text = xpd_json_to_text(at);
    return text ? text : "";
}

/* The row of a process by its caption. */
static int64_t row_of(const struct answer *rows, const char *caption, int64_t process)
{
    size_t n = (size_t)number(rows, "rows.n");
    for (size_t i = 0; i < n; i++)
        if (item(rows, "rows.process", i) == process &&
            strcmp(text_at(rows, "rows.caption", i), caption) == 0)
            return item(rows, "rows.row", i);
    fail_msg("no row %s in process %lld", caption, (long long)process);
    return -1;
}

/* ---- what is side by side ---- */

static void rows_of_two(void **state)
{
    (void)state;
    struct two two;
    open_two(&two, T0 + LATER_NS);
    struct answer rows = ask_trace(&two.server, "rows", "");
    assert_string_equal(xpd_json_to_text(find(&rows, "host")), "ALL");
    assert_int_equal(number(&rows, "processes.n"), 4);
    assert_string_equal(text_at(&rows, "processes.name", 2), "/device:TPU:0");
    static const int64_t host_of[] = {0, 0, 1, 1};
    for (size_t p = 0; p < 4; p++)
        assert_int_equal(item(&rows, "processes.host", p), host_of[p]);
    assert_string_equal(host_word(&rows, 0, "said"), "+0 ms by the profile's clock");
    assert_string_equal(host_word(&rows, 1, "said"), "+12.300 ms by the profile's clock");
    assert_string_equal(host_word(&rows, 1, "clock_offset_ns"), "12300000");
    /* The first chip begins at 0 of the axis, the second one 12.3 ms later. */
    int64_t first = row_of(&rows, "XLA Ops", 0), second = row_of(&rows, "XLA Ops", 2);
    assert_int_equal(item(&rows, "rows.first_ps", (size_t)first), 0);
    assert_int_equal(item(&rows, "rows.first_ps", (size_t)second), LATER_PS);
    assert_int_equal(item(&rows, "rows.host", (size_t)second), 1);
    assert_int_equal(number(&rows, "end_ps"), LATER_PS + 3 * INT64_C(1000) * RUN_NS - 1000);
    assert_int_equal(xpd_json_count(find(&rows, "warnings")), 0);
    done(&rows);
    /* Any way of saying it; one by name; one that is not there. */
    static const char *const all[] = {"&host=ALL", "&host=all", "&host=ALL_HOSTS"};
    for (size_t i = 0; i < 3; i++) {
        rows = ask_trace(&two.server, "rows", all[i]);
        assert_int_equal(number(&rows, "processes.n"), 4);
        done(&rows);
    }
    rows = ask_trace(&two.server, "rows", "&host=b");
    assert_string_equal(xpd_json_to_text(find(&rows, "host")), "b");
    assert_int_equal(number(&rows, "processes.n"), 2);
    assert_int_equal(item(&rows, "processes.host", 0), 1);
    done(&rows);
    close_two(&two);
}

/* An event by its number on the axis of all: its host, its stats, and its partner on the other. */
static void event_of_two(void **state)
{
    (void)state;
    struct two two;
    char more[96];
    open_two(&two, T0 + LATER_NS);
    struct answer rows = ask_trace(&two.server, "rows", "");
    int64_t thread = row_of(&rows, "main", 3), ops = row_of(&rows, "XLA Ops", 2);
    snprintf(more, sizeof more, "&rows=%lld&px=100", (long long)thread);
    struct answer window = ask_trace(&two.server, "window", more);
    int64_t event = item(&window, "depths.first_event", 0);
    done(&window);
    snprintf(more, sizeof more, "&event=%lld", (long long)event);
    struct answer details = ask_trace(&two.server, "event", more);
    assert_string_equal(xpd_json_to_text(find(&details, "host")), "b");
    assert_string_equal(xpd_json_to_text(find(&details, "caption")), "launch");
    assert_int_equal(number(&details, "start_ps"), LATER_PS + 5000);
    const struct xpd_json *stat = xpd_json_item(find(&details, "stats"), 0);
    assert_string_equal(xpd_json_to_text(xpd_json_member(stat, "value")), "of the second");
    done(&details);
    /* The second all-reduce of b: 20 ms + 10 ms + 12.3 ms; that of a began 12.3 ms before. */
    snprintf(more, sizeof more, "&rows=%lld&px=1000", (long long)ops);
    window = ask_trace(&two.server, "window", more);
    int64_t reduce = item(&window, "depths.first_event", 0) + 3;
    done(&window);
    snprintf(more, sizeof more, "&event=%lld", (long long)reduce);
    struct answer collective = ask_trace(&two.server, "collective", more);
    assert_int_equal(number(&collective, "chips.n"), 2);
    assert_string_equal(xpd_json_to_text(find(&collective, "hosts_clock")), "profile");
    assert_int_equal(number(&collective, "apart"), 0);
    assert_int_equal(number(&collective, "skew_start_ps"), LATER_PS);
    assert_int_equal(number(&collective, "straggler"), 2);
    assert_int_equal(item(&collective, "chips.start_ps", 0), LATER_PS + 30000000000);
    assert_int_equal(item(&collective, "chips.wait_ps", 1), LATER_PS);
    done(&collective);
    struct answer near = ask_trace(&two.server, "near", more);
    assert_int_equal(number(&near, "found.event"), reduce + 1);
    done(&near);
    done(&rows);
    close_two(&two);
}

static void sums_of_two(void **state)
{
    (void)state;
    struct two two;
    open_two(&two, T0 + LATER_NS);
    struct answer totals = ask_trace(&two.server, "totals", "&by=chip");
    assert_int_equal(number(&totals, "all_n"), 2);
    assert_int_equal(sum(&totals, "rows.count"), 12);
    assert_string_equal(text_at(&totals, "rows.key", 0), "a /device:TPU:0");
    assert_string_equal(text_at(&totals, "rows.key", 1), "b /device:TPU:0");
    done(&totals);
    /* fusion.1: 10 ms three times on each chip. */
    totals = ask_trace(&two.server, "totals", "&by=name&sort=total");
    assert_string_equal(text_at(&totals, "rows.key", 0), "fusion.1");
    assert_int_equal(item(&totals, "rows.count", 0), 6);
    assert_int_equal(item(&totals, "rows.total_ps", 0), INT64_C(6) * 10 * 1000000000);
    done(&totals);
    struct answer found = ask_trace(&two.server, "search", "&q=launch&px=100");
    assert_int_equal(number(&found, "count"), 2);
    assert_int_equal(item(&found, "hits.start_ps", 0), 5000);
    assert_int_equal(item(&found, "hits.start_ps", 1), LATER_PS + 5000);
    done(&found);
    found = ask_trace(&two.server, "search", "&q=of+the+second&args=2");
    assert_int_equal(number(&found, "count"), 1);
    done(&found);
    /* The k-th run has number k on the chips of both hosts. */
    struct answer steps = ask_trace(&two.server, "steps", "");
    assert_int_equal(number(&steps, "n"), 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(item(&steps, "number", i), i % 3);
        assert_int_equal(item(&steps, "process", i), i < 3 ? 0 : 2);
        assert_int_equal(item(&steps, "start_ps", i),
                         (int64_t)(i % 3) * RUN_NS * 1000 + (i < 3 ? 0 : LATER_PS));
    }
    done(&steps);
    /* Each chip computes 30 ms of its own runs, wherever they lie. */
    struct answer overlap = ask_trace(&two.server, "overlap", "");
    assert_string_equal(xpd_json_to_text(find(&overlap, "host")), "ALL");
    assert_int_equal(number(&overlap, "devices.n"), 2);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(item(&overlap, "devices.compute_ps", i), 30 * INT64_C(1000000000));
    assert_string_equal(text_at(&overlap, "devices.name", 1), "b /device:TPU:0");
    done(&overlap);
    struct answer lanes = ask_trace(&two.server, "overview", "&px=50");
    assert_int_equal(xpd_json_count(find(&lanes, "lanes")), 4);
    done(&lanes);
    close_two(&two);
}

/* Each host's allocator, in its own process, on the common axis. */
static void allocators_of_two(void **state)
{
    (void)state;
    struct two two;
    open_two(&two, T0 + LATER_NS);
    struct answer answer = ask_trace(&two.server, "allocators", "&px=1000");
    assert_int_equal(xpd_json_count(find(&answer, "tracks")), 2);
    for (size_t i = 0; i < 2; i++) {
        const struct xpd_json *track = xpd_json_item(find(&answer, "tracks"), i);
        int64_t most = 0, at = 0, process = 0, host = 0;
        assert_true(xpd_json_to_i64(xpd_json_member(track, "most_bytes"), &most));
        assert_true(xpd_json_to_i64(xpd_json_member(track, "most_at_ps"), &at));
        assert_true(xpd_json_to_i64(xpd_json_member(track, "process"), &process));
        assert_true(xpd_json_to_i64(xpd_json_member(track, "host"), &host));
        assert_int_equal(most, i == 0 ? 111 : 222);
        assert_int_equal(at, 2000000 + (i == 0 ? 0 : LATER_PS));
        assert_int_equal(process, i == 0 ? 0 : 2);
        assert_int_equal(host, i);
    }
    done(&answer);
    close_two(&two);
}

static void export_of_two(void **state)
{
    (void)state;
    struct two two;
    open_two(&two, T0 + LATER_NS);
    struct answer answer = ask_trace(&two.server, "export", "");
    assert_string_equal(xpd_json_to_text(find(&answer, "otherData.host")), "ALL");
    assert_string_equal(xpd_json_to_text(find(&answer, "otherData.hosts")),
                        "a +0 ms by the profile's clock; b +12.300 ms by the profile's clock");
    assert_non_null(strstr(answer.reply.body, "\"b /device:TPU:0\""));
    done(&answer);
    close_two(&two);
}

/* ---- clocks that do not help ---- */

static void clocks_apart(void **state)
{
    (void)state;
    struct two two;
    char more[64];
    open_two(&two, T0 + 3600 * INT64_C(1000000000));
    struct answer rows = ask_trace(&two.server, "rows", "");
    assert_string_equal(host_word(&rows, 1, "placed"), "apart");
    assert_string_equal(host_word(&rows, 1, "said"),
                        "its clock does not overlap the others: starts aligned, moved by +0 ms, "
                        "its clock says +3600.000 s");
    assert_int_equal(xpd_json_count(find(&rows, "warnings")), 1);
    int64_t ops = row_of(&rows, "XLA Ops", 0);
    done(&rows);
    snprintf(more, sizeof more, "&rows=%lld&px=1000", (long long)ops);
    struct answer window = ask_trace(&two.server, "window", more);
    snprintf(more, sizeof more, "&event=%lld",
             (long long)item(&window, "depths.first_event", 0) + 1);
    done(&window);
    struct answer collective = ask_trace(&two.server, "collective", more);
    assert_int_equal(number(&collective, "chips.n"), 1);
    assert_int_equal(number(&collective, "apart"), 1);
    done(&collective);
    struct answer details = ask_trace(&two.server, "event", more);
    assert_int_equal(number(&details, "chips.n"), 2); /* how long it took there is known */
    assert_int_equal(item(&details, "chips.skew_ps", 0), 0);
    int64_t skew;
    assert_false(xpd_json_to_i64(xpd_json_item(find(&details, "chips.skew_ps"), 1), &skew));
    done(&details);
    close_two(&two);
    open_two(&two, 0);
    rows = ask_trace(&two.server, "rows", "");
    assert_string_equal(host_word(&rows, 1, "placed"), "no_clock");
    assert_string_equal(host_word(&rows, 1, "said"),
                        "its file has no start time: starts aligned, moved by +0 ms");
    done(&rows);
    close_two(&two);
}

/* ---- real captures as two hosts ---- */

static void copy_file(const char *folder, const char *name, const char *from)
{
    struct pbw w = {0};
    unsigned char bytes[4096];
    size_t size;
    FILE *file = fopen(source_path(from), "rb");
    assert_non_null(file);
    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0)
        pbw_raw(&w, bytes, size);
    fclose(file);
    write_file(folder, name, &w);
    pbw_free(&w);
}

/* Two programs, captured one after the other: no instant in common. What all routes add up is what
 * each host alone adds up. */
static void real_hosts(void **state)
{
    (void)state;
    struct two two = {.folder = "/tmp/xprofd_hosts_XXXXXX"};
    static char one[] = "one.xplane.pb", other[] = "other.xplane.pb";
    two.names[0] = one;
    two.names[1] = other;
    assert_non_null(mkdtemp(two.folder));
    copy_file(two.folder, one,
              "testdata/cpu_mlp_train/logdir/plugins/profile/run0/host0.xplane.pb");
    copy_file(two.folder, other,
              "testdata/cpu_sharded8/logdir/plugins/profile/run0/host0.xplane.pb");
    server_serve(&two.server, two.folder, NULL, NULL);
    static const char *const route[][2] = {{"rows", "event_count"},
                                           {"rows", "rows.n"},
                                           {"totals", "all.total_ps"},
                                           {"totals", "all.self_ps"},
                                           {"search", "count"},
                                           {"flows", "matched"},
                                           {"steps", "n"}};
    for (size_t i = 0; i < sizeof route / sizeof *route; i++) {
        bool search = strcmp(route[i][0], "search") == 0;
        struct answer all = ask_trace(&two.server, route[i][0], search ? "&q=Exec" : "");
        struct answer a =
            ask_trace(&two.server, route[i][0], search ? "&q=Exec&host=one" : "&host=one");
        struct answer b =
            ask_trace(&two.server, route[i][0], search ? "&q=Exec&host=other" : "&host=other");
        int64_t sum_of = number(&a, route[i][1]) + number(&b, route[i][1]);
        if (number(&all, route[i][1]) != sum_of)
            fail_msg("%s %s: %lld of all, %lld of each", route[i][0], route[i][1],
                     (long long)number(&all, route[i][1]), (long long)sum_of);
        done(&all);
        done(&a);
        done(&b);
    }
    struct answer rows = ask_trace(&two.server, "rows", "");
    assert_string_equal(host_word(&rows, 0, "placed"), "apart");
    done(&rows);
    close_two(&two);
}

/* XProf's route: a host whose file is empty is left out of a list as it is of all hosts. Tables of
 * that host alone say what is wrong with which file, as trace_viewer@ does. */
static void empty_host(void **state)
{
    static const char *const hosts[] = {"host=ALL_HOSTS", "hosts=a,b", "hosts=b,a", "hosts=a",
                                        "hosts=b"};
    struct two two;
    struct pbw none = {0};
    (void)state;
    open_two(&two, T0);
    const char *run = strrchr(two.folder, '/') + 1;
    server_stop(&two.server);
    write_file(two.folder, "b.xplane.pb", &none);
    server_serve(&two.server, two.folder, NULL, NULL);
    struct http_reply first = {0};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        char url[128];
        snprintf(url, sizeof url, "/data?run=%s&%s&tag=trace_viewer@", run, hosts[i]);
        struct http_reply reply = http_get_loaded(two.server.port, url);
        bool readable = strcmp(hosts[i], "hosts=b") != 0;
        if ((reply.status == 200) != readable)
            fail_msg("%s: %d %.300s", url, reply.status, reply.body);
        if (i == 0) {
            first = reply;
            assert_non_null(strstr(reply.body, "fusion.1"));
            continue;
        }
        if (readable)
            assert_string_equal(reply.body, first.body);
        http_reply_free(&reply);
    }
    http_reply_free(&first);
    char url[128];
    snprintf(url, sizeof url, "/data?run=%s&host=b&tag=hlo_stats", run);
    struct http_reply reply = http_get_loaded(two.server.port, url);
    assert_int_not_equal(reply.status, 200);
    assert_non_null(strstr(reply.body, "The file has 0 bytes"));
    assert_non_null(strstr(reply.body, "\"where\":\"b.xplane.pb\""));
    http_reply_free(&reply);
    close_two(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_two),   cmocka_unit_test(event_of_two),
        cmocka_unit_test(sums_of_two),   cmocka_unit_test(allocators_of_two),
        cmocka_unit_test(export_of_two), cmocka_unit_test(clocks_apart),
        cmocka_unit_test(real_hosts),    cmocka_unit_test(empty_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
