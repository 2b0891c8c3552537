/* /api/v1/report/plot: chosen buffers over the program. In: up to 32 buffers, steps. Out: one row
 * each that add up, and the stretches in which they are held, with their addresses. */
#include "report_keys.h"

#define CHOSEN_MAX 32
#define PIECES_MAX 16384

struct plot {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_report *report;
    struct xpd_report_view view;
    struct xpd_report_chosen chosen[CHOSEN_MAX];
    uint32_t count;
    uint32_t *key;
    int64_t *bytes; /* by chosen and place */
    int64_t *total; /* by place */
    struct xpd_report_piece *piece;
    uint32_t piece_count, piece_all;
};

static int add(struct plot *p, struct xpd_str item, struct xpd_err *err)
{
    int64_t index;
    if (!xpd_str_to_i64(item, &index) || index < 0 || index >= p->ctx->hlo->buffers.count)
        return xpd_fail(
            err, XPD_EINVAL, "buffers", XPD_NO_OFFSET,
            "buffers must be buffer indexes below %" PRIu32 " separated by commas, not \"%.*s\"",
            p->ctx->hlo->buffers.count, (int)(item.size < 40 ? item.size : 40), item.data);
    for (uint32_t i = 0; i < p->count; i++)
        if (p->chosen[i].buffer == (uint32_t)index)
            return XPD_OK;
    if (p->count == CHOSEN_MAX)
        return xpd_fail(err, XPD_EINVAL, "buffers", XPD_NO_OFFSET, "at most %d buffers at a time",
                        CHOSEN_MAX);
    p->chosen[p->count++].buffer = (uint32_t)index;
    return XPD_OK;
}

static int read_chosen(struct plot *p, struct xpd_err *err)
{
    struct xpd_str rest = xpd_param_text(p->ctx, "buffers");
    int rc = XPD_OK;
    while (rest.size > 0 && rc == XPD_OK) {
        const char *end = memchr(rest.data, ',', rest.size);
        size_t size = end ? (size_t)(end - rest.data) : rest.size;
        rc = add(p, (struct xpd_str){rest.data, size}, err);
        size += end != NULL;
        rest = (struct xpd_str){rest.data + size, rest.size - size};
    }
    return rc;
}

static int measure(struct plot *p, struct xpd_err *err)
{
    struct xpd_arena *arena = p->ctx->arena;
    uint32_t n = p->view.steps.count;
    p->key = XPD_NEW_ARRAY(arena, uint32_t, (size_t)p->report->row_count + 1);
    p->total = XPD_NEW_ARRAY(arena, int64_t, n);
    p->piece = XPD_NEW_ARRAY(arena, struct xpd_report_piece, PIECES_MAX);
    if (!p->key || !p->total || !p->piece)
        return xpd_tools_no_memory(err);
    xpd_report_choose(p->report, p->chosen, p->count, p->key);
    p->bytes = xpd_report_bytes(p->report, p->key, p->count, p->view.steps, arena);
    if (!p->bytes)
        return xpd_tools_no_memory(err);
    for (uint32_t k = 0; k < p->count; k++)
        for (uint32_t i = 0; i < n; i++)
            p->total[i] += p->bytes[(size_t)k * n + i];
    p->piece_all = xpd_report_pieces(p->report, p->key, p->count, p->piece, PIECES_MAX);
    p->piece_count = p->piece_all < PIECES_MAX ? p->piece_all : PIECES_MAX;
    return XPD_OK;
}

static void write_chosen(struct xpd_jsonw *w, const struct plot *p, uint32_t k)
{
    const struct xpd_report_chosen *chosen = &p->chosen[k];
    const struct xpd_mem *mem = p->ctx->mem;
    const struct xpd_mem_buffer *buffer = &mem->buffer[chosen->buffer];
    uint32_t of = chosen->twin == XPD_NO_INDEX ? k : chosen->twin;
    uint32_t instruction = xpd_tools_instruction(mem, chosen->buffer);
    struct xpd_strbuf text = {0};
    char word[48] = "";
    xpd_json_obj(w);
    xpd_json_ku64(w, "buffer", chosen->buffer);
    xpd_tools_buffer_name(&text, mem, chosen->buffer);
    xpd_json_kstr(w, "name", (struct xpd_str){text.data, text.size});
    xpd_tools_kstr(w, "instruction", xpd_tools_instruction_name(mem->hlo, instruction));
    xpd_strbuf_clear(&text);
    xpd_shape_text(&text, buffer->shape, false);
    xpd_json_kstr(w, "shape", (struct xpd_str){text.data, text.size});
    if (chosen->row != XPD_NO_INDEX)
        xpd_report_leaf(word, &p->report->row[chosen->row]);
    xpd_json_ktext(w, "row", word);
    xpd_tools_kindex(w, "tenancy",
                     chosen->row == XPD_NO_INDEX ? XPD_NO_INDEX
                                                 : p->report->row[chosen->row].tenancy);
    xpd_json_ktext(w, "state", xpd_report_state_word(chosen->state));
    xpd_tools_kindex(w, "same_as", chosen->twin);
    xpd_json_ki64(w, "size_bytes", buffer->size_bytes);
    xpd_json_ki64(w, "unpadded_bytes", buffer->unpadded_bytes);
    xpd_report_values_write(w, &p->view, p->bytes + (size_t)of * p->view.steps.count);
    xpd_json_obj_end(w);
    xpd_strbuf_fini(&text);
}

static void write(struct xpd_jsonw *w, const struct plot *p)
{
    const struct xpd_mem_space *space = p->ctx->space;
    const struct xpd_report_piece *piece = p->piece;
    uint32_t n = p->piece_count;
    xpd_json_obj(w);
    xpd_report_view_write(w, &p->view);
    xpd_json_ku64(w, "step_count", space->step_count);
    xpd_json_ki64(w, "heap_bytes", space->heap_bytes);
    xpd_json_ki64(w, "peak_bytes", space->peak_bytes);
    xpd_json_key(w, "rows");
    xpd_json_arr(w);
    for (uint32_t k = 0; k < p->count; k++)
        write_chosen(w, p, k);
    xpd_json_arr_end(w);
    xpd_json_key(w, "total");
    xpd_json_obj(w);
    xpd_report_values_write(w, &p->view, p->total);
    xpd_json_obj_end(w);
    xpd_json_key(w, "pieces");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "of", n, xpd_json_u64(w, piece[row].of));
    XPD_COLUMN(w, "from", n, xpd_json_u64(w, piece[row].from));
    XPD_COLUMN(w, "to", n, xpd_json_u64(w, piece[row].to));
    XPD_COLUMN(w, "size_bytes", n, xpd_json_i64(w, piece[row].bytes));
    XPD_COLUMN(w, "offset_bytes", n, {
        if (piece[row].offset_bytes < 0)
            xpd_json_null(w);
        else
            xpd_json_i64(w, piece[row].offset_bytes);
    });
    xpd_json_ku64(w, "left_out", p->piece_all - n);
    xpd_json_obj_end(w);
    xpd_json_obj_end(w);
}

static void write_csv(struct xpd_tool_result *out, const struct plot *p)
{
    struct xpd_csv csv;
    struct xpd_strbuf text = {0};
    xpd_tools_start_csv(out, &csv, "report_plot.csv");
    xpd_csv_header(&csv, "buffer,name,from_step,to_step,size_bytes,offset_bytes");
    for (uint32_t i = 0; i < p->piece_count; i++) {
        const struct xpd_report_piece *piece = &p->piece[i];
        uint32_t buffer = p->chosen[piece->of].buffer;
        xpd_strbuf_clear(&text);
        xpd_tools_buffer_name(&text, p->ctx->mem, buffer);
        xpd_csv_u64(&csv, buffer);
        xpd_csv_str(&csv, (struct xpd_str){text.data, text.size});
        xpd_csv_u64(&csv, piece->from);
        xpd_csv_u64(&csv, piece->to);
        xpd_csv_i64(&csv, piece->bytes);
        if (piece->offset_bytes < 0)
            xpd_csv_empty(&csv);
        else
            xpd_csv_i64(&csv, piece->offset_bytes);
        xpd_csv_end_row(&csv);
    }
    out->body.failed |= text.failed;
    xpd_strbuf_fini(&text);
}

static int plot(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct plot p = {.ctx = ctx, .report = xpd_table_report(ctx, err)};
    if (!p.report)
        return err->code;
    int rc = read_chosen(&p, err);
    if (rc == XPD_OK)
        rc = xpd_report_view_read(&p.view, ctx, &xpd_tool_report_plot, err);
    if (rc == XPD_OK)
        rc = measure(&p, err);
    if (rc != XPD_OK)
        return rc;
    if (xpd_tools_csv(ctx)) {
        write_csv(out, &p);
        return XPD_OK;
    }
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    write(&w, &p);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    {.name = "buffers",
     .type = XPD_PARAM_TEXT,
     .help = "buffer indexes separated by commas, at most 32"},
    XPD_REPORT_VIEW_PARAMS(0),
    {.name = "format", .type = XPD_PARAM_ENUM, .words = "json csv", .help = "json or csv"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_report_plot = {
    .route = "/api/v1/report/plot",
    .title = "Chosen buffers over the program: when each is held, how many bytes, at which "
             "addresses.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = plot,
};
