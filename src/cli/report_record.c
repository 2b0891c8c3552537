/* Records the answers of a report. In: an opened profile, the plan. Out: answers in the report and
 * a tally of what was held and left out.
 *
 * Turn by turn, program by program, line by line of the plan. A question that fails is recorded
 * with its error: the page then says the same as the served one. */
#include "report_record.h"

#include "xprofd/json/reader.h"
#include "xprofd/tools/held.h"
#include <inttypes.h>
#include <stdlib.h>

enum {
    TURNS = 3,
    SPACES_MAX = 32,
    NEAR_MAX = 16,
    TILE_STEPS = 4096, /* what memory/steps answers at most */
    TILES_MAX = 64,
    STEPS_MAX = 1000,
    LARGEST_MAX = 200,
    BUFFERS_MAX = 2000,
    PARAMS_MAX = 16,
    VALUE_BYTES = 512
};

/* What a question is asked about. */
struct place {
    const char *host; /* NULL = none named */
    const char *rows; /* all rows of the host's trace, "0-12"; NULL = none */
    uint32_t module;  /* XPD_NO_INDEX = none */
    const struct xpd_hlo *hlo;
    const struct xpd_mem *mem;
    const struct xpd_mem_space *space;
    uint32_t step, from, to, buffer, computation; /* XPD_NO_INDEX = none */
};

/* ---- one question ---- */

struct question {
    const struct xpd_ask *ask;
    struct xpd_tally *tally;
    struct xpd_param param[PARAMS_MAX];
    uint32_t count;
    bool full; /* no room was left for the one before: the others of this kind are counted only */
};

static void put(struct question *q, const char *name, struct xpd_str value)
{
    if (q->count < PARAMS_MAX)
        q->param[q->count++] = (struct xpd_param){xpd_str_of(name), value};
}

static const char *number(struct xpd_arena *arena, const char *prefix, int64_t value)
{
    const char *text = xpd_arena_printf(arena, "%s%" PRId64, prefix, value);
    return text ? text : "";
}

/* The value of a word in braces; NULL when the place has none. */
static const char *value_of(struct xpd_arena *arena, struct xpd_str word, const struct place *place)
{
    const struct {
        const char *word;
        uint32_t value;
    } numbers[] = {{"{step}", place->step},
                   {"{from}", place->from},
                   {"{to}", place->to},
                   {"{steps}", place->space ? place->space->step_count : XPD_NO_INDEX},
                   {"{buffer}", place->buffer}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (xpd_str_eq(word, xpd_str_of(numbers[i].word)))
            return numbers[i].value == XPD_NO_INDEX ? NULL : number(arena, "", numbers[i].value);
    if (xpd_str_eq(word, XPD_STR("{rows}")))
        return place->rows;
    if (place->computation == XPD_NO_INDEX)
        return NULL;
    const struct xpd_hlo_computations *computations = &place->hlo->computations;
    if (xpd_str_eq(word, XPD_STR("{computation_key}")))
        return number(arena, "c", place->computation);
    struct xpd_str name =
        xpd_intern_get(&place->hlo->names, computations->name[place->computation]);
    return xpd_arena_strndup(arena, name.data, name.size);
}

static void put_query(struct question *q, struct xpd_arena *arena, const struct place *place)
{
    for (const char *at = q->ask->query; *at;) {
        size_t name = strcspn(at, "="), all = strcspn(at, "&");
        struct xpd_str value = {at + name + 1, all - name - 1};
        const char *text = value.data[0] == '{' ? value_of(arena, value, place) : NULL;
        if (text)
            value = xpd_str_of(text);
        if (text || value.data[0] != '{')
            put(q, xpd_arena_strndup(arena, at, name), value);
        at += all + (at[all] == '&');
    }
}

/* As in a URL. */
static void encode(struct xpd_strbuf *out, struct xpd_str text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
            c == '-' || c == '_' || c == '.')
            xpd_strbuf_putc(out, (char)c);
        else
            xpd_strbuf_printf(out, "%%%02X", c);
    }
}

static int answer_of(struct xpd_recorder *r, struct question *q, struct xpd_tool_result *result,
                     struct xpd_report_answer *answer, struct xpd_err *err)
{
    const struct xpd_tool *tool =
        xpd_tool_find(xpd_str_of(xpd_arena_printf(&r->arena, "/api/v1/%s", q->ask->route)));
    if (!tool)
        return xpd_fail(err, XPD_EINTERNAL, q->ask->route, XPD_NO_OFFSET, "there is no route %s",
                        q->ask->route);
    struct xpd_param param[PARAMS_MAX + 1] = {
        {XPD_STR("run"), xpd_str_of(r->profile->run->entry->id)}};
    memcpy(param + 1, q->param, q->count * sizeof *param);
    struct xpd_tool_ctx ctx = {.arena = &r->arena,
                               .param = param,
                               .param_count = q->count + 1,
                               .hbm_override_bytes = r->args->hbm_bytes,
                               .portable = true};
    struct xpd_load_state state;
    struct xpd_err failed = {0};
    int rc = xpd_tool_call(tool, r->profile->store, &ctx, -1, result, &state, &failed);
    if (rc == XPD_ENOMEM || rc == XPD_EINTERNAL || rc == XPD_ECHANGED || rc == XPD_EIO) {
        *err = failed;
        return rc;
    }
    answer->kind = rc != XPD_OK                    ? XPD_ANSWER_ERROR
                   : result->type == XPD_BODY_TEXT ? XPD_ANSWER_TEXT
                                                   : XPD_ANSWER_JSON;
    if (rc != XPD_OK) {
        struct xpd_jsonw w;
        xpd_strbuf_clear(&result->body);
        xpd_jsonw_init(&w, &result->body);
        xpd_json_error(&w, &failed);
    }
    answer->body = (struct xpd_str){result->body.data ? result->body.data : "", result->body.size};
    return XPD_OK;
}

/* A later line of the plan may ask what an earlier one did. */
static bool asked_before(struct xpd_recorder *r, const struct xpd_report_answer *answer)
{
    uint64_t key = xpd_hash(answer->query.data, answer->query.size) * 31 +
                   xpd_hash(answer->route.data, answer->route.size);
    return xpd_map64_put(&r->asked, key, 1) != XPD_NO_INDEX;
}

static int record(struct xpd_recorder *r, struct question *q, struct xpd_err *err)
{
    struct xpd_strbuf query = {0};
    struct xpd_tool_result result = {0};
    struct xpd_report_answer answer = {.route = xpd_str_of(q->ask->route)};
    bool taken = false;
    for (uint32_t i = 0; i < q->count; i++) {
        if (i)
            xpd_strbuf_putc(&query, '&');
        encode(&query, q->param[i].name);
        xpd_strbuf_putc(&query, '=');
        encode(&query, q->param[i].value);
    }
    answer.query = (struct xpd_str){query.data ? query.data : "", query.size};
    bool known = asked_before(r, &answer);
    if (known || q->full) {
        q->tally->left_out += !known;
        xpd_strbuf_fini(&query);
        return XPD_OK;
    }
    int rc = answer_of(r, q, &result, &answer, err);
    if (rc == XPD_OK)
        rc = xpd_report_add(r->report, &answer, &taken, err);
    q->tally->held += taken;
    q->tally->left_out += !taken;
    q->full = !taken;
    xpd_strbuf_fini(&result.body);
    xpd_strbuf_fini(&query);
    return rc;
}

static int ask(struct xpd_recorder *r, struct question *q, const struct place *place,
               struct xpd_err *err)
{
    q->count = 0;
    if (place->host)
        put(q, "host", xpd_str_of(place->host));
    if (place->module != XPD_NO_INDEX)
        put(q, "module", xpd_str_of(r->profile->run->module[place->module].key));
    if (place->space)
        put(q, "space", xpd_str_of(number(&r->arena, "", place->space->color)));
    put_query(q, &r->arena, place);
    int rc = r->arena.failed
                 ? xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for the report")
                 : record(r, q, err);
    xpd_arena_reset(&r->arena);
    return rc;
}

/* ---- what a line of the plan is asked about ---- */

static int ask_range(struct xpd_recorder *r, struct question *q, struct place *place,
                     uint32_t *field, uint32_t count, struct xpd_err *err)
{
    int rc = XPD_OK;
    for (uint32_t i = 0; i < count && rc == XPD_OK; i++) {
        *field = i;
        rc = ask(r, q, place, err);
    }
    return rc;
}

static int ask_near(struct xpd_recorder *r, struct question *q, struct place *place,
                    struct xpd_err *err)
{
    struct xpd_near_peak near[NEAR_MAX];
    uint32_t count = xpd_near_peaks(place->space, 0.10, near, NEAR_MAX);
    int rc = XPD_OK;
    for (uint32_t i = 0; i < count && i < NEAR_MAX && rc == XPD_OK; i++) {
        place->step = near[i].step;
        if (near[i].step != place->space->peak_step)
            rc = ask(r, q, place, err);
    }
    return rc;
}

static int ask_tiles(struct xpd_recorder *r, struct question *q, struct place *place,
                     struct xpd_err *err)
{
    uint32_t steps = place->space->step_count;
    int rc = XPD_OK;
    for (uint32_t i = 0; i < TILES_MAX && rc == XPD_OK; i++) {
        place->from = i * (TILE_STEPS / 2);
        place->to = steps - place->from < TILE_STEPS ? steps : place->from + TILE_STEPS;
        rc = ask(r, q, place, err);
        if (place->to == steps)
            return rc;
    }
    uint32_t rest = (steps - place->to + TILE_STEPS / 2 - 1) / (TILE_STEPS / 2);
    q->tally->left_out += rest;
    return rc;
}

static int larger_first(const void *a, const void *b)
{
    const struct xpd_held *x = a, *y = b;
    if (x->size_bytes != y->size_bytes)
        return x->size_bytes < y->size_bytes ? 1 : -1;
    return (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

static int ask_largest(struct xpd_recorder *r, struct question *q, struct place *place,
                       struct xpd_err *err)
{
    struct xpd_arena arena = {0};
    struct xpd_held_list list = {0};
    int rc = xpd_held_at(&list, place->mem, place->space, place->space->peak_step, &arena, err);
    if (rc == XPD_OK && list.count > 0)
        qsort(list.at, list.count, sizeof *list.at, larger_first);
    for (uint32_t i = 0; rc == XPD_OK && i < list.count; i++) {
        place->buffer = list.at[i].buffer;
        if (place->buffer == XPD_NO_INDEX)
            continue;
        if (i < LARGEST_MAX)
            rc = ask(r, q, place, err);
        else
            q->tally->left_out++;
    }
    xpd_arena_fini(&arena);
    return rc;
}

static int ask_buffers(struct xpd_recorder *r, struct question *q, struct place *place,
                       struct xpd_err *err)
{
    const struct xpd_hlo_buffers *buffers = &place->hlo->buffers;
    uint32_t asked = 0;
    int rc = XPD_OK;
    for (uint32_t i = 0; i < buffers->count && rc == XPD_OK; i++) {
        if (buffers->color[i] != place->space->color)
            continue;
        place->buffer = i;
        if (asked++ < BUFFERS_MAX)
            rc = ask(r, q, place, err);
        else
            q->tally->left_out++;
    }
    return rc;
}

static int ask_in_space(struct xpd_recorder *r, struct question *q, struct place *place,
                        struct xpd_err *err)
{
    uint32_t steps = place->space->step_count;
    switch (q->ask->each) {
    case XPD_EACH_PEAK: place->step = place->space->peak_step; return ask(r, q, place, err);
    case XPD_EACH_NEAR: return ask_near(r, q, place, err);
    case XPD_EACH_TILE: return steps > 0 ? ask_tiles(r, q, place, err) : XPD_OK;
    case XPD_EACH_STEP:
        if (steps <= STEPS_MAX)
            return ask_range(r, q, place, &place->step, steps, err);
        q->tally->left_out += steps;
        return XPD_OK;
    case XPD_EACH_LARGEST: return ask_largest(r, q, place, err);
    case XPD_EACH_BUFFER: return ask_buffers(r, q, place, err);
    default: return ask(r, q, place, err);
    }
}

/* "0-12": measured and derived rows of a host; NULL without a trace. In the arena `keep`. */
static const char *all_rows(struct xpd_recorder *r, const char *host, struct xpd_arena *keep)
{
    struct xpd_param param[] = {{XPD_STR("derived"), XPD_STR("1")},
                                {XPD_STR("host"), xpd_str_of(host)}};
    struct xpd_strbuf body = {0};
    int64_t rows = 0;
    if (xpd_cli_call(r->profile, r->args, "/api/v1/trace/rows", NULL, -1, param, host ? 2 : 1,
                     &body, NULL) == XPD_OK) {
        struct xpd_json *answer = xpd_json_parse((struct xpd_str){body.data, body.size});
        xpd_json_to_i64(xpd_json_member(xpd_json_member(answer, "rows"), "n"), &rows);
        xpd_json_free(answer);
    }
    xpd_strbuf_fini(&body);
    return rows > 0 ? number(keep, "0-", rows - 1) : NULL;
}

static int ask_host(struct xpd_recorder *r, struct question *q, struct place *place,
                    struct xpd_err *err)
{
    struct xpd_arena keep = {0};
    if (strstr(q->ask->query, "{rows}"))
        place->rows = all_rows(r, place->host, &keep);
    int rc = ask(r, q, place, err);
    xpd_arena_fini(&keep);
    place->rows = NULL;
    return rc;
}

static int ask_hosts(struct xpd_recorder *r, struct question *q, struct place *place,
                     struct xpd_err *err)
{
    const struct xpd_run *run = r->profile->run;
    int rc = ask_host(r, q, place, err);
    for (uint32_t i = 0; run->host_count > 1 && i < run->host_count && rc == XPD_OK; i++) {
        place->host = run->host[i].name;
        rc = ask_host(r, q, place, err);
    }
    return rc;
}

static const struct place nowhere = {.module = XPD_NO_INDEX,
                                     .step = XPD_NO_INDEX,
                                     .from = XPD_NO_INDEX,
                                     .to = XPD_NO_INDEX,
                                     .buffer = XPD_NO_INDEX,
                                     .computation = XPD_NO_INDEX};

static struct question question_of(struct xpd_recorder *r, uint32_t line)
{
    uint32_t count;
    return (struct question){.ask = &xpd_report_plan(&count)[line], .tally = &r->tally[line]};
}

static int record_run(struct xpd_recorder *r, int turn, struct xpd_err *err)
{
    uint32_t count;
    const struct xpd_ask *plan = xpd_report_plan(&count);
    int rc = XPD_OK;
    for (uint32_t i = 0; i < count && rc == XPD_OK; i++) {
        struct question q = question_of(r, i);
        struct place place = nowhere;
        if (plan[i].turn != turn)
            continue;
        if (plan[i].each == XPD_EACH_RUN)
            rc = ask(r, &q, &place, err);
        else if (plan[i].each == XPD_EACH_HOST && r->profile->run->has_events)
            rc = ask_hosts(r, &q, &place, err);
    }
    return rc;
}

/* ---- programs ---- */

static bool wants_space(const struct xpd_recorder *r, const struct xpd_mem_space *space)
{
    int64_t color;
    return !r->args->space || strcmp(r->args->space, "all") == 0 ||
           (xpd_str_to_i64(xpd_str_of(r->args->space), &color) && color == space->color);
}

uint32_t xpd_record_spaces(const struct xpd_recorder *r, const struct xpd_mem *mem,
                           const struct xpd_mem_space **out, uint32_t capacity)
{
    uint32_t count = 0;
    for (int main_one = 1; main_one >= 0; main_one--)
        for (uint32_t i = 0; i < mem->space_count && count < capacity; i++)
            if ((&mem->space[i] == xpd_mem_space_of(mem, 0)) == main_one &&
                wants_space(r, &mem->space[i]))
                out[count++] = &mem->space[i];
    return count;
}

bool xpd_record_wants(const struct xpd_recorder *r, uint32_t module)
{
    uint32_t wanted;
    return !r->args->module || (xpd_run_find_module(r->profile->run, xpd_str_of(r->args->module),
                                                    &wanted, NULL) == XPD_OK &&
                                wanted == module);
}

static int record_module(struct xpd_recorder *r, int turn, uint32_t module, struct xpd_err *err)
{
    uint32_t count;
    const struct xpd_ask *plan = xpd_report_plan(&count);
    struct place of = nowhere;
    const struct xpd_mem_space *space[SPACES_MAX];
    uint32_t spaces = 0;
    of.module = module;
    if (xpd_store_module(r->profile->store, r->profile->run, module, &of.hlo, &of.mem, NULL) ==
        XPD_OK)
        spaces = xpd_record_spaces(r, of.mem, space, SPACES_MAX);
    int rc = XPD_OK;
    for (uint32_t i = 0; i < count && rc == XPD_OK; i++) {
        struct question q = question_of(r, i);
        struct place place = of;
        if (plan[i].turn != turn || plan[i].each < XPD_EACH_MODULE)
            continue;
        if (plan[i].each == XPD_EACH_ENTRY)
            place.computation = of.hlo ? of.hlo->entry : XPD_NO_INDEX;
        if (plan[i].each == XPD_EACH_MODULE || place.computation != XPD_NO_INDEX)
            rc = ask(r, &q, &place, err);
        for (uint32_t s = 0; plan[i].each >= XPD_EACH_SPACE && s < spaces && rc == XPD_OK; s++) {
            place = of;
            place.space = space[s];
            rc = ask_in_space(r, &q, &place, err);
        }
        /* A program without memory: the page asks for its summary all the same. */
        if (plan[i].each == XPD_EACH_SPACE && spaces == 0)
            rc = ask(r, &q, &place, err);
    }
    return rc;
}

struct ranked {
    int64_t peak_bytes;
    uint32_t module;
};

static int by_peak(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->peak_bytes != y->peak_bytes)
        return x->peak_bytes < y->peak_bytes ? 1 : -1;
    return (x->module > y->module) - (x->module < y->module);
}

/* Modules in the order they are recorded. */
static uint32_t rank(const struct xpd_recorder *r, struct ranked *out)
{
    const struct xpd_run *run = r->profile->run;
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->module_count; i++) {
        const struct xpd_hlo *hlo;
        const struct xpd_mem *mem = NULL;
        int64_t peak = -1;
        if (!xpd_record_wants(r, i))
            continue;
        if (xpd_store_module(r->profile->store, run, i, &hlo, &mem, NULL) == XPD_OK)
            for (uint32_t s = 0; s < mem->space_count; s++)
                if (mem->space[s].peak_bytes > peak)
                    peak = mem->space[s].peak_bytes;
        out[count++] = (struct ranked){i == r->default_module ? INT64_MAX : peak, i};
    }
    qsort(out, count, sizeof *out, by_peak);
    return count;
}

int xpd_record(struct xpd_recorder *r, struct xpd_err *err)
{
    struct ranked *ranked = calloc(r->profile->run->module_count + 1, sizeof *ranked);
    if (!ranked)
        return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for the report");
    uint32_t modules = rank(r, ranked);
    int rc = XPD_OK;
    for (int turn = 1; turn <= TURNS && rc == XPD_OK; turn++) {
        rc = record_run(r, turn, err);
        for (uint32_t i = 0; i < modules && rc == XPD_OK; i++)
            rc = record_module(r, turn, ranked[i].module, err);
    }
    free(ranked);
    return rc;
}
