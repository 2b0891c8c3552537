/* Live bytes over the program as a picture of text: two rows of block characters, 64 columns. */
#ifndef XPROFD_SRC_TOOLS_MEMORY_CURVE_TEXT_H
#define XPROFD_SRC_TOOLS_MEMORY_CURVE_TEXT_H

#include "../common/common.h"

#define XPD_CURVE_COLUMNS 64

/* One curve each on one scale, from 0 to the higher of the two peaks (arguments included), each
 * over its own program from first to last step; the peaks are marked. Nothing for spaces without
 * steps. `ascii`: without block characters. */
void xpd_curves_text(struct xpd_strbuf *out, const struct xpd_mem_space *const space[2],
                     const char *const name[2], int64_t page_bytes, bool ascii);

#endif
