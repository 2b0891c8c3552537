/* /api/v1/memory/buffers: the table of buffers: filtered, folded, grouped, sorted, one page of it.
 */
#include "../tables/table_words.h"
#include "table_buffers.h"
#include "table_uses.h"

#define LIMIT_DEFAULT 200

#define XPD_MEMORY_BUFFERS_ROW_FIELDS(FIELD)                                                       \
    FIELD(NAME, name, "instruction{shape index}")                                                  \
    FIELD(MAYBE(BIG), id, "the compiler's")                                                        \
    FIELD(NAME, shape, "without layout")                                                           \
    FIELD(NAME, dtype, "element type")                                                             \
    FIELD(NAME, class, "parameter, output, thread_local, constant, temporary")                     \
    FIELD(NAME, group, "kind of the operation that produces it")                                   \
    FIELD(NAME, opcode, "opcode of the operation that produces it")                                \
    FIELD(NAME, op_name, "op name of that instruction, else of the value it forwards")             \
    FIELD(NAME, source, "file:line, the path as recorded")                                         \
    FIELD(INT, size_bytes, "for `all` its own size, at a step the bytes held")                     \
    FIELD(INT, unpadded_bytes, "without padding")                                                  \
    FIELD(SIGNED, padding_bytes, "of the size")                                                    \
    FIELD(INT, saving_bytes, "how far the peak falls without it")                                  \
    FIELD(MAYBE(INDEX), start_step,                                                                \
          "for `all` the start of the value, at a step the start of its storage; null: no heap "   \
          "event names it")                                                                        \
    FIELD(MAYBE(INDEX), end_step, "likewise; not included")                                        \
    FIELD(MAYBE(INDEX), first_use, "step")                                                         \
    FIELD(MAYBE(INDEX), last_use, "step")                                                          \
    FIELD(MAYBE(INT), offset_bytes, "address in the heap")                                         \
    FIELD(NAME, scope, "op name without jit(..)")                                                  \
    FIELD(MAYBE(INDEX), buffer, "null: an allocation without a logical buffer")
XPD_RECORD(xpd_memory_buffers_row, XPD_MEMORY_BUFFERS_ROW_FIELDS)

#define XPD_MEMORY_BUFFERS_GROUP_FIELDS(FIELD)                                                     \
    FIELD(NAME, name, "the value that the buffers share")                                          \
    FIELD(COUNT, count, "rows")                                                                    \
    FIELD(INT, size_bytes, "of all of them")                                                       \
    FIELD(SIGNED, padding_bytes, "of all of them")                                                 \
    FIELD(MAYBE(INT), saving_bytes,                                                                \
          "of the whole group; null: not computed. It is computed for the largest 200 groups, "    \
          "fewer in programs of more than 100,000 steps")
XPD_RECORD(xpd_memory_buffers_group, XPD_MEMORY_BUFFERS_GROUP_FIELDS)

#define XPD_MEMORY_BUFFERS_GROUPS_FIELDS(FIELD)                                                    \
    FIELD(INLINE(xpd_memory_buffers_group), rows,                                                  \
          "at most 500, by saving; by bytes with another `sort`")                                  \
    FIELD(COUNT, left_out, "groups beyond these")
XPD_RECORD(xpd_memory_buffers_groups, XPD_MEMORY_BUFFERS_GROUPS_FIELDS)

#define XPD_MEMORY_BUFFERS_FIELDS(FIELD)                                                           \
    FIELD(COUNT, total, "rows before filtering")                                                   \
    FIELD(INT, total_bytes, "of them")                                                             \
    FIELD(INT, total_unpadded_bytes, "of them, without padding")                                   \
    FIELD(INT, overlap_bytes, "as in memory/live; 0 for `all`")                                    \
    FIELD(COUNT, matched, "rows that match, whether listed, folded or neither")                    \
    FIELD(INT, matched_bytes, "of them")                                                           \
    FIELD(MAYBE(STRING), filter_note,                                                              \
          "why the filter was read as plain text, or how many texts were not fully checked")       \
    FIELD(OBJECT(xpd_bytes_sum), folded,                                                           \
          "rows that match but are smaller than `fold_bytes`, and are not listed")                 \
    FIELD(COUNT, offset, "of the first row that is listed")                                        \
    FIELD(INLINE(xpd_memory_buffers_row), rows, "of the page")                                     \
    FIELD(MAYBE(OBJECT(xpd_memory_buffers_groups)), groups,                                        \
          "groups of all matching rows; null without `by`")
XPD_RECORD(xpd_memory_buffers, XPD_MEMORY_BUFFERS_FIELDS)

/* Out of the table of words when it is made: a fusion's are found by walking through it. */
struct words {
    const struct xpd_hlo *hlo;
    const struct xpd_words *made; /* or NULL */
};

static struct xpd_str op_name_of(const struct words *words, uint32_t instruction)
{
    return words->made ? xpd_words_op_name(words->made, words->hlo, instruction)
                       : xpd_hlo_scope_name(words->hlo, instruction);
}

static struct xpd_str group_of(const struct words *words, uint32_t instruction)
{
    return xpd_str_of(xpd_op_group_word(xpd_words_group(words->made, words->hlo, instruction)));
}

static struct xpd_str source_of(struct xpd_texts *texts, const struct words *words,
                                uint32_t instruction)
{
    if (words->made)
        return xpd_words_source(words->made, instruction);
    xpd_source_put_of(&texts->scratch, words->hlo, instruction);
    return xpd_strbuf_keep(&texts->scratch, texts->arena);
}

/* An element type by its word, which is not kept by anybody else. */
static struct xpd_str dtype_of(struct xpd_texts *texts, const struct xpd_mem *mem, uint32_t buffer,
                               struct xpd_str before)
{
    char scratch[16];
    const char *word = xpd_mem_dtype(mem, buffer, scratch);
    if (xpd_str_eq(before, xpd_str_of(word)))
        return before;
    xpd_strbuf_puts(&texts->scratch, word);
    return xpd_strbuf_keep(&texts->scratch, texts->arena);
}

static void fill_rows(struct xpd_memory_buffers_row *to, const struct xpd_buffer_table *table,
                      const struct xpd_buffer_page *page)
{
    const struct xpd_tool_ctx *ctx = table->ctx;
    const struct words words = {ctx->hlo, xpd_table_words_made(ctx)};
    struct xpd_texts texts = {.arena = ctx->arena};
    struct xpd_str dtype = XPD_STR("");
    for (uint32_t i = 0; i < page->count; i++) {
        const struct xpd_buffer_row *row = &page->row[i];
        uint32_t instruction = xpd_mem_instruction(ctx->mem, row->buffer);
        struct xpd_use_steps use = xpd_use_steps_of(ctx, table->uses, row->buffer);
        struct xpd_buffer_life life = xpd_buffer_row_life(table, row);
        struct xpd_str op_name = op_name_of(&words, instruction);
        dtype = dtype_of(&texts, ctx->mem, row->buffer, dtype);
        to[i] = (struct xpd_memory_buffers_row){
            .name = xpd_texts_buffer(&texts, ctx->mem, row->buffer),
            .id = row->buffer == XPD_NO_INDEX ? XPD_UNKNOWN : ctx->hlo->buffers.id[row->buffer],
            .shape = xpd_texts_buffer_shape(&texts, ctx->mem, row->buffer),
            .dtype = dtype,
            .class = xpd_str_of(xpd_mem_class_word(row->mem_class)),
            .group = group_of(&words, instruction),
            .opcode = xpd_hlo_opcode(ctx->hlo, instruction),
            .op_name = op_name,
            .source = source_of(&texts, &words, instruction),
            .size_bytes = row->size_bytes,
            .unpadded_bytes = row->unpadded_bytes,
            .padding_bytes = xpd_buffer_row_padding(row),
            .saving_bytes = xpd_buffer_row_saving(table, row),
            .start_step = life.start,
            .end_step = life.end,
            .first_use = use.first,
            .last_use = use.last,
            .offset_bytes = life.offset_bytes,
            .scope = xpd_scope_path(op_name),
            .buffer = row->buffer,
        };
    }
    xpd_texts_fini(&texts);
}

/* NULL: no memory. */
static const struct xpd_memory_buffers_groups *fill_groups(const struct xpd_buffer_table *table,
                                                           const struct xpd_names *names)
{
    struct xpd_arena *arena = table->ctx->arena;
    struct xpd_memory_buffers_groups *groups = XPD_NEW(arena, struct xpd_memory_buffers_groups);
    struct xpd_memory_buffers_group *to =
        XPD_NEW_ARRAY(arena, struct xpd_memory_buffers_group, table->group_count);
    if (!groups || !to || names->table.failed)
        return NULL;
    for (uint32_t i = 0; i < table->group_count; i++) {
        const struct xpd_buffer_group *group = &table->group[i];
        to[i] = (struct xpd_memory_buffers_group){
            .name = xpd_intern_get(&names->table, group->name),
            .count = group->count,
            .size_bytes = group->bytes,
            .padding_bytes = group->padding,
            .saving_bytes = group->saving,
        };
    }
    groups->rows.at = to;
    groups->rows.n = table->group_count;
    groups->left_out = table->groups_left_out;
    return groups;
}

/* What has no row is a row of a CSV, so that it adds up. */
static struct xpd_memory_buffers_row folded_row(const struct xpd_buffer_table *table)
{
    return (struct xpd_memory_buffers_row){.name = XPD_STR("(folded)"),
                                           .id = XPD_UNKNOWN,
                                           .size_bytes = table->folded_bytes,
                                           .start_step = XPD_NO_INDEX,
                                           .end_step = XPD_NO_INDEX,
                                           .first_use = XPD_NO_INDEX,
                                           .last_use = XPD_NO_INDEX,
                                           .offset_bytes = -1,
                                           .buffer = XPD_NO_INDEX};
}

struct made {
    struct xpd_memory_buffers out;
    struct xpd_bytes_sum folded;
    struct xpd_buffer_table table;
};

static int fill(struct made *made, const struct xpd_buffer_page *page,
                const struct xpd_names *names, struct xpd_err *err)
{
    const struct xpd_buffer_table *table = &made->table;
    struct xpd_memory_buffers_row *row =
        XPD_NEW_ARRAY(table->ctx->arena, struct xpd_memory_buffers_row, (size_t)page->count + 1);
    if (!row)
        return xpd_tools_no_memory(err);
    fill_rows(row, table, page);
    uint32_t n = page->count;
    if (xpd_tools_csv(table->ctx) && table->folded > 0)
        row[n++] = folded_row(table);
    made->folded = (struct xpd_bytes_sum){table->folded, table->folded_bytes};
    made->out = (struct xpd_memory_buffers){
        .total = table->total,
        .total_bytes = table->bytes,
        .total_unpadded_bytes = table->unpadded_bytes,
        .overlap_bytes = table->overlap_bytes,
        .matched = table->matched,
        .matched_bytes = table->matched_bytes,
        .filter_note = table->note[0] ? table->note : NULL,
        .folded = &made->folded,
        .offset = (uint32_t)xpd_param_int(table->ctx, &xpd_tool_memory_buffers, "offset"),
        .rows = {row, n},
        .groups = table->group ? fill_groups(table, names) : NULL,
    };
    return table->group && !made->out.groups ? xpd_tools_no_memory(err) : XPD_OK;
}

static int buffers(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_memory_buffers;
    struct made *made = XPD_NEW(ctx->arena, struct made);
    if (!made)
        return xpd_tools_no_memory(err);
    struct xpd_buffer_table *table = &made->table;
    bool csv = xpd_tools_csv(ctx);
    /* a CSV is the whole table unless a part is asked for */
    uint32_t limit = csv && !xpd_param_has(ctx, "limit")
                         ? XPD_ROWS_ALL
                         : (uint32_t)xpd_param_int(ctx, tool, "limit");
    int sort = xpd_param_word(ctx, tool, "sort");
    struct xpd_buffer_page page;
    struct xpd_names names;
    table->ctx = ctx;
    *out = &made->out;
    int rc = xpd_buffers_collect(table, err);
    if (rc == XPD_OK)
        rc = xpd_buffers_filter(table, xpd_param_int(ctx, tool, "fold_bytes"), err);
    if (rc != XPD_OK)
        return rc;
    xpd_names_init(&names, ctx->arena);
    rc = csv ? XPD_OK : xpd_buffers_group(table, xpd_param_word(ctx, tool, "by"), &names, err);
    if (rc == XPD_OK)
        rc = xpd_buffers_sort(table, sort < 0 ? XPD_SORT_SAVING : (enum xpd_buffer_key)sort,
                              xpd_param_int(ctx, tool, "desc") != 0,
                              (uint32_t)xpd_param_int(ctx, tool, "offset"), limit, &page, err);
    if (rc == XPD_OK)
        rc = fill(made, &page, &names, err);
    xpd_names_fini(&names); /* its texts stay in the arena */
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "at",
     .type = XPD_PARAM_TEXT,
     .max = 20,
     .help = "`all` (default): every logical buffer of the space at its own size; `peak` or a "
             "step: the buffers held after it, at the sizes of memory/live"},
    {.name = "filter",
     .type = XPD_PARAM_TEXT,
     .max = XPD_MATCH_PATTERN_MAX + 2,
     .help = "text or /regular expression/ in name, opcode, op name and source; also in the shape "
             "if it has a `[` or a comma"},
    {.name = "class", .type = XPD_PARAM_TEXT, .max = 32, .help = "this value, exact"},
    {.name = "dtype", .type = XPD_PARAM_TEXT, .max = 32, .help = "this value, exact"},
    {.name = "opcode", .type = XPD_PARAM_TEXT, .max = 128, .help = "this value, exact"},
    {.name = "group_name", .type = XPD_PARAM_TEXT, .max = 32, .help = "this op group, exact"},
    {.name = "scope",
     .type = XPD_PARAM_TEXT,
     .max = 4096,
     .help = "prefix of an op name, with or without jit(..), or a path of memory/tree by scope "
             "(parts joined by `/`). Whole parts only; `*` also stands for a number (layer_*)"},
    {.name = "source",
     .type = XPD_PARAM_TEXT,
     .max = 4096,
     .help = "file:line or file; the whole path, or its end from a folder on"},
    {.name = "sort",
     .type = XPD_PARAM_ENUM,
     .words = XPD_BUFFER_SORTS,
     .help = "unknown values come last in both directions; ties by buffer, at a step in the order "
             "of memory/live"},
    {.name = "desc",
     .type = XPD_PARAM_INT,
     .max = 1,
     .fallback = 1,
     .help = "1: the largest first; 0: the smallest"},
    {.name = "offset", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first row"},
    XPD_PARAM_LIMIT(LIMIT_DEFAULT, XPD_ROWS_ALL, "rows; a CSV has all rows unless it is given"),
    {.name = "fold_bytes",
     .type = XPD_PARAM_SIZE,
     .max = INT64_MAX,
     .help = "smaller buffers are counted in `folded` and not listed; default 0. If nothing else "
             "matches, they are listed"},
    {.name = "by",
     .type = XPD_PARAM_ENUM,
     .words = "none scope source opcode dtype class group shape",
     .help = "groups of the matching rows"},
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_buffers = {
    .route = "/api/v1/memory/buffers",
    .title = "The table of buffers: filtered, grouped, sorted, one page of it.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .about =
        "A text of `filter` is found as a part, letters A to Z of either case. An expression has "
        "PCRE2's syntax (`man 3 pcre2pattern`), letters of either case, at most 256 bytes; `\\<` "
        "and `\\>` are the edges of words, `.` any character, `$` the end of the text alone. "
        "`\\C`, "
        "references back by number and a leading `(*` are refused. An invalid expression is taken "
        "as plain text, and `filter_note` gives the reason and the offset. The limits are 100,000 "
        "steps and 16,384 bytes for each text, and 500 ms in all; if one is reached, `filter_note` "
        "gives the number of texts that were not checked to the end. In names that are not UTF-8, "
        "an expression does not match across invalid bytes; plain text does.\n\nA CSV has one more "
        "row for the folded buffers.",
    .answer = xpd_memory_buffers_record,
    .make = buffers,
    .file_name = "buffers.csv",
    XPD_IN_REPORT("",
                  {125, XPD_EACH_PEAK,
                   "at={step}&sort=saving&desc=1&fold_bytes={fold}&offset=0&limit=200",
                   "the largest buffers by saving, size and padding at the peaks"},
                  {225, XPD_EACH_PEAK,
                   "at={step}&sort=size|padding&desc=1&fold_bytes={fold}&offset=0&limit=200", NULL},
                  {230, XPD_EACH_PEAK,
                   "at=all&sort=saving&desc=1&fold_bytes={fold}&offset=0&limit=200", NULL},
                  {225, XPD_EACH_PEAK,
                   "by=scope|source|opcode|dtype|class|group|shape&at={step}&sort=saving&desc=1&"
                   "fold_bytes={fold}&offset=0&limit=200",
                   "the groups of the buffers at the peaks, not yet opened (xprofd buffers PROFILE "
                   "--csv has every buffer)"}),
};
