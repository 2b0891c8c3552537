/* xprofd steps PROFILE: what each step is made of, as text, JSON or CSV. */
#include "cli_trace_args.h"
#include "xprofd/cli/command.h"

#define ROWS_MAX 400000 /* of one answer of /api/v1/trace/stepsplit */

static const char help[] =
    "usage: xprofd steps PROFILE [--chip=mean|slowest|all|NAME] [--program=NAME]\n"
    "                            [--clock=device|host] [--top=N]\n"
    "                            [--run=NAME] [--host=NAME] [--json|--csv]\n"
    "Lists the parts of each step: compute by group of operations, waits for copies,\ncollectives "
    "and input, idle time, and the gap to the next step. The parts add up\nto the step. Default: "
    "the mean of all chips, the first 20 steps; a CSV has all of them.\n"
    "--chip=slowest takes the slowest chip of each step, --chip=all a row for each chip.\n"
    "A step is what the framework marked, else a run of the program with most time, else one of\n"
    "100 windows of the recording; with --program a run of that program.\n";

static int print(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                 struct xpd_err *err)
{
    char room[24];
    int64_t usual = args->profile.output == XPD_OUT_TEXT ? 20 : ROWS_MAX;
    struct xpd_param limit = xpd_trace_limit(room, args->profile.top, usual, ROWS_MAX);
    return xpd_trace_print(profile, args, "steps", "/api/v1/trace/stepsplit", "steps", &limit, 1,
                           err);
}

static int run(int argc, char **argv)
{
    return xpd_trace_run("steps", help, argc, argv, print);
}

const struct xpd_command xpd_command_steps = {
    .name = "steps", .help = "list the steps and their parts", .run = run};
