/* Filter expressions, one grammar for every table.
 *
 * Terms separated by blanks must all hold. `|` separates alternatives. `-` before a term negates.
 *  - text, "text with blanks" or /regular expression/ is found in any text of a row;
 *  - key:text, key:"..." or key:/regular expression/ in that text; the key defines `:`;
 *  - key<number, also <=, >, >=, =; the number has a unit: 10us, 1%, 3MiB, 2T.
 * The caller defines the keys. Invalid input is XPD_EINVAL with the position in the message. */
#ifndef XPROFD_MATCH_FILTER_H
#define XPROFD_MATCH_FILTER_H

#include "xprofd/base/arena.h"
#include "xprofd/base/error.h"
#include "xprofd/match/match.h"

#define XPD_FILTER_TERMS_MAX 64

enum xpd_filter_unit { /* of a number */
                       XPD_UNIT_NONE,
                       XPD_UNIT_TIME,  /* ps, ns, us, ms, s: the number is in ps */
                       XPD_UNIT_SHARE, /* %: the number is a share of 1 */
                       XPD_UNIT_BYTES, /* B, KiB, MiB, GiB */
                       XPD_UNIT_COUNT  /* K, M, G, T: multiplies of 1000 */
};
struct xpd_filter_key {
    const char *name;
    bool is_text;
    enum xpd_filter_unit unit;  /* of a number: what it is in when none is typed */
    enum xpd_filter_unit other; /* that may be typed, too; NONE = no other */
};
enum xpd_filter_compare {
    XPD_FILTER_TEXT,
    XPD_FILTER_LESS,
    XPD_FILTER_LESS_EQUAL,
    XPD_FILTER_MORE,
    XPD_FILTER_MORE_EQUAL,
    XPD_FILTER_EQUAL
};
struct xpd_filter_term {
    bool is_not, begins; /* begins: the first of an alternative */
    uint32_t key;        /* of those given; their count = none was named */
    enum xpd_filter_compare compare;
    struct xpd_str text;     /* without quotes; of an expression with its slashes */
    struct xpd_match *match; /* of a text */
    double number;
    enum xpd_filter_unit unit;
};
struct xpd_filter {
    struct xpd_filter_term *term;
    uint32_t count; /* 0: everything passes */
};

int xpd_filter_parse(struct xpd_filter *out, struct xpd_arena *arena, struct xpd_str text,
                     const struct xpd_filter_key *key, uint32_t key_count, struct xpd_err *err);
void xpd_filter_fini(struct xpd_filter *filter);
/* Whether a row passes; `holds` says whether one term does, ignoring its `is_not`. */
bool xpd_filter_test(const struct xpd_filter *filter,
                     bool (*holds)(const struct xpd_filter_term *term, void *self), void *self);
/* Tests a known number. */
bool xpd_filter_compares(const struct xpd_filter_term *term, double number);
/* What was not checked because of limits, as xpd_match_note; "" = nothing. */
const char *xpd_filter_note(const struct xpd_filter *filter, char room[XPD_MATCH_NOTE_MAX]);

#endif
