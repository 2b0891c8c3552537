/* The loader on well-formed modules: columns, references, old and new dumps, scoped memory. */
#include "hlo_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct hb_shape f32 = {
    .type = HB_F32, .rank = 1, .dims = {4}, .layout = HB_DESCENDING};

static void add(struct hb *hb, const char *name, const char *opcode, int64_t id,
                const int64_t *operands, int n)
{
    hb_instruction(hb, &(struct hb_instr){.name = name,
                                          .opcode = opcode,
                                          .id = id,
                                          .shape = &f32,
                                          .operands = operands,
                                          .n_operands = n});
}

static int64_t wide(int64_t computation, int64_t local)
{
    return computation << 32 | local;
}

static void put_module(struct hb *hb, bool unpacked)
{
    hb_init(hb, "jit_f");
    hb->unpacked = unpacked;
    hb->entry_id = 2;
    const int64_t inner[] = {wide(1, 0)}, outer[] = {wide(2, 0), wide(2, 0)}, called[] = {1};
    const int64_t order[] = {wide(2, 0), wide(2, 1), wide(2, 2)}, low[] = {1};
    hb_begin_computation(hb, "body", 1, true);
    add(hb, "p.0", "parameter", wide(1, 0), NULL, 0);
    add(hb, "neg", "negate", wide(1, 1), inner, 1);
    hb_end_computation(hb, wide(1, 1));
    hb_begin_computation(hb, "main", 2, false);
    hb_instruction(hb, &(struct hb_instr){.name = "p.1",
                                          .opcode = "parameter",
                                          .id = wide(2, 0),
                                          .shape = &f32,
                                          .parameter_number = 3});
    hb_instruction(hb, &(struct hb_instr){.name = "fusion",
                                          .opcode = "fusion",
                                          .id = wide(2, 1),
                                          .shape = &f32,
                                          .operands = outer,
                                          .n_operands = 2,
                                          .called = called,
                                          .n_called = 1,
                                          .fusion_kind = "kLoop",
                                          .op_name = "a/b"});
    hb_instruction(hb, &(struct hb_instr){.name = "gte",
                                          .opcode = "get-tuple-element",
                                          .id = wide(2, 2),
                                          .shape = &f32,
                                          .operands = low,
                                          .n_operands = 1,
                                          .tuple_index = 5,
                                          .custom_call_target = "target"});
    hb_end_computation(hb, wide(2, 2));
    hb_sequence(hb, 2, order, 3);
    const int64_t path[] = {1, 2};
    hb_alias(hb, path, 2, 3, path, 1, 2);
    hb_donor(hb, 4, path, 2);
}

static void check_module(const struct xpd_hlo *hlo)
{
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    assert_true(ht_is(hlo, hlo->name, "jit_f"));
    assert_int_equal(all->count, 5);
    assert_int_equal(hlo->computations.count, 2);
    assert_int_equal(hlo->entry, 1);
    assert_int_equal(hlo->computations.first[1], 2);
    assert_int_equal(hlo->computations.instruction_count[1], 3);
    assert_int_equal(hlo->computations.root[0], 1);
    assert_int_equal(hlo->computations.root[1], 4);
    assert_true(hlo->computations.is_fusion[0]);
    assert_true(ht_is(hlo, all->name[3], "fusion"));
    assert_true(ht_is(hlo, all->fusion_kind[3], "kLoop"));
    assert_true(ht_is(hlo, all->op_name[3], "a/b"));
    assert_true(ht_is(hlo, all->call_target[4], "target"));
    assert_int_equal(all->parameter_number[2], 3);
    assert_int_equal(all->tuple_index[4], 5);
    assert_int_equal(all->operand_first[3], 1);
    assert_int_equal(all->operand_first[4], 3);
    assert_int_equal(all->operand[0], 0);
    assert_int_equal(all->operand[1], 2);
    assert_int_equal(all->operand[3], 3); /* by the low half: the same number in another
                                             computation is not meant */
    assert_int_equal(all->operand_first[5], 4);
    assert_int_equal(all->called_first[5], 1);
    assert_int_equal(all->called[0], 0);
    assert_ptr_equal(all->shape[0], all->shape[4]);
    assert_int_equal(hlo->computations.schedule_first[0], 0);
    assert_int_equal(hlo->computations.schedule_first[1], 0);
    assert_int_equal(hlo->computations.schedule_first[2], 3);
    assert_int_equal(hlo->computations.schedule[2], 4);
    assert_int_equal(hlo->alias_count, 1);
    assert_int_equal(hlo->alias[0].parameter_number, 3);
    assert_int_equal(hlo->alias[0].kind, 2);
    assert_int_equal(hlo->alias[0].output_index_count, 2);
    assert_int_equal(hlo->alias[0].output_index[1], 2);
    assert_int_equal(hlo->alias[0].parameter_index_count, 1);
    assert_int_equal(hlo->donor_count, 1);
    assert_int_equal(hlo->donor[0].parameter_index[0], 1);
    assert_int_equal(hlo->warnings.count, 0);
    xpd_name_id name = xpd_intern_find(&hlo->names, XPD_STR("gte"));
    assert_int_equal(hlo->instruction_by_name[name], 4);
    assert_true(xpd_hlo_memory_bytes(hlo) > sizeof *hlo);
}

static void module_columns(void **state)
{
    (void)state;
    for (int unpacked = 0; unpacked < 2; unpacked++) {
        struct hb hb;
        put_module(&hb, unpacked != 0);
        struct xpd_hlo *hlo = ht_load(&hb);
        check_module(hlo);
        xpd_hlo_free(hlo);
    }
    xpd_hlo_free(NULL);
}

static void check_buffers(const struct xpd_hlo *hlo)
{
    const struct xpd_hlo_buffers *buffers = &hlo->buffers;
    assert_int_equal(buffers->count, 5);
    assert_int_equal(buffers->size_bytes[1], 8192);
    assert_int_equal(buffers->color[1], 5);
    assert_true(ht_is(hlo, hlo->instructions.name[buffers->instruction[1]], "op.2"));
    assert_int_equal(buffers->instruction[2], buffers->instruction[1]);
    assert_int_equal(buffers->index_first[3] - buffers->index_first[2], 1);
    assert_int_equal(buffers->shape_index[buffers->index_first[2]], 1);
    assert_int_equal(buffers->instruction[3], buffers->instruction[0]);
    assert_int_equal(buffers->instruction[4], XPD_NO_INDEX);
    assert_int_equal(buffers->instruction_id[4], 999);
    assert_int_equal(ht_warned(hlo, "buffer_instruction_missing"), 1);
}

static void check_allocation(const struct xpd_hlo *hlo)
{
    assert_int_equal(hlo->allocation_count, 1);
    const struct xpd_hlo_allocation *allocation = &hlo->allocation[0];
    assert_int_equal(allocation->index, 3);
    assert_int_equal(allocation->size_bytes, 1 << 20);
    assert_int_equal(allocation->flags,
                     XPD_ALLOC_PARAMETER | XPD_ALLOC_LIVE_OUT | XPD_ALLOC_CONSTANT);
    assert_int_equal(allocation->parameter_number, 2);
    assert_int_equal(allocation->parameter_index[0], 1);
    assert_int_equal(allocation->assigned_count, 3);
    assert_int_equal(hlo->assigned[1].buffer, 1);
    assert_int_equal(hlo->assigned[1].offset_bytes, 512 << 10);
    assert_int_equal(hlo->assigned[1].size_bytes, 16 << 10);
    assert_int_equal(hlo->assigned[2].buffer, XPD_NO_INDEX);
}

static void check_trace(const struct xpd_hlo *hlo)
{
    assert_int_equal(hlo->trace_count, 1);
    assert_int_equal(hlo->trace[0].count, 4);
    assert_true(hlo->trace[0].whole_module);
    assert_int_equal(hlo->events.kind[1], XPD_EVENT_SHARE_WITH);
    assert_int_equal(hlo->events.canonical[1], 0);
    assert_int_equal(hlo->events.canonical[0], XPD_NO_INDEX);
    assert_int_equal(hlo->events.buffer[3], XPD_NO_INDEX);
    assert_int_equal(hlo->events.buffer_id[3], 77);
    assert_true(ht_is(hlo, hlo->events.instruction_name[1], "op.2"));
    assert_true(ht_is(hlo, hlo->events.computation_name[1], "main"));
    assert_int_equal(ht_warned(hlo, "event_buffer_missing"), 1);
}

static void assignment_columns(void **state)
{
    (void)state;
    struct hb hb;
    hb_init(&hb, "V");
    const int64_t path[] = {1};
    hb_buffer(&hb, 1, 4096, 8, 0);
    hb_buffer(&hb, 2, 8192, 8, 5);
    hb_logical(&hb, &(struct hb_logical){.id = 7,
                                         .size = 12,
                                         .instruction_name = "op.2",
                                         .shape_index = path,
                                         .n_shape_index = 1});
    hb_logical(&hb, &(struct hb_logical){
                        .id = 8, .size = 12, .instruction_id = 999, .instruction_name = "op.1"});
    hb_logical(&hb, &(struct hb_logical){.id = 9, .size = 12, .instruction_id = 999});
    hb_alloc(&hb,
             &(struct hb_alloc){.index = 3,
                                .size = 1 << 20,
                                .parameter = true,
                                .constant = true,
                                .live_out = true,
                                .parameter_number = 2,
                                .parameter_shape_index = path,
                                .n_parameter_shape_index = 1},
             "1@0 2@512K:16K 77@4");
    hb_trace_at(&hb, "A1 S2>1 F1 F77", true, 12);
    struct xpd_hlo *hlo = ht_load(&hb);
    assert_true(hlo->has_buffer_assignment);
    check_buffers(hlo);
    check_allocation(hlo);
    check_trace(hlo);
    assert_int_equal(hlo->instruction_by_name[xpd_intern_find(&hlo->names, XPD_STR("op.77"))],
                     XPD_NO_INDEX);
    xpd_hlo_free(hlo);
}

static void aliases_of_buffers(void **state)
{
    (void)state;
    struct hb hb;
    hb_init(&hb, "V");
    hb_buffer(&hb, 1, 4096, 8, 0);
    const int64_t path[] = {4, 2};
    size_t alias = pbw_begin(&hb.assignment, 2);
    pbw_int(&hb.assignment, 1, 1);
    size_t location = pbw_begin(&hb.assignment, 2);
    pbw_ints(&hb.assignment, 3, path, 2, true);
    pbw_int(&hb.assignment, 4, 1);
    pbw_int(&hb.assignment, 55, 1); /* not ours: must not disturb */
    pbw_end(&hb.assignment, location);
    pbw_end(&hb.assignment, alias);
    struct xpd_hlo *hlo = ht_load(&hb);
    assert_int_equal(hlo->value_count, 1);
    assert_int_equal(hlo->value[0].source_buffer_id, 1);
    assert_int_equal(hlo->value[0].instruction, 0);
    assert_int_equal(hlo->value[0].shape_index_count, 2);
    assert_int_equal(hlo->value[0].shape_index[0], 4);
    xpd_hlo_free(hlo);
}

#define SCOPED(text) "{\"used_scoped_memory_configs\":" text "}"

static void scoped_memory(void **state)
{
    (void)state;
    struct hb hb;
    hb_init(&hb, "scoped");
    const char *shared =
        SCOPED("[{\"memory_space\":\"1\",\"size\":\"4096\"},{\"memory_space\":3,\"size\":7}]");
    pbw_str(&hb.module, 22, "{}");
    pbw_str(&hb.module, 22, shared);
    pbw_str(&hb.module, 21, "TPU v5e");
    hb_begin_computation(&hb, "main", 1, false);
    const char *inline_[] = {SCOPED("[{\"memory_space\":\"1\",\"size\":\"5\"}]"),
                             SCOPED("[]"),
                             SCOPED(" [ ] "),
                             "{\"other\":1}",
                             "{used_scoped_memory_configs",
                             SCOPED("[{\"memory_space\":\"x\",\"size\":\"5\"},3,[]]")};
    for (int64_t i = 0; i < 6; i++)
        hb_instruction(&hb, &(struct hb_instr){.name = "i",
                                               .opcode = "add",
                                               .id = i,
                                               .shape = &f32,
                                               .backend_config = inline_[i]});
    hb_instruction(&hb, &(struct hb_instr){.name = "j",
                                           .opcode = "add",
                                           .id = 6,
                                           .shape = &f32,
                                           .backend_config_payload = inline_[0]});
    for (int64_t i = 0; i < 4; i++) { /* payloads by number: 1 twice, 0, one that is not there */
        const int64_t payload[] = {1, 1, 0, 9};
        size_t instruction = pbw_begin(&hb.computations, 2);
        pbw_int(&hb.computations, 35, 10 + i);
        size_t config = pbw_begin(&hb.computations, 99);
        pbw_uint(&hb.computations, 2, (uint64_t)payload[i]);
        pbw_end(&hb.computations, config);
        pbw_end(&hb.computations, instruction);
    }
    hb_end_computation(&hb, 1);
    struct xpd_hlo *hlo = ht_load(&hb);
    assert_true(ht_is(hlo, hlo->device_type, "TPU v5e"));
    assert_int_equal(hlo->scoped_count, 6);
    assert_int_equal(hlo->scoped[0].instruction, 0);
    assert_int_equal(hlo->scoped[0].size_bytes, 5);
    assert_int_equal(hlo->scoped[1].instruction, 6);
    assert_int_equal(hlo->scoped[2].instruction, 7);
    assert_int_equal(hlo->scoped[3].memory_space, 3);
    assert_int_equal(hlo->scoped[4].instruction, 8);
    assert_int_equal(hlo->scoped[4].size_bytes, 4096);
    assert_int_equal(ht_warned(hlo, "payload_missing"), 1);
    assert_int_equal(ht_warned(hlo, "config_not_json"), 1);
    xpd_hlo_free(hlo);
}

/* A done belongs to the start of its kind, past updates; circles and strangers make no pair. */
static void starts_of_dones(void **state)
{
    (void)state;
    static const struct {
        const char *opcode;
        int64_t operand;
        uint32_t start;
    } line[] = {{"parameter", -1, XPD_NO_INDEX},
                {"copy-start", 0, XPD_NO_INDEX},
                {"copy-done", 1, 1},
                {"send", 0, XPD_NO_INDEX},
                {"send-done", 3, 3},
                {"async-start", 0, XPD_NO_INDEX},
                {"async-update", 5, XPD_NO_INDEX},
                {"async-update", 6, XPD_NO_INDEX},
                {"async-done", 7, 5},
                {"all-gather-done", 1, XPD_NO_INDEX},
                {"copy-done", 0, XPD_NO_INDEX},
                {"async-update", 11, XPD_NO_INDEX},
                {"async-done", 11, XPD_NO_INDEX},
                {"recv-done", -1, XPD_NO_INDEX},
                {"copy-done", 2, XPD_NO_INDEX}};
    enum { LINES = sizeof line / sizeof *line };
    struct hb hb;
    char name[LINES][8];
    hb_init(&hb, "jit_f");
    hb.entry_id = 1;
    hb_begin_computation(&hb, "main", 1, false);
    for (int i = 0; i < LINES; i++) {
        snprintf(name[i], sizeof name[i], "i%d", i);
        int64_t operand = wide(1, line[i].operand);
        add(&hb, name[i], line[i].opcode, wide(1, i), &operand, line[i].operand >= 0);
    }
    hb_end_computation(&hb, wide(1, 0));
    struct xpd_hlo *hlo = ht_load(&hb);
    for (uint32_t i = 0; i < LINES; i++)
        assert_int_equal(xpd_hlo_start_of(hlo, i), line[i].start);
    xpd_hlo_free(hlo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(module_columns),     cmocka_unit_test(assignment_columns),
        cmocka_unit_test(aliases_of_buffers), cmocka_unit_test(scoped_memory),
        cmocka_unit_test(starts_of_dones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
