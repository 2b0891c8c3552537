/* The tools behind a query of any bytes, on a small profile.
 *
 * The input is "ROUTE?QUERY": a route of /api/v1/ or of XProf (without its prefix), else the first
 * byte chooses one. Whatever was asked: the answer is JSON that parses (or CSV), or an error with a
 * word and a sentence; nothing stays held. The bytes are also read as an error text of XLA and as a
 * filter. */
#include "must.h"
#include "read_stream.h"

#include "broken.h"
#include "server/query.h"
#include "server/response.h"
#include "server/security.h"
#include "vectors.h"
#include "xprofd/compat/routes.h"
#include "xprofd/json/reader.h"
#include "xprofd/match/match.h"
#include "xprofd/memory/oom_text.h"
#include "xprofd/tools/tool.h"
#include "xspace_wrap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ANSWER_MAX = 8 << 20, FOLDERS = 4 };

static char folder[FOLDERS][128], file[160];
static struct xpd_store *store;

static void tidy(void)
{
    xpd_store_close(store);
    unlink(file);
    for (int i = FOLDERS; i-- > 0;)
        rmdir(folder[i]);
}

/* Three modules: sharing, padding and two spaces are all there. */
static void write_profile(void)
{
    struct pbw hlo[3] = {0}, out = {0};
    vec_V7(&hlo[0]);
    vec_V16(&hlo[1]);
    vec_V15(&hlo[2]);
    const struct xspace_module modules[] = {{"V7", 1, hlo[0].data, hlo[0].len},
                                            {"V16", 2, hlo[1].data, hlo[1].len},
                                            {"V15", 3, hlo[2].data, hlo[2].len}};
    xspace_wrap_all(&out, modules, 3, true);
    MUST(pbw_save(&out, file));
    for (int i = 0; i < 3; i++)
        pbw_free(&hlo[i]);
    pbw_free(&out);
}

static void prepare(void)
{
    static const char *const parts[] = {"", "/plugins", "/plugins/profile",
                                        "/plugins/profile/run0"};
    struct xpd_store_options options = {.memory_limit_bytes = 64 << 20};
    struct xpd_err err = {0};
    char root[] = "/tmp/fuzz-params-XXXXXX";
    MUST(mkdtemp(root));
    for (int i = 0; i < FOLDERS; i++) {
        snprintf(folder[i], sizeof folder[i], "%s%s", root, parts[i]);
        MUST(i == 0 || mkdir(folder[i], 0700) == 0);
    }
    snprintf(file, sizeof file, "%s/host0.xplane.pb", folder[FOLDERS - 1]);
    write_profile();
    MUST(xpd_store_open(&store, folder[0], &options, &err) == XPD_OK);
    atexit(tidy);
}

static const struct xpd_tool *choose(struct xpd_str route, uint8_t byte)
{
    const struct xpd_tool *tool = xpd_tool_find(route);
    if (!tool)
        tool = xpd_compat_find(route);
    if (tool)
        return tool;
    uint32_t own, others;
    const struct xpd_tool *const *list = xpd_tools(&own);
    const struct xpd_tool *const *compat = xpd_compat_routes(&others);
    uint32_t at = byte % (own + others);
    return at < own ? list[at] : compat[at - own];
}

static void check_json(struct xpd_str body)
{
    if (body.size > 1 << 20) /* the reader's limit */
        return;
    struct xpd_json *doc = xpd_json_parse(body);
    if (!doc)
        fprintf(stderr, "no JSON: %.*s\n", (int)(body.size < 4000 ? body.size : 4000), body.data);
    MUST(doc);
    xpd_json_free(doc);
}

static void check_error(const struct xpd_err *err, int rc)
{
    struct xpd_strbuf text = {0};
    struct xpd_jsonw w;
    MUST(err->code == rc && err->text[0] && memchr(err->text, 0, sizeof err->text));
    MUST(rc == XPD_EINVAL || rc == XPD_ENOTFOUND || rc == XPD_EBUSY || rc == XPD_ELIMIT ||
         rc == XPD_EFORMAT);
    xpd_jsonw_init(&w, &text);
    xpd_json_error(&w, err);
    check_json((struct xpd_str){text.data, text.size});
    xpd_strbuf_fini(&text);
}

static void call(const struct xpd_tool *tool, const struct xpd_query *query,
                 struct xpd_arena *arena)
{
    struct xpd_param param[XPD_QUERY_MAX_PARAMS + 1];
    struct xpd_tool_ctx ctx = {.arena = arena, .param = param, .hbm_override_bytes = -1};
    struct xpd_tool_result result = {.body = {.limit_bytes = ANSWER_MAX}};
    struct xpd_load_state state;
    struct xpd_err err = {0};
    memcpy(param, query->param, query->count * sizeof *param);
    ctx.param_count = query->count;
    if (xpd_query_get(query, "run").size == 0)
        param[ctx.param_count++] = (struct xpd_param){XPD_STR("run"), XPD_STR("run0")};
    ctx.source_url = "https://example.org/{file}#L{line}";
    int rc = xpd_tool_call(tool, store, &ctx, -1, &result, &state, &err);
    if (rc == XPD_OK && result.source.next)
        xpd_read_stream(&result, ANSWER_MAX);
    if (rc != XPD_OK)
        check_error(&err, rc);
    else if (result.body.size > 0 && result.type == XPD_BODY_JSON)
        check_json((struct xpd_str){result.body.data, result.body.size});
    xpd_strbuf_fini(&result.body);
    struct xpd_store_stats stats;
    xpd_store_stats(store, &stats);
    MUST(stats.runs_held == 0);
}

static void check_oom(struct xpd_str text, struct xpd_arena *arena)
{
    struct xpd_oom_text oom;
    struct xpd_err err = {0};
    MUST(xpd_oom_read(&oom, text, arena, &err) == XPD_OK || arena->failed);
    if (!oom.understood)
        return;
    MUST(oom.form && oom.needed_bytes >= -1 && oom.capacity_bytes >= -1);
    MUST(oom.exceeded_bytes >= -1 && oom.needed_slack_bytes >= 0);
    for (uint32_t i = 0; i < oom.part_count; i++) {
        MUST(oom.part[i].offset <= text.size && oom.part[i].what);
        MUST(oom.part[i].size <= text.size - oom.part[i].offset);
    }
    for (uint32_t i = 0; i < oom.item_count; i++)
        MUST(oom.item[i].size_bytes >= -1 && oom.item[i].unpadded_bytes >= -1);
}

static void check_match(struct xpd_str typed)
{
    struct xpd_match match;
    xpd_match_init(&match, typed);
    MUST(memchr(match.problem, 0, sizeof match.problem));
    xpd_match_test(&match, XPD_STR("fusion.12"));
    xpd_match_test(&match, XPD_STR("jit(train_step)/transpose(jvp(mlp))/dot_general"));
    xpd_match_test(&match, XPD_STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\0\xff\xc3"));
    enum xpd_match_rank rank = xpd_match_test(&match, match.text);
    MUST(match.is_regex || rank == XPD_MATCH_EXACT || match.text.size == 0);
    char room[XPD_MATCH_NOTE_MAX];
    MUST(match.is_regex || match.unjudged == 0);
    MUST(match.unjudged == 0 || xpd_match_note(&match, room)[0]);
    xpd_match_fini(&match);
}

static void check_request(struct xpd_str text, struct xpd_arena *arena)
{
    struct xpd_host_rule rule = {.bind = "127.0.0.1", .allowed = "a.example,b.example"};
    struct xpd_err err = {0};
    struct xpd_str name;
    char *copy = xpd_arena_strndup(arena, text.data, text.size);
    if (!copy)
        return;
    xpd_host_check(&rule, copy, &err);
    if (xpd_host_name(text, &name))
        xpd_host_is_loopback(name);
    xpd_accepts_gzip(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xpd_arena arena;
    struct xpd_query query;
    struct xpd_err err = {0};
    struct xpd_strbuf canonical = {0};
    if (!store)
        prepare();
    if (size == 0 || size > XPD_TARGET_MAX_BYTES)
        return 0;
    xpd_arena_init(&arena, 64 << 20);
    struct xpd_str text = {(const char *)data, size};
    const char *mark = memchr(data, '?', size);
    struct xpd_str route = {text.data, mark ? (size_t)(mark - text.data) : 0};
    struct xpd_str rest = {mark ? mark + 1 : text.data,
                           mark ? size - (size_t)(mark + 1 - text.data) : size};
    int rc = xpd_query_decode(&arena, rest, &query, &err);
    MUST(rc == XPD_OK || (err.code == rc && err.text[0]));
    if (rc == XPD_OK) {
        xpd_query_canonical(&query, &canonical);
        MUST(!canonical.failed);
        for (uint32_t i = 0; i < query.count; i++) {
            check_match(query.param[i].value);
            check_oom(query.param[i].value, &arena);
        }
        call(choose(route, data[0]), &query, &arena);
    }
    check_oom(text, &arena);
    check_match(text);
    check_request(text, &arena);
    xpd_strbuf_fini(&canonical);
    xpd_arena_fini(&arena);
    return 0;
}
