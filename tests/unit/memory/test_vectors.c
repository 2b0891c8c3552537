/* Our own numbers of the vectors V1-V21 where XProf's are wrong or say nothing. */
#include "mem_test.h"

#include <string.h>

#define K INT64_C(1024)

static void live_is(const struct mem_case *c, int64_t color, const char *live)
{
    const struct xpd_mem_space *space = mem_space(c, color);
    assert_string_equal(mem_text(space->live_bytes, space->step_count, 0), live);
}

static void test_basic(void **state)
{
    struct mem_case c;
    (void)state;
    mem_open_vector(&c, "V1");
    const struct xpd_mem_space *space = mem_space(&c, 0);
    live_is(&c, 0, "102400 153600 51200 122880 71680 0");
    assert_string_equal(mem_text(space->unpadded_bytes, 6, 0), "81920 133120 51200 112640 61440 0");
    assert_string_equal(mem_tenancies(&c, 0), "1[0,2) 2[1,4) 3[3,5)");
    assert_int_equal(space->peak_step, 1);
    assert_int_equal(space->peak_bytes, 153600);
    assert_int_equal(space->peak_unpadded_bytes, 133120);
    assert_int_equal(space->totals.reserved, 262144);
    assert_int_equal(c.mem->warnings.count, 0);
    mem_close(&c);
}

static void test_sharing(void **state)
{
    struct mem_case c;
    (void)state;
    mem_open_vector(&c, "V2"); /* shared while held: one tenancy */
    live_is(&c, 0, "524288 524288 524288 0");
    assert_string_equal(mem_tenancies(&c, 0), "1[0,3)");
    assert_int_equal(mem_space(&c, 0)->tenancy[0].flags, XPD_TENANCY_SHARED);
    assert_int_equal(mem_space(&c, 0)->peak_bytes, 1572864);
    assert_int_equal(c.mem->buffer[mem_buffer(&c, 2)].root, mem_buffer(&c, 1));
    assert_int_equal(c.mem->buffer[mem_buffer(&c, 2)].first_tenancy, 0);
    assert_int_equal(c.mem->buffer[mem_buffer(&c, 3)].first_tenancy, XPD_NO_INDEX);
    mem_close(&c);
    mem_open_vector(&c, "V3"); /* taken over after the free: two, at their own offsets */
    const struct xpd_mem_space *space = mem_space(&c, 0);
    assert_string_equal(mem_tenancies(&c, 0), "1[0,1) 2[2,3)");
    assert_int_equal(space->tenancy[1].flags, XPD_TENANCY_TAKEN_OVER);
    assert_int_equal(space->tenancy[1].offset_bytes, 512 * K);
    assert_int_equal(space->tenancy[0].next_of_buffer, 1);
    mem_close(&c);
    mem_open_vector(&c, "V4");
    assert_string_equal(mem_tenancies(&c, 0), "1[0,3) 3[4,5)");
    live_is(&c, 0, "524288 524288 524288 0 524288 0");
    assert_int_equal(c.mem->buffer[mem_buffer(&c, 3)].root, mem_buffer(&c, 1));
    mem_close(&c);
    mem_open_vector(&c, "V5");
    assert_string_equal(mem_tenancies(&c, 1), "1[0,3) 4[4,7) 3[5,6)");
    assert_int_equal(mem_space(&c, 1)->peak_bytes, 786432);
    assert_int_equal(mem_space(&c, 1)->peak_step, 5);
    mem_close(&c);
}

static void test_larger_sharer(void **state)
{
    struct mem_case c;
    (void)state;
    mem_open_vector(&c, "V6");
    const struct xpd_mem_space *space = mem_space(&c, 0);
    live_is(&c, 0, "32768 65536 65536 0");
    assert_string_equal(mem_text(space->listed_bytes, 4, 0), "32768 32768 32768 0");
    assert_int_equal(space->peak_live_bytes, 65536);
    assert_int_equal(space->tenancy[0].size_bytes, 65536);
    assert_int_equal(space->tenancy[0].listed_bytes, 32768);
    uint32_t buffer = mem_buffer(&c, 1), step;
    int64_t left;
    assert_int_equal(xpd_saving(c.mem, space, &buffer, 1, &left, &step, &c.arena), 65536);
    assert_int_equal(left, 0);
    mem_close(&c);
}

static void test_resident(void **state)
{
    struct mem_case c;
    (void)state;
    mem_open_vector(&c, "V7");
    const struct xpd_mem_space *space = mem_space(&c, 0);
    const struct xpd_mem_totals *t = &space->totals;
    assert_int_equal(t->argument, 33280);
    assert_int_equal(t->output, 16896);
    assert_int_equal(t->alias, 16896);
    assert_int_equal(t->constant, 40960);
    assert_int_equal(t->thread_local_, 512);
    assert_int_equal(t->temp, 65536);
    assert_int_equal(t->resident, 74240);
    assert_int_equal(t->reserved, 139776);
    assert_int_equal(space->peak_bytes, 111103);
    /* parameters count without padding too: 16384 + 16380 + 40960, temporaries 16380 + 20480 */
    assert_int_equal(t->resident_unpadded, 73724);
    assert_int_equal(space->peak_unpadded_bytes, 73724 + 36860);
    static const uint8_t classes[] = {XPD_CLASS_PARAMETER,    XPD_CLASS_PARAMETER,
                                      XPD_CLASS_CONSTANT,     XPD_CLASS_TEMPORARY,
                                      XPD_CLASS_THREAD_LOCAL, XPD_CLASS_TEMPORARY};
    for (int id = 1; id <= 6; id++)
        assert_int_equal(c.mem->buffer[mem_buffer(&c, id)].mem_class, classes[id - 1]);
    uint32_t buffer = mem_buffer(&c, 2); /* an argument lowers the whole curve by its allocation */
    assert_int_equal(xpd_saving(c.mem, space, &buffer, 1, NULL, NULL, &c.arena), 16896);
    mem_close(&c);
}

static void test_ties_and_ends(void **state)
{
    struct mem_case c;
    (void)state;
    mem_open_vector(&c, "V8");
    struct xpd_near_peak near[4];
    assert_int_equal(mem_space(&c, 0)->peak_step, 1);
    assert_int_equal(xpd_near_peaks(mem_space(&c, 0), 0.1, near, 4), 2);
    assert_int_equal(near[0].step, 1);
    assert_int_equal(near[1].step, 3);
    assert_int_equal(near[1].bytes, 40960);
    mem_close(&c);
    mem_open_vector(&c, "V9");
    assert_string_equal(mem_tenancies(&c, 0), "1[0,3) 2[1,2)");
    assert_int_equal(mem_space(&c, 0)->tenancy[0].flags, XPD_TENANCY_NEVER_FREED);
    mem_close(&c);
    mem_open_vector(&c, "V17");
    const struct xpd_mem_space *space = mem_space(&c, 0);
    assert_int_equal(space->step_count, 0);
    assert_int_equal(space->peak_step, XPD_NO_STEP);
    assert_int_equal(space->peak_bytes, 20480);
    assert_int_equal(mem_space(&c, 1)->peak_bytes, 0);
    assert_int_equal(xpd_curve(space, (struct xpd_step_window){0, 10}, 10, NULL), 0);
    assert_int_equal(xpd_live_at(space, 0, NULL, 0), 0);
    assert_int_equal(xpd_near_peaks(space, 0.1, near, 4), 0);
    mem_close(&c);
}

/* Each error of XProf is a warning here and the rest is shown. */
static void test_damage(void **state)
{
    struct mem_case c;
    (void)state;
    mem_open_vector(&c, "V10");
    live_is(&c, 0, "20480 20480 20480 0");
    assert_int_equal(mem_warned(&c, "unknown_buffer"), 2);
    mem_close(&c);
    mem_open_vector(&c, "V11");
    live_is(&c, 0, "20480 0 0");
    assert_int_equal(mem_warned(&c, "double_free"), 1);
    assert_non_null(strstr(c.mem->warnings.item[0].text, "event 2"));
    mem_close(&c);
    mem_open_vector(&c, "V18");
    live_is(&c, 0, "20480 20480 20480 0");
    assert_string_equal(mem_tenancies(&c, 0), "1[0,3)");
    assert_int_equal(mem_warned(&c, "alloc_twice"), 1);
    mem_close(&c);
}

static void test_several_heaps(void **state)
{
    struct mem_case c;
    (void)state;
    mem_open_vector(&c, "V12"); /* one trace, two allocations: one lane, heaps stacked */
    const struct xpd_mem_space *space = mem_space(&c, 0);
    live_is(&c, 0, "20480 40960 20480 0");
    assert_int_equal(space->heap_count, 2);
    assert_int_equal(space->heap[1].base_bytes, 20480);
    assert_int_equal(space->tenancy[1].offset_bytes, 20480);
    assert_int_equal(space->lane_count, 1);
    mem_close(&c);
    mem_open_vector(&c, "V13"); /* two traces, one allocation: two lanes, the higher one counts */
    space = mem_space(&c, 0);
    live_is(&c, 0, "20480 0 30720 0");
    assert_int_equal(space->lane_count, 2);
    assert_int_equal(space->lane[1].first_step, 2);
    assert_int_equal(space->lane[0].peak_live_bytes, 20480);
    assert_int_equal(space->peak_step, 2);
    assert_int_equal(space->peak_live_bytes, 30720);
    assert_int_equal(mem_warned(&c, "several_lanes"), 1);
    mem_close(&c);
    mem_open_vector(&c, "V14"); /* the colour of the allocation decides */
    assert_int_equal(mem_space(&c, 0)->step_count, 0);
    assert_int_equal(mem_space(&c, 0)->peak_bytes, 102400);
    live_is(&c, 2, "20480 51200 30720 0");
    assert_int_equal(mem_space(&c, 2)->peak_bytes, 51200);
    assert_int_equal(mem_warned(&c, "allocation_color"), 2);
    mem_close(&c);
}

static void test_rest(void **state)
{
    struct mem_case c;
    (void)state;
    mem_open_vector(&c, "V15");
    live_is(&c, 1, "524288 786432 262144 0");
    assert_int_equal(mem_space(&c, 1)->peak_bytes, 917504);
    assert_int_equal(mem_space(&c, 1)->scoped_bytes, 1048576);
    mem_close(&c);
    mem_open_vector(&c, "V16");
    assert_int_equal(mem_space(&c, 0)->peak_bytes, 98304);
    assert_int_equal(mem_space(&c, 0)->peak_unpadded_bytes, 91136);
    mem_close(&c);
    mem_open_vector(&c, "V19");
    assert_int_equal(mem_space(&c, 0)->peak_bytes, 32768);
    mem_close(&c);
    mem_open_vector(&c, "V20");
    live_is(&c, 0, "100 300 100 0");
    mem_close(&c);
    mem_open_vector(&c, "V21");
    const struct xpd_mem_space *space = mem_space(&c, 0);
    assert_int_equal(space->heap_bytes, INT64_C(54344548352));
    assert_int_equal(xpd_mem_fragmentation(space), space->totals.reserved - space->peak_bytes);
    mem_close(&c);
}

/* Nested tuple index: the right sub-shape beside XProf's (S11), real bits (S5), never above the
 * size. */
static void test_shapes(void **state)
{
    static const struct {
        const char *vector;
        int64_t unpadded, xprof;
    } shapes[] = {{"S1", 196608, 196608}, {"S2", 352321536, 352321536},
                  {"S3", 4, 4},           {"S4", 4, 4},
                  {"S5", 5, 5},           {"S5b", 5, 10},
                  {"S6", 7, 7},           {"S7", 24, 24},
                  {"S8", 0, 0},           {"S9", 8, 8},
                  {"S10", 128, 128},      {"S11", 8, 16},
                  {"S12", 0, 0},          {"S13", 83951616, 83951616}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct mem_case c;
        print_message("%s\n", shapes[i].vector);
        mem_open_vector(&c, shapes[i].vector);
        const struct xpd_mem_buffer *b = &c.mem->buffer[mem_buffer(&c, 1)];
        assert_int_equal(b->unpadded_bytes, shapes[i].unpadded);
        assert_int_equal(b->xprof_unpadded_bytes, shapes[i].xprof);
        assert_true(b->unpadded_bytes <= b->size_bytes);
        mem_close(&c);
    }
}

static void test_names(void **state)
{
    char scratch[24];
    (void)state;
    assert_string_equal(xpd_space_name("tpu", 1, scratch), "VMEM");
    assert_string_equal(xpd_space_name("gpu", 1, scratch), "Collective memory");
    assert_string_equal(xpd_space_name("cpu", 0, scratch), "Host RAM");
    assert_string_equal(xpd_space_name("", 0, scratch), "space 0");
    assert_string_equal(xpd_space_name("tpu", 77, scratch), "space 77");
    assert_string_equal(xpd_space_name(NULL, -3, scratch), "space -3");
    assert_true(strlen(xpd_space_name("tpu", INT64_MIN, scratch)) < 24);
    assert_string_equal(xpd_mem_class_word(XPD_CLASS_THREAD_LOCAL), "thread_local");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_basic),         cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_larger_sharer), cmocka_unit_test(test_resident),
        cmocka_unit_test(test_ties_and_ends), cmocka_unit_test(test_damage),
        cmocka_unit_test(test_several_heaps), cmocka_unit_test(test_rest),
        cmocka_unit_test(test_shapes),        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
