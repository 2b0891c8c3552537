/* The order of a folder on ext4. The hashes were computed with a second, independent program whose
 * order for 20 random names was that in which the kernel listed them; the pairs are what
 * XProf 2.24.2 answered (docs/XPROF-DIFFERENCES.md). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "xprofd/compat/file_order.h"

static void hashes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct xpd_file_place place;
    } wanted[] = {
        {"", {0xefcdab88u, 0x98badcfeu}},
        {"a", {0xd5fa7d7au, 0xacb48187u}},
        {"01234567890123456789012345678901", {0x6538762au, 0x2370aa1fu}}, /* one whole block */
        {"jit_broadcast_in_dim(12).hlo_proto.pb", {0x607f6ad4u, 0xb88d3a9fu}},
        {"jit_convert_element_type_with_a_long_name(2433868464432466958).hlo_proto.pb",
         {0xf383a020u, 0xa9504949u}},
        {"jit_x\xc3\xa9(1).hlo_proto.pb", {0x7c28e664u, 0xf87a3f83u}}, /* bytes are signed */
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct xpd_file_place place = xpd_file_place_of(xpd_str_of(wanted[i].name));
        assert_int_equal(place.hash, wanted[i].place.hash);
        assert_int_equal(place.minor, wanted[i].place.minor);
    }
}

/* Each pair: what XProf answered, and another program that would have fitted the question. */
static void recorded_answers(void **state)
{
    (void)state;
    static const char *const pair[][2] = {
        {"jit_broadcast_in_dim(12)", "jit_broadcast_in_dim(2)"},     /* mlp_train, program_id=2 */
        {"jit_broadcast_in_dim(4)", "jit_convert_element_type(14)"}, /* mlp_train, 4 */
        {"jit_broadcast_in_dim(8)", "jit_train_step(18)"},           /* mlp_train, 8 */
        {"jit_spectrum(6)", "jit_small_types(16)"},                  /* fft_conv_rng, 6 */
        {"jit_power_iteration(12)", "jit_dynamic_slice(2)"},         /* scan_while, 2 */
        {"jit_power_iteration(12)", "jit_branches(28)"},
        {"jit_gather_scatter(12)", "jit_small_types(16)"}, /* fft_conv_rng, node tuple.1 */
        {"jit_gather_scatter(12)", "jit_spectrum(6)"},
        {"jit_convert_element_type(0)", "jit_stage(4)"},   /* inference_loop, node copy */
        {"jit_stage(2)", "jit_stage(0)"},                  /* oom_demo, node copy */
        {"jit_outer_product(6)", "jit_sort_all_types(8)"}, /* oom_demo, node tuple.1 */
        {"jit__multi_slice(0)", "jit__multi_slice(2)"},    /* sharded8, node tuple */
        {"jit__multi_slice(0)", "jit__multi_slice(4)"},
        {"jit_padded_step(1931478108659951329)", /* tpu_many_modules, node tuple.4 */
         "jit_padded_step(11298215745565726053)"},
    };
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        struct xpd_module module[2] = {{.key = pair[i][1]}, {.key = pair[i][0]}};
        struct xpd_run run = {.module = module, .module_count = 2};
        struct xpd_arena arena;
        xpd_arena_init(&arena, 1 << 20);
        const uint32_t *order = xpd_file_order(&run, &arena);
        assert_non_null(order);
        if (order[0] != 1)
            print_error("%s must come before %s\n", pair[i][0], pair[i][1]);
        assert_int_equal(order[0], 1);
        assert_int_equal(order[1], 0);
        xpd_arena_fini(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hashes),
                                       cmocka_unit_test(recorded_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
