/* Answers that are an error: of a node that is not there, with the nearest names. */
#include "refused.h"

#include "profile_args.h"

#include <string.h>

int xpd_cli_refused(const struct xpd_json *answer, const char *where, struct xpd_err *err)
{
    const struct xpd_json *error = xpd_json_member(answer, "error");
    const char *message = xpd_json_to_text(xpd_json_member(error, "message"));
    const struct xpd_json *near = xpd_json_member(error, "nearest");
    char names[256] = "";
    if (!message)
        return XPD_OK;
    for (size_t k = 0; k < xpd_json_count(near); k++) {
        const char *name = xpd_json_to_text(xpd_json_member(xpd_json_item(near, k), "name"));
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%.60s",
                 k ? ", " : " Nearest: ", name ? name : "");
    }
    return xpd_fail(err, XPD_ENOTFOUND, where, XPD_NO_OFFSET, "%s%s", message, names);
}

int xpd_cli_no_node(const struct xpd_cli_profile *profile, const struct xpd_profile_args *args,
                    const char *module, struct xpd_err *err)
{
    struct xpd_strbuf body = {0};
    struct xpd_err other = {0};
    struct xpd_param node = {XPD_STR("node"), xpd_str_of(args->node)};
    if (xpd_cli_call(profile, args, "/api/v1/graph/near", module, -1, &node, 1, &body, &other) ==
        XPD_OK) {
        struct xpd_json *answer = xpd_json_parse_answer((struct xpd_str){body.data, body.size});
        xpd_cli_refused(answer, "--node", err);
        xpd_json_free(answer);
    }
    xpd_strbuf_fini(&body);
    return XPD_ENOTFOUND;
}
