/* The keys of a comparison's groups: what xpd_group_key (doctor_compare_buffers.c) writes as text,
 * without the index, as a few bytes. A program of 500,000 buffers has few scopes, so each is parsed
 * once.
 */
#ifndef XPROFD_SRC_DOCTOR_COMPARE_KEYS_H
#define XPROFD_SRC_DOCTOR_COMPARE_KEYS_H

#include "xprofd/doctor/compare.h"

struct xpd_compare_keys {
    struct xpd_intern keys;  /* what comes out: ids of these */
    struct xpd_intern words; /* opcodes and scopes of both programs */
    struct xpd_strbuf bytes; /* of the key that is made */
    struct xpd_arena *arena;
    struct xpd_compare_words {
        const struct xpd_mem *mem;
        uint32_t *opcode, *scope; /* name in the module -> word + 1, 0 = not seen yet */
        uint32_t *scope_inside;   /* instruction without an own op name -> word + 1 */
    } side[2];
};
/* False without memory. */
bool xpd_compare_keys_init(struct xpd_compare_keys *k, const struct xpd_compare_side side[2],
                           struct xpd_arena *arena);
void xpd_compare_keys_fini(struct xpd_compare_keys *k);
/* Equal for buffers of one kind: class, type, dimensions, opcode and scope. */
xpd_name_id xpd_compare_key(struct xpd_compare_keys *k, int side, uint32_t buffer,
                            enum xpd_mem_class mem_class);
/* Equal for buffers of one class, type and dimensions, regardless of their origin and place. */
xpd_name_id xpd_compare_key_of_shape(struct xpd_compare_keys *k, int side, uint32_t buffer,
                                     enum xpd_mem_class mem_class);
/* The same for any type and dimensions: what finds a buffer whose shape changed. */
xpd_name_id xpd_compare_key_any_shape(struct xpd_compare_keys *k, int side, uint32_t buffer,
                                      enum xpd_mem_class mem_class);

#endif
