/* xprofd roofline PROFILE: the roofs over the operations, as text, JSON or CSV. */
#include "cli_trace_args.h"
#include "xprofd/cli/command.h"

static const char help[] =
    "usage: xprofd roofline PROFILE [--filter=TEXT] [--steps=LIST] [--module=NAME]\n"
    "                               [--host=NAME] [--device=CHIP]\n"
    "                               [--peak-flops=N] [--peak-bandwidth=N] [--peak=LIMIT:N]\n"
    "                               [--run=NAME] [--json|--csv]\n"
    "Lists what each unit and memory of the chip can do and where the figure is from, the most\n"
    "that an operation reached of it, and the FLOP a byte at which a memory and a unit take\n"
    "equally long (ridge). Says what is lost against these roofs in all, what has no place\n"
    "under them and why, where programs stand, and which figures operations prove wrong.\n"
    "--filter and --steps as for ops: what is lost, where operations stand and programs are of\n"
    "those alone, with their share of the time and of their roofline; the roofs are of all.\n"
    "--peak, once or more, types the others: vector, shared, vmem_read, vmem_write, cmem_read,\n"
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
    .help = "list what units and memories can do and who reaches it",
    .run = run};
