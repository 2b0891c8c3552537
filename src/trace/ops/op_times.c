/* Times by instruction. In: a frozen trace. Out: programs, their ops, each op's share of every
 * device, sorted, in one arena.
 *
 * The executions are found by op_times.c and op_scan.c. Invariant: an op's sums are those of its
 * shares. */
#include "op_times.h"
#include "xprofd/trace/window.h"
#include <stdlib.h>

/* ---- rows of operations of chips, depth by depth ---- */

void xpd_op_reader_init(struct xpd_op_reader *rows, const struct xpd_trace *trace, bool host_clock)
{
    *rows =
        (struct xpd_op_reader){.trace = trace, .host_clock = host_clock, .view = {.trace = trace}};
    rows->ask = (struct xpd_totals_ask){.view = &rows->view,
                                        .clock = host_clock ? XPD_CLOCK_HOST : XPD_CLOCK_DEVICE};
    rows->plan.ask = &rows->ask;
    rows->worker.plan = &rows->plan;
}

static struct xpd_op_depth open_depth(struct xpd_op_reader *rows, uint32_t row, uint32_t d)
{
    struct xpd_op_depth at = {.rows = rows, .depth = xpd_view_depth(&rows->view, row, d)};
    at.above = d > 0 ? at.depth - 1 : NULL;
    at.child = d + 1 < xpd_view_row(&rows->view, row)->depth_count ? at.depth + 1 : NULL;
    at.loop = xpd_totals_loop_of(&rows->worker, at.depth, at.child);
    return at;
}

uint64_t xpd_op_reader_each(struct xpd_op_reader *rows, uint32_t process, xpd_op_depth_fn *fn,
                            void *user)
{
    const struct xpd_trace *trace = rows->trace;
    const struct xpd_trace_process *at = &trace->process[process];
    rows->worker.nesting = (struct xpd_nesting){.reads_left = XPD_NESTING_READS_MAX};
    for (uint32_t r = at->first_row; r < at->first_row + at->row_count; r++)
        for (uint32_t d = 0; trace->row[r].kind == XPD_ROW_OPS && d < trace->row[r].depth_count;
             d++) {
            struct xpd_op_depth depth = open_depth(rows, r, d);
            fn(user, &depth);
        }
    return rows->worker.nesting.unchecked;
}

/* ---- instructions ---- */

/* Instructions that the names of a chip's op rows tell, with their program.
 *
 * In: a frozen trace. Out: each event of such a row as an execution. Nesting is determined as in
 * totals (totals_loop.h), so that both have the same self times. */

#define NO_OP (XPD_NO_INDEX - 1)

struct met {          /* meaning of a name on the present process */
    uint32_t process; /* counted from 1; 0 = not met */
    uint32_t slot;    /* NO_OP: it names no instruction */
};
struct adding {
    struct xpd_op_build *build;
    struct met *met; /* by name of the trace */
    uint32_t process;
};

static uint32_t find_slot(struct adding *adding, uint32_t name)
{
    struct xpd_op_build *build = adding->build;
    const struct xpd_trace *trace = build->trace;
    const struct xpd_event_name *at = &trace->name[name];
    struct xpd_str instruction = xpd_op_instruction(trace, at);
    if (at->program_id == 0 || instruction.size == 0)
        return NO_OP;
    uint32_t program = xpd_op_program_put(build, true, at->program_id, 0);
    uint32_t device =
        xpd_op_device_put(build, adding->process, trace->process[adding->process].device);
    xpd_name_id id = xpd_intern_put(&build->out->names, instruction.data, instruction.size);
    uint32_t slot = xpd_op_slot_put(build, program, id, device);
    xpd_op_slot_kind(build, slot, xpd_intern_get(&trace->names, at->category), at->group,
                     at->category != 0);
    return xpd_op_build_failed(build) ? NO_OP : slot;
}

static inline uint32_t slot_of(struct adding *adding, uint32_t name)
{
    struct met *met = &adding->met[name];
    if (met->process != adding->process + 1)
        *met = (struct met){adding->process + 1, find_slot(adding, name)};
    return met->slot;
}

static void add_depth(void *user, struct xpd_op_depth *at)
{
    struct adding *adding = user;
    const struct xpd_depth *depth = at->depth;
    bool host_clock = at->rows->host_clock;
    for (uint32_t i = 0; i < depth->count; i++) {
        int64_t device_ps = host_clock ? -1 : xpd_trace_device_ps(at->rows->trace, depth, i);
        struct xpd_op_run run = {.host_ps = depth->duration_ps[i],
                                 .own_ps = device_ps >= 0 ? device_ps : depth->duration_ps[i],
                                 .inside_ps = xpd_op_inside_ps(at, i),
                                 .slot = slot_of(adding, depth->name[i]),
                                 .device = device_ps >= 0};
        if (run.slot != NO_OP)
            xpd_op_sum(&adding->build->slot.at[run.slot].sums, &run);
    }
}

/* The events of chips whose names tell instruction and program. */
static int add_rows(struct adding *adding, struct xpd_err *err)
{
    struct xpd_op_build *build = adding->build;
    const struct xpd_trace *trace = build->trace;
    struct xpd_op_reader rows;
    xpd_op_reader_init(&rows, trace, build->host_clock);
    for (uint32_t p = 0; p < trace->process_count && !xpd_op_build_failed(build); p++) {
        if (!xpd_process_is_tpu(trace->process[p].kind))
            continue;
        if (!adding->met)
            adding->met = calloc((size_t)trace->name_count + 1, sizeof *adding->met);
        if (!adding->met)
            return xpd_op_no_memory(err);
        adding->process = p;
        build->out->unchecked += xpd_op_reader_each(&rows, p, add_depth, adding);
    }
    return xpd_op_build_failed(build) ? xpd_op_no_memory(err) : XPD_OK;
}

/* Who reads the rows again need not find the operations by their names a second time. */
static bool keep_names(const struct adding *adding)
{
    struct xpd_op_times *out = adding->build->out;
    uint32_t count = adding->met ? adding->build->trace->name_count : 0;
    uint32_t *op = XPD_NEW_ROOM(&out->arena, uint32_t, count);
    for (uint32_t n = 0; op && n < count; n++) {
        const struct met *met = &adding->met[n];
        bool is_op = met->process != 0 && met->slot != NO_OP;
        op[n] = is_op ? adding->build->op_of_slot[met->slot] : XPD_NO_INDEX;
    }
    out->op_of_name = count ? op : NULL;
    return op || count == 0;
}

static int make(struct xpd_op_times **out, const struct xpd_trace *trace,
                uint64_t arena_budget_bytes, bool host_clock, struct xpd_err *err)
{
    struct xpd_op_times *times = calloc(1, sizeof *times);
    *out = NULL;
    if (!times)
        return xpd_op_no_memory(err);
    xpd_arena_init(&times->arena, arena_budget_bytes);
    xpd_intern_init(&times->names, &times->arena);
    times->host_clock = host_clock;
    struct xpd_op_build build = {.trace = trace, .out = times, .host_clock = host_clock};
    struct adding adding = {.build = &build};
    int rc = add_rows(&adding, err);
    if (rc == XPD_OK)
        rc = xpd_op_scan(&build, err);
    if (rc == XPD_OK)
        rc = xpd_op_freeze(&build, err);
    if (rc == XPD_OK && (!keep_names(&adding) || !xpd_op_keep_found(&build)))
        rc = xpd_op_no_memory(err);
    free(adding.met);
    xpd_op_build_fini(&build);
    if (rc == XPD_OK)
        *out = times;
    else
        xpd_op_times_free(times);
    return rc;
}

/* That some events have no time on the device's clock is known when all were read. */
int xpd_op_times_make(struct xpd_op_times **out, const struct xpd_trace *trace,
                      uint64_t arena_budget_bytes, struct xpd_err *err)
{
    int rc = make(out, trace, arena_budget_bytes, false, err);
    uint64_t count = 0, device_count = 0;
    for (uint32_t i = 0; rc == XPD_OK && i < (*out)->program_count; i++) {
        count += (*out)->program[i].count;
        device_count += (*out)->program[i].device_count;
    }
    if (rc != XPD_OK || device_count == 0 || device_count == count)
        return rc;
    xpd_op_times_free(*out);
    return xpd_op_times_by_host(out, trace, arena_budget_bytes, err);
}

int xpd_op_times_by_host(struct xpd_op_times **out, const struct xpd_trace *trace,
                         uint64_t arena_budget_bytes, struct xpd_err *err)
{
    return make(out, trace, arena_budget_bytes, true, err);
}

void xpd_op_times_free(struct xpd_op_times *times)
{
    if (!times)
        return;
    for (uint32_t i = 0; times->part && i < times->part_count; i++)
        if (times->part[i].own)
            xpd_op_times_free((struct xpd_op_times *)times->part[i].times);
    xpd_intern_fini(&times->names);
    xpd_arena_fini(&times->arena);
    free(times);
}

uint64_t xpd_op_times_memory_bytes(const struct xpd_op_times *times)
{
    uint64_t bytes =
        sizeof *times + times->arena.used_bytes + xpd_intern_memory_bytes(&times->names);
    for (uint32_t i = 0; i < times->part_count; i++)
        bytes += times->part[i].own ? xpd_op_times_memory_bytes(times->part[i].times) : 0;
    return bytes;
}

/* ---- what was made ---- */

const struct xpd_op_program *xpd_op_program_busiest(const struct xpd_op_times *times)
{
    const struct xpd_op_program *most = NULL;
    int64_t most_ps = -1;
    for (uint32_t p = 0; p < times->program_count; p++) {
        const struct xpd_op_program *program = &times->program[p];
        int64_t self_ps = 0;
        for (uint32_t o = 0; o < program->op_count; o++)
            xpd_grow_i64(&self_ps, times->op[program->first_op + o].sums.self_ps);
        bool loose = program->loose != XPD_LOOSE_NOT,
             most_loose = most && most->loose != XPD_LOOSE_NOT;
        if (!most || (loose == most_loose ? self_ps > most_ps : most_loose)) {
            most_ps = self_ps;
            most = program;
        }
    }
    return most;
}

uint32_t *xpd_op_instructions(const struct xpd_op_times *times,
                              const struct xpd_op_program *program, const struct xpd_hlo *hlo,
                              struct xpd_arena *arena)
{
    uint32_t *instruction = XPD_NEW_ARRAY(arena, uint32_t, program->op_count);
    for (uint32_t o = 0; instruction && o < program->op_count; o++) {
        struct xpd_str name = xpd_intern_get(&times->names, times->op[program->first_op + o].name);
        instruction[o] = hlo ? xpd_hlo_named(hlo, name) : XPD_NO_INDEX;
    }
    return instruction;
}
