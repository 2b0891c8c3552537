/* Real modules: the golden numbers R1-R5, the what-ifs of features D, and
 * compiled.memory_analysis() of JAX for every module an answer is recorded for. */
#include "mem_test.h"
#include "xprofd/json/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIB (INT64_C(1) << 30)

static struct xspace_hlos hlos;

static bool open_named(struct mem_case *c, const char *name)
{
    for (size_t i = 0; i < hlos.count; i++)
        if (strcmp(hlos.at[i].name, name) == 0) {
            mem_open_bytes(c, hlos.at[i].bytes, hlos.at[i].size);
            return true;
        }
    fail_msg("%s is missing", name);
    return false;
}

static int open_offload(void **state)
{
    (void)state;
    mem_hlos(&hlos, "tpu-v6e-offload");
    return 0;
}

static int close_offload(void **state)
{
    (void)state;
    xspace_hlos_free(&hlos);
    return 0;
}

static const char R2[] = "jit_f(12190760917235803885)";

static void test_r2_xprof(void **state)
{
    struct mem_case c;
    (void)state;
    if (hlos.count == 0)
        skip();
    assert_int_equal(hlos.count, 4);
    open_named(&c, R2);
    struct xpd_xprof_memory x = mem_xprof(&c, 0, XPD_XPROF_SMALL_BYTES);
    assert_int_equal(x.trace, 1);
    assert_string_equal(mem_text(x.heap_bytes, x.point_count, x.indefinite_bytes),
                        "32 5368709152 10737418272 16106127392 21474836512 16106127392 21474836512 "
                        "16106127392 21474836512 16106127392 10737418272 5368709152 32");
    assert_memory_equal(x.heap_bytes, x.unpadded_heap_bytes, 13 * sizeof(int64_t));
    assert_int_equal(x.peak_position, 3);
    assert_int_equal(x.peak_bytes + x.indefinite_bytes, 21474836512);
    assert_int_equal(x.total_bytes, 21474934816);
    assert_int_equal(x.indefinite_total_bytes, 32);
    assert_int_equal(x.parameter_bytes, 0);
    assert_int_equal(x.non_reusable_bytes, 21474934816);
    assert_string_equal(mem_spans(&c, &x), "14[0,4] 16[3,9] 22[1,6] 24[5,10] 30[2,8] 32[7,11]");
    assert_string_equal(mem_bars(&c, &x), "copy-start copy-start.2 copy-start.4 "
                                          "broadcast_add_fusion.2 small(32)");
    static const int64_t place[][2] = {{14, 16106225664}, {16, 98304},      {22, 10737516544},
                                       {24, 16106225664}, {30, 5368807424}, {32, 10737516544}};
    assert_int_equal(x.block_count, 7);
    assert_int_equal(x.block[0].size_bytes, 21474934784);
    assert_int_equal(x.block[0].end_step, 12);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(c.hlo->buffers.id[x.block[i + 1].buffer], place[i][0]);
        assert_int_equal(x.block[i + 1].offset_bytes, place[i][1]);
    }
    mem_close(&c);
}

static void test_r2_ours(void **state)
{
    static const int gib[] = {5, 10, 15, 20, 15, 20, 15, 20, 15, 10, 5, 0};
    static const struct {
        int64_t buffer;
        int gib;
    } saves[] = {{14, 0}, {22, 0}, {30, 5}, {16, 5}, {24, 0}, {32, 0}};
    struct mem_case c;
    (void)state;
    if (hlos.count == 0)
        skip();
    open_named(&c, R2);
    const struct xpd_mem_space *space = mem_space(&c, 0);
    assert_int_equal(space->step_count, 12);
    for (uint32_t i = 0; i < 12; i++)
        assert_int_equal(space->live_bytes[i], gib[i] * GIB);
    assert_int_equal(space->peak_step, 3);
    assert_int_equal(space->totals.temp - space->peak_live_bytes, 98304);
    assert_int_equal(space->index != NULL, 1);
    uint32_t untraced = 0;
    for (uint32_t i = 0; i < space->tenancy_count; i++)
        untraced += (space->tenancy[i].flags & XPD_TENANCY_UNTRACED) != 0;
    assert_int_equal(untraced, 6);
    assert_int_equal(space->totals.untraced, 6 * 32);
    assert_int_equal(xpd_mem_fragmentation(space), 98304); /* the 6 without events counted in */
    assert_int_equal(xpd_mem_peak_temp(space), space->peak_live_bytes);
    for (size_t i = 0; i < sizeof saves / sizeof *saves; i++) {
        uint32_t buffer = mem_buffer(&c, saves[i].buffer);
        assert_int_equal(xpd_saving(c.mem, space, &buffer, 1, NULL, NULL, &c.arena),
                         saves[i].gib * GIB);
    }
    uint32_t set[3] = {mem_buffer(&c, 14), mem_buffer(&c, 22), mem_buffer(&c, 30)};
    assert_int_equal(xpd_saving(c.mem, space, set, 3, NULL, NULL, &c.arena), 5 * GIB);
    /* the first FREE names copy-start, which defined the buffer; the fusion is what runs */
    uint32_t running = xpd_mem_running(c.mem, space, 4);
    assert_true(xpd_str_eq(xpd_hlo_text(c.hlo, c.hlo->instructions.name[running]),
                           XPD_STR("broadcast_add_fusion.2")));
    /* copy-start waits for its done and the fusion behind it */
    uint32_t user[8], users = xpd_users_of(c.mem, mem_buffer(&c, 14), user, 8);
    assert_true(users >= 1);
    mem_close(&c);
}

static void test_r3_to_r5(void **state)
{
    struct mem_case c;
    (void)state;
    if (hlos.count == 0)
        skip();
    open_named(&c, R2);
    struct xpd_xprof_memory x = mem_xprof(&c, 2, XPD_XPROF_SMALL_BYTES);
    assert_string_equal(mem_text(x.heap_bytes, x.point_count, 0), "0 4 8 12 8 12 8 12 8 12 8 4 0");
    assert_string_equal(mem_bars(&c, &x), "small(12)");
    x = mem_xprof(&c, 5, XPD_XPROF_SMALL_BYTES);
    assert_int_equal(x.trace, XPD_NO_INDEX);
    assert_int_equal(x.indefinite_bytes, 16106127360);
    assert_int_equal(x.total_bytes, 16106127360);
    assert_int_equal(x.parameter_bytes, 16106127360);
    assert_int_equal(x.live_out_bytes, 16106127360);
    assert_int_equal(x.bar_count, 0);
    assert_int_equal(mem_space(&c, 5)->totals.alias, 16106127360);
    assert_int_equal(mem_xprof(&c, 1, 0).total_bytes, 0);
    mem_close(&c);

    open_named(&c, "jit__psum(9646411105960254074)");
    x = mem_xprof(&c, 0, XPD_XPROF_SMALL_BYTES);
    assert_int_equal(x.peak_bytes + x.indefinite_bytes, 10737418240);
    assert_string_equal(mem_bars(&c, &x), "all-reduce param");
    assert_int_equal(x.bar[0].size_bytes, 5368709120);
    assert_int_equal(x.non_reusable_bytes, 1536);
    x = mem_xprof(&c, 1, XPD_XPROF_SMALL_BYTES);
    assert_int_equal(x.scoped_bytes, 32489472);
    assert_true(xpd_str_eq(xpd_hlo_text(c.hlo, c.hlo->instructions.name[x.scoped_instruction]),
                           XPD_STR("all-reduce")));
    assert_int_equal(mem_space(&c, 1)->scoped_bytes, 32489472);
    mem_close(&c);

    open_named(&c, "jit_broadcast_in_dim(11287434908481120160)");
    x = mem_xprof(&c, 0, XPD_XPROF_SMALL_BYTES);
    assert_int_equal(x.peak_bytes + x.indefinite_bytes, 5368709632);
    assert_string_equal(mem_bars(&c, &x), "broadcast.2 small(512)");
    x = mem_xprof(&c, 6, XPD_XPROF_SMALL_BYTES);
    assert_string_equal(mem_text(x.heap_bytes, x.point_count, 0), "0 512 0");
    assert_string_equal(mem_text(x.unpadded_heap_bytes, x.point_count, 0), "0 4 0");
    mem_close(&c);
}

static int64_t answer(const struct xpd_json *object, const char *key)
{
    int64_t value = -1;
    char full[60];
    snprintf(full, sizeof full, "%s_in_bytes", key);
    assert_true(xpd_json_to_i64(xpd_json_member(object, full), &value));
    return value;
}

static bool same_analysis(const struct xpd_mem *mem, const char *platform,
                          const struct xpd_json *want)
{
    struct xpd_jax_analysis a;
    xpd_mem_jax_analysis(mem, platform, &a);
    return a.argument == answer(want, "argument_size") && a.output == answer(want, "output_size") &&
           a.alias == answer(want, "alias_size") && a.temp == answer(want, "temp_size") &&
           a.peak == answer(want, "peak_memory") &&
           a.host_argument == answer(want, "host_argument_size") &&
           a.host_output == answer(want, "host_output_size") &&
           a.host_alias == answer(want, "host_alias_size") &&
           a.host_temp == answer(want, "host_temp_size");
}

/* The k-th module of a name is "NAME#k" in the file, in order of the program ids. */
static const struct xpd_json *wanted(const struct xpd_json *doc, bool tpu,
                                     const struct xspace_hlos *set, size_t at)
{
    char name[220], key[260];
    size_t same = 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(set->at[at].name, "("), set->at[at].name);
    if (tpu) /* SparseCore helper modules are part of the one answer */
        return strcmp(name, "extracted") == 0 ? NULL : xpd_json_member(doc, "memory_analysis");
    for (size_t i = 0; i <= at; i++)
        same += strncmp(set->at[i].name, name, strlen(name)) == 0 &&
                set->at[i].name[strlen(name)] == '(';
    snprintf(key, sizeof key, same > 1 ? "%s#%zu" : "%s", name, same);
    return xpd_json_member(doc, key);
}

static void test_jax_analysis(void **state)
{
    static const char *const sets[] = {"fft_conv_rng",
                                       "inference_loop",
                                       "many_modules",
                                       "mlp_train",
                                       "oom_demo",
                                       "scan_while",
                                       "sharded8",
                                       "transformer_train",
                                       "tpu_big_transformer",
                                       "tpu_collectives",
                                       "tpu_convnet",
                                       "tpu_decode_kvcache",
                                       "tpu_host_offload",
                                       "tpu_padded_demo",
                                       "tpu_pallas_matmul",
                                       "tpu_scan_layers",
                                       "tpu_sharded_lm",
                                       "tpu_transformer_nodonate",
                                       "tpu_transformer_noremat",
                                       "tpu_transformer_remat",
                                       "tpu_transformer_v6e"};
    size_t equal = 0, all = 0;
    (void)state;
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        struct xspace_hlos set;
        char path[1400];
        size_t size;
        bool tpu = strncmp(sets[s], "tpu_", 4) == 0;
        if (!mem_hlos(&set, sets[s]))
            skip();
        snprintf(path, sizeof path, "%s/data/%s/xla/%s", shared_dir(), sets[s],
                 tpu ? "aot.json" : "memory_analysis.json");
        char *text = shared_read(path, &size);
        assert_non_null(text);
        struct xpd_json *doc = xpd_json_parse((struct xpd_str){text, size});
        assert_non_null(doc);
        for (size_t i = 0; i < set.count; i++) {
            const struct xpd_json *want = wanted(doc, tpu, &set, i);
            struct mem_case c;
            if (!want)
                continue;
            mem_open_bytes(&c, set.at[i].bytes, set.at[i].size);
            bool same = same_analysis(c.mem, tpu ? "tpu" : "cpu", want);
            if (!same)
                print_message("%s %s differs\n", sets[s], set.at[i].name);
            equal += same;
            all++;
            mem_close(&c);
        }
        xpd_json_free(doc);
        free(text);
        xspace_hlos_free(&set);
    }
    print_message("memory_analysis(): %zu of %zu modules equal\n", equal, all);
    assert_true(all >= 70);
    assert_int_equal(equal, all);
}

/* Slices of a sliced prefetch overlap: the union never exceeds the heap, XProf's sum does. */
static void test_union(void **state)
{
    struct xspace_hlos set;
    struct mem_case c;
    (void)state;
    if (!mem_hlos(&set, "tpu_sharded_lm"))
        skip();
    for (size_t i = 0; i < set.count; i++) {
        mem_open_bytes(&c, set.at[i].bytes, set.at[i].size);
        const struct xpd_mem_space *space = xpd_mem_space_of(c.mem, 1);
        for (uint32_t k = 0; space && k < space->step_count; k++) {
            assert_true(space->live_bytes[k] <= space->heap_bytes);
            assert_true(space->live_bytes[k] <= space->listed_bytes[k]);
            assert_true(space->unpadded_bytes[k] <= space->live_bytes[k]);
        }
        mem_close(&c);
    }
    xspace_hlos_free(&set);
}

/* At every step the live set adds up to the curve. */
static void test_every_step_adds_up(void **state)
{
    static const char *const sets[] = {"tpu_transformer_remat", "tpu_scan_layers", "scan_while"};
    (void)state;
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        struct xspace_hlos set;
        if (!mem_hlos(&set, sets[s]))
            skip();
        for (size_t i = 0; i < set.count; i++) {
            struct mem_case c;
            mem_open_bytes(&c, set.at[i].bytes, set.at[i].size);
            for (uint32_t p = 0; p < c.mem->space_count; p++) {
                const struct xpd_mem_space *space = &c.mem->space[p];
                uint32_t *live = malloc((space->tenancy_count + 1) * sizeof *live);
                assert_non_null(live);
                for (uint32_t k = 0; k < space->step_count && !space->live_is_union; k++) {
                    int64_t sum = 0;
                    uint32_t count = xpd_live_at(space, k, live, space->tenancy_count);
                    for (uint32_t t = 0; t < count; t++)
                        if (!(space->tenancy[live[t]].flags & XPD_TENANCY_UNTRACED))
                            sum += space->tenancy[live[t]].size_bytes;
                    assert_int_equal(sum, space->live_bytes[k]);
                }
                free(live);
            }
            mem_close(&c);
        }
        xspace_hlos_free(&set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_r2_xprof), cmocka_unit_test(test_r2_ours),
        cmocka_unit_test(test_r3_to_r5), cmocka_unit_test(test_jax_analysis),
        cmocka_unit_test(test_union),    cmocka_unit_test(test_every_step_adds_up),
    };
    return cmocka_run_group_tests(tests, open_offload, close_offload);
}
