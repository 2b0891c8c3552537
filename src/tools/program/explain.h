/* What /graph/explain and /explain share: one instruction, from a module or from a pasted line, and
 * the sections of the answer. */
#ifndef XPROFD_SRC_TOOLS_PROGRAM_EXPLAIN_H
#define XPROFD_SRC_TOOLS_PROGRAM_EXPLAIN_H

#include "explain_peaks.h"
#include "graph_rows.h"
#include "xprofd/explain/expect.h"
#include "xprofd/explain/parts.h"
#include "xprofd/hlo/mesh.h"

struct xpd_explaining {
    const struct xpd_tool_ctx *ctx;
    struct xpd_strbuf text; /* scratch */
    struct xpd_hlo_line line;
    struct xpd_explain_from from;
    struct xpd_amounts amounts;
    struct xpd_matmul matmul; /* batch 0 = none */
    uint32_t collective;      /* instruction, in a module */
    const char *collective_kind;
    struct xpd_str groups_text;
    size_t kernel_bytes; /* of the kernel in its config; 0 = none */
    struct xpd_peaks peaks;
    bool has_peaks;
    struct xpd_mesh mesh;    /* count 0: none was given */
    struct xpd_str sharding; /* typed, as HLO writes it; "" = none was given */
};

/* What the scratch holds, kept; it is empty afterwards. */
struct xpd_str xpd_explain_keep(struct xpd_explaining *e);

/* The sections that both have; explain_node.c. */
void xpd_explain_fill(struct xpd_explanation *out, struct xpd_explaining *e,
                      const struct xpd_parts *parts);

/* Each gives a section, in the request's arena; NULL without memory, which the arena keeps, and
 * where there is nothing to say. */
/* explain_node.c */
const struct xpd_explain_nears *xpd_explain_line_operands(struct xpd_explaining *e);
/* explain_expected.c */
const struct xpd_explain_expected *xpd_explain_expected_of(struct xpd_explaining *e);
/* explain_contains.c */
const struct xpd_explain_contains *xpd_explain_contains_of(struct xpd_explaining *e);
/* explain_layout.c */
const struct xpd_explain_layout *xpd_explain_layout_of(struct xpd_explaining *e);
/* explain_expected.c: the parameters, and what groups and shardings mean along its axes, null
 * without it. */
#define XPD_EXPLAIN_LAYOUT_PARAMS                                                                  \
    {.name = "mesh",                                                                               \
     .type = XPD_PARAM_TEXT,                                                                       \
     .help = "axes of the devices, `data=4,model=2` or `4x2`, to name the axes of groups and "     \
             "shardings"},                                                                         \
    {                                                                                              \
        .name = "sharding", .type = XPD_PARAM_TEXT,                                                \
        .help = "sharding of the whole array: `{devices=[4,1]<=[4]}`, or with a mesh "             \
                "`P(data,None)`; instead of the op's own"                                          \
    }
int xpd_explain_read_mesh(struct xpd_explaining *e, struct xpd_err *err);
struct xpd_str xpd_explain_mesh_groups(struct xpd_explaining *e, const struct xpd_groups *groups);
struct xpd_str xpd_explain_mesh_sharding(struct xpd_explaining *e, struct xpd_str sharding);

#endif
