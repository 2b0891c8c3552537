/* Real programs: the figures of the reference model on the transformer without rematerialization,
 * and on every data set the sums against what is held (memory/held.h). */
#include "../memory/mem_test.h"
#include "xprofd/report/report.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB (INT64_C(1) << 20)

static uint32_t *kinds_of(const struct xpd_report *report, struct xpd_arena *arena)
{
    uint32_t *key = XPD_NEW_ARRAY(arena, uint32_t, report->row_count + 1);
    for (uint32_t i = 0; i < report->row_count; i++)
        key[i] = report->row[i].kind;
    return key;
}

/* Tenths of a MiB, as the mock-up prints them. */
static int64_t tenths(int64_t bytes)
{
    return (bytes * 10 + MIB / 2) / MIB;
}

static void test_figures(void **state)
{
    static const uint32_t at[3] = {94, 115, 167};
    static const int64_t compute[3] = {34602, 44078, 32548}, copies[3] = {4998, 4672, 3060},
                         relayout[3] = {960, 1120, 800}, own[3] = {9187, 17698, 9995},
                         temporaries[3] = {40560, 49871, 36408}, holes[3] = {767, 1578, 9920},
                         above[3] = {10151, 30, 5150};
    struct xspace_hlos hlos = {0};
    struct mem_case c;
    struct xpd_report report;
    (void)state;
    if (!mem_hlos(&hlos, "tpu_transformer_noremat"))
        skip();
    for (size_t i = 0; i < hlos.count; i++) {
        if (!strstr(hlos.at[i].name, "jit_train_step"))
            continue;
        mem_open_bytes(&c, hlos.at[i].bytes, hlos.at[i].size);
        const struct xpd_mem_space *space = mem_space(&c, 0);
        assert_int_equal(xpd_report_make(&report, c.mem, space, NULL, &c.arena, NULL), XPD_OK);
        /* the model leaves the members without events out; here each is alone at its addresses */
        int64_t untraced = space->totals.untraced;
        assert_int_equal(tenths(report.addresses.own_bytes - untraced), 18669);
        assert_int_equal(tenths(report.addresses.shared_bytes), 32637);

        assert_int_equal(tenths(report.addresses.unused_bytes + untraced), 173);

        assert_int_equal(tenths(report.addresses.shared_tenant_bytes), 74001);
        struct xpd_report_steps steps = {at, 3};
        uint32_t *key = kinds_of(&report, &c.arena);
        int64_t *bytes = xpd_report_bytes(&report, key, XPD_REPORT_KIND_COUNT, steps, &c.arena);
        int64_t *owned = xpd_report_own_bytes(&report, key, XPD_REPORT_KIND_COUNT, steps, &c.arena);
        for (int k = 0; k < 3; k++) {
            struct xpd_report_gaps gaps;
            int64_t own_bytes = 0;
            for (int kind = XPD_REPORT_COMPUTE; kind < XPD_REPORT_KIND_COUNT; kind++)
                own_bytes += owned[kind * 3 + k];
            xpd_report_gaps_at(&gaps, &report, at[k], &c.arena, NULL);
            assert_int_equal(tenths(bytes[XPD_REPORT_ARGUMENT * 3 + k]), 12393);
            assert_int_equal(tenths(bytes[XPD_REPORT_COMPUTE * 3 + k]), compute[k]);
            assert_int_equal(tenths(bytes[XPD_REPORT_SPACE_COPY * 3 + k]), copies[k]);
            assert_int_equal(tenths(bytes[XPD_REPORT_RELAYOUT * 3 + k]), relayout[k]);
            assert_int_equal(tenths(own_bytes), own[k]);
            assert_int_equal(tenths(space->live_bytes[at[k]]), temporaries[k]);
            assert_int_equal(gaps.idle_bytes, untraced);
            assert_true(holes[k] >= tenths(gaps.holes_bytes));
            assert_true(above[k] >= tenths(gaps.above_bytes));
            assert_true(labs(holes[k] + above[k] -
                             tenths(gaps.holes_bytes + gaps.above_bytes + untraced)) <=
                        1); /* each is rounded */
        }
        mem_close(&c);
    }
    xspace_hlos_free(&hlos);
}

/* Each row's bytes at a step are those of the list of what is held. */
static void check_step(const struct mem_case *c, const struct xpd_report *report, uint32_t step)
{
    struct xpd_arena arena = {0};
    struct xpd_held_list held;
    struct xpd_report_steps steps = {&step, 1};
    assert_int_equal(xpd_held_at(&held, c->mem, report->space, step, &arena, NULL), XPD_OK);
    int64_t want[XPD_REPORT_KIND_COUNT] = {0}, all = 0;
    uint32_t *row_of = XPD_NEW_ARRAY(&arena, uint32_t, report->space->tenancy_count + 1);
    for (uint32_t i = report->resident_count; i < report->row_count; i++)
        row_of[report->row[i].tenancy] = i;
    for (uint32_t i = 0; i < held.count; i++) {
        uint32_t row = held.at[i].tenancy == XPD_NO_INDEX ? i : row_of[held.at[i].tenancy];
        want[report->row[row].kind] += held.at[i].size_bytes;
    }
    int64_t *bytes =
        xpd_report_bytes(report, kinds_of(report, &arena), XPD_REPORT_KIND_COUNT, steps, &arena);
    for (int k = 0; k < XPD_REPORT_KIND_COUNT; k++) {
        assert_int_equal(bytes[k], want[k]);
        all += bytes[k];
    }
    if (!report->space->live_is_union)
        assert_int_equal(all, report->space->totals.resident +
                                  (step == XPD_NO_STEP ? 0 : report->space->live_bytes[step]));
    xpd_arena_fini(&arena);
}

/* All steps of small modules, some of large ones. */
static int check_module(const struct mem_case *c)
{
    for (uint32_t s = 0; s < c->mem->space_count; s++) {
        const struct xpd_mem_space *space = &c->mem->space[s];
        struct xpd_arena arena = {0};
        struct xpd_report report;
        assert_int_equal(xpd_report_make(&report, c->mem, space, NULL, &arena, NULL), XPD_OK);
        assert_int_equal(report.addresses.own_bytes + report.addresses.shared_bytes +
                             report.addresses.unused_bytes,
                         space->heap_bytes);
        uint32_t stride = space->step_count > 400 ? space->step_count / 23 : 1;
        for (uint32_t i = 0; i < space->step_count; i += stride)
            check_step(c, &report, i);
        check_step(c, &report, space->peak_step);
        xpd_arena_fini(&arena);
    }
    return (int)c->mem->space_count;
}

static void test_everywhere(void **state)
{
    const char *shared = getenv("XPD_SHARED");
    char path[4096];
    (void)state;
    if (!mem_has_shared())
        skip();
    snprintf(path, sizeof path, "%s/data", shared ? shared : "../shared");
    DIR *dir = opendir(path);
    struct dirent *entry;
    int spaces = 0;
    if (!dir)
        skip();
    while ((entry = readdir(dir)) != NULL) {
        struct xspace_hlos hlos = {0};
        if (entry->d_name[0] == '.' || strchr(entry->d_name, '.') ||
            strcmp(entry->d_name, "broken") == 0 || !mem_hlos(&hlos, entry->d_name))
            continue;
        for (size_t i = 0; i < hlos.count; i++) {
            struct mem_case c;
            mem_open_bytes(&c, hlos.at[i].bytes, hlos.at[i].size);
            spaces += check_module(&c);
            mem_close(&c);
        }
        xspace_hlos_free(&hlos);
    }
    closedir(dir);
    print_message("%d memory spaces\n", spaces);
    assert_true(spaces > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_figures),
                                       cmocka_unit_test(test_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
