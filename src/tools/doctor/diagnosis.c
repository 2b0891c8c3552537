/* Findings of a module with what its run knows. In: a call of a tool. Out: one list over all memory
 * spaces. */
#include "diagnosis.h"
#include "../tables/measured.h"
#include "../trace/allocators.h"
#include "xprofd/base/checked.h"
#include "xprofd/memory/oom_text.h"
#include "xprofd/tools/heap.h"
#include <stdlib.h>

/* What findings of memory cost in time. In: the op times of the run. Out: two numbers and a
 * sentence more in each finding of memory that names timed instructions. */

static int64_t time_of(const struct xpd_measured *m, const uint32_t *instruction, uint32_t count,
                       uint32_t *measured)
{
    int64_t sum_ps = 0;
    *measured = 0;
    for (uint32_t i = 0; i < count; i++)
        if (m->op[instruction[i]]) {
            xpd_grow_i64(&sum_ps, m->op[instruction[i]]->sums.self_ps);
            (*measured)++;
        }
    return sum_ps;
}

static void add_number(struct xpd_finding *f, const char *name, int64_t value, const char *unit)
{
    if (f->number_count < XPD_DOCTOR_NUMBERS)
        f->number[f->number_count++] = (struct xpd_doctor_number){name, value, unit};
}

static void say(struct xpd_finding *f, const struct xpd_tool_ctx *ctx, int64_t time_ps,
                int64_t all_ps, uint32_t measured)
{
    double share = all_ps > 0 ? (double)time_ps / (double)all_ps : 0;
    bool waits = strcmp(f->rule->id, "D14") == 0, seconds = time_ps >= INT64_C(10000000000000);
    double unit = seconds ? 1e12 : 1e9;
    const char *text = xpd_arena_printf(
        ctx->arena,
        "%.*s Measured: %s %.3f %s, %.1f %% of the %.3f %s of this program's operations (%" PRIu32
        " of %" PRIu32 " %s, over all devices and runs).",
        (int)f->claim.size, f->claim.data, waits ? "waiting for their ends took" : "they took",
        (double)time_ps / unit, seconds ? "s" : "ms", share * 100, (double)all_ps / unit,
        seconds ? "s" : "ms", measured, f->timed_count, waits ? "ends" : "instructions");
    if (!text)
        return;
    f->claim = xpd_str_of(text);
    add_number(f, "measured_ps", time_ps, "ps");
    add_number(f, "measured_share", (int64_t)(share * 1000 + 0.5), "permille");
}

/* Adds what was measured to findings of memory whose price is time. Nothing is read unless one
 * needs it. XPD_EBUSY while events are read. */
static int xpd_diagnosis_prices(struct xpd_diagnosis *d, const struct xpd_tool_ctx *ctx,
                                struct xpd_err *err)
{
    struct xpd_measured measured = {0};
    uint32_t count, timed = 0;
    int64_t all_ps = 0;
    for (uint32_t i = 0; i < d->count; i++)
        timed += d->finding[i].timed_count;
    if (timed == 0)
        return XPD_OK;
    int rc = xpd_measured_of(&measured, ctx, ctx->module, ctx->hlo, XPD_NO_INDEX, err);
    if (rc != XPD_OK || measured.why_not)
        return rc;
    for (uint32_t i = 0; i < ctx->hlo->instructions.count; i++)
        if (measured.op[i])
            xpd_grow_i64(&all_ps, measured.op[i]->sums.self_ps);
    for (uint32_t i = 0; i < d->count; i++) {
        struct xpd_finding *f = &d->finding[i];
        int64_t time_ps = time_of(&measured, f->timed, f->timed_count, &count);
        if (count > 0)
            say(f, ctx, time_ps, all_ps, count);
    }
    return XPD_OK;
}

#define OTHERS_MAX 32 /* programs of a run that are looked at for D28 */

/* Other programs with a tenth of this peak or more. Those of large runs are not analysed for it. */
static void look_at_others(struct xpd_doctor_input *input, const struct xpd_tool_ctx *ctx)
{
    const struct xpd_mem_space *own = xpd_mem_main_space(ctx->mem);
    if (!own || ctx->run->module_count > OTHERS_MAX)
        return;
    for (uint32_t i = 0; i < ctx->run->module_count; i++) {
        const struct xpd_hlo *hlo;
        const struct xpd_mem *mem;
        if (i == ctx->module ||
            xpd_store_module(ctx->store, ctx->run, i, &hlo, &mem, NULL) != XPD_OK)
            continue;
        const struct xpd_mem_space *space = xpd_mem_space_of(mem, own->color);
        if (!space || space->peak_bytes < own->peak_bytes / 10 || space->peak_bytes < 1 << 20)
            continue;
        input->big_others++;
        if (space->peak_bytes > input->others_bytes) {
            input->others_bytes = space->peak_bytes;
            input->others_name = xpd_str_of(ctx->run->module[i].name);
        }
    }
}

/* What the compiler's error text says a memory space needs. */
static void read_error(struct xpd_doctor_input *input, const struct xpd_tool_ctx *ctx)
{
    struct xpd_oom_text text;
    const char *error = xpd_tools_error_text(ctx);
    input->error_color = -1;
    input->dump_is_silent = ctx->run->entry->kind == XPD_RUN_DUMP && !error;
    if (!error || xpd_oom_read(&text, xpd_str_of(error), ctx->arena, NULL) != XPD_OK ||
        !text.understood)
        return;
    input->error_color = text.color;
    input->error_needed_bytes = text.needed_bytes;
    input->error_capacity_bytes = text.capacity_bytes;
}

/* What the allocators reported, if anything. */
static int read_runtime(struct xpd_doctor_input *input, const struct xpd_tool_ctx *ctx,
                        struct xpd_err *err)
{
    struct xpd_runtime_memory runtime;
    int rc = xpd_tools_runtime_memory(&runtime, ctx, err);
    if (rc != XPD_OK || !runtime.of.most)
        return rc;
    int64_t reserved = runtime.of.most->event[runtime.of.most->most].reserved_bytes;
    input->runtime_peak_bytes = runtime.of.most->most_bytes;
    input->runtime_heap_bytes = reserved > 0 ? reserved : 0;
    input->runtime_where = runtime.of.most->name;
    input->runtime_fragmentation = runtime.of.fragmentation;
    if (runtime.of.pieces)
        input->runtime_pieces_where = runtime.of.pieces->name;
    if (runtime.of.refused) {
        const struct xpd_allocation *at = &runtime.of.refused->event[runtime.of.refused->most];
        input->runtime_request_bytes = runtime.of.refused->request_bytes;
        input->runtime_piece_bytes = xpd_allocation_largest_free(at);
        input->runtime_free_bytes = at->available_bytes;
    }
    return XPD_OK;
}

static int add(struct xpd_diagnosis *d, const struct xpd_doctor *one, struct xpd_arena *arena,
               struct xpd_err *err)
{
    struct xpd_finding *all =
        XPD_NEW_ARRAY(arena, struct xpd_finding, (size_t)d->count + one->count);
    if (!all)
        return xpd_tools_no_memory(err);
    if (d->count > 0)
        memcpy(all, d->finding, d->count * sizeof *all);
    if (one->count > 0)
        memcpy(all + d->count, one->finding, one->count * sizeof *all);
    d->finding = all;
    d->count += one->count;
    d->silenced_count += one->silenced_count;
    return XPD_OK;
}

/* With the rules that made them. */
static int add_checked(struct xpd_diagnosis *d, const struct xpd_doctor *one,
                       struct xpd_arena *arena, struct xpd_err *err)
{
    d->rules_checked += one->rules_checked;
    d->rules_not_judged += one->rules_not_judged;
    return add(d, one, arena, err);
}

static int add_space(struct xpd_diagnosis *out, struct xpd_doctor_input *input,
                     const struct xpd_tool_ctx *ctx, const struct xpd_mem_space *space,
                     struct xpd_err *err)
{
    struct xpd_doctor one;
    struct xpd_capacity capacity = {.bytes = -1};
    if (space)
        xpd_tools_capacity(ctx, space->color, &capacity);
    input->capacity_bytes = capacity.bytes;
    input->capacity_from = capacity.from;
    int rc = xpd_doctor_run(&one, input, space, ctx->arena, err);
    if (rc != XPD_OK)
        return rc;
    rc = add(out, &one, ctx->arena, err);
    if (space == out->space) {
        out->rules_checked = one.rules_checked;
        out->rules_not_judged = one.rules_not_judged;
        out->not_judged = one.not_judged;
    }
    return rc;
}

/* The module's bytes, once and only when asked for: of large modules they are a copy of 60 MB. */
struct proto_later {
    const struct xpd_tool_ctx *ctx;
    struct xpd_proto_bytes bytes;
    bool read;
};

static int read_proto(void *of, const uint8_t **bytes, size_t *size)
{
    struct proto_later *later = of;
    int rc = XPD_OK;
    if (!later->read)
        rc = xpd_store_module_bytes(later->ctx->store, later->ctx->run, later->ctx->module,
                                    &later->bytes, NULL);
    later->read = rc == XPD_OK;
    *bytes = later->bytes.at;
    *size = later->bytes.size;
    return rc;
}

static int find_time(struct xpd_diagnosis *d, const struct xpd_doctor_input *input,
                     const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct xpd_doctor one;
    int rc = xpd_time_facts(&d->time, &d->no_time, ctx, &d->config->thresholds, err);
    if (rc != XPD_OK || d->no_time)
        return rc;
    rc = xpd_doctor_time_run(&one, input, &d->time, ctx->arena, err);
    if (rc != XPD_OK)
        return rc;
    d->has_time = true;
    d->time_not_judged = one.not_judged;
    return add_checked(d, &one, ctx->arena, err);
}

static int find_memory(struct xpd_diagnosis *d, struct xpd_doctor_input *input,
                       const struct xpd_tool_ctx *ctx, const struct xpd_mem_space *only,
                       struct xpd_err *err)
{
    struct proto_later later = {.ctx = ctx};
    input->read_proto = read_proto;
    input->of = &later;
    look_at_others(input, ctx);
    read_error(input, ctx);
    int rc = read_runtime(input, ctx, err);
    if (!d->space && rc == XPD_OK)
        rc = add_space(d, input, ctx, NULL, err);
    for (uint32_t i = 0; i < ctx->mem->space_count && rc == XPD_OK; i++)
        if (!only || only == &ctx->mem->space[i])
            rc = add_space(d, input, ctx, &ctx->mem->space[i], err);
    xpd_proto_bytes_free(&later.bytes);
    input->read_proto = NULL;
    input->of = NULL;
    return rc == XPD_OK ? xpd_diagnosis_prices(d, ctx, err) : rc;
}

static int find_heap(struct xpd_diagnosis *d, const struct xpd_doctor_input *input,
                     const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct xpd_doctor one;
    int rc = xpd_tools_heap_growth(&d->heap, ctx, err);
    if (rc == XPD_OK)
        rc = xpd_doctor_heap_run(&one, input, &d->heap, ctx->arena, err);
    if (rc != XPD_OK)
        return rc;
    d->not_judged = one.not_judged;
    return add_checked(d, &one, ctx->arena, err);
}

static int read_config(struct xpd_diagnosis *out, const struct xpd_tool_ctx *ctx,
                       struct xpd_str config, struct xpd_err *err)
{
    struct xpd_doctor_config *settings = XPD_NEW(ctx->arena, struct xpd_doctor_config);
    if (!settings)
        return xpd_tools_no_memory(err);
    out->config = settings;
    int rc = xpd_doctor_config_read(settings, xpd_str_of(ctx->doctor_config), "--config",
                                    ctx->arena, err);
    return rc == XPD_OK ? xpd_doctor_config_more(settings, config, "config", err) : rc;
}

/* The main memory, and what shares of bytes are shares of. */
static void look_at_space(struct xpd_diagnosis *out, const struct xpd_tool_ctx *ctx)
{
    out->space = ctx->mem ? xpd_mem_main_space(ctx->mem) : NULL;
    if (out->space) {
        xpd_tools_capacity(ctx, out->space->color, &out->capacity);
    }
    out->scale = out->capacity.bytes > 0 ? "the device's memory" : "the peak";
    out->scale_bytes = out->capacity.bytes > 0 ? out->capacity.bytes
                       : out->space            ? out->space->peak_bytes
                                               : 0;
}

int xpd_diagnose(struct xpd_diagnosis *out, const struct xpd_tool_ctx *ctx, struct xpd_str config,
                 enum xpd_diagnose_what what, const struct xpd_mem_space *only, struct xpd_err *err)
{
    struct xpd_doctor_input input = {.mem = ctx->mem,
                                     .platform = ctx->run->platform,
                                     .has_events = ctx->run->has_events,
                                     .error_color = -1,
                                     .runtime_peak_bytes = -1,
                                     .runtime_fragmentation = -1};
    *out = (struct xpd_diagnosis){.capacity = {.bytes = -1}};
    int rc = read_config(out, ctx, config, err);
    if (rc != XPD_OK)
        return rc;
    input.config = out->config;
    look_at_space(out, ctx);
    if (ctx->run->entry->kind == XPD_RUN_HEAP)
        return what == XPD_DIAGNOSE_ALL || what == XPD_DIAGNOSE_HEAP
                   ? find_heap(out, &input, ctx, err)
                   : XPD_OK;
    if (ctx->mem && (what == XPD_DIAGNOSE_ALL || what == XPD_DIAGNOSE_MEMORY))
        rc = find_memory(out, &input, ctx, only, err);
    input.capacity_bytes = out->capacity.bytes;
    if (rc == XPD_OK && (what == XPD_DIAGNOSE_ALL || what == XPD_DIAGNOSE_TIME) && !only)
        rc = find_time(out, &input, ctx, err);
    if (rc == XPD_OK &&
        !xpd_doctor_rank(out->finding, out->count, ctx->mem, out->scale_bytes, ctx->arena))
        rc = xpd_tools_no_memory(err);
    return rc;
}

const char *xpd_diagnosis_of(const struct xpd_tool_ctx *ctx)
{
    return ctx->module == XPD_NO_INDEX ? ctx->run->entry->id : ctx->run->module[ctx->module].key;
}

const char *xpd_finding_share_of(const struct xpd_diagnosis *d, const struct xpd_finding *f)
{
    if (f->about == XPD_FINDS_HEAP)
        return "what the last file holds";
    if (f->about == XPD_FINDS_MEMORY)
        return d->scale;
    return f->is_run ? "a run" : "a step";
}

struct xpd_finding_at xpd_finding_at(const struct xpd_hlo *hlo, const struct xpd_finding *f)
{
    struct xpd_source_info info = {.line = 0};
    if (f->line)
        return (struct xpd_finding_at){f->line->file, f->line->line};
    if (f->instruction != XPD_NO_INDEX)
        xpd_source_of(hlo, f->instruction, &info);
    return (struct xpd_finding_at){info.file, info.line};
}

void xpd_finding_source(struct xpd_strbuf *out, const struct xpd_hlo *hlo,
                        const struct xpd_finding *f)
{
    struct xpd_finding_at at = xpd_finding_at(hlo, f);
    if (at.file.size > 0)
        xpd_source_put(out, at.file, at.line);
    else
        xpd_strbuf_puts(out, "no source recorded");
}
