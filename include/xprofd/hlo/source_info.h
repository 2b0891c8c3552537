/* Origin of an instruction in the user's program: op_name, file:line, stack.
 * Sources: OpMetadata, StackFrameIndexProto. Cycles among frames end the walk. */
#ifndef XPROFD_HLO_SOURCE_INFO_H
#define XPROFD_HLO_SOURCE_INFO_H

#include "xprofd/hlo/module.h"

#define XPD_STACK_MAX 256 /* frames; longer stacks are cut and say so */

struct xpd_source_info {
    struct xpd_str op_name;
    struct xpd_str file;           /* "" = unknown */
    int32_t line;                  /* 0 = unknown */
    uint32_t frame[XPD_STACK_MAX]; /* 1-based frame ids, innermost first */
    uint32_t frame_count;
    bool frames_cut; /* more frames than XPD_STACK_MAX, or a cycle */
    uint32_t from;   /* instruction it was taken from: itself, or one inside the fusion */
};

/* Metadata first, else the innermost stack frame; for a fusion without either, those of its root,
 * then of any fused instruction. */
void xpd_source_of(const struct xpd_hlo *hlo, uint32_t instruction, struct xpd_source_info *out);

/* The op name that gives the scope of an instruction: its own, that of a fused instruction, else
 * that of the value it forwards (a copy, a conversion or a tuple element has its operand's). 0:
 * none. */
xpd_name_id xpd_scope_name_of(const struct xpd_hlo *hlo, uint32_t instruction);

/* The next three give and append nothing for XPD_NO_INDEX. The op name of the instruction, else of
 * what is inside the fusion. */
struct xpd_str xpd_hlo_op_name(const struct xpd_hlo *hlo, uint32_t instruction);
/* The text of xpd_scope_name_of: where it stands in trees and tables by scope. */
struct xpd_str xpd_hlo_scope_name(const struct xpd_hlo *hlo, uint32_t instruction);
/* Appends "file:line" as recorded, nothing when unknown. */
void xpd_source_put_of(struct xpd_strbuf *out, const struct xpd_hlo *hlo, uint32_t instruction);
/* Appends "train.py:88"; without a line (0 or less) the file alone. */
void xpd_source_put(struct xpd_strbuf *out, struct xpd_str file, int64_t line);
/* The last part of a path. */
struct xpd_str xpd_source_base_name(struct xpd_str path);

/* XProf's own answer (file and line split out of "file:line:column", no look into fusions): false
 * when it shows none. `stack` gets one "file:line:column" per line. */
bool xpd_source_of_xprof(const struct xpd_hlo *hlo, uint32_t instruction, struct xpd_str *file,
                         int32_t *line, struct xpd_strbuf *stack);

/* Groups of operations with their own colours, the same on every page (tokens --o-*). */
enum xpd_op_group {
    XPD_OP_NONE,
    XPD_OP_MATMUL,
    XPD_OP_ELEMENTWISE,
    XPD_OP_REDUCE,
    XPD_OP_MOVE,
    XPD_OP_COLLECTIVE,
    XPD_OP_CONTROL,
    XPD_OP_HOST,
    XPD_OP_CUSTOM,
    XPD_OP_GROUP_COUNT
};
/* By opcode; a fusion by the strongest thing inside it (collective, matmul, reduce, elementwise,
 * move). What copies from or to the host's memory, S(5), is HOST: trace/load/load_names.c has the
 * same rule for events, by their HLO text. */
enum xpd_op_group xpd_op_group_of(const struct xpd_hlo *hlo, uint32_t instruction);
const char *xpd_op_group_word(enum xpd_op_group group); /* "none","matmul","elem","reduce",... */
/* The word of its group; XPD_NO_INDEX: "none". */
const char *xpd_hlo_group_word(const struct xpd_hlo *hlo, uint32_t instruction);

#endif
