/* What the instructions of a module cost: work, traffic, and the compiler's own estimate.
 *
 * Work (FLOPs) and traffic (bytes) are computed here from shapes and attributes, by the rules of
 * XLA's HloCostAnalysis (checked against the numbers in recorded profiles, see
 * tests/unit/hlo/test_cost*.c); cycles are the compiler's, out of backend_config. Everything is for
 * one execution on one device, in columns by instruction index; XPD_COST_UNKNOWN means unknown,
 * never 0.
 *
 * FLOPs: 1 for each element of an elementwise operation, except transcendental functions; dot and
 * convolution 2 for each multiply-add on real data (padding is free); reductions 1 for each element
 * that they remove; fusion, call and async the sum of their body; while the body and condition ONCE
 * (the number of iterations is not in the module); conditional its most expensive branch; a call
 * into a library is a product where its config says which dimensions (`__cublas$gemm`,
 * `__cublas$lt$matmul`, of any vendor), a convolution (`__cudnn$conv...`, forward or
 * backward: both multiply the same pairs), fused attention where shapes and config tell which pairs
 * of queries and keys meet (`__cudnn$fmha...`, `te_fused_attn_..._ffi`); a Pallas kernel costs what
 * its author's `cost_estimate` says; any other custom call is unknown. Bytes: operands read and
 * results written, tiles' padding included. A slice reads its result, an update writes the updated
 * part; a parameter of a fusion counts the bytes that the body reads. Scalar memory and semaphores
 * (S(6), S(2)) do not count, as in the compiler's own numbers. */
#ifndef XPROFD_HLO_COST_H
#define XPROFD_HLO_COST_H

#include "xprofd/base/arena.h"
#include "xprofd/hlo/module.h"

enum { XPD_COST_UNKNOWN = -1 };

struct xpd_matmul { /* a dot, or a convolution seen as one: m x k times k x n, `batch` times */
    uint32_t instruction;
    bool is_convolution;
    int64_t batch, m, n, k; /* convolution: m = output positions x batch, k = features x window */
    int64_t flops;          /* real work: <= 2*batch*m*n*k, less if a window overlaps the padding */
    /* Of a convolution, if its operands were input and kernel and its result the output: in one
     * that goes backward they are not, though XLA counts so. XPD_COST_UNKNOWN: they fit nothing. */
    int64_t flops_as_forward;
};

struct xpd_on_chip { /* what an instruction moves in a TPU's vector and common memory */
    int64_t vmem_read_bytes, vmem_written_bytes, cmem_read_bytes, cmem_written_bytes;
};

struct xpd_costs {
    uint32_t count;           /* of instructions */
    int64_t *flops;           /* or XPD_COST_UNKNOWN */
    int64_t *transcendentals; /* exp, log, tanh, ... each counted once, not in flops */
    int64_t *bytes;           /* all memories, read and written; or XPD_COST_UNKNOWN */
    int64_t *hbm_bytes;       /* the part in HBM (no S in the layout); or XPD_COST_UNKNOWN */
    int64_t *cycles;          /* the compiler's estimated_cycles; or XPD_COST_UNKNOWN */
    int64_t *parameter_read;  /* parameters: bytes the body reads of it when it is a fusion's */
    uint32_t *parameter_at;   /* by first instruction of a computation + number: its parameter */
    bool *partial;            /* something inside is unknown: flops and bytes are lower bounds */
    uint32_t *on_chip;        /* index into on_chips[], or XPD_NO_INDEX: it moves nothing there */
    uint32_t *matmul;         /* index into matmuls[] of the largest it is or contains, or
                                 XPD_NO_INDEX */
    uint32_t *collective;     /* the collective it is or has inside (fusion, async), or
                                 XPD_NO_INDEX */
    uint32_t matmul_count;
    struct xpd_matmul *matmuls; /* sorted by instruction */
    struct xpd_on_chip *on_chips;
};

/* `bytes`: the HloProto that `hlo` was loaded from, read once here. Columns live in `arena`.
 * XPD_ENOMEM, XPD_ELIMIT; XPD_ECHANGED when the bytes are of another module. */
int xpd_costs_make(struct xpd_costs *out, struct xpd_arena *arena, const struct xpd_hlo *hlo,
                   const uint8_t *bytes, size_t size, struct xpd_err *err);

/* Traffic of one instruction by memory space. */
enum { XPD_TRAFFIC_SPACES = 8 };
struct xpd_traffic {
    uint32_t count;
    struct {
        int64_t space, read_bytes, written_bytes;
    } at[XPD_TRAFFIC_SPACES]; /* by space */
};
void xpd_cost_traffic(const struct xpd_costs *costs, const struct xpd_hlo *hlo,
                      uint32_t instruction, struct xpd_traffic *out);

/* FLOPs from opcode and result shape alone: elementwise 1 an element, data movement 0; else
 * XPD_COST_UNKNOWN. For lines without a module. */
int64_t xpd_cost_flops_of_shape(struct xpd_str opcode, const struct xpd_shape *shape);

/* Bytes an array takes with its tiles' padding (a tuple: the sum of its parts); real bits without a
 * layout. Overflow saturates. */
int64_t xpd_shape_bytes(const struct xpd_shape *shape);

#endif
