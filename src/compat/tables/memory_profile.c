/* tag=memory_profile: memory events of one host's allocators, the moment of the largest use and the
 * memory live then, in XProf's proto3 JSON. The doctor and the trace read the same events by other
 * rules (profile/allocations.h): XProf takes the last event in the file for the peak of the
 * lifetime, numbers of signed type alone, and events of one step for the table. */
#include "../opstats/file_events.h"
#include "compat_tables.h"

#include "xprofd/base/map64.h"
#include "xprofd/base/radix.h"
#include "xprofd/base/vec.h"
#include "xprofd/profile/allocations.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define SAMPLES_MAX 1000 /* snapshots of an allocator that XProf hands out */
#define NO_STEP     (-1)

struct snapshot {
    int64_t at_ps; /* from the start of its line */
    int64_t stack_bytes, heap_bytes, free_bytes, peak_bytes;
    double fragmentation;
    bool frees;
    int64_t requested_bytes, given_bytes, step;
    uint64_t address;
    struct xpd_str tf_op, region, type, shape;
};
struct allocator {
    struct xpd_str id;
    XPD_VEC(struct snapshot) snapshot;
    struct snapshot peak; /* peak_bytes: bytes in use */
    int64_t lifetime_peak_bytes, capacity_bytes, peak_step;
    const struct snapshot **sample;
    uint32_t sample_count;
    struct snapshot special[2];
    uint32_t special_count;
    struct active *active;
    uint32_t active_count;
};
struct active { /* one row of the table at the peak */
    const struct snapshot *what;
    int64_t special; /* -1 = a snapshot */
    int64_t occurrences;
};
struct profile {
    struct xpd_arena *arena;
    struct xpd_file_host host;
    struct xpd_file_plane plane;
    struct xpd_arena scratch; /* stats of one event */
    struct xpd_intern ids;    /* of allocators, "" is 0 */
    XPD_VEC(struct allocator) allocator;
    XPD_VEC(uint32_t) allocator_of; /* by id; XPD_NO_INDEX = not met */
    uint32_t *order;                /* of allocators, by their ids as texts */
    bool failed;
};

static int64_t in_use(const struct snapshot *s)
{
    return (int64_t)((uint64_t)s->stack_bytes + (uint64_t)s->heap_bytes);
}

/* ---- reading the events ---- */

static bool wants(const struct xpd_trace *trace, uint32_t name)
{
    struct xpd_str text = xpd_intern_get(&trace->names, trace->name[name].name);
    return xpd_str_eq(text, XPD_STR("MemoryAllocation")) ||
           xpd_str_eq(text, XPD_STR("MemoryDeallocation"));
}

static bool take_number(struct snapshot *s, const struct xpd_stat_value *stat)
{
    const struct {
        struct xpd_str name;
        int64_t *to;
    } numbers[] = {{XPD_STR("bytes_reserved"), &s->stack_bytes},
                   {XPD_STR("bytes_allocated"), &s->heap_bytes},
                   {XPD_STR("bytes_available"), &s->free_bytes},
                   {XPD_STR("peak_bytes_in_use"), &s->peak_bytes},
                   {XPD_STR("requested_bytes"), &s->requested_bytes},
                   {XPD_STR("allocation_bytes"), &s->given_bytes},
                   {XPD_STR("group_id"), &s->step}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (xpd_str_eq(stat->name, numbers[i].name)) {
            *numbers[i].to = xpd_stat_int(stat);
            return true;
        }
    return false;
}

static void take_text(struct profile *p, struct snapshot *s, const struct xpd_stat_value *stat)
{
    if (xpd_str_eq(stat->name, XPD_STR("fragmentation")))
        s->fragmentation = stat->type == XPD_STAT_DOUBLE ? stat->real : 0;
    else if (xpd_str_eq(stat->name, XPD_STR("addr")))
        s->address = (uint64_t)xpd_stat_int(stat);
    else if (xpd_str_eq(stat->name, XPD_STR("data_type")))
        s->type = xpd_allocation_type((int32_t)(uint32_t)(uint64_t)xpd_stat_int(stat), p->arena);
    else if (xpd_str_eq(stat->name, XPD_STR("tf_op")))
        s->tf_op = xpd_arena_str(p->arena, xpd_stat_text(stat));
    else if (xpd_str_eq(stat->name, XPD_STR("region_type")))
        s->region = xpd_arena_str(p->arena, xpd_stat_text(stat));
    else if (xpd_str_eq(stat->name, XPD_STR("shape")))
        s->shape = xpd_arena_str(p->arena, xpd_stat_text(stat));
}

/* Whichever names it last. */
static void take_id(struct profile *p, struct xpd_str *id, const struct xpd_stat_value *stat)
{
    if (xpd_str_eq(stat->name, XPD_STR("allocator_name")))
        *id = xpd_stat_text(stat);
    else if (xpd_str_eq(stat->name, XPD_STR("index_on_host")) ||
             xpd_str_eq(stat->name, XPD_STR("device_ordinal")))
        *id = xpd_str_of(xpd_arena_printf(&p->scratch, "%" PRId64, xpd_stat_int(stat)));
}

static struct allocator *allocator_called(struct profile *p, struct xpd_str id)
{
    xpd_name_id number = xpd_intern_put(&p->ids, id.data, id.size);
    while (p->allocator_of.count <= number && !p->allocator_of.failed)
        XPD_PUSH(&p->allocator_of, XPD_NO_INDEX);
    if (p->allocator_of.failed)
        return NULL;
    if (p->allocator_of.at[number] == XPD_NO_INDEX) {
        struct allocator made = {.id = xpd_intern_get(&p->ids, number)};
        p->allocator_of.at[number] = (uint32_t)p->allocator.count;
        XPD_PUSH(&p->allocator, made);
        if (p->allocator.failed)
            return NULL;
    }
    return &p->allocator.at[p->allocator_of.at[number]];
}

/* Of equal peaks the later one in the file. */
static void add_snapshot(struct allocator *a, const struct snapshot *s)
{
    a->lifetime_peak_bytes = s->peak_bytes;
    if (in_use(s) >= a->peak.peak_bytes) {
        a->peak = *s;
        a->peak.peak_bytes = in_use(s);
        a->capacity_bytes = (int64_t)((uint64_t)in_use(s) + (uint64_t)s->free_bytes);
    }
    XPD_PUSH(&a->snapshot, *s);
}

static int read_event(struct profile *p, const struct xpd_file_line *line,
                      const struct xpd_file_event *event, struct xpd_err *err)
{
    struct xpd_str none = XPD_STR(""), id = none;
    struct snapshot s = {.at_ps = xpd_file_offset_ps(&p->plane, line, event),
                         .step = NO_STEP,
                         .tf_op = none,
                         .region = none,
                         .type = none,
                         .shape = none};
    struct xpd_stat_value *stat;
    uint32_t count;
    xpd_arena_reset(&p->scratch);
    int rc = xpd_file_stats(&p->plane, event, &p->scratch, &stat, &count, err);
    if (rc != XPD_OK)
        return rc;
    s.frees = xpd_str_eq(xpd_file_name(&p->plane, event), XPD_STR("MemoryDeallocation"));
    for (uint32_t i = 0; i < count; i++) {
        take_id(p, &id, &stat[i]);
        if (!take_number(&s, &stat[i]))
            take_text(p, &s, &stat[i]);
    }
    int64_t group = xpd_file_group(&p->plane, event);
    s.step = group >= 0 ? group : s.step;
    struct allocator *a = allocator_called(p, id);
    if (a)
        add_snapshot(a, &s);
    p->failed |= !a || a->snapshot.failed;
    return XPD_OK;
}

static int read_events(struct profile *p, struct xpd_err *err)
{
    for (uint32_t l = 0; l < p->plane.line_count; l++)
        for (uint32_t i = 0; i < p->plane.line[l].count; i++) {
            int rc = read_event(p, &p->plane.line[l], &p->plane.line[l].event[i], err);
            if (rc != XPD_OK)
                return rc;
        }
    return XPD_OK;
}

/* ---- one allocator ---- */

/* Stable; XProf's sort leaves events of one instant in any order. */
static bool sort_snapshots(struct allocator *a, struct xpd_arena *arena)
{
    uint32_t count = (uint32_t)a->snapshot.count;
    uint64_t *key = XPD_NEW_ROOM(arena, uint64_t, count);
    uint32_t *order = XPD_NEW_ROOM(arena, uint32_t, count);
    struct snapshot *copy = XPD_COPY_ARRAY(arena, a->snapshot.at, count);
    if (!key || !order || !copy)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        key[i] = xpd_radix_key(copy[i].at_ps);
        order[i] = i;
    }
    if (!xpd_radix_sort_u64(key, order, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        a->snapshot.at[i] = copy[order[i]];
    return true;
}

/* Events without a step belong to the step after the last known one. */
static void fill_steps(struct allocator *a)
{
    int64_t last = NO_STEP;
    for (size_t i = 0; i < a->snapshot.count; i++) {
        struct snapshot *s = &a->snapshot.at[i];
        if (s->step == NO_STEP)
            s->step = last + 1;
        else
            last = s->step;
    }
}

/* A deallocation gets the data of the allocation at its address, except the size. */
static bool match_frees(struct allocator *a)
{
    struct xpd_map64 at = {0};
    for (size_t i = 0; i < a->snapshot.count; i++) {
        struct snapshot *s = &a->snapshot.at[i];
        uint32_t live = xpd_map64_get(&at, s->address);
        bool held = live != XPD_NO_INDEX && live != 0;
        if (s->frees && held) {
            const struct snapshot *from = &a->snapshot.at[live - 1];
            s->tf_op = from->tf_op;
            s->region = from->region;
            s->type = from->type;
            s->shape = from->shape;
            xpd_map64_put(&at, s->address, 0); /* 0: freed */
        } else if (!s->frees && !held) {
            xpd_map64_put(&at, s->address, (uint32_t)i + 1);
        }
    }
    bool fine = !at.failed;
    xpd_map64_fini(&at);
    return fine;
}

/* The first with most in use of each of `count` boxes of `width` snapshots. */
static void sample_boxes(struct allocator *a, size_t from, size_t width, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct snapshot *box = &a->snapshot.at[from + width * i], *most = box;
        for (size_t k = 1; k < width; k++)
            if (in_use(&box[k]) > in_use(most))
                most = &box[k];
        a->sample[a->sample_count++] = most;
    }
}

static bool sample(struct allocator *a, struct xpd_arena *arena)
{
    size_t count = a->snapshot.count;
    size_t width = count > SAMPLES_MAX ? count / SAMPLES_MAX : 1;
    size_t narrow = count > SAMPLES_MAX ? SAMPLES_MAX * (width + 1) - count : count;
    a->sample =
        XPD_NEW_ARRAY(arena, const struct snapshot *, count < SAMPLES_MAX ? count : SAMPLES_MAX);
    if (!a->sample)
        return false;
    sample_boxes(a, 0, width, narrow);
    if (count > SAMPLES_MAX)
        sample_boxes(a, narrow * width, width + 1, SAMPLES_MAX - narrow);
    return true;
}

static void find_peak_step(struct allocator *a)
{
    for (size_t i = 0; i < a->snapshot.count; i++)
        if (in_use(&a->snapshot.at[i]) == a->peak.peak_bytes)
            a->peak_step = a->snapshot.at[i].step;
}

/* ---- live memory at the peak ---- */

static void add_special(struct allocator *a, int64_t bytes, const char *what, const char *region)
{
    a->special[a->special_count++] = (struct snapshot){.requested_bytes = bytes,
                                                       .given_bytes = bytes,
                                                       .step = a->peak_step,
                                                       .tf_op = xpd_str_of(what),
                                                       .region = xpd_str_of(region),
                                                       .type = XPD_STR("INVALID"),
                                                       .shape = XPD_STR("unknown")};
}

static int compare_what(const struct snapshot *a, const struct snapshot *b)
{
    if (a->given_bytes != b->given_bytes) /* as XProf: largest first by the negated number */
        return 0 - (uint64_t)a->given_bytes == 0 - (uint64_t)b->given_bytes ? 0
               : (int64_t)(0 - (uint64_t)a->given_bytes) < (int64_t)(0 - (uint64_t)b->given_bytes)
                   ? -1
                   : 1;
    if (a->requested_bytes != b->requested_bytes)
        return (int64_t)(0 - (uint64_t)a->requested_bytes) <
                       (int64_t)(0 - (uint64_t)b->requested_bytes)
                   ? -1
                   : 1;
    const struct xpd_str x[] = {a->tf_op, a->region, a->type, a->shape};
    const struct xpd_str y[] = {b->tf_op, b->region, b->type, b->shape};
    int order = 0;
    for (int i = 0; i < 4 && order == 0; i++)
        order = xpd_str_order(x[i], y[i]);
    return order;
}

static int by_size(const void *a, const void *b)
{
    const struct active *x = a, *y = b;
    int order = compare_what(x->what, y->what);
    if (order != 0)
        return order;
    if (x->special != y->special)
        return x->special < y->special ? -1 : 1;
    return (x->what > y->what) - (x->what < y->what);
}

/* Walks the step of the peak until the peak; returns how much of its heap no event explains. */
static int64_t walk_to_peak(struct allocator *a, struct xpd_map64 *live)
{
    uint64_t unmapped = (uint64_t)a->peak.heap_bytes, undealloc = 0;
    for (size_t i = 0; i < a->snapshot.count; i++) {
        const struct snapshot *s = &a->snapshot.at[i];
        if (s->at_ps > a->peak.at_ps)
            break;
        if (s->step != a->peak_step)
            continue;
        if (!s->frees) {
            xpd_map64_put(live, s->address, (uint32_t)i + 1);
            unmapped -= (uint64_t)s->given_bytes;
            continue;
        }
        uint32_t held = xpd_map64_get(live, s->address);
        if (held != XPD_NO_INDEX && held != 0)
            xpd_map64_put(live, s->address, 0);
        else
            undealloc += (uint64_t)s->given_bytes;
        unmapped += (uint64_t)s->given_bytes;
    }
    return (int64_t)(unmapped - undealloc);
}

static void merge_equal(struct allocator *a)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < a->active_count; i++)
        if (kept > 0 && compare_what(a->active[kept - 1].what, a->active[i].what) == 0)
            a->active[kept - 1].occurrences++;
        else
            a->active[kept++] = a->active[i];
    a->active_count = kept;
}

static bool list_active(struct allocator *a, struct xpd_arena *arena)
{
    struct xpd_map64 live = {0};
    int64_t unmapped = walk_to_peak(a, &live);
    if (unmapped > 0)
        add_special(a, unmapped, "unused preallocated device memory", "persist/dynamic");
    if (a->peak.stack_bytes > 0)
        add_special(a, a->peak.stack_bytes, "stack", "stack");
    a->active = XPD_NEW_ARRAY(arena, struct active, (size_t)live.count + 2);
    for (uint32_t i = 0; a->active && i < live.slot_count; i++)
        if (live.value[i] > 1) /* value + 1; 0 = freed */
            a->active[a->active_count++] =
                (struct active){&a->snapshot.at[live.value[i] - 2], -1, 1};
    for (uint32_t i = 0; a->active && i < a->special_count; i++)
        a->active[a->active_count++] = (struct active){&a->special[i], i, 1};
    if (a->active && a->active_count > 1)
        qsort(a->active, a->active_count, sizeof *a->active, by_size);
    merge_equal(a);
    bool fine = a->active && !live.failed;
    xpd_map64_fini(&live);
    return fine;
}

static bool settle(struct allocator *a, struct xpd_arena *arena)
{
    if (!sort_snapshots(a, arena))
        return false;
    fill_steps(a);
    if (!match_frees(a) || !sample(a, arena))
        return false;
    find_peak_step(a);
    return list_active(a, arena);
}

/* ---- main ---- */

static bool order_allocators(struct profile *p)
{
    p->order = XPD_NEW_ARRAY(p->arena, uint32_t, p->allocator.count);
    for (uint32_t i = 0; p->order && i < p->allocator.count; i++) {
        uint32_t at = i;
        for (; at > 0 &&
               xpd_str_order(p->allocator.at[p->order[at - 1]].id, p->allocator.at[i].id) > 0;
             at--)
            p->order[at] = p->order[at - 1];
        p->order[at] = i;
    }
    return p->order != NULL;
}

static int no_room(struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, "host", XPD_NO_OFFSET,
                    "the allocators' events do not fit the memory of a request");
}

static int make_profile(struct profile *p, struct xpd_err *err)
{
    uint32_t plane = xpd_file_plane_called(p->host.trace, "/host:CPU");
    int rc = xpd_file_plane_open(&p->plane, &p->host, plane, wants, p->arena, err);
    if (rc == XPD_OK)
        rc = read_events(p, err);
    if (rc != XPD_OK)
        return rc;
    bool fine = !p->failed && order_allocators(p);
    for (size_t i = 0; fine && i < p->allocator.count; i++)
        fine = settle(&p->allocator.at[i], p->arena);
    return fine ? XPD_OK : no_room(err);
}

static void close_profile(struct profile *p)
{
    for (size_t i = 0; i < p->allocator.count; i++)
        XPD_VEC_FINI(&p->allocator.at[i].snapshot);
    XPD_VEC_FINI(&p->allocator);
    XPD_VEC_FINI(&p->allocator_of);
    xpd_intern_fini(&p->ids);
    xpd_arena_fini(&p->scratch);
}

/* ---- JSON ---- */

static void k64(struct xpd_jsonw *w, const char *key, int64_t value)
{
    xpd_json_key(w, key);
    xpd_json_i64_string(w, value);
}

static void kreal(struct xpd_jsonw *w, const char *key, double value)
{
    if (isfinite(value))
        xpd_json_kdouble(w, key, value);
    else
        xpd_json_ktext(w, key, isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity");
}

static void write_stats(struct xpd_jsonw *w, const char *key, const struct snapshot *s)
{
    xpd_json_key(w, key);
    xpd_json_obj(w);
    k64(w, "stackReservedBytes", s->stack_bytes);
    k64(w, "heapAllocatedBytes", s->heap_bytes);
    k64(w, "freeMemoryBytes", s->free_bytes);
    kreal(w, "fragmentation", s->fragmentation);
    k64(w, "peakBytesInUse", s->peak_bytes);
    xpd_json_obj_end(w);
}

static void write_activity(struct xpd_jsonw *w, const struct snapshot *s)
{
    xpd_json_obj(w);
    xpd_json_ktext(w, "memoryActivity", s->frees ? "DEALLOCATION" : "ALLOCATION");
    k64(w, "requestedBytes", s->requested_bytes);
    k64(w, "allocationBytes", s->given_bytes);
    xpd_json_key(w, "address");
    xpd_json_u64_string(w, s->address);
    xpd_json_kstr(w, "tfOpName", s->tf_op);
    k64(w, "stepId", s->step);
    xpd_json_kstr(w, "regionType", s->region);
    xpd_json_kstr(w, "dataType", s->type);
    xpd_json_kstr(w, "tensorShape", s->shape);
    xpd_json_obj_end(w);
}

static void write_snapshot(struct xpd_jsonw *w, const struct snapshot *s)
{
    xpd_json_obj(w);
    k64(w, "timeOffsetPs", s->at_ps);
    write_stats(w, "aggregationStats", s);
    xpd_json_key(w, "activityMetadata");
    write_activity(w, s);
    xpd_json_obj_end(w);
}

static void write_summary(struct xpd_jsonw *w, const struct allocator *a)
{
    xpd_json_key(w, "profileSummary");
    xpd_json_obj(w);
    k64(w, "peakBytesUsageLifetime", a->lifetime_peak_bytes);
    write_stats(w, "peakStats", &a->peak);
    k64(w, "peakStatsTimePs", a->peak.at_ps);
    k64(w, "memoryCapacity", a->capacity_bytes);
    xpd_json_obj_end(w);
}

/* Snapshots are numbered by their order in memoryProfileSnapshots: those of the rows, in order. */
static void write_active(struct xpd_jsonw *w, const struct allocator *a)
{
    int64_t index = 0;
    xpd_json_key(w, "activeAllocations");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < a->active_count; i++) {
        const struct active *active = &a->active[i];
        xpd_json_obj(w);
        k64(w, "snapshotIndex", active->special < 0 ? index++ : -1 - active->special);
        k64(w, "specialIndex", active->special);
        k64(w, "numOccurrences", active->occurrences);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
}

static void write_allocator(struct xpd_jsonw *w, const struct allocator *a)
{
    xpd_json_obj(w);
    xpd_json_key(w, "memoryProfileSnapshots");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < a->active_count; i++)
        if (a->active[i].special < 0)
            write_snapshot(w, a->active[i].what);
    xpd_json_arr_end(w);
    write_summary(w, a);
    write_active(w, a);
    xpd_json_key(w, "specialAllocations");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < a->special_count; i++)
        write_activity(w, &a->special[i]);
    xpd_json_arr_end(w);
    xpd_json_key(w, "sampledTimelineSnapshots");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < a->sample_count; i++)
        write_snapshot(w, a->sample[i]);
    xpd_json_arr_end(w);
    xpd_json_obj_end(w);
}

static void write_module(struct xpd_jsonw *w, const struct xpd_file_plane *plane,
                         const struct xpd_file_line *line, const struct xpd_file_event *event,
                         int64_t id)
{
    struct xpd_str name = xpd_intern_get(&plane->trace->space->names, plane->plane->name);
    size_t prefix = sizeof "/device:" - 1;
    int64_t start_ps = xpd_file_offset_ps(plane, line, event);
    xpd_json_obj(w);
    xpd_json_kstr(w, "name", xpd_file_name(plane, event));
    k64(w, "startTimePs", start_ps);
    k64(w, "endTimePs", (int64_t)((uint64_t)start_ps + (uint64_t)xpd_file_duration_ps(event)));
    k64(w, "id", id);
    xpd_json_kstr(w, "planeName", (struct xpd_str){name.data + prefix, name.size - prefix});
    xpd_json_obj_end(w);
}

/* Executions of programs, on TPUs only. */
static int write_modules(struct xpd_jsonw *w, const struct profile *p, struct xpd_err *err)
{
    const struct xpd_xspace *space = p->host.trace->space;
    int64_t id = 0;
    xpd_json_key(w, "hloModules");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < space->plane_count; i++) {
        struct xpd_file_plane plane;
        if (!xpd_str_starts(xpd_intern_get(&space->names, space->plane[i].name), "/device:TPU:"))
            continue;
        int rc = xpd_file_plane_open(&plane, &p->host, i, NULL, p->arena, err);
        if (rc != XPD_OK)
            return rc;
        for (uint32_t l = 0; l < plane.line_count; l++)
            for (uint32_t e = 0; e < plane.line[l].count; e++)
                if (xpd_str_eq(plane.line[l].name, XPD_STR("XLA Modules")))
                    write_module(w, &plane, &plane.line[l], &plane.line[l].event[e], id++);
    }
    xpd_json_arr_end(w);
    return XPD_OK;
}

static int write_json(struct profile *p, struct xpd_strbuf *out, struct xpd_err *err)
{
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, out);
    xpd_json_obj(&w);
    xpd_json_key(&w, "memoryProfilePerAllocator");
    xpd_json_obj(&w);
    for (size_t i = 0; i < p->allocator.count; i++) {
        const struct allocator *a = &p->allocator.at[p->order[i]];
        xpd_json_key(&w, a->id.data);
        write_allocator(&w, a);
    }
    xpd_json_obj_end(&w);
    xpd_json_ki64(&w, "numHosts", 1);
    xpd_json_key(&w, "memoryIds");
    xpd_json_arr(&w);
    for (size_t i = 0; i < p->allocator.count; i++)
        xpd_json_str(&w, p->allocator.at[p->order[i]].id);
    xpd_json_arr_end(&w);
    xpd_json_ki64(&w, "version", 1);
    int rc = write_modules(&w, p, err);
    xpd_json_obj_end(&w);
    return rc;
}

/* XProf has no CSV for it. The rows are those of the table on its page: memory live at the peak. */
struct row {
    double peak_ps, given_bytes, requested_bytes, occurrences;
    struct xpd_str id, tf_op, region, type, shape;
};

static const struct xpd_column columns[] = {
    XPD_COLUMN_AS(struct row, "memory_id", id, "Memory ID"),
    XPD_COLUMN_AS(struct row, "peak_time_ps", peak_ps, "Peak time (ps)"),
    XPD_COLUMN_AS(struct row, "tf_op_name", tf_op, "Op Name"),
    XPD_COLUMN_AS(struct row, "allocation_bytes", given_bytes, "Allocation Size (bytes)"),
    XPD_COLUMN_AS(struct row, "requested_bytes", requested_bytes, "Requested Size (bytes)"),
    XPD_COLUMN(struct row, occurrences, "Occurrences"),
    XPD_COLUMN_AS(struct row, "region_type", region, "Region type"),
    XPD_COLUMN_AS(struct row, "data_type", type, "Data type"),
    XPD_COLUMN(struct row, shape, "Shape"),
};

static bool make_table(const struct profile *p, struct xpd_data_table *table)
{
    size_t count = 0;
    for (size_t i = 0; i < p->allocator.count; i++)
        count += p->allocator.at[i].active_count;
    struct row *row = XPD_NEW_ARRAY(p->arena, struct row, count);
    if (!row)
        return false;
    *table = (struct xpd_data_table){XPD_COLUMNS(columns), .row = row, .row_bytes = sizeof *row};
    for (size_t i = 0; i < p->allocator.count; i++) {
        const struct allocator *a = &p->allocator.at[p->order[i]];
        for (uint32_t k = 0; k < a->active_count; k++) {
            const struct snapshot *what = a->active[k].what;
            row[table->row_count++] = (struct row){.id = a->id,
                                                   .peak_ps = (double)a->peak.at_ps,
                                                   .tf_op = what->tf_op,
                                                   .given_bytes = (double)what->given_bytes,
                                                   .requested_bytes = (double)what->requested_bytes,
                                                   .occurrences = (double)a->active[k].occurrences,
                                                   .region = what->region,
                                                   .type = what->type,
                                                   .shape = what->shape};
        }
    }
    return true;
}

static int write_answer(struct profile *p, struct xpd_tables *out, struct xpd_err *err)
{
    struct xpd_data_table *table = XPD_NEW(p->arena, struct xpd_data_table);
    struct xpd_strbuf text = {0};
    int rc = write_json(p, &text, err);
    if (rc == XPD_OK && !text.failed && table && make_table(p, table)) {
        const char *kept = xpd_arena_strndup(p->arena, text.data, text.size);
        out->json = (struct xpd_str){kept, text.size};
        out->table = table;
        out->count = 1;
    }
    xpd_strbuf_fini(&text);
    return rc != XPD_OK || (out->count && out->json.data) ? rc : no_room(err);
}

/* Without that plane XProf's answer is an empty body. */
static int answer(struct profile *p, struct xpd_tables *out, struct xpd_err *err)
{
    static const struct xpd_data_table nothing = {XPD_COLUMNS(columns)};
    *out = (struct xpd_tables){.table = &nothing, .count = 1, .has_json = true};
    if (xpd_file_plane_called(p->host.trace, "/host:CPU") == XPD_NO_INDEX)
        return XPD_OK;
    out->count = 0;
    xpd_intern_init(&p->ids, p->arena);
    int rc = make_profile(p, err);
    if (rc == XPD_OK)
        rc = write_answer(p, out, err);
    close_profile(p);
    return rc;
}

static int make(const struct xpd_tool_ctx *ctx, struct xpd_tables *out, struct xpd_err *err)
{
    uint32_t first, end;
    struct profile p = {.arena = ctx->arena};
    int rc = xpd_file_hosts_meant(ctx, &first, &end, err);
    if (rc == XPD_OK && end - first != 1)
        rc = xpd_fail(err, XPD_EINVAL, "host", XPD_NO_OFFSET,
                      "memory_profile is of one host, and this run has %u; host= chooses",
                      end - first);
    if (rc == XPD_OK)
        rc = xpd_file_host_open(ctx, first, &p.host, err);
    return rc == XPD_OK ? answer(&p, out, err) : rc;
}

const struct xpd_table_tool xpd_table_memory_profile = {.tag = "memory_profile", .make = make};
