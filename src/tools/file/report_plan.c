/* The plan of a report, and its questions that are about rows of another answer. */
#include "../common/common.h"
#include "report_ask.h"
#include "xprofd/json/reader.h"
#include <inttypes.h>

/* Questions about what is in a category or an op group of the report. In: a question of the plan.
 * Out: the same for each of those that hold something at the place's step.
 *
 * Which there are is what the tools answer, so that a new category needs no line here. */

enum { WITHIN_MAX = 64 };

/* A category says whether it opens; a group holds something when it is not 0. */
static const char *name_of(const struct xpd_json *row, bool leaf)
{
    const struct xpd_json *opens = xpd_json_member(row, "opens");
    int64_t bytes = 0;
    if (leaf)
        return xpd_json_is_true(opens) ? xpd_json_to_text(xpd_json_member(row, "id")) : NULL;
    xpd_json_to_i64(xpd_json_item(xpd_json_member(row, "at_bytes"), 0), &bytes);
    return bytes != 0 ? xpd_json_to_text(xpd_json_member(row, "name")) : NULL;
}

int xpd_report_ask_within(struct xpd_recorder *r, struct xpd_question *q,
                          struct xpd_ask_place *place, struct xpd_err *err)
{
    struct xpd_param param[] = {{XPD_STR("px"), XPD_STR("0")}, {XPD_STR("by"), XPD_STR("op")}};
    bool leaf = q->line->each == XPD_EACH_LEAF;
    struct xpd_strbuf body = {0};
    struct xpd_json *answer = NULL;
    int rc = XPD_OK;
    if (xpd_report_call(r->profile, r->want,
                        leaf ? "/api/v1/report/details" : "/api/v1/report/groups",
                        r->profile->run->module[place->module].key, place->space->color, param,
                        leaf ? 1 : 2, &body) == XPD_OK)
        answer = xpd_json_parse_answer((struct xpd_str){body.data, body.size});
    const struct xpd_json *rows = xpd_json_member(answer, "rows");
    for (size_t i = 0; rc == XPD_OK && i < xpd_json_count(rows) && i < WITHIN_MAX; i++) {
        place->within = name_of(xpd_json_item(rows, i), leaf);
        if (place->within)
            rc = xpd_report_ask(r, q, place, err);
    }
    place->within = NULL;
    xpd_json_free(answer);
    xpd_strbuf_fini(&body);
    return rc;
}

/* A question whose answer has pages. In: a line of the plan with {offset} and limit=. Out: as many
 * answers as hold all rows, as the last of them says how many there are. */

enum { PAGES_MAX = 100 };

/* From the line itself: what an asked question was made of is gone with its answer. */
static int64_t rows_of_page(const char *query)
{
    static const char word[] = "limit=";
    const char *at = strstr(query, word);
    int64_t rows = 0;
    if (at)
        xpd_str_to_i64((struct xpd_str){at + strlen(word), strcspn(at + strlen(word), "&")}, &rows);
    return rows;
}

int xpd_report_ask_pages(struct xpd_recorder *r, struct xpd_question *q,
                         struct xpd_ask_place *place, struct xpd_err *err)
{
    q->rows_total = 0;
    place->offset = 0;
    int rc = xpd_report_ask(r, q, place, err);
    if (!strstr(q->line->query, "{offset}"))
        return rc; /* one page is all that the line asks for */
    int64_t rows = rows_of_page(q->line->query);
    for (int page = 1; rc == XPD_OK && rows > 0 && page * rows < q->rows_total; page++) {
        place->offset = (uint32_t)(page * rows);
        if (page < PAGES_MAX)
            rc = xpd_report_ask(r, q, place, err);
        else
            q->line->left_out++;
    }
    return rc;
}

/* Questions about the trace. In: a question of the plan. Out: the same without a host, and of each
 * host when there are several. */

enum { LANES_MAX = 64 };

/* "0-12": measured and derived rows of a host; NULL without a trace. In the arena `keep`. */
static const char *all_rows(struct xpd_recorder *r, const char *host, struct xpd_arena *keep)
{
    struct xpd_param param[] = {{XPD_STR("derived"), XPD_STR("1")},
                                {XPD_STR("host"), xpd_str_of(host)}};
    struct xpd_strbuf body = {0};
    int64_t rows = 0;
    if (xpd_report_call(r->profile, r->want, "/api/v1/trace/rows", NULL, -1, param, host ? 2 : 1,
                        &body) == XPD_OK) {
        struct xpd_json *answer = xpd_json_parse_answer((struct xpd_str){body.data, body.size});
        xpd_json_to_i64(xpd_json_member(xpd_json_member(answer, "rows"), "n"), &rows);
        xpd_json_free(answer);
    }
    xpd_strbuf_fini(&body);
    return rows > 0 ? xpd_arena_printf(keep, "0-%" PRId64, rows - 1) : NULL;
}

static uint32_t index_at(const struct xpd_json *lanes, const char *column, size_t row)
{
    int64_t value;
    const struct xpd_json *item = xpd_json_item(xpd_json_member(lanes, column), row);
    return xpd_json_to_i64(item, &value) ? (uint32_t)value : XPD_NO_INDEX;
}

/* Nothing where one answer lists all steps. */
static int ask_lanes(struct xpd_recorder *r, struct xpd_question *q, struct xpd_ask_place *place,
                     struct xpd_err *err)
{
    struct xpd_param param[] = {{XPD_STR("overlap"), XPD_STR("0")},
                                {XPD_STR("host"), xpd_str_of(place->host)}};
    struct xpd_strbuf body = {0};
    struct xpd_json *answer = NULL;
    int64_t left_out = 0;
    int rc = XPD_OK;
    if (xpd_report_call(r->profile, r->want, "/api/v1/trace/steps", NULL, -1, param,
                        place->host ? 2 : 1, &body) == XPD_OK)
        answer = xpd_json_parse_answer((struct xpd_str){body.data, body.size});
    xpd_json_to_i64(xpd_json_member(answer, "left_out"), &left_out);
    const struct xpd_json *lanes = xpd_json_member(answer, "lanes");
    size_t n = left_out > 0 ? xpd_json_count(xpd_json_member(lanes, "process")) : 0;
    for (size_t i = 0; i < n && i < LANES_MAX && rc == XPD_OK; i++) {
        place->process = index_at(lanes, "process", i);
        place->thread = index_at(lanes, "row", i);
        rc = xpd_report_ask(r, q, place, err);
    }
    q->line->left_out += n > LANES_MAX ? (uint32_t)(n - LANES_MAX) : 0;
    place->process = place->thread = XPD_NO_INDEX;
    xpd_json_free(answer);
    xpd_strbuf_fini(&body);
    return rc;
}

/* Which rows of which answer a question is asked of, and which of their columns it names in braces;
 * '#' is the number of the row. The list is an object of columns or an array of objects. */
static const struct rows_of {
    enum xpd_each each;
    const char *route, *param[2][2];
    const char *list; /* NULL: the answer itself */
    const char *column[2];
} rows_of[] = {
    {XPD_EACH_HEAP_FILE, "/api/v1/heap/files", {{NULL}}, "files", {"name", NULL}},
    {XPD_EACH_HEAP_LINE, "/api/v1/heap/lines", {{"limit", "200"}}, "rows", {"key", NULL}},
    {XPD_EACH_OP, "/api/v1/trace/ops", {{"limit", "200"}}, "ops", {"name", "module"}},
    {XPD_EACH_INPUT_STEP,
     "/api/v1/input/steps",
     {{"bars", "200"}, {"limit", "200"}},
     NULL,
     {"number", NULL}},
    {XPD_EACH_LAYER, "/api/v1/trace/layers", {{NULL}}, "layers", {"#", "name"}},
    {XPD_EACH_ALLOCATOR, "/api/v1/trace/allocators", {{"px", "1"}}, "tracks", {"#", "most_at_ps"}},
};

static const char *cell_of(const struct xpd_json *list, const char *column, size_t row,
                           struct xpd_arena *keep)
{
    if (strcmp(column, "#") == 0)
        return xpd_arena_printf(keep, "%zu", row);
    const struct xpd_json *cell = xpd_json_kind(list) == XPD_JSON_ARRAY
                                      ? xpd_json_member(xpd_json_item(list, row), column)
                                      : xpd_json_item(xpd_json_member(list, column), row);
    int64_t number;
    if (xpd_json_to_i64(cell, &number))
        return xpd_arena_printf(keep, "%" PRId64, number);
    return xpd_json_to_text(cell);
}

static int ask_rows(struct xpd_recorder *r, struct xpd_question *q, struct xpd_ask_place *place,
                    const struct rows_of *of, struct xpd_err *err)
{
    struct xpd_param param[3];
    struct xpd_strbuf body = {0};
    struct xpd_arena keep = {0};
    struct xpd_json *answer = NULL;
    uint32_t params = 0;
    int64_t total = 0;
    int rc = XPD_OK;
    for (size_t i = 0; i < 2 && of->param[i][0]; i++)
        param[params++] =
            (struct xpd_param){xpd_str_of(of->param[i][0]), xpd_str_of(of->param[i][1])};
    if (place->host)
        param[params++] = (struct xpd_param){XPD_STR("host"), xpd_str_of(place->host)};
    if (xpd_report_call(r->profile, r->want, of->route, NULL, -1, param, params, &body) == XPD_OK)
        answer = xpd_json_parse_answer((struct xpd_str){body.data, body.size});
    const struct xpd_json *list = of->list ? xpd_json_member(answer, of->list) : answer;
    bool array = xpd_json_kind(list) == XPD_JSON_ARRAY;
    bool numbered = strcmp(of->column[0], "#") == 0;
    size_t n = xpd_json_count(array ? list : xpd_json_member(list, of->column[numbered]));
    memcpy(place->column, of->column, sizeof of->column);
    for (size_t i = 0; i < n && rc == XPD_OK; i++) {
        for (size_t c = 0; c < 2; c++)
            place->cell[c] = of->column[c] ? cell_of(list, of->column[c], i, &keep) : NULL;
        rc = xpd_report_ask(r, q, place, err);
        xpd_arena_reset(&keep);
    }
    if (xpd_json_to_i64(xpd_json_member(answer, "total"), &total) && total > (int64_t)n && of->list)
        q->line->left_out += (uint64_t)total - n;
    memset(place->column, 0, sizeof place->column);
    xpd_arena_fini(&keep);
    xpd_json_free(answer);
    xpd_strbuf_fini(&body);
    return rc;
}

static const struct rows_of *rows_of_kind(enum xpd_each each)
{
    for (size_t i = 0; i < sizeof rows_of / sizeof *rows_of; i++)
        if (rows_of[i].each == each)
            return &rows_of[i];
    return NULL;
}

int xpd_report_ask_heap(struct xpd_recorder *r, struct xpd_question *q, struct xpd_ask_place *place,
                        struct xpd_err *err)
{
    const struct rows_of *of = rows_of_kind(q->line->each);
    return of ? ask_rows(r, q, place, of, err) : xpd_report_ask(r, q, place, err);
}

static int ask_host(struct xpd_recorder *r, struct xpd_question *q, struct xpd_ask_place *place,
                    struct xpd_err *err)
{
    const struct rows_of *of = rows_of_kind(q->line->each);
    struct xpd_arena keep = {0};
    if (q->line->each == XPD_EACH_LANE)
        return ask_lanes(r, q, place, err);
    if (of)
        return ask_rows(r, q, place, of, err);
    if (strstr(q->line->query, "{rows}"))
        place->rows = all_rows(r, place->host, &keep);
    int rc = xpd_report_ask(r, q, place, err);
    xpd_arena_fini(&keep);
    place->rows = NULL;
    return rc;
}

int xpd_report_ask_hosts(struct xpd_recorder *r, struct xpd_question *q,
                         struct xpd_ask_place *place, struct xpd_err *err)
{
    const struct xpd_run *run = r->profile->run;
    int rc = ask_host(r, q, place, err);
    for (uint32_t i = 0; run->host_count > 1 && i < run->host_count && rc == XPD_OK; i++) {
        place->host = run->host[i].name;
        rc = ask_host(r, q, place, err);
    }
    return rc;
}

/* ---- the plan ---- */

/* One line, or one for each a of a|b|c. */
static void add_lines(struct xpd_report_plan *plan, struct xpd_report_line line)
{
    const char *bar = strchr(line.query, '|'), *from = bar ? bar : strchr(line.query, '\0');
    while (bar && from[-1] != '=')
        from--;
    const char *query = line.query, *to = from + strcspn(from, "&");
    for (const char *at = from; at <= to; at += strcspn(at, "|&") + 1) {
        line.query = xpd_arena_printf(&plan->arena, "%.*s%.*s%s", (int)(from - query), query,
                                      (int)strcspn(at, "|&"), at, to);
        XPD_PUSH(&plan->lines, line);
        struct xpd_report_line *sorted = plan->lines.at;
        for (size_t i = plan->lines.failed ? 0 : plan->lines.count - 1;
             i > 0 && sorted[i - 1].when > line.when; i--) {
            sorted[i] = sorted[i - 1];
            sorted[i - 1] = line;
        }
    }
}

int xpd_report_plan_make(struct xpd_report_plan *plan, struct xpd_err *err)
{
    uint32_t count;
    const struct xpd_tool *const *tool = xpd_tools(&count);
    for (uint32_t i = 0; i < count; i++) {
        const char *holds = NULL;
        for (const struct xpd_ask *ask = tool[i]->report; ask && ask->query; ask++) {
            holds = ask->holds ? ask->holds : holds;
            add_lines(plan, (struct xpd_report_line){.tool = tool[i],
                                                     .when = ask->when,
                                                     .each = ask->each,
                                                     .route = tool[i]->route + strlen("/api/v1/"),
                                                     .query = ask->query,
                                                     .holds = holds});
        }
    }
    return plan->lines.failed || plan->arena.failed ? xpd_tools_no_memory(err) : XPD_OK;
}

void xpd_report_plan_fini(struct xpd_report_plan *plan)
{
    XPD_VEC_FINI(&plan->lines);
    xpd_arena_fini(&plan->arena);
}
