/* Alignment of two programs: matching steps of the two.
 *
 * The steps of a program are a sequence of (kind of event, opcode, type, dimensions, scope); two
 * programs share a longest common subsequence of these. It is exact up to
 * XPD_ALIGN_BITS pairs of steps; longer programs are first cut where a key occurs once in both.
 * Parts that are still longer stay unaligned, and `whole` is false. Exchanging the two programs
 * only exchanges the sides of the answer. */
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
/* One line of a program's text: the first line of a computation, or an instruction. */
struct xpd_program_line {
    uint32_t computation, instruction; /* XPD_NO_INDEX = the computation's first line */
};
struct xpd_program_lines {
    struct xpd_program_line *at; /* in the order of the text */
    uint32_t count, left_out;    /* beyond XPD_PROGRAM_LINES */
};
#define XPD_PROGRAM_LINES   (UINT32_C(1) << 20)
#define XPD_ALIGN_LINE_BITS (UINT64_C(1) << 28) /* pairs of lines compared at once: 32 MiB */
struct xpd_hlo_printer;
/* `inside`: with the bodies of fusions. Lines live in `arena`. XPD_ENOMEM. */
int xpd_program_lines(struct xpd_program_lines *out, const struct xpd_hlo *hlo,
                      struct xpd_hlo_printer *printer, bool inside, struct xpd_arena *arena,
                      struct xpd_err *err);
/* Aligns the lines of two programs, as xpd_align_steps does with steps. Lines match by opcode, type
 * and dimensions of the result, and scope; first lines of computations by name without numbers and
 * by result type. At both ends of an unmatched range the scope is ignored. Names of instructions
 * are never compared, because their numbers change with every compile. Where both sides have
 * unmatched lines, those of the program before come first. */
int xpd_align_programs(struct xpd_align *out, const struct xpd_hlo *const hlo[2],
                       const struct xpd_program_lines lines[2], struct xpd_arena *arena,
                       struct xpd_err *err);
/* Equal except for the numbers that the compiler appends to names (fusion.12, fusion.7.clone.1). */
bool xpd_same_but_numbers(struct xpd_str a, struct xpd_str b);

/* The same for two sequences of keys: match[i] is the index in b of a[i], or XPD_NO_STEP. False
 * when out of memory. */
bool xpd_align_keys(uint32_t *match, const uint32_t *a, uint32_t a_count, const uint32_t *b,
                    uint32_t b_count, uint64_t bits, bool *whole, struct xpd_arena *scratch);

#endif
