/* xprofd diff BEFORE AFTER: what grew and what shrank between two programs; text, JSON or Markdown.
 */
#include "compare_open.h"
#include "xprofd/cli/command.h"

static const char help[] =
    "usage: xprofd diff BEFORE AFTER [--module=NAME] [--space=N] [--run=NAME] [--json|--md]\n"
    "Compares two programs at their peaks: groups of buffers whose differences add up to the\n"
    "difference of the peaks. The module of BEFORE is the one of the same name.\n";

static int print(const struct xpd_profile_args *args, struct xpd_cli_pair *pair,
                 struct xpd_err *err)
{
    struct xpd_strbuf body = {0}, out = {0};
    enum xpd_compare_format format = args->output == XPD_OUT_JSON ? XPD_COMPARE_JSON
                                     : args->output == XPD_OUT_MD ? XPD_COMPARE_MD
                                                                  : XPD_COMPARE_TEXT;
    int rc = xpd_compare_answer(pair->ctx, format, &body, err);
    if (rc == XPD_OK && format == XPD_COMPARE_JSON) {
        struct xpd_jsonw w;
        xpd_jsonw_init(&w, &out);
        xpd_json_obj(&w);
        xpd_json_ki64(&w, "schema", 1);
        xpd_json_ktext(&w, "command", "diff");
        xpd_cli_json_verdict(&w, XPD_EXIT_OK);
        xpd_json_key(&w, "diff");
        xpd_json_raw(&w, (struct xpd_str){body.data, body.size});
        xpd_json_obj_end(&w);
        xpd_strbuf_putc(&out, '\n');
        fwrite(out.data, 1, out.size, stdout);
    } else if (rc == XPD_OK) {
        xpd_cli_put_lines(stdout, (struct xpd_str){body.data, body.size});
    }
    xpd_strbuf_fini(&body);
    xpd_strbuf_fini(&out);
    return rc;
}

static int run(int argc, char **argv)
{
    struct xpd_profile_args args;
    struct xpd_cli_pair pair = {0};
    struct xpd_err err = {0};
    int rc = xpd_profile_args_parse_paths(&args, 2, argc, argv, &err);
    if (rc == XPD_OK && args.help) {
        fputs(help, stdout);
        return XPD_EXIT_OK;
    }
    if (rc == XPD_OK && !args.path2)
        rc = xpd_fail(&err, XPD_EINVAL, "AFTER", XPD_NO_OFFSET,
                      "name two profiles: xprofd diff BEFORE AFTER");
    if (rc == XPD_OK)
        rc = xpd_cli_pair_open(&pair, &args, &err);
    if (rc == XPD_OK)
        rc = print(&args, &pair, &err);
    int code = rc == XPD_OK ? XPD_EXIT_OK : xpd_cli_fail(&args, "diff", &err);
    xpd_cli_pair_close(&pair);
    return code;
}

const struct xpd_command xpd_command_diff = {
    .name = "diff", .help = "compare two programs: what grew, what shrank", .run = run};
