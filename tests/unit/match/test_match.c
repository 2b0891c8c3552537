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

static void classes_and_words(void **state)
{
    (void)state;
    assert_int_equal(rank("/^\\w+\\.\\d$/", "fusion.1"), XPD_MATCH_PART);
    assert_int_equal(rank("/^\\w+\\.\\d$/", "fusion.d"), XPD_MATCH_NONE);
    assert_int_equal(rank("/^\\D+$/", "fusion1"), XPD_MATCH_NONE);
    assert_int_equal(rank("/^[[:alpha:]]+$/", "fusion"), XPD_MATCH_PART);
    assert_int_equal(rank("/^[\\d.]+$/", "1.2"), XPD_MATCH_PART);
    assert_int_equal(rank("/^[]x]$/", "]"), XPD_MATCH_PART);
    assert_int_equal(rank("/\\<dot\\>/", "a.dot.1"), XPD_MATCH_PART);
    assert_int_equal(rank("/\\<dot/", "adot.1"), XPD_MATCH_NONE);
    assert_int_equal(rank("/dot\\>/", "dots"), XPD_MATCH_NONE);
    assert_int_equal(rank("/^[\\<]$/", "<"), XPD_MATCH_PART);
    assert_int_equal(rank("/^[]\\<]\\<a/", "<a"), XPD_MATCH_PART);
    assert_int_equal(rank("/^a\\\\<$/", "a\\<"), XPD_MATCH_PART);
}

static void anchors_and_case(void **state)
{
    (void)state;
    assert_int_equal(rank("/^FUSION$/", "fusion"), XPD_MATCH_PART);
    assert_int_equal(rank("/^usion/", "fusion"), XPD_MATCH_NONE);
    assert_int_equal(rank("/n$/", "fusion\n"), XPD_MATCH_NONE); /* $ is the end of the text */
    assert_int_equal(rank("/a.b/", "a\nb"), XPD_MATCH_PART);
    assert_int_equal(rank("/(?-i)FUSION/", "fusion"), XPD_MATCH_NONE);
    assert_int_equal(rank("/x*/", ""), XPD_MATCH_NONE);   /* there is no text */
    assert_int_equal(rank("//", "a//b"), XPD_MATCH_PART); /* too short for an expression */
}

/* Names come from files: any bytes. */
static void texts_that_are_not_utf8(void **state)
{
    static const char bytes[] = "fus\xff\xfeion\0.\xc3";
    const struct xpd_str text = {bytes, sizeof bytes - 1};
    static const struct {
        const char *typed;
        bool found;
    } all[] = {{"/^fus/", true},   {"/ion.[.]/", true}, {"/s.+i/", false}, {"/^.*$/", false},
               {"s\xff", true},    {"\xc3", true},      {"FUS\xff", true}, {"/[^x]ion/", false},
               {"/\\bfus/", true}, {"/\\xc3/", false}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct xpd_match match;
        xpd_match_init(&match, xpd_str_of(all[i].typed));
        assert_string_equal(match.problem, "");
        assert_int_equal(xpd_match_test(&match, text) != XPD_MATCH_NONE, all[i].found);
        assert_int_equal(match.unjudged, 0);
        xpd_match_fini(&match);
    }
    assert_int_equal(rank("/^gr.n$/", "gr\xc3\xbcn"), XPD_MATCH_PART); /* . is a character */
    assert_int_equal(rank("/GR\xc3\x9cN/", "gr\xc3\xbcn"), XPD_MATCH_PART);
}

static void says(const char *typed, const char *why)
{
    struct xpd_match match;
    char room[XPD_MATCH_NOTE_MAX];
    xpd_match_init(&match, xpd_str_of(typed));
    assert_false(match.is_regex);
    assert_string_equal(match.problem, why);
    assert_ptr_equal(xpd_match_note(&match, room), match.problem);
    assert_int_not_equal(xpd_match_test(&match, match.text), XPD_MATCH_NONE);
    xpd_match_fini(&match);
}

static void what_is_wrong_is_said_with_its_place(void **state)
{
    char longer[XPD_MATCH_PATTERN_MAX + 4];
    (void)state;
#define PLAIN "taken as plain text: the regular expression "
    says("/ab(/", PLAIN "is not valid at offset 3: missing closing parenthesis");
    says("/\\<a\\>**/",
         PLAIN "is not valid at offset 6: quantifier does not follow a repeatable item");
    says("/(a)\\1/", PLAIN "is not valid at offset 3: reference to non-existent subpattern");
    says("/a\\C/", PLAIN "is not valid at offset 3: using \\C is disabled by the application");
    says("/\xff/", PLAIN "is not valid at offset 0: UTF-8 error: illegal byte (0xfe or 0xff)");
    says("/(*LIMIT_MATCH=4000000000)a/", PLAIN "begins with (*, which sets options");
    memset(longer, 'a', sizeof longer);
    longer[0] = longer[sizeof longer - 2] = '/';
    longer[sizeof longer - 1] = '\0';
    says(longer, PLAIN "is longer than 256 bytes");
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Some are too large to compile, some take forever on a long text. */
static void costly_patterns_end(void **state)
{
    static const char *const patterns[] = {
        "/((a{99}){99}){99}/",
        "/((((((((((a{1,}){1,}){1,}){1,}){1,}){1,}){1,}){1,}){1,}){1,})b?$/",
        "/(((((a{0,9}){0,9}){0,9}){0,9}){0,9})b/",
        "/((((((a+)+)+)+)+)+)+[^a]$/",
        "/(?R)?a[^a]/",
        "/(?=a*a*a*a*b)/",
        "/((\\w{1,99}){1,99}){1,9}[^a]$/",
        "/(a?){40}(a|aa)*(a*)*(b|c)$/",
        "/[a-z]*[a-z]*[a-z]*[xyz]/"};
    static char text[3 * XPD_MATCH_TEXT_MAX];
    (void)state;
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        for (size_t size = 40; size <= sizeof text; size *= 30) {
            struct xpd_match match;
            double start = seconds();
            xpd_match_init(&match, xpd_str_of(patterns[i]));
            for (int k = 0; k < 20; k++)
                xpd_match_test(&match, (struct xpd_str){text, size});
            xpd_match_fini(&match);
            assert_true(seconds() - start < 10);
        }
}

/* A text without an answer is counted and told, never silently "no match". */
static void limits_are_told(void **state)
{
    static char text[XPD_MATCH_TEXT_MAX + 2];
    char room[XPD_MATCH_NOTE_MAX];
    struct xpd_match match;
    (void)state;
    memset(text, 'a', sizeof text - 1);
    xpd_match_init(&match, XPD_STR("/(a+)+[bc]$/"));
    match.allowed_ns = INT64_MAX;
    assert_int_equal(xpd_match_test(&match, XPD_STR("aab")), XPD_MATCH_PART);
    assert_string_equal(xpd_match_note(&match, room), "");
    assert_int_equal(xpd_match_test(&match, (struct xpd_str){text, 200}), XPD_MATCH_NONE);
    assert_int_equal(xpd_match_test(&match, (struct xpd_str){text, 300}), XPD_MATCH_NONE);
    assert_int_equal(xpd_match_test(&match, XPD_STR("b")), XPD_MATCH_NONE);
    assert_int_equal(match.unjudged, 2);
    assert_memory_equal(xpd_match_note(&match, room), "2 texts were not checked to the end", 35);
    match.allowed_ns = 0; /* out of time */
    xpd_match_test(&match, (struct xpd_str){text, 300});
    assert_true(match.stopped);
    assert_int_equal(xpd_match_test(&match, XPD_STR("aab")), XPD_MATCH_NONE);
    assert_int_equal(match.unjudged, 4);
    xpd_match_fini(&match);

    xpd_match_init(&match, XPD_STR("/a$|z/")); /* the end that is read is not the text's */
    assert_int_equal(xpd_match_test(&match, (struct xpd_str){text, XPD_MATCH_TEXT_MAX}),
                     XPD_MATCH_PART);
    assert_int_equal(xpd_match_test(&match, (struct xpd_str){text, XPD_MATCH_TEXT_MAX + 1}),
                     XPD_MATCH_NONE);
    assert_int_equal(match.unjudged, 1);
    xpd_match_fini(&match);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plain_text),
                                       cmocka_unit_test(regular_expressions),
                                       cmocka_unit_test(classes_and_words),
                                       cmocka_unit_test(anchors_and_case),
                                       cmocka_unit_test(texts_that_are_not_utf8),
                                       cmocka_unit_test(what_is_wrong_is_said_with_its_place),
                                       cmocka_unit_test(costly_patterns_end),
                                       cmocka_unit_test(limits_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
