/* /api/v1/memory/summary: the headline of a memory space, and the numbers other programs give for
 * it. */
#include "oom.h"
#include "table_facts.h"
#include "xprofd/memory/blocks.h"

#define XPD_DIFFERS_ROW_FIELDS(FIELD)                                                              \
    FIELD(STRING, what, "key of the number in `xprof`")                                            \
    FIELD(INT, ours, "bytes")                                                                      \
    FIELD(INT, xprof, "bytes")                                                                     \
    FIELD(STRING, reason, "why they differ")
XPD_RECORD_TYPE(xpd_differs_row, XPD_DIFFERS_ROW_FIELDS)

#define XPD_SUMMARY_XPROF_FIELDS(FIELD)                                                            \
    FIELD(SIGNED, peak_bytes, "")                                                                  \
    FIELD(SIGNED, total_bytes, "")                                                                 \
    FIELD(SIGNED, unpadded_peak_bytes, "")                                                         \
    FIELD(SIGNED, argument_bytes, "")                                                              \
    FIELD(SIGNED, temp_bytes, "")                                                                  \
    FIELD(SIGNED, temp_with_fragmentation_bytes, "")                                               \
    FIELD(REAL, fragmentation_percent, "")                                                         \
    FIELD(INT, peak_position, "in its list of steps")                                              \
    FIELD(MAYBE(STRING), error, "its message if it fails")                                         \
    FIELD(LIST(xpd_differs_row), differs, "numbers that differ from ours")
XPD_RECORD_TYPE(xpd_summary_xprof, XPD_SUMMARY_XPROF_FIELDS)

#define XPD_SUMMARY_JAX_FIELDS(FIELD)                                                              \
    FIELD(SIGNED, argument_bytes, "")                                                              \
    FIELD(SIGNED, output_bytes, "")                                                                \
    FIELD(SIGNED, alias_bytes, "")                                                                 \
    FIELD(SIGNED, temp_bytes, "")                                                                  \
    FIELD(SIGNED, peak_bytes, "")                                                                  \
    FIELD(SIGNED, host_argument_bytes, "")                                                         \
    FIELD(SIGNED, host_output_bytes, "")                                                           \
    FIELD(SIGNED, host_alias_bytes, "")                                                            \
    FIELD(SIGNED, host_temp_bytes, "")
XPD_RECORD_TYPE(xpd_summary_jax, XPD_SUMMARY_JAX_FIELDS)

#define XPD_XLA_REPORT_FIELDS(FIELD) FIELD(INT, total_bytes, "with thread-local allocations")
XPD_RECORD_TYPE(xpd_xla_report, XPD_XLA_REPORT_FIELDS)

/* The same memory as XProf, JAX and XLA's own report count it, and why XProf's number differs where
 * it does. */

XPD_RECORD_TABLE(xpd_differs_row, XPD_DIFFERS_ROW_FIELDS)
XPD_RECORD_TABLE(xpd_summary_xprof, XPD_SUMMARY_XPROF_FIELDS)
XPD_RECORD_TABLE(xpd_summary_jax, XPD_SUMMARY_JAX_FIELDS)
XPD_RECORD_TABLE(xpd_xla_report, XPD_XLA_REPORT_FIELDS)

static void fill_differs(struct xpd_summary_xprof *out, const struct xpd_tool_ctx *ctx,
                         const struct xpd_facts *facts)
{
    const struct xpd_mem_space *space = ctx->space;
    const struct xpd_differs_row all[] = {
        {"peak_bytes", space->peak_bytes, out->peak_bytes, facts->peak_reason},
        {"unpadded_peak_bytes", space->peak_unpadded_bytes, out->unpadded_peak_bytes,
         "XProf counts arguments, outputs and constants with their padding"},
        {"total_bytes", space->totals.reserved, out->total_bytes,
         "XProf counts allocations by their own memory space; values can be in the heap of "
         "another"},
    };
    enum { ALL = sizeof all / sizeof *all };
    struct xpd_differs_row *row = XPD_NEW_ARRAY(ctx->arena, struct xpd_differs_row, ALL);
    for (uint32_t i = 0; row && i < ALL; i++)
        if (all[i].ours != all[i].xprof)
            row[out->differs.n++] = all[i];
    out->differs.at = row;
}

static const struct xpd_summary_xprof *xpd_summary_xprof_of(const struct xpd_tool_ctx *ctx,
                                                            const struct xpd_facts *facts)
{
    const struct xpd_xprof_memory *xprof = &facts->xprof;
    struct xpd_summary_xprof *out = XPD_NEW(ctx->arena, struct xpd_summary_xprof);
    if (!out)
        return NULL;
    int64_t peak = xprof->peak_bytes + xprof->indefinite_bytes;
    int64_t set_aside = xprof->total_bytes - xprof->indefinite_total_bytes;
    *out = (struct xpd_summary_xprof){
        .peak_bytes = peak,
        .total_bytes = xprof->total_bytes,
        .unpadded_peak_bytes = xprof->peak_unpadded_bytes + xprof->indefinite_bytes,
        .argument_bytes = xprof->parameter_bytes,
        .temp_bytes = peak - xprof->indefinite_total_bytes,
        .temp_with_fragmentation_bytes = set_aside,
        .fragmentation_percent =
            set_aside ? 100.0 * (double)(xprof->total_bytes - peak) / (double)set_aside : 0.0,
        .peak_position = xprof->peak_position,
        .error = xprof->error_text,
    };
    fill_differs(out, ctx, facts);
    return out;
}

static const struct xpd_summary_jax *xpd_summary_jax_of(const struct xpd_tool_ctx *ctx,
                                                        const struct xpd_facts *facts)
{
    const struct xpd_jax_analysis *jax = &facts->jax;
    struct xpd_summary_jax *out = XPD_NEW(ctx->arena, struct xpd_summary_jax);
    if (out)
        *out = (struct xpd_summary_jax){jax->argument,    jax->output,     jax->alias,
                                        jax->temp,        jax->peak,       jax->host_argument,
                                        jax->host_output, jax->host_alias, jax->host_temp};
    return out;
}

/* XLA's memory-usage-report counts thread-local allocations, which neither we nor XProf do. */
static const struct xpd_xla_report *xpd_xla_report_of(const struct xpd_tool_ctx *ctx)
{
    struct xpd_xla_report *out = XPD_NEW(ctx->arena, struct xpd_xla_report);
    if (out)
        out->total_bytes = ctx->space->totals.reserved + ctx->space->totals.thread_local_;
    return out;
}

#define LANES_MAX 256

#define XPD_SUMMARY_MODULE_FIELDS(FIELD)                                                           \
    FIELD(STRING, key, "")                                                                         \
    FIELD(STRING, name, "")                                                                        \
    FIELD(ID, program_id, "")                                                                      \
    FIELD(VALUES(STRING), hosts, "hosts whose profile has it")                                     \
    FIELD(MAYBE(INT), run_count, "how often it ran")                                               \
    FIELD(INT, instructions, "")                                                                   \
    FIELD(INT, buffers, "")                                                                        \
    FIELD(INT, events, "of its heap traces")                                                       \
    FIELD(INT, proto_bytes, "size of its HLO")                                                     \
    FIELD(BOOL, failed_to_compile, "")
XPD_RECORD(xpd_summary_module, XPD_SUMMARY_MODULE_FIELDS)

#define XPD_SUMMARY_SPACE_FIELDS(FIELD)                                                            \
    FIELD(SIGNED, color, "the parameter `space`")                                                  \
    FIELD(TEXT, name, "")
XPD_RECORD(xpd_summary_space, XPD_SUMMARY_SPACE_FIELDS)

#define XPD_SUMMARY_SPACES_FIELDS(FIELD)                                                           \
    XPD_SUMMARY_SPACE_FIELDS(FIELD)                                                                \
    FIELD(INT, peak_bytes, "")                                                                     \
    FIELD(INT, reserved_bytes, "")                                                                 \
    FIELD(INT, argument_bytes, "")                                                                 \
    FIELD(INT, output_bytes, "that is not written into arguments")                                 \
    FIELD(INT, constant_bytes, "")                                                                 \
    FIELD(INT, heap_bytes, "reserved for temporaries")                                             \
    FIELD(MAYBE(INT), temp_bytes, "temporaries live at the peak")                                  \
    FIELD(MAYBE(INT), fragmentation_bytes, "reserved minus the peak")                              \
    FIELD(INT, thread_local_bytes, "not included in reserved")                                     \
    FIELD(COUNT, steps, "")
XPD_RECORD(xpd_space_summary, XPD_SUMMARY_SPACES_FIELDS)

#define XPD_SUMMARY_PEAK_FIELDS(FIELD)                                                             \
    FIELD(INT, held_bytes, "")                                                                     \
    FIELD(INT, unpadded_bytes, "")                                                                 \
    FIELD(MAYBE(INDEX), step, "null without a heap trace")                                         \
    FIELD(MAYBE(TEXT), instruction, "instruction that runs at this step")                          \
    FIELD(MAYBE(SIGNED), instruction_id, "")                                                       \
    FIELD(MAYBE(TEXT), opcode, "")
XPD_RECORD(xpd_summary_peak, XPD_SUMMARY_PEAK_FIELDS)

#define XPD_SUMMARY_SCOPED_FIELDS(FIELD)                                                           \
    FIELD(INT, size_bytes, "")                                                                     \
    FIELD(TEXT, instruction, "the kernel")
XPD_RECORD(xpd_summary_scoped, XPD_SUMMARY_SCOPED_FIELDS)

#define XPD_SUMMARY_LANE_FIELDS(FIELD)                                                             \
    FIELD(COUNT, first_step, "")                                                                   \
    FIELD(COUNT, steps, "")                                                                        \
    FIELD(BOOL, whole_module, "belongs to the module, not to one computation")
XPD_RECORD(xpd_summary_lane, XPD_SUMMARY_LANE_FIELDS)

#define XPD_NEAR_PEAK_FIELDS(FIELD)                                                                \
    FIELD(COUNT, step, "")                                                                         \
    FIELD(INT, held_bytes, "")
XPD_RECORD(xpd_near_peak_row, XPD_NEAR_PEAK_FIELDS)

#define XPD_SUMMARY_FIELDS(FIELD)                                                                  \
    FIELD(STRING, run, "id")                                                                       \
    FIELD(OBJECT(xpd_summary_module), module, "")                                                  \
    FIELD(MAYBE(TEXT), platform, "`tpu`, `gpu`, `cpu`")                                            \
    FIELD(MAYBE(TEXT), device_type, "`TPU v6 Lite`, ...")                                          \
    FIELD(COUNT, device_count, "")                                                                 \
    FIELD(OBJECT(xpd_summary_space), space, "that the answer is about")                            \
    FIELD(LIST(xpd_space_summary), spaces, "all memory spaces of the module")                      \
    XPD_CAPACITY_FIELDS(FIELD)                                                                     \
    FIELD(MAYBE(SIGNED), headroom_bytes, "capacity minus peak; below 0: the program does not fit") \
    FIELD(OBJECT(xpd_summary_peak), peak, "")                                                      \
    FIELD(OBJECT(xpd_summary_split), split, "parts of the peak")                                   \
    FIELD(INT, resident_bytes, "held at every step")                                               \
    FIELD(INT, resident_unpadded_bytes, "")                                                        \
    FIELD(INT, heap_bytes, "reserved for temporaries")                                             \
    FIELD(INT, reserved_bytes, "all of the memory space")                                          \
    FIELD(INT, fold_bytes, "lists show buffers below this size as one sum, by default")            \
    FIELD(BOOL, live_is_union, "heap slices overlap: bytes held twice count once")                 \
    FIELD(MAYBE(OBJECT(xpd_summary_scoped)), scoped, "scratch memory of a kernel")                 \
    FIELD(COUNT, steps, "")                                                                        \
    FIELD(LIST(xpd_summary_lane), lanes, "heap traces, one after the other, at most 256")          \
    FIELD(COUNT, lanes_left_out, "")                                                               \
    FIELD(MAYBE(OBJECT(xpd_largest)), largest,                                                     \
          "groups of equal buffers that hold most of the peak")                                    \
    FIELD(LIST(xpd_near_peak_row), near_peaks, "maxima within 10 % of the peak, at most 16")       \
    FIELD(LIST(xpd_saving_row), savings, "buffers without which the peak falls most, at most 5")   \
    FIELD(OBJECT(xpd_summary_xprof), xprof, "the same memory as XProf counts it")                  \
    FIELD(OBJECT(xpd_summary_jax), jax, "as `compiled.memory_analysis()` counts it")               \
    FIELD(OBJECT(xpd_xla_report), xla_report, "as XLA's memory usage report counts it")            \
    FIELD(MAYBE(OBJECT(xpd_oom)), oom, "the error text of a dump that did not compile")            \
    FIELD(LIST(xpd_warning_row), warnings, "of reading the module, and of its analysis")           \
    FIELD(INT, warnings_left_out, "")
XPD_RECORD(xpd_summary, XPD_SUMMARY_FIELDS)

static struct xpd_str space_name(const struct xpd_tool_ctx *ctx, int64_t color)
{
    char scratch[24];
    return xpd_arena_str(ctx->arena,
                         xpd_str_of(xpd_space_name(ctx->run->platform, color, scratch)));
}

static const struct xpd_summary_module *module_of(const struct xpd_tool_ctx *ctx)
{
    const struct xpd_module *module = &ctx->run->module[ctx->module];
    struct xpd_summary_module *out = XPD_NEW(ctx->arena, struct xpd_summary_module);
    const char **host = XPD_NEW_ARRAY(ctx->arena, const char *, module->host_count);
    if (!out || !host)
        return NULL;
    for (uint32_t i = 0; i < module->host_count; i++)
        host[i] = ctx->run->host[module->host[i]].name;
    *out = (struct xpd_summary_module){.key = module->key,
                                       .name = module->name,
                                       .program_id = module->program_id,
                                       .hosts = {host, module->host_count},
                                       .run_count = xpd_tools_run_count(module),
                                       .instructions = ctx->hlo->instructions.count,
                                       .buffers = ctx->hlo->buffers.count,
                                       .events = ctx->hlo->events.count,
                                       .proto_bytes = (int64_t)module->proto_bytes,
                                       .failed_to_compile = module->failed_to_compile};
    return out;
}

static struct xpd_space_summary summary_of(const struct xpd_tool_ctx *ctx,
                                           const struct xpd_mem_space *space)
{
    return (struct xpd_space_summary){.color = space->color,
                                      .name = space_name(ctx, space->color),
                                      .peak_bytes = space->peak_bytes,
                                      .reserved_bytes = space->totals.reserved,
                                      .argument_bytes = space->totals.argument,
                                      .output_bytes = space->totals.output - space->totals.alias,
                                      .constant_bytes = space->totals.constant,
                                      .heap_bytes = space->heap_bytes,
                                      .temp_bytes = xpd_mem_peak_temp(space),
                                      .fragmentation_bytes = xpd_mem_fragmentation(space),
                                      .thread_local_bytes = space->totals.thread_local_,
                                      .steps = space->step_count};
}

static void fill_spaces(struct xpd_summary *out, const struct xpd_tool_ctx *ctx)
{
    struct xpd_summary_space *own = XPD_NEW(ctx->arena, struct xpd_summary_space);
    struct xpd_space_summary *all =
        XPD_NEW_ARRAY(ctx->arena, struct xpd_space_summary, ctx->mem->space_count);
    if (own)
        *own = (struct xpd_summary_space){ctx->color, space_name(ctx, ctx->color)};
    for (uint32_t i = 0; all && i < ctx->mem->space_count; i++)
        all[i] = summary_of(ctx, &ctx->mem->space[i]);
    out->space = own;
    out->spaces.at = all;
    out->spaces.n = ctx->mem->space_count;
}

static const struct xpd_summary_peak *peak_of(const struct xpd_tool_ctx *ctx)
{
    const struct xpd_mem_space *space = ctx->space;
    struct xpd_summary_peak *out = XPD_NEW(ctx->arena, struct xpd_summary_peak);
    uint32_t running = space->peak_step == XPD_NO_STEP
                           ? XPD_NO_INDEX
                           : xpd_mem_running(ctx->mem, space, space->peak_step);
    if (out)
        *out = (struct xpd_summary_peak){
            .held_bytes = space->peak_bytes,
            .unpadded_bytes = space->peak_unpadded_bytes,
            .step = space->peak_step,
            .instruction = xpd_tools_or_null(xpd_hlo_instruction_name(ctx->hlo, running)),
            .instruction_id =
                running == XPD_NO_INDEX ? XPD_UNKNOWN : ctx->hlo->instructions.id[running],
            .opcode = xpd_tools_or_null(xpd_hlo_opcode(ctx->hlo, running)),
        };
    return out;
}

static const struct xpd_summary_scoped *scoped_of(const struct xpd_tool_ctx *ctx)
{
    const struct xpd_mem_space *space = ctx->space;
    struct xpd_summary_scoped *out =
        space->scoped_bytes > 0 ? XPD_NEW(ctx->arena, struct xpd_summary_scoped) : NULL;
    if (out)
        *out = (struct xpd_summary_scoped){
            space->scoped_bytes, xpd_hlo_instruction_name(ctx->hlo, space->scoped_instruction)};
    return out;
}

static void fill_lanes(struct xpd_summary *out, const struct xpd_tool_ctx *ctx)
{
    const struct xpd_mem_space *space = ctx->space;
    uint32_t n = space->lane_count < LANES_MAX ? space->lane_count : LANES_MAX;
    struct xpd_summary_lane *lane = XPD_NEW_ARRAY(ctx->arena, struct xpd_summary_lane, n);
    for (uint32_t i = 0; lane && i < n; i++)
        lane[i] = (struct xpd_summary_lane){space->lane[i].first_step, space->lane[i].step_count,
                                            ctx->hlo->trace[space->lane[i].trace].whole_module};
    out->lanes.at = lane;
    out->lanes.n = n;
    out->lanes_left_out = space->lane_count - n;
}

static void fill_near_peaks(struct xpd_summary *out, const struct xpd_facts *facts,
                            struct xpd_arena *arena)
{
    uint32_t n =
        facts->near_peak_count < XPD_FACTS_PEAKS ? facts->near_peak_count : XPD_FACTS_PEAKS;
    struct xpd_near_peak_row *row = XPD_NEW_ARRAY(arena, struct xpd_near_peak_row, n);
    for (uint32_t i = 0; row && i < n; i++)
        row[i] = (struct xpd_near_peak_row){facts->near_peak[i].step, facts->near_peak[i].bytes};
    out->near_peaks.at = row;
    out->near_peaks.n = n;
}

/* Of reading the module and of its analysis, one list. */
static void fill_warnings(struct xpd_summary *out, const struct xpd_tool_ctx *ctx)
{
    struct xpd_warnings *all = XPD_NEW(ctx->arena, struct xpd_warnings);
    const struct xpd_warnings *from[2] = {&ctx->hlo->warnings, &ctx->mem->warnings};
    uint64_t left_out = from[0]->dropped + from[1]->dropped;
    for (uint32_t i = 0; all && i < 2; i++)
        for (uint32_t j = 0; j < from[i]->count; j++) {
            if (all->count < XPD_WARNINGS_MAX)
                all->item[all->count++] = from[i]->item[j];
            else
                left_out++;
        }
    out->warnings.at = xpd_tools_warnings(ctx->arena, all);
    out->warnings.n = all ? all->count : 0;
    out->warnings_left_out = (int64_t)left_out;
}

static void fill(struct xpd_summary *out, const struct xpd_tool_ctx *ctx,
                 const struct xpd_facts *facts)
{
    const struct xpd_mem_space *space = ctx->space;
    struct xpd_capacity capacity;
    xpd_tools_capacity(ctx, ctx->color, &capacity);
    *out = (struct xpd_summary){
        .run = ctx->run->entry->id,
        .module = module_of(ctx),
        .platform = xpd_tools_or_null(xpd_str_of(ctx->run->platform)),
        .device_type = xpd_tools_or_null(xpd_str_of(ctx->run->device_type)),
        .device_count = ctx->run->device_count,
        XPD_CAPACITY_OF(capacity),
        .headroom_bytes = capacity.bytes < 0 ? XPD_UNKNOWN : capacity.bytes - space->peak_bytes,
        .peak = peak_of(ctx),
        .split = xpd_peak_split_answer(&facts->split, ctx->arena),
        .resident_bytes = space->totals.resident,
        .resident_unpadded_bytes = space->totals.resident_unpadded,
        .heap_bytes = space->heap_bytes,
        .reserved_bytes = space->totals.reserved,
        .fold_bytes = xpd_mem_fold_bytes(space),
        .live_is_union = space->live_is_union,
        .scoped = scoped_of(ctx),
        .steps = space->step_count,
        .largest = facts->largest,
        .savings = {facts->saving, facts->saving_count},
        .xprof = xpd_summary_xprof_of(ctx, facts),
        .jax = xpd_summary_jax_of(ctx, facts),
        .xla_report = xpd_xla_report_of(ctx),
    };
    fill_spaces(out, ctx);
    fill_lanes(out, ctx);
    fill_near_peaks(out, facts, ctx->arena);
    fill_warnings(out, ctx);
}

static int summary(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    const struct xpd_facts *facts = xpd_table_facts(ctx, err);
    struct xpd_summary *out = facts ? XPD_NEW(ctx->arena, struct xpd_summary) : NULL;
    if (!facts)
        return XPD_ENOMEM;
    if (!out)
        return xpd_tools_no_memory(err);
    fill(out, ctx, facts);
    *answer = out;
    return ctx->run->error_text ? xpd_oom_of(&out->oom, ctx, xpd_str_of(ctx->run->error_text), err)
                                : XPD_OK;
}

const struct xpd_tool xpd_tool_memory_summary = {
    .route = "/api/v1/memory/summary",
    .title = "The headline: peak, capacity, parts of the peak, largest buffers.",
    .needs = XPD_NEEDS_SPACE,
    .answer = xpd_summary_record,
    .make = summary,
    XPD_IN_REPORT("", {120, XPD_EACH_SPACE, "", "the summary of each program"}),
};
