/* xprofd input PROFILE: whether the program waits for its input, as text, JSON or CSV. */
#include "cli_trace_args.h"
#include "xprofd/cli/command.h"
#include "xprofd/tools/input.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 100000 /* of one answer of /api/v1/input/steps */

static const char help[] =
    "usage: xprofd input PROFILE [--by=stage|step|thread|tfdata] [--steps=LIST] [--rules=LIST]\n"
    "                            [--top=N] [--fail-wait=20%] [--run=NAME] [--host=NAME]\n"
    "                            [--json|--csv]\n"
    "Shows how much of each step the program waits for input, why, and how many loaders "
    "would\nkeep up. Input bound: 20 % of the step time or more; partly: 5 to 20 %. With "
    "\"cannot\ntell\" it says what to record.\n"
    "--by: the stages by class and thread, the steps with their parts (the first 20; a CSV "
    "has\nall, and lists the steps by default), the threads of the host, or the stages of "
    "tf.data.\n"
    "--rules=wait:get_batch,load:my_read: events whose name contains the text get this class\n"
    "(wait, load, preprocess, transfer, launch, result, none), before the built-in rules.\n"
    "--fail-wait=20%: exit code 1 if more of the step time is spent waiting; 4 if unknown.\n";

static const struct {
    const char *by, *route, *key;
} forms[] = {{"", "/api/v1/input/verdict", "verdict"},
             {"stage", "/api/v1/input/stages", "stages"},
             {"step", "/api/v1/input/steps", "steps"},
             {"thread", "/api/v1/input/threads", "threads"},
             {"tfdata", "/api/v1/input/tfdata", "tfdata"}};

/* "20%" or "20": a share. */
static bool read_share(const char *text, double *share)
{
    char *end;
    double value = strtod(text, &end);
    if (end != text && *end == '%')
        end++;
    *share = value / 100;
    return end != text && *end == '\0' && value >= 0 && value <= 100;
}

/* The exit code by --fail-wait. */
static int judge(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                 double most, const struct xpd_param *param, uint32_t count, struct xpd_err *err)
{
    struct xpd_arena arena = {0};
    struct xpd_input_verdict verdict;
    const char *why_not;
    struct xpd_load_state state;
    struct xpd_tool_ctx ctx = {.arena = &arena,
                               .store = profile->store,
                               .run = profile->run,
                               .module = XPD_NO_INDEX,
                               .param = param,
                               .param_count = count,
                               .hbm_override_bytes = -1,
                               .wait_ms = -1,
                               .state = &state};
    int rc = xpd_tools_input_verdict(&verdict, &why_not, &ctx, err);
    bool known = rc == XPD_OK && !why_not;
    if (known && verdict.share > most)
        *args->exit_code = XPD_EXIT_BROKEN;
    else if (!known || (verdict.says == XPD_INPUT_UNKNOWN && verdict.most_share > most))
        *args->exit_code = XPD_EXIT_UNJUDGED;
    xpd_arena_fini(&arena);
    return rc;
}

static int print(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                 struct xpd_err *err)
{
    enum { FORMS = sizeof forms / sizeof *forms };
    size_t form = 0;
    double most = 1;
    char limit[24];
    int64_t usual = args->profile.output == XPD_OUT_TEXT ? 20 : ROWS_MAX;
    struct xpd_param more[5];
    uint32_t count = 0;
    const char *by = args->by ? args->by : args->profile.output == XPD_OUT_CSV ? "step" : "";
    while (form < FORMS && strcmp(forms[form].by, by) != 0)
        form++;
    if (form == FORMS)
        return xpd_fail(err, XPD_EINVAL, "--by", XPD_NO_OFFSET,
                        "--by takes stage, step, thread or tfdata, not \"%.80s\"", args->by);
    if (args->fail_wait && !read_share(args->fail_wait, &most))
        return xpd_fail(err, XPD_EINVAL, "--fail-wait", XPD_NO_OFFSET,
                        "--fail-wait takes a share such as 20%%, not \"%.80s\"", args->fail_wait);
    if (args->profile.host)
        more[count++] = (struct xpd_param){XPD_STR("host"), xpd_str_of(args->profile.host)};
    if (args->steps)
        more[count++] = (struct xpd_param){XPD_STR("steps"), xpd_str_of(args->steps)};
    if (args->rules)
        more[count++] = (struct xpd_param){XPD_STR("rules"), xpd_str_of(args->rules)};
    int rc = args->fail_wait ? judge(profile, args, most, more, count, err) : XPD_OK;
    if (rc != XPD_OK)
        return rc;
    snprintf(limit, sizeof limit, "%lld",
             (long long)(args->profile.top < 0 ? usual : args->profile.top));
    more[count++] =
        (struct xpd_param){XPD_STR("format"), xpd_cli_format_word(args->profile.output)};
    more[count++] = (struct xpd_param){XPD_STR("limit"), xpd_str_of(limit)};
    return xpd_trace_print(profile, args, "input", forms[form].route, forms[form].key, more, count,
                           err);
}

static int run(int argc, char **argv)
{
    return xpd_trace_run("input", help, argc, argv, print);
}

const struct xpd_command xpd_command_input = {
    .name = "input", .help = "show whether the program waits for its input", .run = run};
