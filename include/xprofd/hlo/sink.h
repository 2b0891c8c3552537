/* A sink for long texts, so that memory does not grow with the text. */
#ifndef XPROFD_HLO_SINK_H
#define XPROFD_HLO_SINK_H

#include "xprofd/base/strbuf.h"

#define XPD_HLO_PIECE_BYTES 65536 /* handed over from this size on */

/* Takes the contents of `piece` and empties it; false: the reader has closed, stop. */
struct xpd_hlo_sink {
    bool (*push)(void *self, struct xpd_strbuf *piece);
    void *self;
};

/* To be called between two pieces of text: passes on the buffer once it is large enough. NULL: does
 * nothing. False: stop writing. */
static inline bool xpd_hlo_sink_goes_on(const struct xpd_hlo_sink *sink, struct xpd_strbuf *piece)
{
    return !sink || piece->size < XPD_HLO_PIECE_BYTES || sink->push(sink->self, piece);
}

#endif
