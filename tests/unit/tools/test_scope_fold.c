/* Repeated layers: the pattern of a name, the folded tree and its filter; sums by hand. */
#include "../../support/hlo_builder.h"
#include "tool_call.h"
#include "xprofd/hlo/scope.h"

static void folds_to(const char *name, const char *pattern)
{
    struct xpd_strbuf out = {0};
    bool any = xpd_scope_fold(&out, xpd_str_of(name));
    assert_int_equal(any, pattern != NULL);
    if (pattern) {
        assert_int_equal(out.size, strlen(pattern));
        assert_memory_equal(out.data, pattern, out.size);
    }
    xpd_strbuf_fini(&out);
}

static void patterns(void **state)
{
    (void)state;
    folds_to("layer_3", "layer_*");
    folds_to("layer_12", "layer_*");
    folds_to("transpose(jvp(layer_3))", "transpose(jvp(layer_*))");
    folds_to("block_1_layer_2", "block_1_layer_*");
    folds_to("blocks[7]", "blocks[*]");
    folds_to("0", "*");
    folds_to("conv2d", NULL);
    folds_to("attention", NULL);
    folds_to("))", NULL);
    folds_to("", NULL);
}

static bool below(const char *path, const char *prefix)
{
    return xpd_scope_below(xpd_str_of(path), xpd_str_of(prefix));
}

static void paths(void **state)
{
    (void)state;
    assert_true(below("layer_3/attn/dot", "layer_*"));
    assert_true(below("layer_12/attn", "layer_*/attn"));
    assert_true(below("layer_*/attn", "layer_*"));
    assert_true(below("layer_3/attn", "layer_3"));
    assert_false(below("layer_31/attn", "layer_3"));
    assert_false(below("layer_x/attn", "layer_*"));
    assert_false(below("layer_", "layer_*"));
    assert_false(below("layer_3x/attn", "layer_*"));
    assert_false(below("layer_3/attnx", "layer_*/attn"));
}

static const char *const op_names[] = {
    "jit(f)/jvp(layer_0)/attn/dot", "jit(f)/jvp(layer_1)/attn/dot",
    "jit(f)/jvp(layer_2)/mlp/dot",  "jit(f)/transpose(jvp(layer_0))/attn/dot",
    "jit(f)/jvp(head_9)/dot",       "jit(f)/jvp(embed)/dot",
};
enum { BUFFERS = sizeof op_names / sizeof *op_names };

/* Buffer i has 1 << i KiB; all are held at the peak. */
static void build(struct pbw *proto)
{
    static const struct hb_shape shape = {
        .type = HB_U8, .rank = 1, .dims = {16}, .layout = HB_DESCENDING};
    static char names[BUFFERS][16];
    struct hb hb;
    int64_t offset = 0;
    hb_init(&hb, "f");
    hb_begin_computation(&hb, "main", 1, false);
    for (int64_t i = 0; i < BUFFERS; i++) {
        snprintf(names[i], sizeof names[i], "dot.%d", (int)i);
        hb_instruction(&hb, &(struct hb_instr){.name = names[i],
                                               .opcode = "dot",
                                               .id = i + 1,
                                               .shape = &shape,
                                               .op_name = op_names[i]});
        hb_logical(&hb, &(struct hb_logical){
                            .id = i + 1, .size = INT64_C(1024) << i, .instruction_id = i + 1});
    }
    hb_end_computation(&hb, BUFFERS);
    hb_alloc_begin(&hb, &(struct hb_alloc){.index = 0, .size = INT64_C(1024) << BUFFERS});
    for (int64_t i = 0; i < BUFFERS; i++) {
        hb_assign(&hb, i + 1, offset, INT64_C(1024) << i);
        offset += INT64_C(1024) << i;
    }
    hb_alloc_end(&hb);
    hb_trace_begin(&hb);
    for (int64_t i = 0; i < BUFFERS; i++)
        hb_event(&hb, HB_ALLOC, i + 1, "main", names[i], 0);
    for (int64_t i = 0; i < BUFFERS; i++)
        hb_event(&hb, HB_FREE, i + 1, "main", names[i], 0);
    hb_trace_end(&hb, true, 0);
    hb_finish(&hb, proto);
}

/* KiB and repeats of the node with this path below the root, -1 when there is none. */
static int64_t kib_at(const cJSON *tree, const char *path, int64_t *repeats)
{
    int64_t n = number_at(tree, "n");
    char text[64][256] = {{0}};
    assert_in_range(n, 1, 64);
    for (int i = 1; i < n; i++) {
        int64_t parent = item_at(at(tree, "parent"), i);
        char above[128];
        snprintf(above, sizeof above, "%.120s", text[parent]);
        snprintf(text[i], sizeof text[i], "%s%s%s", above, parent ? "/" : "",
                 name_at(tree, "name", i));
        if (strcmp(text[i], path) != 0)
            continue;
        *repeats = item_at(at(tree, "repeats"), i);
        return item_at(at(tree, "size_bytes"), i) / 1024;
    }
    return -1;
}

static void node_is(const cJSON *tree, const char *path, int64_t kib, int64_t repeats)
{
    int64_t got;
    if (kib_at(tree, path, &got) != kib || got != repeats)
        fail_msg("%s: %d KiB x %d", path, (int)kib_at(tree, path, &got), (int)got);
}

static void matches(struct xpd_store *store, const char *scope, int64_t kib)
{
    struct answer table;
    ask_ok(&table, store, "/api/v1/memory/buffers", "scope=%s", scope);
    assert_int_equal(number_at(table.json, "matched_bytes"), kib * 1024);
    answer_free(&table);
}

static void folded_tree(void **state)
{
    (void)state;
    struct pbw proto = {0};
    struct answer tree;
    char folder[256];
    int64_t repeats;
    build(&proto);
    struct xpd_store *store = store_of_proto(proto.data, proto.len, folder);
    ask_ok(&tree, store, "/api/v1/memory/tree", "fold=numbers");
    node_is(tree.json, "forward/jvp(layer_*)", 7, 3);
    node_is(tree.json, "forward/jvp(layer_*)/attn", 3, 1);
    node_is(tree.json, "forward/jvp(layer_*)/attn/dot", 3, 1);
    node_is(tree.json, "forward/jvp(layer_*)/mlp", 4, 1);
    node_is(tree.json, "backward/transpose(jvp(layer_0))", 8, 1); /* alone there */
    node_is(tree.json, "forward/jvp(head_9)", 16, 1);
    node_is(tree.json, "forward/jvp(embed)", 32, 1);
    assert_int_equal(item_at(at(tree.json, "size_bytes"), 0), 63 * 1024);
    answer_free(&tree);

    ask_ok(&tree, store, "/api/v1/memory/tree", "by=scope");
    node_is(tree.json, "forward/jvp(layer_1)", 2, 1);
    assert_int_equal(kib_at(tree.json, "forward/jvp(layer_*)", &repeats), -1);
    assert_int_equal(item_at(at(tree.json, "size_bytes"), 0), 63 * 1024);
    answer_free(&tree);

    matches(store, "forward/jvp(layer_*)", 7);
    matches(store, "forward/jvp(layer_*)/attn", 3);
    matches(store, "forward/jvp(layer_1)", 2);
    matches(store, "backward", 8);
    xpd_store_close(store);
    remove_folder(folder);
    pbw_free(&proto);
}

/* The three axes: places by hand, the reason where there is none, the same maximum. */
static void axes(void **state)
{
    (void)state;
    struct pbw proto = {0};
    struct answer event, instruction, time;
    char folder[256];
    build(&proto);
    struct xpd_store *store = store_of_proto(proto.data, proto.len, folder);
    ask_ok(&event, store, "/api/v1/memory/curve", "px=100");
    ask_ok(&instruction, store, "/api/v1/memory/curve", "px=100&axis=instruction");
    ask_ok(&time, store, "/api/v1/memory/curve", "px=100&axis=time");
    assert_string_equal(text_at(event.json, "axis"), "event");
    assert_true(cJSON_IsNull(at(event.json, "axes.instruction")));
    assert_string_equal(text_at(instruction.json, "axis"), "instruction");
    assert_string_equal(text_at(instruction.json, "unit"), "instruction");
    /* dot.5 runs when the frees come: 7 steps in its width of 1 */
    assert_int_equal(item_at(at(instruction.json, "x"), 4), 4);
    assert_int_equal(item_at(at(instruction.json, "x"), 5), 5);
    assert_int_equal(number_at(instruction.json, "x_end"), 6);
    assert_int_equal(number_at(instruction.json, "n"), 12);
    assert_string_equal(text_at(time.json, "axis"), "event");
    assert_true(cJSON_IsString(at(time.json, "axes.time")));
    for (int i = 0; i < 12; i++) {
        assert_int_equal(item_at(at(event.json, "max_bytes"), i),
                         item_at(at(instruction.json, "max_bytes"), i));
        assert_int_equal(item_at(at(event.json, "max_bytes"), i),
                         item_at(at(time.json, "max_bytes"), i));
    }
    answer_free(&event);
    answer_free(&instruction);
    answer_free(&time);
    xpd_store_close(store);
    remove_folder(folder);
    pbw_free(&proto);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns),
        cmocka_unit_test(paths),
        cmocka_unit_test(folded_tree),
        cmocka_unit_test(axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
