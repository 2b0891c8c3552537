/* What the tables of a plane say about runs of programs: which stats tell of them, which texts name
 * a program, which events launch one. */
#include "run_ids.h"

#include <string.h>

static const char launch_end[] = ":XLA GPU module";

void xpd_run_index_names(struct xpd_run_scan *scan)
{
    struct xpd_reader *reader = scan->reader;
    for (size_t i = 0; i < reader->hlo.count; i++) {
        uint64_t name = reader->hlo.at[i].name;
        bool first = xpd_map64_get(&scan->of_name, name) == XPD_NO_INDEX;
        xpd_map64_put(&scan->of_name, name, first ? (uint32_t)i : XPD_RUN_SHARED);
    }
}

/* Index of the module called `text`, XPD_RUN_SHARED, or XPD_NO_INDEX. */
static uint32_t module_named(const struct xpd_run_scan *scan, struct xpd_str text)
{
    xpd_name_id name = xpd_intern_find(&scan->reader->space->names, text);
    return name == XPD_NO_NAME ? XPD_NO_INDEX : xpd_map64_get(&scan->of_name, name);
}

static bool peek_name(struct xpd_run_scan *scan, const struct xpd_metadata *entry,
                      struct xpd_str *name)
{
    const uint8_t *bytes;
    if (entry->name.size == 0 || entry->name.size > 4096 ||
        xpd_window_peek(&scan->reader->window, entry->name.offset, (size_t)entry->name.size, &bytes,
                        NULL) != XPD_OK)
        return false;
    *name = (struct xpd_str){(const char *)bytes, (size_t)entry->name.size};
    return true;
}

static int find_stats(struct xpd_run_scan *scan, struct xpd_wire_range range, struct xpd_err *err)
{
    static const char *const name[XPD_RUN_STATS] = {"program_id", "run_id", "device_ordinal",
                                                    "hlo_module"};
    struct xpd_metadata_region region = {range.offset, xpd_range_end(range)};
    struct xpd_metadata entry;
    struct xpd_str text;
    enum xpd_walk step;
    memset(scan->has_stat, 0, sizeof scan->has_stat);
    while ((step = xpd_metadata_next(scan->reader, &region, XPD_STAT_METADATA, &entry, err)) ==
           XPD_WALK_FIELD) {
        if (!peek_name(scan, &entry, &text))
            continue;
        for (int i = 0; i < XPD_RUN_STATS; i++)
            if (xpd_str_eq(text, xpd_str_of(name[i]))) {
                scan->stat_id[i] = entry.id;
                scan->has_stat[i] = true;
            }
        uint32_t module = module_named(scan, text);
        if (module < scan->reader->hlo.count)
            xpd_map64_put(&scan->module_text, entry.id, module);
    }
    return step == XPD_WALK_FAILED ? err->code : XPD_OK;
}

static int find_launches(struct xpd_run_scan *scan, struct xpd_wire_range range,
                         struct xpd_err *err)
{
    struct xpd_metadata_region region = {range.offset, xpd_range_end(range)};
    struct xpd_metadata entry;
    struct xpd_str text;
    enum xpd_walk step;
    while ((step = xpd_metadata_next(scan->reader, &region, XPD_EVENT_METADATA, &entry, err)) ==
           XPD_WALK_FIELD) {
        if (!peek_name(scan, &entry, &text) || !xpd_str_ends(text, launch_end))
            continue;
        text.size -= sizeof launch_end - 1;
        uint32_t module = module_named(scan, text);
        scan->any_launch = true;
        if (module < scan->reader->hlo.count)
            xpd_map64_put(&scan->launch, entry.id, module);
    }
    return step == XPD_WALK_FAILED ? err->code : XPD_OK;
}

static void want_stats(struct xpd_run_scan *scan)
{
    scan->any_stat = scan->has_stat[XPD_RUN_PROGRAM] || scan->has_stat[XPD_RUN_ID] ||
                     scan->has_stat[XPD_RUN_MODULE];
    scan->wanted_low = 0;
    scan->wanted_high = false;
    scan->last = (struct xpd_run_event){0};
    for (int i = 0; i < XPD_RUN_STATS; i++) {
        if (scan->has_stat[i] && scan->stat_id[i] < 64)
            scan->wanted_low |= UINT64_C(1) << scan->stat_id[i];
        scan->wanted_high |= scan->has_stat[i] && scan->stat_id[i] >= 64;
    }
}

int xpd_run_read_names(struct xpd_run_scan *scan, struct xpd_wire_range plane, struct xpd_err *err)
{
    xpd_map64_fini(&scan->module_text);
    xpd_map64_fini(&scan->launch);
    scan->module_text = scan->launch = (struct xpd_map64){0};
    int rc = find_stats(scan, plane, err);
    if (rc == XPD_OK)
        rc = find_launches(scan, plane, err);
    want_stats(scan);
    return rc;
}
