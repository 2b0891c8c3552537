/* Launch Stats of a GPU: for each step one bar over the launches that its host
 * threads made for this device, and in its full name how many there were and how long they took.
 *
 * In: host events with device_id, correlation_id and a group, whose names do not begin with "cu"
 * (those are the driver's own calls inside of them). Their stats are read once for all devices. */
#include "derive.h"
#include <stdio.h>

static bool is_driver_call(struct xpd_str name)
{
    return name.size >= 2 && memcmp(name.data, "cu", 2) == 0;
}

enum needed { DEVICE, CORRELATION, NEEDED_COUNT }; /* stats of a launch */
static const char *const needed_name[NEEDED_COUNT] = {"device_id", "correlation_id"};

struct asking { /* of the host events of a process */
    struct xpd_deriving *deriving;
    struct xpd_event_reader reader; /* by enum needed */
    bool *is_driver;                /* by name */
};

static bool says_launch(struct asking *asking, const struct xpd_depth *depth, uint32_t i,
                        uint64_t *device)
{
    uint64_t correlation;
    const struct xpd_event_said *said = xpd_event_reader_at(&asking->reader, depth, i);
    return said && xpd_said_integer(said, DEVICE, device) &&
           xpd_said_integer(said, CORRELATION, &correlation);
}

static void collect_depth(struct asking *asking, const struct xpd_depth *depth)
{
    struct xpd_deriving *deriving = asking->deriving;
    const struct xpd_event_groups *groups = deriving->out->groups;
    for (uint32_t i = 0; i < depth->count && !deriving->failed; i++) {
        uint32_t group = xpd_groups_at(groups, deriving->trace, depth, i);
        uint64_t device;
        if (group == XPD_NO_GROUP || (group >= groups->known && !groups->from_file) ||
            asking->is_driver[depth->name[i]] || !says_launch(asking, depth, i, &device))
            continue;
        struct xpd_launch launch = {.device = device,
                                    .group = group,
                                    .event = depth->first_event + i,
                                    .start_ps = xpd_depth_start(depth, i),
                                    .end_ps = xpd_depth_end(depth, i)};
        XPD_PUSH(&deriving->launch, launch);
        deriving->failed |= deriving->launch.failed;
    }
}

static void collect_process(struct asking *asking, const struct xpd_trace_process *process)
{
    const struct xpd_trace *trace = asking->deriving->trace;
    for (uint32_t r = process->first_row; r < process->first_row + process->row_count; r++)
        for (uint32_t d = 0; trace->row[r].kind == XPD_ROW_LINE && d < trace->row[r].depth_count;
             d++)
            collect_depth(asking, &trace->depth[trace->row[r].first_depth + d]);
}

static bool tells(const struct xpd_trace *trace, uint32_t plane)
{
    struct xpd_stat_ids ids;
    xpd_stat_ids_init(&ids, &trace->tables[plane], &trace->names, needed_name, NEEDED_COUNT);
    return ids.known == (1u << DEVICE | 1u << CORRELATION);
}

static int by_group(const void *a, const void *b)
{
    const struct xpd_launch *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->start_ps != y->start_ps ? (x->start_ps < y->start_ps ? -1 : 1)
                                      : (x->event > y->event) - (x->event < y->event);
}

static void collect(struct xpd_deriving *deriving)
{
    const struct xpd_trace *trace = deriving->trace;
    struct asking asking = {.deriving = deriving,
                            .is_driver = calloc((size_t)trace->name_count + 1, 1)};
    deriving->failed |= !xpd_event_reader_init(&asking.reader, trace, needed_name, NEEDED_COUNT) ||
                        !asking.is_driver;
    for (uint32_t i = 0; i < trace->name_count && !deriving->failed; i++)
        asking.is_driver[i] = is_driver_call(xpd_intern_get(&trace->names, trace->name[i].caption));
    for (uint32_t p = 0; p < trace->process_count && !deriving->failed; p++)
        if (trace->process[p].kind == XPD_PROCESS_HOST && tells(trace, trace->process[p].plane))
            collect_process(&asking, &trace->process[p]);
    xpd_event_reader_fini(&asking.reader);
    free(asking.is_driver);
    if (deriving->launch.count > 1)
        qsort(deriving->launch.at, deriving->launch.count, sizeof *deriving->launch.at, by_group);
    deriving->launches_known = true;
}

static void draw(struct xpd_deriving *deriving, struct xpd_builder *row,
                 const struct xpd_launch *launch, size_t count)
{
    const struct xpd_groups_made *made = &deriving->groups;
    struct xpd_arena *arena = &deriving->out->arena;
    const char *caption, *name;
    const struct xpd_depth *depth;
    uint32_t index;
    int64_t end_ps = launch[0].end_ps, longest_ps = 0;
    double sum_ps = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t took_ps = launch[i].end_ps - launch[i].start_ps;
        end_ps = launch[i].end_ps > end_ps ? launch[i].end_ps : end_ps;
        longest_ps = took_ps > longest_ps ? took_ps : longest_ps;
        sum_ps += (double)took_ps;
    }
    if (launch[0].group < made->group_name.count) {
        struct xpd_str group = xpd_intern_get(made->names, made->group_name.at[launch[0].group]);
        caption = xpd_arena_printf(arena, "Launch Stats for %.*s",
                                   (int)(group.size < 4096 ? group.size : 4096), group.data);
    } else {
        caption = xpd_arena_printf(arena, "Launch Stats for %u", launch[0].group);
    }
    name = xpd_arena_printf(arena, "%s: %zu launches, longest %.3f us, mean %.3f us",
                            caption ? caption : "", count, (double)longest_ps / 1e6,
                            sum_ps / (double)count / 1e6);
    if (!caption || !name) {
        deriving->failed = true;
        return;
    }
    if (xpd_trace_find(deriving->trace, launch[0].event, &depth, &index))
        xpd_builder_draw(
            row, depth, index, end_ps,
            xpd_derive_name(deriving, xpd_str_of(caption), xpd_str_of(name), XPD_OP_NONE), 0);
    struct xpd_launch_stats stats = {
        .event = launch[0].event, .count = count, .longest_ps = longest_ps, .sum_ps = sum_ps};
    XPD_PUSH(&deriving->launch_stats, stats);
    deriving->failed |= deriving->launch_stats.failed;
}

static int by_event(const void *a, const void *b)
{
    const struct xpd_launch_stats *x = a, *y = b;
    return (x->event > y->event) - (x->event < y->event);
}

void xpd_derive_launches_keep(struct xpd_deriving *deriving)
{
    struct xpd_derived *out = deriving->out;
    size_t count = deriving->launch_stats.count;
    out->launch = XPD_COPY_VEC(&out->arena, &deriving->launch_stats);
    if (!out->launch || count == 0 || count >= UINT32_MAX)
        return;
    qsort(out->launch, count, sizeof *out->launch, by_event);
    out->launch_count = (uint32_t)count;
}

void xpd_derive_launches(struct xpd_deriving *deriving, uint32_t process)
{
    int64_t device = deriving->trace->process[process].device;
    struct xpd_builder row = {.gpu = true};
    xpd_builder_from(&row, deriving->trace->depth, deriving->trace->depth_count);
    if (!deriving->launches_known)
        collect(deriving);
    const struct xpd_launch *launch = deriving->launch.at;
    for (size_t first = 0; first < deriving->launch.count;) {
        size_t end = first;
        while (end < deriving->launch.count && launch[end].device == launch[first].device &&
               launch[end].group == launch[first].group)
            end++;
        if (device >= 0 && launch[first].device == (uint64_t)device)
            draw(deriving, &row, &launch[first], end - first);
        first = end;
    }
    xpd_derive_row(
        deriving, process, XPD_DERIVED_ID + 1, XPD_STR("Launch Stats"), XPD_ROW_LAUNCH_STATS,
        "From the host's launches for this device: the first to the last one of a step", &row);
    xpd_builder_fini(&row);
}
