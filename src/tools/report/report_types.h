/* Element types of what instructions read and write: "(bf16, f32) -> bf16". */
#ifndef XPROFD_SRC_TOOLS_REPORT_REPORT_TYPES_H
#define XPROFD_SRC_TOOLS_REPORT_REPORT_TYPES_H

#include "../common/common.h"

struct xpd_report_type { /* one list of types in one group */
    uint32_t key, count;
    uint32_t example; /* an instruction that has them */
};
struct xpd_report_types {         /* zeroed: none */
    struct xpd_report_type *type; /* by key, the most frequent first, then by first instruction */
    uint32_t *first;              /* by key, and one more */
};

/* Types of an instruction's operands and result, arrays of tuples in their order; what is beyond 16
 * arrays is an ellipsis. */
void xpd_report_types_text(struct xpd_strbuf *out, const struct xpd_hlo *hlo, uint32_t instruction);
/* Counted by key (by instruction, XPD_NO_INDEX = in none). Lives in ctx->arena. */
int xpd_report_types_make(struct xpd_report_types *out, const struct xpd_tool_ctx *ctx,
                          const uint32_t *key_of, uint32_t keys, struct xpd_err *err);
#define XPD_REPORT_TYPES_ROW_FIELDS(FIELD)                                                         \
    FIELD(TEXT, text, "\"(bf16, f32) -> bf16\"")                                                   \
    FIELD(COUNT, count, "instructions")
XPD_RECORD_TYPE(xpd_report_types_row, XPD_REPORT_TYPES_ROW_FIELDS)
/* Those of a key, at most 4; the number of others in *left_out. NULL: none were counted. */
const struct xpd_report_types_row *xpd_report_types_of(const struct xpd_report_types *types,
                                                       const struct xpd_tool_ctx *ctx, uint32_t key,
                                                       uint32_t *count, int64_t *left_out);

#endif
