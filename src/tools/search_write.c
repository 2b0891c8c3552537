/* The rows of a search as columns. In: what was found. Out: JSON. */
#include "search_parts.h"
#include "xprofd/explain/parts.h"
#include "xprofd/hlo/cost.h"

static void name_of(struct xpd_jsonw *w, struct xpd_search *search, const struct xpd_found_row *row)
{
    const struct xpd_module *module = &search->ctx->run->module[row->hit.module];
    xpd_strbuf_clear(&search->text);
    if (row->kind == XPD_FOUND_MODULE)
        xpd_strbuf_puts(&search->text, module->name);
    else if (row->kind == XPD_FOUND_BUFFER)
        xpd_tools_buffer_name(&search->text, row->mem, row->hit.index);
    xpd_json_str(w, row->kind == XPD_FOUND_OP
                        ? xpd_tools_instruction_name(row->hlo, row->hit.index)
                        : (struct xpd_str){search->text.data, search->text.size});
}

static void detail_of(struct xpd_jsonw *w, struct xpd_search *search,
                      const struct xpd_found_row *row)
{
    xpd_strbuf_clear(&search->text);
    if (row->kind == XPD_FOUND_MODULE) {
        xpd_json_text(w, search->ctx->run->module[row->hit.module].key);
        return;
    }
    if (row->kind == XPD_FOUND_BUFFER) {
        xpd_shape_text(&search->text, row->mem->buffer[row->hit.index].shape, false);
    } else {
        struct xpd_str opcode = xpd_tools_opcode(row->hlo, row->hit.index);
        xpd_strbuf_add(&search->text, opcode.data, opcode.size);
        xpd_strbuf_putc(&search->text, ' ');
        xpd_shape_text(&search->text, row->hlo->instructions.shape[row->hit.index], false);
    }
    xpd_json_str(w, (struct xpd_str){search->text.data, search->text.size});
}

static uint32_t instruction_of(const struct xpd_found_row *row)
{
    return row->kind == XPD_FOUND_OP       ? row->hit.index
           : row->kind == XPD_FOUND_BUFFER ? row->mem->buffer[row->hit.index].instruction
                                           : XPD_NO_INDEX;
}

static void instruction_id_of(struct xpd_jsonw *w, const struct xpd_found_row *row)
{
    uint32_t instruction = instruction_of(row);
    if (instruction == XPD_NO_INDEX)
        xpd_json_null(w);
    else
        xpd_json_i64(w, row->hlo->instructions.id[instruction]);
}

/* The row's own, or the one that an instruction's result lies in. */
static uint32_t buffer_of(const struct xpd_found_row *row)
{
    return row->kind == XPD_FOUND_BUFFER ? row->hit.index
           : row->kind == XPD_FOUND_OP   ? row->hit.other
                                         : XPD_NO_INDEX;
}

/* Of an instruction: the buffer's name, where that is not its own. */
static void held_by_of(struct xpd_jsonw *w, struct xpd_search *search,
                       const struct xpd_found_row *row)
{
    uint32_t buffer = row->kind == XPD_FOUND_OP ? row->hit.other : XPD_NO_INDEX;
    if (buffer == XPD_NO_INDEX || row->mem->buffer[buffer].instruction == row->hit.index) {
        xpd_json_null(w);
        return;
    }
    xpd_strbuf_clear(&search->text);
    xpd_tools_buffer_name(&search->text, row->mem, buffer);
    xpd_json_str(w, (struct xpd_str){search->text.data, search->text.size});
}

/* Of a buffer that has another name: what was found. */
static void holds_of(struct xpd_jsonw *w, const struct xpd_found_row *row)
{
    if (row->kind == XPD_FOUND_BUFFER && row->hit.other != XPD_NO_INDEX)
        xpd_json_str(w, xpd_tools_instruction_name(row->hlo, row->hit.other));
    else
        xpd_json_null(w);
}

static void space_of(struct xpd_jsonw *w, const struct xpd_found_row *row)
{
    uint32_t buffer = buffer_of(row);
    if (buffer != XPD_NO_INDEX)
        xpd_json_i64(w, xpd_tools_color_of(row->mem, buffer));
    else
        xpd_json_null(w);
}

static void step_of(struct xpd_jsonw *w, const struct xpd_found_row *row)
{
    uint32_t step = XPD_NO_STEP, buffer = buffer_of(row);
    if (buffer != XPD_NO_INDEX) {
        const struct xpd_mem_space *space =
            xpd_mem_space_of(row->mem, xpd_tools_color_of(row->mem, buffer));
        uint32_t at = row->mem->buffer[buffer].first_tenancy;
        if (space && at < space->tenancy_count)
            step = space->tenancy[at].start_step;
    }
    xpd_tools_index(w, step);
}

/* Of an instruction: what its result takes, whoever holds it. */
static void size_of(struct xpd_jsonw *w, const struct xpd_found_row *row)
{
    if (row->kind == XPD_FOUND_BUFFER)
        xpd_json_i64(w, row->mem->buffer[row->hit.index].size_bytes);
    else if (row->kind == XPD_FOUND_OP)
        xpd_json_i64(w, xpd_shape_bytes(row->hlo->instructions.shape[row->hit.index]));
    else
        xpd_json_null(w);
}

/* By how much the peak of its memory space falls without it. */
static void saving_of(struct xpd_jsonw *w, const struct xpd_search *search,
                      const struct xpd_found_row *row)
{
    const struct xpd_mem_space *space =
        row->kind == XPD_FOUND_BUFFER
            ? xpd_mem_space_of(row->mem, xpd_tools_color_of(row->mem, row->hit.index))
            : NULL;
    if (space)
        xpd_json_i64(w, xpd_tools_saving_of(row->mem, space, row->hit.index, search->ctx->arena));
    else
        xpd_json_null(w);
}

/* What the text names when it names an operation, "copy-done" or "%copy-done.40". */
static void write_opcode(struct xpd_jsonw *w, struct xpd_str text)
{
    size_t end = text.size;
    if (text.size > 0 && text.data[0] == '%')
        text = (struct xpd_str){text.data + 1, --end};
    while (end > 0 && text.data[end - 1] >= '0' && text.data[end - 1] <= '9')
        end--;
    if (end > 0 && end < text.size && text.data[end - 1] == '.')
        text.size = end - 1;
    const char *sentence = xpd_opcode_known(text);
    xpd_json_key(w, "opcode");
    if (sentence)
        xpd_json_str(w, text);
    else
        xpd_json_null(w);
    xpd_json_ktext(w, "opcode_text", sentence);
}

void xpd_search_write(struct xpd_jsonw *w, struct xpd_search *search,
                      const struct xpd_found_row *rows, uint32_t n)
{
    static const char *const words[XPD_FOUND_KINDS] = {"module", "buffer", "op"};
    const struct xpd_module *module = search->ctx->run->module;
    char room[XPD_MATCH_NOTE_MAX];
    const char *note = xpd_match_note(&search->match, room);
    xpd_json_obj(w);
    xpd_json_kstr(w, "q", xpd_param_text(search->ctx, "q"));
    xpd_json_ktext(w, "note", note[0] ? note : NULL);
    write_opcode(w, xpd_param_text(search->ctx, "q"));
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "kind", n, xpd_json_text(w, words[rows[row].kind]));
    XPD_COLUMN(w, "name", n, name_of(w, search, &rows[row]));
    XPD_COLUMN(w, "detail", n, detail_of(w, search, &rows[row]));
    XPD_COLUMN(w, "module", n, xpd_json_text(w, module[rows[row].hit.module].key));
    XPD_COLUMN(w, "buffer", n, xpd_tools_index(w, buffer_of(&rows[row])));
    XPD_COLUMN(w, "held_by", n, held_by_of(w, search, &rows[row]));
    XPD_COLUMN(w, "holds", n, holds_of(w, &rows[row]));
    XPD_COLUMN(w, "instruction_id", n, instruction_id_of(w, &rows[row]));
    XPD_COLUMN(w, "space", n, space_of(w, &rows[row]));
    XPD_COLUMN(w, "step", n, step_of(w, &rows[row]));
    XPD_COLUMN(w, "size_bytes", n, size_of(w, &rows[row]));
    XPD_COLUMN(w, "saving_bytes", n, saving_of(w, search, &rows[row]));
    xpd_json_ku64(w, "total",
                  search->total[XPD_FOUND_MODULE] + search->total[XPD_FOUND_BUFFER] +
                      search->total[XPD_FOUND_OP]);
    xpd_json_ku64(w, "total_modules", search->total[XPD_FOUND_MODULE]);
    xpd_json_ku64(w, "total_buffers", search->total[XPD_FOUND_BUFFER]);
    xpd_json_ku64(w, "total_ops", search->total[XPD_FOUND_OP]);
    xpd_json_ku64(w, "other_spaces", search->other_spaces);
    xpd_json_ku64(w, "other_modules", search->other_modules);
    xpd_json_obj_end(w);
}
