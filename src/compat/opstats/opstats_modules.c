/* See opstats_modules.h. Rules: XProf's hlo_module_map.cc; XLA's HloInstruction::ToCategory. */
#include "opstats_modules.h"

#include "gpu_cost.h"
#include "xprofd/hlo/print.h"
#include "xprofd/hlo/source_info.h"

#include <stdlib.h>

struct xpd_ops_module {
    bool tried;
    const struct xpd_hlo *hlo;
    struct xpd_proto_bytes bytes;
    struct xpd_hlo_printer *printer;
    struct xpd_ops_gpu_costs *costs;
    struct xpd_ops_instruction *made; /* by instruction; found = it is made */
};

int xpd_ops_modules_init(struct xpd_ops_modules *modules, const struct xpd_tool_ctx *ctx,
                         uint32_t host, bool with_costs, struct xpd_arena *arena)
{
    *modules = (struct xpd_ops_modules){
        .ctx = ctx, .host = host, .arena = arena, .with_costs = with_costs};
    modules->module = calloc((size_t)ctx->run->module_count + 1, sizeof *modules->module);
    return modules->module ? XPD_OK : XPD_ENOMEM;
}

void xpd_ops_modules_fini(struct xpd_ops_modules *modules)
{
    for (uint32_t i = 0; modules->module && i < modules->ctx->run->module_count; i++) {
        struct xpd_ops_module *module = &modules->module[i];
        xpd_hlo_printer_free(module->printer);
        xpd_proto_bytes_free(&module->bytes);
        xpd_ops_gpu_costs_free(module->costs);
        free(module->made);
    }
    free(modules->module);
    modules->module = NULL;
}

/* A module that cannot be read is one that nothing is known of. */
static void open_module(struct xpd_ops_modules *modules, uint32_t number)
{
    const struct xpd_tool_ctx *ctx = modules->ctx;
    struct xpd_ops_module *module = &modules->module[number];
    struct xpd_err why = {0};
    module->tried = true;
    if (xpd_store_module(ctx->store, ctx->run, number, &module->hlo, NULL, &why) != XPD_OK) {
        module->hlo = NULL;
        return;
    }
    if (xpd_store_module_bytes(ctx->store, ctx->run, number, &module->bytes, &why) == XPD_OK)
        (void)xpd_hlo_printer_new(&module->printer, module->hlo, module->bytes.at,
                                  module->bytes.size, &why);
    module->made = calloc((size_t)module->hlo->instructions.count + 1, sizeof *module->made);
    if (modules->with_costs && module->printer)
        module->costs = xpd_ops_gpu_costs_make(module->hlo, module->printer, module->bytes.at,
                                               module->bytes.size);
}

static struct xpd_ops_module *module_at(struct xpd_ops_modules *modules, uint32_t number)
{
    struct xpd_ops_module *module = &modules->module[number];
    if (!module->tried)
        open_module(modules, number);
    return module->hlo && module->made ? module : NULL;
}

static struct xpd_ops_module *find_module(struct xpd_ops_modules *modules, uint64_t program_id)
{
    const struct xpd_run *run = modules->ctx->run;
    for (uint32_t i = 0; i < run->module_count; i++)
        if (run->module[i].program_id == program_id &&
            xpd_module_is_on_host(&run->module[i], modules->host))
            return module_at(modules, i);
    return NULL;
}

static struct xpd_str expression_of(struct xpd_ops_modules *modules, struct xpd_ops_module *module,
                                    uint32_t instruction)
{
    enum { MOST = 1000000 }; /* XProf cuts longer text */
    struct xpd_strbuf text = {0};
    if (!module->printer)
        return XPD_STR("");
    xpd_hlo_print_instruction(module->printer, instruction, XPD_PRINT_EXPRESSION | XPD_PRINT_XPROF,
                              &text);
    struct xpd_str kept = xpd_arena_str(
        modules->arena, (struct xpd_str){text.data, text.size < MOST ? text.size : MOST});
    xpd_strbuf_fini(&text);
    return kept;
}

/* "name:type"; XProf's two forms differ where there is neither: "" and ":". */
static struct xpd_str full_name(struct xpd_ops_modules *modules, struct xpd_ops_module *module,
                                uint32_t instruction, bool empty)
{
    const struct xpd_hlo *hlo = module->hlo;
    struct xpd_str name = xpd_hlo_text(hlo, hlo->instructions.op_name[instruction]);
    struct xpd_str type =
        module->printer ? xpd_hlo_op_type(module->printer, instruction) : XPD_STR("");
    if (type.size == 0 && name.size == 0 && empty)
        return XPD_STR("");
    bool made = empty && type.size == 0 &&
                (xpd_str_eq(name, XPD_STR("XLA_Args")) || xpd_str_eq(name, XPD_STR("XLA_Retvals")));
    if (made)
        type = name;
    char *text = xpd_arena_printf(modules->arena, "%.*s:%.*s", (int)name.size, name.data,
                                  (int)type.size, type.data);
    return text ? xpd_str_of(text) : XPD_STR("");
}

static void fill(struct xpd_ops_modules *modules, struct xpd_ops_module *module,
                 uint32_t instruction, struct xpd_ops_instruction *out)
{
    const struct xpd_hlo *hlo = module->hlo;
    struct xpd_strbuf stack = {0};
    struct xpd_str file;
    out->found = true;
    out->facts.name =
        xpd_arena_str(modules->arena, xpd_hlo_text(hlo, hlo->instructions.name[instruction]));
    out->facts.category = xpd_hlo_category(hlo, instruction);
    out->facts.provenance = full_name(modules, module, instruction, true);
    out->facts.long_name = expression_of(modules, module, instruction);
    if (module->printer)
        out->facts.dedup_name =
            xpd_arena_str(modules->arena, xpd_hlo_dedup_name(module->printer, instruction));
    out->facts.line = -1; /* unknown */
    int32_t line;
    if (xpd_source_of_xprof(hlo, instruction, &file, &line, &stack)) {
        out->facts.line = line;
        out->facts.file = xpd_arena_str(modules->arena, file);
        if (stack.size) /* each frame ends its line here */
            xpd_strbuf_putc(&stack, '\n');
        out->facts.stack = xpd_arena_str(modules->arena, (struct xpd_str){stack.data, stack.size});
    }
    xpd_strbuf_fini(&stack);
    if (module->costs)
        xpd_ops_gpu_cost_of(module->costs, instruction, out);
}

const struct xpd_ops_instruction *xpd_ops_modules_find(void *of, uint64_t program_id,
                                                       struct xpd_str name)
{
    static const struct xpd_ops_instruction none = {0};
    struct xpd_ops_modules *modules = of;
    struct xpd_ops_module *module = find_module(modules, program_id);
    if (!module)
        return &none;
    uint32_t at = xpd_hlo_named(module->hlo, name);
    if (at == XPD_NO_INDEX)
        return &none;
    if (!module->made[at].found)
        fill(modules, module, at, &module->made[at]);
    return &module->made[at];
}

bool xpd_ops_modules_place(struct xpd_ops_modules *modules, struct xpd_str key, struct xpd_str name,
                           struct xpd_ops_place *out)
{
    const struct xpd_run *run = modules->ctx->run;
    for (uint32_t i = 0; i < run->module_count; i++) {
        if (!xpd_str_eq(xpd_str_of(run->module[i].key), key) ||
            !xpd_module_is_on_host(&run->module[i], modules->host))
            continue;
        const struct xpd_ops_module *module = module_at(modules, i);
        if (!module || !module->printer)
            return false;
        *out =
            (struct xpd_ops_place){module->hlo, module->printer, xpd_hlo_named(module->hlo, name)};
        return out->instruction != XPD_NO_INDEX;
    }
    return false;
}

/* ---- contents of fusions ---- */

static bool is_opcode(const struct xpd_hlo *hlo, uint32_t instruction, const char *opcode)
{
    return xpd_str_eq(xpd_hlo_text(hlo, hlo->instructions.opcode[instruction]), xpd_str_of(opcode));
}

static uint32_t body_of(const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    uint32_t at = ins->called_first[instruction];
    if (!is_opcode(hlo, instruction, "fusion") || at == ins->called_first[instruction + 1])
        return XPD_NO_INDEX;
    return ins->called[at];
}

static void add_children(struct xpd_ops_modules *modules, struct xpd_ops_module *module,
                         uint32_t instruction, struct xpd_ops_list *out, int depth)
{
    enum { DEPTH_MOST = 64 }; /* a damaged module may fuse in a circle */
    const struct xpd_hlo *hlo = module->hlo;
    uint32_t body = body_of(hlo, instruction);
    if (body == XPD_NO_INDEX || depth == DEPTH_MOST)
        return;
    uint32_t count = hlo->computations.instruction_count[body];
    uint32_t first = hlo->computations.first[body], had = out->count;
    struct xpd_ops_metrics *all =
        XPD_NEW_ARRAY(modules->arena, struct xpd_ops_metrics, (size_t)had + count);
    if (!all)
        return; /* the arena remembers */
    for (uint32_t i = 0; i < had; i++)
        all[i] = out->at[i];
    out->at = all;
    for (uint32_t fused = first; fused < first + count; fused++) {
        if (is_opcode(hlo, fused, "parameter") || is_opcode(hlo, fused, "tuple"))
            continue;
        struct xpd_ops_metrics *op = &all[out->count++];
        op->name = xpd_arena_str(modules->arena, xpd_hlo_text(hlo, hlo->instructions.name[fused]));
        op->category = xpd_hlo_category(hlo, fused);
        op->provenance = full_name(modules, module, fused, false);
        op->long_name = expression_of(modules, module, fused);
        if (module->printer)
            op->dedup_name =
                xpd_arena_str(modules->arena, xpd_hlo_dedup_name(module->printer, fused));
        op->occurrences = 1;
        add_children(modules, module, fused, &op->children, depth + 1);
    }
}

void xpd_ops_modules_children(struct xpd_ops_modules *modules, struct xpd_ops_metrics *op)
{
    struct xpd_ops_module *module = find_module(modules, op->program_id);
    uint32_t at = module ? xpd_hlo_named(module->hlo, op->name) : XPD_NO_INDEX;
    if (at != XPD_NO_INDEX)
        add_children(modules, module, at, &op->children, 0);
}
