/* Filters of the buffer table. In: rows and the query. Out: the rows that match, in their order;
 * small ones folded.
 *
 * Texts that repeat (op names, opcodes) are tried once each: their answers are kept by name for
 * this request. */
#include "buffer_table.h"
#include "scope_fold.h"
#include "xprofd/base/checked.h"

enum { UNTRIED, YES, NO };

struct filter {
    struct xpd_buffer_table *table;
    struct xpd_match match;
    uint8_t *tried; /* by name of the module: UNTRIED, YES, NO */
    struct xpd_str mem_class, dtype, opcode, group, scope, source;
    xpd_name_id opcode_id;
    bool shape_too; /* the pattern could be part of a shape */
    struct xpd_strbuf text;
};

static bool try_name(struct filter *filter, xpd_name_id id)
{
    if (filter->tried[id] == UNTRIED) {
        struct xpd_str text = xpd_hlo_text(filter->table->ctx->hlo, id);
        filter->tried[id] = xpd_match_test(&filter->match, text) != XPD_MATCH_NONE ? YES : NO;
    }
    return filter->tried[id] == YES;
}

static bool try_text(struct filter *filter)
{
    struct xpd_str text = {filter->text.data, filter->text.size};
    return text.size > 0 && xpd_match_test(&filter->match, text) != XPD_MATCH_NONE;
}

/* Name, op name, opcode, source line; the shape when the pattern has a bracket or comma in it. */
static bool matches_text(struct filter *filter, uint32_t buffer, uint32_t instruction)
{
    const struct xpd_tool_ctx *ctx = filter->table->ctx;
    if (filter->match.text.size == 0)
        return true;
    xpd_strbuf_clear(&filter->text);
    xpd_tools_buffer_name(&filter->text, ctx->mem, buffer);
    if (try_text(filter))
        return true;
    if (instruction != XPD_NO_INDEX) {
        if (try_name(filter, ctx->hlo->instructions.opcode[instruction]))
            return true;
        xpd_name_id op_name = ctx->hlo->instructions.op_name[instruction];
        if (op_name ? try_name(filter, op_name)
                    : xpd_match_test(&filter->match, xpd_tools_op_name(ctx->hlo, instruction)) !=
                          XPD_MATCH_NONE)
            return true;
        xpd_strbuf_clear(&filter->text);
        xpd_tools_source(&filter->text, ctx->hlo, instruction);
        if (try_text(filter))
            return true;
    }
    if (!filter->shape_too || buffer == XPD_NO_INDEX)
        return false;
    xpd_strbuf_clear(&filter->text);
    xpd_shape_text(&filter->text, ctx->mem->buffer[buffer].shape, true);
    return try_text(filter);
}

static bool matches_scope(struct filter *filter, const struct xpd_buffer_row *row,
                          uint32_t instruction)
{
    const struct xpd_tool_ctx *ctx = filter->table->ctx;
    struct xpd_str op_name = xpd_tools_op_name(ctx->hlo, instruction);
    if (xpd_scope_below(op_name, filter->scope) ||
        xpd_scope_below(xpd_tools_scope(op_name), filter->scope))
        return true;
    struct xpd_str part[XPD_SCOPE_PARTS];
    uint32_t n =
        xpd_tools_scope_parts(ctx->mem, row->buffer, row->mem_class, part, XPD_SCOPE_PARTS);
    xpd_strbuf_clear(&filter->text);
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0)
            xpd_strbuf_putc(&filter->text, '/');
        xpd_strbuf_add(&filter->text, part[i].data, part[i].size);
    }
    return xpd_scope_below((struct xpd_str){filter->text.data, filter->text.size}, filter->scope);
}

static bool ends_at_path(struct xpd_str text, struct xpd_str ending)
{
    if (text.size < ending.size)
        return false;
    size_t start = text.size - ending.size;
    return memcmp(text.data + start, ending.data, ending.size) == 0 &&
           (start == 0 || text.data[start - 1] == '/');
}

/* "file:line" or "file", whole or from a folder on. */
static bool matches_source(struct filter *filter, uint32_t instruction)
{
    xpd_strbuf_clear(&filter->text);
    xpd_tools_source(&filter->text, filter->table->ctx->hlo, instruction);
    struct xpd_str text = {filter->text.data, filter->text.size};
    if (text.size == 0)
        return false;
    if (ends_at_path(text, filter->source))
        return true;
    while (text.size > 0 && text.data[text.size - 1] != ':')
        text.size--;
    if (text.size == 0)
        return false;
    text.size--;
    return ends_at_path(text, filter->source);
}

static bool is_word(struct xpd_str wanted, const char *word)
{
    return wanted.size == 0 || xpd_str_eq(wanted, xpd_str_of(word));
}

static bool keeps(struct filter *filter, const struct xpd_buffer_row *row)
{
    const struct xpd_tool_ctx *ctx = filter->table->ctx;
    uint32_t instruction = xpd_tools_instruction(ctx->mem, row->buffer);
    char scratch[16];
    if (!is_word(filter->mem_class, xpd_mem_class_word(row->mem_class)))
        return false;
    if (filter->dtype.size > 0 &&
        !is_word(filter->dtype, xpd_tools_dtype(ctx->mem, row->buffer, scratch)))
        return false;
    if (filter->opcode.size > 0 &&
        (instruction == XPD_NO_INDEX ||
         ctx->hlo->instructions.opcode[instruction] != filter->opcode_id))
        return false;
    if (filter->group.size > 0 && !is_word(filter->group, xpd_tools_group(ctx->hlo, instruction)))
        return false;
    if (filter->scope.size > 0 && !matches_scope(filter, row, instruction))
        return false;
    if (filter->source.size > 0 && !matches_source(filter, instruction))
        return false;
    return matches_text(filter, row->buffer, instruction);
}

static int open_filter(struct filter *filter, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = filter->table->ctx;
    struct xpd_str typed = xpd_param_text(ctx, "filter");
    filter->mem_class = xpd_param_text(ctx, "class");
    filter->dtype = xpd_param_text(ctx, "dtype");
    filter->opcode = xpd_param_text(ctx, "opcode");
    filter->group = xpd_param_text(ctx, "group_name");
    filter->scope = xpd_param_text(ctx, "scope");
    filter->source = xpd_param_text(ctx, "source");
    filter->opcode_id = xpd_intern_find(&ctx->hlo->names, filter->opcode);
    filter->tried =
        XPD_NEW_ARRAY(ctx->arena, uint8_t, typed.size > 0 ? (size_t)ctx->hlo->names.count + 1 : 1);

    for (size_t i = 0; i < typed.size; i++)
        filter->shape_too |= typed.data[i] == '[' || typed.data[i] == ',';
    xpd_match_init(&filter->match, typed);
    return filter->tried ? XPD_OK : xpd_tools_no_memory(err);
}

static bool filters_anything(const struct filter *filter)
{
    return filter->match.text.size || filter->mem_class.size || filter->dtype.size ||
           filter->opcode.size || filter->group.size || filter->scope.size || filter->source.size;
}

static void apply(struct filter *filter)
{
    struct xpd_buffer_table *table = filter->table;
    int64_t fold = xpd_param_int(table->ctx, &xpd_tool_memory_buffers, "fold_bytes");
    bool all = !filters_anything(filter);
    if (all && fold == 0) {
        table->matched = table->count;
        table->matched_bytes = table->bytes;
        return;
    }

    uint32_t kept = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct xpd_buffer_row *row = &table->row[i];
        if (!all && !keeps(filter, row))
            continue;
        table->matched++;
        xpd_grow_i64(&table->matched_bytes, row->size_bytes);
        if (row->size_bytes < fold) {
            table->folded++;
            xpd_grow_i64(&table->folded_bytes, row->size_bytes);
            continue;
        }
        table->row[kept++] = *row;
    }
    table->count = kept;
}

int xpd_buffers_filter(struct xpd_buffer_table *table, struct xpd_err *err)
{
    struct filter filter = {.table = table};
    int rc = open_filter(&filter, err);
    if (rc == XPD_OK)
        apply(&filter);
    if (filter.match.stopped)
        snprintf(table->note, sizeof table->note,
                 "stopped after %d ms: the regular expression is too slow, more may match",
                 XPD_MATCH_MS_MAX);
    else
        snprintf(table->note, sizeof table->note, "%s", filter.match.problem);
    if (rc == XPD_OK && filter.text.failed)
        rc = xpd_tools_no_memory(err);
    xpd_match_fini(&filter.match);
    xpd_strbuf_fini(&filter.text);
    return rc;
}
