/* Where the HloProtos are: ids, names, order, and what is not an HloProto. */
#include "profile_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { HLO = 5, PROGRAM = 6 };

struct program {
    uint64_t id;
    const char *entry, *module; /* name of the entry, of the module inside */
    uint64_t program_id_stat;   /* 0 = none */
};

static void write_program(struct pbw *w, const struct program *program)
{
    struct pbw hlo = {0};
    pt_hlo(&hlo, program->module, 3, false);
    size_t entry = pbw_begin(w, 4);
    pbw_uint(w, 1, program->id);
    size_t value = pbw_begin(w, 2);
    pbw_uint(w, 1, program->id);
    pbw_str(w, 2, program->entry);
    if (program->program_id_stat)
        pt_stat_uint(w, 5, PROGRAM, program->program_id_stat);
    pt_stat_bytes(w, 5, HLO, hlo.data, hlo.len);
    pbw_end(w, value);
    pbw_end(w, entry);
    pbw_free(&hlo);
}

static struct pt_loaded load_programs(struct pbw *w, const struct program *program, size_t count,
                                      const char *hlo_name)
{
    size_t plane = pbw_begin(w, 1);
    pbw_str(w, 2, "/host:metadata");
    for (size_t i = 0; i < count; i++)
        write_program(w, &program[i]);
    pt_metadata(w, 5, PROGRAM, "program_id");
    pt_metadata(w, 5, HLO, hlo_name);
    pbw_end(w, plane);
    return pt_load(w->data, w->len);
}

static void check_ids(const char *hlo_name)
{
    static const struct program program[] = {
        {UINT64_C(12190760917235803885), "jit_f(12190760917235803885)", "jit_f", 0},
        {3, "jit_g(10)", "jit_g", 0},      /* the digits win over the id */
        {4, "jit_h(11)", "jit_h", 12},     /* the stat wins over the digits */
        {5, "no digits", "jit_i", 0},      /* the id */
        {6, "jit_j(10)", "jit_second", 0}, /* program 10 is there already */
        {7, "jit_k()", "jit_k", 0},
        {8, "jit_l(99999999999999999999999)", "jit_l", 0}, /* no 64-bit number */
    };
    struct pbw w = {0};
    struct pt_loaded got = load_programs(&w, program, 7, hlo_name);
    struct xpd_xspace *space = got.space;
    assert_non_null(space);
    assert_int_equal(space->hlo_count, 6);
    static const char *const key[] = {"jit_f(12190760917235803885)",
                                      "jit_g(10)",
                                      "jit_h(12)",
                                      "jit_i(5)",
                                      "jit_k(7)",
                                      "jit_l(8)"};
    for (uint32_t i = 0; i < 6; i++) {
        assert_true(pt_is(space, space->hlo[i].key, key[i]));
        assert_int_equal(w.data[space->hlo[i].bytes.offset], 1 << 3 | 2);
    }
    assert_int_equal(space->hlo[0].program_id, UINT64_C(12190760917235803885));
    pt_free(&got);
    pbw_free(&w);
}

static void test_ids(void **state)
{
    (void)state;
    check_ids("Hlo Proto");
    check_ids("HLO Proto");
}

static void test_other_stats_are_no_hlo(void **state)
{
    (void)state;
    static const struct program program[] = {{1, "jit_f(1)", "jit_f", 0}};
    struct pbw w = {0};
    struct pt_loaded got = load_programs(&w, program, 1, "some bytes");
    assert_int_equal(got.space->hlo_count, 0);
    pt_free(&got);
    pbw_free(&w);
}

static void test_damaged_hlo(void **state)
{
    (void)state;
    struct pbw w = {0};
    size_t plane = pbw_begin(&w, 1);
    pbw_str(&w, 2, "/host:metadata");
    size_t entry = pbw_begin(&w, 4);
    pbw_uint(&w, 1, 8);
    size_t value = pbw_begin(&w, 2);
    pbw_str(&w, 2, "jit_f(8)");
    pt_stat_bytes(&w, 5, HLO, "\xFF\xFF\xFF\xFF", 4);
    pbw_end(&w, value);
    pbw_end(&w, entry);
    write_program(&w, &(struct program){9, "jit_g(9)", "jit_g", 0});
    pt_metadata(&w, 5, HLO, "Hlo Proto");
    pbw_end(&w, plane);
    struct pt_loaded got = pt_load(w.data, w.len);
    assert_int_equal(got.space->hlo_count, 1);
    assert_non_null(strstr(pt_warning(got.space, "unreadable_hlo")->text, "id 8"));
    pt_free(&got);
    pbw_free(&w);
}

/* The names come last and are the first to be cut off. */
static void test_cut_before_names(void **state)
{
    (void)state;
    struct pbw w = {0};
    size_t plane = pbw_begin(&w, 1);
    pbw_str(&w, 2, "/host:metadata");
    write_program(&w, &(struct program){1, "jit_f(8)", "jit_f", 77});
    size_t cut = w.len;
    pt_metadata(&w, 5, HLO, "Hlo Proto");
    pbw_end(&w, plane);
    /* pbw_end has put the plane's length in front, so the cut has moved by as much */
    struct pt_loaded whole = pt_load(w.data, w.len);
    assert_int_equal(whole.space->hlo_count, 1);
    size_t moved = (size_t)whole.space->plane[0].range.offset - plane;
    struct pt_loaded got = pt_load(w.data, cut + (moved < 8 ? moved : 0));
    assert_non_null(got.space);
    assert_int_equal(got.space->hlo_count, 1);
    assert_true(pt_is(got.space, got.space->hlo[0].key, "jit_f(8)"));
    assert_false(got.space->complete);
    pt_free(&got);
    pt_free(&whole);
    pbw_free(&w);
}

static void test_outline(void **state)
{
    (void)state;
    struct pbw w = {0};
    struct xpd_source *source;
    struct xpd_hlo_outline outline;
    struct xpd_err err = {0};
    pt_hlo(&w, "jit_f", 42, true);
    pbw_str(&w, 3, "");
    size_t assignment = pbw_begin(&w, 3);
    pbw_end(&w, assignment);
    assert_int_equal(xpd_source_open_memory(&source, w.data, w.len, "x", &err), XPD_OK);
    assert_int_equal(xpd_file_kind_of(source), XPD_FILE_HLO_PROTO);
    assert_int_equal(xpd_hlo_outline(&outline, source, false, &err), XPD_OK);
    assert_string_equal(outline.name, "jit_f");
    assert_int_equal(outline.module_id, 42);
    assert_string_equal(outline.platform, "tpu");
    assert_true(outline.has_assignment);
    xpd_source_close(source);

    /* the module alone, without the HloProto around it */
    size_t head = 2;
    assert_true(w.data[1] < 0x80);
    assert_int_equal(xpd_source_open_memory(&source, w.data + head, w.data[1], "x", &err), XPD_OK);
    assert_int_equal(xpd_file_kind_of(source), XPD_FILE_HLO_MODULE);
    assert_int_equal(xpd_hlo_outline(&outline, source, true, &err), XPD_OK);
    assert_string_equal(outline.name, "jit_f");
    assert_false(outline.has_assignment);
    xpd_source_close(source);

    assert_int_equal(xpd_source_open_memory(&source, "\x10\x01", 2, "x", &err), XPD_OK);
    assert_int_equal(xpd_hlo_outline(&outline, source, false, &err), XPD_EFORMAT);
    xpd_source_close(source);
    pbw_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids),         cmocka_unit_test(test_other_stats_are_no_hlo),
        cmocka_unit_test(test_damaged_hlo), cmocka_unit_test(test_cut_before_names),
        cmocka_unit_test(test_outline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
