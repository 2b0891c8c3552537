/* Two sequences of keys put into one order of slots, regardless of their meaning. */
#ifndef XPROFD_SRC_DOCTOR_ALIGN_SEQUENCES_H
#define XPROFD_SRC_DOCTOR_ALIGN_SEQUENCES_H

#include "xprofd/doctor/align.h"

struct xpd_align_sequences {
    const uint32_t *key[2]; /* id in `names` * 4 + a kind of 0 to 3 */
    uint32_t count[2];
    const struct xpd_intern *names;
};
/* `bits`: pairs compared at once, as in xpd_align_keys. Slots live in `arena`. False without
 * memory. */
bool xpd_align_sequences(struct xpd_align *out, const struct xpd_align_sequences *in, uint64_t bits,
                         struct xpd_arena *arena, struct xpd_arena *scratch);

#endif
