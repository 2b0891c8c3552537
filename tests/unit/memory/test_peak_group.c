/* The largest group of a peak: rows of one shape and class together; halves where they are known.
 */
#include "mem_test.h"
#include "xprofd/memory/peak_group.h"

static void f32(struct hb *hb, int64_t id)
{
    static const struct hb_shape shape = {.type = HB_F32, .rank = 1, .dims = {100}};
    hb_shaped_buffer(hb, id, 400, 0, &shape, NULL, 0);
}

/* Three of 400 bytes hold more than the one of 1000. */
static void equal_rows_are_one_group(void **state)
{
    (void)state;
    struct hb hb;
    struct mem_case c;
    struct xpd_held_list peak;
    struct xpd_peak_group group;
    hb_init(&hb, "peak");
    f32(&hb, 1);
    hb_buffer(&hb, 2, 1000, 900, 0);
    f32(&hb, 3);
    f32(&hb, 4);
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 2200}, "1@0 2@400 3@1400 4@1800");
    hb_trace(&hb, "A1 A2 A3 A4 F1 F2 F3 F4");
    mem_open_builder(&c, &hb);
    const struct xpd_mem_space *space = mem_space(&c, 0);
    assert_int_equal(xpd_held_at(&peak, c.mem, space, space->peak_step, &c.arena, NULL), XPD_OK);
    assert_true(xpd_peak_group_of(&group, c.mem, &peak, &c.arena));
    assert_int_equal(group.count, 3);
    assert_int_equal(group.bytes, 1200);
    assert_int_equal(group.padding_bytes, 0);
    assert_true(group.all_equal);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(c.mem->buffer[peak.at[group.row[i]].buffer].size_bytes, 400);
    assert_int_equal(xpd_peak_group_halved(&group, c.mem, space, &peak, &c.arena), 2200 - 600);
    mem_close(&c);
}

/* Bytes of another type have no half that is known. */
static void halves_are_of_f32(void **state)
{
    (void)state;
    struct hb hb;
    struct mem_case c;
    struct xpd_held_list peak;
    struct xpd_peak_group group;
    hb_init(&hb, "peak");
    f32(&hb, 1);
    hb_buffer(&hb, 2, 1000, 900, 0);
    hb_alloc(&hb, &(struct hb_alloc){.index = 0, .size = 1400}, "1@0 2@400");
    hb_trace(&hb, "A1 A2 F1 F2");
    mem_open_builder(&c, &hb);
    const struct xpd_mem_space *space = mem_space(&c, 0);
    assert_int_equal(xpd_held_at(&peak, c.mem, space, space->peak_step, &c.arena, NULL), XPD_OK);
    assert_true(xpd_peak_group_of(&group, c.mem, &peak, &c.arena));
    assert_int_equal(group.count, 1);
    assert_int_equal(group.bytes, 1000);
    assert_int_equal(group.padding_bytes, 100);
    assert_int_equal(xpd_peak_group_halved(&group, c.mem, space, &peak, &c.arena), -1);
    peak.count = 0;
    assert_true(xpd_peak_group_of(&group, c.mem, &peak, &c.arena));
    assert_int_equal(group.count, 0);
    mem_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_rows_are_one_group),
        cmocka_unit_test(halves_are_of_f32),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
