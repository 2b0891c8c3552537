/* /api/v1/oom: an error text read, and held against a run's programs when one is named. */
#include "oom_match.h"

#include "xprofd/memory/oom_match.h"

#define TEXT_MAX    8000
#define PARTS_MAX   256
#define ITEMS_MAX   200
#define BUFFERS_MAX 16

XPD_RECORD_TABLE(xpd_oom_part_row, XPD_OOM_PART_FIELDS)
XPD_RECORD_TABLE(xpd_oom_item_row, XPD_OOM_ITEM_FIELDS)
XPD_RECORD_TABLE(xpd_oom_match_row, XPD_OOM_MATCH_FIELDS)
XPD_RECORD_TABLE(xpd_oom, XPD_OOM_FIELDS)

static void fill_parts(struct xpd_oom *out, const struct xpd_oom_text *text,
                       struct xpd_arena *arena)
{
    uint32_t n = text->part_count < PARTS_MAX ? text->part_count : PARTS_MAX;
    struct xpd_oom_part_row *row = XPD_NEW_ARRAY(arena, struct xpd_oom_part_row, n);
    for (uint32_t i = 0; row && i < n; i++)
        row[i] =
            (struct xpd_oom_part_row){text->part[i].offset, text->part[i].size, text->part[i].what};
    out->parts.at = row;
    out->parts.n = n;
}

static void fill_items(struct xpd_oom *out, const struct xpd_oom_text *text,
                       const struct xpd_oom_match *match, struct xpd_arena *arena)
{
    uint32_t n = text->item_count < ITEMS_MAX ? text->item_count : ITEMS_MAX;
    struct xpd_oom_item_row *row = XPD_NEW_ARRAY(arena, struct xpd_oom_item_row, n);
    for (uint32_t i = 0; row && i < n; i++) {
        const struct xpd_oom_item *item = &text->item[i];
        uint32_t buffer[BUFFERS_MAX];
        uint32_t fits = match->mem ? xpd_oom_item_buffers(match->mem, item, text->color, buffer,
                                                          BUFFERS_MAX, NULL)
                                   : 0;
        fits = fits < BUFFERS_MAX ? fits : BUFFERS_MAX;
        row[i] = (struct xpd_oom_item_row){
            .size_bytes = item->size_bytes,
            .unpadded_bytes = item->unpadded_bytes,
            .shape = xpd_tools_or_null(item->shape),
            .op_name = xpd_tools_or_null(item->op_name),
            .instruction = xpd_tools_or_null(item->instruction),
            .tag = xpd_tools_or_null(item->tag),
            .buffers = {XPD_COPY_ARRAY(arena, buffer, fits), fits},
        };
    }
    out->items.at = row;
    out->items.n = n;
    out->items_left_out = text->item_count - n;
}

static const struct xpd_oom_match_row *match_of(const struct xpd_tool_ctx *ctx,
                                                const struct xpd_oom_match *match)
{
    struct xpd_oom_match_row *out = XPD_NEW(ctx->arena, struct xpd_oom_match_row);
    if (out)
        *out = (struct xpd_oom_match_row){
            .module = match->module == XPD_NO_INDEX ? NULL : ctx->run->module[match->module].key,
            .space = match->space ? match->space->color : XPD_UNKNOWN,
            .matches = (int8_t)match->matches,
            .sentence = xpd_arena_str(ctx->arena, xpd_str_of(match->sentence)),
        };
    return out;
}

int xpd_oom_of(const struct xpd_oom **answer, const struct xpd_tool_ctx *ctx, struct xpd_str raw,
               struct xpd_err *err)
{
    struct xpd_oom_text text;
    struct xpd_oom_match match = {.module = XPD_NO_INDEX, .matches = -1};
    struct xpd_oom *out = XPD_NEW(ctx->arena, struct xpd_oom);
    if (!out)
        return xpd_tools_no_memory(err);
    int rc = xpd_oom_read(&text, raw, ctx->arena, err);
    if (rc != XPD_OK)
        return rc;
    bool has_run = ctx->run && text.understood;
    if (has_run)
        xpd_oom_match(&match, ctx, &text);
    *out = (struct xpd_oom){
        .understood = text.understood,
        .form = text.form,
        .module = xpd_tools_or_null(text.module),
        .space = xpd_tools_or_null(text.space),
        .color = text.understood ? text.color : -1,
        .needed_bytes = text.understood ? text.needed_bytes : -1,
        .capacity_bytes = text.understood ? text.capacity_bytes : -1,
        .exceeded_bytes = text.understood ? text.exceeded_bytes : -1,
        .text = {raw.data, raw.size < TEXT_MAX ? raw.size : TEXT_MAX},
        .match = has_run ? match_of(ctx, &match) : NULL,
    };
    fill_parts(out, &text, ctx->arena);
    fill_items(out, &text, &match, ctx->arena);
    *answer = out;
    return XPD_OK;
}

static int oom(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    const struct xpd_oom *out = NULL;
    int rc = xpd_oom_of(&out, ctx, xpd_param_text(ctx, "text"), err);
    *answer = out;
    return rc;
}

static const struct xpd_param_spec params[] = {
    {.name = "text",
     .type = XPD_PARAM_TEXT,
     .required = true,
     .max = TEXT_MAX,
     .help = "the error message"},
    {.name = "run", .type = XPD_PARAM_TEXT, .help = "optional: match it against that run"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_oom = {
    .route = "/api/v1/oom",
    .title = "An out-of-memory error read, and matched against the programs of a run.",
    .needs = XPD_NEEDS_NOTHING,
    .params = params,
    .answer = xpd_oom_record,
    .make = oom,
};
