/* An automaton on many texts at once: on a tree of all their beginnings, by bytes or by parts.
 *
 * A node is read after the one above it, and its state is that one's state and one byte further. By
 * levels, no look-up waits for the one before it, and what texts have in common is read once. Where
 * a part leads to from a state is kept: the same parts stand behind many beginnings. */
#include "dfa_internal.h"

#include <string.h>

/* False: too many states. */
static bool read_node(struct xpd_dfa *dfa, const struct xpd_text_tree *tree, uint16_t *state,
                      uint32_t i)
{
    state[i] = xpd_dfa_find_out(dfa, state[tree->parent[i]], tree->byte[i]);
    return state[i] != XPD_DFA_FULL;
}

bool xpd_dfa_tree(struct xpd_dfa *dfa, const struct xpd_text_tree *tree, uint16_t *state,
                  uint64_t *found)
{
    const uint16_t *table = dfa->next;
    const uint8_t *ends = dfa->ends, *byte = tree->byte;
    const uint32_t *parent = tree->parent;
    state[0] = xpd_dfa_first(dfa);
    if (state[0] == XPD_DFA_FULL)
        return false;
    found[0] = ends[state[0]];
    for (uint32_t i = 1; i < tree->count;) {
        uint32_t from = i & 63, stop = i + 64 - from < tree->count ? i + 64 - from : tree->count;
        uint64_t bits = from ? found[i >> 6] : 0;
        for (; i < stop; i++) {
            uint32_t next = table[(uint32_t)state[parent[i]] * 256 + byte[i]];
            state[i] = (uint16_t)next;
            if (next & XPD_DFA_SPECIAL) {
                if (!read_node(dfa, tree, state, i))
                    return false;
                next = state[i];
            }
            bits |= (uint64_t)ends[next] << (i & 63);
        }
        found[(stop - 1) >> 6] = bits;
    }
    return true;
}

#define KEPT_MAX ((size_t)1 << 22) /* answers */

struct part_states { /* by state: where each part leads to, XPD_DFA_UNKNOWN = not read yet */
    uint16_t *of[XPD_DFA_STATES_MAX];
    size_t kept;
};

/* NULL: too many are kept already, or no memory. */
static uint16_t *row_of(struct part_states *states, uint16_t state, uint32_t parts,
                        struct xpd_arena *arena)
{
    if (states->of[state] || states->kept + parts > KEPT_MAX)
        return states->of[state];
    uint16_t *row = XPD_NEW_ROOM(arena, uint16_t, parts);
    if (row)
        memset(row, 0xff, parts * sizeof *row);
    states->kept += parts;
    return states->of[state] = row;
}

static uint16_t read_text(struct xpd_dfa *dfa, uint16_t state, struct xpd_str text)
{
    for (size_t i = 0; i < text.size && state < XPD_DFA_MATCHED; i++)
        state = xpd_dfa_next(dfa, state, (uint8_t)text.data[i]);
    return state;
}

bool xpd_dfa_parts(struct xpd_dfa *dfa, const struct xpd_part_tree *tree, struct xpd_arena *arena,
                   uint8_t *found)
{
    uint16_t *state = XPD_NEW_ROOM(arena, uint16_t, tree->count);
    struct part_states *states = XPD_NEW(arena, struct part_states);
    if (!state || !states)
        return false;
    state[0] = xpd_dfa_first(dfa);
    if (state[0] == XPD_DFA_FULL)
        return false;
    for (uint32_t i = 0; i < tree->count; i++) {
        uint16_t from = i > 0 ? state[tree->parent[i]] : state[0];
        if (i > 0 && from < XPD_DFA_MATCHED) {
            uint16_t *row = row_of(states, from, tree->part_count, arena);
            uint16_t to = row ? row[tree->part[i]] : XPD_DFA_UNKNOWN;
            if (to == XPD_DFA_UNKNOWN)
                to = read_text(dfa, from, tree->text[tree->part[i]]);
            if (row)
                row[tree->part[i]] = to;
            from = to;
        }
        state[i] = from;
        if (from == XPD_DFA_FULL)
            return false;
        found[i] = dfa->ends[from];
    }
    return true;
}
