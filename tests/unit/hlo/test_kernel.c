/* Kernel bodies: MLIR bytecode made by hand, XProf's own text of real ones, and every way to cut
 * them. */
#include "xprofd/hlo/kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../support/xspace_hlo.h"
#include "xprofd/hlo/print.h"

/* Version 0 by hand: strings d, f, g, m; dialect d with the operations f, g, m; m has a region,
 * which sees nothing around it, with %0 = d.f() and d.g(%0). Numbers n are written as 2n + 1. */
static const uint8_t by_hand[] = {
    'M', 'L',        0xEF, 'R', 1, 'm', 'e', 0,      /* version 0, by "me" */
    1,   2 * 7 + 1,  3,    1,   1, 7,   3,   5,   7, /* dialects: 1, string 0; of it 3: strings 1,
                                                        2, 3 */
    4,   2 * 18 + 1, 5,            /* code: a block of 1 operation, no arguments */
    5,   16,         1,    7,      /* m: has regions, location 0, 1 that is isolated */
    3,   3,          9,            /* 1 block, 1 value, 2 operations */
    1,   2,          1,    3,   1, /* f: has results, location 0, 1 of type 0 */
    3,   4,          1,    3,   1, /* g: has operands, location 0, 1: value 0 */
    0,   2 * 13 + 1, 9,    5,   5, 5,   5,   'd', 0, 'f',
    0,   'g',        0,    'm', 0 /* strings, sizes from the last */
};

static void the_operations_of_bytes_by_hand(void **state)
{
    struct xpd_arena arena = {0};
    struct xpd_strbuf out = {0};
    struct xpd_err err = {0};
    (void)state;
    assert_int_equal(xpd_kernel_text(&out, &arena,
                                     (struct xpd_str){(const char *)by_hand, sizeof by_hand}, &err),
                     XPD_OK);
    assert_non_null(strstr(out.data, "version 0 by me, "));
    assert_non_null(
        strstr(out.data, "\n  \"d.m\"() ({\n    %0 = \"d.f\"()\n    \"d.g\"(%0)\n  })\n"));
    assert_non_null(strstr(out.data, "Not decoded: attributes, types, locations."));
    assert_non_null(strstr(out.data, "// Strings (4):\n//   d\n//   f\n//   g\n//   m\n"));
    xpd_strbuf_fini(&out);
    xpd_arena_fini(&arena);
}

/* Whatever is cut off or turned around: an answer or an error, never more text than the bytes
 * warrant. */
static void survives(struct xpd_str bytes)
{
    struct xpd_arena arena = {0};
    struct xpd_strbuf out = {0};
    struct xpd_err err = {0};
    int rc = xpd_kernel_text(&out, &arena, bytes, &err);
    assert_true(rc == XPD_OK || (rc == XPD_EFORMAT && err.text[0]));
    assert_true(out.size < 4096 + 200 * bytes.size);
    xpd_strbuf_fini(&out);
    xpd_arena_fini(&arena);
}

static void cut_and_turned_around(void **state)
{
    (void)state;
    for (size_t size = 0; size <= sizeof by_hand; size++) {
        uint8_t *copy = malloc(size + 1); /* of just that size: sanitizers see what is behind */
        assert_non_null(copy);
        memcpy(copy, by_hand, size);
        survives((struct xpd_str){(const char *)copy, size});
        for (size_t at = 0; at < size; at++)
            for (int bit = 0; bit < 8; bit++) {
                copy[at] = (uint8_t)(by_hand[at] ^ 1 << bit);
                survives((struct xpd_str){(const char *)copy, size});
                copy[at] = by_hand[at];
            }
        free(copy);
    }
}

static void what_is_no_kernel_is_refused(void **state)
{
    struct xpd_arena arena = {0};
    struct xpd_str bytes;
    struct xpd_err err = {0};
    (void)state;
    assert_int_equal(xpd_kernel_bytes(&bytes, &arena, XPD_STR("{}"), &err), XPD_ENOTFOUND);
    assert_string_equal(err.text, "Custom call config not found");
    err = (struct xpd_err){0};
    assert_int_equal(xpd_kernel_bytes(&bytes, &arena,
                                      XPD_STR("{\"custom_call_config\":{\"body\":\"a!b\"}}"), &err),
                     XPD_EFORMAT);
    assert_int_equal(xpd_kernel_bytes(&bytes, &arena,
                                      XPD_STR("{\"custom_call_config\":{\"body\":\"TUzvUg==\"}}"),
                                      &err),
                     XPD_OK);
    assert_int_equal(bytes.size, 4);
    assert_memory_equal(bytes.data, "ML\xEFR", 4);
    xpd_arena_fini(&arena);
}

/* ---- XProf's text of the same kernel ---- */

/* `%1 = "op"(%a, %b)` of each line that has an operation, without blanks around, attributes and
 * types. */
static size_t next_operation(const char **text, char *out, size_t size)
{
    for (const char *line = *text; *line; line = *text) {
        const char *end = strchr(line, '\n');
        *text = end ? end + 1 : line + strlen(line);
        line += strspn(line, " ");
        const char *quote = strstr(line, "\"("), *close = quote ? strchr(quote, ')') : NULL;
        if ((*line != '%' && *line != '"') || !close || (end && close > end))
            continue;
        if (quote[2] == '{') /* no operands: the region begins at once */
            close = quote + 1;
        size_t n = (size_t)(close - line) + 1 < size ? (size_t)(close - line) + 1 : size - 1;
        memcpy(out, line, n);
        out[n] = '\0';
        if (strncmp(line, "\"builtin.module", 15) != 0)
            return n;
    }
    return 0;
}

/* Of the first custom call with a kernel in the set's first module. */
static void as_xprof(const char *set, const char *name, const char *recorded)
{
    char path[1200], file[1200], want[512], got[512];
    struct xspace_hlos hlos = {0};
    struct xpd_arena arena = {0};
    struct xpd_strbuf out = {0};
    struct xpd_err err = {0};
    struct xpd_hlo *hlo = NULL;
    struct xpd_hlo_printer *printer = NULL;
    struct xpd_str bytes = XPD_STR("");
    size_t size;
    if (!shared_xplane(set, path, sizeof path))
        skip();
    assert_true(xspace_hlos_load(&hlos, path));
    for (size_t k = 0; k < hlos.count && bytes.size == 0; k++) {
        assert_int_equal(xpd_hlo_load(&hlo, hlos.at[k].bytes, hlos.at[k].size, 0, "x", NULL, &err),
                         0);
        assert_int_equal(
            xpd_hlo_printer_new(&printer, hlo, hlos.at[k].bytes, hlos.at[k].size, &err), 0);
        for (uint32_t i = 0; i < hlo->instructions.count && bytes.size == 0; i++)
            if (xpd_str_eq(xpd_hlo_text(hlo, hlo->instructions.name[i]), xpd_str_of(name)))
                (void)xpd_kernel_bytes(&bytes, &arena, xpd_hlo_config(printer, i), &err);
        xpd_hlo_printer_free(printer);
        xpd_hlo_free(hlo);
    }
    assert_true(bytes.size > 0);
    assert_int_equal(xpd_kernel_text(&out, &arena, bytes, &err), XPD_OK);
    snprintf(file, sizeof file, "%s/data/%s/xprof/%s", shared_dir(), set, recorded);
    char *text = shared_read(file, &size);
    assert_non_null(text);
    const char *theirs = text, *ours = out.data;
    size_t operations = 0;
    while (next_operation(&theirs, want, sizeof want)) {
        assert_true(next_operation(&ours, got, sizeof got) > 0);
        assert_string_equal(got, want);
        operations++;
    }
    assert_int_equal(next_operation(&ours, got, sizeof got), 0);
    print_message("%s: %zu operations as XProf prints them\n", set, operations);
    assert_true(operations > 5);
    free(text);
    xpd_strbuf_fini(&out);
    xpd_arena_fini(&arena);
    xspace_hlos_free(&hlos);
}

static void real_kernels_as_xprof_prints_them(void **state)
{
    (void)state;
    as_xprof("tpu_vmem_oom", "too_big.1",
             "aot/modules/jit_too_big_1333045083711307960/graph/form.custom_call_of_other.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_operations_of_bytes_by_hand),
        cmocka_unit_test(cut_and_turned_around),
        cmocka_unit_test(what_is_no_kernel_is_refused),
        cmocka_unit_test(real_kernels_as_xprof_prints_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
