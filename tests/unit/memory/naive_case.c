#include "naive_case.h"

#include <string.h>

static void put_values(struct hb *hb, const struct naive *n)
{
    for (int v = 0; v < n->values; v++)
        hb_buffer(hb, v, n->value[v].size, n->value[v].unpadded, n->value[v].space);
    for (int s = 0; s < NAIVE_SPACES; s++) {
        hb_alloc_begin(hb, &(struct hb_alloc){.index = s, .size = NAIVE_BYTES, .color = s});
        for (int v = 0; v < n->values; v++)
            if (n->value[v].space == s)
                hb_assign(hb, v, n->value[v].offset, n->value[v].size);
        hb_alloc_end(hb);
    }
}

/* One heap trace, or two. */
static void put_events(struct hb *hb, const struct naive *n)
{
    static const char kinds[] = "AFS"; /* in the order of enum hb_event_kind */
    for (int e = 0; e < n->events; e++) {
        if (e == 0 || e == n->lane_starts)
            hb_trace_begin(hb);
        hb_event(hb, (enum hb_event_kind)(strchr(kinds, n->event[e].kind) - kinds),
                 n->event[e].value, "main", "op", n->event[e].with);
        if (e + 1 == n->events || e + 1 == n->lane_starts)
            hb_trace_end(hb, true, 0);
    }
}

void naive_open(struct naive *n, struct mem_case *c, uint32_t seed, bool damage)
{
    struct hb hb;
    naive_make(n, (uint64_t)seed * 2 + damage, damage);
    naive_run(n);
    hb_init(&hb, "random");
    put_values(&hb, n);
    put_events(&hb, n);
    mem_open_builder(c, &hb);
}
