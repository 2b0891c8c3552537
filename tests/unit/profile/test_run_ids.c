/* How often programs ran, where no "XLA Modules" line says it. The counts are those the events were
 * written for. */
#include "profile_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { S_PROGRAM = 11, S_RUN, S_DEVICE, S_MODULE, S_TEXT };

static void put_program(struct pbw *plane, uint64_t id, const char *name, const char *key)
{
    struct pbw hlo = {0};
    pt_hlo(&hlo, name, 7, false);
    size_t entry = pbw_begin(plane, 4);
    pbw_uint(plane, 1, id);
    size_t value = pbw_begin(plane, 2);
    pbw_uint(plane, 1, id);
    pbw_str(plane, 2, key);
    pt_stat_bytes(plane, 5, 1, hlo.data, hlo.len);
    pbw_end(plane, value);
    pbw_end(plane, entry);
    pbw_free(&hlo);
}

/* jit_f(1), jit_g(2), jit_twin(3), jit_twin(4) */
static void put_programs(struct pbw *w)
{
    size_t plane = pbw_begin(w, 1);
    pbw_str(w, 2, "/host:metadata");
    put_program(w, 1, "jit_f", "jit_f(1)");
    put_program(w, 2, "jit_g", "jit_g(2)");
    put_program(w, 3, "jit_twin", "jit_twin(3)");
    put_program(w, 4, "jit_twin", "jit_twin(4)");
    pt_metadata(w, 5, 1, "Hlo Proto");
    pbw_end(w, plane);
}

static void put_stat_names(struct pbw *plane)
{
    pt_metadata(plane, 5, S_PROGRAM, "program_id");
    pt_metadata(plane, 5, S_RUN, "run_id");
    pt_metadata(plane, 5, S_DEVICE, "device_ordinal");
    pt_metadata(plane, 5, S_MODULE, "hlo_module");
    pt_metadata(plane, 5, S_TEXT, "jit_g");
}

/* 0 = the event does not say it */
static void put_op(struct pbw *line, uint64_t program, uint64_t run, uint64_t device)
{
    size_t event = pbw_begin(line, 4);
    pbw_uint(line, 1, 5);
    pbw_uint(line, 2, 100);
    if (program)
        pt_stat_uint(line, 4, S_PROGRAM, program);
    if (run)
        pt_stat_uint(line, 4, S_RUN, run);
    pt_stat_uint(line, 4, S_DEVICE, device);
    pbw_end(line, event);
}

static const struct xpd_hlo_ref *program(const struct xpd_xspace *space, const char *key)
{
    for (uint32_t i = 0; i < space->hlo_count; i++)
        if (pt_is(space, space->hlo[i].key, key))
            return &space->hlo[i];
    fail_msg("no program %s", key);
    return NULL;
}

static void check(const struct xpd_xspace *space, const char *key, uint64_t runs, bool known)
{
    const struct xpd_hlo_ref *found = program(space, key);
    assert_int_equal(found->run_count, runs);
    assert_int_equal(found->run_count_known, known);
}

/* Two runs of f on two devices, one of g; many events each. An unused run id follows on demand. */
static struct pt_loaded cpu_profile(bool stray)
{
    struct pbw w = {0};
    put_programs(&w);
    size_t plane = pbw_begin(&w, 1);
    pbw_str(&w, 2, "/host:CPU");
    size_t line = pt_line(&w, 1, "tf_XLAEigen/1");
    for (int again = 0; again < 3; again++)
        for (uint64_t device = 0; device < 2; device++) {
            put_op(&w, 1, UINT64_C(18446744071938060584), device);
            put_op(&w, 1, UINT64_C(18446744071938060585), device);
            put_op(&w, 2, 77, 0);
        }
    put_op(&w, 0, 77, 0); /* "ThunkExecutor::Execute" of the same run */
    if (stray)
        put_op(&w, 0, 78, 0);
    pbw_end(&w, line);
    put_stat_names(&w);
    pbw_end(&w, plane);
    struct pt_loaded got = pt_load(w.data, w.len);
    assert_non_null(got.space);
    pbw_free(&w);
    return got;
}

static void test_cpu(void **state)
{
    (void)state;
    struct pt_loaded got = cpu_profile(false);
    check(got.space, "jit_f(1)", 4, true);
    check(got.space, "jit_g(2)", 1, true);
    check(got.space, "jit_twin(3)", 0, true);
    assert_int_equal(got.space->warnings.count, 0);
    pt_free(&got);
}

/* No program has the run: it may be of one without events. */
static void test_stray_run(void **state)
{
    (void)state;
    struct pt_loaded got = cpu_profile(true);
    check(got.space, "jit_f(1)", 4, true);
    check(got.space, "jit_twin(3)", 0, false);
    pt_free(&got);
}

/* Kernels of f, and of g by its name; the host says how often `launched` was started. */
static struct pt_loaded gpu_profile(const char *launched, int launches)
{
    struct pbw w = {0};
    put_programs(&w);
    size_t plane = pbw_begin(&w, 1);
    pbw_uint(&w, 1, 1);
    pbw_str(&w, 2, "/device:GPU:0");
    size_t line = pt_line(&w, 14, "Stream #14(Compute)");
    for (int i = 0; i < 9; i++)
        put_op(&w, 1, 0, 0);
    size_t event = pbw_begin(&w, 4);
    pbw_uint(&w, 1, 5);
    size_t stat = pbw_begin(&w, 4);
    pbw_uint(&w, 1, S_MODULE);
    pbw_uint(&w, 7, S_TEXT);
    pbw_end(&w, stat);
    pbw_end(&w, event);
    pbw_end(&w, line);
    put_stat_names(&w);
    pbw_end(&w, plane);
    plane = pbw_begin(&w, 1);
    pbw_str(&w, 2, "/host:CPU");
    line = pt_line(&w, 2, "python");
    for (int i = 0; i < launches; i++)
        pt_event(&w, 8, 100, 100);
    pt_event(&w, 9, 100, 100);
    pbw_end(&w, line);
    if (launched)
        pt_metadata(&w, 4, 8, launched);
    pt_metadata(&w, 4, 9, "PjitFunction(f)");
    pbw_end(&w, plane);
    struct pt_loaded got = pt_load(w.data, w.len);
    assert_non_null(got.space);
    assert_string_equal(got.space->platform, "gpu");
    pbw_free(&w);
    return got;
}

/* Kernels alone: f and g ran, how often is not known. Never 0. */
static void test_gpu_kernels(void **state)
{
    (void)state;
    struct pt_loaded got = gpu_profile(NULL, 0);
    check(got.space, "jit_f(1)", 1, false);
    check(got.space, "jit_g(2)", 1, false);
    check(got.space, "jit_twin(3)", 0, false);
    assert_non_null(strstr(pt_warning(got.space, "runs_not_told")->text, "2 programs ran"));
    pt_free(&got);
}

static void test_gpu_launches(void **state)
{
    (void)state;
    struct pt_loaded got = gpu_profile("jit_f:XLA GPU module", 7);
    check(got.space, "jit_f(1)", 7, true);
    check(got.space, "jit_g(2)", 1, false);
    check(got.space, "jit_twin(3)", 0, false); /* its name would not tell which of the two */
    pt_free(&got);
}

/* A name of two programs counts for neither. */
static void test_gpu_shared_name(void **state)
{
    (void)state;
    struct pt_loaded got = gpu_profile("jit_twin:XLA GPU module", 7);
    check(got.space, "jit_f(1)", 1, false);
    check(got.space, "jit_twin(3)", 0, false);
    check(got.space, "jit_twin(4)", 0, false);
    pt_free(&got);
}

/* Programs that were only compiled: nothing ran. */
static void test_no_events(void **state)
{
    (void)state;
    struct pbw w = {0};
    put_programs(&w);
    struct pt_loaded got = pt_load(w.data, w.len);
    check(got.space, "jit_f(1)", 0, true);
    pt_free(&got);
    pbw_free(&w);
}

/* Captured: six steps on one CPU; three steps of two programs on eight. Programs that only ran
 * before the profile began are 0. */
static void test_captured(void **state)
{
    (void)state;
    static const struct {
        const char *path, *key;
        uint64_t runs;
    } cases[] = {
        {"cpu_mlp_train", "jit_train_step(18)", 6}, {"cpu_mlp_train", "jit_stage(16)", 0},
        {"cpu_sharded8", "jit_auto_step(6)", 24},   {"cpu_sharded8", "jit_manual_step(8)", 24},
        {"cpu_sharded8", "jit__multi_slice(0)", 0},
    };
    const char *source = getenv("XPD_SOURCE");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[4096];
        struct pt_loaded got = {0};
        snprintf(path, sizeof path, "%s/testdata/%s/logdir/plugins/profile/run0/host0.xplane.pb",
                 source ? source : ".", cases[i].path);
        assert_int_equal(xpd_source_open(&got.source, path, 1 << 30, &got.err), XPD_OK);
        assert_int_equal(xpd_xspace_load(&got.space, got.source, NULL, 0, &got.err), XPD_OK);
        check(got.space, cases[i].key, cases[i].runs, true);
        pt_free(&got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cpu),
        cmocka_unit_test(test_stray_run),
        cmocka_unit_test(test_gpu_kernels),
        cmocka_unit_test(test_gpu_launches),
        cmocka_unit_test(test_gpu_shared_name),
        cmocka_unit_test(test_no_events),
        cmocka_unit_test(test_captured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
