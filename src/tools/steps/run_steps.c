/* Steps of a run. In: the tables of its hosts. Out: chips side by side, steps by number. */
#include "run_steps.h"
#include "../common/sidebar.h"

#include "xprofd/base/bisect.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/order.h"
#include "xprofd/base/time_text.h"
#include "xprofd/base/vec.h"
#include "xprofd/trace/join.h"
#include "xprofd/trace/totals.h"

#include <math.h>

#define OUTLIER 0.05 /* of p50 */

bool xpd_is_outlier(int64_t ps, int64_t p50_ps)
{
    return fabs((double)ps - (double)p50_ps) > OUTLIER * (double)p50_ps;
}

/* "TPU:0" of "/device:TPU:0". */
static const char *lane_name(const struct xpd_tool_ctx *ctx, const struct xpd_step_table *table,
                             uint32_t process, uint32_t host)
{
    const struct xpd_trace_process *at = &table->trace->process[process];
    struct xpd_str name = xpd_intern_get(&table->trace->names, at->name);
    if (at->kind == XPD_PROCESS_HOST)
        return ctx->run->host[host].name;
    size_t skip = xpd_str_starts(name, "/device:") ? sizeof "/device:" - 1 : 0;
    return xpd_arena_strndup(ctx->arena, name.data + skip, name.size - skip);
}

const char *xpd_steps_program(const struct xpd_tool_ctx *ctx, const struct xpd_step_table *table)
{
    struct xpd_str name = xpd_step_table_program(table);
    size_t end = xpd_str_find(name, XPD_STR("("), false); /* jit_f(123) */
    return xpd_arena_strndup(ctx->arena, name.data, end == SIZE_MAX ? name.size : end);
}

static struct xpd_run_lane lane_of(const struct xpd_run_steps *steps,
                                   const struct xpd_tool_ctx *ctx,
                                   const struct xpd_step_table *table,
                                   const struct xpd_step_lane *of, uint32_t host)
{
    const char *name = lane_name(ctx, table, of->process, host);
    const char *on = ctx->run->host[host].name;
    bool alone = steps->host_count < 2 || strcmp(name, on) == 0;
    return (struct xpd_run_lane){.host = host,
                                 .table = table,
                                 .of = of,
                                 .process = of->process,
                                 .name = name,
                                 .whole = alone ? name
                                                : xpd_arena_printf(ctx->arena, "%s %s", on, name)};
}

/* What the steps of a host are. */
struct kind {
    enum xpd_step_what what;
    const char *program; /* "" = none, or marks */
    int64_t total_ps;    /* of its steps; of equal kinds that of all hosts */
};

static struct kind kind_of(const struct xpd_run_steps *out, const struct xpd_tool_ctx *ctx,
                           const struct xpd_step_table *table)
{
    struct kind kind = {.what = table->what, .program = "", .total_ps = table->total_ps};
    if (out->asked != XPD_NO_INDEX)
        kind.program = ctx->run->module[out->asked].name;
    else if (table->what == XPD_STEPS_RUNS)
        kind.program = xpd_steps_program(ctx, table);
    return kind;
}

static bool is_same(const struct kind *a, const struct kind *b)
{
    return a->what == b->what && strcmp(a->program, b->program) == 0;
}

/* Marks tell more than runs of a program, and these more than windows; of programs the one with
 * most time. */
static const struct kind *best_of(struct kind *kind, const struct xpd_step_table *const *table,
                                  uint32_t n)
{
    const struct kind *best = NULL;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < i; k++)
            if (table[k]->lane_count > 0 && is_same(&kind[i], &kind[k])) {
                xpd_grow_i64(&kind[k].total_ps, kind[i].total_ps);
                kind[i].total_ps = 0;
                break;
            }
    for (uint32_t i = 0; i < n; i++) {
        if (table[i]->lane_count == 0)
            continue;
        if (!best || kind[i].what < best->what ||
            (kind[i].what == best->what && kind[i].total_ps > best->total_ps))
            best = &kind[i];
    }
    return best;
}

/* "; without host1, which ran jit_g" */
static const char *without(const struct xpd_run_steps *out, const struct xpd_tool_ctx *ctx,
                           const struct kind *left, uint32_t host)
{
    const char *why = left->what == XPD_STEPS_WINDOWS ? "has no steps"
                      : out->what == XPD_STEPS_MARKED ? "marks no steps"
                      : left->program[0] ? xpd_arena_printf(ctx->arena, "ran %s", left->program)
                                         : "ran another program";
    return xpd_arena_printf(ctx->arena, "%s; without %s, which %s",
                            out->without ? out->without : "", ctx->run->host[host].name, why);
}

/* "; 1 more is left out, because the recording has only a part of it" */
static const char *without_parts(const struct xpd_run_steps *out, const struct xpd_tool_ctx *ctx,
                                 uint32_t in_part)
{
    return xpd_arena_printf(
        ctx->arena, "%s; %" PRIu32 " more %s left out, because the recording has only a part of %s",
        out->without ? out->without : "", in_part, in_part == 1 ? "is" : "are",
        in_part == 1 ? "it" : "them");
}

static int add_host(struct xpd_run_steps *out, const struct xpd_tool_ctx *ctx, uint32_t host,
                    const struct xpd_step_table *table, struct xpd_err *err)
{
    out->side_by_side |= table->side_by_side;
    out->threads_mark |= table->threads_mark;
    out->overlapping += table->overlapping;
    out->nothing = (out->nothing || out->lane_count == 0) && (table->nothing || table->cells == 0);
    struct xpd_run_lane *lane =
        XPD_NEW_ARRAY(ctx->arena, struct xpd_run_lane, (size_t)out->lane_count + table->lane_count);
    if (!lane)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < out->lane_count; i++)
        lane[i] = out->lane[i];
    for (uint32_t i = 0; i < table->lane_count; i++)
        lane[out->lane_count++] = lane_of(out, ctx, table, &table->lane[i], host);
    out->lane = lane;
    return XPD_OK;
}

/* The tables of all hosts. Where the chips of one have no times on their own clock, those of the
 * others are by the host's as well: a mean over two clocks would be of neither. */
static int read_tables(struct xpd_run_steps *out, const struct xpd_tool_ctx *ctx,
                       const struct xpd_step_table **table, enum xpd_clock clock,
                       struct xpd_err *err)
{
    bool by[2] = {false, false};
    const char *why_host = NULL;
    int rc = XPD_OK;
    for (uint32_t i = 0; rc == XPD_OK && i < out->host_count; i++) {
        rc = xpd_step_table_of(&table[i], ctx, out->host[i], clock, out->asked, err);
        if (rc != XPD_OK || table[i]->lane_count == 0)
            continue;
        bool host = table[i]->clock == XPD_CLOCK_HOST;
        by[host] = true;
        why_host = host && !why_host ? table[i]->why_host : why_host;
    }
    if (rc == XPD_OK && by[false] && by[true])
        rc = read_tables(out, ctx, table, XPD_CLOCK_HOST, err);
    out->why_host = why_host;
    return rc;
}

/* The chips of all hosts whose steps are of one kind; a mean of steps of two kinds would be of
 * nothing. */
static int add_hosts(struct xpd_run_steps *out, const struct xpd_tool_ctx *ctx,
                     enum xpd_clock clock, struct xpd_err *err)
{
    uint32_t n = out->host_count;
    const struct xpd_step_table **table =
        XPD_NEW_ARRAY(ctx->arena, const struct xpd_step_table *, n);
    struct kind *kind = XPD_NEW_ARRAY(ctx->arena, struct kind, n);
    bool *taken = XPD_NEW_ARRAY(ctx->arena, bool, n);
    int rc = table && kind && taken ? XPD_OK : xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        rc = read_tables(out, ctx, table, clock, err);
    for (uint32_t i = 0; rc == XPD_OK && i < n; i++)
        kind[i] = kind_of(out, ctx, table[i]);
    const struct kind *best = rc == XPD_OK ? best_of(kind, table, n) : NULL;
    if (!best)
        return rc;
    out->what = best->what;
    out->program = best->program;
    out->clock = table[best - kind]->clock;
    uint32_t in_part = 0;
    for (uint32_t i = 0; rc == XPD_OK && i < n; i++)
        if (table[i]->lane_count > 0 && is_same(best, &kind[i])) {
            in_part = table[i]->in_part > in_part ? table[i]->in_part : in_part;
            rc = add_host(out, ctx, out->host[i], table[i], err);
        } else if (table[i]->lane_count > 0)
            out->without = without(out, ctx, &kind[i], out->host[i]);
    if (in_part > 0)
        out->without = without_parts(out, ctx, in_part);
    return rc;
}

static const struct xpd_trace_host *part_of(const struct xpd_trace *joined,
                                            const struct xpd_trace *trace)
{
    for (uint32_t i = 0; i < joined->part_count; i++)
        if (joined->part[i].trace == trace)
            return &joined->part[i];
    return NULL;
}

static int64_t start_of(const struct xpd_run_lane *lane, uint32_t cell)
{
    bool overflow = false;
    return xpd_add_i64(lane->of->cell[cell].span.from_ps, lane->moved_ps, &overflow);
}

static uint64_t apart(int64_t a_ps, int64_t b_ps)
{
    return a_ps > b_ps ? (uint64_t)a_ps - (uint64_t)b_ps : (uint64_t)b_ps - (uint64_t)a_ps;
}

/* The run of a lane that begins nearest to a moment; starts ascend. */
static uint32_t nearest(const struct xpd_run_lane *lane, int64_t start_ps)
{
    uint32_t at = 0;
    XPD_BISECT(at, lane->of->count, middle, start_of(lane, middle) < start_ps);
    if (at == lane->of->count ||
        (at > 0 && apart(start_of(lane, at - 1), start_ps) < apart(start_of(lane, at), start_ps)))
        at--;
    return at;
}

/* What to add to the numbers of a lane's runs, so that those that begin together have one number:
 * the first run of either, and the other's that begins nearest. */
static int64_t number_beside(const struct xpd_run_lane *first, const struct xpd_run_lane *lane)
{
    uint32_t of_first = nearest(first, start_of(lane, 0)),
             of_lane = nearest(lane, start_of(first, 0));
    if (apart(start_of(first, of_first), start_of(lane, 0)) <=
        apart(start_of(lane, of_lane), start_of(first, 0)))
        of_lane = 0;
    else
        of_first = 0;
    return first->of->cell[of_first].number - lane->of->cell[of_lane].number;
}

/* Hosts begin to record in different runs of the program, which each counts from its own first. */
static void align_runs(struct xpd_run_steps *out)
{
    const struct xpd_run_lane *first = &out->lane[0];
    int64_t least = 0;
    for (uint32_t l = 1; l < out->lane_count; l++) {
        struct xpd_run_lane *lane = &out->lane[l];
        if (lane->host == first->host)
            continue;
        bool same_host = lane->host == lane[-1].host; /* its lanes are alike */
        lane->number = same_host ? lane[-1].number : number_beside(first, lane);
        int64_t begins = lane->number + lane->of->cell[0].number;
        least = begins < least ? begins : least;
    }
    for (uint32_t l = 0; l < out->lane_count; l++)
        out->lane[l].number -= least;
}

/* Of several hosts, numbers and times are those of the trace that shows them side by side. */
static int place_hosts(struct xpd_run_steps *out, const struct xpd_tool_ctx *ctx,
                       struct xpd_err *err)
{
    uint32_t all = xpd_run_all_hosts(ctx->run);
    const struct xpd_trace *trace;
    const struct xpd_derived *derived;
    out->base_ps = out->lane[0].table->trace->first_ps;
    if (out->host_count < 2)
        return XPD_OK;
    int rc = xpd_store_trace(ctx->store, ctx->run, all, ctx->wait_ms, &trace, ctx->state, err);
    if (rc == XPD_OK)
        rc = xpd_store_derived(ctx->store, ctx->run, all, ctx->wait_ms, &derived, ctx->state, err);
    for (uint32_t l = 0; rc == XPD_OK && l < out->lane_count; l++) {
        struct xpd_run_lane *lane = &out->lane[l];
        const struct xpd_trace_host *part = part_of(trace, lane->table->trace);
        uint32_t first, end;
        if (!part)
            continue;
        lane->moved_ps = part->shift_ps;
        lane->process += part->first_process;
        xpd_steps_of(derived, lane->process, &first, &end);
        if (end - first == lane->of->count && out->asked == XPD_NO_INDEX)
            lane->number = derived->step[first].number - lane->of->cell[0].number;
    }
    if (rc == XPD_OK)
        out->base_ps = trace->first_ps;
    if (rc == XPD_OK && out->what == XPD_STEPS_RUNS && out->lane[0].table->by_times)
        align_runs(out);
    return rc;
}

struct numbered {
    int64_t number;
    struct xpd_run_cell cell;
};

static int by_number(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    if (x->cell.lane != y->cell.lane)
        return x->cell.lane < y->cell.lane ? -1 : 1;
    return (x->cell.of > y->cell.of) - (x->cell.of < y->cell.of);
}

static void sum_step(const struct xpd_run_steps *steps, struct xpd_run_step *step)
{
    int64_t sum_ps = 0;
    step->fastest = step->slowest = step->first;
    for (uint32_t i = step->first; i < step->first + step->count; i++) {
        int64_t ps = steps->cell[i].of->span.duration_ps;
        xpd_grow_i64(&sum_ps, ps);
        if (ps < steps->cell[step->fastest].of->span.duration_ps)
            step->fastest = i;
        if (ps > steps->cell[step->slowest].of->span.duration_ps)
            step->slowest = i;
    }
    step->mean_ps = sum_ps / step->count;
}

static int put_together(struct xpd_run_steps *out, struct xpd_arena *arena, struct xpd_err *err)
{
    uint64_t cells = 0;
    for (uint32_t l = 0; l < out->lane_count; l++)
        cells += out->lane[l].of->count;
    struct numbered *all = XPD_NEW_ARRAY(arena, struct numbered, cells);
    out->cell = XPD_NEW_ARRAY(arena, struct xpd_run_cell, cells);
    out->step = XPD_NEW_ARRAY(arena, struct xpd_run_step, cells);
    out->sorted_ps = XPD_NEW_ARRAY(arena, int64_t, cells);
    if (!all || !out->cell || !out->step || !out->sorted_ps)
        return xpd_tools_no_memory(err);
    for (uint32_t l = 0; l < out->lane_count; l++)
        for (uint32_t i = 0; i < out->lane[l].of->count; i++) {
            const struct xpd_step_cell *cell = &out->lane[l].of->cell[i];
            all[out->cell_count++] =
                (struct numbered){cell->number + out->lane[l].number, {l, cell}};
        }
    qsort(all, out->cell_count, sizeof *all, by_number);
    for (uint32_t i = 0; i < out->cell_count; i++) {
        out->cell[i] = all[i].cell;
        if (i == 0 || all[i].number != all[i - 1].number)
            out->step[out->step_count++] =
                (struct xpd_run_step){.number = all[i].number, .first = i};
        out->step[out->step_count - 1].count++;
    }
    for (uint32_t i = 0; i < out->cell_count; i++)
        out->sorted_ps[i] = out->cell[i].of->span.duration_ps;
    qsort(out->sorted_ps, out->cell_count, sizeof *out->sorted_ps, xpd_order_i64);
    out->p50_ps = out->sorted_ps[xpd_rank_of(0.5, out->cell_count)];
    for (uint32_t i = 0; i < out->step_count; i++) {
        sum_step(out, &out->step[i]);
        out->outliers += xpd_is_outlier(out->step[i].mean_ps, out->p50_ps);
    }
    return XPD_OK;
}

static int hosts_of(struct xpd_run_steps *out, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    const struct xpd_run *run = ctx->run;
    uint32_t *host = XPD_NEW_ARRAY(ctx->arena, uint32_t, (size_t)run->host_count + 1);
    uint32_t called;
    if (!host)
        return xpd_tools_no_memory(err);
    out->host = host;
    int rc = xpd_tools_host_called(run, xpd_param_text(ctx, "host"), &called, err);
    for (uint32_t h = 0; rc == XPD_OK && h < run->host_count; h++)
        if (h == called || (called == xpd_run_all_hosts(run) && xpd_host_has_events(&run->host[h])))
            host[out->host_count++] = h;
    return rc;
}

int xpd_run_steps_of(struct xpd_run_steps *out, const struct xpd_tool_ctx *ctx,
                     enum xpd_clock clock, struct xpd_err *err)
{
    struct xpd_str program = xpd_param_text(ctx, "program");
    *out = (struct xpd_run_steps){.program = "", .asked = XPD_NO_INDEX, .clock = clock};
    int rc = program.size > 0 ? xpd_run_find_module(ctx->run, program, &out->asked, err) : XPD_OK;
    if (rc == XPD_OK)
        rc = hosts_of(out, ctx, err);
    if (rc == XPD_OK && out->host_count == 0)
        out->why_not = xpd_sidebar_trace_reason(ctx->run);
    if (rc == XPD_OK && out->host_count > 0)
        rc = add_hosts(out, ctx, clock, err);
    if (rc == XPD_OK && out->lane_count == 0 && !out->why_not && out->asked != XPD_NO_INDEX)
        out->why_not =
            xpd_arena_printf(ctx->arena, "program %s did not run while the profiler recorded",
                             ctx->run->module[out->asked].name);
    if (rc == XPD_OK && out->lane_count == 0 && !out->why_not)
        out->why_not = "no chip has events, and no thread ran an operation of a program";
    if (rc == XPD_OK && out->lane_count > 0)
        rc = place_hosts(out, ctx, err);
    return rc == XPD_OK && out->lane_count > 0 ? put_together(out, ctx->arena, err) : rc;
}

const char *xpd_step_what_word(enum xpd_step_what what)
{
    static const char *const word[] = {"markers", "runs", "windows"};
    return word[what];
}

const char *xpd_steps_words(const struct xpd_steps_said *said, struct xpd_arena *arena)
{
    const char *s = said->count == 1 ? "" : "s", *without = said->without ? said->without : "";
    if (said->what == XPD_STEPS_MARKED)
        return xpd_arena_printf(arena, "the %" PRIu32 " step%s that the framework marked%s",
                                said->count, s, without);
    return xpd_arena_printf(arena, "the %" PRIu32 " run%s of %s, no %s recorded%s", said->count, s,
                            said->program[0] ? said->program : "the program with most time",
                            said->threads_mark ? "steps of a device" : "markers", without);
}

const char *xpd_steps_sentence(const struct xpd_run_steps *steps, struct xpd_arena *arena)
{
    struct xpd_steps_said said = {steps->what, steps->step_count, steps->program, steps->without,
                                  steps->threads_mark};
    if (steps->asked != XPD_NO_INDEX)
        return xpd_arena_printf(arena, "the %" PRIu32 " run%s of %s%s", steps->step_count,
                                steps->step_count == 1 ? "" : "s", steps->program,
                                steps->without ? steps->without : "");
    if (steps->what != XPD_STEPS_WINDOWS)
        return xpd_steps_words(&said, arena);
    int64_t width_ps = steps->step_count > 0 ? steps->step[0].mean_ps : 0;
    char text[XPD_TIME_TEXT_BYTES];
    return xpd_arena_printf(arena, "%" PRIu32 " windows of %s: the profile has no steps",
                            steps->step_count, xpd_time_text(text, (double)width_ps));
}

uint32_t xpd_run_lane_of(const struct xpd_run_steps *steps, struct xpd_str chip)
{
    uint64_t number;
    for (uint32_t l = 0; l < steps->lane_count; l++)
        if (xpd_str_eq(chip, xpd_str_of(steps->lane[l].name)) ||
            xpd_str_eq(chip, xpd_str_of(steps->lane[l].whole)))
            return l;
    return xpd_str_to_u64(chip, &number) && number < steps->lane_count ? (uint32_t)number
                                                                       : XPD_NO_INDEX;
}
