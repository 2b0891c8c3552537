/* What a file is, by its bytes. */
#include "profile_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static enum xpd_file_kind kind_of(const void *bytes, size_t size)
{
    struct xpd_source *source;
    assert_int_equal(xpd_source_open_memory(&source, bytes, size, "x", NULL), XPD_OK);
    enum xpd_file_kind kind = xpd_file_kind_of(source);
    xpd_source_close(source);
    return kind;
}

static enum xpd_file_kind kind_of_text(const char *text)
{
    return kind_of(text, strlen(text));
}

static void test_profiles(void **state)
{
    (void)state;
    struct pbw w = {0};
    pt_sample(&w);
    for (size_t size = 20; size <= w.len; size++)
        assert_int_equal(kind_of(w.data, size), XPD_FILE_XSPACE);
    w.len = 0;
    pt_hlo(&w, "jit_f", 1, true);
    for (size_t size = 12; size <= w.len; size++)
        assert_int_equal(kind_of(w.data, size), XPD_FILE_HLO_PROTO);
    pbw_free(&w);
}

static void test_others(void **state)
{
    (void)state;
    assert_int_equal(kind_of("", 0), XPD_FILE_EMPTY);
    assert_int_equal(kind_of_text("\nHloModule jit_f, is_scheduled=true\n"), XPD_FILE_HLO_TEXT);
    assert_int_equal(kind_of_text("BufferAssignment:\nallocation 0"), XPD_FILE_ASSIGNMENT_TEXT);
    assert_int_equal(kind_of_text("HloModules are text"), XPD_FILE_TEXT);
    assert_int_equal(kind_of_text("module @jit_f attributes {mhlo.num_partitions = 1 : i32} {\n"
                                  "  func.func public @main(%arg0: tensor<4xf32>) {"),
                     XPD_FILE_MLIR);
    assert_int_equal(kind_of_text("#loc = loc(unknown)\nmodule @jit_f {\n  func.func @main() {"),
                     XPD_FILE_MLIR);
    assert_int_equal(kind_of_text("\"builtin.module\"() ({"), XPD_FILE_MLIR);
    assert_int_equal(kind_of_text("# a comment\nmodules of a list"), XPD_FILE_TEXT);
    assert_int_equal(kind_of_text("module x is text"), XPD_FILE_TEXT);
    assert_int_equal(kind_of_text("{\"displayTimeUnit\":\"ns\",\"traceEvents\":["),
                     XPD_FILE_TRACE_JSON);
    assert_int_equal(kind_of_text("[{\"ph\":\"X\"}]"), XPD_FILE_TRACE_JSON);
    assert_int_equal(kind_of_text("{\"a\": 1}"), XPD_FILE_TEXT);
    assert_int_equal(kind_of_text("\n<!DOCTYPE HTML><head>"), XPD_FILE_HTML);
    static const unsigned char riegeli[] = {0x83, 0xAF, 0x70, 0xD1, 0x0D, 0x88, 0x4A, 0x3F, 0, 0};
    assert_int_equal(kind_of(riegeli, sizeof riegeli), XPD_FILE_RIEGELI);
    unsigned char table[64] = {1, 0xFE, 2};
    static const unsigned char magic[8] = {0x57, 0xFB, 0x80, 0x8B, 0x24, 0x75, 0x47, 0xDB};
    memcpy(table + 56, magic, 8);
    assert_int_equal(kind_of(table, sizeof table), XPD_FILE_SSTABLE);
    static const unsigned char pprof[] = {0x0A, 4, 8, 1, 0x10, 2, 0x12, 3, 0x0A, 1, 0x85};
    assert_int_equal(kind_of(pprof, sizeof pprof), XPD_FILE_PPROF);
    /* As Go writes heap profiles: period type and period come first; CPU profiles: the time. */
    static const unsigned char go_heap[] = {0x5A, 4,    8, 1, 0x10, 2,    0x60, 0x80,
                                            0x20, 0x0A, 4, 8, 3,    0x10, 4,    0x85};
    static const unsigned char go_cpu[] = {0x48, 0xA0, 1, 0x0A, 4, 8, 1, 0x10, 2, 0x12, 1, 0x85};
    static const unsigned char go_1_9[] = {0x1A, 4, 8, 1, 0x28, 1, 0x0A, 4, 8, 1, 0x10, 2, 0x85};
    assert_int_equal(kind_of(go_1_9, sizeof go_1_9), XPD_FILE_PPROF);
    static const unsigned char neither[] = {0x5A, 4, 8, 1, 0x10, 2, 0x0A, 3, 'a', 0x85, 'c', 1};
    assert_int_equal(kind_of(go_heap, sizeof go_heap), XPD_FILE_PPROF);
    assert_int_equal(kind_of(go_cpu, sizeof go_cpu), XPD_FILE_PPROF);
    assert_int_equal(kind_of(neither, sizeof neither), XPD_FILE_UNKNOWN);
    /* LogicalBufferProto{id, size, defined_at}; the first id is 0, which is not written. */
    static const unsigned char buffer[] = {0x0A, 8, 0x10, 4, 0x1A, 2, 0x20, 9, 0x20, 0};
    static const unsigned char second[] = {0x0A, 10, 8, 1, 0x10, 4, 0x1A, 2, 0x20, 9, 0x20, 0};
    assert_int_equal(kind_of(buffer, sizeof buffer), XPD_FILE_ASSIGNMENT);
    assert_int_equal(kind_of(second, sizeof second), XPD_FILE_ASSIGNMENT);
    static const unsigned char noise[] = {0xFF, 0xFE, 0, 1, 2, 0x80, 0x90};
    assert_int_equal(kind_of(noise, sizeof noise), XPD_FILE_UNKNOWN);
}

static void test_mangled(void **state)
{
    (void)state;
    static const char mangled[] = "\x0A\xEF\xBF\xBD\xEF\xBF\xBD\x06\x08\x02\x12\x0A/device:T"
                                  "PU:0\x1A\xEF\xBF\xBD\x34\x08\x02";
    assert_int_equal(kind_of(mangled, sizeof mangled - 1), XPD_FILE_UTF8_MANGLED);
    struct pt_loaded got = pt_load(mangled, sizeof mangled - 1);
    assert_null(got.space);
    assert_non_null(strstr(got.err.text, "EF BF BD"));
    pt_free(&got);
}

static void test_advice(void **state)
{
    (void)state;
    for (int kind = XPD_FILE_EMPTY; kind <= XPD_FILE_UNKNOWN; kind++) {
        bool opened = kind == XPD_FILE_XSPACE || kind == XPD_FILE_HLO_PROTO ||
                      kind == XPD_FILE_HLO_MODULE || kind == XPD_FILE_HLO_TEXT;
        const char *advice = xpd_file_kind_advice((enum xpd_file_kind)kind);
        assert_int_equal(advice == NULL, opened);
        if (advice)
            assert_true(strlen(advice) > 20 && advice[strlen(advice) - 1] == '.');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_profiles),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_mangled),
        cmocka_unit_test(test_advice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
