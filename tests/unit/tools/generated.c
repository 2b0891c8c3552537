/* See generated.h. */
#include "generated.h"

void generated_open(struct generated *made, const struct bench_size *size)
{
    struct pbw proto = {0};
    struct bench_size real = *size; /* what it really has is not asked for */
    struct xpd_load_state load;
    struct xpd_tool_ctx *ctx = &made->ctx;
    *made = (struct generated){0};
    bench_build(&proto, &real);
    made->store = store_of_proto(proto.data, proto.len, made->path);
    pbw_free(&proto);
    *ctx = (struct xpd_tool_ctx){.arena = &made->arena, .store = made->store};
    struct xpd_catalog *catalog = xpd_store_catalog(made->store, 0);
    assert_int_equal(catalog->run_count, 1);
    assert_int_equal(
        xpd_store_acquire(made->store, xpd_str_of(catalog->run[0].id), -1, &ctx->run, &load, NULL),
        XPD_OK);
    xpd_catalog_release(catalog);
    assert_int_equal(xpd_store_module(made->store, ctx->run, 0, &ctx->hlo, &ctx->mem, NULL),
                     XPD_OK);
    ctx->space = xpd_mem_space_of(ctx->mem, 0);
    assert_non_null(ctx->space);
    ctx->color = 0;
}

void generated_close(struct generated *made)
{
    xpd_store_release(made->store, made->ctx.run);
    xpd_store_close(made->store);
    xpd_arena_fini(&made->arena);
    remove_folder(made->path);
}
