/* Makes a report and serves it. In: a held run, perhaps a second one to compare it with. Out: one
 * HTML file, whole, within its limit. */
#include "xprofd/tools/report_file.h"
#include "../common/common.h"
#include "report_base.h"
#include "report_record.h"
#include "xprofd/base/build.h"
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* The head of a report: what wrote it, of which files, how its answers are found, what was left
 * out. In: the plan and the tally in it. Out: JSON, and a sentence for the terminal. */

#define FILES_MAX  16  /* named */
#define NAME_BYTES 512 /* bytes of a name; longer ones are cut */

static void put_name(struct xpd_jsonw *w, const char *key, const char *name)
{
    struct xpd_str text = xpd_str_of(name);
    if (text.size > NAME_BYTES)
        text.size = NAME_BYTES;
    xpd_json_kstr(w, key, text);
}

static void put_files(struct xpd_jsonw *w, const struct xpd_run *run)
{
    const struct xpd_run_entry *entry = run->entry;
    xpd_json_key(w, "files");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < entry->input_count && i < FILES_MAX; i++) {
        xpd_json_obj(w);
        put_name(w, "name", entry->input[i].name);
        xpd_json_ku64(w, "size_bytes", entry->input[i].identity.size_bytes);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_json_ku64(w, "file_count", entry->input_count);
}

/* Of the run, its files, what is open when nothing else is asked for. */
static void put_run(struct xpd_jsonw *w, const struct xpd_run *run, uint32_t module)
{
    put_name(w, "run", run->entry->id);
    put_name(w, "label", run->entry->label);
    put_files(w, run);
    if (module < run->module_count)
        put_name(w, "module", run->module[module].key);
    else
        xpd_json_knull(w, "module");
}

static void put_base(struct xpd_jsonw *w, const struct xpd_recorder *r)
{
    const struct xpd_report_base *base = r->base;
    xpd_json_key(w, "base");
    if (!base) {
        xpd_json_null(w);
        return;
    }
    xpd_json_obj(w);
    put_run(w, base->before.run, base->pair[base->opens]);
    put_name(w, "opens", base->after.run->module[base->opens].key);
    xpd_json_key(w, "alone");
    xpd_json_str(w, (struct xpd_str){r->alone.data ? r->alone.data : "", r->alone.size});
    xpd_json_obj_end(w);
}

static void put_words(struct xpd_jsonw *w, const char *key, const char *words)
{
    xpd_json_key(w, key);
    xpd_json_arr(w);
    while (*words) {
        size_t size = strcspn(words, " ");
        xpd_json_str(w, (struct xpd_str){words, size});
        words += size + (words[size] == ' ');
    }
    xpd_json_arr_end(w);
}

/* Parameters that make another answer: those of the tool, and the common ones that it needs. */
static void put_takes(struct xpd_jsonw *w, const struct xpd_report_line *line)
{
    const struct xpd_tool *tool = line->tool;
    xpd_json_key(w, "takes");
    xpd_json_arr(w);
    for (const struct xpd_param_spec *spec = tool->params; spec && spec->name; spec++)
        xpd_json_text(w, spec->name);
    if (xpd_line_of_trace(line))
        xpd_json_text(w, "host");
    if (tool->needs >= XPD_NEEDS_RUN)
        xpd_json_text(w, "hbm");
    if (tool->needs >= XPD_NEEDS_MODULE)
        xpd_json_text(w, "module");
    if (tool->needs >= XPD_NEEDS_SPACE)
        xpd_json_text(w, "space");
    xpd_json_arr_end(w);
}

static bool seen_before(const struct xpd_report_line *lines, size_t line)
{
    for (size_t i = 0; i < line; i++)
        if (lines[i].tool == lines[line].tool)
            return true;
    return false;
}

static void put_routes(struct xpd_jsonw *w, const struct xpd_recorder *r)
{
    const struct xpd_report_line *line = r->plan.lines.at;
    xpd_json_key(w, "routes");
    xpd_json_obj(w);
    for (size_t i = 0; i < r->plan.lines.count; i++) {
        if (seen_before(line, i) || (xpd_line_compares(&line[i]) && !r->base))
            continue;
        xpd_json_key(w, line[i].route);
        xpd_json_obj(w);
        put_takes(w, &line[i]);
        put_words(w, "any", line[i].tool->report_any);
        xpd_json_key(w, "holds");
        xpd_json_arr(w);
        for (const struct xpd_ask *ask = line[i].tool->report; ask->query; ask++)
            if (ask->holds)
                xpd_json_text(w, ask->holds);
        xpd_json_arr_end(w);
        xpd_json_obj_end(w);
    }
    xpd_json_obj_end(w);
}

/* How many answers all lines with the same words have. False when an earlier line has them. */
static bool tally_of(const struct xpd_report_plan *plan, size_t line, uint64_t *held,
                     uint64_t *left_out)
{
    const struct xpd_report_line *lines = plan->lines.at;
    *held = *left_out = 0;
    for (size_t i = 0; i < plan->lines.count; i++) {
        if (strcmp(lines[i].holds, lines[line].holds) != 0)
            continue;
        if (i < line)
            return false;
        *held += lines[i].held;
        *left_out += lines[i].left_out;
    }
    return true;
}

static void put_tallies(struct xpd_jsonw *w, const struct xpd_report_plan *plan)
{
    uint64_t held, left_out;
    xpd_json_key(w, "held");
    xpd_json_arr(w);
    for (size_t i = 0; i < plan->lines.count; i++) {
        if (!tally_of(plan, i, &held, &left_out) || held + left_out == 0)
            continue;
        xpd_json_obj(w);
        xpd_json_ktext(w, "what", plan->lines.at[i].holds);
        xpd_json_ku64(w, "held", held);
        xpd_json_ku64(w, "left_out", left_out);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
}

/* Members of a JSON object, without braces (docs/REPORT.md); less than XPD_REPORT_HEAD bytes. */
static void xpd_report_head(struct xpd_strbuf *out, const struct xpd_recorder *r,
                            uint64_t limit_bytes)
{
    const struct xpd_run *run = r->profile->run;
    struct xpd_strbuf json = {0};
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &json);
    xpd_json_obj(&w);
    xpd_json_ki64(&w, "schema", 1);
    xpd_json_ktext(&w, "version", xpd_version());
    xpd_json_ku64(&w, "limit_bytes", limit_bytes);
    put_run(&w, run, r->default_module);
    put_base(&w, r);
    xpd_json_kbool(&w, "one_module", r->want->module != NULL);
    xpd_json_ktext(&w, "space", r->want->space);
    put_routes(&w, r);
    put_tallies(&w, &r->plan);
    xpd_json_obj_end(&w);
    if (json.size > 2)
        xpd_strbuf_add(out, json.data + 1, json.size - 2);
    out->failed |= json.failed;
    xpd_strbuf_fini(&json);
}

/* One sentence on what was left out, or nothing: "left out for the limit: 12 of 200 ...". */
static void put_left_out(struct xpd_strbuf *out, const struct xpd_report_plan *plan)
{
    uint64_t held, left_out;
    for (size_t i = 0; i < plan->lines.count; i++)
        if (tally_of(plan, i, &held, &left_out) && left_out > 0)
            xpd_strbuf_printf(out, "%s%" PRIu64 " of %" PRIu64 " answers on %s",
                              out->size ? "; " : "", left_out, held + left_out,
                              plan->lines.at[i].holds);
}

void xpd_report_told_fini(struct xpd_report_told *told)
{
    xpd_strbuf_fini(&told->base);
    xpd_strbuf_fini(&told->left_out);
}

static int pick_module(struct xpd_recorder *r, struct xpd_err *err)
{
    const struct xpd_report_of *of = r->profile;
    if (of->run->module_count == 0)
        return XPD_OK;
    if (r->want->module)
        return xpd_run_find_module(of->run, xpd_str_of(r->want->module), &r->default_module, err);
    return xpd_store_default_module(of->store, of->run, &r->default_module, err);
}

static int record(struct xpd_recorder *r, const struct xpd_report_page *page,
                  struct xpd_strbuf *html, struct xpd_err *err)
{
    struct xpd_strbuf head = {0};
    int rc = xpd_report_plan_make(&r->plan, err);
    if (rc == XPD_OK)
        rc = xpd_report_new(&r->report, page, r->want->limit_bytes, err);
    if (rc == XPD_OK)
        rc = xpd_record(r, err);
    if (rc == XPD_OK) {
        xpd_report_head(&head, r, r->want->limit_bytes);
        rc = xpd_report_finish(r->report, (struct xpd_str){head.data, head.size}, html, err);
    }
    xpd_strbuf_fini(&head);
    return rc;
}

int xpd_report_file_make(const struct xpd_report_of *of, const struct xpd_report_of *before,
                         const struct xpd_report_want *want, const struct xpd_report_page *page,
                         struct xpd_strbuf *html, struct xpd_report_told *told, struct xpd_err *err)
{
    struct xpd_recorder r = {.profile = of, .want = want};
    struct xpd_report_base base = {0};
    int rc = pick_module(&r, err);
    if (rc == XPD_OK && before) {
        rc = xpd_report_base_open(&base, of, before, want, r.default_module, err);
        r.base = rc == XPD_OK ? &base : NULL;
    }
    if (r.base)
        xpd_report_base_alone(&r.alone, &base, want);
    if (rc == XPD_OK)
        rc = record(&r, page, html, err);
    if (rc == XPD_OK && r.base) {
        xpd_report_base_result(&told->base, &base, want);
        xpd_strbuf_add(&told->base, r.alone.data, r.alone.size);
    }
    if (rc == XPD_OK)
        put_left_out(&told->left_out, &r.plan);
    xpd_report_base_close(&base);
    xpd_strbuf_fini(&r.alone);
    xpd_report_free(r.report);
    xpd_arena_fini(&r.arena);
    xpd_map64_fini(&r.asked);
    xpd_report_plan_fini(&r.plan);
    return rc;
}

/* ---- the route ---- */

#define PIECE_BYTES     ((size_t)64 << 10)
#define LIMIT_MAX_BYTES (INT64_C(64) << 20)

static const struct xpd_param_spec params[] = {
    {.name = "module", .type = XPD_PARAM_TEXT, .help = "this program only"},
    {.name = "space", .type = XPD_PARAM_TEXT, .help = "this memory space only, by its number"},
    {.name = "base_run",
     .type = XPD_PARAM_TEXT,
     .help = "run to compare with: the file holds both and opens at the comparison"},
    {.name = "base_module", .type = XPD_PARAM_TEXT, .help = "program of that run"},
    {.name = "max_size",
     .type = XPD_PARAM_SIZE,
     .min = 1,
     .max = LIMIT_MAX_BYTES,
     .fallback = XPD_REPORT_LIMIT_BYTES,
     .help = "bytes of the file, at most 64 MiB; the note and the file name what is left out"},
    {.name = NULL},
};

struct sending { /* a finished file on its way */
    struct xpd_strbuf html;
    size_t sent;
};

static int next_piece(void *self, struct xpd_strbuf *out, struct xpd_err *err)
{
    (void)err;
    struct sending *s = self;
    size_t left = s->html.size - s->sent, size = left < PIECE_BYTES ? left : PIECE_BYTES;
    xpd_strbuf_add(out, s->html.data + s->sent, size);
    s->sent += size;
    return XPD_OK;
}

static void close_sending(void *self)
{
    struct sending *s = self;
    xpd_strbuf_fini(&s->html);
    free(s);
}

static const char *text_of(const struct xpd_tool_ctx *ctx, const char *name)
{
    struct xpd_str text = xpd_param_text(ctx, name);
    return text.size ? xpd_arena_strndup(ctx->arena, text.data, text.size) : NULL;
}

static int make(const struct xpd_tool_ctx *ctx, const struct xpd_report_of *before,
                struct sending *sending, struct xpd_report_told *told, struct xpd_err *err)
{
    extern const struct xpd_tool xpd_tool_report_file;
    struct xpd_report_of of = {ctx->store, ctx->run};
    struct xpd_report_want want = {
        .module = text_of(ctx, "module"),
        .space = text_of(ctx, "space"),
        .base_module = text_of(ctx, "base_module"),
        .hbm_bytes = ctx->hbm_override_bytes,
        .limit_bytes = (uint64_t)xpd_param_int(ctx, &xpd_tool_report_file, "max_size")};
    struct xpd_strbuf text = {0};
    int rc = ctx->page_file(ctx->page, XPD_STR("report.html"), &text, err);
    struct xpd_report_page page = {{text.data, text.size}, ctx->page_file, ctx->page};
    if (rc == XPD_OK)
        rc = xpd_report_file_make(&of, before, &want, &page, &sending->html, told, err);
    xpd_strbuf_fini(&text);
    return rc;
}

static int with_base(const struct xpd_tool_ctx *ctx, struct sending *sending,
                     struct xpd_report_told *told, struct xpd_err *err)
{
    struct xpd_str id = xpd_param_text(ctx, "base_run");
    struct xpd_report_of before = {.store = ctx->store};
    if (id.size == 0)
        return make(ctx, NULL, sending, told, err);
    int rc = xpd_store_acquire(ctx->store, id, ctx->wait_ms, &before.run, ctx->state, err);
    if (rc == XPD_OK) {
        rc = make(ctx, &before, sending, told, err);
        xpd_store_release(ctx->store, before.run);
    }
    return rc;
}

/* One at a time: a report asks hundreds of questions, and who waits may as well wait in order. */
static atomic_flag writing = ATOMIC_FLAG_INIT;

static int report_file(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                       struct xpd_err *err)
{
    if (!ctx->page_file)
        return xpd_fail(err, XPD_ENOTFOUND, NULL, XPD_NO_OFFSET,
                        "this xprofd was built without its page, so it cannot write reports");
    if (atomic_flag_test_and_set(&writing)) {
        if (ctx->state)
            snprintf(ctx->state->what, sizeof ctx->state->what, "writing another report first");
        return xpd_fail(err, XPD_EBUSY, NULL, XPD_NO_OFFSET, "another report is being written");
    }
    struct xpd_report_told told = {0};
    struct sending *sending = calloc(1, sizeof *sending);
    int rc = sending ? with_base(ctx, sending, &told, err) : xpd_tools_no_memory(err);
    atomic_flag_clear(&writing);
    if (rc == XPD_OK) {
        if (told.left_out.size > 0)
            xpd_tool_note(out, "left out for the limit: %s", told.left_out.data);
        out->type = XPD_BODY_HTML;
        out->file_name = "xprofd-report.html";
        out->source =
            (struct xpd_body_source){.next = next_piece, .close = close_sending, .self = sending};
    } else if (sending) {
        close_sending(sending);
    }
    xpd_report_told_fini(&told);
    return rc;
}

const struct xpd_tool xpd_tool_report_file = {
    .route = "/api/v1/report_file",
    .title = "The page with its answers about one run in one HTML file.",
    .needs = XPD_NEEDS_RUN,
    .streams = true,
    .content = "text/html",
    .about = "A download with the bytes that `xprofd report` writes for the same run and options "
             "(docs/REPORT.md). The header `X-Xprofd-Note` lists what was left out because of the "
             "limit. Reports are written one at a time: a second request gets 202 until the first "
             "is done.",
    .params = params,
    .run = report_file,
};
