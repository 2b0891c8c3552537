/* Kernels of an operation. In: its executions, the events of the trace that begin when they do.
 * Out: those that are alike, added up. */
#include "ops_kernels.h"
#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/vec.h"
#include "xprofd/trace/kernel_details.h"

#include <string.h>

XPD_RECORD_TABLE(xpd_ops_kernel_row, XPD_OPS_KERNEL_FIELDS)

struct kernels {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_trace *trace;
    struct xpd_str op;
    struct xpd_arena stats; /* of one event */
    XPD_VEC(struct xpd_ops_kernel_row) row;
    int64_t events;
};

/* What the stats of an event say; false: it is none of this operation. */
struct said {
    bool is_op;
    double occupancy_percent; /* a stat of its own; -1 */
    struct xpd_kernel_details launch;
};

static struct said read_event(struct kernels *k, uint64_t event)
{
    struct xpd_stat_value *stat;
    uint32_t count = 0, from_metadata;
    struct said said = {.occupancy_percent = -1};
    xpd_arena_reset(&k->stats);
    (void)xpd_trace_stats(k->trace, event, &k->stats, &stat, &count, &from_metadata, NULL);
    for (uint32_t i = 0; i < count; i++)
        if (xpd_str_eq(stat[i].name, XPD_STR("hlo_op")))
            said.is_op = xpd_str_eq(xpd_op_innermost(stat[i].text), k->op);
        else if (xpd_str_eq(stat[i].name, XPD_STR("kernel_details")))
            xpd_kernel_details(&said.launch, stat[i].text);
        else if (xpd_str_eq(stat[i].name, XPD_STR("theoretical_occupancy_pct")))
            said.occupancy_percent =
                stat[i].type == XPD_STAT_DOUBLE ? stat[i].real : (double)stat[i].integer;
    return said;
}

static struct xpd_str triple(struct xpd_arena *arena, const struct xpd_kernel_details *launch,
                             const uint32_t of[3])
{
    bool known = launch->has_launch && of[0] > 0 && of[1] > 0 && of[2] > 0;
    const char *text =
        known ? xpd_arena_printf(arena, "%" PRIu32 ",%" PRIu32 ",%" PRIu32, of[0], of[1], of[2])
              : "";
    return xpd_str_of(text ? text : "");
}

/* ROCm writes 0 where it computed none. */
static double occupancy(const struct said *said)
{
    double percent =
        said->occupancy_percent >= 0 ? said->occupancy_percent : said->launch.occupancy_percent;
    return percent > 0 && percent <= 100 ? percent / 100 : -1;
}

static struct xpd_ops_kernel_row row_of(const struct kernels *k, const struct said *said,
                                        struct xpd_str name)
{
    const struct xpd_kernel_details *launch = &said->launch;
    return (struct xpd_ops_kernel_row){
        .name = name,
        .min_ps = INT64_MAX,
        .grid = triple(k->ctx->arena, launch, launch->grid),
        .block = triple(k->ctx->arena, launch, launch->block),
        .registers = launch->has_registers ? (int64_t)launch->registers : -1,
        .shared_bytes = launch->has_shared ? (int64_t)launch->static_shared_bytes +
                                                 launch->dynamic_shared_bytes + launch->shared_bytes
                                           : -1,
        .occupancy_share = occupancy(said)};
}

static bool alike(const struct xpd_ops_kernel_row *a, const struct xpd_ops_kernel_row *b)
{
    return xpd_str_eq(a->name, b->name) && xpd_str_eq(a->grid, b->grid) &&
           xpd_str_eq(a->block, b->block) && a->registers == b->registers &&
           a->shared_bytes == b->shared_bytes;
}

static void add_event(struct kernels *k, const struct xpd_depth *depth, uint32_t i)
{
    struct said said = read_event(k, depth->first_event + i);
    struct xpd_str name = xpd_intern_get(&k->trace->names, k->trace->name[depth->name[i]].caption);
    size_t at = 0;
    if (!said.is_op)
        return;
    struct xpd_ops_kernel_row row = row_of(k, &said, name);
    while (at < k->row.count && !alike(&k->row.at[at], &row))
        at++;
    if (at == k->row.count)
        XPD_PUSH(&k->row, row);
    if (k->row.failed)
        return;
    struct xpd_ops_kernel_row *to = &k->row.at[at];
    int64_t ps = depth->duration_ps[i];
    k->events++;
    to->count++;
    xpd_grow_i64(&to->total_ps, ps);
    to->min_ps = ps < to->min_ps ? ps : to->min_ps;
    to->max_ps = ps > to->max_ps ? ps : to->max_ps;
}

/* Events of a process that begin at a moment, on whichever stream. */
static void add_at(struct kernels *k, uint32_t process, int64_t start_ps)
{
    const struct xpd_trace_process *of = &k->trace->process[process];
    for (uint32_t r = of->first_row; r < of->first_row + of->row_count; r++) {
        const struct xpd_trace_row *row = &k->trace->row[r];
        if (row->derived || row->kind != XPD_ROW_STREAM ||
            !xpd_row_touches(row, start_ps, start_ps))
            continue;
        for (uint32_t d = 0; d < row->depth_count; d++) {
            const struct xpd_depth *depth = &k->trace->depth[row->first_depth + d];
            uint32_t i = 0;
            XPD_BISECT(i, depth->count, at, depth->start_ps[at] < start_ps);
            for (; i < depth->count && depth->start_ps[i] == start_ps; i++)
                add_event(k, depth, i);
        }
    }
}

static int most_first(const void *a, const void *b)
{
    const struct xpd_ops_kernel_row *x = a, *y = b;
    if (x->total_ps != y->total_ps)
        return x->total_ps > y->total_ps ? -1 : 1;
    return xpd_str_order(x->name, y->name);
}

int xpd_tools_ops_kernels(struct xpd_ops_kernels_of *out, const struct xpd_tool_ctx *ctx,
                          const struct xpd_ops_source *source, const struct xpd_op_runs *runs,
                          const struct xpd_op *op, struct xpd_err *err)
{
    struct kernels k = {.ctx = ctx, .trace = source->trace};
    uint32_t of = (uint32_t)(op - runs->times->op);
    k.op = xpd_intern_get(&runs->times->names, op->name);
    for (uint32_t d = 0; d < runs->device_count; d++) {
        const struct xpd_op_device_runs *device = &runs->device[d];
        uint32_t process = runs->times->device[d].process;
        int64_t last_ps = INT64_MIN, first = k.events;
        if (k.trace->process[process].kind != XPD_PROCESS_GPU)
            continue;
        for (uint32_t i = 0; i < device->count && k.events - first < XPD_KERNEL_EVENTS_MOST; i++)
            if (device->op[i] == of && device->start_ps[i] != last_ps)
                add_at(&k, process, last_ps = device->start_ps[i]);
    }
    if (k.row.count > 1)
        qsort(k.row.at, k.row.count, sizeof *k.row.at, most_first);
    for (size_t i = 0; i < k.row.count; i++)
        k.row.at[i].mean_ps = (double)k.row.at[i].total_ps / (double)k.row.at[i].count;
    *out = (struct xpd_ops_kernels_of){
        .at = XPD_COPY_VEC(ctx->arena, &k.row), .count = (uint32_t)k.row.count, .events = k.events};
    bool ok = !k.row.failed && !ctx->arena->failed;
    XPD_VEC_FINI(&k.row);
    xpd_arena_fini(&k.stats);
    return ok ? XPD_OK : xpd_tools_no_memory(err);
}
