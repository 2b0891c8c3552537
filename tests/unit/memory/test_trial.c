/* A trial against plans that are run from the start: the same peak after each change, on every
 * action and in any order, and nothing left after it is taken back. */
#include "mem_test.h"
#include "xprofd/memory/trial.h"

#include <stdlib.h>

static uint32_t seed = 7;
static uint32_t next_random(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

#define CHANGES 24
struct wanted {
    uint32_t buffer;
    enum xpd_action action;
};

/* The same changes as one plan, in one pass. */
static void run_plan(const struct mem_case *c, const struct xpd_mem_space *space,
                     const struct wanted *want, uint32_t count, struct xpd_plan_result *result,
                     struct xpd_arena *arena)
{
    struct xpd_plan plan;
    xpd_plan_init(&plan, c->mem, space, arena);
    for (uint32_t i = 0; i < count; i++)
        xpd_plan_add(&plan, want[i].buffer, want[i].action, 3);
    assert_true(xpd_plan_run(&plan, result));
}

static void same_as_plan(struct xpd_trial *trial, const struct mem_case *c,
                         const struct xpd_mem_space *space, const struct wanted *want,
                         uint32_t count)
{
    struct xpd_arena arena = {0};
    struct xpd_plan_result result;
    uint32_t step;
    run_plan(c, space, want, count, &result, &arena);
    assert_int_equal(xpd_trial_peak(trial, &step), result.peak_bytes);
    assert_int_equal(step, result.peak_step);
    for (uint32_t i = 0; i < space->step_count; i++)
        assert_int_equal(xpd_curve_at(&trial->curve, i), result.live_bytes[i]);
    for (uint32_t k = 0; k < 20 && space->step_count > 0; k++) {
        uint32_t from = next_random() % space->step_count;
        uint32_t to = from + 1 + next_random() % (space->step_count - from);
        int64_t low, high, lowest = INT64_MAX, highest = INT64_MIN;
        xpd_trial_extremes(trial, from, to, &low, &high);
        for (uint32_t i = from; i < to; i++) {
            lowest = result.live_bytes[i] < lowest ? result.live_bytes[i] : lowest;
            highest = result.live_bytes[i] > highest ? result.live_bytes[i] : highest;
        }
        assert_int_equal(low, lowest);
        assert_int_equal(high, highest);
    }
    xpd_arena_fini(&arena);
}

static void rounds_of(struct mem_case *c, uint32_t rounds)
{
    const struct xpd_mem_space *space = mem_space(c, 0);
    uint32_t possible = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        struct xpd_arena arena = {0};
        struct xpd_trial trial;
        struct wanted want[CHANGES];
        struct xpd_trial_mark mark[CHANGES];
        assert_true(xpd_trial_init(&trial, c->mem, space, &arena));
        same_as_plan(&trial, c, space, want, 0);
        for (uint32_t i = 0; i < CHANGES; i++) {
            want[i].buffer = space->tenancy_count > 0 && next_random() % 4
                                 ? space->tenancy[next_random() % space->tenancy_count].buffer
                                 : next_random() % c->hlo->buffers.count;
            want[i].action = (enum xpd_action)(next_random() % XPD_ACTION_COUNT);
            mark[i] = xpd_trial_mark(&trial);
            possible += xpd_trial_add(&trial, want[i].buffer, want[i].action, 3) == NULL;
            same_as_plan(&trial, c, space, want, i + 1);
        }
        for (uint32_t i = CHANGES; i-- > 0;) { /* back, sometimes several at once */
            if (next_random() % 3 == 0 && i > 0)
                continue;
            xpd_trial_back(&trial, mark[i]);
            same_as_plan(&trial, c, space, want, i);
        }
        assert_int_equal(xpd_trial_peak(&trial, NULL), space->peak_bytes);
        assert_int_equal(trial.plan.moved_bytes, 0);
        assert_int_equal(trial.plan.recomputed_bytes, 0);
        xpd_arena_fini(&arena);
    }
    assert_true(possible > rounds);
}

static void against_plans(const char *set, uint32_t rounds)
{
    struct xspace_hlos hlos;
    struct mem_case c;
    if (!mem_hlos(&hlos, set))
        skip();
    mem_open_bytes(&c, hlos.at[hlos.count - 1].bytes, hlos.at[hlos.count - 1].size);
    rounds_of(&c, rounds);
    mem_close(&c);
    xspace_hlos_free(&hlos);
}

static void real_programs(void **state)
{
    (void)state;
    against_plans("tpu_transformer_noremat", 12);
    against_plans("tpu_transformer_nodonate", 6);
    against_plans("tpu_convnet", 6);
}

static void small_programs(void **state)
{
    (void)state;
    static const char *const name[] = {"V1", "V2", "V3", "V4"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        struct mem_case c;
        mem_open_vector(&c, name[i]);
        rounds_of(&c, 40);
        mem_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_programs),
        cmocka_unit_test(small_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
