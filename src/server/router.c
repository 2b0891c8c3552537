/* Routes: /api/v1/... are tools, XProf's paths are compat routes (with and without XProf's prefix),
 * the rest is the page. In: a target as sent. Out: an answer. A path is only ever compared with
 * tables. */
#include "router.h"

#include <inttypes.h>
#include <stdio.h>

#include "query.h"
#include "server_metrics.h"
#include "tool_answer.h"
#include "xprofd/compat/routes.h"

#define DECODE_BUDGET_BYTES (8 * XPD_TARGET_MAX_BYTES)

static const struct xpd_str xprof_prefix = {"/data/plugin/profile",
                                            sizeof "/data/plugin/profile" - 1};

static void strip_slashes(struct xpd_str *path)
{
    while (path->size > 1 && path->data[path->size - 1] == '/')
        path->size--;
}

/* "/data/plugin/profile/x" becomes "/x". */
static struct xpd_str without_prefix(struct xpd_str path)
{
    if (path.size <= xprof_prefix.size ||
        memcmp(path.data, xprof_prefix.data, xprof_prefix.size) != 0 ||
        path.data[xprof_prefix.size] != '/')
        return path;
    return (struct xpd_str){path.data + xprof_prefix.size, path.size - xprof_prefix.size};
}

static const struct xpd_tool *find_tool(struct xpd_str path)
{
    strip_slashes(&path);
    const struct xpd_tool *tool = xpd_tool_find(path);
    return tool ? tool : xpd_compat_find(without_prefix(path));
}

static bool is_api(struct xpd_str path)
{
    return xpd_str_starts(path, "/api/") || xpd_str_eq(path, XPD_STR("/api"));
}

static void respond_not_found(struct xpd_str path, struct xpd_response *out)
{
    struct xpd_err err = {0};
    int shown = (int)(path.size < 120 ? path.size : 120);
    if (is_api(path))
        xpd_fail(&err, XPD_ENOTFOUND, "url", XPD_NO_OFFSET,
                 "there is no route %.*s; docs/API.md lists all routes", shown, path.data);
    else
        xpd_fail(&err, XPD_ENOTFOUND, "url", XPD_NO_OFFSET, "there is no file %.*s", shown,
                 path.data);
    xpd_respond_error(out, 0, &err);
}

/* The page's URLs are relative, so that it works behind any prefix; it is right only one level
 * deep. Deeper paths are sent there, with their query. */
static void redirect_to_root(struct xpd_str path, struct xpd_str query, struct xpd_response *out)
{
    struct xpd_strbuf location = {.limit_bytes = 200};
    for (size_t i = 1; i < path.size; i++)
        if (path.data[i] == '/')
            xpd_strbuf_puts(&location, "../");
    struct xpd_str up = {location.data ? location.data : "./", location.data ? location.size : 2};
    bool has_query = query.size > 0 && up.size + query.size < sizeof out->location - 2;
    char text[sizeof out->location];
    snprintf(text, sizeof text, "%.*s%s%.*s", (int)up.size, up.data, has_query ? "?" : "",
             has_query ? (int)query.size : 0, query.data);
    if (location.failed)
        respond_not_found(path, out);
    else
        xpd_respond_redirect(out, text);
    xpd_strbuf_fini(&location);
}

static void respond_page(const struct xpd_site *site, struct xpd_str path, struct xpd_str query,
                         const struct xpd_request_headers *headers, struct xpd_response *out)
{
    struct xpd_str name = {path.data + 1, path.size - 1};
    if (name.size > 0 && xpd_assets_respond(site->assets, name, headers, out))
        return;
    if (!path.data || memchr(path.data, '.', path.size))
        respond_not_found(path, out);
    else if (memchr(name.data, '/', name.size))
        redirect_to_root(path, query, out);
    else if (!xpd_assets_respond(site->assets, XPD_STR("index.html"), headers, out))
        respond_not_found(path, out);
}

static int decode(struct xpd_arena *arena, struct xpd_str target, struct xpd_str *path,
                  struct xpd_str *raw_query, struct xpd_query *query, struct xpd_err *err)
{
    const char *mark = memchr(target.data, '?', target.size);
    size_t path_size = mark ? (size_t)(mark - target.data) : target.size;
    *raw_query = mark ? (struct xpd_str){mark + 1, target.size - path_size - 1} : XPD_STR("");
    if (path_size == 0 || target.data[0] != '/')
        return xpd_fail(err, XPD_EINVAL, "url", XPD_NO_OFFSET, "the path must start with /");
    if (memchr(target.data, ' ', target.size))
        return xpd_fail(err, XPD_EINVAL, "url", XPD_NO_OFFSET,
                        "the URL has a space; it is written %%20");
    int rc = xpd_percent_decode(arena, (struct xpd_str){target.data, path_size}, false, path, err);
    return rc == XPD_OK ? xpd_query_decode(arena, *raw_query, query, err) : rc;
}

void xpd_route(const struct xpd_site *site, struct xpd_str target,
               const struct xpd_request_headers *headers, struct xpd_response *out)
{
    struct xpd_err err = {0};
    if (target.size > XPD_TARGET_MAX_BYTES) {
        xpd_fail(&err, XPD_ELIMIT, "url", XPD_NO_OFFSET, "the URL is longer than %d bytes",
                 XPD_TARGET_MAX_BYTES);
        xpd_respond_error(out, 414, &err);
        return;
    }
    struct xpd_arena arena;
    xpd_arena_init(&arena, DECODE_BUDGET_BYTES);
    struct xpd_str path = {NULL, 0}, raw_query = {NULL, 0};
    struct xpd_query query;
    const struct xpd_tool *tool = NULL;
    int rc = decode(&arena, target, &path, &raw_query, &query, &err);
    if (rc != XPD_OK)
        xpd_respond_error(out, 0, &err);
    else if ((tool = find_tool(path)) != NULL)
        xpd_answer_tool(site, tool, &query, headers, out);
    else if (is_api(path))
        respond_not_found(path, out);
    else if (xpd_str_eq(path, XPD_STR("/metrics")))
        xpd_metrics_respond(site, out);
    else
        respond_page(site, path, raw_query, headers, out);
    xpd_arena_fini(&arena);
    xpd_respond_if_changed(out, headers);
}
