/* A picture of many rows is read by two threads, each some of the rows, and put together.
 *
 * In: rows and a window. Out: the picture that one thread would read: boxes in the order of the
 * rows, names numbered as they are first met. */
#include "trace_picture.h"
#include "xprofd/base/threads.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define THREAD_FROM 8000 /* boxes; below that, a thread more costs what it brings */

/* How many boxes a row may have, about: as many as cells or events, in each depth. `share` of the
 * trace's time is in the window. */
static double boxes_of(const struct xpd_picture *picture, uint32_t row, bool flat, double cells,
                       double share)
{
    uint32_t depths = xpd_view_row(picture->view, row)->depth_count;
    double sum = 0;
    for (uint32_t d = 0; d < (flat && depths > 1 ? 1 : depths); d++) {
        double count = xpd_view_depth(picture->view, row, d)->count * share;
        sum += count < 2 * cells ? count : 2 * cells;
    }
    return sum;
}

uint32_t xpd_picture_split(const struct xpd_picture *picture, const struct xpd_row_list *rows,
                           bool flat, const struct xpd_trace_window *window)
{
    const struct xpd_trace *trace = picture->view->trace;
    double span = (double)trace->end_ps - (double)trace->first_ps;
    double width = (double)window->to_ps - (double)window->from_ps;
    double cells = ldexp(width, -(int)window->cell_shift), share = width < span ? width / span : 1;
    double all = 0, first = 0;
    uint32_t at = 0;
    if (rows->count < 2 || xpd_threads_count(0) < 2)
        return rows->count;
    for (uint32_t i = 0; i < rows->count; i++)
        all += boxes_of(picture, rows->at[i], flat, cells, share);
    if (all < THREAD_FROM)
        return rows->count;
    while (at < rows->count && first < all / 2)
        first += boxes_of(picture, rows->at[at++], flat, cells, share);
    return at;
}

struct reading {
    struct xpd_picture_part *part;
    _Atomic uint32_t next; /* part to be taken */
    bool flat;
    const struct xpd_trace_window *window;
};

static void read_parts(void *context, uint32_t thread)
{
    struct reading *reading = context;
    uint32_t at;
    (void)thread;
    while ((at = atomic_fetch_add_explicit(&reading->next, 1, memory_order_relaxed)) < 2)
        xpd_picture_read_rows(reading->part[at].picture, &reading->part[at].rows, reading->flat,
                              reading->window);
}

/* The boxes of `more` behind those of `to`; its names become places of `to`. */
static void join(struct xpd_picture *to, struct xpd_picture *more)
{
    uint32_t n = to->box_count, count = more->box_count;
    uint32_t m = to->merged_count, merged = more->merged_count;
    uint32_t *place = more->used_name.at;
    for (size_t i = 0; i < more->used_name.count; i++)
        place[i] = xpd_picture_place(to, place[i]);
    memcpy(to->start + n, more->start, count * sizeof *to->start);
    memcpy(to->length + n, more->length, count * sizeof *to->length);
    for (uint32_t i = 0; i < count; i++)
        to->name[n + i] = place[more->name[i]];
    memcpy(to->at + m, more->at, merged * sizeof *to->at);
    memcpy(to->count + m, more->count, merged * sizeof *to->count);
    memcpy(to->busy + m, more->busy, merged * sizeof *to->busy);
    memcpy(to->longest + m, more->longest, merged * sizeof *to->longest);
    if (merged > 0)
        to->at[m] += (int64_t)n - to->last_merged; /* the first one counts from nothing */
    for (size_t i = 0; i < more->run.count; i++) {
        struct xpd_picture_run run = more->run.at[i];
        run.first_box += n;
        XPD_PUSH(&to->run, run);
    }
    to->box_count += count;
    to->merged_count += merged;
    to->events += more->events;
}

void xpd_picture_read_both(struct xpd_picture_part part[2], bool flat,
                           const struct xpd_trace_window *window)
{
    struct reading reading = {.part = part, .flat = flat, .window = window};
    struct xpd_picture *all = part[0].picture, *more = part[1].picture;
    xpd_threads_run(2, read_parts, &reading);
    all->too_many |= more->too_many || more->box_count > XPD_BOXES_MAX - all->box_count;
    all->run.failed |= more->run.failed;
    all->used_name.failed |= more->used_name.failed;
    if (!all->too_many && !all->run.failed && !all->used_name.failed)
        join(all, more);
}
