/* One file as the only run of a store, and questions about it: what the targets of
 * tools share. An answer is JSON that parses, or an error that bad input may have. */
#ifndef XPROFD_TESTS_FUZZ_ASK_RUN_H
#define XPROFD_TESTS_FUZZ_ASK_RUN_H

#include "must.h"
#include "read_stream.h"

#include "xprofd/compat/routes.h"
#include "xprofd/json/reader.h"
#include "xprofd/tools/tool.h"

#include <string.h>
#include <sys/stat.h>
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

/* Opens the store when it is not yet; `name` is what the file is called. */
static void prepare(const char *name)
{
    if (store)
        return;
    struct xpd_store_options options = {.memory_limit_bytes = 256 << 20};
    struct xpd_err err = {0};
    strcpy(root,
           access("/dev/shm", W_OK) == 0 ? "/dev/shm/fuzz-run-XXXXXX" : "/tmp/fuzz-run-XXXXXX");
    MUST(mkdtemp(root));
    snprintf(file, sizeof file, "%s/%s", root, name);
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

/* `query` is "a=1&b=2", without escapes. Returns the result code. */
static int ask(const char *route, const char *run, const char *query)
{
    struct xpd_arena arena;
    struct xpd_param param[PARAMS] = {{XPD_STR("run"), xpd_str_of(run)}};
    struct xpd_tool_ctx ctx = {
        .arena = &arena, .param = param, .param_count = 1, .hbm_override_bytes = -1};
    struct xpd_tool_result result = {.body = {.limit_bytes = ANSWER_MAX}};
    struct xpd_load_state state;
    struct xpd_err err = {0};
    xpd_arena_init(&arena, 256 << 20);
    while (*query && ctx.param_count < PARAMS) {
        size_t name = strcspn(query, "="), size = strcspn(query, "&");
        param[ctx.param_count++] =
            (struct xpd_param){{query, name}, {query + name + 1, size - name - 1}};
        query += size + (query[size] == '&');
    }
    const struct xpd_tool *tool = xpd_tool_find(xpd_str_of(route));
    if (!tool)
        tool = xpd_compat_find(xpd_str_of(route));
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
    return rc;
}

/* The input as the run's only file, of this name; `id` gets the run's. */
static void put_run(const char *name, const uint8_t *data, size_t size, char id[64])
{
    prepare(name);
    put_file(data, size);
    struct xpd_catalog *catalog = xpd_store_catalog(store, 0);
    MUST(catalog && catalog->run_count == 1);
    snprintf(id, 64, "%s", catalog->run[0].id);
    xpd_catalog_release(catalog);
}

#endif
