/* The page: every built file comes out of the binary as it went in, and index.html names nothing of
 * another origin. */
#include <dirent.h>
#include <unistd.h>

#include "common.h"

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    if (fread(bytes, 1, *size, file) != *size)
        *size = 0;
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

static const char *dist(void)
{
    const char *path = getenv("XPD_WEB_DIST");
    return path ? path : source_path("src/server/no_page");
}

static bool is_brotli(const char *name)
{
    const char *ending = strrchr(name, '.');
    return ending && strcmp(ending, ".br") == 0;
}

/* Calls check(name, bytes, size) for each file of the built page, or of the files NAME.br beside
 * them; returns how many there were. */
static int for_each_file(bool brotli,
                         void (*check)(const char *name, const char *bytes, size_t size))
{
    int count = 0;
    DIR *dir = opendir(dist());
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[1024];
        size_t size = 0;
        if (entry->d_name[0] == '.' || is_brotli(entry->d_name) != brotli)
            continue;
        snprintf(path, sizeof path, "%s/%s", dist(), entry->d_name);
        char *bytes = read_file(path, &size);
        assert_non_null(bytes);
        check(entry->d_name, bytes, size);
        free(bytes);
        count++;
    }
    closedir(dir);
    return count;
}

static void same_bytes(const char *name, const char *bytes, size_t size)
{
    char target[512];
    snprintf(target, sizeof target, "/%s", name);
    struct http_reply reply = http_get(shared_server.port, target);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply.size, size);
    assert_memory_equal(reply.body, bytes, size);
    assert_string_not_equal(http_header(&reply, "ETag"), "");
    const char *caching = http_header(&reply, "Cache-Control");
    if (strcmp(name, "index.html") == 0)
        assert_string_equal(caching, "no-cache");
    else
        assert_true(strstr(caching, "immutable") || strcmp(caching, "no-cache") == 0);
    const char *type = http_header(&reply, "Content-Type");
    const char *ending = strrchr(name, '.');
    if (ending && strcmp(ending, ".js") == 0)
        assert_string_equal(type, "text/javascript; charset=utf-8");
    if (ending && strcmp(ending, ".css") == 0)
        assert_string_equal(type, "text/css; charset=utf-8");
    http_reply_free(&reply);
}

static void test_embedded_files(void **state)
{
    (void)state;
    assert_true(for_each_file(false, same_bytes) >= 1);
}

static void expect_body(uint16_t port, const char *target, int status, const char *body)
{
    struct http_reply reply = http_get(port, target);
    assert_int_equal(reply.status, status);
    if (body)
        assert_string_equal(reply.body, body);
    http_reply_free(&reply);
}

/* What is smaller by a tenth comes as brotli to those that take it, with a tag of its own; anything
 * else as gzip. */
static void as_brotli(const char *name, const char *bytes, size_t size)
{
    char target[512], given[96];
    snprintf(target, sizeof target, "/%.*s", (int)strlen(name) - 3, name);
    struct http_reply gzip =
        http_ask(shared_server.port, "GET", target, "Accept-Encoding: gzip, deflate\r\n");
    assert_string_equal(http_header(&gzip, "Content-Encoding"), "gzip");
    struct http_reply reply =
        http_ask(shared_server.port, "GET", target, "Accept-Encoding: gzip, deflate, br\r\n");
    assert_int_equal(reply.status, 200);
    assert_string_equal(http_header(&reply, "Vary"), "Accept-Encoding");
    if (size * 10 <= gzip.size * 9) {
        assert_string_equal(http_header(&reply, "Content-Encoding"), "br");
        assert_int_equal(reply.size, size);
        assert_memory_equal(reply.body, bytes, size);
        assert_non_null(strstr(http_header(&reply, "ETag"), "-br\""));
    } else {
        assert_string_equal(http_header(&reply, "Content-Encoding"), "gzip");
    }
    snprintf(given, sizeof given, "Accept-Encoding: br\r\nIf-None-Match: %s\r\n",
             http_header(&reply, "ETag"));
    struct http_reply again = http_ask(shared_server.port, "GET", target, given);
    assert_int_equal(again.status, 304);
    http_reply_free(&again);
    http_reply_free(&reply);
    http_reply_free(&gzip);
    expect_body(shared_server.port, target, 200, NULL);
}

static void test_brotli(void **state)
{
    (void)state;
    int files = for_each_file(true, as_brotli);
    assert_true(files > 0 || !getenv("XPD_WEB_DIST") || strstr(dist(), "no_page"));
}

/* In index.html each src= and href= is relative: the page works below any prefix of a proxy. */
static void test_relative_urls(void **state)
{
    (void)state;
    struct http_reply reply = http_get(shared_server.port, "/");
    assert_int_equal(reply.status, 200);
    static const char *const attributes[] = {" src=", " href=", " action=", " data="};
    int found = 0;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        for (const char *at = reply.body; (at = strstr(at, attributes[i])) != NULL;) {
            at += strlen(attributes[i]);
            at += *at == '"' || *at == '\'';
            size_t size = strcspn(at, "\"' >");
            bool is_data = strncmp(at, "data:", 5) == 0;
            if (*at == '/' || (!is_data && memchr(at, ':', size))) {
                print_error("not relative: %.*s\n", (int)size, at);
                fail();
            }
            found++;
        }
    assert_true(found > 0);
    assert_null(strstr(reply.body, "<base"));
    assert_null(strstr(reply.body, "<style"));
    assert_null(strstr(reply.body, " style="));
    assert_null(strstr(reply.body, "<script>"));
    assert_null(strstr(reply.body, " onclick="));
    http_reply_free(&reply);
}

static void test_fallback(void **state)
{
    (void)state;
    struct http_reply root = http_get(shared_server.port, "/");
    static const char *const same[] = {"/index.html", "/?run=x&tool=memory", "/memory",
                                       "/runs%20of%20mine"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct http_reply reply = http_get(shared_server.port, same[i]);
        assert_int_equal(reply.status, 200);
        assert_string_equal(reply.body, root.body);
        http_reply_free(&reply);
    }
    http_reply_free(&root);
    static const char *const moved[][2] = {{"/a/b/c?run=x", "../../?run=x"},
                                           {"/memory/", "../"},
                                           {"/data/plugin/profile", "../../"},
                                           {"/data/plugin/profile/", "../../../"},
                                           {"//evil.example", NULL}};
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
        struct http_reply reply = http_get(shared_server.port, moved[i][0]);
        assert_int_equal(reply.status, moved[i][1] ? 302 : 404);
        if (moved[i][1])
            assert_string_equal(http_header(&reply, "Location"), moved[i][1]);
        http_reply_free(&reply);
    }
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void remove_file(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

static void test_web_dir(void **state)
{
    (void)state;
    char folder[] = "/tmp/xprofd-web-XXXXXX", option[64];
    assert_non_null(mkdtemp(folder));
    write_file(folder, "index.html", "<p>dev</p>");
    write_file(folder, "app.js", "let a");
    write_file(folder, ".secret", "no");
    snprintf(option, sizeof option, "--web-dir=%s", folder);
    struct server_process process;
    server_serve(&process, source_path(SMALL_LOGDIR), option, NULL);
    expect_body(process.port, "/", 200, "<p>dev</p>");
    expect_body(process.port, "/app.js", 200, "let a");
    expect_body(process.port, "/.secret", 404, NULL);
    expect_body(process.port, "/app.css", 404, NULL);
    expect_body(process.port, "/../app.js", 404, NULL);
    write_file(folder, "app.js", "let b = 1");
    write_file(folder, "later.js", "x");
    expect_body(process.port, "/app.js", 200, "let b = 1"); /* edits show */
    expect_body(process.port, "/later.js", 200, "x");       /* so do new files */
    server_stop(&process);
    remove_file(folder, "index.html");
    remove_file(folder, "app.js");
    remove_file(folder, "later.js");
    remove_file(folder, ".secret");
    rmdir(folder);
}

/* The policy that came with a file. */
static void policy_of(uint16_t port, const char *target, char *policy, size_t size)
{
    struct http_reply reply = http_get(port, target);
    assert_int_equal(reply.status, 200);
    const char *value = http_header(&reply, "Content-Security-Policy");
    assert_non_null(value);
    snprintf(policy, size, "%s", value);
    http_reply_free(&reply);
}

/* The worker that runs Graphviz may compile WebAssembly; it may do nothing else, and no other code
 * may. */
static void test_layout_worker(void **state)
{
    (void)state;
    char folder[] = "/tmp/xprofd-web-XXXXXX", option[64], policy[512];
    assert_non_null(mkdtemp(folder));
    write_file(folder, "index.html", "<p>dev</p>");
    write_file(folder, "layout.0123456789ab.js", "1");
    write_file(folder, "layout.css", "a");
    write_file(folder, "my.layout.js", "1");
    snprintf(option, sizeof option, "--web-dir=%s", folder);
    struct server_process process;
    server_serve(&process, source_path(SMALL_LOGDIR), option, NULL);
    policy_of(process.port, "/layout.0123456789ab.js", policy, sizeof policy);
    assert_non_null(strstr(policy, "default-src 'none'; script-src 'wasm-unsafe-eval'"));
    assert_null(strstr(policy, "'self'"));
    assert_null(strstr(policy, "'unsafe-"));
    for (const char *const *other =
             (const char *const[]){"/", "/layout.css", "/my.layout.js", NULL};
         *other; other++) {
        policy_of(process.port, *other, policy, sizeof policy);
        assert_null(strstr(policy, "unsafe"));
    }
    server_stop(&process);
    remove_file(folder, "index.html");
    remove_file(folder, "layout.0123456789ab.js");
    remove_file(folder, "layout.css");
    remove_file(folder, "my.layout.js");
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_embedded_files), cmocka_unit_test(test_brotli),
        cmocka_unit_test(test_relative_urls),  cmocka_unit_test(test_fallback),
        cmocka_unit_test(test_web_dir),        cmocka_unit_test(test_layout_worker),
    };
    return cmocka_run_group_tests(tests, start_shared, stop_shared);
}
