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
    .content = "application/octet-stream text/plain application/json",
    .about = "A download, sent while it is written. `pbtxt` is byte by byte XProf's for 89 of 90 "
             "recorded modules (the other has replica groups in a field that XProf 2.24.2 does not "
             "know); `json` is protobuf's JSON with the names of the .proto, bytes as base64, "
             "integers beyond 2^53, `NaN` and infinities as strings. Fields that are not in XLA's "
             "published hlo.proto as of 2026 are left out of `pbtxt` and `json`. What is damaged, "
             "or nested deeper than 64 messages (JSON: about 14), is left out with a note: `# ...` "
             "in text, a member `_note` in JSON.",
    .params = params,
    .run = run};
