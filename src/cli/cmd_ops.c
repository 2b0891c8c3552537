/* xprofd ops PROFILE: operations with their time, roofline and source, as text, JSON or CSV. */
#include "trace_args.h"
#include "xprofd/cli/command.h"

#define ROWS_MAX 10000 /* of one answer of /api/v1/trace/ops */

static const char help[] =
    "usage: xprofd ops PROFILE [--sort=KEY] [--by=WORD] [--filter=TEXT] [--steps=LIST]\n"
    "                          [--module=NAME] [--top=N] [--device=CHIP] [--peak-flops=N]\n"
    "                          [--peak-bandwidth=N] [--peak=LIMIT:N] [--run=NAME]\n"
    "                          [--json|--csv]\n"
    "Lists the operations of the programs that ran: self time, mean, percentiles, what one\n"
    "execution should take at the device's peaks (roofline), the share of the roofline reached,\n"
    "what bounds it, and the time lost. Loops, collectives and copies in flight have no roofline;\n"
    "see xprofd overlap. --json and --csv have all columns.\n"
    "--sort: time (the default), lost, flops, bytes, or any key of the rows (p99_ps, intensity).\n"
    "--by: one row for all with the same opcode, category, group, scope, phase, source, bound ...\n"
    "--filter: text or /expression/, and 'bound:hbm', 'roofline<50', 'self>1%', 'avg>10us',\n"
    "'group:matmul', 'scope:block_*'; a blank is and, | is or, - is not.\n"
    "--steps=100-102,105: only what began in these steps.\n"
    "Peaks come from the profile, or from the published table of chips; --device uses those of\n"
    "another chip (\"TPU v5e\", MI300X), --peak-flops and --peak-bandwidth take FLOP/s and B/s\n"
    "(5.3e12), --peak the others (vector:1.5e14). The output says so when operations are faster\n"
    "than a peak.\n";

static int print(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                 struct xpd_err *err)
{
    enum xpd_output output = args->profile.output;
    int64_t top =
        args->profile.top < 0 ? (output == XPD_OUT_CSV ? ROWS_MAX : 20) : args->profile.top;
    char limit[24];
    const struct {
        const char *name, *value;
    } typed[] = {{"sort", args->sort},
                 {"group", args->by},
                 {"filter", args->filter},
                 {"steps", args->steps},
                 {"module", args->profile.module}};
    struct xpd_param more[3 + sizeof typed / sizeof *typed + XPD_PEAKS_MAX];
    uint32_t count = 0;
    snprintf(limit, sizeof limit, "%lld", (long long)(top < ROWS_MAX ? top : ROWS_MAX));
    more[count++] = (struct xpd_param){XPD_STR("format"), xpd_cli_format_word(output)};
    more[count++] = (struct xpd_param){XPD_STR("limit"), xpd_str_of(limit)};
    more[count++] = (struct xpd_param){XPD_STR("percentiles"), XPD_STR("1")};
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        if (typed[i].value)
            more[count++] =
                (struct xpd_param){xpd_str_of(typed[i].name), xpd_str_of(typed[i].value)};
    count += xpd_trace_peaks(args, more + count);
    return xpd_trace_print(profile, args, "ops", "/api/v1/trace/ops", "ops", more, count, err);
}

static int run(int argc, char **argv)
{
    return xpd_trace_run("ops", help, argc, argv, print);
}

const struct xpd_command xpd_command_ops = {
    .name = "ops", .help = "list operations by time, against their roofline", .run = run};
