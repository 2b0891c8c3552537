/* /api/v1/memory/map: the boxes of the address map in a window.
 *
 * map_choose.c tells which tenancies are boxes of their own and which are joined; map_rows.c writes
 * them. */
#include "memory_map.h"

#define PX_DEFAULT 1024
#define PY_DEFAULT 512
#define P_MAX      8192

/* ---- answer: map_rows.c writes the columns, in several threads ---- */

#define XPD_MAP_HEAP_FIELDS(FIELD)                                                                 \
    FIELD(SIGNED, allocation, "of the compiler")                                                   \
    FIELD(INT, base_bytes, "where it begins on the axis of addresses")                             \
    FIELD(INT, size_bytes, "")
XPD_RECORD(xpd_map_heap, XPD_MAP_HEAP_FIELDS)

#define XPD_MAP_BOX_FIELDS(FIELD)                                                                  \
    FIELD(COUNT, tenancy, "number of the lifetime")                                                \
    FIELD(COUNT, buffer, "")                                                                       \
    FIELD(COUNT, start_step, "")                                                                   \
    FIELD(COUNT, end_step, "first step without it")                                                \
    FIELD(INT, offset_bytes, "on the axis of addresses")                                           \
    FIELD(INT, size_bytes, "")                                                                     \
    FIELD(NAME, name, "")                                                                          \
    FIELD(NAME, shape, "")                                                                         \
    FIELD(NAME, group, "kind of work")                                                             \
    FIELD(NAME, class, "")                                                                         \
    FIELD(NAME, scope, "path in the model's code")                                                 \
    FIELD(NAME, dtype, "")                                                                         \
    FIELD(COUNT, flags, "bits: 1 untraced, 2 never freed, 4 shared, 8 took over a freed storage")  \
    FIELD(COUNT, block, "row of `blocks`")
XPD_RECORD(xpd_map_box, XPD_MAP_BOX_FIELDS)

#define XPD_MAP_MERGED_FIELDS(FIELD)                                                               \
    FIELD(COUNT, start_step, "")                                                                   \
    FIELD(COUNT, end_step, "")                                                                     \
    FIELD(INT, offset_bytes, "")                                                                   \
    FIELD(INT, size_bytes, "")                                                                     \
    FIELD(COUNT, count, "lifetimes in it")                                                         \
    FIELD(NAME, group, "of the largest")                                                           \
    FIELD(COUNT, block, "of the largest, row of `blocks`")                                         \
    FIELD(NAME, class, "of the largest")
XPD_RECORD(xpd_map_merged, XPD_MAP_MERGED_FIELDS)

#define XPD_MAP_BLOCK_FIELDS(FIELD)                                                                \
    FIELD(NAME, shape, "")                                                                         \
    FIELD(NAME, scope, "")
XPD_RECORD(xpd_map_block, XPD_MAP_BLOCK_FIELDS)

#define XPD_MAP_FIELDS(FIELD)                                                                      \
    FIELD(COUNT, from, "first step of the window")                                                 \
    FIELD(COUNT, to, "step after the last")                                                        \
    FIELD(INT, heap_bytes, "height of the picture")                                                \
    FIELD(LIST(xpd_map_heap), heaps, "at most 1,024")                                              \
    FIELD(COUNT, heaps_left_out, "")                                                               \
    FIELD(INLINE(xpd_map_box), boxes, "lifetimes that fill a pixel or more")                       \
    FIELD(COLUMNS(xpd_map_merged), merged, "smaller ones, joined by place")                        \
    FIELD(COLUMNS(xpd_map_block), blocks, "what boxes are by shape and scope")                     \
    FIELD(COUNT, merged_count, "lifetimes that were joined")                                       \
    FIELD(COUNT, limit, "boxes at most; smaller ones are joined beyond it")
XPD_RECORD(xpd_map, XPD_MAP_FIELDS)

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
    .answer = xpd_map_record,
    .run = map,
};
