/* GPU kernels that are alike: by name, launch, registers, shared memory and operation. Rules:
 * XProf's kernel_stats_utils.cc, and its answers about kernels of AMD. */
#include "gpu.h"
#include "xprofd/trace/kernel_details.h"

#include <stdlib.h>

static bool has(struct xpd_str text, const char *part)
{
    return xpd_str_find(text, xpd_str_of(part), false) != SIZE_MAX;
}

/* "Cijk_..._MI16x16x16x1...", "..._MI16x16x1_...": a kernel of Tensile that uses matrix
 * instructions. */
static bool is_tensile_matrix(struct xpd_str name)
{
    size_t at = xpd_str_find(name, XPD_STR("_MI"), false);
    while (xpd_str_starts(name, "Cijk_") && at != SIZE_MAX) {
        struct xpd_str rest = {name.data + at + 3, name.size - at - 3};
        uint32_t number, parts = 0;
        while (xpd_str_take_u32(&rest, &number) && ++parts < 3 && rest.size &&
               rest.data[0] == 'x') {
            rest.data++;
            rest.size--;
        }
        if (parts == 3)
            return true;
        struct xpd_str behind = {name.data + at + 1, name.size - at - 1};
        size_t next = xpd_str_find(behind, XPD_STR("_MI"), false);
        at = next == SIZE_MAX ? next : at + 1 + next;
    }
    return false;
}

static bool is_amd_matrix(struct xpd_str name)
{
    static const char *const parts[] = {"Custom_Cijk_",
                                        "mfma",
                                        "wmma",
                                        "_xdl",
                                        "gtcx",
                                        "aiter::",
                                        "FMHA_FWD",
                                        "TileFmhaShape<",
                                        "TileFmhaBwdShape<",
                                        "TileGemmShape<",
                                        "TileSageAttnShape<",
                                        "attn_fwd",
                                        "bwd_kernel_dk_dv",
                                        "gemm_fusion",
                                        "moe_gemm",
                                        "moe_mxgemm"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (has(name, parts[i]))
            return true;
    return is_tensile_matrix(name);
}

static bool is_nvidia_matrix(struct xpd_str name)
{
    static const char *const parts[] = {"16816",
                                        "c1688",
                                        "conv1x1",
                                        "conv2d_c1_k1",
                                        "dgrad_1x1_stride_2x2",
                                        "direct_group",
                                        "first_layer_wgrad_kernel",
                                        "h1688",
                                        "h884",
                                        "hmma",
                                        "i16832",
                                        "i8816",
                                        "s884",
                                        "s1688",
                                        "xmma_gemm",
                                        "xmma_implicit_gemm",
                                        "xmma_sparse_conv",
                                        "xmma_sparse_gemm",
                                        "xmma_warp_specialized_implicit_gemm"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (has(name, parts[i]))
            return true;
    return false;
}

bool xpd_ops_is_tensor_core_kernel(struct xpd_str vendor, struct xpd_str name)
{
    if (xpd_str_eq(vendor, XPD_STR("AMD")))
        return is_amd_matrix(name);
    return xpd_str_eq(vendor, XPD_STR("Nvidia")) && is_nvidia_matrix(name);
}

bool xpd_ops_is_eligible(struct xpd_str name)
{
    static const char *const ends[] = {"Conv2D",
                                       "Conv2DBackpropFilter",
                                       "Conv2DBackpropInput",
                                       "Conv3D",
                                       "DepthwiseConv2dNative",
                                       "DepthwiseConv2dNativeBackpropFilter",
                                       "DepthwiseConv2dNativeBackpropInput",
                                       "/MatMul",
                                       "FusedMatMul",
                                       "/CudnnRNN",
                                       "XlaDot",
                                       "XlaDotV2"};
    static const char *const parts[] = {"BatchMatMul",      "CudnnRNNV",   "CudnnRNNForward",
                                        "CudnnRNNBackprop", "dot_general", "conv_general_dilated"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (xpd_str_ends(name, ends[i]))
            return true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (has(name, parts[i]))
            return true;
    return false;
}

/* One "->", and one comma before it: two operands. */
bool xpd_ops_is_eligible_einsum(struct xpd_str equation)
{
    size_t arrows = 0, commas = 0;
    for (size_t i = 0; i < equation.size; i++) {
        bool arrow =
            i + 1 < equation.size && equation.data[i] == '-' && equation.data[i + 1] == '>';
        commas += arrows == 0 && equation.data[i] == ',';
        arrows += arrow;
    }
    return arrows == 1 && commas == 1;
}

/* ---- how it was launched ---- */

void xpd_ops_kernel_details(struct xpd_ops_kernel *kernel, struct xpd_str details)
{
    struct xpd_kernel_details said;
    xpd_kernel_details(&said, details);
    memcpy(kernel->block, said.block, sizeof said.block);
    memcpy(kernel->grid, said.grid, sizeof said.grid);
    kernel->registers = said.registers;
    kernel->static_shared_bytes = said.static_shared_bytes;
    kernel->dynamic_shared_bytes = said.dynamic_shared_bytes;
    kernel->occupancy_percent = said.occupancy_percent;
}

/* ---- those that are alike ---- */

static uint64_t key_of(const struct xpd_ops_kernel *kernel)
{
    uint32_t part[11] = {kernel->block[0],
                         kernel->block[1],
                         kernel->block[2],
                         kernel->grid[0],
                         kernel->grid[1],
                         kernel->grid[2],
                         kernel->registers,
                         kernel->static_shared_bytes,
                         kernel->dynamic_shared_bytes,
                         kernel->tensor_core,
                         kernel->eligible};
    uint64_t name = xpd_hash(kernel->name.data, kernel->name.size);
    uint64_t op = xpd_hash(kernel->op_name.data, kernel->op_name.size);
    return xpd_hash(part, sizeof part) ^ name * UINT64_C(0x9e3779b97f4a7c15) ^
           op * UINT64_C(0xc2b2ae3d27d4eb4f);
}

void xpd_ops_kernel_add(struct xpd_ops_gpu *gpu, const struct xpd_ops_kernel *sample)
{
    uint64_t key = key_of(sample);
    uint32_t at = xpd_map64_get(&gpu->kernel_of, key);
    if (at == XPD_NO_INDEX) {
        struct xpd_ops_kernel kernel = *sample;
        kernel.name = xpd_arena_str(gpu->arena, sample->name);
        kernel.op_name = xpd_arena_str(gpu->arena, sample->op_name);
        xpd_map64_put(&gpu->kernel_of, key, (uint32_t)gpu->kernel.count);
        XPD_PUSH(&gpu->kernel, kernel);
        return;
    }
    struct xpd_ops_kernel *kernel = &gpu->kernel.at[at];
    kernel->occurrences += sample->occurrences;
    kernel->total_ns += sample->total_ns;
    if (sample->min_ns < kernel->min_ns)
        kernel->min_ns = sample->min_ns;
    if (sample->max_ns > kernel->max_ns)
        kernel->max_ns = sample->max_ns;
}

static int by_number(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_total(const void *a, const void *b)
{
    const struct xpd_ops_kernel *x = a, *y = b;
    int order = by_number(y->total_ns, x->total_ns);
    order = order ? order : xpd_str_order(x->name, y->name);
    for (int i = 0; i < 3 && !order; i++)
        order = by_number(x->grid[i], y->grid[i]);
    for (int i = 0; i < 3 && !order; i++)
        order = by_number(x->block[i], y->block[i]);
    order = order ? order : by_number(x->registers, y->registers);
    order = order ? order : by_number(x->static_shared_bytes, y->static_shared_bytes);
    order = order ? order : by_number(x->dynamic_shared_bytes, y->dynamic_shared_bytes);
    order = order ? order : by_number(x->tensor_core, y->tensor_core);
    order = order ? order : by_number(x->eligible, y->eligible);
    return order ? order : xpd_str_order(x->op_name, y->op_name);
}

struct xpd_ops_kernels xpd_ops_kernels_top(struct xpd_ops_kernel *kernel, size_t count,
                                           struct xpd_arena *arena)
{
    enum { MOST = 1000 };
    if (count)
        qsort(kernel, count, sizeof *kernel, by_total);
    struct xpd_ops_kernels out = {.count = count < MOST ? (uint32_t)count : MOST};
    out.at = XPD_COPY_ARRAY(arena, kernel, out.count);
    out.count = out.at ? out.count : 0;
    return out;
}
