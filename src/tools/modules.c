/* /api/v1/modules: every module of a run with its numbers, one row each, and one row per memory
 * space. */
#include "common/common.h"

#define MODULES_MAX 5000

#define XPD_MODULES_ROW_FIELDS(FIELD)                                                              \
    FIELD(STRING, key, "the parameter `module`")                                                   \
    FIELD(STRING, name, "")                                                                        \
    FIELD(ID, program_id, "")                                                                      \
    FIELD(VALUES(INDEX), hosts, "indexes in `hosts` of `run`")                                     \
    FIELD(MAYBE(INT), run_count, "how often it ran")                                               \
    FIELD(MAYBE(INT), instructions, "null: it could not be read; see `error`")                     \
    FIELD(MAYBE(INT), buffers, "null: it could not be read")                                       \
    FIELD(MAYBE(SIGNED), peak_space, "color of the memory space of the next fields")               \
    FIELD(MAYBE(INT), peak_bytes, "null: no buffer assignment")                                    \
    FIELD(MAYBE(INT), argument_bytes, "")                                                          \
    FIELD(MAYBE(INT), output_bytes, "")                                                            \
    FIELD(MAYBE(INT), alias_bytes, "outputs written into arguments, counted in both")              \
    FIELD(MAYBE(INT), constant_bytes, "")                                                          \
    FIELD(MAYBE(INT), heap_bytes, "reserved for temporaries")                                      \
    FIELD(MAYBE(INT), temp_bytes, "live at the peak: argument + output - alias + constant + this") \
    FIELD(MAYBE(INT), fragmentation_bytes, "reserved minus the peak")                              \
    FIELD(BOOL, failed_to_compile, "")                                                             \
    FIELD(MAYBE(STRING), error, "why it has no memory numbers")
XPD_RECORD(xpd_modules_row, XPD_MODULES_ROW_FIELDS)

#define XPD_MODULES_SPACE_FIELDS(FIELD)                                                            \
    FIELD(INDEX, module, "row of `rows`")                                                          \
    FIELD(SIGNED, color, "")                                                                       \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(INT, peak_bytes, "")                                                                     \
    FIELD(INT, reserved_bytes, "")                                                                 \
    FIELD(INT, argument_bytes, "")                                                                 \
    FIELD(INT, output_bytes, "")                                                                   \
    FIELD(INT, alias_bytes, "outputs written into arguments, counted in both")                     \
    FIELD(INT, constant_bytes, "")                                                                 \
    FIELD(INT, heap_bytes, "reserved for temporaries")                                             \
    FIELD(MAYBE(INT), temp_bytes, "live at the peak: argument + output - alias + constant + this") \
    FIELD(MAYBE(INT), fragmentation_bytes, "reserved minus the peak")                              \
    FIELD(INT, thread_local_bytes, "not included in reserved")
XPD_RECORD(xpd_modules_space, XPD_MODULES_SPACE_FIELDS)

#define XPD_MODULES_FIELDS(FIELD)                                                                  \
    FIELD(INLINE(xpd_modules_row), rows, "by key")                                                 \
    FIELD(COUNT, left_out, "modules beyond 5,000")                                                 \
    FIELD(COLUMNS(xpd_modules_space), spaces, "memory spaces of each")                             \
    FIELD(MAYBE(STRING), default_module, "key of the default, for routes without `module`")        \
    XPD_CAPACITY_FIELDS(FIELD)
XPD_RECORD(xpd_modules, XPD_MODULES_FIELDS)

struct loaded {
    const struct xpd_hlo *hlo; /* NULL when it could not be loaded */
    const struct xpd_mem *mem;
};

static void fill_memory(struct xpd_modules_row *row, const struct xpd_mem_space *main)
{
    const struct xpd_mem_totals *totals = &main->totals;
    row->peak_space = main->color;
    row->peak_bytes = main->peak_bytes;
    row->argument_bytes = totals->argument;
    row->output_bytes = totals->output;
    row->alias_bytes = totals->alias;
    row->constant_bytes = totals->constant;
    row->heap_bytes = totals->temp;
    row->temp_bytes = xpd_mem_peak_temp(main);
    row->fragmentation_bytes = xpd_mem_fragmentation(main);
}

static void fill_row(struct xpd_modules_row *row, struct loaded *loaded,
                     const struct xpd_tool_ctx *ctx, uint32_t index)
{
    const struct xpd_module *module = &ctx->run->module[index];
    struct xpd_err why = {0};
    *row = (struct xpd_modules_row){.key = module->key,
                                    .name = module->name,
                                    .program_id = module->program_id,
                                    .hosts = {module->host, module->host_count},
                                    .run_count = xpd_tools_run_count(module),
                                    .instructions = -1,
                                    .buffers = -1,
                                    .peak_space = XPD_UNKNOWN,
                                    .peak_bytes = -1,
                                    .argument_bytes = -1,
                                    .output_bytes = -1,
                                    .alias_bytes = -1,
                                    .constant_bytes = -1,
                                    .heap_bytes = -1,
                                    .temp_bytes = -1,
                                    .fragmentation_bytes = -1,
                                    .failed_to_compile = module->failed_to_compile};
    if (xpd_store_module(ctx->store, ctx->run, index, &loaded->hlo, &loaded->mem, &why) != XPD_OK) {
        *loaded = (struct loaded){0};
        row->error = xpd_arena_strndup(ctx->arena, why.text, strlen(why.text));
        return;
    }
    row->instructions = loaded->hlo->instructions.count;
    row->buffers = loaded->hlo->buffers.count;
    const struct xpd_mem_space *main = xpd_mem_main_space(loaded->mem);
    if (main)
        fill_memory(row, main);
    else
        row->error = "no buffer assignment";
}

static struct xpd_modules_space space_of(const struct xpd_tool_ctx *ctx, uint32_t module,
                                         const struct xpd_mem_space *space)
{
    char scratch[24];
    const char *name = xpd_space_name(ctx->run->platform, space->color, scratch);
    return (struct xpd_modules_space){.module = module,
                                      .color = space->color,
                                      .name = xpd_arena_str(ctx->arena, xpd_str_of(name)),
                                      .peak_bytes = space->peak_bytes,
                                      .reserved_bytes = space->totals.reserved,
                                      .argument_bytes = space->totals.argument,
                                      .output_bytes = space->totals.output,
                                      .alias_bytes = space->totals.alias,
                                      .constant_bytes = space->totals.constant,
                                      .heap_bytes = space->heap_bytes,
                                      .temp_bytes = xpd_mem_peak_temp(space),
                                      .fragmentation_bytes = xpd_mem_fragmentation(space),
                                      .thread_local_bytes = space->totals.thread_local_};
}

static void fill_spaces(struct xpd_modules *out, const struct xpd_tool_ctx *ctx,
                        const struct loaded *loaded, uint32_t count)
{
    uint32_t n = 0, at = 0;
    for (uint32_t i = 0; i < count; i++)
        n += loaded[i].mem ? loaded[i].mem->space_count : 0;
    struct xpd_modules_space *space = XPD_NEW_ARRAY(ctx->arena, struct xpd_modules_space, n);
    for (uint32_t i = 0; space && i < count; i++)
        for (uint32_t j = 0; loaded[i].mem && j < loaded[i].mem->space_count; j++)
            space[at++] = space_of(ctx, i, &loaded[i].mem->space[j]);
    out->spaces.at = space;
    out->spaces.n = n;
}

static int modules(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    uint32_t n = ctx->run->module_count < MODULES_MAX ? ctx->run->module_count : MODULES_MAX, main;
    struct xpd_modules *out = XPD_NEW(ctx->arena, struct xpd_modules);
    struct xpd_modules_row *row = XPD_NEW_ARRAY(ctx->arena, struct xpd_modules_row, n);
    struct loaded *loaded = XPD_NEW_ARRAY(ctx->arena, struct loaded, n);
    struct xpd_capacity capacity;
    if (!out || !row || !loaded)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++)
        fill_row(&row[i], &loaded[i], ctx, i);
    xpd_tools_capacity(ctx, 0, &capacity);
    *out = (struct xpd_modules){
        .rows = {row, n}, .left_out = ctx->run->module_count - n, XPD_CAPACITY_OF(capacity)};
    fill_spaces(out, ctx, loaded, n);
    if (xpd_store_default_module(ctx->store, ctx->run, &main, NULL) == XPD_OK)
        out->default_module = ctx->run->module[main].key;
    *answer = out;
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_modules = {
    .route = "/api/v1/modules",
    .title = "Every module of a run with its numbers. Loads all modules.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .file_name = "modules.csv",
    .answer = xpd_modules_record,
    .make = modules,
    XPD_IN_REPORT("", {105, XPD_EACH_RUN, "", "the list of programs"}),
};
