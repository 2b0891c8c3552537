/* How the arguments of a partitioned program were sharded: HloModuleProto.spmd_parameters_shardings
 * (field 14), which the frozen columns do not keep. */
#ifndef XPROFD_HLO_PARAMETER_SHARDING_H
#define XPROFD_HLO_PARAMETER_SHARDING_H

#include "xprofd/base/arena.h"

#include <stddef.h>

struct xpd_hlo_sharding {
    bool replicated; /* OpSharding.type 0: an empty message is that too */
    int64_t devices; /* product of the tile assignment's dimensions, 1 when it has none */
};
/* One per argument in order of their numbers, those of a tuple one after another; the list is in
 * the arena. 0 when the program is not partitioned. What is damaged ends the list. */
uint32_t xpd_hlo_parameter_shardings(const void *proto, size_t size, struct xpd_arena *arena,
                                     struct xpd_hlo_sharding **out);

#endif
