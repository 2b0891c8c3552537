/* Names of single events: most say what all events of their metadata do, some have stats of their
 * own that count more. Each different one becomes a name behind those of the planes. */
#include "core.h"

static void take_stat(const struct xpd_trace_build *build, enum xpd_single what,
                      const struct xpd_stat_value *stat, struct xpd_event_name *name)
{
    struct xpd_str text = stat->type == XPD_STAT_TEXT ? stat->text : XPD_STR("");
    bool number = xpd_stat_is_integer(stat->type);
    if (what == XPD_SINGLE_ASYNC) {
        name->async = number && stat->integer != 0;
        return;
    }
    xpd_name_id id = xpd_intern_put(&build->trace->names, text.data, text.size);
    switch (what) {
    case XPD_SINGLE_STEP_NAME:
        name->caption = text.size > 0 ? id : name->caption;
        name->unfound = text.size == 0;
        break;
    case XPD_SINGLE_TF_OP: name->tf_op = id; break;
    default: name->source = id; break;
    }
}

/* What it says all in all; an event written in a way nobody writes keeps its name. */
static int read_single(const struct xpd_trace_build *build, uint32_t plane, uint64_t where,
                       struct xpd_arena *scratch, struct xpd_event_name *name, struct xpd_err *err)
{
    const struct xpd_trace *trace = build->trace;
    const struct xpd_plane *in = &trace->space->plane[plane];
    const struct xpd_plane_names *names = &build->plane[plane];
    struct xpd_wire_range range;
    struct xpd_stat_value *value;
    uint32_t count;
    int rc = xpd_event_range(trace->source, where, in->range.offset + in->range.size, &range, err);
    if (rc == XPD_EFORMAT)
        return XPD_OK;
    if (rc == XPD_OK)
        rc = xpd_stats_decode(trace->source, range, 4, &trace->tables[plane], &trace->names,
                              scratch, &value, &count, err);
    for (uint32_t i = 0; rc == XPD_OK && i < count; i++)
        for (uint32_t k = 0; k < names->wanted.mark_count; k++)
            if (value[i].id == names->single_id[k])
                take_stat(build, (enum xpd_single)names->single[k], &value[i], name);
    return rc;
}

static bool is_same(const struct xpd_event_name *a, const struct xpd_event_name *b)
{
    return a->caption == b->caption && a->tf_op == b->tf_op && a->source == b->source &&
           a->async == b->async && a->unfound == b->unfound;
}

/* `base`: the name that all events of the metadata have. */
static bool put(struct xpd_trace_build *build, uint32_t base, const struct xpd_event_name *entry,
                uint32_t *name)
{
    uint32_t said[] = {base,          entry->caption, entry->tf_op,
                       entry->source, entry->async,   entry->unfound};
    uint64_t key = xpd_hash(said, sizeof said);
    uint32_t index;
    while ((index = xpd_map64_get(&build->single_of, key)) != XPD_NO_INDEX &&
           (build->single.at[index].metadata != entry->metadata ||
            build->single.at[index].plane != entry->plane ||
            !is_same(&build->single.at[index], entry)))
        key++;
    if (index == XPD_NO_INDEX) {
        index = (uint32_t)build->single.count;
        xpd_map64_put(&build->single_of, key, index);
        XPD_PUSH(&build->single, *entry);
    }
    *name = build->trace->name_count + index;
    return !build->single_of.failed && !build->single.failed && index < UINT32_MAX / 2;
}

int xpd_trace_single(struct xpd_worker *worker, uint32_t plane, uint64_t where, uint32_t *name)
{
    struct xpd_trace_build *build = worker->build;
    if (*name >= build->trace->name_count) /* it has several such stats: all are taken already */
        return XPD_OK;
    xpd_arena_reset(&worker->scratch);
    pthread_mutex_lock(&build->lock);
    struct xpd_event_name entry = build->trace->name[*name];
    int rc = read_single(build, plane, where, &worker->scratch, &entry, &worker->err);
    bool fine = rc != XPD_OK || is_same(&entry, &build->trace->name[*name]) ||
                put(build, *name, &entry, name);
    fine = fine && !build->trace->names.failed;
    pthread_mutex_unlock(&build->lock);
    return fine ? rc : xpd_worker_no_room(worker);
}
