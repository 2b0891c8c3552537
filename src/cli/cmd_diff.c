/* xprofd diff BEFORE AFTER: what grew and what shrank between two programs; text, JSON or Markdown.
 */
#include "check_print.h"
#include "compare_open.h"
#include "json_out.h"
#include "xprofd/cli/command.h"

#include <string.h>

static const char help[] =
    "usage: xprofd diff BEFORE AFTER [--module=NAME] [--base-module=NAME] [--space=N] "
    "[--run=NAME]\n"
    "                   [--budget=FILE] [--strict] [--sarif=FILE] [--junit=FILE] [--ascii] "
    "[--json|--md]\n"
    "Compares two programs at their peaks: groups of buffers whose differences add up to the\n"
    "difference of the peaks. The module of BEFORE is the one of the same name (among several,\n"
    "the one with the same arguments or the same key), or --base-module; this also compares two\n"
    "programs of one profile.\n"
    "--budget also checks the limits of that file, including growth; exit codes are those of\n"
    "xprofd check. A dump without a buffer assignment has no memory to compare; the command\n"
    "says so and exits with 4 (1 with --strict).\n";

/* `check` NULL: without a budget nothing was checked. */
static void print_json(struct xpd_str body, const struct xpd_check *check, int code)
{
    struct xpd_cli_json out;
    struct xpd_jsonw *w = xpd_cli_json_begin(&out, "diff");
    xpd_cli_json_verdict(w, code);
    xpd_json_key(w, "diff");
    xpd_json_raw(w, body);
    if (check) {
        xpd_json_key(w, "check");
        xpd_check_json(w, check);
    }
    xpd_cli_json_end(&out);
}

static int check_budget(const struct xpd_profile_args *args, struct xpd_cli_pair *pair,
                        struct xpd_budget_file *file, struct xpd_check *check, struct xpd_err *err)
{
    int rc = xpd_budget_file_read(file, args, &pair->arena, err);
    return rc == XPD_OK ? xpd_check_run(check, &file->budget, args->budget, &pair->ctx[1],
                                        &pair->ctx[0], file->config_text, err)
                        : rc;
}

/* Markdown has one title: the verdict, then the rest of the body's title after "Memory of", which
 * the verdict repeats. */
static struct xpd_str take_title(struct xpd_str *body)
{
    static const char mark[] = "### Memory of ";
    const char *end = memchr(body->data, '\n', body->size);
    if (!end || !xpd_str_starts(*body, mark))
        return XPD_STR("");
    size_t size = (size_t)(end - body->data);
    struct xpd_str title = {body->data + sizeof mark - 1, size - (sizeof mark - 1)};
    *body = (struct xpd_str){end + 1, body->size - size - 1};
    return title;
}

/* The verdict first in Markdown, last on a terminal. */
static int print_both(const struct xpd_profile_args *args, struct xpd_str body,
                      struct xpd_check *check, int *code, struct xpd_err *err)
{
    bool checked = args->budget != NULL;
    bool verdict_first = checked && args->output == XPD_OUT_MD;
    *code = xpd_check_exit(check, args);
    if (args->output == XPD_OUT_JSON) {
        print_json(body, checked ? check : NULL, *code);
        return checked ? xpd_check_write(check, args, err) : XPD_OK;
    }
    if (verdict_first)
        check->about = take_title(&body);
    else if (!xpd_cli_stdout_taken(args))
        xpd_cli_put_lines(stdout, body);
    int rc = checked ? xpd_check_print(check, args, "diff", code, err) : XPD_OK;
    if (verdict_first)
        xpd_cli_put_lines(stdout, body);
    if (verdict_first && check->broken > 0)
        fputs("\nAccept it: `xprofd budget AFTER --budget=FILE --update`. See it: "
              "`xprofd report AFTER --diff=BEFORE -o report.html`.\n",
              stdout);
    return rc;
}

static int print(const struct xpd_profile_args *args, struct xpd_cli_pair *pair, int *code,
                 struct xpd_err *err)
{
    struct xpd_strbuf body = {0};
    struct xpd_budget_file file = {0};
    struct xpd_check check = {0};
    enum xpd_compare_format format = args->output == XPD_OUT_JSON ? XPD_COMPARE_JSON
                                     : args->output == XPD_OUT_MD ? XPD_COMPARE_MD
                                     : args->ascii                ? XPD_COMPARE_ASCII
                                                                  : XPD_COMPARE_TEXT;
    int rc = xpd_compare_answer(pair->ctx, format, &body, err);
    if (rc == XPD_OK && args->budget)
        rc = check_budget(args, pair, &file, &check, err);
    /* two programs of whose memory nothing is known are not "no difference" */
    check.incomparable = xpd_compare_nothing(pair->ctx);
    if (rc == XPD_OK)
        rc = print_both(args, (struct xpd_str){body.data, body.size}, &check, code, err);
    xpd_strbuf_fini(&body);
    xpd_budget_file_free(&file);
    return rc;
}

static int run(int argc, char **argv)
{
    struct xpd_profile_args args;
    struct xpd_cli_pair pair = {0};
    struct xpd_err err = {0};
    int code = XPD_EXIT_OK;
    int rc = xpd_profile_args_parse_paths(&args, help, 2, argc, argv, &err);
    if (rc == XPD_OK && args.help) {
        fputs(help, stdout);
        return XPD_EXIT_OK;
    }
    if (rc == XPD_OK && !args.path2)
        rc = xpd_fail(&err, XPD_EINVAL, "AFTER", XPD_NO_OFFSET,
                      "give two profiles: xprofd diff BEFORE AFTER");
    if (rc == XPD_OK && !args.budget && (args.sarif || args.junit))
        rc = xpd_fail(&err, XPD_EINVAL, args.sarif ? "--sarif" : "--junit", XPD_NO_OFFSET,
                      "%s needs --budget=FILE: it writes the result of a check",
                      args.sarif ? "--sarif" : "--junit");
    if (rc == XPD_OK)
        rc = xpd_cli_pair_open(&pair, &args, &err);
    for (int s = 0; s < 2 && rc == XPD_OK; s++)
        rc = xpd_cli_check_targets(&pair.profile[s], &args, &err);
    if (rc == XPD_OK)
        rc = print(&args, &pair, &code, &err);
    if (rc != XPD_OK)
        code = xpd_cli_fail(&args, "diff", &err);
    xpd_cli_pair_close(&pair);
    return code;
}

const struct xpd_command xpd_command_diff = {
    .name = "diff", .help = "compare two programs: what grew, what shrank", .run = run};
