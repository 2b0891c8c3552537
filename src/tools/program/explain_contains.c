/* What an operation contains: its body by opcodes, the matmul and the collective in it. Out: one
 * object; unknown is null. */
#include "explain.h"

enum { KINDS_MOST = 12, BODY_MOST = 20000 };

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
    bool has_groups = e->groups_text.size &&
                      xpd_groups_parse(&groups, e->ctx->arena, e->groups_text, &err) == XPD_OK;
    if (has_groups) {
        xpd_strbuf_putc(&e->text, ' ');
        xpd_groups_words(&e->text, &groups);
    } else {
        ratio_words(e);
    }
    xpd_explain_ktext(e, "words");
    xpd_tools_kstr(w, "groups", e->groups_text);
    xpd_explain_put_mesh_groups(e, has_groups ? &groups : NULL);
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
    xpd_json_ktext(w, "note",
                   needs_module ? "The pasted text does not include the body. Open the module to "
                                  "see its ops, replica groups and any matmul (m, n, k) here."
                   : body == XPD_NO_INDEX && xpd_str_eq(e->line.opcode, XPD_STR("fusion"))
                       ? "The body is not in the profile."
                       : NULL);
    xpd_json_obj_end(w);
}
