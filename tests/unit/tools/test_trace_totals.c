/* Totals of more names than a page of the answer may have; of a trace with planes of no known kind
 * only. */
#include "tool_call.h"

#include "pbw.h"

enum { NAMES = 100050, MOST = 100000 /* rows of a page */ };

/* A thread on which each event has a name of its own. */
static bool write_names(const char *path)
{
    struct pbw file = {0};
    char name[16];
    size_t plane = pbw_begin(&file, 1);
    pbw_str(&file, 2, "/host:CPU");
    size_t line = pbw_begin(&file, 3);
    pbw_str(&file, 2, "main");
    for (int i = 0; i < NAMES; i++) {
        size_t event = pbw_begin(&file, 4);
        pbw_int(&file, 1, i + 1);
        pbw_int(&file, 2, (int64_t)i * 1000);
        pbw_int(&file, 3, 500);
        pbw_end(&file, event);
    }
    pbw_end(&file, line);
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "work %d", i);
        size_t entry = pbw_begin(&file, 4);
        pbw_int(&file, 1, i + 1);
        size_t metadata = pbw_begin(&file, 2);
        pbw_int(&file, 1, i + 1);
        pbw_str(&file, 2, name);
        pbw_end(&file, metadata);
        pbw_end(&file, entry);
    }
    pbw_end(&file, plane);
    bool saved = pbw_save(&file, path);
    pbw_free(&file);
    return saved;
}

static uint64_t lines_of(const struct answer *answer)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < answer->size; i++)
        lines += answer->body[i] == '\n';
    return lines;
}

static void expect_lines(struct xpd_store *store, const char *more, uint64_t lines)
{
    struct answer csv;
    ask_ok(&csv, store, "/api/v1/trace/totals", "run=run&format=csv%s", more);
    assert_int_equal(lines_of(&csv), 1 + lines); /* the first one says what the columns are */
    answer_free(&csv);
}

static void csv_has_all(void **state)
{
    (void)state;
    struct one_run made;
    make_run(&made);
    assert_true(write_names(made.file));
    struct xpd_store *store = open_store(made.root);
    struct answer page;
    ask_ok(&page, store, "/api/v1/trace/totals", "run=run&limit=%d", MOST);
    assert_int_equal(number_at(at(page.json, "rows"), "n"), MOST);
    assert_int_equal(number_at(page.json, "all_n"), NAMES);
    assert_int_equal(number_at(page.json, "left_out"), NAMES - MOST);
    answer_free(&page);
    expect_lines(store, "&limit=7", 7);
    expect_lines(store, "&offset=100000", NAMES - MOST);
    expect_lines(store, "", NAMES);
    xpd_store_close(store);
    remove_run(&made);
}

/* Such planes are left out unless they are asked for. When they are all there is, an answer without
 * rows would say that nothing ran. */
static void unknown_planes_alone(void **state)
{
    (void)state;
    struct one_run made;
    make_run(&made);
    struct pbw file = {0};
    size_t plane = pbw_begin(&file, 1);
    pbw_str(&file, 2, "some accelerator");
    size_t line = pbw_begin(&file, 3), event = pbw_begin(&file, 4);
    pbw_int(&file, 1, 1);
    pbw_int(&file, 2, 1000);
    pbw_int(&file, 3, 500);
    pbw_end(&file, event);
    pbw_end(&file, line);
    pbw_end(&file, plane);
    assert_true(pbw_save(&file, made.file));
    pbw_free(&file);
    struct xpd_store *store = open_store(made.root);
    static const char *const route[] = {"/api/v1/trace/totals", "/api/v1/trace/flame"};
    for (size_t i = 0; i < sizeof route / sizeof *route; i++) {
        struct answer answer;
        ask_ok(&answer, store, route[i], "run=run");
        assert_int_equal(number_at(i == 0 ? at(answer.json, "rows") : answer.json, "n"), 1);
        answer_free(&answer);
    }
    xpd_store_close(store);
    remove_run(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(csv_has_all),
                                       cmocka_unit_test(unknown_planes_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
