/* Automata of regular expressions. In: nodes of the expression, texts. Out: which texts hold a
 * match.
 *
 * A state is the set of nodes the expression can stand at after what was read. A table tells by
 * state and class of byte the next state; bytes that no part of the expression tells apart are one
 * class. Whether a text that ends in a state matches is told beside it. The edge of a word lies
 * between two bytes: a state holds what waits there, and the next byte lets it pass or not. */
#include "dfa_internal.h"

#include <stdlib.h>
#include <string.h>

static bool holds(const uint64_t *set, uint32_t i)
{
    return set[i >> 6] >> (i & 63) & 1;
}

/* Between which bytes the expression stands. */
struct place {
    bool begin, end; /* of the text */
    bool known;      /* what follows: edges of words can be told */
    bool word_before, word_after;
};

static bool passes(enum xpd_nfa_kind kind, const struct place *place)
{
    bool before = place->word_before, after = place->word_after;
    switch (kind) {
    case XPD_NFA_BYTES: return false;
    case XPD_NFA_BEGIN: return place->begin;
    case XPD_NFA_END: return place->end;
    case XPD_NFA_WORD_BEGIN: return place->known && !before && after;
    case XPD_NFA_WORD_END: return place->known && before && !after;
    case XPD_NFA_WORD_EDGE: return place->known && before != after;
    case XPD_NFA_NO_WORD_EDGE: return place->known && before == after;
    case XPD_NFA_STEP:
    case XPD_NFA_ACCEPT: break;
    }
    return true;
}

/* Adds what can be reached from a node without reading; tells whether a match is. */
static bool reach(struct xpd_dfa *dfa, uint64_t *seen, uint16_t from, const struct place *place)
{
    uint32_t depth = 0;
    bool matched = false;
    dfa->stack[depth++] = from;
    while (depth > 0) {
        uint16_t i = dfa->stack[--depth];
        if (i == XPD_NFA_NONE || holds(seen, i))
            continue;
        const struct xpd_nfa_node *node = &dfa->nfa.node[i];
        seen[i >> 6] |= UINT64_C(1) << (i & 63);
        matched |= node->kind == XPD_NFA_ACCEPT;
        if (!passes(node->kind, place))
            continue;
        dfa->stack[depth++] = node->other;
        dfa->stack[depth++] = node->out;
    }
    return matched;
}

/* Goes on from nodes that waited for the next byte; tells whether a match is reached. */
static bool pass_edges(struct xpd_dfa *dfa, struct xpd_dfa_state *from, bool word_after)
{
    struct place place = {
        .known = true, .word_before = from->after_word != 0, .word_after = word_after};
    uint64_t waiting[XPD_DFA_WORDS];
    bool matched = false;
    memcpy(waiting, from->at, sizeof waiting);
    for (uint32_t i = 0; i < dfa->nfa.node_count; i++) {
        enum xpd_nfa_kind kind = dfa->nfa.node[i].kind;
        if (holds(waiting, i) && kind >= XPD_NFA_WORD_BEGIN && kind <= XPD_NFA_NO_WORD_EDGE &&
            passes(kind, &place))
            matched |= reach(dfa, from->at, dfa->nfa.node[i].out, &place);
    }
    return matched;
}

/* Number of a state, as the table tells it. */
static uint16_t number_of(struct xpd_dfa *dfa, const struct xpd_dfa_state *to, bool ends)
{
    uint32_t same = 0;
    while (same < dfa->state_count &&
           (dfa->ends[same] != ends || memcmp(&dfa->state[same], to, sizeof *to) != 0))
        same++;
    if (same == XPD_DFA_STATES_MAX)
        return XPD_DFA_FULL;
    if (same == dfa->state_count) {
        dfa->ends[same] = ends;
        dfa->state[dfa->state_count++] = *to;
        memset(dfa->next + (size_t)same * 256, 0xff, 256 * sizeof *dfa->next);
    }
    return (uint16_t)same;
}

/* The state after reading a byte in `from` (NULL: before the first byte), as the table tells it. */
static uint16_t state_after(struct xpd_dfa *dfa, struct xpd_dfa_state *from, uint8_t byte)
{
    struct xpd_dfa_state to = {{0}, 0};
    uint64_t at_end[XPD_DFA_WORDS] = {0};
    bool edges = dfa->nfa.has_edges, word = from && xpd_nfa_is_word(byte);
    struct place inside = {.begin = !from};
    struct place last = {.begin = !from, .end = true, .known = true, .word_before = word};
    if (from && edges && pass_edges(dfa, from, word))
        return XPD_DFA_MATCHED;
    bool matched = reach(dfa, to.at, dfa->nfa.start, &inside);
    bool ends = reach(dfa, at_end, dfa->nfa.start, &last);
    for (uint32_t i = 0; from && i < dfa->nfa.node_count; i++) {
        const struct xpd_nfa_node *node = &dfa->nfa.node[i];
        if (!holds(from->at, i) || node->kind != XPD_NFA_BYTES ||
            !holds(dfa->nfa.set[node->set], byte))
            continue;
        matched |= reach(dfa, to.at, node->out, &inside);
        ends |= reach(dfa, at_end, node->out, &last);
    }
    to.after_word = edges && word;
    return matched ? XPD_DFA_MATCHED : number_of(dfa, &to, ends);
}

uint16_t xpd_dfa_first(struct xpd_dfa *dfa)
{
    return dfa->state_count > 0 ? 0 : state_after(dfa, NULL, 0);
}

uint16_t xpd_dfa_find_out(struct xpd_dfa *dfa, uint16_t state, uint8_t byte)
{
    struct xpd_dfa_state from = dfa->state[state];
    uint16_t *row = dfa->next + (size_t)state * 256;
    uint8_t class = dfa->class_of[byte];
    uint16_t next = state_after(dfa, &from, dfa->byte_of[class]);
    for (uint32_t same = 1; same < 256; same++)
        if (dfa->class_of[same] == class)
            row[same] = next;
    return next;
}

/* Class 0 is the zero byte alone. */
static void classify(struct xpd_dfa *dfa)
{
    uint8_t signature[256] = {0}; /* class so far */
    dfa->classes = 1;
    for (uint32_t byte = 1; byte < 256; byte++) {
        uint8_t small = (uint8_t)(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
        uint32_t class = 1;
        for (bool same = false; class < dfa->classes; class ++) {
            same = true;
            for (uint32_t i = 0; i < dfa->nfa.set_count && same; i++)
                same = holds(dfa->nfa.set[i], small) == holds(dfa->nfa.set[i], dfa->byte_of[class]);
            if (same)
                break;
        }
        if (class == dfa->classes)
            dfa->byte_of[dfa->classes++] = small;
        signature[byte] = (uint8_t) class;
    }
    memcpy(dfa->class_of, signature, sizeof signature);
}

struct xpd_dfa *xpd_dfa_new(struct xpd_str pattern)
{
    struct xpd_dfa *dfa = calloc(1, sizeof *dfa);
    if (!dfa || !xpd_nfa_parse(&dfa->nfa, pattern)) {
        free(dfa);
        return NULL;
    }
    classify(dfa);
    dfa->next = malloc((size_t)(XPD_DFA_STATES_MAX + 1) * 256 * sizeof *dfa->next);
    if (!dfa->next) {
        free(dfa);
        return NULL;
    }
    dfa->next[XPD_DFA_MATCHED * 256] = XPD_DFA_UNKNOWN;
    for (uint32_t byte = 1; byte < 256; byte++)
        dfa->next[XPD_DFA_MATCHED * 256 + byte] = XPD_DFA_MATCHED;
    dfa->ends[XPD_DFA_MATCHED] = 1;
    return dfa;
}

void xpd_dfa_free(struct xpd_dfa *dfa)
{
    if (dfa)
        free(dfa->next);
    free(dfa);
}

enum xpd_dfa_answer xpd_dfa_go_on(struct xpd_dfa *dfa, uint16_t state, struct xpd_str text)
{
    for (size_t i = 0; i < text.size && text.data[i] != '\0' && state < XPD_DFA_MATCHED; i++)
        state = xpd_dfa_next(dfa, state, (uint8_t)text.data[i]);
    return state == XPD_DFA_FULL ? XPD_DFA_TOO_MANY : dfa->ends[state] ? XPD_DFA_YES : XPD_DFA_NO;
}

enum xpd_dfa_answer xpd_dfa_test(struct xpd_dfa *dfa, struct xpd_str text)
{
    return xpd_dfa_go_on(dfa, xpd_dfa_first(dfa), text);
}

const uint8_t *xpd_dfa_ends(const struct xpd_dfa *dfa)
{
    return dfa->ends;
}

uint32_t xpd_dfa_states(const struct xpd_dfa *dfa)
{
    return dfa->state_count;
}
