/* What the tools about a program share: names as a person types them. */
#ifndef XPROFD_SRC_TOOLS_TABLES_GRAPH_COMMON_H
#define XPROFD_SRC_TOOLS_TABLES_GRAPH_COMMON_H

#include "../common/common.h"

/* Without a leading '%'. */
static inline struct xpd_str xpd_tools_bare_name(struct xpd_str name)
{
    return name.size && name.data[0] == '%' ? (struct xpd_str){name.data + 1, name.size - 1} : name;
}

/* The first of that name, XPD_NO_INDEX = none (also for XPD_NO_NAME). */
static inline uint32_t xpd_tools_index_of(const xpd_name_id *name, uint32_t count, xpd_name_id id)
{
    for (uint32_t i = 0; id != XPD_NO_NAME && i < count; i++)
        if (name[i] == id)
            return i;
    return XPD_NO_INDEX;
}

#endif
