/* What is wrong with an option, in words; what all commands share. */
#ifndef XPROFD_CLI_OPTION_CHECK_H
#define XPROFD_CLI_OPTION_CHECK_H

#include "xprofd/base/error.h"
#include "xprofd/base/str.h"

/* getopt_long, with ':' first in its letters, returned `got`, which is ':' or '?'. Always
 * XPD_EINVAL: the option by its name, and the nearest one that `help` (may be NULL) names. */
int xpd_cli_option_wrong(int got, char **argv, const char *help, struct xpd_err *err);

/* All commands read the same options: XPD_EINVAL for one that the help of this command does not
 * name, as it would be taken and do nothing. Its beginning is enough, as for getopt. */
int xpd_cli_options_belong(const char *help, int argc, char **argv, struct xpd_err *err);

/* Whether a word is likely a slip of the keyboard for another: one letter off, two in words above
 * five. */
bool xpd_cli_looks_like(struct xpd_str typed, struct xpd_str word);

#endif
