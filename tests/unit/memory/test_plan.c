/* Plans against a replay that does the same by hand: every action on random programs and on real
 * ones. */
#include "mem_test.h"
#include "xprofd/memory/plan.h"

#include <stdlib.h>
#include <string.h>

/* Bytes held after each step, from the tenancies, with one buffer's changed: no shared code with
 * the plan but the tenancies themselves. */
static int64_t by_hand(const struct mem_case *c, const struct xpd_mem_space *space, uint32_t buffer,
                       enum xpd_action action, int64_t parts)
{
    int64_t best = 0;
    uint32_t root = c->mem->buffer[buffer].root, from = 0, to = 0;
    bool gap = (action == XPD_ACTION_OFFLOAD) && xpd_longest_gap(c->mem, space, buffer, &from, &to);
    for (uint32_t s = 0; s < space->step_count; s++) {
        int64_t live = space->live_bytes[s];
        for (uint32_t t = c->mem->buffer[root].storage_tenancy; t != XPD_NO_INDEX;
             t = space->tenancy[t].next_of_buffer) {
            const struct xpd_tenancy *held = &space->tenancy[t];
            if (s < held->start_step || s >= held->end_step)
                continue;
            int64_t size = held->size_bytes;
            if (action == XPD_ACTION_DROP || (gap && s > from && s < to))
                live -= size;
            else if (action == XPD_ACTION_HALVE)
                live -= size - (size + 1) / 2;
            else if (action == XPD_ACTION_UNPAD)
                live -= size - held->unpadded_bytes;
            else if (action == XPD_ACTION_SHARD)
                live -= size - (size + parts - 1) / parts;
        }
        best = s == 0 || live > best ? live : best;
    }
    return best + space->totals.resident;
}

static void against_by_hand(const char *set)
{
    struct xspace_hlos hlos;
    struct mem_case c;
    if (!mem_hlos(&hlos, set))
        skip();
    mem_open_bytes(&c, hlos.at[hlos.count - 1].bytes, hlos.at[hlos.count - 1].size);
    const struct xpd_mem_space *space = mem_space(&c, 0);
    uint32_t checked = 0;
    for (uint32_t t = 0; t < space->tenancy_count; t += 1 + space->tenancy_count / 60) {
        uint32_t buffer = space->tenancy[t].buffer, growths = 0;
        const enum xpd_action action[] = {XPD_ACTION_DROP, XPD_ACTION_HALVE, XPD_ACTION_UNPAD,
                                          XPD_ACTION_OFFLOAD, XPD_ACTION_SHARD};
        for (uint32_t i = c.mem->buffer[c.mem->buffer[buffer].root].storage_tenancy;
             i != XPD_NO_INDEX; i = space->tenancy[i].next_of_buffer)
            growths += (space->tenancy[i].flags & (XPD_TENANCY_SHARED | XPD_TENANCY_UNTRACED)) != 0;
        if (growths) /* their size changes meanwhile */
            continue;
        for (size_t k = 0; k < sizeof action / sizeof *action; k++) {
            struct xpd_arena arena = {0};
            struct xpd_plan plan;
            struct xpd_plan_result result;
            xpd_plan_init(&plan, c.mem, space, &arena);
            const char *no = xpd_plan_add(&plan, buffer, action[k], 3);
            assert_true(xpd_plan_run(&plan, &result));
            int64_t expected = no ? space->peak_bytes : by_hand(&c, space, buffer, action[k], 3);
            if (result.peak_bytes != expected)
                fail_msg("%s, buffer %u, %s: %lld, by hand %lld", set, buffer,
                         xpd_action_word(action[k]), (long long)result.peak_bytes,
                         (long long)expected);
            assert_int_equal(result.saving_bytes, space->peak_bytes - result.peak_bytes);
            if (action[k] == XPD_ACTION_DROP) {
                assert_int_equal(result.saving_bytes,
                                 xpd_saving(c.mem, space, &buffer, 1, NULL, NULL, &c.arena));
                assert_int_equal(result.saving_bytes,
                                 xpd_saving_of(c.mem, space, buffer, &c.arena));
            }
            xpd_arena_fini(&arena);
            checked++;
        }
    }
    assert_true(checked > 10);
    mem_close(&c);
    xspace_hlos_free(&hlos);
}

static void real_programs(void **state)
{
    (void)state;
    against_by_hand("tpu_transformer_noremat");
    against_by_hand("tpu_scan_layers");
    against_by_hand("tpu_convnet");
}

static void what_cannot_be(void **state)
{
    (void)state;
    struct mem_case c;
    struct xpd_plan plan;
    mem_open_vector(&c, "V1");
    const struct xpd_mem_space *space = mem_space(&c, 0);
    uint32_t temporary = space->tenancy[0].buffer;
    xpd_plan_init(&plan, c.mem, space, &c.arena);
    assert_non_null(xpd_plan_add(&plan, temporary, XPD_ACTION_DONATE, 0));
    assert_non_null(xpd_plan_add(&plan, temporary, XPD_ACTION_SHARD, 1));
    assert_non_null(xpd_plan_add(&plan, 1u << 30, XPD_ACTION_DROP, 0));
    assert_null(xpd_plan_add(&plan, temporary, XPD_ACTION_DROP, 0));
    struct xpd_plan_result once, twice;
    assert_true(xpd_plan_run(&plan, &once));
    assert_null(xpd_plan_add(&plan, temporary, XPD_ACTION_DROP, 0)); /* it is gone already */
    assert_true(xpd_plan_run(&plan, &twice));
    assert_int_equal(once.peak_bytes, twice.peak_bytes);
    mem_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_programs),
        cmocka_unit_test(what_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
