/* A command of the program: `xprofd <name> ...`. One file in src/cli/ and one line in
 * src/cli/commands.def each. */
#ifndef XPROFD_CLI_COMMAND_H
#define XPROFD_CLI_COMMAND_H

#include "xprofd/base/str.h"
#include "xprofd/cli/exit_codes.h"

struct xpd_command {
    const char *name;
    const char *help; /* one line for `xprofd --help` */
    /* argv[0] is the name of the command. Returns enum xpd_exit. */
    int (*run)(int argc, char **argv);
};

/* The list of commands.def. */
const struct xpd_command *const *xpd_commands(uint32_t *count);
const struct xpd_command *xpd_command_find(const char *name);
/* The command whose name differs by one typing mistake, or NULL. */
const struct xpd_command *xpd_command_near(const char *name);

/* "512", "64K", "1.5G", "16GiB": bytes, powers of 1024. False for anything else and on
 * overflow. */
bool xpd_cli_size(const char *text, int64_t *bytes);
/* The whole text as a number from min to max. */
bool xpd_cli_number(const char *text, int64_t min, int64_t max, int64_t *value);
/* "xprofd: text" on stderr, then XPD_EXIT_USAGE with a pointer to --help. */
int xpd_cli_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
