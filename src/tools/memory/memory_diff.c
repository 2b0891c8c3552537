/* /api/v1/memory/diff: what is held after step a and not after step b, and the other way round. */
#include "../common/common.h"
#include "xprofd/base/checked.h"
#include "xprofd/tools/held.h"

#define ROWS_MAX 1000 /* of each side, the largest */

struct side {
    uint32_t step;
    struct xpd_held_list held;
    struct xpd_held *only; /* the largest, descending */
    uint32_t count;
    uint32_t rest_count;
    int64_t rest_bytes, only_bytes;
};

static int by_size(const void *a, const void *b)
{
    const struct xpd_held *x = a, *y = b;
    if (x->size_bytes != y->size_bytes)
        return x->size_bytes < y->size_bytes ? 1 : -1;
    return x->tenancy < y->tenancy ? -1 : x->tenancy > y->tenancy;
}

/* Rows of `side` whose tenancy is not held at the other step. */
static int keep_only(struct side *side, const struct side *other, struct xpd_arena *arena,
                     struct xpd_err *err)
{
    side->only = XPD_NEW_ARRAY(arena, struct xpd_held, side->held.count);
    if (!side->only)
        return xpd_tools_no_memory(err);
    for (uint32_t i = side->held.resident_count; i < side->held.count; i++) {
        const struct xpd_held *row = &side->held.at[i];
        if (row->start <= other->step && other->step < row->end)
            continue;
        side->only[side->count++] = *row;
        xpd_grow_i64(&side->only_bytes, row->size_bytes);
    }
    qsort(side->only, side->count, sizeof *side->only, by_size);
    for (uint32_t i = ROWS_MAX; i < side->count; i++) {
        side->rest_count++;
        xpd_grow_i64(&side->rest_bytes, side->only[i].size_bytes);
    }
    if (side->count > ROWS_MAX)
        side->count = ROWS_MAX;
    return XPD_OK;
}

static void write_side(struct xpd_jsonw *w, const char *key, const struct xpd_tool_ctx *ctx,
                       const struct side *side, struct xpd_names *names)
{
    const struct xpd_held *only = side->only;
    uint32_t n = side->count;
    xpd_json_key(w, key);
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "buffer", n, xpd_tools_index(w, only[row].buffer));
    XPD_COLUMN(w, "name", n, xpd_json_u64(w, xpd_names_buffer(names, ctx->mem, only[row].buffer)));
    XPD_COLUMN(w, "shape", n,
               xpd_json_u64(w, xpd_names_buffer_shape(names, ctx->mem, only[row].buffer)));
    XPD_COLUMN(w, "size_bytes", n, xpd_json_i64(w, only[row].size_bytes));
    xpd_json_key(w, "rest");
    xpd_json_obj(w);
    xpd_json_ku64(w, "count", side->rest_count);
    xpd_json_ki64(w, "bytes", side->rest_bytes);
    xpd_json_obj_end(w);
    xpd_json_obj_end(w);
}

static void write(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx, const struct side *a,
                  const struct side *b)
{
    struct xpd_names names;
    xpd_names_init(&names, ctx->arena);
    xpd_json_obj(w);
    xpd_json_ku64(w, "a", a->step);
    xpd_json_ku64(w, "b", b->step);
    xpd_json_ki64(w, "bytes_a", a->held.bytes);
    xpd_json_ki64(w, "bytes_b", b->held.bytes);
    write_side(w, "only_a", ctx, a, &names);
    write_side(w, "only_b", ctx, b, &names);
    xpd_names_write(&names, w);
    xpd_json_ki64(w, "only_a_bytes", a->only_bytes);
    xpd_json_ki64(w, "only_b_bytes", b->only_bytes);
    xpd_json_ki64(w, "both_bytes", a->held.listed_bytes - a->only_bytes);
    /* storages held at both steps that larger values joined in between */
    xpd_json_ki64(w, "both_grown_bytes",
                  (b->held.listed_bytes - b->only_bytes) - (a->held.listed_bytes - a->only_bytes));
    xpd_json_ki64(w, "overlap_a_bytes", a->held.listed_bytes - a->held.bytes);
    xpd_json_ki64(w, "overlap_b_bytes", b->held.listed_bytes - b->held.bytes);
    xpd_json_ku64(w, "limit", ROWS_MAX);
    xpd_json_obj_end(w);
    xpd_names_fini(&names);
}

static int diff(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct side a = {0}, b = {0};
    int rc = xpd_tools_step(ctx, "a", &a.step, err);
    if (rc == XPD_OK)
        rc = xpd_tools_step(ctx, "b", &b.step, err);
    if (rc == XPD_OK)
        rc = xpd_held_at(&a.held, ctx->mem, ctx->space, a.step, ctx->arena, err);
    if (rc == XPD_OK)
        rc = xpd_held_at(&b.held, ctx->mem, ctx->space, b.step, ctx->arena, err);
    if (rc == XPD_OK)
        rc = keep_only(&a, &b, ctx->arena, err);
    if (rc == XPD_OK)
        rc = keep_only(&b, &a, ctx->arena, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    write(&w, ctx, &a, &b);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    {.name = "a", .type = XPD_PARAM_INT, .required = true, .max = UINT32_MAX, .help = "a step"},
    {.name = "b", .type = XPD_PARAM_INT, .required = true, .max = UINT32_MAX, .help = "a step"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_diff = {
    .route = "/api/v1/memory/diff",
    .title = "What is held after one step and not after another, and the other way round.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = diff,
};
