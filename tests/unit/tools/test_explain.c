/* /graph/explain for every instruction of a real program, and /explain for hostile texts: an answer
 * that adds up, or an error; never a crash. */
#include "tool_call.h"

/* The segments joined, and how many parts they name. */
static void check_text(const cJSON *doc, uint32_t ix)
{
    const cJSON *parts = at(doc, "text.parts.sentence");
    const cJSON *part = at(doc, "text.segments.part"), *one;
    int count = cJSON_GetArraySize(parts);
    assert_true(count >= 3);
    cJSON_ArrayForEach(one, part)
    {
        assert_true(one->valuedouble >= 0 && one->valuedouble <= count);
    }
    cJSON_ArrayForEach(one, parts)
    {
        size_t size = strlen(one->valuestring);
        if (size < 2 || one->valuestring[size - 1] != '.')
            fail_msg("instruction %u: \"%s\" is no sentence", ix, one->valuestring);
    }
}

static void every_instruction_of(const char *sample, const char *module, uint32_t count)
{
    struct xpd_store *store = open_testdata(sample);
    uint32_t checked = 0;
    struct answer list, answer;
    ask_ok(&list, store, "/api/v1/graph/text", "%sformat=short", module);
    for (char *line = strtok(list.body, "\n"); line; line = strtok(NULL, "\n")) {
        char name[200];
        while (*line == ' ')
            line++;
        line += strncmp(line, "ROOT ", 5) == 0 ? 5 : 0;
        if (sscanf(line, "%199[^ ]", name) != 1 || strncmp(line + strlen(name), " = ", 3) != 0)
            continue;
        ask_ok(&answer, store, "/api/v1/graph/explain", "%snode=%s", module, name);
        assert_string_equal(text_at(answer.json, "name"), name);
        check_text(answer.json, checked++);
        answer_free(&answer);
    }
    answer_free(&list);
    xpd_store_close(store);
    assert_int_equal(checked, count);
}

static void every_instruction_of_the_sample(void **state)
{
    (void)state;
    every_instruction_of("tpu_padded_demo", "", 187);
}

static void hostile_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "a = f32[9223372036854775807,9223372036854775807]{1,0:T(8,128)} add(f32[1]{0} b)",
        "a = f32[2,2]{7,7:T(8,128)} add(b)",
        "a = f32[2]{0:T(0)} add(b)",
        "a = f32[2]{0:T(-1)(*,*)} add(b)",
        "a = f32[2]{0:S(9223372036854775807)E(70000)} add(b)",
        "a = f32[?,<=8]{1,0} add(b)",
        "a = f32[] dot(f32[] b, f32[] c), lhs_contracting_dims={9}, rhs_contracting_dims={-1}",
        "a = f32[2] all-reduce(f32[2] b), replica_groups={{{{{",
        "a = f32[2] all-reduce(f32[2] b), replica_groups=[0,0]<=[0]",
        "a = f32[2] parameter(0), sharding={devices=[9999999999999,2]<=[3]}",
        "a = f32[2] add(b), x={\"y\":\"\\",
        "a = (f32[2], (f32[3])) fusion(), calls=, kind=",
        "a = token[] after-all()",
        "a = opaque[] custom-call(), custom_call_target=\"<script>\""};
    struct xpd_store *store = open_testdata("tpu_padded_demo");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct answer answer;
        ask(&answer, store, "/api/v1/explain", "text=%s", texts[i]);
        if (answer.code == XPD_OK) {
            assert_non_null(answer.json);
            assert_null(strstr(answer.body, "<script"));
        } else {
            assert_true(answer.code == XPD_EFORMAT);
        }
        answer_free(&answer);
    }
    xpd_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_of_the_sample),
        cmocka_unit_test(hostile_texts),
    };
    return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
