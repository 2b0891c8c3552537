/* Matching of text against the user's pattern: plain text (a substring, ignoring the case of A to
 * Z) or a regular expression (PCRE2's syntax, ignoring case, with \< \> for word boundaries).
 *
 * A pattern is compiled once and then tried on any number of texts. A struct xpd_match belongs to
 * one thread. A pattern comes from the network, so each text, and all texts together, have limits;
 * a text that reaches one counts as unjudged, and xpd_match_note says so. */
#ifndef XPROFD_MATCH_MATCH_H
#define XPROFD_MATCH_MATCH_H

#include "xprofd/base/str.h"

#define XPD_MATCH_PATTERN_MAX 256    /* bytes of a regular expression */
#define XPD_MATCH_TEXT_MAX    16384  /* bytes of a text that an expression reads */
#define XPD_MATCH_STEPS_MAX   100000 /* of an expression on one text, as PCRE2 counts them */
#define XPD_MATCH_MS_MAX      500    /* of an expression on all texts */
#define XPD_MATCH_NOTE_MAX    256

enum xpd_match_rank { XPD_MATCH_EXACT, XPD_MATCH_PREFIX, XPD_MATCH_PART, XPD_MATCH_NONE };

struct xpd_match_engine;
struct xpd_match {
    struct xpd_str text; /* to look for, borrowed; "" matches everything */
    bool is_regex;
    struct xpd_match_engine *engine;  /* NULL: plain text without a compiler for this processor */
    char problem[XPD_MATCH_NOTE_MAX]; /* why an expression is taken as plain text, or "" */
    uint64_t unjudged;                /* texts not checked to the end; they count as no match */
    bool stopped;                     /* out of time: all further texts are unjudged */
    int64_t spent_ns, allowed_ns;     /* XPD_MATCH_MS_MAX, unless it is raised after the init */
    uint64_t tests;
};

/* /expression/ or plain text. `typed` outlives the match. */
void xpd_match_init(struct xpd_match *match, struct xpd_str typed);
/* The same of an expression without slashes around it. */
void xpd_match_init_regex(struct xpd_match *match, struct xpd_str expression);
void xpd_match_fini(struct xpd_match *match);
/* An expression never matches an empty text, which stands for a missing value. */
enum xpd_match_rank xpd_match_test(struct xpd_match *match, struct xpd_str text);
/* The note for the user: `problem`, or the limit that was reached and the number of texts not
 * checked; "" = none. */
const char *xpd_match_note(const struct xpd_match *match, char room[XPD_MATCH_NOTE_MAX]);
/* Whether a pattern can match text that overlaps a shape index "{1,2}"; if not, a buffer's name
 * matches exactly when its instruction's name does. */
bool xpd_match_in_index(const struct xpd_match *match);

#endif
