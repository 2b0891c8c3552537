/* One HloInstructionProto, read with the wire cursor (they come by the hundred thousand and carry
 * literals and configs that must not be copied).
 *
 * In: the message and its place. Out: one entry in each column; operand ids go to load->ids until
 * the computation is complete. */
#include "load_internal.h"

enum { METADATA = 7 };
#define CODE_BYTES_MOST (INT64_C(1) << 40)
#define CODE_SUM_MOST   (INT64_C(1) << 50)

static int32_t to_i32(uint64_t value)
{
    return (int32_t)(uint32_t)value; /* as protobuf does: the low half */
}

/* Sizes beyond what memory can hold are no sizes; the sum stays where sums with it cannot
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

void xpd_hlo_read_instruction(struct xpd_hlo_load *load, const struct xpd_field *message,
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
