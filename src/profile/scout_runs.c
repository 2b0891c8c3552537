/* What the scout leaves for the pass: runs of events by line, under a lock. */
#include "scout.h"

bool xpd_scout_init(struct xpd_scout *scout, const struct xpd_source *source)
{
    *scout = (struct xpd_scout){.source = source};
    return pthread_mutex_init(&scout->lock, NULL) == 0;
}

void xpd_scout_fini(struct xpd_scout *scout)
{
    pthread_mutex_destroy(&scout->lock);
    xpd_map64_fini(&scout->run_of);
    XPD_VEC_FINI(&scout->run);
}

bool xpd_scout_ask(struct xpd_scout *scout, uint64_t line, uint64_t from, struct xpd_event_run *run)
{
    pthread_mutex_lock(&scout->lock);
    uint32_t at = xpd_map64_get(&scout->run_of, line);
    bool known = at != XPD_NO_INDEX;
    if (known)
        *run = scout->run.at[at];
    pthread_mutex_unlock(&scout->lock);
    return known && run->from == from;
}

void xpd_scout_leave(struct xpd_scout *scout, uint64_t line, const struct xpd_event_run *run)
{
    pthread_mutex_lock(&scout->lock);
    uint32_t at = (uint32_t)scout->run.count;
    XPD_PUSH(&scout->run, *run);
    if (!scout->run.failed)
        xpd_map64_put(&scout->run_of, line, at);
    pthread_mutex_unlock(&scout->lock);
}
