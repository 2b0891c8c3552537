/* Places the events of a row into depths: first fit over sorted events.
 *
 * In: columns sorted by (start, -duration). Out: depths that are each sorted and disjoint, so
 * that a viewport is a bisection. The depth of an event is the first whose last event has ended,
 * below all events that it lies in. So nested events get their nesting depth, overlapping ones are
 * packed, and an event that begins just before its neighbour ends has its own events below it. In
 * rows more than NESTED_MOST deep the last is not looked for. A few ends are searched one by one;
 * more are in a tree of minima, so that a row 4,096 deep costs 12 steps an event. An event without
 * a depth below XPD_DEPTHS_MAX goes into the last one, which is then marked as not disjoint. */
#include "core.h"
#include "xprofd/base/ahead.h"

#include <stdlib.h>

#define FEW         64
#define NESTED_MOST 256
#define RUN         16 /* events of one depth that are moved together */

struct xpd_fit {
    int64_t end_ps[XPD_DEPTHS_MAX];
    int64_t least[2 * XPD_DEPTHS_MAX]; /* tree over end_ps; leaves from `leaves` on */
    uint32_t count[XPD_DEPTHS_MAX], at[XPD_DEPTHS_MAX];
    uint32_t used, leaves; /* leaves 0 = no tree */
    uint32_t known;        /* the depth of the last event + 1 */
    int64_t deep_ps;       /* no event in a depth from `known` on ends later */
    uint64_t overflow;
    uint16_t *depth; /* by event */
    size_t capacity;
};

struct xpd_fit *xpd_fit_new(void)
{
    return calloc(1, sizeof(struct xpd_fit));
}

void xpd_fit_free(struct xpd_fit *fit)
{
    if (fit)
        free(fit->depth);
    free(fit);
}

static void build_tree(struct xpd_fit *fit)
{
    fit->leaves = fit->leaves ? fit->leaves * 2 : 2 * FEW;
    for (uint32_t i = 0; i < fit->leaves; i++)
        fit->least[fit->leaves + i] = i < fit->used ? fit->end_ps[i] : INT64_MAX;
    for (uint32_t i = fit->leaves - 1; i > 0; i--) {
        int64_t left = fit->least[2 * i], right = fit->least[2 * i + 1];
        fit->least[i] = left < right ? left : right;
    }
}

static void update_tree(struct xpd_fit *fit, uint32_t depth, int64_t end_ps)
{
    uint32_t at = fit->leaves + depth;
    fit->least[at] = end_ps;
    for (at /= 2; at > 0; at /= 2) {
        int64_t left = fit->least[2 * at], right = fit->least[2 * at + 1];
        fit->least[at] = left < right ? left : right;
    }
}

static uint32_t find_in_tree(const struct xpd_fit *fit, int64_t start_ps)
{
    if (fit->least[1] > start_ps)
        return fit->used;
    uint32_t at = 1;
    while (at < fit->leaves)
        at = 2 * at + (fit->least[2 * at] > start_ps);
    return at - fit->leaves;
}

/* The latest end of the depths behind `depth`; `deep_ps` is that of those from `known` on. */
static inline int64_t deeper_end(const int64_t *end_ps, uint32_t depth, uint32_t known,
                                 int64_t deep_ps)
{
    for (uint32_t at = depth + 1; at < known; at++)
        deep_ps = end_ps[at] > deep_ps ? end_ps[at] : deep_ps;
    return deep_ps;
}

/* The first free depth from `depth` on that is below all events that reach to `until_ps`: they
 * began before, so the event lies in them. */
static uint32_t below_all(const int64_t *end_ps, uint32_t used, uint32_t depth, int64_t start_ps,
                          int64_t until_ps)
{
    uint32_t at = used;
    while (at > depth && (end_ps[at - 1] <= start_ps || end_ps[at - 1] < until_ps))
        at--;
    if (at == depth)
        return depth;
    while (at < used && end_ps[at] > start_ps)
        at++;
    return at;
}

static inline uint32_t find_one(struct xpd_fit *fit, int64_t start_ps, int64_t end_ps)
{
    uint32_t depth = 0;
    if (fit->leaves == 0)
        while (depth < fit->used && fit->end_ps[depth] > start_ps)
            depth++;
    else
        depth = find_in_tree(fit, start_ps);
    if (fit->used > NESTED_MOST)
        return depth;
    fit->deep_ps = deeper_end(fit->end_ps, depth, fit->known, fit->deep_ps);
    if (fit->deep_ps >= end_ps)
        depth = below_all(fit->end_ps, fit->used, depth, start_ps, end_ps);
    fit->known = depth + 1;
    return depth;
}

static inline uint32_t place_one(struct xpd_fit *fit, int64_t start_ps, int64_t end_ps)
{
    uint32_t depth = find_one(fit, start_ps, end_ps);
    if (depth == XPD_DEPTHS_MAX) {
        depth--;
        fit->overflow++;
        end_ps = end_ps > fit->end_ps[depth] ? end_ps : fit->end_ps[depth];
    } else if (depth == fit->used) {
        fit->count[depth] = 0;
        fit->used++;
    }
    fit->end_ps[depth] = end_ps;
    if (fit->leaves ? fit->used > fit->leaves : fit->used > FEW)
        build_tree(fit);
    else if (fit->leaves != 0)
        update_tree(fit, depth, end_ps);
    fit->count[depth]++;
    return depth;
}

static bool reserve(struct xpd_fit *fit, uint32_t count)
{
    fit->used = fit->leaves = 0;
    fit->overflow = 0;
    return xpd_vec_grow((void **)&fit->depth, &fit->capacity, count ? count : 1,
                        sizeof *fit->depth);
}

struct cover { /* the union of the events so far */
    int64_t end_ps, busy_ps;
};

static inline void add_cover(struct cover *cover, int64_t start_ps, int64_t end_ps)
{
    int64_t from = start_ps > cover->end_ps ? start_ps : cover->end_ps;
    cover->busy_ps += end_ps > from ? end_ps - from : 0;
    cover->end_ps = end_ps > cover->end_ps ? end_ps : cover->end_ps;
}

/* Depths as a stack: busy_until[d] is the least end of the depths above d, so the first depth that
 * has ended is found from where the last event went. Known up to `known` depths; what lies deeper
 * is looked through when an event gets that far. */
struct few {
    int64_t end_ps[FEW], busy_until_ps[FEW + 1];
    uint32_t count[FEW], used, known;
    int64_t deep_ps; /* as in struct xpd_fit */
};

static inline uint32_t find_few(struct few *few, int64_t start_ps)
{
    uint32_t depth = few->known;
    if (few->busy_until_ps[depth] > start_ps) {
        for (; depth < few->used && few->end_ps[depth] > start_ps; depth++) {
            int64_t above_ps = few->busy_until_ps[depth], end_ps = few->end_ps[depth];
            few->busy_until_ps[depth + 1] = end_ps < above_ps ? end_ps : above_ps;
        }
        return depth;
    }
    while (few->busy_until_ps[depth] <= start_ps)
        depth--;
    return depth;
}

/* With busy_until_ps known up to it. */
static uint32_t find_below(struct few *few, uint32_t depth, int64_t start_ps, int64_t end_ps)
{
    uint32_t below = below_all(few->end_ps, few->used, depth, start_ps, end_ps);
    for (; depth < below; depth++) {
        int64_t above_ps = few->busy_until_ps[depth], ends_ps = few->end_ps[depth];
        few->busy_until_ps[depth + 1] = ends_ps < above_ps ? ends_ps : above_ps;
    }
    return below;
}

/* As long as few depths are in use: the same without a tree. Returns how many events it placed. */
static uint32_t place_few(struct xpd_fit *fit, const struct xpd_columns *columns,
                          struct cover *covered)
{
    struct cover cover = *covered;
    struct few few = {.busy_until_ps = {INT64_MAX}, .deep_ps = INT64_MIN};
    const int64_t *start_ps = columns->start_ps, *duration_ps = columns->duration_ps;
    uint16_t *depth_of = fit->depth;
    uint32_t i;
    for (i = 0; i < columns->count; i++) {
        xpd_read_ahead(&start_ps[i]);
        xpd_read_ahead(&duration_ps[i]);
        int64_t start = start_ps[i], end = start + duration_ps[i];
        uint32_t depth = find_few(&few, start);
        few.deep_ps = deeper_end(few.end_ps, depth, few.known, few.deep_ps);
        if (few.deep_ps >= end)
            depth = find_below(&few, depth, start, end);
        if (depth == FEW)
            break;
        few.used += depth == few.used;
        few.end_ps[depth] = end;
        int64_t above_ps = few.busy_until_ps[depth];
        few.busy_until_ps[depth + 1] = end < above_ps ? end : above_ps;
        few.known = depth + 1;
        add_cover(&cover, start, end);
        few.count[depth]++;
        depth_of[i] = (uint16_t)depth;
    }
    memcpy(fit->end_ps, few.end_ps, few.used * sizeof *few.end_ps);
    memcpy(fit->count, few.count, few.used * sizeof *few.count);
    fit->used = few.used;
    fit->known = few.known;
    fit->deep_ps = few.deep_ps;
    *covered = cover;
    return i;
}

/* The depth of each event, and facts of the whole row. */
static void place_all(struct xpd_fit *fit, const struct xpd_columns *columns,
                      struct xpd_trace_row *row)
{
    struct cover cover = {.end_ps = INT64_MIN};
    for (uint32_t i = place_few(fit, columns, &cover); i < columns->count; i++) {
        int64_t start_ps = columns->start_ps[i], end_ps = start_ps + columns->duration_ps[i];
        add_cover(&cover, start_ps, end_ps);
        fit->depth[i] = (uint16_t)place_one(fit, start_ps, end_ps);
    }
    row->event_count = columns->count;
    row->overflow_count = fit->overflow;
    row->depth_count = fit->used;
    row->busy_ps = cover.busy_ps;
    row->first_ps = columns->count ? columns->start_ps[0] : 0;
    row->end_ps = columns->count ? cover.end_ps : 0;
}

/* Where the run of events of one depth that begins at `i` ends, in steps of RUN. */
static inline uint32_t run_end(const uint16_t *depth_of, uint32_t i, uint32_t count)
{
    uint64_t same = depth_of[i] * UINT64_C(0x0001000100010001), four[RUN / 4];
    for (; count - i >= RUN; i += RUN) {
        memcpy(four, depth_of + i, sizeof four);
        if (((four[0] ^ same) | (four[1] ^ same) | (four[2] ^ same) | (four[3] ^ same)) != 0)
            break;
    }
    return i;
}

static void move_run(const struct xpd_columns *from, uint32_t i, uint32_t count,
                     const struct xpd_columns *to, uint32_t at)
{
    memcpy(to->start_ps + at, from->start_ps + i, count * sizeof *to->start_ps);
    memcpy(to->duration_ps + at, from->duration_ps + i, count * sizeof *to->duration_ps);
    memcpy(to->name + at, from->name + i, count * sizeof *to->name);
    memcpy(to->where_low + at, from->where_low + i, count * sizeof *to->where_low);
    if (from->device_delta_ps)
        memcpy(to->device_delta_ps + at, from->device_delta_ps + i,
               count * sizeof *to->device_delta_ps);
    if (from->where_high)
        memcpy(to->where_high + at, from->where_high + i, count);
}

/* By value: a byte stored into where_high could change what is reached by a pointer. */
static inline void move_some(struct xpd_columns from, uint32_t i, uint32_t end,
                             struct xpd_columns to, const uint16_t *depth_of, uint32_t *next)
{
    for (; i < end; i++) {
        uint32_t at = next[depth_of[i]]++;
        to.start_ps[at] = from.start_ps[i];
        to.duration_ps[at] = from.duration_ps[i];
        to.name[at] = from.name[i];
        to.where_low[at] = from.where_low[i];
        if (from.device_delta_ps)
            to.device_delta_ps[at] = from.device_delta_ps[i];
        if (from.where_high)
            to.where_high[at] = from.where_high[i];
    }
}

static void scatter(struct xpd_fit *fit, struct xpd_columns from, struct xpd_columns to)
{
    const uint16_t *depth_of = fit->depth;
    uint32_t *next = fit->at, sum = 0;
    for (uint32_t d = 0; d < fit->used; d++) {
        next[d] = sum;
        sum += fit->count[d];
    }
    for (uint32_t i = 0; i < from.count;) {
        uint32_t end = run_end(depth_of, i, from.count);
        if (end != i) {
            move_run(&from, i, end - i, &to, next[depth_of[i]]);
            next[depth_of[i]] += end - i;
        } else {
            end = from.count - i < RUN ? from.count : i + RUN;
            move_some(from, i, end, to, depth_of, next);
        }
        i = end;
    }
}

static int64_t longest(const int64_t *duration_ps, uint32_t count)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        xpd_read_ahead(&duration_ps[i]);
        most = duration_ps[i] > most ? duration_ps[i] : most;
    }
    return most;
}

static bool fill_depths(struct xpd_worker *worker, const struct xpd_columns *columns,
                        struct xpd_row_made *made)
{
    struct xpd_trace_blocks *blocks = worker->build->trace->blocks;
    const struct xpd_fit *fit = worker->fit;
    uint32_t first = 0;
    for (uint32_t d = 0; d < fit->used; d++) {
        struct xpd_columns part = xpd_columns_part(columns, first, fit->count[d]);
        made->depth[d] = (struct xpd_depth){
            .depth = d,
            .count = part.count,
            .start_ps = part.start_ps,
            .duration_ps = part.duration_ps,
            .name = part.name,
            .where_low = part.where_low,
            .where_high = part.where_high,
            .device_delta_ps = part.device_delta_ps,
            .longest_ps = longest(part.duration_ps, part.count),
            .overlapping = fit->overflow != 0 && d == XPD_DEPTHS_MAX - 1,
        };
        if (!xpd_mip_build(blocks, &worker->pen, &made->depth[d]))
            return false;
        first += part.count;
    }
    return true;
}

/* The depths of the row get what is packed of each. */
static bool lay_starts(struct xpd_worker *worker, struct xpd_packing *packing,
                       struct xpd_row_made *made)
{
    bool fine = true;
    for (uint32_t d = 0; fine && d < worker->fit->used; d++) {
        size_t bytes = xpd_packing_bytes(&packing[d]);
        void *memory = packing[d].failed
                           ? NULL
                           : xpd_blocks_take(worker->build->trace->blocks, &worker->pen, bytes);
        fine = memory != NULL;
        if (fine)
            xpd_packed_lay(&made->depth[d].device_later_ps, memory, &packing[d]);
    }
    return fine;
}

/* Keeps the starts by the device's clock, where all events have one: how much later than by the
 * host-aligned clock each began, depth by depth. */
static bool keep_starts(struct xpd_worker *worker, const struct xpd_columns *columns,
                        struct xpd_row_made *made)
{
    const struct xpd_fit *fit = worker->fit;
    const int64_t *device_ps = columns->device_start_ps, *start_ps = columns->start_ps;
    const uint16_t *depth_of = fit->depth;
    if (!device_ps)
        return true;
    struct xpd_packing *packing = calloc((size_t)fit->used + 1, sizeof *packing);
    bool all = true, fine = packing != NULL;
    for (uint32_t d = 0; fine && d < fit->used; d++)
        fine = xpd_packing_init(&packing[d], fit->count[d]);
    for (uint32_t i = 0; fine && all && i < columns->count; i++) {
        xpd_read_ahead(&device_ps[i]);
        xpd_read_ahead(&start_ps[i]);
        all = device_ps[i] >= 0;
        xpd_packing_put(&packing[depth_of[i]], device_ps[i] - start_ps[i]);
    }
    if (fine && all)
        fine = lay_starts(worker, packing, made);
    for (uint32_t d = 0; packing && d < fit->used; d++)
        xpd_packing_fini(&packing[d]);
    free(packing);
    return fine;
}

int xpd_row_place(struct xpd_worker *worker, const struct xpd_columns *columns, void **memory,
                  struct xpd_row_made *made)
{
    struct xpd_trace_blocks *blocks = worker->build->trace->blocks;
    struct xpd_fit *fit = worker->fit;
    if (!reserve(fit, columns->count))
        return xpd_worker_no_room(worker);
    place_all(fit, columns, &made->row);
    made->depth = xpd_blocks_take(blocks, &worker->pen, fit->used * sizeof *made->depth);
    if (!made->depth)
        return xpd_worker_no_room(worker);
    struct xpd_columns final = *columns;
    if (fit->used == 1 && memory && *memory) {
        *memory = NULL; /* in its place already */
    } else {
        unsigned with = xpd_columns_with(columns);
        void *piece =
            xpd_blocks_take(blocks, &worker->pen, xpd_columns_bytes(columns->count, with));
        if (!piece)
            return xpd_worker_no_room(worker);
        final = xpd_columns_lay(piece, columns->count, with);
        scatter(fit, *columns, final);
    }
    return fill_depths(worker, &final, made) && keep_starts(worker, columns, made)
               ? XPD_OK
               : xpd_worker_no_room(worker);
}
