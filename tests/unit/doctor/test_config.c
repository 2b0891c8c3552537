/* Thresholds and muted rules: what a file may say, where its mistakes are, what they change. */
#include "doctor_test.h"

static struct xpd_arena arena;
static struct xpd_doctor_config config;
static struct xpd_err err;

static int parse(const char *text)
{
    memset(&err, 0, sizeof err);
    return xpd_doctor_config_read(&config, xpd_str_of(text), "f", &arena, &err);
}

static void settings(void **state)
{
    (void)state;
    assert_int_equal(
        parse(
            "# a comment\n\n  giant_share = 30%  # why\npadding_bytes=1MiB\nsquare_side = 512\r\n"),
        XPD_OK);
    assert_true(config.thresholds.giant_share > 0.299 && config.thresholds.giant_share < 0.301);
    assert_true(config.thresholds.padding_bytes == 1048576);
    assert_true(config.thresholds.square_side == 512);
    assert_true(config.thresholds.full_share == 0.9);
    assert_int_equal(parse("silence D12  it is meant\nsilence D08 block/*: saved on purpose"),
                     XPD_OK);
    assert_int_equal(config.silence_count, 2);
    assert_true(xpd_str_eq(config.silence[0].pattern, XPD_STR("D12")));
    assert_true(xpd_str_eq(config.silence[0].reason, XPD_STR("it is meant")));
    assert_true(xpd_str_eq(config.silence[1].pattern, XPD_STR("D08 block/*")));
    assert_true(xpd_str_eq(config.silence[1].reason, XPD_STR("saved on purpose")));
    assert_int_equal(parse(""), XPD_OK);
}

static void mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where;
    } wrong[] = {
        {"giant_share", "f:1:1"},         {"\n nonsense = 3", "f:2:2"},
        {"giant_share = many", "f:1:15"}, {"giant_share = 3GiB", "f:1:15"},
        {"giant_share = nan", "f:1:15"},  {"giant_share = ", "f:1:1"},
        {"padding_bytes = 3%", "f:1:17"}, {"silence D99 no such rule", "f:1:9"},
        {"silence D12", "f:1:12"},        {"silence x", "f:1:9"},
        {"square_side = 1e9", "f:1:15"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (parse(wrong[i].text) != XPD_EINVAL || strcmp(err.where, wrong[i].where) != 0)
            fail_msg("%s: %s, expected %s (%s)", wrong[i].text, err.where, wrong[i].where,
                     err.text);
    }
}

static void silences_go_last(void **state)
{
    (void)state;
    static const struct hb_shape f32 = {.type = HB_F32, .rank = 2, .dims = {4096, 1024}};
    struct op op[] = {
        {.id = 1, .name = "c", .opcode = "constant", .shape = &f32, .mib = 16, .kind = 'c'},
        {.id = 2,
         .name = "bits",
         .opcode = "fusion",
         .shape = &f32,
         .mib = 64,
         .kind = 't',
         .op_name = "jit(f)/block_3/add"}};
    struct hb hb;
    struct sick s;
    hb_init(&hb, "m");
    sick_program(&hb, op, 2, "A2 F2");
    sick_open(&s, &hb);
    assert_int_equal(parse("silence D02 block_*/add: a table"), XPD_OK);
    s.input.config = &config;
    sick_examine(&s);
    const struct xpd_finding *f = sick_finding(&s, "D02", 0);
    assert_non_null(f);
    assert_non_null(f->silenced);
    assert_int_equal(s.doctor.silenced_count, 1);
    assert_ptr_equal(f, &s.doctor.finding[s.doctor.count - 1]);
    assert_int_equal(parse("silence D02 other/*: elsewhere\ngiant_share = 90%"), XPD_OK);
    sick_examine(&s);
    assert_null(sick_finding(&s, "D02", 0)); /* 80 % now lies below the threshold */
    sick_close(&s);
}

static void names(void **state)
{
    (void)state;
    static const char *const scope[][2] = {
        {"jit(train_step)/jvp(block)/attention/dot_general", "block/attention/dot_general"},
        {"jit(train_step)/transpose(jvp(block))/attention/dot_general",
         "block/attention/dot_general"},
        {"jit(f)/transpose(jvp(layer_12))/checkpoint/rematted_computation/mul", "layer_*/mul"},
        {"", ""},
        {"jit(f)", ""},
        {"params['w1']", "params['w*']"},
    };
    for (size_t i = 0; i < sizeof scope / sizeof *scope; i++) {
        struct xpd_strbuf out = {0};
        xpd_doctor_scope(&out, xpd_str_of(scope[i][0]));
        assert_string_equal(out.data ? out.data : "", scope[i][1]);
        xpd_strbuf_fini(&out);
    }
    assert_true(xpd_doctor_glob(XPD_STR("a*c?e"), XPD_STR("abbbcde")));
    assert_false(xpd_doctor_glob(XPD_STR("a*c"), XPD_STR("abd")));
    assert_true(xpd_doctor_glob(XPD_STR("*"), XPD_STR("")));
    assert_false(xpd_doctor_glob(XPD_STR("?"), XPD_STR("")));
    uint32_t rules;
    const struct xpd_doctor_rule *rule = xpd_doctor_rules(&rules);
    assert_int_equal(rules, 44);
    for (uint32_t i = 0; i < rules; i++) {
        char id[16];
        snprintf(id, sizeof id,
                 i < 30   ? "D%02u"
                 : i < 43 ? "T%02u"
                          : "H%02u",
                 i < 30   ? i + 1
                 : i < 43 ? i - 29
                          : i - 42);
        assert_string_equal(rule[i].id, id);
        assert_true(rule[i].what_to_try[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(silences_go_last),
        cmocka_unit_test(names),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xpd_arena_fini(&arena);
    return failed;
}
