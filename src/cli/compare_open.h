/* Two profiles opened for a comparison. */
#ifndef XPROFD_CLI_COMPARE_OPEN_H
#define XPROFD_CLI_COMPARE_OPEN_H

#include "profile_args.h"
#include "xprofd/tools/compare.h"

struct xpd_cli_pair {
    struct xpd_cli_profile profile[2];
    struct xpd_tool_ctx ctx[2]; /* before, after */
    struct xpd_arena arena;
};
/* args->path is before, args->path2 after. */
int xpd_cli_pair_open(struct xpd_cli_pair *pair, const struct xpd_profile_args *args,
                      struct xpd_err *err);
void xpd_cli_pair_close(struct xpd_cli_pair *pair); /* legal on a zeroed pair */

/* One program of an opened profile, for the functions of the tools. */
int xpd_cli_context(struct xpd_tool_ctx *ctx, const struct xpd_cli_profile *profile,
                    const struct xpd_profile_args *args, struct xpd_arena *arena,
                    struct xpd_err *err);

#endif
