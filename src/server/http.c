/* HTTP through libmicrohttpd: the only file that includes it.
 *
 * One thread per connection (a handler may compute for a while and must not stall others), at most
 * max_connections of them. In: requests. Out: what router.c answers, with the security headers. */
#include "http.h"

#include <microhttpd.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "xprofd/base/log.h"

#define DEFAULT_CONNECTIONS  64
#define IDLE_TIMEOUT_SECONDS 30
#define THREAD_STACK_BYTES   ((size_t)4 << 20)
#define HEADERS_MAX_BYTES    32768
/* Room of one connection. libmicrohttpd answers what does not fit by itself, without our headers:
 * so it is far more than is allowed, and what is too large reaches our own checks. The system gives
 * a page of it only when it is written to. */
#define CONNECTION_MEMORY ((size_t)4096 << 10)

struct exchange { /* one request, from its first line to its end */
    char *target;
    bool seen; /* libmicrohttpd calls twice; the second time the headers are complete */
    struct timespec start;
};

/* ---- sending ---- */

static void add(struct MHD_Response *response, const char *name, const char *value)
{
    if (MHD_add_response_header(response, name, value) != MHD_YES)
        xpd_log(XPD_LOG_ERROR, "the header %s could not be added", name);
}

static void add_headers(struct MHD_Response *to, const struct xpd_response *from)
{
    static const char *const caching[] = {
        [XPD_CACHE_NEVER] = "no-store",
        [XPD_CACHE_CHECK] = "no-cache",
        [XPD_CACHE_IMMUTABLE] = "public, max-age=31536000, immutable",
    };
    for (const struct xpd_header *header = xpd_security_headers; header->name; header++)
        add(to, header->name,
            from->policy && strcmp(header->name, "Content-Security-Policy") == 0 ? from->policy
                                                                                 : header->value);
    add(to, "Cache-Control", caching[from->caching]);
    if (from->status != 304)
        add(to, "Content-Type", from->type);
    if (from->gzip)
        add(to, "Content-Encoding", "gzip");
    if (from->varies)
        add(to, "Vary", "Accept-Encoding");
    if (from->tag[0])
        add(to, "ETag", from->tag);
    if (from->note[0])
        add(to, "X-Xprofd-Note", from->note);
    if (from->allow)
        add(to, "Allow", from->allow);
    if (from->location[0])
        add(to, "Location", from->location);
    /* Without a name: the page gives a better one, with run and module in it, and a name here would
     * win over that. */
    if (from->file_name[0])
        add(to, "Content-Disposition", "attachment");
}

static void release_nothing(void *owner)
{
    (void)owner;
}

/* ---- bodies that are made while they are sent ---- */

#define PIECE_BYTES 65536 /* handed to the library at a time */

struct sending {
    struct xpd_body_source source;
    struct xpd_strbuf piece;
    size_t taken; /* bytes of the piece that are on their way */
};

static void sending_free(void *state)
{
    struct sending *sending = state;
    sending->source.close(sending->source.self);
    xpd_strbuf_fini(&sending->piece);
    free(sending);
}

/* A failure in the middle breaks the connection off: what came is not the whole, and says so. */
static ssize_t send_piece(void *state, uint64_t at, char *into, size_t room)
{
    (void)at;
    struct sending *sending = state;
    struct xpd_err err = {0};
    if (sending->taken == sending->piece.size) {
        xpd_strbuf_clear(&sending->piece);
        sending->taken = 0;
        int rc = sending->source.next(sending->source.self, &sending->piece, &err);
        if (rc != XPD_OK || sending->piece.failed) {
            xpd_log(XPD_LOG_WARNING, "an answer broke off: %s",
                    rc != XPD_OK ? err.text : "out of memory");
            return MHD_CONTENT_READER_END_WITH_ERROR;
        }
        if (sending->piece.size == 0)
            return MHD_CONTENT_READER_END_OF_STREAM;
    }
    size_t size = sending->piece.size - sending->taken;
    size = size < room ? size : room;
    memcpy(into, sending->piece.data + sending->taken, size);
    sending->taken += size;
    return (ssize_t)size;
}

static struct MHD_Response *make_stream(struct xpd_response *response)
{
    struct sending *sending = calloc(1, sizeof *sending);
    if (!sending)
        return NULL;
    sending->source = response->source;
    struct MHD_Response *out = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE_BYTES,
                                                                 send_piece, sending, sending_free);
    if (out)
        response->source = (struct xpd_body_source){0};
    else
        free(sending);
    return out;
}

/* Hands the body over without copying it. */
static enum MHD_Result send_response(struct MHD_Connection *connection,
                                     struct xpd_response *response)
{
    struct MHD_Response *out =
        response->source.next
            ? make_stream(response)
            : MHD_create_response_from_buffer_with_free_callback_cls(
                  response->size, (void *)(uintptr_t)response->body,
                  response->release ? response->release : release_nothing, response->owner);
    if (!out) {
        xpd_response_release(response);
        return MHD_NO;
    }
    add_headers(out, response);
    enum MHD_Result queued = MHD_queue_response(connection, (unsigned)response->status, out);
    MHD_destroy_response(out);
    return queued;
}

static void log_request(const struct exchange *exchange, const char *method, int status,
                        size_t size)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double ms = (double)(now.tv_sec - exchange->start.tv_sec) * 1e3 +
                (double)(now.tv_nsec - exchange->start.tv_nsec) / 1e6;
    xpd_log(XPD_LOG_DEBUG, "%s %.300s %d %zu bytes %.1f ms", method, exchange->target, status, size,
            ms);
}

/* ---- receiving ---- */

struct header_sum {
    size_t bytes;
};

static enum MHD_Result count_header(void *ctx, enum MHD_ValueKind kind, const char *name,
                                    size_t name_size, const char *value, size_t value_size)
{
    (void)kind;
    (void)name;
    (void)value;
    ((struct header_sum *)ctx)->bytes += name_size + value_size + 4;
    return MHD_YES;
}

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* A GET with a body is nobody's honest request. */
static bool has_body(struct MHD_Connection *connection)
{
    const char *length = header(connection, "Content-Length");
    return header(connection, "Transfer-Encoding") || (length && strcmp(length, "0") != 0);
}

static void refuse(struct xpd_response *out, int status, int code, const char *where,
                   const char *text)
{
    struct xpd_err err = {0};
    xpd_fail(&err, code, where, XPD_NO_OFFSET, "%s", text);
    xpd_respond_error(out, status, &err);
}

/* True when the request must not be answered from the site; then *out says why. */
static bool is_refused(const struct xpd_http_from *from, struct MHD_Connection *connection,
                       const char *method, struct xpd_response *out)
{
    struct xpd_err err = {0};
    struct header_sum sum = {0};
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, count_header, &sum);
    if (sum.bytes > HEADERS_MAX_BYTES) {
        refuse(out, 431, XPD_ELIMIT, "headers", "the request has more than 32 KiB of headers");
    } else if (xpd_host_check(&from->host_rule, header(connection, "Host"), &err) != XPD_OK) {
        xpd_respond_error(out, header(connection, "Host") ? 421 : 400, &err);
    } else if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        refuse(out, 405, XPD_EINVAL, "method",
               "only GET and HEAD are answered; nothing can be changed here");
        out->allow = "GET, HEAD";
    } else if (has_body(connection)) {
        refuse(out, 413, XPD_ELIMIT, "body", "a request with a body is not answered");
    } else {
        return false;
    }
    return true;
}

/* The client closed its side or broke off; the library, when it ends, shuts the socket down in both
 * directions. */
static bool is_gone(void *client)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(client, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct pollfd socket = {.fd = info ? info->connect_fd : -1, .events = POLLRDHUP};
    return !info || (poll(&socket, 1, 0) > 0 && socket.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

/* The library closes a connection on which nothing went for a while. Time that we took does not
 * count: 0 and the limit again begin anew. */
static void restart_idle_time(struct MHD_Connection *connection)
{
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 0u);
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT,
                              (unsigned)IDLE_TIMEOUT_SECONDS);
}

static enum MHD_Result answer(void *ctx, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload_data,
                              size_t *upload_size, void **state)
{
    (void)url;
    (void)version;
    (void)upload_data;
    const struct xpd_http_from *from = ctx;
    struct exchange *exchange = *state;
    struct xpd_response response = {0};
    if (!exchange || !exchange->target)
        return MHD_NO;
    if (!exchange->seen) {
        exchange->seen = true;
        if (!is_refused(from, connection, method, &response))
            return MHD_YES;
    } else if (*upload_size != 0) {
        *upload_size = 0;
        return MHD_YES;
    } else {
        struct xpd_request_headers headers = {.host = header(connection, "Host"),
                                              .accept_encoding =
                                                  header(connection, "Accept-Encoding"),
                                              .if_none_match = header(connection, "If-None-Match"),
                                              .is_gone = is_gone,
                                              .client = connection};
        xpd_route(&from->site, xpd_str_of(exchange->target), &headers, &response);
        restart_idle_time(connection);
    }
    log_request(exchange, method, response.status, response.size);
    return send_response(connection, &response);
}

/* The target as sent: libmicrohttpd would decode it and forget how it was. */
static void *begin(void *ctx, const char *target, struct MHD_Connection *connection)
{
    (void)ctx;
    (void)connection;
    struct exchange *exchange = calloc(1, sizeof *exchange);
    if (!exchange)
        return NULL;
    exchange->target = strdup(target);
    clock_gettime(CLOCK_MONOTONIC, &exchange->start);
    return exchange;
}

static void finish(void *ctx, struct MHD_Connection *connection, void **state,
                   enum MHD_RequestTerminationCode why)
{
    (void)ctx;
    (void)connection;
    (void)why;
    struct exchange *exchange = *state;
    if (exchange)
        free(exchange->target);
    free(exchange);
    *state = NULL;
}

static size_t keep_escapes(void *ctx, struct MHD_Connection *connection, char *text)
{
    (void)ctx;
    (void)connection;
    return strlen(text);
}

static void log_library(void *ctx, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0)));
static void log_library(void *ctx, const char *fmt, va_list args)
{
    (void)ctx;
    char line[300];
    vsnprintf(line, sizeof line, fmt, args);
    line[strcspn(line, "\n")] = '\0';
    xpd_log(XPD_LOG_DEBUG, "libmicrohttpd: %s", line);
}

/* ---- life ---- */

/* Not strict, so that a missing Host and a space in the URL come here and get our errors. What the
 * library refuses by itself in any case is in docs/API.md. */
int xpd_http_start(struct MHD_Daemon **daemon, const struct xpd_http_from *from,
                   struct xpd_listener *listener, uint32_t max_connections, struct xpd_err *err)
{
    *daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL |
            MHD_USE_ITC | MHD_USE_ERROR_LOG,
        0, NULL, NULL, answer, (void *)(uintptr_t)from, MHD_OPTION_EXTERNAL_LOGGER, log_library,
        NULL, MHD_OPTION_LISTEN_SOCKET, listener->fd, MHD_OPTION_CONNECTION_LIMIT,
        max_connections ? max_connections : DEFAULT_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
        IDLE_TIMEOUT_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY,
        MHD_OPTION_THREAD_STACK_SIZE, THREAD_STACK_BYTES, MHD_OPTION_STRICT_FOR_CLIENT, 0,
        MHD_OPTION_URI_LOG_CALLBACK, begin, NULL, MHD_OPTION_NOTIFY_COMPLETED, finish, NULL,
        MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_END);
    if (!*daemon)
        return xpd_fail(err, XPD_EIO, NULL, XPD_NO_OFFSET, "the HTTP server could not be started");
    listener->fd = -1; /* the daemon closes it */
    return XPD_OK;
}

void xpd_http_stop(struct MHD_Daemon *daemon)
{
    if (daemon)
        MHD_stop_daemon(daemon);
}
