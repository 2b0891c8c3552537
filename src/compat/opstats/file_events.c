/* Events of a trace put back into the order of their file: see file_events.h. */
#include "file_events.h"
#include "xprofd/compat/file_order.h"

#include "xprofd/base/bisect.h"
#include "xprofd/base/radix.h"
#include "xprofd/wire/cursor.h"

#include <stdlib.h>

int xpd_file_no_host(const struct xpd_tool_ctx *ctx, struct xpd_str name, struct xpd_err *err)
{
    return xpd_fail(err, XPD_ENOTFOUND, "host", XPD_NO_OFFSET,
                    "No xplane file found for host: %.*s in run: %s",
                    (int)(name.size < 200 ? name.size : 200), name.data, ctx->run->entry->id);
}

int xpd_file_host_open(const struct xpd_tool_ctx *ctx, uint32_t number, struct xpd_file_host *out,
                       struct xpd_err *err)
{
    *out = (struct xpd_file_host){.host = &ctx->run->host[number]};
    int rc = xpd_store_trace(ctx->store, ctx->run, number, XPD_COMPAT_WAIT_MS, &out->trace,
                             ctx->state, err);
    if (rc != XPD_OK)
        return rc;
    return xpd_store_derived(ctx->store, ctx->run, number, XPD_COMPAT_WAIT_MS, &out->derived,
                             ctx->state, err);
}

int xpd_file_hosts_meant(const struct xpd_tool_ctx *ctx, uint32_t *first, uint32_t *end,
                         struct xpd_err *err)
{
    struct xpd_str host = xpd_param_text(ctx, "host");
    *first = 0;
    *end = ctx->run->host_count;
    if (host.size == 0 || xpd_str_eq(host, XPD_STR("ALL_HOSTS")))
        return XPD_OK;
    while (*first < *end && !xpd_str_eq(host, xpd_str_of(ctx->run->host[*first].name)))
        ++*first;
    if (*first == *end)
        return xpd_file_no_host(ctx, host, err);
    *end = *first + 1;
    return XPD_OK;
}

int xpd_file_hosts(const struct xpd_tool_ctx *ctx, const uint32_t **number, uint32_t *count,
                   struct xpd_err *err)
{
    uint32_t first, end;
    int rc = xpd_file_hosts_meant(ctx, &first, &end, err);
    if (rc != XPD_OK)
        return rc;
    *count = end - first;
    *number =
        *count == 1 ? XPD_COPY_ARRAY(ctx->arena, &first, 1) : xpd_host_order(ctx->run, ctx->arena);
    if (!*number)
        return xpd_no_memory(err, NULL, "for this answer");
    return XPD_OK;
}

static bool is_process_of(const struct xpd_trace *trace, const struct xpd_trace_process *process,
                          uint32_t plane)
{
    return process->plane == plane || process->name == trace->space->plane[plane].name ||
           xpd_str_eq(xpd_intern_get(&trace->names, process->name),
                      xpd_intern_get(&trace->space->names, trace->space->plane[plane].name));
}

/* The line that contains this file offset; lines of a plane follow each other. */
static struct xpd_file_line *line_at(const struct xpd_file_plane *plane, uint64_t where)
{
    uint32_t low = 0, high = plane->line_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (plane->line[middle].line->range.offset <= where)
            low = middle;
        else
            high = middle;
    }
    const struct xpd_wire_range *range = high ? &plane->line[low].line->range : NULL;
    return range && where >= range->offset && where - range->offset < range->size
               ? &plane->line[low]
               : NULL;
}

/* Calls for each event of the plane. */
struct walk {
    struct xpd_file_plane *plane;
    xpd_file_wants wants;
    void (*take)(struct walk *walk, struct xpd_file_line *line, struct xpd_file_event event);
};

static void walk_depth(struct walk *walk, const struct xpd_depth *depth)
{
    const struct xpd_trace *trace = walk->plane->trace;
    if (!depth->where_low)
        return;
    for (uint32_t i = 0; i < depth->count; i++) {
        const struct xpd_event_name *name = &trace->name[depth->name[i]];
        if (name->plane != walk->plane->number ||
            (walk->wants && !walk->wants(trace, depth->name[i])))
            continue;
        struct xpd_file_line *line = line_at(walk->plane, xpd_depth_where(depth, i));
        if (line)
            walk->take(walk, line, (struct xpd_file_event){depth, i});
    }
}

static void walk_plane(struct walk *walk)
{
    const struct xpd_trace *trace = walk->plane->trace;
    for (uint32_t p = 0; p < trace->process_count; p++) {
        const struct xpd_trace_process *process = &trace->process[p];
        if (!is_process_of(trace, process, walk->plane->number))
            continue;
        for (uint32_t r = 0; r < process->row_count; r++) {
            const struct xpd_trace_row *row = &trace->row[process->first_row + r];
            for (uint32_t d = 0; d < row->depth_count; d++)
                walk_depth(walk, &trace->depth[row->first_depth + d]);
        }
    }
}

static void count_event(struct walk *walk, struct xpd_file_line *line, struct xpd_file_event event)
{
    (void)walk;
    (void)event;
    line->count++;
}

static void put_event(struct walk *walk, struct xpd_file_line *line, struct xpd_file_event event)
{
    (void)walk;
    line->event[line->count++] = event;
}

/* A sample of several series is one event in several rows. */
static bool put_in_order(struct xpd_file_line *line, uint64_t *key, uint32_t *order,
                         struct xpd_file_event *sorted)
{
    for (uint32_t i = 0; i < line->count; i++) {
        key[i] = xpd_depth_where(line->event[i].depth, line->event[i].index);
        order[i] = i;
    }
    if (!xpd_radix_sort_u64(key, order, line->count))
        return false;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < line->count; i++)
        if (i == 0 || key[i] != key[i - 1])
            sorted[kept++] = line->event[order[i]];
    if (kept > 0)
        memcpy(line->event, sorted, kept * sizeof *sorted);
    line->count = kept;
    return true;
}

static bool is_in_order(const struct xpd_file_line *line)
{
    for (uint32_t i = 1; i < line->count; i++)
        if (xpd_depth_where(line->event[i - 1].depth, line->event[i - 1].index) >=
            xpd_depth_where(line->event[i].depth, line->event[i].index))
            return false;
    return true;
}

/* What sorting needs is given back at once: of many lines only the events stay. */
static bool sort_line(struct xpd_file_line *line)
{
    if (is_in_order(line))
        return true;
    uint64_t *key = malloc(line->count * sizeof *key);
    uint32_t *order = malloc(line->count * sizeof *order);
    struct xpd_file_event *sorted = malloc(line->count * sizeof *sorted);
    bool fine = key && order && sorted && put_in_order(line, key, order, sorted);
    free(key);
    free(order);
    free(sorted);
    return fine;
}

static bool make_lines(struct walk *walk, struct xpd_arena *arena)
{
    struct xpd_file_plane *out = walk->plane;
    out->line_count = out->plane->line_count;
    out->line = XPD_NEW_ARRAY(arena, struct xpd_file_line, out->line_count);
    for (uint32_t i = 0; out->line && i < out->line_count; i++) {
        const struct xpd_line *line = &out->plane->line[i];
        out->line[i] = (struct xpd_file_line){
            .line = line, .name = xpd_intern_get(&out->trace->space->names, line->name)};
    }
    if (!out->line)
        return false;
    walk->take = count_event;
    walk_plane(walk);
    for (uint32_t i = 0; i < out->line_count; i++) {
        out->line[i].event = XPD_NEW_ROOM(arena, struct xpd_file_event, out->line[i].count);
        out->line[i].count = 0;
    }
    if (arena->failed)
        return false;
    walk->take = put_event;
    walk_plane(walk);
    for (uint32_t i = 0; i < out->line_count; i++)
        if (!sort_line(&out->line[i]))
            return false;
    return true;
}

int xpd_file_plane_open(struct xpd_file_plane *out, const struct xpd_file_host *host,
                        uint32_t number, xpd_file_wants wants, struct xpd_arena *arena,
                        struct xpd_err *err)
{
    *out = (struct xpd_file_plane){.trace = host->trace,
                                   .derived = host->derived,
                                   .plane = &host->trace->space->plane[number],
                                   .number = number};
    struct walk walk = {.plane = out, .wants = wants};
    if (make_lines(&walk, arena))
        return XPD_OK;
    return xpd_fail(err, XPD_ELIMIT, "host", XPD_NO_OFFSET,
                    "the events of this host do not fit the memory of a request");
}

uint32_t xpd_file_plane_called(const struct xpd_trace *trace, const char *name)
{
    for (uint32_t i = 0; i < trace->space->plane_count; i++)
        if (xpd_str_eq(xpd_intern_get(&trace->space->names, trace->space->plane[i].name),
                       xpd_str_of(name)))
            return i;
    return XPD_NO_INDEX;
}

struct xpd_str xpd_file_name(const struct xpd_file_plane *plane, const struct xpd_file_event *event)
{
    const struct xpd_trace *trace = plane->trace;
    return xpd_intern_get(&trace->names, trace->name[event->depth->name[event->index]].name);
}

int64_t xpd_file_group(const struct xpd_file_plane *plane, const struct xpd_file_event *event)
{
    uint32_t group = xpd_group_at(plane->derived, event->depth, event->index);
    return group == XPD_NO_GROUP ? -1 : (int64_t)group;
}

int64_t xpd_file_group_at(const struct xpd_file_plane *plane, uint64_t where)
{
    const struct xpd_file_line *line = line_at(plane, where);
    uint32_t at = 0;
    if (!line)
        return -1;
    XPD_BISECT(at, line->count, middle,
               xpd_depth_where(line->event[middle].depth, line->event[middle].index) < where);
    const struct xpd_file_event *event = xpd_file_event_at(line, &at, where);
    return event ? xpd_file_group(plane, event) : -1;
}

int64_t xpd_file_offset_ps(const struct xpd_file_plane *plane, const struct xpd_file_line *line,
                           const struct xpd_file_event *event)
{
    uint64_t from_ns = (uint64_t)line->line->timestamp_ns - (uint64_t)plane->trace->origin_ns;
    return (int64_t)((uint64_t)xpd_file_start_ps(event) - from_ns * 1000);
}

int xpd_file_stats(const struct xpd_file_plane *plane, const struct xpd_file_event *event,
                   struct xpd_arena *scratch, struct xpd_stat_value **out, uint32_t *count,
                   struct xpd_err *err)
{
    uint32_t from_metadata;
    int rc = xpd_trace_stats(plane->trace, event->depth->first_event + event->index, scratch, out,
                             count, &from_metadata, err);
    if (rc != XPD_OK)
        return rc;
    *out += from_metadata;
    *count -= from_metadata;
    return XPD_OK;
}

bool xpd_file_knows(const struct xpd_file_plane *plane, const char *stat)
{
    uint64_t id;
    return xpd_plane_stat_id(&plane->trace->tables[plane->number], &plane->trace->names,
                             xpd_str_of(stat), &id);
}

bool xpd_core_place_of(const struct xpd_trace *trace, uint32_t plane, struct xpd_core_place *out)
{
    enum { BYTES_MAX = 4096, ORDINAL = 2, CHIP = 4, SPARSE = 7 };
    const struct xpd_xspace *space = trace->space;
    const struct xpd_plane *of = &space->plane[plane];
    uint8_t bytes[BYTES_MAX];
    struct xpd_err unread = {0};
    *out = (struct xpd_core_place){.core = (uint32_t)of->id};
    for (uint32_t i = 0; i < of->stat_count; i++) {
        const struct xpd_stat *stat = &of->stat[i];
        struct xpd_cursor cursor;
        struct xpd_field field;
        if (stat->type != XPD_STAT_BYTES || stat->bytes.size > BYTES_MAX ||
            !xpd_str_eq(xpd_intern_get(&space->names, stat->name), XPD_STR("core_details")) ||
            xpd_source_read(trace->source, stat->bytes.offset, bytes, (size_t)stat->bytes.size,
                            &unread) != XPD_OK)
            continue;
        xpd_cursor_init(&cursor, bytes, (size_t)stat->bytes.size, stat->bytes.offset);
        while (xpd_cursor_next(&cursor, &field)) {
            out->ordinal = field.number == ORDINAL ? (uint32_t)field.value : out->ordinal;
            out->chip = field.number == CHIP ? (uint32_t)field.value : out->chip;
            out->sparse |= field.number == SPARSE && field.value;
        }
        return xpd_cursor_status(&cursor, "core_details", &unread) == XPD_OK;
    }
    return false;
}
