/* Kernels of an operation. In: its executions, the events of the trace that begin when they do.
 * Out: those that are alike, added up. */
#include "xprofd/ops/op_kernels.h"

#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/vec.h"
#include "xprofd/trace/kernel_details.h"
#include "xprofd/trace/op_loose.h"

#include <stdlib.h>

struct kernels {
    const struct xpd_trace *trace;
    struct xpd_str op;
    enum xpd_op_loose loose;
    struct xpd_strbuf text; /* of one name */
    struct xpd_arena stats; /* of one event */
    XPD_VEC(struct xpd_op_kernel) row;
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

/* All zero where one of them is not known. */
static void put_triple(uint32_t to[3], const struct xpd_kernel_details *launch,
                       const uint32_t of[3])
{
    if (launch->has_launch && of[0] > 0 && of[1] > 0 && of[2] > 0)
        memcpy(to, of, 3 * sizeof *to);
}

/* ROCm writes 0 where it computed none. */
static double occupancy(const struct said *said)
{
    double percent =
        said->occupancy_percent >= 0 ? said->occupancy_percent : said->launch.occupancy_percent;
    return percent > 0 && percent <= 100 ? percent / 100 : -1;
}

/* More than a thread of any GPU has. ROCm's tracer in older JAX does not fill in registers and
 * shared memory of a kernel: 2,191,500,840 and 32,462 are the halves of a pointer. */
#define REGISTERS_MOST 512

static struct xpd_op_kernel row_of(const struct said *said, struct xpd_str name)
{
    const struct xpd_kernel_details *launch = &said->launch;
    bool filled = launch->registers <= REGISTERS_MOST;
    struct xpd_op_kernel row = {
        .name = name,
        .min_ps = INT64_MAX,
        .registers = launch->has_registers && filled ? (int64_t)launch->registers : -1,
        .shared_bytes = launch->has_shared && filled
                            ? (int64_t)launch->static_shared_bytes + launch->dynamic_shared_bytes +
                                  launch->shared_bytes
                            : -1,
        .occupancy_share = occupancy(said)};
    put_triple(row.grid, launch, launch->grid);
    put_triple(row.block, launch, launch->block);
    return row;
}

static bool alike(const struct xpd_op_kernel *a, const struct xpd_op_kernel *b)
{
    return xpd_str_eq(a->name, b->name) && memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0 && a->registers == b->registers &&
           a->shared_bytes == b->shared_bytes;
}

static void add_event(struct kernels *k, const struct xpd_depth *depth, uint32_t i)
{
    struct xpd_str name = xpd_intern_get(&k->trace->names, k->trace->name[depth->name[i]].caption);
    struct said said = read_event(k, depth->first_event + i, name);
    size_t at = 0;
    if (!said.is_op)
        return;
    struct xpd_op_kernel row = row_of(&said, name);
    while (at < k->row.count && !alike(&k->row.at[at], &row))
        at++;
    if (at == k->row.count)
        XPD_PUSH(&k->row, row);
    if (k->row.failed)
        return;
    struct xpd_op_kernel *to = &k->row.at[at];
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
    const struct xpd_op_kernel *x = a, *y = b;
    if (x->total_ps != y->total_ps)
        return x->total_ps > y->total_ps ? -1 : 1;
    return xpd_str_order(x->name, y->name);
}

int xpd_op_kernels_make(struct xpd_op_kernels *out, const struct xpd_trace *trace,
                        const struct xpd_op_runs *runs, const struct xpd_op *op,
                        enum xpd_op_loose loose, struct xpd_arena *arena, struct xpd_err *err)
{
    struct kernels k = {.trace = trace, .loose = loose};
    uint32_t of = (uint32_t)(op - runs->times->op);
    k.op = xpd_intern_get(&runs->times->names, op->name);
    for (uint32_t d = 0; d < runs->device_count; d++) {
        const struct xpd_op_device_runs *device = &runs->device[d];
        uint32_t process = runs->times->device[d].process;
        int64_t last_ps = INT64_MIN, first = k.events;
        if (trace->process[process].kind != XPD_PROCESS_GPU)
            continue;
        for (uint32_t i = 0; i < device->count && k.events - first < XPD_KERNEL_EVENTS_MOST; i++)
            if (xpd_op_run_op(device, i) == of && xpd_op_run_start_ps(device, i) != last_ps)
                add_at(&k, process, last_ps = xpd_op_run_start_ps(device, i));
    }
    if (k.row.count > 1)
        qsort(k.row.at, k.row.count, sizeof *k.row.at, most_first);
    *out = (struct xpd_op_kernels){
        .at = XPD_COPY_VEC(arena, &k.row), .count = (uint32_t)k.row.count, .events = k.events};
    bool ok = out->at && !k.row.failed && !k.text.failed;
    XPD_VEC_FINI(&k.row);
    xpd_strbuf_fini(&k.text);
    xpd_arena_fini(&k.stats);
    return ok ? XPD_OK : xpd_no_memory(err, NULL, "for this answer");
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

int64_t xpd_op_event(const struct xpd_trace *trace, uint32_t process, struct xpd_str op,
                     enum xpd_op_loose loose, int64_t start_ps)
{
    struct kernels k = {.trace = trace, .op = op, .loose = loose};
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
