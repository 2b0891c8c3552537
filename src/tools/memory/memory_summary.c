/* /api/v1/memory/summary: the headline of a memory space, and the numbers other programs give for
 * it. */
#include "oom.h"
#include "summary.h"
#include "table_facts.h"
#include "xprofd/memory/blocks.h"

#define LANES_MAX 256

static void write_module(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx)
{
    const struct xpd_module *module = &ctx->run->module[ctx->module];
    xpd_json_key(w, "module");
    xpd_json_obj(w);
    xpd_json_ktext(w, "key", module->key);
    xpd_json_ktext(w, "name", module->name);
    xpd_json_key(w, "program_id");
    xpd_json_u64_string(w, module->program_id);
    XPD_COLUMN(w, "hosts", module->host_count,
               xpd_json_text(w, ctx->run->host[module->host[row]].name));
    xpd_tools_kknown(w, "run_count", module->run_count_known ? (int64_t)module->run_count : -1);
    xpd_json_ku64(w, "instructions", ctx->hlo->instructions.count);
    xpd_json_ku64(w, "buffers", ctx->hlo->buffers.count);
    xpd_json_ku64(w, "events", ctx->hlo->events.count);
    xpd_json_ku64(w, "proto_bytes", module->proto_bytes);
    xpd_json_kbool(w, "failed_to_compile", module->failed_to_compile);
    xpd_json_obj_end(w);
}

static void write_space(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                        const struct xpd_mem_space *space)
{
    char scratch[24];
    xpd_json_obj(w);
    xpd_json_ki64(w, "color", space->color);
    xpd_json_ktext(w, "name", xpd_space_name(ctx->run->platform, space->color, scratch));
    xpd_json_ki64(w, "peak_bytes", space->peak_bytes);
    xpd_json_ki64(w, "reserved_bytes", space->totals.reserved);
    xpd_json_ki64(w, "argument_bytes", space->totals.argument);
    xpd_json_ki64(w, "output_bytes", space->totals.output - space->totals.alias);
    xpd_json_ki64(w, "constant_bytes", space->totals.constant);
    xpd_json_ki64(w, "heap_bytes", space->heap_bytes);
    xpd_tools_kknown(w, "temp_bytes", xpd_mem_peak_temp(space));
    xpd_tools_kknown(w, "fragmentation_bytes", xpd_mem_fragmentation(space));
    xpd_json_ki64(w, "thread_local_bytes", space->totals.thread_local_);
    xpd_json_ku64(w, "steps", space->step_count);
    xpd_json_obj_end(w);
}

static void write_spaces(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx)
{
    char scratch[24];
    xpd_json_key(w, "space");
    xpd_json_obj(w);
    xpd_json_ki64(w, "color", ctx->color);
    xpd_json_ktext(w, "name", xpd_space_name(ctx->run->platform, ctx->color, scratch));
    xpd_json_obj_end(w);
    xpd_json_key(w, "spaces");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < ctx->mem->space_count; i++)
        write_space(w, ctx, &ctx->mem->space[i]);
    xpd_json_arr_end(w);
}

static void write_peak(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx)
{
    const struct xpd_mem_space *space = ctx->space;
    uint32_t running = space->peak_step == XPD_NO_STEP
                           ? XPD_NO_INDEX
                           : xpd_mem_running(ctx->mem, space, space->peak_step, NULL);
    xpd_json_key(w, "peak");
    xpd_json_obj(w);
    xpd_json_ki64(w, "bytes", space->peak_bytes);
    xpd_json_ki64(w, "unpadded_bytes", space->peak_unpadded_bytes);
    xpd_tools_kindex(w, "step", space->peak_step);
    xpd_tools_kstr(w, "instruction", xpd_tools_instruction_name(ctx->hlo, running));
    if (running == XPD_NO_INDEX)
        xpd_json_knull(w, "instruction_id");
    else
        xpd_json_ki64(w, "instruction_id", ctx->hlo->instructions.id[running]);
    xpd_tools_kstr(w, "opcode", xpd_tools_opcode(ctx->hlo, running));
    xpd_json_obj_end(w);
}

static void write_totals(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx)
{
    const struct xpd_mem_space *space = ctx->space;
    xpd_json_ki64(w, "resident_bytes", space->totals.resident);
    xpd_json_ki64(w, "resident_unpadded_bytes", space->totals.resident_unpadded);
    xpd_json_ki64(w, "heap_bytes", space->heap_bytes);
    xpd_json_ki64(w, "reserved_bytes", space->totals.reserved);
    xpd_json_ki64(w, "fold_bytes", xpd_mem_fold_bytes(space));
    xpd_json_kbool(w, "live_is_union", space->live_is_union);
    if (space->scoped_bytes > 0) {
        xpd_json_key(w, "scoped");
        xpd_json_obj(w);
        xpd_json_ki64(w, "bytes", space->scoped_bytes);
        xpd_json_kstr(w, "instruction",
                      xpd_tools_instruction_name(ctx->hlo, space->scoped_instruction));
        xpd_json_obj_end(w);
    } else {
        xpd_json_knull(w, "scoped");
    }
    xpd_json_ku64(w, "steps", space->step_count);
    uint32_t lanes = space->lane_count < LANES_MAX ? space->lane_count : LANES_MAX;
    xpd_json_key(w, "lanes");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < lanes; i++) {
        xpd_json_obj(w);
        xpd_json_ku64(w, "first_step", space->lane[i].first_step);
        xpd_json_ku64(w, "steps", space->lane[i].step_count);
        xpd_json_kbool(w, "whole_module", ctx->hlo->trace[space->lane[i].trace].whole_module);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_json_ku64(w, "lanes_left_out", space->lane_count - lanes);
}

static void write_near_peaks(struct xpd_jsonw *w, const struct xpd_facts *facts)
{
    const struct xpd_near_peak *peak = facts->near_peak;
    uint32_t n = facts->near_peak_count;
    xpd_json_key(w, "near_peaks");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < n && i < XPD_FACTS_PEAKS; i++) {
        xpd_json_obj(w);
        xpd_json_ku64(w, "step", peak[i].step);
        xpd_json_ki64(w, "bytes", peak[i].bytes);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
}

static void write_head(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx)
{
    struct xpd_capacity capacity;
    xpd_tools_capacity(ctx, ctx->color, &capacity);
    xpd_json_ktext(w, "run", ctx->run->entry->id);
    write_module(w, ctx);
    xpd_tools_kstr(w, "platform", xpd_str_of(ctx->run->platform));
    xpd_tools_kstr(w, "device_type", xpd_str_of(ctx->run->device_type));
    xpd_json_ku64(w, "device_count", ctx->run->device_count);
    write_spaces(w, ctx);
    xpd_tools_capacity_write(w, &capacity);
    if (capacity.bytes < 0)
        xpd_json_knull(w, "headroom_bytes");
    else
        xpd_json_ki64(w, "headroom_bytes", capacity.bytes - ctx->space->peak_bytes);
    write_peak(w, ctx);
}

/* Of reading the module and of its analysis, one list. */
static int write_warnings(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct xpd_warnings *all = XPD_NEW(ctx->arena, struct xpd_warnings);
    if (!all)
        return xpd_tools_no_memory(err);
    const struct xpd_warnings *from[2] = {&ctx->hlo->warnings, &ctx->mem->warnings};
    uint64_t left_out = from[0]->dropped + from[1]->dropped;
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t j = 0; j < from[i]->count; j++) {
            if (all->count < XPD_WARNINGS_MAX)
                all->item[all->count++] = from[i]->item[j];
            else
                left_out++;
        }
    xpd_json_warnings(w, "warnings", all);
    xpd_json_ku64(w, "warnings_left_out", left_out);
    return XPD_OK;
}

static int summary(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    const struct xpd_facts *facts = xpd_table_facts(ctx, err);
    if (!facts)
        return XPD_ENOMEM;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    write_head(&w, ctx);
    xpd_peak_split_write(&w, &facts->split);
    write_totals(&w, ctx);
    xpd_json_key(&w, "largest");
    xpd_json_raw(&w, facts->largest);
    write_near_peaks(&w, facts);
    xpd_json_key(&w, "savings");
    xpd_json_raw(&w, facts->savings);
    xpd_summary_others(&w, ctx, facts);
    int rc = XPD_OK;
    if (ctx->run->error_text) {
        xpd_json_key(&w, "oom");
        rc = xpd_oom_write(&w, ctx, xpd_str_of(ctx->run->error_text), err);
        if (rc != XPD_OK)
            return rc;
    } else {
        xpd_json_knull(&w, "oom");
    }
    rc = write_warnings(&w, ctx, err);
    xpd_json_obj_end(&w);
    return rc;
}

const struct xpd_tool xpd_tool_memory_summary = {
    .route = "/api/v1/memory/summary",
    .title = "The headline: peak, capacity, what the peak is made of, what holds most of it.",
    .needs = XPD_NEEDS_SPACE,
    .run = summary,
};
