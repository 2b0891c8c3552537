/* XProf's op stats of a run or of one host: the data of its operation tools. Made once and kept
 * beside the run. Rules: XProf's xplane_to_op_stats.cc, op_stats_combiner.cc. */
#ifndef XPROFD_COMPAT_OPSTATS_OPSTATS_H
#define XPROFD_COMPAT_OPSTATS_OPSTATS_H

#include "host_table.h"
#include "opstats_metrics.h"
#include "xprofd/tools/tool.h"

enum xpd_ops_hardware { XPD_OPS_UNKNOWN, XPD_OPS_CPU, XPD_OPS_GPU, XPD_OPS_TPU };

/* Places in `gb_per_s`; GPUs have the first three. */
enum {
    XPD_BW_HBM,
    XPD_BW_SRAM_RD,
    XPD_BW_SRAM_WR,
    XPD_BW_CMEM_RD,
    XPD_BW_CMEM_WR,
    XPD_BW_VMEM_RD,
    XPD_BW_VMEM_WR,
    XPD_BW_COUNT
};

struct xpd_ops_peaks {
    double tflops, gb_per_s[XPD_BW_COUNT];
    uint32_t count; /* of gb_per_s; 0 = no device */
    bool has_cmem, has_merged_vmem, has_megacore;
};

struct xpd_ops_kernel { /* GPU kernels that are alike */
    struct xpd_str name, op_name;
    uint32_t block[3], grid[3], registers, static_shared_bytes, dynamic_shared_bytes;
    double occupancy_percent;
    bool tensor_core, eligible;
    uint64_t occurrences, total_ns, min_ns, max_ns;
};
struct xpd_ops_kernels {
    struct xpd_ops_kernel *at; /* by total, longest first */
    uint32_t count;
};

struct xpd_xprof_program {
    uint64_t id;
    struct xpd_str name;
};

struct xpd_op_stats {
    struct xpd_str device_type; /* "TPU v6 Lite", "CPU", ... */
    enum xpd_ops_hardware hardware;
    uint32_t core_count;
    struct xpd_ops_peaks peaks;
    struct xpd_ops_db device, host;
    struct xpd_ops_kernels kernels;
    struct xpd_xprof_program *program;
    uint32_t program_count;
    bool has_complete; /* it has an entry for operations in steps, possibly empty */
};

/* Of host=, else of all hosts. Waits for the events; XPD_ENOTFOUND for a host that the run does not
 * have. Valid as long as the run is held. */
int xpd_op_stats_of(const struct xpd_tool_ctx *ctx, const struct xpd_op_stats **out,
                    struct xpd_err *err);
/* Of one host, by number. */
int xpd_op_stats_of_host(const struct xpd_tool_ctx *ctx, uint32_t host,
                         const struct xpd_op_stats **out, struct xpd_err *err);
extern const struct xpd_host_table xpd_op_stats_table;

/* peaks.c */
struct xpd_xspace;
struct xpd_plane;
void xpd_ops_peaks_of(struct xpd_ops_peaks *out, const struct xpd_xspace *space,
                      const struct xpd_plane *plane);
struct xpd_str xpd_ops_gpu_vendor(const struct xpd_xspace *space, const struct xpd_plane *plane);
struct xpd_str xpd_ops_gpu_name(const struct xpd_xspace *space, const struct xpd_plane *plane,
                                struct xpd_arena *arena);

/* XProf's arithmetic, in its order: 0 where the divisor is. */
static inline double xpd_ops_divide(double a, double b)
{
    return b < 1e-10 && b > -1e-10 ? 0 : a / b;
}
#define XPD_OPS_GIBI 1.073741824 /* GB in a GiB */

#endif
