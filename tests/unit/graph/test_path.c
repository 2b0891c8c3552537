/* Ways through small programs, counted by hand: shortest, longest, near, and search by text. */
#include "graph_test.h"
#include "xprofd/graph/path.h"
#include "xprofd/graph/search.h"

/* main: p -> fus(body: fp -> neg -> exp) -> w(while: body bp -> add) -> out; q alone. */
static void build(struct gt *t)
{
    gt_begin(t);
    hb_begin_computation(&t->hb, "fused", 2, true);
    gt_add_more(t, "fp", "parameter", 11, &gt_big, "", 0, 0);
    gt_add(t, "neg", "negate", 12, &gt_big, "11");
    gt_add(t, "exp", "exponential", 13, &gt_big, "12");
    hb_end_computation(&t->hb, 13);
    hb_begin_computation(&t->hb, "turn", 3, false);
    gt_add_more(t, "bp", "parameter", 21, &gt_big, "", 0, 0);
    gt_add(t, "sum", "add", 22, &gt_big, "21 21");
    gt_add(t, "more", "abs", 23, &gt_big, "22");
    hb_end_computation(&t->hb, 23);
    hb_begin_computation(&t->hb, "main", 1, false);
    gt_add_more(t, "p", "parameter", 1, &gt_big, "", 0, 0);
    gt_add_more(t, "q", "parameter", 2, &gt_small, "", 0, 1);
    gt_add_more(t, "fus", "fusion", 3, &gt_big, "1", 2, 0);
    gt_add_more(t, "w", "while", 4, &gt_big, "3", 3, 0);
    gt_add(t, "c", "copy", 5, &gt_small, "2");
    gt_add(t, "out", "add", 6, &gt_big, "4 3");
    hb_end_computation(&t->hb, 6);
    gt_load(t);
}

static const char *way(const struct gt *t, const struct xpd_path *path)
{
    static char text[512];
    text[0] = '\0';
    for (uint32_t k = 0; k < path->count; k++) {
        char operand[16] = "";
        if (path->operand[k] != XPD_NO_INDEX)
            snprintf(operand, sizeof operand, ".%u", path->operand[k]);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s", k ? " " : "",
                 gt_name(t, path->instruction[k]), operand);
    }
    return text;
}

static void find(struct gt *t, struct xpd_path *path, const char *from, const char *to)
{
    assert_int_equal(
        xpd_graph_path(path, &t->arena, &t->index, gt_find(t, from), gt_find(t, to), NULL), 0);
}

static void shortest_ways_enter_bodies(void **state)
{
    (void)state;
    struct gt t;
    struct xpd_path path;
    build(&t);
    find(&t, &path, "p", "out");
    assert_string_equal(way(&t, &path), "p fus.0 out.1");
    find(&t, &path, "p", "neg");
    assert_string_equal(way(&t, &path), "p fp.0 neg.0");
    find(&t, &path, "neg", "more");
    assert_string_equal(way(&t, &path), "neg exp.0 fus bp.0 sum.0 more.0");
    find(&t, &path, "out", "p"); /* against the flow: found from the other end */
    assert_true(path.found && path.reversed);
    assert_string_equal(way(&t, &path), "p fus.0 out.1");
    find(&t, &path, "q", "out");
    assert_false(path.found);
    assert_int_equal(path.count, 0);
    find(&t, &path, "q", "q");
    assert_string_equal(way(&t, &path), "q");
    gt_free(&t);
}

static void the_longest_chain_counts_what_is_inside_a_loop(void **state)
{
    (void)state;
    struct gt t;
    struct xpd_critical critical;
    int64_t cycles[64];
    build(&t);
    for (int k = 0; k < 64; k++)
        cycles[k] = -1;
    /* Without cycles each instruction is 1, the while its turn of 2: p 0, fus 1, w 2, out 1. */
    assert_int_equal(xpd_graph_critical(&critical, &t.arena, &t.index, cycles, t.hlo->entry, NULL),
                     0);
    assert_false(critical.by_cycles);
    assert_int_equal(critical.length, 4);
    assert_int_equal(critical.count, 4);
    assert_string_equal(gt_name(&t, critical.instruction[2]), "w");
    assert_int_equal(critical.own[2], 2);
    cycles[gt_find(&t, "fus")] = 100;
    cycles[gt_find(&t, "sum")] = 30;
    cycles[gt_find(&t, "out")] = 7;
    cycles[gt_find(&t, "c")] = 120;
    assert_int_equal(xpd_graph_critical(&critical, &t.arena, &t.index, cycles, t.hlo->entry, NULL),
                     0);
    assert_true(critical.by_cycles);
    assert_int_equal(critical.length, 137);
    assert_string_equal(gt_name(&t, critical.instruction[critical.count - 1]), "out");
    gt_free(&t);
}

static void near_is_by_steps_and_ways(void **state)
{
    (void)state;
    struct gt t;
    struct xpd_reach reach;
    build(&t);
    uint32_t fus = gt_find(&t, "fus");
    assert_int_equal(xpd_graph_reach(&reach, &t.arena, &t.index, fus, 1,
                                     XPD_REACH_OPERANDS | XPD_REACH_USERS, 100, NULL),
                     0);
    assert_int_equal(reach.count, 4); /* fus, p, w, out */
    assert_int_equal(
        xpd_graph_reach(&reach, &t.arena, &t.index, fus, 5, XPD_REACH_USERS, 100, NULL), 0);
    assert_int_equal(reach.count, 3);
    assert_int_equal(xpd_graph_reach(&reach, &t.arena, &t.index, fus, 2,
                                     XPD_REACH_OPERANDS | XPD_REACH_BODIES, 100, NULL),
                     0);
    assert_int_equal(reach.count, 4); /* fus, p and the body's exp, then neg */
    assert_int_equal(xpd_graph_reach(&reach, &t.arena, &t.index, fus, 1, XPD_REACH_USERS, 1, NULL),
                     0);
    assert_int_equal(reach.count, 1);
    assert_int_equal(reach.left_out, 2);
    gt_free(&t);
}

static bool holds(void *self, struct xpd_str text)
{
    return xpd_str_find(text, xpd_str_of(self), true) != SIZE_MAX;
}

static uint32_t hits(struct gt *t, uint32_t fields, char *word)
{
    struct xpd_found found;
    assert_int_equal(
        xpd_graph_search(&found, &t->arena, &t->index, fields, 0, 50, holds, word, NULL), 0);
    assert_int_equal(found.count, found.total);
    return found.total;
}

static void search_looks_into_the_fields_asked_for(void **state)
{
    (void)state;
    struct gt t;
    struct xpd_found found;
    char add[] = "add", bp[] = "BP", shape[] = "f32[2]", none[] = "nothing of it";
    build(&t);
    assert_int_equal(hits(&t, XPD_FIND_NAME, add), 0);
    assert_int_equal(hits(&t, XPD_FIND_OPCODE, add), 2);
    assert_int_equal(hits(&t, XPD_FIND_NAME, bp), 1);
    assert_int_equal(hits(&t, XPD_FIND_SHAPE, shape), 2); /* q and c */
    assert_int_equal(hits(&t, XPD_FIND_ALL, none), 0);
    assert_int_equal(
        xpd_graph_search(&found, &t.arena, &t.index, XPD_FIND_OPCODE, 1, 1, holds, add, NULL), 0);
    assert_int_equal(found.total, 2);
    assert_int_equal(found.count, 1);
    assert_string_equal(gt_name(&t, found.instruction[0]), "out"); /* the order of the text */
    gt_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortest_ways_enter_bodies),
        cmocka_unit_test(the_longest_chain_counts_what_is_inside_a_loop),
        cmocka_unit_test(near_is_by_steps_and_ways),
        cmocka_unit_test(search_looks_into_the_fields_asked_for),
    };
    return cmocka_run_group_tests_name("graph_path", tests, NULL, NULL);
}
