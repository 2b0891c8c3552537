/* What every match of a regular expression holds: the plain stretches of its outermost sequence.
 *
 * In: an extended regular expression that has been compiled. Out: stretches, in small letters. What
 * is not understood ends a stretch, and an alternative outside all brackets means nothing is sure,
 * so a part that is told is always right; brackets are skipped whole. */
#include "xprofd/match/match.h"

#include <string.h>

struct reader {
    struct xpd_str pattern;
    size_t at;
    char *room;
    size_t used, start; /* the stretch being read is room[start .. used) */
    struct xpd_str part[XPD_MATCH_PARTS];
    uint32_t count;
};

static void end_part(struct reader *r)
{
    struct xpd_str part = {r->room + r->start, r->used - r->start};
    r->start = r->used;
    if (part.size == 0)
        return;
    uint32_t at = r->count < XPD_MATCH_PARTS ? r->count++ : XPD_MATCH_PARTS;
    for (; at > 0 && r->part[at - 1].size < part.size; at--)
        if (at < XPD_MATCH_PARTS)
            r->part[at] = r->part[at - 1];
    if (at < XPD_MATCH_PARTS)
        r->part[at] = part;
}

/* A ] that comes first, and [: :] inside, belong to the set. */
size_t xpd_match_skip_set(struct xpd_str pattern, size_t at)
{
    const char *text = pattern.data;
    size_t size = pattern.size;
    at++;
    if (at < size && text[at] == '^')
        at++;
    if (at < size && text[at] == ']')
        at++;
    while (at < size && text[at] != ']') {
        char kind = text[at] == '[' && at + 1 < size ? text[at + 1] : 0;
        at++;
        if (kind == ':' || kind == '.' || kind == '=') {
            for (at++; at + 1 < size && !(text[at] == kind && text[at + 1] == ']'); at++)
                ;
            at += 2;
        }
    }
    return at + 1;
}

static void skip_group(struct reader *r)
{
    uint32_t depth = 0;
    do {
        char c = r->pattern.data[r->at];
        if (c == '[') {
            r->at = xpd_match_skip_set(r->pattern, r->at);
            continue;
        }
        depth += c == '(';
        depth -= c == ')';
        r->at += c == '\\' ? 2 : 1;
    } while (depth > 0 && r->at < r->pattern.size);
}

/* A repetition at `at`: whether what stands before it may be missing. */
static bool may_be_none(const struct reader *r)
{
    char c = r->pattern.data[r->at];
    return c == '*' || c == '?' || c == '{';
}

static bool is_repetition(const struct reader *r)
{
    return r->at < r->pattern.size && strchr("*?+{", r->pattern.data[r->at]) &&
           r->pattern.data[r->at] != '\0';
}

static void take(struct reader *r, char c)
{
    r->room[r->used++] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
    if (!is_repetition(r))
        return;
    if (may_be_none(r))
        r->used--;
    end_part(r);
    r->start = r->used;
}

/* False: nothing is sure. */
static bool step(struct reader *r)
{
    char c = r->pattern.data[r->at];
    bool escaped = c == '\\' && r->at + 1 < r->pattern.size;
    if (escaped)
        c = r->pattern.data[r->at + 1];
    bool plain = escaped ? c > ' ' && c < 0x7f && strchr(".[]{}()*+?^$|/-\\", c) != NULL
                         : c >= ' ' && c < 0x7f && strchr("^$.[]{}()*+?|\\", c) == NULL;
    if (!escaped && c == '|')
        return false;
    if (plain) {
        r->at += escaped ? 2 : 1;
        take(r, c);
        return true;
    }
    end_part(r);
    if (!escaped && c == '[') {
        r->at = xpd_match_skip_set(r->pattern, r->at);
    } else if (!escaped && c == '(') {
        skip_group(r);
    } else if (!escaped && c == '{') { /* a count */
        while (r->at < r->pattern.size && r->pattern.data[r->at] != '}')
            r->at++;
        r->at++;
    } else {
        r->at += escaped ? 2 : 1;
    }
    return true;
}

uint32_t xpd_match_parts(const struct xpd_match *match, char room[XPD_MATCH_PATTERN_MAX],
                         struct xpd_str part[XPD_MATCH_PARTS])
{
    struct reader r = {.pattern = match->text, .room = room};
    if (!match->is_regex)
        return 0;
    while (r.at < r.pattern.size)
        if (!step(&r))
            return 0;
    end_part(&r);
    memcpy(part, r.part, sizeof r.part);
    return r.count;
}
