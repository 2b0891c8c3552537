/* The HTTP client of the tests. */
#include "http_client.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define TIMEOUT_SECONDS 60

int http_connect(const char *address, uint16_t port)
{
    char service[8];
    snprintf(service, sizeof service, "%u", (unsigned)port);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *list = NULL;
    if (getaddrinfo(address, service, &hints, &list) != 0)
        return -1;
    int fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct timeval limit = {.tv_sec = TIMEOUT_SECONDS};
    if (fd >= 0) {
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        if (connect(fd, list->ai_addr, list->ai_addrlen) != 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(list);
    return fd;
}

static char *read_all(int fd, size_t *size)
{
    size_t capacity = 65536, used = 0;
    char *data = malloc(capacity + 1);
    while (data) {
        if (used == capacity) {
            char *more = realloc(data, capacity * 2 + 1);
            if (!more)
                break;
            data = more;
            capacity *= 2;
        }
        ssize_t got = recv(fd, data + used, capacity - used, 0);
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    if (data)
        data[used] = '\0';
    *size = used;
    return data;
}

/* Size in hex, CR LF, bytes, CR LF; size 0 is the end. In place. */
static void join_chunks(struct http_reply *reply)
{
    char *to = reply->body, *at = reply->body, *end = reply->body + reply->size;
    while (at < end) {
        char *bytes;
        size_t size = strtoull(at, &bytes, 16);
        reply->whole = size == 0 && bytes > at;
        if (bytes == at || end - bytes < 2 || size == 0 || size > (size_t)(end - bytes) - 2)
            break;
        memmove(to, bytes + 2, size);
        to += size;
        at = bytes + 2 + size + 2;
    }
    reply->size = (size_t)(to - reply->body);
    *to = '\0';
}

static struct http_reply parse(char *data, size_t size)
{
    struct http_reply reply = {0};
    char *end = data ? memmem(data, size, "\r\n\r\n", 4) : NULL;
    if (!end || sscanf(data, "HTTP/1.%*c %d", &reply.status) != 1) {
        free(data);
        reply.status = 0;
        return reply;
    }
    size_t head_size = (size_t)(end - data) + 2;
    reply.head = strndup(data, head_size);
    reply.size = size - head_size - 2;
    reply.body = malloc(reply.size + 1);
    memcpy(reply.body, end + 4, reply.size);
    reply.body[reply.size] = '\0';
    free(data);
    const char *length = http_header(&reply, "Content-Length");
    reply.whole = *length && strtoull(length, NULL, 10) == reply.size;
    if (strcmp(http_header(&reply, "Transfer-Encoding"), "chunked") == 0)
        join_chunks(&reply);
    return reply;
}

struct http_reply http_raw(const char *address, uint16_t port, const void *bytes, size_t size)
{
    struct http_reply none = {0};
    int fd = http_connect(address, port);
    if (fd < 0)
        return none;
    const char *at = bytes;
    while (size > 0) { /* a server that refuses early may close while we send; its answer is still
                          there to read */
        ssize_t sent = send(fd, at, size, MSG_NOSIGNAL);
        if (sent <= 0)
            break;
        at += sent;
        size -= (size_t)sent;
    }
    size_t got;
    char *data = read_all(fd, &got);
    close(fd);
    return parse(data, got);
}

struct http_reply http_ask(uint16_t port, const char *method, const char *target,
                           const char *headers)
{
    struct http_reply reply = {0};
    char *text = NULL;
    int size =
        asprintf(&text, "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n%s\r\n",
                 method, target, (unsigned)port, headers ? headers : "");
    if (size >= 0)
        reply = http_raw("127.0.0.1", port, text, (size_t)size);
    free(text);
    return reply;
}

struct http_reply http_get(uint16_t port, const char *target)
{
    return http_ask(port, "GET", target, NULL);
}

struct http_reply http_get_loaded(uint16_t port, const char *target)
{
    struct http_reply reply = http_get(port, target);
    for (int i = 0; reply.status == 202 && i < 600; i++) {
        http_reply_free(&reply);
        usleep(100000);
        reply = http_get(port, target);
    }
    return reply;
}

const char *http_header(const struct http_reply *reply, const char *name)
{
    static _Thread_local char value[2048];
    size_t name_size = strlen(name);
    const char *line = reply->head ? strstr(reply->head, "\r\n") : NULL;
    for (; line; line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, name, name_size) != 0 || line[2 + name_size] != ':')
            continue;
        const char *start = line + 2 + name_size + 1;
        start += strspn(start, " ");
        snprintf(value, sizeof value, "%.*s", (int)strcspn(start, "\r\n"), start);
        return value;
    }
    return "";
}

void http_reply_free(struct http_reply *reply)
{
    free(reply->head);
    free(reply->body);
    *reply = (struct http_reply){0};
}
