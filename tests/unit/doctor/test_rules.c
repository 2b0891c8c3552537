/* Rules that no real program of ours triggers, on small programs made by hand: each once where it
 * speaks and once where it must not. */
#include "doctor_test.h"

#define SHAPE(name, t, r, ...)                                                                     \
    static const struct hb_shape name = {.type = (t), .rank = (r), .dims = {__VA_ARGS__}}
SHAPE(f32_16m, HB_F32, 2, 4096, 1024); /* 16 MiB */
SHAPE(f32_one, HB_F32, 0, 0);
SHAPE(u32_16m, HB_U32, 2, 4096, 1024);
SHAPE(pred_4m, HB_PRED, 2, 4096, 1024);
static const struct hb_shape rows = {
    .type = HB_F32, .rank = 2, .dims = {4096, 1024}, .layout = HB_MINOR, .minor = {1, 0}};
static const struct hb_shape columns = {
    .type = HB_F32, .rank = 2, .dims = {4096, 1024}, .layout = HB_MINOR, .minor = {0, 1}};

static struct sick run_program(const struct op *op, size_t n, const char *trace)
{
    struct hb hb;
    struct sick s;
    hb_init(&hb, "hand_made");
    sick_program(&hb, op, n, trace);
    sick_open(&s, &hb);
    sick_examine(&s);
    return s;
}
#define RUN(op, trace) run_program(op, sizeof(op) / sizeof *(op), trace)

static void constants(void **state)
{
    (void)state;
    struct op op[] = {
        {.id = 1, .name = "c", .opcode = "constant", .shape = &f32_16m, .mib = 16, .kind = 'c'},
        {.id = 2,
         .name = "t",
         .opcode = "add",
         .shape = &f32_16m,
         .operand = {1},
         .mib = 16,
         .kind = 't'}};
    struct sick s = RUN(op, "A2 F2");
    const struct xpd_finding *f = sick_finding(&s, "D15", 0);
    assert_non_null(f);
    assert_int_equal(f->saving_bytes, 16 * MIB);
    sick_close(&s);
    op[0].kind = 'p';
    op[0].opcode = "parameter";
    s = RUN(op, "A2 F2");
    assert_null(sick_finding(&s, "D15", 0));
    sick_close(&s);
}

static void two_layouts(void **state)
{
    (void)state;
    struct op op[] = {
        {.id = 1, .name = "a", .opcode = "add", .shape = &rows, .mib = 16, .kind = 't'},
        {.id = 2,
         .name = "copy",
         .opcode = "copy",
         .shape = &columns,
         .operand = {1},
         .mib = 16,
         .kind = 't'},
        {.id = 3, .name = "u", .opcode = "add", .shape = &f32_one, .operand = {1, 2}}};
    struct sick s = RUN(op, "A1 A2 F1 F2");
    const struct xpd_finding *f = sick_finding(&s, "D16", 0);
    assert_non_null(f);
    assert_int_equal(f->saving_bytes, 16 * MIB);
    sick_close(&s);
    op[1].shape = &rows; /* the same layout: a plain copy */
    s = RUN(op, "A1 A2 F1 F2");
    assert_null(sick_finding(&s, "D16", 0));
    sick_close(&s);
}

static void callbacks(void **state)
{
    (void)state;
    struct op op[] = {
        {.id = 1, .name = "a", .opcode = "add", .shape = &f32_16m, .mib = 16, .kind = 't'},
        {.id = 2,
         .name = "print",
         .opcode = "custom-call",
         .shape = &f32_one,
         .operand = {1},
         .target = "xla_python_cpu_callback"}};
    struct sick s = RUN(op, "A1 F1");
    const struct xpd_finding *f = sick_finding(&s, "D19", 0);
    assert_non_null(f);
    assert_int_equal(f->buffer_count, 1);
    assert_int_equal(f->saving_bytes, 16 * MIB);
    sick_close(&s);
    op[1].target = "__cudnn$convForward";
    s = RUN(op, "A1 F1");
    assert_null(sick_finding(&s, "D19", 0));
    sick_close(&s);
}

static void random_bits(void **state)
{
    (void)state;
    struct op op[] = {{.id = 1,
                       .name = "bits",
                       .opcode = "fusion",
                       .shape = &u32_16m,
                       .mib = 16,
                       .kind = 't',
                       .op_name = "jit(f)/normal/threefry2x32"}};
    struct sick s = RUN(op, "A1 F1");
    assert_non_null(sick_finding(&s, "D20", 0));
    assert_int_equal(sick_finding(&s, "D20", 0)->saving_bytes, 16 * MIB);
    sick_close(&s);
    op[0].op_name = "jit(f)/table/iota";
    s = RUN(op, "A1 F1");
    assert_null(sick_finding(&s, "D20", 0));
    sick_close(&s);
}

static void masks(void **state)
{
    (void)state;
    struct op op[] = {
        {.id = 1, .name = "mask", .opcode = "compare", .shape = &pred_4m, .mib = 16, .kind = 't'}};
    struct sick s = RUN(op, "A1 F1"); /* 4 bytes per entry */
    assert_non_null(sick_finding(&s, "D22", 0));
    assert_non_null(strstr(sick_finding(&s, "D22", 0)->claim.data, "4 bytes"));
    sick_close(&s);
    op[0].mib = 4; /* one byte */
    s = RUN(op, "A1 F1");
    assert_null(sick_finding(&s, "D22", 0));
    sick_close(&s);
}

static void donated_in_vain(void **state)
{
    (void)state;
    struct op op[] = {
        {.id = 1, .name = "x", .opcode = "parameter", .shape = &f32_16m, .mib = 16, .kind = 'p'},
        {.id = 2,
         .name = "t",
         .opcode = "add",
         .shape = &u32_16m,
         .operand = {1},
         .mib = 16,
         .kind = 'o'}};
    for (int donor = 0; donor < 2; donor++) {
        struct hb hb;
        struct sick s;
        hb_init(&hb, "donor");
        sick_program(&hb, op, 2, "");
        if (donor)
            hb_donor(&hb, 0, NULL, 0);
        sick_open(&s, &hb);
        sick_examine(&s);
        const struct xpd_finding *f = sick_finding(&s, "D07", 0);
        assert_true((f != NULL) == donor);
        if (f)
            assert_int_equal(f->bytes, 16 * MIB);
        assert_null(sick_finding(&s, "D06", 0)); /* types differ */
        sick_close(&s);
    }
}

static void missed_donation_pairs_each_once(void **state)
{
    (void)state;
    /* two outputs of a shape that one argument has: one pair */
    struct op op[] = {{.id = 1,
                       .name = "x",
                       .opcode = "parameter",
                       .shape = &f32_16m,
                       .mib = 16,
                       .kind = 'p',
                       .op_name = "params['w']"},
                      {.id = 2,
                       .name = "y",
                       .opcode = "add",
                       .shape = &f32_16m,
                       .operand = {1},
                       .mib = 16,
                       .kind = 'o'},
                      {.id = 3,
                       .name = "z",
                       .opcode = "add",
                       .shape = &f32_16m,
                       .operand = {1},
                       .mib = 16,
                       .kind = 'o'}};
    struct sick s = RUN(op, "");
    const struct xpd_finding *f = sick_finding(&s, "D06", 0);
    assert_non_null(f);
    assert_int_equal(f->buffer_count, 1);
    assert_int_equal(f->saving_bytes, 16 * MIB);
    assert_int_equal(f->new_peak_bytes, 32 * MIB);
    /* The bytes are those of the output; what a reader looks for is the argument, by its path. */
    assert_int_equal(f->listed_count, 1);
    assert_int_equal(s.mem->buffer[f->listed[0]].mem_class, XPD_CLASS_PARAMETER);
    assert_int_not_equal(f->listed[0], f->buffer[0]);
    assert_non_null(strstr(f->claim.data, "The largest is params['w'] f32"));
    sick_close(&s);
}

/* Five gathered weights at once: three more than two that hide their transfer. */
static void gathered_weights(void **state)
{
    (void)state;
    for (int many = 0; many < 2; many++) {
        struct op op[16];
        char name[5][16], trace[64] = "";
        int n = 0, count = many ? 5 : 2;
        for (int i = 0; i < count; i++) {
            snprintf(name[i], sizeof name[i], "w%d", i);
            op[n++] = (struct op){.id = 1 + i,
                                  .name = name[i],
                                  .opcode = "parameter",
                                  .shape = &f32_16m,
                                  .mib = 16,
                                  .kind = 'p',
                                  .index = i};
        }
        for (int i = 0; i < count; i++) {
            op[n++] = (struct op){.id = 11 + i,
                                  .name = "all-gather",
                                  .opcode = "all-gather",
                                  .shape = &f32_16m,
                                  .operand = {1 + i},
                                  .mib = 64,
                                  .kind = 't'};
            snprintf(trace + strlen(trace), sizeof trace - strlen(trace), "A%d ", 11 + i);
        }
        struct sick s = run_program(op, (size_t)n, trace);
        const struct xpd_finding *f = sick_finding(&s, "D13", 0);
        assert_true((f != NULL) == (many == 1));
        if (f) {
            assert_int_equal(f->buffer_count, 5);
            assert_int_equal(f->number[1].value, 3 * 64 * MIB);
            assert_int_equal(f->saving_bytes, 5 * 64 * MIB);
        }
        sick_close(&s);
    }
}

static const struct hb_shape state_of[1] = {{.type = HB_F32, .rank = 2, .dims = {4096, 1024}}};
static const struct hb_shape loop_state = {.type = HB_TUPLE, .elements = state_of, .n_elements = 1};

/* A loop whose body copies its state, or only adds to it. */
static void loop_state_copied(void **state)
{
    (void)state;
    for (int copies = 0; copies < 2; copies++) {
        struct hb hb;
        struct sick s;
        hb_init(&hb, "loop");
        const struct op body[] = {
            {.id = 20, .name = "arg", .opcode = "parameter", .shape = &loop_state},
            {.id = 21,
             .name = "state",
             .opcode = "get-tuple-element",
             .shape = &f32_16m,
             .operand = {20}},
            {.id = 22,
             .name = "copied",
             .opcode = copies ? "copy" : "negate",
             .shape = &f32_16m,
             .operand = {21}},
            {.id = 23, .name = "out", .opcode = "tuple", .shape = &loop_state, .operand = {22}}};
        const struct op test[] = {
            {.id = 30, .name = "arg.1", .opcode = "parameter", .shape = &loop_state},
            {.id = 31, .name = "go", .opcode = "constant", .shape = &pred_4m}};
        sick_computation(&hb, "body", 2, false, body, 4);
        sick_computation(&hb, "condition", 3, false, test, 2);
        const struct op op[] = {
            {.id = 1, .name = "init", .opcode = "broadcast", .shape = &f32_16m},
            {.id = 2, .name = "pack", .opcode = "tuple", .shape = &loop_state, .operand = {1}},
            {.id = 3,
             .name = "while",
             .opcode = "while",
             .shape = &loop_state,
             .operand = {2},
             .called = {2, 3}}};
        hb_begin_computation(&hb, "main", 1, false);
        for (int i = 0; i < 3; i++)
            hb_instruction(&hb, &(struct hb_instr){.name = op[i].name,
                                                   .opcode = op[i].opcode,
                                                   .id = op[i].id,
                                                   .shape = op[i].shape,
                                                   .operands = op[i].operand,
                                                   .n_operands = op[i].operand[0] != 0,
                                                   .called = op[i].called,
                                                   .n_called = op[i].called[0] ? 2 : 0});
        hb_end_computation(&hb, 3);
        hb_logical(&hb, &(struct hb_logical){.id = 1,
                                             .size = 16 * MIB,
                                             .instruction_id = 3,
                                             .shape_index = (int64_t[]){0},
                                             .n_shape_index = 1});
        hb_logical(&hb, &(struct hb_logical){.id = 2, .size = 16 * MIB, .instruction_id = 22});
        hb_alloc_begin(&hb, &(struct hb_alloc){.index = 0, .size = 32 * MIB});
        hb_assign(&hb, 1, 0, 16 * MIB);
        hb_assign(&hb, 2, 16 * MIB, 16 * MIB);
        hb_alloc_end(&hb);
        hb_trace(&hb, "A1 A2 F2 F1");
        sick_open(&s, &hb);
        sick_examine(&s);
        const struct xpd_finding *f = sick_finding(&s, "D17", 0);
        assert_true((f != NULL) == (copies == 1));
        if (f)
            assert_int_equal(f->saving_bytes, 16 * MIB);
        sick_close(&s);
    }
}

static const struct hb_shape to_host_of[3] = {
    {.type = HB_F32, .rank = 2, .dims = {4096, 1024}, .layout = HB_DESCENDING, .memory_space = 5},
    {.type = HB_F32, .rank = 2, .dims = {4096, 1024}, .layout = HB_DESCENDING},
    {.type = HB_U32}};
static const struct hb_shape to_host = {.type = HB_TUPLE, .elements = to_host_of, .n_elements = 3};
static const struct hb_shape on_host = {
    .type = HB_F32, .rank = 2, .dims = {4096, 1024}, .layout = HB_DESCENDING, .memory_space = 5};

static void copied_to_the_host_but_kept(void **state)
{
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        const struct op op[] = {
            {.id = 1, .name = "a", .opcode = "add", .shape = &f32_16m, .mib = 16, .kind = 't'},
            {.id = 2,
             .name = "copy-start",
             .opcode = "copy-start",
             .shape = &to_host,
             .operand = {1}},
            {.id = 3,
             .name = "copy-done",
             .opcode = "copy-done",
             .shape = &on_host,
             .operand = {2}},
            {.id = 4, .name = "b", .opcode = "add", .shape = &f32_16m, .mib = 64, .kind = 't'},
            {.id = 5,
             .name = "c",
             .opcode = "add",
             .shape = &f32_16m,
             .operand = {1},
             .mib = 32,
             .kind = 't'}};
        struct sick s = RUN(op, kept ? "A1 A4 A5 F4 F5 F1" : "A1 F1 A4 A5 F4 F5");
        const struct xpd_finding *f = sick_finding(&s, "D27", 0);
        assert_true((f != NULL) == (kept == 1));
        if (f)
            assert_int_equal(f->saving_bytes, 16 * MIB);
        sick_close(&s);
    }
}

static void measured(void **state)
{
    (void)state;
    struct op op[] = {
        {.id = 1, .name = "a", .opcode = "add", .shape = &f32_16m, .mib = 16, .kind = 't'}};
    struct sick s = RUN(op, "A1 F1");
    assert_null(sick_finding(&s, "D28", 0));
    assert_null(sick_finding(&s, "D29", 0));
    assert_non_null(strstr(s.doctor.not_judged.data, "D28, D29")); /* and it says so */
    s.input.big_others = 1; /* found, so not among those that were not checked */
    s.input.others_name = XPD_STR("jit_other");
    sick_examine(&s);
    assert_non_null(sick_finding(&s, "D28", 0));
    assert_null(strstr(s.doctor.not_judged.data, "D28"));
    s.input.big_others = 0;
    s.input.runtime_peak_bytes = 20 * MIB;
    s.input.runtime_fragmentation = 0.5;
    sick_examine(&s);
    assert_non_null(sick_finding(&s, "D28", 0));
    assert_int_equal(sick_finding(&s, "D28", 0)->bytes, 4 * MIB);
    assert_non_null(sick_finding(&s, "D29", 0));
    assert_non_null(strstr(sick_finding(&s, "D29", 0)->claim.data, "50.0 %"));
    s.input.runtime_where = XPD_STR("GPU_0_bfc");
    s.input.runtime_peak_bytes = 10 * MIB; /* less than the program needs: it did not run here */
    sick_examine(&s);
    assert_non_null(strstr(sick_finding(&s, "D28", 0)->claim.data, "(allocator GPU_0_bfc)"));
    assert_non_null(strstr(sick_finding(&s, "D28", 0)->claim.data, "may not include a run"));
    s.input.runtime_peak_bytes = 17 * MIB; /* 6 % more */
    s.input.runtime_fragmentation = 0.1;
    sick_examine(&s);
    assert_null(sick_finding(&s, "D28", 0));
    assert_null(sick_finding(&s, "D29", 0));
    s.input.runtime_request_bytes = 8 * MIB; /* room in all, but not in one piece */
    s.input.runtime_free_bytes = 12 * MIB;
    s.input.runtime_piece_bytes = 7 * MIB;
    sick_examine(&s);
    assert_non_null(sick_finding(&s, "D29", 0));
    assert_int_equal(sick_finding(&s, "D29", 0)->number[1].value, 7 * MIB);
    s.input.runtime_request_bytes = 0;
    s.input.runtime_fragmentation = -1; /* CPU allocators do not say it */
    sick_examine(&s);
    assert_null(sick_finding(&s, "D29", 0));
    assert_non_null(strstr(s.doctor.not_judged.data, "D29: the allocators do not report"));
    sick_close(&s);
}

static void capacity(void **state)
{
    (void)state;
    struct op op[] = {
        {.id = 1, .name = "a", .opcode = "add", .shape = &f32_16m, .mib = 16, .kind = 't'}};
    struct sick s = RUN(op, "A1 F1");
    static const struct {
        int64_t mib;
        int says; /* 0 nothing, else severity + 1 */
    } wanted[] = {{15, XPD_DOCTOR_ERROR + 1}, {17, XPD_DOCTOR_WARN + 1}, {18, 0}, {64, 0}};
    assert_null(sick_finding(&s, "D01", 0)); /* unknown: nothing is claimed */
    for (size_t i = 0; i < 4; i++) {
        s.input.capacity_bytes = wanted[i].mib * MIB;
        sick_examine(&s);
        const struct xpd_finding *f = sick_finding(&s, "D01", 0);
        assert_int_equal(f ? (int)f->severity + 1 : 0, wanted[i].says);
    }
    sick_close(&s);
}

/* Two arguments on four devices: one tiled over them, the other a full copy on each, or tiled too.
 */
static void full_copies(void **state)
{
    (void)state;
    static const struct op op[] = {
        {.id = 1, .name = "w", .opcode = "parameter", .shape = &f32_16m, .mib = 16, .kind = 'p'},
        {.id = 2,
         .name = "x",
         .opcode = "parameter",
         .shape = &f32_16m,
         .mib = 16,
         .kind = 'p',
         .index = 1}};
    static const int64_t tiles[] = {2, 2};
    for (int replicated = 0; replicated < 2; replicated++) {
        struct hb hb;
        struct sick s;
        struct pbw tiled = {0};
        hb_init(&hb, "sharded");
        sick_program(&hb, op, 2, "");
        pbw_uint(&tiled, 1, 3); /* OpSharding: type OTHER, tile_assignment_dimensions */
        pbw_ints(&tiled, 3, tiles, 2, true);
        pbw_msg(&hb.module, 14, &tiled);
        pbw_bytes(&hb.module, 14, tiled.data, replicated ? 0 : tiled.len);
        sick_open(&s, &hb);
        sick_examine(&s);
        const struct xpd_finding *f = sick_finding(&s, "D23", 0);
        assert_true((f != NULL) == (replicated == 1));
        if (f) {
            assert_int_equal(f->buffer_count, 1);
            assert_int_equal(f->saving_bytes, 12 * MIB); /* 16 MiB over 4 devices */
        }
        assert_int_equal(s.proto->asked, 0); /* shardings are among the columns */
        sick_close(&s);
        pbw_free(&tiled);
    }
}

/* A kernel that does not fit on chip: the message is all there is (tpu_vmem_oom). */
static void error_of_the_compiler(void **state)
{
    (void)state;
    struct op op[] = {
        {.id = 1, .name = "a", .opcode = "add", .shape = &f32_16m, .mib = 16, .kind = 't'}};
    struct sick s = RUN(op, "A1 F1");
    assert_null(sick_finding(&s, "D26", 0));
    s.input.error_color = 1;
    s.input.error_needed_bytes = 256 * MIB;
    s.input.error_capacity_bytes = 128 * MIB;
    sick_examine(&s);
    const struct xpd_finding *f = sick_finding(&s, "D26", 0);
    assert_non_null(f);
    assert_int_equal(f->color, 1);
    assert_int_equal(f->severity, XPD_DOCTOR_ERROR);
    assert_int_equal(f->bytes, 128 * MIB);
    sick_close(&s);
}

/* The space shown first stands for the device's memory where no space has the number 0: it is the
 * one with the largest peak, not the first of the list. */
static void no_space_zero(void **state)
{
    (void)state;
    static const int64_t order[] = {1, 2}, mib[] = {16, 64};
    static const struct op op[] = {
        {.id = 1, .name = "a", .opcode = "parameter", .shape = &f32_16m},
        {.id = 2, .name = "b", .opcode = "parameter", .shape = &f32_16m, .index = 1}};
    struct hb hb;
    struct sick s;
    hb_init(&hb, "hand_made");
    sick_computation(&hb, "main", 1, false, op, 2);
    hb_sequence(&hb, 1, order, 2);
    for (int i = 0; i < 2; i++)
        hb_logical(&hb, &(struct hb_logical){.id = order[i],
                                             .size = mib[i] * MIB,
                                             .color = i + 1,
                                             .instruction_id = order[i]});
    for (int i = 0; i < 2; i++) {
        hb_alloc_begin(&hb, &(struct hb_alloc){.index = i,
                                               .size = mib[i] * MIB,
                                               .color = i + 1,
                                               .parameter = true,
                                               .parameter_number = i});
        hb_assign(&hb, order[i], 0, mib[i] * MIB);
        hb_alloc_end(&hb);
    }
    sick_open(&s, &hb);
    assert_int_equal(s.mem->space_count, 2);
    for (int i = 0; i < 2; i++) {
        struct xpd_err err = {0};
        if (xpd_doctor_run(&s.doctor, &s.input, xpd_mem_space_of(s.mem, i + 1), &s.arena, &err) !=
            XPD_OK)
            fail_msg("%s", err.text);
        assert_int_equal(sick_finding(&s, "D02", 0) != NULL, i == 1);
    }
    sick_close(&s);
}

/* A dump of a program that did not compile looks like any other: only the error text says so. */
static void dump_without_error_text(void **state)
{
    (void)state;
    struct op op[] = {
        {.id = 1, .name = "a", .opcode = "add", .shape = &f32_16m, .mib = 16, .kind = 't'}};
    struct sick s = RUN(op, "A1 F1");
    assert_null(strstr(s.doctor.not_judged.data, "D30"));
    s.input.dump_is_silent = true;
    sick_examine(&s);
    assert_null(sick_finding(&s, "D30", 0)); /* it says nothing of the program */
    const char *said = strstr(s.doctor.not_judged.data, "D30: this dump has no error text");
    assert_non_null(said);
    assert_non_null(strstr(said, "error.txt"));
    assert_null(strstr(said + 1, "D30"));
    sick_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants),
        cmocka_unit_test(two_layouts),
        cmocka_unit_test(callbacks),
        cmocka_unit_test(random_bits),
        cmocka_unit_test(masks),
        cmocka_unit_test(donated_in_vain),
        cmocka_unit_test(missed_donation_pairs_each_once),
        cmocka_unit_test(gathered_weights),
        cmocka_unit_test(loop_state_copied),
        cmocka_unit_test(copied_to_the_host_but_kept),
        cmocka_unit_test(measured),
        cmocka_unit_test(capacity),
        cmocka_unit_test(full_copies),
        cmocka_unit_test(error_of_the_compiler),
        cmocka_unit_test(no_space_zero),
        cmocka_unit_test(dump_without_error_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
