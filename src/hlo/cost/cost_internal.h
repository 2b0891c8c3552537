/* Shared by the parts of the cost analysis. Private to src/hlo. */
#ifndef XPROFD_SRC_HLO_COST_INTERNAL_H
#define XPROFD_SRC_HLO_COST_INTERNAL_H

#include "../text/print_internal.h"
#include "xprofd/base/checked.h"
#include "xprofd/hlo/cost.h"

enum xpd_cost_rule { /* what an opcode costs */
                     XPD_RULE_UNKNOWN,
                     XPD_RULE_NONE, /* names, pointers, waiting: no work, no traffic */
                     XPD_RULE_MOVE, /* traffic only */
                     XPD_RULE_ELEMENT,
                     XPD_RULE_TRANSCENDENTAL,
                     XPD_RULE_DOT,
                     XPD_RULE_CONVOLUTION,
                     XPD_RULE_REDUCE,
                     XPD_RULE_REDUCE_WINDOW,
                     XPD_RULE_SELECT_AND_SCATTER,
                     XPD_RULE_SCATTER,
                     XPD_RULE_SORT,
                     XPD_RULE_MAP,
                     XPD_RULE_ALL_REDUCE,
                     XPD_RULE_COLLECTIVE, /* traffic only */
                     XPD_RULE_START,      /* reads; its done writes */
                     XPD_RULE_DONE,
                     XPD_RULE_FUSION,
                     XPD_RULE_CALLED,  /* the sum of the computations it calls */
                     XPD_RULE_LARGEST, /* the most expensive of them */
                     XPD_RULE_SLICE,
                     XPD_RULE_UPDATE,
                     XPD_RULE_GATHER,
                     XPD_RULE_FFT,
                     XPD_RULE_SOLVE,
                     XPD_RULE_CHOLESKY,
                     XPD_RULE_STATED /* a call whose config has its cost */
};

enum xpd_cost_rule xpd_cost_rule_of(struct xpd_str opcode);
/* all-reduce, all-gather-start, collective-permute-done, ...: moves data between devices. */
bool xpd_cost_is_collective(struct xpd_str opcode);

struct xpd_cost_work {
    struct xpd_costs *costs;
    const struct xpd_hlo *hlo;
    struct xpd_hlo_printer *printer;
    enum xpd_cost_rule *rule; /* by instruction */
    int64_t *window;    /* by instruction: elements of its window; of a reduce-window: folds; of an
                           fft: halvings */
    bool *shared;       /* by instruction: some user reads all of this parameter */
    bool *used;         /* by instruction: an operand of another, or a root */
    int64_t steps_left; /* of counting window positions: the sizes are the file's */
    XPD_VEC(struct xpd_matmul) matmul;
    XPD_VEC(struct xpd_on_chip) on_chip;
    bool failed;
};

enum xpd_cost_state { XPD_COST_NEW, XPD_COST_BUSY, XPD_COST_DONE };

struct xpd_cost_total { /* of a computation */
    int64_t flops, transcendentals, bytes, hbm_bytes;
    uint32_t matmul, collective;
    bool partial;
    uint8_t state;
};

struct xpd_cost_job {
    struct xpd_cost_work work;
    struct xpd_cost_total *total;
};

/* cost_work.c: flops and transcendentals of one instruction that is not a wrapper. */
void xpd_cost_work_of(struct xpd_cost_job *job, uint32_t instruction);
/* Cost of its called computation k, NULL if there is none or it is not finished. */
const struct xpd_cost_total *xpd_cost_called(const struct xpd_cost_job *job, uint32_t instruction,
                                             uint32_t k);

/* Operand k of an instruction, or XPD_NO_INDEX. */
static inline uint32_t xpd_cost_operand(const struct xpd_hlo *hlo, uint32_t instruction, uint32_t k)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    uint32_t at = ins->operand_first[instruction] + k;
    return at < ins->operand_first[instruction + 1] ? ins->operand[at] : XPD_NO_INDEX;
}

/* The shape of operand k, or NULL. */
static inline const struct xpd_shape *xpd_cost_operand_shape(const struct xpd_hlo *hlo,
                                                             uint32_t instruction, uint32_t k)
{
    uint32_t operand = xpd_cost_operand(hlo, instruction, k);
    return operand == XPD_NO_INDEX ? NULL : hlo->instructions.shape[operand];
}

/* cost_matmul.c: fills *out from attributes; false when they contradict the shapes. `raw` is the
 * instruction. */
bool xpd_cost_dot(struct xpd_cost_work *work, uint32_t instruction, const struct xpd_raw *raw,
                  struct xpd_matmul *out);
/* cost_attention.c: fused attention of a library. */
bool xpd_cost_is_attention(const struct xpd_hlo *hlo, uint32_t instruction);
bool xpd_cost_attention(struct xpd_cost_work *work, uint32_t instruction, struct xpd_str config,
                        struct xpd_matmul *out);
bool xpd_cost_convolution(struct xpd_cost_work *work, uint32_t instruction,
                          const struct xpd_raw *raw, struct xpd_matmul *out);
/* cost_library.c: the product that a call of a vendor's library is; false: its shapes do not tell.
 */
bool xpd_cost_library(struct xpd_cost_work *work, uint32_t instruction, const struct xpd_raw *raw,
                      struct xpd_str config, struct xpd_matmul *out);
/* cost_library.c: fills flops, transcendentals and bytes of a call from the estimate that the
 * kernel's author gave; false when the config holds none. */
bool xpd_cost_stated(struct xpd_costs *costs, uint32_t instruction, struct xpd_str config);
/* Elements of the window of field 15; 1 when there is none. */
int64_t xpd_cost_window_elements(struct xpd_cost_work *work, const struct xpd_raw *raw);

/* cost_work.c: how often the lengths of an fft (field 32) are halved, all together. */
int64_t xpd_cost_fft_halvings(struct xpd_cost_work *work, uint32_t instruction,
                              const struct xpd_raw *raw);

/* Times a reduce-window applies its computation. */
int64_t xpd_cost_window_folds(struct xpd_cost_work *work, uint32_t instruction,
                              const struct xpd_raw *raw);

/* cost_bytes.c: on_chip of one instruction whose callees are done, and its bytes and hbm_bytes
 * where operands and results tell them. */
void xpd_cost_bytes(struct xpd_cost_work *work, uint32_t instruction, bool tell);
/* What the body of a fusion reads of each of its parameters; its instructions' own fusions first.
 */
void xpd_cost_parameter_reads(struct xpd_cost_work *work, uint32_t computation);

#endif
