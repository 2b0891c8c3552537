/* From drafts to frozen rows: events in order, first fit into depths, 25 bytes an event. */
#include "derive.h"
#include "xprofd/base/threads.h"

#include <stdatomic.h>

static int by_id(const void *a, const void *b)
{
    const struct xpd_draft_row *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int by_start(const void *a, const void *b)
{
    const struct xpd_drawn *x = a, *y = b;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    if (x->end_ps != y->end_ps)
        return x->end_ps > y->end_ps ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order); /* a scope before those inside of it */
}

/* First fit with a tree of the smallest end below each node; leaf i is depth i. */
struct fit {
    int64_t least[2 * XPD_DEPTHS_MAX];
};

static void fit_set(struct fit *fit, uint32_t leaf, int64_t end_ps)
{
    uint32_t at = leaf + XPD_DEPTHS_MAX;
    fit->least[at] = end_ps;
    for (at /= 2; at > 0; at /= 2) {
        int64_t left = fit->least[2 * at], right = fit->least[2 * at + 1];
        fit->least[at] = left < right ? left : right;
    }
}

/* The first depth that is free at the time; the last one when none is. */
static uint32_t fit_find(const struct fit *fit, int64_t start_ps)
{
    if (fit->least[1] > start_ps)
        return XPD_DEPTHS_MAX - 1;
    uint32_t at = 1;
    while (at < XPD_DEPTHS_MAX)
        at = fit->least[2 * at] <= start_ps ? 2 * at : 2 * at + 1;
    return at - XPD_DEPTHS_MAX;
}

/* Up to so many depths each is looked at, and no tree is needed. */
#define FEW 16

/* The depths of the first rows that fit into few; returns how many rows did. */
static size_t place_few(struct xpd_draft_row *row, int64_t end_ps[FEW])
{
    for (size_t i = 0; i < row->count; i++) {
        uint32_t d = 0;
        while (d < row->depths && end_ps[d] > row->drawn[i].start_ps)
            d++;
        if (d == FEW)
            return i;
        row->depths = d == row->depths ? d + 1 : row->depths;
        end_ps[d] = row->drawn[i].end_ps;
        row->depth_of[i] = d;
    }
    return row->count;
}

static void place_rest(struct xpd_draft_row *row, size_t from, const int64_t end_ps[FEW])
{
    struct fit *fit = malloc(sizeof *fit);
    if (!fit) {
        row->depths = 0;
        return;
    }
    for (uint32_t i = 0; i < 2 * XPD_DEPTHS_MAX; i++)
        fit->least[i] = INT64_MIN;
    for (uint32_t d = 0; d < FEW; d++)
        fit_set(fit, d, end_ps[d]);
    for (size_t i = from; i < row->count; i++) {
        row->overflow_count += fit->least[1] > row->drawn[i].start_ps;
        uint32_t depth = fit_find(fit, row->drawn[i].start_ps);
        fit_set(fit, depth, row->drawn[i].end_ps);
        row->depth_of[i] = depth;
        row->depths = depth >= row->depths ? depth + 1 : row->depths;
    }
    free(fit);
}

static bool is_sorted(const struct xpd_draft_row *row)
{
    for (size_t i = 1; i < row->count; i++)
        if (by_start(&row->drawn[i - 1], &row->drawn[i]) > 0)
            return false;
    return true;
}

/* In order, and each in its depth. Rows are mostly drawn in order. */
static void place_row(struct xpd_draft_row *row)
{
    int64_t end_ps[FEW] = {0};
    row->depth_of =
        row->count < UINT32_MAX ? malloc((row->count + 1) * sizeof *row->depth_of) : NULL;
    if (!row->depth_of)
        return;
    for (size_t i = 0; i < row->count; i++)
        row->drawn[i].order = (uint32_t)i;
    if (!is_sorted(row))
        qsort(row->drawn, row->count, sizeof *row->drawn, by_start);
    size_t placed = place_few(row, end_ps);
    if (placed < row->count)
        place_rest(row, placed, end_ps);
}

struct columns { /* of one row, depth after depth */
    int64_t *start_ps, *duration_ps;
    uint32_t *name, *low;
    uint8_t *high;
};

static bool columns_init(struct columns *columns, struct xpd_arena *arena, size_t count)
{
    columns->start_ps = XPD_NEW_ARRAY(arena, int64_t, count);
    columns->duration_ps = XPD_NEW_ARRAY(arena, int64_t, count);
    columns->name = XPD_NEW_ARRAY(arena, uint32_t, count);
    columns->low = XPD_NEW_ARRAY(arena, uint32_t, count);
    columns->high = XPD_NEW_ARRAY(arena, uint8_t, count);
    return !arena->failed;
}

/* Events of the row by depth, in one pass; `next` is where each depth goes on. */
static void fill(struct xpd_deriving *deriving, const struct xpd_draft_row *row,
                 const struct columns *columns, const uint32_t *depth_of, size_t *next)
{
    struct xpd_derived *out = deriving->out;
    for (size_t i = 0; i < row->count; i++) {
        const struct xpd_drawn *drawn = &row->drawn[i];
        size_t at = next[depth_of[i]]++;
        columns->start_ps[at] = drawn->start_ps;
        columns->duration_ps[at] = drawn->end_ps - drawn->start_ps;
        columns->name[at] = out->trace->name_count + drawn->name;
        columns->low[at] = (uint32_t)drawn->event;
        columns->high[at] = (uint8_t)(drawn->event >> 32);
        if (drawn->pair)
            deriving->pair.at[drawn->pair - 1].event =
                out->trace->event_count + out->event_count + at;
    }
}

static void push_depths(struct xpd_deriving *deriving, const struct columns *columns,
                        const size_t *end, uint32_t depths, uint64_t overflow)
{
    struct xpd_derived *out = deriving->out;
    size_t first = 0;
    for (uint32_t d = 0; d < depths; d++) {
        struct xpd_depth depth = {.row = (uint32_t)deriving->row.count,
                                  .depth = d,
                                  .count = (uint32_t)(end[d] - first),
                                  .first_event = out->trace->event_count + out->event_count + first,
                                  .start_ps = columns->start_ps + first,
                                  .duration_ps = columns->duration_ps + first,
                                  .name = columns->name + first,
                                  .overlapping = overflow > 0 && d + 1 == XPD_DEPTHS_MAX};
        struct xpd_derived_from from = {.low = columns->low + first, .high = columns->high + first};
        for (uint32_t i = 0; i < depth.count; i++)
            if (depth.duration_ps[i] > depth.longest_ps)
                depth.longest_ps = depth.duration_ps[i];
        XPD_PUSH(&deriving->depth, depth);
        XPD_PUSH(&deriving->from, from);
        first = end[d];
    }
}

static void push_row(struct xpd_deriving *deriving, const struct xpd_draft_row *draft,
                     uint32_t depths, uint64_t overflow)
{
    int64_t until_ps = INT64_MIN;
    struct xpd_trace_row row = {.process = draft->process,
                                .id = draft->id,
                                .caption = draft->caption,
                                .kind = draft->kind,
                                .derived = true,
                                .how = draft->how,
                                .first_depth = (uint32_t)deriving->depth.count - depths,
                                .depth_count = depths,
                                .event_count = draft->count,
                                .overflow_count = overflow,
                                .first_ps = draft->drawn[0].start_ps,
                                .device_busy_ps = -1};
    for (size_t i = 0; i < draft->count; i++) {
        const struct xpd_drawn *at = &draft->drawn[i];
        int64_t from_ps = at->start_ps > until_ps ? at->start_ps : until_ps;
        if (at->end_ps > from_ps)
            row.busy_ps += at->end_ps - from_ps;
        until_ps = at->end_ps > until_ps ? at->end_ps : until_ps;
    }
    row.end_ps = until_ps;
    XPD_PUSH(&deriving->row, row);
}

static bool freeze_row(struct xpd_deriving *deriving, struct xpd_draft_row *draft)
{
    struct columns columns;
    uint32_t depths = draft->depths;
    size_t *next = calloc((size_t)depths + 1, sizeof *next);
    bool fine = depths > 0 && next && columns_init(&columns, &deriving->out->arena, draft->count);
    if (fine) {
        for (size_t i = 0; i < draft->count; i++)
            next[draft->depth_of[i] + 1]++;
        for (uint32_t d = 0; d < depths; d++)
            next[d + 1] += next[d];
        fill(deriving, draft, &columns, draft->depth_of, next);
        push_depths(deriving, &columns, next, depths, draft->overflow_count);
        push_row(deriving, draft, depths, draft->overflow_count);
        deriving->out->event_count += draft->count;
    }
    free(next);
    return fine;
}

struct placing {
    struct xpd_draft_row *row;
    size_t count;
    _Atomic size_t next;
};

static void place_rows(void *context, uint32_t thread)
{
    struct placing *placing = context;
    (void)thread;
    for (size_t i; (i = atomic_fetch_add(&placing->next, 1)) < placing->count;)
        place_row(&placing->row[i]);
}

bool xpd_derive_freeze(struct xpd_deriving *deriving)
{
    bool fine = true;
    if (deriving->draft.count == 0)
        return true;
    qsort(deriving->draft.at, deriving->draft.count, sizeof *deriving->draft.at, by_id);
    struct placing placing = {.row = deriving->draft.at, .count = deriving->draft.count};
    uint32_t threads = xpd_threads_count(0);
    xpd_threads_run(threads < placing.count ? threads : (uint32_t)placing.count, place_rows,
                    &placing);
    for (size_t i = 0; i < deriving->draft.count; i++) {
        fine = fine && freeze_row(deriving, &deriving->draft.at[i]);
        free(deriving->draft.at[i].drawn);
        free(deriving->draft.at[i].depth_of);
    }
    deriving->draft.count = 0;
    return fine && !deriving->row.failed && !deriving->depth.failed && !deriving->from.failed;
}

static int by_event(const void *a, const void *b)
{
    const struct xpd_derived_pair *x = a, *y = b;
    return (x->event > y->event) - (x->event < y->event);
}

bool xpd_derive_finish(struct xpd_deriving *deriving)
{
    struct xpd_derived *out = deriving->out;
    struct xpd_arena *arena = &out->arena;
    if (deriving->pair.failed)
        return false;
    if (deriving->pair.count > 1)
        qsort(deriving->pair.at, deriving->pair.count, sizeof *deriving->pair.at, by_event);
    out->row = XPD_COPY_VEC(arena, &deriving->row);
    out->depth = XPD_COPY_VEC(arena, &deriving->depth);
    out->from = XPD_COPY_VEC(arena, &deriving->from);
    out->pair = XPD_COPY_VEC(arena, &deriving->pair);
    out->name = XPD_COPY_VEC(arena, &deriving->name);
    out->row_count = (uint32_t)deriving->row.count;
    out->depth_count = (uint32_t)deriving->depth.count;
    out->pair_count = deriving->pair.count;
    out->name_count = (uint32_t)deriving->name.count;
    return !arena->failed;
}
