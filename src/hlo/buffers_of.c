/* Buffers by instruction for a whole module, and what becomes of those of its parameters. */
#include "xprofd/hlo/module.h"

#include <string.h>

/* By counting: how many each has, where they begin, then each into its place. */
bool xpd_hlo_buffers_of(struct xpd_buffers_of *of, const struct xpd_hlo *hlo,
                        struct xpd_arena *arena)
{
    const uint32_t *owner = hlo->buffers.instruction;
    uint32_t *first = XPD_NEW_ARRAY(arena, uint32_t, (size_t)hlo->instructions.count + 2);
    uint32_t *at = XPD_NEW_ARRAY(arena, uint32_t, hlo->buffers.count);
    if (!first || !at)
        return false;
    for (uint32_t i = 0; i < hlo->buffers.count; i++)
        if (owner[i] != XPD_NO_INDEX)
            first[owner[i] + 2]++; /* one further than its end: the filling moves it down */
    for (uint32_t i = 2; i < hlo->instructions.count + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < hlo->buffers.count; i++)
        if (owner[i] != XPD_NO_INDEX)
            at[first[owner[i] + 1]++] = i;
    of->first = first;
    of->at = at;
    return true;
}

/* Whether an entry of a table of parameters is about an allocation. */
static bool is_of(const struct xpd_hlo_allocation *from, int64_t number, const int64_t *index,
                  uint32_t index_count)
{
    return number == from->parameter_number && index_count == from->parameter_index_count &&
           (index_count == 0 ||
            memcmp(index, from->parameter_index, index_count * sizeof *index) == 0);
}

const struct xpd_hlo_alias *xpd_hlo_alias_of(const struct xpd_hlo *hlo,
                                             const struct xpd_hlo_allocation *from)
{
    for (uint32_t i = 0; i < hlo->alias_count; i++) {
        const struct xpd_hlo_alias *alias = &hlo->alias[i];
        if (is_of(from, alias->parameter_number, alias->parameter_index,
                  alias->parameter_index_count))
            return alias;
    }
    return NULL;
}

bool xpd_hlo_is_donated(const struct xpd_hlo *hlo, const struct xpd_hlo_allocation *from)
{
    for (uint32_t i = 0; i < hlo->donor_count; i++) {
        const struct xpd_hlo_donor *donor = &hlo->donor[i];
        if (is_of(from, donor->parameter_number, donor->parameter_index,
                  donor->parameter_index_count))
            return true;
    }
    return false;
}

struct xpd_str xpd_hlo_parameter_name(const struct xpd_hlo *hlo, int64_t number)
{
    xpd_name_id opcode = xpd_intern_find(&hlo->names, XPD_STR("parameter"));
    if (opcode == XPD_NO_NAME || hlo->entry == XPD_NO_INDEX)
        return XPD_STR("");
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    uint32_t first = hlo->computations.first[hlo->entry];
    uint32_t end = first + hlo->computations.instruction_count[hlo->entry];
    for (uint32_t i = first; i < end; i++)
        if (all->opcode[i] == opcode && all->parameter_number[i] == number)
            return xpd_hlo_text(hlo, all->op_name[i] ? all->op_name[i] : all->name[i]);
    return XPD_STR("");
}
