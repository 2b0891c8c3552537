/* Traffic: bytes that an instruction reads and writes, by memory space. In: shapes, and
 * for fusions the part of each parameter that the body reads. Out: bytes. The rules are
 * XLA's: a slice reads only its result, an update in place touches only the updated
 * part. */
#include "cost_internal.h"
#include "xprofd/hlo/tiling.h"

enum { SPACE_SEMAPHORE = 2, SPACE_SCALAR = 6 };

static int64_t array_bytes(const struct xpd_shape *shape)
{
    bool overflow = false;
    int64_t bytes;
    if (xpd_type_bits(shape->type) == 0)
        return 0;
    if (shape->layout && shape->layout->tile_count > 0 && xpd_tiling_bytes(shape, &bytes))
        return bytes;
    bytes = xpd_shape_unpadded_bytes(shape, &overflow);
    return bytes < 0 ? 0 : bytes;
}

enum { TUPLE_DEPTH = 8 };

static int64_t bytes_at(const struct xpd_shape *shape, int depth)
{
    int64_t sum = 0;
    if (shape->element_count == 0)
        return array_bytes(shape);
    for (uint32_t i = 0; i < shape->element_count && depth < TUPLE_DEPTH; i++)
        xpd_grow_i64(&sum, bytes_at(&shape->element[i], depth + 1));
    return sum;
}

int64_t xpd_shape_bytes(const struct xpd_shape *shape)
{
    return bytes_at(shape, 0);
}

/* ---- gathering by space ---- */

static void add(struct xpd_traffic *out, int64_t space, int64_t bytes, bool written)
{
    if (bytes <= 0 || space == SPACE_SEMAPHORE || space == SPACE_SCALAR)
        return;
    uint32_t i = 0;
    while (i < out->count && out->at[i].space != space)
        i++;
    if (i == out->count) {
        if (i == XPD_TRAFFIC_SPACES)
            i--; /* more spaces than any device has: the last one takes the rest */
        else
            out->at[out->count++].space = space;
    }
    xpd_grow_i64(written ? &out->at[i].written_bytes : &out->at[i].read_bytes, bytes);
}

static int64_t space_of(const struct xpd_shape *shape)
{
    return shape->layout ? shape->layout->memory_space : 0;
}

static void add_shape(struct xpd_traffic *out, const struct xpd_shape *shape, bool written,
                      int depth)
{
    if (shape->element_count == 0) {
        add(out, space_of(shape), array_bytes(shape), written);
        return;
    }
    for (uint32_t i = 0; i < shape->element_count && depth < TUPLE_DEPTH; i++)
        add_shape(out, &shape->element[i], written, depth + 1);
}

static void add_operands(struct xpd_traffic *out, const struct xpd_hlo *hlo, uint32_t instruction,
                         uint32_t from)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    for (uint32_t k = ins->operand_first[instruction] + from;
         k < ins->operand_first[instruction + 1]; k++)
        if (ins->operand[k] != XPD_NO_INDEX)
            add_shape(out, ins->shape[ins->operand[k]], false, 0);
}

/* ---- fusions ---- */

static uint32_t body_of(const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    uint32_t at = ins->called_first[instruction];
    return at < ins->called_first[instruction + 1] ? ins->called[at] : XPD_NO_INDEX;
}

static uint32_t parameter_of(const struct xpd_costs *costs, const struct xpd_hlo *hlo,
                             uint32_t computation, uint32_t number)
{
    return number < hlo->computations.instruction_count[computation]
               ? costs->parameter_at[hlo->computations.first[computation] + number]
               : XPD_NO_INDEX;
}

/* Bytes that the body reads of an operand, in the operand's memory space. */
static void add_fusion_operand(struct xpd_traffic *out, const struct xpd_costs *costs,
                               const struct xpd_hlo *hlo, uint32_t operand, uint32_t parameter)
{
    const struct xpd_shape *shape = hlo->instructions.shape[operand];
    if (parameter == XPD_NO_INDEX || shape->element_count > 0 ||
        costs->parameter_read[parameter] < 0) {
        add_shape(out, shape, false, 0);
        return;
    }
    add(out, space_of(shape), costs->parameter_read[parameter], false);
}

static const struct xpd_shape *written_of(const struct xpd_hlo *hlo, uint32_t root)
{
    const struct xpd_shape *update = NULL;
    for (int hops = 0; hops < TUPLE_DEPTH && root != XPD_NO_INDEX; hops++) {
        struct xpd_str opcode = xpd_hlo_text(hlo, hlo->instructions.opcode[root]);
        if (xpd_str_eq(opcode, XPD_STR("dynamic-update-slice")))
            update = xpd_cost_operand_shape(hlo, root, 1);
        if (!xpd_str_eq(opcode, XPD_STR("bitcast")))
            break;
        root = xpd_cost_operand(hlo, root, 0);
    }
    return update;
}

static bool opcode_is(const struct xpd_hlo *hlo, uint32_t instruction, struct xpd_str opcode)
{
    return xpd_str_eq(xpd_hlo_text(hlo, hlo->instructions.opcode[instruction]), opcode);
}

static bool is_collective(const struct xpd_hlo *hlo, uint32_t instruction)
{
    return xpd_cost_is_collective(xpd_hlo_text(hlo, hlo->instructions.opcode[instruction]));
}

/* A fusion that takes semaphores carries a collective on its way: the collective stands in many
 * bodies and moves its data once, which its start and done count. */
static bool carries_collective(const struct xpd_hlo *hlo, uint32_t fusion)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    for (uint32_t k = ins->operand_first[fusion]; k < ins->operand_first[fusion + 1]; k++)
        if (ins->operand[k] != XPD_NO_INDEX &&
            space_of(ins->shape[ins->operand[k]]) == SPACE_SEMAPHORE)
            return true;
    return false;
}

/* One result of a fusion: the update's size when the body only updates it in place, nothing when it
 * only hands a parameter on. */
static void add_fusion_result(struct xpd_traffic *out, const struct xpd_hlo *hlo,
                              const struct xpd_shape *shape, uint32_t root)
{
    const struct xpd_shape *update = written_of(hlo, root);
    if (update && shape->element_count == 0)
        add(out, space_of(shape), xpd_shape_bytes(update), true);
    else
        add_shape(out, shape, true, 0);
}

static void add_fusion(struct xpd_traffic *out, const struct xpd_costs *costs,
                       const struct xpd_hlo *hlo, uint32_t instruction)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    const struct xpd_shape *shape = ins->shape[instruction];
    uint32_t body = body_of(hlo, instruction);
    uint32_t first = ins->operand_first[instruction], end = ins->operand_first[instruction + 1];
    if (body == XPD_NO_INDEX) {
        add_operands(out, hlo, instruction, 0);
        add_shape(out, shape, true, 0);
        return;
    }
    for (uint32_t k = first; k < end; k++)
        if (ins->operand[k] != XPD_NO_INDEX)
            add_fusion_operand(out, costs, hlo, ins->operand[k],
                               parameter_of(costs, hlo, body, k - first));
    uint32_t root = hlo->computations.root[body];
    bool tuple =
        root != XPD_NO_INDEX && shape->element_count > 0 && opcode_is(hlo, root, XPD_STR("tuple"));
    bool carries = tuple && carries_collective(hlo, instruction);
    for (uint32_t i = 0; tuple && i < shape->element_count; i++) {
        uint32_t part = xpd_cost_operand(hlo, root, i);
        bool handed_on = part != XPD_NO_INDEX && (opcode_is(hlo, part, XPD_STR("parameter")) ||
                                                  (carries && is_collective(hlo, part)));
        if (!handed_on)
            add_fusion_result(out, hlo, &shape->element[i], part);
    }
    if (!tuple)
        add_fusion_result(out, hlo, shape, root);
}

/* Bytes that `user` reads of operand k, which comes from a parameter; `whole` is that array's size,
 * `shared` whether another user already read all of it, `carries` see below. */
static int64_t read_by(const struct xpd_cost_work *work, uint32_t user, uint32_t k, int64_t whole,
                       bool carries, bool *shared)
{
    const struct xpd_hlo *hlo = work->hlo;
    enum xpd_cost_rule rule = work->rule[user];
    if (rule == XPD_RULE_FUSION) {
        uint32_t body = body_of(hlo, user);
        uint32_t parameter =
            body == XPD_NO_INDEX ? XPD_NO_INDEX : parameter_of(work->costs, hlo, body, k);
        /* A body that only forwards its parameter (as in Triton's blocks): a reader of the result
         * reads all of it. */
        bool handed_on = body != XPD_NO_INDEX && hlo->computations.root[body] == parameter;
        if (parameter != XPD_NO_INDEX && !handed_on && work->costs->parameter_read[parameter] >= 0)
            return work->costs->parameter_read[parameter];
    }
    if (k == 0 && (rule == XPD_RULE_SLICE || rule == XPD_RULE_GATHER))
        return xpd_shape_bytes(hlo->instructions.shape[user]);
    if (k == 0 && rule == XPD_RULE_UPDATE)
        return 0;
    if (opcode_is(hlo, user, XPD_STR("tuple")) || (carries && is_collective(hlo, user)))
        return 0; /* handed on */
    if (*shared)
        return 0;
    *shared = true;
    return whole;
}

void xpd_cost_parameter_reads(struct xpd_cost_work *work, uint32_t computation)
{
    const struct xpd_hlo_instructions *ins = &work->hlo->instructions;
    uint32_t first = work->hlo->computations.first[computation];
    uint32_t count = work->hlo->computations.instruction_count[computation];
    int64_t *read = work->costs->parameter_read;
    bool carries = false;
    for (uint32_t i = first; i < first + count; i++) {
        if (!opcode_is(work->hlo, i, XPD_STR("parameter")))
            continue;
        int64_t number = ins->parameter_number[i];
        carries = carries || space_of(ins->shape[i]) == SPACE_SEMAPHORE;
        if (number >= 0 && number < count)
            work->costs->parameter_at[first + (uint32_t)number] = i;
        if (ins->shape[i]->element_count == 0)
            read[i] = 0;
    }
    for (uint32_t user = first; user < first + count; user++)
        for (uint32_t k = ins->operand_first[user]; k < ins->operand_first[user + 1]; k++) {
            uint32_t from = ins->operand[k];
            if (from < first || from >= first + count || read[from] < 0)
                continue;
            xpd_grow_i64(&read[from],
                         read_by(work, user, k - ins->operand_first[user],
                                 xpd_shape_bytes(ins->shape[from]), carries, &work->shared[from]));
        }
}

/* ---- one instruction ---- */

static void add_twice(struct xpd_traffic *out, const struct xpd_shape *from,
                      const struct xpd_shape *to, const struct xpd_shape *amount)
{
    int64_t bytes = amount ? xpd_shape_bytes(amount) : 0;
    if (from)
        add(out, space_of(from), bytes, false);
    if (to)
        add(out, space_of(to), bytes, true);
}

static bool is_bytes(const struct xpd_shape *shape)
{
    enum { S8 = 2, U8 = 6 }; /* of XLA's PrimitiveType */
    return shape->type == S8 || shape->type == U8;
}

/* Attention gives several arrays: gradients, what its backward pass needs; bytes are room to work
 * in. */
static void add_results(struct xpd_traffic *out, const struct xpd_shape *tuple)
{
    for (uint32_t i = 0; i < tuple->element_count; i++)
        if (!is_bytes(&tuple->element[i]))
            add_shape(out, &tuple->element[i], true, 0);
}

void xpd_cost_traffic(const struct xpd_costs *costs, const struct xpd_hlo *hlo,
                      uint32_t instruction, struct xpd_traffic *out)
{
    const struct xpd_shape *shape = hlo->instructions.shape[instruction];
    const struct xpd_shape *source = xpd_cost_operand_shape(hlo, instruction, 0);
    memset(out, 0, sizeof *out);
    switch (xpd_cost_rule_of(xpd_hlo_text(hlo, hlo->instructions.opcode[instruction]))) {
    case XPD_RULE_NONE:
    case XPD_RULE_CALLED:
    case XPD_RULE_LARGEST: break;
    case XPD_RULE_FUSION: add_fusion(out, costs, hlo, instruction); break;
    case XPD_RULE_START: add_operands(out, hlo, instruction, 0); break;
    case XPD_RULE_DONE: add_shape(out, shape, true, 0); break;
    case XPD_RULE_SLICE:
    case XPD_RULE_GATHER:
        add_twice(out, source, shape, shape);
        add_operands(out, hlo, instruction, 1);
        break;
    case XPD_RULE_UPDATE:
        add_twice(out, xpd_cost_operand_shape(hlo, instruction, 1), shape,
                  xpd_cost_operand_shape(hlo, instruction, 1));
        add_operands(out, hlo, instruction, 2);
        break;
    case XPD_RULE_SCATTER: /* reads the updates and the updated elements, writes these back */
        add_operands(out, hlo, instruction, 1);
        add_twice(out, source, shape, xpd_cost_operand_shape(hlo, instruction, 2));
        break;
    case XPD_RULE_UNKNOWN: /* a library's product: its other results are room to work in */
        add_operands(out, hlo, instruction, 0);
        if (xpd_cost_is_attention(hlo, instruction) && shape->element_count > 0)
            add_results(out, shape);
        else
            add_shape(out, shape->element_count ? &shape->element[0] : shape, true, 0);
        break;
    default: add_operands(out, hlo, instruction, 0); add_shape(out, shape, true, 0);
    }
}

static void keep_on_chip(struct xpd_cost_work *work, uint32_t instruction,
                         const struct xpd_traffic *traffic)
{
    struct xpd_on_chip chip = {0};
    bool any = false;
    for (uint32_t i = 0; i < traffic->count; i++) {
        int64_t read = traffic->at[i].read_bytes, written = traffic->at[i].written_bytes;
        any =
            any || traffic->at[i].space == XPD_SPACE_VMEM || traffic->at[i].space == XPD_SPACE_CMEM;
        if (traffic->at[i].space == XPD_SPACE_VMEM) {
            chip.vmem_read_bytes = read;
            chip.vmem_written_bytes = written;
        } else if (traffic->at[i].space == XPD_SPACE_CMEM) {
            chip.cmem_read_bytes = read;
            chip.cmem_written_bytes = written;
        }
    }
    if (!any)
        return;
    work->costs->on_chip[instruction] = (uint32_t)work->on_chip.count;
    XPD_PUSH(&work->on_chip, chip);
}

void xpd_cost_bytes(struct xpd_cost_work *work, uint32_t instruction, bool tell)
{
    struct xpd_traffic traffic;
    int64_t all = 0, hbm = 0;
    xpd_cost_traffic(work->costs, work->hlo, instruction, &traffic);
    keep_on_chip(work, instruction, &traffic);
    for (uint32_t i = 0; i < traffic.count; i++) {
        int64_t both = traffic.at[i].read_bytes;
        xpd_grow_i64(&both, traffic.at[i].written_bytes);
        xpd_grow_i64(&all, both);
        if (traffic.at[i].space == XPD_SPACE_HBM)
            xpd_grow_i64(&hbm, both);
    }
    if (!tell)
        return;
    work->costs->bytes[instruction] = all;
    work->costs->hbm_bytes[instruction] = hbm;
}
