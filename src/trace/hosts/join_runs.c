/* With which run of the main program each host's capture began.
 *
 * In: a joined trace, its hosts placed. Out: part->first_run. Counted alone, the first run of every
 * host is number 0; by the clock it may be a later one. Only an overlap twice as long decides for
 * the clock: half a run's difference may be its fault. */
#include "../derived/derive.h"
#include "join.h"

#include <stdlib.h>

struct runs { /* of the main program on the first TPU of a host, in order of time */
    int64_t *start_ps, *end_ps;
    uint32_t count;
};

static void runs_fini(struct runs *runs)
{
    free(runs->start_ps);
    free(runs->end_ps);
}

static const struct xpd_depth *modules_of(const struct xpd_trace *trace,
                                          const struct xpd_trace_host *part)
{
    for (uint32_t r = 0; r < part->trace->row_count; r++) {
        const struct xpd_trace_row *row = &trace->row[part->first_row + r];
        if (row->kind == XPD_ROW_MODULES && row->depth_count > 0 &&
            trace->process[row->process].kind == XPD_PROCESS_TPU)
            return &trace->depth[row->first_depth];
    }
    return NULL;
}

static bool runs_init(struct runs *runs, const struct xpd_trace *trace,
                      const struct xpd_trace_host *part)
{
    const struct xpd_depth *depth =
        part->placed == XPD_PLACED_CLOCK ? modules_of(trace, part) : NULL;
    *runs = (struct runs){0};
    if (!depth)
        return true;
    runs->start_ps = calloc((size_t)depth->count + 1, sizeof *runs->start_ps);
    runs->end_ps = calloc((size_t)depth->count + 1, sizeof *runs->end_ps);
    for (uint32_t i = 0; runs->start_ps && runs->end_ps && i < depth->count; i++)
        if (trace->name[depth->name[i]].caption == trace->main_program) {
            runs->start_ps[runs->count] = xpd_depth_start(depth, i);
            runs->end_ps[runs->count++] = xpd_depth_end(depth, i);
        }
    return runs->start_ps && runs->end_ps;
}

static int64_t common(const struct runs *a, uint32_t i, const struct runs *b, uint32_t k)
{
    int64_t from = a->start_ps[i] > b->start_ps[k] ? a->start_ps[i] : b->start_ps[k];
    int64_t to = a->end_ps[i] < b->end_ps[k] ? a->end_ps[i] : b->end_ps[k];
    return to > from ? to - from : 0;
}

/* Time in common when run k of `own` is run k + by of `base`. */
static double common_by(const struct runs *base, const struct runs *own, int64_t by)
{
    double sum = 0;
    for (uint32_t k = 0; k < own->count; k++)
        if ((int64_t)k + by >= 0 && (int64_t)k + by < base->count)
            sum += (double)common(base, (uint32_t)((int64_t)k + by), own, k);
    return sum;
}

/* The run of `base` that has most in common with run k of `own`; they are disjoint. */
static uint32_t nearest(const struct runs *base, const struct runs *own, uint32_t k)
{
    uint32_t low = 0, high = base->count; /* the first that ends after its start */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (base->end_ps[middle] <= own->start_ps[k])
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t best = low < base->count ? low : base->count - 1;
    for (uint32_t i = best + 1; i < base->count && base->start_ps[i] < own->end_ps[k]; i++)
        if (common(base, i, own, k) > common(base, best, own, k))
            best = i;
    return best;
}

/* How many runs later than `base` this one began; asked at its first, middle and last run. */
static int64_t runs_later(const struct runs *base, const struct runs *own)
{
    double counted = common_by(base, own, 0), most = counted;
    int64_t later = 0;
    if (base->count == 0 || own->count == 0)
        return 0;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t k = i == 0 ? 0 : i == 1 ? own->count / 2 : own->count - 1;
        int64_t by = (int64_t)nearest(base, own, k) - k;
        double sum = common_by(base, own, by);
        if (sum > most) {
            most = sum;
            later = by;
        }
    }
    return most >= 2 * counted ? later : 0;
}

static void tell(struct xpd_trace *trace, const struct xpd_trace_host *base)
{
    for (uint32_t i = 0; i < trace->part_count; i++) {
        const struct xpd_trace_host *part = &trace->part[i];
        long long later = (long long)(part->first_run - base->first_run);
        struct xpd_str program = xpd_intern_get(&trace->names, trace->main_program);
        if (later == 0)
            continue;
        xpd_warn(
            &trace->warnings, XPD_NOTE, "runs_later", XPD_NO_OFFSET,
            "By the profile's clock the capture of %.60s began %lld run%s of %.*s %s than that "
            "of %.60s: its run numbers are shifted to match.",
            part->host, later < 0 ? -later : later, later == 1 || later == -1 ? "" : "s",
            (int)(program.size < 80 ? program.size : 80), program.data,
            later < 0 ? "earlier" : "later", base->host);
    }
}

bool xpd_join_runs(struct xpd_trace *trace, struct xpd_trace_host *part)
{
    struct runs base = {0}, own;
    const struct xpd_trace_host *first = NULL;
    int64_t least = 0;
    bool fine = xpd_main_program(trace, &trace->main_program);
    for (uint32_t i = 0; fine && trace->main_program != XPD_NO_NAME && i < trace->part_count; i++) {
        fine = runs_init(&own, trace, &part[i]);
        if (fine && !first && own.count > 0) {
            first = &part[i];
            base = own;
            continue;
        }
        if (fine && first)
            part[i].first_run = runs_later(&base, &own);
        least = part[i].first_run < least ? part[i].first_run : least;
        runs_fini(&own);
    }
    runs_fini(&base);
    for (uint32_t i = 0; i < trace->part_count; i++)
        part[i].first_run -= least;
    if (fine && first)
        tell(trace, first);
    return fine;
}
