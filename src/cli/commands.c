/* The table of commands. */
#include "options.h"
#include "xprofd/cli/command.h"

#include <string.h>

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

const struct xpd_command *xpd_command_near(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (xpd_cli_looks_like(xpd_str_of(name), xpd_str_of(commands[i]->name)))
            return commands[i];
    return NULL;
}
