/* Comparing: closure on every pair of programs there is, equal programs, changed signs, and the
 * numbers of two comparisons that the reference's model gives. */
#include "doctor_test.h"

#include "xprofd/base/checked.h"
#include "xprofd/doctor/align.h"
#include "xprofd/doctor/compare.h"

struct program {
    struct xspace_hlos file;
    struct sick s;
    bool open;
};

static const char *const sets[] = {
    "tpu_transformer_noremat",
    "tpu_transformer_remat",
    "tpu_transformer_nodonate",
    "tpu_transformer_oom",
    "tpu_transformer_v6e",
    "tpu_big_transformer",
    "tpu_scan_layers",
    "tpu_decode_kvcache",
    "tpu_convnet",
    "tpu_host_offload",
    "tpu_pallas_matmul",
    "tpu_sharded_lm",
    "tpu_collectives",
    "tpu_padded_demo",
    "tpu_padded_oom",
    "tpu_vmem_oom",
    "tpu-v6e-offload",
    "mlp_train",
    "transformer_train",
    "oom_demo",
};
#define SETS (sizeof sets / sizeof *sets)
static struct program program[SETS];

static int open_all(void **state)
{
    (void)state;
    char path[1024];
    for (size_t i = 0; i < SETS; i++) {
        if (!shared_xplane(sets[i], path, sizeof path) ||
            !xspace_hlos_load(&program[i].file, path) || program[i].file.count == 0)
            continue;
        size_t largest = 0;
        for (size_t k = 1; k < program[i].file.count; k++)
            if (program[i].file.at[k].size > program[i].file.at[largest].size)
                largest = k;
        sick_open_bytes(&program[i].s, program[i].file.at[largest].bytes,
                        program[i].file.at[largest].size);
        program[i].open = xpd_mem_space_of(program[i].s.mem, 0) != NULL;
    }
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < SETS; i++)
        if (program[i].s.hlo) {
            sick_close(&program[i].s);
            xspace_hlos_free(&program[i].file);
        }
    return 0;
}

static void compare(struct xpd_compare *out, size_t a, size_t b, int64_t color,
                    struct xpd_arena *arena)
{
    struct xpd_err err = {0};
    struct xpd_compare_side side[2] = {
        {program[a].s.mem, xpd_mem_space_of(program[a].s.mem, color)},
        {program[b].s.mem, xpd_mem_space_of(program[b].s.mem, color)}};
    if (xpd_compare_run(out, side, arena, &err) != XPD_OK)
        fail_msg("%s", err.text);
}

static void every_pair_closes(void **state)
{
    (void)state;
    uint32_t pairs = 0;
    for (size_t a = 0; a < SETS; a++)
        for (size_t b = 0; b < SETS; b++)
            for (int64_t color = 0; color < 2 && program[a].open && program[b].open; color++) {
                struct xpd_arena arena = {0};
                struct xpd_compare c;
                if (!xpd_mem_space_of(program[a].s.mem, color) ||
                    !xpd_mem_space_of(program[b].s.mem, color))
                    continue;
                compare(&c, a, b, color, &arena);
                int64_t sum = 0;
                for (uint32_t i = 0; i < c.group_count; i++)
                    sum += c.group[i].bytes[1] - c.group[i].bytes[0];
                if (!c.closes || sum != c.difference || c.difference != c.peak[1] - c.peak[0])
                    fail_msg("%s against %s, space %d: %lld, peaks differ by %lld", sets[a],
                             sets[b], (int)color, (long long)sum, (long long)c.difference);
                if (a == b) {
                    assert_int_equal(c.different_count, 0);
                    for (uint32_t i = 0; i < c.group_count; i++)
                        assert_int_equal(c.group[i].state, XPD_COMPARE_SAME);
                }
                pairs++;
                xpd_arena_fini(&arena);
            }
    if (pairs == 0)
        skip();
    print_message("%u pairs close\n", pairs);
}

static int by_bytes(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* Steps stand in the same slots whichever program comes first, and each in one. */
static void align_both_ways(size_t a, size_t b, struct xpd_arena *arena)
{
    struct xpd_align align[2];
    struct xpd_err err = {0};
    const struct sick *s[2] = {&program[a].s, &program[b].s};
    for (int turned = 0; turned < 2; turned++) {
        struct xpd_compare_side side[2] = {{s[turned]->mem, xpd_mem_space_of(s[turned]->mem, 0)},
                                           {s[!turned]->mem, xpd_mem_space_of(s[!turned]->mem, 0)}};
        assert_int_equal(xpd_align_steps(&align[turned], side, arena, &err), XPD_OK);
        for (int k = 0; k < 2; k++) {
            uint32_t next = 0;
            for (uint32_t i = 0; i < align[turned].count; i++)
                if (align[turned].step[k][i] != XPD_NO_STEP)
                    assert_int_equal(align[turned].step[k][i], next++);
            assert_int_equal(next, side[k].space->step_count);
        }
    }
    assert_int_equal(align[0].count, align[1].count);
    for (int k = 0; k < 2; k++)
        if (align[0].count > 0)
            assert_memory_equal(align[0].step[k], align[1].step[!k],
                                align[0].count * sizeof *align[0].step[k]);
}

static bool same_shape(const struct xpd_mem *const mem[2], uint32_t before, uint32_t after)
{
    if (before == XPD_NO_INDEX || after == XPD_NO_INDEX)
        return false;
    const struct xpd_shape *a = mem[0]->buffer[before].shape, *b = mem[1]->buffer[after].shape;
    return a->type == b->type && a->type != XPD_TYPE_TUPLE && a->rank == b->rank &&
           memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

static bool same_array(const struct xpd_compare_side side[2], const struct xpd_compare_group *gone,
                       const struct xpd_compare_group *new)
{
    const struct xpd_mem *mem[2] = {side[0].mem, side[1].mem};
    return gone->mem_class == new->mem_class &&same_shape(mem, gone->buffer[0], new->buffer[1]);
}

/* Nothing is called new while an array of its class and shape is called gone. */
static void shapes_meet(void **state)
{
    (void)state;
    static const size_t pair[][2] = {{0, 1}, {0, 2}, {1, 8}, {9, 11}, {0, 6}};
    for (size_t p = 0; p < sizeof pair / sizeof *pair; p++) {
        struct xpd_arena arena = {0};
        struct xpd_compare c;
        const struct sick *s[2] = {&program[pair[p][0]].s, &program[pair[p][1]].s};
        if (!program[pair[p][0]].open || !program[pair[p][1]].open)
            skip();
        struct xpd_compare_side side[2] = {{s[0]->mem, xpd_mem_space_of(s[0]->mem, 0)},
                                           {s[1]->mem, xpd_mem_space_of(s[1]->mem, 0)}};
        compare(&c, pair[p][0], pair[p][1], 0, &arena);
        for (uint32_t i = 0; i < c.group_count; i++)
            for (uint32_t k = 0; k < c.group_count; k++)
                if (c.group[i].state == XPD_COMPARE_ONLY_BEFORE &&
                    c.group[k].state == XPD_COMPARE_ONLY_AFTER &&
                    c.group[i].buffer[0] != XPD_NO_INDEX && c.group[k].buffer[1] != XPD_NO_INDEX)
                    assert_false(same_array(side, &c.group[i], &c.group[k]));
        xpd_arena_fini(&arena);
    }
}

/* The other way round: the same groups with before and after exchanged. */
static void the_other_way_round(void **state)
{
    (void)state;
    static const size_t pair[][2] = {{0, 1}, {0, 2}, {1, 8}, {13, 14}, {9, 11}};
    for (size_t p = 0; p < sizeof pair / sizeof *pair; p++) {
        struct xpd_arena arena = {0};
        struct xpd_compare c[2];
        if (!program[pair[p][0]].open || !program[pair[p][1]].open)
            skip();
        compare(&c[0], pair[p][0], pair[p][1], 0, &arena);
        compare(&c[1], pair[p][1], pair[p][0], 0, &arena);
        assert_int_equal(c[0].difference, -c[1].difference);
        assert_int_equal(c[0].group_count, c[1].group_count);
        int64_t(*x)[2] = calloc(c[0].group_count, sizeof *x),
        (*y)[2] = calloc(c[0].group_count, sizeof *y);
        uint32_t states[2][XPD_COMPARE_STATES] = {{0}};
        for (uint32_t i = 0; i < c[0].group_count; i++) {
            x[i][0] = c[0].group[i].bytes[0];
            x[i][1] = c[0].group[i].bytes[1];
            y[i][0] = c[1].group[i].bytes[1];
            y[i][1] = c[1].group[i].bytes[0];
            states[0][c[0].group[i].state]++;
            states[1][c[1].group[i].state]++;
        }
        qsort(x, c[0].group_count, sizeof *x, by_bytes);
        qsort(y, c[0].group_count, sizeof *y, by_bytes);
        assert_memory_equal(x, y, c[0].group_count * sizeof *x);
        assert_int_equal(states[0][XPD_COMPARE_ONLY_BEFORE], states[1][XPD_COMPARE_ONLY_AFTER]);
        assert_int_equal(states[0][XPD_COMPARE_LEFT], states[1][XPD_COMPARE_ENTERED]);
        assert_int_equal(states[0][XPD_COMPARE_CHANGED], states[1][XPD_COMPARE_CHANGED]);
        free(x);
        free(y);
        align_both_ways(pair[p][0], pair[p][1], &arena);
        xpd_arena_fini(&arena);
    }
}

static void pair_buffers(struct xpd_compare_pairs *out, size_t a, size_t b, int64_t color,
                         bool whole, struct xpd_arena *arena);

/* Buffer by buffer, too. */
static void shapes_meet_one_by_one(void **state)
{
    static const size_t pair[][2] = {{0, 1}, {0, 2}, {1, 8}, {9, 11}, {0, 6}};
    (void)state;
    for (size_t p = 0; p < sizeof pair / sizeof *pair; p++) {
        const struct xpd_mem *mem[2] = {program[pair[p][0]].s.mem, program[pair[p][1]].s.mem};
        struct xpd_arena arena = {0};
        struct xpd_compare_pairs c;
        if (!program[pair[p][0]].open || !program[pair[p][1]].open)
            skip();
        for (int whole = 0; whole < 2; whole++) {
            pair_buffers(&c, pair[p][0], pair[p][1], 0, whole, &arena);
            for (uint32_t i = 0; i < c.count; i++)
                for (uint32_t k = 0; k < c.count; k++)
                    if (c.at[i].state == XPD_COMPARE_ONLY_BEFORE &&
                        c.at[k].state == XPD_COMPARE_ONLY_AFTER &&
                        c.at[i].mem_class == c.at[k].mem_class)
                        assert_false(same_shape(mem, c.at[i].buffer[0], c.at[k].buffer[1]));
        }
        xpd_arena_fini(&arena);
    }
}

static enum xpd_compare_state turned(enum xpd_compare_state state)
{
    switch (state) {
    case XPD_COMPARE_ONLY_BEFORE: return XPD_COMPARE_ONLY_AFTER;
    case XPD_COMPARE_ONLY_AFTER: return XPD_COMPARE_ONLY_BEFORE;
    case XPD_COMPARE_LEFT: return XPD_COMPARE_ENTERED;
    case XPD_COMPARE_ENTERED: return XPD_COMPARE_LEFT;
    default: return state;
    }
}

static void pair_buffers(struct xpd_compare_pairs *out, size_t a, size_t b, int64_t color,
                         bool whole, struct xpd_arena *arena)
{
    struct xpd_err err = {0};
    struct xpd_compare_side side[2] = {
        {program[a].s.mem, xpd_mem_space_of(program[a].s.mem, color)},
        {program[b].s.mem, xpd_mem_space_of(program[b].s.mem, color)}};
    if (xpd_compare_buffers(out, side, whole, arena, &err) != XPD_OK)
        fail_msg("%s", err.text);
}

/* Every buffer stands in one row, and only there; a state says what it has. */
static void each_once(const struct xpd_compare_pairs *p, size_t of, int s)
{
    const struct xpd_mem *mem = program[of].s.mem;
    uint32_t *rows = calloc((size_t)mem->hlo->buffers.count + 1, sizeof *rows);
    for (uint32_t i = 0; i < p->count; i++) {
        const struct xpd_compare_pair *row = &p->at[i];
        if (!row->overlap && row->has[s] && row->buffer[s] != XPD_NO_INDEX)
            rows[row->buffer[s]]++;
        if (row->state == XPD_COMPARE_SAME)
            assert_int_equal(row->bytes[0], row->bytes[1]);
        if (row->state == XPD_COMPARE_LEFT || row->state == XPD_COMPARE_ONLY_BEFORE)
            assert_true(row->has[0] && !row->has[1]);
        if (row->state == XPD_COMPARE_ENTERED || row->state == XPD_COMPARE_ONLY_AFTER)
            assert_true(row->has[1] && !row->has[0]);
    }
    for (uint32_t i = 0; i < mem->hlo->buffers.count; i++)
        assert_true(rows[i] <= 1);
    free(rows);
}

/* What buffer pairs add up to is the difference of the peaks; the other way round it is the same
 * with the sides exchanged; a program against itself has nothing but equal ones. */
static void buffers_close_on_every_pair(void **state)
{
    (void)state;
    uint32_t pairs = 0;
    for (size_t a = 0; a < SETS; a++)
        for (size_t b = a; b < SETS; b++)
            for (int64_t color = 0; color < 2 && program[a].open && program[b].open; color++) {
                struct xpd_arena arena = {0};
                struct xpd_compare_pairs p[2];
                const struct xpd_mem_space *space[2] = {xpd_mem_space_of(program[a].s.mem, color),
                                                        xpd_mem_space_of(program[b].s.mem, color)};
                if (!space[0] || !space[1])
                    continue;
                pair_buffers(&p[0], a, b, color, false, &arena);
                pair_buffers(&p[1], b, a, color, false, &arena);
                for (int s = 0; s < 2; s++) {
                    assert_int_equal(p[0].bytes[s], space[s]->peak_bytes);
                    assert_int_equal(p[1].bytes[s], space[!s]->peak_bytes);
                    each_once(&p[0], s ? b : a, s);
                }
                assert_int_equal(p[0].count, p[1].count);
                int64_t more[2] = {0, 0};
                for (uint32_t i = 0; i < p[0].count; i++) {
                    more[0] += p[0].at[i].bytes[1] - p[0].at[i].bytes[0];
                    more[1] += p[1].at[i].bytes[1] - p[1].at[i].bytes[0];
                }
                assert_int_equal(more[0], space[1]->peak_bytes - space[0]->peak_bytes);
                assert_int_equal(more[0], -more[1]);
                for (int k = 0; k < XPD_COMPARE_STATES; k++)
                    assert_int_equal(p[0].states[k],
                                     p[1].states[turned((enum xpd_compare_state)k)]);
                if (a == b)
                    assert_int_equal(p[0].states[XPD_COMPARE_SAME], p[0].count);
                pairs++;
                xpd_arena_fini(&arena);
            }
    if (pairs == 0)
        skip();
    print_message("%u pairs close buffer by buffer\n", pairs);
}

/* noremat against remat: of six scores one is at both peaks, five left it (they are computed a
 * second time, so the program after has them, too); of the program nothing of them is gone. */
static void scores_leave_the_peak(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    struct xpd_compare_pairs p;
    if (!program[0].open || !program[1].open)
        skip();
    pair_buffers(&p, 0, 1, 0, false, &arena);
    uint32_t left = 0, same = 0;
    for (uint32_t i = 0; i < p.count; i++)
        if (p.at[i].bytes[0] == 512 * MIB || p.at[i].bytes[1] == 512 * MIB) {
            left += p.at[i].state == XPD_COMPARE_LEFT;
            same += p.at[i].state == XPD_COMPARE_SAME;
        }
    assert_int_equal(left, 5);
    assert_int_equal(same, 1);
    pair_buffers(&p, 0, 1, 0, true, &arena);
    for (uint32_t i = 0; i < p.count; i++)
        assert_false(p.at[i].state == XPD_COMPARE_LEFT || p.at[i].state == XPD_COMPARE_ENTERED);
    xpd_arena_fini(&arena);
}

static void numbers_of_names(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool same;
    } row[] = {
        {"fusion.12", "fusion.7", true},
        {"fusion", "fusion.7", true},
        {"fusion.12.clone.3", "fusion.7.clone", true},
        {"%copy-start.4, %p.1", "%copy-start.5, %p.22", true},
        {"fusion.12", "fusions.12", false},
        {"constant(0.5)", "constant(0.7)", false},
        {"constant(1.5e-05)", "constant(2.5e-05)", false},
        {"f32[8,16]{1,0:T(8,128)}", "f32[8,17]{1,0:T(8,128)}", false},
        {"dim_labels=b0f_0io->b0f", "dim_labels=b0f_0io->b0g", false},
        {"a.1b", "a.2b", false}, /* not a number of the compiler's */
        {"%fusion.1 = add", "%fusion.2 = sub", false},
        {"", "", true},
        {".1", ".2", false},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (xpd_same_but_numbers(xpd_str_of(row[i].a), xpd_str_of(row[i].b)) != row[i].same ||
            xpd_same_but_numbers(xpd_str_of(row[i].b), xpd_str_of(row[i].a)) != row[i].same)
            fail_msg("%s against %s", row[i].a, row[i].b);
}

/* -3,285.625 and +1,239.242 MiB; six scores become one. */
static void numbers_of_the_model(void **state)
{
    (void)state;
    struct xpd_arena arena = {0};
    struct xpd_compare c;
    if (!program[0].open || !program[1].open || !program[2].open)
        skip();
    compare(&c, 0, 1, 0, &arena);
    assert_int_equal((c.difference * 1000 - MIB / 2) / MIB, -3285625);
    const struct xpd_compare_group *first = &c.group[0];
    assert_int_equal(first->state, XPD_COMPARE_CHANGED);
    assert_int_equal(first->count[0], 6);
    assert_int_equal(first->count[1], 1);
    assert_int_equal(first->bytes[1] - first->bytes[0], -2560 * MIB);
    assert_int_equal(c.group[1].state, XPD_COMPARE_LEFT);
    assert_int_equal(c.group[1].bytes[0], 320 * MIB);
    compare(&c, 0, 2, 0, &arena);
    assert_int_equal((c.difference * 1000 + MIB / 2) / MIB, 1239242);
    struct xpd_opcode_count *opcode;
    uint32_t opcodes;
    struct xpd_opcode_change totals;
    struct xpd_err err = {0};
    assert_int_equal(xpd_compare_opcodes(&opcode, &opcodes, &totals, program[0].s.hlo,
                                         program[1].s.hlo, &arena, &err),
                     XPD_OK);
    assert_int_equal(opcodes + totals.same, 23);
    uint32_t fusion = 0;
    while (fusion < opcodes && !xpd_str_eq(opcode[fusion].opcode, XPD_STR("fusion")))
        fusion++;
    assert_true(fusion < opcodes);
    assert_int_equal(opcode[fusion].count[0], 197);
    assert_int_equal(opcode[fusion].count[1], 245);
    xpd_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_closes),      cmocka_unit_test(shapes_meet),
        cmocka_unit_test(shapes_meet_one_by_one), cmocka_unit_test(the_other_way_round),
        cmocka_unit_test(numbers_of_the_model),   cmocka_unit_test(buffers_close_on_every_pair),
        cmocka_unit_test(scores_leave_the_peak),  cmocka_unit_test(numbers_of_names),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
