/* How long an operation should take: work over peak, bytes over bandwidth, cycles over clock.
 *
 * Peaks come from the user, else from the profile's device planes, else from a table of published
 * specifications (profile/chips.h). Each has its source; nothing is assumed silently. Times are
 * seconds; unknown is -1. Check: 2*32*1024*8192*32768 FLOP over 23e12*8 is 95.61 ms, and 134217728
 * B over 1.2e11 B/s is 1.118 ms (reference T11). */
#ifndef XPROFD_EXPLAIN_EXPECT_H
#define XPROFD_EXPLAIN_EXPECT_H

#include "xprofd/base/strbuf.h"
#include "xprofd/explain/line.h"
#include "xprofd/hlo/cost.h"
#include "xprofd/hlo/groups.h"
#include "xprofd/profile/chips.h"

struct xpd_amounts { /* of one operation; -1 = unknown */
    int64_t flops, hbm_bytes, cycles;
    int64_t link_bytes;     /* bytes that a device sends; 0 = not a collective */
    bool partial;           /* something inside is unknown: the amounts are lower bounds */
    bool vector;            /* no matrix multiplication: the vector units do the work */
    enum xpd_number number; /* of the matrix multiplication with most work, by its operands */
    struct xpd_on_chip on_chip;
};
/* Of an instruction of a module; link_bytes is left 0, it takes the groups of a collective. */
void xpd_amounts_of(struct xpd_amounts *out, const struct xpd_costs *costs,
                    const struct xpd_hlo *hlo, uint32_t instruction);
/* What a limit is asked for; -1 = unknown. XPD_PEAK_FLOPS and XPD_PEAK_VECTOR are the same work. */
int64_t xpd_amount_of(const struct xpd_amounts *amounts, enum xpd_peak peak);
/* The peak of the unit that does the work: vector units where it has no matrix multiplication and
 * they are known, else matrix units, in its type of number. */
double xpd_work_peak(const struct xpd_amounts *amounts, const struct xpd_peaks *peaks);

#define XPD_BOUNDS "compute HBM VMEM CMEM link"
struct xpd_expected {
    double compute_s, hbm_s, link_s, cycles_s;
    double vmem_s, cmem_s; /* the longer of reading and writing */
    double roofline_s;     /* the longest of all but cycles */
    const char *bound;     /* one of XPD_BOUNDS, or NULL when there is no roofline */
};
/* `peaks` may be NULL: then all times are -1. */
void xpd_expect(struct xpd_expected *out, const struct xpd_amounts *amounts,
                const struct xpd_peaks *peaks);
/* One line: "Compute bound: 819 FLOP/B, ridge 241; the compiler's estimate is 1.13x the roofline."
 */
void xpd_expect_words(struct xpd_strbuf *out, const struct xpd_expected *expected,
                      const struct xpd_amounts *amounts, const struct xpd_peaks *peaks);

/* Bytes that each device sends over a link when the group is a ring: (n-1)/n of the whole array for
 * all-gather, reduce-scatter and all-to-all, twice that for all-reduce, all of it for a permute.
 * `operand_bytes` and `result_bytes` of the collective; group_size 0 = unknown: it then follows
 * from the ratio of the two, if possible. -1 = unknown. */
int64_t xpd_ring_bytes(const char *kind, int64_t operand_bytes, int64_t result_bytes,
                       int64_t group_size);

/* Amounts from a line without its module: a dot's work from its attributes, other work from opcode
 * and shape, HBM traffic from operands and result, a collective's ring. A fusion's FLOPs are
 * unknown, because its body is not in the line. *matmul is filled for a dot (batch 0 = none). */
void xpd_line_amounts(struct xpd_amounts *out, struct xpd_matmul *matmul,
                      const struct xpd_hlo_line *line, struct xpd_arena *arena);

#endif
