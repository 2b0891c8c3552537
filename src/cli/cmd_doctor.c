/* xprofd doctor PROFILE: what makes the peak high and runs long, and remedies; text, JSON,
 * Markdown, and files for CI. */
#include "json_out.h"
#include "xprofd/answer/write.h"
#include "xprofd/cli/command.h"
#include "xprofd/tools/check.h"
#include <stdlib.h>

#define CONFIG_MAX 16384
#define ROUTE      "/api/v1/doctor"

static const char help[] =
    "usage: xprofd doctor PROFILE [--time] [--run=NAME] [--host=NAME] [--module=NAME]\n"
    "                     [--program=NAME] [--space=N] [--hbm=SIZE] [--config=FILE] "
    "[--device=CHIP]\n"
    "                     [--peak-flops=N] [--peak-bandwidth=N] [--fail-on=error|warn|info]\n"
    "                     [--sarif=FILE] [--junit=FILE] [--json|--md]\n"
    "Shows what makes the peak of a program high and its runs long, and what each change would\n"
    "save: how far the peak of live bytes falls, or how much time a run saves at most.\n"
    "Findings are ranked by their share of the run or of device memory. --time shows only "
    "findings\nabout time; a profile without a program (no HLO) has no others. Peaks as for xprofd "
    "ops.\n--program selects a program and takes its runs as the steps. --config names a file "
    "of\nthresholds and muted rules. Of a folder of heap files (*.prof) it shows which lines "
    "grow.\n"
    "Exits with 1 when a finding is at or above --fail-on.\n"
    "--sarif=- or --junit=- writes to stdout instead of the text.\n";

struct answer {
    struct xpd_strbuf config, body;
};

static void add(struct xpd_param *more, uint32_t *count, const char *name, const char *value)
{
    if (value)
        more[(*count)++] = (struct xpd_param){xpd_str_of(name), xpd_str_of(value)};
}

#define PARAMS 9

/* The questions of all forms; *count of PARAMS. */
static int params_of(struct xpd_param more[PARAMS], uint32_t *count,
                     const struct xpd_profile_args *args, const char *format,
                     const struct answer *a, struct xpd_err *err)
{
    int64_t color;
    if (args->space && !xpd_str_to_i64(xpd_str_of(args->space), &color))
        return xpd_fail(err, XPD_EINVAL, "--space", XPD_NO_OFFSET,
                        "--space takes the number of a memory space, not \"%s\"", args->space);
    *count = 0;
    more[(*count)++] = (struct xpd_param){XPD_STR("config"),
                                          {a->config.data ? a->config.data : "", a->config.size}};
    add(more, count, "format", format);
    add(more, count, "kind", args->time ? "time" : NULL);
    add(more, count, "program", args->program);
    add(more, count, "host", args->host);
    add(more, count, "device", args->device);
    add(more, count, "peak_flops", args->peak_flops);
    add(more, count, "peak_bandwidth", args->peak_bandwidth);
    add(more, count, "space", args->space);
    return XPD_OK;
}

static int ask(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
               const char *format, const struct answer *a, struct xpd_strbuf *out,
               struct xpd_err *err)
{
    struct xpd_param more[PARAMS];
    uint32_t count = 0;
    int rc = params_of(more, &count, args, format, a, err);
    return rc == XPD_OK
               ? xpd_cli_call(profile, args, ROUTE, args->module, -1, more, count, out, err)
               : rc;
}

static int write_files(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                       const struct answer *a, struct xpd_err *err)
{
    const char *const path[] = {args->sarif, args->junit};
    static const char *const format[] = {"sarif", "junit"};
    int rc = XPD_OK;
    for (int i = 0; i < 2 && rc == XPD_OK; i++) {
        struct xpd_strbuf out = {0};
        if (path[i])
            rc = ask(profile, args, format[i], a, &out, err);
        if (path[i] && rc == XPD_OK)
            rc = xpd_cli_write_file(path[i], (struct xpd_str){out.data, out.size}, err);
        xpd_strbuf_fini(&out);
    }
    return rc;
}

struct judged {
    const struct xpd_profile_args *args;
    struct xpd_strbuf *json; /* with --json */
    bool reaches;
};

static int judge(void *self, const struct xpd_record *record, const void *answer,
                 struct xpd_err *err)
{
    struct judged *judged = self;
    struct xpd_arena arena = {0};
    (void)err;
    judged->reaches = xpd_doctor_reaches(answer, judged->args->fail_on);
    if (judged->args->output == XPD_OUT_JSON)
        xpd_answer_json(judged->json, record, answer, &arena);
    xpd_arena_fini(&arena);
    return XPD_OK;
}

static int examine(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                   struct answer *a, int *code, struct xpd_err *err)
{
    int rc = xpd_cli_check_device(args->device, err);
    if (rc == XPD_OK && args->config)
        rc = xpd_cli_read_file(args->config, CONFIG_MAX, &a->config, err);
    struct judged judged = {args, &a->body, false};
    struct xpd_param more[PARAMS];
    uint32_t count = 0;
    if (rc == XPD_OK)
        rc = params_of(more, &count, args, NULL, a, err);
    if (rc == XPD_OK)
        rc = xpd_cli_use(profile, args, ROUTE, args->module, more, count, judge, &judged, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_str json = {a->body.data, a->body.size};
    *code = judged.reaches ? XPD_EXIT_BROKEN : XPD_EXIT_OK;
    if (xpd_cli_stdout_taken(args)) {
        /* the text gives way */
    } else if (args->output == XPD_OUT_JSON) {
        xpd_cli_json_answer(profile, args, "doctor", *code, "doctor", json);
    } else {
        struct xpd_strbuf text = {0};
        rc = ask(profile, args, args->output == XPD_OUT_MD ? "md" : "text", a, &text, err);
        if (rc == XPD_OK)
            xpd_cli_put_lines(stdout, (struct xpd_str){text.data, text.size});
        xpd_strbuf_fini(&text);
    }
    return rc == XPD_OK ? write_files(profile, args, a, err) : rc;
}

static int print(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                 int *code, struct xpd_err *err)
{
    struct answer a = {0};
    int rc = xpd_cli_check_targets(profile, args, err);
    if (rc == XPD_OK)
        rc = examine(profile, args, &a, code, err);
    xpd_strbuf_fini(&a.config);
    xpd_strbuf_fini(&a.body);
    return rc;
}

static int run(int argc, char **argv)
{
    return xpd_cli_run_code("doctor", help, argc, argv, print);
}

const struct xpd_command xpd_command_doctor = {
    .name = "doctor",
    .help = "find what makes a peak high or a run long, and what would help",
    .run = run};
