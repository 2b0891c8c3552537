/* tag=trace_viewer: the older viewer's JSON. All events at once, arguments as text, keys sorted,
 * flows as numbers among them, instants as "i". */
#include "trace.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* XProf cuts the trace here without a word; the newer viewer has no such limit. */
#define EVENTS_MAX 1000000

struct old {
    const struct xpd_compat_host *host;
    struct xpd_strbuf *out;
    struct xpd_jsonw json; /* for texts only */
    struct xpd_arena scratch;
    struct xpd_err *err;
    int rc;
};

static void put_text(struct old *old, struct xpd_str text)
{
    xpd_jsonw_init(&old->json, old->out);
    xpd_json_str(&old->json, text);
}

static void put_metadata(struct old *old, const char *what, uint32_t pid,
                         const struct xpd_xprof_thread *thread, struct xpd_str name, bool is_name)
{
    xpd_strbuf_puts(old->out, is_name ? "{\"args\": {\"name\": " : "{\"args\": {\"sort_index\": ");
    if (is_name)
        put_text(old, name);
    else
        xpd_strbuf_u64(old->out, thread ? thread->tid : pid);
    xpd_strbuf_printf(old->out, "}, \"name\": \"%s\", \"ph\": \"M\", \"pid\": %" PRIu32, what, pid);
    if (thread)
        xpd_strbuf_printf(old->out, ", \"tid\": %" PRIu32, thread->tid);
    xpd_strbuf_puts(old->out, "},\n");
}

static void put_processes(struct old *old, const struct xpd_xprof *xprof)
{
    for (uint32_t p = 0; p < xprof->process_count; p++) {
        const struct xpd_xprof_process *process = &xprof->process[p];
        put_metadata(old, "process_name", process->pid, NULL, xpd_str_of(process->name), true);
        put_metadata(old, "process_sort_index", process->pid, NULL, XPD_STR(""), false);
        for (uint32_t i = 0; i < process->thread_count; i++) {
            const struct xpd_xprof_thread *thread = &xprof->thread[process->first_thread + i];
            if (thread->caption.size > 0)
                put_metadata(old, "thread_name", process->pid, thread, thread->caption, true);
            put_metadata(old, "thread_sort_index", process->pid, thread, XPD_STR(""), false);
        }
    }
}

static int by_name(const void *a, const void *b)
{
    const struct xpd_compat_arg *x = a, *y = b;
    return xpd_str_order(x->name, y->name);
}

static void put_value(struct old *old, const struct xpd_compat_arg *arg)
{
    char text[48];
    switch (arg->type) {
    case XPD_STAT_INT: (void)snprintf(text, sizeof text, "%" PRId64, arg->integer); break;
    case XPD_STAT_UINT:
        (void)snprintf(text, sizeof text, "%" PRIu64, (uint64_t)arg->integer);
        break;
    case XPD_STAT_DOUBLE: (void)snprintf(text, sizeof text, "%.6g", arg->real); break;
    case XPD_STAT_BYTES: (void)snprintf(text, sizeof text, "<opaque bytes>"); break;
    default: put_text(old, arg->text); return;
    }
    put_text(old, xpd_str_of(text));
}

/* _a and flow are shown here, the other internal ones are not. */
static bool shows(const struct xpd_compat_arg *arg)
{
    return !arg->is_internal || xpd_str_eq(arg->name, XPD_STR("_a")) ||
           xpd_str_eq(arg->name, XPD_STR("flow"));
}

/* XFlow: direction in 2 bits (1 in, 2 out), id in 56, category in 6. */
static uint64_t flow_stat(const struct xpd_xprof_event *event)
{
    uint64_t in = (event->ends & XPD_FLOW_IN) != 0, out = (event->ends & XPD_FLOW_OUT) != 0;
    return in | out << 1 | event->flow << 2 | (uint64_t)event->category << 58;
}

static void put_args(struct old *old, const struct xpd_xprof_event *event)
{
    struct xpd_compat_arg *arg, *all;
    uint32_t count, kept = 0;
    char group[16];
    xpd_arena_reset(&old->scratch);
    old->rc = xpd_compat_args(old->host, event, &old->scratch, &arg, &count, old->err);
    all = XPD_NEW_ARRAY(&old->scratch, struct xpd_compat_arg, (size_t)count + 3);
    if (old->rc != XPD_OK || !all)
        return;
    for (uint32_t i = 0; i < count; i++)
        if (shows(&arg[i]))
            all[kept++] = arg[i];
    uint32_t number = xpd_xprof_group(old->host->xprof, event);
    if (number != XPD_NO_GROUP) {
        (void)snprintf(group, sizeof group, "%" PRIu32, number);
        all[kept++] = (struct xpd_compat_arg){
            .name = XPD_STR("group_id"), .type = XPD_STAT_TEXT, .text = xpd_str_of(group)};
    }
    if (event->offload)
        all[kept++] = (struct xpd_compat_arg){
            .name = XPD_STR("_a"), .type = XPD_STAT_TEXT, .text = XPD_STR("1")};
    if (event->in_flow)
        all[kept++] = (struct xpd_compat_arg){
            .name = XPD_STR("flow"), .type = XPD_STAT_UINT, .integer = (int64_t)flow_stat(event)};
    if (kept == 0)
        return;
    qsort(all, kept, sizeof *all, by_name);
    xpd_strbuf_puts(old->out, "\"args\": {");
    bool first = true;
    for (uint32_t i = 0; i < kept; i++) {
        if (i + 1 < kept && by_name(&all[i], &all[i + 1]) == 0)
            continue; /* of equal names the last one counts */
        if (!first)
            xpd_strbuf_puts(old->out, ", ");
        first = false;
        put_text(old, all[i].name);
        xpd_strbuf_puts(old->out, ": ");
        put_value(old, &all[i]);
    }
    xpd_strbuf_puts(old->out, "}, ");
}

static bool on_event(void *user, const struct xpd_xprof_event *event)
{
    struct old *old = user;
    if (event->kind == XPD_XPROF_COUNTER)
        return true;
    xpd_strbuf_putc(old->out, '{');
    put_args(old, event);
    if (event->duration_ps > 0) {
        xpd_strbuf_puts(old->out, "\"dur\": ");
        xpd_compat_put_us(old->out, event->duration_ps);
        xpd_strbuf_puts(old->out, ", ");
    }
    xpd_strbuf_puts(old->out, "\"name\": ");
    put_text(old, event->name);
    xpd_strbuf_printf(old->out,
                      ", \"ph\": \"%s\", \"pid\": %" PRIu32 "%s, \"tid\": %" PRIu32 ", \"ts\": ",
                      event->duration_ps > 0 ? "X" : "i", event->pid,
                      event->duration_ps > 0 ? "" : ", \"s\": \"t\"", event->tid);
    xpd_compat_put_us(old->out, event->start_ps);
    xpd_strbuf_puts(old->out, "},\n");
    return old->rc == XPD_OK && !old->out->failed && !old->scratch.failed;
}

static int too_many(uint64_t count, struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, "tag", XPD_NO_OFFSET,
                    "the old trace_viewer sends everything at once and is limited to %d events; "
                    "this profile has %" PRIu64 ". Ask for tag=trace_viewer@ with a window",
                    EVENTS_MAX, count);
}

int xpd_compat_trace_viewer_old(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                                struct xpd_err *err)
{
    struct xpd_compat_trace trace;
    int rc = xpd_compat_open_trace(ctx, true, &trace, err);
    if (rc != XPD_OK)
        return rc;
    struct old old = {.out = &out->body, .err = err};
    struct xpd_xprof_query query = {0};
    uint64_t events = 0;
    for (uint32_t i = 0; i < trace.host_count; i++)
        events += trace.host[i].xprof->event_count;
    if (events > EVENTS_MAX)
        rc = too_many(events, err);
    xpd_strbuf_puts(old.out, "{\"displayTimeUnit\":\"ns\",\"metadata\":{\"highres-ticks\":true},\n"
                             "\"traceEvents\":[\n");
    for (uint32_t i = 0; rc == XPD_OK && i < trace.host_count; i++)
        put_processes(&old, trace.host[i].xprof);
    for (uint32_t i = 0; rc == XPD_OK && i < trace.host_count; i++) {
        old.host = &trace.host[i];
        rc = xpd_xprof_each(trace.host[i].xprof, &query, on_event, &old, err);
        if (rc == XPD_OK)
            rc = old.rc;
    }
    xpd_strbuf_puts(old.out, "{}]}\n");
    if (rc == XPD_OK && old.scratch.failed)
        rc = xpd_no_memory(err, NULL, "for the arguments");
    xpd_arena_fini(&old.scratch);
    xpd_compat_close_trace(&trace);
    return rc;
}
