/* The boxes of some rows in a window as columns: whole quanta, names in a table of their own. */
#ifndef XPROFD_TRACE_PICTURE_H
#define XPROFD_TRACE_PICTURE_H

#include "xprofd/base/vec.h"
#include "xprofd/trace/view.h"
#include "xprofd/trace/window.h"

/* Of one picture; beyond it the cell doubles. */
#define XPD_BOXES_MAX 120000
/* Below this number of boxes, a second thread gives no gain. */
#define XPD_PICTURE_THREAD_FROM 8000

struct xpd_picture_run { /* consecutive boxes of one depth */
    uint32_t row, depth, first_box, box_count;
    uint64_t first_event;
};

struct xpd_picture {
    const struct xpd_view *view;
    int64_t from_ps; /* of the window */
    uint8_t cell_shift, quantum_shift;
    bool with_scopes; /* name scopes are written beside the names */
    uint64_t events;  /* in the boxes */

    uint32_t box_count, merged_count;
    /* Of each box: start from the one before in its run, else from from_ps; place of its name. */
    int64_t *start, *length, *name;
    /* Of boxes of more than one event: distance from the one before among them, ... */
    int64_t *at, *count, *busy, *longest;
    XPD_VEC(struct xpd_picture_run) run;
    XPD_VEC(uint32_t) used_name; /* names of the view, by place */

    /* While it is read. */
    uint32_t *place; /* by name of the view: place + 1 */
    int64_t *memory;
    uint32_t row, depth, last_merged;
    int64_t before; /* start of the last box */
    uint64_t first_event, next_event;
    bool too_many;
};

/* Busy times are in sixteenths of a quantum: an operation is often shorter than a quantum. */
static inline uint8_t xpd_picture_busy_shift(const struct xpd_picture *picture)
{
    return picture->quantum_shift > 4 ? (uint8_t)(picture->quantum_shift - 4) : 0;
}

/* Cells double until the boxes are at most XPD_BOXES_MAX; too_many stays set when no cell is coarse
 * enough. `flat`: the outermost depth of each row alone. Scratch memory is in `arena`. XPD_ENOMEM.
 * Always call xpd_picture_fini. */
int xpd_picture_read(struct xpd_picture *picture, const struct xpd_view *view,
                     const struct xpd_row_list *rows, bool flat,
                     const struct xpd_trace_window *window, struct xpd_arena *arena,
                     struct xpd_err *err);
void xpd_picture_fini(struct xpd_picture *picture);

#endif
