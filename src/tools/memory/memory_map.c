/* /api/v1/memory/map: the boxes of the address map in a window.
 *
 * memory/map.h tells which tenancies are boxes of their own and which are joined; here they are
 * written. */
#include "../tables/table_words.h"
#include "table_blocks.h"
#include "xprofd/base/threads.h"
#include "xprofd/memory/map.h"

/* The rows of the address map's answer. In: boxes and cells of joined ones. Out: columns.
 *
 * Of many, the texts are written by one thread and the numbers by another, each into room of its
 * own; put together they are what one would write. */

#define SCOPES      1024
#define THREAD_FROM 2048 /* rows; below that, a thread more costs what it brings */

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

static uint32_t group_of(const struct texts *texts, uint32_t buffer)
{
    const struct xpd_hlo *hlo = texts->ctx->hlo;
    return xpd_words_group(texts->words, hlo, hlo->buffers.instruction[buffer]);
}

static uint32_t put_group(struct texts *texts, uint32_t group)
{
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
                              xpd_str_of(xpd_mem_dtype(texts->ctx->mem, buffer, scratch)));
    }
    return texts->dtype.index - 1;
}

static uint32_t put_scope(struct texts *texts, uint32_t buffer)
{
    const struct xpd_hlo *hlo = texts->ctx->hlo;
    uint32_t instruction = hlo->buffers.instruction[buffer];
    if (!texts->words || instruction == XPD_NO_INDEX)
        return xpd_names_kept(&texts->names, xpd_scope_path(xpd_hlo_scope_name(hlo, instruction)));
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
    *rows =
        (struct rows){XPD_NEW_ROOM(ctx->arena, uint32_t, n), XPD_NEW_ROOM(ctx->arena, uint32_t, n),
                      XPD_NEW_ROOM(ctx->arena, uint32_t, n), XPD_NEW_ROOM(ctx->arena, uint32_t, n),
                      XPD_NEW_ROOM(ctx->arena, int64_t, n),  XPD_NEW_ROOM(ctx->arena, int64_t, n)};
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

enum { NUMBERS, TEXTS, FLAGS, MERGED, PIECES }; /* of the answer */

/* What two threads write, each what needs nothing of the other: texts are numbered by who meets
 * them first, so one thread writes all those of the boxes. The other one joins what is left over
 * before it writes the joined ones. */
struct pieces {
    struct texts *texts;
    struct xpd_map_view *view;
    struct rows rows;          /* of the boxes */
    uint32_t *column, *number; /* room of each thread for a column */
    int64_t *bytes;
    uint32_t *group; /* by cell, an enum xpd_op_group: becomes a text at the end */
    struct xpd_strbuf out[PIECES];
};

static struct xpd_jsonw begin_piece(struct pieces *pieces, uint32_t piece)
{
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &pieces->out[piece]);
    xpd_json_obj(&w);
    return w;
}

/* Its members, without the bracket before them. */
static void add_piece(struct xpd_jsonw *w, const struct pieces *pieces, uint32_t piece)
{
    const struct xpd_strbuf *out = &pieces->out[piece];
    if (out->failed || out->size < 1)
        w->out->failed = true;
    else
        xpd_json_raw(w, (struct xpd_str){out->data + 1, out->size - 1});
}

static void write_texts(struct pieces *pieces)
{
    struct texts *texts = pieces->texts;
    struct xpd_names *names = &texts->names;
    const struct xpd_mem *mem = texts->ctx->mem;
    const uint32_t *buffer = pieces->rows.buffer;
    uint32_t n = pieces->view->box_count, *column = pieces->column;
    struct xpd_jsonw w = begin_piece(pieces, TEXTS);
    bring_near(texts, buffer, n);
    TEXT_COLUMN(&w, "name", n, xpd_names_buffer(names, mem, buffer[row]));
    TEXT_COLUMN(&w, "shape", n, xpd_names_buffer_shape(names, mem, buffer[row]));
    TEXT_COLUMN(&w, "group", n, put_group(texts, group_of(texts, buffer[row])));
    TEXT_COLUMN(&w, "class", n, put_class(texts, buffer[row]));
    TEXT_COLUMN(&w, "scope", n, put_scope(texts, buffer[row]));
    TEXT_COLUMN(&w, "dtype", n, put_dtype(texts, buffer[row]));
}

static void write_merged(struct pieces *pieces)
{
    struct xpd_map_view *view = pieces->view;
    xpd_map_join_rest(view);
    const struct xpd_map_cell *cell = view->cell;
    uint32_t n = view->cell_count, *column = pieces->number;
    int64_t *bytes = pieces->bytes;
    struct xpd_jsonw w = begin_piece(pieces, MERGED);
    xpd_json_ku64(&w, "n", n);
    TEXT_COLUMN(&w, "start_step", n, cell[row].start);
    TEXT_COLUMN(&w, "end_step", n, cell[row].end);
    for (uint32_t i = 0; i < n; i++)
        bytes[i] = cell[i].offset_bytes;
    xpd_json_col_i64(&w, "offset_bytes", bytes, n);
    for (uint32_t i = 0; i < n; i++)
        bytes[i] = cell[i].top_bytes - cell[i].offset_bytes;
    xpd_json_col_i64(&w, "size_bytes", bytes, n);
    TEXT_COLUMN(&w, "count", n, cell[row].count);
    for (uint32_t i = 0; i < n; i++)
        pieces->group[i] = group_of(pieces->texts, view->space->tenancy[cell[i].tenancy].buffer);
}

static void write_numbers(struct pieces *pieces)
{
    const struct rows *rows = &pieces->rows;
    uint32_t n = pieces->view->box_count;
    struct xpd_jsonw w = begin_piece(pieces, NUMBERS);
    xpd_json_col_u32(&w, "tenancy", pieces->view->box, n);
    xpd_json_col_u32(&w, "buffer", rows->buffer, n);
    xpd_json_col_u32(&w, "start_step", rows->start, n);
    xpd_json_col_u32(&w, "end_step", rows->end, n);
    xpd_json_col_i64(&w, "offset_bytes", rows->offset, n);
    xpd_json_col_i64(&w, "size_bytes", rows->size, n);
    w = begin_piece(pieces, FLAGS);
    xpd_json_col_u32(&w, "flags", rows->flags, n);
    write_merged(pieces);
}

static void write_half(void *context, uint32_t half, uint32_t thread)
{
    (void)thread;
    if (half == 0)
        write_texts(context);
    else
        write_numbers(context);
}

/* Blocks of the boxes and of the joined ones (of the largest of each), in order of appearance, so
 * that the answer names those it shows. */
struct met {
    const struct xpd_blocks *all;
    uint32_t *number; /* by block, + 1 */
    uint32_t *block;  /* by number */
    uint32_t count;
};

static uint32_t number_of(struct met *met, uint32_t buffer)
{
    uint32_t block = met->all->of_buffer[buffer];
    if (met->number[block] == 0) {
        met->block[met->count] = block;
        met->number[block] = ++met->count;
    }
    return met->number[block] - 1;
}

static void write_met(struct xpd_jsonw *w, const struct met *met, struct texts *texts,
                      uint32_t *column)
{
    struct xpd_names *names = &texts->names;
    xpd_json_key(w, "blocks");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", met->count);
    TEXT_COLUMN(w, "shape", met->count, xpd_names_kept(names, met->all->shape[met->block[row]]));
    TEXT_COLUMN(w, "scope", met->count, xpd_names_kept(names, met->all->scope[met->block[row]]));
    xpd_json_obj_end(w);
}

/* What the threads left: the words of the joined ones, and the blocks of all. */
static bool write_joined(struct xpd_jsonw *w, const struct pieces *pieces, uint32_t *column)
{
    const struct xpd_map_view *view = pieces->view;
    const struct xpd_tenancy *tenancy = view->space->tenancy;
    struct texts *texts = pieces->texts;
    struct xpd_arena *arena = texts->ctx->arena;
    struct met met = {.all = xpd_table_blocks(texts->ctx, NULL)};
    uint32_t n = view->box_count, cells = view->cell_count;
    met.number = met.all ? XPD_NEW_ARRAY(arena, uint32_t, met.all->count) : NULL;
    met.block = XPD_NEW_ROOM(arena, uint32_t, n + cells);
    if (!met.number || !met.block)
        return false;
    TEXT_COLUMN(w, "block", n, number_of(&met, pieces->rows.buffer[row]));
    xpd_json_key(w, "merged");
    xpd_json_obj(w);
    add_piece(w, pieces, MERGED);
    TEXT_COLUMN(w, "group", cells, put_group(texts, pieces->group[row]));
    TEXT_COLUMN(w, "block", cells, number_of(&met, tenancy[view->cell[row].tenancy].buffer));
    TEXT_COLUMN(w, "class", cells, put_class(texts, tenancy[view->cell[row].tenancy].buffer));
    xpd_json_obj_end(w);
    write_met(w, &met, texts, column);
    return true;
}

static bool write_rows(struct xpd_jsonw *w, struct xpd_map_view *view, struct texts *texts)
{
    struct xpd_arena *arena = texts->ctx->arena;
    uint32_t n = view->box_count, cells = XPD_MAP_CELLS; /* at most, before they are joined */
    struct pieces pieces = {.texts = texts,
                            .view = view,
                            .column = XPD_NEW_ROOM(arena, uint32_t, n + cells),
                            .number = XPD_NEW_ROOM(arena, uint32_t, cells),
                            .bytes = XPD_NEW_ROOM(arena, int64_t, cells),
                            .group = XPD_NEW_ROOM(arena, uint32_t, cells)};
    if (!gather(&pieces.rows, texts->ctx, view->box, n))
        return false;
    bool two = n + view->cell_count + view->rest_count >= THREAD_FROM && xpd_threads_count(0) >= 2;
    xpd_threads_each(two ? 2 : 1, 2, write_half, &pieces);
    xpd_json_ku64(w, "n", n);
    add_piece(w, &pieces, NUMBERS);
    add_piece(w, &pieces, TEXTS);
    add_piece(w, &pieces, FLAGS);
    bool ok = write_joined(w, &pieces, pieces.column);
    xpd_json_ku64(w, "merged_count", view->merged_count);
    for (uint32_t i = 0; i < PIECES; i++)
        xpd_strbuf_fini(&pieces.out[i]);
    return ok;
}

/* Joins the rest, and writes the columns of boxes and of joined ones, and the names they speak of.
 * False: no memory. */
static bool xpd_map_write_rows(struct xpd_jsonw *w, struct xpd_map_view *view,
                               const struct xpd_tool_ctx *ctx)
{
    struct texts *texts = XPD_NEW(ctx->arena, struct texts);
    if (!texts)
        return false;
    texts->ctx = ctx;
    texts->words = xpd_table_words_made(ctx);
    xpd_names_init(&texts->names, ctx->arena);
    bool ok = write_rows(w, view, texts);
    xpd_names_write(&texts->names, w);
    xpd_names_fini(&texts->names);
    return ok;
}

#define PX_DEFAULT 1024
#define PY_DEFAULT 512
#define P_MAX      8192

/* ---- answer: memory_map.c writes the columns, in several threads ---- */

#define XPD_MAP_HEAP_FIELDS(FIELD)                                                                 \
    FIELD(SIGNED, allocation, "of the compiler")                                                   \
    FIELD(INT, base_bytes, "its start on the axis of addresses")                                   \
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
    FIELD(COLUMNS(xpd_map_merged), merged, "smaller lifetimes, merged by position")                \
    FIELD(COLUMNS(xpd_map_block), blocks, "blocks of the boxes, by shape and scope")               \
    FIELD(COUNT, merged_count, "lifetimes that were merged")                                       \
    FIELD(COUNT, limit, "maximum of boxes; beyond it smaller ones are merged")
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
    .title = "Boxes of the address map: the addresses and steps of each lifetime.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .answer = xpd_map_record,
    .run = map,
    XPD_IN_REPORT("px py window",
                  {125, XPD_EACH_SPACE, "px=2048&py=768", "the address map of each program"}),
};
