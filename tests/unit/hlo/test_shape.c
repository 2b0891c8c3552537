/* Shapes: vectors S1 to S12 of the memory reference through the loader, texts, sub-shapes. */
#include "hlo_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct vector {
    struct hb_shape shape;
    const char *text;
    int64_t bytes, xprof_bytes;
};

static const struct hb_shape three[] = {
    {.type = HB_F32, .rank = 1, .dims = {4}, .layout = HB_DESCENDING},
    {.type = HB_S32, .layout = HB_DESCENDING},
    {.type = HB_PRED, .rank = 1, .dims = {3}}};

static const struct vector vectors[] = {
    {{.type = HB_F32, .rank = 2, .dims = {96, 512}, .layout = HB_DESCENDING},
     "f32[96,512]{1,0}",
     196608,
     196608},
    {{.type = HB_BF16,
      .rank = 4,
      .dims = {8, 56, 24, 16384},
      .layout = HB_DESCENDING,
      .tiles = {{8, 128}, {2, 1}}},
     "bf16[8,56,24,16384]{3,2,1,0:T(8,128)(2,1)}",
     352321536,
     352321536},
    {{.type = HB_F32, .layout = HB_DESCENDING, .tiles = {{128}}}, "f32[]{:T(128)}", 4, 4},
    {{.type = HB_F32, .layout = HB_DESCENDING}, "f32[]", 4, 4},
    {{.type = HB_S4, .rank = 1, .dims = {10}, .layout = HB_DESCENDING, .element_bits = 4},
     "s4[10]{0:E(4)}",
     5,
     5},
    {{.type = HB_S4, .rank = 1, .dims = {10}, .layout = HB_DESCENDING}, "s4[10]{0}", 5, 10},
    {{.type = HB_PRED, .rank = 1, .dims = {7}, .layout = HB_DESCENDING}, "pred[7]{0}", 7, 7},
    {{.type = HB_TUPLE, .elements = three, .n_elements = 3}, "(f32[4]{0}, s32[], pred[3])", 24, 24},
    {{.type = HB_TOKEN}, "token[]", 0, 0},
    {{.type = HB_OPAQUE}, "opaque[]", 8, 8},
    {{.type = HB_F32, .rank = 2, .dims = {8, 4}, .dynamic = {true}, .layout = HB_DESCENDING},
     "f32[<=8,4]{1,0}",
     128,
     128},
    {{.type = HB_F32, .rank = 2, .dims = {0, 5}, .layout = HB_DESCENDING}, "f32[0,5]{1,0}", 0, 0},
    {{.type = HB_BF16,
      .rank = 4,
      .dims = {1, 4096, 8, 1281},
      .layout = HB_MINOR,
      .minor = {1, 3, 2, 0},
      .tiles = {{8, 128}, {2, 1}}},
     "bf16[1,4096,8,1281]{1,3,2,0:T(8,128)(2,1)}",
     83951616,
     83951616},
    {{.type = HB_TUPLE}, "()", 0, 0},
    {{.type = HB_U32, .layout = HB_DESCENDING, .memory_space = 2}, "u32[]{:S(2)}", 4, 4},
    {{.type = HB_F32, .layout = HB_DESCENDING, .tiles = {{128}}, .memory_space = 6},
     "f32[]{:T(128)S(6)}",
     4,
     4},
    {{.type = HB_F32, .rank = 1, .dims = {5}, .layout = HB_DESCENDING, .tail_align = 1},
     "f32[5]{0}",
     20,
     20},
    {{.type = HB_F32, .rank = 1, .dims = {5}, .layout = HB_DESCENDING, .tail_align = 1024},
     "f32[5]{0:L(1024)}",
     20,
     20},
    {{.type = (enum hb_type)77, .rank = 1, .dims = {3}, .layout = HB_DESCENDING},
     "t77[3]{0}",
     0,
     0},
    {{.type = HB_F32, .rank = 2, .dims = {INT64_MIN, 4}, .dynamic = {true}}, "f32[?,4]", 0, 0},
    {{.type = HB_F32, .rank = 1, .dims = {5}}, "f32[5]", 20, 20},
    {{.type = HB_S4,
      .rank = 2,
      .dims = {3, 3},
      .layout = HB_DESCENDING,
      .tiles = {{8, 128}, {8, 1}},
      .element_bits = 4,
      .memory_space = 1},
     "s4[3,3]{1,0:T(8,128)(8,1)E(4)S(1)}",
     5,
     5},
};

static void vectors_have_their_text_and_sizes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        struct xpd_hlo *hlo = ht_load_shape(&vectors[i].shape);
        const struct xpd_shape *shape = hlo->instructions.shape[0];
        bool overflow = false;
        assert_string_equal(ht_text(shape, true), vectors[i].text);
        assert_int_equal(xpd_shape_unpadded_bytes(shape, &overflow), vectors[i].bytes);
        assert_int_equal(xpd_shape_unpadded_bytes_xprof(shape, &overflow), vectors[i].xprof_bytes);
        assert_false(overflow);
        assert_int_equal(hlo->warnings.count, 0);
        xpd_hlo_free(hlo);
    }
}

/* S11: f32[4] and (s32[2], f32[100]); {1,0} is s32[2], which XProf takes for f32[4]. */
static void nested_index_is_walked_whole(void **state)
{
    (void)state;
    const struct hb_shape inner[] = {{.type = HB_S32, .rank = 1, .dims = {2}},
                                     {.type = HB_F32, .rank = 1, .dims = {100}}};
    const struct hb_shape outer[] = {{.type = HB_F32, .rank = 1, .dims = {4}},
                                     {.type = HB_TUPLE, .elements = inner, .n_elements = 2}};
    const struct hb_shape tuple = {.type = HB_TUPLE, .elements = outer, .n_elements = 2};
    struct xpd_hlo *hlo = ht_load_shape(&tuple);
    const struct xpd_shape *shape = hlo->instructions.shape[0];
    const int64_t index[] = {1, 0}, far[] = {1, 7}, negative[] = {-1};
    bool overflow = false;
    assert_string_equal(ht_text(xpd_shape_at(shape, index, 2), true), "s32[2]");
    assert_int_equal(xpd_shape_unpadded_bytes(xpd_shape_at(shape, index, 2), &overflow), 8);
    const struct xpd_shape *xprof = xpd_shape_at_xprof(shape, index, 2);
    assert_string_equal(ht_text(xprof, true), "f32[4]");
    assert_int_equal(xpd_shape_unpadded_bytes_xprof(xprof, &overflow), 16);
    assert_null(xpd_shape_at(shape, far, 2));
    assert_ptr_equal(xpd_shape_at_xprof(shape, far, 2), shape);
    assert_null(xpd_shape_at(shape, negative, 1));
    assert_ptr_equal(xpd_shape_at_xprof(shape, negative, 1), shape);
    assert_ptr_equal(xpd_shape_at(shape, NULL, 0), shape);
    assert_ptr_equal(xpd_shape_at_xprof(shape, NULL, 0), shape);
    xpd_hlo_free(hlo);
}

static void long_tuples_count_their_elements(void **state)
{
    (void)state;
    struct xpd_shape element[12];
    for (size_t i = 0; i < 12; i++)
        element[i] = (struct xpd_shape){.type = HB_PRED};
    struct xpd_shape tuple = {.type = XPD_TYPE_TUPLE, .element = element, .element_count = 12};
    assert_string_equal(
        ht_text(&tuple, true),
        "(pred[], pred[], pred[], pred[], pred[], /*index=5*/pred[], pred[], pred[], "
        "pred[], pred[], /*index=10*/pred[], pred[])");
}

static void every_part_of_a_layout_has_its_place(void **state)
{
    (void)state;
    const int64_t minor[] = {1, 0}, dims[] = {16, 64}, first[] = {XPD_DIM_UNBOUNDED, 8};
    const int64_t at[] = {8, 12};
    const struct xpd_tile tile[] = {{first, 2}};
    const struct xpd_split split[] = {{0, at, 2}, {1, at, 1}};
    const struct xpd_layout plain = {.minor_to_major = minor, .minor_to_major_count = 2};
    const struct xpd_shape physical = {.type = HB_U8, .rank = 2, .dims = dims, .layout = &plain};
    const struct xpd_layout layout = {.minor_to_major = minor,
                                      .minor_to_major_count = 2,
                                      .tile = tile,
                                      .tile_count = 1,
                                      .split = split,
                                      .split_count = 2,
                                      .element_size_bits = 4,
                                      .memory_space = 3,
                                      .tail_padding_elements = 7,
                                      .dynamic_prefix_bytes = 16,
                                      .index_type = HB_U32,
                                      .pointer_type = 99,
                                      .physical_shape = &physical};
    const struct xpd_shape shape = {.type = HB_S4, .rank = 2, .dims = dims, .layout = &layout};
    assert_string_equal(
        ht_text(&shape, true),
        "s4[16,64]{1,0:T(*,8)L(7)#(u32)*(t99)E(4)S(3)SC(0:8,12)(1:8)P(u8[16,64]{1,0})"
        "M(16)}");
    assert_string_equal(ht_text(&shape, false), "s4[16,64]");
    const struct xpd_shape buffer = {
        .type = XPD_TYPE_BUFFER, .element = &physical, .element_count = 1};
    assert_string_equal(ht_text(&buffer, true), "b(u8[16,64]{1,0})");
    bool overflow = false;
    assert_int_equal(xpd_shape_unpadded_bytes(&buffer, &overflow), 1024);
    const struct xpd_shape hollow = {.type = XPD_TYPE_BUFFER};
    assert_string_equal(ht_text(&hollow, true), "b()");
    assert_int_equal(xpd_shape_unpadded_bytes(&hollow, &overflow), 0);
}

static void sizes_saturate(void **state)
{
    (void)state;
    const int64_t huge[] = {INT64_MAX, INT64_MAX}, none[] = {INT64_MAX, INT64_MAX, 0};
    struct xpd_shape shape = {.type = HB_F32, .rank = 2, .dims = huge};
    bool overflow = false;
    assert_int_equal(xpd_shape_unpadded_bytes(&shape, &overflow), INT64_MAX);
    assert_true(overflow);
    assert_int_equal(xpd_shape_unpadded_bytes(&shape, NULL), INT64_MAX);
    overflow = false;
    shape = (struct xpd_shape){.type = HB_F32, .rank = 3, .dims = none};
    assert_int_equal(xpd_shape_unpadded_bytes(&shape, &overflow), 0);
    assert_false(overflow);
    /* Half of 2^63 - 1 bytes: the product in bits would not fit. */
    shape = (struct xpd_shape){.type = HB_S4, .rank = 1, .dims = huge};
    assert_int_equal(xpd_shape_unpadded_bytes(&shape, &overflow), (int64_t)1 << 62);
    assert_false(overflow);
}

static void types_have_names_and_bits(void **state)
{
    (void)state;
    char scratch[16];
    assert_string_equal(xpd_type_name(16, scratch), "bf16");
    assert_string_equal(xpd_type_name(33, scratch), "f8e8m0fnu");
    assert_string_equal(xpd_type_name(36, scratch), "f6e2m3fn");
    assert_string_equal(xpd_type_name(37, scratch), "t37");
    assert_string_equal(xpd_type_name(INT32_MIN, scratch), "t-2147483648");
    for (int32_t type = 1; type < XPD_TYPES; type++)
        assert_int_equal(xpd_type_of(xpd_str_of(xpd_type_name(type, scratch))), type);
    assert_int_equal(xpd_type_of(XPD_STR("")), 0);
    assert_int_equal(xpd_type_of(XPD_STR("f")), 0);
    assert_int_equal(xpd_type_of(XPD_STR("f8e4m3")), 28); /* f8e4m3fn begins with it */
    assert_int_equal(xpd_type_of(XPD_STR("f32\0")), 0);
    assert_int_equal(xpd_type_of(XPD_STR("t37")), 0);
    assert_int_equal(xpd_type_bits(21), 4);
    assert_int_equal(xpd_type_bits(18), 128);
    assert_int_equal(xpd_type_bits(13), 0);
    assert_int_equal(xpd_type_bits(-1), 0);
    assert_int_equal(xpd_type_bits(1000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_have_their_text_and_sizes),
        cmocka_unit_test(nested_index_is_walked_whole),
        cmocka_unit_test(long_tuples_count_their_elements),
        cmocka_unit_test(every_part_of_a_layout_has_its_place),
        cmocka_unit_test(sizes_saturate),
        cmocka_unit_test(types_have_names_and_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
