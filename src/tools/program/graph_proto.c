/* /api/v1/graph/proto: a program's HloProto, as bytes, as protobuf text or as JSON. */
#include "../common/common.h"
#include "../common/tools.h"
#include "xprofd/tools/program_text.h"

static const struct xpd_param_spec params[] = {
    {.name = "format",
     .type = XPD_PARAM_ENUM,
     .words = "pb pbtxt json",
     .help = "`pb` (default): the bytes; `pbtxt`: protobuf's text format; `json`: protobuf's JSON"},
    {0}};

static int run(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_str format = xpd_param_text(ctx, "format");
    bool json = xpd_str_eq(format, XPD_STR("json")), text = xpd_str_eq(format, XPD_STR("pbtxt"));
    out->file_name = json ? "module.json" : text ? "module.pbtxt" : "module.hlo_proto.pb";
    return xpd_program_write(ctx, ctx->module,
                             json   ? XPD_PROGRAM_JSON
                             : text ? XPD_PROGRAM_PBTXT
                                    : XPD_PROGRAM_PB,
                             0, out, err);
}

const struct xpd_tool xpd_tool_graph_proto = {
    .route = "/api/v1/graph/proto",
    .title = "A program's HloProto, as bytes, as protobuf text or as JSON.",
    .needs = XPD_NEEDS_MODULE,
    .streams = true,
    .params = params,
    .run = run};
