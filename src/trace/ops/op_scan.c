/* Instructions named only by the events themselves: kernels of GPUs, thunks of the CPU; and other
 * work on GPUs.
 *
 * In: the streams of GPUs, and the lines of other planes whose stats are called hlo_op and
 * program_id or hlo_module. Out: their executions. One pass in the order of the file, through a
 * window; an event's own stats are looked at once, its texts by their ids. Lines of a host on which
 * no event names an instruction are not read: the trace knows that. The ops of a line are kept
 * until its end, because they need not be sorted and self times need the nesting. */
#include "../load/core.h"
#include "op_times.h"

#include "xprofd/base/checked.h"
#include "xprofd/profile/event_read.h"
#include "xprofd/trace/op_loose.h"
#include "xprofd/trace/tf_op.h"

#include <stdlib.h>

enum wanted { /* texts, numbers, those that are only there */
              OP,
              MODULE,
              TF_OP,
              LEVEL_0, /* tf_op before 2021 */
              MEMCPY,
              PROGRAM,
              ORDINAL,
              DEVICE_DURATION,
              RUN,
              CORRELATION,
              KERNEL,
              GRAPH,
              MEMSET,
              WANTED_COUNT
};
static const char *const wanted_name[WANTED_COUNT] = {
    "hlo_op",         "hlo_module",     "tf_op",          "level 0",
    "memcpy_details", "program_id",     "device_ordinal", "device_duration_ps",
    "run_id",         "correlation_id", "kernel_details", "cuda_graph_exec_id",
    "memset_details"};

struct scan {
    struct xpd_op_build *build;
    struct xpd_window window;
    /* of the plane */
    const struct xpd_plane_tables *tables;
    uint32_t process;
    bool on_host, on_gpu;
    bool runs_tf;            /* a host without chips, on which TensorFlow ran operations itself */
    struct xpd_stat_ids ids; /* enum wanted */
    struct xpd_map64 rows;   /* of a host: ids of rows with events that are operations */
    struct xpd_map64 name_of_ref; /* stat metadata id -> instruction or module name */
    struct xpd_map64 tf_name;     /* event metadata id -> what TensorFlow computed; 0: nothing */
    struct xpd_map64 launched;    /* slot and event's metadata -> how often, of loose kernels */
    struct xpd_strbuf text;       /* of one name */
    /* of the line */
    int64_t base_ps;
    bool counts_tf; /* its operations are the model's */
    /* Of the event before: most say the same. */
    struct {
        bool has_id;
        uint64_t id;
        xpd_name_id module;
        uint32_t at; /* XPD_NO_INDEX: none */
    } program;
    struct {
        int64_t number;
        uint32_t at;
    } device;
    struct {
        uint32_t program, device;
        uint64_t id;
        uint32_t at;
    } run;
    XPD_VEC(struct xpd_op_run) op;
};

/* ---- one event ---- */

/* What it says of one thing, in a form that fits; NULL: nothing. */
static const struct xpd_said *said(const struct xpd_event_said *event, enum wanted what)
{
    const struct xpd_said *of = &event->stat[what];
    if (!(event->has >> what & 1))
        return NULL;
    bool text = of->field == XPD_SAID_TEXT || of->field == XPD_SAID_REF;
    bool number = of->field == XPD_SAID_UINT || of->field == XPD_SAID_INT;
    bool fits = what <= MEMCPY ? text : what <= CORRELATION ? number : of->field != 0;
    return fits ? of : NULL;
}

struct xpd_str xpd_op_innermost(struct xpd_str text)
{
    for (size_t i = text.size; i-- > 1;)
        if (text.data[i] == ':' && text.data[i - 1] == ':')
            return (struct xpd_str){text.data + i + 1, text.size - i - 1};
    return text;
}

static xpd_name_id put_name(struct scan *scan, struct xpd_str text, enum wanted what)
{
    text = what == OP ? xpd_op_innermost(text) : text;
    return xpd_intern_put(&scan->build->out->names, text.data, text.size);
}

static struct xpd_str text_of(const struct scan *scan, const struct xpd_event_said *event,
                              enum wanted what)
{
    const struct xpd_said *of = said(event, what);
    return of ? xpd_said_text(of, scan->tables, &scan->build->trace->names) : XPD_STR("");
}

static xpd_name_id name_of(struct scan *scan, const struct xpd_event_said *event, enum wanted what)
{
    const struct xpd_said *of = said(event, what);
    if (!of)
        return 0;
    if (of->field == XPD_SAID_TEXT)
        return put_name(scan, of->text, what);
    uint64_t key = of->value << 1 | (what == MODULE);
    uint32_t id = xpd_map64_get(&scan->name_of_ref, key);
    if (id != XPD_NO_INDEX)
        return id;
    bool known = xpd_map64_get(&scan->tables->stat_of, of->value) != XPD_NO_INDEX;
    id = known ? put_name(scan, text_of(scan, event, what), what) : 0;
    xpd_map64_put(&scan->name_of_ref, key, id);
    return id;
}

static int64_t device_number(const struct scan *scan, const struct xpd_event_said *event)
{
    int64_t number = scan->build->trace->process[scan->process].device;
    const struct xpd_said *ordinal = said(event, ORDINAL);
    return number < 0 && ordinal ? (int64_t)ordinal->value : number;
}

static uint32_t device_of(struct scan *scan, const struct xpd_event_said *event)
{
    int64_t number = device_number(scan, event);
    if (scan->device.at == XPD_NO_INDEX || scan->device.number != number) {
        scan->device.number = number;
        scan->device.at = xpd_op_device_put(scan->build, scan->process, number);
    }
    return scan->device.at;
}

static uint32_t program_of(struct scan *scan, const struct xpd_said *said_id, xpd_name_id module)
{
    bool has_id = said_id != NULL;
    uint64_t id = has_id ? said_id->value : 0;
    if (scan->program.at == XPD_NO_INDEX || scan->program.has_id != has_id ||
        scan->program.id != id || scan->program.module != module) {
        scan->program.has_id = has_id;
        scan->program.id = id;
        scan->program.module = module;
        scan->program.at = xpd_op_program_put(scan->build, has_id, id, module);
    }
    return scan->program.at;
}

static struct xpd_str event_name(const struct scan *scan, uint64_t metadata)
{
    uint32_t at = xpd_map64_get(&scan->tables->event_of, metadata);
    if (at == XPD_NO_INDEX)
        return XPD_STR("");
    const struct xpd_event_metadata *of = &scan->tables->event[at];
    return xpd_intern_get(&scan->build->trace->names,
                          of->display_name != 0 ? of->display_name : of->name);
}

static void push_run(struct scan *scan, const struct xpd_event_said *event, uint32_t slot)
{
    struct xpd_op_run op = {.slot = slot};
    const struct xpd_said *device = said(event, DEVICE_DURATION);
    bool overflow = false;
    op.start_ps = xpd_add_i64(scan->base_ps, (int64_t)event->offset_ps, &overflow);
    op.host_ps = (int64_t)event->duration_ps < 0 ? 0 : (int64_t)event->duration_ps;
    op.device = device && (int64_t)device->value >= 0 && !scan->build->host_clock;
    op.own_ps = op.device ? (int64_t)device->value : op.host_ps;
    XPD_PUSH(&scan->op, op);
}

/* The run that the event names reaches as far as the event; scan->op has the event. */
static void reach_run(struct scan *scan, uint32_t program, uint32_t device, uint64_t id)
{
    struct xpd_op_build *build = scan->build;
    if (scan->run.at == XPD_NO_INDEX || scan->run.program != program ||
        scan->run.device != device || scan->run.id != id) {
        scan->run.program = program;
        scan->run.device = device;
        scan->run.id = id;
        scan->run.at = xpd_op_named_run_put(build, program, device, id);
    }
    if (scan->run.at == XPD_NO_INDEX || scan->op.failed)
        return;
    const struct xpd_op_run *op = &scan->op.at[scan->op.count - 1];
    struct xpd_op_program_run *run = &build->named.at[scan->run.at].run;
    bool overflow = false;
    int64_t end_ps = xpd_add_i64(op->start_ps, op->host_ps, &overflow);
    run->from_ps = op->start_ps < run->from_ps ? op->start_ps : run->from_ps;
    run->to_ps = end_ps > run->to_ps ? end_ps : run->to_ps;
}

/* How often the op launched a kernel of this name: the one that it launches most says how often it
 * ran. */
static void count_launch(struct scan *scan, uint32_t slot, uint64_t metadata)
{
    uint64_t key[2] = {slot, metadata}, hash = xpd_hash(key, sizeof key);
    uint32_t before = xpd_map64_get(&scan->launched, hash);
    uint32_t count = before == XPD_NO_INDEX ? 1 : before + 1;
    uint64_t *most = &scan->build->slot.at[slot].most_count;
    xpd_map64_put(&scan->launched, hash, count);
    *most = count > *most ? count : *most;
}

/* Of a GPU, what names no program: as overlap.h tells kernels and copies from the rest. */
static void take_loose(struct scan *scan, const struct xpd_event_said *event)
{
    struct xpd_op_build *build = scan->build;
    struct xpd_loose_event as = {.name = event_name(scan, event->metadata),
                                 .tf_op = text_of(scan, event, TF_OP),
                                 .memcpy_details = text_of(scan, event, MEMCPY),
                                 .kernel = said(event, KERNEL) || said(event, GRAPH),
                                 .copy = said(event, MEMCPY) || said(event, MEMSET)};
    if (as.tf_op.size == 0)
        as.tf_op = text_of(scan, event, LEVEL_0);
    enum xpd_op_loose loose = xpd_op_loose_of(&as);
    if (loose == XPD_LOOSE_KERNELS && !as.kernel && (scan->ids.known >> KERNEL & 1))
        return;
    xpd_strbuf_clear(&scan->text);
    xpd_op_loose_name(&scan->text, &as, loose);
    xpd_name_id name = xpd_intern_put(&build->out->names, scan->text.data, scan->text.size);
    uint32_t program = xpd_op_loose_put(build, loose);
    uint32_t slot = xpd_op_slot_put(build, program, name, device_of(scan, event));
    if (xpd_op_build_failed(build) || scan->text.failed)
        return;
    if (loose == XPD_LOOSE_KERNELS)
        count_launch(scan, slot, event->metadata);
    push_run(scan, event, slot);
}

/* An operation that TensorFlow computed: its event is called like it. 0: it is none. */
static xpd_name_id tf_name_of(struct scan *scan, uint64_t metadata)
{
    xpd_name_id name = xpd_map64_get(&scan->tf_name, metadata);
    if (name != XPD_NO_INDEX)
        return name;
    uint32_t at = xpd_map64_get(&scan->tables->event_of, metadata);
    struct xpd_str text = at == XPD_NO_INDEX ? XPD_STR("")
                                             : xpd_intern_get(&scan->build->trace->names,
                                                              scan->tables->event[at].name);
    name =
        xpd_tf_computes(text) ? xpd_intern_put(&scan->build->out->names, text.data, text.size) : 0;
    xpd_map64_put(&scan->tf_name, metadata, name);
    return name;
}

static void take_tf(struct scan *scan, const struct xpd_event_said *event)
{
    struct xpd_op_build *build = scan->build;
    xpd_name_id name = tf_name_of(scan, event->metadata);
    if (name == 0)
        return;
    uint32_t program = xpd_op_loose_put(build, XPD_LOOSE_THREADS);
    push_run(scan, event, xpd_op_slot_put(build, program, name, device_of(scan, event)));
}

/* Once for each slot: its events all say the same. */
static void take_kind(struct xpd_op_build *build, uint32_t slot, xpd_name_id name)
{
    if (slot == XPD_NO_INDEX || build->slot.at[slot].category != 0)
        return;
    struct xpd_str op = xpd_intern_get(&build->out->names, name);
    struct xpd_str category = xpd_trace_op_category(op);
    xpd_op_slot_kind(build, slot, category, (uint8_t)xpd_trace_group(category, op, true), false);
}

/* Damage inside a line ends the line: the trace has already reported it. */
static bool take_event(void *user, const struct xpd_event_said *event)
{
    struct scan *scan = user;
    struct xpd_op_build *build = scan->build;
    const struct xpd_said *id = said(event, PROGRAM);
    if (event->damaged || event->aggregated)
        return !event->damaged;
    if (!said(event, OP) || (!id && !said(event, MODULE))) {
        if (scan->on_gpu)
            take_loose(scan, event);
        else if (scan->counts_tf)
            take_tf(scan, event);
        return true;
    }
    if (scan->on_host && said(event, CORRELATION)) /* it launches work elsewhere */
        return true;
    xpd_name_id name = name_of(scan, event, OP), module = name_of(scan, event, MODULE);
    if (name == 0 || (!id && module == 0))
        return true;
    uint32_t program = program_of(scan, id, module);
    uint32_t device = device_of(scan, event);
    uint32_t slot = xpd_op_slot_put(build, program, name, device);
    const struct xpd_said *run = scan->on_host ? said(event, RUN) : NULL;
    take_kind(build, slot, name);
    push_run(scan, event, slot);
    if (run)
        reach_run(scan, program, device, run->value);
    return true;
}

/* ---- one line ---- */

static int by_start(const void *a, const void *b)
{
    const struct xpd_op_run *x = a, *y = b;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    return (x->host_ps < y->host_ps) - (x->host_ps > y->host_ps);
}

static bool is_sorted(const struct xpd_op_run *op, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (by_start(&op[i - 1], &op[i]) > 0)
            return false;
    return true;
}

static bool holds(const struct xpd_op_run *outer, const struct xpd_op_run *inner)
{
    uint64_t lead_ps = (uint64_t)inner->start_ps - (uint64_t)outer->start_ps;
    return lead_ps + (uint64_t)inner->host_ps <= (uint64_t)outer->host_ps;
}

/* The innermost op that holds one gets its time inside. The stack is in the array itself: up[i] is
 * the op around op i. */
static bool find_inside(struct xpd_op_run *op, size_t count)
{
    uint32_t *up = count > 0 && count < XPD_NO_INDEX ? malloc(count * sizeof *up) : NULL;
    if (!up)
        return count == 0;
    uint32_t top = XPD_NO_INDEX;
    for (uint32_t i = 0; i < count; i++) {
        while (top != XPD_NO_INDEX && !holds(&op[top], &op[i]))
            top = up[top];
        if (top != XPD_NO_INDEX)
            xpd_grow_i64(&op[top].inside_ps, op[i].own_ps);
        op[i].nested = top != XPD_NO_INDEX;
        up[i] = top;
        top = i;
    }
    free(up);
    return true;
}

static bool end_line(struct scan *scan)
{
    struct xpd_op_run *op = scan->op.at;
    size_t count = scan->op.count;
    if (scan->op.failed || scan->launched.failed || scan->text.failed ||
        xpd_op_build_failed(scan->build))
        return false;
    if (!is_sorted(op, count))
        qsort(op, count, sizeof *op, by_start);
    bool nests = scan->build->trace->process[scan->process].kind != XPD_PROCESS_GPU;
    if (nests && !find_inside(op, count))
        return false;
    scan->build->piece_number++;
    for (size_t i = 0; i < count; i++)
        xpd_op_take(scan->build, &op[i]);
    scan->op.count = 0;
    return true;
}

static struct xpd_str line_name(const struct scan *scan, const struct xpd_line *line)
{
    return xpd_intern_get(&scan->build->trace->space->names, line->name);
}

static bool read_line(struct scan *scan, const struct xpd_line *line)
{
    bool overflow = false;
    scan->counts_tf = scan->runs_tf && !xpd_tf_is_data_thread(line_name(scan, line));
    scan->base_ps = xpd_mul_i64(xpd_trace_line_ns(scan->build->trace, line), 1000, &overflow);
    xpd_line_each_event(&scan->window, line, &scan->ids, take_event, scan);
    return end_line(scan);
}

/* ---- planes ---- */

static uint64_t row_id_of(const struct xpd_line *line)
{
    return (uint64_t)(line->display_id ? line->display_id : line->id);
}

/* Most threads of a host run no operation, and they have the most events: frames of Python. */
static void find_rows(struct scan *scan)
{
    const struct xpd_trace *trace = scan->build->trace;
    const struct xpd_trace_process *process = &trace->process[scan->process];
    xpd_map64_fini(&scan->rows);
    scan->rows = (struct xpd_map64){0};
    for (uint32_t r = process->first_row; r < process->first_row + process->row_count; r++) {
        const struct xpd_trace_row *row = &trace->row[r];
        bool any = false;
        for (uint32_t d = 0; !any && d < row->depth_count; d++) {
            const struct xpd_depth *depth = &trace->depth[row->first_depth + d];
            for (uint32_t i = 0; !any && i < depth->count; i++)
                any = trace->name[depth->name[i]].op || trace->name[depth->name[i]].tf;
        }
        if (any)
            xpd_map64_put(&scan->rows, (uint64_t)row->id, 1);
    }
}

/* Lines that only sum up others (XLA Ops of a GPU) would count everything twice. */
static bool is_work(const struct scan *scan, const struct xpd_line *line)
{
    const struct xpd_trace *trace = scan->build->trace;
    enum xpd_process_kind process = trace->process[scan->process].kind;
    struct xpd_str name = line_name(scan, line);
    enum xpd_row_kind kind = xpd_trace_row_kind(name, line->id, process);
    if (scan->on_host && xpd_map64_get(&scan->rows, row_id_of(line)) == XPD_NO_INDEX)
        return false;
    return kind == XPD_ROW_STREAM ||
           (kind == XPD_ROW_LINE && !xpd_trace_line_is_made(name, line->id));
}

static bool enter_plane(struct scan *scan, uint32_t plane)
{
    const struct xpd_trace *trace = scan->build->trace;
    scan->tables = &trace->tables[plane];
    xpd_map64_fini(&scan->name_of_ref);
    xpd_map64_fini(&scan->tf_name);
    scan->name_of_ref = scan->tf_name = (struct xpd_map64){0};
    xpd_stat_ids_init(&scan->ids, scan->tables, &trace->names, wanted_name, WANTED_COUNT);
    scan->runs_tf = scan->on_host && xpd_trace_plane_runs_tf(trace, plane);
    uint32_t known = scan->ids.known;
    return scan->on_gpu || scan->runs_tf ||
           ((known >> OP & 1) && (known & (1u << PROGRAM | 1u << MODULE)));
}

static bool read_process(struct scan *scan, uint32_t process)
{
    const struct xpd_trace *trace = scan->build->trace;
    const struct xpd_xspace *space = trace->space;
    xpd_name_id name = space->plane[trace->process[process].plane].name;
    scan->process = process;
    scan->device.at = XPD_NO_INDEX;
    scan->on_host = trace->process[process].kind == XPD_PROCESS_HOST;
    scan->on_gpu = trace->process[process].kind == XPD_PROCESS_GPU;
    if (scan->on_host)
        find_rows(scan);
    for (uint32_t p = 0; p < space->plane_count; p++) {
        const struct xpd_plane *plane = &space->plane[p];
        if (plane->name != name || plane->event_count == 0 || !enter_plane(scan, p))
            continue;
        for (uint32_t l = 0; l < plane->line_count; l++)
            if (is_work(scan, &plane->line[l]) && !read_line(scan, &plane->line[l]))
                return false;
    }
    return true;
}

int xpd_op_scan(struct xpd_op_build *build, struct xpd_err *err)
{
    const struct xpd_trace *trace = build->trace;
    struct scan scan = {
        .build = build, .program = {.at = XPD_NO_INDEX}, .run = {.at = XPD_NO_INDEX}};
    int rc = xpd_window_init(&scan.window, trace->source, err);
    bool devices = xpd_trace_has_devices(trace);
    for (uint32_t p = 0; rc == XPD_OK && p < trace->process_count; p++) {
        enum xpd_process_kind kind = trace->process[p].kind;
        bool reads = kind == XPD_PROCESS_GPU || kind == XPD_PROCESS_CUSTOM ||
                     (kind == XPD_PROCESS_HOST && !devices);
        if (reads && (!read_process(&scan, p) || scan.name_of_ref.failed || scan.tf_name.failed ||
                      scan.rows.failed || !xpd_op_end_process(build)))
            rc = xpd_no_memory(err, xpd_source_name(trace->source),
                               "to add up the times of instructions");
    }
    xpd_window_fini(&scan.window);
    xpd_map64_fini(&scan.rows);
    xpd_map64_fini(&scan.name_of_ref);
    xpd_map64_fini(&scan.tf_name);
    xpd_map64_fini(&scan.launched);
    xpd_strbuf_fini(&scan.text);
    XPD_VEC_FINI(&scan.op);
    return rc;
}
