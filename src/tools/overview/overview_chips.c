/* The chips side by side. In: their steps. Out: a row each, and whether one is behind. */
#include "overview.h"

static void add_chip(const struct xpd_overviewing *o, struct xpd_overview_chip *out, uint32_t lane)
{
    const struct xpd_run_lane *at = &o->steps.lane[lane];
    int64_t total_ps = 0, waits_ps = 0, idle_ps = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < at->of->count; i++) {
        const struct xpd_step_cell *cell = &at->of->cell[i];
        if (o->selected && cell->number + at->number != o->selected->number)
            continue;
        n++;
        xpd_grow_i64(&total_ps, cell->span.duration_ps);
        xpd_grow_i64(&idle_ps, cell->parts.ps[XPD_PART_IDLE]);
        for (uint32_t p = 0; p < XPD_PART_COMPUTE; p++)
            xpd_grow_i64(&waits_ps, xpd_part_waits(p) ? cell->parts.ps[p] : 0);
    }
    *out = (struct xpd_overview_chip){.process = at->process,
                                      .name = at->name,
                                      .host = o->ctx->run->host[at->host].name,
                                      .steps = n,
                                      .mean_ps = -1,
                                      .compute_ps = -1,
                                      .waits_ps = -1,
                                      .idle_ps = -1,
                                      .behind_ps = -1};
    if (n == 0)
        return;
    out->mean_ps = (double)total_ps / n;
    if (o->steps.nothing)
        return; /* what it did is not known */
    out->waits_ps = (double)waits_ps / n;
    out->idle_ps = (double)idle_ps / n;
    out->compute_ps = (double)(total_ps - waits_ps - idle_ps) / n;
}

static uint32_t extreme(const struct xpd_overview_chip *chip, uint32_t n, bool slowest)
{
    uint32_t best = XPD_NO_INDEX;
    for (uint32_t i = 0; i < n; i++)
        if (chip[i].mean_ps >= 0 &&
            (best == XPD_NO_INDEX || (slowest ? chip[i].mean_ps > chip[best].mean_ps
                                              : chip[i].mean_ps < chip[best].mean_ps)))
            best = i;
    return best;
}

/* "; 7 of 8 chips have no events", or "". */
static const char *without_events(const struct xpd_overviewing *o)
{
    uint32_t chips = 0, all = o->ctx->run->device_count;
    for (uint32_t l = 0; l < o->steps.lane_count; l++)
        chips += o->steps.lane[l].table->trace->process[o->steps.lane[l].of->process].kind !=
                 XPD_PROCESS_HOST;
    if (chips == 0 || chips >= all || o->steps.host_count < xpd_run_traced_hosts(o->ctx->run))
        return "";
    return xpd_arena_printf(o->ctx->arena, "; %" PRIu32 " of %" PRIu32 " chips have no steps",
                            all - chips, all);
}

int xpd_overview_chips(struct xpd_overviewing *o, struct xpd_err *err)
{
    uint32_t n = o->steps.lane_count;
    struct xpd_overview_chip *chip = XPD_NEW_ARRAY(o->ctx->arena, struct xpd_overview_chip, n);
    if (!chip)
        return xpd_tools_no_memory(err);
    for (uint32_t l = 0; l < n; l++)
        add_chip(o, &chip[l], l);
    o->out.chips.at = chip;
    o->out.chips.n = n;
    uint32_t fastest = extreme(chip, n, false), slowest = extreme(chip, n, true);
    const char *quiet = without_events(o);
    if (n < 2 || fastest == XPD_NO_INDEX) {
        o->out.chips_sentence = xpd_arena_printf(o->ctx->arena, "nothing to compare with%s", quiet);
        return XPD_OK;
    }
    for (uint32_t l = 0; l < n; l++)
        if (chip[l].mean_ps >= 0)
            chip[l].behind_ps = chip[l].mean_ps - chip[fastest].mean_ps;
    double behind_ps = chip[slowest].behind_ps;
    if (behind_ps <= 0) {
        o->out.chips_sentence = xpd_arena_printf(o->ctx->arena, "all take equally long%s", quiet);
        return XPD_OK;
    }
    chip[slowest].slowest = true;
    double share = chip[fastest].mean_ps > 0 ? behind_ps / chip[fastest].mean_ps : 0;
    o->out.chips_sentence = xpd_arena_printf(
        o->ctx->arena, "slowest: %s, +%s (%.2f %%) over the fastest%s",
        o->steps.lane[slowest].whole, xpd_overview_time(o, behind_ps), share * 100, quiet);
    return XPD_OK;
}
