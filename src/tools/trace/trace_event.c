/* /api/v1/trace/event: everything about one event. */
#include "../program/explain_peaks.h"
#include "overlap_kept.h"
#include "trace_common.h"
#include "xprofd/trace/async.h"
#include "xprofd/trace/join.h"
#include "xprofd/trace/op_times.h"
#include "xprofd/trace/peers.h"
#include "xprofd/trace/roofline.h"

#include <math.h>

#define TEXT_MAX  (64 << 10) /* bytes of one text value; longer ones are cut and say so */
#define BYTES_MAX 64         /* bytes of a raw value that are shown as hex */

#define XPD_EVENT_STAT_FIELDS(FIELD)                                                               \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(WORD("double uint int text bytes none"), type, "")                                       \
    FIELD(MAYBE(TEXT), value, "numbers in decimals, bytes in hex; null: none")                     \
    FIELD(WORD("metadata event"), from, "its position in the file")                                \
    FIELD(BOOL, internal, "XProf hides it")                                                        \
    FIELD(MAYBE(INT), whole_size_bytes, "full size of a text or of bytes that are cut in `value`")
XPD_RECORD(xpd_event_stat, XPD_EVENT_STAT_FIELDS)

#define XPD_EVENT_STEP_FIELDS(FIELD)                                                               \
    FIELD(SIGNED, number, "")                                                                      \
    FIELD(TEXT, name, "")                                                                          \
    FIELD(INT, event, "the event of the step")                                                     \
    FIELD(SIGNED, start_ps, "host-aligned")                                                        \
    FIELD(INT, duration_ps, "host-aligned")
XPD_RECORD(xpd_event_step, XPD_EVENT_STEP_FIELDS)

#define XPD_EVENT_ROOFLINE_FIELDS(FIELD)                                                           \
    FIELD(MAYBE(INT), flops, "of one execution")                                                   \
    FIELD(MAYBE(INT), hbm_bytes, "of one execution, to and from the main memory")                  \
    FIELD(INT, duration_ps, "by the device's clock if it has one")                                 \
    FIELD(MAYBE(REAL), achieved_flops_per_s, "")                                                   \
    FIELD(MAYBE(REAL), achieved_bytes_per_s, "")                                                   \
    FIELD(MAYBE(REAL), peak_flops_per_s, "of the chip")                                            \
    FIELD(MAYBE(REAL), peak_bytes_per_s, "of its main memory")                                     \
    FIELD(MAYBE(WORD("compute memory")), bound, "what sets the roofline")                          \
    FIELD(MAYBE(INT), at_roofline_ps, "minimum time at these peaks")                               \
    FIELD(MAYBE(REAL), share, "at_roofline_ps over duration_ps")                                   \
    FIELD(STRING, source, "source of FLOPs and bytes")
XPD_RECORD(xpd_event_roofline, XPD_EVENT_ROOFLINE_FIELDS)

#define XPD_EVENT_CHIP_FIELDS(FIELD)                                                               \
    FIELD(INDEX, process, "of trace/rows")                                                         \
    FIELD(MAYBE(INT), device, "its number")                                                        \
    FIELD(INT, event, "")                                                                          \
    FIELD(SIGNED, start_ps, "host-aligned")                                                        \
    FIELD(INT, duration_ps, "host-aligned")                                                        \
    FIELD(MAYBE(INT), device_duration_ps, "by the device's clock")                                 \
    FIELD(MAYBE(BIG), device_start_ps, "on the device's clock, which has another origin")          \
    FIELD(MAYBE(SIGNED), skew_ps,                                                                  \
          "start minus that of the event; null: clocks that cannot be compared")
XPD_RECORD(xpd_event_chip, XPD_EVENT_CHIP_FIELDS)

#define XPD_EVENT_ASYNC_FIELDS(FIELD)                                                              \
    FIELD(WORD("fully partly exposed"), hidden, "how much the core did not wait for")              \
    FIELD(WORD(XPD_CLOCK_WORDS), clock, "of the two times that follow")                            \
    FIELD(INT, wait_ps, "time that the core waits")                                                \
    FIELD(INT, whole_ps, "from its start to its done")                                             \
    FIELD(MAYBE(INT), compute_ps, "compute of the chip meanwhile")                                 \
    FIELD(OBJECT(xpd_event_at), first, "its start")                                                \
    FIELD(OBJECT(xpd_event_at), done, "its done")
XPD_RECORD(xpd_event_async, XPD_EVENT_ASYNC_FIELDS)

#define XPD_EVENT_LINKS_FIELDS(FIELD)                                                              \
    FIELD(STRING, module, "key of the program")                                                    \
    FIELD(MAYBE(TEXT), instruction, "null: an execution of the whole program")
XPD_RECORD(xpd_event_links, XPD_EVENT_LINKS_FIELDS)

#define XPD_TRACE_EVENT_FIELDS(FIELD)                                                              \
    XPD_TRACE_BASE_FIELD(FIELD)                                                                    \
    FIELD(INT, event, "its number")                                                                \
    FIELD(INDEX, row, "of trace/rows")                                                             \
    FIELD(INDEX, process, "of trace/rows")                                                         \
    FIELD(STRING, host, "")                                                                        \
    FIELD(INDEX, depth, "depth in its row")                                                        \
    FIELD(INDEX, name_id, "number of its name")                                                    \
    FIELD(TEXT, caption, "")                                                                       \
    FIELD(TEXT, name, "of an operation its HLO text")                                              \
    FIELD(WORD(XPD_GROUP_WORDS), group, "kind of work")                                            \
    FIELD(BOOL, wait, "a wait, without work")                                                      \
    FIELD(MAYBE(STRING), how, "source of a derived event; null: measured")                         \
    FIELD(SIGNED, start_ps, "host-aligned")                                                        \
    FIELD(INT, duration_ps, "host-aligned")                                                        \
    FIELD(MAYBE(BIG), device_start_ps, "on the device's clock, which has another origin")          \
    FIELD(MAYBE(INT), device_duration_ps, "by the device's clock")                                 \
    FIELD(INT, self_ps, "duration minus nested time, host-aligned")                                \
    FIELD(MAYBE(INT), device_self_ps, "the same by the device's clock")                            \
    FIELD(MAYBE(OBJECT(xpd_event_at)), parent, "the event it is nested in")                        \
    FIELD(MAYBE(OBJECT(xpd_event_at)), module, "the execution of a program it is part of")         \
    FIELD(MAYBE(OBJECT(xpd_event_step)), step, "the step it is part of")                           \
    FIELD(MAYBE(TEXT), program, "from its name")                                                   \
    FIELD(MAYBE(TEXT), category, "likewise")                                                       \
    FIELD(MAYBE(TEXT), tf_op, "the framework's operation")                                         \
    FIELD(MAYBE(TEXT), source, "file and line of the model's code, likewise")                      \
    FIELD(VALUES(INT), stands_for, "for a derived event: the first and last measured event in it") \
    FIELD(MAYBE(OBJECT(xpd_event_async)), async, "the asynchronous operation as one bar")          \
    FIELD(MAYBE(STRING), no_roofline, "why there is no roofline")                                  \
    FIELD(MAYBE(OBJECT(xpd_event_roofline)), roofline, "")                                         \
    FIELD(COLUMNS(xpd_event_chip), chips, "the same execution on every chip")                      \
    FIELD(MAYBE(OBJECT(xpd_event_links)), links, "null: its program is not in this run")           \
    FIELD(MAYBE(STRING), stats_damaged, "why its stats cannot be read")                            \
    FIELD(LIST(xpd_event_stat), stats, "stats of the metadata first")
XPD_RECORD(xpd_trace_event, XPD_TRACE_EVENT_FIELDS)

struct details {
    const struct xpd_trace_call *call;
    const struct xpd_event *event;
    const struct xpd_event_name *name;
    struct xpd_stat_value *stat;
    uint32_t stat_count, from_metadata; /* the first ones are of the metadata */
    const char *damage;                 /* why they cannot be read, or NULL */
};

/* ---- stats ---- */

/* Those XProf keeps to itself: links between events, ids. Shown, but apart. */
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

static struct xpd_str hex_of(struct xpd_arena *arena, struct xpd_str bytes)
{
    static const char digit[] = "0123456789abcdef";
    char text[2 * BYTES_MAX];
    size_t size = bytes.size < BYTES_MAX ? bytes.size : BYTES_MAX;
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digit[(uint8_t)bytes.data[i] >> 4];
        text[2 * i + 1] = digit[(uint8_t)bytes.data[i] & 15];
    }
    return xpd_str_of(xpd_arena_strndup(arena, text, 2 * size));
}

static struct xpd_str value_of(struct xpd_arena *arena, const struct xpd_stat_value *stat)
{
    struct xpd_strbuf text = {0};
    switch (stat->type) {
    case XPD_STAT_DOUBLE:
        if (isfinite(stat->real))
            xpd_strbuf_double(&text, stat->real);
        else
            xpd_strbuf_printf(&text, "%g", stat->real);
        break;
    case XPD_STAT_UINT: xpd_strbuf_u64(&text, (uint64_t)stat->integer); break;
    case XPD_STAT_INT: xpd_strbuf_printf(&text, "%" PRId64, stat->integer); break;
    case XPD_STAT_TEXT:
        return (struct xpd_str){stat->text.data ? stat->text.data : "",
                                stat->text.size < TEXT_MAX ? stat->text.size : TEXT_MAX};
    case XPD_STAT_BYTES: return hex_of(arena, stat->text);
    case XPD_STAT_NONE: return (struct xpd_str){0};
    }
    struct xpd_str kept = xpd_strbuf_keep(&text, arena);
    xpd_strbuf_fini(&text);
    return kept;
}

static int fill_stats(struct xpd_trace_event *out, const struct details *details,
                      struct xpd_err *err)
{
    struct xpd_arena *arena = details->call->ctx->arena;
    struct xpd_event_stat *to = XPD_NEW_ARRAY(arena, struct xpd_event_stat, details->stat_count);
    if (!to)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < details->stat_count; i++) {
        const struct xpd_stat_value *stat = &details->stat[i];
        bool texts = stat->type == XPD_STAT_TEXT || stat->type == XPD_STAT_BYTES;
        size_t shown = stat->type == XPD_STAT_BYTES ? BYTES_MAX : TEXT_MAX;
        to[i] = (struct xpd_event_stat){
            .name = stat->name,
            .type = type_word(stat),
            .value = value_of(arena, stat),
            .from = i < details->from_metadata ? "metadata" : "event",
            .internal = is_internal(stat->name),
            .whole_size_bytes = texts && stat->text.size > shown ? (int64_t)stat->text.size : -1,
        };
    }
    out->stats_damaged = details->damage;
    out->stats.at = to;
    out->stats.n = details->stat_count;
    return XPD_OK;
}

static const struct xpd_stat_value *find_stat(const struct details *details, const char *name)
{
    for (uint32_t i = details->stat_count; i-- > 0;) /* those of the event itself first */
        if (xpd_str_eq(details->stat[i].name, xpd_str_of(name)))
            return &details->stat[i];
    return NULL;
}

/* ---- what it belongs to ---- */

/* NULL: none, or no memory, which stays in the arena. */
static const struct xpd_event_at *event_at(const struct details *details, bool has,
                                           const struct xpd_event *event)
{
    struct xpd_event_at *at = has ? XPD_NEW(details->call->ctx->arena, struct xpd_event_at) : NULL;
    if (at)
        *at = xpd_tools_event_at(details->call, event);
    return at;
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
    uint32_t process = xpd_view_process(&details->call->view, details->event->row);
    uint32_t host = xpd_tools_process_host(details->call, process);
    uint32_t by_name = XPD_NO_INDEX, named = 0;
    for (uint32_t i = 0; i < run->module_count; i++) {
        if (!xpd_module_may_run_on(run, i, host))
            continue;
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

static const struct xpd_event_links *links_of(const struct details *details)
{
    uint32_t module = module_of(details);
    struct xpd_event_links *links =
        module == XPD_NO_INDEX ? NULL : XPD_NEW(details->call->ctx->arena, struct xpd_event_links);
    if (links)
        *links = (struct xpd_event_links){details->call->ctx->run->module[module].key,
                                          xpd_tools_or_null(instruction_of(details))};
    return links;
}

static const struct xpd_event_step *step_of(const struct details *details)
{
    const struct xpd_derived *derived = details->call->view.derived;
    uint32_t index = derived ? xpd_step_of(derived, details->event->number) : XPD_NO_INDEX;
    struct xpd_event_step *out =
        index == XPD_NO_INDEX ? NULL : XPD_NEW(details->call->ctx->arena, struct xpd_event_step);
    if (!out)
        return NULL;
    const struct xpd_step *step = &derived->step[index];
    *out = (struct xpd_event_step){
        step->number, xpd_intern_get(&derived->names, step->name), (int64_t)step->event,
        xpd_tools_at(details->call, step->start_ps), step->end_ps - step->start_ps};
    return out;
}

/* ---- rates and partners ---- */

static void fill_roofline(struct xpd_trace_event *out, const struct details *details)
{
    struct xpd_roofline roof;
    struct xpd_peaks peaks;
    bool known = xpd_explain_peaks(details->call->ctx, &peaks);
    xpd_roofline_of(&details->call->view, details->event, known ? &peaks : NULL, &roof);
    out->no_roofline = roof.why_not;
    struct xpd_event_roofline *to =
        roof.measured ? XPD_NEW(details->call->ctx->arena, struct xpd_event_roofline) : NULL;
    if (to)
        *to = (struct xpd_event_roofline){
            .flops = roof.flops,
            .hbm_bytes = roof.bytes,
            .duration_ps = roof.duration_ps,
            .achieved_flops_per_s = roof.flops_per_s,
            .achieved_bytes_per_s = roof.bytes_per_s,
            .peak_flops_per_s = roof.peak_flops_per_s,
            .peak_bytes_per_s = roof.peak_bytes_per_s,
            .bound = roof.bound,
            .at_roofline_ps = roof.at_roofline_ps,
            .share = roof.share,
            .source = "compiler estimate",
        };
    out->roofline = to;
}

static int fill_chips(struct xpd_trace_event *out, const struct details *details,
                      struct xpd_err *err)
{
    const struct xpd_view *view = &details->call->view;
    struct xpd_arena *arena = details->call->ctx->arena;
    struct xpd_peer *peer;
    uint32_t n;
    if (xpd_peers_of(view, details->event, arena, &peer, &n, NULL) != XPD_OK)
        n = 0;
    struct xpd_event_chip *to = XPD_NEW_ARRAY(arena, struct xpd_event_chip, n);
    if (!to)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_event *event = &peer[i].event;
        int64_t device_start_ps = xpd_device_start_of(view, event);
        bool comparable = xpd_trace_comparable(view->trace, peer[0].process, peer[i].process);
        to[i] = (struct xpd_event_chip){
            .process = peer[i].process,
            .device = view->trace->process[peer[i].process].device,
            .event = (int64_t)event->number,
            .start_ps = xpd_tools_at(details->call, event->start_ps),
            .duration_ps = event->duration_ps,
            .device_duration_ps = xpd_view_device_ps(view, event),
            .device_start_ps = device_start_ps < 0 ? XPD_UNKNOWN : device_start_ps,
            .skew_ps = comparable ? event->start_ps - details->event->start_ps : XPD_UNKNOWN,
        };
    }
    out->chips.at = to;
    out->chips.n = n;
    return XPD_OK;
}

/* What a derived event stands for. */
static int fill_measured(struct xpd_trace_event *out, const struct details *details,
                         struct xpd_err *err)
{
    const struct xpd_view *view = &details->call->view;
    uint64_t measured = view->trace->event_count;
    int64_t *to = XPD_NEW_ARRAY(details->call->ctx->arena, int64_t, 2);
    if (!to)
        return xpd_tools_no_memory(err);
    out->stands_for.at = to;
    if (details->event->number < measured)
        return XPD_OK;
    struct xpd_derived_fact fact = xpd_derived_fact_of(view->derived, details->event->number);
    if (fact.event < measured)
        to[out->stands_for.n++] = (int64_t)fact.event;
    if (fact.event2 < measured && fact.event2 != fact.event)
        to[out->stands_for.n++] = (int64_t)fact.event2;
    return XPD_OK;
}

/* How much of an asynchronous operation the core waited for. */
static const struct xpd_event_async *async_of(const struct details *details)
{
    const struct xpd_view *view = &details->call->view;
    struct xpd_async_pair pair;
    struct xpd_event_async *out = xpd_async_pair_of(view, details->event, &pair)
                                      ? XPD_NEW(details->call->ctx->arena, struct xpd_event_async)
                                      : NULL;
    if (!out)
        return NULL;
    struct xpd_time_range range = {details->event->start_ps,
                                   details->event->start_ps + details->event->duration_ps};
    struct xpd_overlap overlap;
    const struct xpd_overlap_table *table;
    bool known = xpd_tools_trace_overlap(&table, details->call, NULL) == XPD_OK &&
                 xpd_overlap_in(view, table, xpd_view_process(view, details->event->row), range,
                                &overlap, NULL) == XPD_OK;
    *out = (struct xpd_event_async){
        .hidden = xpd_hidden_word(pair.hidden),
        .clock = xpd_clock_word(pair.clock),
        .wait_ps = pair.wait_ps,
        .whole_ps = pair.whole_ps,
        .compute_ps = known ? overlap.compute_ps : -1,
        .first = event_at(details, true, &pair.start),
        .done = event_at(details, true, &pair.done),
    };
    return out;
}

/* ---- the answer ---- */

static void fill_times(struct xpd_trace_event *out, const struct details *details)
{
    const struct xpd_view *view = &details->call->view;
    const struct xpd_event *event = details->event;
    const struct xpd_stat_value *offset = find_stat(details, "device_offset_ps");
    out->start_ps = xpd_tools_at(details->call, event->start_ps);
    out->duration_ps = event->duration_ps;
    out->device_start_ps =
        offset && xpd_stat_is_integer(offset->type) ? offset->integer : XPD_UNKNOWN;
    out->device_duration_ps = xpd_view_device_ps(view, event);
    out->self_ps = xpd_event_self_ps(view, event, XPD_CLOCK_HOST);
    out->device_self_ps =
        out->device_duration_ps < 0 ? -1 : xpd_event_self_ps(view, event, XPD_CLOCK_DEVICE);
}

static void fill_name(struct xpd_trace_event *out, const struct details *details)
{
    const struct xpd_view *view = &details->call->view;
    const struct xpd_event_name *name = details->name;
    uint32_t id = details->event->name;
    out->name_id = id;
    out->caption = xpd_view_caption_of(view, details->event);
    out->name = xpd_view_text(view, id, name->name);
    out->group = xpd_op_group_word(name->group);
    out->wait = name->wait;
    out->program = xpd_tools_or_null(xpd_view_text(view, id, name->program));
    out->category = xpd_tools_or_null(xpd_view_text(view, id, name->category));
    out->tf_op = xpd_tools_or_null(xpd_view_text(view, id, name->tf_op));
    out->source = xpd_tools_or_null(xpd_view_text(view, id, name->source));
}

static int fill(struct xpd_trace_event *out, const struct details *details, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = details->call->ctx;
    const struct xpd_view *view = &details->call->view;
    const struct xpd_event *event = details->event;
    struct xpd_event other;
    uint32_t process = xpd_view_process(view, event->row);
    out->base_ps = details->call->base_ps;
    out->event = (int64_t)event->number;
    out->row = event->row;
    out->process = process;
    out->host = ctx->run->host[xpd_tools_process_host(details->call, process)].name;
    out->depth = event->depth;
    out->how = xpd_view_row(view, event->row)->how;
    fill_name(out, details);
    fill_times(out, details);
    out->parent = event_at(details, xpd_event_parent(view, event, &other), &other);
    out->module = event_at(details, xpd_event_module(view, event, &other), &other);
    out->step = step_of(details);
    out->async = async_of(details);
    fill_roofline(out, details);
    out->links = links_of(details);
    int rc = fill_measured(out, details, err);
    if (rc == XPD_OK)
        rc = fill_chips(out, details, err);
    if (rc == XPD_OK)
        rc = fill_stats(out, details, err);
    return rc == XPD_OK && ctx->arena->failed ? xpd_tools_no_memory(err) : rc;
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

static int event_tool(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct xpd_trace_event *out = XPD_NEW(ctx->arena, struct xpd_trace_event);
    struct xpd_trace_call call;
    struct xpd_event event;
    int rc = out ? xpd_tools_trace(ctx, XPD_WANT_DERIVED, &call, err) : xpd_tools_no_memory(err);
    if (rc == XPD_OK)
        rc = xpd_tools_trace_event(&call, &event, err);
    struct details details = {.call = &call, .event = &event};
    if (rc == XPD_OK && event.number < call.view.trace->event_count)
        rc = read_stats(&details, err);
    if (rc != XPD_OK)
        return rc;
    details.name = xpd_view_name(&call.view, event.name);
    *answer = out;
    return fill(out, &details, err);
}

static const struct xpd_param_spec params[] = {
    XPD_TRACE_PARAM_EVENT,
    {.name = NULL},
};

const struct xpd_tool xpd_tool_trace_event = {
    .route = "/api/v1/trace/event",
    .title = "One event: times on both clocks, context, stats and rates.",
    .needs = XPD_NEEDS_RUN,
    .params = params,
    .answer = xpd_trace_event_record,
    .make = event_tool,
};
