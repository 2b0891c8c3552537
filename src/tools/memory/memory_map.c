/* /api/v1/memory/map: the boxes of the address map in a window.
 *
 * map_choose.c tells which tenancies are boxes of their own and which are joined. Here they are
 * written. */
#include "memory_map.h"

#define PX_DEFAULT 1024
#define PY_DEFAULT 512
#define P_MAX      8192
#define SCOPES     1024

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

/* Texts of an answer's rows, with those that repeat most known by a number. */
struct texts {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_words *words; /* NULL: not made yet */
    struct xpd_names names;
    uint32_t group[XPD_OP_GROUP_COUNT], mem_class[XPD_CLASS_COUNT]; /* index + 1, 0 = not put */
    struct {
        xpd_name_id op_name;
        uint32_t index; /* + 1 */
    } scope[SCOPES];    /* a newer one takes the place of an older one */
    struct {
        int32_t type;
        uint32_t index; /* + 1 */
    } dtype;            /* the last one: they come in long runs */
};

static uint32_t put_group(struct texts *texts, uint32_t buffer)
{
    const struct xpd_hlo *hlo = texts->ctx->hlo;
    uint32_t group = xpd_words_group(texts->words, hlo, hlo->buffers.instruction[buffer]);
    if (texts->group[group] == 0)
        texts->group[group] =
            1 + xpd_names_word(&texts->names, xpd_op_group_word((enum xpd_op_group)group));
    return texts->group[group] - 1;
}

static uint32_t put_class(struct texts *texts, uint32_t buffer)
{
    uint8_t mem_class = texts->ctx->mem->buffer[buffer].mem_class;
    if (texts->mem_class[mem_class] == 0)
        texts->mem_class[mem_class] =
            1 + xpd_names_word(&texts->names, xpd_mem_class_word((enum xpd_mem_class)mem_class));
    return texts->mem_class[mem_class] - 1;
}

static uint32_t put_dtype(struct texts *texts, uint32_t buffer)
{
    const struct xpd_shape *shape = texts->ctx->mem->buffer[buffer].shape;
    char scratch[16];
    if (!shape)
        return 0;
    if (texts->dtype.index == 0 || texts->dtype.type != (int32_t)shape->type) {
        texts->dtype.type = (int32_t)shape->type;
        texts->dtype.index =
            1 + xpd_names_put(&texts->names,
                              xpd_str_of(xpd_tools_dtype(texts->ctx->mem, buffer, scratch)));
    }
    return texts->dtype.index - 1;
}

static uint32_t put_scope(struct texts *texts, uint32_t buffer)
{
    const struct xpd_hlo *hlo = texts->ctx->hlo;
    uint32_t instruction = hlo->buffers.instruction[buffer];
    if (!texts->words || instruction == XPD_NO_INDEX)
        return xpd_names_kept(&texts->names, xpd_scope_path(xpd_tools_op_name(hlo, instruction)));
    xpd_name_id id = texts->words->op_name[instruction];
    uint32_t at = id % SCOPES;
    if (texts->scope[at].index == 0 || texts->scope[at].op_name != id) {
        texts->scope[at].op_name = id;
        texts->scope[at].index =
            1 + xpd_names_kept(&texts->names, xpd_scope_path(xpd_hlo_text(hlo, id)));
    }
    return texts->scope[at].index - 1;
}

/* "key":[index of each row's text] */
#define TEXT_COLUMN(w, key, n, value)                                                              \
    do {                                                                                           \
        for (uint32_t row = 0; row < (n); row++)                                                   \
            column[row] = (value);                                                                 \
        xpd_json_col_u32((w), (key), column, (n));                                                 \
    } while (0)

/* What the rows say of their tenancies, which lie far apart: read in one loop that does nothing
 * else, so that the processor waits for many of them at once. */
struct rows {
    uint32_t *buffer, *start, *end, *flags;
    int64_t *offset, *size;
};

static bool gather(struct rows *rows, const struct xpd_tool_ctx *ctx, const uint32_t *tenancy,
                   uint32_t n)
{
    *rows = (struct rows){
        XPD_NEW_ARRAY(ctx->arena, uint32_t, n), XPD_NEW_ARRAY(ctx->arena, uint32_t, n),
        XPD_NEW_ARRAY(ctx->arena, uint32_t, n), XPD_NEW_ARRAY(ctx->arena, uint32_t, n),
        XPD_NEW_ARRAY(ctx->arena, int64_t, n),  XPD_NEW_ARRAY(ctx->arena, int64_t, n)};
    if (ctx->arena->failed)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct xpd_tenancy *from = &ctx->space->tenancy[tenancy[i]];
        rows->buffer[i] = from->buffer;
        rows->start[i] = from->start_step;
        rows->end[i] = from->end_step;
        rows->flags[i] = from->flags;
        rows->offset[i] = from->offset_bytes;
        rows->size[i] = from->size_bytes;
    }
    return true;
}

/* Has what the columns say of the buffers brought near, all of it at once. */
static void bring_near(const struct texts *texts, const uint32_t *buffer, uint32_t n)
{
    const struct xpd_hlo *hlo = texts->ctx->hlo;
    for (uint32_t i = 0; i < n; i++) {
        __builtin_prefetch(&texts->ctx->mem->buffer[buffer[i]].shape);
        __builtin_prefetch(&texts->ctx->mem->buffer[buffer[i]].mem_class);
        __builtin_prefetch(&hlo->buffers.instruction[buffer[i]]);
        __builtin_prefetch(&hlo->buffers.index_first[buffer[i]]);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t instruction = hlo->buffers.instruction[buffer[i]];
        __builtin_prefetch(texts->ctx->mem->buffer[buffer[i]].shape);
        if (instruction == XPD_NO_INDEX)
            continue;
        __builtin_prefetch(&hlo->instructions.name[instruction]);
        if (texts->words) {
            __builtin_prefetch(&texts->words->group[instruction]);
            __builtin_prefetch(&texts->words->op_name[instruction]);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t instruction = hlo->buffers.instruction[buffer[i]];
        if (instruction != XPD_NO_INDEX)
            __builtin_prefetch(xpd_hlo_text(hlo, hlo->instructions.name[instruction]).data);
    }
}

static bool write_boxes(struct xpd_jsonw *w, const struct xpd_map_view *view, struct texts *texts)
{
    const struct xpd_tool_ctx *ctx = texts->ctx;
    struct rows rows;
    uint32_t n = view->box_count, *column = XPD_NEW_ARRAY(ctx->arena, uint32_t, n);
    if (!column || !gather(&rows, ctx, view->box, n))
        return false;
    bring_near(texts, rows.buffer, n);
    struct xpd_names *names = &texts->names;
    xpd_json_ku64(w, "n", n);
    xpd_json_col_u32(w, "tenancy", view->box, n);
    xpd_json_col_u32(w, "buffer", rows.buffer, n);
    xpd_json_col_u32(w, "start", rows.start, n);
    xpd_json_col_u32(w, "end", rows.end, n);
    xpd_json_col_i64(w, "offset_bytes", rows.offset, n);
    xpd_json_col_i64(w, "size_bytes", rows.size, n);
    TEXT_COLUMN(w, "name", n, xpd_names_buffer(names, ctx->mem, rows.buffer[row]));
    TEXT_COLUMN(w, "shape", n, xpd_names_buffer_shape(names, ctx->mem, rows.buffer[row]));
    TEXT_COLUMN(w, "group", n, put_group(texts, rows.buffer[row]));
    TEXT_COLUMN(w, "class", n, put_class(texts, rows.buffer[row]));
    TEXT_COLUMN(w, "scope", n, put_scope(texts, rows.buffer[row]));
    TEXT_COLUMN(w, "dtype", n, put_dtype(texts, rows.buffer[row]));
    xpd_json_col_u32(w, "flags", rows.flags, n);
    return true;
}

static bool write_merged(struct xpd_jsonw *w, const struct xpd_map_view *view, struct texts *texts)
{
    struct xpd_arena *arena = texts->ctx->arena;
    const struct xpd_map_cell *cell = view->cell;
    uint32_t n = view->cell_count, *column = XPD_NEW_ARRAY(arena, uint32_t, n);
    int64_t *bytes = XPD_NEW_ARRAY(arena, int64_t, n);
    struct rows rows;
    for (uint32_t i = 0; column && i < n; i++)
        column[i] = cell[i].tenancy;
    if (!column || !bytes || !gather(&rows, texts->ctx, column, n))
        return false;
    xpd_json_key(w, "merged");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    TEXT_COLUMN(w, "start", n, cell[row].start);
    TEXT_COLUMN(w, "end", n, cell[row].end);
    for (uint32_t i = 0; i < n; i++)
        bytes[i] = cell[i].offset_bytes;
    xpd_json_col_i64(w, "offset_bytes", bytes, n);
    for (uint32_t i = 0; i < n; i++)
        bytes[i] = cell[i].top_bytes - cell[i].offset_bytes;
    xpd_json_col_i64(w, "size_bytes", bytes, n);
    TEXT_COLUMN(w, "count", n, cell[row].count);
    TEXT_COLUMN(w, "group", n, put_group(texts, rows.buffer[row]));
    xpd_json_obj_end(w);
    xpd_json_ku64(w, "merged_count", view->merged_count);
    return true;
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
    struct texts *texts = XPD_NEW(ctx->arena, struct texts);
    if (!texts || !xpd_map_choose(&view, ctx->arena))
        return xpd_tools_no_memory(err);
    texts->ctx = ctx;
    texts->words = xpd_table_words_made(ctx);
    struct xpd_jsonw w;
    xpd_names_init(&texts->names, ctx->arena);
    xpd_jsonw_init(&w, &out->body);
    xpd_json_obj(&w);
    xpd_json_ku64(&w, "from", view.window.from);
    xpd_json_ku64(&w, "to", view.window.to);
    write_heaps(&w, ctx);
    bool ok = write_boxes(&w, &view, texts) && write_merged(&w, &view, texts);
    xpd_names_write(&texts->names, &w);
    xpd_json_ku64(&w, "limit", XPD_MAP_BOXES);
    xpd_json_obj_end(&w);
    xpd_names_fini(&texts->names);
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
