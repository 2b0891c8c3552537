/* Automata of regular expressions. In: nodes of the expression, texts. Out: which texts hold a
 * match.
 *
 * A state is the set of nodes the expression can stand at after what was read. A table tells by
 * state and class of byte the next state; bytes that no part of the expression tells apart are one
 * class. The zero byte that ends a text leads to the first state again, or to a match. Each look-up
 * waits for the one before it, so four texts are read at a time. */
#include "dfa_internal.h"

#include <stdlib.h>
#include <string.h>

#define WORDS (XPD_DFA_NODES_MAX / 64)

/* What stands in the table when it is not a state. */
#define SPECIAL UINT32_C(0x80000000)
#define UNKNOWN (SPECIAL | 0)
#define MATCHED (SPECIAL | 1)
#define FULL    (SPECIAL | 2)

struct state {
    uint64_t at[WORDS]; /* nodes that read a byte */
    bool ends;          /* a match when the text ends here */
};

struct xpd_dfa {
    struct xpd_nfa nfa;
    uint8_t class_of[256];
    uint8_t byte_of[256]; /* one of each class */
    uint32_t classes;
    struct state state[XPD_DFA_STATES_MAX]; /* the first one begins a text */
    uint32_t state_count;
    uint32_t *next; /* number of a state times `classes`, by the same and a class */
    uint16_t stack[2 * XPD_DFA_NODES_MAX + 2];
};

static bool holds(const uint64_t *set, uint32_t i)
{
    return set[i >> 6] >> (i & 63) & 1;
}

/* Adds what can be reached from a node without reading; tells whether a match is. */
static bool reach(struct xpd_dfa *dfa, uint64_t *seen, uint16_t from, bool begin, bool end)
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
        if (node->kind == XPD_NFA_BYTES || (node->kind == XPD_NFA_BEGIN && !begin) ||
            (node->kind == XPD_NFA_END && !end))
            continue;
        dfa->stack[depth++] = node->other;
        dfa->stack[depth++] = node->out;
    }
    return matched;
}

/* The state after reading a byte in `from` (NULL: before the first byte), as the table tells it. */
static uint32_t state_after(struct xpd_dfa *dfa, const struct state *from, uint8_t byte)
{
    struct state to = {.ends = false};
    uint64_t at_end[WORDS] = {0};
    bool matched = reach(dfa, to.at, dfa->nfa.start, !from, false);
    to.ends = reach(dfa, at_end, dfa->nfa.start, !from, true);
    for (uint32_t i = 0; from && i < dfa->nfa.node_count; i++) {
        const struct xpd_nfa_node *node = &dfa->nfa.node[i];
        if (!holds(from->at, i) || node->kind != XPD_NFA_BYTES ||
            !holds(dfa->nfa.set[node->set], byte))
            continue;
        matched |= reach(dfa, to.at, node->out, false, false);
        to.ends |= reach(dfa, at_end, node->out, false, true);
    }
    if (matched)
        return MATCHED;
    uint32_t same = 0;
    while (same < dfa->state_count && (dfa->state[same].ends != to.ends ||
                                       memcmp(dfa->state[same].at, to.at, sizeof to.at) != 0))
        same++;
    if (same == XPD_DFA_STATES_MAX)
        return FULL;
    if (same == dfa->state_count) {
        dfa->state[dfa->state_count++] = to;
        for (uint32_t i = 0; i < dfa->classes; i++)
            dfa->next[same * dfa->classes + i] = UNKNOWN;
    }
    return same * dfa->classes;
}

/* The first state: number 0, unless the expression matches any text. */
static uint32_t first_state(struct xpd_dfa *dfa)
{
    return dfa->state_count > 0 ? 0 : state_after(dfa, NULL, 0);
}

/* What follows when the table does not know yet. */
static uint32_t find_out(struct xpd_dfa *dfa, uint32_t state, uint32_t class)
{
    struct state from = dfa->state[state / dfa->classes];
    uint32_t next =
        class == 0 ? from.ends ? MATCHED : 0 : state_after(dfa, &from, dfa->byte_of[class]);
    dfa->next[state + class] = next;
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
    dfa->next = malloc((size_t)XPD_DFA_STATES_MAX * dfa->classes * sizeof *dfa->next);
    if (!dfa->next) {
        free(dfa);
        return NULL;
    }
    return dfa;
}

void xpd_dfa_free(struct xpd_dfa *dfa)
{
    if (dfa)
        free(dfa->next);
    free(dfa);
}

enum xpd_dfa_answer xpd_dfa_test(struct xpd_dfa *dfa, struct xpd_str text)
{
    uint32_t state = first_state(dfa);
    for (size_t i = 0; i <= text.size && !(state & SPECIAL); i++) {
        uint32_t class = i < text.size ? dfa->class_of[(uint8_t)text.data[i]] : 0;
        uint32_t next = dfa->next[state + class];
        state = next == UNKNOWN ? find_out(dfa, state, class) : next;
        if (class == 0)
            break;
    }
    return state == MATCHED ? XPD_DFA_YES : state == FULL ? XPD_DFA_TOO_MANY : XPD_DFA_NO;
}

/* ---- many texts ---- */

enum { LANES = 4, CHUNK = 256 /* texts that a lane takes at a time */ };

struct lanes {
    struct xpd_dfa *dfa;
    const uint8_t *text;
    const uint32_t *start;
    uint32_t count, taken; /* texts */
    uint8_t *found;
    uint32_t at[LANES], end[LANES], state[LANES], name[LANES]; /* name: at or before `at` */
};

static bool refill(struct lanes *l, int lane)
{
    if (l->taken == l->count)
        return false;
    uint32_t last = l->count - l->taken < CHUNK ? l->count : l->taken + CHUNK;
    l->name[lane] = l->taken;
    l->at[lane] = l->start[l->taken];
    l->end[lane] = l->start[last];
    l->state[lane] = 0;
    l->taken = last;
    return true;
}

/* Reads one byte of a lane. False: too many states. */
static bool read_one(struct lanes *l, int lane)
{
    struct xpd_dfa *dfa = l->dfa;
    uint32_t class = dfa->class_of[l->text[l->at[lane]]];
    uint32_t next = dfa->next[l->state[lane] + class];
    if (next == UNKNOWN)
        next = find_out(dfa, l->state[lane], class);
    if (next == FULL)
        return false;
    if (next != MATCHED) {
        l->state[lane] = next;
        l->at[lane]++;
        return true;
    }
    uint32_t name = l->name[lane];
    while (l->start[name + 1] <= l->at[lane])
        name++;
    l->found[name] = 1;
    l->name[lane] = name + 1;
    l->at[lane] = l->start[name + 1];
    l->state[lane] = 0;
    return true;
}

/* Reads all lanes until one ends or the table does not tell a state. */
static void read_states(struct lanes *l)
{
    const uint8_t *text = l->text, *class_of = l->dfa->class_of;
    const uint32_t *next = l->dfa->next;
    uint32_t a = l->state[0], b = l->state[1], c = l->state[2], d = l->state[3];
    uint32_t room = UINT32_MAX, i = 0;
    for (int lane = 0; lane < LANES; lane++)
        room = l->end[lane] - l->at[lane] < room ? l->end[lane] - l->at[lane] : room;
    const uint8_t *p = text + l->at[0], *q = text + l->at[1], *r = text + l->at[2],
                  *s = text + l->at[3];
    for (; i < room; i++) {
        uint32_t e = next[a + class_of[p[i]]], f = next[b + class_of[q[i]]];
        uint32_t g = next[c + class_of[r[i]]], h = next[d + class_of[s[i]]];
        if ((e | f | g | h) & SPECIAL)
            break;
        a = e, b = f, c = g, d = h;
    }
    uint32_t state[LANES] = {a, b, c, d};
    for (int lane = 0; lane < LANES; lane++) {
        l->at[lane] += i;
        l->state[lane] = state[lane];
    }
}

static bool read_lanes(struct lanes *l)
{
    bool all = true;
    for (int lane = 0; lane < LANES; lane++)
        all = refill(l, lane) && all;
    while (all) {
        read_states(l);
        for (int lane = 0; lane < LANES && all; lane++) {
            if (l->at[lane] < l->end[lane] && !read_one(l, lane))
                return false;
            if (l->at[lane] == l->end[lane])
                all = refill(l, lane);
        }
    }
    for (int lane = 0; lane < LANES; lane++)
        while (l->at[lane] < l->end[lane])
            if (!read_one(l, lane))
                return false;
    return true;
}

bool xpd_dfa_each(struct xpd_dfa *dfa, const char *text, const uint32_t *start, uint32_t count,
                  uint8_t *found)
{
    uint32_t first = first_state(dfa);
    memset(found, first == MATCHED, count);
    if (first & SPECIAL)
        return first == MATCHED;
    struct lanes lanes = {
        .dfa = dfa, .text = (const uint8_t *)text, .start = start, .count = count, .found = found};
    return read_lanes(&lanes);
}
