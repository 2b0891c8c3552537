/* Boxes into columns, as they come.
 *
 * In: rows and a window. Out: columns of numbers, ready to be written. A box is not kept: what an
 * answer says of it is computed at once, while it is in registers. */
#include "trace_picture.h"

#include <stdlib.h>

enum { COLUMNS = 7 };

static int64_t floor_shift(int64_t ps, uint8_t shift)
{
    return ps >> shift; /* arithmetic on every compiler we build with: rounds down */
}

/* An edge in quanta from the window's start. */
static int64_t edge(const struct xpd_picture *picture, int64_t ps)
{
    bool far = (ps < 0) != (picture->from_ps < 0);
    int64_t distance;
    if (__builtin_sub_overflow(ps, picture->from_ps, &distance) && far)
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
        picture->busy[m] = floor_shift(box->busy_ps, picture->quantum_shift);
        picture->longest[m] = box->longest - box->first;
        picture->last_merged = i;
    }
    run->box_count++;
    picture->next_event = event + box->count;
    picture->events += box->count;
    picture->box_count = i + 1;
}

static void begin(struct xpd_picture *picture, uint8_t cell_shift)
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

void xpd_picture_read_rows(struct xpd_picture *picture, const struct xpd_row_list *rows, bool flat,
                           const struct xpd_trace_window *window)
{
    begin(picture, window->cell_shift);
    for (uint32_t i = 0; i < rows->count && !picture->too_many; i++) {
        picture->row = rows->at[i];
        uint32_t depths = xpd_view_row(picture->view, picture->row)->depth_count;
        if (flat && depths > 1)
            depths = 1;
        for (uint32_t d = 0; d < depths && !picture->too_many; d++) {
            const struct xpd_depth *depth = xpd_view_depth(picture->view, picture->row, d);
            picture->depth = d;
            picture->first_event = depth->first_event;
            xpd_depth_boxes(depth, window, take_box, picture);
        }
    }
}

/* Room for as many as there may be: what is not used is never touched. */
static bool make_room(struct xpd_picture *picture, const struct xpd_trace_call *call)
{
    int64_t **column[COLUMNS] = {&picture->start, &picture->length, &picture->name,   &picture->at,
                                 &picture->count, &picture->busy,   &picture->longest};
    picture->memory = malloc((size_t)COLUMNS * XPD_BOXES_MAX * sizeof *picture->memory);
    picture->place = XPD_NEW_ARRAY(call->ctx->arena, uint32_t, xpd_view_names(picture->view));
    for (size_t i = 0; picture->memory && i < COLUMNS; i++)
        *column[i] = picture->memory + i * XPD_BOXES_MAX;
    return picture->memory && picture->place;
}

/* Rows on two threads when they are worth it, and again while there are too many boxes. */
static void read_window(struct xpd_picture *picture, struct xpd_picture *more,
                        const struct xpd_row_list *rows, uint32_t split, bool flat,
                        const struct xpd_trace_window *window)
{
    struct xpd_trace_window at = *window;
    struct xpd_picture_part part[2] = {
        {picture, {.at = rows->at, .count = split}},
        {more, {.at = rows->at + split, .count = rows->count - split}}};
    for (;; at.cell_shift++) {
        if (split < rows->count)
            xpd_picture_read_both(part, flat, &at);
        else
            xpd_picture_read_rows(picture, rows, flat, &at);
        if (!picture->too_many || at.cell_shift >= 62)
            return;
    }
}

int xpd_picture_read(struct xpd_picture *picture, const struct xpd_trace_call *call,
                     const struct xpd_row_list *rows, bool flat,
                     const struct xpd_trace_window *window, struct xpd_err *err)
{
    struct xpd_picture more = {.view = &call->view, .from_ps = window->from_ps};
    *picture = more;
    uint32_t split = xpd_picture_split(picture, rows, flat, window);
    bool fine = make_room(picture, call) && (split == rows->count || make_room(&more, call));
    if (fine)
        read_window(picture, &more, rows, split, flat, window);
    xpd_picture_fini(&more);
    return !fine || picture->run.failed || picture->used_name.failed ? xpd_tools_no_memory(err)
                                                                     : XPD_OK;
}

void xpd_picture_fini(struct xpd_picture *picture)
{
    free(picture->memory);
    XPD_VEC_FINI(&picture->run);
    XPD_VEC_FINI(&picture->used_name);
    *picture = (struct xpd_picture){0};
}
