/* What a pattern says of the names of a whole module. */
#ifndef XPROFD_SRC_TOOLS_TABLES_NAME_RANKS_H
#define XPROFD_SRC_TOOLS_TABLES_NAME_RANKS_H

#include "table_names.h"
#include "xprofd/match/match.h"

enum xpd_index_answer { XPD_INDEX_UNTRIED, XPD_INDEX_NO, XPD_INDEX_YES };

struct xpd_name_ranks {
    const uint8_t *rank;   /* of plain text, by instruction: as xpd_match_test gives it */
    const uint16_t *state; /* of a regular expression, by instruction: where its name leads to */
    const uint8_t *ends;   /* by state: 1 = such a name matches */
    const struct xpd_name_table *names;
    uint32_t state_count; /* of those that answers are kept of */
    uint8_t *behind; /* enum xpd_index_answer by state and shape index, of plain text by index; NULL
                        = too many */
    bool index_too;  /* plain text that may lie in a buffer's shape index, or reach into it */
};
/* Both columns, rank and state, are NULL when each name has to be tried (no pattern, odd names, an
 * expression that has no automaton, no memory). */
struct xpd_name_ranks xpd_name_ranks_of(const struct xpd_tool_ctx *ctx, struct xpd_match *match);

/* The same when only whether a name matches is asked, not where. */
struct xpd_name_ranks xpd_name_found_of(const struct xpd_tool_ctx *ctx, struct xpd_match *match);

/* The rank of an instruction's name; the columns are not both NULL. */
static inline enum xpd_match_rank xpd_rank_of_instruction(const struct xpd_name_ranks *ranks,
                                                          uint32_t instruction)
{
    if (!ranks->state)
        return (enum xpd_match_rank)ranks->rank[instruction];
    return ranks->ends[ranks->state[instruction]] ? XPD_MATCH_PART : XPD_MATCH_NONE;
}

/* What a state says of names that lead to it, with each shape index behind them. */
struct xpd_name_states {
    const uint8_t *matches;   /* by state and index: 1 or 0 */
    const uint32_t *index_of; /* by buffer; NULL: index_count is 1, and says what the name does */
    uint32_t index_count;
    uint16_t yes, no;  /* states that say so with every index; below them those of the ranks, of
                          plain text 0 = not found */
    bool knows_behind; /* false: a name that does not match may with its shape index */
};
/* Of ranks with a column. At most `most` answers are found out. False: no memory. */
bool xpd_name_states_of(struct xpd_name_states *states, const struct xpd_name_ranks *ranks,
                        struct xpd_match *match, const struct xpd_tool_ctx *ctx, uint32_t most);

/* As below, for what is not known from a look-up. */
enum xpd_match_rank xpd_rank_of_buffer_tried(const struct xpd_name_ranks *ranks,
                                             struct xpd_match *match, const struct xpd_mem *mem,
                                             uint32_t buffer, struct xpd_strbuf *room);

/* Of a buffer's whole name: its instruction's with the shape index behind it, or "buffer 7".
 * `ranks` may have no columns. `room` is for the name. */
static inline enum xpd_match_rank xpd_rank_of_buffer(const struct xpd_name_ranks *ranks,
                                                     struct xpd_match *match,
                                                     const struct xpd_mem *mem, uint32_t buffer,
                                                     struct xpd_strbuf *room)
{
    if (ranks->state) {
        const struct xpd_name_table *names = ranks->names;
        uint32_t owner = names->of_buffer[buffer], index = names->index_of[buffer];
        if (owner == XPD_NO_INDEX)
            return xpd_rank_of_buffer_tried(ranks, match, mem, buffer, room);
        if (index == 0)
            return xpd_rank_of_instruction(ranks, owner);
        uint16_t state = ranks->state[owner];
        if (state == XPD_DFA_MATCHED)
            return XPD_MATCH_PART;
        uint8_t behind = !ranks->behind ? XPD_INDEX_UNTRIED
                                        : ranks->behind[(size_t)state * names->index_count + index];
        if (behind != XPD_INDEX_UNTRIED)
            return behind == XPD_INDEX_YES ? XPD_MATCH_PART : XPD_MATCH_NONE;
    } else if (ranks->rank && !match->is_regex && !ranks->index_too) {
        const struct xpd_hlo_buffers *buffers = &mem->hlo->buffers;
        uint32_t instruction = buffers->instruction[buffer];
        bool longer = buffers->index_first[buffer] < buffers->index_first[buffer + 1];
        if (instruction != XPD_NO_INDEX && mem->hlo->instructions.name[instruction] != 0)
            return longer && ranks->rank[instruction] == XPD_MATCH_EXACT
                       ? XPD_MATCH_PREFIX
                       : (enum xpd_match_rank)ranks->rank[instruction];
    }
    return xpd_rank_of_buffer_tried(ranks, match, mem, buffer, room);
}

#endif
