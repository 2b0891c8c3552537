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

XPD_RECORD_TABLE(xpd_explain_kind, XPD_EXPLAIN_KIND_FIELDS)
XPD_RECORD_TABLE(xpd_explain_kinds, XPD_EXPLAIN_KINDS_FIELDS)
XPD_RECORD_TABLE(xpd_explain_matmul, XPD_EXPLAIN_MATMUL_FIELDS)
XPD_RECORD_TABLE(xpd_explain_collective, XPD_EXPLAIN_COLLECTIVE_FIELDS)
XPD_RECORD_TABLE(xpd_explain_contains, XPD_EXPLAIN_CONTAINS_FIELDS)

static const struct xpd_explain_kinds *kinds_of(const struct xpd_explaining *e, uint32_t body)
{
    const struct xpd_hlo *hlo = e->from.hlo;
    struct kinds kinds = {.used = 0};
    struct xpd_explain_kinds *out = XPD_NEW(e->ctx->arena, struct xpd_explain_kinds);
    struct xpd_explain_kind *row =
        XPD_NEW_ARRAY(e->ctx->arena, struct xpd_explain_kind, KINDS_MOST);
    if (!out || !row)
        return NULL;
    count_kinds(&kinds, hlo, body);
    for (uint32_t i = 0; i < kinds.used; i++)
        row[i] = (struct xpd_explain_kind){xpd_hlo_text(hlo, kinds.opcode[i]), kinds.count[i]};
    out->rows.at = row;
    out->rows.n = kinds.used;
    out->others = kinds.others;
    return out;
}

static const struct xpd_explain_matmul *matmul_of(const struct xpd_explaining *e)
{
    const struct xpd_matmul *matmul = &e->matmul;
    const struct xpd_hlo *hlo = e->from.hlo;
    struct xpd_explain_matmul *out =
        matmul->batch ? XPD_NEW(e->ctx->arena, struct xpd_explain_matmul) : NULL;
    if (out)
        *out = (struct xpd_explain_matmul){
            .name =
                hlo ? xpd_hlo_text(hlo, hlo->instructions.name[matmul->instruction]) : e->line.name,
            .is_convolution = matmul->is_convolution,
            .batch = matmul->batch,
            .m = matmul->m,
            .n = matmul->n,
            .k = matmul->k,
            .flops = matmul->flops,
        };
    return out;
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

/* What a collective does, and between which devices. */
static void collective_words(struct xpd_explaining *e, bool hidden, const struct xpd_groups *groups)
{
    bool in_module = e->from.hlo && e->collective != XPD_NO_INDEX;
    if (hidden && !in_module)
        xpd_strbuf_printf(&e->text, "The body is named %s.", e->collective_kind);
    else
        xpd_strbuf_puts(&e->text, xpd_opcode_sentence(xpd_str_of(e->collective_kind)));
    if (groups) {
        xpd_strbuf_putc(&e->text, ' ');
        xpd_groups_words(&e->text, groups);
    } else {
        ratio_words(e);
    }
}

static const struct xpd_explain_collective *collective_of(struct xpd_explaining *e)
{
    struct xpd_groups groups;
    struct xpd_err err = {0};
    const struct xpd_hlo *hlo = e->from.hlo;
    const char *same;
    struct xpd_explain_collective *out =
        e->collective_kind ? XPD_NEW(e->ctx->arena, struct xpd_explain_collective) : NULL;
    if (!out)
        return NULL;
    bool in_module = hlo && e->collective != XPD_NO_INDEX;
    bool has_groups = e->groups_text.size &&
                      xpd_groups_parse(&groups, e->ctx->arena, e->groups_text, &err) == XPD_OK;
    out->kind = e->collective_kind;
    out->hidden = in_module ? e->collective != e->from.instruction
                            : !xpd_collective_sentence(e->line.opcode, &same);
    if (in_module)
        out->name = xpd_hlo_text(hlo, hlo->instructions.name[e->collective]);
    collective_words(e, out->hidden, has_groups ? &groups : NULL);
    out->words = xpd_explain_keep(e);
    out->groups = xpd_tools_or_null(e->groups_text);
    out->mesh = xpd_explain_mesh_groups(e, has_groups ? &groups : NULL);
    return out;
}

/* The first computation that it calls, in the module. */
static uint32_t body_of(const struct xpd_explaining *e)
{
    if (!e->from.hlo)
        return XPD_NO_INDEX;
    const struct xpd_hlo_instructions *ins = &e->from.hlo->instructions;
    uint32_t at = ins->called_first[e->from.instruction];
    return at < ins->called_first[e->from.instruction + 1] ? ins->called[at] : XPD_NO_INDEX;
}

const struct xpd_explain_contains *xpd_explain_contains_of(struct xpd_explaining *e)
{
    const struct xpd_hlo *hlo = e->from.hlo;
    uint32_t body = body_of(e);
    struct xpd_explain_contains *out = XPD_NEW(e->ctx->arena, struct xpd_explain_contains);
    if (!out)
        return NULL;
    out->instructions = -1;
    if (body != XPD_NO_INDEX) {
        out->body = xpd_hlo_text(hlo, hlo->computations.name[body]);
        out->instructions = hlo->computations.instruction_count[body];
        out->kinds = kinds_of(e, body);
    } else {
        out->body = xpd_tools_or_null(xpd_tools_bare_name(xpd_line_attribute(&e->line, "calls")));
    }
    out->matmul = matmul_of(e);
    out->collective = collective_of(e);
    if (!hlo && xpd_line_attribute(&e->line, "calls").size > 0)
        out->note = "The pasted text does not include the body. Open the module to see its ops, "
                    "replica groups and any matmul (m, n, k) here.";
    else if (body == XPD_NO_INDEX && xpd_str_eq(e->line.opcode, XPD_STR("fusion")))
        out->note = "The body is not in the profile.";
    return out;
}
