/* From tallies to groups. In: tallies of the threads. Out: groups
 * in the order in which their first events stand, as one thread
 * would make them, regardless of the number of threads; and their
 * sum. */
#include "totals_key.h"
#include "totals_work.h"
#include "xprofd/base/checked.h"
#include "xprofd/trace/window.h"
#include <stdio.h>
#include <stdlib.h>

/* Groups by text: the operations of four chips are four names in the file and one group here.
 *
 * In: events of a row in order of time. Out: an index of a group, made when new. A name is looked
 * up once; what depends on the time (steps, programs of names that do not say theirs) is found with
 * a cursor. */

bool xpd_grouping_init(struct xpd_grouping *grouping, const struct xpd_view *view,
                       enum xpd_totals_by by)
{
    *grouping = (struct xpd_grouping){
        .view = view, .by = by, .fixed = XPD_NO_INDEX, .looked_up = XPD_NO_INDEX};
    xpd_intern_init(&grouping->key, &grouping->arena);
    if (by != XPD_BY_NAME && by != XPD_BY_CATEGORY && by != XPD_BY_MODULE && by != XPD_BY_ENTRY)
        return true;
    size_t count = xpd_view_names(view);
    grouping->group_of_name = malloc((count + 1) * sizeof *grouping->group_of_name);
    if (!grouping->group_of_name)
        return false;
    memset(grouping->group_of_name, 0xff, (count + 1) * sizeof *grouping->group_of_name);
    return true;
}

void xpd_grouping_fini(struct xpd_grouping *grouping)
{
    free(grouping->group_of_name);
    XPD_VEC_FINI(&grouping->group_of_key);
    XPD_VEC_FINI(&grouping->group);
    XPD_VEC_FINI(&grouping->text_of_group);
    xpd_intern_fini(&grouping->key);
    xpd_arena_fini(&grouping->arena);
}

/* The group of a text; `key` is what it is called by when new. */
static uint32_t group_of_text(struct xpd_grouping *grouping, struct xpd_str text, uint32_t key)
{
    xpd_name_id id = xpd_intern_put(&grouping->key, text.data, text.size);
    while (grouping->group_of_key.count <= id && !grouping->group_of_key.failed)
        XPD_PUSH(&grouping->group_of_key, XPD_NO_INDEX);
    if (grouping->group_of_key.failed || grouping->key.failed) {
        grouping->failed = true;
        return XPD_NO_INDEX;
    }
    uint32_t *group = &grouping->group_of_key.at[id];
    if (*group == XPD_NO_INDEX) {
        struct xpd_total total = {
            .key = key, .min_ps = INT64_MAX, .flops = -1, .bytes = -1, .p50_ps = -1, .p99_ps = -1};
        XPD_PUSH(&grouping->group, total);
        XPD_PUSH(&grouping->text_of_group, id);
        if (grouping->group.failed || grouping->text_of_group.failed) {
            grouping->failed = true;
            return XPD_NO_INDEX;
        }
        *group = (uint32_t)grouping->group.count - 1;
    }
    return *group;
}

uint32_t xpd_grouping_same(struct xpd_grouping *to, const struct xpd_grouping *from, uint32_t group,
                           bool make)
{
    struct xpd_str text = xpd_intern_get(&from->key, from->text_of_group.at[group]);
    if (make)
        return group_of_text(to, text, from->group.at[group].key);
    xpd_name_id id = xpd_intern_find(&to->key, text);
    return id < to->group_of_key.count ? to->group_of_key.at[id] : XPD_NO_INDEX;
}

static uint32_t group_of_number(struct xpd_grouping *grouping, uint64_t number, uint32_t key)
{
    char text[24];
    int size = snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    return group_of_text(grouping, (struct xpd_str){text, (size_t)size}, key);
}

/* Caption and program, with a NUL between: neither text can hold one that would confuse them with
 * others more than a crafted file confuses itself. */
static uint32_t group_of_caption(struct xpd_grouping *grouping, uint32_t name)
{
    const struct xpd_event_name *at = xpd_view_name(grouping->view, name);
    struct xpd_str caption = xpd_view_caption(grouping->view, name);
    struct xpd_str program = xpd_view_text(grouping->view, name, at->program);
    char few[512], *text = few;
    size_t size = caption.size + program.size + 1;
    uint32_t group = XPD_NO_INDEX;
    if (size > sizeof few)
        text = malloc(size);
    if (text) {
        memcpy(text, caption.data, caption.size);
        text[caption.size] = '\0';
        if (program.size > 0)
            memcpy(text + caption.size + 1, program.data, program.size);
        group = group_of_text(grouping, (struct xpd_str){text, size}, name);
    } else {
        grouping->failed = true;
    }
    if (text != few)
        free(text);
    return group;
}

/* Until when a span holds that was found for a time, or that none does. `next_ps`: start of the
 * span behind it, INT64_MAX = none. */
static int64_t until(int64_t at_ps, int64_t start_ps, int64_t end_ps, int64_t next_ps)
{
    if (start_ps > at_ps)
        return start_ps - 1;
    int64_t last_ps = next_ps == INT64_MAX ? INT64_MAX : next_ps - 1;
    return at_ps <= end_ps && end_ps < last_ps ? end_ps : last_ps;
}

/* The program that runs on this device at a time. */
static uint32_t group_of_run(struct xpd_grouping *grouping, int64_t at_ps)
{
    const struct xpd_depth *runs = grouping->runs;
    grouping->until_ps = INT64_MAX;
    if (!runs || runs->count == 0)
        return group_of_text(grouping, XPD_STR(""), XPD_NO_INDEX);
    uint32_t run = grouping->run;
    uint32_t before = run;
    if (run == XPD_NO_INDEX || xpd_depth_start(runs, run) > at_ps) {
        run = xpd_depth_first_after(runs, at_ps);
        run -= run > 0;
    }
    while (run + 1 < runs->count && xpd_depth_start(runs, run + 1) <= at_ps)
        run++;
    grouping->run = run;
    grouping->until_ps = until(at_ps, xpd_depth_start(runs, run), xpd_depth_end(runs, run),
                               run + 1 < runs->count ? xpd_depth_start(runs, run + 1) : INT64_MAX);
    if (xpd_depth_start(runs, run) > at_ps ||
        xpd_depth_duration(runs, run) < at_ps - xpd_depth_start(runs, run))
        return group_of_text(grouping, XPD_STR(""), XPD_NO_INDEX);
    if (before != run || grouping->run_group == XPD_NO_INDEX)
        grouping->run_group = group_of_text(
            grouping, xpd_view_caption(grouping->view, runs->name[run]), runs->name[run]);
    return grouping->run_group;
}

static uint32_t group_of_name(struct xpd_grouping *grouping, const struct xpd_depth *depth,
                              uint32_t i)
{
    uint32_t name = depth->name[i];
    uint32_t *memo = &grouping->group_of_name[name];
    const struct xpd_event_name *at = xpd_view_name(grouping->view, name);
    if (grouping->by == XPD_BY_NAME)
        return *memo = group_of_caption(grouping, name);
    if (grouping->by == XPD_BY_ENTRY)
        return *memo = group_of_number(grouping, name, name);
    if (grouping->by == XPD_BY_CATEGORY)
        return *memo =
                   group_of_text(grouping, xpd_view_text(grouping->view, name, at->category), name);
    if (at->program != 0)
        return *memo =
                   group_of_text(grouping, xpd_view_text(grouping->view, name, at->program), name);
    *memo = XPD_GROUP_ASK;
    return group_of_run(grouping, xpd_depth_start(depth, i));
}

static uint32_t group_of_step(struct xpd_grouping *grouping, const struct xpd_depth *depth,
                              uint32_t i)
{
    const struct xpd_view *view = grouping->view;
    const struct xpd_step *all = view->derived ? view->derived->step : NULL;
    int64_t at_ps = xpd_depth_start(depth, i);
    uint32_t found = XPD_NO_INDEX;
    grouping->until_ps = INT64_MAX;
    if (view->derived && view->trace->process[grouping->process].kind == XPD_PROCESS_HOST) {
        found = depth->first_event < view->trace->event_count
                    ? xpd_step_at(view->derived, depth, i, grouping->first_step, grouping->end_step)
                    : xpd_step_of(view->derived, depth->first_event + i);
    } else if (grouping->first_step < grouping->end_step) {
        while (grouping->step + 1 < grouping->end_step && all[grouping->step + 1].start_ps <= at_ps)
            grouping->step++;
        const struct xpd_step *step = &all[grouping->step];
        if (step->start_ps <= at_ps && step->end_ps >= at_ps)
            found = grouping->step;
        grouping->until_ps =
            until(at_ps, step->start_ps, step->end_ps,
                  grouping->step + 1 < grouping->end_step ? step[1].start_ps : INT64_MAX);
    }
    if (found == grouping->step_found && grouping->step_group != XPD_NO_INDEX)
        return grouping->step_group;
    grouping->step_found = found;
    if (found == XPD_NO_INDEX)
        grouping->step_group = group_of_text(grouping, XPD_STR(""), XPD_NO_INDEX);
    else
        grouping->step_group = group_of_number(grouping, (uint64_t)all[found].number, found);
    return grouping->step_group;
}

uint32_t xpd_grouping_ask(struct xpd_grouping *grouping, const struct xpd_depth *depth, uint32_t i)
{
    if (grouping->by == XPD_BY_STEP)
        return group_of_step(grouping, depth, i);
    if (grouping->own)
        return group_of_text(grouping, xpd_view_caption(grouping->view, depth->name[i]),
                             depth->name[i]);
    if (grouping->group_of_name[depth->name[i]] == XPD_GROUP_ASK)
        return group_of_run(grouping, xpd_depth_start(depth, i));
    return group_of_name(grouping, depth, i);
}

/* What groups by time look at, found once for the rows of a process: there may be many. */
static void look_up(struct xpd_grouping *grouping)
{
    const struct xpd_view *view = grouping->view;
    if (grouping->looked_up == grouping->process)
        return;
    grouping->looked_up = grouping->process;
    grouping->runs = NULL;
    grouping->first_step = grouping->end_step = 0;
    if (grouping->by == XPD_BY_STEP && view->derived)
        xpd_steps_of(view->derived, grouping->process, &grouping->first_step, &grouping->end_step);
    if (grouping->by == XPD_BY_MODULE) {
        uint32_t runs = xpd_view_row_of_kind(view, grouping->process, XPD_ROW_MODULES);
        if (runs != XPD_NO_INDEX && xpd_view_row(view, runs)->depth_count > 0)
            grouping->runs = xpd_view_depth(view, runs, 0);
    }
}

void xpd_grouping_row(struct xpd_grouping *grouping, uint32_t row)
{
    const struct xpd_view *view = grouping->view;
    grouping->process = xpd_view_process(view, row);
    grouping->fixed = XPD_NO_INDEX;
    grouping->own =
        grouping->by == XPD_BY_MODULE && xpd_view_row(view, row)->kind == XPD_ROW_MODULES;
    if (grouping->by == XPD_BY_CHIP)
        grouping->fixed = group_of_number(grouping, grouping->process, grouping->process);
    if (grouping->by == XPD_BY_ROW)
        grouping->fixed = group_of_number(grouping, row, row);
    look_up(grouping);
    xpd_grouping_depth(grouping);
}

void xpd_grouping_depth(struct xpd_grouping *grouping)
{
    grouping->run = grouping->run_group = grouping->step_group = XPD_NO_INDEX;
    grouping->step = grouping->first_step;
}

enum { AHEAD = 12 }; /* tallies */

struct joining {
    struct xpd_totals *out;
    const struct xpd_totals_plan *plan;
    const struct xpd_view *view;
    XPD_VEC(struct xpd_totals_work) work; /* by group */
};

struct met {        /* a tally with events */
    uint64_t first; /* as in the worker: piece << 32 | index in the depth */
    uint32_t slot;
    struct xpd_totals_worker *worker;
};

static const struct xpd_depth *depth_of(const struct joining *joining, const struct met *met)
{
    const struct xpd_totals_piece *piece = &joining->plan->piece.at[met->first >> 32];
    return xpd_view_depth(joining->view, piece->row, piece->depth);
}

static void add_to_group(struct joining *joining, uint32_t group, const struct met *met)
{
    struct xpd_total *total = &joining->out->grouping->group.at[group];
    const struct xpd_tally *tally = &met->worker->tally[met->slot];
    if (total->count == 0)
        total->first_event = depth_of(joining, met)->first_event + (uint32_t)met->first;
    total->count += tally->count;
    total->device_count += tally->device_count;
    xpd_grow_i64(&total->total_ps, tally->total_ps);
    xpd_grow_i64(&total->self_ps, tally->self_ps);
    xpd_grow_i64(&total->host_ps, tally->host_ps);
    xpd_grow_i64(&total->device_ps, tally->device_ps);
    total->min_ps = tally->min_ps < total->min_ps ? tally->min_ps : total->min_ps;
    total->max_ps = tally->max_ps > total->max_ps ? tally->max_ps : total->max_ps;
}

/* False: out of memory. */
static bool add_work(struct joining *joining, uint32_t group, const struct met *met)
{
    struct xpd_totals_work none = {0, 0};
    while (joining->work.count <= group && !joining->work.failed)
        XPD_PUSH(&joining->work, none);
    if (joining->work.failed)
        return false;
    struct xpd_totals_work *sum = &joining->work.at[group];
    const struct xpd_totals_worker *worker = met->worker;
    if (worker->mode == XPD_TOTALS_NAMES) {
        struct xpd_name_work work = xpd_name_work_of(xpd_view_name(joining->view, met->slot));
        uint64_t count = worker->tally[met->slot].count;
        sum->flops += (xpd_work_sum)work.flops * count;
        sum->bytes += (xpd_work_sum)work.bytes * count;
        if (worker->work) { /* not done inside of the range */
            sum->flops -= worker->work[met->slot].flops;
            sum->bytes -= worker->work[met->slot].bytes;
        }
    } else {
        sum->flops += worker->work[met->slot].flops;
        sum->bytes += worker->work[met->slot].bytes;
    }
    return true;
}

static int by_first(const void *a, const void *b)
{
    const struct met *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* As one thread leaves them. */
static bool in_order(const struct met *met, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (met[i - 1].first > met[i].first)
            return false;
    return true;
}

/* Tallies and names are scattered in memory, so they are prefetched. */
static void come_near(const struct joining *joining, const struct met *met)
{
    __builtin_prefetch(&met->worker->tally[met->slot]);
    if (met->worker->mode == XPD_TOTALS_NAMES) {
        const struct xpd_event_name *name = xpd_view_name(joining->view, met->slot);
        __builtin_prefetch(name);
        __builtin_prefetch(&name->bytes);
    }
}

static uint32_t group_of_met(struct joining *joining, const struct met *met)
{
    struct xpd_grouping *grouping = joining->out->grouping;
    if (met->worker->mode == XPD_TOTALS_ROWS)
        return met->slot;
    if (met->worker->mode == XPD_TOTALS_TIMES)
        return xpd_grouping_same(grouping, &met->worker->grouping, met->slot, true);
    return xpd_grouping_of(grouping, depth_of(joining, met), (uint32_t)met->first);
}

/* The tallies of all threads in the order of their first events; malloc'ed. */
static struct met *tallies_in_order(struct xpd_totals_worker *worker, uint32_t threads,
                                    size_t *count)
{
    size_t total = 0, at = 0;
    for (uint32_t i = 0; i < threads; i++)
        total += worker[i].met.count;
    struct met *met = malloc((total + 1) * sizeof *met);
    for (uint32_t i = 0; met && i < threads; i++)
        for (size_t k = 0; k < worker[i].met.count; k++, at++) {
            uint32_t slot = worker[i].met.at[k];
            met[at] = (struct met){worker[i].first[slot], slot, &worker[i]};
        }
    if (met && !in_order(met, total))
        qsort(met, total, sizeof *met, by_first);
    *count = total;
    return met;
}

static bool join(struct joining *joining, struct xpd_totals_worker *worker, uint32_t threads)
{
    size_t count;
    struct met *met = tallies_in_order(worker, threads, &count);
    struct xpd_grouping *grouping = joining->out->grouping;
    if (!met)
        return false;
    for (size_t i = 0; i < count && !grouping->failed; i++) {
        if (i + AHEAD < count)
            come_near(joining, &met[i + AHEAD]);
        uint32_t group = group_of_met(joining, &met[i]);
        if (group >= grouping->group.count)
            break; /* out of memory: the grouping says so */
        add_to_group(joining, group, &met[i]);
        if (!add_work(joining, group, &met[i]))
            grouping->failed = true;
    }
    free(met);
    return !grouping->failed;
}

/* Nothing at all is unknown, unless the group's own name says that it is nothing. */
static void finish_work(const struct xpd_totals_ask *ask, struct xpd_total *total)
{
    bool named = ask->by <= XPD_BY_MODULE && total->key != XPD_NO_INDEX;
    const struct xpd_event_name *name = named ? xpd_view_name(ask->view, total->key) : NULL;
    if (total->flops == 0 && (!name || name->half || name->flops < 0))
        total->flops = -1;
    if (total->bytes == 0 && (!name || name->half || name->bytes < 0))
        total->bytes = -1;
}

static void add_up(struct xpd_total *all, const struct xpd_total *group)
{
    if (all->count == 0 || group->first_event < all->first_event)
        all->first_event = group->first_event;
    all->count += group->count;
    all->device_count += group->device_count;
    xpd_grow_i64(&all->total_ps, group->total_ps);
    xpd_grow_i64(&all->self_ps, group->self_ps);
    xpd_grow_i64(&all->host_ps, group->host_ps);
    xpd_grow_i64(&all->device_ps, group->device_ps);
    all->min_ps = group->min_ps < all->min_ps ? group->min_ps : all->min_ps;
    all->max_ps = group->max_ps > all->max_ps ? group->max_ps : all->max_ps;
    if (group->flops >= 0)
        all->flops = (all->flops < 0 ? 0 : all->flops) + group->flops;
    if (group->bytes >= 0)
        all->bytes = (all->bytes < 0 ? 0 : all->bytes) + group->bytes;
}

/* The groups stay where the grouping put them: percentiles find the same indexes. */
static void take_groups(struct joining *joining)
{
    struct xpd_totals *out = joining->out;
    struct xpd_grouping *grouping = out->grouping;
    out->group = grouping->group.at;
    out->group_count = (uint32_t)grouping->group.count;
    out->all =
        (struct xpd_total){.key = XPD_NO_INDEX, .min_ps = INT64_MAX, .flops = -1, .bytes = -1};
    for (uint32_t i = 0; i < out->group_count; i++)
        if (out->group[i].count > 0) {
            out->group[i].flops = (double)joining->work.at[i].flops;
            out->group[i].bytes = (double)joining->work.at[i].bytes;
            finish_work(joining->plan->ask, &out->group[i]);
            add_up(&out->all, &out->group[i]);
        }
}

bool xpd_totals_groups(struct xpd_totals *out, struct xpd_totals_worker *worker, uint32_t threads)
{
    const struct xpd_totals_plan *plan = worker->plan;
    struct joining joining = {.out = out, .plan = plan, .view = plan->ask->view};
    bool fine = join(&joining, worker, threads);
    if (fine)
        take_groups(&joining);
    XPD_VEC_FINI(&joining.work);
    return fine;
}
