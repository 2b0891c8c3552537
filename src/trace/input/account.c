/* Sums over the steps. In: pieces of time with their class. Out: by step, by event, by inner call;
 * each piece counts once in each. */
#include "account.h"

#include "xprofd/base/checked.h"

#include <stdlib.h>

bool input_account_open(struct input_account *account, const struct input_spans *spans)
{
    *account = (struct input_account){.spans = spans};
    for (int c = 0; c < XPD_INPUT_CLASSES; c++) {
        account->sum[c] = calloc(spans->count + 1, sizeof *account->sum[c]);
        account->failed |= !account->sum[c];
    }
    return !account->failed;
}

void input_account_close(struct input_account *account)
{
    for (int c = 0; c < XPD_INPUT_CLASSES; c++)
        free(account->sum[c]);
    xpd_map64_fini(&account->claim_of);
    xpd_map64_fini(&account->inner_of);
    XPD_VEC_FINI(&account->claim);
    XPD_VEC_FINI(&account->inner);
    XPD_VEC_FINI(&account->input);
    XPD_VEC_FINI(&account->transfer);
    XPD_VEC_FINI(&account->piece);
}

void input_account_rewind(struct input_account *account)
{
    account->at = 0;
}

static uint32_t claim_of(struct input_account *a, uint8_t class, uint32_t name)
{
    uint64_t key = (uint64_t) class << 32 | name;
    uint32_t at = xpd_map64_get(&a->claim_of, key);
    if (at == XPD_NO_INDEX) {
        at = (uint32_t)a->claim.count;
        XPD_PUSH(&a->claim, ((struct input_claim){.name = name, .class = class}));
        xpd_map64_put(&a->claim_of, key, at);
    }
    a->failed |= a->claim.failed || a->claim_of.failed;
    return at < a->claim.count ? at : XPD_NO_INDEX;
}

static struct input_inner *inner_of(struct input_account *a, uint32_t claim, uint32_t name)
{
    uint64_t key = (uint64_t)claim << 32 | name;
    uint32_t at = xpd_map64_get(&a->inner_of, key);
    if (at == XPD_NO_INDEX) {
        at = (uint32_t)a->inner.count;
        XPD_PUSH(&a->inner, ((struct input_inner){.claim = claim, .name = name}));
        xpd_map64_put(&a->inner_of, key, at);
    }
    a->failed |= a->inner.failed || a->inner_of.failed;
    return at < a->inner.count ? &a->inner.at[at] : NULL;
}

static void add_named(struct input_account *a, uint8_t class, uint32_t claim, uint32_t inner,
                      int64_t ps)
{
    uint32_t at = claim_of(a, class, claim);
    if (at == XPD_NO_INDEX)
        return;
    xpd_grow_i64(&a->claim.at[at].total_ps, ps);
    struct input_inner *in = inner == XPD_NO_INDEX ? NULL : inner_of(a, at, inner);
    if (in)
        xpd_grow_i64(&in->total_ps, ps);
}

static void keep_piece(struct input_account *a, uint8_t class, int64_t from_ps, int64_t to_ps)
{
    struct xpd_input_piece *last = a->piece.count > 0 ? &a->piece.at[a->piece.count - 1] : NULL;
    if (last && last->class == class && last->to_ps == from_ps)
        last->to_ps = to_ps;
    else
        XPD_PUSH(&a->piece,
                 ((struct xpd_input_piece){.class = class, .from_ps = from_ps, .to_ps = to_ps}));
    a->failed |= a->piece.failed;
}

void input_account_add(struct input_account *a, uint8_t class, uint32_t claim, uint32_t inner,
                       int64_t from_ps, int64_t to_ps)
{
    const struct input_spans *spans = a->spans;
    int64_t sum_ps = 0;
    if (a->failed)
        return;
    while (a->at < spans->count && spans->at[a->at].to_ps <= from_ps)
        a->at++;
    for (size_t s = a->at; s < spans->count && spans->at[s].from_ps < to_ps; s++) {
        const struct input_span *span = &spans->at[s];
        int64_t start_ps = from_ps > span->from_ps ? from_ps : span->from_ps;
        int64_t end_ps = to_ps < span->to_ps ? to_ps : span->to_ps;
        xpd_grow_i64(&a->sum[class][s], end_ps - start_ps);
        xpd_grow_i64(&sum_ps, end_ps - start_ps);
        if (a->keeps)
            keep_piece(a, class, start_ps, end_ps);
        if (xpd_input_is_input(class))
            xpd_intervals_put(&a->input, INT64_MIN, INT64_MAX, start_ps, end_ps);
        else if (class == XPD_INPUT_TRANSFER)
            xpd_intervals_put(&a->transfer, INT64_MIN, INT64_MAX, start_ps, end_ps);
    }
    if (sum_ps <= 0)
        return;
    xpd_grow_i64(&a->all[class], sum_ps);
    add_named(a, class, claim, inner, sum_ps);
    a->failed |= a->input.failed || a->transfer.failed;
}

void input_account_count(struct input_account *a, uint8_t class, uint32_t claim, uint32_t inner,
                         int64_t from_ps, int64_t to_ps)
{
    size_t s = input_spans_after(a->spans, from_ps);
    if (a->failed || s >= a->spans->count || a->spans->at[s].from_ps >= to_ps)
        return;
    uint32_t at = claim_of(a, class, claim);
    if (at == XPD_NO_INDEX)
        return;
    struct input_inner *in = inner == XPD_NO_INDEX ? NULL : inner_of(a, at, inner);
    if (in)
        in->count++;
    else if (inner == XPD_NO_INDEX)
        a->claim.at[at].count++;
}
