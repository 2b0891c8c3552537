/* Operations of steps: which groups a step has on which core is opstats_steps.h, what ran in a
 * group there is tpu.h. */
#include "opstats_step_ops.h"

#include "opstats_steps.h"
#include "tpu.h"

#include "xprofd/base/bisect.h"
#include "xprofd/base/order.h"
#include "xprofd/base/threads.h"

#include <stdlib.h>

struct core { /* a TensorCore */
    uint32_t number;
    const struct xpd_ops_group *group; /* by number */
    uint32_t count;
};
struct host_ops { /* kept beside the run */
    struct core *core;
    uint32_t count;
};

static int no_room(struct xpd_err *err)
{
    return xpd_fail(err, XPD_ELIMIT, "host", XPD_NO_OFFSET,
                    "the steps of this run do not fit the memory of a request");
}

/* ---- executions ---- */

/* Events of a plane as used by grouping. */
struct places {
    struct xpd_file_plane plane;
    uint32_t line, at;
};

static int64_t group_at(void *user, uint32_t number, uint64_t where)
{
    struct places *places = user;
    const struct xpd_file_line *line = &places->plane.line[number];
    if (places->line != number)
        places->at = 0;
    places->line = number;
    const struct xpd_file_event *event = xpd_file_event_at(line, &places->at, where);
    return event ? xpd_file_group(&places->plane, event) : -1;
}

struct reading { /* of one core */
    uint32_t plane;
    struct xpd_arena arena; /* of the groups */
    struct xpd_ops_groups groups;
    int rc;
    struct xpd_err err;
};
struct readings { /* of the cores of one host */
    struct xpd_file_host host;
    struct reading *core;
    uint32_t count;
};

static int read_groups(const struct xpd_file_host *host, struct reading *core)
{
    struct places places = {0};
    struct xpd_arena scratch = {0}; /* of the plane's events */
    struct xpd_ops_walk walk;
    core->groups.arena = &core->arena;
    int rc = xpd_file_plane_open(&places.plane, host, core->plane, NULL, &scratch, &core->err);
    if (rc == XPD_OK)
        rc = xpd_ops_walk_init(&walk, host->trace, &core->err);
    if (rc == XPD_OK) {
        rc = xpd_ops_tpu_groups(&core->groups, &walk, core->plane, group_at, &places, &core->err);
        xpd_ops_walk_fini(&walk);
    }
    xpd_arena_fini(&scratch);
    return rc;
}

static void read_core(void *context, uint32_t item, uint32_t thread)
{
    struct readings *all = context;
    (void)thread;
    all->core[item].rc = read_groups(&all->host, &all->core[item]);
}

static int by_number(const void *a, const void *b)
{
    const struct xpd_ops_group *x = a, *y = b;
    return XPD_ORDER(x->group, y->group);
}

static void keep_core(struct host_ops *out, const struct xpd_xspace *space,
                      const struct reading *core, struct xpd_arena *arena)
{
    size_t count = core->groups.group.count;
    struct xpd_ops_group *group = XPD_COPY_VEC(arena, &core->groups.group);
    for (size_t i = 0; group && i < count; i++)
        for (int k = 0; k < XPD_OPS_PARTS; k++) {
            struct xpd_ops_part *part = &group[i].part[k];
            part->access = XPD_COPY_ARRAY(arena, part->access, part->access_count);
        }
    if (group && count > 1)
        qsort(group, count, sizeof *group, by_number);
    out->core[out->count++] = (struct core){.number = (uint32_t)space->plane[core->plane].id,
                                            .group = group,
                                            .count = group ? (uint32_t)count : 0};
}

static int read_cores(struct host_ops *out, struct readings *all, struct xpd_arena *arena,
                      struct xpd_err *err)
{
    int rc = XPD_OK;
    xpd_threads_each(0, all->count, read_core, all);
    out->core = XPD_NEW_ARRAY(arena, struct core, all->count);
    for (uint32_t i = 0; i < all->count; i++) {
        struct reading *core = &all->core[i];
        if (rc == XPD_OK && core->rc != XPD_OK) {
            rc = core->rc;
            *err = core->err;
        }
        if (rc == XPD_OK && out->core)
            keep_core(out, all->host.trace->space, core, arena);
        xpd_ops_groups_fini(&core->groups);
        xpd_arena_fini(&core->arena);
    }
    return rc == XPD_OK && arena->failed ? no_room(err) : rc;
}

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx, uint32_t host,
                struct xpd_err *err)
{
    struct readings all = {0};
    if (!ctx->run->host[host].space)
        return XPD_OK;
    int rc = xpd_file_host_open(ctx, host, &all.host, err);
    if (rc != XPD_OK)
        return rc;
    const struct xpd_xspace *space = all.host.trace->space;
    all.core = calloc((size_t)space->plane_count + 1, sizeof *all.core);
    for (uint32_t p = 0; all.core && p < space->plane_count; p++)
        if (xpd_ops_is_tensor_core(xpd_intern_get(&space->names, space->plane[p].name)))
            all.core[all.count++].plane = p;
    rc = all.core ? read_cores(table, &all, arena, err) : no_room(err);
    free(all.core);
    if (rc == XPD_OK) /* the file may have changed while it was read */
        rc = xpd_source_check(all.host.trace->source, err);
    return rc;
}

static const struct xpd_host_table ops_table = {XPD_HOST_STEP_OPS, sizeof(struct host_ops), make};

/* ---- by step ---- */

struct job {
    const struct xpd_tool_ctx *ctx;
    struct xpd_arena *arena;
    const struct host_ops **host; /* in the order in which XProf takes them */
    uint32_t host_count;
};

static int find_hosts(struct job *job, struct xpd_err *err)
{
    const uint32_t *number;
    int rc = xpd_file_hosts(job->ctx, &number, &job->host_count, err);
    if (rc != XPD_OK)
        return rc;
    if (job->host_count > 1)
        xpd_host_tables_ahead(job->ctx, (const struct xpd_host_table *const[]){&ops_table}, 1);
    job->host = XPD_NEW_ARRAY(job->arena, const struct host_ops *, job->host_count);
    if (!job->host)
        return no_room(err);
    for (uint32_t i = 0; rc == XPD_OK && i < job->host_count; i++) {
        const void *table;
        rc = xpd_host_table(job->ctx, number[i], &ops_table, &table, err);
        job->host[i] = table;
    }
    return rc;
}

/* NULL: it did not run on the core, whose number is that among all hosts. */
static const struct xpd_ops_group *find_group(const struct job *job, uint32_t number, int64_t group)
{
    for (uint32_t h = 0; h < job->host_count; h++)
        for (uint32_t i = 0; i < job->host[h]->count; i++) {
            const struct core *core = &job->host[h]->core[i];
            uint32_t low = 0, high = core->count;
            if (h * XPD_STEP_CORES_OF_HOST + core->number != number)
                continue;
            XPD_BISECT(low, high, middle, core->group[middle].group < group);
            if (low < core->count && core->group[low].group == group)
                return &core->group[low];
        }
    return NULL;
}

static void add_part(struct xpd_ops_db *to, int which, const struct xpd_ops_part *part)
{
    struct xpd_ops_metrics *op = &to->at[which];
    op->occurrences += part->occurrences;
    op->time_ps += part->time_ps;
    op->flops_v2 += part->flops_v2;
    op->model_flops_v2 += part->model_flops_v2;
    op->bytes += part->bytes;
    xpd_ops_add_access(to->arena, &op->access, &op->access_count, part->access, part->access_count,
                       1);
}

/* False: no memory. */
static bool begin(struct xpd_ops_db *db)
{
    if (!db->at) {
        db->at = XPD_NEW_ARRAY(db->arena, struct xpd_ops_metrics, XPD_OPS_PARTS);
        db->count = db->at ? XPD_OPS_PARTS : 0;
        if (db->at)
            db->at[XPD_OPS_FED].category = XPD_STR("infeed");
    }
    return db->at != NULL;
}

/* A core of a TPU is as long in a step as the step, unless its operations take longer; one that ran
 * no known operation, too. XProf knows no operations of other steps, which have no categories. */
static void add_core(const struct job *job, struct xpd_ops_db *to, const struct xpd_step_core *core)
{
    const struct xpd_ops_group *group = find_group(job, core->core, core->group);
    uint64_t self_ps = group ? group->self_ps : 0;
    if (core->category_count == 0 || !begin(to))
        return;
    to->total_ps += core->duration_ps > self_ps ? core->duration_ps : self_ps;
    for (int k = 0; group && k < XPD_OPS_PARTS; k++)
        add_part(to, k, &group->part[k]);
}

static void add_step(const struct job *job, struct xpd_ops_steps *out,
                     const struct xpd_xprof_step *step)
{
    struct xpd_ops_step *to = &out->at[out->count++];
    *to = (struct xpd_ops_step){.number = step->number, .ops = {.arena = job->arena}};
    for (uint32_t i = 0; i < step->core_count; i++)
        if (step->core[i].core < XPD_STEP_SPARSE_CORE) /* only TensorCores have it */
            add_core(job, &to->ops, &step->core[i]);
    if (to->ops.count == 0 || !begin(&out->all))
        return;
    out->all.total_ps += to->ops.total_ps;
    for (int k = 0; k < XPD_OPS_PARTS; k++) {
        const struct xpd_ops_metrics *op = &to->ops.at[k];
        struct xpd_ops_part part = {.occurrences = op->occurrences,
                                    .time_ps = op->time_ps,
                                    .bytes = op->bytes,
                                    .flops_v2 = op->flops_v2,
                                    .model_flops_v2 = op->model_flops_v2,
                                    .access = op->access,
                                    .access_count = op->access_count};
        add_part(&out->all, k, &part);
    }
}

int xpd_ops_steps_of(const struct xpd_tool_ctx *ctx, struct xpd_ops_steps *out, struct xpd_err *err)
{
    struct job job = {.ctx = ctx, .arena = ctx->arena};
    struct xpd_xprof_steps steps;
    *out = (struct xpd_ops_steps){.all = {.arena = ctx->arena}};
    int rc = xpd_xprof_steps_of(ctx, &steps, err);
    if (rc != XPD_OK)
        return rc;
    out->warning = xpd_step_warning(&steps);
    out->at = XPD_NEW_ARRAY(ctx->arena, struct xpd_ops_step, steps.count);
    if (steps.hardware == XPD_STEP_ON_TPU && steps.count > 0)
        rc = find_hosts(&job, err);
    for (uint32_t i = 0; rc == XPD_OK && out->at && i < steps.count; i++)
        add_step(&job, out, &steps.step[i]);
    return rc == XPD_OK && !out->at ? no_room(err) : rc;
}
