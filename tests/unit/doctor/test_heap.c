/* Findings of heap files on plain numbers: lines that grow, and series that do not tell. */
#include "doctor_test.h"

static struct xpd_doctor_heap_line line(const char *label, int64_t first_mib, int64_t last_mib)
{
    return (struct xpd_doctor_heap_line){.key = xpd_str_of(label),
                                         .label = xpd_str_of(label),
                                         .function = XPD_STR("step"),
                                         .file = XPD_STR("/home/me/train.py"),
                                         .line = 41,
                                         .first_bytes = first_mib * MIB,
                                         .last_bytes = last_mib * MIB,
                                         .last_growth_bytes = 2 * MIB};
}

static struct xpd_doctor_heap_series series(const struct xpd_doctor_heap_line *line, uint32_t count)
{
    return (struct xpd_doctor_heap_series){.name = XPD_STR("memory.step#.prof"),
                                           .first = XPD_STR("memory.step20.prof"),
                                           .last = XPD_STR("memory.step80.prof"),
                                           .files = 4,
                                           .all_files = 4,
                                           .has_steps = true,
                                           .last_bytes = 1000 * MIB,
                                           .line = line,
                                           .line_count = count};
}

static void examine(struct sick *s, const struct xpd_doctor_heap_series *of, uint32_t count)
{
    struct xpd_doctor_heap heap = {of, count};
    struct xpd_err err = {0};
    if (xpd_doctor_heap_run(&s->doctor, &s->input, &heap, &s->arena, &err) != XPD_OK)
        fail_msg("%s", err.text);
}

static void a_line_grows(void **state)
{
    struct sick s = {0};
    (void)state;
    struct xpd_doctor_heap_line grown = line("train.py:41", 280, 400);
    struct xpd_doctor_heap_series of = series(&grown, 1);
    examine(&s, &of, 1);
    assert_int_equal(s.doctor.rules_checked, 1);
    assert_int_equal(s.doctor.count, 1);
    const struct xpd_finding *f = sick_finding(&s, "H01", 0);
    assert_string_equal(f->claim.data,
                        "train.py:41 (step) holds 400.0 MiB in memory.step80.prof, 120.0 MiB more "
                        "than in memory.step20.prof: it grew from each of 4 files to the next, the "
                        "last time by 2.0 MiB a step.");
    assert_int_equal(f->about, XPD_FINDS_HEAP);
    assert_int_equal(f->severity, XPD_DOCTOR_WARN);
    assert_int_equal(f->bytes, 120 * MIB);
    assert_true(f->share > 0.1199 && f->share < 0.1201);
    assert_int_equal(s.doctor.not_judged.size, 0);
    of.line_count = 0;
    examine(&s, &of, 1);
    assert_null(sick_finding(&s, "H01", 0));
    assert_int_equal(s.doctor.rules_not_judged, 0);
    xpd_arena_fini(&s.arena);
}

/* 7 lines: five are findings, the last of which counts the others. A little growth is no warning.
 */
static void many_lines_grow(void **state)
{
    struct sick s = {0};
    (void)state;
    struct xpd_doctor_heap_line grown[7];
    for (int i = 0; i < 7; i++)
        grown[i] = line("train.py:7", 10, 10 + 10 * (7 - i));
    struct xpd_doctor_heap_series of = series(grown, 7);
    of.has_steps = false;
    of.all_files = 200;
    examine(&s, &of, 1);
    assert_int_equal(s.doctor.count, 5);
    assert_null(strstr(sick_finding(&s, "H01", 3)->claim.data, "more lines"));
    assert_non_null(strstr(sick_finding(&s, "H01", 4)->claim.data,
                           "each of 4 files (of 200) to the next, the last time by 2.0 MiB a file. "
                           "2 more lines grow; `xprofd heap` lists them."));
    assert_int_equal(sick_finding(&s, "H01", 2)->severity, XPD_DOCTOR_WARN); /* 5 % */
    assert_int_equal(sick_finding(&s, "H01", 3)->severity, XPD_DOCTOR_INFO);
    of.line_count = 6;
    examine(&s, &of, 1);
    assert_non_null(strstr(sick_finding(&s, "H01", 4)->claim.data, " 1 more line grows;"));
    of.line_count = 5;
    examine(&s, &of, 1);
    assert_null(strstr(sick_finding(&s, "H01", 4)->claim.data, "more line"));
    xpd_arena_fini(&s.arena);
}

static void muted_by_place(void **state)
{
    struct sick s = {0};
    struct xpd_doctor_config config;
    struct xpd_err err = {0};
    (void)state;
    struct xpd_doctor_heap_line grown[2] = {line("train.py:41", 280, 400),
                                            line("eval.py:3", 10, 90)};
    struct xpd_doctor_heap_series of = series(grown, 2);
    assert_int_equal(xpd_doctor_config_read(&config,
                                            XPD_STR("silence H01 eval.py:3: a cache that fills"),
                                            "config", &s.arena, &err),
                     XPD_OK);
    s.input.config = &config;
    examine(&s, &of, 1);
    assert_int_equal(s.doctor.silenced_count, 1);
    assert_null(sick_finding(&s, "H01", 0)->silenced);
    assert_non_null(sick_finding(&s, "H01", 1)->silenced);
    xpd_arena_fini(&s.arena);
}

/* Not judged only where no series tells; then the longest says why. */
static void series_that_do_not_tell(void **state)
{
    struct sick s = {0};
    (void)state;
    struct xpd_doctor_heap_line grown = line("train.py:41", 280, 400);
    struct xpd_doctor_heap_series of[] = {series(NULL, 0), series(NULL, 0), series(&grown, 1)};
    of[0].why_not = "one file";
    of[0].all_files = 1;
    of[1].why_not = "two files";
    of[1].all_files = 2;
    examine(&s, of, 2);
    assert_int_equal(s.doctor.count, 0);
    assert_int_equal(s.doctor.rules_not_judged, 1);
    assert_string_equal(s.doctor.not_judged.data, "H01: two files");
    examine(&s, of, 3);
    assert_int_equal(s.doctor.count, 1);
    assert_int_equal(s.doctor.rules_not_judged, 0);
    xpd_arena_fini(&s.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_grows),
        cmocka_unit_test(many_lines_grow),
        cmocka_unit_test(muted_by_place),
        cmocka_unit_test(series_that_do_not_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
