/* Percentiles of operations. In: rows and the executions of their hosts. Out: the rows with
 * percentiles. Those of a host where each event is an execution are a part that is made once. */
#include "ops_spread.h"
#include "ops_kernels.h"
#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/map64.h"
#include "xprofd/base/vec.h"
#include "xprofd/session/part.h"
#include "xprofd/trace/kernel_details.h"
#include "xprofd/trace/op_loose.h"
#include <stdlib.h>
#include <string.h>

/* Kernels of an operation. In: its executions, the events of the trace that begin when they do.
 * Out: those that are alike, added up. */

XPD_RECORD_TABLE(xpd_ops_kernel_row, XPD_OPS_KERNEL_FIELDS)

struct kernels {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_trace *trace;
    struct xpd_str op;
    enum xpd_op_loose loose;
    struct xpd_strbuf text; /* of one name */
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

static bool is_named(const struct xpd_stat_value *stat, const char *name)
{
    return xpd_str_eq(stat->name, xpd_str_of(name));
}

/* Of an event that names no program: whether it is of the operation (op_loose.h). */
static bool is_loose(struct kernels *k, struct xpd_str name, const struct xpd_stat_value *stat,
                     uint32_t count)
{
    struct xpd_loose_event event = {
        .name = name, .tf_op = XPD_STR(""), .memcpy_details = XPD_STR("")};
    struct xpd_str level = XPD_STR("");
    bool op = false, program = false;
    for (uint32_t i = 0; i < count; i++) {
        op |= is_named(&stat[i], "hlo_op");
        program |= is_named(&stat[i], "program_id") || is_named(&stat[i], "hlo_module");
        event.kernel |=
            is_named(&stat[i], "kernel_details") || is_named(&stat[i], "cuda_graph_exec_id");
        event.copy |= is_named(&stat[i], "memset_details");
        if (is_named(&stat[i], "tf_op"))
            event.tf_op = stat[i].text;
        else if (is_named(&stat[i], "level 0"))
            level = stat[i].text;
        else if (is_named(&stat[i], "memcpy_details")) {
            event.memcpy_details = stat[i].text;
            event.copy = true;
        }
    }
    event.tf_op = event.tf_op.size > 0 ? event.tf_op : level;
    if ((op && program) || xpd_op_loose_of(&event) != k->loose)
        return false;
    xpd_strbuf_clear(&k->text);
    xpd_op_loose_name(&k->text, &event, k->loose);
    return xpd_str_eq((struct xpd_str){k->text.data, k->text.size}, k->op);
}

static struct said read_event(struct kernels *k, uint64_t event, struct xpd_str name)
{
    struct xpd_stat_value *stat;
    uint32_t count = 0, from_metadata;
    struct said said = {.occupancy_percent = -1};
    xpd_arena_reset(&k->stats);
    (void)xpd_trace_stats(k->trace, event, &k->stats, &stat, &count, &from_metadata, NULL);
    if (k->loose)
        said.is_op = is_loose(k, name, stat, count);
    for (uint32_t i = 0; i < count; i++)
        if (!k->loose && is_named(&stat[i], "hlo_op"))
            said.is_op = xpd_str_eq(xpd_op_innermost(stat[i].text), k->op);
        else if (is_named(&stat[i], "kernel_details"))
            xpd_kernel_details(&said.launch, stat[i].text);
        else if (is_named(&stat[i], "theoretical_occupancy_pct"))
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
    struct xpd_str name = xpd_intern_get(&k->trace->names, k->trace->name[depth->name[i]].caption);
    struct said said = read_event(k, depth->first_event + i, name);
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
    int64_t ps = xpd_depth_duration(depth, i);
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
            XPD_BISECT(i, depth->count, at, xpd_depth_start(depth, at) < start_ps);
            for (; i < depth->count && xpd_depth_start(depth, i) == start_ps; i++)
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
    struct kernels k = {.ctx = ctx, .trace = source->trace, .loose = source->loose};
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
    bool ok = !k.row.failed && !k.text.failed && !ctx->arena->failed;
    XPD_VEC_FINI(&k.row);
    xpd_strbuf_fini(&k.text);
    xpd_arena_fini(&k.stats);
    return ok ? XPD_OK : xpd_tools_no_memory(err);
}

/* ---- one event ---- */

/* By its name, or by its stat where names are those of kernels. */
static bool is_of(struct kernels *k, const struct xpd_depth *depth, uint32_t i)
{
    const struct xpd_event_name *name = &k->trace->name[depth->name[i]];
    if (k->loose == XPD_LOOSE_THREADS)
        return name->tf && xpd_str_eq(xpd_intern_get(&k->trace->names, name->name), k->op);
    if (!k->loose && xpd_str_eq(xpd_op_instruction(k->trace, name), k->op))
        return true;
    struct xpd_str caption = xpd_intern_get(&k->trace->names, name->caption);
    return read_event(k, depth->first_event + i, caption).is_op;
}

int64_t xpd_tools_ops_event(const struct xpd_ops_source *source, uint32_t process,
                            struct xpd_str op, int64_t start_ps)
{
    struct kernels k = {.trace = source->trace, .op = op, .loose = source->loose};
    const struct xpd_trace_process *of = &k.trace->process[process];
    int64_t found = -1;
    for (uint32_t r = of->first_row; found < 0 && r < of->first_row + of->row_count; r++) {
        const struct xpd_trace_row *row = &k.trace->row[r];
        if (row->derived || !xpd_row_touches(row, start_ps, start_ps))
            continue;
        for (uint32_t d = 0; found < 0 && d < row->depth_count; d++) {
            const struct xpd_depth *depth = &k.trace->depth[row->first_depth + d];
            uint32_t i = 0;
            XPD_BISECT(i, depth->count, at, xpd_depth_start(depth, at) < start_ps);
            for (; found < 0 && i < depth->count && xpd_depth_start(depth, i) == start_ps; i++)
                if (is_of(&k, depth, i))
                    found = (int64_t)(depth->first_event + i);
        }
    }
    xpd_strbuf_fini(&k.text);
    xpd_arena_fini(&k.stats);
    return found;
}

/* ---- time by kernel ---- */

struct cursor { /* in the events of one depth of a stream */
    const struct xpd_depth *depth;
    uint32_t at;
};

struct by_kernel {
    const struct xpd_op_row **row; /* by op of the host's times; NULL: it is not asked for */
    const struct xpd_trace *trace;
    struct xpd_map64 found; /* by op and name */
    XPD_VEC(struct cursor) cursor;
    XPD_VEC(struct xpd_ops_kernel_time) time;
};

static void open_streams(struct by_kernel *k, uint32_t process)
{
    const struct xpd_trace_process *of = &k->trace->process[process];
    k->cursor.count = 0;
    for (uint32_t r = of->first_row; r < of->first_row + of->row_count; r++) {
        const struct xpd_trace_row *row = &k->trace->row[r];
        for (uint32_t d = 0; !row->derived && row->kind == XPD_ROW_STREAM && d < row->depth_count;
             d++)
            XPD_PUSH(&k->cursor, ((struct cursor){&k->trace->depth[row->first_depth + d], 0}));
    }
}

/* What the event is called that the execution is, among the names of the trace. Executions come in
 * order of start, so that each depth is gone through once; of several events that begin together
 * the one of the same length. */
static xpd_name_id take_event(struct by_kernel *k, int64_t start_ps, int64_t duration_ps)
{
    struct cursor *taken = NULL;
    for (size_t c = 0; c < k->cursor.count; c++) {
        struct cursor *at = &k->cursor.at[c];
        while (at->at < at->depth->count && xpd_depth_start(at->depth, at->at) < start_ps)
            at->at++;
        if (at->at == at->depth->count || xpd_depth_start(at->depth, at->at) != start_ps)
            continue;
        bool same = xpd_depth_duration(at->depth, at->at) == duration_ps;
        taken = !taken || same ? at : taken;
        if (same)
            break;
    }
    return taken ? k->trace->name[taken->depth->name[taken->at++]].caption : XPD_NO_NAME;
}

static void add_time(struct by_kernel *k, uint32_t op, xpd_name_id name, int64_t self_ps)
{
    uint64_t key = (uint64_t)op << 32 | name;
    uint32_t at = xpd_map64_get(&k->found, key);
    if (at == XPD_NO_INDEX) {
        struct xpd_str kernel = name == XPD_NO_NAME ? XPD_STR("no event of its own")
                                                    : xpd_intern_get(&k->trace->names, name);
        at = (uint32_t)k->time.count;
        XPD_PUSH(&k->time, ((struct xpd_ops_kernel_time){k->row[op], kernel, 0}));
        xpd_map64_put(&k->found, key, at);
    }
    if (!k->time.failed)
        xpd_grow_i64(&k->time.at[at].self_ps, self_ps);
}

static void add_range_times(struct by_kernel *k, const struct xpd_op_device_runs *device,
                            uint32_t first, uint32_t end)
{
    uint32_t hint = 0;
    for (uint32_t i = first; i < end; i++) {
        uint32_t op = device->op[i];
        int64_t self_ps = xpd_op_run_self_ps(device, i, &hint);
        if (k->row[op])
            add_time(k, op, take_event(k, device->start_ps[i], device->duration_ps[i]), self_ps);
    }
}

static int add_host(struct by_kernel *k, const struct xpd_ops_source *source,
                    const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    const struct xpd_op_runs *runs;
    int rc =
        xpd_store_op_runs(ctx->store, ctx->run, source->host, ctx->wait_ms, &runs, ctx->state, err);
    k->trace = source->trace;
    xpd_map64_fini(&k->found);
    k->found = (struct xpd_map64){0};
    for (uint32_t d = 0; rc == XPD_OK && d < runs->device_count; d++) {
        open_streams(k, runs->times->device[d].process);
        if (!source->range)
            add_range_times(k, &runs->device[d], 0, runs->device[d].count);
        for (uint32_t i = 0; i < source->range_count; i++)
            if (source->range[i].device == d)
                add_range_times(k, &runs->device[d], source->range[i].first, source->range[i].end);
    }
    return rc;
}

/* Rows of the lines on a host, by op of its times; NULL without memory. */
static const struct xpd_op_row **rows_by_op(const struct xpd_ops_lines *lines,
                                            const struct xpd_ops_found *found,
                                            const struct xpd_op_times *times,
                                            struct xpd_arena *arena)
{
    const struct xpd_op_row **row =
        XPD_NEW_ARRAY(arena, const struct xpd_op_row *, (size_t)times->op_count + 1);
    for (uint32_t i = 0; row && i < lines->count; i++) {
        const struct xpd_ops_program *of = &found->program[lines->at[i].row->program];
        if (of->times == times && of->kernels)
            row[lines->at[i].row->op - times->op] = lines->at[i].row;
    }
    return row;
}

int xpd_tools_ops_kernel_times(struct xpd_ops_kernel_times *out, const struct xpd_ops_lines *lines,
                               const struct xpd_ops_found *found, const struct xpd_tool_ctx *ctx,
                               struct xpd_err *err)
{
    struct by_kernel k = {0};
    int rc = XPD_OK;
    for (uint32_t p = 0; rc == XPD_OK && p < found->program_count; p++) {
        uint32_t same = 0; /* a program of the same host: its times are the same */
        while (found->program[same].times != found->program[p].times)
            same++;
        if (same < p)
            continue;
        k.row = rows_by_op(lines, found, found->program[p].times, ctx->arena);
        rc = k.row ? add_host(&k, &found->source[p], ctx, err) : xpd_tools_no_memory(err);
    }
    *out = (struct xpd_ops_kernel_times){.at = XPD_COPY_VEC(ctx->arena, &k.time),
                                         .count = (uint32_t)k.time.count};
    if (rc == XPD_OK && (!out->at || k.time.failed || k.cursor.failed || k.found.failed))
        rc = xpd_tools_no_memory(err);
    xpd_map64_fini(&k.found);
    XPD_VEC_FINI(&k.cursor);
    XPD_VEC_FINI(&k.time);
    return rc;
}

/* ---- of a host, made once ---- */

struct kept {
    uint32_t count;
    struct xpd_op_spread at[]; /* by op */
};

/* Of chosen executions: all of them where there are no ranges. */
static int spread_of(struct xpd_op_spread *out, const struct xpd_op_runs *runs,
                     const struct xpd_op_range *range, uint32_t count, const uint32_t *kernels,
                     struct xpd_err *err)
{
    if (range)
        return xpd_op_spread_make(out, runs, range, count, kernels, err);
    struct xpd_op_range *all = calloc((size_t)runs->device_count + 1, sizeof *all);
    if (!all)
        return xpd_tools_no_memory(err);
    xpd_op_ranges_all(all, runs);
    int rc = xpd_op_spread_make(out, runs, all, runs->device_count, kernels, err);
    free(all);
    return rc;
}

static int make(void **out, const struct xpd_part_from *from, struct xpd_err *err)
{
    const struct xpd_op_runs *runs = from->need[0];
    uint32_t n = runs->times->op_count;
    struct kept *kept = malloc(sizeof *kept + (size_t)n * sizeof *kept->at);
    int rc = kept ? spread_of(kept->at, runs, NULL, 0, NULL, err) : xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        kept->count = n;
    else
        free(kept);
    *out = rc == XPD_OK ? kept : NULL;
    return rc;
}

static uint64_t bytes_of(const void *made)
{
    const struct kept *kept = made;
    return sizeof *kept + (uint64_t)kept->count * sizeof *kept->at;
}

static const struct xpd_part_kind part = {.doing = "ordering the executions by time",
                                          .needs = {&xpd_part_op_runs},
                                          .from_needs = true,
                                          .event_bytes = 8, /* meanwhile */
                                          .make = make,
                                          .bytes = bytes_of,
                                          .free = free};

/* ---- of an answer ---- */

/* By op of the times that `program` is of: kernels of an execution. NULL with *fails unset: one
 * each. */
static const uint32_t *kernels_of(const struct xpd_ops_found *found, uint32_t program,
                                  struct xpd_arena *arena, bool *fails)
{
    const struct xpd_op_times *times = found->program[program].times;
    uint32_t *kernels = NULL;
    for (uint32_t i = 0; i < found->ops.count && !*fails; i++) {
        const struct xpd_op_row *row = &found->ops.row[i];
        if (row->kernels == 1 || found->program[row->program].times != times)
            continue;
        kernels = kernels ? kernels : XPD_NEW_ARRAY(arena, uint32_t, times->op_count);
        *fails = kernels == NULL;
        if (kernels)
            kernels[row->op - times->op] = row->kernels;
    }
    return kernels;
}

static int spread_program(const struct xpd_op_spread **out, const struct xpd_ops_found *found,
                          uint32_t program, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    const struct xpd_ops_source *source = &found->source[program];
    const struct xpd_op_runs *runs = NULL;
    const void *made = NULL;
    bool fails = false;
    const uint32_t *kernels = kernels_of(found, program, ctx->arena, &fails);
    if (fails)
        return xpd_tools_no_memory(err);
    if (!kernels && !source->range) {
        int rc = xpd_store_part(ctx->store, ctx->run, source->host, &part, ctx->wait_ms, &made,
                                ctx->state, err);
        *out = rc == XPD_OK ? ((const struct kept *)made)->at : NULL;
        return rc;
    }
    int rc =
        xpd_store_op_runs(ctx->store, ctx->run, source->host, ctx->wait_ms, &runs, ctx->state, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_op_spread *spread =
        XPD_NEW_ARRAY(ctx->arena, struct xpd_op_spread, runs->times->op_count);
    *out = spread;
    return spread ? spread_of(spread, runs, source->range, source->range_count, kernels, err)
                  : xpd_tools_no_memory(err);
}

int xpd_tools_ops_spread(struct xpd_ops_found *found, const struct xpd_tool_ctx *ctx,
                         struct xpd_err *err)
{
    uint32_t n = found->program_count;
    const struct xpd_op_spread **spread =
        XPD_NEW_ARRAY(ctx->arena, const struct xpd_op_spread *, n);
    int rc = spread ? XPD_OK : xpd_tools_no_memory(err);
    for (uint32_t i = 0; rc == XPD_OK && i < n; i++) {
        uint32_t same = 0; /* a program of the same host */
        while (found->source[same].host != found->source[i].host)
            same++;
        if (same < i)
            spread[i] = spread[same];
        else
            rc = spread_program(&spread[i], found, i, ctx, err);
    }
    if (rc == XPD_OK)
        xpd_ops_spread(&found->ops, found->program, spread);
    return rc;
}

int xpd_tools_ops_side_by_side(int64_t *out, const struct xpd_ops_found *found,
                               const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    int rc = XPD_OK;
    *out = 0;
    for (uint32_t i = 0; rc == XPD_OK && i < found->program_count; i++) {
        const struct xpd_op_runs *runs = NULL;
        uint32_t same = 0;
        while (found->source[same].host != found->source[i].host)
            same++;
        if (same < i)
            continue;
        rc = xpd_store_op_runs(ctx->store, ctx->run, found->source[i].host, ctx->wait_ms, &runs,
                               ctx->state, err);
        for (uint32_t d = 0; rc == XPD_OK && d < runs->device_count; d++)
            xpd_grow_i64(out, runs->device[d].side_by_side_ps);
    }
    return rc;
}
