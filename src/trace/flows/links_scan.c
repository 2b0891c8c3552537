/* The pass over the events' stats: the lines of all planes that know such stats, by several
 * threads. Each thread takes lines in the order of the file and keeps what it finds; at the end
 * links are put in that order and roots in the order of the processes, so that the result is the
 * same with any number of threads. */
#include "links_read.h"
#include "xprofd/base/order.h"
#include "xprofd/base/threads.h"

#include <sys/mman.h>

struct job { /* one line */
    const struct xpd_link_plane *plane;
    const struct xpd_line *line;
    uint32_t turn;   /* in the order of the processes */
    uint32_t thread; /* who did it, how many links it found, which of the thread's roots are its */
    size_t link_count, root, root_end;
};

struct pass {
    const struct xpd_trace *trace;
    struct xpd_link_plane *plane; /* those wanted; never moved */
    uint32_t plane_count;
    XPD_VEC(struct job) job;
    struct worker {
        struct xpd_link_scan scan;
        struct xpd_window window;
    } worker[XPD_THREADS_MAX];
    pthread_mutex_t names_lock;
};

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

/* ---- one line ---- */

struct reading {
    struct xpd_link_scan *scan;
    const struct xpd_link_plane *plane;
    bool module;
};

/* Damage inside a line ends the line: the trace has already reported it. */
static bool read_event(void *user, const struct xpd_event_said *event)
{
    const struct reading *reading = user;
    xpd_link_read_event(reading->scan, reading->plane, reading->module, event);
    return true;
}

static void read_line(void *context, uint32_t number, uint32_t thread)
{
    struct pass *pass = context;
    struct job *job = &pass->job.at[number];
    struct xpd_link_scan *scan = &pass->worker[thread].scan;
    struct xpd_str name = xpd_intern_get(&scan->trace->space->names, job->line->name);
    struct reading reading = {scan, job->plane, xpd_str_eq(name, XPD_STR("XLA Modules"))};
    job->thread = thread;
    job->link_count = scan->link_count;
    job->root = scan->root.count;
    xpd_line_each_event(&pass->worker[thread].window, job->line, &job->plane->ids, read_event,
                        &reading);
    job->link_count = scan->link_count - job->link_count;
    job->root_end = scan->root.count;
}

/* ---- planes of one name ---- */

/* Made from the last plane to the first, so that each chain is in the order of the file. */
bool xpd_plane_chain_init(struct xpd_plane_chain *chain, const struct xpd_xspace *space)
{
    *chain = (struct xpd_plane_chain){
        .next = malloc(((size_t)space->plane_count + 1) * sizeof *chain->next)};
    for (uint32_t p = space->plane_count; chain->next && p-- > 0;)
        chain->next[p] = xpd_map64_put(&chain->first, space->plane[p].name, p);
    return chain->next && !chain->first.failed;
}

uint32_t xpd_plane_chain_first(const struct xpd_plane_chain *chain, xpd_name_id name)
{
    return xpd_map64_get(&chain->first, name);
}

void xpd_plane_chain_fini(struct xpd_plane_chain *chain)
{
    xpd_map64_fini(&chain->first);
    free(chain->next);
    chain->next = NULL;
}

/* ---- all samples ---- */

static bool add_plane(struct pass *pass, const struct xpd_trace_process *process,
                      uint32_t space_plane)
{
    const struct xpd_plane *of = &pass->trace->space->plane[space_plane];
    struct xpd_link_plane *plane = &pass->plane[pass->plane_count++];
    if (!xpd_link_plane_init(plane, pass->trace, process, space_plane))
        return false;
    for (uint32_t l = 0; xpd_link_plane_wanted(plane) && l < of->line_count; l++) {
        struct job job = {.plane = plane, .line = &of->line[l], .turn = (uint32_t)pass->job.count};
        if (of->line[l].event_count > 0)
            XPD_PUSH(&pass->job, job);
    }
    return !pass->job.failed;
}

static int by_place(const void *a, const void *b)
{
    const struct job *x = a, *y = b;
    return XPD_ORDER(x->line->range.offset, y->line->range.offset);
}

static int by_turn(const void *a, const void *b)
{
    const struct job *x = a, *y = b;
    return XPD_ORDER(x->turn, y->turn);
}

static void order_jobs(struct pass *pass, int (*order)(const void *, const void *))
{
    if (pass->job.count > 1)
        qsort(pass->job.at, pass->job.count, sizeof *pass->job.at, order);
}

/* Process by process, each with all planes of its name; read in the order of the file. */
static bool plan(struct pass *pass)
{
    const struct xpd_trace *trace = pass->trace;
    struct xpd_plane_chain chain;
    bool fine = xpd_plane_chain_init(&chain, trace->space);
    for (uint32_t i = 0; fine && i < trace->process_count; i++) {
        const struct xpd_trace_process *process = &trace->process[i];
        if (process->kind == XPD_PROCESS_OTHER)
            continue;
        xpd_name_id name = trace->space->plane[process->plane].name;
        for (uint32_t p = xpd_plane_chain_first(&chain, name); fine && p != XPD_NO_INDEX;
             p = chain.next[p])
            fine = add_plane(pass, process, p);
    }
    xpd_plane_chain_fini(&chain);
    order_jobs(pass, by_place);
    return fine;
}

struct found { /* what the threads found, put together; with the places of the events */
    struct xpd_links *links;
    uint64_t *link_where, *root_where;
};

/* Moves the next links of a thread; its blocks are given back as they get empty. */
static void take_links(struct found *found, struct xpd_link_scan *scan, size_t *taken, size_t count)
{
    while (count > 0) {
        struct xpd_link_block *block = scan->first;
        size_t left = block->count - *taken, some = count < left ? count : left;
        size_t to = found->links->link.count;
        memcpy(found->links->link.at + to, block->link + *taken, some * sizeof *block->link);
        memcpy(found->link_where + to, block->where + *taken, some * sizeof *block->where);
        found->links->link.count += some;
        count -= some;
        *taken += some;
        if (*taken == block->count) {
            scan->first = block->next;
            (void)munmap(block, sizeof *block);
            *taken = 0;
        }
    }
}

static bool make_room(struct found *found, const struct pass *pass)
{
    struct xpd_links *links = found->links;
    for (uint32_t t = 0; t < XPD_THREADS_MAX; t++) {
        links->link.capacity += pass->worker[t].scan.link_count;
        links->root.capacity += pass->worker[t].scan.root.count;
    }
    links->link.at = malloc((links->link.capacity + 1) * sizeof *links->link.at);
    links->root.at = malloc((links->root.capacity + 1) * sizeof *links->root.at);
    found->link_where = malloc((links->link.capacity + 1) * sizeof *found->link_where);
    found->root_where = malloc((links->root.capacity + 1) * sizeof *found->root_where);
    return links->link.at && links->root.at && found->link_where && found->root_where;
}

/* The jobs are in the order of the file, and so each thread's blocks. */
static bool gather(struct found *found, struct pass *pass)
{
    struct xpd_links *links = found->links;
    size_t taken[XPD_THREADS_MAX] = {0};
    if (!make_room(found, pass))
        return false;
    for (size_t i = 0; i < pass->job.count; i++) {
        const struct job *job = &pass->job.at[i];
        take_links(found, &pass->worker[job->thread].scan, &taken[job->thread], job->link_count);
    }
    order_jobs(pass, by_turn);
    for (size_t i = 0; i < pass->job.count; i++) {
        const struct job *job = &pass->job.at[i];
        const struct xpd_link_scan *from = &pass->worker[job->thread].scan;
        for (size_t k = job->root; k < job->root_end; k++) {
            found->root_where[links->root.count] = from->root_where.at[k];
            links->root.at[links->root.count++] = from->root.at[k];
        }
    }
    return true;
}

static void free_found(struct pass *pass)
{
    for (uint32_t t = 0; t < XPD_THREADS_MAX; t++) {
        struct xpd_link_scan *scan = &pass->worker[t].scan;
        for (struct xpd_link_block *next, *block = scan->first; block; block = next) {
            next = block->next;
            (void)munmap(block, sizeof *block);
        }
        XPD_VEC_FINI(&scan->root);
        XPD_VEC_FINI(&scan->root_where);
    }
}

static int run(struct pass *pass, struct xpd_links *links, uint32_t threads, struct xpd_err *err)
{
    uint32_t count = (uint32_t)pass->job.count;
    bool failed = false;
    int rc = XPD_OK;
    threads = threads < count ? threads : count;
    for (uint32_t t = 0; t < threads && rc == XPD_OK; t++) {
        struct worker *worker = &pass->worker[t];
        worker->scan = (struct xpd_link_scan){
            .links = links, .names_lock = &pass->names_lock, .trace = pass->trace};
        rc = xpd_window_init(&worker->window, pass->trace->source, err);
    }
    if (rc == XPD_OK)
        xpd_threads_each(threads, count, read_line, pass);
    for (uint32_t t = 0; t < threads; t++) {
        const struct xpd_link_scan *scan = &pass->worker[t].scan;
        failed |= scan->failed || scan->root.failed || scan->root_where.failed;
        xpd_window_fini(&pass->worker[t].window);
    }
    if (rc == XPD_OK && (failed || links->names.failed))
        rc = xpd_no_memory(err, NULL, "for the links between events");
    return rc;
}

int xpd_links_scan(struct xpd_links *links, const struct xpd_trace *trace, struct xpd_err *err)
{
    struct pass pass = {.trace = trace, .names_lock = PTHREAD_MUTEX_INITIALIZER};
    struct found found = {.links = links};
    struct xpd_err problem = {0};
    uint32_t threads = xpd_threads_count(0);
    *links = (struct xpd_links){0};
    xpd_arena_init(&links->arena, 0);
    xpd_intern_init(&links->names, &links->arena);
    links->grouped = all_know_groups(trace);
    pass.plane = calloc((size_t)trace->space->plane_count + 1, sizeof *pass.plane);
    int rc = XPD_OK;
    if (!pass.plane || !plan(&pass))
        rc = xpd_no_memory(&problem, NULL, "for %u planes", trace->space->plane_count);
    if (rc == XPD_OK)
        rc = run(&pass, links, threads, &problem);
    if (rc == XPD_OK && !gather(&found, &pass))
        rc = xpd_no_memory(&problem, NULL, "for the links between events");
    free_found(&pass);
    if (rc == XPD_OK)
        rc = xpd_links_find(links, trace, found.link_where, found.root_where, &problem);
    free(found.link_where);
    free(found.root_where);
    for (uint32_t i = 0; pass.plane && i < pass.plane_count; i++)
        xpd_link_plane_fini(&pass.plane[i]);
    free(pass.plane);
    XPD_VEC_FINI(&pass.job);
    pthread_mutex_destroy(&pass.names_lock);
    if (rc != XPD_OK) {
        xpd_links_fini(links);
        if (err)
            *err = problem;
    }
    return rc;
}

void xpd_links_fini(struct xpd_links *links)
{
    XPD_VEC_FINI(&links->link);
    XPD_VEC_FINI(&links->root);
    xpd_intern_fini(&links->names);
    xpd_arena_fini(&links->arena);
}
