/* Lines of a module taken apart by what the printer knows, not by reading them: for ordinary names
 * the same as reading the text; for names of any signs what the file says (issue 5, 7). */
#include "xprofd/explain/parts.h"
#include "xprofd/hlo/print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../support/hlo_builder.h"
#include "../../support/xspace_hlo.h"

struct opened {
    struct xpd_hlo *hlo;
    struct xpd_hlo_printer *printer;
    struct xpd_arena arena;
};

static void open_bytes(struct opened *o, const uint8_t *bytes, size_t size)
{
    struct xpd_err err = {0};
    *o = (struct opened){0};
    assert_int_equal(xpd_hlo_load(&o->hlo, bytes, size, 0, "test", NULL, &err), XPD_OK);
    assert_int_equal(xpd_hlo_printer_new(&o->printer, o->hlo, bytes, size, &err), XPD_OK);
}

static void close_opened(struct opened *o)
{
    xpd_hlo_printer_free(o->printer);
    xpd_hlo_free(o->hlo);
    xpd_arena_fini(&o->arena);
}

static void same(struct xpd_str a, struct xpd_str b, const char *what, struct xpd_str line)
{
    if (!xpd_str_eq(a, b))
        fail_msg("%s: \"%.*s\" is not \"%.*s\" in %.*s", what, (int)a.size, a.data, (int)b.size,
                 b.data, (int)(line.size < 400 ? line.size : 400), line.data);
}

static void same_lines(const struct xpd_hlo_line *a, const struct xpd_hlo_line *b)
{
    same(a->text, b->text, "text", b->text);
    same(a->name, b->name, "name", b->text);
    same(a->opcode, b->opcode, "opcode", b->text);
    same(a->shape_text, b->shape_text, "shape", b->text);
    same(a->type_text, b->type_text, "type", b->text);
    same(a->dims_text, b->dims_text, "dimensions", b->text);
    same(a->order_text, b->order_text, "order", b->text);
    same(a->tiles_text, b->tiles_text, "tiles", b->text);
    same(a->space_text, b->space_text, "space", b->text);
    same(a->operands_text, b->operands_text, "operands", b->text);
    assert_int_equal(a->operand_count, b->operand_count);
    for (uint32_t i = 0; i < a->operand_count; i++) {
        same(a->operand[i].text, b->operand[i].text, "operand", b->text);
        same(a->operand[i].name, b->operand[i].name, "name of operand", b->text);
        if (b->operand[i].shape && !a->operand[i].shape) /* the module knows more shapes */
            fail_msg("no shape of an operand in %.*s", (int)b->text.size, b->text.data);
    }
    if (a->attribute_count != b->attribute_count)
        fail_msg("%u attributes, not %u: %.*s", a->attribute_count, b->attribute_count,
                 (int)b->text.size, b->text.data);
    for (uint32_t i = 0; i < a->attribute_count; i++) {
        same(a->attribute[i].text, b->attribute[i].text, "attribute", b->text);
        same(a->attribute[i].key, b->attribute[i].key, "key", b->text);
        same(a->attribute[i].value, b->attribute[i].value, "value", b->text);
    }
}

static uint32_t compare_module(const uint8_t *bytes, size_t size)
{
    struct opened o;
    struct xpd_strbuf text = {0};
    open_bytes(&o, bytes, size);
    for (uint32_t i = 0; i < o.hlo->instructions.count; i++) {
        struct xpd_hlo_line made, read;
        xpd_strbuf_clear(&text);
        xpd_hlo_print_instruction(o.printer, i, XPD_PRINT_EXPRESSION, &text);
        assert_int_equal(xpd_line_of(&made, &o.arena, o.hlo, o.printer, i, NULL), XPD_OK);
        assert_int_equal(
            xpd_line_parse(&read, &o.arena, (struct xpd_str){text.data, text.size}, NULL), XPD_OK);
        same_lines(&made, &read);
        xpd_arena_reset(&o.arena);
    }
    uint32_t count = o.hlo->instructions.count;
    xpd_strbuf_fini(&text);
    close_opened(&o);
    return count;
}

static uint32_t compare_file(const char *path)
{
    struct xspace_hlos file = {0};
    uint32_t lines = 0;
    assert_true(xspace_hlos_load(&file, path));
    for (size_t i = 0; i < file.count; i++)
        lines += compare_module(file.at[i].bytes, file.at[i].size);
    xspace_hlos_free(&file);
    return lines;
}

static void shared_lines_are_as_read(void **state)
{
    static const char *const sets[] = {"tpu_collectives", "tpu_convnet",      "tpu_decode_kvcache",
                                       "tpu_sharded_lm",  "tpu_host_offload", "transformer_train",
                                       "fft_conv_rng",    "scan_while",       "inference_loop"};
    char path[1200];
    uint32_t lines = 0;
    (void)state;
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
        if (shared_xplane(sets[k], path, sizeof path))
            lines += compare_file(path);
    if (lines == 0)
        skip();
}

static void real_lines_are_as_read(void **state)
{
    static const char *const sets[] = {"tpu_scan_layers", "tpu_padded_demo"};
    const char *source = getenv("XPD_SOURCE");
    uint32_t lines = 0;
    (void)state;
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        char path[1200];
        snprintf(path, sizeof path, "%s/testdata/%s/logdir/plugins/profile/aot/host0.xplane.pb",
                 source ? source : ".", sets[k]);
        lines += compare_file(path);
    }
    assert_true(lines > 2000);
}

/* ---- names that no compiler gives ---- */

static const struct hb_shape small = {
    .type = HB_F32, .rank = 2, .dims = {8, 128}, .layout = HB_DESCENDING, .tiles = {{8, 128}}};

static struct xpd_str attribute(const struct xpd_hlo_line *line, const char *key)
{
    return xpd_line_attribute(line, key);
}

/* An operand, a fusion of that name, a body of that name. */
static void build(struct pbw *out, const char *name)
{
    struct hb hb;
    char operand[4096], body[4096];
    int64_t of_fusion[] = {2}, called[] = {7};
    size_t size = strlen(name) < 2000 ? strlen(name) : 2000;
    snprintf(operand, sizeof operand, "p%.*s", (int)size, name);
    snprintf(body, sizeof body, "b%.*s", (int)size, name);
    hb_init(&hb, "hostile");
    hb_begin_computation(&hb, body, 7, true);
    hb_instruction(
        &hb, &(struct hb_instr){.name = "in", .opcode = "parameter", .id = 1, .shape = &small});
    hb_end_computation(&hb, 1);
    hb_begin_computation(&hb, "main", 1, false);
    hb_instruction(
        &hb, &(struct hb_instr){.name = operand, .opcode = "parameter", .id = 2, .shape = &small});
    hb_instruction(&hb, &(struct hb_instr){.name = name,
                                           .opcode = "fusion",
                                           .id = 3,
                                           .shape = &small,
                                           .operands = of_fusion,
                                           .n_operands = 1,
                                           .called = called,
                                           .n_called = 1,
                                           .fusion_kind = "kLoop"});
    hb_end_computation(&hb, 3);
    hb_finish(&hb, out);
}

static void check_hostile(const char *name)
{
    struct pbw bytes = {0};
    struct opened o;
    struct xpd_hlo_line line;
    static struct xpd_parts parts;
    build(&bytes, name);
    open_bytes(&o, bytes.data, bytes.len);
    uint32_t i = xpd_map64_get(&o.hlo->instruction_by_id, 3);
    assert_int_equal(xpd_line_of(&line, &o.arena, o.hlo, o.printer, i, NULL), XPD_OK);
    same(line.name, xpd_str_of(name), "name", line.text);
    same(line.opcode, XPD_STR("fusion"), "opcode", line.text);
    same(line.shape_text, XPD_STR("f32[8,128]{1,0:T(8,128)}"), "shape", line.text);
    same(line.tiles_text, XPD_STR("T(8,128)"), "tiles", line.text);
    assert_int_equal(line.operand_count, 1);
    struct xpd_str operand = line.operand[0].name;
    assert_true(operand.size > 0 && operand.data[0] == 'p');
    assert_memory_equal(operand.data + 1, name, operand.size - 1);
    assert_non_null(line.operand[0].shape);
    same(attribute(&line, "kind"), XPD_STR("kLoop"), "kind", line.text);
    struct xpd_str calls = attribute(&line, "calls");
    assert_true(calls.size > 1 && calls.data[0] == '%' && calls.data[1] == 'b');
    assert_memory_equal(calls.data + 2, name, calls.size - 2);
    assert_int_equal(line.attribute_count, 2);
    struct xpd_explain_from from = {.hlo = o.hlo, .instruction = i};
    assert_int_equal(xpd_parts_of(&parts, &o.arena, &line, &from, NULL), XPD_OK);
    assert_string_equal(parts.part[0].label, "name");
    assert_true(parts.segment[0].text.size < 400); /* a person sees its beginning */
    assert_string_equal(parts.part[1].label, "type");
    for (uint32_t k = 0; k < parts.count; k++)
        assert_true(parts.part[k].sentence.size < 4096);
    close_opened(&o);
    pbw_free(&bytes);
}

static void any_name_is_explained(void **state)
{
    static const char *const names[] = {"quotes \" and ' and \\\"",
                                        "back`tick`s",
                                        "${process.exit(1)}",
                                        "</script><b onclick=\"x\">",
                                        "line\nbreak\r\n",
                                        "a, b), c={d",
                                        "%x = f32[2]{0} add(%y, %z)",
                                        "(((([[[[{{{{",
                                        " ",
                                        "=",
                                        ",",
                                        "\x1f\x01\x7f",
                                        "\xff\xfe\xc3",
                                        "ROOT ",
                                        "/*index=5*/",
                                        "caf\xc3\xa9 \xe6\xbc\xa2"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        check_hostile(names[k]);
}

static void a_name_of_a_megabyte(void **state)
{
    size_t size = (1 << 20) + 1;
    char *name = malloc(size + 1);
    (void)state;
    assert_non_null(name);
    for (size_t i = 0; i < size; i++)
        name[i] = "a\xc3\xa9"[i % 3];
    name[size] = '\0';
    check_hostile(name);
    free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_lines_are_as_read),
        cmocka_unit_test(shared_lines_are_as_read),
        cmocka_unit_test(any_name_is_explained),
        cmocka_unit_test(a_name_of_a_megabyte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
