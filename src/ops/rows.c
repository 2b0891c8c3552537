/* Rows of operations. In: programs with their measured times and costs. Out: one row for each
 * operation that has times, joined with its instruction by name. */
#include "xprofd/base/checked.h"
#include "xprofd/ops/ops.h"
#include "xprofd/trace/op_loose.h"

/* The columns of a row that are texts. In: a row and its program. Out: bytes appended. */

static void put(struct xpd_strbuf *out, struct xpd_str text)
{
    xpd_strbuf_add(out, text.data, text.size);
}

static void put_source(struct xpd_strbuf *out, const struct xpd_hlo *hlo, uint32_t instruction)
{
    struct xpd_source_info info;
    xpd_source_of(hlo, instruction, &info);
    put(out, info.file);
    if (info.file.size > 0 && info.line > 0) {
        xpd_strbuf_putc(out, ':');
        xpd_strbuf_i64(out, info.line);
    }
}

/* The first array of a shape. */
static const struct xpd_shape *array_of(const struct xpd_shape *shape)
{
    while (shape->element_count > 0)
        shape = &shape->element[0];
    return shape;
}

static void put_dtype(struct xpd_strbuf *out, const struct xpd_op_row *row,
                      const struct xpd_ops_program *of)
{
    const struct xpd_hlo_instructions *all = &of->hlo->instructions;
    const struct xpd_shape *shape = all->shape[row->instruction];
    if (row->matmul != XPD_NO_INDEX) {
        uint32_t at = of->costs->matmuls[row->matmul].instruction, first = all->operand_first[at];
        if (first < all->operand_first[at + 1] && all->operand[first] != XPD_NO_INDEX)
            shape = all->shape[all->operand[first]];
    }
    char scratch[16];
    shape = array_of(shape);
    if (xpd_type_bits(shape->type) > 0)
        xpd_strbuf_puts(out, xpd_type_name(shape->type, scratch));
}

static void put_of_hlo(struct xpd_strbuf *out, enum xpd_op_text column,
                       const struct xpd_op_row *row, const struct xpd_ops_program *of)
{
    const struct xpd_hlo *hlo = of->hlo;
    uint32_t i = row->instruction;
    switch (column) {
    case XPD_OPS_OPCODE: put(out, xpd_hlo_text(hlo, hlo->instructions.opcode[i])); break;
    case XPD_OPS_CATEGORY: put(out, xpd_hlo_category(hlo, i)); break;
    case XPD_OPS_SCOPE: xpd_scope_plain(out, xpd_hlo_text(hlo, xpd_scope_name_of(hlo, i))); break;
    case XPD_OPS_SHAPE: xpd_shape_text(out, hlo->instructions.shape[i], false); break;
    case XPD_OPS_DTYPE: put_dtype(out, row, of); break;
    case XPD_OPS_SOURCE: put_source(out, hlo, i); break;
    default: break;
    }
}

static void put_of_name(struct xpd_strbuf *out, enum xpd_op_text column,
                        const struct xpd_op_row *row, const struct xpd_ops_program *of)
{
    struct xpd_loose_op op = xpd_op_loose_read(of->program->loose, row->name);
    switch (column) {
    case XPD_OPS_OPCODE: put(out, op.type); break;
    case XPD_OPS_CATEGORY: put(out, op.category); break;
    case XPD_OPS_SCOPE: xpd_scope_plain(out, op.path); break;
    default: break;
    }
}

void xpd_op_row_text(struct xpd_strbuf *out, enum xpd_op_text column, const struct xpd_op_row *row,
                     const struct xpd_ops_program *of)
{
    const char *phase = xpd_phase_word(row->phase);
    bool loose = of->program->loose,
         of_events = row->op->said || (row->instruction == XPD_NO_INDEX && !loose);
    switch (column) {
    case XPD_OPS_NAME: put(out, row->name); break;
    case XPD_OPS_GROUP: xpd_strbuf_puts(out, xpd_op_group_word(row->group)); break;
    case XPD_OPS_PHASE: xpd_strbuf_puts(out, phase ? phase : ""); break;
    case XPD_OPS_BOUND: xpd_strbuf_puts(out, xpd_ops_bound_word(row->bound)); break;
    default:
        if (column == XPD_OPS_CATEGORY && of_events)
            put(out, xpd_intern_get(&of->times->names, row->op->category));
        else if (row->instruction != XPD_NO_INDEX)
            put_of_hlo(out, column, row, of);
        else if (loose)
            put_of_name(out, column, row, of);
    }
}

struct making {
    struct xpd_op_rows *out;
    const struct xpd_ops_program *of;
    uint32_t program;
    const struct xpd_peaks *peaks;
    uint64_t *fewest; /* by computation: events of its operation with the fewest; 0 = none */
    const struct xpd_op **op; /* by instruction */
};

/* ---- executions ---- */

/* Each instruction of a computation is executed once when the computation is, so the one with the
 * fewest kernels says how often that was: others launch several each time. A trace that begins or
 * ends inside of a run changes a count by few, so the kernels of one execution are rounded. Of an
 * op without a program its own kernel that ran most often says it: others may be of another way to
 * do the same, tried once. */
static uint32_t kernels_of(const struct making *m, uint32_t instruction, const struct xpd_op *op)
{
    uint64_t count = op->sums.count, times = op->most_count;
    if (m->of->kernels && instruction != XPD_NO_INDEX)
        times = m->fewest[m->of->hlo->instructions.computation[instruction]];
    uint64_t kernels = times > 0 ? (count + times / 2) / times : 1;
    return kernels > 1 && kernels < UINT32_MAX ? (uint32_t)kernels : 1;
}

static void count_fewest(struct making *m)
{
    const struct xpd_hlo_instructions *all = &m->of->hlo->instructions;
    for (uint32_t i = 0; i < all->count; i++) {
        uint64_t *fewest = &m->fewest[all->computation[i]];
        if (m->op[i] && (*fewest == 0 || m->op[i]->sums.count < *fewest))
            *fewest = m->op[i]->sums.count;
    }
}

/* ---- a row ---- */

static void set_amounts(struct xpd_op_row *row, const struct xpd_ops_program *of)
{
    const struct xpd_costs *costs = of->costs;
    const struct xpd_amounts *amounts = &row->amounts;
    xpd_amounts_of(&row->amounts, costs, of->hlo, row->instruction);
    row->matmul = costs->matmul[row->instruction];
    row->bytes = costs->bytes[row->instruction];
    if (row->bytes < 0 || amounts->hbm_bytes < 0)
        return;
    row->hbm_bytes = amounts->hbm_bytes;
    row->vmem_bytes = row->cmem_bytes = 0;
    xpd_grow_i64(&row->vmem_bytes, amounts->on_chip.vmem_read_bytes);
    xpd_grow_i64(&row->vmem_bytes, amounts->on_chip.vmem_written_bytes);
    xpd_grow_i64(&row->cmem_bytes, amounts->on_chip.cmem_read_bytes);
    xpd_grow_i64(&row->cmem_bytes, amounts->on_chip.cmem_written_bytes);
    row->other_bytes = row->bytes - row->hbm_bytes - row->vmem_bytes - row->cmem_bytes;
    if (row->other_bytes < 0) /* sums at the end of the range */
        row->other_bytes = 0;
}

static void set_words(struct xpd_op_row *row, const struct xpd_hlo *hlo)
{
    uint32_t i = row->instruction;
    row->group = xpd_op_group_of(hlo, i);
    row->phase = xpd_scope_phase(xpd_hlo_text(hlo, xpd_scope_name_of(hlo, i)));
}

static void set_loose_words(struct xpd_op_row *row, enum xpd_op_loose loose)
{
    struct xpd_loose_op op = xpd_op_loose_read(loose, row->name);
    row->group = op.group;
    row->phase = xpd_scope_phase(op.path);
}

static struct xpd_op_chosen chosen_of(const struct xpd_ops_program *of, const struct xpd_op *op)
{
    return of->chosen ? of->chosen[op - of->times->op] : xpd_op_all(of->times, op);
}

static void set_times(struct xpd_op_row *row, const struct xpd_op_chosen *all, uint32_t kernels)
{
    const struct xpd_op_sums *sums = &all->sums;
    row->count = (int64_t)sums->count;
    row->kernels = kernels;
    row->executions = (int64_t)((sums->count + kernels - 1) / kernels);
    row->total_ps = sums->total_ps;
    row->self_ps = sums->self_ps;
    row->other_total_ps =
        all->host_known && sums->device_count == sums->count ? sums->host_total_ps : -1;
    row->p50_ps = row->p99_ps = -1;
    row->min_ps = kernels == 1 ? sums->min_ps : -1;
    row->max_ps = kernels == 1 ? sums->max_ps : -1;
    row->mean_ps = (double)row->total_ps / (double)row->executions;
    row->chips = all->chips;
    row->chip_spread = all->compared > 1 && all->fastest_mean_ps > 0
                           ? all->slowest_mean_ps / all->fastest_mean_ps
                           : -1;
}

static void add(struct making *m, uint32_t instruction, const struct xpd_op *op)
{
    const struct xpd_ops_program *of = m->of;
    const struct xpd_op *wait =
        instruction != XPD_NO_INDEX && of->wait ? of->wait[instruction] : NULL;
    struct xpd_op_chosen all = chosen_of(of, op);
    if (all.sums.count == 0)
        return;
    struct xpd_op_row *row = &m->out->row[m->out->count++];
    *row = (struct xpd_op_row){
        .program = m->program,
        .instruction = instruction,
        .op = op,
        .name = xpd_intern_get(&of->times->names, op->name),
        .wait_total_ps = wait ? chosen_of(of, wait).sums.total_ps : -1,
        .amounts = {.flops = -1, .hbm_bytes = -1, .cycles = -1},
        .bytes = -1,
        .hbm_bytes = -1,
        .vmem_bytes = -1,
        .cmem_bytes = -1,
        .other_bytes = -1,
        .matmul = XPD_NO_INDEX,
        .roofline_ps = -1,
        .roofline_share = -1,
        .lost_ps = -1,
    };
    set_times(row, &all, kernels_of(m, instruction, op));
    if (instruction != XPD_NO_INDEX) {
        set_words(row, of->hlo);
        set_amounts(row, of);
    } else if (of->program->loose) {
        set_loose_words(row, of->program->loose);
    } else {
        row->group = (enum xpd_op_group)op->group;
    }
    xpd_ops_judge(row, of, m->peaks);
}

const uint32_t *xpd_ops_kernels(const struct xpd_op_rows *rows,
                                const struct xpd_ops_program *program, uint32_t of,
                                struct xpd_arena *arena, bool *fails)
{
    const struct xpd_op_times *times = program[of].times;
    uint32_t *kernels = NULL;
    for (uint32_t i = 0; i < rows->count && !*fails; i++) {
        const struct xpd_op_row *row = &rows->row[i];
        if (row->kernels == 1 || program[row->program].times != times)
            continue;
        kernels = kernels ? kernels : XPD_NEW_ARRAY(arena, uint32_t, times->op_count);
        *fails = kernels == NULL;
        if (kernels)
            kernels[row->op - times->op] = row->kernels;
    }
    return kernels;
}

void xpd_ops_spread(struct xpd_op_rows *rows, const struct xpd_ops_program *program,
                    const struct xpd_op_spread *const *spread)
{
    for (uint32_t i = 0; i < rows->count; i++) {
        struct xpd_op_row *row = &rows->row[i];
        const struct xpd_op_spread *of =
            &spread[row->program][row->op - program[row->program].times->op];
        row->p50_ps = of->p50_ps;
        row->p99_ps = of->p99_ps;
        row->min_ps = of->min_ps;
        row->max_ps = of->max_ps;
    }
}

/* ---- programs ---- */

static void join(struct making *m, const struct xpd_op **beside, uint32_t *beside_count)
{
    const struct xpd_ops_program *of = m->of;
    for (uint32_t k = 0; k < of->program->op_count; k++) {
        const struct xpd_op *op = &of->times->op[of->program->first_op + k];
        struct xpd_str name = xpd_intern_get(&of->times->names, op->name);
        uint32_t at = of->hlo ? xpd_hlo_named(of->hlo, name) : XPD_NO_INDEX;
        if (at == XPD_NO_INDEX)
            beside[(*beside_count)++] = op;
        else
            m->op[at] = op;
    }
}

static bool add_program(struct making *m, struct xpd_arena *arena)
{
    const struct xpd_ops_program *of = m->of;
    uint32_t count = of->hlo ? of->hlo->instructions.count : 0, beside_count = 0;
    const struct xpd_op **beside =
        XPD_NEW_ARRAY(arena, const struct xpd_op *, of->program->op_count);
    m->op = XPD_NEW_ARRAY(arena, const struct xpd_op *, count);
    m->fewest = XPD_NEW_ARRAY(arena, uint64_t, of->hlo ? of->hlo->computations.count : 0);
    if (!beside || !m->op || !m->fewest)
        return false;
    join(m, beside, &beside_count);
    if (of->hlo)
        count_fewest(m);
    for (uint32_t i = 0; i < count; i++)
        if (m->op[i])
            add(m, i, m->op[i]);
    for (uint32_t i = 0; i < beside_count; i++)
        add(m, XPD_NO_INDEX, beside[i]);
    return true;
}

static void add_up(struct xpd_op_rows *out)
{
    out->best_flops_per_s = out->best_bytes_per_s = -1;
    for (uint32_t i = 0; i < out->count; i++) {
        const struct xpd_op_row *row = &out->row[i];
        xpd_grow_i64(&out->total_ps, row->total_ps);
        xpd_grow_i64(&out->self_ps, row->self_ps);
        if (row->bound != XPD_BOUND_UNKNOWN)
            xpd_grow_i64(&out->judged_ps, row->self_ps);
        if (row->mean_ps < (double)XPD_BEST_PS || row->bound == XPD_BOUND_WAIT)
            continue;
        if (row->flops_per_s > out->best_flops_per_s)
            out->best_flops_per_s = row->flops_per_s;
        if (row->hbm_bytes_per_s > out->best_bytes_per_s)
            out->best_bytes_per_s = row->hbm_bytes_per_s;
    }
}

/* Without peaks, what the run itself reached is what rows can be ordered by. */
static void set_best(struct xpd_op_rows *out, const struct xpd_ops_program *program)
{
    struct xpd_peaks best = XPD_PEAKS_UNKNOWN;
    best.flops_per_s = out->best_flops_per_s;
    best.hbm_bytes_per_s = out->best_bytes_per_s;
    for (uint32_t i = 0; i < out->count; i++)
        xpd_ops_judge_by_best(&out->row[i], &program[out->row[i].program], &best);
}

int xpd_ops_make(struct xpd_op_rows *out, struct xpd_arena *arena,
                 const struct xpd_ops_program *program, uint32_t program_count,
                 const struct xpd_peaks *peaks, struct xpd_err *err)
{
    uint64_t rows = 0;
    *out = (struct xpd_op_rows){0};
    for (uint32_t i = 0; i < program_count; i++)
        rows += program[i].program->op_count;
    out->row = XPD_NEW_ARRAY(arena, struct xpd_op_row, rows);
    bool ok = out->row != NULL;
    for (uint32_t i = 0; ok && i < program_count; i++) {
        struct making m = {.out = out, .of = &program[i], .program = i, .peaks = peaks};
        ok = add_program(&m, arena);
    }
    if (!ok)
        return xpd_no_memory(err, NULL, "for the rows of operations");
    add_up(out);
    set_best(out, program);
    return XPD_OK;
}
