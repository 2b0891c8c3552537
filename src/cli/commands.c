/* The table of commands and what all of them share. */
#include "xprofd/cli/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define COMMAND(symbol) extern const struct xpd_command symbol;
#include "commands.def"
#undef COMMAND

#define COMMAND(symbol) &symbol,
static const struct xpd_command *const commands[] = {
#include "commands.def"
};
#undef COMMAND

const struct xpd_command *const *xpd_commands(uint32_t *count)
{
    *count = sizeof commands / sizeof *commands;
    return commands;
}

const struct xpd_command *xpd_command_find(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

bool xpd_cli_size(const char *text, int64_t *bytes)
{
    return xpd_str_to_bytes(xpd_str_of(text), bytes);
}

bool xpd_cli_number(const char *text, int64_t min, int64_t max, int64_t *value)
{
    return xpd_str_to_i64(xpd_str_of(text), value) && *value >= min && *value <= max;
}

int xpd_cli_usage(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fputs("xprofd: ", stderr);
    vfprintf(stderr, fmt, args);
    fputs("\nxprofd: see xprofd --help\n", stderr);
    va_end(args);
    return XPD_EXIT_USAGE;
}
