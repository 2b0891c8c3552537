/* See requests.h. Everything is made of the notes of request_notes.h and the programs of chips. */
#include "requests.h"

#include "opstats_walk.h"
#include "request_notes.h"
#include "xprofd/base/order.h"
#include "xprofd/trace/groups.h"

/* ---- results ---- */

enum { AT_SCHEDULE, AT_CONCAT, AT_EXECUTE, AT_LAUNCH, AT_COMPLETE, STAMPS };
struct stamps { /* when things happened to a request in one group: each batch has its own */
    uint32_t group;
    bool has[STAMPS];
    uint64_t at_ps[STAMPS];
};
enum { FIRST_MODEL = -2 }; /* of its host: the meaning of XProf's zero */
struct working {
    struct xpd_request request;
    struct xpd_batch batch;
    bool begun;
    XPD_VEC(uint32_t) requests; /* of a batch: groups */
    XPD_VEC(struct stamps) stamps;
    XPD_VEC(struct xpd_step_part) part;
    XPD_VEC(const struct xpd_request_note *) tensor;
    XPD_VEC(uint64_t) program;
};
struct making {
    const struct xpd_tool_ctx *ctx;
    struct xpd_arena *arena;
    struct xpd_arena scratch;
    struct xpd_file_host host;
    struct xpd_request_notes notes;        /* of the host */
    struct xpd_map64 model_at;             /* group -> note */
    struct xpd_map64 request_at, batch_at; /* group -> place */
    XPD_VEC(struct working) request, batch;
    /* of all hosts */
    XPD_VEC(struct xpd_str) model, pattern;
    XPD_VEC(struct xpd_request) requests;
    XPD_VEC(struct xpd_batch) batches;
    XPD_VEC(struct xpd_batching) batching;
    uint32_t first_model; /* of the host */
    bool failed;
};

static int no_room(struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, "host", XPD_NO_OFFSET,
                    "the requests of this run do not fit the memory of a request");
}

static const struct xpd_event_groups *groups_of(const struct making *m)
{
    return m->host.derived->groups;
}

/* XProf knows the connections of a group only if it made the group itself. */
static bool is_known(const struct making *m, uint32_t group)
{
    return group < groups_of(m)->known;
}

/* ---- models ---- */

static int32_t put_model(struct making *m, struct xpd_str model)
{
    if (model.size == 0)
        return XPD_NO_MODEL;
    for (size_t i = 0; i < m->model.count; i++)
        if (xpd_str_eq(m->model.at[i], model))
            return (int32_t)i;
    if (m->first_model == XPD_NO_INDEX)
        m->first_model = (uint32_t)m->model.count;
    XPD_PUSH(&m->model, model);
    return (int32_t)m->model.count - 1;
}

/* From the last event with a model in each group: runs by their type, then marked ones. */
static void find_models(struct making *m)
{
    for (size_t i = 0; i < m->notes.note.count; i++)
        if (m->notes.note.at[i].has_model)
            xpd_map64_put(&m->model_at, m->notes.note.at[i].group, (uint32_t)i);
    m->failed |= m->model_at.failed;
}

static const struct xpd_str *model_of(const struct making *m, uint32_t group)
{
    uint32_t at = xpd_map64_get(&m->model_at, group);
    return at == XPD_NO_INDEX ? NULL : &m->notes.note.at[at].model;
}

static int32_t model_of_children(struct making *m, uint32_t first, uint32_t end)
{
    int32_t all = XPD_NO_MODEL;
    bool same = true;
    for (uint32_t i = first; i < end; i++) {
        const struct xpd_str *said = model_of(m, (uint32_t)groups_of(m)->below[i]);
        int32_t model = said ? put_model(m, *said) : XPD_NO_MODEL;
        if (all == XPD_NO_MODEL)
            all = model;
        else
            same &= model == all;
    }
    return same ? all : XPD_NO_MODEL;
}

/* ---- requests ---- */

static bool is_batch(const struct making *m, uint32_t group)
{
    return xpd_map64_get(&m->batch_at, group) != XPD_NO_INDEX;
}

static void begin_request(struct making *m, const struct xpd_request_note *note)
{
    uint32_t first, end, at = xpd_map64_get(&m->request_at, note->group);
    if (at != XPD_NO_INDEX || is_batch(m, note->group))
        return;
    struct working made = {.request = {.id = note->group, .model = FIRST_MODEL}};
    xpd_map64_put(&m->request_at, note->group, (uint32_t)m->request.count);
    XPD_PUSH(&m->request, made);
    if (m->request.failed || !is_known(m, note->group))
        return;
    struct xpd_request *request = &m->request.at[m->request.count - 1].request;
    xpd_groups_near(groups_of(m), false, note->group, &first, &end);
    uint32_t *batch = XPD_NEW_ARRAY(m->arena, uint32_t, end - first);
    for (uint32_t i = first; batch && i < end; i++)
        batch[i - first] = (uint32_t)groups_of(m)->below[i];
    request->batch = batch;
    request->batch_count = batch ? end - first : 0;
    uint8_t role = note->role;
    const struct xpd_str *said = role == XPD_NOTE_BATCHING ? NULL : model_of(m, note->group);
    if (role == XPD_NOTE_BATCHING && first < end)
        said = model_of(m, (uint32_t)groups_of(m)->below[first]);
    if (said || (role == XPD_NOTE_BATCHING && first < end) ||
        (role != XPD_NOTE_BATCHING && role != XPD_NOTE_MARKED))
        request->model = said ? put_model(m, *said) : XPD_NO_MODEL;
    else if (role == XPD_NOTE_MARKED && first < end)
        request->model = model_of_children(m, first, end);
}

/* Where some events run requests for others, only those begin one; else the first kind of run that
 * the host has. */
static bool begins(const struct making *m, uint8_t role)
{
    const bool *seen = m->notes.seen;
    if (role == XPD_NOTE_MARKED)
        return true;
    if (seen[XPD_NOTE_BATCHING])
        return role == XPD_NOTE_BATCHING;
    if (seen[XPD_NOTE_TFRT_RUN] || seen[XPD_NOTE_SERVING_RUN])
        return role == (seen[XPD_NOTE_TFRT_RUN] ? XPD_NOTE_TFRT_RUN : XPD_NOTE_SERVING_RUN);
    return role == XPD_NOTE_SESSION_RUN || role == XPD_NOTE_GRAPH;
}

static void begin_batch(struct making *m, const struct xpd_request_note *note)
{
    uint32_t first, end, at = xpd_map64_get(&m->batch_at, note->group);
    if (at == XPD_NO_INDEX) {
        struct working made = {.batch = {.id = note->group}};
        at = (uint32_t)m->batch.count;
        xpd_map64_put(&m->batch_at, note->group, at);
        XPD_PUSH(&m->batch, made);
    }
    if (m->batch.failed || !is_known(m, note->group))
        return;
    struct working *batch = &m->batch.at[at];
    batch->begun = true;
    batch->batch.begin_ps = note->span.begin_ps;
    batch->batch.end_ps = note->span.end_ps;
    xpd_groups_near(groups_of(m), true, note->group, &first, &end);
    for (uint32_t i = first; i < end; i++)
        XPD_PUSH(&batch->requests, (uint32_t)groups_of(m)->above[i]);
    m->failed |= batch->requests.failed;
    if (batch->requests.count > 1)
        qsort(batch->requests.at, batch->requests.count, sizeof(uint32_t), xpd_order_u32);
}

static struct working *request_of(struct making *m, uint32_t group)
{
    uint32_t at = xpd_map64_get(&m->request_at, group);
    return at == XPD_NO_INDEX ? NULL : &m->request.at[at];
}

static struct working *batch_of(struct making *m, uint32_t group)
{
    uint32_t at = xpd_map64_get(&m->batch_at, group);
    return at == XPD_NO_INDEX || !m->batch.at[at].begun ? NULL : &m->batch.at[at];
}

/* Calls for the request of a group and for those that reach the group. */
typedef void take_request(struct working *request, const void *what);
static void for_requests(struct making *m, uint32_t group, take_request *take, const void *what)
{
    struct working *request = request_of(m, group);
    uint32_t first, end;
    if (request)
        take(request, what);
    xpd_groups_near(groups_of(m), true, group, &first, &end);
    for (uint32_t i = first; i < end && is_known(m, group); i++) {
        request = request_of(m, (uint32_t)groups_of(m)->above[i]);
        if (request)
            take(request, what);
    }
}

static void add_part(struct working *of, const void *what)
{
    XPD_PUSH(&of->part, *(const struct xpd_step_part *)what);
}

static void put_part(struct making *m, uint32_t group, struct xpd_xprof_step_span span,
                     uint8_t kind)
{
    struct xpd_step_part part = {span, kind};
    struct working *batch = batch_of(m, group);
    for_requests(m, group, add_part, &part);
    if (batch)
        add_part(batch, &part);
}

struct stamp {
    uint32_t group;
    uint8_t what;
    uint64_t at_ps;
};

static void add_stamp(struct working *request, const void *what)
{
    const struct stamp *stamp = what;
    size_t i = 0;
    while (i < request->stamps.count && request->stamps.at[i].group != stamp->group)
        i++;
    if (i == request->stamps.count)
        XPD_PUSH(&request->stamps, ((struct stamps){.group = stamp->group}));
    if (request->stamps.failed)
        return;
    struct stamps *stamps = &request->stamps.at[i];
    if (stamp->what == AT_LAUNCH && stamps->has[AT_LAUNCH] &&
        stamps->at_ps[AT_LAUNCH] < stamp->at_ps)
        return; /* the first launch counts, of all else the last one */
    stamps->has[stamp->what] = true;
    stamps->at_ps[stamp->what] = stamp->at_ps;
}

static void put_stamp(struct making *m, const struct xpd_request_note *note, uint8_t what)
{
    for_requests(m, note->group, add_stamp,
                 &(struct stamp){note->group, what, note->span.begin_ps});
}

static void use_note(struct making *m, const struct xpd_request_note *note)
{
    struct working *request = request_of(m, note->group), *batch = batch_of(m, note->group);
    switch ((enum xpd_note_role)note->role) {
    case XPD_NOTE_SCHEDULE:
        put_stamp(m, note, AT_SCHEDULE);
        if (request && note->has_size)
            request->request.size = (int32_t)note->size;
        break;
    case XPD_NOTE_CONCAT:
        put_stamp(m, note, AT_CONCAT);
        if (batch && note->has_padding) {
            batch->batch.padding = (int32_t)note->padding;
            batch->batch.size = (int32_t)note->size;
        }
        break;
    case XPD_NOTE_TRANSFER: put_part(m, note->group, note->span, note->kind); break;
    case XPD_NOTE_EXECUTE: put_stamp(m, note, AT_EXECUTE); break;
    case XPD_NOTE_LAUNCH: put_stamp(m, note, AT_LAUNCH); break;
    case XPD_NOTE_COMPLETE: put_stamp(m, note, AT_COMPLETE); break;
    case XPD_NOTE_TENSOR:
        if (request || batch)
            XPD_PUSH(&(request ? request : batch)->tensor, note);
        break;
    case XPD_NOTE_SESSION_RUN:
    case XPD_NOTE_TFRT_RUN:
    case XPD_NOTE_SERVING_RUN:
    case XPD_NOTE_GRAPH:
    case XPD_NOTE_BATCHING:
    case XPD_NOTE_PROCESS:
    case XPD_NOTE_TRANSFER_BEGIN:
    case XPD_NOTE_TRANSFER_END:
    case XPD_NOTE_MARKED:
    case XPD_NOTE_ROLES: break;
    }
}

/* A transfer to or from a device begins in one event and ends in another of the same consumer: its
 * last begin, and the last end after that. */
static void put_sent(struct making *m, uint8_t kind)
{
    struct xpd_map64 begin = {0};
    XPD_VEC(const struct xpd_request_note *) ends = {0};
    for (size_t i = 0; i < m->notes.note.count; i++) {
        const struct xpd_request_note *note = &m->notes.note.at[i];
        if (note->role == XPD_NOTE_TRANSFER_BEGIN && note->kind == kind && note->has_consumer)
            xpd_map64_put(&begin, (uint64_t)note->consumer, (uint32_t)i);
    }
    for (size_t i = 0; i < m->notes.note.count; i++) {
        const struct xpd_request_note *end = &m->notes.note.at[i];
        bool done = end->role == XPD_NOTE_TRANSFER_END && end->kind == kind && end->has_consumer;
        uint32_t at = done ? xpd_map64_get(&begin, (uint64_t)end->consumer) : XPD_NO_INDEX;
        if (at != XPD_NO_INDEX && m->notes.note.at[at].span.begin_ps < end->span.begin_ps)
            XPD_PUSH(&ends, end);
    }
    for (size_t i = ends.count; i-- > 0;) {
        uint32_t at = xpd_map64_put(&begin, (uint64_t)ends.at[i]->consumer, XPD_NO_INDEX - 1);
        if (at == XPD_NO_INDEX - 1)
            continue; /* a later end was taken */
        const struct xpd_request_note *from = &m->notes.note.at[at];
        put_part(m, from->group,
                 (struct xpd_xprof_step_span){from->span.begin_ps, ends.at[i]->span.end_ps}, kind);
    }
    m->failed |= begin.failed || ends.failed;
    xpd_map64_fini(&begin);
    XPD_VEC_FINI(&ends);
}

/* "jit_f(7)" is of program 7. */
static bool program_in(struct xpd_str name, uint64_t *program)
{
    size_t open = name.size;
    while (open > 0 && name.data[open - 1] != '(')
        open--;
    return open > 0 && name.data[name.size - 1] == ')' &&
           xpd_str_to_u64(xpd_str_trim((struct xpd_str){name.data + open, name.size - open - 1}),
                          program);
}

/* From the run of a module, or else its metadata. */
static bool program_of(struct making *m, const struct xpd_file_plane *plane,
                       const struct xpd_file_event *event, uint64_t *program)
{
    struct xpd_stat_value *stat;
    struct xpd_err unread = {0};
    uint32_t count, from_metadata;
    bool said = false;
    xpd_arena_reset(&m->scratch);
    if (xpd_trace_stats(plane->trace, event->depth->first_event + event->index, &m->scratch, &stat,
                        &count, &from_metadata, &unread) != XPD_OK)
        count = 0;
    for (uint32_t i = count; i-- > 0;) {
        if (!xpd_str_eq(stat[i].name, XPD_STR("program_id")) || (said && i < from_metadata))
            continue;
        *program = xpd_stat_is_integer(stat[i].type) ? (uint64_t)stat[i].integer : 0;
        said = true;
    }
    return said || program_in(xpd_file_name(plane, event), program);
}

static void put_program(struct working *batch, uint64_t program)
{
    for (size_t i = 0; i < batch->program.count; i++)
        if (batch->program.at[i] == program)
            return;
    XPD_PUSH(&batch->program, program);
}

static void put_module(struct making *m, const struct xpd_file_plane *plane,
                       const struct xpd_file_event *event)
{
    int64_t group = xpd_file_group(plane, event);
    if (group < 0)
        return;
    put_part(m, (uint32_t)group, xpd_request_event_span(m->host.trace, event), XPD_STEP_COMPUTE_32);
    struct working *batch = batch_of(m, (uint32_t)group);
    uint64_t program;
    if (batch && program_of(m, plane, event, &program))
        put_program(batch, program);
}

/* Work of TPU chips for a group. */
static int put_modules(struct making *m, struct xpd_err *err)
{
    const struct xpd_xspace *space = m->host.trace->space;
    int rc = XPD_OK;
    for (uint32_t p = 0; rc == XPD_OK && p < space->plane_count; p++) {
        struct xpd_file_plane plane;
        if (!xpd_ops_is_tensor_core(xpd_intern_get(&space->names, space->plane[p].name)))
            continue;
        rc = xpd_file_plane_open(&plane, &m->host, p, NULL, m->arena, err);
        for (uint32_t l = 0; rc == XPD_OK && l < plane.line_count; l++)
            for (uint32_t i = 0;
                 xpd_str_eq(plane.line[l].name, XPD_STR("XLA Modules")) && i < plane.line[l].count;
                 i++)
                put_module(m, &plane, &plane.line[l].event[i]);
    }
    return rc;
}

/* ---- durations ---- */

static struct xpd_xprof_step_span between(uint64_t begin_ps, uint64_t end_ps)
{
    return (struct xpd_xprof_step_span){begin_ps, end_ps > begin_ps ? end_ps : begin_ps};
}

static void put_delays(struct making *m)
{
    for (size_t i = 0; i < m->request.count; i++) {
        struct xpd_request *request = &m->request.at[i].request;
        const struct working *batch = NULL;
        for (uint32_t k = 0; !batch && k < request->batch_count; k++)
            batch = batch_of(m, request->batch[k]);
        if (!batch)
            continue;
        request->delay_ps = batch->batch.begin_ps - request->begin_ps;
        if (request->end_ps < batch->batch.end_ps)
            request->end_ps = batch->batch.end_ps;
    }
    for (size_t i = 0; i < m->batch.count; i++) {
        struct working *batch = &m->batch.at[i];
        const struct xpd_request *first = NULL;
        for (size_t k = 0; k < batch->requests.count; k++) {
            const struct working *request = request_of(m, batch->requests.at[k]);
            if (request && (!first || first->begin_ps > request->request.begin_ps))
                first = &request->request;
        }
        if (first)
            batch->batch.delay_ps = batch->batch.begin_ps - first->begin_ps;
    }
}

static void put_least(const struct stamps *stamps, uint8_t what, bool *has, uint64_t *at_ps)
{
    if (stamps->has[what] && (!*has || stamps->at_ps[what] < *at_ps))
        *at_ps = stamps->at_ps[what];
    *has |= stamps->has[what];
}

/* When the device had finished. */
static bool device_end(const struct working *of, uint64_t *end_ps)
{
    *end_ps = 0;
    for (size_t i = 0; i < of->stamps.count; i++)
        if (of->stamps.at[i].has[AT_COMPLETE] && of->stamps.at[i].at_ps[AT_COMPLETE] > *end_ps)
            *end_ps = of->stamps.at[i].at_ps[AT_COMPLETE];
    for (size_t i = 0; i < of->stamps.count; i++)
        if (of->stamps.at[i].has[AT_COMPLETE])
            return true;
    for (size_t i = 0; i < of->part.count; i++)
        if (of->part.at[i].kind == XPD_STEP_COMPUTE_32 && of->part.at[i].span.end_ps > *end_ps)
            *end_ps = of->part.at[i].span.end_ps;
    return *end_ps != 0;
}

static void put_host_parts(struct working *of)
{
    const struct xpd_request *request = &of->request;
    bool executes = false, concats = false;
    const struct stamps *scheduled = NULL;
    uint64_t execute_ps = 0, concat_ps = 0, end_ps;
    for (size_t i = 0; i < of->stamps.count; i++) {
        const struct stamps *stamps = &of->stamps.at[i];
        put_least(stamps, AT_EXECUTE, &executes, &execute_ps);
        put_least(stamps, AT_CONCAT, &concats, &concat_ps);
        if (stamps->has[AT_SCHEDULE] && (!scheduled || stamps->group < scheduled->group))
            scheduled = stamps;
        if (stamps->has[AT_EXECUTE] && stamps->has[AT_LAUNCH])
            XPD_PUSH(&of->part, ((struct xpd_step_part){
                                    between(stamps->at_ps[AT_EXECUTE], stamps->at_ps[AT_LAUNCH]),
                                    XPD_STEP_HOST_RUNTIME}));
    }
    bool ends = device_end(of, &end_ps);
    if (executes)
        XPD_PUSH(&of->part, ((struct xpd_step_part){between(request->begin_ps, execute_ps),
                                                    XPD_STEP_HOST_PREPROCESS}));
    if (ends)
        XPD_PUSH(&of->part, ((struct xpd_step_part){between(end_ps, request->end_ps),
                                                    XPD_STEP_HOST_POSTPROCESS}));
    if (scheduled && concats)
        XPD_PUSH(&of->part,
                 ((struct xpd_step_part){between(scheduled->at_ps[AT_SCHEDULE], concat_ps),
                                         XPD_STEP_HOST_BATCH}));
}

/* ---- copies ---- */

static int by_text(const void *a, const void *b)
{
    return xpd_str_order((*(const struct xpd_request_note *const *)a)->tensor,
                         (*(const struct xpd_request_note *const *)b)->tensor);
}

static uint32_t put_pattern(struct making *m, struct xpd_str text)
{
    for (size_t i = 0; i < m->pattern.count; i++)
        if (xpd_str_eq(m->pattern.at[i], text))
            return (uint32_t)i;
    XPD_PUSH(&m->pattern, text);
    return (uint32_t)m->pattern.count - 1;
}

static uint32_t tensors_of(struct making *m, struct working *of, uint64_t *time_ps)
{
    struct xpd_strbuf text = {0};
    *time_ps = 0;
    for (size_t i = 0; i < of->tensor.count; i++) {
        *time_ps += xpd_step_length(of->tensor.at[i]->span);
        if (of->tensor.at[i]->tensor.size == 0)
            return XPD_NO_INDEX;
    }
    if (of->tensor.count == 0)
        return XPD_NO_INDEX;
    qsort(of->tensor.at, of->tensor.count, sizeof(const struct xpd_request_note *), by_text);
    for (size_t i = 0; i < of->tensor.count; i++) {
        if (i)
            xpd_strbuf_puts(&text, "<br>");
        xpd_strbuf_add(&text, of->tensor.at[i]->tensor.data, of->tensor.at[i]->tensor.size);
    }
    m->failed |= text.failed;
    uint32_t at = put_pattern(m, xpd_arena_str(m->arena, (struct xpd_str){text.data, text.size}));
    xpd_strbuf_fini(&text);
    return at;
}

/* ---- one host ---- */

static int32_t settled(const struct making *m, int32_t model)
{
    if (model != FIRST_MODEL)
        return model;
    return m->first_model == XPD_NO_INDEX ? 0 : (int32_t)m->first_model;
}

static void end_requests(struct making *m)
{
    for (size_t i = 0; i < m->request.count; i++) {
        struct working *of = &m->request.at[i];
        put_host_parts(of);
        m->failed |= of->part.failed || of->stamps.failed || of->tensor.failed ||
                     !xpd_step_divide(of->part.at, of->part.count, of->request.kind_ps);
        of->request.model = settled(m, of->request.model);
        of->request.tensors = tensors_of(m, of, &of->request.tensors_ps);
        if (of->request.end_ps > of->request.begin_ps)
            XPD_PUSH(&m->requests, of->request);
    }
    for (size_t i = 0; i < m->batch.count; i++) {
        struct working *of = &m->batch.at[i];
        uint64_t kind_ps[XPD_STEP_KINDS] = {0};
        if (!of->begun)
            continue;
        const struct working *first = of->requests.count ? request_of(m, of->requests.at[0]) : NULL;
        m->failed |= of->part.failed || of->tensor.failed ||
                     !xpd_step_divide(of->part.at, of->part.count, kind_ps);
        of->batch.model = first ? first->request.model : settled(m, FIRST_MODEL);
        of->batch.device_ps = kind_ps[XPD_STEP_COMPUTE_32] + kind_ps[XPD_STEP_COMPUTE_16];
        of->batch.program = XPD_COPY_VEC(m->arena, &of->program);
        of->batch.program_count = (uint32_t)of->program.count;
        m->failed |= of->program.failed;
        of->batch.tensors = tensors_of(m, of, &of->batch.tensors_ps);
        XPD_PUSH(&m->batches, of->batch);
    }
}

static void begin_all(struct making *m)
{
    m->first_model = XPD_NO_INDEX;
    find_models(m);
    for (size_t i = 0; i < m->notes.note.count; i++)
        if (m->notes.note.at[i].role == XPD_NOTE_PROCESS)
            begin_batch(m, &m->notes.note.at[i]);
    for (size_t i = 0; i < m->notes.note.count; i++)
        if (begins(m, m->notes.note.at[i].role))
            begin_request(m, &m->notes.note.at[i]);
    for (size_t i = 0; i < m->request.count; i++) {
        struct xpd_request *request = &m->request.at[i].request;
        const struct xpd_xprof_step_span *span = xpd_request_group_span(&m->notes, request->id);
        if (!span)
            continue;
        request->begin_ps = span->begin_ps;
        request->end_ps = span->end_ps;
    }
}

static void fini_working(struct working *of)
{
    XPD_VEC_FINI(&of->requests);
    XPD_VEC_FINI(&of->stamps);
    XPD_VEC_FINI(&of->part);
    XPD_VEC_FINI(&of->tensor);
    XPD_VEC_FINI(&of->program);
}

/* Frees the notes of a host; the answers stay. */
static void fini_host(struct making *m)
{
    for (size_t i = 0; i < m->request.count; i++)
        fini_working(&m->request.at[i]);
    for (size_t i = 0; i < m->batch.count; i++)
        fini_working(&m->batch.at[i]);
    m->failed |= m->notes.failed || m->request.failed || m->batch.failed || m->request_at.failed ||
                 m->batch_at.failed;
    XPD_VEC_FINI(&m->request);
    XPD_VEC_FINI(&m->batch);
    xpd_request_notes_fini(&m->notes);
    xpd_map64_fini(&m->model_at);
    xpd_map64_fini(&m->request_at);
    xpd_map64_fini(&m->batch_at);
    m->model_at = m->request_at = m->batch_at = (struct xpd_map64){0};
}

static int put_batching(struct making *m, struct xpd_err *err)
{
    struct xpd_batching *said;
    uint32_t count;
    int rc = xpd_batching_read(&m->host, m->arena, &said, &count, err);
    for (uint32_t i = 0; rc == XPD_OK && i < count; i++)
        XPD_PUSH(&m->batching, said[i]);
    return rc;
}

static int make_host(struct making *m, struct xpd_err *err)
{
    bool any;
    int rc = xpd_request_notes_take(&m->notes, &m->host, m->arena, &any, err);
    if (rc == XPD_OK && any) {
        begin_all(m);
        for (size_t i = 0; i < m->notes.note.count; i++)
            use_note(m, &m->notes.note.at[i]);
        put_sent(m, XPD_STEP_HOST_TO_DEVICE);
        put_sent(m, XPD_STEP_DEVICE_TO_HOST);
        rc = put_modules(m, err);
    }
    if (rc == XPD_OK && any) {
        put_delays(m);
        end_requests(m);
        rc = put_batching(m, err);
    }
    fini_host(m);
    return rc;
}

/* ---- all hosts ---- */

static int by_span(uint64_t a_begin, uint64_t a_end, uint64_t b_begin, uint64_t b_end)
{
    int order = XPD_ORDER(a_end - a_begin, b_end - b_begin);
    return order ? order : XPD_ORDER(a_begin, b_begin);
}

static int by_request(const void *a, const void *b)
{
    const struct xpd_request *x = a, *y = b;
    int order = by_span(x->begin_ps, x->end_ps, y->begin_ps, y->end_ps);
    return order ? order : XPD_ORDER(x->id, y->id);
}

static int by_batch(const void *a, const void *b)
{
    const struct xpd_batch *x = a, *y = b;
    int order = by_span(x->begin_ps, x->end_ps, y->begin_ps, y->end_ps);
    return order ? order : XPD_ORDER(x->id, y->id);
}

static void hand_over(struct making *m, struct xpd_requests *out)
{
    if (m->requests.count > 1)
        qsort(m->requests.at, m->requests.count, sizeof *m->requests.at, by_request);
    if (m->batches.count > 1)
        qsort(m->batches.at, m->batches.count, sizeof *m->batches.at, by_batch);
    out->model = XPD_COPY_VEC(m->arena, &m->model);
    out->model_count = (uint32_t)m->model.count;
    out->request = XPD_COPY_VEC(m->arena, &m->requests);
    out->request_count = (uint32_t)m->requests.count;
    out->batch = XPD_COPY_VEC(m->arena, &m->batches);
    out->batch_count = (uint32_t)m->batches.count;
    out->pattern = XPD_COPY_VEC(m->arena, &m->pattern);
    out->pattern_count = (uint32_t)m->pattern.count;
    out->batching = XPD_COPY_VEC(m->arena, &m->batching);
    out->batching_count = (uint32_t)m->batching.count;
    m->failed |= m->model.failed || m->pattern.failed || m->requests.failed || m->batches.failed ||
                 m->batching.failed || m->arena->failed;
    XPD_VEC_FINI(&m->model);
    XPD_VEC_FINI(&m->requests);
    XPD_VEC_FINI(&m->batches);
    XPD_VEC_FINI(&m->pattern);
    XPD_VEC_FINI(&m->batching);
}

int xpd_requests_of(const struct xpd_tool_ctx *ctx, struct xpd_requests *out, struct xpd_err *err)
{
    struct making m = {.ctx = ctx, .arena = ctx->arena};
    const uint32_t *number;
    uint32_t count = 0;
    int rc = xpd_file_hosts(ctx, &number, &count, err);
    *out = (struct xpd_requests){0};
    for (uint32_t i = 0; rc == XPD_OK && i < count && !m.failed; i++) {
        if (!xpd_host_has_events(&ctx->run->host[number[i]]))
            continue;
        rc = xpd_file_host_open(ctx, number[i], &m.host, err);
        if (rc == XPD_OK)
            rc = make_host(&m, err);
    }
    hand_over(&m, out);
    xpd_arena_fini(&m.scratch);
    return rc == XPD_OK && m.failed ? no_room(err) : rc;
}
