/* The layout of an array: order, tiles, where elements lie, what padding costs. In: a shape. Out:
 * a drawing as numbers: rows and columns shown, and the offset of each cell. */
#include "explain.h"

#include "xprofd/hlo/tiling.h"

enum { WHOLE_MOST = 16, COLUMNS_FIRST = 6, COLUMNS_LAST = 2, ROWS_MOST = 16, AXIS_MOST = 16 };

struct axis {          /* of the drawing */
    int64_t dimension; /* logical; -1 = the array has no such */
    int64_t size;      /* logical */
    int64_t extent;    /* drawn: the array with its padding, or one tile of it */
    uint32_t count;
    int64_t at[AXIS_MOST + 2];
};

static const struct xpd_shape *drawn_shape(const struct xpd_explaining *e)
{
    const struct xpd_shape *shape = e->line.shape;
    return shape->element_count == 0 && shape->layout && xpd_type_bits(shape->type) > 0 ? shape
                                                                                        : NULL;
}

/* ---- steps: the dims after each tile ---- */

#define STEPS_MOST 16 /* tiles and two other orders; more tiles than that no shape has */

struct steps {                   /* in the making */
    struct xpd_explain_step *at; /* room for STEPS_MOST */
    uint32_t count;
};

static void tile_label(struct xpd_strbuf *out, const struct xpd_tile *tile, bool first)
{
    xpd_strbuf_puts(out, first ? "T(" : "(");
    for (uint32_t i = 0; i < tile->count; i++)
        if (tile->dims[i] < 0)
            xpd_strbuf_puts(out, i ? ",*" : "*");
        else
            xpd_strbuf_printf(out, "%s%" PRId64, i ? "," : "", tile->dims[i]);
    xpd_strbuf_putc(out, ')');
}

/* "32/8 = 4 and 4096/128 = 32, exact" or "3 filled up to 4". */
static void first_tile_words(struct xpd_strbuf *out, const struct xpd_tiling *tiling)
{
    bool exact = true;
    uint32_t put = 0;
    for (uint32_t i = tiling->dim_count; i > 0; i--) {
        const struct xpd_tiled_dim *dim = &tiling->dim[i - 1];
        if (dim->tile <= 1)
            continue;
        xpd_strbuf_puts(out, put++ ? " and " : "");
        if (dim->padded_size != dim->size) {
            exact = false;
            xpd_strbuf_printf(out, "%" PRId64 " filled up to %" PRId64, dim->size,
                              dim->padded_size);
        } else {
            xpd_strbuf_printf(out, "%" PRId64 "/%" PRId64 " = %" PRId64, dim->size, dim->tile,
                              dim->padded_size / dim->tile);
        }
    }
    if (put == 0)
        xpd_strbuf_puts(out, "the array is smaller than a tile");
    else if (exact)
        xpd_strbuf_puts(out, put > 1 ? ", both exact" : ", exact");
}

static void padding_words(struct xpd_strbuf *out, const struct xpd_tiling *tiling)
{
    xpd_strbuf_puts(out, "padding ");
    xpd_put_bytes(out, tiling->tiled_bytes - tiling->unpadded_bytes);
    if (tiling->unpadded_bytes > 0)
        xpd_strbuf_printf(out, ", %.2f\xc3\x97",
                          (double)tiling->tiled_bytes / (double)tiling->unpadded_bytes);
}

/* e->text becomes its words, `label` is emptied. */
static void step(struct steps *steps, struct xpd_explaining *e, const int64_t *dims, uint32_t count,
                 int64_t bytes, struct xpd_strbuf *label)
{
    struct xpd_arena *arena = e->ctx->arena;
    struct xpd_str name = xpd_strbuf_keep(label, arena), words = xpd_explain_keep(e);
    if (steps->count == STEPS_MOST)
        return;
    steps->at[steps->count++] =
        (struct xpd_explain_step){name, {XPD_COPY_ARRAY(arena, dims, count), count}, words, bytes};
}

static void put_order_step(struct steps *steps, struct xpd_explaining *e,
                           const struct xpd_shape *shape, const struct xpd_order_choice *choice)
{
    struct xpd_layout layout = *shape->layout;
    struct xpd_shape other = *shape;
    struct xpd_tiling tiling;
    int64_t dims[XPD_TILED_DIMS];
    uint32_t count;
    struct xpd_strbuf label = {0};
    layout.minor_to_major = choice->minor_to_major;
    other.layout = &layout;
    xpd_tiling_of(&tiling, &other);
    if (!tiling.known || !xpd_tiling_dims(&other, layout.tile_count, dims, &count))
        return;
    xpd_strbuf_puts(&label, "if {");
    for (uint32_t i = 0; i < shape->rank; i++)
        xpd_strbuf_printf(&label, "%s%" PRId64, i ? "," : "", choice->minor_to_major[i]);
    xpd_strbuf_putc(&label, '}');
    if (tiling.dim[0].padded_size != tiling.dim[0].size)
        xpd_strbuf_printf(&e->text, "minor dimension %" PRId64 " padded to %" PRId64 ", ",
                          tiling.dim[0].size, tiling.dim[0].padded_size);
    if (tiling.unpadded_bytes > 0)
        xpd_strbuf_printf(&e->text, "%.2f\xc3\x97",
                          (double)tiling.tiled_bytes / (double)tiling.unpadded_bytes);
    step(steps, e, dims, count, tiling.tiled_bytes, &label);
    xpd_strbuf_fini(&label);
}

/* The cheapest other order, and the opposite of this one: what a wrong order would cost. */
static void put_other_orders(struct steps *steps, struct xpd_explaining *e,
                             const struct xpd_shape *shape, const struct xpd_tiling *tiling)
{
    struct xpd_order_choice choice[1] = {{{0}, 0}}, reversed = {{0}, 0};
    uint32_t n = xpd_tiling_orders(shape, choice, 1);
    bool cheaper = n > 0 && choice[0].tiled_bytes < tiling->tiled_bytes, same = cheaper;
    if (cheaper)
        put_order_step(steps, e, shape, &choice[0]);
    for (uint32_t i = 0; i < shape->rank; i++) {
        reversed.minor_to_major[i] = shape->layout->minor_to_major[shape->rank - 1 - i];
        same &= reversed.minor_to_major[i] == choice[0].minor_to_major[i];
    }
    if (shape->rank > 1 && !same)
        put_order_step(steps, e, shape, &reversed);
}

static void fill_steps(struct xpd_explain_layout *out, struct xpd_explaining *e,
                       const struct xpd_shape *shape, const struct xpd_tiling *tiling)
{
    const struct xpd_layout *layout = shape->layout;
    int64_t dims[XPD_TILED_DIMS];
    uint32_t count;
    struct steps steps = {XPD_NEW_ARRAY(e->ctx->arena, struct xpd_explain_step, STEPS_MOST), 0};
    struct xpd_strbuf label = {0};
    if (!steps.at)
        return;
    xpd_put_number(&e->text, xpd_shape_elements(shape));
    xpd_strbuf_puts(&e->text, " elements");
    xpd_strbuf_puts(&label, "logical");
    step(&steps, e, shape->dims, shape->rank, tiling->unpadded_bytes, &label);
    for (uint32_t t = 0; t < layout->tile_count; t++) {
        if (!xpd_tiling_dims(shape, t + 1, dims, &count))
            break;
        bool last = t + 1 == layout->tile_count;
        tile_label(&label, &layout->tile[t], t == 0);
        if (t == 0)
            first_tile_words(&e->text, tiling);
        if (last) {
            xpd_strbuf_puts(&e->text, t == 0 ? "; " : "");
            padding_words(&e->text, tiling);
        }
        step(&steps, e, dims, count, last ? tiling->tiled_bytes : -1, &label);
    }
    if (layout->tile_count > 0)
        put_other_orders(&steps, e, shape, tiling);
    xpd_strbuf_fini(&label);
    out->steps.at = steps.at;
    out->steps.n = steps.count;
}

/* ---- cells: where elements of the two minor dimensions lie ---- */

static void plan_axis(struct axis *axis, const struct xpd_tiling *tiling, uint32_t from_minor)
{
    *axis = (struct axis){.dimension = -1, .size = 1, .extent = 1};
    if (from_minor < tiling->dim_count) {
        const struct xpd_tiled_dim *dim = &tiling->dim[from_minor];
        axis->dimension = dim->dimension;
        axis->size = dim->size;
        axis->extent =
            dim->padded_size <= WHOLE_MOST || dim->tile <= 1 ? dim->padded_size : dim->tile;
    }
    bool rows = from_minor == 1;
    uint32_t most = rows ? ROWS_MOST : WHOLE_MOST;
    if (axis->extent <= most) {
        for (int64_t i = 0; i < axis->extent; i++)
            axis->at[axis->count++] = i;
        return;
    }
    for (int64_t i = 0; i < COLUMNS_FIRST; i++)
        axis->at[axis->count++] = i;
    for (int64_t i = COLUMNS_LAST; i > 0; i--)
        axis->at[axis->count++] = axis->extent - i;
}

/* -1: there is no such element. */
static int64_t cell_of(const struct xpd_shape *shape, const struct axis *row,
                       const struct axis *column, uint32_t r, uint32_t c)
{
    int64_t index[XPD_TILING_DIMS] = {0}, offset;
    if (row->dimension >= 0)
        index[row->dimension] = row->at[r];
    if (column->dimension >= 0)
        index[column->dimension] = column->at[c];
    return xpd_tiling_offset(shape, index, &offset) ? offset : -1;
}

static const struct xpd_explain_cells *cells_of(const struct xpd_explaining *e,
                                                const struct xpd_shape *shape,
                                                const struct xpd_tiling *tiling)
{
    struct axis row, column;
    struct xpd_arena *arena = e->ctx->arena;
    plan_axis(&column, tiling, 0);
    plan_axis(&row, tiling, 1);
    struct xpd_explain_cells *out = XPD_NEW(arena, struct xpd_explain_cells);
    struct xpd_explain_cell_row *rows =
        XPD_NEW_ARRAY(arena, struct xpd_explain_cell_row, row.count);
    int64_t *cell = XPD_NEW_ARRAY(arena, int64_t, (size_t)row.count * column.count);
    if (!out || !rows || !cell)
        return NULL;
    for (uint32_t r = 0; r < row.count; r++) {
        rows[r].elements.at = cell + (size_t)r * column.count;
        rows[r].elements.n = column.count;
        for (uint32_t c = 0; c < column.count; c++)
            cell[(size_t)r * column.count + c] = cell_of(shape, &row, &column, r, c);
    }
    *out = (struct xpd_explain_cells){
        .rows = {XPD_COPY_ARRAY(arena, row.at, row.count), row.count},
        .columns = {XPD_COPY_ARRAY(arena, column.at, column.count), column.count},
        .row_size = row.size,
        .column_size = column.size,
        .row_extent = row.extent,
        .column_extent = column.extent,
        .offset = {rows, row.count},
    };
    return out;
}

static const struct xpd_explain_tile *tiles_of(const struct xpd_explaining *e,
                                               const struct xpd_layout *layout)
{
    struct xpd_arena *arena = e->ctx->arena;
    struct xpd_explain_tile *out =
        XPD_NEW_ARRAY(arena, struct xpd_explain_tile, layout->tile_count);
    for (uint32_t t = 0; out && t < layout->tile_count; t++) {
        uint32_t n = layout->tile[t].count;
        int64_t *dims = XPD_NEW_ARRAY(arena, int64_t, n);
        for (uint32_t i = 0; dims && i < n; i++)
            dims[i] = layout->tile[t].dims[i] < 0 ? -1 : layout->tile[t].dims[i];
        out[t].dims.at = dims;
        out[t].dims.n = n;
    }
    return out;
}

XPD_RECORD_TABLE(xpd_explain_step, XPD_EXPLAIN_STEP_FIELDS)
XPD_RECORD_TABLE(xpd_explain_tile, XPD_EXPLAIN_TILE_FIELDS)
XPD_RECORD_TABLE(xpd_explain_cell_row, XPD_EXPLAIN_CELL_ROW_FIELDS)
XPD_RECORD_TABLE(xpd_explain_cells, XPD_EXPLAIN_CELLS_FIELDS)
XPD_RECORD_TABLE(xpd_explain_layout, XPD_EXPLAIN_LAYOUT_FIELDS)

const struct xpd_explain_layout *xpd_explain_layout_of(struct xpd_explaining *e)
{
    const struct xpd_shape *shape = drawn_shape(e);
    struct xpd_tiling tiling = {0};
    if (shape)
        xpd_tiling_of(&tiling, shape);
    if (!shape || !tiling.known)
        return NULL;
    const struct xpd_layout *layout = shape->layout;
    struct xpd_explain_layout *out = XPD_NEW(e->ctx->arena, struct xpd_explain_layout);
    if (!out)
        return NULL;
    *out = (struct xpd_explain_layout){
        .dims = {shape->dims, shape->rank},
        .minor_to_major = {layout->minor_to_major, shape->rank},
        .tiles = {tiles_of(e, layout), layout->tile_count},
        .element_bits = layout->element_size_bits ? (int64_t)layout->element_size_bits
                                                  : (int64_t)xpd_type_bits(shape->type),
        .unpadded_bytes = tiling.unpadded_bytes,
        .tiled_bytes = tiling.tiled_bytes,
        .cells = cells_of(e, shape, &tiling),
    };
    fill_steps(out, e, shape, &tiling);
    return out;
}
