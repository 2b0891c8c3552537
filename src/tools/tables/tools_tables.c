/* Side tables in the store, or of one answer when the store has no room. In: a kind and how to make
 * it. Out: the table. */
#include "tools_tables.h"
#include "measured.h"
#include "module_text.h"
#include "table_costs.h"
#include "table_holders.h"
#include "table_words.h"
#include "xprofd/memory/holder.h"
#include "xprofd/tools/graph_table.h"
#include "xprofd/trace/join.h"
#include <string.h>

/* Attributes of single instructions. In: the bytes of a module. Out: texts in an arena. */

int xpd_module_text_open(struct xpd_module_text *text, const struct xpd_tool_ctx *ctx,
                         struct xpd_err *err)
{
    if (text->printer)
        return XPD_OK;
    int rc = xpd_store_module_bytes(ctx->store, ctx->run, ctx->module, &text->proto, err);
    if (rc == XPD_OK)
        rc = xpd_hlo_printer_new(&text->printer, ctx->hlo, text->proto.at, text->proto.size, err);
    return rc;
}

void xpd_module_text_close(struct xpd_module_text *text)
{
    xpd_hlo_printer_free(text->printer);
    xpd_proto_bytes_free(&text->proto);
    *text = (struct xpd_module_text){0};
}

/* The join of a trace and a program. In: a run, a module. Out: one pointer an instruction, in the
 * request's arena, or one sentence why there are no times. */

const char *xpd_measured_never(const struct xpd_run *run, uint32_t module)
{
    if (!run->has_events)
        return "nothing was measured: the profile has no events; the program was compiled ahead of "
               "time "
               "or captured without a trace";
    if (module != XPD_NO_INDEX && run->module[module].run_count_known &&
        run->module[module].run_count == 0)
        return "this program did not run during the trace";
    return NULL;
}

uint32_t xpd_measured_host(const struct xpd_run *run, uint32_t at)
{
    const struct xpd_module *module = at == XPD_NO_INDEX ? NULL : &run->module[at];
    uint32_t count = module ? module->host_count : run->host_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t host = module ? module->host[i] : i;
        if (xpd_host_has_events(&run->host[host]))
            return host;
    }
    return XPD_NO_INDEX;
}

/* Updates between the two take no part: a chip waits at the done. */
static bool find_waits(struct xpd_measured *out, const struct xpd_tool_ctx *ctx,
                       const struct xpd_hlo *hlo)
{
    uint32_t count = hlo->instructions.count;
    uint32_t *of = XPD_NEW_ARRAY(ctx->arena, uint32_t, count);
    out->wait = XPD_NEW_ARRAY(ctx->arena, const struct xpd_op *, count);
    out->done = of;
    for (uint32_t done = 0; of && out->wait && done < count; done++) {
        uint32_t start = out->op[done] ? xpd_hlo_start_of(hlo, done) : XPD_NO_INDEX;
        if (start == XPD_NO_INDEX)
            continue;
        out->wait[start] = out->wait[done] = out->op[done];
        of[start] = of[done] = done;
    }
    return of && out->wait;
}

static int join(struct xpd_measured *out, const struct xpd_tool_ctx *ctx, const struct xpd_hlo *hlo,
                struct xpd_err *err)
{
    const struct xpd_op_times *times = out->times;
    out->op = XPD_NEW_ARRAY(ctx->arena, const struct xpd_op *, hlo->instructions.count);
    if (!out->op)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < out->program->op_count; i++) {
        const struct xpd_op *op = &times->op[out->program->first_op + i];
        uint32_t at = xpd_hlo_named(hlo, xpd_intern_get(&times->names, op->name));
        if (at == XPD_NO_INDEX)
            continue;
        out->joined_count += out->op[at] == NULL;
        out->op[at] = op;
    }
    if (out->joined_count == 0)
        out->why_not = "the events of this program name no instruction of this module";
    return find_waits(out, ctx, hlo) ? XPD_OK : xpd_tools_no_memory(err);
}

static bool only_one_named(const struct xpd_run *run, const char *name)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->module_count; i++)
        count += strcmp(run->module[i].name, name) == 0;
    return count == 1;
}

static const struct xpd_op_program *program_on(const struct xpd_run *run, uint32_t module,
                                               const struct xpd_op_times *times, uint32_t host)
{
    const struct xpd_module *at = &run->module[module];
    if (!xpd_module_may_run_on(run, module, host))
        return NULL;
    const struct xpd_op_program *program = xpd_op_program_of(times, at->program_id);
    return program || !only_one_named(run, at->name)
               ? program
               : xpd_op_program_named(times, xpd_str_of(at->name));
}

const struct xpd_op_program *xpd_measured_program(const struct xpd_run *run, uint32_t module,
                                                  const struct xpd_op_times *times, uint32_t host,
                                                  const struct xpd_hlo *hlo)
{
    const struct xpd_op_program *found = NULL;
    uint64_t likeness = 0;
    if (!times->part)
        return program_on(run, module, times, host);
    for (uint32_t k = 0; !found && k < times->part_count; k++) {
        uint32_t on = xpd_tools_part_host(run, k);
        const struct xpd_op_program *program = program_on(run, module, times->part[k].times, on);
        found = program ? xpd_op_program_joined(times, k, program) : NULL;
        if (!found || on == run->module[module].host[0] || found->likeness == 0)
            continue; /* its HLO is read from that host */
        likeness = likeness ? likeness : xpd_hlo_likeness(hlo);
        found = found->likeness == likeness ? found : NULL;
    }
    return found;
}

int xpd_measured_of(struct xpd_measured *out, const struct xpd_tool_ctx *ctx, uint32_t module,
                    const struct xpd_hlo *hlo, uint32_t host, struct xpd_err *err)
{
    const struct xpd_run *run = ctx->run;
    *out = (struct xpd_measured){.host = host, .why_not = xpd_measured_never(run, module)};
    if (out->why_not)
        return XPD_OK;
    if (host == XPD_NO_INDEX)
        out->host =
            xpd_run_traced_hosts(run) > 1 ? xpd_run_all_hosts(run) : xpd_measured_host(run, module);
    bool all = out->host == xpd_run_all_hosts(run);
    if (out->host == XPD_NO_INDEX || (!all && !xpd_host_has_events(&run->host[out->host]))) {
        out->why_not = "the host that holds this program has no events";
        return XPD_OK;
    }
    int rc =
        xpd_store_op_times(ctx->store, run, out->host, ctx->wait_ms, &out->times, ctx->state, err);
    if (rc == XPD_OK)
        rc =
            xpd_store_trace(ctx->store, run, out->host, ctx->wait_ms, &out->trace, ctx->state, err);
    if (rc != XPD_OK)
        return rc;
    out->program = xpd_measured_program(run, module, out->times, out->host, hlo);
    if (!out->program) {
        out->why_not = all ? "the trace of no host names an operation of this program"
                           : "the trace of this host names no operation of this program";
        return XPD_OK;
    }
    return join(out, ctx, hlo, err);
}

int xpd_measured_lost(struct xpd_lost_runs *out, const char **text, const struct xpd_tool_ctx *ctx,
                      uint32_t host, struct xpd_err *err)
{
    const struct xpd_trace *trace;
    const struct xpd_op_times *times;
    *text = NULL;
    int rc = xpd_store_trace(ctx->store, ctx->run, host, ctx->wait_ms, &trace, ctx->state, err);
    if (rc == XPD_OK)
        rc = xpd_store_op_times(ctx->store, ctx->run, host, ctx->wait_ms, &times, ctx->state, err);
    if (rc != XPD_OK || !xpd_lost_runs_of(out, trace, times))
        return rc;
    *text = xpd_lost_runs_text(out, ctx->arena);
    return *text ? XPD_OK : xpd_tools_no_memory(err);
}

uint32_t xpd_measured_asked(const struct xpd_tool_ctx *ctx)
{
    struct xpd_str name = xpd_param_text(ctx, "host");
    for (uint32_t i = 0; name.size && i < ctx->run->host_count; i++)
        if (xpd_str_eq(name, xpd_str_of(ctx->run->host[i].name)))
            return i;
    return XPD_NO_INDEX;
}

int xpd_measured_make(struct xpd_measured *out, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    uint32_t host;
    int rc = xpd_tools_host_called(ctx->run, xpd_param_text(ctx, "host"), &host, err);
    return rc == XPD_OK ? xpd_measured_of(out, ctx, ctx->module, ctx->hlo, host, err) : rc;
}

/* The table of costs. In: the module's bytes. Out: frozen columns beside the module. */

static int make_costs(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                      uint32_t detail, struct xpd_err *err)
{
    struct xpd_proto_bytes proto = {0};
    (void)detail;
    int rc = xpd_store_module_bytes(ctx->store, ctx->run, ctx->module, &proto, err);
    if (rc == XPD_OK)
        rc = xpd_costs_make(table, arena, ctx->hlo, proto.at, proto.size, err);
    xpd_proto_bytes_free(&proto);
    return rc;
}

const struct xpd_costs *xpd_tools_costs(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_COSTS, 0, false, sizeof(struct xpd_costs), make_costs, err);
}

/* The graph index of a module. In: a module and its bytes. Out: the frozen index. */

static int make_graph(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                      uint32_t detail, struct xpd_err *err)
{
    struct xpd_module_text text = {0};
    (void)detail;
    int rc = xpd_module_text_open(&text, ctx, err);
    if (rc == XPD_OK)
        rc = xpd_graph_index_make(table, arena, ctx->hlo, text.printer, err);
    xpd_module_text_close(&text);
    return rc;
}

const struct xpd_graph_index *xpd_table_graph(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_GRAPH, 0, false, sizeof(struct xpd_graph_index), make_graph,
                     err);
}

/* The buffer behind each instruction, kept. In: a module. Out: a column by instruction. */

static int make_holders(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                        uint32_t detail, struct xpd_err *err)
{
    struct xpd_holders *holders = table;
    uint32_t n = ctx->hlo->instructions.count;
    uint32_t *kept = XPD_NEW_ROOM(arena, uint32_t, n);
    const uint32_t *made = kept ? xpd_mem_holders(ctx->mem, ctx->arena) : NULL;
    (void)detail;
    if (!made)
        return xpd_tools_no_memory(err);
    memcpy(kept, made, n * sizeof *kept);
    holders->of_instruction = kept;
    return XPD_OK;
}

const struct xpd_holders *xpd_table_holders(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_HOLDERS, 0, false, sizeof(struct xpd_holders), make_holders,
                     err);
}

/* Words of each instruction. In: a module. Out: columns by instruction. */

struct columns {
    xpd_name_id *op_name;
    uint32_t *source;
    uint8_t *group;
    int64_t *color;
};

/* Index of "file:line" of an instruction; places seen before are known by file and line. */
static uint32_t source_index(struct xpd_names *names, struct xpd_map64 *seen,
                             const struct xpd_hlo *hlo, uint32_t instruction,
                             const struct xpd_source_info *info)
{
    if (info->file.size == 0)
        return 0;
    uint32_t file = xpd_intern_find(&hlo->names, info->file);
    uint64_t key = (uint64_t)file << 32 | (uint32_t)info->line;
    uint32_t index = xpd_map64_get(seen, key);
    if (index != XPD_NO_INDEX)
        return index;
    xpd_strbuf_clear(&names->scratch);
    xpd_source_put_of(&names->scratch, hlo, instruction);
    index = xpd_names_put(names, (struct xpd_str){names->scratch.data, names->scratch.size});
    xpd_map64_put(seen, key, index);
    return index;
}

static void fill(struct columns *columns, struct xpd_names *names, struct xpd_map64 *seen,
                 const struct xpd_hlo *hlo)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    struct xpd_source_info info;
    for (uint32_t i = 0; i < all->count; i++) {
        xpd_source_of(hlo, i, &info);
        columns->op_name[i] = all->op_name[i]           ? all->op_name[i]
                              : all->op_name[info.from] ? all->op_name[info.from]
                                                        : xpd_scope_name_of(hlo, i);
        columns->source[i] = source_index(names, seen, hlo, i, &info);
        columns->group[i] = (uint8_t)xpd_op_group_of(hlo, i);
    }
}

static void fill_colors(int64_t *color, const struct xpd_mem *mem)
{
    for (uint32_t i = 0; i < mem->hlo->buffers.count; i++)
        color[i] = xpd_mem_color_of(mem, i);
}

static int make_words(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                      uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    struct xpd_words *words = table;
    uint32_t n = ctx->hlo->instructions.count;
    struct columns columns = {XPD_NEW_ARRAY(arena, xpd_name_id, n),
                              XPD_NEW_ARRAY(arena, uint32_t, n), XPD_NEW_ARRAY(arena, uint8_t, n),
                              XPD_NEW_ARRAY(arena, int64_t, ctx->hlo->buffers.count)};
    struct xpd_map64 seen = {0};
    struct xpd_names names;
    xpd_names_init(&names, arena);
    bool ok =
        columns.op_name && columns.source && columns.group && columns.color && !names.table.failed;
    if (ok) {
        fill(&columns, &names, &seen, ctx->hlo);
        fill_colors(columns.color, ctx->mem);
        struct xpd_str *text = XPD_NEW_ARRAY(arena, struct xpd_str, names.table.count);
        ok = text && !names.table.failed && !names.scratch.failed && !seen.failed;
        if (ok)
            memcpy(text, names.table.text, names.table.count * sizeof *text);
        *words = (struct xpd_words){columns.op_name,   columns.source, text,
                                    names.table.count, columns.color,  columns.group};
    }
    xpd_names_fini(&names);
    xpd_map64_fini(&seen);
    return ok ? XPD_OK : xpd_tools_no_memory(err);
}

const struct xpd_words *xpd_table_words(const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_WORDS, 0, false, sizeof(struct xpd_words), make_words, err);
}

const struct xpd_words *xpd_table_words_made(const struct xpd_tool_ctx *ctx)
{
    return xpd_table_made(ctx, XPD_TABLE_WORDS, 0, false);
}

struct maker {
    const struct xpd_tool_ctx *ctx;
    xpd_table_make *make;
    uint32_t detail;
};

static int make_side(void *table, struct xpd_arena *arena, const void *of, struct xpd_err *err)
{
    const struct maker *maker = of;
    return maker->make(table, arena, maker->ctx, maker->detail, err);
}

static uint64_t key_of(const struct xpd_tool_ctx *ctx, enum xpd_table_kind kind, uint32_t detail,
                       bool by_space)
{
    uint64_t space = by_space ? (uint64_t)(ctx->space - ctx->mem->space) : 0;
    return (uint64_t)kind << 56 | (uint64_t)detail << 32 | space;
}

const void *xpd_table_made(const struct xpd_tool_ctx *ctx, enum xpd_table_kind kind,
                           uint32_t detail, bool by_space)
{
    struct xpd_side_want want = {.key = key_of(ctx, kind, detail, by_space)};
    const void *table;
    return ctx->store && ctx->run &&
                   xpd_store_side(ctx->store, ctx->run, ctx->module, &want, &table, NULL) == XPD_OK
               ? table
               : NULL;
}

const void *xpd_table(const struct xpd_tool_ctx *ctx, enum xpd_table_kind kind, uint32_t detail,
                      bool by_space, size_t size, xpd_table_make *make, struct xpd_err *err)
{
    struct maker maker = {ctx, make, detail};
    struct xpd_side_want want = {
        .key = key_of(ctx, kind, detail, by_space), .size = size, .make = make_side, .of = &maker};
    const void *table;
    if (ctx->store && ctx->run &&
        xpd_store_side(ctx->store, ctx->run, ctx->module, &want, &table, NULL) == XPD_OK)
        return table;
    void *own = xpd_arena_calloc(ctx->arena, 1, size);
    if (!own) {
        xpd_tools_no_memory(err);
        return NULL;
    }
    return make(own, ctx->arena, ctx, detail, err) == XPD_OK ? own : NULL;
}
