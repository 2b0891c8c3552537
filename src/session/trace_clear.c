/* Frees the parts of a run. */
#include "session_internal.h"

#include <stdlib.h>

void xpd_args_free(struct xpd_args_slot *args)
{
    xpd_arg_hits_free(args->hits);
    free(args->key);
    free(args);
}

static void clear_args(struct xpd_trace_slot *trace)
{
    while (trace->args) {
        struct xpd_args_slot *args = trace->args;
        trace->args = args->next;
        xpd_args_free(args);
    }
}

static void clear_made(struct xpd_trace_slot *trace)
{
    while (trace->made) {
        struct xpd_made *made = trace->made;
        trace->made = made->next;
        made->kind->free(made->at);
        free(made);
    }
}

void xpd_trace_jobs_stop(struct xpd_run_slot *slot)
{
    if (slot->state == XPD_SLOT_READY)
        for (uint32_t i = 0; i < slot->run.host_count; i++)
            atomic_store(&slot->trace[i].progress.stop, true);
}

void xpd_trace_slots_clear(struct xpd_run_slot *slot)
{
    /* All hosts together first: they borrow from each. */
    for (uint32_t i = slot->run.host_count + 1; slot->trace && i-- > 0;) {
        clear_args(&slot->trace[i]);
        clear_made(&slot->trace[i]);
    }
    slot->trace = NULL;
}
