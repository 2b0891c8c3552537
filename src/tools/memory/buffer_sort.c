/* Sorting of the buffer table: only the rows of the page asked for are put in order.
 *
 * The rows of a whole space are sorted once for each key and direction (table_buffers.h), and a
 * page is read off that order. Few rows are sorted here: a selection (expected O(n)) brings the
 * first offset + limit rows to the front, then those are sorted. The order is total, so a row
 * stands at the same place whatever page it is asked for with: ties go by row. */
#include "table_buffers.h"

#define FEW_ROWS 4096 /* of a filter: sorting them costs less than making the order of all */

struct item {
    int64_t number;   /* of number keys; its bits are flipped when descending */
    const char *text; /* of text keys, else NULL */
    uint32_t size;    /* of the text */
    uint32_t row;
};

typedef int compare_fn(const void *left, const void *right);

struct order {
    const struct xpd_buffer_table *table;
    enum xpd_buffer_key key;
    bool descending;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* fusion.2 before fusion.10 */
static int natural(struct xpd_str a, struct xpd_str b)
{
    size_t i = 0, j = 0;
    while (i < a.size && j < b.size) {
        if (is_digit(a.data[i]) && is_digit(b.data[j])) {
            size_t from_i, from_j;
            while (i < a.size && a.data[i] == '0')
                i++;
            while (j < b.size && b.data[j] == '0')
                j++;
            for (from_i = i; i < a.size && is_digit(a.data[i]);)
                i++;
            for (from_j = j; j < b.size && is_digit(b.data[j]);)
                j++;
            if (i - from_i != j - from_j)
                return i - from_i < j - from_j ? -1 : 1;
            int order = memcmp(a.data + from_i, b.data + from_j, i - from_i);
            if (order != 0)
                return order;
        } else if (a.data[i] != b.data[j]) {
            return (unsigned char)a.data[i] < (unsigned char)b.data[j] ? -1 : 1;
        } else {
            i++;
            j++;
        }
    }
    return i < a.size ? 1 : j < b.size ? -1 : 0;
}

/* Ties go by row: rows stand in the order of buffers, or of the program at a step. */
static int by_number(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static int text_order(const struct item *a, const struct item *b)
{
    return natural((struct xpd_str){a->text, a->size}, (struct xpd_str){b->text, b->size});
}

static int by_text(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    int order = text_order(a, b);
    return order ? order : a->row < b->row ? -1 : a->row > b->row;
}

static int by_text_descending(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    int order = text_order(b, a);
    return order ? order : a->row < b->row ? -1 : a->row > b->row;
}

static void swap(struct item *a, struct item *b)
{
    struct item kept = *a;
    *a = *b;
    *b = kept;
}

/* Partition of item[low .. high), more than two of them: the returned place is the last of the
 * lower part, and neither part is empty. Middle of three as the pivot: rows come in program order,
 * which is often sorted already. */
static uint32_t part(struct item *item, uint32_t low, uint32_t high, compare_fn *compare)
{
    uint32_t middle = low + (high - low) / 2, i = low, j = high - 1;
    if (compare(&item[middle], &item[low]) < 0)
        swap(&item[middle], &item[low]);
    if (compare(&item[j], &item[low]) < 0)
        swap(&item[j], &item[low]);
    if (compare(&item[j], &item[middle]) < 0)
        swap(&item[j], &item[middle]);
    struct item pivot = item[middle];
    for (;;) {
        while (compare(&item[i], &pivot) < 0)
            i++;
        while (compare(&pivot, &item[j]) < 0)
            j--;
        if (i >= j)
            return j;
        swap(&item[i++], &item[j--]);
    }
}

/* After this the first `want` items in order stand in front. */
static void select_first(struct item *item, uint32_t n, uint32_t want, compare_fn *compare)
{
    enum { ROUNDS_MAX = 64 }; /* then the file was made to be slow, and sorting is the bound */
    uint32_t low = 0, high = n;
    for (int round = 0; low < want && want < high; round++) {
        if (high - low <= 16 || round == ROUNDS_MAX) {
            qsort(item + low, high - low, sizeof *item, compare);
            return;
        }
        uint32_t last = part(item, low, high, compare);
        if (want <= last + 1)
            high = last + 1;
        else
            low = last + 1;
    }
}

/* Unknown steps stand last in either direction. */
static int64_t step_key(uint32_t step, bool descending)
{
    return step != XPD_NO_STEP ? step : descending ? INT64_MIN : INT64_MAX;
}

static int64_t use_key(const struct order *order, const struct xpd_buffer_row *row)
{
    const struct xpd_tool_ctx *ctx = order->table->ctx;
    struct xpd_use_span span = {.first_step = XPD_NO_STEP, .last_step = XPD_NO_STEP};
    if (row->buffer != XPD_NO_INDEX)
        xpd_uses_of(ctx->mem, ctx->space, row->buffer, &span);
    return step_key(order->key == XPD_SORT_FIRST_USE ? span.first_step : span.last_step,
                    order->descending);
}

static int64_t life_key(const struct order *order, const struct xpd_buffer_row *row)
{
    struct xpd_buffer_life life = xpd_buffer_row_life(order->table, row);
    int64_t unknown = step_key(XPD_NO_STEP, order->descending);
    if (order->key == XPD_SORT_OFFSET)
        return life.offset_bytes >= 0 ? life.offset_bytes : unknown;
    if (life.start == XPD_NO_STEP)
        return unknown;
    return order->key == XPD_SORT_START ? (int64_t)life.start
           : order->key == XPD_SORT_END ? (int64_t)life.end
                                        : (int64_t)life.end - life.start;
}

static int64_t number_of(const struct order *order, const struct xpd_buffer_row *row)
{
    const struct xpd_hlo *hlo = order->table->ctx->hlo;
    switch (order->key) {
    case XPD_SORT_SAVING: return xpd_buffer_row_saving(order->table, row);
    case XPD_SORT_SIZE: return row->size_bytes;
    case XPD_SORT_PADDING: return xpd_buffer_row_padding(row);
    case XPD_SORT_START:
    case XPD_SORT_END:
    case XPD_SORT_LIFE:
    case XPD_SORT_OFFSET: return life_key(order, row);
    case XPD_SORT_FIRST_USE:
    case XPD_SORT_LAST_USE: return use_key(order, row);
    case XPD_SORT_ID: return row->buffer == XPD_NO_INDEX ? INT64_MIN : hlo->buffers.id[row->buffer];
    default: return 0;
    }
}

static struct xpd_str copy(struct xpd_arena *arena, const struct xpd_strbuf *text)
{
    const char *kept = text->size ? xpd_arena_strndup(arena, text->data, text->size) : NULL;
    return kept ? (struct xpd_str){kept, text->size} : XPD_STR("");
}

static struct xpd_str text_of(const struct order *order, const struct xpd_buffer_row *row,
                              struct xpd_strbuf *scratch)
{
    const struct xpd_tool_ctx *ctx = order->table->ctx;
    uint32_t instruction = xpd_tools_instruction(ctx->mem, row->buffer);
    char type[16];
    xpd_strbuf_clear(scratch);
    switch (order->key) {
    case XPD_SORT_NAME: xpd_tools_buffer_name(scratch, ctx->mem, row->buffer); break;
    case XPD_SORT_SHAPE:
        if (row->buffer != XPD_NO_INDEX)
            xpd_shape_text(scratch, ctx->mem->buffer[row->buffer].shape, false);
        break;
    case XPD_SORT_SOURCE: xpd_tools_source(scratch, ctx->hlo, instruction); break;
    case XPD_SORT_CLASS: return xpd_str_of(xpd_mem_class_word(row->mem_class));
    case XPD_SORT_DTYPE:
        xpd_strbuf_puts(scratch, xpd_tools_dtype(ctx->mem, row->buffer, type));
        break;
    case XPD_SORT_OPCODE: return xpd_tools_opcode(ctx->hlo, instruction);
    case XPD_SORT_SCOPE: return xpd_scope_path(xpd_tools_op_name(ctx->hlo, instruction));
    default: break;
    }
    return copy(ctx->arena, scratch);
}

static bool is_text(enum xpd_buffer_key key)
{
    switch (key) {
    case XPD_SORT_NAME:
    case XPD_SORT_SHAPE:
    case XPD_SORT_CLASS:
    case XPD_SORT_DTYPE:
    case XPD_SORT_OPCODE:
    case XPD_SORT_SCOPE:
    case XPD_SORT_SOURCE: return true;
    default: return false;
    }
}

static bool fill(const struct order *order, struct item *item, bool text)
{
    struct xpd_strbuf scratch = {0};
    for (uint32_t i = 0; i < order->table->count; i++) {
        const struct xpd_buffer_row *row = xpd_buffer_table_row(order->table, i);
        item[i].row = i;
        if (text) {
            struct xpd_str key = text_of(order, row, &scratch);
            item[i].text = key.data;
            item[i].size = (uint32_t)key.size;
        } else {
            int64_t key = number_of(order, row);
            item[i].number = order->descending ? ~key : key;
        }
    }
    bool failed = scratch.failed;
    xpd_strbuf_fini(&scratch);
    return !failed;
}

static compare_fn *compare_of(enum xpd_buffer_key key, bool descending)
{
    return !is_text(key) ? by_number : descending ? by_text_descending : by_text;
}

static int no_page(struct xpd_buffer_page *page, struct xpd_err *err)
{
    page->count = 0;
    return xpd_tools_no_memory(err);
}

/* Everything up to the end of the page to the front, then the page within it. */
static int sort_rows(const struct order *order, uint32_t first, uint32_t want,
                     struct xpd_buffer_page *page, struct xpd_err *err)
{
    const struct xpd_buffer_table *table = order->table;
    compare_fn *compare = compare_of(order->key, order->descending);
    struct item *item = XPD_NEW_ARRAY(table->ctx->arena, struct item, table->count);
    if (!item || !fill(order, item, is_text(order->key)))
        return no_page(page, err);
    select_first(item, table->count, want, compare);
    select_first(item, want, first, compare);
    if (want > first)
        qsort(item + first, want - first, sizeof *item, compare);
    for (uint32_t i = 0; i < page->count; i++)
        page->row[i] = *xpd_buffer_table_row(table, item[first + i].row);
    return XPD_OK;
}

/* ---- all rows of a space ---- */

/* Groups of equal texts the other way round; each stays in order of rows. */
static void reverse_groups(const struct item *item, uint32_t n, uint32_t *row)
{
    uint32_t out = n;
    for (uint32_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && text_order(&item[first], &item[end]) == 0; end++)
            ;
        out -= end - first;
        for (uint32_t i = first; i < end; i++)
            row[out + i - first] = item[i].row;
    }
}

static int make_order(struct xpd_row_order *out, struct xpd_arena *arena,
                      const struct xpd_tool_ctx *ctx, uint32_t detail, struct xpd_err *err)
{
    const struct xpd_all_rows *all = xpd_table_rows(ctx, err);
    const struct xpd_savings *savings = all ? xpd_table_savings(ctx, err) : NULL;
    if (!savings)
        return XPD_ENOMEM;
    struct xpd_buffer_table table = {
        .ctx = ctx, .row = all->row, .count = all->count, .saving = savings};
    struct order order = {
        .table = &table, .key = (enum xpd_buffer_key)(detail / 2), .descending = detail % 2};
    bool text = is_text(order.key);
    uint32_t n = all->count, *row = XPD_NEW_ARRAY(arena, uint32_t, n);
    struct item *item = XPD_NEW_ARRAY(ctx->arena, struct item, n);
    if (!row || !item || !fill(&order, item, text))
        return xpd_tools_no_memory(err);
    if (n > 1)
        qsort(item, n, sizeof *item, text ? by_text : by_number);
    if (text && order.descending)
        reverse_groups(item, n, row);
    else
        for (uint32_t i = 0; i < n; i++)
            row[i] = item[i].row;
    out->row = row;
    return XPD_OK;
}

/* Its texts and items are gone when the order is made. */
static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    struct xpd_arena scratch;
    struct xpd_tool_ctx own = *ctx;
    xpd_arena_init(&scratch, ctx->arena->budget_bytes);
    own.arena = &scratch;
    int rc = make_order(table, arena, &own, detail, err);
    xpd_arena_fini(&scratch);
    return rc;
}

const struct xpd_row_order *xpd_table_order(const struct xpd_tool_ctx *ctx, enum xpd_buffer_key key,
                                            bool descending, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_ORDER, (uint32_t)key * 2 + descending, true,
                     sizeof(struct xpd_row_order), make, err);
}

/* By place: whether the filter kept the row. */
static const uint8_t *kept_rows(const struct xpd_buffer_table *table)
{
    if (table->kept)
        return table->kept;
    uint8_t *kept = XPD_NEW_ARRAY(table->ctx->arena, uint8_t, table->all->count);
    for (uint32_t i = 0; kept && i < table->count; i++)
        kept[table->pick[i]] = 1;
    return kept;
}

/* Rows [first, first + page->count) of those the filter kept, in that order. */
static int page_of_kept(const struct xpd_buffer_table *table, const uint32_t *order, uint32_t first,
                        struct xpd_buffer_page *page, struct xpd_err *err)
{
    const uint8_t *kept = kept_rows(table);
    if (!kept)
        return no_page(page, err);
    uint32_t seen = 0, n = 0;
    for (uint32_t i = 0; n < page->count; i++)
        if (kept[order[i]] && seen++ >= first)
            page->row[n++] = table->all->row[order[i]];
    return XPD_OK;
}

int xpd_buffers_sort(const struct xpd_buffer_table *table, enum xpd_buffer_key key, bool descending,
                     uint32_t offset, uint32_t limit, struct xpd_buffer_page *page,
                     struct xpd_err *err)
{
    struct order few = {.table = table, .key = key, .descending = descending};
    uint64_t end = (uint64_t)offset + limit;
    uint32_t want = end < table->count ? (uint32_t)end : table->count;
    uint32_t first = offset < want ? offset : want;
    page->count = want - first;
    page->row = XPD_NEW_ARRAY(table->ctx->arena, struct xpd_buffer_row, page->count);
    if (!page->row)
        return no_page(page, err);
    if (!table->all || (table->pick && table->count <= FEW_ROWS))
        return sort_rows(&few, first, want, page, err);
    const struct xpd_row_order *order = xpd_table_order(table->ctx, key, descending, err);
    if (!order)
        return XPD_ENOMEM;
    if (table->pick)
        return page_of_kept(table, order->row, first, page, err);
    for (uint32_t i = 0; i < page->count; i++)
        page->row[i] = table->all->row[order->row[first + i]];
    return XPD_OK;
}
