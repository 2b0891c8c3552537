/* Tiling: the checked vectors of formula A1, blame by dimension, other orders, hostile layouts. */
#include "hlo_test.h"
#include "xprofd/hlo/tiling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define FOLD XPD_DIM_UNBOUNDED

static const struct {
    struct ht_array array;
    int64_t bytes;
} vectors[] = {
    {{HB_F32, {3, 5}, {1, 0}, 2, {{2, 2}}, 0, 0}, 96},
    {{HB_U8, {327680, 327680}, {1, 0}, 2, {{8, 128}, {4, 1}}, 0, 0}, 107374182400},
    {{HB_BF16, {32, 32, 4096}, {2, 1, 0}, 3, {{8, 128}, {2, 1}}, 0, 0}, 8388608},
    {{HB_BF16, {4, 8}, {1, 0}, 2, {{2, 4}, {2, 1}}, 0, 0}, 64},
    {{HB_BF16, {4096}, {0}, 1, {{1024}, {128}, {2, 1}}, 0, 0}, 8192},
    {{HB_BF16, {8192}, {0}, 1, {{1024}, {128}, {2, 1}}, 0, 0}, 16384},
    {{HB_F32, {129, 1024}, {1, 0}, 2, {{8, 128}}, 0, 0}, 136 * 1024 * 4},
    {{HB_F32, {1024, 129}, {1, 0}, 2, {{8, 128}}, 0, 0}, 1024 * 256 * 4},
    {{HB_F32, {1024, 1}, {1, 0}, 2, {{8, 128}}, 0, 0}, 1024 * 128 * 4},
    {{HB_F32, {1, 5}, {0, 1}, 2, {{8, 128}}, 0, 0}, 8 * 128 * 4},
    {{HB_F32, {2, 7, 8, 11, 10}, {4, 3, 2, 1, 0}, 5, {{FOLD, FOLD, 2, FOLD, 3}}, 0, 0}, 12432 * 4},
    {{HB_F32, {2, 7, 8, 11, 10}, {4, 3, 2, 1, 0}, 5, {{-1, -1, 2, -1, 3}}, 0, 0}, 12432 * 4},
    {{HB_BF16, {32, 256}, {1, 0}, 2, {{8, 128}, {2, 1, 1, 1}}, 0, 0}, 16384},
    {{HB_BF16, {129, 64}, {1, 0}, 2, {{8, 128}, {2, 1}}, 0, 0}, 136 * 128 * 2},
    {{HB_S4, {16, 16}, {1, 0}, 2, {{0}}, 4, 0}, 128},
    {{HB_S4, {16, 16}, {1, 0}, 2, {{0}}, 0, 0}, 128},
    {{HB_F32, {0}, {0}, 0, {{128}}, 0, 0}, 512},
    {{HB_F32, {5}, {0}, 1, {{8, 128}}, 0, 0}, 4096},
    {{HB_F32, {0, 5}, {1, 0}, 2, {{8, 128}}, 0, 0}, 0},
    {{HB_F32, {5}, {0}, 1, {{0}}, 0, 1024}, 4096},
    {{HB_S4, {3}, {0}, 1, {{0}}, 4, 0}, 2},
    {{HB_BF16, {1, 4096, 8, 1281}, {1, 3, 2, 0}, 4, {{8, 128}, {2, 1}}, 0, 0}, 84410368}, /* S13 */
    {{HB_BF16, {8, 56, 24, 16384}, {3, 2, 1, 0}, 4, {{8, 128}, {2, 1}}, 0, 0}, 352321536},
};

static void vectors_have_their_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        struct xpd_tiling tiling;
        xpd_tiling_of(&tiling, ht_array(&vectors[i].array));
        assert_true(tiling.known);
        assert_int_equal(tiling.tiled_bytes, vectors[i].bytes);
        int64_t bytes;
        assert_true(xpd_tiling_bytes(ht_array(&vectors[i].array), &bytes));
        assert_int_equal(bytes, vectors[i].bytes);
        assert_int_equal(tiling.dim_count, vectors[i].array.rank);
    }
}

/* Where only the first tile pads, the costs of the dimensions are the whole padding. */
static void costs_add_up(void **state)
{
    (void)state;
    static const size_t plain[] = {0, 1, 2, 3, 6, 7, 8, 9, 10, 13, 18, 21, 22};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        struct xpd_tiling tiling;
        xpd_tiling_of(&tiling, ht_array(&vectors[plain[i]].array));
        int64_t sum = tiling.unpadded_bytes;
        for (uint32_t k = 0; k < tiling.dim_count; k++)
            sum += tiling.dim[k].cost_bytes;
        assert_int_equal(sum, tiling.tiled_bytes);
    }
}

static void s13_blames_its_second_dimension(void **state)
{
    (void)state;
    struct xpd_tiling tiling;
    xpd_tiling_of(&tiling, ht_array(&vectors[21].array));
    assert_int_equal(tiling.unpadded_bytes, 83951616);
    assert_int_equal(tiling.dim[0].dimension, 1);
    assert_int_equal(tiling.dim[0].tile, 128);
    assert_int_equal(tiling.dim[0].cost_bytes, 0);
    assert_int_equal(tiling.dim[1].dimension, 3);
    assert_int_equal(tiling.dim[1].size, 1281);
    assert_int_equal(tiling.dim[1].tile, 8);
    assert_int_equal(tiling.dim[1].padded_size, 1288);
    assert_int_equal(tiling.dim[1].cost_bytes, 84410368 - 83951616);
    assert_int_equal(tiling.dim[2].tile, 1);
    assert_int_equal(tiling.dim[3].cost_bytes, 0);
}

/* 1024 x 1: the minor dimension is blown up 128 times before the other is looked at. */
static void cost_counts_minor_padding_first(void **state)
{
    (void)state;
    struct xpd_tiling tiling;
    xpd_tiling_of(&tiling,
                  ht_array(&(struct ht_array){HB_F32, {9, 1}, {1, 0}, 2, {{8, 128}}, 0, 0}));
    assert_int_equal(tiling.dim[0].cost_bytes, 9 * 127 * 4);
    assert_int_equal(tiling.dim[1].cost_bytes, (16 - 9) * 128 * 4);
    assert_int_equal(tiling.tiled_bytes, 16 * 128 * 4);
}

static void splits_take_the_largest_piece(void **state)
{
    (void)state;
    const int64_t dims[] = {100, 256}, minor[] = {1, 0}, at[] = {60}, sizes[] = {8, 128};
    const struct xpd_tile tile = {sizes, 2};
    struct xpd_split split = {0, at, 1};
    const struct xpd_layout layout = {.minor_to_major = minor,
                                      .minor_to_major_count = 2,
                                      .tile = &tile,
                                      .tile_count = 1,
                                      .split = &split,
                                      .split_count = 1};
    const struct xpd_shape shape = {.type = HB_F32, .rank = 2, .dims = dims, .layout = &layout};
    struct xpd_tiling tiling;
    xpd_tiling_of(&tiling, &shape);
    assert_true(tiling.known);
    assert_int_equal(tiling.tiled_bytes, 64 * 256 * 4);
    assert_int_equal(tiling.dim[1].size, 100);
    assert_int_equal(tiling.dim[1].padded_size, 64);
    split.dimension = 7; /* no such dimension: as if there were no split */
    xpd_tiling_of(&tiling, &shape);
    assert_int_equal(tiling.tiled_bytes, 104 * 256 * 4);
}

static void other_orders_come_cheapest_first(void **state)
{
    (void)state;
    const struct ht_array array = {HB_F32, {1024, 1, 6}, {1, 2, 0}, 3, {{8, 128}}, 0, 0};
    struct xpd_order_choice choice[8];
    assert_int_equal(xpd_tiling_orders(ht_array(&array), choice, 8), 5);
    for (size_t i = 1; i < 5; i++)
        assert_true(choice[i - 1].tiled_bytes <= choice[i].tiled_bytes);
    /* 1024 minor, 6 padded to 8: the best there is. */
    assert_int_equal(choice[0].tiled_bytes, 1024 * 8 * 4);
    assert_int_equal(choice[0].minor_to_major[0], 0);
    assert_int_equal(choice[0].minor_to_major[1], 2);
    for (size_t i = 0; i < 5; i++)
        assert_false(choice[i].minor_to_major[0] == 1 && choice[i].minor_to_major[1] == 2);
    struct xpd_order_choice two[2];
    assert_int_equal(xpd_tiling_orders(ht_array(&array), two, 2), 2);
    assert_memory_equal(&two[0], &choice[0], sizeof two[0]);
    assert_memory_equal(&two[1], &choice[1], sizeof two[1]);
    assert_int_equal(xpd_tiling_orders(ht_array(&array), choice, 0), 0);
}

static void five_dimensions_have_119_other_orders(void **state)
{
    (void)state;
    struct xpd_order_choice choice[128];
    const struct ht_array array = {
        HB_BF16, {2, 3, 4, 5, 6}, {4, 3, 2, 1, 0}, 5, {{8, 128}, {2, 1}}, 0, 0};
    assert_int_equal(xpd_tiling_orders(ht_array(&array), choice, 128), 119);
    const struct ht_array six = {HB_F32, {1, 2, 3, 4, 5, 6}, {5, 4, 3, 2, 1, 0}, 6, {{8, 128}}, 0,
                                 0};
    assert_int_equal(xpd_tiling_orders(ht_array(&six), choice, 128), 0);
}

static void what_makes_no_sense_is_unknown(void **state)
{
    (void)state;
    static const struct ht_array bad[] = {
        {HB_F32, {4, 4}, {1, 1}, 2, {{8, 128}}, 0, 0},                 /* order twice */
        {HB_F32, {4, 4}, {1, 2}, 2, {{8, 128}}, 0, 0},                 /* order too far */
        {HB_F32, {4, 4}, {-1, 0}, 2, {{8, 128}}, 0, 0},                /* order negative */
        {HB_F32, {-4, 4}, {1, 0}, 2, {{8, 128}}, 0, 0},                /* size negative */
        {HB_F32, {FOLD, 4}, {1, 0}, 2, {{8, 128}}, 0, 0},              /* no bound */
        {HB_F32, {4, 4}, {1, 0}, 2, {{-8, 128}}, 0, 0},                /* tile negative */
        {HB_F32, {4, 4}, {1, 0}, 2, {{8, FOLD}}, 0, 0},                /* folds into nothing */
        {HB_F32, {INT64_MAX, INT64_MAX}, {1, 0}, 2, {{8, 128}}, 0, 0}, /* overflow */
        {HB_F32, {4, 4}, {1, 0}, 2, {{INT64_MAX, INT64_MAX}}, 0, 0},   /* overflow by tile */
        {HB_F32, {4, 4}, {1, 0}, 2, {{8, 128}}, 0, INT64_MAX},         /* overflow by tail */
        {HB_F32, {4, 4}, {1, 0}, 2, {{8, 128}}, INT64_MAX, 0},         /* bits */
        {HB_F32, {4, 4}, {1, 0}, 2, {{8, 128}}, -4, 0},                /* bits */
        {HB_TOKEN, {0}, {0}, 0, {{0}}, 0, 0},
        {77, {4, 4}, {1, 0}, 2, {{8, 128}}, 0, 0},
    };
    struct xpd_order_choice choice[4];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct xpd_tiling tiling;
        xpd_tiling_of(&tiling, ht_array(&bad[i]));
        assert_false(tiling.known);
        int64_t bytes;
        assert_false(xpd_tiling_bytes(ht_array(&bad[i]), &bytes));
        xpd_tiling_orders(ht_array(&bad[i]), choice, 4);
    }
    struct xpd_tiling tiling;
    const struct xpd_shape bare = {.type = HB_F32};
    xpd_tiling_of(&tiling, &bare);
    assert_false(tiling.known);
    int64_t dims[XPD_TILING_DIMS + 1] = {0};
    const struct xpd_layout layout = {.minor_to_major = dims,
                                      .minor_to_major_count = XPD_TILING_DIMS + 1};
    const struct xpd_shape wide = {
        .type = HB_F32, .rank = XPD_TILING_DIMS + 1, .dims = dims, .layout = &layout};
    xpd_tiling_of(&tiling, &wide);
    assert_false(tiling.known);
}

static int64_t offset_of(const struct ht_array *array, int64_t row, int64_t column)
{
    int64_t index[2] = {row, column}, offset = -1;
    return xpd_tiling_offset(ht_array(array), index, &offset) ? offset : -1;
}

/* Reference T2, T3 and S4.17. */
static void elements_lie_where_the_vectors_say(void **state)
{
    (void)state;
    const struct ht_array one = {HB_F32, {3, 5}, {1, 0}, 2, {{2, 2}}, 0, 0};
    const struct ht_array two = {HB_BF16, {4, 8}, {1, 0}, 2, {{2, 4}, {2, 1}}, 0, 0};
    const struct {
        const struct ht_array *array;
        int64_t row, column, offset;
    } cases[] = {
        {&one, 0, 0, 0},  {&one, 0, 1, 1},  {&one, 1, 0, 2},  {&one, 1, 1, 3}, {&one, 0, 2, 4},
        {&one, 2, 0, 12}, {&one, 2, 4, 20}, {&one, 2, 3, 17}, {&two, 0, 0, 0}, {&two, 1, 0, 1},
        {&two, 0, 1, 2},  {&two, 1, 1, 3},  {&two, 1, 2, 5},  {&two, 0, 4, 8}, {&two, 2, 0, 16},
        {&one, 3, 5, 23}, /* in the padding: the last of 24 */
        {&one, 4, 0, -1}, {&one, -1, 0, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(offset_of(cases[i].array, cases[i].row, cases[i].column), cases[i].offset);
}

static void dims_after_each_tile(void **state)
{
    (void)state;
    const struct ht_array array = {HB_BF16, {32, 32, 4096}, {2, 1, 0}, 3, {{8, 128}, {2, 1}}, 0, 0};
    const int64_t after[3][7] = {{32, 32, 4096}, {32, 4, 32, 8, 128}, {32, 4, 32, 4, 128, 2, 1}};
    const uint32_t counts[] = {3, 5, 7};
    int64_t dims[XPD_TILED_DIMS];
    uint32_t count;
    for (uint32_t tiles = 0; tiles < 3; tiles++) {
        assert_true(xpd_tiling_dims(ht_array(&array), tiles, dims, &count));
        assert_int_equal(count, counts[tiles]);
        assert_memory_equal(dims, after[tiles], count * sizeof *dims);
    }
    assert_false(xpd_tiling_dims(ht_array(&array), 3, dims, &count));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_have_their_bytes),
        cmocka_unit_test(costs_add_up),
        cmocka_unit_test(s13_blames_its_second_dimension),
        cmocka_unit_test(cost_counts_minor_padding_first),
        cmocka_unit_test(splits_take_the_largest_piece),
        cmocka_unit_test(other_orders_come_cheapest_first),
        cmocka_unit_test(five_dimensions_have_119_other_orders),
        cmocka_unit_test(what_makes_no_sense_is_unknown),
        cmocka_unit_test(elements_lie_where_the_vectors_say),
        cmocka_unit_test(dims_after_each_tile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
