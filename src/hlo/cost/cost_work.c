/* FLOPs of one instruction whose callees are done, by the rule of its opcode. */
#include "cost_internal.h"

const struct xpd_cost_total *xpd_cost_called(const struct xpd_cost_job *job, uint32_t instruction,
                                             uint32_t k)
{
    const struct xpd_hlo_instructions *ins = &job->work.hlo->instructions;
    uint32_t at = ins->called_first[instruction] + k;
    if (at >= ins->called_first[instruction + 1] || ins->called[at] == XPD_NO_INDEX)
        return NULL;
    const struct xpd_cost_total *total = &job->total[ins->called[at]];
    return total->state == XPD_COST_DONE ? total : NULL;
}

static int64_t operand_elements(const struct xpd_cost_job *job, uint32_t instruction, uint32_t k)
{
    const struct xpd_shape *shape = xpd_cost_operand_shape(job->work.hlo, instruction, k);
    return shape ? xpd_shape_elements(shape) : 0;
}

/* Elements of the result, of its first array when it is a tuple. */
static int64_t first_elements(const struct xpd_cost_job *job, uint32_t instruction)
{
    const struct xpd_shape *shape = job->work.hlo->instructions.shape[instruction];
    return xpd_shape_elements(shape->element_count ? &shape->element[0] : shape);
}

/* `count` times the computation k: a reducer, a comparison, a map. */
static void apply(struct xpd_cost_job *job, uint32_t instruction, uint32_t k, int64_t count)
{
    struct xpd_costs *costs = job->work.costs;
    const struct xpd_cost_total *total = xpd_cost_called(job, instruction, k);
    if (!total) {
        costs->partial[instruction] = true;
        return;
    }
    xpd_grow_i64(&costs->flops[instruction], xpd_times_i64(total->flops, count));
    xpd_grow_i64(&costs->transcendentals[instruction],
                 xpd_times_i64(total->transcendentals, count));
    costs->partial[instruction] |= total->partial;
}

/* floor(log2) rounded up; 0 for 0 and 1. */
static int64_t log2_up(int64_t value)
{
    int64_t bits = 0;
    while (bits < 62 && (INT64_C(1) << bits) < value)
        bits++;
    return bits;
}

static int64_t last_dim(const struct xpd_shape *shape)
{
    return shape && shape->rank ? shape->dims[shape->rank - 1] : 0;
}

int64_t xpd_cost_fft_halvings(struct xpd_cost_work *work, uint32_t instruction,
                              const struct xpd_raw *raw)
{
    struct xpd_raw_ints length = xpd_raw_ints(&work->printer->scratch, raw, 32);
    int64_t sum = 0;
    for (uint32_t i = 0; i < length.count; i++)
        xpd_grow_i64(&sum, log2_up(length.at[i]));
    return length.count > 0 ? sum
                            : log2_up(last_dim(xpd_cost_operand_shape(work->hlo, instruction, 0)));
}

/* Linear algebra with its own formulas in XLA. */
static int64_t special_flops(const struct xpd_cost_job *job, uint32_t instruction)
{
    const struct xpd_hlo *hlo = job->work.hlo;
    const struct xpd_shape *a = xpd_cost_operand_shape(hlo, instruction, 0);
    int64_t elements = operand_elements(job, instruction, 0);
    switch (job->work.rule[instruction]) {
    case XPD_RULE_CHOLESKY: return xpd_times_i64(elements, last_dim(a)) / 3; /* n^3/3 a matrix */
    case XPD_RULE_SOLVE: /* n^2 for each right-hand side */
        return xpd_times_i64(operand_elements(job, instruction, 1), last_dim(a));
    case XPD_RULE_FFT: { /* 5 n log2 n; one side of a real transform has half of the numbers */
        int64_t results = first_elements(job, instruction);
        return xpd_times_i64(xpd_times_i64(elements > results ? elements : results, 5),
                             job->work.window[instruction]);
    }
    default: return 0;
    }
}

void xpd_cost_work_of(struct xpd_cost_job *job, uint32_t instruction)
{
    struct xpd_cost_work *work = &job->work;
    struct xpd_costs *costs = work->costs;
    const struct xpd_shape *shape = work->hlo->instructions.shape[instruction];
    int64_t elements = xpd_shape_elements(shape), *flops = &costs->flops[instruction];
    int64_t window = work->window[instruction];
    switch (work->rule[instruction]) {
    case XPD_RULE_DOT:
    case XPD_RULE_CONVOLUTION: break; /* done while reading */
    case XPD_RULE_UNKNOWN: *flops = XPD_COST_UNKNOWN; break;
    case XPD_RULE_ELEMENT:
    case XPD_RULE_ALL_REDUCE: *flops = elements; break;
    case XPD_RULE_TRANSCENDENTAL: costs->transcendentals[instruction] = elements; break;
    case XPD_RULE_REDUCE: {
        int64_t folded = operand_elements(job, instruction, 0) - first_elements(job, instruction);
        apply(job, instruction, 0, folded);
        break;
    }
    case XPD_RULE_REDUCE_WINDOW:
        if (window < 0)
            *flops = XPD_COST_UNKNOWN;
        else
            apply(job, instruction, 0, window);
        break;
    case XPD_RULE_SELECT_AND_SCATTER: {
        int64_t source = operand_elements(job, instruction, 1);
        apply(job, instruction, 0, xpd_times_i64(source, window - 1));
        apply(job, instruction, 1, source);
        break;
    }
    case XPD_RULE_SCATTER: apply(job, instruction, 0, operand_elements(job, instruction, 2)); break;
    case XPD_RULE_MAP: apply(job, instruction, 0, elements); break;
    case XPD_RULE_SORT: {
        int64_t keys = operand_elements(job, instruction, 0);
        *flops = xpd_times_i64(keys, log2_up(keys));
        break;
    }
    case XPD_RULE_CHOLESKY:
    case XPD_RULE_SOLVE:
    case XPD_RULE_FFT: *flops = special_flops(job, instruction); break;
    default: break;
    }
}
