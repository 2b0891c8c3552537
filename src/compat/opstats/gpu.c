/* Op metrics of a GPU: its kernels by program and instruction, or by TensorFlow operation where no
 * program is named. Lines are streams; nothing nests. Rules: XProf's xplane_to_op_metrics_db.cc and
 * op_utils.cc. */
#include "gpu.h"

#include "file_events.h"
#include "xprofd/trace/tf_op.h"

#include <stdio.h>

enum { HLO_OP, PROGRAM, TF_OP, KERNEL, EQUATION, EAGER, ENERGY, FLOPS, BYTES, CORRELATION };
static const char *const stat_name[] = {
    "hlo_op",   "program_id",   "tf_op", "kernel_details", "equation",
    "is_eager", "vdd_energy_j", "flops", "bytes_accessed", "correlation_id"};

struct plane {
    struct xpd_ops_gpu *gpu;
    struct xpd_ops_db *db;
    uint32_t number;
    int64_t first_ps, last_ps;
    struct xpd_str vendor;
    struct repeat {                           /* of one instruction: what XProf adds up as one */
        const struct xpd_ops_instruction *in; /* NULL: none */
        uint64_t program_id;                  /* of its first kernel */
        uint64_t where;                       /* of its last one so far */
    } repeat;
    struct xpd_file_plane groups; /* opened for the first question, in the arena */
    bool groups_open;
    struct xpd_arena arena;
};

static struct xpd_str innermost(struct xpd_str text)
{
    return xpd_op_innermost(text);
}

static struct xpd_str name_of(const struct xpd_ops_walk *walk, const struct xpd_ops_event *event)
{
    return event->metadata == XPD_NO_METADATA
               ? XPD_STR("")
               : xpd_intern_get(&walk->trace->names, walk->tables->event[event->metadata].name);
}

static bool is_eager(const struct plane *plane, const struct xpd_ops_event *event)
{
    bool told = event->stat[CORRELATION].field || xpd_is_tf_op(name_of(plane->gpu->walk, event));
    return xpd_ops_is_eager(plane->gpu->walk, event, told,
                            xpd_ops_any_int(&event->stat[EAGER]) != 0);
}

/* Adds an execution of an operation; `op` is in the database. */
static void add(struct xpd_ops_db *db, struct xpd_ops_metrics *op, uint64_t duration_ps,
                double energy_j)
{
    op->occurrences++;
    op->time_ps += duration_ps;
    op->self_ps += duration_ps;
    op->energy_j += energy_j;
    db->total_op_ps += duration_ps;
}

static void add_flops(struct xpd_ops_metrics *op, int64_t flops, int64_t model_flops, int64_t bytes)
{
    op->flops += (uint64_t)flops;
    op->flops_v2 += (double)flops;
    if (model_flops == 0) {
        op->model_flops = op->flops;
        op->model_flops_v2 = op->flops_v2;
    } else {
        op->model_flops += (uint64_t)model_flops;
        op->model_flops_v2 += (double)model_flops;
    }
    op->bytes += (uint64_t)bytes;
}

static void take_instruction(struct plane *plane, const struct xpd_ops_event *event,
                             const struct xpd_ops_instruction *in, uint64_t program_id)
{
    struct xpd_ops_metrics *op = xpd_ops_db_put(plane->db, program_id, in->facts.name);
    if (!op)
        return;
    if (op->occurrences == 0 && op->category.size == 0 && op->provenance.size == 0) {
        struct xpd_str name = op->name;
        *op = in->facts;
        op->name = name;
        op->program_id = program_id;
        op->eager = is_eager(plane, event);
        if (op->category.size == 0)
            op->category = XPD_STR("unknown");
    }
    int64_t said = (int64_t)xpd_ops_any_int(&event->stat[FLOPS]);
    int64_t bytes = (int64_t)xpd_ops_any_int(&event->stat[BYTES]);
    add(plane->db, op, (uint64_t)event->duration_ps, xpd_ops_double(&event->stat[ENERGY]));
    add_flops(op, in->flops > 0 ? in->flops : said, in->model_flops > 0 ? in->model_flops : said,
              in->bytes > 0 ? in->bytes : bytes);
    xpd_ops_add_access(plane->db->arena, &op->access, &op->access_count, in->access,
                       in->access_count, 1);
}

/* ---- repeats ---- */

/* -1 = none. */
static int64_t group_of(struct plane *plane, uint64_t where)
{
    const struct xpd_ops_walk *walk = plane->gpu->walk;
    const struct xpd_file_host host = {.trace = walk->trace, .derived = walk->derived};
    struct xpd_err err = {0};
    if (!walk->derived)
        return -1;
    if (!plane->groups_open && xpd_file_plane_open(&plane->groups, &host, plane->number, NULL,
                                                   &plane->arena, &err) != XPD_OK) {
        plane->db->failed = true;
        return -1;
    }
    plane->groups_open = true;
    return xpd_file_group_at(&plane->groups, where);
}

/* XProf adds up kernels of one instruction that follow each other on a stream in one group, and
 * takes the program of the first for all: "dot.1" of another program counts there too. A kernel
 * without a group continues none, and is continued by those of group 0. */
static bool is_repeated(struct plane *plane, const struct xpd_ops_instruction *in, uint64_t where)
{
    const struct repeat *repeat = &plane->repeat;
    if (!repeat->in || !xpd_str_eq(repeat->in->facts.name, in->facts.name))
        return false;
    int64_t group = group_of(plane, where), last = group_of(plane, repeat->where);
    return group >= 0 && group == (last < 0 ? 0 : last);
}

static void take_repeat(struct plane *plane, const struct xpd_ops_event *event,
                        const struct xpd_ops_instruction *in, uint64_t program_id)
{
    struct repeat *repeat = &plane->repeat;
    bool other = repeat->in != in || repeat->program_id != program_id;
    if (other && !is_repeated(plane, in, event->where))
        *repeat = (struct repeat){.in = in, .program_id = program_id};
    repeat->where = event->where;
    take_instruction(plane, event, repeat->in, repeat->program_id);
}

static void take_tf_op(struct plane *plane, const struct xpd_ops_event *event, struct xpd_str full)
{
    struct xpd_tf_op tf = xpd_tf_op_parse(full);
    struct xpd_str event_name = name_of(plane->gpu->walk, event);
    char *name = xpd_arena_printf(plane->db->arena, "%.*s/%.*s", (int)tf.name.size, tf.name.data,
                                  (int)event_name.size, event_name.data);
    struct xpd_ops_metrics *op = name ? xpd_ops_db_put(plane->db, 0, xpd_str_of(name)) : NULL;
    if (!op)
        return;
    if (op->occurrences == 0) {
        op->category = tf.type.size ? xpd_arena_str(plane->db->arena, tf.type) : XPD_STR("unknown");
        op->provenance = xpd_arena_str(plane->db->arena, full);
        op->line = -1; /* unknown */
        op->eager = is_eager(plane, event);
    }
    add(plane->db, op, (uint64_t)event->duration_ps, 0);
}

static void take_kernel(struct plane *plane, const struct xpd_ops_event *event,
                        const struct xpd_ops_instruction *in)
{
    const struct xpd_ops_walk *walk = plane->gpu->walk;
    if (event->duration_ps == 0)
        return;
    struct xpd_str full = xpd_ops_text(walk, &event->stat[TF_OP]);
    struct xpd_ops_kernel kernel = {.name = name_of(walk, event), .occurrences = 1};
    kernel.total_ns = kernel.min_ns = kernel.max_ns = (uint64_t)event->duration_ps / 1000;
    kernel.tensor_core = xpd_ops_is_tensor_core_kernel(plane->vendor, kernel.name);
    xpd_ops_kernel_details(&kernel, xpd_ops_text(walk, &event->stat[KERNEL]));
    if (full.size) {
        kernel.op_name = xpd_tf_op_parse(full).name;
        kernel.eligible = kernel.tensor_core || xpd_ops_is_eligible(kernel.op_name) ||
                          xpd_ops_is_eligible_einsum(xpd_ops_text(walk, &event->stat[EQUATION]));
    }
    if (in && in->found) {
        kernel.op_name = xpd_tf_op_parse(in->facts.provenance).name;
        kernel.eligible |= xpd_ops_is_eligible(kernel.op_name); /* its name alone, not the kernel */
    }
    xpd_ops_kernel_add(plane->gpu, &kernel);
}

static bool take_event(void *user, const struct xpd_ops_event *event)
{
    struct plane *plane = user;
    const struct xpd_ops_walk *walk = plane->gpu->walk;
    int64_t end_ps = (int64_t)((uint64_t)event->offset_ps + (uint64_t)event->duration_ps);
    if (event->offset_ps < plane->first_ps)
        plane->first_ps = event->offset_ps;
    if (end_ps > plane->last_ps)
        plane->last_ps = end_ps;
    const struct xpd_ops_instruction *in = NULL;
    struct xpd_str full = xpd_ops_text(walk, &event->stat[TF_OP]);
    uint64_t program_id = xpd_ops_any_int(&event->stat[PROGRAM]);
    if (event->stat[HLO_OP].field && event->stat[PROGRAM].field)
        in = plane->gpu->look_up(plane->gpu->modules, program_id,
                                 innermost(xpd_ops_text(walk, &event->stat[HLO_OP])));
    if (in && in->found) {
        take_repeat(plane, event, in, program_id);
    } else if (!event->stat[HLO_OP].field && full.size) {
        plane->repeat.in = NULL;
        take_tf_op(plane, event, full);
    }
    if (xpd_ops_text(walk, &event->stat[KERNEL]).size)
        take_kernel(plane, event, in);
    return !plane->db->failed;
}

void xpd_ops_gpu_plane(struct xpd_ops_db *db, struct xpd_ops_gpu *gpu, uint32_t number)
{
    const struct xpd_plane *of = &gpu->walk->trace->space->plane[number];
    struct plane plane = {.gpu = gpu, .db = db, .number = number, .first_ps = INT64_MAX};
    plane.vendor = xpd_ops_gpu_vendor(gpu->walk->trace->space, of);
    xpd_ops_walk_plane(gpu->walk, number, stat_name, sizeof stat_name / sizeof *stat_name);
    for (uint32_t i = 0; i < of->line_count; i++) {
        plane.repeat.in = NULL;
        if (!xpd_ops_is_made(&of->line[i]))
            xpd_ops_walk_line(gpu->walk, &of->line[i], take_event, &plane);
    }
    xpd_arena_fini(&plane.arena);
    uint64_t span_ps = (uint64_t)plane.last_ps - (uint64_t)plane.first_ps;
    xpd_ops_db_finish(db, plane.last_ps ? span_ps : 0);
}
