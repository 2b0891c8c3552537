/* When the operations of a line work, as XProf 2.24.2 has it: each instant counts for the innermost
 * operation, whose category may be one that waits. Checked with what it answers of made profiles.
 * Private to this folder. */
#ifndef XPROFD_COMPAT_OPSTATS_BUSY_H
#define XPROFD_COMPAT_OPSTATS_BUSY_H

#include "step_events.h"

struct xpd_busy_op {
    struct xpd_xprof_step_span span;
    bool sparse;   /* on a SparseCore */
    bool nameless; /* without a category */
    bool waits;    /* by its category: xpd_busy_waits() */
    bool sure;     /* for the caller */
    uint8_t kind;  /* for the caller */
};
struct xpd_busy_open { /* an operation that others may be inside of */
    struct xpd_busy_op op;
    bool holds_work;                         /* one directly inside of it works */
    uint64_t from_ps;                        /* where its own time goes on */
    XPD_VEC(struct xpd_xprof_step_span) own; /* before that, where it is not told yet if it works */
};
struct xpd_busy {
    void (*take)(void *user, const struct xpd_busy_op *op, struct xpd_xprof_step_span own);
    void *user;
    XPD_VEC(struct xpd_busy_open) open;
    bool failed;
};

/* Waits for the host, for the other core, or for parallel work. */
bool xpd_busy_waits(struct xpd_str category);
/* The next operation in the order of the file. `take` gets what no operation inside of it has,
 * piece by piece; where operations of a line nest and follow each other, in order of time. */
void xpd_busy_add(struct xpd_busy *work, const struct xpd_busy_op *op);
/* The line ends: all that is open does. */
void xpd_busy_end(struct xpd_busy *work);
void xpd_busy_fini(struct xpd_busy *work);

#endif
