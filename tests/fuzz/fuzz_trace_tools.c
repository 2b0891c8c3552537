/* Every trace tool on an XSpace of any bytes, from the file to the JSON: an answer is JSON that
 * parses, or an error that bad input may have. The input is that of fuzz_trace. */
#include "must.h"
#include "read_stream.h"

#include "xprofd/json/reader.h"
#include "xprofd/tools/tool.h"

#include <string.h>
#include <unistd.h>

enum { ANSWER_MAX = 16 << 20, READER_MAX = 1 << 20, PARAMS = 8 };

static char root[64], file[128], fresh[128];
static struct xpd_store *store;

static void tidy(void)
{
    xpd_store_close(store);
    unlink(file);
    rmdir(root);
}

static void prepare(void)
{
    struct xpd_store_options options = {.memory_limit_bytes = 256 << 20};
    struct xpd_err err = {0};
    strcpy(root, access("/dev/shm", W_OK) == 0 ? "/dev/shm/fuzz-trace-tools-XXXXXX"
                                               : "/tmp/fuzz-trace-tools-XXXXXX");
    MUST(mkdtemp(root));
    snprintf(file, sizeof file, "%s/m.xplane.pb", root);
    snprintf(fresh, sizeof fresh, "%s/next", root);
    MUST(xpd_store_open(&store, root, &options, &err) == XPD_OK);
    atexit(tidy);
}

static void put_file(const uint8_t *data, size_t size)
{
    FILE *out = fopen(fresh, "wb");
    MUST(out && fwrite(data, 1, size, out) == size && fclose(out) == 0);
    MUST(rename(fresh, file) == 0);
}

static void check_body(const char *route, const struct xpd_tool_result *result)
{
    if (result->type != XPD_BODY_JSON || result->body.size == 0 || result->body.size > READER_MAX)
        return;
    struct xpd_json *doc = xpd_json_parse((struct xpd_str){result->body.data, result->body.size});
    if (!doc)
        fprintf(stderr, "%s: no JSON: %.2000s\n", route, result->body.data);
    MUST(doc);
    xpd_json_free(doc);
}

static bool allowed(int rc)
{
    return rc == XPD_EINVAL || rc == XPD_ENOTFOUND || rc == XPD_EFORMAT || rc == XPD_ELIMIT;
}

static void ask(const char *route, const char *run, const char *query)
{
    struct xpd_arena arena;
    struct xpd_param param[PARAMS] = {{XPD_STR("run"), xpd_str_of(run)}};
    struct xpd_tool_ctx ctx = {
        .arena = &arena, .param = param, .param_count = 1, .hbm_override_bytes = -1};
    struct xpd_tool_result result = {.body = {.limit_bytes = ANSWER_MAX}};
    struct xpd_load_state state;
    struct xpd_err err = {0};
    char path[64];
    snprintf(path, sizeof path, "/api/v1/trace/%s", route);
    xpd_arena_init(&arena, 256 << 20);
    while (*query && ctx.param_count < PARAMS) {
        size_t name = strcspn(query, "="), size = strcspn(query, "&");
        param[ctx.param_count++] =
            (struct xpd_param){{query, name}, {query + name + 1, size - name - 1}};
        query += size + (query[size] == '&');
    }
    const struct xpd_tool *tool = xpd_tool_find(xpd_str_of(path));
    MUST(tool);
    int rc = xpd_tool_call(tool, store, &ctx, -1, &result, &state, &err);
    if (rc == XPD_OK && result.source.next)
        xpd_read_stream(&result, ANSWER_MAX / 2);
    if (rc == XPD_OK)
        check_body(route, &result);
    else if (!allowed(rc) || !err.text[0])
        fprintf(stderr, "%s: %s: %s\n", route, xpd_code_word(rc), err.text);
    MUST(rc == XPD_OK || (allowed(rc) && err.text[0]));
    xpd_strbuf_fini(&result.body);
    xpd_arena_fini(&arena);
}

static const char *const questions[][2] = {
    {"rows", "derived=1"},
    {"window", ""},
    {"window", "px=3&rows=0,1,2-5"},
    {"window", "from=-9223372036854775808&to=9223372036854775807&px=1"},
    {"window", "from=9223372036854775806&to=9223372036854775807"},
    {"window", "from=0&to=1000&flat=1"},
    {"overview", "px=16"},
    {"totals", ""},
    {"totals", "by=category&clock=host&sort=p99"},
    {"totals", "by=module&clip=1&from=10&to=100000"},
    {"totals", "by=step&format=csv"},
    {"totals", "by=chip&from=5&to=5"},
    {"totals", "by=row&format=text&from=-9223372036854775808&to=0"},
    {"flame", ""},
    {"flame", "rows=0-3&from=1&to=100000"},
    {"search", "q=o&args=1&px=16"},
    {"search", "q=1&args=2&px=16"},
    {"search", "q=[a-d]=.*e&regex=1&args=2"},
    {"search", "q=.*e.*&regex=1&offset=3"},
    {"flows", ""},
    {"steps", ""},
    {"export", "derived=1"},
    {"export", "from=0&to=5000&args=0"},
};
static const char *const about_event[][2] = {
    {"event", ""},
    {"same", ""},
    {"same", "&clock=host"},
    {"near", "&dir=next"},
    {"near", "&dir=previous&by=name"},
    {"near", "&dir=last&by=name"},
    {"flows", ""},
    {"collective", ""},
};

/* Some measured and some derived events. */
static void ask_events(const char *run, uint64_t measured, uint64_t all)
{
    const uint64_t event[] = {0, 1, measured / 2, measured - 1, measured, all - 1, all};
    for (size_t e = 0; e < sizeof event / sizeof *event; e++)
        for (size_t i = 0; i < sizeof about_event / sizeof *about_event; i++) {
            char query[128];
            snprintf(query, sizeof query, "event=%llu%s", (unsigned long long)event[e],
                     about_event[i][1]);
            ask(about_event[i][0], run, query);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct xpd_run *run = NULL;
    const struct xpd_trace *trace = NULL;
    const struct xpd_derived *derived = NULL;
    struct xpd_load_state state;
    struct xpd_store_stats stats;
    struct xpd_err err = {0};
    char id[64];
    if (!store)
        prepare();
    put_file(data, size);
    struct xpd_catalog *catalog = xpd_store_catalog(store, 0);
    MUST(catalog && catalog->run_count == 1);
    snprintf(id, sizeof id, "%s", catalog->run[0].id);
    xpd_catalog_release(catalog);
    int rc = xpd_store_acquire(store, xpd_str_of(id), -1, &run, &state, &err);
    MUST(rc == XPD_OK);
    bool loads = run->host_count > 0 &&
                 xpd_store_derived(store, run, 0, -1, &derived, NULL, &err) == XPD_OK &&
                 xpd_store_trace(store, run, 0, -1, &trace, NULL, &err) == XPD_OK;
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        ask(questions[i][0], id, questions[i][1]);
    if (loads)
        ask_events(id, trace->event_count, trace->event_count + derived->event_count);
    xpd_store_release(store, run);
    xpd_store_stats(store, &stats);
    MUST(stats.runs_held == 0);
    return 0;
}
