/* Which node of the forest an event is. */
#include "groups_forest.h"

uint32_t xpd_forest_node(const struct xpd_forest *forest, uint64_t event)
{
    const struct xpd_depth *depth;
    uint32_t index;
    if (!xpd_trace_find(forest->trace, event, &depth, &index))
        return XPD_NO_NODE;
    if (forest->row_node[depth->row] != XPD_NO_NODE)
        return forest->row_node[depth->row] +
               (uint32_t)(event - forest->groups->row_event[depth->row]);
    uint32_t process = forest->trace->row[depth->row].process;
    if (forest->line_node[process] == XPD_NO_NODE)
        return XPD_NO_NODE;
    const struct xpd_group_line *line = &forest->groups->line[process];
    uint32_t at = depth->row == line->row
                      ? xpd_group_line_place(line, event, xpd_depth_start(depth, index))
                      : xpd_group_line_holder(line, xpd_depth_start(depth, index),
                                              xpd_depth_end(depth, index));
    return at == XPD_NO_INDEX ? XPD_NO_NODE : forest->line_node[process] + at;
}
