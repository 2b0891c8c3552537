/* Framework Name Scope, Framework Ops and Source code of one TensorCore. */
#include "derive.h"
#include "xprofd/base/checked.h"
#include "xprofd/trace/async.h"
#include "xprofd/trace/tf_op.h"
#include <stdio.h>

/* The wait at the end of an asynchronous operation. In: a
 * derived event for a start and a done. Out: the duration of
 * the done, which is the core's wait, and its share of the
 * whole. */

const char *xpd_hidden_word(enum xpd_hidden hidden)
{
    static const char *const word[] = {"fully", "partly", "exposed"};
    return word[hidden];
}

enum xpd_hidden xpd_hidden_of(int64_t wait_ps, int64_t whole_ps)
{
    if (wait_ps <= 0 || wait_ps < whole_ps / 100)
        return XPD_HIDDEN_FULLY;
    return wait_ps >= whole_ps - whole_ps / 100 ? XPD_HIDDEN_NOT : XPD_HIDDEN_PARTLY;
}

bool xpd_async_pair_of(const struct xpd_view *view, const struct xpd_event *event,
                       struct xpd_async_pair *pair)
{
    if (!view->derived || event->number < view->trace->event_count)
        return false;
    struct xpd_derived_fact fact = xpd_derived_fact_of(view->derived, event->number);
    if (fact.event == fact.event2 || !xpd_view_event(view, fact.event, &pair->start) ||
        !xpd_view_event(view, fact.event2, &pair->done))
        return false;
    bool overflow = false;
    int64_t end_ps = event->start_ps + event->duration_ps;
    int64_t drawn_ps = xpd_add_i64(end_ps, -pair->done.start_ps, &overflow);
    pair->drawn_wait_ps = overflow || drawn_ps > event->duration_ps ? event->duration_ps
                          : drawn_ps < 0                            ? 0
                                                                    : drawn_ps;
    int64_t device_ps = xpd_view_device_ps(view, &pair->done);
    bool device = device_ps >= 0 && fact.device_ps >= 0;
    pair->clock = device ? XPD_CLOCK_DEVICE : XPD_CLOCK_HOST;
    pair->whole_ps = device ? fact.device_ps : event->duration_ps;
    pair->wait_ps = device ? device_ps : pair->drawn_wait_ps;
    if (pair->wait_ps > pair->whole_ps)
        pair->wait_ps = pair->whole_ps;
    pair->hidden = xpd_hidden_of(pair->wait_ps, pair->whole_ps);
    return true;
}

static bool ends_name(char c)
{
    return c == ')' || c == ',' || c == '%' || c == '/' || c == ' ';
}

struct xpd_str xpd_async_start_name(struct xpd_str hlo_text)
{
    size_t done = xpd_str_find(hlo_text, XPD_STR("-done("), false);
    if (done == SIZE_MAX)
        return XPD_STR("");
    struct xpd_str rest = {hlo_text.data + done, hlo_text.size - done};
    size_t sign = xpd_str_find(rest, XPD_STR("%"), false);
    if (sign == SIZE_MAX)
        return XPD_STR("");
    struct xpd_str name = {rest.data + sign + 1, 0};
    while (sign + 1 + name.size < rest.size && !ends_name(name.data[name.size]))
        name.size++;
    return xpd_str_find(name, XPD_STR("-start"), false) == SIZE_MAX ? XPD_STR("") : name;
}

/* Work of thread pools: from ThreadpoolListener::StartRegion to StopRegion. */

#define REGION "ThreadpoolListener::Region"

static bool is_called(const struct xpd_trace *trace, uint32_t name, xpd_name_id wanted)
{
    return wanted != XPD_NO_NAME && trace->name[name].name == wanted;
}

static void regions_of_row(struct xpd_deriving *deriving, uint32_t row, xpd_name_id start_name,
                           xpd_name_id stop_name)
{
    const struct xpd_trace *trace = deriving->trace;
    struct xpd_builder builder = {0};
    const struct xpd_trace_row *thread_row = &trace->row[row];
    struct xpd_merge merge;
    struct xpd_merged event, start = {0};
    bool open = false;
    xpd_builder_from(&builder, &trace->depth[thread_row->first_depth], thread_row->depth_count);
    xpd_merge_init(&merge, true);
    xpd_merge_add_row(&merge, trace, row);
    while (xpd_merge_next(&merge, &event)) {
        if (is_called(trace, event.name, start_name)) {
            start = event;
            open = true;
        } else if (open && is_called(trace, event.name, stop_name)) {
            xpd_builder_draw(
                &builder, start.depth, start.index, event.start_ps + event.duration_ps,
                xpd_derive_name(deriving, XPD_STR(REGION), XPD_STR(REGION), XPD_OP_NONE),
                xpd_derive_pair(deriving, event.event, -1));
            open = false;
        }
    }
    deriving->failed |= merge.failed;
    xpd_merge_fini(&merge);
    char caption[300];
    struct xpd_str thread = xpd_intern_get(&trace->names, thread_row->caption);
    (void)snprintf(caption, sizeof caption, "%.*s: regions",
                   (int)(thread.size < 256 ? thread.size : 256), thread.data);
    xpd_derive_row(deriving, thread_row->process, thread_row->id, xpd_str_of(caption), XPD_ROW_LINE,
                   "From each ThreadpoolListener::StartRegion to the next StopRegion of the thread",
                   &builder);
    xpd_builder_fini(&builder);
}

void xpd_derive_regions(struct xpd_deriving *deriving, uint32_t process)
{
    const struct xpd_trace *trace = deriving->trace;
    const struct xpd_trace_process *at = &trace->process[process];
    xpd_name_id start = xpd_intern_find(&trace->names, XPD_STR("ThreadpoolListener::StartRegion"));
    xpd_name_id stop = xpd_intern_find(&trace->names, XPD_STR("ThreadpoolListener::StopRegion"));
    if (start == XPD_NO_NAME || stop == XPD_NO_NAME)
        return;
    for (uint32_t i = 0; i < at->row_count; i++)
        if (trace->row[at->first_row + i].kind == XPD_ROW_LINE)
            regions_of_row(deriving, at->first_row + i, start, stop);
}

/* Copies between the chip and host memory: one bar from each start to its done.
 *
 * The k-th start belongs to the k-th done of the same instruction of the same program, in the order
 * of the device clock. XProf pairs by name in the order of its unstable sort, and
 * its bars carry no step; its own rows are made by xprof_offload.c for its routes only. */

enum xpd_offload_half xpd_offload_half(const struct xpd_trace *trace,
                                       const struct xpd_event_name *name)
{
    static const char *const words[] = {"copy", "dynamic-slice", "dynamic-update-slice"};
    struct xpd_str caption = xpd_intern_get(&trace->names, name->caption);
    struct xpd_str full = xpd_intern_get(&trace->names, name->name);
    if (name->async || xpd_str_find(full, XPD_STR("S(5)"), false) == SIZE_MAX)
        return XPD_OFFLOAD_NONE;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char start[40], done[40];
        (void)snprintf(start, sizeof start, "%s-start", words[i]);
        (void)snprintf(done, sizeof done, "%s-done", words[i]);
        if (xpd_str_find(caption, xpd_str_of(start), false) != SIZE_MAX)
            return XPD_OFFLOAD_START;
        if (xpd_str_find(caption, xpd_str_of(done), false) != SIZE_MAX)
            return XPD_OFFLOAD_DONE;
    }
    return XPD_OFFLOAD_NONE;
}

struct xpd_str xpd_offload_key(struct xpd_str caption, char *text, size_t capacity)
{
    size_t head = xpd_str_find(caption, XPD_STR("-start"), false);
    if (head == SIZE_MAX)
        head = xpd_str_find(caption, XPD_STR("-done"), false);
    if (head == SIZE_MAX)
        head = caption.size;
    struct xpd_str number = XPD_STR("0");
    for (size_t i = caption.size; i > 0; i--)
        if (caption.data[i - 1] == '.') {
            number = (struct xpd_str){caption.data + i, caption.size - i};
            break;
        }
    int size = snprintf(text, capacity, "offload-%.*s.%.*s", (int)(head < 200 ? head : 200),
                        caption.data, (int)(number.size < 200 ? number.size : 200), number.data);
    if (size < 0)
        size = 0;
    return (struct xpd_str){text, (size_t)size < capacity ? (size_t)size : capacity - 1};
}

struct half {     /* one start or done */
    uint64_t key; /* instruction and program */
    int64_t clock_ps;
    int64_t start_ps, end_ps, device_start_ps, device_end_ps; /* device: -1 = unknown */
    uint64_t event;
    const struct xpd_depth *depth; /* where it lies */
    uint32_t index;
    uint32_t name; /* of the derived event */
    bool done;
};

struct copy_name { /* by event name: cached result of xpd_offload_half */
    uint64_t key;
    uint32_t name;
    uint8_t half; /* +1; 0 = not computed yet */
};

struct offload {
    struct xpd_deriving *deriving;
    struct copy_name *name; /* by event name */
    XPD_VEC(struct half) half;
    struct xpd_builder row;
    uint64_t lone_starts, lone_dones;
};

static const struct copy_name *name_of(struct offload *offload, uint32_t number)
{
    struct copy_name *entry = &offload->name[number];
    const struct xpd_trace *trace = offload->deriving->trace;
    const struct xpd_event_name *name = &trace->name[number];
    if (entry->half)
        return entry;
    entry->half = (uint8_t)(1 + xpd_offload_half(trace, name));
    if (entry->half == 1 + XPD_OFFLOAD_NONE)
        return entry;
    char text[512];
    struct xpd_str caption = xpd_intern_get(&trace->names, name->caption);
    struct xpd_str start = xpd_async_start_name(xpd_intern_get(&trace->names, name->name));
    struct xpd_str key = xpd_offload_key(start.size ? start : caption, text, sizeof text);
    uint64_t parts[2] = {xpd_hash(key.data, key.size), name->program_id};
    entry->key = xpd_hash(parts, sizeof parts);
    entry->name = xpd_derive_name(offload->deriving, key, key, XPD_OP_HOST);
    return entry;
}

static void collect(struct offload *offload, uint32_t row)
{
    const struct xpd_trace *trace = offload->deriving->trace;
    for (uint32_t d = 0; d < trace->row[row].depth_count; d++) {
        const struct xpd_depth *depth = &trace->depth[trace->row[row].first_depth + d];
        for (uint32_t i = 0; i < depth->count; i++) {
            const struct copy_name *name = name_of(offload, depth->name[i]);
            if (name->half == 1 + XPD_OFFLOAD_NONE)
                continue;
            struct half half = {.key = name->key,
                                .start_ps = xpd_depth_start(depth, i),
                                .end_ps = xpd_depth_end(depth, i),
                                .device_start_ps = -1,
                                .device_end_ps = -1,
                                .event = depth->first_event + i,
                                .depth = depth,
                                .index = i,
                                .name = name->name,
                                .done = name->half == 1 + XPD_OFFLOAD_DONE};
            uint64_t offset, duration;
            half.clock_ps = half.start_ps;
            if (xpd_event_stat(trace, half.event, "device_offset_ps", &offset) &&
                offset <= INT64_MAX / 2) {
                half.clock_ps = half.device_start_ps = (int64_t)offset;
                if (xpd_event_stat(trace, half.event, "device_duration_ps", &duration) &&
                    duration <= INT64_MAX / 2)
                    half.device_end_ps = (int64_t)(offset + duration);
            }
            XPD_PUSH(&offload->half, half);
        }
    }
}

static int by_key(const void *a, const void *b)
{
    const struct half *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->clock_ps != y->clock_ps)
        return x->clock_ps < y->clock_ps ? -1 : 1;
    if (x->done != y->done) /* a copy that starts as the one before ends */
        return x->done ? 1 : -1;
    return (x->event > y->event) - (x->event < y->event);
}

static void draw(struct offload *offload, const struct half *start, const struct half *done)
{
    bool device = start->device_start_ps >= 0 && done->device_end_ps >= start->device_start_ps;
    xpd_builder_draw(&offload->row, start->depth, start->index,
                     done->end_ps > start->start_ps ? done->end_ps : start->start_ps, start->name,
                     xpd_derive_pair(offload->deriving, done->event,
                                     device ? done->device_end_ps - start->device_start_ps : -1));
}

static void pair(struct offload *offload)
{
    const struct half *half = offload->half.at;
    size_t count = offload->half.count;
    if (count > 1)
        qsort(offload->half.at, count, sizeof *half, by_key);
    for (size_t first = 0; first < count;) {
        size_t end = first;
        while (end < count && half[end].key == half[first].key)
            end++;
        size_t start = first; /* the oldest start without a done */
        for (size_t i = first; i < end; i++) {
            if (!half[i].done)
                continue;
            while (start < end && half[start].done)
                start++;
            if (start < i)
                draw(offload, &half[start++], &half[i]);
            else
                offload->lone_dones++;
        }
        for (; start < end; start++)
            offload->lone_starts += !half[start].done;
        first = end;
    }
}

static void warn(const struct offload *offload)
{
    struct xpd_warnings *warnings = &offload->deriving->out->warnings;
    if (offload->lone_starts > 0)
        xpd_warn(warnings, XPD_NOTE, "offload_starts", XPD_NO_OFFSET,
                 "%llu copies to or from host memory have no end in the profile and no bar",
                 (unsigned long long)offload->lone_starts);
    if (offload->lone_dones > 0)
        xpd_warn(warnings, XPD_NOTE, "offload_dones", XPD_NO_OFFSET,
                 "%llu copies to or from host memory began before the profile and have no bar",
                 (unsigned long long)offload->lone_dones);
}

void xpd_derive_offload(struct xpd_deriving *deriving, uint32_t process)
{
    const struct xpd_trace *trace = deriving->trace;
    const struct xpd_trace_process *at = &trace->process[process];
    struct offload offload = {.deriving = deriving};
    offload.name = calloc((size_t)trace->name_count + 1, sizeof *offload.name);
    if (!offload.name) {
        deriving->failed = true;
        return;
    }
    xpd_builder_from_process(&offload.row, trace, process);
    for (uint32_t i = 0; i < at->row_count; i++) {
        enum xpd_row_kind kind = trace->row[at->first_row + i].kind;
        if (kind != XPD_ROW_ASYNC_OPS && kind != XPD_ROW_COUNTER)
            collect(&offload, at->first_row + i);
    }
    deriving->failed |= offload.half.failed;
    if (!deriving->failed)
        pair(&offload);
    warn(&offload);
    xpd_derive_row(
        deriving, process, XPD_DERIVED_ID + 8, XPD_STR("Host Offload"), XPD_ROW_OFFLOAD,
        "From the start of each copy to or from host memory to its done: k-th start with "
        "k-th done of the same instruction, by the device clock",
        &offload.row);
    xpd_builder_fini(&offload.row);
    XPD_VEC_FINI(&offload.half);
    free(offload.name);
}

struct parsed { /* of one event name, parsed when first met */
    uint32_t scope_first, scope_count;
    uint32_t op, source; /* index in derived->name; XPD_NO_INDEX = none */
    bool done;
};

struct tpu {
    struct xpd_deriving *deriving;
    uint32_t process;
    struct parsed *parsed; /* by event name of the trace */
    XPD_VEC(uint32_t) scope;
    struct xpd_builder scopes, ops, sources;
    uint32_t near; /* in the grouping events: where the event before lay */
};

static void parse_scopes(struct tpu *tpu, struct parsed *parsed, struct xpd_str scopes)
{
    struct xpd_str scope;
    parsed->scope_first = (uint32_t)tpu->scope.count;
    while (xpd_tf_op_next_scope(&scopes, &scope)) {
        if (parsed->scope_count == XPD_SCOPES_MAX) {
            xpd_warn(&tpu->deriving->out->warnings, XPD_NOTE, "scopes_cut", XPD_NO_OFFSET,
                     "an operation has more than %d name scopes; the inner ones are not shown",
                     XPD_SCOPES_MAX);
            return;
        }
        XPD_PUSH(&tpu->scope, xpd_derive_name(tpu->deriving, scope, scope, XPD_OP_NONE));
        parsed->scope_count++;
    }
}

static void parse_op(struct tpu *tpu, struct parsed *parsed, struct xpd_str full, uint8_t group)
{
    struct xpd_tf_op op = xpd_tf_op_parse(full);
    parsed->op = xpd_derive_framework_op(tpu->deriving, &op, full, (enum xpd_op_group)group);
    parse_scopes(tpu, parsed, op.scopes);
}

static const struct parsed *parse(struct tpu *tpu, uint32_t number)
{
    struct parsed *parsed = &tpu->parsed[number];
    const struct xpd_trace *trace = tpu->deriving->trace;
    const struct xpd_event_name *name = &trace->name[number];
    if (parsed->done)
        return parsed;
    parsed->done = true;
    parsed->op = parsed->source = XPD_NO_INDEX;
    struct xpd_str tf_op = xpd_intern_get(&trace->names, name->tf_op);
    struct xpd_str source = xpd_intern_get(&trace->names, name->source);
    if (name->async)
        return parsed;
    if (tf_op.size > 0)
        parse_op(tpu, parsed, tf_op, name->group);
    if (source.size > 0)
        parsed->source = xpd_derive_name(tpu->deriving, source, source, XPD_OP_NONE);
    return parsed;
}

/* Events come by time: most lie in the same step as the one before. */
static uint32_t group_of(struct tpu *tpu, const struct xpd_merged *event)
{
    const struct xpd_event_groups *groups = tpu->deriving->out->groups;
    uint32_t row = event->depth->row;
    if (groups->of_row[row])
        return groups->of_row[row][event->event - groups->row_event[row]];
    const struct xpd_group_line *line = &groups->line[tpu->process];
    int64_t end_ps = event->start_ps + event->duration_ps;
    uint32_t at = tpu->near;
    bool is_first = at < line->count && line->last_end_ps[at] >= event->start_ps &&
                    (at == 0 || line->last_end_ps[at - 1] < event->start_ps);
    if (!is_first)
        at = tpu->near = xpd_group_line_first(line, event->start_ps);
    return at < line->count && line->start_ps[at] <= end_ps ? line->group[at] : XPD_NO_GROUP;
}

static void draw_tpu(struct tpu *tpu, const struct xpd_merged *event)
{
    const struct parsed *parsed = parse(tpu, event->name);
    if (parsed->op == XPD_NO_INDEX && parsed->source == XPD_NO_INDEX)
        return;
    struct xpd_span span = {.start_ps = event->start_ps,
                            .end_ps = event->start_ps + event->duration_ps,
                            .depth = event->depth,
                            .index = event->index,
                            .group = group_of(tpu, event),
                            .scope_id = -1};
    if (tpu->scope.failed)
        return;
    if (parsed->op != XPD_NO_INDEX) {
        if (parsed->scope_count > 0)
            xpd_builder_stack(&tpu->scopes, tpu->scope.at + parsed->scope_first,
                              parsed->scope_count, &span);
        xpd_builder_one(&tpu->ops, parsed->op, &span);
    }
    if (parsed->source != XPD_NO_INDEX)
        xpd_builder_one(&tpu->sources, parsed->source, &span);
}

static void walk(struct tpu *tpu)
{
    const struct xpd_trace *trace = tpu->deriving->trace;
    const struct xpd_trace_process *process = &trace->process[tpu->process];
    struct xpd_merge merge;
    struct xpd_merged event;
    xpd_merge_init(&merge, false);
    for (uint32_t i = 0; i < process->row_count; i++) {
        enum xpd_row_kind kind = trace->row[process->first_row + i].kind;
        if (kind != XPD_ROW_ASYNC_OPS && kind != XPD_ROW_COUNTER)
            xpd_merge_add_row(&merge, trace, process->first_row + i);
    }
    while (!tpu->deriving->failed && xpd_merge_next(&merge, &event))
        draw_tpu(tpu, &event);
    tpu->deriving->failed |= merge.failed || tpu->scope.failed;
    xpd_merge_fini(&merge);
    xpd_builder_close(&tpu->scopes); /* closes the ops with it */
}

void xpd_derive_tpu(struct xpd_deriving *deriving, uint32_t process)
{
    struct tpu tpu = {.deriving = deriving, .process = process};
    tpu.scopes.dependent[0] = &tpu.ops;
    xpd_builder_from_process(&tpu.scopes, deriving->trace, process);
    xpd_builder_from_process(&tpu.ops, deriving->trace, process);
    xpd_builder_from_process(&tpu.sources, deriving->trace, process);
    tpu.parsed = calloc((size_t)deriving->trace->name_count + 1, sizeof *tpu.parsed);
    if (tpu.parsed)
        walk(&tpu);
    else
        deriving->failed = true;
    xpd_derive_row(deriving, process, XPD_DERIVED_ID + 2, XPD_STR("Framework Name Scope"),
                   XPD_ROW_NAME_SCOPE,
                   "From the stat tf_op of the operations: scopes of one step that follow each "
                   "other are one bar",
                   &tpu.scopes);
    xpd_derive_row(deriving, process, XPD_DERIVED_ID + 3, XPD_STR("Framework Ops"),
                   XPD_ROW_FRAMEWORK_OPS,
                   "From the stat tf_op of the operations: equal ones of one step that follow each "
                   "other are one bar",
                   &tpu.ops);
    xpd_derive_row(deriving, process, XPD_DERIVED_ID + 7, XPD_STR("Source code"), XPD_ROW_SOURCE,
                   "From the stat source of the operations: equal lines of one step that follow "
                   "each other are one bar",
                   &tpu.sources);
    xpd_builder_fini(&tpu.scopes);
    xpd_builder_fini(&tpu.ops);
    xpd_builder_fini(&tpu.sources);
    XPD_VEC_FINI(&tpu.scope);
    free(tpu.parsed);
}
