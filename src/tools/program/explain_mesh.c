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

static void put_words(struct xpd_explaining *e)
{
    xpd_json_key(e->w, "mesh");
    if (e->text.size == 0)
        xpd_json_null(e->w);
    else
        xpd_explain_words(e);
}

void xpd_explain_put_mesh_groups(struct xpd_explaining *e, const struct xpd_groups *groups)
{
    if (e->mesh.count && groups)
        xpd_mesh_groups_words(&e->text, &e->mesh, groups);
    put_words(e);
}

void xpd_explain_put_mesh_sharding(struct xpd_explaining *e, struct xpd_str sharding)
{
    if (e->mesh.count)
        xpd_mesh_sharding_words(&e->text, e->ctx->arena, &e->mesh, sharding);
    put_words(e);
}
