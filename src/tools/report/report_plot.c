/* /api/v1/report/plot: chosen buffers over the program. In: up to 32 buffers, steps. Out: one row
 * each that add up, and the stretches in which they are held, with their addresses. */
#include "report_keys.h"

#define CHOSEN_MAX 32
#define PIECES_MAX 16384

#define XPD_REPORT_PLOTTED_FIELDS(FIELD)                                                           \
    FIELD(INDEX, buffer, "")                                                                       \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(MAYBE(TEXT), instruction, "that defines it")                                             \
    FIELD(TEXT, shape, "without layout")                                                           \
    FIELD(TEXT, row, "of `report/details`; \"\": none")                                            \
    FIELD(MAYBE(INDEX), tenancy, "null: no lifetime of its own")                                   \
    FIELD(WORD("live always no_events never elsewhere"), state, "how it is held")                  \
    FIELD(MAYBE(INDEX), same_as, "index of an earlier row with the same storage")                  \
    FIELD(INT, size_bytes, "with padding")                                                         \
    FIELD(INT, unpadded_bytes, "")                                                                 \
    XPD_REPORT_VALUES_FIELDS(FIELD)
XPD_RECORD(xpd_report_plotted, XPD_REPORT_PLOTTED_FIELDS)

#define XPD_REPORT_PIECE_FIELDS(FIELD)                                                             \
    FIELD(INDEX, of, "index in `rows`")                                                            \
    FIELD(INDEX, from_step, "held from here on")                                                   \
    FIELD(INDEX, to_step, "up to, not including, this one")                                        \
    FIELD(INT, size_bytes, "")                                                                     \
    FIELD(MAYBE(INT), offset_bytes, "address in the heap; null: always there")
XPD_RECORD(xpd_report_held_piece, XPD_REPORT_PIECE_FIELDS)

#define XPD_REPORT_PLOT_FIELDS(FIELD)                                                              \
    XPD_REPORT_VIEW_FIELDS(FIELD)                                                                  \
    FIELD(COUNT, step_count, "of the memory space")                                                \
    FIELD(INT, heap_bytes, "")                                                                     \
    FIELD(INT, peak_bytes, "")                                                                     \
    FIELD(LIST(xpd_report_plotted), rows, "in the requested order")                                \
    FIELD(OBJECT(xpd_report_values), total, "of all rows, storage counted once")                   \
    FIELD(COLUMNS(xpd_report_held_piece), pieces, "ranges of steps, at most 16,384")               \
    FIELD(COUNT, pieces_left_out, "")
XPD_RECORD(xpd_report_plot, XPD_REPORT_PLOT_FIELDS)

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
    struct xpd_report_plot out;
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

static struct xpd_report_plotted row_of(const struct plot *p, uint32_t k, struct xpd_texts *texts)
{
    const struct xpd_report_chosen *chosen = &p->chosen[k];
    const struct xpd_mem *mem = p->ctx->mem;
    const struct xpd_report_row *row =
        chosen->row == XPD_NO_INDEX ? NULL : &p->report->row[chosen->row];
    uint32_t of = chosen->twin == XPD_NO_INDEX ? k : chosen->twin;
    char leaf[48] = "";
    struct xpd_report_values values =
        xpd_report_values_of(&p->view, p->bytes + (size_t)of * p->view.steps.count, p->ctx->arena);
    if (row)
        xpd_report_leaf(leaf, row);
    return (struct xpd_report_plotted){
        .buffer = chosen->buffer,
        .name = xpd_texts_buffer(texts, mem, chosen->buffer),
        .instruction = xpd_tools_or_null(
            xpd_hlo_instruction_name(mem->hlo, xpd_mem_instruction(mem, chosen->buffer))),
        .shape = xpd_texts_buffer_shape(texts, mem, chosen->buffer),
        .row = xpd_arena_str(p->ctx->arena, xpd_str_of(leaf)),
        .tenancy = row ? row->tenancy : XPD_NO_INDEX,
        .state = xpd_report_state_word(chosen->state),
        .same_as = chosen->twin,
        .size_bytes = mem->buffer[chosen->buffer].size_bytes,
        .unpadded_bytes = mem->buffer[chosen->buffer].unpadded_bytes,
        XPD_REPORT_VALUES_OF(values),
    };
}

static int put(struct plot *p, struct xpd_err *err)
{
    struct xpd_arena *arena = p->ctx->arena;
    struct xpd_texts texts = {.arena = arena};
    struct xpd_report_plotted *to = XPD_NEW_ARRAY(arena, struct xpd_report_plotted, p->count);
    struct xpd_report_held_piece *piece =
        XPD_NEW_ARRAY(arena, struct xpd_report_held_piece, p->piece_count);
    for (uint32_t k = 0; to && k < p->count; k++)
        to[k] = row_of(p, k, &texts);
    for (uint32_t i = 0; piece && i < p->piece_count; i++) {
        const struct xpd_report_piece *at = &p->piece[i];
        piece[i] =
            (struct xpd_report_held_piece){at->of, at->from, at->to, at->bytes, at->offset_bytes};
    }
    xpd_texts_fini(&texts);
    p->out = (struct xpd_report_plot){
        XPD_REPORT_VIEW_OF(&p->view),
        .step_count = p->ctx->space->step_count,
        .heap_bytes = p->ctx->space->heap_bytes,
        .peak_bytes = p->ctx->space->peak_bytes,
        .rows = {to, p->count},
        .total = xpd_report_values_keep(&p->view, p->total, arena),
        .pieces = {piece, p->piece_count},
        .pieces_left_out = p->piece_all - p->piece_count,
    };
    return arena->failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static void put_csv(struct xpd_csv *csv, const void *answer)
{
    const struct xpd_report_plot *of = answer;
    xpd_csv_header(csv, "buffer,name,from_step,to_step,size_bytes,offset_bytes");
    for (uint32_t i = 0; i < of->pieces.n; i++) {
        const struct xpd_report_held_piece *piece = &of->pieces.at[i];
        xpd_csv_u64(csv, of->rows.at[piece->of].buffer);
        xpd_csv_str(csv, of->rows.at[piece->of].name);
        xpd_csv_u64(csv, piece->from_step);
        xpd_csv_u64(csv, piece->to_step);
        xpd_csv_i64(csv, piece->size_bytes);
        if (piece->offset_bytes < 0)
            xpd_csv_empty(csv);
        else
            xpd_csv_i64(csv, piece->offset_bytes);
        xpd_csv_end_row(csv);
    }
}

static int plot(const struct xpd_tool_ctx *ctx, const void **to, struct xpd_err *err)
{
    struct plot *p = XPD_NEW(ctx->arena, struct plot);
    if (!p)
        return xpd_tools_no_memory(err);
    *p = (struct plot){.ctx = ctx, .report = xpd_table_report(ctx, err)};
    if (!p->report)
        return err->code;
    int rc = read_chosen(p, err);
    if (rc == XPD_OK)
        rc = xpd_report_view_read(&p->view, ctx, &xpd_tool_report_plot, err);
    if (rc == XPD_OK)
        rc = measure(p, err);
    *to = &p->out;
    return rc == XPD_OK ? put(p, err) : rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "buffers",
     .type = XPD_PARAM_TEXT,
     .help = "buffer indexes separated by commas, at most 32"},
    XPD_REPORT_VIEW_PARAMS(0),
    XPD_REPORT_FORMAT_PARAM,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_report_plot = {
    .route = "/api/v1/report/plot",
    .title = "Chosen buffers over the program: lifetimes, bytes and addresses.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .about = "A buffer's `state`: `live`; `always`: held from the first to the last step; "
             "`no_events`: in the heap at unknown times; `never`: no storage of its own; "
             "`elsewhere`: not in this memory space. A CSV has a row for each of `pieces`.",
    .answer = xpd_report_plot_record,
    .make = plot,
    .csv = put_csv,
    .file_name = "report_plot.csv",
    XPD_IN_REPORT("px",
                  {240, XPD_EACH_PEAK, "steps={step}",
                   "each of the 200 largest buffers at the peak over the program, one at a time"},
                  {240, XPD_EACH_LARGEST, "steps={step}&buffers={buffer}", NULL}),
};
