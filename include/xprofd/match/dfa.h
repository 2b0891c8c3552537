/* Regular expressions as automata: each byte of a text is one look-up. The states are made when a
 * text first needs them.
 *
 * What the GNU C library's POSIX extended expressions find, letters of either case taken as one, in
 * the C locale, \w \W \s \S \b \B \< \> as there; and \d, \D: a digit, none, which they do not
 * know. An expression whose meaning there is not plain (other escaped letters, repeated anchors,
 * empty alternatives, ...) has no automaton, and the caller asks the library. */
#ifndef XPROFD_MATCH_DFA_H
#define XPROFD_MATCH_DFA_H

#include "xprofd/base/arena.h"
#include "xprofd/base/str.h"

#define XPD_DFA_NODES_MAX  512
#define XPD_DFA_STATES_MAX 512
#define XPD_DFA_TEXT_MAX   1024
/* The state that a match leads to and that no byte leaves; the others are below it. */
#define XPD_DFA_MATCHED XPD_DFA_STATES_MAX

struct xpd_dfa;

/* NULL: not understood, too large (XPD_DFA_NODES_MAX), or no memory. */
struct xpd_dfa *xpd_dfa_new(struct xpd_str pattern);
void xpd_dfa_free(struct xpd_dfa *dfa);

enum xpd_dfa_answer { XPD_DFA_NO, XPD_DFA_YES, XPD_DFA_TOO_MANY /* states: ask the library */ };
/* Whether the text, which ends before its first zero byte, holds a match. */
enum xpd_dfa_answer xpd_dfa_test(struct xpd_dfa *dfa, struct xpd_str text);

/* How many states there are by now but XPD_DFA_MATCHED. */
uint32_t xpd_dfa_states(const struct xpd_dfa *dfa);
/* The same of a text whose beginning led to `state`, which xpd_dfa_tree wrote. */
enum xpd_dfa_answer xpd_dfa_go_on(struct xpd_dfa *dfa, uint16_t state, struct xpd_str text);

/* All proper beginnings of some texts, which hold no zero byte and are at most XPD_DFA_TEXT_MAX
 * long: node 0 is the empty one, every other one a byte longer than its parent, which comes before
 * it. */
struct xpd_text_tree {
    const uint32_t *parent;
    const uint8_t *byte; /* the last one */
    uint32_t count;      /* of nodes */
    /* By text: the node of all but its last byte, and that byte; 0 = there is no text. */
    const uint32_t *stem;
    const uint8_t *last;
    uint32_t text_count;
};
/* By text: state[]. False: too many states, or no memory, and what was written means nothing. */
bool xpd_dfa_tree(struct xpd_dfa *dfa, const struct xpd_text_tree *tree, struct xpd_arena *arena,
                  uint16_t *state);
#define XPD_DFA_NO_TEXT (XPD_DFA_MATCHED + 1) /* the state of a text that is not there */
#define XPD_DFA_ENDS    (XPD_DFA_NO_TEXT + 1)
/* By state, XPD_DFA_ENDS of them: 1 when a text that ends in it holds a match. */
const uint8_t *xpd_dfa_ends(const struct xpd_dfa *dfa);

/* The same of texts that are made of parts, which many of them share. A node's text is its parent's
 * and one part more; parts hold no zero byte. */
struct xpd_part_tree {
    const uint32_t *parent, *part;
    uint32_t count;             /* of nodes */
    const struct xpd_str *text; /* of parts */
    uint32_t part_count;
};
/* By node: found[], 1 when its text holds a match. False: too many states, or no memory. */
bool xpd_dfa_parts(struct xpd_dfa *dfa, const struct xpd_part_tree *tree, struct xpd_arena *arena,
                   uint8_t *found);

#endif
