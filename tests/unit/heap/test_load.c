/* Reading pprof files: what JAX, Go and others write, and files that are damaged on purpose. */
#include "heap_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int64_t total(const struct xpd_pprof *heap, uint32_t type)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < heap->sample_count; i++)
        sum += xpd_heap_value(heap, i, type);
    return sum;
}

/* The figures of the file as pprof itself adds them up (go tool pprof -raw). */
static void test_jax(void **state)
{
    struct xpd_arena arena = {0};
    struct xpd_pprof heap;
    (void)state;
    assert_int_equal(hb_load_step(&heap, &arena, 80), XPD_OK);
    assert_true(heap.is_jax && !heap.cut);
    assert_int_equal(heap.type_count, 2);
    assert_int_equal(heap.default_type, 1);
    assert_int_equal(heap.type[1].kind, XPD_HEAP_BYTES);
    assert_int_equal(heap.type[1].count_of, 0);
    assert_int_equal(heap.samples_read, 176);
    assert_int_equal(total(&heap, 1), 739943696);
    assert_int_equal(total(&heap, 0), 2475);
    assert_int_equal(heap.warnings.count, 0);
    for (uint32_t i = 0; i < heap.sample_count; i++) /* JAX: a sample is of one size */
        assert_true(heap.sample_size[i] >= 0);
    xpd_arena_fini(&arena);
}

static void test_go(void **state)
{
    struct xpd_arena arena = {0};
    struct xpd_pprof heap, cpu;
    struct xpd_err err = {0};
    uint32_t type;
    (void)state;
    assert_int_equal(hb_load_file(&heap, &arena, "pprof/heap.2.prof"), XPD_OK);
    assert_int_equal(heap.type_count, 4);
    assert_int_equal(heap.default_type, 3);
    assert_true(xpd_str_eq(heap.type[3].name, XPD_STR("inuse_space")));
    assert_int_equal(heap.type[3].count_of, 2);
    assert_int_equal(heap.type[1].count_of, 0);
    assert_false(heap.is_jax);
    assert_true(heap.mapping_count > 0 && heap.mapping[0].build_id.size > 0);
    assert_int_equal(xpd_heap_find_type(&heap, XPD_STR("alloc_space"), &type, &err), XPD_OK);
    assert_int_equal(type, 1);
    assert_int_equal(xpd_heap_find_type(&heap, XPD_STR("cpu"), &type, &err), XPD_ENOTFOUND);
    assert_non_null(strstr(err.text, "inuse_space"));
    assert_int_equal(hb_load_file(&cpu, &arena, "pprof/cpu.prof"), XPD_OK);
    assert_int_equal(cpu.type[cpu.default_type].kind, XPD_HEAP_NANOSECONDS);
    assert_true(cpu.duration_ns > 0 && cpu.period == 10000000);
    xpd_arena_fini(&arena);
}

/* Equal samples are one, whatever ids their locations have; other sizes are not. */
static void test_equal_samples(void **state)
{
    struct xpd_arena arena = {0};
    struct xpd_pprof heap;
    struct hb b;
    struct xpd_err err = {0};
    (void)state;
    hb_begin_jax(&b);
    hb_frame(&b, 1, "step", "/home/me/train.py", 41);
    hb_frame(&b, 2, "step", "/home/me/train.py", 41);
    hb_sample(&b, (uint64_t[]){1, 0}, "buffer", "tpu:0", 2, 2048);
    hb_sample(&b, (uint64_t[]){2, 0}, "buffer", "tpu:0", 3, 3072);
    hb_sample(&b, (uint64_t[]){1, 0}, "buffer", "tpu:0", 1, 4096);
    hb_sample(&b, (uint64_t[]){1, 0}, "buffer", "tpu:1", 2, 2048);
    hb_end(&b);
    assert_int_equal(hb_load(&heap, &arena, &b, &err), XPD_OK);
    assert_int_equal(heap.stack_count, 1);
    assert_int_equal(heap.frame_count, 1);
    assert_int_equal(heap.sample_count, 3);
    assert_int_equal(heap.samples_read, 4);
    assert_int_equal(xpd_heap_value(&heap, 0, 1), 5120);
    assert_int_equal(heap.sample_size[0], 1024);
    assert_int_equal(heap.sample_size[1], 4096);
    assert_int_equal(total(&heap, 1), 2048 + 3072 + 4096 + 2048);
    hb_free(&b);
    xpd_arena_fini(&arena);
}

/* Units of other writers come in the unit of their kind. */
static void test_units(void **state)
{
    static const char *const type[3][2] = {
        {"objects", "count"}, {"space", "kilobytes"}, {"wall", "milliseconds"}};
    struct xpd_arena arena = {0};
    struct xpd_pprof heap;
    struct hb b;
    struct xpd_err err = {0};
    (void)state;
    hb_begin(&b, type, 3);
    size_t mark = pbw_begin(&b.out, 2);
    pbw_ints(&b.out, 2, (int64_t[]){1, 3, 5}, 3, false); /* not packed */
    pbw_end(&b.out, mark);
    hb_end(&b);
    assert_int_equal(hb_load(&heap, &arena, &b, &err), XPD_OK);
    assert_int_equal(xpd_heap_value(&heap, 0, 1), 3072);
    assert_int_equal(xpd_heap_value(&heap, 0, 2), 5000000);
    assert_int_equal(heap.type[2].kind, XPD_HEAP_NANOSECONDS);
    assert_int_equal(heap.stack[heap.sample_stack[0]].count, 0);
    hb_free(&b);
    xpd_arena_fini(&arena);
}

/* Code without symbols is a place in its file, the same wherever that file was mapped. */
static void test_addresses(void **state)
{
    struct xpd_arena arena = {0};
    struct xpd_pprof heap;
    struct hb b;
    struct xpd_err err = {0};
    (void)state;
    hb_begin_jax(&b);
    size_t mark = pbw_begin(&b.out, 3);
    pbw_uint(&b.out, 1, 1);
    pbw_uint(&b.out, 2, 0x400000);
    pbw_uint(&b.out, 3, 0x500000);
    pbw_uint(&b.out, 4, 0x1000);
    pbw_int(&b.out, 5, hb_text(&b, "/usr/bin/server"));
    pbw_end(&b.out, mark);
    for (uint64_t id = 1; id <= 2; id++) {
        mark = pbw_begin(&b.out, 4);
        pbw_uint(&b.out, 1, id);
        pbw_uint(&b.out, 2, id == 1 ? 1 : 0);
        pbw_uint(&b.out, 3, 0x400abc);
        pbw_end(&b.out, mark);
    }
    hb_sample(&b, (uint64_t[]){1, 2, 0}, NULL, NULL, 1, 10);
    hb_end(&b);
    assert_int_equal(hb_load(&heap, &arena, &b, &err), XPD_OK);
    assert_int_equal(heap.frame_count, 2);
    assert_true(xpd_str_eq(heap.frame[0].function, XPD_STR("server+0x1abc")));
    assert_true(xpd_str_eq(heap.frame[1].function, XPD_STR("0x400abc")));
    assert_false(heap.frame[0].has_line);
    assert_true(xpd_heap_is_library(&heap.frame[0]));
    hb_free(&b);
    xpd_arena_fini(&arena);
}

/* ---- damage ---- */

static void test_missing(void **state)
{
    struct xpd_arena arena = {0};
    struct xpd_pprof heap;
    struct hb b;
    struct xpd_err err = {0};
    (void)state;
    hb_begin_jax(&b);
    hb_frame(&b, 1, "step", "/home/me/train.py", 41);
    hb_sample(&b, (uint64_t[]){1, 77, 0}, "buffer", "tpu:0", 1, 100);
    size_t mark = pbw_begin(&b.out, 5);
    pbw_uint(&b.out, 1, 9);
    pbw_int(&b.out, 2, 4000); /* no such text */
    pbw_end(&b.out, mark);
    mark = pbw_begin(&b.out, 4);
    pbw_uint(&b.out, 1, 9);
    size_t line = pbw_begin(&b.out, 4);
    pbw_uint(&b.out, 1, 9);
    pbw_end(&b.out, line);
    line = pbw_begin(&b.out, 4);
    pbw_uint(&b.out, 1, 55); /* no such function */
    pbw_end(&b.out, line);
    pbw_end(&b.out, mark);
    hb_sample(&b, (uint64_t[]){9, 0}, "buffer", "tpu:0", -1, -50);
    hb_end(&b);
    assert_int_equal(hb_load(&heap, &arena, &b, &err), XPD_OK);
    assert_int_equal(hb_warned(&heap, "missing_location"), 1);
    assert_int_equal(hb_warned(&heap, "missing_string"), 1);
    assert_int_equal(hb_warned(&heap, "missing_function"), 1);
    assert_int_equal(hb_warned(&heap, "negative"), 2);
    assert_int_equal(total(&heap, 1), 50);
    for (uint32_t i = 0; i < heap.warnings.count; i++) /* each says where */
        assert_true(heap.warnings.item[i].offset < b.out.len);
    hb_free(&b);
    xpd_arena_fini(&arena);
}

/* One location again and again, in itself nothing wrong: a function that calls itself. */
static void test_recursion(void **state)
{
    struct xpd_arena arena = {0};
    struct xpd_pprof heap;
    struct hb b;
    struct xpd_err err = {0};
    (void)state;
    hb_begin_jax(&b);
    hb_frame(&b, 1, "again", "/home/me/a.py", 1);
    size_t mark = pbw_begin(&b.out, 2);
    int64_t *id = malloc(200000 * sizeof *id);
    assert_non_null(id);
    for (int i = 0; i < 200000; i++)
        id[i] = 1;
    pbw_ints(&b.out, 1, id, 200000, true);
    pbw_ints(&b.out, 2, (int64_t[]){1, 8}, 2, true);
    pbw_end(&b.out, mark);
    hb_end(&b);
    free(id);
    assert_int_equal(hb_load(&heap, &arena, &b, &err), XPD_OK);
    assert_int_equal(hb_warned(&heap, "deep_stack"), 1);
    assert_int_equal(heap.stack[heap.sample_stack[0]].count, 100000);
    hb_free(&b);
    xpd_arena_fini(&arena);
}

/* Each beginning of a file: what is whole is there, and the end is told by its byte. */
static void test_cut(void **state)
{
    struct xpd_arena arena = {0};
    struct xpd_pprof heap;
    struct hb b;
    (void)state;
    hb_begin_jax(&b);
    hb_frame(&b, 1, "step", "/home/me/train.py", 41);
    for (int i = 0; i < 5; i++)
        hb_sample(&b, (uint64_t[]){1, 0}, "buffer", "tpu:0", 1, 100 << i);
    hb_end(&b);
    size_t whole = b.out.len;
    int64_t last = 0;
    for (size_t size = 0; size <= whole; size++) {
        struct xpd_err err = {0};
        b.out.len = size;
        int rc = hb_load(&heap, &arena, &b, &err);
        assert_true(rc == XPD_OK || (rc == XPD_EFORMAT && err.text[0] != '\0'));
        if (rc == XPD_OK && heap.type_count == 2) {
            assert_true(total(&heap, 1) >= last); /* bytes never go away */
            last = total(&heap, 1);
        }
        if (rc == XPD_OK && heap.cut)
            assert_true(hb_warned(&heap, "cut") == 1);
        xpd_arena_fini(&arena);
        arena = (struct xpd_arena){0};
    }
    assert_int_equal(last, 3100);
    hb_free(&b);
}

static void test_limits(void **state)
{
    struct xpd_arena arena = {0};
    struct xpd_pprof heap;
    struct hb b;
    struct xpd_err err = {0};
    (void)state;
    hb_begin_jax(&b);
    for (uint64_t i = 1; i < 4000; i++)
        hb_frame(&b, i, "f", "/home/me/train.py", (int64_t)i);
    hb_sample(&b, (uint64_t[]){1, 0}, "buffer", "tpu:0", INT64_MAX, INT64_MAX);
    hb_sample(&b, (uint64_t[]){1, 0}, "buffer", "tpu:0", INT64_MAX, INT64_MAX);
    hb_end(&b);
    assert_int_equal(hb_load(&heap, &arena, &b, &err), XPD_OK);
    assert_int_equal(hb_warned(&heap, "overflow"), 1);
    assert_int_equal(total(&heap, 1), INT64_MAX);
    xpd_arena_fini(&arena);
    xpd_arena_init(&arena, 20000);
    assert_int_equal(hb_load(&heap, &arena, &b, &err), XPD_ELIMIT);
    assert_non_null(strstr(err.text, "--memory-limit"));
    xpd_arena_fini(&arena);
    hb_free(&b);
}

static void test_library(void **state)
{
    static const struct {
        const char *function, *file;
        bool library;
    } all[] = {
        {"step", "/home/me/train.py", false},
        {"map", "/home/me/env/lib/python3.11/site-packages/jax/_src/tree_util.py", true},
        {"f", "/usr/lib/python3/dist-packages/x.py", true},
        {"run", "/usr/local/lib/python3.12/threading.py", true},
        {"f", "<string>", true},
        {"main.fill", "example.test/leaky/main.go", false},
        {"main.main", "./main.go", false},
        {"runtime.mallocgc", "runtime/malloc.go", true},
        {"runtime.systemstack", "runtime/asm_amd64.s", true},
        {"net/http.(*conn).serve", "/usr/local/go/src/net/http/server.go", true},
        {"x.F", "/home/me/go/pkg/mod/example.test/x@v1/x.go", true},
        {"example.test/own.F", "example.test/own/f.go", false},
        {"serve", "/build/src/server.cc", false},
        {"operator new", "/usr/include/c++/12/new", true},
        {"emit", "node:events", true},
        {"handle", "./node_modules/express/lib/router/layer.js", true},
        {"load", "./index.js", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct xpd_heap_frame frame = {.function = xpd_str_of(all[i].function),
                                       .file = xpd_str_of(all[i].file),
                                       .line = 1,
                                       .has_line = true};
        if (xpd_heap_is_library(&frame) != all[i].library)
            fail_msg("%s", all[i].file);
    }
}

static void test_steps(void **state)
{
    static const struct {
        const char *name;
        int64_t step;
    } all[] = {{"memory.step20.prof", 20},
               {"step_0040.prof", 40},
               {"host1.Step7.prof", 7},
               {"heap.12.prof", 12},
               {"memory.prof", -1},
               {"v2-steps.prof", 2},
               {"99999999999999999999.prof", -1}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int64_t step = -1;
        size_t begin, size;
        bool has = xpd_heap_step_of(xpd_str_of(all[i].name), &step, &begin, &size);
        if (has != (all[i].step >= 0) || (has && step != all[i].step))
            fail_msg("%s: %lld", all[i].name, (long long)step);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jax),           cmocka_unit_test(test_go),
        cmocka_unit_test(test_equal_samples), cmocka_unit_test(test_units),
        cmocka_unit_test(test_addresses),     cmocka_unit_test(test_missing),
        cmocka_unit_test(test_recursion),     cmocka_unit_test(test_cut),
        cmocka_unit_test(test_limits),        cmocka_unit_test(test_library),
        cmocka_unit_test(test_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
