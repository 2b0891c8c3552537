/* xprofd ops PROFILE: operations with their time, roofline and source, as text, JSON or CSV. */
#include "trace_args.h"
#include "xprofd/cli/command.h"

#define ROWS_MAX 10000 /* of one answer of /api/v1/trace/ops */

static const char help[] =
    "usage: xprofd ops PROFILE [--sort=time|lost|flops|bytes] [--module=NAME] [--top=N]\n"
    "                          [--device=CHIP] [--peak-flops=N] [--peak-bandwidth=N]\n"
    "                          [--run=NAME] [--json|--csv]\n"
    "Lists the operations of the programs that ran: self time, mean, what one execution should\n"
    "take at the device's peaks (roofline), the share of the roofline reached, and the time\n"
    "lost. Loops, collectives and copies in flight have no roofline; see xprofd overlap.\n"
    "Default: the 20 with most self time; --sort=lost: those with most time to save. Peaks come\n"
    "from the profile, or from the published table of chips; --device uses those of another\n"
    "chip (\"TPU v5e\", MI300X), --peak-flops and --peak-bandwidth take FLOP/s and B/s (5.3e12).\n"
    "The output says so when operations are faster than a peak.\n";

static int print(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                 struct xpd_err *err)
{
    enum xpd_output output = args->profile.output;
    int64_t top =
        args->profile.top < 0 ? (output == XPD_OUT_CSV ? ROWS_MAX : 20) : args->profile.top;
    char limit[24];
    struct xpd_param more[8];
    uint32_t count = 0;
    snprintf(limit, sizeof limit, "%lld", (long long)(top < ROWS_MAX ? top : ROWS_MAX));
    more[count++] = (struct xpd_param){XPD_STR("format"), xpd_cli_format_word(output)};
    more[count++] = (struct xpd_param){XPD_STR("limit"), xpd_str_of(limit)};
    more[count++] = (struct xpd_param){XPD_STR("percentiles"), XPD_STR("1")};
    if (args->sort)
        more[count++] = (struct xpd_param){XPD_STR("sort"), xpd_str_of(args->sort)};
    if (args->device)
        more[count++] = (struct xpd_param){XPD_STR("device"), xpd_str_of(args->device)};
    if (args->peak_flops)
        more[count++] = (struct xpd_param){XPD_STR("peak_flops"), xpd_str_of(args->peak_flops)};
    if (args->peak_bandwidth)
        more[count++] =
            (struct xpd_param){XPD_STR("peak_bandwidth"), xpd_str_of(args->peak_bandwidth)};
    if (args->profile.module)
        more[count++] = (struct xpd_param){XPD_STR("module"), xpd_str_of(args->profile.module)};
    return xpd_trace_print(profile, args, "ops", "/api/v1/trace/ops", "ops", more, count, err);
}

static int run(int argc, char **argv)
{
    return xpd_trace_run("ops", help, argc, argv, print);
}

const struct xpd_command xpd_command_ops = {
    .name = "ops", .help = "list operations by time, against their roofline", .run = run};
