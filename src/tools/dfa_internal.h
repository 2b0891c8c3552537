/* Between the reader of an expression (dfa_parse.c) and the automaton (dfa.c). */
#ifndef XPROFD_SRC_TOOLS_DFA_INTERNAL_H
#define XPROFD_SRC_TOOLS_DFA_INTERNAL_H

#include "dfa.h"

enum xpd_nfa_kind { XPD_NFA_STEP, XPD_NFA_BYTES, XPD_NFA_BEGIN, XPD_NFA_END, XPD_NFA_ACCEPT };

#define XPD_NFA_NONE UINT16_MAX
struct xpd_nfa_node {
    enum xpd_nfa_kind kind;
    uint16_t out, other; /* XPD_NFA_NONE: nowhere; `other` only of steps, which read nothing */
    uint16_t set;        /* of XPD_NFA_BYTES */
};

struct xpd_nfa {
    struct xpd_nfa_node node[XPD_DFA_NODES_MAX];
    uint32_t node_count;
    uint64_t set[256][4]; /* bytes that fit, in small letters; a pattern has at most 256 bytes */
    uint32_t set_count;
    uint16_t start;
};

/* False: not understood. The pattern has been compiled by the library before, so it is valid. */
bool xpd_nfa_parse(struct xpd_nfa *nfa, struct xpd_str pattern);

#endif
