/* One event of trace_viewer@ as JSON: a slice, or the begin and end of an asynchronous one. */
#include "trace_answer.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

void xpd_answer_number(struct xpd_jsonw *w, const char *key, uint64_t value)
{
    xpd_json_key(w, key);
    xpd_json_raw(w, XPD_STR(""));
    xpd_strbuf_u64(w->out, value);
}

static void put_us(struct xpd_jsonw *w, const char *key, int64_t ps)
{
    xpd_json_key(w, key);
    xpd_json_raw(w, XPD_STR(""));
    xpd_compat_put_us(w->out, ps);
}

/* Two decimals, as in XProf for these two units. */
static bool is_rounded(const struct xpd_compat_arg *arg)
{
    return isfinite(arg->real) &&
           (xpd_str_ends(arg->name, "(util %)") || xpd_str_ends(arg->name, " (MB/sec)"));
}

static void write_rounded(struct xpd_jsonw *w, double value)
{
    char text[DBL_MAX_10_EXP + 8];
    int size = snprintf(text, sizeof text, "%.2f", value);
    xpd_json_raw(w, (struct xpd_str){text, (size_t)size});
}

static void write_value(struct xpd_jsonw *w, const struct xpd_compat_arg *arg)
{
    switch (arg->type) {
    case XPD_STAT_INT: xpd_json_i64(w, arg->integer); break;
    case XPD_STAT_UINT: xpd_json_u64(w, (uint64_t)arg->integer); break;
    case XPD_STAT_DOUBLE:
        if (is_rounded(arg))
            write_rounded(w, arg->real);
        else if (isfinite(arg->real))
            xpd_json_double(w, arg->real);
        else /* XProf loses the sign */
            xpd_json_text(w, isnan(arg->real) ? "NaN" : "Infinity");
        break;
    default: xpd_json_str(w, arg->text); break;
    }
}

/* The number of the stack frame, 0 = none. */
static uint32_t write_args(struct xpd_trace_answer *answer, const struct xpd_xprof_event *event)
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
        if (xpd_answer_is_frame(&arg[i])) {
            if (frame == 0) {
                frame = xpd_intern_find(&answer->frames, arg[i].text);
                frame = frame == XPD_NO_NAME ? 0 : frame;
                continue;
            }
            char *marked = xpd_arena_printf(&answer->scratch, "@@%.*s", (int)arg[i].text.size,
                                            arg[i].text.data); /* XProf has one frame an event */
            arg[i].text = xpd_str_of(marked);
        }
        const char *key = xpd_arena_strndup(&answer->scratch, arg[i].name.data, arg[i].name.size);
        xpd_json_key(w, key ? key : "");
        write_value(w, &arg[i]);
    }
    return frame;
}

/* `bare`: the end that XProf adds to an event has its group and nothing else. */
static void write_tail(struct xpd_trace_answer *answer, const struct xpd_xprof_event *event,
                       bool bare)
{
    struct xpd_jsonw *w = &answer->json;
    uint32_t frame = 0, group = xpd_xprof_group(answer->host->xprof, event);
    if (!bare || group != XPD_NO_GROUP) {
        xpd_json_key(w, "args");
        xpd_json_obj(w);
        if (group != XPD_NO_GROUP)
            xpd_answer_number(w, "group_id", group);
        if (answer->with_args && !bare)
            frame = write_args(answer, event);
        else if (!bare)
            xpd_answer_number(w, "uid", event->serial);
        xpd_json_obj_end(w);
    }
    if (frame)
        xpd_answer_number(w, "sf", frame);
    if (event->serial)
        xpd_answer_number(w, "z", event->serial);
    xpd_json_obj_end(w);
}

void xpd_answer_slice(struct xpd_trace_answer *answer, const struct xpd_xprof_event *event)
{
    struct xpd_jsonw *w = &answer->json;
    xpd_json_obj(w);
    xpd_answer_number(w, "pid", event->pid);
    xpd_answer_number(w, "tid", event->tid);
    xpd_json_kstr(w, "name", event->name);
    put_us(w, "ts", event->start_ps);
    /* a slice of no length would count as unfinished */
    put_us(w, "dur", event->duration_ps > 0 ? event->duration_ps : 1);
    if (event->in_flow) {
        xpd_answer_number(w, "bind_id", event->flow);
        if (xpd_flow_category_word(event->category)[0])
            xpd_json_ktext(w, "cat", xpd_flow_category_word(event->category));
        if (event->ends & XPD_FLOW_OUT)
            xpd_json_kbool(w, "flow_out", true);
        if (event->ends & XPD_FLOW_IN)
            xpd_json_kbool(w, "flow_in", true);
    }
    xpd_json_ktext(w, "ph", "X");
    write_tail(answer, event, false);
}

static void write_async(struct xpd_trace_answer *answer, const struct xpd_xprof_event *event,
                        const char *phase, int64_t at_ps, bool bare)
{
    struct xpd_jsonw *w = &answer->json;
    xpd_json_obj(w);
    xpd_answer_number(w, "pid", event->pid);
    xpd_json_kstr(w, "name", event->name);
    put_us(w, "ts", at_ps);
    xpd_answer_number(w, "id", event->flow);
    xpd_json_ktext(w, "cat", xpd_flow_category_word(event->category));
    if (phase)
        xpd_json_ktext(w, "ph", phase);
    write_tail(answer, event, bare);
}

void xpd_answer_async(struct xpd_trace_answer *answer, const struct xpd_xprof_event *event)
{
    if (event->ends == XPD_FLOW_IN) { /* its end event is at its start */
        write_async(answer, event, "e", event->start_ps, false);
        return;
    }
    write_async(answer, event, event->ends ? "b" : NULL, event->start_ps, false);
    if (event->ends == (XPD_FLOW_IN | XPD_FLOW_OUT))
        write_async(answer, event, "e", event->start_ps + event->duration_ps, true);
}
