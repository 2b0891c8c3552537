/* Costs of instructions: dots by hand, real programs against what XLA itself wrote about them
 * (cost_analysis of aot.json, `flops` and `bytes_accessed` of a recorded TPU profile). */
#include "hlo_test.h"
#include "xprofd/hlo/cost.h"
#include "xprofd/hlo/parse.h"

#include "../../support/xspace_hlo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct module {
    struct xspace_hlos file;
    struct xpd_hlo *hlo;
    struct xpd_arena arena;
    struct xpd_costs costs;
};

static void open_bytes(struct module *m, size_t at)
{
    struct xpd_err err = {0};
    assert_true(at < m->file.count);
    const struct xspace_hlo *bytes = &m->file.at[at];
    m->hlo = ht_load_bytes(bytes->bytes, bytes->size, &err);
    assert_non_null(m->hlo);
    assert_int_equal(xpd_costs_make(&m->costs, &m->arena, m->hlo, bytes->bytes, bytes->size, &err),
                     XPD_OK);
}

/* The first module of the only profile of a set in testdata/. */
static void open_module(struct module *m, const char *set)
{
    const char *source = getenv("XPD_SOURCE");
    char path[1200];
    snprintf(path, sizeof path, "%s/testdata/%s/logdir/plugins/profile/aot/host0.xplane.pb",
             source ? source : ".", set);
    *m = (struct module){0};
    assert_true(xspace_hlos_load(&m->file, path));
    open_bytes(m, 0);
}

static void close_module(struct module *m)
{
    xpd_hlo_free(m->hlo);
    xpd_arena_fini(&m->arena);
    xspace_hlos_free(&m->file);
}

/* The whole program: what the entry computation does; unknown parts count nothing. */
static int64_t program_flops(const struct module *m)
{
    uint32_t first = m->hlo->computations.first[m->hlo->entry];
    uint32_t end = first + m->hlo->computations.instruction_count[m->hlo->entry];
    int64_t sum = 0;
    for (uint32_t i = first; i < end; i++)
        sum += m->costs.flops[i] > 0 ? m->costs.flops[i] : 0;
    return sum;
}

/* cost_analysis of aot.json: a float, so within half of its last place where we count alike. The
 * programs with attention have reduce-windows as wide as the array (a softmax's sum, broadcast
 * again), which the compiler counts as nothing and we as the sum they are: up to 7e-4 more. */
static void whole_programs_as_xla_counts_them(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        double flops, more;
    } cases[] = {{"tpu_padded_demo", 1395368832.0, 1e-7},
                 {"tpu_collectives", 51552321536.0, 1e-7},
                 {"tpu_convnet", 932577017856.0, 1e-7},
                 {"tpu_pallas_matmul", 469762048.0, 1e-7},
                 {"tpu_scan_layers", 1262703345664.0, 7e-4},
                 {"tpu_decode_kvcache", 13954776064.0, 7e-4},
                 {"tpu_host_offload", 5218106343424.0, 7e-4},
                 {"tpu_big_transformer", 4204267569152.0, 7e-4},
                 {"tpu_transformer_nodonate", 5980890857472.0, 7e-4},
                 {"tpu_transformer_noremat", 5980890857472.0, 7e-4},
                 {"tpu_transformer_remat", 7018268590080.0, 7e-4},
                 {"tpu_sharded_lm", 2483793952768.0, 7e-4}};
    size_t n = sizeof cases / sizeof *cases, found = 0;
    for (size_t i = 0; i < n; i++) {
        struct module m = {0};
        char path[1600];
        if (!shared_xplane(cases[i].set, path, sizeof path) || !xspace_hlos_load(&m.file, path))
            continue;
        open_bytes(&m, 0);
        double ratio = (double)program_flops(&m) / cases[i].flops;
        if (ratio < 1 - 1e-5 || ratio > 1 + cases[i].more)
            fail_msg("%s: %.9f of XLA's FLOPs", cases[i].set, ratio);
        close_module(&m);
        found++;
    }
    if (found == 0)
        skip();
    assert_int_equal(found, n);
}

static void the_sample_as_xla_counts_it(void **state)
{
    (void)state;
    struct module m;
    open_module(&m, "tpu_padded_demo");
    assert_true((float)program_flops(&m) == 1395368832.0F);
    close_module(&m);
}

struct recorded { /* of the events' metadata in the profile */
    const char *program, *name;
    int64_t flops, bytes, hbm_bytes;
};

static void check_recorded(const struct xspace_hlos *file, const struct recorded *want)
{
    struct module m = {.file = *file};
    size_t at = 0;
    while (at < file->count && strcmp(file->at[at].name, want->program) != 0)
        at++;
    open_bytes(&m, at);
    uint32_t found = XPD_NO_INDEX;
    for (uint32_t i = 0; i < m.costs.count; i++)
        if (ht_is(m.hlo, m.hlo->instructions.name[i], want->name))
            found = i;
    assert_int_not_equal(found, XPD_NO_INDEX);
    assert_int_equal(m.costs.flops[found], want->flops);
    assert_int_equal(m.costs.bytes[found], want->bytes);
    assert_int_equal(m.costs.hbm_bytes[found], want->hbm_bytes);
    xpd_hlo_free(m.hlo);
    xpd_arena_fini(&m.arena);
}

/* All 17 instructions that the chips of the recorded run executed: FLOPs, bytes, and the part in
 * HBM. A copy from or to the host (S(5)) has no HBM side in its start or done. */
static void a_recorded_run_n_of_n(void **state)
{
    (void)state;
    enum { G = 1342177280 }; /* elements of f32[5,1024,1024,256] */
    static const char f[] = "jit_f(12190760917235803885)";
    static const int64_t b = INT64_C(5368709120);
    const struct recorded cases[] = {
        {f, "copy-start", 0, b, 0},
        {f, "copy-start.1", 0, b, b},
        {f, "copy-start.2", 0, b, 0},
        {f, "copy-start.3", 0, b, b},
        {f, "copy-start.4", 0, b, 0},
        {f, "copy-start.5", 0, b, b},
        {f, "copy-done", 0, b, b},
        {f, "copy-done.1", 0, b, 0},
        {f, "copy-done.2", 0, b, b},
        {f, "copy-done.3", 0, b, 0},
        {f, "copy-done.4", 0, b, b},
        {f, "copy-done.5", 0, b, 0},
        {f, "broadcast_add_fusion", G, 2 * b, 2 * b},
        {f, "broadcast_add_fusion.1", G, 2 * b, 2 * b},
        {f, "broadcast_add_fusion.2", G, 2 * b, 2 * b},
        {"jit_broadcast_in_dim(11287434908481120160)", "broadcast.2", 0, b, b},
        {"jit__psum(9646411105960254074)", "all-reduce", G, 2 * b, 2 * b}};
    struct xspace_hlos file;
    char path[1600];
    if (!shared_xplane("tpu-v6e-offload", path, sizeof path) || !xspace_hlos_load(&file, path))
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_recorded(&file, &cases[i]);
    print_message("%zu of %zu equal\n", sizeof cases / sizeof *cases, sizeof cases / sizeof *cases);
    xspace_hlos_free(&file);
}

/* ---- dots by hand (S4.33, S4.21) ---- */

struct dot_case {
    int64_t lhs[4], rhs[4], out[4];            /* ended by 0 */
    int64_t lhs_contract, rhs_contract, batch; /* batch: leading dims on both sides */
    int64_t b, m, n, k;
};

static struct hb_shape array_of(const int64_t *dims)
{
    struct hb_shape shape = {.type = HB_F32, .layout = HB_DESCENDING};
    while (shape.rank < 4 && dims[shape.rank] > 0) {
        shape.dims[shape.rank] = dims[shape.rank];
        shape.rank++;
    }
    return shape;
}

static void put_dot(struct pbw *more, const struct dot_case *c)
{
    const int64_t leading[] = {0, 1};
    size_t dims = pbw_begin(more, 30);
    pbw_ints(more, 1, &c->lhs_contract, 1, true);
    pbw_ints(more, 2, &c->rhs_contract, 1, true);
    pbw_ints(more, 3, leading, (size_t)c->batch, true);
    pbw_ints(more, 4, leading, (size_t)c->batch, false);
    pbw_end(more, dims);
}

static void make_dot(struct pbw *out, const struct dot_case *c)
{
    struct hb hb;
    struct pbw more = {0};
    const struct hb_shape lhs = array_of(c->lhs), rhs = array_of(c->rhs), to = array_of(c->out);
    const int64_t operands[] = {1, 2};
    hb_init(&hb, "dots");
    hb_begin_computation(&hb, "main", 1, false);
    hb_instruction(&hb,
                   &(struct hb_instr){.name = "a", .opcode = "parameter", .id = 1, .shape = &lhs});
    hb_instruction(
        &hb,
        &(struct hb_instr){
            .name = "b", .opcode = "parameter", .id = 2, .shape = &rhs, .parameter_number = 1});
    put_dot(&more, c);
    hb_instruction(&hb, &(struct hb_instr){.name = "dot",
                                           .opcode = "dot",
                                           .id = 3,
                                           .shape = &to,
                                           .operands = operands,
                                           .n_operands = 2,
                                           .more = &more});
    hb_end_computation(&hb, 3);
    hb_finish(&hb, out);
    pbw_free(&more);
}

static void three_dot_forms(void **state)
{
    (void)state;
    const struct dot_case cases[] = {
        {{64, 128}, {128, 32}, {64, 32}, 1, 0, 0, 1, 64, 32, 128},            /* mk,kn->mn */
        {{8, 64, 128}, {8, 32, 128}, {8, 64, 32}, 2, 2, 1, 8, 64, 32, 128},   /* bmk,bnk->bmn */
        {{2, 4, 16, 10}, {2, 4, 10, 6}, {2, 4, 16, 6}, 3, 2, 2, 8, 16, 6, 10} /* two batch dims */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pbw out = {0};
        struct xpd_err err = {0};
        struct module m = {0};
        make_dot(&out, &cases[i]);
        m.hlo = ht_load_bytes(out.data, out.len, &err);
        assert_non_null(m.hlo);
        assert_int_equal(xpd_costs_make(&m.costs, &m.arena, m.hlo, out.data, out.len, &err),
                         XPD_OK);
        assert_int_equal(m.costs.matmul_count, 1);
        const struct xpd_matmul *got = &m.costs.matmuls[0];
        assert_int_equal(got->batch, cases[i].b);
        assert_int_equal(got->m, cases[i].m);
        assert_int_equal(got->n, cases[i].n);
        assert_int_equal(got->k, cases[i].k);
        assert_int_equal(m.costs.flops[2], 2 * cases[i].b * cases[i].m * cases[i].n * cases[i].k);
        xpd_hlo_free(m.hlo);
        xpd_arena_fini(&m.arena);
        pbw_free(&out);
    }
}

/* A contracting dimension that does not exist: unknown, never 0. */
static void attributes_that_contradict_are_unknown(void **state)
{
    (void)state;
    const struct dot_case bad = {{64, 128}, {128, 32}, {64, 32}, 7, 0, 0, 0, 0, 0, 0};
    struct pbw out = {0};
    struct xpd_err err = {0};
    struct module m = {0};
    make_dot(&out, &bad);
    m.hlo = ht_load_bytes(out.data, out.len, &err);
    assert_non_null(m.hlo);
    assert_int_equal(xpd_costs_make(&m.costs, &m.arena, m.hlo, out.data, out.len, &err), XPD_OK);
    assert_int_equal(m.costs.flops[2], XPD_COST_UNKNOWN);
    xpd_hlo_free(m.hlo);
    xpd_arena_fini(&m.arena);
    pbw_free(&out);
}

/* ---- calls of a library, and what Triton's fusions read ---- */

static void load_costs(struct module *m, struct pbw *out)
{
    struct xpd_err err = {0};
    *m = (struct module){0};
    m->hlo = ht_load_bytes(out->data, out->len, &err);
    assert_non_null(m->hlo);
    assert_int_equal(xpd_costs_make(&m->costs, &m->arena, m->hlo, out->data, out->len, &err),
                     XPD_OK);
    pbw_free(out);
}

static void drop_costs(struct module *m)
{
    xpd_hlo_free(m->hlo);
    xpd_arena_fini(&m->arena);
}

/* 5 n log2 n, over all lengths of the transform; a real one has its numbers on one side. */
static void transforms(void **state)
{
    (void)state;
    const struct {
        int64_t in[4], out[4], length[2];
        size_t lengths;
        int64_t flops;
    } cases[] = {{{8, 16}, {8, 16}, {16}, 1, 5 * 128 * 4},
                 {{8, 16}, {8, 16}, {8, 16}, 2, 5 * 128 * 7},
                 {{8, 9}, {8, 16}, {16}, 1, 5 * 128 * 4}, /* IRFFT */
                 {{8, 16}, {8, 16}, {0}, 0, 5 * 128 * 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hb hb;
        struct pbw out = {0}, more = {0};
        struct module m = {0};
        const struct hb_shape in = array_of(cases[i].in), to = array_of(cases[i].out);
        hb_init(&hb, "transforms");
        hb_begin_computation(&hb, "main", 1, false);
        hb_instruction(
            &hb, &(struct hb_instr){.name = "a", .opcode = "parameter", .id = 1, .shape = &in});
        pbw_ints(&more, 32, cases[i].length, cases[i].lengths, true);
        hb_instruction(&hb, &(struct hb_instr){.name = "fft",
                                               .opcode = "fft",
                                               .id = 2,
                                               .shape = &to,
                                               .operands = (const int64_t[]){1},
                                               .n_operands = 1,
                                               .more = &more});
        hb_end_computation(&hb, 2);
        hb_finish(&hb, &out);
        load_costs(&m, &out);
        assert_int_equal(m.costs.flops[1], cases[i].flops);
        drop_costs(&m);
        pbw_free(&more);
    }
}

/* Each of 4 groups multiplies a quarter: of the features, or of the batch. */
static void convolutions_in_groups(void **state)
{
    (void)state;
    static const struct {
        const char *kernel, *result, *attribute;
    } cases[] = {{"3,3,4,32", "8,32,32,32", "feature_group_count=4"},
                 {"3,3,16,32", "2,32,32,32", "batch_group_count=4"}};
    const int64_t meetings = 94 * 94; /* of 32 places and 3, the edges hang over by one */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        struct xpd_str proto;
        struct xpd_arena arena = {0};
        struct xpd_warnings warnings = {0};
        struct xpd_err err = {0};
        struct pbw out = {0};
        struct module m;
        snprintf(text, sizeof text,
                 "HloModule m\n\nENTRY e {\n  a = f32[8,32,32,16] parameter(0)\n  b = f32[%s] "
                 "parameter(1)\n  ROOT c = f32[%s] convolution(a, b), window={size=3x3 "
                 "pad=1_1x1_1}, dim_labels=b01f_01io->b01f, %s\n}\n",
                 cases[i].kernel, cases[i].result, cases[i].attribute);
        assert_int_equal(
            xpd_hlo_text_parse(xpd_str_of(text), "text", &arena, &warnings, &proto, NULL, &err),
            XPD_OK);
        pbw_bytes(&out, 1, proto.data, proto.size);
        load_costs(&m, &out);
        assert_int_equal(m.costs.flops[2], 2 * 8 * 16 * 32 * meetings / 4);
        assert_int_equal(m.costs.matmuls[0].flops_as_forward, m.costs.flops[2]);
        drop_costs(&m);
        xpd_arena_fini(&arena);
    }
}

/* f32[2,4,8] times f32[2,6,8] over the last dimensions, with a workspace beside the result. */
static void make_call(struct pbw *out, const char *target, const char *config)
{
    struct hb hb;
    const struct hb_shape lhs = array_of((const int64_t[4]){2, 4, 8});
    const struct hb_shape rhs = array_of((const int64_t[4]){2, 6, 8});
    const struct hb_shape both[] = {array_of((const int64_t[4]){2, 4, 6}),
                                    array_of((const int64_t[4]){1000})};
    const struct hb_shape to = {.type = HB_TUPLE, .elements = both, .n_elements = 2};
    const int64_t operands[] = {1, 2, 2}; /* of attention Q, K and V */
    hb_init(&hb, "calls");
    hb_begin_computation(&hb, "main", 1, false);
    hb_instruction(&hb,
                   &(struct hb_instr){.name = "a", .opcode = "parameter", .id = 1, .shape = &lhs});
    hb_instruction(
        &hb,
        &(struct hb_instr){
            .name = "b", .opcode = "parameter", .id = 2, .shape = &rhs, .parameter_number = 1});
    hb_instruction(&hb, &(struct hb_instr){.name = "call",
                                           .opcode = "custom-call",
                                           .id = 3,
                                           .shape = &to,
                                           .operands = operands,
                                           .n_operands = strstr(target, "fmha") ? 3 : 2,
                                           .custom_call_target = target,
                                           .backend_config = config});
    hb_end_computation(&hb, 3);
    hb_finish(&hb, out);
}

#define DIMENSIONS(k)                                                                              \
    "\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"" k "\"],"                       \
    "\"rhs_contracting_dimensions\":[\"2\"],\"lhs_batch_dimensions\":[\"0\"],"                     \
    "\"rhs_batch_dimensions\":[\"0\"]}"

static void a_product_by_a_library(void **state)
{
    (void)state;
    const char *const configs[] = {"{\"gemm_backend_config\":{\"beta\":0," DIMENSIONS("2") "}}",
                                   "{" DIMENSIONS("2") "}"};
    const char *const targets[] = {"__cublas$gemm", "__cublas$lt$matmul", "__cublas$lt$matmul$f8"};
    for (size_t i = 0; i < 6; i++) {
        struct pbw out = {0};
        struct module m;
        make_call(&out, targets[i % 3], configs[i / 3]);
        load_costs(&m, &out);
        assert_int_equal(m.costs.flops[2], 2 * 2 * 4 * 6 * 8);
        assert_int_equal(m.costs.bytes[2], 4 * (2 * 4 * 8 + 2 * 6 * 8 + 2 * 4 * 6)); /* no room */
        const struct xpd_matmul *got = &m.costs.matmuls[m.costs.matmul[2]];
        assert_true(got->batch == 2 && got->m == 4 && got->n == 6 && got->k == 8);
        drop_costs(&m);
    }
}

#define TE(batch, mask, layout, left, right)                                                       \
    "{attn_heads = 1 : i64, bias_batch = 0 : i64, input_batch = " batch                            \
    " : i64, is_training = true, kv_max_seqlen = 6 : i64, mask_type = " mask                       \
    " : i64, q_max_seqlen = 4 : i64, qk_head_dim = 8 : i64, qkv_layout = " layout                  \
    " : i64, v_head_dim = 8 : i64, window_size_left = " left " : i64, window_size_right = " right  \
    " : i64}"
#define FMHA(mask, window)                                                                         \
    "{\"cudnn_fmha_backend_config\":{\"mask_type\":\"" mask "\",\"sliding_window_length\":" window \
    ",\"intermediate_tensor_shape\":{\"dimensions\":[\"2\",\"1\",\"4\",\"6\"]}}}"

/* Q is 2 x 4 x 8, K 2 x 6 x 8: 24 pairs without a mask; causal 1 + 2 + 3 + 4, counted from the last
 * key 3 + 4 + 5 + 6; with the key before alone 1 + 2 + 2 + 2. Forward each pair counts 2 x 16,
 * backward 2 x 40. */
static void attention_by_a_library(void **state)
{
    (void)state;
    static const struct {
        const char *target, *config;
        int64_t flops;
    } calls[] = {
        {"te_fused_attn_forward_ffi", TE("2", "0", "9", "-1", "-1"), 2 * 24 * 2 * 16},
        {"te_fused_attn_forward_ffi", TE("2", "2", "9", "-1", "-1"), 2 * 10 * 2 * 16},
        {"te_fused_attn_forward_ffi", TE("2", "4", "9", "-1", "-1"), 2 * 18 * 2 * 16},
        {"te_fused_attn_forward_ffi", TE("2", "0", "9", "1", "0"), 2 * 7 * 2 * 16},
        {"te_fused_attn_backward_ffi", TE("2", "2", "9", "-1", "-1"), 2 * 10 * 2 * 40},
        {"te_fused_attn_forward_ffi", TE("2", "1", "9", "-1", "-1"),
         XPD_COST_UNKNOWN}, /* padding */
        {"te_fused_attn_forward_ffi", TE("2", "0", "14", "-1", "-1"),
         XPD_COST_UNKNOWN}, /* packed */
        {"te_fused_attn_forward_ffi", TE("3", "0", "9", "-1", "-1"), XPD_COST_UNKNOWN},
        {"te_fused_attn_forward_ffi", TE("-2", "0", "9", "-1", "-1"), XPD_COST_UNKNOWN},
        {"te_fused_attn_forward_ffi", TE("9223372036854775807", "0", "9", "-1", "-1"),
         XPD_COST_UNKNOWN},
        {"te_fused_attn_forward_ffi", NULL, XPD_COST_UNKNOWN},
        {"__cudnn$fmhaSoftmax", FMHA("NO_MASK", "0"), 2 * 24 * 2 * 16},
        {"__cudnn$fmhaSoftmax", FMHA("CAUSAL", "0"), 2 * 10 * 2 * 16},
        {"__cudnn$fmhaSoftmaxBackward", FMHA("CAUSAL", "0"), 2 * 10 * 2 * 40},
        {"__cudnn$fmhaSoftmax", FMHA("CAUSAL", "2"), 2 * 7 * 2 * 16},
        {"__cudnn$fmhaSoftmax", FMHA("PADDING", "0"), XPD_COST_UNKNOWN},
        {"__cudnn$fmhaSoftmax", "{\"cudnn_fmha_backend_config\":{}}", XPD_COST_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct pbw out = {0};
        struct module m;
        make_call(&out, calls[i].target, calls[i].config);
        load_costs(&m, &out);
        assert_int_equal(m.costs.flops[2], calls[i].flops);
        drop_costs(&m);
    }
}

/* A Pallas kernel costs what its author says; bytes of 0 are what an author writes who does not
 * know. Numbers as JAX writes them, and as the compiler does after it has read them. */
static void kernels_that_say_what_they_cost(void **state)
{
    (void)state;
    static const struct {
        const char *config;
        int64_t flops, transcendentals, bytes;
    } calls[] = {
        {"{\"custom_call_config\": {\"cost_estimate\": {\"flops\": 96, \"transcendentals\": 3, "
         "\"bytes_accessed\": 40}}}",
         96, 3, 40},
        {"{\"custom_call_config\":{\"cost_estimate\":{\"flops\":\"96\",\"bytes_accessed\":\"0\"}}}",
         96, 0, XPD_COST_UNKNOWN},
        {"{\"custom_call_config\":{\"cost_estimate\":{\"flops\":\"-1\"}}}", XPD_COST_UNKNOWN, 0,
         XPD_COST_UNKNOWN},
        {"{\"custom_call_config\":{\"cost_estimate\":{}}}", XPD_COST_UNKNOWN, 0, XPD_COST_UNKNOWN},
        {"{\"cost_estimate\":{\"flops\":96", XPD_COST_UNKNOWN, 0, XPD_COST_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct pbw out = {0};
        struct module m;
        make_call(&out, "tpu_custom_call", calls[i].config);
        load_costs(&m, &out);
        assert_int_equal(m.costs.flops[2], calls[i].flops);
        assert_int_equal(m.costs.transcendentals[2], calls[i].transcendentals);
        assert_int_equal(m.costs.bytes[2], calls[i].bytes);
        assert_int_equal(m.costs.hbm_bytes[2], calls[i].bytes);
        drop_costs(&m);
    }
}

/* Never 0, and never an amount that was not computed. */
static void other_calls_are_unknown(void **state)
{
    (void)state;
    static const struct {
        const char *target, *config;
    } calls[] = {{"te_fused_attn_forward_ffi", "{" DIMENSIONS("2") "}"},
                 {"__cublas$gemm", NULL},
                 {"__cublas$gemm", "{"},
                 {"__cublas$gemm", "{\"gemm_backend_config\":{}}"},
                 {"__cublas$gemm", "{" DIMENSIONS("1") "}"}, /* 4 is not 8 */
                 {"__cublas$gemm", "{" DIMENSIONS("9") "}"},
                 {"__cudnn$convForward", "{}"},
                 {"__cudnn$convBackwardFilter", "{}"}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct pbw out = {0};
        struct module m;
        make_call(&out, calls[i].target, calls[i].config);
        load_costs(&m, &out);
        assert_int_equal(m.costs.flops[2], XPD_COST_UNKNOWN);
        assert_int_equal(m.costs.bytes[2], XPD_COST_UNKNOWN);
        drop_costs(&m);
    }
}

/* Triton's matmul fusion asks fusions for its operands whose bodies are a parameter alone: it reads
 * all of it. */
static void a_body_that_hands_its_parameter_on_is_read(void **state)
{
    (void)state;
    struct hb hb;
    struct pbw out = {0};
    struct module m;
    const struct hb_shape shape = array_of((const int64_t[4]){16, 16});
    const int64_t parameter[] = {10}, block_of[] = {3}, outer_of[] = {2}, block[] = {21};
    hb_init(&hb, "triton");
    hb_begin_computation(&hb, "block", 3, true);
    hb_instruction(
        &hb, &(struct hb_instr){.name = "p", .opcode = "parameter", .id = 30, .shape = &shape});
    hb_end_computation(&hb, 30);
    hb_begin_computation(&hb, "outer", 2, true);
    hb_instruction(
        &hb, &(struct hb_instr){.name = "q", .opcode = "parameter", .id = 20, .shape = &shape});
    hb_instruction(&hb, &(struct hb_instr){.name = "block_fusion",
                                           .opcode = "fusion",
                                           .id = 21,
                                           .shape = &shape,
                                           .operands = (const int64_t[]){20},
                                           .n_operands = 1,
                                           .called = block_of,
                                           .n_called = 1});
    hb_instruction(&hb, &(struct hb_instr){.name = "neg",
                                           .opcode = "negate",
                                           .id = 22,
                                           .shape = &shape,
                                           .operands = block,
                                           .n_operands = 1});
    hb_end_computation(&hb, 22);
    hb_begin_computation(&hb, "main", 1, false);
    hb_instruction(
        &hb, &(struct hb_instr){.name = "x", .opcode = "parameter", .id = 10, .shape = &shape});
    hb_instruction(&hb, &(struct hb_instr){.name = "gemm_fusion",
                                           .opcode = "fusion",
                                           .id = 11,
                                           .shape = &shape,
                                           .operands = parameter,
                                           .n_operands = 1,
                                           .called = outer_of,
                                           .n_called = 1});
    hb_end_computation(&hb, 11);
    hb_finish(&hb, &out);
    load_costs(&m, &out);
    uint32_t at =
        m.hlo->instruction_by_name[xpd_intern_find(&m.hlo->names, XPD_STR("gemm_fusion"))];
    assert_int_equal(m.costs.bytes[at], 2 * 16 * 16 * 4); /* read and written */
    drop_costs(&m);
}

/* XLA's own text of this module (after_codegen.txt.gz) has 25 of them; the sum over the
 * columns is the sum over the text. */
static void the_compilers_cycles_are_kept(void **state)
{
    (void)state;
    struct module m;
    int64_t sum = 0;
    open_module(&m, "tpu_padded_demo");
    for (uint32_t i = 0; i < m.costs.count; i++)
        sum += m.costs.cycles[i] > 0 ? m.costs.cycles[i] : 0;
    assert_int_equal(sum, 7100745);
    close_module(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_programs_as_xla_counts_them),
        cmocka_unit_test(the_sample_as_xla_counts_it),
        cmocka_unit_test(a_recorded_run_n_of_n),
        cmocka_unit_test(three_dot_forms),
        cmocka_unit_test(transforms),
        cmocka_unit_test(convolutions_in_groups),
        cmocka_unit_test(a_product_by_a_library),
        cmocka_unit_test(attention_by_a_library),
        cmocka_unit_test(kernels_that_say_what_they_cost),
        cmocka_unit_test(other_calls_are_unknown),
        cmocka_unit_test(a_body_that_hands_its_parameter_on_is_read),
        cmocka_unit_test(attributes_that_contradict_are_unknown),
        cmocka_unit_test(the_compilers_cycles_are_kept),
    };
    return cmocka_run_group_tests_name("hlo cost", tests, NULL, NULL);
}
