/* Texts in the order in which a person counts. In: texts. Out: keys that compare so, ranks. */
#include "xprofd/base/natural.h"

#include "xprofd/base/radix.h"

#include <stdlib.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* fusion.2 before fusion.10: a run of digits becomes how many there are but for leading zeros, as
 * one of the bytes of digits, so that it compares with other bytes as a digit does; then the
 * digits. Nine and more are one byte and then the count. */
void xpd_natural_key(struct xpd_strbuf *out, struct xpd_str text)
{
    for (size_t i = 0; i < text.size;) {
        if (!is_digit(text.data[i])) {
            xpd_strbuf_putc(out, text.data[i++]);
            continue;
        }
        while (i < text.size && text.data[i] == '0')
            i++;
        size_t from = i;
        while (i < text.size && is_digit(text.data[i]))
            i++;
        size_t size = i - from;
        xpd_strbuf_putc(out, (char)('0' + (size < 9 ? size : 9)));
        for (int shift = 56; size >= 9 && shift >= 0; shift -= 8)
            xpd_strbuf_putc(out, (char)(uint8_t)((uint64_t)size >> shift));
        xpd_strbuf_add(out, text.data + from, size);
    }
}

/* ---- ranks of many ---- */

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

uint32_t *xpd_natural_ranks(const struct xpd_intern *texts, struct xpd_arena *arena)
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
