/* Calling tools from tests. Everything a test forgets is caught by the sanitizers. */
#include "tool_call.h"

#include "xprofd/compat/routes.h"
#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint32_t split_query(char *text, struct xpd_param *param, uint32_t capacity)
{
    uint32_t n = 0;
    char *save = NULL;
    for (char *part = strtok_r(text, "&", &save); part; part = strtok_r(NULL, "&", &save)) {
        char *equals = strchr(part, '=');
        assert_non_null(equals);
        assert_true(n < capacity);
        *equals = '\0';
        param[n].name = xpd_str_of(part);
        param[n++].value = xpd_str_of(equals + 1);
    }
    return n;
}

uint64_t request_budget_bytes;

static void ask_text(struct answer *out, struct xpd_store *store, const char *route, char *query)
{
    const struct xpd_tool *tool = xpd_tool_find(xpd_str_of(route));
    struct xpd_param param[32];
    struct xpd_arena arena;
    struct xpd_tool_result result = {0};
    struct xpd_load_state state = {0};
    struct timespec from, to;
    if (!tool)
        tool = xpd_compat_find(xpd_str_of(route));
    assert_non_null(tool);
    memset(out, 0, sizeof *out);
    xpd_arena_init(&arena, request_budget_bytes);
    struct xpd_tool_ctx ctx = {.arena = &arena,
                               .param = param,
                               .param_count = split_query(query, param, 32),
                               .hbm_override_bytes = -1};
    clock_gettime(CLOCK_MONOTONIC, &from);
    out->code = xpd_tool_call(tool, store, &ctx, -1, &result, &state, &out->err);
    clock_gettime(CLOCK_MONOTONIC, &to);
    out->ms = (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) / 1e6;
    out->type = result.type;
    if (out->code == XPD_OK) {
        out->body = xpd_strbuf_take(&result.body, &out->size);
        if (result.type == XPD_BODY_JSON)
            out->json = cJSON_ParseWithLength(out->body, out->size);
    }
    xpd_strbuf_fini(&result.body);
    xpd_arena_fini(&arena);
}

void ask(struct answer *out, struct xpd_store *store, const char *route, const char *query, ...)
{
    char text[10000];
    va_list args;
    va_start(args, query);
    vsnprintf(text, sizeof text, query, args);
    va_end(args);
    ask_text(out, store, route, text);
}

void ask_ok(struct answer *out, struct xpd_store *store, const char *route, const char *query, ...)
{
    char text[10000], shown[200];
    va_list args;
    va_start(args, query);
    vsnprintf(text, sizeof text, query, args);
    va_end(args);
    snprintf(shown, sizeof shown, "%.190s", text);
    ask_text(out, store, route, text);
    if (out->code != XPD_OK)
        fail_msg("%s?%s: %s: %s", route, shown, xpd_code_word(out->code), out->err.text);
    if (out->type == XPD_BODY_JSON && !out->json)
        fail_msg("%s?%s is not JSON", route, shown);
}

void answer_free(struct answer *answer)
{
    cJSON_Delete(answer->json);
    free(answer->body);
    memset(answer, 0, sizeof *answer);
}

const cJSON *at(const cJSON *json, const char *path)
{
    char key[64];
    const char *rest = path;
    while (*rest) {
        size_t size = strcspn(rest, ".");
        assert_true(size < sizeof key);
        memcpy(key, rest, size);
        key[size] = '\0';
        json = cJSON_GetObjectItemCaseSensitive(json, key);
        if (!json)
            fail_msg("the answer has no %s", path);
        rest += size + (rest[size] == '.');
    }
    return json;
}

static int64_t number_of(const cJSON *item)
{
    if (cJSON_IsString(item))
        return strtoll(item->valuestring, NULL, 10);
    assert_true(cJSON_IsNumber(item));
    return (int64_t)item->valuedouble;
}

int64_t number_at(const cJSON *json, const char *path)
{
    return number_of(at(json, path));
}

int64_t item_at(const cJSON *column, int index)
{
    const cJSON *item = cJSON_GetArrayItem(column, index);
    assert_non_null(item);
    return number_of(item);
}

int64_t column_sum(const cJSON *json, const char *path)
{
    const cJSON *item;
    int64_t sum = 0;
    cJSON_ArrayForEach(item, at(json, path)) sum += number_of(item);
    return sum;
}

const char *text_at(const cJSON *json, const char *path)
{
    const cJSON *item = at(json, path);
    assert_true(cJSON_IsString(item));
    return item->valuestring;
}

const char *name_at(const cJSON *json, const char *path, int index)
{
    const cJSON *name = cJSON_GetArrayItem(at(json, "names"), (int)item_at(at(json, path), index));
    assert_non_null(name);
    return name->valuestring;
}

struct xpd_store *open_store(const char *root)
{
    struct xpd_store *store = NULL;
    struct xpd_err err = {0};
    if (xpd_store_open(&store, root, NULL, &err) != XPD_OK)
        fail_msg("%s: %s", root, err.text);
    return store;
}

void make_run(struct one_run *made)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(made->root, sizeof made->root, "%s/xprofd-run-XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(made->root));
    snprintf(made->run, sizeof made->run, "%s/run", made->root);
    snprintf(made->file, sizeof made->file, "%s/host0.xplane.pb", made->run);
    assert_int_equal(mkdir(made->run, 0700), 0);
}

void remove_run(const struct one_run *made)
{
    unlink(made->file);
    rmdir(made->run);
    rmdir(made->root);
}

struct xpd_store *store_of_proto(const void *bytes, size_t size, char path[256])
{
    const char *tmp = getenv("TMPDIR");
    char file[300];
    snprintf(path, 256, "%s/xprofd-tools-XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(path));
    snprintf(file, sizeof file, "%s/m.hlo_proto.pb", path);
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    return open_store(path);
}

void remove_folder(const char *path)
{
    char file[300];
    snprintf(file, sizeof file, "%s/m.hlo_proto.pb", path);
    unlink(file);
    rmdir(path);
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static const char *source_root(void)
{
    const char *source = getenv("XPD_SOURCE");
    return source ? source : ".";
}

struct xpd_store *open_testdata(const char *name)
{
    char root[600];
    snprintf(root, sizeof root, "%s/testdata/%s/logdir", source_root(), name);
    return open_store(root);
}

const char *text_item(const cJSON *columns, const char *key, int index)
{
    return cJSON_GetStringValue(cJSON_GetArrayItem(cJSON_GetObjectItem(columns, key), index));
}

void for_each_module(struct xpd_store *store, int most,
                     void (*each)(struct xpd_store *store, const char *run, const char *module))
{
    struct answer runs, modules;
    ask_ok(&runs, store, "/api/v1/runs", "%s", "");
    for (int r = 0; r < (int)number_at(runs.json, "n"); r++) {
        const char *run = text_item(runs.json, "id", r);
        ask(&modules, store, "/api/v1/modules", "run=%s", run);
        int count = modules.code == XPD_OK ? (int)number_at(modules.json, "n") : 0;
        for (int m = 0; m < count && m < most; m++)
            each(store, run, text_item(modules.json, "key", m));
        answer_free(&modules);
    }
    answer_free(&runs);
}

static const char *shared_data(void)
{
    static char path[512];
    const char *shared = getenv("XPD_SHARED");
    if (shared)
        snprintf(path, sizeof path, "%s/data", shared);
    else
        snprintf(path, sizeof path, "%s/../shared/data", source_root());
    return is_folder(path) ? path : NULL;
}

static int each_below(const char *folder, void (*each)(const char *, const char *, void *),
                      void *data)
{
    static const char *const parts[] = {"logdir", "xla/xla_dump", "xla_dump"};
    DIR *dir = opendir(folder);
    int n = 0;
    if (!dir)
        return 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        for (size_t i = 0; entry->d_name[0] != '.' && i < sizeof parts / sizeof *parts; i++) {
            char root[1024], name[400];
            snprintf(root, sizeof root, "%s/%s/%s", folder, entry->d_name, parts[i]);
            snprintf(name, sizeof name, "%s/%s", entry->d_name, parts[i]);
            if (!is_folder(root))
                continue;
            each(name, root, data);
            n++;
        }
    closedir(dir);
    return n;
}

int for_each_data_set(void (*each)(const char *name, const char *root, void *data), void *data)
{
    char testdata[600];
    const char *shared = shared_data();
    int n = 0;
    if (shared)
        n += each_below(shared, each, data);
    else
        print_message("XPD_SHARED names no folder with data/, so the large captures are skipped\n");
    snprintf(testdata, sizeof testdata, "%s/testdata", source_root());
    n += each_below(testdata, each, data);
    if (n == 0)
        print_message("no data sets found; this test checked nothing\n");
    return n;
}

const char *shared_set(const char *name)
{
    static char path[700];
    const char *shared = shared_data();
    if (shared) {
        snprintf(path, sizeof path, "%s/%s", shared, name);
        if (is_folder(path))
            return path;
    }
    print_message("%s is not there, so this test is skipped\n", name);
    return NULL;
}
