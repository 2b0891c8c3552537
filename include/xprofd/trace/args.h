/* Search in the args (stats) of single events, and of the metadata that events share.
 *
 * Stats stay in the file, so this reads the file once from front to back, through a window. The
 * cost is that of the bytes; memory is one bit for each event, and 8 MB meanwhile. An arg is
 * matched as the text "name=value", numbers in decimal as the page shows them; bytes have no text.
 * Links between events (flow, _p, _c and the like) are not args. */
#ifndef XPROFD_TRACE_ARGS_H
#define XPROFD_TRACE_ARGS_H

#include "xprofd/trace/trace.h"

struct xpd_arg_match {
    bool (*matches)(void *ctx, struct xpd_str text);
    void *ctx;
    bool apart;   /* no match spans the "=": name and value may be tested separately */
    bool numbers; /* with `apart`: numbers may match; false saves formatting them */
    bool stopped; /* set by `matches` when it stops: further texts do not match */
};
struct xpd_arg_watch { /* called now and then with the bytes of the file behind; false ends it */
    bool (*go_on)(void *ctx, uint64_t done_bytes);
    void *ctx;
};

struct xpd_arg_hits { /* frozen */
    uint8_t *name;    /* by trace->name: 1 = an arg that all events of this name share matches */
    uint64_t *bit;    /* by event: bit n % 64 of word n / 64 */
    uint32_t name_count;
    uint64_t event_count; /* of the trace */
    uint64_t hit_count;   /* events with a matching arg of their own */
    uint64_t memory_bytes;
    bool stopped; /* more may match */
};
static inline bool xpd_arg_hit(const struct xpd_arg_hits *hits, uint64_t event)
{
    return event < hits->event_count && (hits->bit[event / 64] >> event % 64 & 1);
}
uint64_t xpd_arg_hits_bytes(const struct xpd_trace *trace); /* what the result will take */

/* XPD_EBUSY if the watch ended it, XPD_ECHANGED if the file was replaced. Damaged data is read up
 * to the damage. */
int xpd_args_scan(struct xpd_arg_hits **out, const struct xpd_trace *trace,
                  const struct xpd_arg_match *match, const struct xpd_arg_watch *watch,
                  struct xpd_err *err);
void xpd_arg_hits_free(struct xpd_arg_hits *hits); /* NULL is legal */

#endif
