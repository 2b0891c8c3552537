/* Replica groups and shardings. Expected members are written by hand from the rule (reference T8,
 * S4.27, S4.31). */
#include "hlo_test.h"
#include "xprofd/hlo/groups.h"
#include "xprofd/hlo/sharding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *expand(const char *text)
{
    static char out[400];
    struct xpd_arena arena = {0};
    struct xpd_err err = {0};
    struct xpd_groups g;
    size_t n = 0;
    if (xpd_groups_parse(&g, &arena, xpd_str_of(text), &err) != XPD_OK) {
        xpd_arena_fini(&arena);
        return "refused";
    }
    out[0] = '\0';
    for (uint32_t i = 0; i < g.count; i++) {
        n += (size_t)snprintf(out + n, sizeof out - n, "%s{", i ? "," : "");
        for (uint32_t k = g.first[i]; k < g.first[i + 1]; k++)
            n += (size_t)snprintf(out + n, sizeof out - n, "%s%d", k > g.first[i] ? "," : "",
                                  (int)g.member[k]);
        n += (size_t)snprintf(out + n, sizeof out - n, "}");
    }
    snprintf(out + n, sizeof out - n, " %d/%d", (int)g.axis_size, (int)g.stride);
    xpd_arena_fini(&arena);
    return out;
}

static void the_three_forms(void **state)
{
    (void)state;
    assert_string_equal(expand("[4,2]<=[2,4]T(1,0)"), "{0,4},{1,5},{2,6},{3,7} 2/4");
    assert_string_equal(expand("[2,4]<=[8]"), "{0,1,2,3},{4,5,6,7} 4/1");
    assert_string_equal(expand("[4,2]<=[2,2,2]T(1,0,2)"), "{0,1},{4,5},{2,3},{6,7} 2/1");
    assert_string_equal(expand("{{0,1},{2,3}}"), "{0,1},{2,3} 2/1");
    assert_string_equal(expand("{{0,1,2},{3}}"), "{0,1,2},{3} 0/0");
    assert_string_equal(expand("{}"), " 0/0");
    /* Mesh of 2 x 4, device = a*4 + b: along a the neighbour is 4 away, along b 1. */
    assert_string_equal(expand("mesh['a'=2,'b'=4] {'a'}"), "{0,4},{1,5},{2,6},{3,7} 2/4");
    assert_string_equal(expand("mesh['a'=2,'b'=4] {'b'}"), "{0,1,2,3},{4,5,6,7} 4/1");
    assert_string_equal(expand("mesh['a'=2,'b'=2] {'a','b'}"), "{0,1,2,3} 4/1");
    assert_string_equal(expand("{{0,16,32,48,64,80,96,112},{1,17,33,49,65,81,97,113}}"),
                        "{0,16,32,48,64,80,96,112},{1,17,33,49,65,81,97,113} 8/16");
}

static void what_is_no_group_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",          "x",
                                      "{{0,1}",    "[4,2]<=[9]",
                                      "[4,2]",     "[4,2]<=[2,4]T(0,0)",
                                      "[4,2]<=[]", "mesh['a'=2] {'b'}",
                                      "mesh['a'",  "[4294967296,4294967296]<=[2]",
                                      "{{0,,1}}",  "mesh['a'=2] {'a','a'}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_string_equal(expand(bad[i]), "refused");
}

static void the_axis_in_words(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    struct xpd_err err = {0};
    struct xpd_groups g;
    struct xpd_strbuf out = {0};
    assert_int_equal(xpd_groups_parse(&g, &arena,
                                      XPD_STR("{{0,16,32,48,64,80,96,112},{1,17,33,49,65,81,97,113}"
                                              "}"),
                                      &err),
                     XPD_OK);
    xpd_groups_words(&out, &g);
    xpd_strbuf_putc(&out, '\0');
    assert_string_equal(out.data,
                        "2 groups of 8, stride 16: an axis of 8 devices with blocks of 16 devices "
                        "inside.");
    xpd_strbuf_fini(&out);
    xpd_arena_fini(&arena);
}

static const char *listed(const char *text, bool pairs)
{
    static char out[400];
    struct xpd_arena arena = {0};
    struct xpd_err err = {0};
    struct xpd_groups g;
    struct xpd_strbuf list = {0};
    assert_int_equal(xpd_groups_parse(&g, &arena, xpd_str_of(text), &err), XPD_OK);
    if (pairs)
        assert_true(xpd_groups_pairs(&list, &g));
    else
        xpd_groups_list(&list, &g);
    snprintf(out, sizeof out, "%.*s", (int)list.size, list.data);
    xpd_strbuf_fini(&list);
    xpd_arena_fini(&arena);
    return out;
}

/* S1.70: explicit, iota and mesh groups print the same list. */
static void every_form_is_one_list(void **state)
{
    (void)state;
    const char *same = "4 groups of 2: {0,4} {1,5} {2,6} {3,7}";
    assert_string_equal(listed("{{0,4},{1,5},{2,6},{3,7}}", false), same);
    assert_string_equal(listed("[4,2]<=[2,4]T(1,0)", false), same);
    assert_string_equal(listed("mesh['a'=2,'b'=4] {'a'}", false), same);
    assert_string_equal(listed("[1,16]<=[16]", false), "1 group of 16: {0,1,2,3,4,5,6,7,\u2026}");
    assert_string_equal(listed("[8,1]<=[8]", false), "8 groups of 1: {0} {1} {2} {3} \u2026");
    assert_string_equal(listed("{{0,1,2},{3}}", false), "2 groups: {0,1,2} {3}");
    assert_string_equal(listed("{}", false), "all devices");
    assert_string_equal(listed("{{0,1},{1,0}}", true), "2 pairs: 0\u21921 1\u21920");
    struct xpd_arena arena = {0};
    struct xpd_err err = {0};
    struct xpd_groups g;
    struct xpd_strbuf none = {0};
    assert_int_equal(xpd_groups_parse(&g, &arena, XPD_STR("{{0,1},{2}}"), &err), XPD_OK);
    assert_false(xpd_groups_pairs(&none, &g));
    assert_int_equal(none.size, 0);
    xpd_arena_fini(&arena);
}

static const struct xpd_shape *shape3(int64_t a, int64_t b, int64_t c)
{
    return ht_array(&(struct ht_array){
        .type = HB_BF16, .dims = {a, b, c}, .minor = {c ? 2 : 1, c ? 1 : 0, 0}, .rank = c ? 3 : 2});
}

/* S4.27: mesh 4x2, data on the first axis, model on the second. */
static void the_global_shapes_of_the_seed(void **state)
{
    (void)state;
    struct xpd_sharding s;
    int64_t dims[XPD_SHARDING_RANK];
    xpd_sharding_parse(&s, XPD_STR("{devices=[4,1,1,2]<=[8] last_tile_dim_replicate}"));
    assert_int_equal(s.kind, XPD_SHARDING_TILED);
    assert_int_equal(s.copies, 2);
    assert_true(xpd_sharding_global(&s, shape3(8, 1024, 8192), dims));
    assert_int_equal(dims[0], 32);
    assert_int_equal(dims[1], 1024);
    assert_int_equal(dims[2], 8192);
    xpd_sharding_parse(&s, XPD_STR("{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}"));
    assert_true(xpd_sharding_global(&s, shape3(8192, 16384, 0), dims));
    assert_int_equal(dims[0], 8192);
    assert_int_equal(dims[1], 32768);
    xpd_sharding_parse(&s, XPD_STR("{replicated}"));
    assert_int_equal(s.kind, XPD_SHARDING_REPLICATED);
    xpd_sharding_parse(&s, XPD_STR("{maximal device=3}"));
    assert_int_equal(s.device, 3);
    xpd_sharding_parse(&s,
                       XPD_STR("{devices=[2,2,2,2]<=[16] last_tile_dims={manual, replicated}}"));
    assert_int_equal(s.rank, 2);
    assert_int_equal(s.copies, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_three_forms),
        cmocka_unit_test(what_is_no_group_is_refused),
        cmocka_unit_test(the_axis_in_words),
        cmocka_unit_test(every_form_is_one_list),
        cmocka_unit_test(the_global_shapes_of_the_seed),
    };
    return cmocka_run_group_tests_name("hlo groups", tests, NULL, NULL);
}
