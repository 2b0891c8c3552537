/* xprofd overview PROFILE: where the time of a step goes, and what would shorten it. */
#include "cli_trace_args.h"
#include "xprofd/cli/command.h"

static const char help[] =
    "usage: xprofd overview PROFILE [--step=N] [--chip=NAME] [--program=NAME]\n"
    "                               [--clock=device|host]\n"
    "                               [--device=CHIP] [--peak-flops=N] [--peak-bandwidth=N] "
    "[--peak=LIMIT:N]\n"
    "                               [--run=NAME] [--host=NAME] [--json|--csv]\n"
    "Shows where a step goes in one sentence, what limits it (yes, no, or cannot tell and why), "
    "in\nrows that add up from idle to the roofline, the time each operation could save, and "
    "which\nprograms ran. A step is what the framework marked, else a run of the program with the "
    "most\ntime, else one of 100 windows of the recording. Default: the mean of all steps and "
    "chips;\n"
    "--step and --chip (TPU:0) choose one; with --program the steps are the runs of that program.\n"
    "--csv: the rows from idle to the roofline.\n"
    "xprofd steps lists the steps, xprofd ops all operations, xprofd doctor what to do.\n";

static int print(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                 struct xpd_err *err)
{
    return xpd_trace_print(profile, args, "overview", "/api/v1/overview", "overview", NULL, 0, err);
}

static int run(int argc, char **argv)
{
    return xpd_trace_run("overview", help, argc, argv, print);
}

const struct xpd_command xpd_command_overview = {
    .name = "overview", .help = "show where a step goes and what limits it", .run = run};
