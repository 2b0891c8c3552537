/* Calls a tool for a request. A tool that reads a run is called once per question and state of the
 * run's files: the key is the route, the present fingerprint of the run on disk, and the normalized
 * query. */
#include "tool_answer.h"

#include <stdio.h>
#include <stdlib.h>

#define ARENA_BUDGET_BYTES (UINT64_C(256) << 20)
#define BODY_LIMIT_BYTES   ((size_t)256 << 20)

struct call {
    const struct xpd_site *site;
    const struct xpd_tool *tool;
    const struct xpd_query *query;
    int wait_ms;
    struct xpd_body_source source; /* out: of an answer that is sent while it is made */
};

static const char *type_word(enum xpd_body_type type)
{
    switch (type) {
    case XPD_BODY_JSON: return "application/json";
    case XPD_BODY_CSV: return "text/csv; charset=utf-8";
    case XPD_BODY_TEXT: return "text/plain; charset=utf-8";
    case XPD_BODY_HTML: return "text/html; charset=utf-8";
    case XPD_BODY_BYTES: break;
    }
    return "application/octet-stream";
}

/* Runs the tool; called by the cache. */
static void make_result(void *ctx, struct xpd_result *out)
{
    struct call *call = ctx;
    struct xpd_arena arena;
    xpd_arena_init(&arena, ARENA_BUDGET_BYTES);
    struct xpd_tool_result result = {.body = {.limit_bytes = BODY_LIMIT_BYTES}};
    struct xpd_tool_ctx tool_ctx = {
        .arena = &arena,
        .store = call->site->store,
        .param = call->query->param,
        .param_count = call->query->count,
        .hbm_override_bytes = call->site->hbm_override_bytes,
        .source_url = call->site->source_url,
        .doctor_config = call->site->doctor_config,
        .page_file = xpd_assets_file,
        .page = call->site->assets,
        .stays = true,
        .may_stream = true,
    };
    int rc = xpd_tool_call(call->tool, call->site->store, &tool_ctx, call->wait_ms, &result,
                           &out->loading, &out->err);
    out->status = result.status ? result.status : 200;
    out->type = type_word(result.type);
    snprintf(out->file_name, sizeof out->file_name, "%s", result.file_name ? result.file_name : "");
    memcpy(out->note, result.note, sizeof out->note);
    if (rc == XPD_OK && result.source.next) {
        call->source = result.source;
        out->streamed = true;
    } else if (rc == XPD_OK && !result.body.failed) {
        out->body = xpd_strbuf_take(&result.body, &out->size);
        xpd_tag_of(out->body ? out->body : "", out->size, out->tag);
    } else if (rc == XPD_OK) {
        xpd_no_memory(&out->err, NULL, "for this answer");
    } else if (out->err.code != rc) {
        xpd_fail(&out->err, rc, NULL, XPD_NO_OFFSET, "%s failed without a reason",
                 call->tool->route);
    }
    xpd_strbuf_fini(&result.body);
    xpd_arena_fini(&arena);
}

/* Takes over the caller's hold of `result`. */
static void respond_result(const struct xpd_site *site, struct xpd_result *result,
                           const struct xpd_request_headers *headers, struct xpd_response *out)
{
    bool tagged = result->status == 200 && !result->packed;
    *out = (struct xpd_response){.status = result->status,
                                 .type = result->type,
                                 .body = result->body ? result->body : "",
                                 .size = result->size,
                                 .release = xpd_result_release,
                                 .owner = result,
                                 .encoding = result->packed ? "gzip" : NULL,
                                 .caching = tagged ? XPD_CACHE_CHECK : XPD_CACHE_NEVER};
    memcpy(out->tag, result->tag, sizeof out->tag);
    memcpy(out->file_name, result->file_name, sizeof out->file_name);
    memcpy(out->note, result->note, sizeof out->note);
    out->varies = result->packed || result->size >= XPD_GZIP_MIN_BYTES;
    /* A client that has the answer already costs no compression. */
    bool has_it = result->status == 200 && xpd_tag_matches(headers->if_none_match, result->tag);
    if (out->varies && !result->packed && xpd_accepts_gzip(headers->accept_encoding)) {
        xpd_tag_mark(out->tag, "gz");
        if (!has_it) {
            if (xpd_result_gzip(site->results, result, &out->body, &out->size)) {
                out->encoding = "gzip";
            } else {
                out->body = result->body;
                out->size = result->size;
                memcpy(out->tag, result->tag, sizeof out->tag);
            }
        }
    }
}

static void respond_outcome(const struct xpd_site *site, struct xpd_result *result,
                            const struct xpd_request_headers *headers, struct xpd_response *out)
{
    struct xpd_err err = {0};
    if (!result) {
        xpd_no_memory(&err, NULL, "for this answer");
        xpd_respond_error(out, 0, &err);
    } else if (result->err.code == XPD_OK) {
        respond_result(site, result, headers, out);
    } else {
        if (result->err.code == XPD_EBUSY)
            xpd_respond_loading(out, &result->loading);
        else
            xpd_respond_error(out, 0, &result->err);
        xpd_result_release(result);
    }
}

/* Takes ownership of the source. The compressed form is kept as sent. */
static void respond_source(const struct call *call, struct xpd_str key,
                           const struct xpd_result *like, const struct xpd_request_headers *headers,
                           struct xpd_response *out)
{
    struct xpd_body_source source = call->source;
    bool varies = source.compress;
    bool gzip = varies && xpd_accepts_gzip(headers->accept_encoding) && xpd_gzip_source(&source);
    if (gzip)
        xpd_results_gather(call->site->results, key, like, &source);
    *out = (struct xpd_response){.status = 200,
                                 .type = like->type,
                                 .source = source,
                                 .encoding = gzip ? "gzip" : NULL,
                                 .varies = varies,
                                 .caching = XPD_CACHE_NEVER};
    memcpy(out->file_name, like->file_name, sizeof out->file_name);
    memcpy(out->note, like->note, sizeof out->note);
}

/* Which files an answer is of; false: the run is not in the catalog. A profile may answer
 * differently with a dump beside it, and the other way round. */
static bool put_files(struct xpd_strbuf *key, const struct xpd_catalog *catalog, struct xpd_str id)
{
    const struct xpd_run_entry *now = catalog ? xpd_catalog_find(catalog, id) : NULL;
    if (now)
        xpd_strbuf_printf(key, "%016llx.%016llx ", (unsigned long long)now->fingerprint,
                          (unsigned long long)now->kin_fingerprint);
    return now != NULL;
}

/* The key of a question about a run, and about the run that it is compared with; empty when the
 * answer must not be kept. */
static void put_key(struct xpd_strbuf *key, const struct call *call, const struct xpd_run *run)
{
    struct xpd_catalog *catalog = xpd_store_catalog(call->site->store, -1);
    struct xpd_str base = xpd_query_get(call->query, "base_run");
    xpd_strbuf_printf(key, "%s %016llx ", call->tool->route,
                      (unsigned long long)run->entry->fingerprint);
    (void)put_files(key, catalog, xpd_str_of(run->entry->id));
    if (base.size > 0 && !put_files(key, catalog, base))
        xpd_strbuf_clear(key);
    else
        xpd_query_canonical(call->query, key);
    xpd_catalog_release(catalog);
}

/* With what is kept of the question: the answer, or the packed bytes of one that was sent while it
 * was made. An empty key: nothing is. */
static void answer_kept(const struct call *asked, struct xpd_str key,
                        const struct xpd_request_headers *headers, struct xpd_response *out)
{
    struct xpd_results *results = asked->site->results;
    struct call call = *asked;
    struct xpd_result *result = NULL;
    struct xpd_strbuf packed = {0};
    bool busy = false;
    if (key.size > 0 && call.tool->may_stream) {
        xpd_strbuf_puts(&packed, "gzip ");
        xpd_strbuf_add(&packed, key.data, key.size);
    }
    struct xpd_str packed_key = {packed.data, packed.failed ? 0 : packed.size};
    if (packed_key.size > 0 && xpd_accepts_gzip(headers->accept_encoding))
        result = xpd_results_find(results, packed_key);
    if (!result)
        result = xpd_results_get(results, key, call.wait_ms, make_result, &call, &busy);
    if (result && result->streamed && !call.source.next) { /* another request has that source */
        xpd_result_release(result);
        result = xpd_results_get(results, XPD_STR(""), call.wait_ms, make_result, &call, &busy);
    }
    if (busy) { /* another request makes it; there is no progress before that */
        xpd_respond_loading(out, &(struct xpd_load_state){0});
        out->ask_again = true;
    } else if (call.source.next) {
        respond_source(&call, packed_key, result, headers, out);
        xpd_result_release(result);
    } else {
        respond_outcome(call.site, result, headers, out);
    }
    xpd_strbuf_fini(&packed);
}

static void answer_run(const struct call *call, struct xpd_str run_id,
                       const struct xpd_request_headers *headers, struct xpd_response *out)
{
    struct xpd_err err = {0};
    struct xpd_load_state state = {0};
    const struct xpd_run *run = NULL;
    struct xpd_strbuf key = {0};
    int rc = xpd_params_check(call->tool, call->query->param, call->query->count, &err);
    if (rc == XPD_OK)
        rc = xpd_store_acquire_part(call->site->store, run_id, xpd_query_get(call->query, "only"),
                                    call->wait_ms, &run, &state, &err);
    if (rc == XPD_EBUSY) {
        xpd_respond_loading(out, &state);
    } else if (rc != XPD_OK) {
        xpd_respond_error(out, 0, &err);
    } else {
        put_key(&key, call, run);
        answer_kept(call, (struct xpd_str){key.data, key.failed ? 0 : key.size}, headers, out);
    }
    if (run)
        xpd_store_release(call->site->store, run);
    xpd_strbuf_fini(&key);
}

void xpd_answer_tool(const struct xpd_site *site, const struct xpd_tool *tool,
                     const struct xpd_query *query, const struct xpd_request_headers *headers,
                     struct xpd_response *out)
{
    struct call call = {.site = site, .tool = tool, .query = query, .wait_ms = headers->wait_ms};
    struct xpd_str run_id = xpd_query_get(query, "run");
    if (!tool->streams && tool->needs >= XPD_NEEDS_RUN && run_id.size > 0)
        answer_run(&call, run_id, headers, out);
    else
        answer_kept(&call, XPD_STR(""), headers, out);
    /* Scripts written against XProf do not handle 202. */
    if (out->status == 202 && !xpd_str_starts(xpd_str_of(tool->route), "/api/"))
        out->ask_again = true;
}
