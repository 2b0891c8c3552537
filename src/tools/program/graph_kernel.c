/* /api/v1/graph/kernel: the body of a custom call that is a kernel of its own. */
#include "graph_rows.h"
#include "xprofd/hlo/print.h"
#include "xprofd/tools/program_text.h"

static const struct xpd_param_spec params[] = {
    {.name = "node",
     .type = XPD_PARAM_TEXT,
     .required = true,
     .help = "a custom call: its id or its name"},
    {.name = "format",
     .type = XPD_PARAM_ENUM,
     .words = "text bytes",
     .help = "`text` (default), or `bytes`: the bytecode, for `mlir-opt`"},
    {0}};

static int write(struct xpd_graph_ask *ask, uint32_t instruction, struct xpd_tool_result *out,
                 struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = ask->ctx;
    struct xpd_proto_bytes proto = {0};
    struct xpd_hlo_printer *printer = NULL;
    bool as_bytes = xpd_str_eq(xpd_param_text(ctx, "format"), XPD_STR("bytes"));
    int rc = xpd_store_module_bytes(ctx->store, ctx->run, ctx->module, &proto, err);
    if (rc == XPD_OK)
        rc = xpd_hlo_printer_new(&printer, ctx->hlo, proto.at, proto.size, err);
    if (rc == XPD_OK)
        rc = xpd_program_kernel(ctx, xpd_hlo_config(printer, instruction, 0), as_bytes, out, err);
    if (rc == XPD_OK && as_bytes)
        out->file_name = "kernel.mlirbc";
    xpd_hlo_printer_free(printer);
    xpd_proto_bytes_free(&proto);
    return rc;
}

static int run(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_graph_ask ask;
    uint32_t i = XPD_NO_INDEX;
    int rc = xpd_graph_ask_init(&ask, ctx, err);
    if (rc == XPD_OK)
        rc = xpd_graph_find(&ask, "node", &i, err);
    if (rc == XPD_OK)
        rc = write(&ask, i, out, err);
    xpd_graph_ask_fini(&ask);
    return rc;
}

const struct xpd_tool xpd_tool_graph_kernel = {
    .route = "/api/v1/graph/kernel",
    .title = "The kernel of a custom call, as MLIR.",
    .needs = XPD_NEEDS_MODULE,
    .content = "text/plain application/octet-stream",
    .about = "The kernel that JAX's Pallas writes for the TPU: operations with operands, results, "
             "regions, attributes and types in MLIR's generic form, the same text as in XProf. "
             "Data that another dialect encodes in its own way is shown as `#dialect<N bytes>`, "
             "and comments around the text list what is missing. For an instruction without a "
             "kernel the answer is 404 with the reason.",
    .params = params,
    .run = run,
    .not_found = xpd_graph_nearest};
