/* Copies between the chip and host memory: one bar from each start to its done.
 *
 * The k-th start belongs to the k-th done of the same instruction of the same program, in the order
 * of the device clock. XProf pairs by name in the order of its unstable sort, and
 * its bars carry no step; its own rows are made by xprof_offload.c for its routes only. */
#include "derive.h"
#include "xprofd/trace/async.h"
#include <stdio.h>

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
    uint32_t name; /* of the derived event */
    bool done;
};

struct copy_name { /* of one event name: what xpd_offload_half says, remembered */
    uint64_t key;
    uint32_t name;
    uint8_t half; /* +1; 0 = not asked yet */
};

struct offload {
    struct xpd_deriving *deriving;
    struct copy_name *name; /* by event name */
    XPD_VEC(struct half) half;
    struct xpd_builder row; /* only its list of events is used */
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
                                .start_ps = depth->start_ps[i],
                                .end_ps = depth->start_ps[i] + depth->duration_ps[i],
                                .device_start_ps = -1,
                                .device_end_ps = -1,
                                .event = depth->first_event + i,
                                .name = name->name,
                                .done = name->half == 1 + XPD_OFFLOAD_DONE};
            uint64_t offset, duration;
            half.clock_ps = half.start_ps;
            if (xpd_event_stat(trace, half.event, XPD_STR("device_offset_ps"), &offset) &&
                offset <= INT64_MAX / 2) {
                half.clock_ps = half.device_start_ps = (int64_t)offset;
                if (xpd_event_stat(trace, half.event, XPD_STR("device_duration_ps"), &duration) &&
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
    struct xpd_drawn drawn = {
        .start_ps = start->start_ps,
        .end_ps = done->end_ps > start->start_ps ? done->end_ps : start->start_ps,
        .event = start->event,
        .name = start->name,
        .pair = xpd_derive_pair(offload->deriving, done->event,
                                device ? done->device_end_ps - start->device_start_ps : -1)};
    XPD_PUSH(&offload->row.drawn, drawn);
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
