/* /api/v1/memory/buffers: the table of buffers: filtered, folded, grouped, sorted, one page of it.
 */
#include "../tables/table_words.h"
#include "table_buffers.h"
#include "table_uses.h"

#define LIMIT_DEFAULT 200

/* Out of the table of words when it is made: a fusion's are found by walking through it. */
struct words {
    const struct xpd_hlo *hlo;
    const struct xpd_words *made; /* or NULL */
};

static struct xpd_str op_name_of(const struct words *words, uint32_t instruction)
{
    return words->made ? xpd_words_op_name(words->made, words->hlo, instruction)
                       : xpd_tools_scope_name(words->hlo, instruction);
}

static struct xpd_str group_of(const struct words *words, uint32_t instruction)
{
    return xpd_str_of(xpd_op_group_word(xpd_words_group(words->made, words->hlo, instruction)));
}

static uint32_t put_source(struct xpd_names *names, const struct words *words, uint32_t instruction)
{
    if (words->made)
        return xpd_names_kept(names, xpd_words_source(words->made, instruction));
    xpd_strbuf_clear(&names->scratch);
    xpd_tools_source(&names->scratch, words->hlo, instruction);
    return xpd_names_put(names, (struct xpd_str){names->scratch.data, names->scratch.size});
}

static void id_of(struct xpd_jsonw *w, const struct xpd_hlo *hlo, uint32_t buffer)
{
    if (buffer == XPD_NO_INDEX)
        xpd_json_null(w);
    else
        xpd_json_i64(w, hlo->buffers.id[buffer]);
}

static void offset_of(struct xpd_jsonw *w, int64_t offset)
{
    if (offset < 0)
        xpd_json_null(w);
    else
        xpd_json_i64(w, offset);
}

static void write_words(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                        const struct xpd_buffer_row *rows, uint32_t n, struct xpd_names *names)
{
    const struct xpd_mem *mem = ctx->mem;
    const struct xpd_hlo *hlo = ctx->hlo;
    const struct words words = {hlo, xpd_table_words_made(ctx)};
    char scratch[16];
#define WORD(key, text) XPD_COLUMN(w, key, n, xpd_json_u64(w, xpd_names_kept(names, text)))
#define INSTRUCTION     xpd_tools_instruction(mem, rows[row].buffer)
    XPD_COLUMN(w, "name", n, xpd_json_u64(w, xpd_names_buffer(names, mem, rows[row].buffer)));
    XPD_COLUMN(w, "shape", n,
               xpd_json_u64(w, xpd_names_buffer_shape(names, mem, rows[row].buffer)));
    XPD_COLUMN(w, "dtype", n,
               xpd_json_u64(w, xpd_names_put(names, xpd_str_of(xpd_tools_dtype(
                                                        mem, rows[row].buffer, scratch)))));
    WORD("class", xpd_str_of(xpd_mem_class_word(rows[row].mem_class)));
    WORD("group", group_of(&words, INSTRUCTION));
    WORD("opcode", xpd_tools_opcode(hlo, INSTRUCTION));
    WORD("scope", xpd_scope_path(op_name_of(&words, INSTRUCTION)));
    WORD("op_name", op_name_of(&words, INSTRUCTION));
    XPD_COLUMN(w, "source", n, xpd_json_u64(w, put_source(names, &words, INSTRUCTION)));
#undef WORD
#undef INSTRUCTION
}

static void write_rows(struct xpd_jsonw *w, const struct xpd_buffer_table *table,
                       const struct xpd_buffer_row *rows, uint32_t n, struct xpd_names *names)
{
    const struct xpd_tool_ctx *ctx = table->ctx;
    struct xpd_use_steps *use = XPD_NEW_ARRAY(ctx->arena, struct xpd_use_steps, n);
    if (!use)
        return; /* the arena keeps the failure */
    for (uint32_t i = 0; i < n; i++)
        use[i] = xpd_use_steps_of(ctx, table->uses, rows[i].buffer);
    struct xpd_buffer_life *life = XPD_NEW_ARRAY(ctx->arena, struct xpd_buffer_life, n);
    if (!life)
        return;
    for (uint32_t i = 0; i < n; i++)
        life[i] = xpd_buffer_row_life(table, &rows[i]);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "buffer", n, xpd_tools_index(w, rows[row].buffer));
    XPD_COLUMN(w, "id", n, id_of(w, ctx->hlo, rows[row].buffer));
    write_words(w, ctx, rows, n, names);
    XPD_COLUMN(w, "size_bytes", n, xpd_json_i64(w, rows[row].size_bytes));
    XPD_COLUMN(w, "unpadded_bytes", n, xpd_json_i64(w, rows[row].unpadded_bytes));
    XPD_COLUMN(w, "padding_bytes", n, xpd_json_i64(w, xpd_buffer_row_padding(&rows[row])));
    XPD_COLUMN(w, "saving_bytes", n, xpd_json_i64(w, xpd_buffer_row_saving(table, &rows[row])));
    XPD_COLUMN(w, "start", n, xpd_tools_index(w, life[row].start));
    XPD_COLUMN(w, "end", n, xpd_tools_index(w, life[row].end));
    XPD_COLUMN(w, "first_use", n, xpd_tools_index(w, use[row].first));
    XPD_COLUMN(w, "last_use", n, xpd_tools_index(w, use[row].last));
    XPD_COLUMN(w, "offset_bytes", n, offset_of(w, life[row].offset_bytes));
}

static void write_groups(struct xpd_jsonw *w, const struct xpd_buffer_table *table)
{
    const struct xpd_buffer_group *group = table->group;
    uint32_t n = table->group_count;
    xpd_json_key(w, "groups");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "name", n, xpd_json_u64(w, group[row].name));
    XPD_COLUMN(w, "count", n, xpd_json_u64(w, group[row].count));
    XPD_COLUMN(w, "bytes", n, xpd_json_i64(w, group[row].bytes));
    XPD_COLUMN(w, "padding_bytes", n, xpd_json_i64(w, group[row].padding));
    XPD_COLUMN(w, "saving_bytes", n, offset_of(w, group[row].saving));
    xpd_json_ku64(w, "left_out", table->groups_left_out);
    xpd_json_obj_end(w);
}

static void write_json(struct xpd_tool_result *out, const struct xpd_buffer_table *table,
                       const struct xpd_buffer_page *page, struct xpd_names *names, uint32_t offset)
{
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_json_ku64(&w, "total", table->total);
    xpd_json_ki64(&w, "bytes", table->bytes);
    xpd_json_ki64(&w, "total_unpadded_bytes", table->unpadded_bytes);
    xpd_json_ki64(&w, "overlap_bytes", table->overlap_bytes);
    xpd_json_ku64(&w, "matched", table->matched);
    xpd_json_ki64(&w, "matched_bytes", table->matched_bytes);
    xpd_json_ktext(&w, "filter_note", table->note[0] ? table->note : NULL);
    xpd_json_key(&w, "folded");
    xpd_json_obj(&w);
    xpd_json_ku64(&w, "count", table->folded);
    xpd_json_ki64(&w, "bytes", table->folded_bytes);
    xpd_json_obj_end(&w);
    xpd_json_ku64(&w, "offset", offset);
    write_rows(&w, table, page->row, page->count, names);
    if (table->group)
        write_groups(&w, table);
    xpd_names_write(names, &w);
    xpd_json_obj_end(&w);
}

static void csv_step(struct xpd_csv *csv, uint32_t step)
{
    if (step == XPD_NO_STEP)
        xpd_csv_empty(csv);
    else
        xpd_csv_u64(csv, step);
}

static void csv_row(struct xpd_csv *csv, const struct xpd_buffer_table *table,
                    const struct xpd_buffer_row *row, struct xpd_names *names)
{
    const struct xpd_tool_ctx *ctx = table->ctx;
    const struct xpd_intern *texts = &names->table;
    uint32_t instruction = xpd_tools_instruction(ctx->mem, row->buffer);
    const struct words words = {ctx->hlo, xpd_table_words_made(ctx)};
    struct xpd_str op_name = op_name_of(&words, instruction);
    struct xpd_use_steps use = xpd_use_steps_of(ctx, table->uses, row->buffer);
    struct xpd_buffer_life life = xpd_buffer_row_life(table, row);
    char scratch[16];
    xpd_csv_str(csv, xpd_intern_get(texts, xpd_names_buffer(names, ctx->mem, row->buffer)));
    if (row->buffer == XPD_NO_INDEX)
        xpd_csv_empty(csv);
    else
        xpd_csv_i64(csv, ctx->hlo->buffers.id[row->buffer]);
    xpd_csv_str(csv, xpd_intern_get(texts, xpd_names_buffer_shape(names, ctx->mem, row->buffer)));
    xpd_csv_text(csv, xpd_tools_dtype(ctx->mem, row->buffer, scratch));
    xpd_csv_text(csv, xpd_mem_class_word(row->mem_class));
    xpd_csv_str(csv, group_of(&words, instruction));
    xpd_csv_str(csv, xpd_tools_opcode(ctx->hlo, instruction));
    xpd_csv_str(csv, op_name);
    xpd_csv_str(csv, xpd_intern_get(texts, put_source(names, &words, instruction)));
    xpd_csv_i64(csv, row->size_bytes);
    xpd_csv_i64(csv, row->unpadded_bytes);
    xpd_csv_i64(csv, xpd_buffer_row_padding(row));
    xpd_csv_i64(csv, xpd_buffer_row_saving(table, row));
    csv_step(csv, life.start);
    csv_step(csv, life.end);
    csv_step(csv, use.first);
    csv_step(csv, use.last);
    if (life.offset_bytes < 0)
        xpd_csv_empty(csv);
    else
        xpd_csv_i64(csv, life.offset_bytes);
    xpd_csv_end_row(csv);
}

static void write_csv(struct xpd_tool_result *out, const struct xpd_buffer_table *table,
                      const struct xpd_buffer_page *page, struct xpd_names *names)
{
    struct xpd_csv csv;
    xpd_tools_start_csv(out, &csv, "buffers.csv");
    xpd_csv_header(&csv, "name,id,shape,dtype,class,group,opcode,op_name,source,size_bytes,"
                         "unpadded_bytes,padding_bytes,saving_bytes,start,end,first_use,last_use,"
                         "offset_bytes");
    for (uint32_t i = 0; i < page->count; i++)
        csv_row(&csv, table, &page->row[i], names);
    if (table->folded > 0) {
        xpd_csv_text(&csv, "(folded)");
        for (int i = 0; i < 8; i++)
            xpd_csv_empty(&csv);
        xpd_csv_i64(&csv, table->folded_bytes);
        for (int i = 0; i < 8; i++)
            xpd_csv_empty(&csv);
        xpd_csv_end_row(&csv);
    }
    if (names->table.failed)
        out->body.failed = true;
}

static int buffers(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_memory_buffers;
    struct xpd_buffer_table table = {.ctx = ctx};
    bool csv = xpd_tools_csv(ctx);
    uint32_t offset = (uint32_t)xpd_param_int(ctx, tool, "offset");
    /* a CSV is the whole table unless a part is asked for */
    uint32_t limit = csv && !xpd_param_has(ctx, "limit")
                         ? XPD_ROWS_ALL
                         : (uint32_t)xpd_param_int(ctx, tool, "limit");
    int sort = xpd_param_word(ctx, tool, "sort");
    bool descending = xpd_param_int(ctx, tool, "desc") != 0;
    struct xpd_buffer_page page;
    struct xpd_names names;
    int rc = xpd_buffers_collect(&table, err);
    if (rc == XPD_OK)
        rc = xpd_buffers_filter(&table, xpd_param_int(ctx, tool, "fold_bytes"), err);
    if (rc != XPD_OK)
        return rc;
    xpd_names_init(&names, ctx->arena);
    rc = csv ? XPD_OK : xpd_buffers_group(&table, xpd_param_word(ctx, tool, "by"), &names, err);
    if (rc == XPD_OK)
        rc = xpd_buffers_sort(&table, sort < 0 ? XPD_SORT_SAVING : (enum xpd_buffer_key)sort,
                              descending, offset, limit, &page, err);
    if (rc == XPD_OK && csv)
        write_csv(out, &table, &page, &names);
    else if (rc == XPD_OK)
        write_json(out, &table, &page, &names, offset);
    xpd_names_fini(&names);
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "at",
     .type = XPD_PARAM_TEXT,
     .max = 20,
     .help =
         "all (every buffer of the space), peak, or a step: what is held after it; default all"},
    {.name = "filter",
     .type = XPD_PARAM_TEXT,
     .max = XPD_MATCH_PATTERN_MAX + 2,
     .help = "text, or /regular expression/, on name, op name, opcode, source; shape with [ or ,"},
    {.name = "class", .type = XPD_PARAM_TEXT, .max = 32, .help = "class word"},
    {.name = "dtype", .type = XPD_PARAM_TEXT, .max = 32, .help = "element type word"},
    {.name = "opcode", .type = XPD_PARAM_TEXT, .max = 128, .help = "opcode word"},
    {.name = "group_name", .type = XPD_PARAM_TEXT, .max = 32, .help = "op group word"},
    {.name = "scope",
     .type = XPD_PARAM_TEXT,
     .max = 4096,
     .help = "beginning of an op_name, with or without jit(..), or a path of the tree by scope"},
    {.name = "source", .type = XPD_PARAM_TEXT, .max = 4096, .help = "file:line or file"},
    {.name = "sort", .type = XPD_PARAM_ENUM, .words = XPD_BUFFER_SORTS, .help = "default saving"},
    {.name = "desc", .type = XPD_PARAM_INT, .max = 1, .fallback = 1, .help = "1 largest first"},
    {.name = "offset", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first row"},
    XPD_PARAM_LIMIT(LIMIT_DEFAULT, XPD_ROWS_ALL, "rows; a CSV has all when absent"),
    {.name = "fold_bytes",
     .type = XPD_PARAM_SIZE,
     .max = INT64_MAX,
     .help = "smaller ones are counted in `folded` and not listed; default 0"},
    {.name = "by",
     .type = XPD_PARAM_ENUM,
     .words = "none scope source opcode dtype class group shape",
     .help = "groups; default none"},
    {.name = "format", .type = XPD_PARAM_ENUM, .words = "json csv", .help = "json or csv"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_buffers = {
    .route = "/api/v1/memory/buffers",
    .title = "The table of buffers: filtered, grouped, sorted, one page of it.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = buffers,
};
