/* See framework.h. Rules: XProf's op_metrics_db_utils.cc, kernel_stats_utils.cc, model_tracker.cc.
 */
#include "framework.h"

#include "xprofd/trace/tf_op.h"

static void add_to(struct xpd_ops_metrics *to, const struct xpd_ops_metrics *op)
{
    to->eager = op->eager;
    if (op->occurrences > to->occurrences) /* the most of those it consists of */
        to->occurrences = op->occurrences;
    to->time_ps += op->time_ps;
    to->self_ps += op->self_ps;
    to->flops += op->flops;
    to->flops_v2 += op->flops_v2;
    to->model_flops += op->model_flops;
    to->model_flops_v2 += op->model_flops_v2;
    to->bytes += op->bytes;
}

void xpd_ops_by_framework(struct xpd_ops_db *db, const struct xpd_op_stats *stats)
{
    const struct xpd_ops_db *device = &stats->device;
    db->total_ps = device->total_ps;
    db->total_op_ps = device->total_op_ps;
    for (uint32_t i = 0; i < device->count; i++) {
        const struct xpd_ops_metrics *op = &device->at[i];
        struct xpd_tf_op tf = {.name = op->name, .type = XPD_STR("")};
        if (xpd_ops_is_idle(op))
            tf.name = tf.type = op->category;
        else if (op->provenance.size)
            tf = xpd_tf_op_parse(op->provenance);
        struct xpd_ops_metrics *to = xpd_ops_db_put(db, 0, tf.name);
        if (!to)
            return;
        if (to->category.size == 0)
            to->category = tf.type.size ? tf.type : XPD_STR("Unknown");
        add_to(to, op);
    }
}

struct xpd_ops_tensor_cores xpd_ops_tensor_cores_of(const struct xpd_op_stats *stats,
                                                    struct xpd_str op_name)
{
    struct xpd_ops_tensor_cores cores = {0};
    for (uint32_t i = 0; i < stats->kernels.count; i++) {
        const struct xpd_ops_kernel *kernel = &stats->kernels.at[i];
        if (!xpd_str_eq(kernel->op_name, op_name))
            continue;
        cores.eligible |= kernel->eligible; /* one of its kernels makes it so */
        cores.found = true;
        cores.all_ns += kernel->total_ns;
        cores.busy_ns += kernel->tensor_core ? kernel->total_ns : 0;
    }
    return cores;
}

/* ---- training or inference ---- */

/* A scope of TensorFlow's gradients: "gradient_tape", "gradients", "gradients_2". */
static bool is_gradient_scope(struct xpd_str scope)
{
    return xpd_str_eq(scope, XPD_STR("gradient_tape")) || xpd_str_starts(scope, "gradients");
}

/* Looks at the parts between slashes: TensorFlow's are scopes but for the last, JAX's all. */
static bool has_gradient(struct xpd_str name, bool jax)
{
    size_t from = 0;
    for (size_t i = 0; i <= name.size; i++) {
        if (i < name.size && name.data[i] != '/')
            continue;
        struct xpd_str part = {name.data + from, i - from};
        from = i + 1;
        if (jax ? xpd_str_starts(part, "transpose(") : i < name.size && is_gradient_scope(part))
            return true;
    }
    return false;
}

bool xpd_ops_is_gradient(struct xpd_str name, struct xpd_str type)
{
    if (xpd_tf_is_type(type) && xpd_tf_is_name(name))
        return has_gradient(name, false);
    return (xpd_tf_is_jax(name, type) || type.size == 0) && has_gradient(name, true);
}
