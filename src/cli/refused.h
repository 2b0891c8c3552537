/* An error about a node that is not there, with the names nearest to it. */
#ifndef XPROFD_CLI_REFUSED_H
#define XPROFD_CLI_REFUSED_H

#include "profile_args.h"

/* Nothing is called args->node: adds the nearest names to *err where there are some. Always
 * XPD_ENOTFOUND. */
int xpd_cli_no_node(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                    const char *module, struct xpd_err *err);

#endif
