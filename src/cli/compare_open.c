/* Opens two profiles and finds the pair of programs. In: the command's options. Out: two contexts.
 */
#include "compare_open.h"

/* Of a program without its buffer assignment: it holds nothing at no step. */
static const struct xpd_mem_space no_space = {.peak_step = XPD_NO_STEP};

static int pick_space(struct xpd_tool_ctx *ctx, const struct xpd_profile_args *args,
                      struct xpd_err *err)
{
    int64_t color = 0;
    if (args->space && !xpd_str_to_i64(xpd_str_of(args->space), &color))
        return xpd_fail(err, XPD_EINVAL, "--space", XPD_NO_OFFSET,
                        "--space takes the number of a memory space, not \"%s\"", args->space);
    ctx->space = xpd_mem_space_of(ctx->mem, color);
    if (!ctx->space && !args->space && ctx->mem->space_count > 0)
        ctx->space = &ctx->mem->space[0];
    if (!ctx->space && !args->space && !ctx->hlo->has_buffer_assignment)
        ctx->space = &no_space;
    if (!ctx->space)
        return xpd_fail(err, XPD_ENOTFOUND, args->path, XPD_NO_OFFSET,
                        "module %s has no memory space %lld", ctx->run->module[ctx->module].key,
                        (long long)color);
    ctx->color = ctx->space->color;
    return XPD_OK;
}

static int load(struct xpd_tool_ctx *ctx, const struct xpd_profile_args *args, struct xpd_err *err)
{
    int rc = xpd_store_module(ctx->store, ctx->run, ctx->module, &ctx->hlo, &ctx->mem, err);
    return rc == XPD_OK ? pick_space(ctx, args, err) : rc;
}

static void start(struct xpd_tool_ctx *ctx, const struct xpd_cli_profile *profile,
                  const struct xpd_profile_args *args, struct xpd_arena *arena)
{
    *ctx = (struct xpd_tool_ctx){.arena = arena,
                                 .store = profile->store,
                                 .run = profile->run,
                                 .hbm_override_bytes = args->hbm_bytes,
                                 .wait_ms = -1};
}

int xpd_cli_context(struct xpd_tool_ctx *ctx, const struct xpd_cli_profile *profile,
                    const struct xpd_profile_args *args, struct xpd_arena *arena,
                    struct xpd_err *err)
{
    start(ctx, profile, args, arena);
    if (ctx->run->module_count == 0 &&
        !args->module) { /* xpd_cli_require_modules is the caller's */
        ctx->module = XPD_NO_INDEX;
        return XPD_OK;
    }
    int rc = args->module
                 ? xpd_run_find_module(ctx->run, xpd_str_of(args->module), &ctx->module, err)
                 : xpd_store_default_module(ctx->store, ctx->run, &ctx->module, err);
    return rc == XPD_OK ? load(ctx, args, err) : rc;
}

int xpd_cli_pair_open(struct xpd_cli_pair *pair, const struct xpd_profile_args *args,
                      struct xpd_err *err)
{
    struct xpd_profile_args one[2] = {*args, *args};
    one[1].path = args->path2;
    int rc = XPD_OK;
    for (int s = 0; s < 2 && rc == XPD_OK; s++) {
        rc = xpd_cli_open(&pair->profile[s], &one[s], err);
        if (rc == XPD_OK)
            rc = xpd_cli_require_modules(&pair->profile[s], err);
    }
    if (rc == XPD_OK)
        rc = xpd_cli_context(&pair->ctx[1], &pair->profile[1], &one[1], &pair->arena, err);
    if (rc != XPD_OK)
        return rc;
    start(&pair->ctx[0], &pair->profile[0], &one[0], &pair->arena);
    rc = args->base_module ? xpd_run_find_module(pair->ctx[0].run, xpd_str_of(args->base_module),
                                                 &pair->ctx[0].module, err)
                           : xpd_compare_pair(pair->ctx[0].store, pair->ctx[0].run,
                                              &pair->ctx[1].run->module[pair->ctx[1].module],
                                              pair->ctx[1].hlo, &pair->ctx[0].module, err);
    return rc == XPD_OK ? load(&pair->ctx[0], &one[0], err) : rc;
}

void xpd_cli_pair_close(struct xpd_cli_pair *pair)
{
    for (int s = 0; s < 2; s++)
        xpd_cli_close(&pair->profile[s]);
    xpd_arena_fini(&pair->arena);
}
