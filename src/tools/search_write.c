/* The rows of a search. In: what was found. Out: the answer. */
#include "search_parts.h"
#include "xprofd/explain/parts.h"
#include "xprofd/hlo/cost.h"

XPD_RECORD_TABLE(xpd_search_row, XPD_SEARCH_ROW_FIELDS)
XPD_RECORD_TABLE(xpd_search_answer, XPD_SEARCH_FIELDS)

static void fill_module(struct xpd_search_row *out, const struct xpd_search *search,
                        const struct xpd_found_row *row)
{
    const struct xpd_module *module = &search->ctx->run->module[row->hit.module];
    out->name = xpd_str_of(module->name);
    out->detail = xpd_str_of(module->key);
    out->buffer = XPD_NO_INDEX;
}

static void fill_op(struct xpd_search_row *out, struct xpd_search *search,
                    const struct xpd_found_row *row)
{
    const struct xpd_hlo *hlo = row->hlo;
    struct xpd_arena *arena = search->ctx->arena;
    uint32_t i = row->hit.index, buffer = row->hit.other;
    struct xpd_str opcode = xpd_tools_opcode(hlo, i);
    out->name = xpd_tools_instruction_name(hlo, i);
    xpd_strbuf_add(&search->text, opcode.data, opcode.size);
    xpd_strbuf_putc(&search->text, ' ');
    xpd_shape_text(&search->text, hlo->instructions.shape[i], false);
    out->detail = xpd_strbuf_keep(&search->text, arena);
    out->buffer = buffer;
    out->instruction_id = hlo->instructions.id[i];
    out->size_bytes = xpd_shape_bytes(hlo->instructions.shape[i]);
    if (buffer == XPD_NO_INDEX || row->mem->buffer[buffer].instruction == i)
        return;
    xpd_tools_buffer_name(&search->text, row->mem, buffer);
    out->held_by = xpd_strbuf_keep(&search->text, arena);
}

static void fill_buffer(struct xpd_search_row *out, struct xpd_search *search,
                        const struct xpd_found_row *row)
{
    struct xpd_arena *arena = search->ctx->arena;
    const struct xpd_mem_buffer *buffer = &row->mem->buffer[row->hit.index];
    const struct xpd_mem_space *space =
        xpd_mem_space_of(row->mem, xpd_tools_color_of(row->mem, row->hit.index));
    xpd_tools_buffer_name(&search->text, row->mem, row->hit.index);
    out->name = xpd_strbuf_keep(&search->text, arena);
    xpd_shape_text(&search->text, buffer->shape, false);
    out->detail = xpd_strbuf_keep(&search->text, arena);
    out->buffer = row->hit.index;
    out->size_bytes = buffer->size_bytes;
    if (buffer->instruction != XPD_NO_INDEX)
        out->instruction_id = row->hlo->instructions.id[buffer->instruction];
    if (row->hit.other != XPD_NO_INDEX)
        out->holds = xpd_tools_instruction_name(row->hlo, row->hit.other);
    if (space)
        out->saving_bytes = xpd_tools_saving_of(row->mem, space, row->hit.index, arena);
}

/* Of the row's buffer, its own or the one that its result lies in. */
static void fill_place(struct xpd_search_row *out, const struct xpd_mem *mem)
{
    if (out->buffer == XPD_NO_INDEX)
        return;
    out->space = xpd_tools_color_of(mem, out->buffer);
    const struct xpd_mem_space *space = xpd_mem_space_of(mem, out->space);
    uint32_t at = mem->buffer[out->buffer].first_tenancy;
    if (space && at < space->tenancy_count)
        out->step = space->tenancy[at].start_step;
}

static void fill_row(struct xpd_search_row *out, struct xpd_search *search,
                     const struct xpd_found_row *row)
{
    static const char *const words[XPD_FOUND_KINDS] = {"module", "buffer", "op"};
    *out = (struct xpd_search_row){.kind = words[row->kind],
                                   .module = search->ctx->run->module[row->hit.module].key,
                                   .instruction_id = XPD_UNKNOWN,
                                   .space = XPD_UNKNOWN,
                                   .step = XPD_NO_STEP,
                                   .size_bytes = -1,
                                   .saving_bytes = XPD_UNKNOWN};
    if (row->kind == XPD_FOUND_MODULE)
        fill_module(out, search, row);
    else if (row->kind == XPD_FOUND_BUFFER)
        fill_buffer(out, search, row);
    else
        fill_op(out, search, row);
    fill_place(out, row->mem);
}

/* What the text names when it names an operation, "copy-done" or "%copy-done.40". */
static void fill_opcode(struct xpd_search_answer *out, struct xpd_str text)
{
    size_t end = text.size;
    if (text.size > 0 && text.data[0] == '%')
        text = (struct xpd_str){text.data + 1, --end};
    while (end > 0 && text.data[end - 1] >= '0' && text.data[end - 1] <= '9')
        end--;
    if (end > 0 && end < text.size && text.data[end - 1] == '.')
        text.size = end - 1;
    out->opcode_text = xpd_opcode_known(text);
    if (out->opcode_text)
        out->opcode = text;
}

const struct xpd_search_answer *xpd_search_answer_of(struct xpd_search *search,
                                                     const struct xpd_found_row *rows, uint32_t n)
{
    struct xpd_arena *arena = search->ctx->arena;
    struct xpd_search_answer *out = XPD_NEW(arena, struct xpd_search_answer);
    struct xpd_search_row *row = XPD_NEW_ARRAY(arena, struct xpd_search_row, n);
    char room[XPD_MATCH_NOTE_MAX];
    if (!out || !row)
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        fill_row(&row[i], search, &rows[i]);
    out->rows.at = row;
    out->rows.n = n;
    out->q = xpd_param_text(search->ctx, "q");
    out->note =
        xpd_tools_or_null(xpd_arena_str(arena, xpd_str_of(xpd_match_note(&search->match, room))));
    fill_opcode(out, out->q);
    out->total_modules = (int64_t)search->total[XPD_FOUND_MODULE];
    out->total_buffers = (int64_t)search->total[XPD_FOUND_BUFFER];
    out->total_ops = (int64_t)search->total[XPD_FOUND_OP];
    out->total = out->total_modules + out->total_buffers + out->total_ops;
    out->other_spaces = (int64_t)search->other_spaces;
    out->other_modules = (int64_t)search->other_modules;
    return out;
}
