/* Operations of steps: which groups a step has on which core is opstats_steps.h, what ran in a
 * group there is tpu.h. */
#include "opstats_step_ops.h"

#include "opstats_steps.h"
#include "tpu.h"

struct ran {       /* on one core */
    uint32_t core; /* as steps number it */
    struct xpd_ops_groups groups;
};
struct job {
    const struct xpd_tool_ctx *ctx;
    struct xpd_arena *arena;
    XPD_VEC(struct ran) ran; /* TensorCores of all hosts */
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
    for (; places->at < line->count; places->at++) {
        const struct xpd_file_event *event = &line->event[places->at];
        uint64_t there = xpd_depth_where(event->depth, event->index);
        if (there >= where)
            return there == where ? xpd_file_group(&places->plane, event) : -1;
    }
    return -1;
}

/* Copies what the groups hold out of the scratch memory of their plane. */
static void keep_groups(struct xpd_ops_groups *groups, struct xpd_arena *arena)
{
    for (size_t i = 0; i < groups->group.count; i++)
        for (int k = 0; k < XPD_OPS_PARTS; k++) {
            struct xpd_ops_metrics *part = &groups->group.at[i].part[k];
            part->access = XPD_COPY_ARRAY(arena, part->access, part->access_count);
        }
    groups->arena = arena;
}

static int read_core(struct job *job, const struct xpd_file_host *host, struct xpd_ops_walk *walk,
                     uint32_t plane, uint32_t first_core, struct xpd_err *err)
{
    struct places places = {0};
    struct xpd_arena scratch = {0};
    struct ran ran = {.core = first_core + (uint32_t)host->trace->space->plane[plane].id,
                      .groups = {.arena = &scratch}};
    int rc = xpd_file_plane_open(&places.plane, host, plane, NULL, &scratch, err);
    if (rc == XPD_OK)
        rc = xpd_ops_tpu_groups(&ran.groups, walk, plane, group_at, &places, err);
    keep_groups(&ran.groups, job->arena);
    xpd_arena_fini(&scratch);
    XPD_PUSH(&job->ran, ran);
    if (job->ran.failed)
        xpd_ops_groups_fini(&ran.groups);
    return rc == XPD_OK && job->ran.failed ? no_room(err) : rc;
}

static int read_host(struct job *job, uint32_t number, uint32_t first_core, struct xpd_err *err)
{
    struct xpd_file_host host;
    struct xpd_ops_walk walk;
    if (!job->ctx->run->host[number].space)
        return XPD_OK;
    int rc = xpd_file_host_open(job->ctx, number, &host, err);
    if (rc == XPD_OK)
        rc = xpd_ops_walk_init(&walk, host.trace, err);
    if (rc != XPD_OK)
        return rc;
    const struct xpd_xspace *space = host.trace->space;
    for (uint32_t p = 0; rc == XPD_OK && p < space->plane_count; p++)
        if (xpd_ops_is_tensor_core(xpd_intern_get(&space->names, space->plane[p].name)))
            rc = read_core(job, &host, &walk, p, first_core, err);
    xpd_ops_walk_fini(&walk);
    return rc;
}

static int read_hosts(struct job *job, struct xpd_err *err)
{
    const uint32_t *number;
    uint32_t count = 0;
    int rc = xpd_file_hosts(job->ctx, &number, &count, err);
    for (uint32_t i = 0; rc == XPD_OK && i < count; i++)
        rc = read_host(job, number[i], i * XPD_STEP_CORES_OF_HOST, err);
    return rc;
}

/* ---- by step ---- */

static void add_part(struct xpd_arena *arena, struct xpd_ops_metrics *to,
                     const struct xpd_ops_metrics *part)
{
    to->category = part->category;
    to->occurrences += part->occurrences;
    to->time_ps += part->time_ps;
    to->flops_v2 += part->flops_v2;
    to->model_flops_v2 += part->model_flops_v2;
    to->bytes += part->bytes;
    xpd_ops_add_access(arena, to, part->access, part->access_count, 1);
}

static void add_db(struct xpd_ops_db *to, const struct xpd_ops_metrics *part, uint64_t total_ps)
{
    if (!to->at) {
        to->at = XPD_NEW_ARRAY(to->arena, struct xpd_ops_metrics, XPD_OPS_PARTS);
        to->count = to->at ? XPD_OPS_PARTS : 0;
    }
    to->total_ps += total_ps;
    for (uint32_t i = 0; i < to->count; i++)
        add_part(to->arena, &to->at[i], &part[i]);
}

/* A core of a TPU is as long in a step as the step, unless its operations take longer; one that ran
 * no known operation, too. XProf knows no operations of other steps, which have no categories. */
static void add_core(struct job *job, struct xpd_ops_db *ops, const struct xpd_step_core *core)
{
    const struct xpd_ops_group *group = NULL;
    for (size_t i = 0; i < job->ran.count && !group; i++)
        if (job->ran.at[i].core == core->core)
            group = xpd_ops_groups_get(&job->ran.at[i].groups, core->group);
    static const struct xpd_ops_metrics nothing[XPD_OPS_PARTS];
    uint64_t self_ps = group ? group->self_ps : 0;
    if (core->category_count > 0)
        add_db(ops, group ? group->part : nothing,
               core->duration_ps > self_ps ? core->duration_ps : self_ps);
}

static void add_step(struct job *job, struct xpd_ops_steps *out, const struct xpd_xprof_step *step)
{
    struct xpd_ops_step *to = &out->at[out->count++];
    *to = (struct xpd_ops_step){.number = step->number, .ops = {.arena = job->arena}};
    for (uint32_t i = 0; i < step->core_count; i++)
        if (step->core[i].core < XPD_STEP_SPARSE_CORE) /* only TensorCores have it */
            add_core(job, &to->ops, &step->core[i]);
    if (to->ops.count)
        add_db(&out->all, to->ops.at, to->ops.total_ps);
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
        rc = read_hosts(&job, err);
    for (uint32_t i = 0; rc == XPD_OK && out->at && i < steps.count; i++)
        add_step(&job, out, &steps.step[i]);
    for (size_t i = 0; i < job.ran.count; i++)
        xpd_ops_groups_fini(&job.ran.at[i].groups);
    XPD_VEC_FINI(&job.ran);
    return rc == XPD_OK && !out->at ? no_room(err) : rc;
}
