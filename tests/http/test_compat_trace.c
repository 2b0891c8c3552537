/* XProf's trace routes on a captured CPU profile: windows, single events, searches, hosts,
 * refusals. That the events are XProf's is what tests/golden compares; here it is that the parts of
 * one answer agree. */
#include "common.h"

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

static size_t occurrences(const char *text, const char *of)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, of)); at += strlen(of))
        count++;
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
    assert_non_null(strstr(reply.body, "\"trace_viewer\""));
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
    assert_int_equal(occurrences(reply.body, "\"ph\":\"X\""), events);
    assert_non_null(strstr(reply.body, "\"name\":\"host0 /host:CPU\""));
    assert_non_null(strstr(reply.body, "\"dur\":0.000001,"));
    assert_null(strstr(reply.body, "full_dma")); /* no TPU */
    http_reply_free(&reply);
    reply = ask(DATA "&tag=trace_viewer", 200);
    assert_int_equal(occurrences(reply.body, "\"ph\": \"X\"") +
                         occurrences(reply.body, "\"ph\": \"i\""),
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
        NEW "&start_time_ms=5&end_time_ms=1",   NEW "&start_time_ms=nan&end_time_ms=x",
        NEW "&resolution=-3&start_time_ms=0",   NEW "&resolution=1e-300&end_time_ms=1"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct http_reply reply = ask(odd[i], 200);
        assert_int_equal(number_after(reply.body, "\"returnedEventsSize\":"),
                         occurrences(reply.body, "\"ph\":\"X\""));
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
    reply = ask(NEW "&event_name=a", 400);
    assert_non_null(strstr(reply.body, "start_time_ms"));
    http_reply_free(&reply);
}

static void all_hosts(void **state)
{
    (void)state;
    struct http_reply one = ask(NEW "&resolution=0", 200);
    struct http_reply all =
        ask("/data?run=run0&host=ALL_HOSTS&tag=trace_viewer@&resolution=0", 200);
    struct http_reply list =
        ask("/data?run=run0&hosts=host0,host0&tag=trace_viewer@&resolution=0", 200);
    assert_string_equal(one.body, all.body);
    assert_string_equal(one.body, list.body);
    http_reply_free(&one);
    http_reply_free(&all);
    http_reply_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists),
                                       cmocka_unit_test(whole_trace),
                                       cmocka_unit_test(search_then_event),
                                       cmocka_unit_test(windows),
                                       cmocka_unit_test(refusals),
                                       cmocka_unit_test(all_hosts)};
    return cmocka_run_group_tests(tests, start_cpu, stop_cpu);
}
