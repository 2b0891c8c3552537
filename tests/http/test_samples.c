/* The profiles in the program: each gives the answers of the file it was made from, and none is in
 * a list of runs. */
#include <unistd.h>

#include "common.h"

static struct server_process empty;
static char root[] = "/tmp/xprofd-samples-XXXXXX";

static int start(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(root));
    server_serve(&empty, root, NULL, NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    server_stop(&empty);
    return rmdir(root); /* fails when something was written */
}

static struct http_reply get(uint16_t port, const char *route, const char *run, const char *more)
{
    char target[256];
    snprintf(target, sizeof target, "/api/v1/%s?run=%s%s", route, run, more);
    struct http_reply reply = http_get_loaded(port, target);
    if (reply.status != 200)
        print_error("%s: %d %s\n", target, reply.status, reply.body);
    assert_int_equal(reply.status, 200);
    return reply;
}

/* `from` on: what stands before it names the run and its host. */
static void expect_same(const struct server_process *direct, const char *route, const char *sample,
                        const char *run, const char *from)
{
    struct http_reply ours = get(empty.port, route, sample, "");
    struct http_reply wanted = get(direct->port, route, run, "");
    const char *a = strstr(ours.body, from), *b = strstr(wanted.body, from);
    assert_non_null(a);
    assert_non_null(b);
    assert_string_equal(a, b);
    http_reply_free(&ours);
    http_reply_free(&wanted);
}

static void test_each(void **state)
{
    (void)state;
    static const struct {
        const char *sample, *logdir, *run, *peak;
    } samples[] = {
        /* peaks: XLA's own, testdata/.../README.md; on the CPU its arguments, outputs and
           temporaries */
        {"sample:tpu_padded_demo", "testdata/tpu_padded_demo/logdir", "aot", "620361728"},
        {"sample:tpu_scan_layers", "testdata/tpu_scan_layers/logdir", "aot", "6937462272"},
        {"sample:cpu_mlp_train", "testdata/cpu_mlp_train/logdir", "run0", "9226032"},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct server_process direct;
        char peak[64];
        server_serve(&direct, source_path(samples[i].logdir), NULL, NULL);
        struct http_reply reply = get(empty.port, "memory/summary", samples[i].sample, "");
        snprintf(peak, sizeof peak, "\"peak\":{\"held_bytes\":%s,", samples[i].peak);
        assert_non_null(strstr(reply.body, peak));
        http_reply_free(&reply);
        expect_same(&direct, "memory/summary", samples[i].sample, samples[i].run, "\"platform\":");
        expect_same(&direct, "memory/curve", samples[i].sample, samples[i].run, "{");
        expect_same(&direct, "memory/live", samples[i].sample, samples[i].run, "{");
        expect_same(&direct, "modules", samples[i].sample, samples[i].run, "{");
        static const char *const others[] = {"run", "card", "memory/map", "memory/tree",
                                             "memory/buffers"};
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            reply = get(empty.port, others[k], samples[i].sample, "&by=scope");
            http_reply_free(&reply);
        }
        server_stop(&direct);
    }
}

static void test_lists(void **state)
{
    (void)state;
    struct http_reply reply = http_get(empty.port, "/api/v1/runs");
    assert_non_null(strstr(reply.body, "\"n\":0,"));
    assert_non_null(
        strstr(reply.body, "\"samples\":[{\"id\":\"sample:tpu_padded_demo\",\"title\":\""));
    assert_null(strstr(strstr(reply.body, "\"samples\":"), "\"found\""));
    http_reply_free(&reply);
    reply = http_get(empty.port, "/data/plugin/profile/runs");
    assert_string_equal(reply.body, "[]");
    http_reply_free(&reply);
    reply = http_get(empty.port, "/api/v1/run?run=sample:none");
    assert_int_equal(reply.status, 404);
    http_reply_free(&reply);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each), cmocka_unit_test(test_lists)};
    return cmocka_run_group_tests(tests, start, stop);
}
