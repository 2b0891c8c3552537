/* The table of tools: a route in, the tool that answers it out. */
#include "common/tools.h"

#define TOOL(symbol) &symbol,
static const struct xpd_tool *const tools[] = {
#include "tools.def"
};
#undef TOOL

const struct xpd_tool *const *xpd_tools(uint32_t *count)
{
    *count = sizeof tools / sizeof *tools;
    return tools;
}

const struct xpd_tool *xpd_tool_find(struct xpd_str route)
{
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (xpd_str_eq(route, xpd_str_of(tools[i]->route)))
            return tools[i];
    return NULL;
}
