/* Asks one question of a report. In: a line of the plan, a place. Out: an answer in the report.
 *
 * A question that fails is recorded with its error: the page then says the same as the served one.
 */
#include "report_ask.h"

#include "report_base.h"
#include "xprofd/json/reader.h"
#include "xprofd/memory/blocks.h"
#include <inttypes.h>

int xpd_report_call(const struct xpd_report_of *of, const struct xpd_report_want *want,
                    const char *route, const char *module, int64_t color,
                    const struct xpd_param *more, uint32_t more_count, struct xpd_strbuf *out)
{
    struct xpd_arena arena = {0};
    struct xpd_param param[XPD_QUESTION_PARAMS] = {
        {XPD_STR("run"), xpd_str_of(of->run->entry->id)}};
    uint32_t count = 1;
    if (module)
        param[count++] = (struct xpd_param){XPD_STR("module"), xpd_str_of(module)};
    if (color >= 0)
        param[count++] = (struct xpd_param){
            XPD_STR("space"), xpd_str_of(xpd_arena_printf(&arena, "%" PRId64, color))};
    for (uint32_t i = 0; i < more_count && count < XPD_QUESTION_PARAMS; i++)
        param[count++] = more[i];
    struct xpd_tool_ctx ctx = {.arena = &arena,
                               .param = param,
                               .param_count = count,
                               .hbm_override_bytes = want->hbm_bytes};
    struct xpd_tool_result result = {0};
    struct xpd_load_state state;
    int rc =
        xpd_tool_call(xpd_tool_find(xpd_str_of(route)), of->store, &ctx, -1, &result, &state, NULL);
    if (rc == XPD_OK)
        xpd_strbuf_add(out, result.body.data, result.body.size);
    xpd_strbuf_fini(&result.body);
    xpd_arena_fini(&arena);
    return rc;
}

static void put(struct xpd_question *q, const char *name, struct xpd_str value)
{
    if (q->count < XPD_QUESTION_PARAMS)
        q->param[q->count++] = (struct xpd_param){xpd_str_of(name), value};
}

static const char *number(struct xpd_arena *arena, const char *prefix, int64_t value)
{
    const char *text = xpd_arena_printf(arena, "%s%" PRId64, prefix, value);
    return text ? text : "";
}

/* The value of a word in braces; NULL when the place has none. */
static const char *value_of(struct xpd_arena *arena, struct xpd_str word,
                            const struct xpd_ask_place *place)
{
    const struct {
        const char *word;
        uint32_t value;
    } numbers[] = {{"{step}", place->step},
                   {"{from}", place->from},
                   {"{to}", place->to},
                   {"{steps}", place->space ? place->space->step_count : XPD_NO_INDEX},
                   {"{offset}", place->offset},
                   {"{process}", place->process},
                   {"{row}", place->thread},
                   {"{buffer}", place->buffer},
                   {"{tenancy}", place->tenancy}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (xpd_str_eq(word, xpd_str_of(numbers[i].word)))
            return numbers[i].value == XPD_NO_INDEX ? NULL : number(arena, "", numbers[i].value);
    if (xpd_str_eq(word, XPD_STR("{fold}")))
        return place->space ? number(arena, "", xpd_mem_fold_bytes(place->space)) : NULL;
    if (xpd_str_eq(word, XPD_STR("{rows}")))
        return place->rows;
    if (xpd_str_eq(word, XPD_STR("{within}")))
        return place->within;
    for (size_t i = 0; i < sizeof place->column / sizeof *place->column; i++)
        if (place->column[i] && word.size == strlen(place->column[i]) + 2 &&
            memcmp(word.data + 1, place->column[i], word.size - 2) == 0)
            return place->cell[i];
    if (place->computation == XPD_NO_INDEX)
        return NULL;
    const struct xpd_hlo_computations *computations = &place->hlo->computations;
    if (xpd_str_eq(word, XPD_STR("{computation_key}")))
        return number(arena, "c", place->computation);
    struct xpd_str name =
        xpd_intern_get(&place->hlo->names, computations->name[place->computation]);
    return xpd_arena_strndup(arena, name.data, name.size);
}

/* The other run of a comparison, and the program there: both ways round. */
static void put_other(const struct xpd_recorder *r, struct xpd_question *q, uint32_t module)
{
    const struct xpd_report_base *base = r->base;
    const struct xpd_run *other = r->of_base ? base->after.run : base->before.run;
    uint32_t partner = (r->of_base ? base->back : base->pair)[module];
    put(q, "base_run", xpd_str_of(other->entry->id));
    if (partner != XPD_NO_INDEX)
        put(q, "base_module", xpd_str_of(other->module[partner].key));
}

static void put_query(struct xpd_question *q, struct xpd_arena *arena,
                      const struct xpd_ask_place *place)
{
    for (const char *at = q->line->query; *at;) {
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

static int answer_of(struct xpd_recorder *r, struct xpd_question *q, struct xpd_tool_result *result,
                     struct xpd_report_answer *answer, struct xpd_err *err)
{
    struct xpd_param param[XPD_QUESTION_PARAMS + 1] = {
        {XPD_STR("run"), xpd_str_of(r->profile->run->entry->id)}};
    memcpy(param + 1, q->param, q->count * sizeof *param);
    struct xpd_tool_ctx ctx = {.arena = &r->arena,
                               .param = param,
                               .param_count = q->count + 1,
                               .hbm_override_bytes = r->want->hbm_bytes,
                               .portable = true};
    struct xpd_load_state state;
    struct xpd_err failed = {0};
    int rc = xpd_tool_call(q->line->tool, r->profile->store, &ctx, -1, result, &state, &failed);
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

static int64_t rows_in(struct xpd_str body)
{
    struct xpd_json *answer = xpd_json_parse_answer(body);
    int64_t total = 0;
    xpd_json_to_i64(xpd_json_member(answer, "total"), &total);
    xpd_json_free(answer);
    return total;
}

static int record(struct xpd_recorder *r, struct xpd_question *q, struct xpd_err *err)
{
    struct xpd_strbuf query = {0};
    struct xpd_tool_result result = {0};
    struct xpd_report_answer answer = {.route = xpd_str_of(q->line->route)};
    bool taken = false;
    if (r->of_base) { /* the run of a question that names none is the profile's */
        xpd_strbuf_puts(&query, "run=");
        encode(&query, xpd_str_of(r->profile->run->entry->id));
    }
    for (uint32_t i = 0; i < q->count; i++) {
        if (query.size)
            xpd_strbuf_putc(&query, '&');
        encode(&query, q->param[i].name);
        xpd_strbuf_putc(&query, '=');
        encode(&query, q->param[i].value);
    }
    answer.query = (struct xpd_str){query.data ? query.data : "", query.size};
    bool known = asked_before(r, &answer);
    bool counts = q->line->each >= XPD_EACH_PAGE && xpd_line_compares(q->line);
    if ((known && !counts) || q->full) {
        q->line->left_out += !known;
        xpd_strbuf_fini(&query);
        return XPD_OK;
    }
    int rc = answer_of(r, q, &result, &answer, err);
    if (rc == XPD_OK && counts)
        q->rows_total = rows_in(answer.body);
    if (rc == XPD_OK && !known)
        rc = xpd_report_add(r->report, &answer, &taken, err);
    q->line->held += taken;
    q->line->left_out += !taken && !known;
    q->full = !taken && !known;
    xpd_strbuf_fini(&result.body);
    xpd_strbuf_fini(&query);
    return rc;
}

int xpd_report_ask(struct xpd_recorder *r, struct xpd_question *q,
                   const struct xpd_ask_place *place, struct xpd_err *err)
{
    q->count = 0;
    if (place->host)
        put(q, "host", xpd_str_of(place->host));
    if (place->module != XPD_NO_INDEX)
        put(q, "module", xpd_str_of(r->profile->run->module[place->module].key));
    if (place->space)
        put(q, "space", xpd_str_of(number(&r->arena, "", place->space->color)));
    if (xpd_line_compares(q->line))
        put_other(r, q, place->module);
    put_query(q, &r->arena, place);
    int rc = r->arena.failed ? xpd_no_memory(err, NULL, "for the report") : record(r, q, err);
    xpd_arena_reset(&r->arena);
    return rc;
}
