/* Boxes into columns, as they come.
 *
 * In: rows and a window. Out: columns of numbers, ready to be written. A box is not kept: what an
 * answer says of it is computed at once, while it is in registers. */
#include "trace_picture.h"

static int64_t floor_shift(int64_t ps, uint8_t shift)
{
    return ps >> shift; /* arithmetic on every compiler we build with: rounds down */
}

/* Of a time that is added up with others, so that none of the sum is lost by rounding down. */
static int64_t nearest_shift(int64_t ps, uint8_t shift)
{
    return shift > 0 ? ((ps >> (shift - 1)) + 1) >> 1 : ps;
}

/* An edge in quanta from the window's start. */
static int64_t edge(const struct xpd_picture *picture, int64_t ps)
{
    int64_t distance;
    if (__builtin_sub_overflow(ps, picture->from_ps, &distance))
        distance = ps < 0 ? INT64_MIN : INT64_MAX;
    return floor_shift(distance, picture->quantum_shift);
}

uint32_t xpd_picture_place(struct xpd_picture *picture, uint32_t name)
{
    if (picture->place[name] == 0) {
        XPD_PUSH(&picture->used_name, name);
        picture->place[name] = (uint32_t)picture->used_name.count;
    }
    return picture->place[name] - 1;
}

/* Boxes of a depth follow each other without a gap in event numbers; else a new run begins. */
static struct xpd_picture_run *run_of(struct xpd_picture *picture, uint64_t event)
{
    struct xpd_picture_run *last =
        picture->run.count ? &picture->run.at[picture->run.count - 1] : NULL;
    if (last && last->row == picture->row && last->depth == picture->depth &&
        event == picture->next_event)
        return last;
    struct xpd_picture_run run = {picture->row, picture->depth, picture->box_count, 0, event};
    XPD_PUSH(&picture->run, run);
    picture->before = 0;
    return picture->run.failed ? NULL : &picture->run.at[picture->run.count - 1];
}

static void take_box(void *user, const struct xpd_box *box)
{
    struct xpd_picture *picture = user;
    uint32_t i = picture->box_count;
    if (picture->too_many || i >= XPD_BOXES_MAX) {
        picture->too_many = true;
        return;
    }
    uint64_t event = picture->first_event + box->first;
    struct xpd_picture_run *run = run_of(picture, event);
    if (!run)
        return;
    int64_t start = edge(picture, box->start_ps);
    picture->start[i] = start - picture->before;
    picture->length[i] = edge(picture, box->end_ps) - start;
    picture->name[i] = xpd_picture_place(picture, box->name);
    picture->before = start;
    if (box->count > 1) {
        uint32_t m = picture->merged_count++;
        picture->at[m] = i - picture->last_merged;
        picture->count[m] = box->count;
        picture->busy[m] = nearest_shift(box->busy_ps, xpd_picture_busy_shift(picture));
        picture->longest[m] = box->longest - box->first;
        picture->last_merged = i;
    }
    run->box_count++;
    picture->next_event = event + box->count;
    picture->events += box->count;
    picture->box_count = i + 1;
}

void xpd_picture_begin(struct xpd_picture *picture, uint8_t cell_shift)
{
    for (size_t i = 0; i < picture->used_name.count; i++)
        picture->place[picture->used_name.at[i]] = 0;
    picture->used_name.count = picture->run.count = 0;
    picture->box_count = picture->merged_count = picture->last_merged = 0;
    picture->events = 0;
    picture->too_many = false;
    picture->cell_shift = cell_shift;
    picture->quantum_shift = cell_shift > 2 ? (uint8_t)(cell_shift - 2) : 0;
}

/* Depths lie all over memory, and many have few boxes: the ends of one are asked for while the
 * boxes of another are made. */
static void come_near(const struct xpd_picture *picture, const struct xpd_picture_depth *at)
{
    const struct xpd_depth *depth = xpd_view_depth(picture->view, at->row, at->depth);
    if (depth->count == 0)
        return;
    __builtin_prefetch(depth->start_ps);
    __builtin_prefetch(depth->duration_ps);
    __builtin_prefetch(depth->start_ps + depth->count - 1);
}

void xpd_picture_read_depths(struct xpd_picture *picture, const struct xpd_picture_depth *depth,
                             uint32_t count, const struct xpd_trace_window *window)
{
    for (uint32_t i = 0; i < count && !picture->too_many; i++) {
        const struct xpd_depth *at = xpd_view_depth(picture->view, depth[i].row, depth[i].depth);
        if (i + 1 < count)
            come_near(picture, &depth[i + 1]);
        picture->row = depth[i].row;
        picture->depth = depth[i].depth;
        picture->first_event = at->first_event;
        xpd_depth_boxes(at, window, take_box, picture);
    }
}
