/* The HloModuleProto: names, computations and the order of reading what they refer to.
 *
 * In: the message. Out: the columns of computations; the instructions are read one by one by
 * load_module.c. Invariant between the two walks: both see the same computations and
 * instructions in the same order, cut ones included, so counts fit exactly. */
#include "load_internal.h"
#include <stdlib.h>

/* One HloInstructionProto, read with the wire cursor (they come by the hundred thousand and carry
 * literals and configs that must not be copied).
 *
 * In: the message and its place. Out: one entry in each column; operand ids go to load->ids until
 * the computation is complete. */

enum { METADATA = 7 };
#define CODE_BYTES_MOST (INT64_C(1) << 40)
#define CODE_SUM_MOST   (INT64_C(1) << 50)

static int32_t to_i32(uint64_t value)
{
    return (int32_t)(uint32_t)value; /* as protobuf does: the low half */
}

/* Sizes beyond what memory can hold are not sizes; the sum stays where sums with it cannot
 * overflow. */
static void add_code(struct xpd_hlo_load *load, int64_t bytes, uint64_t offset)
{
    struct xpd_hlo *hlo = load->hlo;
    if (bytes < 0 || bytes > CODE_BYTES_MOST) {
        XPD_HLO_WARN(load, XPD_WARNING, "code_size", offset,
                     "an instruction says %lld bytes of code, which is not counted",
                     (long long)bytes);
        return;
    }
    hlo->code_count += bytes > 0;
    hlo->code_bytes += bytes;
    if (hlo->code_bytes > CODE_SUM_MOST)
        hlo->code_bytes = CODE_SUM_MOST;
}

static void read_metadata(struct xpd_hlo_load *load, const struct xpd_field *message,
                          uint32_t index)
{
    struct xpd_hlo_instructions *instructions = &load->hlo->instructions;
    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, message, 0, &load->hlo->warnings);
    struct xpd_field field;
    while (xpd_hlo_walk_next(&walk, &field)) {
        switch (xpd_field_tag(&field)) {
        case XPD_TAG(2, 2): instructions->op_name[index] = xpd_hlo_name(load, &field); break;
        case XPD_TAG(3, 2): instructions->source_file[index] = xpd_hlo_name(load, &field); break;
        case XPD_TAG(4, 0): instructions->source_line[index] = to_i32(field.value); break;
        case XPD_TAG(8, 0): add_code(load, (int64_t)field.value, field.offset); break;
        case XPD_TAG(15, 0): {
            int32_t frame = to_i32(field.value);
            instructions->stack_frame[index] = frame > 0 ? (uint32_t)frame : 0;
            break;
        }
        }
    }
}

static void push_called(struct xpd_hlo_load *load, uint64_t id, uint64_t offset)
{
    uint32_t found = xpd_map64_get(&load->computation_by_id, id);
    if (found == XPD_NO_INDEX)
        XPD_HLO_WARN(load, XPD_WARNING, "computation_missing", offset,
                     "an instruction calls the computation with the id %lld, which does not exist",
                     (long long)id);
    XPD_PUSH(&load->called, found);
}

static void read_called(struct xpd_hlo_load *load, const struct xpd_field *field)
{
    if (field->wire_type == 0) {
        push_called(load, field->value, field->offset);
        return;
    }
    const uint8_t *at = field->bytes, *end = field->bytes + field->size;
    for (uint64_t id; at < end && xpd_varint(&at, end, &id);)
        push_called(load, id, field->offset);
}

static void read_payload(struct xpd_hlo_load *load, const struct xpd_field *message, uint32_t index)
{
    struct xpd_cursor cursor = xpd_cursor_sub(message);
    struct xpd_field field;
    while (xpd_cursor_next(&cursor, &field)) {
        if (xpd_field_tag(&field) == XPD_TAG(1, 2))
            xpd_hlo_scan_config(load, &field, index);
        else if (xpd_field_tag(&field) == XPD_TAG(2, 0))
            xpd_hlo_scan_payload(load, (int64_t)field.value, index, field.offset);
    }
}

/* The fields that most instructions do not have. */
static void read_rare(struct xpd_hlo_load *load, const struct xpd_field *field, uint32_t index)
{
    struct xpd_hlo_instructions *instructions = &load->hlo->instructions;
    switch (xpd_field_tag(field)) {
    case XPD_TAG(9, 0): instructions->parameter_number[index] = (int64_t)field->value; break;
    case XPD_TAG(11, 2): instructions->fusion_kind[index] = xpd_hlo_name(load, field); break;
    case XPD_TAG(13, 0): instructions->tuple_index[index] = (int64_t)field->value; break;
    case XPD_TAG(28, 2): instructions->call_target[index] = xpd_hlo_name(load, field); break;
    case XPD_TAG(37, 0):
    case XPD_TAG(37, 2): instructions->has_control[index] = true; break;
    case XPD_TAG(38, 0):
    case XPD_TAG(38, 2): read_called(load, field); break;
    case XPD_TAG(47, 0): instructions->is_host_transfer[index] = field->value != 0; break;
    case XPD_TAG(43, 2): xpd_hlo_scan_config(load, field, index); break;
    case XPD_TAG(99, 2): read_payload(load, field, index); break;
    }
}

static void xpd_hlo_read_instruction(struct xpd_hlo_load *load, const struct xpd_field *message,
                                     uint32_t index, uint32_t computation)
{
    struct xpd_hlo_instructions *instructions = &load->hlo->instructions;
    instructions->computation[index] = computation;
    instructions->shape[index] = load->empty_shape;
    instructions->operand_first[index] = (uint32_t)(load->operand.count + load->ids.count);
    instructions->called_first[index] = (uint32_t)load->called.count;

    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, message, XPD_FIELD_BIT(METADATA), &load->hlo->warnings);
    struct xpd_field field;
    uint64_t id = 0;
    while (xpd_hlo_walk_next(&walk, &field)) {
        switch (xpd_field_tag(&field)) {
        case XPD_TAG(1, 2): instructions->name[index] = xpd_hlo_name(load, &field); break;
        case XPD_TAG(2, 2): instructions->opcode[index] = xpd_hlo_name(load, &field); break;
        case XPD_TAG(3, 2): instructions->shape[index] = xpd_hlo_load_shape(load, &field); break;
        case XPD_TAG(METADATA, 2): read_metadata(load, &field, index); break;
        case XPD_TAG(35, 0): id = field.value; break;
        case XPD_TAG(36, 0):
        case XPD_TAG(36, 2): XPD_HLO_PUSH_INTS(&load->ids, &field); break;
        default: read_rare(load, &field, index); break;
        }
    }
    instructions->id[index] = (int64_t)id;
    if (xpd_map64_put(&load->hlo->instruction_by_id, id, index) != XPD_NO_INDEX)
        XPD_HLO_WARN(load, XPD_WARNING, "instruction_id_twice", message->offset,
                     "two instructions have the id %lld; references mean the last", (long long)id);
}

enum {
    MODULE_COMPUTATION = 3,
    MODULE_SCHEDULE = 7,
    MODULE_ALIASES = 8,
    MODULE_SHARDINGS = 14,
    MODULE_FRAMES = 17,
    MODULE_DONORS = 18
};

#define MODULE_FIELDS      XPD_FIELD_BIT(MODULE_COMPUTATION)
#define COMPUTATION_FIELDS XPD_FIELD_BIT(2)

static void count_computation(struct xpd_hlo_load *load, const struct xpd_field *computation)
{
    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, computation, COMPUTATION_FIELDS, NULL);
    struct xpd_field field;
    uint64_t id = 0;
    while (xpd_hlo_walk_next(&walk, &field)) {
        switch (xpd_field_tag(&field)) {
        case XPD_TAG(2, 2): load->count_instructions++; break;
        case XPD_TAG(5, 0): id = field.value; break;
        }
    }
    if (load->count_computations < XPD_NO_INDEX)
        xpd_map64_put(&load->computation_by_id, id, (uint32_t)load->count_computations);
    load->count_computations++;
}

void xpd_hlo_count_module(struct xpd_hlo_load *load, const struct xpd_field *module)
{
    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, module, MODULE_FIELDS, NULL);
    struct xpd_field field;
    while (xpd_hlo_walk_next(&walk, &field)) {
        switch (xpd_field_tag(&field)) {
        case XPD_TAG(MODULE_COMPUTATION, 2): count_computation(load, &field); break;
        case XPD_TAG(22, 2): {
            struct xpd_hlo_payload payload = {.text = xpd_field_str(&field),
                                              .offset = field.offset};
            XPD_PUSH(&load->payload, payload);
            break;
        }
        }
    }
}

#define NEW_COLUMN(load, at, n) ((at) = xpd_arena_calloc(&(load)->hlo->arena, (n), sizeof *(at)))

void xpd_hlo_new_module_columns(struct xpd_hlo_load *load)
{
    struct xpd_hlo_instructions *instructions = &load->hlo->instructions;
    size_t n = load->count_instructions;
    NEW_COLUMN(load, instructions->id, n);
    NEW_COLUMN(load, instructions->name, n);
    NEW_COLUMN(load, instructions->opcode, n);
    NEW_COLUMN(load, instructions->shape, n);
    NEW_COLUMN(load, instructions->computation, n);
    NEW_COLUMN(load, instructions->op_name, n);
    NEW_COLUMN(load, instructions->source_file, n);
    NEW_COLUMN(load, instructions->source_line, n);
    NEW_COLUMN(load, instructions->stack_frame, n);
    NEW_COLUMN(load, instructions->parameter_number, n);
    NEW_COLUMN(load, instructions->tuple_index, n);
    NEW_COLUMN(load, instructions->has_control, n);
    NEW_COLUMN(load, instructions->is_host_transfer, n);
    NEW_COLUMN(load, instructions->fusion_kind, n);
    NEW_COLUMN(load, instructions->call_target, n);
    NEW_COLUMN(load, instructions->operand_first, n + 1);
    NEW_COLUMN(load, instructions->called_first, n + 1);
    xpd_map64_reserve(&load->hlo->instruction_by_id, (uint32_t)n);

    struct xpd_hlo_computations *computations = &load->hlo->computations;
    n = load->count_computations;
    NEW_COLUMN(load, computations->id, n);
    NEW_COLUMN(load, computations->name, n);
    NEW_COLUMN(load, computations->first, n);
    NEW_COLUMN(load, computations->instruction_count, n);
    NEW_COLUMN(load, computations->root, n);
    NEW_COLUMN(load, computations->is_fusion, n);
    NEW_COLUMN(load, computations->execution_thread, n);
    NEW_COLUMN(load, computations->config, n);
    NEW_COLUMN(load, computations->schedule_first, n + 1);
}

/* Operands are looked up when all instructions of their computation are known: a file need not
 * define before it uses. */
static void resolve_operands(struct xpd_hlo_load *load, uint32_t computation, uint64_t offset)
{
    for (size_t i = 0; i < load->ids.count; i++) {
        uint32_t found = xpd_hlo_find_instruction(load, computation, load->ids.at[i]);
        if (found == XPD_NO_INDEX)
            XPD_HLO_WARN(load, XPD_WARNING, "operand_missing", offset,
                         "an operand has the id %lld, which no instruction of its computation has",
                         (long long)load->ids.at[i]);
        XPD_PUSH(&load->operand, found);
    }
    load->ids.count = 0;
    if (load->operand.count >= UINT32_MAX || load->called.count >= UINT32_MAX)
        load->operand.failed = true;
}

static void read_computation(struct xpd_hlo_load *load, const struct xpd_field *message)
{
    struct xpd_hlo *hlo = load->hlo;
    struct xpd_hlo_computations *computations = &hlo->computations;
    uint32_t index = computations->count++;
    uint32_t first = hlo->instructions.count;
    computations->first[index] = first;
    computations->root[index] = XPD_NO_INDEX;

    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, message, COMPUTATION_FIELDS, &hlo->warnings);
    struct xpd_field field;
    int64_t root_id = 0;
    while (xpd_hlo_walk_next(&walk, &field)) {
        switch (xpd_field_tag(&field)) {
        case XPD_TAG(1, 2): computations->name[index] = xpd_hlo_name(load, &field); break;
        case XPD_TAG(2, 2):
            xpd_hlo_read_instruction(load, &field, hlo->instructions.count++, index);
            break;
        case XPD_TAG(5, 0): computations->id[index] = (int64_t)field.value; break;
        case XPD_TAG(6, 0): root_id = (int64_t)field.value; break;
        case XPD_TAG(7, 0): computations->is_fusion[index] = field.value != 0; break;
        case XPD_TAG(8, 2):
            computations->execution_thread[index] = xpd_hlo_name(load, &field);
            break;
        case XPD_TAG(9, 2): computations->config[index] = xpd_hlo_name(load, &field); break;
        }
    }
    uint32_t count = hlo->instructions.count - first;
    computations->instruction_count[index] = count;
    resolve_operands(load, index, message->offset);
    if (count == 0)
        return;
    computations->root[index] = xpd_hlo_find_instruction(load, index, root_id);
    if (computations->root[index] == XPD_NO_INDEX)
        XPD_HLO_WARN(load, XPD_WARNING, "root_missing", message->offset,
                     "a computation has the root id %lld, which none of its instructions has",
                     (long long)root_id);
}

static void keep_last(struct xpd_hlo_load *load, struct xpd_field *into,
                      const struct xpd_field *field, const char *what)
{
    if (into->bytes)
        XPD_HLO_WARN(load, XPD_WARNING, "repeated_message", field->offset,
                     "the module has more than one %s; the last is used", what);
    *into = *field;
}

void xpd_hlo_read_module(struct xpd_hlo_load *load, const struct xpd_field *module)
{
    struct xpd_hlo *hlo = load->hlo;
    struct xpd_hlo_walk walk;
    xpd_hlo_walk_init(&walk, module, MODULE_FIELDS, &hlo->warnings);
    struct xpd_field field;
    while (xpd_hlo_walk_next(&walk, &field)) {
        switch (xpd_field_tag(&field)) {
        case XPD_TAG(1, 2): hlo->name = xpd_hlo_name(load, &field); break;
        case XPD_TAG(2, 2): hlo->entry_name = xpd_hlo_name(load, &field); break;
        case XPD_TAG(MODULE_COMPUTATION, 2): read_computation(load, &field); break;
        case XPD_TAG(5, 0): hlo->module_id = (int64_t)field.value; break;
        case XPD_TAG(6, 0):
            load->entry_id = (int64_t)field.value;
            load->has_entry_id = true;
            break;
        case XPD_TAG(MODULE_SCHEDULE, 2):
            keep_last(load, &load->schedule, &field, "schedule");
            break;
        case XPD_TAG(MODULE_ALIASES, 2):
            keep_last(load, &load->aliases, &field, "table of aliases");
            break;
        case XPD_TAG(MODULE_SHARDINGS, 2): xpd_hlo_read_sharding(load, &field); break;
        case XPD_TAG(MODULE_FRAMES, 2):
            keep_last(load, &load->frames, &field, "table of stack frames");
            break;
        case XPD_TAG(MODULE_DONORS, 2):
            keep_last(load, &load->donors, &field, "table of donors");
            break;
        case XPD_TAG(21, 2): hlo->device_type = xpd_hlo_name(load, &field); break;
        }
        if (hlo->arena.failed)
            return; /* nothing more can be kept; the caller reports it */
    }
}

static uint32_t find_entry(const struct xpd_hlo_load *load)
{
    const struct xpd_hlo *hlo = load->hlo;
    uint32_t entry = xpd_map64_get(&load->computation_by_id, (uint64_t)load->entry_id);
    bool named = hlo->entry_name != 0;
    if (entry != XPD_NO_INDEX && (load->has_entry_id || !named))
        return entry;
    for (uint32_t i = 0; named && i < hlo->computations.count; i++)
        if (hlo->computations.name[i] == hlo->entry_name)
            return i;
    return entry;
}

static void index_by_name(struct xpd_hlo_load *load)
{
    const struct xpd_hlo_instructions *instructions = &load->hlo->instructions;
    load->by_name_count = load->hlo->names.count;
    load->by_name = malloc((load->by_name_count + (size_t)1) * sizeof *load->by_name);
    if (!load->by_name) {
        load->hlo->names.failed = true;
        return;
    }
    memset(load->by_name, 0xff, load->by_name_count * sizeof *load->by_name);
    for (uint32_t i = 0; i < instructions->count; i++)
        if (instructions->name[i] < load->by_name_count && instructions->name[i] != 0)
            load->by_name[instructions->name[i]] = i;
}

void xpd_hlo_finish_module(struct xpd_hlo_load *load)
{
    struct xpd_hlo *hlo = load->hlo;
    struct xpd_hlo_instructions *instructions = &hlo->instructions;
    instructions->operand_first[instructions->count] = (uint32_t)load->operand.count;
    instructions->called_first[instructions->count] = (uint32_t)load->called.count;
    instructions->operand = XPD_COPY_VEC(&hlo->arena, &load->operand);
    instructions->called = XPD_COPY_VEC(&hlo->arena, &load->called);
    hlo->scoped = XPD_COPY_VEC(&hlo->arena, &load->scoped);
    hlo->scoped_count = (uint32_t)load->scoped.count;
    hlo->parameter_sharding = XPD_COPY_VEC(&hlo->arena, &load->sharding);
    hlo->parameter_sharding_count = (uint32_t)load->sharding.count;
    XPD_VEC_FINI(&load->operand);
    XPD_VEC_FINI(&load->called);
    XPD_VEC_FINI(&load->scoped);
    XPD_VEC_FINI(&load->sharding);
    if (hlo->arena.failed || hlo->names.failed)
        return;

    hlo->entry = find_entry(load);
    if (hlo->entry == XPD_NO_INDEX && hlo->computations.count != 0)
        XPD_HLO_WARN(load, XPD_WARNING, "entry_missing", XPD_NO_OFFSET,
                     "the module does not say which of its computations is the entry");
    xpd_hlo_read_schedule(load);
    xpd_hlo_read_aliases(load);
    xpd_hlo_read_donors(load);
    xpd_hlo_read_frames(load);
    index_by_name(load);
}
