/* Operations on several hosts together. In: rows of all hosts, the times of each device. Out: by
 * row on which host an execution is slowest, and which hosts and chips the sums are over. */
#include "ops_hosts.h"
#include "xprofd/base/checked.h"
#include "xprofd/trace/join.h"

struct hosts {
    const struct xpd_ops_found *found;
    const struct xpd_op_times *times;
    uint32_t *part;                      /* by device: in trace->part */
    const struct xpd_op_chosen **chosen; /* by part: in the steps asked for; NULL: all */
    struct xpd_op_sums *sums;            /* by part: of the row in work */
};

static bool find_parts(struct hosts *h, const struct xpd_trace *trace, struct xpd_arena *arena)
{
    h->part = XPD_NEW_ARRAY(arena, uint32_t, h->times->device_count);
    h->sums = XPD_NEW_ARRAY(arena, struct xpd_op_sums, trace->part_count);
    for (uint32_t d = 0; h->part && d < h->times->device_count; d++)
        h->part[d] =
            (uint32_t)(xpd_part_of_process(trace, h->times->device[d].process) - trace->part);
    return h->part && h->sums;
}

/* Executions in the steps, host by host; ranges are in the order of devices. */
static int choose(struct hosts *h, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    const struct xpd_ops_source *source = &h->found->source[0]; /* all have the same */
    const struct xpd_op_runs *runs;
    uint32_t parts = h->times->part_count, first = 0;
    if (!source->range)
        return XPD_OK;
    int rc =
        xpd_store_op_runs(ctx->store, ctx->run, source->host, ctx->wait_ms, &runs, ctx->state, err);
    h->chosen = XPD_NEW_ARRAY(ctx->arena, const struct xpd_op_chosen *, parts);
    if (rc != XPD_OK || !h->chosen)
        return rc != XPD_OK ? rc : xpd_tools_no_memory(err);
    for (uint32_t k = 0; k < parts; k++) {
        uint32_t end = first;
        while (end < source->range_count && h->part[source->range[end].device] == k)
            end++;
        h->chosen[k] = xpd_op_choose(runs, &source->range[first], end - first, ctx->arena);
        if (!h->chosen[k])
            return xpd_tools_no_memory(err);
        first = end;
    }
    return XPD_OK;
}

static void add_up(struct hosts *h, const struct xpd_op *op)
{
    for (uint32_t k = 0; k < h->times->part_count; k++)
        h->sums[k] = h->chosen ? h->chosen[k][op - h->times->op].sums : (struct xpd_op_sums){0};
    for (uint32_t s = 0; !h->chosen && s < op->share_count; s++) {
        const struct xpd_op_share *share = &h->times->share[op->first_share + s];
        struct xpd_op_sums *to = &h->sums[h->part[share->device]];
        to->count += share->sums.count;
        xpd_grow_i64(&to->total_ps, share->sums.total_ps);
    }
}

static void compare(struct xpd_ops_hosts *to, const struct hosts *h, const struct xpd_op_row *row)
{
    for (uint32_t k = 0; k < h->times->part_count; k++) {
        uint64_t executions = (h->sums[k].count + row->kernels - 1) / row->kernels;
        double mean_ps = executions ? (double)h->sums[k].total_ps / (double)executions : 0;
        if (executions == 0)
            continue;
        if (to->count == 0 || mean_ps > to->slowest_ps) {
            to->slowest = xpd_tools_part_host(h->found->run, k);
            to->slowest_ps = mean_ps;
        }
        if (to->count == 0 || mean_ps < to->fastest_ps)
            to->fastest_ps = mean_ps;
        to->count++;
    }
}

int xpd_tools_ops_hosts(struct xpd_ops_found *found, const struct xpd_tool_ctx *ctx,
                        struct xpd_err *err)
{
    if (found->program_count == 0 || !found->program[0].times->part)
        return XPD_OK;
    struct hosts h = {.found = found, .times = found->program[0].times};
    found->hosts = XPD_NEW_ARRAY(ctx->arena, struct xpd_ops_hosts, (size_t)found->ops.count + 1);
    if (!found->hosts || !find_parts(&h, found->source[0].trace, ctx->arena))
        return xpd_tools_no_memory(err);
    int rc = choose(&h, ctx, err);
    for (uint32_t i = 0; rc == XPD_OK && i < found->ops.count; i++) {
        add_up(&h, found->ops.row[i].op);
        compare(&found->hosts[i], &h, &found->ops.row[i]);
    }
    return rc;
}

/* ---- whose times they are ---- */

/* By device: it ran an operation that is listed. */
static const bool *devices_of(const struct xpd_ops_found *found, struct xpd_arena *arena)
{
    const struct xpd_op_times *times = found->program[0].times;
    bool *ran = XPD_NEW_ARRAY(arena, bool, times->device_count);
    for (uint32_t i = 0; ran && i < found->ops.count; i++) {
        const struct xpd_op *op = found->ops.row[i].op;
        for (uint32_t s = 0; s < op->share_count; s++)
            ran[times->share[op->first_share + s].device] = true;
    }
    return ran;
}

/* Another device of the same chip ran one, which is counted: its main core, or a SparseCore before
 * it. */
static bool is_counted(const struct xpd_ops_found *found, const bool *ran, uint32_t sparse)
{
    const struct xpd_op_times *times = found->program[0].times;
    const struct xpd_op_device *of = &times->device[sparse];
    const struct xpd_trace *trace = found->source[0].trace;
    for (uint32_t d = 0; d < times->device_count; d++) {
        const struct xpd_op_device *other = &times->device[d];
        bool before = ran[d] && d != sparse && (!other->sparse || d < sparse);
        if (before && other->number == of->number &&
            (!trace->part ||
             xpd_part_of_process(trace, other->process) == xpd_part_of_process(trace, of->process)))
            return true;
    }
    return false;
}

static uint32_t count_chips(const struct xpd_ops_found *found, const bool *ran)
{
    const struct xpd_op_times *times = found->program[0].times;
    uint32_t chips = 0;
    for (uint32_t d = 0; d < times->device_count; d++)
        chips += ran[d] && (!times->device[d].sparse || !is_counted(found, ran, d));
    return chips;
}

int xpd_tools_ops_chips(uint32_t *out, const struct xpd_ops_found *found, struct xpd_arena *arena,
                        struct xpd_err *err)
{
    const bool *ran = devices_of(found, arena);
    *out = ran ? count_chips(found, ran) : 0;
    return ran ? XPD_OK : xpd_tools_no_memory(err);
}

static void put_host(struct xpd_ops_whose *out, const struct xpd_run *run, uint32_t host, bool ran)
{
    if (ran)
        out->host_name[out->host_count++] = run->host[host].name;
    else
        out->quiet_name[out->quiet_count++] = run->host[host].name;
}

int xpd_tools_ops_whose(struct xpd_ops_whose *out, const struct xpd_ops_found *found,
                        const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    const struct xpd_run *run = ctx->run;
    size_t most = (size_t)run->host_count + 1;
    *out = (struct xpd_ops_whose){.host_name = XPD_NEW_ARRAY(ctx->arena, const char *, most),
                                  .quiet_name = XPD_NEW_ARRAY(ctx->arena, const char *, most),
                                  .other_name = XPD_NEW_ARRAY(ctx->arena, const char *, most)};
    if (!out->host_name || !out->quiet_name || !out->other_name)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < run->host_count; i++)
        if (found->left_out[i])
            out->other_name[out->other_count++] = run->host[i].name;
    out->host = xpd_tools_whose(run, found->host);
    if (found->program_count == 0)
        return XPD_OK;
    const struct xpd_op_times *times = found->program[0].times;
    const struct xpd_trace *trace = found->source[0].trace;
    const bool *ran = devices_of(found, ctx->arena);
    if (!ran)
        return xpd_tools_no_memory(err);
    out->on_cpu = true;
    out->chips = count_chips(found, ran);
    for (uint32_t d = 0; d < times->device_count; d++)
        out->on_cpu &= trace->process[times->device[d].process].kind == XPD_PROCESS_HOST;
    if (!trace->part)
        put_host(out, run, found->host, out->chips > 0);
    for (uint32_t k = 0; k < trace->part_count; k++) {
        bool any = false;
        for (uint32_t d = 0; d < times->device_count; d++)
            any |=
                ran[d] && xpd_part_of_process(trace, times->device[d].process) == &trace->part[k];
        put_host(out, run, xpd_tools_part_host(run, k), any);
    }
    return XPD_OK;
}

void xpd_tools_ops_whose_words(struct xpd_strbuf *out, const struct xpd_ops_whose *whose)
{
    uint32_t hosts = whose->host_count, quiet = whose->quiet_count;
    if (whose->host && whose->other_count > 0)
        xpd_strbuf_printf(out, "; of %s alone", whose->host);
    if (!whose->host && hosts > 0)
        xpd_strbuf_printf(out, "; sums over %" PRIu32 " host%s, %" PRIu32 " %s%s", hosts,
                          hosts == 1 ? "" : "s", whose->chips,
                          whose->on_cpu ? "CPU device" : "chip", whose->chips == 1 ? "" : "s");
    if (!whose->host && quiet > 0)
        xpd_strbuf_printf(out, "; no operation on %s%s", whose->quiet_name[0],
                          quiet > 1 ? " and others" : "");
}

/* ---- names of programs ---- */

/* Programs of one name and id are neighbours. */
static bool is_twin(const struct xpd_op_times *times, const struct xpd_op_program *program, int by)
{
    int64_t at = program - times->program + by;
    const struct xpd_op_program *next =
        at >= 0 && at < times->program_count ? &times->program[at] : NULL;
    return next && !program->loose && next->has_id == program->has_id && next->id == program->id &&
           next->name == program->name;
}

/* The first host that has it. */
static const char *first_host(const struct xpd_run *run, const struct xpd_op_times *times,
                              const struct xpd_op_program *program)
{
    for (uint32_t k = 0; k < times->part_count; k++)
        for (uint32_t p = 0; p < times->part[k].times->program_count; p++)
            if (&times->program[times->part[k].program[p]] == program)
                return run->host[xpd_tools_part_host(run, k)].name;
    return "";
}

/* Of all hosts: there is another one of its name and id, whose HLO is not the same. */
static bool differs(const struct xpd_run *run, const struct xpd_op_times *times,
                    const struct xpd_op_program *program, struct xpd_str key)
{
    bool found = times->part && (is_twin(times, program, -1) || is_twin(times, program, 1));
    for (uint32_t m = 0; times->part && !found && m < run->module_count; m++)
        found = xpd_str_eq(key, xpd_str_of(run->module[m].key));
    return found;
}

const char *xpd_tools_program_name(const struct xpd_tool_ctx *ctx, const struct xpd_op_times *times,
                                   const struct xpd_op_program *program, bool *other)
{
    struct xpd_str name = xpd_intern_get(&times->names, program->name);
    struct xpd_strbuf text = {0};
    xpd_strbuf_add(&text, name.data, name.size);
    if (program->has_id)
        xpd_strbuf_printf(&text, "(%" PRIu64 ")", program->id);
    *other = differs(ctx->run, times, program, (struct xpd_str){text.data, text.size});
    if (*other)
        xpd_strbuf_printf(&text, " on %s", first_host(ctx->run, times, program));
    struct xpd_str kept = xpd_strbuf_keep(&text, ctx->arena);
    xpd_strbuf_fini(&text);
    return kept.data ? kept.data : "";
}
