/* Whole tools on real captures: in every run, module and memory space of every data set the sums
 * close. */
#include "place.h"

static void split_closes(const struct place *place)
{
    const cJSON *s = place->summary;
    int64_t resident = number_at(s, "split.argument_bytes") + number_at(s, "split.output_bytes") +
                       number_at(s, "split.constant_bytes");
    same(place, "resident", resident, number_at(s, "resident_bytes"));
    bool known = cJSON_IsNumber(at(s, "split.fragmentation_bytes"));
    assert_int_equal(known, number_at(s, "steps") > 0 || number_at(s, "heap_bytes") == 0);
    assert_int_equal(known, cJSON_IsNumber(at(s, "split.temp_bytes")));
    same(place, "peak", resident + (known ? number_at(s, "split.temp_bytes") : 0),
         number_at(s, "peak.held_bytes"));
    if (known)
        same(place, "reserved",
             number_at(s, "peak.held_bytes") + number_at(s, "split.fragmentation_bytes"),
             number_at(s, "reserved_bytes"));
    if (!cJSON_IsTrue(at(s, "live_is_union")))
        same(place, "padding",
             number_at(s, "split.padding.argument_bytes") +
                 number_at(s, "split.padding.output_bytes") +
                 number_at(s, "split.padding.constant_bytes") +
                 number_at(s, "split.padding.temp_bytes"),
             number_at(s, "peak.held_bytes") - number_at(s, "peak.unpadded_bytes"));
    const cJSON *largest = at(s, "largest");
    if (cJSON_IsObject(largest)) {
        assert_true(cJSON_GetArraySize(at(largest, "sentence")) >= 3);
        assert_true(number_at(largest, "size_bytes") > 0);
    }
}

static void curve_is_right(const struct place *place)
{
    struct answer curve;
    ask_ok(&curve, place->store, "/api/v1/memory/curve", "%s&px=%d", place->query,
           (int)(1 + random_below(300)));
    const cJSON *max = at(curve.json, "max_bytes"), *top = at(curve.json, "top_bytes"), *item;
    int64_t highest = 0, heap = number_at(place->summary, "heap_bytes");
    cJSON_ArrayForEach(item, max) highest =
        (int64_t)item->valuedouble > highest ? (int64_t)item->valuedouble : highest;
    cJSON_ArrayForEach(item, top) assert_true((int64_t)item->valuedouble <= heap);
    same(place, "highest of the curve", highest + number_at(curve.json, "resident_bytes"),
         number_at(place->summary, "peak.held_bytes"));
    same(place, "steps of the columns", column_sum(curve.json, "count"), place->steps);
    answer_free(&curve);
}

/* Over instructions: every step once, places that never fall, the same maximum. */
static void axis_is_right(const struct place *place)
{
    struct answer curve;
    ask_ok(&curve, place->store, "/api/v1/memory/curve", "%s&axis=instruction&px=%d", place->query,
           (int)(1 + random_below(300)));
    const cJSON *max = at(curve.json, "max_bytes"), *x = cJSON_GetObjectItem(curve.json, "x"),
                *item;
    int64_t highest = 0;
    double before = 0;
    cJSON_ArrayForEach(item, max) highest =
        (int64_t)item->valuedouble > highest ? (int64_t)item->valuedouble : highest;
    same(place, "highest over instructions", highest + number_at(curve.json, "resident_bytes"),
         number_at(place->summary, "peak.held_bytes"));
    same(place, "steps over instructions", column_sum(curve.json, "count"), place->steps);
    if (!cJSON_IsNull(at(curve.json, "axes.instruction"))) {
        assert_string_equal(text_at(curve.json, "axis"), "event");
    } else {
        assert_string_equal(text_at(curve.json, "axis"), "instruction");
        cJSON_ArrayForEach(item, x)
        {
            assert_true(item->valuedouble >= before);
            before = item->valuedouble;
        }
        assert_true(at(curve.json, "x_end")->valuedouble >= before);
    }
    answer_free(&curve);
}

/* Folding repeated scopes moves bytes together, and loses none. */
static void fold_keeps_sums(const struct place *place)
{
    struct answer plain, folded;
    ask_ok(&plain, place->store, "/api/v1/memory/tree", "%s&limit=20000", place->query);
    ask_ok(&folded, place->store, "/api/v1/memory/tree", "%s&limit=20000&fold=numbers",
           place->query);
    same(place, "bytes of the folded tree", item_at(at(folded.json, "size_bytes"), 0),
         item_at(at(plain.json, "size_bytes"), 0));
    same(place, "buffers of the folded tree", item_at(at(folded.json, "count"), 0),
         item_at(at(plain.json, "count"), 0));
    assert_true(number_at(folded.json, "nodes") <= number_at(plain.json, "nodes"));
    answer_free(&plain);
    answer_free(&folded);
}

/* The curve's value after one step, and without padding. */
static int64_t value_at(const struct place *place, int64_t step, int64_t *unpadded)
{
    struct answer curve;
    ask_ok(&curve, place->store, "/api/v1/memory/curve", "%s&from=%lld&to=%lld&px=1", place->query,
           (long long)step, (long long)step + 1);
    int64_t value =
        number_at(curve.json, "resident_bytes") + item_at(at(curve.json, "max_bytes"), 0);
    *unpadded = number_at(curve.json, "resident_unpadded_bytes") +
                item_at(at(curve.json, "max_unpadded_bytes"), 0);
    answer_free(&curve);
    return value;
}

static void live_closes(const struct place *place, int64_t step)
{
    struct answer live;
    int64_t unpadded, value = value_at(place, step, &unpadded);
    ask_ok(&live, place->store, "/api/v1/memory/live", "%s&step=%lld&limit=%d&fold_bytes=%d",
           place->query, (long long)step, (int)(1 + random_below(100)), (int)random_below(40000));
    same(place, "live", number_at(live.json, "live_bytes"), value);
    same(place, "live rows",
         column_sum(live.json, "size_bytes") + number_at(live.json, "small.size_bytes") +
             number_at(live.json, "rest.size_bytes") - number_at(live.json, "overlap_bytes"),
         value);
    same(place, "live blocks",
         column_sum(live.json, "blocks.size_bytes") +
             number_at(live.json, "blocks.left_out.size_bytes"),
         value + number_at(live.json, "overlap_bytes"));
    same(place, "live blocks without rows",
         column_sum(live.json, "blocks.unlisted_bytes") +
             number_at(live.json, "blocks.left_out.unlisted_bytes"),
         number_at(live.json, "small.size_bytes") + number_at(live.json, "rest.size_bytes"));
    same(place, "live blocks without rows, unpadded",
         column_sum(live.json, "blocks.unlisted_unpadded_bytes") +
             number_at(live.json, "blocks.left_out.unlisted_unpadded_bytes"),
         number_at(live.json, "small.unpadded_bytes") +
             number_at(live.json, "rest.unpadded_bytes"));
    same(place, "live count of blocks",
         column_sum(live.json, "blocks.count") + number_at(live.json, "blocks.left_out.count"),
         number_at(live.json, "count"));
    same(place, "live count",
         number_at(live.json, "n") + number_at(live.json, "small.count") +
             number_at(live.json, "rest.count"),
         number_at(live.json, "count"));
    same(place, "live unpadded", number_at(live.json, "total_unpadded_bytes"), unpadded);
    if (!cJSON_IsTrue(at(place->summary, "live_is_union"))) {
        same(place, "overlap", number_at(live.json, "overlap_bytes"), 0);
        same(place, "live unpadded rows",
             column_sum(live.json, "unpadded_bytes") +
                 number_at(live.json, "small.unpadded_bytes") +
                 number_at(live.json, "rest.unpadded_bytes"),
             unpadded);
    }
    answer_free(&live);
}

static void orders_hold(const struct place *place)
{
    static const char *const orders[] = {"size", "padding"};
    for (int k = 0; k < 2; k++) {
        struct answer live;
        ask_ok(&live, place->store, "/api/v1/memory/live", "%s&order=%s&fold_bytes=0&limit=50",
               place->query, orders[k]);
        const cJSON *size = at(live.json, "size_bytes"),
                    *unpadded = at(live.json, "unpadded_bytes");
        for (int i = 1; i < cJSON_GetArraySize(size); i++) {
            int64_t before = item_at(size, i - 1) - (k ? item_at(unpadded, i - 1) : 0);
            int64_t now = item_at(size, i) - (k ? item_at(unpadded, i) : 0);
            assert_true(before >= now);
        }
        answer_free(&live);
    }
}

static void diff_closes(const struct place *place, int64_t a, int64_t b)
{
    struct answer diff;
    ask_ok(&diff, place->store, "/api/v1/memory/diff", "%s&a=%lld&b=%lld", place->query,
           (long long)a, (long long)b);
    const cJSON *d = diff.json;
    same(place, "diff a",
         number_at(d, "both_bytes") + number_at(d, "only_a_bytes") -
             number_at(d, "overlap_a_bytes"),
         number_at(d, "a_bytes"));
    same(place, "diff b",
         number_at(d, "both_bytes") + number_at(d, "both_grown_bytes") +
             number_at(d, "only_b_bytes") - number_at(d, "overlap_b_bytes"),
         number_at(d, "b_bytes"));
    same(place, "diff rows a",
         column_sum(d, "only_a.size_bytes") + number_at(d, "only_a.rest.size_bytes"),
         number_at(d, "only_a_bytes"));
    same(place, "diff rows b",
         column_sum(d, "only_b.size_bytes") + number_at(d, "only_b.rest.size_bytes"),
         number_at(d, "only_b_bytes"));
    answer_free(&diff);
}

static void tree_closes(const struct place *place, const char *by, int limit, int64_t expected)
{
    struct answer tree;
    ask_ok(&tree, place->store, "/api/v1/memory/tree", "%s&by=%s&limit=%d", place->query, by,
           limit);
    const cJSON *bytes = at(tree.json, "size_bytes"), *parent = at(tree.json, "parent");
    const cJSON *padding = at(tree.json, "padding_bytes"), *count = at(tree.json, "count");
    int n = (int)number_at(tree.json, "n");
    assert_true(n >= 1 && n <= limit);
    same(place, "tree", number_at(tree.json, "total_bytes") - number_at(tree.json, "overlap_bytes"),
         expected);
    same(place, "root", item_at(bytes, 0), number_at(tree.json, "total_bytes"));
    int64_t *left = calloc((size_t)n * 3, sizeof *left);
    int *children = calloc((size_t)n, sizeof *children);
    assert_non_null(left);
    assert_non_null(children);
    int index = 0;
    const cJSON *b = bytes->child, *p = parent->child, *q = padding->child, *c = count->child;
    for (; b; b = b->next, p = p->next, q = q->next, c = c->next, index++) {
        int of = (int)p->valuedouble;
        left[3 * index] += (int64_t)b->valuedouble;
        left[3 * index + 1] += (int64_t)q->valuedouble;
        left[3 * index + 2] += (int64_t)c->valuedouble;
        assert_true(of < index);
        if (of < 0)
            continue;
        children[of]++;
        left[3 * of] -= (int64_t)b->valuedouble;
        left[3 * of + 1] -= (int64_t)q->valuedouble;
        left[3 * of + 2] -= (int64_t)c->valuedouble;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; children[i] && k < 3; k++)
            same(place, "children of a node", left[3 * i + k], 0);
    free(left);
    free(children);
    answer_free(&tree);
}

static void map_counts_all(const struct place *place)
{
    struct answer map;
    int64_t from = random_below(place->steps);
    int64_t to = from + 1 + random_below(place->steps - from);
    ask_ok(&map, place->store, "/api/v1/memory/map", "%s&from=%lld&to=%lld&px=%d&py=%d",
           place->query, (long long)from, (long long)to, (int)(1 + random_below(500)),
           (int)(1 + random_below(300)));
    same(place, "merged", column_sum(map.json, "merged.count"),
         number_at(map.json, "merged_count"));
    assert_true(number_at(map.json, "n") <= number_at(map.json, "limit"));
    answer_free(&map);
}

static void steps_add_up(const struct place *place)
{
    struct answer steps;
    int64_t from = random_below(place->steps), unpadded;
    int64_t to = from + 1 + random_below(200);
    to = to > place->steps ? place->steps : to;
    ask_ok(&steps, place->store, "/api/v1/memory/steps", "%s&from=%lld&to=%lld", place->query,
           (long long)from, (long long)to);
    bool one_lane = cJSON_GetArraySize(at(place->summary, "lanes")) == 1;
    if (one_lane && from > 0)
        same(place, "changes", column_sum(steps.json, "change_bytes"),
             value_at(place, to - 1, &unpadded) - value_at(place, from - 1, &unpadded));
    const cJSON *other = at(steps.json, "other_step"), *kind = at(steps.json, "kind");
    for (int i = 0; i < cJSON_GetArraySize(other); i++)
        if (cJSON_IsNumber(cJSON_GetArrayItem(other, i)))
            assert_true((item_at(other, i) < from + i) == (item_at(kind, i) == 1));
    answer_free(&steps);
}

static void range_is_right(const struct place *place)
{
    struct answer range;
    ask_ok(&range, place->store, "/api/v1/memory/range", "%s", place->query);
    same(place, "range", number_at(range.json, "max_bytes"),
         number_at(place->summary, "peak.held_bytes"));
    same(place, "range step", number_at(range.json, "max_step"),
         number_at(place->summary, "peak.step"));
    answer_free(&range);
}

static void check_space(struct xpd_store *store, const char *run, const char *module, int64_t color)
{
    struct place place = {.store = store};
    struct answer summary, scopes;
    snprintf(place.query, sizeof place.query, "run=%s&module=%s&space=%lld", run, module,
             (long long)color);
    ask_ok(&summary, store, "/api/v1/memory/summary", "%s", place.query);
    place.summary = summary.json;
    place.steps = number_at(summary.json, "steps");
    split_closes(&place);
    table_closes(&place, "all");
    table_closes(&place, "peak");
    pages_agree(&place);
    cards_agree(&place);
    orders_hold(&place);
    tree_closes(&place, "scope", 2000, number_at(summary.json, "peak.held_bytes"));
    tree_closes(&place, "scope", 30, number_at(summary.json, "peak.held_bytes"));
    tree_closes(&place, "source", 100, number_at(summary.json, "peak.held_bytes"));
    tree_closes(&place, "class", 100, number_at(summary.json, "peak.held_bytes"));
    ask_ok(&scopes, store, "/api/v1/memory/scopes", "%s", place.query);
    answer_free(&scopes);
    if (place.steps > 0) {
        live_closes(&place, number_at(summary.json, "peak.step"));
        for (int i = 0; i < 8; i++)
            live_closes(&place, random_below(place.steps));
        for (int i = 0; i < 4; i++)
            diff_closes(&place, random_below(place.steps), random_below(place.steps));
        curve_is_right(&place);
        axis_is_right(&place);
        fold_keeps_sums(&place);
        range_is_right(&place);
        map_counts_all(&place);
        steps_add_up(&place);
    }
    answer_free(&summary);
}

static int spaces_seen;

static void check_run(struct xpd_store *store, const char *run)
{
    struct answer modules, card, info;
    ask_ok(&info, store, "/api/v1/run", "run=%s", run);
    ask_ok(&card, store, "/api/v1/card", "run=%s", run);
    ask_ok(&modules, store, "/api/v1/modules", "run=%s", run);
    const cJSON *key = at(modules.json, "key"), *of = at(modules.json, "spaces.module");
    same(&(struct place){.query = "modules"}, "n", number_at(info.json, "modules.n"),
         number_at(modules.json, "n"));
    for (int i = 0; i < cJSON_GetArraySize(of); i++) {
        check_space(store, run, cJSON_GetArrayItem(key, (int)item_at(of, i))->valuestring,
                    item_at(at(modules.json, "spaces.color"), i));
        spaces_seen++;
    }
    if (cJSON_IsString(at(card.json, "module")))
        assert_string_equal(text_at(card.json, "module"), text_at(modules.json, "default_module"));
    answer_free(&modules);
    answer_free(&card);
    answer_free(&info);
}

static void check_set(const char *name, const char *root, void *data)
{
    (void)data;
    struct answer runs, status;
    struct xpd_store *store = open_store(root);
    random_start();
    ask_ok(&status, store, "/api/v1/status", "x=y");
    ask_ok(&runs, store, "/api/v1/runs", "x=y");
    const cJSON *id;
    int before = spaces_seen;
    cJSON_ArrayForEach(id, at(runs.json, "id")) check_run(store, id->valuestring);
    print_message("%s: %d memory spaces\n", name, spaces_seen - before);
    answer_free(&status);
    answer_free(&runs);
    xpd_store_close(store);
}

static void sums_close_everywhere(void **state)
{
    (void)state;
    for_each_data_set(check_set, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_close_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
