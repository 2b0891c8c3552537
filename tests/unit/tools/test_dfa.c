/* Automata of regular expressions against the C library, on expressions and texts made at random.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <regex.h>

#include "tools/dfa.h"

#define TEXTS 40
#define ROOM  200

static uint64_t seed = UINT64_C(88172645463325252);

static uint32_t any(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 20) % below);
}

static void put(char *pattern, const char *part)
{
    if (strlen(pattern) + strlen(part) < ROOM)
        strcat(pattern, part);
}

static void make_pattern(char *pattern, int depth)
{
    static const char *const atoms[] = {
        "a",     "b",     "A",     "C",       "ab",        "[ab]",          "[^a]",    "[A-c]",
        "[0-9]", "[]a]",  "[^-a]", "[a-]",    "[^A-Z.]",   "[[:digit:]]",   "[Z-_]",   "\\.",
        ".",     ".",     "1",     "{",       "[a-b-]",    "[^[:upper:]b]", "[B-Da]",  "]",
        "\\{",   "\\\\",  "[\\]",  "[$^]",    "[!-~]",     "\\w",           "^",       "$",
        "_",     "[+--]", "7",     "[a-c-e]", "[[:foo:]]", "[[.a.]b]",      "[[=a=]]", "()"};
    static const char *const repeats[] = {"*",     "+",    "?",    "{2}", "{1,3}",
                                          "{0,2}", "{2,}", "{,2}", "{0}", "**"};
    uint32_t branches = any(5) == 0 ? 2 : 1;
    for (uint32_t branch = 0; branch < branches; branch++) {
        put(pattern, branch ? "|" : any(6) == 0 ? "^" : "");
        for (uint32_t n = 1 + any(4); n > 0; n--) {
            if (any(10) == 0 && depth < 3) {
                put(pattern, "(");
                make_pattern(pattern, depth + 1);
                put(pattern, ")");
            } else {
                put(pattern, atoms[any(sizeof atoms / sizeof *atoms)]);
            }
            uint32_t repeat = any(24);
            if (repeat < 10)
                put(pattern, repeats[repeat]);
        }
    }
    put(pattern, any(6) == 0 ? "$" : "");
}

static uint32_t make_text(char *text)
{
    static const char bytes[] = "aabbcCdABz0179.-_{}]()\\$^+ \n\xe4\x80\xff%";
    uint32_t size = any(14);
    for (uint32_t i = 0; i < size; i++)
        text[i] = bytes[any(sizeof bytes - 1)];
    text[size] = '\0';
    return size;
}

/* One expression on texts, one by one and all at once. */
static void compare(const char *pattern, struct xpd_dfa *dfa, const regex_t *regex)
{
    char text[TEXTS * 16];
    uint32_t start[TEXTS + 1] = {0}, count = 1 + any(TEXTS);
    uint8_t found[TEXTS], want[TEXTS];
    for (uint32_t i = 0; i < count; i++) {
        char *here = text + start[i];
        uint32_t size = make_text(here);
        start[i + 1] = start[i] + size + 1;
        want[i] = regexec(regex, here, 0, NULL, 0) == 0;
        enum xpd_dfa_answer answer = xpd_dfa_test(dfa, (struct xpd_str){here, size});
        if (answer != XPD_DFA_TOO_MANY && (answer == XPD_DFA_YES) != want[i])
            fail_msg("/%s/ on \"%s\": the library says %d", pattern, here, want[i]);
    }
    struct xpd_dfa *fresh = xpd_dfa_new(xpd_str_of(pattern));
    assert_non_null(fresh);
    if (xpd_dfa_each(any(2) ? dfa : fresh, text, start, count, found))
        assert_memory_equal(found, want, count);
    xpd_dfa_free(fresh);
}

static void says_what_the_library_says(void **state)
{
    (void)state;
    uint32_t automata = 0;
    for (int i = 0; i < 5000; i++) {
        char pattern[ROOM] = "";
        regex_t regex;
        make_pattern(pattern, 0);
        if (regcomp(&regex, pattern, REG_EXTENDED | REG_ICASE | REG_NOSUB) != 0)
            continue;
        struct xpd_dfa *dfa = xpd_dfa_new(xpd_str_of(pattern));
        if (dfa)
            compare(pattern, dfa, &regex);
        automata += dfa != NULL;
        xpd_dfa_free(dfa);
        regfree(&regex);
    }
    assert_true(automata > 500);
}

/* More texts than the lanes take at a time; hits at both ends of a portion. */
static void many_texts(void **state)
{
    (void)state;
    enum { COUNT = 3001 };
    static char text[COUNT * 8];
    static uint32_t start[COUNT + 1];
    static uint8_t found[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        start[i + 1] = start[i] + (uint32_t)snprintf(text + start[i], 8, "op.%u", i) + 1;
    struct xpd_dfa *dfa = xpd_dfa_new(XPD_STR("[03-5]5$"));
    assert_non_null(dfa);
    assert_true(xpd_dfa_each(dfa, text, start, COUNT, found));
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t tens = i / 10 % 10;
        bool two = i >= 10;
        assert_int_equal(found[i], i % 10 == 5 && two && (tens == 0 || (tens >= 3 && tens <= 5)));
    }
    xpd_dfa_free(dfa);
}

/* Its states double with each byte looked back. */
static void too_many_states_are_told(void **state)
{
    (void)state;
    static const char pattern[] = "a.{14}b";
    struct xpd_dfa *dfa = xpd_dfa_new(XPD_STR(pattern));
    assert_non_null(dfa);
    char text[4001];
    for (uint32_t i = 0; i < 4000; i++)
        text[i] = any(2) ? 'a' : 'c';
    text[4000] = '\0';
    assert_int_equal(xpd_dfa_test(dfa, xpd_str_of(text)), XPD_DFA_TOO_MANY);
    uint8_t found;
    assert_false(xpd_dfa_each(dfa, text, (uint32_t[]){0, 4001}, 1, &found));
    xpd_dfa_free(dfa);
}

static void what_is_not_plain_is_left_to_the_library(void **state)
{
    (void)state;
    static const char *const left[] = {"\\w",    "a**",      "(a|)",   "[Z-_]", "(^a)",
                                       "a{0}",   "[[.a.]]",  "\xe4",   "a$b",   "((a{99}){99})",
                                       "x{500}", "[a-c-e]z", "(a){,2}"};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        assert_null(xpd_dfa_new(xpd_str_of(left[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(says_what_the_library_says),
                                       cmocka_unit_test(many_texts),
                                       cmocka_unit_test(too_many_states_are_told),
                                       cmocka_unit_test(what_is_not_plain_is_left_to_the_library)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
