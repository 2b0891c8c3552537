/* From the events of steps to the steps of a run: see opstats_steps.h. */
#include "opstats.h"
#include "step_events.h"
#include "tpu_step.h"

#include <stdlib.h>

struct making {
    const struct xpd_tool_ctx *ctx;
    struct xpd_arena *arena;
    struct xpd_xprof_steps *out; /* of one host */
    struct xpd_file_host host;
    uint32_t number; /* of the host */
    struct xpd_step_map map, threads;
    struct xpd_arena scratch; /* the events of one plane */
};

static int no_room(struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, "host", XPD_NO_OFFSET,
                    "the steps of this run do not fit the memory of a request");
}

/* ---- which kind of time each instant is ---- */

struct edge {
    uint64_t at_ps;
    uint8_t kind;
    bool starts;
};

static int by_time(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->at_ps != y->at_ps)
        return x->at_ps < y->at_ps ? -1 : 1;
    if (x->starts != y->starts)
        return x->starts ? 1 : -1; /* ends first */
    return (int)y->kind - (int)x->kind;
}

struct priorities {
    int64_t open[XPD_STEP_KINDS];
    uint8_t highest;
};

/* The most important kind open after this edge. */
static uint8_t pass(struct priorities *p, const struct edge *edge)
{
    if (edge->starts) {
        p->open[edge->kind]++;
        p->highest = edge->kind > p->highest ? edge->kind : p->highest;
    } else if (--p->open[edge->kind] == 0 && edge->kind == p->highest) {
        while (p->highest > 0 && p->open[p->highest] <= 0)
            p->highest--;
    }
    return p->highest;
}

struct tally {
    struct xpd_xprof_step_span step;
    uint64_t kind_ps[XPD_STEP_KINDS], all_ps; /* within the step */
    bool has[XPD_STEP_KINDS];
    uint64_t compute_32_ps, compute_16_ps; /* wherever */
};

static void count_piece(struct tally *tally, uint8_t kind, uint64_t begin_ps, uint64_t end_ps)
{
    uint64_t low = begin_ps > tally->step.begin_ps ? begin_ps : tally->step.begin_ps;
    uint64_t high = end_ps < tally->step.end_ps ? end_ps : tally->step.end_ps;
    uint64_t inside_ps = low < high ? high - low : 0;
    tally->has[kind] = true;
    tally->kind_ps[kind] += inside_ps;
    tally->all_ps += inside_ps;
    if (kind == XPD_STEP_COMPUTE_32)
        tally->compute_32_ps += end_ps - begin_ps;
    if (kind == XPD_STEP_COMPUTE_16)
        tally->compute_16_ps += end_ps - begin_ps;
}

static bool divide_time(struct tally *tally, const struct xpd_step_part *part, size_t count)
{
    struct edge *edge = malloc((2 * count + 1) * sizeof *edge);
    struct priorities priorities = {.highest = XPD_STEP_UNKNOWN};
    if (!edge)
        return false;
    for (size_t i = 0; i < count; i++) {
        edge[2 * i] = (struct edge){part[i].span.begin_ps, part[i].kind, true};
        edge[2 * i + 1] = (struct edge){part[i].span.end_ps, part[i].kind, false};
    }
    if (count)
        qsort(edge, 2 * count, sizeof *edge, by_time);
    for (size_t i = 0; i + 1 < 2 * count; i++)
        count_piece(tally, pass(&priorities, &edge[i]), edge[i].at_ps, edge[i + 1].at_ps);
    free(edge);
    return true;
}

bool xpd_step_divide(const struct xpd_step_part *part, size_t count,
                     uint64_t kind_ps[XPD_STEP_KINDS])
{
    struct tally tally = {.step = {0, UINT64_MAX}};
    bool fine = divide_time(&tally, part, count);
    memcpy(kind_ps, tally.kind_ps, sizeof tally.kind_ps);
    return fine;
}

/* ---- one step ---- */

/* False without memory; no core where XProf takes it for no step. */
static bool make_plain(struct making *m, const struct xpd_step_events *events,
                       struct xpd_xprof_step *step)
{
    struct tally tally = {.step = xpd_step_time(events)};
    uint64_t step_ps = xpd_step_length(tally.step);
    if (!divide_time(&tally, events->part.at, events->part.count))
        return false;
    m->out->compute_32_ps += tally.compute_32_ps;
    m->out->compute_16_ps += tally.compute_16_ps;
    if (tally.all_ps < step_ps)
        tally.kind_ps[XPD_STEP_UNKNOWN] += step_ps - tally.all_ps;
    bool whole = m->out->hardware == XPD_STEP_ON_CPU
                     ? tally.has[XPD_STEP_HOST_COMPUTE]
                     : tally.has[XPD_STEP_COMPUTE_16] || tally.has[XPD_STEP_COMPUTE_32];
    if (!whole || step_ps == 0)
        return true;
    step->core = XPD_NEW(m->arena, struct xpd_step_core);
    if (!step->core)
        return false;
    step->core_count = 1;
    *step->core = (struct xpd_step_core){.core = XPD_STEP_GPU_CORE,
                                         .number = step->number,
                                         .group = events->group,
                                         .name = xpd_arena_str(m->arena, events->name),
                                         .begin_ps = tally.step.begin_ps,
                                         .duration_ps = step_ps};
    memcpy(step->core->kind_ps, tally.kind_ps, sizeof tally.kind_ps);
    return true;
}

static int by_core(const void *a, const void *b)
{
    uint32_t x = ((const struct xpd_step_core *)a)->core,
             y = ((const struct xpd_step_core *)b)->core;
    return (x > y) - (x < y);
}

/* The step's time on this core that no operation takes is idle. */
static bool make_core(struct making *m, const struct xpd_step_events *events,
                      const struct xpd_step_on_core *on, struct xpd_step_core *core)
{
    struct xpd_xprof_step_span time = xpd_step_time(events);
    uint64_t busy_ps = 0;
    if (on->core >= XPD_STEP_SPARSE_CORE && xpd_step_length(on->mark) > 0)
        time = on->mark;
    *core = (struct xpd_step_core){.core = on->core,
                                   .number = (uint32_t)events->group,
                                   .group = events->group,
                                   .name = xpd_arena_str(m->arena, events->name),
                                   .begin_ps = time.begin_ps,
                                   .duration_ps = xpd_step_length(time)};
    core->category = XPD_NEW_ARRAY(m->arena, struct xpd_step_category, on->category.count + 2);
    if (!core->category)
        return false;
    for (size_t i = 0; i < on->category.count; i++) {
        core->category[core->category_count++] = on->category.at[i];
        busy_ps += on->category.at[i].self_ps;
    }
    uint64_t idle_ps = core->duration_ps > busy_ps ? core->duration_ps - busy_ps : 0;
    core->category[core->category_count++] = (struct xpd_step_category){XPD_STR("IDLE"), idle_ps};
    return true;
}

static bool make_tpu(struct making *m, const struct xpd_step_events *events,
                     struct xpd_xprof_step *step)
{
    step->core = XPD_NEW_ARRAY(m->arena, struct xpd_step_core, events->core.count);
    step->reduce = XPD_COPY_VEC(m->arena, &events->reduce);
    if (!step->core || !step->reduce)
        return false;
    if (xpd_step_length(xpd_step_time(events)) == 0)
        return true;
    step->reduce_count = (uint32_t)events->reduce.count;
    for (size_t i = 0; i < events->core.count; i++)
        if (events->core.at[i].ran &&
            !make_core(m, events, &events->core.at[i], &step->core[step->core_count++]))
            return false;
    if (step->core_count > 1)
        qsort(step->core, step->core_count, sizeof *step->core, by_core);
    return true;
}

static bool ran_on_cores(const struct xpd_step_events *step)
{
    for (size_t i = 0; i < step->core.count; i++)
        if (step->core.at[i].ran)
            return true;
    return false;
}

/* ---- input of a TPU that is no infeed ---- */

static bool takes_infeed(const struct xpd_op_stats *stats)
{
    for (uint32_t i = 0; i < stats->device.count; i++)
        if (xpd_str_eq(stats->device.at[i].category, XPD_STR("infeed")) ||
            xpd_str_eq(stats->device.at[i].category, XPD_STR("sparsecorev0 infeed")))
            return true;
    return false;
}

/* How long the host's threads wait for input in the step, or send it. */
static uint64_t input_of(const struct xpd_step_events *threads)
{
    uint64_t sum_ps = 0;
    for (size_t i = 0; threads && i < threads->part.count; i++)
        if (threads->part.at[i].kind == XPD_STEP_WAIT_INPUT ||
            threads->part.at[i].kind == XPD_STEP_HOST_TO_DEVICE)
            sum_ps += xpd_step_length(threads->part.at[i].span);
    return sum_ps;
}

static struct xpd_step_category *category_of(struct xpd_step_core *core, struct xpd_str name)
{
    for (uint32_t i = 0; i < core->category_count; i++)
        if (xpd_str_eq(core->category[i].name, name))
            return &core->category[i];
    return NULL;
}

/* That share of the core's idle time is infeed. */
static void take_from_idle(struct xpd_step_core *core, double share)
{
    struct xpd_step_category *idle = category_of(core, XPD_STR("IDLE")),
                             *infeed = category_of(core, XPD_STR("infeed"));
    if (!idle || idle->self_ps == 0)
        return;
    if (!infeed) { /* make_core() left room */
        infeed = &core->category[core->category_count++];
        *infeed = (struct xpd_step_category){.name = XPD_STR("infeed")};
    }
    infeed->self_ps = (uint64_t)((double)idle->self_ps * share);
    idle->self_ps -= infeed->self_ps;
}

/* Where no operation of the chips takes infeed, XProf takes as much of a step's idle time for it as
 * the host's threads spend on input in the step of the same number. */
static int place_input(struct making *m, struct xpd_err *err)
{
    const struct xpd_op_stats *stats;
    if (m->threads.step.count == 0 || m->out->count == 0)
        return XPD_OK;
    int rc = xpd_op_stats_of_host(m->ctx, m->number, &stats, err);
    for (uint32_t s = 0; rc == XPD_OK && !takes_infeed(stats) && s < m->out->count; s++) {
        struct xpd_xprof_step *step = &m->out->step[s];
        struct xpd_tpu_step whole;
        double input_ms =
            (double)input_of(xpd_step_map_find(&m->threads, (int64_t)step->number)) / 1e9;
        if (input_ms <= 0)
            continue;
        xpd_tpu_step_of(step, &whole);
        double share = whole.idle_ms != 0 ? input_ms / whole.idle_ms : 0;
        for (uint32_t c = 0; c < step->core_count; c++)
            if (step->core[c].core < XPD_STEP_SPARSE_CORE)
                take_from_idle(&step->core[c], share < 1 ? share : 1);
    }
    return rc;
}

/* ---- one host ---- */

static int by_group(const void *a, const void *b)
{
    int64_t x = ((const struct xpd_step_events *)a)->group,
            y = ((const struct xpd_step_events *)b)->group;
    return (x > y) - (x < y);
}

static bool make_steps(struct making *m)
{
    struct xpd_step_map *map = &m->map;
    if (map->step.count > 1)
        qsort(map->step.at, map->step.count, sizeof *map->step.at, by_group);
    m->out->step = XPD_NEW_ARRAY(m->arena, struct xpd_xprof_step, map->step.count);
    for (size_t i = 0; m->out->step && i < map->step.count; i++) {
        const struct xpd_step_events *events = &map->step.at[i];
        struct xpd_xprof_step *step = &m->out->step[m->out->count];
        bool cores = ran_on_cores(events);
        *step = (struct xpd_xprof_step){.number = (uint32_t)events->group};
        if (!(cores ? make_tpu(m, events, step) : make_plain(m, events, step)))
            return false;
        m->out->count += cores || step->core_count > 0;
    }
    return m->out->step != NULL;
}

/* Of many steps the first and the last are taken for cut, unless they are a TPU's or several hosts
 * are asked for. */
static void drop_ends(struct xpd_xprof_steps *steps)
{
    enum { MANY = 5 };
    if (steps->count <= MANY || steps->hardware == XPD_STEP_ON_TPU)
        return;
    steps->step++;
    steps->count -= 2;
}

static bool plane_starts(const struct xpd_xspace *space, uint32_t plane, const char *prefix)
{
    return xpd_str_starts(xpd_intern_get(&space->names, space->plane[plane].name), prefix);
}

static bool has_plane(const struct xpd_xspace *space, const char *prefix)
{
    for (uint32_t p = 0; p < space->plane_count; p++)
        if (plane_starts(space, p, prefix))
            return true;
    return false;
}

static bool is_sparse_core(const struct xpd_xspace *space, uint32_t plane)
{
    struct xpd_str name = xpd_intern_get(&space->names, space->plane[plane].name);
    return xpd_str_starts(name, "/device:TPU:") &&
           xpd_str_find(name, XPD_STR("SparseCore"), false) != SIZE_MAX;
}

/* A SparseCore's own steps, where it has some with a group. */
static int read_own_steps(struct making *m, struct xpd_step_map *out, struct xpd_file_plane *plane,
                          struct xpd_err *err)
{
    bool ran;
    int rc = xpd_step_marks_sparse(out, plane, err);
    if (rc == XPD_OK && out->step.count > 0)
        rc = xpd_step_events_sparse(out, plane, true, m->arena, &ran, err);
    return rc;
}

/* Its events are there until the next plane is opened. */
static int open_plane(struct making *m, uint32_t number, struct xpd_file_plane *plane,
                      struct xpd_err *err)
{
    xpd_arena_reset(&m->scratch);
    return xpd_file_plane_open(plane, &m->host, number, NULL, &m->scratch, err);
}

static void add_place(struct making *m, uint32_t plane)
{
    struct xpd_core_place place;
    if (m->out->place && xpd_core_place_of(m->host.trace, plane, &place))
        m->out->place[m->out->place_count++] = place;
}

static int read_devices(struct making *m, bool tpu, struct xpd_err *err)
{
    const struct xpd_xspace *space = m->host.trace->space;
    int rc = XPD_OK;
    m->out->place = XPD_NEW_ARRAY(m->arena, struct xpd_core_place, space->plane_count);
    for (uint32_t p = 0; rc == XPD_OK && p < space->plane_count; p++) {
        struct xpd_file_plane plane;
        struct xpd_step_map one = {0};
        if (!plane_starts(space, p, tpu ? "/device:TPU:" : "/device:GPU:"))
            continue;
        add_place(m, p);
        rc = open_plane(m, p, &plane, err);
        if (rc == XPD_OK)
            rc = is_sparse_core(space, p) ? read_own_steps(m, &one, &plane, err)
                 : tpu                    ? xpd_step_events_tpu(&one, &plane, m->arena, err)
                                          : xpd_step_events_gpu(&one, &plane, m->arena, err);
        if (rc == XPD_OK && one.step.count > 0) {
            if (tpu)
                xpd_step_map_intersect(&m->map, &one);
            else
                xpd_step_map_unite(&m->map, &one);
        }
        xpd_step_map_fini(&one);
    }
    return rc;
}

/* What SparseCores without steps of their own do counts in the steps of the TensorCores. */
static int read_sparse_cores(struct making *m, struct xpd_err *err)
{
    const struct xpd_xspace *space = m->host.trace->space;
    int rc = XPD_OK;
    for (uint32_t p = 0; rc == XPD_OK && p < space->plane_count; p++) {
        struct xpd_file_plane plane;
        struct xpd_core_place place;
        struct xpd_step_map own = {0};
        bool ran = false;
        if (!is_sparse_core(space, p))
            continue;
        rc = open_plane(m, p, &plane, err);
        if (rc == XPD_OK)
            rc = xpd_step_marks_sparse(&own, &plane, err);
        if (rc == XPD_OK && own.step.count == 0)
            rc = xpd_step_events_sparse(&m->map, &plane, false, m->arena, &ran, err);
        xpd_step_map_fini(&own);
        m->out->sparse |= xpd_core_place_of(m->host.trace, p, &place);
    }
    return rc;
}

static int read_threads(struct making *m, struct xpd_err *err)
{
    struct xpd_file_plane plane;
    uint32_t number = xpd_file_plane_called(m->host.trace, "/host:CPU");
    if (number == XPD_NO_INDEX)
        return XPD_OK;
    int rc = open_plane(m, number, &plane, err);
    return rc == XPD_OK ? xpd_step_events_host(&m->threads, &plane, m->arena, err) : rc;
}

static int read_host(struct making *m, struct xpd_err *err)
{
    const struct xpd_xspace *space = m->host.trace->space;
    bool tpu = has_plane(space, "/device:TPU:");
    bool gpu = !tpu && has_plane(space, "/device:GPU:");
    m->out->hardware = gpu ? XPD_STEP_ON_GPU : tpu ? XPD_STEP_ON_TPU : XPD_STEP_ON_CPU;
    int rc = read_devices(m, tpu, err);
    if (rc == XPD_OK && tpu)
        rc = read_sparse_cores(m, err);
    if (rc == XPD_OK && !gpu)
        rc = read_threads(m, err);
    if (rc == XPD_OK && !tpu && !gpu)
        xpd_step_map_unite(&m->map, &m->threads);
    if (rc == XPD_OK && (m->map.failed || !make_steps(m)))
        rc = no_room(err);
    return rc == XPD_OK && tpu ? place_input(m, err) : rc;
}

/* Kept beside the run: several tools ask for them. */
struct host_steps {
    struct xpd_xprof_steps steps;
    struct xpd_str hostname;
};

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx, uint32_t host,
                struct xpd_err *err)
{
    struct host_steps *out = table;
    struct making m = {.ctx = ctx, .arena = arena, .out = &out->steps, .number = host};
    const struct xpd_xspace *space = ctx->run->host[host].space;
    out->hostname = XPD_STR("localhost");
    if (!space)
        return XPD_OK;
    if (space->hostname_count > 0)
        out->hostname = xpd_intern_get(&space->names, space->hostname[0]);
    int rc = xpd_file_host_open(ctx, host, &m.host, err);
    if (rc == XPD_OK)
        rc = read_host(&m, err);
    if (rc == XPD_OK) /* the file may have changed while it was read */
        rc = xpd_source_check(m.host.trace->source, err);
    xpd_step_map_fini(&m.map);
    xpd_step_map_fini(&m.threads);
    xpd_arena_fini(&m.scratch);
    return rc;
}

const struct xpd_host_table xpd_xprof_steps_table = {XPD_HOST_STEPS, sizeof(struct host_steps),
                                                     make};

/* ---- several hosts ---- */

static struct xpd_xprof_step_span whole_of(const struct xpd_xprof_step *step)
{
    struct xpd_xprof_step_span span = {UINT64_MAX, 0};
    for (uint32_t i = 0; i < step->core_count; i++) {
        const struct xpd_step_core *core = &step->core[i];
        uint64_t end_ps = core->begin_ps + core->duration_ps;
        span.begin_ps = core->begin_ps < span.begin_ps ? core->begin_ps : span.begin_ps;
        span.end_ps = end_ps > span.end_ps ? end_ps : span.end_ps;
    }
    return span.begin_ps < span.end_ps ? span : (struct xpd_xprof_step_span){0, 0};
}

static struct xpd_xprof_step_span whole_of_all(const struct xpd_xprof_steps *steps)
{
    struct xpd_xprof_step_span all = {UINT64_MAX, 0};
    for (uint32_t i = 0; i < steps->count; i++) {
        struct xpd_xprof_step_span one = whole_of(&steps->step[i]);
        if (xpd_step_length(one) == 0)
            continue;
        all.begin_ps = one.begin_ps < all.begin_ps ? one.begin_ps : all.begin_ps;
        all.end_ps = one.end_ps > all.end_ps ? one.end_ps : all.end_ps;
    }
    return all.begin_ps < all.end_ps ? all : (struct xpd_xprof_step_span){0, 0};
}

struct alignment { /* which steps of a host are which of the chief's */
    uint32_t begin, chief_begin, count;
};

static void overlap_by_offset(const struct xpd_xprof_steps *host,
                              const struct xpd_xprof_steps *chief, uint64_t *similarity)
{
    uint32_t i = 0, k = 0;
    while (i < host->count && k < chief->count) {
        struct xpd_xprof_step_span a = whole_of(&host->step[i]), b = whole_of(&chief->step[k]);
        if (xpd_step_length(a) == 0 || xpd_step_length(b) == 0) {
            if (xpd_step_length(a) == 0)
                i++;
            else
                k++;
            continue;
        }
        uint64_t low = a.begin_ps > b.begin_ps ? a.begin_ps : b.begin_ps;
        uint64_t high = a.end_ps < b.end_ps ? a.end_ps : b.end_ps;
        similarity[k + (host->count - 1) - i] += low < high ? high - low : 0;
        bool ends_first = a.end_ps <= b.end_ps, ends_last = a.end_ps >= b.end_ps;
        i += ends_first;
        k += ends_last;
    }
}

/* Of equal offsets the least one that is not negative, then the greatest that is. */
static bool align(const struct xpd_xprof_steps *host, const struct xpd_xprof_steps *chief,
                  struct alignment *out)
{
    *out = (struct alignment){0, 0, 0};
    if (host->count == 0 || chief->count == 0)
        return true;
    uint64_t *similarity = calloc((size_t)host->count + chief->count, sizeof *similarity);
    if (!similarity)
        return false;
    overlap_by_offset(host, chief, similarity);
    int64_t best = 0;
    for (int64_t k = 1; k < chief->count; k++)
        if (similarity[k + host->count - 1] > similarity[best + host->count - 1])
            best = k;
    for (int64_t k = -1; k > -(int64_t)host->count; k--)
        if (similarity[k + host->count - 1] > similarity[best + host->count - 1])
            best = k;
    free(similarity);
    out->begin = best >= 0 ? 0 : (uint32_t)-best;
    out->chief_begin = best >= 0 ? (uint32_t)best : 0;
    uint32_t left = host->count - out->begin, chief_left = chief->count - out->chief_begin;
    out->count = left < chief_left ? left : chief_left;
    return true;
}

/* The cores of a host's step get numbers of the run. There is room for them. */
static void add_cores(struct xpd_xprof_step *dst, const struct xpd_xprof_step *src, uint32_t host)
{
    for (uint32_t i = 0; i < src->core_count; i++) {
        dst->core[dst->core_count] = src->core[i];
        dst->core[dst->core_count].core += host * XPD_STEP_CORES_OF_HOST;
        dst->core[dst->core_count++].number = dst->number;
    }
    for (uint32_t i = 0; i < src->reduce_count; i++) {
        dst->reduce[dst->reduce_count] = src->reduce[i];
        dst->reduce[dst->reduce_count++].core += host * XPD_STEP_CORES_OF_HOST;
    }
}

/* A host without a device in a run that has some only coordinates. XProf knows a device by the name
 * of its type: a chip whose profile does not say it is none. */
static bool works(const struct xpd_xprof_steps *host, const struct xpd_xprof_steps *run)
{
    return host->has_device || !run->has_device;
}

static int find_device(const struct xpd_tool_ctx *ctx, uint32_t number,
                       struct xpd_xprof_steps *host, struct xpd_err *err)
{
    const struct xpd_op_stats *stats;
    if (!ctx->run->host[number].space)
        return XPD_OK;
    int rc = xpd_op_stats_of_host(ctx, number, &stats, err);
    if (rc == XPD_OK)
        host->has_device = xpd_str_find(stats->device_type, XPD_STR("TPU"), false) != SIZE_MAX ||
                           xpd_str_find(stats->device_type, XPD_STR("GPU"), false) != SIZE_MAX;
    return rc;
}

/* Puts a step of the run together from those of its hosts; NULL: a host that does not work. */
static bool combine_step(struct xpd_arena *arena, const struct xpd_xprof_step *const *part,
                         uint32_t count, struct xpd_xprof_step *out)
{
    size_t cores = 0, reduces = 0;
    for (uint32_t i = 0; i < count; i++) {
        cores += part[i] ? part[i]->core_count : 0;
        reduces += part[i] ? part[i]->reduce_count : 0;
    }
    out->core = XPD_NEW_ARRAY(arena, struct xpd_step_core, cores);
    out->reduce = XPD_NEW_ARRAY(arena, struct xpd_step_reduce, reduces);
    if (!out->core || !out->reduce)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (part[i])
            add_cores(out, part[i], i);
    return true;
}

static bool combine(struct xpd_arena *arena, struct xpd_xprof_steps *host, uint32_t count,
                    struct xpd_xprof_steps *out)
{
    struct alignment *place = XPD_NEW_ARRAY(arena, struct alignment, count);
    uint32_t chief = XPD_NO_INDEX, begin = 0, end = UINT32_MAX;
    uint64_t shortest_ps = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t all_ps = xpd_step_length(whole_of_all(&host[i]));
        if (works(&host[i], out) && (chief == XPD_NO_INDEX || all_ps < shortest_ps)) {
            chief = i;
            shortest_ps = all_ps;
        }
    }
    if (!place)
        return false;
    if (chief == XPD_NO_INDEX || host[chief].count == 0)
        return true;
    for (uint32_t i = 0; i < count; i++) {
        if (!works(&host[i], out))
            continue;
        if (!align(&host[i], &host[chief], &place[i]))
            return false;
        if (i == chief)
            place[i] = (struct alignment){0, 0, host[i].count};
        begin = place[i].chief_begin > begin ? place[i].chief_begin : begin;
        uint32_t last = place[i].chief_begin + place[i].count;
        end = last < end ? last : end;
    }
    out->empty_intersect = begin > end;
    out->count = begin > end ? 0 : end - begin;
    out->step = XPD_NEW_ARRAY(arena, struct xpd_xprof_step, out->count);
    const struct xpd_xprof_step **part = XPD_NEW_ARRAY(arena, const struct xpd_xprof_step *, count);
    for (uint32_t s = 0; out->step && part && s < out->count; s++) {
        out->step[s].number = s;
        for (uint32_t i = 0; i < count; i++)
            if (works(&host[i], out))
                part[i] = &host[i].step[place[i].begin + begin - place[i].chief_begin + s];
        if (!combine_step(arena, part, count, &out->step[s]))
            return false;
    }
    return out->step && part;
}

static bool gather_places(struct xpd_arena *arena, const struct xpd_xprof_steps *host,
                          uint32_t count, struct xpd_xprof_steps *out)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        all += host[i].place_count;
    out->place = XPD_NEW_ARRAY(arena, struct xpd_core_place, all);
    for (uint32_t i = 0; out->place && i < count; i++)
        for (uint32_t k = 0; k < host[i].place_count; k++) {
            out->place[out->place_count] = host[i].place[k];
            out->place[out->place_count++].core += i * XPD_STEP_CORES_OF_HOST;
        }
    return out->place != NULL;
}

static bool has_sparse_core(const struct xpd_xprof_steps *steps)
{
    for (uint32_t s = 0; s < steps->count; s++)
        for (uint32_t c = 0; c < steps->step[s].core_count; c++)
            if (steps->step[s].core[c].core >= XPD_STEP_SPARSE_CORE)
                return true;
    return false;
}

int xpd_xprof_steps_of(const struct xpd_tool_ctx *ctx, struct xpd_xprof_steps *out,
                       struct xpd_err *err)
{
    const uint32_t *number;
    uint32_t count;
    int rc = xpd_file_hosts(ctx, &number, &count, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_xprof_steps *host = XPD_NEW_ARRAY(ctx->arena, struct xpd_xprof_steps, count);
    struct xpd_str *hostname = XPD_NEW_ARRAY(ctx->arena, struct xpd_str, count);
    *out = (struct xpd_xprof_steps){0};
    if (!host || !hostname)
        return no_room(err);
    if (count > 1)
        xpd_host_tables_ahead(ctx, (const struct xpd_host_table *const[]){&xpd_xprof_steps_table},
                              1);
    for (uint32_t i = 0; i < count && rc == XPD_OK; i++) {
        const void *table;
        rc = xpd_host_table(ctx, number[i], &xpd_xprof_steps_table, &table, err);
        if (rc != XPD_OK)
            break;
        const struct host_steps *kept = table;
        host[i] = kept->steps;
        hostname[i] = kept->hostname;
        if (count > 1)
            rc = find_device(ctx, number[i], &host[i], err);
    }
    if (rc != XPD_OK)
        return rc;
    if (count > 1 && !gather_places(ctx->arena, host, count, out))
        return no_room(err);
    for (uint32_t i = 0; i < count; i++) {
        out->hardware = host[i].hardware > out->hardware ? host[i].hardware : out->hardware;
        out->sparse |= host[i].sparse;
        out->has_device |= host[i].has_device;
        out->compute_32_ps += host[i].compute_32_ps;
        out->compute_16_ps += host[i].compute_16_ps;
    }
    if (count == 1) {
        *out = host[0];
        drop_ends(out);
    }
    if (count > 1 && !combine(ctx->arena, host, count, out))
        rc = no_room(err);
    out->sparse |= has_sparse_core(out);
    out->host_count = count;
    out->hostname = hostname;
    return rc;
}

const char *xpd_step_warning(const struct xpd_xprof_steps *steps)
{
    if (steps->count > 0)
        return NULL;
    if (steps->empty_intersect)
        return "Although there are steps observed on some host(s), the intersection of the steps "
               "over all hosts is empty (because the differences among individual host's step "
               "sequences are too big). Consequently, the overall step time is unknown.";
    return "No step marker observed and hence the step time is unknown. This may happen if (1) "
           "training steps are not instrumented (e.g., if you are not using Keras) or (2) the "
           "profiling duration is shorter than the step time. For (1), you need to add step "
           "instrumentation; for (2), you may try to profile longer.";
}
