/* A whole program written out, in one piece or by a thread while it is sent.
 *
 * In: a module of a run. Out: a body or a source. The thread has the run held, the bytes and a
 * printer of its own; everything else it reads is frozen. */
#include "xprofd/tools/program_text.h"

#include "../common/common.h"
#include "xprofd/base/pump.h"
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
    if (ctx->may_stream)
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
