/* Asynchronous pairs of a program. In: an instruction that ends one. Out: the one that began it. */
#include "xprofd/hlo/module.h"

/* "copy" of copy-start and copy-done, "send" of send and send-done. */
static struct xpd_str stem(struct xpd_str opcode)
{
    static const char *const ends[] = {"-start", "-update", "-done"};
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++)
        if (xpd_str_ends(opcode, ends[k]))
            return (struct xpd_str){opcode.data, opcode.size - strlen(ends[k])};
    return opcode;
}

static bool begins(struct xpd_str opcode)
{
    return xpd_str_ends(opcode, "-start") || xpd_str_eq(opcode, XPD_STR("send")) ||
           xpd_str_eq(opcode, XPD_STR("recv"));
}

static uint32_t operand_of(const struct xpd_hlo_instructions *ins, uint32_t i)
{
    return ins->operand_first[i] < ins->operand_first[i + 1] ? ins->operand[ins->operand_first[i]]
                                                             : XPD_NO_INDEX;
}

uint32_t xpd_hlo_start_of(const struct xpd_hlo *hlo, uint32_t done)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    struct xpd_str opcode = xpd_hlo_text(hlo, ins->opcode[done]);
    if (!xpd_str_ends(opcode, "-done"))
        return XPD_NO_INDEX;
    uint32_t at = operand_of(ins, done);
    /* Updates stand between, each with the one before it as operand; a file may chain them in a
     * circle. */
    for (uint32_t hops = 0; at != XPD_NO_INDEX && hops < ins->count; hops++) {
        struct xpd_str before = xpd_hlo_text(hlo, ins->opcode[at]);
        if (begins(before))
            return xpd_str_eq(stem(before), stem(opcode)) ? at : XPD_NO_INDEX;
        if (!xpd_str_ends(before, "-update"))
            return XPD_NO_INDEX;
        at = operand_of(ins, at);
    }
    return XPD_NO_INDEX;
}
