/* Parameters: what a specification lets through, and what the message says about the rest. */
#include "tool_call.h"

static const struct xpd_param_spec specs[] = {
    {.name = "n", .type = XPD_PARAM_INT, .min = 1, .max = 10, .fallback = 5},
    {.name = "far", .type = XPD_PARAM_INT, .min = INT64_MIN, .max = INT64_MAX},
    {.name = "x", .type = XPD_PARAM_DOUBLE},
    {.name = "order", .type = XPD_PARAM_ENUM, .words = "size padding order"},
    {.name = "text", .type = XPD_PARAM_TEXT, .max = 4},
    {.name = "device", .type = XPD_PARAM_CHIP},
    {.name = "path", .type = XPD_PARAM_REFUSED, .help = "nothing else is opened"},
    {.name = NULL},
};
static const struct xpd_tool tool = {.route = "/test", .params = specs};

static const struct xpd_param_spec needed[] = {
    {.name = "q", .type = XPD_PARAM_TEXT, .required = true},
    {.name = NULL},
};
static const struct xpd_tool strict = {.route = "/strict", .params = needed};

static int check(const struct xpd_tool *which, const char *name, const char *value,
                 struct xpd_err *err)
{
    struct xpd_param param = {xpd_str_of(name), xpd_str_of(value)};
    memset(err, 0, sizeof *err);
    return xpd_params_check(which, &param, 1, err);
}

static void accepts(void **state)
{
    (void)state;
    struct xpd_err err;
    assert_int_equal(check(&tool, "n", "1", &err), XPD_OK);
    assert_int_equal(check(&tool, "n", "10", &err), XPD_OK);
    assert_int_equal(check(&tool, "far", "-9223372036854775808", &err), XPD_OK);
    assert_int_equal(check(&tool, "x", "-1.5e3", &err), XPD_OK);
    assert_int_equal(check(&tool, "order", "padding", &err), XPD_OK);
    assert_int_equal(check(&tool, "text", "abcd", &err), XPD_OK);
    assert_int_equal(check(&tool, "path", "", &err), XPD_OK);
    assert_int_equal(check(&tool, "device", "", &err), XPD_OK);
    assert_int_equal(check(&tool, "device", "TPU v5e", &err), XPD_OK);
    assert_int_equal(check(&tool, "unknown", "whatever", &err), XPD_OK);
    assert_int_equal(check(&tool, "space", "-3", &err), XPD_OK);
    assert_int_equal(check(&tool, "hbm", "17179869184", &err), XPD_OK);
    assert_int_equal(check(&tool, "hbm", "16GiB", &err), XPD_OK);
    assert_int_equal(check(&tool, "hbm", "512MiB", &err), XPD_OK);
    assert_int_equal(xpd_params_check(&tool, NULL, 0, &err), XPD_OK);
}

static void refuses(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"n", ""},
        {"n", "0"},
        {"n", "11"},
        {"n", "1x"},
        {"n", " 1"},
        {"n", "+"},
        {"n", "1e1"},
        {"n", "99999999999999999999"},
        {"far", "9223372036854775808"},
        {"x", ""},
        {"x", "nan"},
        {"x", "inf"},
        {"x", "1 "},
        {"order", ""},
        {"order", "siz"},
        {"order", "size padding"},
        {"text", "abcde"},
        {"device", "TPU v99"},
        {"device", "abacus"},
        {"space", "HBM"},
        {"hbm", "0"},
        {"hbm", "16 GiB"},
        {"hbm", "16GiBs"},
        {"hbm", "9E"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct xpd_err err;
        if (check(&tool, wrong[i][0], wrong[i][1], &err) != XPD_EINVAL)
            fail_msg("%s=%s was let through", wrong[i][0], wrong[i][1]);
        assert_string_equal(err.where, wrong[i][0]);
        assert_non_null(strstr(err.text, wrong[i][0]));
    }
}

static void says_why_it_is_refused(void **state)
{
    (void)state;
    struct xpd_err err;
    assert_int_equal(check(&tool, "path", "/etc", &err), XPD_EINVAL);
    assert_string_equal(err.where, "path");
    assert_string_equal(err.text, "path= is not offered: nothing else is opened");
}

static void needs_what_is_required(void **state)
{
    (void)state;
    struct xpd_err err = {0};
    assert_int_equal(xpd_params_check(&strict, NULL, 0, &err), XPD_EINVAL);
    assert_string_equal(err.where, "q");
    assert_int_equal(check(&strict, "q", "", &err), XPD_OK);
}

static void cuts_long_values_in_messages(void **state)
{
    (void)state;
    char value[5000];
    struct xpd_err err;
    memset(value, '7', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    assert_int_equal(check(&tool, "n", value, &err), XPD_EINVAL);
    assert_true(strlen(err.text) < 200);
}

static void reads_values(void **state)
{
    (void)state;
    struct xpd_param param[] = {{XPD_STR("n"), XPD_STR("7")}, {XPD_STR("text"), XPD_STR("ab")}};
    struct xpd_tool_ctx ctx = {.param = param, .param_count = 2};
    assert_int_equal(xpd_param_int(&ctx, &tool, "n"), 7);
    assert_int_equal(xpd_param_int(&ctx, &tool, "far"), 0);
    assert_true(xpd_param_has(&ctx, "text"));
    assert_false(xpd_param_has(&ctx, "order"));
    assert_int_equal(xpd_param_text(&ctx, "text").size, 2);
    assert_int_equal(xpd_param_text(&ctx, "order").size, 0);
    assert_int_equal(xpd_param_word(&ctx, &tool, "order"), -1);
    ctx.param_count = 0;
    assert_int_equal(xpd_param_int(&ctx, &tool, "n"), 5);
    struct xpd_param word = {XPD_STR("order"), XPD_STR("order")};
    ctx.param = &word;
    ctx.param_count = 1;
    assert_int_equal(xpd_param_word(&ctx, &tool, "order"), 2);
    word.value = XPD_STR("size");
    assert_int_equal(xpd_param_word(&ctx, &tool, "order"), 0);
}

/* Every specification in the list can be met and names its words. */
static void specs_make_sense(void **state)
{
    (void)state;
    uint32_t count;
    const struct xpd_tool *const *tools = xpd_tools(&count);
    assert_true(count > 10);
    for (uint32_t i = 0; i < count; i++) {
        assert_ptr_equal(xpd_tool_find(xpd_str_of(tools[i]->route)), tools[i]);
        assert_true(tools[i]->title[strlen(tools[i]->title) - 1] == '.');
        for (const struct xpd_param_spec *spec = tools[i]->params; spec && spec->name; spec++) {
            assert_non_null(spec->help);
            if (spec->type == XPD_PARAM_INT || spec->type == XPD_PARAM_SIZE)
                assert_true(spec->min <= spec->fallback || spec->required || spec->fallback == 0);
            if (spec->type == XPD_PARAM_ENUM)
                assert_true(spec->words && spec->words[0]);
        }
    }
    assert_null(xpd_tool_find(XPD_STR("/api/v1/nothing")));
}

static bool takes(const struct xpd_tool *of, struct xpd_str name)
{
    for (const struct xpd_param_spec *spec = of->params; spec && spec->name; spec++)
        if (xpd_str_eq(name, xpd_str_of(spec->name)))
            return true;
    return xpd_str_eq(name, XPD_STR("module"));
}

/* A question of a report names parameters that its tool has; others would be ignored. */
static void reports_ask_with_what_there_is(void **state)
{
    (void)state;
    uint32_t count, asked = 0;
    const struct xpd_tool *const *tools = xpd_tools(&count);
    for (uint32_t i = 0; i < count; i++) {
        if (tools[i]->report)
            assert_non_null(tools[i]->report->holds);
        for (const struct xpd_ask *ask = tools[i]->report; ask && ask->query; ask++, asked++) {
            assert_in_range(ask->when, 100, 399);
            for (const char *at = ask->query; *at; at += at[0] == '&') {
                struct xpd_str name = {at, strcspn(at, "=")};
                if (!takes(tools[i], name))
                    fail_msg("%s: no parameter %.*s", tools[i]->route, (int)name.size, name.data);
                at += strcspn(at, "&");
            }
        }
    }
    assert_true(asked > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts),
        cmocka_unit_test(refuses),
        cmocka_unit_test(says_why_it_is_refused),
        cmocka_unit_test(needs_what_is_required),
        cmocka_unit_test(cuts_long_values_in_messages),
        cmocka_unit_test(reads_values),
        cmocka_unit_test(specs_make_sense),
        cmocka_unit_test(reports_ask_with_what_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
