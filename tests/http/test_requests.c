/* Requests, honest and hostile: methods, Host, headers of every answer, broken URLs, sizes. */
#include <sys/socket.h>
#include <unistd.h>

#include "common.h"

static uint16_t port(void)
{
    return shared_server.port;
}

static void expect_headers(const struct http_reply *reply)
{
    const char *csp = http_header(reply, "Content-Security-Policy");
    assert_non_null(strstr(csp, "default-src 'none'"));
    assert_non_null(strstr(csp, "script-src 'self';"));
    assert_non_null(strstr(csp, "style-src 'self';"));
    assert_non_null(strstr(csp, "frame-ancestors 'none'"));
    assert_null(strstr(csp, "unsafe"));
    assert_null(strstr(csp, "http"));
    assert_string_equal(http_header(reply, "X-Content-Type-Options"), "nosniff");
    assert_string_equal(http_header(reply, "Referrer-Policy"), "no-referrer");
    assert_string_equal(http_header(reply, "Cross-Origin-Opener-Policy"), "same-origin");
    assert_string_equal(http_header(reply, "Cross-Origin-Resource-Policy"), "same-origin");
    assert_string_equal(http_header(reply, "Access-Control-Allow-Origin"), "");
    assert_string_not_equal(http_header(reply, "Cache-Control"), "");
}

/* An error is JSON with a code and a sentence, and has the headers too. */
static void expect_error(struct http_reply reply, int status, const char *code)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "{\"error\":{\"code\":\"%s\",\"message\":\"", code);
    assert_int_equal(reply.status, status);
    assert_true(reply.whole);
    assert_string_equal(http_header(&reply, "Content-Type"), "application/json");
    assert_string_equal(http_header(&reply, "Cache-Control"), "no-store");
    if (strncmp(reply.body, wanted, strlen(wanted)) != 0) {
        print_error("expected %s...: %s\n", wanted, reply.body);
        fail();
    }
    expect_headers(&reply);
    http_reply_free(&reply);
}

static void expect_status(struct http_reply reply, int status)
{
    assert_int_equal(reply.status, status);
    expect_headers(&reply);
    http_reply_free(&reply);
}

static void test_headers(void **state)
{
    (void)state;
    expect_status(http_get(port(), "/"), 200);
    expect_status(http_get(port(), "/api/v1/status"), 200);
    expect_status(http_get(port(), "/version"), 200);
    expect_status(http_get(port(), "/data/plugin/profile/version"), 200);
    expect_status(http_get(port(), "/data/plugin/profile/version/"), 200);
    expect_status(http_get(port(), "/api/v1/status/"), 200);
    expect_status(http_get(port(), "/a/b"), 302);
}

static void test_head(void **state)
{
    (void)state;
    struct http_reply head = http_ask(port(), "HEAD", "/", NULL);
    struct http_reply get = http_get(port(), "/");
    char length[32];
    snprintf(length, sizeof length, "%zu", get.size);
    assert_int_equal(head.status, 200);
    assert_int_equal(head.size, 0);
    assert_string_equal(http_header(&head, "Content-Length"), length);
    expect_headers(&head);
    http_reply_free(&head);
    http_reply_free(&get);
    head = http_ask(port(), "HEAD", "/api/v1/nothing", NULL);
    assert_int_equal(head.status, 404);
    assert_int_equal(head.size, 0);
    http_reply_free(&head);
}

static void test_methods(void **state)
{
    (void)state;
    static const char *const methods[] = {"POST",  "PUT",   "DELETE",   "OPTIONS",
                                          "PATCH", "TRACE", "PROPFIND", "get"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct http_reply reply = http_ask(port(), methods[i], "/api/v1/status", NULL);
        assert_string_equal(http_header(&reply, "Allow"), "GET, HEAD");
        expect_error(reply, 405, "invalid_argument");
    }
    expect_error(http_ask(port(), "POST", "/generate_cache", "Content-Length: 5\r\n"), 405,
                 "invalid_argument");
    expect_error(http_ask(port(), "GET", "/", "Content-Length: 5\r\n"), 413, "limit");
    expect_error(http_ask(port(), "GET", "/", "Transfer-Encoding: chunked\r\n"), 413, "limit");
}

static struct http_reply with_host(const char *host)
{
    char request[512];
    int size = snprintf(request, sizeof request,
                        "GET /api/v1/status HTTP/1.1\r\n%s%s%sConnection: close\r\n\r\n",
                        host ? "Host: " : "", host ? host : "", host ? "\r\n" : "");
    return http_raw("127.0.0.1", port(), request, (size_t)size);
}

static void test_host(void **state)
{
    (void)state;
    static const char *const fine[] = {
        "localhost",  "localhost:9000", "LocalHost:6006",   "127.0.0.1",   "127.0.0.1:6006",
        "[::1]:6006", "[::1]",          "app.localhost:80", "127.1.2.3:1", "localhost."};
    static const char *const bad[] = {"evil.example",
                                      "evil.example:6006",
                                      "localhost.evil.example",
                                      "127.0.0.1.evil.example",
                                      "10.0.0.1",
                                      "[2001:db8::1]:80",
                                      "xlocalhost",
                                      "localhost:80x",
                                      "localhost:6006:1",
                                      "[::1",
                                      "user@localhost",
                                      "127.0.0.1, evil.example",
                                      ""};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        expect_status(with_host(fine[i]), 200);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_error(with_host(bad[i]), 421, "invalid_argument");
    expect_error(with_host(NULL), 400, "invalid_argument");
    expect_error(http_ask(port(), "POST", "/", "Host: evil.example\r\n"), 405, "invalid_argument");
}

static void test_allow_host(void **state)
{
    (void)state;
    struct server_process process;
    const char *request =
        "GET /api/v1/status HTTP/1.1\r\nHost: proxy.example\r\nConnection: close\r\n\r\n";
    const char *other = "GET /api/v1/status HTTP/1.1\r\nHost: example\r\nConnection: close\r\n\r\n";
    server_serve(&process, source_path(SMALL_LOGDIR), "--allow-host=a.example,Proxy.example", NULL);
    expect_status(http_raw("127.0.0.1", process.port, request, strlen(request)), 200);
    expect_error(http_raw("127.0.0.1", process.port, other, strlen(other)), 421,
                 "invalid_argument");
    server_stop(&process);
    server_serve(&process, source_path(SMALL_LOGDIR), "--allow-host=*", NULL);
    expect_status(http_raw("127.0.0.1", process.port, other, strlen(other)), 200);
    server_stop(&process);
}

static void test_unknown_paths(void **state)
{
    (void)state;
    expect_error(http_get(port(), "/api"), 404, "not_found");
    expect_error(http_get(port(), "/api/"), 404, "not_found");
    expect_error(http_get(port(), "/api/v2/status"), 404, "not_found");
    expect_error(http_get(port(), "/api/v1/../v1/status"), 404, "not_found");
    expect_error(http_get(port(), "/api/v1/%73tatu"), 404, "not_found");
    expect_error(http_get(port(), "/nothing.js"), 404, "not_found");
    expect_error(http_get(port(), "/favicon.png"), 404, "not_found");
    expect_error(http_get(port(), "/a/b/index.html.map"), 404, "not_found");
    expect_status(http_get(port(), "/%61pi/v1/status"), 200);
}

static void test_traversal(void **state)
{
    (void)state;
    static const char *const targets[] = {"/../../../../etc/passwd",
                                          "/..%2f..%2f..%2fetc/passwd",
                                          "/%2e%2e/%2e%2e/etc/passwd",
                                          "/static/../../etc/passwd",
                                          "//etc/passwd.txt",
                                          "/./index.html",
                                          "/..\\..\\windows\\win.ini",
                                          "/%5c..%5c..%5cetc.passwd",
                                          "/index.html/../../CMakeLists.txt",
                                          "/%c0%ae%c0%ae/etc/passwd.conf",
                                          "/proc/self/environ.txt",
                                          "/data/plugin/profile/../../../etc/passwd"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        expect_error(http_get(port(), targets[i]), 404, "not_found");
    static const char *const runs[] = {"..",
                                       "../",
                                       "..%2f..%2fetc",
                                       "/etc",
                                       "%2fetc%2fpasswd",
                                       "aot%2f..%2faot",
                                       "./aot",
                                       "aot/",
                                       "%2e%2e%2faot",
                                       "file:///etc/passwd"};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char target[128];
        snprintf(target, sizeof target, "/api/v1/run?run=%s", runs[i]);
        expect_error(http_get(port(), target), 404, "not_found");
        snprintf(target, sizeof target, "/data?tag=memory_viewer&run=%s", runs[i]);
        expect_error(http_get(port(), target), 404, "not_found");
    }
}

static void test_broken_escapes(void **state)
{
    (void)state;
    static const char *const targets[] = {"/%",
                                          "/%2",
                                          "/%zz",
                                          "/api/v1/status?a=%",
                                          "/?a=%0",
                                          "/?%gg=1",
                                          "/index%00.html",
                                          "/?a=b%00c",
                                          "/%u0041",
                                          "/api/v1/runs?since=%-1"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        expect_error(http_get(port(), targets[i]), 400, "invalid_argument");
    expect_error(http_get(port(), "*"), 400, "invalid_argument");
    expect_error(http_get(port(), "/a b"), 400, "invalid_argument");
    expect_error(http_get(port(), "/api/v1/status?q=a b"), 400, "invalid_argument");
    expect_error(http_get(port(), "http://evil.example/"), 400, "invalid_argument");
    expect_status(http_get(port(), "/?a=%c3%28&b=%ff%fe&&=&=x&c"),
                  200); /* not UTF-8, but only ignored names */
}

static void fill(char *to, size_t size, const char *start, char c)
{
    memset(to, c, size);
    memcpy(to, start, strlen(start));
    to[size] = '\0';
}

static void test_sizes(void **state)
{
    (void)state;
    char *text = malloc(150003);
    fill(text, 100000, "/api/v1/status?q=", 'a');
    expect_error(http_get(port(), text), 414, "limit");
    fill(text, 33000, "/api/v1/status?q=", 'a');
    expect_error(http_get(port(), text), 414, "limit");
    fill(text, 32000, "/api/v1/status?q=", 'a');
    expect_status(http_get(port(), text), 200);
    fill(text, 1500, "/api/v1/status?q=", '&'); /* empty parts, each with a row in libmicrohttpd */
    expect_status(http_get(port(), text), 200);

    char *at = text + sprintf(text, "/api/v1/status?");
    for (int i = 0; i < 65; i++)
        at += sprintf(at, "p%d=%d&", i, i);
    expect_error(http_get(port(), text), 413, "limit");

    fill(text, 20000, "X-Long: ", 'a');
    memcpy(text + 20000, "\r\n", 3);
    expect_status(http_ask(port(), "GET", "/api/v1/status", text), 200);
    fill(text, 33000, "X-Long: ", 'a');
    memcpy(text + 33000, "\r\n", 3);
    expect_error(http_ask(port(), "GET", "/api/v1/status", text), 431, "limit");
    fill(text, 150000, "X-Long: ", 'a');
    memcpy(text + 150000, "\r\n", 3);
    expect_error(http_ask(port(), "GET", "/api/v1/status", text), 431, "limit");
    free(text);
    expect_status(http_get(port(), "/api/v1/status"), 200);
}

static void test_noise(void **state)
{
    (void)state;
#define NOISE(text)                                                                                \
    {                                                                                              \
        text, sizeof text - 1                                                                      \
    }
    static const struct {
        const char *bytes;
        size_t size;
    } noise[] = {
        NOISE("\0\0\0\0"),
        NOISE("GET\r\n\r\n"),
        NOISE("\r\n\r\n\r\n"),
        NOISE("GET / HTTP/9.9\r\n\r\n"),
        NOISE(
            "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
        NOISE("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
        NOISE("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    };
    // All at once: what never becomes a request is dropped after ten seconds.
    enum { ALL = sizeof noise / sizeof *noise };
    int fds[ALL];
    for (size_t i = 0; i < ALL; i++) {
        fds[i] = http_connect("127.0.0.1", port());
        assert_true(fds[i] >= 0);
        send(fds[i], noise[i].bytes, noise[i].size, MSG_NOSIGNAL);
        shutdown(fds[i], SHUT_WR);
    }
    for (size_t i = 0; i < ALL; i++) {
        char sink[4096];
        while (recv(fds[i], sink, sizeof sink, 0) > 0)
            continue;
        close(fds[i]);
    }
    expect_status(http_get(port(), "/api/v1/status"), 200);
}

/* What the library answers in its own words: a status that says so, nothing of this machine, and
 * the server goes on. */
static void expect_own_words(const char *request, size_t size, int status)
{
    struct http_reply reply = http_raw("127.0.0.1", port(), request, size);
    /* who still sends when the answer comes may lose it with the connection */
    if (reply.status != 0 || size < 1000) {
        assert_int_equal(reply.status, status);
        assert_true(reply.size < 1024);
        assert_null(strstr(reply.body, "testdata"));
        assert_null(strstr(reply.head, "testdata"));
        assert_null(strstr(reply.body, ".c:"));
        assert_null(strstr(reply.body, "xprofd"));
    }
    http_reply_free(&reply);
    expect_status(http_get(port(), "/api/v1/status"), 200);
}

static void test_own_words_of_the_library(void **state)
{
    (void)state;
    static const struct {
        const char *request;
        int status;
    } all[] = {
        {"GET /\r\n\r\n", 400},
        {"GET / FOO\r\nHost: localhost\r\n\r\n", 400},
        {"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", 505},
        {"GET / HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n", 413},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        expect_own_words(all[i].request, strlen(all[i].request), all[i].status);
    enum { TOO_LARGE = 1 << 20 };
    char *text = malloc(TOO_LARGE + 1);
    assert_non_null(text);
    fill(text, TOO_LARGE, "GET /", 'a');
    expect_own_words(text, TOO_LARGE, 414);
    fill(text, TOO_LARGE, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ", 'a');
    expect_own_words(text, TOO_LARGE, 431);
    free(text);
}

static void test_keep_alive(void **state)
{
    (void)state;
    char request[] = "GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n"
                     "HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n"
                     "GET /api/v1/nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    struct http_reply reply = http_raw("127.0.0.1", port(), request, sizeof request - 1);
    assert_int_equal(reply.status, 200);
    assert_non_null(strstr(reply.body, "HTTP/1.1 200 "));
    assert_non_null(strstr(reply.body, "HTTP/1.1 404 "));
    http_reply_free(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),    cmocka_unit_test(test_head),
        cmocka_unit_test(test_methods),    cmocka_unit_test(test_host),
        cmocka_unit_test(test_allow_host), cmocka_unit_test(test_unknown_paths),
        cmocka_unit_test(test_traversal),  cmocka_unit_test(test_broken_escapes),
        cmocka_unit_test(test_sizes),      cmocka_unit_test(test_noise),
        cmocka_unit_test(test_keep_alive), cmocka_unit_test(test_own_words_of_the_library),
    };
    return cmocka_run_group_tests(tests, start_shared, stop_shared);
}
