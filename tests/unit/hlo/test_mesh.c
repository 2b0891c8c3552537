/* Groups and shardings along the axes of a mesh that is typed in (S4.27, S4.31). Devices are placed
 * by hand: with the last axis innermost, device = a * (size of b) + b. */
#include "hlo_test.h"
#include "xprofd/hlo/mesh.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char said[512];

static const char *keep(struct xpd_strbuf *out)
{
    snprintf(said, sizeof said, "%.*s", (int)out->size, out->size ? out->data : "");
    xpd_strbuf_fini(out);
    return said;
}

static const char *mesh_words(const char *text)
{
    struct xpd_mesh mesh;
    struct xpd_err err = {0};
    struct xpd_strbuf out = {0};
    if (xpd_mesh_parse(&mesh, xpd_str_of(text), &err) != XPD_OK)
        return "refused";
    xpd_mesh_words(&out, &mesh);
    return keep(&out);
}

static const char *groups_words(const char *text, const char *groups)
{
    struct xpd_mesh mesh;
    struct xpd_groups g;
    struct xpd_arena arena = {0};
    struct xpd_err err = {0};
    struct xpd_strbuf out = {0};
    assert_int_equal(xpd_mesh_parse(&mesh, xpd_str_of(text), &err), XPD_OK);
    assert_int_equal(xpd_groups_parse(&g, &arena, xpd_str_of(groups), &err), XPD_OK);
    xpd_mesh_groups_words(&out, &mesh, &g);
    xpd_arena_fini(&arena);
    return keep(&out);
}

static const char *sharding_words(const char *text, const char *sharding)
{
    struct xpd_mesh mesh;
    struct xpd_arena arena = {0};
    struct xpd_err err = {0};
    struct xpd_strbuf out = {0};
    assert_int_equal(xpd_mesh_parse(&mesh, xpd_str_of(text), &err), XPD_OK);
    xpd_mesh_sharding_words(&out, &arena, &mesh, xpd_str_of(sharding));
    xpd_arena_fini(&arena);
    return keep(&out);
}

/* What a typed sharding is in HLO's words, or why it is none. */
static const char *typed(const char *mesh_text, const char *text, uint32_t rank)
{
    struct xpd_mesh mesh = {0};
    struct xpd_arena arena = {0};
    struct xpd_err err = {0};
    struct xpd_str out;
    int64_t dims[8] = {8, 8, 8, 8, 8, 8, 8, 8};
    struct xpd_shape array = {.type = 11, .rank = rank, .dims = dims};
    if (*mesh_text)
        assert_int_equal(xpd_mesh_parse(&mesh, xpd_str_of(mesh_text), &err), XPD_OK);
    int rc = xpd_mesh_sharding(&out, &arena, &mesh, xpd_str_of(text), rank ? &array : NULL, &err);
    snprintf(said, sizeof said, "%.*s", rc == XPD_OK ? (int)out.size : (int)sizeof said - 1,
             rc == XPD_OK ? out.data : err.text);
    xpd_arena_fini(&arena);
    return said;
}

/* Device = x * 4 + y in the mesh x=2,y=4. */
static void shardings_that_are_typed(void **state)
{
    (void)state;
    assert_string_equal(typed("", " replicated ", 2), "{replicated}");
    assert_string_equal(typed("", "{devices=[2,4]<=[8]}", 2), "{devices=[2,4]<=[8]}");
    assert_string_equal(typed("x=2,y=4", "P(x, y)", 2), "{devices=[2,4]<=[2,4]T(0,1)}");
    assert_string_equal(typed("x=2,y=4", "P('y', 'x')", 2), "{devices=[4,2]<=[2,4]T(1,0)}");
    assert_string_equal(typed("x=2,y=4", "PartitionSpec(None, ('y', 'x'),)", 2),
                        "{devices=[1,8]<=[2,4]T(1,0)}");
    assert_string_equal(typed("x=2,y=4", "y", 3),
                        "{devices=[4,1,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}");
    assert_string_equal(typed("x=2,y=4", "P(None, None)", 2), "{replicated}");
    assert_string_equal(typed("x=2,y=4", "P()", 2), "{replicated}");
    assert_string_equal(typed("n=4", "None,n", 0), "{devices=[1,4]<=[4]}");
    /* What the text means: tile (i, j) of P(y, x) is on x=j, y=i. */
    assert_string_equal(sharding_words("x=2,y=4", "{devices=[4,2]<=[2,4]T(1,0)}"),
                        "In the mesh x=2 \xc3\x97 y=4, 8 devices: dimension 0 is cut along y, "
                        "dimension 1 is cut along x.");
    assert_non_null(strstr(typed("", "P(x)", 1), "needs a mesh"));
    assert_non_null(strstr(typed("x=2", "P(z)", 1), "an axis that the mesh does not have"));
    assert_non_null(strstr(typed("x=2", "P(x, x)", 2), "names an axis twice"));
    assert_non_null(strstr(typed("x=2", "P(x", 1), "does not close it"));
    assert_non_null(strstr(typed("x=2", "P((x)", 1), "does not close it"));
    assert_non_null(strstr(typed("x=2", "P(x) y", 1), "has text after its end"));
    assert_non_null(strstr(typed("x=2", "P(x, None)", 1), "more dimensions than the array"));
    assert_non_null(strstr(typed("x=2", "", 1), "empty dimension"));
    assert_non_null(strstr(typed("x=2", "{frobnicate}", 1), "is not an HLO sharding"));
    assert_non_null(strstr(typed("x=2", "x x x", 1), "has text after its end"));
}

static void what_a_mesh_is(void **state)
{
    (void)state;
    assert_string_equal(mesh_words("data=4,model=2"), "data=4 × model=2, 8 devices");
    assert_string_equal(mesh_words(" x = 2 , y = 2 "), "x=2 × y=2, 4 devices");
    assert_string_equal(mesh_words("4x2"), "a=4 × b=2, 8 devices");
    assert_string_equal(mesh_words("4,2,1"), "a=4 × b=2 × c=1, 8 devices");
    assert_string_equal(mesh_words("256"), "a=256, 256 devices");
    static const char *const bad[] = {"",
                                      "data",
                                      "data=",
                                      "data=0",
                                      "a=2,a=2",
                                      "=2",
                                      "a=2,",
                                      "a=2;b=2",
                                      "a=2 b=2",
                                      "4x",
                                      "a=<script>",
                                      "1048576,2",
                                      "-1",
                                      "1,1,1,1,1,1,1,1,1",
                                      "9223372036854775807",
                                      "a=4x2",
                                      "a=99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (strcmp(mesh_words(bad[i]), "refused") != 0)
            fail_msg("\"%s\" was taken for a mesh: %s", bad[i], said);
}

static void groups_along_axes(void **state)
{
    (void)state;
    /* The seed: 8 along the outer axis, 16 inside of it. */
    assert_string_equal(
        groups_words("data=8,model=16", "[16,8]<=[8,16]T(1,0)"),
        "In the mesh data=8 × model=16, 128 devices: each group runs along data, one group for "
        "each place on model.");
    assert_string_equal(
        groups_words("data=4,model=2", "{{0,1},{2,3},{4,5},{6,7}}"),
        "In the mesh data=4 × model=2, 8 devices: each group runs along model, one group for each "
        "place on data.");
    assert_string_equal(groups_words("data=4,model=2", "[1,8]<=[8]"),
                        "In the mesh data=4 × model=2, 8 devices: each group runs along data and "
                        "model.");
    assert_string_equal(groups_words("data=4,model=2", "{}"),
                        "In the mesh data=4 × model=2, 8 devices: one group, along data and "
                        "model.");
    /* x and z of 2 x 2 x 2: 0, 1, 4, 5. */
    assert_string_equal(
        groups_words("x=2,y=2,z=2", "{{0,1,4,5},{2,3,6,7}}"),
        "In the mesh x=2 × y=2 × z=2, 8 devices: each group runs along x and z, one "
        "group for each place on y.");
    assert_string_equal(groups_words("data=4,model=2", "{{0},{1},{2},{3},{4},{5},{6},{7}}"),
                        "In the mesh data=4 × model=2, 8 devices: each device by itself.");
    /* Half of an axis, and a diagonal, are not axes. */
    assert_string_equal(
        groups_words("data=8", "{{0,1,2,3},{4,5,6,7}}"),
        "In the mesh data=8, 8 devices: the groups do not follow whole axes of it.");
    assert_string_equal(groups_words("a=2,b=2", "{{0,3},{1,2}}"),
                        "In the mesh a=2 × b=2, 4 devices: the groups do not follow whole axes of "
                        "it.");
    assert_string_equal(groups_words("a=2,b=2", "{{0,1,2,3},{4,5,6,7}}"),
                        "In the mesh a=2 × b=2, 4 devices: it is too small, the groups name device "
                        "7.");
}

static void shardings_along_axes(void **state)
{
    (void)state;
    /* S4.27: the batch over 4, the features over 2. */
    assert_string_equal(
        sharding_words("data=4,model=2", "{devices=[4,1,1,2]<=[8] last_tile_dim_replicate}"),
        "In the mesh data=4 × model=2, 8 devices: dimension 0 is cut along data, 2 copies along "
        "model.");
    assert_string_equal(
        sharding_words("data=4,model=2", "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}"),
        "In the mesh data=4 × model=2, 8 devices: dimension 1 is cut along model, 4 copies along "
        "data.");
    assert_string_equal(sharding_words("data=4,model=2", "{devices=[4,2]0,1,2,3,4,5,6,7}"),
                        "In the mesh data=4 × model=2, 8 devices: dimension 0 is cut along data, "
                        "dimension 1 is cut along model.");
    assert_string_equal(sharding_words("data=4,model=2", "{devices=[8]<=[8]}"),
                        "In the mesh data=4 × model=2, 8 devices: dimension 0 is cut along data "
                        "and model.");
    assert_string_equal(sharding_words("data=8", "{devices=[4,2]<=[8]}"),
                        "In the mesh data=8, 8 devices: dimension 0 is cut along no whole axes, "
                        "dimension 1 is cut along no whole axes.");
    assert_string_equal(sharding_words("data=2", "{devices=[4]<=[4]}"),
                        "In the mesh data=2, 2 devices: it is too small, the sharding names device "
                        "3.");
    /* Nothing is said of what names no devices, or is cut short. */
    assert_string_equal(sharding_words("data=2", "{replicated}"), "");
    assert_string_equal(sharding_words("data=2", "{devices=[4]"), "");
    assert_string_equal(sharding_words("data=2", "{devices=[4]0,1}"), "");
    assert_string_equal(sharding_words("data=2", "{devices=[0]<=[2]}"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_mesh_is),
        cmocka_unit_test(shardings_that_are_typed),
        cmocka_unit_test(groups_along_axes),
        cmocka_unit_test(shardings_along_axes),
    };
    return cmocka_run_group_tests_name("hlo mesh", tests, NULL, NULL);
}
