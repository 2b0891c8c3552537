/* What a word of the command line says: sizes, numbers, and the refusal of one that says nothing.
 */
#include "xprofd/cli/command.h"

#include <stdarg.h>
#include <stdio.h>

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
