/* Counters of trace_viewer@: consecutive samples of one counter are one event, its argument is
 * named as the first of the first sample. A sample has as many values as its event has arguments.
 */
#include "trace_answer.h"

#include <inttypes.h>
#include <math.h>

struct counters { /* the event that is being written */
    struct xpd_trace_answer *answer;
    uint32_t pid;
    struct xpd_str name;
    bool open, plain; /* plain: of one number each, as the trace has them */
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

/* What XProf shows of a sample, of `count` arguments that it has; returns how many. */
static uint32_t values_of(struct xpd_trace_answer *answer, const struct xpd_xprof_event *event,
                          struct xpd_compat_arg **value, uint32_t *count)
{
    uint32_t kept = 0;
    xpd_arena_reset(&answer->scratch);
    *count = 0;
    answer->rc = xpd_compat_args(answer->host, event, &answer->scratch, value, count, answer->err);
    if (answer->rc != XPD_OK)
        return 0;
    for (uint32_t i = 0; i < *count; i++)
        if (!(*value)[i].is_internal && (*value)[i].type != XPD_STAT_BYTES)
            (*value)[kept++] = (*value)[i];
    return kept;
}

static bool is_small(int64_t value)
{
    return value <= INT64_C(1) << 53 && value >= -(INT64_C(1) << 53);
}

static bool is_plain(const struct xpd_compat_arg *value, uint32_t count)
{
    return count == 1 &&
           (value->type == XPD_STAT_DOUBLE ||
            (value->type == XPD_STAT_INT && is_small(value->integer)) ||
            (value->type == XPD_STAT_UINT && (uint64_t)value->integer <= UINT64_C(1) << 53));
}

static void open_counter(struct counters *counters, const struct xpd_xprof_event *event)
{
    struct xpd_trace_answer *answer = counters->answer;
    struct xpd_jsonw *w = &answer->json;
    struct xpd_compat_arg *value = NULL;
    uint32_t all, count = values_of(answer, event, &value, &all);
    if (answer->rc != XPD_OK)
        return;
    xpd_json_obj(w);
    xpd_answer_number(w, "pid", event->pid);
    xpd_json_kstr(w, "name", event->name);
    xpd_json_ktext(w, "ph", "C");
    xpd_json_kstr(w, "event_stats", count > 0 ? value->name : XPD_STR(""));
    xpd_json_key(w, "entries");
    xpd_json_arr(w);
    counters->pid = event->pid;
    counters->name = event->name;
    counters->open = true;
    counters->plain = all == 1 && is_plain(value, count);
}

static void write_value(struct xpd_jsonw *w, const struct xpd_compat_arg *value)
{
    switch (value->type) {
    case XPD_STAT_INT:
        xpd_json_raw(w, XPD_STR(""));
        xpd_strbuf_printf(w->out, "%" PRId64, value->integer);
        break;
    case XPD_STAT_UINT:
        xpd_json_raw(w, XPD_STR(""));
        xpd_strbuf_u64(w->out, (uint64_t)value->integer);
        break;
    case XPD_STAT_DOUBLE: xpd_json_double(w, value->real); break;
    default: xpd_json_str(w, value->text); break;
    }
}

static void write_sample(struct counters *counters, const struct xpd_xprof_event *event)
{
    struct xpd_trace_answer *answer = counters->answer;
    struct xpd_jsonw *w = &answer->json;
    struct xpd_compat_arg *value = NULL;
    bool plain =
        counters->plain && !isnan(event->value); /* else its stats are not as the first's */
    uint32_t all, count = plain ? 0 : values_of(answer, event, &value, &all);
    if (answer->rc != XPD_OK)
        return;
    xpd_json_arr(w);
    xpd_json_raw(w, XPD_STR(""));
    xpd_compat_put_us(w->out, event->start_ps);
    for (uint32_t i = 0; i < count; i++)
        write_value(w, &value[i]);
    if (count == 0)
        xpd_json_double(w, isnan(event->value) ? 0 : event->value);
    xpd_json_arr_end(w);
}

static bool on_counter(void *user, const struct xpd_xprof_event *event)
{
    struct counters *counters = user;
    if (!xpd_answer_wants(counters->answer, event))
        return true;
    if (counters->open && (counters->pid != event->pid || !xpd_str_eq(counters->name, event->name)))
        close_counter(counters);
    if (!counters->open)
        open_counter(counters, event);
    if (counters->answer->rc == XPD_OK)
        write_sample(counters, event);
    return counters->answer->rc == XPD_OK && xpd_answer_sent(counters->answer, XPD_ANSWER_PIECE);
}

int xpd_answer_counters(struct xpd_trace_answer *answer)
{
    for (uint32_t i = 0; i < answer->trace->host_count; i++) {
        struct counters counters = {.answer = answer};
        answer->host = &answer->trace->host[i];
        int rc = xpd_xprof_each_counter(answer->host->xprof, &answer->host->query, on_counter,
                                        &counters, answer->err);
        close_counter(&counters);
        if (rc != XPD_OK || answer->rc != XPD_OK)
            return rc != XPD_OK ? rc : answer->rc;
    }
    return XPD_OK;
}
