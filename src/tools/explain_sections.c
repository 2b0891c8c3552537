/* The sections of an explanation as JSON. In: what is known about the instruction. Out: one object
 * a section; unknown is null. */
#include "explain.h"

#include "xprofd/hlo/sharding.h"

enum { KINDS_MOST = 12, BODY_MOST = 20000 };

/* A buffer that nothing was put into has no bytes. */
static struct xpd_str scratch_of(const struct xpd_explaining *e)
{
    return e->text.size ? (struct xpd_str){e->text.data, e->text.size} : XPD_STR("");
}

void xpd_explain_ktext(struct xpd_explaining *e, const char *key)
{
    xpd_json_kstr(e->w, key, scratch_of(e));
    xpd_strbuf_clear(&e->text);
}

void xpd_explain_words(struct xpd_explaining *e)
{
    xpd_json_str(e->w, scratch_of(e));
    xpd_strbuf_clear(&e->text);
}

static void known_double(struct xpd_jsonw *w, const char *key, double value)
{
    if (value < 0)
        xpd_json_knull(w, key);
    else
        xpd_json_kdouble(w, key, value);
}

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

/* ---- expected time ---- */

static void put_peaks(struct xpd_jsonw *w, const struct xpd_peaks *peaks)
{
    xpd_json_ktext(w, "device", peaks->device);
    known_double(w, "flops_per_s", peaks->flops_per_s);
    known_double(w, "hbm_bytes_per_s", peaks->hbm_bytes_per_s);
    known_double(w, "link_bytes_per_s", peaks->link_bytes_per_s);
    known_double(w, "clock_hz", peaks->clock_hz);
    xpd_json_ktext(w, "source", peaks->source);
}

static void put_chips(struct xpd_jsonw *w)
{
    uint32_t count;
    const struct xpd_peaks *table = xpd_peaks_table(&count);
    xpd_json_key(w, "chips");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < count; i++) {
        xpd_json_obj(w);
        put_peaks(w, &table[i]);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
}

static void put_traffic(struct xpd_explaining *e)
{
    struct xpd_jsonw *w = e->w;
    struct xpd_traffic traffic = {0};
    char scratch[24];
    if (e->from.hlo && e->from.costs)
        xpd_cost_traffic(e->from.costs, e->from.hlo, e->from.instruction, &traffic);
    xpd_json_key(w, "traffic");
    xpd_json_obj(w);
    XPD_COLUMN(w, "space", traffic.count,
               xpd_json_text(w, e->from.space_name(e->from.platform && e->from.platform[0]
                                                       ? e->from.platform
                                                       : "tpu",
                                                   traffic.at[row].space, scratch)));
    XPD_COLUMN(w, "read_bytes", traffic.count, xpd_json_i64(w, traffic.at[row].read_bytes));
    XPD_COLUMN(w, "written_bytes", traffic.count, xpd_json_i64(w, traffic.at[row].written_bytes));
    xpd_json_obj_end(w);
}

static const char *rule_of(const struct xpd_explaining *e)
{
    struct xpd_str opcode = e->line.opcode;
    if (!e->from.hlo)
        return "from the text alone: a dot's work from its dimensions, other work where operation "
               "and shape tell";
    if (xpd_str_eq(opcode, XPD_STR("while")))
        return "computed here: body and condition once; the number of turns is not in the module";
    if (xpd_str_eq(opcode, XPD_STR("conditional")))
        return "computed here: the most expensive branch";
    if (xpd_str_eq(opcode, XPD_STR("custom-call")))
        return "unknown: the called code is not HLO";
    if (xpd_str_eq(opcode, XPD_STR("fusion")))
        return "computed here: the sum of what is inside; cycles are the compiler's";
    return "computed here by the rules of XLA's cost analysis; cycles are the compiler's";
}

void xpd_explain_put_expected(struct xpd_explaining *e)
{
    struct xpd_jsonw *w = e->w;
    const struct xpd_amounts *a = &e->amounts;
    const struct xpd_peaks *peaks = e->has_peaks ? &e->peaks : NULL;
    struct xpd_expected expected;
    xpd_expect(&expected, a, peaks);
    xpd_json_key(w, "expected");
    xpd_json_obj(w);
    xpd_tools_kknown(w, "flops", a->flops);
    xpd_tools_kknown(w, "hbm_bytes", a->hbm_bytes);
    xpd_tools_kknown(w, "link_bytes", a->link_bytes);
    xpd_tools_kknown(w, "cycles", a->cycles);
    xpd_json_kbool(w, "partial", a->partial);
    xpd_json_kbool(w, "collective", e->collective_kind != NULL);
    xpd_json_ktext(w, "rule", rule_of(e));
    put_traffic(e);
    xpd_json_key(w, "peaks");
    if (peaks) {
        xpd_json_obj(w);
        put_peaks(w, peaks);
        xpd_json_obj_end(w);
    } else {
        xpd_json_null(w);
    }
    put_chips(w);
    known_double(w, "compute_s", expected.compute_s);
    known_double(w, "hbm_s", expected.hbm_s);
    known_double(w, "link_s", expected.link_s);
    known_double(w, "cycles_s", expected.cycles_s);
    known_double(w, "roofline_s", expected.roofline_s);
    xpd_json_ktext(w, "bound", expected.bound);
    xpd_expect_words(&e->text, &expected, a, peaks);
    xpd_explain_ktext(e, "verdict");
    xpd_json_obj_end(w);
}

/* ---- contains ---- */

struct kinds {
    xpd_name_id opcode[KINDS_MOST];
    uint32_t count[KINDS_MOST], used, others;
};

static void count_kinds(struct kinds *kinds, const struct xpd_hlo *hlo, uint32_t body)
{
    uint32_t first = hlo->computations.first[body];
    uint32_t count = hlo->computations.instruction_count[body];
    for (uint32_t i = first; i < first + count && i < first + BODY_MOST; i++) {
        xpd_name_id opcode = hlo->instructions.opcode[i];
        if (xpd_str_eq(xpd_hlo_text(hlo, opcode), XPD_STR("parameter")))
            continue;
        uint32_t k = 0;
        while (k < kinds->used && kinds->opcode[k] != opcode)
            k++;
        if (k == kinds->used && k < KINDS_MOST)
            kinds->opcode[kinds->used++] = opcode;
        if (k < KINDS_MOST)
            kinds->count[k]++;
        else
            kinds->others++;
    }
}

static void put_body(struct xpd_explaining *e, uint32_t body)
{
    const struct xpd_hlo *hlo = e->from.hlo;
    struct xpd_jsonw *w = e->w;
    struct kinds kinds = {.used = 0};
    count_kinds(&kinds, hlo, body);
    xpd_json_kstr(w, "body", xpd_hlo_text(hlo, hlo->computations.name[body]));
    xpd_json_ku64(w, "instructions", hlo->computations.instruction_count[body]);
    xpd_json_key(w, "kinds");
    xpd_json_obj(w);
    XPD_COLUMN(w, "opcode", kinds.used, xpd_json_str(w, xpd_hlo_text(hlo, kinds.opcode[row])));
    XPD_COLUMN(w, "count", kinds.used, xpd_json_u64(w, kinds.count[row]));
    xpd_json_ku64(w, "others", kinds.others);
    xpd_json_obj_end(w);
}

static void put_matmul(struct xpd_explaining *e)
{
    const struct xpd_matmul *matmul = &e->matmul;
    struct xpd_jsonw *w = e->w;
    xpd_json_key(w, "matmul");
    if (matmul->batch == 0) {
        xpd_json_null(w);
        return;
    }
    xpd_json_obj(w);
    if (e->from.hlo)
        xpd_json_kstr(
            w, "name",
            xpd_hlo_text(e->from.hlo, e->from.hlo->instructions.name[matmul->instruction]));
    else
        xpd_json_kstr(w, "name", e->line.name);
    xpd_json_kbool(w, "is_convolution", matmul->is_convolution);
    xpd_json_ki64(w, "batch", matmul->batch);
    xpd_json_ki64(w, "m", matmul->m);
    xpd_json_ki64(w, "n", matmul->n);
    xpd_json_ki64(w, "k", matmul->k);
    xpd_json_ki64(w, "flops", matmul->flops);
    xpd_json_obj_end(w);
}

/* "8192 -> 4096 in dimension 2 fits a group of 2 devices." */
static void ratio_words(struct xpd_explaining *e)
{
    const struct xpd_shape *in = e->line.operand_count == 1 ? e->line.operand[0].shape : NULL;
    const struct xpd_shape *out = e->line.shape;
    if (!in || in->rank != out->rank || in->element_count || out->element_count)
        return;
    for (uint32_t i = 0; i < in->rank; i++) {
        int64_t a = in->dims[i], b = out->dims[i];
        int64_t ratio = a > b && b > 0 && a % b == 0   ? a / b
                        : b > a && a > 0 && b % a == 0 ? b / a
                                                       : 0;
        if (ratio > 1)
            xpd_strbuf_printf(&e->text,
                              " %" PRId64 " \xe2\x86\x92 %" PRId64 " in dimension %" PRIu32
                              " fits a group of %" PRId64 " devices.",
                              a, b, i, ratio);
    }
}

static void put_collective(struct xpd_explaining *e)
{
    struct xpd_jsonw *w = e->w;
    struct xpd_groups groups;
    struct xpd_err err = {0};
    const char *kind = e->collective_kind, *same;
    xpd_json_key(w, "collective");
    if (!kind) {
        xpd_json_null(w);
        return;
    }
    xpd_json_obj(w);
    bool in_module = e->from.hlo && e->collective != XPD_NO_INDEX;
    bool hidden = in_module ? e->collective != e->from.instruction
                            : !xpd_collective_sentence(e->line.opcode, &same);
    xpd_json_ktext(w, "kind", kind);
    xpd_json_kbool(w, "hidden", hidden);
    if (in_module)
        xpd_json_kstr(w, "name",
                      xpd_hlo_text(e->from.hlo, e->from.hlo->instructions.name[e->collective]));
    else
        xpd_json_knull(w, "name");
    if (hidden && !in_module)
        xpd_strbuf_printf(&e->text, "The body's name says %s.", kind);
    else
        xpd_strbuf_puts(&e->text, xpd_opcode_sentence(xpd_str_of(kind)));
    if (e->groups_text.size &&
        xpd_groups_parse(&groups, e->ctx->arena, e->groups_text, &err) == XPD_OK) {
        xpd_strbuf_putc(&e->text, ' ');
        xpd_groups_words(&e->text, &groups);
    } else {
        ratio_words(e);
    }
    xpd_explain_ktext(e, "words");
    xpd_tools_kstr(w, "groups", e->groups_text);
    xpd_json_obj_end(w);
}

void xpd_explain_put_contains(struct xpd_explaining *e)
{
    struct xpd_jsonw *w = e->w;
    uint32_t body = XPD_NO_INDEX;
    xpd_json_key(w, "contains");
    xpd_json_obj(w);
    if (e->from.hlo) {
        const struct xpd_hlo_instructions *ins = &e->from.hlo->instructions;
        uint32_t at = ins->called_first[e->from.instruction];
        body = at < ins->called_first[e->from.instruction + 1] ? ins->called[at] : XPD_NO_INDEX;
    }
    if (body != XPD_NO_INDEX) {
        put_body(e, body);
    } else {
        struct xpd_str calls = xpd_line_attribute(&e->line, "calls");
        xpd_tools_kstr(w, "body", xpd_tools_bare_name(calls));
        xpd_json_knull(w, "instructions");
        xpd_json_knull(w, "kinds");
    }
    put_matmul(e);
    put_collective(e);
    bool needs_module = !e->from.hlo && xpd_line_attribute(&e->line, "calls").size > 0;
    xpd_json_ktext(
        w, "note",
        needs_module ? "The body itself is not in the pasted text. With the module open, its ops, "
                       "replica groups and any matmul (m, n, k) are listed here."
        : body == XPD_NO_INDEX && xpd_str_eq(e->line.opcode, XPD_STR("fusion"))
            ? "The body is not in the profile."
            : NULL);
    xpd_json_obj_end(w);
}

/* ---- sharding ---- */

void xpd_explain_put_sharding(struct xpd_explaining *e)
{
    struct xpd_str text = xpd_line_attribute(&e->line, "sharding");
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
    xpd_sharding_words(&e->text, &sharding, e->line.shape);
    xpd_explain_ktext(e, "words");
    if (xpd_sharding_global(&sharding, e->line.shape, dims))
        xpd_json_col_i64(w, "global_dims", dims, e->line.shape->rank);
    else
        xpd_json_knull(w, "global_dims");
    xpd_json_obj_end(w);
}
