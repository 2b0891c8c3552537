/* Groupings of a report's rows: each row belongs to exactly one group of each, so their sums are
 * the same. */
#ifndef XPROFD_SRC_TOOLS_REPORT_REPORT_KEYS_H
#define XPROFD_SRC_TOOLS_REPORT_REPORT_KEYS_H

#include "report_common.h"

enum xpd_report_by {              /* words of the parameter `by`, in this order */
                     XPD_BY_OP,   /* op group; residents by their class */
                     XPD_BY_KIND, /* category of the Details tree */
                     XPD_BY_CLASS,
                     XPD_BY_DTYPE,
                     XPD_BY_SCOPE, /* class or phase and the first `level` parts of the op name */
                     XPD_BY_COMPUTATION,
                     XPD_BY_OPCODE,
                     XPD_BY_SHAPE,
                     XPD_BY_BUFFER,
                     XPD_BY_ROW,      /* leaf of the Details tree: "compute.elem" */
                     XPD_BY_SIGNATURE /* opcode with fusion kind or custom-call target */
};
#define XPD_REPORT_BY_WORDS                                                                        \
    "op kind class dtype scope computation opcode shape buffer row signature"
enum xpd_report_by xpd_report_by_of(struct xpd_str word);

struct xpd_report_keys {
    uint32_t *key;  /* by row */
    uint32_t *name; /* by key: in `names` */
    uint32_t count;
    int64_t *instructions;    /* by key: all of the program, with buffers or without; NULL where the
                                 grouping is of buffers only */
    uint32_t *of_instruction; /* by instruction: its key; NULL as above */
    uint32_t *example;        /* by key: an instruction of it, XPD_NO_INDEX = none; NULL as above */
};
/* `level`: parts of scopes, from 1. NULL-safe for words. Lives in ctx->arena. */
int xpd_report_keys_make(struct xpd_report_keys *out, const struct xpd_tool_ctx *ctx,
                         const struct xpd_report *report, enum xpd_report_by by, uint32_t level,
                         struct xpd_names *names, struct xpd_err *err);
/* The leaf of the Details tree that a row is filed in: "arguments", "compute.matmul". */
void xpd_report_leaf(char out[48], const struct xpd_report_row *row);
/* Rows whose instruction has no body with an opcode or name like `word` get the key XPD_NO_INDEX;
 * *dropped counts them. */
int xpd_report_keep_inner(const struct xpd_tool_ctx *ctx, const struct xpd_report *report,
                          struct xpd_str word, uint32_t *key, uint32_t *dropped,
                          struct xpd_err *err);
/* Name of a fusion's computation, "" = it is none. */
struct xpd_str xpd_report_body(const struct xpd_hlo *hlo, uint32_t instruction);

#endif
