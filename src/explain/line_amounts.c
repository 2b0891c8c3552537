/* Work and traffic of a line that stands alone. In: its text taken apart. Out: amounts. */
#include "xprofd/explain/expect.h"

#include "scan.h"
#include "xprofd/base/checked.h"
#include "xprofd/explain/parts.h"

/* {1,2} into numbers; an absent attribute is an empty list. */
static bool dims_of(const struct xpd_hlo_line *line, const char *key, int64_t *out, uint32_t *count)
{
    struct xpd_str text = xpd_line_attribute(line, key);
    struct xpd_scan scan = {text.data, text.data + text.size, NULL};
    *count = 0;
    if (text.size == 0)
        return true;
    if (!xpd_scan_take(&scan, '{'))
        return false;
    while (!xpd_scan_take(&scan, '}')) {
        if (*count == XPD_SHAPE_PARSED_RANK || !xpd_scan_int(&scan, &out[(*count)++]))
            return false;
        xpd_scan_take(&scan, ',');
    }
    return true;
}

static bool product_of(const struct xpd_shape *shape, const int64_t *dims, uint32_t count,
                       uint64_t *taken, int64_t *product)
{
    bool overflow = false;
    *product = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (dims[i] < 0 || dims[i] >= shape->rank || (*taken >> dims[i] & 1) ||
            shape->dims[dims[i]] < 0)
            return false;
        *taken |= UINT64_C(1) << dims[i];
        *product = xpd_mul_i64(*product, shape->dims[dims[i]], &overflow);
    }
    return !overflow;
}

static bool rest_of(const struct xpd_shape *shape, uint64_t taken, int64_t *product)
{
    bool overflow = false;
    *product = 1;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (!(taken >> i & 1))
            *product = xpd_mul_i64(*product, shape->dims[i] < 0 ? 0 : shape->dims[i], &overflow);
    return !overflow;
}

static bool dot_of(struct xpd_matmul *out, const struct xpd_hlo_line *line)
{
    static const char *const key[] = {"lhs_contracting_dims", "rhs_contracting_dims",
                                      "lhs_batch_dims", "rhs_batch_dims"};
    int64_t dims[4][XPD_SHAPE_PARSED_RANK], size[4];
    uint32_t count[4];
    uint64_t taken[2] = {0, 0};
    bool overflow = false;
    if (line->operand_count != 2 || !line->operand[0].shape || !line->operand[1].shape)
        return false;
    for (uint32_t i = 0; i < 4; i++) {
        const struct xpd_shape *shape = line->operand[i % 2].shape;
        if (!dims_of(line, key[i], dims[i], &count[i]) ||
            !product_of(shape, dims[i], count[i], &taken[i % 2], &size[i]))
            return false;
    }
    if (size[0] != size[1] || size[2] != size[3] ||
        !rest_of(line->operand[0].shape, taken[0], &out->m) ||
        !rest_of(line->operand[1].shape, taken[1], &out->n))
        return false;
    out->k = size[0];
    out->batch = size[2];
    out->flops = xpd_mul_i64(xpd_mul_i64(2 * out->batch, out->m, &overflow),
                             xpd_mul_i64(out->n, out->k, &overflow), &overflow);
    return !overflow;
}

/* Operands and result in HBM; -1 when an operand's shape is not in the text. */
static int64_t hbm_bytes_of(const struct xpd_shape *shape)
{
    int64_t sum = 0;
    if (shape->type != XPD_TYPE_TUPLE)
        return shape->layout && shape->layout->memory_space != XPD_SPACE_HBM
                   ? 0
                   : xpd_shape_bytes(shape);
    for (uint32_t i = 0; i < shape->element_count; i++)
        if (shape->element[i].type != XPD_TYPE_TUPLE)
            xpd_grow_i64(&sum, hbm_bytes_of(&shape->element[i]));
    return sum;
}

static int64_t operand_bytes(const struct xpd_hlo_line *line,
                             int64_t (*of)(const struct xpd_shape *))
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < line->operand_count; i++) {
        if (!line->operand[i].shape)
            return -1;
        xpd_grow_i64(&sum, of(line->operand[i].shape));
    }
    return sum;
}

static int64_t link_bytes(const struct xpd_hlo_line *line, struct xpd_arena *arena)
{
    const char *kind;
    struct xpd_groups groups = {0};
    struct xpd_err err = {0};
    struct xpd_str text = xpd_line_attribute(line, "replica_groups");
    if (!xpd_collective_sentence(line->opcode, &kind) &&
        !xpd_collective_sentence(xpd_line_attribute(line, "calls"), &kind))
        return 0;
    if (text.size)
        (void)xpd_groups_parse(&groups, arena, text, &err);
    return xpd_ring_bytes(kind, operand_bytes(line, xpd_shape_bytes), xpd_shape_bytes(line->shape),
                          groups.axis_size);
}

void xpd_line_amounts(struct xpd_amounts *out, struct xpd_matmul *matmul,
                      const struct xpd_hlo_line *line, struct xpd_arena *arena)
{
    int64_t in = operand_bytes(line, hbm_bytes_of);
    *matmul = (struct xpd_matmul){0};
    *out = (struct xpd_amounts){.cycles = XPD_COST_UNKNOWN};
    out->flops = xpd_cost_flops_of_shape(line->opcode, line->shape);
    if (xpd_str_eq(line->opcode, XPD_STR("dot"))) {
        if (dot_of(matmul, line))
            out->flops = matmul->flops;
        else
            *matmul = (struct xpd_matmul){0};
    }
    out->hbm_bytes = in;
    if (in >= 0)
        xpd_grow_i64(&out->hbm_bytes, hbm_bytes_of(line->shape));
    out->link_bytes = link_bytes(line, arena);
}
