/* A comparison with what its runs know: findings gone and new, workloads that are not the same. */
#ifndef XPROFD_SRC_TOOLS_COMPARE_PARTS_H
#define XPROFD_SRC_TOOLS_COMPARE_PARTS_H

#include "diagnosis.h"
#include "xprofd/base/checked.h"
#include "xprofd/doctor/compare.h"
#include "xprofd/tools/compare.h"

struct xpd_finding_change { /* one of the two may be NULL */
    const struct xpd_finding *before, *after;
};
struct xpd_comparison {
    const struct xpd_tool_ctx *ctx; /* two: before, after */
    struct xpd_compare result;
    struct xpd_opcode_count *opcode;
    uint32_t opcode_count;
    struct xpd_diagnosis diagnosis[2];
    struct xpd_finding_change *change; /* new, gone, stays */
    uint32_t change_count;
    const char *mismatch[4];
    uint32_t mismatch_count;
};
int xpd_comparison_make(struct xpd_comparison *c, const struct xpd_tool_ctx ctx[2],
                        struct xpd_err *err);
void xpd_comparison_json(struct xpd_jsonw *w, const struct xpd_comparison *c);
void xpd_comparison_text(struct xpd_strbuf *out, const struct xpd_comparison *c);
void xpd_comparison_markdown(struct xpd_strbuf *out, const struct xpd_comparison *c);
/* The two parts that the Markdown of a broken budget has too. */
void xpd_comparison_md_groups(struct xpd_strbuf *out, const struct xpd_comparison *c);
void xpd_comparison_md_findings(struct xpd_strbuf *out, const struct xpd_comparison *c);

#endif
