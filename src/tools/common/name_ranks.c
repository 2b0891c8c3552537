/* A pattern on the names of a module. In: a pattern, an instruction or a buffer. Out: a rank. */
#include "name_ranks.h"

bool xpd_name_ranks_init(struct xpd_name_ranks *ranks, struct xpd_match *match,
                         const struct xpd_mem *mem, struct xpd_arena *arena)
{
    *ranks =
        (struct xpd_name_ranks){.match = match,
                                .mem = mem,
                                .rank = XPD_NEW_ARRAY(arena, uint8_t, mem->hlo->instructions.count),
                                .index_too = xpd_match_in_index(match)};
    return ranks->rank != NULL;
}

enum xpd_match_rank xpd_rank_instruction(struct xpd_name_ranks *ranks, uint32_t instruction)
{
    struct xpd_str name = xpd_hlo_instruction_name(ranks->mem->hlo, instruction);
    enum xpd_match_rank rank = xpd_match_test(ranks->match, name);
    ranks->rank[instruction] = (uint8_t)(rank + 1);
    return rank;
}

/* With the name of its instruction, which may be "". Most shape indexes are one digit. */
static enum xpd_match_rank rank_whole_name(struct xpd_name_ranks *ranks, uint32_t buffer,
                                           struct xpd_str name, struct xpd_strbuf *room)
{
    const struct xpd_hlo_buffers *buffers = &ranks->mem->hlo->buffers;
    uint32_t first = buffers->index_first[buffer], parts = buffers->index_first[buffer + 1] - first;
    char text[128];
    if (name.size > 0 && name.size + 3 <= sizeof text && parts == 1 &&
        buffers->shape_index[first] >= 0 && buffers->shape_index[first] <= 9) {
        memcpy(text, name.data, name.size);
        text[name.size] = '{';
        text[name.size + 1] = (char)('0' + buffers->shape_index[first]);
        text[name.size + 2] = '}';
        return xpd_match_test(ranks->match, (struct xpd_str){text, name.size + 3});
    }
    xpd_strbuf_clear(room);
    xpd_mem_buffer_name(room, ranks->mem, buffer);
    return xpd_match_test(ranks->match, (struct xpd_str){room->data, room->size});
}

enum xpd_match_rank xpd_rank_of_buffer(struct xpd_name_ranks *ranks, uint32_t buffer,
                                       struct xpd_strbuf *room)
{
    const struct xpd_hlo *hlo = ranks->mem->hlo;
    uint32_t instruction = hlo->buffers.instruction[buffer];
    bool longer = hlo->buffers.index_first[buffer] < hlo->buffers.index_first[buffer + 1];
    struct xpd_str name =
        instruction == XPD_NO_INDEX ? XPD_STR("") : xpd_hlo_instruction_name(hlo, instruction);
    if (name.size == 0 || (longer && ranks->match->is_regex))
        return rank_whole_name(ranks, buffer, name, room);
    enum xpd_match_rank rank = xpd_rank_of_instruction(ranks, instruction);
    if (longer && rank == XPD_MATCH_NONE && ranks->index_too)
        return rank_whole_name(ranks, buffer, name, room);
    return longer && rank == XPD_MATCH_EXACT ? XPD_MATCH_PREFIX : rank;
}
