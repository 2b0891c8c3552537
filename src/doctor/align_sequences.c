/* Two sequences of keys in one order. In: keys. Out: slots, each with a place of one or both.
 *
 * Which side counts as the first does not depend on which is called before: the shorter one, else
 * the one whose first different key is smaller as text. */
#include "align_sequences.h"

#include <string.h>

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
