/* The two sides of a comparison. In: a prepared call, its parameters base_*. Out: what a tool makes
 * of it and of the same call as if it asked for the baseline. */
#include "compare_parts.h"

static bool on_host(const struct xpd_module *module, const struct xpd_run *run, struct xpd_str host)
{
    for (uint32_t i = 0; i < module->host_count; i++)
        if (xpd_str_eq(host, xpd_str_of(run->host[module->host[i]].name)))
            return true;
    return false;
}

static int pick_space(const struct xpd_tool_ctx *ctx, struct xpd_tool_ctx *base,
                      struct xpd_err *err)
{
    int64_t color = ctx->color;
    xpd_str_to_i64(xpd_param_text(ctx, "base_space"), &color);
    base->space = xpd_mem_space_of(base->mem, color);
    base->color = color;
    if (base->space)
        return XPD_OK;
    if (base->mem->space_count == 0)
        return xpd_fail(err, XPD_ENOTFOUND, "base_module", XPD_NO_OFFSET,
                        "module %s of the program before has no buffer assignment, so its memory "
                        "is unknown and cannot be compared",
                        base->run->module[base->module].key);
    return xpd_fail(err, XPD_ENOTFOUND, "base_space", XPD_NO_OFFSET,
                    "before: module %s has no memory space %" PRId64 "",
                    base->run->module[base->module].key, color);
}

/* The run is held until the answer is written (ctx->beside). */
static int open_base(const struct xpd_tool_ctx *ctx, struct xpd_tool_ctx *base, struct xpd_err *err)
{
    *base = *ctx;
    base->run = NULL;
    struct xpd_str run = xpd_param_text(ctx, "base_run");
    struct xpd_str module = xpd_param_text(ctx, "base_module");
    struct xpd_str host = xpd_param_text(ctx, "base_host");
    if (run.size == 0)
        run = xpd_str_of(ctx->run->entry->id);
    bool same = xpd_str_eq(run, xpd_str_of(ctx->run->entry->id));
    struct xpd_str only = same ? xpd_param_text(ctx, "only") : XPD_STR("");
    int rc =
        xpd_store_acquire_part(ctx->store, run, only, ctx->wait_ms, &base->run, ctx->state, err);
    if (rc != XPD_OK)
        return rc;
    *ctx->beside = base->run;
    rc = module.size > 0 ? xpd_run_find_module(base->run, module, &base->module, err)
                         : xpd_compare_pair(ctx->store, base->run, &ctx->run->module[ctx->module],
                                            ctx->hlo, &base->module, err);
    if (rc == XPD_OK && host.size > 0 &&
        !on_host(&base->run->module[base->module], base->run, host))
        rc = xpd_fail(err, XPD_ENOTFOUND, "base_host", XPD_NO_OFFSET,
                      "before: host %.*s does not have module %s",
                      (int)(host.size < 80 ? host.size : 80), host.data,
                      base->run->module[base->module].key);
    if (rc == XPD_OK)
        rc = xpd_store_module(ctx->store, base->run, base->module, &base->hlo, &base->mem, err);
    return rc == XPD_OK ? pick_space(ctx, base, err) : rc;
}

int xpd_compare_with_base(const struct xpd_tool_ctx *ctx, xpd_compare_answer_fn *answer,
                          size_t size, const void **to, struct xpd_err *err)
{
    struct xpd_tool_ctx both[2] = {{0}, *ctx};
    void *made = xpd_arena_calloc(ctx->arena, 1, size);
    if (!made)
        return xpd_tools_no_memory(err);
    *to = made;
    int rc = open_base(ctx, &both[0], err);
    return rc == XPD_OK ? answer(both, made, err) : rc;
}

struct xpd_compared_words xpd_compared_words(struct xpd_texts *texts,
                                             const struct xpd_tool_ctx ctx[2],
                                             const uint32_t buffer[2])
{
    int s = buffer[1] != XPD_NO_INDEX;
    const struct xpd_hlo *hlo = ctx[s].hlo;
    uint32_t instruction = xpd_tools_instruction(ctx[s].mem, buffer[s]);
    struct xpd_compared_words words = {0};
    if (buffer[s] == XPD_NO_INDEX)
        return words;
    words.group = xpd_tools_group(hlo, instruction);
    words.opcode = xpd_tools_opcode(hlo, instruction);
    xpd_doctor_scope(&texts->scratch, xpd_tools_op_name(hlo, instruction));
    words.scope = xpd_strbuf_keep(&texts->scratch, texts->arena);
    xpd_tools_source(&texts->scratch, hlo, instruction);
    words.source = xpd_strbuf_keep(&texts->scratch, texts->arena);
    return words;
}
