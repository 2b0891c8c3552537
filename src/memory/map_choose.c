/* Divides the tenancies of a window into boxes and merged cells. In: tenancies in order of
 * start. One narrower and lower than a pixel is merged with its neighbours; the others are
 * boxes. Above the limit of boxes the smallest areas are merged too, so that nothing is left
 * out.
 *
 * Joined ones come column by column, so those of the column reached just now are known by their
 * line alone. Cells begin as one pixel; whenever there are too many, cells of twice the width
 * and height take their place, made of the finer ones.
 *
 * Of many tenancies a second thread takes the later half. Its cells go behind those of the
 * first; the column at the border has cells of both, which become one each. As cells are the
 * finest that fit, and stand in the order of their first tenancy, the outcome is that of one
 * thread. */
#include "xprofd/memory/map.h"

#include "xprofd/base/threads.h"

/* Boxes of a pixel or more, joined because there are too many: one entry per pixel cell and size of
 * its members, beside the cells of smaller ones. In: tenancies, one by one. Out:
 * bounds and counts. Only boxes of about the same width and height come together, so a joined box
 * never covers what is free.
 *
 * Whenever there are too many cells, cells of twice the width and height take their place: column,
 * line and sizes of a cell follow from those of the finer one, so that no box is looked at again.
 */

#define SLOTS (4 * XPD_MAP_CELLS) /* a power of two, never more than half full */

struct xpd_map_slot {
    uint64_t key;
    uint32_t cell; /* index + 1, 0 = empty */
};

/* 0 below 2, else the power of two above the value: of a value half as large it is one less. */
static uint64_t class_of(double value)
{
    uint64_t whole = value < 0x1p31 ? (uint64_t)value : UINT64_C(1) << 31;
    return whole < 2 ? 0 : (uint64_t)(64 - __builtin_clzll(whole));
}

static uint64_t coarser_class(uint64_t size, uint32_t times)
{
    return size > times + 1 ? size - times : 0;
}

static uint64_t line_of(const struct xpd_map_view *view, uint32_t tenancy)
{
    double y = (double)view->column.offset_bytes[tenancy] * view->px_per_byte;
    return y > 0 ? y < 0x1p25 ? (uint64_t)(int64_t)y : 1 << 25 : 0;
}

/* Key of a cell one pixel wide and high: classes of the sizes, column and line. */
static uint64_t key_of(const struct xpd_map_view *view, uint32_t tenancy)
{
    const struct xpd_tenancy_columns *of = &view->column;
    uint32_t from = of->start_step[tenancy], to = of->end_step[tenancy];
    from = from > view->window.from ? from : view->window.from;
    to = to < view->window.to ? to : view->window.to;
    double x = (double)(from - view->window.from) * view->px_per_step;
    uint64_t wide = class_of((double)(to - from) * view->px_per_step);
    uint64_t high = class_of((double)of->size_bytes[tenancy] * view->px_per_byte);
    uint64_t column = (uint64_t)x;
    return wide << 58 | high << 52 | (column & 0x3ffffff) << 26 | line_of(view, tenancy);
}

/* The key after doubling the cells a number of times. */
static uint64_t coarser(uint64_t key, uint32_t times)
{
    uint64_t wide = coarser_class(key >> 58, times);
    uint64_t high = coarser_class(key >> 52 & 0x3f, times);
    uint64_t column = (key >> 26 & 0x3ffffff) >> times, line = (key & 0x3ffffff) >> times;
    return wide << 58 | high << 52 | column << 26 | line;
}

static struct xpd_map_slot *slot_of(struct xpd_map_view *view, uint64_t key)
{
    uint64_t mixed = key * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(mixed >> 40) & (SLOTS - 1);
    while (view->slot[at].cell != 0 && view->slot[at].key != key)
        at = (at + 1) & (SLOTS - 1);
    return &view->slot[at];
}

/* Adds the members of a cell to another one. */
static void xpd_map_cell_widen(struct xpd_map_cell *cell, const struct xpd_map_cell *by)
{
    bool first = by->largest_bytes == cell->largest_bytes && by->tenancy < cell->tenancy;
    if (by->largest_bytes > cell->largest_bytes || first) {
        cell->largest_bytes = by->largest_bytes;
        cell->tenancy = by->tenancy;
    }
    cell->count += by->count;
    cell->start = by->start < cell->start ? by->start : cell->start;
    cell->end = by->end > cell->end ? by->end : cell->end;
    cell->offset_bytes =
        by->offset_bytes < cell->offset_bytes ? by->offset_bytes : cell->offset_bytes;
    cell->top_bytes = by->top_bytes > cell->top_bytes ? by->top_bytes : cell->top_bytes;
}

static void add(struct xpd_map_view *view, struct xpd_map_slot *slot,
                const struct xpd_map_cell *cell)
{
    if (slot->cell != 0) {
        xpd_map_cell_widen(&view->cell[slot->cell - 1], cell);
        return;
    }
    view->cell[view->cell_count++] = *cell;
    *slot = (struct xpd_map_slot){cell->key, view->cell_count};
}

/* Cells of twice the width and height; the new ones overwrite the old ones from the front. */
static void coarsen(struct xpd_map_view *view)
{
    uint32_t n = view->cell_count;
    memset(view->slot, 0, SLOTS * sizeof *view->slot);
    view->cell_count = 0;
    view->coarse++;
    for (uint32_t i = 0; i < n; i++) {
        struct xpd_map_cell cell = view->cell[i];
        cell.key = coarser(cell.key, 1);
        add(view, slot_of(view, cell.key), &cell);
    }
}

/* Reserves memory for xpd_map_join_rest. False: out of memory. */
static bool xpd_map_join_begin(struct xpd_map_view *view, struct xpd_arena *arena)
{
    view->slot = XPD_NEW_ARRAY(arena, struct xpd_map_slot, SLOTS);
    return view->slot != NULL;
}

static void join(struct xpd_map_view *view, uint32_t tenancy)
{
    const struct xpd_tenancy_columns *column = &view->column;
    int64_t offset = column->offset_bytes[tenancy], size = column->size_bytes[tenancy];
    struct xpd_map_cell cell = {.start = column->start_step[tenancy],
                                .end = column->end_step[tenancy],
                                .count = 1,
                                .offset_bytes = offset,
                                .top_bytes = offset + size,
                                .largest_bytes = size,
                                .tenancy = tenancy,
                                .key = coarser(key_of(view, tenancy), view->coarse)};
    view->merged_count++;
    struct xpd_map_slot *slot = slot_of(view, cell.key);
    while (slot->cell == 0 && view->cell_count == XPD_MAP_CELLS) {
        coarsen(view);
        cell.key = coarser(cell.key, 1);
        slot = slot_of(view, cell.key);
    }
    add(view, slot, &cell);
}

void xpd_map_join_rest(struct xpd_map_view *view)
{
    if (view->rest_count == 0)
        return;
    for (uint32_t i = 0; i < view->cell_count; i++)
        *slot_of(view, view->cell[i].key) = (struct xpd_map_slot){view->cell[i].key, i + 1};
    for (uint32_t i = 0; i < view->rest_count; i++)
        join(view, view->rest[i]);
    view->rest_count = 0;
}

#define AREAS       256   /* no area, and quarters of powers of two of a pixel's area */
#define THREAD_FROM 60000 /* tenancies; below that, another thread gives no gain */

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
static uint8_t bucket_of(const struct xpd_map_view *view, uint32_t steps, int64_t bytes)
{
    double wide = (double)steps * view->px_per_step;
    double high = (double)bytes * view->px_per_byte;
    /* a hair across the whole picture is worth as much as a square of the same length */
    double area = (wide < 1.0 ? 1.0 : wide) * (high < 1.0 ? 1.0 : high);
    uint64_t bits;
    memcpy(&bits, &area, sizeof bits);
    uint64_t bucket = 1 + (bits >> 50) - (UINT64_C(1023) << 2);
    return bucket < AREAS ? (uint8_t)bucket : AREAS - 1;
}

/* The smallest area that may stay a box so that all boxes fit. */
static uint32_t least_bucket(const uint32_t count[AREAS])
{
    uint32_t total = 0, bucket = AREAS;
    while (bucket > 1 && total + count[bucket - 1] <= XPD_MAP_BOXES)
        total += count[--bucket];
    return bucket;
}

/* ---- those below a pixel ---- */

struct tiny {
    const struct xpd_map_view *view;
    struct xpd_map_cell *cell;
    uint32_t *at;      /* by line: the cell it had last, + 1 */
    uint32_t lines;    /* of a pixel */
    uint32_t column;   /* of a pixel, the one reached */
    uint32_t stop;     /* first step after it */
    uint32_t first;    /* the first cell of its column, + 1: of earlier columns are those below */
    uint32_t of_cells; /* the column of that cell */
    uint32_t count, coarse;
};

static uint32_t column_of(const struct xpd_map_view *view, uint32_t step)
{
    return (uint32_t)(int64_t)((double)(step - view->window.from) * view->px_per_step);
}

static void enter(struct tiny *tiny, uint32_t column)
{
    if (column == tiny->of_cells)
        return;
    tiny->of_cells = column;
    tiny->first = tiny->count + 1;
}

/* The first step behind a column: near where the column's width says, which rounding may miss. */
static uint32_t stop_of(const struct xpd_map_view *view, uint32_t column, uint32_t step)
{
    uint32_t end = view->window.to;
    double guess = view->window.from + ((double)column + 1.0) / view->px_per_step;
    uint32_t stop = guess < end ? (uint32_t)(int64_t)guess : end;
    stop = stop > step ? stop : step + 1;
    while (stop < end && column_of(view, stop) <= column)
        stop++;
    while (stop - step > 1 && column_of(view, stop - 1) > column)
        stop--;
    return stop;
}

/* Goes on to the column of a step. */
static void next_column(struct tiny *tiny, uint32_t step)
{
    tiny->column = column_of(tiny->view, step);
    tiny->stop = stop_of(tiny->view, tiny->column, step);
    enter(tiny, tiny->column >> tiny->coarse);
}

static uint64_t choice_key(uint32_t column, uint32_t line)
{
    return (uint64_t)column << 26 | line;
}

/* Cells of twice the width and height; the new ones overwrite the old ones from the front. */
static void coarsen_choice(struct tiny *tiny)
{
    uint32_t n = tiny->count;
    memset(tiny->at, 0, tiny->lines * sizeof *tiny->at);
    tiny->count = 0;
    tiny->of_cells = XPD_NO_INDEX;
    tiny->coarse++;
    for (uint32_t i = 0; i < n; i++) {
        struct xpd_map_cell cell = tiny->cell[i];
        uint32_t column = (uint32_t)(cell.key >> 27), line = (cell.key & 0x3ffffff) >> 1;
        enter(tiny, column);
        if (tiny->at[line] >= tiny->first) {
            xpd_map_cell_widen(&tiny->cell[tiny->at[line] - 1], &cell);
            continue;
        }
        cell.key = choice_key(column, line);
        tiny->cell[tiny->count++] = cell;
        tiny->at[line] = tiny->count;
    }
    enter(tiny, tiny->column >> tiny->coarse);
}

/* The first one in its cell. `line` is that of a pixel. */
static void begin_cell(struct tiny *tiny, const struct xpd_map_cell *cell, uint32_t line)
{
    while (tiny->count == XPD_MAP_CELLS) {
        coarsen_choice(tiny);
        uint32_t at = tiny->at[line >> tiny->coarse];
        if (at >= tiny->first) {
            xpd_map_cell_widen(&tiny->cell[at - 1], cell);
            return;
        }
    }
    tiny->cell[tiny->count] = *cell;
    tiny->cell[tiny->count].key = choice_key(tiny->column >> tiny->coarse, line >> tiny->coarse);
    tiny->at[line >> tiny->coarse] = ++tiny->count;
}

static void begin_with(struct tiny *tiny, uint32_t i, uint32_t line)
{
    const struct xpd_tenancy_columns *of = &tiny->view->column;
    int64_t offset = of->offset_bytes[i], size = of->size_bytes[i];
    struct xpd_map_cell one = {.start = of->start_step[i],
                               .end = of->end_step[i],
                               .count = 1,
                               .offset_bytes = offset,
                               .top_bytes = offset + size,
                               .largest_bytes = size,
                               .tenancy = i};
    begin_cell(tiny, &one, line);
}

/* Adds a tenancy to a cell, which began no later. */
static inline void grow_cell(struct xpd_map_cell *cell, uint32_t tenancy, uint32_t end,
                             int64_t offset, int64_t size)
{
    int64_t top = offset + size;
    bool larger = size > cell->largest_bytes;
    cell->count++;
    cell->end = end > cell->end ? end : cell->end;
    cell->offset_bytes = offset < cell->offset_bytes ? offset : cell->offset_bytes;
    cell->top_bytes = top > cell->top_bytes ? top : cell->top_bytes;
    cell->largest_bytes = larger ? size : cell->largest_bytes;
    cell->tenancy = larger ? tenancy : cell->tenancy;
}

/* ---- one pass ---- */

struct others { /* not below a pixel, until it is known how many they are */
    uint32_t *index;
    uint8_t *bucket;
    uint32_t n, count[AREAS];
};

static void add_other(struct others *others, uint32_t tenancy, uint8_t bucket)
{
    others->count[bucket]++;
    others->bucket[others->n] = bucket;
    others->index[others->n++] = tenancy;
}

struct half {
    struct tiny tiny;
    struct others others;
    uint32_t from, to; /* tenancies */
    uint32_t joined;
};

/* Local copies for the loop, so that they stay in registers. */
static void pass(const struct xpd_map_view *view, struct half *half)
{
    struct tiny *tiny = &half->tiny;
    const struct xpd_tenancy_columns of = view->column;
    const uint64_t pixel_steps = units_of_a_pixel(view->px_per_step);
    const uint64_t pixel_bytes = units_of_a_pixel(view->px_per_byte);
    const double px_per_byte = view->px_per_byte, last_line = tiny->lines - 1;
    const struct xpd_step_window window = view->window;
    uint32_t first = tiny->first, stop = tiny->stop, coarse = tiny->coarse, joined = 0;
    for (uint32_t i = half->from; i < half->to; i++) {
        uint32_t from = of.start_step[i], end = of.end_step[i];
        int64_t size = of.size_bytes[i], offset = of.offset_bytes[i];
        if (end <= window.from || end <= from || size <= 0)
            continue;
        from = from > window.from ? from : window.from;
        uint32_t steps = (end < window.to ? end : window.to) - from;
        if (steps >= pixel_steps || (uint64_t)size >= pixel_bytes) {
            add_other(&half->others, i, bucket_of(view, steps, size));
            continue;
        }
        joined++;
        if (from >= stop) {
            next_column(tiny, from);
            first = tiny->first;
            stop = tiny->stop;
        }
        double y = (double)offset * px_per_byte;
        uint32_t line = (uint32_t)(int64_t)(y > 0 ? y < last_line ? y : last_line : 0);
        uint32_t at = tiny->at[line >> coarse];
        if (at >= first) {
            grow_cell(&tiny->cell[at - 1], i, end, offset, size);
        } else {
            begin_with(tiny, i, line);
            first = tiny->first;
            coarse = tiny->coarse;
        }
    }
    half->joined = joined;
}

/* ---- one thread or two ---- */

struct passing {
    const struct xpd_map_view *view;
    struct half half[2];
    uint32_t count;
};

static void pass_half(void *context, uint32_t half, uint32_t thread)
{
    struct passing *passing = context;
    (void)thread;
    pass(passing->view, &passing->half[half]);
}

/* The cells of later tenancies after those of earlier ones. */
static void append(struct tiny *to, const struct tiny *later)
{
    while (to->coarse < later->coarse)
        coarsen_choice(to);
    for (uint32_t i = 0; i < later->count; i++) {
        const struct xpd_map_cell *cell = &later->cell[i];
        uint32_t line = (uint32_t)(cell->key & 0x3ffffff) << later->coarse;
        to->column = (uint32_t)(cell->key >> 26) << later->coarse;
        enter(to, to->column >> to->coarse);
        uint32_t at = to->at[line >> to->coarse];
        if (at >= to->first)
            xpd_map_cell_widen(&to->cell[at - 1], cell);
        else
            begin_cell(to, cell, line);
    }
}

/* `others` has room for all tenancies: each half fills it from its first one on. */
static bool begin_half(struct half *half, const struct xpd_map_view *view,
                       const struct others *others, struct xpd_arena *arena)
{
    uint32_t lines = view->py + 2;
    half->tiny = (struct tiny){.view = view,
                               .cell = XPD_NEW_ROOM(arena, struct xpd_map_cell, XPD_MAP_CELLS),
                               .at = XPD_NEW_ARRAY(arena, uint32_t, lines),
                               .lines = lines,
                               .of_cells = XPD_NO_INDEX,
                               .first = 1};
    half->others.index = others->index + half->from;
    half->others.bucket = others->bucket + half->from;
    return half->tiny.cell && half->tiny.at;
}

static bool choose_others(struct xpd_map_view *view, const struct passing *passing,
                          struct xpd_arena *arena)
{
    uint32_t count[AREAS], n = passing->half[0].others.n + passing->half[1].others.n;
    uint32_t *rest = n > XPD_MAP_BOXES ? XPD_NEW_ROOM(arena, uint32_t, n) : NULL;
    if (n > XPD_MAP_BOXES && (!rest || !xpd_map_join_begin(view, arena)))
        return false;
    for (uint32_t i = 0; i < AREAS; i++)
        count[i] = passing->half[0].others.count[i] + passing->half[1].others.count[i];
    uint32_t least = least_bucket(count);
    for (uint32_t h = 0; h < passing->count; h++) {
        const struct others *others = &passing->half[h].others;
        for (uint32_t i = 0; i < others->n; i++) {
            if (others->bucket[i] >= least)
                view->box[view->box_count++] = others->index[i];
            else
                rest[view->rest_count++] = others->index[i];
        }
    }
    view->rest = rest;
    return true;
}

bool xpd_map_choose_split(struct xpd_map_view *view, uint32_t n, uint32_t split,
                          struct xpd_arena *arena)
{
    struct passing passing = {.view = view, .count = split > 0 && split < n ? 2 : 1};
    struct others all = {.index = XPD_NEW_ROOM(arena, uint32_t, n),
                         .bucket = xpd_arena_bytes(arena, n)};
    passing.half[0].to = passing.count == 2 ? split : n;
    passing.half[1].from = split;
    passing.half[1].to = n;
    if (!all.index || !all.bucket)
        return false;
    for (uint32_t h = 0; h < passing.count; h++)
        if (!begin_half(&passing.half[h], view, &all, arena))
            return false;
    xpd_threads_each(passing.count, passing.count, pass_half, &passing);
    struct tiny *tiny = &passing.half[0].tiny;
    if (passing.count == 2)
        append(tiny, &passing.half[1].tiny);
    view->box = all.index;
    view->cell = tiny->cell;
    view->cell_count = tiny->count;
    view->coarse = tiny->coarse;
    view->merged_count = passing.half[0].joined + passing.half[1].joined;
    return choose_others(view, &passing, arena);
}

bool xpd_map_choose(struct xpd_map_view *view, struct xpd_arena *arena)
{
    uint32_t n = 0;
    if (view->window.to > view->window.from)
        n = xpd_tenancies_until(view->space, view->window.to - 1);
    bool two = n >= THREAD_FROM && xpd_threads_count(0) >= 2;
    return xpd_map_choose_split(view, n, two ? n / 2 : n, arena);
}
