/* HLO text of single instructions and small modules, by hand from the rules of XLA's printer. Whole
 * real modules are compared in tests/golden/hlo_text. */
#include "hlo_test.h"
#include "xprofd/hlo/print.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct hb_shape scalar = {.type = HB_F32};
static const struct hb_shape f32x2 = {
    .type = HB_F32, .rank = 1, .dims = {2}, .layout = HB_DESCENDING};

/* Writes the fields of one instruction beyond name, opcode, shape and id. */
typedef void fields_fn(struct hb *hb, struct pbw *w);

static void add_raw(struct hb *hb, const char *name, const char *opcode, int64_t id,
                    const struct hb_shape *shape, fields_fn *fields)
{
    struct pbw *w = &hb->computations;
    size_t mark = pbw_begin(w, 2);
    pbw_str(w, 1, name);
    pbw_str(w, 2, opcode);
    hb_shape(hb, w, 3, shape);
    pbw_int(w, 35, id);
    if (fields)
        fields(hb, w);
    pbw_end(w, mark);
}

static void put_instruction(struct xpd_hlo_printer *printer, uint32_t instruction, uint32_t flags,
                            struct xpd_strbuf *out)
{
    xpd_hlo_print_instruction(printer, instruction, flags, out);
}

static void put_lines(struct xpd_hlo_printer *printer, uint32_t instruction, uint32_t most,
                      struct xpd_strbuf *out)
{
    assert_true(xpd_hlo_print_value(printer, instruction, most, true, out));
}

static char *print_by(void (*put)(struct xpd_hlo_printer *, uint32_t, uint32_t,
                                  struct xpd_strbuf *),
                      struct pbw *bytes, uint32_t instruction, uint32_t how)
{
    static char text[4096];
    struct xpd_hlo *hlo = ht_load_bytes(bytes->data, bytes->len, NULL);
    struct xpd_hlo_printer *printer;
    struct xpd_strbuf out = {0};
    assert_non_null(hlo);
    assert_int_equal(xpd_hlo_printer_new(&printer, hlo, bytes->data, bytes->len, NULL), XPD_OK);
    put(printer, instruction, how, &out);
    assert_false(out.failed);
    snprintf(text, sizeof text, "%s", out.data ? out.data : "");
    xpd_strbuf_fini(&out);
    xpd_hlo_printer_free(printer);
    xpd_hlo_free(hlo);
    return text;
}

static char *print_one(struct pbw *bytes, uint32_t instruction, uint32_t flags)
{
    return print_by(put_instruction, bytes, instruction, flags);
}

/* A computation with two parameters %a and %b and the instruction. */
static void check(const char *opcode, const struct hb_shape *shape, fields_fn *fields,
                  const char *expected)
{
    struct hb hb;
    struct pbw out = {0};
    hb_init(&hb, "m");
    hb_begin_computation(&hb, "main", 1, false);
    add_raw(&hb, "a", "parameter", 1, &f32x2, NULL);
    add_raw(&hb, "b", "parameter", 2, &f32x2, NULL);
    add_raw(&hb, "x", opcode, 3, shape, fields);
    hb_end_computation(&hb, 3);
    hb_finish(&hb, &out);
    assert_string_equal(print_one(&out, 2, XPD_PRINT_LONG | XPD_PRINT_METADATA), expected);
    pbw_free(&out);
}

/* ---- constants (T9) ---- */

static void make_literal(struct pbw *out, const struct hb_shape *shape, uint32_t field,
                         const void *bytes, size_t size)
{
    struct hb hb;
    hb_init(&hb, "m");
    hb_begin_computation(&hb, "main", 1, false);
    struct pbw *w = &hb.computations;
    size_t mark = pbw_begin(w, 2);
    pbw_str(w, 1, "c");
    pbw_str(w, 2, "constant");
    hb_shape(&hb, w, 3, shape);
    pbw_int(w, 35, 1);
    size_t literal = pbw_begin(w, 8);
    hb_shape(&hb, w, 1, shape);
    pbw_bytes(w, field, bytes, size);
    pbw_end(w, literal);
    pbw_end(w, mark);
    hb_end_computation(&hb, 1);
    hb_finish(&hb, out);
}

static const char *literal_text(const struct hb_shape *shape, uint32_t field, const void *bytes,
                                size_t size, uint32_t flags)
{
    struct pbw out = {0};
    make_literal(&out, shape, field, bytes, size);
    const char *text = strstr(print_one(&out, 0, flags), "constant(");
    assert_non_null(text);
    pbw_free(&out);
    return text;
}

static void check_literal(const struct hb_shape *shape, uint32_t field, const void *bytes,
                          size_t size, uint32_t flags, const char *expected)
{
    assert_string_equal(literal_text(shape, field, bytes, size, flags), expected);
}

static void test_literals(void **state)
{
    (void)state;
    const struct hb_shape s32x22 = {.type = HB_S32, .rank = 2, .dims = {2, 2}};
    const struct hb_shape s32x31 = {.type = HB_S32, .rank = 2, .dims = {3, 1}};
    const struct hb_shape s32x11 = {.type = HB_S32, .rank = 1, .dims = {11}};
    const struct hb_shape pred = {.type = HB_PRED},
                          predx2 = {.type = HB_PRED, .rank = 1, .dims = {2}};
    const struct hb_shape bf16 = {.type = HB_BF16}, f16 = {.type = HB_F16};
    const struct hb_shape c64 = {.type = 15}, s8x3 = {.type = HB_S8, .rank = 1, .dims = {3}};
    const float third = 1.0f / 3, large = 16777216, tenth = 0.1f, inf = 1.0f / 0.0f;
    const float complex[] = {1, -2};
    check_literal(&s32x22, 4, "\1\2\3\4", 4, 0, "constant({ { 1, 2 }, { 3, 4 } })");
    check_literal(&s32x31, 4, "\1\2\3", 3, 0, "constant({ {1}, {2}, {3} })");
    check_literal(&s32x11, 4, "\1\1\1\1\1\1\1\1\1\1\1", 11, 0, "constant({...})");
    check_literal(&s32x11, 4, "\1\1\1\1\1\1\1\1\1\1\1", 11, XPD_PRINT_LARGE,
                  "constant({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})");
    check_literal(&pred, 2, "\1", 1, 0, "constant(true)");
    check_literal(&predx2, 2, "\1\0", 2, 0, "constant({1, 0})");
    check_literal(&scalar, 8, &tenth, 4, 0, "constant(0.1)");
    check_literal(&scalar, 8, &third, 4, 0, "constant(0.333333343)");
    check_literal(&scalar, 8, &large, 4, 0, "constant(16777216)");
    check_literal(&scalar, 8, &inf, 4, 0, "constant(inf)");
    check_literal(&bf16, 13, "\xcd\x3d", 2, 0, "constant(0.1001)");
    check_literal(&f16, 11, "\x66\x2e", 2, 0, "constant(0.099976)");
    check_literal(&c64, 12, complex, 8, 0, "constant((1, -2))");
    check_literal(&s8x3, 15, "\x01\xff\x80", 3, 0, "constant({1, -1, -128})");
}

/* Values of small float types by their definitions: f8e5m2 0x3c = 1, f8e4m3fn 0x38 = 1, 0x7f = nan,
 * f8e4m3fnuz 0x40 = 1 (bias 8), f4e2m1fn 7 = 6, f8e8m0fnu 127 = 1. */
static void test_small_floats(void **state)
{
    (void)state;
    const struct hb_shape e5m2 = {.type = 19}, e4m3fn = {.type = 20}, fnuz = {.type = 25};
    const struct hb_shape f4 = {.type = 32}, e8m0 = {.type = 33};
    check_literal(&e5m2, 19, "\x3c", 1, 0, "constant(1)");
    check_literal(&e5m2, 19, "\xfc", 1, 0, "constant(-inf)");
    check_literal(&e4m3fn, 20, "\x38", 1, 0, "constant(1)");
    check_literal(&e4m3fn, 20, "\x7f", 1, 0, "constant(nan)");
    check_literal(&e4m3fn, 20, "\x7e", 1, 0, "constant(448)");
    check_literal(&fnuz, 25, "\x40", 1, 0, "constant(1)");
    check_literal(&f4, 32, "\x07", 1, 0, "constant(6)");
    check_literal(&e8m0, 33, "\x7f", 1, 0, "constant(1)");
}

static void test_deep_literal_has_comments(void **state)
{
    (void)state;
    const struct hb_shape shape = {.type = HB_S32, .rank = 4, .dims = {1, 2, 1, 2}};
    check_literal(&shape, 4, "\1\2\3\4", 4, 0,
                  "constant({ { /*i0=0*/ { /*i1=0*/ { 1, 2 } }, { /*i1=1*/ { 3, 4 } } } })");
}

static void check_lines(const struct hb_shape *shape, const char *values, const char *expected)
{
    struct pbw out = {0};
    make_literal(&out, shape, 4, values, strlen(values));
    assert_string_equal(print_by(put_lines, &out, 0, 8), expected);
    pbw_free(&out);
}

/* As in labels of XProf 2.24.2's graphs (programs compiled by JAX for this). */
static void test_literals_in_lines(void **state)
{
    (void)state;
    const struct hb_shape one = {.type = HB_S32, .rank = 1, .dims = {2}};
    const struct hb_shape two = {.type = HB_S32, .rank = 2, .dims = {2, 2}};
    const struct hb_shape tall = {.type = HB_S32, .rank = 2, .dims = {3, 1}};
    const struct hb_shape three = {.type = HB_S32, .rank = 3, .dims = {2, 2, 1}};
    const struct hb_shape four = {.type = HB_S32, .rank = 4, .dims = {1, 1, 1, 2}};
    check_lines(&one, "\1\2", "{1, 2}");
    check_lines(&two, "\1\2\3\4", "{\n  { 1, 2 },\n  { 3, 4 }\n}");
    check_lines(&tall, "\1\2\3", "{\n  {1},\n  {2},\n  {3}\n}");
    check_lines(&three, "\1\2\3\4", "{\n{\n  {1},\n  {2}\n},\n{\n  {3},\n  {4}\n}\n}");
    check_lines(&four, "\1\2", "{\n{ /*i0=0*/\n{ /*i1=0*/\n  { 1, 2 }\n}\n}\n}");
}

/* As XProf 2.24.2 prints them (testdata/hlo_variants): values lie as the layout says, the bits of a
 * type below a byte are its own, a NaN says what it carries, rows of nothing are all there. */
static void test_literals_as_they_lie(void **state)
{
    (void)state;
    const struct hb_shape columns = {
        .type = HB_S32, .rank = 2, .dims = {2, 3}, .layout = HB_MINOR, .minor = {0, 1}};
    const struct hb_shape s4 = {.type = 21, .rank = 1, .dims = {3}};
    const struct hb_shape u2 = {.type = 27, .rank = 1, .dims = {2}};
    const struct hb_shape none = {.type = HB_S32, .rank = 2, .dims = {3, 0}};
    const struct hb_shape deep = {.type = HB_S32, .rank = 4, .dims = {2, 2, 0, 2}};
    const struct hb_shape endless = {.type = HB_S32, .rank = 2, .dims = {INT64_MAX, 0}};
    const uint32_t carries = 0xff800123;
    check_literal(&columns, 4, "\0\1\2\3\4\5", 6, 0, "constant({ { 0, 2, 4 }, { 1, 3, 5 } })");
    check_literal(&s4, 21, "\x08\xff\x07", 3, 0, "constant({-8, -1, 7})");
    check_literal(&u2, 27, "\x81\xff", 2, 0, "constant({1, 3})");
    check_literal(&scalar, 8, &carries, 4, 0, "constant(-nan(0x123))");
    check_literal(&none, 4, "", 0, 0, "constant({ {}, {}, {} })");
    check_literal(&deep, 4, "", 0, 0,
                  "constant({ { /*i0=0*/ { /*i1=0*/ }, { /*i1=1*/ } }, { /*i0=1*/ { /*i1=0*/ }, "
                  "{ /*i1=1*/ } } })");
    /* Not as many as the file says; print_one keeps the first 4095 bytes. */
    assert_null(strchr(literal_text(&endless, 4, "", 0, 0), '?'));
}

static void test_short_literal_is_reported(void **state)
{
    (void)state;
    const struct hb_shape shape = {.type = HB_S32, .rank = 1, .dims = {4}};
    const struct hb_shape huge = {.type = HB_S32, .rank = 2, .dims = {INT64_MAX, INT64_MAX}};
    const struct hb_shape unknown = {.type = 77};
    check_literal(&shape, 4, "\1\2", 2, 0,
                  "constant({1, 2, ? /*literal cut short: 2 of 4 values*/})");
    check_literal(&huge, 4, "\1\2", 2, XPD_PRINT_LARGE,
                  "constant({ { 1, 2, ? /*literal cut short: 2 of more than 2^64 values*/ }, ? })");
    check_literal(&unknown, 4, "\1\2", 2, 0, "constant(?)");
}

/* ---- attributes (T8, T10) ---- */

static void window_fields(struct hb *hb, struct pbw *w)
{
    const int64_t operands[] = {1, 2};
    (void)hb;
    pbw_ints(w, 36, operands, 2, true);
    size_t window = pbw_begin(w, 15);
    for (int i = 0; i < 2; i++) {
        size_t dim = pbw_begin(w, 1);
        pbw_int(w, 1, 3);
        pbw_int(w, 2, 2);
        pbw_int(w, 3, 1);
        pbw_int(w, 4, 1);
        pbw_int(w, 5, 1);
        pbw_int(w, 6, 1);
        pbw_end(w, dim);
    }
    pbw_end(w, window);
    size_t dims = pbw_begin(w, 16); /* b01f_01io->b01f */
    const int64_t spatial[] = {1, 2}, kernel[] = {0, 1};
    pbw_int(w, 3, 2);
    pbw_int(w, 4, 3);
    pbw_ints(w, 6, kernel, 2, true);
    pbw_int(w, 8, 3);
    pbw_int(w, 10, 3);
    pbw_ints(w, 11, spatial, 2, true);
    pbw_ints(w, 12, spatial, 2, true);
    pbw_end(w, dims);
    pbw_int(w, 50, 1);
    pbw_int(w, 58, 1);
}

static void slice_fields(struct hb *hb, struct pbw *w)
{
    static const int64_t dims[2][3] = {{0, 5, 1}, {2, 8, 2}};
    (void)hb;
    for (int i = 0; i < 2; i++) {
        size_t dim = pbw_begin(w, 17);
        pbw_int(w, 1, dims[i][0]);
        pbw_int(w, 2, dims[i][1]);
        pbw_int(w, 3, dims[i][2]);
        pbw_end(w, dim);
    }
}

static void pad_fields(struct hb *hb, struct pbw *w)
{
    static const int64_t dims[2][3] = {{0, 1, 0}, {2, 3, 1}};
    (void)hb;
    size_t config = pbw_begin(w, 21);
    for (int i = 0; i < 2; i++) {
        size_t dim = pbw_begin(w, 1);
        pbw_int(w, 1, dims[i][0]);
        pbw_int(w, 2, dims[i][1]);
        pbw_int(w, 3, dims[i][2]);
        pbw_end(w, dim);
    }
    pbw_end(w, config);
}

static void iota_groups(struct hb *hb, struct pbw *w)
{
    const int64_t dims[] = {2, 4}, perm[] = {1, 0};
    (void)hb;
    pbw_int(w, 26, 1);
    size_t list = pbw_begin(w, 92);
    pbw_int(w, 1, 4);
    pbw_int(w, 2, 2);
    pbw_ints(w, 3, dims, 2, true);
    pbw_ints(w, 4, perm, 2, true);
    pbw_end(w, list);
    pbw_uint(w, 71, 1);
}

static void old_groups(struct hb *hb, struct pbw *w)
{
    const int64_t first[] = {0, 1}, second[] = {2, 3};
    (void)hb;
    size_t group = pbw_begin(w, 49);
    pbw_ints(w, 1, first, 2, true);
    pbw_end(w, group);
    group = pbw_begin(w, 49);
    pbw_ints(w, 1, second, 2, false);
    pbw_end(w, group);
}

static void unknown_fields(struct hb *hb, struct pbw *w)
{
    const int64_t operands[] = {1, 99};
    (void)hb;
    pbw_ints(w, 36, operands, 2, true);
    pbw_str(w, 43, "not a {dictionary}");
    size_t metadata = pbw_begin(w, 7);
    pbw_str(w, 2, "a\"b\x01");
    pbw_int(w, 4, 12);
    pbw_end(w, metadata);
}

static void sharding_fields(struct hb *hb, struct pbw *w)
{
    const int64_t dims[] = {2, 1, 4}, reshape[] = {8};
    (void)hb;
    size_t sharding = pbw_begin(w, 40);
    pbw_int(w, 1, 3);
    pbw_ints(w, 3, dims, 3, true);
    pbw_int(w, 6, 1);
    pbw_ints(w, 9, reshape, 1, true);
    pbw_end(w, sharding);
    size_t attributes = pbw_begin(w, 68);
    size_t entry = pbw_begin(w, 1);
    pbw_str(w, 1, "z");
    pbw_str(w, 2, "text");
    pbw_end(w, entry);
    entry = pbw_begin(w, 1);
    pbw_str(w, 1, "a");
    pbw_str(w, 2, "{\"k\":1}");
    pbw_end(w, entry);
    pbw_end(w, attributes);
}

static void test_attributes(void **state)
{
    (void)state;
    check("convolution", &scalar, window_fields,
          "%x = f32[] convolution(%a, %b), window={size=3x3 stride=2x2 pad=1_1x1_1}, "
          "dim_labels=b01f_01io->b01f");
    check("slice", &scalar, slice_fields, "%x = f32[] slice(), slice={[0:5:1], [2:8:2]}");
    check("pad", &scalar, pad_fields, "%x = f32[] pad(), padding=0_1_0x2_3_1");
    check("all-reduce", &scalar, iota_groups,
          "%x = f32[] all-reduce(), channel_id=1, replica_groups=[4,2]<=[2,4]T(1,0), "
          "use_global_device_ids=true");
    check("all-gather", &scalar, old_groups,
          "%x = f32[] all-gather(), replica_groups={{0,1},{2,3}}, dimensions={}");
    check("negate", &scalar, sharding_fields,
          "%x = f32[] negate(), sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}, "
          "frontend_attributes={a={\"k\":1},z=\"text\"}");
}

/* An unknown opcode, operand and config are printed as well. */
static void test_unknown(void **state)
{
    (void)state;
    check("brand-new-op", &scalar, unknown_fields,
          "%x = f32[] brand-new-op(%a, ?), metadata={op_name=\"a\\\"b\\001\" source_line=12}, "
          "backend_config=\"not a {dictionary}\"");
}

#define QUEUES "\"wait_on_operation_queues\""

static const char *queue_config;

static void queue_fields(struct hb *hb, struct pbw *w)
{
    (void)hb;
    pbw_str(w, 43, queue_config);
}

/* What XProf 2.24.2 printed of each: its XLA takes the empty list of queues out of configs. */
static void test_queues(void **state)
{
    static const char *const rows[][2] = {
        {"{\"a\":\"0\"," QUEUES ":[],\"x\":1}", "{\"a\":\"0\",\"x\":1}"},
        {"{\"x\":1," QUEUES ":[]}", "{\"x\":1," QUEUES ":[]}"}, /* no comma behind it */
        {"{\"a\":1, " QUEUES "\t: [\r\n] , \"x\":1}", "{\"a\":1,  \"x\":1}"},
        {"{\"a\":1, " QUEUES "\v:[],\"x\":1}", "{\"a\":1, " QUEUES "\v:[],\"x\":1}"},
        {"{" QUEUES ":[\"1\"],\"x\":1}", "{" QUEUES ":[\"1\"],\"x\":1}"},
        {"{\"n\":{" QUEUES ":[],\"y\":2}," QUEUES ":[],\"x\":1}", "{\"n\":{\"y\":2},\"x\":1}"},
        {"text " QUEUES ":[], more", "\"text  more\""},
        {"{" QUEUES ":[],,\"x\":1}", "{,\"x\":1}"},
        {"{\"w\":\"" QUEUES, "\"{\\\"w\\\":\\\"\\\"wait_on_operation_queues\\\"\""},
        {QUEUES ":[],", NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hb hb;
        struct pbw out = {0};
        queue_config = rows[i][0];
        hb_init(&hb, "m");
        hb_begin_computation(&hb, "main", 1, false);
        add_raw(&hb, "x", "negate", 1, &scalar, queue_fields);
        hb_end_computation(&hb, 1);
        hb_finish(&hb, &out);
        const char *said =
            strstr(print_one(&out, 0, XPD_PRINT_CONFIG | XPD_PRINT_XPROF), "config=");
        assert_string_equal(said ? said + 7 : "none", rows[i][1] ? rows[i][1] : "none");
        said = strstr(print_one(&out, 0, XPD_PRINT_CONFIG), "config=");
        assert_non_null(strstr(said, "wait_on")); /* our own text is the file's */
        pbw_free(&out);
    }
}

/* ---- modules ---- */

static void call_self(struct hb *hb, struct pbw *w)
{
    const int64_t called[] = {1};
    (void)hb;
    pbw_ints(w, 38, called, 1, true);
}

static void async_update_of_itself(struct hb *hb, struct pbw *w)
{
    const int64_t operands[] = {2};
    (void)hb;
    pbw_ints(w, 36, operands, 1, true);
}

/* Calls and async chains that lead back to themselves end. */
static void test_cycles(void **state)
{
    (void)state;
    struct hb hb;
    struct pbw out = {0};
    hb_init(&hb, "m");
    hb_begin_computation(&hb, "main", 1, false);
    add_raw(&hb, "x", "call", 1, &scalar, call_self);
    add_raw(&hb, "y", "async-update", 2, &scalar, async_update_of_itself);
    hb_end_computation(&hb, 1);
    hb_finish(&hb, &out);
    struct xpd_hlo *hlo = ht_load_bytes(out.data, out.len, NULL);
    struct xpd_hlo_printer *printer;
    struct xpd_strbuf text = {0};
    assert_non_null(hlo);
    assert_int_equal(xpd_hlo_printer_new(&printer, hlo, out.data, out.len, NULL), XPD_OK);
    xpd_hlo_print_module(printer, XPD_PRINT_LONG, &text, NULL);
    assert_string_equal(text.data, "HloModule m, entry_computation_layout={()->}\n\n"
                                   "ENTRY %main () -> f32[] {\n"
                                   "  ROOT %x = f32[] call(), to_apply=%main\n"
                                   "  %y = f32[] async-update(%y)\n"
                                   "}\n\n");
    xpd_strbuf_fini(&text);
    xpd_hlo_printer_free(printer);
    xpd_hlo_free(hlo);
    pbw_free(&out);
}

/* Without a schedule: operands before users, operand 0 first. */
static void test_order_without_schedule(void **state)
{
    (void)state;
    const int64_t both[] = {2, 1};
    struct hb hb;
    struct pbw out = {0};
    hb_init(&hb, "m");
    hb_begin_computation(&hb, "main", 1, false);
    hb_instruction(&hb,
                   &(struct hb_instr){.name = "a", .opcode = "iota", .id = 1, .shape = &scalar});
    hb_instruction(&hb,
                   &(struct hb_instr){.name = "b", .opcode = "iota", .id = 2, .shape = &scalar});
    hb_instruction(&hb, &(struct hb_instr){.name = "c",
                                           .opcode = "add",
                                           .id = 3,
                                           .shape = &scalar,
                                           .operands = both,
                                           .n_operands = 2});
    hb_end_computation(&hb, 3);
    hb_finish(&hb, &out);
    struct xpd_hlo *hlo = ht_load_bytes(out.data, out.len, NULL);
    struct xpd_hlo_printer *printer;
    const uint32_t *order;
    uint32_t count;
    assert_int_equal(xpd_hlo_printer_new(&printer, hlo, out.data, out.len, NULL), XPD_OK);
    xpd_hlo_instruction_order(printer, 0, &order, &count);
    assert_int_equal(count, 3);
    assert_int_equal(order[0], 1);
    assert_int_equal(order[1], 0);
    assert_int_equal(order[2], 2);
    xpd_hlo_printer_free(printer);
    xpd_hlo_free(hlo);
    pbw_free(&out);
}

/* Bytes of another module are refused, not printed as this one. */
static void test_other_bytes(void **state)
{
    (void)state;
    struct hb hb;
    struct pbw out = {0};
    struct xpd_err err = {0};
    hb_init(&hb, "m");
    hb_begin_computation(&hb, "main", 1, false);
    add_raw(&hb, "x", "add", 1, &scalar, NULL);
    hb_end_computation(&hb, 1);
    hb_finish(&hb, &out);
    struct xpd_hlo *hlo = ht_load_bytes(out.data, out.len, NULL);
    struct xpd_hlo_printer *printer;
    assert_int_equal(xpd_hlo_printer_new(&printer, hlo, (const uint8_t *)"", 0, &err),
                     XPD_ECHANGED);
    assert_null(printer);
    xpd_hlo_free(hlo);
    pbw_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_literals),
        cmocka_unit_test(test_small_floats),
        cmocka_unit_test(test_deep_literal_has_comments),
        cmocka_unit_test(test_short_literal_is_reported),
        cmocka_unit_test(test_literals_in_lines),
        cmocka_unit_test(test_literals_as_they_lie),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_queues),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_order_without_schedule),
        cmocka_unit_test(test_other_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
