/* See request_notes.h. */
#include "request_notes.h"

#include "opstats_walk.h"
#include "xprofd/base/order.h"
#include "xprofd/trace/groups.h"

#include <inttypes.h>

/* In XProf's order of types: the last one that sets a value counts. */
static const struct event_type {
    const char *name;
    uint8_t role, kind;
} types[] = {
    {"SessionRun", XPD_NOTE_SESSION_RUN, 0},
    {"TfrtModelRun", XPD_NOTE_TFRT_RUN, 0},
    {"ServingModelRun", XPD_NOTE_SERVING_RUN, 0},
    {"RunGraph", XPD_NOTE_GRAPH, 0},
    {"BatchingSessionRun", XPD_NOTE_BATCHING, 0},
    {"ProcessBatch", XPD_NOTE_PROCESS, 0},
    {"OrbaxServing::ProcessBatch", XPD_NOTE_PROCESS, 0},
    {"ScheduleWithSplit", XPD_NOTE_SCHEDULE, 0},
    {"ScheduleWithoutSplit", XPD_NOTE_SCHEDULE, 0},
    {"ScheduleWithEagerSplit", XPD_NOTE_SCHEDULE, 0},
    {"ASBSQueue::Schedule", XPD_NOTE_SCHEDULE, 0},
    {"ConcatInputTensors", XPD_NOTE_CONCAT, 0},
    {"OrbaxServing::ConcatInputBuffers", XPD_NOTE_CONCAT, 0},
    {"MergeInputTensors", XPD_NOTE_CONCAT, 0},
    {"BrainSessionRun", XPD_NOTE_CONCAT, 0},
    {"ReadHbm", XPD_NOTE_TRANSFER, XPD_STEP_DEVICE_TO_HOST},
    {"TransferD2HRequest", XPD_NOTE_TRANSFER, XPD_STEP_DEVICE_TO_HOST},
    {"WriteHbm", XPD_NOTE_TRANSFER, XPD_STEP_HOST_TO_DEVICE},
    {"TransferH2DRequest", XPD_NOTE_TRANSFER, XPD_STEP_HOST_TO_DEVICE},
    {"TransferPreprocessedH2DRequest", XPD_NOTE_TRANSFER, XPD_STEP_HOST_TO_DEVICE},
    {"tpu::System::TransferToDevice=>IssueEvent", XPD_NOTE_TRANSFER_BEGIN, XPD_STEP_HOST_TO_DEVICE},
    {"tpu::System::TransferToDevice=>IssueEvent=>Done", XPD_NOTE_TRANSFER_END,
     XPD_STEP_HOST_TO_DEVICE},
    {"tpu::System::TransferFromDevice=>IssueEvent", XPD_NOTE_TRANSFER_BEGIN,
     XPD_STEP_DEVICE_TO_HOST},
    {"tpu::System::TransferFromDevice=>IssueEvent=>Done", XPD_NOTE_TRANSFER_END,
     XPD_STEP_DEVICE_TO_HOST},
    {"TPUPartitionedCallOp-ExecuteLocal", XPD_NOTE_EXECUTE, 0},
    {"TPUPartitionedCallOp-ExecuteRemote", XPD_NOTE_EXECUTE, 0},
    {"TPUPartitionedCallOp-InitializeVarOnTPU", XPD_NOTE_EXECUTE, 0},
    {"tpu::System::Execute", XPD_NOTE_EXECUTE, 0},
    {"DoEnqueueProgram", XPD_NOTE_LAUNCH, 0},
    {"DoEnqueueContinuationProgram", XPD_NOTE_LAUNCH, 0},
    {"CompleteCallbacks", XPD_NOTE_COMPLETE, 0},
    {"Linearize", XPD_NOTE_TENSOR, 0},
    {"Delinearize", XPD_NOTE_TENSOR, 0},
    {"TransferBufferFromDevice-FastPath", XPD_NOTE_TENSOR, 0},
    {"", XPD_NOTE_MARKED, 0},
};
enum { TYPES = sizeof types / sizeof *types, MARKED_TYPE = TYPES - 1, NO_TYPE = UINT8_MAX };

enum { ROOT, MODEL, TASK_SIZE, PADDING, PADDED, CONSUMER, SHAPE, LAYOUT, ASKED };
static const char *const asked[ASKED] = {"_r",
                                         "model_id",
                                         "batching_input_task_size",
                                         "padding_amount",
                                         "batch_size_after_padding",
                                         "_c",
                                         "shape",
                                         "layout"};

struct taking {
    struct xpd_request_notes *out;
    const struct xpd_file_host *host;
    struct xpd_arena *arena;
    struct xpd_file_plane plane;
    struct xpd_ops_walk walk;
    const struct xpd_file_line *line;
    uint32_t at;   /* in the line */
    uint8_t *type; /* by name; NO_TYPE */
};

static void put_span(struct taking *t, uint32_t group, struct xpd_xprof_step_span span)
{
    uint32_t at = xpd_map64_get(&t->out->time_at, group);
    if (at == XPD_NO_INDEX) {
        xpd_map64_put(&t->out->time_at, group, (uint32_t)t->out->time.count);
        XPD_PUSH(&t->out->time, ((struct xpd_group_time){group, span}));
        return;
    }
    struct xpd_xprof_step_span *known = &t->out->time.at[at].span;
    if (known->begin_ps == 0 || span.begin_ps < known->begin_ps)
        known->begin_ps = span.begin_ps;
    if (span.end_ps > known->end_ps)
        known->end_ps = span.end_ps;
}

static struct xpd_str model_text(struct taking *t, const struct xpd_said *stat)
{
    if (stat->field == XPD_SAID_DOUBLE)
        return xpd_str_of(xpd_arena_printf(t->arena, "%g", xpd_ops_double(stat)));
    if (stat->field == XPD_SAID_UINT)
        return xpd_str_of(xpd_arena_printf(t->arena, "%" PRIu64, stat->value));
    if (stat->field == XPD_SAID_INT)
        return xpd_str_of(xpd_arena_printf(t->arena, "%" PRId64, (int64_t)stat->value));
    if (stat->field == XPD_SAID_BYTES)
        return XPD_STR("<opaque bytes>");
    return xpd_arena_str(t->arena, xpd_ops_text(&t->walk, stat));
}

static struct xpd_str tensor_text(struct taking *t, struct xpd_str name,
                                  const struct xpd_said *stat)
{
    if (!stat[SHAPE].field || !stat[LAYOUT].field)
        return XPD_STR("");
    struct xpd_str shape = xpd_ops_text(&t->walk, &stat[SHAPE]),
                   layout = xpd_ops_text(&t->walk, &stat[LAYOUT]);
    return xpd_str_of(xpd_arena_printf(t->arena, "%.*s %.*s %.*s", (int)name.size, name.data,
                                       (int)shape.size, shape.data, (int)layout.size, layout.data));
}

static void put_note(struct taking *t, uint8_t type, uint32_t group, struct xpd_str name,
                     struct xpd_xprof_step_span span, const struct xpd_said *stat)
{
    uint8_t role = types[type].role;
    struct xpd_request_note note = {.type = type,
                                    .role = role,
                                    .kind = types[type].kind,
                                    .group = group,
                                    .span = span,
                                    .has_size = stat[TASK_SIZE].field,
                                    .size = xpd_ops_int(&stat[TASK_SIZE]),
                                    .has_padding = stat[PADDING].field && stat[PADDED].field,
                                    .has_consumer = stat[CONSUMER].field,
                                    .consumer = xpd_ops_int(&stat[CONSUMER]),
                                    .has_model =
                                        stat[MODEL].field &&
                                        (role <= XPD_NOTE_SERVING_RUN || role == XPD_NOTE_MARKED)};
    if (note.has_model)
        note.model = model_text(t, &stat[MODEL]);
    if (role == XPD_NOTE_TENSOR)
        note.tensor = tensor_text(t, name, stat);
    if (role == XPD_NOTE_CONCAT && note.has_padding) {
        note.padding = xpd_ops_int(&stat[PADDING]);
        note.size = xpd_ops_int(&stat[PADDED]);
    }
    XPD_PUSH(&t->out->note, note);
}

static uint8_t type_of(struct xpd_str name)
{
    for (uint32_t i = 0; i < MARKED_TYPE; i++)
        if (xpd_str_eq(name, xpd_str_of(types[i].name)))
            return (uint8_t)i;
    return NO_TYPE;
}

struct xpd_xprof_step_span xpd_request_event_span(const struct xpd_trace *trace,
                                                  const struct xpd_file_event *event)
{
    uint64_t begin_ps = (uint64_t)trace->origin_ns * 1000 + (uint64_t)xpd_file_start_ps(event);
    return (struct xpd_xprof_step_span){begin_ps, begin_ps + (uint64_t)xpd_file_duration_ps(event)};
}

static bool take_event(void *user, const struct xpd_ops_event *read)
{
    struct taking *t = user;
    const struct xpd_file_event *event = xpd_file_event_at(t->line, &t->at, read->where);
    if (!event)
        return t->at < t->line->count;
    uint8_t type = t->type[event->depth->name[event->index]];
    int64_t group = xpd_file_group(&t->plane, event);
    if (type != NO_TYPE)
        t->out->seen[types[type].role] = true;
    if (group < 0)
        return true;
    struct xpd_str name = xpd_file_name(&t->plane, event);
    struct xpd_xprof_step_span span = xpd_request_event_span(t->host->trace, event);
    int64_t root = xpd_ops_int(&read->stat[ROOT]);
    put_span(t, (uint32_t)group, span);
    if (type != NO_TYPE)
        put_note(t, type, (uint32_t)group, name, span, read->stat);
    if (root == -1 || (root == 1 && xpd_str_starts(name, "ModelServerRequest_")))
        put_note(t, MARKED_TYPE, (uint32_t)group, name, span, read->stat);
    return true;
}

static int by_type(const void *a, const void *b)
{
    const struct xpd_request_note *x = a, *y = b;
    return x->type != y->type ? (int)x->type - (int)y->type : XPD_ORDER(x->order, y->order);
}

/* Tasks of thread pools count for how long a group is. */
static void put_regions(struct taking *t)
{
    struct xpd_group_span region;
    const struct xpd_trace *trace = t->host->trace;
    uint64_t origin_ps = (uint64_t)trace->origin_ns * 1000;
    for (uint32_t i = 0; xpd_derived_region(t->host->derived, i, &region); i++)
        if (region.group != XPD_NO_GROUP &&
            trace->process[trace->row[region.row].process].plane == t->plane.number)
            put_span(t, region.group,
                     (struct xpd_xprof_step_span){origin_ps + (uint64_t)region.start_ps,
                                                  origin_ps + (uint64_t)region.end_ps});
}

/* Whether the host has events that may begin a request or run a batch: most hosts have none. */
static bool find_types(struct taking *t, uint32_t plane)
{
    const struct xpd_trace *trace = t->host->trace;
    bool any = t->host->derived->groups && t->host->derived->groups->own_roots;
    struct xpd_str served = XPD_STR("ModelServerRequest_");
    t->type = XPD_NEW_ARRAY(t->arena, uint8_t, trace->name_count);
    for (uint32_t i = 0; t->type && i < trace->name_count; i++) {
        t->type[i] = trace->name[i].plane == plane
                         ? type_of(xpd_intern_get(&trace->names, trace->name[i].name))
                         : NO_TYPE;
        any |= t->type[i] != NO_TYPE
                   ? types[t->type[i]].role <= XPD_NOTE_PROCESS
                   : trace->name[i].plane == plane &&
                         xpd_str_starts(xpd_intern_get(&trace->names, trace->name[i].name),
                                        served.data);
    }
    t->out->failed |= !t->type;
    return any && t->host->derived->groups && !t->out->failed;
}

static int take_notes(struct taking *t, uint32_t plane, struct xpd_err *err)
{
    int rc = xpd_file_plane_open(&t->plane, t->host, plane, NULL, t->arena, err);
    if (rc == XPD_OK)
        rc = xpd_ops_walk_init(&t->walk, t->host->trace, err);
    if (rc != XPD_OK)
        return rc;
    xpd_ops_walk_plane(&t->walk, plane, asked, ASKED);
    for (uint32_t i = 0; i < t->plane.line_count; i++) {
        t->line = &t->plane.line[i];
        t->at = 0;
        xpd_ops_walk_line(&t->walk, t->line->line, take_event, t);
    }
    put_regions(t);
    for (size_t i = 0; i < t->out->note.count; i++)
        t->out->note.at[i].order = (uint32_t)i;
    if (t->out->note.count > 1)
        qsort(t->out->note.at, t->out->note.count, sizeof *t->out->note.at, by_type);
    xpd_ops_walk_fini(&t->walk);
    t->out->failed |= t->out->note.failed || t->out->time.failed || t->out->time_at.failed;
    return XPD_OK;
}

int xpd_request_notes_take(struct xpd_request_notes *out, const struct xpd_file_host *host,
                           struct xpd_arena *arena, bool *any, struct xpd_err *err)
{
    struct taking taking = {.out = out, .host = host, .arena = arena};
    uint32_t plane = xpd_file_plane_called(host->trace, "/host:CPU");
    *out = (struct xpd_request_notes){0};
    *any = plane != XPD_NO_INDEX && find_types(&taking, plane);
    return *any ? take_notes(&taking, plane, err) : XPD_OK;
}

void xpd_request_notes_fini(struct xpd_request_notes *notes)
{
    XPD_VEC_FINI(&notes->note);
    XPD_VEC_FINI(&notes->time);
    xpd_map64_fini(&notes->time_at);
}

const struct xpd_xprof_step_span *xpd_request_group_span(const struct xpd_request_notes *notes,
                                                         uint32_t group)
{
    uint32_t at = xpd_map64_get(&notes->time_at, group);
    return at == XPD_NO_INDEX ? NULL : &notes->time.at[at].span;
}