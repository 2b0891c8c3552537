/* The table of XProf's routes: a path in, the tool that answers it out. */
#include "xprofd/compat/routes.h"

#define ROUTE(symbol) extern const struct xpd_tool symbol;
#include "routes.def"
#undef ROUTE

#define ROUTE(symbol) &symbol,
static const struct xpd_tool *const routes[] = {
#include "routes.def"
};
#undef ROUTE

const struct xpd_tool *const *xpd_compat_routes(uint32_t *count)
{
    *count = sizeof routes / sizeof *routes;
    return routes;
}

const struct xpd_tool *xpd_compat_find(struct xpd_str path)
{
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (xpd_str_eq(path, xpd_str_of(routes[i]->route)))
            return routes[i];
    return NULL;
}
