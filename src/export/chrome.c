/* In: processes, threads and events one by one. Out: one JSON object, in pieces. Texts go through
 * the JSON writer, which repairs what is not UTF-8. */
#include "xprofd/export/chrome.h"

#define PS_PER_US UINT64_C(1000000)

/* "-12.000345": picoseconds as microseconds. */
static void put_time(struct xpd_strbuf *out, int64_t ps)
{
    uint64_t magnitude = ps < 0 ? 0 - (uint64_t)ps : (uint64_t)ps;
    char part[8] = "000000";
    uint64_t rest = magnitude % PS_PER_US;
    for (int i = 5; i >= 0; i--, rest /= 10)
        part[i] = (char)('0' + rest % 10);
    if (ps < 0)
        xpd_strbuf_putc(out, '-');
    xpd_strbuf_u64(out, magnitude / PS_PER_US);
    xpd_strbuf_putc(out, '.');
    xpd_strbuf_add(out, part, 6);
}

void xpd_chrome_begin(struct xpd_chrome *chrome, struct xpd_strbuf *out,
                      const struct xpd_str (*note)[2])
{
    struct xpd_jsonw w;
    *chrome = (struct xpd_chrome){.out = out};
    xpd_strbuf_puts(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":");
    xpd_jsonw_init(&w, out);
    xpd_json_obj(&w);
    for (; note && (*note)[0].size > 0; note++)
        xpd_json_kstr(&w, (*note)[0].data, (*note)[1]);
    xpd_json_obj_end(&w);
    xpd_strbuf_puts(out, ",\"traceEvents\":[\n");
}

void xpd_chrome_end(struct xpd_chrome *chrome)
{
    xpd_strbuf_puts(chrome->out, "\n]}\n");
}

static void separate(struct xpd_chrome *chrome)
{
    if (chrome->in_list)
        xpd_strbuf_add(chrome->out, ",\n", 2);
    chrome->in_list = true;
    chrome->event_count++;
}

static void metadata(struct xpd_chrome *chrome, const char *what, struct xpd_chrome_place place,
                     bool thread, const char *key, struct xpd_str text, uint64_t number)
{
    struct xpd_jsonw w;
    separate(chrome);
    xpd_jsonw_init(&w, chrome->out);
    xpd_json_obj(&w);
    xpd_json_ktext(&w, "ph", "M");
    xpd_json_ktext(&w, "name", what);
    xpd_json_ku64(&w, "pid", place.pid);
    if (thread)
        xpd_json_ku64(&w, "tid", place.tid);
    xpd_json_key(&w, "args");
    xpd_json_obj(&w);
    if (text.data)
        xpd_json_kstr(&w, key, text);
    else
        xpd_json_ku64(&w, key, number);
    xpd_json_obj_end(&w);
    xpd_json_obj_end(&w);
}

void xpd_chrome_process(struct xpd_chrome *chrome, uint64_t pid, struct xpd_str name,
                        uint64_t order)
{
    struct xpd_chrome_place place = {.pid = pid};
    metadata(chrome, "process_name", place, false, "name", name, 0);
    metadata(chrome, "process_sort_index", place, false, "sort_index", (struct xpd_str){0}, order);
}

void xpd_chrome_thread(struct xpd_chrome *chrome, struct xpd_chrome_place place,
                       struct xpd_str name, uint64_t order)
{
    metadata(chrome, "thread_name", place, true, "name", name, 0);
    metadata(chrome, "thread_sort_index", place, true, "sort_index", (struct xpd_str){0}, order);
}

static void key_time(struct xpd_jsonw *w, const char *key, int64_t ps)
{
    struct xpd_strbuf text = {0};
    put_time(&text, ps);
    xpd_json_key(w, key);
    xpd_json_raw(w, (struct xpd_str){text.data ? text.data : "0", text.data ? text.size : 1});
    xpd_strbuf_fini(&text);
}

void xpd_chrome_event_begin(struct xpd_chrome *chrome, const struct xpd_chrome_event *event,
                            struct xpd_jsonw *w)
{
    char phase[2] = {event->phase, '\0'};
    separate(chrome);
    xpd_jsonw_init(w, chrome->out);
    xpd_json_obj(w);
    xpd_json_ktext(w, "ph", phase);
    xpd_json_ku64(w, "pid", event->place.pid);
    xpd_json_ku64(w, "tid", event->place.tid);
    key_time(w, "ts", event->start_ps);
    if (event->phase == 'X')
        key_time(w, "dur", event->duration_ps);
    xpd_json_kstr(w, "name", event->name);
    if (event->category.size > 0)
        xpd_json_kstr(w, "cat", event->category);
    if (strchr("besf", event->phase)) {
        xpd_json_key(w, "id");
        xpd_json_u64_string(w, event->id);
    }
    if (event->phase == 'f')
        xpd_json_ktext(w, "bp", "e");
    xpd_json_key(w, "args");
    xpd_json_obj(w);
}

void xpd_chrome_event_end(struct xpd_jsonw *w)
{
    xpd_json_obj_end(w);
    xpd_json_obj_end(w);
}

void xpd_chrome_event(struct xpd_chrome *chrome, const struct xpd_chrome_event *event)
{
    struct xpd_jsonw w;
    xpd_chrome_event_begin(chrome, event, &w);
    xpd_chrome_event_end(&w);
}
