/* The answer of a tool that streams: read to its end and closed, as the server does. */
#ifndef TESTS_FUZZ_READ_STREAM_H
#define TESTS_FUZZ_READ_STREAM_H

#include "must.h"
#include "xprofd/tools/tool.h"

/* Up to about `most` bytes of it go into result->body; the rest is read and thrown away. */
static inline void xpd_read_stream(struct xpd_tool_result *result, size_t most)
{
    struct xpd_strbuf piece = {0};
    struct xpd_err err = {0};
    do {
        xpd_strbuf_clear(&piece);
        int rc = result->source.next(result->source.self, &piece, &err);
        if (rc != XPD_OK)
            fprintf(stderr, "stream: %s: %s\n", xpd_code_word(rc), err.text);
        MUST(rc == XPD_OK && !piece.failed);
        if (result->body.size < most)
            xpd_strbuf_add(&result->body, piece.data, piece.size);
    } while (piece.size > 0);
    result->source.close(result->source.self);
    xpd_strbuf_fini(&piece);
}

#endif
