/* tag=trace_viewer@: all events of a window, one event with its arguments, or those whose name
 * begins with a text (trace.md 5.3 to 5.5), in XProf's JSON. */
#include "trace.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define RESOLUTION_DEFAULT 8000

enum mode { MODE_WINDOW, MODE_EVENT, MODE_SEARCH };

struct answer {
    const struct xpd_compat_trace *trace;
    const struct xpd_compat_host *host; /* the one being walked */
    enum mode mode;
    bool with_args, full_dma;
    struct xpd_str name; /* of the event, or the prefix */
    int64_t start_ps, duration_ps;
    uint64_t serial;
    struct xpd_intern frames; /* long texts; the id is the number of the frame */
    struct xpd_arena arena, scratch;
    struct xpd_jsonw json;
    uint64_t count, counters;
    bool counting; /* first pass */
    struct xpd_err *err;
    int rc;
};

/* ---- parameters ---- */

static bool number_param(const struct xpd_tool_ctx *ctx, const char *name, double *value)
{
    struct xpd_str text = xpd_param_text(ctx, name);
    char copy[64], *end;
    if (text.size == 0 || text.size >= sizeof copy)
        return false;
    memcpy(copy, text.data, text.size);
    copy[text.size] = 0;
    *value = strtod(copy, &end);
    return *end == 0 && isfinite(*value);
}

static bool flag_param(const struct xpd_tool_ctx *ctx, const char *name)
{
    struct xpd_str text = xpd_param_text(ctx, name);
    return xpd_str_eq(text, XPD_STR("true")) || xpd_str_eq(text, XPD_STR("1"));
}

/* Milliseconds to picoseconds as XProf rounds them, kept inside the range. */
static int64_t to_ps(double ms)
{
    double ps = round(ms * 1e9);
    if (ps >= 9.2e18)
        return INT64_MAX;
    return ps <= 0 ? 0 : (int64_t)ps;
}

static void bounds(const struct xpd_compat_trace *trace, int64_t *first_ps, int64_t *end_ps)
{
    bool any = false;
    *first_ps = *end_ps = 0;
    for (uint32_t i = 0; i < trace->host_count; i++) {
        const struct xpd_xprof *xprof = trace->host[i].xprof;
        if (xprof->event_count == 0)
            continue;
        if (!any || xprof->first_ps < *first_ps)
            *first_ps = xprof->first_ps;
        if (!any || xprof->end_ps > *end_ps)
            *end_ps = xprof->end_ps;
        any = true;
    }
}

/* Without any of the two there is no window: everything. */
static void window_param(const struct answer *answer, struct xpd_xprof_query *query)
{
    const struct xpd_tool_ctx *ctx = answer->trace->ctx;
    double start_ms, end_ms, resolution;
    int64_t first_ps, last_ps;
    bool has_start = number_param(ctx, "start_time_ms", &start_ms);
    bool has_end = number_param(ctx, "end_time_ms", &end_ms);
    if (answer->mode != MODE_WINDOW)
        return;
    bounds(answer->trace, &first_ps, &last_ps);
    query->windowed = has_start || has_end;
    query->from_ps = has_start ? to_ps(start_ms) : first_ps;
    query->to_ps = has_end && to_ps(end_ms) > 0 ? to_ps(end_ms) : last_ps;
    if (query->to_ps < query->from_ps)
        query->to_ps = query->from_ps;
    if (!number_param(ctx, "resolution", &resolution))
        resolution = RESOLUTION_DEFAULT;
    if (resolution > 0)
        query->resolution_ps =
            (int64_t)((double)(query->to_ps - query->from_ps) / resolution + 0.5);
}

static int read_params(struct answer *answer, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = answer->trace->ctx;
    double start_ms = 0, duration_ms = 0;
    answer->full_dma = flag_param(ctx, "full_dma");
    if (xpd_param_has(ctx, "event_name")) {
        answer->mode = MODE_EVENT;
        answer->with_args = true;
        answer->name = xpd_param_text(ctx, "event_name");
        if (!number_param(ctx, "start_time_ms", &start_ms) ||
            !number_param(ctx, "duration_ms", &duration_ms))
            return xpd_fail(err, XPD_EINVAL, "start_time_ms", XPD_NO_OFFSET,
                            "event_name= needs start_time_ms= and duration_ms= of the event");
        answer->start_ps = to_ps(start_ms);
        answer->duration_ps = to_ps(duration_ms);
        (void)xpd_str_to_u64(xpd_param_text(ctx, "unique_id"), &answer->serial);
    } else if (xpd_param_has(ctx, "search_prefix")) {
        answer->mode = MODE_SEARCH;
        answer->with_args = flag_param(ctx, "search_metadata");
        answer->name = xpd_param_text(ctx, "search_prefix");
    }
    return XPD_OK;
}

/* ---- which events ---- */

static bool wanted(const struct answer *answer, const struct xpd_xprof_event *event)
{
    switch (answer->mode) {
    case MODE_EVENT:
        return event->start_ps == answer->start_ps && event->serial == answer->serial &&
               (event->duration_ps == answer->duration_ps ||
                (event->duration_ps == 0 && answer->duration_ps == 1)) &&
               xpd_str_eq(event->name, answer->name);
    case MODE_SEARCH:
        return event->name.size >= answer->name.size &&
               (answer->name.size == 0 ||
                memcmp(event->name.data, answer->name.data, answer->name.size) == 0);
    default: return true;
    }
}

/* ---- long texts ---- */

static void put_frame(struct answer *answer, bool derived, uint32_t name_number)
{
    struct xpd_str text;
    if (!xpd_compat_long_name(answer->host, derived, name_number, &text) ||
        text.size <= XPD_COMPAT_FRAME_BYTES)
        return;
    (void)xpd_intern_put(&answer->frames, text.data, text.size);
}

/* XProf sends all long texts with every answer but that about one event. */
static void put_all_frames(struct answer *answer)
{
    const struct xpd_compat_host *host = answer->host;
    uint32_t measured = host->trace->name_count;
    bool *used = calloc((size_t)measured + host->derived->name_count + 1, sizeof *used);
    if (!used) {
        answer->frames.failed = true;
        return;
    }
    for (uint32_t d = 0; d < host->trace->depth_count; d++) {
        const struct xpd_depth *depth = &host->trace->depth[d];
        const struct xpd_trace_row *row = &host->trace->row[depth->row];
        if (host->trace->process[row->process].kind == XPD_PROCESS_OTHER ||
            row->kind == XPD_ROW_COUNTER || row->kind == XPD_ROW_INTERNAL)
            continue;
        for (uint32_t i = 0; i < depth->count; i++)
            used[depth->name[i]] = true;
    }
    for (uint32_t i = 0; i < host->derived->depth_count; i++)
        if (host->derived->row[host->derived->depth[i].row].kind == XPD_ROW_FRAMEWORK_OPS)
            for (uint32_t k = 0; k < host->derived->depth[i].count; k++)
                used[host->derived->depth[i].name[k]] = true;
    for (uint32_t i = 0; i < measured; i++)
        if (used[i])
            put_frame(answer, false, i);
    for (uint32_t i = 0; i < host->derived->name_count; i++)
        if (used[measured + i])
            put_frame(answer, true, i);
    free(used);
}

static void write_frames(struct answer *answer)
{
    struct xpd_jsonw *w = &answer->json;
    xpd_json_obj(w);
    for (uint32_t i = 1; i < answer->frames.count; i++) {
        char key[16];
        struct xpd_str text = xpd_intern_get(&answer->frames, i);
        (void)snprintf(key, sizeof key, "%u", i);
        xpd_json_key(w, key);
        xpd_json_obj(w);
        if (text.size > XPD_COMPAT_LONG_BYTES) {
            char *cut = xpd_arena_printf(&answer->scratch, "%.*s...<truncated>",
                                         XPD_COMPAT_LONG_BYTES, text.data);
            text = xpd_str_of(cut);
        }
        xpd_json_kstr(w, "name", text);
        xpd_json_obj_end(w);
    }
    xpd_json_obj_end(w);
}

/* ---- one event ---- */

static void key_number(struct xpd_jsonw *w, const char *key, uint64_t value)
{
    char text[24];
    int size = snprintf(text, sizeof text, "%" PRIu64, value);
    xpd_json_key(w, key);
    xpd_json_raw(w, (struct xpd_str){text, (size_t)size});
}

static void key_us(struct xpd_jsonw *w, const char *key, int64_t ps)
{
    xpd_json_key(w, key);
    xpd_json_raw(w, XPD_STR(""));
    xpd_compat_put_us(w->out, ps);
}

static void write_value(struct xpd_jsonw *w, const struct xpd_compat_arg *arg)
{
    switch (arg->type) {
    case XPD_STAT_INT: xpd_json_i64(w, arg->integer); break;
    case XPD_STAT_UINT: xpd_json_u64(w, (uint64_t)arg->integer); break;
    case XPD_STAT_DOUBLE:
        if (isfinite(arg->real))
            xpd_json_double(w, arg->real);
        else /* XProf writes -Infinity as Infinity; the sign is kept here */
            xpd_json_text(w, isnan(arg->real) ? "NaN" : arg->real > 0 ? "Infinity" : "-Infinity");
        break;
    default: xpd_json_str(w, arg->text); break;
    }
}

/* The number of the stack frame, 0 = none. */
static uint32_t write_args(struct answer *answer, const struct xpd_xprof_event *event)
{
    struct xpd_jsonw *w = &answer->json;
    struct xpd_compat_arg *arg;
    uint32_t count = 0, frame = 0;
    xpd_arena_reset(&answer->scratch);
    int rc = xpd_compat_args(answer->host, event, &answer->scratch, &arg, &count, answer->err);
    if (rc != XPD_OK) {
        answer->rc = rc;
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (arg[i].is_internal || arg[i].type == XPD_STAT_BYTES)
            continue;
        if (xpd_str_eq(arg[i].name, XPD_STR("long_name")) &&
            arg[i].text.size > XPD_COMPAT_FRAME_BYTES) {
            struct xpd_str text;
            bool derived = event->event >= answer->host->trace->event_count;
            (void)xpd_compat_long_name(answer->host, derived, event->name_number, &text);
            frame = xpd_intern_find(&answer->frames, text);
            frame = frame == XPD_NO_NAME ? 0 : frame;
            continue;
        }
        char key[256];
        (void)snprintf(key, sizeof key, "%.*s",
                       (int)(arg[i].name.size < 255 ? arg[i].name.size : 255), arg[i].name.data);
        xpd_json_key(w, key);
        write_value(w, &arg[i]);
    }
    return frame;
}

static void write_tail(struct answer *answer, const struct xpd_xprof_event *event, bool with_args)
{
    struct xpd_jsonw *w = &answer->json;
    uint32_t frame = 0;
    xpd_json_key(w, "args");
    xpd_json_obj(w);
    if (event->group != XPD_NO_GROUP)
        key_number(w, "group_id", event->group);
    if (answer->with_args)
        frame = write_args(answer, event);
    else if (with_args)
        key_number(w, "uid", event->serial);
    xpd_json_obj_end(w);
    if (frame)
        key_number(w, "sf", frame);
    if (event->serial)
        key_number(w, "z", event->serial);
    xpd_json_obj_end(w);
}

static void write_slice(struct answer *answer, const struct xpd_xprof_event *event)
{
    struct xpd_jsonw *w = &answer->json;
    xpd_json_obj(w);
    key_number(w, "pid", event->pid);
    key_number(w, "tid", event->tid);
    xpd_json_kstr(w, "name", event->name);
    key_us(w, "ts", event->start_ps);
    /* a slice of no length would count as unfinished */
    key_us(w, "dur", event->duration_ps > 0 ? event->duration_ps : 1);
    if (event->ends) {
        key_number(w, "bind_id", event->flow);
        if (xpd_flow_category_word(event->category)[0])
            xpd_json_ktext(w, "cat", xpd_flow_category_word(event->category));
        if (event->ends & XPD_FLOW_OUT)
            xpd_json_kbool(w, "flow_out", true);
        if (event->ends & XPD_FLOW_IN)
            xpd_json_kbool(w, "flow_in", true);
    }
    xpd_json_ktext(w, "ph", "X");
    write_tail(answer, event, true);
}

static void write_async(struct answer *answer, const struct xpd_xprof_event *event, bool begin)
{
    struct xpd_jsonw *w = &answer->json;
    xpd_json_obj(w);
    key_number(w, "pid", event->pid);
    xpd_json_kstr(w, "name", event->name);
    key_us(w, "ts", begin ? event->start_ps : event->start_ps + event->duration_ps);
    key_number(w, "id", event->flow);
    xpd_json_ktext(w, "cat", xpd_flow_category_word(event->category));
    xpd_json_ktext(w, "ph", begin ? "b" : "e");
    write_tail(answer, event, begin);
}

static bool on_event(void *user, const struct xpd_xprof_event *event)
{
    struct answer *answer = user;
    if (!wanted(answer, event))
        return true;
    if (event->kind == XPD_XPROF_COUNTER) {
        answer->counters += answer->counting;
        return true; /* counters follow behind */
    }
    if (answer->counting) {
        answer->count++;
        if (answer->mode == MODE_EVENT)
            put_frame(answer, event->event >= answer->host->trace->event_count, event->name_number);
        return !answer->frames.failed;
    }
    if (event->kind == XPD_XPROF_SLICE) {
        write_slice(answer, event);
    } else {
        bool both = event->ends == (XPD_FLOW_IN | XPD_FLOW_OUT);
        if (both || event->ends == XPD_FLOW_OUT)
            write_async(answer, event, true);
        if (both || event->ends == XPD_FLOW_IN)
            write_async(answer, event, false);
    }
    return answer->rc == XPD_OK && !answer->json.out->failed;
}

/* ---- all of it ---- */

static void write_metadata(struct xpd_jsonw *w, const char *name, const char *key, uint32_t pid,
                           const struct xpd_xprof_thread *thread)
{
    xpd_json_obj(w);
    xpd_json_key(w, "args");
    xpd_json_obj(w);
    if (strcmp(key, "sort_index") == 0)
        key_number(w, key, thread ? thread->tid : pid);
    else if (thread)
        xpd_json_kstr(w, key, thread->caption);
    xpd_json_obj_end(w);
    xpd_json_ktext(w, "name", name);
    xpd_json_ktext(w, "ph", "M");
    key_number(w, "pid", pid);
    if (thread)
        key_number(w, "tid", thread->tid);
    xpd_json_obj_end(w);
}

static void write_process(struct xpd_jsonw *w, const struct xpd_xprof *xprof,
                          const struct xpd_xprof_process *process)
{
    xpd_json_obj(w);
    xpd_json_key(w, "args");
    xpd_json_obj(w);
    xpd_json_ktext(w, "name", process->name);
    xpd_json_obj_end(w);
    xpd_json_ktext(w, "name", "process_name");
    xpd_json_ktext(w, "ph", "M");
    key_number(w, "pid", process->pid);
    key_number(w, "thread_count", process->thread_count);
    xpd_json_obj_end(w);
    write_metadata(w, "process_sort_index", "sort_index", process->pid, NULL);
    for (uint32_t i = 0; i < process->thread_count; i++) {
        const struct xpd_xprof_thread *thread = &xprof->thread[process->first_thread + i];
        write_metadata(w, "thread_name", "name", process->pid, thread);
        write_metadata(w, "thread_sort_index", "sort_index", process->pid, thread);
    }
}

static int walk(struct answer *answer, const struct xpd_xprof_query *query, bool counting)
{
    answer->counting = counting;
    for (uint32_t i = 0; i < answer->trace->host_count; i++) {
        answer->host = &answer->trace->host[i];
        if (counting && answer->mode != MODE_EVENT)
            put_all_frames(answer);
        int rc = xpd_xprof_each(answer->host->xprof, query, on_event, answer, answer->err);
        if (rc != XPD_OK || answer->rc != XPD_OK)
            return rc != XPD_OK ? rc : answer->rc;
    }
    return XPD_OK;
}

static void write_head(struct answer *answer)
{
    struct xpd_strbuf *out = answer->json.out;
    int64_t first_ps, end_ps;
    bool tpu = false;
    for (uint32_t i = 0; i < answer->trace->host_count; i++)
        tpu |= answer->trace->host[i].xprof->has_tpu;
    bounds(answer->trace, &first_ps, &end_ps);
    xpd_strbuf_puts(out, "{\"displayTimeUnit\":\"ns\",\"metadata\":{\"highres-ticks\":true}, "
                         "\"codeLink\":\"\",\"useNewBackend\": false,\"details\":[{\"name\":"
                         "\"mpmd_pipeline_view\",\"value\":false}");
    if (tpu)
        xpd_strbuf_printf(out, ",{\"name\":\"full_dma\",\"value\":%s}",
                          answer->full_dma ? "true" : "false");
    /* six digits, as XProf prints them */
    xpd_strbuf_printf(out,
                      "],\"returnedEventsSize\":%" PRIu64
                      ",\"filteredByVisibility\":true,\"fullTimespan\":[%g,%g],\"stackFrames\":",
                      answer->count + answer->counters, (double)first_ps / 1e9,
                      (double)end_ps / 1e9);
}

struct counters { /* the event that is being written */
    struct answer *answer;
    uint32_t pid;
    struct xpd_str name;
    bool open;
};

static void close_counter(struct counters *counters)
{
    struct xpd_jsonw *w = &counters->answer->json;
    if (counters->open) {
        xpd_json_arr_end(w);
        xpd_json_obj_end(w);
    }
    counters->open = false;
}

/* Consecutive samples of one counter are one event; its argument is named as that of the first. */
static void open_counter(struct counters *counters, const struct xpd_xprof_event *event)
{
    struct answer *answer = counters->answer;
    struct xpd_jsonw *w = &answer->json;
    struct xpd_stat_value *stat;
    uint32_t count, from_metadata;
    xpd_arena_reset(&answer->scratch);
    answer->rc = xpd_trace_stats(answer->host->trace, event->event, &answer->scratch, &stat, &count,
                                 &from_metadata, answer->err);
    if (answer->rc != XPD_OK)
        return;
    xpd_json_obj(w);
    key_number(w, "pid", event->pid);
    xpd_json_kstr(w, "name", event->name);
    xpd_json_ktext(w, "ph", "C");
    xpd_json_kstr(w, "event_stats", count > 0 ? stat[0].name : XPD_STR(""));
    xpd_json_key(w, "entries");
    xpd_json_arr(w);
    counters->pid = event->pid;
    counters->name = event->name;
    counters->open = true;
}

static bool on_counter(void *user, const struct xpd_xprof_event *event)
{
    struct counters *counters = user;
    struct xpd_jsonw *w = &counters->answer->json;
    if (!wanted(counters->answer, event))
        return true;
    if (counters->open && (counters->pid != event->pid || !xpd_str_eq(counters->name, event->name)))
        close_counter(counters);
    if (!counters->open)
        open_counter(counters, event);
    if (counters->answer->rc != XPD_OK)
        return false;
    xpd_json_arr(w);
    xpd_json_raw(w, XPD_STR(""));
    xpd_compat_put_us(w->out, event->start_ps);
    xpd_json_double(w, event->value);
    xpd_json_arr_end(w);
    return !w->out->failed;
}

static int write_counters(struct answer *answer, const struct xpd_xprof_query *query)
{
    for (uint32_t i = 0; i < answer->trace->host_count; i++) {
        struct counters counters = {.answer = answer};
        answer->host = &answer->trace->host[i];
        xpd_xprof_each_counter(answer->host->xprof, query, on_counter, &counters);
        close_counter(&counters);
        if (answer->rc != XPD_OK)
            return answer->rc;
    }
    return XPD_OK;
}

static int write_answer(struct answer *answer, const struct xpd_xprof_query *query)
{
    struct xpd_jsonw *w = &answer->json;
    int rc = walk(answer, query, true);
    if (rc != XPD_OK)
        return rc;
    write_head(answer);
    write_frames(answer);
    xpd_strbuf_puts(w->out, ",\"traceEvents\":");
    xpd_jsonw_init(w, w->out);
    xpd_json_arr(w);
    for (uint32_t i = 0; i < answer->trace->host_count; i++) {
        const struct xpd_xprof *xprof = answer->trace->host[i].xprof;
        for (uint32_t p = 0; p < xprof->process_count; p++)
            write_process(w, xprof, &xprof->process[p]);
    }
    rc = walk(answer, query, false);
    if (rc != XPD_OK)
        return rc;
    rc = write_counters(answer, query);
    if (rc != XPD_OK)
        return rc;
    xpd_json_arr_end(w);
    xpd_strbuf_printf(w->out, ", \"showCounterMessage\": \"\" ,\"totalCounterEvents\":%" PRIu64 "}",
                      answer->counters);
    return XPD_OK;
}

int xpd_compat_trace_viewer(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                            struct xpd_err *err)
{
    struct xpd_compat_trace trace;
    if (xpd_str_eq(xpd_param_text(ctx, "format"), XPD_STR("pb")))
        return xpd_fail(err, XPD_EINVAL, "format", XPD_NO_OFFSET,
                        "format=pb is not offered: ask without it for JSON, which is complete");
    int rc = xpd_compat_open_trace(ctx, false, &trace, err);
    if (rc != XPD_OK)
        return rc;
    struct answer answer = {.trace = &trace, .err = err};
    struct xpd_xprof_query query = {0};
    xpd_intern_init(&answer.frames, &answer.arena);
    (void)xpd_intern_put(&answer.frames, "", 0);
    xpd_jsonw_init(&answer.json, &out->body);
    rc = read_params(&answer, err);
    if (rc == XPD_OK) {
        window_param(&answer, &query);
        query.full_dma = answer.full_dma;
        rc = write_answer(&answer, &query);
    }
    if (rc == XPD_OK && answer.frames.failed)
        rc = xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET,
                      "no memory for the texts of this answer");
    xpd_intern_fini(&answer.frames);
    xpd_arena_fini(&answer.arena);
    xpd_arena_fini(&answer.scratch);
    xpd_compat_close_trace(&trace);
    return rc;
}
