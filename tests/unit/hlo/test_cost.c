/* Costs of real modules, against XLA's own cost analysis of the same program (aot.json). */
#include "hlo_test.h"
#include "xprofd/hlo/cost.h"

#include "../../support/xspace_hlo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct module {
    struct xspace_hlos file;
    struct xpd_hlo *hlo;
    struct xpd_arena arena;
    struct xpd_costs costs;
};

/* The first module of the only profile of a set in testdata/. */
static void open_module(struct module *m, const char *set)
{
    struct xpd_err err = {0};
    const char *source = getenv("XPD_SOURCE");
    char path[1200];
    snprintf(path, sizeof path, "%s/testdata/%s/logdir/plugins/profile/aot/host0.xplane.pb",
             source ? source : ".", set);
    *m = (struct module){0};
    assert_true(xspace_hlos_load(&m->file, path));
    assert_true(m->file.count >= 1);
    m->hlo = ht_load_bytes(m->file.at[0].bytes, m->file.at[0].size, &err);
    assert_non_null(m->hlo);
    assert_int_equal(
        xpd_costs_make(&m->costs, &m->arena, m->hlo, m->file.at[0].bytes, m->file.at[0].size, &err),
        XPD_OK);
}

static void close_module(struct module *m)
{
    xpd_hlo_free(m->hlo);
    xpd_arena_fini(&m->arena);
    xspace_hlos_free(&m->file);
}

/* The whole program: what the entry computation does; unknown parts count nothing. */
static int64_t program_flops(const struct module *m)
{
    uint32_t first = m->hlo->computations.first[m->hlo->entry];
    uint32_t end = first + m->hlo->computations.instruction_count[m->hlo->entry];
    int64_t sum = 0;
    for (uint32_t i = first; i < end; i++)
        sum += m->costs.flops[i] > 0 ? m->costs.flops[i] : 0;
    return sum;
}

/* aot.json of the padded step says 1395368832.0: a float, so within half of its last place. */
static void the_whole_program_as_xla_counts_it(void **state)
{
    (void)state;
    struct module m;
    open_module(&m, "tpu_padded_demo");
    assert_true((float)program_flops(&m) == 1395368832.0F);
    assert_int_equal(m.costs.unknown_attributes, 0);
    close_module(&m);
}

/* XLA's own text of this module (after_codegen.txt.gz) has 25 of them; the sum over the
 * columns is the sum over the text. */
static void the_compilers_cycles_are_kept(void **state)
{
    (void)state;
    struct module m;
    int64_t sum = 0;
    open_module(&m, "tpu_padded_demo");
    for (uint32_t i = 0; i < m.costs.count; i++)
        sum += m.costs.cycles[i] > 0 ? m.costs.cycles[i] : 0;
    assert_int_equal(sum, 7100745);
    close_module(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_whole_program_as_xla_counts_it),
        cmocka_unit_test(the_compilers_cycles_are_kept),
    };
    return cmocka_run_group_tests_name("hlo cost", tests, NULL, NULL);
}
