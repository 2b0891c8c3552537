/* What XProf takes for the events of steps: on threads of a host, on streams of a GPU, on the lines
 * of a TPU's core. */
#include "step_events.h"

#include "busy.h"
#include "opstats_walk.h"
#include "xprofd/compat/gpu_steps.h"
#include "xprofd/trace/event_stat.h"

#include <stdlib.h>
#include <strings.h>

static struct xpd_xprof_step_span span_of(const struct xpd_file_event *event)
{
    uint64_t begin_ps = (uint64_t)xpd_file_start_ps(event);
    return (struct xpd_xprof_step_span){begin_ps, begin_ps + (uint64_t)xpd_file_duration_ps(event)};
}

static void mark(struct xpd_xprof_step_span *longest, struct xpd_xprof_step_span span)
{
    if (xpd_step_length(span) > xpd_step_length(*longest))
        *longest = span;
}

static bool starts_any_case(struct xpd_str text, const char *prefix)
{
    size_t size = strlen(prefix);
    return text.size >= size && strncasecmp(text.data, prefix, size) == 0;
}

static const struct xpd_stat_value *find(const struct xpd_stat_value *stat, uint32_t count,
                                         const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (xpd_str_eq(stat[i].name, xpd_str_of(name)))
            return &stat[i];
    return NULL;
}

static uint64_t any_integer(const struct xpd_stat_value *stat)
{
    return stat && xpd_stat_is_integer(stat->type) ? (uint64_t)stat->integer : 0;
}

/* A stat that the event has; 0 where it is no integer. */
static bool told(const struct xpd_event_said *said, uint32_t what, uint64_t *value)
{
    *value = 0;
    if (!said || !(said->has >> what & 1))
        return false;
    (void)xpd_said_integer(said, what, value);
    return true;
}

/* "" where the event has no such stat. */
static struct xpd_str told_text(const struct xpd_event_reader *reader,
                                const struct xpd_event_said *said, uint32_t what)
{
    return said && (said->has >> what & 1)
               ? xpd_said_text(&said->stat[what], &reader->trace->tables[reader->plane],
                               &reader->trace->names)
               : XPD_STR("");
}

/* The stats of an event's metadata, until the next call. */
static int shared_stats(const struct xpd_file_plane *plane, const struct xpd_file_event *event,
                        struct xpd_arena *scratch, struct xpd_stat_value **stat, uint32_t *count,
                        struct xpd_err *err)
{
    const struct xpd_event_name *name = &plane->trace->name[event->depth->name[event->index]];
    *stat = NULL;
    *count = 0;
    xpd_arena_reset(scratch);
    return name->metadata == XPD_NO_METADATA
               ? XPD_OK
               : xpd_metadata_stats(plane->trace, name->plane, name->metadata, scratch, stat, count,
                                    err);
}

static const struct xpd_event_said *said_of(struct xpd_event_reader *reader,
                                            const struct xpd_file_event *event)
{
    return xpd_event_reader_at(reader, event->depth, event->index);
}

static int no_room(struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, "host", XPD_NO_OFFSET,
                    "the steps of this host do not fit the memory of a request");
}

/* The id of the line of steps that XProf made before it wrote the file: 32 bits with a sign. */
#define STEPS_ID ((int64_t)(int32_t)XPD_DERIVED_ID)

/* ---- names of a host ---- */

enum { NOT_SEEN, MARKER = XPD_STEP_KINDS + 1, NO_COMPUTE };

static bool is_marker(struct xpd_str name)
{
    return (xpd_str_starts(name, "train") || xpd_str_starts(name, "test") ||
            xpd_str_starts(name, "TraceContext")) &&
           !(name.size && memchr(name.data, '/', name.size));
}

static bool has_colon(struct xpd_str name)
{
    return name.size && memchr(name.data, ':', name.size);
}

/* "name:InfeedEnqueueTuple" */
static bool is_infeed(struct xpd_str name)
{
    const char *colon = name.size ? memchr(name.data, ':', name.size) : NULL;
    size_t before = colon ? (size_t)(colon - name.data) : 0;
    return before > 0 &&
           xpd_str_starts((struct xpd_str){colon + 1, name.size - before - 1}, "InfeedEnqueue");
}

static uint8_t kind_on_host(struct xpd_str name)
{
    static const char *const runs[] = {"EagerExecute", "EagerLocalExecute", "EagerKernelExecute",
                                       "FunctionRun"};
    if (is_marker(name))
        return MARKER;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (xpd_str_starts(name, runs[i]))
            return NO_COMPUTE;
    if (!has_colon(name) && starts_any_case(name, "MEMCPYHToD"))
        return XPD_STEP_HOST_TO_DEVICE;
    if (!has_colon(name) && starts_any_case(name, "MEMCPYHToH"))
        return XPD_STEP_HOST_TO_HOST;
    if (is_infeed(name))
        return XPD_STEP_HOST_TO_DEVICE;
    return starts_any_case(name, "IteratorGetNext") ? XPD_STEP_WAIT_INPUT : XPD_STEP_HOST_COMPUTE;
}

/* ---- stages of input pipelines ---- */

struct stage { /* an event of a thread, as those nested in it see it */
    struct xpd_xprof_step_span span;
    bool is_stage, below_stage;
};
struct stages {
    bool known; /* the plane has stages */
    struct xpd_map64 producer;
    XPD_VEC(struct stage) stack;
};

/* Stats of a host's events. */
enum { MAKES_TYPE, MAKES, TAKES_TYPE, TAKES, STAGE, STEP_NAME };
static const char *const host_stat[] = {"_pt", "_p", "_ct", "_c", "_ipl_stage_name", "step_name"};

static uint64_t link_key(uint64_t type, uint64_t id)
{
    uint64_t pair[2] = {type, id};
    return xpd_hash(pair, sizeof pair);
}

/* Links that some event of the plane makes. */
static void find_producers(struct stages *stages, struct xpd_event_reader *reader,
                           const struct xpd_file_plane *plane)
{
    for (uint32_t l = 0; l < plane->line_count; l++)
        for (uint32_t i = 0; i < plane->line[l].count; i++) {
            const struct xpd_event_said *said = said_of(reader, &plane->line[l].event[i]);
            uint64_t type, id;
            if (told(said, MAKES_TYPE, &type) && told(said, MAKES, &id))
                xpd_map64_put(&stages->producer, link_key(type, id), 0);
        }
}

/* A stage that no other one holds, nor makes over a link. */
static bool is_root_stage(struct stages *stages, struct xpd_event_reader *reader,
                          const struct xpd_file_event *event)
{
    struct stage here = {.span = span_of(event)};
    const struct xpd_event_said *said = said_of(reader, event);
    uint64_t type, id;
    here.is_stage = told_text(reader, said, STAGE).size > 0;
    here.below_stage = told(said, TAKES_TYPE, &type) && told(said, TAKES, &id) &&
                       xpd_map64_get(&stages->producer, link_key(type, id)) != XPD_NO_INDEX;
    while (stages->stack.count &&
           !xpd_step_includes(stages->stack.at[stages->stack.count - 1].span, here.span))
        stages->stack.count--;
    if (stages->stack.count) {
        const struct stage *parent = &stages->stack.at[stages->stack.count - 1];
        here.below_stage |= parent->below_stage || parent->is_stage;
    }
    XPD_PUSH(&stages->stack, here);
    return here.is_stage && !here.below_stage;
}

/* ---- the threads of a host ---- */

struct host_walk {
    struct xpd_step_map *out;
    const struct xpd_file_plane *plane;
    uint8_t *kind;   /* by name */
    bool says_names; /* events may have the name of their step: files with groups */
    struct stages stages;
    struct xpd_event_reader reader; /* by host_stat */
    struct xpd_arena *arena;        /* of names in the file */
};

/* The first event of a group is named after the group, whatever its own name. */
static struct xpd_str step_name_of(struct host_walk *walk, const struct xpd_file_event *event)
{
    struct xpd_str name =
        xpd_xprof_step_name_of(walk->plane->derived, event->depth->first_event + event->index);
    if (name.size > 0 || !walk->says_names)
        return name;
    return xpd_arena_str(walk->arena,
                         told_text(&walk->reader, said_of(&walk->reader, event), STEP_NAME));
}

static void add_host_event(struct host_walk *walk, const struct xpd_file_event *event,
                           int64_t group, struct xpd_str step_name, bool root_stage)
{
    uint32_t name = event->depth->name[event->index];
    struct xpd_step_events *step = xpd_step_map_put(walk->out, group);
    if (!step)
        return;
    if (walk->kind[name] == NOT_SEEN)
        walk->kind[name] = kind_on_host(xpd_file_name(walk->plane, event));
    uint8_t kind = walk->kind[name];
    if (kind == MARKER || step_name.size > 0) {
        mark(&step->host, span_of(event));
    } else if (kind != NO_COMPUTE) {
        if (root_stage && kind == XPD_STEP_HOST_COMPUTE)
            kind = XPD_STEP_WAIT_INPUT;
        XPD_PUSH(&step->part, ((struct xpd_step_part){span_of(event), kind}));
    }
    if (step_name.size > 0)
        step->name = step_name;
}

static void walk_thread(struct host_walk *walk, const struct xpd_file_line *line)
{
    walk->stages.stack.count = 0;
    for (uint32_t i = 0; i < line->count; i++) {
        const struct xpd_file_event *event = &line->event[i];
        int64_t group = xpd_file_group(walk->plane, event);
        bool root = walk->stages.known && is_root_stage(&walk->stages, &walk->reader, event);
        if (group >= 0)
            add_host_event(walk, event, group, step_name_of(walk, event), root);
    }
}

/* Tasks of thread pools, over which XProf draws events of their own. */
static void add_regions(struct host_walk *walk)
{
    struct xpd_group_span region;
    const struct xpd_trace *trace = walk->plane->trace;
    for (uint32_t i = 0; xpd_derived_region(walk->plane->derived, i, &region); i++) {
        const struct xpd_trace_row *row = &trace->row[region.row];
        if (region.group == XPD_NO_GROUP ||
            trace->process[row->process].plane != walk->plane->number)
            continue;
        struct xpd_step_events *step = xpd_step_map_put(walk->out, region.group);
        struct xpd_xprof_step_span span = {(uint64_t)region.start_ps, (uint64_t)region.end_ps};
        if (step)
            XPD_PUSH(&step->part, ((struct xpd_step_part){span, XPD_STEP_HOST_COMPUTE}));
    }
}

int xpd_step_events_host(struct xpd_step_map *out, struct xpd_file_plane *plane,
                         struct xpd_arena *arena, struct xpd_err *err)
{
    struct host_walk walk = {.out = out, .plane = plane, .arena = arena};
    walk.says_names = xpd_file_knows(plane, "step_name");
    walk.stages.known = xpd_file_knows(plane, "_ipl_stage_name");
    walk.kind = calloc((size_t)plane->trace->name_count + 1, sizeof *walk.kind);
    bool fine = xpd_event_reader_init(&walk.reader, plane->trace, host_stat,
                                      sizeof host_stat / sizeof *host_stat) &&
                walk.kind;
    if (fine && walk.stages.known)
        find_producers(&walk.stages, &walk.reader, plane);
    for (uint32_t l = 0; fine && l < plane->line_count; l++)
        walk_thread(&walk, &plane->line[l]);
    if (fine)
        add_regions(&walk);
    fine = fine && !out->failed && !walk.stages.producer.failed && !walk.stages.stack.failed;
    xpd_map64_fini(&walk.stages.producer);
    XPD_VEC_FINI(&walk.stages.stack);
    xpd_event_reader_fini(&walk.reader);
    free(walk.kind);
    return fine ? XPD_OK : no_room(err);
}

/* ---- the streams of a GPU ---- */

static uint8_t kind_on_gpu(struct xpd_str name, struct xpd_str shapes)
{
    if (!has_colon(name) && starts_any_case(name, "MEMCPYHToD"))
        return XPD_STEP_HOST_TO_DEVICE;
    if (!has_colon(name) && starts_any_case(name, "MEMCPYDToH"))
        return XPD_STEP_DEVICE_TO_HOST;
    if (!has_colon(name) && starts_any_case(name, "MEMCPYDToD"))
        return XPD_STEP_DEVICE_TO_DEVICE;
    if (starts_any_case(name, "nccl"))
        return XPD_STEP_COLLECTIVES;
    bool half = shapes.size == 0 ? xpd_str_find(name, XPD_STR("half"), false) != SIZE_MAX ||
                                       xpd_str_find(name, XPD_STR("fp16"), false) != SIZE_MAX
                                 : xpd_str_find(shapes, XPD_STR("half"), false) != SIZE_MAX;
    return half ? XPD_STEP_COMPUTE_16 : XPD_STEP_COMPUTE_32;
}

/* Reads a stream again for two stats: events of the file in parallel with those of the trace, both
 * in file order. */
struct stream_walk {
    struct xpd_step_map *out;
    const struct xpd_file_plane *plane;
    const struct xpd_file_line *line;
    struct xpd_ops_walk file;
    uint32_t at; /* in the line */
};
enum { LAUNCH, SHAPE };
static const char *const stream_stat[] = {"correlation_id", "shape"};

static bool take_kernel(void *user, const struct xpd_ops_event *read)
{
    struct stream_walk *walk = user;
    const struct xpd_file_event *event = xpd_file_event_at(walk->line, &walk->at, read->where);
    int64_t group = event ? xpd_file_group(walk->plane, event) : -1;
    if (walk->at == walk->line->count)
        return false;
    if (group < 0 || !read->stat[LAUNCH].field || xpd_ops_int(&read->stat[LAUNCH]) < 0)
        return true;
    struct xpd_step_events *step = xpd_step_map_put(walk->out, group);
    if (!step)
        return false;
    uint8_t kind = kind_on_gpu(xpd_file_name(walk->plane, event),
                               xpd_ops_text(&walk->file, &read->stat[SHAPE]));
    XPD_PUSH(&step->part, ((struct xpd_step_part){span_of(event), kind}));
    return true;
}

static int walk_streams(struct xpd_step_map *out, const struct xpd_file_plane *plane,
                        struct xpd_err *err)
{
    struct stream_walk walk = {.out = out, .plane = plane};
    int rc = xpd_ops_walk_init(&walk.file, plane->trace, err);
    if (rc != XPD_OK)
        return rc;
    xpd_ops_walk_plane(&walk.file, plane->number, stream_stat,
                       sizeof stream_stat / sizeof *stream_stat);
    for (uint32_t l = 0; l < plane->line_count; l++) {
        walk.line = &plane->line[l];
        walk.at = 0;
        if (!xpd_ops_is_made(walk.line->line))
            xpd_ops_walk_line(&walk.file, walk.line->line, take_kernel, &walk);
    }
    xpd_ops_walk_fini(&walk.file);
    return XPD_OK;
}

static void mark_device(struct xpd_step_map *marks, int64_t group, uint32_t core,
                        struct xpd_xprof_step_span span)
{
    struct xpd_step_events *step = xpd_step_map_put(marks, group);
    struct xpd_step_on_core *on = step ? xpd_step_core_put(marks, step, core) : NULL;
    if (!on)
        return;
    mark(&step->device, span);
    mark(&on->mark, span);
}

static void mark_depth(struct xpd_step_map *marks, const struct xpd_file_plane *plane,
                       const struct xpd_depth *depth, uint64_t first, const int64_t *end_ps)
{
    for (uint32_t i = 0; i < depth->count; i++) {
        struct xpd_file_event event = {depth, i};
        struct xpd_xprof_step_span span = span_of(&event);
        uint32_t group = xpd_derived_fact_of(plane->derived, depth->first_event + i).group;
        if (end_ps)
            span.end_ps = (uint64_t)end_ps[depth->first_event - first + i];
        if (group != XPD_NO_GROUP)
            mark_device(marks, group, (uint32_t)plane->plane->id, span);
    }
}

/* The row Steps that XProf makes of the groups of a GPU's kernels. */
static void mark_derived(struct xpd_step_map *marks, const struct xpd_file_plane *plane)
{
    const struct xpd_derived *derived = plane->derived;
    for (uint32_t r = 0; !xpd_groups_said(derived) && r < derived->row_count; r++) {
        const struct xpd_trace_row *row = &derived->row[r];
        if (row->id != XPD_DERIVED_ID || plane->trace->process[row->process].plane != plane->number)
            continue;
        int64_t *end_ps;
        marks->failed |= !xpd_gpu_step_ends(derived, r, &end_ps);
        for (uint32_t d = 0; d < row->depth_count; d++)
            mark_depth(marks, plane, &derived->depth[row->first_depth + d],
                       derived->depth[row->first_depth].first_event, end_ps);
        free(end_ps);
    }
}

static void mark_line(struct xpd_step_map *marks, const struct xpd_file_plane *plane,
                      const struct xpd_file_line *line, uint32_t core)
{
    for (uint32_t i = 0; i < line->count; i++) {
        int64_t group = xpd_file_group(plane, &line->event[i]);
        if (group >= 0)
            mark_device(marks, group, core, span_of(&line->event[i]));
    }
}

/* Steps without a mark do not count. */
static int settle(struct xpd_step_map *out, struct xpd_step_map *marks, int rc, struct xpd_err *err)
{
    if (rc == XPD_OK && out->step.count > 0) {
        if (marks->step.count == 0)
            xpd_step_map_fini(out);
        else
            xpd_step_map_intersect(out, marks);
    }
    bool failed = marks->failed || out->failed;
    xpd_step_map_fini(marks);
    return rc == XPD_OK && failed ? no_room(err) : rc;
}

int xpd_step_events_gpu(struct xpd_step_map *out, struct xpd_file_plane *plane,
                        struct xpd_arena *arena, struct xpd_err *err)
{
    struct xpd_step_map marks = {0};
    (void)arena;
    for (uint32_t l = 0; l < plane->line_count; l++)
        if (plane->line[l].line->id == STEPS_ID)
            mark_line(&marks, plane, &plane->line[l], (uint32_t)plane->plane->id);
    int rc = walk_streams(out, plane, err);
    mark_derived(&marks, plane);
    return settle(out, &marks, rc, err);
}

/* ---- the cores of a TPU ---- */

struct op { /* an open one, with the operations inside it */
    struct xpd_xprof_step_span span;
    uint64_t children_ps;
    int64_t group;
    uint32_t name;
};
struct op_name { /* of all executions */
    bool seen, counts;
    struct xpd_str category;
};
struct core_walk {
    struct xpd_step_map *out;
    const struct xpd_file_plane *plane;
    uint32_t core;
    struct op_name *name;
    struct xpd_event_reader reader; /* by core_stat */
    struct xpd_arena *arena;
    struct xpd_arena scratch;
    XPD_VEC(struct xpd_str) category;
    XPD_VEC(struct op) stack;
};
enum { CORE_OFFSET, CORE_DURATION, REDUCE };
static const char *const core_stat[] = {"device_offset_ps", "device_duration_ps",
                                        "all_reduce_unique_id"};

static bool core_walk_init(struct core_walk *walk)
{
    return xpd_event_reader_init(&walk->reader, walk->plane->trace, core_stat,
                                 sizeof core_stat / sizeof *core_stat);
}

static void core_walk_fini(struct core_walk *walk)
{
    XPD_VEC_FINI(&walk->category);
    XPD_VEC_FINI(&walk->stack);
    xpd_event_reader_fini(&walk->reader);
    xpd_arena_fini(&walk->scratch);
}

/* By the chip's own clock where the event tells both its start and its length on it. */
static struct xpd_xprof_step_span device_span(const struct xpd_file_event *event,
                                              const struct xpd_event_said *said)
{
    uint64_t offset, duration;
    if (!told(said, CORE_OFFSET, &offset) || !told(said, CORE_DURATION, &duration))
        return span_of(event);
    return (struct xpd_xprof_step_span){offset, offset + duration};
}

/* Thousands of operations have a few categories. */
static struct xpd_str keep_category(struct core_walk *walk, struct xpd_str text)
{
    for (size_t i = 0; i < walk->category.count; i++)
        if (xpd_str_eq(walk->category.at[i], text))
            return walk->category.at[i];
    struct xpd_str kept = xpd_arena_str(walk->arena, text);
    XPD_PUSH(&walk->category, kept);
    return kept;
}

/* XProf counts an operation by its program and symbol; what lacks either, or is the root symbol, it
 * leaves out. */
static bool counts(const struct xpd_stat_value *stat, uint32_t count)
{
    return find(stat, count, "program_id") && any_integer(find(stat, count, "symbol_id")) != 0;
}

static int learn_name(struct core_walk *walk, const struct xpd_file_event *event,
                      struct xpd_err *err)
{
    struct op_name *of = &walk->name[event->depth->name[event->index]];
    struct xpd_stat_value *stat;
    uint32_t count;
    if (of->seen)
        return XPD_OK;
    int rc = shared_stats(walk->plane, event, &walk->scratch, &stat, &count, err);
    if (rc != XPD_OK)
        return rc;
    const struct xpd_stat_value *category = find(stat, count, "hlo_category");
    of->seen = true;
    of->counts = counts(stat, count);
    if (category)
        of->category = keep_category(walk, xpd_stat_text(category));
    return XPD_OK;
}

static void add_category(struct core_walk *walk, const struct op *op)
{
    const struct op_name *name = &walk->name[op->name];
    struct xpd_step_events *step = xpd_step_map_put(walk->out, op->group);
    struct xpd_step_on_core *on = step ? xpd_step_core_put(walk->out, step, walk->core) : NULL;
    if (!on)
        return;
    on->ran = true;
    if (!name->counts)
        return;
    uint64_t self_ps = xpd_step_length(op->span) - op->children_ps;
    for (size_t i = 0; i < on->category.count; i++)
        if (xpd_str_eq(on->category.at[i].name, name->category)) {
            on->category.at[i].self_ps += self_ps;
            return;
        }
    XPD_PUSH(&on->category, ((struct xpd_step_category){name->category, self_ps}));
    walk->out->failed |= on->category.failed;
}

static void pop_until(struct core_walk *walk, const struct xpd_xprof_step_span *span)
{
    while (walk->stack.count) {
        struct op *top = &walk->stack.at[walk->stack.count - 1];
        if (span && xpd_step_includes(top->span, *span))
            return;
        add_category(walk, top);
        walk->stack.count--;
    }
}

static void add_reduce(struct core_walk *walk, int64_t group, const struct xpd_file_event *event,
                       const struct xpd_event_said *said)
{
    uint64_t id, offset, duration;
    struct xpd_step_events *step =
        told(said, REDUCE, &id) ? xpd_step_map_put(walk->out, group) : NULL;
    if (!step)
        return;
    struct xpd_xprof_step_span span = span_of(event);
    if (told(said, CORE_OFFSET, &offset))
        span.begin_ps = offset;
    if (told(said, CORE_DURATION, &duration))
        span.end_ps = span.begin_ps + duration;
    XPD_PUSH(&step->reduce, ((struct xpd_step_reduce){walk->core, id, xpd_step_length(span)}));
}

static int walk_op(struct core_walk *walk, const struct xpd_file_event *event, struct xpd_err *err)
{
    int64_t group = xpd_file_group(walk->plane, event);
    if (group < 0)
        return XPD_OK;
    int rc = learn_name(walk, event, err);
    if (rc != XPD_OK)
        return rc;
    const struct xpd_event_said *said = said_of(&walk->reader, event);
    struct op op = {
        .span = device_span(event, said), .group = group, .name = event->depth->name[event->index]};
    pop_until(walk, &op.span);
    if (walk->stack.count)
        walk->stack.at[walk->stack.count - 1].children_ps += xpd_step_length(op.span);
    XPD_PUSH(&walk->stack, op);
    add_reduce(walk, group, event, said);
    return XPD_OK;
}

/* Marks by the device's clock; events of one step behind each other are one mark. */
static void mark_steps(struct core_walk *walk, struct xpd_step_map *marks,
                       const struct xpd_file_line *line)
{
    int64_t last = -1;
    struct xpd_xprof_step_span whole = {0, 0};
    for (uint32_t i = 0; i < line->count; i++) {
        int64_t group = xpd_file_group(walk->plane, &line->event[i]);
        if (group < 0) {
            last = -1;
            continue;
        }
        struct xpd_xprof_step_span span =
            device_span(&line->event[i], said_of(&walk->reader, &line->event[i]));
        if (group == last) {
            whole.begin_ps = span.begin_ps < whole.begin_ps ? span.begin_ps : whole.begin_ps;
            whole.end_ps = span.end_ps > whole.end_ps ? span.end_ps : whole.end_ps;
        } else {
            whole = span;
        }
        last = group;
        mark_device(marks, group, walk->core, whole);
    }
}

static bool is_op_line(struct xpd_str name)
{
    return xpd_str_eq(name, XPD_STR("XLA Ops")) || xpd_str_eq(name, XPD_STR("Framework Ops"));
}

static int walk_core(struct core_walk *walk, struct xpd_step_map *marks, struct xpd_err *err)
{
    int rc = XPD_OK;
    for (uint32_t l = 0; rc == XPD_OK && l < walk->plane->line_count; l++) {
        const struct xpd_file_line *line = &walk->plane->line[l];
        if (line->line->id == STEPS_ID || xpd_str_eq(line->name, XPD_STR("Steps")))
            mark_steps(walk, marks, line);
        else if (line->count > 0 && !xpd_ops_is_made(line->line) && is_op_line(line->name)) {
            xpd_step_map_fini(walk->out); /* the last line of operations alone counts */
            for (uint32_t i = 0; rc == XPD_OK && i < line->count; i++)
                rc = walk_op(walk, &line->event[i], err);
            pop_until(walk, NULL);
        }
    }
    return rc;
}

int xpd_step_events_tpu(struct xpd_step_map *out, struct xpd_file_plane *plane,
                        struct xpd_arena *arena, struct xpd_err *err)
{
    struct xpd_step_map marks = {0};
    struct core_walk walk = {.out = out, .plane = plane, .arena = arena};
    walk.core = (uint32_t)plane->plane->id;
    walk.name = calloc((size_t)plane->trace->name_count + 1, sizeof *walk.name);
    int rc = core_walk_init(&walk) && walk.name ? walk_core(&walk, &marks, err) : no_room(err);
    out->failed |= walk.stack.failed || walk.category.failed;
    core_walk_fini(&walk);
    free(walk.name);
    return settle(out, &marks, rc, err);
}

/* ---- SparseCores ---- */

enum { SPARSE_BUSY, SPARSE_INFEED, SPARSE_OUTFEED, SPARSE_KINDS };
static const char *const sparse_category[] = {"busy", "infeed", "outfeed"};

struct sparse_name { /* what all executions of an operation are */
    bool seen, has_category, waits;
    uint8_t kind;
};
struct sparse_walk {
    const struct xpd_step_map *map;
    bool own;                          /* the steps are the SparseCore's */
    uint64_t (*kind_ps)[SPARSE_KINDS]; /* by step */
    uint64_t ops;                      /* that do not wait */
    struct xpd_busy work;
    struct sparse_name *name;
    struct xpd_event_reader reader; /* by sparse_stat */
    struct xpd_arena scratch;
};
static const char *const sparse_stat[] = {"hlo_category"};

/* The part of it inside of each step. */
static void add_busy(void *user, const struct xpd_busy_op *op, struct xpd_xprof_step_span own)
{
    struct sparse_walk *walk = user;
    for (size_t s = 0; s < walk->map->step.count; s++) {
        struct xpd_xprof_step_span step = xpd_step_time(&walk->map->step.at[s]);
        uint64_t begin_ps = own.begin_ps > step.begin_ps ? own.begin_ps : step.begin_ps;
        uint64_t end_ps = own.end_ps < step.end_ps ? own.end_ps : step.end_ps;
        walk->kind_ps[s][op->kind] += end_ps > begin_ps ? end_ps - begin_ps : 0;
    }
}

/* In steps of its own what a SparseCore is fed is no idle time, if the operation has a program and
 * a symbol; in those of a TensorCore it is idle. */
static uint8_t sparse_kind(const struct sparse_walk *walk, const struct xpd_stat_value *shared,
                           uint32_t count)
{
    const struct xpd_stat_value *category = find(shared, count, "hlo_category");
    bool fed = walk->own && category && counts(shared, count);
    for (uint8_t kind = SPARSE_INFEED; fed && kind < SPARSE_KINDS; kind++)
        if (xpd_str_eq(xpd_stat_text(category), xpd_str_of(sparse_category[kind])))
            return kind;
    return SPARSE_BUSY;
}

static int learn_sparse_name(struct sparse_walk *walk, const struct xpd_file_plane *plane,
                             const struct xpd_file_event *event, struct xpd_err *err)
{
    struct sparse_name *of = &walk->name[event->depth->name[event->index]];
    struct xpd_stat_value *stat;
    uint32_t count;
    if (of->seen)
        return XPD_OK;
    int rc = shared_stats(plane, event, &walk->scratch, &stat, &count, err);
    if (rc != XPD_OK)
        return rc;
    const struct xpd_stat_value *category = find(stat, count, "hlo_category");
    *of = (struct sparse_name){.seen = true,
                               .has_category = category,
                               .waits = category && xpd_busy_waits(xpd_stat_text(category)),
                               .kind = sparse_kind(walk, stat, count)};
    return XPD_OK;
}

static int walk_sparse_op(struct sparse_walk *walk, const struct xpd_file_plane *plane,
                          const struct xpd_file_event *event, struct xpd_err *err)
{
    int rc = learn_sparse_name(walk, plane, event, err);
    if (rc != XPD_OK)
        return rc;
    struct sparse_name is = walk->name[event->depth->name[event->index]];
    if (!is.has_category) { /* then the event's own */
        const struct xpd_event_said *said = said_of(&walk->reader, event);
        is.has_category = said && (said->has & 1);
        is.waits = is.has_category && xpd_busy_waits(told_text(&walk->reader, said, 0));
    }
    struct xpd_busy_op op = {
        .span = span_of(event),
        .sparse = true,
        .nameless = !is.has_category,
        .waits = is.waits && is.kind == SPARSE_BUSY,
        .kind = is.kind,
    };
    walk->ops += !op.waits;
    xpd_busy_add(&walk->work, &op);
    return XPD_OK;
}

/* Adds up by the host's clock, although steps are marked by the chip's. */
static int sparse_busy(struct sparse_walk *walk, const struct xpd_file_plane *plane,
                       struct xpd_err *err)
{
    int rc =
        xpd_event_reader_init(&walk->reader, plane->trace, sparse_stat, 1) ? XPD_OK : no_room(err);
    for (uint32_t l = 0; rc == XPD_OK && l < plane->line_count; l++) {
        const struct xpd_file_line *line = &plane->line[l];
        if (!xpd_str_eq(line->name, XPD_STR("Sparse Core Ops")))
            continue;
        for (uint32_t i = 0; rc == XPD_OK && i < line->count; i++)
            rc = walk_sparse_op(walk, plane, &line->event[i], err);
        xpd_busy_end(&walk->work);
    }
    bool failed = walk->work.failed;
    xpd_busy_fini(&walk->work);
    xpd_event_reader_fini(&walk->reader);
    xpd_arena_fini(&walk->scratch);
    return rc == XPD_OK && failed ? no_room(err) : rc;
}

static uint32_t sparse_core(const struct xpd_file_plane *plane)
{
    return (uint32_t)plane->plane->id + XPD_STEP_SPARSE_CORE;
}

/* As categories of a core of its own. */
static bool put_busy(const struct sparse_walk *walk, struct xpd_step_map *map, uint32_t core)
{
    for (size_t s = 0; s < map->step.count; s++) {
        struct xpd_step_on_core *on = xpd_step_core_put(map, &map->step.at[s], core);
        if (!on)
            return false;
        on->ran = true;
        for (int kind = 0; kind < SPARSE_KINDS; kind++)
            XPD_PUSH(&on->category, ((struct xpd_step_category){xpd_str_of(sparse_category[kind]),
                                                                walk->kind_ps[s][kind]}));
        map->failed |= on->category.failed;
    }
    return true;
}

int xpd_step_events_sparse(struct xpd_step_map *map, struct xpd_file_plane *plane, bool own,
                           struct xpd_arena *arena, bool *ran, struct xpd_err *err)
{
    struct sparse_walk walk = {.map = map, .own = own, .work = {.take = add_busy, .user = &walk}};
    walk.kind_ps = xpd_arena_calloc(arena, map->step.count, sizeof *walk.kind_ps);
    walk.name = calloc((size_t)plane->trace->name_count + 1, sizeof *walk.name);
    int rc = walk.kind_ps && walk.name ? sparse_busy(&walk, plane, err) : no_room(err);
    free(walk.name);
    *ran = rc == XPD_OK && (walk.ops > 0 || own) && map->step.count > 0;
    if (*ran && !put_busy(&walk, map, sparse_core(plane)))
        return no_room(err);
    return rc;
}

int xpd_step_marks_sparse(struct xpd_step_map *out, struct xpd_file_plane *plane,
                          struct xpd_err *err)
{
    struct core_walk walk = {.out = out, .plane = plane, .core = sparse_core(plane)};
    int rc = core_walk_init(&walk) ? XPD_OK : no_room(err);
    for (uint32_t l = 0; rc == XPD_OK && l < plane->line_count; l++)
        if (xpd_str_eq(plane->line[l].name, XPD_STR("Sparse Core Steps")))
            mark_steps(&walk, out, &plane->line[l]);
    core_walk_fini(&walk);
    return rc;
}
