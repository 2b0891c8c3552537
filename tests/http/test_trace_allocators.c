/* The allocators' tracks of the trace: columns worked out by hand, whose memory each is, hostile
 * values; and the real run, against counts and peaks of a few lines of Python over its file. */
#include "answer.h"

#include "tempfile.h"
#include "xprofd/profile/allocations.h"
#include "xspace_parts.h"
#include <unistd.h>

#define TRACKS "allocators"

enum { ALLOC = 4, FREE = 5, OP = 6 };
enum { NAME = 1, INDEX, RESERVED, ALLOCATED, AVAILABLE };

struct made { /* -1: not written */
    const char *name;
    int64_t index, at_ps, reserved, allocated, available;
    bool frees;
};

static void put_size(struct pbw *w, uint64_t id, int64_t value)
{
    if (value >= 0)
        xsp_stat_int(w, id, value);
}

static void put_event(struct pbw *w, const struct made *e)
{
    size_t event = xsp_event(w, e->frees ? FREE : ALLOC, (uint64_t)e->at_ps, 0);
    if (e->name)
        xsp_stat_text(w, NAME, e->name);
    put_size(w, INDEX, e->index);
    put_size(w, RESERVED, e->reserved);
    put_size(w, ALLOCATED, e->allocated);
    put_size(w, AVAILABLE, e->available);
    pbw_end(w, event);
}

/* An operation from 0 to 100,000 ps: the trace. */
static void put_device(struct pbw *w, const char *name, const char *line_name)
{
    size_t plane = xsp_plane(w, name), line = xsp_line(w, 1, line_name, 0);
    xsp_put_event(w, OP, 0, 100000);
    pbw_end(w, line);
    xsp_event_name(w, OP, "op");
    pbw_end(w, plane);
}

/* Serves a profile with these events; to be ended by unserve. */
static char *serve(struct server_process *server, const struct made *e, size_t n)
{
    static const char *const stats[] = {"allocator_name", "index_on_host", "bytes_reserved",
                                        "bytes_allocated", "bytes_available"};
    struct pbw w = {0};
    put_device(&w, "/device:TPU:1", "XLA Ops");
    put_device(&w, "/device:GPU:0", "Stream #1");
    size_t plane = xsp_plane(&w, "/host:CPU"), line = xsp_line(&w, 1, "thread", 0);
    for (size_t i = 0; i < n; i++)
        put_event(&w, &e[i]);
    pbw_end(&w, line);
    xsp_event_name(&w, ALLOC, "MemoryAllocation");
    xsp_event_name(&w, FREE, "MemoryDeallocation");
    for (uint64_t i = 0; i < 5; i++)
        xsp_stat_name(&w, i + 1, stats[i]);
    pbw_end(&w, plane);
    char *path = temp_file(w.data, w.len, ".xplane.pb");
    pbw_free(&w);
    server_serve(server, path, NULL, NULL);
    return path;
}

static void unserve(struct server_process *server, char *path)
{
    server_stop(server);
    temp_remove(path);
}

static const struct xpd_json *track(const struct answer *answer, size_t index)
{
    return xpd_json_item(find(answer, "tracks"), index);
}

static void is_column(const struct xpd_json *track, const char *name, const int64_t *want, size_t n)
{
    const struct xpd_json *column = xpd_json_member(track, name);
    assert_non_null(column);
    if (xpd_json_count(column) != n)
        fail_msg("%s has %zu values, not %zu", name, xpd_json_count(column), n);
    for (size_t i = 0; i < n; i++) {
        int64_t got = -1; /* null */
        xpd_json_to_i64(xpd_json_item(column, i), &got);
        if (got != want[i])
            fail_msg("%s[%zu] is %lld, not %lld", name, i, (long long)got, (long long)want[i]);
    }
}

static int64_t value_of(const struct xpd_json *track, const char *name)
{
    int64_t got = -1;
    xpd_json_to_i64(xpd_json_member(track, name), &got);
    return got;
}

/* Ten columns of 10,000 ps (and one ps: the last column ends behind the window). */
static const struct made by_hand[] = {
    {NULL, 1, 5000, 100, 20, 80, false},   /* alone in its column: at its own time */
    {NULL, 1, 20502, 100, 50, 50, false},  /* three in column 2, in which 120 held first */
    {NULL, 1, 21000, 100, 5, 95, true},    /* the least of it */
    {NULL, 1, 29000, 100, 30, 70, false},  /* holds at its end */
    {NULL, 1, 99000, 0, 7, -1, true},      /* says no free memory */
    {"GPU_0_bfc", -1, 1, -1, 9, 1, false}, /* nothing reserved is said */
    {"host_pool", -1, 2, 1, 2, 3, false},
    {"7", -1, 3, 1, 2, 3, false}, /* a chip that is not in the file */
};

static void columns_by_hand(void **state)
{
    (void)state;
    struct server_process server;
    char *path = serve(&server, by_hand, sizeof by_hand / sizeof *by_hand);
    struct answer answer = ask_trace(&server, TRACKS, "&px=10");
    assert_int_equal(xpd_json_count(find(&answer, "tracks")), 4);
    const struct xpd_json *chip = track(&answer, 0);
    static const int64_t at[] = {5000, 20002, 30003, 99000}, most[] = {120, 150, 130, 7},
                         least[] = {120, 105, 130, 7}, last[] = {120, 130, 130, 7},
                         reserved[] = {100, 100, 100, 0}, available[] = {80, 50, 70, -1};
    is_column(chip, "at_ps", at, 4);
    is_column(chip, "most_here_bytes", most, 4);
    is_column(chip, "least_bytes", least, 4);
    is_column(chip, "last_bytes", last, 4);
    is_column(chip, "reserved_bytes", reserved, 4);
    is_column(chip, "available_bytes", available, 4);
    assert_int_equal(value_of(chip, "events"), 5);
    assert_int_equal(value_of(chip, "frees"), 2);
    assert_int_equal(value_of(chip, "capacity_bytes"), 200);
    assert_int_equal(value_of(chip, "most_bytes"), 150);
    assert_int_equal(value_of(chip, "most_at_ps"), 20502);
    assert_int_equal(number(&answer, "dropped"), 0);
    done(&answer);
    unserve(&server, path);
}

/* The value that holds when a window begins stands at its start; beside the trace there is nothing.
 */
static void windows(void **state)
{
    (void)state;
    struct server_process server;
    char *path = serve(&server, by_hand, sizeof by_hand / sizeof *by_hand);
    struct answer answer = ask_trace(&server, TRACKS, "&px=10&from=40000&to=60000");
    static const int64_t at[] = {40000}, held[] = {130}, first[] = {5000, 20502, 21000};
    is_column(track(&answer, 0), "at_ps", at, 1);
    is_column(track(&answer, 0), "last_bytes", held, 1);
    done(&answer);
    answer = ask_trace(&server, TRACKS,
                       "&px=16384&from=0&to=22000"); /* a column of 2 ps: each by itself */
    is_column(track(&answer, 0), "at_ps", first, 3);
    done(&answer);
    answer = ask_trace(&server, TRACKS, "&from=-500&to=-400");
    is_column(track(&answer, 0), "at_ps", NULL, 0);
    done(&answer);
    unserve(&server, path);
}

static int64_t store_bytes(struct server_process *server)
{
    struct answer answer = ask(server, "/api/v1/status", 200);
    int64_t bytes = number(&answer, "store.memory_bytes");
    done(&answer);
    return bytes;
}

/* The file has no program, so there is no module to keep the events beside: they are read once all
 * the same, and the next window adds nothing. */
static void read_once_without_modules(void **state)
{
    (void)state;
    size_t n = sizeof by_hand / sizeof *by_hand;
    struct server_process server;
    char *path = serve(&server, by_hand, n);
    struct answer answer = ask_trace(&server, "rows", "&derived=1");
    done(&answer);
    int64_t before = store_bytes(&server);
    answer = ask_trace(&server, TRACKS, "&px=10");
    done(&answer);
    int64_t kept = store_bytes(&server);
    assert_true(kept - before >= (int64_t)(n * sizeof(struct xpd_allocation)));
    answer = ask_trace(&server, TRACKS, "&px=20");
    assert_int_equal(xpd_json_count(find(&answer, "tracks")), 4);
    done(&answer);
    assert_int_equal(store_bytes(&server), kept);
    unserve(&server, path);
}

/* Processes in the order of the rows: TPU:1, GPU:0, the host. */
static void whose_memory(void **state)
{
    (void)state;
    static const struct {
        const char *allocator, *process;
    } want[] = {{"1", "/device:TPU:1"},
                {"7", "/host:CPU"},
                {"GPU_0_bfc", "/device:GPU:0"},
                {"host_pool", "/host:CPU"}};
    struct server_process server;
    char *path = serve(&server, by_hand, sizeof by_hand / sizeof *by_hand);
    struct answer answer = ask_trace(&server, TRACKS, "");
    struct answer rows = ask_trace(&server, "rows", "");
    for (size_t i = 0; i < 4; i++) {
        const struct xpd_json *at = track(&answer, i);
        assert_string_equal(xpd_json_to_text(xpd_json_member(at, "allocator")), want[i].allocator);
        size_t process = (size_t)value_of(at, "process");
        const struct xpd_json *names = find(&rows, "processes.name");
        assert_string_equal(xpd_json_to_text(xpd_json_item(names, process)), want[i].process);
    }
    done(&rows);
    done(&answer);
    unserve(&server, path);
}

/* 2^63 - 1 bytes, times at the ends of 64 bits: no wrong sum, no crash. */
static void hostile(void **state)
{
    (void)state;
    static const struct made e[] = {
        {NULL, 1, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, false},
        {NULL, 1, INT64_MIN, 1, 1, 1, true},
        {NULL, 1, 50000, INT64_MAX, 9, 9, false},
        {NULL, -1, 7, 1, 1, 1, false}, /* of no allocator */
    };
    struct server_process server;
    char *path = serve(&server, e, sizeof e / sizeof *e);
    struct answer answer = ask_trace(&server, TRACKS, "&px=1");
    const struct xpd_json *chip = track(&answer, 0);
    assert_int_equal(value_of(chip, "most_bytes"), INT64_MAX);
    assert_int_equal(value_of(chip, "capacity_bytes"), INT64_MAX);
    assert_int_equal(number(&answer, "dropped"), 1);
    done(&answer);
    unserve(&server, path);
}

static void nothing_recorded(void **state)
{
    (void)state;
    struct server_process server;
    char *path = serve(&server, NULL, 0);
    struct answer answer = ask_trace(&server, TRACKS, "");
    assert_int_equal(xpd_json_count(find(&answer, "tracks")), 0);
    done(&answer);
    unserve(&server, path);
}

/* The real run: counts, capacities, peaks and their times as a few lines of Python over the file
 * say (shared/oracle/trace/ref.py); they are within what XProf's memory_profile answers, which
 * tests/unit/profile/test_allocations.c holds the reader against. */
static void real_run(void **state)
{
    (void)state;
    static const int64_t want[][5] = {
        {234, 117, 33550237696, 21492569216, 19020558196000},
        {224, 112, 33550237696, 21492671104, 15180524445000},
        {224, 112, 33550237696, 21492671104, 16797984001000},
        {224, 112, 33550237696, 21492569216, 19020555756000},
    };
    static const char *const key[] = {"events", "frees", "capacity_bytes", "most_bytes",
                                      "most_at_ps"};
    const char *shared = getenv("XPD_SHARED");
    char path[512];
    snprintf(path, sizeof path, "%s/data/tpu-v6e-offload/logdir", shared ? shared : "");
    if (!shared || access(path, R_OK) != 0)
        skip();
    struct server_process server;
    server_serve(&server, path, NULL, NULL);
    struct answer answer =
        ask_trace(&server, TRACKS, "&px=16384&from=19000000000000&to=19018000000000");
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 5; k++)
            assert_int_equal(value_of(track(&answer, i), key[k]), want[i][k]);
    /* Chip 0: what held at 19 s, then the events up to 19.018 s, each in a column of its own. */
    static const int64_t at[] = {19000000000000, 19016481966000, 19017204506000, 19017414756000,
                                 19017471056000},
                         bytes[] = {5374155264, 31232, 21492564992, 21492565120, 21492565248};
    is_column(track(&answer, 0), "at_ps", at, 5);
    is_column(track(&answer, 0), "last_bytes", bytes, 5);
    done(&answer);
    server_stop(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_by_hand),  cmocka_unit_test(windows),
        cmocka_unit_test(whose_memory),     cmocka_unit_test(hostile),
        cmocka_unit_test(nothing_recorded), cmocka_unit_test(read_once_without_modules),
        cmocka_unit_test(real_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
