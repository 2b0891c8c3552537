/* Where operations stand in a hierarchy: what the icicle is made of, and what a box of it narrows a
 * table to. Pure functions of rows (ops.h). */
#ifndef XPROFD_OPS_PATHS_H
#define XPROFD_OPS_PATHS_H

#include "xprofd/ops/ops.h"

#define XPD_OPS_BY_WORDS "program scope source layer group kernel"
enum xpd_ops_by {
    XPD_OPS_BY_PROGRAM, /* program, category */
    XPD_OPS_BY_SCOPE,   /* pass, named scopes */
    XPD_OPS_BY_SOURCE,  /* file, line */
    XPD_OPS_BY_LAYER,   /* "block_*", "block_3", pass, scopes below it */
    XPD_OPS_BY_GROUP,   /* op group, opcode */
    XPD_OPS_BY_KERNEL   /* name of the GPU's kernel; rows do not have it: the path is empty */
};

#define XPD_OPS_PARTS_MAX 64 /* of a path; deeper scopes are left out */

struct xpd_ops_paths { /* of some rows, in one hierarchy; owns its texts */
    const struct xpd_ops_program *program;
    enum xpd_ops_by by;
    bool fixed;    /* `by` was asked for */
    bool programs; /* there are several: each is a part */
    bool passes;   /* some operations are of a pass: it is a part of all */
    const struct xpd_op_row *first;
    struct xpd_strbuf text, flat;
    uint32_t end[XPD_OPS_PARTS_MAX];
    struct xpd_str part[XPD_OPS_PARTS_MAX]; /* of the row asked for last, in `text` */
    uint32_t count;
};
/* `program` as the rows were made of. `by` < 0: scope where some row has one, else program. */
void xpd_ops_paths_init(struct xpd_ops_paths *paths, const struct xpd_ops_program *program, int by);
/* Every row must be looked at before the first path is asked for. */
void xpd_ops_paths_look(struct xpd_ops_paths *paths, const struct xpd_op_row *row);
/* False: there was not enough memory for some text, and the answers are wrong. */
bool xpd_ops_paths_fini(struct xpd_ops_paths *paths);
/* Fills `part` from the top down to what the operation is in. */
void xpd_ops_path_of(struct xpd_ops_paths *paths, const struct xpd_op_row *row);

/* Whether the path is the box, or continues it after a "/". */
bool xpd_ops_is_below(struct xpd_str path, struct xpd_str box);
/* Whether a row is in a box: a path of labels, separated by "/", the last may be the operation. */
bool xpd_ops_path_below(struct xpd_ops_paths *paths, const struct xpd_op_row *row,
                        struct xpd_str box);

#endif
