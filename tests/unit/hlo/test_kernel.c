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
    assert_non_null(strstr(out.data, "\n\"d.m\"() ({\n  %0 = \"d.f\"() : () -> !?\n"
                                     "  \"d.g\"(%0) : (!?) -> ()\n}) : () -> ()\n"));
    assert_non_null(strstr(out.data, "// 2 attributes or types are not known here"));
    assert_non_null(strstr(out.data, "// Strings (4):\n//   d\n//   f\n//   g\n//   m\n"));
    xpd_strbuf_fini(&out);
    xpd_arena_fini(&arena);
}

/* ---- attributes and types by hand ---- */

struct code { /* bytecode in the making */
    uint8_t at[2048];
    size_t size;
};

static void byte(struct code *c, unsigned value)
{
    assert_true(c->size < sizeof c->at);
    c->at[c->size++] = (uint8_t)value;
}

static struct code all_kinds; /* what attributes_and_types makes */

/* MLIR's variable length: the zero bits at the low end count the bytes that follow. */
static void number(struct code *c, uint64_t value)
{
    unsigned bytes = 1;
    while (bytes < 9 && value >> (7 * bytes))
        bytes++;
    if (bytes == 9)
        byte(c, 0);
    else
        value = value << bytes | UINT64_C(1) << (bytes - 1);
    for (unsigned i = 0; i < (bytes == 9 ? 8 : bytes); i++)
        byte(c, (unsigned)(value >> (8 * i)) & 255);
}

static void zigzag(struct code *c, int64_t value)
{
    number(c, (uint64_t)value << 1 ^ (uint64_t)(value < 0 ? -1 : 0));
}

static void section(struct code *c, unsigned id, const struct code *content)
{
    byte(c, id);
    number(c, content->size);
    for (size_t i = 0; i < content->size; i++)
        byte(c, content->at[i]);
}

/* Attributes and types: what an entry begins with, then its parts. */
struct entries {
    struct code bytes, offsets, one;
    uint32_t count;
};

static void entry(struct entries *all, bool encoded)
{
    number(&all->offsets, all->one.size << 1 | (encoded ? 1 : 0));
    for (size_t i = 0; i < all->one.size; i++)
        byte(&all->bytes, all->one.at[i]);
    all->one.size = 0;
    all->count++;
}

/* An encoded one of up to four numbers. */
static uint32_t plain(struct entries *all, uint32_t count, ...)
{
    va_list parts;
    va_start(parts, count);
    for (uint32_t i = 0; i < count; i++)
        number(&all->one, (uint64_t)va_arg(parts, int));
    va_end(parts);
    entry(all, true);
    return all->count - 1;
}

static uint32_t valued(struct entries *all, int code, int type, int64_t value)
{
    number(&all->one, (uint64_t)code);
    number(&all->one, (uint64_t)type);
    zigzag(&all->one, value);
    entry(all, true);
    return all->count - 1;
}

/* Up to 8 bits: the byte itself. */
static uint32_t small(struct entries *all, int type, unsigned value)
{
    number(&all->one, 8);
    number(&all->one, (uint64_t)type);
    byte(&all->one, value);
    entry(all, true);
    return all->count - 1;
}

static uint32_t dense(struct entries *all, int code, int type, int count, const char *bytes,
                      size_t size)
{
    number(&all->one, (uint64_t)code);
    number(&all->one, (uint64_t)type);
    if (count >= 0)
        number(&all->one, (uint64_t)count);
    number(&all->one, size);
    for (size_t i = 0; i < size; i++)
        byte(&all->one, (uint8_t)bytes[i]);
    entry(all, true);
    return all->count - 1;
}

enum { I32, I64, I1, I8, F32, F64, BF16, U8, T2, V3, INDEX, MEMREF, FUNCTION, TYPES };

static void put_types(struct entries *t)
{
    plain(t, 2, 0, 32 << 2);
    plain(t, 2, 0, 64 << 2);
    plain(t, 2, 0, 1 << 2);
    plain(t, 2, 0, 8 << 2);
    plain(t, 1, 5);
    plain(t, 1, 6);
    plain(t, 1, 3);
    plain(t, 2, 0, 8 << 2 | 2);
    plain(t, 4, 13, 1, 2 << 1, I32); /* tensor<2xi32> */
    plain(t, 4, 19, 1, 3 << 1, F32); /* vector<3xf32> */
    plain(t, 1, 1);
    number(&t->one, 10); /* memref<?x4xf32>, of the layout that is attribute 0 */
    number(&t->one, 2);
    zigzag(&t->one, INT64_MIN);
    zigzag(&t->one, 4);
    number(&t->one, F32);
    number(&t->one, 0);
    entry(t, true);
    plain(t, 5, 2, 1, I32, 1, F32); /* (i32) -> f32 */
}

/* What MLIR prints for each, by its rules (AsmPrinter, APFloat), worked out by hand. */
static void attributes_and_types(void **state)
{
    static const char *const names[] = {
        "builtin", "module", "n\"\\\n", "a", "b", "c", "d", "e", "f", "g", "h", "i",   "j", "k",
        "l",       "m",      "n",       "o", "p", "q", "r", "s", "t", "u", "v", "w w", "x", "tpu"};
    enum { NAMES = sizeof names / sizeof *names, FIRST = 3 };
    static const char identity[] = "affine_map<(d0, d1) -> (d0, d1)>", text[] = "#tpu.kind<a>";
    static struct entries a, t;
    static struct code dialects, offsets, in, ir, strings;
    struct code *all = &all_kinds;
    uint32_t value[24], n = 0, dictionary, name[24];
    struct xpd_arena arena = {0};
    struct xpd_strbuf out = {0};
    struct xpd_err err = {0};
    (void)state;
    put_types(&t);
    memcpy(a.one.at, identity, sizeof identity);
    a.one.size = sizeof identity;
    entry(&a, false);
    value[n++] = valued(&a, 8, I32, -5);
    value[n++] = small(&a, I1, 1);
    value[n++] = small(&a, I8, 255);
    value[n++] = small(&a, U8, 255);
    value[n++] = valued(&a, 9, F32, 0x3fc00000);         /* 1.5 */
    value[n++] = valued(&a, 9, F32, 0x3eaaaaab);         /* 1/3 */
    value[n++] = valued(&a, 9, F32, 0x7fc00000);         /* nan */
    value[n++] = valued(&a, 9, F32, 0x4b800001);         /* 16777218 */
    value[n++] = valued(&a, 9, F64, 0x3fb999999999999a); /* 0.1 */
    value[n++] = valued(&a, 9, BF16, 0x3dcd);            /* 0.10009765625 */
    value[n++] = valued(&a, 9, BF16, 0xc000);            /* -2 */
    uint32_t five = valued(&a, 8, I64, 5);
    value[n++] = plain(&a, 4, 0, 2, (int)five, (int)value[0]); /* [5, -5 : i32] */
    value[n++] = five;
    value[n++] = plain(&a, 2, 2, 2); /* the string n"\ and a line break */
    value[n++] = plain(&a, 1, 7);
    uint32_t symbol = plain(&a, 2, 2, 3);
    value[n++] = plain(&a, 2, 4, (int)symbol);
    value[n++] = dense(&a, 17, I1, 2, "\1\0", 2);
    value[n++] = dense(&a, 17, I32, 0, "", 0);
    value[n++] = dense(&a, 18, T2, -1, "\1\0\0\0\xfe\xff\xff\xff", 8);
    value[n++] = dense(&a, 18, V3, -1, "\0\0\x80\x3f", 4);
    value[n++] = plain(&a, 2, 6, FUNCTION);
    value[n++] = plain(&a, 2, 6, MEMREF);
    value[n++] = valued(&a, 8, INDEX, 7);
    memcpy(a.one.at, text, sizeof text);
    a.one.size = sizeof text;
    entry(&a, false);
    value[n++] = a.count - 1;
    assert_int_equal(n, 24);
    for (uint32_t i = 0; i < n; i++)
        name[i] = plain(&a, 2, 2, FIRST + (int)i);
    number(&a.one, 1);
    number(&a.one, n);
    for (uint32_t i = 0; i < n; i++) {
        number(&a.one, name[i]);
        number(&a.one, value[i]);
    }
    entry(&a, true);
    dictionary = a.count - 1;

    number(&dialects, 1); /* "builtin" with the operation "module" */
    number(&dialects, 0);
    number(&dialects, 0);
    number(&dialects, 1);
    number(&dialects, 1);
    number(&offsets, a.count);
    number(&offsets, t.count);
    number(&offsets, 0); /* of dialect 0, so many */
    number(&offsets, a.count);
    memcpy(offsets.at + offsets.size, a.offsets.at, a.offsets.size);
    offsets.size += a.offsets.size;
    number(&offsets, 0);
    number(&offsets, t.count);
    memcpy(offsets.at + offsets.size, t.offsets.at, t.offsets.size);
    offsets.size += t.offsets.size;
    memcpy(in.at, a.bytes.at, a.bytes.size);
    memcpy(in.at + a.bytes.size, t.bytes.at, t.bytes.size);
    in.size = a.bytes.size + t.bytes.size;
    number(&ir, 1 << 1); /* one operation, no arguments */
    number(&ir, 0);      /* module */
    byte(&ir, 1);        /* has attributes */
    number(&ir, 0);
    number(&ir, dictionary);
    number(&strings, NAMES);
    for (int i = NAMES - 1; i >= 0; i--)
        number(&strings, strlen(names[i]) + 1);
    for (int i = 0; i < NAMES; i++)
        for (size_t k = 0; k <= strlen(names[i]); k++)
            byte(&strings, (uint8_t)names[i][k]);
    memcpy(all->at, "ML\xEFR\1me", 8);
    all->size = 8;
    section(all, 1, &dialects);
    section(all, 3, &offsets);
    section(all, 2, &in);
    section(all, 4, &ir);
    section(all, 0, &strings);
    assert_int_equal(
        xpd_kernel_text(&out, &arena, (struct xpd_str){(const char *)all->at, all->size}, &err), 0);
    assert_string_equal(
        out.data,
        "module attributes {a = -5 : i32, b = true, c = -1 : i8, d = 255 : ui8, "
        "e = 1.500000e+00 : f32, f = 0.333333343 : f32, g = 0x7FC00000 : f32, "
        "h = 0x4B800001 : f32, i = 1.000000e-01 : f64, j = 1.000980e-01 : bf16, "
        "k = -2.000000e+00 : bf16, l = [5, -5 : i32], m = 5 : i64, n = \"n\\22\\\\\\0A\", o, "
        "p = @a, q = array<i1: true, false>, r = array<i32>, s = dense<[1, -2]> : tensor<2xi32>, "
        "t = dense<1.000000e+00> : vector<3xf32>, u = (i32) -> f32, v = memref<?x4xf32>, "
        "\"w w\" = 7 : index, x = #tpu.kind<a>}");
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
    assert_true(out.size < 8192 + 200 * bytes.size);
    xpd_strbuf_fini(&out);
    xpd_arena_fini(&arena);
}

/* The first `size` bytes, and these with each bit turned around in turn. */
static void turned_around(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size + 1); /* of just that size: sanitizers see what is behind */
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    survives((struct xpd_str){(const char *)copy, size});
    for (size_t at = 0; at < size; at++)
        for (int bit = 0; bit < 8; bit++) {
            copy[at] = (uint8_t)(bytes[at] ^ 1 << bit);
            survives((struct xpd_str){(const char *)copy, size});
            copy[at] = bytes[at];
        }
    free(copy);
}

static void cut_and_turned_around(void **state)
{
    (void)state;
    for (size_t size = 0; size <= sizeof by_hand; size++)
        turned_around(by_hand, size);
    turned_around(all_kinds.at, all_kinds.size);
    assert_true(all_kinds.size > 300);
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

/* Of the first custom call with a kernel in the set's first module. */
static void as_xprof(const char *set, const char *name, const char *recorded)
{
    char path[1200], file[1200];
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
                (void)xpd_kernel_bytes(&bytes, &arena, xpd_hlo_config(printer, i, 0), &err);
        xpd_hlo_printer_free(printer);
        xpd_hlo_free(hlo);
    }
    assert_true(bytes.size > 0);
    assert_int_equal(xpd_kernel_text(&out, &arena, bytes, &err), XPD_OK);
    snprintf(file, sizeof file, "%s/data/%s/xprof/%s", shared_dir(), set, recorded);
    char *text = shared_read(file, &size);
    assert_non_null(text);
    assert_int_equal(out.size, size);
    assert_memory_equal(out.data, text, size);
    print_message("%s: %zu bytes as XProf prints them\n", set, size);
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
        cmocka_unit_test(attributes_and_types),
        cmocka_unit_test(cut_and_turned_around),
        cmocka_unit_test(what_is_no_kernel_is_refused),
        cmocka_unit_test(real_kernels_as_xprof_prints_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
