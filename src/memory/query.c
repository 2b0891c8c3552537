/* Questions about one step or one window: curve, live set, tenancies.
 *
 * In: a frozen space. Out: what query.h says. Windows are cut to the steps there are. */
#include "xprofd/memory/query.h"

#include "internal.h"

static struct xpd_step_window cut(const struct xpd_mem_space *space, struct xpd_step_window window)
{
    if (window.to > space->step_count)
        window.to = space->step_count;
    if (window.from > window.to)
        window.from = window.to;
    return window;
}

static void widen(struct xpd_curve_column *column, const struct xpd_block *x)
{
    column->min_live = x->min_live < column->min_live ? x->min_live : column->min_live;
    column->max_live = x->max_live > column->max_live ? x->max_live : column->max_live;
    column->min_unpadded =
        x->min_unpadded < column->min_unpadded ? x->min_unpadded : column->min_unpadded;
    column->max_unpadded =
        x->max_unpadded > column->max_unpadded ? x->max_unpadded : column->max_unpadded;
    column->min_listed = x->min_listed < column->min_listed ? x->min_listed : column->min_listed;
    column->max_listed = x->max_listed > column->max_listed ? x->max_listed : column->max_listed;
}

static void fill_column(const struct xpd_mem_space *space, uint32_t from, uint32_t to,
                        struct xpd_curve_column *column)
{
    int64_t live = space->live_bytes[from], unpadded = space->unpadded_bytes[from];
    int64_t listed = space->listed_bytes[from];
    *column = (struct xpd_curve_column){.first_step = from,
                                        .step_count = to - from,
                                        .min_live = live,
                                        .max_live = live,
                                        .min_unpadded = unpadded,
                                        .max_unpadded = unpadded,
                                        .min_listed = listed,
                                        .max_listed = listed};
    for (uint32_t i = from; i < to;) {
        if (i % XPD_BLOCK_STEPS == 0 && to - i >= XPD_BLOCK_STEPS) {
            widen(column, &space->index->block[i / XPD_BLOCK_STEPS]);
            i += XPD_BLOCK_STEPS;
            continue;
        }
        struct xpd_block one = {space->live_bytes[i],     space->live_bytes[i],
                                space->unpadded_bytes[i], space->unpadded_bytes[i],
                                space->listed_bytes[i],   space->listed_bytes[i]};
        widen(column, &one);
        i++;
    }
    column->max_step = xpd_live_argmax(space, from, to);
}

uint32_t xpd_curve(const struct xpd_mem_space *space, struct xpd_step_window window,
                   uint32_t columns, struct xpd_curve_column *out)
{
    window = cut(space, window);
    uint64_t length = window.to - window.from;
    if (columns > length)
        columns = (uint32_t)length;
    for (uint32_t i = 0; i < columns; i++)
        fill_column(space, window.from + (uint32_t)(length * i / columns),
                    window.from + (uint32_t)(length * (i + 1) / columns), &out[i]);
    return columns;
}

uint32_t xpd_live_at(const struct xpd_mem_space *space, uint32_t step, uint32_t *out,
                     uint32_t capacity)
{
    const struct xpd_live_index *index = space->index;
    uint32_t count = 0, next = 0;
    if (step < space->step_count && index->checkpoint_count > 0) {
        uint32_t low = 0, high = index->checkpoint_count; /* last checkpoint at or before step */
        while (high - low > 1) {
            uint32_t middle = low + (high - low) / 2;
            if (index->checkpoint[middle].step <= step)
                low = middle;
            else
                high = middle;
        }
        const struct xpd_checkpoint *c = &index->checkpoint[low];
        for (uint32_t i = c->first; i < c->first + c->count; i++) {
            if (index->end[index->member[i]] <= step)
                continue;
            if (count < capacity)
                out[count] = index->member[i];
            count++;
        }
        for (next = c->next_tenancy; next < space->tenancy_count && index->start[next] <= step;
             next++) {
            if (index->end[next] <= step)
                continue;
            if (count < capacity)
                out[count] = next;
            count++;
        }
        return count;
    }
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        if (!(space->tenancy[i].flags & XPD_TENANCY_UNTRACED))
            continue;
        if (count < capacity)
            out[count] = i;
        count++;
    }
    return count;
}

uint32_t xpd_tenancies_in(const struct xpd_mem_space *space, struct xpd_step_window window,
                          uint32_t min_steps, int64_t min_bytes, uint32_t *out, uint32_t capacity,
                          uint32_t *merged)
{
    const struct xpd_live_index *index = space->index;
    uint32_t count = 0, small = 0;
    bool empty = space->step_count == 0; /* only untraced ones, and they are always there */
    window = cut(space, window);
    uint32_t end = empty                     ? space->tenancy_count
                   : window.to > window.from ? xpd_tenancies_until(space, window.to - 1)
                                             : 0;
    for (uint32_t i = 0; i < end; i++) {
        if (index->end[i] <= window.from && !empty)
            continue;
        if (index->end[i] - index->start[i] < min_steps && index->size[i] < min_bytes) {
            small++;
            continue;
        }
        if (count < capacity)
            out[count] = i;
        count++;
    }
    if (merged)
        *merged = small;
    return count;
}

struct xpd_tenancy_columns xpd_tenancy_columns_of(const struct xpd_mem_space *space)
{
    const struct xpd_live_index *index = space->index;
    return (struct xpd_tenancy_columns){index->start, index->end, index->offset, index->size};
}

uint32_t xpd_mem_running(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                         uint32_t step, uint32_t *buffer)
{
    if (buffer)
        *buffer = XPD_NO_INDEX;
    if (step >= space->step_count)
        return XPD_NO_INDEX;
    const struct xpd_hlo *hlo = mem->hlo;
    if (buffer)
        *buffer = hlo->events.buffer[space->event[step]];
    uint32_t running = space->index->running[step];
    if (running == XPD_NO_STEP)
        return XPD_NO_INDEX;
    uint32_t event = space->event[running];
    uint32_t instruction = hlo->instruction_by_name[hlo->events.instruction_name[event]];
    if (instruction == XPD_NO_INDEX && hlo->events.buffer[event] != XPD_NO_INDEX)
        instruction = mem->buffer[hlo->events.buffer[event]].instruction;
    return instruction;
}
