/* The table of buffers in one place: its CSV adds up to it, pages are parts of it, cards agree with
 * its rows. */
#include "place.h"

#include <stdbool.h>

static uint32_t random_state;

void random_start(void)
{
    random_state = 1;
}

int64_t random_below(int64_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return n > 0 ? (int64_t)(random_state >> 8) % n : 0;
}

void same(const struct place *place, const char *what, int64_t a, int64_t b)
{
    if (a != b)
        fail_msg("%s: %s: %lld is not %lld", place->query, what, (long long)a, (long long)b);
}

/* Not strtoll: under a sanitizer that looks for the end of the whole table, for each cell. */
static int64_t number_of(const char *cell)
{
    bool minus = *cell == '-';
    int64_t number = 0;
    for (cell += minus; *cell >= '0' && *cell <= '9'; cell++)
        number = 10 * number + (*cell - '0');
    return minus ? -number : number;
}

int64_t csv_sum(const char *csv, int column, int *rows)
{
    int64_t sum = 0;
    *rows = -1; /* the header */
    for (const char *at = csv; *at; ++*rows) {
        int cell = 0;
        bool quoted = false;
        const char *start = at;
        for (; *at && (quoted || *at != '\n'); at++) {
            if (*at == '"')
                quoted = !quoted;
            else if (*at == ',' && !quoted) {
                if (cell == column && *rows >= 0)
                    sum += number_of(start);
                cell++;
                start = at + 1;
            }
        }
        if (cell == column && *rows >= 0)
            sum += number_of(start);
        at += *at == '\n';
    }
    return sum;
}

void table_closes(const struct place *place, const char *where)
{
    struct answer json, csv;
    int rows;
    ask_ok(&json, place->store, "/api/v1/memory/buffers", "%s&at=%s&limit=50", place->query, where);
    ask_ok(&csv, place->store, "/api/v1/memory/buffers", "%s&at=%s&format=csv", place->query,
           where);
    int64_t sum = csv_sum(csv.body, 9, &rows);
    same(place, "table bytes", sum, number_at(json.json, "total_bytes"));
    same(place, "table rows", rows, number_at(json.json, "total"));
    same(place, "matched", number_at(json.json, "matched"), number_at(json.json, "total"));
    const cJSON *saving = at(json.json, "saving_bytes");
    for (int i = 1; i < cJSON_GetArraySize(saving); i++)
        assert_true(item_at(saving, i - 1) >= item_at(saving, i));
    answer_free(&csv);
    ask_ok(&csv, place->store, "/api/v1/memory/buffers",
           "%s&at=%s&format=csv&fold_bytes=4096&sort=size", place->query, where);
    same(place, "folded table bytes", csv_sum(csv.body, 9, &rows),
         number_at(json.json, "total_bytes"));
    answer_free(&csv);
    answer_free(&json);
    ask_ok(&json, place->store, "/api/v1/memory/buffers", "%s&at=%s&by=class&limit=1", place->query,
           where);
    if (number_at(json.json, "total") > 0) {
        same(place, "groups", column_sum(json.json, "groups.size_bytes"),
             number_at(json.json, "total_bytes"));
        same(place, "group rows", column_sum(json.json, "groups.count"),
             number_at(json.json, "total"));
    }
    answer_free(&json);
}

/* A page is the same rows whatever page size it is read with, for every key. */
void pages_agree(const struct place *place)
{
    static const char *const keys[] = {"saving", "size",   "padding", "name",   "shape",
                                       "start",  "end",    "life",    "offset", "class",
                                       "dtype",  "opcode", "scope",   "source", "id"};
    const char *key = keys[random_below(sizeof keys / sizeof *keys)];
    int desc = (int)random_below(2);
    struct answer whole, page;
    ask_ok(&whole, place->store, "/api/v1/memory/buffers", "%s&sort=%s&desc=%d&limit=10000",
           place->query, key, desc);
    int n = (int)number_at(whole.json, "n"), from = (int)random_below(n);
    ask_ok(&page, place->store, "/api/v1/memory/buffers", "%s&sort=%s&desc=%d&offset=%d&limit=7",
           place->query, key, desc, from);
    const cJSON *a = at(whole.json, "buffer"), *b = at(page.json, "buffer");
    for (int i = 0; i < cJSON_GetArraySize(b); i++)
        same(place, key, item_at(a, from + i), item_at(b, i));
    answer_free(&whole);
    answer_free(&page);
}

void cards_agree(const struct place *place)
{
    struct answer table;
    ask_ok(&table, place->store, "/api/v1/memory/buffers", "%s&limit=3&offset=%d", place->query,
           (int)random_below(30));
    const cJSON *buffer = at(table.json, "buffer");
    for (int i = 0; i < cJSON_GetArraySize(buffer); i++) {
        struct answer card, what_if, by_id;
        long long index = (long long)item_at(buffer, i);
        ask_ok(&card, place->store, "/api/v1/memory/buffer", "%s&buffer=%lld", place->query, index);
        ask_ok(&what_if, place->store, "/api/v1/memory/whatif", "%s&buffers=%lld,%lld",
               place->query, index, index);
        same(place, "saving", number_at(card.json, "saving_bytes"),
             number_at(what_if.json, "saving_bytes"));
        same(place, "saving of the table", number_at(card.json, "saving_bytes"),
             item_at(at(table.json, "saving_bytes"), i));
        same(place, "count", number_at(what_if.json, "count"), 1);
        assert_true(number_at(card.json, "equal.count") >= 1);
        assert_true(number_at(card.json, "equal.saving_bytes") >=
                    number_at(card.json, "saving_bytes"));
        assert_string_equal(text_at(card.json, "name"), name_at(table.json, "name", i));
        ask_ok(&by_id, place->store, "/api/v1/memory/buffer", "%s&id=%lld", place->query,
               (long long)number_at(card.json, "id"));
        same(place, "by id", number_at(by_id.json, "buffer"), index);
        answer_free(&by_id);
        answer_free(&card);
        answer_free(&what_if);
    }
    answer_free(&table);
}
