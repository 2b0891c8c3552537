/* Who reads a buffer: through tuples, loops, calls and asynchronous copies; first and last use; the
 * gap over the peak (A5). */
#include "mem_test.h"

#include <stdio.h>
#include <string.h>

enum { ENTRY = 1, BODY = 2, CONDITION = 3 };

static const struct hb_shape f32 = {.type = HB_F32, .rank = 1, .dims = {1024}};
static const struct hb_shape pred = {.type = HB_PRED};
static const struct hb_shape pair_of[2] = {{.type = HB_F32, .rank = 1, .dims = {1024}},
                                           {.type = HB_F32, .rank = 1, .dims = {1024}}};
static const struct hb_shape pair = {.type = HB_TUPLE, .elements = pair_of, .n_elements = 2};

struct op {
    int64_t id;
    const char *name, *opcode;
    const struct hb_shape *shape;
    int64_t operand[4]; /* ends with 0 */
    int64_t called[3];
    int64_t index; /* of a parameter or get-tuple-element */
};

static void put(struct hb *hb, const struct op *op)
{
    int operands = 0, called = 0;
    while (operands < 4 && op->operand[operands])
        operands++;
    while (called < 3 && op->called[called])
        called++;
    hb_instruction(hb, &(struct hb_instr){.name = op->name,
                                          .opcode = op->opcode,
                                          .id = op->id,
                                          .shape = op->shape,
                                          .operands = op->operand,
                                          .n_operands = operands,
                                          .called = op->called,
                                          .n_called = called,
                                          .parameter_number = op->index,
                                          .tuple_index = op->index});
}

static void computation(struct hb *hb, const char *name, int64_t id, const struct op *op, size_t n)
{
    hb_begin_computation(hb, name, id, false);
    for (size_t i = 0; i < n; i++)
        put(hb, &op[i]);
    hb_end_computation(hb, op[n - 1].id);
}

#define COMPUTATION(hb, name, id, ops) computation(hb, name, id, ops, sizeof ops / sizeof *ops)

/* Buffer = id of the instruction; all of 4096 bytes in one temp allocation. */
static void buffers(struct hb *hb, const int64_t *id, int n, const char *events[][2], int n_events)
{
    for (int i = 0; i < n; i++)
        hb_logical(hb, &(struct hb_logical){.id = id[i], .size = 4096, .instruction_id = id[i]});
    hb_alloc_begin(hb, &(struct hb_alloc){.index = 0, .size = 4096 * n});
    for (int i = 0; i < n; i++)
        hb_assign(hb, id[i], 4096 * i, 4096);
    hb_alloc_end(hb);
    hb_trace_begin(hb);
    for (int i = 0; i < n_events; i++) {
        int64_t buffer = 0;
        sscanf(events[i][0] + 1, "%lld", (long long *)&buffer);
        hb_event(hb, events[i][0][0] == 'A' ? HB_ALLOC : HB_FREE, buffer, "main", events[i][1], 0);
    }
    hb_trace_end(hb, true, 0);
}

static void users_are(const struct mem_case *c, int64_t buffer, const char *expected)
{
    uint32_t user[16];
    char text[400] = "";
    uint32_t count = xpd_users_of(c->mem, mem_buffer(c, buffer), user, 16);
    for (uint32_t i = 0; i < count && i < 16; i++) {
        struct xpd_str name = xpd_hlo_text(c->hlo, c->hlo->instructions.name[user[i]]);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.*s", i ? " " : "",
                 (int)name.size, name.data);
    }
    assert_string_equal(text, expected);
}

/* a goes around a loop unchanged and is read in the body and after it; b is replaced in the body.
 */
static void open_loop(struct mem_case *c)
{
    static const struct op body[] = {
        {20, "bp", "parameter", &pair, {0}, {0}, 0},
        {21, "ga", "get-tuple-element", &f32, {20}, {0}, 0},
        {22, "gb", "get-tuple-element", &f32, {20}, {0}, 1},
        {23, "add", "fusion", &f32, {21, 22}, {0}, 0},
        {24, "bt", "tuple", &pair, {21, 23}, {0}, 0},
    };
    static const struct op condition[] = {
        {30, "cp", "parameter", &pair, {0}, {0}, 0},
        {31, "gc", "get-tuple-element", &f32, {30}, {0}, 1},
        {32, "cmp", "compare", &pred, {31, 31}, {0}, 0},
    };
    static const struct op entry[] = {
        {1, "p", "parameter", &f32, {0}, {0}, 0},
        {2, "a", "fusion", &f32, {1}, {0}, 0},
        {3, "b", "broadcast", &f32, {1}, {0}, 0},
        {4, "t", "tuple", &pair, {2, 3}, {0}, 0},
        {5, "w", "while", &pair, {4}, {BODY, CONDITION}, 0},
        {6, "w0", "get-tuple-element", &f32, {5}, {0}, 0},
        {7, "bc", "bitcast", &f32, {6}, {0}, 0},
        {8, "late", "fusion", &f32, {7}, {0}, 0},
        {9, "end", "fusion", &f32, {8}, {0}, 0},
    };
    static const int64_t id[] = {2, 3, 23, 8, 9};
    static const char *events[][2] = {{"A2", "a"},    {"A3", "b"},  {"A23", "add"}, {"F3", "b"},
                                      {"A8", "late"}, {"F2", "a"},  {"A9", "end"},  {"F8", "late"},
                                      {"F23", "add"}, {"F9", "end"}};
    struct hb hb;
    hb_init(&hb, "loop");
    COMPUTATION(&hb, "body", BODY, body);
    COMPUTATION(&hb, "condition", CONDITION, condition);
    COMPUTATION(&hb, "main", ENTRY, entry);
    buffers(&hb, id, 5, events, 10);
    mem_open_builder(c, &hb);
}

static void test_loop(void **state)
{
    struct mem_case c;
    struct xpd_use_span span;
    (void)state;
    open_loop(&c);
    users_are(&c, 2, "add late");
    users_are(&c, 3, "cmp add");  /* the condition runs before the body */
    users_are(&c, 23, "cmp add"); /* comes back as the next turn's element 1 */
    users_are(&c, 9, "");
    const struct xpd_mem_space *space = mem_space(&c, 0);
    assert_int_equal(space->peak_step, 2);
    xpd_uses_of(c.mem, space, mem_buffer(&c, 2), &span);
    assert_int_equal(span.use_count, 2);
    assert_int_equal(span.first_step, 2);
    assert_int_equal(span.last_step, 4);
    assert_int_equal(span.idle_from, XPD_NO_STEP); /* read at the peak itself */
    xpd_uses_of(c.mem, space, 99, &span);
    assert_int_equal(span.use_count, 0);
    mem_close(&c);
}

static void test_gap(void **state)
{
    static const struct op entry[] = {
        {1, "p", "parameter", &f32, {0}, {0}, 0}, {2, "save", "fusion", &f32, {1}, {0}, 0},
        {3, "x", "fusion", &f32, {2}, {0}, 0},    {4, "y", "fusion", &f32, {3}, {0}, 0},
        {5, "z", "fusion", &f32, {3, 4}, {0}, 0}, {6, "back", "fusion", &f32, {2, 5}, {0}, 0},
    };
    static const int64_t id[] = {2, 3, 4, 5, 6};
    static const char *events[][2] = {{"A2", "save"}, {"A3", "x"},   {"A4", "y"},    {"A5", "z"},
                                      {"F3", "x"},    {"F4", "y"},   {"A6", "back"}, {"F2", "save"},
                                      {"F5", "z"},    {"F6", "back"}};
    struct mem_case c;
    struct xpd_use_span span;
    struct hb hb;
    (void)state;
    hb_init(&hb, "gap");
    COMPUTATION(&hb, "main", ENTRY, entry);
    buffers(&hb, id, 5, events, 10);
    mem_open_builder(&c, &hb);
    const struct xpd_mem_space *space = mem_space(&c, 0);
    assert_int_equal(space->peak_step, 3);
    xpd_uses_of(c.mem, space, mem_buffer(&c, 2), &span);
    assert_int_equal(span.idle_from, 1);
    assert_int_equal(span.idle_to, 6);
    users_are(&c, 2, "x back");
    /* a FREE names the definer; what runs is the last ALLOC's instruction */
    uint32_t running = xpd_mem_running(c.mem, space, 4);
    assert_true(xpd_str_eq(xpd_hlo_text(c.hlo, c.hlo->instructions.name[running]), XPD_STR("z")));
    mem_close(&c);
}

/* An asynchronous copy reads its source until the done; its result goes through it. */
static void test_async(void **state)
{
    static const struct hb_shape three_of[3] = {{.type = HB_F32, .rank = 1, .dims = {1024}},
                                                {.type = HB_F32, .rank = 1, .dims = {1024}},
                                                {.type = HB_U32}};
    static const struct hb_shape three = {.type = HB_TUPLE, .elements = three_of, .n_elements = 3};
    static const struct op entry[] = {
        {1, "p", "parameter", &f32, {0}, {0}, 0},     {2, "src", "fusion", &f32, {1}, {0}, 0},
        {3, "cs", "copy-start", &three, {2}, {0}, 0}, {4, "cd", "copy-done", &f32, {3}, {0}, 0},
        {5, "reader", "fusion", &f32, {4}, {0}, 0},   {6, "out", "tuple", &pair, {5, 4}, {0}, 0},
    };
    static const int64_t zero = 0;
    struct mem_case c;
    struct hb hb;
    (void)state;
    hb_init(&hb, "async");
    COMPUTATION(&hb, "main", ENTRY, entry);
    hb_logical(&hb, &(struct hb_logical){.id = 2, .size = 4096, .instruction_id = 2});
    hb_logical(
        &hb,
        &(struct hb_logical){
            .id = 3, .size = 4096, .instruction_id = 3, .shape_index = &zero, .n_shape_index = 1});
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 8192}, "2@0:4096 3@4096:4096");
    hb_trace(&hb, "A2 A3 F2 F3");
    mem_open_builder(&c, &hb);
    users_are(&c, 2, "cs cd");
    users_are(&c, 3, "reader out"); /* returned by the entry computation */
    mem_close(&c);
}

/* Rings of calls and of sharing end. */
static void test_rings(void **state)
{
    static const struct op one[] = {{10, "q", "parameter", &f32, {0}, {0}, 0},
                                    {11, "c1", "call", &f32, {10}, {3}, 0}};
    static const struct op two[] = {{12, "r", "parameter", &f32, {0}, {0}, 0},
                                    {13, "c2", "call", &f32, {12}, {2}, 0}};
    static const struct op entry[] = {{1, "p", "parameter", &f32, {0}, {0}, 0},
                                      {2, "c0", "call", &f32, {1}, {2}, 0}};
    struct mem_case c;
    struct hb hb;
    (void)state;
    hb_init(&hb, "rings");
    COMPUTATION(&hb, "one", 2, one);
    COMPUTATION(&hb, "two", 3, two);
    COMPUTATION(&hb, "main", ENTRY, entry);
    for (int64_t i = 1; i <= 3; i++)
        hb_logical(&hb,
                   &(struct hb_logical){.id = i, .size = 64, .instruction_id = i > 2 ? 99 : i});
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 8192}, "1@0:64 2@0:64 3@0:64");
    hb_trace(&hb, "S1>2 S2>1 S1>1 A1 S2>3 S3>2 F1 F2 F3 S1>3 S3>1 S2>1 F1");
    mem_open_builder(&c, &hb);
    xpd_users_of(c.mem, mem_buffer(&c, 1), NULL, 0);
    mem_xprof(&c, 0, 0);
    mem_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loop), cmocka_unit_test(test_gap),
                                       cmocka_unit_test(test_async), cmocka_unit_test(test_rings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
