/* Filters of the buffer table. In: rows and the query. Out: the rows that match, in their order;
 * small ones folded. What the text filter says comes from buffer_tries.h; scopes are tried once for
 * each class and op name. */
#include "buffer_tries.h"
#include "xprofd/base/checked.h"
#include "xprofd/hlo/scope.h"

enum { UNTRIED, YES, NO };

struct filter {
    struct xpd_buffer_table *table;
    const struct xpd_words *words;
    struct xpd_tries tries;
    uint8_t *tried_scope; /* by class and name of the module: UNTRIED, YES, NO */
    struct xpd_str mem_class, dtype, opcode, group, scope, source;
    xpd_name_id opcode_id;
    struct xpd_strbuf text;
};

static uint8_t answer(bool yes)
{
    return yes ? YES : NO;
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
    xpd_tries_init(&filter->tries, ctx, xpd_param_text(ctx, "filter"));
}

static bool filters_words(const struct filter *filter)
{
    return filter->mem_class.size || filter->dtype.size || filter->opcode.size ||
           filter->group.size || filter->scope.size || filter->source.size;
}

static int open_filter(struct filter *filter, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = filter->table->ctx;
    size_t scopes = filter->scope.size ? (size_t)ctx->hlo->names.count * XPD_CLASS_COUNT : 0;
    filter->words = xpd_table_words(ctx, err);
    filter->tried_scope = XPD_NEW_ARRAY(ctx->arena, uint8_t, scopes);
    bool ok = filter->words && filter->tried_scope &&
              (!filter->tries.match.text.size || xpd_tries_begin(&filter->tries, filter->words));
    return ok ? XPD_OK : xpd_tools_no_memory(err);
}

/* ---- picking ---- */

/* Whether none of the eight rows from `i` on matches. */
static bool skips_eight(const uint8_t *yes, uint32_t i, uint32_t n)
{
    uint64_t eight = 1;
    if (n - i >= 8)
        memcpy(&eight, yes + i, sizeof eight);
    return eight == 0;
}

/* Of all rows of a space, by their text alone; nothing is guessed at a row. `all`: none is too
 * small to be listed, and what is known to be so is not asked. */
static inline void pick_large(struct xpd_buffer_table *table, const uint8_t *yes, bool all,
                              int64_t fold, uint32_t *pick)
{
    const int64_t *size = table->all->size_bytes;
    uint32_t kept = 0, matched = 0, n = table->count;
    int64_t bytes = 0, kept_bytes = 0;
    for (uint32_t i = 0; i < n;) {
        uint32_t end = n - i < 8 ? n : i + 8;
        if (skips_eight(yes, i, n)) {
            i = end;
            continue;
        }
        for (; i < end; i++) {
            bool large = all || size[i] >= fold;
            int64_t counted = -(int64_t)yes[i] & size[i];
            pick[kept] = i;
            matched += yes[i];
            kept += yes[i] & large;
            bytes += counted;
            kept_bytes += -(int64_t)large & counted;
        }
    }
    table->matched = matched;
    table->matched_bytes = bytes;
    table->folded = matched - kept;
    table->folded_bytes = bytes - kept_bytes;
    table->count = kept;
}

static void pick_by_text(struct xpd_buffer_table *table, const uint8_t *yes, int64_t fold,
                         uint32_t *pick)
{
    if (fold > 0) {
        pick_large(table, yes, false, fold, pick);
        return;
    }
    pick_large(table, yes, true, fold, pick);
    table->kept = yes;
}

/* `yes`: what the text says by row, NULL = to be asked. */
static void pick_rows(struct filter *filter, const uint8_t *yes, int64_t fold, uint32_t *pick)
{
    struct xpd_buffer_table *table = filter->table;
    bool words = filters_words(filter), text = !yes && filter->tries.match.text.size > 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct xpd_buffer_row *row = &table->row[i];
        if ((yes && !yes[i]) || (words && !keeps(filter, row)) ||
            (text && !xpd_tries_buffer(&filter->tries, row->buffer)))
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
    const uint8_t *yes = NULL;
    if (table->all && filter->tries.match.text.size > 0)
        yes = xpd_tries_rows(&filter->tries, table->all);
    if (yes && table->all->can_be_summed && !filters_words(filter))
        pick_by_text(table, yes, fold, pick);
    else
        pick_rows(filter, yes, fold, pick);
    table->pick = pick;
    return XPD_OK;
}

static int filter_rows(struct filter *filter, int64_t fold, struct xpd_err *err)
{
    struct xpd_buffer_table *table = filter->table;
    bool all = filter->tries.match.text.size == 0 && !filters_words(filter);
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
    if (filter.tries.match.stopped)
        snprintf(table->note, sizeof table->note,
                 "stopped after %d ms: the regular expression is too slow, more may match",
                 XPD_MATCH_MS_MAX);
    else
        snprintf(table->note, sizeof table->note, "%s", filter.tries.match.problem);
    if (rc == XPD_OK && (filter.text.failed || filter.tries.text.failed))
        rc = xpd_tools_no_memory(err);
    xpd_tries_fini(&filter.tries);
    xpd_strbuf_fini(&filter.text);
    return rc;
}
