/* The plan of a trace: which planes are shown as which process, which lines make which row.
 *
 * In: the directory. Out: processes in the order of the page, and one unit for each display id of a
 * process. Planes of one name are one process, lines of one display id one row; lines without
 * events are not shown, counters stand by themselves. Nothing of the events is read here. */
#include "core.h"

#include "xprofd/base/order.h"
#include "xprofd/profile/chips.h"

#include <stdlib.h>

static bool digits(struct xpd_str text, int64_t *number)
{
    return text.size != 0 && text.data[0] != '-' && text.data[0] != '+' &&
           xpd_str_to_i64(text, number);
}

static struct xpd_str behind(struct xpd_str text, const char *prefix)
{
    size_t size = strlen(prefix);
    return (struct xpd_str){text.data + size, text.size - size};
}

enum xpd_process_kind xpd_trace_process_kind(struct xpd_str name, int64_t *device)
{
    *device = -1;
    if (xpd_str_starts(name, "/device:GPU:")) {
        digits(behind(name, "/device:GPU:"), device);
        return XPD_PROCESS_GPU;
    }
    if (xpd_str_starts(name, "/device:TPU:")) {
        struct xpd_str rest = behind(name, "/device:TPU:");
        size_t space = xpd_str_find(rest, XPD_STR(" "), false);
        bool core = space == SIZE_MAX;
        rest.size = core ? rest.size : space;
        digits(rest, device);
        return core && *device >= 0 ? XPD_PROCESS_TPU : XPD_PROCESS_SPARSE_CORE;
    }
    if (xpd_str_starts(name, "/device:CUSTOM:"))
        return XPD_PROCESS_CUSTOM;
    return xpd_str_starts(name, "/host:CPU") ? XPD_PROCESS_HOST : XPD_PROCESS_OTHER;
}

const char *xpd_row_kind_word(enum xpd_row_kind kind)
{
    static const char *const words[XPD_ROW_KIND_COUNT] = {
        "line",          "steps",  "xla_modules", "xla_ops",      "async_ops",
        "trace_me",      "stream", "internal",    "counter",      "name_scope",
        "framework_ops", "source", "offload",     "launch_stats", "command_buffers"};
    return (unsigned)kind < XPD_ROW_KIND_COUNT ? words[kind] : "line";
}

/* On a GPU, kernels and copies ran on every line that is not made from others, regardless of its
 * name. */
enum xpd_row_kind xpd_trace_row_kind(struct xpd_str name, int64_t id, enum xpd_process_kind process)
{
    static const struct {
        const char *name;
        enum xpd_row_kind kind;
    } known[] = {{"Steps", XPD_ROW_STEPS},
                 {"XLA Modules", XPD_ROW_MODULES},
                 {"XLA Ops", XPD_ROW_OPS},
                 {"Async XLA Ops", XPD_ROW_ASYNC_OPS},
                 {"XLA TraceMe", XPD_ROW_TRACEME},
                 {"Sparse Core Steps", XPD_ROW_STEPS},
                 {"Sparse Core Modules", XPD_ROW_MODULES},
                 {"Sparse Core Ops", XPD_ROW_OPS}};
    if (xpd_str_eq(name, XPD_STR("_counters_")))
        return XPD_ROW_COUNTER;
    if (process == XPD_PROCESS_HOST || process == XPD_PROCESS_OTHER)
        return XPD_ROW_LINE;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (xpd_str_eq(name, xpd_str_of(known[i].name)))
            return known[i].kind;
    return process == XPD_PROCESS_GPU && !xpd_trace_line_is_made(name, id) ? XPD_ROW_STREAM
                                                                           : XPD_ROW_LINE;
}

bool xpd_trace_line_is_made(struct xpd_str name, int64_t id)
{
    static const char *const made[] = {
        "Steps",          "XLA Modules",          "XLA Ops",       "TensorFlow Name Scope",
        "TensorFlow Ops", "Framework Name Scope", "Framework Ops", "Source code",
        "Launch Stats",   "Command Buffers",      "Host Offload"};
    uint32_t low = (uint32_t)(uint64_t)id; /* older profilers wrote it as a signed 32-bit number */
    if (low >= XPD_DERIVED_ID && low - XPD_DERIVED_ID < XPD_DERIVED_IDS)
        return true;
    size_t from = xpd_str_find(name, XPD_STR(" - from #"), false);
    struct xpd_str what = {name.data, from == SIZE_MAX ? name.size : from};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (xpd_str_eq(what, xpd_str_of(made[i])))
            return true;
    return false;
}

/* ---- processes ---- */

struct planned { /* a plane with lines to show */
    uint32_t plane;
    struct xpd_str name;
    enum xpd_process_kind kind;
    int64_t device;
};

static int by_process(const void *x, const void *y)
{
    const struct planned *a = x, *b = y;
    int order = XPD_ORDER(a->kind, b->kind);
    if (order == 0)
        order = XPD_ORDER(a->device, b->device);
    if (order == 0)
        order = xpd_str_order(a->name, b->name);
    return order ? order : XPD_ORDER(a->plane, b->plane);
}

static bool add_process(struct xpd_trace_build *build, const struct planned *planned)
{
    struct xpd_trace *trace = build->trace;
    const struct xpd_plane *plane = &trace->space->plane[planned->plane];
    struct xpd_trace_process *process = &trace->process[trace->process_count++];
    struct xpd_peaks peaks;
    (void)xpd_peaks_of_plane(&peaks, trace->space, plane);
    *process = (struct xpd_trace_process){
        .plane = planned->plane,
        .name = xpd_intern_put(&trace->names, planned->name.data, planned->name.size),
        .kind = planned->kind,
        .device = planned->device,
        .peak_flops_per_s = peaks.flops_per_s > 0 ? peaks.flops_per_s : 0,
        .peak_bytes_per_s = peaks.hbm_bytes_per_s > 0 ? peaks.hbm_bytes_per_s : 0,
    };
    return !trace->names.failed;
}

/* ---- rows ---- */

struct shown_line {
    struct xpd_line_ref ref;
    int64_t row_id;
    uint32_t process;
    enum xpd_row_kind kind;
};

/* Lines of one row stand together; counters are rows of their own. */
static int by_row_id(const void *x, const void *y)
{
    const struct shown_line *a = x, *b = y;
    int order = XPD_ORDER(a->process, b->process);
    if (order == 0)
        order = XPD_ORDER(a->kind == XPD_ROW_COUNTER, b->kind == XPD_ROW_COUNTER);
    if (order == 0)
        order = XPD_ORDER(a->row_id, b->row_id);
    if (order == 0)
        order = XPD_ORDER(a->ref.plane, b->ref.plane);
    return order ? order : XPD_ORDER(a->ref.line, b->ref.line);
}

/* The order of the page: known rows first, then by id as XProf has them. */
static int by_page(const void *x, const void *y)
{
    static const uint8_t rank[XPD_ROW_KIND_COUNT] = {
        [XPD_ROW_STEPS] = 0,   [XPD_ROW_MODULES] = 1, [XPD_ROW_OPS] = 2,  [XPD_ROW_ASYNC_OPS] = 3,
        [XPD_ROW_TRACEME] = 4, [XPD_ROW_STREAM] = 5,  [XPD_ROW_LINE] = 5, [XPD_ROW_COUNTER] = 6};
    const struct xpd_row_unit *a = x, *b = y;
    int order = XPD_ORDER(a->process, b->process);
    if (order == 0)
        order = XPD_ORDER(rank[a->kind], rank[b->kind]);
    if (order == 0)
        order = XPD_ORDER(a->id, b->id);
    return order ? order : XPD_ORDER(a->first_ref, b->first_ref);
}

static const struct xpd_line *line_of(const struct xpd_trace_build *build, struct xpd_line_ref ref)
{
    return &build->trace->space->plane[ref.plane].line[ref.line];
}

static xpd_name_id caption_of(const struct xpd_trace_build *build, struct xpd_line_ref ref)
{
    struct xpd_trace *trace = build->trace;
    const struct xpd_line *line = line_of(build, ref);
    struct xpd_str text =
        xpd_intern_get(&trace->space->names, line->display_name ? line->display_name : line->name);
    return xpd_intern_put(&trace->names, text.data, text.size);
}

/* Shown lines in order of their rows, cut into units where the row changes. The first line of a
 * known name decides of which kind the row is. */
static bool make_units(struct xpd_trace_build *build, const struct shown_line *shown, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct shown_line *line = &shown[i], *last = i ? &shown[i - 1] : NULL;
        build->ref[i] = line->ref;
        if (!last || last->process != line->process || last->row_id != line->row_id ||
            (last->kind == XPD_ROW_COUNTER) != (line->kind == XPD_ROW_COUNTER)) {
            struct xpd_row_unit unit = {.process = line->process,
                                        .id = line->row_id,
                                        .kind = line->kind,
                                        .first_ref = (uint32_t)i};
            XPD_PUSH(&build->unit, unit);
            if (build->unit.failed)
                return false;
        }
        struct xpd_row_unit *unit = &build->unit.at[build->unit.count - 1];
        unit->ref_count++;
        unit->kind = unit->kind == XPD_ROW_LINE ? line->kind : unit->kind;
        unit->caption = caption_of(build, line->ref);
        unit->event_count += line_of(build, line->ref)->event_count;
    }
    return !build->trace->names.failed;
}

static enum xpd_row_kind kind_of(const struct xpd_trace_build *build, struct xpd_line_ref ref,
                                 enum xpd_process_kind process)
{
    const struct xpd_line *line = line_of(build, ref);
    return xpd_trace_row_kind(xpd_intern_get(&build->trace->space->names, line->name), line->id,
                              process);
}

/* ---- order of work ---- */

#define LARGE_EVENTS 65536

static int by_size(const void *x, const void *y)
{
    const uint64_t *a = x, *b = y; /* {events, unit} */
    return a[0] != b[0] ? (a[0] < b[0] ? 1 : -1) : XPD_ORDER(a[1], b[1]);
}

static bool order_units(struct xpd_trace_build *build)
{
    size_t count = build->unit.count;
    uint64_t(*large)[2] = calloc(count ? count : 1, sizeof *large);
    build->order = malloc((count ? count : 1) * sizeof *build->order);
    uint32_t small = 0;
    if (!large || !build->order) {
        free(large);
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        if (build->unit.at[i].event_count >= LARGE_EVENTS) {
            large[build->large_count][0] = build->unit.at[i].event_count;
            large[build->large_count++][1] = i;
        }
    if (build->large_count > 1)
        qsort(large, build->large_count, sizeof *large, by_size);
    for (uint32_t i = 0; i < build->large_count; i++)
        build->order[i] = (uint32_t)large[i][1];
    for (uint32_t i = 0; i < count; i++)
        if (build->unit.at[i].event_count < LARGE_EVENTS)
            build->order[build->large_count + small++] = i;
    free(large);
    return true;
}

/* ---- main ---- */

static int no_room(struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, NULL, XPD_NO_OFFSET,
                    "The rows of this profile do not fit the memory budget; raise "
                    "--memory-limit.");
}

static bool plan_processes(struct xpd_trace_build *build, uint32_t *process_of)
{
    struct xpd_trace *trace = build->trace;
    const struct xpd_xspace *space = trace->space;
    XPD_VEC(struct planned) planned = {0};
    for (uint32_t i = 0; i < space->plane_count; i++) {
        struct planned plane = {.plane = i};
        plane.name = xpd_intern_get(&space->names, space->plane[i].name);
        plane.kind = xpd_trace_process_kind(plane.name, &plane.device);
        if (space->plane[i].event_count != 0)
            XPD_PUSH(&planned, plane);
    }
    trace->process = XPD_NEW_ARRAY(&trace->arena, struct xpd_trace_process, planned.count);
    bool fine = !planned.failed && trace->process;
    if (fine && planned.count > 1)
        qsort(planned.at, planned.count, sizeof *planned.at, by_process);
    for (size_t i = 0; fine && i < planned.count; i++) {
        if (i == 0 || !xpd_str_eq(planned.at[i].name, planned.at[i - 1].name))
            fine = add_process(build, &planned.at[i]);
        process_of[planned.at[i].plane] = trace->process_count - 1;
    }
    XPD_VEC_FINI(&planned);
    return fine;
}

static bool plan_rows(struct xpd_trace_build *build, const uint32_t *process_of)
{
    const struct xpd_trace *trace = build->trace;
    const struct xpd_xspace *space = trace->space;
    XPD_VEC(struct shown_line) shown = {0};
    for (uint32_t p = 0; p < space->plane_count; p++)
        for (uint32_t l = 0; l < space->plane[p].line_count; l++) {
            const struct xpd_line *line = &space->plane[p].line[l];
            if (line->event_count == 0 || process_of[p] == XPD_NO_INDEX)
                continue;
            struct shown_line one = {.ref = {p, l}, .process = process_of[p]};
            one.row_id = line->display_id ? line->display_id : line->id;
            one.kind = kind_of(build, one.ref, trace->process[one.process].kind);
            XPD_PUSH(&shown, one);
        }
    bool fine = !shown.failed;
    if (fine && shown.count > 1)
        qsort(shown.at, shown.count, sizeof *shown.at, by_row_id);
    build->ref = malloc((shown.count ? shown.count : 1) * sizeof *build->ref);
    fine = fine && build->ref && make_units(build, shown.at, shown.count);
    if (fine && build->unit.count > 1)
        qsort(build->unit.at, build->unit.count, sizeof *build->unit.at, by_page);
    fine = fine && order_units(build);
    XPD_VEC_FINI(&shown);
    return fine;
}

int xpd_trace_plan(struct xpd_trace_build *build, struct xpd_err *err)
{
    uint32_t planes = build->trace->space->plane_count;
    uint32_t *process_of = calloc(planes ? planes : 1, sizeof *process_of);
    for (uint32_t i = 0; process_of && i < planes; i++)
        process_of[i] = XPD_NO_INDEX;
    bool fine = process_of && plan_processes(build, process_of) && plan_rows(build, process_of);
    free(process_of);
    return fine ? XPD_OK : no_room(err);
}
