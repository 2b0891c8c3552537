/* The sections of an explanation as JSON. In: what is known about the instruction. Out: one object
 * a section; unknown is null. */
#include "explain.h"

#include "xprofd/hlo/sharding.h"

/* ---- text ---- */

void xpd_explain_put_text(struct xpd_explaining *e, const struct xpd_parts *parts)
{
    struct xpd_jsonw *w = e->w;
    xpd_json_key(w, "text");
    xpd_json_obj(w);
    xpd_json_key(w, "segments");
    xpd_json_obj(w);
    XPD_COLUMN(w, "text", parts->segment_count, xpd_json_str(w, parts->segment[row].text));
    XPD_COLUMN(w, "part", parts->segment_count, xpd_json_u64(w, parts->segment[row].part));
    xpd_json_obj_end(w);
    xpd_json_key(w, "parts");
    xpd_json_obj(w);
    XPD_COLUMN(w, "label", parts->count, xpd_json_text(w, parts->part[row].label));
    XPD_COLUMN(w, "sentence", parts->count, xpd_json_str(w, parts->part[row].sentence));
    XPD_COLUMN(w, "missing", parts->count, xpd_json_bool(w, parts->part[row].missing));
    xpd_json_obj_end(w);
    xpd_json_ku64(w, "left_out", parts->attributes_left_out);
    xpd_json_obj_end(w);
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

static const char *space_of(const struct xpd_explaining *e, const struct xpd_shape *shape,
                            char scratch[24])
{
    const struct xpd_shape *array = largest_array(shape);
    int64_t space = array->layout ? array->layout->memory_space : 0;
    const char *platform = e->from.platform && e->from.platform[0] ? e->from.platform : "tpu";
    return xpd_type_bits(array->type) > 0 ? e->from.space_name(platform, space, scratch) : "";
}

void xpd_explain_put_output(struct xpd_explaining *e)
{
    const struct xpd_shape *shape = e->line.shape;
    struct xpd_jsonw *w = e->w;
    char scratch[24];
    bool overflow = false;
    xpd_json_key(w, "output");
    xpd_json_obj(w);
    xpd_shape_text(&e->text, shape, true);
    xpd_explain_ktext(e, "shape");
    xpd_json_ki64(w, "elements", xpd_shape_elements(shape));
    xpd_json_ki64(w, "bytes", xpd_shape_bytes(shape));
    int64_t plain = shape->type == XPD_TYPE_TUPLE ? 0 : xpd_shape_unpadded_bytes(shape, &overflow);
    for (uint32_t i = 0; i < shape->element_count; i++)
        if (shape->element[i].element_count == 0)
            plain += xpd_shape_unpadded_bytes(&shape->element[i], &overflow);
    xpd_tools_kknown(w, "unpadded_bytes", overflow || plain < 0 ? -1 : plain);
    xpd_json_ku64(w, "results", shape->type == XPD_TYPE_TUPLE ? shape->element_count : 1);
    xpd_json_ktext(w, "space", space_of(e, shape, scratch));
    xpd_json_obj_end(w);
}

/* ---- operands of a pasted line ---- */

void xpd_explain_put_line_operands(struct xpd_explaining *e)
{
    const struct xpd_hlo_line *line = &e->line;
    struct xpd_jsonw *w = e->w;
    char scratch[24];
    xpd_json_key(w, "operands");
    xpd_json_obj(w);
    xpd_json_ku64(w, "total", line->operand_count);
    XPD_COLUMN(w, "name", line->operand_count, xpd_json_str(w, line->operand[row].name));
    xpd_json_key(w, "shape");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < line->operand_count; i++) {
        if (line->operand[i].shape)
            xpd_shape_text(&e->text, line->operand[i].shape, true);
        xpd_explain_words(e);
    }
    xpd_json_arr_end(w);
    XPD_COLUMN(w, "bytes", line->operand_count,
               line->operand[row].shape ? xpd_json_i64(w, xpd_shape_bytes(line->operand[row].shape))
                                        : xpd_json_null(w));
    XPD_COLUMN(w, "space", line->operand_count,
               xpd_json_text(w, line->operand[row].shape
                                    ? space_of(e, line->operand[row].shape, scratch)
                                    : ""));
    xpd_json_obj_end(w);
}

/* ---- sharding ---- */

void xpd_explain_put_sharding(struct xpd_explaining *e)
{
    struct xpd_str own = xpd_line_attribute(&e->line, "sharding");
    struct xpd_str text = e->sharding.size ? e->sharding : own;
    struct xpd_sharding sharding;
    int64_t dims[XPD_SHARDING_RANK];
    struct xpd_jsonw *w = e->w;
    xpd_json_key(w, "sharding");
    if (text.size == 0) {
        xpd_json_null(w);
        return;
    }
    xpd_sharding_parse(&sharding, text);
    xpd_json_obj(w);
    xpd_json_kstr(w, "text", text);
    xpd_json_kbool(w, "typed", e->sharding.size > 0);
    xpd_sharding_words(&e->text, &sharding, e->line.shape);
    xpd_explain_ktext(e, "words");
    if (xpd_sharding_global(&sharding, e->line.shape, dims))
        xpd_json_col_i64(w, "global_dims", dims, e->line.shape->rank);
    else
        xpd_json_knull(w, "global_dims");
    xpd_explain_put_mesh_sharding(e, text);
    xpd_json_obj_end(w);
}
