/* XProf's trace routes on a captured CPU profile: windows, single events, searches, hosts,
 * refusals. That the events are XProf's is what tests/golden compares; here it is that the parts of
 * one answer agree. */
#include "common.h"
#include "pbw.h"
#include "tempfile.h"
#include "xprofd/wire/source.h"
#include "xspace_gen.h"

#include <unistd.h>

#define LOGDIR "testdata/cpu_mlp_train/logdir"
#define DATA   "/data/plugin/profile/data?run=run0&host=host0"
#define NEW    DATA "&tag=trace_viewer@"

static struct server_process cpu_server;

static int start_cpu(void **state)
{
    (void)state;
    server_serve(&cpu_server, source_path(LOGDIR), NULL, NULL);
    return 0;
}

static int stop_cpu(void **state)
{
    (void)state;
    server_stop(&cpu_server);
    return 0;
}

static struct http_reply ask(const char *target, int status)
{
    struct http_reply reply = http_get_loaded(cpu_server.port, target);
    if (reply.status != status)
        fail_msg("%s: %d %.300s", target, reply.status, reply.body);
    return reply;
}

/* Not by strstr: AddressSanitizer would measure the whole text for each that is found. */
static size_t occurrences(const struct http_reply *reply, const char *of)
{
    size_t count = 0, size = strlen(of);
    const char *end = reply->body + reply->size, *at = reply->body;
    for (; (at = memchr(at, of[0], (size_t)(end - at))) && size <= (size_t)(end - at); at++)
        count += memcmp(at, of, size) == 0;
    return count;
}

static long number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    assert_non_null(at);
    return strtol(at + strlen(key), NULL, 10);
}

static void lists(void **state)
{
    (void)state;
    struct http_reply reply = ask("/run_tools?run=run0", 200);
    assert_non_null(strstr(reply.body, "\"trace_viewer@\""));
    assert_null(strstr(reply.body, "\"trace_viewer\"")); /* answered, but as XProf not listed */
    http_reply_free(&reply);
    reply = ask("/hosts?run=run0&tag=trace_viewer@", 200);
    assert_string_equal(reply.body, "[{\"hostname\":\"host0\"}]");
    http_reply_free(&reply);
}

/* The number in front is that of the events behind; zero lengths are 1 ps. */
static void whole_trace(void **state)
{
    (void)state;
    struct http_reply reply = ask(NEW "&resolution=0", 200);
    long events = number_after(reply.body, "\"returnedEventsSize\":");
    assert_true(events > 100);
    assert_int_equal(occurrences(&reply, "\"ph\":\"X\""), events);
    assert_non_null(strstr(reply.body, "\"name\":\"host0 /host:CPU\""));
    assert_non_null(strstr(reply.body, "\"dur\":0.000001,"));
    assert_null(strstr(reply.body, "full_dma")); /* no TPU */
    http_reply_free(&reply);
    reply = ask(DATA "&tag=trace_viewer", 200);
    assert_int_equal(occurrences(&reply, "\"ph\": \"X\"") + occurrences(&reply, "\"ph\": \"i\""),
                     events);
    http_reply_free(&reply);
}

/* An event of a search, asked for again by what the answer says about it, comes with its
 * arguments. */
static void search_then_event(void **state)
{
    (void)state;
    char target[512], name[64];
    struct http_reply reply = ask(NEW "&search_prefix=train", 200);
    long events = number_after(reply.body, "\"returnedEventsSize\":");
    assert_true(events > 0);
    const char *at = strstr(reply.body, "\"name\":\"train ");
    assert_non_null(at);
    double ts = 0, dur = 0;
    assert_int_equal(
        sscanf(at, "\"name\":\"%60[a-z0-9 ]\",\"ts\":%lf,\"dur\":%lf", name, &ts, &dur), 3);
    long serial = number_after(at, "\"uid\":");
    http_reply_free(&reply);
    name[strcspn(name, " ")] = '+';
    snprintf(target, sizeof target,
             NEW "&event_name=%s&start_time_ms=%.12f&duration_ms=%.12f&unique_id=%ld", name,
             ts / 1000, dur / 1000, serial);
    reply = ask(target, 200);
    assert_int_equal(number_after(reply.body, "\"returnedEventsSize\":"), 1);
    assert_non_null(strstr(reply.body, "\"step_num\":"));
    assert_non_null(strstr(reply.body, "\"step_name\":\"train "));
    assert_null(strstr(reply.body, "\"uid\""));
    http_reply_free(&reply);
    reply = ask(NEW "&search_prefix=Train", 200); /* case counts, only the beginning counts */
    assert_int_equal(number_after(reply.body, "\"returnedEventsSize\":"), 0);
    http_reply_free(&reply);
}

static void windows(void **state)
{
    (void)state;
    static const char *const odd[] = {
        NEW "&start_time_ms=-1&end_time_ms=-1", NEW "&start_time_ms=1e300&end_time_ms=2e300",
        NEW "&start_time_ms=5&end_time_ms=1",   NEW "&event_name=&start_time_ms=1&end_time_ms=9",
        NEW "&resolution=-3&start_time_ms=0",   NEW "&resolution=1e-300&end_time_ms=1"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct http_reply reply = ask(odd[i], 200);
        assert_int_equal(number_after(reply.body, "\"returnedEventsSize\":"),
                         occurrences(&reply, "\"ph\":\"X\""));
        http_reply_free(&reply);
    }
}

static void refusals(void **state)
{
    (void)state;
    struct http_reply reply = ask(NEW "&format=pb", 400);
    assert_non_null(strstr(reply.body, "format=pb is not offered"));
    http_reply_free(&reply);
    reply = ask("/data?run=run0&host=none&tag=trace_viewer@", 404);
    assert_non_null(strstr(reply.body, "No xplane file found for host: none in run: run0"));
    http_reply_free(&reply);
    reply = ask("/data?run=run0&hosts=host0,none&tag=trace_viewer@", 404);
    http_reply_free(&reply);
    reply = ask(NEW "&event_name=a", 404); /* at 0, of no length */
    assert_non_null(strstr(reply.body, "no event of this name"));
    http_reply_free(&reply);
    reply = ask(NEW "&start_time_ms=1&end_time_ms=x", 400);
    assert_non_null(strstr(reply.body, "end_time_ms= is not a number"));
    http_reply_free(&reply);
    reply = ask(NEW "&resolution=", 400);
    http_reply_free(&reply);
}

/* XProf takes "true" in any case, and nothing else, for yes. */
static void flags(void **state)
{
    (void)state;
    static const char *const pair[][2] = {
        {"true", "TRUE"}, {"true", "True"}, {"false", "1"}, {"false", "yes"}, {"false", ""}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        char url[2][200];
        struct http_reply reply[2];
        for (int k = 0; k < 2; k++) {
            snprintf(url[k], sizeof url[k], NEW "&search_prefix=T&search_metadata=%s", pair[i][k]);
            reply[k] = ask(url[k], 200);
        }
        assert_string_equal(reply[0].body, reply[1].body);
        assert_true((strstr(reply[0].body, "\"uid\"") == NULL) == (pair[i][0][0] == 't'));
        http_reply_free(&reply[0]);
        http_reply_free(&reply[1]);
    }
}

static void refused_hosts(void **state)
{
    (void)state;
    static const char *const url[] = {"/data?run=run0&hosts=host0,&tag=trace_viewer@",
                                      "/data?run=run0&hosts=,&tag=trace_viewer@",
                                      "/data?run=run0&hosts=ALL_HOSTS&tag=trace_viewer@",
                                      "/data?run=run0&host=HOST0&tag=trace_viewer@"};
    for (size_t i = 0; i < sizeof url / sizeof *url; i++) {
        struct http_reply reply = ask(url[i], 404);
        assert_non_null(strstr(reply.body, "No xplane file found for host: "));
        http_reply_free(&reply);
    }
    static const char *const path[] = {"/runs?",
                                       "/run_tools?run=run0&",
                                       "/hosts?run=run0&",
                                       "/module_list?run=run0&",
                                       "/data?run=run0&tag=trace_viewer@&",
                                       "/data_csv?run=run0&tag=memory_viewer&"};
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s%s=/etc", path[i], i % 2 ? "run_path" : "session_path");
        struct http_reply reply = ask(text, 400);
        assert_non_null(strstr(reply.body, "= is not offered: a request opens no other folder"));
        http_reply_free(&reply);
    }
}

static void all_hosts(void **state)
{
    (void)state;
    struct http_reply one = ask(NEW "&resolution=0", 200);
    struct http_reply all =
        ask("/data?run=run0&host=ALL_HOSTS&tag=trace_viewer@&resolution=0", 200);
    struct http_reply list = ask("/data?run=run0&hosts=host0&tag=trace_viewer@&resolution=0", 200);
    struct http_reply twice =
        ask("/data?run=run0&hosts=host0,host0&tag=trace_viewer@&resolution=0", 200);
    assert_string_equal(one.body, all.body);
    assert_string_equal(one.body, list.body);
    assert_int_equal(number_after(twice.body, "\"returnedEventsSize\":"),
                     2 * number_after(one.body, "\"returnedEventsSize\":"));
    assert_null(strstr(one.body, "\"pid\":2701"));
    assert_non_null(strstr(twice.body, "\"pid\":2701")); /* as XProf */
    http_reply_free(&twice);
    http_reply_free(&one);
    http_reply_free(&all);
    http_reply_free(&list);
}

/* ---- vectors of the reference, written out ---- */

enum { S_FLOW = 1, S_ARG, S_BIG, S_RUN, S_ASYNC, S_LONG };
static const char *const vector_name[] = {
    "", "x", "a<b&c>", "abc", "abcd", "abce", "a", "def", "c", "DoEnqueueProgram", "span"};

static void named(struct pbw *w, uint32_t field, uint64_t id, const char *name)
{
    size_t entry = pbw_begin(w, field);
    pbw_uint(w, 1, id);
    size_t body = pbw_begin(w, 2);
    pbw_uint(w, 1, id);
    pbw_str(w, 2, name);
    pbw_end(w, body);
    pbw_end(w, entry);
}

static void put_event(struct pbw *w, uint64_t name, uint64_t start, uint64_t duration,
                      uint64_t stat, uint64_t value)
{
    size_t event = pbw_begin(w, 4);
    pbw_uint(w, 1, name);
    pbw_uint(w, 2, start);
    pbw_uint(w, 3, duration);
    if (stat) {
        size_t at = pbw_begin(w, 4);
        pbw_uint(w, 1, stat);
        pbw_uint(w, stat == S_FLOW ? 3 : 4, value);
        pbw_end(w, at);
    }
    pbw_end(w, event);
}

/* An asynchronous span; `ends` as XFlow has them: 1 in, 2 out, 3 both. */
static void put_span(struct pbw *w, uint64_t start, uint64_t duration, uint64_t flow, uint64_t ends)
{
    const uint64_t stat[][2] = {{S_FLOW, flow << 2 | ends}, {S_ASYNC, 1}, {S_ARG, flow}};
    size_t event = pbw_begin(w, 4);
    pbw_uint(w, 1, 10);
    pbw_uint(w, 2, start);
    pbw_uint(w, 3, duration);
    for (size_t i = 0; i < 3; i++) {
        size_t at = pbw_begin(w, 4);
        pbw_uint(w, 1, stat[i][0]);
        pbw_uint(w, 4, stat[i][1]);
        pbw_end(w, at);
    }
    pbw_end(w, event);
}

static void begin_line(struct pbw *w, uint64_t id, const char *name, uint64_t timestamp_ns,
                       size_t *line)
{
    *line = pbw_begin(w, 3);
    pbw_uint(w, 1, id);
    pbw_str(w, 2, name);
    pbw_uint(w, 3, timestamp_ns);
}

static char *vector_file(void)
{
    struct pbw w = {0};
    size_t plane = pbw_begin(&w, 1), line;
    pbw_str(&w, 2, "/host:CPU");
    begin_line(&w, 2, "t", 0, &line);
    put_event(&w, 1, 1000000, 500000, S_FLOW, 123 << 2 | 2); /* V22: a flow that starts here */
    put_event(&w, 2, 2000000, 100000, S_BIG, UINT64_C(9007199254740993)); /* V24 */
    static const int prefixes[] = {3, 4, 4, 5, 6, 7};                     /* V27 */
    for (int i = 0; i < 6; i++)
        put_event(&w, (uint64_t)prefixes[i], 3000000 + 1000 * (uint64_t)i, 100, 0, 0);
    put_event(&w, 7, 4000000, 0, 0, 0); /* V22: no length */
    put_event(&w, 9, 5000000, 100, S_RUN, (UINT64_C(1) << 27) + 5);
    put_event(&w, 7, 6000000, 100, S_LONG, 8);
    put_span(&w, 7000000, 100, 77, 1);
    put_span(&w, 8000000, 100, 78, 3);
    pbw_end(&w, line);
    begin_line(&w, 3, "later", 212990, &line); /* V3 */
    put_event(&w, 7, 5000, 1000, 0, 0);
    pbw_end(&w, line);
    begin_line(&w, 4, "_counters_", 0, &line); /* V23 */
    put_event(&w, 8, 1000000, 0, S_ARG, 100);
    put_event(&w, 8, 2000000, 0, S_ARG, 120);
    pbw_end(&w, line);
    for (uint64_t i = 1; i <= 10; i++)
        named(&w, 4, i, vector_name[i]);
    named(&w, 5, S_FLOW, "flow");
    named(&w, 5, S_ARG, "arg1");
    named(&w, 5, S_BIG, "big");
    named(&w, 5, S_RUN, "run_id");
    named(&w, 5, S_ASYNC, "_a");
    char name[301];
    memset(name, 'n', 300);
    name[300] = 0;
    named(&w, 5, S_LONG, name);
    pbw_end(&w, plane);
    char *path = temp_file(w.data, w.len, ".xplane.pb");
    pbw_free(&w);
    return path;
}

static void holds(uint16_t port, const char *run, const char *query, const char *const *text)
{
    char target[512];
    snprintf(target, sizeof target, "/data?run=%s&tag=trace_viewer@&%s", run, query);
    struct http_reply reply = http_get_loaded(port, target);
    assert_int_equal(reply.status, 200);
    for (; *text; text++)
        if (!strstr(reply.body, *text))
            fail_msg("%s: no %s in %s", query, *text, reply.body);
    http_reply_free(&reply);
}

/* V3, V22, V23, V24, V27; V4 and V11 to V13 are about XProf's storage, which there is none of. */
static void vectors(void **state)
{
    (void)state;
    char *path = vector_file(), run[128];
    struct server_process server;
    server_serve(&server, path, NULL, NULL);
    struct http_reply runs = http_get(server.port, "/api/v1/runs");
    const char *id = strstr(runs.body, "\"id\":[\"");
    assert_non_null(id);
    snprintf(run, sizeof run, "%.*s", (int)strcspn(id + 7, "\""), id + 7);
    http_reply_free(&runs);
    holds(server.port, run, "resolution=0",
          (const char *const[]){
              "\"tid\":2,\"name\":\"x\",\"ts\":1,\"dur\":0.5,\"bind_id\":", /* V22 */
              "\"flow_out\":true,\"ph\":\"X\"", "\"ts\":4,\"dur\":0.000001,",
              "\"tid\":3,\"name\":\"def\",\"ts\":212.995,\"dur\":0.001,", /* V3 */
              "\"name\":\"c\",\"ph\":\"C\",\"event_stats\":\"arg1\",\"entries\":[[1,100],[2,120]]",
              "\"name\":\"a\\u003cb\\u0026c\\u003e\"", NULL}); /* V23, V24 */
    holds(server.port, run, "event_name=a%3Cb%26c%3E&start_time_ms=0.002&duration_ms=0.0001",
          (const char *const[]){"\"big\":\"9007199254740993\"", NULL}); /* V24 */
    holds(server.port, run, "search_prefix=abc",
          (const char *const[]){"\"returnedEventsSize\":                   4,", NULL}); /* V27 */
    holds(server.port, run, "search_prefix=Abc",
          (const char *const[]){"\"returnedEventsSize\":                   0,", NULL});
    /* the host's number of a run has the bits that the device's has (3.2) */
    holds(server.port, run, "event_name=DoEnqueueProgram&start_time_ms=0.005&duration_ms=1e-7",
          (const char *const[]){"\"run_id\":5}", NULL});
    /* names of arguments are not cut */
    holds(server.port, run, "event_name=def&start_time_ms=0.006&duration_ms=1e-7",
          (const char *const[]){"nnnnnnnnnn\":8}", NULL});
    /* 3.8: an end stands where its event begins; the end that is added has no arguments */
    holds(
        server.port, run, "search_prefix=span&search_metadata=true",
        (const char *const[]){"\"ts\":7,\"id\":77,\"cat\":\"\",\"ph\":\"e\",\"args\":{\"arg1\":77}",
                              "\"ts\":8,\"id\":78,\"cat\":\"\",\"ph\":\"b\",\"args\":{\"arg1\":78}",
                              "\"ts\":8.0001,\"id\":78,\"cat\":\"\",\"ph\":\"e\"}", NULL});
    server_stop(&server);
    temp_remove(path);
}

/* Who takes gzip gets the same, packed on its way; who asks again gets what was sent then. */
static void same_packed(uint16_t port, const char *target, const struct http_reply *plain)
{
    struct http_reply packed = http_ask(port, "GET", target, "Accept-Encoding: gzip\r\n");
    struct xpd_source *body = NULL;
    assert_int_equal(packed.status, 200);
    assert_true(packed.whole);
    assert_string_equal(http_header(&packed, "Content-Encoding"), "gzip");
    assert_string_equal(http_header(&packed, "Vary"), "Accept-Encoding");
    assert_true(packed.size < plain->size / 4);
    assert_int_equal(
        xpd_source_open_packed(&body, packed.body, packed.size, "answer", 2 * plain->size, NULL),
        XPD_OK);
    assert_int_equal(xpd_source_size(body), plain->size);
    assert_memory_equal(xpd_source_memory(body), plain->body, plain->size);
    xpd_source_close(body);
    assert_string_equal(http_header(&packed, "Transfer-Encoding"), "chunked");
    struct http_reply again = http_ask(port, "GET", target, "Accept-Encoding: gzip\r\n");
    assert_int_equal(again.status, 200);
    assert_string_equal(http_header(&again, "Transfer-Encoding"), ""); /* it is there already */
    assert_string_equal(http_header(&again, "Content-Encoding"), "gzip");
    assert_string_equal(http_header(&again, "Content-Type"), "application/json");
    assert_string_equal(http_header(&again, "Vary"), "Accept-Encoding");
    assert_string_equal(http_header(&again, "Cache-Control"), "no-store");
    assert_int_equal(again.size, packed.size);
    assert_memory_equal(again.body, packed.body, packed.size);
    http_reply_free(&again);
    again = http_get(port, target); /* not for who takes no gzip */
    assert_int_equal(again.status, 200);
    assert_true(again.whole);
    assert_int_equal(again.size, plain->size);
    assert_memory_equal(again.body, plain->body, plain->size);
    http_reply_free(&again);
    http_reply_free(&packed);
}

/* From this many events on an answer is sent while it is made: the same bytes, as far as a window
 * that is answered in one piece shows them. */
static void large_answer(void **state)
{
    (void)state;
    char *path = temp_file("", 0, ".xplane.pb"), target[256], run[128];
    struct server_process server;
    assert_true(xsg_write(path, XSG_TPU, 40000)); /* and what is derived of them */
    server_serve(&server, path, NULL, NULL);
    struct http_reply runs = http_get(server.port, "/api/v1/runs");
    const char *id = strstr(runs.body, "\"id\":[\"");
    assert_non_null(id);
    snprintf(run, sizeof run, "%.*s", (int)strcspn(id + 7, "\""), id + 7);
    http_reply_free(&runs);
    snprintf(target, sizeof target, "/data?run=%s&tag=trace_viewer@&resolution=0", run);
    struct http_reply all = http_get_loaded(server.port, target);
    assert_int_equal(all.status, 200);
    assert_true(all.whole);
    assert_string_equal(http_header(&all, "Transfer-Encoding"), "chunked");
    long events = number_after(all.body, "\"returnedEventsSize\":");
    assert_true(events > 60000 && events < 200000);
    assert_int_equal(occurrences(&all, "\"ph\":\"X\"") + occurrences(&all, "\"ph\":\"b\""), events);
    const char *tail = ", \"showCounterMessage\": \"\" ,\"totalCounterEvents\":0}";
    assert_string_equal(all.body + all.size - strlen(tail), tail);
    assert_string_equal(http_header(&all, "Content-Encoding"), "");
    same_packed(server.port, target, &all);
    snprintf(target, sizeof target,
             "/data?run=%s&tag=trace_viewer@&resolution=0&start_time_ms=0&end_time_ms=1", run);
    struct http_reply part = http_get_loaded(server.port, target);
    assert_int_equal(part.status, 200);
    long some = number_after(part.body, "\"returnedEventsSize\":");
    assert_true(some > 100 && some < 60000);
    const char *from = strstr(part.body, ",\"filteredByVisibility\"");
    size_t same = part.size - strlen("]") - strlen(tail) - (size_t)(from - part.body);
    const char *there = strstr(all.body, ",\"filteredByVisibility\"");
    assert_non_null(there);
    assert_memory_equal(there, from, same);
    http_reply_free(&part);
    http_reply_free(&all);
    server_stop(&server);
    temp_remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists),
                                       cmocka_unit_test(whole_trace),
                                       cmocka_unit_test(search_then_event),
                                       cmocka_unit_test(windows),
                                       cmocka_unit_test(refusals),
                                       cmocka_unit_test(all_hosts),
                                       cmocka_unit_test(flags),
                                       cmocka_unit_test(refused_hosts),
                                       cmocka_unit_test(vectors),
                                       cmocka_unit_test(large_answer)};
    return cmocka_run_group_tests(tests, start_cpu, stop_cpu);
}
