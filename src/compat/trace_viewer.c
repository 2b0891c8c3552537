/* tag=trace_viewer@: all events of a window, one event with its arguments, or those whose name
 * begins with a text, in XProf's JSON. One walk; the number of events, which
 * stands in front, is put in at the end. */
#include "trace_answer.h"

#include <inttypes.h>
#include <stdio.h>

/* About 10 MB of JSON, which the cache of answers keeps whole: beyond, an answer is sent while it
 * is made, and kept as it was sent. */
#define STREAM_EVENTS 60000
#define STREAM_ARGS   20000 /* the same with arguments */

static bool on_event(void *user, const struct xpd_xprof_event *event)
{
    struct xpd_trace_answer *answer = user;
    if (!xpd_answer_wants(answer, event))
        return true;
    if (answer->looking) {
        if (event->kind != XPD_XPROF_COUNTER && !event->offload &&
            !xpd_compat_is_summary(answer->host, event)) /* those have no long name */
            xpd_answer_frame(answer, event->event >= answer->host->trace->event_count,
                             event->name_number);
        if (event->kind != XPD_XPROF_COUNTER && !event->offload)
            xpd_answer_stat_frames(answer, event->event);
        return !answer->frames.failed;
    }
    if (answer->counting || !answer->pump)
        answer->count++;
    if (answer->counting)
        return true;
    if (event->kind == XPD_XPROF_COUNTER) {
        answer->counters++;
        return true; /* counters follow */
    }
    if (event->kind == XPD_XPROF_SLICE)
        xpd_answer_slice(answer, event);
    else
        xpd_answer_async(answer, event);
    return answer->rc == XPD_OK && xpd_answer_sent(answer, XPD_ANSWER_PIECE);
}

/* ---- main ---- */

static void write_metadata(struct xpd_jsonw *w, const char *name, const char *key, uint32_t pid,
                           const struct xpd_xprof_thread *thread)
{
    xpd_json_obj(w);
    xpd_json_key(w, "args");
    xpd_json_obj(w);
    if (strcmp(key, "sort_index") == 0)
        xpd_answer_number(w, key, thread ? thread->tid : pid);
    else if (thread)
        xpd_json_kstr(w, key, thread->caption);
    xpd_json_obj_end(w);
    xpd_json_ktext(w, "name", name);
    xpd_json_ktext(w, "ph", "M");
    xpd_answer_number(w, "pid", pid);
    if (thread)
        xpd_answer_number(w, "tid", thread->tid);
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
    xpd_answer_number(w, "pid", process->pid);
    xpd_answer_number(w, "thread_count", process->thread_count);
    xpd_json_obj_end(w);
    write_metadata(w, "process_sort_index", "sort_index", process->pid, NULL);
    for (uint32_t i = 0; i < process->thread_count; i++) {
        const struct xpd_xprof_thread *thread = &xprof->thread[process->first_thread + i];
        write_metadata(w, "thread_name", "name", process->pid, thread);
        write_metadata(w, "thread_sort_index", "sort_index", process->pid, thread);
    }
}

static int walk(struct xpd_trace_answer *answer)
{
    for (uint32_t i = 0; i < answer->trace->host_count; i++) {
        answer->host = &answer->trace->host[i];
        uint64_t before = answer->count;
        int rc = xpd_xprof_each(answer->host->xprof, &answer->host->query, on_event, answer,
                                answer->err);
        answer->found |= answer->count != before;
        if (rc != XPD_OK || answer->rc != XPD_OK)
            return rc != XPD_OK ? rc : answer->rc;
    }
    return XPD_OK;
}

/* The long texts come before the events. */
static int collect_frames(struct xpd_trace_answer *answer)
{
    if (answer->mode == XPD_TRACE_EVENT) {
        answer->looking = true;
        int rc = walk(answer);
        answer->looking = answer->found = false;
        return rc;
    }
    for (uint32_t i = 0; i < answer->trace->host_count; i++) {
        answer->host = &answer->trace->host[i];
        xpd_answer_all_frames(answer);
    }
    return XPD_OK;
}

/* Room for the count in the head, which is known at the end: blanks, then digits. */
#define COUNT_DIGITS 20

static void write_count(const struct xpd_trace_answer *answer)
{
    struct xpd_strbuf *out = answer->json.out;
    char digits[COUNT_DIGITS + 1];
    if (answer->pump) /* it is in the head, which was already sent */
        return;
    (void)snprintf(digits, sizeof digits, "%*" PRIu64, COUNT_DIGITS, answer->count);
    if (!out->failed)
        memcpy(out->data + answer->count_at, digits, COUNT_DIGITS);
}

static void write_head(struct xpd_trace_answer *answer)
{
    struct xpd_strbuf *out = answer->json.out;
    int64_t first_ps, end_ps;
    bool tpu = false;
    for (uint32_t i = 0; i < answer->trace->host_count; i++)
        tpu |= answer->trace->host[i].xprof->has_tpu;
    xpd_answer_bounds(answer->trace, &first_ps, &end_ps);
    xpd_strbuf_puts(out, "{\"displayTimeUnit\":\"ns\",\"metadata\":{\"highres-ticks\":true}, "
                         "\"codeLink\":\"\",\"useNewBackend\": false,\"details\":[{\"name\":"
                         "\"mpmd_pipeline_view\",\"value\":false}");
    if (tpu)
        xpd_strbuf_printf(out, ",{\"name\":\"full_dma\",\"value\":%s}",
                          answer->full_dma ? "true" : "false");
    /* six digits, as XProf prints them */
    xpd_strbuf_puts(out, "],\"returnedEventsSize\":");
    answer->count_at = out->size;
    xpd_strbuf_printf(out, "%*" PRIu64, COUNT_DIGITS, answer->count);
    xpd_strbuf_printf(out,
                      ",\"filteredByVisibility\":true,\"fullTimespan\":[%g,%g],\"stackFrames\":",
                      (double)first_ps / 1e9, (double)end_ps / 1e9);
}

/* How many events it will have. */
static int count_events(struct xpd_trace_answer *answer)
{
    answer->count = 0;
    answer->counting = true;
    int rc = walk(answer);
    answer->counting = false;
    return rc;
}

int xpd_answer_write(struct xpd_trace_answer *answer)
{
    struct xpd_jsonw *w = &answer->json;
    int rc = collect_frames(answer);
    if (rc != XPD_OK)
        return rc;
    write_head(answer);
    xpd_answer_write_frames(answer);
    xpd_strbuf_puts(w->out, ",\"traceEvents\":");
    xpd_jsonw_init(w, w->out);
    xpd_json_arr(w);
    for (uint32_t i = 0; i < answer->trace->host_count; i++) {
        const struct xpd_xprof *xprof = answer->trace->host[i].xprof;
        for (uint32_t p = 0; p < xprof->process_count; p++)
            write_process(w, xprof, &xprof->process[p]);
    }
    rc = walk(answer);
    if (rc != XPD_OK)
        return rc;
    rc = xpd_answer_counters(answer);
    if (rc != XPD_OK)
        return rc;
    xpd_json_arr_end(w);
    xpd_strbuf_printf(w->out, ", \"showCounterMessage\": \"\" ,\"totalCounterEvents\":%" PRIu64 "}",
                      answer->counters);
    write_count(answer);
    return xpd_answer_sent(answer, 0) ? XPD_OK : answer->rc;
}

/* Counted only where it may be large: most profiles have fewer events in all. */
static int count_large(struct xpd_trace_answer *answer, bool *large)
{
    uint64_t most = answer->with_args ? STREAM_ARGS : STREAM_EVENTS, all = 0;
    for (uint32_t i = 0; i < answer->trace->host_count; i++)
        all += answer->trace->host[i].xprof->event_count;
    if (answer->mode == XPD_TRACE_EVENT || all <= most)
        return XPD_OK;
    int rc = count_events(answer);
    *large = answer->count > most;
    if (!*large)
        answer->count = 0;
    return rc;
}

int xpd_answer_at_once(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                       uint64_t *too_many, struct xpd_err *err)
{
    struct xpd_compat_trace trace;
    if (xpd_str_eq(xpd_param_text(ctx, "format"), XPD_STR("pb")))
        return xpd_fail(err, XPD_EINVAL, "format", XPD_NO_OFFSET,
                        "format=pb is not offered: ask without it for JSON, which is complete");
    int rc = xpd_compat_open_trace(ctx, false, &trace, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_trace_answer answer = {.trace = &trace, .err = err};
    bool large = false;
    xpd_intern_init(&answer.frames, &answer.arena);
    (void)xpd_intern_put(&answer.frames, "", 0);
    xpd_jsonw_init(&answer.json, &out->body);
    rc = xpd_answer_params(&answer, err);
    if (rc == XPD_OK)
        rc = xpd_answer_window(&answer, err);
    if (rc == XPD_OK)
        rc = count_large(&answer, &large);
    if (rc == XPD_OK && !large)
        rc = xpd_answer_write(&answer);
    if (rc == XPD_OK && answer.mode == XPD_TRACE_EVENT && !answer.found)
        rc = xpd_fail(err, XPD_ENOTFOUND, "event_name", XPD_NO_OFFSET,
                      "no event of this name has this start_time_ms, duration_ms and unique_id");
    if (rc == XPD_OK && answer.frames.failed)
        rc = xpd_no_memory(err, NULL, "for the texts of this answer");
    xpd_intern_fini(&answer.frames);
    xpd_arena_fini(&answer.arena);
    xpd_arena_fini(&answer.scratch);
    xpd_compat_close_trace(&trace);
    *too_many = rc == XPD_OK && large ? answer.count : 0;
    return rc;
}
