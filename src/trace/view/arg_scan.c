/* One pass over the file for args that match.
 *
 * In: a frozen trace, a question. Out: a bit for each event. The file is read from front to back,
 * line by line; events that match are remembered by where they stand, and from time to time looked
 * up among the columns, which know each event's place in the file. */
#include "arg_scan.h"

#include "xprofd/base/bisect.h"
#include "xprofd/trace/join.h"
#include "xprofd/wire/cursor.h"
#include <stdlib.h>
#include <time.h>

enum { LENGTH = 2, STATS_OF_EVENT = 4, STATS_OF_METADATA = 5, EVENTS_OF_LINE = 4 };
enum { FOUND_MAX = 1 << 20, LOOK_EVERY = 4096 };

struct scan {
    const struct xpd_trace *trace;
    const struct xpd_arg_watch *watch;
    struct xpd_arg_hits *hits;
    struct xpd_arg_asker *asker;
    struct xpd_window window;
    uint64_t *found; /* places in the file, ascending */
    size_t found_count;
    uint32_t until_look;
    struct xpd_err *err;
};

static int no_memory(const struct scan *scan)
{
    return xpd_no_memory(scan->err, xpd_source_name(scan->trace->source),
                         "for a search in the args of events");
}

static int look(struct scan *scan, uint64_t at)
{
    scan->until_look = LOOK_EVERY;
    if (!scan->watch || scan->watch->go_on(scan->watch->ctx, at))
        return XPD_OK;
    return xpd_fail(scan->err, XPD_EBUSY, xpd_source_name(scan->trace->source), XPD_NO_OFFSET,
                    "The search was stopped on request.");
}

/* ---- from places in the file to events ---- */

static size_t first_not_below(const uint64_t *list, size_t count, uint64_t value)
{
    size_t low = 0;
    XPD_BISECT(low, count, middle, list[middle] < value);
    return low;
}

/* Events mostly stand in the file as they do in their depth, so the next place is tried first. */
static void mark_depth(struct scan *scan, const struct xpd_depth *depth)
{
    const uint64_t *found = scan->found;
    size_t count = scan->found_count, next = 0;
    for (uint32_t i = 0; i < depth->count; i++) {
        uint64_t where = xpd_depth_where(depth, i);
        bool between =
            (next == 0 || found[next - 1] < where) && (next == count || where <= found[next]);
        if (!between)
            next = first_not_below(found, count, where);
        if (next == count || found[next] != where)
            continue;
        uint64_t event = depth->first_event + i;
        scan->hits->bit[event / 64] |= UINT64_C(1) << event % 64;
        scan->hits->hit_count++;
        next++;
    }
}

static int mark_found(struct scan *scan)
{
    for (uint32_t d = 0; scan->found_count > 0 && d < scan->trace->depth_count; d++) {
        int rc = d % 64 == 0 ? look(scan, scan->found[scan->found_count - 1]) : XPD_OK;
        if (rc != XPD_OK)
            return rc;
        if (scan->trace->depth[d].where_low)
            mark_depth(scan, &scan->trace->depth[d]);
    }
    scan->found_count = 0;
    return XPD_OK;
}

/* ---- reading ---- */

static bool message_hits(struct scan *scan, const uint8_t *bytes, size_t size, uint32_t stats_field)
{
    struct xpd_cursor cursor;
    struct xpd_field field;
    xpd_cursor_init(&cursor, bytes, size, 0);
    while (xpd_cursor_next(&cursor, &field))
        if (field.number == stats_field && field.wire_type == LENGTH &&
            xpd_arg_stat_hits(scan->asker, field.bytes, (size_t)field.size))
            return true;
    return false;
}

/* A message of more than a window: stat by stat, those of more than a window not looked at. */
static int large_hits(struct scan *scan, struct xpd_wire_range range, uint32_t stats_field,
                      bool *hit)
{
    uint64_t end = range.offset + range.size, value;
    struct xpd_wire_range payload;
    uint32_t number;
    uint8_t wire;
    scan->window.offset = range.offset;
    while (!*hit) {
        const uint8_t *bytes;
        int rc = xpd_window_field(&scan->window, end, &number, &wire, &value, &payload, scan->err);
        if (rc == XPD_EFORMAT || (rc == XPD_OK && number == 0))
            return XPD_OK; /* damage ends the message */
        if (rc == XPD_OK && wire == LENGTH) {
            scan->window.offset = payload.offset + payload.size;
            if (number == stats_field && payload.size <= XPD_WINDOW_BYTES) {
                rc = xpd_window_peek(&scan->window, payload.offset, (size_t)payload.size, &bytes,
                                     scan->err);
                *hit = rc == XPD_OK && xpd_arg_stat_hits(scan->asker, bytes, (size_t)payload.size);
            }
        }
        if (rc != XPD_OK)
            return rc;
    }
    return XPD_OK;
}

static int hits(struct scan *scan, struct xpd_wire_range range, uint32_t stats_field, bool *hit)
{
    const uint8_t *bytes;
    *hit = false;
    if (range.size > XPD_WINDOW_BYTES)
        return large_hits(scan, range, stats_field, hit);
    int rc = xpd_window_peek(&scan->window, range.offset, (size_t)range.size, &bytes, scan->err);
    if (rc == XPD_OK)
        *hit = message_hits(scan, bytes, (size_t)range.size, stats_field);
    return rc;
}

static int take_event(struct scan *scan, struct xpd_wire_range range)
{
    bool hit;
    int rc = hits(scan, range, STATS_OF_EVENT, &hit);
    if (rc == XPD_OK && hit)
        scan->found[scan->found_count++] = range.offset;
    if (rc == XPD_OK && scan->found_count == FOUND_MAX)
        rc = mark_found(scan);
    if (rc == XPD_OK && --scan->until_look == 0)
        rc = look(scan, range.offset);
    return rc;
}

static int scan_line(struct scan *scan, const struct xpd_line *line)
{
    struct xpd_window *window = &scan->window;
    uint64_t file = xpd_source_size(window->source), at = line->range.offset;
    uint64_t end = line->range.size < file - at ? at + line->range.size : file, value;
    struct xpd_wire_range payload;
    uint32_t number;
    uint8_t wire;
    while (at < end) {
        window->offset = at;
        int rc = xpd_window_field(window, end, &number, &wire, &value, &payload, scan->err);
        if (rc == XPD_EFORMAT || (rc == XPD_OK && number == 0))
            return XPD_OK; /* the columns end here too */
        if (rc == XPD_OK && wire == LENGTH && number == EVENTS_OF_LINE)
            rc = take_event(scan, payload);
        if (rc != XPD_OK)
            return rc;
        at = wire == LENGTH ? payload.offset + payload.size : window->offset;
    }
    return XPD_OK;
}

static int scan_plane(struct scan *scan, uint32_t index)
{
    const struct xpd_plane *plane = &scan->trace->space->plane[index];
    if (!xpd_arg_plane_begin(scan->asker, &scan->trace->tables[index]))
        return no_memory(scan);
    int rc = XPD_OK;
    for (uint32_t i = 0; rc == XPD_OK && i < plane->line_count; i++)
        if (plane->line[i].event_count > 0)
            rc = scan_line(scan, &plane->line[i]);
    return rc;
}

/* Names of one plane follow each other, in the order of its metadata. */
static int scan_names(struct scan *scan)
{
    const struct xpd_trace *trace = scan->trace;
    uint32_t plane = XPD_NO_INDEX;
    for (uint32_t i = 0; i < trace->name_count; i++) {
        const struct xpd_event_name *name = &trace->name[i];
        if (name->metadata == XPD_NO_METADATA || name->plane == XPD_NO_INDEX)
            continue;
        const struct xpd_plane_tables *tables = &trace->tables[name->plane];
        if (plane != name->plane && !xpd_arg_plane_begin(scan->asker, tables))
            return no_memory(scan);
        plane = name->plane;
        bool hit;
        int rc = hits(scan, tables->event[name->metadata].range, STATS_OF_METADATA, &hit);
        if (rc != XPD_OK)
            return rc;
        scan->hits->name[i] = hit;
        if (i % LOOK_EVERY == 0 && look(scan, 0) != XPD_OK)
            return XPD_EBUSY;
    }
    return XPD_OK;
}

static int scan_all(struct scan *scan)
{
    int rc = xpd_source_check(scan->trace->source, scan->err);
    if (rc == XPD_OK)
        rc = scan_names(scan);
    for (uint32_t i = 0; rc == XPD_OK && i < scan->trace->space->plane_count; i++)
        rc = scan_plane(scan, i);
    if (rc == XPD_OK)
        rc = mark_found(scan);
    if (rc == XPD_OK && scan->asker->no_memory)
        rc = no_memory(scan);
    return rc == XPD_OK ? xpd_source_check(scan->trace->source, scan->err) : rc;
}

/* ---- the result ---- */

uint64_t xpd_arg_hits_bytes(const struct xpd_trace *trace)
{
    return sizeof(struct xpd_arg_hits) + trace->name_count + 1 + trace->event_count / 8 + 8;
}

static struct xpd_arg_hits *new_hits(const struct xpd_trace *trace)
{
    struct xpd_arg_hits *hits = calloc(1, sizeof *hits);
    if (!hits)
        return NULL;
    hits->name_count = trace->name_count;
    hits->event_count = trace->event_count;
    hits->memory_bytes = xpd_arg_hits_bytes(trace);
    hits->name = calloc((size_t)trace->name_count + 1, 1);
    hits->bit = calloc((size_t)(trace->event_count / 64) + 1, sizeof *hits->bit);
    if (hits->name && hits->bit)
        return hits;
    xpd_arg_hits_free(hits);
    return NULL;
}

void xpd_arg_hits_free(struct xpd_arg_hits *hits)
{
    if (!hits)
        return;
    free(hits->name);
    free(hits->bit);
    free(hits);
}

/* ---- several hosts: file after file ---- */

struct watched { /* bytes of the files before count too */
    const struct xpd_arg_watch *watch;
    uint64_t before_bytes;
};

static bool go_on(void *ctx, uint64_t done_bytes)
{
    const struct watched *watched = ctx;
    return !watched->watch ||
           watched->watch->go_on(watched->watch->ctx, watched->before_bytes + done_bytes);
}

static void take_part(struct xpd_arg_hits *hits, const struct xpd_trace_host *part,
                      const struct xpd_arg_hits *of)
{
    memcpy(hits->name + part->first_name, of->name, of->name_count);
    for (uint64_t w = 0; w <= of->event_count / 64; w++)
        for (uint64_t bits = of->bit[w]; bits; bits &= bits - 1) {
            uint64_t event = part->first_event + w * 64 + (uint64_t)__builtin_ctzll(bits);
            hits->bit[event / 64] |= UINT64_C(1) << event % 64;
        }
    hits->hit_count += of->hit_count;
}

static int scan_parts(struct xpd_arg_hits **out, const struct xpd_trace *trace,
                      const struct xpd_arg_match *match, const struct xpd_arg_watch *watch,
                      struct xpd_err *err)
{
    struct watched watched = {watch, 0};
    const struct xpd_arg_watch each = {go_on, &watched};
    struct xpd_arg_hits *hits = new_hits(trace), *one;
    int rc = hits ? XPD_OK : xpd_no_memory(err, "q", "for a search in the args of events");
    for (uint32_t i = 0; rc == XPD_OK && i < trace->part_count; i++) {
        const struct xpd_trace_host *part = &trace->part[i];
        rc = xpd_args_scan(&one, part->trace, match, &each, err);
        if (rc != XPD_OK)
            break;
        take_part(hits, part, one);
        xpd_arg_hits_free(one);
        watched.before_bytes += part->trace->space->file_bytes;
    }
    if (rc != XPD_OK) {
        xpd_arg_hits_free(hits);
        return rc;
    }
    hits->stopped = match->stopped;
    *out = hits;
    return XPD_OK;
}

int xpd_args_scan(struct xpd_arg_hits **out, const struct xpd_trace *trace,
                  const struct xpd_arg_match *match, const struct xpd_arg_watch *watch,
                  struct xpd_err *err)
{
    *out = NULL;
    if (trace->part)
        return scan_parts(out, trace, match, watch, err);
    struct xpd_err why = {0};
    struct scan scan = {.trace = trace, .watch = watch, .until_look = LOOK_EVERY, .err = &why};
    scan.hits = new_hits(trace);
    scan.asker = calloc(1, sizeof *scan.asker);
    scan.found = malloc(FOUND_MAX * sizeof *scan.found);
    int rc = scan.hits && scan.asker && scan.found ? XPD_OK : no_memory(&scan);
    if (rc == XPD_OK) {
        scan.asker->trace = trace;
        scan.asker->match = match;
        rc = xpd_window_init(&scan.window, trace->source, &why);
    }
    if (rc == XPD_OK)
        rc = scan_all(&scan);
    if (scan.asker)
        xpd_arg_asker_fini(scan.asker);
    xpd_window_fini(&scan.window);
    free(scan.asker);
    free(scan.found);
    if (rc != XPD_OK) {
        xpd_arg_hits_free(scan.hits);
        if (err)
            *err = why;
        return rc;
    }
    scan.hits->stopped = match->stopped;
    *out = scan.hits;
    return XPD_OK;
}
