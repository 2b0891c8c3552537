/* The mesh of devices and the sharding that a person gives. In: the parameters `mesh` and
 * `sharding`. Out: what replica groups and shardings mean along its axes, null where there is
 * nothing to say. */
#include "explain.h"

int xpd_explain_read_mesh(struct xpd_explaining *e, struct xpd_err *err)
{
    const struct xpd_shape *array =
        e->from.hlo ? e->from.hlo->instructions.shape[e->from.instruction] : e->line.shape;
    int rc = XPD_OK;
    if (xpd_param_text(e->ctx, "mesh").size)
        rc = xpd_mesh_parse(&e->mesh, xpd_param_text(e->ctx, "mesh"), err);
    if (rc == XPD_OK && xpd_param_text(e->ctx, "sharding").size)
        rc = xpd_mesh_sharding(&e->sharding, e->ctx->arena, &e->mesh,
                               xpd_param_text(e->ctx, "sharding"), array, err);
    return rc;
}

struct xpd_str xpd_explain_mesh_groups(struct xpd_explaining *e, const struct xpd_groups *groups)
{
    if (e->mesh.count && groups)
        xpd_mesh_groups_words(&e->text, &e->mesh, groups);
    return xpd_tools_or_null(xpd_explain_keep(e));
}

struct xpd_str xpd_explain_mesh_sharding(struct xpd_explaining *e, struct xpd_str sharding)
{
    if (e->mesh.count)
        xpd_mesh_sharding_words(&e->text, e->ctx->arena, &e->mesh, sharding);
    return xpd_tools_or_null(xpd_explain_keep(e));
}
