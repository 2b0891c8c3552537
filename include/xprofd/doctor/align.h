/* Two programs in one order: which step of one is which step of the other.
 *
 * The steps of a program are a sequence of (kind of event, opcode, type, dimensions, scope); two
 * programs share a longest common subsequence of these (report.md 4). It is exact up to
 * XPD_ALIGN_BITS pairs of steps; longer programs are first cut where a key occurs once in both, and
 * what is then still longer stays unaligned, which `whole` says. The answer for (B, A) is the one
 * for (A, B) with the sides exchanged. */
#ifndef XPROFD_DOCTOR_ALIGN_H
#define XPROFD_DOCTOR_ALIGN_H

#include "xprofd/doctor/compare.h"

#define XPD_ALIGN_BITS (UINT64_C(1) << 26) /* pairs of steps compared at once: 8 MiB */

struct xpd_align {
    uint32_t *step[2]; /* by slot, ascending; XPD_NO_STEP = not in this program */
    uint32_t count;    /* slots: matched + only_before + only_after */
    uint32_t matched, only_before, only_after;
    bool whole; /* false: parts were too long to be compared */
};

/* Steps of the two spaces; slots live in `arena`. XPD_ENOMEM. */
int xpd_align_steps(struct xpd_align *out, const struct xpd_compare_side side[2],
                    struct xpd_arena *arena, struct xpd_err *err);
/* The same for two sequences of keys: match[i] is the place in b of a[i], or XPD_NO_STEP. False
 * when there is no memory. */
bool xpd_align_keys(uint32_t *match, const uint32_t *a, uint32_t a_count, const uint32_t *b,
                    uint32_t b_count, uint64_t bits, bool *whole, struct xpd_arena *scratch);

#endif
