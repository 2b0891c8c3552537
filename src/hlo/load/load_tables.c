/* The module's tables that refer to its instructions or parameters: schedule, input-output aliases,
 * buffer donors, stack frames; and how an instruction is found by its id.
 *
 * In: one message each, kept aside until all computations were read. Out: columns. Unpacked with
 * protobuf-c: each comes once in a module. */
#include "hlo.pb-c.h"
#include "load_internal.h"

/* ---- from an id to the instruction ---- */

/* The map from low halves of ids, of one computation at a time: only files that mix old and new ids
 * need it. */
static uint32_t find_local(struct xpd_hlo_load *load, uint32_t computation, int64_t id)
{
    const struct xpd_hlo *hlo = load->hlo;
    if (load->local_of != computation) {
        xpd_map64_fini(&load->local);
        load->local_of = computation;
        uint32_t first = hlo->computations.first[computation];
        uint32_t count = hlo->computations.instruction_count[computation];
        for (uint32_t i = first; i < first + count; i++)
            xpd_map64_put(&load->local, (uint32_t)hlo->instructions.id[i], i);
    }
    return xpd_map64_get(&load->local, (uint32_t)id);
}

uint32_t xpd_hlo_find_instruction(struct xpd_hlo_load *load, uint32_t computation, int64_t id)
{
    const struct xpd_hlo *hlo = load->hlo;
    uint32_t found = xpd_map64_get(&hlo->instruction_by_id, (uint64_t)id);
    if (found != XPD_NO_INDEX && hlo->instructions.computation[found] == computation)
        return found;
    return find_local(load, computation, id);
}

/* ---- schedule ---- */

typedef Xla__HloScheduleProto__Sequence sequence_t;

static uint32_t fill_sequence(struct xpd_hlo_load *load, uint32_t computation,
                              const sequence_t *sequence, uint32_t *into)
{
    uint32_t count = 0;
    for (size_t i = 0; i < sequence->value->n_instruction_ids; i++) {
        int64_t id = sequence->value->instruction_ids[i];
        uint32_t found = xpd_hlo_find_instruction(load, computation, id);
        if (found != XPD_NO_INDEX)
            into[count++] = found;
        else
            XPD_HLO_WARN(load, XPD_WARNING, "schedule_missing", load->schedule.offset,
                         "the schedule names the instruction id %lld, which its computation does "
                         "not have; it is left out",
                         (long long)id);
    }
    return count;
}

/* By computation index; the last sequence of a computation counts, as in a map. */
static const sequence_t **sort_sequences(struct xpd_hlo_load *load,
                                         const Xla__HloScheduleProto *proto, size_t *total)
{
    const sequence_t **of =
        xpd_arena_calloc(&load->scratch, load->hlo->computations.count, sizeof(const sequence_t *));
    *total = 0;
    for (size_t i = 0; of && i < proto->n_sequences; i++) {
        const sequence_t *sequence = proto->sequences[i];
        uint32_t computation = xpd_map64_get(&load->computation_by_id, (uint64_t)sequence->key);
        if (computation == XPD_NO_INDEX) {
            XPD_HLO_WARN(load, XPD_WARNING, "schedule_computation_missing", load->schedule.offset,
                         "the schedule names the computation id %lld, which does not exist",
                         (long long)sequence->key);
            continue;
        }
        if (of[computation] && of[computation]->value)
            *total -= of[computation]->value->n_instruction_ids;
        of[computation] = sequence;
        if (sequence->value)
            *total += sequence->value->n_instruction_ids;
    }
    return of;
}

void xpd_hlo_read_schedule(struct xpd_hlo_load *load)
{
    struct xpd_hlo_computations *computations = &load->hlo->computations;
    if (!load->schedule.bytes)
        return;
    const Xla__HloScheduleProto *proto =
        xpd_hlo_unpack(load, &xla__hlo_schedule_proto__descriptor, &load->schedule, 0);
    size_t total = 0;
    const sequence_t **of = proto ? sort_sequences(load, proto, &total) : NULL;
    if (of && total < UINT32_MAX)
        computations->schedule = XPD_NEW_ARRAY(&load->hlo->arena, uint32_t, total);
    uint32_t at = 0;
    for (uint32_t i = 0; of && computations->schedule && i < computations->count; i++) {
        computations->schedule_first[i] = at;
        if (of[i] && of[i]->value)
            at += fill_sequence(load, i, of[i], computations->schedule + at);
    }
    computations->schedule_first[computations->count] = at;
    xpd_arena_reset(&load->scratch);
}

/* ---- aliases and donors ---- */

void xpd_hlo_read_aliases(struct xpd_hlo_load *load)
{
    struct xpd_hlo *hlo = load->hlo;
    if (!load->aliases.bytes)
        return;
    const Xla__HloInputOutputAliasProto *proto =
        xpd_hlo_unpack(load, &xla__hlo_input_output_alias_proto__descriptor, &load->aliases, 0);
    if (proto)
        hlo->alias = XPD_NEW_ARRAY(&hlo->arena, struct xpd_hlo_alias, proto->n_entries);
    for (size_t i = 0; proto && hlo->alias && i < proto->n_entries; i++) {
        const Xla__HloInputOutputAliasProto__AliasEntryProto *from = proto->entries[i];
        struct xpd_hlo_alias *alias = &hlo->alias[hlo->alias_count++];
        alias->parameter_number = from->parameter_number;
        alias->kind = from->kind;
        alias->parameter_index =
            xpd_hlo_copy_ints(load, from->parameter_shape_index, from->n_parameter_shape_index);
        alias->parameter_index_count =
            alias->parameter_index ? (uint32_t)from->n_parameter_shape_index : 0;
        alias->output_index =
            xpd_hlo_copy_ints(load, from->output_shape_index, from->n_output_shape_index);
        alias->output_index_count = alias->output_index ? (uint32_t)from->n_output_shape_index : 0;
    }
    xpd_arena_reset(&load->scratch);
}

void xpd_hlo_read_donors(struct xpd_hlo_load *load)
{
    struct xpd_hlo *hlo = load->hlo;
    if (!load->donors.bytes)
        return;
    const Xla__HloBufferDonorProto *proto =
        xpd_hlo_unpack(load, &xla__hlo_buffer_donor_proto__descriptor, &load->donors, 0);
    if (proto)
        hlo->donor = XPD_NEW_ARRAY(&hlo->arena, struct xpd_hlo_donor, proto->n_entries);
    for (size_t i = 0; proto && hlo->donor && i < proto->n_entries; i++) {
        const Xla__HloBufferDonorProto__BufferDonorEntryProto *from = proto->entries[i];
        struct xpd_hlo_donor *donor = &hlo->donor[hlo->donor_count++];
        donor->parameter_number = from->parameter_number;
        donor->parameter_index =
            xpd_hlo_copy_ints(load, from->parameter_shape_index, from->n_parameter_shape_index);
        donor->parameter_index_count =
            donor->parameter_index ? (uint32_t)from->n_parameter_shape_index : 0;
    }
    xpd_arena_reset(&load->scratch);
}

/* ---- stack frames ---- */

/* Interned when first used; ids are 1-based. */
static xpd_name_id table_name(struct xpd_hlo_load *load, const ProtobufCBinaryData *text,
                              size_t count, int32_t id)
{
    if (id < 1 || (size_t)id > count)
        return 0;
    const ProtobufCBinaryData *at = &text[id - 1];
    return xpd_intern_put(&load->hlo->names, (const char *)at->data, at->len);
}

static struct xpd_hlo_frame freeze_frame(struct xpd_hlo_load *load,
                                         const Xla__StackFrameIndexProto *proto,
                                         const Xla__StackFrameIndexProto__StackFrame *from)
{
    struct xpd_hlo_frame frame = {.line = -1, .column = -1}; /* XProf's text for missing values */
    if (from->parent_frame_id > 0 && (size_t)from->parent_frame_id <= proto->n_stack_frames)
        frame.parent = (uint32_t)from->parent_frame_id;
    else if (from->parent_frame_id != 0)
        XPD_HLO_WARN(load, XPD_WARNING, "frame_missing", load->frames.offset,
                     "a stack frame has the parent %d, which does not exist",
                     from->parent_frame_id);
    if (from->file_location_id < 1 || (size_t)from->file_location_id > proto->n_file_locations) {
        XPD_HLO_WARN(load, XPD_WARNING, "frame_location_missing", load->frames.offset,
                     "a stack frame has the location %d, which does not exist",
                     from->file_location_id);
        return frame;
    }
    const Xla__StackFrameIndexProto__FileLocation *location =
        proto->file_locations[from->file_location_id - 1];
    frame.file = table_name(load, proto->file_names, proto->n_file_names, location->file_name_id);
    frame.function = table_name(load, proto->function_names, proto->n_function_names,
                                location->function_name_id);
    frame.line = location->line;
    frame.column = location->column;
    return frame;
}

void xpd_hlo_read_frames(struct xpd_hlo_load *load)
{
    struct xpd_hlo *hlo = load->hlo;
    if (!load->frames.bytes)
        return;
    const Xla__StackFrameIndexProto *proto =
        xpd_hlo_unpack(load, &xla__stack_frame_index_proto__descriptor, &load->frames, 0);
    if (proto && proto->n_stack_frames < UINT32_MAX)
        hlo->frame = XPD_NEW_ARRAY(&hlo->arena, struct xpd_hlo_frame, proto->n_stack_frames);
    for (size_t i = 0; proto && hlo->frame && i < proto->n_stack_frames; i++)
        hlo->frame[hlo->frame_count++] = freeze_frame(load, proto, proto->stack_frames[i]);
    xpd_arena_reset(&load->scratch);
}
