/* What the report says of single instructions, on a program made by hand: expected texts are
 * written from what is put in. */
#include "tool_call.h"

#include "../../support/hlo_builder.h"

static const struct hb_shape f32x4 = {.type = HB_F32, .rank = 1, .dims = {4}},
                             f32x16 = {.type = HB_F32, .rank = 1, .dims = {16}};

/* replica_groups=[2,4]<=[8] (field 92) or the same as lists (field 49). */
static void put_groups(struct pbw *more, bool iota)
{
    static const int64_t dims[] = {8}, order[] = {0};
    static const int64_t lists[2][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}};
    for (int g = 0; g < 2 && !iota; g++) {
        size_t mark = pbw_begin(more, 49);
        pbw_ints(more, 1, lists[g], 4, true);
        pbw_end(more, mark);
    }
    if (iota) {
        size_t mark = pbw_begin(more, 92);
        pbw_int(more, 1, 2);
        pbw_int(more, 2, 4);
        pbw_ints(more, 3, dims, 1, true);
        pbw_ints(more, 4, order, 1, true);
        pbw_end(more, mark);
    }
}

/* source_target_pairs={{0,1},{1,0}} */
static void put_pairs(struct pbw *more)
{
    for (int64_t k = 0; k < 2; k++) {
        size_t mark = pbw_begin(more, 52);
        pbw_int(more, 1, k);
        pbw_int(more, 2, 1 - k);
        pbw_end(more, mark);
    }
}

/* s32[12] of -1, 0, ... 10 */
static void put_values(struct pbw *more)
{
    int64_t value[12];
    for (int i = 0; i < 12; i++)
        value[i] = i - 1;
    size_t mark = pbw_begin(more, 8);
    pbw_ints(more, 4, value, 12, true);
    pbw_end(more, mark);
}

static void add(struct hb *hb, const char *name, const char *opcode, int64_t id,
                const struct hb_shape *shape, int64_t operand, int64_t called,
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
                                          .fusion_kind = called ? "kCustom" : NULL,
                                          .more = more});
}

/* Each temporary is alive from its instruction to the end. */
static void assign(struct hb *hb, const char *const *name, const int64_t *size, int count)
{
    int64_t offset = 0;
    for (int i = 0; i < count; i++)
        hb_logical(hb, &(struct hb_logical){.id = i + 1, .size = size[i], .instruction_id = i + 1});
    hb_alloc_begin(hb, &(struct hb_alloc){.index = 0, .size = size[0], .parameter = true});
    hb_assign(hb, 1, 0, size[0]);
    hb_alloc_end(hb);
    hb_alloc_begin(hb, &(struct hb_alloc){.index = 1, .size = size[1], .constant = true});
    hb_assign(hb, 2, 0, size[1]);
    hb_alloc_end(hb);
    hb_logical(hb, &(struct hb_logical){.id = 8, .size = 4, .instruction_id = 8});
    hb_alloc_begin(hb, &(struct hb_alloc){.index = 3, .size = 4, .constant = true});
    hb_assign(hb, 8, 0, 4);
    hb_alloc_end(hb);
    for (int i = 2; i < count; i++)
        offset += size[i];
    hb_alloc_begin(hb, &(struct hb_alloc){.index = 2, .size = offset});
    offset = 0;
    for (int i = 2; i < count; i++) {
        hb_assign(hb, i + 1, offset, size[i]);
        offset += size[i];
    }
    hb_alloc_end(hb);
    hb_trace_begin(hb);
    for (int i = 2; i < count; i++)
        hb_event(hb, HB_ALLOC, i + 1, "main", name[i], 0);
    for (int i = 2; i < count; i++)
        hb_event(hb, HB_FREE, i + 1, "main", name[i], 0);
    hb_trace_end(hb, true, 2);
}

static const char *const names[] = {
    "p",        "constant",  "all-gather.1", "all-gather.2", "collective-permute",
    "fusion.9", "constant.8"};

/* What the metadata of all-gather.1 and of the permute say of their code; 0 = nothing. */
static int64_t code_bytes[2];

static void put_code(struct pbw *more, int64_t bytes)
{
    size_t mark = bytes ? pbw_begin(more, 7) : 0;
    if (bytes)
        pbw_int(more, 8, bytes);
    if (bytes)
        pbw_end(more, mark);
}

static struct xpd_store *open_program(char path[256])
{
    static const int64_t size[] = {16, 48, 64, 64, 16, 16};
    static const struct hb_shape s32x12 = {.type = HB_S32, .rank = 1, .dims = {12}};
    static const struct hb_shape f32 = {.type = HB_F32};
    static const int64_t both[] = {5, 7}, body = 2;
    const struct hb_shape parts[] = {s32x12, f32x4};
    const struct hb_shape pair = {.type = HB_TUPLE, .elements = parts, .n_elements = 2};
    struct pbw iota = {0}, lists = {0}, pairs = {0}, bytes = {0}, literal = {0};
    struct hb hb;
    put_groups(&iota, true);
    put_groups(&lists, false);
    put_pairs(&pairs);
    put_values(&literal);
    hb_init(&hb, "m");
    hb_begin_computation(&hb, "body", 2, true);
    add(&hb, "q", "parameter", 21, &f32x4, 0, 0, NULL);
    add(&hb, "all-reduce.7", "all-reduce", 22, &f32x4, 21, 0, &iota);
    hb_end_computation(&hb, 22);
    hb_begin_computation(&hb, "main", 1, false);
    add(&hb, names[0], "parameter", 1, &f32x4, 0, 0, NULL);
    add(&hb, names[1], "constant", 2, &s32x12, 0, 0, &literal);
    put_code(&iota, code_bytes[0]);
    put_code(&pairs, code_bytes[1]);
    add(&hb, names[2], "all-gather", 3, &f32x16, 1, 0, &iota);
    add(&hb, names[3], "all-gather", 4, &f32x16, 1, 0, &lists);
    add(&hb, names[4], "collective-permute", 5, &f32x4, 1, 0, &pairs);
    add(&hb, "tuple", "tuple", 7, &pair, 2, 0, NULL);
    hb_instruction(&hb, &(struct hb_instr){.name = names[5],
                                           .opcode = "fusion",
                                           .id = 6,
                                           .shape = &f32x4,
                                           .operands = both,
                                           .n_operands = 2,
                                           .called = &body,
                                           .n_called = 1,
                                           .fusion_kind = "kCustom"});
    add(&hb, names[6], "constant", 8, &f32, 0, 0, NULL);
    hb_end_computation(&hb, 6);
    assign(&hb, names, size, 6);
    hb_finish(&hb, &bytes);
    struct xpd_store *store = store_of_proto(bytes.data, bytes.len, path);
    pbw_free(&bytes);
    pbw_free(&iota);
    pbw_free(&lists);
    pbw_free(&pairs);
    pbw_free(&literal);
    return store;
}

static const cJSON *transfer_of(const cJSON *json, const char *name)
{
    const cJSON *row, *each;
    cJSON_ArrayForEach(row, at(json, "rows")) cJSON_ArrayForEach(
        each, at(row, "each")) if (strcmp(text_at(each, "name"), name) == 0) return each;
    fail_msg("no transfer %s", name);
    return NULL;
}

/* S1.68: 4 values of 4 bytes from each of 4 devices are 64 bytes, twice. S1.70: lists and iota are
 * one text, the collective in a fusion is told too. */
static void devices_of_transfers(void **state)
{
    (void)state;
    char path[256];
    struct answer answer;
    struct xpd_store *store = open_program(path);
    ask_ok(&answer, store, "/api/v1/report/transfers", "px=0");
    const char *same = "2 groups of 4: {0,1,2,3} {4,5,6,7}";
    assert_string_equal(text_at(transfer_of(answer.json, "all-gather.1"), "groups"), same);
    assert_string_equal(text_at(transfer_of(answer.json, "all-gather.2"), "groups"), same);
    assert_string_equal(text_at(transfer_of(answer.json, "fusion.9"), "groups"), same);
    assert_string_equal(text_at(transfer_of(answer.json, "fusion.9"), "groups_words"),
                        "2 groups of 4 neighbouring devices: the innermost axis, of size 4.");
    const cJSON *permute = transfer_of(answer.json, "collective-permute");
    assert_string_equal(text_at(permute, "groups"), "2 pairs: 0\u21921 1\u21920");
    assert_true(cJSON_IsNull(at(permute, "groups_words")));
    const cJSON *gather = cJSON_GetArrayItem(at(answer.json, "rows"), 0);
    assert_string_equal(text_at(gather, "name"), "all-gather");
    assert_int_equal(number_at(gather, "count"), 2);
    assert_int_equal(number_at(gather, "operand_bytes"), 2 * 16);
    assert_int_equal(number_at(gather, "result_bytes"), 2 * 64);
    answer_free(&answer);
    xpd_store_close(store);
    remove_folder(path);
}

static const cJSON *named(const cJSON *json, const char *name)
{
    const cJSON *row;
    cJSON_ArrayForEach(row,
                       at(json, "rows")) if (strcmp(text_at(row, "name"), name) == 0) return row;
    fail_msg("no row %s", name);
    return NULL;
}

static const char *type_text(const cJSON *row, int i)
{
    return text_at(cJSON_GetArrayItem(at(row, "types"), i), "text");
}

/* S1.65: types of operands and result, counted, each list once; a filter leaves them out. */
static void types_of_kinds(void **state)
{
    (void)state;
    char path[256];
    struct answer answer;
    struct xpd_store *store = open_program(path);
    ask_ok(&answer, store, "/api/v1/report/groups", "by=signature");
    const cJSON *gather = named(answer.json, "all-gather");
    assert_int_equal(cJSON_GetArraySize(at(gather, "types")), 1);
    assert_string_equal(type_text(gather, 0), "(f32) \u2192 f32");
    assert_int_equal(number_at(cJSON_GetArrayItem(at(gather, "types"), 0), "count"), 2);
    assert_int_equal(number_at(gather, "types_left_out"), 0);
    assert_string_equal(type_text(named(answer.json, "constant"), 0), "() \u2192 s32");
    assert_string_equal(type_text(named(answer.json, "fusion kCustom"), 0),
                        "(f32, (s32, f32)) \u2192 f32");
    answer_free(&answer);
    ask_ok(&answer, store, "/api/v1/report/groups", "by=buffer");
    assert_string_equal(text_at(named(answer.json, names[5]), "operand_types"),
                        "(f32, (s32, f32)) \u2192 f32");
    answer_free(&answer);
    ask_ok(&answer, store, "/api/v1/report/groups", "by=opcode&inner=all-reduce");
    assert_true(cJSON_IsNull(at(named(answer.json, "fusion"), "types")));
    answer_free(&answer);
    xpd_store_close(store);
    remove_folder(path);
}

/* S1.47: first values of a constant, its bytes in the row of constants; one without a literal. */
static void values_of_constants(void **state)
{
    (void)state;
    char path[256];
    struct answer answer, details;
    struct xpd_store *store = open_program(path);
    ask_ok(&answer, store, "/api/v1/report/groups", "by=buffer&within=constants");
    ask_ok(&details, store, "/api/v1/report/details", "px=0");
    assert_int_equal(number_at(answer.json, "n"), 2);
    const cJSON *row;
    int constants = 0;
    cJSON_ArrayForEach(row,
                       at(details.json, "rows")) if (strcmp(text_at(row, "id"), "constants") == 0)
    {
        assert_int_equal(item_at(at(row, "at_bytes"), 0), 48 + 4);
        constants++;
    }
    assert_int_equal(constants, 1);
    const cJSON *values = named(answer.json, names[1]), *none = named(answer.json, names[6]);
    assert_string_equal(text_at(values, "literal.text"), "-1, 0, 1, 2, 3, 4, 5, 6, 7, 8");
    assert_int_equal(number_at(values, "literal.shown"), 10);
    assert_int_equal(number_at(values, "literal.count"), 12);
    assert_true(cJSON_IsNull(at(none, "literal")));
    answer_free(&answer);
    ask_ok(&answer, store, "/api/v1/report/groups", "by=buffer&within=collectives");
    assert_true(cJSON_IsNull(at(named(answer.json, names[2]), "literal")));
    answer_free(&answer);
    answer_free(&details);
    xpd_store_close(store);
    remove_folder(path);
}

/* Bytes of a row of the tree, -1 = it is not there. */
static int64_t details_row(const cJSON *json, const char *id)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, at(json, "rows")) if (strcmp(text_at(row, "id"), id) ==
                                                  0) return item_at(at(row, "at_bytes"), 0);
    return -1;
}

/* S1.52: program code is a row beside the peak where the profile tells its size, and none else. */
static void size_of_code(void **state)
{
    (void)state;
    static const int64_t said[][2] = {{0, 0}, {4096, 0}, {4096, 1000}, {4096, INT64_MAX}};
    static const int64_t want[] = {-1, 4096, 5096, 4096};
    for (int i = 0; i < 4; i++) {
        char path[256];
        struct answer answer;
        memcpy(code_bytes, said[i], sizeof code_bytes);
        struct xpd_store *store = open_program(path);
        ask_ok(&answer, store, "/api/v1/report/details", "px=0");
        assert_int_equal(details_row(answer.json, "code"), want[i]);
        assert_int_equal(details_row(answer.json, "beside"), want[i]);
        assert_int_equal(details_row(answer.json, "reserved"), 16 + 48 + 4 + 64 + 64 + 16 + 16);
        answer_free(&answer);
        xpd_store_close(store);
        remove_folder(path);
    }
    memset(code_bytes, 0, sizeof code_bytes);
}

/* S1.49: what the runtime had reserved when a device held most, as XProf's Memory Profile says it
 * of allocator 1 (stackReservedBytes, heapAllocatedBytes, peakBytesInUse: the recorded answer); the
 * row is of the device's memory, and without allocator events there is none. */
static void stack_as_measured(void **state)
{
    (void)state;
    const char *root = shared_set("tpu-v6e-offload/logdir");
    if (!root)
        skip();
    struct xpd_store *store = open_store(root);
    struct answer answer;
    for (int steps = 1; steps <= 2; steps++) {
        ask_ok(&answer, store, "/api/v1/report/details",
               "module=jit_f(12190760917235803885)&px=0&steps=%s", steps == 1 ? "0" : "0,6");
        assert_int_equal(details_row(answer.json, "stack"), 21491712000);
        assert_int_equal(details_row(answer.json, "allocated"), 959104);
        assert_int_equal(details_row(answer.json, "measured"), 21492671104);
        answer_free(&answer);
    }
    ask_ok(&answer, store, "/api/v1/report/details",
           "module=jit_f(12190760917235803885)&space=5&px=0");
    assert_int_equal(details_row(answer.json, "measured"), -1);
    answer_free(&answer);
    xpd_store_close(store);
    char path[256];
    store = open_program(path);
    ask_ok(&answer, store, "/api/v1/report/details", "px=0");
    assert_int_equal(details_row(answer.json, "measured"), -1);
    assert_int_equal(details_row(answer.json, "stack"), -1);
    answer_free(&answer);
    xpd_store_close(store);
    remove_folder(path);
}

static int64_t self_of(const cJSON *rows)
{
    const cJSON *row;
    int64_t sum = 0;
    cJSON_ArrayForEach(row, rows) sum += number_at(row, "self_ps");
    return sum;
}

/* Of each pair once: what graph/times says at its done. */
static int64_t waits_of(const cJSON *times)
{
    int64_t sum = 0;
    const cJSON *name = at(times, "name")->child, *done = at(times, "done")->child;
    const cJSON *wait = at(times, "wait_total_ps")->child;
    for (; name; name = name->next, done = done->next, wait = wait->next)
        if (cJSON_IsString(done) && strcmp(done->valuestring, name->valuestring) == 0)
            sum += (int64_t)wait->valuedouble;
    return sum;
}

static int64_t waits_in(const cJSON *rows)
{
    const cJSON *row;
    int64_t sum = 0;
    cJSON_ArrayForEach(row, rows) sum += number_at(row, "wait_ps");
    return sum;
}

/* S1.68: times of groups and transfers are those of graph/times, which does not know of groups. */
static void check_times(struct xpd_store *store, const char *run, const char *module, int *known)
{
    static const char *const by[] = {"op", "computation", "opcode", "signature"};
    struct answer times, groups;
    const cJSON *name, *row, *each;
    ask_ok(&times, store, "/api/v1/graph/times", "run=%s&module=%s", run, module);
    bool are_known = cJSON_IsTrue(at(times.json, "known"));
    for (int i = 0; i < 4; i++) {
        ask_ok(&groups, store, "/api/v1/report/groups", "run=%s&module=%s&by=%s&times=1&limit=5000",
               run, module, by[i]);
        assert_int_equal(cJSON_IsTrue(at(groups.json, "times.known")), are_known);
        assert_true(cJSON_Compare(at(groups.json, "times.reason"), at(times.json, "reason"), true));
        if (are_known) {
            int64_t all = column_sum(times.json, "self_ps");
            assert_int_equal(self_of(at(groups.json, "rows")), all);
            assert_int_equal(number_at(groups.json, "times.total_ps"), all);
            if (strcmp(by[i], "computation") == 0) /* both halves in one group: once */
                assert_int_equal(waits_in(at(groups.json, "rows")), waits_of(times.json));
            if (strcmp(by[i], "opcode") == 0) /* each half in a group of its own */
                assert_int_equal(waits_in(at(groups.json, "rows")), 2 * waits_of(times.json));
        }
        answer_free(&groups);
    }
    ask_ok(&groups, store, "/api/v1/report/transfers", "run=%s&module=%s&times=1&limit=5000", run,
           module);
    cJSON_ArrayForEach(row, at(groups.json, "rows"))
    {
        int64_t want = 0;
        if (!are_known || number_at(row, "count") > 20 || !strchr("ac", text_at(row, "kind")[0]) ||
            strstr(text_at(row, "kind"), "-start"))
            continue; /* without dones, and all of them listed */
        cJSON_ArrayForEach(each, at(row, "each"))
        {
            int k = 0;
            cJSON_ArrayForEach(name, at(times.json, "name"))
            {
                if (strcmp(name->valuestring, text_at(each, "name")) == 0)
                    want += item_at(at(times.json, "self_ps"), k);
                k++;
            }
        }
        assert_int_equal(number_at(row, "self_ps"), want);
    }
    answer_free(&groups);
    *known += are_known;
    answer_free(&times);
}

static void times_of_set(const char *name, const char *root, void *data)
{
    struct xpd_store *store = open_store(root);
    struct answer runs, modules;
    const cJSON *run;
    (void)name;
    ask_ok(&runs, store, "/api/v1/runs", "x=y");
    cJSON_ArrayForEach(run, at(runs.json, "id"))
    {
        ask_ok(&modules, store, "/api/v1/modules", "run=%s", run->valuestring);
        const cJSON *of = at(modules.json, "spaces.module"), *key = at(modules.json, "key");
        int64_t last = -1, left = 6; /* some programs of a run are enough */
        for (int i = 0; i < cJSON_GetArraySize(of) && left > 0; i++) {
            if (item_at(of, i) == last)
                continue;
            last = item_at(of, i);
            left--;
            check_times(store, run->valuestring, cJSON_GetArrayItem(key, (int)last)->valuestring,
                        data);
        }
        answer_free(&modules);
    }
    answer_free(&runs);
    xpd_store_close(store);
}

static void times_of_groups(void **state)
{
    (void)state;
    int known = 0;
    if (for_each_data_set(times_of_set, &known) == 0)
        skip();
    print_message("%d programs with times\n", known);
    assert_true(known > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_of_transfers), cmocka_unit_test(types_of_kinds),
        cmocka_unit_test(values_of_constants),  cmocka_unit_test(size_of_code),
        cmocka_unit_test(times_of_groups),      cmocka_unit_test(stack_as_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
