/* The directory read with a second thread ahead is the one that one thread reads: of a whole file,
 * of one cut anywhere, and of one with bytes that make no sense. */
#include "profile_test.h"

#include "xspace_gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { EVENTS = 1200000, CUTS = 12, WRONG = 12 };

static void same_plane(const struct xpd_xspace *x, const struct xpd_xspace *y, uint32_t p)
{
    const struct xpd_plane *a = &x->plane[p], *b = &y->plane[p];
    assert_int_equal(a->event_count, b->event_count);
    assert_int_equal(a->line_count, b->line_count);
    assert_int_equal(a->range.offset, b->range.offset);
    assert_int_equal(a->range.size, b->range.size);
    assert_true(pt_is(y, b->name, xpd_intern_get(&x->names, a->name).data));
    for (uint32_t l = 0; l < a->line_count; l++) {
        const struct xpd_line *i = &a->line[l], *k = &b->line[l];
        assert_int_equal(i->event_count, k->event_count);
        assert_int_equal(i->range.offset, k->range.offset);
        assert_int_equal(i->range.size, k->range.size);
        assert_int_equal(i->id, k->id);
        assert_int_equal(i->cut, k->cut);
        assert_true(pt_is(y, k->name, xpd_intern_get(&x->names, i->name).data));
    }
}

static void same_by_two(const uint8_t *bytes, size_t size, uint64_t *events)
{
    struct xpd_source *source;
    struct xpd_xspace *one, *two;
    assert_int_equal(xpd_source_open_memory(&source, bytes, size, "x", NULL), XPD_OK);
    assert_int_equal(xpd_xspace_load_by(&one, source, 1, NULL, 0, NULL), XPD_OK);
    assert_int_equal(xpd_xspace_load_by(&two, source, 2, NULL, 0, NULL), XPD_OK);
    assert_int_equal(one->plane_count, two->plane_count);
    assert_int_equal(one->complete, two->complete);
    assert_int_equal(one->read_until, two->read_until);
    assert_int_equal(one->whole_bytes, two->whole_bytes);
    assert_int_equal(one->warnings.count, two->warnings.count);
    for (uint32_t i = 0; i < one->warnings.count; i++)
        assert_string_equal(one->warnings.item[i].text, two->warnings.item[i].text);
    *events = 0;
    for (uint32_t p = 0; p < one->plane_count; p++) {
        same_plane(one, two, p);
        *events += one->plane[p].event_count;
    }
    xpd_xspace_free(one);
    xpd_xspace_free(two);
    xpd_source_close(source);
}

static uint8_t *generated(size_t *size)
{
    char path[300];
    const char *tmp = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/xprofd-scout-%ld.pb", tmp ? tmp : "/tmp", (long)getpid());
    assert_true(xsg_write(path, XSG_TPU, EVENTS));
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *size = (size_t)ftell(f);
    uint8_t *bytes = malloc(*size);
    rewind(f);
    assert_int_equal(fread(bytes, 1, *size, f), *size);
    fclose(f);
    remove(path);
    return bytes;
}

static void one_and_two_threads(void **state)
{
    (void)state;
    size_t size;
    uint64_t all, events, random = 99;
    uint8_t *bytes = generated(&size);
    assert_true(size > 40u << 20); /* large enough for a second thread */
    same_by_two(bytes, size, &all);
    assert_in_range(all, EVENTS - EVENTS / 50, EVENTS + EVENTS / 50);
    for (int i = 0; i < CUTS; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        same_by_two(bytes, size - (random >> 33) % (size - (34u << 20)), &events);
        assert_true(events < all);
    }
    for (int i = 0; i < WRONG; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        uint8_t *at = bytes + (random >> 20) % size, was = *at;
        *at = i % 2 ? 0xff : 0x04; /* a long varint; an end of group */
        same_by_two(bytes, size, &events);
        *at = was;
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_and_two_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
