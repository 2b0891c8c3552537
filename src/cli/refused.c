/* The nearest names of a node that is not there: the tool that is asked for it names them. */
#include "refused.h"

static int ignore(void *self, const struct xpd_record *record, const void *answer,
                  struct xpd_err *err)
{
    (void)self, (void)record, (void)answer, (void)err;
    return XPD_OK;
}

int xpd_cli_no_node(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                    const char *module, struct xpd_err *err)
{
    struct xpd_err other = {0};
    struct xpd_param node = {XPD_STR("node"), xpd_str_of(args->node)};
    if (xpd_cli_use(profile, args, "/api/v1/graph/near", module, &node, 1, ignore, NULL, &other) ==
        XPD_ENOTFOUND)
        xpd_fail(err, XPD_ENOTFOUND, "--node", XPD_NO_OFFSET, "%s", other.text);
    return XPD_ENOTFOUND;
}
