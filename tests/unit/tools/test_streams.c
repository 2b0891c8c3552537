/* Answers that are written as streams of columns say what they declare: every key of the record,
 * each of its kind, and no other. */
#include "tool_call.h"

static bool is_single(enum xpd_kind kind, const cJSON *value)
{
    switch (kind) {
    case XPD_BOOL:
    case XPD_FLAG: return cJSON_IsBool(value);
    case XPD_BIG:
    case XPD_ID:
    case XPD_TEXT:
    case XPD_STRING:
    case XPD_WORD: return cJSON_IsString(value);
    default: return cJSON_IsNumber(value);
    }
}

static void check_object(const struct xpd_record *record, const cJSON *object, int extra);

static void check_column(const struct xpd_record_field *field, const cJSON *column, int n)
{
    if (!cJSON_IsArray(column) || cJSON_GetArraySize(column) != n)
        fail_msg("%s: a column of %d", field->key, n);
    const cJSON *item;
    cJSON_ArrayForEach(item, column)
    {
        if (!is_single(field->kind, item) && !(field->maybe && cJSON_IsNull(item)))
            fail_msg("%s: a value of another kind than is declared", field->key);
    }
}

/* Returns how many keys it is. */
static int check_columns(const struct xpd_record *record, const cJSON *object)
{
    int n = (int)number_at(object, "n");
    for (uint32_t i = 0; i < record->count; i++)
        check_column(&record->field[i], at(object, record->field[i].key), n);
    return (int)record->count + 1;
}

static void check_field(const struct xpd_record_field *field, const cJSON *value)
{
    const cJSON *item;
    if (field->maybe && cJSON_IsNull(value))
        return;
    switch (field->kind) {
    case XPD_OBJECT: check_object(field->of(), value, 0); break;
    case XPD_COLUMNS:
        assert_int_equal(check_columns(field->of(), value), cJSON_GetArraySize(value));
        break;
    case XPD_LIST: cJSON_ArrayForEach(item, value) check_object(field->of(), item, 0); break;
    case XPD_VALUES:
        cJSON_ArrayForEach(item, value)
        {
            if (!is_single(field->item, item))
                fail_msg("%s: a value of another kind than is declared", field->key);
        }
        break;
    default:
        if (!is_single(field->kind, value))
            fail_msg("%s: another kind than is declared", field->key);
    }
}

/* `extra`: keys that are no field, as the table of names. */
static void check_object(const struct xpd_record *record, const cJSON *object, int extra)
{
    int keys = extra;
    for (uint32_t i = 0; i < record->count; i++) {
        const struct xpd_record_field *field = &record->field[i];
        if (field->kind == XPD_INLINE) {
            keys += check_columns(field->of(), object);
            continue;
        }
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, field->key);
        if (!value)
            fail_msg("%s: not in the answer", field->key);
        check_field(field, value);
        keys++;
    }
    if (keys != cJSON_GetArraySize(object))
        fail_msg("%s: %d keys are declared, the answer has %d", record->name, keys,
                 cJSON_GetArraySize(object));
}

static void check(struct xpd_store *store, const char *route, const char *query, int extra)
{
    struct answer answer;
    ask_ok(&answer, store, route, "%s", query);
    const struct xpd_tool *tool = xpd_tool_find(xpd_str_of(route));
    assert_non_null(tool->answer);
    check_object(tool->answer(), answer.json, extra);
    answer_free(&answer);
}

static void the_map_says_what_it_declares(void **state)
{
    (void)state;
    struct xpd_store *store = open_testdata("tpu_padded_demo");
    check(store, "/api/v1/memory/map", "px=200&py=100", 1);
    check(store, "/api/v1/memory/map", "px=1&py=1", 1);
    xpd_store_close(store);
}

static void the_window_says_what_it_declares(void **state)
{
    (void)state;
    struct xpd_store *store = open_testdata("tpu_run");
    check(store, "/api/v1/trace/window", "px=500", 0);
    check(store, "/api/v1/trace/window", "px=50&scope=1", 0);
    xpd_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_map_says_what_it_declares),
                                       cmocka_unit_test(the_window_says_what_it_declares)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
