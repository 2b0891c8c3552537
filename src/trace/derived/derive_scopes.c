/* Scope ranges of GPU kernels: which calls of a framework a kernel was made in, by
 * number. The plane "/host:__ScopeRangeCallStack__" says each one's parent: a stat of the plane,
 * its metadata id the child, its value the parent. */
#include "derive.h"

void xpd_scopes_load(struct xpd_deriving *deriving)
{
    const struct xpd_trace *trace = deriving->trace;
    struct xpd_arena scratch;
    if (deriving->scopes_known)
        return;
    deriving->scopes_known = true;
    xpd_arena_init(&scratch, UINT64_C(64) << 20);
    for (uint32_t p = 0; p < trace->space->plane_count; p++) {
        const struct xpd_plane *plane = &trace->space->plane[p];
        struct xpd_stat_value *stat;
        uint32_t count;
        struct xpd_str name = xpd_intern_get(&trace->space->names, plane->name);
        if (!xpd_str_eq(name, XPD_STR("/host:__ScopeRangeCallStack__")) ||
            xpd_stats_decode(trace->source, plane->range, 6, &trace->tables[p], &trace->names,
                             &scratch, &stat, &count, NULL) != XPD_OK)
            continue;
        if (count == XPD_STATS_MAX)
            xpd_warn(&deriving->out->warnings, XPD_NOTE, "scope_ranges", XPD_NO_OFFSET,
                     "only the first %d scope ranges are told apart", XPD_STATS_MAX);
        for (uint32_t i = 0; i < count; i++) {
            struct xpd_scope_parent scope = {
                (int64_t)stat[i].id,
                stat[i].type == XPD_STAT_INT ? stat[i].integer : 0}; /* XProf reads signed ones */
            uint32_t index = (uint32_t)deriving->scope.count;
            if (stat[i].type != XPD_STAT_INT && stat[i].type != XPD_STAT_UINT)
                continue;
            XPD_PUSH(&deriving->scope, scope);
            (void)xpd_map64_put(&deriving->scope_of, stat[i].id, index);
            deriving->failed |= deriving->scope.failed || deriving->scope_of.failed;
        }
    }
    xpd_arena_fini(&scratch);
}

uint32_t xpd_scopes_chain(const struct xpd_deriving *deriving, int64_t leaf,
                          int64_t chain[XPD_SCOPES_MAX])
{
    uint32_t count = 0;
    for (int64_t at = leaf; at >= 0 && count < XPD_SCOPES_MAX;) {
        for (uint32_t i = 0; i < count; i++)
            if (chain[i] == at)
                return count; /* a cycle ends here */
        chain[count++] = at;
        uint32_t index = xpd_map64_get(&deriving->scope_of, (uint64_t)at);
        if (index == XPD_NO_INDEX)
            break;
        at = deriving->scope.at[index].parent;
    }
    return count;
}
