/* Looks up programs and instructions among the times of instructions. */
#include "xprofd/trace/op_times.h"

const struct xpd_op_program *xpd_op_program_of(const struct xpd_op_times *times, uint64_t id)
{
    for (uint32_t i = 0; i < times->program_count; i++)
        if (times->program[i].has_id && times->program[i].id == id)
            return &times->program[i];
    return NULL;
}

const struct xpd_op_program *xpd_op_program_named(const struct xpd_op_times *times,
                                                  struct xpd_str name)
{
    for (uint32_t i = 0; i < times->program_count && !times->program[i].has_id; i++)
        if (xpd_str_eq(xpd_intern_get(&times->names, times->program[i].name), name))
            return &times->program[i];
    return NULL;
}

const struct xpd_op *xpd_op_of(const struct xpd_op_times *times,
                               const struct xpd_op_program *program, struct xpd_str name)
{
    uint32_t low = program->first_op, high = low + program->op_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = xpd_str_order(xpd_intern_get(&times->names, times->op[middle].name), name);
        if (order == 0)
            return &times->op[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const char *xpd_op_clock(uint64_t count, uint64_t device_count)
{
    if (device_count == 0)
        return "host";
    return device_count == count ? "device" : "mixed";
}
