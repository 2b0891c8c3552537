/* What /graph/explain and /explain share: one instruction, from a module or from a pasted line, and
 * the sections of the answer. */
#ifndef XPROFD_SRC_TOOLS_PROGRAM_EXPLAIN_H
#define XPROFD_SRC_TOOLS_PROGRAM_EXPLAIN_H

#include "graph_rows.h"
#include "xprofd/explain/expect.h"
#include "xprofd/explain/parts.h"
#include "xprofd/hlo/mesh.h"

struct xpd_explaining {
    const struct xpd_tool_ctx *ctx;
    struct xpd_jsonw *w;
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

/* The scratch as a text field, and clears it. */
void xpd_explain_ktext(struct xpd_explaining *e, const char *key);
void xpd_explain_words(struct xpd_explaining *e); /* as an array's element */

/* explain_sections.c */
void xpd_explain_put_text(struct xpd_explaining *e, const struct xpd_parts *parts);
void xpd_explain_put_output(struct xpd_explaining *e);
void xpd_explain_put_sharding(struct xpd_explaining *e);
void xpd_explain_put_line_operands(struct xpd_explaining *e);
/* explain_expected.c */
void xpd_explain_put_expected(struct xpd_explaining *e);
/* What a chip can do, as an answer has it (struct xpd_peaks). */
#define XPD_PEAKS_FIELDS(FIELD)                                                                    \
    FIELD(STRING, device, "its name")                                                              \
    FIELD(MAYBE(REAL), flops_per_s, "of its matrix units")                                         \
    FIELD(MAYBE(REAL), hbm_bytes_per_s, "of its main memory")                                      \
    FIELD(MAYBE(REAL), link_bytes_per_s, "of all its links together")                              \
    FIELD(MAYBE(REAL), clock_hz, "of its cores")                                                   \
    FIELD(MAYBE(STRING), source, "who says so")
const struct xpd_record *xpd_peaks_record(void);
/* explain_mesh.c: the parameters, and what groups and shardings mean along its axes, null without
 * it. */
#define XPD_EXPLAIN_LAYOUT_PARAMS                                                                  \
    {.name = "mesh",                                                                               \
     .type = XPD_PARAM_TEXT,                                                                       \
     .help =                                                                                       \
         "axes of the devices, `data=4,model=2` or `4x2`: says what groups and shardings mean"},   \
    {                                                                                              \
        .name = "sharding", .type = XPD_PARAM_TEXT,                                                \
        .help = "how the whole array lies over the devices: `{devices=[4,1]<=[4]}`, or with a "    \
                "mesh `P(data,None)`; in place of the op's own"                                    \
    }
int xpd_explain_read_mesh(struct xpd_explaining *e, struct xpd_err *err);
void xpd_explain_put_mesh_groups(struct xpd_explaining *e, const struct xpd_groups *groups);
void xpd_explain_put_mesh_sharding(struct xpd_explaining *e, struct xpd_str sharding);
/* explain_contains.c */
void xpd_explain_put_contains(struct xpd_explaining *e);
/* explain_layout.c */
void xpd_explain_put_layout(struct xpd_explaining *e);
/* explain_peaks.c: of the device of the run, out of its planes, else of the table. */
bool xpd_explain_peaks(const struct xpd_tool_ctx *ctx, struct xpd_peaks *out);
/* The same where the call says otherwise in its parameters. */
bool xpd_explain_peaks_typed(const struct xpd_tool_ctx *ctx, struct xpd_peaks *out);
#define XPD_PEAKS_PARAMS                                                                           \
    {.name = "device",                                                                             \
     .type = XPD_PARAM_TEXT,                                                                       \
     .help = "whose peaks to use, for example `TPU v5e` or `MI300X`, instead of the run's"},       \
        {.name = "peak_flops",                                                                     \
         .type = XPD_PARAM_DOUBLE,                                                                 \
         .help = "FLOP/s that the device can do, entered by hand: `1.3e15`"},                      \
    {                                                                                              \
        .name = "peak_bandwidth", .type = XPD_PARAM_DOUBLE,                                        \
        .help = "B/s of its memory, entered by hand: `5.3e12`"                                     \
    }

#endif
