/* What was measured, as the plain numbers that rules of time look at. In: a run, perhaps a program.
 * Out: operations against their rooflines, steps, chips, waits for input, the recording. */
#include "../input/input_found.h"
#include "../steps/step_kept.h"
#include "../tables/measured.h"
#include "../tables/tools_tables.h"
#include "../trace/ops_hosts.h"
#include "../trace/ops_rows.h"
#include "../trace/overlap_kept.h"
#include "diagnosis.h"

#include "xprofd/base/checked.h"
#include "xprofd/graph/totals.h"
#include "xprofd/tools/graph_table.h"
#include "xprofd/trace/idle.h"
#include "xprofd/trace/step_chips.h"

struct facts {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_doctor_thresholds *thresholds;
    struct xpd_doctor_time *out;
    struct xpd_trace_call call; /* of the host whose times these are */
    const struct xpd_step_table *table;
    uint64_t gaps; /* between steps: fewer than there are steps */
};

/* ---- operations ---- */

/* Room that a matrix product takes in the matrix units: rows and columns of tiles. */
static void set_tiles(struct xpd_doctor_ops *ops, const struct facts *f,
                      const struct xpd_peaks *peaks)
{
    const char *platform = f->ctx->run->platform;
    bool wide = strncmp(peaks->device, "TPU v6", 6) == 0 ||
                strncmp(peaks->device, "TPU v7", 6) == 0 || strncmp(peaks->device, "TPU7", 4) == 0;
    if (strcmp(platform, "tpu") == 0) {
        ops->tile_m = 8;
        ops->tile_n = ops->tile_k = wide ? 256 : 128;
    } else if (strcmp(platform, "gpu") == 0) {
        ops->tile_m = ops->tile_n = 64;
        ops->tile_k = 32;
    }
}

struct columns { /* of xpd_doctor_ops, to be filled */
    int64_t *self_ps, *lost_ps;
    uint64_t *count;
    const char **bound;
    bool *relayout;
};

static bool make_columns(struct columns *c, struct xpd_arena *arena, uint32_t count)
{
    c->self_ps = XPD_NEW_ARRAY(arena, int64_t, count);
    c->lost_ps = XPD_NEW_ARRAY(arena, int64_t, count);
    c->count = XPD_NEW_ARRAY(arena, uint64_t, count);
    c->bound = XPD_NEW_ARRAY(arena, const char *, count);
    c->relayout = XPD_NEW_ARRAY(arena, bool, count);
    for (uint32_t i = 0; c->lost_ps && i < count; i++)
        c->lost_ps[i] = -1;
    return c->self_ps && c->lost_ps && c->count && c->bound && c->relayout;
}

static void fill_rows(struct xpd_doctor_ops *ops, struct columns *c,
                      const struct xpd_ops_found *found, const struct xpd_hlo *hlo)
{
    for (uint32_t i = 0; i < found->ops.count; i++) {
        const struct xpd_op_row *row = &found->ops.row[i];
        uint32_t at = row->instruction;
        if (at == XPD_NO_INDEX)
            continue;
        uint64_t executions = (uint64_t)row->executions;
        c->self_ps[at] = row->self_ps;
        c->count[at] = executions;
        c->bound[at] = row->roof;
        if (row->lost_against == XPD_LOST_ROOFLINE)
            c->lost_ps[at] = row->lost_ps;
        xpd_grow_i64(&ops->all_ps, row->self_ps);
        if (hlo->instructions.computation[at] == hlo->entry && executions > ops->runs)
            ops->runs = executions; /* an instruction of the entry is executed once a run */
    }
}

static int find_relayouts(struct columns *c, const struct facts *f, const struct xpd_costs *costs,
                          struct xpd_err *err)
{
    struct xpd_layout_changes changes;
    const struct xpd_graph_index *index = xpd_table_graph(f->ctx, err);
    int rc = index
                 ? xpd_graph_layout_changes(&changes, f->ctx->arena, index, costs, UINT32_MAX, err)
                 : xpd_table_status(index, err);
    for (uint32_t i = 0; rc == XPD_OK && i < changes.count; i++)
        c->relayout[changes.at[i].instruction] = true;
    return rc;
}

static int read_ops(struct facts *f, struct xpd_err *err)
{
    struct xpd_doctor_ops *ops = XPD_NEW(f->ctx->arena, struct xpd_doctor_ops);
    struct xpd_ops_found found;
    struct xpd_tool_ctx ask;
    struct columns c;
    const struct xpd_run *run = f->ctx->run;
    if (!ops ||
        !xpd_tools_ops_ask(&ask, f->ctx, run->module[f->ctx->module].key,
                           run->host[f->call.host].name) ||
        !make_columns(&c, f->ctx->arena, f->ctx->hlo->instructions.count))
        return xpd_tools_no_memory(err);
    int rc = xpd_tools_ops(&found, &ask, err);
    if (rc != XPD_OK || found.program_count == 0) {
        f->out->no_ops = found.reason;
        return rc;
    }
    rc = xpd_tools_ops_chips(&ops->chips, &found, f->ctx->arena, err);
    if (rc != XPD_OK)
        return rc;
    fill_rows(ops, &c, &found, f->ctx->hlo);
    struct xpd_str problem = xpd_tools_ops_peaks_problem(&found, f->ctx->arena);
    bool rates =
        found.has_peaks && (found.peaks.flops_per_s > 0 || found.peaks.hbm_bytes_per_s > 0);
    ops->clock = found.clock;
    ops->self_ps = c.self_ps;
    ops->count = c.count;
    ops->lost_ps = c.lost_ps;
    ops->bound = c.bound;
    ops->relayout = c.relayout;
    ops->peaks_wrong = problem.data;
    ops->memory_wrong = xpd_tools_ops_is_beyond(&found, true);
    ops->compute_wrong = xpd_tools_ops_is_beyond(&found, false);
    ops->no_peaks = rates ? NULL
                          : "the peaks of this device are unknown (set them with --device, or "
                            "--peak-flops and --peak-bandwidth)";
    ops->costs = found.program[0].costs;
    if (found.has_peaks)
        set_tiles(ops, f, &found.peaks);
    f->out->ops = ops;
    return find_relayouts(&c, f, ops->costs, err);
}

/* ---- steps ---- */

static void compare_clocks(struct facts *f, const struct xpd_split_span *span)
{
    int64_t device_ps = span->duration_ps, host_ps = span->to_ps - span->from_ps;
    struct xpd_doctor_time *out = f->out;
    if (f->table->clock != XPD_CLOCK_DEVICE || device_ps <= 0)
        return;
    double off = (double)(host_ps > device_ps ? host_ps - device_ps : device_ps - host_ps);
    bool first = out->device_most_ps == 0;
    out->off_steps += off > f->thresholds->clock_share * (double)device_ps;
    out->host_least_ps = first || host_ps < out->host_least_ps ? host_ps : out->host_least_ps;
    out->host_most_ps = host_ps > out->host_most_ps ? host_ps : out->host_most_ps;
    out->device_least_ps =
        first || device_ps < out->device_least_ps ? device_ps : out->device_least_ps;
    out->device_most_ps = device_ps > out->device_most_ps ? device_ps : out->device_most_ps;
}

static void add_step(struct facts *f, const struct xpd_step_cell *cell)
{
    const int64_t *part = cell->parts.ps;
    struct xpd_doctor_time *out = f->out;
    out->steps++;
    xpd_grow_i64(&out->steps_ps, cell->span.duration_ps);
    for (uint32_t i = XPD_PART_COMPUTE; i < XPD_PART_COUNT; i++)
        xpd_grow_i64(&out->compute_ps, part[i]);
    xpd_grow_i64(&out->idle_ps, part[XPD_PART_IDLE]);
    xpd_grow_i64(&out->comm_exposed_ps, part[XPD_PART_COLLECTIVE]);
    xpd_grow_i64(&out->copy_exposed_ps, part[XPD_PART_COPY_IN]);
    xpd_grow_i64(&out->copy_exposed_ps, part[XPD_PART_COPY_OUT]);
    xpd_grow_i64(&out->copy_exposed_ps, part[XPD_PART_COPY]);
    xpd_grow_i64(&out->infeed_ps, part[XPD_PART_INFEED]);
    xpd_grow_i64(&out->hidden_ps, cell->hidden_ps);
    xpd_grow_i64(&out->gap_ps, cell->gap_ps > 0 ? cell->gap_ps : 0);
    xpd_grow_i64(&out->gap_idle_ps, cell->gap_idle_ps > 0 ? cell->gap_idle_ps : 0);
    f->gaps += cell->gap_ps >= 0;
    if (cell->gap_idle_ps > out->longest_gap_ps)
        out->longest_gap_ps = cell->gap_idle_ps;
    compare_clocks(f, &cell->span);
}

static const char *why_no_steps(const struct facts *f)
{
    const struct xpd_view *view = &f->call.view;
    if (f->table->lane_count > 0)
        return "no step markers or program runs were recorded";
    for (uint32_t i = 0; i < view->derived->step_count; i++) {
        const char *why = xpd_trace_computes_not(view->trace, view->derived->step[i].process);
        if (why)
            return why;
    }
    return "no step of a chip was recorded";
}

static void look_at_chips(struct facts *f)
{
    const struct xpd_trace *trace = f->call.view.trace;
    bool any = false;
    f->out->one_at_a_time = true;
    f->out->threads = !xpd_trace_has_devices(trace);
    for (uint32_t p = 0; p < trace->process_count; p++) {
        bool works = xpd_trace_computes(trace, p) && trace->process[p].event_count > 0;
        any |= works;
        f->out->one_at_a_time &= !works || xpd_process_is_tpu(trace->process[p].kind);
    }
    f->out->one_at_a_time &= any;
}

/* ---- idle time ---- */

static int64_t at_most(int64_t ps, int64_t most_ps)
{
    return ps < most_ps ? ps : most_ps;
}

/* From the first step of each chip to the end of its last one. What is idle by the steps' clock is
 * never less than its parts, which are host-aligned. */
static int find_idle(struct facts *f, struct xpd_err *err)
{
    const struct xpd_view *view = &f->call.view;
    const struct xpd_overlap_table *table;
    struct xpd_doctor_time *out = f->out;
    const struct xpd_input_run *input;
    struct xpd_idle idle;
    int64_t limit_ps = out->threads ? 0 : (int64_t)(f->thresholds->launch_gap_us * 1e6);
    int64_t short_ps = 0, input_ps = 0, all_ps = out->idle_ps;
    int rc = xpd_tools_trace_overlap(&table, &f->call, err);
    if (rc == XPD_OK)
        rc = xpd_input_of_host(&input, f->ctx, f->call.host, err);
    for (uint32_t i = 0; rc == XPD_OK && i < f->table->lane_count; i++) {
        const struct xpd_step_lane *lane = &f->table->lane[i];
        if (lane->count == 0)
            continue;
        struct xpd_time_range range = {lane->cell[0].span.from_ps,
                                       lane->cell[lane->count - 1].span.to_ps};
        rc = xpd_idle_of(&idle, view, table, lane->process, range, limit_ps, &input->waits, err);
        out->short_gaps += (int64_t)idle.short_count;
        xpd_grow_i64(&short_ps, idle.short_ps);
        xpd_grow_i64(&input_ps, idle.input_ps);
    }
    if (rc != XPD_OK)
        return rc;
    xpd_grow_i64(&all_ps, out->gap_idle_ps);
    out->short_gaps_ps = at_most(short_ps, all_ps);
    if (!input->told) {
        out->no_input = "no call for input was recorded";
        return XPD_OK;
    }
    out->input_ps = at_most(input_ps, all_ps - out->short_gaps_ps);
    out->input = input->waits.name == XPD_NO_INDEX ? XPD_STR("its input")
                                                   : xpd_view_caption(view, input->waits.name);
    return XPD_OK;
}

/* ---- chips ---- */

static int find_straggler(struct facts *f, struct xpd_err *err)
{
    const struct xpd_view *view = &f->call.view;
    struct xpd_measured_step *at =
        XPD_NEW_ARRAY(f->ctx->arena, struct xpd_measured_step, view->derived->step_count);
    const struct xpd_steps_kept *kept;
    struct xpd_step_chips chips;
    uint32_t n = 0;
    int rc = xpd_tools_trace_steps(&kept, &f->call, XPD_CLOCK_DEVICE, err);
    if (rc != XPD_OK)
        return rc;
    if (!at)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < view->derived->step_count; i++)
        if (xpd_trace_computes(view->trace, view->derived->step[i].process))
            at[n++] = (struct xpd_measured_step){&view->derived->step[i], &kept->overlap[i]};
    rc = xpd_step_chips_make(&chips, view->trace->process_count, at, n, f->ctx->arena, err);
    if (rc != XPD_OK || !chips.straggles)
        return rc;
    f->out->straggler_ps = xpd_step_chip_work_ps(chips.most) - chips.median_work_ps;
    f->out->common_ps = chips.most->length_ps;
    f->out->common_steps = chips.common;
    f->out->straggler = xpd_tools_process_name(view, chips.most->process);
    return XPD_OK;
}

/* Steps can be runs of another program than the one whose memory is diagnosed: the one with the
 * most time. */
static const char *other_program(const struct facts *f)
{
    const struct xpd_step_table *table = f->table;
    const struct xpd_run *run = f->ctx->run;
    uint32_t module = f->ctx->module;
    bool on_other_host;
    struct xpd_str name = xpd_step_table_program(table);
    const char *key = table->by_times ? xpd_tools_program_name(f->ctx, table->times,
                                                               table->by_times, &on_other_host)
                                      : xpd_arena_strndup(f->ctx->arena, name.data, name.size);
    bool own =
        module != XPD_NO_INDEX && key &&
        (strcmp(key, run->module[module].key) == 0 || strcmp(key, run->module[module].name) == 0);
    return own || name.size == 0 ? NULL : key;
}

/* The steps of the run, or the runs of the program that was asked for: `program`, in run->module.
 */
static int read_steps(struct facts *f, uint32_t program, struct xpd_err *err)
{
    struct xpd_doctor_time *out = f->out;
    int rc = xpd_step_table_of(&f->table, f->ctx, f->call.host, XPD_CLOCK_DEVICE, program, err);
    if (rc != XPD_OK)
        return rc;
    out->steps_clock = xpd_clock_word(f->table->clock);
    out->steps_are_runs = f->table->what == XPD_STEPS_RUNS;
    if (out->steps_are_runs && program == XPD_NO_INDEX)
        out->steps_of = other_program(f);
    for (uint32_t i = 0; f->table->what != XPD_STEPS_WINDOWS && i < f->table->lane_count; i++) {
        out->chips += f->table->lane[i].count > 0;
        for (uint32_t k = 0; k < f->table->lane[i].count; k++)
            add_step(f, &f->table->lane[i].cell[k]);
    }
    if (out->steps == 0) {
        out->no_steps = why_no_steps(f);
        return XPD_OK;
    }
    out->steps_doubt =
        f->table->nothing
            ? "no operation was recorded, so the activity of a chip in a step is unknown"
        : f->table->overlapping > 0 ? "steps of one chip overlap, so time in them counts twice"
                                    : NULL;
    /* The last step of a chip has no next one: as many gaps as steps, each the mean. */
    if (f->gaps > 0) {
        double each = (double)out->steps / (double)f->gaps;
        out->gap_ps = (int64_t)((double)out->gap_ps * each + 0.5);
        out->gap_idle_ps = (int64_t)((double)out->gap_idle_ps * each + 0.5);
    }
    rc = find_idle(f, err);
    /* Chips are compared in the steps of the run, which those of another program are not. */
    return rc == XPD_OK && program == XPD_NO_INDEX ? find_straggler(f, err) : rc;
}

/* ---- the recording ---- */

static void look_at_file(struct facts *f)
{
    const struct xpd_xspace *space = f->ctx->run->host[f->call.host].space;
    f->out->cut = !space->complete;
    f->out->complaints = (uint64_t)space->error_count + space->warning_count;
    if (space->error_count > 0)
        f->out->complaint = xpd_intern_get(&space->names, space->error[0]);
    else if (space->warning_count > 0)
        f->out->complaint = xpd_intern_get(&space->names, space->warning[0]);
}

static int look_at_launches(struct facts *f, struct xpd_err *err)
{
    struct xpd_lost_runs lost;
    int rc = xpd_measured_lost(&lost, &f->out->lost, f->ctx, f->call.host, err);
    if (rc == XPD_OK && f->out->lost) {
        f->out->started = lost.started;
        f->out->recorded = lost.recorded;
    }
    return rc;
}

/* Whose times these are, and who has others. */
static void look_at_hosts(struct facts *f)
{
    const struct xpd_run *run = f->ctx->run;
    f->out->host = run->host[f->call.host].name;
    for (uint32_t i = 0; i < run->host_count; i++)
        f->out->other_hosts += i != f->call.host && xpd_host_has_events(&run->host[i]);
}

/* The host of the call, else the first of the program, else the first one with events. */
static uint32_t pick_host(const struct xpd_tool_ctx *ctx)
{
    uint32_t host = xpd_measured_asked(ctx);
    if (host == XPD_NO_INDEX)
        host = xpd_measured_host(ctx->run, ctx->module);
    return host == XPD_NO_INDEX ? xpd_measured_host(ctx->run, XPD_NO_INDEX) : host;
}

int xpd_time_facts(struct xpd_doctor_time *out, const char **why_not,
                   const struct xpd_tool_ctx *ctx, const struct xpd_doctor_thresholds *thresholds,
                   struct xpd_err *err)
{
    struct facts f = {.ctx = ctx, .thresholds = thresholds, .out = out, .call = {.ctx = ctx}};
    *out = (struct xpd_doctor_time){.short_gaps_ps = -1, .straggler_ps = -1, .input_ps = -1};
    f.call.host = pick_host(ctx);
    *why_not = ctx->module != XPD_NO_INDEX   ? xpd_measured_never(ctx->run, ctx->module)
               : f.call.host == XPD_NO_INDEX ? "nothing was measured: the profile has no events"
                                             : NULL;
    if (!*why_not && f.call.host == XPD_NO_INDEX)
        *why_not = "the host that holds this program has no events";
    if (*why_not)
        return XPD_OK;
    int rc = xpd_store_trace(ctx->store, ctx->run, f.call.host, ctx->wait_ms, &f.call.view.trace,
                             ctx->state, err);
    if (rc == XPD_OK)
        rc = xpd_store_derived(ctx->store, ctx->run, f.call.host, ctx->wait_ms,
                               &f.call.view.derived, ctx->state, err);
    if (rc != XPD_OK)
        return rc;
    look_at_chips(&f);
    look_at_file(&f);
    look_at_hosts(&f);
    if (ctx->module == XPD_NO_INDEX)
        out->no_ops = "the profile holds no program (no HLO)";
    else
        rc = read_ops(&f, err);
    if (rc == XPD_OK && ctx->module != XPD_NO_INDEX)
        rc = look_at_launches(&f, err);
    bool asked = xpd_param_text(ctx, "program").size > 0;
    return rc == XPD_OK ? read_steps(&f, asked ? ctx->module : XPD_NO_INDEX, err) : rc;
}
