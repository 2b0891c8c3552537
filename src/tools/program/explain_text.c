/* /api/v1/explain: a pasted HLO instruction in plain sentences. Everything comes from the text;
 * what needs the module says so. */
#include "../common/tools.h"
#include "explain.h"

static const struct xpd_param_spec params[] = {
    {.name = "text",
     .type = XPD_PARAM_TEXT,
     .required = true,
     .help = "one instruction of HLO text, up to 1 MiB"},
    {.name = "device",
     .type = XPD_PARAM_CHIP,
     .help = "chip whose peaks to use, for example `TPU v5e`; default none"},
    XPD_EXPLAIN_LAYOUT_PARAMS,
    {0}};

static const char *kind_of(const struct xpd_hlo_line *line)
{
    const char *kind = NULL;
    if (!xpd_collective_sentence(line->opcode, &kind))
        (void)xpd_collective_sentence(xpd_line_attribute(line, "calls"), &kind);
    return kind;
}

static const char *group_of(const struct xpd_explaining *e)
{
    if (e->collective_kind)
        return xpd_op_group_word(XPD_OP_COLLECTIVE);
    return e->matmul.batch ? xpd_op_group_word(XPD_OP_MATMUL) : xpd_op_group_word(XPD_OP_NONE);
}

static int explain(struct xpd_explaining *e, struct xpd_explanation *out, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = e->ctx;
    struct xpd_parts *parts = XPD_NEW(ctx->arena, struct xpd_parts);
    int rc = parts ? xpd_line_parse(&e->line, ctx->arena, xpd_param_text(ctx, "text"), err)
                   : xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        rc = xpd_explain_read_mesh(e, err);
    if (rc == XPD_OK)
        rc = xpd_parts_of(parts, ctx->arena, &e->line, &e->from, err);
    if (rc != XPD_OK)
        return rc;
    xpd_line_amounts(&e->amounts, &e->matmul, &e->line, ctx->arena);
    e->collective_kind = kind_of(&e->line);
    e->groups_text = xpd_line_attribute(&e->line, "replica_groups");
    const struct xpd_peaks *peaks = xpd_peaks_find(xpd_param_text(ctx, "device"));
    e->has_peaks = peaks != NULL;
    if (peaks)
        e->peaks = *peaks;
    *out = (struct xpd_explanation){.pasted = true,
                                    .name = e->line.name,
                                    .opcode = e->line.opcode,
                                    .group = group_of(e),
                                    .id = XPD_UNKNOWN,
                                    .ix = XPD_NO_INDEX,
                                    .line = -1,
                                    .kernel_bytes = -1};
    xpd_explain_fill(out, e, parts);
    out->operands = xpd_explain_line_operands(e);
    return XPD_OK;
}

static int make(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct xpd_explaining e = {.ctx = ctx,
                               .collective = XPD_NO_INDEX,
                               .from = {.space_name = xpd_space_name, .platform = ""}};
    struct xpd_explanation *out = XPD_NEW(ctx->arena, struct xpd_explanation);
    int rc = out ? explain(&e, out, err) : xpd_tools_no_memory(err);
    xpd_strbuf_fini(&e.text);
    *answer = out;
    return rc;
}

const struct xpd_tool xpd_tool_explain = {.route = "/api/v1/explain",
                                          .title = "A pasted HLO instruction, explained.",
                                          .needs = XPD_NEEDS_NOTHING,
                                          .params = params,
                                          .answer = xpd_explanation_record,
                                          .make = make};
