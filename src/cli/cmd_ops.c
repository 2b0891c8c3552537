/* xprofd ops PROFILE: operations with their time, roofline and source, as text, JSON or CSV. */
#include "cli_trace_args.h"
#include "xprofd/cli/command.h"

#define ROWS_MAX 10000 /* of one answer of /api/v1/trace/ops */

static const char help[] =
    "usage: xprofd ops PROFILE [--sort=KEY] [--by=WORD] [--filter=TEXT] [--steps=LIST]\n"
    "                          [--module=NAME] [--top=N] [--device=CHIP] [--peak-flops=N]\n"
    "                          [--peak-bandwidth=N] [--peak=LIMIT:N] [--run=NAME]\n"
    "                          [--host=NAME] [--json|--csv]\n"
    "       xprofd ops PROFILE --layers [--by=NAME] [--passes=apart|together] [--steps=LIST]\n"
    "                          [--module=NAME]\n"
    "       xprofd ops PROFILE --diff=BEFORE [--by=group|scope|operation|source] [--steps=LIST]\n"
    "                          [--base-steps=LIST] [--module=NAME] [--base-module=NAME]\n"
    "Lists the operations of the programs that ran: self time, mean, percentiles, what one\n"
    "execution should take at the device's peaks (roofline), the share of the roofline reached,\n"
    "what bounds it, and the time lost. Loops, collectives and copies in flight have no roofline;\n"
    "see xprofd overlap. --json and --csv have all columns.\n"
    "--sort: time (the default), lost, flops, bytes, or any key of the rows (p99_ps, intensity).\n"
    "--by: one row for all operations of the same opcode, category, group, scope, phase, source, "
    "bound ...\n"
    "--filter: text or /expression/, and 'bound:hbm', 'roofline<50', 'self>1%', 'avg>10us',\n"
    "'group:matmul', 'scope:block_*'; a space means and, | or, - not.\n"
    "--steps=100-102,105: only what began in these steps.\n"
    "With several hosts, times are sums over all of them; --host selects one (with --diff, one of\n"
    "the run after).\n"
    "Peaks come from the profile, or from the published table of chips; --device uses those of\n"
    "another chip (\"TPU v5e\", MI300X), --peak-flops and --peak-bandwidth take FLOP/s and B/s\n"
    "(5.3e12), --peak the others (vector:1.5e14). The output warns when operations are "
    "faster\nthan a peak.\n"
    "--layers: compares the repeated parts of a program, with the share of the roofline they "
    "reach;\n--by selects another way to find them, such as a while; --passes=together: a part "
    "includes\nboth the forward and the backward pass. --diff: how the time of each operation "
    "changed\nsince BEFORE, a profile (the same one to compare steps); all changes add up to the "
    "change\nof the step.\n";

static int print_layers(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                        struct xpd_err *err)
{
    return xpd_trace_print(profile, args, "ops", "/api/v1/trace/layers", "layers", NULL, 0, err);
}

static int print_diff(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                      struct xpd_err *err)
{
    const char *base = NULL;
    char room[24];
    int64_t usual = args->profile.output == XPD_OUT_TEXT ? 20 : ROWS_MAX;
    int rc = xpd_cli_base_run(profile->store, &args->profile, &base, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_param more[] = {xpd_trace_limit(room, args->profile.top, usual, ROWS_MAX),
                               {XPD_STR("base_run"), xpd_str_of(base)}};
    return xpd_trace_print(profile, args, "ops", "/api/v1/trace/ops/compare", "comparison", more, 2,
                           err);
}

/* An option for a form that was not requested is an error. */
static int check_form(const struct xpd_trace_args *args, struct xpd_err *err)
{
    bool diff = args->profile.diff != NULL;
    const char *wrong = NULL;
    if (args->step)
        return xpd_fail(err, XPD_EINVAL, "--step", XPD_NO_OFFSET,
                        "xprofd ops takes --steps, a list of steps");
    if (args->layers && diff)
        return xpd_fail(err, XPD_EINVAL, "--layers", XPD_NO_OFFSET,
                        "--layers and --diff cannot be combined");
    if ((args->layers || diff) && (args->filter || args->sort))
        return xpd_fail(err, XPD_EINVAL, args->filter ? "--filter" : "--sort", XPD_NO_OFFSET,
                        "%s works only with the list of operations",
                        args->filter ? "--filter" : "--sort");
    if (!diff && args->base_steps)
        wrong = "--base-steps";
    else if (!diff && args->profile.base_module)
        wrong = "--base-module";
    if (!args->layers && args->passes)
        return xpd_fail(err, XPD_EINVAL, "--passes", XPD_NO_OFFSET, "--passes needs --layers");
    return wrong ? xpd_fail(err, XPD_EINVAL, wrong, XPD_NO_OFFSET, "%s needs --diff=BEFORE", wrong)
                 : XPD_OK;
}

static int print_ops(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                     struct xpd_err *err)
{
    char room[24];
    int64_t usual = args->profile.output == XPD_OUT_CSV ? ROWS_MAX : 20;
    struct xpd_param more[3] = {xpd_trace_limit(room, args->profile.top, usual, ROWS_MAX),
                                {XPD_STR("percentiles"), XPD_STR("1")}};
    uint32_t count = 2;
    if (args->by)
        more[count++] = (struct xpd_param){XPD_STR("group"), xpd_str_of(args->by)};
    return xpd_trace_print(profile, args, "ops", "/api/v1/trace/ops", "ops", more, count, err);
}

static int print(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                 struct xpd_err *err)
{
    int rc = check_form(args, err);
    if (rc != XPD_OK)
        return rc;
    if (args->layers)
        return print_layers(profile, args, err);
    return args->profile.diff ? print_diff(profile, args, err) : print_ops(profile, args, err);
}

static int run(int argc, char **argv)
{
    return xpd_trace_run("ops", help, argc, argv, print);
}

const struct xpd_command xpd_command_ops = {
    .name = "ops", .help = "list operations by time, compared with their roofline", .run = run};
