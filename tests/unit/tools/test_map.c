/* The address map against a plain look at every tenancy, on a generated module: which are boxes of
 * their own, and that the joined ones cover the others. And what two threads choose against what
 * one does. */
#include "tool_call.h"

#include "hlo_bench.h"
#include "xprofd/memory/blocks.h"
#include "xprofd/memory/map.h"

static struct {
    struct xpd_store *store;
    const struct xpd_run *run;
    const struct xpd_hlo *hlo;
    const struct xpd_mem *mem;
    const struct xpd_mem_space *space;
    char path[256];
} place;

static int open_place(void **state)
{
    struct pbw proto = {0};
    struct bench_size size = {4000, 6000, 12000};
    struct xpd_load_state load;
    (void)state;
    bench_build(&proto, &size);
    place.store = store_of_proto(proto.data, proto.len, place.path);
    pbw_free(&proto);
    struct xpd_catalog *catalog = xpd_store_catalog(place.store, 0);
    assert_int_equal(
        xpd_store_acquire(place.store, xpd_str_of(catalog->run[0].id), -1, &place.run, &load, NULL),
        XPD_OK);
    xpd_catalog_release(catalog);
    assert_int_equal(xpd_store_module(place.store, place.run, 0, &place.hlo, &place.mem, NULL),
                     XPD_OK);
    place.space = xpd_mem_space_of(place.mem, 0);
    assert_non_null(place.space);
    return 0;
}

static int close_place(void **state)
{
    (void)state;
    xpd_store_release(place.store, place.run);
    xpd_store_close(place.store);
    remove_folder(place.path);
    return 0;
}

struct view {
    int64_t from, to, px, py;
};

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Whether a tenancy is at least a pixel wide or high. */
static bool is_box(const struct view *view, const struct xpd_tenancy *t)
{
    int64_t steps = earlier(t->end_step, view->to) - later(t->start_step, view->from);
    return (double)steps * ((double)view->px / (double)(view->to - view->from)) >= 1.0 ||
           (double)t->size_bytes * ((double)view->py / (double)place.space->heap_bytes) >= 1.0;
}

/* Whether a joined box covers it. */
static bool is_covered(const cJSON *map, const struct xpd_tenancy *t)
{
    const cJSON *start = at(map, "merged.start_step")->child,
                *end = at(map, "merged.end_step")->child;
    const cJSON *offset = at(map, "merged.offset_bytes")->child;
    const cJSON *size = at(map, "merged.size_bytes")->child;
    for (; start; start = start->next, end = end->next, offset = offset->next, size = size->next)
        if (start->valuedouble <= t->start_step && end->valuedouble >= t->end_step &&
            offset->valuedouble <= (double)t->offset_bytes &&
            offset->valuedouble + size->valuedouble >= (double)(t->offset_bytes + t->size_bytes))
            return true;
    return false;
}

/* A block of the answer says shape and scope of a buffer. */
static void in_block(const cJSON *map, int number, const struct xpd_blocks *blocks, uint32_t buffer)
{
    uint32_t block = blocks->of_buffer[buffer];
    assert_true(xpd_str_eq(xpd_str_of(name_at(map, "blocks.shape", number)), blocks->shape[block]));
    assert_true(xpd_str_eq(xpd_str_of(name_at(map, "blocks.scope", number)), blocks->scope[block]));
}

static void look(const struct view *view)
{
    struct answer map;
    ask_ok(&map, place.store, "/api/v1/memory/map", "from=%lld&to=%lld&px=%lld&py=%lld",
           (long long)view->from, (long long)view->to, (long long)view->px, (long long)view->py);
    const cJSON *box = at(map.json, "tenancy"), *size = at(map.json, "size_bytes");
    const cJSON *start = at(map.json, "start_step"), *buffer = at(map.json, "buffer");
    const cJSON *block = at(map.json, "block");
    struct xpd_arena arena = {0};
    struct xpd_blocks blocks;
    assert_true(xpd_mem_blocks(place.mem, &arena, &blocks));
    uint32_t boxes = 0, joined = 0, large = 0;
    for (uint32_t i = 0; i < place.space->tenancy_count; i++) {
        const struct xpd_tenancy *t = &place.space->tenancy[i];
        if (t->start_step >= view->to || t->end_step <= view->from || t->size_bytes <= 0 ||
            t->end_step <= t->start_step)
            continue;
        large += is_box(view, t);
        if (boxes < (uint32_t)cJSON_GetArraySize(box) && item_at(box, (int)boxes) == i) {
            assert_true(is_box(view, t));
            assert_true(item_at(size, (int)boxes) == t->size_bytes);
            assert_true(item_at(start, (int)boxes) == t->start_step);
            assert_true(item_at(buffer, (int)boxes) == t->buffer);
            in_block(map.json, (int)item_at(block, (int)boxes), &blocks, t->buffer);
            boxes++;
        } else {
            joined++;
            if (joined % 16 == 0)
                assert_true(is_covered(map.json, t));
        }
    }
    assert_int_equal(boxes, number_at(map.json, "n"));
    assert_int_equal(joined, number_at(map.json, "merged_count"));
    assert_int_equal(joined, column_sum(map.json, "merged.count"));
    assert_true(cJSON_GetArraySize(at(map.json, "merged.start_step")) <= 4096);
    if (large <= number_at(map.json, "limit"))
        assert_int_equal(boxes, large);
    assert_int_equal(cJSON_GetArraySize(block), boxes);
    assert_int_equal(cJSON_GetArraySize(at(map.json, "merged.block")),
                     cJSON_GetArraySize(at(map.json, "merged.start_step")));
    xpd_arena_fini(&arena);
    answer_free(&map);
}

static void boxes_and_joined_ones_are_all(void **state)
{
    int64_t steps = place.space->step_count;
    const struct view view[] = {{0, steps, 300, 200},
                                {0, steps, 20, 10},
                                {0, steps, 1, 1},
                                {0, steps, 8192, 8192}, /* more boxes than are told */
                                {0, steps, 3000, 2},
                                {steps / 3, steps / 2, 400, 50},
                                {steps - 1, steps, 100, 100}};
    (void)state;
    for (size_t i = 0; i < sizeof view / sizeof *view; i++)
        look(&view[i]);
}

/* ---- two threads ---- */

#define TENANCIES 30000

static struct {
    uint32_t start[TENANCIES], end[TENANCIES];
    int64_t offset[TENANCIES], size[TENANCIES];
    uint64_t seed;
} plan;

static uint32_t below(uint32_t limit)
{
    plan.seed = plan.seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((plan.seed >> 33) % limit);
}

/* Tenancies in order of start, about `burst` at once, some empty, many of equal size. */
static void make_plan(uint32_t steps, uint32_t heap, uint32_t longest, uint32_t largest)
{
    uint32_t step = 0, burst = 1 + below(40);
    for (uint32_t i = 0; i < TENANCIES; i++) {
        if (below(burst) == 0 && step + 1 < steps)
            step += 1 + below(2 * burst * steps / TENANCIES + 1);
        step = step < steps ? step : steps - 1;
        plan.start[i] = step;
        plan.end[i] = step + (below(50) == 0 ? 0 : 1 + below(longest));
        plan.size[i] = below(50) == 0 ? 0 : 256 * (1 + below(below(2) ? 3 : largest));
        plan.offset[i] = below(heap);
    }
}

static void choose(struct xpd_map_view *view, uint32_t split, struct xpd_arena *arena)
{
    view->column = (struct xpd_tenancy_columns){plan.start, plan.end, plan.offset, plan.size};
    uint32_t count = 0;
    while (count < TENANCIES && plan.start[count] < view->window.to)
        count++;
    assert_true(xpd_map_choose_split(view, count, split, arena));
    xpd_map_join_rest(view);
}

static void assert_same_cell(const struct xpd_map_cell *a, const struct xpd_map_cell *b)
{
    assert_int_equal(a->start, b->start);
    assert_int_equal(a->end, b->end);
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->tenancy, b->tenancy);
    assert_int_equal(a->offset_bytes, b->offset_bytes);
    assert_int_equal(a->top_bytes, b->top_bytes);
    assert_int_equal(a->largest_bytes, b->largest_bytes);
    assert_int_equal(a->key, b->key);
}

/* Returns how often the cells doubled. */
static uint32_t compare_split(struct xpd_map_view view, uint32_t split)
{
    struct xpd_arena arena = {0};
    struct xpd_map_view one = view, two = view;
    choose(&one, TENANCIES, &arena);
    choose(&two, split, &arena);
    assert_int_equal(two.merged_count, one.merged_count);
    assert_int_equal(two.coarse, one.coarse);
    assert_int_equal(two.box_count, one.box_count);
    for (uint32_t i = 0; i < one.box_count; i++)
        assert_int_equal(two.box[i], one.box[i]);
    assert_int_equal(two.cell_count, one.cell_count);
    for (uint32_t i = 0; i < one.cell_count; i++)
        assert_same_cell(&two.cell[i], &one.cell[i]);
    xpd_arena_fini(&arena);
    return one.coarse;
}

static void two_threads_choose_what_one_does(void **state)
{
    uint32_t coarsest = 0, finest = UINT32_MAX;
    (void)state;
    for (uint32_t round = 0; round < 60; round++) {
        plan.seed = round;
        uint32_t steps = 100 + below(60000), heap = 1000000 + below(1 << 30);
        make_plan(steps, heap, 1 + below(below(2) ? 4 : 400), 1 + below(200));
        uint32_t from = below(2) ? 0 : below(steps - 1), to = from + 1 + below(steps - from);
        struct xpd_map_view view = {.window = {from, to}, .py = 1 + below(3000)};
        view.px_per_step = (1.0 + below(8192)) / (to - from);
        view.px_per_byte = (double)view.py / heap;
        uint32_t coarse = compare_split(view, TENANCIES / 2);
        compare_split(view, 1 + below(TENANCIES - 1));
        compare_split(view, below(2) ? 1 : 1 + below(400));
        coarsest = coarse > coarsest ? coarse : coarsest;
        finest = coarse < finest ? coarse : finest;
    }
    assert_int_equal(finest, 0); /* both kinds were tried: cells that fit, and cells that grew */
    assert_true(coarsest >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes_and_joined_ones_are_all),
                                       cmocka_unit_test(two_threads_choose_what_one_does)};
    return cmocka_run_group_tests(tests, open_place, close_place);
}
