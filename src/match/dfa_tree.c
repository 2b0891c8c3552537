/* An automaton on many texts at once: on a tree of all their beginnings, by bytes or by parts.
 *
 * A node is read after the one above it, and its state is that one's state and one byte further. By
 * levels, no look-up waits for the one before it, and what texts have in common is read once; last
 * bytes are no nodes, as most stand in one text alone. Where
 * a part leads to from a state is kept: the same parts stand behind many beginnings. */
#include "dfa_internal.h"

#include <string.h>

/* state[i] from where[from[i]] and byte[i]. False: too many states. */
static bool read_bytes(struct xpd_dfa *dfa, const uint16_t *where, const uint32_t *from,
                       const uint8_t *byte, uint32_t first, uint32_t count, uint16_t *state)
{
    const uint16_t *table = dfa->next;
    for (uint32_t i = first; i < count; i++) {
        uint16_t before = where[from[i]];
        uint16_t next = table[(uint32_t)before * 256 + byte[i]];
        if (next & XPD_DFA_SPECIAL) {
            next = byte[i] ? xpd_dfa_find_out(dfa, before, byte[i]) : XPD_DFA_NO_TEXT;
            if (next == XPD_DFA_FULL)
                return false;
        }
        state[i] = next;
    }
    return true;
}

bool xpd_dfa_tree(struct xpd_dfa *dfa, const struct xpd_text_tree *tree, struct xpd_arena *arena,
                  uint16_t *state)
{
    uint16_t *node = XPD_NEW_ROOM(arena, uint16_t, tree->count);
    if (!node)
        return false;
    node[0] = xpd_dfa_first(dfa);
    return node[0] != XPD_DFA_FULL &&
           read_bytes(dfa, node, tree->parent, tree->byte, 1, tree->count, node) &&
           read_bytes(dfa, node, tree->stem, tree->last, 0, tree->text_count, state);
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
