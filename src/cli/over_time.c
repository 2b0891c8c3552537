/* Memory over time on a terminal. In: the profile and the options. Out: growth, and what is live at
 * a time or at two. */
#include "over_time.h"
#include "json_out.h"
#include "trace_args.h"

#include "xprofd/cli/exit_codes.h"
#include "xprofd/tools/over_time.h"

#include <inttypes.h>
#include <string.h>

#define TOP_USUAL 20

struct asked { /* parameters of live or diff, and their texts */
    const char *route, *key;
    struct xpd_param param[8];
    uint32_t count;
    char a[24], b[24], limit[24];
};

static void put(struct asked *q, const char *name, const char *value)
{
    q->param[q->count++] = (struct xpd_param){xpd_str_of(name), xpd_str_of(value)};
}

static int time_of(char out[24], const char *option, const char *text, struct xpd_err *err)
{
    int64_t ps;
    if (!xpd_cli_time(text, &ps))
        return xpd_fail(err, XPD_EINVAL, option, XPD_NO_OFFSET,
                        "%s takes a time from the start of the trace such as 1.5ms, 20us or 3s, "
                        "not \"%s\"",
                        option, text);
    snprintf(out, 24, "%" PRId64, ps);
    return XPD_OK;
}

static int ask(struct asked *q, const struct xpd_profile_args *args, struct xpd_err *err)
{
    bool two = args->against != NULL;
    *q = (struct asked){.route =
                            two ? "/api/v1/trace/allocators/diff" : "/api/v1/trace/allocators/live",
                        .key = two ? "diff" : "live"};
    if (two && !args->at)
        return xpd_fail(err, XPD_EINVAL, "--against", XPD_NO_OFFSET,
                        "--against is the second of two times: give the first with --at");
    int rc = args->at ? time_of(q->a, "--at", args->at, err) : XPD_OK;
    if (rc == XPD_OK && two)
        rc = time_of(q->b, "--against", args->against, err);
    if (args->at)
        put(q, two ? "a" : "at", q->a);
    if (two)
        put(q, "b", q->b);
    int64_t top = args->top < 0 ? TOP_USUAL : args->top;
    snprintf(q->limit, sizeof q->limit, "%" PRId64, top > 0 ? top : 1);
    if (args->output != XPD_OUT_CSV || args->top >= 0) /* a CSV is whole */
        put(q, "limit", q->limit);
    else
        put(q, "limit", "20000");
    return rc;
}

static int call(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                const char *route, const struct xpd_param *param, uint32_t count,
                struct xpd_strbuf *out, struct xpd_err *err)
{
    struct xpd_trace_args of = {.profile = *args};
    struct xpd_param all[9];
    uint32_t n = 0;
    while (n < count) {
        all[n] = param[n];
        n++;
    }
    all[n++] = (struct xpd_param){XPD_STR("format"), xpd_cli_format_word(args->output)};
    return xpd_trace_call(profile, &of, route, all, n, out, NULL, err);
}

static struct xpd_str text_of(const struct xpd_strbuf *body)
{
    return (struct xpd_str){body->data ? body->data : "", body->size};
}

static void print_json(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                       int code, const struct asked *q, const struct xpd_strbuf *steps,
                       const struct xpd_strbuf *live)
{
    struct xpd_cli_json out;
    struct xpd_jsonw *w = xpd_cli_json_begin(&out, "memory");
    xpd_cli_json_exit(w, code);
    xpd_cli_json_covers(w, profile, args);
    xpd_json_key(w, "over_time");
    xpd_json_raw(w, text_of(steps));
    xpd_json_key(w, q->key);
    xpd_json_raw(w, text_of(live));
    xpd_cli_json_end(&out);
}

static int judge(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                 int *code, struct xpd_err *err)
{
    struct xpd_arena arena = {0};
    struct xpd_over_time found;
    struct xpd_load_state state;
    struct xpd_param host = {XPD_STR("host"), xpd_str_of(args->host ? args->host : "")};
    struct xpd_tool_ctx ctx = {.arena = &arena,
                               .store = profile->store,
                               .run = profile->run,
                               .module = XPD_NO_INDEX,
                               .param = &host,
                               .param_count = 1,
                               .hbm_override_bytes = -1,
                               .wait_ms = -1,
                               .state = &state};
    int rc = xpd_over_time_of(&found, &ctx, true, err);
    if (rc == XPD_OK && found.verdict == XPD_ALLOC_LEAK)
        *code = XPD_EXIT_BROKEN;
    if (rc == XPD_OK && found.why_not)
        rc = xpd_fail(err, XPD_ENOTFOUND, "--fail-on-leak", XPD_NO_OFFSET, "%s", found.why_not);
    xpd_arena_fini(&arena);
    return rc;
}

int xpd_over_time_print(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                        int *code, struct xpd_err *err)
{
    struct asked q;
    struct xpd_strbuf steps = {0}, live = {0};
    int rc = ask(&q, args, err);
    if (rc == XPD_OK && args->output != XPD_OUT_CSV)
        rc = call(profile, args, "/api/v1/trace/allocators/steps", NULL, 0, &steps, err);
    if (rc == XPD_OK)
        rc = call(profile, args, q.route, q.param, q.count, &live, err);
    if (rc == XPD_OK && args->fail_on_leak)
        rc = judge(profile, args, code, err);
    if (rc == XPD_OK && args->output == XPD_OUT_JSON) {
        print_json(profile, args, *code, &q, &steps, &live);
    } else if (rc == XPD_OK && args->output == XPD_OUT_CSV) {
        fwrite(live.data, 1, live.size, stdout);
    } else if (rc == XPD_OK) {
        xpd_cli_put_lines(stdout, text_of(&steps));
        if (live.size > 0)
            fputc('\n', stdout);
        xpd_cli_put_lines(stdout, text_of(&live));
    }
    xpd_strbuf_fini(&steps);
    xpd_strbuf_fini(&live);
    return rc;
}
