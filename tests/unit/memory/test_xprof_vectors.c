/* XProf's numbers of the vectors V1-V21. */
#include "mem_test.h"

#include <stdio.h>
#include <string.h>

#define K       INT64_C(1024)
#define UNKNOWN (-1)

struct expected {
    const char *vector;
    int64_t color, small;
    const char *timeline, *unpadded; /* with indefinite bytes; NULL = not stated */
    int64_t peak, peak_unpadded, position, total, indefinite;
    const char *spans, *bars;
    const char *error;
};

static const struct expected table[] = {
    {"V1", 0, 16384, "0 102400 153600 51200 122880 71680 0", "0 81920 133120 51200 112640 61440 0",
     153600, 133120, 1, 262144, 0, "1[0,2] 2[1,4] 3[3,5]", "op.1 op.2", NULL},
    {"V2", 0, 0, "1048576 1572864 1572864 1572864 1048576", NULL, 1572864, 1048584, 0, 2097152,
     1048576, "1[0,3]", "op.3 op.1", NULL},
    {"V3", 0, 0, "1048576 1572864 1048576 1572864 1048576", NULL, 1572864, UNKNOWN, 0, 2097152,
     1048576, "1[0,1] 2[2,3]", "op.3 op.1", NULL},
    {"V4", 0, 0, "0 524288 524288 524288 0 524288 0", NULL, 524288, UNKNOWN, 0, 1572864, 0,
     "1[0,3] 3[4,5]", "op.1", NULL},
    {"V5", 1, 0, "0 262144 262144 262144 0 524288 786432 524288 0", NULL, 786432, UNKNOWN, 5,
     786432, 0, "1[0,3] 3[5,6] 4[4,7]", "op.4 op.3", NULL},
    {"V6", 0, 16384, "0 32768 32768 32768 0", NULL, 32768, UNKNOWN, 0, 65536, 0, NULL, "op.1",
     NULL},
    {"V7", 0, 16384, "74240 90623 111103 94720 74240", "74240 90620 111100 94720 74240", 111103,
     111100, 1, 139776, 74240, NULL, "op.1 op.3 op.6 small(32766)", NULL},
    {"V8", 0, 16384, "0 20480 40960 20480 40960 20480 0", NULL, 40960, UNKNOWN, 1, 40960, 0, NULL,
     "op.1 op.2", NULL},
    {"V9", 0, 16384, "0 20480 40960 20480", NULL, 40960, UNKNOWN, 1, UNKNOWN, 0, "1[0,2] 2[1,2]",
     NULL, NULL},
    {"V10", 0, 16384, "0 20480 20480 20480 0", NULL, 20480, UNKNOWN, 0, 20480, 0, NULL, "op.1",
     NULL},
    {"V11", 0, 16384, NULL, NULL, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, NULL, NULL,
     "Failed to process heap simulator trace: Buffer 1is freed multiple times."},
    {"V12", 0, 16384, NULL, NULL, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, NULL, NULL,
     "Failed to process heap simulator trace: All heap simulation should work out of a single "
     "buffer allocation, actual seen_buffer_allocations.size():2"},
    {"V13", 0, 16384, "0 30720 0", NULL, 30720, UNKNOWN, 0, 51200, 0, NULL, "op.2", NULL},
    {"V14", 0, 16384, "102400 122880 153600 133120 102400", NULL, 153600, UNKNOWN, 1, 102400,
     102400, NULL, NULL, NULL},
    {"V14", 2, 16384, "0 20480 51200 30720 0", NULL, 51200, UNKNOWN, 1, 65536, 0, NULL, NULL, NULL},
    {"V15", 1, 16384, "131072 655360 917504 393216 131072", NULL, 917504, UNKNOWN, 1, 1179648,
     131072, NULL, "op.1 op.2", NULL},
    {"V16", 0, 16384, NULL, NULL, 98304, 91136, 1, UNKNOWN, 0, NULL, "op.1 op.2", NULL},
    {"V17", 0, 16384, "", "", 20480, 20480, 0, 20480, 20480, "", "op.1", NULL},
    {"V18", 0, 16384, "0 20480 40960 40960 20480", NULL, 40960, UNKNOWN, 1, 20480, 0, "1[1,3]",
     "op.1 op.1", NULL},
    {"V19", 0, 16384, "", "", 32768, 32768, 0, 32768, 32768, "", "op.2", NULL},
    {"V20", 0, 16384, "0 100 300 100 0", NULL, 300, UNKNOWN, 1, 512, 0, NULL, "small(300)", NULL},
};

static void check(const struct expected *e)
{
    struct mem_case c;
    mem_open_vector(&c, e->vector);
    struct xpd_xprof_memory x = mem_xprof(&c, e->color, e->small);
    int64_t plus = x.indefinite_bytes;
    print_message("%s colour %d\n", e->vector, (int)e->color);
    if (e->error)
        assert_string_equal(x.error_text, e->error);
    else
        assert_null(x.error_text);
    if (e->timeline)
        assert_string_equal(mem_text(x.heap_bytes, x.point_count, plus), e->timeline);
    if (e->unpadded)
        assert_string_equal(mem_text(x.unpadded_heap_bytes, x.point_count, plus), e->unpadded);
    if (e->peak != UNKNOWN)
        assert_int_equal(x.peak_bytes + plus, e->peak);
    if (e->peak_unpadded != UNKNOWN)
        assert_int_equal(x.peak_unpadded_bytes + plus, e->peak_unpadded);
    if (e->position != UNKNOWN)
        assert_int_equal(x.peak_position, e->position);
    if (e->total != UNKNOWN)
        assert_int_equal(x.total_bytes, e->total);
    if (e->indefinite != UNKNOWN)
        assert_int_equal(x.indefinite_total_bytes, e->indefinite);
    if (e->spans)
        assert_string_equal(mem_spans(&c, &x), e->spans);
    if (e->bars)
        assert_string_equal(mem_bars(&c, &x), e->bars);
    mem_close(&c);
}

static void test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        check(&table[i]);
}

static void test_names(void **state)
{
    static const char *const names[] = {"op.1", "op.2", "op.1", "op.3", "op.2", "op.3", ""};
    struct mem_case c;
    (void)state;
    mem_open_vector(&c, "V1");
    struct xpd_xprof_memory x = mem_xprof(&c, 0, XPD_XPROF_SMALL_BYTES);
    assert_int_equal(x.point_count, 7);
    for (uint32_t i = 0; i < 7; i++)
        assert_true(xpd_str_eq(xpd_hlo_text(c.hlo, x.instruction_name[i]), xpd_str_of(names[i])));
    mem_close(&c);
}

static void test_totals(void **state)
{
    struct mem_case c;
    (void)state;
    mem_open_vector(&c, "V7");
    struct xpd_xprof_memory x = mem_xprof(&c, 0, XPD_XPROF_SMALL_BYTES);
    assert_int_equal(x.indefinite_bytes, 74240);
    assert_int_equal(x.parameter_bytes, 33280);
    assert_int_equal(x.live_out_bytes, 16896);
    assert_int_equal(x.non_reusable_bytes, 512);
    assert_int_equal(x.peak_bytes, 36863); /* temporaries without fragmentation */
    mem_close(&c);
    mem_open_vector(&c, "V19");
    x = mem_xprof(&c, 0, XPD_XPROF_SMALL_BYTES);
    assert_int_equal(x.bar[0].size_bytes, 24576);
    mem_close(&c);
}

static void test_scoped(void **state)
{
    struct mem_case c;
    (void)state;
    mem_open_vector(&c, "V15");
    assert_int_equal(mem_xprof(&c, 1, 0).scoped_bytes, 1048576);
    assert_int_equal(mem_xprof(&c, 0, 0).scoped_bytes, 0);
    mem_close(&c);
}

static void block_is(const struct mem_case *c, const struct xpd_xprof_block *b, int64_t id,
                     int64_t offset, int64_t size, int32_t start, int32_t end)
{
    assert_int_equal(b->buffer == XPD_NO_INDEX ? -1 : c->hlo->buffers.id[b->buffer], id);
    assert_int_equal(b->offset_bytes, offset);
    assert_int_equal(b->size_bytes, size);
    assert_int_equal(b->start_step, start);
    assert_int_equal(b->end_step, end);
}

static void test_blocks(void **state)
{
    struct mem_case c;
    (void)state;
    mem_open_vector(&c, "V3");
    struct xpd_xprof_memory x = mem_xprof(&c, 0, 0);
    assert_int_equal(x.block_count, 3);
    block_is(&c, &x.block[0], -1, 0, 1048576, 0, 4);
    block_is(&c, &x.block[1], 1, 0, 524288, 0, 1);
    block_is(&c, &x.block[2], 2, 512 * K, 524288, 2, 3);
    mem_close(&c);
    mem_open_vector(&c, "V14");
    assert_int_equal(mem_xprof(&c, 0, 0).block_count, 0);
    mem_close(&c);
    mem_open_vector(&c, "V21");
    x = mem_xprof(&c, 0, 0);
    assert_int_equal(x.block_count, 3);
    assert_int_equal(x.block[0].size_bytes, INT64_C(54344548352));
    assert_int_equal(x.block[1].offset_bytes, INT64_C(54076112896));
    assert_int_equal(x.block[1].offset_bytes + x.block[1].size_bytes, x.block[2].offset_bytes);
    assert_int_equal(x.block[2].offset_bytes, INT64_C(54210330624));
    mem_close(&c);
}

/* More than 16 equal bars: the order of GNU's unstable sort (from oracle/unstable_sort.py). */
static void test_unstable_order(void **state)
{
    static const uint32_t expected[20] = {10, 19, 18, 17, 16, 15, 14, 13, 12, 11,
                                          0,  9,  8,  7,  6,  5,  4,  3,  2,  1};
    struct mem_case c;
    struct hb hb;
    char members[800] = "", events[400] = "";
    (void)state;
    hb_init(&hb, "many");
    for (int i = 1; i <= 20; i++) {
        hb_buffer(&hb, i, 20 * K, 20 * K, 0);
        sprintf(members + strlen(members), "%d@%dK ", i, 20 * (i - 1));
        sprintf(events + strlen(events), "A%d ", i);
    }
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 400 * K}, members);
    hb_trace(&hb, events);
    mem_open_builder(&c, &hb);
    struct xpd_xprof_memory x = mem_xprof(&c, 0, 0);
    assert_int_equal(x.bar_count, 20);
    assert_memory_equal(x.by_size, expected, sizeof expected);
    mem_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),  cmocka_unit_test(test_names),
        cmocka_unit_test(test_totals), cmocka_unit_test(test_scoped),
        cmocka_unit_test(test_blocks), cmocka_unit_test(test_unstable_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
