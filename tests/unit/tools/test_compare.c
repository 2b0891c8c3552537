/* A comparison, whose parts are made by threads, against what each side says by itself: its
 * findings are those of the doctor, its errors too, and it is the same each time. */
#include "tool_call.h"

#include <stdbool.h>

enum { MODULES = 3 };

static int64_t known(const cJSON *json, const char *key)
{
    return cJSON_IsNull(at(json, key)) ? -1 : number_at(json, key);
}

/* The same finding in both answers: id, saving, and the claim where it is this side's. */
static bool is_finding(const cJSON *change, const cJSON *finding, const char *own, const char *none)
{
    const char *state = text_at(change, "state");
    bool shown = strcmp(state, "stays") != 0 || strcmp(own, "after_saving_bytes") == 0;
    return strcmp(state, none) != 0 && strcmp(text_at(change, "id"), text_at(finding, "id")) == 0 &&
           known(change, own) == known(finding, "saving_bytes") &&
           (!shown || strcmp(text_at(change, "claim"), text_at(finding, "claim")) == 0);
}

/* Each finding of the doctor is one of the comparison's, and there are no others. */
static void check_side(const cJSON *comparison, const cJSON *doctor, const char *own,
                       const char *none)
{
    const cJSON *change, *finding;
    int of_side = 0;
    bool used[1024] = {false};
    cJSON_ArrayForEach(change, at(comparison, "findings")) of_side +=
        strcmp(text_at(change, "state"), none) != 0;
    assert_int_equal(of_side, cJSON_GetArraySize(at(doctor, "findings")));
    cJSON_ArrayForEach(finding, at(doctor, "findings"))
    {
        int place = 0, found = -1;
        cJSON_ArrayForEach(change, at(comparison, "findings"))
        {
            assert_true(place < 1024);
            if (found < 0 && !used[place] && is_finding(change, finding, own, none))
                found = place;
            place++;
        }
        if (found < 0)
            fail_msg("%s: %s is not in the comparison", own, text_at(finding, "claim"));
        used[found] = true;
    }
}

static int pairs_seen;

static void check_pair(struct xpd_store *store, const char *run, const char *before,
                       const char *after)
{
    struct answer comparison, again, doctor[2];
    ask(&comparison, store, "/api/v1/compare", "run=%s&module=%s&base_module=%s", run, after,
        before);
    if (comparison.code == XPD_ENOTFOUND) { /* a memory space that only one of them has */
        answer_free(&comparison);
        return;
    }
    assert_int_equal(comparison.code, XPD_OK);
    long long space = (long long)number_at(comparison.json, "space");
    ask_ok(&doctor[0], store, "/api/v1/doctor", "run=%s&module=%s&space=%lld", run, before, space);
    ask_ok(&doctor[1], store, "/api/v1/doctor", "run=%s&module=%s&space=%lld", run, after, space);
    check_side(comparison.json, doctor[0].json, "before_saving_bytes", "new");
    check_side(comparison.json, doctor[1].json, "after_saving_bytes", "gone");
    ask_ok(&again, store, "/api/v1/compare", "run=%s&module=%s&base_module=%s", run, after, before);
    assert_string_equal(again.body, comparison.body);
    answer_free(&comparison);
    answer_free(&again);
    answer_free(&doctor[0]);
    answer_free(&doctor[1]);
    pairs_seen++;
}

static void check_run(struct xpd_store *store, const char *run)
{
    struct answer modules;
    ask_ok(&modules, store, "/api/v1/modules", "run=%s", run);
    const cJSON *key = at(modules.json, "key");
    int n = cJSON_GetArraySize(key);
    for (int i = 0; i < n && i < MODULES; i++) {
        const char *one = cJSON_GetArrayItem(key, i)->valuestring;
        check_pair(store, run, one, one);
        if (i + 1 < n)
            check_pair(store, run, one, cJSON_GetArrayItem(key, i + 1)->valuestring);
    }
    answer_free(&modules);
}

static void check_set(const char *name, const char *root, void *data)
{
    struct answer runs;
    const cJSON *id;
    struct xpd_store *store = open_store(root);
    int before = pairs_seen;
    (void)data;
    ask_ok(&runs, store, "/api/v1/runs", "x=y");
    cJSON_ArrayForEach(id, at(runs.json, "id")) check_run(store, id->valuestring);
    print_message("%s: %d pairs\n", name, pairs_seen - before);
    answer_free(&runs);
    xpd_store_close(store);
}

static void findings_are_those_of_the_doctor(void **state)
{
    (void)state;
    if (for_each_data_set(check_set, NULL) > 0)
        assert_true(pairs_seen > 0);
}

/* Whichever thread meets them first. */
static void errors_are_those_of_the_doctor(void **state)
{
    struct answer runs, comparison, doctor;
    (void)state;
    struct xpd_store *store = open_testdata("tpu_scan_layers");
    ask_ok(&runs, store, "/api/v1/runs", "x=y");
    const char *run = cJSON_GetArrayItem(at(runs.json, "id"), 0)->valuestring;
    ask(&doctor, store, "/api/v1/doctor", "run=%s&config=giant_share is large", run);
    ask(&comparison, store, "/api/v1/compare", "run=%s&config=giant_share is large", run);
    assert_int_equal(doctor.code, XPD_EINVAL);
    assert_int_equal(comparison.code, doctor.code);
    assert_string_equal(comparison.err.text, doctor.err.text);
    assert_string_equal(comparison.err.where, doctor.err.where);
    answer_free(&doctor);
    answer_free(&comparison);
    for (request_budget_bytes = 1 << 10; request_budget_bytes < 1 << 24;
         request_budget_bytes *= 4) {
        ask(&comparison, store, "/api/v1/compare", "run=%s", run);
        assert_true(comparison.code == XPD_OK || comparison.code == XPD_ENOMEM ||
                    comparison.code == XPD_ELIMIT);
        answer_free(&comparison);
    }
    request_budget_bytes = 0;
    answer_free(&runs);
    xpd_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_are_those_of_the_doctor),
        cmocka_unit_test(errors_are_those_of_the_doctor),
    };
    return cmocka_run_group_tests_name("tools_compare", tests, NULL, NULL);
}
