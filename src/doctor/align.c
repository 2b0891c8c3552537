/* The steps of two programs aligned. In: two spaces. Out: slots, each with a step of one or both.
 *
 * A step's key is its kind and its buffer's kind of group. Which side counts as the first does not
 * depend on which is called before: the one with fewer steps, else the one whose first different
 * key is smaller as text. */
#include "xprofd/doctor/align.h"

#include <string.h>

struct work {
    const struct xpd_compare_side *side;
    struct xpd_arena scratch;
    struct xpd_intern keys;
    struct xpd_strbuf key;
    uint32_t *of_buffer[2]; /* key of each buffer, made when first met */
    uint32_t *of_step[2];
};

static uint32_t buffer_key(struct work *w, int s, uint32_t buffer)
{
    if (buffer == XPD_NO_INDEX)
        return 0;
    uint32_t *known = &w->of_buffer[s][buffer];
    if (*known == 0) {
        xpd_strbuf_clear(&w->key);
        xpd_group_key(&w->key, w->side[s].mem, buffer, XPD_CLASS_TEMPORARY, false);
        *known = xpd_intern_put(&w->keys, w->key.data ? w->key.data : "", w->key.size);
    }
    return *known;
}

/* Kinds are 0 to 2; others are kept apart as one more. */
static uint32_t kind_of(const struct work *w, int s, uint32_t step)
{
    uint8_t kind = w->side[s].mem->hlo->events.kind[w->side[s].space->event[step]];
    return kind < 3 ? kind : 3;
}

static bool make_keys(struct work *w)
{
    for (int s = 0; s < 2; s++) {
        const struct xpd_mem_space *space = w->side[s].space;
        const struct xpd_hlo *hlo = w->side[s].mem->hlo;
        w->of_buffer[s] = XPD_NEW_ARRAY(&w->scratch, uint32_t, hlo->buffers.count);
        w->of_step[s] = XPD_NEW_ARRAY(&w->scratch, uint32_t, space->step_count);
        if ((hlo->buffers.count > 0 && !w->of_buffer[s]) ||
            (space->step_count > 0 && !w->of_step[s]))
            return false;
        for (uint32_t i = 0; i < space->step_count; i++)
            w->of_step[s][i] =
                buffer_key(w, s, hlo->events.buffer[space->event[i]]) * 4 + kind_of(w, s, i);
    }
    return !w->keys.failed && !w->key.failed && w->keys.count < UINT32_MAX / 4;
}

/* 0 or 1: the side that comes first where both have something of their own. */
static int leading_side(const struct work *w)
{
    uint32_t n[2] = {w->side[0].space->step_count, w->side[1].space->step_count};
    if (n[0] != n[1])
        return n[1] < n[0];
    for (uint32_t i = 0; i < n[0]; i++) {
        uint32_t x = w->of_step[0][i], y = w->of_step[1][i];
        if (x == y)
            continue;
        struct xpd_str a = xpd_intern_get(&w->keys, x / 4), b = xpd_intern_get(&w->keys, y / 4);
        size_t size = a.size < b.size ? a.size : b.size;
        int order = size > 0 ? memcmp(a.data, b.data, size) : 0;
        if (order == 0)
            order = (a.size > b.size) - (a.size < b.size);
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

static void lay_out(struct xpd_align *out, const struct work *w, const uint32_t *match, int lead)
{
    uint32_t n = w->side[lead].space->step_count, m = w->side[!lead].space->step_count, at = 0;
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

int xpd_align_steps(struct xpd_align *out, const struct xpd_compare_side side[2],
                    struct xpd_arena *arena, struct xpd_err *err)
{
    struct work w = {.side = side};
    size_t steps = (size_t)side[0].space->step_count + side[1].space->step_count;
    *out = (struct xpd_align){.whole = true};
    xpd_arena_init(&w.scratch, arena->budget_bytes);
    xpd_intern_init(&w.keys, &w.scratch);
    bool ok = make_keys(&w);
    int lead = ok ? leading_side(&w) : 0;
    uint32_t n = side[lead].space->step_count, m = side[!lead].space->step_count;
    uint32_t *match = XPD_NEW_ARRAY(&w.scratch, uint32_t, (size_t)n + 1);
    for (int s = 0; s < 2; s++)
        ok &= (out->step[s] = XPD_NEW_ARRAY(arena, uint32_t, steps + 1)) != NULL;
    ok = ok && match &&
         xpd_align_keys(match, w.of_step[lead], n, w.of_step[!lead], m, XPD_ALIGN_BITS, &out->whole,
                        &w.scratch);
    if (ok)
        lay_out(out, &w, match, lead);
    xpd_strbuf_fini(&w.key);
    xpd_intern_fini(&w.keys);
    xpd_arena_fini(&w.scratch);
    return ok ? XPD_OK
              : xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory to align the programs");
}
