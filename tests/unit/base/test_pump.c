/* A writer that pushes, read in pieces: all of it in order, its failure behind it, a reader that
 * goes.
 */
#include "xprofd/base/pump.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PIECES = 3000, PIECE = 4096 }; /* 12 MB: more than is written ahead */

struct writing {
    int end_with;
    _Atomic int pushed;
    bool refused;
};

static int write_numbers(void *self, struct xpd_pump *pump, struct xpd_err *err)
{
    struct writing *writing = self;
    struct xpd_strbuf piece = {0};
    for (int i = 0; i < PIECES && !writing->refused; i++) {
        for (int k = 0; k < PIECE / 8; k++)
            xpd_strbuf_printf(&piece, "%08d", i);
        writing->refused = !xpd_pump_push(pump, &piece);
        writing->pushed++;
    }
    xpd_strbuf_fini(&piece);
    return writing->end_with == XPD_OK
               ? XPD_OK
               : xpd_fail(err, writing->end_with, "w", XPD_NO_OFFSET, "gone");
}

static void in_order(void **state)
{
    (void)state;
    struct writing writing = {0};
    struct xpd_pump *pump;
    struct xpd_strbuf out = {0};
    size_t before, most = 0;
    assert_int_equal(xpd_pump_start(&pump, write_numbers, &writing, NULL), XPD_OK);
    do {
        before = out.size;
        assert_int_equal(xpd_pump_next(pump, &out, NULL), XPD_OK);
        most = out.size - before > most ? out.size - before : most;
    } while (out.size > before);
    xpd_pump_close(pump);
    assert_int_equal(out.size, (size_t)PIECES * PIECE);
    assert_true(most <= XPD_PUMP_BYTES + PIECE);
    for (int i = 0; i < PIECES; i++) {
        char number[9];
        snprintf(number, sizeof number, "%08d", i);
        assert_memory_equal(out.data + (size_t)i * PIECE, number, 8);
        assert_memory_equal(out.data + (size_t)(i + 1) * PIECE - 8, number, 8);
    }
    xpd_strbuf_fini(&out);
}

static void failure_behind(void **state)
{
    (void)state;
    struct writing writing = {.end_with = XPD_ECHANGED};
    struct xpd_pump *pump;
    struct xpd_strbuf out = {0};
    struct xpd_err err = {0};
    int rc;
    assert_int_equal(xpd_pump_start(&pump, write_numbers, &writing, NULL), XPD_OK);
    while ((rc = xpd_pump_next(pump, &out, &err)) == XPD_OK)
        assert_true(out.size <= (size_t)PIECES * PIECE);
    assert_int_equal(rc, XPD_ECHANGED);
    assert_string_equal(err.text, "gone");
    assert_int_equal(out.size, (size_t)PIECES * PIECE);
    xpd_pump_close(pump);
    xpd_strbuf_fini(&out);
}

/* The writer is told and does not wait. */
static void reader_goes(void **state)
{
    (void)state;
    struct writing writing = {0};
    struct xpd_pump *pump;
    struct xpd_strbuf out = {0};
    assert_int_equal(xpd_pump_start(&pump, write_numbers, &writing, NULL), XPD_OK);
    assert_int_equal(xpd_pump_next(pump, &out, NULL), XPD_OK);
    xpd_pump_close(pump);
    assert_true(writing.refused);
    assert_true(writing.pushed < PIECES);
    xpd_pump_close(NULL);
    xpd_strbuf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_order), cmocka_unit_test(failure_behind),
                                       cmocka_unit_test(reader_goes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
