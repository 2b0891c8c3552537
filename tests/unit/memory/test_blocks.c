/* Which buffers are one block: by shape, and by scope with the numbers of layers as one. */
#include "mem_test.h"
#include "xprofd/memory/blocks.h"

#include <stdio.h>
#include <string.h>

static const struct hb_shape small = {.type = HB_F32, .rank = 1, .dims = {1024}};
static const struct hb_shape wide = {.type = HB_F32, .rank = 2, .dims = {32, 32}};

struct made {
    const char *name, *opcode, *op_name;
    const struct hb_shape *shape;
    int64_t operand; /* 0: none */
};

static void open_made(struct mem_case *c, const struct made *made, int64_t n)
{
    struct hb hb;
    hb_init(&hb, "blocks");
    hb_begin_computation(&hb, "main", 1, false);
    for (int64_t i = 0; i < n; i++)
        hb_instruction(&hb, &(struct hb_instr){.name = made[i].name,
                                               .opcode = made[i].opcode,
                                               .id = i + 1,
                                               .shape = made[i].shape,
                                               .op_name = made[i].op_name,
                                               .operands = &made[i].operand,
                                               .n_operands = made[i].operand ? 1 : 0});
    hb_end_computation(&hb, n);
    for (int64_t i = 0; i < n; i++)
        hb_logical(&hb, &(struct hb_logical){.id = i + 1, .size = 4096, .instruction_id = i + 1});
    mem_open_builder(c, &hb);
}

static void test_alike(void **state)
{
    static const struct made made[] = {
        {"a", "add", "jit(f)/jvp(layer_0)/mlp/add", &small, 0},
        {"b", "multiply", "jit(f)/jvp(layer_11)/mlp/mul", &small, 0},
        {"c", "add", "jit(f)/jvp(layer_0)/mlp/add", &wide, 0},
        {"d", "add", "jit(f)/jvp(layer_0)/attention/add", &small, 0},
        {"e", "copy", "", &small, 2},
        {"p", "parameter", "params['blocks'][0]['up']", &wide, 0},
        {"q", "parameter", "params['blocks'][17]['up']", &wide, 0},
        {"r", "parameter", "params['blocks'][17]['down']", &wide, 0},
        {"z", "constant", "", &small, 0},
    };
    static const struct {
        uint32_t block;
        const char *shape, *scope;
    } want[] = {{0, "f32[1024]", "jvp(layer_*)/mlp"},
                {0, "f32[1024]", "jvp(layer_*)/mlp"},
                {1, "f32[32,32]", "jvp(layer_*)/mlp"},
                {2, "f32[1024]", "jvp(layer_*)/attention"},
                {0, "f32[1024]", "jvp(layer_*)/mlp"}, /* a copy is where its operand is */
                {3, "f32[32,32]", "params['blocks'][*]['up']"},
                {3, "f32[32,32]", "params['blocks'][*]['up']"},
                {4, "f32[32,32]", "params['blocks'][*]['down']"},
                {5, "f32[1024]", ""}};
    enum { N = sizeof made / sizeof *made };
    struct xpd_blocks blocks;
    struct mem_case c;
    (void)state;
    open_made(&c, made, N);
    assert_true(xpd_mem_blocks(c.mem, &c.arena, &blocks));
    assert_int_equal(blocks.count, 6);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t block = blocks.of_buffer[mem_buffer(&c, i + 1)];
        assert_int_equal(block, want[i].block);
        assert_true(xpd_str_eq(blocks.shape[block], xpd_str_of(want[i].shape)));
        assert_true(xpd_str_eq(blocks.scope[block], xpd_str_of(want[i].scope)));
    }
    mem_close(&c);
}

static void test_fold(void **state)
{
    static const int64_t pairs[][2] = {{0, 0},
                                       {4095, 0},
                                       {4096, 1},
                                       {8191, 1},
                                       {INT64_C(5460000000), 1 << 20},
                                       {INT64_MAX, INT64_C(1) << 50}};
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct xpd_mem_space space = {.peak_bytes = pairs[i][0]};
        assert_int_equal(xpd_mem_fold_bytes(&space), pairs[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_alike), cmocka_unit_test(test_fold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
