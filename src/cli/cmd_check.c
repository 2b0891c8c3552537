/* xprofd check PROFILE --budget FILE and xprofd budget PROFILE --budget FILE [--update]: limits of
 * a committed file held against a profile, and written anew for the change that accepts a growth.
 */
#include "check_print.h"
#include "compare_open.h"
#include "json_out.h"
#include "xprofd/cli/command.h"
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* Reads budgets and prints the results. In: options, rows. Out: stdout and files. */

#define BUDGET_MAX (1 << 20)
#define CONFIG_MAX 16384

int xpd_budget_file_read(struct xpd_budget_file *file, const struct xpd_profile_args *args,
                         struct xpd_arena *arena, struct xpd_err *err)
{
    int rc = xpd_cli_read_file(args->budget, BUDGET_MAX, &file->bytes, err);
    if (rc == XPD_OK && args->config)
        rc = xpd_cli_read_file(args->config, CONFIG_MAX, &file->config, err);
    if (rc != XPD_OK)
        return rc;
    file->budget_text =
        (struct xpd_str){file->bytes.data ? file->bytes.data : "", file->bytes.size};
    file->config_text =
        (struct xpd_str){file->config.data ? file->config.data : "", file->config.size};
    return xpd_budget_read(&file->budget, file->budget_text, args->budget, arena, err);
}

void xpd_budget_file_free(struct xpd_budget_file *file)
{
    xpd_strbuf_fini(&file->bytes);
    xpd_strbuf_fini(&file->config);
}

int xpd_check_exit(const struct xpd_check *check, const struct xpd_profile_args *args)
{
    bool unjudged = check->not_judged > 0 || check->incomparable;
    return check->broken > 0          ? XPD_EXIT_BROKEN
           : unjudged && args->strict ? XPD_EXIT_BROKEN
           : unjudged                 ? XPD_EXIT_UNJUDGED
                                      : XPD_EXIT_OK;
}

int xpd_check_write(const struct xpd_check *check, const struct xpd_profile_args *args,
                    struct xpd_err *err)
{
    struct xpd_strbuf out = {0};
    struct xpd_jsonw w;
    int rc = XPD_OK;
    if (args->junit) {
        xpd_check_junit(&out, check);
        rc = xpd_cli_write_file(args->junit, (struct xpd_str){out.data, out.size}, err);
    }
    if (args->sarif && rc == XPD_OK) {
        xpd_strbuf_clear(&out);
        xpd_jsonw_init(&w, &out);
        xpd_check_sarif(&w, check);
        rc = xpd_cli_write_file(args->sarif, (struct xpd_str){out.data, out.size}, err);
    }
    xpd_strbuf_fini(&out);
    return rc;
}

int xpd_check_print(const struct xpd_check *check, const struct xpd_profile_args *args,
                    const char *command, int *code, struct xpd_err *err)
{
    *code = xpd_check_exit(check, args);
    if (xpd_cli_stdout_taken(args))
        return xpd_check_write(check, args, err);
    if (args->output == XPD_OUT_JSON) {
        struct xpd_cli_json json;
        struct xpd_jsonw *w = xpd_cli_json_begin(&json, command);
        xpd_cli_json_verdict(w, *code);
        xpd_json_key(w, "check");
        xpd_check_json(w, check);
        xpd_cli_json_end(&json);
    } else {
        struct xpd_strbuf out = {0};
        if (args->output == XPD_OUT_MD)
            xpd_check_markdown(&out, check);
        else
            xpd_check_text(&out, check);
        xpd_cli_put_lines(stdout, (struct xpd_str){out.data ? out.data : "", out.size});
        if (args->output != XPD_OUT_MD)
            printf("exit %d\n", *code);
        xpd_strbuf_fini(&out);
    }
    return xpd_check_write(check, args, err);
}

static const char check_help[] =
    "usage: xprofd check PROFILE --budget=FILE [--config=FILE] [--hbm=SIZE] [--run=NAME]\n"
    "                    [--strict] [--sarif=FILE] [--junit=FILE] [--json|--md]\n"
    "Checks the programs of a profile against the limits of a budget file.\n"
    "Exit 0: all limits hold. 1: a limit is broken. 4: one could not be checked (1 with\n"
    "--strict).\n";
static const char budget_help[] =
    "usage: xprofd budget PROFILE --budget=FILE [--update] [--slack=5%]\n"
    "Prints the budget with each limit set to the present value plus slack; --update writes the\n"
    "file. Comments and order are kept.\n";

static int read_budget(struct xpd_budget_file *file, const struct xpd_profile_args *args,
                       struct xpd_arena *arena, struct xpd_err *err)
{
    if (!args->budget)
        return xpd_fail(err, XPD_EINVAL, "--budget", XPD_NO_OFFSET,
                        "give the file of limits: --budget=FILE");
    return xpd_budget_file_read(file, args, arena, err);
}

static int check(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                 int *code, struct xpd_err *err)
{
    struct xpd_arena arena = {0};
    struct xpd_budget_file file = {0};
    struct xpd_tool_ctx ctx;
    struct xpd_check result;
    /* Steps and allocators are measured in a run without programs (no HLO), too. */
    bool measured = profile->run->has_events || profile->run->has_memory_events;
    int rc = measured ? XPD_OK : xpd_cli_require_modules(profile, err);
    if (rc == XPD_OK)
        rc = xpd_cli_check_targets(profile, args, err);
    if (rc == XPD_OK)
        rc = read_budget(&file, args, &arena, err);
    if (rc == XPD_OK)
        rc = xpd_cli_context(&ctx, profile, args, &arena, err);
    if (rc == XPD_OK)
        rc = xpd_check_run(&result, &file.budget, args->budget, &ctx, NULL, file.config_text, err);
    if (rc == XPD_OK)
        rc = xpd_check_print(&result, args, "check", code, err);
    xpd_budget_file_free(&file);
    xpd_arena_fini(&arena);
    return rc;
}

/* Which programs and numbers are limited is not in the profile. */
static int hint_first(const char *path, struct xpd_err *err)
{
    return xpd_fail(
        err, XPD_ENOTFOUND, path, XPD_NO_OFFSET,
        "%s does not exist yet: write a file with the limits you want, such as the two lines [*] "
        "and peak_bytes <= 1GiB, and --update fills in the numbers (docs/CI.md)",
        path);
}

static void tell_written(const struct xpd_profile_args *args, uint32_t written, uint32_t limits,
                         double slack)
{
    if (xpd_cli_is_stdout(args->budget))
        return;
    fprintf(stderr,
            "xprofd budget: wrote %s: %" PRIu32 " of %" PRIu32
            " limits, set to the present value + %g%%",
            args->budget, written, limits, slack * 100);
    fprintf(stderr, "%s\n",
            written < limits
                ? "; the others are unchanged because this profile has no value for them"
                : "");
}

static int slack_of(const struct xpd_profile_args *args, double *slack, struct xpd_err *err)
{
    char *end;
    *slack = 0.05;
    if (!args->slack)
        return XPD_OK;
    double percent = strtod(args->slack, &end);
    if (end == args->slack || strcmp(end, "%") != 0 || !(percent >= 0) || percent > 1000)
        return xpd_fail(err, XPD_EINVAL, "--slack", XPD_NO_OFFSET,
                        "--slack takes a percentage such as 5%%, not \"%s\"", args->slack);
    *slack = percent / 100;
    return XPD_OK;
}

static int budget(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                  struct xpd_err *err)
{
    struct xpd_arena arena = {0};
    struct xpd_budget_file file = {0};
    struct xpd_tool_ctx ctx;
    struct xpd_check result;
    struct xpd_strbuf out = {0};
    double slack;
    int rc = slack_of(args, &slack, err);
    if (rc == XPD_OK)
        rc = read_budget(&file, args, &arena, err);
    if (rc == XPD_ENOTFOUND && args->budget && access(args->budget, F_OK) != 0)
        rc = hint_first(args->budget, err);
    if (rc == XPD_OK)
        rc = xpd_cli_context(&ctx, profile, args, &arena, err);
    if (rc == XPD_OK)
        rc = xpd_check_run(&result, &file.budget, args->budget, &ctx, NULL, file.config_text, err);
    if (rc == XPD_OK) {
        uint32_t written = xpd_check_update(&out, &result, file.budget_text, slack);
        struct xpd_str text = {out.data ? out.data : "", out.size};
        if (args->update)
            rc = xpd_cli_write_file(args->budget, text, err);
        if (rc == XPD_OK && args->update)
            tell_written(args, written, file.budget.limit_count, slack);
        if (!args->update)
            fwrite(text.data, 1, text.size, stdout);
    }
    xpd_strbuf_fini(&out);
    xpd_budget_file_free(&file);
    xpd_arena_fini(&arena);
    return rc;
}

static int run_check(int argc, char **argv)
{
    return xpd_cli_run_code("check", check_help, argc, argv, check);
}

static int run_budget(int argc, char **argv)
{
    return xpd_cli_run("budget", budget_help, argc, argv, budget);
}

const struct xpd_command xpd_command_check = {
    .name = "check", .help = "check a profile against a budget file", .run = run_check};
const struct xpd_command xpd_command_budget = {
    .name = "budget", .help = "update a budget's limits from a profile", .run = run_budget};
