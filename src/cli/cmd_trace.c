/* xprofd trace PROFILE: where the time went, as text, JSON or CSV. */
#include "cli_trace_args.h"
#include "xprofd/cli/command.h"
#include "xprofd/tools/tool.h"

#include <stdio.h>
#include <string.h>

static const char help[] =
    "usage: xprofd trace PROFILE [--by=name|category|module|step|chip|row|gap] [--top=N]\n"
    "                            [--run=NAME] [--host=NAME|all] [--from=TIME] [--to=TIME]\n"
    "                            [--rows=1,2,5-9] [--clock=device|host] [--sort=COLUMN]\n"
    "                            [--json|--csv]\n"
    "Adds up the events of all hosts of a run on one time axis, or of one host with --host, "
    "and\nprints the groups with most self time (default 20). For several hosts it shows\n"
    "how each was placed on the axis.\n"
    "Default --rows: the operations of the devices, or all threads if there are none. Times use\n"
    "the device's own clock where an event has it. TIME counts from the start of the trace,\n"
    "with a unit: 1.5ms, 20us, 3s. Sort by self (default), total, count, mean, min, p50, p99,\n"
    "max.\n"
    "--by=gap: when each chip was idle (or each of --rows, or each thread if there are no\n"
    "chips), longest first, with what ran before, after and meanwhile on other rows of the\n"
    "host.\n";

/* Gaps have one clock and one order. */
static int print_gaps(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                      const struct xpd_param *more, uint32_t count, struct xpd_err *err)
{
    if (args->clock || args->sort)
        return xpd_fail(err, XPD_EINVAL, args->clock ? "--clock" : "--sort", XPD_NO_OFFSET,
                        "gaps use the host-aligned clock, longest first: %s only applies to sums",
                        args->clock ? "--clock" : "--sort");
    struct xpd_trace_args plain = *args;
    plain.by = NULL; /* that route needs chips or rows: --rows selects them */
    return xpd_trace_print(profile, &plain, "trace", "/api/v1/trace/gaps", "gaps", more, count,
                           err);
}

/* Parameters of the route of sums, from its declaration. */
static const char *groups(void)
{
    const struct xpd_param_spec *spec = xpd_tool_find(XPD_STR("/api/v1/trace/totals"))->params;
    while (strcmp(spec->name, "by") != 0)
        spec++;
    return spec->words;
}

static int check_by(const char *by, struct xpd_err *err)
{
    return xpd_word_index(groups(), xpd_str_of(by)) >= 0 || strcmp(by, "gap") == 0
               ? XPD_OK
               : xpd_fail(err, XPD_EINVAL, "--by", XPD_NO_OFFSET,
                          "--by takes one of: %s gap, not \"%.80s\"", groups(), by);
}

static int print(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                 struct xpd_err *err)
{
    char room[24];
    int rc = args->by ? check_by(args->by, err) : XPD_OK;
    if (rc != XPD_OK)
        return rc;
    struct xpd_param limit = xpd_trace_limit(room, args->profile.top, 20, INT64_MAX);
    uint32_t count = args->profile.output != XPD_OUT_CSV || args->profile.top >= 0 ? 1 : 0;
    if (args->by && strcmp(args->by, "gap") == 0)
        return print_gaps(profile, args, &limit, count, err);
    return xpd_trace_print(profile, args, "trace", "/api/v1/trace/totals", "totals", &limit, count,
                           err);
}

static int run(int argc, char **argv)
{
    return xpd_trace_run("trace", help, argc, argv, print);
}

const struct xpd_command xpd_command_trace = {
    .name = "trace", .help = "add up where the time of a traced run went", .run = run};
