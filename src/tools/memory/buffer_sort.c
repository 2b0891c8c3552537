/* Sorting of the buffer table. In: its rows and a key. Out: one page of them; only the rows of that
 * page are put in order.
 *
 * The rows of a whole space are sorted once for each key, and a page is read off
 * that order. Few rows are sorted here: a selection (expected O(n)) brings the
 * first offset + limit rows to the front, then those are sorted. The order is total, so a row
 * stands at the same place on every page: ties go by row. */
#include "buffer_key.h"
#include "xprofd/base/natural.h"
#include <stdlib.h>

#define FEW_ROWS 4096 /* of a filter: sorting them costs less than making the order of all */

struct item {
    union {
        int64_t number;     /* of number keys; its bits are flipped when descending */
        struct xpd_str key; /* of text keys: xpd_natural_key of the text */
    };
    uint32_t row;
};

typedef int compare_fn(const void *left, const void *right);

struct order {
    const struct xpd_buffer_table *table;
    enum xpd_buffer_key key;
    bool descending;
};

/* Ties go by row: rows stand in the order of buffers, or of the program at a step. */
static int by_number(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static int by_text(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    int order = xpd_str_order(a->key, b->key);
    return order ? order : a->row < b->row ? -1 : a->row > b->row;
}

static int by_text_descending(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    int order = xpd_str_order(b->key, a->key);
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

/* `bytes` holds the keys of texts. */
static bool fill_texts(const struct order *order, struct item *item, struct xpd_strbuf *bytes)
{
    struct xpd_strbuf scratch = {0};
    uint32_t n = order->table->count;
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_buffer_row *row = xpd_buffer_table_row(order->table, i);
        size_t start = bytes->size;
        xpd_natural_key(bytes, xpd_buffer_text(order->table, order->key, row, &scratch));
        item[i].row = i;
        item[i].key.size = bytes->size - start;
    }
    bool fine = !scratch.failed && !bytes->failed;
    const char *at = bytes->data ? bytes->data : ""; /* it stays where it is from now on */
    for (uint32_t i = 0; fine && i < n; i++) {
        item[i].key.data = at;
        at += item[i].key.size;
    }
    xpd_strbuf_fini(&scratch);
    return fine;
}

static void fill_numbers(const struct order *order, struct item *item)
{
    for (uint32_t i = 0; i < order->table->count; i++) {
        const struct xpd_buffer_row *row = xpd_buffer_table_row(order->table, i);
        int64_t key = xpd_buffer_number(order->table, order->key, order->descending, row);
        item[i].row = i;
        item[i].number = order->descending ? ~key : key;
    }
}

static compare_fn *compare_of(enum xpd_buffer_key key, bool descending)
{
    return !xpd_buffer_key_is_text(key) ? by_number : descending ? by_text_descending : by_text;
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
    struct xpd_strbuf bytes = {0};
    bool text = xpd_buffer_key_is_text(order->key);
    if (item && !text)
        fill_numbers(order, item);
    if (!item || (text && !fill_texts(order, item, &bytes))) {
        xpd_strbuf_fini(&bytes);
        return no_page(page, err);
    }
    select_first(item, table->count, want, compare);
    select_first(item, want, first, compare);
    if (want > first)
        qsort(item + first, want - first, sizeof *item, compare);
    for (uint32_t i = 0; i < page->count; i++)
        page->row[i] = *xpd_buffer_table_row(table, item[first + i].row);
    xpd_strbuf_fini(&bytes);
    return XPD_OK;
}

/* By place: whether the filter kept the row. */
static const uint8_t *kept_rows(const struct xpd_buffer_table *table)
{
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
