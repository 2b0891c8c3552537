/* From drafts to frozen rows: events in order, first fit into depths, 25 bytes an event. */
#include "derive.h"

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
    uint32_t used;
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

static uint32_t place(const struct xpd_draft_row *row, uint32_t *depth_of, uint64_t *overflow)
{
    struct fit *fit = malloc(sizeof *fit);
    if (!fit)
        return 0;
    fit->used = 0;
    for (uint32_t i = 0; i < 2 * XPD_DEPTHS_MAX; i++)
        fit->least[i] = INT64_MIN;
    for (size_t i = 0; i < row->count; i++) {
        *overflow += fit->least[1] > row->drawn[i].start_ps;
        uint32_t depth = fit_find(fit, row->drawn[i].start_ps);
        fit_set(fit, depth, row->drawn[i].end_ps);
        depth_of[i] = depth;
        fit->used = depth >= fit->used ? depth + 1 : fit->used;
    }
    uint32_t used = fit->used;
    free(fit);
    return used;
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
    uint64_t overflow = 0;
    uint32_t *depth_of = malloc((draft->count + 1) * sizeof *depth_of);
    for (size_t i = 0; i < draft->count; i++)
        draft->drawn[i].order = (uint32_t)i;
    qsort(draft->drawn, draft->count, sizeof *draft->drawn, by_start);
    uint32_t depths = depth_of && draft->count < UINT32_MAX ? place(draft, depth_of, &overflow) : 0;
    size_t *next = calloc((size_t)depths + 1, sizeof *next);
    bool fine = depths > 0 && next && columns_init(&columns, &deriving->out->arena, draft->count);
    if (fine) {
        for (size_t i = 0; i < draft->count; i++)
            next[depth_of[i] + 1]++;
        for (uint32_t d = 0; d < depths; d++)
            next[d + 1] += next[d];
        fill(deriving, draft, &columns, depth_of, next);
        push_depths(deriving, &columns, next, depths, overflow);
        push_row(deriving, draft, depths, overflow);
        deriving->out->event_count += draft->count;
    }
    free(depth_of);
    free(next);
    return fine;
}

bool xpd_derive_freeze(struct xpd_deriving *deriving)
{
    bool fine = true;
    if (deriving->draft.count > 1)
        qsort(deriving->draft.at, deriving->draft.count, sizeof *deriving->draft.at, by_id);
    for (size_t i = 0; i < deriving->draft.count; i++) {
        fine = fine && freeze_row(deriving, &deriving->draft.at[i]);
        free(deriving->draft.at[i].drawn);
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
