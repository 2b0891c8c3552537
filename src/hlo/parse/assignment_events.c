/* Heap events from live ranges, in the order in which XLA's heap simulator meets them.
 *
 * In: the values of one temporary allocation with their ranges. Out: ALLOC and FREE of each, or
 * SHARE_WITH where a value begins at the offset of one that still lives. At one step values begin,
 * in order of (first, last, id), before others end in that same order. Tuples of pointers are
 * allocated beside the heap and have no events. */
#include "assignment_internal.h"
#include "xprofd/hlo/module.h"

struct order { /* of one value's end of life */
    int64_t first, last, id;
    uint32_t value;
};

static int by_first(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->last != y->last)
        return x->last < y->last ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static int by_last(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    return x->last != y->last ? (x->last < y->last ? -1 : 1) : by_first(a, b);
}

static int by_first_and_id(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    return x->first != y->first ? (x->first < y->first ? -1 : 1)
                                : (x->id > y->id) - (x->id < y->id);
}

static int by_last_and_id(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    return x->last != y->last ? (x->last < y->last ? -1 : 1) : (x->id > y->id) - (x->id < y->id);
}

struct holding { /* who holds an offset */
    struct xpd_map64 at;
    uint32_t *root; /* by value, less the allocation's first: whose storage it is in */
    bool *written;  /* so too: it has events */
    uint32_t first;
    bool planned;
};

/* The fast memory of a TPU (color 1) is planned by another pass: each value is written as an
 * allocation of its own, also one that takes over its operand's place; a view of what lies there
 * and a value that nobody reads are not written. At one step the order is that of the ids. */
static bool is_planned(const struct xpd_said_allocation *of)
{
    return (of->flags & XPD_SAYS_PAGE) && of->color == 1;
}

static void push(struct xpd_assignment *a, uint8_t kind, uint32_t value, uint32_t canonical)
{
    struct xpd_said_event event = {kind, value, canonical};
    XPD_PUSH(&a->event, event);
}

static void begin(struct xpd_assignment *a, struct holding *h, uint32_t value)
{
    const struct xpd_said_value *v = &a->value.at[value];
    uint32_t there = xpd_map64_get(&h->at, (uint64_t)v->offset_bytes);
    const struct xpd_said_value *holder = there == XPD_NO_INDEX ? NULL : &a->value.at[there];
    bool lives = holder && holder->last >= v->first;
    uint32_t root = lives ? h->root[there - h->first] : value;
    h->root[value - h->first] = root;
    if (h->planned && (v->is_view || (lives && v->first == v->last)))
        return;
    h->written[value - h->first] = true;
    if (lives && !h->planned)
        push(a, XPD_EVENT_SHARE_WITH, value, root);
    else
        push(a, XPD_EVENT_ALLOC, value, XPD_NO_INDEX);
    if (lives) {
        XPD_PUSH(&a->shares, value);
        XPD_PUSH(&a->shares, root);
    }
    if (!lives || holder->last <= v->last)
        xpd_map64_put(&h->at, (uint64_t)v->offset_bytes, value);
}

static void merge(struct xpd_assignment *a, struct holding *h, struct order *begins,
                  struct order *ends, size_t count)
{
    size_t b = 0;
    qsort(begins, count, sizeof *begins, h->planned ? by_first_and_id : by_first);
    qsort(ends, count, sizeof *ends, h->planned ? by_last_and_id : by_last);
    for (size_t e = 0; e < count; e++) {
        for (; b < count && begins[b].first <= ends[e].last; b++)
            begin(a, h, begins[b].value);
        if (h->written[ends[e].value - h->first])
            push(a, XPD_EVENT_FREE, ends[e].value, XPD_NO_INDEX);
    }
}

bool xpd_assignment_make_events(struct xpd_assignment *a, const struct xpd_said_allocation *of)
{
    size_t most = (size_t)of->count + 1, count = 0;
    struct order *begins = calloc(most, sizeof *begins), *ends = calloc(most, sizeof *ends);
    struct holding h = {.first = of->first,
                        .planned = is_planned(of),
                        .root = calloc(most, sizeof *h.root),
                        .written = calloc(most, sizeof *h.written)};
    bool fine = begins && ends && h.root && h.written;
    a->event.count = 0;
    for (uint32_t i = of->first; fine && i < of->first + of->count; i++) {
        const struct xpd_said_value *v = &a->value.at[i];
        if (v->first < 0 || v->is_tuple)
            continue;
        begins[count] = (struct order){v->first, v->last, v->id, i};
        ends[count] = begins[count];
        count++;
    }
    if (fine)
        merge(a, &h, begins, ends, count);
    fine = fine && !h.at.failed && !a->event.failed && !a->shares.failed;
    xpd_map64_fini(&h.at);
    free(h.written);
    free(h.root);
    free(ends);
    free(begins);
    return fine;
}
