/* /api/v1/memory/live: what is held after one step. The rows, the folded small ones and the rest
 * add up to the curve, and so do the blocks that all of them make. */
#include "../tables/table_words.h"
#include "table_blocks.h"
#include "table_buffers.h"
#include "whatif_changed.h"
#include "xprofd/base/checked.h"
#include "xprofd/tools/held.h"

#define ROWS_DEFAULT 4096
#define ROWS_MAX     16384

struct sum {
    uint32_t count;
    int64_t bytes, unpadded;
};

static void add(struct sum *sum, const struct xpd_held *row)
{
    sum->count++;
    xpd_grow_i64(&sum->bytes, row->size_bytes);
    xpd_grow_i64(&sum->unpadded, row->unpadded_bytes);
}

/* Descending, ties in program order: the place in the list is in the last member. */
struct sortable {
    int64_t key;
    uint32_t row;
};

static int descending(const void *a, const void *b)
{
    const struct sortable *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? 1 : -1;
    return x->row < y->row ? -1 : x->row > y->row;
}

struct live {
    struct xpd_held_list held;
    uint32_t step;
    bool planned; /* of a changed program: what a row would save on top is not computed here */
    int64_t fold_bytes;
    struct xpd_held *row; /* chosen, in the order asked for */
    uint32_t count;
    struct sum small, rest;
    struct xpd_held_blocks blocks;
};

static void leave_out(struct live *live, struct sum *sum, const struct xpd_held *row)
{
    add(sum, row);
    xpd_held_blocks_add(&live->blocks, row, false);
}

static int choose(const struct xpd_tool_ctx *ctx, struct live *live, uint32_t limit,
                  struct xpd_err *err)
{
    struct xpd_str order = xpd_param_text(ctx, "order");
    bool by_size = xpd_str_eq(order, XPD_STR("size"));
    bool by_padding = xpd_str_eq(order, XPD_STR("padding"));
    struct sortable *big = XPD_NEW_ARRAY(ctx->arena, struct sortable, live->held.count);
    uint32_t n = 0;
    if (!big)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < live->held.count; i++) {
        const struct xpd_held *row = &live->held.at[i];
        if (row->size_bytes < live->fold_bytes)
            leave_out(live, &live->small, row);
        else
            big[n++] = (struct sortable){by_size      ? row->size_bytes
                                         : by_padding ? xpd_held_padding(row)
                                                      : 0,
                                         i};
    }
    if (by_size || by_padding)
        qsort(big, n, sizeof *big, descending);
    live->count = n < limit ? n : limit;
    live->row = XPD_NEW_ARRAY(ctx->arena, struct xpd_held, live->count);
    if (!live->row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_held *row = &live->held.at[big[i].row];
        if (i >= live->count) {
            leave_out(live, &live->rest, row);
            continue;
        }
        live->row[i] = *row;
        xpd_held_blocks_add(&live->blocks, row, true);
    }
    xpd_held_blocks_end(&live->blocks);
    return XPD_OK;
}

static void write_sum(struct xpd_jsonw *w, const char *key, const struct sum *sum)
{
    xpd_json_key(w, key);
    xpd_json_obj(w);
    xpd_json_ku64(w, "count", sum->count);
    xpd_json_ki64(w, "bytes", sum->bytes);
    xpd_json_ki64(w, "unpadded_bytes", sum->unpadded);
    xpd_json_obj_end(w);
}

static uint32_t put_group(struct xpd_names *names, const struct xpd_tool_ctx *ctx,
                          const struct xpd_words *words, uint32_t buffer)
{
    uint32_t instruction =
        buffer == XPD_NO_INDEX ? XPD_NO_INDEX : ctx->hlo->buffers.instruction[buffer];
    return xpd_names_word(names, xpd_op_group_word(xpd_words_group(words, ctx->hlo, instruction)));
}

static int64_t saving_of(const struct xpd_tool_ctx *ctx, const struct xpd_savings *savings,
                         const struct xpd_held *row)
{
    return savings && row->buffer != XPD_NO_INDEX
               ? savings->by_buffer[row->buffer]
               : xpd_held_saving(row, ctx->mem, ctx->space, ctx->arena);
}

static uint32_t put_class(struct xpd_names *names, const struct xpd_held *row)
{
    return xpd_names_word(names, xpd_mem_class_word(row->mem_class));
}

static void offset_of(struct xpd_jsonw *w, const struct xpd_held *row)
{
    if (row->tenancy == XPD_NO_INDEX)
        xpd_json_null(w);
    else
        xpd_json_i64(w, row->offset_bytes);
}

static void write_saving(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                         const struct live *live, const struct xpd_savings *savings, uint32_t row)
{
    if (live->planned)
        xpd_json_null(w);
    else
        xpd_json_i64(w, saving_of(ctx, savings, &live->row[row]));
}

static void write_rows(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx, const struct live *live,
                       struct xpd_names *names)
{
    const struct xpd_held *rows = live->row;
    const struct xpd_words *words = xpd_table_words_made(ctx);
    const struct xpd_savings *savings = xpd_table_savings_made(ctx);
    uint32_t n = live->count;
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "buffer", n, xpd_tools_index(w, rows[row].buffer));
    XPD_COLUMN(w, "tenancy", n, xpd_tools_index(w, rows[row].tenancy));
    XPD_COLUMN(w, "name", n, xpd_json_u64(w, xpd_names_buffer(names, ctx->mem, rows[row].buffer)));
    XPD_COLUMN(w, "shape", n,
               xpd_json_u64(w, xpd_names_buffer_shape(names, ctx->mem, rows[row].buffer)));
    XPD_COLUMN(w, "class", n, xpd_json_u64(w, put_class(names, &rows[row])));
    XPD_COLUMN(w, "group", n, xpd_json_u64(w, put_group(names, ctx, words, rows[row].buffer)));
    XPD_COLUMN(w, "size_bytes", n, xpd_json_i64(w, rows[row].size_bytes));
    XPD_COLUMN(w, "unpadded_bytes", n, xpd_json_i64(w, rows[row].unpadded_bytes));
    XPD_COLUMN(w, "saving_bytes", n, write_saving(w, ctx, live, savings, row));
    XPD_COLUMN(w, "start", n, xpd_json_u64(w, rows[row].start));
    XPD_COLUMN(w, "end", n, xpd_json_u64(w, rows[row].end));
    XPD_COLUMN(w, "offset_bytes", n, offset_of(w, &rows[row]));
    XPD_COLUMN(w, "block", n, xpd_tools_index(w, xpd_held_block_of(&live->blocks, &rows[row])));
    xpd_held_blocks_write(w, &live->blocks, names, ctx);
}

static void write_json(const struct xpd_tool_ctx *ctx, const struct live *live,
                       struct xpd_tool_result *out)
{
    const struct xpd_held_list *held = &live->held;
    struct xpd_names names;
    struct xpd_jsonw w;
    xpd_names_init(&names, ctx->arena);
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_tools_kindex(&w, "step", live->step);
    xpd_json_ku64(&w, "count", held->count);
    xpd_json_ki64(&w, "bytes", held->bytes);
    xpd_json_ki64(&w, "total_unpadded_bytes", held->unpadded_bytes);
    xpd_json_ki64(&w, "overlap_bytes", held->listed_bytes - held->bytes);
    xpd_json_ki64(&w, "fold_bytes", live->fold_bytes);
    xpd_json_key(&w, "untraced");
    xpd_json_obj(&w);
    xpd_json_ku64(&w, "count", held->untraced_count);
    xpd_json_ki64(&w, "bytes", held->untraced_bytes);
    xpd_json_obj_end(&w);
    write_rows(&w, ctx, live, &names);
    xpd_names_write(&names, &w);
    write_sum(&w, "small", &live->small);
    write_sum(&w, "rest", &live->rest);
    xpd_json_obj_end(&w);
    xpd_names_fini(&names);
}

static void csv_sum(struct xpd_csv *csv, const char *name, const struct sum *sum)
{
    if (sum->count == 0)
        return;
    xpd_csv_text(csv, name);
    for (int i = 0; i < 3; i++)
        xpd_csv_empty(csv);
    xpd_csv_i64(csv, sum->bytes);
    xpd_csv_i64(csv, sum->unpadded);
    for (int i = 0; i < 4; i++)
        xpd_csv_empty(csv);
    xpd_csv_end_row(csv);
}

static void write_csv(const struct xpd_tool_ctx *ctx, const struct live *live,
                      struct xpd_tool_result *out)
{
    struct xpd_csv csv;
    struct xpd_strbuf text = {0};
    xpd_tools_start_csv(out, &csv, "live.csv");
    xpd_csv_header(&csv, "name,shape,class,group,size_bytes,unpadded_bytes,saving_bytes,start,end,"
                         "offset_bytes");
    for (uint32_t i = 0; i < live->count; i++) {
        const struct xpd_held *row = &live->row[i];
        xpd_strbuf_clear(&text);
        xpd_tools_buffer_name(&text, ctx->mem, row->buffer);
        xpd_csv_str(&csv, (struct xpd_str){text.data, text.size});
        xpd_strbuf_clear(&text);
        if (row->buffer != XPD_NO_INDEX)
            xpd_shape_text(&text, ctx->mem->buffer[row->buffer].shape, false);
        xpd_csv_str(&csv, (struct xpd_str){text.data, text.size});
        xpd_csv_text(&csv, xpd_mem_class_word(row->mem_class));
        xpd_csv_text(&csv, xpd_tools_group(ctx->hlo, xpd_tools_instruction(ctx->mem, row->buffer)));
        xpd_csv_i64(&csv, row->size_bytes);
        xpd_csv_i64(&csv, row->unpadded_bytes);
        if (live->planned)
            xpd_csv_empty(&csv);
        else
            xpd_csv_i64(&csv, xpd_held_saving(row, ctx->mem, ctx->space, ctx->arena));
        xpd_csv_u64(&csv, row->start);
        xpd_csv_u64(&csv, row->end);
        if (row->tenancy == XPD_NO_INDEX)
            xpd_csv_empty(&csv);
        else
            xpd_csv_i64(&csv, row->offset_bytes);
        xpd_csv_end_row(&csv);
    }
    csv_sum(&csv, "(small)", &live->small);
    csv_sum(&csv, "(rest)", &live->rest);
    out->body.failed |= text.failed;
    xpd_strbuf_fini(&text);
}

static int live_tool(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                     struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_memory_live;
    struct live live = {.fold_bytes = xpd_param_has(ctx, "fold_bytes")
                                          ? xpd_param_int(ctx, tool, "fold_bytes")
                                          : xpd_mem_fold_bytes(ctx->space),
                        .planned = xpd_param_has(ctx, "plan")};
    int rc = xpd_tools_step(ctx, "step", &live.step, err);
    if (rc == XPD_OK)
        rc = xpd_tools_held(&live.held, ctx, live.step, err);
    if (rc == XPD_OK)
        rc = xpd_held_blocks_begin(&live.blocks, ctx, err);
    if (rc == XPD_OK)
        rc = choose(ctx, &live, (uint32_t)xpd_param_int(ctx, tool, "limit"), err);
    if (rc != XPD_OK)
        return rc;
    if (xpd_tools_csv(ctx))
        write_csv(ctx, &live, out);
    else
        write_json(ctx, &live, out);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    {.name = "step", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "default the peak"},
    {.name = "order",
     .type = XPD_PARAM_ENUM,
     .words = "program size padding",
     .help = "default program"},
    {.name = "fold_bytes",
     .type = XPD_PARAM_SIZE,
     .max = INT64_MAX,
     .help = "smaller ones are summed up in `small`; default the summary's `fold_bytes`"},
    XPD_PARAM_LIMIT(ROWS_DEFAULT, ROWS_MAX, "rows; what is over is summed up in `rest`"),
    XPD_PARAM_PLAN,
    {.name = "format", .type = XPD_PARAM_ENUM, .words = "json csv", .help = "json or csv"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_live = {
    .route = "/api/v1/memory/live",
    .title = "What is held after one step, residents first.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = live_tool,
};
