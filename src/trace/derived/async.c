/* The wait at the end of an asynchronous operation.
 *
 * In: a derived event that stands for a start and a done. Out: how long the done took, which is
 * what the core waited, and how much of the whole that is. */
#include "xprofd/trace/async.h"

#include "xprofd/base/checked.h"

const char *xpd_hidden_word(enum xpd_hidden hidden)
{
    static const char *const word[] = {"fully", "partly", "exposed"};
    return word[hidden];
}

enum xpd_hidden xpd_hidden_of(int64_t wait_ps, int64_t whole_ps)
{
    if (wait_ps <= 0 || wait_ps < whole_ps / 100)
        return XPD_HIDDEN_FULLY;
    return wait_ps >= whole_ps - whole_ps / 100 ? XPD_HIDDEN_NOT : XPD_HIDDEN_PARTLY;
}

bool xpd_async_pair_of(const struct xpd_view *view, const struct xpd_event *event,
                       struct xpd_async_pair *pair)
{
    if (!view->derived || event->number < view->trace->event_count)
        return false;
    struct xpd_derived_fact fact = xpd_derived_fact_of(view->derived, event->number);
    if (fact.event == fact.event2 || !xpd_view_event(view, fact.event, &pair->start) ||
        !xpd_view_event(view, fact.event2, &pair->done))
        return false;
    bool overflow = false;
    int64_t end_ps = event->start_ps + event->duration_ps;
    int64_t drawn_ps = xpd_add_i64(end_ps, -pair->done.start_ps, &overflow);
    pair->drawn_wait_ps = overflow || drawn_ps > event->duration_ps ? event->duration_ps
                          : drawn_ps < 0                            ? 0
                                                                    : drawn_ps;
    int64_t device_ps = xpd_view_device_ps(view, &pair->done);
    bool device = device_ps >= 0 && fact.device_ps >= 0;
    pair->clock = device ? XPD_CLOCK_DEVICE : XPD_CLOCK_HOST;
    pair->whole_ps = device ? fact.device_ps : event->duration_ps;
    pair->wait_ps = device ? device_ps : pair->drawn_wait_ps;
    if (pair->wait_ps > pair->whole_ps)
        pair->wait_ps = pair->whole_ps;
    pair->hidden = xpd_hidden_of(pair->wait_ps, pair->whole_ps);
    return true;
}

static bool ends_name(char c)
{
    return c == ')' || c == ',' || c == '%' || c == '/' || c == ' ';
}

struct xpd_str xpd_async_start_name(struct xpd_str hlo_text)
{
    size_t done = xpd_str_find(hlo_text, XPD_STR("-done("), false);
    if (done == SIZE_MAX)
        return XPD_STR("");
    struct xpd_str rest = {hlo_text.data + done, hlo_text.size - done};
    size_t sign = xpd_str_find(rest, XPD_STR("%"), false);
    if (sign == SIZE_MAX)
        return XPD_STR("");
    struct xpd_str name = {rest.data + sign + 1, 0};
    while (sign + 1 + name.size < rest.size && !ends_name(name.data[name.size]))
        name.size++;
    return xpd_str_find(name, XPD_STR("-start"), false) == SIZE_MAX ? XPD_STR("") : name;
}
