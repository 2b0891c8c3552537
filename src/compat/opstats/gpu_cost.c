/* See gpu_cost.h. Rules: XLA's hlo_cost_analysis.cc and gpu_hlo_cost_analysis.cc, XProf's
 * xprof_gpu_cost_analysis.cc. Amounts are floats and are added in XLA's order: a result may differ
 * from the exact one in its eighth digit, as XProf's does. */
#include "gpu_cost.h"

#include "xprofd/base/checked.h"
#include "xprofd/hlo/cost.h"
#include "xprofd/hlo/groups.h"
#include "xprofd/hlo/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FUSED_MOST = 4096, DEPTH_MOST = 32 }; /* of a fusion; above this limit it has no figures */

struct bytes {
    float all;             /* during summation */
    int64_t read, written; /* in the device's memory; added up exactly */
};

struct memo {                             /* of a computation, which others may call many times */
    bool has_flops, has_fused, has_bytes; /* set as the work begins: one that calls itself adds 0 */
    float flops, fused; /* of all its instructions; of the parts that a fusion uses */
    struct bytes bytes;
};

struct xpd_ops_gpu_costs { /* for one thread */
    const struct xpd_hlo *hlo;
    struct xpd_hlo_printer *printer;
    struct xpd_arena arena;
    struct xpd_costs exact; /* dots, convolutions and windows */
    struct memo *memo;      /* by computation */
};

struct xpd_ops_gpu_costs *xpd_ops_gpu_costs_make(const struct xpd_hlo *hlo,
                                                 struct xpd_hlo_printer *printer,
                                                 const uint8_t *bytes, size_t size)
{
    struct xpd_ops_gpu_costs *costs = calloc(1, sizeof *costs);
    struct xpd_err why = {0};
    if (!costs)
        return NULL;
    costs->hlo = hlo;
    costs->printer = printer;
    costs->memo = XPD_NEW_ARRAY(&costs->arena, struct memo, (size_t)hlo->computations.count + 1);
    if (costs->memo &&
        xpd_costs_make(&costs->exact, &costs->arena, hlo, bytes, size, &why) == XPD_OK)
        return costs;
    xpd_ops_gpu_costs_free(costs);
    return NULL;
}

void xpd_ops_gpu_costs_free(struct xpd_ops_gpu_costs *costs)
{
    if (costs)
        xpd_arena_fini(&costs->arena);
    free(costs);
}

/* ---- numbers: a damaged file may give any size ---- */

static int64_t whole(float amount)
{
    const float most = 9223371487098961920.0f; /* the largest float below 2^63 */
    return amount >= most ? INT64_MAX : amount <= -most ? -INT64_MAX : (int64_t)amount;
}

/* ---- shapes ---- */

static struct xpd_str opcode_of(const struct xpd_hlo *hlo, uint32_t i)
{
    return xpd_hlo_text(hlo, hlo->instructions.opcode[i]);
}

static bool is(const struct xpd_hlo *hlo, uint32_t i, const char *opcode)
{
    return xpd_str_eq(opcode_of(hlo, i), xpd_str_of(opcode));
}

static bool is_any(struct xpd_str opcode, const char *const *list)
{
    for (; *list; list++)
        if (xpd_str_eq(opcode, xpd_str_of(*list)))
            return true;
    return false;
}

static const struct xpd_shape *shape_of(const struct xpd_hlo *hlo, uint32_t i)
{
    return hlo->instructions.shape[i];
}

static uint32_t operand_of(const struct xpd_hlo *hlo, uint32_t i, uint32_t k)
{
    uint32_t at = hlo->instructions.operand_first[i] + k;
    return at < hlo->instructions.operand_first[i + 1] ? hlo->instructions.operand[at]
                                                       : XPD_NO_INDEX;
}

static uint32_t operand_count(const struct xpd_hlo *hlo, uint32_t i)
{
    return hlo->instructions.operand_first[i + 1] - hlo->instructions.operand_first[i];
}

static uint32_t called_of(const struct xpd_hlo *hlo, uint32_t i, uint32_t k)
{
    uint32_t at = hlo->instructions.called_first[i] + k;
    return at < hlo->instructions.called_first[i + 1] ? hlo->instructions.called[at] : XPD_NO_INDEX;
}

static int64_t elements_of(const struct xpd_shape *shape)
{
    return xpd_shape_elements(shape);
}

static int64_t all_elements(const struct xpd_shape *shape, int depth)
{
    int64_t all = 0;
    if (shape->element_count == 0)
        return elements_of(shape);
    for (uint32_t i = 0; i < shape->element_count && depth < DEPTH_MOST; i++)
        xpd_grow_i64(&all, all_elements(&shape->element[i], depth + 1));
    return all;
}

static int64_t operand_elements(const struct xpd_hlo *hlo, uint32_t i, uint32_t k)
{
    uint32_t operand = operand_of(hlo, i, k);
    return operand == XPD_NO_INDEX ? 0 : elements_of(shape_of(hlo, operand));
}

/* Types below a byte take one each where the layout gives no size of an element, to XProf. */
static int64_t bytes_at(const struct xpd_shape *shape, int depth)
{
    int64_t sum = 0;
    if (shape->element_count == 0)
        return xpd_shape_unpadded_bytes_xprof(shape, NULL);
    for (uint32_t i = 0; i < shape->element_count && depth < DEPTH_MOST; i++)
        xpd_grow_i64(&sum, bytes_at(&shape->element[i], depth + 1));
    return sum;
}

static int64_t bytes_of(const struct xpd_shape *shape)
{
    return bytes_at(shape, 0);
}

static int64_t operand_bytes(const struct xpd_hlo *hlo, uint32_t i, uint32_t k)
{
    uint32_t operand = operand_of(hlo, i, k);
    return operand == XPD_NO_INDEX ? 0 : bytes_of(shape_of(hlo, operand));
}

/* ---- FLOPs ---- */

enum { S8 = 2, S16, S32, S64, U8, U16, U32, U64, F16, F32, F64, C64 = 15, C128 = 18 };

/* What an element takes where it is not 3, as XProf 2.24.2 answered for a program of every
 * elementwise operation on every type. */
static const struct {
    const char *opcode;
    int16_t type;
    uint16_t flops;
} slow[] = {{"add", F64, 97},
            {"add", C128, 97},
            {"subtract", F64, 97},
            {"subtract", C128, 97},
            {"multiply", F64, 97},
            {"multiply", C128, 270},
            {"divide", S8, 370},
            {"divide", S16, 367},
            {"divide", S32, 306},
            {"divide", S64, 918},
            {"divide", U8, 306},
            {"divide", U16, 302},
            {"divide", U32, 115},
            {"divide", U64, 838},
            {"divide", F64, 2016},
            {"divide", C64, 687},
            {"divide", C128, 7941},
            {"power", S8, 392},
            {"power", S16, 396},
            {"power", S64, 601},
            {"power", U8, 388},
            {"power", U16, 399},
            {"power", U64, 604},
            {"power", F16, 975},
            {"power", F32, 925},
            {"power", F64, 5511},
            {"power", C64, 3351},
            {"power", C128, 18205},
            {"atan2", F16, 482},
            {"atan2", F32, 486},
            {"atan2", F64, 3747},
            {"atan2", C64, 5353},
            {"atan2", C128, 39027},
            {"cbrt", F16, 925},
            {"cbrt", F32, 867},
            {"cbrt", F64, 6339},
            {"cosine", F16, 691},
            {"cosine", F32, 662},
            {"cosine", F64, 1717},
            {"cosine", C128, 6613},
            {"sine", F32, 662},
            {"sine", F64, 1789},
            {"sine", C128, 5878},
            {"tanh", F16, 212},
            {"tanh", F32, 190},
            {"tanh", F64, 1609},
            {"tanh", C128, 9939},
            {"logistic", F16, 226},
            {"logistic", F32, 176},
            {"logistic", F64, 2412},
            {"exponential", F16, 108},
            {"exponential", F32, 86},
            {"exponential", F64, 1652},
            {"exponential", C64, 1360},
            {"exponential", C128, 4028},
            {"exponential-minus-one", F16, 396},
            {"exponential-minus-one", F32, 381},
            {"exponential-minus-one", F64, 1900},
            {"exponential-minus-one", C64, 1400},
            {"exponential-minus-one", C128, 4161},
            {"log", F16, 266},
            {"log", F32, 244},
            {"log", F64, 608},
            {"log", C64, 950},
            {"log", C128, 7599},
            {"log-plus-one", F16, 284},
            {"log-plus-one", F32, 262},
            {"log-plus-one", F64, 2073},
            {"log-plus-one", C64, 842},
            {"log-plus-one", C128, 6962},
            {"rsqrt", F16, 97},
            {"rsqrt", F32, 75},
            {"rsqrt", F64, 698},
            {"rsqrt", C64, 2383},
            {"rsqrt", C128, 11318},
            {"sqrt", F16, 97},
            {"sqrt", F32, 75},
            {"sqrt", F64, 986},
            {"sqrt", C64, 3193},
            {"sqrt", C128, 15606}};

static int64_t flops_of_element(struct xpd_str opcode, int32_t type)
{
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
        if (slow[i].type == type && xpd_str_eq(opcode, xpd_str_of(slow[i].opcode)))
            return slow[i].flops;
    return 3;
}

static float flops_of(const struct xpd_ops_gpu_costs *costs, uint32_t i, int depth);

/* Of all of its instructions, in their order. */
static float flops_in(const struct xpd_ops_gpu_costs *costs, uint32_t computation, int depth)
{
    const struct xpd_hlo_computations *all = &costs->hlo->computations;
    float sum = 0;
    if (computation == XPD_NO_INDEX || depth > DEPTH_MOST)
        return 0;
    struct memo *memo = &costs->memo[computation];
    if (memo->has_flops)
        return memo->flops;
    memo->has_flops = true;
    for (uint32_t k = 0; k < all->instruction_count[computation]; k++)
        sum += flops_of(costs, all->first[computation] + k, depth + 1);
    memo->flops = sum;
    return sum;
}

/* Compares where it goes on: a first part that does not fill a warp costs far more. */
static float concatenate_flops(const struct xpd_hlo *hlo, uint32_t i)
{
    enum { WARP = 32 };
    const struct xpd_shape *shape = shape_of(hlo, i);
    int64_t elements = all_elements(shape, 0), each = 6;
    uint32_t dim = 0; /* the one in which the first operand is smaller */
    uint32_t first = operand_of(hlo, i, 0);
    const struct xpd_shape *part = first == XPD_NO_INDEX ? shape : shape_of(hlo, first);
    while (dim + 1 < shape->rank && dim < part->rank && part->dims[dim] == shape->dims[dim])
        dim++;
    if (dim > 0 && dim < part->rank && part->dims[dim] % WARP != 0)
        each = 400;
    return (float)xpd_times_i64(each, elements);
}

static float ceiling_of_log2(int64_t value)
{
    float bits = 0;
    for (int64_t power = 1; power < value && power < INT64_MAX / 2; power *= 2)
        bits++;
    return bits;
}

static bool is_cudnn_convolution(const struct xpd_hlo *hlo, uint32_t i)
{
    static const char *const targets[] = {
        "__cudnn$convForward",        "__cudnn$convBackwardInput",
        "__cudnn$convBackwardFilter", "__cudnn$convBiasActivationForward",
        "__cudnn$convForwardGraph",   NULL};
    return is(hlo, i, "custom-call") &&
           is_any(xpd_hlo_text(hlo, hlo->instructions.call_target[i]), targets);
}

static float fusion_flops(const struct xpd_ops_gpu_costs *costs, uint32_t i, float *use, int depth);

/* Of a fusion in another computation. */
static float fused_flops(const struct xpd_ops_gpu_costs *costs, uint32_t i, int depth)
{
    uint32_t body = called_of(costs->hlo, i, 0);
    if (body == XPD_NO_INDEX)
        return 0;
    struct memo *memo = &costs->memo[body];
    if (!memo->has_fused) {
        memo->has_fused = true;
        memo->fused = fusion_flops(costs, i, NULL, depth);
    }
    return memo->fused;
}

static float larger_branch(const struct xpd_ops_gpu_costs *costs, uint32_t i, int depth)
{
    float most = 0;
    for (uint32_t k = 0; called_of(costs->hlo, i, k) != XPD_NO_INDEX; k++)
        most = fmaxf(most, flops_in(costs, called_of(costs->hlo, i, k), depth));
    return most;
}

static float reduced(const struct xpd_ops_gpu_costs *costs, uint32_t i, int depth)
{
    const struct xpd_shape *shape = shape_of(costs->hlo, i);
    int64_t results = elements_of(shape->element_count ? &shape->element[0] : shape);
    return flops_in(costs, called_of(costs->hlo, i, 0), depth) *
           (float)(operand_elements(costs->hlo, i, 0) - results);
}

/* As often as a window meets another element; src/hlo/cost/cost.c counts the same times. */
static float windowed(const struct xpd_ops_gpu_costs *costs, uint32_t i, int depth)
{
    const struct xpd_hlo_computations *all = &costs->hlo->computations;
    uint32_t body = called_of(costs->hlo, i, 0);
    int64_t exact = 0;
    for (uint32_t k = 0; body != XPD_NO_INDEX && k < all->instruction_count[body]; k++)
        if (costs->exact.flops[all->first[body] + k] > 0)
            xpd_grow_i64(&exact, costs->exact.flops[all->first[body] + k]);
    if (exact == 0 || costs->exact.flops[i] == XPD_COST_UNKNOWN)
        return 0;
    int64_t often = costs->exact.flops[i] / exact; /* whole times */
    return flops_in(costs, body, depth) * (float)often;
}

/* cuBLASLt: the contracted dimensions are in its config. */
static bool is_product(const struct xpd_hlo *hlo, uint32_t i)
{
    static const char *const targets[] = {"__cublas$lt$matmul", "__cublas$lt$matmul$f8", NULL};
    return is(hlo, i, "custom-call") && operand_of(hlo, i, 0) != XPD_NO_INDEX &&
           is_any(xpd_hlo_text(hlo, hlo->instructions.call_target[i]), targets);
}

static float product_flops(const struct xpd_ops_gpu_costs *costs, uint32_t i)
{
    static const struct xpd_str key = {"\"lhs_contracting_dimensions\":[", 30};
    const struct xpd_shape *left = shape_of(costs->hlo, operand_of(costs->hlo, i, 0));
    const struct xpd_shape *shape = shape_of(costs->hlo, i);
    struct xpd_str config = xpd_hlo_config(costs->printer, i, 0);
    size_t at = xpd_str_find(config, key, false);
    int64_t width = 1;
    uint32_t dim;
    for (at = at == SIZE_MAX ? config.size : at + key.size;
         at < config.size && config.data[at] != ']'; at++) {
        struct xpd_str rest = {config.data + at, config.size - at};
        if (!xpd_str_take_u32(&rest, &dim))
            continue;
        width = xpd_times_i64(width, dim < left->rank ? left->dims[dim] : 1);
        at = (size_t)(rest.data - config.data) - 1;
    }
    int64_t elements = elements_of(shape->element_count ? &shape->element[0] : shape);
    return (float)xpd_times_i64(xpd_times_i64(2, elements), width);
}

/* 8 operations an element and halving; lengths that are no power of two are rounded down. */
static float fft_flops(const struct xpd_ops_gpu_costs *costs, uint32_t i)
{
    struct xpd_arena arena = {0};
    struct xpd_str lengths =
        xpd_hlo_attribute(costs->printer, i, XPD_PRINT_XPROF, "fft_length", &arena);
    int64_t halvings = 1;
    for (uint32_t length; lengths.size > 0;) {
        if (!xpd_str_take_u32(&lengths, &length)) {
            lengths = (struct xpd_str){lengths.data + 1, lengths.size - 1};
            continue;
        }
        int64_t bits = 0;
        for (; length > 1; length /= 2)
            bits++;
        halvings = xpd_times_i64(halvings, bits);
    }
    xpd_arena_fini(&arena);
    return (float)xpd_times_i64(xpd_times_i64(8, halvings), operand_elements(costs->hlo, i, 0));
}

/* By the labels, although a gradient has other operands. */
static float convolution_flops(const struct xpd_ops_gpu_costs *costs, uint32_t i)
{
    uint32_t at = costs->exact.matmul[i];
    const struct xpd_matmul *of = at == XPD_NO_INDEX ? NULL : &costs->exact.matmuls[at];
    return of && of->instruction == i ? (float)of->flops_as_forward : -1;
}

static int64_t last_dim_of(const struct xpd_hlo *hlo, uint32_t i, uint32_t k)
{
    uint32_t operand = operand_of(hlo, i, k);
    const struct xpd_shape *shape = operand == XPD_NO_INDEX ? NULL : shape_of(hlo, operand);
    return shape && shape->rank ? shape->dims[shape->rank - 1] : 1;
}

/* What devices add to each other: the operation of the computation applied, once an element. */
static float joined_flops(const struct xpd_hlo *hlo, uint32_t i)
{
    const struct xpd_shape *shape = shape_of(hlo, i);
    uint32_t body = called_of(hlo, i, 0);
    uint32_t root = body == XPD_NO_INDEX ? XPD_NO_INDEX : hlo->computations.root[body];
    int64_t each = root == XPD_NO_INDEX ? 3 : flops_of_element(opcode_of(hlo, root), shape->type);
    return (float)xpd_times_i64(each, all_elements(shape, 0));
}

/* Scatters of several arrays: their operands, the indexes, their updates. */
static uint32_t first_update(const struct xpd_hlo *hlo, uint32_t i)
{
    return (operand_count(hlo, i) - 1) / 2 + 1;
}

static float exact_flops(const struct xpd_ops_gpu_costs *costs, uint32_t i)
{
    return costs->exact.flops[i] == XPD_COST_UNKNOWN ? 0 : (float)costs->exact.flops[i];
}

static float flops_of(const struct xpd_ops_gpu_costs *costs, uint32_t i, int depth)
{
    static const char *const exact[] = {"dot", "cholesky", NULL};
    static const char *const joins[] = {"all-reduce", "all-reduce-start", "reduce-scatter", NULL};
    const struct xpd_hlo *hlo = costs->hlo;
    struct xpd_str opcode = opcode_of(hlo, i);
    if (depth > DEPTH_MOST)
        return 0;
    if (is_any(opcode, exact))
        return exact_flops(costs, i);
    if (is(hlo, i, "fft"))
        return fft_flops(costs, i);
    if (is(hlo, i, "triangular-solve"))
        return (float)xpd_times_i64(xpd_times_i64(2, last_dim_of(hlo, i, 0)),
                                    operand_elements(hlo, i, 1));
    if (is(hlo, i, "map"))
        return flops_in(costs, called_of(hlo, i, 0), depth) * (float)elements_of(shape_of(hlo, i));
    if (xpd_hlo_is_elementwise(opcode) && !is(hlo, i, "rng"))
        return (float)xpd_times_i64(flops_of_element(opcode, shape_of(hlo, i)->type),
                                    all_elements(shape_of(hlo, i), 0));
    if (is(hlo, i, "reduce-window") || is(hlo, i, "select-and-scatter"))
        return windowed(costs, i, depth);
    if (is(hlo, i, "reduce"))
        return reduced(costs, i, depth);
    if (is(hlo, i, "scatter"))
        return flops_in(costs, called_of(hlo, i, 0), depth) *
               (float)operand_elements(hlo, i, first_update(hlo, i));
    if (is(hlo, i, "fusion"))
        return fused_flops(costs, i, depth);
    if (is(hlo, i, "concatenate"))
        return concatenate_flops(hlo, i);
    if (is_any(opcode, joins))
        return joined_flops(hlo, i);
    if (is(hlo, i, "sort"))
        return (float)operand_elements(hlo, i, 0) * ceiling_of_log2(operand_elements(hlo, i, 0));
    if (is(hlo, i, "call") || is(hlo, i, "while") || is(hlo, i, "async-start"))
        return flops_in(costs, called_of(hlo, i, 0), depth) +
               (is(hlo, i, "while") ? flops_in(costs, called_of(hlo, i, 1), depth) : 0);
    if (is(hlo, i, "conditional"))
        return larger_branch(costs, i, depth);
    if (is(hlo, i, "convolution") || is_cudnn_convolution(hlo, i))
        return convolution_flops(costs, i);
    if (is_product(hlo, i))
        return product_flops(costs, i);
    return is(hlo, i, "custom-call") ? -1 : 0;
}

/* ---- parts of its operands that a fusion uses ---- */

/* How much of operand k the instruction uses, for all that it gives. */
static float use_of_operand(const struct xpd_hlo *hlo, uint32_t i, uint32_t k, bool is_root)
{
    double mine = (double)elements_of(shape_of(hlo, i));
    double whole = (double)operand_elements(hlo, i, 0);
    const struct xpd_shape *result = shape_of(hlo, i);
    if (is(hlo, i, "reduce") && k >= operand_count(hlo, i) / 2) /* a first value of each result */
        return (float)elements_of(result->element_count ? &result->element[0] : result);
    if (k != 0 || whole == 0)
        return 1;
    if (is(hlo, i, "slice") || is(hlo, i, "dynamic-slice") || is(hlo, i, "gather"))
        return (float)(mine / whole);
    if (is(hlo, i, "dynamic-update-slice"))
        return is_root ? 0 : (float)((mine - (double)operand_elements(hlo, i, 1)) / mine);
    return 1;
}

struct body { /* of a fusion; indexes count from its first instruction */
    const struct xpd_hlo *hlo;
    uint32_t first, count, root;
    float *of_root;  /* share used by users that are not elementwise */
    uint64_t *roots; /* bits: for which of those an instruction computes elements */
    uint32_t words;
};

static bool passes_elements(const struct xpd_hlo *hlo, uint32_t i)
{
    struct xpd_str opcode = opcode_of(hlo, i);
    return xpd_hlo_is_elementwise(opcode) || is(hlo, i, "copy") || is(hlo, i, "tuple") ||
           is(hlo, i, "get-tuple-element");
}

static void use_operand(struct body *b, uint32_t at, uint32_t k, float use)
{
    uint32_t i = b->first + at, operand = operand_of(b->hlo, i, k);
    if (operand < b->first || operand >= b->first + b->count)
        return;
    uint32_t to = operand - b->first;
    uint64_t *roots = b->roots + (size_t)to * b->words;
    if (passes_elements(b->hlo, i)) {
        for (uint32_t w = 0; w < b->words; w++)
            roots[w] |= b->roots[(size_t)at * b->words + w];
        return;
    }
    bool kept = i == b->root;
    for (uint32_t r = 0; is(b->hlo, b->root, "tuple") && r < operand_count(b->hlo, b->root); r++)
        kept |= operand_of(b->hlo, b->root, r) == i;
    float part = use * use_of_operand(b->hlo, i, k, kept);
    int64_t elements = all_elements(shape_of(b->hlo, operand), 0);
    roots[to / 64] |= UINT64_C(1) << to % 64;
    b->of_root[to] += elements == 0 ? 0 : (float)(ceilf(part * (float)elements) / (float)elements);
}

static float use_of(const struct body *b, uint32_t at)
{
    const uint64_t *roots = b->roots + (size_t)at * b->words;
    float use = 0;
    for (uint32_t r = 0; r < b->count; r++)
        if (roots[r / 64] >> r % 64 & 1)
            use += b->of_root[r];
    return use;
}

/* Users first, so in the file's order backwards. `use`: of each instruction, if it is wanted. */
static float fusion_flops(const struct xpd_ops_gpu_costs *costs, uint32_t i, float *use, int depth)
{
    const struct xpd_hlo_computations *all = &costs->hlo->computations;
    uint32_t body = called_of(costs->hlo, i, 0);
    if (body == XPD_NO_INDEX || all->root[body] == XPD_NO_INDEX ||
        all->instruction_count[body] > FUSED_MOST)
        return 0;
    struct body b = {.hlo = costs->hlo,
                     .first = all->first[body],
                     .count = all->instruction_count[body],
                     .root = all->root[body]};
    b.words = (b.count + 63) / 64;
    b.of_root = calloc(b.count, sizeof *b.of_root);
    b.roots = calloc((size_t)b.count * b.words, sizeof *b.roots);
    float sum = 0;
    if (b.of_root && b.roots) {
        uint32_t root = b.root - b.first;
        b.of_root[root] = 1;
        b.roots[(size_t)root * b.words + root / 64] |= UINT64_C(1) << root % 64;
    }
    for (uint32_t at = b.count; b.of_root && b.roots && at-- > 0;) {
        float mine = use_of(&b, at);
        if (use)
            use[at] = mine;
        sum += mine * flops_of(costs, b.first + at, depth + 1);
        for (uint32_t k = 0; k < operand_count(b.hlo, b.first + at); k++)
            use_operand(&b, at, k, mine);
    }
    free(b.of_root);
    free(b.roots);
    return sum;
}

/* ---- bytes ---- */

static bool in_memory(const struct xpd_shape *shape)
{
    return shape->element_count == 0 && (!shape->layout || shape->layout->memory_space == 0);
}

/* Each amount is a float, their sum is not. */
static int64_t rounded(int64_t amount)
{
    float nearest = (float)amount;
    return whole(nearest);
}

static void add_read(struct bytes *bytes, const struct xpd_shape *shape, int64_t amount)
{
    if (in_memory(shape))
        xpd_grow_i64(&bytes->read, rounded(amount));
}

static void add_written(struct bytes *bytes, const struct xpd_shape *shape, int64_t amount)
{
    if (in_memory(shape))
        xpd_grow_i64(&bytes->written, rounded(amount));
}

static int64_t result_bytes(const struct xpd_hlo *hlo, uint32_t root, const struct xpd_shape *shape)
{
    bool update = root != XPD_NO_INDEX && is(hlo, root, "dynamic-update-slice");
    return update ? operand_bytes(hlo, root, 1) : bytes_of(shape);
}

static void write_results(struct bytes *bytes, const struct xpd_hlo *hlo, uint32_t root,
                          const struct xpd_shape *shape)
{
    bool tuple = is(hlo, root, "tuple");
    if (shape->element_count == 0) {
        int64_t size = result_bytes(hlo, root, shape);
        bytes->all += (float)size;
        add_written(bytes, shape, size);
    }
    for (uint32_t i = 0; i < shape->element_count; i++) {
        int64_t size =
            result_bytes(hlo, tuple ? operand_of(hlo, root, i) : XPD_NO_INDEX, &shape->element[i]);
        bytes->all += (float)size;
        add_written(bytes, &shape->element[i], size);
    }
}

static float capped(float use)
{
    return fminf(use, 1.0f);
}

static void fusion_bytes(const struct xpd_ops_gpu_costs *costs, uint32_t i, const float *use,
                         struct bytes *bytes)
{
    enum { IMMEDIATE = 8 }; /* elements of a constant in the code */
    const struct xpd_hlo *hlo = costs->hlo;
    uint32_t body = called_of(hlo, i, 0), first = hlo->computations.first[body];
    uint32_t count = hlo->computations.instruction_count[body];
    write_results(bytes, hlo, hlo->computations.root[body], shape_of(hlo, i));
    for (uint32_t at = 0; at < count; at++)
        if (is(hlo, first + at, "constant") && elements_of(shape_of(hlo, first + at)) > IMMEDIATE)
            bytes->all += (float)bytes_of(shape_of(hlo, first + at)) * capped(use[at]);
    for (int64_t number = 0; number < operand_count(hlo, i); number++)
        for (uint32_t at = 0; at < count; at++) {
            const struct xpd_shape *shape = shape_of(hlo, first + at);
            if (!is(hlo, first + at, "parameter") ||
                hlo->instructions.parameter_number[first + at] != number)
                continue;
            int64_t size = whole((float)bytes_of(shape) * capped(use[at]));
            bytes->all += (float)size;
            add_read(bytes, shape, size);
        }
}

/* Reads and writes as large as its result; what else it takes are indexes. */
static void moved_bytes(const struct xpd_hlo *hlo, uint32_t i, int64_t size, uint32_t index,
                        uint32_t from, struct bytes *bytes)
{
    int64_t indexes = index ? operand_bytes(hlo, i, index) : 0;
    uint32_t source = operand_of(hlo, i, from);
    int64_t all = xpd_times_i64(size, 2);
    xpd_grow_i64(&all, indexes);
    bytes->all = (float)all;
    if (source != XPD_NO_INDEX)
        add_read(bytes, shape_of(hlo, source), size);
    for (uint32_t k = index; index && k < operand_count(hlo, i); k++) /* only the first is in all */
        if (operand_of(hlo, i, k) != XPD_NO_INDEX)
            add_read(bytes, shape_of(hlo, operand_of(hlo, i, k)), operand_bytes(hlo, i, k));
    add_written(bytes, shape_of(hlo, i), size);
}

/* Parts of a tuple; only an infeed has them separately. */
static void add_parts_written(struct bytes *bytes, const struct xpd_shape *shape, int depth)
{
    add_written(bytes, shape, bytes_of(shape));
    for (uint32_t i = 0; i < shape->element_count && depth < DEPTH_MOST; i++)
        add_parts_written(bytes, &shape->element[i], depth + 1);
}

static void plain_bytes(const struct xpd_hlo *hlo, uint32_t i, struct bytes *bytes)
{
    const struct xpd_shape *shape = shape_of(hlo, i);
    bool reduces = is(hlo, i, "reduce");
    if (is(hlo, i, "custom-call") && shape->element_count)
        shape =
            &shape->element[0]; /* not the room that it works in; and not as written, to XProf */
    else if (is(hlo, i, "infeed"))
        add_parts_written(bytes, shape, 0);
    else
        add_written(bytes, shape, bytes_of(shape));
    bytes->all = (float)bytes_of(shape);
    for (uint32_t k = 0; k < operand_count(hlo, i); k++) {
        uint32_t operand = operand_of(hlo, i, k);
        if (operand == XPD_NO_INDEX)
            continue;
        int64_t size = bytes_of(shape_of(hlo, operand));
        if (reduces && k >= operand_count(hlo, i) / 2) /* a first value, read for each result */
            size =
                xpd_times_i64(size, elements_of(shape->element_count ? &shape->element[0] : shape));
        bytes->all += (float)size;
        add_read(bytes, shape_of(hlo, operand), size);
    }
    if (is(hlo, i, "all-reduce-start"))
        bytes->all = (float)bytes_of(shape); /* in place, XProf takes it */
}

/* Devices of a group; 1 where XProf reads none, as it takes a module for one of one device. */
static int64_t group_size(const struct xpd_ops_gpu_costs *costs, uint32_t i)
{
    struct xpd_arena arena = {0};
    struct xpd_groups groups = {0};
    struct xpd_err err = {0};
    int64_t most = 1;
    struct xpd_str value =
        xpd_hlo_attribute(costs->printer, i, XPD_PRINT_XPROF, "replica_groups", &arena);
    if (value.size && xpd_groups_parse(&groups, &arena, value, &err) == XPD_OK)
        for (uint32_t k = 0; k < groups.count; k++) {
            int64_t size = (int64_t)groups.first[k + 1] - groups.first[k];
            most = size > most ? size : most;
        }
    xpd_arena_fini(&arena);
    return most;
}

/* Gathers and scatters between devices go round a ring: each part of n is read n times and written
 * 2n - 1 times. Read and written as they stand are the operands and the result. */
static void ring_bytes(const struct xpd_ops_gpu_costs *costs, uint32_t i, struct bytes *bytes)
{
    const struct xpd_hlo *hlo = costs->hlo;
    const struct xpd_shape *shape = shape_of(hlo, i);
    int64_t devices = group_size(costs, i), all = 0;
    plain_bytes(hlo, i, bytes);
    if (is(hlo, i, "reduce-scatter"))
        for (uint32_t k = 0; k < operand_count(hlo, i); k++)
            xpd_grow_i64(&all, operand_bytes(hlo, i, k));
    else if (is(hlo, i, "all-gather-start") && shape->element_count == 2)
        all = bytes_of(&shape->element[1]);
    else
        all = bytes_of(shape);
    all = xpd_times_i64(all / devices, 3 * devices - 1); /* whole parts */
    bytes->all = (float)all;
}

/* Reads and writes the updated part, in place. */
static void scatter_bytes(const struct xpd_hlo *hlo, uint32_t i, struct bytes *bytes)
{
    uint32_t update = first_update(hlo, i), arrays = update - 1;
    int64_t indexes = operand_bytes(hlo, i, arrays), all = indexes;
    for (uint32_t k = 0; k < arrays; k++) {
        int64_t size = operand_bytes(hlo, i, update + k);
        xpd_grow_i64(&all, xpd_times_i64(3, size));
        xpd_grow_i64(&bytes->read, xpd_times_i64(2, size));
    }
    xpd_grow_i64(&bytes->read, indexes);
    add_written(bytes, shape_of(hlo, i), operand_bytes(hlo, i, update));
    bytes->all = (float)all;
}

/* Half of a matrix that is triangular. */
static void triangular_bytes(const struct xpd_hlo *hlo, uint32_t i, struct bytes *bytes)
{
    int64_t half = operand_bytes(hlo, i, 0) / 2;
    bool solves = is(hlo, i, "triangular-solve");
    int64_t all = bytes_of(shape_of(hlo, i)) / (solves ? 1 : 2);
    bytes->written = all;
    bytes->read = half;
    xpd_grow_i64(&bytes->read, solves ? operand_bytes(hlo, i, 1) : 0);
    xpd_grow_i64(&all, bytes->read);
    bytes->all = (float)all;
}

static void bytes_of_instruction(const struct xpd_ops_gpu_costs *costs, uint32_t i,
                                 struct bytes *bytes, int depth);

static void add_bytes(struct bytes *to, const struct bytes *more)
{
    to->all += more->all;
    xpd_grow_i64(&to->read, more->read);
    xpd_grow_i64(&to->written, more->written);
}

/* Of all instructions of a computation. */
static struct bytes bytes_in(const struct xpd_ops_gpu_costs *costs, uint32_t computation, int depth)
{
    const struct xpd_hlo_computations *all = &costs->hlo->computations;
    struct memo *memo = &costs->memo[computation];
    struct bytes sum = {0};
    if (depth > DEPTH_MOST || memo->has_bytes)
        return memo->bytes;
    memo->has_bytes = true;
    for (uint32_t k = 0; k < all->instruction_count[computation]; k++) {
        struct bytes one = {0};
        bytes_of_instruction(costs, all->first[computation] + k, &one, depth + 1);
        add_bytes(&sum, &one);
    }
    memo->bytes = sum;
    return sum;
}

/* All that the computations called do, of branches the one that does most. */
static void called_bytes(const struct xpd_ops_gpu_costs *costs, uint32_t i, struct bytes *bytes,
                         int depth)
{
    for (uint32_t c = 0; called_of(costs->hlo, i, c) != XPD_NO_INDEX; c++) {
        struct bytes sum = bytes_in(costs, called_of(costs->hlo, i, c), depth);
        if (!is(costs->hlo, i, "conditional"))
            add_bytes(bytes, &sum);
        else if (sum.all >= bytes->all)
            *bytes = sum;
    }
    if (shape_of(costs->hlo, i)->element_count) /* it is of a whole tuple then: in no memory */
        bytes->read = bytes->written = 0;
}

static void bytes_accessed(const struct xpd_ops_gpu_costs *costs, uint32_t i, struct bytes *bytes,
                           int depth)
{
    static const char *const nothing[] = {"parameter", "constant",  "get-tuple-element", "bitcast",
                                          "domain",    "after-all", "add-dependency",    NULL};
    static const char *const calls[] = {"call", "while", "conditional", "async-start", NULL};
    static const char *const ring[] = {"all-gather", "all-gather-start", "reduce-scatter", NULL};
    static const char *const triangular[] = {"triangular-solve", "cholesky", NULL};
    enum { POINTER = 8 };
    const struct xpd_hlo *hlo = costs->hlo;
    if (is_any(opcode_of(hlo, i), nothing) ||
        (is(hlo, i, "custom-call") && !is_cudnn_convolution(hlo, i) && !is_product(hlo, i)))
        return;
    int64_t size = bytes_of(shape_of(hlo, i));
    if (is_any(opcode_of(hlo, i), calls))
        called_bytes(costs, i, bytes, depth);
    else if (is_any(opcode_of(hlo, i), ring))
        ring_bytes(costs, i, bytes);
    else if (is_any(opcode_of(hlo, i), triangular))
        triangular_bytes(hlo, i, bytes);
    else if (is(hlo, i, "scatter") && operand_count(hlo, i) >= 3)
        scatter_bytes(hlo, i, bytes);
    else if (is(hlo, i, "tuple"))
        bytes->all = (float)(POINTER * operand_count(hlo, i));
    else if (is(hlo, i, "slice"))
        moved_bytes(hlo, i, size, 0, 0, bytes);
    else if (is(hlo, i, "dynamic-slice") || is(hlo, i, "gather"))
        moved_bytes(hlo, i, size, 1, 0, bytes);
    else if (is(hlo, i, "dynamic-update-slice"))
        moved_bytes(hlo, i, operand_bytes(hlo, i, 1), 2, 1, bytes);
    else
        plain_bytes(hlo, i, bytes);
}

/* *flops (may be NULL): computed along the way. False: unknown. */
static bool bytes_of_fusion(const struct xpd_ops_gpu_costs *costs, uint32_t i, struct bytes *bytes,
                            float *flops, int depth)
{
    const struct xpd_hlo *hlo = costs->hlo;
    uint32_t body = called_of(hlo, i, 0);
    uint32_t count = hlo->computations.instruction_count[body];
    float *use = calloc((size_t)count + 1, sizeof *use);
    bool known = use && count <= FUSED_MOST && hlo->computations.root[body] != XPD_NO_INDEX;
    if (known) {
        float work = fusion_flops(costs, i, use, depth);
        fusion_bytes(costs, i, use, bytes);
        if (flops)
            *flops = work;
    }
    free(use);
    return known;
}

static bool is_fusion(const struct xpd_hlo *hlo, uint32_t i)
{
    return is(hlo, i, "fusion") && called_of(hlo, i, 0) != XPD_NO_INDEX;
}

static void bytes_of_instruction(const struct xpd_ops_gpu_costs *costs, uint32_t i,
                                 struct bytes *bytes, int depth)
{
    if (depth > DEPTH_MOST)
        return;
    if (is_fusion(costs->hlo, i))
        (void)bytes_of_fusion(costs, i, bytes, NULL, depth);
    else
        bytes_accessed(costs, i, bytes, depth);
}

/* ---- results for tables ---- */

/* Devices do numbers of 8 and 4 bits two and four times as fast, XProf takes it. */
static float rate_of(const struct xpd_hlo *hlo, uint32_t i)
{
    uint32_t most = 0;
    bool product = is_product(hlo, i);
    if (is(hlo, i, "custom-call") && !product)
        return 1;
    for (uint32_t k = 0; k < (product ? 1 : operand_count(hlo, i)); k++) {
        uint32_t operand = operand_of(hlo, i, k);
        uint32_t bits = operand == XPD_NO_INDEX ? 0 : xpd_type_bits(shape_of(hlo, operand)->type);
        bool pred = operand != XPD_NO_INDEX && shape_of(hlo, operand)->type == 1;
        most = bits > most && !pred ? bits : most;
    }
    return most == 8 ? 2 : most == 4 ? 4 : 1;
}

static int64_t valid(float amount)
{
    return whole(amount) == -1 ? 0 : whole(amount);
}

static void put_access(struct xpd_ops_instruction *out, uint64_t operation, int64_t bytes)
{
    if (bytes > 0)
        out->access[out->access_count++] =
            (struct xpd_ops_access){XPD_OPS_HBM, operation, (uint64_t)bytes};
}

void xpd_ops_gpu_cost_of(const struct xpd_ops_gpu_costs *costs, uint32_t i,
                         struct xpd_ops_instruction *out)
{
    const struct xpd_hlo *hlo = costs->hlo;
    struct bytes bytes = {0};
    float flops = 0;
    if (is_fusion(hlo, i)) {
        if (!bytes_of_fusion(costs, i, &bytes, &flops, 0))
            return;
    } else {
        flops = flops_of(costs, i, 0);
        bytes_accessed(costs, i, &bytes, 0);
    }
    float adjustment = flops - flops / rate_of(hlo, i);
    out->model_flops = valid(flops);
    out->flops = valid((float)(whole(flops) - whole(adjustment)));
    out->bytes = valid(bytes.all);
    if (out->bytes > 0) {
        put_access(out, XPD_OPS_READ, bytes.read);
        put_access(out, XPD_OPS_WRITE, bytes.written);
    }
}
