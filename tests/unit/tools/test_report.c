/* The report on real captures: in every run, module and memory space of every data set the trees
 * close, and groupings add up to the curve. */
#include "place.h"

static const cJSON *row_of(const cJSON *json, const char *id)
{
    const cJSON *row;
    cJSON_ArrayForEach(
        row,
        cJSON_GetObjectItem(json, "rows")) if (strcmp(cJSON_GetObjectItem(row, "id")->valuestring,
                                                      id) == 0) return row;
    return NULL;
}

static int64_t at_of(const cJSON *row, const char *key, int place)
{
    return row ? item_at(cJSON_GetObjectItem(row, key), place) : 0;
}

static bool is_leaf_root(const char *id)
{
    return strcmp(id, "reserved") == 0 || strcmp(id, "by_address") == 0 ||
           strcmp(id, "beside") == 0 || strcmp(id, "measured") == 0;
}

/* Each parent is the sum of its children, at each place of `key`. */
static void tree_closes(const struct place *place, const cJSON *json, const char *key)
{
    const cJSON *parent, *child;
    cJSON_ArrayForEach(parent, cJSON_GetObjectItem(json, "rows"))
    {
        const char *id = cJSON_GetObjectItem(parent, "id")->valuestring;
        int places = cJSON_GetArraySize(cJSON_GetObjectItem(parent, key)), children = 0;
        assert_true(is_leaf_root(id) == cJSON_IsNull(cJSON_GetObjectItem(parent, "parent")));
        for (int p = 0; p < places; p++) {
            int64_t sum = 0;
            children = 0;
            cJSON_ArrayForEach(child, cJSON_GetObjectItem(json, "rows"))
            {
                const cJSON *of = cJSON_GetObjectItem(child, "parent");
                if (!cJSON_IsString(of) || strcmp(of->valuestring, id) != 0)
                    continue;
                sum += at_of(child, key, p);
                children++;
            }
            if (children > 0)
                same(place, id, sum, at_of(parent, key, p));
        }
    }
}

static int64_t curve_at(const struct place *place, int64_t step)
{
    struct answer curve;
    ask_ok(&curve, place->store, "/api/v1/memory/curve", "%s&from=%lld&to=%lld&px=1", place->query,
           (long long)step, (long long)step + 1);
    int64_t value =
        number_at(curve.json, "resident_bytes") + item_at(at(curve.json, "max_bytes"), 0);
    answer_free(&curve);
    return value;
}

static void details_close(const struct place *place, const char *steps)
{
    struct answer details;
    ask_ok(&details, place->store, "/api/v1/report/details", "%s&px=40&steps=%s", place->query,
           steps);
    tree_closes(place, details.json, "at_bytes");
    tree_closes(place, details.json, "curve_bytes");
    const cJSON *asked = at(details.json, "steps"), *reserved = row_of(details.json, "reserved");
    const cJSON *live = row_of(details.json, "live");
    same(place, "addresses",
         number_at(details.json, "own_bytes") + number_at(details.json, "shared_bytes") +
             number_at(details.json, "unused_bytes"),
         number_at(details.json, "heap_bytes"));
    for (int i = 0; i < cJSON_GetArraySize(asked); i++) {
        same(place, "reserved", at_of(reserved, "at_bytes", i),
             number_at(place->summary, "reserved_bytes"));
        same(place, "temporaries by address",
             at_of(row_of(details.json, "by_address"), "at_bytes", i),
             at_of(row_of(details.json, "temporaries"), "at_bytes", i));
        same(place, "fragmentation", at_of(reserved, "at_bytes", i) - at_of(live, "at_bytes", i),
             at_of(row_of(details.json, "fragmentation"), "at_bytes", i));
        if (place->steps > 0)
            same(place, "live", at_of(live, "at_bytes", i),
                 curve_at(place, number_at(cJSON_GetArrayItem(asked, i), "step")));
    }
    same(place, "peak", number_at(live, "peak_bytes"),
         number_at(place->summary, "peak.held_bytes"));
    same(place, "always", at_of(row_of(details.json, "always"), "at_bytes", 0),
         number_at(place->summary, "resident_bytes"));
    answer_free(&details);
}

static void areas_close(const struct place *place, const char *by)
{
    struct answer areas;
    ask_ok(&areas, place->store, "/api/v1/report/areas", "%s&by=%s&px=%d", place->query, by,
           (int)(1 + random_below(60)));
    const cJSON *total = at(areas.json, "total_bytes"), *overlap = at(areas.json, "overlap_bytes"),
                *group;
    int64_t most = 0;
    for (int i = 0; i < cJSON_GetArraySize(total); i++) {
        int64_t sum = -item_at(overlap, i);
        cJSON_ArrayForEach(group, at(areas.json, "groups")) sum += at_of(group, "curve_bytes", i);
        same(place, by, sum, item_at(total, i));
        most = item_at(total, i) > most ? item_at(total, i) : most;
        if (!cJSON_IsTrue(at(place->summary, "live_is_union")))
            same(place, "overlap", item_at(overlap, i), 0);
    }
    if (place->steps > 0)
        same(place, "highest area", most, number_at(place->summary, "peak.held_bytes"));
    answer_free(&areas);
}

/* Place of a column in the header of a CSV. */
static int column_of(const char *csv, const char *name)
{
    const char *found = strstr(csv, name);
    assert_true(found && found < strchr(csv, '\n'));
    int commas = 0;
    for (const char *c = csv; c < found; c++)
        commas += *c == ',';
    return commas;
}

/* The saved table has every group, whatever a page holds, with the counts that the page shows. */
static void groups_saved(const struct place *place, const char *by, const char *steps,
                         int64_t listed, int64_t instructions, int64_t groups)
{
    struct answer csv;
    int rows;
    ask_ok(&csv, place->store, "/api/v1/report/groups", "%s&by=%s&steps=%s&format=csv",
           place->query, by, steps);
    same(place, "saved bytes", csv_sum(csv.body, 1, &rows), listed);
    same(place, "saved groups", rows, groups);
    if (strcmp(by, "buffer") == 0) {
        assert_non_null(
            strstr(csv.body, ",peak_bytes,shape,category,offset_bytes,start_step,end_step\r\n"));
    } else if (instructions >= 0) {
        assert_non_null(strstr(csv.body, "_buffers,instructions\r\n"));
        same(place, "saved instructions",
             csv_sum(csv.body, column_of(csv.body, "instructions\r"), &rows), instructions);
    }
    answer_free(&csv);
}

/* S1.57, S1.64: groups add up to what is listed, instructions to those of the program, order falls.
 */
static void groups_close(const struct place *place, const char *by, const char *steps,
                         int64_t listed, int64_t instructions)
{
    struct answer groups;
    ask_ok(&groups, place->store, "/api/v1/report/groups", "%s&by=%s&steps=%s&limit=%d",
           place->query, by, steps, (int)(1 + random_below(40)));
    const cJSON *row;
    int64_t sum = item_at(at(groups.json, "rest.at_bytes"), 0), count = 0, before = INT64_MAX;
    cJSON_ArrayForEach(row, at(groups.json, "rows"))
    {
        int64_t value = at_of(row, "at_bytes", 0);
        assert_true(value <= before);
        before = value;
        sum += value;
        if (cJSON_IsNumber(at(row, "instructions")))
            count += number_at(row, "instructions");
    }
    same(place, by, sum, item_at(at(groups.json, "total.at_bytes"), 0));
    same(place, "of all groups", sum, listed);
    if (instructions >= 0 && number_at(groups.json, "left_out") == 0)
        same(place, "instructions", count, instructions);
    groups_saved(place, by, steps, listed, instructions, number_at(groups.json, "n"));
    answer_free(&groups);
}

/* The buffers of a row of the tree add up to it. */
static void leaves_close(const struct place *place, const char *steps)
{
    struct answer details, groups;
    const cJSON *row;
    ask_ok(&details, place->store, "/api/v1/report/details", "%s&px=0&steps=%s", place->query,
           steps);
    cJSON_ArrayForEach(row, at(details.json, "rows"))
    {
        if (!cJSON_IsTrue(cJSON_GetObjectItem(row, "opens")))
            continue;
        ask_ok(&groups, place->store, "/api/v1/report/groups",
               "%s&by=%s&within=%s&steps=%s&limit=3", place->query,
               random_below(2) ? "buffer" : "shape", text_at(row, "id"), steps);
        same(place, text_at(row, "id"), item_at(at(groups.json, "total.at_bytes"), 0),
             at_of(row, "at_bytes", 0));
        answer_free(&groups);
    }
    answer_free(&details);
}

/* S1.74: boxes, holes and the rest are the heap; what lies in a summed space does not overlap. */
static void heap_closes(const struct place *place, int64_t step)
{
    struct answer heap, spot;
    ask_ok(&heap, place->store, "/api/v1/report/heap", "%s&at=%lld", place->query, (long long)step);
    same(place, "gaps",
         number_at(heap.json, "holes_bytes") + number_at(heap.json, "above_bytes") +
             number_at(heap.json, "idle_bytes"),
         number_at(heap.json, "heap_bytes") - number_at(heap.json, "live_bytes"));
    same(place, "holes",
         column_sum(heap.json, "holes.size_bytes") + number_at(heap.json, "holes.left_out_bytes"),
         number_at(heap.json, "holes_bytes"));
    same(place, "residents",
         column_sum(heap.json, "residents.size_bytes") +
             number_at(heap.json, "residents.left_out_bytes"),
         number_at(heap.json, "resident_bytes"));
    int64_t n = number_at(heap.json, "n");
    if (!cJSON_IsTrue(at(place->summary, "live_is_union")))
        same(place, "boxes",
             column_sum(heap.json, "size_bytes") + number_at(heap.json, "left_out_bytes"),
             number_at(heap.json, "live_bytes"));
    if (n > 0) { /* the first byte of a box: the box is among its tenants and is the pinned one */
        int box = (int)random_below(n);
        int64_t tenancy = item_at(at(heap.json, "tenancy"), box), found = 0;
        ask_ok(&spot, place->store, "/api/v1/report/place", "%s&at=%lld&tenancy=%lld&limit=5000",
               place->query, (long long)step, (long long)tenancy);
        const cJSON *item;
        cJSON_ArrayForEach(item, at(spot.json, "tenants.all")) found +=
            (int64_t)item->valuedouble == tenancy;
        /* one without bytes is nowhere */
        same(place, "the box among its tenants", found,
             item_at(at(heap.json, "size_bytes"), box) > 0);
        same(place, "pinned", number_at(spot.json, "pinned.tenancy"), tenancy);
        struct answer few; /* hovering: the same tenants, without the long lists */
        ask_ok(&few, place->store, "/api/v1/report/place",
               "%s&at=%lld&tenancy=%lld&limit=5000&lists=tenants", place->query, (long long)step,
               (long long)tenancy);
        assert_true(cJSON_Compare(at(few.json, "tenants"), at(spot.json, "tenants"), true));
        assert_true(cJSON_IsNull(at(few.json, "conflicts")) &&
                    cJSON_IsNull(at(few.json, "before")));
        same(place, "pinned", number_at(few.json, "pinned.tenancy"), tenancy);
        answer_free(&few);
        if (number_at(spot.json, "conflicts.n") == number_at(spot.json, "conflicts.count"))
            same(place, "bytes of conflicts", column_sum(spot.json, "conflicts.size_bytes"),
                 number_at(spot.json, "conflicts.total_bytes"));
        answer_free(&spot);
    }
    answer_free(&heap);
}

/* S1.15, S1.20: chosen buffers hold what groups by buffer say they do, their sum counts each
 * storage once, and the pieces at a step are the sum. */
static void plot_closes(const struct place *place, const char *steps)
{
    struct answer groups, plot;
    const cJSON *row;
    char chosen[400] = "";
    int64_t expected = 0;
    ask_ok(&groups, place->store, "/api/v1/report/groups", "%s&by=buffer&steps=%s&limit=24",
           place->query, steps);
    cJSON_ArrayForEach(row, at(groups.json, "rows"))
    {
        const cJSON *buffer = at(row, "buffer");
        if (cJSON_IsNull(buffer))
            continue;
        expected += at_of(row, "at_bytes", 0);
        snprintf(chosen + strlen(chosen), sizeof chosen - strlen(chosen), "%s%d",
                 chosen[0] ? "," : "", buffer->valueint);
    }
    ask_ok(&plot, place->store, "/api/v1/report/plot", "%s&px=20&steps=%s&buffers=%s", place->query,
           steps, chosen);
    int64_t total = item_at(at(plot.json, "total.at_bytes"), 0), sum = 0, drawn = 0;
    /* a storage held again later is one row here and two rows there */
    assert_true(total >= expected || chosen[0] == 0);
    int64_t step =
        place->steps > 0 ? number_at(cJSON_GetArrayItem(at(plot.json, "steps"), 0), "step") : -1;
    cJSON_ArrayForEach(row, at(plot.json, "rows"))
    {
        const char *state = text_at(row, "state");
        assert_true(strcmp(state, "live") == 0 || strcmp(state, "always") == 0 ||
                    strcmp(state, "no_events") == 0);
        if (cJSON_IsNull(at(row, "same_as")))
            sum += at_of(row, "at_bytes", 0);
    }
    same(place, "chosen buffers", sum, total);
    for (int i = 0; i < number_at(plot.json, "pieces.n"); i++)
        if (item_at(at(plot.json, "pieces.from_step"), i) <= step &&
            step < item_at(at(plot.json, "pieces.to_step"), i))
            drawn += item_at(at(plot.json, "pieces.size_bytes"), i);
    if (place->steps > 0)
        same(place, "pieces at the step", drawn, total);
    answer_free(&groups);
    answer_free(&plot);
}

/* S1.68, S1.69: rows add up to the total; what is held by transfers is not more than what is. */
static void transfers_close(const struct place *place, const char *steps)
{
    struct answer transfers;
    const cJSON *row;
    ask_ok(&transfers, place->store, "/api/v1/report/transfers", "%s&steps=%s&limit=5000",
           place->query, steps);
    int64_t sum = 0;
    cJSON_ArrayForEach(row, at(transfers.json, "rows"))
    {
        sum += at_of(row, "at_bytes", 0);
        assert_true(number_at(row, "of_program") <= number_at(row, "count"));
        assert_true(cJSON_GetArraySize(at(row, "each")) <= number_at(row, "count"));
    }
    same(place, "transfers", sum, item_at(at(transfers.json, "total.at_bytes"), 0));
    answer_free(&transfers);
}

static void check_space(struct xpd_store *store, const char *run, const char *module, int64_t color,
                        int64_t instructions)
{
    static const char *const all[] = {"op",          "kind",   "class", "dtype",  "scope",
                                      "computation", "opcode", "shape", "buffer", "signature"};
    struct place place = {.store = store};
    struct answer summary, live;
    char steps[80] = "";
    snprintf(place.query, sizeof place.query, "run=%s&module=%s&space=%lld", run, module,
             (long long)color);
    ask_ok(&summary, store, "/api/v1/memory/summary", "%s", place.query);
    place.summary = summary.json;
    place.steps = number_at(summary.json, "steps");
    if (place.steps > 0) {
        int64_t a = random_below(place.steps), b = random_below(place.steps);
        snprintf(steps, sizeof steps, "%lld, %lld, 0-%lld", (long long)a, (long long)b,
                 (long long)place.steps - 1);
    }
    details_close(&place, steps);
    leaves_close(&place, steps);
    transfers_close(&place, steps);
    plot_closes(&place, steps);
    for (int i = 0; i < 4 && place.steps > 0; i++)
        heap_closes(&place, random_below(place.steps));
    for (size_t i = 0; i < 7; i++)
        areas_close(&place, all[i]);
    char first[24] = "";
    if (place.steps > 0)
        snprintf(first, sizeof first, "&step=%d", atoi(steps));
    ask_ok(&live, store, "/api/v1/memory/live", "%s%s", place.query, first);
    int64_t listed = number_at(live.json, "live_bytes") + number_at(live.json, "overlap_bytes");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool of_instructions = i == 0 || i == 5 || i == 6 || i == 9;
        groups_close(&place, all[i], steps, listed, of_instructions ? instructions : -1);
    }
    answer_free(&live);
    answer_free(&summary);
}

static int spaces_seen;

/* 0 for what no heap event tells. */
static int64_t known_at(const cJSON *column, int row)
{
    return cJSON_IsNull(cJSON_GetArrayItem(column, row)) ? 0 : item_at(column, row);
}

static void check_run(struct xpd_store *store, const char *run)
{
    struct answer modules;
    ask_ok(&modules, store, "/api/v1/modules", "run=%s", run);
    const cJSON *key = at(modules.json, "key"), *of = at(modules.json, "spaces.module");
    for (int i = 0; i < cJSON_GetArraySize(of); i++) /* S1.6: classes of a module are its peak */
        assert_int_equal(item_at(at(modules.json, "spaces.argument_bytes"), i) +
                             item_at(at(modules.json, "spaces.output_bytes"), i) -
                             item_at(at(modules.json, "spaces.alias_bytes"), i) +
                             item_at(at(modules.json, "spaces.constant_bytes"), i) +
                             known_at(at(modules.json, "spaces.temp_bytes"), i),
                         item_at(at(modules.json, "spaces.peak_bytes"), i));
    for (int i = 0; i < cJSON_GetArraySize(of); i++) {
        check_space(store, run, cJSON_GetArrayItem(key, (int)item_at(of, i))->valuestring,
                    item_at(at(modules.json, "spaces.color"), i),
                    item_at(at(modules.json, "instructions"), (int)item_at(of, i)));
        spaces_seen++;
    }
    answer_free(&modules);
}

static void check_set(const char *name, const char *root, void *data)
{
    (void)data;
    struct answer runs;
    struct xpd_store *store = open_store(root);
    random_start();
    ask_ok(&runs, store, "/api/v1/runs", "x=y");
    const cJSON *id;
    int before = spaces_seen;
    cJSON_ArrayForEach(id, at(runs.json, "id")) check_run(store, id->valuestring);
    print_message("%s: %d memory spaces\n", name, spaces_seen - before);
    answer_free(&runs);
    xpd_store_close(store);
}

static void sums_close_everywhere(void **state)
{
    (void)state;
    for_each_data_set(check_set, NULL);
}

/* S1.17: the 33rd buffer is refused with a text, one twice is one, a wrong index is named. */
static void wrong_buffers(void **state)
{
    char many[200] = "0";
    (void)state;
    const char *root = shared_set("tpu_transformer_noremat/logdir");
    if (!root)
        skip();
    struct xpd_store *store = open_store(root);
    struct answer runs, answer;
    ask_ok(&runs, store, "/api/v1/runs", "x=y");
    const char *run = cJSON_GetArrayItem(at(runs.json, "id"), 0)->valuestring;
    for (int i = 1; i <= 32; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), ",%d", i);
    ask(&answer, store, "/api/v1/report/plot", "run=%s&buffers=%s", run, many);
    assert_int_equal(answer.code, XPD_EINVAL);
    assert_non_null(strstr(answer.err.text, "at most 32"));
    answer_free(&answer);
    ask(&answer, store, "/api/v1/report/plot", "run=%s&buffers=1,x", run);
    assert_int_equal(answer.code, XPD_EINVAL);
    assert_non_null(strstr(answer.err.text, "not \"x\""));
    answer_free(&answer);
    ask(&answer, store, "/api/v1/report/plot", "run=%s&buffers=99999999", run);
    assert_int_equal(answer.code, XPD_EINVAL);
    answer_free(&answer);
    ask_ok(&answer, store, "/api/v1/report/plot", "run=%s&buffers=5,3,5", run);
    assert_int_equal(cJSON_GetArraySize(at(answer.json, "rows")), 2);
    assert_int_equal(number_at(cJSON_GetArrayItem(at(answer.json, "rows"), 0), "buffer"), 5);
    answer_free(&answer);
    ask_ok(&answer, store, "/api/v1/report/plot", "run=%s", run);
    assert_int_equal(cJSON_GetArraySize(at(answer.json, "rows")), 0);
    answer_free(&answer);
    answer_free(&runs);
    xpd_store_close(store);
}

/* S1.58, S1.63: by a word inside: exactly the buffers whose body has it are kept; a body has as
 * many instructions as its buffer says. */
static const char *word_of(const cJSON *list, const char *column, int i)
{
    const cJSON *cell = cJSON_GetArrayItem(at(list, column), i);
    return cJSON_IsNumber(cell) ? cJSON_GetArrayItem(at(list, "names"), cell->valueint)->valuestring
                                : cell->valuestring;
}

static bool has_inside(struct xpd_store *store, const char *run, const cJSON *row)
{
    struct answer list;
    bool inside = false;
    if (cJSON_IsNull(at(row, "body")))
        return false;
    ask_ok(&list, store, "/api/v1/graph/list", "run=%s&computation=%s&count=2000", run,
           text_at(row, "body"));
    for (int i = 0; i < number_at(list.json, "n"); i++)
        inside |= strstr(word_of(list.json, "opcode", i), "exponential") ||
                  strstr(word_of(list.json, "name", i), "exponential");
    assert_int_equal(number_at(list.json, "total"), number_at(row, "fused"));
    answer_free(&list);
    return inside;
}

static void inner_words(void **state)
{
    (void)state;
    const char *root = shared_set("tpu_transformer_noremat/logdir");
    if (!root)
        skip();
    struct xpd_store *store = open_store(root);
    struct answer runs, all, kept;
    const cJSON *row;
    ask_ok(&runs, store, "/api/v1/runs", "x=y");
    const char *run = cJSON_GetArrayItem(at(runs.json, "id"), 0)->valuestring;
    ask_ok(&all, store, "/api/v1/report/groups", "run=%s&by=buffer&limit=5000", run);
    ask_ok(&kept, store, "/api/v1/report/groups", "run=%s&by=buffer&limit=5000&inner=expoNential",
           run);
    int has = 0;
    int64_t bytes = 0;
    cJSON_ArrayForEach(row, at(all.json, "rows"))
    {
        bool inside = has_inside(store, run, row);
        has += inside;
        bytes += inside ? at_of(row, "at_bytes", 0) : 0;
    }
    assert_true(has > 0);
    int with_body = 0;
    int64_t kept_bytes = 0;
    cJSON_ArrayForEach(row, at(kept.json, "rows"))
    {
        with_body += !cJSON_IsNull(at(row, "body"));
        kept_bytes += cJSON_IsNull(at(row, "body")) ? 0 : at_of(row, "at_bytes", 0);
    }
    assert_int_equal(with_body, has);
    assert_int_equal(kept_bytes, bytes);
    answer_free(&kept);
    ask_ok(&kept, store, "/api/v1/report/groups", "run=%s&inner=no-such-op", run);
    assert_int_equal(item_at(at(kept.json, "total.at_bytes"), 0), 0);
    answer_free(&kept);
    answer_free(&all);
    answer_free(&runs);
    xpd_store_close(store);
}

/* S1.28: what cannot be read as steps is refused with the reason. */
static void wrong_steps(void **state)
{
    static const struct {
        const char *steps, *says;
    } wrong[] = {{"x", "numbers and ranges"},          {"1,", "numbers and ranges"},
                 {"1 2", "numbers and ranges"},        {"5-2", "ends before it begins"},
                 {"999999999999", "there is no step"}, {"-3", "numbers and ranges"},
                 {"0,0,0,0,0,0,0,0,0", "at most 8"}};
    (void)state;
    const char *root = shared_set("tpu_transformer_noremat/logdir");
    if (!root)
        skip();
    struct xpd_store *store = open_store(root);
    struct answer runs, answer;
    ask_ok(&runs, store, "/api/v1/runs", "x=y");
    const char *run = cJSON_GetArrayItem(at(runs.json, "id"), 0)->valuestring;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ask(&answer, store, "/api/v1/report/details", "run=%s&steps=%s", run, wrong[i].steps);
        assert_int_equal(answer.code, XPD_EINVAL);
        assert_string_equal(answer.err.where, "steps");
        if (!strstr(answer.err.text, wrong[i].says))
            fail_msg("%s: %s", wrong[i].steps, answer.err.text);
        answer_free(&answer);
    }
    ask_ok(&answer, store, "/api/v1/report/details", "run=%s&px=0&steps= 94 ,100 - 130", run);
    assert_int_equal(number_at(cJSON_GetArrayItem(at(answer.json, "steps"), 1), "step"), 115);
    answer_free(&answer);
    answer_free(&runs);
    xpd_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_close_everywhere),
        cmocka_unit_test(wrong_steps),
        cmocka_unit_test(wrong_buffers),
        cmocka_unit_test(inner_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
