/* xprofd buffers PROFILE: every logical buffer of a program as CSV (or JSON). */
#include "json_out.h"
#include "xprofd/cli/command.h"

static const char help[] =
    "usage: xprofd buffers PROFILE [--csv|--json] [--module=NAME] [--space=N] [--run=NAME]\n"
    "Prints all logical buffers of a memory space: name, shape, class, address, size, padding,\n"
    "lifetime, uses, source, saving. CSV is the default; --json gives the first 10,000 rows.\n";

static int print(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                 struct xpd_err *err)
{
    struct xpd_strbuf body = {0};
    bool json = args->output == XPD_OUT_JSON;
    int64_t color = -1;
    struct xpd_param more[2] = {{XPD_STR("format"), json ? XPD_STR("json") : XPD_STR("csv")},
                                {XPD_STR("limit"), XPD_STR("10000")}};
    if (args->space && !xpd_str_to_i64(xpd_str_of(args->space), &color))
        return xpd_fail(err, XPD_EINVAL, "--space", XPD_NO_OFFSET,
                        "--space takes the number of a memory space, not \"%s\"", args->space);
    int rc = xpd_cli_call(profile, args, "/api/v1/memory/buffers", args->module, color, more,
                          json ? 2 : 1, &body, err);
    if (rc == XPD_OK && json)
        xpd_cli_json_answer(profile, args, "buffers", XPD_EXIT_OK, "buffers",
                            (struct xpd_str){body.data, body.size});
    else if (rc == XPD_OK)
        fwrite(body.data, 1, body.size, stdout);
    xpd_strbuf_fini(&body);
    return rc;
}

static int run(int argc, char **argv)
{
    return xpd_cli_run("buffers", help, argc, argv, print);
}

const struct xpd_command xpd_command_buffers = {
    .name = "buffers", .help = "list every buffer of a program as CSV", .run = run};
