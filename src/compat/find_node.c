/* The instruction or computation that node_name= means. */
#include "graph_viewer.h"

static bool is_named(const struct xpd_hlo *hlo, xpd_name_id id, struct xpd_str name)
{
    struct xpd_str text = xpd_hlo_text(hlo, id);
    return text.size == name.size && xpd_str_find(text, name, true) == 0;
}

int xpd_compat_find_node(const struct xpd_tool_ctx *ctx, const struct xpd_hlo *hlo,
                         uint32_t *instruction, uint32_t *computation, struct xpd_err *err)
{
    struct xpd_str name = xpd_param_text(ctx, "node_name");
    struct xpd_str bare = name;
    *instruction = *computation = XPD_NO_INDEX;
    if (bare.size && bare.data[0] == '%')
        bare = (struct xpd_str){bare.data + 1, bare.size - 1};
    if (bare.size == 0)
        return xpd_fail(err, XPD_EINVAL, "node_name", XPD_NO_OFFSET,
                        "node_name should not be empty");
    for (uint32_t i = 0; i < hlo->instructions.count && *instruction == XPD_NO_INDEX; i++)
        if (is_named(hlo, hlo->instructions.name[i], bare))
            *instruction = i;
    for (uint32_t c = 0; c < hlo->computations.count && *computation == XPD_NO_INDEX; c++)
        if (is_named(hlo, hlo->computations.name[c], bare))
            *computation = c;
    if (*instruction != XPD_NO_INDEX || *computation != XPD_NO_INDEX)
        return XPD_OK;
    return xpd_fail(err, XPD_ENOTFOUND, "node_name", XPD_NO_OFFSET,
                    "Couldn't find HloInstruction or HloComputation named %.*s.", (int)name.size,
                    name.data);
}
