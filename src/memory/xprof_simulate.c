/* XProf's simulation of the chosen trace, event by event.
 *
 * In: the trace. Out: the two timelines, the spans, the peak, and the log of list entries from
 * which the peak's bars are made. XProf keeps a list of live ids and copies it at each new peak;
 * the order of its entries is the order they were appended in, so a log with removal steps says the
 * same in O(n). Its first error is kept as text; the rest is computed as if the event had not been.
 */
#include "xprof_work.h"
#include "xprofd/base/checked.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The order in which XProf's unstable sort leaves equal sizes.
 *
 * In: bar indexes in program order. Out: largest first. GNU's introspective sort: quicksort on the
 * median of the second, middle and last moved to the front, ranges of 16 or fewer left to one
 * insertion sort at the end, heap sort below a depth of 2 log2(n). Recursion is at most that deep.
 */

struct sorter {
    const struct xpd_xprof_bar *bar;
    uint32_t *v;
};

static bool less(const struct sorter *s, uint32_t a, uint32_t b)
{
    return s->bar[a].size_bytes > s->bar[b].size_bytes;
}

static void swap(uint32_t *v, uint32_t i, uint32_t j)
{
    uint32_t x = v[i];
    v[i] = v[j];
    v[j] = x;
}

/* Puts x into the heap v[a .. a + n) whose place `hole` is free. */
static void sift(const struct sorter *s, uint32_t *h, uint32_t hole, uint32_t n, uint32_t x)
{
    uint32_t top = hole, child = hole;
    while (child < (n - 1) / 2) {
        child = 2 * (child + 1);
        if (less(s, h[child], h[child - 1]))
            child--;
        h[hole] = h[child];
        hole = child;
    }
    if (n % 2 == 0 && n >= 2 && child == (n - 2) / 2) {
        child = 2 * (child + 1);
        h[hole] = h[child - 1];
        hole = child - 1;
    }
    while (hole > top && less(s, h[(hole - 1) / 2], x)) {
        h[hole] = h[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    h[hole] = x;
}

static void heap_sort(const struct sorter *s, uint32_t a, uint32_t b)
{
    uint32_t *h = s->v + a, n = b - a;
    for (uint32_t p = (n - 2) / 2 + 1; p-- > 0;)
        sift(s, h, p, n, h[p]);
    while (n > 1) {
        n--;
        uint32_t x = h[n];
        h[n] = h[0];
        sift(s, h, 0, n, x);
    }
}

static void median_to_front(const struct sorter *s, uint32_t a, uint32_t b)
{
    uint32_t x = a + 1, y = a + (b - a) / 2, z = b - 1, m;
    const uint32_t *v = s->v;
    if (less(s, v[x], v[y]))
        m = less(s, v[y], v[z]) ? y : less(s, v[x], v[z]) ? z : x;
    else
        m = less(s, v[x], v[z]) ? x : less(s, v[y], v[z]) ? z : y;
    swap(s->v, a, m);
}

static void loop(const struct sorter *s, uint32_t a, uint32_t b, uint32_t depth)
{
    while (b - a > 16) {
        if (depth-- == 0) {
            heap_sort(s, a, b);
            return;
        }
        median_to_front(s, a, b);
        uint32_t i = a + 1, j = b;
        for (;;) {
            while (less(s, s->v[i], s->v[a]))
                i++;
            j--;
            while (less(s, s->v[a], s->v[j]))
                j--;
            if (i >= j)
                break;
            swap(s->v, i, j);
            i++;
        }
        loop(s, i, b, depth);
        b = i;
    }
}

static void insert_linear(const struct sorter *s, uint32_t i)
{
    uint32_t x = s->v[i];
    while (i > 0 && less(s, x, s->v[i - 1])) {
        s->v[i] = s->v[i - 1];
        i--;
    }
    s->v[i] = x;
}

void xpd_xprof_sort_by_size(const struct xpd_xprof_bar *bar, uint32_t *order, uint32_t count)
{
    struct sorter s = {.bar = bar, .v = order};
    uint32_t depth = 0;
    if (count < 2)
        return;
    while (count >> (depth + 1))
        depth++;
    loop(&s, 0, count, 2 * depth);
    for (uint32_t i = 1; i < count; i++)
        insert_linear(&s, i);
}

/* Records, the choice of the trace and the sums of XProf 2.24.
 *
 * In: an analysis and a colour. Out: struct xpd_xprof_work filled up to the simulation, and the
 * sums. A record exists for a buffer that lies in some allocation and whose instruction is known.
 * Sums wrap nowhere: they are checked and saturate. */

bool xpd_xprof_has_record(const struct xpd_mem *mem, uint32_t buffer)
{
    return buffer != XPD_NO_INDEX && mem->buffer[buffer].instruction != XPD_NO_INDEX &&
           mem->buffer[buffer].allocation != XPD_NO_INDEX;
}

/* Traces by their first event's buffer; later traces win. */
static void link_traces(struct xpd_xprof_work *w)
{
    const struct xpd_hlo *hlo = w->mem->hlo;
    for (uint32_t a = 0; a < hlo->allocation_count; a++)
        w->trace_of[a] = XPD_NO_INDEX;
    for (uint32_t t = 0; t < hlo->trace_count; t++) {
        if (hlo->trace[t].count == 0)
            continue;
        uint32_t buffer = hlo->events.buffer[hlo->trace[t].first];
        if (xpd_xprof_has_record(w->mem, buffer))
            w->trace_of[w->mem->buffer[buffer].allocation] = t;
    }
}

static uint32_t choose_trace(const struct xpd_xprof_work *w)
{
    const struct xpd_hlo *hlo = w->mem->hlo;
    for (uint32_t i = 0; i < w->allocation_count; i++)
        if (!xpd_mem_indefinite(hlo->allocation[w->allocation[i]].flags) &&
            w->trace_of[w->allocation[i]] != XPD_NO_INDEX)
            return w->trace_of[w->allocation[i]];
    uint32_t best = XPD_NO_INDEX, most = 0;
    for (uint32_t t = 0; t < hlo->trace_count; t++) {
        uint32_t count = 0;
        for (uint32_t i = hlo->trace[t].first; i < hlo->trace[t].first + hlo->trace[t].count; i++) {
            uint32_t buffer = hlo->events.buffer[i];
            count += xpd_xprof_has_record(w->mem, buffer) && hlo->buffers.color[buffer] == w->color;
        }
        if (count > most) {
            most = count;
            best = t;
        }
    }
    return best;
}

static void add_to(int64_t *sum, int64_t bytes)
{
    bool overflow = false;
    *sum = xpd_add_i64(*sum, bytes, &overflow);
}

static void sum_allocations(struct xpd_xprof_work *w, struct xpd_xprof_memory *out)
{
    const struct xpd_hlo *hlo = w->mem->hlo;
    for (uint32_t i = 0; i < w->allocation_count; i++) {
        const struct xpd_hlo_allocation *a = &hlo->allocation[w->allocation[i]];
        if (a->flags & XPD_ALLOC_PARAMETER)
            add_to(&out->parameter_bytes, a->size_bytes);
        if (a->flags & (XPD_ALLOC_THREAD_LOCAL | XPD_ALLOC_TUPLE))
            add_to(&out->non_reusable_bytes, a->size_bytes);
        if (a->flags & XPD_ALLOC_LIVE_OUT)
            add_to(&out->live_out_bytes, a->size_bytes);
        if (a->flags & XPD_ALLOC_THREAD_LOCAL)
            continue;
        add_to(&out->total_bytes, a->size_bytes);
        if (!xpd_mem_indefinite(a->flags))
            continue;
        add_to(&out->indefinite_total_bytes, a->size_bytes);
        out->indefinite[out->indefinite_count++] = w->allocation[i];
    }
}

static void find_scoped(const struct xpd_xprof_work *w, struct xpd_xprof_memory *out)
{
    const struct xpd_hlo *hlo = w->mem->hlo;
    out->scoped_instruction = XPD_NO_INDEX;
    for (uint32_t i = 0; w->color == 1 && i < hlo->scoped_count; i++)
        if (hlo->scoped[i].memory_space == 1 && hlo->scoped[i].size_bytes > out->scoped_bytes) {
            out->scoped_bytes = hlo->scoped[i].size_bytes;
            out->scoped_instruction = hlo->scoped[i].instruction;
        }
}

bool xpd_xprof_prepare(struct xpd_xprof_work *w, struct xpd_xprof_memory *out)
{
    const struct xpd_hlo *hlo = w->mem->hlo;
    w->trace_of = XPD_NEW_ARRAY(w->arena, uint32_t, hlo->allocation_count);
    w->allocation = XPD_NEW_ARRAY(w->arena, uint32_t, hlo->allocation_count);
    out->indefinite = XPD_NEW_ARRAY(w->arena, uint32_t, hlo->allocation_count);
    if (!w->trace_of || !w->allocation || !out->indefinite)
        return false;
    for (uint32_t k = 0; k < hlo->allocation_count; k++)
        if (hlo->allocation[w->mem->allocation_order[k]].color == w->color)
            w->allocation[w->allocation_count++] = w->mem->allocation_order[k];
    link_traces(w);
    out->trace = choose_trace(w);
    sum_allocations(w, out);
    find_scoped(w, out);
    return true;
}

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
