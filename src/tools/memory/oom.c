/* /api/v1/oom: an error text read, and held against a run's programs when one is named. */
#include "oom_match.h"

#include "xprofd/memory/oom_match.h"

#define TEXT_MAX    8000
#define PARTS_MAX   256
#define ITEMS_MAX   200
#define BUFFERS_MAX 16

static void write_parts(struct xpd_jsonw *w, const struct xpd_oom_text *text)
{
    uint32_t n = text->part_count < PARTS_MAX ? text->part_count : PARTS_MAX;
    xpd_json_key(w, "parts");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < n; i++) {
        xpd_json_obj(w);
        xpd_json_ku64(w, "offset", text->part[i].offset);
        xpd_json_ku64(w, "size", text->part[i].size);
        xpd_json_ktext(w, "what", text->part[i].what);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
}

static void write_items(struct xpd_jsonw *w, const struct xpd_oom_text *text,
                        const struct xpd_oom_match *match)
{
    uint32_t n = text->item_count < ITEMS_MAX ? text->item_count : ITEMS_MAX;
    uint32_t buffer[BUFFERS_MAX];
    xpd_json_key(w, "items");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_oom_item *item = &text->item[i];
        xpd_json_obj(w);
        xpd_tools_kknown(w, "size_bytes", item->size_bytes);
        xpd_tools_kknown(w, "unpadded_bytes", item->unpadded_bytes);
        xpd_tools_kstr(w, "shape", item->shape);
        xpd_tools_kstr(w, "op_name", item->op_name);
        xpd_tools_kstr(w, "instruction", item->instruction);
        xpd_tools_kstr(w, "tag", item->tag);
        uint32_t fits = match->mem ? xpd_oom_item_buffers(match->mem, item, text->color, buffer,
                                                          BUFFERS_MAX, NULL)
                                   : 0;
        xpd_json_col_u32(w, "buffers", buffer, fits < BUFFERS_MAX ? fits : BUFFERS_MAX);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_json_ku64(w, "items_left_out", text->item_count - n);
}

static void write_match(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                        const struct xpd_oom_match *match)
{
    xpd_json_key(w, "match");
    xpd_json_obj(w);
    xpd_json_ktext(w, "module",
                   match->module == XPD_NO_INDEX ? NULL : ctx->run->module[match->module].key);
    if (match->space)
        xpd_json_ki64(w, "space", match->space->color);
    else
        xpd_json_knull(w, "space");
    if (match->matches < 0)
        xpd_json_knull(w, "matches");
    else
        xpd_json_kbool(w, "matches", match->matches == 1);
    xpd_json_ktext(w, "sentence", match->sentence);
    xpd_json_obj_end(w);
}

int xpd_oom_write(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx, struct xpd_str raw,
                  struct xpd_err *err)
{
    struct xpd_oom_text text;
    struct xpd_oom_match match = {.module = XPD_NO_INDEX, .matches = -1};
    int rc = xpd_oom_read(&text, raw, ctx->arena, err);
    if (rc != XPD_OK)
        return rc;
    bool has_run = ctx->run && text.understood;
    if (has_run)
        xpd_oom_match(&match, ctx, &text);
    xpd_json_obj(w);
    xpd_json_kbool(w, "understood", text.understood);
    xpd_json_ktext(w, "form", text.form);
    xpd_tools_kstr(w, "module", text.module);
    xpd_tools_kstr(w, "space", text.space);
    xpd_tools_kknown(w, "color", text.understood ? text.color : -1);
    xpd_tools_kknown(w, "needed_bytes", text.understood ? text.needed_bytes : -1);
    xpd_tools_kknown(w, "capacity_bytes", text.understood ? text.capacity_bytes : -1);
    xpd_tools_kknown(w, "exceeded_bytes", text.understood ? text.exceeded_bytes : -1);
    xpd_json_kstr(w, "text", (struct xpd_str){raw.data, raw.size < TEXT_MAX ? raw.size : TEXT_MAX});
    write_parts(w, &text);
    write_items(w, &text, &match);
    if (has_run)
        write_match(w, ctx, &match);
    else
        xpd_json_knull(w, "match");
    xpd_json_obj_end(w);
    return XPD_OK;
}

static int oom(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    return xpd_oom_write(&w, ctx, xpd_param_text(ctx, "text"), err);
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
    .run = oom,
};
