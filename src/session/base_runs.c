/* The catalog of a second root, for comparisons with runs of the
 * first. In: a path. Out: its runs with their own ids, because a run
 * of the first root may have the same name. It is made once with the
 * store and never changes; a changed file is reported when it is
 * opened. */
#include "session_internal.h"

int xpd_base_catalog(struct xpd_catalog **out, const char *root,
                     const struct xpd_scan_limits *limits, struct xpd_err *err)
{
    int rc = xpd_catalog_scan(out, root, limits, 1, err);
    if (rc != XPD_OK)
        return rc;
    for (uint32_t i = 0; i < (*out)->run_count; i++) {
        struct xpd_run_entry *run = &(*out)->run[i];
        run->id = xpd_arena_printf(&(*out)->arena, "%s%s", XPD_BASE_PREFIX, run->id);
        if (run->lead)
            run->lead = xpd_arena_printf(&(*out)->arena, "%s%s", XPD_BASE_PREFIX, run->lead);
        if (run->id && !(*out)->arena.failed)
            continue;
        xpd_catalog_release(*out);
        *out = NULL;
        return xpd_no_memory(err, root, "for a store");
    }
    return XPD_OK;
}

const struct xpd_catalog *xpd_store_base(const struct xpd_store *store)
{
    return store->base;
}
