/* Layers: parts of a program that repeat, and their times. There are three ways to find them:
 *
 *  - SCOPE: scopes that differ only by a number. block_0 and block_1 are layers of block_*; outer
 *    numbers count too: stage_0/block_1 is a layer of stage_*\/block_*. The position of an
 *    operation in its layer is the pass (forward, recompute, backward), the rest of its scope and
 *    its name there.
 *  - LOOP: iterations of a while. One begins with the first operation of the body that runs.
 *  - SEQUENCE: otherwise the sequence of operations (opcode, shape) that repeats in the schedule
 *    without a gap and takes most time.
 * Times are sums of self times of the executions that begin in the requested steps; divide by
 * `spans` for one step of one device. The layers and the operations outside of them add up to the
 * steps, to the picosecond. Pure functions; results live in the caller's arena. */
#ifndef XPROFD_TRACE_LAYERS_H
#define XPROFD_TRACE_LAYERS_H

#include "xprofd/hlo/scope.h"
#include "xprofd/hlo/source_info.h"
#include "xprofd/trace/step_spans.h"

#define XPD_LAYERS_MAX      4096  /* iterations or members; more are not supported */
#define XPD_LAYERS_OPS_MAX  20000 /* of a computation that is searched for sequences */
#define XPD_LAYERS_PATH_MAX 12    /* scopes below a layer; deeper ones are one part */

enum xpd_layers_kind { XPD_LAYERS_SCOPE, XPD_LAYERS_LOOP, XPD_LAYERS_SEQUENCE };

struct xpd_layers_repeat { /* one way to divide the program into layers */
    enum xpd_layers_kind kind;
    struct xpd_str name; /* "block_*"; of a while its name; of a sequence its first operation */
    uint32_t count;      /* layers */
    int64_t self_ps;     /* of its operations, in the whole trace */
    uint32_t loop;       /* LOOP: the while, an instruction */
    uint32_t turn_op, turn_each; /* LOOP: an iteration begins with this op of the program, every
                                  * turn_each executions */
    uint32_t computation, first, period; /* SEQUENCE: from the first-th operation that ran in it */
};
/* The best first: most layers among those with nearly as much time (9/10) as any. *why_none: one
 * sentence if there is none. False: out of memory. */
bool xpd_layers_find(struct xpd_layers_repeat **out, uint32_t *count, const char **why_none,
                     const struct xpd_ran_ops *in, struct xpd_arena *arena);

enum xpd_layers_part_kind {
    XPD_LAYERS_ALL,   /* one layer */
    XPD_LAYERS_PHASE, /* a pass of it */
    XPD_LAYERS_PART,  /* a scope */
    XPD_LAYERS_OP     /* operations of one name in a scope */
};
struct xpd_layers_part {
    enum xpd_layers_part_kind kind;
    struct xpd_str name;
    enum xpd_phase phase;
    uint32_t parent, depth;  /* parent: XPD_NO_INDEX of part 0 */
    enum xpd_op_group group; /* with most of the time */
    int64_t self_ps;
    uint32_t first_cell, cell_count; /* by layer; a layer that lacks the part has none */
};
struct xpd_layers_cell {
    uint32_t layer, ops; /* operations that ran */
    int64_t self_ps;
};
struct xpd_layers_bar { /* a part of a layer */
    uint32_t layer;
    enum xpd_phase phase;
    enum xpd_op_group group;
    int64_t self_ps;
};
struct xpd_layers_sum {
    uint32_t ops;
    int64_t self_ps;
    int64_t *step_ps; /* by step; of `whole` spans one number */
};
struct xpd_layers {
    struct xpd_str *layer; /* names, by their numbers */
    uint32_t layer_count;
    struct xpd_layers_part *part; /* a part before those in it; part 0 is one layer */
    uint32_t part_count;
    struct xpd_layers_cell *cell;
    uint32_t cell_count;
    struct xpd_layers_bar *bar; /* by layer, then as they come in a step */
    uint32_t bar_count;
    int64_t *layer_step_ps;             /* [layer * steps + step] */
    uint32_t steps;                     /* at least 1 */
    struct xpd_layers_sum outside, all; /* all = part 0 + outside */
    struct xpd_str outside_names;       /* its largest scopes, with commas between */
    const uint32_t *part_of_op;  /* by op of the program: its OP part; XPD_NO_INDEX outside */
    const uint32_t *layer_of_op; /* XPD_NO_INDEX: outside, or told by turns */
};
/* `together`: parts contain all passes; else each pass is a part with its own parts. XPD_ENOMEM;
 * XPD_ELIMIT: more than XPD_LAYERS_MAX layers. */
int xpd_layers_make(struct xpd_layers *out, const struct xpd_ran_ops *in,
                    const struct xpd_layers_repeat *repeat, bool together, struct xpd_arena *arena,
                    struct xpd_err *err);

struct xpd_layers_op { /* of one cell */
    uint32_t op;       /* of the program */
    uint64_t count;
    int64_t self_ps;
};
/* The contents of one cell: by step (layers->steps elements) and by operation, most time first. */
bool xpd_layers_cell_of(const struct xpd_layers *layers, const struct xpd_ran_ops *in,
                        const struct xpd_layers_repeat *repeat, uint32_t part, uint32_t layer,
                        int64_t *step_ps, struct xpd_layers_op **op, uint32_t *op_count,
                        struct xpd_arena *arena);

#endif
