/* Answers about real captures: errors, compression, tags, sharing of work, XProf's routes, and that
 * nothing is written beside the data. */
#include <dirent.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "common.h"

#define SUMMARY "/api/v1/memory/summary?run=" SMALL_RUN

static uint16_t port(void)
{
    return shared_server.port;
}

static long counter(uint16_t at_port, const char *name)
{
    char key[64];
    struct http_reply reply = http_get(at_port, "/api/v1/status");
    assert_int_equal(reply.status, 200);
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(reply.body, key);
    assert_non_null(at);
    long value = strtol(at + strlen(key), NULL, 10);
    http_reply_free(&reply);
    return value;
}

/* ---- errors ---- */

static void expect_error(const char *target, int status, const char *code, const char *where)
{
    char text[160];
    struct http_reply reply = http_get_loaded(port(), target);
    if (reply.status != status) {
        print_error("%s: %d %s\n", target, reply.status, reply.body);
        fail();
    }
    snprintf(text, sizeof text, "{\"error\":{\"code\":\"%s\",\"message\":\"", code);
    assert_memory_equal(reply.body, text, strlen(text));
    snprintf(text, sizeof text, "\"where\":\"%s%s", where, *where ? "\"" : "");
    assert_non_null(strstr(reply.body, text));
    http_reply_free(&reply);
}

static void test_errors(void **state)
{
    (void)state;
    expect_error("/api/v1/run?run=none", 404, "not_found", "");
    expect_error("/data/plugin/profile/data?tag=megascale_stats&perfetto=True&run=" SMALL_RUN, 400,
                 "invalid_argument", "perfetto");
    expect_error("/api/v1/memory/summary?run=" SMALL_RUN "&module=none", 404, "not_found", "");
    expect_error("/api/v1/memory/summary?run=" SMALL_RUN "&space=77", 404, "not_found", "space");
    expect_error("/api/v1/memory/summary?run=" SMALL_RUN "&space=x", 400, "invalid_argument",
                 "space");
    expect_error("/api/v1/memory/curve?run=" SMALL_RUN "&px=0", 400, "invalid_argument", "px");
    expect_error("/api/v1/memory/curve?run=" SMALL_RUN "&px=many", 400, "invalid_argument", "px");
    expect_error("/api/v1/memory/live?run=" SMALL_RUN "&order=up", 400, "invalid_argument",
                 "order");
    expect_error("/api/v1/memory/summary?run=" SMALL_RUN "&hbm=0", 400, "invalid_argument", "hbm");
}

/* ---- compression and tags ---- */

static struct http_reply ask_with(const char *target, const char *name, const char *value)
{
    char line[256];
    snprintf(line, sizeof line, "%s: %s\r\n", name, value);
    return http_ask(port(), "GET", target, line);
}

static char *inflate_body(const struct http_reply *reply, size_t room)
{
    char *out = calloc(1, room + 1);
    z_stream z = {.next_in = (Bytef *)reply->body,
                  .avail_in = (uInt)reply->size,
                  .next_out = (Bytef *)out,
                  .avail_out = (uInt)room};
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.total_out, room);
    inflateEnd(&z);
    return out;
}

static void check_gzip(const char *target)
{
    struct http_reply plain = http_get_loaded(port(), target);
    assert_int_equal(plain.status, 200);
    assert_true(plain.size >= 1024);
    assert_string_equal(http_header(&plain, "Content-Encoding"), "");
    assert_string_equal(http_header(&plain, "Vary"), "Accept-Encoding");
    char tag[64];
    snprintf(tag, sizeof tag, "%s", http_header(&plain, "ETag"));
    assert_true(strlen(tag) > 2);
    static const char *const yes[] = {"gzip", "gzip, deflate, br, zstd", "*", "br;q=1, gzip;q=0.1"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        struct http_reply reply = ask_with(target, "Accept-Encoding", yes[i]);
        assert_string_equal(http_header(&reply, "Content-Encoding"), "gzip");
        assert_string_not_equal(http_header(&reply, "ETag"), tag);
        assert_true(reply.whole && reply.size < plain.size);
        char *inflated = inflate_body(&reply, plain.size);
        assert_memory_equal(inflated, plain.body, plain.size);
        free(inflated);
        http_reply_free(&reply);
    }
    static const char *const no[] = {"identity", "gzip;q=0", "br", "", "*;q=0"};
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        struct http_reply reply = ask_with(target, "Accept-Encoding", no[i]);
        assert_string_equal(http_header(&reply, "Content-Encoding"), "");
        assert_int_equal(reply.size, plain.size);
        http_reply_free(&reply);
    }
    http_reply_free(&plain);
}

static void test_gzip(void **state)
{
    (void)state;
    check_gzip(SUMMARY);
    check_gzip("/api/v1/memory/live?run=" SMALL_RUN);
    struct http_reply small = ask_with("/version", "Accept-Encoding", "gzip");
    assert_int_equal(small.status, 200);
    assert_string_equal(http_header(&small, "Content-Encoding"), "");
    http_reply_free(&small);
}

static void check_not_modified(const char *target, const char *tag, int status)
{
    struct http_reply reply = ask_with(target, "If-None-Match", tag);
    assert_int_equal(reply.status, status);
    if (status == 304) {
        assert_int_equal(reply.size, 0);
        assert_string_not_equal(http_header(&reply, "ETag"), "");
        assert_string_equal(http_header(&reply, "Content-Encoding"), "");
        assert_string_not_equal(http_header(&reply, "Content-Security-Policy"), "");
    }
    http_reply_free(&reply);
}

static void test_tags(void **state)
{
    (void)state;
    static const char *const targets[] = {SUMMARY, "/api/v1/runs", "/", "/runs", "/favicon.svg"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        char tag[64], text[160];
        struct http_reply reply = http_get_loaded(port(), targets[i]);
        if (reply.status == 404 && strchr(targets[i], '.')) { /* built without page */
            http_reply_free(&reply);
            continue;
        }
        assert_int_equal(reply.status, 200);
        assert_string_equal(http_header(&reply, "Cache-Control"), "no-cache");
        snprintf(tag, sizeof tag, "%s", http_header(&reply, "ETag"));
        http_reply_free(&reply);
        check_not_modified(targets[i], tag, 304);
        snprintf(text, sizeof text, "\"other\", W/%s", tag);
        check_not_modified(targets[i], text, 304);
        check_not_modified(targets[i], "*", 304);
        check_not_modified(targets[i], "\"other\"", 200);
        reply = ask_with(targets[i], "Accept-Encoding", "gzip");
        snprintf(tag, sizeof tag, "%s", http_header(&reply, "ETag"));
        http_reply_free(&reply);
        check_not_modified(targets[i], tag, 304);
    }
}

/* ---- XProf's routes ---- */

static void same_answer(const char *one, const char *two)
{
    struct http_reply first = http_get_loaded(port(), one), second = http_get_loaded(port(), two);
    assert_int_equal(first.status, 200);
    assert_int_equal(second.status, 200);
    assert_string_equal(first.body, second.body);
    http_reply_free(&first);
    http_reply_free(&second);
}

/* A running XProf 2.24.2 was asked: it takes any host's name ALL_HOSTS, blanks around the number of
 * a memory space and a plus before it; what is no number is 0. */
static void test_odd_parameters(void **state)
{
    (void)state;
#define SPACE                                                                                      \
    "/data?tag=memory_viewer&run=" SMALL_RUN "&module_name=jit_padded_step(7506317489879146938)"   \
    "&memory_space="
    static const char *const ones[] = {"%201", "%2B1", "1%20", "01", "%09%2B1%0A"};
    static const char *const zeros[] = {"", "x", "1x", "1.0", "%2B-1", "99999999999999999999"};
    char target[200];
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++) {
        snprintf(target, sizeof target, SPACE "%s", ones[i]);
        same_answer(target, SPACE "1");
    }
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++) {
        snprintf(target, sizeof target, SPACE "%s", zeros[i]);
        same_answer(target, SPACE "0");
    }
    same_answer(SPACE "0&host=ALL_HOSTS", SPACE "0");
    same_answer(SPACE "1&host=ALL_HOSTS", SPACE "1&host=");
}

static void test_prefix(void **state)
{
    (void)state;
    static const char *const routes[] = {"/runs",
                                         "/run_tools?run=" SMALL_RUN,
                                         "/hosts?run=" SMALL_RUN "&tag=memory_viewer",
                                         "/module_list?run=" SMALL_RUN,
                                         "/version",
                                         "/config",
                                         "/runs/"};
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++) {
        char prefixed[160];
        snprintf(prefixed, sizeof prefixed, "/data/plugin/profile%s", routes[i]);
        struct http_reply one = http_get_loaded(port(), routes[i]),
                          two = http_get_loaded(port(), prefixed);
        assert_int_equal(one.status, 200);
        assert_int_equal(two.status, 200);
        assert_string_equal(one.body, two.body);
        http_reply_free(&one);
        http_reply_free(&two);
    }
}

/* ---- sharing of work ---- */

static void *load_once(void *ctx)
{
    uint16_t at_port = *(uint16_t *)ctx;
    struct http_reply reply = http_get_loaded(at_port, SUMMARY);
    char *body = reply.status == 200 ? strdup(reply.body) : NULL;
    http_reply_free(&reply);
    return body;
}

static void test_single_flight(void **state)
{
    (void)state;
    struct server_process process;
    pthread_t thread[16];
    char *first = NULL;
    server_serve(&process, source_path(SMALL_LOGDIR), NULL, NULL);
    assert_int_equal(counter(process.port, "loads"), 0);
    for (size_t i = 0; i < 16; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, load_once, &process.port), 0);
    for (size_t i = 0; i < 16; i++) {
        void *body = NULL;
        pthread_join(thread[i], &body);
        assert_non_null(body);
        if (first)
            assert_string_equal(first, body);
        else
            first = strdup(body);
        free(body);
    }
    free(first);
    assert_int_equal(counter(process.port, "loads"), 1);
    assert_int_equal(counter(process.port, "runs_held"), 0);
    server_stop(&process);
}

static void *ask_many(void *ctx)
{
    uint16_t at_port = *(uint16_t *)ctx;
    static const char *const targets[] = {SUMMARY,
                                          "/",
                                          "/api/v1/runs",
                                          "/api/v1/nothing",
                                          "/api/v1/memory/curve?run=" SMALL_RUN,
                                          "/api/v1/memory/map?run=" SMALL_RUN "&px=300&py=200",
                                          "/api/v1/status"};
    long bad = 0;
    for (size_t i = 0; i < 42; i++) {
        struct http_reply reply = http_get(at_port, targets[i % 7]);
        bad += reply.status != (i % 7 == 3 ? 404 : 200) && reply.status != 202;
        bad += !reply.whole;
        http_reply_free(&reply);
    }
    return (void *)bad;
}

static void test_many_clients(void **state)
{
    (void)state;
    pthread_t thread[8];
    uint16_t at_port = port();
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, ask_many, &at_port), 0);
    for (size_t i = 0; i < 8; i++) {
        void *bad = NULL;
        pthread_join(thread[i], &bad);
        assert_null(bad);
    }
}

/* ---- the data stays as it is ---- */

static void copy_file(const char *from, const char *to)
{
    char buffer[65536];
    size_t got;
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_true(in && out);
    while ((got = fread(buffer, 1, sizeof buffer, in)) > 0)
        fwrite(buffer, 1, got, out);
    fclose(in);
    fclose(out);
}

/* Appends "path mode size mtime" of everything below. */
static void list_tree(const char *path, FILE *to)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    fprintf(to, "%s %o %lld %lld.%09ld\n", path, (unsigned)st.st_mode, (long long)st.st_size,
            (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    DIR *dir = S_ISDIR(st.st_mode) ? opendir(path) : NULL;
    struct dirent **entries;
    int count = dir ? scandir(path, &entries, NULL, alphasort) : 0;
    for (int i = 0; i < count; i++) {
        char inner[1024];
        snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            list_tree(inner, to);
        free(entries[i]);
    }
    if (dir) {
        free(entries);
        closedir(dir);
    }
}

static char *listing(const char *path)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    list_tree(path, out);
    fclose(out);
    return text;
}

static void test_logdir_untouched(void **state)
{
    (void)state;
    char root[] = "/tmp/xprofd-logdir-XXXXXX", path[4][256], command[300];
    assert_non_null(mkdtemp(root));
    snprintf(path[0], sizeof path[0], "%s/plugins", root);
    snprintf(path[1], sizeof path[1], "%s/plugins/profile", root);
    snprintf(path[2], sizeof path[2], "%s/plugins/profile/" SMALL_RUN, root);
    snprintf(path[3], sizeof path[3], "%s/plugins/profile/" SMALL_RUN "/host0.xplane.pb", root);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(mkdir(path[i], 0755), 0);
    copy_file(source_path(SMALL_LOGDIR "/plugins/profile/" SMALL_RUN "/host0.xplane.pb"), path[3]);
    chmod(path[3], 0444);
    for (size_t i = 3; i-- > 0;)
        chmod(path[i], 0555);
    chmod(root, 0555);
    char *before = listing(root);

    struct server_process process;
    server_serve(&process, root, NULL, NULL);
    static const char *const targets[] = {SUMMARY,
                                          "/api/v1/runs",
                                          "/api/v1/modules?run=" SMALL_RUN,
                                          "/api/v1/card?run=" SMALL_RUN,
                                          "/api/v1/search?run=" SMALL_RUN "&q=fusion",
                                          "/module_list?run=" SMALL_RUN,
                                          "/hosts?run=" SMALL_RUN "&tag=memory_viewer"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct http_reply reply = http_get_loaded(process.port, targets[i]);
        if (reply.status != 200)
            print_error("%s: %d %s\n", targets[i], reply.status, reply.body);
        assert_int_equal(reply.status, 200);
        http_reply_free(&reply);
    }
    server_stop(&process);
    char *after = listing(root);
    assert_string_equal(before, after);
    free(before);
    free(after);
    snprintf(command, sizeof command, "chmod -R u+w %s && rm -r %s", root, root);
    assert_int_equal(system(command), 0);
}

static void test_empty_folder(void **state)
{
    (void)state;
    char root[] = "/tmp/xprofd-empty-XXXXXX";
    assert_non_null(mkdtemp(root));
    struct server_process process;
    server_serve(&process, root, NULL, NULL);
    struct http_reply reply = http_get(process.port, "/api/v1/runs");
    assert_int_equal(reply.status, 200);
    assert_non_null(strstr(reply.body, "\"n\":0"));
    http_reply_free(&reply);
    server_stop(&process);
    rmdir(root);
}

/* Root may read everything: the programs it starts from here on may not. */
static bool obey_permissions(void)
{
    return geteuid() != 0 || (prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0) == 0 &&
                              prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH, 0, 0, 0) == 0);
}

/* A path that is there but cannot be read is served, and stderr says so. The last test, since it
 * takes rights away. */
static void test_unreadable_path(void **state)
{
    (void)state;
    if (!obey_permissions())
        skip();
    char root[] = "/tmp/xprofd-closed-XXXXXX";
    assert_non_null(mkdtemp(root));
    chmod(root, 0);
    struct server_process process;
    server_serve(&process, root, NULL, NULL);
    struct http_reply reply = http_get(process.port, "/api/v1/runs");
    assert_int_equal(reply.status, 200);
    http_reply_free(&reply);
    server_end(&process, 15, NULL);
    assert_non_null(strstr(process.err_text, "warning"));
    free(process.err_text);
    rmdir(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_odd_parameters), cmocka_unit_test(test_errors),
        cmocka_unit_test(test_gzip),           cmocka_unit_test(test_tags),
        cmocka_unit_test(test_prefix),         cmocka_unit_test(test_single_flight),
        cmocka_unit_test(test_many_clients),   cmocka_unit_test(test_logdir_untouched),
        cmocka_unit_test(test_empty_folder),   cmocka_unit_test(test_unreadable_path),
    };
    return cmocka_run_group_tests(tests, start_shared, stop_shared);
}
