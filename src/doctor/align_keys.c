/* Longest common subsequence of two sequences of numbers. In: keys. Out: for each of a its partner
 * in b.
 *
 * Equal ends are removed. The rest is solved with rows of bits: a zero in row j at position i means
 * that a[i] extends the common subsequence of a[..i] and b[..j] (Crochemore et al. 2001). Where the
 * rows would be too large, keys that occur once on both sides are anchors, the longest ascending
 * run of them cuts the problem, and the pieces are solved alone. Pieces wait on a stack, so depth
 * does not grow with the file. */
#include "align_sequences.h"
#include "xprofd/doctor/align.h"
#include <stdlib.h>
#include <string.h>

struct piece {
    uint32_t a, a_end, b, b_end;
};

struct aligner {
    const uint32_t *a, *b;
    uint32_t *match;
    uint64_t bits;
    struct xpd_arena *arena;
    struct piece *stack;
    uint32_t depth, capacity;
    uint64_t *row; /* of the largest piece so far */
    uint64_t row_words;
    uint32_t keys;                 /* largest key + 1 */
    uint32_t *first, *next;        /* key -> places in a of this piece + 1, chained by place */
    uint32_t *count[2], *place[2]; /* by key, for anchors; made when first needed */
    bool whole, failed;
};

static void push(struct aligner *w, struct piece p)
{
    if (p.a == p.a_end || p.b == p.b_end || w->failed)
        return;
    if (w->depth == w->capacity) {
        uint32_t more = w->capacity ? w->capacity * 2 : 64;
        struct piece *bigger = XPD_NEW_ARRAY(w->arena, struct piece, more);
        if (!bigger) {
            w->failed = true;
            return;
        }
        if (w->depth > 0)
            memcpy(bigger, w->stack, w->depth * sizeof *bigger);
        w->stack = bigger;
        w->capacity = more;
    }
    w->stack[w->depth++] = p;
}

static void trim(struct aligner *w, struct piece *p)
{
    while (p->a < p->a_end && p->b < p->b_end && w->a[p->a] == w->b[p->b])
        w->match[p->a++] = p->b++;
    while (p->a < p->a_end && p->b < p->b_end && w->a[p->a_end - 1] == w->b[p->b_end - 1])
        w->match[--p->a_end] = --p->b_end;
}

static bool bit_of(const uint64_t *row, uint32_t at)
{
    return row[at / 64] >> (at % 64) & 1;
}

/* One row from the one before: V = (V + (V & M)) | (V & ~M), M = places of this key in a. */
static void next_row(uint64_t *out, const uint64_t *before, const uint64_t *places, uint32_t words)
{
    uint64_t carry = 0;
    for (uint32_t k = 0; k < words; k++) {
        uint64_t v = before[k], u = v & places[k];
        uint64_t sum = v + u, over = sum < v;
        sum += carry;
        over |= sum < carry;
        out[k] = sum | (v & ~places[k]);
        carry = over;
    }
}

static void walk_back(struct aligner *w, struct piece p, const uint64_t *row, uint32_t words)
{
    uint32_t i = p.a_end - p.a, j = p.b_end - p.b;
    while (i > 0 && j > 0) {
        if (bit_of(row + (size_t)j * words, i - 1))
            i--;
        else if (!bit_of(row + (size_t)(j - 1) * words, i - 1))
            j--;
        else
            w->match[p.a + --i] = p.b + --j;
    }
}

static void solve(struct aligner *w, struct piece p)
{
    uint32_t n = p.a_end - p.a, m = p.b_end - p.b, words = (n + 63) / 64;
    uint64_t need = (uint64_t)words * ((uint64_t)m + 2);
    if (need > w->row_words) {
        w->row = XPD_NEW_ARRAY(w->arena, uint64_t, need);
        w->row_words = w->row ? need : 0;
    }
    if (!w->row) {
        w->failed = true;
        return;
    }
    uint64_t *places = w->row + (size_t)words * (m + 1);
    memset(places, 0, words * sizeof *places);
    memset(w->row, 0xff, words * sizeof *places);
    for (uint32_t i = n; i-- > 0;) {
        w->next[p.a + i] = w->first[w->a[p.a + i]];
        w->first[w->a[p.a + i]] = p.a + i + 1;
    }
    for (uint32_t j = 0; j < m; j++) {
        uint32_t key = w->b[p.b + j];
        for (uint32_t at = w->first[key]; at != 0; at = w->next[at - 1])
            places[(at - 1 - p.a) / 64] |= UINT64_C(1) << ((at - 1 - p.a) % 64);
        next_row(w->row + (size_t)(j + 1) * words, w->row + (size_t)j * words, places, words);
        for (uint32_t at = w->first[key]; at != 0; at = w->next[at - 1])
            places[(at - 1 - p.a) / 64] = 0;
    }
    for (uint32_t i = 0; i < n; i++)
        w->first[w->a[p.a + i]] = 0;
    walk_back(w, p, w->row, words);
}

static bool anchor_tables(struct aligner *w)
{
    for (int s = 0; s < 2 && !w->count[1]; s++) {
        w->count[s] = XPD_NEW_ARRAY(w->arena, uint32_t, w->keys);
        w->place[s] = XPD_NEW_ARRAY(w->arena, uint32_t, w->keys);
        w->failed |= !w->count[s] || !w->place[s];
    }
    return !w->failed;
}

static void count_keys(struct aligner *w, struct piece p, bool on)
{
    for (uint32_t i = p.a; i < p.a_end; i++) {
        w->count[0][w->a[i]] = on ? w->count[0][w->a[i]] + 1 : 0;
        w->place[0][w->a[i]] = i;
    }
    for (uint32_t j = p.b; j < p.b_end; j++) {
        w->count[1][w->b[j]] = on ? w->count[1][w->b[j]] + 1 : 0;
        w->place[1][w->b[j]] = j;
    }
}

/* The longest ascending run of anchors, by patience: ends[k] is the run of length k + 1 that ends
 * earliest. Matches them and pushes the ranges between. False if there is none. */
static bool cut(struct aligner *w, struct piece p)
{
    uint32_t n = p.a_end - p.a, length = 0;
    struct xpd_arena arena;
    xpd_arena_init(&arena, w->arena->budget_bytes);
    uint32_t *ends = XPD_NEW_ARRAY(&arena, uint32_t, n), *back = XPD_NEW_ARRAY(&arena, uint32_t, n);
    if (!ends || !back || !anchor_tables(w)) {
        w->failed = true;
        xpd_arena_fini(&arena);
        return false;
    }
    count_keys(w, p, true);
    for (uint32_t i = p.a; i < p.a_end; i++) {
        uint32_t key = w->a[i], low = 0, high = length;
        if (w->count[0][key] != 1 || w->count[1][key] != 1)
            continue;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (w->place[1][w->a[ends[middle]]] < w->place[1][key])
                low = middle + 1;
            else
                high = middle;
        }
        back[i - p.a] = low > 0 ? ends[low - 1] : XPD_NO_STEP;
        ends[low] = i;
        length += low == length;
    }
    struct piece rest = p;
    for (uint32_t i = length ? ends[length - 1] : XPD_NO_STEP; i != XPD_NO_STEP;
         i = back[i - p.a]) {
        uint32_t j = w->place[1][w->a[i]];
        w->match[i] = j;
        push(w, (struct piece){i + 1, rest.a_end, j + 1, rest.b_end});
        rest.a_end = i;
        rest.b_end = j;
    }
    count_keys(w, p, false);
    if (length > 0)
        push(w, rest);
    xpd_arena_fini(&arena);
    return length > 0;
}

bool xpd_align_keys(uint32_t *match, const uint32_t *a, uint32_t a_count, const uint32_t *b,
                    uint32_t b_count, uint64_t bits, bool *whole, struct xpd_arena *scratch)
{
    struct aligner w = {.a = a, .b = b, .match = match, .bits = bits, .arena = scratch};
    w.whole = true;
    for (uint32_t i = 0; i < a_count; i++) {
        match[i] = XPD_NO_STEP;
        w.keys = a[i] >= w.keys ? a[i] + 1 : w.keys;
    }
    for (uint32_t j = 0; j < b_count; j++)
        w.keys = b[j] >= w.keys ? b[j] + 1 : w.keys;
    w.first = XPD_NEW_ARRAY(scratch, uint32_t, w.keys);
    w.next = XPD_NEW_ARRAY(scratch, uint32_t, a_count);
    if (a_count > 0 && b_count > 0 && (!w.first || !w.next))
        return false;
    push(&w, (struct piece){0, a_count, 0, b_count});
    while (w.depth > 0 && !w.failed) {
        struct piece p = w.stack[--w.depth];
        trim(&w, &p);
        if (p.a == p.a_end || p.b == p.b_end)
            continue;
        if ((uint64_t)(p.a_end - p.a) * (p.b_end - p.b) <= w.bits)
            solve(&w, p);
        else if (!cut(&w, p))
            w.whole = false;
    }
    *whole = w.whole;
    return !w.failed;
}

/* Two sequences of keys in one order. In: keys. Out: slots, each with a place of one or both.
 *
 * Which side counts as the first does not depend on which is called before: the shorter one, else
 * the one whose first different key is smaller as text. */

/* 0 or 1: the side that comes first where both have something of their own. */
static int leading_side(const struct xpd_align_sequences *in)
{
    if (in->count[0] != in->count[1])
        return in->count[1] < in->count[0];
    for (uint32_t i = 0; i < in->count[0]; i++) {
        uint32_t x = in->key[0][i], y = in->key[1][i];
        if (x == y)
            continue;
        struct xpd_str a = xpd_intern_get(in->names, x / 4), b = xpd_intern_get(in->names, y / 4);
        int order = xpd_str_order(a, b);
        if (order == 0)
            order = (x % 4 > y % 4) - (x % 4 < y % 4);
        return order > 0;
    }
    return 0;
}

static void put(struct xpd_align *out, int lead, uint32_t mine, uint32_t other)
{
    out->step[lead][out->count] = mine;
    out->step[!lead][out->count++] = other;
}

static void lay_out(struct xpd_align *out, const struct xpd_align_sequences *in,
                    const uint32_t *match, int lead)
{
    uint32_t n = in->count[lead], m = in->count[!lead], at = 0;
    uint32_t own[2] = {0, 0};
    for (uint32_t i = 0; i <= n;) {
        for (; i < n && match[i] == XPD_NO_STEP; i++, own[lead]++)
            put(out, lead, i, XPD_NO_STEP);
        for (uint32_t end = i < n ? match[i] : m; at < end; at++, own[!lead]++)
            put(out, lead, XPD_NO_STEP, at);
        if (i == n)
            break;
        put(out, lead, i++, at++);
        out->matched++;
    }
    out->only_before = own[0];
    out->only_after = own[1];
}

bool xpd_align_sequences(struct xpd_align *out, const struct xpd_align_sequences *in, uint64_t bits,
                         struct xpd_arena *arena, struct xpd_arena *scratch)
{
    size_t places = (size_t)in->count[0] + in->count[1];
    int lead = leading_side(in);
    uint32_t n = in->count[lead], m = in->count[!lead];
    *out = (struct xpd_align){.whole = true};
    uint32_t *match = XPD_NEW_ARRAY(scratch, uint32_t, (size_t)n + 1);
    bool ok = match != NULL;
    for (int s = 0; s < 2; s++)
        ok &= (out->step[s] = XPD_NEW_ARRAY(arena, uint32_t, places + 1)) != NULL;
    ok = ok &&
         xpd_align_keys(match, in->key[lead], n, in->key[!lead], m, bits, &out->whole, scratch);
    if (ok)
        lay_out(out, in, match, lead);
    return ok;
}
