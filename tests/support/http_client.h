/* A small HTTP client for tests: one request, one connection, plain sockets. What is sent is
 * exactly what the test says. */
#ifndef XPROFD_TESTS_HTTP_CLIENT_H
#define XPROFD_TESTS_HTTP_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_reply {
    int status;  /* 0: no answer */
    char *head;  /* status line and headers */
    char *body;  /* NUL-terminated; may hold any bytes; chunks are joined */
    size_t size; /* of the body */
    bool whole;  /* the body has the length its header says, or its last chunk */
};

/* Connected socket, or -1. */
int http_connect(const char *address, uint16_t port);
/* Sends the bytes and reads until the peer closes. */
struct http_reply http_raw(const char *address, uint16_t port, const void *bytes, size_t size);
/* `method target HTTP/1.1` with Host 127.0.0.1 and Connection: close; `headers` are further lines,
 * each with its CR LF, or NULL. */
struct http_reply http_ask(uint16_t port, const char *method, const char *target,
                           const char *headers);
struct http_reply http_get(uint16_t port, const char *target);
/* Asks again while the answer is 202, at most 60 s. */
struct http_reply http_get_loaded(uint16_t port, const char *target);
/* The value of a header, "" when it is absent. Valid until the next call in this thread. */
const char *http_header(const struct http_reply *reply, const char *name);
void http_reply_free(struct http_reply *reply);

#endif
