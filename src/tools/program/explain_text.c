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
     .type = XPD_PARAM_TEXT,
     .help = "whose peaks to use, for example `TPU v5e`; none without it"},
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

static void put(struct xpd_explaining *e, const struct xpd_parts *parts)
{
    struct xpd_jsonw *w = e->w;
    xpd_json_obj(w);
    xpd_json_kbool(w, "pasted", true);
    xpd_json_kstr(w, "name", e->line.name);
    xpd_json_kstr(w, "opcode", e->line.opcode);
    xpd_json_ktext(w, "group", group_of(e));
    xpd_explain_put_text(e, parts);
    xpd_explain_put_output(e);
    xpd_explain_put_layout(e);
    xpd_explain_put_expected(e);
    xpd_explain_put_contains(e);
    xpd_explain_put_sharding(e);
    xpd_explain_put_line_operands(e);
    xpd_json_obj_end(w);
}

static int run(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_jsonw w;
    struct xpd_explaining e = {.ctx = ctx,
                               .w = &w,
                               .collective = XPD_NO_INDEX,
                               .from = {.space_name = xpd_space_name, .platform = ""}};
    struct xpd_parts *parts = XPD_NEW(ctx->arena, struct xpd_parts);
    if (!parts)
        return xpd_tools_no_memory(err);
    int rc = xpd_line_parse(&e.line, ctx->arena, xpd_param_text(ctx, "text"), err);
    if (rc == XPD_OK)
        rc = xpd_explain_read_mesh(&e, err);
    if (rc == XPD_OK)
        rc = xpd_parts_of(parts, ctx->arena, &e.line, &e.from, err);
    if (rc != XPD_OK)
        return rc;
    xpd_line_amounts(&e.amounts, &e.matmul, &e.line, ctx->arena);
    e.collective_kind = kind_of(&e.line);
    e.groups_text = xpd_line_attribute(&e.line, "replica_groups");
    const struct xpd_peaks *peaks = xpd_peaks_find(xpd_param_text(ctx, "device"));
    e.has_peaks = peaks != NULL;
    if (peaks)
        e.peaks = *peaks;
    xpd_jsonw_init(&w, &out->body);
    put(&e, parts);
    bool failed = e.text.failed;
    xpd_strbuf_fini(&e.text);
    return failed ? xpd_tools_no_memory(err) : XPD_OK;
}

const struct xpd_tool xpd_tool_explain = {.route = "/api/v1/explain",
                                          .title = "A pasted HLO instruction, explained.",
                                          .needs = XPD_NEEDS_NOTHING,
                                          .params = params,
                                          .run = run};
