/* From an id to the instruction, while a module is being read. */
#include "load_internal.h"

/* The map from low halves of ids, of one computation at a time: only files that mix old and new ids
 * need it. */
static uint32_t find_local(struct xpd_hlo_load *load, uint32_t computation, int64_t id)
{
    const struct xpd_hlo *hlo = load->hlo;
    if (load->local_of != computation) {
        xpd_map64_fini(&load->local);
        load->local_of = computation;
        uint32_t first = hlo->computations.first[computation];
        uint32_t count = hlo->computations.instruction_count[computation];
        for (uint32_t i = first; i < first + count; i++)
            xpd_map64_put(&load->local, (uint32_t)hlo->instructions.id[i], i);
    }
    return xpd_map64_get(&load->local, (uint32_t)id);
}

uint32_t xpd_hlo_find_instruction(struct xpd_hlo_load *load, uint32_t computation, int64_t id)
{
    const struct xpd_hlo *hlo = load->hlo;
    uint32_t found = xpd_map64_get(&hlo->instruction_by_id, (uint64_t)id);
    if (found != XPD_NO_INDEX && hlo->instructions.computation[found] == computation)
        return found;
    return find_local(load, computation, id);
}
