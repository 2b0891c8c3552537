/* xprofd guide: one page with the command for each question, for agents and scripts.
 * The tests run every line of it. */
#include "xprofd/cli/command.h"

#include <stdio.h>
#include <string.h>

static const char head[] =
    "xprofd guide: which command answers which question. All commands are read-only, work offline\n"
    "and print the same bytes for the same input.\n"
    "\n"
    "PROFILE is a logdir, a run folder, an .xplane.pb, a HloProto (.hlo_proto.pb, .hlo.pb; .gz "
    "too)\n"
    "or an XLA dump directory (XLA_FLAGS=\"--xla_dump_to=DIR --xla_dump_hlo_as_proto\"; a "
    "failed\ncompile writes one, too). With several runs: --run=NAME. With several programs: "
    "--module=NAME; the\n"
    "default is the one with the largest peak. TRACED is a PROFILE of a program that ran,\n"
    "HEAP a file of jax.profiler.save_device_memory_profile or a folder of them (*.prof).\n"
    "Add --json for scripts: \"schema\": 1, sizes in bytes, times in picoseconds (docs/API.md;\n"
    "explain answers like its route).\n";

struct line {
    const char *title;            /* or NULL */
    const char *command, *answer; /* the words after "xprofd " */
};
static const struct line lines[] = {
    {"What is in it", NULL, NULL},
    {NULL, "modules PROFILE", "the programs, their peaks, and whether they ran"},
    {NULL, "fsck PROFILE", "whether it is complete, and what is damaged"},
    {"Out of memory", NULL, NULL},
    {NULL, "doctor PROFILE", "what makes the peak high, what each change saves, in order"},
    {NULL, "doctor PROFILE --hbm=16GiB",
     "... and whether it fits, if the file does not name the device"},
    {NULL, "memory PROFILE --top=10",
     "the peak, its parts, its largest buffers and their source lines"},
    {NULL, "memory PROFILE --step=3", "... at another step of the program"},
    {NULL, "memory PROFILE --space=all", "... in every memory (HBM, VMEM, host)"},
    {NULL, "heap HEAP", "what a process held by line of Python, and what grows"},
    {NULL, "buffers PROFILE --csv",
     "every buffer: size, padding, lifetime, address, source, saving"},
    {"Before and after", NULL, NULL},
    {NULL, "diff BEFORE AFTER", "what grew and shrank, in groups that add up to the change"},
    {NULL, "diff BEFORE AFTER --budget=FILE", "... and whether it grew more than allowed"},
    {NULL, "check PROFILE --budget=FILE", "whether it is within the limits of a file"},
    {NULL, "budget PROFILE --budget=FILE",
     "the file with limits set to the present values (--update)"},
    {NULL, "report PROFILE -o OUT", "everything about a program as one HTML file"},
    {NULL, "report AFTER -o OUT --diff=BEFORE", "... with a comparison of two profiles, to share"},
    {"The program", NULL, NULL},
    {NULL, "hlo PROFILE", "the compiled program as text (--metadata: with sources)"},
    {NULL, "explain PROFILE --node=NAME", "one instruction in words: layout, padding, cost"},
    {NULL, "query PROFILE opcodes", "instructions summed by opcode"},
    {NULL, "query PROFILE search fusion", "instructions by name, scope, source or shape"},
    {NULL, "query PROFILE around NAME", "what feeds an instruction and what reads it"},
    {NULL, "query PROFILE layout-changes", "copies and transposes that only change a layout"},
    {NULL, "query PROFILE critical", "the longest chain of operations"},
    {"Time", NULL, NULL},
    {NULL, "overview TRACED", "where a step goes, what limits it, what would make it shorter"},
    {NULL, "overview TRACED --step=3", "... of one step"},
    {NULL, "steps TRACED --chip=slowest", "each step: compute, waits, idle time"},
    {NULL, "input TRACED", "whether steps wait for input, how long and for what"},
    {NULL, "trace TRACED", "where the time went, by operation"},
    {NULL, "trace TRACED --by=step", "... by step"},
    {NULL, "ops TRACED", "operations by time, against the roofline, with their sources"},
    {NULL, "ops TRACED --sort=lost", "... those with most time to save"},
    {NULL, "roofline TRACED", "the roofs of the device, and which operations are near them"},
    {NULL, "overlap TRACED --by=step", "how much communication hides under compute"},
    {NULL, "overlap TRACED --by=collective", "... and how much of each collective does not"},
    {NULL, "doctor TRACED --time", "what makes a run long, the most each change saves, in order"},
    {NULL, "export TRACED -o OUT", "the events as Chrome trace JSON, for Perfetto"},
};

static const char tail[] =
    "\nExit codes\n"
    "  0 fine; 1 a limit is broken, or a finding is at or above --fail-on; 2 wrong usage or a "
    "mistake\n"
    "  in one of xprofd's files (with line and column); 3 the input cannot be read or has no\n"
    "  program;\n"
    "  4 not checked, a number is missing (1 with --strict); 5 an internal error. Answers go to\n"
    "  stdout, messages to stderr.\n"
    "\nHow to work with it\n"
    "  1. doctor --json; take the first finding with saving_bytes > 0, read claim, advice, "
    "source.\n"
    "  2. Change the program, compile again (no accelerator needed), diff OLD NEW --json.\n"
    "  3. difference_bytes should match new_peak_bytes; otherwise look at groups.\n"
    "  For time: doctor --time --json; the first finding with saving_ps; its operations show "
    "where.\n  Correct wrong peaks first (T13). Record the change again, compare with check "
    "(step_ms).\n"
    "  not_judged lists what could not be checked; no findings does not prove there is no "
    "problem.\n"
    "\nThe same over HTTP: xprofd serve PROFILE, then GET /api/v1/... (docs/API.md).\n";

static int run(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--help") != 0 && strcmp(argv[1], "-h") != 0)
        return xpd_cli_usage("guide takes no arguments, not \"%.100s\"", argv[1]);
    if (argc > 1) {
        puts("usage: xprofd guide\nPrints one page: which command answers which question.");
        return XPD_EXIT_OK;
    }
    fputs(head, stdout);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char name[32];
        if (lines[i].title) {
            printf("\n%s\n", lines[i].title);
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)strcspn(lines[i].command, " "), lines[i].command);
        if (xpd_command_find(name)) /* this program may be built without it */
            printf("  xprofd %-34s # %s\n", lines[i].command, lines[i].answer);
    }
    fputs(tail, stdout);
    return XPD_EXIT_OK;
}

const struct xpd_command xpd_command_guide = {
    .name = "guide", .help = "which command answers which question, on one page", .run = run};
