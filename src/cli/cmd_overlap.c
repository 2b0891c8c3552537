/* xprofd overlap PROFILE: how much of communication and copies is hidden under compute, by device
 * or by step. */
#include "cli_trace_args.h"
#include "xprofd/cli/command.h"

#include <string.h>

static const char help[] =
    "usage: xprofd overlap PROFILE [--by=device|step|collective] [--from=TIME] [--to=TIME]\n"
    "                              [--top=N] [--run=NAME] [--host=NAME] [--json|--csv]\n"
    "Shows what each device did: compute, communication and host copies (hidden under compute\n"
    "or exposed), and idle time. Times are unions of intervals on the host's clock, over a\n"
    "range (default: the whole trace) or for each step (--by=step, first 20 rows by default).\n"
    "--by=collective lists each collective of each device: how long it took and how much of\n"
    "that was exposed, most exposed first.\n";

#define ROWS_MAX 5000 /* of a table on a terminal */

static int check(const struct xpd_trace_args *args, struct xpd_err *err)
{
    if (args->by && xpd_word_index("device step collective", xpd_str_of(args->by)) < 0)
        return xpd_fail(err, XPD_EINVAL, "--by", XPD_NO_OFFSET,
                        "--by takes device, step or collective, not \"%.80s\"", args->by);
    if (args->by && strcmp(args->by, "step") == 0 && (args->from.given || args->to.given))
        return xpd_fail(err, XPD_EINVAL, "--from", XPD_NO_OFFSET,
                        "a range goes with --by=device and --by=collective; steps have their own");
    return XPD_OK;
}

static int print(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                 struct xpd_err *err)
{
    bool by_step = args->by && strcmp(args->by, "step") == 0;
    char room[24];
    int rc = check(args, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_param limit = xpd_trace_limit(room, args->profile.top, 20, ROWS_MAX);
    /* Text output limits the number of rows; JSON and CSV have the whole answer. */
    return xpd_trace_print(
        profile, args, "overlap", by_step ? "/api/v1/trace/steps" : "/api/v1/trace/overlap",
        by_step ? "steps" : "overlap", &limit, args->profile.output == XPD_OUT_TEXT ? 1 : 0, err);
}

static int run(int argc, char **argv)
{
    return xpd_trace_run("overlap", help, argc, argv, print);
}

const struct xpd_command xpd_command_overlap = {
    .name = "overlap", .help = "show how much communication is hidden under compute", .run = run};
