/* What the routes that read runs take alike: XProf opens any folder that a request names. */
#include "compat.h"

#define NO_OTHER_FOLDER "a request opens no other folder; start xprofd with it"

const struct xpd_param_spec xpd_compat_params[] = {
    {.name = "session_path", .type = XPD_PARAM_REFUSED, .help = NO_OTHER_FOLDER},
    {.name = "run_path", .type = XPD_PARAM_REFUSED, .help = NO_OTHER_FOLDER},
    {.name = NULL},
};

bool xpd_compat_flag(const struct xpd_tool_ctx *ctx, const char *name)
{
    struct xpd_str text = xpd_param_text(ctx, name);
    bool yes = text.size == 4;
    for (size_t i = 0; yes && i < text.size; i++)
        yes = (text.data[i] | 0x20) == "true"[i];
    return yes;
}
