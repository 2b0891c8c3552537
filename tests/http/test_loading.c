/* While a large run is read: 202 with progress for every client, one load for all, other routes
 * answer meanwhile, and the program ends at once. */
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "large.h"

static char root[64];

static int setup(void **state)
{
    (void)state;
    make_large_run(root, "host0.xplane.pb.gz");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return remove_large_run(root);
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void test_progress(void **state)
{
    (void)state;
    struct server_process process;
    server_serve(&process, root, NULL, NULL);
    double start = now_ms();
    struct http_reply reply = http_get(process.port, "/api/v1/run?run=large");
    double waited = now_ms() - start;
    assert_int_equal(reply.status, 202);
    assert_string_equal(http_header(&reply, "Cache-Control"), "no-store");
    assert_string_equal(http_header(&reply, "ETag"), "");
    static const char *const members[] = {"{\"state\":\"loading\"", "\"what\":\"",
                                          "\"done_bytes\":", "\"total_bytes\":", "\"percent\":"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        assert_non_null(strstr(reply.body, members[i]));
    assert_null(strstr(reply.body, root)); /* no path of the machine */
    http_reply_free(&reply);
    print_message("202 after %.0f ms\n", waited);
    assert_true(waited < 5000);

    reply = http_get(process.port, "/api/v1/runs"); /* others are not held up */
    assert_int_equal(reply.status, 200);
    http_reply_free(&reply);
    reply = http_get(process.port, "/hosts?run=large&tag=memory_viewer");
    assert_true(reply.status == 200 || reply.status == 202);
    http_reply_free(&reply);

    reply = http_get_loaded(process.port, "/api/v1/run?run=large");
    if (reply.status != 200)
        print_error("%d %s\n", reply.status, reply.body);
    assert_int_equal(reply.status, 200);
    http_reply_free(&reply);
    reply = http_get(process.port, "/api/v1/status");
    assert_non_null(strstr(reply.body, "\"loads\":1,"));
    http_reply_free(&reply);
    server_stop(&process);
}

#define DATA "/data/plugin/profile"

/* Scripts written against XProf know no 202: each of its routes waits, and is answered once. */
static void test_compatible_routes_wait(void **state)
{
    (void)state;
    static const char *const routes[] = {
        DATA "/data?run=large&host=host0&tag=trace_viewer@&resolution=0",
        DATA "/data?run=large&host=host0&tag=memory_viewer",
        DATA "/module_list?run=large&host=host0", DATA "/run_tools?run=large"};
    static const int status[] = {200, 404, 200, 200};
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        struct server_process process; /* each finds the run not read yet */
        server_serve(&process, root, NULL, NULL);
        struct http_reply reply = http_get(process.port, routes[i]);
        if (reply.status != status[i])
            fail_msg("%s: %d %s", routes[i], reply.status, reply.body);
        http_reply_free(&reply);
        server_stop(&process);
    }
}

/* A client that waits or has left delays no other: others are answered, the program ends
 * at once. */
static void test_waiting_ends_with_the_connection(void **state)
{
    (void)state;
    static const char ask[] =
        "GET " DATA
        "/data?run=large&host=host0&tag=trace_viewer@ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    struct server_process process;
    server_serve(&process, root, NULL, NULL);
    int left = http_connect("127.0.0.1", process.port),
        stays = http_connect("127.0.0.1", process.port);
    assert_int_equal(write(left, ask, sizeof ask - 1), sizeof ask - 1);
    assert_int_equal(write(stays, ask, sizeof ask - 1), sizeof ask - 1);
    close(left);
    struct http_reply reply = http_get(process.port, "/api/v1/runs");
    assert_int_equal(reply.status, 200);
    http_reply_free(&reply);
    double start = now_ms();
    server_stop(&process);
    assert_true(now_ms() - start < 5000);
    close(stays);
}

static double number_after(const char *body, const char *key)
{
    const char *at = strstr(body, key);
    return at ? strtod(at + strlen(key), NULL) : -1;
}

/* The bytes told are those of the compressed file: they grow while it is inflated. */
static void test_inflating_is_told(void **state)
{
    (void)state;
    struct server_process process;
    struct stat st;
    char path[256];
    double last = -1;
    int between = 0, status;
    snprintf(path, sizeof path, "%s/large/host0.xplane.pb.gz", root);
    assert_int_equal(stat(path, &st), 0);
    server_serve(&process, root, NULL, NULL);
    do {
        struct http_reply reply = http_get(process.port, "/api/v1/run?run=large");
        status = reply.status;
        if (status == 202) {
            double done = number_after(reply.body, "\"done_bytes\":");
            assert_true(number_after(reply.body, "\"total_bytes\":") == (double)st.st_size);
            assert_true(done >= last);
            between += done > 0 && done < (double)st.st_size;
            last = done;
        }
        http_reply_free(&reply);
    } while (status == 202);
    assert_int_equal(status, 200);
    assert_true(between > 0);
    server_stop(&process);
}

static double held_now(const struct server_process *process)
{
    struct http_reply reply = http_get(process->port, "/api/v1/loading?run=large");
    assert_int_equal(reply.status, 200);
    double held = number_after(reply.body, "\"memory_bytes\":");
    http_reply_free(&reply);
    return held;
}

/* Memory in use counts the buffer a file is inflated into, while it grows; nothing stays counted.
 */
static void test_inflated_bytes_are_counted(void **state)
{
    (void)state;
    struct server_process process;
    double most = 0;
    int grown = 0, status;
    server_serve(&process, root, NULL, NULL);
    do {
        struct http_reply reply = http_get(process.port, "/api/v1/run?run=large");
        status = reply.status;
        http_reply_free(&reply);
        double held = status == 202 ? held_now(&process) : 0;
        grown += held > most;
        most = held > most ? held : most;
    } while (status == 202);
    print_message("%.0f MB held at most, %d steps\n", most / 1e6, grown);
    assert_int_equal(status, 200);
    assert_true(grown > 0 && most <= (double)(PADDING_MIB + 2) * (1 << 20));
    assert_true(held_now(&process) < 1 << 20);
    server_stop(&process);
}

static void test_end_while_loading(void **state)
{
    (void)state;
    struct server_process process;
    double ms;
    /* The loader is not waited for, on purpose; ThreadSanitizer would call that a leak. */
    setenv("TSAN_OPTIONS", "halt_on_error=1:report_thread_leaks=0:atexit_sleep_ms=0", 1);
    server_serve(&process, root, NULL, NULL);
    struct http_reply reply = http_get(process.port, "/api/v1/run?run=large");
    assert_int_equal(reply.status, 202);
    http_reply_free(&reply);
    int code = server_end(&process, SIGTERM, &ms);
    if (code != 0)
        print_error("%s\n", process.err_text);
    assert_int_equal(code, 0);
    free(process.err_text);
    print_message("ended after %.0f ms\n", ms);
    assert_true(ms < 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_compatible_routes_wait),
        cmocka_unit_test(test_waiting_ends_with_the_connection),
        cmocka_unit_test(test_inflating_is_told),
        cmocka_unit_test(test_inflated_bytes_are_counted),
        cmocka_unit_test(test_end_while_loading),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
