/* Between the reader of an expression (dfa_parse.c, dfa_sets.c), the automaton (dfa.c) and its use
 * on many texts (dfa_tree.c). */
#ifndef XPROFD_SRC_MATCH_DFA_INTERNAL_H
#define XPROFD_SRC_MATCH_DFA_INTERNAL_H

#include "xprofd/match/dfa.h"

enum xpd_nfa_kind {
    XPD_NFA_STEP,
    XPD_NFA_BYTES,
    XPD_NFA_BEGIN,
    XPD_NFA_END,
    XPD_NFA_WORD_BEGIN, /* these four: by the bytes on both sides, \< \> \b \B */
    XPD_NFA_WORD_END,
    XPD_NFA_WORD_EDGE,
    XPD_NFA_NO_WORD_EDGE,
    XPD_NFA_ACCEPT
};

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
    bool has_edges; /* of words; \w is then one of the sets */
};

/* False: not understood. The pattern has been compiled by the library before, so it is valid. */
bool xpd_nfa_parse(struct xpd_nfa *nfa, struct xpd_str pattern);

/* Sets hold small letters only; a text's are made small before the look-up. */
void xpd_nfa_put(uint64_t set[4], char c);
/* What stands behind a backslash: \w \W \s \S \d \D, or a sign that stands for itself. False: not
 * understood. */
bool xpd_nfa_put_escape(char c, uint64_t set[4]);
/* A [bracket expression] at *at, which is moved behind it. False: not understood. */
bool xpd_nfa_bracket(const char *text, uint32_t size, uint32_t *at, uint64_t set[4]);
bool xpd_nfa_is_word(uint8_t byte);

#define XPD_DFA_WORDS (XPD_DFA_NODES_MAX / 64)

/* What stands in the table when it is not a state. */
#define XPD_DFA_SPECIAL UINT16_C(0x8000)
#define XPD_DFA_UNKNOWN UINT16_C(0xffff)
#define XPD_DFA_FULL    UINT16_C(0xfffe)

struct xpd_dfa_state {
    uint64_t at[XPD_DFA_WORDS]; /* nodes that read a byte, or wait to know it */
    uint64_t after_word;        /* 1: the last byte was one of a word, and the nodes may ask */
};

struct xpd_dfa {
    struct xpd_nfa nfa;
    uint8_t class_of[256]; /* bytes that nothing in the expression tells apart; 0 = the zero byte */
    uint8_t byte_of[256];  /* one of each class */
    uint32_t classes;
    struct xpd_dfa_state state[XPD_DFA_STATES_MAX]; /* the first one begins a text */
    uint32_t state_count;
    uint16_t
        *next; /* by state and byte, 256 for each state; what a zero byte leads to is not known */
    uint8_t ends[XPD_DFA_ENDS]; /* by state: a match, if the text ends there */
    uint16_t stack[2 * XPD_DFA_NODES_MAX + 2];
};

/* The first state: number 0, unless the expression matches any text, or XPD_DFA_FULL. */
uint16_t xpd_dfa_first(struct xpd_dfa *dfa);
/* What follows when the table does not know yet. */
uint16_t xpd_dfa_find_out(struct xpd_dfa *dfa, uint16_t state, uint8_t byte);

static inline uint16_t xpd_dfa_next(struct xpd_dfa *dfa, uint16_t state, uint8_t byte)
{
    uint16_t next = dfa->next[(size_t)state * 256 + byte];
    return next == XPD_DFA_UNKNOWN ? xpd_dfa_find_out(dfa, state, byte) : next;
}

#endif
