/* Chains are made from the last plane to the first, so that each is in the order of the file. */
#include "plane_chain.h"

#include <stdlib.h>

bool xpd_plane_chain_init(struct xpd_plane_chain *chain, const struct xpd_xspace *space)
{
    *chain = (struct xpd_plane_chain){
        .next = malloc(((size_t)space->plane_count + 1) * sizeof *chain->next)};
    for (uint32_t p = space->plane_count; chain->next && p-- > 0;)
        chain->next[p] = xpd_map64_put(&chain->first, space->plane[p].name, p);
    return chain->next && !chain->first.failed;
}

uint32_t xpd_plane_chain_first(const struct xpd_plane_chain *chain, xpd_name_id name)
{
    return xpd_map64_get(&chain->first, name);
}

void xpd_plane_chain_fini(struct xpd_plane_chain *chain)
{
    xpd_map64_fini(&chain->first);
    free(chain->next);
    chain->next = NULL;
}
