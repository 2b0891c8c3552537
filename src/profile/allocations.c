/* Reads the allocators' events. In: a profile and its directory. Out: events by allocator and time.
 *
 * The events of "/host:CPU" are walked once with the window; only those with one of the two names
 * have their stats decoded. */
#include "xprofd/profile/allocations.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/vec.h"
#include <stdlib.h>

/* TensorFlow's DataType in words. In: its number, as an allocation says it. Out: "float", ... */

/* A reference to a type has its number and 100. */
struct xpd_str xpd_allocation_type(int32_t data_type, struct xpd_arena *arena)
{
    static const char *const words[] = {"INVALID",
                                        "float",
                                        "double",
                                        "int32",
                                        "uint8",
                                        "int16",
                                        "int8",
                                        "string",
                                        "complex64",
                                        "int64",
                                        "bool",
                                        "qint8",
                                        "quint8",
                                        "qint32",
                                        "bfloat16",
                                        "qint16",
                                        "quint16",
                                        "uint16",
                                        "complex128",
                                        "half",
                                        "resource",
                                        "variant",
                                        "uint32",
                                        "uint64",
                                        "float8_e5m2",
                                        "float8_e4m3fn",
                                        "float8_e4m3fnuz",
                                        "float8_e4m3b11fnuz",
                                        "float8_e5m2fnuz",
                                        "int4",
                                        "uint4"};
    bool refers = data_type > 100;
    int32_t plain = refers ? data_type - 100 : data_type;
    const char *ref = refers ? "_ref" : "";
    bool known = plain >= 0 && plain < (int32_t)(sizeof words / sizeof *words);
    const char *text = known ? xpd_arena_printf(arena, "%s%s", words[plain], ref)
                             : xpd_arena_printf(arena, "unknown dtype enum (%d)%s", plain, ref);
    return xpd_str_of(text);
}

enum { VARINT = 0, LENGTH = 2 };

struct found { /* one event, with the allocator it belongs to */
    struct xpd_allocation event;
    uint32_t allocator, order;
};
struct reading {
    struct xpd_allocations *out;
    const struct xpd_source *source;
    const struct xpd_xspace *space;
    struct xpd_plane_tables tables;
    struct xpd_intern names, allocators, texts;
    int64_t thread; /* of the line that is read */
    struct xpd_arena own, scratch;
    uint64_t id[2]; /* of MemoryAllocation and MemoryDeallocation */
    bool has_id[2];
    XPD_VEC(struct found) found;
};

int64_t xpd_allocation_in_use(const struct xpd_allocation *event)
{
    int64_t sum = event->reserved_bytes > 0 ? event->reserved_bytes : 0;
    xpd_grow_i64(&sum, event->allocated_bytes > 0 ? event->allocated_bytes : 0);
    return sum;
}

int64_t xpd_allocation_largest_free(const struct xpd_allocation *event)
{
    if (event->available_bytes < 0 || event->fragmentation < 0)
        return -1;
    double left = (double)event->available_bytes * (1 - event->fragmentation);
    return left >= 9e18 ? INT64_MAX : (int64_t)(left + 0.5);
}

bool xpd_allocator_is_host(struct xpd_str name)
{
    return xpd_str_find(name, XPD_STR("host"), true) != SIZE_MAX ||
           xpd_str_find(name, XPD_STR("cpu"), true) != SIZE_MAX;
}

/* ---- one event ---- */

static int64_t number_of(const struct xpd_stat_value *value)
{
    bool number = xpd_stat_is_integer(value->type);
    return number && value->integer >= 0 ? value->integer : -1;
}

/* True when the stat names the allocator; the last that does counts, as in XProf. */
static bool take_name(struct xpd_str *name, const struct xpd_stat_value *value,
                      struct xpd_arena *scratch)
{
    if (xpd_str_eq(value->name, XPD_STR("allocator_name")) && value->type == XPD_STAT_TEXT) {
        *name = value->text;
        return true;
    }
    if ((xpd_str_eq(value->name, XPD_STR("index_on_host")) ||
         xpd_str_eq(value->name, XPD_STR("device_ordinal"))) &&
        xpd_stat_is_integer(value->type)) {
        const char *text = xpd_arena_printf(scratch, "%lld", (long long)value->integer);
        *name = xpd_str_of(text ? text : "");
        return true;
    }
    return false;
}

static void take_stat(struct xpd_allocation *event, const struct xpd_stat_value *value)
{
    const struct {
        struct xpd_str name;
        int64_t *to;
    } sizes[] = {{XPD_STR("bytes_reserved"), &event->reserved_bytes},
                 {XPD_STR("bytes_allocated"), &event->allocated_bytes},
                 {XPD_STR("bytes_available"), &event->available_bytes},
                 {XPD_STR("requested_bytes"), &event->requested_bytes},
                 {XPD_STR("allocation_bytes"), &event->given_bytes},
                 {XPD_STR("peak_bytes_in_use"), &event->peak_bytes}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (xpd_str_eq(value->name, sizes[i].name))
            *sizes[i].to = number_of(value);
    if (xpd_str_eq(value->name, XPD_STR("addr")) && xpd_stat_is_integer(value->type)) {
        event->address = (uint64_t)value->integer;
        event->has_address = true;
    }
    if (xpd_str_eq(value->name, XPD_STR("data_type")) && number_of(value) <= INT32_MAX)
        event->data_type = (int32_t)number_of(value);
    if (!xpd_str_eq(value->name, XPD_STR("fragmentation")))
        return;
    double share = value->type == XPD_STAT_DOUBLE ? value->real : (double)number_of(value);
    event->fragmentation = share >= 0 && share <= 1 ? share : -1; /* NaN too: nothing is free */
}

static void take_text(struct reading *r, struct xpd_allocation *event,
                      const struct xpd_stat_value *value)
{
    const struct {
        struct xpd_str name;
        xpd_name_id *to;
    } texts[] = {{XPD_STR("tf_op"), &event->op},
                 {XPD_STR("region_type"), &event->region},
                 {XPD_STR("shape"), &event->shape}};
    for (size_t i = 0; value->type == XPD_STAT_TEXT && i < sizeof texts / sizeof *texts; i++)
        if (xpd_str_eq(value->name, texts[i].name))
            *texts[i].to = xpd_intern_put(&r->texts, value->text.data, value->text.size);
}

static int add_event(struct reading *r, struct xpd_wire_range range, int64_t at_ps, bool frees,
                     struct xpd_err *err)
{
    struct found f = {.event = {.at_ps = at_ps,
                                .frees = frees,
                                .reserved_bytes = -1,
                                .allocated_bytes = -1,
                                .available_bytes = -1,
                                .requested_bytes = -1,
                                .given_bytes = -1,
                                .peak_bytes = -1,
                                .fragmentation = -1,
                                .data_type = -1,
                                .thread = r->thread,
                                .where = range.offset}};
    struct xpd_str name = {NULL, 0};
    struct xpd_stat_value *value;
    uint32_t count;
    bool named = false;
    xpd_arena_reset(&r->scratch);
    int rc = xpd_stats_decode(r->source, range, 4, &r->tables, &r->names, &r->scratch, &value,
                              &count, err);
    if (rc != XPD_OK)
        return rc;
    for (uint32_t i = 0; i < count; i++)
        if (take_name(&name, &value[i], &r->scratch))
            named = true;
        else {
            take_stat(&f.event, &value[i]);
            take_text(r, &f.event, &value[i]);
        }
    if (!named || (f.event.reserved_bytes < 0 && f.event.allocated_bytes < 0) ||
        r->found.count >= XPD_ALLOCATIONS_MAX ||
        (r->allocators.count > XPD_ALLOCATORS_MAX &&
         xpd_intern_find(&r->allocators, name) == XPD_NO_NAME)) {
        r->out->dropped++;
        return XPD_OK;
    }
    f.allocator = xpd_intern_put(&r->allocators, name.data, name.size);
    f.order = (uint32_t)r->found.count;
    XPD_PUSH(&r->found, f);
    return XPD_OK;
}

/* ---- the walk ---- */

/* Damage ends a line, it is not an error. */
static int field_of(struct reading *r, struct xpd_window *window, uint64_t end, uint32_t *number,
                    uint8_t *wire, uint64_t *value, struct xpd_wire_range *payload,
                    struct xpd_err *err)
{
    struct xpd_err inner = {0};
    int rc = xpd_window_field(window, end, number, wire, value, payload, &inner);
    if (rc == XPD_EFORMAT) {
        r->out->cut = true;
        *number = 0;
        return XPD_OK;
    }
    if (rc != XPD_OK && err)
        *err = inner;
    if (rc == XPD_OK && *number != 0 && *wire == LENGTH)
        window->offset = payload->offset + payload->size;
    return rc;
}

static int walk_event(struct reading *r, struct xpd_window *window, struct xpd_wire_range range,
                      int64_t line_ps, struct xpd_err *err)
{
    uint64_t end = range.offset + range.size, value, id = 0;
    struct xpd_wire_range payload;
    uint32_t number = 1;
    uint8_t wire;
    int64_t offset_ps = 0;
    window->offset = range.offset;
    while (number != 0) {
        int rc = field_of(r, window, end, &number, &wire, &value, &payload, err);
        if (rc != XPD_OK)
            return rc;
        if (number == 1 && wire == VARINT)
            id = value;
        else if (number == 2 && wire == VARINT)
            offset_ps = (int64_t)value;
        if (number == 4 && id != 0 && (!r->has_id[0] || id != r->id[0]) &&
            (!r->has_id[1] || id != r->id[1]))
            return XPD_OK; /* another event: its stats are not looked at */
    }
    for (int k = 0; k < 2; k++)
        if (r->has_id[k] && id == r->id[k]) {
            bool overflow = false;
            int64_t at_ps = xpd_add_i64(line_ps, offset_ps, &overflow);
            return add_event(r, range, at_ps, k == 1, err);
        }
    return XPD_OK;
}

static int walk_line(struct reading *r, struct xpd_window *window, const struct xpd_line *line,
                     struct xpd_err *err)
{
    uint64_t end = line->range.offset + line->range.size, value;
    struct xpd_wire_range payload;
    uint32_t number;
    uint8_t wire;
    bool overflow = false;
    int64_t origin_ns = line->timestamp_ns >= r->out->origin_ns ? r->out->origin_ns : 0;
    int64_t line_ps = xpd_mul_i64(line->timestamp_ns - origin_ns, 1000, &overflow);
    r->thread = line->display_id ? line->display_id : line->id;
    window->offset = line->range.offset;
    for (;;) {
        int rc = field_of(r, window, end, &number, &wire, &value, &payload, err);
        if (rc != XPD_OK || number == 0)
            return rc;
        if (number != 4 || wire != LENGTH)
            continue;
        uint64_t next = window->offset;
        rc = walk_event(r, window, payload, line_ps, err);
        if (rc != XPD_OK)
            return rc;
        window->offset = next;
    }
}

/* Of lines that count from 1970 the first beginning: in ps their times do not fit. */
static int64_t origin_of(const struct xpd_plane *plane)
{
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < plane->line_count; i++)
        if (plane->line[i].timestamp_ns >= XPD_UNIX_TIME_NS && plane->line[i].timestamp_ns < least)
            least = plane->line[i].timestamp_ns;
    return least == INT64_MAX ? 0 : least;
}

static int walk_plane(struct reading *r, const struct xpd_plane *plane, struct xpd_err *err)
{
    static const char *const wanted[2] = {"MemoryAllocation", "MemoryDeallocation"};
    struct xpd_warnings warnings = {.arena = &r->own};
    struct xpd_window window;

    int rc =
        xpd_plane_tables_load(&r->tables, r->source, plane, &r->names, &r->own, &warnings, err);
    for (uint32_t i = 0; rc == XPD_OK && i < r->tables.event_count; i++)
        for (int k = 0; k < 2; k++)
            if (xpd_str_eq(xpd_intern_get(&r->names, r->tables.event[i].name),
                           xpd_str_of(wanted[k]))) {
                r->id[k] = r->tables.event[i].id;
                r->has_id[k] = true;
            }
    if (rc != XPD_OK || (!r->has_id[0] && !r->has_id[1]))
        return rc;
    r->out->origin_ns = origin_of(plane);
    rc = xpd_window_init(&window, r->source, err);
    for (uint32_t i = 0; rc == XPD_OK && i < plane->line_count; i++)
        rc = walk_line(r, &window, &plane->line[i], err);
    xpd_window_fini(&window);
    return rc;
}

/* ---- by allocator ---- */

static int by_allocator(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->allocator != y->allocator)
        return x->allocator < y->allocator ? -1 : 1;
    if (x->event.at_ps != y->event.at_ps)
        return x->event.at_ps < y->event.at_ps ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int by_name(const void *a, const void *b)
{
    struct xpd_str x = ((const struct xpd_allocator *)a)->name,
                   y = ((const struct xpd_allocator *)b)->name;
    int64_t m, n;
    if (xpd_str_to_i64(x, &m) && xpd_str_to_i64(y, &n) && m != n)
        return m < n ? -1 : 1;
    return xpd_str_order(x, y);
}

static void summarise(struct xpd_allocator *a)
{
    a->request_bytes = -1;
    a->most_bytes = -1;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct xpd_allocation *event = &a->event[i];
        int64_t in_use = xpd_allocation_in_use(event);
        if (in_use > a->most_bytes) {
            a->most_bytes = in_use;
            a->most = i;
        }
        if (!event->frees && event->requested_bytes > a->request_bytes)
            a->request_bytes = event->requested_bytes;
        a->free_count += event->frees;
    }
}

static bool keep_texts(struct reading *r, struct xpd_arena *arena)
{
    struct xpd_str *text = XPD_NEW_ARRAY(arena, struct xpd_str, r->texts.count);
    if (!text || r->texts.failed)
        return false;
    for (uint32_t i = 0; i < r->texts.count; i++)
        text[i] = xpd_arena_str(arena, xpd_intern_get(&r->texts, i));
    r->out->text = text;
    r->out->text_count = r->texts.count;
    return !arena->failed;
}

static bool divide(struct reading *r, struct xpd_arena *arena)
{
    struct xpd_allocations *out = r->out;
    size_t count = r->found.count;
    struct xpd_allocation *event = XPD_NEW_ARRAY(arena, struct xpd_allocation, count);
    out->allocator = XPD_NEW_ARRAY(arena, struct xpd_allocator, r->allocators.count);
    if (!event || !out->allocator || r->found.failed || r->allocators.failed)
        return false;
    if (count > 1)
        qsort(r->found.at, count, sizeof *r->found.at, by_allocator);
    for (size_t i = 0; i < count; i++) {
        struct xpd_allocator *a = out->count > 0 ? &out->allocator[out->count - 1] : NULL;
        event[i] = r->found.at[i].event;
        if (!a || r->found.at[i].allocator != r->found.at[i - 1].allocator) {
            struct xpd_str name = xpd_intern_get(&r->allocators, r->found.at[i].allocator);
            const char *copy = xpd_arena_strndup(arena, name.data, name.size);
            if (!copy)
                return false;
            a = &out->allocator[out->count++];
            *a = (struct xpd_allocator){.name = {copy, name.size}, .event = &event[i]};
        }
        a->count++;
    }
    for (uint32_t i = 0; i < out->count; i++)
        summarise(&out->allocator[i]);
    if (out->count > 1)
        qsort(out->allocator, out->count, sizeof *out->allocator, by_name);
    return true;
}

int xpd_allocations_read(struct xpd_allocations *out, const struct xpd_source *source,
                         const struct xpd_xspace *space, struct xpd_arena *arena,
                         struct xpd_err *err)
{
    struct reading r = {.out = out, .source = source, .space = space};
    int rc = XPD_OK;
    *out = (struct xpd_allocations){0};
    if (!space->has_memory_events)
        return XPD_OK;
    out->cut = !space->complete;
    xpd_arena_init(&r.own, arena->budget_bytes);
    xpd_arena_init(&r.scratch, arena->budget_bytes);
    xpd_intern_init(&r.names, &r.own);
    xpd_intern_init(&r.allocators, &r.own);
    xpd_intern_init(&r.texts, &r.own);
    for (uint32_t i = 0; i < space->plane_count; i++)
        if (xpd_str_eq(xpd_intern_get(&space->names, space->plane[i].name), XPD_STR("/host:CPU"))) {
            rc = walk_plane(&r, &space->plane[i], err);
            break; /* the first one, as in XProf */
        }
    if (rc == XPD_OK && (!divide(&r, arena) || !keep_texts(&r, arena)))
        rc = xpd_fail(err, XPD_ELIMIT, xpd_source_name(source), XPD_NO_OFFSET,
                      "The allocators' events do not fit the memory of %llu bytes; raise "
                      "--memory-limit.",
                      (unsigned long long)arena->budget_bytes);
    XPD_VEC_FINI(&r.found);
    xpd_plane_tables_fini(&r.tables);
    xpd_intern_fini(&r.names);
    xpd_intern_fini(&r.allocators);
    xpd_intern_fini(&r.texts);
    xpd_arena_fini(&r.own);
    xpd_arena_fini(&r.scratch);
    return rc;
}
