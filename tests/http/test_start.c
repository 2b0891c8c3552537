/* Starting and ending: the ready line, addresses, exit codes, signals. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common.h"
#include "xprofd/cli/exit_codes.h"

/* Runs the program to its end. The text it printed on stderr in *err (free it). */
static int run(const char *const *arguments, char **err)
{
    struct server_process process;
    server_start(&process, arguments);
    assert_int_equal(process.port, 0);
    int code = server_end(&process, 0, NULL);
    *err = process.err_text;
    return code;
}

static void expect_end(const char *const *arguments, int code, const char *words)
{
    char *err;
    assert_int_equal(run(arguments, &err), code);
    if (words && !strstr(err, words)) {
        print_error("expected \"%s\" in: %s\n", words, err);
        fail();
    }
    free(err);
}

static void test_ready_line(void **state)
{
    (void)state;
    struct server_process process;
    char expected[512];
    const char *path = source_path(SMALL_LOGDIR);
    server_serve(&process, path, NULL, NULL);
    snprintf(expected, sizeof expected, "xprofd: serving %s at http://127.0.0.1:%u/", path,
             process.port);
    assert_string_equal(process.ready, expected);
    struct http_reply reply = http_get(process.port, "/api/v1/status");
    assert_int_equal(reply.status, 200);
    http_reply_free(&reply);
    server_stop(&process);
}

/* Source lines are links where the option says how; a path in them is escaped. */
static void test_source_url(void **state)
{
    (void)state;
    struct server_process process;
    server_serve(&process, source_path(SMALL_LOGDIR),
                 "--source-url=https://host.example/x/{path}?a=1#L{line}", NULL);
    struct http_reply reply =
        http_get_loaded(process.port, "/api/v1/memory/buffer?run=" SMALL_RUN "&buffer=5");
    assert_int_equal(reply.status, 200);
    assert_non_null(strstr(reply.body, "\"url\":\"https://host.example/x/tpu_aot.py?a=1#L178\""));
    http_reply_free(&reply);
    server_stop(&process);
    server_serve(&process, source_path(SMALL_LOGDIR), NULL, NULL);
    reply = http_get_loaded(process.port, "/api/v1/memory/buffer?run=" SMALL_RUN "&buffer=5");
    assert_non_null(strstr(reply.body, "\"url\":null"));
    http_reply_free(&reply);
    server_stop(&process);
}

static void test_serve_command_and_logdir(void **state)
{
    (void)state;
    struct server_process process;
    const char *arguments[] = {"serve", "--logdir", source_path(SMALL_LOGDIR), "--port", "0", NULL};
    assert_true(server_start(&process, arguments));
    server_stop(&process);
}

static void test_ipv6(void **state)
{
    (void)state;
    struct server_process process;
    const char *arguments[] = {source_path(SMALL_LOGDIR), "--port=0", "--bind=::1", NULL};
    if (!server_start(&process, arguments)) {
        server_end(&process, 0, NULL);
        print_message("no IPv6 here: %s", process.err_text);
        free(process.err_text);
        skip();
    }
    assert_non_null(strstr(process.ready, "http://[::1]:"));
    char request[128];
    int size = snprintf(
        request, sizeof request,
        "GET /api/v1/status HTTP/1.1\r\nHost: [::1]:%u\r\nConnection: close\r\n\r\n", process.port);
    struct http_reply reply = http_raw("::1", process.port, request, (size_t)size);
    assert_int_equal(reply.status, 200);
    http_reply_free(&reply);
    server_stop(&process);
}

static void ask_v6(uint16_t port, int status)
{
    char request[128];
    int size =
        snprintf(request, sizeof request,
                 "GET /version HTTP/1.1\r\nHost: localhost:%u\r\nConnection: close\r\n\r\n", port);
    struct http_reply reply = http_raw("::1", port, request, (size_t)size);
    assert_int_equal(reply.status, status);
    http_reply_free(&reply);
}

/* A listening socket of another program on ::1, on a port of its own; -1 without IPv6. */
static int hold_v6(uint16_t *port)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 1) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        close(fd);
        return -1;
    }
    *port = ntohs(address.sin6_port);
    return fd;
}

/* "localhost" may be either address: both answer, on one port. Only the one asked for with --bind.
 */
static void test_both_loopbacks(void **state)
{
    (void)state;
    uint16_t taken;
    int fd = hold_v6(&taken);
    if (fd < 0) {
        print_message("no IPv6 here\n");
        skip();
    }
    struct server_process process;
    server_serve(&process, source_path(SMALL_LOGDIR), NULL, NULL);
    ask_v6(process.port, 200);
    struct http_reply reply = http_get(process.port, "/version");
    assert_int_equal(reply.status, 200);
    http_reply_free(&reply);
    server_stop(&process);

    server_serve(&process, source_path(SMALL_LOGDIR), "--bind=127.0.0.1", NULL);
    ask_v6(process.port, 0);
    server_stop(&process);

    char port[32];
    snprintf(port, sizeof port, "--port=%u", taken);
    const char *arguments[] = {source_path(SMALL_LOGDIR), port, NULL};
    assert_true(server_start(&process, arguments));
    assert_int_equal(process.port, taken);
    assert_int_equal(server_end(&process, SIGTERM, NULL), 0);
    assert_non_null(strstr(process.err_text, "another program uses port"));
    free(process.err_text);
    close(fd);
}

static void test_open_address_warns(void **state)
{
    (void)state;
    struct server_process process;
    server_serve(&process, source_path(SMALL_LOGDIR), "--bind=0.0.0.0", NULL);
    char request[] =
        "GET /api/v1/status HTTP/1.1\r\nHost: some.machine.example\r\nConnection: close\r\n\r\n";
    struct http_reply reply = http_raw("127.0.0.1", process.port, request, sizeof request - 1);
    assert_int_equal(reply.status, 200);
    http_reply_free(&reply);
    assert_int_equal(server_end(&process, SIGTERM, NULL), 0);
    assert_non_null(strstr(process.err_text, "every machine that can reach this one"));
    free(process.err_text);
}

static void test_port_in_use(void **state)
{
    (void)state;
    struct server_process process;
    server_serve(&process, source_path(SMALL_LOGDIR), NULL, NULL);
    char port[32];
    snprintf(port, sizeof port, "--port=%u", process.port);
    const char *arguments[] = {source_path(SMALL_LOGDIR), port, NULL};
    expect_end(arguments, XPD_EXIT_PORT, "--port=0 for any free one");
    server_stop(&process);
}

static void test_wrong_usage(void **state)
{
    (void)state;
    expect_end((const char *[]){"--port=70000", NULL}, XPD_EXIT_USAGE, "--port is a number");
    expect_end((const char *[]){"--port=12x", NULL}, XPD_EXIT_USAGE, "--port is a number");
    expect_end((const char *[]){"--port", NULL}, XPD_EXIT_USAGE, "needs a value");
    expect_end((const char *[]){"--nonsense", NULL}, XPD_EXIT_USAGE, "--nonsense");
    expect_end((const char *[]){"a", "b", NULL}, XPD_EXIT_USAGE, "only one path");
    expect_end((const char *[]){"--memory-limit=12Q", NULL}, XPD_EXIT_USAGE, "--memory-limit");
    expect_end((const char *[]){"--hbm=-1", NULL}, XPD_EXIT_USAGE, "--hbm");
    expect_end((const char *[]){"--scan-depth=0", NULL}, XPD_EXIT_USAGE, "--scan-depth");
    expect_end((const char *[]){"/tmp", "--port=0", "--bind=256.1.1.1", NULL}, XPD_EXIT_PORT,
               "256.1.1.1");
    expect_end((const char *[]){"/tmp", "--port=0", "--bind=198.51.100.7", NULL}, XPD_EXIT_PORT,
               "198.51.100.7");
    expect_end((const char *[]){"/tmp", "--port=0", "--web-dir=/nonexistent", NULL}, XPD_EXIT_INPUT,
               "--web-dir");
    expect_end((const char *[]){"/tmp", "--port=0", "--web-dir=/proc/self/fdinfo", NULL},
               XPD_EXIT_INPUT, "index.html");
}

static void test_missing_path(void **state)
{
    (void)state;
    expect_end((const char *[]){"/nonexistent/logs", "--port=0", NULL}, XPD_EXIT_INPUT,
               "does not exist");
}

static void test_help_and_version(void **state)
{
    (void)state;
    expect_end((const char *[]){"--help", NULL}, XPD_EXIT_OK, NULL);
    expect_end((const char *[]){"serve", "-h", NULL}, XPD_EXIT_OK, NULL);
    expect_end((const char *[]){"--version", NULL}, XPD_EXIT_OK, NULL);
}

static void check_signal(int number)
{
    struct server_process process;
    double ms;
    server_serve(&process, source_path(SMALL_LOGDIR), NULL, NULL);
    int idle = http_connect("127.0.0.1",
                            process.port); /* a client that says nothing must not hold up the end */
    int half = http_connect("127.0.0.1", process.port);
    assert_true(idle >= 0 && half >= 0);
    assert_true(write(half, "GET /api/v1/st", 14) == 14);
    struct http_reply reply = http_get(process.port, "/api/v1/runs");
    assert_int_equal(reply.status, 200);
    http_reply_free(&reply);
    assert_int_equal(server_end(&process, number, &ms), 0);
    print_message("signal %d: %.0f ms\n", number, ms);
    assert_true(ms < 1000);
    free(process.err_text);
    close(idle);
    close(half);
}

static void test_signals(void **state)
{
    (void)state;
    check_signal(SIGTERM);
    check_signal(SIGINT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ready_line),
        cmocka_unit_test(test_source_url),
        cmocka_unit_test(test_serve_command_and_logdir),
        cmocka_unit_test(test_ipv6),
        cmocka_unit_test(test_both_loopbacks),
        cmocka_unit_test(test_open_address_warns),
        cmocka_unit_test(test_port_in_use),
        cmocka_unit_test(test_wrong_usage),
        cmocka_unit_test(test_missing_path),
        cmocka_unit_test(test_help_and_version),
        cmocka_unit_test(test_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
