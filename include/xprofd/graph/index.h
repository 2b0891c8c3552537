/* Index for questions about a program's graph: users, bodies, lines of the text, instructions that
 * are drawn as one. Made once for a module (a side table of the session), then const and shared by
 * all threads. A question costs only the entries it reads.
 *
 * Lines: 1-based, of the module's text in XLA's long form with metadata (print.h, XPD_PRINT_LONG |
 * XPD_PRINT_METADATA), in which each instruction begins a line. Which computations
 * are trivial and what is drawn as a body: as XLA's hlo_graph_dumper has it. */
#ifndef XPROFD_GRAPH_INDEX_H
#define XPROFD_GRAPH_INDEX_H

#include "xprofd/hlo/print.h"

enum xpd_graph_op { /* opcodes that the rules know by name */
                    XPD_GOP_OTHER,
                    XPD_GOP_PARAMETER,
                    XPD_GOP_CONSTANT,
                    XPD_GOP_FUSION,
                    XPD_GOP_BITCAST,
                    XPD_GOP_ELEMENT, /* get-tuple-element */
                    XPD_GOP_TUPLE,
                    XPD_GOP_BROADCAST,
                    XPD_GOP_CUSTOM_CALL,
                    XPD_GOP_SLICE, /* slice, dynamic-slice */
                    XPD_GOP_START, /* begins an asynchronous pair: X-start, send, recv */
                    XPD_GOP_UPDATE,
                    XPD_GOP_DONE /* X-done */
};

struct xpd_graph_index {
    const struct xpd_hlo *hlo;
    const uint8_t *op; /* by instruction, enum xpd_graph_op */

    const uint32_t *user_first, *user;       /* users by instruction, each once, in file order */
    const uint32_t *control_first, *control; /* control predecessors by instruction */
    const uint32_t *fusion_of;  /* by computation: the fusion whose body it is, or XPD_NO_INDEX */
    const uint32_t *caller_of;  /* by computation: first instruction that calls it */
    const uint32_t *call_of;    /* by computation: its only call, or XPD_NO_INDEX */
    const char *const *trivial; /* by computation: "add", "less-than"; NULL = something else */

    const uint32_t *line;  /* by instruction; 0 = the text folds it into another one */
    const uint32_t *place; /* by instruction: index into order, XPD_NO_INDEX = in none */
    const uint32_t *order; /* instructions in the order of the text */
    uint32_t order_count, line_count;
    const uint32_t *computation; /* computations in the order of the text */
    uint32_t computation_count;
    const uint32_t *head_line;                /* by computation; 0 = not in the text */
    const uint32_t *order_first, *order_size; /* by computation: its part of order */

    /* Instructions drawn as one by default: a tuple's element and a bitcast with their operand, a
     * done with its start, equal slices of one array with the first. */
    const uint32_t *fold;       /* by instruction: that one, XPD_NO_INDEX = it stands for itself */
    const uint32_t *pair;       /* by start: its only done; else XPD_NO_INDEX */
    const uint32_t *slice_next; /* by slice: the next equal one, XPD_NO_INDEX = none */

    const struct xpd_str *value; /* by instruction: text of a small constant, else "" */
    const int64_t *bytes;        /* by instruction: of the result with its tiling, tuples summed */
    const uint8_t *group;        /* by instruction, enum xpd_op_group */

    /* Warnings from loading the module, then cycles of values or calls and truncated literals. */
    const struct xpd_warnings *warnings;
};

/* Fills *index with memory of the arena. XPD_ENOMEM, or the error from reading the module. */
int xpd_graph_index_make(struct xpd_graph_index *index, struct xpd_arena *arena,
                         const struct xpd_hlo *hlo, struct xpd_hlo_printer *printer,
                         struct xpd_err *err);

/* Operand k, XPD_NO_INDEX when it does not exist. */
static inline uint32_t xpd_index_operand(const struct xpd_graph_index *index, uint32_t i, int64_t k)
{
    const struct xpd_hlo_instructions *ins = &index->hlo->instructions;
    uint32_t count = ins->operand_first[i + 1] - ins->operand_first[i];
    return k >= 0 && k < count ? ins->operand[ins->operand_first[i] + (uint32_t)k] : XPD_NO_INDEX;
}

static inline uint32_t xpd_index_users(const struct xpd_graph_index *index, uint32_t i)
{
    return index->user_first[i + 1] - index->user_first[i];
}

/* The scalar constant that a broadcast inside a fusion spreads, XPD_NO_INDEX = it is none such. */
uint32_t xpd_index_broadcast_of(const struct xpd_graph_index *index, uint32_t i);

#endif
