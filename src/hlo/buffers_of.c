/* Buffers by instruction for a whole module, and the hash that identifies a
 * program. */
#include "xprofd/hlo/module.h"

/* By counting: how many each has, where they begin, then each into its place. */
bool xpd_hlo_buffers_of(struct xpd_buffers_of *of, const struct xpd_hlo *hlo,
                        struct xpd_arena *arena)
{
    const uint32_t *owner = hlo->buffers.instruction;
    uint32_t *first = XPD_NEW_ARRAY(arena, uint32_t, (size_t)hlo->instructions.count + 2);
    uint32_t *at = XPD_NEW_ARRAY(arena, uint32_t, hlo->buffers.count);
    if (!first || !at)
        return false;
    for (uint32_t i = 0; i < hlo->buffers.count; i++)
        if (owner[i] != XPD_NO_INDEX)
            first[owner[i] + 2]++; /* one further than its end: the filling moves it down */
    for (uint32_t i = 2; i < hlo->instructions.count + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < hlo->buffers.count; i++)
        if (owner[i] != XPD_NO_INDEX)
            at[first[owner[i] + 1]++] = i;
    of->first = first;
    of->at = at;
    return true;
}

static void put_indexes(struct xpd_strbuf *out, const uint32_t *at, uint32_t first, uint32_t end)
{
    uint32_t count = end - first;
    xpd_strbuf_add(out, &count, sizeof count);
    xpd_strbuf_add(out, &at[first], count * sizeof *at);
}

static void put_text(struct xpd_strbuf *out, const struct xpd_hlo *hlo, xpd_name_id id)
{
    struct xpd_str text = xpd_hlo_text(hlo, id);
    xpd_strbuf_add(out, text.data, text.size);
    xpd_strbuf_putc(out, '\0');
}

uint64_t xpd_hlo_likeness(const struct xpd_hlo *hlo)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    struct xpd_strbuf text = {0};
    uint64_t likeness[2] = {0}; /* of those before, of this one */
    for (uint32_t i = 0; i < all->count; i++) {
        xpd_strbuf_clear(&text);
        put_text(&text, hlo, all->name[i]);
        put_text(&text, hlo, all->opcode[i]);
        xpd_shape_text(&text, all->shape[i], true);
        put_indexes(&text, all->operand, all->operand_first[i], all->operand_first[i + 1]);
        put_indexes(&text, all->called, all->called_first[i], all->called_first[i + 1]);
        likeness[1] = xpd_hash(text.data, text.size);
        likeness[0] = xpd_hash(likeness, sizeof likeness);
    }
    bool failed = text.failed;
    xpd_strbuf_fini(&text);
    return failed ? 0 : likeness[0] + (likeness[0] == 0);
}
