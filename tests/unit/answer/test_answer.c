/* Answers that are described: JSON, CSV and the table for a terminal of one made-up record. */
#include "xprofd/answer/write.h"
#include "xprofd/base/map64.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define XPD_LEAF_FIELDS(FIELD)                                                                     \
    FIELD(NAME, name, "")                                                                          \
    FIELD(MAYBE(INT), self_ps, "")                                                                 \
    FIELD(MAYBE(SIGNED), drift_ns, "")                                                             \
    FIELD(MAYBE(INDEX), parent, "")                                                                \
    FIELD(MAYBE(REAL), busy_share, "")                                                             \
    FIELD(MAYBE(WORD("device host")), clock, "")                                                   \
    FIELD(BOOL, derived, "")                                                                       \
    FIELD(INT, moved_bytes, "")
XPD_RECORD(xpd_leaf, XPD_LEAF_FIELDS)

#define XPD_TREE_FIELDS(FIELD)                                                                     \
    FIELD(ID, program_id, "")                                                                      \
    FIELD(BIG, base_ps, "")                                                                        \
    FIELD(MAYBE(TEXT), reason, "")                                                                 \
    FIELD(MAYBE(OBJECT(xpd_leaf)), first, "")                                                      \
    FIELD(VALUES(INT), steps, "")                                                                  \
    FIELD(MAYBE(VALUES(STRING)), hosts, "")                                                        \
    FIELD(LIST(xpd_leaf), list, "")                                                                \
    FIELD(COLUMNS(xpd_leaf), leaves, "")
XPD_RECORD(xpd_tree, XPD_TREE_FIELDS)

#define XPD_PACE_FIELDS(FIELD)                                                                     \
    FIELD(MAYBE(REAL), flops_per_s, "")                                                            \
    FIELD(MAYBE(REAL), hbm_bytes_per_s, "")
XPD_RECORD(xpd_pace, XPD_PACE_FIELDS)

#define XPD_PACES_FIELDS(FIELD) FIELD(COLUMNS(xpd_pace), paces, "")
XPD_RECORD(xpd_paces, XPD_PACES_FIELDS)

static const struct xpd_leaf leaf[] = {
    {XPD_STR("a"), 1500000000, -3, 0, 0.25, "device", true, 3 << 20},
    {XPD_STR("b"), -1, XPD_UNKNOWN, XPD_NO_INDEX, -1, NULL, false, 1024},
    {XPD_STR("a"), 2000, 0, 1, NAN, "host", false, 0},
};
static const int64_t step[] = {7, 9};
static const struct xpd_tree tree = {
    .program_id = UINT64_MAX,
    .base_ps = INT64_C(9007199254740993),
    .first = &leaf[1],
    .steps = {step, 2},
    .list = {leaf, 1},
    .leaves = {leaf, 3},
};

static void holds(struct xpd_strbuf *text, const char *wanted)
{
    assert_string_equal(text->data, wanted);
    xpd_strbuf_fini(text);
}

static void json_has_every_kind(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    struct xpd_strbuf out = {0};
    xpd_answer_json(&out, xpd_tree_record(), &tree, &arena);
    holds(
        &out,
        "{\"program_id\":\"18446744073709551615\",\"base_ps\":\"9007199254740993\",\"reason\":null,"
        "\"first\":{\"name\":1,\"self_ps\":null,\"drift_ns\":null,\"parent\":null,\"busy_share\":"
        "null,"
        "\"clock\":null,\"derived\":false,\"moved_bytes\":1024},\"steps\":[7,9],\"hosts\":null,"
        "\"list\":[{\"name\":2,\"self_ps\":1500000000,\"drift_ns\":-3,\"parent\":0,\"busy_share\":"
        "0.25,"
        "\"clock\":\"device\",\"derived\":true,\"moved_bytes\":3145728}],"
        "\"leaves\":{\"n\":3,\"name\":[2,1,2],\"self_ps\":[1500000000,null,2000],"
        "\"drift_ns\":[-3,null,0],\"parent\":[0,null,1],\"busy_share\":[0.25,null,null],"
        "\"clock\":[\"device\",null,\"host\"],\"derived\":[true,false,false],"
        "\"moved_bytes\":[3145728,1024,0]},\"names\":[\"\",\"b\",\"a\"]}");
    xpd_arena_fini(&arena);
}

static void csv_is_the_table(void **state)
{
    (void)state;
    struct xpd_strbuf out = {0};
    xpd_answer_csv(&out, xpd_answer_table_of(xpd_tree_record(), &tree), &tree);
    holds(&out, "name,self_ps,drift_ns,parent,busy_share,clock,derived,moved_bytes\r\n"
                "a,1500000000,-3,0,0.25,device,true,3145728\r\n"
                "b,,,,,,false,1024\r\n"
                "a,2000,0,1,,host,false,0\r\n");
}

/* One unit a column; what is not zero never reads as zero, what is unknown is not a number. */
static void a_terminal_gets_units(void **state)
{
    (void)state;
    struct xpd_strbuf out = {0};
    xpd_answer_table(&out, xpd_record_table(xpd_tree_record(), "leaves"), &tree,
                     "self_ps moved_bytes busy_share drift_ns name");
    holds(&out, "self ms  moved MiB  busy %  drift ns  name\n"
                "  1.500        3.0    25.0        -3  a\n"
                "      -      < 0.1       -         -  b\n"
                "< 0.001        0.0       -         0  a\n");
}

/* Where all are zero or unknown there is nothing to measure in a unit. */
static void zeros_have_no_unit(void **state)
{
    (void)state;
    static const struct xpd_leaf plain[] = {{XPD_STR("b"), .self_ps = -1},
                                            {XPD_STR("c"), .self_ps = 0}};
    struct xpd_tree none = {.leaves = {.at = plain, .n = 2}};
    struct xpd_strbuf out = {0};
    xpd_answer_table(&out, xpd_record_table(xpd_tree_record(), "leaves"), &none, "self_ps name");
    holds(&out, "self  name\n"
                "   -  b\n"
                "   0  c\n");
}

static void a_terminal_gets_rates(void **state)
{
    (void)state;
    static const struct xpd_pace pace[] = {{1.5e12, -1}, {0, 29.4e9}};
    struct xpd_paces paces = {.paces = {.at = pace, .n = 2}};
    struct xpd_strbuf out = {0};
    xpd_answer_table(&out, xpd_record_table(xpd_paces_record(), "paces"), &paces,
                     "flops_per_s hbm_bytes_per_s");
    holds(&out, "TFLOP/s  hbm GB/s\n"
                "  1.500         -\n"
                "  0.000    29.400\n");
}

static void keys_know_their_unit(void **state)
{
    (void)state;
    assert_string_equal(xpd_key_unit("self_ps"), "ps");
    assert_string_equal(xpd_key_unit("flops_per_s"), "FLOP/s");
    assert_string_equal(xpd_key_unit("hbm_bytes_per_s"), "bytes/s");
    assert_string_equal(xpd_key_unit("bytes_per_s"), "bytes/s");
    assert_string_equal(xpd_key_unit("steps"), "");
    assert_int_equal(xpd_key_stem("hbm_bytes_per_s"), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_every_kind),   cmocka_unit_test(csv_is_the_table),
        cmocka_unit_test(a_terminal_gets_units), cmocka_unit_test(a_terminal_gets_rates),
        cmocka_unit_test(zeros_have_no_unit),    cmocka_unit_test(keys_know_their_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
