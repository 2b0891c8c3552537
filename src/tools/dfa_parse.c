/* Extended regular expressions into a machine of steps (Thompson's construction). In: a valid
 * pattern. Out: nodes. What is repeated by count is read again for each copy. */
#include "dfa_internal.h"

#include <ctype.h>
#include <string.h>

#define DEPTH_MAX   16  /* of brackets */
#define PATTERN_MAX 256 /* bytes */
#define NO_MOST     UINT32_MAX

struct piece { /* from a node to a step whose `out` is still open */
    uint16_t start, end;
};

struct parser {
    struct xpd_nfa *nfa;
    const char *text;
    uint32_t size, at, depth, anchors;
    uint64_t work; /* atoms read, copies too */
    bool failed;
};

static uint8_t folded(char c)
{
    return (uint8_t)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

static bool is_at(const struct parser *p, char c)
{
    return p->at < p->size && p->text[p->at] == c;
}

static uint16_t add(struct parser *p, struct xpd_nfa_node node)
{
    if (p->nfa->node_count == XPD_DFA_NODES_MAX) {
        p->failed = true;
        return 0;
    }
    p->nfa->node[p->nfa->node_count] = node;
    return (uint16_t)p->nfa->node_count++;
}

static uint16_t add_step(struct parser *p, uint16_t out, uint16_t other)
{
    return add(p, (struct xpd_nfa_node){.kind = XPD_NFA_STEP, .out = out, .other = other});
}

static struct piece nothing(struct parser *p)
{
    uint16_t step = add_step(p, XPD_NFA_NONE, XPD_NFA_NONE);
    return (struct piece){step, step};
}

static struct piece one(struct parser *p, enum xpd_nfa_kind kind, uint16_t set)
{
    uint16_t end = add_step(p, XPD_NFA_NONE, XPD_NFA_NONE);
    uint16_t start =
        add(p, (struct xpd_nfa_node){.kind = kind, .out = end, .other = XPD_NFA_NONE, .set = set});
    return (struct piece){start, end};
}

static struct piece chain(struct parser *p, struct piece a, struct piece b)
{
    p->nfa->node[a.end].out = b.start;
    return (struct piece){a.start, b.end};
}

/* ---- bytes ---- */

static void put(uint64_t set[4], uint32_t byte)
{
    set[byte >> 6] |= UINT64_C(1) << (byte & 63);
}

static struct piece bytes(struct parser *p, const uint64_t set[4])
{
    struct xpd_nfa *nfa = p->nfa;
    uint32_t at = 0;
    while (at < nfa->set_count && memcmp(nfa->set[at], set, sizeof nfa->set[at]) != 0)
        at++;
    if (at == sizeof nfa->set / sizeof *nfa->set) {
        p->failed = true;
        return (struct piece){0, 0};
    }
    if (at == nfa->set_count)
        memcpy(nfa->set[nfa->set_count++], set, sizeof nfa->set[at]);
    return one(p, XPD_NFA_BYTES, (uint16_t)at);
}

static struct piece one_byte(struct parser *p, char c)
{
    uint64_t set[4] = {0};
    put(set, folded(c));
    return bytes(p, set);
}

static void put_class(struct parser *p, uint64_t set[4])
{
    static const struct {
        const char *word;
        int (*has)(int);
    } classes[] = {{"alpha", isalpha}, {"digit", isdigit},  {"alnum", isalnum},
                   {"space", isspace}, {"punct", ispunct},  {"lower", isalpha},
                   {"upper", isalpha}, {"xdigit", isxdigit}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        uint32_t size = (uint32_t)strlen(classes[i].word);
        const char *here = p->text + p->at + 2;
        if (p->at + 4 + size > p->size || memcmp(here, classes[i].word, size) != 0 ||
            here[size] != ':' || here[size + 1] != ']')
            continue;
        for (int byte = 0; byte < 128; byte++)
            if (classes[i].has(byte))
                put(set, folded((char)byte));
        p->at += size + 4;
        return;
    }
    p->failed = true;
}

/* Whether a range means the same before and after letters are made small: from letter to letter of
 * one case, or without any letter. */
static bool plain_range(char from, char to)
{
    bool letters = false;
    for (int byte = (unsigned char)from; byte <= (unsigned char)to; byte++)
        letters |= isalpha(byte) != 0;
    return !letters || (islower((unsigned char)from) && islower((unsigned char)to)) ||
           (isupper((unsigned char)from) && isupper((unsigned char)to));
}

/* A [bracket expression]. A - that is neither at an end nor between two plain bytes is left to the
 * library. */
static struct piece bracket(struct parser *p)
{
    uint64_t set[4] = {0};
    p->at++;
    bool inverted = is_at(p, '^');
    p->at += inverted;
    for (uint32_t first = p->at; p->at < p->size && (p->at == first || !is_at(p, ']'));) {
        char c = p->text[p->at], after = p->at + 1 < p->size ? p->text[p->at + 1] : 0;
        if (c == '[' && (after == ':' || after == '.' || after == '=')) {
            put_class(p, set);
            if (p->failed || (is_at(p, '-') && p->at + 1 < p->size && p->text[p->at + 1] != ']'))
                break;
            continue;
        }
        char last = p->at + 2 < p->size ? p->text[p->at + 2] : 0;
        bool range = after == '-' && last != ']' && last != 0;
        bool odd_end = range && (last == '[' || last == '-');
        p->failed |= odd_end || (c == '-' && p->at != first && after != ']');
        p->failed |= c == '-' && range;
        p->failed |= range && !plain_range(c, last);
        for (uint32_t byte = folded(c); byte <= folded(range ? last : c); byte++)
            put(set, byte);
        p->at += range ? 3 : 1;
    }
    p->failed |= !is_at(p, ']');
    p->at++;
    for (int i = 0; inverted && i < 4; i++)
        set[i] = ~set[i];
    return bytes(p, set);
}

/* ---- structure ---- */

static struct piece either(struct parser *p);

static bool is_escaped(const struct parser *p, uint32_t at)
{
    uint32_t slashes = 0;
    while (at > slashes && p->text[at - slashes - 1] == '\\')
        slashes++;
    return slashes % 2 == 1;
}

static struct piece group(struct parser *p)
{
    p->at++;
    p->failed |= ++p->depth > DEPTH_MAX;
    struct piece inner = p->failed ? nothing(p) : either(p);
    p->depth--;
    p->failed |= !is_at(p, ')');
    p->at++;
    return inner;
}

/* Only where everybody agrees what it means: at the outermost ends. */
static struct piece anchor(struct parser *p, enum xpd_nfa_kind kind)
{
    uint32_t beside = kind == XPD_NFA_BEGIN ? p->at - 1 : p->at + 1;
    p->failed |= p->depth > 0 || (beside < p->size && p->text[beside] != '|') ||
                 (beside < p->size && kind == XPD_NFA_BEGIN && is_escaped(p, beside));
    p->at++;
    p->anchors++;
    return one(p, kind, 0);
}

static struct piece atom(struct parser *p)
{
    static const uint64_t all[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    char c = p->text[p->at];
    p->failed |= ++p->work > XPD_DFA_NODES_MAX;
    if (p->failed)
        return nothing(p);
    switch (c) {
    case '(': return group(p);
    case '[': return bracket(p);
    case '^': return anchor(p, XPD_NFA_BEGIN);
    case '$': return anchor(p, XPD_NFA_END);
    case '.': p->at++; return bytes(p, all);
    case '\\':
        c = p->at + 1 < p->size ? p->text[p->at + 1] : 0;
        p->failed |= c == 0 || !strchr(".[]{}()*+?^$|/-\\", c);
        p->at += 2;
        return one_byte(p, c);
    default:
        p->failed |= strchr("*+?{)|", c) != NULL;
        p->at++;
        return one_byte(p, c);
    }
}

static bool number(struct parser *p, uint32_t *value)
{
    uint32_t from = p->at;
    for (*value = 0; p->at < p->size && isdigit((unsigned char)p->text[p->at]); p->at++)
        *value = *value < 1000 ? *value * 10 + (uint32_t)(p->text[p->at] - '0') : *value;
    return p->at > from;
}

/* False: not repeated. */
static bool repetition(struct parser *p, uint32_t *least, uint32_t *most)
{
    char c = p->at < p->size ? p->text[p->at] : 0;
    if (c == 0 || !strchr("*+?{", c))
        return false;
    p->at++;
    *least = c == '+';
    *most = c == '?' ? 1 : NO_MOST;
    if (c == '{') {
        bool has_least = number(p, least);
        *most = *least;
        if (is_at(p, ',')) {
            p->at++;
            if (!number(p, most))
                *most = NO_MOST;
        }
        p->failed |= !has_least || !is_at(p, '}') || *most == 0 || *most < *least;
        p->at++;
    }
    p->failed |= p->at < p->size && strchr("*+?{", p->text[p->at]) != NULL;
    return true;
}

static struct piece again(struct parser *p, uint32_t from)
{
    uint32_t at = p->at;
    p->at = from;
    struct piece copy = p->failed ? nothing(p) : atom(p);
    p->at = at;
    return copy;
}

static struct piece maybe(struct parser *p, struct piece piece, bool many)
{
    uint16_t end = add_step(p, XPD_NFA_NONE, XPD_NFA_NONE);
    uint16_t start = add_step(p, piece.start, end);
    p->nfa->node[piece.end].out = many ? start : end;
    return (struct piece){start, end};
}

static struct piece repeated(struct parser *p)
{
    uint32_t from = p->at, anchors = p->anchors, least, most;
    struct piece first = atom(p);
    if (p->failed || !repetition(p, &least, &most))
        return first;
    p->failed |= p->anchors > anchors;
    struct piece all = least > 0 ? first : maybe(p, first, most == NO_MOST);
    uint32_t copies = 1;
    for (; copies < least && !p->failed; copies++)
        all = chain(p, all, again(p, from));
    if (most == NO_MOST && least > 0)
        all = chain(p, all, maybe(p, again(p, from), true));
    for (; most != NO_MOST && copies < most && !p->failed; copies++)
        all = chain(p, all, maybe(p, again(p, from), false));
    return all;
}

static struct piece sequence(struct parser *p)
{
    struct piece all = nothing(p);
    uint32_t from = p->at;
    while (!p->failed && p->at < p->size && !is_at(p, '|') && !is_at(p, ')'))
        all = chain(p, all, repeated(p));
    p->failed |= p->at == from;
    return all;
}

static struct piece either(struct parser *p)
{
    struct piece all = sequence(p);
    while (!p->failed && is_at(p, '|')) {
        p->at++;
        struct piece next = sequence(p);
        uint16_t end = add_step(p, XPD_NFA_NONE, XPD_NFA_NONE);
        p->nfa->node[all.end].out = end;
        p->nfa->node[next.end].out = end;
        all = (struct piece){add_step(p, all.start, next.start), end};
    }
    return all;
}

bool xpd_nfa_parse(struct xpd_nfa *nfa, struct xpd_str pattern)
{
    if (pattern.size > PATTERN_MAX)
        return false;
    for (size_t i = 0; i < pattern.size; i++)
        if (pattern.data[i] < ' ' || pattern.data[i] > '~')
            return false;
    struct parser p = {.nfa = nfa, .text = pattern.data, .size = (uint32_t)pattern.size};
    struct piece all = either(&p);
    if (p.failed || p.at < p.size)
        return false;
    nfa->node[all.end].out = add(
        &p,
        (struct xpd_nfa_node){.kind = XPD_NFA_ACCEPT, .out = XPD_NFA_NONE, .other = XPD_NFA_NONE});
    nfa->start = all.start;
    return !p.failed;
}
