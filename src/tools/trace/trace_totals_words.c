/* What groups of totals are called, and what they are sorted by. */
#include "trace_totals.h"

static double per_second(double amount, int64_t duration_ps)
{
    return amount >= 0 && duration_ps > 0 ? amount / ((double)duration_ps * 1e-12) : -1;
}

double xpd_totals_value(const struct xpd_total *total, enum xpd_totals_sort sort)
{
    switch (sort) {
    case XPD_ORDER_SELF: return (double)total->self_ps;
    case XPD_ORDER_TOTAL: return (double)total->total_ps;
    case XPD_ORDER_COUNT: return (double)total->count;
    case XPD_ORDER_MEAN: return (double)total->total_ps / (double)total->count;
    case XPD_ORDER_MIN: return (double)total->min_ps;
    case XPD_ORDER_P50: return (double)total->p50_ps;
    case XPD_ORDER_P99: return (double)total->p99_ps;
    case XPD_ORDER_MAX: return (double)total->max_ps;
    case XPD_ORDER_HOST: return (double)total->host_ps;
    case XPD_ORDER_DEVICE: return (double)total->device_ps;
    case XPD_ORDER_FLOPS: return per_second(total->flops, total->total_ps);
    case XPD_ORDER_BYTES: return per_second(total->bytes, total->total_ps);
    case XPD_ORDER_FIRST: return -(double)total->first_event;
    }
    return 0;
}

struct xpd_str xpd_totals_key_text(const struct xpd_totals_answer *answer,
                                   const struct xpd_total *total)
{
    const struct xpd_view *view = &answer->call->view;
    const struct xpd_derived *derived = view->derived;
    if (total->key == XPD_NO_INDEX)
        return XPD_STR("");
    switch (answer->ask.by) {
    case XPD_BY_NAME: return xpd_view_caption(view, total->key);
    case XPD_BY_CATEGORY:
        return xpd_view_text(view, total->key, xpd_view_name(view, total->key)->category);
    case XPD_BY_MODULE:
        return xpd_view_name(view, total->key)->program != 0
                   ? xpd_view_text(view, total->key, xpd_view_name(view, total->key)->program)
                   : xpd_view_caption(view, total->key);
    case XPD_BY_STEP: return xpd_intern_get(&derived->names, derived->step[total->key].name);
    case XPD_BY_CHIP: return xpd_tools_process_name(view, total->key);
    case XPD_BY_ROW: return xpd_view_row_caption(view, total->key);
    case XPD_BY_ENTRY: break;
    }
    return XPD_STR("");
}

static const struct xpd_event_name *name_of(const struct xpd_totals_answer *answer,
                                            const struct xpd_total *total)
{
    bool is_name = answer->ask.by <= XPD_BY_MODULE && total->key != XPD_NO_INDEX;
    return is_name ? xpd_view_name(&answer->call->view, total->key) : NULL;
}

struct xpd_str xpd_totals_name_text(const struct xpd_totals_answer *answer,
                                    const struct xpd_total *total, bool category)
{
    const struct xpd_event_name *name = name_of(answer, total);
    if (!name || answer->ask.by != XPD_BY_NAME)
        return XPD_STR("");
    return xpd_view_text(&answer->call->view, total->key,
                         category ? name->category : name->program);
}

const char *xpd_totals_group_word(const struct xpd_totals_answer *answer,
                                  const struct xpd_total *total)
{
    const struct xpd_event_name *name = name_of(answer, total);
    return name && answer->ask.by != XPD_BY_MODULE ? xpd_op_group_word(name->group) : NULL;
}

bool xpd_totals_waits(const struct xpd_totals_answer *answer, const struct xpd_total *total)
{
    const struct xpd_event_name *name = name_of(answer, total);
    return name && answer->ask.by == XPD_BY_NAME && name->wait;
}
