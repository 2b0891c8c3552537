/* Vectors of the reference, by their names: T1, T4, T6, T7, T16
 * here. T2, T3: unit_hlo_tiling; T5, T9, T10: unit_hlo_print; T8: unit_hlo_groups. Expected values
 * are the reference's, worked out by hand there. */
#include "tool_call.h"

#include "../../support/hlo_builder.h"
#include "xprofd/compat/routes.h"
#include "xprofd/hlo/print.h"

/* ---- T1, T4: bytes of a layout ---- */

static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *vector, *shape;
        int64_t bytes, plain;
    } cases[] = {
        {"T1", "bf16[32,32,8192]{2,1,0:T(8,128)(2,1)S(1)}", 16777216, 16777216},
        {"T4", "bf16[7,100]{1,0:T(8,128)(2,1)}", 2048, 1400},
        {"T4", "f32[]{:T(128)}", 512, 4},
        {"T4", "f32[3]{0:T(128)}", 512, 12},
        {"T4", "bf16[4096]{0:T(1024)(128)(2,1)}", 8192, 8192},
        {"T4", "pred[100]{0:T(1024)(128)(4,1)}", 1024, 100},
        {"T4", "bf16[8,1024,8192]{2,1,0:T(8,128)(2,1)}", 134217728, 134217728},
        {"T4", "f32[5,1024,1024,256]{3,2,1,0:T(8,128)}", INT64_C(5368709120), INT64_C(5368709120)},
        {"T4", "f32[8,3]{0,1:T(8,128)}", 4096, 96},
    };
    struct pbw none = {0};
    struct hb hb;
    char path[256];
    hb_init(&hb, "m");
    hb_finish(&hb, &none);
    struct xpd_store *store = store_of_proto(none.data, none.len, path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct answer answer;
        print_message("%s %s\n", cases[i].vector, cases[i].shape);
        ask_ok(&answer, store, "/api/v1/explain", "text=%%x = %s parameter(0)", cases[i].shape);
        assert_int_equal(number_at(answer.json, "output.size_bytes"), cases[i].bytes);
        assert_int_equal(number_at(answer.json, "output.unpadded_bytes"), cases[i].plain);
        assert_string_equal(text_at(answer.json, "output.shape"), cases[i].shape); /* read whole */
        answer_free(&answer);
    }
    xpd_store_close(store);
    remove_folder(path);
    pbw_free(&none);
}

/* ---- T6: texts of single operations, as libtpu writes them into the trace ---- */

#define BIG                                                                                        \
    .type = HB_F32, .rank = 4, .dims = {5, 1024, 1024, 256}, .layout = HB_DESCENDING,              \
    .tiles = {{8, 128}}

static const struct hb_shape big = {BIG}, host = {BIG, .memory_space = 5},
                             smem = {.type = HB_F32,
                                     .layout = HB_DESCENDING,
                                     .tiles = {{128}},
                                     .memory_space = 6},
                             flag = {.type = HB_U32, .layout = HB_DESCENDING, .memory_space = 2},
                             scalar = {.type = HB_F32, .layout = HB_DESCENDING, .tiles = {{128}}},
                             half = {.type = HB_BF16,
                                     .rank = 3,
                                     .dims = {32, 32, 4096},
                                     .layout = HB_DESCENDING,
                                     .tiles = {{8, 128}, {2, 1}},
                                     .memory_space = 1},
                             whole = {.type = HB_BF16,
                                      .rank = 3,
                                      .dims = {32, 32, 8192},
                                      .layout = HB_DESCENDING,
                                      .tiles = {{8, 128}, {2, 1}},
                                      .memory_space = 1};

/* channel_id, use_global_device_ids, replica_groups=[4,2]<=[2,4]T(1,0) as libtpu writes it now. */
static void put_groups(struct pbw *more)
{
    static const int64_t dims[] = {2, 4}, order[] = {1, 0};
    pbw_int(more, 26, 1);
    pbw_int(more, 71, 1);
    size_t mark = pbw_begin(more, 92);
    pbw_int(more, 1, 4);
    pbw_int(more, 2, 2);
    pbw_ints(more, 3, dims, 2, true);
    pbw_ints(more, 4, order, 2, true);
    pbw_end(more, mark);
}

static void add(struct hb *hb, const char *name, const char *opcode, int64_t id,
                const struct hb_shape *shape, int64_t operand, int64_t called, const char *kind,
                const struct pbw *more)
{
    int64_t operands[] = {operand}, calls[] = {called};
    hb_instruction(hb, &(struct hb_instr){.name = name,
                                          .opcode = opcode,
                                          .id = id,
                                          .shape = shape,
                                          .operands = operands,
                                          .n_operands = operand != 0,
                                          .called = calls,
                                          .n_called = called != 0,
                                          .fusion_kind = kind,
                                          .more = more});
}

static void add_body(struct hb *hb, const char *name, int64_t id, const struct hb_shape *shape)
{
    hb_begin_computation(hb, name, id, true);
    add(hb, "p", "parameter", 100 * id, shape, 0, 0, NULL, NULL);
    hb_end_computation(hb, 100 * id);
}

static void operation_texts(void **state)
{
    (void)state;
    static const struct {
        uint32_t instruction;
        const char *text;
    } wanted[] = {
        {4, "%broadcast.2 = f32[5,1024,1024,256]{3,2,1,0:T(8,128)} broadcast(f32[]{:T(128)S(6)} "
            "%copy), dimensions={}"},
        {6, "%copy-done.4 = f32[5,1024,1024,256]{3,2,1,0:T(8,128)} "
            "copy-done((f32[5,1024,1024,256]{3,2,1,0:T(8,128)}, "
            "f32[5,1024,1024,256]{3,2,1,0:T(8,128)S(5)}, u32[]{:S(2)}) %copy-start.4)"},
        {7, "%broadcast_add_fusion = f32[5,1024,1024,256]{3,2,1,0:T(8,128)} "
            "fusion(f32[5,1024,1024,256]{3,2,1,0:T(8,128)} %copy-done.4), kind=kLoop, "
            "calls=%fused_computation"},
        {9, "%all-reduce = f32[5,1024,1024,256]{3,2,1,0:T(8,128)} "
            "all-reduce(f32[5,1024,1024,256]{3,2,1,0:T(8,128)} %bitcast), channel_id=1, "
            "replica_groups=[4,2]<=[2,4]T(1,0), use_global_device_ids=true, "
            "to_apply=%region_0.3.clone"},
        {11, "%fusion.3 = bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)} "
             "fusion(bf16[32,32,8192]{2,1,0:T(8,128)(2,1)S(1)} %fusion.32), kind=kCustom, "
             "calls=%all-reduce-scatter.3"},
    };
    const struct hb_shape parts[] = {big, host, flag};
    const struct hb_shape started = {.type = HB_TUPLE, .elements = parts, .n_elements = 3};
    struct pbw more = {0}, bytes = {0};
    struct hb hb;
    put_groups(&more);
    hb_init(&hb, "m");
    add_body(&hb, "fused_computation", 2, &big);
    add_body(&hb, "region_0.3.clone", 3, &scalar);
    add_body(&hb, "all-reduce-scatter.3", 4, &whole);
    hb_begin_computation(&hb, "main", 1, false);
    add(&hb, "copy", "parameter", 1, &smem, 0, 0, NULL, NULL);
    add(&hb, "broadcast.2", "broadcast", 2, &big, 1, 0, NULL, NULL);
    add(&hb, "copy-start.4", "copy-start", 3, &started, 2, 0, NULL, NULL);
    add(&hb, "copy-done.4", "copy-done", 4, &big, 3, 0, NULL, NULL);
    add(&hb, "broadcast_add_fusion", "fusion", 5, &big, 4, 2, "kLoop", NULL);
    add(&hb, "bitcast", "bitcast", 6, &big, 5, 0, NULL, NULL);
    add(&hb, "all-reduce", "all-reduce", 7, &big, 6, 3, NULL, &more);
    add(&hb, "fusion.32", "iota", 8, &whole, 0, 0, NULL, NULL);
    add(&hb, "fusion.3", "fusion", 9, &half, 8, 4, "kCustom", NULL);
    hb_end_computation(&hb, 7);
    hb_finish(&hb, &bytes);
    struct xpd_hlo *hlo;
    struct xpd_hlo_printer *printer;
    assert_int_equal(xpd_hlo_load(&hlo, bytes.data, bytes.len, 0, "T6", NULL, NULL), XPD_OK);
    assert_int_equal(xpd_hlo_printer_new(&printer, hlo, bytes.data, bytes.len, NULL), XPD_OK);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct xpd_strbuf text = {0};
        xpd_hlo_print_instruction(printer, wanted[i].instruction, XPD_PRINT_EXPRESSION, &text);
        assert_string_equal(text.data, wanted[i].text);
        xpd_strbuf_fini(&text);
    }
    xpd_hlo_printer_free(printer);
    xpd_hlo_free(hlo);
    pbw_free(&bytes);
    pbw_free(&more);
}

/* ---- T7: a whole module; T16: its neighbours and its picture ---- */

static void make_psum(struct pbw *bytes)
{
    static const struct hb_shape input = {.type = HB_F32,
                                          .rank = 5,
                                          .dims = {1, 5, 1024, 1024, 256},
                                          .layout = HB_DESCENDING,
                                          .tiles = {{8, 128}}};
    static const int64_t tiles[] = {2, 1, 1, 1, 1, 4}, devices[] = {8};
    struct pbw sharding = {0}, groups = {0}, one = {0};
    struct hb hb;
    put_groups(&groups);
    pbw_int(&one, 9, 1); /* parameter_number */
    size_t mark = pbw_begin(&sharding, 40);
    pbw_int(&sharding, 1, 3);
    pbw_ints(&sharding, 3, tiles, 6, true);
    pbw_int(&sharding, 6, 1);
    pbw_ints(&sharding, 9, devices, 1, true);
    pbw_end(&sharding, mark);
    hb_init(&hb, "jit__psum");
    hb.entry_name = "main.10_spmd";
    hb_begin_computation(&hb, "region_0.3.clone", 2, false);
    add(&hb, "Arg_0.0", "parameter", 21, &scalar, 0, 0, NULL, NULL);
    add(&hb, "Arg_1.0", "parameter", 22, &scalar, 0, 0, NULL, &one);
    hb_instruction(&hb, &(struct hb_instr){.name = "add.0",
                                           .opcode = "add",
                                           .id = 23,
                                           .shape = &scalar,
                                           .operands = (const int64_t[]){21, 22},
                                           .n_operands = 2});
    hb_end_computation(&hb, 23);
    hb_begin_computation(&hb, "main.10_spmd", 1, false);
    add(&hb, "param", "parameter", 1, &input, 0, 0, NULL, &sharding);
    add(&hb, "bitcast", "bitcast", 2, &big, 1, 0, NULL, NULL);
    add(&hb, "all-reduce", "all-reduce", 3, &big, 2, 2, NULL, &groups);
    hb_end_computation(&hb, 3);
    hb_sequence(&hb, 2, (const int64_t[]){22, 21, 23}, 3);
    hb_sequence(&hb, 1, (const int64_t[]){1, 2, 3}, 3);
    mark = pbw_begin(&hb.module, 4);
    hb_shape(&hb, &hb.module, 1, &input);
    hb_shape(&hb, &hb.module, 2, &big);
    pbw_end(&hb.module, mark);
    hb_finish(&hb, bytes);
    pbw_free(&sharding);
    pbw_free(&groups);
    pbw_free(&one);
}

static const char psum_text[] =
    "HloModule jit__psum, is_scheduled=true, "
    "entry_computation_layout={(f32[1,5,1024,1024,256]{4,3,2,1,0:T(8,128)})->f32[5,1024,1024,256]{"
    "3,"
    "2,1,0:T(8,128)}}\n"
    "\n"
    "%region_0.3.clone (Arg_0.0: f32[], Arg_1.0: f32[]) -> f32[] {\n"
    "  %Arg_1.0 = f32[]{:T(128)} parameter(1)\n"
    "  %Arg_0.0 = f32[]{:T(128)} parameter(0)\n"
    "  ROOT %add.0 = f32[]{:T(128)} add(%Arg_0.0, %Arg_1.0)\n"
    "}\n"
    "\n"
    "ENTRY %main.10_spmd (param: f32[1,5,1024,1024,256]) -> f32[5,1024,1024,256] {\n"
    "  %param = f32[1,5,1024,1024,256]{4,3,2,1,0:T(8,128)} parameter(0), "
    "sharding={devices=[2,1,1,1,1,4]<=[8] last_tile_dim_replicate}\n"
    "  %bitcast = f32[5,1024,1024,256]{3,2,1,0:T(8,128)} bitcast(%param)\n"
    "  ROOT %all-reduce = f32[5,1024,1024,256]{3,2,1,0:T(8,128)} all-reduce(%bitcast), "
    "channel_id=1, "
    "replica_groups=[4,2]<=[2,4]T(1,0), use_global_device_ids=true, to_apply=%region_0.3.clone\n"
    "}\n"
    "\n";

static uint32_t count_of(const char *text, const char *part)
{
    uint32_t count = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        count++;
    return count;
}

/* Whether DOT has an edge from the node with one label to the node with the other. */
static bool has_edge(const char *dot, const char *from, const char *to)
{
    const char *label[] = {from, to};
    char id[2][32] = {{0}}, edge[80];
    for (int k = 0; k < 2; k++) {
        const char *at = strstr(dot, label[k]);
        assert_non_null(at);
        while (at > dot && at[-1] != '\n')
            at--;
        sscanf(at, " %31[0-9a-zA-Z_]", id[k]);
    }
    snprintf(edge, sizeof edge, "%s -> %s", id[0], id[1]);
    return strstr(dot, edge) != NULL;
}

static void whole_module(void **state)
{
    (void)state;
    struct pbw bytes = {0};
    struct answer answer;
    char path[256];
    make_psum(&bytes);
    struct xpd_store *store = store_of_proto(bytes.data, bytes.len, path);
    print_message("T7\n");
    ask_ok(&answer, store, "/data", "tag=graph_viewer&type=long_txt&module_name=m");
    assert_int_equal(answer.size, strlen(psum_text));
    assert_memory_equal(answer.body, psum_text, answer.size);
    answer_free(&answer);
    print_message("T16\n");
    ask_ok(&answer, store, "/data",
           "tag=graph_viewer&type=adj_nodes&node_name=all-reduce&module_name=m");
    static const char adjacent[] = "{\"consumer_names\":[],\"operand_names\":[\"bitcast\"]}";
    assert_int_equal(answer.size, strlen(adjacent));
    assert_memory_equal(answer.body, adjacent, answer.size);
    answer_free(&answer);
    ask_ok(&answer, store, "/data",
           "tag=graph_viewer&type=graph&format=dot&graph_width=1&node_name=bitcast&module_name=m");
    const char *dot = answer.body;
    assert_int_equal(count_of(dot, " [label=<"), 4); /* param, bitcast, all-reduce, ROOT */
    assert_true(has_edge(dot, "<b>Parameter 0</b>", "<b>bitcast</b>"));
    assert_true(has_edge(dot, "<b>bitcast</b>", "<b>all-reduce</b>"));
    assert_non_null(strstr(dot, "Subcomputation: <b>add</b>"));
    assert_non_null(strstr(dot, "ROOT"));
    assert_int_equal(count_of(dot, "subgraph cluster"), 0);
    answer_free(&answer);
    xpd_store_close(store);
    remove_folder(path);
    pbw_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(operation_texts),
        cmocka_unit_test(whole_module),
    };
    return cmocka_run_group_tests_name("graph_vectors", tests, NULL, NULL);
}
