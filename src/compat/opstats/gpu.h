/* Op metrics and kernels of the GPUs of a host. */
#ifndef XPROFD_COMPAT_OPSTATS_GPU_H
#define XPROFD_COMPAT_OPSTATS_GPU_H

#include "opstats.h"
#include "opstats_walk.h"
#include "xprofd/base/vec.h"

/* An instruction of a module, as XProf's tables show it. */
struct xpd_ops_instruction {
    bool found;
    struct xpd_ops_metrics facts;      /* name, category, provenance, texts */
    int64_t flops, model_flops, bytes; /* of one execution, by XLA's analysis for GPUs */
    struct xpd_ops_access access[2];
    uint32_t access_count;
};
/* Of a program and a name; the same pointer for the same question. NULL without memory. */
typedef const struct xpd_ops_instruction *xpd_ops_look_up(void *modules, uint64_t program_id,
                                                          struct xpd_str name);

struct xpd_ops_gpu {
    struct xpd_ops_walk *walk;
    xpd_ops_look_up *look_up;
    void *modules;
    XPD_VEC(struct xpd_ops_kernel) kernel; /* of all planes so far; names in the arena */
    struct xpd_map64 kernel_of;
    struct xpd_arena *arena;
};

/* Of one plane; `db` is empty and comes back finished, its kernels are added. */
void xpd_ops_gpu_plane(struct xpd_ops_db *db, struct xpd_ops_gpu *gpu, uint32_t plane);

/* kernels.c: a kernel of the execution that `sample` describes. */
void xpd_ops_kernel_add(struct xpd_ops_gpu *gpu, const struct xpd_ops_kernel *sample);
/* "regs:32 static_shared:0 ... grid:1,1,1 block:256,1,1 occ_pct:100" */
void xpd_ops_kernel_details(struct xpd_ops_kernel *kernel, struct xpd_str details);
/* By the vendor that the plane names: XProf has a list of names for each, and none for others. */
bool xpd_ops_is_tensor_core_kernel(struct xpd_str vendor, struct xpd_str name);
bool xpd_ops_is_eligible(struct xpd_str op_name);
bool xpd_ops_is_eligible_einsum(struct xpd_str equation);
/* Longest first, the first 1000. */
struct xpd_ops_kernels xpd_ops_kernels_top(struct xpd_ops_kernel *kernel, size_t count,
                                           struct xpd_arena *arena);

#endif
