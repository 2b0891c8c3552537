/* Answers of the graph's routes that are cut at a limit: what is left out is counted, the limit is
 * named, and asking for more brings it ("142 users, showing 16"). */
#include "answer.h"
#include "hlo_builder.h"
#include "tempfile.h"

enum { USERS = 142, PARAMETERS = 600 };

static struct server_process server;
static char *file, run[128];

/* %hub is used by 142 negates, which a tuple puts together; 600 parameters more. */
static void build(struct pbw *out)
{
    static const struct hb_shape array = {
        .type = HB_F32, .rank = 2, .dims = {64, 128}, .layout = HB_DESCENDING};
    static char name[USERS + PARAMETERS][16];
    int64_t hub[] = {1}, ids[USERS];
    struct hb hb;
    hb_init(&hb, "m");
    hb_begin_computation(&hb, "main", 1, false);
    hb_instruction(
        &hb, &(struct hb_instr){.name = "hub", .opcode = "parameter", .id = 1, .shape = &array});
    for (int i = 0; i < USERS; i++) {
        snprintf(name[i], sizeof name[i], "user.%d", i);
        ids[i] = 100 + i;
        hb_instruction(&hb, &(struct hb_instr){.name = name[i],
                                               .opcode = "negate",
                                               .id = ids[i],
                                               .shape = &array,
                                               .operands = hub,
                                               .n_operands = 1});
    }
    hb_instruction(&hb, &(struct hb_instr){.name = "all",
                                           .opcode = "concatenate",
                                           .id = 2,
                                           .shape = &array,
                                           .operands = ids,
                                           .n_operands = USERS});
    for (int i = 0; i < PARAMETERS; i++) {
        snprintf(name[USERS + i], sizeof name[0], "more.%d", i);
        hb_instruction(&hb, &(struct hb_instr){.name = name[USERS + i],
                                               .opcode = "parameter",
                                               .id = 1000 + i,
                                               .shape = &array,
                                               .parameter_number = 1 + i});
    }
    hb_end_computation(&hb, 2);
    hb_finish(&hb, out);
}

static int start(void **state)
{
    struct pbw out = {0};
    (void)state;
    build(&out);
    file = temp_file(out.data, out.len, ".hlo_proto.pb");
    pbw_free(&out);
    server_serve(&server, file, NULL, NULL);
    struct answer runs = ask(&server, "/api/v1/runs", 200);
    const char *id = strstr(runs.reply.body, "\"id\":[\"");
    assert_non_null(id);
    snprintf(run, sizeof run, "%.*s", (int)strcspn(id + 7, "\""), id + 7);
    done(&runs);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    server_stop(&server);
    temp_remove(file);
    return 0;
}

static struct answer graph(const char *question)
{
    char target[512];
    snprintf(target, sizeof target, "/api/v1/graph/%s%crun=%s", question,
             strchr(question, '?') ? '&' : '?', run);
    return ask(&server, target, 200);
}

/* Row of a name in nodes.name. */
static size_t row_of(const struct answer *answer, const char *name)
{
    const struct xpd_json *names = find(answer, "nodes.name");
    for (size_t i = 0; i < xpd_json_count(names); i++)
        if (strcmp(xpd_json_to_text(xpd_json_item(names, i)), name) == 0)
            return i;
    fail_msg("no node %s", name);
    return 0;
}

static void users_beyond_the_limit_are_counted(void **state)
{
    (void)state;
    struct answer few = graph("around?node=hub&radius=1");
    size_t hub = row_of(&few, "hub");
    assert_int_equal(item(&few, "nodes.users", hub), USERS);
    assert_int_equal(item(&few, "nodes.users_hidden", hub), USERS - 16);
    assert_int_equal(number(&few, "counts.users_limit"), 16);
    assert_int_equal(number(&few, "counts.shown"), 17);
    done(&few);
    struct answer all = graph("around?node=hub&radius=1&users=4096");
    hub = row_of(&all, "hub");
    assert_int_equal(item(&all, "nodes.users_hidden", hub), 0);
    assert_int_equal(number(&all, "counts.shown"), 1 + USERS);
    assert_int_equal(number(&all, "counts.left_out"), 0);
    done(&all);
}

static void operands_beyond_the_limit_are_counted(void **state)
{
    (void)state;
    struct answer answer = graph("around?node=all&radius=1");
    size_t all = row_of(&answer, "all");
    assert_int_equal(number(&answer, "counts.operands_limit"), 64);
    assert_int_equal(item(&answer, "nodes.operands", all), USERS);
    assert_int_equal(item(&answer, "nodes.operands_hidden", all), USERS - 64);
    done(&answer);
}

static void nodes_beyond_the_limit_are_counted(void **state)
{
    (void)state;
    struct answer answer = graph("around?node=hub&radius=1&users=4096&limit=20");
    assert_int_equal(number(&answer, "counts.shown"), 20);
    assert_int_equal(number(&answer, "counts.limit"), 20);
    assert_int_equal(number(&answer, "counts.of"), 1 + USERS);
    assert_int_equal(number(&answer, "counts.left_out"), 1 + USERS - 20);
    done(&answer);
}

static void lists_say_how_many_there_are(void **state)
{
    (void)state;
    struct answer explained = graph("explain?node=all");
    assert_int_equal(number(&explained, "operands.total"), USERS);
    assert_int_equal(number(&explained, "operands.left_out"), 0);
    done(&explained);
    struct answer found = graph("search?q=user&count=10&after=3");
    assert_int_equal(number(&found, "total"), USERS);
    assert_int_equal(number(&found, "n"), 10);
    done(&found);
    struct answer list = graph("list?count=50");
    assert_int_equal(number(&list, "total"), 2 + USERS + PARAMETERS);
    assert_int_equal(number(&list, "n"), 50);
    assert_int_equal(number(&list, "rows_limit"), 32);
    done(&list);
}

/* 601 parameters in a level of at most 500 rows: the last row stands for the rest. */
static void a_level_of_the_tree_says_what_it_left_out(void **state)
{
    (void)state;
    struct answer level = graph("tree?parent=c0:p");
    assert_int_equal(number(&level, "limit"), 500);
    assert_int_equal(number(&level, "n"), 500);
    assert_int_equal(number(&level, "left_out"), 1 + PARAMETERS - 499);
    assert_int_equal(item(&level, "ops", 499), 1 + PARAMETERS - 499); /* nothing is lost */
    done(&level);
}

static void limits_have_limits(void **state)
{
    (void)state;
    static const char *const too_much[] = {
        "around?node=hub&users=4097", "around?node=hub&limit=5001", "around?node=hub&radius=11",
        "search?q=u&count=1001", "list?count=2001"};
    for (size_t i = 0; i < sizeof too_much / sizeof *too_much; i++) {
        char target[512];
        snprintf(target, sizeof target, "/api/v1/graph/%s&run=%s", too_much[i], run);
        struct answer answer = ask(&server, target, 400);
        done(&answer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(users_beyond_the_limit_are_counted),
        cmocka_unit_test(operands_beyond_the_limit_are_counted),
        cmocka_unit_test(nodes_beyond_the_limit_are_counted),
        cmocka_unit_test(lists_say_how_many_there_are),
        cmocka_unit_test(a_level_of_the_tree_says_what_it_left_out),
        cmocka_unit_test(limits_have_limits),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
