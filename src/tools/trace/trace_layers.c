/* /api/v1/trace/layers: the parts of a program that repeat, side by side: time by part and layer.
 */
#include "../program/graph_rows.h"
#include "ops_rows.h"
#include "xprofd/answer/write.h"
#include "xprofd/base/order.h"
#include "xprofd/ops/sum.h"
#include "xprofd/trace/layers.h"

#define OPS_SHOWN 50 /* of one cell */
#define PASSES    "apart together"
enum { TOGETHER = 1 };

#define XPD_LAYERS_REPEAT_FIELDS(FIELD)                                                            \
    FIELD(WORD("scope loop sequence"), kind,                                                       \
          "scope: scopes that differ only by a number; loop: iterations of a while; sequence: "    \
          "equal runs of operations (opcode, shape) back to back")                                 \
    FIELD(TEXT, name, "\"block_*\", the name of a while, the first operation of a sequence")       \
    FIELD(COUNT, layers, "")                                                                       \
    FIELD(INT, self_ps, "of its operations in the whole trace")
XPD_RECORD(xpd_layers_way, XPD_LAYERS_REPEAT_FIELDS)

#define XPD_LAYERS_LAYER_FIELDS(FIELD)                                                             \
    FIELD(TEXT, name, "\"block_1\"; of a loop or a sequence its number, from 0")                   \
    FIELD(COUNT, ops, "operations that ran in it")                                                 \
    FIELD(INT, self_ps, "of all spans")                                                            \
    FIELD(REAL, mean_ps, "of one span")                                                            \
    FIELD(MAYBE(REAL), min_ps, "in the step with the minimum, mean of devices; null: one step")    \
    FIELD(MAYBE(REAL), max_ps, "in the step with the maximum")
XPD_RECORD(xpd_layers_layer, XPD_LAYERS_LAYER_FIELDS)

#define XPD_LAYERS_PART_FIELDS(FIELD)                                                              \
    FIELD(WORD("layer phase part op"), kind,                                                       \
          "the whole layer; a pass of it; a scope; operations of one name in a scope")             \
    FIELD(TEXT, name, "\"\" the layer")                                                            \
    FIELD(MAYBE(WORD(XPD_PHASE_WORDS)), phase, "null: the pass is unknown")                        \
    FIELD(MAYBE(INDEX), parent, "the part that contains it, an earlier row; null: the layer")      \
    FIELD(COUNT, depth, "0: the layer")                                                            \
    FIELD(WORD(XPD_GROUP_WORDS), group, "kind of work that takes most of its time")                \
    FIELD(COUNT, layers, "that have it")                                                           \
    FIELD(COUNT, min_ops, "smallest number of operations, of the layers that have it")             \
    FIELD(COUNT, max_ops, "in the layer with most")                                                \
    FIELD(INT, self_ps, "of all layers and spans")                                                 \
    FIELD(REAL, mean_ps, "of one layer that has it, in one span")                                  \
    FIELD(REAL, median_ps, "likewise")                                                             \
    FIELD(REAL, min_ps, "of the fastest layer")                                                    \
    FIELD(REAL, max_ps, "of the slowest layer")                                                    \
    FIELD(MAYBE(REAL), ratio, "slowest over fastest; null: one layer has it, or it took no time")  \
    FIELD(REAL, share, "of the step")                                                              \
    FIELD(MAYBE(REAL), roofline_share,                                                             \
          "for its operations with a roofline: expected time divided by measured time, as in "     \
          "roofline; null: none has one")
XPD_RECORD(xpd_layers_row, XPD_LAYERS_PART_FIELDS)

#define XPD_LAYERS_CELL_FIELDS(FIELD)                                                              \
    FIELD(INDEX, part, "")                                                                         \
    FIELD(INDEX, layer, "")                                                                        \
    FIELD(COUNT, ops, "operations that ran")                                                       \
    FIELD(INT, self_ps, "of all spans")
XPD_RECORD(xpd_layers_value, XPD_LAYERS_CELL_FIELDS)

#define XPD_LAYERS_BAR_FIELDS(FIELD)                                                               \
    FIELD(INDEX, layer, "")                                                                        \
    FIELD(MAYBE(WORD(XPD_PHASE_WORDS)), phase, "")                                                 \
    FIELD(WORD(XPD_GROUP_WORDS), group, "kind of work")                                            \
    FIELD(INT, self_ps, "of all spans")
XPD_RECORD(xpd_layers_strip, XPD_LAYERS_BAR_FIELDS)

#define XPD_LAYERS_STEP_FIELDS(FIELD)                                                              \
    FIELD(INDEX, layer, "")                                                                        \
    FIELD(INDEX, step, "in `steps`")                                                               \
    FIELD(INT, self_ps, "on all devices")
XPD_RECORD(xpd_layers_tick, XPD_LAYERS_STEP_FIELDS)

#define XPD_LAYERS_SUM_FIELDS(FIELD)                                                               \
    FIELD(COUNT, ops, "operations that ran")                                                       \
    FIELD(INT, self_ps, "of all spans")                                                            \
    FIELD(REAL, mean_ps, "of one span")                                                            \
    FIELD(MAYBE(REAL), min_ps, "in the step with the minimum, mean of devices; null: one step")    \
    FIELD(MAYBE(REAL), max_ps, "in the step with the maximum")                                     \
    FIELD(MAYBE(REAL), roofline_share, "as for a part")
XPD_RECORD(xpd_layers_total, XPD_LAYERS_SUM_FIELDS)

#define XPD_LAYERS_OP_FIELDS(FIELD)                                                                \
    FIELD(TEXT, name, "of the operation")                                                          \
    FIELD(WORD(XPD_GROUP_WORDS), group, "kind of work")                                            \
    FIELD(INT, count, "executions")                                                                \
    FIELD(INT, self_ps, "of all spans")                                                            \
    FIELD(REAL, mean_ps, "of one span")
XPD_RECORD(xpd_layers_largest, XPD_LAYERS_OP_FIELDS)

#define XPD_LAYERS_CHOSEN_FIELDS(FIELD)                                                            \
    FIELD(INDEX, part, "")                                                                         \
    FIELD(INDEX, layer, "")                                                                        \
    FIELD(VALUES(INT), step_ps, "by step, on all devices")                                         \
    FIELD(MAYBE(REAL), roofline_share,                                                             \
          "as for a part; null also where the iterations of a loop are the layers, because their " \
          "operations are the same")                                                               \
    FIELD(COUNT, ops, "operations that ran")                                                       \
    FIELD(COLUMNS(xpd_layers_largest), largest, "the first 50 of them, most time first")
XPD_RECORD(xpd_layers_chosen, XPD_LAYERS_CHOSEN_FIELDS)

#define XPD_LAYERS_FIELDS(FIELD)                                                                   \
    FIELD(BOOL, known, "there are layers")                                                         \
    FIELD(MAYBE(STRING), reason, "why not")                                                        \
    FIELD(MAYBE(STRING), module, "key of the program; null: no times are known")                   \
    FIELD(MAYBE(STRING), host, "host of the events; null: all hosts together")                     \
    FIELD(MAYBE(WORD("device host mixed")), clock, "of all times")                                 \
    FIELD(COUNT, spans, "steps of all devices together, the basis of means")                       \
    FIELD(VALUES(SIGNED), steps, "numbers of the steps that count")                                \
    FIELD(MAYBE(STRING), no_steps,                                                                 \
          "why there are no steps; the whole trace is then one span for each device")              \
    FIELD(COLUMNS(xpd_layers_row), parts, "a part before those in it")                             \
    FIELD(COLUMNS(xpd_layers_way), ways, "ways to divide the program into layers, the best first") \
    FIELD(MAYBE(INDEX), way, "the way shown")                                                      \
    FIELD(COLUMNS(xpd_layers_layer), layers, "by their numbers")                                   \
    FIELD(COLUMNS(xpd_layers_value), cells,                                                        \
          "time by part and layer; a layer that lacks a part has no cell there")                   \
    FIELD(COLUMNS(xpd_layers_strip), bars, "the parts of a layer, in the order of the passes")     \
    FIELD(COLUMNS(xpd_layers_tick), ticks, "time by layer and step")                               \
    FIELD(MAYBE(OBJECT(xpd_layers_total)), inside, "all layers")                                   \
    FIELD(MAYBE(OBJECT(xpd_layers_total)), outside, "operations of no layer")                      \
    FIELD(TEXT, outside_names, "its scopes with most time")                                        \
    FIELD(MAYBE(OBJECT(xpd_layers_total)), step,                                                   \
          "all operations of the program: inside + outside, to the picosecond")                    \
    FIELD(MAYBE(OBJECT(xpd_layers_chosen)), chosen, "the cell of `part` and `layer`")
XPD_RECORD(xpd_layers_answer, XPD_LAYERS_FIELDS)

struct making_layers {
    const struct xpd_tool_ctx *ctx;
    struct xpd_layers_answer *out;
    struct xpd_op_side side;
    struct xpd_ran_ops in;
    struct xpd_layers_repeat *repeat;
    uint32_t repeats, way;
    struct xpd_layers layers;
    struct xpd_ops_found ops;
    struct xpd_ops_sum *sum; /* by part; then of what is outside, and of all */
};

static const char *kind_word(enum xpd_layers_kind kind)
{
    static const char *const words[] = {"scope", "loop", "sequence"};
    return words[kind];
}

/* ---- against the roofline ---- */

/* Of the program, as layers count operations; XPD_NO_INDEX: it is of another one. */
static uint32_t op_of(const struct making_layers *m, const struct xpd_op_row *row)
{
    const struct xpd_op_program *program = m->ops.program[row->program].program;
    return program == m->side.program
               ? (uint32_t)(row->op - m->side.runs->times->op) - program->first_op
               : XPD_NO_INDEX;
}

static int add_rooflines(struct making_layers *m, struct xpd_err *err)
{
    const struct xpd_layers *of = &m->layers;
    int rc = xpd_tools_ops(&m->ops, m->ctx, err);
    m->sum = XPD_NEW_ARRAY(m->ctx->arena, struct xpd_ops_sum, (size_t)of->part_count + 2);
    if (rc != XPD_OK || !m->sum)
        return rc != XPD_OK ? rc : xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < m->ops.ops.count; i++) {
        const struct xpd_op_row *row = &m->ops.ops.row[i];
        uint32_t op = op_of(m, row);
        if (op == XPD_NO_INDEX)
            continue;
        uint32_t part = of->part_of_op[op];
        if (part == XPD_NO_INDEX)
            xpd_ops_sum_add(&m->sum[of->part_count], row);
        for (; part != XPD_NO_INDEX; part = of->part[part].parent)
            xpd_ops_sum_add(&m->sum[part], row);
        xpd_ops_sum_add(&m->sum[of->part_count + 1], row);
    }
    return XPD_OK;
}

static bool is_in(const struct xpd_layers *of, uint32_t part, uint32_t around)
{
    while (part != XPD_NO_INDEX && part != around)
        part = of->part[part].parent;
    return part == around;
}

static double cell_share(const struct making_layers *m, uint32_t part, uint32_t layer)
{
    struct xpd_ops_sum sum = {0};
    for (uint32_t i = 0; i < m->ops.ops.count; i++) {
        uint32_t op = op_of(m, &m->ops.ops.row[i]);
        if (op != XPD_NO_INDEX && m->layers.layer_of_op[op] == layer &&
            is_in(&m->layers, m->layers.part_of_op[op], part))
            xpd_ops_sum_add(&sum, &m->ops.ops.row[i]);
    }
    return xpd_ops_sum_share(&sum);
}

/* ---- means, least and most ---- */

static double mean_of(const struct making_layers *m, int64_t self_ps)
{
    return (double)self_ps / (double)m->side.spans.count;
}

/* Of a step on the mean device. Steps have as many spans as devices ran in them. */
static void spread(const struct making_layers *m, const int64_t *step_ps, double *min_ps,
                   double *max_ps)
{
    const struct xpd_step_spans *spans = &m->side.spans;
    *min_ps = *max_ps = -1;
    if (spans->step_count < 2)
        return;
    uint32_t *devices = XPD_NEW_ARRAY(m->ctx->arena, uint32_t, spans->step_count);
    for (uint32_t i = 0; devices && i < spans->count; i++)
        devices[spans->span[i].step]++;
    for (uint32_t s = 0; devices && s < spans->step_count; s++) {
        double ps = (double)step_ps[s] / (double)devices[s];
        *min_ps = *min_ps < 0 || ps < *min_ps ? ps : *min_ps;
        *max_ps = ps > *max_ps ? ps : *max_ps;
    }
}

static const struct xpd_layers_total *total_of(const struct making_layers *m,
                                               const struct xpd_layers_sum *sum,
                                               const struct xpd_ops_sum *work)
{
    struct xpd_layers_total *total = XPD_NEW(m->ctx->arena, struct xpd_layers_total);
    if (!total)
        return NULL;
    total->ops = sum->ops;
    total->self_ps = sum->self_ps;
    total->mean_ps = mean_of(m, sum->self_ps);
    total->roofline_share = xpd_ops_sum_share(work);
    spread(m, sum->step_ps, &total->min_ps, &total->max_ps);
    return total;
}

/* ---- tables ---- */

static bool put_ways(struct making_layers *m)
{
    struct xpd_layers_way *way = XPD_NEW_ARRAY(m->ctx->arena, struct xpd_layers_way, m->repeats);
    for (uint32_t i = 0; way && i < m->repeats; i++)
        way[i] = (struct xpd_layers_way){kind_word(m->repeat[i].kind), m->repeat[i].name,
                                         m->repeat[i].count, m->repeat[i].self_ps};
    m->out->ways.at = way;
    m->out->ways.n = m->repeats;
    return way != NULL;
}

static bool put_layers(struct making_layers *m)
{
    const struct xpd_layers *of = &m->layers;
    struct xpd_arena *arena = m->ctx->arena;
    struct xpd_layers_layer *layer = XPD_NEW_ARRAY(arena, struct xpd_layers_layer, of->layer_count);
    struct xpd_layers_tick *tick =
        XPD_NEW_ARRAY(arena, struct xpd_layers_tick, (size_t)of->layer_count * of->steps);
    if (!layer || !tick)
        return false;
    for (uint32_t i = 0; i < of->layer_count; i++) {
        layer[i] = (struct xpd_layers_layer){.name = of->layer[i]};
        spread(m, &of->layer_step_ps[(size_t)i * of->steps], &layer[i].min_ps, &layer[i].max_ps);
        for (uint32_t s = 0; s < m->side.spans.step_count; s++)
            tick[m->out->ticks.n++] =
                (struct xpd_layers_tick){i, s, of->layer_step_ps[(size_t)i * of->steps + s]};
    }
    for (uint32_t c = 0; c < of->part[0].cell_count; c++) {
        const struct xpd_layers_cell *cell = &of->cell[of->part[0].first_cell + c];
        layer[cell->layer].ops = cell->ops;
        layer[cell->layer].self_ps = cell->self_ps;
        layer[cell->layer].mean_ps = mean_of(m, cell->self_ps);
    }
    m->out->layers.at = layer;
    m->out->layers.n = of->layer_count;
    m->out->ticks.at = tick;
    return true;
}

static void describe_part(const struct making_layers *m, uint32_t p, int64_t *sorted,
                          struct xpd_layers_row *row)
{
    static const char *const kinds[] = {"layer", "phase", "part", "op"};
    const struct xpd_layers_part *part = &m->layers.part[p];
    const struct xpd_layers_cell *cell = &m->layers.cell[part->first_cell];
    uint32_t n = part->cell_count;
    *row = (struct xpd_layers_row){.kind = kinds[part->kind],
                                   .name = part->name,
                                   .phase = xpd_phase_word(part->phase),
                                   .parent = part->parent,
                                   .depth = part->depth,
                                   .group = xpd_op_group_word(part->group),
                                   .layers = n,
                                   .min_ops = UINT32_MAX,
                                   .self_ps = part->self_ps,
                                   .mean_ps = mean_of(m, part->self_ps) / n,
                                   .roofline_share = xpd_ops_sum_share(&m->sum[p]),
                                   .ratio = -1};
    for (uint32_t i = 0; i < n; i++) {
        sorted[i] = cell[i].self_ps;
        row->min_ops = cell[i].ops < row->min_ops ? cell[i].ops : row->min_ops;
        row->max_ops = cell[i].ops > row->max_ops ? cell[i].ops : row->max_ops;
    }
    qsort(sorted, n, sizeof *sorted, xpd_order_i64);
    row->min_ps = mean_of(m, sorted[0]);
    row->max_ps = mean_of(m, sorted[n - 1]);
    row->median_ps = (mean_of(m, sorted[(n - 1) / 2]) + mean_of(m, sorted[n / 2])) / 2;
    if (n > 1 && sorted[0] > 0)
        row->ratio = row->max_ps / row->min_ps;
    int64_t all_ps = m->layers.all.self_ps;
    row->share = all_ps > 0 ? (double)part->self_ps / (double)all_ps : 0;
}

static bool put_parts(struct making_layers *m)
{
    const struct xpd_layers *of = &m->layers;
    struct xpd_arena *arena = m->ctx->arena;
    struct xpd_layers_row *row = XPD_NEW_ARRAY(arena, struct xpd_layers_row, of->part_count);
    struct xpd_layers_value *cell = XPD_NEW_ARRAY(arena, struct xpd_layers_value, of->cell_count);
    struct xpd_layers_strip *bar = XPD_NEW_ARRAY(arena, struct xpd_layers_strip, of->bar_count);
    int64_t *sorted = XPD_NEW_ARRAY(arena, int64_t, of->layer_count);
    if (!row || !cell || !bar || !sorted)
        return false;
    for (uint32_t p = 0; p < of->part_count; p++) {
        describe_part(m, p, sorted, &row[p]);
        for (uint32_t c = 0; c < of->part[p].cell_count; c++) {
            const struct xpd_layers_cell *at = &of->cell[of->part[p].first_cell + c];
            cell[of->part[p].first_cell + c] =
                (struct xpd_layers_value){p, at->layer, at->ops, at->self_ps};
        }
    }
    for (uint32_t i = 0; i < of->bar_count; i++)
        bar[i] = (struct xpd_layers_strip){of->bar[i].layer, xpd_phase_word(of->bar[i].phase),
                                           xpd_op_group_word(of->bar[i].group), of->bar[i].self_ps};
    m->out->parts.at = row;
    m->out->parts.n = of->part_count;
    m->out->cells.at = cell;
    m->out->cells.n = of->cell_count;
    m->out->bars.at = bar;
    m->out->bars.n = of->bar_count;
    return true;
}

static bool put_sums(struct making_layers *m)
{
    const struct xpd_layers *of = &m->layers;
    struct xpd_layers_sum inside = {.ops = of->all.ops - of->outside.ops,
                                    .self_ps = of->all.self_ps - of->outside.self_ps,
                                    .step_ps = XPD_NEW_ARRAY(m->ctx->arena, int64_t, of->steps)};
    if (!inside.step_ps)
        return false;
    for (uint32_t s = 0; s < of->steps; s++)
        inside.step_ps[s] = of->all.step_ps[s] - of->outside.step_ps[s];
    m->out->inside = total_of(m, &inside, &m->sum[0]);
    m->out->outside = total_of(m, &of->outside, &m->sum[of->part_count]);
    m->out->step = total_of(m, &of->all, &m->sum[of->part_count + 1]);
    m->out->outside_names = of->outside_names;
    return m->out->inside && m->out->outside && m->out->step;
}

/* ---- one cell ---- */

static bool put_largest(struct making_layers *m, struct xpd_layers_chosen *chosen,
                        const struct xpd_layers_op *op)
{
    const struct xpd_op_times *times = m->side.runs->times;
    uint32_t n = chosen->ops < OPS_SHOWN ? chosen->ops : OPS_SHOWN;
    struct xpd_layers_largest *row = XPD_NEW_ARRAY(m->ctx->arena, struct xpd_layers_largest, n);
    for (uint32_t i = 0; row && i < n; i++) {
        uint32_t at = m->side.program->first_op + op[i].op;
        row[i] = (struct xpd_layers_largest){
            xpd_intern_get(&times->names, times->op[at].name),
            xpd_op_group_word(xpd_op_group_of(m->in.hlo, m->in.instruction[op[i].op])),
            (int64_t)op[i].count, op[i].self_ps, mean_of(m, op[i].self_ps)};
    }
    chosen->largest.at = row;
    chosen->largest.n = n;
    return row != NULL;
}

static int put_chosen(struct making_layers *m, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = m->ctx;
    if (!xpd_param_has(ctx, "part") || !xpd_param_has(ctx, "layer"))
        return XPD_OK;
    int64_t part = xpd_param_int(ctx, &xpd_tool_trace_layers, "part");
    int64_t layer = xpd_param_int(ctx, &xpd_tool_trace_layers, "layer");
    if (part >= m->layers.part_count || layer >= m->layers.layer_count)
        return xpd_fail(err, XPD_ENOTFOUND, part >= m->layers.part_count ? "part" : "layer",
                        XPD_NO_OFFSET, "there are %" PRIu32 " parts and %" PRIu32 " layers",
                        m->layers.part_count, m->layers.layer_count);
    struct xpd_layers_chosen *chosen = XPD_NEW(ctx->arena, struct xpd_layers_chosen);
    int64_t *step_ps = XPD_NEW_ARRAY(ctx->arena, int64_t, m->layers.steps);
    struct xpd_layers_op *op;
    if (!chosen || !step_ps)
        return xpd_tools_no_memory(err);
    chosen->part = (uint32_t)part;
    chosen->layer = (uint32_t)layer;
    chosen->roofline_share = cell_share(m, chosen->part, chosen->layer);
    chosen->step_ps.at = step_ps;
    chosen->step_ps.n = m->side.spans.step_count;
    m->out->chosen = chosen;
    return xpd_layers_cell_of(&m->layers, &m->in, &m->repeat[m->way], chosen->part, chosen->layer,
                              step_ps, &op, &chosen->ops, ctx->arena) &&
                   put_largest(m, chosen, op)
               ? XPD_OK
               : xpd_tools_no_memory(err);
}

/* ---- the answer ---- */

/* The way that `by` names; the best without it. */
static int choose_way(struct making_layers *m, struct xpd_err *err)
{
    struct xpd_str by = xpd_param_text(m->ctx, "by");
    for (m->way = 0; by.size > 0 && m->way < m->repeats; m->way++)
        if (xpd_str_eq(by, m->repeat[m->way].name))
            break;
    if (m->way < m->repeats || by.size == 0)
        return XPD_OK;
    return xpd_fail(err, XPD_ENOTFOUND, "by", XPD_NO_OFFSET,
                    "nothing of the name %.*s repeats in this program",
                    (int)(by.size < 80 ? by.size : 80), by.data);
}

static const char *why_no_steps(const struct xpd_op_side *side)
{
    if (!side->spans.whole)
        return NULL;
    return side->view.derived->step_count > 0 ? "this program did not run in any step"
                                              : "nothing in the trace marks steps";
}

static void put_head(struct making_layers *m)
{
    const struct xpd_op_side *side = &m->side;
    struct xpd_layers_answer *out = m->out;
    out->module = side->key;
    out->host = xpd_tools_whose(m->ctx->run, side->host);
    out->clock = side->clock;
    out->spans = side->spans.count;
    out->steps.at = side->spans.number;
    out->steps.n = side->spans.step_count;
    out->no_steps = why_no_steps(side);
}

static int put_all(struct making_layers *m, struct xpd_err *err)
{
    int rc = choose_way(m, err);
    if (rc == XPD_OK)
        rc = xpd_layers_make(&m->layers, &m->in, &m->repeat[m->way],
                             xpd_param_word(m->ctx, &xpd_tool_trace_layers, "passes") == TOGETHER,
                             m->ctx->arena, err);
    if (rc != XPD_OK)
        return rc;
    m->out->known = m->layers.part[0].cell_count > 0;
    m->out->way = m->way;
    if (!m->out->known) {
        m->out->reason = "no operation of these layers ran in the selected steps";
        return XPD_OK;
    }
    rc = add_rooflines(m, err);
    if (rc != XPD_OK)
        return rc;
    if (!put_layers(m) || !put_parts(m) || !put_sums(m))
        return xpd_tools_no_memory(err);
    return put_chosen(m, err);
}

static int layers(const struct xpd_tool_ctx *ctx, const void **out, struct xpd_err *err)
{
    struct making_layers m = {.ctx = ctx, .out = XPD_NEW(ctx->arena, struct xpd_layers_answer)};
    struct xpd_op_ask ask = {.module = xpd_param_text(ctx, "module"),
                             .host = xpd_param_text(ctx, "host"),
                             .steps = xpd_param_text(ctx, "steps")};
    *out = m.out;
    if (!m.out)
        return xpd_tools_no_memory(err);
    m.out->way = XPD_NO_INDEX;
    int rc = xpd_tools_op_side(&m.side, ctx, &ask, err);
    m.out->reason = m.side.why_not;
    if (rc != XPD_OK || m.out->reason)
        return rc;
    put_head(&m);
    m.in = (struct xpd_ran_ops){m.side.hlo, m.side.runs, m.side.program, m.side.instruction,
                                &m.side.spans};
    if (!m.side.hlo) {
        m.out->reason = "no HLO in the profile: the order of operations is unknown";
        return XPD_OK;
    }
    if (!xpd_layers_find(&m.repeat, &m.repeats, &m.out->reason, &m.in, ctx->arena) || !put_ways(&m))
        return xpd_tools_no_memory(err);
    return m.repeats > 0 ? put_all(&m, err) : XPD_OK;
}

/* ---- a table on a terminal ---- */

#define TEXT_LAYERS 12 /* columns of layers; more are their least and most alone */

static void text_head(struct xpd_strbuf *out, const struct xpd_layers_answer *a)
{
    const struct xpd_layers_way *way = &a->ways.at[a->way];
    xpd_strbuf_printf(
        out, "%.*s: %" PRIu32 " layers of %s; self ms of operations on one device, mean of ",
        (int)way->name.size, way->name.data, way->layers, a->module);
    if (a->no_steps)
        xpd_strbuf_puts(out, "1: the whole trace");
    else
        xpd_strbuf_printf(out, "%" PRIu32 " step%s", a->spans, a->spans == 1 ? "" : "s");
    xpd_strbuf_printf(out, "; clock: %s\n\n", a->clock);
}

static void put_ms(struct xpd_strbuf *out, double ps)
{
    if (ps < 0)
        xpd_strbuf_printf(out, "%10s", "none");
    else
        xpd_strbuf_printf(out, "%10.3f", ps / 1e9);
}

/* The last of a line. */
static void put_share(struct xpd_strbuf *out, double roofline_share)
{
    if (roofline_share < 0)
        xpd_strbuf_printf(out, "%11s\n", "unknown");
    else
        xpd_strbuf_printf(out, "%9.1f %%\n", roofline_share * 100);
}

static void text_row(struct xpd_strbuf *out, const struct xpd_layers_answer *a, uint32_t p,
                     uint32_t *cell)
{
    const struct xpd_layers_row *row = &a->parts.at[p];
    char name[64];
    snprintf(name, sizeof name, "%*s%.*s", (int)(row->depth < 12 ? 2 * row->depth : 24), "",
             (int)(row->depth == 0 ? 9 : row->name.size),
             row->depth == 0 ? "one layer" : row->name.data);
    xpd_strbuf_printf(out, "%-40.40s", name);
    uint32_t columns = a->layers.n <= TEXT_LAYERS ? a->layers.n : 0;
    for (uint32_t l = 0; l < a->layers.n; l++) {
        bool has =
            *cell < a->cells.n && a->cells.at[*cell].part == p && a->cells.at[*cell].layer == l;
        if (columns > 0)
            put_ms(out, has ? (double)a->cells.at[*cell].self_ps / a->spans : -1);
        *cell += has;
    }
    put_ms(out, row->mean_ps);
    put_ms(out, row->min_ps);
    put_ms(out, row->max_ps);
    xpd_strbuf_printf(out, row->ratio < 0 ? "%8s" : "", "");
    if (row->ratio >= 0)
        xpd_strbuf_printf(out, "%7.2fx", row->ratio);
    xpd_strbuf_printf(out, "%7.1f %%", row->share * 100);
    put_share(out, row->roofline_share);
}

static void text_total(struct xpd_strbuf *out, const char *name, const struct xpd_layers_total *sum,
                       const struct xpd_layers_answer *a)
{
    double share = a->step->self_ps > 0 ? (double)sum->self_ps / (double)a->step->self_ps : 0;
    xpd_strbuf_printf(out, "%-40s", name);
    for (uint32_t l = 0; a->layers.n <= TEXT_LAYERS && l < a->layers.n; l++)
        xpd_strbuf_printf(out, "%10s", "");
    put_ms(out, sum->mean_ps);
    xpd_strbuf_printf(out, "%28s%7.1f %%", "", share * 100);
    put_share(out, sum->roofline_share);
}

static void text(struct xpd_strbuf *out, const void *answer)
{
    const struct xpd_layers_answer *a = answer;
    if (!a->known) {
        xpd_strbuf_printf(out, "No layers: %s.\n", a->reason);
        return;
    }
    text_head(out, a);
    xpd_strbuf_printf(out, "%-40s", "part");
    for (uint32_t l = 0; a->layers.n <= TEXT_LAYERS && l < a->layers.n; l++)
        xpd_strbuf_printf(out, " %9.*s",
                          (int)(a->layers.at[l].name.size < 9 ? a->layers.at[l].name.size : 9),
                          a->layers.at[l].name.data);
    xpd_strbuf_printf(out, "%10s%10s%10s%8s%9s%11s\n", "mean", "min", "max", "max/min", "of all",
                      "roofline");
    uint32_t cell = 0;
    for (uint32_t p = 0; p < a->parts.n; p++)
        text_row(out, a, p, &cell);
    text_total(out, "all layers", a->inside, a);
    text_total(out, "outside of layers", a->outside, a);
    text_total(out, "all operations", a->step, a);
}

static const struct xpd_param_spec params[] = {
    {.name = "module",
     .type = XPD_PARAM_TEXT,
     .help = "the program; default: the one with most time"},
    {.name = "host",
     .type = XPD_PARAM_TEXT,
     .help = "host of the events; default, and ALL: all hosts together"},
    XPD_PARAM_STEPS("steps", "numbers of steps and ranges, such as 100-102,105; default: all"),
    {.name = "by",
     .type = XPD_PARAM_TEXT,
     .max = 4096,
     .help = "name of one of `ways`; default: the first"},
    {.name = "passes",
     .type = XPD_PARAM_ENUM,
     .words = PASSES,
     .help = "apart (default): each pass is a part; together: a part contains all passes"},
    {.name = "part",
     .type = XPD_PARAM_INT,
     .max = UINT32_MAX,
     .help = "with `layer`: lists the operations of that cell"},
    {.name = "layer", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "likewise"},
    XPD_PARAM_FORMAT,
    XPD_PEAKS_PARAMS,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_layers = {
    .route = "/api/v1/trace/layers",
    .title = "The parts of a program that repeat, side by side.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_layers_answer_record,
    .make = layers,
    .text = text,
    .about =
        "Times are self times of the executions that begin in the steps. Layers are found by "
        "scopes that differ only by a number, by turns of a while, else by equal runs of "
        "operations; of several ways the first has most layers among those that hold nearly as "
        "much time as any.",
    .file_name = "layers.csv",
    XPD_IN_REPORT("", {275, XPD_EACH_HOST, "", "the layers"},
                  {275, XPD_EACH_LAYER, "part=0&layer={#}", NULL}),
};
