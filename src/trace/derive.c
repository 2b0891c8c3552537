/* From drafts to frozen rows: events in order, first fit into depths, one block each. */
#include "derive.h"
#include "xprofd/wire/cursor.h"

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

void xpd_derive_row(struct xpd_deriving *deriving, uint32_t process, int64_t id,
                    struct xpd_str caption, enum xpd_row_kind kind, const char *how,
                    struct xpd_builder *builder)
{
    deriving->failed |= xpd_builder_failed(builder);
    if (builder->drawn.count == 0)
        return;
    struct xpd_draft_row row = {.process = process,
                                .id = id,
                                .caption = xpd_intern_put(&deriving->out->names, caption.data,
                                                          caption.size),
                                .kind = kind,
                                .how = how,
                                .drawn = builder->drawn.at,
                                .count = builder->drawn.count};
    XPD_PUSH(&deriving->row, row);
    if (deriving->row.failed) {
        deriving->failed = true;
        return;
    }
    builder->drawn.at = NULL;
    builder->drawn.count = builder->drawn.capacity = 0;
}

static int by_process(const void *a, const void *b)
{
    const struct xpd_draft_row *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static int by_start(const void *a, const void *b)
{
    const struct xpd_drawn *x = a, *y = b;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    if (x->end_ps != y->end_ps)
        return x->end_ps > y->end_ps ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

/* First fit with a tree of the smallest end below each node; leaf i is depth i. */
struct fit {
    int64_t *least; /* 2 * leaves */
    uint32_t leaves, used;
};

static void fit_set(struct fit *fit, uint32_t leaf, int64_t end_ps)
{
    uint32_t at = leaf + fit->leaves;
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
        return fit->leaves - 1;
    uint32_t at = 1;
    while (at < fit->leaves)
        at = fit->least[2 * at] <= start_ps ? 2 * at : 2 * at + 1;
    return at - fit->leaves;
}

static uint32_t place(const struct xpd_draft_row *row, uint32_t *depth_of, uint64_t *overflow)
{
    struct fit fit = {.leaves = XPD_DEPTHS_MAX};
    fit.least = malloc(2 * sizeof *fit.least * fit.leaves);
    if (!fit.least)
        return 0;
    for (uint32_t i = 0; i < 2 * fit.leaves; i++)
        fit.least[i] = INT64_MIN;
    for (size_t i = 0; i < row->count; i++) {
        *overflow += fit.least[1] > row->drawn[i].start_ps;
        uint32_t depth = fit_find(&fit, row->drawn[i].start_ps);
        fit_set(&fit, depth, row->drawn[i].end_ps);
        depth_of[i] = depth;
        fit.used = depth >= fit.used ? depth + 1 : fit.used;
    }
    free(fit.least);
    return fit.used;
}

struct freezing { /* how far the arrays of the derived trace are filled */
    struct xpd_derived *out;
    uint64_t event;
    int64_t *start_ps, *duration_ps;
    uint32_t *name;
};

/* Events of the row by depth, in one pass; `first` is where each depth begins. */
static void freeze_events(struct freezing *freezing, const struct xpd_draft_row *row,
                          const uint32_t *depth_of, uint64_t *first)
{
    struct xpd_derived *out = freezing->out;
    for (size_t i = 0; i < row->count; i++) {
        const struct xpd_drawn *drawn = &row->drawn[i];
        uint64_t at = first[depth_of[i]]++;
        freezing->start_ps[at] = drawn->start_ps;
        freezing->duration_ps[at] = drawn->end_ps - drawn->start_ps;
        freezing->name[at] = out->trace->name_count + drawn->name;
        out->fact[at] = (struct xpd_derived_fact){.group = drawn->group,
                                                  .event = drawn->event,
                                                  .event2 = drawn->event2,
                                                  .device_ps = drawn->device_ps};
    }
}

static bool freeze_depths(struct freezing *freezing, const struct xpd_draft_row *row,
                          const uint32_t *depth_of, uint32_t depths, uint64_t overflow)
{
    struct xpd_derived *out = freezing->out;
    uint64_t *first = calloc((size_t)depths + 1, sizeof *first);
    if (!first)
        return false;
    for (size_t i = 0; i < row->count; i++)
        first[depth_of[i] + 1]++;
    first[0] = freezing->event;
    for (uint32_t d = 0; d < depths; d++) {
        uint64_t count = first[d + 1];
        first[d + 1] += first[d];
        out->depth[out->depth_count++] =
            (struct xpd_depth){.row = out->row_count,
                               .depth = d,
                               .count = (uint32_t)count,
                               .first_event = out->trace->event_count + first[d],
                               .start_ps = freezing->start_ps + first[d],
                               .duration_ps = freezing->duration_ps + first[d],
                               .name = freezing->name + first[d]};
    }
    freeze_events(freezing, row, depth_of, first);
    for (uint32_t d = 0; d < depths; d++) {
        struct xpd_depth *depth = &out->depth[out->depth_count - depths + d];
        for (uint32_t i = 0; i < depth->count; i++)
            if (depth->duration_ps[i] > depth->longest_ps)
                depth->longest_ps = depth->duration_ps[i];
        depth->overlapping = overflow > 0 && d + 1 == XPD_DEPTHS_MAX;
    }
    freezing->event += row->count;
    free(first);
    return true;
}

static bool freeze_row(struct freezing *freezing, const struct xpd_draft_row *draft,
                       const uint32_t *depth_of, uint32_t depths, uint64_t overflow)
{
    struct xpd_derived *out = freezing->out;
    struct xpd_trace_row *row = &out->row[out->row_count];
    int64_t until_ps = INT64_MIN;
    *row = (struct xpd_trace_row){.process = draft->process,
                                  .id = draft->id,
                                  .caption = draft->caption,
                                  .kind = draft->kind,
                                  .derived = true,
                                  .how = draft->how,
                                  .first_depth = out->depth_count,
                                  .depth_count = depths,
                                  .event_count = draft->count,
                                  .overflow_count = overflow,
                                  .first_ps = draft->drawn[0].start_ps,
                                  .device_busy_ps = -1};
    for (size_t i = 0; i < draft->count; i++) {
        const struct xpd_drawn *at = &draft->drawn[i];
        int64_t from_ps = at->start_ps > until_ps ? at->start_ps : until_ps;
        if (at->end_ps > from_ps)
            row->busy_ps += at->end_ps - from_ps;
        until_ps = at->end_ps > until_ps ? at->end_ps : until_ps;
    }
    row->end_ps = until_ps;
    if (!freeze_depths(freezing, draft, depth_of, depths, overflow))
        return false;
    out->row_count++;
    return true;
}

static bool allocate(struct freezing *freezing, const struct xpd_deriving *deriving,
                     uint64_t depths, uint64_t events)
{
    struct xpd_derived *out = freezing->out;
    struct xpd_arena *arena = &out->arena;
    out->row = XPD_NEW_ARRAY(arena, struct xpd_trace_row, deriving->row.count);
    out->depth = XPD_NEW_ARRAY(arena, struct xpd_depth, depths);
    out->fact = XPD_NEW_ARRAY(arena, struct xpd_derived_fact, events);
    freezing->start_ps = XPD_NEW_ARRAY(arena, int64_t, events);
    freezing->duration_ps = XPD_NEW_ARRAY(arena, int64_t, events);
    freezing->name = XPD_NEW_ARRAY(arena, uint32_t, events);
    out->name = XPD_NEW_ARRAY(arena, struct xpd_event_name, deriving->name.count);
    if (arena->failed)
        return false;
    if (deriving->name.count > 0)
        memcpy(out->name, deriving->name.at, deriving->name.count * sizeof *out->name);
    out->name_count = (uint32_t)deriving->name.count;
    out->event_count = events;
    return true;
}

static bool freeze(struct xpd_deriving *deriving)
{
    size_t rows = deriving->row.count;
    uint64_t events = 0, depths = 0;
    if (rows > 1)
        qsort(deriving->row.at, rows, sizeof *deriving->row.at, by_process);
    for (size_t i = 0; i < rows; i++)
        events += deriving->row.at[i].count;
    uint32_t *depth_of = malloc((events + 1) * sizeof *depth_of);
    uint32_t *used = malloc((rows + 1) * sizeof *used);
    uint64_t *overflow = calloc(rows + 1, sizeof *overflow);
    bool fine = depth_of && used && overflow;
    for (size_t i = 0, at = 0; fine && i < rows; at += deriving->row.at[i++].count) {
        struct xpd_draft_row *row = &deriving->row.at[i];
        qsort(row->drawn, row->count, sizeof *row->drawn, by_start);
        used[i] = place(row, depth_of + at, &overflow[i]);
        fine = used[i] > 0;
        depths += used[i];
    }
    struct freezing freezing = {.out = deriving->out};
    fine = fine && allocate(&freezing, deriving, depths, events);
    for (size_t i = 0, at = 0; fine && i < rows; at += deriving->row.at[i++].count)
        fine = freeze_row(&freezing, &deriving->row.at[i], depth_of + at, used[i], overflow[i]);
    free(depth_of);
    free(used);
    free(overflow);
    return fine;
}

static int by_event(const void *a, const void *b)
{
    const struct xpd_step_name *x = a, *y = b;
    return (x->event > y->event) - (x->event < y->event);
}

static void keep_step_names(struct xpd_deriving *deriving)
{
    struct xpd_derived *out = deriving->out;
    size_t count = deriving->groups.named.count;
    out->step_name = XPD_NEW_ARRAY(&out->arena, struct xpd_step_name, count);
    if (!out->step_name || count == 0)
        return;
    memcpy(out->step_name, deriving->groups.named.at, count * sizeof *out->step_name);
    qsort(out->step_name, count, sizeof *out->step_name, by_event);
    out->step_name_count = (uint32_t)count;
}

static void fini(struct xpd_deriving *deriving)
{
    for (size_t i = 0; i < deriving->row.count; i++)
        free(deriving->row.at[i].drawn);
    XPD_VEC_FINI(&deriving->row);
    XPD_VEC_FINI(&deriving->name);
    XPD_VEC_FINI(&deriving->groups.named);
    XPD_VEC_FINI(&deriving->groups.root);
    xpd_map64_fini(&deriving->name_of);
}

static int derive(struct xpd_deriving *deriving, struct xpd_err *err)
{
    struct xpd_derived *out = deriving->out;
    int rc = xpd_groups_make(&out->groups, deriving->trace, &deriving->groups, err);
    if (rc != XPD_OK)
        return rc;
    for (uint32_t p = 0; p < deriving->trace->process_count; p++) {
        switch (deriving->trace->process[p].kind) {
        case XPD_PROCESS_TPU:
            xpd_derive_tpu(deriving, p);
            xpd_derive_offload(deriving, p);
            break;
        case XPD_PROCESS_HOST:
            xpd_derive_regions(deriving, p);
            break;
        default:
            break;
        }
    }
    xpd_derive_steps(deriving);
    if (!deriving->failed)
        keep_step_names(deriving);
    if (deriving->failed || !freeze(deriving) || out->arena.failed || out->names.failed)
        return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for the derived rows");
    return XPD_OK;
}

int xpd_derived_make(struct xpd_derived **out, const struct xpd_trace *trace,
                     uint64_t arena_budget_bytes, struct xpd_err *err)
{
    struct xpd_derived *derived = calloc(1, sizeof *derived);
    if (!derived)
        return xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for the derived rows");
    xpd_arena_init(&derived->arena, arena_budget_bytes);
    xpd_intern_init(&derived->names, &derived->arena);
    derived->warnings.arena = &derived->arena;
    derived->trace = trace;
    struct xpd_deriving deriving = {.out = derived,
                                    .trace = trace,
                                    .groups = {.arena = &derived->arena,
                                               .names = &derived->names,
                                               .warnings = &derived->warnings}};
    int rc = derive(&deriving, err);
    fini(&deriving);
    if (rc != XPD_OK) {
        xpd_derived_free(derived);
        derived = NULL;
    }
    *out = derived;
    return rc;
}

void xpd_derived_free(struct xpd_derived *derived)
{
    if (!derived)
        return;
    xpd_intern_fini(&derived->names);
    xpd_arena_fini(&derived->arena);
    free(derived);
}

uint32_t xpd_group_of(const struct xpd_derived *derived, uint64_t event)
{
    uint64_t measured = derived->trace->event_count;
    if (event < measured)
        return xpd_groups_of(derived->groups, derived->trace, event);
    return event - measured < derived->event_count ? derived->fact[event - measured].group
                                                   : XPD_NO_GROUP;
}

static const struct xpd_step_name *find_name(const struct xpd_derived *derived, uint64_t event)
{
    struct xpd_step_name key = {.event = event};
    if (derived->step_name_count == 0)
        return NULL;
    return bsearch(&key, derived->step_name, derived->step_name_count, sizeof key, by_event);
}

struct xpd_str xpd_step_name_of(const struct xpd_derived *derived, uint64_t event)
{
    const struct xpd_step_name *found = find_name(derived, event);
    return found && !found->xprof_only ? xpd_intern_get(&derived->names, found->name)
                                       : XPD_STR("");
}

struct xpd_str xpd_xprof_step_name_of(const struct xpd_derived *derived, uint64_t event)
{
    const struct xpd_step_name *found = find_name(derived, event);
    return found ? xpd_intern_get(&derived->names, found->name) : XPD_STR("");
}

bool xpd_event_stat(const struct xpd_trace *trace, uint64_t event, struct xpd_str stat,
                    uint64_t *value)
{
    const struct xpd_depth *depth;
    uint32_t index;
    uint8_t bytes[4096];
    struct xpd_wire_range range;
    uint64_t id;
    if (!xpd_trace_find(trace, event, &depth, &index) || !depth->where_low)
        return false;
    uint32_t plane = trace->name[depth->name[index]].plane;
    if (plane >= trace->space->plane_count ||
        !xpd_plane_stat_id(&trace->tables[plane], &trace->names, stat, &id) ||
        xpd_event_range(trace->source, xpd_depth_where(depth, index),
                        trace->space->plane[plane].range.offset +
                            trace->space->plane[plane].range.size,
                        &range, NULL) != XPD_OK ||
        range.size > sizeof bytes ||
        xpd_source_read(trace->source, range.offset, bytes, (size_t)range.size, NULL) != XPD_OK)
        return false;
    struct xpd_cursor cursor;
    struct xpd_field field, part;
    bool found = false;
    xpd_cursor_init(&cursor, bytes, (size_t)range.size, range.offset);
    while (xpd_cursor_next(&cursor, &field)) {
        if (field.number != 4 || field.wire_type != 2)
            continue;
        struct xpd_cursor inner = xpd_cursor_sub(&field);
        uint64_t stat_id = 0, number = 0;
        bool is_number = false;
        while (xpd_cursor_next(&inner, &part)) {
            if (part.number == 1 && part.wire_type == 0)
                stat_id = part.value;
            else if ((part.number == 3 || part.number == 4) && part.wire_type == 0) {
                number = part.value;
                is_number = true;
            }
        }
        if (is_number && stat_id == id) {
            *value = number;
            found = true;
        }
    }
    return found;
}
