/* See compare_keys.h. In: buffers of two programs. Out: ids that are equal for equal kinds. */
#include "compare_keys.h"

#include "xprofd/doctor/doctor.h"
#include "xprofd/hlo/source_info.h"

#define NO_WORD 0 /* of a buffer without an instruction; words count from 1 */

bool xpd_compare_keys_init(struct xpd_compare_keys *k, const struct xpd_compare_side side[2],
                           struct xpd_arena *arena)
{
    *k = (struct xpd_compare_keys){.arena = arena};
    xpd_intern_init(&k->keys, arena);
    xpd_intern_init(&k->words, arena);
    for (int s = 0; s < 2; s++) {
        const struct xpd_hlo *hlo = side[s].mem->hlo;
        k->side[s] = (struct xpd_compare_words){
            .mem = side[s].mem,
            .opcode = XPD_NEW_ARRAY(arena, uint32_t, hlo->names.count),
            .scope = XPD_NEW_ARRAY(arena, uint32_t, hlo->names.count),
            .scope_inside = XPD_NEW_ARRAY(arena, uint32_t, hlo->instructions.count)};
        if (!k->side[s].opcode || !k->side[s].scope || !k->side[s].scope_inside)
            return false;
    }
    return true;
}

void xpd_compare_keys_fini(struct xpd_compare_keys *k)
{
    xpd_strbuf_fini(&k->bytes);
    xpd_intern_fini(&k->words);
    xpd_intern_fini(&k->keys);
}

static uint32_t scope_word(struct xpd_compare_keys *k, struct xpd_str op_name)
{
    xpd_strbuf_clear(&k->bytes);
    xpd_doctor_scope(&k->bytes, op_name);
    return xpd_intern_put(&k->words, k->bytes.data ? k->bytes.data : "", k->bytes.size) + 1;
}

static uint32_t opcode_of(struct xpd_compare_keys *k, struct xpd_compare_words *side,
                          uint32_t instruction)
{
    const struct xpd_hlo *hlo = side->mem->hlo;
    uint32_t *word = &side->opcode[hlo->instructions.opcode[instruction]];
    if (*word == NO_WORD) {
        struct xpd_str text = xpd_hlo_text(hlo, hlo->instructions.opcode[instruction]);
        *word = xpd_intern_put(&k->words, text.data, text.size) + 1;
    }
    return *word;
}

/* A fusion may have no op name of its own; then what is inside says it. */
static uint32_t scope_of(struct xpd_compare_keys *k, struct xpd_compare_words *side,
                         uint32_t instruction)
{
    const struct xpd_hlo *hlo = side->mem->hlo;
    xpd_name_id name = hlo->instructions.op_name[instruction];
    struct xpd_str own = xpd_hlo_text(hlo, name);
    uint32_t *word = own.size > 0 ? &side->scope[name] : &side->scope_inside[instruction];
    if (*word == NO_WORD) {
        struct xpd_source_info info = {.op_name = own};
        if (own.size == 0)
            xpd_source_of(hlo, instruction, &info);
        *word = scope_word(k, info.op_name);
    }
    return *word;
}

static xpd_name_id key_of(struct xpd_compare_keys *k, int side, uint32_t buffer,
                          enum xpd_mem_class mem_class, bool with_shape)
{
    struct xpd_compare_words *words = &k->side[side];
    const struct xpd_mem_buffer *b = buffer == XPD_NO_INDEX ? NULL : &words->mem->buffer[buffer];
    const struct xpd_shape *shape = b && with_shape ? b->shape : NULL;
    bool made = b && b->instruction != XPD_NO_INDEX;
    int32_t head[5] = {(int32_t)mem_class, shape != NULL, shape ? shape->type : 0,
                       made ? (int32_t)opcode_of(k, words, b->instruction) : NO_WORD,
                       made ? (int32_t)scope_of(k, words, b->instruction) : NO_WORD};
    xpd_strbuf_clear(&k->bytes);
    xpd_strbuf_add(&k->bytes, (const char *)head, sizeof head);
    if (shape && shape->rank > 0)
        xpd_strbuf_add(&k->bytes, (const char *)shape->dims, shape->rank * sizeof *shape->dims);
    return xpd_intern_put(&k->keys, k->bytes.data ? k->bytes.data : "", k->bytes.size);
}

xpd_name_id xpd_compare_key(struct xpd_compare_keys *k, int side, uint32_t buffer,
                            enum xpd_mem_class mem_class)
{
    return key_of(k, side, buffer, mem_class, true);
}

xpd_name_id xpd_compare_key_of_shape(struct xpd_compare_keys *k, int side, uint32_t buffer,
                                     enum xpd_mem_class mem_class)
{
    const struct xpd_shape *shape = k->side[side].mem->buffer[buffer].shape;
    int32_t head[2] = {(int32_t)mem_class, shape ? shape->type : 0};
    xpd_strbuf_clear(&k->bytes);
    xpd_strbuf_puts(&k->bytes, "shape"); /* no key of another kind begins so */
    xpd_strbuf_add(&k->bytes, (const char *)head, sizeof head);
    if (shape && shape->rank > 0)
        xpd_strbuf_add(&k->bytes, (const char *)shape->dims, shape->rank * sizeof *shape->dims);
    return xpd_intern_put(&k->keys, k->bytes.data ? k->bytes.data : "", k->bytes.size);
}

xpd_name_id xpd_compare_key_any_shape(struct xpd_compare_keys *k, int side, uint32_t buffer,
                                      enum xpd_mem_class mem_class)
{
    return key_of(k, side, buffer, mem_class, false);
}
