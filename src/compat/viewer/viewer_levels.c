/* XProf's 13 stores of events: the resolution of each, which of them a window reads, and from where
 * on. xprof_levels_make.c says which event lies in which. */
#include "viewer_private.h"

int64_t xpd_xprof_level_resolution(unsigned level)
{
    int64_t resolution_ps = 1000000000000;
    while (level-- > 0)
        resolution_ps /= 10;
    return resolution_ps;
}

unsigned xpd_xprof_last_level(int64_t resolution_ps)
{
    unsigned level = 0;
    while (level + 1 < XPD_XPROF_LEVELS && xpd_xprof_level_resolution(level) > resolution_ps)
        level++;
    return level;
}

int64_t xpd_xprof_level_begin(unsigned level, int64_t from_ps)
{
    return level > 0 && from_ps > 0 ? from_ps - xpd_xprof_level_resolution(level - 1) : INT64_MIN;
}

void xpd_xprof_levels_free(struct xpd_xprof_levels *levels)
{
    if (!levels)
        return;
    free(levels->order.at);
    free(levels->level);
    free(levels);
}

uint64_t xpd_xprof_levels_bytes(const struct xpd_xprof_levels *levels)
{
    return levels->bytes;
}
