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

/* XPD_NFA_NONE: too many. */
static uint16_t set_index(struct parser *p, const uint64_t set[4])
{
    struct xpd_nfa *nfa = p->nfa;
    uint32_t at = 0;
    while (at < nfa->set_count && memcmp(nfa->set[at], set, sizeof nfa->set[at]) != 0)
        at++;
    if (at == sizeof nfa->set / sizeof *nfa->set) {
        p->failed = true;
        return XPD_NFA_NONE;
    }
    if (at == nfa->set_count)
        memcpy(nfa->set[nfa->set_count++], set, sizeof nfa->set[at]);
    return (uint16_t)at;
}

static struct piece bytes(struct parser *p, const uint64_t set[4])
{
    uint16_t index = set_index(p, set);
    return index == XPD_NFA_NONE ? (struct piece){0, 0} : one(p, XPD_NFA_BYTES, index);
}

static struct piece one_byte(struct parser *p, char c)
{
    uint64_t set[4] = {0};
    xpd_nfa_put(set, c);
    return bytes(p, set);
}

static struct piece bracket(struct parser *p)
{
    uint64_t set[4] = {0};
    p->failed |= !xpd_nfa_bracket(p->text, p->size, &p->at, set);
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

/* Between bytes, so its state waits for the next one; what a repetition behind it would mean is
 * left to the library. */
static struct piece word_edge(struct parser *p, enum xpd_nfa_kind kind)
{
    uint64_t words[4] = {0};
    p->failed |= p->at < p->size && strchr("*+?{", p->text[p->at]) != NULL;
    p->anchors++;
    xpd_nfa_put_escape('w', words); /* a set of the expression, so that classes of bytes know it */
    if (!p->nfa->has_edges && set_index(p, words) != XPD_NFA_NONE)
        p->nfa->has_edges = true;
    return one(p, kind, 0);
}

static struct piece escaped(struct parser *p)
{
    uint64_t set[4] = {0};
    char c = p->at + 1 < p->size ? p->text[p->at + 1] : 0;
    p->at += 2;
    switch (c) {
    case '<': return word_edge(p, XPD_NFA_WORD_BEGIN);
    case '>': return word_edge(p, XPD_NFA_WORD_END);
    case 'b': return word_edge(p, XPD_NFA_WORD_EDGE);
    case 'B': return word_edge(p, XPD_NFA_NO_WORD_EDGE);
    default: p->failed |= !xpd_nfa_put_escape(c, set); return bytes(p, set);
    }
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
    case '\\': return escaped(p);
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
