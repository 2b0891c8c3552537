/* Side tables against plain computations, on a generated module. */
#include "generated.h"

#include "tools/common/name_ranks.h"
#include "tools/memory/buffer_key.h"
#include "tools/memory/table_facts.h"
#include "tools/tables/table_equal.h"
#include "tools/tables/table_words.h"
#include <sched.h>

static struct generated place;

static int open_place(void **state)
{
    (void)state;
    generated_open(&place, &(struct bench_size){2500, 3000, 6000});
    return 0;
}

static int close_place(void **state)
{
    (void)state;
    generated_close(&place);
    return 0;
}

static void words_are_those_of_each_instruction(void **state)
{
    const struct xpd_tool_ctx *ctx = &place.ctx;
    const struct xpd_words *words = xpd_table_words(ctx, NULL);
    struct xpd_strbuf text = {0};
    (void)state;
    assert_non_null(words);
    assert_ptr_equal(words, xpd_table_words_made(ctx));
    for (uint32_t i = 0; i < ctx->hlo->instructions.count; i++) {
        assert_true(
            xpd_str_eq(xpd_hlo_text(ctx->hlo, words->op_name[i]), xpd_hlo_op_name(ctx->hlo, i)));
        xpd_strbuf_clear(&text);
        xpd_source_put_of(&text, ctx->hlo, i);
        assert_true(
            xpd_str_eq(words->text[words->source[i]], (struct xpd_str){text.data, text.size}));
        assert_int_equal(words->group[i], xpd_op_group_of(ctx->hlo, i));
    }
    for (uint32_t i = 0; i < ctx->hlo->buffers.count; i++)
        assert_int_equal(words->color[i], xpd_mem_color_of(ctx->mem, i));
    xpd_strbuf_fini(&text);
}

static void savings_are_those_of_each_buffer(void **state)
{
    const struct xpd_tool_ctx *ctx = &place.ctx;
    const struct xpd_savings *savings = xpd_table_savings(ctx, NULL);
    int64_t highest = 0;
    (void)state;
    assert_non_null(savings);
    for (uint32_t i = 0; i < ctx->hlo->buffers.count; i++) {
        struct xpd_arena scratch = {0};
        assert_int_equal(savings->by_buffer[i],
                         xpd_saving(ctx->mem, ctx->space, &i, 1, NULL, NULL, &scratch));
        highest = savings->by_buffer[i] > highest ? savings->by_buffer[i] : highest;
        xpd_arena_fini(&scratch);
    }
    assert_true(highest > 0);
}

/* fusion.2 before fusion.10, spelled out once more. */
static int natural(const char *a, const char *b)
{
    while (*a && *b) {
        if (*a >= '0' && *a <= '9' && *b >= '0' && *b <= '9') {
            char *end_a, *end_b;
            unsigned long x = strtoul(a, &end_a, 10), y = strtoul(b, &end_b, 10);
            if (x != y)
                return x < y ? -1 : 1;
            a = end_a;
            b = end_b;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return *a ? 1 : *b ? -1 : 0;
}

/* Shapes, op names without the program, and steps of the last use; unknown ones are asked before.
 */
static int compare_others(enum xpd_buffer_key key, uint32_t a, uint32_t b)
{
    const struct xpd_tool_ctx *ctx = &place.ctx;
    const struct xpd_hlo *hlo = ctx->hlo;
    struct xpd_strbuf x = {0}, y = {0};
    if (key == XPD_SORT_SHAPE) {
        xpd_shape_text(&x, ctx->mem->buffer[a].shape, false);
        xpd_shape_text(&y, ctx->mem->buffer[b].shape, false);
    } else {
        struct xpd_str p = xpd_scope_path(xpd_hlo_op_name(hlo, hlo->buffers.instruction[a]));
        struct xpd_str q = xpd_scope_path(xpd_hlo_op_name(hlo, hlo->buffers.instruction[b]));
        xpd_strbuf_add(&x, p.data, p.size);
        xpd_strbuf_add(&y, q.data, q.size);
    }
    xpd_strbuf_putc(&x, '\0');
    xpd_strbuf_putc(&y, '\0');
    int order = natural(x.data, y.data);
    xpd_strbuf_fini(&x);
    xpd_strbuf_fini(&y);
    return order;
}

static int compare_last_use(uint32_t a, uint32_t b, bool descending)
{
    struct xpd_use_span x, y;
    xpd_uses_of(place.ctx.mem, place.ctx.space, a, &x);
    xpd_uses_of(place.ctx.mem, place.ctx.space, b, &y);
    int order = (x.last_step > y.last_step) - (x.last_step < y.last_step);
    bool unknown = x.last_step == XPD_NO_STEP || y.last_step == XPD_NO_STEP;
    return unknown && descending ? -order : order; /* XPD_NO_STEP is the largest number */
}

static int compare_rows(enum xpd_buffer_key key, const struct xpd_buffer_row *a,
                        const struct xpd_buffer_row *b)
{
    const struct xpd_tool_ctx *ctx = &place.ctx;
    if (key == XPD_SORT_NAME) {
        struct xpd_strbuf x = {0}, y = {0};
        xpd_mem_buffer_name(&x, ctx->mem, a->buffer);
        xpd_mem_buffer_name(&y, ctx->mem, b->buffer);
        int order = natural(x.data, y.data);
        xpd_strbuf_fini(&x);
        xpd_strbuf_fini(&y);
        return order;
    }
    const int64_t *saving = xpd_table_savings(ctx, NULL)->by_buffer;
    int64_t x = key == XPD_SORT_SIZE ? a->size_bytes : saving[a->buffer];
    int64_t y = key == XPD_SORT_SIZE ? b->size_bytes : saving[b->buffer];
    return (x > y) - (x < y);
}

/* Each row stands behind the one before it, equal ones in order of rows: there is one such order.
 */
static void orders_are_sorted(void **state)
{
    const enum xpd_buffer_key keys[] = {XPD_SORT_SIZE,  XPD_SORT_SAVING, XPD_SORT_NAME,
                                        XPD_SORT_SHAPE, XPD_SORT_SCOPE,  XPD_SORT_LAST_USE};
    const struct xpd_tool_ctx *ctx = &place.ctx;
    const struct xpd_all_rows *all = xpd_table_rows(ctx, NULL);
    (void)state;
    assert_true(all->count > 1000);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (int descending = 0; descending < 2; descending++) {
            const uint32_t *row = xpd_table_order(ctx, keys[k], descending, NULL)->row;
            bool *seen = calloc(all->count, sizeof *seen);
            for (uint32_t i = 0; i < all->count; i++) {
                assert_true(row[i] < all->count && !seen[row[i]]);
                seen[row[i]] = true;
                if (i == 0)
                    continue;
                const struct xpd_buffer_row *a = &all->row[row[i - 1]], *b = &all->row[row[i]];
                int order = keys[k] == XPD_SORT_LAST_USE
                                ? compare_last_use(a->buffer, b->buffer, descending)
                            : keys[k] == XPD_SORT_SHAPE || keys[k] == XPD_SORT_SCOPE
                                ? compare_others(keys[k], a->buffer, b->buffer)
                                : compare_rows(keys[k], a, b);
                order = descending ? -order : order;
                assert_true(order < 0 || (order == 0 && row[i - 1] < row[i]));
            }
            free(seen);
        }
}

static bool same_but_numbers(struct xpd_str a, struct xpd_str b)
{
    size_t i = 0, j = 0;
    while (i < a.size && j < b.size) {
        bool digit_a = a.data[i] >= '0' && a.data[i] <= '9';
        bool digit_b = b.data[j] >= '0' && b.data[j] <= '9';
        if (digit_a != digit_b || (!digit_a && a.data[i] != b.data[j]))
            return false;
        if (!digit_a) {
            i++;
            j++;
            continue;
        }
        while (i < a.size && a.data[i] >= '0' && a.data[i] <= '9')
            i++;
        while (j < b.size && b.data[j] >= '0' && b.data[j] <= '9')
            j++;
    }
    return i == a.size && j == b.size;
}

static bool are_equal(const struct xpd_mem *mem, uint32_t a, uint32_t b)
{
    const struct xpd_mem_buffer *x = &mem->buffer[a], *y = &mem->buffer[b];
    return x->size_bytes == y->size_bytes && x->mem_class == y->mem_class &&
           xpd_mem_color_of(mem, a) == xpd_mem_color_of(mem, b) &&
           x->shape->type == y->shape->type && x->shape->rank == y->shape->rank &&
           (x->shape->rank == 0 ||
            memcmp(x->shape->dims, y->shape->dims, x->shape->rank * sizeof *x->shape->dims) == 0) &&
           same_but_numbers(xpd_hlo_op_name(mem->hlo, x->instruction),
                            xpd_hlo_op_name(mem->hlo, y->instruction));
}

static void equal_buffers_are_found_pair_by_pair(void **state)
{
    const struct xpd_tool_ctx *ctx = &place.ctx;
    const struct xpd_equals *equals = xpd_table_equals(ctx, NULL);
    uint32_t count = ctx->hlo->buffers.count, several = 0;
    (void)state;
    assert_non_null(equals);
    for (uint32_t a = 0; a < count; a += 7) {
        uint32_t group = equals->group[a], at = equals->first[group];
        for (uint32_t b = 0; b < count; b++) {
            if (!are_equal(ctx->mem, a, b))
                continue;
            assert_true(at < equals->first[group + 1]);
            assert_int_equal(equals->member[at++], b);
        }
        assert_int_equal(at, equals->first[group + 1]);
        several += at - equals->first[group] > 1;
    }
    assert_true(several > 0);
}

/* Of each group the sums over the rows whose text is its name. */
static void groups_add_up(void **state)
{
    const struct xpd_tool_ctx *ctx = &place.ctx;
    const struct xpd_all_rows *all = xpd_table_rows(ctx, NULL);
    enum { BY_OPCODE = 3, BY_CLASS = 5 };
    (void)state;
    for (uint32_t by = BY_OPCODE; by <= BY_CLASS; by += BY_CLASS - BY_OPCODE) {
        const struct xpd_row_groups *groups = xpd_table_groups(ctx, by, NULL);
        int64_t total = 0;
        for (uint32_t g = 0; g < groups->group_count; g++) {
            const struct xpd_buffer_group *group = &groups->group[g];
            uint32_t count = 0, *list = calloc(all->count, sizeof *list);
            int64_t bytes = 0;
            for (uint32_t i = 0; i < all->count; i++) {
                uint32_t buffer = all->row[i].buffer;
                struct xpd_str text =
                    by == BY_OPCODE ? xpd_hlo_opcode(ctx->hlo, ctx->mem->buffer[buffer].instruction)
                                    : xpd_str_of(xpd_mem_class_word(all->row[i].mem_class));
                if (!xpd_str_eq(text, groups->text[group->name]))
                    continue;
                bytes += all->row[i].size_bytes;
                list[count++] = buffer;
            }
            assert_int_equal(group->count, count);
            assert_int_equal(group->bytes, bytes);
            struct xpd_arena scratch = {0};
            assert_int_equal(group->saving,
                             xpd_saving(ctx->mem, ctx->space, list, count, NULL, NULL, &scratch));
            xpd_arena_fini(&scratch);
            free(list);
            total += bytes;
        }
        assert_int_equal(groups->left_out, 0);
        assert_int_equal(total, all->bytes);
    }
}

static void facts_are_xprofs_numbers(void **state)
{
    const struct xpd_tool_ctx *ctx = &place.ctx;
    const struct xpd_facts *facts = xpd_table_facts(ctx, NULL);
    struct xpd_xprof_memory xprof;
    struct xpd_arena scratch = {0};
    (void)state;
    assert_int_equal(xpd_xprof_memory(&xprof, ctx->mem, 0, XPD_XPROF_SMALL_BYTES, &scratch, NULL),
                     XPD_OK);
    assert_int_equal(facts->xprof.peak_bytes, xprof.peak_bytes);
    assert_int_equal(facts->xprof.peak_position, xprof.peak_position);
    assert_int_equal(facts->xprof.total_bytes, xprof.total_bytes);
    assert_int_equal(facts->xprof.indefinite_bytes, xprof.indefinite_bytes);
    assert_null(facts->xprof.block);
    xpd_arena_fini(&scratch);
}

/* The kept part of a name is what the match gives. */
static void look_for(const char *typed)
{
    const struct xpd_tool_ctx *ctx = &place.ctx;
    struct xpd_match match;
    struct xpd_name_ranks ranks;
    struct xpd_strbuf text = {0}, room = {0};
    xpd_match_init(&match, xpd_str_of(typed));
    match.allowed_ns = INT64_MAX;
    assert_true(xpd_name_ranks_init(&ranks, &match, ctx->mem, ctx->arena));
    for (int again = 0; again < 2; again++)
        for (uint32_t i = 0; i < ctx->hlo->instructions.count; i++)
            assert_int_equal(xpd_rank_of_instruction(&ranks, i),
                             xpd_match_test(&match, xpd_hlo_instruction_name(ctx->hlo, i)));
    for (uint32_t i = 0; i < ctx->hlo->buffers.count; i++) {
        xpd_strbuf_clear(&text);
        xpd_mem_buffer_name(&text, ctx->mem, i);
        assert_int_equal(xpd_rank_of_buffer(&ranks, i, &room),
                         xpd_match_test(&match, (struct xpd_str){text.data, text.size}));
    }
    assert_int_equal(match.unjudged, 0);
    xpd_match_fini(&match);
    xpd_strbuf_fini(&text);
    xpd_strbuf_fini(&room);
}

static void names_are_ranked_as_each_alone(void **state)
{
    static const char *const typed[] = {"fusion",
                                        "FUSION.1",
                                        "1",
                                        ".",
                                        "n",
                                        "zzz",
                                        "fusion.1{0}",
                                        "{0}",
                                        "1}",
                                        "0{1",
                                        "{1}{",
                                        "}{",
                                        "/fusion.*1/",
                                        "/^f/",
                                        "/1$/",
                                        "/fus?ion\\.2/",
                                        "/[0-9]{2}/",
                                        "/\\{0\\}/",
                                        "/n.1{1}/",
                                        "/(a|b)/",
                                        "/fusion|dot/",
                                        "/.*/",
                                        "/x*fusion/",
                                        "/\\.1.*\\{1/",
                                        "/[^a-z.]+$/",
                                        "/[a-z]{1/",
                                        "/1[{]./",
                                        "/}$/",
                                        "/^fusion.*0}$/",
                                        "/n(\\{|$)/",
                                        "/[0-9]$/",
                                        "/\\w1/"};
    (void)state;
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        look_for(typed[i]);
}

/* Without room in the store a table is made for the answer alone. */
static void without_the_store_a_table_is_the_answers(void **state)
{
    struct xpd_tool_ctx ctx = place.ctx;
    (void)state;
    ctx.store = NULL;
    const struct xpd_all_rows *own = xpd_table_rows(&ctx, NULL);
    const struct xpd_all_rows *shared = xpd_table_rows(&place.ctx, NULL);
    assert_ptr_not_equal(own, shared);
    assert_ptr_equal(shared, xpd_table_rows(&place.ctx, NULL));
    assert_int_equal(own->count, shared->count);
    assert_memory_equal(own->row, shared->row, own->count * sizeof *own->row);
}

/* After a while everything the page asks for is there; the same as made on demand. */
static void tables_are_made_ahead(void **state)
{
    const struct xpd_tool_ctx *ctx = &place.ctx;
    (void)state;
    xpd_tables_ahead(ctx);
    while (!xpd_table_made(ctx, XPD_TABLE_GROUPS, 7, true))
        sched_yield();
    for (uint32_t key = XPD_SORT_SAVING; key <= XPD_SORT_ID; key++) {
        bool down = xpd_buffer_key_sorts_down((enum xpd_buffer_key)key);
        assert_non_null(xpd_table_made(ctx, XPD_TABLE_ORDER, key * 2 + down, true));
    }
    assert_null(xpd_table_made(ctx, XPD_TABLE_ORDER, XPD_SORT_ID * 2, true)); /* is turned then */
    for (uint32_t by = 1; by <= 7; by++)
        assert_non_null(xpd_table_made(ctx, XPD_TABLE_GROUPS, by, true));
    assert_non_null(xpd_table_made(ctx, XPD_TABLE_FACTS, 0, true));
    assert_non_null(xpd_table_made(ctx, XPD_TABLE_EQUAL, 0, false));
    assert_ptr_equal(xpd_table_made(ctx, XPD_TABLE_WORDS, 0, false), xpd_table_words(ctx, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_those_of_each_instruction),
        cmocka_unit_test(savings_are_those_of_each_buffer),
        cmocka_unit_test(orders_are_sorted),
        cmocka_unit_test(equal_buffers_are_found_pair_by_pair),
        cmocka_unit_test(groups_add_up),
        cmocka_unit_test(facts_are_xprofs_numbers),
        cmocka_unit_test(names_are_ranked_as_each_alone),
        cmocka_unit_test(without_the_store_a_table_is_the_answers),
        cmocka_unit_test(tables_are_made_ahead),
    };
    return cmocka_run_group_tests(tests, open_place, close_place);
}
