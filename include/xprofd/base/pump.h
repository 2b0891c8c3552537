/* Turns a writer that pushes into pieces that are pulled: the writer runs in a thread of its own
 * and waits until its output is read. For answers that are made while they are sent
 * by code that walks, calls back, and cannot stop in the middle. */
#ifndef XPROFD_BASE_PUMP_H
#define XPROFD_BASE_PUMP_H

#include "xprofd/base/error.h"
#include "xprofd/base/strbuf.h"

#define XPD_PUMP_BYTES ((size_t)1 << 20) /* written ahead at most, but for one piece */

struct xpd_pump;
/* Writes the whole stream through xpd_pump_push. The code that it returns ends the stream. */
typedef int (*xpd_pump_writer)(void *self, struct xpd_pump *pump, struct xpd_err *err);

/* Starts a thread that runs `writer`. XPD_ENOMEM, also without a thread. Free with
 * xpd_pump_close. */
int xpd_pump_start(struct xpd_pump **out, xpd_pump_writer writer, void *self, struct xpd_err *err);
/* Passes on the contents of `piece` and empties it. false: the reader is gone, stop writing. */
bool xpd_pump_push(struct xpd_pump *pump, struct xpd_strbuf *piece);
/* Waits for the next piece and appends it. XPD_OK with nothing appended is the end; else the code
 * of the writer, or XPD_ENOMEM. */
int xpd_pump_next(struct xpd_pump *pump, struct xpd_strbuf *out, struct xpd_err *err);
/* Tells the writer to stop and waits for it. NULL is legal. */
void xpd_pump_close(struct xpd_pump *pump);

#endif
