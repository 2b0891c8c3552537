/* Rows of the buffer table. In: a space, and the step of `at` or all. Out: one row a buffer, with
 * its place and life. */
#include "table_buffers.h"
#include "table_uses.h"
#include "xprofd/base/checked.h"

struct xpd_buffer_life xpd_buffer_row_life(const struct xpd_buffer_table *table,
                                           const struct xpd_buffer_row *row)
{
    const struct xpd_mem_space *space = table->ctx->space;
    struct xpd_buffer_life life = {XPD_NO_STEP, XPD_NO_STEP, -1};
    if (row->mem_class != XPD_CLASS_TEMPORARY) {
        if (row->mem_class != XPD_CLASS_THREAD_LOCAL && space->step_count > 0) {
            life.start = 0;
            life.end = space->step_count;
        }
    } else if (row->held != XPD_NO_INDEX) {
        const struct xpd_held *held = &table->held[row->held];
        life = (struct xpd_buffer_life){held->start, held->end, held->offset_bytes};
    } else {
        const struct xpd_mem_buffer *value = &table->ctx->mem->buffer[row->buffer];
        if (value->first_tenancy >= space->tenancy_count)
            return life;
        const struct xpd_tenancy *tenancy = &space->tenancy[value->first_tenancy];
        bool traced = value->first_step != XPD_NO_STEP;
        life.start = traced ? value->first_step : tenancy->start_step;
        life.end = traced ? value->end_step : tenancy->end_step;
        life.offset_bytes = tenancy->offset_bytes;
    }
    return life;
}

static int collect_all(struct xpd_buffer_table *table, struct xpd_err *err)
{
    const struct xpd_all_rows *all = xpd_table_rows(table->ctx, err);
    if (!all)
        return XPD_ENOMEM;
    table->all = all;
    table->row = all->row;
    table->count = all->count;
    table->bytes = all->bytes;
    table->unpadded_bytes = all->unpadded_bytes;
    return XPD_OK;
}

static int collect_at(struct xpd_buffer_table *table, uint32_t step, struct xpd_err *err)
{
    const struct xpd_tool_ctx *ctx = table->ctx;
    struct xpd_held_list held;
    int rc = xpd_held_at(&held, ctx->mem, ctx->space, step, ctx->arena, err);
    if (rc != XPD_OK)
        return rc;
    struct xpd_buffer_row *row = XPD_NEW_ARRAY(ctx->arena, struct xpd_buffer_row, held.count);
    table->row = row;
    if (!row)
        return xpd_tools_no_memory(err);
    for (uint32_t i = 0; i < held.count; i++) {
        const struct xpd_held *from = &held.at[i];
        row[i] = (struct xpd_buffer_row){.buffer = from->buffer,
                                         .held = i,
                                         .mem_class = from->mem_class,
                                         .size_bytes = from->size_bytes,
                                         .unpadded_bytes = from->unpadded_bytes};
        xpd_grow_i64(&table->unpadded_bytes, from->unpadded_bytes);
    }
    table->count = held.count;
    table->held = held.at;
    table->bytes = held.listed_bytes;
    table->overlap_bytes = held.listed_bytes - held.bytes;
    return XPD_OK;
}

int xpd_buffers_collect(struct xpd_buffer_table *table, struct xpd_err *err)
{
    struct xpd_str at = xpd_param_text(table->ctx, "at");
    int rc;
    table->saving = xpd_table_savings(table->ctx, err);
    table->uses = xpd_table_uses_made(table->ctx);
    if (!table->saving)
        return XPD_ENOMEM;
    if (at.size == 0 || xpd_str_eq(at, XPD_STR("all"))) {
        rc = collect_all(table, err);
    } else {
        uint32_t step;
        int64_t number;
        if (!xpd_str_eq(at, XPD_STR("peak")) && !xpd_str_to_i64(at, &number))
            return xpd_fail(err, XPD_EINVAL, "at", XPD_NO_OFFSET,
                            "at is a step, peak or all, not \"%.*s\"",
                            (int)(at.size < 40 ? at.size : 40), at.data);
        rc = xpd_tools_step(table->ctx, "at", &step, err);
        if (rc == XPD_OK)
            rc = collect_at(table, step, err);
    }
    table->total = table->count;
    return rc;
}

int64_t xpd_buffer_row_saving(const struct xpd_buffer_table *table,
                              const struct xpd_buffer_row *row)
{
    if (row->buffer == XPD_NO_INDEX)
        return row->size_bytes; /* a resident allocation without a logical buffer */
    return table->saving->by_buffer[row->buffer];
}
