/* Rows by what is inside of the instruction that defines them. In: a word. Out: rows without it are
 * in no group. A body is read once, however many fusions call it. */
#include "report_keys.h"

enum { UNKNOWN, HAS, HAS_NOT };

static bool has_word(const struct xpd_hlo *hlo, uint32_t body, struct xpd_str word)
{
    uint32_t first = hlo->computations.first[body];
    uint32_t end = first + hlo->computations.instruction_count[body];
    for (uint32_t i = first; i < end; i++) {
        struct xpd_str opcode = xpd_tools_opcode(hlo, i);
        struct xpd_str name = xpd_hlo_text(hlo, hlo->instructions.name[i]);
        if (xpd_str_find(opcode, word, true) < opcode.size ||
            xpd_str_find(name, word, true) < name.size)
            return true;
    }
    return false;
}

static bool is_inside(const struct xpd_hlo *hlo, uint32_t instruction, struct xpd_str word,
                      uint8_t *known)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    if (instruction == XPD_NO_INDEX)
        return false;
    for (uint32_t i = all->called_first[instruction]; i < all->called_first[instruction + 1]; i++) {
        uint32_t body = all->called[i];
        if (body == XPD_NO_INDEX)
            continue;
        if (known[body] == UNKNOWN)
            known[body] = has_word(hlo, body, word) ? HAS : HAS_NOT;
        if (known[body] == HAS)
            return true;
    }
    return false;
}

int xpd_report_keep_inner(const struct xpd_tool_ctx *ctx, const struct xpd_report *report,
                          struct xpd_str word, uint32_t *key, uint32_t *dropped,
                          struct xpd_err *err)
{
    uint8_t *known = XPD_NEW_ARRAY(ctx->arena, uint8_t, (size_t)ctx->hlo->computations.count + 1);
    if (!known)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < report->row_count; i++) {
        uint32_t instruction = xpd_tools_instruction(ctx->mem, report->row[i].buffer);
        if (key[i] == XPD_NO_INDEX || is_inside(ctx->hlo, instruction, word, known))
            continue;
        key[i] = XPD_NO_INDEX;
        ++*dropped;
    }
    return XPD_OK;
}

struct xpd_str xpd_report_body(const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    if (instruction == XPD_NO_INDEX ||
        !xpd_str_eq(xpd_tools_opcode(hlo, instruction), XPD_STR("fusion")))
        return XPD_STR("");
    uint32_t first = all->called_first[instruction];
    if (first == all->called_first[instruction + 1] || all->called[first] == XPD_NO_INDEX)
        return XPD_STR("");
    return xpd_hlo_text(hlo, hlo->computations.name[all->called[first]]);
}
