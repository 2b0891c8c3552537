/* An automaton on many short texts that lie behind one another.
 *
 * Each look-up waits for the one before it, so several portions of the texts are read side by side.
 * What state a text ends in is kept, so that a longer text with the same beginning need not be read
 * again. */
#include "dfa_internal.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 4, PORTION = XPD_DFA_TEXT_MAX + 1 /* bytes; one text is never more */ };

struct lane {
    uint32_t at, end, begin; /* in the text */
    uint32_t name, first;    /* texts: at or before `at`; of the portion */
    uint16_t state;
    uint16_t before[PORTION]; /* by byte of the portion: the state before it was read */
};

struct lanes {
    struct xpd_dfa *dfa;
    const uint8_t *text;
    const uint32_t *start;
    uint32_t count, taken; /* texts */
    uint8_t *found;
    uint16_t *left;
    struct lane lane[LANES];
};

/* Writes what the lane found out and gives it the next portion; false: there is none. */
static bool refill(struct lanes *l, struct lane *lane)
{
    for (; lane->first < l->count && l->start[lane->first] < lane->end; lane->first++)
        l->left[lane->first] = lane->before[l->start[lane->first + 1] - 1 - lane->begin];
    lane->begin = lane->at = lane->end;
    if (l->taken == l->count)
        return false;
    lane->name = lane->first = l->taken;
    lane->begin = lane->at = l->start[l->taken];
    while (l->taken < l->count && l->start[l->taken + 1] - lane->begin <= PORTION)
        l->taken++;
    lane->end = l->start[l->taken];
    lane->state = 0;
    return true;
}

/* Reads one byte of a lane. False: too many states. */
static bool read_one(struct lanes *l, struct lane *lane)
{
    uint8_t byte = l->text[lane->at];
    uint16_t next = xpd_dfa_next(l->dfa, lane->state, byte);
    lane->before[lane->at - lane->begin] = lane->state;
    if (next == XPD_DFA_FULL)
        return false;
    if (next != XPD_DFA_MATCHED) {
        lane->state = next;
        lane->at++;
        return true;
    }
    uint32_t name = lane->name;
    while (l->start[name + 1] <= lane->at)
        name++;
    l->found[name] = byte == 0 ? XPD_DFA_AT_END : XPD_DFA_INSIDE;
    lane->name = name + 1;
    lane->at = l->start[name + 1];
    lane->state = 0;
    return true;
}

/* Reads all lanes until one ends or the table does not tell a state. */
static void read_states(struct lanes *l)
{
    const uint16_t *table = l->dfa->next;
    const uint8_t *byte[LANES];
    uint16_t *before[LANES];
    uint32_t state[LANES], room = UINT32_MAX, i;
    for (int k = 0; k < LANES; k++) {
        struct lane *lane = &l->lane[k];
        room = lane->end - lane->at < room ? lane->end - lane->at : room;
        byte[k] = l->text + lane->at;
        before[k] = lane->before + (lane->at - lane->begin);
        state[k] = lane->state;
    }
    for (i = 0; i < room; i++) {
        uint32_t next[LANES], all = 0;
#pragma GCC unroll 4
        for (int k = 0; k < LANES; k++) {
            before[k][i] = (uint16_t)state[k];
            next[k] = table[state[k] * 256 + byte[k][i]];
            all |= next[k];
        }
        if (all & XPD_DFA_SPECIAL)
            break;
#pragma GCC unroll 4
        for (int k = 0; k < LANES; k++)
            state[k] = next[k];
    }
    for (int k = 0; k < LANES; k++) {
        l->lane[k].at += i;
        l->lane[k].state = (uint16_t)state[k];
    }
}

static bool read_lanes(struct lanes *l)
{
    bool all = true;
    for (int k = 0; k < LANES; k++)
        all = refill(l, &l->lane[k]) && all;
    while (all) {
        read_states(l);
        for (int k = 0; k < LANES && all; k++) {
            struct lane *lane = &l->lane[k];
            if (lane->at < lane->end && !read_one(l, lane))
                return false;
            if (lane->at == lane->end)
                all = refill(l, lane);
        }
    }
    for (int k = 0; k < LANES; k++) {
        while (l->lane[k].at < l->lane[k].end)
            if (!read_one(l, &l->lane[k]))
                return false;
        refill(l, &l->lane[k]);
    }
    return true;
}

/* One text needs no lanes. */
static bool read_text(struct xpd_dfa *dfa, const uint8_t *text, uint8_t *found, uint16_t *left)
{
    uint16_t state = 0, next = 0;
    for (const uint8_t *at = text;; at++) {
        next = xpd_dfa_next(dfa, state, *at);
        *left = state;
        *found = next != XPD_DFA_MATCHED ? XPD_DFA_NOWHERE
                 : *at == 0              ? XPD_DFA_AT_END
                                         : XPD_DFA_INSIDE;
        if (*at == 0 || (next & XPD_DFA_SPECIAL))
            return next != XPD_DFA_FULL;
        state = next;
    }
}

bool xpd_dfa_each(struct xpd_dfa *dfa, const char *text, const uint32_t *start, uint32_t count,
                  uint8_t *found, uint16_t *left)
{
    uint16_t first = xpd_dfa_first(dfa);
    memset(found, first == XPD_DFA_MATCHED ? XPD_DFA_INSIDE : XPD_DFA_NOWHERE, count);
    if (first & XPD_DFA_SPECIAL)
        return first == XPD_DFA_MATCHED;
    if (count == 1)
        return read_text(dfa, (const uint8_t *)text + start[0], found, left);
    struct lanes *lanes = calloc(1, sizeof *lanes);
    if (!lanes)
        return false;
    lanes->dfa = dfa;
    lanes->text = (const uint8_t *)text;
    lanes->start = start;
    lanes->count = count;
    lanes->found = found;
    lanes->left = left;
    bool done = read_lanes(lanes);
    free(lanes);
    return done;
}
