#include "parse_text.h"

#include "hlo_test.h"
#include "xprofd/hlo/print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void pt_parse(struct pt_module *m, struct xpd_str text)
{
    struct xpd_str module;
    memset(m, 0, sizeof *m);
    m->warnings.arena = &m->arena;
    m->rc = xpd_hlo_text_parse(text, "", &m->arena, &m->warnings, &module, &m->names, &m->err);
    assert_true((m->rc == XPD_OK) == (module.data != NULL));
    if (m->rc != XPD_OK)
        return;
    struct pbw bytes = {0};
    size_t mark = pbw_begin(&bytes, 1);
    pbw_raw(&bytes, module.data, module.size);
    pbw_end(&bytes, mark);
    m->bytes = (struct xpd_str){(const char *)bytes.data, bytes.len};
    m->hlo = ht_load_bytes(bytes.data, bytes.len, NULL);
    assert_non_null(m->hlo);
}

void pt_free(struct pt_module *m)
{
    xpd_hlo_free(m->hlo);
    free((void *)(uintptr_t)m->bytes.data);
    xpd_arena_fini(&m->arena);
}

void pt_print(const uint8_t *bytes, size_t size, uint32_t flags, struct xpd_strbuf *out)
{
    struct xpd_hlo *hlo = ht_load_bytes(bytes, size, NULL);
    struct xpd_hlo_printer *printer;
    assert_non_null(hlo);
    assert_int_equal(xpd_hlo_printer_new(&printer, hlo, bytes, size, NULL), XPD_OK);
    xpd_hlo_print_module(printer, flags, out, NULL);
    assert_false(out->failed);
    xpd_hlo_printer_free(printer);
    xpd_hlo_free(hlo);
}

struct xpd_str pt_print_root(const struct pt_module *m)
{
    static char text[4096];
    struct xpd_hlo_printer *printer;
    struct xpd_strbuf out = {0};
    assert_int_equal(
        xpd_hlo_printer_new(&printer, m->hlo, (const uint8_t *)m->bytes.data, m->bytes.size, NULL),
        XPD_OK);
    assert_int_not_equal(m->hlo->entry, XPD_NO_INDEX);
    xpd_hlo_print_instruction(printer, m->hlo->computations.root[m->hlo->entry],
                              XPD_PRINT_LONG | XPD_PRINT_METADATA, &out);
    assert_true(out.size < sizeof text);
    size_t size = out.size;
    memcpy(text, out.data, size);
    xpd_strbuf_fini(&out);
    xpd_hlo_printer_free(printer);
    return (struct xpd_str){text, size};
}

void pt_must_equal(const char *path, const char *name, const struct xpd_strbuf *want,
                   const struct xpd_strbuf *got)
{
    size_t at = 0, line = 0;
    while (at < want->size && at < got->size && want->data[at] == got->data[at]) {
        if (want->data[at] == '\n')
            line = at + 1;
        at++;
    }
    if (at != want->size || at != got->size)
        fail_msg("%s %s:\n  want %.300s\n  got  %.300s", path, name, want->data + line,
                 got->data + line);
}

/* ---- field by field ---- */

struct pair {
    const struct xpd_hlo *a, *b; /* of the proto, of the text */
    const char *where;
    uint32_t *computation; /* of a -> of b, XPD_NO_INDEX for one that is folded */
};

static void differ(const struct pair *p, uint32_t i, const char *what)
{
    struct xpd_str name = xpd_hlo_text(p->a, p->a->instructions.name[i]);
    fail_msg("%s: %s of %.*s differs", p->where, what, (int)name.size, name.data);
}

static bool same_name(const struct pair *p, xpd_name_id a, xpd_name_id b)
{
    return xpd_str_eq(xpd_hlo_text(p->a, a), xpd_hlo_text(p->b, b));
}

static bool same_shape(const struct xpd_shape *a, const struct xpd_shape *b)
{
    struct xpd_strbuf x = {0}, y = {0};
    xpd_shape_text(&x, a, true);
    xpd_shape_text(&y, b, true);
    bool same = x.size == y.size && memcmp(x.data, y.data, x.size) == 0;
    xpd_strbuf_fini(&x);
    xpd_strbuf_fini(&y);
    return same;
}

/* A number beyond the table is that of no frame: "extracted" programs have such. */
static bool same_frames(const struct pair *p, uint32_t a, uint32_t b)
{
    for (uint32_t hops = 0; hops <= p->a->frame_count; hops++) {
        bool has_a = a != 0 && a <= p->a->frame_count, has_b = b != 0 && b <= p->b->frame_count;
        if (!has_a || !has_b)
            return has_a == has_b;
        const struct xpd_hlo_frame *x = &p->a->frame[a - 1], *y = &p->b->frame[b - 1];
        if (!same_name(p, x->file, y->file) || !same_name(p, x->function, y->function) ||
            x->line != y->line || x->column != y->column)
            return false;
        a = x->parent;
        b = y->parent;
    }
    return false;
}

/* The names of what they refer to, in order. */
static bool same_operands(const struct pair *p, uint32_t i, uint32_t k)
{
    const struct xpd_hlo_instructions *a = &p->a->instructions, *b = &p->b->instructions;
    uint32_t n = a->operand_first[i + 1] - a->operand_first[i];
    if (n != b->operand_first[k + 1] - b->operand_first[k])
        return false;
    for (uint32_t o = 0; o < n; o++)
        if (!same_name(p, a->name[a->operand[a->operand_first[i] + o]],
                       b->name[b->operand[b->operand_first[k] + o]]))
            return false;
    return true;
}

static bool same_called(const struct pair *p, uint32_t i, uint32_t k)
{
    const struct xpd_hlo_instructions *a = &p->a->instructions, *b = &p->b->instructions;
    uint32_t n = a->called_first[i + 1] - a->called_first[i];
    if (n != b->called_first[k + 1] - b->called_first[k])
        return false;
    for (uint32_t c = 0; c < n; c++) {
        uint32_t into = p->computation[a->called[a->called_first[i] + c]];
        if (into != XPD_NO_INDEX && into != b->called[b->called_first[k] + c])
            return false;
    }
    return true;
}

static void compare_instruction(const struct pair *p, uint32_t i, uint32_t k,
                                struct pt_left_out *out)
{
    const struct xpd_hlo_instructions *a = &p->a->instructions, *b = &p->b->instructions;
    if (!same_name(p, a->opcode[i], b->opcode[k]))
        differ(p, i, "the opcode");
    if (!same_shape(a->shape[i], b->shape[k]))
        differ(p, i, "the shape");
    if (!same_operands(p, i, k))
        differ(p, i, "an operand");
    if (!same_called(p, i, k))
        differ(p, i, "a called computation");
    if (!same_name(p, a->op_name[i], b->op_name[k]) ||
        !same_name(p, a->source_file[i], b->source_file[k]) ||
        a->source_line[i] != b->source_line[k])
        differ(p, i, "the metadata");
    if (p->b->frame_count == 0 && a->stack_frame[i] != 0 && a->stack_frame[i] <= p->a->frame_count)
        out->unframed++;
    else if (!same_frames(p, a->stack_frame[i], b->stack_frame[k]))
        differ(p, i, "the stack");
    if (a->parameter_number[i] != b->parameter_number[k] || a->tuple_index[i] != b->tuple_index[k])
        differ(p, i, "the number");
    if (!same_name(p, a->fusion_kind[i], b->fusion_kind[k]) ||
        !same_name(p, a->call_target[i], b->call_target[k]))
        differ(p, i, "the kind or target");
    if (a->has_control[i] != b->has_control[k] || a->is_host_transfer[i] != b->is_host_transfer[k])
        differ(p, i, "a flag");
}

static void compare_schedule(const struct pair *p, uint32_t c, uint32_t d, struct pt_left_out *out)
{
    const struct xpd_hlo_computations *a = &p->a->computations, *b = &p->b->computations;
    uint32_t n = a->schedule_first[c + 1] - a->schedule_first[c];
    uint32_t m = b->schedule_first[d + 1] - b->schedule_first[d];
    if (n == 0 && m != 0) {
        out->unscheduled++;
        return;
    }
    if (n != m)
        fail_msg("%s: %s is scheduled with %u and %u instructions", p->where,
                 xpd_hlo_text(p->a, a->name[c]).data, n, m);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = a->schedule[a->schedule_first[c] + i];
        if (!same_name(p, p->a->instructions.name[x],
                       p->b->instructions.name[b->schedule[b->schedule_first[d] + i]]))
            differ(p, x, "the place in the schedule");
    }
}

static bool same_thread(const struct pair *p, uint32_t c, uint32_t d)
{
    struct xpd_str x = xpd_hlo_text(p->a, p->a->computations.execution_thread[c]);
    struct xpd_str y = xpd_hlo_text(p->b, p->b->computations.execution_thread[d]);
    return xpd_str_eq(x.size ? x : XPD_STR("main"), y);
}

/* The instruction of that name in computation d: in its place, else wherever it is. */
static uint32_t twin_of(const struct pair *p, uint32_t i, uint32_t d)
{
    const struct xpd_hlo_computations *b = &p->b->computations;
    const struct xpd_hlo_instructions *of = &p->a->instructions;
    uint32_t place = b->first[d] + (i - p->a->computations.first[of->computation[i]]);
    if (place < b->first[d] + b->instruction_count[d] &&
        same_name(p, of->name[i], p->b->instructions.name[place]))
        return place;
    for (uint32_t k = b->first[d]; k < b->first[d] + b->instruction_count[d]; k++)
        if (same_name(p, of->name[i], p->b->instructions.name[k]))
            return k;
    differ(p, i, "the name");
    return place;
}

static void compare_computation(const struct pair *p, uint32_t c, uint32_t d,
                                struct pt_left_out *out)
{
    const struct xpd_hlo_computations *a = &p->a->computations, *b = &p->b->computations;
    const char *name = xpd_hlo_text(p->a, a->name[c]).data;
    if (a->instruction_count[c] != b->instruction_count[d])
        fail_msg("%s: %s has %u and %u instructions", p->where, name, a->instruction_count[c],
                 b->instruction_count[d]);
    if (!same_thread(p, c, d) || (a->is_fusion[c] && !b->is_fusion[d]))
        fail_msg("%s: thread or kind of %s differ", p->where, name);
    out->unmarked += a->is_fusion[c] != b->is_fusion[d];
    bool moved = false;
    for (uint32_t i = a->first[c]; i < a->first[c] + a->instruction_count[c]; i++) {
        uint32_t k = twin_of(p, i, d);
        moved = moved || i - a->first[c] != k - b->first[d];
        compare_instruction(p, i, k, out);
    }
    out->reordered += moved;
    if (a->root[c] != XPD_NO_INDEX && twin_of(p, a->root[c], d) != b->root[d])
        fail_msg("%s: the root of %s differs", p->where, name);
    compare_schedule(p, c, d, out);
    out->instructions += a->instruction_count[c];
    out->computations++;
}

static void compare_tables(const struct pair *p)
{
    assert_int_equal(p->a->alias_count, p->b->alias_count);
    for (uint32_t i = 0; i < p->a->alias_count; i++) {
        const struct xpd_hlo_alias *x = &p->a->alias[i], *y = &p->b->alias[i];
        assert_int_equal(x->parameter_number, y->parameter_number);
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->output_index_count, y->output_index_count);
        assert_int_equal(x->parameter_index_count, y->parameter_index_count);
    }
    assert_int_equal(p->a->donor_count, p->b->donor_count);
    assert_true(same_name(p, p->a->name, p->b->name));
    assert_int_equal(p->computation[p->a->entry], p->b->entry);
}

static uint32_t find_computation(const struct xpd_hlo *hlo, struct xpd_str name)
{
    for (uint32_t c = 0; c < hlo->computations.count; c++)
        if (xpd_str_eq(xpd_hlo_text(hlo, hlo->computations.name[c]), name))
            return c;
    return XPD_NO_INDEX;
}

void pt_compare(const struct xpd_hlo *proto, const struct xpd_hlo *text, const char *where,
                struct pt_left_out *out)
{
    struct pt_left_out unwanted = {0};
    uint32_t n = proto->computations.count;
    struct pair p = {proto, text, where, calloc(n + 1, sizeof *p.computation)};
    out = out ? out : &unwanted;
    assert_non_null(p.computation);
    for (uint32_t c = 0; c < n; c++) {
        p.computation[c] = find_computation(text, xpd_hlo_text(proto, proto->computations.name[c]));
        out->folded += p.computation[c] == XPD_NO_INDEX;
    }
    if (out->folded == 0) {
        assert_int_equal(proto->instructions.count, text->instructions.count);
        assert_int_equal(n, text->computations.count);
    }
    for (uint32_t c = 0; c < n; c++)
        if (p.computation[c] != XPD_NO_INDEX)
            compare_computation(&p, c, p.computation[c], out);
    compare_tables(&p);
    free(p.computation);
}
