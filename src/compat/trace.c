/* The hosts of a request, and the data loaded for them. */
#include "trace.h"
#include "opstats/file_events.h"
#include "xprofd/compat/file_order.h"

#include <stdlib.h>

#define NAMES_MAX 256 /* in hosts= */

/* ---- the picture of a host, kept: what every request would look through all events for ---- */

static void free_picture(void *made)
{
    struct xpd_compat_picture *picture = made;
    if (!picture)
        return;
    xpd_xprof_close(picture->xprof);
    free(picture->named);
    free(picture);
}

static int make_picture(void **out, const struct xpd_part_from *from, struct xpd_err *err)
{
    struct xpd_xprof_input input = {
        .trace = from->need[0], .derived = from->need[1], .flows = from->need[2]};
    struct xpd_compat_picture *picture = calloc(1, sizeof *picture);
    int rc = picture ? xpd_xprof_open(&picture->xprof, &input, from->room_bytes, err) : XPD_ENOMEM;
    if (rc == XPD_OK && !xpd_compat_picture_names(picture))
        rc = XPD_ENOMEM;
    if (rc == XPD_OK) {
        *out = picture;
        return XPD_OK;
    }
    free_picture(picture);
    return xpd_no_memory(err, NULL, "for XProf's view of a trace");
}

static uint64_t picture_bytes(const void *made)
{
    const struct xpd_compat_picture *picture = made;
    const struct xpd_xprof_input *input = &picture->xprof->input;
    return sizeof *picture + xpd_xprof_bytes(picture->xprof) + input->trace->name_count +
           input->derived->name_count;
}

static const struct xpd_part_kind picture_part = {
    .doing = "laying out the rows",
    .needs = {&xpd_part_trace, &xpd_part_derived, &xpd_part_flows},
    .event_bytes = 1,
    .make = make_picture,
    .bytes = picture_bytes,
    .free = free_picture};

/* ---- hosts of a request ---- */

static int open_host(struct xpd_compat_trace *trace, uint32_t number, bool old, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = trace->ctx;
    struct xpd_compat_host *host = &trace->host[trace->host_count];
    struct xpd_file_host file;
    int rc = xpd_file_host_open(ctx, number, &file, err);
    *host =
        (struct xpd_compat_host){.host = file.host, .trace = file.trace, .derived = file.derived};
    if (rc == XPD_OK)
        rc = xpd_store_flows(ctx->store, ctx->run, number, XPD_COMPAT_WAIT_MS, &host->flows,
                             ctx->state, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_xprof_input input = {
        .trace = host->trace, .derived = host->derived, .flows = host->flows, .old = old};
    const void *picture = NULL;
    if (!old)
        rc = xpd_store_part(ctx->store, ctx->run, number, &picture_part, XPD_COMPAT_WAIT_MS,
                            &picture, ctx->state, err);
    if (rc != XPD_OK)
        return rc;
    host->picture = picture;
    rc = old ? xpd_xprof_open(&host->xprof, &input, 0, err)
             : xpd_xprof_share(&host->xprof, host->picture->xprof, host->host->name,
                               1000 * (trace->host_count + 1), err);
    trace->host_count += rc == XPD_OK;
    return rc;
}

static uint32_t number_of(const struct xpd_run *run, struct xpd_str name)
{
    for (uint32_t i = 0; i < run->host_count; i++)
        if (xpd_str_eq(name, xpd_str_of(run->host[i].name)))
            return i;
    return XPD_NO_INDEX;
}

static int open_named(struct xpd_compat_trace *trace, struct xpd_str name, bool old,
                      struct xpd_err *err)
{
    uint32_t number = number_of(trace->ctx->run, name);
    return number != XPD_NO_INDEX ? open_host(trace, number, old, err)
                                  : xpd_file_no_host(trace->ctx, name, err);
}

struct opening { /* several hosts */
    struct xpd_compat_trace *trace;
    bool old;
    struct xpd_err first; /* of the hosts that cannot be read */
};

/* A host whose file cannot be read is left out when others can, as in XProf. Another error, which
 * would leave out a host that is whole, is returned. */
static int try_host(struct opening *opening, uint32_t number)
{
    struct xpd_err problem = {0};
    int rc = open_host(opening->trace, number, opening->old, &problem);
    if (rc == XPD_OK)
        return rc;
    bool of_file = rc == XPD_EFORMAT || rc == XPD_ENOTFOUND || rc == XPD_EIO;
    if (!of_file || opening->first.code == XPD_OK)
        opening->first = problem;
    return of_file ? XPD_OK : rc;
}

/* "a,b": in that order; a host named twice appears twice. */
static int try_list(struct opening *opening, struct xpd_str list)
{
    const struct xpd_tool_ctx *ctx = opening->trace->ctx;
    int rc = XPD_OK;
    for (bool more = true; more && rc == XPD_OK;) {
        const char *comma = memchr(list.data, ',', list.size);
        size_t size = comma ? (size_t)(comma - list.data) : list.size;
        struct xpd_str name = {list.data, size};
        uint32_t number = number_of(ctx->run, name);
        rc = number != XPD_NO_INDEX ? try_host(opening, number)
                                    : xpd_file_no_host(ctx, name, &opening->first);
        more = comma != NULL;
        list.data += comma ? size + 1 : size;
        list.size -= comma ? size + 1 : size;
    }
    return rc;
}

/* In XProf's order. */
static int try_all(struct opening *opening)
{
    const struct xpd_tool_ctx *ctx = opening->trace->ctx;
    const uint32_t *number = xpd_host_order(ctx->run, ctx->arena);
    int rc = number ? XPD_OK : xpd_no_memory(&opening->first, NULL, "for this answer");
    for (uint32_t i = 0; rc == XPD_OK && i < ctx->run->host_count; i++)
        rc = try_host(opening, number[i]);
    return rc;
}

/* The hosts of a list, without one all of the run. */
static int open_several(struct xpd_compat_trace *trace, struct xpd_str list, bool old,
                        struct xpd_err *err)
{
    struct opening opening = {.trace = trace, .old = old};
    int rc = list.size > 0 ? try_list(&opening, list) : try_all(&opening);
    if (rc == XPD_OK && trace->host_count > 0)
        return rc;
    if (opening.first.code == XPD_OK)
        return xpd_fail(err, XPD_ENOTFOUND, "host", XPD_NO_OFFSET,
                        "run %s has no host with a profile", trace->ctx->run->entry->id);
    if (err)
        *err = opening.first;
    return opening.first.code;
}

static uint32_t count_names(struct xpd_str list)
{
    uint32_t count = 1;
    for (size_t i = 0; i < list.size; i++)
        count += list.data[i] == ',';
    return count;
}

int xpd_compat_open_trace(const struct xpd_tool_ctx *ctx, bool old, struct xpd_compat_trace *out,
                          struct xpd_err *err)
{
    struct xpd_str list = xpd_param_text(ctx, "hosts"), host = xpd_param_text(ctx, "host");
    uint32_t most = list.size > 0 ? count_names(list) : ctx->run->host_count;
    int rc;
    *out = (struct xpd_compat_trace){.ctx = ctx};
    if (list.size > 0 && most > NAMES_MAX)
        return xpd_fail(err, XPD_EINVAL, "hosts", XPD_NO_OFFSET,
                        "hosts= names %u hosts, at most %d", most, NAMES_MAX);
    out->host = XPD_NEW_ARRAY(ctx->arena, struct xpd_compat_host, (size_t)most + 1);
    if (!out->host)
        return xpd_no_memory(err, NULL, "for this answer");
    if (list.size == 0 && host.size > 0 && !xpd_str_eq(host, XPD_STR("ALL_HOSTS")))
        rc = open_named(out, host, old, err);
    else
        rc = open_several(out, list, old, err);
    if (rc != XPD_OK)
        xpd_compat_close_trace(out);
    return rc;
}

/* ---- levels of XProf's stores, where events are many ---- */

static int make_levels(void **out, const struct xpd_part_from *from, struct xpd_err *err)
{
    const struct xpd_compat_picture *picture = from->need[0];
    struct xpd_xprof_levels *levels = NULL;
    int rc = xpd_xprof_levels_make(&levels, picture->xprof, from->room_bytes, err);
    *out = levels;
    return rc;
}

static uint64_t levels_bytes(const void *made)
{
    return xpd_xprof_levels_bytes(made);
}

static void free_levels(void *made)
{
    xpd_xprof_levels_free(made);
}

static const struct xpd_part_kind levels_part = {.doing = "putting the events in levels",
                                                 .needs = {&picture_part},
                                                 .event_bytes = 9,
                                                 .make = make_levels,
                                                 .bytes = levels_bytes,
                                                 .free = free_levels};

int xpd_compat_need_levels(struct xpd_compat_trace *trace, struct xpd_compat_host *host,
                           struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = trace->ctx;
    const struct xpd_xprof_query *query = &host->query;
    bool samples =
        query->resolution_ps > 0 && host->xprof->event_count >= XPD_XPROF_VISIBILITY_EVENTS;
    if (!samples && !query->instant &&
        !(query->windowed && (query->dma_anywhere || xpd_xprof_is_shuffled(host->xprof))))
        return XPD_OK;
    const void *levels;
    int rc = xpd_store_part(ctx->store, ctx->run, (uint32_t)(host->host - ctx->run->host),
                            &levels_part, XPD_COMPAT_WAIT_MS, &levels, ctx->state, err);
    host->xprof->input.levels = levels;
    return rc;
}

void xpd_compat_close_trace(struct xpd_compat_trace *trace)
{
    for (uint32_t i = 0; i < trace->host_count; i++)
        xpd_xprof_close(trace->host[i].xprof);
    trace->host_count = 0;
}

void xpd_compat_put_us(struct xpd_strbuf *out, int64_t ps)
{
    uint64_t size = ps < 0 ? 0 - (uint64_t)ps : (uint64_t)ps;
    uint32_t part = (uint32_t)(size % 1000000);
    char text[7] = ".000000";
    size_t end = sizeof text;
    if (ps < 0)
        xpd_strbuf_putc(out, '-');
    xpd_strbuf_u64(out, size / 1000000);
    if (part == 0)
        return;
    for (size_t i = sizeof text - 1; i > 0; i--, part /= 10)
        text[i] = (char)('0' + part % 10);
    while (text[end - 1] == '0')
        end--;
    xpd_strbuf_add(out, text, end);
}
