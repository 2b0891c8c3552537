/* Allocators on the axis of an answer. In: a question about one host or all. Out: their events,
 * lives and purposes, made once for the run. */
#include "alloc_lanes.h"

#include "xprofd/base/checked.h"
#include "xprofd/trace/join.h"

/* ---- kept beside the run ---- */

struct lives_of_host {
    struct xpd_alloc_lives *at; /* by allocator */
};

static int make_lives(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                      uint32_t host, struct xpd_err *err)
{
    struct lives_of_host *out = table;
    const struct xpd_allocations *all = xpd_tools_allocations(ctx, host, err);
    if (!all)
        return xpd_table_status(NULL, err);
    out->at = XPD_NEW_ARRAY(arena, struct xpd_alloc_lives, all->count);
    for (uint32_t i = 0; out->at && i < all->count; i++)
        if (!xpd_alloc_lives_make(&out->at[i], &all->allocator[i], arena))
            return xpd_tools_no_memory(err);
    return out->at ? XPD_OK : xpd_tools_no_memory(err);
}

static const struct lives_of_host *lives_of(const struct xpd_tool_ctx *ctx, uint32_t host,
                                            struct xpd_err *err)
{
    struct xpd_tool_ctx of_run = *ctx;
    of_run.module = XPD_NO_INDEX;
    return xpd_table(&of_run, XPD_TABLE_ALLOC_LIVES, host, false, sizeof(struct lives_of_host),
                     make_lives, err);
}

struct purposes_of {
    const struct xpd_alloc_purpose *at; /* by event */
};

#define ALLOCATORS_A_HOST                                                                          \
    512 /* more than XPD_ALLOCATORS_MAX: a host and an allocator in one number */

static int make_purposes(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                         uint32_t detail, struct xpd_err *err)
{
    struct purposes_of *out = table;
    uint32_t host = detail / ALLOCATORS_A_HOST, index = detail % ALLOCATORS_A_HOST;
    struct xpd_view view = {0};
    const struct xpd_allocations *all = xpd_tools_allocations(ctx, host, err);
    const struct lives_of_host *lives = all ? lives_of(ctx, host, err) : NULL;
    if (!lives)
        return xpd_table_status(NULL, err);
    int rc =
        xpd_store_trace(ctx->store, ctx->run, host, ctx->wait_ms, &view.trace, ctx->state, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t process = xpd_alloc_process(view.trace, all->allocator[index].name);
    out->at = xpd_alloc_purposes(&lives->at[index], all, &view, process, arena);
    return out->at ? XPD_OK : xpd_tools_no_memory(err);
}

const struct xpd_alloc_purpose *xpd_tools_alloc_purposes(const struct xpd_trace_call *call,
                                                         const struct xpd_alloc_lane *lane,
                                                         struct xpd_err *err)
{
    struct xpd_tool_ctx of_run = *call->ctx;
    of_run.module = XPD_NO_INDEX;
    const struct purposes_of *made =
        xpd_table(&of_run, XPD_TABLE_ALLOC_PURPOSES, lane->host * ALLOCATORS_A_HOST + lane->index,
                  false, sizeof(struct purposes_of), make_purposes, err);
    return made ? made->at : NULL;
}

/* ---- lanes ---- */

static int64_t later(int64_t ps, int64_t shift_ps)
{
    bool overflow = false;
    return xpd_add_i64(ps, shift_ps, &overflow);
}

/* "TPU:0" of "/device:TPU:0" for the allocator "0"; other names say enough. */
static struct xpd_str title_of(const struct xpd_trace_call *call, const struct xpd_alloc_lane *lane)
{
    const struct xpd_str device = XPD_STR("/device:");
    struct xpd_str name = lane->of->name;
    int64_t number;
    if (lane->own_process != XPD_NO_INDEX && xpd_str_to_i64(name, &number)) {
        struct xpd_str plane =
            xpd_intern_get(&lane->trace->names, lane->trace->process[lane->own_process].name);
        if (xpd_str_starts(plane, "/device:"))
            name = (struct xpd_str){plane.data + device.size, plane.size - device.size};
    }
    if (!call->view.trace->part)
        return name;
    const char *text =
        xpd_arena_printf(call->ctx->arena, "%s %.*s", call->ctx->run->host[lane->host].name,
                         (int)name.size, name.data);
    return xpd_str_of(text ? text : "");
}

/* What the lanes of one host share. */
static struct xpd_alloc_lane lane_of_host(const struct xpd_trace_call *call, uint32_t part)
{
    const struct xpd_trace *trace = call->view.trace;
    if (!trace->part)
        return (struct xpd_alloc_lane){.host = call->host, .trace = trace};
    const struct xpd_trace_host *at = &trace->part[part];
    return (struct xpd_alloc_lane){.host = xpd_tools_part_host(call->ctx->run, part),
                                   .trace = at->trace,
                                   .process = at->first_process,
                                   .first_row = at->first_row,
                                   .first_event = at->first_event,
                                   .shift_ps = at->shift_ps};
}

static int add_host(struct xpd_alloc_lanes *out, const struct xpd_trace_call *call, uint32_t part,
                    struct xpd_err *err)
{
    struct xpd_alloc_lane host = lane_of_host(call, part);
    uint32_t first_process = host.process;
    const struct lives_of_host *lives = NULL;
    host.all = xpd_tools_allocations(call->ctx, host.host, err);
    if (host.all && host.all->count > 0)
        lives = lives_of(call->ctx, host.host, err);
    if (!host.all || (host.all->count > 0 && !lives))
        return xpd_table_status(NULL, err);
    out->dropped += (int64_t)host.all->dropped;
    out->cut = out->cut || host.all->cut;
    host.shift_ps = later(host.shift_ps, xpd_alloc_shift_ps(host.all, host.trace));
    for (uint32_t i = 0; i < host.all->count; i++) {
        struct xpd_alloc_lane *lane = &out->at[out->count++];
        *lane = host;
        lane->index = i;
        lane->of = &host.all->allocator[i];
        lane->lives = &lives->at[i];
        lane->own_process = xpd_alloc_process(host.trace, lane->of->name);
        lane->process =
            lane->own_process == XPD_NO_INDEX ? XPD_NO_INDEX : lane->own_process + first_process;
        lane->title = title_of(call, lane);
    }
    return XPD_OK;
}

int xpd_tools_alloc_lanes(struct xpd_alloc_lanes *out, const struct xpd_trace_call *call,
                          struct xpd_err *err)
{
    uint32_t parts = call->view.trace->part ? call->view.trace->part_count : 1;
    *out = (struct xpd_alloc_lanes){.at = XPD_NEW_ARRAY(call->ctx->arena, struct xpd_alloc_lane,
                                                        (size_t)parts * (XPD_ALLOCATORS_MAX + 1))};
    int rc = out->at ? XPD_OK : xpd_tools_no_memory(err);
    for (uint32_t part = 0; rc == XPD_OK && part < parts; part++)
        rc = add_host(out, call, part, err);
    return rc;
}

int xpd_tools_alloc_choice(const struct xpd_alloc_lanes *lanes, const struct xpd_tool_ctx *ctx,
                           uint32_t *first, uint32_t *end, struct xpd_err *err)
{
    *first = 0;
    *end = lanes->count;
    struct xpd_str text = xpd_param_text(ctx, "allocator");
    int64_t wanted;
    if (text.size == 0 || !xpd_str_to_i64(text, &wanted))
        return XPD_OK;
    if (wanted < 0 || wanted >= lanes->count)
        return xpd_fail(err, XPD_ENOTFOUND, "allocator", XPD_NO_OFFSET,
                        "this run has %" PRIu32 " allocator%s, counted from 0", lanes->count,
                        lanes->count == 1 ? "" : "s");
    *first = (uint32_t)wanted;
    *end = *first + 1;
    return XPD_OK;
}

int64_t xpd_tools_alloc_at(const struct xpd_trace_call *call, const struct xpd_alloc_lane *lane,
                           int64_t ps)
{
    return xpd_tools_at(call, later(ps, lane->shift_ps));
}

int64_t xpd_tools_alloc_own(const struct xpd_trace_call *call, const struct xpd_alloc_lane *lane,
                            int64_t at_ps)
{
    int64_t axis_ps = later(at_ps, -xpd_tools_at(call, 0));
    return lane->shift_ps == INT64_MIN ? axis_ps : later(axis_ps, -lane->shift_ps);
}

/* ---- words ---- */

struct xpd_str xpd_tools_alloc_text(const struct xpd_alloc_lane *lane, xpd_name_id id)
{
    return id < lane->all->text_count ? lane->all->text[id] : XPD_STR("");
}

struct xpd_str xpd_tools_alloc_what(const struct xpd_alloc_lane *lane,
                                    const struct xpd_alloc_purpose *purpose,
                                    const struct xpd_allocation *event)
{
    static const char *const word[] = {[XPD_ALLOC_PROGRAM_CODE] = "program code",
                                       [XPD_ALLOC_FROM_HOST] = "from host",
                                       [XPD_ALLOC_OUTPUT] = "output",
                                       [XPD_ALLOC_TUPLE_TABLE] = "tuple table",
                                       [XPD_ALLOC_LAUNCH] = "launch",
                                       [XPD_ALLOC_OTHER] = "other"};
    return purpose->what == XPD_ALLOC_REGION ? xpd_tools_alloc_text(lane, event->region)
                                             : xpd_str_of(word[purpose->what]);
}

struct xpd_str xpd_tools_alloc_running(const struct xpd_alloc_lane *lane, uint32_t event)
{
    const struct xpd_view view = {.trace = lane->trace};
    return xpd_alloc_program_at(
        &view, lane->own_process,
        later(lane->of->event[event].at_ps, xpd_alloc_shift_ps(lane->all, lane->trace)));
}

struct xpd_str xpd_tools_alloc_address(const struct xpd_allocation *event, struct xpd_arena *arena)
{
    if (!event->has_address)
        return XPD_STR("");
    const char *text = xpd_arena_printf(arena, "0x%" PRIx64, event->address);
    return xpd_str_of(text ? text : "");
}

const char *xpd_tools_alloc_time(char out[XPD_TIME_TEXT_BYTES], int64_t at_ps)
{
    if (at_ps > -INT64_C(1000000000000) && at_ps < INT64_C(1000000000000))
        return xpd_time_text(out, (double)at_ps);
    snprintf(out, XPD_TIME_TEXT_BYTES, "%.3f s", (double)at_ps / 1e12);
    return out;
}
