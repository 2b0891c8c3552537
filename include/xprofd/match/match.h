/* Text against what a user typed: plain text (part of it, letters of either case) or /regular
 * expression/ (POSIX extended; \d, \w, \s, \D, \W, \S are classes, \b, \B, \<, \> edges of words).
 */
#ifndef XPROFD_MATCH_MATCH_H
#define XPROFD_MATCH_MATCH_H

#include "xprofd/match/dfa.h"

#include <regex.h>

#define XPD_MATCH_PATTERN_MAX 256  /* bytes of a pattern */
#define XPD_MATCH_TEXT_MAX    1024 /* bytes of a text that are looked at */
#define XPD_MATCH_PARTS       4    /* of a regular expression that are looked for first */
#define XPD_MATCH_MS_MAX      500  /* a regular expression may take this long over all texts */

enum xpd_match_rank { XPD_MATCH_EXACT, XPD_MATCH_PREFIX, XPD_MATCH_PART, XPD_MATCH_NONE };

struct xpd_match {
    struct xpd_str text;                /* to look for; "" matches everything */
    char folded[XPD_MATCH_PATTERN_MAX]; /* plain text of that size or less, in small letters */
    bool is_regex;
    regex_t regex;
    struct xpd_dfa *dfa; /* of the regular expression, NULL: the library alone can tell; of plain
                            text once xpd_match_dfa was asked */
    char part_room[XPD_MATCH_PATTERN_MAX]; /* parts a text must hold before the library is asked */
    struct xpd_str part[XPD_MATCH_PARTS];
    uint32_t part_count;
    char problem[160];            /* why the pattern is taken as plain text, or "" */
    bool stopped;                 /* ran out of time: what follows does not match */
    int64_t spent_ns, allowed_ns; /* XPD_MATCH_MS_MAX, unless it is raised after the init */
};

void xpd_match_init(struct xpd_match *match, struct xpd_str typed);
/* The automaton, of plain text too; NULL when there is none. */
struct xpd_dfa *xpd_match_dfa(struct xpd_match *match);
void xpd_match_fini(struct xpd_match *match);
enum xpd_match_rank xpd_match_test(struct xpd_match *match, struct xpd_str text);
/* Whether a plain pattern can lie in a shape index "{1,2}" or reach into one; if not, a buffer's
 * name matches where its instruction's does. */
bool xpd_match_in_index(const struct xpd_match *match);
/* Texts in small letters that any match of the regular expression holds (letters of either case),
 * longest first; written into `room`, which is as long as the pattern. Returns how many, 0 = none
 * are known. */
uint32_t xpd_match_parts(const struct xpd_match *match, char room[XPD_MATCH_PATTERN_MAX],
                         struct xpd_str part[XPD_MATCH_PARTS]);

/* Where the [bracket expression] that begins at `at` ends (one behind; beyond the text when it is
 * not closed). */
size_t xpd_match_skip_set(struct xpd_str pattern, size_t at);

#endif
