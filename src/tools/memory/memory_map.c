/* /api/v1/memory/map: the boxes of the address map in a window.
 *
 * map_choose.c tells which tenancies are boxes of their own and which are joined; map_rows.c writes
 * them. */
#include "memory_map.h"

#define PX_DEFAULT 1024
#define PY_DEFAULT 512
#define P_MAX      8192

/* ---- answer ---- */

static void write_heaps(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx)
{
    enum { HEAPS_MAX = 1024 };
    uint32_t n = ctx->space->heap_count < HEAPS_MAX ? ctx->space->heap_count : HEAPS_MAX;
    xpd_json_ki64(w, "heap_bytes", ctx->space->heap_bytes);
    xpd_json_key(w, "heaps");
    xpd_json_arr(w);
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_heap *heap = &ctx->space->heap[i];
        xpd_json_obj(w);
        xpd_json_ki64(w, "allocation", ctx->hlo->allocation[heap->allocation].index);
        xpd_json_ki64(w, "base_bytes", heap->base_bytes);
        xpd_json_ki64(w, "size_bytes", heap->size_bytes);
        xpd_json_obj_end(w);
    }
    xpd_json_arr_end(w);
    xpd_json_ku64(w, "heaps_left_out", ctx->space->heap_count - n);
}

static int map(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_memory_map;
    struct xpd_map_view view = {.space = ctx->space, .column = xpd_tenancy_columns_of(ctx->space)};
    int rc = xpd_tools_window(ctx, tool, &view.window, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t steps = view.window.to - view.window.from;
    int64_t heap = ctx->space->heap_bytes > 0 ? ctx->space->heap_bytes : 1;
    view.px_per_step = steps ? (double)xpd_param_int(ctx, tool, "px") / steps : 0.0;
    view.py = (uint32_t)xpd_param_int(ctx, tool, "py");
    view.px_per_byte = (double)view.py / (double)heap;
    if (!xpd_map_choose(&view, ctx->arena))
        return xpd_tools_no_memory(err);
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_json_ku64(&w, "from", view.window.from);
    xpd_json_ku64(&w, "to", view.window.to);
    write_heaps(&w, ctx);
    bool ok = xpd_map_write_rows(&w, &view, ctx);
    xpd_json_ku64(&w, "limit", XPD_MAP_BOXES);
    xpd_json_obj_end(&w);
    return ok ? XPD_OK : xpd_tools_no_memory(err);
}

static const struct xpd_param_spec params[] = {
    XPD_STEP_WINDOW_PARAMS,
    XPD_PARAM_PX(PX_DEFAULT, P_MAX, "width of the picture in pixels"),
    {.name = "py",
     .type = XPD_PARAM_INT,
     .min = 1,
     .max = P_MAX,
     .fallback = PY_DEFAULT,
     .help = "height of the picture in pixels; it shows the whole heap"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_memory_map = {
    .route = "/api/v1/memory/map",
    .title = "Boxes of the address map: who holds which bytes from which step to which.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = map,
};
