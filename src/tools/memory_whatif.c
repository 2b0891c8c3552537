/* /api/v1/memory/whatif: the peak without a set of buffers. */
#include "common.h"

#define BUFFERS_MAX 4096
#define TEXT_MAX    16384

/* "3,17,4": indexes, each once. */
static int read_list(const struct xpd_tool_ctx *ctx, uint32_t **list, uint32_t *count,
                     struct xpd_err *err)
{
    struct xpd_str rest = xpd_param_text(ctx, "buffers");
    bool *seen = XPD_NEW_ARRAY(ctx->arena, bool, ctx->hlo->buffers.count);
    *list = XPD_NEW_ARRAY(ctx->arena, uint32_t, BUFFERS_MAX);
    *count = 0;
    if (!seen || !*list)
        return xpd_tools_no_memory(err);
    while (rest.size > 0) {
        const char *comma = memchr(rest.data, ',', rest.size);
        size_t size = comma ? (size_t)(comma - rest.data) : rest.size;
        int64_t value;
        if (!xpd_str_to_i64((struct xpd_str){rest.data, size}, &value) || value < 0 ||
            value >= ctx->hlo->buffers.count)
            return xpd_fail(err, XPD_EINVAL, "buffers", XPD_NO_OFFSET,
                            "buffers is a list of buffer indexes below %" PRIu32
                            " separated by commas; \"%.*s\" is none",
                            ctx->hlo->buffers.count, (int)(size < 40 ? size : 40), rest.data);
        if (!seen[value] && *count == BUFFERS_MAX)
            return xpd_fail(err, XPD_ELIMIT, "buffers", XPD_NO_OFFSET,
                            "at most %d buffers at a time", BUFFERS_MAX);
        if (!seen[value])
            (*list)[(*count)++] = (uint32_t)value;
        seen[value] = true;
        size += comma != NULL;
        rest.data += size;
        rest.size -= size;
    }
    return XPD_OK;
}

static int whatif(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    uint32_t *list, count;
    int rc = read_list(ctx, &list, &count, err);
    if (rc != XPD_OK)
        return rc;
    int64_t new_peak = ctx->space->peak_bytes, saving = 0;
    uint32_t new_step = ctx->space->peak_step;
    if (count > 0)
        saving =
            xpd_tools_saving(ctx->mem, ctx->space, list, count, &new_peak, &new_step, ctx->arena);
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_json_ki64(&w, "saving_bytes", saving);
    xpd_json_ki64(&w, "new_peak_bytes", new_peak);
    xpd_tools_kindex(&w, "new_step", new_step);
    xpd_json_ku64(&w, "count", count);
    xpd_json_obj_end(&w);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    {.name = "buffers",
     .type = XPD_PARAM_TEXT,
     .required = true,
     .max = TEXT_MAX,
     .help = "buffer indexes separated by commas, at most 4,096"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_whatif = {
    .route = "/api/v1/memory/whatif",
    .title = "The peak without a set of buffers.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = whatif,
};
