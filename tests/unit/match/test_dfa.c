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

#include "xprofd/match/dfa.h"

#define TEXTS     40
#define TEXTS_MAX 3001
#define NODES     9000
#define ROOM      200

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
        "_",     "[+--]", "7",     "[a-c-e]", "[[:foo:]]", "[[.a.]b]",      "[[=a=]]", "()",
        "\\W",   "\\s",   "\\S",   "\\b",     "\\B",       "\\<",           "\\>",     "\\b"};
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

/* The tree of some texts, made node by node. */
struct tree {
    uint32_t parent[NODES];
    uint8_t byte[NODES];
    uint32_t stem[TEXTS_MAX];
    uint8_t last[TEXTS_MAX];
    uint16_t state[TEXTS_MAX];
    struct xpd_text_tree tree;
};

static uint32_t child_of(struct tree *t, uint32_t node, uint8_t byte)
{
    for (uint32_t i = node + 1; i < t->tree.count; i++)
        if (t->parent[i] == node && t->byte[i] == byte)
            return i;
    assert_true(t->tree.count < NODES);
    t->parent[t->tree.count] = node;
    t->byte[t->tree.count] = byte;
    return t->tree.count++;
}

static void plant(struct tree *t, const char *text, uint32_t count, size_t room)
{
    t->tree = (struct xpd_text_tree){t->parent, t->byte, 1, t->stem, t->last, count};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = 0;
        const char *at = text + i * room;
        for (; at[0] && at[1]; at++)
            node = child_of(t, node, (uint8_t)*at);
        t->stem[i] = node;
        t->last[i] = (uint8_t)*at;
    }
}

static bool is_found(const struct tree *t, const struct xpd_dfa *dfa, uint32_t text)
{
    return xpd_dfa_ends(dfa)[t->state[text]] != 0;
}

/* A text, and one more behind it: told from the state that the first one ends in. */
static void go_on(struct xpd_dfa *dfa, const regex_t *regex, const char *text, uint16_t state)
{
    static const char bytes[] = "{},0123456789-";
    char more[32];
    uint32_t size = any(5), before = (uint32_t)strlen(text);
    memcpy(more, text, before);
    for (uint32_t i = 0; i < size; i++)
        more[before + i] = bytes[any(sizeof bytes - 1)];
    more[before + size] = '\0';
    enum xpd_dfa_answer answer = xpd_dfa_go_on(dfa, state, xpd_str_of(more + before));
    if (answer != XPD_DFA_TOO_MANY)
        assert_int_equal(answer == XPD_DFA_YES, regexec(regex, more, 0, NULL, 0) == 0);
}

/* One expression on texts, one by one and all at once. */
static void compare(const char *pattern, struct xpd_dfa *dfa, const regex_t *regex)
{
    static struct tree tree;
    char text[TEXTS][16];
    bool want[TEXTS];
    uint32_t count = 1 + any(TEXTS);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = make_text(text[i]);
        want[i] = regexec(regex, text[i], 0, NULL, 0) == 0;
        enum xpd_dfa_answer answer = xpd_dfa_test(dfa, (struct xpd_str){text[i], size});
        if (answer != XPD_DFA_TOO_MANY && (answer == XPD_DFA_YES) != want[i])
            fail_msg("/%s/ on \"%s\": the library says %d", pattern, text[i], want[i]);
    }
    struct xpd_dfa *fresh = xpd_dfa_new(xpd_str_of(pattern));
    assert_non_null(fresh);
    struct xpd_dfa *used = any(2) ? dfa : fresh;
    plant(&tree, text[0], count, sizeof text[0]);
    struct xpd_arena arena = {0};
    bool done = xpd_dfa_tree(used, &tree.tree, &arena, tree.state);
    for (uint32_t i = 0; done && i < count; i++) {
        if (text[i][0] == '\0') { /* is not there, whatever the expression */
            assert_int_equal(tree.state[i], XPD_DFA_NO_TEXT);
            assert_false(is_found(&tree, used, i));
            continue;
        }
        assert_int_equal(is_found(&tree, used, i), want[i]);
        go_on(used, regex, text[i], tree.state[i]);
    }
    xpd_arena_fini(&arena);
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

static bool finds(const char *pattern, const char *text)
{
    struct xpd_dfa *dfa = xpd_dfa_new(xpd_str_of(pattern));
    assert_non_null(dfa);
    enum xpd_dfa_answer answer = xpd_dfa_test(dfa, xpd_str_of(text));
    xpd_dfa_free(dfa);
    assert_int_not_equal(answer, XPD_DFA_TOO_MANY);
    return answer == XPD_DFA_YES;
}

/* What they mean, worked out by hand: the library does not know digits. */
static void classes_and_edges_of_words(void **state)
{
    (void)state;
    assert_true(finds("^\\w+\\.\\d+$", "fusion_a.12"));
    assert_false(finds("^\\w+\\.\\d+$", "fusion-a.12"));
    assert_true(finds("\\D\\d{2}\\D", "a12b"));
    assert_false(finds("\\D\\d{2}\\D", "a123b"));
    assert_true(finds("\\S\\s\\S", "a b"));
    assert_false(finds("\\S\\s\\S", "a  b"));
    assert_true(finds("\\W", "\xe4"));
    assert_true(finds("\\bdot\\b", "jit(f)/DOT.3"));
    assert_false(finds("\\bdot\\b", "dot_general dots"));
    assert_true(finds("\\<add", "fused/add.7"));
    assert_false(finds("\\<add", "badd"));
    assert_true(finds("add\\>", "my_add"));
    assert_true(finds("add\\>", "add.1"));
    assert_false(finds("add\\>", "add1"));
    assert_true(finds("a\\Bb", "ab"));
    assert_false(finds("\\Ba", "a"));
    assert_true(finds("\\B", "--"));
    assert_false(finds("\\b", "--"));
    assert_false(finds("a\\bb", "ab"));
}

/* A match within what texts begin with holds for all of them. */
static void many_texts(void **state)
{
    (void)state;
    enum { COUNT = 3001 };
    static char text[COUNT][8];
    static struct tree tree;
    for (uint32_t i = 0; i < COUNT; i++)
        snprintf(text[i], sizeof text[i], "op.%u", i);
    plant(&tree, text[0], COUNT, sizeof text[0]);
    /* "", "o", "op", "op." and what numbers up to 3000 begin with: 1 to 9, 10 to 99, 100 to 300 */
    assert_int_equal(tree.tree.count, 1 + 3 + 300);
    struct xpd_arena arena = {0};
    struct xpd_dfa *dfa = xpd_dfa_new(XPD_STR("[03-5]5$|\\.2[12]"));
    assert_non_null(dfa);
    assert_true(xpd_dfa_tree(dfa, &tree.tree, &arena, tree.state));
    for (uint32_t i = 0; i < COUNT; i++) {
        const char *number = text[i] + 3;
        size_t size = strlen(number);
        bool ends = size > 1 && number[size - 1] == '5' && strchr("0345", number[size - 2]);
        bool begins = number[0] == '2' && (number[1] == '1' || number[1] == '2');
        assert_int_equal(is_found(&tree, dfa, i), ends || begins);
    }
    xpd_arena_fini(&arena);
    xpd_dfa_free(dfa);
}

/* "a/b", "a/c/7", ...: parts in any order, a text found exactly when its bytes are. */
static void texts_of_parts(void **state)
{
    (void)state;
    enum { COUNT = 400 };
    static const char *const words[] = {"jit(f)/", "dot_1/", "a/", "7", "b.12/", "/"};
    static const char *const patterns[] = {"7$",        "^a/b",     "\\<7\\>",
                                           "dot_\\d/a", "f\\)/.*b", "a/a|/7"};
    struct xpd_str text[6];
    uint32_t parent[COUNT] = {0}, part[COUNT] = {0};
    seed = UINT64_C(969899100096577773); /* its own, whatever the tests before took */
    static char whole[COUNT][512];
    for (size_t i = 0; i < 6; i++)
        text[i] = xpd_str_of(words[i]);
    for (uint32_t i = 1; i < COUNT; i++) {
        parent[i] = any(i < 60 ? i : 60);
        part[i] = any(6);
        snprintf(whole[i], sizeof whole[i], "%.400s%s", whole[parent[i]], words[part[i]]);
    }
    struct xpd_part_tree tree = {parent, part, COUNT, text, 6};
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
        struct xpd_arena arena = {0};
        uint8_t found[COUNT];
        uint32_t yes = 0;
        struct xpd_dfa *dfa = xpd_dfa_new(xpd_str_of(patterns[k]));
        assert_non_null(dfa);
        assert_true(xpd_dfa_parts(dfa, &tree, &arena, found));
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_int_equal(found[i], xpd_dfa_test(dfa, xpd_str_of(whole[i])) == XPD_DFA_YES);
            yes += found[i];
        }
        assert_true(yes > 0 && yes < COUNT);
        xpd_dfa_free(dfa);
        xpd_arena_fini(&arena);
    }
}

/* Its states double with each byte looked back. */
static void too_many_states_are_told(void **state)
{
    (void)state;
    static const char pattern[] = "a.{14}b";
    struct xpd_dfa *dfa = xpd_dfa_new(XPD_STR(pattern));
    assert_non_null(dfa);
    enum { COUNT = 8, SIZE = 1001 };
    static char text[COUNT][SIZE];
    static struct tree tree;
    for (uint32_t i = 0; i < COUNT * SIZE; i++)
        text[i / SIZE][i % SIZE] = i % SIZE == SIZE - 1 ? '\0' : any(2) ? 'a' : 'c';
    assert_int_equal(xpd_dfa_test(dfa, xpd_str_of(text[0])), XPD_DFA_TOO_MANY);
    plant(&tree, text[0], COUNT, SIZE);
    struct xpd_arena arena = {0};
    assert_false(xpd_dfa_tree(dfa, &tree.tree, &arena, tree.state));
    xpd_arena_fini(&arena);
    xpd_dfa_free(dfa);
}

static void what_is_not_plain_is_left_to_the_library(void **state)
{
    (void)state;
    static const char *const left[] = {
        "\\n", "a**",           "(a|)",   "[Z-_]",    "(^a)",    "a{0}", "[[.a.]]", "\xe4",
        "a$b", "((a{99}){99})", "x{500}", "[a-c-e]z", "(a){,2}", "\\b*", "a\\b+",   "(a\\b)*"};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        assert_null(xpd_dfa_new(xpd_str_of(left[i])));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(says_what_the_library_says),
                                       cmocka_unit_test(classes_and_edges_of_words),
                                       cmocka_unit_test(many_texts),
                                       cmocka_unit_test(texts_of_parts),
                                       cmocka_unit_test(too_many_states_are_told),
                                       cmocka_unit_test(what_is_not_plain_is_left_to_the_library)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
