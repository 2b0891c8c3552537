/* What an instruction costs on a GPU in XProf's tables: XLA's GpuHloCostAnalysis as XProf runs it,
 * without a device, in single precision. It differs from src/hlo/cost/cost.c on purpose: an
 * elementwise operation counts 3 FLOPs an element, a fusion counts the part of each operand that
 * its body uses, and unknown custom calls count nothing. */
#ifndef XPROFD_COMPAT_OPSTATS_GPU_COST_H
#define XPROFD_COMPAT_OPSTATS_GPU_COST_H

#include "gpu.h"
#include "xprofd/hlo/module.h"

struct xpd_ops_gpu_costs;

/* NULL: the module cannot be analysed, or there is no memory. */
struct xpd_hlo_printer;
struct xpd_ops_gpu_costs *xpd_ops_gpu_costs_make(const struct xpd_hlo *hlo,
                                                 struct xpd_hlo_printer *printer,
                                                 const uint8_t *bytes, size_t size);
void xpd_ops_gpu_costs_free(struct xpd_ops_gpu_costs *costs); /* NULL is legal */
/* Sets flops, bytes and access of `out`. */
void xpd_ops_gpu_cost_of(const struct xpd_ops_gpu_costs *costs, uint32_t instruction,
                         struct xpd_ops_instruction *out);

#endif
