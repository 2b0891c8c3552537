/* Links from one event to others. An event is found in the trace by its file offset; links_scan.c
 * selects the events to read. */
#include "links.h"
#include "links_read.h"
#include "xprofd/base/bisect.h"
#include "xprofd/base/radix.h"
#include "xprofd/base/threads.h"

#include <sys/mman.h>

/* From the bytes of events to their numbers in the trace; what lies in no row is dropped. Events of
 * a depth mostly stand in the file in the order of time, so each is looked for a little behind the
 * one before. */

struct finding {
    struct xpd_links *links;
    const struct xpd_trace *trace;
    const uint64_t *link_where, *root_where; /* ascending; those of one event beside each other */
    const uint32_t *root;                    /* by place: the number of the root */
};

/* The first place that is not before `where`; `near` is where the event before was found. */
static size_t seek(const uint64_t *place, size_t count, size_t near, uint64_t where)
{
    size_t low = near, high = count;
    if (near > 0 && place[near - 1] >= where) {
        low = 0;
        high = near;
    } else {
        for (size_t step = 1; low < high; step *= 2) {
            size_t at = high - low > step ? low + step - 1 : high - 1;
            if (place[at] >= where) {
                high = at;
                break;
            }
            low = at + 1;
        }
    }
    XPD_BISECT(low, high, middle, place[middle] < where);
    return low;
}

/* The links of a depth get its numbers: no other depth has the same events. */
static void name_depth(void *context, uint32_t number, uint32_t thread)
{
    const struct finding *finding = context;
    const struct xpd_depth *depth = &finding->trace->depth[number];
    struct xpd_links *links = finding->links;
    const uint64_t *link = finding->link_where, *root = finding->root_where;
    size_t l = 0, r = 0;
    (void)thread;
    for (uint32_t i = 0; depth->where_low && i < depth->count; i++) {
        uint64_t where = xpd_depth_where(depth, i), event = depth->first_event + i;
        l = seek(link, links->link.count, l, where);
        r = seek(root, links->root.count, r, where);
        for (; l < links->link.count && link[l] == where; l++)
            links->link.at[l].event = event & XPD_LINK_NOWHERE;
        for (; r < links->root.count && root[r] == where; r++)
            links->root.at[finding->root[r]].event = event;
    }
}

/* Entries whose event is in no row go. */
static void drop_lost(struct xpd_links *links)
{
    size_t kept = 0;
    for (size_t i = 0; i < links->link.count; i++)
        if (links->link.at[i].event != XPD_LINK_NOWHERE)
            links->link.at[kept++] = links->link.at[i];
    links->link.count = kept;
    kept = 0;
    for (size_t i = 0; i < links->root.count; i++)
        if (links->root.at[i].event != UINT64_MAX)
            links->root.at[kept++] = links->root.at[i];
    links->root.count = kept;
}

int xpd_links_find(struct xpd_links *links, const struct xpd_trace *trace,
                   const uint64_t *link_where, uint64_t *root_where, struct xpd_err *err)
{
    size_t roots = links->root.count;
    uint32_t *root = malloc((roots + 1) * sizeof *root);
    for (size_t i = 0; i < links->link.count; i++)
        links->link.at[i].event = XPD_LINK_NOWHERE;
    for (size_t i = 0; root && i < roots; i++) {
        links->root.at[i].event = UINT64_MAX;
        root[i] = (uint32_t)i;
    }
    bool fine = root && roots < UINT32_MAX && xpd_radix_sort_u64(root_where, root, (uint32_t)roots);
    if (fine && links->link.count + roots > 0) {
        struct finding finding = {links, trace, link_where, root_where, root};
        xpd_threads_each(0, trace->depth_count, name_depth, &finding);
        drop_lost(links);
    }
    free(root);
    return fine ? XPD_OK
                : xpd_no_memory(err, NULL, "for the links between %zu events", links->link.count);
}

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
             {"EagerExecute", ROLE_EAGER}};
#define ROLES (sizeof roles / sizeof *roles)

#define CATEGORY_LEGACY     1
#define CATEGORY_GPU_LAUNCH 9
#define CATEGORY_TPU_STREAM 11
#define CATEGORY_TPU_LAUNCH 12
#define RUN_ID_MASK         0x7ffffffu /* XProf compares the low 27 bits */

static bool has(const struct xpd_link_stats *event, enum wanted what)
{
    return (event->has >> what) & 1;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
    hash *= 0xff51afd7ed558ccdu;
    return hash ^ (hash >> 32);
}

/* Room for one more; NULL: no memory, which the scan remembers. */
static struct xpd_link *new_link(struct xpd_link_scan *scan, uint64_t where)
{
    struct xpd_link_block *block = scan->last;
    if (!block || block->count == XPD_LINKS_OF_BLOCK) {
        block =
            mmap(NULL, sizeof *block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED) {
            scan->failed = true;
            return NULL;
        }
        *(scan->last ? &scan->last->next : &scan->first) = block;
        scan->last = block;
    }
    block->where[block->count] = where;
    scan->link_count++;
    return &block->link[block->count++];
}

static struct xpd_link *push_link(struct xpd_link_scan *scan, const struct xpd_link_stats *event,
                                  enum xpd_link_kind kind, uint64_t key, unsigned ends,
                                  uint64_t category)
{
    struct xpd_link *link = new_link(scan, event->where);
    if (category > 63)
        category = 0;
    if (link)
        *link =
            (struct xpd_link){.key = key,
                              .pid = event->pid > 0 ? (uint32_t)(event->pid - 1) : 0,
                              .has_pid = event->pid > 0,
                              .kind = kind,
                              .no_flow_key = kind == XPD_LINK_CORRELATION && event->launch != key,
                              .ends = ends & 3,
                              .async = has(event, ASYNC),
                              .group_category = category & 63,
                              .category = category & 63};
    return link;
}

static uint64_t run_key(const struct xpd_link_stats *event, uint64_t device, uint64_t mask)
{
    uint64_t key = mix(mix(1, device), event->value[QUEUE_ID]);
    return mix(mix(key, event->value[RUN_ID] & mask), event->value[CORE_TYPE]);
}

/* Programs: the host enqueues a run, the module runs on the device, the host hears of its end.
 * Requests: put into a queue, then served. TensorFlow's executor, and what it runs. XProf gives
 * these events their context anew: what they say of that end themselves is gone. */
static void push_launch(struct xpd_link_scan *scan, const struct xpd_link_plane *plane,
                        struct xpd_link_stats *event)
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
static void set_part(struct xpd_link_root *root, const struct xpd_link_stats *event)
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

static void push_root(struct xpd_link_scan *scan, const struct xpd_link_plane *plane,
                      const struct xpd_link_stats *event)
{
    struct xpd_link_root root = {.iter = INT64_MIN,
                                 .step = INT64_MIN,
                                 .kind = has(event, GRAPH_TYPE) ? event->kind : XPD_NO_NAME,
                                 .group = UINT32_MAX,
                                 .async =
                                     has(event, ASYNC) && event->value[ASYNC] != 0 && !plane->tpu};
    if (event->role == ROLE_LEVEL_1 || event->role == ROLE_LEVEL_2) /* regardless of their stats */
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
    root.is_eager_run = event->role == ROLE_EAGER;
    root.is_func = (int8_t)(!has(event, IS_FUNC) ? -1 : event->value[IS_FUNC] != 0);
    set_part(&root, event);
    if (!root.is_root && root.iter == INT64_MIN && root.step == INT64_MIN &&
        root.group == UINT32_MAX && root.kind == XPD_NO_NAME && !root.async &&
        root.part == XPD_PART_NONE && !root.is_eager_run && root.is_func < 0)
        return;
    XPD_PUSH(&scan->root, root);
    XPD_PUSH(&scan->root_where, event->where);
}

static void push_context(struct xpd_link_scan *scan, const struct xpd_link_stats *event,
                         enum wanted type, enum wanted id, unsigned ends)
{
    if (!has(event, type) || !has(event, id))
        return;
    struct xpd_link *link =
        push_link(scan, event, XPD_LINK_CONTEXT, event->value[id], ends, event->value[type]);
    if (link && (event->is_unsigned >> type & 1))
        link->group_category = 0;
}

static void push_event(struct xpd_link_scan *scan, const struct xpd_link_plane *plane,
                       struct xpd_link_stats *event)
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

static xpd_name_id put_text(struct xpd_link_scan *scan, const struct xpd_link_plane *plane,
                            const struct xpd_said *said)
{
    const struct xpd_plane_tables *tables = &scan->trace->tables[plane->process->plane];
    struct xpd_str text = xpd_said_text(said, tables, &scan->trace->names);
    pthread_mutex_lock(scan->names_lock);
    xpd_name_id id = xpd_intern_put(&scan->links->names, text.data, text.size);
    pthread_mutex_unlock(scan->names_lock);
    return id;
}

/* A value of one of the wanted stats: unsigned, signed, or no number. */
static void take(struct xpd_link_scan *scan, const struct xpd_link_plane *plane, enum wanted what,
                 const struct xpd_said *said, struct xpd_link_stats *event)
{
    bool is_unsigned = said->field == XPD_SAID_UINT, is_signed = said->field == XPD_SAID_INT;
    uint64_t value = is_unsigned || is_signed ? said->value : 0;
    if (!is_unsigned && !is_signed && !(NEED_NO_NUMBER >> what & 1))
        return;
    if (event->has == 0)
        memset(event->value, 0, sizeof event->value);
    event->value[what] = is_unsigned && (SIGNED_STATS >> what & 1) ? 0 : value;
    event->has |= 1u << what;
    event->is_unsigned |= (uint32_t)is_unsigned << what;
    switch (what) {
    case ITER_NUM: event->iter_bits = value; break;
    case STEP_ID: event->signed_id = is_signed ? (int64_t)value : 0; break;
    case PID: event->pid = (uint64_t)(uint32_t)event->value[PID] + 1; break;
    case GRAPH_TYPE: event->kind = put_text(scan, plane, said); break;
    case CORRELATION: event->launch = is_unsigned ? value : 0; break;
    default: break;
    }
}

static void begin_event(struct xpd_link_stats *event, const struct xpd_link_plane *plane,
                        bool module, uint64_t where)
{
    event->where = where;
    event->pid = plane->pid;
    event->kind = 0;
    event->launch = event->iter_bits = 0;
    event->signed_id = 0;
    event->has = event->is_unsigned = 0;
    event->module = module;
}

void xpd_link_read_event(struct xpd_link_scan *scan, const struct xpd_link_plane *plane,
                         bool module, const struct xpd_event_said *said)
{
    struct xpd_link_stats event; /* its values are set where `has` says so */
    begin_event(&event, plane, module, said->range.offset);
    for (uint32_t left = said->has; left != 0; left &= left - 1) {
        unsigned what = (unsigned)__builtin_ctz(left);
        take(scan, plane, (enum wanted)what, &said->stat[what], &event);
    }
    uint32_t role = xpd_map64_get(&plane->role_of, said->metadata);
    event.role = role == XPD_NO_INDEX ? ROLE_NONE : (enum role)role;
    if (event.has || event.role != ROLE_NONE)
        push_event(scan, plane, &event);
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

/* Which metadata have a role: few, so that most events are told by a look into a small table. */
static void find_roles(struct xpd_link_plane *plane, const struct xpd_trace *trace)
{
    const struct xpd_plane_tables *tables = &trace->tables[plane->process->plane];
    xpd_name_id name[ROLES];
    bool any = false;
    for (size_t i = 0; i < ROLES; i++) {
        name[i] = xpd_intern_find(&trace->names, xpd_str_of(roles[i].name));
        any |= name[i] != XPD_NO_NAME;
    }
    for (uint32_t at = 0; any && at < tables->event_count; at++)
        for (size_t i = 0; i < ROLES; i++)
            if (tables->event[at].name == name[i] && name[i] != XPD_NO_NAME &&
                xpd_map64_get(&tables->event_of, tables->event[at].id) == at) {
                xpd_map64_put(&plane->role_of, tables->event[at].id, roles[i].role);
                break;
            }
}

bool xpd_link_plane_init(struct xpd_link_plane *plane, const struct xpd_trace *trace,
                         const struct xpd_trace_process *process, uint32_t space_plane)
{
    *plane =
        (struct xpd_link_plane){.process = process,
                                .host = process->kind == XPD_PROCESS_HOST,
                                .tpu = xpd_process_is_tpu(process->kind),
                                .pid = pid_of(trace->space, &trace->space->plane[space_plane])};
    xpd_stat_ids_init(&plane->ids, &trace->tables[space_plane], &trace->names, wanted_name,
                      WANTED_COUNT);
    if (!plane->tpu)
        find_roles(plane, trace);
    return !plane->role_of.failed;
}

void xpd_link_plane_fini(struct xpd_link_plane *plane)
{
    xpd_map64_fini(&plane->role_of);
}
