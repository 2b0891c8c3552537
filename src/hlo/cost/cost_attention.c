/* Work of fused attention, if it follows from shapes and config: cuDNN's (`__cudnn$fmha...`) and
 * that of TransformerEngine (`te_fused_attn_forward_ffi`, `..._backward_ffi`, both vendors). In: an
 * instruction and its config. Out: its products.
 *
 * Forward is two products, Q K' and P V; backward is five: Q K' again, and those that give dV, dP,
 * dQ and dK. Each counts 2 FLOPs for every pair of a query and a key that the mask lets through
 * (causal, a sliding window), as kernels skip the others in blocks; softmax and dropout count
 * nothing. If sequences have their own lengths (padding, packed layouts) the pairs depend on the
 * data: unknown. */
#include "cost_internal.h"
#include "xprofd/json/reader.h"

#define LONGEST ((int64_t)1 << 24) /* of a sequence; its queries are processed one by one */

struct attention {
    int64_t batch, heads, queries, keys, qk_dim, v_dim;
    int64_t left, right; /* keys seen before and after the query's position; -1: all */
    bool bottom_right;   /* the last query's place is the last key, not the first the first */
    bool backward;
};

bool xpd_cost_is_attention(const struct xpd_hlo *hlo, uint32_t instruction)
{
    struct xpd_str target = xpd_hlo_text(hlo, hlo->instructions.call_target[instruction]);
    return xpd_str_starts(target, "__cudnn$fmha") ||
           xpd_str_eq(target, XPD_STR("te_fused_attn_forward_ffi")) ||
           xpd_str_eq(target, XPD_STR("te_fused_attn_backward_ffi"));
}

/* ---- pairs ---- */

static int64_t in_range(int64_t value, int64_t most)
{
    return value < 0 ? 0 : value < most ? value : most;
}

/* Keys before key `ahead` of the first query, before the next one of the next, and so on, summed
 * over the queries: none at first, then one more for each query, then all keys. */
static int64_t keys_before(const struct attention *a, int64_t ahead)
{
    int64_t first = in_range(-ahead, a->queries), last = in_range(a->keys - ahead, a->queries);
    int64_t ramp = last > first ? last - first : 0;
    return ramp * (2 * ahead + first + last - 1) / 2 + (a->queries - last) * a->keys;
}

static int64_t pairs_of(const struct attention *a)
{
    int64_t own = a->bottom_right ? a->keys - a->queries : 0;
    int64_t to = a->right < 0 ? a->queries * a->keys : keys_before(a, own + a->right + 1);
    return to - (a->left < 0 ? 0 : keys_before(a, own - a->left));
}

static bool sane(int64_t size)
{
    return size > 0 && size <= LONGEST;
}

static bool to_products(struct xpd_matmul *out, const struct attention *a)
{
    bool overflow = false;
    if (!sane(a->batch) || !sane(a->heads) || !sane(a->queries) || !sane(a->keys) ||
        !sane(a->qk_dim) || !sane(a->v_dim) || a->left > LONGEST || a->right > LONGEST)
        return false;
    int64_t dims = a->backward ? 3 * a->qk_dim + 2 * a->v_dim : a->qk_dim + a->v_dim;
    out->batch = a->batch * a->heads; /* the product Q K' */
    out->m = a->queries;
    out->n = a->keys;
    out->k = a->qk_dim;
    out->flops = xpd_mul_i64(xpd_mul_i64(2 * out->batch, pairs_of(a), &overflow), dims, &overflow);
    return !overflow;
}

/* ---- cuDNN ---- */

static bool read_pairs(struct attention *a, const struct xpd_json *config)
{
    const char *mask = xpd_json_to_text(xpd_json_member(config, "mask_type"));
    int64_t window = 0;
    (void)xpd_json_to_i64(xpd_json_member(config, "sliding_window_length"), &window);
    bool causal = mask && strcmp(mask, "CAUSAL") == 0;
    a->left = window > 0 ? window - 1 : -1;
    a->right = causal || window > 0 ? 0 : -1;
    return window >= 0 && mask && (causal || strcmp(mask, "NO_MASK") == 0);
}

/* Queries and keys by head are in the config, the rest is in the operands. */
static bool read_cudnn(struct attention *a, const struct xpd_hlo *hlo, uint32_t instruction,
                       const struct xpd_json *config)
{
    const struct xpd_json *dims =
        xpd_json_member(xpd_json_member(config, "intermediate_tensor_shape"), "dimensions");
    const struct xpd_shape *q = xpd_cost_operand_shape(hlo, instruction, 0);
    const struct xpd_shape *k = xpd_cost_operand_shape(hlo, instruction, 1);
    const struct xpd_shape *v = xpd_cost_operand_shape(hlo, instruction, 2);
    int64_t *const to[] = {&a->batch, &a->heads, &a->queries, &a->keys};
    bool overflow = false;
    if (xpd_json_count(dims) != 4 || !q || !k || !v || !read_pairs(a, config))
        return false;
    for (size_t i = 0; i < 4; i++)
        if (!xpd_json_to_i64(xpd_json_item(dims, i), to[i]) || !sane(*to[i]))
            return false;
    int64_t rows = xpd_mul_i64(xpd_mul_i64(a->batch, a->heads, &overflow), a->queries, &overflow);
    if (overflow || xpd_shape_elements(q) % rows != 0 ||
        xpd_shape_elements(k) != xpd_shape_elements(v))
        return false;
    a->qk_dim = a->v_dim = xpd_shape_elements(q) / rows;
    return true;
}

static bool cudnn(struct attention *a, const struct xpd_hlo *hlo, uint32_t instruction,
                  struct xpd_str config)
{
    struct xpd_json *doc = xpd_json_parse(config);
    const struct xpd_json *fmha = doc ? xpd_json_member(doc, "cudnn_fmha_backend_config") : NULL;
    bool known = doc && read_cudnn(a, hlo, instruction, fmha ? fmha : doc);
    xpd_json_free(doc);
    return known;
}

/* ---- TransformerEngine ---- */

/* Of "{attn_heads = 16 : i64, ...}". */
static bool attribute(struct xpd_str config, const char *name, int64_t *value)
{
    size_t length = strlen(name);
    for (size_t at = 1; at + length + 3 < config.size; at++) {
        const char *here = config.data + at;
        if ((here[-1] != ' ' && here[-1] != '{') || memcmp(here, name, length) != 0 ||
            memcmp(here + length, " = ", 3) != 0)
            continue;
        struct xpd_str digits = {here + length + 3, 0};
        while (digits.data + digits.size < config.data + config.size &&
               ((digits.data[digits.size] >= '0' && digits.data[digits.size] <= '9') ||
                digits.data[digits.size] == '-'))
            digits.size++;
        return xpd_str_to_i64(digits, value);
    }
    return false;
}

/* Its enum NVTE_Mask_Type; the odd ones are for sequences of lengths of their own. */
enum { NO_MASK = 0, CAUSAL = 2, CAUSAL_BOTTOM_RIGHT = 4 };
enum { PACKED_LAYOUTS = 10 }; /* of NVTE_QKV_Layout: sequences one after another, from here on */

static bool transformer_engine(struct attention *a, const struct xpd_hlo *hlo, uint32_t instruction,
                               struct xpd_str config)
{
    const struct xpd_shape *q = xpd_cost_operand_shape(hlo, instruction, 0);
    int64_t mask, layout;
    bool overflow = false;
    if (!q || !attribute(config, "input_batch", &a->batch) ||
        !attribute(config, "attn_heads", &a->heads) ||
        !attribute(config, "q_max_seqlen", &a->queries) ||
        !attribute(config, "kv_max_seqlen", &a->keys) ||
        !attribute(config, "qk_head_dim", &a->qk_dim) ||
        !attribute(config, "v_head_dim", &a->v_dim) || !attribute(config, "mask_type", &mask) ||
        !attribute(config, "qkv_layout", &layout) ||
        !attribute(config, "window_size_left", &a->left) ||
        !attribute(config, "window_size_right", &a->right))
        return false;
    int64_t rows = xpd_mul_i64(xpd_mul_i64(a->batch, a->heads, &overflow), a->queries, &overflow);
    int64_t size = xpd_mul_i64(rows, a->qk_dim, &overflow); /* of Q, alone or with K and V */
    if (overflow || size <= 0 ||
        (xpd_shape_elements(q) != size && xpd_shape_elements(q) != 3 * (double)size))
        return false;
    if (mask == CAUSAL || mask == CAUSAL_BOTTOM_RIGHT)
        a->right = 0;
    a->bottom_right = mask == CAUSAL_BOTTOM_RIGHT;
    return layout >= 0 && layout < PACKED_LAYOUTS &&
           (mask == NO_MASK || mask == CAUSAL || mask == CAUSAL_BOTTOM_RIGHT);
}

bool xpd_cost_attention(struct xpd_cost_work *work, uint32_t instruction, struct xpd_str config,
                        struct xpd_matmul *out)
{
    const struct xpd_hlo *hlo = work->hlo;
    struct xpd_str target = xpd_hlo_text(hlo, hlo->instructions.call_target[instruction]);
    struct attention a = {.backward = xpd_str_find(target, XPD_STR("ackward"), false) != SIZE_MAX};
    bool known = xpd_str_starts(target, "__cudnn$fmha")
                     ? cudnn(&a, hlo, instruction, config)
                     : transformer_engine(&a, hlo, instruction, config);
    out->instruction = instruction;
    return known && to_products(out, &a);
}
