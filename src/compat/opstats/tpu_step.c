/* A step of a TPU from the operations of its cores: see tpu_step.h. */
#include "tpu_step.h"

#include <float.h>

static uint64_t category_ps(const struct xpd_step_core *core, const char *name)
{
    for (uint32_t i = 0; i < core->category_count; i++)
        if (xpd_str_eq(core->category[i].name, xpd_str_of(name)))
            return core->category[i].self_ps;
    return 0;
}

struct core_times {
    uint64_t infeed_ps, outfeed_ps, host_transfer_ps, idle_ps, busy_ps, scv0_wait_ps;
};

/* XProf takes as idle what the operations leave of the step, wrapping where they take more. */
static struct core_times times_of(const struct xpd_step_core *core)
{
    uint64_t all_ps = 0;
    for (uint32_t i = 0; i < core->category_count; i++)
        if (!xpd_str_eq(core->category[i].name, XPD_STR("IDLE")))
            all_ps += core->category[i].self_ps;
    uint64_t scv0_in_ps = category_ps(core, "sparsecorev0 infeed"),
             scv0_out_ps = category_ps(core, "sparsecorev0 outfeed");
    uint64_t transform_ps = scv0_in_ps < scv0_out_ps ? scv0_in_ps : scv0_out_ps;
    struct core_times times = {
        .infeed_ps = category_ps(core, "infeed"),
        .outfeed_ps = category_ps(core, "outfeed"),
        .host_transfer_ps = category_ps(core, "host send") + category_ps(core, "host send-done") +
                            category_ps(core, "host recv") + category_ps(core, "host recv-done"),
        .idle_ps = core->duration_ps - all_ps,
        .scv0_wait_ps = scv0_in_ps - transform_ps};
    times.busy_ps = core->duration_ps - times.idle_ps - times.infeed_ps - times.outfeed_ps -
                    times.host_transfer_ps - category_ps(core, "megacore fusion") -
                    category_ps(core, "async-done") - times.scv0_wait_ps;
    return times;
}

struct sums { /* over TensorCores */
    uint32_t cores;
    int64_t infeed_core;
    uint64_t shortest_ps, least_compute_ps, outfeed_ps, busy_ps, most_transfer_ps, most_infeed_ps,
        most_scv0_ps;
    double percent, least_percent, most_percent;
};

/* Means of cores are whole picoseconds, as XProf has them. */
static double mean_ms(uint64_t sum_ps, uint64_t cores)
{
    uint64_t mean_ps = sum_ps / cores;
    return (double)mean_ps / 1e9;
}

static void add_core(struct sums *sums, const struct xpd_step_core *core)
{
    struct core_times t = times_of(core);
    uint64_t wait_ps = t.infeed_ps + t.outfeed_ps + t.host_transfer_ps + t.idle_ps + t.scv0_wait_ps;
    uint64_t compute_ps = core->duration_ps > wait_ps ? core->duration_ps - wait_ps : 0;
    double percent = 100.0 * (double)t.infeed_ps / (double)core->duration_ps;
    if (sums->cores++ == 0 || core->duration_ps < sums->shortest_ps)
        sums->shortest_ps = core->duration_ps;
    if (sums->cores == 1 || compute_ps < sums->least_compute_ps)
        sums->least_compute_ps = compute_ps;
    if (sums->cores == 1 || percent < sums->least_percent)
        sums->least_percent = percent;
    sums->most_percent = percent > sums->most_percent ? percent : sums->most_percent;
    sums->percent += percent;
    sums->outfeed_ps += t.outfeed_ps;
    sums->busy_ps += t.busy_ps < core->duration_ps ? t.busy_ps : core->duration_ps;
    if (t.host_transfer_ps > sums->most_transfer_ps)
        sums->most_transfer_ps = t.host_transfer_ps;
    if (t.infeed_ps > sums->most_infeed_ps) {
        sums->most_infeed_ps = t.infeed_ps;
        sums->infeed_core = core->core;
    }
    if (t.scv0_wait_ps > sums->most_scv0_ps)
        sums->most_scv0_ps = t.scv0_wait_ps;
}

/* What a SparseCore is not idle nor fed it computes. */
static void add_sparse(const struct xpd_xprof_step *step, struct xpd_tpu_step *out)
{
    uint64_t all_ps = 0, infeed_ps = 0, outfeed_ps = 0, idle_ps = 0, least_ps = UINT64_MAX;
    uint32_t cores = 0;
    for (uint32_t i = 0; i < step->core_count; i++) {
        const struct xpd_step_core *core = &step->core[i];
        if (core->core < XPD_STEP_SPARSE_CORE)
            continue;
        uint64_t in_ps = category_ps(core, "infeed"), out_ps = category_ps(core, "outfeed");
        uint64_t core_idle_ps = category_ps(core, "IDLE");
        uint64_t compute_ps = core->duration_ps - core_idle_ps - in_ps - out_ps;
        cores++;
        all_ps += core->duration_ps;
        infeed_ps += in_ps;
        outfeed_ps += out_ps;
        idle_ps += core_idle_ps;
        least_ps = compute_ps < least_ps ? compute_ps : least_ps;
    }
    if (cores == 0)
        return;
    out->sparse_ms = mean_ms(all_ps, cores);
    out->sparse_compute_ms = (double)least_ps / 1e9;
    out->sparse_infeed_ms = mean_ms(infeed_ps, cores);
    out->sparse_outfeed_ms = mean_ms(outfeed_ps, cores);
    out->sparse_idle_ms = mean_ms(idle_ps, cores);
    out->sparse_active_ms = mean_ms(all_ps - idle_ps - infeed_ps - outfeed_ps, cores);
}

static uint64_t least_of(const struct xpd_xprof_step *step, uint64_t id)
{
    uint64_t least_ps = UINT64_MAX;
    for (uint32_t i = 0; i < step->reduce_count; i++)
        if (step->reduce[i].id == id && step->reduce[i].duration_ps < least_ps)
            least_ps = step->reduce[i].duration_ps;
    return least_ps;
}

/* Of the core that spends most in collectives. */
static void add_reduces(const struct xpd_xprof_step *step, struct xpd_tpu_step *out)
{
    uint64_t most_ps = 0;
    for (uint32_t c = 0; c < step->core_count; c++) {
        uint64_t least_ps = 0, more_ps = 0;
        if (step->core[c].core >= XPD_STEP_SPARSE_CORE)
            continue;
        for (uint32_t i = 0; i < step->reduce_count; i++)
            if (step->reduce[i].core == step->core[c].core) {
                uint64_t one_ps = least_of(step, step->reduce[i].id);
                least_ps += one_ps;
                more_ps += step->reduce[i].duration_ps - one_ps;
            }
        if (least_ps + more_ps <= most_ps)
            continue;
        most_ps = least_ps + more_ps;
        out->reduce_ms = (double)least_ps / 1e9;
        out->reduce_sync_ms = (double)more_ps / 1e9;
    }
}

void xpd_tpu_step_of(const struct xpd_xprof_step *step, struct xpd_tpu_step *out)
{
    struct sums sums = {.most_percent = DBL_MIN,
                        .infeed_core = -1}; /* initial value of XProf's maximum */
    *out = (struct xpd_tpu_step){.number = -1};
    for (uint32_t i = 0; i < step->core_count; i++) {
        out->number = step->core[0].number;
        if (step->core[i].core < XPD_STEP_SPARSE_CORE)
            add_core(&sums, &step->core[i]);
    }
    out->infeed_ms = (double)sums.most_infeed_ps / 1e9;
    out->infeed_core = sums.infeed_core;
    out->scv0_compute_ms = (double)sums.most_scv0_ps / 1e9;
    if (sums.cores) {
        out->outfeed_ms = mean_ms(sums.outfeed_ps, sums.cores);
        out->compute_ms = (double)sums.least_compute_ps / 1e9;
        out->active_ms = mean_ms(sums.busy_ps, sums.cores);
        out->host_transfer_ms = (double)sums.most_transfer_ps / 1e9;
        out->idle_ms = (double)sums.shortest_ps / 1e9 - xpd_tpu_step_ms(out);
        out->infeed_percent_average = sums.percent / sums.cores;
        out->infeed_percent_minimum = sums.least_percent;
        out->infeed_percent_maximum = sums.most_percent;
    }
    out->idle_ms = out->idle_ms < 0 ? 0 : out->idle_ms;
    add_reduces(step, out);
    add_sparse(step, out);
}
