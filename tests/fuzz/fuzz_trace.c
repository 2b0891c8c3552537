/* The events of a profile: rows, depths, pyramid, windows, stats; from memory and through the
 * window, on one thread and on two.
 *
 * Whatever the bytes are: numbers have no gaps, depths are sorted and disjoint, both ways of
 * reading say the same, and a window at any cell adds up to a plain count of its events. */
#define _GNU_SOURCE 1
#include "must.h"

#include "xprofd/trace/args.h"
#include "xprofd/trace/window.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ARENA = 64 << 20, WINDOW_INPUT = 64 << 10, STATS_OF = 40 };

struct sum {
    const struct xpd_depth *depth;
    uint64_t events;
    int64_t last_start_ps;
    uint32_t next;
    int64_t busy_ps;
};

static void add_box(void *user, const struct xpd_box *box)
{
    struct sum *sum = user;
    MUST(box->count >= 1 && box->end_ps >= box->start_ps);
    MUST(box->start_ps >= sum->last_start_ps);
    MUST(box->busy_ps >= 0 && box->busy_ps <= box->end_ps - box->start_ps);
    MUST(box->first >= sum->next && box->longest >= box->first);
    MUST(box->longest < sum->depth->count && box->first < sum->depth->count);
    MUST(box->start_ps == sum->depth->start_ps[box->first]);
    sum->last_start_ps = box->start_ps;
    sum->next = box->first + 1;
    sum->events += box->count;
    sum->busy_ps += box->busy_ps;
}

static void check_window(const struct xpd_depth *depth, int64_t from, int64_t to, uint8_t shift)
{
    struct xpd_trace_window window = {from, to, shift};
    struct sum sum = {.depth = depth, .last_start_ps = INT64_MIN};
    uint64_t events = 0;
    int64_t busy = 0;
    for (uint32_t i = 0; i < depth->count; i++)
        if (depth->start_ps[i] <= to && depth->start_ps[i] + depth->duration_ps[i] >= from) {
            events++;
            busy += depth->duration_ps[i];
        }
    MUST(xpd_depth_boxes(depth, &window, add_box, &sum) <= events);
    MUST(sum.events == events);
    MUST(depth->overlapping || sum.busy_ps == busy);
}

static void check_depth(const struct xpd_trace *trace, const struct xpd_depth *depth)
{
    MUST(depth->count > 0);
    for (uint32_t i = 0; i < depth->count; i++) {
        MUST(depth->name[i] < trace->name_count && depth->duration_ps[i] >= 0);
        MUST(xpd_trace_device_ps(trace, depth, i) >= -1);
        /* at its end: an event without a byte that closes a file cut there */
        MUST(xpd_depth_where(depth, i) <= trace->space->file_bytes);
        if (i == 0)
            continue;
        MUST(depth->start_ps[i - 1] <= depth->start_ps[i]);
        MUST(depth->overlapping ||
             depth->start_ps[i - 1] + depth->duration_ps[i - 1] <= depth->start_ps[i]);
    }
    int64_t first = depth->start_ps[0], last = depth->start_ps[depth->count - 1];
    int64_t quarter = (last - first) / 4;
    for (uint8_t shift = 0; shift < 62; shift = (uint8_t)(shift + 7)) {
        check_window(depth, INT64_MIN / 4, INT64_MAX / 4, shift);
        check_window(depth, first + quarter, last - quarter, shift);
    }
}

static void check_name(const struct xpd_trace *trace, const struct xpd_event_name *name)
{
    MUST(name->plane < trace->space->plane_count);
    MUST(name->caption < trace->names.count && name->name < trace->names.count);
    MUST(name->category < trace->names.count && name->tf_op < trace->names.count);
    MUST(name->metadata == XPD_NO_METADATA ||
         name->metadata < trace->tables[name->plane].event_count);
    MUST(name->flops >= -1 && name->bytes >= -1 && name->group < XPD_OP_GROUP_COUNT);
}

static void check_rows(const struct xpd_trace *trace)
{
    uint64_t events = 0;
    uint32_t depths = 0;
    for (uint32_t r = 0; r < trace->row_count; r++) {
        const struct xpd_trace_row *row = &trace->row[r];
        uint64_t in_row = 0;
        MUST(row->process < trace->process_count && row->first_depth == depths);
        MUST(row->caption < trace->names.count && row->busy_ps >= 0);
        for (uint32_t d = 0; d < row->depth_count; d++, depths++) {
            const struct xpd_depth *depth = &trace->depth[depths];
            MUST(depth->row == r && depth->depth == d && depth->first_event == events);
            MUST((row->kind == XPD_ROW_COUNTER) == (depth->value != NULL));
            check_depth(trace, depth);
            events += depth->count;
            in_row += depth->count;
        }
        MUST(in_row == row->event_count);
    }
    MUST(events == trace->event_count && depths == trace->depth_count);
    MUST(trace->first_ps <= trace->end_ps);
}

static void check_stats(const struct xpd_trace *trace)
{
    struct xpd_arena scratch;
    xpd_arena_init(&scratch, ARENA);
    uint64_t step = trace->event_count / STATS_OF + 1;
    for (uint64_t event = 0; event < trace->event_count; event += step) {
        const struct xpd_depth *depth;
        struct xpd_stat_value *value;
        uint32_t index, count, shared;
        struct xpd_err err = {0};
        MUST(xpd_trace_find(trace, event, &depth, &index));
        MUST(depth->first_event + index == event);
        int rc = xpd_trace_stats(trace, event, &scratch, &value, &count, &shared, &err);
        MUST(rc == XPD_OK || err.code == rc);
        MUST(rc != XPD_OK || shared <= count);
        for (uint32_t i = 0; rc == XPD_OK && i < count; i++)
            MUST(value[i].text.data && value[i].name.data);
        xpd_arena_reset(&scratch);
    }
    xpd_arena_fini(&scratch);
}

static void check(const struct xpd_trace *trace)
{
    for (uint32_t i = 0; i < trace->name_count; i++)
        check_name(trace, &trace->name[i]);
    check_rows(trace);
    check_stats(trace);
    MUST(trace->memory_bytes >= sizeof *trace);
}

static struct xpd_trace *load(const struct xpd_xspace *space, struct xpd_source *source,
                              uint32_t threads)
{
    struct xpd_trace *trace = NULL;
    struct xpd_trace_options options = {.threads = threads};
    struct xpd_err err = {0};
    int rc = xpd_trace_load(&trace, space, source, &options, NULL, ARENA, &err);
    MUST((rc == XPD_OK) == (trace != NULL));
    MUST(rc == XPD_OK || (err.code == rc && err.text[0]));
    return trace;
}

static void same(const struct xpd_trace *a, const struct xpd_trace *b)
{
    MUST(a->event_count == b->event_count && a->depth_count == b->depth_count);
    MUST(a->row_count == b->row_count && a->first_ps == b->first_ps && a->end_ps == b->end_ps);
    for (uint32_t d = 0; d < a->depth_count; d++)
        for (uint32_t i = 0; i < a->depth[d].count; i++)
            MUST(a->depth[d].start_ps[i] == b->depth[d].start_ps[i] &&
                 a->depth[d].duration_ps[i] == b->depth[d].duration_ps[i] &&
                 xpd_depth_where(&a->depth[d], i) == xpd_depth_where(&b->depth[d], i));
}

static bool has_e(void *ctx, struct xpd_str text)
{
    (void)ctx;
    return text.size > 0 && memchr(text.data, 'e', text.size);
}

/* Searching args finds the same from memory and through the window, whatever may be asked apart
 * ("=" is no "e": name and value by themselves match where both together do). */
static void same_args(const struct xpd_trace *a, const struct xpd_trace *b)
{
    struct xpd_arg_match apart = {.matches = has_e, .apart = true, .numbers = true};
    struct xpd_arg_match whole = {.matches = has_e};
    struct xpd_arg_hits *x, *y;
    int rc = xpd_args_scan(&x, a, &apart, NULL, NULL);
    MUST(xpd_args_scan(&y, b, &whole, NULL, NULL) == rc);
    if (rc != XPD_OK)
        return;
    MUST(x->hit_count == y->hit_count && x->hit_count <= a->event_count);
    MUST(memcmp(x->bit, y->bit, (size_t)(a->event_count / 64 + 1) * sizeof *x->bit) == 0);
    MUST(memcmp(x->name, y->name, a->name_count) == 0);
    xpd_arg_hits_free(x);
    xpd_arg_hits_free(y);
}

/* The same bytes in a file, so that the window has to move, on two threads. */
static void load_from_file(const uint8_t *data, size_t size, const struct xpd_xspace *space,
                           const struct xpd_trace *expected)
{
    struct xpd_source *source = NULL;
    char path[64];
    int fd = memfd_create("input", MFD_CLOEXEC);
    MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    MUST(xpd_source_open(&source, path, 1 << 20, NULL) == XPD_OK);
    struct xpd_trace *trace = load(space, source, 2);
    MUST((trace != NULL) == (expected != NULL));
    if (trace) {
        same(trace, expected);
        same_args(trace, expected);
    }
    xpd_trace_free(trace);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xpd_source *directory = NULL, *source = NULL;
    struct xpd_xspace *space = NULL;
    MUST(xpd_source_open_memory(&directory, data, size, "input", NULL) == XPD_OK);
    int rc = xpd_xspace_load(&space, directory, NULL, ARENA, NULL);
    if (rc == XPD_OK) {
        MUST(xpd_source_open_memory(&source, data, size, "input", NULL) == XPD_OK);
        struct xpd_trace *trace = load(space, source, 1);
        if (trace)
            check(trace);
        bool gzip = size > 1 && data[0] == 0x1f && data[1] == 0x8b;
        if (size <= WINDOW_INPUT && !gzip)
            load_from_file(data, size, space, trace);
        xpd_trace_free(trace);
    }
    xpd_xspace_free(space);
    xpd_source_close(directory);
    return 0;
}
