/* Op stats of a host, and of all hosts together. In: the planes of a profile and its modules. Out:
 * a table beside the run. */
#include "opstats.h"
#include "file_events.h"
#include "xprofd/compat/file_order.h"

#include "gpu.h"
#include "host.h"
#include "opstats_modules.h"
#include "tpu.h"

#include <stdlib.h>

struct job {
    const struct xpd_tool_ctx *ctx;
    uint32_t host;
    const struct xpd_trace *trace;
    const struct xpd_derived *derived;
    struct xpd_arena *arena;
    struct xpd_op_stats *out;
    struct xpd_ops_walk walk;
    struct xpd_intern texts;
    struct xpd_ops_modules modules;
    bool tpu;
    struct xpd_err *err;
};

static struct xpd_str plane_name(const struct job *job, uint32_t plane)
{
    return xpd_intern_get(&job->trace->space->names, job->trace->space->plane[plane].name);
}

static bool is_device(const struct job *job, uint32_t plane)
{
    return xpd_str_starts(plane_name(job, plane), job->tpu ? "/device:TPU:" : "/device:GPU:");
}

static uint32_t first_of(const struct job *job, const char *prefix)
{
    for (uint32_t p = 0; p < job->trace->space->plane_count; p++)
        if (xpd_str_starts(plane_name(job, p), prefix))
            return p;
    return XPD_NO_INDEX;
}

/* ---- kind of host ---- */

static struct xpd_str device_type_of(const struct job *job, uint32_t plane)
{
    const struct xpd_xspace *space = job->trace->space;
    for (uint32_t i = 0; i < space->plane[plane].stat_count; i++) {
        const struct xpd_stat *stat = &space->plane[plane].stat[i];
        if (stat->type == XPD_STAT_TEXT &&
            xpd_str_eq(xpd_intern_get(&space->names, stat->name), XPD_STR("device_type_string")))
            return xpd_intern_get(&space->names, stat->text);
    }
    return XPD_STR("");
}

static void read_environment(struct job *job)
{
    struct xpd_op_stats *out = job->out;
    uint32_t gpu = first_of(job, "/device:GPU:"), core = XPD_NO_INDEX, cores = 0, gpus = 0;
    for (uint32_t p = 0; p < job->trace->space->plane_count; p++) {
        gpus += xpd_str_starts(plane_name(job, p), "/device:GPU:");
        if (!xpd_ops_is_tensor_core(plane_name(job, p)))
            continue;
        core = cores++ ? core : p;
    }
    if (gpu != XPD_NO_INDEX) {
        out->device_type =
            xpd_ops_gpu_name(job->trace->space, &job->trace->space->plane[gpu], job->arena);
        out->hardware = XPD_OPS_GPU;
        out->core_count = gpus;
    } else if (core != XPD_NO_INDEX) {
        out->device_type = xpd_arena_str(job->arena, device_type_of(job, core));
        out->hardware = XPD_OPS_TPU;
        out->core_count = cores;
    } else {
        out->device_type = XPD_STR("CPU");
        out->hardware = XPD_OPS_CPU;
    }
    job->tpu = first_of(job, "/device:TPU:") != XPD_NO_INDEX;
    uint32_t device = first_of(job, job->tpu ? "/device:TPU:" : "/device:GPU:");
    if (device != XPD_NO_INDEX)
        xpd_ops_peaks_of(&out->peaks, job->trace->space, &job->trace->space->plane[device]);
}

static void read_programs(struct job *job)
{
    const struct xpd_xspace *space = job->trace->space;
    struct xpd_op_stats *out = job->out;
    out->program = XPD_NEW_ARRAY(job->arena, struct xpd_xprof_program, space->hlo_count);
    for (uint32_t i = 0; out->program && i < space->hlo_count; i++)
        out->program[out->program_count++] = (struct xpd_xprof_program){
            space->hlo[i].program_id,
            xpd_arena_str(job->arena, xpd_intern_get(&space->names, space->hlo[i].name))};
}

/* ---- the operations ---- */

static int read_sparse_cores(struct job *job, struct xpd_ops_offloads *out)
{
    int rc = XPD_OK;
    for (uint32_t p = 0; p < job->trace->space->plane_count && rc == XPD_OK; p++)
        if (xpd_ops_is_sparse_core(plane_name(job, p)))
            rc = xpd_ops_sparse_plane(out, &job->walk, p, job->err);
    for (size_t i = 0; i < out->offload.count && rc == XPD_OK; i++)
        for (uint32_t k = 0; k < out->offload.at[i].count; k++)
            xpd_ops_modules_children(&job->modules, &out->offload.at[i].at[k]);
    return rc;
}

static int read_tpu(struct job *job)
{
    struct xpd_ops_offloads offloads = {.arena = job->arena};
    int rc = read_sparse_cores(job, &offloads);
    for (uint32_t p = 0; p < job->trace->space->plane_count && rc == XPD_OK; p++) {
        struct xpd_ops_db one;
        if (!is_device(job, p) || xpd_ops_is_sparse_core(plane_name(job, p)))
            continue;
        xpd_ops_db_init(&one, job->arena);
        rc = xpd_ops_tpu_plane(&one, &offloads, &job->walk, p, job->err);
        if (rc == XPD_OK)
            xpd_ops_db_combine(&job->out->device, &one);
        xpd_ops_db_fini(&one);
    }
    for (uint32_t i = 0; i < job->out->device.count && rc == XPD_OK; i++)
        xpd_ops_modules_children(&job->modules, &job->out->device.at[i]);
    xpd_ops_offloads_fini(&offloads);
    job->out->has_complete = true;
    return rc;
}

static int read_gpus(struct job *job)
{
    struct xpd_ops_gpu gpu = {.walk = &job->walk,
                              .look_up = xpd_ops_modules_find,
                              .modules = &job->modules,
                              .arena = job->arena};
    for (uint32_t p = 0; p < job->trace->space->plane_count; p++) {
        struct xpd_ops_db one;
        if (!is_device(job, p))
            continue;
        xpd_ops_db_init(&one, job->arena);
        xpd_ops_gpu_plane(&one, &gpu, p);
        xpd_ops_db_combine(&job->out->device, &one);
        xpd_ops_db_fini(&one);
    }
    bool failed = gpu.kernel.failed || gpu.kernel_of.failed;
    job->out->kernels = xpd_ops_kernels_top(gpu.kernel.at, gpu.kernel.count, job->arena);
    XPD_VEC_FINI(&gpu.kernel);
    xpd_map64_fini(&gpu.kernel_of);
    return failed ? XPD_ENOMEM : XPD_OK;
}

static int read_all(struct job *job)
{
    int rc = job->tpu ? read_tpu(job) : read_gpus(job);
    for (uint32_t p = 0; p < job->trace->space->plane_count && rc == XPD_OK; p++)
        if (xpd_str_eq(plane_name(job, p), XPD_STR("/host:CPU"))) {
            rc = xpd_ops_host_plane(&job->out->host, &job->walk, p, job->err);
            break; /* XProf takes the first of that name */
        }
    return rc;
}

/* Whether the groups of events tell something here: which operations ran op by op, which steps of a
 * core count, which kernels of a GPU XProf adds up as one. */
static bool needs_groups(const struct job *job)
{
    const struct xpd_trace *trace = job->trace;
    bool devices = first_of(job, "/device:TPU:") != XPD_NO_INDEX ||
                   first_of(job, "/device:GPU:") != XPD_NO_INDEX;
    return (devices && xpd_trace_may_group(trace)) ||
           xpd_intern_find(&trace->names, XPD_STR("EagerExecute")) != XPD_NO_NAME ||
           xpd_intern_find(&trace->names, XPD_STR("is_eager")) != XPD_NO_NAME;
}

static int open_events(struct job *job)
{
    const struct xpd_tool_ctx *ctx = job->ctx;
    int rc = xpd_store_trace(ctx->store, ctx->run, job->host, XPD_COMPAT_WAIT_MS, &job->trace,
                             ctx->state, job->err);
    if (rc == XPD_OK && needs_groups(job))
        rc = xpd_store_derived(ctx->store, ctx->run, job->host, XPD_COMPAT_WAIT_MS, &job->derived,
                               ctx->state, job->err);
    if (rc == XPD_OK)
        rc = xpd_ops_walk_init(&job->walk, job->trace, job->err);
    job->walk.derived = job->derived;
    return rc;
}

static int make_host(struct xpd_op_stats *out, struct xpd_arena *arena,
                     const struct xpd_tool_ctx *ctx, uint32_t host, struct xpd_err *err)
{
    struct job job = {.ctx = ctx, .host = host, .arena = arena, .out = out, .err = err};
    int rc = open_events(&job);
    if (rc != XPD_OK)
        return rc;
    xpd_intern_init(&job.texts, arena);
    job.walk.texts = &job.texts;
    xpd_ops_db_init(&out->device, arena);
    xpd_ops_db_init(&out->host, arena);
    read_environment(&job);
    read_programs(&job);
    rc = xpd_ops_modules_init(&job.modules, ctx, host, !job.tpu, arena);
    if (rc == XPD_OK)
        rc = read_all(&job);
    xpd_ops_db_freeze(&out->device);
    xpd_ops_db_freeze(&out->host);
    xpd_ops_modules_fini(&job.modules);
    xpd_ops_walk_fini(&job.walk);
    if (rc == XPD_OK && (out->device.failed || out->host.failed || job.texts.failed))
        rc = xpd_no_memory(err, NULL, "for op metrics");
    xpd_intern_fini(&job.texts);
    return rc;
}

/* ---- side table of the run ---- */

static void combine_peaks(struct xpd_ops_peaks *to, const struct xpd_ops_peaks *from)
{
    if (from->tflops > 0)
        to->tflops = from->tflops;
    if (from->count && !to->count) {
        memcpy(to->gb_per_s, from->gb_per_s, sizeof to->gb_per_s);
        to->count = from->count;
    }
}

static void combine(struct xpd_op_stats *to, const struct xpd_op_stats *from,
                    struct xpd_arena *arena)
{
    xpd_ops_db_combine(&to->device, &from->device);
    xpd_ops_db_combine(&to->host, &from->host);
    combine_peaks(&to->peaks, &from->peaks);
    if (!xpd_str_eq(from->device_type, XPD_STR("CPU")) &&
        !xpd_str_eq(from->device_type, XPD_STR("Device"))) {
        to->device_type = from->device_type;
        to->core_count += from->core_count;
    } else if (to->device_type.size == 0) {
        to->device_type = from->device_type;
    }
    if (from->hardware > to->hardware)
        to->hardware = from->hardware;
    struct xpd_ops_kernel *kernel = XPD_NEW_ARRAY(arena, struct xpd_ops_kernel,
                                                  (size_t)to->kernels.count + from->kernels.count);
    struct xpd_xprof_program *program = XPD_NEW_ARRAY(
        arena, struct xpd_xprof_program, (size_t)to->program_count + from->program_count);
    if (!kernel || !program)
        return; /* the arena remembers */
    for (uint32_t i = 0; i < to->kernels.count; i++)
        kernel[i] = to->kernels.at[i];
    for (uint32_t i = 0; i < from->kernels.count; i++)
        kernel[to->kernels.count++] = from->kernels.at[i];
    for (uint32_t i = 0; i < to->program_count; i++)
        program[i] = to->program[i];
    for (uint32_t i = 0; i < from->program_count; i++)
        program[to->program_count++] = from->program[i];
    to->kernels.at = kernel;
    to->program = program;
}

static int make_all(struct xpd_op_stats *out, struct xpd_arena *arena,
                    const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    xpd_ops_db_init(&out->device, arena);
    xpd_ops_db_init(&out->host, arena);
    out->has_complete = true;
    const uint32_t *number = xpd_host_order(ctx->run, ctx->arena);
    int rc = number ? XPD_OK : xpd_no_memory(err, NULL, "for this answer");
    xpd_host_tables_ahead(ctx, (const struct xpd_host_table *const[]){&xpd_op_stats_table}, 1);
    for (uint32_t i = 0; i < ctx->run->host_count && rc == XPD_OK; i++) {
        const struct xpd_op_stats *one;
        if (!ctx->run->host[number[i]].space)
            continue;
        rc = xpd_op_stats_of_host(ctx, number[i], &one, err);
        if (rc == XPD_OK)
            combine(out, one, arena);
    }
    out->kernels = xpd_ops_kernels_top(out->kernels.at, out->kernels.count, arena);
    xpd_ops_db_freeze(&out->device);
    xpd_ops_db_freeze(&out->host);
    return rc;
}

static int make(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx, uint32_t host,
                struct xpd_err *err)
{
    return host == ctx->run->host_count ? make_all(table, arena, ctx, err)
                                        : make_host(table, arena, ctx, host, err);
}

const struct xpd_host_table xpd_op_stats_table = {XPD_HOST_OPS, sizeof(struct xpd_op_stats), make};

int xpd_op_stats_of_host(const struct xpd_tool_ctx *ctx, uint32_t host,
                         const struct xpd_op_stats **out, struct xpd_err *err)
{
    const void *table;
    int rc = xpd_host_table(ctx, host, &xpd_op_stats_table, &table, err);
    *out = table;
    return rc;
}

/* Why a host has no profile, with the name of its file. */
static int unread(const struct xpd_run *run, uint32_t number, struct xpd_err *err)
{
    const struct xpd_host *host = number < run->host_count ? &run->host[number] : NULL;
    if (host && host->error.code != XPD_OK)
        return xpd_fail(err, host->error.code, host->input->name, host->error.offset, "%s",
                        host->error.text);
    return xpd_fail(err, XPD_ENOTFOUND, "host", XPD_NO_OFFSET,
                    "run %s has no profile that can be read", run->entry->id);
}

int xpd_op_stats_of(const struct xpd_tool_ctx *ctx, const struct xpd_op_stats **out,
                    struct xpd_err *err)
{
    const struct xpd_run *run = ctx->run;
    struct xpd_str name = xpd_param_text(ctx, "host");
    uint32_t host = run->host_count, readable = 0, last = 0;
    for (uint32_t i = 0; i < run->host_count; i++) {
        if (xpd_str_eq(name, xpd_str_of(run->host[i].name)))
            host = i;
        if (run->host[i].space) {
            readable++;
            last = i;
        }
    }
    if (host == run->host_count && name.size && !xpd_str_eq(name, XPD_STR("ALL_HOSTS")))
        return xpd_fail(err, XPD_ENOTFOUND, "host", XPD_NO_OFFSET,
                        "No xplane file found for host: %.*s in run: %s",
                        (int)(name.size < 200 ? name.size : 200), name.data, run->entry->id);
    if (readable == 0 || (host < run->host_count && !run->host[host].space))
        return unread(run, host < run->host_count ? host : 0, err);
    if (host == run->host_count && run->host_count == 1)
        host = last;
    return xpd_op_stats_of_host(ctx, host, out, err);
}
