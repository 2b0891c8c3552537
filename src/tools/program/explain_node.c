/* /api/v1/graph/explain: one instruction of a module in plain sentences, with what its module
 * knows: body, operands and users, repeats, source. */
#include "../common/tools.h"
#include "../tables/module_text.h"
#include "explain.h"
#include "graph_tree.h"
#include "xprofd/base/checked.h"
#include "xprofd/hlo/kernel.h"
#include "xprofd/hlo/print.h"
#include "xprofd/hlo/sharding.h"

/* The sections of an explanation. In: what is known about the instruction. Out: one record a
 * section; unknown is null. */

XPD_RECORD_TABLE(xpd_explain_segment, XPD_EXPLAIN_SEGMENT_FIELDS)
XPD_RECORD_TABLE(xpd_explain_part, XPD_EXPLAIN_PART_FIELDS)
XPD_RECORD_TABLE(xpd_explain_text, XPD_EXPLAIN_TEXT_FIELDS)
XPD_RECORD_TABLE(xpd_explain_output, XPD_EXPLAIN_OUTPUT_FIELDS)
XPD_RECORD_TABLE(xpd_explain_sharding, XPD_EXPLAIN_SHARDING_FIELDS)
XPD_RECORD_TABLE(xpd_explain_near, XPD_EXPLAIN_NEAR_FIELDS)
XPD_RECORD_TABLE(xpd_explain_nears, XPD_EXPLAIN_NEARS_FIELDS)

/* ---- text ---- */

static const struct xpd_explain_text *text_of(const struct xpd_explaining *e,
                                              const struct xpd_parts *parts)
{
    struct xpd_arena *arena = e->ctx->arena;
    struct xpd_explain_text *out = XPD_NEW(arena, struct xpd_explain_text);
    struct xpd_explain_segment *segment =
        XPD_NEW_ARRAY(arena, struct xpd_explain_segment, parts->segment_count);
    struct xpd_explain_part *part = XPD_NEW_ARRAY(arena, struct xpd_explain_part, parts->count);
    if (!out || !segment || !part)
        return NULL;
    for (uint32_t i = 0; i < parts->segment_count; i++)
        segment[i] = (struct xpd_explain_segment){parts->segment[i].text, parts->segment[i].part};
    for (uint32_t i = 0; i < parts->count; i++)
        part[i] = (struct xpd_explain_part){parts->part[i].label, parts->part[i].sentence,
                                            parts->part[i].missing};
    out->segments.at = segment;
    out->segments.n = parts->segment_count;
    out->parts.at = part;
    out->parts.n = parts->count;
    out->left_out = parts->attributes_left_out;
    return out;
}

/* ---- output ---- */

static const struct xpd_shape *largest_array(const struct xpd_shape *shape)
{
    const struct xpd_shape *best = shape;
    int64_t most = -1;
    for (uint32_t i = 0; i < shape->element_count; i++)
        if (shape->element[i].element_count == 0 && xpd_shape_bytes(&shape->element[i]) > most) {
            best = &shape->element[i];
            most = xpd_shape_bytes(best);
        }
    return best;
}

static struct xpd_str space_of(const struct xpd_explaining *e, const struct xpd_shape *shape)
{
    char scratch[24];
    const struct xpd_shape *array = largest_array(shape);
    int64_t space = array->layout ? array->layout->memory_space : 0;
    const char *platform = e->from.platform && e->from.platform[0] ? e->from.platform : "tpu";
    if (xpd_type_bits(array->type) == 0)
        return XPD_STR("");
    return xpd_arena_str(e->ctx->arena, xpd_str_of(e->from.space_name(platform, space, scratch)));
}

static const struct xpd_explain_output *output_of(struct xpd_explaining *e)
{
    const struct xpd_shape *shape = e->line.shape;
    struct xpd_explain_output *out = XPD_NEW(e->ctx->arena, struct xpd_explain_output);
    bool overflow = false;
    if (!out)
        return NULL;
    int64_t plain = shape->type == XPD_TYPE_TUPLE ? 0 : xpd_shape_unpadded_bytes(shape, &overflow);
    for (uint32_t i = 0; i < shape->element_count; i++)
        if (shape->element[i].element_count == 0)
            plain = xpd_add_i64(plain, xpd_shape_unpadded_bytes(&shape->element[i], &overflow),
                                &overflow);
    xpd_shape_text(&e->text, shape, true);
    out->shape = xpd_explain_keep(e);
    out->elements = xpd_shape_elements(shape);
    out->size_bytes = xpd_shape_bytes(shape);
    out->unpadded_bytes = overflow || plain < 0 ? -1 : plain;
    out->results = shape->type == XPD_TYPE_TUPLE ? shape->element_count : 1;
    out->space = space_of(e, shape);
    return out;
}

/* ---- operands of a pasted line ---- */

static void fill_operand(struct xpd_explain_near *out, struct xpd_explaining *e, uint32_t i)
{
    const struct xpd_shape *shape = e->line.operand[i].shape;
    *out = (struct xpd_explain_near){.ix = XPD_NO_INDEX,
                                     .id = XPD_UNKNOWN,
                                     .name = e->line.operand[i].name,
                                     .size_bytes = -1,
                                     .line = -1};
    if (!shape)
        return;
    xpd_shape_text(&e->text, shape, true);
    out->shape = xpd_explain_keep(e);
    out->size_bytes = xpd_shape_bytes(shape);
    out->space = space_of(e, shape);
}

const struct xpd_explain_nears *xpd_explain_line_operands(struct xpd_explaining *e)
{
    uint32_t n = e->line.operand_count;
    struct xpd_explain_nears *out = XPD_NEW(e->ctx->arena, struct xpd_explain_nears);
    struct xpd_explain_near *row = XPD_NEW_ARRAY(e->ctx->arena, struct xpd_explain_near, n);
    if (!out || !row)
        return NULL;
    for (uint32_t i = 0; i < n; i++)
        fill_operand(&row[i], e, i);
    out->total = n;
    out->rows.at = row;
    out->rows.n = n;
    return out;
}

/* ---- sharding ---- */

static const struct xpd_explain_sharding *sharding_of(struct xpd_explaining *e)
{
    struct xpd_str own = xpd_line_attribute(&e->line, "sharding");
    struct xpd_str text = e->sharding.size ? e->sharding : own;
    struct xpd_sharding sharding;
    int64_t dims[XPD_SHARDING_RANK];
    struct xpd_explain_sharding *out =
        text.size ? XPD_NEW(e->ctx->arena, struct xpd_explain_sharding) : NULL;
    if (!out)
        return NULL;
    xpd_sharding_parse(&sharding, text);
    out->text = text;
    out->typed = e->sharding.size > 0;
    xpd_sharding_words(&e->text, &sharding, e->line.shape);
    out->words = xpd_explain_keep(e);
    if (xpd_sharding_global(&sharding, e->line.shape, dims)) {
        out->global_dims.at = XPD_COPY_ARRAY(e->ctx->arena, dims, e->line.shape->rank);
        out->global_dims.n = e->line.shape->rank;
    }
    out->mesh = xpd_explain_mesh_sharding(e, text);
    return out;
}

/* ---- all of them ---- */

void xpd_explain_fill(struct xpd_explanation *out, struct xpd_explaining *e,
                      const struct xpd_parts *parts)
{
    out->text = text_of(e, parts);
    out->output = output_of(e);
    out->layout = xpd_explain_layout_of(e);
    out->expected = xpd_explain_expected_of(e);
    out->contains = xpd_explain_contains_of(e);
    out->sharding = sharding_of(e);
}

enum { USERS_MOST = 200, REPEATS_MOST = 40, OPERANDS_MOST = 200 };

static const struct xpd_param_spec params[] = {
    {.name = "node",
     .type = XPD_PARAM_TEXT,
     .required = true,
     .help = "an instruction: its id or its name"},
    {.name = "device",
     .type = XPD_PARAM_CHIP,
     .help = "chip whose peaks to use, for example `TPU v5e`, instead of the run's"},
    XPD_EXPLAIN_LAYOUT_PARAMS,
    {0}};

/* ---- its text, and the groups of the collective in it ---- */

/* How many bytes of kernel its backend config holds. */
static size_t kernel_of(struct xpd_explaining *e, struct xpd_hlo_printer *printer)
{
    struct xpd_str bytes;
    struct xpd_err err = {0};
    struct xpd_str config = xpd_hlo_config(printer, e->from.instruction, 0);
    return config.size && xpd_kernel_bytes(&bytes, e->ctx->arena, config, &err) == XPD_OK
               ? bytes.size
               : 0;
}

static int read_texts(struct xpd_explaining *e, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = e->ctx;
    struct xpd_module_text text = {0};
    int rc = xpd_module_text_open(&text, ctx, err);
    if (rc == XPD_OK)
        rc = xpd_line_of(&e->line, ctx->arena, ctx->hlo, text.printer, e->from.instruction, err);
    if (rc == XPD_OK && e->collective != XPD_NO_INDEX)
        e->groups_text =
            xpd_hlo_attribute(text.printer, e->collective, 0, "replica_groups", ctx->arena);
    if (rc == XPD_OK)
        e->kernel_bytes = kernel_of(e, text.printer);
    xpd_module_text_close(&text);
    return rc == XPD_OK && ctx->arena->failed ? xpd_tools_no_memory(err) : rc;
}

/* ---- amounts ---- */

static int64_t operand_bytes(const struct xpd_hlo *hlo, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    int64_t sum = 0;
    for (uint32_t k = ins->operand_first[i]; k < ins->operand_first[i + 1]; k++)
        if (ins->operand[k] != XPD_NO_INDEX)
            xpd_grow_i64(&sum, xpd_shape_bytes(ins->shape[ins->operand[k]]));
    return sum;
}

/* What a collective yields: of a start, the last array of its tuple; that of an all-reduce has only
 * results. */
static int64_t result_bytes(const struct xpd_hlo *hlo, uint32_t i)
{
    const struct xpd_shape *shape = hlo->instructions.shape[i];
    struct xpd_str opcode = xpd_hlo_text(hlo, hlo->instructions.opcode[i]);
    bool start = xpd_str_ends(opcode, "-start") && !xpd_str_eq(opcode, XPD_STR("all-reduce-start"));
    return start && shape->element_count >= 2 ? xpd_shape_bytes(&shape->element[1])
                                              : xpd_shape_bytes(shape);
}

static int64_t link_bytes(struct xpd_explaining *e)
{
    struct xpd_groups groups = {0};
    struct xpd_err err = {0};
    const struct xpd_hlo *hlo = e->from.hlo;
    if (e->collective == XPD_NO_INDEX)
        return 0;
    if (xpd_str_ends(xpd_hlo_text(hlo, hlo->instructions.opcode[e->collective]), "-done"))
        return 0; /* its start sends */
    if (e->groups_text.size)
        (void)xpd_groups_parse(&groups, e->ctx->arena, e->groups_text, &err);
    return xpd_ring_bytes(e->collective_kind, operand_bytes(hlo, e->collective),
                          result_bytes(hlo, e->collective), groups.axis_size);
}

static void fill_amounts(struct xpd_explaining *e)
{
    const struct xpd_costs *costs = e->from.costs;
    uint32_t i = e->from.instruction;
    xpd_amounts_of(&e->amounts, costs, e->from.hlo, i);
    e->amounts.link_bytes = link_bytes(e);
    if (costs->matmul[i] != XPD_NO_INDEX)
        e->matmul = costs->matmuls[costs->matmul[i]];
}

/* ---- neighbours ---- */

XPD_RECORD_TABLE(xpd_explain_repeat, XPD_EXPLAIN_REPEAT_FIELDS)
XPD_RECORD_TABLE(xpd_explain_repeats, XPD_EXPLAIN_REPEATS_FIELDS)
XPD_RECORD_TABLE(xpd_explain_frame, XPD_EXPLAIN_FRAME_FIELDS)
XPD_RECORD_TABLE(xpd_explain_source, XPD_EXPLAIN_SOURCE_FIELDS)
XPD_RECORD_TABLE(xpd_explanation, XPD_EXPLANATION_FIELDS)

static const struct xpd_explain_nears *
nears_of(struct xpd_graph_ask *ask, const uint32_t *instruction, uint32_t count, uint32_t total)
{
    struct xpd_explain_nears *out = XPD_NEW(ask->ctx->arena, struct xpd_explain_nears);
    struct xpd_explain_near *row =
        xpd_graph_rows(ask, xpd_explain_near_record(), instruction, count);
    if (!out || !row)
        return NULL;
    out->total = total;
    out->left_out = total - count;
    out->rows.at = row;
    out->rows.n = count;
    return out;
}

static const struct xpd_explain_nears *operands_of(struct xpd_graph_ask *ask, uint32_t i)
{
    const struct xpd_hlo_instructions *ins = &ask->hlo->instructions;
    uint32_t first = ins->operand_first[i], total = ins->operand_first[i + 1] - first;
    uint32_t known[OPERANDS_MOST], count = 0;
    for (uint32_t k = 0; k < total && count < OPERANDS_MOST; k++)
        if (ins->operand[first + k] != XPD_NO_INDEX)
            known[count++] = ins->operand[first + k];
    return nears_of(ask, known, count, total);
}

static const struct xpd_explain_nears *users_of(struct xpd_graph_ask *ask, uint32_t i)
{
    uint32_t total = xpd_index_users(ask->index, i);
    uint32_t count = total < USERS_MOST ? total : USERS_MOST;
    return nears_of(ask, ask->index->user + ask->index->user_first[i], count, total);
}

/* The same operation in other layers: alike as the tree folds them (graph/tree.h: numbers in the
 * scopes of op_name do not count), of as much work, in the same computation. */
static const struct xpd_explain_repeats *
repeats_of(struct xpd_graph_ask *ask, const struct xpd_outline_index *tree, uint32_t i)
{
    const struct xpd_hlo *hlo = ask->hlo;
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    uint32_t found[REPEATS_MOST], count = 0, total = 0;
    uint32_t computation = ins->computation[i], first = hlo->computations.first[computation];
    uint32_t end = first + hlo->computations.instruction_count[computation];
    bool named = xpd_hlo_text(hlo, ins->op_name[i]).size > 0;
    for (uint32_t k = first; named && k < end; k++) {
        if (k == i || tree->likeness[k] != tree->likeness[i] ||
            ask->costs->flops[k] != ask->costs->flops[i])
            continue;
        total++;
        if (count < REPEATS_MOST)
            found[count++] = k;
    }
    struct xpd_explain_repeats *out = XPD_NEW(ask->ctx->arena, struct xpd_explain_repeats);
    struct xpd_explain_repeat *row = xpd_graph_rows(ask, xpd_explain_repeat_record(), found, count);
    if (!out || !row)
        return NULL;
    out->total = total;
    out->left_out = total - count;
    out->rows.at = row;
    out->rows.n = count;
    return out;
}

/* ---- source ---- */

static const struct xpd_explain_source *source_of(const struct xpd_explaining *e)
{
    struct xpd_arena *arena = e->ctx->arena;
    struct xpd_source_info *info = XPD_NEW(arena, struct xpd_source_info);
    struct xpd_explain_source *out = XPD_NEW(arena, struct xpd_explain_source);
    const struct xpd_hlo *hlo = e->from.hlo;
    if (!info || !out)
        return NULL;
    xpd_source_of(hlo, e->from.instruction, info);
    struct xpd_explain_frame *row =
        XPD_NEW_ARRAY(arena, struct xpd_explain_frame, info->frame_count);
    for (uint32_t k = 0; row && k < info->frame_count; k++) {
        const struct xpd_hlo_frame *frame = &hlo->frame[info->frame[k] - 1];
        row[k] = (struct xpd_explain_frame){xpd_hlo_text(hlo, frame->file), frame->line,
                                            xpd_hlo_text(hlo, frame->function)};
    }
    out->file = xpd_tools_or_null(info->file);
    out->line = info->line > 0 ? info->line : -1;
    out->frames.at = row;
    out->frames.n = row ? info->frame_count : 0;
    return out;
}

/* ---- all ---- */

static void fill_head(struct xpd_explanation *out, const struct xpd_graph_ask *ask,
                      const struct xpd_explaining *e)
{
    const struct xpd_hlo *hlo = e->from.hlo;
    const struct xpd_hlo_instructions *ins = &hlo->instructions;
    uint32_t i = e->from.instruction;
    *out = (struct xpd_explanation){
        .name = xpd_hlo_text(hlo, ins->name[i]),
        .opcode = xpd_hlo_text(hlo, ins->opcode[i]),
        .group = xpd_hlo_group_word(hlo, i),
        .id = ins->id[i],
        .ix = i,
        .line = ask->index->line[i] ? (int64_t)ask->index->line[i] : -1,
        .op_name = xpd_hlo_op_name(hlo, i),
        .computation = xpd_hlo_text(hlo, hlo->computations.name[ins->computation[i]]),
        .module = e->ctx->run->module[e->ctx->module].key,
        .device_type = e->ctx->run->device_type,
        .kernel_bytes = e->kernel_bytes ? (int64_t)e->kernel_bytes : -1,
    };
}

static int explain(struct xpd_graph_ask *ask, struct xpd_explaining *e, struct xpd_explanation *out,
                   struct xpd_err *err)
{
    struct xpd_parts *parts = XPD_NEW(e->ctx->arena, struct xpd_parts);
    int rc = parts ? read_texts(e, err) : xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        rc = xpd_parts_of(parts, e->ctx->arena, &e->line, &e->from, err);
    const struct xpd_outline_index *tree = rc == XPD_OK ? xpd_table_outline(ask, err) : NULL;
    if (rc == XPD_OK && !tree)
        rc = XPD_ENOMEM;
    if (rc != XPD_OK)
        return rc;
    e->line.shape = e->from.hlo->instructions.shape[e->from.instruction];
    fill_amounts(e);
    e->has_peaks = xpd_explain_peaks_said(e->ctx, &e->peaks);
    fill_head(out, ask, e);
    xpd_explain_fill(out, e, parts);
    out->operands = operands_of(ask, e->from.instruction);
    out->users = users_of(ask, e->from.instruction);
    out->repeats = repeats_of(ask, tree, e->from.instruction);
    out->source = source_of(e);
    return XPD_OK;
}

static int node(struct xpd_graph_ask *ask, void *answer, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = ask->ctx;
    uint32_t i = XPD_NO_INDEX;
    int rc = xpd_graph_find(ask, "node", &i, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_explaining e = {.ctx = ctx};
    e.from = (struct xpd_explain_from){.hlo = ctx->hlo,
                                       .costs = ask->costs,
                                       .instruction = i,
                                       .platform = ctx->run->platform,
                                       .space_name = xpd_space_name};
    e.collective = ask->costs->collective[i];
    if (e.collective != XPD_NO_INDEX)
        (void)xpd_collective_sentence(
            xpd_hlo_text(ctx->hlo, ctx->hlo->instructions.opcode[e.collective]),
            &e.collective_kind);
    rc = xpd_explain_read_mesh(&e, err);
    if (rc == XPD_OK)
        rc = explain(ask, &e, answer, err);
    xpd_strbuf_fini(&e.text);
    return rc;
}

XPD_MAKE_BY(xpd_graph_answer, make, xpd_explanation_record, node)

const struct xpd_tool xpd_tool_graph_explain = {
    .route = "/api/v1/graph/explain",
    .title = "One instruction of a program, explained.",
    .needs = XPD_NEEDS_MODULE,
    .params = params,
    .about = XPD_GRAPH_NOT_FOUND,
    .answer = xpd_explanation_record,
    .make = make,
    .not_found = xpd_graph_nearest,
    XPD_IN_REPORT("", {270, XPD_EACH_OP, "node={name}&module={module}",
                       "the cards of the 200 operations of most time"}),
};
