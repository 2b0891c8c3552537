/* Element types of operands and results: "(bf16, f32) -> bf16". */
#ifndef XPROFD_REPORT_TYPE_LISTS_H
#define XPROFD_REPORT_TYPE_LISTS_H

#include "xprofd/hlo/module.h"

struct xpd_report_type { /* one list of types in one group */
    uint32_t key, count;
    uint32_t example; /* an instruction that has them */
};
struct xpd_report_types {         /* zeroed: none */
    struct xpd_report_type *type; /* by key, the most frequent first, then by first instruction */
    uint32_t *first;              /* by key, and one more */
};

/* Types of an instruction's operands and result, tuples as their arrays in order; beyond 16 arrays
 * an ellipsis. */
void xpd_report_types_text(struct xpd_strbuf *out, const struct xpd_hlo *hlo, uint32_t instruction);
/* Counted by key (by instruction, XPD_NO_INDEX = in none). Lives in `arena`. XPD_ENOMEM. */
int xpd_report_types_make(struct xpd_report_types *out, const struct xpd_hlo *hlo,
                          const uint32_t *key_of, uint32_t keys, struct xpd_arena *arena,
                          struct xpd_err *err);

#endif
