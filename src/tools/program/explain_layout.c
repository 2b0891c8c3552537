/* The layout of an array: order, tiles, where elements lie, what padding costs. In: a shape. Out:
 * JSON with a drawing as numbers: rows and columns shown, and the offset of each cell. */
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

static void put_dims(struct xpd_jsonw *w, const int64_t *dims, uint32_t count)
{
    xpd_json_arr(w);
    for (uint32_t i = 0; i < count; i++)
        xpd_json_i64(w, dims[i]);
    xpd_json_arr_end(w);
}

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

static void step(struct xpd_explaining *e, const int64_t *dims, uint32_t count, int64_t bytes,
                 struct xpd_str label)
{
    struct xpd_jsonw *w = e->w;
    xpd_json_obj(w);
    xpd_json_kstr(w, "label", label);
    xpd_json_key(w, "dims");
    put_dims(w, dims, count);
    xpd_explain_ktext(e, "words");
    xpd_tools_kknown(w, "bytes", bytes);
    xpd_json_obj_end(w);
}

static void put_order_step(struct xpd_explaining *e, const struct xpd_shape *shape,
                           const struct xpd_order_choice *choice)
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
    step(e, dims, count, tiling.tiled_bytes, (struct xpd_str){label.data, label.size});
    xpd_strbuf_fini(&label);
}

/* The cheapest other order, and the opposite of this one: what a wrong order would cost. */
static void put_other_orders(struct xpd_explaining *e, const struct xpd_shape *shape,
                             const struct xpd_tiling *tiling)
{
    struct xpd_order_choice choice[1] = {{{0}, 0}}, reversed = {{0}, 0};
    uint32_t n = xpd_tiling_orders(shape, choice, 1);
    bool cheaper = n > 0 && choice[0].tiled_bytes < tiling->tiled_bytes, same = cheaper;
    if (cheaper)
        put_order_step(e, shape, &choice[0]);
    for (uint32_t i = 0; i < shape->rank; i++) {
        reversed.minor_to_major[i] = shape->layout->minor_to_major[shape->rank - 1 - i];
        same &= reversed.minor_to_major[i] == choice[0].minor_to_major[i];
    }
    if (shape->rank > 1 && !same)
        put_order_step(e, shape, &reversed);
}

static void put_steps(struct xpd_explaining *e, const struct xpd_shape *shape,
                      const struct xpd_tiling *tiling)
{
    const struct xpd_layout *layout = shape->layout;
    int64_t dims[XPD_TILED_DIMS];
    uint32_t count;
    struct xpd_strbuf label = {0};
    xpd_json_key(e->w, "steps");
    xpd_json_arr(e->w);
    xpd_put_number(&e->text, xpd_shape_elements(shape));
    xpd_strbuf_puts(&e->text, " elements");
    step(e, shape->dims, shape->rank, tiling->unpadded_bytes, XPD_STR("logical"));
    for (uint32_t t = 0; t < layout->tile_count; t++) {
        if (!xpd_tiling_dims(shape, t + 1, dims, &count))
            break;
        xpd_strbuf_clear(&label);
        tile_label(&label, &layout->tile[t], t == 0);
        if (t == 0)
            first_tile_words(&e->text, tiling);
        if (t + 1 == layout->tile_count) {
            xpd_strbuf_puts(&e->text, t == 0 ? "; " : "");
            padding_words(&e->text, tiling);
        }
        step(e, dims, count, t + 1 == layout->tile_count ? tiling->tiled_bytes : -1,
             (struct xpd_str){label.data, label.size});
    }
    if (layout->tile_count > 0)
        put_other_orders(e, shape, tiling);
    xpd_json_arr_end(e->w);
    xpd_strbuf_fini(&label);
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

static void put_cell(struct xpd_explaining *e, const struct xpd_shape *shape,
                     const struct axis *row, const struct axis *column, uint32_t r, uint32_t c)
{
    int64_t index[XPD_TILING_DIMS] = {0}, offset;
    if (row->dimension >= 0)
        index[row->dimension] = row->at[r];
    if (column->dimension >= 0)
        index[column->dimension] = column->at[c];
    if (xpd_tiling_offset(shape, index, &offset))
        xpd_json_i64(e->w, offset);
    else
        xpd_json_null(e->w);
}

static void put_cells(struct xpd_explaining *e, const struct xpd_shape *shape,
                      const struct xpd_tiling *tiling)
{
    struct axis row, column;
    struct xpd_jsonw *w = e->w;
    plan_axis(&column, tiling, 0);
    plan_axis(&row, tiling, 1);
    xpd_json_key(w, "cells");
    xpd_json_obj(w);
    xpd_json_col_i64(w, "rows", row.at, row.count);
    xpd_json_col_i64(w, "columns", column.at, column.count);
    xpd_json_ki64(w, "row_size", row.size);
    xpd_json_ki64(w, "column_size", column.size);
    xpd_json_ki64(w, "row_extent", row.extent);
    xpd_json_ki64(w, "column_extent", column.extent);
    xpd_json_key(w, "offset");
    xpd_json_arr(w);
    for (uint32_t r = 0; r < row.count; r++) {
        xpd_json_arr(w);
        for (uint32_t c = 0; c < column.count; c++)
            put_cell(e, shape, &row, &column, r, c);
        xpd_json_arr_end(w);
    }
    xpd_json_arr_end(w);
    xpd_json_obj_end(w);
}

static void put_tiles(struct xpd_explaining *e, const struct xpd_layout *layout)
{
    struct xpd_jsonw *w = e->w;
    xpd_json_key(w, "tiles");
    xpd_json_arr(w);
    for (uint32_t t = 0; t < layout->tile_count; t++) {
        xpd_json_arr(w);
        for (uint32_t i = 0; i < layout->tile[t].count; i++)
            if (layout->tile[t].dims[i] < 0)
                xpd_json_null(w);
            else
                xpd_json_i64(w, layout->tile[t].dims[i]);
        xpd_json_arr_end(w);
    }
    xpd_json_arr_end(w);
}

void xpd_explain_put_layout(struct xpd_explaining *e)
{
    const struct xpd_shape *shape = drawn_shape(e);
    struct xpd_jsonw *w = e->w;
    struct xpd_tiling tiling = {0};
    xpd_json_key(w, "layout");
    if (shape)
        xpd_tiling_of(&tiling, shape);
    if (!shape || !tiling.known) {
        xpd_json_null(w);
        return;
    }
    xpd_json_obj(w);
    xpd_json_col_i64(w, "dims", shape->dims, shape->rank);
    xpd_json_col_i64(w, "minor_to_major", shape->layout->minor_to_major, shape->rank);
    put_tiles(e, shape->layout);
    xpd_json_ku64(w, "element_bits",
                  shape->layout->element_size_bits ? (uint64_t)shape->layout->element_size_bits
                                                   : xpd_type_bits(shape->type));
    xpd_json_ki64(w, "unpadded_bytes", tiling.unpadded_bytes);
    xpd_json_ki64(w, "tiled_bytes", tiling.tiled_bytes);
    put_steps(e, shape, &tiling);
    put_cells(e, shape, &tiling);
    xpd_json_obj_end(w);
}
