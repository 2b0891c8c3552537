/* xprofd roofline PROFILE: the roofs over the operations, as text, JSON or CSV. */
#include "cli_trace_args.h"
#include "xprofd/cli/command.h"

static const char help[] =
    "usage: xprofd roofline PROFILE [--filter=TEXT] [--steps=LIST] [--module=NAME]\n"
    "                               [--host=NAME] [--device=CHIP]\n"
    "                               [--peak-flops=N] [--peak-bandwidth=N] [--peak=LIMIT:N]\n"
    "                               [--run=NAME] [--json|--csv]\n"
    "Lists the limit of each unit and memory of the chip and its source, the highest value "
    "that\nan operation reached, and the FLOP/byte at which a memory and a unit take equally "
    "long\n(ridge). Also the total time lost against these roofs, the operations without a place "
    "under\nthem and why, the programs (self: without loops, calls and starts), and the limits "
    "that\n"
    "operations prove wrong.\n--filter and "
    "--steps as for ops: everything except the roofs then covers these operations\nonly, with "
    "their share of the time and of their roofline.\n--host: of one host, not of all "
    "together.\n--peak, once or more, sets the other limits: "
    "vector, shared, vmem_read, vmem_write, cmem_read,\n"
    "cmem_write, link; FLOP/s or B/s (vector:1.5e14). The operations: xprofd ops --sort=lost.\n";

static int print(const struct xpd_cli_profile *profile, const struct xpd_trace_args *args,
                 struct xpd_err *err)
{
    return xpd_trace_print(profile, args, "roofline", "/api/v1/roofline", "roofline", NULL, 0, err);
}

static int run(int argc, char **argv)
{
    return xpd_trace_run("roofline", help, argc, argv, print);
}

const struct xpd_command xpd_command_roofline = {
    .name = "roofline",
    .help = "list the limits of units and memories and how much of them is reached",
    .run = run};
