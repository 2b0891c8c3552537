/* XProf's simulation of the chosen trace, event by event.
 *
 * In: the trace. Out: the two timelines, the spans, the peak, and the log of list entries from
 * which the peak's bars are made. XProf keeps a list of live ids and copies it at each new peak;
 * the order of its entries is the order they were appended in, so a log with removal steps says the
 * same in O(n). Its first error is kept as text; the rest is computed as if the event had not been.
 */
#include "xprof_work.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Chains of canonicals are walked as XProf does; after so many steps in all, they are shortened. */
#define HOPS_ALLOWED 20000000u

struct state {          /* of one buffer; together, since events jump from buffer to buffer */
    uint32_t canonical; /* + 1, 0 = itself */
    uint32_t refs;
    uint32_t last_entry; /* + 1, 0 = none */
    bool has_shown;
};

struct sim {
    struct xpd_xprof_work *w;
    struct xpd_xprof_memory *out;
    const struct xpd_hlo *hlo;
    struct state *state;
    bool *seen_allocation;
    uint32_t seen_allocations;
    int64_t heap, unpadded, peak, peak_unpadded;
    uint32_t step, last_step, hops;
};

static int64_t size_of(const struct sim *s, uint32_t buffer)
{
    return s->hlo->buffers.size_bytes[buffer];
}

/* Two's complement sums: a file with absurd sizes must not be undefined behaviour. */
static int64_t wrap_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t wrap_sub(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static uint32_t root_of(struct sim *s, uint32_t buffer)
{
    while (s->state[buffer].canonical != 0) {
        uint32_t next = s->state[buffer].canonical - 1;
        if (s->hops < HOPS_ALLOWED)
            s->hops++;
        else if (s->state[next].canonical != 0)
            s->state[buffer].canonical = s->state[next].canonical;
        buffer = next;
    }
    return buffer;
}

static void set_error(struct sim *s, const char *text)
{
    if (!s->out->error_text)
        s->out->error_text =
            xpd_arena_printf(s->w->arena, "Failed to process heap simulator trace: %s", text);
}

static void set_error_number(struct sim *s, const char *before, int64_t number, const char *after)
{
    char text[160];
    snprintf(text, sizeof text, "%s%" PRId64 "%s", before, number, after);
    set_error(s, text);
}

/* Appends to the list of live buffers and raises the heap. */
static void grow(struct sim *s, uint32_t buffer)
{
    struct xpd_xprof_entry *e = &s->w->entry[s->w->entry_count++];
    *e = (struct xpd_xprof_entry){
        .buffer = buffer, .step = s->step, .end = UINT32_MAX, .same = s->state[buffer].last_entry};
    s->state[buffer].last_entry = s->w->entry_count;
    s->heap = wrap_add(s->heap, size_of(s, buffer));
    s->unpadded = wrap_add(s->unpadded, s->w->mem->buffer[buffer].xprof_unpadded_bytes);
    if (s->heap > s->peak) {
        s->peak = s->heap;
        s->peak_unpadded = s->unpadded;
        s->out->peak_position = s->step;
    }
}

static void begin_span(struct sim *s, uint32_t buffer)
{
    s->w->span_start[buffer] = (int32_t)s->step;
    s->w->span_end[buffer] = (int32_t)s->last_step;
}

static void on_free(struct sim *s, uint32_t buffer)
{
    uint32_t root = root_of(s, buffer);
    if (s->state[root].refs == 0) {
        set_error_number(s, "Buffer ", s->hlo->buffers.id[buffer], "is freed multiple times.");
        return;
    }
    if (--s->state[root].refs == 0) {
        for (uint32_t e = s->state[root].last_entry; e != 0; e = s->w->entry[e - 1].same)
            s->w->entry[e - 1].end = s->step;
        s->state[root].last_entry = 0;
        s->heap = wrap_sub(s->heap, size_of(s, root));
        s->unpadded = wrap_sub(s->unpadded, s->w->mem->buffer[root].xprof_unpadded_bytes);
        if (s->heap < 0)
            set_error_number(s, "Heap size should be non-negative, but get: ", s->heap, "");
        if (s->w->span_start[root] >= 0 && !s->state[root].has_shown)
            s->w->span_end[root] = (int32_t)s->step;
    }
    if (s->w->span_start[buffer] >= 0 && s->state[buffer].canonical != 0)
        s->w->span_end[buffer] = (int32_t)s->step;
}

static void on_share(struct sim *s, uint32_t buffer, uint32_t event)
{
    uint32_t canonical = s->hlo->events.canonical[event];
    if (!xpd_xprof_has_record(s->w->mem, canonical))
        return;
    uint32_t root = root_of(s, canonical), at = canonical;
    while (at != buffer && s->state[at].canonical != 0) {
        at = s->state[at].canonical - 1;
        s->hops += s->hops < HOPS_ALLOWED;
    }
    if (at == buffer) {
        /* XProf would follow the ring for ever */
        set_error_number(s, "Buffer ", s->hlo->buffers.id[buffer], " shares with itself.");
        return;
    }
    s->state[buffer].canonical = canonical + 1;
    if (++s->state[root].refs != 1)
        return;
    s->state[root].has_shown = true;
    s->w->shown[s->w->shown_count++] =
        (struct xpd_xprof_shown){.step = s->step, .root = root, .buffer = buffer};
    begin_span(s, buffer);
    grow(s, root);
}

static void note_seen(struct sim *s, uint32_t buffer)
{
    uint32_t a = s->w->mem->buffer[buffer].allocation;
    s->seen_allocations += !s->seen_allocation[a];
    s->seen_allocation[a] = true;
}

static void push_point(struct sim *s, xpd_name_id name)
{
    uint32_t i = s->out->point_count++;
    s->out->heap_bytes[i] = s->heap;
    s->out->unpadded_heap_bytes[i] = s->unpadded;
    s->out->instruction_name[i] = name;
}

static void on_event(struct sim *s, uint32_t event)
{
    uint32_t buffer = s->hlo->events.buffer[event];
    push_point(s, s->hlo->events.instruction_name[event]);
    if (!xpd_xprof_has_record(s->w->mem, buffer))
        return;
    note_seen(s, buffer);
    switch (s->hlo->events.kind[event]) {
    case XPD_EVENT_ALLOC:
        s->state[root_of(s, buffer)].refs++;
        grow(s, buffer);
        begin_span(s, buffer);
        break;
    case XPD_EVENT_FREE: on_free(s, buffer); break;
    case XPD_EVENT_SHARE_WITH: on_share(s, buffer, event); break;
    default: set_error_number(s, "Unhandled event kind: ", s->hlo->events.kind[event], ""); break;
    }
}

static bool make_room(struct sim *s, uint32_t events)
{
    struct xpd_arena *arena = s->w->arena;
    uint32_t n = s->hlo->buffers.count, adds = 0, shares = 0;
    const struct xpd_hlo_trace *t = &s->hlo->trace[s->out->trace];
    for (uint32_t i = t->first; i < t->first + t->count; i++) {
        adds += s->hlo->events.kind[i] == XPD_EVENT_ALLOC ||
                s->hlo->events.kind[i] == XPD_EVENT_SHARE_WITH;
        shares += s->hlo->events.kind[i] == XPD_EVENT_SHARE_WITH;
    }
    s->out->heap_bytes = XPD_NEW_ARRAY(arena, int64_t, (size_t)events + 1);
    s->out->unpadded_heap_bytes = XPD_NEW_ARRAY(arena, int64_t, (size_t)events + 1);
    s->out->instruction_name = XPD_NEW_ARRAY(arena, xpd_name_id, (size_t)events + 1);
    s->w->entry = XPD_NEW_ARRAY(arena, struct xpd_xprof_entry, adds);
    s->w->shown = XPD_NEW_ARRAY(arena, struct xpd_xprof_shown, shares);
    s->state = XPD_NEW_ARRAY(arena, struct state, n);
    s->seen_allocation = XPD_NEW_ARRAY(arena, bool, s->hlo->allocation_count);
    return !arena->failed;
}

bool xpd_xprof_simulate(struct xpd_xprof_work *w, struct xpd_xprof_memory *out)
{
    struct sim s = {.w = w, .out = out, .hlo = w->mem->hlo};
    uint32_t n = s.hlo->buffers.count;
    w->span_start = XPD_NEW_ARRAY(w->arena, int32_t, n);
    w->span_end = XPD_NEW_ARRAY(w->arena, int32_t, n);
    if (!w->span_start || !w->span_end)
        return false;
    memset(w->span_start, 0xff, n * sizeof *w->span_start);
    if (out->trace == XPD_NO_INDEX)
        return true;
    const struct xpd_hlo_trace *trace = &s.hlo->trace[out->trace];
    if (!make_room(&s, trace->count))
        return false;
    s.last_step = trace->count - 1;
    for (s.step = 0; s.step < trace->count; s.step++)
        on_event(&s, trace->first + s.step);
    push_point(&s, 0);
    if (s.seen_allocations != 1)
        set_error_number(
            &s,
            "All heap simulation should work out of a single buffer allocation, actual "
            "seen_buffer_allocations.size():",
            s.seen_allocations, "");
    out->peak_bytes = s.peak;
    out->peak_unpadded_bytes = s.peak_unpadded;
    uint32_t spans = 0;
    for (uint32_t b = 0; b < n; b++)
        spans += w->span_start[b] >= 0;
    out->span = XPD_NEW_ARRAY(w->arena, struct xpd_xprof_span, spans);
    if (!out->span)
        return false;
    for (uint32_t b = 0; b < n; b++)
        if (w->span_start[b] >= 0)
            out->span[out->span_count++] = (struct xpd_xprof_span){
                .buffer = b, .start = w->span_start[b], .limit = w->span_end[b]};
    return true;
}
