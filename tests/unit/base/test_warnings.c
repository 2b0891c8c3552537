/* Warnings: one entry per code, bounded, alive without memory. */
#include "xprofd/base/error.h"
#include "xprofd/base/warnings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void one_entry_per_code(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    struct xpd_warnings list = {.arena = &arena};
    char built[] = "double_free"; /* the same word at another address */
    xpd_warn(&list, XPD_WARNING, "double_free", 10, "buffer %d", 1);
    xpd_warn(&list, XPD_NOTE, "odd_layout", XPD_NO_OFFSET, "other");
    xpd_warn(&list, XPD_ERROR, built, 20, "buffer %d", 2);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.item[0].severity, XPD_WARNING);
    assert_string_equal(list.item[0].code, "double_free");
    assert_string_equal(list.item[0].text, "buffer 1");
    assert_int_equal(list.item[0].offset, 10);
    assert_int_equal(list.item[0].count, 2);
    assert_string_equal(list.item[1].text, "other");
    assert_true(list.item[1].offset == XPD_NO_OFFSET);
    assert_int_equal(list.item[1].count, 1);
    assert_int_equal(list.dropped, 0);
    xpd_arena_fini(&arena);
}

static void bounded(void **state)
{
    (void)state;
    static char code[XPD_WARNINGS_MAX + 2][16];
    struct xpd_arena arena = {0};
    struct xpd_warnings list = {.arena = &arena};
    for (int i = 0; i < XPD_WARNINGS_MAX + 2; i++) {
        snprintf(code[i], sizeof code[i], "c%d", i);
        xpd_warn(&list, XPD_NOTE, code[i], 0, "%d", i);
    }
    assert_int_equal(list.count, XPD_WARNINGS_MAX);
    assert_int_equal(list.dropped, 2);
    xpd_warn(&list, XPD_NOTE, code[3], 0, "again"); /* known ones are still counted */
    assert_int_equal(list.item[3].count, 2);
    assert_int_equal(list.dropped, 2);
    xpd_arena_fini(&arena);
}

static void no_memory(void **state)
{
    (void)state;
    struct xpd_arena arena;
    xpd_arena_init(&arena, 1);
    struct xpd_warnings list = {.arena = &arena};
    xpd_warn(&list, XPD_ERROR, "cut_file", 5, "a text for which there is no room");
    assert_int_equal(list.count, 1);
    assert_string_equal(list.item[0].text, "cut_file");
    xpd_arena_fini(&arena);
}

static void words(void **state)
{
    (void)state;
    assert_string_equal(xpd_severity_word(XPD_NOTE), "note");
    assert_string_equal(xpd_severity_word(XPD_WARNING), "warning");
    assert_string_equal(xpd_severity_word(XPD_ERROR), "error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_entry_per_code),
        cmocka_unit_test(bounded),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(words),
    };
    return cmocka_run_group_tests_name("warnings", tests, NULL, NULL);
}
