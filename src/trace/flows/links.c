/* The pass over the events' stats. An event is found again in the trace by the place of its bytes
 * in the file; planes that know none of the stats are not read at all. */
#include "links.h"
#include "plane_chain.h"
#include "xprofd/wire/cursor.h"

enum wanted {
    PT,
    P,
    CT,
    C,
    FLOW,
    CORRELATION,
    ROOT,
    STEP_NUM,
    ITER_NUM,
    GROUP_ID,
    RUN_ID,
    QUEUE_ID,
    DEVICE_ORDINAL,
    CORE_TYPE,
    REQUEST_ID,
    QUEUE_ADDR,
    ASYNC,
    GRAPH_TYPE,
    PID,
    STEP_ID,
    IS_FUNC,
    WANTED_COUNT
};
static const char *const wanted_name[WANTED_COUNT] = {"_pt",
                                                      "_p",
                                                      "_ct",
                                                      "_c",
                                                      "flow",
                                                      "correlation_id",
                                                      "_r",
                                                      "step_num",
                                                      "iter_num",
                                                      "group_id",
                                                      "run_id",
                                                      "queue_id",
                                                      "device_ordinal",
                                                      "core_type",
                                                      "request_id",
                                                      "queue_addr",
                                                      "_a",
                                                      "graph_type",
                                                      "_pid",
                                                      "id",
                                                      "is_func"};

enum role {
    ROLE_NONE,
    ROLE_ENQUEUE,
    ROLE_COMPLETE,
    ROLE_REQUEST,
    ROLE_SERVED,  /* what a request of a TPU's queue becomes */
    ROLE_CONTEXT, /* a root unless it says otherwise */
    ROLE_LEVEL_1,
    ROLE_LEVEL_2,
    ROLE_EXECUTOR, /* TensorFlow's, of one iteration of a step */
    ROLE_EXECUTED, /* what it does on a TPU */
    ROLE_NEXT,
    ROLE_NEXT_OPTIONAL,
    ROLE_DATA, /* a function of the input that tf.data runs */
    ROLE_EAGER /* an operation or a function, op by op */
};
static const struct {
    const char *name;
    enum role role;
} roles[] = {{"DoEnqueueProgram", ROLE_ENQUEUE},
             {"CompleteCallbacks", ROLE_COMPLETE},
             {"EnqueueRequestLocked", ROLE_REQUEST},
             {"TraceContext", ROLE_CONTEXT},
             {"BatchingSessionRun", ROLE_LEVEL_1},
             {"ProcessBatch", ROLE_LEVEL_2},
             {"OrbaxServing::ProcessBatch", ROLE_LEVEL_2},
             {"RunProgramRequest", ROLE_SERVED},
             {"HostCallbackRequest", ROLE_SERVED},
             {"TransferH2DRequest", ROLE_SERVED},
             {"TransferPreprocessedH2DRequest", ROLE_SERVED},
             {"TransferD2HRequest", ROLE_SERVED},
             {"OnDeviceSendRequest", ROLE_SERVED},
             {"OnDeviceRecvRequest", ROLE_SERVED},
             {"OnDeviceSendRecvLocalRequest", ROLE_SERVED},
             {"CustomWait", ROLE_SERVED},
             {"OnDeviceSendRequestMulti", ROLE_SERVED},
             {"OnDeviceRecvRequestMulti", ROLE_SERVED},
             {"PjrtAsyncWait", ROLE_SERVED},
             {"ExecutorState::Process", ROLE_EXECUTOR},
             {"TpuExecuteOp", ROLE_EXECUTED},
             {"IteratorGetNextOp::DoCompute", ROLE_NEXT},
             {"IteratorGetNextAsOptionalOp::DoCompute", ROLE_NEXT_OPTIONAL},
             {"InstantiatedCapturedFunction::Run", ROLE_DATA},
             {"InstantiatedCapturedFunction::RunAsync", ROLE_DATA},
             {"InstantiatedCapturedFunction::RunInstantiated", ROLE_DATA},
             {"InstantiatedCapturedFunction::RunWithBorrowedArgs", ROLE_DATA},
             {"EagerKernelExecute", ROLE_EAGER}};
#define ROLES (sizeof roles / sizeof *roles)

#define CATEGORY_LEGACY     1
#define CATEGORY_GPU_LAUNCH 9
#define CATEGORY_TPU_STREAM 11
#define CATEGORY_TPU_LAUNCH 12
#define RUN_ID_MASK         0x7ffffffu /* XProf compares the low 27 bits */

struct plane_scan {
    const struct xpd_trace_process *process;
    bool host, tpu, wanted;
    uint64_t pid; /* of its stat process_id, + 1; 0 = none */
    uint64_t id[WANTED_COUNT];
    uint32_t known; /* bit set of enum wanted */
    xpd_name_id role_name[ROLES];
};

struct event_stats {
    uint64_t where;
    uint64_t value[WANTED_COUNT];
    uint64_t pid;       /* of the plane, or its own */
    xpd_name_id kind;   /* graph_type */
    uint64_t launch;    /* correlation_id as flows have it: 0 when it is signed */
    uint64_t iter_bits; /* iter_num, be it signed or not */
    int64_t signed_id;  /* of the step; 0 when it is not signed */
    uint32_t has, is_unsigned;
    enum role role;
    bool module; /* lies on a line XLA Modules */
};

struct scan {
    struct xpd_links *links;
    const struct xpd_trace *trace;
    XPD_VEC(uint64_t) link_where;
    XPD_VEC(uint64_t) root_where;
};

static bool has(const struct event_stats *event, enum wanted what)
{
    return (event->has >> what) & 1;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
    hash *= 0xff51afd7ed558ccdu;
    return hash ^ (hash >> 32);
}

static void push_link(struct scan *scan, const struct event_stats *event, enum xpd_link_kind kind,
                      uint64_t key, unsigned ends, uint64_t category)
{
    struct xpd_link link = {.key = key,
                            .pid = event->pid,
                            .kind = (uint8_t)kind,
                            .flow_key = kind == XPD_LINK_CORRELATION ? event->launch : key,
                            .ends = (uint8_t)ends,
                            .async = has(event, ASYNC),
                            .group_category = (uint8_t)(category > 63 ? 0 : category),
                            .category = (uint8_t)(category > 63 ? 0 : category)};
    XPD_PUSH(&scan->links->link, link);
    XPD_PUSH(&scan->link_where, event->where);
}

static uint64_t run_key(const struct event_stats *event, uint64_t device, uint64_t mask)
{
    uint64_t key = mix(mix(1, device), event->value[QUEUE_ID]);
    return mix(mix(key, event->value[RUN_ID] & mask), event->value[CORE_TYPE]);
}

/* Programs: the host enqueues a run, the module runs on the device, the host hears of its end.
 * Requests: put into a queue, then served. TensorFlow's executor, and what it runs. XProf gives
 * these events their context anew: what they say of that end themselves is gone. */
static void push_launch(struct scan *scan, const struct plane_scan *plane,
                        struct event_stats *event)
{
    bool run = has(event, RUN_ID) && has(event, QUEUE_ID);
    bool request = has(event, REQUEST_ID) && has(event, QUEUE_ADDR);
    bool iteration = has(event, STEP_ID) && has(event, ITER_NUM);
    unsigned ends = 0;
    uint64_t key = 0, category = CATEGORY_TPU_LAUNCH;
    if ((event->role == ROLE_ENQUEUE || event->role == ROLE_COMPLETE) && run &&
        has(event, DEVICE_ORDINAL)) {
        key = run_key(event, event->value[DEVICE_ORDINAL], RUN_ID_MASK);
        ends = event->role == ROLE_ENQUEUE ? XPD_FLOW_OUT : XPD_FLOW_IN;
    } else if (event->module && run && plane->process->kind == XPD_PROCESS_TPU) {
        key = run_key(event, (uint64_t)plane->process->device, UINT64_MAX);
        ends = XPD_FLOW_IN;
    } else if ((event->role == ROLE_REQUEST || event->role == ROLE_SERVED) && request) {
        key = mix(mix(2, event->value[REQUEST_ID]), event->value[QUEUE_ADDR]);
        ends = event->role == ROLE_REQUEST ? XPD_FLOW_OUT : XPD_FLOW_IN;
        category = CATEGORY_TPU_STREAM;
    } else if ((event->role == ROLE_EXECUTOR || event->role == ROLE_EXECUTED) && iteration) {
        key = mix(mix(3, event->value[STEP_ID]), event->iter_bits);
        ends = event->role == ROLE_EXECUTOR ? XPD_FLOW_OUT : XPD_FLOW_IN;
        category = CATEGORY_LEGACY;
    }
    if (ends == 0)
        return;
    push_link(scan, event, XPD_LINK_LAUNCH, key, ends, category);
    event->has &= ~(1u << (ends == XPD_FLOW_OUT ? PT : CT));
}

/* Which part of a step of TensorFlow it is; one that does not say of which iteration is none. */
static void set_part(struct xpd_link_root *root, const struct event_stats *event)
{
    root->says_id = has(event, STEP_ID);
    root->loop_id = event->signed_id;
    if (event->role == ROLE_DATA && has(event, STEP_ID))
        root->part = XPD_PART_DATA;
    if (event->role == ROLE_DATA || !has(event, STEP_ID) || !has(event, ITER_NUM))
        return;
    root->part = event->role == ROLE_EXECUTOR        ? XPD_PART_EXECUTOR
                 : event->role == ROLE_NEXT          ? XPD_PART_NEXT
                 : event->role == ROLE_NEXT_OPTIONAL ? XPD_PART_NEXT_OPTIONAL
                                                     : XPD_PART_NONE;
    root->link_id = event->value[STEP_ID];
    root->link_iter = event->iter_bits;
    root->loop_iter = (int64_t)event->value[ITER_NUM];
}

static void push_root(struct scan *scan, const struct plane_scan *plane,
                      const struct event_stats *event)
{
    struct xpd_link_root root = {.iter = INT64_MIN,
                                 .step = INT64_MIN,
                                 .kind = has(event, GRAPH_TYPE) ? event->kind : XPD_NO_NAME,
                                 .group = UINT32_MAX,
                                 .async =
                                     has(event, ASYNC) && event->value[ASYNC] != 0 && !plane->tpu};
    if (event->role == ROLE_LEVEL_1 || event->role == ROLE_LEVEL_2) /* whatever they say */
        root.level = event->role == ROLE_LEVEL_1 ? 1 : 2;
    else if (has(event, ROOT))
        root.level = (int64_t)event->value[ROOT];
    else if (event->role == ROLE_CONTEXT)
        root.level = 1;
    root.is_root = root.level != 0 || has(event, ROOT);
    if (has(event, ITER_NUM))
        root.iter = (int64_t)event->value[ITER_NUM];
    if (has(event, STEP_NUM))
        root.step = (int64_t)event->value[STEP_NUM];
    if (has(event, GROUP_ID) && event->value[GROUP_ID] < UINT32_MAX)
        root.group = (uint32_t)event->value[GROUP_ID];
    root.eager_kernel = event->role == ROLE_EAGER;
    root.is_func = (int8_t)(!has(event, IS_FUNC) ? -1 : event->value[IS_FUNC] != 0);
    set_part(&root, event);
    if (!root.is_root && root.iter == INT64_MIN && root.step == INT64_MIN &&
        root.group == UINT32_MAX && root.kind == XPD_NO_NAME && !root.async &&
        root.part == XPD_PART_NONE && !root.eager_kernel && root.is_func < 0)
        return;
    XPD_PUSH(&scan->links->root, root);
    XPD_PUSH(&scan->root_where, event->where);
}

static void push_context(struct scan *scan, const struct event_stats *event, enum wanted type,
                         enum wanted id, unsigned ends)
{
    if (!has(event, type) || !has(event, id))
        return;
    push_link(scan, event, XPD_LINK_CONTEXT, event->value[id], ends, event->value[type]);
    if (!scan->links->link.failed && (event->is_unsigned >> type & 1))
        scan->links->link.at[scan->links->link.count - 1].group_category = 0;
}

static void push_event(struct scan *scan, const struct plane_scan *plane, struct event_stats *event)
{
    if (has(event, FLOW)) { /* XFlow: direction 2 bits, id 56, category 6 */
        uint64_t flow = event->value[FLOW];
        unsigned ends = ((flow & 1) ? XPD_FLOW_IN : 0) | ((flow & 2) ? XPD_FLOW_OUT : 0);
        push_link(scan, event, XPD_LINK_FLOW, (flow >> 2) & ((UINT64_C(1) << 56) - 1), ends,
                  flow >> 58);
    }
    if (has(event, CORRELATION))
        push_link(scan, event, XPD_LINK_CORRELATION, event->value[CORRELATION],
                  plane->host ? XPD_FLOW_OUT : XPD_FLOW_IN, CATEGORY_GPU_LAUNCH);
    push_launch(scan, plane, event);
    push_context(scan, event, PT, P, XPD_FLOW_OUT);
    push_context(scan, event, CT, C, XPD_FLOW_IN);
    push_root(scan, plane, event);
}

/* These count when they are there, be they no numbers: 0 then. */
#define CONTEXT_STATS (1u << PT | 1u << P | 1u << CT | 1u << C | 1u << CORRELATION | 1u << STEP_ID)
/* The same, and of these an unsigned number is 0 too. */
#define SIGNED_STATS   (1u << ROOT | 1u << STEP_NUM | 1u << ITER_NUM | 1u << PID | 1u << IS_FUNC)
#define NEED_NO_NUMBER (CONTEXT_STATS | SIGNED_STATS | 1u << GRAPH_TYPE)

static struct xpd_str ref_text(const struct scan *scan, const struct plane_scan *plane, uint64_t id)
{
    const struct xpd_plane_tables *tables = &scan->trace->tables[plane->process->plane];
    uint32_t at = xpd_map64_get(&tables->stat_of, id);
    return at == XPD_NO_INDEX ? XPD_STR("")
                              : xpd_intern_get(&scan->trace->names, tables->stat_name[at]);
}

static void read_stat(struct scan *scan, const struct plane_scan *plane,
                      const struct xpd_field *field, struct event_stats *event)
{
    struct xpd_str text = XPD_STR("");
    struct xpd_cursor cursor = xpd_cursor_sub(field);
    struct xpd_field part;
    uint64_t id = 0, value = 0;
    uint32_t type = 0; /* 3 unsigned, 4 signed */
    while (xpd_cursor_next(&cursor, &part)) {
        if (part.number == 1 && part.wire_type == 0)
            id = part.value;
        else if ((part.number == 3 || part.number == 4) && part.wire_type == 0) {
            value = part.value;
            type = part.number;
        } else if (part.number == 5 && part.wire_type == 2) {
            text = (struct xpd_str){(const char *)part.bytes, (size_t)part.size};
        } else if (part.number == 7 && part.wire_type == 0) {
            text = ref_text(scan, plane, part.value);
        }
    }
    for (int i = 0; i < WANTED_COUNT; i++) {
        if (!((plane->known >> i) & 1) || plane->id[i] != id ||
            (type == 0 && !(NEED_NO_NUMBER >> i & 1)))
            continue;
        event->value[i] = type == 3 && (SIGNED_STATS >> i & 1) ? 0 : value;
        event->has |= 1u << i;
        event->is_unsigned |= (uint32_t)(type == 3) << i;
        if (i == ITER_NUM)
            event->iter_bits = value;
        if (i == STEP_ID)
            event->signed_id = type == 4 ? (int64_t)value : 0;
        if (i == PID)
            event->pid = (uint64_t)(uint32_t)event->value[i] + 1;
        if (i == GRAPH_TYPE)
            event->kind = xpd_intern_put(&scan->links->names, text.data, text.size);
        if (i == CORRELATION)
            event->launch = type == 3 ? value : 0;
    }
}

static enum role role_of(const struct scan *scan, const struct plane_scan *plane, uint64_t metadata)
{
    const struct xpd_plane_tables *tables = &scan->trace->tables[plane->process->plane];
    uint32_t at = xpd_map64_get(&tables->event_of, metadata);
    if (at == XPD_NO_INDEX)
        return ROLE_NONE;
    for (size_t i = 0; i < ROLES; i++)
        if (plane->role_name[i] != XPD_NO_NAME && tables->event[at].name == plane->role_name[i])
            return roles[i].role;
    return ROLE_NONE;
}

static void read_event(struct scan *scan, const struct plane_scan *plane, bool module,
                       const uint8_t *bytes, struct xpd_wire_range range)
{
    struct event_stats event = {.where = range.offset, .pid = plane->pid, .module = module};
    struct xpd_cursor cursor;
    struct xpd_field field;
    uint64_t metadata = 0;
    xpd_cursor_init(&cursor, bytes, (size_t)range.size, range.offset);
    while (xpd_cursor_next(&cursor, &field)) {
        if (field.number == 1 && field.wire_type == 0)
            metadata = field.value;
        else if (field.number == 4 && field.wire_type == 2 && plane->known)
            read_stat(scan, plane, &field, &event);
    }
    event.role = plane->tpu ? ROLE_NONE : role_of(scan, plane, metadata);
    if (event.has || event.role != ROLE_NONE)
        push_event(scan, plane, &event);
}

/* Damage inside a line ends the line: the trace has said so already. */
static void read_line(struct scan *scan, const struct plane_scan *plane, struct xpd_window *window,
                      const struct xpd_line *line)
{
    uint64_t end = line->range.offset + line->range.size;
    struct xpd_str name = xpd_intern_get(&scan->trace->space->names, line->name);
    bool module = xpd_str_eq(name, XPD_STR("XLA Modules"));
    uint32_t number = 0;
    uint8_t type = 0;
    uint64_t value = 0;
    struct xpd_wire_range payload;
    window->offset = line->range.offset;
    while (window->offset < end &&
           xpd_window_field(window, end, &number, &type, &value, &payload, NULL) == XPD_OK &&
           number != 0) {
        if (type != 2)
            continue;
        const uint8_t *bytes;
        if (number == 4 && payload.size <= XPD_WINDOW_BYTES &&
            xpd_window_peek(window, payload.offset, (size_t)payload.size, &bytes, NULL) == XPD_OK)
            read_event(scan, plane, module, bytes, payload);
        window->offset = payload.offset + payload.size;
    }
}

/* Planes of other processes than the host's own say so. */
static uint64_t pid_of(const struct xpd_xspace *space, const struct xpd_plane *plane)
{
    for (uint32_t i = 0; i < plane->stat_count; i++) {
        const struct xpd_stat *stat = &plane->stat[i];
        bool number = xpd_stat_is_integer(stat->type);
        int64_t pid = number ? stat->integer : 0;
        if (xpd_str_eq(xpd_intern_get(&space->names, stat->name), XPD_STR("process_id")))
            return (uint64_t)(uint32_t)pid + 1;
    }
    return 0;
}

static void plane_init(struct plane_scan *plane, const struct xpd_trace *trace,
                       const struct xpd_trace_process *process, uint32_t space_plane)
{
    *plane = (struct plane_scan){.process = process,
                                 .host = process->kind == XPD_PROCESS_HOST,
                                 .tpu = xpd_process_is_tpu(process->kind),
                                 .pid = pid_of(trace->space, &trace->space->plane[space_plane])};
    const struct xpd_plane_tables *tables = &trace->tables[space_plane];
    for (int i = 0; i < WANTED_COUNT; i++)
        if (xpd_plane_stat_id(tables, &trace->names, xpd_str_of(wanted_name[i]), &plane->id[i]))
            plane->known |= 1u << i;
    plane->wanted = plane->known != 0;
    for (size_t i = 0; i < ROLES; i++) {
        plane->role_name[i] = xpd_intern_find(&trace->names, xpd_str_of(roles[i].name));
        plane->wanted |= !plane->tpu && plane->role_name[i] != XPD_NO_NAME;
    }
}

/* XProf's planes of hosts and of devices, shown or not: those that it groups. */
static bool is_grouped_plane(struct xpd_str name)
{
    static const char *const hosts[] = {"/host:CPU",      "Host CPUs", "/host:tfstreamz",
                                        "/host:metadata", "Syscalls",  "/host:python-tracer",
                                        "/host:CUPTI"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        if (xpd_str_eq(name, xpd_str_of(hosts[i])))
            return true;
    return xpd_str_starts(name, "/device") || xpd_str_starts(name, "#Chip");
}

/* Tables of planes without events were not read with the trace. */
static bool plane_knows_groups(const struct xpd_trace *trace, uint32_t plane)
{
    const struct xpd_plane *at = &trace->space->plane[plane];
    uint64_t id;
    if (at->event_count > 0)
        return xpd_plane_stat_id(&trace->tables[plane], &trace->names, XPD_STR("group_id"), &id);
    struct xpd_plane_tables tables = {0};
    struct xpd_intern names;
    struct xpd_arena arena;
    struct xpd_warnings warnings = {.arena = &arena};
    xpd_arena_init(&arena, 0);
    xpd_intern_init(&names, &arena);
    bool knows = xpd_plane_tables_load(&tables, trace->source, at, &names, &arena, &warnings,
                                       NULL) == XPD_OK &&
                 xpd_plane_stat_id(&tables, &names, XPD_STR("group_id"), &id);
    xpd_plane_tables_fini(&tables);
    xpd_intern_fini(&names);
    xpd_arena_fini(&arena);
    return knows;
}

/* Planes with events first: mostly one of them does not. */
static bool all_know_groups(const struct xpd_trace *trace)
{
    bool any = false;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t p = 0; p < trace->space->plane_count; p++) {
            const struct xpd_plane *plane = &trace->space->plane[p];
            if ((plane->event_count == 0) != (pass == 1) ||
                !is_grouped_plane(xpd_intern_get(&trace->space->names, plane->name)))
                continue;
            if (!plane_knows_groups(trace, p))
                return false;
            any = true;
        }
    return any;
}

static void read_plane(struct scan *scan, struct xpd_window *window,
                       const struct xpd_trace_process *process, uint32_t space_plane)
{
    const struct xpd_plane *of = &scan->trace->space->plane[space_plane];
    struct plane_scan plane;
    plane_init(&plane, scan->trace, process, space_plane);
    for (uint32_t l = 0; plane.wanted && l < of->line_count; l++)
        read_line(scan, &plane, window, &of->line[l]);
}

/* Process by process, each with all planes of its name. */
static int read_planes(struct scan *scan, struct xpd_err *err)
{
    const struct xpd_trace *trace = scan->trace;
    struct xpd_window window;
    struct xpd_plane_chain chain;
    int rc = xpd_window_init(&window, trace->source, err);
    if (rc != XPD_OK)
        return rc;
    if (!xpd_plane_chain_init(&chain, trace->space))
        rc = xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET, "no memory for %u planes",
                      trace->space->plane_count);
    for (uint32_t i = 0; rc == XPD_OK && i < trace->process_count; i++) {
        const struct xpd_trace_process *process = &trace->process[i];
        if (process->kind == XPD_PROCESS_OTHER)
            continue;
        xpd_name_id name = trace->space->plane[process->plane].name;
        for (uint32_t p = xpd_plane_chain_first(&chain, name); p != XPD_NO_INDEX; p = chain.next[p])
            read_plane(scan, &window, process, p);
    }
    xpd_plane_chain_fini(&chain);
    xpd_window_fini(&window);
    return rc;
}

int xpd_links_scan(struct xpd_links *links, const struct xpd_trace *trace, struct xpd_err *err)
{
    *links = (struct xpd_links){0};
    struct scan scan = {.links = links, .trace = trace};
    xpd_arena_init(&links->arena, 0);
    xpd_intern_init(&links->names, &links->arena);
    links->grouped = all_know_groups(trace);
    int rc = read_planes(&scan, err);
    if (rc == XPD_OK && (links->link.failed || links->root.failed || links->names.failed ||
                         scan.link_where.failed || scan.root_where.failed))
        rc = xpd_fail(err, XPD_ENOMEM, NULL, XPD_NO_OFFSET,
                      "no memory for the links between events");
    if (rc == XPD_OK)
        rc = xpd_links_find(links, trace, scan.link_where.at, scan.root_where.at, err);
    XPD_VEC_FINI(&scan.link_where);
    XPD_VEC_FINI(&scan.root_where);
    if (rc != XPD_OK)
        xpd_links_fini(links);
    return rc;
}

void xpd_links_fini(struct xpd_links *links)
{
    XPD_VEC_FINI(&links->link);
    XPD_VEC_FINI(&links->root);
    xpd_intern_fini(&links->names);
    xpd_arena_fini(&links->arena);
}
