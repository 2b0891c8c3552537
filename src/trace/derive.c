/* Derived rows: who makes what in which order, and the questions about the result. */
#include "derive.h"
#include "xprofd/trace/join.h"
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
    for (size_t i = 0; i < deriving->draft.count; i++)
        free(deriving->draft.at[i].drawn);
    XPD_VEC_FINI(&deriving->draft);
    XPD_VEC_FINI(&deriving->row);
    XPD_VEC_FINI(&deriving->depth);
    XPD_VEC_FINI(&deriving->from);
    XPD_VEC_FINI(&deriving->pair);
    XPD_VEC_FINI(&deriving->name);
    XPD_VEC_FINI(&deriving->groups.named);
    XPD_VEC_FINI(&deriving->groups.root);
    XPD_VEC_FINI(&deriving->groups.group_name);
    xpd_map64_fini(&deriving->name_of);
    XPD_VEC_FINI(&deriving->launch);
    XPD_VEC_FINI(&deriving->launch_stats);
    XPD_VEC_FINI(&deriving->scope);
    xpd_map64_fini(&deriving->scope_of);
    XPD_VEC_FINI(&deriving->hlo);
    xpd_map64_fini(&deriving->hlo_of);
    xpd_map64_fini(&deriving->hlo_read);
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
        case XPD_PROCESS_GPU: xpd_derive_gpu(deriving, p); break;
        case XPD_PROCESS_HOST: xpd_derive_regions(deriving, p); break;
        default: break;
        }
        deriving->failed = deriving->failed || !xpd_derive_freeze(deriving);
    }
    xpd_derive_steps(deriving);
    if (!deriving->failed)
        keep_step_names(deriving);
    xpd_derive_launches_keep(deriving);
    if (deriving->failed || !xpd_derive_finish(deriving) || out->arena.failed || out->names.failed)
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
    if (event < derived->trace->event_count)
        return xpd_groups_of(derived->groups, derived->trace, event);
    return xpd_derived_fact_of(derived, event).group;
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
    return found && !found->xprof_only ? xpd_intern_get(&derived->names, found->name) : XPD_STR("");
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
    if (trace->part) {
        const struct xpd_trace_host *part = xpd_part_of_event(trace, event);
        return xpd_event_stat(part->trace, event - part->first_event, stat, value);
    }
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
