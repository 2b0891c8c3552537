/* The tree of a program with six layers, counted by hand: the rows of a level add up to the parent,
 * layers fold, what has no op_name is not lost; the heaviest operations. */
#include "graph_test.h"
#include "xprofd/graph/totals.h"
#include "xprofd/graph/tree.h"

enum { LAYERS = 6 };

struct tt {
    struct gt t;
    struct xpd_costs costs;
    struct xpd_outline_index tree;
};

static void add_named(struct gt *t, const char *name, const char *opcode, int64_t id,
                      const char *op_name, int64_t called)
{
    const int64_t operand = 1;
    hb_instruction(&t->hb, &(struct hb_instr){.name = name,
                                              .opcode = opcode,
                                              .id = id,
                                              .shape = &gt_big,
                                              .op_name = op_name,
                                              .operands = &operand,
                                              .n_operands = 1,
                                              .called = &called,
                                              .n_called = called != 0});
}

/* entry: 1 parameter, 6 layers of (attn: 2, mlp: 1), 1 head, 2 copies without op_name, a while
 * whose body has 3; a fusion body of 2. In all 27. */
static void build(struct tt *tt)
{
    static char names[LAYERS * 3][24], paths[LAYERS * 3][64];
    struct gt *t = &tt->t;
    gt_begin(t);
    hb_begin_computation(&t->hb, "fused", 2, true);
    gt_add(t, "fp", "parameter", 201, &gt_big, "");
    gt_add(t, "fa", "abs", 202, &gt_big, "201");
    hb_end_computation(&t->hb, 202);
    hb_begin_computation(&t->hb, "turn", 3, false);
    gt_add(t, "bp", "parameter", 301, &gt_big, "");
    gt_add(t, "b1", "abs", 302, &gt_big, "301");
    gt_add(t, "b2", "abs", 303, &gt_big, "302");
    hb_end_computation(&t->hb, 303);
    hb_begin_computation(&t->hb, "main", 1, false);
    gt_add(t, "p", "parameter", 1, &gt_big, "");
    for (int k = 0; k < LAYERS; k++)
        for (int j = 0; j < 3; j++) {
            static const char *const ends[] = {"attn/dot", "attn/exp", "mlp/dot"};
            snprintf(names[3 * k + j], sizeof names[0], "op%d_%d", k, j);
            snprintf(paths[3 * k + j], sizeof paths[0], "jit(f)/layer_%d/%s", k, ends[j]);
            add_named(t, names[3 * k + j], j == 1 ? "exponential" : "dot", 10 + 3 * k + j,
                      paths[3 * k + j], 0);
        }
    add_named(t, "head", "fusion", 40, "jit(f)/head/dot", 2);
    gt_add(t, "c1", "copy", 41, &gt_big, "1");
    gt_add(t, "c2", "copy", 42, &gt_big, "1");
    add_named(t, "loop", "while", 43, "jit(f)/while", 3);
    hb_end_computation(&t->hb, 43);
    gt_load(t);
    assert_int_equal(t->hlo->instructions.count, 28);
    assert_int_equal(
        xpd_costs_make(&tt->costs, &t->arena, t->hlo, t->bytes.data, t->bytes.len, NULL), 0);
    for (uint32_t i = 0; i < t->hlo->instructions.count; i++)
        tt->costs.cycles[i] = -1;
    for (int k = 0; k < LAYERS; k++)
        tt->costs.cycles[gt_find(t, names[3 * k])] = 100 + k;
    tt->costs.cycles[gt_find(t, "head")] = 500;
    tt->costs.cycles[gt_find(t, "b1")] = 7;
    assert_int_equal(xpd_outline_index_make(&tt->tree, &t->arena, &t->index, &tt->costs, NULL), 0);
}

static const struct xpd_outline_row *level(struct tt *tt, const char *key, struct xpd_outline *out)
{
    assert_int_equal(xpd_outline_level(out, &tt->t.arena, &tt->t.index, &tt->tree, &tt->costs,
                                       xpd_str_of(key), NULL),
                     0);
    return out->row;
}

static const struct xpd_outline_row *find(const struct xpd_outline *tree, const char *label)
{
    for (uint32_t k = 0; k < tree->count; k++)
        if (xpd_str_eq(tree->row[k].label, xpd_str_of(label)))
            return &tree->row[k];
    fail_msg("no row %s", label);
    return NULL;
}

static void layers_fold_and_rows_add_up(void **state)
{
    (void)state;
    struct tt tt;
    struct xpd_outline tree;
    build(&tt);
    level(&tt, "", &tree);
    assert_int_equal(tree.count, 2);
    const struct xpd_outline_row entry = *find(&tree, "ENTRY main");
    assert_int_equal(entry.sum.ops, 26); /* 23 and the 3 of the loop's body */
    assert_int_equal(entry.sum.cycles, 615 + 500 + 7);
    assert_int_equal(find(&tree, "fusion bodies")->sum.ops, 2);
    assert_int_equal(find(&tree, "fusion bodies")->sum.cycles, -1);

    level(&tt, entry.key.data, &tree);
    const struct xpd_outline_row layers = *find(&tree, "layer_*");
    assert_int_equal(layers.kind, XPD_OUTLINE_ROW_FOLD);
    assert_int_equal(layers.repeat, LAYERS);
    assert_int_equal(layers.sum.ops, 18);
    assert_int_equal(layers.sum.cycles, 615);
    assert_int_equal(find(&tree, "head")->sum.ops, 1);
    assert_int_equal(find(&tree, "parameters")->sum.ops, 1);
    assert_int_equal(find(&tree, "no op_name")->sum.ops, 2);
    assert_int_equal(find(&tree, "loop")->sum.ops, 4);
    assert_true(find(&tree, "loop")->has_children);
    assert_int_equal(tree.count, 5);

    level(&tt, layers.key.data, &tree);
    assert_int_equal(tree.count, 2);
    const struct xpd_outline_row attn = *find(&tree, "attn");
    assert_int_equal(attn.repeat, LAYERS);
    assert_int_equal(attn.sum.ops, 12);
    level(&tt, attn.key.data, &tree);
    assert_int_equal(tree.count, 2); /* dot and exp, six times each */
    assert_int_equal(tree.row[0].repeat, LAYERS);
    assert_int_equal(tree.row[0].sum.cycles, 615);
    assert_int_equal(tree.row[1].sum.cycles, -1); /* unknown stays unknown */
    level(&tt, tree.row[0].key.data, &tree);      /* and each of the six by itself */
    assert_int_equal(tree.count, LAYERS);
    assert_string_equal(tree.row[5].label.data, "op5_0");
    gt_free(&tt.t);
}

/* Layers that JAX gives no numbers: four times the same three operations in one scope. */
static void layers_without_numbers_are_found(void **state)
{
    (void)state;
    static char name[13][16];
    struct tt tt = {0};
    struct xpd_outline tree;
    gt_begin(&tt.t);
    hb_begin_computation(&tt.t.hb, "main", 1, false);
    for (int k = 0; k < 12; k++) {
        static const char *const ends[] = {"jvp(block)/a", "jvp(block)/b", "jvp(block)/c"};
        snprintf(name[k], sizeof name[k], "x%d", k);
        add_named(&tt.t, name[k], k % 3 ? "abs" : "dot", 1 + k, ends[k % 3], 0);
    }
    add_named(&tt.t, "once", "sine", 40, "jvp(block)/once", 0);
    hb_end_computation(&tt.t.hb, 1);
    gt_load(&tt.t);
    assert_int_equal(
        xpd_costs_make(&tt.costs, &tt.t.arena, tt.t.hlo, tt.t.bytes.data, tt.t.bytes.len, NULL), 0);
    assert_int_equal(xpd_outline_index_make(&tt.tree, &tt.t.arena, &tt.t.index, &tt.costs, NULL),
                     0);
    level(&tt, "c0", &tree);
    assert_int_equal(tree.count, 1);
    assert_int_equal(tree.row[0].repeat, 4);
    assert_int_equal(tree.row[0].kind, XPD_OUTLINE_ROW_FOLD);
    assert_int_equal(tree.row[0].sum.ops, 13);
    level(&tt, tree.row[0].key.data, &tree);
    assert_int_equal(tree.count, 4);
    assert_int_equal(tree.row[0].repeat, 4);
    assert_int_equal(find(&tree, "once")->kind, XPD_OUTLINE_ROW_OP);
    gt_free(&tt.t);
}

static void bodies_lie_below_their_caller(void **state)
{
    (void)state;
    struct tt tt;
    struct xpd_outline tree;
    char key[32];
    build(&tt);
    snprintf(key, sizeof key, "o%u", gt_find(&tt.t, "loop"));
    level(&tt, key, &tree);
    assert_int_equal(tree.count, 2);
    assert_int_equal(find(&tree, "loop")->sum.ops + find(&tree, "turn")->sum.ops, 4);
    level(&tt, find(&tree, "turn")->key.data, &tree);
    assert_int_equal(find(&tree, "no op_name")->sum.cycles, 7);
    level(&tt, "g2", &tree);
    level(&tt, find(&tree, "fused")->key.data, &tree);
    struct xpd_outline_row nameless = *find(&tree, "no op_name");
    level(&tt, nameless.key.data, &tree);
    assert_int_equal(find(&tree, "abs")->sum.ops, 1);
    level(&tt, find(&tree, "abs")->key.data, &tree);
    assert_int_equal(find(&tree, "fa")->kind, XPD_OUTLINE_ROW_OP);
    gt_free(&tt.t);
}

static void keys_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const keys[] = {"x",   "c", "c99", "c1x", "g0", "g9", "o", "o99999999999999",
                                       "c0:z"};
    struct tt tt;
    struct xpd_outline tree;
    build(&tt);
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        assert_int_equal(xpd_outline_level(&tree, &tt.t.arena, &tt.t.index, &tt.tree, &tt.costs,
                                           xpd_str_of(keys[k]), NULL),
                         XPD_ENOTFOUND);
    level(&tt, "c2/nothing/of/it", &tree);
    assert_int_equal(tree.count, 0);
    gt_free(&tt.t);
}

static void long_levels_are_cut_and_still_add_up(void **state)
{
    (void)state;
    static char name[700][16];
    struct tt tt = {0};
    struct xpd_outline tree;
    gt_begin(&tt.t);
    hb_begin_computation(&tt.t.hb, "main", 1, false);
    for (int k = 0; k < 700; k++) {
        snprintf(name[k], sizeof name[k], "c%d", k);
        gt_add_more(&tt.t, name[k], "parameter", 1 + k, &gt_small, "", 0, k);
    }
    hb_end_computation(&tt.t.hb, 1);
    gt_load(&tt.t);
    assert_int_equal(
        xpd_costs_make(&tt.costs, &tt.t.arena, tt.t.hlo, tt.t.bytes.data, tt.t.bytes.len, NULL), 0);
    assert_int_equal(xpd_outline_index_make(&tt.tree, &tt.t.arena, &tt.t.index, &tt.costs, NULL),
                     0);
    level(&tt, "c0:p", &tree);
    assert_int_equal(tree.count, XPD_OUTLINE_ROWS_MAX);
    assert_int_equal(tree.left_out, 201);
    int64_t ops = 0;
    for (uint32_t k = 0; k < tree.count; k++)
        ops += tree.row[k].sum.ops;
    assert_int_equal(ops, 700);
    gt_free(&tt.t);
}

static void the_heaviest_come_first_with_their_repeats(void **state)
{
    (void)state;
    struct tt tt;
    struct xpd_heaviest heaviest;
    build(&tt);
    assert_int_equal(xpd_graph_heaviest(&heaviest, &tt.t.arena, &tt.t.index, &tt.tree, &tt.costs,
                                        NULL, 10, NULL),
                     0);
    assert_true(heaviest.by_cycles);
    assert_int_equal(heaviest.count, 3);
    assert_string_equal(gt_name(&tt.t, heaviest.at[0].first), "op0_0");
    assert_string_equal(gt_name(&tt.t, heaviest.at[0].last), "op5_0");
    assert_int_equal(heaviest.at[0].repeat, LAYERS);
    assert_int_equal(heaviest.at[0].weight, 615);
    assert_string_equal(gt_name(&tt.t, heaviest.at[1].first), "head");
    /* What was measured decides where it is known, and what took no time is not in the list. */
    int64_t *time_ps = XPD_NEW_ARRAY(&tt.t.arena, int64_t, tt.costs.count);
    uint32_t head = heaviest.at[1].first;
    time_ps[head] = 7;
    assert_int_equal(xpd_graph_heaviest(&heaviest, &tt.t.arena, &tt.t.index, &tt.tree, &tt.costs,
                                        time_ps, 10, NULL),
                     0);
    assert_true(heaviest.by_time);
    assert_int_equal(heaviest.count, 1);
    assert_int_equal(heaviest.at[0].first, head);
    assert_int_equal(heaviest.at[0].weight, 7);
    gt_free(&tt.t);
}

/* A fusion that joins, splits and transposes dimensions only moves its array; one that adds works.
 */
static void fusions_that_only_rearrange(void **state)
{
    (void)state;
    static const struct hb_shape split = {
        .type = HB_F32, .rank = 3, .dims = {2, 32, 128}, .layout = HB_DESCENDING};
    static const struct hb_shape turned = {
        .type = HB_F32, .rank = 3, .dims = {32, 2, 128}, .layout = HB_DESCENDING};
    struct xpd_layout_changes changes;
    struct gt t;
    gt_begin(&t);
    hb_begin_computation(&t.hb, "moves", 2, true);
    gt_add(&t, "mp", "parameter", 201, &gt_big, "");
    gt_add(&t, "mb", "bitcast", 202, &split, "201");
    gt_add(&t, "mt", "transpose", 203, &turned, "202");
    hb_end_computation(&t.hb, 203);
    hb_begin_computation(&t.hb, "works", 3, true);
    gt_add(&t, "wp", "parameter", 301, &gt_big, "");
    gt_add(&t, "wa", "abs", 302, &gt_big, "301");
    gt_add(&t, "wb", "bitcast", 303, &split, "302");
    gt_add(&t, "wt", "transpose", 304, &turned, "303");
    hb_end_computation(&t.hb, 304);
    hb_begin_computation(&t.hb, "main", 1, false);
    gt_add(&t, "p", "parameter", 1, &gt_big, "");
    gt_add_more(&t, "moving", "fusion", 2, &turned, "1", 2, 0);
    gt_add_more(&t, "working", "fusion", 3, &turned, "1", 3, 0);
    hb_end_computation(&t.hb, 3);
    gt_load(&t);
    int64_t *bytes = calloc(t.hlo->instructions.count, sizeof *bytes);
    const struct xpd_costs costs = {.bytes = bytes};
    assert_int_equal(xpd_graph_layout_changes(&changes, &t.arena, &t.index, &costs, 10, NULL),
                     XPD_OK);
    assert_int_equal(changes.total, 1);
    assert_string_equal(gt_name(&t, changes.at[0].instruction), "moving");
    assert_string_equal(gt_name(&t, changes.at[0].operand), "p");
    free(bytes);
    gt_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_fold_and_rows_add_up),
        cmocka_unit_test(layers_without_numbers_are_found),
        cmocka_unit_test(bodies_lie_below_their_caller),
        cmocka_unit_test(keys_that_are_none_are_refused),
        cmocka_unit_test(long_levels_are_cut_and_still_add_up),
        cmocka_unit_test(the_heaviest_come_first_with_their_repeats),
        cmocka_unit_test(fusions_that_only_rearrange),
    };
    return cmocka_run_group_tests_name("graph_tree", tests, NULL, NULL);
}
