/* Queries of one step or one window: curve, live set, tenancies. In: a
 * frozen space. Out: see query.h. Windows are cut to the existing
 * steps. */
#include "memory_internal.h"
#include "xprofd/memory/query.h"
#include <math.h>

/* Who had these bytes before and after a tenancy.
 *
 * In: a tenancy. Out: the nearest tenancies of the same lane that overlap its addresses and end at
 * or before its start, or start at or after its end. One pass over the columns. */

void xpd_neighbours(const struct xpd_mem_space *space, uint32_t tenancy, uint32_t *before,
                    uint32_t *before_more, uint32_t *after, uint32_t *after_more)
{
    const struct xpd_live_index *index = space->index;
    uint32_t befores = 0, afters = 0;
    *before = *after = XPD_NO_INDEX;
    *before_more = *after_more = 0;
    if (tenancy >= space->tenancy_count || (space->tenancy[tenancy].flags & XPD_TENANCY_UNTRACED))
        return;
    uint32_t start = index->start[tenancy], end = index->end[tenancy];
    int64_t low = index->offset[tenancy], size = index->size[tenancy];
    const struct xpd_lane *lane = &space->lane[space->tenancy[tenancy].lane];
    for (uint32_t i = 0; i < space->tenancy_count; i++) {
        /* differences of offsets do not overflow: none is negative */
        int64_t distance = index->offset[i] - low;
        if (distance >= size || -distance >= index->size[i] || size == 0 || index->size[i] == 0 ||
            i == tenancy)
            continue;
        if (index->start[i] < lane->first_step ||
            index->start[i] >= lane->first_step + lane->step_count ||
            (space->tenancy[i].flags & XPD_TENANCY_UNTRACED))
            continue;
        if (index->end[i] <= start) {
            befores++;
            if (*before == XPD_NO_INDEX || index->end[i] > index->end[*before])
                *before = i;
        } else if (index->start[i] >= end) {
            afters++;
            if (*after == XPD_NO_INDEX || index->start[i] < index->start[*after])
                *after = i;
        }
    }
    *before_more = befores > 0 ? befores - 1 : 0;
    *after_more = afters > 0 ? afters - 1 : 0;
}

/* Separate peaks near the highest one.
 *
 * In: a space and the width of the band below its peak. Out: the first maximum of each run of steps
 * inside the band, highest first (earlier first among equals). Lanes start empty, so a run ends
 * with its lane. Blocks that stay below the band are skipped. */

static void insert(struct xpd_near_peak *out, uint32_t *count, uint32_t capacity,
                   struct xpd_near_peak peak)
{
    uint32_t at = *count < capacity ? *count : capacity;
    while (at > 0 && out[at - 1].bytes < peak.bytes) {
        if (at < capacity)
            out[at] = out[at - 1];
        at--;
    }
    if (at < capacity)
        out[at] = peak;
    ++*count;
}

uint32_t xpd_near_peaks(const struct xpd_mem_space *space, double share, struct xpd_near_peak *out,
                        uint32_t capacity)
{
    uint32_t count = 0;
    if (space->peak_step == XPD_NO_STEP)
        return 0;
    if (!(share >= 0))
        share = 0;
    double depth = share >= 1 ? (double)space->peak_bytes : ceil((double)space->peak_bytes * share);
    int64_t floor_bytes = depth >= 9.2e18 ? INT64_MIN : space->peak_live_bytes - (int64_t)depth;
    for (uint32_t l = 0; l < space->lane_count; l++) {
        uint32_t i = space->lane[l].first_step, end = i + space->lane[l].step_count;
        while (i < end) {
            if (i % XPD_BLOCK_STEPS == 0 &&
                space->index->block[i / XPD_BLOCK_STEPS].max_live < floor_bytes) {
                i += end - i < XPD_BLOCK_STEPS ? end - i : XPD_BLOCK_STEPS;
                continue;
            }
            if (space->live_bytes[i] < floor_bytes) {
                i++;
                continue;
            }
            uint32_t best = i;
            for (; i < end && space->live_bytes[i] >= floor_bytes; i++)
                if (space->live_bytes[i] > space->live_bytes[best])
                    best = i;
            int64_t total = space->peak_bytes - (space->peak_live_bytes - space->live_bytes[best]);
            insert(out, &count, capacity, (struct xpd_near_peak){.step = best, .bytes = total});
        }
    }
    return count;
}

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
    column->min_unpadded =
        x->min_unpadded < column->min_unpadded ? x->min_unpadded : column->min_unpadded;
    column->max_unpadded =
        x->max_unpadded > column->max_unpadded ? x->max_unpadded : column->max_unpadded;
}

/* Steps that are less than a block. */
static void widen_by_steps(struct xpd_curve_column *column, const struct xpd_mem_space *space,
                           uint32_t from, uint32_t to)
{
    int64_t live = column->min_live, least = column->min_unpadded, most = column->max_unpadded;
    for (uint32_t i = from; i < to; i++)
        live = space->live_bytes[i] < live ? space->live_bytes[i] : live;
    for (uint32_t i = from; i < to; i++) {
        int64_t unpadded = space->unpadded_bytes[i];
        least = unpadded < least ? unpadded : least;
        most = unpadded > most ? unpadded : most;
    }
    column->min_live = live;
    column->min_unpadded = least;
    column->max_unpadded = most;
}

static void fill_column(const struct xpd_mem_space *space, uint32_t from, uint32_t to,
                        struct xpd_curve_column *column)
{
    uint32_t first = from / XPD_BLOCK_STEPS + (from % XPD_BLOCK_STEPS != 0);
    uint32_t end = to / XPD_BLOCK_STEPS, highest = xpd_live_argmax(space, from, to);
    int64_t unpadded = space->unpadded_bytes[from];
    *column = (struct xpd_curve_column){.first_step = from,
                                        .step_count = to - from,
                                        .min_live = space->live_bytes[from],
                                        .max_live = space->live_bytes[highest],
                                        .min_unpadded = unpadded,
                                        .max_unpadded = unpadded,
                                        .max_step = highest};
    if (first >= end) {
        widen_by_steps(column, space, from, to);
        return;
    }
    widen_by_steps(column, space, from, first * XPD_BLOCK_STEPS);
    for (uint32_t block = first; block < end; block++)
        widen(column, &space->index->block[block]);
    widen_by_steps(column, space, end * XPD_BLOCK_STEPS, to);
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

/* First step of [from, to) with the lowest live bytes, from < to. */
static uint32_t lowest_in(const struct xpd_mem_space *space, uint32_t from, uint32_t to)
{
    const struct xpd_block *block = space->index->block;
    uint32_t lowest = from;
    for (uint32_t i = from; i < to;) {
        if (i % XPD_BLOCK_STEPS == 0 && to - i >= XPD_BLOCK_STEPS &&
            block[i / XPD_BLOCK_STEPS].min_live >= space->live_bytes[lowest]) {
            i += XPD_BLOCK_STEPS;
            continue;
        }
        lowest = space->live_bytes[i] < space->live_bytes[lowest] ? i : lowest;
        i++;
    }
    return lowest;
}

bool xpd_live_extremes(const struct xpd_mem_space *space, struct xpd_step_window window,
                       uint32_t *lowest, uint32_t *highest)
{
    window = cut(space, window);
    if (window.from == window.to)
        return false;
    *lowest = lowest_in(space, window.from, window.to);
    *highest = xpd_live_argmax(space, window.from, window.to);
    return true;
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

uint32_t xpd_tenancy_pieces(const struct xpd_mem_space *space, uint32_t tenancy,
                            struct xpd_tenancy_piece *out, uint32_t capacity)
{
    const struct xpd_tenancy *t = &space->tenancy[tenancy];
    uint32_t growths, first = xpd_growths_of(space->index, tenancy, &growths), from = t->start_step;
    int64_t size = growths ? space->index->growth[first].before_bytes : t->size_bytes;
    for (uint32_t k = 0; k <= growths; k++) {
        const struct xpd_growth *g = k < growths ? &space->index->growth[first + k] : NULL;
        if (k < capacity)
            out[k] = (struct xpd_tenancy_piece){from, g ? g->step : t->end_step, size};
        if (g) {
            from = g->step;
            size = g->after_bytes;
        }
    }
    return growths + 1;
}

struct xpd_tenancy_columns xpd_tenancy_columns_of(const struct xpd_mem_space *space)
{
    const struct xpd_live_index *index = space->index;
    return (struct xpd_tenancy_columns){index->start, index->end, index->offset, index->size};
}

uint32_t xpd_mem_running(const struct xpd_mem *mem, const struct xpd_mem_space *space,
                         uint32_t step)
{
    if (step >= space->step_count)
        return XPD_NO_INDEX;
    const struct xpd_hlo *hlo = mem->hlo;
    uint32_t running = space->index->running[step];
    if (running == XPD_NO_STEP)
        return XPD_NO_INDEX;
    uint32_t event = space->event[running];
    uint32_t instruction = hlo->instruction_by_name[hlo->events.instruction_name[event]];
    if (instruction == XPD_NO_INDEX && hlo->events.buffer[event] != XPD_NO_INDEX)
        instruction = mem->buffer[hlo->events.buffer[event]].instruction;
    return instruction;
}
