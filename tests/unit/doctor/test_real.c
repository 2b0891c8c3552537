/* Rules on real programs: what each says, held against numbers that come from elsewhere: the
 * variants of a program (donated, rematerialised), XLA's reports, the reference's model. */
#include "doctor_test.h"

#include "xprofd/memory/plan.h"

static bool open_real(struct sick *s, struct xspace_hlos *hlos, const char *set, const char *module)
{
    char path[1024];
    if (!shared_xplane(set, path, sizeof path) || !xspace_hlos_load(hlos, path)) {
        print_message("no shared data: %s was not checked\n", set);
        return false;
    }
    for (size_t i = 0; i < hlos->count; i++)
        if (strstr(hlos->at[i].name, module)) {
            sick_open_bytes(s, hlos->at[i].bytes, hlos->at[i].size);
            sick_examine(s);
            return true;
        }
    fail_msg("%s has no %s", set, module);
    return false;
}

static double mib(int64_t bytes)
{
    return (double)bytes / (double)MIB;
}

static void near_mib(int64_t bytes, double expected)
{
    if (mib(bytes) < expected - 0.06 || mib(bytes) > expected + 0.06)
        fail_msg("%.3f MiB, expected %.3f", mib(bytes), expected);
}

static void donation_is_what_the_donated_program_has(void **state)
{
    (void)state;
    struct sick without = {0}, with = {0};
    struct xspace_hlos a, b;
    if (!open_real(&without, &a, "tpu_transformer_nodonate", "jit_train_step") ||
        !open_real(&with, &b, "tpu_transformer_noremat", "jit_train_step"))
        skip();
    const struct xpd_finding *f = sick_finding(&without, "D06", 0);
    assert_non_null(f);
    assert_int_equal(f->number[0].value, 114); /* arguments, as in the picture of CI */
    near_mib(f->saving_bytes, 1239.242);
    near_mib(f->new_peak_bytes, 6226.346); /* the compiler reached 6,226.350 */
    near_mib(xpd_mem_space_of(with.mem, 0)->peak_bytes, 6226.350);
    assert_null(sick_finding(&with, "D06", 0));
    sick_close(&without);
    sick_close(&with);
    xspace_hlos_free(&a);
    xspace_hlos_free(&b);
}

static void waiting_scores_save_what_the_model_says(void **state)
{
    (void)state;
    struct sick s = {0}, remat = {0};
    struct xspace_hlos a, b;
    if (!open_real(&s, &a, "tpu_transformer_noremat", "jit_train_step") ||
        !open_real(&remat, &b, "tpu_transformer_remat", "jit_train_step"))
        skip();
    const struct xpd_finding *f = sick_finding(&s, "D09", 0);
    assert_non_null(f);
    assert_int_equal(f->number[0].value, 4); /* of the 6 scores wait */
    assert_int_equal(f->buffer_count, 6);
    near_mib(f->bytes, 2048);
    near_mib(f->saving_bytes, 2560); /* the one in use at the peak still counts */
    assert_string_equal(f->action, "recompute");
    const struct xpd_finding *equal = sick_finding(&s, "D08", 0);
    assert_non_null(equal);
    assert_int_equal(equal->buffer_count, 6);
    near_mib(equal->bytes, 3072);
    assert_non_null(strstr(equal->claim.data, "(512.0 MiB each, 3,072.0 MiB, ")); /* no 3.00 GiB */
    assert_non_null(sick_finding(&s, "D21", 0));
    assert_non_null(sick_finding(&s, "D12", 0));
    assert_null(sick_finding(&s, "D24", 0));
    /* The checkpointed program: its peak is lower than promised (mlp results go too), nothing equal
     * is left, and instructions are computed twice: 121 in the picture of the comparison. */
    near_mib(xpd_mem_space_of(remat.mem, 0)->peak_bytes, 2940.721);
    assert_true(f->new_peak_bytes > xpd_mem_space_of(remat.mem, 0)->peak_bytes);
    assert_null(sick_finding(&remat, "D08", 0));
    assert_null(sick_finding(&remat, "D12", 0));
    const struct xpd_finding *twice = sick_finding(&remat, "D24", 0);
    assert_non_null(twice);
    assert_true(twice->number[0].value >= 121);
    sick_close(&s);
    sick_close(&remat);
    xspace_hlos_free(&a);
    xspace_hlos_free(&b);
}

static void eight_columns_stored_as_128(void **state)
{
    (void)state;
    struct sick s;
    struct xspace_hlos a;
    if (!open_real(&s, &a, "tpu_padded_oom", "jit_padded_step"))
        skip();
    s.input.capacity_bytes = (int64_t)(15.75 * 1024) * MIB; /* of its error text */
    sick_examine(&s);
    const struct xpd_finding *fit = &s.doctor.finding[0];
    assert_string_equal(fit->rule->id, "D01");
    assert_int_equal(fit->severity, XPD_DOCTOR_ERROR);
    near_mib(fit->bytes / 1024, 7.15);
    const struct xpd_finding *all = sick_finding(&s, "D03", 0);
    assert_non_null(all);
    assert_in_range(all->number[1].value, 935, 945); /* 94 % */
    const struct xpd_finding *f = sick_finding(&s, "D04", 0);
    assert_non_null(f);
    assert_int_equal(f->buffer_count, 3);
    assert_int_equal(f->number[2].value, 8);
    assert_int_equal(f->number[3].value, 128);
    near_mib(f->saving_bytes / 1024, 10.97); /* the picture: -10.97 GiB, peak 11.93 at step 4 */
    near_mib(f->new_peak_bytes / 1024, 11.93);
    assert_int_equal(f->new_step, 4);
    assert_non_null(strstr(f->claim.data, "16.0 times"));
    sick_close(&s);
    xspace_hlos_free(&a);
}

static void each_fires_where_it_should(void **state)
{
    (void)state;
    static const struct {
        const char *set, *module, *fires, *quiet;
        int asked; /* for the bytes of the HloProto: only where the turns of a loop matter */
    } wanted[] = {
        {"tpu_scan_layers", "jit_train_step", "D10 D11 D18 D22 D24", "D08 D14 D30", 1},
        {"oom_demo", "jit_naive_attention", "D21 D06", "D24 D10 D30", 0},
        {"oom_demo", "jit_outer_product", "D02", "D21", 0},
        {"tpu_big_transformer", "jit_train_step", "D05 D18", "D02 D03 D04", 0},
        {"tpu_convnet", "jit_train_step", "D03 D04 D11 D25", "D02 D10 D21", 0},
        {"tpu_decode_kvcache", "jit_decode", "", "D01 D02 D03 D04 D05 D06 D08 D09 D10 D12 D14 D21",
         0},
        {"tpu_host_offload", "jit_offload_step", "", "D14 D27 D06", 0},
        {"tpu_collectives", "jit_collectives", "D30", "D14 D05", 0},
        {"tpu-v6e-offload", "jit_f(", "D14", "D05 D21", 0},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct sick s;
        struct xspace_hlos a;
        if (!open_real(&s, &a, wanted[i].set, wanted[i].module))
            skip();
        for (const char *id = wanted[i].fires; *id; id += id[3] ? 4 : 3) {
            char rule[4] = {id[0], id[1], id[2], '\0'};
            if (!sick_finding(&s, rule, 0))
                fail_msg("%s is quiet on %s", rule, wanted[i].set);
        }
        for (const char *id = wanted[i].quiet; *id; id += id[3] ? 4 : 3) {
            char rule[4] = {id[0], id[1], id[2], '\0'};
            if (sick_finding(&s, rule, 0))
                fail_msg("%s speaks on %s: %s", rule, wanted[i].set,
                         sick_finding(&s, rule, 0)->claim.data);
        }
        if (s.proto->asked != wanted[i].asked)
            fail_msg("the proto of %s was asked for %d times", wanted[i].set, s.proto->asked);
        sick_close(&s);
        xspace_hlos_free(&a);
    }
}

/* A third copy has landed by the peak. Without both buffers the peak falls by 5 GiB only. */
static void two_copies_in_flight_save_one(void **state)
{
    (void)state;
    struct sick s;
    struct xspace_hlos a;
    if (!open_real(&s, &a, "tpu-v6e-offload", "jit_f("))
        skip();
    const struct xpd_finding *f = sick_finding(&s, "D14", 0);
    assert_non_null(f);
    assert_int_equal(f->saving_bytes, INT64_C(5) << 30);
    assert_int_equal(f->buffer_count, 2);
    sick_close(&s);
    xspace_hlos_free(&a);
}

static void two_runs_are_equal(void **state)
{
    (void)state;
    struct sick s;
    struct xspace_hlos a;
    if (!open_real(&s, &a, "tpu_transformer_noremat", "jit_train_step"))
        skip();
    struct xpd_doctor first = s.doctor;
    sick_examine(&s);
    assert_int_equal(first.count, s.doctor.count);
    for (uint32_t i = 0; i < first.count; i++) {
        assert_true(xpd_str_eq(first.finding[i].claim, s.doctor.finding[i].claim));
        assert_int_equal(first.finding[i].saving_bytes, s.doctor.finding[i].saving_bytes);
        assert_int_equal(first.finding[i].buffer_count, s.doctor.finding[i].buffer_count);
        if (i > 0) {
            const struct xpd_finding *before = &first.finding[i - 1];
            assert_true(xpd_finding_compare(before, &first.finding[i]) < 0);
        }
    }
    sick_close(&s);
    xspace_hlos_free(&a);
}

/* A program of testdata/tpu_findings; `file` is what shared_read gave, free it behind the rest. */
static void open_made(struct sick *s, char **file, const char *program, const char *module)
{
    char path[1024];
    size_t size;
    const char *source = getenv("XPD_SOURCE");
    snprintf(path, sizeof path, "%s/testdata/tpu_findings/%s/%s.hlo_proto.pb",
             source ? source : ".", program, module);
    *file = shared_read(path, &size);
    if (!*file)
        fail_msg("%s cannot be read", path);
    sick_open_bytes(s, *file, size);
    sick_examine(s);
}

/* Eight weights gathered before the first layer: five of them are there at the peak, 32 MiB each,
 * fetched in pieces and put together before they are gathered. */
static void weights_gathered_ahead(void **state)
{
    (void)state;
    struct sick s;
    char *file;
    open_made(&s, &file, "gathered_weights", "jit_step");
    const struct xpd_finding *f = sick_finding(&s, "D13", 0);
    assert_non_null(f);
    assert_int_equal(f->buffer_count, 5);
    assert_int_equal(f->bytes, 160 * MIB);
    assert_int_equal(f->number[1].value, 96 * MIB); /* beyond the two largest */
    sick_close(&s);
    free(file);
}

/* Copied to the host at the start, read again at the end: 64 MiB of f32[4096,4096] stay. */
static void copied_and_kept(void **state)
{
    (void)state;
    struct sick s;
    char *file;
    open_made(&s, &file, "offload_kept", "jit_step");
    const struct xpd_finding *f = sick_finding(&s, "D27", 0);
    assert_non_null(f);
    assert_int_equal(f->buffer_count, 1);
    assert_int_equal(f->bytes, 64 * MIB);
    assert_int_equal(f->saving_bytes, 64 * MIB);
    sick_close(&s);
    free(file);
}

/* The step until which the value of an instruction is held: that of a tuple's element for a
 * get-tuple-element. */
static uint32_t held_until(const struct sick *s, uint32_t instruction)
{
    const struct xpd_hlo_instructions *ins = &s->hlo->instructions;
    const struct xpd_hlo_buffers *all = &s->hlo->buffers;
    int64_t element = -1;
    if (xpd_str_eq(xpd_hlo_text(s->hlo, ins->opcode[instruction]), XPD_STR("get-tuple-element"))) {
        element = ins->tuple_index[instruction];
        instruction = ins->operand[ins->operand_first[instruction]];
    }
    for (uint32_t b = 0; b < all->count; b++)
        if (all->instruction[b] == instruction &&
            (element < 0 ? all->index_first[b] == all->index_first[b + 1]
                         : all->index_first[b] + 1 == all->index_first[b + 1] &&
                               all->shape_index[all->index_first[b]] == element))
            return s->mem->buffer[b].end_step;
    fail_msg("no buffer of instruction %u", instruction);
    return 0;
}

/* Why D27 is quiet on tpu_host_offload: its 52 copies to the host are Adam's moments, written back.
 * Eight of them are over at the peak, and so are the arrays on the device that they copied. */
static void nothing_stays_that_was_offloaded(void **state)
{
    (void)state;
    struct sick s = {0};
    struct xspace_hlos a;
    uint32_t copies = 0, early = 0;
    if (!open_real(&s, &a, "tpu_host_offload", "jit_offload_step"))
        skip();
    const struct xpd_hlo_instructions *ins = &s.hlo->instructions;
    const struct xpd_mem_space *space = xpd_mem_space_of(s.mem, 0);
    for (uint32_t i = 0; i < ins->count; i++) {
        if (!xpd_str_eq(xpd_hlo_text(s.hlo, ins->opcode[i]), XPD_STR("copy-start")) ||
            !ins->shape[i]->element[0].layout ||
            ins->shape[i]->element[0].layout->memory_space != 5)
            continue;
        copies++;
        if (xpd_mem_step_of(s.mem, space, i) > space->peak_step)
            continue;
        early++;
        assert_true(held_until(&s, ins->operand[ins->operand_first[i]]) < space->peak_step);
    }
    assert_int_equal(copies, 52);
    assert_int_equal(early, 8);
    assert_null(sick_finding(&s, "D27", 0));
    assert_null(sick_finding(&s, "D14", 0)); /* what was copied back has landed */
    sick_close(&s);
    xspace_hlos_free(&a);
}

/* Why D13 is quiet on tpu_sharded_lm: its 99 all-gathers have the logits' gradient, row sums and
 * tokens as results; its weights stay in pieces (the two dimensions of a weight are none of these).
 */
static void no_weight_is_gathered(void **state)
{
    (void)state;
    static const int64_t dims[3][3] = {{16, 1024, 16000}, {2, 1, 512}, {16, 1024, 1}};
    uint32_t count[3] = {0}, others = 0;
    struct sick s = {0};
    struct xspace_hlos a;
    if (!open_real(&s, &a, "tpu_sharded_lm", "jit_train_step"))
        skip();
    const struct xpd_hlo_instructions *ins = &s.hlo->instructions;
    for (uint32_t i = 0; i < ins->count; i++) {
        if (!xpd_str_eq(xpd_hlo_text(s.hlo, ins->opcode[i]), XPD_STR("all-gather")))
            continue;
        size_t k = 0;
        while (k < 3 && (ins->shape[i]->rank != 3 ||
                         memcmp(ins->shape[i]->dims, dims[k], sizeof dims[k]) != 0))
            k++;
        if (k < 3)
            count[k]++;
        else
            others++;
    }
    assert_int_equal(count[0], 36);
    assert_int_equal(count[1], 61);
    assert_int_equal(count[2], 2);
    assert_int_equal(others, 0);
    assert_null(sick_finding(&s, "D13", 0));
    sick_close(&s);
    xspace_hlos_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(donation_is_what_the_donated_program_has),
        cmocka_unit_test(waiting_scores_save_what_the_model_says),
        cmocka_unit_test(eight_columns_stored_as_128),
        cmocka_unit_test(each_fires_where_it_should),
        cmocka_unit_test(two_copies_in_flight_save_one),
        cmocka_unit_test(two_runs_are_equal),
        cmocka_unit_test(weights_gathered_ahead),
        cmocka_unit_test(copied_and_kept),
        cmocka_unit_test(nothing_stays_that_was_offloaded),
        cmocka_unit_test(no_weight_is_gathered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
