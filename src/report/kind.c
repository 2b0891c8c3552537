/* In which category a storage is filed. In: its defining instruction. Out: one of the kinds.
 *
 * Order of the questions: collective or host; copy or transpose into another order of dimensions
 * (also when it changes the memory space: the order counts first); copy to another memory space;
 * else a compute result. */
#include "xprofd/report/report.h"

static struct xpd_str opcode_of(const struct xpd_hlo *hlo, uint32_t instruction)
{
    return xpd_hlo_text(hlo, hlo->instructions.opcode[instruction]);
}

/* The array a start holds besides its flags: the first element of its tuple. */
static const struct xpd_shape *array_of(const struct xpd_shape *shape)
{
    while (shape && shape->type == XPD_TYPE_TUPLE)
        shape = shape->element_count ? &shape->element[0] : NULL;
    return shape;
}

static uint32_t operand_of(const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    uint32_t first = all->operand_first[instruction];
    return first < all->operand_first[instruction + 1] ? all->operand[first] : XPD_NO_INDEX;
}

static bool same_order(const struct xpd_layout *a, const struct xpd_layout *b)
{
    if (!a || !b || a->minor_to_major_count != b->minor_to_major_count)
        return true; /* unknown: nothing says that it differs */
    for (uint32_t i = 0; i < a->minor_to_major_count; i++)
        if (a->minor_to_major[i] != b->minor_to_major[i])
            return false;
    return true;
}

static enum xpd_report_kind kind_of_copy(const struct xpd_hlo *hlo, uint32_t instruction)
{
    uint32_t operand = operand_of(hlo, instruction);
    if (operand == XPD_NO_INDEX)
        return XPD_REPORT_COMPUTE;
    const struct xpd_shape *to = array_of(hlo->instructions.shape[instruction]);
    const struct xpd_shape *from = array_of(hlo->instructions.shape[operand]);
    if (!to || !from || !to->layout || !from->layout)
        return XPD_REPORT_COMPUTE;
    if (!same_order(to->layout, from->layout))
        return XPD_REPORT_RELAYOUT;
    return to->layout->memory_space != from->layout->memory_space ? XPD_REPORT_SPACE_COPY
                                                                  : XPD_REPORT_COMPUTE;
}

/* A transpose or reshape that has bytes of its own is no bitcast: it writes the values anew. */
static bool rearranges(struct xpd_str opcode)
{
    return xpd_str_eq(opcode, XPD_STR("transpose")) || xpd_str_eq(opcode, XPD_STR("reshape"));
}

/* A fusion that only moves is what its root is. */
static enum xpd_report_kind kind_of_fusion(const struct xpd_hlo *hlo, uint32_t instruction)
{
    uint32_t first = hlo->instructions.called_first[instruction];
    if (first == hlo->instructions.called_first[instruction + 1])
        return XPD_REPORT_COMPUTE;
    uint32_t computation = hlo->instructions.called[first];
    uint32_t root =
        computation == XPD_NO_INDEX ? XPD_NO_INDEX : hlo->computations.root[computation];
    if (root == XPD_NO_INDEX)
        return XPD_REPORT_COMPUTE;
    if (rearranges(opcode_of(hlo, root)))
        return XPD_REPORT_RELAYOUT;
    return xpd_str_eq(opcode_of(hlo, root), XPD_STR("copy")) ? kind_of_copy(hlo, root)
                                                             : XPD_REPORT_COMPUTE;
}

static bool is_callback(struct xpd_str target)
{
    return xpd_str_find(target, XPD_STR("callback"), true) < target.size;
}

enum xpd_report_kind xpd_report_kind_of(const struct xpd_hlo *hlo, uint32_t instruction,
                                        enum xpd_op_group group)
{
    if (instruction == XPD_NO_INDEX)
        return XPD_REPORT_COMPUTE;
    if (group == XPD_OP_COLLECTIVE)
        return XPD_REPORT_COLLECTIVE;
    if (group == XPD_OP_HOST)
        return XPD_REPORT_HOST;
    struct xpd_str opcode = opcode_of(hlo, instruction);
    if (group == XPD_OP_CUSTOM)
        return is_callback(xpd_hlo_text(hlo, hlo->instructions.call_target[instruction]))
                   ? XPD_REPORT_HOST
                   : XPD_REPORT_COMPUTE;
    if (group != XPD_OP_MOVE)
        return XPD_REPORT_COMPUTE;
    if (xpd_str_eq(opcode, XPD_STR("copy")))
        return kind_of_copy(hlo, instruction);
    if (xpd_str_eq(opcode, XPD_STR("copy-start")))
        return kind_of_copy(hlo, instruction) == XPD_REPORT_RELAYOUT ? XPD_REPORT_RELAYOUT
                                                                     : XPD_REPORT_SPACE_COPY;
    if (xpd_str_starts(opcode, "async-") || xpd_str_eq(opcode, XPD_STR("copy-done")))
        return XPD_REPORT_SPACE_COPY;
    if (rearranges(opcode))
        return XPD_REPORT_RELAYOUT;
    return xpd_str_eq(opcode, XPD_STR("fusion")) ? kind_of_fusion(hlo, instruction)
                                                 : XPD_REPORT_COMPUTE;
}

const char *xpd_report_kind_word(enum xpd_report_kind kind)
{
    static const char *const words[XPD_REPORT_KIND_COUNT] = {
        "arguments",  "outputs",  "constants",   "tuples", "compute",
        "space_copy", "relayout", "collectives", "host"};
    return (unsigned)kind < XPD_REPORT_KIND_COUNT ? words[kind] : "compute";
}
