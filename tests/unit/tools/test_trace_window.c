/* The window of many rows, which two threads read and write, against windows of each row alone. */
#include "tool_call.h"

#include "xprofd/base/threads.h"
#include "xspace_gen.h"

enum { EVENTS = 200000, ROWS = 200, MANY = 8000 /* boxes, from which threads are worth it */ };

struct box { /* as the page puts it together */
    int64_t row, depth, event, start, length, name, count, busy, longest;
};
struct boxes {
    struct box *at;
    size_t count;
};

/* A column as numbers; free it. */
static int64_t *column(const cJSON *json, const char *path, size_t *count)
{
    const cJSON *array = at(json, path), *item;
    int64_t *value = malloc(((size_t)cJSON_GetArraySize(array) + 1) * sizeof *value);
    *count = 0;
    cJSON_ArrayForEach(item, array) value[(*count)++] =
        cJSON_IsString(item) ? strtoll(item->valuestring, NULL, 10) : (int64_t)item->valuedouble;
    return value;
}

static void read_merged(const cJSON *json, struct boxes *boxes)
{
    size_t n, same;
    int64_t *where = column(json, "merged.at", &n), *count = column(json, "merged.count", &same);
    assert_int_equal(n, number_at(json, "merged.n"));
    int64_t *busy = column(json, "merged.busy", &same), box = 0;
    int64_t *longest = column(json, "merged.longest", &same);
    for (size_t i = 0; i < n; i++) {
        box += where[i];
        assert_in_range(box, 0, boxes->count - 1);
        assert_true(count[i] > 1);
        boxes->at[box].count = count[i];
        boxes->at[box].busy = busy[i];
        boxes->at[box].longest = longest[i];
    }
    free(where), free(count), free(busy), free(longest);
}

static void read_boxes(const cJSON *json, struct boxes *boxes)
{
    size_t n, names, runs, at_box = 0;
    int64_t *start = column(json, "box.start", &n), *length = column(json, "box.length", &n);
    int64_t *name = column(json, "box.name", &n), *id = column(json, "names.id", &names);
    int64_t *row = column(json, "depths.row", &runs), *depth = column(json, "depths.depth", &runs);
    int64_t *event = column(json, "depths.first_event", &runs), next = 0;
    int64_t *count = column(json, "depths.boxes", &runs);
    assert_int_equal(n, number_at(json, "box.n"));
    boxes->at = calloc(n + 1, sizeof *boxes->at);
    boxes->count = n;
    for (size_t i = 0; i < n; i++) {
        assert_true(name[i] <= next); /* numbered as they are first met */
        next += name[i] == next;
        boxes->at[i].count = 1;
    }
    assert_int_equal(next, names);
    read_merged(json, boxes);
    for (size_t r = 0; r < runs; r++) {
        int64_t from = 0, number = event[r];
        for (int64_t k = 0; k < count[r]; k++, at_box++) {
            struct box *box = &boxes->at[at_box];
            from += start[at_box];
            box->row = row[r], box->depth = depth[r], box->event = number;
            box->start = from, box->length = length[at_box], box->name = id[name[at_box]];
            number += box->count;
        }
    }
    assert_int_equal(at_box, n);
    free(start), free(length), free(name), free(id), free(row), free(depth), free(event);
    free(count);
}

static void compare(struct xpd_store *store, int64_t from, int64_t to, bool many)
{
    struct answer all, one;
    struct boxes whole, part;
    size_t next = 0;
    int64_t events = 0;
    ask_ok(&all, store, "/api/v1/trace/window",
           "run=run&rows=0-%d&px=2000&derived=0&from=%lld&to=%lld", ROWS - 1, (long long)from,
           (long long)to);
    read_boxes(all.json, &whole);
    assert_int_equal(whole.count >= MANY, many);
    assert_false(cJSON_IsTrue(at(all.json, "coarser")));
    for (int row = 0; row < ROWS; row++) {
        ask_ok(&one, store, "/api/v1/trace/window",
               "run=run&rows=%d&px=2000&derived=0&from=%lld&to=%lld", row, (long long)from,
               (long long)to);
        read_boxes(one.json, &part);
        events += number_at(one.json, "events_in_view");
        assert_true(part.count <= whole.count - next);
        assert_memory_equal(whole.at + next, part.at, part.count * sizeof *part.at);
        next += part.count;
        free(part.at);
        answer_free(&one);
    }
    assert_int_equal(next, whole.count);
    assert_int_equal(events, number_at(all.json, "events_in_view"));
    free(whole.at);
    answer_free(&all);
}

/* What is drawn of a row without nesting adds up to its busy time, in cells much longer than an
 * event: busy times are rounded to the nearest sixteenth of a quantum, not down to a quantum. */
static void busy_adds_up(struct xpd_store *store)
{
    struct answer rows, one;
    size_t n, same;
    uint32_t checked = 0;
    ask_ok(&rows, store, "/api/v1/trace/rows", "run=run&derived=0");
    int64_t *row = column(rows.json, "rows.row", &n),
            *busy = column(rows.json, "rows.busy_ps", &same);
    int64_t *depths = column(rows.json, "rows.depths", &same);
    for (size_t i = 0; i < n; i++) {
        if (depths[i] != 1)
            continue;
        ask_ok(&one, store, "/api/v1/trace/window", "run=run&derived=0&px=50&rows=%d", (int)row[i]);
        struct boxes boxes;
        read_boxes(one.json, &boxes);
        int64_t q = number_at(one.json, "quantum_ps"),
                busy_q = number_at(one.json, "merged.busy_q");
        int64_t sum = 0, merged = 0, single = 0;
        for (size_t k = 0; k < boxes.count; k++) {
            bool many = boxes.at[k].count > 1;
            sum += many ? boxes.at[k].busy * busy_q : boxes.at[k].length * q;
            merged += many;
            single += !many;
        }
        assert_int_equal(busy_q, q >= 16 ? q / 16 : 1);
        assert_true(llabs(sum - busy[i]) <= single * q + merged * ((busy_q + 1) / 2));
        checked += merged > 20;
        free(boxes.at);
        answer_free(&one);
    }
    assert_true(checked > 0);
    free(row), free(busy), free(depths);
    answer_free(&rows);
}

/* The generator's operation N is of layer N % 48 (xspace_gen.c): told only when asked for, with the
 * rest of the answer as it was. */
static void scopes(struct xpd_store *store)
{
    struct answer plain, told;
    uint32_t in_layers = 0;
    ask_ok(&plain, store, "/api/v1/trace/window", "run=run&px=100");
    ask_ok(&told, store, "/api/v1/trace/window", "run=run&px=100&scope=1");
    cJSON *names = cJSON_GetObjectItem(told.json, "names");
    const cJSON *scope = at(told.json, "names.scope"), *text = at(told.json, "names.names");
    const cJSON *caption = at(told.json, "names.caption");
    assert_true(cJSON_IsNull(at(plain.json, "names.scope")));
    assert_int_equal(cJSON_GetArraySize(scope), number_at(told.json, "names.n"));
    for (int i = 0; i < cJSON_GetArraySize(scope); i++) {
        const cJSON *found = cJSON_GetArrayItem(text, (int)item_at(scope, i));
        const char *number = strrchr(cJSON_GetArrayItem(caption, i)->valuestring, '.');
        char layer[64] = "";
        assert_non_null(found);
        if (number) /* "fusion.17" */
            snprintf(layer, sizeof layer, "jit(step)/jit(main)/layer_%ld", atol(number + 1) % 48);
        in_layers += number != NULL;
        assert_string_equal(found->valuestring, layer);
    }
    assert_true(in_layers > 48);
    cJSON_ReplaceItemInObject(names, "scope", cJSON_CreateNull());
    cJSON_ReplaceItemInObject(names, "names", cJSON_CreateNull());
    assert_true(cJSON_Compare(plain.json, told.json, true));
    answer_free(&plain);
    answer_free(&told);
}

static void rows_together_and_alone(void **state)
{
    (void)state;
    struct one_run made;
    make_run(&made);
    assert_true(xsg_write(made.file, XSG_TPU, EVENTS));
    struct xpd_store *store = open_store(made.root);
    if (xpd_threads_count(0) < 2)
        print_message("one processor: both windows are read by one thread\n");
    struct answer rows;
    ask_ok(&rows, store, "/api/v1/trace/rows", "run=run&derived=0");
    int64_t span = number_at(rows.json, "end_ps") - number_at(rows.json, "first_ps");
    answer_free(&rows);
    compare(store, 0, span, true);
    compare(store, span / 3, span / 3 * 2, true);
    compare(store, span / 2, span / 2 + span / 5000, false);
    scopes(store);
    busy_adds_up(store);
    xpd_store_close(store);
    remove_run(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_together_and_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
