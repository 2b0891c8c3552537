/* One call of a tool: checks the query, gets hold of what the tool needs, runs it and lets go
 * again.
 *
 * In: a tool, a store, the query in ctx. Out: the body in `out`. Everything held is released
 * before the return; a body that could not be written whole is an error. */
#include "tables/tools_tables.h"
#include "xprofd/answer/write.h"

#define CATALOG_AGE_MS 1000 /* a list of runs is never older than this */
#define CATALOG_AGE_RUN_MS                                                                         \
    30000 /* for a tool that reads one run: acquire looks at the files itself */

static bool lists_run(const struct xpd_tool *tool)
{
    for (const struct xpd_param_spec *spec = tool->params; spec && spec->name; spec++)
        if (strcmp(spec->name, "run") == 0)
            return true;
    return false;
}

/* A tool that needs no run but has `run` among its own parameters gets one when the query names it.
 */
static bool wants_run(const struct xpd_tool *tool, const struct xpd_tool_ctx *ctx)
{
    return tool->needs >= XPD_NEEDS_RUN || (lists_run(tool) && xpd_param_text(ctx, "run").size > 0);
}

static int acquire_run(const struct xpd_tool *tool, struct xpd_tool_ctx *ctx, int wait_ms,
                       struct xpd_load_state *state, struct xpd_err *err)
{
    if (!wants_run(tool, ctx))
        return XPD_OK;
    struct xpd_str id = xpd_param_text(ctx, "run");
    if (id.size == 0 && ctx->catalog && ctx->catalog->run_count == 1)
        id = xpd_str_of(ctx->catalog->run[0].id);
    if (id.size == 0)
        return xpd_fail(err, XPD_EINVAL, "run", XPD_NO_OFFSET,
                        "run= is missing; /api/v1/runs lists the %" PRIu32 " runs there are",
                        ctx->catalog ? ctx->catalog->run_count : 0);
    return xpd_store_acquire_part(ctx->store, id, xpd_param_text(ctx, "only"), wait_ms, &ctx->run,
                                  state, err);
}

int xpd_tool_pick_module(struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    uint32_t host;
    int rc = xpd_tool_host(ctx, &host, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_str key = xpd_param_text(ctx, "module");
    if (key.size == 0)
        return host == XPD_NO_INDEX
                   ? xpd_store_default_module(ctx->store, ctx->run, &ctx->module, err)
                   : xpd_store_default_on_host(ctx->store, ctx->run, host, &ctx->module, err);
    rc = xpd_run_find_module(ctx->run, key, &ctx->module, err);
    if (rc == XPD_OK && host != XPD_NO_INDEX &&
        !xpd_module_is_on_host(&ctx->run->module[ctx->module], host))
        rc = xpd_fail(err, XPD_ENOTFOUND, "host", XPD_NO_OFFSET, "host %s does not have module %s",
                      ctx->run->host[host].name, ctx->run->module[ctx->module].key);
    return rc;
}

static int no_such_space(const struct xpd_tool_ctx *ctx, int64_t color, struct xpd_err *err)
{
    char have[200] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < ctx->mem->space_count && used < sizeof have - 48; i++) {
        char scratch[24];
        int64_t other = ctx->mem->space[i].color;
        used += (size_t)snprintf(have + used, sizeof have - used, "%s%" PRId64 " (%.16s)",
                                 i ? ", " : "", other,
                                 xpd_space_name(ctx->run->platform, other, scratch));
    }
    return xpd_fail(err, XPD_ENOTFOUND, "space", XPD_NO_OFFSET,
                    "module %s has no memory space %" PRId64 "; it has %s",
                    ctx->run->module[ctx->module].key, color, have);
}

static int pick_space(struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    if (ctx->mem->space_count == 0)
        return xpd_mem_no_assignment(ctx->hlo, ctx->run->module[ctx->module].key, err);
    int64_t color;
    if (xpd_str_to_i64(xpd_param_text(ctx, "space"), &color)) {
        ctx->space = xpd_mem_space_of(ctx->mem, color);
        if (!ctx->space)
            return no_such_space(ctx, color, err);
    } else {
        ctx->space = xpd_mem_main_space(ctx->mem);
    }
    ctx->color = ctx->space->color;
    return XPD_OK;
}

static int prepare(const struct xpd_tool *tool, struct xpd_tool_ctx *ctx, int wait_ms,
                   struct xpd_load_state *state, struct xpd_err *err)
{
    int64_t hbm;
    if (xpd_str_to_bytes(xpd_param_text(ctx, "hbm"), &hbm))
        ctx->hbm_override_bytes = hbm;
    if (tool->needs >= XPD_NEEDS_CATALOG || wants_run(tool, ctx)) {
        ctx->catalog = xpd_store_catalog(
            ctx->store, tool->needs <= XPD_NEEDS_CATALOG ? CATALOG_AGE_MS : CATALOG_AGE_RUN_MS);
        if (!ctx->catalog)
            return xpd_no_memory(err, NULL, "for the list of runs");
    }
    int rc = acquire_run(tool, ctx, wait_ms, state, err);
    if (rc != XPD_OK || tool->needs < XPD_NEEDS_MODULE)
        return rc;
    rc = xpd_tool_pick_module(ctx, err);
    if (rc == XPD_OK)
        rc = xpd_store_module(ctx->store, ctx->run, ctx->module, &ctx->hlo, &ctx->mem, err);
    if (rc == XPD_OK && tool->needs >= XPD_NEEDS_SPACE)
        rc = pick_space(ctx, err);
    return rc;
}

int xpd_tool_ctx_keep(struct xpd_tool_ctx *out, const struct xpd_tool_ctx *ctx,
                      struct xpd_arena *arena, struct xpd_err *err)
{
    struct xpd_param *param = XPD_NEW_ARRAY(arena, struct xpd_param, ctx->param_count);
    for (uint32_t i = 0; param && i < ctx->param_count; i++) {
        struct xpd_str name = ctx->param[i].name, value = ctx->param[i].value;
        param[i].name.data = xpd_arena_strndup(arena, name.data, name.size);
        param[i].value.data = xpd_arena_strndup(arena, value.data, value.size);
        param[i].name.size = name.size;
        param[i].value.size = value.size;
    }
    *out = *ctx;
    out->arena = arena;
    out->param = param;
    out->run = NULL;
    out->beside = NULL;
    out->catalog = NULL;
    out->state = NULL;
    return arena->failed ? xpd_tools_no_memory(err) : XPD_OK;
}

static int64_t whole_of(const struct xpd_record *record, const void *answer, const char *key)
{
    struct xpd_strbuf text = {0};
    int64_t value = -1;
    if (xpd_answer_value(&text, record, answer, xpd_str_of(key)) &&
        !xpd_str_to_i64((struct xpd_str){text.data, text.size}, &value))
        value = -1;
    xpd_strbuf_fini(&text);
    return value;
}

/* A CSV has no place to say that it is cut. */
static void note_rest(struct xpd_tool_result *out, const struct xpd_record *record,
                      const struct xpd_record_field *table, const void *answer)
{
    int64_t rows = xpd_answer_rows(table, answer), offset = whole_of(record, answer, "offset");
    int64_t left = whole_of(record, answer, "left_out"), total = whole_of(record, answer, "total");
    if (left < 0 && total >= 0 && offset >= 0)
        left = total - offset - rows;
    if (left > 0)
        xpd_tool_note(out, "%s%" PRId64 " of %" PRId64, offset > 0 ? "" : "the first ", rows,
                      (offset > 0 ? offset : 0) + rows + left);
}

static void note_filter(struct xpd_tool_result *out, const struct xpd_record *record,
                        const void *answer)
{
    struct xpd_strbuf text = {0};
    if (xpd_answer_value(&text, record, answer, XPD_STR("filter_note")))
        snprintf(out->filter_note, sizeof out->filter_note, "%.*s", (int)text.size, text.data);
    xpd_strbuf_fini(&text);
}

/* What make() made, in the form that was asked for. */
static int answer(const struct xpd_tool *tool, const struct xpd_tool_ctx *ctx,
                  struct xpd_tool_result *out, struct xpd_err *err)
{
    const struct xpd_record *record = tool->answer();
    struct xpd_str format = xpd_param_text(ctx, "format");
    const void *made = NULL;
    int rc = tool->make(ctx, &made, err);
    if (rc == XPD_OK && ctx->arena->failed)
        rc = xpd_tools_no_memory(err);
    if (rc != XPD_OK)
        return rc;
    if (ctx->use)
        return ctx->use(ctx->use_self, record, made, err);
    note_filter(out, record, made);
    const struct xpd_record_field *table =
        tool->table ? xpd_record_table(record, tool->table) : xpd_answer_table_of(record, made);
    if (xpd_str_eq(format, XPD_STR("csv")) && tool->csv) {
        struct xpd_csv csv;
        xpd_tools_start_csv(out, &csv, tool->file_name);
        tool->csv(&csv, made);
    } else if (xpd_str_eq(format, XPD_STR("csv")) && table) {
        out->type = XPD_BODY_CSV;
        out->file_name = tool->file_name;
        xpd_answer_csv(&out->body, table, made);
        note_rest(out, record, table, made);
    } else if (xpd_str_eq(format, XPD_STR("text")) && tool->text) {
        out->type = XPD_BODY_TEXT;
        tool->text(&out->body, made);
    } else if (xpd_str_eq(format, XPD_STR("text")) && table) {
        out->type = XPD_BODY_TEXT;
        xpd_answer_table(&out->body, table, made, NULL);
    } else if (tool->other_form && format.size > 0 && !xpd_str_eq(format, XPD_STR("json"))) {
        tool->other_form(out, format, made);
    } else {
        xpd_answer_json(&out->body, record, made, ctx->arena);
    }
    return XPD_OK;
}

static int ask(const struct xpd_tool *tool, const struct xpd_tool_ctx *ctx,
               struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_err own = {0}, none = {0};
    struct xpd_err *said = err ? err : &own;
    int rc = tool->make ? answer(tool, ctx, out, said) : tool->run(ctx, out, said);
    if (rc != XPD_ENOTFOUND || !tool->not_found)
        return rc;
    rc = tool->not_found(ctx, out, said);
    if (rc == XPD_OK)
        *said = none; /* the body says it */
    return rc;
}

/* Writers keep a sticky failure; here it becomes an answer. */
static int body_problem(const struct xpd_tool_ctx *ctx, const struct xpd_tool_result *out,
                        struct xpd_err *err)
{
    if (ctx->arena && ctx->arena->failed)
        return xpd_no_memory(err, NULL, "for this answer; ask for a smaller window or fewer rows");
    if (!out->body.failed)
        return XPD_OK;
    if (out->body.limit_bytes)
        return xpd_fail(
            err, XPD_ELIMIT, NULL, XPD_NO_OFFSET,
            "the answer is larger than %zu bytes; ask for a smaller window or fewer rows",
            out->body.limit_bytes);
    return xpd_no_memory(err, NULL, "for this answer");
}

int xpd_tool_call(const struct xpd_tool *tool, struct xpd_store *store, struct xpd_tool_ctx *ctx,
                  int wait_ms, struct xpd_tool_result *out, struct xpd_load_state *state,
                  struct xpd_err *err)
{
    const struct xpd_run *beside = NULL;
    ctx->store = store;
    ctx->beside = &beside;
    ctx->wait_ms = wait_ms;
    ctx->state = state;
    ctx->catalog = NULL;
    ctx->run = NULL;
    ctx->module = XPD_NO_INDEX;
    ctx->hlo = NULL;
    ctx->mem = NULL;
    ctx->space = NULL;
    int rc = xpd_params_check(tool, ctx->param, ctx->param_count, err);
    if (rc == XPD_OK)
        rc = prepare(tool, ctx, wait_ms, state, err);
    if (rc == XPD_OK)
        rc = ask(tool, ctx, out, err);
    if (rc == XPD_OK)
        rc = body_problem(ctx, out, err);
    if (rc == XPD_OK && ctx->stays && ctx->mem)
        xpd_tables_ahead(ctx);
    if (rc != XPD_OK)
        xpd_strbuf_clear(&out->body);
    if (beside)
        xpd_store_release(store, beside);
    if (ctx->run)
        xpd_store_release(store, ctx->run);
    if (ctx->catalog)
        xpd_catalog_release(ctx->catalog);
    ctx->run = NULL;
    ctx->beside = NULL;
    ctx->catalog = NULL;
    ctx->hlo = NULL;
    ctx->mem = NULL;
    ctx->space = NULL;
    return rc;
}
