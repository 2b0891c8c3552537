/* Matching of names against what a user typed.
 *
 * A pattern comes from the network, so it must not cost more than it is worth: its length, its
 * repetitions, the text it is tried on and the whole time are bounded. In: any bytes. Out: a rank;
 * problems are told, never fatal. */
#include "xprofd/match/match.h"

#include <stdio.h>
#include <time.h>

/* ((a{99}){99}){99} makes a machine of a million states. */
#define REPEATS_MAX 500

static bool unescaped(struct xpd_str text, size_t at)
{
    size_t slashes = 0;
    while (at > slashes && text.data[at - slashes - 1] == '\\')
        slashes++;
    return slashes % 2 == 0;
}

/* How many copies of what it repeats a counted repetition makes: {3} 3, {2,5} 5, {4,} 5. */
static uint64_t copies_of_braces(struct xpd_str text, size_t open)
{
    uint64_t most = 0, number = 0;
    char last = '{';
    for (size_t i = open + 1; i < text.size && text.data[i] != '}'; i++) {
        last = text.data[i];
        if (last < '0' || last > '9') {
            number = 0;
            continue;
        }
        number = number < 100000 ? number * 10 + (uint64_t)(last - '0') : number;
        most = number > most ? number : most;
    }
    return last == ',' ? most + 1 : most;
}

/* Product of all repetitions that copy what they repeat: an upper bound of how much they blow the
 * pattern up. a+ is compiled as aa*, so each further + of a++++ or ((a+)+)+ doubles the pattern. */
static bool repeats_too_much(struct xpd_str text)
{
    uint64_t product = 1;
    for (size_t i = 0; i < text.size; i++) {
        uint64_t copies = 1;
        if (text.data[i] == '{' && unescaped(text, i))
            copies = copies_of_braces(text, i);
        else if (text.data[i] == '+' && i > 0 && strchr(")+*?}", text.data[i - 1]) &&
                 unescaped(text, i - 1))
            copies = 2;
        product *= copies > 1 ? copies : 1;
        if (product > REPEATS_MAX)
            return true;
    }
    return false;
}

/* Some libraries take \1 as a reference back, which makes matching exponential. */
static bool refers_back(struct xpd_str text)
{
    for (size_t i = 1; i < text.size; i++)
        if (text.data[i] >= '0' && text.data[i] <= '9' && !unescaped(text, i))
            return true;
    return false;
}

/* The expression in the library's words, which do not have \d and \D: with a zero byte behind it.
 * Inside brackets a backslash is one byte of the set. */
static void translate(struct xpd_str text, char *out)
{
    for (size_t at = 0; at < text.size;) {
        size_t end = text.data[at] == '[' ? xpd_match_skip_set(text, at) : at + 1;
        bool escape = text.data[at] == '\\' && at + 1 < text.size;
        char c = escape ? text.data[at + 1] : '\0';
        if (c == 'd' || c == 'D') {
            out = stpcpy(out, c == 'd' ? "[0-9]" : "[^0-9]");
            at += 2;
            continue;
        }
        end = escape ? at + 2 : end < text.size ? end : text.size;
        for (; at < end; at++)
            *out++ = text.data[at];
    }
    *out = '\0';
}

static void compile(struct xpd_match *match)
{
    char pattern[XPD_MATCH_PATTERN_MAX / 2 * sizeof "[^0-9]" + 2];
    struct xpd_str text = match->text;
    const char *why = NULL;
    char reason[80];
    if (text.size > XPD_MATCH_PATTERN_MAX)
        why = "is longer than 256 bytes";
    else if (memchr(text.data, '\0', text.size))
        why = "holds a zero byte";
    else if (repeats_too_much(text))
        why = "repeats too much";
    else if (refers_back(text))
        why = "refers back to a group";
    if (!why) {
        translate(text, pattern);
        int rc = regcomp(&match->regex, pattern, REG_EXTENDED | REG_ICASE | REG_NOSUB);
        match->is_regex = rc == 0;
        match->dfa = rc == 0 ? xpd_dfa_new(text) : NULL;
        match->part_count = xpd_match_parts(match, match->part_room, match->part);
        if (rc != 0) {
            regerror(rc, &match->regex, reason, sizeof reason);
            why = reason;
        }
    }
    if (why)
        snprintf(match->problem, sizeof match->problem,
                 "taken as plain text: the regular expression %s%s",
                 why == reason ? "is not valid: " : "", why);
}

static inline char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

void xpd_match_init(struct xpd_match *match, struct xpd_str typed)
{
    memset(match, 0, sizeof *match);
    match->text = typed;
    match->allowed_ns = (int64_t)XPD_MATCH_MS_MAX * 1000000;
    if (typed.size > 2 && typed.data[0] == '/' && typed.data[typed.size - 1] == '/') {
        match->text = (struct xpd_str){typed.data + 1, typed.size - 2};
        compile(match);
    }
    for (size_t i = 0; i < match->text.size && i < sizeof match->folded; i++)
        match->folded[i] = fold(match->text.data[i]);
}

/* Plain text as an expression; NULL when it has bytes that expressions do not read. */
static struct xpd_dfa *dfa_of_plain(struct xpd_str text)
{
    char pattern[2 * XPD_MATCH_PATTERN_MAX];
    size_t size = 0;
    if (text.size > XPD_MATCH_PATTERN_MAX)
        return NULL;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] != '\0' && strchr(".[]{}()*+?^$|\\", text.data[i]))
            pattern[size++] = '\\';
        pattern[size++] = text.data[i];
    }
    return xpd_dfa_new((struct xpd_str){pattern, size});
}

struct xpd_dfa *xpd_match_dfa(struct xpd_match *match)
{
    if (!match->dfa && !match->is_regex)
        match->dfa = dfa_of_plain(match->text);
    return match->dfa;
}

void xpd_match_fini(struct xpd_match *match)
{
    if (match->is_regex)
        regfree(&match->regex);
    xpd_dfa_free(match->dfa);
    match->dfa = NULL;
    match->is_regex = false;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* False: the library has to tell. */
static bool test_dfa(struct xpd_match *match, struct xpd_str text, enum xpd_match_rank *rank)
{
    if (!match->dfa)
        return false;
    enum xpd_dfa_answer answer = xpd_dfa_test(match->dfa, text);
    if (answer == XPD_DFA_TOO_MANY) {
        xpd_dfa_free(match->dfa);
        match->dfa = NULL;
        return false;
    }
    *rank = answer == XPD_DFA_YES ? XPD_MATCH_PART : XPD_MATCH_NONE;
    return true;
}

static bool holds_parts(const struct xpd_match *match, struct xpd_str text)
{
    for (uint32_t i = 0; i < match->part_count; i++)
        if (xpd_str_find(text, match->part[i], true) == SIZE_MAX)
            return false;
    return true;
}

static enum xpd_match_rank test_regex(struct xpd_match *match, struct xpd_str text)
{
    char copy[XPD_MATCH_TEXT_MAX + 1];
    enum xpd_match_rank rank;
    if (match->stopped)
        return XPD_MATCH_NONE;
    size_t size = text.size < XPD_MATCH_TEXT_MAX ? text.size : XPD_MATCH_TEXT_MAX;
    if (test_dfa(match, (struct xpd_str){text.data, size}, &rank))
        return rank;
    if (!holds_parts(match, (struct xpd_str){text.data, size}))
        return XPD_MATCH_NONE;
    memcpy(copy, text.data, size);
    copy[size] = '\0';
    int64_t start = now_ns();
    int rc = regexec(&match->regex, copy, 0, NULL, 0);
    match->spent_ns += now_ns() - start;
    match->stopped = match->spent_ns > match->allowed_ns;
    return rc == 0 ? XPD_MATCH_PART : XPD_MATCH_NONE;
}

/* As xpd_match_in_index, of any plain text. */
static bool text_in_index(struct xpd_str text)
{
    if (text.size > 0 && memchr(text.data, '{', text.size))
        return true;
    for (size_t i = 0; i < text.size; i++)
        if (!strchr("0123456789-,}", text.data[i]) || text.data[i] == '\0')
            return false;
    return true;
}

bool xpd_match_in_index(const struct xpd_match *match)
{
    return match->is_regex || text_in_index(match->text);
}

/* Where the pattern begins in the text, SIZE_MAX = nowhere. Names are short, and most end before
 * the first byte of the pattern is found. */
static size_t find(const struct xpd_match *match, struct xpd_str text)
{
    size_t size = match->text.size;
    if (size > sizeof match->folded)
        return xpd_str_find(text, match->text, true);
    if (size > text.size)
        return SIZE_MAX;
    char first = match->folded[0], last = match->folded[size - 1];
    for (size_t at = 0; at <= text.size - size; at++) {
        const char *here = text.data + at;
        if (fold(here[0]) != first || fold(here[size - 1]) != last)
            continue;
        size_t i = 1;
        while (i < size && fold(here[i]) == match->folded[i])
            i++;
        if (i >= size)
            return at;
    }
    return SIZE_MAX;
}

enum xpd_match_rank xpd_match_test(struct xpd_match *match, struct xpd_str text)
{
    if (match->text.size == 0)
        return XPD_MATCH_PART;
    if (match->is_regex)
        return text.size == 0 ? XPD_MATCH_NONE : test_regex(match, text);
    size_t at = find(match, text);
    if (at == SIZE_MAX)
        return XPD_MATCH_NONE;
    return at > 0                          ? XPD_MATCH_PART
           : text.size == match->text.size ? XPD_MATCH_EXACT
                                           : XPD_MATCH_PREFIX;
}
