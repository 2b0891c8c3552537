/* Filters of the buffer table. In: rows and the query. Out: the rows that match, in their order;
 * small ones folded.
 *
 * What repeats (words, op names, source lines, instructions of several buffers) is tried once: the
 * answers are kept for this request. Names, op names and source lines of a whole space are looked
 * through in one pass each, and instructions in their order after that. */
#include "../tables/name_ranks.h"
#include "../tables/table_paths.h"
#include "../tables/table_words.h"
#include "table_buffers.h"
#include "xprofd/base/checked.h"
#include "xprofd/hlo/scope.h"

enum { UNTRIED, YES, NO };

#define SHAPES_LOG2 11
#define SHAPES      (1 << SHAPES_LOG2)

struct tried_shape { /* a newer one takes the place of an older one */
    struct xpd_shape shape;
    uint8_t yes; /* UNTRIED, YES, NO */
};

struct filter {
    struct xpd_buffer_table *table;
    const struct xpd_words *words;
    struct xpd_match match;
    uint8_t *tried_name, *tried_source, *tried_instruction; /* UNTRIED, YES, NO */
    uint8_t *tried_scope;                                   /* by class and name of the module */
    struct xpd_name_ranks ranks; /* all NULL when the names were not looked through */
    struct xpd_str mem_class, dtype, opcode, group, scope, source;
    xpd_name_id opcode_id;
    struct tried_shape *tried_shape; /* SHAPES of them, when shape_too */
    bool shape_too;                  /* the pattern could be part of a shape */
    bool index_too;                  /* ... of what stands behind an instruction's name */
    struct xpd_strbuf text;
};

static uint8_t answer(bool yes)
{
    return yes ? YES : NO;
}

static bool try_text(struct filter *filter, struct xpd_str text)
{
    return text.size > 0 && xpd_match_test(&filter->match, text) != XPD_MATCH_NONE;
}

static bool try_name(struct filter *filter, xpd_name_id id)
{
    if (filter->tried_name[id] == UNTRIED)
        filter->tried_name[id] =
            answer(try_text(filter, xpd_hlo_text(filter->table->ctx->hlo, id)));
    return filter->tried_name[id] == YES;
}

static struct xpd_str buffer_name(struct filter *filter, uint32_t buffer)
{
    xpd_strbuf_clear(&filter->text);
    xpd_tools_buffer_name(&filter->text, filter->table->ctx->mem, buffer);
    return (struct xpd_str){filter->text.data, filter->text.size};
}

/* Name, opcode, op name, source line. */
static bool matches_instruction(struct filter *filter, uint32_t instruction)
{
    const struct xpd_hlo *hlo = filter->table->ctx->hlo;
    const struct xpd_words *words = filter->words;
    uint8_t *tried = &filter->tried_instruction[instruction];
    if (*tried != UNTRIED)
        return *tried == YES;
    bool yes = filter->ranks.rank || filter->ranks.found
                   ? xpd_rank_of_instruction(&filter->ranks, instruction) != XPD_MATCH_NONE
                   : try_text(filter, xpd_hlo_text(hlo, hlo->instructions.name[instruction]));
    yes = yes || try_name(filter, hlo->instructions.opcode[instruction]) ||
          try_name(filter, words->op_name[instruction]);
    uint32_t source = words->source[instruction];
    if (!yes && filter->tried_source[source] == UNTRIED)
        filter->tried_source[source] = answer(try_text(filter, words->text[source]));
    yes = yes || filter->tried_source[source] == YES;
    *tried = answer(yes);
    return yes;
}

/* Whether the buffer's whole name matches although its instruction's does not. */
static bool is_in_name_only(struct filter *filter, uint32_t buffer, uint32_t instruction)
{
    const struct xpd_hlo *hlo = filter->table->ctx->hlo;
    if (instruction == XPD_NO_INDEX || hlo->instructions.name[instruction] == 0)
        return try_text(filter, buffer_name(filter, buffer));
    return filter->index_too &&
           hlo->buffers.index_first[buffer] < hlo->buffers.index_first[buffer + 1] &&
           xpd_rank_of_buffer(&filter->ranks, &filter->match, filter->table->ctx->mem, buffer,
                              &filter->text) != XPD_MATCH_NONE;
}

/* Whether two shapes are made of the same parts in memory, which equal ones share. */
static bool is_same_shape(const struct xpd_shape *a, const struct xpd_shape *b)
{
    return a->dims == b->dims && a->layout == b->layout && a->type == b->type &&
           a->rank == b->rank && a->dynamic == b->dynamic && a->element == b->element &&
           a->element_count == b->element_count;
}

static bool matches_shape(struct filter *filter, const struct xpd_shape *shape)
{
    uint64_t key = (uint64_t)(uintptr_t)shape->dims * 31 + (uint64_t)(uintptr_t)shape->layout +
                   (uint64_t)shape->type;
    uint64_t mixed = key * UINT64_C(0x9e3779b97f4a7c15);
    struct tried_shape *tried = &filter->tried_shape[mixed >> (64 - SHAPES_LOG2)];
    if (tried->yes == UNTRIED || !is_same_shape(&tried->shape, shape)) {
        xpd_strbuf_clear(&filter->text);
        xpd_shape_text(&filter->text, shape, true);
        tried->shape = *shape;
        tried->yes =
            answer(try_text(filter, (struct xpd_str){filter->text.data, filter->text.size}));
    }
    return tried->yes == YES;
}

/* The shape counts when the pattern has a bracket or comma in it. */
static bool matches_text(struct filter *filter, uint32_t buffer, uint32_t instruction)
{
    const struct xpd_tool_ctx *ctx = filter->table->ctx;
    if (filter->match.text.size == 0)
        return true;
    if (buffer == XPD_NO_INDEX)
        return false;
    if (instruction != XPD_NO_INDEX && matches_instruction(filter, instruction))
        return true;
    if (is_in_name_only(filter, buffer, instruction))
        return true;
    return filter->shape_too && matches_shape(filter, ctx->mem->buffer[buffer].shape);
}

static bool is_in_scope(struct filter *filter, const struct xpd_buffer_row *row,
                        struct xpd_str op_name)
{
    if (xpd_scope_below(op_name, filter->scope) ||
        xpd_scope_below(xpd_scope_path(op_name), filter->scope))
        return true;
    struct xpd_str part[XPD_SCOPE_PARTS];
    uint32_t n = xpd_tools_scope_parts(filter->table->ctx->mem, row->buffer, row->mem_class, part,
                                       XPD_SCOPE_PARTS);
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
        !is_word(filter->dtype, xpd_tools_dtype(ctx->mem, row->buffer, scratch)))
        return false;
    if (filter->opcode.size > 0 &&
        (instruction == XPD_NO_INDEX ||
         ctx->hlo->instructions.opcode[instruction] != filter->opcode_id))
        return false;
    if (filter->group.size > 0 && !is_word(filter->group, group_word(filter, instruction)))
        return false;
    if (filter->scope.size > 0 && !matches_scope(filter, row, instruction))
        return false;
    if (filter->source.size > 0 && !matches_source(filter, instruction))
        return false;
    return matches_text(filter, row->buffer, instruction);
}

static bool make_room(struct filter *filter)
{
    const struct xpd_tool_ctx *ctx = filter->table->ctx;
    size_t names = ctx->hlo->names.count;
    filter->tried_source = XPD_NEW_ARRAY(ctx->arena, uint8_t, filter->words->text_count);
    filter->tried_name = XPD_NEW_ARRAY(ctx->arena, uint8_t, names);
    filter->tried_instruction = XPD_NEW_ARRAY(ctx->arena, uint8_t, ctx->hlo->instructions.count);
    if (filter->shape_too)
        filter->tried_shape = XPD_NEW_ARRAY(ctx->arena, struct tried_shape, SHAPES);
    if (filter->scope.size > 0)
        filter->tried_scope = XPD_NEW_ARRAY(ctx->arena, uint8_t, names * XPD_CLASS_COUNT);
    return !ctx->arena->failed;
}

static void read_query(struct filter *filter)
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
    for (size_t i = 0; i < typed.size; i++)
        filter->shape_too |= typed.data[i] == '[' || typed.data[i] == ',';
    xpd_match_init(&filter->match, typed);
    filter->index_too = xpd_match_in_index(&filter->match);
}

static bool filters_anything(const struct filter *filter)
{
    return filter->match.text.size || filter->mem_class.size || filter->dtype.size ||
           filter->opcode.size || filter->group.size || filter->scope.size || filter->source.size;
}

static bool any_found(const struct filter *filter, const uint8_t *found,
                      const struct xpd_path_table *paths, uint32_t i)
{
    return found[paths->of_op_name[i]] || found[paths->of_source[i]] ||
           xpd_rank_of_instruction(&filter->ranks, i) != XPD_MATCH_NONE;
}

/* All instructions in their order; those with an odd text are left for when they are asked for. */
static void try_instructions(struct filter *filter)
{
    const struct xpd_tool_ctx *ctx = filter->table->ctx;
    const struct xpd_path_table *paths = xpd_table_paths(ctx, NULL);
    const uint8_t *found = paths ? xpd_paths_found(paths, &filter->match, ctx->arena) : NULL;
    if (!found)
        return;
    for (uint32_t i = 0; i < ctx->hlo->instructions.count; i++)
        if (paths->of_op_name[i] != XPD_NO_INDEX && paths->of_source[i] != XPD_NO_INDEX)
            filter->tried_instruction[i] =
                answer(any_found(filter, found, paths, i) ||
                       try_name(filter, ctx->hlo->instructions.opcode[i]));
}

static int open_filter(struct filter *filter, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = filter->table->ctx;
    filter->words = xpd_table_words(ctx, err);
    if (!filter->words || !make_room(filter))
        return xpd_tools_no_memory(err);
    if (!filter->table->all || filter->match.text.size == 0)
        return XPD_OK;
    filter->ranks = xpd_name_ranks_of(ctx, &filter->match);
    if (filter->ranks.rank || filter->ranks.found)
        try_instructions(filter);
    return XPD_OK;
}

static int apply(struct filter *filter, bool all, int64_t fold, struct xpd_err *err)
{
    struct xpd_buffer_table *table = filter->table;
    uint32_t kept = 0, *pick = XPD_NEW_ARRAY(table->ctx->arena, uint32_t, table->count);
    if (!pick)
        return xpd_tools_no_memory(err);
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
        pick[kept++] = i;
    }
    struct xpd_buffer_row *row = XPD_NEW_ARRAY(table->ctx->arena, struct xpd_buffer_row, kept);
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < kept; i++)
        row[i] = table->row[pick[i]];
    table->row = row;
    table->count = kept;
    table->pick = pick;
    return XPD_OK;
}

static int filter_rows(struct filter *filter, struct xpd_err *err)
{
    struct xpd_buffer_table *table = filter->table;
    int64_t fold = xpd_param_int(table->ctx, &xpd_tool_memory_buffers, "fold_bytes");
    bool all = !filters_anything(filter);
    if (all && fold == 0) {
        table->matched = table->count;
        table->matched_bytes = table->bytes;
        return XPD_OK;
    }
    int rc = all ? XPD_OK : open_filter(filter, err);
    return rc == XPD_OK ? apply(filter, all, fold, err) : rc;
}

int xpd_buffers_filter(struct xpd_buffer_table *table, struct xpd_err *err)
{
    struct filter filter = {.table = table};
    read_query(&filter);
    int rc = filter_rows(&filter, err);
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
