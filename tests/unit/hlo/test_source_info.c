/* Source information: metadata, frames with 1-based ids, circles, fusions; operation groups. */
#include "hlo_test.h"
#include "xprofd/hlo/source_info.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct hb_shape f32 = {.type = HB_F32};

/* Frames: 1 = train.py:10 in main, 2 = model.py:20:5 in layer called from 1, 3 without a location
 * called from 2, 4 and 5 call each other, 6 = C:\m.py:7:1. */
static void put_frames(struct hb *hb)
{
    int64_t train = hb_file(hb, "train.py"), model = hb_file(hb, "model.py");
    int64_t windows = hb_file(hb, "C:\\m.py");
    int64_t in_main = hb_function(hb, "main"), layer = hb_function(hb, "layer");
    int64_t a = hb_location(hb, train, in_main, 10, 3), b = hb_location(hb, model, layer, 20, 5);
    int64_t c = hb_location(hb, windows, layer, 7, 1);
    int64_t first = hb_frame(hb, a, 0);
    int64_t second = hb_frame(hb, b, first);
    hb_frame(hb, 99, second);
    hb_frame(hb, a, 5);
    hb_frame(hb, b, 4);
    hb_frame(hb, c, 0);
}

static const int64_t fused[] = {2};

static const struct hb_instr fused_instructions[] = {
    {.name = "fp", .opcode = "parameter", .id = 100, .op_name = "none"},
    {.name = "fmul", .opcode = "multiply", .id = 101, .stack_frame_id = 2, .op_name = "mul"},
    {.name = "froot", .opcode = "add", .id = 102, .op_name = "root"},
};

static const struct hb_instr instructions[] = {
    {.name = "meta",
     .opcode = "add",
     .id = 1,
     .op_name = "jit(f)/add",
     .source_file = "a.py",
     .source_line = 7,
     .stack_frame_id = 2},
    {.name = "stack", .opcode = "add", .id = 2, .stack_frame_id = 2},
    {.name = "hollow", .opcode = "add", .id = 3, .stack_frame_id = 3},
    {.name = "circle", .opcode = "add", .id = 4, .stack_frame_id = 4},
    {.name = "far", .opcode = "add", .id = 5, .stack_frame_id = 77},
    {.name = "fusion",
     .opcode = "fusion",
     .id = 6,
     .op_name = "mine",
     .called = fused,
     .n_called = 1,
     .fusion_kind = "kLoop"},
    {.name = "nothing", .opcode = "add", .id = 7},
    {.name = "windows", .opcode = "add", .id = 8, .stack_frame_id = 6},
    {.name = "negative", .opcode = "add", .id = 9, .stack_frame_id = -1},
};

static void put(struct hb *hb, const struct hb_instr *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct hb_instr in = from[i];
        in.shape = &f32;
        hb_instruction(hb, &in);
    }
}

static struct xpd_hlo *build(void)
{
    struct hb hb;
    hb_init(&hb, "sources");
    put_frames(&hb);
    hb_begin_computation(&hb, "fused", 2, true);
    put(&hb, fused_instructions, 3);
    hb_end_computation(&hb, 102);
    hb_begin_computation(&hb, "main", 1, false);
    put(&hb, instructions, sizeof instructions / sizeof instructions[0]);
    hb_end_computation(&hb, 1);
    return ht_load(&hb);
}

static uint32_t at(const struct xpd_hlo *hlo, int64_t id)
{
    uint32_t index = xpd_map64_get(&hlo->instruction_by_id, (uint64_t)id);
    assert_int_not_equal(index, XPD_NO_INDEX);
    return index;
}

static void expect(const struct xpd_hlo *hlo, int64_t id, const char *op_name, const char *file,
                   int32_t line, uint32_t frames, int64_t from)
{
    struct xpd_source_info info;
    xpd_source_of(hlo, at(hlo, id), &info);
    assert_true(xpd_str_eq(info.op_name, xpd_str_of(op_name)));
    assert_true(xpd_str_eq(xpd_hlo_op_name(hlo, at(hlo, id)), xpd_str_of(op_name)));
    assert_true(xpd_str_eq(info.file, xpd_str_of(file)));
    assert_int_equal(info.line, line);
    assert_int_equal(info.frame_count, frames);
    assert_int_equal(info.from, at(hlo, from));
}

static void each_kind_of_source_is_found(void **state)
{
    (void)state;
    struct xpd_hlo *hlo = build();
    assert_int_equal(hlo->frame_count, 6);
    expect(hlo, 1, "jit(f)/add", "a.py", 7, 2, 1);
    expect(hlo, 2, "", "model.py", 20, 2, 2);
    expect(hlo, 3, "", "model.py", 20, 3, 3); /* the innermost has no file: the next one */
    expect(hlo, 5, "", "", 0, 0, 5);
    expect(hlo, 6, "mine", "model.py", 20, 2, 101);
    expect(hlo, 7, "", "", 0, 0, 7);
    expect(hlo, 9, "", "", 0, 0, 9);
    struct xpd_source_info info;
    xpd_source_of(hlo, at(hlo, 2), &info);
    assert_int_equal(info.frame[0], 2);
    assert_int_equal(info.frame[1], 1);
    assert_true(ht_is(hlo, hlo->frame[1].function, "layer"));
    xpd_source_of(hlo, hlo->instructions.count, &info);
    assert_int_equal(info.file.size, 0);
    xpd_hlo_free(hlo);
}

static struct xpd_hlo *build_passed_on(void)
{
    static const int64_t made[] = {1, 2}, of_tuple[] = {3}, of_element[] = {4}, of_copy[] = {5},
                         itself[] = {8}, of_add[] = {1};
    static const struct hb_instr all[] = {
        {.name = "a", .opcode = "add", .id = 1, .op_name = "jit(f)/a"},
        {.name = "b", .opcode = "add", .id = 2, .op_name = "jit(f)/b"},
        {.name = "t", .opcode = "tuple", .id = 3, .operands = made, .n_operands = 2},
        {.name = "e",
         .opcode = "get-tuple-element",
         .id = 4,
         .operands = of_tuple,
         .n_operands = 1,
         .tuple_index = 1},
        {.name = "c", .opcode = "copy", .id = 5, .operands = of_element, .n_operands = 1},
        {.name = "v", .opcode = "convert", .id = 6, .operands = of_copy, .n_operands = 1},
        {.name = "n", .opcode = "add", .id = 7, .operands = of_add, .n_operands = 1},
        {.name = "r", .opcode = "copy", .id = 8, .operands = itself, .n_operands = 1}};
    struct hb hb;
    hb_init(&hb, "passed on");
    hb_begin_computation(&hb, "main", 1, false);
    put(&hb, all, sizeof all / sizeof *all);
    hb_end_computation(&hb, 7);
    return ht_load(&hb);
}

/* Copies, conversions and elements of tuples stand in the scope of what they pass on; what computes
 * a new value does not, and a circle ends. */
static void scopes_are_passed_on(void **state)
{
    (void)state;
    static const struct {
        int64_t id;
        const char *scope;
    } wanted[] = {{1, "jit(f)/a"}, {3, "jit(f)/a"}, {4, "jit(f)/b"}, {5, "jit(f)/b"},
                  {6, "jit(f)/b"}, {7, ""},         {8, ""}};
    struct xpd_hlo *hlo = build_passed_on();
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_true(xpd_str_eq(xpd_hlo_text(hlo, xpd_scope_name_of(hlo, at(hlo, wanted[i].id))),
                               xpd_str_of(wanted[i].scope)));
    assert_int_equal(xpd_scope_name_of(hlo, XPD_NO_INDEX), 0);
    xpd_hlo_free(hlo);
}

static void circles_end(void **state)
{
    (void)state;
    struct xpd_hlo *hlo = build();
    struct xpd_source_info info;
    xpd_source_of(hlo, at(hlo, 4), &info);
    assert_true(info.frames_cut);
    assert_true(info.frame_count <= hlo->frame_count);
    assert_true(xpd_str_eq(info.file, XPD_STR("train.py")));
    assert_int_equal(ht_warned(hlo, "frame_location_missing"), 1);
    assert_int_equal(ht_warned(hlo, "frame_circle"), 1); /* 4 and 5 call each other */
    assert_int_equal(ht_warned(hlo, "call_circle"), 0);
    xpd_hlo_free(hlo);
}

static void expect_xprof(const struct xpd_hlo *hlo, int64_t id, bool shown, const char *file,
                         int32_t line, const char *lines)
{
    struct xpd_strbuf stack = {0};
    struct xpd_str got;
    int32_t got_line;
    assert_int_equal(xpd_source_of_xprof(hlo, at(hlo, id), &got, &got_line, &stack), shown);
    assert_true(xpd_str_eq(got, xpd_str_of(file)));
    assert_int_equal(got_line, line);
    assert_string_equal(stack.data ? stack.data : "", lines);
    xpd_strbuf_fini(&stack);
}

static void xprof_has_its_own_answer(void **state)
{
    (void)state;
    struct xpd_hlo *hlo = build();
    expect_xprof(hlo, 1, true, "a.py", 7, "model.py:20:5\ntrain.py:10:3");
    expect_xprof(hlo, 2, true, "model.py", 20, "model.py:20:5\ntrain.py:10:3");
    /* A first frame without a file: XProf 2.24.2 has no sourceInfo, whatever frames follow. */
    expect_xprof(hlo, 3, false, "", -1, ":-1:-1\nmodel.py:20:5\ntrain.py:10:3");
    expect_xprof(hlo, 6, false, "", 0, "");
    expect_xprof(hlo, 8, true, "C", 0, "C:\\m.py:7:1");
    xpd_hlo_free(hlo);
}

/* Of the only instruction of the entry, behind the computations that are in `hb`. */
static enum xpd_op_group group_in(struct hb *hb, const struct hb_instr *instruction)
{
    hb_begin_computation(hb, "main", 1, false);
    hb_instruction(hb, instruction);
    hb_end_computation(hb, 1);
    struct xpd_hlo *hlo = ht_load(hb);
    enum xpd_op_group found = xpd_op_group_of(hlo, at(hlo, 1));
    xpd_hlo_free(hlo);
    return found;
}

static enum xpd_op_group group(const char *opcode, const char *inside)
{
    struct hb hb;
    hb_init(&hb, "groups");
    hb_begin_computation(&hb, "inner", 2, true);
    hb_instruction(&hb,
                   &(struct hb_instr){.name = "p", .opcode = "parameter", .id = 10, .shape = &f32});
    hb_instruction(&hb, &(struct hb_instr){.name = "i", .opcode = inside, .id = 11, .shape = &f32});
    hb_instruction(&hb,
                   &(struct hb_instr){.name = "c", .opcode = "convert", .id = 12, .shape = &f32});
    hb_end_computation(&hb, 12);
    return group_in(
        &hb,
        &(struct hb_instr){
            .name = "x", .opcode = opcode, .id = 1, .shape = &f32, .called = fused, .n_called = 1});
}

/* A call into a library is what the library computes. */
static enum xpd_op_group group_of_target(const char *target)
{
    struct hb hb;
    hb_init(&hb, "calls");
    return group_in(&hb, &(struct hb_instr){.name = "x",
                                            .opcode = "custom-call",
                                            .id = 1,
                                            .shape = &f32,
                                            .custom_call_target = target});
}

static void calls_have_groups(void **state)
{
    (void)state;
    assert_int_equal(group_of_target("__cublas$gemm"), XPD_OP_MATMUL);
    assert_int_equal(group_of_target("__cublas$lt$matmul$f8"), XPD_OP_MATMUL);
    assert_int_equal(group_of_target("__cudnn$convForward"), XPD_OP_MATMUL);
    assert_int_equal(group_of_target("__onednn$softmax"), XPD_OP_REDUCE);
    assert_int_equal(group_of_target("__cub$DeviceRadixSort"), XPD_OP_REDUCE);
    assert_int_equal(group_of_target("tpu_custom_call"), XPD_OP_CUSTOM);
    assert_int_equal(group_of_target("__cudnn$fmhaSoftmax"), XPD_OP_CUSTOM);
}

static void operations_have_groups(void **state)
{
    (void)state;
    assert_int_equal(group("dot", "add"), XPD_OP_MATMUL);
    assert_int_equal(group("parameter", "add"), XPD_OP_NONE);
    assert_int_equal(group("all-reduce-start", "add"), XPD_OP_COLLECTIVE);
    assert_int_equal(group("custom-call", "add"), XPD_OP_CUSTOM);
    assert_int_equal(group("tanh", "add"), XPD_OP_ELEMENTWISE);
    assert_int_equal(group("a-new-one", "add"), XPD_OP_ELEMENTWISE);
    assert_int_equal(group("while", "dot"), XPD_OP_CONTROL);
    assert_int_equal(group("after-all", "dot"), XPD_OP_CONTROL);
    assert_int_equal(group("infeed", "dot"), XPD_OP_HOST);
    assert_int_equal(group("fusion", "convolution"), XPD_OP_MATMUL);
    assert_int_equal(group("fusion", "all-gather"), XPD_OP_COLLECTIVE);
    assert_int_equal(group("fusion", "reduce"), XPD_OP_REDUCE);
    assert_int_equal(group("fusion", "slice"), XPD_OP_MOVE);
    assert_int_equal(group("fusion", "add"), XPD_OP_ELEMENTWISE);
    assert_int_equal(group("async-start", "reduce-scatter"), XPD_OP_COLLECTIVE);
    assert_int_equal(group("", "add"), XPD_OP_NONE);
    assert_string_equal(xpd_op_group_word(XPD_OP_ELEMENTWISE), "elem");
    assert_string_equal(xpd_op_group_word(XPD_OP_GROUP_COUNT), "none");
}

/* A copy with one side in S(5), as a trace calls it: on both halves, and only there. */
static void copies_of_the_host(void **state)
{
    (void)state;
    static const struct hb_shape device = {
        .type = HB_F32, .rank = 1, .dims = {8}, .layout = HB_DESCENDING};
    static const struct hb_shape host = {
        .type = HB_F32, .rank = 1, .dims = {8}, .layout = HB_DESCENDING, .memory_space = 5};
    static const struct hb_shape fast = {
        .type = HB_F32, .rank = 1, .dims = {8}, .layout = HB_DESCENDING, .memory_space = 1};
    const struct hb_shape offload[] = {host, device}, prefetch[] = {fast, device};
    const struct hb_shape to_host = {.type = HB_TUPLE, .elements = offload, .n_elements = 2};
    const struct hb_shape to_fast = {.type = HB_TUPLE, .elements = prefetch, .n_elements = 2};
    static const int64_t of[] = {0, 1, 2, 3, 4, 5};
    const struct {
        const char *opcode;
        const struct hb_shape *shape;
        int operand;
        enum xpd_op_group group;
    } expected[] = {{"parameter", &device, -1, XPD_OP_NONE},
                    {"copy-start", &to_host, 0, XPD_OP_HOST},
                    {"copy-done", &host, 1, XPD_OP_HOST},
                    {"copy-start", &to_fast, 0, XPD_OP_MOVE},
                    {"copy-done", &fast, 3, XPD_OP_MOVE},
                    {"copy-done", &device, 1, XPD_OP_HOST}, /* the host's side is its operand's */
                    {"copy", &device, 2, XPD_OP_HOST},
                    {"copy", &device, 0, XPD_OP_MOVE},
                    {"reshape", &host, 2, XPD_OP_MOVE},
                    {"tanh", &host, 2, XPD_OP_ELEMENTWISE}};
    struct hb hb;
    hb_init(&hb, "host copies");
    hb_begin_computation(&hb, "main", 1, false);
    for (int i = 0; i < (int)(sizeof expected / sizeof *expected); i++)
        hb_instruction(&hb, &(struct hb_instr){
                                .name = "x",
                                .opcode = expected[i].opcode,
                                .id = i,
                                .shape = expected[i].shape,
                                .operands = &of[expected[i].operand < 0 ? 0 : expected[i].operand],
                                .n_operands = expected[i].operand >= 0});
    hb_end_computation(&hb, 0);
    struct xpd_hlo *hlo = ht_load(&hb);
    for (uint32_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (xpd_op_group_of(hlo, i) != expected[i].group)
            fail_msg("%u %s: %s", i, expected[i].opcode,
                     xpd_op_group_word(xpd_op_group_of(hlo, i)));
    xpd_hlo_free(hlo);
}

/* A fusion that calls the computation it stands in. */
static void fusion_of_itself_ends(void **state)
{
    (void)state;
    struct hb hb;
    hb_init(&hb, "loop");
    hb_begin_computation(&hb, "self", 2, true);
    for (int64_t i = 0; i < 100; i++)
        hb_instruction(&hb, &(struct hb_instr){.name = "f",
                                               .opcode = "fusion",
                                               .id = i,
                                               .shape = &f32,
                                               .called = fused,
                                               .n_called = 1});
    hb_end_computation(&hb, 0);
    struct xpd_hlo *hlo = ht_load(&hb);
    for (uint32_t i = 0; i < hlo->instructions.count; i++) {
        struct xpd_source_info info;
        xpd_source_of(hlo, i, &info);
        assert_int_equal(info.from, i);
        assert_int_equal(xpd_op_group_of(hlo, i), XPD_OP_ELEMENTWISE);
    }
    assert_int_equal(ht_warned(hlo, "call_circle"), 100); /* each of them calls itself */
    xpd_hlo_free(hlo);
}

/* 1 calls 2 and 3, 2 calls 3 too: no circle, until 3 calls 1. */
static void a_circle_of_calls_is_told(void **state)
{
    static const int64_t both[] = {2, 3}, third[] = {3}, back[] = {1};
    (void)state;
    for (int closed = 0; closed <= 1; closed++) {
        struct hb hb;
        hb_init(&hb, "calls");
        const struct hb_instr call[] = {
            {.name = "a", .opcode = "call", .id = 1, .called = both, .n_called = 2},
            {.name = "b", .opcode = "call", .id = 2, .called = third, .n_called = 1},
            {.name = "c", .opcode = "call", .id = 3, .called = back, .n_called = (size_t)closed},
        };
        for (int i = 0; i < 3; i++) {
            hb_begin_computation(&hb, call[i].name, i + 1, false);
            put(&hb, &call[i], 1);
            hb_end_computation(&hb, i + 1);
        }
        struct xpd_hlo *hlo = ht_load(&hb);
        assert_int_equal(ht_warned(hlo, "call_circle"), closed);
        assert_int_equal(ht_warned(hlo, "computation_missing"), 0);
        xpd_hlo_free(hlo);
    }
}

static void put_is(const char *file, int64_t line, const char *expected)
{
    struct xpd_strbuf out = {0};
    xpd_source_put(&out, xpd_str_of(file), line);
    assert_string_equal(out.data, expected);
    xpd_strbuf_fini(&out);
}

static void places_as_text(void **state)
{
    (void)state;
    put_is("train.py", 88, "train.py:88");
    put_is("train.py", 0, "train.py");
    put_is("a b.py", -1, "a b.py");
    const char *const paths[] = {"train.py", "/home/me/train.py", "C:\\me\\train.py"};
    for (size_t i = 0; i < 3; i++)
        assert_true(xpd_str_eq(xpd_source_base_name(xpd_str_of(paths[i])), XPD_STR("train.py")));
    assert_int_equal(xpd_source_base_name(XPD_STR("src/")).size, 0);
}

/* Where there is no instruction there is nothing to say of it. */
static void nothing_is_said_of_nothing(void **state)
{
    (void)state;
    struct xpd_hlo *none = NULL;
    struct xpd_strbuf out = {0};
    xpd_source_put_of(&out, none, XPD_NO_INDEX);
    assert_int_equal(out.size, 0);
    assert_int_equal(xpd_hlo_op_name(none, XPD_NO_INDEX).size, 0);
    assert_int_equal(xpd_hlo_scope_name(none, XPD_NO_INDEX).size, 0);
    assert_int_equal(xpd_hlo_instruction_name(none, XPD_NO_INDEX).size, 0);
    assert_int_equal(xpd_hlo_opcode(none, XPD_NO_INDEX).size, 0);
    assert_string_equal(xpd_hlo_group_word(none, XPD_NO_INDEX), "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_source_is_found),
        cmocka_unit_test(scopes_are_passed_on),
        cmocka_unit_test(circles_end),
        cmocka_unit_test(xprof_has_its_own_answer),
        cmocka_unit_test(operations_have_groups),
        cmocka_unit_test(calls_have_groups),
        cmocka_unit_test(copies_of_the_host),
        cmocka_unit_test(fusion_of_itself_ends),
        cmocka_unit_test(a_circle_of_calls_is_told),
        cmocka_unit_test(places_as_text),
        cmocka_unit_test(nothing_is_said_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
