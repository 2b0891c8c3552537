/* Whether two modules are one program. In: a module. Out: hashes: one that is equal on all hosts
 * that run it, and one that finds it in the dump of another pass of the compiler. */
#include "xprofd/hlo/module.h"

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

/* ---- of different passes ---- */

static uint64_t shape_hash(const struct xpd_shape *shape)
{
    uint64_t part[2] = {(uint64_t)(uint32_t)shape->type << 32 | shape->element_count,
                        shape->rank ? xpd_hash(shape->dims, shape->rank * sizeof *shape->dims) : 0};
    return xpd_hash(part, sizeof part);
}

static uint64_t text_hash(const struct xpd_hlo *hlo, xpd_name_id id)
{
    struct xpd_str text = xpd_hlo_text(hlo, id);
    return xpd_hash(text.data, text.size);
}

struct xpd_hlo_digest xpd_hlo_digest_of(const struct xpd_hlo *hlo)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    struct xpd_hlo_digest digest = {xpd_hash(&hlo->buffers.count, sizeof hlo->buffers.count),
                                    ins->count};
    for (uint32_t i = 0; i < ins->count; i++) {
        uint64_t part[3] = {text_hash(hlo, ins->name[i]), text_hash(hlo, ins->opcode[i]),
                            shape_hash(ins->shape[i])};
        digest.program += xpd_hash(part, sizeof part);
    }
    for (uint32_t i = 0; i < hlo->allocation_count; i++) {
        const struct xpd_hlo_allocation *a = &hlo->allocation[i];
        uint64_t part[4] = {digest.memory, (uint64_t)a->size_bytes, (uint64_t)a->color, a->flags};
        digest.memory = xpd_hash(part, sizeof part);
    }
    if (!hlo->has_buffer_assignment)
        digest.memory = 0;
    return digest;
}

int xpd_hlo_digest_same(const struct xpd_hlo_digest *a, const struct xpd_hlo_digest *b)
{
    if (a->program == b->program || (a->memory && a->memory == b->memory))
        return 1;
    return a->memory && b->memory ? 0 : -1;
}
