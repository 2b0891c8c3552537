/* xprofd: picks the command and ends the process with what it returns. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "xprofd/cli/command.h"

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a client that went away is not our end */
    const struct xpd_command *command = argc > 1 ? xpd_command_find(argv[1]) : NULL;
    int rc =
        command ? command->run(argc - 1, argv + 1) : xpd_command_find("serve")->run(argc, argv);
    if (fflush(stdout) != 0 && rc == XPD_EXIT_OK)
        rc = XPD_EXIT_INTERNAL;
    return rc;
}
