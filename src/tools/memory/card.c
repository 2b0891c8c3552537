/* /api/v1/card: what the start page shows of a run without opening it. */
#include "../common/sidebar.h"
#include "../tables/table_equal.h"
#include "card_parts.h"
#include "run_problem.h"
#include "table_facts.h"
#include "xprofd/hlo/tiling.h"

/* Where a buffer comes from in the user's program, and where else it can be looked at. */

XPD_RECORD_TABLE(xpd_buffer_frame, XPD_BUFFER_FRAME_FIELDS)
XPD_RECORD_TABLE(xpd_buffer_source, XPD_BUFFER_SOURCE_FIELDS)
XPD_RECORD_TABLE(xpd_buffer_links, XPD_BUFFER_LINKS_FIELDS)

static void percent_encode(struct xpd_strbuf *out, struct xpd_str text)
{
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
            (c != '\0' && strchr("-._~/", c)))
            xpd_strbuf_putc(out, (char)c);
        else
            xpd_strbuf_printf(out, "%%%02X", c);
    }
}

/* --source-url: {path} (or {file}) and {line} are filled in. */
static struct xpd_str url_of(struct xpd_card *card, const struct xpd_source_info *info)
{
    const char *at = card->ctx->source_url;
    if (!at || info->file.size == 0)
        return (struct xpd_str){0};
    while (*at) {
        if (strncmp(at, "{path}", 6) == 0 || strncmp(at, "{file}", 6) == 0) {
            percent_encode(&card->text, info->file);
            at += 6;
        } else if (strncmp(at, "{line}", 6) == 0) {
            xpd_strbuf_i64(&card->text, info->line);
            at += 6;
        } else {
            xpd_strbuf_putc(&card->text, *at++);
        }
    }
    return xpd_card_text(card);
}

/* Frames that the list leaves out; -1 when the stack runs in a circle and has no end. */
static int64_t frames_after(const struct xpd_hlo *hlo, const struct xpd_source_info *info)
{
    int64_t left = 0;
    if (!info->frames_cut || info->frame_count == 0)
        return 0;
    uint32_t frame = hlo->frame[info->frame[info->frame_count - 1] - 1].parent;
    for (; frame != 0 && frame <= hlo->frame_count; frame = hlo->frame[frame - 1].parent)
        if (left++ > hlo->frame_count)
            return -1;
    return left;
}

static void fill_frames(struct xpd_buffer_source *out, const struct xpd_card *card,
                        const struct xpd_source_info *info)
{
    const struct xpd_hlo *hlo = card->ctx->hlo;
    struct xpd_buffer_frame *row =
        XPD_NEW_ARRAY(card->ctx->arena, struct xpd_buffer_frame, info->frame_count);
    for (uint32_t i = 0; row && i < info->frame_count; i++) {
        const struct xpd_hlo_frame *frame = &hlo->frame[info->frame[i] - 1];
        row[i] = (struct xpd_buffer_frame){xpd_hlo_text(hlo, frame->file), frame->line,
                                           frame->column, xpd_hlo_text(hlo, frame->function)};
    }
    out->frames.at = row;
    out->frames.n = row ? info->frame_count : 0;
    out->frames_cut = frames_after(hlo, info);
}

static const struct xpd_buffer_source *source_of(struct xpd_card *card)
{
    const struct xpd_hlo *hlo = card->ctx->hlo;
    uint32_t instruction = card->buffer->instruction;
    struct xpd_source_info info = {.from = XPD_NO_INDEX};
    struct xpd_buffer_source *out = XPD_NEW(card->ctx->arena, struct xpd_buffer_source);
    if (!out)
        return NULL;
    if (instruction != XPD_NO_INDEX)
        xpd_source_of(hlo, instruction, &info);
    out->file = xpd_tools_or_null(info.file);
    out->line = info.line > 0 ? info.line : -1;
    out->op_name = xpd_tools_or_null(info.op_name);
    if (instruction != XPD_NO_INDEX && info.from != instruction)
        out->from = xpd_tools_or_null(xpd_hlo_instruction_name(hlo, info.from));
    fill_frames(out, card, &info);
    out->url = url_of(card, &info);
    return out;
}

void xpd_card_source(struct xpd_card *card)
{
    struct xpd_str name =
        xpd_tools_or_null(xpd_hlo_instruction_name(card->ctx->hlo, card->buffer->instruction));
    struct xpd_buffer_links *links = XPD_NEW(card->ctx->arena, struct xpd_buffer_links);
    card->out->source = source_of(card);
    card->out->links = links;
    if (!links)
        return;
    links->graph = name;
    links->trace_reason = xpd_sidebar_trace_reason(card->ctx->run);
    if (!links->trace_reason)
        links->trace = name;
}

/* What the peak would be without one buffer, and without all buffers equal to it. */

#define EQUAL_MAX 4096 /* counted in the saving */
#define LIST_MAX  256  /* named */

/* What the buffer's storage holds at the peak; residents hold their allocation. */
static int64_t held_at_peak(const struct xpd_card *card)
{
    const struct xpd_mem_space *space = card->space;
    struct xpd_held row;
    if (card->buffer->mem_class != XPD_CLASS_TEMPORARY)
        return card->buffer->allocation != XPD_NO_INDEX &&
                       xpd_held_resident(&row, card->ctx->mem, space, card->buffer->allocation)
                   ? row.size_bytes
                   : 0;
    for (uint32_t at = card->tenancy; at < space->tenancy_count;
         at = space->tenancy[at].next_of_buffer) {
        const struct xpd_tenancy *tenancy = &space->tenancy[at];
        if (!(tenancy->flags & XPD_TENANCY_UNTRACED) && tenancy->start_step <= space->peak_step &&
            space->peak_step < tenancy->end_step)
            return tenancy->size_bytes;
    }
    return 0;
}

XPD_RECORD_TABLE(xpd_buffer_equal, XPD_BUFFER_EQUAL_FIELDS)

/* Unknown rather than a sum over some of them. */
static const struct xpd_buffer_equal *equal_of(const struct xpd_card *card,
                                               const struct xpd_equals *equals)
{
    const struct xpd_mem_space *space = card->space;
    struct xpd_arena *arena = card->ctx->arena;
    uint32_t group = equals->group[card->index];
    const uint32_t *list = equals->member + equals->first[group];
    uint32_t total = equals->first[group + 1] - equals->first[group], step = space->peak_step;
    uint32_t n = total < EQUAL_MAX ? total : EQUAL_MAX;
    int64_t without = space->peak_bytes;
    int64_t saving = n ? xpd_saving(card->ctx->mem, space, list, n, &without, &step, arena) : 0;
    struct xpd_buffer_equal *out = XPD_NEW(arena, struct xpd_buffer_equal);
    if (out)
        *out = (struct xpd_buffer_equal){.count = total,
                                         .buffers = {list, n < LIST_MAX ? n : LIST_MAX},
                                         .saving_bytes = n == total ? saving : -1,
                                         .peak_without_bytes = n == total ? without : -1};
    return out;
}

int xpd_card_saving(struct xpd_card *card, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = card->ctx;
    const struct xpd_mem_space *space = card->space;
    const struct xpd_equals *equals = xpd_table_equals(ctx, err);
    struct xpd_buffer_answer *out = card->out;
    if (!equals)
        return XPD_ENOMEM;
    out->peak_without_bytes = space->peak_bytes;
    out->peak_without_step = space->peak_step;
    out->saving_bytes = xpd_saving(ctx->mem, space, &card->index, 1, &out->peak_without_bytes,
                                   &out->peak_without_step, ctx->arena);
    out->share_of_peak =
        space->peak_bytes > 0 ? (double)held_at_peak(card) / (double)space->peak_bytes : 0.0;
    out->equal = equal_of(card, equals);
    return XPD_OK;
}

/* The card's shape in words, and its padding dimension by dimension. In: a buffer. Out: text a
 * person can check. */

#define ORDERS_MAX 5

static void number(struct xpd_strbuf *out, int64_t value)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    size_t first = digits[0] == '-', size = strlen(digits);
    for (size_t i = 0; i < size; i++) {
        if (i > first && (size - i) % 3 == 0)
            xpd_strbuf_putc(out, ',');
        xpd_strbuf_putc(out, digits[i]);
    }
}

XPD_RECORD_TABLE(xpd_buffer_dim, XPD_BUFFER_DIM_FIELDS)
XPD_RECORD_TABLE(xpd_buffer_order, XPD_BUFFER_ORDER_FIELDS)
XPD_RECORD_TABLE(xpd_buffer_padding, XPD_BUFFER_PADDING_FIELDS)

struct words { /* room for those of any shape */
    struct xpd_str *at;
    uint32_t count;
};

/* What card->text holds, as the next of them. */
static void word(struct words *words, struct xpd_card *card)
{
    words->at[words->count++] = xpd_card_text(card);
}

static void elements_words(struct words *words, struct xpd_card *card)
{
    const struct xpd_shape *shape = card->buffer->shape;
    int64_t product = 1;
    bool overflow = false;
    char scratch[16];
    xpd_strbuf_printf(&card->text, "%s: %" PRIu32 " bits an element",
                      xpd_type_name(shape->type, scratch), xpd_type_bits(shape->type));
    word(words, card);
    for (uint32_t i = 0; i < shape->rank; i++) {
        product = __builtin_mul_overflow(product, shape->dims[i], &product) ? (overflow = true, 1)
                                                                            : product;
        if (i > 0)
            xpd_strbuf_puts(&card->text, " x ");
        number(&card->text, shape->dims[i]);
    }
    if (shape->rank == 0)
        xpd_strbuf_puts(&card->text, "one element");
    else if (shape->rank > 1 && !overflow) {
        xpd_strbuf_puts(&card->text, " = ");
        number(&card->text, product);
        xpd_strbuf_puts(&card->text, " elements");
    } else {
        xpd_strbuf_puts(&card->text, " elements");
    }
    word(words, card);
}

static void layout_words(struct words *words, struct xpd_card *card)
{
    const struct xpd_shape *shape = card->buffer->shape;
    const struct xpd_layout *layout = shape->layout;
    if (!layout)
        return;
    if (layout->minor_to_major_count > 0) {
        xpd_strbuf_puts(&card->text, "neighbours in memory: dimension ");
        for (uint32_t i = 0; i < layout->minor_to_major_count; i++)
            xpd_strbuf_printf(&card->text, "%s%" PRId64, i ? ", then " : "",
                              layout->minor_to_major[i]);
        word(words, card);
    }
    for (uint32_t i = 0; i < layout->tile_count; i++) {
        xpd_strbuf_puts(&card->text, i ? "inside a tile: " : "stored in tiles of ");
        for (uint32_t j = 0; j < layout->tile[i].count; j++) {
            if (j > 0)
                xpd_strbuf_puts(&card->text, " x ");
            if (layout->tile[i].dims[j] < 0)
                xpd_strbuf_putc(&card->text, '*');
            else
                number(&card->text, layout->tile[i].dims[j]);
        }
        xpd_strbuf_puts(&card->text, i ? "" : ", each filled up");
        word(words, card);
    }
    if (layout->memory_space != 0) {
        xpd_strbuf_printf(&card->text, "S(%" PRId64 "): placed in memory space %" PRId64,
                          layout->memory_space, layout->memory_space);
        word(words, card);
    }
}

void xpd_card_shape(struct xpd_card *card)
{
    const struct xpd_shape *shape = card->buffer->shape;
    uint32_t most = 4 + (shape->layout ? shape->layout->tile_count : 0);
    struct words words = {XPD_NEW_ARRAY(card->ctx->arena, struct xpd_str, most), 0};
    xpd_shape_text(&card->text, shape, true);
    card->out->shape = xpd_card_text(card);
    if (!words.at)
        return;
    if (shape->type == XPD_TYPE_TUPLE) {
        xpd_strbuf_printf(&card->text,
                          "tuple: a table of %" PRIu32 " addresses; the values are elsewhere",
                          shape->element_count);
        word(&words, card);
    } else if (xpd_type_bits(shape->type) > 0) {
        elements_words(&words, card);
        layout_words(&words, card);
    }
    card->out->shape_words.at = words.at;
    card->out->shape_words.n = words.count;
}

static void dim_words(struct xpd_strbuf *out, const struct xpd_tiled_dim *dim)
{
    number(out, dim->size);
    if (dim->padded_size != dim->size) {
        xpd_strbuf_puts(out, " stored as ");
        number(out, dim->padded_size);
    }
    if (dim->tile <= 1) {
        xpd_strbuf_puts(out, ", not tiled");
        return;
    }
    xpd_strbuf_puts(out, " = ");
    number(out, dim->padded_size / dim->tile);
    xpd_strbuf_puts(out, " x ");
    number(out, dim->tile);
    if (dim->size > 0 && dim->padded_size >= 2 * dim->size)
        xpd_strbuf_printf(out, ", %.4g times the data",
                          (double)dim->padded_size / (double)dim->size);
}

static void fill_dims(struct xpd_buffer_padding *out, struct xpd_card *card,
                      const struct xpd_tiling *tiling)
{
    uint32_t n = tiling->known ? tiling->dim_count : 0;
    struct xpd_buffer_dim *row = XPD_NEW_ARRAY(card->ctx->arena, struct xpd_buffer_dim, n);
    for (uint32_t i = 0; row && i < n; i++) {
        const struct xpd_tiled_dim *dim = &tiling->dim[i];
        dim_words(&card->text, dim);
        row[i] = (struct xpd_buffer_dim){dim->dimension, dim->size,       dim->padded_size,
                                         dim->tile,      dim->cost_bytes, xpd_card_text(card)};
    }
    out->dims.at = row;
    out->dims.n = row ? n : 0;
}

static void fill_orders(struct xpd_buffer_padding *out, const struct xpd_card *card,
                        const struct xpd_tiling *tiling)
{
    struct xpd_order_choice order[ORDERS_MAX];
    uint32_t n = tiling->known ? xpd_tiling_orders(card->buffer->shape, order, ORDERS_MAX) : 0;
    n = n < ORDERS_MAX ? n : ORDERS_MAX;
    struct xpd_buffer_order *row = XPD_NEW_ARRAY(card->ctx->arena, struct xpd_buffer_order, n);
    for (uint32_t i = 0; row && i < n; i++)
        row[i] = (struct xpd_buffer_order){
            {xpd_arena_copy(card->ctx->arena, order[i].minor_to_major, tiling->dim_count,
                            sizeof *order[i].minor_to_major),
             tiling->dim_count},
            order[i].tiled_bytes};
    out->orders.at = row;
    out->orders.n = row ? n : 0;
}

void xpd_card_padding(struct xpd_card *card)
{
    const struct xpd_layout *layout = card->buffer->shape->layout;
    struct xpd_buffer_padding *out = XPD_NEW(card->ctx->arena, struct xpd_buffer_padding);
    struct xpd_tiling tiling;
    xpd_tiling_of(&tiling, card->buffer->shape);
    if (!out)
        return;
    out->known = tiling.known;
    out->tiled_bytes = tiling.known ? tiling.tiled_bytes : -1;
    out->other_overhead_bytes =
        tiling.known ? card->buffer->size_bytes - tiling.tiled_bytes : XPD_UNKNOWN;
    for (uint32_t i = 0; layout && layout->tile_count > 0 && i < layout->tile[0].count; i++)
        xpd_strbuf_printf(&card->text, "%s%" PRId64, i ? "x" : "", layout->tile[0].dims[i]);
    out->tile = xpd_tools_or_null(xpd_card_text(card));
    fill_dims(out, card, &tiling);
    fill_orders(out, card, &tiling);
    card->out->padding = out;
}

#define CURVE_MAX 160

#define XPD_CARD_CURVE_FIELDS(FIELD)                                                               \
    FIELD(INT, min_bytes, "temporaries, the minimum of each column")                               \
    FIELD(INT, max_bytes, "the maximum")
XPD_RECORD(xpd_card_column, XPD_CARD_CURVE_FIELDS)

#define XPD_CARD_PICTURE_FIELDS(FIELD)                                                             \
    FIELD(INLINE(xpd_card_column), columns, "columns over the program, at most 160")               \
    FIELD(INT, resident_bytes, "resident bytes, below the columns")
XPD_RECORD(xpd_card_curve, XPD_CARD_PICTURE_FIELDS)

#define XPD_CARD_HOLDS_FIELDS(FIELD)                                                               \
    FIELD(MAYBE(STRING), memory, "null: it has the data that Memory needs; else the reason")       \
    FIELD(MAYBE(STRING), trace, "")                                                                \
    FIELD(MAYBE(STRING), graph, "")
XPD_RECORD(xpd_card_holds, XPD_CARD_HOLDS_FIELDS)

#define XPD_CARD_FILE_FIELDS(FIELD)                                                                \
    FIELD(STRING, name, "")                                                                        \
    FIELD(INT, size_bytes, "")
XPD_RECORD(xpd_card_file, XPD_CARD_FILE_FIELDS)

#define XPD_RUN_CARD_FIELDS(FIELD)                                                                 \
    FIELD(STRING, id, "")                                                                          \
    FIELD(WORD(XPD_RUN_KINDS), kind, "")                                                           \
    FIELD(MAYBE(TEXT), platform, "`tpu`, `gpu`, `cpu`")                                            \
    FIELD(MAYBE(TEXT), device_type, "`TPU v6 Lite`, ...")                                          \
    FIELD(COUNT, device_count, "")                                                                 \
    FIELD(VALUES(STRING), hosts, "names")                                                          \
    FIELD(MAYBE(STRING), module, "key of the default module; null: none can be read")              \
    FIELD(MAYBE(STRING), module_name, "")                                                          \
    FIELD(COUNT, other_modules, "number of other modules")                                         \
    FIELD(MAYBE(INT), peak_bytes, "peak of its main memory space")                                 \
    FIELD(MAYBE(SIGNED), peak_space, "color of that space")                                        \
    XPD_CAPACITY_FIELDS(FIELD)                                                                     \
    FIELD(MAYBE(FLAG), same_program,                                                               \
          "for a dump beside a profile: whether both have the same program; null: unknown")        \
    FIELD(MAYBE(OBJECT(xpd_summary_split)), split, "of the peak")                                  \
    FIELD(MAYBE(OBJECT(xpd_card_curve)), curve, "")                                                \
    FIELD(MAYBE(INT), steps, "of the memory space")                                                \
    FIELD(MAYBE(INT), instructions, "of the module")                                               \
    FIELD(INT, events, "of the run")                                                               \
    FIELD(OBJECT(xpd_card_holds), holds, "")                                                       \
    FIELD(MAYBE(OBJECT(xpd_run_problem)), problem, "the most severe problem")                      \
    FIELD(COUNT, problems, "how many")                                                             \
    FIELD(LIST(xpd_card_file), files, "at most 200")                                               \
    FIELD(COUNT, files_left_out, "")
XPD_RECORD(xpd_run_card, XPD_RUN_CARD_FIELDS)

struct card {
    uint32_t module; /* XPD_NO_INDEX = none readable */
    const struct xpd_hlo *hlo;
    const struct xpd_mem *mem;
    const struct xpd_mem_space *space;
    struct xpd_peak_split split; /* of the space's peak, when there is one */
};

static void open_card(const struct xpd_tool_ctx *ctx, struct card *card)
{
    memset(card, 0, sizeof *card);
    if (xpd_store_default_module(ctx->store, ctx->run, &card->module, NULL) != XPD_OK ||
        xpd_store_module(ctx->store, ctx->run, card->module, &card->hlo, &card->mem, NULL) !=
            XPD_OK) {
        *card = (struct card){.module = XPD_NO_INDEX};
        return;
    }
    card->space = xpd_mem_main_space(card->mem);
}

static const struct xpd_card_curve *curve_of(const struct xpd_tool_ctx *ctx,
                                             const struct xpd_mem_space *space)
{
    struct xpd_card_curve *out = XPD_NEW(ctx->arena, struct xpd_card_curve);
    struct xpd_curve_column *column = XPD_NEW_ARRAY(ctx->arena, struct xpd_curve_column, CURVE_MAX);
    struct xpd_card_column *row = XPD_NEW_ARRAY(ctx->arena, struct xpd_card_column, CURVE_MAX);
    struct xpd_step_window all = {0, space->step_count};
    if (!out || !column || !row)
        return NULL;
    uint32_t n = space->step_count ? xpd_curve(space, all, CURVE_MAX, column) : 0;
    for (uint32_t i = 0; i < n; i++)
        row[i] = (struct xpd_card_column){column[i].min_live, column[i].max_live};
    out->columns.at = row;
    out->columns.n = n;
    out->resident_bytes = space->totals.resident;
    return out;
}

static int fill_memory(struct xpd_run_card *out, const struct xpd_tool_ctx *ctx, struct card *card,
                       struct xpd_err *err)
{
    const struct xpd_mem_space *space = card->space;
    struct xpd_held_list peak;
    int rc = xpd_held_at(&peak, card->mem, space, space->peak_step, ctx->arena, err);
    if (rc != XPD_OK)
        return rc;
    xpd_peak_split_of(&card->split, space, &peak);
    out->split = xpd_peak_split_answer(&card->split, ctx->arena);
    out->curve = curve_of(ctx, space);
    out->steps = space->step_count;
    out->peak_bytes = space->peak_bytes;
    out->peak_space = space->color;
    return XPD_OK;
}

static void fill_files(struct xpd_run_card *out, const struct xpd_run_entry *entry,
                       struct xpd_arena *arena)
{
    enum { FILES_MAX = 200 };
    uint32_t n = entry->input_count < FILES_MAX ? entry->input_count : FILES_MAX;
    struct xpd_card_file *file = XPD_NEW_ARRAY(arena, struct xpd_card_file, n);
    for (uint32_t i = 0; file && i < n; i++)
        file[i] = (struct xpd_card_file){entry->input[i].name,
                                         (int64_t)entry->input[i].identity.size_bytes};
    out->files.at = file;
    out->files.n = n;
    out->files_left_out = entry->input_count - n;
}

static void fill_head(struct xpd_run_card *out, const struct xpd_tool_ctx *ctx,
                      const struct card *card)
{
    const struct xpd_run *run = ctx->run;
    const struct xpd_module *module =
        card->module == XPD_NO_INDEX ? NULL : &run->module[card->module];
    const char **host = XPD_NEW_ARRAY(ctx->arena, const char *, run->host_count);
    struct xpd_capacity capacity;
    xpd_tools_capacity(ctx, card->space ? card->space->color : 0, &capacity);
    for (uint32_t i = 0; host && i < run->host_count; i++)
        host[i] = run->host[i].name;
    *out = (struct xpd_run_card){
        .id = run->entry->id,
        .kind = xpd_run_kind_word(run->entry->kind),
        .platform = xpd_tools_or_null(xpd_str_of(run->platform)),
        .device_type = xpd_tools_or_null(xpd_str_of(run->device_type)),
        .device_count = run->device_count,
        .hosts = {host, run->host_count},
        .module = module ? module->key : NULL,
        .module_name = module ? module->name : NULL,
        .other_modules = module ? run->module_count - 1 : run->module_count,
        .peak_bytes = -1,
        .peak_space = XPD_UNKNOWN,
        XPD_CAPACITY_OF(capacity),
        .same_program = run->entry->lead ? (int8_t)xpd_tools_same_program(ctx) : -1,
        .steps = -1,
        .instructions = card->hlo ? (int64_t)card->hlo->instructions.count : -1,
        .events = (int64_t)run->event_count,
    };
}

static int card_tool(const struct xpd_tool_ctx *ctx, const void **answer, struct xpd_err *err)
{
    struct card card;
    struct xpd_run_card *out = XPD_NEW(ctx->arena, struct xpd_run_card);
    struct xpd_card_holds *holds = XPD_NEW(ctx->arena, struct xpd_card_holds);
    if (!out || !holds)
        return xpd_tools_no_memory(err);
    open_card(ctx, &card);
    fill_head(out, ctx, &card);
    int rc = card.space ? fill_memory(out, ctx, &card, err) : XPD_OK;
    if (rc != XPD_OK)
        return rc;
    *holds = (struct xpd_card_holds){xpd_sidebar_memory_reason(ctx->run, card.space != NULL),
                                     xpd_sidebar_trace_reason(ctx->run),
                                     xpd_sidebar_graph_reason(ctx->run)};
    out->holds = holds;
    out->problem =
        xpd_run_problem_of(ctx, card.space, card.space ? &card.split : NULL, &out->problems);
    fill_files(out, ctx->run->entry, ctx->arena);
    *answer = out;
    return XPD_OK;
}

const struct xpd_tool xpd_tool_card = {
    .route = "/api/v1/card",
    .title = "The summary of a run on the start page, without loading it.",
    .needs = XPD_NEEDS_RUN,
    .answer = xpd_run_card_record,
    .make = card_tool,
    XPD_IN_REPORT("", {110, XPD_EACH_RUN, "", "the run and its files"}),
};
