/* An answer of trace_viewer@ of any size: at once, or, when it is large, written by a thread while
 * it is sent, so that memory does not grow with it. The same bytes as in one piece; the number of
 * events, which stands in front, was counted before. */
#include "trace_answer.h"

#include <inttypes.h>
#include <stdlib.h>

struct stream {
    struct xpd_arena arena;
    struct xpd_tool_ctx ctx; /* the query, kept */
    struct xpd_store *store;
    const struct xpd_run *run; /* held */
    struct xpd_compat_trace trace;
    struct xpd_trace_answer answer;
    struct xpd_strbuf piece;
    struct xpd_pump *pump;
};

/* The thread: everything it touches is frozen, or its own. */
static int write_all(void *self, struct xpd_pump *pump, struct xpd_err *err)
{
    struct stream *stream = self;
    struct xpd_trace_answer *answer = &stream->answer;
    answer->err = err;
    answer->pump = pump;
    answer->rc = XPD_OK;
    xpd_jsonw_init(&answer->json, &stream->piece);
    int rc = xpd_answer_write(answer);
    if (rc == XPD_OK && answer->frames.failed)
        rc = xpd_no_memory(err, NULL, "for the texts of this answer");
    return rc;
}

static int next_piece(void *self, struct xpd_strbuf *out, struct xpd_err *err)
{
    struct stream *stream = self;
    return xpd_pump_next(stream->pump, out, err);
}

static void close_stream(void *self)
{
    struct stream *stream = self;
    xpd_pump_close(stream->pump);
    xpd_compat_close_trace(&stream->trace);
    xpd_intern_fini(&stream->answer.frames);
    xpd_arena_fini(&stream->answer.arena);
    xpd_arena_fini(&stream->answer.scratch);
    xpd_strbuf_fini(&stream->piece);
    if (stream->run)
        xpd_store_release(stream->store, stream->run);
    xpd_arena_fini(&stream->arena);
    free(stream);
}

static int prepare(struct stream *stream, const struct xpd_tool_ctx *ctx, uint64_t count,
                   struct xpd_err *err)
{
    struct xpd_trace_answer *answer = &stream->answer;
    stream->store = ctx->store;
    xpd_intern_init(&answer->frames, &answer->arena);
    (void)xpd_intern_put(&answer->frames, "", 0);
    int rc = xpd_tool_ctx_keep(&stream->ctx, ctx, &stream->arena, err);
    xpd_store_hold(ctx->store, ctx->run);
    stream->ctx.run = stream->run = ctx->run;
    if (rc == XPD_OK)
        rc = xpd_compat_open_trace(&stream->ctx, false, &stream->trace, err);
    answer->trace = &stream->trace;
    if (rc == XPD_OK)
        rc = xpd_answer_params(answer, err);
    if (rc == XPD_OK)
        rc = xpd_answer_window(answer, err);
    answer->count = count;
    return rc;
}

static int send_stream(const struct xpd_tool_ctx *ctx, uint64_t count, struct xpd_tool_result *out,
                       struct xpd_err *err)
{
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return xpd_no_memory(err, NULL, "for this answer");
    int rc = prepare(stream, ctx, count, err);
    if (rc == XPD_OK)
        rc = xpd_pump_start(&stream->pump, write_all, stream, err);
    if (rc != XPD_OK) {
        close_stream(stream);
        return rc;
    }
    out->source = (struct xpd_body_source){
        .next = next_piece, .close = close_stream, .self = stream, .compress = true};
    return XPD_OK;
}

int xpd_compat_trace_viewer(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                            struct xpd_err *err)
{
    uint64_t too_many = 0;
    int rc = xpd_answer_at_once(ctx, out, &too_many, err);
    if (rc != XPD_OK || too_many == 0)
        return rc;
    if (ctx->may_stream)
        return send_stream(ctx, too_many, out, err);
    return xpd_fail(err, XPD_ELIMIT, "tag", XPD_NO_OFFSET,
                    "this answer has %" PRIu64 " events, too many to be kept", too_many);
}
