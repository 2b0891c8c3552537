/* An automaton on many texts at once: on a tree of all their beginnings.
 *
 * A node is read after the one above it, and its state is that one's state and one byte further. By
 * levels, no look-up waits for the one before it, and what texts have in common is read once. */
#include "dfa_internal.h"

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
