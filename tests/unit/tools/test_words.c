/* The small parts: CSV cells, scopes, natural order of names in the table.
 */
#include "tool_call.h"

#include "tools/common/common.h"
#include "xprofd/memory/scopes.h"

static void cell_is(const char *text, const char *expected)
{
    struct xpd_strbuf out = {0};
    struct xpd_csv csv;
    xpd_csv_init(&csv, &out);
    xpd_csv_text(&csv, text);
    assert_string_equal(out.data ? out.data : "", expected);
    xpd_strbuf_fini(&out);
}

static void csv_quotes_and_disarms(void **state)
{
    (void)state;
    cell_is("fusion.1", "fusion.1");
    cell_is("f32[8,16]", "\"f32[8,16]\"");
    cell_is("say \"x\"", "\"say \"\"x\"\"\"");
    cell_is("two\nlines", "\"two\nlines\"");
    cell_is("=1+2", "'=1+2");
    cell_is("+x", "'+x");
    cell_is("-x", "'-x");
    cell_is("@x", "'@x");
    cell_is("\tx", "'\tx");
    cell_is("=a,b", "\"'=a,b\"");
    cell_is(" x", "\" x\"");
    cell_is("", "");
    cell_is(NULL, "");
}

static void csv_rows(void **state)
{
    (void)state;
    struct xpd_strbuf out = {0};
    struct xpd_csv csv;
    xpd_csv_init(&csv, &out);
    xpd_csv_header(&csv, "name,size");
    xpd_csv_str(&csv, (struct xpd_str){"a\0b", 3});
    xpd_csv_i64(&csv, -5); /* a number stays a number */
    xpd_csv_end_row(&csv);
    xpd_csv_empty(&csv);
    xpd_csv_u64(&csv, UINT64_MAX);
    xpd_csv_end_row(&csv);
    assert_string_equal(out.data, "name,size\r\na b,-5\r\n,18446744073709551615\r\n");
    xpd_strbuf_fini(&out);
}

static void scope_is(const char *op_name, const char *phase, const char *scope)
{
    struct xpd_str rest = xpd_scope_path(xpd_str_of(op_name));
    assert_string_equal(xpd_mem_phase(xpd_str_of(op_name)), phase);
    assert_int_equal(rest.size, strlen(scope));
    assert_memory_equal(rest.data, scope, rest.size);
}

static void scopes(void **state)
{
    (void)state;
    scope_is("jit(train_step)/jvp(block)/attention/sub", "forward", "jvp(block)/attention/sub");
    scope_is("jit(f)/transpose(jvp(loss))/mul", "backward", "transpose(jvp(loss))/mul");
    scope_is("jit(f)/jit(main)/add", "", "add");
    scope_is("checkpoint/rematted_computation/block/mul", "backward",
             "checkpoint/rematted_computation/block/mul");
    scope_is("jit(f)", "", "jit(f)");
    scope_is("jit(f)/", "", "jit(f)/");
    scope_is("", "", "");
    scope_is("reduce_sum", "", "reduce_sum");
}

static void plain_is(const char *op_name, enum xpd_phase phase, const char *plain)
{
    struct xpd_strbuf out = {0};
    xpd_scope_plain(&out, xpd_str_of(op_name));
    assert_int_equal(out.size, strlen(plain));
    if (out.size > 0)
        assert_memory_equal(out.data, plain, out.size);
    assert_int_equal(xpd_scope_phase(xpd_str_of(op_name)), phase);
    xpd_strbuf_fini(&out);
}

/* The passes of a layer are in one scope. */
static void scopes_without_marks(void **state)
{
    (void)state;
    plain_is("jit(f)/jvp(block_1)/attention/sub", XPD_PHASE_FORWARD, "block_1/attention");
    plain_is("jit(f)/transpose(jvp(block_1))/attention/mul", XPD_PHASE_BACKWARD,
             "block_1/attention");
    plain_is("jit(f)/transpose(jvp(block_1))/checkpoint/rematted_computation/attention/mul",
             XPD_PHASE_RECOMPUTE, "block_1/attention");
    plain_is("jit(f)/transpose(jvp(block_1))/jvp(block_1)/checkpoint/attention/mul",
             XPD_PHASE_BACKWARD, "block_1/attention");
    plain_is("jit(f)/block/block/jvp(a)/jvp(a)/a/mul", XPD_PHASE_FORWARD, "block/block/a");
    plain_is("jit(f)/jvp()/mul", XPD_PHASE_FORWARD, "");
    plain_is("jit(f)/jit(main)/layer/add", XPD_PHASE_NONE, "layer");
    plain_is("transpose", XPD_PHASE_NONE, "");
    plain_is("a/transpose", XPD_PHASE_NONE, "a");
    plain_is("transpose(jvp(a/b", XPD_PHASE_BACKWARD, "");
    plain_is("", XPD_PHASE_NONE, "");
}

static void parts_of_a_path(void **state)
{
    (void)state;
    struct xpd_str rest = XPD_STR("/a//jvp(b/c)/d)/"), part;
    const char *const expected[] = {"a", "jvp(b/c)", "d)"};
    for (size_t i = 0; i < 3; i++) {
        assert_true(xpd_scope_next_part(&rest, &part));
        assert_int_equal(part.size, strlen(expected[i]));
        assert_memory_equal(part.data, expected[i], part.size);
    }
    assert_false(xpd_scope_next_part(&rest, &part));
    rest = XPD_STR("(((never/closed");
    assert_true(xpd_scope_next_part(&rest, &part));
    assert_false(xpd_scope_next_part(&rest, &part));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_quotes_and_disarms),
        cmocka_unit_test(csv_rows),
        cmocka_unit_test(scopes),
        cmocka_unit_test(scopes_without_marks),
        cmocka_unit_test(parts_of_a_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
