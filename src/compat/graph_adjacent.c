/* graph_viewer's adj_nodes: names of the operands and users of an instruction. */
#include "graph_viewer.h"

struct neighbours {
    const struct xpd_hlo *hlo;
    struct xpd_jsonw *w;
    bool *seen; /* guards against cycles among get-tuple-elements */
};

static bool is_element(const struct xpd_hlo *hlo, uint32_t instruction)
{
    return xpd_str_starts(xpd_hlo_text(hlo, hlo->instructions.name[instruction]),
                          "get-tuple-element");
}

static void name_operands(struct neighbours *n, uint32_t instruction)
{
    const struct xpd_hlo_instructions *ins = &n->hlo->instructions;
    for (uint32_t k = ins->operand_first[instruction]; k < ins->operand_first[instruction + 1];
         k++) {
        uint32_t operand = ins->operand[k];
        if (operand == XPD_NO_INDEX)
            continue;
        if (!is_element(n->hlo, operand)) {
            xpd_json_str(n->w, xpd_hlo_text(n->hlo, ins->name[operand]));
        } else if (!n->seen[operand]) {
            n->seen[operand] = true;
            name_operands(n, operand);
            n->seen[operand] = false;
        }
    }
}

static bool uses(const struct xpd_hlo *hlo, uint32_t user, uint32_t instruction)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    for (uint32_t k = ins->operand_first[user]; k < ins->operand_first[user + 1]; k++)
        if (ins->operand[k] == instruction)
            return true;
    return false;
}

static void name_users(struct neighbours *n, uint32_t instruction)
{
    const struct xpd_hlo_computations *c = &n->hlo->computations;
    uint32_t computation = n->hlo->instructions.computation[instruction];
    uint32_t first = c->first[computation];
    for (uint32_t i = first; i < first + c->instruction_count[computation]; i++) {
        if (!uses(n->hlo, i, instruction))
            continue;
        if (!is_element(n->hlo, i)) {
            xpd_json_str(n->w, xpd_hlo_text(n->hlo, n->hlo->instructions.name[i]));
        } else if (!n->seen[i]) {
            n->seen[i] = true;
            name_users(n, i);
            n->seen[i] = false;
        }
    }
}

int xpd_compat_adjacent(const struct xpd_tool_ctx *ctx, uint32_t module,
                        struct xpd_tool_result *out, struct xpd_err *err)
{
    const struct xpd_hlo *hlo;
    uint32_t instruction, computation;
    int rc = xpd_store_module(ctx->store, ctx->run, module, &hlo, NULL, err);
    if (rc == XPD_OK)
        rc = xpd_compat_find_node(ctx, hlo, &instruction, &computation, err);
    if (rc != XPD_OK)
        return rc;
    if (instruction == XPD_NO_INDEX)
        return xpd_fail(err, XPD_EINVAL, "node_name", XPD_NO_OFFSET,
                        "GetAdjacentNodes is not implemented for HloComputation.");
    struct xpd_jsonw w;
    struct neighbours n = {hlo, &w, XPD_NEW_ARRAY(ctx->arena, bool, hlo->instructions.count)};
    if (!n.seen)
        return xpd_no_memory(err, NULL, "for this answer");
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_json_key(&w, "consumer_names");
    xpd_json_arr(&w);
    name_users(&n, instruction);
    xpd_json_arr_end(&w);
    xpd_json_key(&w, "operand_names");
    xpd_json_arr(&w);
    name_operands(&n, instruction);
    xpd_json_arr_end(&w);
    xpd_json_obj_end(&w);
    return XPD_OK;
}
