/* Work of calls into a vendor's library, if it follows from shapes and config: matrix products of
 * cuBLAS and hipBLAS (XLA writes the same targets for both), convolutions of cuDNN and MIOpen,
 * attention; and of a Pallas kernel, whose author may give it. In: an instruction and its config.
 * Out: its matrix product, or its work. */
#include "cost_internal.h"
#include "xprofd/json/reader.h"

static bool is_product(struct xpd_str target)
{
    return xpd_str_eq(target, XPD_STR("__cublas$gemm")) ||
           xpd_str_starts(target, "__cublas$lt$matmul");
}

/* The product of the dimensions that a list of the config names; false for one that is not there.
 */
static bool product_of(const struct xpd_shape *shape, const struct xpd_json *list, int64_t *out)
{
    bool overflow = false;
    *out = 1;
    for (size_t i = 0; i < xpd_json_count(list); i++) {
        int64_t at;
        if (!xpd_json_to_i64(xpd_json_item(list, i), &at) || at < 0 || at >= shape->rank)
            return false;
        *out = xpd_mul_i64(*out, shape->dims[at], &overflow);
    }
    return !overflow && *out > 0;
}

static bool read_product(struct xpd_matmul *out, const struct xpd_json *dims,
                         const struct xpd_shape *lhs, const struct xpd_shape *rhs, int64_t result)
{
    int64_t k, k_rhs, batch, batch_rhs;
    bool overflow = false;
    if (!product_of(lhs, xpd_json_member(dims, "lhs_contracting_dimensions"), &k) ||
        !product_of(rhs, xpd_json_member(dims, "rhs_contracting_dimensions"), &k_rhs) ||
        !product_of(lhs, xpd_json_member(dims, "lhs_batch_dimensions"), &batch) ||
        !product_of(rhs, xpd_json_member(dims, "rhs_batch_dimensions"), &batch_rhs) || k != k_rhs ||
        batch != batch_rhs)
        return false;
    int64_t inner = xpd_mul_i64(k, batch, &overflow);
    int64_t m = xpd_shape_elements(lhs) / inner, n = xpd_shape_elements(rhs) / inner;
    int64_t all = xpd_mul_i64(xpd_mul_i64(m, n, &overflow), batch, &overflow);
    out->batch = batch;
    out->m = m;
    out->n = n;
    out->k = k;
    out->flops = xpd_mul_i64(2, xpd_mul_i64(all, k, &overflow), &overflow);
    return !overflow && all == result;
}

static bool library_product(struct xpd_cost_work *work, uint32_t instruction, struct xpd_str config,
                            struct xpd_matmul *out)
{
    const struct xpd_hlo *hlo = work->hlo;
    const struct xpd_shape *lhs = xpd_cost_operand_shape(hlo, instruction, 0);
    const struct xpd_shape *rhs = xpd_cost_operand_shape(hlo, instruction, 1);
    const struct xpd_shape *result = hlo->instructions.shape[instruction];
    if (!lhs || !rhs || lhs->element_count || rhs->element_count)
        return false;
    result = result->element_count ? &result->element[0] : result;
    struct xpd_json *doc = xpd_json_parse(config);
    const struct xpd_json *gemm = doc ? xpd_json_member(doc, "gemm_backend_config") : NULL;
    /* Older versions of XLA write the message without the one around it. */
    const struct xpd_json *dims = xpd_json_member(gemm ? gemm : doc, "dot_dimension_numbers");
    bool known = dims && read_product(out, dims, lhs, rhs, xpd_shape_elements(result));
    xpd_json_free(doc);
    out->instruction = instruction;
    return known;
}

bool xpd_cost_library(struct xpd_cost_work *work, uint32_t instruction, const struct xpd_raw *raw,
                      struct xpd_str config, struct xpd_matmul *out)
{
    struct xpd_str target =
        xpd_hlo_text(work->hlo, work->hlo->instructions.call_target[instruction]);
    if (is_product(target))
        return library_product(work, instruction, config, out);
    if (xpd_cost_is_attention(work->hlo, instruction))
        return xpd_cost_attention(work, instruction, config, out);
    return xpd_str_starts(target, "__cudnn$conv") &&
           xpd_cost_convolution(work, instruction, raw, out);
}

static int64_t count_in(const struct xpd_json *estimate, const char *key)
{
    int64_t value;
    bool known = xpd_json_to_i64(xpd_json_member(estimate, key), &value) && value >= 0;
    return known ? value : XPD_COST_UNKNOWN;
}

/* pallas_call(cost_estimate=...): bytes_accessed is what the kernel moves from and to HBM. */
bool xpd_cost_stated(struct xpd_costs *costs, uint32_t instruction, struct xpd_str config)
{
    if (xpd_str_find(config, XPD_STR("\"cost_estimate\""), false) == SIZE_MAX)
        return false;
    struct xpd_json *doc = xpd_json_parse(config);
    const struct xpd_json *call = doc ? xpd_json_member(doc, "custom_call_config") : NULL;
    const struct xpd_json *estimate = call ? xpd_json_member(call, "cost_estimate") : NULL;
    int64_t flops = estimate ? count_in(estimate, "flops") : XPD_COST_UNKNOWN;
    if (flops != XPD_COST_UNKNOWN) {
        int64_t transcendentals = count_in(estimate, "transcendentals");
        int64_t bytes = count_in(estimate, "bytes_accessed");
        costs->flops[instruction] = flops;
        costs->transcendentals[instruction] = transcendentals > 0 ? transcendentals : 0;
        /* Authors write 0 for unknown. */
        costs->bytes[instruction] = costs->hbm_bytes[instruction] =
            bytes > 0 ? bytes : XPD_COST_UNKNOWN;
    }
    xpd_json_free(doc);
    return flops != XPD_COST_UNKNOWN;
}
