/* Peaks that cannot be: an operation is faster. In: rows of operations. Out: one or two sentences.
 */
#include "../tables/measured.h"
#include "op_side.h"
#include "ops_hosts.h"
#include "xprofd/ops/roofs.h"

/* What an operation can exceed. Vector units stand for the matrix units where they do the work. */
static const struct limit {
    enum xpd_peak peak;
    const char *where, *option;
} limits[] = {
    {XPD_PEAK_FLOPS, "", "--peak-flops (peak_flops=)"},
    {XPD_PEAK_HBM, "", "--peak-bandwidth (peak_bandwidth=)"},
    {XPD_PEAK_VMEM_READ, " read from VMEM", "--peak=vmem_read:N (peak_vmem_read=)"},
    {XPD_PEAK_VMEM_WRITE, " written to VMEM", "--peak=vmem_write:N (peak_vmem_write=)"},
    {XPD_PEAK_CMEM_READ, " read from CMEM", "--peak=cmem_read:N (peak_cmem_read=)"},
    {XPD_PEAK_CMEM_WRITE, " written to CMEM", "--peak=cmem_write:N (peak_cmem_write=)"},
    {XPD_PEAK_LINK, " over the link", "--peak=link:N (peak_link=)"},
};
enum { LIMITS = sizeof limits / sizeof *limits };

static double rate_of(const struct xpd_op_row *row, enum xpd_peak peak)
{
    int64_t amount = xpd_amount_of(&row->amounts, peak);
    return peak == XPD_PEAK_FLOPS           ? row->flops_per_s
           : peak == XPD_PEAK_HBM           ? row->hbm_bytes_per_s
           : amount > 0 && row->mean_ps > 0 ? (double)amount / row->mean_ps * 1e12
                                            : -1;
}

/* What a row is held against. */
static double peak_for(const struct xpd_op_row *row, const struct xpd_peaks *peaks,
                       enum xpd_peak peak)
{
    return peak == XPD_PEAK_FLOPS ? xpd_work_peak(&row->amounts, peaks) : xpd_peak_of(peaks, peak);
}

/* The row that is furthest beyond its peak; NULL: none is. */
static const struct xpd_op_row *beyond(const struct xpd_ops_found *found, enum xpd_peak limit)
{
    double most = XPD_BEYOND;
    const struct xpd_op_row *furthest = NULL;
    for (uint32_t i = 0; found->has_peaks && i < found->ops.count; i++) {
        const struct xpd_op_row *row = &found->ops.row[i];
        double peak = peak_for(row, &found->peaks, limit);
        if (row->roofline_ps >= 0 && peak > 0 && rate_of(row, limit) / peak > most) {
            most = rate_of(row, limit) / peak;
            furthest = row;
        }
    }
    return furthest;
}

static void say_beyond(struct xpd_strbuf *out, const struct xpd_ops_found *found,
                       const struct limit *limit)
{
    const struct xpd_op_row *row = beyond(found, limit->peak);
    const struct xpd_peaks *sheet = xpd_peaks_find(xpd_str_of(found->peaks.device));
    if (!row)
        return;
    double peak = peak_for(row, &found->peaks, limit->peak);
    bool vector =
        limit->peak == XPD_PEAK_FLOPS && row->amounts.vector && found->peaks.vector_flops_per_s > 0;
    double says = !sheet   ? -1
                  : vector ? sheet->vector_flops_per_s
                           : peak_for(row, sheet, limit->peak);
    const char *unit = limit->peak == XPD_PEAK_FLOPS ? "FLOP/s" : "B/s";
    xpd_strbuf_puts(out, out->size > 0 ? " " : "");
    xpd_strbuf_add(out, row->name.data, row->name.size);
    xpd_strbuf_printf(out,
                      " reached %.4g T%s%s, above the peak of %.4g T%s, so that peak is wrong%s.",
                      rate_of(row, limit->peak) / 1e12, unit, limit->where, peak / 1e12, unit,
                      limit->peak == XPD_PEAK_HBM ? ", unless a cache served the bytes" : "");
    if (says > peak)
        xpd_strbuf_printf(out, " For %s the table of chips says %.4g T%s.", sheet->device,
                          says / 1e12, unit);
    xpd_strbuf_printf(out, " Set the peak of this device with %s.",
                      vector ? "--peak=vector:N (peak_vector=)" : limit->option);
}

bool xpd_tools_ops_is_beyond(const struct xpd_ops_found *found, bool memory)
{
    bool any = false;
    for (int i = 0; i < LIMITS && !any; i++)
        if (limits[i].peak != XPD_PEAK_LINK && (limits[i].peak != XPD_PEAK_FLOPS) == memory)
            any = beyond(found, limits[i].peak) != NULL;
    return any;
}

struct xpd_str xpd_tools_ops_peaks_problem(const struct xpd_ops_found *found,
                                           struct xpd_arena *arena)
{
    struct xpd_strbuf text = {0};
    struct xpd_str kept = {NULL, 0};
    for (int i = 0; i < LIMITS; i++)
        say_beyond(&text, found, &limits[i]);
    if (text.size > 0)
        kept = xpd_strbuf_keep(&text, arena);
    xpd_strbuf_fini(&text);
    return kept;
}

void xpd_tools_ops_peaks_words(struct xpd_strbuf *out, const struct xpd_peaks *peaks)
{
    const char *device = !peaks                              ? "of this device unknown"
                         : peaks->device && peaks->device[0] ? peaks->device
                                                             : "of this device";
    const char *source = peaks && peaks->source ? peaks->source : "";
    xpd_strbuf_printf(out, "%s%s%s\n", device, source[0] ? ", " : "", source);
}

/* A program that ran, with its executions in the steps asked for. In: names out of a question. Out:
 * what the analyses take, or one sentence why it is not there. */

/* ---- steps=100-102,105 ---- */

static bool take_number(struct xpd_str *text, int64_t *number)
{
    size_t used = 0;
    while (used < text->size && text->data[used] >= '0' && text->data[used] <= '9')
        used++;
    bool fine = xpd_str_to_i64((struct xpd_str){text->data, used}, number);
    text->data += used;
    text->size -= used;
    return fine;
}

static bool take_char(struct xpd_str *text, char c)
{
    bool is = text->size > 0 && text->data[0] == c;
    text->data += is;
    text->size -= is;
    return is;
}

int xpd_tools_step_numbers(struct xpd_str text, struct xpd_arena *arena,
                           struct xpd_step_numbers **out, uint32_t *count, struct xpd_err *err)
{
    *count = 0;
    *out = XPD_NEW_ARRAY(arena, struct xpd_step_numbers, text.size / 2 + 1);
    if (!*out)
        return xpd_tools_no_memory(err);
    while (text.size > 0) {
        struct xpd_step_numbers *range = &(*out)[*count];
        bool fine = (*count == 0 || take_char(&text, ',')) && take_number(&text, &range->from);
        range->to = range->from;
        if (fine && take_char(&text, '-'))
            fine = take_number(&text, &range->to);
        if (!fine || range->from > range->to)
            return xpd_fail(err, XPD_EINVAL, "steps", XPD_NO_OFFSET,
                            "steps is a list of step numbers and ranges as 100-102,105");
        ++*count;
    }
    return XPD_OK;
}

/* ---- which program ---- */

static uint32_t module_of(const struct xpd_run *run, uint32_t host,
                          const struct xpd_op_times *times, const struct xpd_op_program *program)
{
    struct xpd_str name = xpd_intern_get(&times->names, program->name);
    for (uint32_t i = 0; i < run->module_count; i++)
        if ((program->has_id ? run->module[i].program_id == program->id
                             : xpd_str_eq(name, xpd_str_of(run->module[i].name))) &&
            xpd_module_may_run_on(run, i, host))
            return i;
    return XPD_NO_INDEX;
}

static const struct xpd_op_program *busiest(const struct xpd_op_times *times)
{
    const struct xpd_op_program *most = NULL;
    int64_t most_ps = -1;
    for (uint32_t p = 0; p < times->program_count; p++) {
        int64_t sum_ps = 0;
        for (uint32_t o = 0; o < times->program[p].op_count; o++)
            sum_ps += times->op[times->program[p].first_op + o].sums.self_ps / 2;
        if (sum_ps > most_ps) {
            most_ps = sum_ps;
            most = &times->program[p];
        }
    }
    return most;
}

static int find_host(struct xpd_op_side *out, const struct xpd_tool_ctx *ctx,
                     const struct xpd_op_ask *ask, struct xpd_err *err)
{
    const struct xpd_run *run = ctx->run;
    int rc = XPD_OK;
    out->module = out->host = XPD_NO_INDEX;
    if (ask->module.size > 0)
        rc = xpd_run_find_module(run, ask->module, &out->module, err);
    if (rc == XPD_OK)
        rc = xpd_tools_host_called(run, ask->host, &out->host, err);
    if (rc != XPD_OK)
        return rc;
    if (out->module != XPD_NO_INDEX)
        out->why_not = xpd_measured_never(run, out->module);
    bool none = out->host == XPD_NO_INDEX ||
                (out->host < run->host_count && !xpd_host_has_events(&run->host[out->host]));
    if (!out->why_not && none)
        out->why_not =
            "nothing was measured: the profile has no events; the program was compiled ahead "
            "of time or captured without a trace";
    return XPD_OK;
}

static int find_program(struct xpd_op_side *out, const struct xpd_tool_ctx *ctx,
                        struct xpd_err *err)
{
    const struct xpd_op_times *times = out->runs->times;
    bool asked = out->module != XPD_NO_INDEX;
    if (!asked) {
        out->program = busiest(times);
        out->module =
            out->program ? module_of(ctx->run, out->host, times, out->program) : XPD_NO_INDEX;
    }
    if (out->module != XPD_NO_INDEX) {
        int rc = xpd_store_module(ctx->store, ctx->run, out->module, &out->hlo, NULL, err);
        if (rc != XPD_OK)
            return rc;
        const struct xpd_op_program *of =
            xpd_measured_program(ctx->run, out->module, times, out->host, out->hlo);
        if (!asked && of != out->program) { /* another program of that name, on other hosts */
            out->module = XPD_NO_INDEX;
            out->hlo = NULL;
        } else
            out->program = of;
    }
    if (!out->program || out->program->op_count == 0) {
        out->why_not = !asked        ? "the trace names no operation of an XLA program"
                       : times->part ? "the trace of no host names an operation of this program"
                                     : "the trace of this host names no operation of this program";
        return XPD_OK;
    }
    bool other;
    out->key = out->module != XPD_NO_INDEX
                   ? ctx->run->module[out->module].key
                   : xpd_tools_program_name(ctx, times, out->program, &other);
    out->clock = xpd_op_clock(out->program->count, out->program->device_count);
    return XPD_OK;
}

static int join(struct xpd_op_side *out, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    const struct xpd_op_times *times = out->runs->times;
    const struct xpd_op_program *program = out->program;
    out->instruction = XPD_NEW_ARRAY(ctx->arena, uint32_t, program->op_count);
    for (uint32_t o = 0; out->instruction && o < program->op_count; o++) {
        struct xpd_str text = xpd_intern_get(&times->names, times->op[program->first_op + o].name);
        xpd_name_id name = out->hlo ? xpd_intern_find(&out->hlo->names, text) : XPD_NO_NAME;
        out->instruction[o] =
            name == XPD_NO_NAME ? XPD_NO_INDEX : out->hlo->instruction_by_name[name];
    }
    return out->instruction ? XPD_OK : xpd_tools_no_memory(err);
}

int xpd_tools_op_side(struct xpd_op_side *out, const struct xpd_tool_ctx *ctx,
                      const struct xpd_op_ask *ask, struct xpd_err *err)
{
    struct xpd_step_numbers *chosen;
    uint32_t count;
    *out = (struct xpd_op_side){0};
    int rc = xpd_tools_step_numbers(ask->steps, ctx->arena, &chosen, &count, err);
    if (rc == XPD_OK)
        rc = find_host(out, ctx, ask, err);
    if (rc != XPD_OK || out->why_not)
        return rc;
    const struct xpd_trace **trace = &out->view.trace;
    rc = xpd_store_op_runs(ctx->store, ctx->run, out->host, ctx->wait_ms, &out->runs, ctx->state,
                           err);
    if (rc == XPD_OK)
        rc = xpd_store_trace(ctx->store, ctx->run, out->host, ctx->wait_ms, trace, ctx->state, err);
    if (rc == XPD_OK)
        rc = xpd_store_derived(ctx->store, ctx->run, out->host, ctx->wait_ms, &out->view.derived,
                               ctx->state, err);
    if (rc == XPD_OK)
        rc = find_program(out, ctx, err);
    if (rc == XPD_OK && !out->why_not)
        rc = join(out, ctx, err);
    if (rc != XPD_OK || out->why_not)
        return rc;
    if (!xpd_step_spans_make(&out->spans, ctx->arena, &out->view, out->runs, out->program, chosen,
                             count))
        return xpd_tools_no_memory(err);
    if (out->spans.count == 0)
        out->why_not = "this program did not run in the steps asked for";
    return XPD_OK;
}
