/* A whole program written out, in one piece or by a thread while it is sent.
 *
 * In: a module of a run. Out: a body or a source. The thread has the run held, the bytes and a
 * printer of its own; everything else it reads is frozen. */
#include "xprofd/tools/program_text.h"
#include "../common/common.h"
#include "../common/tools.h"
#include "../tables/graph_common.h"
#include "xprofd/base/pump.h"
#include "xprofd/hlo/kernel.h"
#include "xprofd/hlo/print.h"
#include "xprofd/hlo/proto_text.h"
#include <stdlib.h>

struct writing {
    struct xpd_store *store;
    const struct xpd_run *run; /* held, or NULL when the caller holds it */
    enum xpd_program_form form;
    uint32_t flags;
    struct xpd_proto_bytes proto;
    struct xpd_hlo_printer *printer; /* of XPD_PROGRAM_HLO */
    struct xpd_strbuf piece;
    struct xpd_pump *pump;
};

static int open_module(struct writing *w, const struct xpd_run *run, uint32_t module,
                       struct xpd_err *err)
{
    const struct xpd_hlo *hlo = NULL;
    int rc = XPD_OK;
    if (w->form == XPD_PROGRAM_HLO)
        rc = xpd_store_module(w->store, run, module, &hlo, NULL, err);
    if (rc == XPD_OK)
        rc = xpd_store_module_bytes(w->store, run, module, &w->proto, err);
    if (rc == XPD_OK && hlo)
        rc = xpd_hlo_printer_new(&w->printer, hlo, w->proto.at, w->proto.size, err);
    return rc;
}

static void close_module(struct writing *w)
{
    xpd_hlo_printer_free(w->printer);
    xpd_proto_bytes_free(&w->proto);
    xpd_strbuf_fini(&w->piece);
    if (w->run)
        xpd_store_release(w->store, w->run);
}

static void write_bytes(const struct writing *w, struct xpd_strbuf *out,
                        const struct xpd_hlo_sink *sink)
{
    for (size_t at = 0; at < w->proto.size;) {
        size_t left = w->proto.size - at,
               n = left < XPD_HLO_PIECE_BYTES ? left : XPD_HLO_PIECE_BYTES;
        xpd_strbuf_add(out, w->proto.at + at, n);
        if (out->failed || !xpd_hlo_sink_goes_on(sink, out))
            return;
        at += n;
    }
}

static int write_all(struct writing *w, struct xpd_strbuf *out, const struct xpd_hlo_sink *sink,
                     struct xpd_err *err)
{
    switch (w->form) {
    case XPD_PROGRAM_HLO: xpd_hlo_print_module(w->printer, w->flags, out, sink); break;
    case XPD_PROGRAM_PB: write_bytes(w, out, sink); break;
    case XPD_PROGRAM_PBTXT:
        return xpd_hlo_proto_text(XPD_PROTO_TEXT, w->proto.at, w->proto.size, out, sink, err);
    case XPD_PROGRAM_JSON:
        return xpd_hlo_proto_text(XPD_PROTO_JSON, w->proto.at, w->proto.size, out, sink, err);
    }
    return XPD_OK;
}

/* ---- while it is sent ---- */

static bool push(void *self, struct xpd_strbuf *piece)
{
    return xpd_pump_push(self, piece);
}

static int write_stream(void *self, struct xpd_pump *pump, struct xpd_err *err)
{
    struct writing *w = self;
    struct xpd_hlo_sink sink = {push, pump};
    int rc = write_all(w, &w->piece, &sink, err);
    if (rc == XPD_OK && w->piece.failed)
        rc = xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        (void)xpd_pump_push(pump, &w->piece);
    return rc;
}

static int next_piece(void *self, struct xpd_strbuf *out, struct xpd_err *err)
{
    struct writing *w = self;
    return xpd_pump_next(w->pump, out, err);
}

static void close_stream(void *self)
{
    struct writing *w = self;
    xpd_pump_close(w->pump);
    close_module(w);
    free(w);
}

static int open_stream(const struct xpd_tool_ctx *ctx, uint32_t module, const struct writing *what,
                       struct xpd_tool_result *out, struct xpd_err *err)
{
    struct writing *w = malloc(sizeof *w);
    if (!w)
        return xpd_tools_no_memory(err);
    *w = *what;
    w->run = ctx->run;
    xpd_store_hold(ctx->store, w->run);
    int rc = open_module(w, w->run, module, err);
    if (rc == XPD_OK)
        rc = xpd_pump_start(&w->pump, write_stream, w, err);
    if (rc != XPD_OK)
        close_stream(w);
    else
        out->source =
            (struct xpd_body_source){.next = next_piece, .close = close_stream, .self = w};
    return rc;
}

int xpd_program_write(const struct xpd_tool_ctx *ctx, uint32_t module, enum xpd_program_form form,
                      uint32_t flags, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct writing w = {.store = ctx->store, .form = form, .flags = flags};
    uint64_t size = ctx->run->module[module].proto_bytes;
    out->type = form == XPD_PROGRAM_JSON ? XPD_BODY_JSON
                : form == XPD_PROGRAM_PB ? XPD_BODY_BYTES
                                         : XPD_BODY_TEXT;
    if (size > XPD_PROGRAM_LARGE_BYTES && ctx->may_stream)
        return open_stream(ctx, module, &w, out, err);
    if (size > XPD_PROGRAM_LARGE_BYTES)
        return xpd_fail(err, XPD_ELIMIT, "module", XPD_NO_OFFSET,
                        "The module's %llu bytes of HLO are too many to be kept as text.",
                        (unsigned long long)size);
    int rc = open_module(&w, ctx->run, module, err);
    if (rc == XPD_OK)
        rc = write_all(&w, &out->body, NULL, err);
    close_module(&w);
    return rc;
}

/* See program_text.h: the body of a custom call that is a kernel of its own. */

int xpd_program_kernel(const struct xpd_tool_ctx *ctx, struct xpd_str config, bool as_bytes,
                       struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_str bytes;
    if (config.size == 0)
        return xpd_fail(err, XPD_ENOTFOUND, "node_name", XPD_NO_OFFSET, "Backend config not found");
    int rc = xpd_kernel_bytes(&bytes, ctx->arena, config, err);
    if (rc != XPD_OK)
        return rc;
    out->type = as_bytes ? XPD_BODY_BYTES : XPD_BODY_TEXT;
    if (!as_bytes)
        return xpd_kernel_text(&out->body, ctx->arena, bytes, err);
    xpd_strbuf_add(&out->body, bytes.data, bytes.size);
    return XPD_OK;
}

/* /api/v1/graph/text: a program's HLO as XLA prints it: the whole module, one computation, or one
 * instruction as an expression with the shapes of its operands. */

static const struct xpd_param_spec params[] = {
    {.name = "format",
     .type = XPD_PARAM_ENUM,
     .words = "short long expression",
     .help = "`short` (default), `long` or `expression`; the variants of XLA's printer"},
    {.name = "metadata",
     .type = XPD_PARAM_INT,
     .max = 1,
     .help = "1: includes op names, source lines and the tables of stack frames"},
    {.name = "config",
     .type = XPD_PARAM_INT,
     .max = 1,
     .fallback = 1,
     .help = "0: leaves out backend_config"},
    {.name = "computation", .type = XPD_PARAM_TEXT, .help = "only this computation"},
    {.name = "instruction", .type = XPD_PARAM_TEXT, .help = "only this computation"},
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
    .run = run,
    XPD_IN_REPORT("", {250, XPD_EACH_MODULE, "format=long&metadata=1", "the text of the program"}),
};

/* /api/v1/graph/proto: a program's HloProto, as bytes, as protobuf text or as JSON. */

static const struct xpd_param_spec proto_params[] = {
    {.name = "format",
     .type = XPD_PARAM_ENUM,
     .words = "pb pbtxt json",
     .help = "`pb` (default): the bytes; `pbtxt`: protobuf's text format; `json`: protobuf's JSON"},
    {0}};

static int run_proto(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                     struct xpd_err *err)
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
    .about = "A download, sent while it is written. `pbtxt` equals XProf's byte by byte for 89 of "
             "90 recorded modules (the other has replica groups in a field that XProf 2.24.2 does "
             "not know). `json` is protobuf's JSON with the names of the .proto; bytes are base64; "
             "integers beyond 2^53, `NaN` and infinities are strings. `pbtxt` and `json` leave out "
             "fields that are not in XLA's published hlo.proto as of 2026, and, with a note, parts "
             "that are damaged or nested deeper than 64 messages (JSON: about 14). The note is `# "
             "...` in text, a member `_note` in JSON.",
    .params = proto_params,
    .run = run_proto};
