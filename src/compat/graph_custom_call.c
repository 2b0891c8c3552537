/* graph_viewer's custom_call: what a custom call hands to its backend. A Mosaic kernel is MLIR
 * bytecode, which XProf prints with LLVM; hlo/kernel.h prints the same. format=bytes (not XProf's)
 * gives the bytecode as it is, for mlir-opt. */
#include "graph_viewer.h"

#include "xprofd/hlo/print.h"
#include "xprofd/tools/program_text.h"

/* For a call by XLA's typed interface XProf answers the whole module's text. */
static bool is_typed(struct xpd_hlo_printer *printer, uint32_t instruction)
{
    struct xpd_strbuf text = {0};
    xpd_hlo_print_attributes(printer, instruction, 0, '\n', &text);
    bool typed =
        text.data && xpd_str_find((struct xpd_str){text.data, text.size},
                                  XPD_STR("api_version=API_VERSION_TYPED_FFI"), false) != SIZE_MAX;
    xpd_strbuf_fini(&text);
    return typed;
}

int xpd_compat_custom_call(const struct xpd_tool_ctx *ctx, uint32_t module,
                           struct xpd_tool_result *out, struct xpd_err *err)
{
    const struct xpd_hlo *hlo;
    struct xpd_proto_bytes bytes = {0};
    struct xpd_hlo_printer *printer = NULL;
    uint32_t instruction = XPD_NO_INDEX, computation;
    int rc = xpd_store_module(ctx->store, ctx->run, module, &hlo, NULL, err);
    if (rc == XPD_OK)
        rc = xpd_compat_find_node(ctx, hlo, &instruction, &computation, err);
    if (rc == XPD_OK && instruction == XPD_NO_INDEX)
        rc = xpd_fail(err, XPD_ENOTFOUND, "node_name", XPD_NO_OFFSET, "HLO Instruction not found");
    if (rc == XPD_OK)
        rc = xpd_store_module_bytes(ctx->store, ctx->run, module, &bytes, err);
    if (rc == XPD_OK)
        rc = xpd_hlo_printer_new(&printer, hlo, bytes.at, bytes.size, err);
    bool typed = rc == XPD_OK && is_typed(printer, instruction);
    if (rc == XPD_OK && !typed)
        rc = xpd_program_kernel(ctx, xpd_hlo_config(printer, instruction, XPD_PRINT_XPROF),
                                xpd_str_eq(xpd_param_text(ctx, "format"), XPD_STR("bytes")), out,
                                err);
    xpd_hlo_printer_free(printer);
    xpd_proto_bytes_free(&bytes);
    if (typed)
        rc = xpd_program_write(ctx, module, XPD_PROGRAM_HLO,
                               XPD_PRINT_LONG | XPD_PRINT_METADATA | XPD_PRINT_XPROF, out, err);
    return rc;
}
