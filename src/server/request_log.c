/* The log of requests, as text or as JSON. In: what is known of one request. Out: one line. */
#include "request_log.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "front.h"
#include "xprofd/base/log.h"
#include "xprofd/json/writer.h"

static bool is_json; /* set before threads start */

/* {"time":"2026-11-28T05:11:07.123Z","level":"info" */
static void begin_line(struct xpd_jsonw *w, struct xpd_strbuf *line, const char *level)
{
    struct timespec now;
    struct tm utc;
    char day[32], time[40];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(time, sizeof time, "%s.%03dZ", day, (int)(now.tv_nsec / 1000000));
    xpd_jsonw_init(w, line);
    xpd_json_obj(w);
    xpd_json_ktext(w, "time", time);
    xpd_json_ktext(w, "level", level);
}

static void end_line(struct xpd_jsonw *w, struct xpd_strbuf *line)
{
    xpd_json_obj_end(w);
    xpd_strbuf_putc(line, '\n');
    if (!line->failed)
        xpd_log_line(line->data, line->size);
    xpd_strbuf_fini(line);
}

static void write_json(enum xpd_log_level level, const char *text)
{
    struct xpd_strbuf line = {0};
    struct xpd_jsonw w;
    begin_line(&w, &line, xpd_log_word(level));
    xpd_json_ktext(&w, "message", text);
    end_line(&w, &line);
}

void xpd_log_as_json(void)
{
    is_json = true;
    xpd_log_set_writer(write_json);
}

void xpd_log_request(const struct xpd_request_line *request)
{
    if (!xpd_log_shows(XPD_LOG_DEBUG))
        return;
    struct xpd_strbuf shown = {0}, line = {0};
    struct xpd_jsonw w;
    xpd_front_shown(request->target, &shown);
    const char *target = shown.failed || !shown.data ? "" : shown.data;
    if (!is_json) {
        xpd_log(XPD_LOG_DEBUG, "%s %s %.300s %d %llu bytes %.0f ms%s", request->client,
                request->method, target, request->status, (unsigned long long)request->sent_bytes,
                request->ms, request->whole ? "" : ", broken off");
    } else {
        begin_line(&w, &line, "debug");
        xpd_json_ktext(&w, "message", "request");
        xpd_json_ktext(&w, "client", request->client);
        xpd_json_ktext(&w, "method", request->method);
        xpd_json_ktext(&w, "target", target);
        xpd_json_ki64(&w, "status", request->status);
        xpd_json_ku64(&w, "bytes", request->sent_bytes);
        xpd_json_kdouble(&w, "ms", round(request->ms * 1000) / 1000);
        xpd_json_kbool(&w, "whole", request->whole);
        end_line(&w, &line);
    }
    xpd_strbuf_fini(&shown);
}
