/* xprofd: runs the command and exits with its code. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "xprofd/cli/command.h"

/* `xprofd help`, `xprofd help COMMAND`: what --help says. A folder of that name is ./help. */
static int help(const char *name)
{
    const struct xpd_command *command = xpd_command_find(name ? name : "serve");
    if (!command)
        return xpd_cli_usage("unknown command \"%.60s\"", name);
    char first[32], second[] = "--help";
    snprintf(first, sizeof first, "%s", command->name);
    char *argv[] = {first, second, NULL};
    return command->run(2, argv);
}

static int run(int argc, char **argv)
{
    const struct xpd_command *command = argc > 1 ? xpd_command_find(argv[1]) : NULL;
    if (argc > 1 && strcmp(argv[1], "help") == 0)
        return help(argc > 2 ? argv[2] : NULL);
    if (command && strcmp(command->name, "serve") != 0) {
        signal(SIGPIPE, SIG_DFL); /* `xprofd hlo ... | head` ends as any filter does, in silence */
        return command->run(argc - 1, argv + 1);
    }
    signal(SIGPIPE, SIG_IGN); /* a client that went away is not our end */
    return command ? command->run(argc - 1, argv + 1) : xpd_command_find("serve")->run(argc, argv);
}

int main(int argc, char **argv)
{
    int rc = run(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && rc == XPD_EXIT_OK) {
        fprintf(stderr, "xprofd: the answer cannot be written: %s\n", strerror(errno));
        rc = XPD_EXIT_INTERNAL;
    }
    return rc;
}
