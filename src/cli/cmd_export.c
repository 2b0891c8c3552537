/* xprofd export PROFILE: the events as Chrome trace JSON, to stdout or a file. */
#include "cli_trace_args.h"
#include "xprofd/cli/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: xprofd export PROFILE [--format=chrome] [--run=NAME] [--host=NAME|all]\n"
    "                             [--from=TIME] [--to=TIME] [--rows=1,2,5-9] [--derived]\n"
    "                             [--no-args] [-o FILE]\n"
    "Writes the events of all hosts of a run side by side, or of one with --host, as Chrome\n"
    "trace JSON for Perfetto (ui.perfetto.dev) and chrome://tracing. Times keep their\n"
    "picoseconds. TIME counts from the start of the trace, with a unit: 1.5ms, 20us, 3s.\n"
    "--derived adds the derived rows; --no-args omits event arguments. The default output is\n"
    "stdout, as with -o -; a file of the profile is never overwritten.\n";

static int write_to(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                    FILE *file, struct xpd_err *err)
{
    struct xpd_param more[2];
    uint32_t count = 0;
    if (args->derived)
        more[count++] = (struct xpd_param){XPD_STR("derived"), XPD_STR("1")};
    if (args->no_args)
        more[count++] = (struct xpd_param){XPD_STR("args"), XPD_STR("0")};
    struct xpd_strbuf none = {0};
    int rc = xpd_trace_call(profile, args, "/api/v1/trace/export", more, count, &none, file, err);
    xpd_strbuf_fini(&none);
    if (rc == XPD_OK && fflush(file) != 0)
        rc = xpd_fail(err, XPD_EWRITE, args->file, XPD_NO_OFFSET, "cannot write: %s",
                      strerror(errno));
    return rc;
}

/* A file that is not whole is of no use: it is removed again. */
static int write_file(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                      struct xpd_err *err)
{
    FILE *file = fopen(args->file, "wb");
    if (!file)
        return xpd_fail(err, XPD_EIO, args->file, XPD_NO_OFFSET, "cannot write: %s",
                        strerror(errno));
    int rc = write_to(profile, args, file, err);
    if (fclose(file) != 0 && rc == XPD_OK)
        rc = xpd_fail(err, XPD_EWRITE, args->file, XPD_NO_OFFSET, "cannot write: %s",
                      strerror(errno));
    if (rc != XPD_OK)
        xpd_cli_remove_file(args->file);
    return rc;
}

static int print(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                 struct xpd_err *err)
{
    if (args->profile.format && strcmp(args->profile.format, "chrome") != 0)
        return xpd_fail(err, XPD_EINVAL, "--format", XPD_NO_OFFSET,
                        "--format is chrome, not \"%s\"", args->profile.format);
    if (!args->file || xpd_cli_is_stdout(args->file))
        return write_to(profile, args, stdout, err);
    int rc = xpd_cli_check_target(profile, "-o", args->file, err);
    return rc == XPD_OK ? write_file(profile, args, err) : rc;
}

static int run(int argc, char **argv)
{
    return xpd_trace_run("export", help, argc, argv, print);
}

const struct xpd_command xpd_command_export = {
    .name = "export", .help = "write the events as Chrome trace JSON", .run = run};
