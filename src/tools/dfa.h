/* Regular expressions as automata: each byte of a text is one look-up. The states are made when a
 * text first needs them.
 *
 * What the C library's POSIX extended expressions find, letters of either case taken as one, in the
 * C locale; an expression whose meaning there is not plain (escaped letters, repeated anchors,
 * empty alternatives, ...) has no automaton, and the caller asks the library. */
#ifndef XPROFD_SRC_TOOLS_DFA_H
#define XPROFD_SRC_TOOLS_DFA_H

#include "xprofd/base/str.h"

#define XPD_DFA_NODES_MAX  512
#define XPD_DFA_STATES_MAX 512
#define XPD_DFA_TEXT_MAX   1024

struct xpd_dfa;

/* NULL: not understood, too large (XPD_DFA_NODES_MAX), or no memory. */
struct xpd_dfa *xpd_dfa_new(struct xpd_str pattern);
void xpd_dfa_free(struct xpd_dfa *dfa);

enum xpd_dfa_answer { XPD_DFA_NO, XPD_DFA_YES, XPD_DFA_TOO_MANY /* states: ask the library */ };
/* Whether the text, which ends before its first zero byte, holds a match. */
enum xpd_dfa_answer xpd_dfa_test(struct xpd_dfa *dfa, struct xpd_str text);
/* The same of a text whose beginning led to `state`, which xpd_dfa_each wrote. */
enum xpd_dfa_answer xpd_dfa_go_on(struct xpd_dfa *dfa, uint16_t state, struct xpd_str text);

enum xpd_dfa_found {
    XPD_DFA_NOWHERE,
    XPD_DFA_INSIDE, /* whatever may stand behind the text */
    XPD_DFA_AT_END  /* because it ends there */
};
/* Writes enum xpd_dfa_found for texts 0 .. count-1, of which each ends with a zero byte, has no
 * other and is at most XPD_DFA_TEXT_MAX long; left[]: the state before that byte, unless it is
 * XPD_DFA_INSIDE. start[count] is the end of all. False: too many states or no memory, and what was
 * written means nothing. */
bool xpd_dfa_each(struct xpd_dfa *dfa, const char *text, const uint32_t *start, uint32_t count,
                  uint8_t *found, uint16_t *left);
/* By state: whether a match can follow when only these bytes do. */
void xpd_dfa_can_match(struct xpd_dfa *dfa, struct xpd_str bytes, uint8_t can[XPD_DFA_STATES_MAX]);

#endif
