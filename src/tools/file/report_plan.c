/* The table of report_plan.def. */
#include "report_plan.h"

#define ASK(turn, each, route, query, any, holds) {turn, XPD_EACH_##each, route, query, any, holds},
static const struct xpd_ask plan[] = {
#include "report_plan.def"
};
#undef ASK

const struct xpd_ask *xpd_report_plan(uint32_t *count)
{
    *count = sizeof plan / sizeof *plan;
    return plan;
}
