/* Which part of a step the time of an operation belongs to: by its name, by its kind where it is of
 * no program, by its instruction. */
#include "pbw.h"
#include "xprofd/base/warnings.h"
#include "xprofd/hlo/module.h"
#include "xprofd/hlo/parse.h"
#include "xprofd/trace/step_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { OPS_MOST = 16 };

/* All ops are of one program. */
static struct xpd_op_places places_of(struct xpd_op_times *times, struct xpd_op *op,
                                      struct xpd_op_program *program, const char *const *name)
{
    struct xpd_op_places places;
    xpd_intern_init(&times->names, &times->arena);
    for (; name[times->op_count]; times->op_count++) {
        struct xpd_str text = xpd_str_of(name[times->op_count]);
        op[times->op_count] =
            (struct xpd_op){.name = xpd_intern_put(&times->names, text.data, text.size),
                            .group = (uint8_t)xpd_trace_group(XPD_STR(""), text, true)};
    }
    program->op_count = times->op_count;
    times->op = op;
    times->program = program;
    times->program_count = 1;
    assert_true(xpd_op_places_init(&places, times, &times->arena));
    return places;
}

static void close_times(struct xpd_op_times *times)
{
    xpd_intern_fini(&times->names);
    xpd_arena_fini(&times->arena);
}

static void by_name(void **state)
{
    (void)state;
    static const char *const name[] = {"all-reduce.1", "infeed.2", "copy-start.3",
                                       "copy-done.3",  "fusion.4", NULL};
    struct xpd_op_times times = {0};
    struct xpd_op op[OPS_MOST] = {{0}};
    struct xpd_op_program program = {0};
    struct xpd_op_places places = places_of(&times, op, &program, name);
    assert_int_equal(places.part[0], XPD_PART_COLLECTIVE);
    assert_int_equal(places.part[1], XPD_PART_INFEED);
    assert_int_equal(places.part[2], XPD_PART_COPY);
    assert_int_equal(places.part[3], XPD_PART_COPY);
    assert_true(places.part[4] >= XPD_PART_COMPUTE);
    assert_int_equal(places.place[0].module, XPD_NO_INDEX);
    assert_int_equal(places.place[0].instruction, XPD_NO_INDEX);
    assert_false(places.place[0].loose || places.entry[0]);
    close_times(&times);
}

static void without_a_program(void **state)
{
    (void)state;
    static const char *const name[] = {"MemcpyH2D", "MemcpyD2H of fetch", "MemcpyD2D", NULL};
    struct xpd_op_times times = {0};
    struct xpd_op op[OPS_MOST] = {{0}};
    struct xpd_op_program program = {.loose = XPD_LOOSE_COPIES};
    struct xpd_op_places places = places_of(&times, op, &program, name);
    assert_int_equal(places.part[0], XPD_PART_COPY_IN);
    assert_int_equal(places.part[1], XPD_PART_COPY_OUT);
    assert_int_equal(places.part[2], XPD_PART_COPY);
    assert_true(places.place[0].loose);
    close_times(&times);
}

/* By their names products and a collective; all are kernels that compute. */
static void kernels_without_a_program(void **state)
{
    (void)state;
    static const char *const name[] = {"dot.3", "all-reduce.3", "ampere_sgemm", "my_kernel", NULL};
    struct xpd_op_times times = {0};
    struct xpd_op op[OPS_MOST] = {{0}};
    struct xpd_op_program program = {.loose = XPD_LOOSE_KERNELS};
    struct xpd_op_places places = places_of(&times, op, &program, name);
    assert_int_equal(places.part[0], XPD_PART_COMPUTE + XPD_OP_MATMUL);
    assert_int_equal(places.part[1], XPD_PART_COMPUTE + XPD_OP_CUSTOM);
    assert_int_equal(places.part[2], XPD_PART_COMPUTE + XPD_OP_MATMUL);
    assert_int_equal(places.part[3], XPD_PART_COMPUTE + XPD_OP_NONE);
    close_times(&times);
}

static const char text[] = "HloModule m\n"
                           "ENTRY e {\n"
                           "  p = f32[8]{0:S(5)} parameter(0)\n"
                           "  in_start = (f32[8]{0}, f32[8]{0:S(5)}, u32[]) copy-start(p)\n"
                           "  in_done = f32[8]{0} copy-done(in_start)\n"
                           "  out_start = (f32[8]{0:S(5)}, f32[8]{0}, u32[]) copy-start(in_done)\n"
                           "  out_done = f32[8]{0:S(5)} copy-done(out_start)\n"
                           "  all = f32[8]{0} all-reduce(in_done), to_apply=add\n"
                           "  ROOT neg = f32[8]{0} negate(all)\n"
                           "}\n";

/* The program tells the direction of a copy. */
static void by_instruction(void **state)
{
    (void)state;
    static const char *const name[] = {"in_done", "out_done", "all", "neg", NULL};
    static const uint8_t part[] = {XPD_PART_COPY_IN, XPD_PART_COPY_OUT, XPD_PART_COLLECTIVE,
                                   XPD_PART_COMPUTE + XPD_OP_ELEMENTWISE};
    struct xpd_op_times times = {0};
    struct xpd_op op[OPS_MOST] = {{0}};
    struct xpd_op_program program = {0};
    struct xpd_op_places places = places_of(&times, op, &program, name);
    struct xpd_warnings warnings = {.arena = &times.arena};
    struct xpd_str module;
    struct xpd_hlo *hlo;
    struct pbw w = {0};
    assert_int_equal(
        xpd_hlo_text_parse(xpd_str_of(text), "", &times.arena, &warnings, &module, NULL, NULL),
        XPD_OK);
    size_t proto = pbw_begin(&w, 1);
    pbw_raw(&w, module.data, module.size);
    pbw_end(&w, proto);
    assert_int_equal(xpd_hlo_load(&hlo, w.data, w.len, 0, "m", NULL, NULL), XPD_OK);
    for (uint32_t i = 0; i < times.op_count; i++) {
        xpd_name_id id = xpd_intern_find(&hlo->names, xpd_str_of(name[i]));
        assert_int_not_equal(id, XPD_NO_NAME);
        xpd_op_places_put(&places, i, hlo, 3, hlo->instruction_by_name[id]);
        assert_int_equal(places.part[i], part[i]);
        assert_int_equal(places.place[i].module, 3);
        assert_true(places.entry[i]);
    }
    xpd_hlo_free(hlo);
    pbw_free(&w);
    close_times(&times);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_name),
        cmocka_unit_test(without_a_program),
        cmocka_unit_test(kernels_without_a_program),
        cmocka_unit_test(by_instruction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
