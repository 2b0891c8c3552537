/* Labels of the strip, written down by hand from JAX's op names. */
#include "xprofd/memory/scopes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct expected {
    const char *op_name;
    const char *label[XPD_STRIP_DEPTH_MAX + 1]; /* by depth; NULL = as the one before */
};

static const struct expected expected[] = {
    {"jit(train_step)/transpose(jvp(block))/attention/dot_general",
     {"backward", "backward block", "backward block/attention"}},
    {"jit(train_step)/jvp(block)/attention/add",
     {"forward", "forward block", "forward block/attention"}},
    {"jit(f)/while/body/closed_call/mlp/dot_general", {"while", "while/mlp"}},
    {"jit(f)/vmap(jit(layer))/add", {"layer"}},
    {"jit(f)/a/b/c/d/e/f/g/h/add",
     {"a", "a/b", "a/b/c", "a/b/c/d", "a/b/c/d/e", "a/b/c/d/e/f", "a/b/c/d/e/f/g"}},
    {"jit(f)/jvp(a)/b/c/d/e/f/g/h/add",
     {"forward", "forward a", "forward a/b", "forward a/b/c", "forward a/b/c/d",
      "forward a/b/c/d/e", "forward a/b/c/d/e/f"}},
    {"jit(f)/rematted_computation/block/dot_general", {"backward", "backward block"}},
    {"add", {""}},
    {"params['w']", {""}},
};
#define COUNT (sizeof expected / sizeof *expected)

static void labels_of_paths(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    struct xpd_strip_labels labels;
    xpd_strip_labels_init(&labels, &arena);
    for (size_t i = 0; i < 2 * COUNT; i++) { /* the second time from what is known */
        const struct expected *want = &expected[i % COUNT];
        uint32_t number = xpd_strip_label_of(&labels, xpd_str_of(want->op_name));
        const char *text = "";
        assert_true(number < labels.label.count);
        for (uint32_t depth = 0; depth <= XPD_STRIP_DEPTH_MAX; depth++) {
            struct xpd_str got = xpd_intern_get(&labels.text, labels.label.at[number].text[depth]);
            text = want->label[depth] ? want->label[depth] : text;
            assert_int_equal(got.size, strlen(text));
            assert_memory_equal(got.data, text, got.size);
        }
    }
    assert_false(xpd_strip_labels_failed(&labels));
    xpd_strip_labels_fini(&labels);
    xpd_arena_fini(&arena);
}

/* Op names that differ in the operation alone have one number, and no op name has none. */
static void numbers(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    struct xpd_strip_labels labels;
    xpd_strip_labels_init(&labels, &arena);
    uint32_t add = xpd_strip_label_of(&labels, XPD_STR("jit(f)/jvp(a)/b/add"));
    uint32_t mul = xpd_strip_label_of(&labels, XPD_STR("jit(f)/jvp(a)/b/mul"));
    /* the same text of another path: a scope of that name at depth 0 */
    uint32_t odd = xpd_strip_label_of(&labels, XPD_STR("jit(f)/forward a/b/mul"));
    assert_int_equal(add, mul);
    assert_int_not_equal(add, odd);
    assert_int_equal(labels.label.at[add].text[2], labels.label.at[odd].text[2]);
    assert_int_equal(xpd_strip_label_of(&labels, XPD_STR("")), 0);
    xpd_strip_labels_fini(&labels);
    xpd_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_of_paths),
        cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
