/* XProf's rule, step by step, so that the rows have the same events to the picosecond. */
#include "derive_builder.h"
#include "derive.h"
#include "xprofd/base/checked.h"
#include "xprofd/base/threads.h"
#include "xprofd/trace/tf_op.h"
#include <stdatomic.h>
#include <stdlib.h>

/* What the makers of derived rows draw with: names, pairs of events and rows, as drafts. */

uint32_t xpd_derive_name(struct xpd_deriving *deriving, struct xpd_str caption, struct xpd_str name,
                         enum xpd_op_group group)
{
    struct xpd_intern *names = &deriving->out->names;
    xpd_name_id caption_id = xpd_intern_put(names, caption.data, caption.size);
    xpd_name_id name_id = xpd_intern_put(names, name.data, name.size);
    uint64_t key = (uint64_t)caption_id << 32 | name_id;
    uint32_t at = xpd_map64_get(&deriving->name_of, key);
    if (at != XPD_NO_INDEX)
        return at;
    struct xpd_event_name entry = {.caption = caption_id,
                                   .name = name_id,
                                   .plane = XPD_NO_INDEX,
                                   .metadata = XPD_NO_METADATA,
                                   .group = (uint8_t)group,
                                   .flops = -1,
                                   .bytes = -1};
    at = (uint32_t)deriving->name.count;
    XPD_PUSH(&deriving->name, entry);
    xpd_map64_put(&deriving->name_of, key, at);
    if (deriving->name.failed || deriving->name_of.failed || names->failed) {
        deriving->failed = true;
        return 0;
    }
    return at;
}

uint32_t xpd_derive_framework_op(struct xpd_deriving *deriving, const struct xpd_tf_op *op,
                                 struct xpd_str full, enum xpd_op_group group)
{
    struct xpd_str caption = op->caption.size ? op->caption : full;
    size_t before = strlen(op->prefix);
    char *text = before > 0 ? malloc(before + caption.size) : NULL;
    if (text) {
        memcpy(text, op->prefix, before);
        memcpy(text + before, caption.data, caption.size);
        caption = (struct xpd_str){text, before + caption.size};
    }
    deriving->failed |= before > 0 && !text;
    uint32_t name = xpd_derive_name(deriving, caption, full, group);
    free(text);
    if (!deriving->failed && op->caption.size > 0)
        deriving->name.at[name].displayed = true;
    return name;
}

uint32_t xpd_derive_pair(struct xpd_deriving *deriving, uint64_t event2, int64_t device_ps)
{
    struct xpd_derived_pair pair = {.event2 = event2, .device_ps = device_ps, .launch_id = -1};
    XPD_PUSH(&deriving->pair, pair);
    if (deriving->pair.failed || deriving->pair.count > UINT32_MAX) {
        deriving->failed = true;
        return 0;
    }
    return (uint32_t)deriving->pair.count;
}

void xpd_derive_row(struct xpd_deriving *deriving, uint32_t process, int64_t id,
                    struct xpd_str caption, enum xpd_row_kind kind, const char *how,
                    struct xpd_builder *builder)
{
    deriving->failed |= xpd_builder_failed(builder);
    if (builder->drawn.count == 0)
        return;
    struct xpd_draft_row row = {
        .process = process,
        .id = id,
        .caption = xpd_intern_put(&deriving->out->names, caption.data, caption.size),
        .kind = kind,
        .how = how,
        .drawn = builder->drawn.at,
        .count = builder->drawn.count};
    XPD_PUSH(&deriving->draft, row);
    if (deriving->draft.failed) {
        deriving->failed = true;
        return;
    }
    builder->drawn.at = NULL;
    builder->drawn.count = builder->drawn.capacity = 0;
}

void xpd_builder_fini(struct xpd_builder *row)
{
    XPD_VEC_FINI(&row->drawn);
    XPD_VEC_FINI(&row->open);
}

static struct xpd_drawn *open_at(struct xpd_builder *row, size_t level)
{
    return &row->drawn.at[row->open.at[level].drawn];
}

/* Spans that are nested and equal would lie on each other: each deeper one ends 1 ns earlier. */
static void shrink(struct xpd_builder *row, size_t level)
{
    if (row->open.count < level + 2)
        return;
    const struct xpd_drawn *innermost = open_at(row, row->open.count - 1);
    int64_t cap = (innermost->end_ps - innermost->start_ps) / 1000 - 1, steps = 0;
    int64_t start_ps = 0, end_ps = 0;
    for (size_t i = level; i < row->open.count; i++) {
        struct xpd_drawn *at = open_at(row, i);
        if (i > level && at->start_ps == start_ps && at->end_ps == end_ps && steps < cap)
            steps++;
        start_ps = at->start_ps;
        end_ps = at->end_ps;
        at->end_ps -= 1000 * steps;
    }
}

static void close_from(struct xpd_builder *row, size_t level)
{
    if (level < row->open.count) {
        shrink(row, level);
        row->open.count = level;
    }
    if (level == 0)
        for (size_t i = 0; i < sizeof row->dependent / sizeof *row->dependent; i++)
            if (row->dependent[i])
                close_from(row->dependent[i], 0);
}

static bool extends(const struct xpd_builder *row, size_t level, uint32_t name,
                    const struct xpd_span *span)
{
    if (level >= row->open.count)
        return false;
    const struct xpd_open_level *open = &row->open.at[level];
    const struct xpd_drawn *last = &row->drawn.at[open->drawn];
    if (last->name != name || open->group != span->group ||
        (open->scope_id >= 0 && span->scope_id >= 0 && open->scope_id != span->scope_id))
        return false;
    if (row->gpu || span->group != XPD_NO_GROUP)
        return true;
    bool overflow = false;
    int64_t lasted = xpd_add_i64(last->end_ps, -last->start_ps, &overflow);
    int64_t reach = xpd_add_i64(last->end_ps, xpd_mul_i64(lasted, 2, &overflow), &overflow);
    return reach >= span->start_ps;
}

static void emit(struct xpd_builder *row, size_t level, uint32_t name, const struct xpd_span *span)
{
    if (extends(row, level, name, span)) {
        struct xpd_drawn *last = open_at(row, level);
        if (span->end_ps > last->end_ps)
            last->end_ps = span->end_ps;
        return;
    }
    close_from(row, level);
    struct xpd_drawn drawn = {
        .start_ps = span->start_ps, .end_ps = span->end_ps, .event = span->event, .name = name};
    XPD_PUSH(&row->drawn, drawn);
    struct xpd_open_level open = {
        .drawn = row->drawn.count - 1, .scope_id = span->scope_id, .group = span->group};
    if (!row->drawn.failed)
        XPD_PUSH(&row->open, open);
}

void xpd_builder_stack_scoped(struct xpd_builder *row, const uint32_t *name, const int64_t *scope,
                              uint32_t count, const struct xpd_span *span)
{
    struct xpd_span level = *span;
    if (count == 0)
        return;
    for (uint32_t i = 0; i < count && !xpd_builder_failed(row); i++) {
        level.scope_id = scope[i];
        emit(row, i, name[i], &level);
    }
    if (!xpd_builder_failed(row))
        close_from(row, count);
}

void xpd_builder_stack(struct xpd_builder *row, const uint32_t *name, uint32_t count,
                       const struct xpd_span *span)
{
    if (count == 0)
        return;
    for (uint32_t i = 0; i < count && !xpd_builder_failed(row); i++)
        emit(row, i, name[i], span);
    if (!xpd_builder_failed(row))
        close_from(row, count);
}

void xpd_builder_one(struct xpd_builder *row, uint32_t name, const struct xpd_span *span)
{
    if (!xpd_builder_failed(row))
        emit(row, 0, name, span);
}

void xpd_builder_close(struct xpd_builder *row)
{
    close_from(row, 0);
}

/* From drafts to frozen rows: events in order, first fit into depths, 25 bytes an event. */

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
