/* What a transfer reads, and what of its result arrives. */
#include "report_transfers.h"

uint32_t xpd_transfer_operand(const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    uint32_t first = all->operand_first[instruction];
    return first < all->operand_first[instruction + 1] ? all->operand[first] : XPD_NO_INDEX;
}

/* What arrives: the start's tuple holds what it reads, what it writes and flags. */
const struct xpd_shape *xpd_transfer_result(const struct xpd_transfers *t, uint32_t instruction)
{
    const struct xpd_shape *shape = t->ctx->hlo->instructions.shape[instruction];
    struct xpd_str opcode = xpd_tools_opcode(t->ctx->hlo, instruction);
    uint32_t element = xpd_str_eq(opcode, XPD_STR("copy-start")) ? 0 : 1;
    bool starts = element == 0 || xpd_str_eq(opcode, XPD_STR("all-gather-start")) ||
                  xpd_str_eq(opcode, XPD_STR("collective-permute-start")) ||
                  xpd_str_eq(opcode, XPD_STR("async-start"));
    return starts && element < shape->element_count ? &shape->element[element] : shape;
}
