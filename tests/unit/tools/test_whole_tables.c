/* What is saved is whole: every row, in JSON as in CSV, of tables that are longer than a page. */
#include "tool_call.h"

#include "hlo_builder.h"

enum { ROWS = 10050, BYTES = 256 };

static char folder[256];
static struct xpd_store *store;
static struct pbw proto;

/* As many collectives, each with a buffer and a word of its own: a row in each of the tables. */
static int open_program(void **state)
{
    static const struct hb_shape f32 = {.type = HB_F32, .rank = 1, .dims = {BYTES / 4}};
    struct hb hb;
    (void)state;
    hb_init(&hb, "many");
    hb_begin_computation(&hb, "main", 1, false);
    for (int i = 0; i < ROWS; i++) {
        char name[] = {'r', (char)('a' + i / 676), (char)('a' + i / 26 % 26), (char)('a' + i % 26),
                       '\0'};
        hb_instruction(&hb, &(struct hb_instr){
                                .name = name, .opcode = "all-reduce", .id = 1 + i, .shape = &f32});
    }
    hb_end_computation(&hb, ROWS);
    for (int i = 0; i < ROWS; i++)
        hb_logical(&hb, &(struct hb_logical){.id = 1 + i, .size = BYTES, .instruction_id = 1 + i});
    hb_alloc_begin(&hb, &(struct hb_alloc){.index = 0, .size = (int64_t)ROWS * BYTES});
    for (int i = 0; i < ROWS; i++)
        hb_assign(&hb, 1 + i, (int64_t)i * BYTES, BYTES);
    hb_alloc_end(&hb);
    hb_trace_begin(&hb);
    for (int i = 0; i < ROWS; i++)
        hb_event(&hb, HB_ALLOC, 1 + i, "main", "", 0);
    for (int i = 0; i < ROWS; i++)
        hb_event(&hb, HB_FREE, 1 + i, "main", "", 0);
    hb_trace_end(&hb, true, 0);
    hb_finish(&hb, &proto);
    store = store_of_proto(proto.data, proto.len, folder);
    return 0;
}

static int close_program(void **state)
{
    (void)state;
    xpd_store_close(store);
    remove_folder(folder);
    pbw_free(&proto);
    return 0;
}

/* Lines behind the head. */
static int csv_lines(const char *route, const char *query)
{
    struct answer csv;
    int lines = -1;
    ask_ok(&csv, store, route, "%s&format=csv", query);
    for (size_t i = 0; i < csv.size; i++)
        lines += csv.body[i] == '\n';
    answer_free(&csv);
    return lines;
}

static void buffers_are_whole(void **state)
{
    struct answer json;
    (void)state;
    ask_ok(&json, store, "/api/v1/memory/buffers", "at=all&limit=4294967295");
    assert_int_equal(number_at(json.json, "matched"), ROWS);
    assert_int_equal(number_at(json.json, "n"), ROWS);
    assert_int_equal(column_sum(json.json, "size_bytes"), (int64_t)ROWS * BYTES);
    answer_free(&json);
    assert_int_equal(csv_lines("/api/v1/memory/buffers", "at=all"), ROWS);
}

static void rows_are_whole(const char *route, const char *query)
{
    struct answer json;
    ask_ok(&json, store, route, "%s&limit=4294967295", query);
    assert_int_equal(number_at(json.json, "n"), ROWS);
    assert_int_equal(cJSON_GetArraySize(at(json.json, "rows")), ROWS);
    assert_int_equal(number_at(json.json, "left_out"), 0);
    answer_free(&json);
    assert_int_equal(csv_lines(route, query), ROWS);
}

static void report_is_whole(void **state)
{
    (void)state;
    rows_are_whole("/api/v1/report/groups", "by=buffer");
    rows_are_whole("/api/v1/report/transfers", "px=0");
}

/* A row by buffer has the same values in JSON and CSV, with its address and time. */
static void buffers_say_where(void **state)
{
    struct answer json;
    (void)state;
    ask_ok(&json, store, "/api/v1/report/groups", "by=buffer&limit=4294967295&steps=%d", ROWS - 1);
    const cJSON *row;
    cJSON_ArrayForEach(row, at(json.json, "rows"))
    {
        int64_t buffer = number_at(row, "buffer"); /* the n-th is allocated and freed n-th */
        assert_int_equal(number_at(row, "offset_bytes"), buffer * BYTES);
        assert_int_equal(number_at(row, "start_step"), buffer);
        assert_int_equal(number_at(row, "end_step"), ROWS + buffer);
    }
    answer_free(&json);
}

/* The sums are of all groups, also of those that a page leaves out. */
static void transfers_sum_all(void **state)
{
    struct answer json;
    (void)state;
    ask_ok(&json, store, "/api/v1/report/transfers", "limit=3");
    assert_int_equal(cJSON_GetArraySize(at(json.json, "rows")), 3);
    assert_int_equal(number_at(json.json, "left_out"), ROWS - 3);
    assert_int_equal(number_at(json.json, "total.count"), ROWS);
    assert_int_equal(number_at(json.json, "total.result_bytes"), (int64_t)ROWS * BYTES);
    assert_int_equal(number_at(json.json, "total.operand_bytes"), 0); /* they have none */
    assert_int_equal(number_at(json.json, "total.of_program"), 0);
    answer_free(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_are_whole), cmocka_unit_test(report_is_whole),
        cmocka_unit_test(buffers_say_where), cmocka_unit_test(transfers_sum_all)};
    return cmocka_run_group_tests(tests, open_program, close_program);
}
