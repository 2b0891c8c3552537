/* HTTP through libmicrohttpd: the only file that includes it.
 *
 * One thread waits for all sockets, so that a connection costs a descriptor. It hands each complete
 * request to the threads of work.h and suspends the connection until the answer is there; bodies
 * that are made while they are sent come from these threads, too, piece by piece. In: requests.
 * Out: what router.c answers, with the security headers. */
#include "http.h"

#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "paste.h"
#include "request_log.h"
#include "xprofd/base/log.h"

#define REQUEST_SECONDS   10  /* for a request to come whole */
#define SENDING_SECONDS   30  /* without a byte that the client takes */
#define IDLE_SECONDS      60  /* between two requests */
#define WAIT_MS           250 /* how long a load is waited for before the answer is 202 */
#define HEADERS_MAX_BYTES 32768
#define PASTES_AT_ONCE    4 /* bodies in memory that are still coming */
/* Requests that may wait for a thread; the next ones get 503. */
#define WAITING_MAX 4096
/* A request that waited as long is looked at before it is worked on: its client may have left. */
#define LEFT_MS 1000
/* Memory of one connection. libmicrohttpd itself answers requests that do not fit, without our
 * headers; so it is several times our limits, and too large requests reach our own checks. It
 * clears all of it after each request, so it is not larger. */
#define CONNECTION_MEMORY ((size_t)256 << 10)

enum progress { LINE_READ, HEADERS_READ, IN_WORK, ANSWERED };

struct exchange { /* one request, from its first line to its end */
    struct xpd_job job;
    const struct xpd_http_from *from;
    struct MHD_Connection *connection;
    char *target;
    struct xpd_str inner; /* the target without the prefix of a proxy */
    char client[XPD_CLIENT_BYTES];
    char method[12];
    struct timespec start;
    enum progress progress; /* meaning of the library's next call of answer() */
    bool counted;           /* as one in flight */
    uint64_t sent_bytes;
    char *body; /* of a program that is pasted, NULL = none is */
    size_t body_size, body_expected;
    struct xpd_request_headers headers;
    struct xpd_response response;
};

static int64_t ns_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - start->tv_sec) * 1000000000 + (now.tv_nsec - start->tv_nsec);
}

static int64_t ms_since(const struct timespec *start)
{
    return ns_since(start) / 1000000;
}

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
    if (from->encoding)
        add(to, "Content-Encoding", from->encoding);
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
    if (from->cookie[0])
        add(to, "Set-Cookie", from->cookie);
    if (from->challenge)
        add(to, "WWW-Authenticate", from->challenge);
    if (from->retry_after_seconds > 0) {
        char seconds[16];
        snprintf(seconds, sizeof seconds, "%d", from->retry_after_seconds);
        add(to, "Retry-After", seconds);
    }
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
    struct xpd_job job; /* makes the next piece */
    struct MHD_Connection *connection;
    struct exchange *exchange; /* outlives the last call of send_piece */
    struct xpd_work *work;
    struct xpd_body_source source;
    struct xpd_strbuf piece;
    size_t taken; /* bytes of the piece that are on their way */
    bool asked;   /* a piece was requested, and is ready when the library calls again */
    int rc;       /* of that piece */
};

static void sending_free(void *state)
{
    struct sending *sending = state;
    sending->source.close(sending->source.self);
    xpd_strbuf_fini(&sending->piece);
    free(sending);
}

static bool make_piece(struct xpd_job *job)
{
    struct sending *sending = (struct sending *)((char *)job - offsetof(struct sending, job));
    struct xpd_err err = {0};
    xpd_strbuf_clear(&sending->piece);
    sending->taken = 0;
    sending->rc = sending->source.next(sending->source.self, &sending->piece, &err);
    if (sending->rc == XPD_OK && sending->piece.failed)
        sending->rc = xpd_no_memory(&err, NULL, "for this answer");
    if (sending->rc != XPD_OK)
        xpd_log(XPD_LOG_WARNING, "an answer was not completed: %s", err.text);
    MHD_resume_connection(sending->connection);
    return true;
}

/* Requests a piece, and copies from it when ready. A failure in the middle closes the connection,
 * so that a part is not taken for the whole. */
static ssize_t send_piece(void *state, uint64_t at, char *into, size_t room)
{
    (void)at;
    struct sending *sending = state;
    if (sending->taken == sending->piece.size && !sending->asked) {
        sending->asked = true;
        MHD_suspend_connection(sending->connection);
        xpd_work_put(sending->work, &sending->job);
        return 0;
    }
    sending->asked = false;
    if (sending->rc != XPD_OK)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (sending->piece.size == 0)
        return MHD_CONTENT_READER_END_OF_STREAM;
    size_t size = sending->piece.size - sending->taken;
    size = size < room ? size : room;
    memcpy(into, sending->piece.data + sending->taken, size);
    sending->taken += size;
    sending->exchange->sent_bytes += size;
    return (ssize_t)size;
}

static struct MHD_Response *make_stream(struct exchange *exchange)
{
    struct sending *sending = calloc(1, sizeof *sending);
    if (!sending)
        return NULL;
    *sending = (struct sending){.job = {.run = make_piece, .client = exchange->job.client},
                                .connection = exchange->connection,
                                .exchange = exchange,
                                .work = exchange->from->work,
                                .source = exchange->response.source};
    struct MHD_Response *out = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE_BYTES,
                                                                 send_piece, sending, sending_free);
    if (out)
        exchange->response.source = (struct xpd_body_source){0};
    else
        free(sending);
    return out;
}

/* Hands the body over without copying it. */
static enum MHD_Result send_response(struct exchange *exchange)
{
    struct xpd_response *response = &exchange->response;
    struct MHD_Response *out =
        response->source.next
            ? make_stream(exchange)
            : MHD_create_response_from_buffer_with_free_callback_cls(
                  response->size, (void *)(uintptr_t)response->body,
                  response->release ? response->release : release_nothing, response->owner);
    if (!out)
        return MHD_NO; /* finish() releases the response */
    add_headers(out, response);
    if (xpd_work_gives_up(exchange->from->work)) /* the server ends */
        add(out, "Connection", "close");
    if (!response->source.next && strcmp(exchange->method, "HEAD") != 0)
        exchange->sent_bytes = response->size;
    *response = (struct xpd_response){.status = response->status};
    MHD_set_connection_option(exchange->connection, MHD_CONNECTION_OPTION_TIMEOUT,
                              (unsigned)SENDING_SECONDS);
    enum MHD_Result queued =
        MHD_queue_response(exchange->connection, (unsigned)response->status, out);
    MHD_destroy_response(out);
    return queued;
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

/* A GET with a body is refused. */
static bool has_body(struct MHD_Connection *connection)
{
    const char *length = header(connection, "Content-Length");
    return header(connection, "Transfer-Encoding") || (length && strcmp(length, "0") != 0);
}

static struct xpd_asked asked_of(const struct exchange *exchange)
{
    struct MHD_Connection *connection = exchange->connection;
    return (struct xpd_asked){.target = exchange->target,
                              .host = header(connection, "Host"),
                              .authorization = header(connection, "Authorization"),
                              .cookie = header(connection, "Cookie"),
                              .accept = header(connection, "Accept"),
                              .page = header(connection, "X-Xprofd-Page"),
                              .forwarded_for = header(connection, "X-Forwarded-For"),
                              .forwarded_host = header(connection, "X-Forwarded-Host"),
                              .forwarded_proto = header(connection, "X-Forwarded-Proto")};
}

/* Reserves memory for the expected text. False: *out has the reason. */
static bool takes_paste(struct exchange *exchange, const struct xpd_asked *asked)
{
    const struct xpd_front *front = &exchange->from->front;
    struct xpd_response *out = &exchange->response;
    struct MHD_Connection *connection = exchange->connection;
    struct xpd_pasting pasting = {.method = exchange->method,
                                  .origin = header(connection, "Origin"),
                                  .fetch_site = header(connection, "Sec-Fetch-Site"),
                                  .type = header(connection, "Content-Type"),
                                  .length = header(connection, "Content-Length"),
                                  .encoding = header(connection, "Transfer-Encoding")};
    struct xpd_metrics *metrics = exchange->from->site.metrics;
    if (!xpd_front_lets_in(front, asked, out) ||
        !xpd_paste_takes(front, asked, &pasting, &exchange->body_expected, out))
        return false;
    if (metrics->pastes < PASTES_AT_ONCE)
        exchange->body = malloc(exchange->body_expected + 1);
    if (exchange->body)
        metrics->pastes++;
    else
        xpd_respond_refusal(out, 503, XPD_EBUSY, "body",
                            "four programs are being pasted; try again");
    return exchange->body != NULL;
}

/* More than was announced is not taken; the library does not hand it on either. */
static void take_body(struct exchange *exchange, const char *data, size_t size)
{
    size_t room = exchange->body ? exchange->body_expected - exchange->body_size : 0;
    size = size < room ? size : room;
    if (size > 0)
        memcpy(exchange->body + exchange->body_size, data, size);
    exchange->body_size += size;
}

/* True when the request must not be answered from the site; then the response says why. */
static bool is_refused(struct exchange *exchange, const struct xpd_asked *asked)
{
    const struct xpd_front *front = &exchange->from->front;
    struct MHD_Connection *connection = exchange->connection;
    const char *method = exchange->method;
    struct xpd_response *out = &exchange->response;
    struct header_sum sum = {0};
    bool is_health = xpd_front_is_health(front, asked->target);
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, count_header, &sum);
    if (sum.bytes > HEADERS_MAX_BYTES) {
        xpd_respond_refusal(out, 431, XPD_ELIMIT, "headers",
                            "the request has more than 32 KiB of headers");
        return true;
    }
    if (!is_health && !xpd_front_takes_host(front, asked, out))
        return true;
    if (xpd_paste_is(front, asked->target))
        return !takes_paste(exchange, asked);
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        xpd_respond_refusal(out, 405, XPD_EINVAL, "method",
                            "this server answers only GET and HEAD; nothing can be changed");
        out->allow = "GET, HEAD";
    } else if (has_body(connection)) {
        xpd_respond_refusal(out, 413, XPD_ELIMIT, "body", "requests with a body are not supported");
    } else if (is_health) {
        xpd_front_respond_health(out);
    } else {
        return !xpd_front_lets_in(front, asked, out);
    }
    return true;
}

/* The peer: an address, or "unix". */
static void peer_of(struct MHD_Connection *connection, char peer[XPD_CLIENT_BYTES])
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *at = info ? info->client_addr : NULL;
    socklen_t size =
        at && at->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    if (!at || (at->sa_family != AF_INET && at->sa_family != AF_INET6) ||
        getnameinfo(at, size, peer, XPD_CLIENT_BYTES, NULL, 0, NI_NUMERICHOST) != 0)
        snprintf(peer, XPD_CLIENT_BYTES, "unix");
}

/* Users behind one proxy or tunnel have one address: their pages distinguish them.
 */
static void note_client(struct exchange *exchange, const struct xpd_asked *asked)
{
    char peer[XPD_CLIENT_BYTES];
    peer_of(exchange->connection, peer);
    xpd_front_client(&exchange->from->front, asked, peer, exchange->client);
    uint64_t part[2] = {xpd_hash(exchange->client, strlen(exchange->client)),
                        asked->page ? xpd_hash(asked->page, strlen(asked->page)) : 0};
    exchange->job.client = xpd_hash(part, sizeof part);
}

/* The request line and all headers are complete. */
static enum MHD_Result begin_exchange(struct exchange *exchange, const char *method)
{
    const struct xpd_http_from *from = exchange->from;
    struct xpd_asked asked = asked_of(exchange);
    snprintf(exchange->method, sizeof exchange->method, "%s", method);
    note_client(exchange, &asked);
    exchange->counted = true;
    from->site.metrics->in_flight++;
    exchange->progress = HEADERS_READ;
    if (is_refused(exchange, &asked))
        return send_response(exchange);
    exchange->inner = xpd_front_inner(&from->front, exchange->target);
    return MHD_YES;
}

/* The client closed the connection and would not read the answer. */
static bool is_gone(const struct exchange *exchange)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct pollfd socket = {.fd = info ? info->connect_fd : -1, .events = POLLRDHUP};
    return !info || (poll(&socket, 1, 0) > 0 && socket.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

static void give_up(struct xpd_response *response, const char *why)
{
    xpd_response_release(response);
    *response = (struct xpd_response){0};
    xpd_respond_refusal(response, 503, XPD_EBUSY, "server", why);
}

/* On a worker thread. A request that has to wait returns to the queue, unless a thread is free to
 * sleep; a client that does not wait gets 202. */
static bool work_on(struct xpd_job *job)
{
    struct exchange *exchange = (struct exchange *)((char *)job - offsetof(struct exchange, job));
    struct xpd_response *response = &exchange->response;
    const struct xpd_http_from *from = exchange->from;
    exchange->headers.wait_ms = xpd_work_is_idle(from->work) ? WAIT_MS : 0;
    if (ms_since(&exchange->start) >= LEFT_MS && is_gone(exchange))
        give_up(response, "the connection was closed before the request was handled");
    else if (exchange->body)
        xpd_paste_respond(&from->site, (struct xpd_str){exchange->body, exchange->body_size},
                          response);
    else
        xpd_route(&from->site, exchange->inner, &exchange->headers, response);
    bool waits =
        response->status == 202 && (response->ask_again || ms_since(&exchange->start) < WAIT_MS);
    if (waits && xpd_work_gives_up(from->work)) {
        give_up(response, "the server is shutting down");
    } else if (waits && is_gone(exchange)) {
        give_up(response, "the connection was closed while the run was being read");
    } else if (waits) {
        xpd_response_release(response);
        *response = (struct xpd_response){0};
        return false;
    }
    exchange->progress = ANSWERED;
    MHD_resume_connection(exchange->connection);
    return true;
}

static enum MHD_Result begin_work(struct exchange *exchange)
{
    struct MHD_Connection *connection = exchange->connection;
    if (!xpd_work_has_room(exchange->from->work, exchange->job.client, WAITING_MAX)) {
        give_up(&exchange->response, "too many requests are waiting (at most 4,096, and half of "
                                     "the free places for one client); try again in a second");
        exchange->response.retry_after_seconds = 1;
        return send_response(exchange);
    }
    exchange->headers =
        (struct xpd_request_headers){.accept_encoding = header(connection, "Accept-Encoding"),
                                     .if_none_match = header(connection, "If-None-Match")};
    exchange->progress = IN_WORK;
    MHD_suspend_connection(connection);
    xpd_work_put(exchange->from->work, &exchange->job);
    return MHD_YES;
}

static enum MHD_Result answer(void *ctx, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload_data,
                              size_t *upload_size, void **state)
{
    (void)url;
    (void)version;
    struct exchange *exchange = *state;
    if (!exchange || !exchange->target)
        return MHD_NO;
    exchange->from = ctx;
    exchange->connection = connection;
    switch (exchange->progress) {
    case LINE_READ: return begin_exchange(exchange, method);
    case HEADERS_READ:
        if (*upload_size == 0)
            return begin_work(exchange);
        take_body(exchange, upload_data, *upload_size);
        *upload_size = 0;
        return MHD_YES;
    case IN_WORK: return MHD_YES; /* not called while it is suspended */
    case ANSWERED: break;
    }
    return send_response(exchange);
}

/* The target as sent: libmicrohttpd would decode it and forget how it was. */
static void *begin(void *ctx, const char *target, struct MHD_Connection *connection)
{
    (void)ctx;
    struct exchange *exchange = calloc(1, sizeof *exchange);
    if (!exchange)
        return NULL;
    exchange->job.run = work_on;
    exchange->target = strdup(target);
    clock_gettime(CLOCK_MONOTONIC, &exchange->start);
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)REQUEST_SECONDS);
    return exchange;
}

static void count(const struct exchange *exchange, bool whole)
{
    struct xpd_metrics *metrics = exchange->from->site.metrics;
    int64_t ns = ns_since(&exchange->start);
    metrics->in_flight--;
    xpd_metrics_count(metrics, exchange->response.status, exchange->sent_bytes, (uint64_t)ns);
    xpd_log_request(&(struct xpd_request_line){.client = exchange->client,
                                               .method = exchange->method,
                                               .target = exchange->target,
                                               .status = exchange->response.status,
                                               .sent_bytes = exchange->sent_bytes,
                                               .ms = (double)ns / 1e6,
                                               .whole = whole});
}

static void finish(void *ctx, struct MHD_Connection *connection, void **state,
                   enum MHD_RequestTerminationCode why)
{
    (void)ctx;
    struct exchange *exchange = *state;
    bool whole = why == MHD_REQUEST_TERMINATED_COMPLETED_OK;
    if (exchange) {
        if (exchange->counted)
            count(exchange, whole);
        xpd_response_release(&exchange->response);
        if (exchange->body)
            exchange->from->site.metrics->pastes--;
        free(exchange->body);
        free(exchange->target);
    }
    free(exchange);
    *state = NULL;
    if (whole)
        MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT,
                                  (unsigned)IDLE_SECONDS);
}

static void count_connection(void *ctx, struct MHD_Connection *connection, void **state,
                             enum MHD_ConnectionNotificationCode what)
{
    (void)connection;
    (void)state;
    const struct xpd_http_from *from = ctx;
    from->site.metrics->connections += what == MHD_CONNECTION_NOTIFY_STARTED ? 1 : -1;
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
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_ERROR_LOG,
        0, NULL, NULL, answer, (void *)(uintptr_t)from, MHD_OPTION_EXTERNAL_LOGGER, log_library,
        NULL, MHD_OPTION_LISTEN_SOCKET, listener->fd, MHD_OPTION_CONNECTION_LIMIT, max_connections,
        MHD_OPTION_CONNECTION_TIMEOUT, REQUEST_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        CONNECTION_MEMORY, MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_URI_LOG_CALLBACK, begin,
        NULL, MHD_OPTION_NOTIFY_COMPLETED, finish, NULL, MHD_OPTION_NOTIFY_CONNECTION,
        count_connection, (void *)(uintptr_t)from, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,
        MHD_OPTION_END);
    if (!*daemon)
        return xpd_fail(err, XPD_EIO, NULL, XPD_NO_OFFSET, "the HTTP server could not be started");
    listener->fd = -1; /* the daemon closes it */
    return XPD_OK;
}

void xpd_http_drain(struct MHD_Daemon *daemon, struct xpd_listener *listener)
{
    if (!daemon)
        return;
    /* New connections are refused. The library's thread may still know the descriptor: it is closed
     * when that thread has ended. */
    listener->fd = MHD_quiesce_daemon(daemon);
    if (listener->fd >= 0)
        shutdown(listener->fd, SHUT_RDWR);
}

void xpd_http_stop(struct MHD_Daemon *daemon)
{
    if (daemon)
        MHD_stop_daemon(daemon);
}
