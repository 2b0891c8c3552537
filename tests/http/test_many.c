/* Many clients at one time: half a request delays no other client, and no connection is
 * reset or starved. */
#include "common.h"

#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HALF = 200, WHOLE = 300 };

static void send_text(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

static int open_and_send(const char *text)
{
    int fd = http_connect("127.0.0.1", shared_server.port);
    assert_true(fd >= 0);
    send_text(fd, text);
    return fd;
}

/* The status of the answer, read to its end; 0: reset, or none came. */
static int read_status(int fd)
{
    char text[4096];
    int status = 0;
    ssize_t got = recv(fd, text, sizeof text - 1, MSG_WAITALL);
    if (got > 12) {
        text[got] = '\0';
        status = atoi(text + 9);
    }
    while (got > 0)
        got = recv(fd, text, sizeof text, 0);
    return got == 0 ? status : 0;
}

static void no_client_is_reset_or_starved(void **state)
{
    (void)state;
    static int half[HALF], whole[WHOLE];
    for (int i = 0; i < HALF; i++)
        half[i] = open_and_send("GET /api/v1/status HTTP/1.1\r\nHo");
    for (int i = 0; i < WHOLE; i++)
        whole[i] = open_and_send(i % 2 ? "GET /api/v1/runs HTTP/1.1\r\nHost: localhost\r\n"
                                         "Connection: close\r\n\r\n"
                                       : "GET /api/v1/memory/curve?run=" SMALL_RUN " HTTP/1.1\r\n"
                                         "Host: localhost\r\nConnection: close\r\n\r\n");
    for (int i = 0; i < WHOLE; i++) {
        int status = read_status(whole[i]);
        if (status != 200 && !(status == 202 && i % 2 == 0))
            fail_msg("client %d got status %d", i, status);
        close(whole[i]);
    }
    /* They may still finish what they began. */
    for (int i = 0; i < HALF; i++) {
        send_text(half[i], "st: localhost\r\nConnection: close\r\n\r\n");
        assert_int_equal(read_status(half[i]), 200);
        close(half[i]);
    }
}

/* In 10 seconds, as docs/API.md says; the poll ends when it happens. */
static void half_a_request_is_dropped(void **state)
{
    (void)state;
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    struct pollfd socket = {.fd = open_and_send("GET /api/v1/status HTTP/1.1\r\nHo"),
                            .events = POLLIN | POLLRDHUP};
    assert_int_equal(poll(&socket, 1, 60000), 1);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true(end.tv_sec - begin.tv_sec >= 8);
    close(socket.fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_client_is_reset_or_starved),
        cmocka_unit_test(half_a_request_is_dropped),
    };
    return cmocka_run_group_tests(tests, start_shared, stop_shared);
}
