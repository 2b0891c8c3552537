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
/* "types":[{"text","count"}] of a key, at most 4, and "types_left_out". */
void xpd_report_types_write(struct xpd_jsonw *w, const struct xpd_hlo *hlo,
                            const struct xpd_report_types *types, uint32_t key);

#endif
