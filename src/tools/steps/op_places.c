/* Operations that ran, found in their programs. In: times of a host, the programs of the run. Out:
 * instruction and part of a step, by op. */
#include "op_places.h"
#include "../tables/measured.h"
#include "xprofd/trace/op_loose.h"

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

static bool is_any(struct xpd_str opcode, const char *words)
{
    return xpd_word_index(words, opcode) >= 0;
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
    if (is_any(opcode, "infeed outfeed") ||
        (is_any(opcode, "send recv send-done recv-done") && hlo->instructions.is_host_transfer[i]))
        return XPD_PART_INFEED;
    if (is_any(opcode, "send recv send-done recv-done"))
        return XPD_PART_COLLECTIVE;
    if (group == XPD_OP_HOST || began == XPD_OP_HOST)
        return copy_of(hlo, i, start);
    if (half && (group == XPD_OP_MOVE || began == XPD_OP_MOVE))
        return XPD_PART_COPY;
    if (half || xpd_trace_is_wait(xpd_hlo_text(hlo, hlo->instructions.name[i]), true))
        return XPD_PART_WAIT;
    return compute(group);
}

/* By its name alone, which tells no direction. */
static uint32_t part_of_name(struct xpd_str name)
{
    enum xpd_op_group group = xpd_trace_group(XPD_STR(""), name, true);
    if (group == XPD_OP_COLLECTIVE)
        return XPD_PART_COLLECTIVE;
    if (xpd_str_starts(name, "infeed") || xpd_str_starts(name, "outfeed"))
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
    if (loose == XPD_LOOSE_KERNELS || loose == XPD_LOOSE_THREADS)
        return compute(op.group);
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

static int find_in_module(struct xpd_op_places *out, const struct xpd_tool_ctx *ctx,
                          uint32_t module, uint32_t host, struct xpd_err *err)
{
    struct xpd_measured measured;
    const struct xpd_hlo *hlo;
    struct xpd_err damaged = {0};
    if (!xpd_module_is_on_host(&ctx->run->module[module], host) ||
        xpd_measured_never(ctx->run, module) ||
        xpd_store_module(ctx->store, ctx->run, module, &hlo, NULL, &damaged) != XPD_OK)
        return XPD_OK; /* its operations are told by their names */
    int rc = xpd_measured_of(&measured, ctx, module, hlo, host, err);
    for (uint32_t i = 0; rc == XPD_OK && !measured.why_not && i < hlo->instructions.count; i++) {
        if (!measured.op[i])
            continue;
        size_t op = (size_t)(measured.op[i] - measured.times->op);
        out->place[op] = (struct xpd_op_origin){.module = module, .instruction = i};
        out->part[op] = (uint8_t)part_of(hlo, i);
        out->entry[op] = hlo->instructions.computation[i] == hlo->entry;
    }
    return rc;
}

int xpd_op_places_make(struct xpd_op_places *out, const struct xpd_tool_ctx *ctx, uint32_t host,
                       const struct xpd_op_times *times, struct xpd_arena *arena,
                       struct xpd_err *err)
{
    int rc = XPD_OK;
    out->part = XPD_NEW_ARRAY(arena, uint8_t, times->op_count);
    out->entry = XPD_NEW_ARRAY(arena, bool, times->op_count);
    out->place = XPD_NEW_ARRAY(arena, struct xpd_op_origin, times->op_count);
    if (!out->part || !out->entry || !out->place)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < times->op_count; i++) {
        out->place[i] = (struct xpd_op_origin){.module = XPD_NO_INDEX, .instruction = XPD_NO_INDEX};
        out->part[i] = (uint8_t)part_of_name(xpd_intern_get(&times->names, times->op[i].name));
    }
    find_loose(out, times);
    for (uint32_t m = 0; rc == XPD_OK && m < ctx->run->module_count; m++)
        rc = find_in_module(out, ctx, m, host, err);
    return rc;
}
