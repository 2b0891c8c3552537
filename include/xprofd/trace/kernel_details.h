/* Launch parameters of a GPU's kernel, from its stat kernel_details: "regs:32 static_shared:0
 * dynamic_shared:0 grid:1,1,1 block:256,1,1 occ_pct:100" (CUPTI), "regs:16 shm:0 ..." (before
 * 2021), "grid:32,16,2 block:256,1,1 private_mem:0 group_mem:16384 occ_pct:0" (ROCm). */
#ifndef XPROFD_TRACE_KERNEL_DETAILS_H
#define XPROFD_TRACE_KERNEL_DETAILS_H

#include "xprofd/base/str.h"

struct xpd_kernel_details {
    uint32_t block[3], grid[3]; /* threads of a block, blocks; 1 where nothing is said */
    uint32_t registers;         /* of a thread */
    uint32_t static_shared_bytes, dynamic_shared_bytes; /* of a block */
    uint32_t shared_bytes;    /* of a block, if the two are not separate: shm, group_mem */
    double occupancy_percent; /* 0: not computed */
    /* Which of these are known; the others are 0. */
    bool has_launch, has_registers, has_shared;
};
void xpd_kernel_details(struct xpd_kernel_details *out, struct xpd_str text);

#endif
