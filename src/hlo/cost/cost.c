/* Costs of all instructions of a module.
 *
 * In: the frozen columns and the bytes they came from. Out: columns. Computations are processed
 * callees first, each once. A file may nest calls to any depth or in cycles, so the depth is
 * bounded and deeper costs are unknown. */
#include "cost_internal.h"

enum { DEPTH_MOST = 128 };
enum { STEPS_MOST = 1 << 26 }; /* window positions counted in one module; a real one needs 10^5 */

static void do_computation(struct xpd_cost_job *job, uint32_t computation, int depth);

/* ---- the compiler's cycles ---- */

static int64_t cycles_in(struct xpd_str config)
{
    static const struct xpd_str key = {"\"estimated_cycles\":\"", 20};
    size_t at = xpd_str_find(config, key, false);
    int64_t cycles = 0;
    if (at == SIZE_MAX)
        return XPD_COST_UNKNOWN;
    struct xpd_str digits = {config.data + at + key.size, 0};
    const char *end = config.data + config.size;
    while (digits.data + digits.size < end && digits.data[digits.size] >= '0' &&
           digits.data[digits.size] <= '9')
        digits.size++;
    /* The largest number means "not estimated". */
    return xpd_str_to_i64(digits, &cycles) && cycles != INT64_MAX ? cycles : XPD_COST_UNKNOWN;
}

static struct xpd_str config_of(const struct xpd_cost_job *job, uint32_t instruction,
                                const struct xpd_raw *raw)
{
    struct xpd_print print = {.printer = job->work.printer,
                              .hlo = job->work.hlo,
                              .instruction = instruction,
                              .raw = *raw};
    return xpd_print_config_of(&print);
}

/* ---- matmuls ---- */

static void do_matmul(struct xpd_cost_job *job, uint32_t instruction, const struct xpd_raw *raw)
{
    struct xpd_cost_work *work = &job->work;
    struct xpd_matmul matmul = {0};
    bool known = work->rule[instruction] == XPD_RULE_DOT
                     ? xpd_cost_dot(work, instruction, raw, &matmul)
                     : xpd_cost_convolution(work, instruction, raw, &matmul);
    if (!known) {
        work->costs->flops[instruction] = XPD_COST_UNKNOWN;
        return;
    }
    work->costs->flops[instruction] = matmul.flops;
    work->costs->matmul[instruction] = (uint32_t)work->matmul.count;
    XPD_PUSH(&work->matmul, matmul);
}

/* A call with unknown work stays unknown; that is not a contradiction. */
static void do_library(struct xpd_cost_job *job, uint32_t instruction, const struct xpd_raw *raw,
                       struct xpd_str config)
{
    struct xpd_cost_work *work = &job->work;
    struct xpd_matmul matmul = {0};
    if (work->hlo->instructions.call_target[instruction] == 0)
        return;
    if (xpd_cost_stated(work->costs, instruction, config)) {
        work->rule[instruction] = XPD_RULE_STATED;
        return;
    }
    if (!xpd_cost_library(work, instruction, raw, config, &matmul))
        return;
    work->costs->matmul[instruction] = (uint32_t)work->matmul.count;
    XPD_PUSH(&work->matmul, matmul);
}

static void read_instruction(struct xpd_cost_job *job, uint32_t instruction)
{
    struct xpd_cost_work *work = &job->work;
    const struct xpd_field *message = &work->printer->message[instruction];
    struct xpd_raw raw =
        xpd_raw_read(&work->printer->scratch, message->bytes, (size_t)message->size);
    enum xpd_cost_rule rule = work->rule[instruction];
    struct xpd_str config = config_of(job, instruction, &raw);
    work->costs->cycles[instruction] = cycles_in(config);
    if (rule == XPD_RULE_DOT || rule == XPD_RULE_CONVOLUTION)
        do_matmul(job, instruction, &raw);
    else if (rule == XPD_RULE_UNKNOWN)
        do_library(job, instruction, &raw, config);
    else if (rule == XPD_RULE_REDUCE_WINDOW)
        work->window[instruction] = xpd_cost_window_folds(work, instruction, &raw);
    else if (rule == XPD_RULE_FFT)
        work->window[instruction] = xpd_cost_fft_halvings(work, instruction, &raw);
    else if (rule == XPD_RULE_SELECT_AND_SCATTER)
        work->window[instruction] = xpd_cost_window_elements(work, &raw);
    work->failed = work->failed || work->printer->scratch.failed;
    xpd_arena_reset(&work->printer->scratch);
}

/* ---- contents of fusions and calls ---- */

static void take_inside(struct xpd_costs *costs, uint32_t instruction,
                        const struct xpd_cost_total *total, const struct xpd_matmul *matmul)
{
    uint32_t *own = &costs->matmul[instruction];
    if (total->matmul != XPD_NO_INDEX &&
        (*own == XPD_NO_INDEX || matmul[*own].flops < matmul[total->matmul].flops))
        *own = total->matmul;
    if (costs->collective[instruction] == XPD_NO_INDEX)
        costs->collective[instruction] = total->collective;
}

static void add_called(struct xpd_cost_job *job, uint32_t instruction, bool largest)
{
    struct xpd_costs *costs = job->work.costs;
    const struct xpd_hlo_instructions *ins = &job->work.hlo->instructions;
    uint32_t count = ins->called_first[instruction + 1] - ins->called_first[instruction];
    int64_t flops = 0, transcendentals = 0, bytes = 0, hbm_bytes = 0;
    costs->partial[instruction] = count == 0;
    for (uint32_t k = 0; k < count; k++) {
        const struct xpd_cost_total *total = xpd_cost_called(job, instruction, k);
        if (!total) {
            costs->partial[instruction] = true;
            continue;
        }
        if (largest && (total->flops > flops || (total->flops == flops && total->bytes > bytes)))
            flops = transcendentals = bytes = hbm_bytes = 0;
        else if (largest && k > 0)
            continue;
        xpd_grow_i64(&flops, total->flops);
        xpd_grow_i64(&transcendentals, total->transcendentals);
        xpd_grow_i64(&bytes, total->bytes);
        xpd_grow_i64(&hbm_bytes, total->hbm_bytes);
        costs->partial[instruction] |= total->partial;
        take_inside(costs, instruction, total, job->work.matmul.at);
    }
    costs->flops[instruction] = flops;
    costs->transcendentals[instruction] = transcendentals;
    costs->bytes[instruction] = bytes;
    costs->hbm_bytes[instruction] = hbm_bytes;
}

static void do_instruction(struct xpd_cost_job *job, uint32_t instruction)
{
    struct xpd_cost_work *work = &job->work;
    struct xpd_costs *costs = work->costs;
    enum xpd_cost_rule rule = work->rule[instruction];
    if (rule == XPD_RULE_STATED) {
        xpd_cost_bytes(work, instruction, false);
        return;
    }
    if (xpd_cost_is_collective(
            xpd_hlo_text(work->hlo, work->hlo->instructions.opcode[instruction])))
        costs->collective[instruction] = instruction;
    if (rule == XPD_RULE_CALLED || rule == XPD_RULE_LARGEST || rule == XPD_RULE_FUSION)
        add_called(job, instruction, rule == XPD_RULE_LARGEST);
    else
        xpd_cost_work_of(job, instruction);
    bool library = rule == XPD_RULE_UNKNOWN && costs->matmul[instruction] != XPD_NO_INDEX;
    if (library)
        costs->flops[instruction] = work->matmul.at[costs->matmul[instruction]].flops;
    bool tells = rule != XPD_RULE_UNKNOWN || library;
    if (!tells)
        costs->bytes[instruction] = costs->hbm_bytes[instruction] = XPD_COST_UNKNOWN;
    if (rule != XPD_RULE_CALLED && rule != XPD_RULE_LARGEST)
        xpd_cost_bytes(work, instruction, tells);
}

/* ---- computations ---- */

static void add_to_total(struct xpd_cost_total *total, const struct xpd_costs *costs, uint32_t i,
                         const struct xpd_matmul *matmul)
{
    total->partial |= costs->partial[i] || costs->flops[i] < 0;
    xpd_grow_i64(&total->flops, costs->flops[i] < 0 ? 0 : costs->flops[i]);
    xpd_grow_i64(&total->transcendentals, costs->transcendentals[i]);
    xpd_grow_i64(&total->bytes, costs->bytes[i] < 0 ? 0 : costs->bytes[i]);
    xpd_grow_i64(&total->hbm_bytes, costs->hbm_bytes[i] < 0 ? 0 : costs->hbm_bytes[i]);
    uint32_t of = costs->matmul[i];
    if (of != XPD_NO_INDEX &&
        (total->matmul == XPD_NO_INDEX || matmul[total->matmul].flops < matmul[of].flops))
        total->matmul = of;
    if (total->collective == XPD_NO_INDEX)
        total->collective = costs->collective[i];
}

static void do_callees(struct xpd_cost_job *job, uint32_t instruction, int depth)
{
    const struct xpd_hlo_instructions *ins = &job->work.hlo->instructions;
    for (uint32_t k = ins->called_first[instruction]; k < ins->called_first[instruction + 1]; k++)
        if (ins->called[k] != XPD_NO_INDEX && depth < DEPTH_MOST)
            do_computation(job, ins->called[k], depth + 1);
}

static void do_computation(struct xpd_cost_job *job, uint32_t computation, int depth)
{
    struct xpd_cost_total *total = &job->total[computation];
    const struct xpd_hlo_computations *all = &job->work.hlo->computations;
    uint32_t first = all->first[computation], end = first + all->instruction_count[computation];
    if (total->state != XPD_COST_NEW)
        return;
    total->state = XPD_COST_BUSY;
    total->matmul = total->collective = XPD_NO_INDEX;
    for (uint32_t i = first; i < end; i++) {
        do_callees(job, i, depth);
        do_instruction(job, i);
        add_to_total(total, job->work.costs, i, job->work.matmul.at);
    }
    xpd_cost_parameter_reads(&job->work, computation);
    total->state = XPD_COST_DONE;
}

/* ---- all ---- */

static bool new_columns(struct xpd_costs *out, struct xpd_arena *arena, uint32_t count)
{
    out->count = count;
    out->flops = XPD_NEW_ARRAY(arena, int64_t, count);
    out->transcendentals = XPD_NEW_ARRAY(arena, int64_t, count);
    out->bytes = XPD_NEW_ARRAY(arena, int64_t, count);
    out->hbm_bytes = XPD_NEW_ARRAY(arena, int64_t, count);
    out->cycles = XPD_NEW_ARRAY(arena, int64_t, count);
    out->parameter_read = XPD_NEW_ARRAY(arena, int64_t, count);
    out->parameter_at = XPD_NEW_ARRAY(arena, uint32_t, count);
    out->partial = XPD_NEW_ARRAY(arena, bool, count);
    out->on_chip = XPD_NEW_ARRAY(arena, uint32_t, count);
    out->matmul = XPD_NEW_ARRAY(arena, uint32_t, count);
    out->collective = XPD_NEW_ARRAY(arena, uint32_t, count);
    if (arena->failed)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        out->parameter_read[i] = out->cycles[i] = XPD_COST_UNKNOWN;
        out->parameter_at[i] = out->on_chip[i] = out->matmul[i] = out->collective[i] = XPD_NO_INDEX;
    }
    return true;
}

static int compute(struct xpd_cost_job *job, struct xpd_arena *arena, struct xpd_err *err)
{
    struct xpd_cost_work *work = &job->work;
    const struct xpd_hlo *hlo = work->hlo;
    for (uint32_t i = 0; i < hlo->instructions.count; i++) {
        work->rule[i] = xpd_cost_rule_of(xpd_hlo_text(hlo, hlo->instructions.opcode[i]));
        work->costs->flops[i] = 0;
        read_instruction(job, i);
    }
    if (!work->failed && !work->matmul.failed)
        for (uint32_t c = 0; c < hlo->computations.count; c++)
            do_computation(job, c, 0);
    struct xpd_costs *out = work->costs;
    out->matmul_count = (uint32_t)work->matmul.count;
    out->matmuls = XPD_NEW_ARRAY(arena, struct xpd_matmul, work->matmul.count);
    out->on_chips = XPD_NEW_ARRAY(arena, struct xpd_on_chip, work->on_chip.count);
    if (work->failed || work->matmul.failed || work->on_chip.failed || !out->matmuls ||
        !out->on_chips)
        return xpd_no_memory(err, NULL, "for the costs of this module");
    if (work->matmul.count > 0)
        memcpy(out->matmuls, work->matmul.at, work->matmul.count * sizeof *out->matmuls);
    if (work->on_chip.count > 0)
        memcpy(out->on_chips, work->on_chip.at, work->on_chip.count * sizeof *out->on_chips);
    return XPD_OK;
}

int xpd_costs_make(struct xpd_costs *out, struct xpd_arena *arena, const struct xpd_hlo *hlo,
                   const uint8_t *bytes, size_t size, struct xpd_err *err)
{
    uint32_t count = hlo->instructions.count;
    struct xpd_arena scratch = {0};
    struct xpd_cost_job job = {.work = {.costs = out, .hlo = hlo, .steps_left = STEPS_MOST}};
    *out = (struct xpd_costs){0};
    int rc = xpd_hlo_printer_new(&job.work.printer, hlo, bytes, size, err);
    if (rc != XPD_OK)
        return rc;
    job.work.rule = XPD_NEW_ARRAY(&scratch, enum xpd_cost_rule, count);
    job.work.window = XPD_NEW_ARRAY(&scratch, int64_t, count);
    job.work.shared = XPD_NEW_ARRAY(&scratch, bool, count);
    job.total = XPD_NEW_ARRAY(&scratch, struct xpd_cost_total, hlo->computations.count);
    rc = new_columns(out, arena, count) && !scratch.failed
             ? compute(&job, arena, err)
             : xpd_no_memory(err, NULL, "for the costs of this module");
    XPD_VEC_FINI(&job.work.matmul);
    XPD_VEC_FINI(&job.work.on_chip);
    xpd_arena_fini(&scratch);
    xpd_hlo_printer_free(job.work.printer);
    return rc;
}
