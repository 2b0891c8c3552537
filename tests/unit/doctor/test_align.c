/* Alignment of two programs: as long as a table of all pairs finds, also when it is cut at anchors;
 * the same with the sides exchanged; every step of both in exactly one slot. */
#include "doctor_test.h"

#include "xprofd/doctor/align.h"

#define LONGEST 160

static uint32_t seed = 1;
static uint32_t next_random(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

/* The length by the table of all pairs. */
static uint32_t longest(const uint32_t *a, uint32_t n, const uint32_t *b, uint32_t m)
{
    static uint32_t table[LONGEST + 1][LONGEST + 1];
    for (uint32_t i = 1; i <= n; i++)
        for (uint32_t j = 1; j <= m; j++) {
            uint32_t up = table[i - 1][j], left = table[i][j - 1];
            table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1 : up > left ? up : left;
        }
    return table[n][m];
}

/* Ascending pairs of equal keys; how many. */
static uint32_t checked(const uint32_t *match, const uint32_t *a, uint32_t n, const uint32_t *b,
                        uint32_t m)
{
    uint32_t count = 0, least = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (match[i] == XPD_NO_STEP)
            continue;
        assert_true(match[i] >= least && match[i] < m);
        assert_int_equal(a[i], b[match[i]]);
        least = match[i] + 1;
        count++;
    }
    return count;
}

static void as_long_as_the_table(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < 4000; round++) {
        uint32_t a[LONGEST], b[LONGEST], match[LONGEST];
        uint32_t n = next_random() % (LONGEST + 1), m = next_random() % (LONGEST + 1);
        uint32_t keys = 1 + next_random() % (round % 3 == 0 ? 3 : 60);
        for (uint32_t i = 0; i < n; i++)
            a[i] = next_random() % keys;
        for (uint32_t j = 0; j < m; j++) /* often a copy of a with holes, as programs are */
            b[j] = j < n && next_random() % 4 ? a[j] : next_random() % keys;
        struct xpd_arena arena = {0};
        bool whole = false;
        assert_true(xpd_align_keys(match, a, n, b, m, XPD_ALIGN_BITS, &whole, &arena));
        assert_true(whole);
        assert_int_equal(checked(match, a, n, b, m), longest(a, n, b, m));
        xpd_arena_fini(&arena);
    }
}

/* Too long for one table: what is found is right, if not always the longest; nothing in common says
 * that parts were left. */
static void cut_at_anchors(void **state)
{
    (void)state;
    uint32_t partly = 0;
    for (uint32_t round = 0; round < 400; round++) {
        uint32_t a[LONGEST], b[LONGEST], match[LONGEST];
        for (uint32_t i = 0; i < LONGEST; i++) {
            a[i] = i % 9 == 0 ? 100 + i : next_random() % 8;
            b[i] = next_random() % 5 ? a[i] : next_random() % 8;
        }
        struct xpd_arena arena = {0};
        bool whole = false;
        assert_true(xpd_align_keys(match, a, LONGEST, b, LONGEST, 400, &whole, &arena));
        uint32_t found = checked(match, a, LONGEST, b, LONGEST);
        assert_true(found > LONGEST / 2 && found <= longest(a, LONGEST, b, LONGEST));
        partly += !whole;
        xpd_arena_fini(&arena);
    }
    print_message("%u of 400 were aligned in part\n", partly);
    uint32_t same[LONGEST] = {0}, other[LONGEST], match[LONGEST];
    for (uint32_t i = 0; i < LONGEST; i++)
        other[i] = i == 0 || i == LONGEST - 1 ? 1 : 0; /* no anchors, no equal ends */
    struct xpd_arena arena = {0};
    bool whole = true;
    assert_true(xpd_align_keys(match, same, LONGEST, other, LONGEST, 400, &whole, &arena));
    assert_false(whole);
    assert_int_equal(checked(match, same, LONGEST, other, LONGEST), 0);
    xpd_arena_fini(&arena);
}

static const struct hb_shape four = {.type = HB_F32, .rank = 1, .dims = {4}};
#define MADE(number, what, path)                                                                   \
    {                                                                                              \
        .id = (number), .name = (what), .opcode = (what), .shape = &four, .mib = 1, .kind = 't',   \
        .op_name = (path)                                                                          \
    }

/* Two programs of four and six events; the second computes one more array. */
static void slots_of_two_programs(void **state)
{
    (void)state;
    static const struct op before[] = {MADE(1, "add", "jit(f)/x/add"),
                                       MADE(2, "multiply", "jit(f)/y/mul")};
    static const struct op after[] = {MADE(1, "add", "jit(f)/x/add"),
                                      MADE(3, "negate", "jit(f)/z/neg"),
                                      MADE(2, "multiply", "jit(f)/y/mul")};
    struct sick s[2];
    struct hb hb[2];
    memset(s, 0, sizeof s);
    for (int i = 0; i < 2; i++) {
        hb_init(&hb[i], "m");
        sick_program(&hb[i], i ? after : before, i ? 3 : 2,
                     i ? "A1 A3 A2 F1 F3 F2" : "A1 A2 F1 F2");
        sick_open(&s[i], &hb[i]);
    }
    for (int turned = 0; turned < 2; turned++) {
        struct xpd_compare_side side[2] = {{s[turned].mem, xpd_mem_space_of(s[turned].mem, 0)},
                                           {s[!turned].mem, xpd_mem_space_of(s[!turned].mem, 0)}};
        static const uint32_t few[] = {0, XPD_NO_STEP, 1, 2, XPD_NO_STEP, 3};
        static const uint32_t many[] = {0, 1, 2, 3, 4, 5};
        struct xpd_arena arena = {0};
        struct xpd_align align;
        struct xpd_err err = {0};
        assert_int_equal(xpd_align_steps(&align, side, &arena, &err), XPD_OK);
        assert_int_equal(align.count, 6);
        assert_int_equal(align.matched, 4);
        assert_int_equal(turned ? align.only_before : align.only_after, 2);
        assert_memory_equal(align.step[turned], few, sizeof few);
        assert_memory_equal(align.step[!turned], many, sizeof many);
        xpd_arena_fini(&arena);
    }
    for (int i = 0; i < 2; i++)
        sick_close(&s[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_long_as_the_table),
        cmocka_unit_test(cut_at_anchors),
        cmocka_unit_test(slots_of_two_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
