/* Answers that are an error in words of their own. */
#ifndef XPROFD_CLI_REFUSED_H
#define XPROFD_CLI_REFUSED_H

#include "profile_args.h"
#include "xprofd/json/reader.h"

/* XPD_OK for any other answer (also NULL), else XPD_ENOTFOUND with its message and the nearest
 * names. */
int xpd_cli_refused(const struct xpd_json *answer, const char *where, struct xpd_err *err);

/* Nothing is called args->node: adds the nearest names to *err where there are some. Always
 * XPD_ENOTFOUND. */
int xpd_cli_no_node(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                    const char *module, struct xpd_err *err);

#endif
