/* The BufferAssignmentProto: logical buffers, allocations, heap traces, aliases.
 *
 * In: the message, walked three times: counting; buffers and aliases; allocations and traces, which
 * refer to buffers. Out: columns. Buffers, assigned parts and heap events come by the hundred
 * thousand and are read with the wire cursor, the rest with protobuf-c. */
#include "hlo.pb-c.h"
#include "load_internal.h"

#include <stdlib.h>

enum { BUFFER = 1, ALIAS = 2, ALLOCATION = 3, TRACE = 4, ASSIGNED = 9, EVENT = 1, LOCATION = 3 };

#define ASSIGNMENT_FIELDS (XPD_FIELD_BIT(BUFFER) | XPD_FIELD_BIT(ALLOCATION) | XPD_FIELD_BIT(TRACE))

static size_t count_field(const struct xpd_field *message, uint32_t number)
{
    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, message, XPD_FIELD_BIT(number), NULL);
    struct xpd_field field;
    size_t count = 0;
    while (xpd_hlo_walk_next(&walk, &field))
        if (field.number == number && field.wire_type == 2)
            count++;
    return count;
}

void xpd_hlo_count_assignment(struct xpd_hlo_load *load, const struct xpd_field *assignment)
{
    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, assignment, ASSIGNMENT_FIELDS, NULL);
    struct xpd_field field;
    while (xpd_hlo_walk_next(&walk, &field)) {
        switch (xpd_field_tag(&field)) {
        case XPD_TAG(BUFFER, 2): load->count_buffers++; break;
        case XPD_TAG(ALLOCATION, 2):
            load->count_allocations++;
            load->count_assigned += count_field(&field, ASSIGNED);
            break;
        case XPD_TAG(TRACE, 2):
            load->count_traces++;
            load->count_events += count_field(&field, EVENT);
            break;
        }
    }
}

#define NEW_COLUMN(load, at, n) ((at) = xpd_arena_calloc(&(load)->hlo->arena, (n), sizeof *(at)))

void xpd_hlo_new_assignment_columns(struct xpd_hlo_load *load)
{
    struct xpd_hlo *hlo = load->hlo;
    struct xpd_hlo_buffers *buffers = &hlo->buffers;
    NEW_COLUMN(load, buffers->id, load->count_buffers);
    NEW_COLUMN(load, buffers->size_bytes, load->count_buffers);
    NEW_COLUMN(load, buffers->color, load->count_buffers);
    NEW_COLUMN(load, buffers->instruction, load->count_buffers);
    NEW_COLUMN(load, buffers->instruction_id, load->count_buffers);
    NEW_COLUMN(load, buffers->index_first, load->count_buffers + 1);
    xpd_map64_reserve(&hlo->buffer_by_id, (uint32_t)load->count_buffers);
    NEW_COLUMN(load, hlo->allocation, load->count_allocations);
    NEW_COLUMN(load, hlo->assigned, load->count_assigned);
    NEW_COLUMN(load, hlo->trace, load->count_traces);
    struct xpd_hlo_events *events = &hlo->events;
    NEW_COLUMN(load, events->kind, load->count_events);
    NEW_COLUMN(load, events->buffer, load->count_events);
    NEW_COLUMN(load, events->buffer_id, load->count_events);
    NEW_COLUMN(load, events->canonical, load->count_events);
    NEW_COLUMN(load, events->instruction_name, load->count_events);
    NEW_COLUMN(load, events->computation_name, load->count_events);
}

/* ---- logical buffers ---- */

struct location {
    struct xpd_str name;
    int64_t id;
    bool has_id;
};

/* By id when the module has it, else by name: dumps before about 2022 have no ids. An id of 0 is
 * not written at all, so it is meant only when there is no name. */
static uint32_t find_location(struct xpd_hlo_load *load, const struct location *at, uint64_t offset)
{
    const struct xpd_hlo *hlo = load->hlo;
    uint32_t found = XPD_NO_INDEX;
    if (at->has_id || at->name.size == 0)
        found = xpd_map64_get(&hlo->instruction_by_id, (uint64_t)at->id);
    if (found == XPD_NO_INDEX && at->name.size != 0) {
        xpd_name_id name = xpd_intern_find(&hlo->names, at->name);
        if (name < load->by_name_count)
            found = load->by_name[name];
    }
    if (found == XPD_NO_INDEX)
        XPD_HLO_WARN(load, XPD_WARNING, "buffer_instruction_missing", offset,
                     "a buffer is defined by the instruction %.*s (id %lld), which does not exist",
                     (int)(at->name.size < 200 ? at->name.size : 200),
                     at->name.size ? at->name.data : "", (long long)at->id);
    return found;
}

static void read_location(struct xpd_hlo_load *load, const struct xpd_field *message,
                          struct location *at)
{
    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, message, 0, &load->hlo->warnings);
    struct xpd_field field;
    while (xpd_hlo_walk_next(&walk, &field)) {
        switch (xpd_field_tag(&field)) {
        case XPD_TAG(2, 2): at->name = xpd_field_str(&field); break;
        case XPD_TAG(3, 0):
        case XPD_TAG(3, 2): XPD_HLO_PUSH_INTS(&load->shape_index, &field); break;
        case XPD_TAG(4, 0):
            at->id = (int64_t)field.value;
            at->has_id = true;
            break;
        }
    }
}

static void read_buffer(struct xpd_hlo_load *load, const struct xpd_field *message)
{
    struct xpd_hlo_buffers *buffers = &load->hlo->buffers;
    uint32_t index = buffers->count++;
    buffers->index_first[index] = (uint32_t)load->shape_index.count;
    struct location location = {0};
    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, message, XPD_FIELD_BIT(LOCATION), &load->hlo->warnings);
    struct xpd_field field;
    while (xpd_hlo_walk_next(&walk, &field)) {
        switch (xpd_field_tag(&field)) {
        case XPD_TAG(1, 0): buffers->id[index] = (int64_t)field.value; break;
        case XPD_TAG(2, 0): buffers->size_bytes[index] = (int64_t)field.value; break;
        case XPD_TAG(LOCATION, 2): read_location(load, &field, &location); break;
        case XPD_TAG(4, 0): buffers->color[index] = (int64_t)field.value; break;
        }
    }
    buffers->instruction_id[index] = location.id;
    buffers->instruction[index] = find_location(load, &location, message->offset);
    if (buffers->size_bytes[index] < 0)
        XPD_HLO_WARN(load, XPD_WARNING, "buffer_size_negative", message->offset,
                     "the buffer %lld has the size %lld", (long long)buffers->id[index],
                     (long long)buffers->size_bytes[index]);
    if (xpd_map64_put(&load->hlo->buffer_by_id, (uint64_t)buffers->id[index], index) !=
        XPD_NO_INDEX)
        XPD_HLO_WARN(load, XPD_WARNING, "buffer_id_twice", message->offset,
                     "two buffers have the id %lld; references mean the last",
                     (long long)buffers->id[index]);
}

static void read_alias(struct xpd_hlo_load *load, const struct xpd_field *message)
{
    const Xla__BufferAssignmentProto__BufferAlias *proto =
        xpd_hlo_unpack(load, &xla__buffer_assignment_proto__buffer_alias__descriptor, message, 0);
    struct xpd_hlo_value value = {.instruction = XPD_NO_INDEX};
    const Xla__LogicalBufferProto__Location *from = proto ? proto->location : NULL;
    if (from) {
        struct location location = {
            .name = {(const char *)from->instruction_name.data, from->instruction_name.len},
            .id = from->instruction_id,
            .has_id = from->instruction_id != 0};
        value.source_buffer_id = proto->source_buffer_id;
        value.instruction = find_location(load, &location, message->offset);
        value.shape_index = xpd_hlo_copy_ints(load, from->shape_index, from->n_shape_index);
        value.shape_index_count = value.shape_index ? (uint32_t)from->n_shape_index : 0;
        XPD_PUSH(&load->value, value);
    }
    xpd_arena_reset(&load->scratch);
}

void xpd_hlo_read_buffers(struct xpd_hlo_load *load, const struct xpd_field *assignment)
{
    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, assignment, ASSIGNMENT_FIELDS, &load->hlo->warnings);
    struct xpd_field field;
    while (xpd_hlo_walk_next(&walk, &field)) {
        if (xpd_field_tag(&field) == XPD_TAG(BUFFER, 2))
            read_buffer(load, &field);
        else if (xpd_field_tag(&field) == XPD_TAG(ALIAS, 2))
            read_alias(load, &field);
    }
    if (load->shape_index.count >= UINT32_MAX || load->value.count >= UINT32_MAX)
        load->shape_index.failed = true;
}

/* ---- allocations ---- */

static void read_assigned(struct xpd_hlo_load *load, const struct xpd_field *message)
{
    struct xpd_hlo *hlo = load->hlo;
    struct xpd_hlo_assigned *assigned = &hlo->assigned[hlo->assigned_count++];
    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, message, 0, &hlo->warnings);
    struct xpd_field field;
    while (xpd_hlo_walk_next(&walk, &field)) {
        switch (xpd_field_tag(&field)) {
        case XPD_TAG(1, 0): assigned->buffer_id = (int64_t)field.value; break;
        case XPD_TAG(2, 0): assigned->offset_bytes = (int64_t)field.value; break;
        case XPD_TAG(3, 0): assigned->size_bytes = (int64_t)field.value; break;
        }
    }
    assigned->buffer = xpd_map64_get(&hlo->buffer_by_id, (uint64_t)assigned->buffer_id);
    if (assigned->buffer == XPD_NO_INDEX)
        XPD_HLO_WARN(load, XPD_WARNING, "assigned_buffer_missing", message->offset,
                     "an allocation holds the buffer %lld, which does not exist",
                     (long long)assigned->buffer_id);
}

static void read_all_assigned(struct xpd_hlo_load *load, const struct xpd_field *message,
                              struct xpd_field *whole)
{
    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, message, XPD_FIELD_BIT(ASSIGNED), &load->hlo->warnings);
    struct xpd_field field;
    const uint8_t *good =
        walk.cursor.at; /* protobuf-c refuses a message that is cut: stop before */
    while (xpd_hlo_walk_next(&walk, &field)) {
        if (!walk.ended)
            good = walk.cursor.at;
        if (xpd_field_tag(&field) == XPD_TAG(ASSIGNED, 2))
            read_assigned(load, &field);
    }
    *whole = *message;
    whole->size = (uint64_t)(good - message->bytes);
}

static uint32_t allocation_flags(const Xla__BufferAllocationProto *proto)
{
    return (proto->is_thread_local ? XPD_ALLOC_THREAD_LOCAL : 0u) |
           (proto->is_entry_computation_parameter ? XPD_ALLOC_PARAMETER : 0u) |
           (proto->maybe_live_out ? XPD_ALLOC_LIVE_OUT : 0u) |
           (proto->is_tuple ? XPD_ALLOC_TUPLE : 0u) |
           (proto->is_constant ? XPD_ALLOC_CONSTANT : 0u) |
           (proto->is_parameter_aliased_with_output ? XPD_ALLOC_PARAMETER_ALIASED : 0u);
}

static void read_allocation(struct xpd_hlo_load *load, const struct xpd_field *message)
{
    struct xpd_hlo *hlo = load->hlo;
    struct xpd_hlo_allocation *allocation = &hlo->allocation[hlo->allocation_count++];
    allocation->assigned_first = hlo->assigned_count;
    struct xpd_field whole;
    read_all_assigned(load, message, &whole);
    allocation->assigned_count = hlo->assigned_count - allocation->assigned_first;

    const Xla__BufferAllocationProto *proto =
        xpd_hlo_unpack(load, &xla__buffer_allocation_proto__descriptor, &whole, ASSIGNED);
    if (proto) {
        allocation->index = proto->index;
        allocation->size_bytes = proto->size;
        allocation->color = proto->color;
        allocation->flags = allocation_flags(proto);
        allocation->parameter_number = proto->parameter_number;
        allocation->parameter_index =
            xpd_hlo_copy_ints(load, proto->parameter_shape_index, proto->n_parameter_shape_index);
        allocation->parameter_index_count =
            allocation->parameter_index ? (uint32_t)proto->n_parameter_shape_index : 0;
    }
    xpd_arena_reset(&load->scratch);
}

/* ---- heap traces ---- */

static void read_event(struct xpd_hlo_load *load, const struct xpd_field *message)
{
    struct xpd_hlo *hlo = load->hlo;
    struct xpd_hlo_events *events = &hlo->events;
    uint32_t index = events->count++;
    uint64_t kind = 0;
    int64_t canonical_id = 0;
    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, message, 0, &hlo->warnings);
    struct xpd_field field;
    while (xpd_hlo_walk_next(&walk, &field)) {
        switch (xpd_field_tag(&field)) {
        case XPD_TAG(1, 0): kind = field.value; break;
        case XPD_TAG(2, 0): events->buffer_id[index] = (int64_t)field.value; break;
        case XPD_TAG(3, 2): {
            /* Nearly always the name of the event before. */
            struct xpd_str name = xpd_field_str(&field);
            if (!xpd_str_eq(name, xpd_hlo_text(hlo, load->last_computation_name)))
                load->last_computation_name = xpd_hlo_name(load, &field);
            events->computation_name[index] = load->last_computation_name;
            break;
        }
        case XPD_TAG(4, 2): events->instruction_name[index] = xpd_hlo_name(load, &field); break;
        case XPD_TAG(5, 0): canonical_id = (int64_t)field.value; break;
        }
    }
    events->kind[index] = kind > 254 ? 254 : (uint8_t)kind;
    events->buffer[index] = xpd_map64_get(&hlo->buffer_by_id, (uint64_t)events->buffer_id[index]);
    events->canonical[index] = XPD_NO_INDEX;
    if (kind == XPD_EVENT_SHARE_WITH)
        events->canonical[index] = xpd_map64_get(&hlo->buffer_by_id, (uint64_t)canonical_id);
    if (events->buffer[index] == XPD_NO_INDEX ||
        (kind == XPD_EVENT_SHARE_WITH && events->canonical[index] == XPD_NO_INDEX))
        XPD_HLO_WARN(load, XPD_WARNING, "event_buffer_missing", message->offset,
                     "a heap event names the buffer %lld or shares with %lld; one of them does not "
                     "exist",
                     (long long)events->buffer_id[index], (long long)canonical_id);
}

static void read_trace(struct xpd_hlo_load *load, const struct xpd_field *message)
{
    struct xpd_hlo *hlo = load->hlo;
    struct xpd_hlo_trace *trace = &hlo->trace[hlo->trace_count++];
    trace->first = hlo->events.count;
    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, message, XPD_FIELD_BIT(EVENT), &hlo->warnings);
    struct xpd_field field;
    while (xpd_hlo_walk_next(&walk, &field)) {
        switch (xpd_field_tag(&field)) {
        case XPD_TAG(EVENT, 2): read_event(load, &field); break;
        case XPD_TAG(2, 0): trace->whole_module = field.value != 0; break;
        }
    }
    trace->count = hlo->events.count - trace->first;
}

void xpd_hlo_read_allocations(struct xpd_hlo_load *load, const struct xpd_field *assignment)
{
    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, assignment, ASSIGNMENT_FIELDS, NULL);
    struct xpd_field field;
    while (xpd_hlo_walk_next(&walk, &field)) {
        if (xpd_field_tag(&field) == XPD_TAG(ALLOCATION, 2))
            read_allocation(load, &field);
        else if (xpd_field_tag(&field) == XPD_TAG(TRACE, 2))
            read_trace(load, &field);
    }
}

static void limit_size(int64_t *bytes, int64_t limit, int64_t *first)
{
    if (*bytes >= -limit && *bytes <= limit)
        return;
    if (*first == 0)
        *first = *bytes;
    *bytes = *bytes < 0 ? -limit : limit;
}

/* Invalid sizes are limited so that no later sum can overflow. A program of 100,000 buffers may
 * still have buffers of terabytes. */
static void limit_sizes(struct xpd_hlo_load *load)
{
    struct xpd_hlo *hlo = load->hlo;
    int64_t items = (int64_t)hlo->buffers.count + hlo->allocation_count + hlo->assigned_count +
                    hlo->events.count + hlo->scoped_count + 1;
    int64_t limit = INT64_MAX / 8 / items, first = 0;
    for (uint32_t i = 0; i < hlo->buffers.count; i++)
        limit_size(&hlo->buffers.size_bytes[i], limit, &first);
    for (uint32_t i = 0; i < hlo->allocation_count; i++)
        limit_size(&hlo->allocation[i].size_bytes, limit, &first);
    for (uint32_t i = 0; i < hlo->assigned_count; i++) {
        limit_size(&hlo->assigned[i].offset_bytes, limit, &first);
        limit_size(&hlo->assigned[i].size_bytes, limit, &first);
    }
    for (uint32_t i = 0; i < hlo->scoped_count; i++)
        limit_size(&hlo->scoped[i].size_bytes, limit, &first);
    if (first != 0)
        XPD_HLO_WARN(load, XPD_WARNING, "overflow", XPD_NO_OFFSET,
                     "A size or offset of %lld bytes cannot be right, the sums with it would not "
                     "fit in 64 bits; it counts as %lld.",
                     (long long)first, (long long)(first < 0 ? -limit : limit));
}

void xpd_hlo_finish_assignment(struct xpd_hlo_load *load)
{
    struct xpd_hlo *hlo = load->hlo;
    limit_sizes(load);
    hlo->buffers.index_first[hlo->buffers.count] = (uint32_t)load->shape_index.count;
    NEW_COLUMN(load, hlo->buffers.shape_index, load->shape_index.count);
    if (hlo->buffers.shape_index && load->shape_index.count)
        memcpy(hlo->buffers.shape_index, load->shape_index.at,
               load->shape_index.count * sizeof *load->shape_index.at);
    NEW_COLUMN(load, hlo->value, load->value.count);
    if (hlo->value && load->value.count)
        memcpy(hlo->value, load->value.at, load->value.count * sizeof *hlo->value);
    hlo->value_count = (uint32_t)load->value.count;
    /* Names came in after the instructions: they belong to none. */
    NEW_COLUMN(load, hlo->instruction_by_name, hlo->names.count + (size_t)1);
    if (!hlo->instruction_by_name)
        return;
    memset(hlo->instruction_by_name, 0xff,
           (hlo->names.count + (size_t)1) * sizeof *hlo->instruction_by_name);
    memcpy(hlo->instruction_by_name, load->by_name,
           load->by_name_count * sizeof *hlo->instruction_by_name);
}
