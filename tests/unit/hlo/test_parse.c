/* HLO text read back: lines by hand with what the printer must say of them again, what is wrong
 * with a place in the text, and every real module: printed, read and printed again. Pairs of text
 * and proto that XLA wrote are compared field by field (test_parse_pairs.c). */
#include "hlo_test.h"
#include "parse_text.h"
#include "xprofd/hlo/print.h"
#include "xspace_hlo.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define EXPRESSIONS (XPD_PRINT_LONG | XPD_PRINT_OPERAND_SHAPES)

static char text_of[1 << 16];

/* The module that holds this line as the root of its entry, and what it needs. */
static const char *module_of(const char *before, const char *line)
{
    snprintf(text_of, sizeof text_of,
             "HloModule m\n\n%s\nENTRY %%e {\n  %%a = f32[4]{0} "
             "parameter(0)\n  %%b = f32[4]{0} parameter(1)\n  ROOT %s\n}\n",
             before, line);
    return text_of;
}

static void same_line(const char *before, const char *line, const char *want)
{
    struct pt_module m;
    pt_parse(&m, xpd_str_of(module_of(before, line)));
    assert_int_equal(m.rc, XPD_OK);
    if (m.warnings.count != 0)
        fail_msg("%s: %s", line, m.warnings.item[0].text);
    struct xpd_str got = pt_print_root(&m);
    if (!xpd_str_eq(got, xpd_str_of(want)))
        fail_msg("%s\n  became %.*s", want, (int)got.size, got.data);
    pt_free(&m);
}

#define HELPER                                                                                     \
    "%add (x: f32[], y: f32[]) -> f32[] {\n  %x = f32[] parameter(0)\n  %y = f32[] parameter(1)\n" \
    "  ROOT %z = f32[] add(%x, %y)\n}\n"

/* Each line must come out as it went in. */
static void test_lines(void **state)
{
    static const char *const lines[] = {
        "%r = f32[4]{0} add(%a, %b)",
        "%r = (f32[4]{0:T(8,128)(2,1)S(1)}, s32[]{:T(128)}) tuple(%a, %b)",
        "%r = f32[<=4,?]{1,0:T(4,*)L(2)#(u32)*(u8)E(32)SC(0:1,2)P(u8[16]{0})M(4)} copy(%a)",
        "%r = b(f32[4]{0}) custom-call(%a), custom_call_target=\"x\\n\\001\"",
        "%r = f32[2]{0} slice(%a), slice={[0:4:2]}",
        "%r = f32[6]{0} pad(%a, %b), padding=1_-1_2",
        "%r = f32[] dot(%a, %b), lhs_batch_dims={1}, lhs_contracting_dims={0}, rhs_batch_dims={1}, "
        "rhs_contracting_dims={0}, operand_precision={highest,default}, "
        "algorithm=dot_bf16_bf16_f32_x3",
        "%r = f32[] ragged-dot(%a, %b), lhs_contracting_dims={0}, rhs_contracting_dims={0}, "
        "lhs_ragged_dims={0}, rhs_group_dims={1}",
        "%r = f32[4]{0} reduce(%a, %b), dimensions={0,1}, to_apply=%add",
        "%r = f32[4]{0} reduce-window(%a, %b), window={size=1x3 stride=1x2 pad=0_0x1_1 "
        "lhs_dilate=1x2 rhs_dilate=2x1 rhs_reversal=0x1}, to_apply=%add",
        "%r = f32[4]{0} convolution(%a, %b), window={size=3x3}, dim_labels=b01f_01io->b0?1f, "
        "feature_group_count=2, convolution_kind=wgrad",
        "%r = f32[4]{0} all-reduce(%a), channel_id=3, replica_groups={{0,1},{2,3}}, "
        "use_global_device_ids=true, to_apply=%add",
        "%r = f32[4]{0} all-gather(%a), replica_groups=[2,4]<=[4,2]T(1,0), dimensions={0}",
        "%r = f32[4]{0} all-to-all(%a), replica_groups=mesh['x'=2,'y'=4], device_ids=([2,4]T(1,0)) "
        "{'x','y':(1)2}",
        "%r = f32[4]{0} collective-permute(%a), channel_id=1, source_target_pairs={{0,1},{1,0}}, "
        "slice_sizes={{2}}",
        "%r = f32[4]{0} copy(%a), sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}",
        "%r = f32[4]{0} copy(%a), sharding={devices=[2,2]0,1,2,3 last_tile_dims={manual}} ",
        "%r = f32[4]{0} copy(%a), sharding={maximal device=3}",
        "%r = f32[4]{0} copy(%a), sharding={replicated shard_as 5}",
        "%r = f32[4]{0} copy(%a), sharding={mesh['a'=2,'b'=4], [{'a', ?}, {}], "
        "replicated={'b'}}",
        "%r = (f32[4]{0}, f32[]) tuple(%a, %b), sharding={{manual}, {replicated}}",
        "%r = f32[4]{0} copy(%a), frontend_attributes={a=\"x,{y\",b={\"json\":[1,\"}\"]}}",
        "%r = f32[4]{0} add(%a, %b), control-predecessors={%a, %b}",
        "%r = f32[4]{0} fusion(%a, %b), kind=kLoop, output_to_operand_aliasing={{0}: (1, {}), {}: "
        "(0, {1,2})}, calls=%add, backend_config={\"a\":{\"b\":\"}\\\"\"}}",
        "%r = f32[4]{0} custom-call(%a), custom_call_target=\"t\", "
        "operand_layout_constraints={f32[4]{0}}, custom_call_has_side_effect=true, "
        "literal=f32[2]{0} "
        "{1, 2.5}, schedule=SCHEDULE_LATEST, api_version=API_VERSION_TYPED_FFI, "
        "called_computations={%add, %add}, backend_config=\"not {json\"",
        "%r = f32[4]{0} compare(%a, %b), direction=LT, order=TOTAL",
        "%r = f32[4]{0} rng-bit-generator(%a), algorithm=rng_philox",
        "%r = f32[4]{0} rng(%a, %b), distribution=rng_normal",
        "%r = f32[4]{0} fft(%a), fft_type=IRFFT, fft_length={4}",
        "%r = f32[4]{0} gather(%a, %b), offset_dims={}, collapsed_slice_dims={0}, "
        "start_index_map={0}, operand_batching_dims={1}, start_indices_batching_dims={1}, "
        "index_vector_dim=1, slice_sizes={1}, indices_are_sorted=true",
        "%r = f32[4]{0} scatter(%a, %b), update_window_dims={}, inserted_window_dims={0}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, unique_indices=true, to_apply=%add",
        "%r = f32[4]{0} triangular-solve(%a, %b), left_side=true, lower=true, "
        "transpose_a=NO_TRANSPOSE",
        "%r = f32[4]{0} cholesky(%a), lower=true",
        "%r = f32[4]{0} exponential(%a), result_accuracy={tolerance={atol=0.5,rtol=2,ulps=3}}",
        "%r = f32[4]{0} copy(%a), statistics={visualizing_index=1,x=0.5,y=2}",
        "%r = f32[4]{0} copy(%a), origin={({\"a\"}, ({}, {\"b\" {0,1}}))}",
        "%r = f32[4]{0} conditional(%a, %b), branch_computations={%add, %add}",
        "%r = f32[4]{0} while(%a), condition=%add, body=%add",
        "%r = f32[4]{0} domain(%a), domain={kind=\"sharding\", entry={replicated}, "
        "exit={maximal device=1}}",
        "%r = f32[4]{0} shuffle(%a), dimensions={0}, mode=rotate, shifts={3}",
        "%r = f32[4]{0} made-up-opcode(%a)",
        "%r = ((f32[4]{0}), f32[2]{0}, u32[]{:S(2)}) slice-start(%a), slice={[0:2]}",
        "%r = t99[4]{0} copy(%a)"};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        size_t size = strlen(lines[i]);
        char want[1000];
        snprintf(want, sizeof want, "%.*s", (int)(size - (lines[i][size - 1] == ' ')), lines[i]);
        same_line(HELPER, lines[i], want);
    }
}

static void test_values(void **state)
{
    static const char *const lines[] = {
        "%r = f32[] constant(-inf)",
        "%r = f32[] constant(nan(0x1))",
        "%r = f64[2]{0} constant({0.1, -nan})",
        "%r = f32[3]{0} constant({1.17549435e-38, 16777218, -0})",
        "%r = bf16[4]{0} constant({3.39e+38, 0.1001, -inf, nan})",
        "%r = f16[3]{0} constant({5.9605e-08, 65504, 0.33325})",
        "%r = f8e4m3fn[3]{0} constant({448, nan, 0.00195})",
        "%r = f8e5m2fnuz[2]{0} constant({-nan, 1.5})",
        "%r = f8e8m0fnu[2]{0} constant({0.5, 1.7e+38})",
        "%r = pred[2,2]{1,0} constant({ { 1, 0 }, { 0, 1 } })",
        "%r = pred[] constant(true)",
        "%r = s32[2,1]{1,0} constant({ {-2147483648}, {7} })",
        "%r = u64[] constant(18446744073709551615)",
        "%r = s4[3]{0} constant({-8, 7, 0})",
        "%r = u8[2]{0} constant({0, 255})",
        "%r = c64[2]{0} constant({(1, -2), (0.5, inf)})",
        "%r = f32[0]{0} constant({})",
        "%r = s32[1,1,1,2]{3,2,1,0} constant({ { /*i0=0*/ { /*i1=0*/ { 1, 2 } } } })",
        "%r = (s32[], f32[2]{0}) constant(( 5, {1, 2} ))",
        "%r = f32[1000]{0} constant({...})"};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        same_line("", lines[i], lines[i]);
}

/* Other ways of writing the same. */
static void test_dialects(void **state)
{
    (void)state;
    same_line("", "r = f32[4] add(a, b)", "%r = f32[4] add(%a, %b)");
    same_line("", "r = f32[4]{0} add(f32[4]{0} a, /*index=1*/ f32[4]{0} %b) // said behind it",
              "%r = f32[4]{0} add(%a, %b)");
    same_line("", "r = f8e8m0fnu[3]{0} constant({inf, 1e-300, 2})", /* what the type can hold */
              "%r = f8e8m0fnu[3]{0} constant({1.7e+38, 5.9e-39, 2})");
    same_line("", "r = f32[] get-tuple-element((f32[], s32[]) a), index=1",
              "%r = f32[] get-tuple-element(%a), index=1");
    same_line(HELPER,
              "r = f32[4]{0} conditional(a, b), true_computation=add, "
              "false_computation=add",
              "%r = f32[4]{0} conditional(%a, %b), branch_computations={%add, %add}");
    same_line(HELPER, "r = f32[4]{0} while(a), body=add, condition=add",
              "%r = f32[4]{0} while(%a), condition=%add, body=%add");
    same_line("", "r = f32[4]{0} copy(a), backend_config={\n \"a\": 1\n}",
              "%r = f32[4]{0} copy(%a), backend_config={\n \"a\": 1\n}");
}

/* ---- what is wrong ---- */

static void warned(const char *text, int rc, const char *code, const char *place)
{
    struct pt_module m;
    bool found = code[0] == '\0' && true;
    pt_parse(&m, xpd_str_of(text));
    if (m.rc != rc)
        fail_msg("%s: code %d, not %d", text, m.rc, rc);
    for (uint32_t i = 0; i < m.warnings.count; i++)
        if (strcmp(m.warnings.item[i].code, code) == 0) {
            found = true;
            if (!strstr(m.warnings.item[i].text, place))
                fail_msg("%s: no \"%s\" in: %s", code, place, m.warnings.item[i].text);
        }
    if (!found)
        fail_msg("no %s: %s", code, m.warnings.count ? m.warnings.item[0].text : "no warning");
    pt_free(&m);
}

#define HEAD "HloModule m\n\nENTRY %e {\n"

static void test_wrong(void **state)
{
    (void)state;
    warned("", XPD_EFORMAT, "", "");
    warned("HloModule m\n", XPD_EFORMAT, "", "");
    warned("HloModule m\n\n/e {\n  ROOT r = f32[] parameter(0)\n}\n", XPD_EFORMAT,
           "hlo_text_between", "line 3, column 1");
    warned("some other text\nof two lines\n", XPD_EFORMAT, "", "");
    warned("e {\n ROOT r = f32[] parameter(0)\n}\n", XPD_OK, "hlo_text_no_header", "line 1");
    warned(HEAD "  ROOT %r = f32[] parameter(0)\n", XPD_OK, "hlo_text_cut", "line 5, column 1");
    warned(HEAD "  ROOT %r = f32[] copy(%gone)\n}\n", XPD_OK, "hlo_text_operand",
           "line 4, column 25");
    warned(HEAD "  ROOT %r = f32[] call(), to_apply=%gone\n}\n", XPD_OK, "hlo_text_called", "gone");
    warned(HEAD "  %r = f32[] parameter(0)\n}\n", XPD_OK, "hlo_text_root", "line 3");
    warned(HEAD "  ROOT %r = f32[ parameter(0)\n  %s = f32[] parameter(0)\n}\n", XPD_OK,
           "hlo_text_line", "line 4, column 3");
    warned(HEAD "  ROOT %r = f32[] copy(), what_is_this={1,2}\n}\n", XPD_OK, "hlo_text_attribute",
           "line 4, column 27");
    warned(HEAD "  ROOT %r = f32[] copy(), channel_id=x\n}\n", XPD_OK, "hlo_text_value",
           "channel_id");
    warned(HEAD "  ROOT %r = f32[] copy(), backend_config={\"a\n}\n", XPD_OK, "hlo_text_brace",
           "line 4");
    warned(HEAD "  %r = f32[] parameter(0)\n  ROOT %r = f32[] copy(%r)\n}\n", XPD_OK,
           "hlo_text_name_twice", "line 5, column 9");
    warned(HEAD "  ROOT %r = f32[] constant(one)\n}\n", XPD_OK, "hlo_text_literal", "line 4");
    warned(HEAD "  ROOT %r = f32[] parameter(0)\n}\nHloModule n\n", XPD_OK,
           "hlo_text_second_module", "line 6");
    warned(HEAD "  ROOT %r = f32[] parameter(0)\nother {\n  ROOT %q = f32[] parameter(0)\n}\n",
           XPD_OK, "hlo_text_cut", "line 5");
}

/* A name means the instruction of its own computation, and one that comes later too. */
static void test_names(void **state)
{
    static const char text[] =
        "HloModule m\n\nf {\n  x = f32[] parameter(0)\n  ROOT y = f32[] copy(x)\n}\n\n"
        "ENTRY e {\n  ROOT y = f32[] fusion(x), kind=kLoop, calls=f\n  x = f32[] parameter(0)\n}\n";
    struct pt_module m;
    int64_t id;
    (void)state;
    pt_parse(&m, xpd_str_of(text));
    assert_int_equal(m.rc, XPD_OK);
    assert_int_equal(m.warnings.count, 0);
    const struct xpd_hlo_instructions *ins = &m.hlo->instructions;
    assert_int_equal(ins->count, 4);
    assert_true(xpd_hlo_names_instruction(m.names, XPD_STR("y"), &id));
    uint32_t y = xpd_map64_get(&m.hlo->instruction_by_id, (uint64_t)id);
    assert_int_equal(ins->computation[y], m.hlo->entry);
    uint32_t x = ins->operand[ins->operand_first[y]];
    assert_int_equal(ins->computation[x], m.hlo->entry);
    assert_true(ht_is(m.hlo, ins->name[x], "x"));
    assert_true(x < y); /* operands before users */
    assert_true(m.hlo->computations.is_fusion[0]);
    assert_false(xpd_hlo_names_instruction(m.names, XPD_STR("f"), &id));
    assert_false(xpd_hlo_names_instruction(m.names, XPD_STR(""), &id));
    pt_free(&m);
}

/* A line that is not an instruction leaves no name behind. */
static void test_no_name(void **state)
{
    struct pt_module m;
    int64_t id;
    (void)state;
    pt_parse(&m, XPD_STR(HEAD "  %x = f32[] add(\n  ROOT %y = f32[] parameter(0)\n}\n"));
    assert_int_equal(m.rc, XPD_OK);
    assert_false(xpd_hlo_names_instruction(m.names, XPD_STR("x"), &id));
    assert_true(xpd_hlo_names_instruction(m.names, XPD_STR("y"), &id));
    pt_free(&m);
}

/* ---- real modules ---- */

struct tally {
    uint32_t files, modules, texts;
};

static void round_trip(const struct xspace_hlo *of, const char *path, struct tally *tally)
{
    static const uint32_t variants[] = {XPD_PRINT_SHORT, XPD_PRINT_LONG, EXPRESSIONS};
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        struct xpd_strbuf want = {0};
        struct pt_module m;
        pt_print(of->bytes, of->size, variants[i], &want);
        pt_parse(&m, (struct xpd_str){want.data, want.size});
        if (m.rc != XPD_OK || m.warnings.count != 0)
            fail_msg("%s %s: %s", path, of->name, m.rc ? m.err.text : m.warnings.item[0].text);
        struct xpd_strbuf got = {0};
        pt_print((const uint8_t *)m.bytes.data, m.bytes.size, variants[i], &got);
        pt_must_equal(path, of->name, &want, &got);
        xpd_strbuf_fini(&want);
        xpd_strbuf_fini(&got);
        pt_free(&m);
        tally->texts++;
    }
    tally->modules++;
}

/* With metadata: the frames are numbered by the order of the file, which a text does not tell, so
 * the first text differs in numbers at most; from then on nothing changes. */
static void second_time(const struct xspace_hlo *of, const char *path, struct tally *tally)
{
    struct xpd_strbuf text[3] = {{0}};
    struct pt_module m[2];
    pt_print(of->bytes, of->size, XPD_PRINT_LONG | XPD_PRINT_METADATA, &text[0]);
    for (int i = 0; i < 2; i++) {
        pt_parse(&m[i], (struct xpd_str){text[i].data, text[i].size});
        assert_int_equal(m[i].rc, XPD_OK);
        pt_print((const uint8_t *)m[i].bytes.data, m[i].bytes.size,
                 XPD_PRINT_LONG | XPD_PRINT_METADATA, &text[i + 1]);
    }
    pt_must_equal(path, of->name, &text[1], &text[2]);
    struct xpd_hlo *hlo = ht_load_bytes(of->bytes, of->size, NULL);
    pt_compare(hlo, m[0].hlo, path, NULL);
    xpd_hlo_free(hlo);
    pt_free(&m[0]);
    pt_free(&m[1]);
    for (int i = 0; i < 3; i++)
        xpd_strbuf_fini(&text[i]);
    tally->texts++;
}

static void each_profile(const char *pattern, struct tally *tally)
{
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct xspace_hlos hlos;
        if (!xspace_hlos_load(&hlos, found.gl_pathv[i]))
            continue;
        tally->files++;
        for (size_t k = 0; k < hlos.count; k++) {
            round_trip(&hlos.at[k], found.gl_pathv[i], tally);
            second_time(&hlos.at[k], found.gl_pathv[i], tally);
        }
        xspace_hlos_free(&hlos);
    }
    globfree(&found);
}

static void test_round_trip(void **state)
{
    struct tally tally = {0};
    char pattern[1200];
    const char *source = getenv("XPD_SOURCE");
    (void)state;
    snprintf(pattern, sizeof pattern, "%s/testdata/*/logdir/plugins/profile/*/*.xplane.pb",
             source ? source : ".");
    each_profile(pattern, &tally);
    print_message("testdata: %u modules of %u profiles, %u texts\n", tally.modules, tally.files,
                  tally.texts);
    assert_true(tally.modules >= 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),      cmocka_unit_test(test_values),
        cmocka_unit_test(test_dialects),   cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_names),      cmocka_unit_test(test_no_name),
        cmocka_unit_test(test_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
