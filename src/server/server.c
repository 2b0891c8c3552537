/* The life of a server: its options, its sockets, what it answers from. http.c answers. */
#include "xprofd/server/server.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "http.h"
#include "request_log.h"

#define RESULTS_BYTES   ((size_t)64 << 20)
#define CONNECTIONS_MIN 64
#define CONNECTIONS_MAX 8192 /* at each address */

struct xpd_server {
    struct MHD_Daemon *daemon, *daemon6; /* daemon6: on ::1 too, or NULL */
    struct xpd_listener listener, listener6;
    struct xpd_http_from from;
    struct xpd_metrics metrics;
    char *bind, *source_url, *allowed_hosts, *doctor_config, *socket_path, *base_path, *token;
    bool socket_is_ours; /* to be taken away at the end */
};

#define UNRESERVED                                                                                 \
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~" /* in any URL, cookie */

int xpd_token_check(const char *token, struct xpd_err *err)
{
    size_t size = strlen(token);
    if (size < XPD_TOKEN_MIN || size > XPD_TOKEN_MAX || strspn(token, UNRESERVED) != size)
        return xpd_fail(err, XPD_EINVAL, "--token", XPD_NO_OFFSET,
                        "a token has %d to %d letters, digits or -._~; `openssl rand -hex 16` "
                        "makes one",
                        XPD_TOKEN_MIN, XPD_TOKEN_MAX);
    return XPD_OK;
}

int xpd_base_path_check(const char *path, struct xpd_err *err)
{
    size_t size = strlen(path);
    bool fine = size >= 2 && path[0] == '/' && path[size - 1] != '/' && size < 200 &&
                strspn(path, UNRESERVED "/") == size && !strstr(path, "//") && !strstr(path, "/.");
    return fine ? XPD_OK
                : xpd_fail(err, XPD_EINVAL, "--base-path", XPD_NO_OFFSET,
                           "--base-path is a path such as /profiles, of letters, digits and -._~, "
                           "not \"%.80s\"",
                           path);
}

void xpd_server_log_json(void)
{
    xpd_log_as_json();
}

static char *copy_text(const char *text, bool *failed)
{
    char *copy = text ? strdup(text) : NULL;
    *failed = *failed || (text && !copy);
    return copy;
}

static void server_free(struct xpd_server *server)
{
    if (server->listener.fd >= 0)
        close(server->listener.fd);
    if (server->listener6.fd >= 0)
        close(server->listener6.fd);
    xpd_work_free(server->from.work);
    xpd_results_free(server->from.site.results);
    xpd_assets_close(server->from.site.assets);
    free(server->bind);
    free(server->source_url);
    free(server->doctor_config);
    free(server->allowed_hosts);
    if (server->socket_is_ours)
        unlink(server->socket_path);
    free(server->socket_path);
    free(server->base_path);
    free(server->token);
    free(server);
}

static struct xpd_server *server_new(const struct xpd_server_options *options,
                                     struct xpd_store *store)
{
    struct xpd_server *server = calloc(1, sizeof *server);
    if (!server)
        return NULL;
    bool failed = false;
    server->listener.fd = server->listener6.fd = -1;
    server->bind = copy_text(options->bind ? options->bind : "127.0.0.1", &failed);
    server->source_url = copy_text(options->source_url, &failed);
    server->doctor_config = copy_text(options->doctor_config, &failed);
    server->allowed_hosts = copy_text(options->allowed_hosts, &failed);
    server->socket_path = copy_text(options->socket_path, &failed);
    server->base_path = copy_text(options->base_path ? options->base_path : "", &failed);
    server->token = copy_text(options->token, &failed);
    server->from.site = (struct xpd_site){.store = store,
                                          .results = xpd_results_new(RESULTS_BYTES),
                                          .metrics = &server->metrics,
                                          .hbm_override_bytes = options->hbm_override_bytes,
                                          .source_url = server->source_url,
                                          .doctor_config = server->doctor_config};
    server->from.front = (struct xpd_front){.host_rule = {.bind = server->bind,
                                                          .allowed = server->allowed_hosts,
                                                          .any = options->allow_any_host},
                                            .base_path = server->base_path,
                                            .token = server->token,
                                            .trusts_proxy = options->trust_proxy};
    server->from.work = server->metrics.work = xpd_work_new(0);
    if (!failed && server->from.site.results && server->from.work)
        return server;
    if (server->from.work)
        xpd_work_end(server->from.work);
    server_free(server);
    return NULL;
}

/* Answers or cancels open requests, then closes the sockets. */
static void stop_daemons(struct xpd_server *server)
{
    xpd_work_end(server->from.work);
    xpd_http_stop(server->daemon);
    xpd_http_stop(server->daemon6);
}

/* A connection costs a descriptor: as many as this process may open, but for those that reading
 * files takes. */
static uint32_t connections_max(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return CONNECTIONS_MIN;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        getrlimit(RLIMIT_NOFILE, &limit);
    rlim_t room = limit.rlim_cur / 2; /* for each of two sockets, and files */
    return room < CONNECTIONS_MIN   ? CONNECTIONS_MIN
           : room < CONNECTIONS_MAX ? (uint32_t)room
                                    : CONNECTIONS_MAX;
}

static int listen_where(struct xpd_server *server, const struct xpd_server_options *options,
                        struct xpd_err *err)
{
    if (server->socket_path) {
        int rc = xpd_listen_unix(&server->listener, server->socket_path, err);
        server->socket_is_ours = rc == XPD_OK;
        return rc;
    }
    if (options->both_loopbacks)
        return xpd_listen_loopbacks(&server->listener, &server->listener6, options->port, err);
    return xpd_listen(&server->listener, server->bind, options->port, err);
}

int xpd_server_start(struct xpd_server **out, const struct xpd_server_options *options,
                     struct xpd_store *store, struct xpd_err *err)
{
    *out = NULL;
    struct xpd_server *server = server_new(options, store);
    if (!server)
        return xpd_no_memory(err, NULL, "to start the server");
    int rc = xpd_assets_open(&server->from.site.assets, options->web_dir, err);
    if (rc == XPD_OK)
        rc = listen_where(server, options, err);
    server->from.front.takes_pastes = server->token || server->listener.is_loopback;
    uint32_t most = connections_max();
    if (rc == XPD_OK)
        rc = xpd_http_start(&server->daemon, &server->from, &server->listener, most, err);
    if (rc == XPD_OK && server->listener6.fd >= 0)
        rc = xpd_http_start(&server->daemon6, &server->from, &server->listener6, most, err);
    if (rc != XPD_OK) {
        stop_daemons(server);
        server_free(server);
        return rc;
    }
    *out = server;
    return XPD_OK;
}

uint16_t xpd_server_port(const struct xpd_server *server)
{
    return server->listener.port;
}

bool xpd_server_is_loopback(const struct xpd_server *server)
{
    return server->listener.is_loopback;
}

void xpd_server_drain(struct xpd_server *server)
{
    xpd_work_give_up(server->from.work);
    xpd_http_drain(server->daemon, &server->listener);
    xpd_http_drain(server->daemon6, &server->listener6);
}

uint32_t xpd_server_in_flight(const struct xpd_server *server)
{
    int64_t count = server->metrics.in_flight;
    return count > 0 ? (uint32_t)count : 0;
}

void xpd_server_stop(struct xpd_server *server)
{
    if (!server)
        return;
    stop_daemons(server);
    server_free(server);
}
