/* A comparison as JSON. */
#include "compare_parts.h"

#define GROUPS_MAX  2000
#define OPCODES_MAX 100

static struct xpd_str peak_instruction(const struct xpd_tool_ctx *ctx)
{
    uint32_t step = ctx->space->peak_step;
    return step == XPD_NO_STEP ? XPD_STR("")
                               : xpd_tools_instruction_name(
                                     ctx->hlo, xpd_mem_running(ctx->mem, ctx->space, step, NULL));
}

/* Null where the program has no buffer assignment. */
static void write_memory(struct xpd_jsonw *w, const struct xpd_comparison *c, int s)
{
    const struct xpd_mem_space *space = c->ctx[s].space;
    const struct {
        const char *key;
        int64_t value;
    } known[] = {{"peak_bytes", c->result.peak[s]},
                 {"reserved_bytes", c->result.reserved[s]},
                 {"fragmentation_bytes", c->result.fragmentation[s]},
                 {"padding_bytes", c->result.padding[s]},
                 {"sum_bytes", c->result.sum[s]},
                 {"resident_bytes", space->totals.resident},
                 {"heap_bytes", space->heap_bytes},
                 {"steps", space->step_count}};
    bool is_known = c->ctx[s].hlo->has_buffer_assignment;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        xpd_tools_kknown(w, known[i].key, is_known ? known[i].value : -1);
    xpd_tools_kindex(w, "peak_step", space->peak_step);
}

static void write_side(struct xpd_jsonw *w, const char *key, const struct xpd_comparison *c, int s)
{
    const struct xpd_tool_ctx *ctx = &c->ctx[s];
    xpd_json_key(w, key);
    xpd_json_obj(w);
    xpd_json_ktext(w, "run", ctx->run->entry->id);
    xpd_json_ktext(w, "module", ctx->run->module[ctx->module].key);
    xpd_tools_kstr(w, "versions", xpd_str_of(ctx->run->versions));
    write_memory(w, c, s);
    xpd_tools_kstr(w, "peak_instruction", peak_instruction(ctx));
    xpd_json_ku64(w, "instructions", ctx->hlo->instructions.count);
    xpd_json_ku64(w, "instructions_outside_fusions", c->opcodes.count[s]);
    xpd_tools_kknown(w, "flops", c->facts[s].flops);
    xpd_tools_kknown(w, "bytes_accessed", c->facts[s].bytes_accessed);
    xpd_tools_capacity_write(w, &c->facts[s].capacity);
    xpd_json_obj_end(w);
}

static uint32_t face(const struct xpd_compare_group *g, int *side)
{
    *side = g->buffer[1] != XPD_NO_INDEX;
    return g->buffer[*side];
}

static uint32_t put_name(struct xpd_names *names, const struct xpd_comparison *c,
                         const struct xpd_compare_group *g, char what)
{
    int s;
    uint32_t buffer = face(g, &s);
    const struct xpd_mem *mem = c->ctx[s].mem;
    if (buffer == XPD_NO_INDEX)
        return xpd_names_word(names, what == 'n' && g->overlap ? "overlapping bytes" : "");
    uint32_t instruction = mem->buffer[buffer].instruction;
    if (what == 's')
        return xpd_names_buffer_shape(names, mem, buffer);
    if (what == 'o')
        return xpd_names_put(names, xpd_tools_opcode(mem->hlo, instruction));
    if (what == 'n')
        return xpd_names_buffer(names, mem, buffer);
    struct xpd_strbuf text = {0};
    if (what == 'p')
        xpd_doctor_scope(&text, xpd_tools_op_name(mem->hlo, instruction));
    else
        xpd_tools_source(&text, mem->hlo, instruction);
    uint32_t index = xpd_names_put(names, (struct xpd_str){text.data ? text.data : "", text.size});
    xpd_strbuf_fini(&text);
    return index;
}

/* Group of operations, as colours mean it; NULL for an argument or a sum. */
static const char *op_group(const struct xpd_comparison *c, const struct xpd_compare_group *g)
{
    int s;
    uint32_t buffer = face(g, &s);
    if (buffer == XPD_NO_INDEX)
        return NULL;
    const struct xpd_mem *mem = c->ctx[s].mem;
    return xpd_tools_group(mem->hlo, mem->buffer[buffer].instruction);
}

static void write_groups(struct xpd_jsonw *w, const struct xpd_comparison *c)
{
    const struct xpd_compare_group *g = c->result.group;
    uint32_t n = c->result.group_count < GROUPS_MAX ? c->result.group_count : GROUPS_MAX;
    int64_t rest[2] = {0, 0};
    struct xpd_names names;
    for (uint32_t i = n; i < c->result.group_count; i++)
        for (int s = 0; s < 2; s++)
            xpd_grow_i64(&rest[s], g[i].bytes[s]);
    xpd_names_init(&names, c->ctx[0].arena);
    xpd_json_key(w, "groups");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "state", n, xpd_json_text(w, xpd_compare_state_word(g[row].state)));
    XPD_COLUMN(w, "class", n,
               xpd_json_text(w, g[row].overlap ? NULL : xpd_mem_class_word(g[row].mem_class)));
    XPD_COLUMN(w, "group", n, xpd_json_text(w, op_group(c, &g[row])));
    XPD_COLUMN(w, "shape", n, xpd_json_u64(w, put_name(&names, c, &g[row], 's')));
    XPD_COLUMN(w, "opcode", n, xpd_json_u64(w, put_name(&names, c, &g[row], 'o')));
    XPD_COLUMN(w, "scope", n, xpd_json_u64(w, put_name(&names, c, &g[row], 'p')));
    XPD_COLUMN(w, "source", n, xpd_json_u64(w, put_name(&names, c, &g[row], 'f')));
    XPD_COLUMN(w, "name", n, xpd_json_u64(w, put_name(&names, c, &g[row], 'n')));
    XPD_COLUMN(w, "before_buffer", n, xpd_tools_index(w, g[row].buffer[0]));
    XPD_COLUMN(w, "after_buffer", n, xpd_tools_index(w, g[row].buffer[1]));
    XPD_COLUMN(w, "before_count", n, xpd_json_u64(w, g[row].count[0]));
    XPD_COLUMN(w, "after_count", n, xpd_json_u64(w, g[row].count[1]));
    XPD_COLUMN(w, "before_bytes", n, xpd_json_i64(w, g[row].bytes[0]));
    XPD_COLUMN(w, "after_bytes", n, xpd_json_i64(w, g[row].bytes[1]));
    XPD_COLUMN(w, "difference_bytes", n, xpd_json_i64(w, g[row].bytes[1] - g[row].bytes[0]));
    xpd_json_obj_end(w);
    xpd_names_write(&names, w);
    xpd_names_fini(&names);
    xpd_json_key(w, "rest");
    xpd_json_obj(w);
    xpd_json_ku64(w, "count", c->result.group_count - n);
    xpd_json_ki64(w, "before_bytes", rest[0]);
    xpd_json_ki64(w, "after_bytes", rest[1]);
    xpd_json_obj_end(w);
}

static void write_opcodes(struct xpd_jsonw *w, const struct xpd_comparison *c)
{
    uint32_t n = c->opcode_count < OPCODES_MAX ? c->opcode_count : OPCODES_MAX;
    xpd_json_key(w, "opcodes");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "opcode", n, xpd_json_str(w, c->opcode[row].opcode));
    XPD_COLUMN(w, "before", n, xpd_json_u64(w, c->opcode[row].count[0]));
    XPD_COLUMN(w, "after", n, xpd_json_u64(w, c->opcode[row].count[1]));
    xpd_json_obj_end(w);
    xpd_json_ku64(w, "opcodes_left_out", c->opcode_count - n);
    xpd_json_ku64(w, "opcodes_same", c->opcodes.same);
}

static void write_again(struct xpd_jsonw *w, const struct xpd_comparison *c)
{
    uint32_t n = c->again_count < OPCODES_MAX ? c->again_count : OPCODES_MAX;
    xpd_json_key(w, "recomputed");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "scope", n, xpd_json_str(w, c->again[row].scope));
    XPD_COLUMN(w, "before_fusions", n, xpd_json_u64(w, c->again[row].fusions[0]));
    XPD_COLUMN(w, "after_fusions", n, xpd_json_u64(w, c->again[row].fusions[1]));
    xpd_json_obj_end(w);
    xpd_json_ku64(w, "recomputed_left_out", c->again_count - n);
}

static void write_findings(struct xpd_jsonw *w, const struct xpd_comparison *c)
{
    xpd_json_key(w, "findings");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < c->change_count; i++) {
        const struct xpd_finding_change *f = &c->change[i];
        const struct xpd_finding *shown = f->after ? f->after : f->before;
        xpd_json_obj(w);
        xpd_json_ktext(w, "state", f->before && f->after ? "stays" : f->after ? "new" : "gone");
        xpd_json_ktext(w, "id", shown->rule->id);
        xpd_json_ktext(w, "severity", xpd_doctor_severity_word(shown->severity));
        xpd_json_kstr(w, "claim", shown->claim);
        xpd_tools_kknown(w, "before_saving_bytes", f->before ? f->before->saving_bytes : -1);
        xpd_tools_kknown(w, "after_saving_bytes", f->after ? f->after->saving_bytes : -1);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
}

void xpd_comparison_json(struct xpd_jsonw *w, const struct xpd_comparison *c)
{
    char scratch[24];
    xpd_json_obj(w);
    xpd_json_ki64(w, "schema", 1);
    write_side(w, "before", c, 0);
    write_side(w, "after", c, 1);
    xpd_json_ki64(w, "space", c->ctx[1].color);
    xpd_json_ktext(w, "space_name",
                   xpd_space_name(c->ctx[1].run->platform, c->ctx[1].color, scratch));
    xpd_json_key(w, "difference_bytes");
    if (c->nothing)
        xpd_json_null(w);
    else
        xpd_json_i64(w, c->result.difference);
    xpd_json_kbool(w, "closes", c->result.closes);
    xpd_json_ku64(w, "groups_total", c->result.group_count);
    xpd_json_ku64(w, "groups_different", c->result.different_count);
    xpd_tools_kstr(w, "nothing_to_compare", xpd_str_of(c->nothing ? c->nothing : ""));
    xpd_json_kbool(w, "same_workload", c->mismatch_count == 0);
    xpd_json_key(w, "mismatches");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < c->mismatch_count; i++)
        xpd_json_text(w, c->mismatch[i]);
    xpd_json_arr_end(w);
    write_groups(w, c);
    write_opcodes(w, c);
    write_again(w, c);
    write_findings(w, c);
    xpd_json_obj_end(w);
}
