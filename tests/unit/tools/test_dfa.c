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

/* A text, and one more behind it: told from the state that the first one ends in. */
static void go_on(struct xpd_dfa *dfa, const regex_t *regex, const char *text, uint8_t found,
                  uint16_t left)
{
    static const char bytes[] = "{},0123456789-";
    uint8_t can[XPD_DFA_STATES_MAX];
    char more[32];
    uint32_t size = any(5), before = (uint32_t)strlen(text);
    memcpy(more, text, before);
    for (uint32_t i = 0; i < size; i++)
        more[before + i] = bytes[any(sizeof bytes - 1)];
    more[before + size] = '\0';
    bool want = regexec(regex, more, 0, NULL, 0) == 0;
    if (found == XPD_DFA_INSIDE) {
        assert_true(want);
        return;
    }
    xpd_dfa_can_match(dfa, XPD_STR("{},0123456789-"), can);
    enum xpd_dfa_answer answer = xpd_dfa_go_on(dfa, left, xpd_str_of(more + before));
    if (answer == XPD_DFA_TOO_MANY)
        return;
    assert_int_equal(answer == XPD_DFA_YES, want);
    assert_true(can[left] || !want);
}

/* One expression on texts, one by one and all at once. */
static void compare(const char *pattern, struct xpd_dfa *dfa, const regex_t *regex)
{
    char text[TEXTS * 16];
    uint32_t start[TEXTS + 1] = {0}, count = 1 + any(TEXTS);
    uint8_t found[TEXTS], want[TEXTS];
    uint16_t left[TEXTS];
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
    struct xpd_dfa *used = any(2) ? dfa : fresh;
    bool done = xpd_dfa_each(used, text, start, count, found, left);
    for (uint32_t i = 0; done && i < count; i++) {
        assert_int_equal(found[i] != XPD_DFA_NOWHERE, want[i]);
        go_on(used, regex, text + start[i], found[i], left[i]);
    }
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
    static uint16_t left[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        start[i + 1] = start[i] + (uint32_t)snprintf(text + start[i], 8, "op.%u", i) + 1;
    struct xpd_dfa *dfa = xpd_dfa_new(XPD_STR("[03-5]5$"));
    assert_non_null(dfa);
    assert_true(xpd_dfa_each(dfa, text, start, COUNT, found, left));
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t tens = i / 10 % 10;
        bool two = i >= 10;
        bool want = i % 10 == 5 && two && (tens == 0 || (tens >= 3 && tens <= 5));
        assert_int_equal(found[i], want ? XPD_DFA_AT_END : XPD_DFA_NOWHERE);
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
    enum { COUNT = 8, SIZE = 1001 };
    char text[COUNT * SIZE];
    uint32_t start[COUNT + 1];
    for (uint32_t i = 0; i < COUNT * SIZE; i++)
        text[i] = i % SIZE == SIZE - 1 ? '\0' : any(2) ? 'a' : 'c';
    for (uint32_t i = 0; i <= COUNT; i++)
        start[i] = i * SIZE;
    assert_int_equal(xpd_dfa_test(dfa, xpd_str_of(text)), XPD_DFA_TOO_MANY);
    uint8_t found[COUNT];
    uint16_t left[COUNT];
    assert_false(xpd_dfa_each(dfa, text, start, COUNT, found, left));
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
