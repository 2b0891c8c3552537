/* /api/v1/graph/text: a program's HLO as XLA prints it: the whole module, one computation, or one
 * instruction as an expression with the shapes of its operands. */
#include "../common/tools.h"
#include "../tables/graph_common.h"
#include "xprofd/hlo/print.h"
#include "xprofd/tools/program_text.h"

static const struct xpd_param_spec params[] = {
    {.name = "format",
     .type = XPD_PARAM_ENUM,
     .words = "short long expression",
     .help = "`short` (default), `long` or `expression`; the variants of XLA's printer"},
    {.name = "metadata",
     .type = XPD_PARAM_INT,
     .max = 1,
     .help = "1: with op names, source lines and the tables of stack frames"},
    {.name = "config",
     .type = XPD_PARAM_INT,
     .max = 1,
     .fallback = 1,
     .help = "0: no backend_config"},
    {.name = "computation", .type = XPD_PARAM_TEXT, .help = "only this one"},
    {.name = "instruction", .type = XPD_PARAM_TEXT, .help = "only this one"},
    {0}};

static int missing(const struct xpd_hlo *hlo, const char *what, struct xpd_str name,
                   struct xpd_err *err)
{
    struct xpd_str module = xpd_hlo_text(hlo, hlo->name);
    return xpd_fail(err, XPD_ENOTFOUND, what, XPD_NO_OFFSET, "The module %.*s has no %s %.*s.",
                    (int)module.size, module.data, what, (int)name.size, name.data);
}

static uint32_t flags_of(const struct xpd_tool_ctx *ctx, const struct xpd_tool *tool)
{
    struct xpd_str format = xpd_param_text(ctx, "format");
    uint32_t flags = xpd_str_eq(format, XPD_STR("long"))         ? XPD_PRINT_LONG
                     : xpd_str_eq(format, XPD_STR("expression")) ? XPD_PRINT_EXPRESSION
                                                                 : XPD_PRINT_SHORT;
    if (xpd_param_int(ctx, tool, "metadata"))
        flags |= XPD_PRINT_METADATA;
    if (!xpd_param_int(ctx, tool, "config"))
        flags &= ~(uint32_t)XPD_PRINT_CONFIG;
    return flags;
}

static int print(const struct xpd_tool_ctx *ctx, struct xpd_hlo_printer *printer, uint32_t flags,
                 struct xpd_strbuf *out, struct xpd_err *err)
{
    const struct xpd_hlo *hlo = ctx->hlo;
    struct xpd_str computation = xpd_param_text(ctx, "computation");
    struct xpd_str instruction = xpd_param_text(ctx, "instruction");
    if (instruction.size) {
        uint32_t found =
            xpd_tools_index_of(hlo->instructions.name, hlo->instructions.count,
                               xpd_intern_find(&hlo->names, xpd_tools_bare_name(instruction)));
        if (found == XPD_NO_INDEX)
            return missing(hlo, "instruction", instruction, err);
        xpd_hlo_print_instruction(printer, found, flags, out);
        xpd_strbuf_putc(out, '\n');
    } else {
        uint32_t found =
            xpd_tools_index_of(hlo->computations.name, hlo->computations.count,
                               xpd_intern_find(&hlo->names, xpd_tools_bare_name(computation)));
        if (found == XPD_NO_INDEX)
            return missing(hlo, "computation", computation, err);
        xpd_hlo_print_computation(printer, found, flags, out);
        xpd_strbuf_putc(out, '\n');
    }
    return XPD_OK;
}

static int run(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_proto_bytes proto;
    struct xpd_hlo_printer *printer = NULL;
    uint32_t flags = flags_of(ctx, &xpd_tool_graph_text);
    if (!xpd_param_text(ctx, "instruction").size && !xpd_param_text(ctx, "computation").size)
        return xpd_program_write(ctx, ctx->module, XPD_PROGRAM_HLO, flags, out, err);
    int rc = xpd_store_module_bytes(ctx->store, ctx->run, ctx->module, &proto, err);
    if (rc == XPD_OK)
        rc = xpd_hlo_printer_new(&printer, ctx->hlo, proto.at, proto.size, err);
    if (rc == XPD_OK)
        rc = print(ctx, printer, flags, &out->body, err);
    xpd_hlo_printer_free(printer);
    xpd_proto_bytes_free(&proto);
    out->type = XPD_BODY_TEXT;
    return rc;
}

const struct xpd_tool xpd_tool_graph_text = {
    .route = "/api/v1/graph/text",
    .title = "A program's HLO as XLA prints it, as text.",
    .needs = XPD_NEEDS_MODULE,
    .may_stream = true,
    .content = "text/plain",
    .about =
        "Byte by byte what XLA and XProf give (`tests/golden/hlo_text`), with one exception: "
        "replica groups that only an older field holds, which XProf 2.24.2 prints as `{}`, are "
        "printed. `format=expression` writes each operand with its shape. A program of more than 2 "
        "MiB of HloProto is sent while it is printed: no ETag, and memory does not grow with it.",
    .params = params,
    .run = run};
