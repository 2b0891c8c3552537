/* Filters of the buffer table. In: rows and the query. Out: the rows that match, in their order;
 * small ones folded. The text filter looks at name, op name, opcode and source line, and at the
 * shape when it has a [ or , in it; what repeats is tried once in a request, as are the scopes of
 * each class and op name. */
#include "../common/name_ranks.h"
#include "../tables/table_words.h"
#include "buffer_table.h"
#include "xprofd/base/checked.h"
#include "xprofd/hlo/scope.h"
#include "xprofd/memory/scopes.h"

#define SHAPES_LOG2 11
#define SHAPES      (1 << SHAPES_LOG2)

enum { UNTRIED, YES, NO };

struct tried_shape { /* a newer one takes the place of an older one */
    struct xpd_shape shape;
    uint8_t yes; /* UNTRIED, YES, NO */
};

struct filter {
    struct xpd_buffer_table *table;
    const struct xpd_words *words;
    struct xpd_match match;
    struct xpd_name_ranks ranks;
    uint8_t *tried_name, *tried_source; /* UNTRIED, YES, NO */
    bool *by_instruction;               /* whether it has another text than its name that matches */
    struct tried_shape *tried_shape;    /* when shape_too */
    bool shape_too;                     /* the pattern could be part of a shape */
    uint8_t *tried_scope;               /* by class and name of the module: UNTRIED, YES, NO */
    struct xpd_str mem_class, dtype, opcode, group, scope, source;
    xpd_name_id opcode_id;
    struct xpd_strbuf text;
};

static uint8_t answer(bool yes)
{
    return yes ? YES : NO;
}

/* ---- text ---- */

static bool try_text(struct filter *filter, struct xpd_str text)
{
    return text.size > 0 && xpd_match_test(&filter->match, text) != XPD_MATCH_NONE;
}

static bool try_name(struct filter *filter, xpd_name_id id)
{
    uint8_t *tried = &filter->tried_name[id];
    if (*tried == UNTRIED)
        *tried = answer(try_text(filter, xpd_hlo_text(filter->table->ctx->hlo, id)));
    return *tried == YES;
}

static bool try_source(struct filter *filter, uint32_t source)
{
    uint8_t *tried = &filter->tried_source[source];
    if (*tried == UNTRIED)
        *tried = answer(try_text(filter, filter->words->text[source]));
    return *tried == YES;
}

/* By instruction, all but its name, which a buffer has a longer one of. One pass in their order is
 * faster than asking for each row's. */
static void try_instructions(struct filter *filter)
{
    const struct xpd_hlo_instructions *all = &filter->table->ctx->hlo->instructions;
    const struct xpd_words *words = filter->words;
    for (uint32_t i = 0; i < all->count; i++)
        filter->by_instruction[i] = try_name(filter, all->opcode[i]) ||
                                    try_name(filter, words->op_name[i]) ||
                                    try_source(filter, words->source[i]);
}

/* Made of the same parts in memory, which equal shapes share. */
static bool is_same_shape(const struct xpd_shape *a, const struct xpd_shape *b)
{
    return a->dims == b->dims && a->layout == b->layout && a->type == b->type &&
           a->rank == b->rank && a->dynamic == b->dynamic && a->element == b->element &&
           a->element_count == b->element_count;
}

static bool try_shape(struct filter *filter, const struct xpd_shape *shape)
{
    uint64_t key = (uint64_t)(uintptr_t)shape->dims * 31 + (uint64_t)(uintptr_t)shape->layout +
                   (uint64_t)shape->type;
    struct tried_shape *tried =
        &filter->tried_shape[key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SHAPES_LOG2)];
    if (tried->yes == UNTRIED || !is_same_shape(&tried->shape, shape)) {
        xpd_strbuf_clear(&filter->text);
        xpd_shape_text(&filter->text, shape, true);
        tried->shape = *shape;
        tried->yes =
            answer(try_text(filter, (struct xpd_str){filter->text.data, filter->text.size}));
    }
    return tried->yes == YES;
}

static bool matches_text(struct filter *filter, uint32_t buffer)
{
    const struct xpd_tool_ctx *ctx = filter->table->ctx;
    if (buffer == XPD_NO_INDEX)
        return false;
    uint32_t instruction = ctx->hlo->buffers.instruction[buffer];
    return (instruction != XPD_NO_INDEX && filter->by_instruction[instruction]) ||
           xpd_rank_of_buffer(&filter->ranks, buffer, &filter->text) != XPD_MATCH_NONE ||
           (filter->shape_too && try_shape(filter, ctx->mem->buffer[buffer].shape));
}

/* ---- words ---- */

static bool is_in_scope(struct filter *filter, const struct xpd_buffer_row *row,
                        struct xpd_str op_name)
{
    if (xpd_scope_below(op_name, filter->scope) ||
        xpd_scope_below(xpd_scope_path(op_name), filter->scope))
        return true;
    struct xpd_str part[XPD_SCOPE_PARTS];
    uint32_t n = xpd_mem_scope_parts(filter->table->ctx->mem, row->buffer, row->mem_class, part);
    xpd_strbuf_clear(&filter->text);
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0)
            xpd_strbuf_putc(&filter->text, '/');
        xpd_strbuf_add(&filter->text, part[i].data, part[i].size);
    }
    return xpd_scope_below((struct xpd_str){filter->text.data, filter->text.size}, filter->scope);
}

static bool matches_scope(struct filter *filter, const struct xpd_buffer_row *row,
                          uint32_t instruction)
{
    const struct xpd_hlo *hlo = filter->table->ctx->hlo;
    if (instruction == XPD_NO_INDEX)
        return is_in_scope(filter, row, XPD_STR(""));
    xpd_name_id id = filter->words->op_name[instruction];
    uint8_t *tried = &filter->tried_scope[(size_t)row->mem_class * hlo->names.count + id];
    if (*tried == UNTRIED)
        *tried = answer(is_in_scope(filter, row, xpd_hlo_text(hlo, id)));
    return *tried == YES;
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
    struct xpd_str text = {NULL, 0};
    if (instruction != XPD_NO_INDEX)
        text = filter->words->text[filter->words->source[instruction]];
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

static const char *group_word(const struct filter *filter, uint32_t instruction)
{
    return xpd_op_group_word(instruction == XPD_NO_INDEX
                                 ? XPD_OP_NONE
                                 : (enum xpd_op_group)filter->words->group[instruction]);
}

/* All but the text. */
static bool keeps(struct filter *filter, const struct xpd_buffer_row *row)
{
    const struct xpd_tool_ctx *ctx = filter->table->ctx;
    uint32_t instruction =
        row->buffer == XPD_NO_INDEX ? XPD_NO_INDEX : ctx->hlo->buffers.instruction[row->buffer];
    char scratch[16];
    if (filter->mem_class.size > 0 &&
        !is_word(filter->mem_class, xpd_mem_class_word(row->mem_class)))
        return false;
    if (filter->dtype.size > 0 &&
        !is_word(filter->dtype, xpd_mem_dtype(ctx->mem, row->buffer, scratch)))
        return false;
    if (filter->opcode.size > 0 &&
        (instruction == XPD_NO_INDEX ||
         ctx->hlo->instructions.opcode[instruction] != filter->opcode_id))
        return false;
    if (filter->group.size > 0 && !is_word(filter->group, group_word(filter, instruction)))
        return false;
    if (filter->scope.size > 0 && !matches_scope(filter, row, instruction))
        return false;
    return filter->source.size == 0 || matches_source(filter, instruction);
}

static void read_query(struct filter *filter)
{
    const struct xpd_tool_ctx *ctx = filter->table->ctx;
    filter->mem_class = xpd_param_text(ctx, "class");
    filter->dtype = xpd_param_text(ctx, "dtype");
    filter->opcode = xpd_param_text(ctx, "opcode");
    filter->group = xpd_param_text(ctx, "group_name");
    filter->scope = xpd_param_text(ctx, "scope");
    filter->source = xpd_param_text(ctx, "source");
    filter->opcode_id = xpd_intern_find(&ctx->hlo->names, filter->opcode);
    struct xpd_str typed = xpd_param_text(ctx, "filter");
    filter->shape_too = typed.size > 0 && (memchr(typed.data, '[', typed.size) ||
                                           memchr(typed.data, ',', typed.size));
    xpd_match_init(&filter->match, typed);
}

static bool filters_words(const struct filter *filter)
{
    return filter->mem_class.size || filter->dtype.size || filter->opcode.size ||
           filter->group.size || filter->scope.size || filter->source.size;
}

static bool open_text(struct filter *filter)
{
    const struct xpd_tool_ctx *ctx = filter->table->ctx;
    filter->tried_name = XPD_NEW_ARRAY(ctx->arena, uint8_t, ctx->hlo->names.count);
    filter->tried_source = XPD_NEW_ARRAY(ctx->arena, uint8_t, filter->words->text_count);
    filter->by_instruction = XPD_NEW_ARRAY(ctx->arena, bool, ctx->hlo->instructions.count);
    if (filter->shape_too)
        filter->tried_shape = XPD_NEW_ARRAY(ctx->arena, struct tried_shape, SHAPES);
    if (!filter->tried_name || !filter->tried_source || !filter->by_instruction ||
        (filter->shape_too && !filter->tried_shape) ||
        !xpd_name_ranks_init(&filter->ranks, &filter->match, ctx->mem, ctx->arena))
        return false;
    try_instructions(filter);
    return true;
}

static int open_filter(struct filter *filter, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = filter->table->ctx;
    size_t scopes = filter->scope.size ? (size_t)ctx->hlo->names.count * XPD_CLASS_COUNT : 0;
    filter->words = xpd_table_words(ctx, err);
    filter->tried_scope = XPD_NEW_ARRAY(ctx->arena, uint8_t, scopes);
    bool ok =
        filter->words && filter->tried_scope && (filter->match.text.size == 0 || open_text(filter));
    return ok ? XPD_OK : xpd_tools_no_memory(err);
}

/* ---- picking ---- */

static void pick_rows(struct filter *filter, int64_t fold, uint32_t *pick)
{
    struct xpd_buffer_table *table = filter->table;
    bool words = filters_words(filter), text = filter->match.text.size > 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct xpd_buffer_row *row = &table->row[i];
        if ((words && !keeps(filter, row)) || (text && !matches_text(filter, row->buffer)))
            continue;
        table->matched++;
        xpd_grow_i64(&table->matched_bytes, row->size_bytes);
        if (row->size_bytes < fold) {
            table->folded++;
            xpd_grow_i64(&table->folded_bytes, row->size_bytes);
            continue;
        }
        pick[kept++] = i;
    }
    table->count = kept;
}

static int apply(struct filter *filter, int64_t fold, struct xpd_err *err)
{
    struct xpd_buffer_table *table = filter->table;
    uint32_t *pick = XPD_NEW_ROOM(table->ctx->arena, uint32_t, table->count);
    if (!pick)
        return xpd_tools_no_memory(err);
    pick_rows(filter, fold, pick);
    table->pick = pick;
    return XPD_OK;
}

static int filter_rows(struct filter *filter, int64_t fold, struct xpd_err *err)
{
    struct xpd_buffer_table *table = filter->table;
    bool all = filter->match.text.size == 0 && !filters_words(filter);
    if (all && fold == 0) {
        table->matched = table->count;
        table->matched_bytes = table->bytes;
        return XPD_OK;
    }
    int rc = all ? XPD_OK : open_filter(filter, err);
    return rc == XPD_OK ? apply(filter, fold, err) : rc;
}

/* All that matched are small ones: a list that opens empty says less than they do. */
static int unfold(struct filter *filter, const struct xpd_buffer_table *whole, struct xpd_err *err)
{
    *filter->table = *whole;
    filter->match.unjudged = 0; /* all is judged anew, with time of its own */
    filter->match.spent_ns = 0;
    filter->match.stopped = false;
    return filter_rows(filter, 0, err);
}

int xpd_buffers_filter(struct xpd_buffer_table *table, int64_t fold_bytes, struct xpd_err *err)
{
    struct filter filter = {.table = table};
    const struct xpd_buffer_table whole = *table;
    read_query(&filter);
    int rc = filter_rows(&filter, fold_bytes, err);
    if (rc == XPD_OK && table->folded > 0 && table->folded == table->matched)
        rc = unfold(&filter, &whole, err);
    char room[XPD_MATCH_NOTE_MAX];
    snprintf(table->note, sizeof table->note, "%s", xpd_match_note(&filter.match, room));
    if (rc == XPD_OK && filter.text.failed)
        rc = xpd_tools_no_memory(err);
    xpd_match_fini(&filter.match);
    xpd_strbuf_fini(&filter.text);
    return rc;
}
