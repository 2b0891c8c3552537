/* xprofd memory --over-time: memory in use by the runtime's allocators along a run. */
#ifndef XPROFD_CLI_OVER_TIME_H
#define XPROFD_CLI_OVER_TIME_H

#include "profile_args.h"

/* Text, JSON or CSV to stdout. *code: 1 when --fail-on-leak was given and an allocator leaks. */
int xpd_over_time_print(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                        int *code, struct xpd_err *err);

#endif
