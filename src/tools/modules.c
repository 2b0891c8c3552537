/* /api/v1/modules: every module of a run with its numbers, one row each, and one row per memory
 * space. */
#include "common/common.h"

#define MODULES_MAX 5000

struct module_row {
    const struct xpd_module *module;
    const struct xpd_hlo *hlo; /* NULL when it could not be loaded */
    const struct xpd_mem *mem;
    const struct xpd_mem_space *main; /* or NULL */
    const char *error;                /* or NULL */
};

static const struct xpd_mem_totals *totals_of(const struct module_row *row)
{
    static const struct xpd_mem_totals none;
    return row->main ? &row->main->totals : &none;
}

static int load_rows(const struct xpd_tool_ctx *ctx, struct module_row **rows, uint32_t *count,
                     struct xpd_err *err)
{
    *count = ctx->run->module_count < MODULES_MAX ? ctx->run->module_count : MODULES_MAX;
    *rows = XPD_NEW_ARRAY(ctx->arena, struct module_row, *count);
    if (!*rows)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < *count; i++) {
        struct module_row *row = &(*rows)[i];
        struct xpd_err why = {0};
        row->module = &ctx->run->module[i];
        if (xpd_store_module(ctx->store, ctx->run, i, &row->hlo, &row->mem, &why) != XPD_OK) {
            row->hlo = NULL;
            row->mem = NULL;
            row->error = xpd_arena_strndup(ctx->arena, why.text, strlen(why.text));
            continue;
        }
        row->main = xpd_mem_main_space(row->mem);
        if (!row->main)
            row->error = "no buffer assignment";
    }
    return XPD_OK;
}

static void hosts_of(struct xpd_jsonw *w, const struct xpd_module *module)
{
    xpd_json_arr(w);
    for (uint32_t i = 0; i < module->host_count; i++)
        xpd_json_u64(w, module->host[i]);
    xpd_json_arr_end(w);
}

static void known(struct xpd_jsonw *w, bool is_known, int64_t value)
{
    if (is_known)
        xpd_json_i64(w, value);
    else
        xpd_json_null(w);
}

#define TOTAL(name, field)                                                                         \
    XPD_COLUMN(w, name, n, known(w, rows[row].main != NULL, totals_of(&rows[row])->field))

/* -1 = unknown. */
static int64_t of_main(const struct module_row *row, int64_t (*ask)(const struct xpd_mem_space *))
{
    return row->main ? ask(row->main) : -1;
}

static void write_rows(struct xpd_jsonw *w, const struct module_row *rows, uint32_t n)
{
    XPD_COLUMN(w, "key", n, xpd_json_text(w, rows[row].module->key));
    XPD_COLUMN(w, "name", n, xpd_json_text(w, rows[row].module->name));
    XPD_COLUMN(w, "program_id", n, xpd_json_u64_string(w, rows[row].module->program_id));
    XPD_COLUMN(w, "hosts", n, hosts_of(w, rows[row].module));
    XPD_COLUMN(w, "run_count", n, xpd_tools_run_count(w, rows[row].module));
    XPD_COLUMN(w, "instructions", n,
               known(w, rows[row].hlo, rows[row].hlo ? rows[row].hlo->instructions.count : 0));
    XPD_COLUMN(w, "buffers", n,
               known(w, rows[row].hlo, rows[row].hlo ? rows[row].hlo->buffers.count : 0));
    XPD_COLUMN(w, "peak_bytes", n,
               known(w, rows[row].main, rows[row].main ? rows[row].main->peak_bytes : 0));
    XPD_COLUMN(w, "peak_space", n,
               known(w, rows[row].main, rows[row].main ? rows[row].main->color : 0));
    TOTAL("argument_bytes", argument);
    TOTAL("output_bytes", output);
    TOTAL("alias_bytes", alias);
    TOTAL("constant_bytes", constant);
    TOTAL("heap_bytes", temp);
    XPD_COLUMN(w, "temp_bytes", n, xpd_tools_known(w, of_main(&rows[row], xpd_mem_peak_temp)));
    XPD_COLUMN(w, "fragmentation_bytes", n,
               xpd_tools_known(w, of_main(&rows[row], xpd_mem_fragmentation)));
    XPD_COLUMN(w, "failed_to_compile", n, xpd_json_bool(w, rows[row].module->failed_to_compile));
    XPD_COLUMN(w, "error", n, xpd_json_text(w, rows[row].error));
}

struct space_row {
    uint32_t module;
    const struct xpd_mem_space *space;
};

static int write_spaces(const struct xpd_tool_ctx *ctx, struct xpd_jsonw *w,
                        const struct module_row *rows, uint32_t count, struct xpd_err *err)
{
    uint32_t n = 0, at = 0;
    for (uint32_t i = 0; i < count; i++)
        n += rows[i].mem ? rows[i].mem->space_count : 0;
    struct space_row *space = XPD_NEW_ARRAY(ctx->arena, struct space_row, n);
    if (!space)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; rows[i].mem && j < rows[i].mem->space_count; j++)
            space[at++] = (struct space_row){i, &rows[i].mem->space[j]};
    char scratch[24];
    const char *platform = ctx->run->platform;
    xpd_json_key(w, "spaces");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "module", n, xpd_json_u64(w, space[row].module));
    XPD_COLUMN(w, "color", n, xpd_json_i64(w, space[row].space->color));
    XPD_COLUMN(w, "name", n,
               xpd_json_text(w, xpd_space_name(platform, space[row].space->color, scratch)));
    XPD_COLUMN(w, "peak_bytes", n, xpd_json_i64(w, space[row].space->peak_bytes));
    XPD_COLUMN(w, "reserved_bytes", n, xpd_json_i64(w, space[row].space->totals.reserved));
    XPD_COLUMN(w, "argument_bytes", n, xpd_json_i64(w, space[row].space->totals.argument));
    XPD_COLUMN(w, "output_bytes", n, xpd_json_i64(w, space[row].space->totals.output));
    XPD_COLUMN(w, "alias_bytes", n, xpd_json_i64(w, space[row].space->totals.alias));
    XPD_COLUMN(w, "constant_bytes", n, xpd_json_i64(w, space[row].space->totals.constant));
    XPD_COLUMN(w, "heap_bytes", n, xpd_json_i64(w, space[row].space->heap_bytes));
    XPD_COLUMN(w, "temp_bytes", n, xpd_tools_known(w, xpd_mem_peak_temp(space[row].space)));
    XPD_COLUMN(w, "fragmentation_bytes", n,
               xpd_tools_known(w, xpd_mem_fragmentation(space[row].space)));
    XPD_COLUMN(w, "thread_local_bytes", n, xpd_json_i64(w, space[row].space->totals.thread_local_));
    xpd_json_obj_end(w);
    return XPD_OK;
}

static void csv_known(struct xpd_csv *csv, bool is_known, int64_t value)
{
    if (is_known)
        xpd_csv_i64(csv, value);
    else
        xpd_csv_empty(csv);
}

static void write_csv(struct xpd_tool_result *out, const struct module_row *rows, uint32_t n)
{
    struct xpd_csv csv;
    xpd_tools_start_csv(out, &csv, "modules.csv");
    xpd_csv_header(&csv, "key,name,program_id,run_count,instructions,buffers,space,peak_bytes,"
                         "argument_bytes,output_bytes,alias_bytes,constant_bytes,heap_bytes,"
                         "temp_bytes,fragmentation_bytes,failed_to_compile,error");
    for (uint32_t i = 0; i < n; i++) {
        const struct module_row *row = &rows[i];
        const struct xpd_mem_totals *totals = totals_of(row);
        bool has = row->main != NULL;
        xpd_csv_text(&csv, row->module->key);
        xpd_csv_text(&csv, row->module->name);
        xpd_csv_u64(&csv, row->module->program_id);
        csv_known(&csv, row->module->run_count_known, (int64_t)row->module->run_count);
        csv_known(&csv, row->hlo, row->hlo ? row->hlo->instructions.count : 0);
        csv_known(&csv, row->hlo, row->hlo ? row->hlo->buffers.count : 0);
        csv_known(&csv, has, has ? row->main->color : 0);
        csv_known(&csv, has, has ? row->main->peak_bytes : 0);
        csv_known(&csv, has, totals->argument);
        csv_known(&csv, has, totals->output);
        csv_known(&csv, has, totals->alias);
        csv_known(&csv, has, totals->constant);
        csv_known(&csv, has, totals->temp);
        int64_t temp = of_main(row, xpd_mem_peak_temp);
        int64_t fragmentation = of_main(row, xpd_mem_fragmentation);
        csv_known(&csv, temp >= 0, temp);
        csv_known(&csv, fragmentation >= 0, fragmentation);
        xpd_csv_i64(&csv, row->module->failed_to_compile);
        xpd_csv_text(&csv, row->error);
        xpd_csv_end_row(&csv);
    }
}

static int modules(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct module_row *rows;
    uint32_t n, main;
    int rc = load_rows(ctx, &rows, &n, err);
    if (rc != XPD_OK)
        return rc;
    if (xpd_tools_csv(ctx)) {
        write_csv(out, rows, n);
        return XPD_OK;
    }
    bool has_main = xpd_store_default_module(ctx->store, ctx->run, &main, NULL) == XPD_OK;
    struct xpd_capacity capacity;
    xpd_tools_capacity(ctx, 0, &capacity);
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_json_ku64(&w, "n", n);
    xpd_json_ku64(&w, "left_out", ctx->run->module_count - n);
    write_rows(&w, rows, n);
    rc = write_spaces(ctx, &w, rows, n, err);
    xpd_json_ktext(&w, "default_module", has_main ? ctx->run->module[main].key : NULL);
    xpd_tools_capacity_write(&w, &capacity);
    xpd_json_obj_end(&w);
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "format", .type = XPD_PARAM_ENUM, .words = "json csv", .help = "json or csv"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_modules = {
    .route = "/api/v1/modules",
    .title = "Every module of a run with its numbers; loads all of them.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .run = modules,
};
