/* The forms of XLA's out-of-memory texts, and what they say about a module. */
#include "mem_test.h"
#include "xprofd/memory/oom_match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB (INT64_C(1) << 20)
#define GIB (INT64_C(1) << 30)

static struct xpd_arena arena;

static struct xpd_oom_text read_text(const char *text)
{
    struct xpd_oom_text out;
    assert_int_equal(xpd_oom_read(&out, xpd_str_of(text), &arena, NULL), XPD_OK);
    uint32_t end = 0;
    for (uint32_t i = 0; i < out.part_count; i++) { /* in order, inside, apart */
        assert_true(out.part[i].offset >= end);
        end = out.part[i].offset + out.part[i].size;
        assert_true(end <= strlen(text));
    }
    return out;
}

static void says(struct xpd_str text, const char *expected)
{
    char copy[400];
    snprintf(copy, sizeof copy, "%.*s", (int)text.size, text.data);
    assert_string_equal(copy, expected);
}

static int64_t hundredths(int64_t n)
{
    return (n * GIB + 50) / 100;
}

static void test_e1000(void **state)
{
    (void)state;
    struct xpd_oom_text o = read_text(
        "RESOURCE_EXHAUSTED: E1000: CompileTimeHbmOom: Ran out of memory on HBM, the total memory "
        "required for HLO temporaries (22.90G) exceeds available HBM (15.75G). HLO module: "
        "jit_padded_step.\nSee https://openxla.org/xla/errors/error_1000 for more details.\n");
    assert_true(o.understood);
    assert_string_equal(o.form, "tpu_hbm_e1000");
    says(o.module, "jit_padded_step");
    says(o.space, "hbm");
    assert_int_equal(o.color, 0);
    assert_int_equal(o.needed_bytes, hundredths(2290));
    assert_int_equal(o.capacity_bytes, hundredths(1575));
    assert_in_range(o.needed_slack_bytes, GIB / 200, GIB / 200 + 1);
    assert_int_equal(o.exceeded_bytes, -1);
    assert_int_equal(o.part_count, 4);
}

static void test_used(void **state)
{
    (void)state;
    struct xpd_oom_text o = read_text(
        "RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space "
        "hbm. Used 49.34G of 32.00G hbm. Exceeded hbm capacity by 17.34G.");
    assert_string_equal(o.form, "tpu_hbm");
    assert_int_equal(o.needed_bytes, hundredths(4934));
    assert_int_equal(o.capacity_bytes, 32 * GIB);
    assert_int_equal(o.exceeded_bytes, hundredths(1734));
    o = read_text("TPU TensorCore Hbm usage: 34.82G, SparseCore Hbm usage 174.10G, exceeding "
                  "available bytes: 95.74G");
    assert_string_equal(o.form, "tpu_tc_sc_hbm");
    assert_int_equal(o.needed_bytes, hundredths(3482) + hundredths(17410));
    assert_int_equal(o.capacity_bytes, hundredths(9574));
    o = read_text("TC Hbm usage: 1.5G, SC Hbm usage 512.0M");
    assert_int_equal(o.needed_bytes, 2 * GIB);
    assert_in_range(o.needed_slack_bytes, (GIB + MIB) / 20, (GIB + MIB) / 20 + 2);
}

static void test_allocation(void **state)
{
    (void)state;
    struct xpd_oom_text o = read_text(
        "XlaRuntimeError: RESOURCE_EXHAUSTED: Allocation (size=107374182400) would exceed memory "
        "(size=17179869184) :: #5 :: [tpu] space=hbm, index=4, shape = "
        "'u8[327680,327680]{1,0:T(8,128)(4,1)}', tag = 'output of xor_convert_fusion@{}'");
    assert_string_equal(o.form, "tpu_allocation");
    assert_int_equal(o.needed_bytes, 107374182400);
    assert_int_equal(o.needed_slack_bytes, 0);
    assert_int_equal(o.capacity_bytes, 17179869184);
    assert_int_equal(o.color, 0);
    assert_int_equal(o.item_count, 1);
    says(o.item[0].shape, "u8[327680,327680]{1,0:T(8,128)(4,1)}");
    says(o.item[0].instruction, "xor_convert_fusion");
    says(o.item[0].tag, "output of xor_convert_fusion@{}");
}

static void test_scoped(void **state)
{
    (void)state;
    struct xpd_oom_text o = read_text(
        "RESOURCE_EXHAUSTED: E1001: Ran out of memory in memory space vmem while allocating on "
        "stack for %ragged_latency = bf16[8]{0} custom-call(%a). Scoped allocation with size "
        "128.00M and limit 64.00M exceeded scoped vmem limit by 64.00M. It should not be "
        "possible.");
    assert_string_equal(o.form, "tpu_scoped_vmem_e1001");
    assert_int_equal(o.needed_bytes, 128 * MIB);
    assert_int_equal(o.capacity_bytes, 64 * MIB);
    assert_int_equal(o.exceeded_bytes, 64 * MIB);
    assert_int_equal(o.color, 1);
    says(o.item[0].instruction, "ragged_latency");
}

static void test_gpu(void **state)
{
    (void)state;
    struct xpd_oom_text o = read_text("jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: "
                                      "Out of memory while trying to allocate 214748364800 bytes.");
    assert_string_equal(o.form, "gpu");
    assert_int_equal(o.needed_bytes, 214748364800);
    assert_int_equal(o.item[0].size_bytes, 214748364800);
    o = read_text("Failed to allocate request for 256.00MiB (268435456B) on device ordinal 0");
    assert_int_equal(o.needed_bytes, 268435456);
    assert_int_equal(o.needed_slack_bytes, 0);
    o = read_text("Out of memory while trying to allocate 12.50GiB.");
    assert_int_equal(o.needed_bytes, hundredths(1250));
    o = read_text("Error loading program 'jit_step': Attempting to reserve 29.49G at the bottom of "
                  "memory. That was not possible. There are 147.64M free, 0B reserved, and "
                  "147.64M reservable.");
    assert_string_equal(o.form, "tpu_runtime");
    says(o.module, "jit_step");
    assert_int_equal(o.needed_bytes, hundredths(2949));
}

static void test_unknown(void **state)
{
    static const char *const texts[] = {"",
                                        "hello",
                                        "RESOURCE_EXHAUSTED: ",
                                        "Used of hbm",
                                        "Used 5",
                                        "Used 5 of ",
                                        "Hbm usage: 5G",
                                        "Allocation (size=",
                                        "1. Size: 3.0M\n",
                                        "Attempting to reserve a seat",
                                        "Used 99999999999999999999999G of 1G hbm"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct xpd_oom_text o = read_text(texts[i]);
        assert_false(o.understood);
        assert_int_equal(o.item_count + o.part_count, 0);
        assert_int_equal(o.needed_bytes, -1);
    }
    char *big = malloc(3 << 20);
    memset(big, 'x', 3 << 20);
    memcpy(big, "Used 9.0G of 8.0G hbm. ", 23);
    struct xpd_oom_text o;
    assert_int_equal(xpd_oom_read(&o, (struct xpd_str){big, 3 << 20}, &arena, NULL), XPD_OK);
    assert_true(o.understood);
    /* every cut of a good text is read without harm */
    const char *text = "Used 9.00G of 8.00G hbm. Exceeded hbm capacity by 1.00G.\n  1. Size: "
                       "128.00M\n Operator: op_name=\"a/b\"\n Shape: u8[4]{0}\n XLA label: f = g";
    for (size_t n = 0; n <= strlen(text); n++) {
        memcpy(big, text, n);
        assert_int_equal(xpd_oom_read(&o, (struct xpd_str){big, n}, &arena, NULL), XPD_OK);
    }
    assert_int_equal(o.item_count, 1);
    free(big);
}

static void test_real(void **state)
{
    char path[1200];
    struct xspace_hlos set;
    struct mem_case c;
    uint32_t found[4], why;
    (void)state;
    if (!mem_hlos(&set, "tpu_vmem_oom"))
        skip();
    snprintf(path, sizeof path, "%s/data/tpu_vmem_oom/xla/error.txt", shared_dir());
    char *text = shared_read(path, NULL);
    assert_non_null(text);
    struct xpd_oom_text o = read_text(text);
    assert_string_equal(o.form, "tpu_vmem");
    assert_int_equal(o.color, 1);
    assert_int_equal(o.needed_bytes, 256 * MIB);
    assert_int_equal(o.capacity_bytes, 128 * MIB);
    assert_int_equal(o.exceeded_bytes, 128 * MIB);
    assert_int_equal(o.item_count, 2);
    assert_int_equal(o.item[1].size_bytes, 128 * MIB);
    assert_int_equal(o.item[1].unpadded_bytes, 128 * MIB);
    says(o.item[0].shape, "u8[134217728]{0}");
    says(o.item[0].op_name, "jit(too_big)/pallas_call");
    says(o.item[0].instruction, "too_big.1");
    assert_true(xpd_str_starts(o.item[1].tag, "output window allocation"));
    mem_open_bytes(&c, set.at[0].bytes, set.at[0].size);
    assert_true(xpd_oom_item_buffers(c.mem, &o.item[0], -1, found, 4, &why) >= 1);
    assert_true((why & XPD_OOM_INSTRUCTION) && (why & XPD_OOM_OP_NAME));
    mem_close(&c);
    xspace_hlos_free(&set);
    free(text);
}

static struct xpd_oom_item item_of(int64_t size, const char *shape, const char *instruction)
{
    return (struct xpd_oom_item){.size_bytes = size,
                                 .unpadded_bytes = -1,
                                 .shape = xpd_str_of(shape),
                                 .op_name = XPD_STR(""),
                                 .instruction = xpd_str_of(instruction),
                                 .tag = XPD_STR("")};
}

static void test_match(void **state)
{
    struct mem_case c;
    uint32_t found[4], why;
    (void)state;
    mem_open_vector(&c, "V1"); /* 100K as u8[81920], 50K as u8[51200], 70K as u8[61440] */
    struct xpd_oom_item item = item_of(51200, "", "");
    assert_int_equal(xpd_oom_item_buffers(c.mem, &item, 0, found, 4, &why), 1);
    assert_int_equal(found[0], mem_buffer(&c, 2));
    assert_int_equal(why, XPD_OOM_SIZE);
    assert_int_equal(xpd_oom_item_buffers(c.mem, &item, 1, found, 4, &why), 0);
    item = item_of(51201, "", "");
    assert_int_equal(xpd_oom_item_buffers(c.mem, &item, 0, found, 4, &why), 0);
    assert_int_equal(why, 0);
    item.size_slack_bytes = 1;
    assert_int_equal(xpd_oom_item_buffers(c.mem, &item, 0, found, 4, NULL), 1);
    item = item_of(51200, "u8[61440]{0}", "");
    assert_int_equal(xpd_oom_item_buffers(c.mem, &item, 0, found, 4, &why), 1);
    assert_int_equal(found[0], mem_buffer(&c, 3));
    assert_int_equal(why, XPD_OOM_SHAPE);
    item = item_of(51200, "u8[61440]{0}", "op.1");
    assert_int_equal(xpd_oom_item_buffers(c.mem, &item, 0, found, 4, &why), 1);
    assert_int_equal(found[0], mem_buffer(&c, 1));
    item = item_of(51200, "u8[7,7]", "nobody"); /* size alone is not enough when more is said */
    assert_int_equal(xpd_oom_item_buffers(c.mem, &item, 0, found, 4, &why), 0);
    item = item_of(-1, "u8[", "");
    assert_int_equal(xpd_oom_item_buffers(c.mem, &item, 0, found, 4, &why), 0);
    mem_close(&c);
}

static int end(void **state)
{
    (void)state;
    xpd_arena_fini(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_e1000),      cmocka_unit_test(test_used),
        cmocka_unit_test(test_allocation), cmocka_unit_test(test_scoped),
        cmocka_unit_test(test_gpu),        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_real),       cmocka_unit_test(test_match),
    };
    return cmocka_run_group_tests(tests, NULL, end);
}
