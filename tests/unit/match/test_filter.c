/* Filter expressions: what they let through, and where they cannot be read. */
#include "xprofd/match/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NAME, TIME, SHARE, KEYS };
static const struct xpd_filter_key keys[KEYS] = {
    {.name = "name", .is_text = true},
    {.name = "self", .unit = XPD_UNIT_TIME, .other = XPD_UNIT_SHARE},
    {.name = "roofline", .unit = XPD_UNIT_SHARE}};

struct row { /* of 1 s in all */
    const char *name;
    double self_ps, roofline;
};

static bool holds(const struct xpd_filter_term *term, void *self)
{
    const struct row *row = self;
    if (term->compare == XPD_FILTER_TEXT)
        return xpd_match_test(term->match, xpd_str_of(row->name)) != XPD_MATCH_NONE;
    double self_in = term->unit == XPD_UNIT_SHARE ? row->self_ps / 1e12 : row->self_ps;
    return xpd_filter_compares(term, term->key == TIME ? self_in : row->roofline);
}

static void passes(const char *typed, const char *name, double self_ps, double roofline,
                   bool wanted)
{
    struct xpd_arena arena = {0};
    struct xpd_filter filter;
    struct xpd_err err = {0};
    struct row row = {name, self_ps, roofline};
    int rc = xpd_filter_parse(&filter, &arena, xpd_str_of(typed), keys, KEYS, &err);
    if (rc != XPD_OK)
        fail_msg("%s: %s", typed, err.text);
    if (xpd_filter_test(&filter, holds, &row) != wanted)
        fail_msg("%s on %s", typed, name);
    xpd_filter_fini(&filter);
    xpd_arena_fini(&arena);
}

static void refused(const char *typed, const char *says)
{
    struct xpd_arena arena = {0};
    struct xpd_filter filter;
    struct xpd_err err = {0};
    int rc = xpd_filter_parse(&filter, &arena, xpd_str_of(typed), keys, KEYS, &err);
    assert_int_equal(rc, XPD_EINVAL);
    if (!strstr(err.text, says))
        fail_msg("%s: %s", typed, err.text);
    xpd_filter_fini(&filter);
    xpd_arena_fini(&arena);
}

static void texts(void **state)
{
    (void)state;
    passes("", "dot.1", 1, 0, true);
    passes("  ", "dot.1", 1, 0, true);
    passes("DOT", "dot.1", 1, 0, true);
    passes("dot copy", "dot.1", 1, 0, false);
    passes("dot copy", "copy-dot", 1, 0, true);
    passes("copy | dot", "dot.1", 1, 0, true);
    passes("copy|dot", "dot.1", 1, 0, true);
    passes("-copy", "dot.1", 1, 0, true);
    passes("-copy", "copy-done", 1, 0, false);
    passes("--copy", "copy-done", 1, 0, true);
    passes("copy-done", "copy-done", 1, 0, true);
    passes("/^dot\\.[0-9]$/", "dot.1", 1, 0, true);
    passes("name:/^(a b)/", "a b c", 1, 0, true);
    passes("\"a b\"", "xa b", 1, 0, true);
    passes("\"a b\"", "a  b", 1, 0, false);
    passes("name:\"a:b\"", "a:b", 1, 0, true);
}

static void numbers(void **state)
{
    (void)state;
    passes("self>10us", "a", 10e6, 0, false);
    passes("self>=10us", "a", 10e6, 0, true);
    passes("self>9.5us", "a", 10e6, 0, true);
    passes("self>1%", "a", 2e10, 0, true);
    passes("self<1%", "a", 2e10, 0, false);
    passes("self>5", "a", 6, 0, true); /* ps */
    passes("roofline<50", "a", 1, 0.4, true);
    passes("roofline<50%", "a", 1, 0.6, false);
    passes("-roofline<50", "a", 1, 0.6, true);
    passes("self=1e3", "a", 1000, 0, true);
    /* and binds closer than or */
    passes("a self>1s | b", "b", 1, 0, true);
    passes("a self>1s | b", "a", 1, 0, false);
}

static void what_cannot_be_read(void **state)
{
    (void)state;
    refused("slef>1", "Column 1 of the filter: there is no such key; the keys are name, self");
    refused("dot what:x", "Column 5 ");
    refused("self:5", "Column 5 of the filter: this key is a number");
    refused("name>5", "Column 5 of the filter: this key is a text");
    refused("self>", "Column 6 of the filter: a number is missing");
    refused("self>abc", "Column 6 of the filter: a number is missing");
    refused("self>5 | ", "nothing comes after the last |");
    refused("| a", "Column 1 of the filter: nothing comes before this |");
    refused("self>5MiB", "Column 7 of the filter: this unit does not fit that key");
    refused("roofline>5us", "this unit does not fit that key");
    refused("\"open", "this quote is not closed");
    refused("a /open", "Column 3 of the filter: this expression has no closing slash");
    refused("name:", "Column 6 of the filter: a text is missing");
    refused("a -", "Column 4 of the filter: a text is missing");
    refused("self>1.2.3", "a number is missing");
    char many[4 * XPD_FILTER_TERMS_MAX + 8] = "";
    for (int i = 0; i <= XPD_FILTER_TERMS_MAX; i++)
        strcat(many, "ab ");
    refused(many, "more than 64 terms");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts), cmocka_unit_test(numbers),
                                       cmocka_unit_test(what_cannot_be_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
