/* What the routes that read runs take alike: XProf opens any folder that a request names. */
#include "compat.h"

#define NO_OTHER_FOLDER "a request opens no other folder; start xprofd with it"

const struct xpd_param_spec xpd_compat_params[] = {
    {.name = "session_path", .type = XPD_PARAM_REFUSED, .help = NO_OTHER_FOLDER},
    {.name = "run_path", .type = XPD_PARAM_REFUSED, .help = NO_OTHER_FOLDER},
    {.name = NULL},
};
