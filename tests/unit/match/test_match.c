/* Filters: plain text, regular expressions, and patterns that would cost too much. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "xprofd/match/match.h"

static enum xpd_match_rank rank(const char *typed, const char *text)
{
    struct xpd_match match;
    xpd_match_init(&match, xpd_str_of(typed));
    assert_string_equal(match.problem, "");
    enum xpd_match_rank result = xpd_match_test(&match, xpd_str_of(text));
    xpd_match_fini(&match);
    return result;
}

static void plain_text(void **state)
{
    (void)state;
    assert_int_equal(rank("", "anything"), XPD_MATCH_PART);
    assert_int_equal(rank("Fusion", "fusion"), XPD_MATCH_EXACT);
    assert_int_equal(rank("fus", "fusion.12"), XPD_MATCH_PREFIX);
    assert_int_equal(rank("ion", "fusion.12"), XPD_MATCH_PART);
    assert_int_equal(rank("a+b", "aab"), XPD_MATCH_NONE);
}

static void regular_expressions(void **state)
{
    (void)state;
    assert_int_equal(rank("/^fusion\\.[0-9]+$/", "fusion.12"), XPD_MATCH_PART);
    assert_int_equal(rank("/^fusion\\.[0-9]+$/", "fusion.x"), XPD_MATCH_NONE);
    assert_int_equal(rank("/a+b+c+d+e+f+g+h+i+j+k+l+m+n+/", "abcdefghijklmn"), XPD_MATCH_PART);
    assert_int_equal(rank("/(a|b)+c{2,3}(d+)?/", "abccdd"), XPD_MATCH_PART);
    assert_int_equal(rank("/\\++\\{+x/", "++{x"), XPD_MATCH_PART);
}

/* Digits mean the same with an automaton and without (the last ones of each three need the
 * library), and a backslash in brackets is a byte of the set. */
static void digits(void **state)
{
    (void)state;
    assert_int_equal(rank("/^\\w+\\.\\d$/", "fusion.1"), XPD_MATCH_PART);
    assert_int_equal(rank("/^\\w+\\.\\d$/", "fusion.d"), XPD_MATCH_NONE);
    assert_int_equal(rank("/^(x|)\\w+\\.\\d$/", "fusion.1"), XPD_MATCH_PART);
    assert_int_equal(rank("/^(x|)\\w+\\.\\d$/", "fusion.d"), XPD_MATCH_NONE);
    assert_int_equal(rank("/^\\D+$/", "fusion"), XPD_MATCH_PART);
    assert_int_equal(rank("/^\\D+$/", "fusion1"), XPD_MATCH_NONE);
    assert_int_equal(rank("/^(x|)\\D+$/", "fusion1"), XPD_MATCH_NONE);
    assert_int_equal(rank("/^[\\d]$/", "1"), XPD_MATCH_NONE);
    assert_int_equal(rank("/^[\\d]$/", "D"), XPD_MATCH_PART);
    assert_int_equal(rank("/^(x|)[\\d]$/", "\\"), XPD_MATCH_PART);
    assert_int_equal(rank("/^(x|)[]\\d]\\\\d$/", "]\\d"), XPD_MATCH_PART);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Each of these made the C library copy the pattern until memory or patience ran out. */
static void too_costly(void **state)
{
    (void)state;
    char pluses[120], groups[256];
    memset(pluses, '+', sizeof pluses);
    memcpy(pluses, "/a", 2);
    strcpy(pluses + sizeof pluses - 3, "b/");
    int n = snprintf(groups, sizeof groups, "/%.*sa%.*s/", 60,
                     "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((", 120,
                     ")+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+"
                     ")+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+");
    assert_int_equal(n, 183);
    const char *const patterns[] = {
        pluses,
        groups,
        "/((a{99}){99}){99}/",
        "/a{255}{255}/",
        "/((((((((((a{1,}){1,}){1,}){1,}){1,}){1,}){1,}){1,}){1,}){1,})/",
        "/a+*+?+*+*+*+*+*+*+*+*+/"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct xpd_match match;
        double start = seconds();
        xpd_match_init(&match, xpd_str_of(patterns[i]));
        assert_false(match.is_regex);
        assert_non_null(strstr(match.problem, "repeats too much"));
        xpd_match_test(&match, xpd_str_of("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"));
        xpd_match_fini(&match);
        assert_true(seconds() - start < 1);
    }
}

/* What a regular expression cannot do without; expected by reading it. */
static void parts_of_an_expression(void **state)
{
    static const struct {
        const char *typed, *parts;
    } all[] = {{"/fusion.*17/", "fusion 17"},
               {"/Fusion\\.12/", "fusion.12"},
               {"/^param/", "param"},
               {"/abc*def?g/", "ab de g"},
               {"/ab+c/", "ab c"},
               {"/ab{2}c/", "a c"},
               {"/a|bcd/", ""},
               {"/x(a|b)yz/", "yz x"},
               {"/x([)]|(b))yz/", "yz x"},
               {"/[]a]bc[^]x]d/", "bc d"},
               {"/[[:digit:]]ab/", "ab"},
               {"/\\wab\\b/", "ab"},
               {"/.*/", ""},
               {"/a.b.c.d.e.longest/", "longest a b c"},
               {"plain", ""}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct xpd_match match;
        char room[XPD_MATCH_PATTERN_MAX], found[200] = "";
        struct xpd_str part[XPD_MATCH_PARTS];
        xpd_match_init(&match, xpd_str_of(all[i].typed));
        uint32_t n = xpd_match_parts(&match, room, part);
        for (uint32_t k = 0; k < n; k++)
            snprintf(found + strlen(found), sizeof found - strlen(found), "%s%.*s", k ? " " : "",
                     (int)part[k].size, part[k].data);
        assert_string_equal(found, all[i].parts);
        xpd_match_fini(&match);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain_text),
                                       cmocka_unit_test(regular_expressions),
                                       cmocka_unit_test(digits), cmocka_unit_test(too_costly),
                                       cmocka_unit_test(parts_of_an_expression)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
