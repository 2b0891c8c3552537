/* XProf stores each event once, in one of 13 stores (trace.md 5.2): level k holds what is visible
 * at a resolution of 10^(12-k) ps and at none coarser. A window of a large profile reads the levels
 * down to its resolution, so what it shows depends on them.
 *
 * Two sets of machines walk all events in order: one over the events with flows alone, which says
 * at which level a flow is first visible, and one over the rows. An event is visible at every level
 * behind its own.
 */
#include "viewer_private.h"

#define MACHINES (XPD_XPROF_LEVELS - 1) /* what none of them shows is in the last store */

struct sorting {
    struct xpd_xprof_levels *levels;
    struct xpd_visible *flows[MACHINES], *rows[MACHINES];
    struct xpd_map64 level_of; /* flow -> first level where it is visible */
    bool failed;
};

/* The first level that asks for it; it is visible at all behind. */
static unsigned first_visible(struct sorting *sorting, struct xpd_visible *const *machine,
                              const struct xpd_xprof_event *event)
{
    unsigned level = 0;
    bool yes = false;
    for (; level < MACHINES && !yes && !sorting->failed; level += !yes)
        sorting->failed |= !xpd_visible_ask(machine[level], event, &yes);
    for (unsigned next = level + 1; next < MACHINES && !sorting->failed; next++)
        sorting->failed |= !xpd_visible_set(machine[next], event);
    return level;
}

/* Both ends of a flow are at one level, but for ends that are long enough to be at an earlier one.
 */
static unsigned flow_level(struct sorting *sorting, const struct xpd_xprof_event *event)
{
    unsigned seen = first_visible(sorting, sorting->flows, event), level = 0;
    uint32_t of_flow = xpd_map64_get(&sorting->level_of, event->flow);
    if (of_flow == XPD_NO_INDEX) {
        of_flow = seen;
        xpd_map64_put(&sorting->level_of, event->flow, seen);
        sorting->failed |= sorting->level_of.failed;
    }
    while (level < of_flow && event->duration_ps < xpd_xprof_level_resolution(level))
        level++;
    struct xpd_xprof_event plain = *event; /* the rows need not know its flow */
    plain.ends = 0;
    plain.in_flow = false;
    for (unsigned next = level; next < MACHINES && !sorting->failed; next++)
        sorting->failed |= !xpd_visible_set(sorting->rows[next], &plain);
    return level;
}

static bool on_event(void *user, const struct xpd_xprof_event *event)
{
    struct sorting *sorting = user;
    unsigned level =
        event->in_flow ? flow_level(sorting, event) : first_visible(sorting, sorting->rows, event);
    sorting->levels->level[sorting->levels->first[event->stream] + event->place] = (uint8_t)level;
    return !sorting->failed;
}

static int sort_all(struct xpd_xprof_levels *levels, const struct xpd_xprof *xprof,
                    struct xpd_err *err)
{
    struct sorting sorting = {.levels = levels};
    struct xpd_xprof_query query = {.full_dma = true};
    for (unsigned i = 0; i < MACHINES; i++) {
        sorting.flows[i] = xpd_visible_new(xpd_xprof_level_resolution(i));
        sorting.rows[i] = xpd_visible_new(xpd_xprof_level_resolution(i));
        sorting.failed |= !sorting.flows[i] || !sorting.rows[i];
        if (!sorting.failed)
            xpd_visible_share(sorting.flows[i], sorting.flows[0], i);
    }
    int rc = sorting.failed ? XPD_OK : xpd_xprof_each(xprof, &query, on_event, &sorting, err);
    for (unsigned i = 0; i < MACHINES; i++) {
        xpd_visible_free(sorting.flows[i]);
        xpd_visible_free(sorting.rows[i]);
    }
    xpd_map64_fini(&sorting.level_of);
    if (rc == XPD_OK && sorting.failed)
        rc = xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for XProf's levels");
    return rc;
}

static int fill(struct xpd_xprof_levels *levels, const struct xpd_xprof *xprof,
                uint64_t budget_bytes, struct xpd_err *err)
{
    uint64_t count = 0;
    for (uint32_t s = 0; s < xprof->stream_count; s++)
        count += xprof->stream[s].depth->count;
    levels->bytes = sizeof *levels + count + sizeof *levels->first * xprof->stream_count;
    if (budget_bytes > 0 && levels->bytes > budget_bytes)
        return xpd_fail(err, XPD_ELIMIT, NULL, XPD_NO_OFFSET, "no room for XProf's levels");
    levels->first = calloc((size_t)xprof->stream_count + 1, sizeof *levels->first);
    levels->level = calloc((size_t)count + 1, 1);
    if (!levels->first || !levels->level)
        return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for XProf's levels");
    for (uint32_t s = 0; s + 1 < xprof->stream_count; s++)
        levels->first[s + 1] = levels->first[s] + xprof->stream[s].depth->count;
    return sort_all(levels, xprof, err);
}

int xpd_xprof_levels_make(struct xpd_xprof_levels **out, const struct xpd_xprof_input *input,
                          uint64_t budget_bytes, struct xpd_err *err)
{
    struct xpd_xprof *xprof;
    *out = NULL;
    int rc = xpd_xprof_open(&xprof, input, 0, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_xprof_levels *levels = calloc(1, sizeof *levels);
    rc = levels ? fill(levels, xprof, budget_bytes, err)
                : xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for XProf's levels");
    xpd_xprof_close(xprof);
    if (rc == XPD_OK)
        *out = levels;
    else
        xpd_xprof_levels_free(levels);
    return rc;
}
