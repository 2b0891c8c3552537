/* Search of instructions by name, opcode, op_name, source or shape. Each distinct text of the
 * module is checked once, however many instructions have it. */
#ifndef XPROFD_GRAPH_SEARCH_H
#define XPROFD_GRAPH_SEARCH_H

#include "xprofd/graph/index.h"

enum xpd_search_fields {
    XPD_FIND_NAME = 1,
    XPD_FIND_OPCODE = 2,
    XPD_FIND_OP_NAME = 4,
    XPD_FIND_SOURCE = 8, /* "file:line" */
    XPD_FIND_SHAPE = 16, /* without layout */
    XPD_FIND_ALL = 31
};

struct xpd_found {
    uint32_t total;        /* that match */
    uint32_t count;        /* of instruction[] */
    uint32_t *instruction; /* in the order of the text; instructions not in the text come last */
};

/* The matches from number `after` on, at most `most`. XPD_ENOMEM. */
int xpd_graph_search(struct xpd_found *found, struct xpd_arena *arena,
                     const struct xpd_graph_index *index, uint32_t fields, uint32_t after,
                     uint32_t most, bool (*match)(void *self, struct xpd_str text), void *self,
                     struct xpd_err *err);

#endif
