/* What is held at a step of a changed program.
 *
 * In: a plan, as memory/whatif reads it. Each buffer's changes of the curve are kept with its
 * storage; the rows held at a step (memory/held.h) less those that cover it are the rows of the
 * changed program, so that their sum is its curve. */
#include "whatif_changed.h"

#include "whatif.h"
#include "xprofd/base/checked.h"

/* ---- the plan, with whose change is whose ---- */

static void keep(struct xpd_changed *c, uint32_t storage, struct xpd_changed_less less)
{
    less.next = c->first[storage];
    XPD_PUSH(&c->less, less);
    if (!c->less.failed)
        c->first[storage] = (uint32_t)c->less.count;
}

static void add(struct xpd_changed *c, uint32_t buffer, const struct xpd_whatif_item *item)
{
    struct xpd_plan *plan = &c->plan;
    uint32_t changes = plan->change_count, done = plan->done_count;
    int64_t resident = plan->resident_less_bytes;
    int64_t parts = item->action == XPD_ACTION_HALVE   ? 2
                    : item->action == XPD_ACTION_SHARD ? item->parts
                                                       : 1;
    (void)xpd_plan_add(plan, buffer, item->action, item->parts);
    if (plan->failed || plan->done_count == done)
        return; /* it cannot be, or its storage was changed before */
    uint32_t storage = plan->done_key[plan->done_count - 1];
    for (uint32_t i = changes; i < plan->change_count; i++)
        keep(c, storage,
             (struct xpd_changed_less){.from = plan->change[i].from,
                                       .to = plan->change[i].to,
                                       .bytes = plan->change[i].less_bytes,
                                       .parts = parts});
    if (plan->resident_less_bytes != resident)
        keep(c, storage,
             (struct xpd_changed_less){
                 .to = UINT32_MAX, .bytes = plan->resident_less_bytes - resident, .parts = parts});
}

int xpd_changed_make(struct xpd_changed *c, const struct xpd_tool_ctx *ctx, struct xpd_err *err)
{
    struct xpd_whatif_list wants;
    size_t storages = (size_t)ctx->hlo->buffers.count + ctx->hlo->allocation_count;
    *c = (struct xpd_changed){.ctx = ctx};
    if (ctx->space->live_is_union)
        return xpd_fail(
            err, XPD_EINVAL, "space", XPD_NO_OFFSET,
            "addresses overlap in this memory space, so rows do not add up to the curve");
    int rc = xpd_whatif_read(ctx, "plan", &wants, err);
    if (rc != XPD_OK)
        return rc;
    xpd_plan_init(&c->plan, ctx->mem, ctx->space, ctx->arena);
    c->first = XPD_NEW_ARRAY(ctx->arena, uint32_t, storages + 1);
    c->stays = XPD_NEW_ARRAY(ctx->arena, uint32_t, (size_t)ctx->space->tenancy_count + 1);
    if (!c->first || !c->stays)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < wants.count; i++)
        for (uint32_t k = 0; k < wants.at[i].count; k++)
            add(c, wants.at[i].buffer[k], &wants.at[i]);
    for (uint32_t i = 0; i < c->plan.longer_count; i++) {
        const struct xpd_plan_longer *l = &c->plan.longer[i];
        if (l->until > c->stays[l->tenancy])
            c->stays[l->tenancy] = l->until;
    }
    return c->plan.failed || c->less.failed ? xpd_tools_no_memory(err) : XPD_OK;
}

void xpd_changed_fini(struct xpd_changed *c)
{
    XPD_VEC_FINI(&c->less);
}

/* ---- a step of it ---- */

/* The row's sizes with the changes of its storage that cover the step. */
static void change(const struct xpd_changed *c, struct xpd_held *row, uint32_t step)
{
    uint32_t storage;
    if (row->tenancy != XPD_NO_INDEX)
        storage = c->ctx->mem->buffer[c->ctx->space->tenancy[row->tenancy].buffer].root;
    else if (row->allocation != XPD_NO_INDEX)
        storage = c->ctx->hlo->buffers.count + row->allocation;
    else
        return;
    for (uint32_t i = c->first[storage]; i != 0; i = c->less.at[i - 1].next) {
        const struct xpd_changed_less *less = &c->less.at[i - 1];
        if (step < less->from || (step >= less->to && less->to != UINT32_MAX))
            continue;
        xpd_grow_i64(&row->size_bytes, -less->bytes);
        row->unpadded_bytes =
            row->unpadded_bytes / less->parts + (row->unpadded_bytes % less->parts != 0);
    }
    if (row->unpadded_bytes > row->size_bytes)
        row->unpadded_bytes = row->size_bytes;
}

static void put(struct xpd_changed_rows *rows, struct xpd_held held, int64_t now_bytes)
{
    rows->at[rows->count++] = (struct xpd_changed_row){held, now_bytes};
    xpd_grow_i64(&rows->now_bytes, now_bytes);
    xpd_grow_i64(&rows->bytes, held.size_bytes);
}

/* An input of what is computed once more, held until then. */
static struct xpd_held staying(const struct xpd_changed *c, uint32_t t)
{
    const struct xpd_tenancy *tenancy = &c->ctx->space->tenancy[t];
    return (struct xpd_held){.buffer = tenancy->buffer,
                             .tenancy = t,
                             .allocation = c->ctx->mem->buffer[tenancy->buffer].allocation,
                             .start = tenancy->start_step,
                             .end = c->stays[t],
                             .mem_class = XPD_CLASS_TEMPORARY,
                             .size_bytes = tenancy->size_bytes,
                             .unpadded_bytes = tenancy->unpadded_bytes,
                             .offset_bytes = tenancy->offset_bytes};
}

/* Of what is live at the step before the changes. */
static int changed_rows(struct xpd_changed_rows *rows, const struct xpd_changed *c,
                        const struct xpd_held_list *held, uint32_t step, struct xpd_err *err)
{
    const struct xpd_mem_space *space = c->ctx->space;
    uint32_t stays = 0;
    for (uint32_t t = 0; t < space->tenancy_count; t++)
        stays += space->tenancy[t].end_step <= step && step < c->stays[t];
    *rows = (struct xpd_changed_rows){.at = XPD_NEW_ARRAY(c->ctx->arena, struct xpd_changed_row,
                                                          (size_t)held->count + stays + 1)};
    if (!rows->at)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < held->count; i++) {
        struct xpd_held row = held->at[i];
        change(c, &row, step);
        put(rows, row, held->at[i].size_bytes);
    }
    for (uint32_t t = 0; t < space->tenancy_count && stays > 0; t++)
        if (space->tenancy[t].end_step <= step && step < c->stays[t])
            put(rows, staying(c, t), 0);
    return XPD_OK;
}

int xpd_changed_at(struct xpd_changed_rows *rows, const struct xpd_changed *c, uint32_t step,
                   struct xpd_err *err)
{
    struct xpd_held_list held;
    int rc = xpd_held_at(&held, c->ctx->mem, c->ctx->space, step, c->ctx->arena, err);
    return rc == XPD_OK ? changed_rows(rows, c, &held, step, err) : rc;
}

/* ---- lists of the changed program ---- */

/* In: the list before the changes. */
static int changed_list(struct xpd_held_list *list, const struct xpd_changed *c, uint32_t step,
                        struct xpd_err *err)
{
    struct xpd_changed_rows rows;
    int rc = changed_rows(&rows, c, list, step, err);
    if (rc != XPD_OK)
        return rc;
    list->at = XPD_NEW_ARRAY(c->ctx->arena, struct xpd_held, (size_t)rows.count + 1);
    if (!list->at)
        return xpd_tools_no_memory(err);
    list->count = list->resident_count = 0;
    list->unpadded_bytes = 0;
    list->bytes = list->listed_bytes = rows.bytes;
    for (uint32_t i = 0; i < rows.count; i++) {
        const struct xpd_held *row = &rows.at[i].held;
        if (row->size_bytes <= 0 && rows.at[i].now_bytes > 0)
            continue;
        list->resident_count += row->tenancy == XPD_NO_INDEX;
        xpd_grow_i64(&list->unpadded_bytes, row->unpadded_bytes);
        list->at[list->count++] = *row;
    }
    return XPD_OK;
}

int xpd_tools_held(struct xpd_held_list *list, const struct xpd_tool_ctx *ctx, uint32_t step,
                   struct xpd_err *err)
{
    struct xpd_changed c;
    int rc = xpd_held_at(list, ctx->mem, ctx->space, step, ctx->arena, err);
    if (rc != XPD_OK || !xpd_param_has(ctx, "plan"))
        return rc;
    rc = xpd_changed_make(&c, ctx, err);
    if (rc == XPD_OK)
        rc = changed_list(list, &c, step, err);
    xpd_changed_fini(&c);
    return rc;
}
