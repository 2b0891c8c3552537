/* The sections of an explanation. In: what is known about the instruction. Out: one record a
 * section; unknown is null. */
#include "explain.h"

#include "xprofd/hlo/sharding.h"

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
            plain += xpd_shape_unpadded_bytes(&shape->element[i], &overflow);
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
