/* The loader on files that are cut, damaged, hostile, or something else altogether. */
#include "hlo_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static const struct hb_shape f32 = {
    .type = HB_F32, .rank = 1, .dims = {4}, .layout = HB_DESCENDING, .tiles = {{1024}}};

static void add(struct hb *hb, const char *name, int64_t id, const int64_t *operands, int n)
{
    hb_instruction(hb, &(struct hb_instr){.name = name,
                                          .opcode = "add",
                                          .id = id,
                                          .shape = &f32,
                                          .operands = operands,
                                          .n_operands = n,
                                          .op_name = "x/y",
                                          .stack_frame_id = 1,
                                          .backend_config = "{}"});
}

static struct pbw sample(void)
{
    struct hb hb;
    struct pbw out = {0};
    hb_init(&hb, "sample");
    const int64_t one[] = {1}, both[] = {1, 2};
    hb_frame(&hb, hb_location(&hb, hb_file(&hb, "a.py"), hb_function(&hb, "f"), 3, 4), 1);
    hb_begin_computation(&hb, "main", 1, false);
    add(&hb, "a", 1, NULL, 0);
    add(&hb, "b", 2, one, 1);
    hb_end_computation(&hb, 2);
    hb_sequence(&hb, 1, both, 2);
    hb_alias(&hb, one, 1, 0, one, 1, 1);
    hb_donor(&hb, 0, one, 1);
    hb_logical(&hb, &(struct hb_logical){.id = 1, .size = 16, .instruction_id = 1});
    hb_logical(&hb, &(struct hb_logical){.id = 2,
                                         .size = 16,
                                         .instruction_id = 2,
                                         .instruction_name = "b",
                                         .shape_index = one,
                                         .n_shape_index = 1});
    hb_alloc(&hb, &(struct hb_alloc){.size = 64}, "1@0:16 2@16:16");
    hb_trace(&hb, "A1 A2 S2>1 F1 F2");
    hb_finish(&hb, &out);
    return out;
}

static void refused(const void *bytes, size_t size, const char *part)
{
    struct xpd_err err = {0};
    assert_null(ht_load_bytes(bytes, size, &err));
    assert_int_equal(err.code, XPD_EFORMAT);
    if (!strstr(err.text, part))
        fail_msg("\"%s\" does not say \"%s\"", err.text, part);
}

static void other_files_are_named(void **state)
{
    (void)state;
    refused("", 0, "empty");
    refused("HloModule jit_f, is_scheduled=true\n", 34, "HLO text");
    refused("<!DOCTYPE html><html></html>", 28, "web page");
    refused("# just some text\n", 17, "text file");
    refused("\x1f\x8b\x08\x00\x00\x00\x00\x00", 8, "gzip");
    refused("\x00\x01\x02\x03", 4, "not an HloProto");
    refused("\xef\xbf\xbd\x0a", 4, "text conversion");
    struct pbw out = {0}; /* XSpace{planes[1]{id 3, name "/host:CPU"}} */
    size_t plane = pbw_begin(&out, 1);
    pbw_int(&out, 1, 3);
    pbw_str(&out, 2, "/host:CPU");
    pbw_end(&out, plane);
    refused(out.data, out.len, "XSpace");
    refused(out.data + 4, out.len - 4, "not an HloProto");
    out.len = 0;
    pbw_str(&out, 1, "jit_f"); /* HloModuleProto without its envelope */
    pbw_str(&out, 2, "main");
    refused(out.data, out.len, "bare HloModuleProto");
    pbw_free(&out);
}

static void random_bytes_are_refused_or_survived(void **state)
{
    (void)state;
    uint8_t bytes[4096];
    srand(7);
    for (int round = 0; round < 3000; round++) {
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(rand() >> 7);
        if (round % 2)
            bytes[0] = 0x0a; /* the tag an HloProto begins with */
        xpd_hlo_free(ht_load_bytes(bytes, sizeof bytes, NULL));
        if (bytes[0] != 0x0a && bytes[0] != 0x1a && round % 10 == 0)
            refused(bytes, sizeof bytes, "HloProto");
    }
}

/* Every prefix is refused or read as far as it goes, and says that something is missing. */
static void cut_files_keep_what_was_read(void **state)
{
    (void)state;
    struct pbw out = sample();
    uint32_t most = 0;
    for (size_t size = 1; size < out.len; size++) {
        uint8_t *copy = malloc(size); /* so that a sanitizer sees a byte too many */
        assert_non_null(copy);
        memcpy(copy, out.data, size);
        struct xpd_hlo *hlo = ht_load_bytes(copy, size, NULL);
        free(copy);
        if (!hlo)
            continue;
        if (size + 1 < out.len && hlo->has_buffer_assignment && hlo->events.count < 5)
            assert_true(hlo->warnings.count != 0);
        assert_true(hlo->events.count >= most || hlo->events.count == 0);
        most = hlo->events.count > most ? hlo->events.count : most;
        xpd_hlo_free(hlo);
    }
    assert_int_equal(most, 5);
    struct xpd_hlo *hlo = ht_load_bytes(out.data, out.len - 3, NULL);
    assert_non_null(hlo);
    assert_int_equal(hlo->instructions.count, 2);
    assert_int_equal(hlo->buffers.count, 2);
    assert_true(hlo->events.count >= 4);
    assert_true(ht_warned(hlo, "cut_message") >= 1);
    assert_int_not_equal(hlo->warnings.item[0].offset, XPD_NO_OFFSET);
    xpd_hlo_free(hlo);
    pbw_free(&out);
}

static void changed_bytes_are_survived(void **state)
{
    (void)state;
    struct pbw out = sample();
    uint8_t *copy = malloc(out.len);
    assert_non_null(copy);
    srand(11);
    for (int round = 0; round < 20000; round++) {
        memcpy(copy, out.data, out.len);
        for (int k = 0; k <= round % 4; k++)
            copy[(size_t)rand() % out.len] = (uint8_t)(rand() >> 5);
        xpd_hlo_free(ht_load_bytes(copy, out.len, NULL));
    }
    free(copy);
    pbw_free(&out);
}

static void ids_twice_negative_and_missing(void **state)
{
    (void)state;
    struct hb hb;
    hb_init(&hb, "ids");
    const int64_t operands[] = {5, -7, 1000}, missing[] = {44};
    hb_begin_computation(&hb, "main", -1, false);
    add(&hb, "first", 5, NULL, 0);
    add(&hb, "second", 5, NULL, 0);
    add(&hb, "negative", -7, NULL, 0);
    hb_instruction(&hb, &(struct hb_instr){.name = "user",
                                           .opcode = "call",
                                           .id = 8,
                                           .shape = &f32,
                                           .operands = operands,
                                           .n_operands = 3,
                                           .called = missing,
                                           .n_called = 1});
    hb_end_computation(&hb, 77);
    hb_sequence(&hb, 9, operands, 3);
    hb_sequence(&hb, -1, operands, 3);
    hb_logical(&hb, &(struct hb_logical){.id = -2, .size = -5, .instruction_id = -7});
    hb_logical(&hb, &(struct hb_logical){.id = -2, .size = INT64_MAX, .instruction_id = -7});
    hb.entry_name = "elsewhere";
    struct xpd_hlo *hlo = ht_load(&hb);
    const struct xpd_hlo_instructions *all = &hlo->instructions;
    assert_int_equal(all->operand[0], 1); /* the last of two */
    assert_int_equal(all->operand[1], 2);
    assert_int_equal(all->operand[2], XPD_NO_INDEX);
    assert_int_equal(all->called[0], XPD_NO_INDEX);
    assert_int_equal(hlo->computations.root[0], XPD_NO_INDEX);
    assert_int_equal(hlo->computations.schedule_first[1], 2);
    assert_int_equal(hlo->buffers.instruction[1], 2);
    assert_int_equal(xpd_map64_get(&hlo->buffer_by_id, (uint64_t)-2), 1);
    const char *codes[] = {
        "instruction_id_twice", "operand_missing",      "computation_missing",
        "root_missing",         "schedule_missing",     "schedule_computation_missing",
        "buffer_id_twice",      "buffer_size_negative", "entry_missing"};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (ht_warned(hlo, codes[i]) != 1)
            fail_msg("%s: %d", codes[i], (int)ht_warned(hlo, codes[i]));
    xpd_hlo_free(hlo);
}

static void names_hold_any_bytes(void **state)
{
    (void)state;
    const size_t size = 1 << 20;
    char *name = malloc(size);
    assert_non_null(name);
    memset(name, 'n', size);
    struct pbw out = {0};
    size_t module = pbw_begin(&out, 1);
    pbw_bytes(&out, 1, "a\0b\xff", 4);
    size_t computation = pbw_begin(&out, 3);
    size_t instruction = pbw_begin(&out, 2);
    pbw_bytes(&out, 1, name, size);
    pbw_bytes(&out, 2, "op\0x", 4);
    pbw_end(&out, instruction);
    pbw_end(&out, computation);
    pbw_end(&out, module);
    struct xpd_hlo *hlo = ht_load_bytes(out.data, out.len, NULL);
    assert_non_null(hlo);
    assert_int_equal(xpd_hlo_text(hlo, hlo->name).size, 4);
    assert_memory_equal(xpd_hlo_text(hlo, hlo->name).data, "a\0b\xff", 4);
    assert_int_equal(xpd_hlo_text(hlo, hlo->instructions.name[0]).size, size);
    assert_int_equal(xpd_hlo_text(hlo, hlo->instructions.opcode[0]).size, 4);
    assert_int_equal(hlo->instructions.shape[0]->type, 0);
    xpd_hlo_free(hlo);
    pbw_free(&out);
    free(name);
}

/* A shape in `depth` tuples; pbw works outside in, so by hand from the inside. */
static struct pbw deep_module(int depth)
{
    struct pbw shape = {0}, outer = {0};
    pbw_uint(&shape, 2, HB_F32);
    for (int i = 0; i < depth; i++) {
        outer.len = 0;
        pbw_uint(&outer, 2, HB_TUPLE);
        pbw_msg(&outer, 4, &shape);
        struct pbw swap = shape;
        shape = outer;
        outer = swap;
    }
    struct pbw out = {0};
    size_t module = pbw_begin(&out, 1);
    pbw_str(&out, 1, "deep");
    size_t computation = pbw_begin(&out, 3);
    size_t instruction = pbw_begin(&out, 2);
    pbw_msg(&out, 3, &shape);
    pbw_end(&out, instruction);
    pbw_end(&out, computation);
    pbw_end(&out, module);
    pbw_free(&shape);
    pbw_free(&outer);
    return out;
}

static void deep_shapes_stop(void **state)
{
    (void)state;
    const int depths[] = {62, 63, 64, 20000};
    for (size_t i = 0; i < 4; i++) {
        struct pbw out = deep_module(depths[i]);
        struct xpd_hlo *hlo = ht_load_bytes(out.data, out.len, NULL);
        assert_non_null(hlo);
        int levels = 0;
        for (const struct xpd_shape *at = hlo->instructions.shape[0]; at->element_count != 0;
             at = &at->element[0])
            levels++;
        assert_int_equal(levels, depths[i] < 64 ? depths[i] : 64);
        assert_int_equal(ht_warned(hlo, "shape_too_deep"), depths[i] < 64 ? 0 : 1);
        assert_true(strlen(ht_text(hlo->instructions.shape[0], true)) > 100);
        xpd_hlo_free(hlo);
        pbw_free(&out);
    }
}

static void literals_cost_nothing(void **state)
{
    (void)state;
    const size_t size = 50u << 20;
    char *literal = calloc(1, size);
    assert_non_null(literal);
    memset(literal, 1, size);
    struct pbw out = {0};
    size_t module = pbw_begin(&out, 1);
    pbw_str(&out, 1, "literal");
    size_t computation = pbw_begin(&out, 3);
    size_t instruction = pbw_begin(&out, 2);
    pbw_str(&out, 1, "c");
    pbw_bytes(&out, 8, literal, size);
    pbw_end(&out, instruction);
    pbw_end(&out, computation);
    pbw_end(&out, module);
    free(literal);
    struct rusage before, after;
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    struct xpd_hlo *hlo = ht_load_bytes(out.data, out.len, NULL);
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    assert_non_null(hlo);
    assert_true(xpd_hlo_memory_bytes(hlo) < 2u << 20);
    assert_true(after.ru_maxrss - before.ru_maxrss < 2048);
    xpd_hlo_free(hlo);
    pbw_free(&out);
}

static void a_memory_limit_holds(void **state)
{
    (void)state;
    struct pbw out = sample();
    bool refused_once = false;
    for (uint64_t limit = 256; limit < 1 << 18; limit += 509) {
        struct xpd_hlo *hlo = NULL;
        struct xpd_err err = {0};
        const struct xpd_hlo_limits limits = {.arena_bytes = limit};
        int code = xpd_hlo_load(&hlo, out.data, out.len, 0, "test", &limits, &err);
        assert_true(code == XPD_OK || code == XPD_ELIMIT);
        assert_true((code == XPD_OK) == (hlo != NULL));
        refused_once = refused_once || code == XPD_ELIMIT;
        xpd_hlo_free(hlo);
    }
    assert_true(refused_once);
    pbw_free(&out);
}

/* One payload of 100 entries, which 1000 instructions point to. */
static void shared_payloads_do_not_multiply(void **state)
{
    (void)state;
    struct pbw json = {0}, out = {0};
    const char *open = "{\"used_scoped_memory_configs\":[{}";
    const char *entry = ",{\"memory_space\":1,\"size\":1}";
    pbw_raw(&json, open, strlen(open));
    for (int i = 0; i < 100; i++)
        pbw_raw(&json, entry, strlen(entry));
    pbw_raw(&json, "]}", 2);
    size_t module = pbw_begin(&out, 1);
    pbw_str(&out, 1, "m");
    size_t computation = pbw_begin(&out, 3);
    for (int64_t i = 0; i < 1000; i++) {
        size_t instruction = pbw_begin(&out, 2);
        pbw_int(&out, 35, i);
        size_t config = pbw_begin(&out, 99);
        pbw_uint(&out, 2, 0);
        pbw_end(&out, config);
        pbw_end(&out, instruction);
    }
    pbw_end(&out, computation);
    pbw_bytes(&out, 22, json.data, json.len);
    pbw_end(&out, module);
    struct xpd_hlo *hlo = ht_load_bytes(out.data, out.len, NULL);
    assert_non_null(hlo);
    assert_int_equal(hlo->scoped_count, 4000);
    assert_true(ht_warned(hlo, "scoped_too_many") > 1);
    xpd_hlo_free(hlo);
    pbw_free(&out);
    pbw_free(&json);
}

/* The assignment before the module, and both in two pieces: one message, says protobuf. */
static void order_and_pieces_do_not_matter(void **state)
{
    (void)state;
    struct pbw out = {0};
    for (int64_t piece = 1; piece <= 2; piece++) {
        size_t assignment = pbw_begin(&out, 3);
        size_t buffer = pbw_begin(&out, 1);
        pbw_int(&out, 1, piece);
        size_t location = pbw_begin(&out, 3);
        pbw_int(&out, 4, piece);
        pbw_end(&out, location);
        pbw_end(&out, buffer);
        pbw_end(&out, assignment);
        size_t module = pbw_begin(&out, 1);
        pbw_str(&out, 1, "m");
        size_t computation = pbw_begin(&out, 3);
        size_t instruction = pbw_begin(&out, 2);
        pbw_int(&out, 35, piece);
        pbw_end(&out, instruction);
        pbw_int(&out, 5, piece);
        pbw_int(&out, 6, piece);
        pbw_end(&out, computation);
        pbw_end(&out, module);
    }
    struct xpd_hlo *hlo = ht_load_bytes(out.data, out.len, NULL);
    assert_non_null(hlo);
    assert_int_equal(hlo->buffers.count, 2);
    assert_int_equal(hlo->instructions.count, 2);
    assert_int_equal(hlo->buffers.instruction[0], 0);
    assert_int_equal(hlo->buffers.instruction[1], 1);
    xpd_hlo_free(hlo);
    pbw_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(literals_cost_nothing), /* first: it watches the peak of the process */
        cmocka_unit_test(other_files_are_named),
        cmocka_unit_test(random_bytes_are_refused_or_survived),
        cmocka_unit_test(cut_files_keep_what_was_read),
        cmocka_unit_test(changed_bytes_are_survived),
        cmocka_unit_test(ids_twice_negative_and_missing),
        cmocka_unit_test(names_hold_any_bytes),
        cmocka_unit_test(deep_shapes_stop),
        cmocka_unit_test(a_memory_limit_holds),
        cmocka_unit_test(shared_payloads_do_not_multiply),
        cmocka_unit_test(order_and_pieces_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
