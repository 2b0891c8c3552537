/* tag=smart_suggestion. Outside of its makers XProf has one rule: chips that wait at barriers of
 * cores for a tenth of their steps. Where they do, the answer is a refusal with that share: the
 * suggestion's words are XProf's. Rules: xspace_to_event_time_fraction_analyzer.cc,
 * barrier_cores_rule.h. */
#include "../opstats/step_events.h"
#include "compat_tables.h"

#include <stdlib.h>

struct suggestion {
    struct xpd_str rule, text;
};
static const struct xpd_column suggestion_columns[] = {
    XPD_COLUMN_AS(struct suggestion, "ruleName", rule, "Rule"),
    XPD_COLUMN_AS(struct suggestion, "suggestionText", text, "Suggestion"),
};

struct share { /* of a step on a core that its barriers take */
    int64_t group;
    uint32_t plane;
    uint64_t step_ps;
    double part;
};
struct shares {
    XPD_VEC(struct share) list;
};

static const struct xpd_str barrier = {"barrier-cores", sizeof "barrier-cores" - 1};

static bool is_barrier(const struct xpd_trace *trace, uint32_t name)
{
    return xpd_str_find(xpd_intern_get(&trace->names, trace->name[name].name), barrier, false) !=
           SIZE_MAX;
}

static bool has_barriers(const struct xpd_trace *trace)
{
    bool found = false;
    for (uint32_t i = 0; !found && i < trace->name_count; i++)
        found = is_barrier(trace, i);
    return found;
}

/* By the device's clock only; 0 = unknown. */
static uint64_t device_duration_ps(const struct xpd_file_plane *plane,
                                   const struct xpd_file_event *event, struct xpd_arena *scratch)
{
    struct xpd_stat_value *stat;
    struct xpd_err unread = {0};
    uint32_t count = 0;
    xpd_arena_reset(scratch);
    if (xpd_file_stats(plane, event, scratch, &stat, &count, &unread) != XPD_OK)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        if (xpd_str_eq(stat[i].name, XPD_STR("device_duration_ps")) &&
            stat[i].type == XPD_STAT_UINT)
            return (uint64_t)stat[i].integer;
    return 0;
}

static uint64_t length_of(const struct xpd_step_events *step)
{
    return xpd_step_length(step->core.count > 0 ? step->core.at[0].mark : step->device);
}

static void add_event(struct shares *shares, struct xpd_map64 *share_of, struct share one)
{
    uint32_t at = xpd_map64_get(share_of, (uint64_t)one.group);
    if (at != XPD_NO_INDEX) {
        shares->list.at[at].part += one.part;
        return;
    }
    xpd_map64_put(share_of, (uint64_t)one.group, (uint32_t)shares->list.count);
    XPD_PUSH(&shares->list, one);
    shares->list.failed |= share_of->failed;
}

static void add_plane(struct shares *shares, const struct xpd_file_plane *plane,
                      const struct xpd_step_map *steps, struct xpd_arena *scratch)
{
    enum { DUMMY_PS = 1250 };
    struct xpd_map64 share_of = {0}; /* of groups of this plane */
    for (uint32_t l = 0; l < plane->line_count; l++)
        for (uint32_t i = 0; i < plane->line[l].count; i++) {
            const struct xpd_file_event *event = &plane->line[l].event[i];
            if (!is_barrier(plane->trace, event->depth->name[event->index]))
                continue;
            int64_t group = xpd_file_group(plane, event);
            uint32_t at = group < 0 ? XPD_NO_INDEX : xpd_map64_get(&steps->index, (uint64_t)group);
            uint64_t step_ps = at == XPD_NO_INDEX ? 0 : length_of(&steps->step.at[at]);
            uint64_t taken_ps = step_ps ? device_duration_ps(plane, event, scratch) : 0;
            if (taken_ps == 0 || taken_ps == DUMMY_PS)
                continue;
            double part = (float)((double)taken_ps / (double)step_ps);
            add_event(shares, &share_of, (struct share){group, plane->number, step_ps, part});
        }
    xpd_map64_fini(&share_of);
}

static int by_group(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->plane > y->plane) - (x->plane < y->plane);
}

/* What is kept of the steps that have barriers, which `list` has in order: neither the first nor
 * the last of three; of two not one that is a hundred times shorter than the other. */
static bool is_kept(const struct share *list, size_t count, size_t at)
{
    size_t second = 0, third = 0;
    int64_t first = list[0].group, last = list[count - 1].group;
    while (second < count && list[second].group == first)
        second++;
    for (third = second; third < count && list[third].group == list[second].group;)
        third++;
    if (third < count)
        return list[at].group != first && list[at].group != last;
    if (second == count)
        return true;
    double shortest = 0.01 * (double)(list[at].group == first ? list[second] : list[0]).step_ps;
    return (double)list[at].step_ps >= shortest;
}

/* Adds one host to the mean. */
static void add_host(struct shares *shares, double *sum, uint64_t *count)
{
    struct share *list = shares->list.at;
    if (shares->list.count > 1)
        qsort(list, shares->list.count, sizeof *list, by_group);
    for (size_t i = 0; i < shares->list.count; i++)
        if (is_kept(list, shares->list.count, i)) {
            *sum += list[i].part;
            ++*count;
        }
    shares->list.count = 0;
}

static int read_host(const struct xpd_tool_ctx *ctx, uint32_t number, struct shares *shares,
                     struct xpd_err *err)
{
    struct xpd_file_host host;
    struct xpd_arena arena = {0}, scratch = {0};
    int rc = xpd_file_host_open(ctx, number, &host, err);
    bool any = rc == XPD_OK && has_barriers(host.trace);
    for (uint32_t p = 0; rc == XPD_OK && any && p < host.trace->space->plane_count; p++) {
        struct xpd_file_plane plane;
        struct xpd_step_map steps = {0};
        if (!xpd_str_starts(
                xpd_intern_get(&host.trace->space->names, host.trace->space->plane[p].name),
                "/device:TPU:"))
            continue;
        rc = xpd_file_plane_open(&plane, &host, p, NULL, &arena, err);
        if (rc == XPD_OK)
            rc = xpd_step_events_tpu(&steps, &plane, &arena, err);
        if (rc == XPD_OK)
            add_plane(shares, &plane, &steps, &scratch);
        xpd_step_map_fini(&steps);
    }
    xpd_arena_fini(&arena);
    xpd_arena_fini(&scratch);
    if (rc == XPD_OK && shares->list.failed)
        rc = xpd_no_memory(err, NULL, "for the shares of barriers");
    return rc;
}

static int suggestions(const struct xpd_tool_ctx *ctx, struct xpd_tables *out, struct xpd_err *err)
{
    enum { MOST_PERCENT = 10 };
    static const struct xpd_data_table table = {XPD_COLUMNS(suggestion_columns)};
    struct shares shares = {0};
    double sum = 0;
    uint64_t count = 0;
    uint32_t first, end;
    int rc = xpd_file_hosts_meant(ctx, &first, &end, err);
    for (uint32_t i = 0; rc == XPD_OK && i < ctx->run->host_count; i++) {
        if (!xpd_host_has_events(&ctx->run->host[i]))
            continue;
        rc = read_host(ctx, i, &shares, err);
        add_host(&shares, &sum, &count);
    }
    XPD_VEC_FINI(&shares.list);
    double percent = count ? sum / (double)count * 100.0 : 0;
    if (rc == XPD_OK && percent >= MOST_PERCENT)
        rc = xpd_fail(err, XPD_EINVAL, "tag", XPD_NO_OFFSET,
                      "chips wait at barriers of cores (barrier-cores) for %.1f %% of a step on "
                      "average; XProf suggests what to do from %d %% on, which xprofd does not",
                      percent, MOST_PERCENT);
    *out =
        (struct xpd_tables){.table = &table, .count = 1, .json = XPD_STR("{\"suggestions\":[]}")};
    return rc;
}

const struct xpd_table_tool xpd_table_smart_suggestion = {.tag = "smart_suggestion",
                                                          .make = suggestions};
