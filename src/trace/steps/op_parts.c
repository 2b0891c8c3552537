/* Operations that ran, found in a step. In: the times of a host, the instructions that they are.
 * Out: by op the part of a step that its time belongs to. */
#include "xprofd/hlo/shape.h"
#include "xprofd/trace/op_loose.h"
#include "xprofd/trace/step_table.h"

static uint32_t compute(enum xpd_op_group group)
{
    return XPD_PART_COMPUTE + group;
}

static bool on_host(const struct xpd_hlo *hlo, uint32_t instruction)
{
    return instruction != XPD_NO_INDEX && xpd_shape_on_host(hlo->instructions.shape[instruction]);
}

static uint32_t operand_of(const struct xpd_hlo *hlo, uint32_t i)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    return all->operand_first[i] < all->operand_first[i + 1] ? all->operand[all->operand_first[i]]
                                                             : XPD_NO_INDEX;
}

static bool starts(const struct xpd_hlo *hlo, uint32_t i)
{
    return xpd_str_ends(xpd_hlo_text(hlo, hlo->instructions.opcode[i]), "-start");
}

/* From the memory that its operand is in to the one that its result is in. The result of a start
 * names both. */
static uint32_t copy_of(const struct xpd_hlo *hlo, uint32_t i, uint32_t start)
{
    bool from = on_host(hlo, operand_of(hlo, start));
    bool to = starts(hlo, i) ? !from : on_host(hlo, i);
    return from == to ? XPD_PART_COPY : from ? XPD_PART_COPY_IN : XPD_PART_COPY_OUT;
}

/* By its program. */
static uint32_t part_of(const struct xpd_hlo *hlo, uint32_t i)
{
    struct xpd_str opcode = xpd_hlo_text(hlo, hlo->instructions.opcode[i]);
    uint32_t start = xpd_hlo_start_of(hlo, i);
    bool half = start != XPD_NO_INDEX || starts(hlo, i);
    start = start != XPD_NO_INDEX ? start : i;
    enum xpd_op_group group = xpd_op_group_of(hlo, i), began = xpd_op_group_of(hlo, start);
    if (group == XPD_OP_COLLECTIVE || began == XPD_OP_COLLECTIVE)
        return XPD_PART_COLLECTIVE;
    if (xpd_trace_is_feed(opcode, group))
        return XPD_PART_INFEED;
    if (group == XPD_OP_HOST || began == XPD_OP_HOST)
        return copy_of(hlo, i, start);
    if (half && (group == XPD_OP_MOVE || began == XPD_OP_MOVE))
        return XPD_PART_COPY;
    if (half || xpd_trace_is_wait(xpd_hlo_text(hlo, hlo->instructions.name[i]), true))
        return XPD_PART_WAIT;
    return compute(group);
}

/* By its events and its name, which tell no direction. */
static uint32_t part_of_name(struct xpd_str name, enum xpd_op_group group)
{
    if (group == XPD_OP_COLLECTIVE)
        return XPD_PART_COLLECTIVE;
    if (xpd_trace_is_feed(name, group))
        return XPD_PART_INFEED;
    if (xpd_str_starts(name, "copy-start") || xpd_str_starts(name, "copy-done"))
        return XPD_PART_COPY;
    if (xpd_trace_is_wait(name, true))
        return XPD_PART_WAIT;
    return compute(group);
}

/* Without a program, in the classes that overlap.h has of them. */
static uint32_t part_of_loose(enum xpd_op_loose loose, struct xpd_str name)
{
    struct xpd_loose_op op = xpd_op_loose_read(loose, name);
    if (loose == XPD_LOOSE_COLLECTIVES)
        return XPD_PART_COLLECTIVE;
    /* A kernel that is only named like a collective counts as compute, as in overlap.h. */
    if (loose == XPD_LOOSE_KERNELS || loose == XPD_LOOSE_THREADS)
        return compute(op.group == XPD_OP_COLLECTIVE ? XPD_OP_CUSTOM : op.group);
    return op.way == XPD_COPY_IN    ? XPD_PART_COPY_IN
           : op.way == XPD_COPY_OUT ? XPD_PART_COPY_OUT
                                    : XPD_PART_COPY;
}

static void find_loose(struct xpd_op_places *out, const struct xpd_op_times *times)
{
    for (uint32_t p = 0; p < times->program_count; p++) {
        const struct xpd_op_program *program = &times->program[p];
        for (uint32_t i = program->first_op;
             program->loose && i < program->first_op + program->op_count; i++) {
            struct xpd_str name = xpd_intern_get(&times->names, times->op[i].name);
            out->part[i] = (uint8_t)part_of_loose(program->loose, name);
            out->place[i].loose = true;
        }
    }
}

bool xpd_op_places_init(struct xpd_op_places *out, const struct xpd_op_times *times,
                        struct xpd_arena *arena)
{
    out->part = XPD_NEW_ARRAY(arena, uint8_t, times->op_count);
    out->entry = XPD_NEW_ARRAY(arena, bool, times->op_count);
    out->place = XPD_NEW_ARRAY(arena, struct xpd_op_origin, times->op_count);
    if (!out->part || !out->entry || !out->place)
        return false;
    for (uint32_t i = 0; i < times->op_count; i++) {
        out->place[i] = (struct xpd_op_origin){.module = XPD_NO_INDEX, .instruction = XPD_NO_INDEX};
        out->part[i] = (uint8_t)part_of_name(xpd_intern_get(&times->names, times->op[i].name),
                                             (enum xpd_op_group)times->op[i].group);
    }
    find_loose(out, times);
    return true;
}

void xpd_op_places_put(struct xpd_op_places *places, size_t op, const struct xpd_hlo *hlo,
                       uint32_t module, uint32_t instruction)
{
    places->place[op] = (struct xpd_op_origin){.module = module, .instruction = instruction};
    places->part[op] = (uint8_t)part_of(hlo, instruction);
    places->entry[op] = hlo->instructions.computation[instruction] == hlo->entry;
}
