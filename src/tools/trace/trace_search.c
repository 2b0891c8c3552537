/* /api/v1/trace/search: events by name, over the whole trace or a window. Names are matched once
 * each; with args=1 also what the compiler says of an operation; with args=2 also the args of
 * single events, which takes a pass over the file. The answer says what was searched. */
#include "../common/search_args.h"
#include "trace_common.h"
#include "xprofd/match/match.h"
#include "xprofd/trace/search.h"

#define LIMIT_DEFAULT 500
#define LIMIT_MAX     10000
#define NAMES_MAX     200 /* matching names that are listed, most time first */

#define XPD_SEARCH_NAME_FIELDS(FIELD)                                                              \
    FIELD(INDEX, id, "number of the name")                                                         \
    FIELD(TEXT, caption, "")                                                                       \
    FIELD(TEXT, program, "\"\" none")                                                              \
    FIELD(WORD(XPD_GROUP_WORDS), group, "kind of work")                                            \
    FIELD(BOOL, single, "only args of single events of this name match")                           \
    FIELD(INT, count, "events that match")                                                         \
    FIELD(INT, total_ps, "of these")
XPD_RECORD(xpd_search_name, XPD_SEARCH_NAME_FIELDS)

#define XPD_SEARCH_NAMES_FIELDS(FIELD)                                                             \
    FIELD(COUNT, left_out, "names not listed")                                                     \
    FIELD(INLINE(xpd_search_name), rows, "")
XPD_RECORD(xpd_search_names, XPD_SEARCH_NAMES_FIELDS)

#define XPD_SEARCH_HIT_FIELDS(FIELD)                                                               \
    FIELD(INT, event, "")                                                                          \
    FIELD(SIGNED, start_ps, "host-aligned")                                                        \
    FIELD(INT, duration_ps, "host-aligned")                                                        \
    FIELD(INDEX, row, "of trace/rows")                                                             \
    FIELD(INDEX, id, "number of its name")                                                         \
    FIELD(NAME, caption, "")
XPD_RECORD(xpd_search_hit, XPD_SEARCH_HIT_FIELDS)

#define XPD_TRACE_SEARCH_FIELDS(FIELD)                                                             \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(INT, count, "events that match")                                                         \
    FIELD(INT, total_ps, "of these")                                                               \
    FIELD(WORD("host"), clock, "of all times")                                                     \
    FIELD(INT, offset, "of the first hit listed")                                                  \
    FIELD(STRING, covered, "scope of the search, in words")                                        \
    FIELD(MAYBE(STRING), problem, "what is wrong with the expression, or what was not checked")    \
    FIELD(BOOL, stopped, "a limit was reached, so there may be more hits")                         \
    FIELD(COLUMNS(xpd_search_hit), hits, "by time")                                                \
    FIELD(OBJECT(xpd_search_names), by_name, "the 200 names with most time")                       \
    FIELD(MAYBE(VALUES(BOOL)), columns, "with `px`: the column has a hit")
XPD_RECORD(xpd_trace_search, XPD_TRACE_SEARCH_FIELDS)

struct question {
    const struct xpd_trace_call *call;
    struct xpd_match match;
    bool folds, regex;
    enum { NAMES, SHARED, ALL_ARGS } args; /* as the parameter has them */
    struct xpd_str text;
    const struct xpd_arg_hits *hits; /* ALL_ARGS: of single events and of their metadata */
    uint8_t *wanted;
    uint32_t *name; /* that match */
    uint32_t name_count;
};

/* With case=1 plain text is compared as it is. */
static bool matches(struct question *question, struct xpd_str text)
{
    if (text.size == 0)
        return false;
    if (!question->folds && !question->match.is_regex)
        return xpd_str_find(text, question->text, false) != SIZE_MAX;
    return xpd_match_test(&question->match, text) != XPD_MATCH_NONE;
}

static bool name_matches(struct question *question, uint32_t name)
{
    const struct xpd_view *view = &question->call->view;
    const struct xpd_event_name *at = xpd_view_name(view, name);
    if (matches(question, xpd_view_text(view, name, at->caption)))
        return true;
    if (!question->args)
        return false;
    const xpd_name_id more[] = {at->name, at->category, at->tf_op, at->source, at->program};
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
        if (more[i] != 0 && matches(question, xpd_view_text(view, name, more[i])))
            return true;
    return false;
}

static int match_names(struct question *question, struct xpd_err *err)
{
    struct xpd_arena *arena = question->call->ctx->arena;
    uint32_t count = xpd_view_names(&question->call->view);
    question->wanted = XPD_NEW_ARRAY(arena, uint8_t, count);
    question->name = XPD_NEW_ARRAY(arena, uint32_t, count);
    if (!question->wanted || !question->name)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        bool shared = question->hits && i < question->hits->name_count && question->hits->name[i];
        question->wanted[i] = shared || name_matches(question, i);
        if (question->wanted[i] || question->hits)
            question->name[question->name_count++] = i;
    }
    return XPD_OK;
}

static int by_time(const void *a, const void *b, void *ctx)
{
    const struct xpd_search_found *found = ctx;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (found->name_ps[x] != found->name_ps[y])
        return found->name_ps[x] > found->name_ps[y] ? -1 : 1;
    return (x > y) - (x < y);
}

/* Names that match but have no event in the range are of no use to anybody. */
static void drop_unused(struct question *question, struct xpd_search_found *found)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < question->name_count; i++)
        if (found->name_count[question->name[i]] > 0)
            question->name[kept++] = question->name[i];
    question->name_count = kept;
    qsort_r(question->name, kept, sizeof *question->name, by_time, found);
}

static int fill_names(struct xpd_trace_search *out, const struct question *question,
                      const struct xpd_search_found *found, struct xpd_err *err)
{
    const struct xpd_view *view = &question->call->view;
    struct xpd_arena *arena = question->call->ctx->arena;
    uint32_t n = question->name_count < NAMES_MAX ? question->name_count : NAMES_MAX;
    struct xpd_search_names *names = XPD_NEW(arena, struct xpd_search_names);
    struct xpd_search_name *to = XPD_NEW_ARRAY(arena, struct xpd_search_name, n);
    if (!names || !to)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = question->name[i];
        const struct xpd_event_name *name = xpd_view_name(view, id);
        to[i] = (struct xpd_search_name){
            .id = id,
            .caption = xpd_view_caption(view, id),
            .program = xpd_view_text(view, id, name->program),
            .group = xpd_op_group_word(name->group),
            .single = !question->wanted[id],
            .count = (int64_t)found->name_count[id],
            .total_ps = found->name_ps[id],
        };
    }
    *names = (struct xpd_search_names){question->name_count - n, {to, n}};
    out->by_name = names;
    return XPD_OK;
}

static int fill_hits(struct xpd_trace_search *out, const struct question *question,
                     const struct xpd_search_found *found, struct xpd_err *err)
{
    uint32_t n = (uint32_t)found->hit_count;
    struct xpd_search_hit *to = XPD_NEW_ARRAY(question->call->ctx->arena, struct xpd_search_hit, n);
    if (!to)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_event *hit = &found->hit[i];
        to[i] = (struct xpd_search_hit){
            .event = (int64_t)hit->number,
            .start_ps = xpd_tools_at(question->call, hit->start_ps),
            .duration_ps = hit->duration_ps,
            .row = hit->row,
            .id = hit->name,
            .caption = xpd_view_caption(&question->call->view, hit->name),
        };
    }
    out->hits.at = to;
    out->hits.n = n;
    return XPD_OK;
}

static int fill_flags(struct xpd_trace_search *out, const struct question *question,
                      const struct xpd_search_ask *ask, const struct xpd_search_found *found,
                      struct xpd_err *err)
{
    if (ask->columns == 0)
        return XPD_OK;
    bool *flag = XPD_NEW_ARRAY(question->call->ctx->arena, bool, ask->columns);
    if (!flag)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < ask->columns; i++)
        flag[i] = found->flag[i] != 0;
    out->columns.at = flag;
    out->columns.n = ask->columns;
    return XPD_OK;
}

static const char *covered(const struct question *question)
{
    switch (question->args) {
    case SHARED:
        return "names, HLO texts, categories, op names, source lines and programs; args of single "
               "events are not searched";
    case ALL_ARGS: return "names and all args (name=value) of all events";
    case NAMES: break;
    }
    return "names; args are not searched";
}

static int fill(struct xpd_trace_search *out, const struct question *question,
                const struct xpd_search_ask *ask, const struct xpd_search_found *found,
                struct xpd_err *err)
{
    char room[XPD_MATCH_NOTE_MAX];
    const char *note = xpd_match_note(&question->match, room);
    struct xpd_arena *arena = question->call->ctx->arena;
    *out = (struct xpd_trace_search){
        .base_ps = question->call->base_ps,
        .count = (int64_t)found->count,
        .total_ps = found->total_ps,
        .clock = "host",
        .offset = (int64_t)ask->offset,
        .covered = covered(question),
        .problem = note[0] ? xpd_arena_strndup(arena, note, strlen(note)) : NULL,
        .stopped = question->match.unjudged > 0 || (question->hits && question->hits->stopped),
    };
    int rc = fill_names(out, question, found, err);
    if (rc == XPD_OK)
        rc = fill_hits(out, question, found, err);
    return rc == XPD_OK ? fill_flags(out, question, ask, found, err) : rc;
}

static int start_match(struct question *question, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = question->call->ctx;
    struct xpd_str text = xpd_param_text(ctx, "q");
    question->regex = xpd_param_int(ctx, &xpd_tool_trace_search, "regex") != 0;
    question->folds = xpd_param_int(ctx, &xpd_tool_trace_search, "case") == 0;
    question->args = (int)xpd_param_int(ctx, &xpd_tool_trace_search, "args");
    if (text.size == 0 || text.size > XPD_SEARCH_TEXT_MAX)
        return xpd_fail(err, XPD_EINVAL, "q", XPD_NO_OFFSET,
                        "q is 1 to %d bytes of text to look for", XPD_SEARCH_TEXT_MAX);
    question->text = text;
    if (question->regex)
        xpd_match_init_regex(&question->match, text);
    else
        xpd_match_init(&question->match, text);
    return XPD_OK;
}

static int answer(struct question *question, const struct xpd_row_list *rows,
                  struct xpd_time_range range, struct xpd_trace_search *out, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = question->call->ctx;
    const struct xpd_tool *tool = &xpd_tool_trace_search;
    struct xpd_search_found found;
    int rc = match_names(question, err);
    struct xpd_search_ask ask = {.view = &question->call->view,
                                 .wanted = question->wanted,
                                 .args = question->hits,
                                 .row = rows->at,
                                 .row_count = rows->count,
                                 .range = range,
                                 .offset = (uint64_t)xpd_param_int(ctx, tool, "offset"),
                                 .limit = (uint64_t)xpd_param_int(ctx, tool, "limit"),
                                 .columns = (uint32_t)xpd_param_int(ctx, tool, "px")};
    if (rc == XPD_OK)
        rc = xpd_search_events(&found, &ask, ctx->arena, err);
    if (rc != XPD_OK)
        return rc;
    drop_unused(question, &found);
    return fill(out, question, &ask, &found, err);
}

static int find_args(struct question *question, struct xpd_err *err)
{
    const struct xpd_trace_call *call = question->call;
    struct xpd_str key =
        xpd_search_key(call->ctx->arena, question->text, question->regex, question->folds);
    if (key.size == 0)
        return xpd_tools_no_memory(err);
    const struct xpd_args_want want = {key, xpd_search_open, xpd_search_close};
    return xpd_store_args(call->ctx->store, call->ctx->run, call->host, &want, call->ctx->wait_ms,
                          &question->hits, call->ctx->state, err);
}

static int search(const struct xpd_tool_ctx *ctx, const void **to, struct xpd_err *err)
{
    struct xpd_trace_search *out = XPD_NEW(ctx->arena, struct xpd_trace_search);
    struct xpd_trace_call call;
    struct xpd_row_list rows;
    struct xpd_time_range range;
    struct question question = {.call = &call};
    int rc = out ? xpd_tools_trace(ctx, 0, &call, err) : xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_rows(&call, XPD_ROWS_SHOWN, &rows, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_range(&call, &range, err);
    if (rc == XPD_OK)
        rc = start_match(&question, err);
    if (rc != XPD_OK)
        return rc;
    if (question.args == ALL_ARGS)
        rc = find_args(&question, err);
    if (rc == XPD_OK)
        rc = answer(&question, &rows, range, out, err);
    xpd_store_args_release(ctx->run, call.host, question.hits);
    xpd_match_fini(&question.match);
    *to = out;
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "q",
     .type = XPD_PARAM_TEXT,
     .required = true,
     .max = XPD_SEARCH_TEXT_MAX,
     .help = "text to look for"},
    {.name = "regex",
     .type = XPD_PARAM_INT,
     .max = 1,
     .help = "1: q is a regular expression (PCRE2)"},
    {.name = "case", .type = XPD_PARAM_INT, .max = 1, .help = "1: case-sensitive (plain text)"},
    {.name = "args",
     .type = XPD_PARAM_INT,
     .max = 2,
     .help = "1: also HLO texts, categories, op names, source lines, programs; 2: all args of all "
             "events"},
    XPD_TRACE_PARAM_ROWS,
    XPD_TRACE_PARAM_FROM,
    XPD_TRACE_PARAM_TO,
    {.name = "limit",
     .type = XPD_PARAM_INT,
     .min = 0,
     .max = LIMIT_MAX,
     .fallback = LIMIT_DEFAULT,
     .help = "occurrences listed, default 500"},
    {.name = "offset", .type = XPD_PARAM_INT, .max = INT64_MAX, .help = "first occurrence listed"},
    {.name = "px",
     .type = XPD_PARAM_INT,
     .max = 16384,
     .help = "columns to flag hits in, for the minimap; default none"},
    XPD_PARAM_FORMAT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_search = {
    .route = "/api/v1/trace/search",
    .title = "Events by name, text or regular expression: counts by name, occurrences by time.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_trace_search_record,
    .make = search,
    .file_name = "trace_search.csv",
};
