/* What the profile tells about the device: platform, number, capacity. */
#include "profile_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define VERSIONS_SAID "jax 0.10.2, jaxlib 0.10.1, tpu libtpu 0.0.17 Built on Nov 3"
#define GIB           ((int64_t)1 << 30)

static void write_device(struct pbw *w, const char *name, const char *type, uint64_t memory_size)
{
    size_t plane = pbw_begin(w, 1);
    pbw_str(w, 2, name);
    pt_metadata(w, 5, 1, "device_type_string");
    pt_metadata(w, 5, 2, "memory_size");
    if (type) {
        size_t stat = pbw_begin(w, 6);
        pbw_uint(w, 1, 1);
        pbw_str(w, 5, type);
        pbw_end(w, stat);
    }
    if (memory_size)
        pt_stat_uint(w, 6, 2, memory_size);
    pbw_end(w, plane);
}

enum { ALLOCATION = 4, RESERVED = 21, ALLOCATED = 22, AVAILABLE = 23 };

static void write_host(struct pbw *w, bool with_available)
{
    size_t plane = pbw_begin(w, 1);
    pbw_str(w, 2, "/host:CPU");
    size_t line = pt_line(w, 1, "main");
    for (int i = 0; i < 50; i++)
        pt_event(w, 3, 1, 1);
    size_t event = pbw_begin(w, 4);
    pbw_uint(w, 1, ALLOCATION);
    pt_stat_uint(w, 4, RESERVED, 1000);
    pt_stat_uint(w, 4, ALLOCATED, 200);
    if (with_available)
        pt_stat_uint(w, 4, AVAILABLE, 30);
    pbw_end(w, event);
    pbw_end(w, line);
    pt_metadata(w, 4, 3, "python");
    pt_metadata(w, 4, ALLOCATION, "MemoryAllocation");
    pt_metadata(w, 5, RESERVED, "bytes_reserved");
    pt_metadata(w, 5, ALLOCATED, "bytes_allocated");
    pt_metadata(w, 5, AVAILABLE, "bytes_available");
    pbw_end(w, plane);
}

struct facts {
    const char *platform, *from;
    uint32_t devices;
    int64_t capacity;
    bool memory_events;
};

static void check(struct pbw *w, struct facts want)
{
    struct pt_loaded got = pt_load(w->data, w->len);
    assert_non_null(got.space);
    assert_string_equal(got.space->platform, want.platform);
    assert_int_equal(got.space->device_count, want.devices);
    assert_int_equal(got.space->capacity_bytes, want.capacity);
    assert_string_equal(got.space->capacity_from, want.from);
    assert_int_equal(got.space->has_memory_events, want.memory_events);
    pt_free(&got);
    pbw_free(w);
}

/* As JAX writes them: which platform's compiler it was stands in the name. */
static void test_versions(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value;
    } stat[] = {{"jax_version", "0.10.2"},
                {"jaxlib_version", "0.10.1"},
                {"tpu_version", "libtpu 0.0.17\nBuilt on Nov 3"},
                {"cpu_version", "cpu"},
                {"_version", "9"},
                {"version", "9"},
                {"process_name", "python"}};
    struct pbw w = {0};
    size_t plane = pbw_begin(&w, 1);
    pbw_str(&w, 2, "/host:metadata");
    for (size_t i = 0; i < sizeof stat / sizeof *stat; i++) {
        pt_metadata(&w, 5, i + 1, stat[i].name);
        size_t at = pbw_begin(&w, 6);
        pbw_uint(&w, 1, i + 1);
        pbw_str(&w, 5, stat[i].value);
        pbw_end(&w, at);
    }
    pbw_end(&w, plane);
    struct pt_loaded got = pt_load(w.data, w.len);
    assert_non_null(got.space);
    assert_true(pt_is(got.space, got.space->versions, VERSIONS_SAID));
    pt_free(&got);
    pbw_free(&w);
}

static void test_tpu_table(void **state)
{
    (void)state;
    struct pbw w = {0};
    write_device(&w, "/device:TPU:0", "TPU v6 Lite", 0);
    write_device(&w, "/device:TPU:1", "TPU v6 Lite", 0);
    write_device(&w, "/device:TPU:0 SparseCore 0", NULL, 0);
    write_device(&w, "/device:CUSTOM:x", NULL, 0);
    check(&w, (struct facts){"tpu", "nominal for TPU v6e", 2, 32 * GIB, false});
    write_device(&w, "/device:TPU:0", "TPU v5 lite", 0);
    check(&w, (struct facts){"tpu", "nominal for TPU v5e", 1, 16 * GIB, false});
    write_device(&w, "/device:TPU:0", "TPU v5", 0);
    check(&w, (struct facts){"tpu", "nominal for TPU v5p", 1, 95 * GIB, false});
    write_device(&w, "/device:TPU:0", "TPU v17", 0);
    check(&w, (struct facts){"tpu", "", 1, -1, false});
    write_device(&w, "/device:TPU:0", NULL, 0);
    check(&w, (struct facts){"tpu", "", 1, -1, false});
}

static void test_events_before_table(void **state)
{
    (void)state;
    struct pbw w = {0};
    write_device(&w, "/device:TPU:0", "TPU v6 Lite", 0);
    write_host(&w, true);
    check(&w, (struct facts){"tpu", "memory allocation events", 1, 1230, true});
    /* an allocator that does not say how much is free tells no capacity */
    write_device(&w, "/device:TPU:0", "TPU v4", 0);
    write_host(&w, false);
    check(&w, (struct facts){"tpu", "nominal for TPU v4", 1, 32 * GIB, true});
}

static void test_gpu_stat(void **state)
{
    (void)state;
    struct pbw w = {0};
    write_device(&w, "/device:GPU:0", NULL, 85899345920);
    write_device(&w, "/device:GPU:1", NULL, 85899345920);
    write_host(&w, true);
    check(&w, (struct facts){"gpu", "memory_size of the GPU", 2, 85899345920, true});
}

static void test_platform_of_programs(void **state)
{
    (void)state;
    for (int tiled = 0; tiled < 2; tiled++)
        for (int host = 0; host < 2; host++) {
            struct pbw w = {0}, hlo = {0};
            pt_hlo(&hlo, "jit_f", 1, tiled != 0);
            size_t plane = pbw_begin(&w, 1);
            pbw_str(&w, 2, "/host:metadata");
            size_t entry = pbw_begin(&w, 4);
            pbw_uint(&w, 1, 1);
            size_t value = pbw_begin(&w, 2);
            pbw_str(&w, 2, "jit_f(1)");
            pt_stat_bytes(&w, 5, 5, hlo.data, hlo.len);
            pbw_end(&w, value);
            pbw_end(&w, entry);
            pt_metadata(&w, 5, 5, "Hlo Proto");
            pbw_end(&w, plane);
            if (host) {
                plane = pbw_begin(&w, 1);
                pbw_str(&w, 2, "/host:CPU");
                pbw_end(&w, plane);
            }
            check(&w, (struct facts){tiled ? "tpu" : host ? "cpu" : "", "", 0, -1, false});
            pbw_free(&hlo);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tpu_table),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_events_before_table),
        cmocka_unit_test(test_gpu_stat),
        cmocka_unit_test(test_platform_of_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
