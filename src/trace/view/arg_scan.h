/* Between the walk over the file (arg_scan.c) and what is said of one arg (arg_text.c). */
#ifndef XPD_TRACE_ARG_SCAN_H
#define XPD_TRACE_ARG_SCAN_H

#include "xprofd/trace/args.h"

enum { XPD_ARG_DENSE = 1024, XPD_ARG_MEMO = 4096 };

struct xpd_arg_plane { /* of the plane in work; by stat of its table, 0 = not asked yet */
    const struct xpd_plane_tables *tables;
    uint8_t *name_says;            /* enum in arg_text.c */
    uint8_t *ref_says;             /* the text a ref stands for, when it may be asked by itself */
    uint32_t dense[XPD_ARG_DENSE]; /* stat of the ids below; XPD_NO_INDEX = none */
};
struct xpd_arg_asker {
    const struct xpd_trace *trace;
    const struct xpd_arg_match *match;
    struct xpd_arg_plane plane;
    char *text; /* "name=value" */
    size_t text_capacity;
    bool no_memory;
    struct { /* numbers come again and again */
        uint64_t key, value;
        bool hit, used;
    } memo[XPD_ARG_MEMO];
};
/* Of the plane that is read next; false: no memory. */
bool xpd_arg_plane_begin(struct xpd_arg_asker *asker, const struct xpd_plane_tables *tables);
void xpd_arg_asker_fini(struct xpd_arg_asker *asker);
/* Whether one XStat matches. */
bool xpd_arg_stat_hits(struct xpd_arg_asker *asker, const uint8_t *bytes, size_t size);

#endif
