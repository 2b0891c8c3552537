/* Where a long text goes while it is written, so that memory does not grow with it. */
#ifndef XPROFD_HLO_SINK_H
#define XPROFD_HLO_SINK_H

#include "xprofd/base/strbuf.h"

#define XPD_HLO_PIECE_BYTES 65536 /* handed over from this size on */

/* Takes the contents of `piece` and empties it; false: the reader is gone, stop. */
struct xpd_hlo_sink {
    bool (*push)(void *self, struct xpd_strbuf *piece);
    void *self;
};

/* Between two pieces of text: hands over what there is when it is enough. NULL: nothing is handed
 * over. False: write no more. */
static inline bool xpd_hlo_sink_goes_on(const struct xpd_hlo_sink *sink, struct xpd_strbuf *piece)
{
    return !sink || piece->size < XPD_HLO_PIECE_BYTES || sink->push(sink->self, piece);
}

#endif
