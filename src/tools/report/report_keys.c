/* The group of each row of a report. In: rows, and by what. Out: a number for each row, a name for
 * each number. */
#include "report_keys.h"
#include "xprofd/memory/scopes.h"

static const char *const words[] = {"op",     "kind",  "class",  "dtype", "scope",    "computation",
                                    "opcode", "shape", "buffer", "row",   "signature"};

enum xpd_report_by xpd_report_by_of(struct xpd_str word)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (xpd_str_eq(word, xpd_str_of(words[i])))
            return (enum xpd_report_by)i;
    return XPD_BY_OP;
}

void xpd_report_leaf(char out[48], const struct xpd_report_row *row)
{
    const char *kind = xpd_report_kind_word((enum xpd_report_kind)row->kind);
    if (row->kind == XPD_REPORT_COMPUTE)
        snprintf(out, 48, "%s.%s", kind, xpd_op_group_word((enum xpd_op_group)row->group));
    else
        snprintf(out, 48, "%s", kind);
}

static struct xpd_str computation_of(const struct xpd_hlo *hlo, uint32_t instruction)
{
    uint32_t computation =
        instruction == XPD_NO_INDEX ? XPD_NO_INDEX : hlo->instructions.computation[instruction];
    return computation == XPD_NO_INDEX ? XPD_STR("[none]")
                                       : xpd_hlo_text(hlo, hlo->computations.name[computation]);
}

/* "fusion kOutput", "custom-call tpu_custom_call", else the opcode. */
static uint32_t signature_of(struct xpd_names *names, const struct xpd_hlo *hlo,
                             uint32_t instruction)
{
    struct xpd_str kind = xpd_hlo_text(hlo, hlo->instructions.fusion_kind[instruction]);
    struct xpd_str target = xpd_hlo_text(hlo, hlo->instructions.call_target[instruction]);
    struct xpd_str opcode = xpd_hlo_opcode(hlo, instruction);
    struct xpd_str more = target.size ? target : kind;
    if (more.size == 0)
        return xpd_names_kept(names, opcode);
    xpd_strbuf_clear(&names->scratch);
    xpd_strbuf_add(&names->scratch, opcode.data, opcode.size);
    xpd_strbuf_putc(&names->scratch, ' ');
    xpd_strbuf_add(&names->scratch, more.data, more.size);
    return xpd_names_put(names, (struct xpd_str){names->scratch.data, names->scratch.size});
}

static uint32_t name_of_instruction(const struct xpd_tool_ctx *ctx, const struct xpd_words *found,
                                    uint32_t instruction, enum xpd_report_by by,
                                    struct xpd_names *names)
{
    if (by == XPD_BY_OP)
        return xpd_names_word(names,
                              xpd_op_group_word(xpd_words_group(found, ctx->hlo, instruction)));
    if (by == XPD_BY_COMPUTATION)
        return xpd_names_kept(names, computation_of(ctx->hlo, instruction));
    if (instruction == XPD_NO_INDEX)
        return xpd_names_word(names, "[none]");
    return by == XPD_BY_SIGNATURE ? signature_of(names, ctx->hlo, instruction)
                                  : xpd_names_kept(names, xpd_hlo_opcode(ctx->hlo, instruction));
}

static uint32_t scope_of(struct xpd_names *names, const struct xpd_mem *mem,
                         const struct xpd_report_row *row, uint32_t level)
{
    struct xpd_str part[XPD_SCOPE_PARTS];
    enum xpd_mem_class of = row->tenancy != XPD_NO_INDEX
                                ? XPD_CLASS_TEMPORARY
                                : xpd_mem_class_of(mem->hlo->allocation[row->allocation].flags);
    uint32_t n = xpd_mem_scope_parts(mem, row->buffer, of, part);
    xpd_strbuf_clear(&names->scratch);
    for (uint32_t i = 0; i < n && i < level; i++) {
        if (i > 0)
            xpd_strbuf_putc(&names->scratch, '/');
        xpd_strbuf_add(&names->scratch, part[i].data, part[i].size);
    }
    return xpd_names_put(names, (struct xpd_str){names->scratch.data, names->scratch.size});
}

static uint32_t name_of(const struct xpd_tool_ctx *ctx, const struct xpd_report_row *row,
                        enum xpd_report_by by, uint32_t level, struct xpd_names *names)
{
    const struct xpd_mem *mem = ctx->mem;
    uint32_t instruction = xpd_mem_instruction(mem, row->buffer);
    char text[48];
    switch (by) {
    case XPD_BY_KIND:
        return xpd_names_word(names, xpd_report_kind_word((enum xpd_report_kind)row->kind));
    case XPD_BY_CLASS:
        return xpd_names_word(names, row->tenancy != XPD_NO_INDEX
                                         ? xpd_mem_class_word(XPD_CLASS_TEMPORARY)
                                         : xpd_mem_class_word(xpd_mem_class_of(
                                               mem->hlo->allocation[row->allocation].flags)));
    case XPD_BY_DTYPE:
        if (row->buffer == XPD_NO_INDEX)
            return xpd_names_word(names, "[none]");
        return xpd_names_put(names, xpd_str_of(xpd_mem_dtype(mem, row->buffer, text)));
    case XPD_BY_SCOPE: return scope_of(names, mem, row, level);
    case XPD_BY_COMPUTATION:
    case XPD_BY_OPCODE:
    case XPD_BY_SIGNATURE: return name_of_instruction(ctx, NULL, instruction, by, names);
    case XPD_BY_SHAPE:
        return row->buffer == XPD_NO_INDEX ? xpd_names_word(names, "[none]")
                                           : xpd_names_buffer_shape(names, mem, row->buffer);
    case XPD_BY_BUFFER:
        return row->buffer == XPD_NO_INDEX ? xpd_names_word(names, "[no buffer]")
                                           : xpd_names_buffer(names, mem, row->buffer);
    case XPD_BY_ROW: xpd_report_leaf(text, row); return xpd_names_put(names, xpd_str_of(text));
    default:
        return xpd_names_word(names, xpd_report_resident((enum xpd_report_kind)row->kind)
                                         ? xpd_report_kind_word((enum xpd_report_kind)row->kind)
                                         : xpd_op_group_word((enum xpd_op_group)row->group));
    }
}

static bool is_of_instructions(enum xpd_report_by by)
{
    return by == XPD_BY_OP || by == XPD_BY_COMPUTATION || by == XPD_BY_OPCODE ||
           by == XPD_BY_SIGNATURE;
}

/* The key of a name, made when it is new. */
static uint32_t key_of(struct xpd_report_keys *out, struct xpd_map64 *seen, uint64_t id,
                       uint32_t name)
{
    uint32_t key = xpd_map64_get(seen, id);
    if (key == XPD_NO_INDEX) {
        key = out->count++;
        out->name[key] = name;
        xpd_map64_put(seen, id, key);
    }
    return key;
}

static void count_instructions(struct xpd_report_keys *out, const struct xpd_tool_ctx *ctx,
                               struct xpd_map64 *seen, enum xpd_report_by by,
                               struct xpd_names *names)
{
    const struct xpd_words *found = xpd_table_words_made(ctx);
    for (uint32_t i = 0; i < ctx->hlo->instructions.count; i++) {
        uint32_t name = name_of_instruction(ctx, found, i, by, names);
        uint32_t key = key_of(out, seen, name, name);
        out->of_instruction[i] = key;
        if (out->instructions[key]++ == 0)
            out->example[key] = i;
    }
}

int xpd_report_keys_make(struct xpd_report_keys *out, const struct xpd_tool_ctx *ctx,
                         const struct xpd_report *report, enum xpd_report_by by, uint32_t level,
                         struct xpd_names *names, struct xpd_err *err)
{
    struct xpd_map64 seen = {0};
    size_t most =
        (size_t)report->row_count + (is_of_instructions(by) ? ctx->hlo->instructions.count : 0);
    *out = (struct xpd_report_keys){0};
    out->key = XPD_NEW_ARRAY(ctx->arena, uint32_t, report->row_count);
    out->name = XPD_NEW_ARRAY(ctx->arena, uint32_t, most);
    if (!out->key || !out->name)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < report->row_count; i++) {
        uint32_t name =
            by == XPD_BY_BUFFER ? XPD_NO_INDEX : name_of(ctx, &report->row[i], by, level, names);
        /* two buffers of one name stay apart */
        out->key[i] = key_of(out, &seen, by == XPD_BY_BUFFER ? i : name, name);
    }
    if (is_of_instructions(by)) {
        out->instructions = XPD_NEW_ARRAY(ctx->arena, int64_t, most);
        out->example = XPD_NEW_ARRAY(ctx->arena, uint32_t, most);
        out->of_instruction = XPD_NEW_ARRAY(ctx->arena, uint32_t, ctx->hlo->instructions.count);
        for (size_t i = 0; out->example && i < most; i++)
            out->example[i] = XPD_NO_INDEX;
        if (out->instructions && out->example && out->of_instruction)
            count_instructions(out, ctx, &seen, by, names);
    }
    bool failed = seen.failed || (is_of_instructions(by) &&
                                  (!out->instructions || !out->example || !out->of_instruction));
    xpd_map64_fini(&seen);
    return failed ? xpd_tools_no_memory(err) : XPD_OK;
}
