/* What a person typed, asked of millions of args.
 *
 * In: a key (how to compare, then the text). Out: a matcher for the texts "name=value". */
#include "search_args.h"

#include "xprofd/match/match.h"

#include <stdlib.h>

#define REGEX_NS_MAX (INT64_C(60) * 1000000000)

enum { EXACT = 'c', FOLDED = 'i', REGEX = 'r' };

struct asker {
    struct xpd_match match;
    struct xpd_arg_match *told;
    bool exact;
    struct xpd_str text;
};

struct xpd_str xpd_search_key(struct xpd_arena *arena, struct xpd_str text, bool regex, bool folds)
{
    char *key = xpd_arena_bytes(arena, text.size + 2);
    if (!key)
        return XPD_STR("");
    key[0] = (char)(regex ? REGEX : folds ? FOLDED : EXACT);
    if (text.size > 0)
        memcpy(key + 1, text.data, text.size);
    key[text.size + 1] = '\0';
    return (struct xpd_str){key, text.size + 1};
}

static bool matches(void *ctx, struct xpd_str text)
{
    struct asker *asker = ctx;
    if (asker->exact)
        return xpd_str_find(text, asker->text, false) != SIZE_MAX;
    bool hit = xpd_match_test(&asker->match, text) != XPD_MATCH_NONE;
    asker->told->stopped = asker->match.unjudged > 0;
    return hit;
}

/* Of letters that only words have no number is made. */
static bool may_be_number(struct xpd_str text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] == '\0' || !strchr("0123456789+-.eEiInNfFaA", text.data[i]))
            return false;
    return true;
}

int xpd_search_open(struct xpd_str key, struct xpd_arg_match *match, struct xpd_err *err)
{
    struct asker *asker = calloc(1, sizeof *asker);
    if (!asker || key.size < 2) {
        free(asker);
        return xpd_fail(err, XPD_ENOMEM, "q", XPD_NO_OFFSET, "no memory for this search");
    }
    asker->text = (struct xpd_str){key.data + 1, key.size - 1};
    asker->told = match;
    if (key.data[0] == REGEX)
        xpd_match_init_regex(&asker->match, asker->text);
    else
        xpd_match_init(&asker->match, asker->text);
    asker->match.allowed_ns = REGEX_NS_MAX;
    bool plain = !asker->match.is_regex;
    asker->exact = plain && key.data[0] == EXACT;
    *match =
        (struct xpd_arg_match){.matches = matches,
                               .ctx = asker,
                               .apart = plain && !memchr(asker->text.data, '=', asker->text.size),
                               .numbers = may_be_number(asker->text)};
    return XPD_OK;
}

void xpd_search_close(struct xpd_arg_match *match)
{
    struct asker *asker = match->ctx;
    xpd_match_fini(&asker->match);
    free(asker);
}
