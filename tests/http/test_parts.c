/* Some hosts of a run alone, while the whole is read or not: no answer has less than was asked for,
 * and every answer names what it covers. */
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "answer.h"
#include "large.h"

#define HOSTS 4
/* Of the run "long": reading it takes longer than XPD_GIVE_UP_MS, also on a machine twice as fast.
 */
#define LONG_HOSTS 6

static char root[64];

/* Hosts from `first` up, all with the bytes of the file "large/w0". */
static void link_hosts(const char *run, int first, int end)
{
    char from[256], path[256];
    snprintf(from, sizeof from, "%s/large/w0.xplane.pb.gz", root);
    for (int i = first; i < end; i++) {
        snprintf(path, sizeof path, "%s/%s/w%d.xplane.pb.gz", root, run, i);
        assert_int_equal(link(from, path), 0);
    }
}

static int setup(void **state)
{
    (void)state;
    char path[256];
    make_large_run(root, "w0.xplane.pb.gz");
    snprintf(path, sizeof path, "%s/long", root);
    assert_int_equal(mkdir(path, 0755), 0);
    link_hosts("large", 1, HOSTS);
    link_hosts("long", 0, LONG_HOSTS);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return remove_large_run(root);
}

static size_t count_of(const char *body, const char *text)
{
    size_t count = 0;
    for (const char *at = body; (at = strstr(at, text)) != NULL; at += strlen(text))
        count++;
    return count;
}

static void pause_ms(int ms)
{
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    nanosleep(&time, NULL);
}

static void check_part(uint16_t port, const char *run)
{
    char target[64];
    snprintf(target, sizeof target, "/api/v1/run?run=%s&only=w1", run);
    struct http_reply reply = http_get_loaded(port, target);
    assert_int_equal(reply.status, 200);
    assert_int_equal(count_of(reply.body, "\"file\":"), 1);
    assert_non_null(strstr(reply.body, "\"name\":\"w1\",\"file\":\"w1.xplane.pb.gz\""));
    assert_non_null(strstr(reply.body, "\"hosts_left_out\":[\"w0\",\"w2\",\"w3\""));
    assert_non_null(strstr(reply.body, "\"code\":\"hosts_left_out\""));
    http_reply_free(&reply);
}

/* A server that is asked for the whole run. */
static void begin_the_whole(struct server_process *process, const char *target)
{
    server_serve(process, root, NULL, NULL);
    struct http_reply reply = http_get(process->port, target);
    assert_int_equal(reply.status, 202);
    http_reply_free(&reply);
}

/* A part is there long before the whole; who asks for the whole all the time gets it, read once. */
static void test_beside_the_whole(void **state)
{
    (void)state;
    struct server_process process;
    struct http_reply reply;
    begin_the_whole(&process, "/api/v1/run?run=large");
    bool part = false;
    int whole_status;
    do {
        reply = http_get(process.port, "/api/v1/run?run=large");
        whole_status = reply.status;
        if (whole_status == 200) {
            assert_int_equal(count_of(reply.body, "\"file\":"), HOSTS);
            assert_non_null(strstr(reply.body, "\"hosts_left_out\":[]"));
            assert_true(part); /* earlier */
        }
        http_reply_free(&reply);
        reply = http_get(process.port, "/api/v1/run?run=large&only=w1");
        part |= reply.status == 200;
        http_reply_free(&reply);
    } while (whole_status == 202);
    assert_int_equal(whole_status, 200);
    check_part(process.port, "large");
    reply = http_get(process.port, "/api/v1/status");
    assert_non_null(strstr(reply.body, "\"loads\":2,")); /* the whole was never begun anew */
    http_reply_free(&reply);
    server_stop(&process);
}

/* Nobody wants the whole any more: it is given up, and comes for whoever asks after all. */
static void test_given_up(void **state)
{
    (void)state;
    struct server_process process;
    struct http_reply reply;
    begin_the_whole(&process, "/api/v1/run?run=long");
    check_part(process.port, "long");
    bool gone = false;
    for (int i = 0; i < 600 && !gone; i++) {
        reply = http_get(process.port, "/api/v1/loading?run=long");
        assert_int_equal(reply.status, 200);
        gone = strstr(reply.body, "\"state\":\"loading\"") == NULL;
        if (gone)
            assert_non_null(strstr(reply.body, "\"state\":\"not_loaded\""));
        http_reply_free(&reply);
        pause_ms(50);
    }
    assert_true(gone);
    check_part(process.port, "long");
    reply = http_get_loaded(process.port, "/api/v1/run?run=long");
    assert_int_equal(reply.status, 200);
    assert_int_equal(count_of(reply.body, "\"file\":"), LONG_HOSTS);
    http_reply_free(&reply);
    server_stop(&process);
}

/* One row a file; the bytes done only grow, and files are read one after the other. */
static void test_rows_of_files(void **state)
{
    (void)state;
    struct server_process process;
    struct stat st;
    char path[256];
    int status = 202, reading_seen = 0;
    int64_t last = 0;
    snprintf(path, sizeof path, "%s/large/w0.xplane.pb.gz", root);
    assert_int_equal(stat(path, &st), 0);
    server_serve(&process, root, NULL, NULL);
    while (status == 202) {
        struct http_reply reply = http_get(process.port, "/api/v1/run?run=large&only=w0,w2");
        status = reply.status;
        http_reply_free(&reply);
        struct answer answer = ask(&process, "/api/v1/loading?run=large&only=w0,w2", 200);
        int64_t sum = 0;
        for (size_t i = 0; i < HOSTS; i++) {
            int64_t bytes = item(&answer, "files.done_bytes", i);
            assert_int_equal(item(&answer, "files.size_bytes", i), st.st_size);
            assert_true(bytes <= st.st_size);
            const char *is = xpd_json_to_text(xpd_json_item(find(&answer, "files.state"), i));
            assert_int_equal(i % 2 == 1, strcmp(is, "left_out") == 0);
            reading_seen += strcmp(is, "reading") == 0;
            sum += bytes;
        }
        assert_true(sum >= last);
        last = sum;
        done(&answer);
    }
    assert_int_equal(status, 200);
    assert_true(reading_seen > 0);
    assert_int_equal(last, 2 * st.st_size);
    server_stop(&process);
}

static void test_wrong(void **state)
{
    (void)state;
    struct server_process process;
    server_serve(&process, root, NULL, NULL);
    struct http_reply reply = http_get_loaded(process.port, "/api/v1/run?run=large&only=w9");
    assert_int_equal(reply.status, 404);
    assert_non_null(strstr(reply.body, "There is no host \\\"w9\\\" in run large"));
    http_reply_free(&reply);
    reply = http_get(process.port, "/api/v1/loading?run=none");
    assert_int_equal(reply.status, 404);
    http_reply_free(&reply);
    reply = http_get(process.port, "/api/v1/loading");
    assert_int_equal(reply.status, 400);
    http_reply_free(&reply);
    server_stop(&process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beside_the_whole),
        cmocka_unit_test(test_given_up),
        cmocka_unit_test(test_rows_of_files),
        cmocka_unit_test(test_wrong),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
