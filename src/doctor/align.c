/* The steps of two programs aligned. In: two spaces. Out: slots, each with a step of one or both.
 *
 * A step's key is its kind and its buffer's kind of group. Buffers of one kind are known by a few
 * bytes (compare_keys.h); the text, which decides where both sides have something of their own, is
 * made once for each kind. */
#include "align_sequences.h"
#include "compare_keys.h"

struct work {
    const struct xpd_compare_side *side;
    struct xpd_arena scratch;
    struct xpd_compare_keys kinds;
    struct xpd_intern keys;
    struct xpd_strbuf key;
    uint32_t *of_kind;      /* key of each of `kinds`, made when first met */
    uint32_t *of_buffer[2]; /* the same of each buffer */
    uint32_t *of_step[2];
};

static uint32_t buffer_key(struct work *w, int s, uint32_t buffer)
{
    if (buffer == XPD_NO_INDEX)
        return 0;
    uint32_t *known = &w->of_buffer[s][buffer];
    if (*known != 0)
        return *known;
    uint32_t *key = &w->of_kind[xpd_compare_key(&w->kinds, s, buffer, XPD_CLASS_TEMPORARY)];
    if (*key == 0) {
        xpd_strbuf_clear(&w->key);
        xpd_group_key(&w->key, w->side[s].mem, buffer, XPD_CLASS_TEMPORARY, false);
        *key = xpd_intern_put(&w->keys, w->key.data ? w->key.data : "", w->key.size);
    }
    return *known = *key;
}

/* Kinds are 0 to 2; others are kept apart as one more. */
static uint32_t kind_of(const struct work *w, int s, uint32_t step)
{
    uint8_t kind = w->side[s].mem->hlo->events.kind[w->side[s].space->event[step]];
    return kind < 3 ? kind : 3;
}

static bool make_keys(struct work *w)
{
    size_t buffers =
        (size_t)w->side[0].mem->hlo->buffers.count + w->side[1].mem->hlo->buffers.count;
    w->of_kind = XPD_NEW_ARRAY(&w->scratch, uint32_t, buffers + 1);
    if (!w->of_kind)
        return false;
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
    bool failed = w->kinds.keys.failed || w->kinds.words.failed || w->kinds.bytes.failed;
    return !failed && !w->keys.failed && !w->key.failed && w->keys.count < UINT32_MAX / 4;
}

int xpd_align_steps(struct xpd_align *out, const struct xpd_compare_side side[2],
                    struct xpd_arena *arena, struct xpd_err *err)
{
    struct work w = {.side = side};
    *out = (struct xpd_align){.whole = true};
    xpd_arena_init(&w.scratch, arena->budget_bytes);
    xpd_intern_init(&w.keys, &w.scratch);
    bool ok = xpd_compare_keys_init(&w.kinds, side, &w.scratch) && make_keys(&w);
    struct xpd_align_sequences in = {.names = &w.keys};
    for (int s = 0; s < 2; s++) {
        in.key[s] = w.of_step[s];
        in.count[s] = side[s].space->step_count;
    }
    ok = ok && xpd_align_sequences(out, &in, XPD_ALIGN_BITS, arena, &w.scratch);
    xpd_compare_keys_fini(&w.kinds);
    xpd_strbuf_fini(&w.key);
    xpd_intern_fini(&w.keys);
    xpd_arena_fini(&w.scratch);
    return ok ? XPD_OK
              : xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory to align the programs");
}
