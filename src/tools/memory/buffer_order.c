/* All rows of a space in the order of a key. In: rows. Out: their places, sorted once.
 *
 * Texts repeat: distinct ones are sorted, and rows by the rank of theirs; ties go by row. The other
 * direction is the first one with its groups of equal rows the other way round. */
#include "../tables/table_words.h"
#include "buffer_key.h"
#include "table_uses.h"
#include "xprofd/base/radix.h"
#include <stdlib.h>

/* Sorting of the buffer table: only the rows of the page asked for are put in order.
 *
 * The rows of a whole space are sorted once for each key, and a page is read off
 * that order. Few rows are sorted here: a selection (expected O(n)) brings the
 * first offset + limit rows to the front, then those are sorted. The order is total, so a row
 * stands at the same place on every page: ties go by row. */

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

/* ---- ranks of texts ---- */

struct sorted { /* keys of texts, see xpd_natural_key */
    struct xpd_strbuf bytes;
    size_t *start;            /* by text, and one more: the end */
    uint64_t *first, *second; /* eight bytes each, the first one highest, zero behind the end */
    uint32_t *text;           /* in order */
    uint32_t count;
};

struct tie {
    struct xpd_str key;
    uint32_t text;
};

static struct xpd_str key_of(const struct sorted *s, uint32_t text)
{
    return (struct xpd_str){s->bytes.data + s->start[text], s->start[text + 1] - s->start[text]};
}

static int by_key(const void *left, const void *right)
{
    const struct tie *a = left, *b = right;
    return xpd_str_order(a->key, b->key);
}

static uint64_t eight_bytes(struct xpd_str key, size_t at)
{
    uint64_t bytes = 0;
    for (size_t i = at; i < at + 8; i++)
        bytes = bytes << 8 | (i < key.size ? (uint8_t)key.data[i] : 0);
    return bytes;
}

static bool is_tie(const struct sorted *s, uint32_t place)
{
    uint32_t a = s->text[place - 1], b = s->text[place];
    return s->first[a] == s->first[b] && s->second[a] == s->second[b];
}

/* Texts with the same sixteen bytes. */
static bool sort_ties(struct sorted *s)
{
    struct tie *tie = malloc(((size_t)s->count + 1) * sizeof *tie);
    for (uint32_t from = 0, to; tie && from < s->count; from = to) {
        for (to = from + 1; to < s->count && is_tie(s, to); to++)
            ;
        if (to == from + 1)
            continue;
        for (uint32_t i = from; i < to; i++)
            tie[i - from] = (struct tie){key_of(s, s->text[i]), s->text[i]};
        qsort(tie, to - from, sizeof *tie, by_key);
        for (uint32_t i = from; i < to; i++)
            s->text[i] = tie[i - from].text;
    }
    free(tie);
    return tie != NULL;
}

/* By the second eight bytes, then by the first ones: equal ones keep their order. */
static bool sort_heads(struct sorted *s, uint64_t *key)
{
    for (uint32_t i = 0; i < s->count; i++) {
        s->text[i] = i;
        key[i] = s->second[i];
    }
    if (!xpd_radix_sort_u64(key, s->text, s->count))
        return false;
    for (uint32_t i = 0; i < s->count; i++)
        key[i] = s->first[s->text[i]];
    return xpd_radix_sort_u64(key, s->text, s->count);
}

static bool sort_texts(struct sorted *s, const struct xpd_intern *texts, struct xpd_arena *arena)
{
    uint32_t n = texts->count;
    s->count = n;
    s->start = XPD_NEW_ROOM(arena, size_t, (size_t)n + 1);
    s->first = XPD_NEW_ROOM(arena, uint64_t, n);
    s->second = XPD_NEW_ROOM(arena, uint64_t, n);
    s->text = XPD_NEW_ROOM(arena, uint32_t, n);
    uint64_t *key = XPD_NEW_ROOM(arena, uint64_t, n);
    if (!s->start || !s->first || !s->second || !s->text || !key)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        s->start[i] = s->bytes.size;
        xpd_natural_key(&s->bytes, xpd_intern_get(texts, i));
    }
    s->start[n] = s->bytes.size;
    if (s->bytes.failed || !xpd_strbuf_reserve(&s->bytes, 1)) /* data is not a null pointer then */
        return false;
    for (uint32_t i = 0; i < n; i++) {
        s->first[i] = eight_bytes(key_of(s, i), 0);
        s->second[i] = eight_bytes(key_of(s, i), 8);
    }
    return sort_heads(s, key) && sort_ties(s);
}

/* By text: its place among those that differ in this order (a1 and a01 do not). */
static uint32_t *ranks_of(const struct xpd_intern *texts, struct xpd_arena *arena)
{
    struct sorted s = {0};
    uint32_t *rank = XPD_NEW_ROOM(arena, uint32_t, texts->count), last = 0;
    bool ok = rank && sort_texts(&s, texts, arena);
    for (uint32_t i = 0; ok && i < s.count; i++) {
        last += i > 0 && !xpd_str_eq(key_of(&s, s.text[i - 1]), key_of(&s, s.text[i]));
        rank[s.text[i]] = last;
    }
    xpd_strbuf_fini(&s.bytes);
    return ok ? rank : NULL;
}

/* ---- rows ---- */

static uint32_t put_text(struct xpd_names *names, const struct xpd_buffer_table *table,
                         const struct xpd_words *words, enum xpd_buffer_key key,
                         const struct xpd_buffer_row *row)
{
    const struct xpd_tool_ctx *ctx = table->ctx;
    uint32_t instruction = xpd_tools_instruction(ctx->mem, row->buffer);
    switch (key) {
    case XPD_SORT_NAME: return xpd_names_buffer(names, ctx->mem, row->buffer);
    case XPD_SORT_SHAPE: return xpd_names_buffer_shape(names, ctx->mem, row->buffer);
    case XPD_SORT_SOURCE: return xpd_names_kept(names, xpd_words_source(words, instruction));
    case XPD_SORT_SCOPE:
        return xpd_names_kept(names,
                              xpd_scope_path(xpd_words_op_name(words, ctx->hlo, instruction)));
    case XPD_SORT_OPCODE: return xpd_names_kept(names, xpd_tools_opcode(ctx->hlo, instruction));
    default: return xpd_names_put(names, xpd_buffer_text(table, key, row, &names->scratch));
    }
}

/* Numbers that sort as the texts do. */
static bool fill_ranks(const struct xpd_buffer_table *table, enum xpd_buffer_key key,
                       uint64_t *number)
{
    struct xpd_arena *arena = table->ctx->arena;
    const struct xpd_words *words = xpd_table_words(table->ctx, NULL);
    struct xpd_names names;
    uint32_t *text = XPD_NEW_ROOM(arena, uint32_t, table->count);
    xpd_names_init(&names, arena);
    for (uint32_t i = 0; words && text && i < table->count; i++)
        text[i] = put_text(&names, table, words, key, &table->row[i]);
    bool ok = words && text && !names.table.failed && !names.scratch.failed;
    const uint32_t *rank = ok ? ranks_of(&names.table, arena) : NULL;
    for (uint32_t i = 0; rank && i < table->count; i++)
        number[i] = rank[text[i]];
    xpd_names_fini(&names);
    return rank != NULL;
}

static bool fill(const struct xpd_buffer_table *table, enum xpd_buffer_key key, bool descending,
                 uint64_t *number)
{
    if (xpd_buffer_key_is_text(key))
        return fill_ranks(table, key, number);
    for (uint32_t i = 0; i < table->count; i++) {
        int64_t own = xpd_buffer_number(table, key, descending, &table->row[i]);
        number[i] = xpd_radix_key(descending ? ~own : own);
    }
    return true;
}

static int sort_all(struct xpd_row_order *out, struct xpd_arena *arena,
                    const struct xpd_tool_ctx *ctx, enum xpd_buffer_key key, struct xpd_err *err)
{
    const struct xpd_all_rows *all = xpd_table_rows(ctx, err);
    const struct xpd_savings *savings = all ? xpd_table_savings(ctx, err) : NULL;
    if (!savings)
        return XPD_ENOMEM;
    struct xpd_buffer_table table = {
        .ctx = ctx, .row = all->row, .count = all->count, .saving = savings};
    if (key == XPD_SORT_FIRST_USE || key == XPD_SORT_LAST_USE)
        table.uses = xpd_table_uses(ctx, NULL);
    bool down = xpd_buffer_key_sorts_down(key);
    uint32_t n = all->count, *row = XPD_NEW_ROOM(arena, uint32_t, n);
    uint64_t *begins = XPD_NEW_ARRAY(arena, uint64_t, (size_t)n / 64 + 1);
    uint64_t *number = XPD_NEW_ROOM(ctx->arena, uint64_t, n);
    if (!row || !begins || !number || !fill(&table, key, down, number))
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++)
        row[i] = i;
    if (!xpd_radix_sort_u64(number, row, n))
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++)
        begins[i / 64] |= (uint64_t)(i == 0 || number[i] != number[i - 1]) << (i % 64);
    bool steps = key >= XPD_SORT_START && key <= XPD_SORT_LAST_USE;
    for (out->known_count = n; steps && out->known_count > 0; out->known_count--)
        if (number[out->known_count - 1] != xpd_radix_key(INT64_MAX))
            break;
    out->row = row;
    out->begins = begins;
    return XPD_OK;
}

/* Groups of equal rows the other way round, each in the order of rows; what is not known stays
 * last. */
static int turn(struct xpd_row_order *out, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                enum xpd_buffer_key key, struct xpd_err *err)
{
    const struct xpd_all_rows *all = xpd_table_rows(ctx, err);
    const struct xpd_row_order *from =
        all ? xpd_table_order(ctx, key, xpd_buffer_key_sorts_down(key), err) : NULL;
    uint32_t *row = from ? XPD_NEW_ROOM(arena, uint32_t, all->count) : NULL, n = 0;
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t end = from->known_count, at = end; at > 0; at--) {
        if (!(from->begins[(at - 1) / 64] >> ((at - 1) % 64) & 1))
            continue;
        memcpy(row + n, from->row + at - 1, (end - at + 1) * sizeof *row);
        n += end - at + 1;
        end = at - 1;
    }
    memcpy(row + n, from->row + n, (all->count - n) * sizeof *row);
    out->row = row;
    return XPD_OK;
}

/* Its texts and numbers are gone when the order is made. */
static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                uint32_t detail, struct xpd_err *err)
{
    enum xpd_buffer_key key = (enum xpd_buffer_key)(detail / 2);
    struct xpd_arena scratch;
    struct xpd_tool_ctx own = *ctx;
    xpd_arena_init(&scratch, ctx->arena->budget_bytes);
    own.arena = &scratch;
    int rc = (detail % 2 != 0) == xpd_buffer_key_sorts_down(key)
                 ? sort_all(table, arena, &own, key, err)
                 : turn(table, arena, &own, key, err);
    xpd_arena_fini(&scratch);
    return rc;
}

const struct xpd_row_order *xpd_table_order(const struct xpd_tool_ctx *ctx, enum xpd_buffer_key key,
                                            bool descending, struct xpd_err *err)
{
    return xpd_table(ctx, XPD_TABLE_ORDER, (uint32_t)key * 2 + descending, true,
                     sizeof(struct xpd_row_order), make, err);
}
