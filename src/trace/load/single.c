/* Names of single events: most have the data of their metadata, some have their own stats, which
 * have priority. Each distinct one becomes a name after those of the planes. */
#include "core.h"
#include "xprofd/trace/op_times.h"

#include <stdlib.h>

/* By the program's HLO, else by the operation's name. */
static void take_kind(struct xpd_trace_build *build, struct xpd_str op, uint64_t program_id,
                      xpd_name_id module, struct xpd_event_name *name)
{
    struct xpd_intern *names = &build->trace->names;
    op = xpd_op_innermost(op);
    if (op.size == 0)
        return;
    uint32_t program =
        xpd_trace_hlo_of(build->trace->space, program_id, xpd_intern_get(names, module));
    const struct xpd_op_kind *kind = xpd_trace_op_kind(build, program, op);
    struct xpd_str said = xpd_trace_op_category(op);
    name->op = true;
    name->category =
        kind && kind->category ? kind->category : xpd_intern_put(names, said.data, said.size);
    name->group = kind ? kind->group : (uint8_t)xpd_trace_group(said, op, true);
    name->wait |= kind ? kind->feed : xpd_trace_is_feed(op, (enum xpd_op_group)name->group);
}

static void take_stat(const struct xpd_trace_build *build, enum xpd_single what,
                      const struct xpd_stat_value *stat, struct xpd_event_name *name)
{
    struct xpd_str text = stat->type == XPD_STAT_TEXT ? stat->text : XPD_STR("");
    bool number = xpd_stat_is_integer(stat->type);
    if (what == XPD_SINGLE_ASYNC) {
        name->async = number && stat->integer != 0;
        return;
    }
    if (what == XPD_SINGLE_PROGRAM_ID) {
        name->program_id = number ? (uint64_t)stat->integer : name->program_id;
        return;
    }
    xpd_name_id id = xpd_intern_put(&build->trace->names, text.data, text.size);
    switch (what) {
    case XPD_SINGLE_STEP_NAME:
        name->caption = text.size > 0 ? id : name->caption;
        name->unfound = text.size == 0;
        break;
    case XPD_SINGLE_TF_OP: name->tf_op = id; break;
    case XPD_SINGLE_HLO_MODULE: name->program = text.size > 0 ? id : name->program; break;
    default: name->source = id; break;
    }
}

/* "jit_f" and 7 are the program "jit_f(7)", as modules are called; without a name it is that of the
 * file's program 7. */
static void name_program(const struct xpd_trace_build *build, bool named, struct xpd_arena *scratch,
                         struct xpd_event_name *name)
{
    struct xpd_intern *names = &build->trace->names;
    const struct xpd_xspace *space = build->trace->space;
    struct xpd_str module = xpd_intern_get(names, name->program), key = XPD_STR("");
    for (uint32_t i = 0; !named && i < space->hlo_count; i++)
        if (space->hlo[i].program_id == name->program_id)
            key = xpd_intern_get(&space->names, space->hlo[i].key);
    if (named) {
        const char *text = xpd_arena_printf(scratch, "%.*s(%llu)", (int)module.size, module.data,
                                            (unsigned long long)name->program_id);
        key = text ? xpd_str_of(text) : module;
    }
    if (key.size > 0)
        name->program = xpd_intern_put(names, key.data, key.size);
}

/* Its whole text; an event in an unusual encoding keeps its name. */
static int read_single(struct xpd_trace_build *build, uint32_t plane, uint64_t where,
                       struct xpd_arena *scratch, struct xpd_event_name *name, bool *known,
                       struct xpd_err *err)
{
    const struct xpd_trace *trace = build->trace;
    const struct xpd_plane *in = &trace->space->plane[plane];
    const struct xpd_plane_names *names = &build->plane[plane];
    struct xpd_wire_range range;
    struct xpd_stat_value *value;
    uint32_t count;
    int rc = xpd_event_range(trace->source, where, in->range.offset + in->range.size, &range, err);
    *known = rc == XPD_OK;
    if (rc == XPD_EFORMAT)
        return XPD_OK;
    if (rc == XPD_OK)
        rc = xpd_stats_decode(trace->source, range, 4, &trace->tables[plane], &trace->names,
                              scratch, &value, &count, err);
    struct xpd_str op = XPD_STR("");
    uint32_t took = 0;
    for (uint32_t i = 0; rc == XPD_OK && i < count; i++)
        for (uint32_t k = 0; k < names->wanted.mark_count; k++)
            if (value[i].id == names->single_id[k]) {
                if (names->single[k] != XPD_SINGLE_HLO_OP)
                    take_stat(build, (enum xpd_single)names->single[k], &value[i], name);
                else if (value[i].type == XPD_STAT_TEXT)
                    op = value[i].text;
                took |= 1u << names->single[k];
            }
    if (op.size > 0) /* while `program` still is the module's bare name */
        take_kind(build, op, took >> XPD_SINGLE_PROGRAM_ID & 1 ? name->program_id : 0,
                  name->program, name);
    if (took >> XPD_SINGLE_PROGRAM_ID & 1)
        name_program(build, took >> XPD_SINGLE_HLO_MODULE & 1, scratch, name);
    return rc;
}

static bool is_same(const struct xpd_event_name *a, const struct xpd_event_name *b)
{
    return a->caption == b->caption && a->tf_op == b->tf_op && a->source == b->source &&
           a->async == b->async && a->unfound == b->unfound && a->op == b->op &&
           a->category == b->category && a->program == b->program && a->program_id == b->program_id;
}

/* `base`: the name that all events of the metadata have. */
static bool put(struct xpd_trace_build *build, uint32_t base, const struct xpd_event_name *entry,
                uint32_t *name)
{
    uint32_t said[] = {base,
                       entry->caption,
                       entry->tf_op,
                       entry->source,
                       entry->async,
                       entry->unfound,
                       entry->op,
                       entry->category,
                       entry->program,
                       (uint32_t)entry->program_id,
                       (uint32_t)(entry->program_id >> 32)};
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

/* ---- those met lately ---- */

/* Kernels of one name come again and again with the same stats: what these made of it is kept by
 * their bare values, and found without the file and the lock. A step of a large model has thousands
 * of such operations. */
#define MET_LEAST 1024u
#define MET_MOST  65536u /* slots, half of them used; then it begins anew */
#define MET_MARKS 4
struct xpd_single_met {
    uint32_t plane, base, name, count; /* count 0: empty */
    uint64_t value[MET_MARKS];
    uint8_t mark[MET_MARKS], field[MET_MARKS];
};

/* Whether the marks say all: texts stand in the file only. */
static bool is_plain(const struct xpd_marked_stat *mark, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (mark[i].field != 3 && mark[i].field != 4 && mark[i].field != 7)
            return false;
    return count > 0 && count <= MET_MARKS;
}

static struct xpd_single_met met_of(uint32_t plane, uint32_t base,
                                    const struct xpd_marked_stat *mark, size_t count)
{
    struct xpd_single_met met = {.plane = plane, .base = base, .count = (uint32_t)count};
    for (size_t i = 0; i < count; i++) {
        met.value[i] = mark[i].value;
        met.mark[i] = mark[i].mark;
        met.field[i] = mark[i].field;
    }
    return met;
}

static bool is_met(const struct xpd_single_met *a, const struct xpd_single_met *b)
{
    return a->count == b->count && a->plane == b->plane && a->base == b->base &&
           memcmp(a->value, b->value, sizeof a->value) == 0 &&
           memcmp(a->mark, b->mark, sizeof a->mark) == 0 &&
           memcmp(a->field, b->field, sizeof a->field) == 0;
}

/* Where it is, or belongs; NULL: there is no table. */
static struct xpd_single_met *slot_of(const struct xpd_worker *worker,
                                      const struct xpd_single_met *met)
{
    uint64_t key = (uint64_t)met->plane << 32 | met->base;
    for (size_t i = 0; i < met->count; i++)
        key = (key ^ (met->value[i] << 12 | (uint64_t)met->mark[i] << 4 | met->field[i])) *
              UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t at = (uint32_t)(key >> 32); worker->met; at++) {
        struct xpd_single_met *slot = &worker->met[at & (worker->met_slots - 1)];
        if (slot->count == 0 || is_met(slot, met))
            return slot;
    }
    return NULL;
}

/* Without memory the table stays unchanged, and nothing more is cached. */
static void keep_met(struct xpd_worker *worker, const struct xpd_single_met *met)
{
    if (2 * worker->met_count >= worker->met_slots) {
        struct xpd_single_met *old = worker->met;
        uint32_t slots = worker->met_slots;
        bool anew = slots >= MET_MOST;
        uint32_t more = slots == 0 ? MET_LEAST : anew ? slots : 2 * slots;
        struct xpd_single_met *table = calloc(more, sizeof *table);
        if (!table)
            return;
        worker->met = table;
        worker->met_slots = more;
        worker->met_count = anew ? 0 : worker->met_count;
        for (uint32_t i = 0; i < slots && !anew; i++)
            if (old[i].count > 0)
                *slot_of(worker, &old[i]) = old[i];
        free(old);
    }
    *slot_of(worker, met) = *met;
    worker->met_count++;
}

int xpd_trace_single(struct xpd_worker *worker, uint32_t plane, uint64_t where,
                     const struct xpd_marked_stat *mark, size_t count, bool all, uint32_t *name)
{
    struct xpd_trace_build *build = worker->build;
    uint32_t base = *name;
    bool plain = all && is_plain(mark, count), known = false;
    struct xpd_single_met met = {0};
    if (plain) {
        met = met_of(plane, base, mark, count);
        const struct xpd_single_met *slot = slot_of(worker, &met);
        if (slot && slot->count > 0) {
            *name = slot->name;
            return XPD_OK;
        }
    }
    xpd_arena_reset(&worker->scratch);
    pthread_mutex_lock(&build->lock);
    struct xpd_event_name entry = build->trace->name[base];
    int rc = read_single(build, plane, where, &worker->scratch, &entry, &known, &worker->err);
    bool fine = rc != XPD_OK || is_same(&entry, &build->trace->name[base]) ||
                put(build, base, &entry, name);
    fine = fine && !build->trace->names.failed;
    pthread_mutex_unlock(&build->lock);
    met.name = *name;
    if (plain && fine && rc == XPD_OK && known)
        keep_met(worker, &met);
    return fine ? rc : xpd_worker_no_room(worker);
}
