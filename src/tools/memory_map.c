/* /api/v1/memory/map: the boxes of the address map in a window.
 *
 * A tenancy that is narrower and lower than a pixel is joined with its neighbours (map_join.c); the
 * others are boxes of their own. When those are more than the limit, the smallest areas are joined
 * too, so that nothing is left out. */
#include "memory_map.h"

#define PX_DEFAULT 1024
#define PY_DEFAULT 512
#define P_MAX      8192
#define BOXES_MAX  4096
#define AREAS      256 /* no area, and quarters of powers of two of a pixel's area */

/* ---- what is a box of its own ---- */

struct extent { /* of a tenancy within the window */
    uint32_t from, steps;
    uint64_t bytes;
};

/* false: it does not touch the window or has no area. */
static inline bool extent_of(const struct xpd_map_view *view, uint32_t tenancy,
                             struct extent *extent)
{
    const struct xpd_tenancy_columns *column = &view->column;
    uint32_t from = column->start_step[tenancy], to = column->end_step[tenancy];
    int64_t bytes = column->size_bytes[tenancy];
    if (to <= view->window.from || to <= from || bytes <= 0)
        return false;
    from = from > view->window.from ? from : view->window.from;
    to = to < view->window.to ? to : view->window.to;
    *extent = (struct extent){from, to - from, (uint64_t)bytes};
    return true;
}

/* The least number of units that make a pixel; 2^63 when none do. */
static uint64_t units_of_a_pixel(double px_per_unit)
{
    uint64_t below = 0, enough = UINT64_C(1) << 63;
    while (below < enough) {
        uint64_t middle = below + (enough - below) / 2;
        if ((double)middle * px_per_unit >= 1.0)
            enough = middle;
        else
            below = middle + 1;
    }
    return enough;
}

/* One plus four times the power of two of its area in pixels, with quarters: exponent and first two
 * bits of the number as it lies in memory. */
static uint8_t bucket_of(const struct xpd_map_view *view, const struct extent *extent)
{
    double wide = (double)extent->steps * view->px_per_step;
    double high = (double)extent->bytes * view->px_per_byte;
    /* a hair across the whole picture is worth as much as a square of the same length */
    double area = (wide < 1.0 ? 1.0 : wide) * (high < 1.0 ? 1.0 : high);
    uint64_t bits;
    memcpy(&bits, &area, sizeof bits);
    uint64_t bucket = 1 + (bits >> 50) - (UINT64_C(1023) << 2);
    return bucket < AREAS ? (uint8_t)bucket : AREAS - 1;
}

/* The smallest area that may stay a box of its own so that all of them fit. */
static uint32_t least_bucket(const uint32_t count[AREAS])
{
    uint32_t total = 0, bucket = AREAS;
    while (bucket > 1 && total + count[bucket - 1] <= BOXES_MAX)
        total += count[--bucket];
    return bucket;
}

/* One pass: what is too small for a box at once, the others when it is known how many they are. */
static int choose(const struct xpd_tool_ctx *ctx, struct xpd_map_view *view, struct xpd_err *err)
{
    const struct xpd_mem_space *space = view->space;
    uint32_t n = 0, kept = 0, count[AREAS] = {0};
    if (view->window.to > view->window.from)
        n = xpd_tenancies_until(space, view->window.to - 1);
    uint32_t *index = XPD_NEW_ARRAY(ctx->arena, uint32_t, n);
    uint8_t *bucket = XPD_NEW_ARRAY(ctx->arena, uint8_t, n);
    view->box = index;
    if (!index || !bucket || !xpd_map_join_begin(view, ctx->arena))
        return xpd_tools_no_memory(err);
    uint64_t pixel_steps = units_of_a_pixel(view->px_per_step);
    uint64_t pixel_bytes = units_of_a_pixel(view->px_per_byte);
    struct extent extent;
    for (uint32_t i = 0; i < n; i++) {
        if (!extent_of(view, i, &extent))
            continue;
        if (extent.steps < pixel_steps && extent.bytes < pixel_bytes) {
            xpd_map_join_tiny(view, i, extent.from);
            continue;
        }
        uint8_t area = bucket_of(view, &extent);
        count[area]++;
        bucket[kept] = area;
        index[kept++] = i;
    }
    uint32_t least = least_bucket(count);
    for (uint32_t i = 0; i < kept; i++) {
        if (bucket[i] >= least)
            view->box[view->box_count++] = index[i];
        else
            xpd_map_join(view, index[i]);
    }
    return XPD_OK;
}

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

static uint32_t put_group(struct xpd_names *names, const struct xpd_tool_ctx *ctx,
                          const struct xpd_words *words, uint32_t buffer)
{
    uint32_t instruction = ctx->hlo->buffers.instruction[buffer];
    return xpd_names_word(names, xpd_op_group_word(xpd_words_group(words, ctx->hlo, instruction)));
}

static uint32_t put_dtype(struct xpd_names *names, const struct xpd_tool_ctx *ctx, uint32_t buffer)
{
    char scratch[16];
    return xpd_names_put(names, xpd_str_of(xpd_tools_dtype(ctx->mem, buffer, scratch)));
}

static uint32_t put_scope(struct xpd_names *names, const struct xpd_tool_ctx *ctx,
                          const struct xpd_words *words, uint32_t buffer)
{
    uint32_t instruction = ctx->hlo->buffers.instruction[buffer];
    struct xpd_str path = words && instruction != XPD_NO_INDEX
                              ? xpd_hlo_text(ctx->hlo, words->op_name[instruction])
                              : xpd_tools_op_name(ctx->hlo, instruction);
    return xpd_names_kept(names, xpd_scope_path(path));
}

static uint32_t put_class(struct xpd_names *names, const struct xpd_tool_ctx *ctx, uint32_t buffer)
{
    enum xpd_mem_class mem_class = ctx->mem->buffer[buffer].mem_class;
    return xpd_names_word(names, xpd_mem_class_word(mem_class));
}

/* The buffers of tenancies that lie far apart. One after another in a loop that does nothing else,
 * so that the processor waits for many of them at once. */
static uint32_t *buffers_of(const struct xpd_tool_ctx *ctx, const uint32_t *tenancy, uint32_t n)
{
    uint32_t *buffer = XPD_NEW_ARRAY(ctx->arena, uint32_t, n);
    for (uint32_t i = 0; buffer && i < n; i++)
        buffer[i] = ctx->space->tenancy[tenancy[i]].buffer;
    return buffer;
}

static bool write_boxes(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                        const struct xpd_map_view *view, struct xpd_names *names)
{
    const struct xpd_tenancy *tenancy = ctx->space->tenancy;
    const uint32_t *box = view->box;
    uint32_t n = view->box_count;
    const uint32_t *buffer = buffers_of(ctx, box, n);
    if (!buffer)
        return false;
    xpd_json_ku64(w, "n", n);
    xpd_json_col_u32(w, "tenancy", box, n);
    xpd_json_col_u32(w, "buffer", buffer, n);
    XPD_COLUMN(w, "start", n, xpd_json_u64(w, tenancy[box[row]].start_step));
    XPD_COLUMN(w, "end", n, xpd_json_u64(w, tenancy[box[row]].end_step));
    XPD_COLUMN(w, "offset_bytes", n, xpd_json_i64(w, tenancy[box[row]].offset_bytes));
    XPD_COLUMN(w, "size_bytes", n, xpd_json_i64(w, tenancy[box[row]].size_bytes));
    XPD_COLUMN(w, "name", n, xpd_json_u64(w, xpd_names_buffer(names, ctx->mem, buffer[row])));
    XPD_COLUMN(w, "shape", n,
               xpd_json_u64(w, xpd_names_buffer_shape(names, ctx->mem, buffer[row])));
    XPD_COLUMN(w, "group", n, xpd_json_u64(w, put_group(names, ctx, view->words, buffer[row])));
    XPD_COLUMN(w, "class", n, xpd_json_u64(w, put_class(names, ctx, buffer[row])));
    XPD_COLUMN(w, "scope", n, xpd_json_u64(w, put_scope(names, ctx, view->words, buffer[row])));
    XPD_COLUMN(w, "dtype", n, xpd_json_u64(w, put_dtype(names, ctx, buffer[row])));
    XPD_COLUMN(w, "flags", n, xpd_json_u64(w, tenancy[box[row]].flags));
    return true;
}

static bool write_merged(struct xpd_jsonw *w, const struct xpd_tool_ctx *ctx,
                         const struct xpd_map_view *view, struct xpd_names *names)
{
    const struct xpd_map_cell *cell = view->cell;
    uint32_t n = view->cell_count;
    uint32_t *largest = XPD_NEW_ARRAY(ctx->arena, uint32_t, n);
    for (uint32_t i = 0; largest && i < n; i++)
        largest[i] = cell[i].tenancy;
    const uint32_t *buffer = largest ? buffers_of(ctx, largest, n) : NULL;
    if (!buffer)
        return false;
    xpd_json_key(w, "merged");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "start", n, xpd_json_u64(w, cell[row].start));
    XPD_COLUMN(w, "end", n, xpd_json_u64(w, cell[row].end));
    XPD_COLUMN(w, "offset_bytes", n, xpd_json_i64(w, cell[row].offset_bytes));
    XPD_COLUMN(w, "size_bytes", n, xpd_json_i64(w, cell[row].top_bytes - cell[row].offset_bytes));
    XPD_COLUMN(w, "count", n, xpd_json_u64(w, cell[row].count));
    XPD_COLUMN(w, "group", n, xpd_json_u64(w, put_group(names, ctx, view->words, buffer[row])));
    xpd_json_obj_end(w);
    xpd_json_ku64(w, "merged_count", view->merged_count);
    return true;
}

static int map(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    const struct xpd_tool *tool = &xpd_tool_memory_map;
    struct xpd_map_view view = {.space = ctx->space,
                                .column = xpd_tenancy_columns_of(ctx->space),
                                .words = xpd_table_words_made(ctx)};
    int rc = xpd_tools_window(ctx, tool, &view.window, err);
    if (rc != XPD_OK)
        return rc;
    uint32_t steps = view.window.to - view.window.from;
    int64_t heap = ctx->space->heap_bytes > 0 ? ctx->space->heap_bytes : 1;
    view.px_per_step = steps ? (double)xpd_param_int(ctx, tool, "px") / steps : 0.0;
    view.px_per_byte = (double)xpd_param_int(ctx, tool, "py") / (double)heap;
    rc = choose(ctx, &view, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_names names;
    struct xpd_jsonw w;
    xpd_names_init(&names, ctx->arena);
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_json_ku64(&w, "from", view.window.from);
    xpd_json_ku64(&w, "to", view.window.to);
    write_heaps(&w, ctx);
    bool ok = write_boxes(&w, ctx, &view, &names) && write_merged(&w, ctx, &view, &names);
    xpd_names_write(&names, &w);
    xpd_json_ku64(&w, "limit", BOXES_MAX);
    xpd_json_obj_end(&w);
    xpd_names_fini(&names);
    return ok ? XPD_OK : xpd_tools_no_memory(err);
}

static const struct xpd_param_spec params[] = {
    {.name = "from", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "first step, default 0"},
    {.name = "to",
     .type = XPD_PARAM_INT,
     .max = UINT32_MAX,
     .help = "step after the last one, default all"},
    {.name = "px",
     .type = XPD_PARAM_INT,
     .min = 1,
     .max = P_MAX,
     .fallback = PX_DEFAULT,
     .help = "width of the picture in pixels"},
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
