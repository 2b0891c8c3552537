/* A pattern on all names of a module at once. In: a pattern. Out: what it says of each name.
 *
 * Plain text is looked for in the names in one piece (hay.h), a regular expression reads them as a
 * tree (table_names.h); for an expression without an automaton each name is tried. */
#include "name_ranks.h"

#include "hay.h"

#define SHORT      2 /* bytes of a text that stands in so many names that a tree is read faster */
#define BEHIND_MAX ((size_t)1 << 22) /* answers that are kept of states and shape indexes */

/* Of whatever has an automaton. */
static struct xpd_name_ranks of_states(const struct xpd_tool_ctx *ctx, struct xpd_match *match)
{
    struct xpd_name_ranks none = {0};
    const struct xpd_name_table *names = match->dfa ? xpd_table_names(ctx, NULL) : NULL;
    if (!names || names->odd)
        return none;
    uint16_t *state = XPD_NEW_ROOM(ctx->arena, uint16_t, names->tree.text_count);
    uint8_t *ends =
        xpd_arena_bytes(ctx->arena, XPD_DFA_ENDS); /* a text with too many states frees the
                                               automaton, and what it said holds on */
    if (!state || !ends || !xpd_dfa_tree(match->dfa, &names->tree, ctx->arena, state))
        return none;
    memcpy(ends, xpd_dfa_ends(match->dfa), XPD_DFA_ENDS);
    uint32_t states = xpd_dfa_states(match->dfa);
    size_t answers = (size_t)states * names->index_count;
    return (struct xpd_name_ranks){
        .state = state,
        .ends = ends,
        .names = names,
        .state_count = states,
        .behind = answers <= BEHIND_MAX ? XPD_NEW_ARRAY(ctx->arena, uint8_t, answers) : NULL};
}

/* Plain text that is not in a name, and the shape indexes that may stand behind it: lies in the
 * index, cannot, or has to be tried because it begins before the bracket. */
static uint8_t *plain_behind(const struct xpd_tool_ctx *ctx, const struct xpd_match *match,
                             const struct xpd_name_table *names)
{
    struct xpd_str word = match->text;
    const char *bracket = memchr(word.data, '{', word.size);
    size_t before = bracket ? (size_t)(bracket - word.data) : 0;
    struct xpd_str rest = {word.data + before, word.size - before};
    uint8_t *behind = XPD_NEW_ARRAY(ctx->arena, uint8_t, names->index_count);
    for (uint32_t i = 0; behind && i < names->index_count; i++) {
        size_t place = xpd_str_find(names->index[i], rest, false);
        behind[i] = place == SIZE_MAX || (bracket && place > 0) ? XPD_INDEX_NO
                    : before > 0                                ? XPD_INDEX_UNTRIED
                                                                : XPD_INDEX_YES;
    }
    return behind;
}

static struct xpd_name_ranks of_plain(const struct xpd_tool_ctx *ctx, const struct xpd_match *match)
{
    struct xpd_name_ranks ranks = {.index_too = xpd_match_in_index(match)};
    const struct xpd_hay *hay = xpd_table_hay(ctx, NULL);
    if (hay)
        ranks.rank =
            xpd_hay_ranks(hay, (struct xpd_str){match->folded, match->text.size}, ctx->arena);
    const struct xpd_name_table *names =
        ranks.rank && ranks.index_too ? xpd_table_names(ctx, NULL) : NULL;
    if (names && !names->odd) {
        ranks.names = names;
        ranks.behind = plain_behind(ctx, match, names);
    }
    return ranks;
}

struct xpd_name_ranks xpd_name_ranks_of(const struct xpd_tool_ctx *ctx, struct xpd_match *match)
{
    struct xpd_name_ranks none = {0};
    return match->text.size == 0 ? none
           : match->is_regex     ? of_states(ctx, match)
                                 : of_plain(ctx, match);
}

struct xpd_name_ranks xpd_name_found_of(const struct xpd_tool_ctx *ctx, struct xpd_match *match)
{
    struct xpd_name_ranks ranks = {0};
    if (!match->is_regex && match->text.size <= SHORT && xpd_match_dfa(match))
        ranks = of_states(ctx, match);
    return ranks.state ? ranks : xpd_name_ranks_of(ctx, match);
}

static enum xpd_match_rank rank_of_text(struct xpd_match *match, const struct xpd_mem *mem,
                                        uint32_t buffer, struct xpd_strbuf *room)
{
    xpd_strbuf_clear(room);
    xpd_tools_buffer_name(room, mem, buffer);
    return xpd_match_test(match, (struct xpd_str){room->data, room->size});
}

/* From the state its instruction's name leads to; kept for the next buffer like it. */
static enum xpd_match_rank go_on(const struct xpd_name_ranks *ranks, struct xpd_match *match,
                                 const struct xpd_mem *mem, uint32_t buffer,
                                 struct xpd_strbuf *room)
{
    const struct xpd_name_table *names = ranks->names;
    uint32_t index = names->index_of[buffer];
    uint16_t state = ranks->state[names->of_buffer[buffer]];
    enum xpd_dfa_answer answer =
        match->dfa ? xpd_dfa_go_on(match->dfa, state, names->index[index]) : XPD_DFA_TOO_MANY;
    if (answer == XPD_DFA_TOO_MANY)
        return rank_of_text(match, mem, buffer, room);
    if (ranks->behind)
        ranks->behind[(size_t)state * names->index_count + index] =
            answer == XPD_DFA_YES ? XPD_INDEX_YES : XPD_INDEX_NO;
    return answer == XPD_DFA_YES ? XPD_MATCH_PART : XPD_MATCH_NONE;
}

enum xpd_match_rank xpd_rank_of_buffer_tried(const struct xpd_name_ranks *ranks,
                                             struct xpd_match *match, const struct xpd_mem *mem,
                                             uint32_t buffer, struct xpd_strbuf *room)
{
    const struct xpd_hlo_buffers *buffers = &mem->hlo->buffers;
    uint32_t instruction = buffers->instruction[buffer];
    if (ranks->state && ranks->names->of_buffer[buffer] != XPD_NO_INDEX)
        return go_on(ranks, match, mem, buffer, room);
    if (!ranks->rank || instruction == XPD_NO_INDEX ||
        mem->hlo->instructions.name[instruction] == 0)
        return rank_of_text(match, mem, buffer, room);
    enum xpd_match_rank rank = (enum xpd_match_rank)ranks->rank[instruction];
    if (buffers->index_first[buffer] == buffers->index_first[buffer + 1])
        return rank;
    if (match->is_regex)
        return rank_of_text(match, mem, buffer, room);
    if (rank == XPD_MATCH_NONE && ranks->index_too) {
        uint8_t behind =
            ranks->behind ? ranks->behind[ranks->names->index_of[buffer]] : XPD_INDEX_UNTRIED;
        return behind == XPD_INDEX_UNTRIED ? rank_of_text(match, mem, buffer, room)
               : behind == XPD_INDEX_YES   ? XPD_MATCH_PART
                                           : XPD_MATCH_NONE;
    }
    return rank == XPD_MATCH_EXACT ? XPD_MATCH_PREFIX : rank;
}

/* ---- as states ---- */

static bool go_on_from(struct xpd_match *match, uint32_t state, struct xpd_str text, uint8_t *yes)
{
    enum xpd_dfa_answer answer =
        match->dfa ? xpd_dfa_go_on(match->dfa, (uint16_t)state, text) : XPD_DFA_TOO_MANY;
    *yes = answer == XPD_DFA_YES;
    return answer != XPD_DFA_TOO_MANY;
}

/* What stands behind a name that matches is not asked: it has a state of its own. */
static bool fill_regex(struct xpd_name_states *states, const struct xpd_name_ranks *ranks,
                       struct xpd_match *match, uint8_t *matches)
{
    const struct xpd_name_table *names = ranks->names;
    for (uint32_t state = 0; state < ranks->state_count; state++)
        for (uint32_t i = 0; i < states->index_count; i++)
            if (!go_on_from(match, state, names->index[i],
                            &matches[(size_t)state * states->index_count + i]))
                return false;
    return true;
}

static bool fill_plain(const struct xpd_name_states *states, const struct xpd_name_ranks *ranks,
                       uint8_t *matches)
{
    bool known = true;
    for (uint32_t i = 0; i < states->index_count; i++) {
        uint8_t behind = states->index_of ? ranks->behind[i] : XPD_INDEX_NO;
        matches[i] = behind == XPD_INDEX_YES;
        known &= behind != XPD_INDEX_UNTRIED;
    }
    return known;
}

static bool fill_matches(struct xpd_name_states *states, const struct xpd_name_ranks *ranks,
                         struct xpd_match *match, struct xpd_arena *arena, bool *known)
{
    uint32_t count = ranks->state ? ranks->state_count : 1, width = states->index_count;
    uint8_t *matches = xpd_arena_bytes(arena, (size_t)(count + 2) * width);
    if (!matches)
        return false;
    *known = ranks->state ? fill_regex(states, ranks, match, matches)
                          : fill_plain(states, ranks, matches);
    states->yes = (uint16_t)count;
    states->no = (uint16_t)(count + 1);
    memset(matches + (size_t)count * width, 1, width);
    memset(matches + (size_t)(count + 1) * width, 0, width);
    states->matches = matches;
    return true;
}

/* With all shape indexes, or else with none. */
bool xpd_name_states_of(struct xpd_name_states *states, const struct xpd_name_ranks *ranks,
                        struct xpd_match *match, const struct xpd_tool_ctx *ctx, uint32_t most)
{
    bool asked = ranks->state || ranks->index_too, known = false;
    uint64_t answers = (uint64_t)ranks->state_count + 1;
    *states = (struct xpd_name_states){.index_count = 1};
    if (asked && ranks->behind && answers * ranks->names->index_count <= most) {
        states->index_of = ranks->names->index_of;
        states->index_count = ranks->names->index_count;
    }
    bool ok = fill_matches(states, ranks, match, ctx->arena, &known);
    if (ok && !known && states->index_of) {
        states->index_of = NULL;
        states->index_count = 1;
        ok = fill_matches(states, ranks, match, ctx->arena, &known);
    }
    states->knows_behind = !asked || states->index_of;
    return ok && known;
}
