/* /api/v1/report/heap: the heap at one step: who lies where, what is free between them, and what is
 * always there. In: a step. Out: boxes by address, holes, residents. */
#include "report_keys.h"
#include "xprofd/base/checked.h"

#define BOXES_MAX     8192
#define HOLES_MAX     4096
#define RESIDENTS_MAX 512

struct heap {
    const struct xpd_tool_ctx *ctx;
    const struct xpd_report *report;
    uint32_t step;
    struct xpd_held_list held;
    struct xpd_report_gaps gaps;
    const struct xpd_held **box, **resident; /* by address; largest first */
    uint32_t box_count, resident_count, boxes_out, residents_out;
    int64_t boxes_out_bytes, residents_out_bytes;
    struct xpd_names names;
    const struct xpd_report_reuse *reuse;
};

static int by_size(const void *a, const void *b)
{
    const struct xpd_held *x = *(const struct xpd_held *const *)a;
    const struct xpd_held *y = *(const struct xpd_held *const *)b;
    if (x->size_bytes != y->size_bytes)
        return x->size_bytes < y->size_bytes ? 1 : -1;
    return (x > y) - (x < y);
}

static int by_address(const void *a, const void *b)
{
    const struct xpd_held *x = *(const struct xpd_held *const *)a;
    const struct xpd_held *y = *(const struct xpd_held *const *)b;
    if (x->offset_bytes != y->offset_bytes)
        return x->offset_bytes < y->offset_bytes ? -1 : 1;
    return (x > y) - (x < y);
}

/* The largest ones up to a number; what is left out is counted. */
static uint32_t largest(const struct xpd_held **row, uint32_t count, uint32_t most, uint32_t *out,
                        int64_t *out_bytes)
{
    if (count > 1)
        qsort(row, count, sizeof *row, by_size);
    for (uint32_t i = most; i < count; i++) {
        ++*out;
        xpd_grow_i64(out_bytes, row[i]->size_bytes);
    }
    return count < most ? count : most;
}

static bool choose(struct heap *h)
{
    uint32_t residents = h->held.resident_count, boxes = h->held.count - residents;
    h->resident = XPD_NEW_ARRAY(h->ctx->arena, const struct xpd_held *, residents);
    h->box = XPD_NEW_ARRAY(h->ctx->arena, const struct xpd_held *, boxes);
    if (!h->resident || !h->box)
        return false;
    for (uint32_t i = 0; i < h->held.count; i++) {
        if (i < residents)
            h->resident[i] = &h->held.at[i];
        else
            h->box[i - residents] = &h->held.at[i];
    }
    h->resident_count =
        largest(h->resident, residents, RESIDENTS_MAX, &h->residents_out, &h->residents_out_bytes);
    h->box_count = largest(h->box, boxes, BOXES_MAX, &h->boxes_out, &h->boxes_out_bytes);
    if (h->box_count > 1)
        qsort(h->box, h->box_count, sizeof *h->box, by_address);
    return true;
}

/* The row of the report that a held row is: residents stand in the same order in both. */
static uint32_t leaf_of(struct heap *h, const struct xpd_held *held)
{
    uint32_t row = held->tenancy == XPD_NO_INDEX ? (uint32_t)(held - h->held.at)
                                                 : h->report->resident_count + held->tenancy;
    char leaf[48];
    xpd_report_leaf(leaf, &h->report->row[row]);
    return xpd_names_put(&h->names, xpd_str_of(leaf));
}

static void write_rows(struct xpd_jsonw *w, struct heap *h, const struct xpd_held **at, uint32_t n)
{
    const struct xpd_mem *mem = h->ctx->mem;
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "tenancy", n, xpd_tools_index(w, at[row]->tenancy));
    XPD_COLUMN(w, "buffer", n, xpd_tools_index(w, at[row]->buffer));
    XPD_COLUMN(w, "offset_bytes", n, xpd_json_i64(w, at[row]->offset_bytes));
    XPD_COLUMN(w, "size_bytes", n, xpd_json_i64(w, at[row]->size_bytes));
    XPD_COLUMN(w, "unpadded_bytes", n, xpd_json_i64(w, at[row]->unpadded_bytes));
    XPD_COLUMN(w, "start", n, xpd_json_u64(w, at[row]->start));
    XPD_COLUMN(w, "end", n, xpd_json_u64(w, at[row]->end));
    XPD_COLUMN(w, "name", n, xpd_json_u64(w, xpd_names_buffer(&h->names, mem, at[row]->buffer)));
    XPD_COLUMN(w, "shape", n,
               xpd_json_u64(w, at[row]->buffer == XPD_NO_INDEX
                                   ? 0
                                   : xpd_names_buffer_shape(&h->names, mem, at[row]->buffer)));
    XPD_COLUMN(w, "row", n, xpd_json_u64(w, leaf_of(h, at[row])));
}

/* How many tenancies ever lie on some byte of each box, itself included. */
static void write_reuse(struct xpd_jsonw *w, const struct heap *h)
{
    XPD_COLUMN(w, "tenants", h->box_count, {
        int64_t end = h->box[row]->offset_bytes;
        xpd_grow_i64(&end, h->box[row]->size_bytes);
        xpd_json_u64(w, xpd_report_reuse_of(h->reuse, h->box[row]->offset_bytes, end));
    });
}

static void write_holes(struct xpd_jsonw *w, const struct xpd_report_gaps *gaps)
{
    uint32_t n = gaps->hole_count < HOLES_MAX ? gaps->hole_count : HOLES_MAX;
    int64_t rest = gaps->holes_bytes;
    for (uint32_t i = 0; i < n; i++)
        rest -= gaps->hole[i].size_bytes;
    xpd_json_key(w, "holes");
    xpd_json_obj(w);
    xpd_json_ku64(w, "n", n);
    XPD_COLUMN(w, "offset_bytes", n, xpd_json_i64(w, gaps->hole[row].offset_bytes));
    XPD_COLUMN(w, "size_bytes", n, xpd_json_i64(w, gaps->hole[row].size_bytes));
    xpd_json_ku64(w, "left_out", gaps->hole_count - n);
    xpd_json_ki64(w, "left_out_bytes", rest);
    xpd_json_key(w, "largest");
    if (gaps->largest == XPD_NO_INDEX) {
        xpd_json_null(w);
    } else {
        xpd_json_obj(w);
        xpd_json_ki64(w, "offset_bytes", gaps->hole[gaps->largest].offset_bytes);
        xpd_json_ki64(w, "size_bytes", gaps->hole[gaps->largest].size_bytes);
        xpd_json_obj_end(w);
    }
    xpd_json_obj_end(w);
}

static void write(struct xpd_jsonw *w, struct heap *h)
{
    const struct xpd_mem_space *space = h->ctx->space;
    xpd_json_obj(w);
    xpd_tools_kindex(w, "step", h->step);
    xpd_json_ki64(w, "heap_bytes", space->heap_bytes);
    xpd_json_ki64(w, "live_bytes", h->held.bytes - space->totals.resident);
    xpd_json_ki64(w, "resident_bytes", space->totals.resident);
    xpd_json_ki64(w, "top_bytes", h->gaps.top_bytes);
    xpd_json_ki64(w, "holes_bytes", h->gaps.holes_bytes);
    xpd_json_ki64(w, "above_bytes", h->gaps.above_bytes);
    xpd_json_ki64(w, "idle_bytes", h->gaps.idle_bytes);
    uint32_t traced = 0;
    for (uint32_t i = 0; i < space->tenancy_count; i++)
        traced += !(space->tenancy[i].flags & XPD_TENANCY_UNTRACED);
    xpd_json_ku64(w, "tenancies", traced);
    write_rows(w, h, h->box, h->box_count);
    write_reuse(w, h);
    xpd_json_ku64(w, "left_out", h->boxes_out);
    xpd_json_ki64(w, "left_out_bytes", h->boxes_out_bytes);
    write_holes(w, &h->gaps);
    xpd_json_key(w, "residents");
    xpd_json_obj(w);
    write_rows(w, h, h->resident, h->resident_count);
    xpd_json_ku64(w, "left_out", h->residents_out);
    xpd_json_ki64(w, "left_out_bytes", h->residents_out_bytes);
    xpd_json_obj_end(w);
    xpd_names_write(&h->names, w);
    xpd_json_obj_end(w);
}

static void write_csv(struct xpd_tool_result *out, const struct heap *h)
{
    struct xpd_csv csv;
    struct xpd_strbuf text = {0};
    char hex[24];
    xpd_tools_start_csv(out, &csv, "report_heap.csv");
    xpd_csv_header(&csv, "name,shape,address,offset_bytes,end_bytes,size_bytes,"
                         "unpadded_bytes,start,end");
    for (uint32_t i = 0; i < h->box_count; i++) {
        const struct xpd_held *row = h->box[i];
        xpd_strbuf_clear(&text);
        xpd_tools_buffer_name(&text, h->ctx->mem, row->buffer);
        xpd_csv_str(&csv, (struct xpd_str){text.data, text.size});
        xpd_strbuf_clear(&text);
        xpd_shape_text(&text, h->ctx->mem->buffer[row->buffer].shape, false);
        xpd_csv_str(&csv, (struct xpd_str){text.data, text.size});
        snprintf(hex, sizeof hex, "0x%09" PRIx64, (uint64_t)row->offset_bytes);
        xpd_csv_text(&csv, hex);
        xpd_csv_i64(&csv, row->offset_bytes);
        int64_t end = row->offset_bytes;
        xpd_grow_i64(&end, row->size_bytes);
        xpd_csv_i64(&csv, end);
        xpd_csv_i64(&csv, row->size_bytes);
        xpd_csv_i64(&csv, row->unpadded_bytes);
        xpd_csv_u64(&csv, row->start);
        xpd_csv_u64(&csv, row->end);
        xpd_csv_end_row(&csv);
    }
    out->body.failed |= text.failed;
    xpd_strbuf_fini(&text);
}

static int make_reuse(void *table, struct xpd_arena *arena, const struct xpd_tool_ctx *ctx,
                      uint32_t detail, struct xpd_err *err)
{
    (void)detail;
    return xpd_report_reuse_make(table, ctx->space, arena, err);
}

static int heap(const struct xpd_tool_ctx *ctx, struct xpd_tool_result *out, struct xpd_err *err)
{
    struct heap h = {.ctx = ctx, .report = xpd_table_report(ctx, err)};
    if (!h.report)
        return err->code;
    int rc = xpd_tools_step(ctx, "at", &h.step, err);
    if (rc == XPD_OK)
        rc = xpd_held_at(&h.held, ctx->mem, ctx->space, h.step, ctx->arena, err);
    if (rc == XPD_OK)
        rc = xpd_report_gaps_at(&h.gaps, h.report, h.step, ctx->arena, err);
    if (rc == XPD_OK && !choose(&h))
        rc = xpd_tools_no_memory(err);
    if (rc != XPD_OK)
        return rc;
    if (xpd_tools_csv(ctx)) {
        write_csv(out, &h);
        return XPD_OK;
    }
    h.reuse =
        xpd_table(ctx, XPD_TABLE_REUSE, 0, true, sizeof(struct xpd_report_reuse), make_reuse, err);
    if (!h.reuse)
        return err->code;
    struct xpd_jsonw w;
    xpd_jsonw_init(&w, &out->body);
    xpd_names_init(&h.names, ctx->arena);
    write(&w, &h);
    xpd_names_fini(&h.names);
    return XPD_OK;
}

static const struct xpd_param_spec params[] = {
    {.name = "at", .type = XPD_PARAM_INT, .max = UINT32_MAX, .help = "a step, default the peak"},
    {.name = "format", .type = XPD_PARAM_ENUM, .words = "json csv", .help = "json or csv"},
    {.name = NULL},
};

const struct xpd_tool xpd_tool_report_heap = {
    .route = "/api/v1/report/heap",
    .title = "The heap at one step: who lies at which addresses, holes, and what is always there.",
    .needs = XPD_NEEDS_SPACE,
    .params = params,
    .run = heap,
};
