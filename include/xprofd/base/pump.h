/* Turns push into pull: a writer runs in its own thread and waits until its output is read.
 * For answers that are sent while callback code, which cannot stop in the middle, makes
 * them. */
#ifndef XPROFD_BASE_PUMP_H
#define XPROFD_BASE_PUMP_H

#include "xprofd/base/error.h"
#include "xprofd/base/strbuf.h"

#define XPD_PUMP_BYTES ((size_t)1 << 20) /* maximum written ahead, plus one piece */

struct xpd_pump;
/* Writes the whole stream through xpd_pump_push. Its return code ends the stream. */
typedef int (*xpd_pump_writer)(void *self, struct xpd_pump *pump, struct xpd_err *err);

/* Starts a thread that runs `writer`. XPD_ENOMEM, also if no thread can be started. Free with
 * xpd_pump_close. */
int xpd_pump_start(struct xpd_pump **out, xpd_pump_writer writer, void *self, struct xpd_err *err);
/* Passes on the contents of `piece` and empties it. False: the reader has closed, stop writing. */
bool xpd_pump_push(struct xpd_pump *pump, struct xpd_strbuf *piece);
/* Waits for the next piece and appends it. XPD_OK with nothing appended: end of the stream.
 * Otherwise the writer's code, or XPD_ENOMEM. */
int xpd_pump_next(struct xpd_pump *pump, struct xpd_strbuf *out, struct xpd_err *err);
/* Tells the writer to stop and waits for it. NULL is legal. */
void xpd_pump_close(struct xpd_pump *pump);

#endif
