/* /api/v1/trace/event: everything about one event. */
#include "../program/explain_peaks.h"
#include "overlap_kept.h"
#include "trace_common.h"
#include "xprofd/trace/async.h"
#include "xprofd/trace/join.h"
#include "xprofd/trace/op_times.h"
#include "xprofd/trace/peers.h"
#include "xprofd/trace/roofline.h"

#define TEXT_MAX  (64 << 10) /* bytes of one text value; longer ones are cut and say so */
#define BYTES_MAX 64         /* bytes of a raw value that are shown as hex */

struct details {
    const struct xpd_trace_call *call;
    const struct xpd_event *event;
    const struct xpd_event_name *name;
    struct xpd_stat_value *stat;
    uint32_t stat_count, from_metadata; /* the first ones are of the metadata */
    const char *damage;                 /* why they cannot be read, or NULL */
};

/* ---- stats ---- */

/* Those XProf keeps to itself: links between events, ids (trace.md 2.5). Shown, but apart. */
static bool is_internal(struct xpd_str name)
{
    static const char *const internal[] = {"_pt",      "_p",   "_ct",        "_c",
                                           "_r",       "_a",   "program_id", "symbol_id",
                                           "group_id", "flow", "flops"};
    for (size_t i = 0; i < sizeof internal / sizeof internal[0]; i++)
        if (xpd_str_eq(name, xpd_str_of(internal[i])))
            return true;
    return false;
}

static const char *type_word(const struct xpd_stat_value *stat)
{
    switch (stat->type) {
    case XPD_STAT_DOUBLE: return "double";
    case XPD_STAT_UINT: return "uint";
    case XPD_STAT_INT: return "int";
    case XPD_STAT_TEXT: return "text";
    case XPD_STAT_BYTES: return "bytes";
    case XPD_STAT_NONE: break;
    }
    return "none";
}

static void write_hex(struct xpd_jsonw *w, struct xpd_str bytes)
{
    static const char digit[] = "0123456789abcdef";
    char text[2 * BYTES_MAX];
    size_t size = bytes.size < BYTES_MAX ? bytes.size : BYTES_MAX;
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digit[(uint8_t)bytes.data[i] >> 4];
        text[2 * i + 1] = digit[(uint8_t)bytes.data[i] & 15];
    }
    xpd_json_str(w, (struct xpd_str){text, 2 * size});
}

static void write_value(struct xpd_jsonw *w, const struct xpd_stat_value *stat)
{
    switch (stat->type) {
    case XPD_STAT_DOUBLE: xpd_json_double(w, stat->real); break;
    case XPD_STAT_UINT: xpd_json_u64_string(w, (uint64_t)stat->integer); break;
    case XPD_STAT_INT: xpd_json_i64_string(w, stat->integer); break;
    case XPD_STAT_TEXT:
        xpd_json_str(w, (struct xpd_str){stat->text.data,
                                         stat->text.size < TEXT_MAX ? stat->text.size : TEXT_MAX});
        break;
    case XPD_STAT_BYTES: write_hex(w, stat->text); break;
    case XPD_STAT_NONE: xpd_json_null(w); break;
    }
}

static void write_stats(struct xpd_jsonw *w, const struct details *details)
{
    xpd_json_key(w, "stats");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < details->stat_count; i++) {
        const struct xpd_stat_value *stat = &details->stat[i];
        bool texts = stat->type == XPD_STAT_TEXT || stat->type == XPD_STAT_BYTES;
        size_t shown = stat->type == XPD_STAT_BYTES ? BYTES_MAX : TEXT_MAX;
        xpd_json_obj(w);
        xpd_json_kstr(w, "name", stat->name);
        xpd_json_ktext(w, "type", type_word(stat));
        xpd_json_key(w, "value");
        write_value(w, stat);
        xpd_json_ktext(w, "from", i < details->from_metadata ? "metadata" : "event");
        xpd_json_kbool(w, "internal", is_internal(stat->name));
        if (texts && stat->text.size > shown)
            xpd_json_ku64(w, "whole_size_bytes", stat->text.size);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
}

static const struct xpd_stat_value *find_stat(const struct details *details, const char *name)
{
    for (uint32_t i = details->stat_count; i-- > 0;) /* those of the event itself first */
        if (xpd_str_eq(details->stat[i].name, xpd_str_of(name)))
            return &details->stat[i];
    return NULL;
}

/* ---- what it belongs to ---- */

static void write_ref(struct xpd_jsonw *w, const char *key, const struct details *details, bool has,
                      const struct xpd_event *event)
{
    const struct xpd_view *view = &details->call->view;
    xpd_json_key(w, key);
    if (!has) {
        xpd_json_null(w);
        return;
    }
    xpd_json_obj(w);
    xpd_json_ku64(w, "event", event->number);
    xpd_json_kstr(w, "caption", xpd_view_caption_of(view, event));
    xpd_json_ki64(w, "start", xpd_tools_at(details->call, event->start_ps));
    xpd_json_ki64(w, "duration", event->duration_ps);
    xpd_json_obj_end(w);
}

/* The loaded module of this run that the event's program is: by program id, else by name. */
static uint32_t module_of(const struct details *details)
{
    const struct xpd_run *run = details->call->ctx->run;
    const struct xpd_stat_value *id = find_stat(details, "program_id");
    const struct xpd_stat_value *name = find_stat(details, "hlo_module");
    uint64_t program = details->name->program_id;
    bool has_id = program != 0;
    if (!has_id && id && xpd_stat_is_integer(id->type)) {
        program = (uint64_t)id->integer; /* 0 is one, too */
        has_id = true;
    }
    uint32_t by_name = XPD_NO_INDEX, named = 0;
    for (uint32_t i = 0; i < run->module_count; i++) {
        if (has_id && run->module[i].program_id == program)
            return i;
        if (name && name->type == XPD_STAT_TEXT &&
            xpd_str_eq(xpd_str_of(run->module[i].name), name->text)) {
            by_name = i;
            named++;
        }
    }
    return named == 1 ? by_name : XPD_NO_INDEX;
}

/* The instruction's name in its module: the stat hlo_op, else what the operation is called. */
static struct xpd_str instruction_of(const struct details *details)
{
    const struct xpd_stat_value *op = find_stat(details, "hlo_op");
    enum xpd_row_kind kind = xpd_view_row(&details->call->view, details->event->row)->kind;
    if (op && op->type == XPD_STAT_TEXT)
        return xpd_op_innermost(op->text);
    if (kind != XPD_ROW_OPS && kind != XPD_ROW_ASYNC_OPS)
        return XPD_STR("");
    const struct xpd_view *view = &details->call->view;
    return details->event->name < view->trace->name_count
               ? xpd_op_instruction(view->trace, details->name)
               : xpd_view_caption(view, details->event->name);
}

static void write_links(struct xpd_jsonw *w, const struct details *details)
{
    uint32_t module = module_of(details);
    struct xpd_str instruction = instruction_of(details);
    xpd_json_key(w, "links");
    if (module == XPD_NO_INDEX) {
        xpd_json_null(w);
        return;
    }
    xpd_json_obj(w);
    xpd_json_ktext(w, "module", details->call->ctx->run->module[module].key);
    xpd_tools_kstr(w, "instruction", instruction);
    xpd_json_obj_end(w);
}

static void write_step(struct xpd_jsonw *w, const struct details *details)
{
    const struct xpd_derived *derived = details->call->view.derived;
    uint32_t index = derived ? xpd_step_of(derived, details->event->number) : XPD_NO_INDEX;
    xpd_json_key(w, "step");
    if (index == XPD_NO_INDEX) {
        xpd_json_null(w);
        return;
    }
    const struct xpd_step *step = &derived->step[index];
    xpd_json_obj(w);
    xpd_json_ki64(w, "number", step->number);
    xpd_json_kstr(w, "name", xpd_intern_get(&derived->names, step->name));
    xpd_json_ku64(w, "event", step->event);
    xpd_json_ki64(w, "start", xpd_tools_at(details->call, step->start_ps));
    xpd_json_ki64(w, "duration", step->end_ps - step->start_ps);
    xpd_json_obj_end(w);
}

/* ---- rates and partners ---- */

static void write_roofline(struct xpd_jsonw *w, const struct details *details)
{
    struct xpd_roofline roof;
    struct xpd_peaks peaks;
    bool known = xpd_explain_peaks(details->call->ctx, &peaks);
    xpd_roofline_of(&details->call->view, details->event, known ? &peaks : NULL, &roof);
    xpd_json_ktext(w, "no_roofline", roof.why_not);
    xpd_json_key(w, "roofline");
    if (!roof.measured) {
        xpd_json_null(w);
        return;
    }
    xpd_json_obj(w);
    xpd_tools_kknown(w, "flops", roof.flops);
    xpd_tools_kknown(w, "bytes", roof.bytes);
    xpd_json_ki64(w, "duration", roof.duration_ps);
    xpd_explain_kdouble(w, "achieved_flops_per_s", roof.flops_per_s);
    xpd_explain_kdouble(w, "achieved_bytes_per_s", roof.bytes_per_s);
    xpd_explain_kdouble(w, "peak_flops_per_s", roof.peak_flops_per_s);
    xpd_explain_kdouble(w, "peak_bytes_per_s", roof.peak_bytes_per_s);
    xpd_json_ktext(w, "bound", roof.bound);
    xpd_tools_kknown(w, "at_roofline", roof.at_roofline_ps);
    xpd_explain_kdouble(w, "share", roof.share);
    xpd_json_ktext(w, "source", "compiler estimate");
    xpd_json_obj_end(w);
}

static void write_device_start(struct xpd_jsonw *w, int64_t start_ps)
{
    if (start_ps < 0)
        xpd_json_null(w);
    else
        xpd_json_i64_string(w, start_ps);
}

static void write_chips(struct xpd_jsonw *w, const struct details *details)
{
    const struct xpd_view *view = &details->call->view;
    struct xpd_peer *peer;
    uint32_t n;
    if (xpd_peers_of(view, details->event, details->call->ctx->arena, &peer, &n, NULL) != XPD_OK)
        n = 0;
    xpd_json_key(w, "chips");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "process", n, xpd_json_u64(w, peer[row].process));
    XPD_COLUMN(w, "device", n, xpd_json_i64(w, view->trace->process[peer[row].process].device));
    XPD_COLUMN(w, "event", n, xpd_json_u64(w, peer[row].event.number));
    XPD_COLUMN(w, "start", n,
               xpd_json_i64(w, xpd_tools_at(details->call, peer[row].event.start_ps)));
    XPD_COLUMN(w, "duration", n, xpd_json_i64(w, peer[row].event.duration_ps));
    XPD_COLUMN(w, "device_duration", n,
               xpd_json_i64(w, xpd_view_device_ps(view, &peer[row].event)));
    XPD_COLUMN(w, "device_start", n,
               write_device_start(w, xpd_device_start_of(view, &peer[row].event)));
    XPD_COLUMN(w, "skew", n, {
        if (xpd_trace_comparable(view->trace, peer[0].process, peer[row].process))
            xpd_json_i64(w, peer[row].event.start_ps - details->event->start_ps);
        else
            xpd_json_null(w);
    });
    xpd_json_obj_end(w);
}

/* What a derived event stands for. */
static void write_measured(struct xpd_jsonw *w, const struct details *details)
{
    const struct xpd_view *view = &details->call->view;
    uint64_t measured = view->trace->event_count;
    xpd_json_key(w, "stands_for");
    xpd_json_arr(w);
    if (details->event->number >= measured) {
        struct xpd_derived_fact fact = xpd_derived_fact_of(view->derived, details->event->number);
        if (fact.event < measured)
            xpd_json_u64(w, fact.event);
        if (fact.event2 < measured && fact.event2 != fact.event)
            xpd_json_u64(w, fact.event2);
    }
    xpd_json_arr_end(w);
}

/* How much of an asynchronous operation the core waited for. */
static void write_async(struct xpd_jsonw *w, const struct details *details)
{
    const struct xpd_view *view = &details->call->view;
    struct xpd_async_pair pair;
    xpd_json_key(w, "async");
    if (!xpd_async_pair_of(view, details->event, &pair)) {
        xpd_json_null(w);
        return;
    }
    xpd_json_obj(w);
    xpd_json_ktext(w, "hidden", xpd_hidden_word(pair.hidden));
    xpd_json_ktext(w, "clock", xpd_clock_word(pair.clock));
    xpd_json_ki64(w, "wait", pair.wait_ps);
    xpd_json_ki64(w, "whole", pair.whole_ps);
    struct xpd_time_range range = {details->event->start_ps,
                                   details->event->start_ps + details->event->duration_ps};
    struct xpd_overlap overlap;
    const struct xpd_overlap_table *table;
    bool known = xpd_tools_trace_overlap(&table, details->call, NULL) == XPD_OK &&
                 xpd_overlap_in(view, table, xpd_view_process(view, details->event->row), range,
                                &overlap, NULL) == XPD_OK;
    xpd_tools_kknown(w, "compute", known ? overlap.compute_ps : -1);
    write_ref(w, "first", details, true, &pair.start);
    write_ref(w, "done", details, true, &pair.done);
    xpd_json_obj_end(w);
}

/* ---- the answer ---- */

static void write_times(struct xpd_jsonw *w, const struct details *details)
{
    const struct xpd_view *view = &details->call->view;
    const struct xpd_event *event = details->event;
    int64_t device_ps = xpd_view_device_ps(view, event);
    const struct xpd_stat_value *offset = find_stat(details, "device_offset_ps");
    xpd_json_ki64(w, "start", xpd_tools_at(details->call, event->start_ps));
    xpd_json_ki64(w, "duration", event->duration_ps);
    xpd_json_key(w, "device_start"); /* on the raw clock of the device, another origin */
    if (offset && xpd_stat_is_integer(offset->type))
        xpd_json_i64_string(w, offset->integer);
    else
        xpd_json_null(w);
    xpd_tools_kknown(w, "device_duration", device_ps);
    xpd_json_ki64(w, "self", xpd_event_self_ps(view, event, XPD_CLOCK_HOST));
    xpd_tools_kknown(w, "device_self",
                     device_ps < 0 ? -1 : xpd_event_self_ps(view, event, XPD_CLOCK_DEVICE));
}

static void write(struct xpd_jsonw *w, const struct details *details)
{
    const struct xpd_view *view = &details->call->view;
    const struct xpd_event *event = details->event;
    const struct xpd_event_name *name = details->name;
    struct xpd_event other;
    uint32_t host = xpd_tools_process_host(details->call, xpd_view_process(view, event->row));
    xpd_json_obj(w);
    xpd_tools_base(w, details->call);
    xpd_json_ku64(w, "event", event->number);
    xpd_json_ku64(w, "row", event->row);
    xpd_json_ku64(w, "process", xpd_view_process(view, event->row));
    xpd_json_ktext(w, "host", details->call->ctx->run->host[host].name);
    xpd_json_ku64(w, "depth", event->depth);
    xpd_json_ku64(w, "name_id", event->name);
    xpd_json_kstr(w, "caption", xpd_view_caption_of(view, event));
    xpd_json_kstr(w, "name", xpd_view_text(view, event->name, name->name));
    xpd_json_ktext(w, "group", xpd_op_group_word(name->group));
    xpd_json_kbool(w, "wait", name->wait);
    xpd_json_ktext(w, "how", xpd_view_row(view, event->row)->how);
    write_times(w, details);
    write_ref(w, "parent", details, xpd_event_parent(view, event, &other), &other);
    write_ref(w, "module", details, xpd_event_within(view, event, XPD_ROW_MODULES, &other), &other);
    write_step(w, details);
    xpd_tools_kstr(w, "program", xpd_view_text(view, event->name, name->program));
    xpd_tools_kstr(w, "category", xpd_view_text(view, event->name, name->category));
    xpd_tools_kstr(w, "tf_op", xpd_view_text(view, event->name, name->tf_op));
    xpd_tools_kstr(w, "source", xpd_view_text(view, event->name, name->source));
    write_measured(w, details);
    write_async(w, details);
    write_roofline(w, details);
    write_chips(w, details);
    write_links(w, details);
    xpd_json_ktext(w, "stats_damaged", details->damage);
    write_stats(w, details);
    xpd_json_obj_end(w);
}

/* Damaged stats are told; the rest of the event is known all the same. */
static int read_stats(struct details *details, struct xpd_err *err)
{
    struct xpd_arena *arena = details->call->ctx->arena;
    struct xpd_err why = {0};
    int rc = xpd_trace_stats(details->call->view.trace, details->event->number, arena,
                             &details->stat, &details->stat_count, &details->from_metadata, &why);
    if (rc == XPD_EFORMAT) {
        details->damage = xpd_arena_strndup(arena, why.text, strlen(why.text));
        details->stat_count = details->from_metadata = 0;
        return XPD_OK;
    }
    if (rc != XPD_OK && err)
        *err = why;
    return rc;
}

static int event_tool(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out,
                      struct xpd_err *err)
{
    struct xpd_trace_call call;
    struct xpd_event event;
    int rc = xpd_tools_trace(ctx, XPD_WANT_DERIVED, &call, err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_event(&call, &event, err);
    struct details details = {.call = &call, .event = &event};
    if (rc == XPD_OK && event.number < call.view.trace->event_count)
        rc = read_stats(&details, err);
    if (rc != XPD_OK)
        return rc;
    details.name = xpd_view_name(&call.view, event.name);
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    write(&w, &details);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    XPD_TRACE_PARAM_EVENT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_event = {
    .route = "/api/v1/trace/event",
    .title = "One event: times on both clocks, what it belongs to, its stats, its rates.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .run = event_tool,
};
